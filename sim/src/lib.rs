//! The reference: a naive model of each block, in plain data, written from the block's page alone, an executor
//! of SIMT programs, a reader of GPU traces, and a machine that translates addresses.

pub mod block_scheduler;
pub mod checkpoint;
pub mod coalescer;
pub mod context_port;
pub mod dirty_bits;
pub mod far_fault_mshr;
pub mod fault_buffer;
pub mod gmmu;
pub mod l1_tlb;
pub mod l2_tlb;
pub mod operand_log;
pub mod page;
pub mod page_walk_cache;
pub mod page_walker;
mod place;
pub mod ports;
pub mod preemption;
pub mod preemption_policy;
pub mod replay_queue;
pub mod scoreboard;
pub mod simt;
pub mod sm;
pub mod sm_pipeline;
pub mod trace;
pub mod translation;
pub mod walk;

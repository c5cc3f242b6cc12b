//! The blocks of an SM.

pub mod block_scheduler;
pub mod coalescer;
pub mod l1_tlb;
pub mod memory_unit;
pub mod operand_log;
pub mod replay_queue;
pub mod scoreboard;
pub mod sm_pipeline;
pub mod sm_unit;
pub mod warp_scheduler;

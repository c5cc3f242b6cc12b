//! Everything of Faultline that becomes gates.
//!
//! Blocks: [`replay_queue`], [`operand_log`], [`coalescer`], [`l1_tlb`], [`l2_tlb`], [`far_fault_mshr`],
//! [`fault_buffer`], [`scoreboard`], [`sm_pipeline`], [`page_walker`], [`page_walk_cache`], [`gmmu`],
//! [`dirty_bits`], [`preemption_policy`], [`block_scheduler`], [`context_port`], [`checkpoint`]. Primitives under them: [`register`],
//! [`memory`], [`masked_memory`], [`arbiter`], [`any_of`], [`count_of`], [`lowest`], [`turns`], [`select`], [`span`],
//! [`recency`], [`service_order`], [`warp_scheduler`], [`word_check`].
//! [`mod@part`] and [`kernel`] are what the attributes of `faultline-macros` rest on.
//! [`registry`] lists the designs that are exported, [`verilog`] exports them, and [`ports`] lets a test bench drive
//! them.

extern crate self as faultline_hw; // the macros name it, here and in other crates

pub mod any_of;
pub mod arbiter;
pub mod block_scheduler;
pub mod checkpoint;
pub mod coalescer;
pub mod context_port;
pub mod count_of;
pub mod dirty_bits;
pub mod far_fault_mshr;
pub mod fault_buffer;
pub mod gmmu;
pub mod kernel;
pub mod l1_tlb;
pub mod l2_tlb;
pub mod lowest;
pub mod masked_memory;
pub mod memory;
pub mod operand_log;
pub mod page_walk_cache;
pub mod page_walker;
pub mod params;
pub mod part;
pub mod ports;
pub mod preemption_policy;
pub mod recency;
pub mod register;
pub mod registry;
pub mod replay_queue;
pub mod scoreboard;
pub mod select;
pub mod service_order;
pub mod sizes;
pub mod sm_pipeline;
pub mod span;
pub mod turns;
pub mod verilog;
pub mod warp_scheduler;
pub mod word_check;

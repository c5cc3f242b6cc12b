//! sim

pub mod operand_log;
pub mod ports;
pub mod replay_queue;
pub mod trace;

//! Models of the blocks that save a thread block and bring it back.

pub mod checkpoint;
pub mod context_port;
pub mod dirty_bits;
pub mod preemption_policy;

//! What blocks are made of: registers, memories, arbiters, and small functions of many bits.

pub mod any_of;
pub mod arbiter;
pub mod count_of;
pub mod lowest;
pub mod masked_memory;
pub mod memory;
pub mod recency;
pub mod register;
pub mod select;
pub mod service_order;
pub mod span;
pub mod turns;
pub mod word_check;

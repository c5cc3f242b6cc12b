//! What blocks are made of: registers, memories, arbiters, and small functions of many bits.

pub mod fixed_priority_arbiter;
pub mod lru_matrix;
pub mod masked_memory;
pub mod matrix_arbiter;
pub mod memory;
pub mod misr;
pub mod one_hot_mux;
pub mod one_hot_priority_encoder;
pub mod or_tree;
pub mod popcount;
pub mod range_mask;
pub mod register;
pub mod round_robin_arbiter;

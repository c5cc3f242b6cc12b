//! Machines around the models: an SM that runs kernels, the translation of all SMs' addresses, and the preemption of
//! thread blocks.

pub mod preemption;
pub mod sm;
pub mod translation;

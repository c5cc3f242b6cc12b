//! Machines around the models: an SM that runs kernels, the translation of all SMs' addresses, the preemption of thread
//! blocks, and a whole GPU.

mod driver;
pub mod gpu;
pub mod preemption;
mod saving;
pub mod sm;
pub mod translation;

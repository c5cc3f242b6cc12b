//! The reference: a naive model of each block, in plain data, written from the block's page alone, an executor
//! of SIMT programs, a reader of GPU traces, and a machine that translates addresses.

mod bits;
pub mod compiled;
pub mod launch_file;
pub mod machines;
pub mod mmu;
mod numbers;
pub mod page;
mod place;
pub mod ports;
pub mod preempt;
pub mod programs;
pub mod ptx;
pub mod simt;
pub mod sm;
pub mod trace;
pub mod walk;

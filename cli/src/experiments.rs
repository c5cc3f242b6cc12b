//! Machines that run kernels and traces.

mod compiled;
mod exceptions;
pub(crate) mod figures;
pub(crate) mod gmmu;
pub(crate) mod gpu;
mod ordered;
pub(crate) mod preempt;
mod program;
pub(crate) mod ptx;
pub(crate) mod sm;
pub(crate) mod study;
pub(crate) mod timeline;
pub(crate) mod trace;
mod trials;
pub(crate) mod walk;

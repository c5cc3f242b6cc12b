//! Machines that run kernels and traces.

pub(crate) mod figures;
pub(crate) mod gmmu;
pub(crate) mod gpu;
pub(crate) mod preempt;
pub(crate) mod sm;
pub(crate) mod timeline;
pub(crate) mod trace;
mod trials;
pub(crate) mod walk;

//! Kernels of a trace, ready to be replayed.

use std::path::Path;

use faultline_sim::trace::{GlobalAccess, GlobalAccesses, Reader, Trace, TraceError};

/// Instructions of a kernel that are replayed; the rest of a longer one is left out.
const MOST_INSTRUCTIONS: usize = 1_000_000;

/// A kernel as one SM issues it.
pub struct Kernel {
    /// Thread blocks on the SM at once.
    pub(super) resident_blocks: usize,
    /// Its global-memory instructions, in the order of issue.
    pub(super) accesses: Vec<GlobalAccess>,
}

impl Kernel {
    /// Its global-memory instructions.
    #[must_use]
    pub fn instructions(&self) -> usize {
        self.accesses.len()
    }
}

/// The kernels of a trace that access global memory.
///
/// # Errors
/// If the trace cannot be read.
pub fn kernels(path: &Path) -> Result<Vec<Kernel>, TraceError> {
    let trace = Trace::open(path)?;
    let kernels: Result<Vec<_>, _> = trace.readers().map(|reader| kernel(reader?)).collect();
    Ok(kernels?
        .into_iter()
        .filter(|kernel| !kernel.accesses.is_empty())
        .collect())
}

/// The global-memory instructions of one kernel.
///
/// # Errors
/// If the trace cannot be read.
pub fn kernel(reader: Reader<'_>) -> Result<Kernel, TraceError> {
    let accesses = GlobalAccesses::new(reader);
    let resident_blocks = accesses.resident_blocks();
    Ok(Kernel {
        resident_blocks,
        accesses: accesses.take(MOST_INSTRUCTIONS).collect::<Result<_, _>>()?,
    })
}

//! GPU traces in Accel-Sim's format: reading, summarizing, and replaying them.
//!
//! A trace is a `.traceg` file (one kernel) or a `kernelslist.g` (copies and kernels in program order).
//! [`Trace::open`] takes either; [`Reader`] streams one kernel as [`Event`]s and holds one line at a time;
//! [`Summary`] says what a trace contains; [`GlobalAccesses`] turns a kernel into the stream of
//! global-memory instructions that one SM would issue.
//!
//! Nothing that a file claims is believed: counts are checked against what follows them and never
//! allocate, and every error is one sentence that names the file and the line.
//!
//! The format: tracer versions 1 to 6, with and without line numbers, address modes 0 (list),
//! 1 (base and stride) and 2 (base and deltas); plain, in `.gz`, `.xz` or `.zst`, or as `.tracez`. A header without a
//! version is of a tracer before version 3.

mod accesses;
mod error;
mod instruction;
mod kernel;
mod lines;
mod list;
mod opcode;
mod reader;
mod source;
mod summary;
mod tracez;

pub use accesses::{GlobalAccess, GlobalAccesses, NO_REGISTER, SM_BLOCKS, SM_WARPS};
pub use error::{Fault, TraceError};
pub use instruction::{Access, Instruction, LANES, Registers};
pub use kernel::Kernel;
pub use lines::no_text;
pub use list::{Copy, Note, Trace};
pub use opcode::{Class, Opcode, Space};
pub use reader::{Block, Event, Reader, Warp};
pub use summary::{Counts, GlobalCounts, KernelSummary, LINE_BYTES, Summary};

/// The project's own saxpy kernel: 8 thread blocks of 4 warps, a grid-stride loop with a partial
/// last pass. Written by `cargo run -p faultline-sim --example write_traces`.
pub const SAXPY: &str = include_str!("../traces/kernel-1-saxpy.traceg");

/// The project's own kernels by name: one that streams, one that gathers, one that stores most.
pub const OWN_KERNELS: [(&str, &str); 3] = [
    ("saxpy", SAXPY),
    ("gather", include_str!("../traces/kernel-2-gather.traceg")),
    (
        "transpose",
        include_str!("../traces/kernel-3-transpose.traceg"),
    ),
];

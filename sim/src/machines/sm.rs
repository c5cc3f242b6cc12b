//! A streaming multiprocessor: the pipeline with what surrounds it, so that it runs programs and traces.
//!
//! [`Work`] is what runs: streams of instructions for each warp, from a program's oracle or from a trace. [`Sm`] brings
//! the blocks to the pipeline, answers its fetches, executes what it issues and lets it fault, and hands out what
//! goes over its ports in each cycle. With values, what each block leaves is compared with the run without faults, and
//! [`Outcome::differences`] says what differs: the restart theorem, which [`restart`] puts to random programs.

mod access;
mod address_space;
mod ahead;
mod alone;
mod around;
mod below;
mod blocks;
mod cache;
mod causes;
mod comparison;
mod core;
mod exceptions;
mod fault_times;
mod joined;
mod kernel;
mod landing;
mod layout;
mod lines;
mod machine;
mod memory_unit;
mod outcome;
mod pages;
mod parameters;
mod preempting;
mod preemption;
mod reaction;
mod resident;
mod rest;
pub mod restart;
mod saver;
mod scheduler;
mod statistics;
mod switch;
mod tags;
pub mod timeline;
mod units;
mod values;
mod work;

pub use address_space::AddressSpace;
pub(in crate::machines) use below::{Below, CONTEXT, Request, Use};
pub use causes::{Cause, Cycles};
pub(in crate::machines) use comparison::Comparison;
pub use fault_times::FaultTimes;
pub use machine::Sm;
pub(in crate::machines) use outcome::BEAT;
pub use outcome::{Contexts, Difference, Lookups, Misses, Moved, Occasions, Outcome, SmError};
pub(super) use pages::Frames;
pub use parameters::{
    Exceptions, Faults, Local, Parameters, Recovery, Response, Switching, Timing, Transfer,
};
pub use preemption::{Blocks, Choice, Drain, Preempted, Preemption, Saves};
pub use statistics::{Stall, Statistics};
pub(crate) use tags::Tags;
pub use work::{Computation, Instruction, Kind, Step, ThreadBlock, ThreadBlocks, WarpWork, Work};

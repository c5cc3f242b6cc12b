//! Preemption of an SM, as Li et al. (TCAD 2018) try it: another kernel is launched, and the blocks that run end, or are saved.
//!
//! [`Recording`] runs a kernel and keeps what its blocks write. A [`Subject`] is a kernel that is preempted, one of those or a
//! row of [`TABLE_1`]. [`preempt`] queries the reference of `preemption_policy` for what to do, and saves contexts by
//! the references of `checkpoint` and `dirty_bits` with a memory that takes the SM's share of the bandwidth.
//!
//! The blocks of an SM run in step. A block's writes are reported to the dirty bits when the block is about to be saved, and not
//! while another one is: so no write meets a walk, which would hold either up by three cycles.

mod choice;
mod measure;
mod recording;
mod run;
mod saving;
mod stream;
mod subject;

pub use choice::{Answer, Chooser, Query};
pub use measure::{Increment, Measure, changed, measure};
pub use recording::{Allocation, Recording, Shape};
pub use run::{Contexts, Outcome, Policy, Setup, preempt};
pub use saving::{Request, Saved, Stuck, save};
pub use stream::{Dirty, Executed, Stream, sectors};
pub use subject::{BEAT, Entry, MHZ, SECTORS, SM_ROWS, SM_SHARED, Subject, TABLE_1};

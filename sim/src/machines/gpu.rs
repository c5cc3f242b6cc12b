//! A whole GPU with demand paging: SMs that run a kernel, a GMMU, a banked L2 cache, DRAM, page tables in memory, and a driver
//! that brings absent pages over a link.
//!
//! Every SM is an [`Sm`](super::sm::Sm) that is connected to the shared parts by a `Port`: links of fixed latency whose
//! order never depends on the order in which SMs are looked at. So [`Gpu`] lets SMs and shared parts run side by side for as
//! many cycles as the fastest link takes, on as many threads as there are, with the same result on any number of them. It
//! compares each translation that an SM receives with the page tables, and [`Outcome::differences`] compares what is left at
//! the end with the run of the oracle.
//!
//! A second kernel may be launched while the first one runs ([`Launch`]). It has its own address space, and preempts every SM.

mod allocations;
mod config;
mod history;
mod kernel;
mod machine;
mod multiprocessor;
mod outcome;
mod pager;
mod parameters;
mod port;
mod prefetch;
mod residents;
pub mod restart;
mod shared_memory;
mod tables;
mod uncore;
mod values;

pub use config::{
    Config, ConfigError, Eviction, Granularity, Handling, Prefetch, Replay, SwitchingMode,
    TooShort, Unit, WalkCache,
};
pub use history::{Activity, Arrival, History, Spans};
pub use kernel::Launch;
pub use machine::{Failure, Freed, Gpu};
pub use outcome::{Launched, Outcome, Translations};
pub use pager::Brought;
pub use parameters::{Caches, Link, Paging, Parameters};
pub use shared_memory::Traffic;
pub use values::{PolicyName, SchemeName, Share};

//! Address translation as a whole: SMs with their L1 TLBs, one GMMU or one for each SM, a memory that holds page tables,
//! and a driver that brings pages; with the designs of Power et al. (HPCA 2014) and what is measured of them.
//!
//! [`Work`] is what the SMs access, from a [`Pattern`] or from a trace. [`run`] puts it through the machine that
//! [`Parameters`] describe, [`ideal`] through one that translates at once.

mod busy;
mod design;
mod histogram;
mod machine;
mod memory;
mod outcome;
mod pager;
mod pattern;
mod probe;
mod sm;
mod trace;
mod work;

pub use busy::memory_requests;
pub use design::{Design, IDEAL_CACHE, Parameters};
pub use histogram::Histogram;
pub use machine::{Failure, ideal, run};
pub use outcome::{LEVELS, Outcome};
pub use pattern::Pattern;
pub use work::{Access, Phase, SmWork, Work};

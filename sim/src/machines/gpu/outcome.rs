//! What a run leaves behind, and what it has measured.

use super::super::sm::{self, Difference, Statistics};
use super::history::History;
use super::pager::Brought;
use super::shared_memory::Traffic;

/// What the GMMU has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Translations {
    /// Translations that SMs have received, and those of them that came from the L2 TLB.
    pub fills: u64,
    /// Translations that the L2 TLB had.
    pub from_tlb: u64,
    /// Entries of tables that walks have read from the L2 cache.
    pub reads: u64,
    /// Far faults that were not held.
    pub nacks: u64,
    /// Far faults that were held at once, at most.
    pub held: u16,
}

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Cycles until every thread block had ended.
    pub cycles: u64,
    /// Warp instructions that have committed.
    pub instructions: u64,
    /// All SMs' together: what they were compared in, and faults that squash.
    pub sms: sm::Outcome,
    /// What the GMMU has done.
    pub translations: Translations,
    /// What the L2 cache and DRAM have done.
    pub traffic: Traffic,
    /// What came over the link.
    pub brought: Brought,
    /// What happened when.
    pub history: History,
    /// What happened on the pipelines' ports, SM by SM, if it was counted.
    pub statistics: Vec<Statistics>,
}

impl Outcome {
    /// The first differences from the run without faults that were found, in order; none if it ended as it should.
    #[must_use]
    pub fn differences(&self) -> &[Difference] {
        self.sms.differences()
    }
}

/// Joins what the SMs have left: each block was on one of them.
pub fn joined(mut outcomes: impl Iterator<Item = sm::Outcome>) -> Option<sm::Outcome> {
    let mut all = outcomes.next()?;
    for other in outcomes {
        all.cycles = all.cycles.max(other.cycles);
        all.occasions += other.occasions;
        all.switches += other.switches;
        all.contexts += other.contexts;
        all.restored += other.restored;
        all.bases += other.bases;
        all.refused += other.refused;
        all.misses.lines += other.misses.lines;
        all.misses.waited += other.misses.waited;
        all.instructions += other.instructions;
        all.comparison.join(other.comparison);
    }
    Some(all)
}

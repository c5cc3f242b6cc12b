//! What a run leaves behind, and what it has measured.

use super::super::sm::{self, Comparison, Cycles, Difference, Preempted, Statistics};
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
    /// Cycles from the arrival of an SM's request at the GMMU until its translation, over all [`fills`](Self::fills) that are its
    /// answers.
    pub latency: u64,
    /// These fills.
    pub answers: u64,
    /// Far faults that were not held.
    pub nacks: u64,
    /// Far faults that were held at once, at most.
    pub held: u16,
}

/// How a second kernel was launched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launched {
    /// When.
    pub at: u64,
    /// Cycles from the launch of the first kernel to the end of its last thread block.
    pub first_cycles: u64,
    /// The same of the second kernel.
    pub cycles: u64,
    /// How each SM was preempted.
    pub sms: Vec<Preempted>,
    /// What the second kernel was compared in.
    pub(super) comparison: Comparison,
}

impl Launched {
    /// The record of a launch in a cycle, before anything was found.
    pub(super) fn new(at: u64) -> Self {
        let sms = Vec::new();
        Self {
            at,
            sms,
            ..Self::default()
        }
    }

    /// Adds how an SM was preempted, its comparison, and when the last block of each kernel had ended there.
    pub(super) fn add(&mut self, (sm, comparison, ends): (Preempted, Comparison, [u64; 2])) {
        let [first, second] = ends;
        self.first_cycles = self.first_cycles.max(first);
        self.cycles = self.cycles.max(second.saturating_sub(self.at));
        self.comparison.join(comparison);
        self.sms.push(sm);
    }

    /// Cycles from the launch until the last SM was free for the second kernel.
    #[must_use]
    pub fn latency(&self) -> u64 {
        let last = self.sms.iter().map(|sm| sm.free).max();
        last.unwrap_or_default().saturating_sub(self.at)
    }
}

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Cycles until every thread block had ended, and until what was written to pinned memory had left.
    pub cycles: u64,
    /// The second kernel, if there was one.
    pub launched: Option<Launched>,
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
    /// What the cycles of each SM went to, if that was counted.
    pub cycles_by_cause: Vec<Cycles>,
}

impl Outcome {
    /// The first differences from the run without faults that were found, in order, or else those of the second kernel; none if both
    /// ended as they should.
    #[must_use]
    pub fn differences(&self) -> &[Difference] {
        match (self.sms.differences(), &self.launched) {
            ([], Some(launched)) => launched.comparison.differences(),
            (first, _) => first,
        }
    }
}

/// Joins what the SMs have left: each block was on one of them.
pub fn joined(mut outcomes: impl Iterator<Item = sm::Outcome>) -> Option<sm::Outcome> {
    let mut all = outcomes.next()?;
    for other in outcomes {
        all.cycles = all.cycles.max(other.cycles);
        all.occasions += other.occasions;
        all.fault_times += other.fault_times;
        all.replay_times += other.replay_times;
        all.switches += other.switches;
        all.contexts += other.contexts;
        all.restored += other.restored;
        all.bases += other.bases;
        all.refused += other.refused;
        all.misses.lines += other.misses.lines;
        all.misses.waited += other.misses.waited;
        all.lookups.add(&other.lookups);
        all.instructions += other.instructions;
        all.comparison.join(other.comparison);
    }
    Some(all)
}

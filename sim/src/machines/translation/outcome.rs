//! What is measured.

use super::Histogram;
use crate::numbers::{percent, ratio};

/// Levels of tables, the last one first.
pub const LEVELS: usize = 4;

/// What a run has shown.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Cycles until all SMs that count have ended.
    pub cycles: u64,
    /// Cycles of each SM that counts until it has ended.
    pub of_sms: Vec<u64>,
    /// Accesses of the SMs that count.
    pub accesses: u64,
    /// Accesses of all SMs that had to wait for their page.
    pub missed: u64,
    /// Walks that have begun.
    pub walks: u64,
    /// Walks that were under way: their sum over the cycles and the walkers.
    pub walking: u64,
    /// The most of them in one walker.
    pub walking_most: u64,
    /// Walkers.
    pub walkers: usize,
    /// Cycles from the miss in an L1 TLB until the SM received a translation that a walk has found; of the SMs that count.
    pub latency: Histogram,
    /// The part of it before the walk began.
    pub queueing: Histogram,
    /// The rest.
    pub service: Histogram,
    /// Pages for which the L1 TLBs of a walker's SMs wait as it begins a walk: of one SM where each has its own.
    pub in_flight: Histogram,
    /// Cycles from a page that an SM misses to its next one, of the SMs that count.
    pub intervals: Histogram,
    /// Entries that walks have read of each level.
    pub reads: [u64; LEVELS],
    /// Those that were read from memory.
    pub memory_reads: [u64; LEVELS],
    /// Requests that the L2 TLB has answered.
    pub l2_hits: u64,
    /// Far faults that were turned away.
    pub nacks: u64,
    /// Pages that were reported to the driver.
    pub far_faults: u64,
    /// Cycles from the miss of an absent page until its SM received the translation.
    pub fault_service: Histogram,
    /// Far faults that the GMMU has held, at most.
    pub held: u16,
}

impl Outcome {
    /// Entries of a level that the page-walk cache has answered.
    #[must_use]
    pub const fn cache_hits(&self, level: usize) -> u64 {
        self.reads[level].saturating_sub(self.memory_reads[level])
    }

    /// Walks that were under way in a walker, in the mean of the cycles.
    #[must_use]
    pub fn walking_mean(&self) -> f64 {
        ratio(self.walking, self.cycles * self.walkers as u64)
    }

    /// Performance, that of another run as 100.
    #[must_use]
    pub fn percent_of(&self, other: &Self) -> f64 {
        percent(other.cycles, self.cycles)
    }

    /// The cycles of the slowest SM, the mean as 1.
    #[must_use]
    pub fn unfairness(&self) -> f64 {
        let sum: u64 = self.of_sms.iter().sum();
        let slowest = self.of_sms.iter().max().copied().unwrap_or(0);
        slowest as f64 * self.of_sms.len() as f64 / sum.max(1) as f64
    }

    /// Accesses in 1,000 cycles of an SM.
    #[must_use]
    pub fn accesses_per_1000(&self) -> f64 {
        let cycles = self.cycles * self.of_sms.len() as u64;
        1000.0 * self.accesses as f64 / cycles.max(1) as f64
    }
}

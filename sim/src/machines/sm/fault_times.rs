//! Cycles from each fault to the restart of what it stopped.

use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Cycles from when an SM knows of a fault to the restart: the warp's first issue afterwards if the fault has squashed it, and the
/// access's last TLB check if the access stalls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultTimes {
    /// Faults that were known.
    pub faults: u64,
    /// How many took so many cycles.
    times: BTreeMap<u64, u64>,
}

impl FaultTimes {
    /// Adds a fault whose instruction has restarted.
    pub(super) fn add(&mut self, cycles: u64) {
        *self.times.entry(cycles).or_default() += 1;
    }

    /// Faults whose instruction has restarted.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        self.times.values().sum()
    }

    /// The fewest cycles in which this share of the faults had restarted, 0 without faults.
    #[must_use]
    pub fn percentile(&self, percent: u64) -> u64 {
        let needed = (self.restarts() * percent.min(100)).div_ceil(100);
        let mut sum = 0;
        let reached = self.times.iter().find(|(_, count)| {
            sum += *count;
            sum >= needed
        });
        reached.map_or(0, |(&cycles, _)| cycles)
    }

    /// The cycles of the fault that took longest, 0 without faults.
    #[must_use]
    pub fn longest(&self) -> u64 {
        self.times.last_key_value().map_or(0, |(&cycles, _)| cycles)
    }

    /// The faults by powers of two: each lower bound, and how many took at least so many cycles and less than twice as many. Those
    /// of less than two cycles are at 1. What nothing reaches, below and above, is left out.
    #[must_use]
    pub fn histogram(&self) -> Vec<(u64, u64)> {
        let power = |cycles: u64| cycles.max(1).ilog2();
        let ends = self.times.keys().next().zip(self.times.keys().next_back());
        let Some((&first, &last)) = ends else {
            return Vec::new();
        };
        let mut bars: Vec<_> = (power(first)..=power(last))
            .map(|bit| (1 << bit, 0))
            .collect();
        for (&cycles, count) in &self.times {
            bars[(power(cycles) - power(first)) as usize].1 += count;
        }
        bars
    }
}

impl AddAssign for FaultTimes {
    fn add_assign(&mut self, other: Self) {
        self.faults += other.faults;
        for (cycles, count) in other.times {
            *self.times.entry(cycles).or_default() += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_counted_by_powers_of_two_and_ranked() {
        let mut times = FaultTimes::default();
        assert_eq!((times.percentile(50), times.longest()), (0, 0));
        assert!(times.histogram().is_empty());
        [3, 4, 7, 8, 31]
            .into_iter()
            .for_each(|cycles| times.add(cycles));
        assert_eq!(times.histogram(), [(2, 1), (4, 2), (8, 1), (16, 1)]);
        assert_eq!(
            [50, 90, 100].map(|percent| times.percentile(percent)),
            [7, 31, 31]
        );
        let mut others = FaultTimes::default();
        [0, 1, 7].into_iter().for_each(|cycles| others.add(cycles));
        times += others;
        assert_eq!(times.histogram(), [(1, 2), (2, 1), (4, 3), (8, 1), (16, 1)]);
        assert_eq!((times.restarts(), times.longest()), (8, 31));
    }
}

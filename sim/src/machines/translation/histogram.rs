//! Latencies, counted.

use std::collections::BTreeMap;

use crate::numbers::{percent, ratio};

/// Parts of an octave, as a power of two: a value is known to an eighth of it.
const PART_BITS: u32 = 3;

/// How often a value was met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    count: u64,
    sum: u64,
    most: u64,
    /// Counts by the least of the values that are counted together.
    counts: BTreeMap<u64, u64>,
}

impl Histogram {
    /// Counts a value.
    pub fn add(&mut self, value: u64) {
        self.count += 1;
        self.sum += value;
        self.most = self.most.max(value);
        *self.counts.entry(least(value)).or_insert(0) += 1;
    }

    /// Counts what another one has counted.
    pub fn add_all(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.most = self.most.max(other.most);
        for (value, count) in &other.counts {
            *self.counts.entry(*value).or_insert(0) += count;
        }
    }

    /// How many values there were.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Their sum.
    #[must_use]
    pub const fn sum(&self) -> u64 {
        self.sum
    }

    /// The largest.
    #[must_use]
    pub const fn most(&self) -> u64 {
        self.most
    }

    /// Their mean, or 0.
    #[must_use]
    pub fn mean(&self) -> f64 {
        ratio(self.sum, self.count)
    }

    /// A value that so many percent do not exceed, and larger than the least such by an eighth at most.
    #[must_use]
    pub fn percentile(&self, percent: u64) -> u64 {
        let wanted = (self.count * percent).div_ceil(100);
        let mut below = 0;
        for (value, count) in &self.counts {
            below += count;
            if below >= wanted {
                return most(*value).min(self.most);
            }
        }
        0
    }

    /// The percentage of values that are at most this one, to an eighth of it.
    #[must_use]
    pub fn percent_within(&self, value: u64) -> f64 {
        let within: u64 = self.counts.range(..=value).map(|(_, count)| count).sum();
        percent(within, self.count)
    }

    /// Counts by octave: the least value of each, and how many there were.
    #[must_use]
    pub fn octaves(&self) -> Vec<(u64, u64)> {
        let mut octaves = BTreeMap::new();
        for (value, count) in &self.counts {
            let octave = value.checked_ilog2().map_or(0, |bits| 1 << bits);
            *octaves.entry(octave).or_insert(0) += count;
        }
        octaves.into_iter().collect()
    }
}

/// The least value that is counted with this one.
const fn least(value: u64) -> u64 {
    match value.checked_ilog2() {
        Some(bits) if bits > PART_BITS => value >> (bits - PART_BITS) << (bits - PART_BITS),
        _ => value,
    }
}

/// The largest value that is counted with this one, the least.
const fn most(value: u64) -> u64 {
    match value.checked_ilog2() {
        Some(bits) if bits > PART_BITS => value + (1 << (bits - PART_BITS)) - 1,
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::Histogram;

    #[test]
    fn values_are_known_to_an_eighth() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|value| histogram.add(value));
        assert_eq!((histogram.count(), histogram.most()), (1000, 1000));
        assert!((histogram.mean() - 500.5).abs() < 1e-9);
        for percent in [1, 50, 99, 100] {
            let (exact, known) = (percent * 10, histogram.percentile(percent));
            assert!(
                known >= exact && known * 8 <= exact * 9,
                "{percent} {known}"
            );
        }
        let octaves = histogram.octaves();
        assert_eq!(octaves[..3], [(1, 1), (2, 2), (4, 4)]);
        assert_eq!(octaves.last(), Some(&(512, 489)));
        assert_eq!(Histogram::default().percentile(99), 0);
        let (mut first, mut second) = (Histogram::default(), Histogram::default());
        (1..=300).for_each(|value| first.add(value));
        (301..=1000).for_each(|value| second.add(value));
        second.add_all(&first);
        assert_eq!(second, histogram);
    }
}

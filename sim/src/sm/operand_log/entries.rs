//! A set of entries of the log.

use std::ops::{BitAnd, BitOr, Not};

/// A set of entries, a bit each: entries 0 to 127 in the first number, 128 to 255 in the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries([u128; 2]);

/// Entries of one of the numbers.
const HALF: usize = 128;

impl Entries {
    /// One entry.
    pub const fn one(entry: u8) -> Self {
        match entry {
            0..128 => Self([1 << entry, 0]),
            128.. => Self([0, 1 << (entry - 128)]),
        }
    }

    /// So many entries from a first one on; those from 256 on are not there.
    pub fn range(first: usize, count: usize) -> Self {
        let below = |end: usize| match end {
            0 => 0,
            1..HALF => u128::MAX >> (HALF - end),
            _ => u128::MAX,
        };
        let upto = |end: usize| [below(end), below(end.saturating_sub(HALF))];
        Self(upto(first + count)) & !Self(upto(first))
    }

    /// Whether an entry is in the set.
    pub fn has(self, entry: u8) -> bool {
        self & Self::one(entry) != Self::default()
    }

    /// The lowest entry.
    pub const fn lowest(self) -> Option<u8> {
        match self.0 {
            [0, 0] => None,
            [0, high] => Some(high.trailing_zeros() as u8 + 128),
            [low, _] => Some(low.trailing_zeros() as u8),
        }
    }

    /// The highest entry.
    pub const fn highest(self) -> Option<u8> {
        match self.0 {
            [0, 0] => None,
            [low, 0] => Some(low.ilog2() as u8),
            [_, high] => Some(high.ilog2() as u8 + 128),
        }
    }

    /// The entries below 128, a bit each.
    pub const fn below_128(self) -> u128 {
        self.0[0]
    }
}

impl BitAnd for Entries {
    type Output = Self;

    fn bitand(self, Self([low, high]): Self) -> Self {
        Self([self.0[0] & low, self.0[1] & high])
    }
}

impl BitOr for Entries {
    type Output = Self;

    fn bitor(self, Self([low, high]): Self) -> Self {
        Self([self.0[0] | low, self.0[1] | high])
    }
}

impl Not for Entries {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0.map(|half| !half))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beside a list of the same entries, with ranges that lie on both sides of the middle.
    #[test]
    fn a_range_has_its_entries_and_no_others() {
        for (first, count) in [
            (0, 0),
            (0, 1),
            (5, 100),
            (100, 60),
            (128, 128),
            (0, 255),
            (255, 1),
        ] {
            let set = Entries::range(first, count);
            let listed: Vec<u8> = (first..first + count).map(|entry| entry as u8).collect();
            let found: Vec<u8> = (0..=u8::MAX).filter(|&entry| set.has(entry)).collect();
            assert_eq!(found, listed, "{first}, {count}");
            assert_eq!(set.lowest(), listed.first().copied());
            assert_eq!(set.highest(), listed.last().copied());
        }
    }

    #[test]
    fn what_is_taken_away_is_gone() {
        let set = Entries::range(120, 16);
        let rest = set & !(Entries::one(127) | Entries::one(128));
        assert!(!rest.has(127) && !rest.has(128) && rest.has(126) && rest.has(129));
        assert_eq!(rest.below_128(), 0x7f << 120);
    }
}

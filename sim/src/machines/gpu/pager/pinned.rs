//! Parts that are pinned to the CPU's memory. They are translated and never move: each access of a line takes the link
//! (Zheng et al., HPCA 2016, section 1: memory that is accessed directly over PCIe).

use std::collections::HashSet;

use super::super::parameters::LINE;
use super::Accessed;
use crate::page::Page;

/// What an SM does with a line of pinned memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The line comes.
    pub reads: bool,
    /// The line goes.
    pub writes: bool,
}

/// What went over the link for pinned memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Parts that are pinned.
    pub parts: u64,
    /// Lines that came, those of atomics included.
    pub read: u64,
    /// Lines that went, those of atomics included.
    pub written: u64,
    /// Cycles that lines waited for the link, on both ways together.
    pub waited: u64,
}

impl Lines {
    /// Bytes of the lines that came.
    #[must_use]
    pub const fn bytes_read(&self) -> u64 {
        self.read * LINE
    }

    /// Bytes of the lines that went.
    #[must_use]
    pub const fn bytes_written(&self) -> u64 {
        self.written * LINE
    }
}

/// The pinned parts.
#[derive(Clone, Debug)]
pub struct Pinned(HashSet<Page>);

impl Pinned {
    /// So many percent of the parts that are accessed, spread evenly over the parts of all spaces in their order.
    pub fn new(percent: u64, bits: u32, accessed: &[Accessed]) -> Self {
        let of_space = |(asid, one): (u8, &Accessed)| {
            let mut vpns: Vec<u64> = one.pages.iter().map(|page| page >> bits).collect();
            vpns.dedup();
            let parts = vpns.into_iter().map(move |vpn| Page { vpn, asid });
            parts.collect::<Vec<_>>()
        };
        let parts = (0..).zip(accessed).flat_map(of_space);
        let is_pinned = |place: u64| (place + 1) * percent / 100 > place * percent / 100;
        let pinned = (0..).zip(parts).filter(|(place, _)| is_pinned(*place));
        Self(pinned.map(|(_, part)| part).collect())
    }

    /// Whether a part is pinned.
    pub fn has(&self, part: Page) -> bool {
        self.0.contains(&part)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::sm::AddressSpace;
    use super::*;

    #[test]
    fn a_share_of_the_parts_is_spread_over_all_spaces() {
        let accessed = |pages: std::ops::Range<u64>| Accessed {
            space: AddressSpace::Any,
            pages: pages.collect(),
            most: 1,
        };
        // Parts 0 to 2 of the first space, and 1 to 5 of the second.
        let all = [accessed(0..48), accessed(16..96)];
        let pinned = |percent| {
            let pinned = Pinned::new(percent, 4, &all);
            let mut parts: Vec<_> = pinned.0.iter().map(|part| (part.asid, part.vpn)).collect();
            parts.sort_unstable();
            parts
        };
        assert_eq!(pinned(0), []);
        assert_eq!(pinned(25), [(1, 1), (1, 5)]);
        assert_eq!(pinned(50), [(0, 1), (1, 1), (1, 3), (1, 5)]);
        assert_eq!(pinned(100).len(), 8);
        let half = Pinned::new(50, 4, &all);
        let page = |vpn| Page { vpn, asid: 0 };
        assert!(half.has(page(1)) && !half.has(page(2)));
    }
}

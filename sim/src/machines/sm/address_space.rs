//! Which pages a workload may access.

use std::ops::Range;

use super::pages::Pages;
use crate::simt::kernels::Region;

/// The pages that belong to a workload. An access of any other page is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// All pages: a trace comes from a run in which every access was valid.
    Any,
    /// All pages but the first one: the buffers of a program are not known.
    ButNull,
    /// The pages of a kernel's buffers.
    Buffers(Vec<Range<u64>>),
}

impl AddressSpace {
    /// The pages on which the regions of a kernel lie.
    #[must_use]
    pub fn of_regions(regions: &[Region]) -> Self {
        let range = |region: &Region| region.address..region.address + region.bytes.max(1);
        Self::of_ranges(&regions.iter().map(range).collect::<Vec<_>>())
    }

    /// The pages on which ranges of addresses lie, none of which is empty.
    #[must_use]
    pub fn of_ranges(ranges: &[Range<u64>]) -> Self {
        let pages = |range: &Range<u64>| Pages::page(range.start)..Pages::page(range.end - 1) + 1;
        Self::Buffers(ranges.iter().map(pages).collect())
    }

    /// Whether a page belongs to the workload.
    #[must_use]
    pub fn holds(&self, page: u64) -> bool {
        match self {
            Self::Any => true,
            Self::ButNull => page != 0,
            Self::Buffers(buffers) => buffers.iter().any(|buffer| buffer.contains(&page)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_buffers_are_valid_and_those_beside_them_are_not() {
        let region = |address, bytes| Region {
            name: "buffer",
            address,
            bytes,
            is_input: true,
            is_output: false,
        };
        let space = AddressSpace::of_regions(&[region(0x1_0000, 0x1001), region(0x3_0000, 4)]);
        let held: Vec<u64> = (0..0x40).filter(|&page| space.holds(page)).collect();
        assert_eq!(held, [0x10, 0x11, 0x30]);
    }

    #[test]
    fn the_null_page_is_a_traces_alone() {
        assert!(AddressSpace::Any.holds(0));
        assert!(!AddressSpace::ButNull.holds(0) && AddressSpace::ButNull.holds(1));
    }
}

//! The allocations of address spaces, in parts of memory, and the binary tree over the 2 MB of a part.

use std::ops::Range;

use super::super::sm::AddressSpace;
use super::parameters::{REGION_BITS, TABLE_BITS};
use crate::page::Page;

/// The allocations of each address space.
#[derive(Clone, Debug)]
pub struct Allocations {
    /// Bits of the number of a page inside a part.
    bits: u32,
    spaces: Vec<Vec<Range<u64>>>,
}

impl Allocations {
    /// The allocations of spaces whose kernels access these pages, in rising order. A kernel has its buffers. Where they are not
    /// known, parts side by side that it accesses are one allocation.
    pub fn new<'run>(
        bits: u32,
        spaces: impl Iterator<Item = (&'run AddressSpace, &'run [u64])>,
    ) -> Self {
        let of = |(space, pages): (&AddressSpace, &[u64])| match space {
            AddressSpace::Buffers(buffers) => {
                let parts = |pages: &Range<u64>| pages.start >> bits..((pages.end - 1) >> bits) + 1;
                buffers
                    .iter()
                    .filter(|pages| !pages.is_empty())
                    .map(parts)
                    .collect()
            }
            AddressSpace::Any | AddressSpace::ButNull => {
                let mut found: Vec<Range<u64>> = Vec::new();
                for part in pages.iter().map(|page| page >> bits) {
                    match found.last_mut() {
                        Some(last) if part < last.end => {}
                        Some(last) if part == last.end => last.end += 1,
                        _ => found.push(part..part + 1),
                    }
                }
                found
            }
        };
        Self {
            bits,
            spaces: spaces.map(of).collect(),
        }
    }

    /// The allocation that has a part, the first one of several; empty if none has.
    pub fn of(&self, part: Page) -> Range<u64> {
        let space = self.spaces.get(usize::from(part.asid));
        let mut all = space.into_iter().flatten();
        let found = all.find(|allocation| allocation.contains(&part.vpn));
        found.cloned().unwrap_or_default()
    }

    /// The parts of the 64 KB that have a part; of those that are larger the part alone.
    pub fn region(&self, part: u64) -> Range<u64> {
        aligned(part, REGION_BITS.saturating_sub(self.bits))
    }

    /// The nodes of the tree over the 2 MB of a part of an allocation, from the parent of its 64 KB up, so far as the allocation
    /// reaches.
    pub fn nodes(&self, part: Page) -> impl Iterator<Item = Range<u64>> {
        let (bits, allocation) = (self.bits, self.of(part));
        (REGION_BITS + 1..=TABLE_BITS)
            .filter(move |height| *height > bits)
            .map(move |height| {
                let node = aligned(part.vpn, height - bits);
                node.start.max(allocation.start)..node.end.min(allocation.end)
            })
    }
}

/// The numbers that are equal above so many bits.
const fn aligned(number: u64, bits: u32) -> Range<u64> {
    let first = number >> bits << bits;
    first..first + (1 << bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(vpn: u64) -> Page {
        Page { vpn, asid: 0 }
    }

    #[test]
    fn buffers_are_allocations_and_so_are_parts_side_by_side_where_none_is_known() {
        let known = AddressSpace::Buffers(vec![1..0x21, 0x40..0x50]);
        let spaces = [
            (&known, &[][..]),
            (&AddressSpace::ButNull, &[3, 17, 19, 65]),
        ];
        let all = Allocations::new(4, spaces.into_iter());
        assert_eq!(all.of(part(2)), 0..3);
        assert_eq!(all.of(part(4)), 4..5);
        assert_eq!(all.of(part(3)), 0..0);
        let of_second = |vpn| all.of(Page { vpn, asid: 1 });
        assert_eq!([0, 1, 4].map(of_second), [0..2, 0..2, 4..5]);
        assert_eq!(of_second(3), 0..0);
    }

    #[test]
    fn nodes_double_from_128_kb_to_2_mb_and_end_with_the_allocation() {
        let space = AddressSpace::Buffers(std::iter::once(0x10..0x800).collect());
        let tree = |bits| Allocations::new(bits, [(&space, &[][..])].into_iter());
        let nodes: Vec<_> = tree(4).nodes(part(3)).collect();
        assert_eq!(nodes, [2..4, 1..4, 1..8, 1..16, 1..32]);
        assert_eq!(tree(4).region(3), 3..4);
        assert_eq!(tree(0).nodes(part(0x30)).next(), Some(0x20..0x40));
        assert_eq!(tree(0).region(0x35), 0x30..0x40);
        assert_eq!(tree(9).nodes(part(1)).count(), 0);
        assert_eq!(tree(9).region(1), 1..2);
    }
}

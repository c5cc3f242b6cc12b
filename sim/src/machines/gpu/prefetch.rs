//! What the driver brings besides the part of memory that was missed.

use fastrand::Rng;

use super::Prefetch;
use super::allocations::Allocations;
use crate::page::Page;

/// A prefetcher, which is asked about each part that the CPU's handler brings.
#[derive(Clone, Debug)]
pub struct Prefetcher {
    kind: Prefetch,
    /// Parts that follow one at most, where nothing else says how many.
    parts: u64,
    random: Rng,
}

impl Prefetcher {
    pub fn new(kind: Prefetch, parts: u64, seed: u64) -> Self {
        let random = Rng::with_seed(seed);
        Self {
            kind,
            parts,
            random,
        }
    }

    /// Whether it ever brings something.
    pub fn is_there(&self) -> bool {
        self.kind != Prefetch::None
    }

    /// What comes after a part that was missed, in this order. Only what is absent comes: neither there nor under way.
    pub fn after(
        &mut self,
        part: Page,
        allocations: &Allocations,
        is_absent: impl Fn(Page) -> bool,
    ) -> Vec<Page> {
        let asid = part.asid;
        let allocation = allocations.of(part);
        let absent = |vpn: &u64| is_absent(Page { vpn: *vpn, asid });
        let chosen = match self.kind {
            Prefetch::None | Prefetch::Oracle => Vec::new(),
            Prefetch::Sequential => {
                let last = allocation.end.min(part.vpn + 1 + self.parts);
                (part.vpn + 1..last).filter(absent).collect()
            }
            Prefetch::Random => {
                let mut left: Vec<u64> = allocation.filter(absent).collect();
                let count = left.len().min(self.parts as usize);
                let next = |_| left.swap_remove(self.random.usize(0..left.len()));
                (0..count).map(next).collect()
            }
            Prefetch::Locality => {
                let region = allocations.region(part.vpn);
                let inside = region.start.max(allocation.start)..region.end.min(allocation.end);
                inside.filter(absent).collect()
            }
            Prefetch::Tree => {
                let region = allocations.region(part.vpn);
                let inside = region.start.max(allocation.start)..region.end.min(allocation.end);
                let mut chosen: Vec<u64> = inside.filter(absent).collect();
                for node in allocations.nodes(part) {
                    let size = node.end.saturating_sub(node.start);
                    let is_left = |vpn: &u64| absent(vpn) && !chosen.contains(vpn);
                    let left: Vec<u64> = node.filter(is_left).collect();
                    // More than half of it is there, or comes.
                    if 2 * (left.len() as u64) < size {
                        chosen.extend(left);
                    }
                }
                chosen
            }
        };
        let of_space = |vpn| Page { vpn, asid };
        chosen.into_iter().map(of_space).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sm::AddressSpace;
    use super::*;

    /// What comes after a part of an allocation of these pages, of which these parts are there.
    fn after(kind: Prefetch, bits: u32, pages: u64, there: &[u64], missed: u64) -> Vec<u64> {
        let space = AddressSpace::Buffers(std::iter::once(0..pages).collect());
        let allocations = Allocations::new(bits, [(&space, &[][..])].into_iter());
        let part = Page {
            vpn: missed,
            asid: 0,
        };
        let is_absent = |part: Page| part.vpn != missed && !there.contains(&part.vpn);
        let mut prefetcher = Prefetcher::new(kind, 3, 1);
        let all = prefetcher.after(part, &allocations, is_absent);
        all.into_iter().map(|part| part.vpn).collect()
    }

    #[test]
    fn each_prefetcher_brings_what_it_is_named_after() {
        assert_eq!(after(Prefetch::None, 0, 64, &[], 5), [0; 0]);
        assert_eq!(after(Prefetch::Oracle, 0, 64, &[], 5), [0; 0]);
        assert_eq!(after(Prefetch::Sequential, 0, 64, &[7], 5), [6, 8]);
        assert_eq!(after(Prefetch::Sequential, 0, 64, &[], 62), [63]);
        let locality: Vec<u64> = (0..16).filter(|vpn| ![3, 5].contains(vpn)).collect();
        assert_eq!(after(Prefetch::Locality, 0, 64, &[3], 5), locality);
        assert_eq!(after(Prefetch::Locality, 0, 6, &[], 5), [0, 1, 2, 3, 4]);
        assert_eq!(after(Prefetch::Locality, 4, 64, &[], 1), [0; 0]);
        let random = after(Prefetch::Random, 0, 64, &[1, 2], 5);
        assert_eq!(random.len(), 3);
        assert!(
            random
                .iter()
                .all(|vpn| *vpn < 64 && ![1, 2, 5].contains(vpn))
        );
        assert!(random[0] != random[1] && random[1] != random[2] && random[0] != random[2]);
        assert_eq!(after(Prefetch::Random, 0, 3, &[1, 2], 0), [0; 0]);
    }

    /// Parts of 64 KB: of two halves one is not more than half; with a third one their parent is filled, and so on.
    #[test]
    fn a_node_of_the_tree_is_filled_when_more_than_half_of_it_comes() {
        let tree = |there: &[u64], missed| after(Prefetch::Tree, 4, 512, there, missed);
        assert_eq!(tree(&[], 5), [0; 0]);
        assert_eq!(tree(&[4], 5), [0; 0]);
        assert_eq!(tree(&[4, 6], 5), [7]);
        assert_eq!(tree(&[4, 5], 6), [7]);
        // Nodes that are filled count for those above them.
        assert_eq!(tree(&[4, 5, 0], 6), [7, 1, 2, 3]);
        // Pages: the rest of 64 KB comes first.
        let pages = after(Prefetch::Tree, 0, 512, &[], 5);
        assert_eq!(pages.len(), 15);
        // An allocation of three regions is filled when two of them come.
        assert_eq!(after(Prefetch::Tree, 4, 48, &[0], 1), [2]);
    }
}

//! The memory that holds the page tables, which are computed where they are read.

use std::collections::{HashSet, VecDeque};

use crate::walk::{ACCESSED, DIRTY, PRESENT, USER, WRITABLE};

/// Bits of a page number that one table translates.
const TABLE_BITS: u32 = 9;
/// The first table of level 2. Those of level 1 are in the frames below, each in that with the number of the pages that it
/// maps without their low bits.
const LEVEL_2: u64 = 1 << 27;
/// The first one of level 3.
const LEVEL_3: u64 = LEVEL_2 | 1 << 20;
/// The frame of the root.
pub const ROOT: u64 = LEVEL_2 | 1 << 21;
/// The last frame.
pub const LAST_FRAME: u64 = (1 << 28) - 1;

/// A request, with the GMMU that made it.
#[derive(Clone, Copy, Debug)]
struct Request {
    due: u64,
    gmmu: usize,
    walk: u8,
    entry: u64,
}

/// A response.
#[derive(Clone, Copy, Debug)]
pub struct Response {
    pub gmmu: usize,
    pub walk: u8,
    pub data: u64,
}

/// Memory answers in the order of its requests.
#[derive(Clone, Debug)]
pub struct Memory {
    latency: u64,
    requests: VecDeque<Request>,
    far_percent: u8,
    seed: u64,
    /// Pages that the driver has brought.
    brought: HashSet<u64>,
}

impl Memory {
    pub fn new(latency: u64, far_percent: u8, seed: u64) -> Self {
        Self {
            latency,
            requests: VecDeque::new(),
            far_percent,
            seed,
            brought: HashSet::new(),
        }
    }

    /// Takes a request, and reads. Of those of one cycle each is answered a cycle after the other.
    pub fn request(&mut self, now: u64, gmmu: usize, walk: u8, word: u64) {
        let after = self.requests.back().map_or(0, |last| last.due + 1);
        let due = (now + self.latency).max(after);
        self.requests.push_back(Request {
            due,
            gmmu,
            walk,
            entry: self.entry(word),
        });
    }

    /// The response of this cycle.
    pub fn response(&mut self, now: u64) -> Option<Response> {
        let first = self.requests.front().filter(|first| first.due <= now)?;
        let response = Response {
            gmmu: first.gmmu,
            walk: first.walk,
            data: first.entry,
        };
        self.requests.pop_front();
        Some(response)
    }

    /// The page is there from now on.
    pub fn bring(&mut self, page: u64) {
        self.brought.insert(page);
    }

    /// Whether the tables say that a page is there, and in this frame.
    pub fn translates(&self, page: u64, pfn: u32) -> bool {
        self.is_present(page) && page & LAST_FRAME == u64::from(pfn)
    }

    /// Whether a page is there.
    fn is_present(&self, page: u64) -> bool {
        self.far_percent == 0
            || mix(page ^ mix(self.seed)) % 100 >= u64::from(self.far_percent)
            || self.brought.contains(&page)
    }

    /// The entry with this word number.
    fn entry(&self, word: u64) -> u64 {
        let table = word >> TABLE_BITS;
        let index = word % (1 << TABLE_BITS);
        let below = |prefix: u64| prefix << TABLE_BITS | index;
        let (pfn, present) = match table {
            ROOT => (LEVEL_3 | index, true),
            LEVEL_3.. => (LEVEL_2 | below(table - LEVEL_3), true),
            LEVEL_2.. => (below(table - LEVEL_2), true),
            _ => {
                let page = below(table);
                (page & LAST_FRAME, self.is_present(page))
            }
        };
        let bits = PRESENT | WRITABLE | USER | ACCESSED | DIRTY;
        if present { pfn << 12 | bits } else { 0 }
    }
}

/// The finaliser of SplitMix64 (Steele et al., OOPSLA 2014): every input bit reaches every output bit.
const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Memory, ROOT};

    /// The frame that a walk of a page comes to, or nothing.
    fn walked(memory: &Memory, page: u64) -> Option<u64> {
        (0..4).rev().try_fold(ROOT, |pfn, level| {
            let entry = memory.entry(pfn << 9 | page >> (9 * level) & 511);
            (entry & 1 == 1).then_some(entry >> 12)
        })
    }

    #[test]
    fn every_page_has_tables_of_its_own() {
        let mut memory = Memory::new(1, 0, 1);
        let pages = [0, 1, 511, 512, 0x7_ffff_ffff, 0xf_ffff_ffff, 0x1_2345_6789];
        for page in pages {
            assert_eq!(walked(&memory, page), Some(page % (1 << 28)), "{page:x}");
        }
        memory.far_percent = 100;
        memory.bring(512);
        assert_eq!(walked(&memory, 511), None);
        assert_eq!(walked(&memory, 512), Some(512));
    }

    #[test]
    fn responses_come_in_order_one_a_cycle() {
        let mut memory = Memory::new(5, 0, 1);
        memory.request(0, 0, 1, ROOT << 9);
        memory.request(0, 1, 2, ROOT << 9);
        let came = (0..8).filter_map(|now| Some((now, memory.response(now)?.walk)));
        assert_eq!(came.collect::<Vec<_>>(), [(5, 1), (6, 2)]);
    }
}

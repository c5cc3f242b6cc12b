//! The page tables, which lie in memory.

use std::collections::HashMap;

use crate::page::Page;
use crate::walk::{ACCESSED, DIRTY, PAGE_SIZE, PRESENT, USER, WRITABLE};

/// Bits of a page number that one table translates.
const TABLE_BITS: u32 = 9;
/// Levels of tables.
const LEVELS: u32 = 4;
/// Pages of a large one, of 2 MB.
const IN_LARGE: u64 = 1 << TABLE_BITS;
/// The last frame of memory: the tables take frames from here down, pages from 0 up.
pub const LAST_FRAME: u64 = (1 << 28) - 1;
/// The frame of the first space's first table; that of the next space is below it.
pub const ROOT: u64 = LAST_FRAME;
/// Bits of the number of a frame of pinned memory below the one that says so: such frames are those of the CPU's memory.
const HOST_BITS: u32 = 26;

/// Whether a frame is one of the CPU's memory.
pub const fn is_of_host(pfn: u64) -> bool {
    pfn >> HOST_BITS == 1
}

/// The tables of address spaces, and the frames that are taken.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Entries that are not 0, by the number of their word.
    entries: HashMap<u64, u64>,
    next_table: u64,
    next_frame: u64,
    next_host_frame: u64,
    /// Frames that were taken, and are free again: of large pages the first ones.
    free: Vec<u64>,
    /// 2 MB are one page.
    is_large: bool,
}

impl Tables {
    /// The tables of this number of spaces, all empty. They map pages of 2 MB if these are large, but for those that are
    /// [pinned](Self::pin).
    pub fn new(spaces: u8, is_large: bool) -> Self {
        Self {
            entries: HashMap::new(),
            next_table: ROOT - u64::from(spaces),
            next_frame: 0,
            next_host_frame: 1 << HOST_BITS,
            free: Vec::new(),
            is_large,
        }
    }

    /// The word with this number.
    pub fn entry(&self, word: u64) -> u64 {
        self.entries.get(&word).copied().unwrap_or_default()
    }

    /// The frame of a space's first table.
    pub const fn root(asid: u8) -> u64 {
        ROOT - asid as u64
    }

    /// Gives a page a frame that was freed, or else the next one, and says which. If pages are large, all of its 2 MB get frames.
    pub fn map(&mut self, page: Page) -> u64 {
        let (level, frames) = if self.is_large { (1, IN_LARGE) } else { (0, 1) };
        let first = self.free.pop().unwrap_or_else(|| {
            self.next_frame += frames;
            self.next_frame - frames
        });
        self.enter(page, first, level);
        first + page.vpn % frames
    }

    /// Gives a page the next frame of the CPU's memory, and says which.
    pub fn pin(&mut self, page: Page) -> u64 {
        let pfn = self.next_host_frame;
        self.next_host_frame += 1;
        self.enter(page, pfn, 0);
        pfn
    }

    /// Enters a frame for a page of a level, with the tables on the way there.
    fn enter(&mut self, Page { vpn, asid }: Page, pfn: u64, of: u32) {
        let mut table = Self::root(asid);
        for level in (of + 1..LEVELS).rev() {
            let word = word(table, vpn, level);
            table = match self.entry(word) {
                0 => {
                    let new = self.next_table;
                    self.next_table -= 1;
                    let bits = PRESENT | WRITABLE | USER | ACCESSED;
                    self.entries.insert(word, new << 12 | bits);
                    new
                }
                entry => entry >> 12,
            };
        }
        let size = if of > 0 { PAGE_SIZE } else { 0 };
        let bits = PRESENT | WRITABLE | USER | ACCESSED | DIRTY | size;
        self.entries.insert(word(table, vpn, of), pfn << 12 | bits);
    }

    /// These pages are absent from now on: those of them that were there, with their frames, which are free only when that is
    /// [said](Self::free). With large pages they are all of 2 MB.
    pub fn unmap(&mut self, pages: impl Iterator<Item = Page>) -> Vec<(Page, u64)> {
        let mapped = |page| Some((page, self.find(page)?));
        let found: Vec<_> = pages.filter_map(mapped).collect();
        for (_, (word, _)) in &found {
            self.entries.remove(word);
        }
        let frames = found.into_iter().map(|(page, (_, pfn))| (page, pfn));
        frames.collect()
    }

    /// Nobody uses a frame any more. With large pages it is one of 2 MB of which that is said of each.
    pub fn free(&mut self, pfn: u64) {
        if !self.is_large || pfn.is_multiple_of(IN_LARGE) {
            self.free.push(pfn);
        }
    }

    /// The frame of a page that is there.
    pub fn translate(&self, page: Page) -> Option<u64> {
        Some(self.find(page)?.1)
    }

    /// The word that maps a page that is there, and the frame of the page.
    fn find(&self, Page { vpn, asid }: Page) -> Option<(u64, u64)> {
        let mut table = Self::root(asid);
        for level in (0..LEVELS).rev() {
            let word = word(table, vpn, level);
            let entry = self.entry(word);
            if entry & PRESENT == 0 {
                return None;
            }
            let pfn = entry >> 12;
            match level {
                0 => return Some((word, pfn)),
                1 if entry & PAGE_SIZE != 0 => return Some((word, pfn + vpn % IN_LARGE)),
                _ => table = pfn,
            }
        }
        None
    }
}

/// The number of the word in a table that leads to a page.
fn word(table: u64, vpn: u64, level: u32) -> u64 {
    table << TABLE_BITS | vpn >> (TABLE_BITS * level) & ((1 << TABLE_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(asid: u8, vpn: u64) -> Page {
        Page { vpn, asid }
    }

    #[test]
    fn pages_get_frames_one_after_the_other_and_others_are_absent() {
        let mut tables = Tables::new(1, false);
        let pages = [5, 6, 512, 0xf_ffff_ffff].map(|vpn| page(0, vpn));
        for (pfn, &page) in (0..).zip(&pages) {
            assert_eq!(tables.translate(page), None);
            assert_eq!(tables.map(page), pfn);
        }
        for (pfn, &page) in (0..).zip(&pages) {
            assert_eq!(tables.translate(page), Some(pfn));
        }
        assert_eq!(tables.translate(page(0, 7)), None);
        // The root, and three tables for each end of the space and one more of the last level.
        assert_eq!(tables.next_table, ROOT - 1 - 7);
    }

    #[test]
    fn a_page_that_is_unmapped_is_absent_and_its_frame_is_used_again_once_it_is_free() {
        let mut tables = Tables::new(1, false);
        let [first, second, third] = [5, 6, 7].map(|vpn| page(0, vpn));
        assert_eq!([first, second].map(|page| tables.map(page)), [0, 1]);
        let begun = tables.next_table;
        assert_eq!(tables.unmap([first, third].into_iter()), [(first, 0)]);
        assert_eq!(tables.unmap(std::iter::once(first)), []);
        assert_eq!(tables.translate(first), None);
        assert_eq!(tables.translate(second), Some(1));
        assert_eq!(tables.map(third), 2);
        tables.free(0);
        assert_eq!(tables.map(first), 0);
        assert_eq!(tables.next_table, begun);
    }

    #[test]
    fn a_large_page_is_one_entry_and_leaves_as_a_whole() {
        let mut tables = Tables::new(1, true);
        let begun = tables.next_table;
        let [first, inside, last, next] = [0x400, 0x433, 0x5ff, 0x600].map(|vpn| page(0, vpn));
        assert_eq!((tables.map(inside), tables.map(next)), (0x33, 512));
        let there = [first, inside, last, next].map(|page| tables.translate(page));
        assert_eq!(there, [0, 0x33, 511, 512].map(Some));
        assert_eq!(tables.translate(page(0, 0x3ff)), None);
        // Two tables above the one that maps both.
        assert_eq!(tables.next_table, begun - 2);
        let pages = (0x400..0x600).map(|vpn| page(0, vpn));
        let left = tables.unmap(pages.clone());
        assert!(left.iter().map(|(page, _)| *page).eq(pages));
        assert!(left.iter().map(|(_, pfn)| *pfn).eq(0..512));
        let there = [first, last, next].map(|page| tables.translate(page));
        assert_eq!(there, [None, None, Some(512)]);
        left.into_iter().for_each(|(_, pfn)| tables.free(pfn));
        assert_eq!(tables.map(page(0, 0x7ff)), 511);
        assert_eq!(tables.map(first), 1024);
    }

    #[test]
    fn pinned_pages_have_frames_of_their_own() {
        let mut tables = Tables::new(1, false);
        let [first, second, third] = [5, 6, 7].map(|vpn| page(0, vpn));
        let pinned = [tables.pin(first), tables.pin(third)];
        assert!(pinned.iter().all(|&pfn| is_of_host(pfn)));
        assert_eq!(
            [first, third].map(|page| tables.translate(page)),
            pinned.map(Some)
        );
        assert_eq!(tables.map(second), 0);
        assert!(![0, ROOT, tables.next_table].into_iter().any(is_of_host));
    }

    #[test]
    fn spaces_share_frames_and_no_table() {
        let mut tables = Tables::new(2, false);
        assert_eq!(tables.map(page(0, 5)), 0);
        assert_eq!(tables.translate(page(1, 5)), None);
        assert_eq!(tables.map(page(1, 5)), 1);
        assert_eq!(tables.translate(page(0, 5)), Some(0));
        assert_eq!(tables.translate(page(1, 5)), Some(1));
        // Two roots, and three tables for each space.
        assert_eq!(tables.next_table, ROOT - 2 - 6);
    }
}

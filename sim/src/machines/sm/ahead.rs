//! A one-ahead prefetcher beside the L1 TLB (Power et al., HPCA 2014, section 6.3, after Kandiraju and Sivasubramaniam): each miss of
//! the L1 TLB also has the next page walked for, into a buffer that is looked into before a walk is requested.

use std::collections::VecDeque;

use super::pages::Frames;
use crate::page::Page;
use crate::sm::l1_tlb::{Inputs, LARGE, TRANSLATION};

/// Translations that the buffer holds: those that came last. The paper gives no number; 16 is that of Kandiraju and Sivasubramaniam.
const ENTRIES: usize = 16;

/// A page whose walk is under way.
#[derive(Clone, Copy, Debug)]
struct Asked {
    page: Page,
    /// The L1 TLB waits for it.
    is_missed: bool,
}

/// The prefetcher of an SM.
#[derive(Clone, Debug)]
pub struct Ahead {
    /// The pages that are in the page tables: others are not requested.
    there: Frames,
    /// Pages to be requested, in order.
    next: VecDeque<Page>,
    asked: Vec<Asked>,
    /// What has come and was not missed, the oldest first.
    buffer: VecDeque<Inputs>,
    /// What the L1 TLB gets from the buffer.
    found: VecDeque<Inputs>,
}

impl Ahead {
    pub const fn new(there: Frames) -> Self {
        Self {
            there,
            next: VecDeque::new(),
            asked: Vec::new(),
            buffer: VecDeque::new(),
            found: VecDeque::new(),
        }
    }

    /// Whether nothing happens here until something comes.
    pub fn rests(&self) -> bool {
        self.next.is_empty() && self.found.is_empty()
    }

    /// What comes for the L1 TLB in this cycle. If that is nothing, a translation of the buffer comes that was found there.
    pub fn receive(&mut self, inputs: &mut Inputs) {
        if inputs.invalidate_valid {
            self.buffer.clear();
        }
        if inputs.fill_valid && matches!(inputs.fill_kind, TRANSLATION | LARGE) {
            let page = inputs.filled();
            let place = self.asked.iter().position(|asked| asked.page == page);
            let asked = place.map(|place| self.asked.swap_remove(place));
            if asked.is_some_and(|asked| !asked.is_missed) {
                if self.buffer.len() == ENTRIES {
                    self.buffer.pop_front();
                }
                self.buffer.push_back(inputs.clone());
            }
        } else if !inputs.fill_valid
            && !inputs.invalidate_valid
            && let Some(found) = self.found.pop_front()
        {
            inputs.fill_valid = true;
            inputs.fill_kind = found.fill_kind;
            inputs.fill_vpn = found.fill_vpn;
            inputs.fill_asid = found.fill_asid;
            inputs.fill_pfn = found.fill_pfn;
            inputs.fill_writable = found.fill_writable;
            inputs.fill_clean = found.fill_clean;
        }
    }

    /// The L1 TLB requests a walk. It says whether the buffer has the translation, or its walk is under way, so that none is needed.
    pub fn misses(&mut self, page: Page) -> bool {
        let next = Page {
            vpn: page.vpn + 1,
            ..page
        };
        let knows = |entry: &Inputs| entry.filled() == next;
        let is_asked = self.asked.iter().any(|asked| asked.page == next);
        let is_here = is_asked || self.next.contains(&next) || self.buffer.iter().any(knows);
        if !is_here && self.there.contains_key(&next) {
            self.next.push_back(next);
        }
        self.next.retain(|other| *other != page);
        let place = self.buffer.iter().position(|entry| entry.filled() == page);
        if let Some(found) = place.and_then(|place| self.buffer.remove(place)) {
            self.found.push_back(found);
            return true;
        }
        let asked = self.asked.iter_mut().find(|asked| asked.page == page);
        let is_asked = asked.is_some();
        if let Some(asked) = asked {
            asked.is_missed = true;
        }
        is_asked
    }

    /// The next page whose walk is requested, if the L1 TLB has none of these.
    pub fn request(&mut self, has: impl Fn(Page) -> bool) -> Option<Page> {
        while let Some(page) = self.next.pop_front() {
            if !has(page) {
                let is_missed = false;
                self.asked.push(Asked { page, is_missed });
                return Some(page);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn page(vpn: u64) -> Page {
        Page { vpn, asid: 0 }
    }

    fn fill(vpn: u64) -> Inputs {
        Inputs {
            fill_valid: true,
            fill_vpn: vpn,
            fill_pfn: vpn as u32,
            ..Inputs::default()
        }
    }

    /// A prefetcher where these pages are in the page tables.
    fn ahead(pages: std::ops::Range<u64>) -> Ahead {
        let frames = pages.map(|vpn| (page(vpn), vpn as u32));
        Ahead::new(Arc::new(frames.collect()))
    }

    #[test]
    fn the_next_page_is_found_in_the_buffer_and_has_the_one_after_it_requested() {
        let mut ahead = ahead(0..10);
        assert!(!ahead.misses(page(3)));
        assert_eq!(ahead.request(|_| false), Some(page(4)));
        assert!(ahead.rests());
        ahead.receive(&mut fill(4));
        assert!(ahead.misses(page(4)));
        assert!(!ahead.rests());
        let mut nothing = Inputs::default();
        ahead.receive(&mut nothing);
        assert_eq!((nothing.fill_valid, nothing.fill_pfn), (true, 4));
        assert_eq!(ahead.request(|_| false), Some(page(5)));
        // A miss of a page whose walk is under way waits for that.
        assert!(ahead.misses(page(5)));
        let mut comes = fill(5);
        ahead.receive(&mut comes);
        assert!(ahead.buffer.is_empty() && comes.fill_valid);
    }

    #[test]
    fn what_is_there_or_in_no_table_is_not_requested() {
        let mut ahead = ahead(0..4);
        assert!(!ahead.misses(page(3)));
        assert!(ahead.rests());
        assert!(!ahead.misses(page(1)));
        assert_eq!(ahead.request(|other| other == page(2)), None);
    }

    #[test]
    fn the_buffer_holds_what_came_last() {
        let mut ahead = ahead(0..100);
        for vpn in (0..40).step_by(2) {
            assert!(!ahead.misses(page(vpn)));
            assert_eq!(ahead.request(|_| false), Some(page(vpn + 1)));
            ahead.receive(&mut fill(vpn + 1));
        }
        let held: Vec<_> = ahead.buffer.iter().map(|entry| entry.fill_vpn).collect();
        assert!(held.into_iter().eq((9..40).step_by(2)));
        let invalidates = Inputs {
            invalidate_valid: true,
            ..Inputs::default()
        };
        ahead.receive(&mut invalidates.clone());
        assert!(ahead.buffer.is_empty());
    }
}

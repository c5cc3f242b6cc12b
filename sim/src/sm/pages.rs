//! Translation: the two TLBs as tags, page walks, and pages that are not there yet.

use std::collections::HashMap;

use super::parameters::{Faults, Timing};
use super::tags::Tags;

/// Bits of an address inside a page.
const PAGE_BITS: u32 = 12;

/// What becomes of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// It succeeds at this time.
    Passes(u64),
    /// It fails at the first time; the page is there at the second.
    Faults(u64, u64),
}

/// Misses are answered all at once for a page, and hits go on under them.
#[derive(Clone, Debug)]
pub struct Pages {
    timing: Timing,
    faults: Faults,
    squashes: bool,
    l1: Tags,
    l2: Tags,
    /// Misses under way: page, when it is answered, and how.
    misses: Vec<(u64, u64, Check)>,
    /// When the parts of memory that were not there are, or were.
    arrivals: HashMap<u64, u64>,
}

impl Pages {
    pub fn new(timing: Timing, faults: Faults, squashes: bool) -> Self {
        Self {
            timing,
            faults,
            squashes,
            l1: Tags::new(32, 8),
            l2: Tags::new(1024, 8),
            misses: Vec::new(),
            arrivals: HashMap::new(),
        }
    }

    /// Misses that are answered by now fill the TLBs.
    pub fn advance(&mut self, now: u64) {
        let (l1, l2) = (&mut self.l1, &mut self.l2);
        self.misses.retain(|&(page, time, check)| {
            if time <= now && matches!(check, Check::Passes(_)) {
                l1.insert(page);
                l2.insert(page);
            }
            time > now
        });
    }

    /// Checks an address.
    pub fn check(&mut self, address: u64, now: u64) -> Check {
        let page = address >> PAGE_BITS;
        let Timing {
            check,
            l2_tlb,
            walk,
            ..
        } = self.timing;
        if self.l1.uses(page) {
            return Check::Passes(now + check);
        }
        if let Some(&(.., answer)) = self.misses.iter().find(|(missed, ..)| *missed == page) {
            return answer;
        }
        let others_walked = !page.is_multiple_of(self.timing.sharers);
        let hits = self.l2.uses(page) || others_walked;
        let answered = now + check + l2_tlb + if hits { 0 } else { walk };
        let answer = match self.arrival(address, answered).filter(|_| !hits) {
            Some(arrival) if arrival > answered && self.squashes => {
                Check::Faults(answered, arrival)
            }
            Some(arrival) => Check::Passes(answered.max(arrival)),
            None => Check::Passes(answered),
        };
        let (Check::Passes(time) | Check::Faults(time, _)) = answer;
        self.misses.push((page, time, answer));
        answer
    }

    /// When the page of an address that was not there at first is; the first who asks makes it come.
    fn arrival(&mut self, address: u64, asked: u64) -> Option<u64> {
        let faults = self.faults;
        let part = address >> faults.granule_bits.max(PAGE_BITS);
        let arrival = || *self.arrivals.entry(part).or_insert(asked + faults.cycles);
        faults.absent.then(arrival)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: Timing = Timing {
        sharers: 1,
        ..Timing::PAPER
    };

    #[test]
    fn misses_of_a_page_are_answered_together_and_hits_pass_them() {
        let mut pages = Pages::new(ALONE, Faults::NONE, true);
        assert_eq!(pages.check(0x1000, 10), Check::Passes(581));
        assert_eq!(pages.check(0x1fff, 20), Check::Passes(581));
        pages.advance(581);
        assert_eq!(pages.check(0x2000, 600), Check::Passes(1171));
        assert_eq!(pages.check(0x1000, 601), Check::Passes(602));
    }

    #[test]
    fn a_page_that_is_not_there_faults_or_makes_wait() {
        let absent = Faults {
            absent: true,
            ..Faults::NONE
        };
        let mut pages = Pages::new(ALONE, absent, true);
        assert_eq!(pages.check(0x1000, 0), Check::Faults(571, 10_571));
        pages.advance(571);
        // The neighbour in the same 64 KB comes with it.
        assert_eq!(pages.check(0x2000, 600), Check::Faults(1171, 10_571));
        pages.advance(10_571);
        assert_eq!(pages.check(0x1000, 10_571), Check::Passes(11_142));
        let mut pages = Pages::new(ALONE, absent, false);
        assert_eq!(pages.check(0x1000, 0), Check::Passes(10_571));
    }

    #[test]
    fn other_sms_have_walked_for_most_pages() {
        let mut pages = Pages::new(Timing::PAPER, Faults::NONE, true);
        let walks =
            (0..160u64).filter(|page| pages.check(page << PAGE_BITS, 0) == Check::Passes(571));
        assert_eq!(walks.count(), 10);
    }
}

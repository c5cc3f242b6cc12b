//! Translation: the L1 TLB over its ports, and below it the L2 TLB as tags, page walks, and pages that are not there yet.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::parameters::{Faults, Timing};
use super::tags::Tags;
use crate::ports::Model;
use crate::sm::l1_tlb::{FAR, Inputs, L1Tlb, Parameters, TRANSLATION};

/// Bits of an address inside a page.
const PAGE_BITS: u32 = 12;

/// What the TLB says to the check of the cycle before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The page is there.
    Hit,
    /// It is not known; the requester waits for a wake-up.
    Missed,
    /// It is absent; the requester leaves, and comes back after a wake-up.
    Absent,
}

/// What the TLB reports in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The answer to the check of the cycle before.
    pub answer: Option<Answer>,
    /// Whatever waits for this page requests it again, and so does all else that waits if the second is set.
    pub woken: Option<(u64, bool)>,
}

#[derive(Clone, Debug)]
pub struct Pages {
    timing: Timing,
    faults: Faults,
    seed: u64,
    l1: L1Tlb,
    l2: Tags,
    inputs: Inputs,
    /// Walks that were taken: when they are over, and the page.
    walks: BinaryHeap<Reverse<(u64, u64)>>,
    /// Far faults that are held: when they resolve, and the page.
    far: BinaryHeap<Reverse<(u64, u64)>>,
    /// When the parts of memory that were not there are, or were.
    arrivals: HashMap<u64, u64>,
}

impl Pages {
    pub fn new(timing: Timing, faults: Faults, squashes: bool, seed: u64) -> Self {
        let parameters = Parameters::PAPER;
        Self {
            timing,
            faults,
            seed,
            l1: L1Tlb::new(parameters),
            l2: Tags::new(1024, 8),
            inputs: Inputs {
                walk_ready: true,
                fill_writable: true,
                far_limit: parameters.misses as u8,
                report_faults: squashes,
                ..Inputs::default()
            },
            walks: BinaryHeap::new(),
            far: BinaryHeap::new(),
            arrivals: HashMap::new(),
        }
    }

    /// The page of an address.
    pub fn page(address: u64) -> u64 {
        address >> PAGE_BITS
    }

    /// A cycle, with a check of a page, which perhaps is for a write.
    pub fn cycle(&mut self, check: Option<(u64, bool)>, now: u64) -> Report {
        let fills = self.walks.peek().is_some_and(|walk| walk.0.0 <= now);
        let resolves = self.far.peek().is_some_and(|far| far.0.0 <= now);
        let inputs = &mut self.inputs;
        inputs.check_valid = check.is_some();
        (inputs.check_vpn, inputs.check_write) = check.unwrap_or_default();
        inputs.resolve_valid = false;
        if resolves && let Some(Reverse((_, page))) = self.far.pop() {
            (inputs.resolve_valid, inputs.resolve_vpn) = (true, page);
        }
        self.inputs.fill_valid = false;
        if fills && let Some(Reverse((_, page))) = self.walks.pop() {
            self.fill(page, now);
        }
        let outputs = self.l1.cycle(&self.inputs);
        if outputs.walk_valid {
            self.walk(outputs.walk_vpn, now);
        }
        Report {
            answer: outputs.answer_valid.then_some(match () {
                () if outputs.answer_hit => Answer::Hit,
                () if outputs.answer_fault => Answer::Absent,
                () => Answer::Missed,
            }),
            woken: outputs
                .wake_valid
                .then_some((outputs.wake_vpn, outputs.wake_all)),
        }
    }

    /// Brings a page into the TLB before the first cycle.
    pub fn warm(&mut self, page: u64) {
        let request = Inputs {
            check_valid: true,
            check_vpn: page,
            ..self.inputs.clone()
        };
        let fills = Inputs {
            fill_valid: true,
            fill_vpn: page,
            fill_pfn: pfn(page),
            ..self.inputs.clone()
        };
        self.l1.cycle(&request);
        while !self.l1.cycle(&self.inputs).walk_valid {}
        self.l1.cycle(&fills);
        while !self.l1.cycle(&self.inputs).wake_valid {}
    }

    /// The L2 TLB takes a walk.
    fn walk(&mut self, page: u64, now: u64) {
        let Timing {
            l2_tlb,
            walk,
            sharers,
            ..
        } = self.timing;
        // What is not there yet nobody can have in the TLB.
        let absent = self.faults.absent
            && (self.arrivals.get(&self.part(page))).is_none_or(|&arrival| arrival > now);
        let others_walked = !absent && !is_own(page, self.seed, sharers);
        let known = self.l2.uses(page) || others_walked;
        // An answer comes in a later cycle at the earliest.
        let takes = l2_tlb + if known { 0 } else { walk };
        self.walks.push(Reverse((now + takes.max(1), page)));
    }

    /// A walk is answered.
    fn fill(&mut self, page: u64, now: u64) {
        let arrival = match self.faults.absent {
            true => self.arrival(page, now),
            false => now,
        };
        self.inputs.fill_valid = true;
        self.inputs.fill_vpn = page;
        self.inputs.fill_pfn = pfn(page);
        if arrival > now {
            self.inputs.fill_kind = FAR;
            self.far.push(Reverse((arrival, page)));
        } else {
            self.inputs.fill_kind = TRANSLATION;
            self.l2.insert(page);
        }
    }

    /// When a page that was not there at first is; the first request makes it come.
    fn arrival(&mut self, page: u64, now: u64) -> u64 {
        let part = self.part(page);
        *self
            .arrivals
            .entry(part)
            .or_insert(now + self.faults.cycles)
    }

    /// The part of memory that comes with a page.
    fn part(&self, page: u64) -> u64 {
        page >> self.faults.granule_bits.saturating_sub(PAGE_BITS)
    }
}

/// Whether this SM is the first that needs a page, of so many SMs: a draw for each page, which is the same under every scheme.
fn is_own(page: u64, seed: u64, sharers: u64) -> bool {
    fastrand::Rng::with_seed(page ^ seed.rotate_left(40)).u64(..sharers) == 0
}

/// Frames are numbered like pages.
fn pfn(page: u64) -> u32 {
    (page & 0x0fff_ffff) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: Timing = Timing {
        sharers: 1,
        ..Timing::PAPER
    };

    /// Checks a page until it is hit or absent: when that is reported, and what.
    fn request(pages: &mut Pages, page: u64, now: &mut u64) -> (u64, Answer) {
        let mut check = Some((page, false));
        loop {
            let reported = pages.cycle(check.take(), *now);
            match reported.answer {
                Some(Answer::Missed) | None => {}
                Some(answer) => return (*now, answer),
            }
            if reported.woken.is_some_and(|(woken, _)| woken == page) {
                check = Some((page, false));
            }
            *now += 1;
        }
    }

    #[test]
    fn a_miss_is_walked_once_and_hits_pass_it() {
        let mut pages = Pages::new(ALONE, Faults::NONE, true, 1);
        let now = &mut 10;
        // Three cycles to the walk, 570 of it, two to the wake-up, and the check again.
        assert_eq!(
            request(&mut pages, 1, now),
            (10 + 3 + 570 + 2 + 2, Answer::Hit)
        );
        let begin = *now;
        pages.cycle(Some((2, false)), begin);
        assert_eq!(
            pages.cycle(Some((1, false)), begin + 1).answer,
            Some(Answer::Missed)
        );
        assert_eq!(pages.cycle(None, begin + 2).answer, Some(Answer::Hit));
    }

    #[test]
    fn a_page_that_is_not_there_faults_or_makes_wait() {
        let absent = Faults {
            absent: true,
            ..Faults::NONE
        };
        let mut pages = Pages::new(ALONE, absent, true, 1);
        let now = &mut 0;
        assert_eq!(request(&mut pages, 1, now), (577, Answer::Absent));
        // Its neighbour in the same 64 KB comes with it, and neither faults again.
        assert_eq!(request(&mut pages, 2, now).1, Answer::Absent);
        *now = 573 + 10_000 + 600;
        for cycle in 1200..*now {
            pages.cycle(None, cycle);
        }
        assert_eq!(request(&mut pages, 1, now), (11_174, Answer::Hit));
        assert_eq!(request(&mut pages, 2, now).1, Answer::Hit);
        let mut pages = Pages::new(ALONE, absent, false, 1);
        let (reported, answer) = request(&mut pages, 1, &mut 0);
        assert!(reported > 10_573 && answer == Answer::Hit);
    }

    /// Whatever the pages have in common: neighbours, or the first of each 64 KB.
    #[test]
    fn other_sms_have_walked_for_most_pages() {
        for stride in [1, 16, 512] {
            let mut walks = 0;
            for seed in 0..10 {
                let mut pages = Pages::new(Timing::PAPER, Faults::NONE, true, seed);
                let now = &mut 0;
                for page in 0..160 {
                    let begin = *now;
                    let (reported, _) = request(&mut pages, page * stride, now);
                    walks += u32::from(reported - begin > 500);
                    *now += 1;
                }
            }
            assert!((80..=120).contains(&walks), "{walks} of 1,600");
        }
    }

    #[test]
    fn page_that_is_not_there_is_in_no_tlb_of_others() {
        for sharers in [1, 16] {
            let timing = Timing {
                sharers,
                ..Timing::PAPER
            };
            let absent = Faults {
                absent: true,
                granule_bits: 12,
                ..Faults::NONE
            };
            let mut pages = Pages::new(timing, absent, true, 1);
            let now = &mut 0;
            for page in 14..20 {
                assert_eq!(request(&mut pages, page, now).1, Answer::Absent);
            }
            for cycle in *now + 1..*now + 12_000 {
                pages.cycle(None, cycle);
            }
            *now += 12_000;
            for page in 14..20 {
                assert_eq!(request(&mut pages, page, now).1, Answer::Hit);
            }
        }
    }

    #[test]
    fn a_warm_page_is_hit() {
        let mut pages = Pages::new(Timing::FIGURES, Faults::NONE, true, 1);
        pages.warm(7);
        assert_eq!(request(&mut pages, 7, &mut 0), (1, Answer::Hit));
    }
}

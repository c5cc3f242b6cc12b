//! The L1 TLB over its ports.

use std::collections::HashMap;
use std::sync::Arc;

use super::ahead::Ahead;
use super::below::Below;
use super::outcome::Lookups;
use crate::page::Page;
use crate::ports::Model;
use crate::sm::l1_tlb::{FAR, Inputs, L1Tlb, NACK, OF_ALL, Parameters, Step};

/// Where pages lie, if that is known without a walk.
pub type Frames = Arc<HashMap<Page, u32>>;

/// Walks so many cycles apart at most are of one burst (Power et al., HPCA 2014, section 4.2).
const SOON: u64 = 500;
/// Bits of an address inside a page.
pub(super) const PAGE_BITS: u32 = 12;

/// What the TLB says to the check of the cycle before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The page is there, in this frame.
    Hit(u32),
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
    /// Whatever waits for this page of the space requests it again, and so does all else that waits if the second is set.
    pub woken: Option<(Option<u64>, bool)>,
}

/// What the GMMU reports on a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fill {
    pub kind: u8,
    pub vpn: u64,
    pub asid: u8,
    /// The place of its far fault in the queue of faults.
    pub place: u16,
}

#[derive(Clone, Debug)]
pub struct Pages {
    l1: L1Tlb,
    inputs: Inputs,
    /// The place of the far fault that the GMMU has reported in this cycle.
    place: u16,
    /// Where pages lie, if that is known without a walk.
    frames: Option<Frames>,
    /// The frame of the page that was checked in the cycle before, if it was known so.
    known: Option<u32>,
    /// The prefetcher, if there is one.
    ahead: Option<Box<Ahead>>,
    pub lookups: Lookups,
    walks: Walks,
}

/// Walks that are counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walks {
    /// When the last one was requested.
    last: Option<u64>,
}

impl Walks {
    /// An L1 TLB requests a walk.
    pub fn count(&mut self, lookups: &mut Lookups, l1: &L1Tlb, now: u64) {
        let walks = |step: Step| matches!(step, Step::Requesting | Step::Walking { .. });
        // The walk itself is not requested any more.
        let waiting = l1.misses().filter(|miss| walks(miss.step)).count() as u64;
        lookups.walks += 1;
        lookups.waiting += waiting;
        lookups.most = lookups.most.max(waiting);
        let since = self.last.map(|last| now - last);
        lookups.soon += u64::from(since.is_some_and(|since| since <= SOON));
        self.last = Some(now);
    }
}

impl Pages {
    pub fn new(parameters: Parameters, far_limit: u8, squashes: bool) -> Self {
        Self {
            l1: L1Tlb::new(parameters),
            inputs: Inputs {
                far_limit,
                report_faults: squashes,
                ..Inputs::default()
            },
            place: 0,
            frames: None,
            known: None,
            ahead: None,
            lookups: Lookups::default(),
            walks: Walks::default(),
        }
    }

    /// From now on it is known without a walk where these pages lie.
    pub fn knows(&mut self, frames: &Frames) {
        self.frames = Some(Arc::clone(frames));
    }

    /// From now on the page after one that is missed is walked for too, if it is one of these.
    pub fn prefetches(&mut self, there: &Frames) {
        self.ahead = Some(Box::new(Ahead::new(Arc::clone(there))));
    }

    /// Checks are of this address space from now on.
    pub fn turn_to(&mut self, asid: u8) {
        self.inputs.check_asid = asid;
    }

    /// What the GMMU has reported in this cycle.
    pub fn fill(&self) -> Option<Fill> {
        self.inputs.fill_valid.then_some(Fill {
            kind: self.inputs.fill_kind,
            vpn: self.inputs.fill_vpn,
            asid: self.inputs.fill_asid,
            place: self.place,
        })
    }

    /// Whether a page of this space that was missed waits for an absent page: for itself, or for one of those that take all entries.
    pub fn waits_for_absent(&self, vpn: u64) -> bool {
        let asid = self.inputs.check_asid;
        self.l1.waits_for_absent(Page { vpn, asid })
    }

    /// Whether accesses that miss a page of this space stall because it is known to be absent.
    pub fn stalls_on(&self, vpn: u64) -> bool {
        let asid = self.inputs.check_asid;
        !self.inputs.report_faults && self.l1.is_absent(Page { vpn, asid })
    }

    /// The page of this space whose absence has become known in this cycle, if accesses stall on it.
    pub fn absent_now(&self) -> Option<u64> {
        let inputs = &self.inputs;
        let is_absent = inputs.fill_valid && matches!(inputs.fill_kind, FAR | NACK);
        let stalls = !inputs.report_faults && inputs.fill_asid == inputs.check_asid;
        (is_absent && stalls).then_some(inputs.fill_vpn)
    }

    /// Whether it waits for a page that is known to be absent.
    pub fn waits_for_absent_page(&self) -> bool {
        self.l1.misses().any(|miss| miss.absent)
    }

    /// The page of an address.
    pub fn page(address: u64) -> u64 {
        address >> PAGE_BITS
    }

    /// Receives what comes in this cycle. It says whether that is an invalidation, besides which the TLB takes no check.
    pub fn receive(&mut self, now: u64, below: &mut impl Below) -> bool {
        self.place = below.translations(now, &mut self.inputs);
        if let Some(ahead) = &mut self.ahead {
            ahead.receive(&mut self.inputs);
        }
        self.inputs.invalidate_valid
    }

    /// Whether the translations of this space become invalid in this cycle.
    pub const fn are_invalidated(&self) -> bool {
        let inputs = &self.inputs;
        let is_own = inputs.invalidate_asid == inputs.check_asid;
        inputs.invalidate_valid && (is_own || inputs.invalidate_scope >= OF_ALL)
    }

    /// A cycle in which something was received, with a check of a page, which perhaps is for a write.
    pub fn cycle(
        &mut self,
        check: Option<(u64, bool)>,
        now: u64,
        below: &mut impl Below,
    ) -> Report {
        let asid = self.inputs.check_asid;
        let frame = |(vpn, _)| Some(*self.frames.as_ref()?.get(&Page { vpn, asid })?);
        let at_once = check.and_then(frame);
        let known = std::mem::replace(&mut self.known, at_once);
        let check = check.filter(|_| at_once.is_none());
        let inputs = &mut self.inputs;
        inputs.check_valid = check.is_some();
        (inputs.check_vpn, inputs.check_write) = check.unwrap_or_default();
        let outputs = self.l1.cycle(inputs);
        if outputs.walk_valid && inputs.walk_ready {
            let page = Page {
                vpn: outputs.walk_vpn,
                asid: outputs.walk_asid,
            };
            let ahead = self.ahead.as_mut();
            match ahead.is_some_and(|ahead| ahead.misses(page)) {
                true => self.lookups.spared += 1,
                false => below.walk(now, page, outputs.walk_write),
            }
            self.walks.count(&mut self.lookups, &self.l1, now);
        } else if let Some(ahead) = &mut self.ahead
            && inputs.walk_ready
        {
            let l1 = &self.l1;
            if let Some(page) = ahead.request(|page| l1.has(page)) {
                below.walk(now, page, false);
                self.lookups.ahead += 1;
            }
        }
        let inputs = &self.inputs;
        // No access waits for a page of another space.
        let is_own = outputs.wake_asid == inputs.check_asid;
        let page = is_own.then_some(outputs.wake_vpn);
        let wakes = outputs.wake_valid && (is_own || outputs.wake_all);
        Report {
            answer: (known.is_some() || outputs.answer_valid).then_some(match known {
                Some(frame) => Answer::Hit(frame),
                _ if outputs.answer_hit => Answer::Hit(outputs.answer_pfn),
                _ if outputs.answer_fault => Answer::Absent,
                _ => Answer::Missed,
            }),
            woken: wakes.then_some((page, outputs.wake_all)),
        }
    }

    /// Whether nothing happens here until something comes.
    pub fn rests(&self) -> bool {
        self.known.is_none()
            && self.l1.is_quiet()
            && self.ahead.as_ref().is_none_or(|ahead| ahead.rests())
    }

    /// Brings a page into the TLB before the first cycle.
    pub fn warm(&mut self, page: u64) {
        let ready = Inputs {
            walk_ready: true,
            ..self.inputs.clone()
        };
        let request = Inputs {
            check_valid: true,
            check_vpn: page,
            ..ready.clone()
        };
        let fills = Inputs {
            fill_valid: true,
            fill_vpn: page,
            fill_pfn: page as u32,
            fill_writable: true,
            ..ready.clone()
        };
        self.l1.cycle(&request);
        while !self.l1.cycle(&ready).walk_valid {}
        self.l1.cycle(&fills);
        while !self.l1.cycle(&ready).wake_valid {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::alone::Alone;
    use super::super::parameters::{Faults, Timing};
    use super::super::work::ThreadBlocks;
    use super::*;

    /// No other SM walks.
    const ALONE: Timing = Timing {
        walked: false,
        ..Timing::PAPER
    };

    /// A TLB with nothing but this SM's own requests below it.
    struct Translation {
        pages: Pages,
        below: Alone<'static>,
    }

    impl Translation {
        fn new(timing: Timing, faults: Faults, squashes: bool, seed: u64) -> Self {
            let misses = Parameters::PAPER.misses as u8;
            Self {
                pages: Pages::new(Parameters::PAPER, misses, squashes),
                below: Alone::new(timing, faults, seed, ThreadBlocks::default()),
            }
        }

        fn cycle(&mut self, check: Option<(u64, bool)>, now: u64) -> Report {
            self.pages.receive(now, &mut self.below);
            self.pages.cycle(check, now, &mut self.below)
        }
    }

    /// What a hit of a page says: frames are numbered like pages.
    fn hit(page: u32) -> Answer {
        Answer::Hit(page)
    }

    /// Checks a page until it is hit or absent: when that is reported, and what.
    fn request(pages: &mut Translation, page: u64, now: &mut u64) -> (u64, Answer) {
        let mut check = Some((page, false));
        loop {
            let reported = pages.cycle(check.take(), *now);
            match reported.answer {
                Some(Answer::Missed) | None => {}
                Some(answer) => return (*now, answer),
            }
            if reported.woken.is_some_and(|(woken, _)| woken == Some(page)) {
                check = Some((page, false));
            }
            *now += 1;
        }
    }

    #[test]
    fn a_miss_is_walked_once_and_hits_pass_it() {
        let mut pages = Translation::new(ALONE, Faults::NONE, true, 1);
        let now = &mut 10;
        // Three cycles to the walk, 570 of it, two to the wake-up, and the check again.
        assert_eq!(request(&mut pages, 1, now), (10 + 3 + 570 + 2 + 2, hit(1)));
        let begin = *now;
        pages.cycle(Some((2, false)), begin);
        assert_eq!(
            pages.cycle(Some((1, false)), begin + 1).answer,
            Some(Answer::Missed)
        );
        assert_eq!(pages.cycle(None, begin + 2).answer, Some(hit(1)));
    }

    #[test]
    fn a_page_that_is_not_there_faults_or_makes_wait() {
        let absent = Faults {
            absent: true,
            ..Faults::NONE
        };
        let mut pages = Translation::new(ALONE, absent, true, 1);
        let now = &mut 0;
        assert_eq!(request(&mut pages, 1, now), (577, Answer::Absent));
        // Its neighbour in the same 64 KB comes with it, and neither faults again.
        assert_eq!(request(&mut pages, 2, now).1, Answer::Absent);
        *now = 573 + 10_000 + 600;
        for cycle in 1200..*now {
            pages.cycle(None, cycle);
        }
        assert_eq!(request(&mut pages, 1, now), (11_174, hit(1)));
        assert_eq!(request(&mut pages, 2, now).1, hit(2));
        let mut pages = Translation::new(ALONE, absent, false, 1);
        let (reported, answer) = request(&mut pages, 1, &mut 0);
        assert!(reported > 10_573 && answer == hit(1));
    }

    /// Whatever the pages have in common: neighbours, or the first of each 64 KB.
    #[test]
    fn other_sms_have_walked_for_what_is_there() {
        let mut pages = Translation::new(Timing::PAPER, Faults::NONE, true, 1);
        let (reported, _) = request(&mut pages, 14, &mut 0);
        assert!(reported < 100, "{reported}");
        let absent = Faults {
            absent: true,
            granule_bits: 12,
            ..Faults::NONE
        };
        let mut pages = Translation::new(Timing::PAPER, absent, true, 1);
        let now = &mut 0;
        let (reported, answer) = request(&mut pages, 14, now);
        assert!(reported > 500 && answer == Answer::Absent, "{reported}");
        for cycle in *now + 1..*now + 12_000 {
            pages.cycle(None, cycle);
        }
        *now += 12_000;
        assert_eq!(request(&mut pages, 14, now).1, hit(14));
    }

    /// A page is missed in one space, and found there while checks are of another.
    #[test]
    fn a_page_of_another_space_wakes_nobody_and_is_not_hit() {
        let mut pages = Translation::new(ALONE, Faults::NONE, true, 1);
        pages.cycle(Some((1, false)), 0);
        pages.pages.turn_to(1);
        for now in 1..2_000 {
            assert_eq!(pages.cycle(None, now).woken, None);
        }
        pages.cycle(Some((1, false)), 2_000);
        assert_eq!(pages.cycle(None, 2_001).answer, Some(Answer::Missed));
        pages.pages.turn_to(0);
        pages.cycle(Some((1, false)), 2_002);
        assert_eq!(pages.cycle(None, 2_003).answer, Some(hit(1)));
    }

    #[test]
    fn a_warm_page_is_hit() {
        let mut pages = Translation::new(Timing::FIGURES, Faults::NONE, true, 1);
        pages.pages.warm(7);
        assert_eq!(request(&mut pages, 7, &mut 0), (1, hit(7)));
    }
}

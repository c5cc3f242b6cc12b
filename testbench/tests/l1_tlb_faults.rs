//! Contract tests of the L1 TLB's waiting: wake-ups, Nacks and far faults. Each is named for a guarantee of its page, and
//! runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::VecDeque;

use faultline_sim::sm::l1_tlb::{CANCELLED, FAR, Inputs, NACK, OF_PAGE, Page};
use faultline_testbench::support::tlb::Answer::{Denied, Fault, Hit, Miss};
use faultline_testbench::support::tlb::{Tlb, answer, check, fill, invalidate, page, wake, walk};
use faultline_testbench::traffic::Rng;

/// Pages that can be waited for.
const MISSES: u64 = 8;

/// G6.
#[test]
fn wake_up_comes_after_every_answer_that_needs_it() {
    let mut tlb = Tlb::new("32");
    tlb.miss(page(3));
    // Checks come in every cycle around the fill: those that are answered with a miss are answered before the wake-up.
    let mut reported = Vec::new();
    for cycle in 0..8 {
        let mut inputs = check(page(3));
        inputs.fill_valid = cycle == 3;
        inputs.fill_vpn = 3;
        inputs.fill_pfn = 1;
        let outputs = tlb.cycle(&inputs);
        reported.push((answer(&outputs), wake(&outputs).is_some()));
    }
    let [miss, hit] = [Some(Miss), Some(Hit(1))];
    let expected = [None, miss, miss, miss, miss, hit, hit, hit];
    let woken = (0..8).map(|cycle| cycle == 5);
    assert_eq!(
        reported,
        expected.into_iter().zip(woken).collect::<Vec<_>>()
    );
}

/// G6.
#[test]
fn whoever_finds_no_room_is_woken_when_there_is_some() {
    let mut tlb = Tlb::new("32");
    for number in 0..MISSES + 3 {
        assert_eq!(tlb.read(page(number)), Miss);
    }
    let walks = tlb.walks();
    assert_eq!(walks.len() as u64, MISSES);
    assert_eq!(tlb.translate(walks[0], 1), Some((walks[0], true)));
    assert_eq!(
        tlb.translate(walks[1], 1),
        Some((walks[1], false)),
        "once is enough"
    );
    // Refused in the very cycle in which an entry is freed.
    let others: Vec<_> = (50..52).map(page).collect();
    assert_eq!(tlb.read(others[0]), Miss);
    assert_eq!(tlb.read(others[1]), Miss);
    let last = Inputs {
        fill_valid: true,
        fill_vpn: walks[2].vpn,
        ..check(page(60))
    };
    assert_eq!(tlb.answer_walk(&last), Some((walks[2], true)));
}

/// The requester of a page, and whether that waits for a wake-up.
struct Requester {
    page: Page,
    waits: bool,
}

/// An SM and its GMMU around a TLB.
struct Loop {
    tlb: Tlb,
    rng: Rng,
    requesters: VecDeque<Requester>,
    walking: Vec<Page>,
    fetching: Vec<Page>,
    /// The one whose check was accepted in the cycle before.
    requested: Option<Requester>,
    served: usize,
}

impl Loop {
    fn new(seed: u64) -> Self {
        let mut around = Self {
            tlb: Tlb::new("32"),
            rng: Rng::new(seed),
            requesters: VecDeque::new(),
            walking: Vec::new(),
            fetching: Vec::new(),
            requested: None,
            served: 0,
        };
        for _ in 0..24 {
            let page = around.any_page();
            around
                .requesters
                .push_back(Requester { page, waits: false });
        }
        around
    }

    fn any_page(&mut self) -> Page {
        Page {
            vpn: self.rng.below(40),
            asid: self.rng.below(2) as u8,
        }
    }

    /// What the GMMU says: anything, or translations alone.
    fn gmmu(&mut self, kinds: u64) -> Inputs {
        let mut inputs = Inputs::default();
        let some = |rng: &mut Rng, pages: &mut Vec<Page>| {
            let chosen = rng.below(pages.len().max(1) as u64) as usize;
            (!pages.is_empty()).then(|| pages.swap_remove(chosen))
        };
        if self.rng.chance(60)
            && let Some(of) = some(&mut self.rng, &mut self.fetching)
        {
            inputs.resolve_valid = true;
            (inputs.resolve_vpn, inputs.resolve_asid) = (of.vpn, of.asid);
        }
        if self.rng.chance(100)
            && let Some(of) = some(&mut self.rng, &mut self.walking)
        {
            inputs.fill_valid = true;
            inputs.fill_kind = self.rng.below(kinds) as u8;
            (inputs.fill_vpn, inputs.fill_asid) = (of.vpn, of.asid);
            self.fetching
                .extend((inputs.fill_kind == FAR).then_some(of));
        }
        inputs.walk_ready = self.rng.chance(128);
        inputs
    }

    /// A cycle; a requester that is served requests another page, unless all is about to end.
    fn cycle(&mut self, ends: bool) {
        let mut inputs = self.gmmu(if ends { 1 } else { 4 });
        self.tlb.report_faults = self.rng.chance(128);
        self.tlb.far_limit = self.rng.below(4) as u8;
        if !ends && self.rng.chance(10) {
            let of = self.any_page();
            inputs.invalidate_valid = true;
            inputs.invalidate_scope = self.rng.below(3) as u8;
            (inputs.invalidate_vpn, inputs.invalidate_asid) = (of.vpn, of.asid);
        }
        let ready = self
            .requesters
            .iter()
            .position(|requester| !requester.waits);
        if let Some(first) = ready.map(|first| &self.requesters[first]) {
            inputs.check_valid = true;
            (inputs.check_vpn, inputs.check_asid) = (first.page.vpn, first.page.asid);
        }
        let outputs = self.tlb.cycle(&inputs);

        self.walking
            .extend(walk(&outputs).filter(|_| inputs.walk_ready));
        // A wake-up of the cycle of an answer is for requesters that waited before.
        if let Some((page, all)) = wake(&outputs) {
            for requester in &mut self.requesters {
                requester.waits &= !(all || requester.page == page);
            }
        }
        let next = ready.filter(|_| outputs.check_ready);
        let next = next.and_then(|ready| self.requesters.remove(ready));
        if let Some(mut requester) = std::mem::replace(&mut self.requested, next) {
            let reported = answer(&outputs).expect("a check is answered in the next cycle");
            requester.waits = matches!(reported, Miss | Fault);
            if !requester.waits {
                self.served += 1;
                requester.page = self.any_page();
            }
            if requester.waits || !ends {
                self.requesters.push_back(requester);
            }
        }
    }
}

/// G6: requesters request, are put off and come back when they are woken. When the GMMU serves all of them, none is left.
#[test]
fn nobody_waits_for_ever() {
    for seed in 0..4 {
        let mut around = Loop::new(seed);
        (0..6000).for_each(|_| around.cycle(false));
        assert!(
            around.served > 500,
            "seed {seed}: {} were served",
            around.served
        );
        (0..2000).for_each(|_| around.cycle(true));
        assert!(
            around.requesters.is_empty(),
            "seed {seed}: {} wait",
            around.requesters.len()
        );
    }
}

/// The walks that are offered, in the order of their numbers.
fn sorted(tlb: &mut Tlb) -> Vec<Page> {
    let mut walks = tlb.walks();
    walks.sort_unstable();
    walks
}

/// G8.
#[test]
fn nack_is_requested_again_while_fewer_pages_than_the_limit_claim_a_place() {
    let mut tlb = Tlb::new("32");
    tlb.far_limit = 2;
    tlb.miss(page(1));
    tlb.far(page(1));
    tlb.miss(page(2));
    for _ in 0..3 {
        tlb.nack(page(2));
        assert_eq!(tlb.walks(), [page(2)]);
    }
    // It claims a place by its second request, so another one waits.
    tlb.miss(page(3));
    tlb.nack(page(3));
    assert!(tlb.walks_in(100).is_empty());
    tlb.far_limit = 3;
    assert_eq!(tlb.walks(), [page(3)]);
}

/// G8: a place that becomes free lets one page be requested, not all of them.
#[test]
fn nack_at_the_limit_waits_for_a_resolution() {
    let mut tlb = Tlb::new("32");
    tlb.far_limit = 2;
    for number in 1..3 {
        tlb.miss(page(number));
        tlb.far(page(number));
    }
    for number in 3..6 {
        tlb.miss(page(number));
        tlb.nack(page(number));
        assert!(tlb.walks_in(100).is_empty());
    }
    // Another page's resolution is none.
    tlb.resolve(page(77));
    assert!(tlb.walks().is_empty());
    tlb.resolve(page(2));
    assert_eq!(sorted(&mut tlb), [2, 3].map(page));
    // The page that has come claims no place any more, so its end frees none.
    assert_eq!(tlb.translate(page(2), 5), Some((page(2), false)));
    tlb.far(page(3));
    assert!(tlb.walks_in(100).is_empty());
    tlb.resolve(page(1));
    assert_eq!(sorted(&mut tlb), [1, 4].map(page));
    // It is still absent: its far fault is held again, beside that of the page that was requested meanwhile.
    tlb.far(page(1));
    tlb.far(page(4));
    tlb.resolve(page(3));
    assert_eq!(tlb.walks(), [page(3)], "two pages claim a place");
    tlb.resolve(page(4));
    assert_eq!(sorted(&mut tlb), [4, 5].map(page));
}

/// G8.
#[test]
fn page_that_was_missed_longest_ago_is_requested_again_first() {
    let mut tlb = Tlb::new("32");
    tlb.far_limit = 1;
    for number in 0..MISSES {
        tlb.miss(page(number));
    }
    // The entries of two pages go to later ones, and Nacks come in another order than that of the misses.
    for (gone, next) in [(5, 20), (2, 21)] {
        assert_eq!(tlb.translate(page(gone), 1), Some((page(gone), false)));
        tlb.miss(page(next));
    }
    tlb.far(page(0));
    for number in [21, 7, 20, 3, 6, 1, 4] {
        tlb.nack(page(number));
    }
    assert!(tlb.walks_in(100).is_empty());
    tlb.resolve(page(0));
    assert_eq!(sorted(&mut tlb), [0, 1].map(page));
    // A Nack changes nothing in that.
    tlb.nack(page(1));
    assert_eq!(tlb.walks(), [page(1)]);
    for turn in [1, 3, 4, 6, 7, 20, 21].windows(2) {
        tlb.far(page(turn[0]));
        assert!(tlb.walks().is_empty());
        tlb.resolve(page(turn[0]));
        assert_eq!(sorted(&mut tlb), [turn[0], turn[1]].map(page));
    }
}

/// G8.
#[test]
fn nack_never_waits_without_a_claim() {
    let mut tlb = Tlb::new("32");
    tlb.far_limit = 0;
    tlb.miss(page(1));
    tlb.nack(page(1));
    assert_eq!(tlb.walks(), [page(1)]);
    tlb.far(page(1));
    tlb.miss(page(2));
    // The last far fault resolves in the cycle of the Nack.
    let both = Inputs {
        resolve_valid: true,
        resolve_vpn: 1,
        ..fill(page(2), NACK, 0)
    };
    tlb.answer_walk(&both);
    assert_eq!(sorted(&mut tlb), [1, 2].map(page));
    // A page that was requested again turns out to be present; so does one whose answer an invalidation drops.
    tlb.nack(page(1));
    assert!(tlb.walks_in(100).is_empty());
    assert_eq!(tlb.translate(page(2), 5), Some((page(2), false)));
    assert_eq!(tlb.walks(), [page(1)]);
    tlb.miss(page(3));
    tlb.nack(page(3));
    assert!(tlb.walks_in(100).is_empty());
    tlb.forget(page(1));
    assert_eq!(tlb.translate(page(1), 6), None);
    assert_eq!(sorted(&mut tlb), [1, 3].map(page));
    // Or it is denied.
    tlb.nack(page(1));
    assert!(tlb.walks_in(100).is_empty());
    assert_eq!(tlb.deny(page(3)), Some((page(3), false)));
    assert_eq!(tlb.walks(), [page(1)]);
}

/// G8: the driver cancels a far fault, and the GMMU denies its page.
#[test]
fn cancelled_far_fault_denies_its_page_and_another_one_is_requested() {
    let mut tlb = Tlb::new("32");
    tlb.far_limit = 1;
    tlb.report_faults = true;
    tlb.miss(page(1));
    tlb.far(page(1));
    for number in 2..4 {
        tlb.miss(page(number));
        tlb.nack(page(number));
    }
    assert!(tlb.walks_in(100).is_empty());
    // Another page's denial is none, and neither is another answer.
    assert_eq!(tlb.cancel(page(2)), None);
    assert_eq!(tlb.translate(page(1), 5), None);
    assert_eq!([tlb.read(page(1)), tlb.read(page(2))], [Fault; 2]);
    assert_eq!(tlb.cancel(page(1)), Some((page(1), false)));
    assert_eq!([tlb.read(page(1)), tlb.write(page(1))], [Denied; 2]);
    assert_eq!(tlb.walks(), [page(2)]);
    tlb.far(page(2));
    assert!(tlb.walks_in(100).is_empty());
    tlb.resolve(page(2));
    assert_eq!(sorted(&mut tlb), [2, 3].map(page));
}

/// G2, G9: what is cancelled is a far fault, and no walk; and a walk's answer is none to a far fault.
#[test]
fn cancellation_is_no_answer_to_a_walk() {
    let mut tlb = Tlb::new("32");
    tlb.miss(page(1));
    assert_eq!(tlb.cancel(page(1)), None);
    assert_eq!(tlb.translate(page(1), 4), Some((page(1), false)));
    assert_eq!(tlb.read(page(1)), Hit(4));
    tlb.miss(page(2));
    tlb.far(page(2));
    assert_eq!(tlb.deny(page(2)), None);
    assert_eq!(tlb.cancel(page(2)), Some((page(2), false)));
    assert_eq!(tlb.read(page(2)), Denied);
}

/// G3, G8: a page that is cancelled and invalidated in one cycle is walked again.
#[test]
fn cancelled_far_fault_of_an_invalidated_page_is_walked_again() {
    let mut tlb = Tlb::new("32");
    tlb.far_limit = 1;
    tlb.miss(page(1));
    tlb.far(page(1));
    tlb.miss(page(2));
    tlb.nack(page(2));
    let both = Inputs {
        fill_valid: true,
        fill_kind: CANCELLED,
        fill_vpn: 1,
        ..invalidate(page(1), OF_PAGE)
    };
    assert_eq!(tlb.answer_walk(&both), None);
    // Its place at the GMMU is free.
    assert_eq!(sorted(&mut tlb), [1, 2].map(page));
    assert_eq!(tlb.translate(page(1), 4), Some((page(1), false)));
    assert_eq!(tlb.read(page(1)), Hit(4));
}

/// G10.
#[test]
fn absent_page_is_a_fault_where_faults_are_reported() {
    let mut tlb = Tlb::new("32");
    tlb.far_limit = 1;
    tlb.report_faults = true;
    tlb.miss(page(1));
    assert_eq!(tlb.read(page(1)), Miss, "nobody knows yet");
    // A check that waits is woken once, and receives the answer.
    assert_eq!(tlb.far(page(1)), Some((page(1), false)));
    assert_eq!([tlb.read(page(1)), tlb.write(page(1))], [Fault; 2]);
    tlb.miss(page(2));
    assert_eq!(tlb.nack(page(2)), Some((page(2), false)));
    assert_eq!([tlb.read(page(2)), tlb.read(page(3))], [Fault, Miss]);
    tlb.resolve(page(1));
    assert_eq!(tlb.read(page(1)), Fault, "it is not here yet");
    assert_eq!(tlb.walks().len(), 3);
    assert_eq!(tlb.nack(page(1)), None, "it was reported");
    assert_eq!(tlb.nack(page(2)), None);
    assert_eq!(tlb.walks(), [page(1)]);
    assert_eq!(tlb.translate(page(1), 6), Some((page(1), false)));
    assert_eq!(tlb.read(page(1)), Hit(6));
    // A later miss of the page knows nothing of an earlier one.
    tlb.forget(page(1));
    assert_eq!(tlb.read(page(1)), Miss);
}

/// G10.
#[test]
fn absent_page_is_a_miss_where_warps_stall() {
    let mut tlb = Tlb::new("32");
    tlb.miss(page(1));
    assert_eq!(tlb.far(page(1)), None);
    assert_eq!(tlb.read(page(1)), Miss);
    tlb.resolve(page(1));
    assert_eq!(tlb.walks(), [page(1)]);
    assert_eq!(tlb.translate(page(1), 6), Some((page(1), false)));
}

//! Contract tests of the block scheduler. Each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use faultline_sim::sm::block_scheduler::{Fill, Outputs};
use faultline_testbench::support;
use faultline_testbench::support::scheduler::Scheduler;
use faultline_testbench::traffic::Rng;

#[test]
fn matches_model() {
    support::matches_model("block_scheduler");
}

/// G3.
#[test]
fn block_leaves_when_its_fault_is_past_the_threshold() {
    for threshold in [0, 3, 126] {
        let mut scheduler = Scheduler::full("8", 3);
        scheduler.inputs.threshold = threshold;
        scheduler.inputs.more = true;
        scheduler.held(7, threshold);
        scheduler.fault(1, 7);
        scheduler.quiet(20);
        scheduler.held(8, threshold + 1);
        scheduler.quiet(20); // no block has met it
        scheduler.fault(2, 8);
        assert_eq!(scheduler.left(), (2, 0));
        assert_eq!(scheduler.wanted(), 2);
        scheduler.quiet(20); // the other one is not behind
    }
}

/// G3: no place is above the greatest.
#[test]
fn nobody_leaves_with_the_greatest_threshold() {
    let mut scheduler = Scheduler::full("8", 2);
    scheduler.inputs.threshold = 127;
    scheduler.inputs.more = true;
    scheduler.held(7, 127);
    scheduler.fault(0, 7);
    scheduler.fault(1, 7);
    scheduler.quiet(100);
}

/// G3: without another one for its place no block leaves.
#[test]
fn nobody_leaves_without_a_replacement() {
    let mut scheduler = Scheduler::full("8", 2);
    scheduler.held(7, 9);
    scheduler.fault(0, 7);
    scheduler.quiet(20);
    scheduler.ended(1);
    scheduler.inputs.more = true;
    assert_eq!(scheduler.wanted(), 1, "a slot that is free goes first");
    scheduler.inputs.given_valid = true;
    scheduler.inputs.more = false;
    scheduler.cycle();
    scheduler.inputs.more = true;
    assert_eq!(scheduler.give(), 1);
    scheduler.inputs.more = true;
    assert_eq!(scheduler.left(), (0, 0));
}

/// G3: one block is requested of the GPU, which may be its last; no block leaves for another one before it has answered.
#[test]
fn nobody_leaves_while_a_block_is_requested() {
    let mut scheduler = Scheduler::full("8", 2);
    scheduler.held(7, 9);
    scheduler.fault(0, 7);
    scheduler.ended(1);
    scheduler.inputs.more = true;
    assert_eq!(scheduler.wanted(), 1);
    scheduler.quiet(50);
    scheduler.inputs.more = false;
    scheduler.inputs.given_valid = true;
    scheduler.quiet(50);
}

/// G2: with `extra` blocks off chip the SM changes among those that it has.
#[test]
fn extra_blocks_are_not_exceeded_but_for_an_exchange() {
    for extra in 0..=4 {
        let mut scheduler = Scheduler::full("8", 6);
        scheduler.inputs.extra = extra;
        scheduler.held(90, 9);
        for slot in 0..extra {
            assert_eq!(scheduler.replaced(slot, slot), slot);
        }
        scheduler.fault(4, 90);
        scheduler.fault(5, 90);
        scheduler.inputs.more = true;
        if extra == 4 || extra == 0 {
            scheduler.quiet(50);
        }
        if extra == 4 {
            scheduler.comes(2);
            assert_eq!(scheduler.left(), (4, 4));
            assert_eq!(scheduler.cycle().off_chip, 5, "one more");
            assert_eq!(scheduler.entered(), (4, 2));
            assert_eq!(scheduler.cycle().off_chip, 4);
            scheduler.quiet(50);
        }
    }
}

/// G4: a block that waits for nothing comes back first, those that left first before others.
#[test]
fn ready_blocks_come_back_before_new_ones_and_in_order() {
    let mut scheduler = Scheduler::full("8", 6);
    for slot in [2, 0, 3, 1] {
        scheduler.replaced(slot, slot);
    }
    for page in [1, 3, 0] {
        scheduler.comes(page); // in another order
    }
    scheduler.inputs.more = true;
    for (slot, context) in [(5, 1), (4, 2), (0, 3)] {
        scheduler.ended(slot);
        assert_eq!(scheduler.entered(), (slot, context));
    }
    scheduler.ended(3);
    assert_eq!(scheduler.wanted(), 3, "the other one waits");
    scheduler.comes(2);
    scheduler.quiet(20); // what was requested stays requested
    scheduler.inputs.given_valid = true;
    scheduler.cycle();
    assert_eq!(scheduler.entered(), (3, 0), "none was given");
}

/// G5: a page that comes in the cycle of the offer, as it is taken, as the context is in memory, or in the next one.
#[test]
fn resolution_is_not_lost_while_a_context_leaves() {
    for time in 0..4 {
        let mut scheduler = Scheduler::full("8", 2);
        scheduler.held(7, 9);
        scheduler.fault(0, 7);
        scheduler.inputs.more = true;
        scheduler.cycle();
        scheduler.inputs.more = false;
        for now in 0..4 {
            if now == time {
                scheduler.report(Fill::Translation, 7, 0);
            }
            scheduler.inputs.leave_ready = now == 1;
            scheduler.inputs.left_valid = now == 2;
            assert_eq!(scheduler.cycle().leave_valid, now < 2, "the offer holds");
        }
        scheduler.inputs.more = true;
        assert_eq!(scheduler.entered(), (0, 0));
        scheduler.quiet(20);
    }
}

/// G5: what a block meets while it drains is waited for off chip, up to the last cycle.
#[test]
fn fault_while_a_context_leaves_is_waited_for_off_chip() {
    for late in [false, true] {
        let mut scheduler = Scheduler::full("8", 2);
        scheduler.held(7, 9);
        scheduler.held(8, 0);
        scheduler.fault(0, 7);
        scheduler.inputs.more = true;
        assert_eq!(scheduler.leaves(), (0, 0));
        scheduler.meet(0, 8);
        if !late {
            scheduler.cycle();
        }
        scheduler.inputs.left_valid = true;
        scheduler.cycle();
        scheduler.give();
        scheduler.comes(7);
        scheduler.ended(1);
        scheduler.quiet(20); // the slot is free, and no block ready
        scheduler.comes(8);
        assert_eq!(scheduler.entered(), (1, 0));
    }
}

/// G5: the cycles in which an entry begins and ends.
#[test]
fn fault_in_the_cycle_of_a_report_on_its_page() {
    let mut scheduler = Scheduler::full("8", 2);
    scheduler.inputs.more = true;
    scheduler.meet(0, 7);
    scheduler.held(7, 9); // too early
    scheduler.quiet(20);
    scheduler.meet(0, 7);
    scheduler.comes(7); // too late
    scheduler.fault(0, 7); // later still
    scheduler.held(7, 9);
    scheduler.quiet(20);
    scheduler.fault(0, 7);
    assert_eq!(scheduler.left(), (0, 0));
}

/// G5: page and space name a page.
#[test]
fn pages_of_other_spaces_are_others() {
    let mut scheduler = Scheduler::full("8", 2);
    scheduler.inputs.more = true;
    scheduler.inputs.fill_asid = 3;
    scheduler.held(7, 9);
    scheduler.inputs.fault_asid = 2;
    scheduler.fault(0, 7);
    scheduler.quiet(20);
    scheduler.inputs.fault_asid = 3;
    scheduler.fault(0, 7);
    scheduler.inputs.fill_asid = 2;
    scheduler.comes(7);
    assert_eq!(scheduler.left(), (0, 0));
    scheduler.give();
    scheduler.ended(1);
    scheduler.quiet(20);
    scheduler.inputs.fill_asid = 3;
    scheduler.report(Fill::Denial, 7, 0);
    scheduler.cycle();
    assert_eq!(scheduler.entered(), (1, 0), "a denial is an end, too");
}

/// A page without an entry is not followed: its block stays, and waits for nothing that is known here.
#[test]
fn full_table_makes_nobody_leave_and_nobody_wait() {
    for (config, pages) in [("8", 8), ("16", 16)] {
        let mut scheduler = Scheduler::full(config, 4);
        scheduler.inputs.more = true;
        for page in 0..=pages {
            scheduler.held(page, 9);
        }
        scheduler.fault(1, pages);
        scheduler.quiet(20);
        scheduler.fault(0, pages - 1);
        assert_eq!(scheduler.leaves(), (0, 0));
        scheduler.meet(0, pages); // not followed
        scheduler.inputs.left_valid = true;
        scheduler.cycle();
        scheduler.give();
        scheduler.comes(pages - 1);
        scheduler.ended(3);
        assert_eq!(scheduler.entered(), (3, 0));
        scheduler.comes(pages); // which is not followed
        scheduler.held(pages, 9); // there is room
        scheduler.fault(1, pages);
        scheduler.inputs.more = true;
        assert_eq!(scheduler.left(), (1, 0));
    }
}

/// A far fault without a place is waited for, and is not behind; what is reported last of a page counts.
#[test]
fn far_fault_without_a_place_is_waited_for() {
    let mut scheduler = Scheduler::full("8", 2);
    scheduler.inputs.more = true;
    scheduler.report(Fill::Nack, 7, 9);
    scheduler.cycle();
    scheduler.fault(0, 7);
    scheduler.quiet(20);
    scheduler.held(7, 9);
    assert_eq!(scheduler.left(), (0, 0), "it has a place at last");
    scheduler.give();
    scheduler.report(Fill::Nack, 7, 0);
    scheduler.ended(1);
    scheduler.quiet(20); // it is still waited for
    scheduler.comes(7);
    assert_eq!(scheduler.entered(), (1, 0));
    scheduler.held(8, 9);
    scheduler.report(Fill::Nack, 8, 9);
    scheduler.cycle();
    scheduler.inputs.more = true;
    scheduler.fault(0, 8);
    scheduler.quiet(20);
}

/// G6: a block that is new, and one that came back, stay as long as they should, and not longer than two periods.
#[test]
fn block_stays_for_its_residence() {
    for residence in [0, 1, 2, 7, 100] {
        let mut times = BTreeSet::new();
        for phase in 0..=residence.min(7) {
            let mut scheduler = Scheduler::new("8");
            scheduler.inputs.residence = residence;
            scheduler.inputs.slots = 1;
            scheduler.cycles(phase);
            scheduler.give();
            let mut since = scheduler.cycle;
            for page in 0..3 {
                scheduler.held(page, 9);
                scheduler.fault(0, page);
                scheduler.inputs.more = true;
                while !scheduler.cycle().leave_valid {}
                let stayed = scheduler.cycle - 1 - since;
                assert!(stayed >= residence, "{stayed} of {residence}");
                assert!(stayed <= 2 * residence + 6, "{stayed} of {residence}");
                times.insert(stayed - residence);
                scheduler.inputs.leave_ready = true;
                scheduler.cycle();
                scheduler.inputs.more = false;
                scheduler.report(Fill::Translation, page, 0);
                scheduler.inputs.left_valid = true;
                scheduler.cycle();
                assert_eq!(scheduler.entered(), (0, 0));
                since = scheduler.cycle;
            }
        }
        assert!(residence < 2 || times.len() > 1, "{times:?}");
    }
}

/// G6: a period of all bits.
#[test]
fn block_stays_for_the_longest_residence() {
    let mut scheduler = Scheduler::new("8");
    scheduler.inputs.residence = 0xFFFF;
    scheduler.inputs.slots = 1;
    scheduler.cycles(40_000);
    scheduler.give();
    scheduler.held(7, 9);
    scheduler.fault(0, 7);
    scheduler.inputs.more = true;
    let since = scheduler.cycle;
    while !scheduler.cycle().leave_valid {}
    let stayed = scheduler.cycle - since;
    let (first, period) = (0x1_0000 - 40_000, 0x1_0000);
    assert!(stayed.abs_diff(first + period) < 10, "{stayed}");
}

/// What is offered, if it is, and its slot and context.
type Offer = fn(&Outputs) -> (bool, u64, u64);

/// An offer stays the same, whatever happens.
fn holds(scheduler: &mut Scheduler, offer: Offer) {
    let first = offer(&scheduler.cycle());
    assert!(first.0);
    for (slots, extra, threshold) in [(0, 0, 127), (1, 4, 0), (2, 4, 3)] {
        scheduler.inputs.slots = slots;
        scheduler.inputs.extra = extra;
        scheduler.inputs.threshold = threshold;
        scheduler.inputs.more = !scheduler.inputs.more;
        scheduler.inputs.left_valid = true;
        scheduler.inputs.entered_valid = true;
        scheduler.inputs.given_valid = true;
        scheduler.report(Fill::Translation, 7, 0);
        assert_eq!(offer(&scheduler.cycle()), first);
    }
    scheduler.inputs.more = false;
}

/// G7.
#[test]
fn offers_hold_until_they_are_taken() {
    let mut scheduler = Scheduler::full("8", 2);
    scheduler.held(7, 9);
    scheduler.fault(1, 7);
    scheduler.inputs.more = true;
    scheduler.cycle();
    let leave: Offer = |all| (all.leave_valid, all.leave_slot, all.leave_context);
    holds(&mut scheduler, leave);
    assert_eq!(scheduler.left(), (1, 0));
    scheduler.cycle();
    let enter: Offer = |all| (all.enter_valid, all.enter_slot, all.enter_context);
    holds(&mut scheduler, enter);
    assert_eq!(scheduler.entered(), (1, 0));
    scheduler.end(1);
    scheduler.cycle();
    scheduler.inputs.more = true;
    scheduler.cycle();
    let want: Offer = |all| (all.want_valid, all.want_slot, 0);
    holds(&mut scheduler, want);
    assert_eq!(scheduler.give(), 1);
}

/// G8: at once, also while another one is saved, and again and again while the GPU has blocks.
#[test]
fn free_slots_are_filled_while_another_one_is_saved() {
    let mut scheduler = Scheduler::full("8", 4);
    scheduler.held(7, 9);
    scheduler.fault(2, 7);
    scheduler.inputs.more = true;
    assert_eq!(scheduler.leaves(), (2, 0));
    scheduler.ended(3);
    assert!(!scheduler.cycle().want_valid, "it is seen to be free");
    let outputs = scheduler.cycle();
    assert_eq!((outputs.want_valid, outputs.want_slot), (true, 3));
    assert_eq!(scheduler.wanted(), 3);
    scheduler.ended(1);
    scheduler.inputs.given_valid = true; // none
    scheduler.cycle();
    for _ in 0..3 {
        assert_eq!(scheduler.wanted(), 1, "the lowest");
        scheduler.inputs.given_valid = true; // none
        scheduler.cycle();
    }
    assert_eq!(scheduler.give(), 1);
    scheduler.quiet(20); // the GPU has no more
    scheduler.inputs.more = true;
    assert_eq!(scheduler.give(), 3);
}

/// G4, G8: while the engine is at work, a slot is kept for a block that is ready.
#[test]
fn slot_is_kept_for_who_is_ready() {
    let mut scheduler = Scheduler::full("8", 3);
    scheduler.replaced(0, 0);
    scheduler.held(7, 9);
    scheduler.fault(1, 7);
    scheduler.inputs.more = true;
    assert_eq!(scheduler.leaves(), (1, 1));
    scheduler.comes(0);
    scheduler.ended(2);
    scheduler.quiet(20);
    scheduler.inputs.left_valid = true;
    scheduler.cycle();
    assert_eq!(scheduler.enters(), (1, 0), "the lowest");
    assert_eq!(scheduler.wanted(), 2, "nobody else is ready");
}

/// G8: an SM fills the slots that the kernel's blocks use.
#[test]
fn slots_in_use_are_filled_and_no_others() {
    for slots in 0..=16 {
        let mut scheduler = Scheduler::new("8");
        scheduler.inputs.slots = slots;
        assert!(scheduler.cycle().empty);
        for slot in 0..slots {
            assert_eq!(scheduler.give(), slot);
        }
        scheduler.inputs.more = true;
        scheduler.quiet(20);
        let outputs = scheduler.cycle();
        assert_eq!(outputs.active, (1 << slots) - 1);
        assert_eq!(outputs.empty, slots == 0);
    }
}

/// G9: a block that comes back meets its page again.
#[test]
fn slots_leave_in_turn() {
    let mut scheduler = Scheduler::full("8", 5);
    let mut pages = [0, 1, 2, 3, 4];
    for slot in 0..5 {
        scheduler.held(slot, 9);
        scheduler.fault(slot, slot);
    }
    assert_eq!(scheduler.replaced_one(), 1, "the turn begins after slot 0");
    let mut outside = pages[1];
    pages[1] = 5;
    scheduler.held(5, 9);
    scheduler.fault(1, 5);
    for turn in 2..14 {
        scheduler.comes(outside);
        let (slot, context) = scheduler.left();
        assert_eq!(slot, turn % 5);
        assert_eq!(scheduler.entered(), (slot, 1 - context));
        scheduler.held(outside, 9);
        scheduler.fault(slot, outside);
        std::mem::swap(&mut outside, &mut pages[slot as usize]);
        scheduler.cycles(4);
    }
}

/// G1: an end in each cycle of a switch.
#[test]
fn block_that_ends_while_it_leaves_takes_no_context() {
    for time in 0..5 {
        let mut scheduler = Scheduler::full("8", 2);
        scheduler.held(7, 9);
        scheduler.fault(0, 7);
        let ends = |scheduler: &mut Scheduler, now: i32| {
            if now == time {
                scheduler.end(0);
            }
        };
        scheduler.inputs.more = true;
        ends(&mut scheduler, 0); // as it is chosen
        scheduler.cycle();
        if time == 0 {
            assert_eq!(scheduler.give(), 0);
            continue;
        }
        scheduler.inputs.more = false;
        ends(&mut scheduler, 1);
        assert!(scheduler.cycle().leave_valid, "the offer holds");
        ends(&mut scheduler, 2);
        scheduler.inputs.leave_ready = true;
        scheduler.cycle();
        ends(&mut scheduler, 3);
        scheduler.cycle();
        scheduler.inputs.more = true;
        scheduler.quiet(5); // the engine works
        ends(&mut scheduler, 4);
        scheduler.inputs.left_valid = true;
        scheduler.cycle();
        assert_eq!(scheduler.cycle().off_chip, 0);
        assert_eq!(scheduler.give(), 0);
        scheduler.comes(7);
        scheduler.inputs.more = true;
        scheduler.ended(1);
        assert_eq!(scheduler.wanted(), 1, "nobody comes back");
    }
}

/// A block that ends takes what it waits for with it.
#[test]
fn next_block_of_a_slot_does_not_wait_for_the_last_ones_pages() {
    let mut scheduler = Scheduler::full("8", 2);
    scheduler.held(7, 9);
    scheduler.fault(0, 7);
    scheduler.ended(0);
    assert_eq!(scheduler.give(), 0);
    scheduler.inputs.more = true;
    scheduler.quiet(20);
    scheduler.fault(0, 7);
    assert_eq!(scheduler.left(), (0, 0));
}

/// G1: what is refused is reported, its slot is filled again, and its context is free.
#[test]
fn refused_context_is_given_up_and_reported() {
    let mut scheduler = Scheduler::full("8", 3);
    for slot in [0, 2] {
        scheduler.replaced(slot, slot);
    }
    scheduler.ended(1);
    scheduler.comes(2);
    assert_eq!(scheduler.enters(), (1, 1));
    scheduler.inputs.entered_refused = true;
    assert!(!scheduler.cycle().lost_valid, "nothing was reported yet");
    scheduler.inputs.entered_valid = true;
    scheduler.inputs.entered_refused = true;
    let outputs = scheduler.cycle();
    assert_eq!((outputs.lost_valid, outputs.lost_context), (true, 1));
    let outputs = scheduler.cycle();
    assert_eq!((outputs.active, outputs.off_chip), (0b101, 1));
    assert_eq!(scheduler.give(), 1);
    assert_eq!(scheduler.replaced(1, 5), 1, "its context is free");
}

/// Reset forgets blocks, pages, offers and turns.
#[test]
fn reset_forgets_everything() {
    let mut scheduler = Scheduler::full("8", 3);
    scheduler.replaced(0, 0);
    scheduler.held(7, 9);
    scheduler.fault(1, 7);
    scheduler.inputs.more = true;
    scheduler.leaves();
    scheduler.inputs.reset = true;
    scheduler.cycle();
    scheduler.inputs.reset = false;
    scheduler.inputs.more = false;
    let outputs = scheduler.cycle();
    let none = Outputs {
        empty: true,
        ..Outputs::default()
    };
    assert_eq!(outputs, none);
    scheduler.inputs.left_valid = true;
    scheduler.quiet(5);
    assert_eq!(scheduler.give(), 0);
    scheduler.cycles(4);
    scheduler.inputs.more = true;
    assert_eq!(scheduler.wanted(), 1);
    scheduler.fault(0, 7); // which is not followed
    scheduler.quiet(20);
}

/// A block of a kernel, which meets some pages before it ends.
#[derive(Clone, Debug)]
struct Work {
    number: u64,
    faults: u64,
    waits: BTreeSet<u64>,
}

/// A kernel's blocks around a scheduler, with a queue of faults, a driver, and an engine that takes its time.
struct Kernel {
    scheduler: Scheduler,
    rng: Rng,
    slots: BTreeMap<u64, Work>,
    contexts: BTreeMap<u64, Work>,
    queue: VecDeque<u64>,
    unborn: u64,
    dead: BTreeSet<u64>,
    switches: u64,
}

impl Kernel {
    const BLOCKS: u64 = 120;

    /// A block that runs may meet a page, new or known; one that has met all of its pages ends.
    fn run_blocks(&mut self) {
        let slot = self.rng.below(16);
        let Some(work) = self
            .slots
            .get_mut(&slot)
            .filter(|work| work.waits.is_empty())
        else {
            return;
        };
        match work.faults {
            0 => {
                self.dead.insert(work.number);
                self.slots.remove(&slot);
                self.scheduler.end(slot);
            }
            _ => {
                let place = self.rng.below(8) as usize;
                if self.queue.len() <= place {
                    let page = self.rng.bits() >> 30;
                    self.scheduler.held(page, self.queue.len() as u64);
                    self.queue.push_back(page);
                }
                let page = self.queue[place.min(self.queue.len() - 1)];
                work.faults -= 1;
                work.waits.insert(page);
                self.scheduler.meet(slot, page);
            }
        }
    }

    fn bring_a_page(&mut self) {
        let Some(page) = self.queue.pop_front() else {
            return;
        };
        self.scheduler.report(Fill::Translation, page, 0);
        let all = self.slots.values_mut().chain(self.contexts.values_mut());
        all.for_each(|work| {
            work.waits.remove(&page);
        });
    }

    /// One cycle of the scheduler; what it offers is done at once, or some time later.
    fn cycle(&mut self, offered: &mut Option<Outputs>) {
        self.scheduler.inputs.more = self.unborn > 0;
        let outputs = self.scheduler.cycle();
        assert!(outputs.off_chip <= 5 && !outputs.lost_valid);
        if outputs.leave_valid || outputs.enter_valid || outputs.want_valid {
            *offered = Some(outputs);
        }
    }
}

/// G1, G2 and G5 over a whole kernel: every block is given once, ends once, and never waits for ever.
#[test]
fn all_blocks_of_a_kernel_end() {
    for seed in 1..4 {
        let mut kernel = Kernel {
            scheduler: Scheduler::new("8"),
            rng: Rng::new(seed),
            slots: BTreeMap::new(),
            contexts: BTreeMap::new(),
            queue: VecDeque::new(),
            unborn: Kernel::BLOCKS,
            dead: BTreeSet::new(),
            switches: 0,
        };
        kernel.scheduler.inputs.slots = 4 + seed;
        kernel.scheduler.inputs.residence = 10;
        kernel.scheduler.inputs.threshold = 2;
        while kernel.dead.len() < Kernel::BLOCKS as usize {
            assert!(kernel.scheduler.cycle < 200_000, "{:?}", kernel.slots);
            kernel.step();
        }
        assert!(kernel.switches > 40, "{} switches", kernel.switches);
        kernel.scheduler.cycles(2);
        assert!(kernel.scheduler.cycle().empty);
    }
}

impl Kernel {
    fn step(&mut self) {
        let mut offered = None;
        if self.rng.byte() < 40 {
            self.run_blocks();
        } else if self.rng.byte() < 3 {
            self.bring_a_page();
        }
        self.cycle(&mut offered);
        let Some(outputs) = offered else { return };
        if outputs.want_valid {
            self.scheduler.inputs.want_ready = true;
            self.scheduler.cycle();
            self.scheduler.inputs.given_valid = true;
            self.scheduler.inputs.given_some = self.unborn > 0;
            if self.unborn > 0 {
                self.unborn -= 1;
                let work = Work {
                    number: self.unborn,
                    faults: self.rng.below(5),
                    waits: BTreeSet::new(),
                };
                let old = self.slots.insert(outputs.want_slot, work);
                assert!(old.is_none(), "the slot has a block");
            }
            self.scheduler.cycle();
        } else if outputs.leave_valid {
            self.switches += 1;
            let (slot, context) = (outputs.leave_slot, outputs.leave_context);
            // It may have ended since it was chosen.
            if let Some(work) = self.slots.remove(&slot) {
                let old = self.contexts.insert(context, work);
                assert!(old.is_none(), "the context has a block");
            }
            self.scheduler.inputs.leave_ready = true;
            self.scheduler.cycle();
            self.scheduler.inputs.left_valid = true;
            self.scheduler.cycle();
        } else {
            let (slot, context) = (outputs.enter_slot, outputs.enter_context);
            let work = self.contexts.remove(&context).expect("a block comes back");
            assert!(work.waits.is_empty(), "it waits for {:?}", work.waits);
            let old = self.slots.insert(slot, work);
            assert!(old.is_none(), "the slot has a block");
            self.scheduler.inputs.enter_ready = true;
            self.scheduler.cycle();
            self.scheduler.inputs.entered_valid = true;
            self.scheduler.cycle();
        }
    }
}

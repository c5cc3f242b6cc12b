//! Contract tests of the far-fault MSHRs. Each is named for a guarantee of their page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::mmu::far_fault_mshr::{Inputs, Outputs, Page};
use faultline_testbench::support;
use faultline_testbench::support::mshr::{
    Answer, Mshr, Report, Wake, answer, command, command_all, fault, missing, page, present, wake,
};

/// Entries of the size that is tested by hand.
const ENTRIES: u64 = 16;
const SMALL: &str = "16";

/// Every SM.
const ALL: u16 = u16::MAX;

fn far(requesters: u16, place: u16) -> Answer {
    Answer {
        far: requesters,
        nack: 0,
        place,
    }
}

fn woken(page: Page, to: u16) -> Wake {
    Wake {
        page,
        to,
        denied: false,
    }
}

fn denied(page: Page, to: u16) -> Wake {
    Wake {
        denied: true,
        ..woken(page, to)
    }
}

#[test]
fn matches_model() {
    support::matches_model("far_fault_mshr");
}

/// G1.
#[test]
fn each_requester_receives_far_or_nack() {
    let mut mshr = Mshr::new(SMALL);
    mshr.limit = 1;
    assert_eq!(mshr.fault(page(1), 0b0011), far(0b0011, 0));
    let both = Answer {
        far: 0b1100,
        nack: 0b0011,
        place: 1,
    };
    assert_eq!(mshr.fault(page(2), 0b1111), both);
    assert_eq!(mshr.present(page(2)), [woken(page(2), 0b1100)]);
}

/// G2.
#[test]
fn second_fault_on_a_page_merges() {
    let mut mshr = Mshr::new(SMALL);
    assert_eq!(mshr.fault(page(9), 1), far(1, 0));
    assert_eq!(mshr.fault(page(9), 6), far(6, 0));
    assert_eq!(mshr.fault(page(9), 3), far(3, 0), "it waits already");
    assert_eq!(mshr.held(), 1);
    assert_eq!(mshr.reports.len(), 1);
    assert_eq!(mshr.present(page(9)), [woken(page(9), 7)]);
    assert_eq!(mshr.fault(page(9), 8), far(8, 0));
    mshr.rest();
    assert_eq!(mshr.reports.len(), 2, "it is a new fault after its wake-up");
}

/// G2: other pages are compared in every bit, those of the same tag among them.
#[test]
fn page_that_differs_in_one_bit_or_in_its_space_is_another_one() {
    let mut mshr = Mshr::new("64");
    mshr.limit = 31;
    let base = Page {
        vpn: 0x5_5555_5555,
        asid: 0x33,
    };
    assert_eq!(mshr.fault(base, 1), far(1, 0));
    let numbers = (0..36).map(|bit| Page {
        vpn: base.vpn ^ 1 << bit,
        ..base
    });
    let asids = (0..8).map(|bit| Page {
        asid: base.asid ^ 1 << bit,
        ..base
    });
    // The number and the space together leave the tag as it is.
    let tags = (0..8).map(|bit| Page {
        vpn: base.vpn ^ 1 << bit,
        asid: base.asid ^ 1 << bit,
    });
    for other in numbers.chain(asids).chain(tags) {
        assert_eq!(mshr.present(other), []);
        assert_eq!(mshr.command(&command(other, true)), []);
        assert_eq!(mshr.resolve(other), []);
        assert_eq!(mshr.fault(other, 2), far(2, 1), "{other:?}");
        assert_eq!(mshr.resolve(other), [other]);
        assert_eq!(mshr.present(other), [woken(other, 2)]);
    }
    assert_eq!(mshr.present(base), [woken(base, 1)]);
}

/// G2: by regions, the pages of one are the same.
#[test]
fn pages_of_a_region_share_an_entry() {
    let mut mshr = Mshr::new(SMALL);
    mshr.region = true;
    assert_eq!(mshr.fault(page(0x25), 1), far(1, 0));
    assert_eq!(mshr.fault(page(0x30), 8), far(8, 1));
    for inside in 0x20..0x30 {
        assert_eq!(mshr.fault(page(inside), 2), far(2, 0));
        assert_eq!(mshr.resolve(page(inside)), [page(0x25)]);
    }
    assert_eq!(mshr.present(page(0x2f)), [woken(page(0x25), 3)]);
    assert_eq!(
        mshr.command(&command(page(0x3f), true)),
        [denied(page(0x30), 8)]
    );
    assert_eq!(mshr.held(), 0);
}

/// A fault of a page that was read.
fn read(page: Page, requesters: u16) -> Inputs {
    Inputs {
        fault_access: 4,
        ..fault(page, requesters)
    }
}

/// G2: a write that merges behind a read is reported, or a driver would map the page to be read alone.
#[test]
fn write_that_merges_behind_a_read_is_reported() {
    let mut mshr = Mshr::new(SMALL);
    mshr.accept(&read(page(4), 8));
    mshr.settle();
    mshr.accept(&read(page(5), 1));
    mshr.settle();
    mshr.accept(&read(page(5), 4));
    mshr.settle();
    assert_eq!(mshr.reports.len(), 2, "a read adds nothing");
    assert_eq!(mshr.fault(page(5), 2), far(2, 1));
    mshr.settle();
    let report = Report {
        page: page(5),
        requesters: 2,
        how: [5, 2, 3],
        index: 1,
        place: 1,
    };
    assert_eq!(mshr.reports[2..], [report]);
    assert_eq!(mshr.fault(page(5), 3), far(3, 1));
    mshr.settle();
    assert_eq!(mshr.reports.len(), 3, "nor does a second write");
    assert_eq!(mshr.present(page(5)), [woken(page(5), 7)]);
}

/// G2: an SM that already waits for the page receives far without room for a report. The next report says that it is written.
#[test]
fn write_without_room_for_its_report_is_reported_when_the_page_is_missed_again() {
    let mut mshr = Mshr::new(SMALL);
    mshr.accept(&read(page(5), 3));
    mshr.settle();
    mshr.limit = 0;
    mshr.accept(&fault(page(5), 2));
    let lost = (0..6).filter(|_| mshr.rest().lost).count();
    assert_eq!((lost, mshr.reports.len()), (1, 1));
    mshr.limit = 16;
    mshr.command(&missing(page(5), 2, 1));
    assert_eq!(mshr.reports[1].how, [5, 2, 1]);
}

/// G6: a page that is absent after a resolution is reported again, with the SMs that wait; its place and they stay.
#[test]
fn page_that_a_walk_does_not_find_is_reported_again() {
    let mut mshr = Mshr::new(SMALL);
    assert_eq!(mshr.fault(page(4), 1), far(1, 0));
    assert_eq!(mshr.fault(page(5), 1), far(1, 1));
    assert_eq!(mshr.fault(page(5), 4), far(4, 1));
    mshr.settle();
    mshr.reports.clear();
    for _ in 0..3 {
        assert_eq!(mshr.resolve(page(5)), [page(5)]);
        assert_eq!(mshr.command(&missing(page(5), 6, 2)), []);
    }
    let report = Report {
        page: page(5),
        requesters: 5,
        how: [1, 6, 2],
        index: 1,
        place: 1,
    };
    assert_eq!(mshr.reports, [report; 3]);
    assert_eq!(mshr.command(&missing(page(6), 2, 1)), []);
    assert_eq!(mshr.reports.len(), 3, "nobody waits for that page");
    mshr.limit = 0;
    mshr.accept(&missing(page(5), 2, 1));
    let lost = (0..6).filter(|_| mshr.rest().lost).count();
    assert_eq!((lost, mshr.reports.len()), (1, 3), "there is no room");
    assert_eq!(mshr.present(page(5)), [woken(page(5), 5)]);
}

/// G6: a page that may only not be written is walked for a write, or each walk would find it.
#[test]
fn walk_is_for_a_write_where_a_read_would_find_the_page() {
    for (cause, write) in [(2, false), (4, true), (5, false), (6, true)] {
        let mut mshr = Mshr::new(SMALL);
        mshr.accept(&read(page(5), 1));
        mshr.settle();
        mshr.accept(&Inputs {
            fault_cause: cause,
            ..fault(page(5), 2)
        });
        mshr.settle();
        mshr.walk_ready = false;
        mshr.accept(&command(page(5), false));
        let walked = (0..9).map(|_| mshr.rest()).find(|shown| shown.walk_valid);
        assert_eq!(walked.unwrap().walk_write, write, "cause {cause}");
    }
}

/// G4: an SM may have as many far faults as a real micro-TLB had under way.
#[test]
fn one_sm_may_have_every_entry() {
    let mut mshr = Mshr::new("64");
    mshr.limit = 56;
    let held = (0..64).filter(|number| mshr.fault(page(*number), 1).far == 1);
    assert_eq!(held.count(), 56);
}

/// G3.
#[test]
fn every_waiter_is_woken_once() {
    let mut mshr = Mshr::new(SMALL);
    for sm in 0..16 {
        mshr.fault(page(3), 1 << sm);
    }
    mshr.fault(page(4), 2);
    assert_eq!(mshr.present(page(3)), [woken(page(3), ALL)]);
    assert_eq!(mshr.present(page(3)), []);
    // The next fault of the page finds no waiter of before.
    mshr.fault(page(3), 4);
    assert_eq!(mshr.present(page(3)), [woken(page(3), 4)]);
    assert_eq!(mshr.present(page(4)), [woken(page(4), 2)]);
}

/// G3: a fault beside the end of its page's entry is held before it and woken by it, or is a new one.
#[test]
fn waiter_of_the_cycle_of_a_wake_up_is_not_lost() {
    for fault_first in [false, true] {
        let mut mshr = Mshr::new(SMALL);
        mshr.fault(page(5), 1);
        if !fault_first {
            // The last operation was not a fault, so the next one goes first.
            mshr.present(page(77));
        }
        let both = Inputs {
            present_valid: true,
            present_vpn: 5,
            ..fault(page(5), 2)
        };
        let outputs = mshr.cycle(&both);
        assert_eq!(outputs.fault_ready, !fault_first);
        assert_eq!(outputs.present_ready, fault_first);
        if fault_first {
            assert_eq!(mshr.settle(), [woken(page(5), 1)]);
            assert_eq!(mshr.fault(page(5), 2), far(2, 0));
            assert_eq!(mshr.present(page(5)), [woken(page(5), 2)]);
        } else {
            assert_eq!(mshr.present(page(5)), [woken(page(5), 3)]);
        }
    }
}

/// G4.
#[test]
fn no_sm_has_more_than_its_limit() {
    let mut mshr = Mshr::new("64");
    for limit in [0, 1, 4, 16] {
        mshr.limit = limit;
        for number in 0..u64::from(limit) {
            assert_eq!(mshr.fault(page(number), 1).far, 1);
        }
        assert_eq!(mshr.fault(page(100), 1).nack, 1);
        assert_eq!(mshr.fault(page(101), 2).far, u16::from(limit > 0) * 2);
        assert_eq!(mshr.fault(page(101), 1).nack, 1, "a merge counts as well");
        if limit > 0 {
            assert_eq!(mshr.fault(page(0), 1).far, 1, "it waits there already");
            assert_eq!(mshr.present(page(0)).len(), 1);
            assert_eq!(mshr.fault(page(100), 1).far, 1);
        }
        mshr.command(&command_all(true));
        assert_eq!(mshr.held(), 0);
    }
}

/// G4: the limit is that of the cycle in which the fault acts, the second one after that in which it is accepted and two
/// for each entry that is read later.
#[test]
fn limit_is_looked_at_in_the_cycle_of_the_action() {
    // With a page that is held already there is a read, and otherwise none but of other pages.
    for (held, acts) in [(false, 3), (true, 4)] {
        for high in 0..6 {
            let mut mshr = Mshr::new("64");
            if held {
                assert_eq!(mshr.fault(page(5), 2).far, 2);
            }
            mshr.limit = if high == 0 { 16 } else { 0 };
            let outputs = mshr.cycle(&fault(page(5), 1));
            assert!(outputs.fault_ready);
            for cycle in 1..=acts {
                mshr.limit = if cycle == high { 16 } else { 0 };
                assert_eq!(answer(&mshr.rest()), None, "cycle {cycle}");
            }
            let (_, answer_of) = answer(&mshr.rest()).unwrap();
            assert_eq!(answer_of.far, u16::from(high == acts), "{held} {high}");
        }
    }
}

/// `present` goes before a command and a step whatever the last operation was, and before a fault after a fault.
#[test]
fn page_that_is_present_goes_before_a_command_and_a_step() {
    for (last, marked) in [(0, false), (1, false), (2, false), (2, true)] {
        let mut mshr = Mshr::new("64");
        for number in 0..3 {
            mshr.fault(page(number), 1);
        }
        mshr.settle();
        match last {
            0 => {
                mshr.fault(page(9), 1);
                mshr.settle();
            }
            1 => assert_eq!(mshr.present(page(9)), []),
            _ if marked => mshr.accept(&command_all(false)),
            _ => {
                mshr.command(&command(page(9), true));
            }
        }
        let both = Inputs {
            present_valid: true,
            present_vpn: 2,
            ..command(page(1), false)
        };
        let outputs = loop {
            let outputs = mshr.cycle(&both);
            if outputs.present_ready {
                break outputs;
            }
            assert!(!outputs.command_ready);
        };
        assert!(!outputs.command_ready, "{last}");
        assert_eq!(mshr.settle(), [woken(page(2), 1)]);
    }
}

/// `sweeping` is high from the cycle after the command's action to that of the last step's.
#[test]
fn sweeping_is_high_from_the_mark_to_the_last_step() {
    for entries in 0..4 {
        for cancel in [false, true] {
            let mut mshr = Mshr::new("64");
            for number in 0..entries {
                mshr.fault(page(number), 1);
            }
            mshr.settle();
            assert!(mshr.cycle(&command_all(cancel)).command_ready);
            let swept: Vec<_> = (1..60).map(|_| mshr.rest()).collect();
            let high = |outputs: &Outputs| outputs.sweeping;
            let count = swept.iter().filter(|outputs| high(outputs)).count();
            // Every step takes four cycles after that in which it is accepted, and its walk or wake-up a cycle to be taken.
            let wanted = match entries {
                0 => 0,
                _ => 6 * entries as usize - 1,
            };
            assert_eq!(count, wanted, "{entries} {cancel}");
            assert_eq!(swept.iter().position(high), (entries > 0).then_some(1));
        }
    }
}

/// G4, and the full structure goes on: it merges, and an entry that ends makes room.
#[test]
fn full_structure_answers_nack_and_goes_on() {
    let mut mshr = Mshr::new(SMALL);
    for number in 0..ENTRIES {
        let sm = 1 << number;
        assert_eq!(mshr.fault(page(number), sm), far(sm, number as u16));
    }
    assert_eq!(mshr.fault(page(99), 1).nack, 1);
    assert_eq!(mshr.fault(page(7), 1), far(1, 7));
    assert_eq!(mshr.held(), ENTRIES as u16);
    assert_eq!(mshr.present(page(7)), [woken(page(7), 1 << 7 | 1)]);
    assert_eq!(mshr.fault(page(99), 1), far(1, 15));
    // The waiters of no entry were touched by what was refused.
    let mut all = mshr.command(&command_all(true));
    all.sort_by_key(|wake| wake.page);
    assert_eq!(all.len() as u64, ENTRIES);
    assert!(all[..7].iter().all(|wake| wake.to == 1 << wake.page.vpn));
}

/// G5.
#[test]
fn cancel_denies_its_page_and_no_other() {
    let mut mshr = Mshr::new(SMALL);
    let other = Page { vpn: 1, asid: 1 };
    mshr.fault(page(1), 1);
    mshr.fault(other, 2);
    mshr.fault(page(2), 4);
    assert_eq!(mshr.command(&command(page(3), true)), []);
    assert_eq!(mshr.command(&command(other, true)), [denied(other, 2)]);
    assert_eq!(mshr.command(&command(other, true)), []);
    assert_eq!(mshr.held(), 2);
    assert_eq!(mshr.present(page(1)), [woken(page(1), 1)]);
    assert_eq!(mshr.present(page(2)), [woken(page(2), 4)]);
}

/// G5.
#[test]
fn cancel_denies_those_whom_it_names_and_leaves_the_others() {
    let mut mshr = Mshr::new(SMALL);
    mshr.fault(page(8), 1);
    mshr.fault(page(1), 0b0111);
    let of = |requesters| Inputs {
        command_requesters: requesters,
        ..command(page(1), true)
    };
    assert_eq!(mshr.command(&of(0b1000)), [], "it does not wait");
    assert_eq!(mshr.command(&of(0)), []);
    assert_eq!(mshr.command(&of(0b1010)), [denied(page(1), 0b0010)]);
    assert_eq!(mshr.command(&of(0b1010)), [], "it was reported");
    assert_eq!(mshr.held(), 2);
    assert_eq!(mshr.present(page(8)), [woken(page(8), 1)]);
    // An SM that was denied may fault again, and finds its place as it was.
    assert_eq!(mshr.fault(page(1), 0b0010), far(0b0010, 1));
    assert_eq!(mshr.command(&of(0b0100)), [denied(page(1), 0b0100)]);
    assert_eq!(mshr.present(page(1)), [woken(page(1), 0b0011)]);
    assert_eq!(mshr.held(), 0);
    mshr.fault(page(1), 0b0110);
    assert_eq!(mshr.command(&of(0b0110)), [denied(page(1), 0b0110)]);
    assert_eq!(mshr.held(), 0);
}

/// G5, G6: of one SM in all pages.
#[test]
fn cancel_of_an_sm_denies_it_every_page() {
    let mut mshr = Mshr::new(SMALL);
    for number in 0..8 {
        mshr.fault(page(number), if number % 2 == 0 { 0b011 } else { 0b110 });
    }
    mshr.fault(page(9), 0b100);
    let of = |requesters| Inputs {
        command_requesters: requesters,
        ..command_all(true)
    };
    let expected: Vec<_> = [0, 2, 4, 6].map(|number| denied(page(number), 1)).into();
    assert_eq!(mshr.command(&of(1)), expected);
    assert_eq!(mshr.held(), 9);
    assert_eq!(mshr.command(&of(1)), []);
    // An SM that was denied has its far faults again.
    mshr.limit = 1;
    assert_eq!(mshr.fault(page(20), 1).far, 1);
    assert_eq!(mshr.fault(page(21), 1).nack, 1);
    assert_eq!(mshr.command(&of(ALL)).len(), 10);
    assert_eq!(mshr.held(), 0);
}

/// G5: a walk of before a cancel finds the page of a later entry, and wakes it, for the page is there.
#[test]
fn walk_from_before_a_cancel_wakes_or_does_nothing() {
    let mut mshr = Mshr::new(SMALL);
    mshr.fault(page(1), 1);
    assert_eq!(mshr.resolve(page(1)), [page(1)]);
    assert_eq!(mshr.command(&command(page(1), true)), [denied(page(1), 1)]);
    assert_eq!(mshr.present(page(1)), []);
    mshr.fault(page(1), 2);
    assert_eq!(mshr.present(page(1)), [woken(page(1), 2)]);
}

/// G6.
#[test]
fn premature_resolution_walks_again_and_keeps_waiting() {
    let mut mshr = Mshr::new(SMALL);
    mshr.fault(page(8), 4);
    mshr.fault(page(1), 1);
    for _ in 0..3 {
        // The walk finds nothing, and no answer comes of it.
        assert_eq!(mshr.resolve(page(1)), [page(1)]);
        assert_eq!(mshr.held(), 2);
    }
    assert_eq!(mshr.present(page(8)), [woken(page(8), 4)]);
    assert_eq!(mshr.fault(page(1), 2), far(2, 1), "it keeps its place");
    assert_eq!(mshr.resolve(page(1)), [page(1)]);
    assert_eq!(mshr.present(page(1)), [woken(page(1), 3)]);
    assert_eq!(mshr.resolve(page(1)), []);
}

/// G6.
#[test]
fn resolution_of_all_walks_every_page_that_is_held() {
    let mut mshr = Mshr::new(SMALL);
    assert_eq!(mshr.command(&command_all(false)), []);
    for number in 0..ENTRIES {
        mshr.fault(page(number), 1 << number);
    }
    assert_eq!(mshr.command(&command_all(false)), []);
    let expected: Vec<_> = (0..ENTRIES).map(page).collect();
    assert_eq!(std::mem::take(&mut mshr.walks), expected);
    assert_eq!(mshr.held(), ENTRIES as u16);
    assert_eq!(mshr.present(page(3)), [woken(page(3), 8)]);
    let all = mshr.command(&command_all(true));
    assert_eq!(all.len() as u64, ENTRIES - 1);
    assert!(all.iter().all(|wake| wake.denied));
    assert_eq!(mshr.held(), 0);
}

/// G6, G10: a sweep waits for the walker, and faults and wake-ups do not wait for the sweep.
#[test]
fn faults_go_on_during_a_sweep() {
    let mut mshr = Mshr::new(SMALL);
    for number in 0..4 {
        mshr.fault(page(number), 1);
    }
    mshr.walk_ready = false;
    mshr.accept(&command_all(false));
    for _ in 0..20 {
        mshr.rest();
    }
    assert!(mshr.rest().sweeping);
    assert!(!mshr.cycle(&command(page(0), true)).command_ready);
    assert_eq!(mshr.fault(page(50), 2), far(2, 4));
    assert_eq!(mshr.fault(page(2), 2), far(2, 2));
    mshr.accept(&present(page(2)));
    let shown = (0..8).find_map(|_| wake(&mshr.rest()));
    assert_eq!(shown, Some(woken(page(2), 3)));
    mshr.walk_ready = true;
    assert_eq!(mshr.settle(), []);
    // Neither the one that has ended nor the one that has come is walked.
    assert_eq!(mshr.walks, [page(0), page(1), page(3)]);
}

/// G7.
#[test]
fn place_is_the_number_of_faults_held_when_it_was_queued() {
    let mut mshr = Mshr::new(SMALL);
    for number in 0..8 {
        assert_eq!(mshr.fault(page(number), 1), far(1, number as u16));
    }
    for number in [2, 5, 0] {
        mshr.present(page(number));
    }
    assert_eq!(mshr.held(), 5);
    assert_eq!(mshr.fault(page(7), 2), far(2, 7));
    assert_eq!(mshr.fault(page(2), 2), far(2, 5));
    assert_eq!(mshr.fault(page(2), 4), far(4, 5));
}

/// G8.
#[test]
fn every_new_entry_is_reported_once() {
    let mut mshr = Mshr::new(SMALL);
    mshr.limit = 2;
    for number in 0..3 {
        mshr.accept(&Inputs {
            fault_access: number as u8 + 2,
            fault_cause: 2,
            fault_level: 7 - number as u8,
            ..fault(page(number), 1 << number | 8)
        });
        mshr.settle();
    }
    let report = |number: u64, requesters| Report {
        page: page(number),
        requesters,
        how: [number as u8 + 2, 2, 7 - number as u8],
        index: number as u16,
        place: number as u16,
    };
    let expected = [report(0, 9), report(1, 10), report(2, 4)];
    assert_eq!(mshr.reports, expected);
}

/// G8: a driver that does not read holds new faults back, and nothing else.
#[test]
fn report_that_is_not_taken_holds_faults_alone() {
    let mut mshr = Mshr::new(SMALL);
    mshr.report_ready = false;
    mshr.fault(page(0), 1);
    for _ in 0..20 {
        assert!(!mshr.cycle(&fault(page(1), 2)).fault_ready);
    }
    mshr.accept(&command(page(0), false));
    mshr.accept(&present(page(0)));
    let shown = (0..8).find_map(|_| wake(&mshr.rest()));
    assert_eq!(shown, Some(woken(page(0), 1)));
    mshr.report_ready = true;
    assert_eq!(mshr.fault(page(1), 2), far(2, 0));
}

/// G9.
#[test]
fn offers_hold_until_they_are_taken() {
    let mut mshr = Mshr::new(SMALL);
    mshr.fault(page(1), 1);
    mshr.accept(&command(page(1), false));
    mshr.rest();
    mshr.accept(&fault(page(2), 6));
    for _ in 0..30 {
        let outputs = mshr.exactly(&present(page(1)));
        if outputs.answer_valid {
            assert_eq!(answer(&outputs), Some((page(2), far(6, 1))));
            assert!(!outputs.present_ready);
        }
    }
    let outputs = mshr.exactly(&Inputs::default());
    assert!(outputs.answer_valid && outputs.report_valid);
    assert_eq!(outputs.report_vpn, 2);
    mshr.settle();
    mshr.accept(&present(page(2)));
    let mut shown = 0;
    for _ in 0..30 {
        let outputs = mshr.exactly(&fault(page(3), 1));
        shown += u32::from(wake(&outputs) == Some(woken(page(2), 6)));
        assert!(!outputs.fault_ready);
    }
    assert!(shown > 20);
}

/// G10.
#[test]
fn fault_is_answered_in_time_whatever_comes_beside_it() {
    let mut mshr = Mshr::new(SMALL);
    // Every entry has the same tag, and the last one is requested.
    for number in 0..ENTRIES {
        mshr.fault(page(number << 8), 1);
    }
    let both = Inputs {
        present_valid: true,
        present_vpn: 1 << 8 | 1 << 30,
        command_valid: true,
        command_vpn: 1 << 9 | 1 << 30,
        ..fault(page(15 << 8), 2)
    };
    let mut since = 0;
    let mut answers = 0;
    for _ in 0..2000 {
        let outputs = mshr.cycle(&both);
        since += 1;
        if outputs.answer_valid {
            answers += 1;
            since = 0;
        }
        assert!(since <= 2 * (2 * ENTRIES + 5));
    }
    assert!(answers > 20);
}

#[test]
fn reset_forgets_everything() {
    let mut mshr = Mshr::new(SMALL);
    mshr.fault(page(1), 1);
    mshr.fault(page(2), 1);
    mshr.accept(&command_all(false));
    mshr.accept(&fault(page(3), 1));
    mshr.reset();
    let outputs = mshr.rest();
    assert!(outputs.held == 0 && !outputs.sweeping && !outputs.answer_valid);
    assert_eq!(mshr.settle(), []);
    mshr.reports.clear();
    mshr.limit = 1;
    assert_eq!(mshr.fault(page(1), 1), far(1, 0));
}

//! Contract tests of the memory unit: each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::sm::memory_unit::{Outputs, Parameters};
use faultline_testbench::support;
use faultline_testbench::support::memory::{
    Event::{self, Absent, Check, Checked, Denied, Faulted, Line, Resume},
    Reply, Unit, line,
};

const ACCESSES: u8 = Parameters::PAPER.accesses as u8;
const PAGES: u64 = Parameters::PAPER.pages as u64;

#[test]
fn matches_model() {
    support::matches_model("memory_unit");
}

/// A unit in which pages 1 to 7 are there.
fn unit() -> Unit {
    let mut unit = Unit::new();
    for page in 1..8 {
        unit.pages.insert(page, Reply::Hit(10 * page as u32));
    }
    unit
}

/// All page entries are taken by accesses of other warps, which wait for pages 100 and more.
fn full_unit() -> Unit {
    let mut unit = unit();
    for number in 0..PAGES {
        unit.warp = 10 + number as u8;
        unit.enter(7, false, &[line(100 + number, 0)]);
    }
    unit.warp = 3;
    assert_eq!(unit.settle_unchecked(), []);
    unit
}

fn count(events: &[Event], wanted: Event) -> usize {
    events.iter().filter(|event| **event == wanted).count()
}

/// G1.
#[test]
fn every_instruction_is_decided_once_with_its_own_tag() {
    let mut unit = unit();
    unit.pages.insert(9, Reply::Fault);
    let mut decided = Vec::new();
    let mut entered = Vec::new();
    let pages = [1, 9, 2, 30, 3, 9, 4, 31];
    for (number, page) in (0u8..).zip(pages) {
        unit.inputs.instruction_index = 60 - number;
        unit.inputs.instruction_log_address = 64 + number;
        unit.inputs.instruction_log_data = 32 + number;
        unit.warp = number * 8;
        let store = number % 2 == 0;
        let lines = [line(1, number.into()), line(page, 9)];
        unit.enter(number, store, &lines);
        entered.push((number, number * 8, 60 - number, page == 9));
    }
    unit.pages.insert(30, Reply::Hit(300));
    unit.pages.insert(31, Reply::Hit(310));
    for cycle in 0..200 {
        let outputs = match cycle {
            100 => unit.wake(30, false),
            110 => unit.wake(31, false),
            _ => unit.cycle(),
        };
        let o = &outputs;
        if o.checked_valid {
            let logs = (o.checked_log_address, o.checked_log_data);
            assert_eq!(logs, (64 + o.checked_entry, 32 + o.checked_entry));
            assert_eq!(o.checked_store, o.checked_entry % 2 == 0);
            assert_eq!(o.checked_slot, o.checked_warp / 4);
            decided.push((o.checked_entry, o.checked_warp, o.checked_index, false));
        }
        if o.faulted_valid {
            decided.push((o.faulted_entry, o.faulted_warp, o.faulted_index, true));
        }
    }
    // The first of them may have been decided before the last one entered.
    let events = &unit.events;
    let early = |event: &Event| matches!(event, Checked(_) | Faulted(_));
    let all = events.iter().filter(|event| early(event)).count();
    assert_eq!(all, entered.len());
    assert!(decided.len() > 1);
    assert!(decided.iter().all(|access| entered.contains(access)));
    for entry in 0..8 {
        let faults = usize::from(pages[usize::from(entry)] == 9);
        assert_eq!(count(events, Faulted(entry)), faults);
        assert_eq!(count(events, Checked(entry)), 1 - faults);
    }
}

/// G1: no instruction enters where none is free, and the coalescer receives those with lanes alone.
#[test]
fn instruction_enters_together_with_the_coalescer() {
    let mut unit = unit();
    unit.inputs.split_ready = false;
    let offer = unit.offer(0, false, &[line(1, 0)]);
    assert!(!offer.instruction_ready && offer.split_valid);
    let offer = unit.offer(1, false, &[]);
    assert!(offer.instruction_ready && !offer.split_valid);
    assert_eq!(unit.settle(), [Checked(1), Line(0, true)]);
    unit.inputs.split_ready = true;
    for number in 0..ACCESSES {
        unit.warp = number;
        unit.enter(2, false, &[line(50, number.into())]);
    }
    unit.settle();
    let offer = unit.offer(0, false, &[line(1, 0)]);
    assert!(!offer.instruction_ready && !offer.split_valid);
    assert!(!unit.offer(0, false, &[]).instruction_ready);
    unit.pages.insert(50, Reply::Hit(5));
    unit.wake(50, false);
    let events = unit.settle();
    assert_eq!(count(&events, Checked(2)), usize::from(ACCESSES));
    assert!(unit.offer(0, false, &[]).instruction_ready);
}

/// G2.
#[test]
fn lines_leave_in_order_with_the_frames_of_the_last_answers() {
    let mut unit = unit();
    unit.enter(5, true, &[line(2, 1), line(40, 2), line(1, 3), line(40, 0)]);
    assert_eq!(unit.settle_unchecked(), []);
    unit.pages.insert(40, Reply::Hit(77));
    unit.wake(40, false);
    let mut shown = Vec::new();
    for outputs in unit.cycles(20) {
        if outputs.line_valid {
            let (mask, entry) = (outputs.line_mask, outputs.line_entry);
            assert_eq!((outputs.line_warp, entry, outputs.line_store), (3, 5, true));
            shown.push((outputs.line_number, mask, outputs.line_last));
        }
    }
    assert_eq!(
        shown,
        [
            (line(20, 1), 1, false),
            (line(77, 2), 2, false),
            (line(10, 3), 4, false),
            (line(77, 0), 8, true)
        ]
    );
    assert_eq!(count(&unit.events, Checked(5)), 1);
}

/// G2: an access that is not on offer is checked again after an invalidation, whatever was answered before.
#[test]
fn every_line_is_checked_again_after_an_invalidation() {
    for (asid, scope, again) in [
        (0, 0, true),
        (0, 1, true),
        (9, 2, true),
        (9, 3, true),
        (9, 1, false),
    ] {
        let mut unit = unit();
        unit.enter(5, false, &[line(1, 0), line(40, 0), line(2, 0)]);
        unit.settle();
        unit.pages.insert(1, Reply::Hit(11));
        unit.pages.insert(2, Reply::Miss);
        unit.inputs.invalidate_scope = scope;
        unit.inputs.invalidate_valid = true;
        unit.inputs.invalidate_asid = asid;
        unit.cycle();
        unit.inputs.invalidate_valid = false;
        let checks = if again {
            vec![Check(1), Check(40), Check(2)]
        } else {
            vec![]
        };
        assert_eq!(unit.settle(), checks, "space {asid}, scope {scope}");
        unit.pages.insert(40, Reply::Hit(44));
        unit.wake(40, false);
        if again {
            assert_eq!(unit.settle(), [Check(40)], "page 2 is missing now");
            unit.pages.insert(2, Reply::Hit(22));
            unit.wake(2, false);
        }
        let frames = if again { [11, 44, 22] } else { [10, 44, 20] };
        let lines = frames.map(|frame| Line(line(frame, 0), frame == frames[2]));
        let events = unit.settle_unchecked();
        assert_eq!(events, [vec![Checked(5)], lines.to_vec()].concat());
    }
}

/// G2: the invalidation comes in each cycle of an access, also in that of an answer and of a re-check.
#[test]
fn invalidation_in_any_cycle_leaves_no_old_line() {
    for first in 0..30 {
        for second in [1, 2, 3, 4, 5, 7, 30] {
            let mut unit = unit();
            unit.pages.insert(1, Reply::Hit(100));
            unit.pages.insert(2, Reply::Hit(200));
            unit.offer(5, false, &[line(1, 0), line(2, 0), line(1, 1)]);
            let mut generation = 0;
            let mut checked = None;
            for cycle in 0..60 {
                if cycle == 1 {
                    unit.request(&[line(1, 0), line(2, 0), line(1, 1)]);
                }
                let invalidates = cycle == first || cycle == first + second;
                let outputs = if invalidates {
                    unit.invalidate(0)
                } else {
                    unit.cycle()
                };
                if outputs.checked_valid {
                    assert!(checked.is_none());
                    checked = Some(generation);
                }
                if invalidates {
                    generation += 1;
                    unit.pages.insert(1, Reply::Hit(100 + generation));
                    unit.pages.insert(2, Reply::Hit(200 + generation));
                }
            }
            let generation = u64::from(checked.expect("it is checked in the end"));
            let lines = [
                Line(line(100 + generation, 0), false),
                Line(line(200 + generation, 0), false),
                Line(line(100 + generation, 1), true),
            ];
            assert_eq!(unit.settle_unchecked()[1..], lines, "{first}, {second}");
        }
    }
}

/// G3.
#[test]
fn no_line_leaves_before_the_check_and_none_of_a_fault() {
    let mut unit = unit();
    let lines: Vec<u64> = (0..31).map(|within| line(1, within)).collect();
    unit.enter(0, false, &[&lines[..], &[line(40, 0)]].concat());
    assert_eq!(unit.settle_unchecked(), []);
    unit.inputs.checked_ready = false;
    unit.pages.insert(40, Reply::Hit(4));
    unit.wake(40, false);
    assert_eq!(unit.settle_unchecked(), [], "the message was not taken");
    unit.inputs.checked_ready = true;
    assert_eq!(unit.settle_unchecked().len(), 33);
    unit.pages.insert(41, Reply::Fault);
    unit.enter(1, false, &[&lines[..], &[line(41, 0)]].concat());
    assert_eq!(unit.settle_unchecked(), [Absent(3, 41), Faulted(1)]);
}

/// G4.
#[test]
fn accesses_that_conflict_are_decided_in_order() {
    for (older, younger, waits) in [
        (true, true, true),
        (true, false, true),
        (false, true, true),
        (false, false, false),
    ] {
        let mut unit = unit();
        unit.enter(0, older, &[line(40, 0)]);
        unit.enter(1, younger, &[line(1, 0)]);
        unit.warp = 4;
        unit.enter(2, younger, &[line(2, 0)]);
        let first = unit.settle_unchecked();
        assert_eq!(count(&first, Checked(1)), usize::from(!waits));
        assert_eq!(count(&first, Checked(2)), 1, "another warp's");
        unit.pages.insert(40, Reply::Hit(4));
        unit.wake(40, false);
        let then = unit.settle_unchecked();
        assert_eq!(then[0], Checked(0));
        assert_eq!(count(&then, Checked(1)), usize::from(waits));
        let lines = then.iter().filter(|event| matches!(event, Line(..)));
        let numbers = [Line(line(4, 0), true), Line(line(10, 0), true)];
        assert!(lines.eq(&numbers[..if waits { 2 } else { 1 }]));
    }
}

/// G4.
#[test]
fn younger_access_follows_the_fault_of_an_older_one_that_conflicts() {
    let mut unit = unit();
    unit.enter(0, false, &[line(40, 0)]);
    unit.enter(1, false, &[line(41, 0)]);
    unit.enter(2, true, &[line(1, 0)]);
    unit.enter(3, false, &[line(2, 0)]);
    unit.enter(4, true, &[line(2, 0)]);
    assert_eq!(unit.settle_unchecked(), []);
    unit.pages.insert(40, Reply::Fault);
    unit.wake(40, false);
    assert_eq!(unit.settle_unchecked(), [Absent(3, 40), Faulted(0)]);
    // Each conflicts with the store in entry 2, which also waits for the load in entry 1.
    unit.pages.insert(41, Reply::Hit(4));
    unit.wake(41, false);
    let events = unit.settle_unchecked();
    let decisions = events.iter().filter(|event| !matches!(event, Line(..)));
    assert!(decisions.eq(&[Checked(1), Faulted(2), Faulted(3), Faulted(4)]));
    assert_eq!(events.len(), 5);
}

/// G4: what the pipeline still sends while its warp is away follows, if it or what has faulted is a store.
#[test]
fn access_of_a_warp_that_is_away_follows_beside_a_store() {
    for (older, younger) in [(true, false), (false, true), (true, true), (false, false)] {
        let mut unit = unit();
        unit.pages.insert(40, Reply::Fault);
        unit.enter(0, older, &[line(40, 0)]);
        assert_eq!(unit.settle_unchecked(), [Absent(3, 40), Faulted(0)]);
        unit.enter(1, younger, &[line(1, 0)]);
        let events = unit.settle_unchecked();
        let follows = events.first() == Some(&Faulted(1));
        assert_eq!(follows, older || younger, "{events:?}");
    }
}

/// G4: what has no place in its pages in common with an older access does not wait for it, nor follow its fault.
#[test]
fn access_at_another_place_of_its_page_is_not_ordered() {
    let mut unit = unit();
    unit.enter(0, true, &[line(40, 7), line(1, 8)]);
    unit.enter(1, true, &[line(2, 6)]);
    unit.enter(2, true, &[line(2, 8)]);
    let events = unit.settle_unchecked();
    assert_eq!(events[0], Checked(1));
    assert_eq!(events.len(), 2);
    unit.pages.insert(40, Reply::Fault);
    unit.wake(40, false);
    let events = unit.settle_unchecked();
    assert_eq!(events, [Absent(3, 40), Faulted(0), Faulted(2)]);
}

/// G4: what enters in the cycle of a decision, before or after it.
#[test]
fn instruction_that_enters_beside_a_decision_counts_as_after_it() {
    for reply in [Reply::Hit(4), Reply::Fault] {
        for cycle in 0..9 {
            let mut unit = unit();
            unit.enter(0, true, &[line(40, 0)]);
            unit.settle();
            unit.pages.insert(40, reply);
            unit.wake(40, false);
            unit.cycles(cycle);
            let outputs = unit.offer(1, true, &[line(1, 0)]);
            let before = unit.events.clone();
            unit.request(&[line(1, 0)]);
            if outputs.faulted_valid {
                assert_eq!(unit.settle_unchecked()[2..], [Faulted(1)]);
            } else if before.contains(&Faulted(0)) {
                // The pipeline accepts none then.
                break;
            } else if reply == Reply::Fault {
                assert_eq!(unit.settle_unchecked()[1..], [Faulted(0), Faulted(1)]);
            } else {
                let events = unit.settle_unchecked();
                let lines = [Line(line(4, 0), true), Line(line(10, 0), true)];
                let shown = events.iter().filter(|event| matches!(event, Line(..)));
                assert!(shown.eq(&lines));
                assert_eq!(count(&events, Checked(1)), 1);
            }
        }
    }
}

/// G5.
#[test]
fn access_faults_for_its_own_reasons_alone() {
    let mut unit = unit();
    unit.read_only = vec![1];
    unit.pages.insert(41, Reply::Fault);
    unit.inputs.hold = 1 << 5;
    unit.enter(0, false, &[line(40, 0)]);
    unit.warp = 4;
    unit.enter(1, false, &[line(41, 0)]);
    unit.warp = 5;
    unit.enter(2, true, &[line(1, 0), line(2, 0)]);
    unit.warp = 6;
    unit.enter(3, false, &[line(1, 0)]);
    let events = unit.settle_unchecked();
    let decisions = [Absent(4, 41), Faulted(1), Denied(2), Checked(3)];
    let shown = events.iter().filter(|event| !matches!(event, Line(..)));
    assert!(shown.eq(&decisions), "{events:?}");
    for _ in 0..5 {
        unit.wake(40, false);
        assert_eq!(
            unit.settle_unchecked(),
            [],
            "a page that is missed is no fault"
        );
    }
    // A page that turns out to be denied to stores alone.
    unit.warp = 7;
    unit.enter(4, true, &[line(40, 0)]);
    unit.read_only = vec![40];
    unit.settle();
    unit.pages.insert(40, Reply::Hit(4));
    unit.inputs.hold |= 1 << 7;
    unit.wake(40, false);
    let events = unit.settle_unchecked();
    assert_eq!(
        (count(&events, Checked(0)), count(&events, Denied(4))),
        (1, 1)
    );
}

/// G5: an access that fails while others wait for the same page, of several absent pages.
#[test]
fn failing_access_reports_each_of_its_absent_pages() {
    let mut unit = unit();
    for page in [42, 40, 41] {
        unit.pages.insert(page, Reply::Fault);
    }
    let lines = [
        line(42, 0),
        line(1, 0),
        line(40, 0),
        line(42, 1),
        line(41, 0),
    ];
    unit.enter(0, true, &lines);
    let reports = [Absent(3, 42), Absent(3, 40), Absent(3, 41), Faulted(0)];
    assert_eq!(unit.settle_unchecked(), reports);
}

/// G6.
#[test]
fn accesses_pass_while_all_page_entries_are_taken() {
    let mut unit = full_unit();
    for entry in 0..4 {
        unit.enter(entry, false, &[line(1, 0), line(2, 0)]);
        assert_eq!(count(&unit.settle(), Checked(entry)), 1);
    }
    // One that finds no room waits for any wake-up, and is then checked again where it was refused.
    unit.enter(4, false, &[line(1, 0), line(40, 0), line(41, 0)]);
    assert_eq!(unit.settle(), [Check(1), Check(40), Check(41)]);
    unit.pages.insert(40, Reply::Hit(4));
    unit.wake(77, false);
    assert_eq!(unit.settle(), [Check(40), Check(41)]);
    unit.pages.insert(41, Reply::Hit(5));
    unit.wake(78, false);
    let events = unit.settle();
    assert_eq!(events[..2], [Check(41), Checked(4)]);
}

/// G6: the pages of two accesses take each other's eight places in the TLB, and come after long walks or short ones.
#[test]
fn accesses_of_more_pages_than_a_set_has_are_decided() {
    for walk in [1, 2, 5, 14, 40] {
        let mut unit = Unit::new();
        for warp in 0..2u8 {
            let first = 100 + 32 * u64::from(warp);
            let lines: Vec<u64> = (first..first + 32).map(|page| line(page, 0)).collect();
            unit.warp = warp;
            unit.enter(warp, false, &lines);
        }
        let mut walks: Vec<(u64, u64)> = Vec::new();
        let mut set: Vec<u64> = Vec::new();
        let mut seen = 0;
        for now in 0..6_000 {
            for event in &unit.events[seen..] {
                if let Check(page) = *event
                    && !set.contains(&page)
                    && walks.iter().all(|(_, of)| *of != page)
                {
                    walks.push((now + walk, page));
                }
            }
            seen = unit.events.len();
            if walks.first().is_some_and(|(at, _)| *at <= now) {
                let (_, page) = walks.remove(0);
                set.push(page);
                unit.pages.insert(page, Reply::Hit(page as u32));
                if set.len() > 8 {
                    unit.pages.remove(&set.remove(0));
                }
                unit.wake(page, false);
            } else {
                unit.cycle();
            }
        }
        let decided = [0, 1].map(|entry| count(&unit.events, Checked(entry)));
        assert_eq!(decided, [1, 1], "walks of {walk} cycles");
    }
}

/// G6: the page is woken in each cycle, once or twice, with one or several lines that wait for it.
#[test]
fn no_wake_up_is_lost() {
    for second in 1..8 {
        for first in 0..16 {
            for full in [false, true] {
                let mut unit = if full { full_unit() } else { unit() };
                let lines = [line(40, 0), line(1, 0), line(40, 1)];
                unit.enter(0, true, &lines);
                unit.until_answered();
                // The first wake-up comes for a page that is still missing, the second one when it is there.
                unit.cycles(first);
                unit.wake(40, false);
                unit.cycles(second - 1);
                unit.pages.insert(40, Reply::Hit(4));
                unit.wake(40, false);
                let events = unit.settle();
                assert_eq!(count(&events, Checked(0)), 1, "{first}, {second}, {full}");
            }
        }
    }
}

/// G7.
#[test]
fn warp_is_resumed_once_after_its_pages_were_woken() {
    let mut unit = unit();
    unit.pages.insert(40, Reply::Fault);
    unit.pages.insert(41, Reply::Fault);
    unit.enter(0, false, &[line(40, 0), line(41, 0)]);
    unit.enter(1, false, &[line(42, 0)]);
    unit.settle();
    unit.wake(40, true);
    assert_eq!(unit.settle_unchecked(), []);
    unit.inputs.wake_asid = 1;
    unit.wake(41, true);
    assert_eq!(unit.settle_unchecked(), [], "the page of another space");
    unit.inputs.wake_asid = 0;
    unit.wake(41, false);
    assert_eq!(
        unit.settle_unchecked(),
        [],
        "its other access is not decided"
    );
    unit.pages.insert(42, Reply::Hit(4));
    unit.wake(42, false);
    let events = unit.settle_unchecked();
    assert_eq!(count(&events, Checked(1)), 1);
    assert_eq!(count(&events, Resume(3)), 1);
    assert_eq!(events.len(), 3);
}

/// G7: the page is woken in each cycle around the report; the warp does not wait for ever.
#[test]
fn page_that_is_woken_beside_its_report_holds_up_no_resume() {
    for cycle in 0..8 {
        let mut unit = unit();
        unit.pages.insert(40, Reply::Fault);
        unit.enter(0, false, &[line(40, 0)]);
        unit.until_answered();
        unit.cycles(cycle);
        unit.pages.insert(40, Reply::Hit(4));
        unit.wake(40, false);
        let events = unit.settle_unchecked();
        let faulted = count(&events, Faulted(0));
        assert_eq!(count(&events, Resume(3)), faulted, "{cycle}: {events:?}");
        assert_eq!(count(&events, Checked(0)), 1 - faulted);
        assert!(faulted == 1 || cycle < 4);
    }
}

/// G7.
#[test]
fn warp_that_leaves_is_not_offered() {
    for cycle in 0..12 {
        let mut unit = unit();
        unit.pages.insert(40, Reply::Fault);
        unit.enter(0, false, &[line(40, 0)]);
        unit.settle();
        unit.inputs.resume_ready = false;
        unit.wake(40, false);
        unit.cycles(cycle);
        unit.inputs.leave_valid = true;
        unit.inputs.leave_warp = 3;
        let shown = unit.cycle().resume_valid;
        assert_eq!(shown, cycle > 0, "{cycle}");
        unit.inputs.leave_valid = false;
        unit.inputs.resume_ready = true;
        unit.settle();
        assert!(!unit.cycle().resume_valid);
        // The next warp of this number faults and is resumed for itself.
        unit.enter(1, false, &[line(40, 0)]);
        assert_eq!(unit.settle_unchecked(), [Absent(3, 40), Faulted(1)]);
        unit.wake(40, false);
        assert_eq!(unit.settle_unchecked(), [Resume(3)]);
    }
}

/// G7: a warp leaves while it waits; what it waited for is no concern of the next one.
#[test]
fn warp_that_leaves_waits_for_no_page() {
    let mut unit = unit();
    unit.pages.insert(40, Reply::Fault);
    unit.pages.insert(41, Reply::Fault);
    unit.enter(0, false, &[line(40, 0)]);
    unit.settle();
    unit.inputs.leave_valid = true;
    unit.inputs.leave_warp = 3;
    unit.cycle();
    unit.inputs.leave_valid = false;
    unit.enter(1, false, &[line(41, 0)]);
    unit.settle();
    unit.wake(41, false);
    assert_eq!(unit.settle_unchecked(), [Resume(3)]);
}

/// G7: warps are resumed in turn.
#[test]
fn warps_are_resumed_in_turn() {
    let mut unit = unit();
    unit.pages.insert(40, Reply::Fault);
    for warp in [9, 2, 30] {
        unit.warp = warp;
        unit.enter(0, false, &[line(40, 0)]);
    }
    unit.settle();
    unit.wake(40, false);
    assert_eq!(unit.settle_unchecked(), [Resume(2), Resume(9), Resume(30)]);
    for warp in [9, 31, 2] {
        unit.warp = warp;
        unit.enter(0, false, &[line(40, 0)]);
    }
    unit.settle();
    unit.wake(40, false);
    assert_eq!(unit.settle_unchecked(), [Resume(31), Resume(2), Resume(9)]);
}

/// G8.
#[test]
fn one_check_serves_all_that_wait_for_a_page() {
    let mut unit = unit();
    for entry in 0..8 {
        unit.warp = entry;
        unit.enter(entry, false, &[line(40, entry.into()), line(40, 20)]);
    }
    unit.settle();
    unit.pages.insert(40, Reply::Hit(4));
    unit.wake(40, false);
    let events = unit.settle();
    assert_eq!(count(&events, Check(40)), 1);
    assert!((0..8).all(|entry| count(&events, Checked(entry)) == 1));
    // Loads and stores are in entries of their own.
    unit.enter(0, false, &[line(41, 0)]);
    unit.warp = 9;
    unit.enter(1, true, &[line(41, 0)]);
    unit.settle();
    unit.wake(41, false);
    assert_eq!(unit.settle(), [Check(41), Check(41)]);
}

/// G8.
#[test]
fn checks_are_repeated_in_the_order_in_which_their_pages_began() {
    let mut unit = unit();
    let pages = [45, 40, 47, 42];
    unit.enter(0, false, &pages.map(|page| line(page, 0)));
    unit.settle();
    unit.wake(99, true);
    assert_eq!(unit.settle(), pages.map(Check));
    // The first entry is free again, and then the last one that began.
    unit.enter(1, false, &[line(50, 0)]);
    unit.settle();
    unit.wake(99, true);
    assert_eq!(unit.settle()[4], Check(50));
    let mut unit = full_unit();
    for (entry, page) in [(0, 61), (1, 60), (2, 62)] {
        unit.enter(entry, false, &[line(page, 0)]);
    }
    unit.settle();
    unit.wake(98, false);
    assert_eq!(unit.settle(), [Check(61), Check(60), Check(62)]);
}

/// G9.
#[test]
fn requests_are_checked_without_a_bubble() {
    let mut unit = unit();
    unit.inputs.checked_ready = false;
    for entry in 0..3 {
        let offer = unit.offer(entry, false, &[line(1, 0); 9]);
        assert!(offer.instruction_ready);
    }
    unit.cycle();
    for _ in 0..3 {
        let lines: Vec<u64> = (0..9).map(|within| line(1, within)).collect();
        unit.request(&lines);
    }
    let outputs = unit.cycles(27);
    assert!(
        outputs
            .iter()
            .all(|outputs| outputs.check_valid && outputs.request_ready)
    );
    assert!(unit.requests.is_empty());
}

/// G9.
#[test]
fn lines_of_accesses_follow_each_other_without_a_bubble() {
    let mut unit = unit();
    unit.inputs.line_ready = false;
    let counts = [1, 1, 5, 1, 32, 2, 1, 1];
    for (entry, count) in (0u8..).zip(counts) {
        let lines: Vec<u64> = (0..count).map(|within| line(1, within)).collect();
        unit.enter(entry, false, &lines);
        unit.until_answered();
    }
    unit.enter(7, false, &[]);
    unit.settle();
    unit.inputs.line_ready = true;
    let outputs = unit.cycles(45);
    let total = counts.iter().sum::<u64>() as usize + 1;
    assert_eq!(total, 45);
    assert!(outputs.iter().all(|outputs| outputs.line_valid));
    assert!(!unit.cycle().line_valid);
}

/// G9: in one of two phases an answer is written into the bank of a line, which waits for a cycle; then both proceed from
/// bank to bank.
#[test]
fn line_waits_only_while_an_answer_takes_its_bank() {
    let mut waits = 0;
    for phase in 0..2 {
        let mut unit = unit();
        unit.inputs.line_ready = false;
        let lines: Vec<u64> = (0..32).map(|within| line(1, within)).collect();
        unit.enter(0, false, &lines);
        unit.settle();
        unit.offer(1, false, &lines);
        unit.cycles(3);
        unit.request(&lines);
        unit.cycles(3 + phase);
        unit.inputs.line_ready = true;
        let mut was_answered = true;
        for _ in 0..33 {
            let outputs = unit.cycle();
            if unit.events.contains(&Line(line(10, 31), true)) {
                break;
            }
            assert!(outputs.line_valid || was_answered);
            waits += usize::from(!outputs.line_valid);
            was_answered = unit.answered;
        }
        assert!(unit.events.contains(&Line(line(10, 31), true)));
    }
    assert_eq!(waits, 1);
}

/// G10.
#[test]
fn settled_rises_when_the_last_old_line_has_left() {
    let mut unit = unit();
    unit.inputs.line_ready = false;
    unit.enter(0, false, &[line(1, 0)]);
    unit.cycles(10);
    unit.inputs.checked_ready = false;
    unit.enter(1, false, &[line(2, 0), line(2, 1)]);
    unit.cycles(10);
    assert!(unit.cycle().checked_valid, "the second one is on offer");
    assert!(unit.invalidate(9).settled);
    assert!(unit.cycle().settled, "another space's");
    assert!(unit.invalidate(0).settled);
    assert!(!unit.cycle().settled);
    unit.pages.insert(2, Reply::Hit(21));
    unit.inputs.checked_ready = true;
    assert!(unit.cycles(20).iter().all(|outputs| !outputs.settled));
    unit.inputs.line_ready = true;
    let mut passed = 0;
    for outputs in unit.cycles(12) {
        assert_eq!(outputs.settled, passed == 3);
        passed += usize::from(outputs.line_valid);
    }
    let old = [
        Line(line(10, 0), true),
        Line(line(20, 0), false),
        Line(line(20, 1), true),
    ];
    assert!(old.iter().all(|line| count(&unit.events, *line) == 1));
}

/// G11.
#[test]
fn offers_hold_until_they_are_taken() {
    let mut unit = unit();
    unit.inputs.checked_ready = false;
    unit.inputs.line_ready = false;
    unit.inputs.resume_ready = false;
    unit.pages.insert(40, Reply::Fault);
    unit.warp = 4;
    unit.enter(2, false, &[line(40, 0)]);
    unit.settle();
    unit.wake(40, false);
    unit.warp = 3;
    unit.enter(0, false, &[line(1, 0)]);
    unit.cycles(12);
    let checked = |outputs: &Outputs| (outputs.checked_valid, outputs.checked_entry);
    let resume = |outputs: &Outputs| (outputs.resume_valid, outputs.resume_warp);
    unit.warp = 5;
    unit.enter(1, false, &[line(2, 0)]);
    for _ in 0..5 {
        let outputs = unit.invalidate(0);
        assert_eq!(
            (checked(&outputs), resume(&outputs)),
            ((true, 0), (true, 4))
        );
        let outputs = unit.cycle();
        assert_eq!(
            (checked(&outputs), resume(&outputs)),
            ((true, 0), (true, 4))
        );
    }
    unit.inputs.checked_ready = true;
    unit.cycles(12);
    for _ in 0..5 {
        let outputs = unit.cycle();
        assert_eq!(
            (outputs.line_valid, outputs.line_number),
            (true, line(10, 0))
        );
        unit.invalidate(0);
    }
    let all = unit.settle_unchecked();
    assert_eq!(count(&all, Resume(4)), 0);
}

/// G11: the exception.
#[test]
fn hold_withdraws_a_resume_that_is_not_taken() {
    for taken in [false, true] {
        let mut unit = unit();
        unit.inputs.resume_ready = false;
        unit.pages.insert(40, Reply::Fault);
        unit.enter(0, false, &[line(40, 0)]);
        unit.settle();
        unit.wake(40, false);
        unit.settle();
        unit.inputs.hold = 1 << 3;
        unit.inputs.resume_ready = taken;
        assert!(unit.cycle().resume_valid, "until the end of the cycle");
        assert!(!unit.cycle().resume_valid);
        unit.inputs.hold = 0;
        unit.inputs.resume_ready = true;
        unit.events.clear();
        let again: &[Event] = if taken { &[] } else { &[Resume(3)] };
        assert_eq!(unit.settle_unchecked(), again);
    }
}

#[test]
fn reset_forgets_everything() {
    let mut unit = full_unit();
    unit.pages.insert(40, Reply::Fault);
    unit.enter(0, false, &[line(1, 0)]);
    unit.wake(100, true);
    unit.reset();
    let quiet = Outputs {
        instruction_ready: true,
        request_ready: true,
        settled: true,
        ..Outputs::default()
    };
    for _ in 0..10 {
        assert_eq!(unit.cycle(), quiet);
    }
    for page in 0..PAGES {
        unit.wake(100 + page, true);
    }
    assert_eq!(unit.settle(), []);
}

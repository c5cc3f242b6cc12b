//! Contract tests of the SM unit: each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_testbench::support;
use faultline_testbench::support::memory::line;
use faultline_testbench::support::sm::{
    Event::{self, Again, Ended, Faulted, Issued, Line, Taken},
    Instruction, Sm, WALK,
};

const SQUASH: [&str; 2] = ["log_4", "queue_4"];

#[test]
fn matches_model() {
    support::matches_model("sm_unit");
}

/// Warps with these programs; pages 1 to 7 are there, in frames 10 to 70.
fn unit(config: &str, programs: &[Vec<Instruction>]) -> Sm {
    let mut sm = Sm::new(config, programs);
    for page in 1..8 {
        sm.pages.insert(page, 10 * page as u32);
    }
    sm
}

/// Some of what has happened, in order.
fn of(events: &[Event], which: impl Fn(&Event) -> bool) -> Vec<Event> {
    events.iter().copied().filter(which).collect()
}

/// G1, G4: a warp faults in its second instruction while a younger one is issued behind it; another warp goes on.
#[test]
fn warp_that_faults_leaves_and_comes_back_by_itself() {
    for config in SQUASH {
        let faulting = vec![
            Instruction::math(1, 2),
            Instruction::load(3, &[line(50, 0)]),
            Instruction::load(4, &[line(1, 1)]),
            Instruction::math(5, 3),
        ];
        let other = (0..200).map(|_| Instruction::math(1, 1)).collect();
        let mut sm = unit(config, &[faulting, other]);
        sm.cycles(80);
        let fault = sm.when(Faulted(0, 1));
        let events: Vec<Event> = sm.events.iter().map(|(_, event)| *event).collect();
        assert!(!events.contains(&Ended(0, 1)) && !events.contains(&Issued(0, 3)));
        let after = sm
            .events
            .iter()
            .filter(|(at, event)| *at > fault && matches!(event, Ended(1, _)));
        assert!(after.count() > 10, "{config}: the other warp goes on");
        sm.bring(50, 500);
        let brought = sm.now;
        sm.cycles(80);
        let replayed = sm.when(Again(0, 1));
        assert!(replayed > brought, "{config}");
        let events = sm.settle();
        let of_load = of(&events, |event| {
            matches!(event, Line(0, 1, _) | Ended(0, 1) | Faulted(0, 1))
        });
        assert_eq!(
            of_load,
            [Faulted(0, 1), Line(0, 1, line(500, 0)), Ended(0, 1)],
            "{config}"
        );
        let ends = of(&events, |event| matches!(event, Ended(0, _)));
        assert_eq!(ends.len(), 4, "{config}: {ends:?}");
        let order: Vec<_> = events
            .iter()
            .filter(|event| matches!(event, Again(0, 1) | Issued(0, 3)))
            .collect();
        assert_eq!(order, [&Again(0, 1), &Issued(0, 3)], "{config}");
    }
}

/// G1: in the scheme that stalls the access waits, and nothing faults.
#[test]
fn access_waits_for_its_page_where_nothing_is_squashed() {
    let mut sm = unit("stall_4", &[vec![Instruction::load(3, &[line(50, 0)])]]);
    sm.cycles(100);
    sm.bring(50, 500);
    let events = sm.settle();
    assert_eq!(
        events,
        [
            Issued(0, 0),
            Taken(0, 0),
            Line(0, 0, line(500, 0)),
            Ended(0, 0)
        ]
    );
}

/// G2, G7: a page moves while an access of it, or its warp, waits for another page.
#[test]
fn lines_leave_with_the_frames_of_the_last_invalidation() {
    for config in ["log_4", "queue_4", "stall_4"] {
        let mut sm = unit(
            config,
            &[vec![Instruction::load(3, &[line(1, 0), line(9, 0)])]],
        );
        sm.cycles(80);
        sm.pages.insert(1, 77);
        sm.pages.insert(9, 99);
        let outputs = sm.with(|inputs| {
            inputs.invalidate_valid = true;
            inputs.invalidate_scope = 1;
            inputs.invalidate_asid = 1;
        });
        assert!(outputs.settled, "{config}");
        sm.bring(9, 99);
        let events = sm.settle();
        let lines = of(&events, |event| matches!(event, Line(..)));
        assert_eq!(
            lines,
            [Line(0, 0, line(77, 0)), Line(0, 0, line(99, 0))],
            "{config}"
        );
    }
}

/// G3: a store of an absent page, and a load of the same line behind it.
#[test]
fn accesses_to_one_line_stay_in_order_across_a_fault() {
    for config in SQUASH {
        let program = vec![
            Instruction::store(&[line(50, 4)]),
            Instruction::load(3, &[line(50, 4)]),
            Instruction::store(&[line(50, 4)]),
        ];
        let mut sm = unit(config, &[program]);
        sm.cycles(100);
        assert!(sm.when(Faulted(0, 0)) < sm.now);
        sm.bring(50, 500);
        let events = sm.settle();
        let lines = of(&events, |event| matches!(event, Line(..)));
        let place = line(500, 4);
        assert_eq!(
            lines,
            [Line(0, 0, place), Line(0, 1, place), Line(0, 2, place)],
            "{config}"
        );
        assert_eq!(
            of(&events, |event| matches!(event, Ended(..))).len(),
            3,
            "{config}"
        );
    }
}

/// G5, G6: eight warps' worth of absent pages keep no access of a page that is there.
#[test]
fn pages_that_are_there_are_accessed_while_others_are_awaited() {
    for config in SQUASH {
        let absent = |page| vec![Instruction::load(3, &[line(page, 0)])];
        let hits = (0..40)
            .map(|number| Instruction::load(3, &[line(1 + number % 7, 0)]))
            .collect();
        let mut sm = unit(config, &[absent(50), absent(51), absent(52), hits]);
        let events = sm.settle();
        assert_eq!(
            of(&events, |event| matches!(event, Ended(3, _))).len(),
            40,
            "{config}"
        );
        assert_eq!(
            of(&events, |event| matches!(event, Faulted(..))).len(),
            3,
            "{config}"
        );
        for (warp, page) in [(2, 52), (0, 50), (1, 51)] {
            sm.bring(page, 1000 + page as u32);
            let events = sm.settle();
            assert_eq!(
                of(&events, |event| matches!(event, Ended(..))),
                [Ended(warp, 0)],
                "{config}"
            );
        }
    }
}

/// From the resolution of a far fault to the first instruction that is issued again.
#[test]
fn first_replay_comes_25_cycles_and_a_walk_after_the_resolution() {
    for (config, read) in [("log_4", 2), ("queue_4", 1)] {
        let mut sm = unit(config, &[vec![Instruction::load(3, &[line(50, 0)])]]);
        sm.settle();
        sm.bring(50, 500);
        let resolved = sm.now;
        sm.cycles(60);
        let (again, taken) = (sm.when(Issued(0, 0)), sm.when(Again(0, 0)));
        assert_eq!(again - resolved - WALK, 25, "{config}");
        assert_eq!(taken - again, read, "{config}: the log is read before");
    }
}

/// Decisions: another unit's message goes before a check of the memory unit.
#[test]
fn certain_goes_before_a_check_and_raised_behind_a_fault() {
    for config in SQUASH {
        for raises in [false, true] {
            // The other unit's instruction is taken so late that its message comes beside the memory unit's.
            let mut waited = false;
            for delay in 0..40 {
                let mut sm = unit(
                    config,
                    &[
                        vec![Instruction::load(3, &[line(50, 0)])],
                        vec![Instruction::other(4)],
                    ],
                );
                sm.raises = raises;
                if !raises {
                    sm.pages.insert(50, 500);
                }
                sm.inputs.other_ready = false;
                sm.cycles(delay);
                sm.inputs.other_ready = true;
                for _ in 0..80 {
                    let pending = !sm.others.is_empty();
                    let outputs = sm.cycle();
                    assert!(!pending || raises || outputs.certain_ready);
                    waited |= pending && raises && !outputs.raised_ready;
                }
                let resumed = if raises { 1 } else { 0 };
                for _ in 0..resumed {
                    while !sm
                        .with(|inputs| {
                            inputs.resume_valid = true;
                            inputs.resume_warp = 1;
                        })
                        .resume_ready
                    {}
                    sm.bring(50, 500);
                }
                let events = sm.settle();
                let ends = of(&events, |event| matches!(event, Ended(..)));
                assert_eq!(ends.len(), 2, "{config}, {raises}, {delay}: {events:?}");
                assert!(ends.contains(&Ended(0, 0)) && ends.contains(&Ended(1, 0)));
            }
            assert_eq!(waited, raises, "{config}");
        }
    }
}

/// A warp that was stopped from outside while it waits goes on when `hold` ends, and not before.
#[test]
fn hold_keeps_a_warp_whose_page_has_come() {
    for config in SQUASH {
        let mut sm = unit(config, &[vec![Instruction::load(3, &[line(50, 0)])]]);
        sm.settle();
        sm.inputs.hold = 1;
        sm.bring(50, 500);
        assert_eq!(sm.settle(), []);
        sm.inputs.hold = 0;
        let events = sm.settle();
        assert_eq!(events.last(), Some(&Ended(0, 0)), "{config}");
    }
}

/// Resumes: one from outside goes first, and the memory unit's follows.
#[test]
fn resume_from_outside_goes_first() {
    for config in SQUASH {
        let program = || (0..3).map(|_| Instruction::math(1, 1)).collect::<Vec<_>>();
        let mut sm = unit(
            config,
            &[vec![Instruction::load(3, &[line(50, 0)])], program()],
        );
        sm.with(|inputs| {
            inputs.stop_valid = true;
            inputs.stop_warp = 1;
            inputs.hold = 2;
        });
        // Both are ready to go on in the cycle in which nothing holds them any more.
        sm.inputs.hold = 3;
        sm.settle();
        sm.bring(50, 500);
        sm.settle();
        sm.inputs.hold = 0;
        sm.cycle();
        sm.inputs.resume_valid = true;
        sm.inputs.resume_warp = 1;
        assert!(sm.cycle().resume_ready, "{config}");
        sm.inputs.resume_valid = false;
        let events = sm.settle();
        let issued = of(&events, |event| matches!(event, Issued(..)));
        assert_eq!(issued[0], Issued(1, 0), "{config}: {events:?}");
        assert!(events.contains(&Ended(0, 0)), "{config}: {events:?}");
    }
}

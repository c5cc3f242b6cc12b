//! Contract tests of the scoreboard: each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::sm::scoreboard::{FINISHES, Inputs, Outputs, ZERO_REGISTER};
use faultline_testbench::support;
use faultline_testbench::support::board::{
    Board, check, finish, harmless, holds, instruction, issued, stops,
};

const ENTRIES: u8 = 8;

#[test]
fn matches_model() {
    support::matches_model("scoreboard");
}

/// Younger instructions that need, or write over, a register.
fn users(register: u8) -> [Inputs; 4] {
    let other = |place: usize| {
        let mut sources = [7; 3];
        sources[place] = register;
        sources
    };
    [
        instruction(5, other(0)),
        instruction(5, other(1)),
        instruction(5, other(2)),
        instruction(register, [7; 3]),
    ]
}

/// G1.
#[test]
fn nothing_goes_past_a_result_that_it_reads_or_writes_over() {
    let mut board = Board::new("8_holding");
    for older in 0..ENTRIES - 1 {
        for younger in users(100) {
            board.reset();
            for _ in 0..older {
                board.arrive(&issued(harmless()));
            }
            assert_eq!(board.arrive(&issued(instruction(100, [9; 3]))), older);
            board.arrive(&younger);
            for _ in 0..3 {
                assert_eq!(board.ready(), [false, false]);
            }
            assert!(!board.finish(&[older]).first_ready);
            assert_eq!(board.ready(), [true, false]);
        }
    }
}

/// G1.
#[test]
fn second_one_waits_for_the_first_ones_result() {
    for younger in users(100) {
        let mut board = Board::new("8_holding");
        let first = board.arrive(&instruction(100, [9; 3]));
        board.arrive(&younger);
        assert_eq!(board.ready(), [true, false]);
        board.issue(false);
        assert_eq!(board.ready(), [false, false], "it is the first one now");
        board.finish(&[first]);
        assert_eq!(board.ready(), [true, false]);
    }
}

/// G1, G8.
#[test]
fn register_that_differs_in_one_bit_is_another_one() {
    let mut board = Board::new("8_holding");
    for bit in 0..8 {
        for younger in users(100 ^ 1 << bit) {
            board.reset();
            board.arrive(&holds(issued(instruction(100, [100; 3]))));
            board.arrive(&younger);
            assert_eq!(board.ready(), [true, false], "bit {bit}");
        }
    }
}

/// G2.
#[test]
fn source_is_not_written_before_it_is_read() {
    for place in 0..3 {
        let mut sources = [ZERO_REGISTER; 3];
        sources[place] = 100;
        let mut board = Board::new("8_holding");
        board.arrive(&instruction(1, sources));
        board.arrive(&instruction(100, [2; 3]));
        assert_eq!(board.ready(), [true, false], "not together");
        board.issue(false);
        assert_eq!(board.ready(), [false, false], "while it is read");
        assert_eq!(board.ready(), [true, false]);

        board.reset();
        board.arrive(&instruction(1, sources));
        let arrival = instruction(100, [2; 3]);
        board.cycle(&Inputs {
            issue_first: true,
            ..arrival
        });
        assert_eq!(board.ready(), [false, false], "it came beside the issue");
        assert_eq!(board.ready(), [true, false]);
    }
}

/// G3.
#[test]
fn held_source_is_written_only_after_a_check_or_an_end() {
    for place in 0..3 {
        for checked in [true, false] {
            let mut sources = [ZERO_REGISTER; 3];
            sources[place] = 100;
            let mut board = Board::new("8_holding");
            board.arrive(&issued(harmless()));
            let holder = board.arrive(&holds(issued(instruction(1, sources))));
            board.arrive(&instruction(100, [2; 3]));
            for _ in 0..3 {
                assert_eq!(board.ready(), [false, false]);
            }
            if checked {
                board.check(holder);
            } else {
                board.finish(&[holder]);
            }
            assert_eq!(board.ready(), [true, false]);
        }
    }
}

/// G3, G8.
#[test]
fn only_holders_hold_and_only_where_they_may() {
    for (config, holder) in [
        ("8", holds(instruction(1, [100; 3]))),
        ("8_holding", instruction(1, [100; 3])),
    ] {
        let mut board = Board::new(config);
        board.arrive(&issued(holder));
        board.arrive(&instruction(100, [2; 3]));
        assert_eq!(board.ready(), [true, false]);
    }
}

/// G4.
#[test]
fn fetch_stops_until_a_check_an_end_or_a_flush() {
    let mut board = Board::new("8_holding");
    for end in 0..3 {
        assert!(!board.look().stopped);
        let entry = board.arrive(&stops(harmless()));
        assert!(board.look().stopped, "while it is buffered");
        match end {
            0 => board.flush(),
            1 => {
                board.issue(false);
                assert!(board.look().stopped, "while it is in flight");
                board.check(entry);
            }
            _ => {
                board.issue(false);
                board.finish(&[entry]);
            }
        }
        assert!(!board.look().stopped);
        board.reset();
    }
    let [one, two] = [0, 1].map(|_| board.arrive(&issued(stops(harmless()))));
    board.check(two);
    assert!(board.look().stopped, "there is the other one");
    board.finish(&[one]);
    assert!(!board.look().stopped);
}

/// G5.
#[test]
fn lowest_free_entry_is_given() {
    let mut board = Board::new("8_holding");
    for entry in 0..ENTRIES {
        assert_eq!(board.arrive(&issued(harmless())), entry);
    }
    board.finish(&[6, 2, 3]);
    assert_eq!(board.arrive(&issued(harmless())), 2);
    board.finish(&[0]);
    assert_eq!(
        [0, 1, 2].map(|_| board.arrive(&issued(harmless()))),
        [0, 3, 6]
    );
}

/// G6.
#[test]
fn room_ends_with_the_last_entry_or_the_second_place() {
    let mut board = Board::new("8_holding");
    assert!(!board.look().busy);
    board.arrive(&harmless());
    board.arrive(&harmless());
    let third = board.cycle(&instruction(100, [7; 3]));
    assert!(!third.room && third.busy);
    board.issue(true);
    assert!(board.look().room);
    for entry in 2..ENTRIES {
        assert_eq!(board.arrive(&issued(harmless())), entry);
    }
    let full = board.cycle(&instruction(100, [7; 3]));
    assert!(!full.room && !full.first_valid);
    assert!(
        !board.finish(&[4]).room,
        "the entry is free in the next one"
    );
    assert!(board.look().room);
    board.arrive(&instruction(1, [100; 3]));
    assert_eq!(
        board.ready(),
        [true, false],
        "what had no room is not there"
    );
}

/// G7.
#[test]
fn buffered_instructions_leave_in_order() {
    let mut board = Board::new("8_holding");
    board.arrive(&issued(harmless()));
    let one = board.arrive(&harmless());
    board.finish(&[0]);
    let two = board.arrive(&harmless());
    assert_eq!([one, two], [1, 0]);
    let shown = |outputs: &Outputs| {
        let first = outputs.first_valid.then_some(outputs.first_entry);
        let second = outputs.second_valid.then_some(outputs.second_entry);
        [first, second]
    };
    for _ in 0..3 {
        assert_eq!(shown(&board.look()), [Some(1), Some(0)]);
    }
    board.issue(false);
    assert_eq!(shown(&board.look()), [Some(0), None]);
    let replaced = board.cycle(&Inputs {
        issue_first: true,
        ..harmless()
    });
    assert_eq!(replaced.arrive_entry, 2);
    assert_eq!(shown(&board.look()), [Some(2), None]);
    assert_eq!(board.arrive(&harmless()), 3);
    assert_eq!(shown(&board.issue(true)), [Some(2), Some(3)]);
    assert_eq!(shown(&board.look()), [None, None]);
}

/// G8.
#[test]
fn instruction_is_ready_as_soon_as_nothing_keeps_it() {
    let mut board = Board::new("8_holding");
    // Six results come in one cycle, and an instruction that needs three of them arrives in it.
    for register in 0..FINISHES as u8 {
        board.arrive(&holds(issued(instruction(register, [100; 3]))));
    }
    board.arrive(&holds(issued(instruction(50, [100; 3]))));
    let needy = instruction(100, [0, 3, 5]);
    board.cycle(&finish(&[5, 4, 3, 2, 1, 0], &check(6, &needy)));
    assert_eq!(board.ready(), [true, false]);

    // It came a cycle earlier.
    board.reset();
    for register in 0..FINISHES as u8 {
        board.arrive(&issued(instruction(register, [7; 3])));
    }
    board.arrive(&instruction(100, [0, 3, 5]));
    board.finish(&[0, 3]);
    assert_eq!(board.ready(), [false, false]);
    board.finish(&[5]);
    assert_eq!(board.ready(), [true, false]);

    // The second one may be ready before the first one, and then moves up.
    board.reset();
    board.arrive(&issued(instruction(1, [7; 3])));
    board.arrive(&instruction(2, [1; 3]));
    board.arrive(&instruction(3, [7; 3]));
    assert_eq!(board.ready(), [false, true]);
    board.finish(&[0]);
    assert_eq!(board.ready(), [true, true]);
    board.issue(false);
    assert_eq!(board.ready(), [true, false]);
}

/// G8: the zero register is no instruction's result.
#[test]
fn zero_register_is_never_waited_for() {
    let mut board = Board::new("8_holding");
    let zero = ZERO_REGISTER;
    board.arrive(&holds(issued(instruction(zero, [zero; 3]))));
    board.arrive(&holds(instruction(zero, [zero; 3])));
    board.arrive(&instruction(zero, [zero; 3]));
    assert_eq!(board.ready(), [true, true]);
}

/// G9.
#[test]
fn flush_takes_the_buffered_ones_and_leaves_the_others() {
    let mut board = Board::new("8_holding");
    for register in 0..3 {
        board.arrive(&issued(stops(instruction(register, [7; 3]))));
    }
    board.finish(&[1]);
    board.arrive(&stops(instruction(100, [7; 3])));
    board.arrive(&stops(instruction(101, [7; 3])));
    // What arrives or is issued in the same cycle is forgotten too.
    board.cycle(&Inputs {
        flush: true,
        issue_first: true,
        ..harmless()
    });
    let outputs = board.look();
    assert!(!outputs.first_valid && !outputs.second_valid);
    assert!(outputs.busy && outputs.stopped);
    assert_eq!(board.arrive(&instruction(5, [100, 101, 7])), 1);
    assert_eq!(board.arrive(&instruction(6, [7, 2, 7])), 3);
    assert_eq!(board.ready(), [true, false], "entry 2 is in flight");
    board.flush();
    assert!(board.finish(&[0, 2]).busy);
    let outputs = board.look();
    assert!(!outputs.busy && !outputs.stopped);
}

/// G10.
#[test]
fn stopping_is_what_is_left_of_a_stop() {
    let mut board = Board::new("8_holding");
    let [one, two, three] = [0, 1, 2].map(|_| board.arrive(&issued(stops(harmless()))));
    assert!(board.look().stopping);
    assert!(board.check(two).stopping);
    assert!(board.finish(&[two]).stopping);
    let last = board.cycle(&finish(&[one], &check(three, &Inputs::default())));
    assert!(last.stopped && !last.stopping);
    let outputs = board.look();
    assert!(!outputs.stopped && !outputs.stopping);
}

/// G11.
#[test]
fn likely_is_what_will_be_ready() {
    for chosen in [false, true] {
        for finishes in [false, true] {
            let mut board = Board::new("8_holding");
            // The first one that is buffered is ready, and the second one waits for register 1.
            let load = board.arrive(&issued(instruction(1, [9; 3])));
            board.arrive(&instruction(2, [8; 3]));
            board.arrive(&instruction(3, [1, 7, 7]));
            let issue = Inputs {
                chosen,
                issue_first: chosen,
                ..Inputs::default()
            };
            let ended = if finishes { vec![load] } else { Vec::new() };
            let outputs = board.cycle(&finish(&ended, &issue));
            assert_eq!(outputs.likely, !chosen || finishes);
            assert_eq!(board.look().first_ready, outputs.likely);
        }
    }
}

/// What finishes or is checked and is not there changes nothing, not even of an instruction that gets the entry.
#[test]
fn message_about_nobody_is_ignored() {
    let mut board = Board::new("8_holding");
    board.finish(&[0, 1, 2, 3, 4, 5]);
    board.check(3);
    assert_eq!(board.look(), board.look());
    let holder = stops(holds(issued(instruction(1, [100; 3]))));
    let entry = board.arrive(&finish(&[0, 0], &check(0, &holder)));
    assert_eq!(entry, 0);
    board.arrive(&instruction(100, [7; 3]));
    board.arrive(&instruction(101, [1; 3]));
    assert!(board.look().stopped);
    assert_eq!(board.ready(), [false, false]);
}

/// A second instruction is not issued alone, and nothing is issued that is not there.
#[test]
fn second_one_does_not_go_without_the_first() {
    let mut board = Board::new("8_holding");
    board.issue(true);
    board.arrive(&harmless());
    board.arrive(&harmless());
    board.cycle(&Inputs {
        issue_second: true,
        ..Inputs::default()
    });
    let outputs = board.look();
    assert_eq!([outputs.first_entry, outputs.second_entry], [0, 1]);
    assert!(outputs.first_valid && outputs.second_valid);
}

#[test]
fn reset_forgets_everything() {
    let mut board = Board::new("8_holding");
    let fresh = board.look();
    for _ in 0..3 {
        board.arrive(&stops(holds(issued(instruction(1, [100; 3])))));
    }
    board.arrive(&instruction(1, [1; 3]));
    board.arrive(&instruction(2, [1; 3]));
    board.reset();
    assert_eq!(board.look(), fresh);
    board.arrive(&instruction(100, [1; 3]));
    assert_eq!(board.ready(), [true, false]);
}

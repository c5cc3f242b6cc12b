//! Contract tests of the preemption policy. Each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::preempt::preemption_policy::Case;
use faultline_testbench::support;
use faultline_testbench::support::policy::Policy;

/// The greatest number of 20 bits.
const MOST: u64 = 0xF_FFFF;

#[test]
fn matches_model() {
    support::matches_model("preemption_policy");
}

/// A policy with an average of 40 ticks, and a block that has run for `run` of them.
fn known(run: u64) -> Policy {
    let mut policy = Policy::new("16");
    policy.profile(40);
    policy.ticks(0);
    policy.begin(3);
    policy.ticks(run - 1);
    policy.ticks(0);
    policy.inputs.query_slot = 3;
    policy.inputs.query_switch = 5;
    policy
}

/// G1, G7.
#[test]
fn query_is_answered_once_and_the_answer_holds() {
    let mut policy = known(10);
    policy.inputs.query_launch = 20;
    for wait in [0, 1, 7] {
        policy.inputs.answer_ready = false;
        policy.inputs.query_valid = true;
        let first = loop {
            let outputs = policy.cycle();
            assert!(!outputs.query_ready);
            if outputs.answer_valid {
                break outputs;
            }
        };
        for _ in 0..wait {
            assert_eq!(policy.cycle(), first);
        }
        policy.inputs.answer_ready = true;
        let last = policy.cycle();
        assert!(last.query_ready && last.answer_valid);
        assert_eq!(last.answer_remaining, first.answer_remaining);
        policy.inputs.query_valid = false;
        for _ in 0..200 {
            assert!(!policy.cycle().answer_valid);
        }
    }
}

/// G1: the time of an answer does not depend on what is answered, but that it is shorter where a quotient is too great.
#[test]
fn answer_takes_87_cycles_or_less() {
    let mut policy = known(10);
    policy.inputs.query_instructions = 100;
    assert_eq!(
        policy.query().cycles,
        4 * 20 + 7 - 19,
        "nothing was executed"
    );
    policy.issue(3, 50);
    assert_eq!(policy.query().cycles, 4 * 20 + 7);
    policy.inputs.query_switch = MOST;
    policy.begin(4);
    assert_eq!(policy.query().cycles, 4 * 20 + 7 - 19);
}

/// G2: the paper's five cases, with an average of 40 ticks, and 5 ticks for saving.
#[test]
fn each_of_the_five_cases_has_its_occasion() {
    for (run, launch, warm_up, case) in [
        (10, 20, 1, Case::TwoCheckpoints),
        (10, 6, 1, Case::TwoCheckpoints),
        (10, 5, 1, Case::OneCheckpoint),
        (10, 3, 1, Case::OneCheckpoint),
        (36, 3, 1, Case::Drain),
        (35, 4, 1, Case::Drain),
        (34, 5, 1, Case::OneCheckpoint),
        (30, 10, 1, Case::Drain),
        (30, 11, 1, Case::Drain),
        (30, 12, 1, Case::DrainThenOne),
        (30, 16, 1, Case::DrainThenOne),
        (30, 17, 1, Case::DrainThenTwo),
        (30, 17, 2, Case::DrainThenOne),
        (30, 49, 1, Case::DrainThenTwo),
        (30, 50, 1, Case::Drain),
        (45, 20, 1, Case::DrainThenTwo),
    ] {
        let mut policy = known(run);
        policy.inputs.query_launch = launch;
        policy.inputs.query_warm_up = warm_up;
        let answer = policy.query();
        let wanted = 40_u64.saturating_sub(run);
        assert_eq!(answer.remaining, wanted, "{run}");
        assert_eq!(answer.case, case, "{run} {launch} {warm_up}");
    }
}

/// G2: blocks that are shorter than saving are drained, whenever the preemption comes.
#[test]
fn blocks_shorter_than_saving_are_drained() {
    for launch in [0, 1, 10, 15, 29, 30, 31, 45, 80, MOST] {
        let mut policy = known(10);
        policy.inputs.query_switch = 40;
        policy.inputs.query_launch = launch;
        assert_eq!(policy.query().case, Case::Drain, "{launch}");
    }
}

/// Chimera's choice, of a block that has run for 10 ticks and issued 20 of 60 instructions.
#[test]
fn chimera_takes_what_costs_least_and_meets_the_deadline() {
    for (deadline, switch, idempotent, case) in [
        (20, 5, true, Case::Drain),
        (20, 5, false, Case::Drain),
        (19, 5, false, Case::Switch),
        (19, 5, true, Case::Switch),
        (19, 6, true, Case::Flush),
        (19, 19, false, Case::Switch),
        (19, 20, true, Case::Flush),
        (4, 5, true, Case::Flush),
        (4, 5, false, Case::Switch),
        (4, 20, false, Case::Switch),
        (4, 21, false, Case::Drain),
    ] {
        let mut policy = known(4);
        policy.issue(3, 20);
        policy.ticks(5);
        policy.inputs.query_chimera = true;
        policy.inputs.query_idempotent = idempotent;
        policy.inputs.query_instructions = 60;
        policy.inputs.query_launch = deadline;
        policy.inputs.query_switch = switch;
        let answer = policy.query();
        assert_eq!(answer.remaining, 20, "the average is not Chimera's");
        assert_eq!(answer.switch, switch, "of one block");
        assert_eq!(answer.case, case, "{deadline} {switch} {idempotent}");
    }
}

/// G3: the average is PEP's alone. Chimera has the block's own rate, and so another remaining time and another case.
#[test]
fn average_is_not_chimeras() {
    let mut policy = known(20);
    policy.issue(3, 10);
    policy.inputs.query_instructions = 1000;
    policy.inputs.query_launch = 50;
    policy.inputs.end_slot = 3;
    assert_eq!(policy.query().remaining, 40 - 20, "PEP");
    policy.inputs.query_chimera = true;
    policy.inputs.query_valid = true;
    assert_eq!(policy.cycle().end_run, 25);
    let answer = policy.query();
    assert_eq!((answer.remaining, answer.case), (2475, Case::Switch));
}

/// G3: without an average, the instructions that are left at the rate of before: here 30 in 12 ticks.
#[test]
fn remaining_time_without_a_profile_is_chimeras() {
    for (instructions, remaining) in [(10, 0), (30, 0), (31, 0), (33, 1), (60, 12), (75, 18)] {
        let mut policy = Policy::new("16");
        policy.begin(0);
        policy.issue(0, 30);
        policy.ticks(10);
        policy.inputs.query_instructions = instructions;
        assert_eq!(policy.query().remaining, remaining, "{instructions}");
    }
}

/// G3: a block of which nothing is known is taken for a long one.
#[test]
fn block_without_profile_and_instructions_is_long() {
    let mut policy = Policy::new("16");
    policy.begin(0);
    policy.ticks(3);
    policy.inputs.query_instructions = 1000;
    policy.inputs.query_launch = MOST - 1;
    policy.inputs.query_switch = 3;
    let answer = policy.query();
    assert_eq!(
        (answer.remaining, answer.case),
        (MOST, Case::TwoCheckpoints)
    );
    policy.inputs.query_launch = MOST;
    assert_eq!(policy.query().case, Case::Drain, "no launch is later");
}

/// G4: the worst case over the blocks of the SM.
#[test]
fn saving_takes_as_long_as_for_all_blocks_at_once() {
    let mut policy = Policy::new("16");
    policy.inputs.query_switch = 7;
    for blocks in 0..=16 {
        assert_eq!(policy.query().switch, 7 * blocks);
        if blocks < 16 {
            policy.begin(blocks);
        }
    }
    policy.end(5);
    assert_eq!(policy.query().switch, 7 * 15);
    policy.inputs.query_switch = MOST / 14;
    assert_eq!(policy.query().switch, MOST, "it cannot be expressed");
    policy.inputs.query_chimera = true;
    assert_eq!(policy.query().switch, MOST / 14);
}

/// G5: of a block, and of no other.
#[test]
fn blocks_are_counted_each_for_itself() {
    for queried in 0..16 {
        let mut policy = Policy::new("16");
        policy.issue(queried, 40); // before it begins
        let mut begun = [0; 16];
        for slot in 0..16 {
            begun[slot as usize] = policy.cycle;
            policy.begin(slot);
            policy.issue(slot, 3 * slot + 1);
        }
        policy.end(9);
        let ended = policy.cycle;
        policy.issue(9, 100); // after it has ended
        policy.launch();
        policy.ticks(20);
        policy.inputs.query_slot = queried;
        policy.inputs.query_instructions = 200;
        let until = if queried == 9 { ended } else { policy.cycle };
        let time = until / 16 - (begun[queried as usize] + 1) / 16;
        let executed = 3 * queried + 1;
        let remaining = (200 - executed) * time / executed;
        assert_eq!(policy.query().remaining, remaining, "{queried}");
    }
}

/// G5: the ticks are those of the whole block, and go on from reset whatever begins; one counts from the next cycle on.
#[test]
fn ticks_are_counted_from_reset_and_shared_by_all_slots() {
    for begun in 0..40 {
        let mut policy = Policy::new("16");
        while policy.cycle < begun {
            policy.inputs.launch_valid = policy.cycle == 7;
            policy.cycle();
        }
        policy.begin(2);
        policy.inputs.end_slot = 2;
        for _ in 0..50 {
            let passed = policy.cycle / 16 - (begun + 1) / 16;
            assert_eq!(policy.cycle().end_run, passed, "begun in cycle {begun}");
        }
    }
}

/// G5, G6: what comes with the end is in what the slot keeps, and neither in what is shown nor in the average.
#[test]
fn tick_and_instruction_in_the_cycle_of_an_end_are_kept_and_not_shown() {
    let mut policy = Policy::new("16");
    policy.begin(2);
    policy.issue(2, 8);
    policy.ticks(2);
    while policy.cycle % 16 != 15 {
        policy.cycle();
    }
    policy.inputs.issued_valid = 3;
    policy.inputs.issued_slot = [2; 2];
    (policy.inputs.end_valid, policy.inputs.end_slot) = (true, 2);
    let shown = policy.cycle();
    assert_eq!((shown.end_run, shown.end_executed), (3, 8));
    for _ in 0..40 {
        policy.inputs.issued_valid = 3;
        let kept = policy.cycle();
        assert_eq!((kept.end_run, kept.end_executed), (4, 10));
    }
    policy.begin(1);
    policy.inputs.query_slot = 1;
    assert_eq!(
        policy.query().remaining,
        3,
        "the average has what was shown"
    );
}

/// G4, G5, G6: a block that begins takes the place of one that has not ended, whose time is lost.
#[test]
fn begin_in_a_slot_that_runs_takes_its_place() {
    let mut policy = Policy::new("16");
    policy.begin(2);
    policy.issue(2, 8);
    policy.ticks(5);
    policy.ticks(0);
    policy.inputs.issued_valid = 3;
    (policy.inputs.begin_run, policy.inputs.begin_executed) = (7, 9);
    policy.begin(2);
    (policy.inputs.begin_run, policy.inputs.begin_executed) = (0, 0);
    policy.inputs.end_slot = 2;
    let shown = policy.cycle();
    assert_eq!((shown.end_run, shown.end_executed), (7, 9));
    (policy.inputs.query_slot, policy.inputs.query_switch) = (2, 100);
    let answer = policy.query();
    assert_eq!(answer.switch, 100, "there is one block");
    assert_eq!(
        answer.remaining, 0,
        "there is no average, and nothing is left"
    );
}

/// G5, G6: one block ends and the next one begins in the same cycle and slot.
#[test]
fn end_and_begin_of_a_slot_in_one_cycle_are_both_done() {
    let mut policy = Policy::new("16");
    policy.begin(2);
    policy.ticks(5);
    policy.ticks(0);
    (policy.inputs.end_valid, policy.inputs.end_slot) = (true, 2);
    policy.begin(2);
    assert_eq!(policy.cycle().end_run, 0);
    (policy.inputs.query_slot, policy.inputs.query_switch) = (2, 100);
    let answer = policy.query();
    assert_eq!((answer.remaining, answer.switch), (6, 100));
}

/// G3: none are left, but from the greatest number on there is no rate.
#[test]
fn block_with_more_instructions_than_queried_has_none_left() {
    let mut policy = Policy::new("16");
    (policy.inputs.begin_run, policy.inputs.begin_executed) = (50, 30);
    policy.begin(0);
    policy.inputs.query_instructions = 20;
    assert_eq!(policy.query().remaining, 0);
    policy.inputs.begin_executed = MOST;
    policy.begin(0);
    assert_eq!(policy.query().remaining, MOST);
}

/// G5: what is full stays full. Times of three bits, ticks of two cycles.
#[test]
fn counters_stay_at_their_greatest_number() {
    let mut policy = Policy::new("proof");
    policy.begin(0);
    policy.issue(0, 3);
    policy.ticks(40);
    policy.inputs.query_instructions = 6;
    assert_eq!(policy.query().remaining, 7, "7 ticks for 3 instructions");
    policy.issue(0, 40);
    policy.inputs.query_instructions = 7;
    assert_eq!(policy.query().remaining, 7, "7 instructions or more");
    policy.ticks(0);
    policy.end(0);
    policy.begin(1);
    policy.cycle();
    policy.inputs.query_slot = 1;
    assert_eq!(policy.query().remaining, 7, "the average is full");
}

/// G4, G5, G6: a block that leaves is none of the SM's, and no block's time; when it comes back it goes on.
#[test]
fn block_that_leaves_goes_on_when_it_comes_back() {
    let mut policy = Policy::new("16");
    policy.ticks(0);
    policy.begin(3);
    policy.begin(4);
    policy.issue(3, 8);
    policy.ticks(20);
    (policy.inputs.end_slot, policy.inputs.end_leaves) = (3, true);
    let left = policy.cycle();
    assert_eq!((left.end_run, left.end_executed), (21, 8));
    policy.end(3);
    policy.inputs.end_leaves = false;
    (policy.inputs.query_slot, policy.inputs.query_switch) = (4, 100);
    assert_eq!(policy.query().switch, 100, "one block is there");
    policy.ticks(0);
    (policy.inputs.begin_run, policy.inputs.begin_executed) = (left.end_run, left.end_executed);
    policy.begin(5);
    (policy.inputs.begin_run, policy.inputs.begin_executed) = (0, 0);
    (policy.inputs.query_slot, policy.inputs.query_instructions) = (5, 16);
    let remaining = policy.query().remaining;
    assert_eq!(
        remaining, 21,
        "no block has ended, and half of its instructions are left"
    );
    policy.ticks(9);
    policy.inputs.end_slot = 5;
    let run = policy.cycle().end_run;
    assert!(run >= 21 + 9, "{run} ticks before and after");
    policy.end(5);
    policy.cycle();
    policy.begin(6);
    policy.inputs.query_slot = 6;
    assert_eq!(
        policy.query().remaining,
        run,
        "the average is what it took in all"
    );
}

/// G6: the first block, and then an eighth of the way to each.
#[test]
fn average_follows_the_blocks_and_a_launch_forgets_it() {
    let mut policy = Policy::new("16");
    let queried = |policy: &mut Policy| {
        policy.ticks(0);
        policy.begin(2);
        policy.inputs.query_slot = 2;
        policy.query()
    };
    policy.profile(40);
    assert_eq!(queried(&mut policy).remaining, 40);
    let mut eighths = 8 * 40;
    for _ in 0..60 {
        policy.profile(8);
        eighths = eighths - eighths / 8 + 8;
        assert_eq!(queried(&mut policy).remaining, eighths / 8);
    }
    assert_eq!(eighths / 8, 8, "it comes to what blocks take");
    policy.launch();
    assert_eq!(queried(&mut policy).remaining, MOST);
    policy.profile(20);
    assert_eq!(queried(&mut policy).remaining, 20, "the first one again");
}

/// G6: what ends with the kernel, or in the cycle before, is none of the next kernel's.
#[test]
fn block_that_ends_with_its_kernel_is_not_counted() {
    for early in [0, 1, 2] {
        let mut policy = Policy::new("16");
        policy.begin(0);
        policy.ticks(5);
        (policy.inputs.end_valid, policy.inputs.end_slot) = (true, 0);
        policy.inputs.launch_valid = early == 0;
        policy.cycle();
        for _ in 1..early {
            policy.cycle();
        }
        if early > 0 {
            policy.launch();
        }
        policy.begin(0);
        policy.inputs.query_instructions = 5;
        assert_eq!(policy.query().remaining, MOST, "{early}");
    }
}

#[test]
fn end_of_an_empty_slot_is_nothing() {
    let mut policy = Policy::new("16");
    policy.begin(0);
    policy.ticks(5);
    policy.end(1);
    policy.end(0);
    policy.end(0);
    policy.cycle();
    policy.inputs.query_slot = 1;
    assert_eq!(policy.query().remaining, 6, "of one block");
}

/// G8, over many times: the choice is one of the five, and Chimera's one of three.
#[test]
fn combinations_of_times_have_one_case_and_none_is_anothers() {
    let mut policy = Policy::new("proof");
    for average in 1..8 {
        policy.launch();
        policy.profile(average);
        for run in 0..3 {
            policy.ticks(0);
            policy.begin(0);
            policy.ticks(run);
            for times in 0..8 * 8 * 4 {
                let (launch, switch, idempotent, chimera) = (
                    times % 8,
                    times / 8 % 8,
                    times / 64 % 2 == 1,
                    times / 128 == 1,
                );
                policy.inputs.query_launch = launch;
                policy.inputs.query_switch = switch;
                policy.inputs.query_idempotent = idempotent;
                policy.inputs.query_chimera = chimera;
                policy.inputs.query_warm_up = (launch + switch) % 3;
                let case = policy.query().case;
                let allowed = match (chimera, idempotent) {
                    (false, _) => case < Case::Flush,
                    (true, true) => [Case::Drain, Case::Flush, Case::Switch].contains(&case),
                    (true, false) => [Case::Drain, Case::Switch].contains(&case),
                };
                assert!(allowed, "{case:?}");
            }
        }
    }
}

/// Reset clears blocks, the average, and the query.
#[test]
fn reset_forgets_everything() {
    let mut policy = known(10);
    policy.inputs.query_valid = true;
    policy.cycle();
    policy.inputs.reset = true;
    policy.inputs.query_valid = false;
    policy.cycle();
    policy.inputs.reset = false;
    for _ in 0..200 {
        assert!(!policy.cycle().answer_valid);
    }
    policy.inputs.query_instructions = 9;
    let answer = policy.query();
    assert_eq!((answer.remaining, answer.switch), (MOST, 0));
}

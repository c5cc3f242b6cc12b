//! Contract tests of the replay queue: each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::sm::replay_queue::{Inputs, Instruction};
use faultline_testbench::support;
use faultline_testbench::support::queue::{Queue, instruction};

/// The size of most tests: a big one shows no more.
const SIZE: &str = "16";

#[test]
fn matches_model() {
    support::matches_model("replay_queue");
}

/// G1.
#[test]
fn full_queue_stalls_the_issue_and_drops_nothing() {
    for config in ["16", "32", "64", "proof"] {
        let mut queue = Queue::new(config);
        let entries = queue.parameters().entries as u32;
        let instructions: Vec<_> = (0..entries)
            .map(|pc| instruction((pc % 64) as u8, pc))
            .collect();
        let indices: Vec<_> = instructions
            .iter()
            .map(|instruction| queue.insert(instruction))
            .collect();
        assert_eq!(
            indices,
            (0..entries as u8).collect::<Vec<_>>(),
            "the lowest free entry is taken"
        );
        let full = queue.offer(&instruction(63, 99), false);
        assert!(
            !full.insert_ready && full.insert_index == 0 && u32::from(full.occupancy) == entries
        );
        queue.commit(2);
        assert_eq!(
            queue.insert(&instruction(63, 99)),
            2,
            "an entry is free the cycle after its commit"
        );
        queue.fault(1);
        assert_eq!(queue.replay(instructions[1].warp), [1]);
    }
}

/// G2.
#[test]
fn instruction_stays_until_commit_or_save() {
    let mut queue = Queue::new(SIZE);
    let index = queue.insert(&instruction(5, 1));
    queue.fault(index);
    assert_eq!(queue.replay(5), [index]);
    queue.check(index);
    assert_eq!(queue.rest().occupancy, 1);
    queue.commit(index);
    assert_eq!(queue.rest().occupancy, 0);
    let index = queue.insert(&instruction(5, 2));
    queue.fault(index);
    assert_eq!(queue.save_all(1).len(), 1);
    assert_eq!(queue.rest().occupancy, 0);
}

/// G3.
#[test]
fn faulted_instruction_is_presented_once_for_each_resume() {
    let mut queue = Queue::new(SIZE);
    let index = queue.insert(&instruction(3, 1));
    for _ in 0..3 {
        queue.fault(index);
        assert_eq!(queue.replay(3), [index]);
    }
    queue.check(index);
    queue.commit(index);
    assert!(queue.replay(3).is_empty(), "nothing waits any more");
}

/// G3: a fault during the scan waits for the next resume.
#[test]
fn fault_after_a_replay_waits_for_another_resume() {
    let mut queue = Queue::new(SIZE);
    let (first, second) = (
        queue.insert(&instruction(3, 1)),
        queue.insert(&instruction(3, 2)),
    );
    queue.fault(first);
    queue.fault(second);
    assert!(queue.resume(3));
    assert_eq!(queue.next_offer().entry_index, first);
    queue.cycle(&Inputs {
        replay_ready: true,
        ..Inputs::default()
    });
    queue.fault(first);
    let (rest, _) = queue.take_all();
    assert_eq!(
        rest.iter().map(|(index, _)| *index).collect::<Vec<_>>(),
        [second]
    );
    queue.commit(second);
    assert_eq!(queue.replay(3), [first]);
}

/// G4.
#[test]
fn replay_follows_program_order_whatever_the_entries_are() {
    let mut queue = Queue::new(SIZE);
    let gone = queue.insert(&instruction(9, 0));
    let older = queue.insert(&instruction(9, 1));
    let other = queue.insert(&instruction(10, 2));
    let newer = queue.insert(&instruction(9, 3));
    queue.commit(gone);
    let newest = queue.insert(&instruction(9, 4));
    assert!(
        newest < older,
        "the newest instruction is in the lowest entry"
    );
    for index in [newest, older, newer, other] {
        queue.fault(index);
    }
    assert_eq!(queue.replay(9), [older, newer, newest]);
    assert_eq!(queue.replay(10), [other]);
}

/// G5.
#[test]
fn warp_that_waits_issues_nothing_newer() {
    let mut queue = Queue::new(SIZE);
    let index = queue.insert(&instruction(4, 1));
    queue.fault(index);
    for _ in 0..3 {
        assert!(!queue.offer(&instruction(4, 2), false).insert_ready);
    }
    assert!(
        queue.offer(&instruction(5, 3), false).insert_ready,
        "another warp goes on"
    );
    assert!(
        queue.offer(&instruction(4, 4), true).insert_ready,
        "what is restored waits as well"
    );
    assert_eq!(queue.replay(4).len(), 2);
    assert!(
        queue.offer(&instruction(4, 5), false).insert_ready,
        "all were replayed"
    );
}

/// G5: no instruction comes after one that has the greatest age, so that ages order a warp.
#[test]
fn instruction_of_the_greatest_age_stalls_its_warp() {
    let mut queue = Queue::new("proof");
    let oldest = queue.insert(&instruction(4, 0));
    for pc in 1..4 {
        let index = queue.insert(&instruction(4, pc));
        queue.commit(index);
    }
    assert!(!queue.offer(&instruction(4, 4), false).insert_ready);
    assert!(!queue.offer(&instruction(4, 4), true).insert_ready);
    assert!(queue.offer(&instruction(6, 5), false).insert_ready);
    queue.fault(oldest);
    assert_eq!(queue.replay(4), [oldest]);
    queue.commit(oldest);
    assert!(queue.offer(&instruction(4, 6), false).insert_ready);
}

/// G14: four more instructions get in after the warning.
#[test]
fn aged_is_high_for_an_instruction_near_the_greatest_age() {
    let mut queue = Queue::new(SIZE);
    let oldest = queue.insert(&instruction(4, 0));
    for pc in 1..=63 {
        assert_eq!(queue.rest().aged, pc > 59, "after {} others", pc - 1);
        let index = queue.insert(&instruction(4, pc));
        queue.commit(index);
    }
    assert!(!queue.offer(&instruction(4, 64), false).insert_ready);
    queue.fault(oldest);
    assert!(!queue.rest().aged, "it waits");
    assert_eq!(queue.replay(4), [oldest]);
    assert!(queue.rest().aged, "it is in flight again");
    queue.commit(oldest);
    assert!(!queue.rest().aged);
}

/// G6.
#[test]
fn committed_and_unfaulted_instructions_are_not_presented() {
    let mut queue = Queue::new(SIZE);
    let (faulted, committed) = (
        queue.insert(&instruction(8, 1)),
        queue.insert(&instruction(8, 2)),
    );
    let other = queue.insert(&instruction(9, 3));
    queue.fault(faulted);
    queue.check(committed);
    queue.commit(committed);
    assert_eq!(queue.replay(8), [faulted]);
    assert_eq!(queue.rest().occupancy, 2, "{other} is still in flight");
}

/// G6: a checked instruction can no longer fault, and a message to a free or a waiting entry is ignored.
#[test]
fn message_that_makes_no_sense_is_ignored() {
    let mut queue = Queue::new(SIZE);
    let (checked, waiting) = (
        queue.insert(&instruction(8, 1)),
        queue.insert(&instruction(9, 2)),
    );
    queue.check(checked);
    queue.fault(checked);
    queue.fault(waiting);
    queue.commit(waiting);
    queue.check(waiting);
    for free in [7, 15] {
        queue.check(free);
        queue.fault(free);
        queue.commit(free);
    }
    assert_eq!(queue.rest().occupancy, 2);
    assert!(!queue.resume(8), "the checked one is in flight");
    assert_eq!(queue.replay(9), [waiting]);
}

/// G6: neither a fault nor a check changes a checked entry; it is in flight until it commits.
#[test]
fn fault_on_a_checked_entry_is_ignored() {
    let mut queue = Queue::new(SIZE);
    let index = queue.insert(&instruction(8, 1));
    queue.check(index);
    for _ in 0..2 {
        queue.fault(index);
        queue.check(index);
        assert!(!queue.held(8, 2), "it stays checked");
        assert!(!queue.resume(8), "it stays in flight");
    }
    queue.commit(index);
    assert_eq!(queue.rest().occupancy, 0);
}

/// G7: what waits has not passed its last TLB check, though it comes from a saved context.
#[test]
fn what_waits_is_unchecked_and_holds_its_sources() {
    let mut queue = Queue::new(SIZE);
    let faulted = queue.insert(&instruction(8, 1));
    queue.fault(faulted);
    queue.restore(&instruction(9, 2));
    for warp in [8, 9] {
        assert!(queue.held(warp, 2));
    }
    queue.check(faulted);
    assert!(queue.held(8, 2), "a check of what waits is ignored");
    queue.commit(faulted);
    assert!(queue.held(8, 2), "and so is a commit");
}

/// G6: commit goes before fault, and fault before check.
#[test]
fn commit_goes_before_fault_and_fault_before_check() {
    let mut queue = Queue::new(SIZE);
    let index = queue.insert(&instruction(8, 1));
    let all = |committed| Inputs {
        checked_valid: true,
        checked_index: index,
        faulted_valid: true,
        faulted_index: index,
        committed_valid: committed,
        committed_index: index,
        ..Inputs::default()
    };
    queue.cycle(&all(false));
    assert_eq!(queue.replay(8), [index], "it faulted");
    queue.cycle(&all(true));
    assert_eq!(queue.rest().occupancy, 0, "it committed");
}

/// G7.
#[test]
fn held_is_of_the_sources_of_unchecked_instructions() {
    let mut queue = Queue::new(SIZE);
    let sources = Instruction {
        destination: 9,
        address_register: 20,
        data_register: 30,
        ..instruction(6, 1)
    };
    let index = queue.insert(&sources);
    assert!(queue.held(6, 20) && queue.held(6, 30));
    assert!(!queue.held(6, 9), "a destination is not a source");
    assert!(!queue.held(7, 20), "another warp has registers of its own");
    queue.fault(index);
    assert!(
        queue.held(6, 20),
        "what waits is unchecked, and reads its sources again"
    );
    assert_eq!(queue.replay(6), [index]);
    assert!(queue.held(6, 30));
    queue.check(index);
    assert!(!queue.held(6, 20) && !queue.held(6, 30));
}

/// G7: no instruction reads the zero register.
#[test]
fn zero_register_is_never_held() {
    let mut queue = Queue::new(SIZE);
    queue.insert(&Instruction {
        address_register: 255,
        data_register: 255,
        ..instruction(6, 1)
    });
    assert!(!queue.held(6, 255));
}

/// G8.
#[test]
fn resume_waits_until_the_warp_has_drained() {
    let mut queue = Queue::new(SIZE);
    let (faulted, in_flight) = (
        queue.insert(&instruction(2, 1)),
        queue.insert(&instruction(2, 2)),
    );
    let other = queue.insert(&instruction(3, 3));
    queue.fault(faulted);
    assert!(!queue.resume(2));
    queue.check(in_flight);
    assert!(!queue.resume(2), "checked, but not committed");
    queue.commit(in_flight);
    assert_eq!(
        queue.replay(2),
        [faulted],
        "{other} of another warp is in flight, and does not matter"
    );
}

/// G9.
#[test]
fn save_takes_its_block_oldest_first_and_leaves_the_others() {
    let mut queue = Queue::new(SIZE);
    let program =
        [(4, 1), (5, 2), (8, 3), (4, 4), (5, 5), (4, 6)].map(|(warp, pc)| instruction(warp, pc));
    let indices = program.map(|instruction| queue.insert(&instruction));
    assert!(!queue.save(1), "the block has not drained");
    indices.iter().for_each(|&index| queue.fault(index));
    let saved = queue.save_all(1);
    for warp in [4, 5] {
        let of_warp = |from: &[Instruction]| {
            from.iter()
                .filter(|instruction| instruction.warp == warp)
                .copied()
                .collect::<Vec<_>>()
        };
        assert_eq!(of_warp(&saved), of_warp(&program));
    }
    assert_eq!(saved.len(), 5);
    assert_eq!(queue.save_all(1), [], "none was left behind");
    assert_eq!(
        queue.replay(8),
        [indices[2]],
        "the other block's instruction stays"
    );
}

/// G9: an entry that a save gave up is another instruction's while the saved one is still on offer.
#[test]
fn instruction_in_the_entry_of_a_saved_one_waits_on() {
    let mut queue = Queue::new(SIZE);
    let saved = queue.insert(&instruction(4, 1));
    queue.fault(saved);
    assert!(queue.save(1));
    assert!(queue.next_offer().saved_valid);
    let index = queue.insert(&instruction(40, 2));
    assert_eq!(index, saved);
    queue.fault(index);
    let (taken, _) = queue.take_all();
    assert_eq!(taken.len(), 1);
    assert_eq!(queue.replay(40), [index]);
}

/// G10.
#[test]
fn offer_holds_until_it_is_taken() {
    for saving in [false, true] {
        let mut queue = Queue::new(SIZE);
        for pc in 0..3 {
            let index = queue.insert(&instruction(4, pc));
            queue.check(15);
            assert_eq!(u32::from(index), pc);
        }
        (0..3).for_each(|index| queue.fault(index));
        assert!(if saving {
            queue.save(1)
        } else {
            queue.resume(4)
        });
        for pc in 0..3 {
            let first = queue.next_offer();
            assert_eq!((first.entry_pc, first.saved_valid), (pc, saving));
            for _ in 0..5 {
                queue.offer(&instruction(50, 77), false);
                let later = queue.rest();
                assert_eq!(
                    (later.entry_index, later.entry()),
                    (first.entry_index, first.entry())
                );
                assert_eq!((later.replay_valid, later.saved_valid), (!saving, saving));
            }
            queue.cycle(&Inputs {
                replay_ready: !saving,
                saved_ready: saving,
                ..Inputs::default()
            });
        }
    }
}

/// G11.
#[test]
fn occupancy_counts_the_instructions() {
    let mut queue = Queue::new(SIZE);
    for count in 0..16 {
        assert_eq!(queue.rest().occupancy, count);
        queue.insert(&instruction(count, 1));
    }
    let both = Inputs {
        committed_valid: true,
        committed_index: 0,
        ..Inputs::default()
    };
    assert_eq!(queue.cycle(&both).occupancy, 16);
    let mut both = Inputs {
        committed_valid: true,
        committed_index: 1,
        ..Inputs::default()
    };
    both.insert(&instruction(20, 2), false);
    assert_eq!(queue.cycle(&both).occupancy, 15);
    assert_eq!(queue.rest().occupancy, 15, "one came and one went");
}

/// G12.
#[test]
fn scan_ends_in_time() {
    for (config, warps) in [
        ("16", 1),
        ("16", 4),
        ("64", 1),
        ("64", 4),
        ("proof", 1),
        ("proof", 4),
    ] {
        let mut queue = Queue::new(config);
        let sizes = queue.parameters();
        let bound = (1 << sizes.age_bits) + 3 * sizes.entries + 1;
        for pc in 0..sizes.entries {
            queue.restore(&instruction((pc % warps) as u8, pc as u32));
        }
        for warp in 0..warps {
            assert!(queue.resume(warp as u8));
            let (taken, cycles) = queue.take_all();
            assert!(
                cycles <= bound,
                "a replay of {} took {cycles} cycles",
                taken.len()
            );
            taken.iter().for_each(|&(index, _)| queue.fault(index));
        }
        assert!(queue.save(0));
        let (taken, cycles) = queue.take_all();
        assert_eq!(taken.len(), sizes.entries);
        assert!(cycles <= bound, "a save took {cycles} cycles");
    }
}

/// The page: 7 groups of ages are skipped, and the ages of the last one are looked at; then each of the four instructions
/// is picked and taken. A scan that finds nothing takes a look for each group.
#[test]
fn scan_skips_ages_at_which_nobody_waits() {
    let mut queue = Queue::new("64");
    for pc in 0..4 {
        queue.restore(&instruction(1, pc));
    }
    for (warp, number, bound) in [(1, 4, 7 + 8 + 2 * 4 + 1), (2, 0, 8 + 1)] {
        assert!(queue.resume(warp));
        let (taken, cycles) = queue.take_all();
        assert_eq!(taken.len(), number);
        assert!(cycles <= bound, "{cycles} cycles, at most {bound}");
    }
}

/// G13.
#[test]
fn what_is_presented_is_what_was_inserted() {
    let mut queue = Queue::new(SIZE);
    let pattern = |byte: u8, warp: u8| Instruction {
        warp,
        slot: warp / 4,
        pc: u32::from_le_bytes([byte, !byte, byte ^ 0x0F, byte.wrapping_add(1)]),
        opcode: byte,
        destination: !byte,
        address_register: byte ^ 0x55,
        data_register: byte ^ 0xAA,
        mask: u32::from_le_bytes([!byte, byte, byte, byte ^ 0xF0]),
        log_address: byte & 127,
        log_data: !byte & 127,
    };
    let program: Vec<_> = [0, 255, 0x5A, 0xA5, 1, 128]
        .map(|byte| pattern(byte, 63))
        .to_vec();
    let indices: Vec<_> = program
        .iter()
        .map(|instruction| queue.insert(instruction))
        .collect();
    indices.iter().for_each(|&index| queue.fault(index));
    assert!(queue.resume(63));
    let (replayed, _) = queue.take_all();
    assert_eq!(
        replayed,
        indices
            .iter()
            .copied()
            .zip(program.iter().copied())
            .collect::<Vec<_>>()
    );
    indices.iter().for_each(|&index| queue.fault(index));
    assert_eq!(queue.save_all(15), program);
}

/// A save goes before a resume that is requested in the same cycle.
#[test]
fn save_goes_before_resume() {
    let mut queue = Queue::new(SIZE);
    let index = queue.insert(&instruction(4, 1));
    queue.fault(index);
    let both = Inputs {
        resume_valid: true,
        resume_warp: 4,
        save_valid: true,
        save_slot: 1,
        ..Inputs::default()
    };
    let outputs = queue.cycle(&both);
    assert!(outputs.save_ready && !outputs.resume_ready);
}

/// Reset frees every entry and ends a scan.
#[test]
fn reset_frees_everything() {
    let mut queue = Queue::new(SIZE);
    for pc in 0..5 {
        let index = queue.insert(&instruction(4, pc));
        assert_eq!(u32::from(index), pc);
    }
    (0..5).for_each(|index| queue.fault(index));
    assert!(queue.resume(4));
    queue.next_offer();
    queue.cycle(&Inputs {
        reset: true,
        ..Inputs::default()
    });
    let after = queue.rest();
    assert!(!after.replay_valid && after.occupancy == 0 && after.insert_index == 0);
    assert!(queue.replay(4).is_empty());
}

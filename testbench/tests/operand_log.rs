//! Contract tests of the operand log: each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::sm::operand_log::Inputs;
use faultline_testbench::support;
use faultline_testbench::support::log::{Log, Reader, operand};

/// The size of most tests: a big one shows no more.
const SIZE: &str = "8k";

#[test]
fn matches_model() {
    support::matches_model("operand_log");
}

/// G1.
#[test]
fn load_gets_one_entry_and_store_two_of_its_partition() {
    for config in ["8k", "16k", "20k", "32k"] {
        let mut log = Log::new(config, 2);
        for slot in 0..16 {
            let (address, data) = log.try_allocate(slot, true).unwrap();
            assert_eq!((address, data), (2 * slot, 2 * slot + 1));
        }
        log.launch(5);
        let entries = log.parameters().entries as u8;
        for slot in 0..(entries / 5).min(16) {
            assert_eq!(log.load(slot), 5 * slot, "a load takes the lowest");
            assert_eq!(
                log.try_allocate(slot, true),
                Some((5 * slot + 1, 5 * slot + 4))
            );
            assert_eq!(log.load(slot), 5 * slot + 2, "only what was given is taken");
        }
    }
}

/// G2.
#[test]
fn allocation_is_refused_without_enough_free_entries() {
    let mut log = Log::new(SIZE, 3);
    assert!(log.try_allocate(1, true).is_some());
    assert_eq!(log.try_allocate(1, true), None, "a store wants two or none");
    assert_eq!(log.try_allocate(1, false), Some((4, 4)));
    assert_eq!(log.try_allocate(1, false), None);
    assert!(
        log.try_allocate(2, true).is_some(),
        "another partition has its own"
    );
    assert_eq!(
        log.try_allocate(15, false),
        None,
        "this partition does not exist"
    );
}

/// G2: nothing is given twice when allocations come every cycle.
#[test]
fn allocations_back_to_back_get_different_entries() {
    let mut log = Log::new(SIZE, 16);
    let request = Inputs {
        allocate_valid: true,
        allocate_slot: 1,
        ..Inputs::default()
    };
    let mut given = Vec::new();
    for _ in 0..20 {
        let outputs = log.cycle(&request);
        given.extend(outputs.allocated_valid.then_some(outputs.allocated_address));
    }
    assert_eq!(given, (16..32).collect::<Vec<_>>());
}

/// G3.
#[test]
fn read_returns_the_last_write() {
    let mut log = Log::new(SIZE, 4);
    let entries: Vec<_> = (0..8).map(|slot| log.load(slot)).collect();
    for round in 0..3 {
        for &entry in &entries {
            log.write(entry, &operand(100 * round + u64::from(entry)));
        }
        for (slot, &entry) in entries.iter().enumerate() {
            let expected = Some(operand(100 * round + u64::from(entry)));
            assert_eq!(log.read(Reader::Replay, slot as u8, entry), expected);
            assert_eq!(log.read(Reader::Save, slot as u8, entry), expected);
        }
    }
}

/// G3: the first write may come in the very cycle in which the entry is named.
#[test]
fn write_may_come_with_the_allocation() {
    let mut log = Log::new(SIZE, 2);
    log.cycle(&Inputs {
        allocate_valid: true,
        allocate_slot: 3,
        allocate_store: true,
        ..Inputs::default()
    });
    log.write(6, &operand(1));
    log.write(7, &operand(2));
    assert_eq!(log.read(Reader::Replay, 3, 6), Some(operand(1)));
    assert_eq!(log.read(Reader::Replay, 3, 7), Some(operand(2)));
}

/// G4.
#[test]
fn another_block_is_denied() {
    let mut log = Log::new(SIZE, 2);
    let entry = log.load(3);
    log.write(entry, &operand(1));
    for slot in (0..16).filter(|&slot| slot != 3) {
        assert!(log.denies(slot, entry), "slot {slot}");
    }
    assert!(!log.denies(3, entry));
}

/// G4.
#[test]
fn entry_that_was_not_written_since_its_allocation_is_denied() {
    let mut log = Log::new(SIZE, 1);
    assert!(log.denies(4, 4), "never allocated");
    let entry = log.load(4);
    assert!(log.denies(4, entry), "never written");
    log.write(entry, &operand(1));
    log.release(4, entry);
    assert!(log.denies(4, entry), "released");
    assert_eq!(log.load(4), entry);
    assert!(
        log.denies(4, entry),
        "what was written before belongs to the past"
    );
}

/// G4: a denied read leaves `read_data` as the last answered one left it, whatever it requested.
#[test]
fn denied_read_reads_nothing() {
    let mut log = Log::new(SIZE, 2);
    let (mine, other) = (log.load(3), log.load(4));
    log.write(mine, &operand(1));
    log.write(other, &operand(2));
    assert_eq!(log.read(Reader::Replay, 3, mine), Some(operand(1)));
    for slot in (0..16).filter(|&slot| slot != 4) {
        assert!(log.denies(slot, other));
        assert_eq!(log.rest().read_data, operand(1), "slot {slot}");
    }
    assert_eq!(log.read(Reader::Save, 4, other), Some(operand(2)));
}

/// What its users owe the log, and what holds if they do not: a thread block that takes a slot whose entries were not
/// released can read them, cannot be given them, and sees nothing of the other slots.
#[test]
fn slot_that_was_not_released_is_still_its_last_owners() {
    let mut log = Log::new(SIZE, 2);
    let left = log.load(3);
    log.write(left, &operand(1));
    let other = log.load(4);
    log.write(other, &operand(2));
    let own = log.load(3);
    assert_ne!(own, left, "an entry that is in use is not given");
    assert_eq!(log.try_allocate(3, false), None);
    assert_eq!(log.read(Reader::Replay, 3, left), Some(operand(1)));
    assert!(log.denies(3, own), "its own is not written yet");
    assert!(log.denies(3, other));
    log.release(3, left);
    assert!(log.denies(3, left), "released as it should have been");
}

/// G4: what an earlier kernel left behind is not for the next one.
#[test]
fn data_of_an_earlier_kernel_is_denied() {
    let mut log = Log::new(SIZE, 2);
    let entry = log.load(3);
    log.write(entry, &operand(1));
    log.launch(2);
    assert!(log.denies(3, entry));
    assert_eq!(log.load(3), entry);
    assert!(log.denies(3, entry));
}

/// G5.
#[test]
fn launch_frees_everything_and_sets_the_partitions() {
    let mut log = Log::new("20k", 5);
    for size in [1u8, 3, 5, 16, 40, 80, 81, 0] {
        for slot in 0..16 {
            log.try_allocate(slot, true);
        }
        log.launch(size);
        let (mut one, mut two) = (0, 0);
        for slot in 0..16 {
            let exists = size > 0 && (slot + 1) * usize::from(size) <= 80;
            one |= u16::from(exists) << slot;
            two |= u16::from(exists && size > 1) << slot;
        }
        let outputs = log.rest();
        assert_eq!(
            (outputs.free_one, outputs.free_two),
            (one, two),
            "{size} entries a block"
        );
    }
}

/// G5: nothing is accepted in the cycle of a launch, and what was being given is not taken.
#[test]
fn launch_stops_what_is_under_way() {
    let mut log = Log::new(SIZE, 2);
    log.cycle(&Inputs {
        allocate_valid: true,
        allocate_slot: 1,
        ..Inputs::default()
    });
    let launch = Inputs {
        launch_valid: true,
        launch_entries: 1,
        allocate_valid: true,
        write_valid: true,
        write_entry: 2,
        replay_valid: true,
        save_valid: true,
        ..Inputs::default()
    };
    let outputs = log.cycle(&launch);
    assert!(outputs.allocated_valid, "it is named all the same");
    let ready = [
        outputs.allocate_ready,
        outputs.write_ready,
        outputs.replay_ready,
        outputs.save_ready,
    ];
    assert_eq!(ready, [false; 4]);
    assert_eq!(log.rest().free_one, u16::MAX);
    assert!(log.denies(2, 2));
}

/// G5: after reset no slot has an entry.
#[test]
fn reset_takes_every_partition_away() {
    let mut log = Log::new(SIZE, 2);
    log.load(1);
    log.cycle(&Inputs {
        reset: true,
        ..Inputs::default()
    });
    assert_eq!(log.rest().free_one, 0);
    assert_eq!(log.try_allocate(1, false), None);
}

/// G6.
#[test]
fn released_entry_comes_back_two_cycles_later() {
    let mut log = Log::new(SIZE, 1);
    let entry = log.load(5);
    let request = Inputs {
        allocate_valid: true,
        allocate_slot: 5,
        ..Inputs::default()
    };
    let release = Inputs {
        release_valid: true,
        release_slot: 5,
        release_entry: entry,
        ..request.clone()
    };
    assert!(
        !log.cycle(&release).allocate_ready,
        "not in the cycle of the release"
    );
    assert!(
        log.cycle(&request).allocate_ready,
        "accepted in the next one"
    );
    let outputs = log.cycle(&request);
    assert!(
        outputs.allocated_valid && outputs.allocated_address == entry && !outputs.allocate_ready
    );
}

/// G6.
#[test]
fn released_entry_goes_to_its_own_block_only() {
    let mut log = Log::new(SIZE, 2);
    for slot in 0..16 {
        log.try_allocate(slot, true).unwrap();
    }
    log.release(7, 14);
    assert_eq!((log.rest().free_one, log.rest().free_two), (1 << 7, 0));
    for slot in (0..16).filter(|&slot| slot != 7) {
        assert_eq!(log.try_allocate(slot, false), None);
    }
    assert_eq!(log.load(7), 14);
    log.release(7, 3);
    assert_eq!(
        log.rest().free_one,
        1 << 7,
        "entry 3 was in use: whoever releases names the block"
    );
}

/// G6: a release of a free entry frees nothing.
#[test]
fn free_entry_is_not_released_again() {
    let mut log = Log::new(SIZE, 2);
    let entry = log.load(2);
    log.release(2, entry);
    log.release(2, entry);
    assert!(log.try_allocate(2, true).is_some());
    assert_eq!(log.try_allocate(2, false), None);
}

/// G6: an entry that is being taken is not released: it is in use from the next cycle on.
#[test]
fn release_of_an_entry_that_is_being_taken_is_ignored() {
    let mut log = Log::new(SIZE, 2);
    log.cycle(&Inputs {
        allocate_valid: true,
        allocate_slot: 3,
        ..Inputs::default()
    });
    let taken = log.cycle(&Inputs {
        release_valid: true,
        release_slot: 3,
        release_entry: 6,
        ..Inputs::default()
    });
    assert!(taken.allocated_valid && taken.allocated_address == 6);
    assert_eq!(log.try_allocate(3, true), None, "one is free");
    assert_eq!(log.load(3), 7);
    log.release(3, 6);
    assert_eq!(log.load(3), 6);
}

/// G1: the data's entry of a load is the highest that is free, which the load does not take.
#[test]
fn data_entry_of_a_load_stays_free() {
    let mut log = Log::new(SIZE, 4);
    assert_eq!(log.try_allocate(1, false), Some((4, 7)));
    assert_eq!(log.try_allocate(1, false), Some((5, 7)));
    assert_eq!(log.try_allocate(1, false), Some((6, 7)));
    assert_eq!(log.try_allocate(1, false), Some((7, 7)));
    assert_eq!(log.try_allocate(1, false), None);
}

/// A reset reaches no memory: what is read in its cycle is shown, without a valid, and what was read stays.
#[test]
fn read_data_survives_a_reset_and_a_read_in_its_cycle_changes_it() {
    let mut log = Log::new(SIZE, 2);
    let (entry, other) = (log.load(3), log.load(3));
    log.write(entry, &operand(1));
    log.write(other, &operand(2));
    assert_eq!(log.read(Reader::Save, 3, entry), Some(operand(1)));
    let read = Inputs {
        reset: true,
        replay_valid: true,
        replay_slot: 3,
        replay_entry: other,
        ..Inputs::default()
    };
    assert!(log.cycle(&read).replay_ready);
    for reset in [false, true, false] {
        let outputs = log.cycle(&Inputs {
            reset,
            ..Inputs::default()
        });
        assert!(!outputs.replayed_valid && !outputs.saved_valid && !outputs.read_denied);
        assert_eq!(outputs.read_data, operand(2));
    }
    log.launch(2);
    assert!(log.denies(3, other), "what is left in memory is nobody's");
}

/// G9: cycles of a launch count, so a reader that waits is overdue the sooner.
#[test]
fn readers_wait_counts_through_a_launch() {
    for launches in 0..=8 {
        let mut log = Log::new(SIZE, 2);
        let busy = Inputs {
            write_valid: true,
            replay_valid: true,
            save_valid: true,
            ..Inputs::default()
        };
        for cycle in 0..8 {
            let outputs = log.cycle(&Inputs {
                launch_valid: cycle >= 8 - launches,
                launch_entries: 2,
                ..busy.clone()
            });
            assert_eq!(outputs.write_ready, cycle < 8 - launches);
            assert!(!outputs.replay_ready && !outputs.save_ready);
        }
        let outputs = log.cycle(&busy);
        assert!(outputs.replay_ready && !outputs.write_ready, "{launches}");
    }
}

/// Whose turn it is to read stays over a launch; a reset gives it to replay.
#[test]
fn turn_of_the_readers_stays_over_a_launch() {
    let mut log = Log::new(SIZE, 2);
    let both = Inputs {
        replay_valid: true,
        save_valid: true,
        ..Inputs::default()
    };
    for reset in [false, true] {
        assert!(log.cycle(&both).replay_ready);
        if reset {
            log.cycle(&Inputs {
                reset,
                ..Inputs::default()
            });
        } else {
            log.launch(2);
        }
        let outputs = log.cycle(&both);
        assert_eq!((outputs.replay_ready, outputs.save_ready), (reset, !reset));
    }
}

/// G7.
#[test]
fn one_access_a_cycle() {
    let mut log = Log::new(SIZE, 2);
    for wishes in 0..8u8 {
        let [write, replay, save] = [wishes & 1 != 0, wishes & 2 != 0, wishes & 4 != 0];
        let all = Inputs {
            write_valid: write,
            replay_valid: replay,
            save_valid: save,
            ..Inputs::default()
        };
        for _ in 0..40 {
            let outputs = log.cycle(&all);
            let accepted = [
                write && outputs.write_ready,
                replay && outputs.replay_ready,
                save && outputs.save_ready,
            ];
            let count = accepted.iter().filter(|&&accepted| accepted).count();
            assert_eq!(
                count,
                usize::from(wishes != 0),
                "the port is never idle while there is a request"
            );
        }
        log.rest();
    }
}

/// G8.
#[test]
fn writes_flow_without_a_bubble() {
    let mut log = Log::new(SIZE, 32);
    let mut request = Inputs {
        allocate_valid: true,
        ..Inputs::default()
    };
    log.cycle(&request);
    for entry in 0..32 {
        request.write_valid = true;
        request.write_entry = entry;
        request.write_data = operand(entry.into());
        assert!(log.cycle(&request).write_ready);
    }
    for entry in 0..32 {
        assert_eq!(
            log.read(Reader::Replay, 0, entry),
            Some(operand(entry.into()))
        );
    }
}

/// G9.
#[test]
fn no_reader_starves() {
    for (replay, save) in [(true, false), (false, true), (true, true)] {
        let mut log = Log::new(SIZE, 2);
        let busy = Inputs {
            write_valid: true,
            replay_valid: replay,
            save_valid: save,
            ..Inputs::default()
        };
        let mut unserved = [0, 0];
        let mut served = [0, 0];
        let mut writes = 0;
        for _ in 0..400 {
            let outputs = log.cycle(&busy);
            writes += u32::from(outputs.write_ready);
            let accepted = [replay && outputs.replay_ready, save && outputs.save_ready];
            for reader in 0..2 {
                unserved[reader] = if accepted[reader] {
                    0
                } else {
                    unserved[reader] + 1
                };
                served[reader] += u32::from(accepted[reader]);
            }
            assert!(!replay || unserved[0] < 18, "the replay starves");
            assert!(!save || unserved[1] < 18, "the save starves");
        }
        assert_eq!(writes + served[0] + served[1], 400);
        if replay && save {
            assert!(
                served[0].abs_diff(served[1]) <= 1,
                "they take turns: {served:?}"
            );
        }
    }
}

/// G10.
#[test]
fn free_flags_are_high_for_one_to_four_entries() {
    let mut log = Log::new("16k", 4);
    for taken in 0..=4 {
        let outputs = log.rest();
        let flags = [
            outputs.free_one,
            outputs.free_two,
            outputs.free_three,
            outputs.free_four,
        ];
        for (count, free) in (1..).zip(flags) {
            assert_eq!(free >> 9 & 1 == 1, taken + count <= 4);
            assert_eq!(free | (1 << 9), u16::MAX, "the others are as they were");
        }
        if taken < 4 {
            log.load(9);
        }
    }
}

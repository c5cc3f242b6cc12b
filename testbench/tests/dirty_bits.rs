//! Contract tests of the dirty bits. Each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::BTreeMap;

use faultline_ledger::Obligation;
use faultline_testbench::support;
use faultline_testbench::support::dirty::Bits;
use faultline_testbench::traffic::Rng;

const ALL: u64 = 0xFFFF_FFFF;
/// Groups of the paper's register file.
const GROUPS: u64 = 256;

/// The configurations with bits for lanes, and without.
const BOTH: [&str; 2] = ["lanes", "rows"];

/// A test that takes seconds: thousands of rows, in the kernel, too.
fn obligation() -> Obligation {
    support::test(file!(), "dirty_bits", BOTH)
}

#[test]
fn matches_model() {
    support::matches_model("dirty_bits");
}

/// G1, G2: against a map of what was written.
#[test]
fn save_gives_what_was_written_and_nothing_else() {
    obligation().meet(|| {
        for config in BOTH {
            let mut bits = Bits::new(config);
            let mut rng = Rng::new(5);
            let mut dirty = BTreeMap::new();
            for round in 0..12 {
                for _ in 0..[3, 40, 400][round % 3] {
                    let row = rng.below(2048);
                    let lanes = rng.bits() & rng.bits() & ALL;
                    bits.write(row, lanes);
                    let whole = if config == "rows" { ALL } else { lanes };
                    if lanes != 0 {
                        *dirty.entry(row).or_insert(0) |= whole;
                    }
                }
                let first = rng.below(GROUPS);
                let last = first + rng.below(GROUPS - first);
                let within = |row: u64| (first..=last).contains(&(row / 8));
                let wanted: Vec<_> = dirty
                    .iter()
                    .map(|(row, lanes)| (*row, *lanes))
                    .filter(|(row, _)| within(*row))
                    .collect();
                assert_eq!(bits.save(first, last), wanted, "{config} {first} to {last}");
                assert_eq!(bits.save(first, last), []);
                dirty.retain(|&row, _| !within(row));
            }
            let left: Vec<_> = dirty.into_iter().collect();
            assert_eq!(bits.save_all(), left);
        }
    });
}

/// G2: an address that is cut short would meet another row.
#[test]
fn every_row_and_every_lane_is_its_own() {
    let mut bits = Bits::new("lanes");
    for bit in 0..11 {
        bits.write(1 << bit, 1 << bit);
        bits.write(0x7FF ^ 1 << bit, 1 << (20 + bit));
    }
    let mut wanted: Vec<_> = (0..11)
        .flat_map(|bit| [(1 << bit, 1 << bit), (0x7FF ^ 1 << bit, 1 << (20 + bit))])
        .collect();
    wanted.sort_unstable();
    assert_eq!(bits.save_all(), wanted);
    for lane in 0..32 {
        bits.write(77, 1 << lane);
        assert_eq!(bits.save_all(), [(77, 1 << lane)]);
    }
}

/// G2: after a save and after a clear, lanes of before are not there any more.
#[test]
fn first_write_to_a_clean_row_forgets_its_old_lanes() {
    let mut bits = Bits::new("lanes");
    bits.write(9, 0xFF00);
    assert_eq!(bits.save_all(), [(9, 0xFF00)]);
    bits.write(9, 0x0010);
    bits.write(9, 0x0300);
    assert_eq!(bits.save_all(), [(9, 0x0310)]);
    bits.write(9, 0xF000);
    bits.clear(1, 1);
    bits.cycle();
    bits.write(9, 0x0002);
    assert_eq!(bits.save_all(), [(9, 0x0002)]);
}

#[test]
fn write_without_lanes_is_accepted_and_does_nothing() {
    for config in BOTH {
        let mut bits = Bits::new(config);
        bits.write(5, 0);
        assert_eq!(bits.save_all(), []);
    }
}

/// G3: in whatever cycle of the save it comes, a write is in this save or in the next one.
#[test]
fn row_that_is_written_while_it_is_saved_is_dirty_afterwards() {
    for config in BOTH {
        for delay in 0..14 {
            let mut bits = Bits::new(config);
            bits.write(8, 1);
            bits.write(10, 1);
            bits.inputs.dirty_ready = delay % 2 == 0;
            bits.walk(0, 3, true);
            bits.rest(delay);
            bits.request(0, 10, 6);
            let requested = bits.cycle;
            bits.cycle();
            assert_eq!(bits.inputs.write_valid, 0, "accepted at once");
            bits.rest(3);
            bits.inputs.dirty_ready = true;
            bits.end();
            let (when, _, lanes) = *bits.given.iter().find(|it| it.1 == 10).unwrap();
            let again = bits.save_all();
            if config == "lanes" {
                let later: u64 = again.iter().map(|(_, lanes)| lanes).sum();
                assert_eq!((lanes | later, lanes & later), (7, 0), "{delay}");
            }
            // Offered in the cycle after it was requested, or before: it cannot be in it.
            if when <= requested + 1 {
                assert_eq!(again.len(), 1, "{config} {delay}");
            }
        }
    }
}

/// G4: writes of the cycle of the clear go with it, and later ones do not; neighbours stay.
#[test]
fn clear_takes_what_was_written_up_to_its_cycle() {
    for config in BOTH {
        for late in 0..4 {
            let mut bits = Bits::new(config);
            bits.fill(32..72);
            for cycle in 0..4 {
                if cycle == 1 {
                    bits.clear(5, 7);
                }
                if cycle == late {
                    bits.request(0, 45, ALL);
                    bits.request(1, 60, ALL);
                }
                bits.cycle();
            }
            bits.rest(1);
            let written: &[u64] = if late > 1 { &[45, 60] } else { &[] };
            let wanted = (32..40).chain(written.iter().copied()).chain(64..72);
            let wanted: Vec<_> = wanted.map(|row| (row, ALL)).collect();
            assert_eq!(bits.save_all(), wanted, "{config} {late}");
        }
    }
}

/// G4: a warp ends in any cycle of a save; none of its rows is offered newly from the second cycle after on.
#[test]
fn row_of_a_warp_that_has_ended_is_not_offered_any_more() {
    obligation().meet(|| {
        for config in BOTH {
            for delay in 0..40 {
                let mut bits = Bits::new(config);
                bits.fill(0..32);
                bits.walk(0, 3, true);
                bits.rest(delay);
                bits.clear(1, 2);
                let cleared = bits.cycle;
                bits.end();
                let dead = |row: u64| (8..24).contains(&row);
                let late = |it: &&(u64, u64, u64)| dead(it.1) && it.0 >= cleared + 2;
                assert_eq!(bits.given.iter().find(late), None, "{config} {delay}");
                let alive = bits.given.iter().filter(|it| !dead(it.1)).count();
                assert_eq!(alive, 16);
                assert_eq!(bits.save_all(), []);
            }
        }
    });
}

/// G5.
#[test]
fn rows_come_once_and_in_ascending_order_though_others_write() {
    obligation().meet(|| {
        for config in BOTH {
            let mut bits = Bits::new(config);
            bits.fill((0..2048).step_by(3));
            let mut rng = Rng::new(8);
            bits.walk(0, GROUPS - 1, true);
            while bits.total.is_none() {
                for port in 0..2 {
                    if bits.inputs.write_valid >> port & 1 == 0 {
                        bits.request(port, rng.below(2048), ALL);
                    }
                }
                bits.inputs.dirty_ready = rng.chance(100);
                bits.cycle();
            }
            assert!(bits.given.len() >= 683);
            assert!(bits.given.is_sorted_by(|one, next| one.1 < next.1));
        }
    });
}

/// G6.
#[test]
fn count_is_what_a_save_will_give_and_changes_nothing() {
    obligation().meet(|| {
        let mut bits = Bits::new("lanes");
        let mut rng = Rng::new(4);
        for _ in 0..300 {
            bits.write(rng.below(2048), rng.bits() & ALL);
        }
        for (first, last) in [(0, 255), (0, 0), (17, 40), (255, 255), (9, 8), (255, 0)] {
            let total = bits.count(first, last);
            assert_eq!(bits.count(first, last), total, "{first} to {last}");
            bits.save(first, last);
            assert_eq!(bits.total, Some(total), "{first} to {last}");
            assert_eq!(bits.count(first, last), (0, 0));
        }
        let mut bits = Bits::new("lanes");
        bits.fill(0..2048);
        assert_eq!(bits.count(0, 255), (2048, 65_536));
    });
}

/// G7.
#[test]
fn row_and_total_hold_until_they_are_taken() {
    for config in BOTH {
        let mut bits = Bits::new(config);
        bits.fill([3, 5]);
        (bits.inputs.dirty_ready, bits.inputs.total_ready) = (false, false);
        bits.walk(0, 255, true);
        bits.rest(5);
        for cycle in 0..20 {
            // What it shows is written again, and cleared.
            if cycle == 5 {
                bits.request(0, 3, 4);
            }
            if cycle == 9 {
                bits.clear(0, 0);
            }
            let outputs = bits.cycle();
            assert!(outputs.dirty_valid && !outputs.walk_ready);
            assert_eq!((outputs.dirty_row, outputs.dirty_lanes), (3, ALL));
        }
        bits.inputs.dirty_ready = true;
        bits.rest(4);
        for _ in 0..20 {
            let outputs = bits.cycle();
            assert!(outputs.total_valid && !outputs.walk_ready);
            assert_eq!((outputs.total_rows, outputs.total_lanes), (1, 32));
        }
    }
}

/// G8.
#[test]
fn writes_wait_for_three_cycles_at_most() {
    obligation().meet(|| {
        for config in BOTH {
            let mut bits = Bits::new(config);
            // Two halves, a write in each: no cycle is lost.
            for row in 0..100 {
                bits.request(0, 2 * row, ALL);
                bits.request(1, 2 * row + 1, ALL);
                assert_eq!(bits.cycle().write_ready, 3);
            }
            // One half: the ports go in turns.
            let mut accepted = [0, 0];
            for cycle in 0..100 {
                for port in 0..2 {
                    if bits.inputs.write_valid >> port & 1 == 0 {
                        bits.request(port, 4 * cycle, ALL);
                    }
                }
                let ready = bits.cycle().write_ready;
                assert_eq!(ready.count_ones(), 1);
                accepted[usize::from(ready == 2)] += 1;
            }
            assert_eq!(accepted, [50, 50]);
            // And a walk over that half: a count goes on sooner than a save, which offers a row in between.
            for (saves, most) in [(true, 2), (false, 3)] {
                bits.rest(4);
                bits.save_all();
                bits.fill((0..2048).step_by(2));
                bits.walk(0, 255, saves);
                let (mut waited, mut longest) = ([0, 0], 0);
                while bits.total.is_none() {
                    for (port, waited) in waited.iter_mut().enumerate() {
                        if bits.inputs.write_valid >> port & 1 == 0 {
                            bits.request(port, 0, ALL);
                            *waited = 0;
                        }
                    }
                    let ready = bits.cycle().write_ready;
                    for (port, waited) in waited.iter_mut().enumerate() {
                        *waited += u32::from(ready >> port & 1 == 0);
                        longest = longest.max(*waited);
                    }
                }
                assert_eq!(longest, most, "{config}");
            }
        }
    });
}

/// G9: with nothing in the way, a row in each cycle, wherever they are.
#[test]
fn save_gives_a_row_in_each_cycle() {
    obligation().meet(|| {
        for config in BOTH {
            for step in [1, 7, 8, 9, 64, 1000] {
                let mut bits = Bits::new(config);
                bits.fill((0..2048).step_by(step));
                bits.walk(0, 255, true);
                let start = bits.cycle;
                bits.end();
                let rows = 2048_u64.div_ceil(step as u64);
                let first = bits.given[0].0;
                assert_eq!(first, start + 4);
                let cycles: Vec<_> = bits.given.iter().map(|it| it.0).collect();
                let wanted: Vec<_> = (first..first + rows).collect();
                assert_eq!(cycles, wanted, "{config} {step}");
                assert_eq!(bits.cycle, first + rows + 2);
            }
            // Nothing to save.
            let mut bits = Bits::new(config);
            bits.walk(0, 255, true);
            bits.end();
            assert_eq!(bits.cycle, 1 + 3);
        }
    });
}

/// G9: a checkpoint that sends 32 B a cycle, a row in four, waits for rows hardly at all, though others write as fast as
/// they can, or a warp of another block ends now and then.
#[test]
fn save_at_32_bytes_a_cycle_takes_as_long_as_its_bytes() {
    obligation().meet(|| {
        for (step, others) in [
            (1, 0),
            (1, 2),
            (8, 0),
            (8, 2),
            (16, 2),
            (40, 1),
            (512, 2),
            (2047, 2),
        ] {
            let mut bits = Bits::new("lanes");
            bits.fill((0..1024).step_by(step));
            let rows = 1024_u64.div_ceil(step as u64);
            bits.walk(0, 127, true);
            let start = bits.cycle;
            let (mut busy, mut cycles) = (0, 0);
            while bits.total.is_none() {
                // Another block, in the half that is saved.
                for port in 0..others {
                    if bits.inputs.write_valid >> port & 1 == 0 {
                        bits.request(port, 1024 + 2 * port as u64, ALL);
                    }
                }
                if cycles % 50 == 0 {
                    bits.clear(200, 203);
                }
                // The next row is taken with the last beat of the one before.
                bits.inputs.dirty_ready = busy <= 1;
                let outputs = bits.cycle();
                let taken = outputs.dirty_valid && bits.inputs.dirty_ready;
                busy = if taken { 4 } else { busy.max(1) - 1 };
                cycles += 1;
            }
            let (took, bytes) = (bits.cycle - start, rows * 128);
            assert_eq!(bits.given.len() as u64, rows);
            assert!(
                took * 32 * 100 <= bytes * 105 + 8 * 32 * 100,
                "{step} {others}: {took} cycles for {bytes} B"
            );
        }
    });
}

/// A clear of other groups holds up nothing: neither does the walk find later, nor come, nor take.
#[test]
fn clear_of_another_group_holds_up_no_walk() {
    for config in BOTH {
        for (first, last) in [(5, 5), (1, 255), (5, 4), (9, 0)] {
            for after in 0..8 {
                let mut bits = Bits::new(config);
                bits.fill(0..2);
                bits.walk(0, 0, true);
                let start = bits.cycle;
                for cycle in 0..12 {
                    if cycle == after {
                        bits.clear(first, last);
                    }
                    bits.cycle();
                }
                let given: Vec<_> = bits.given.iter().map(|it| (it.0 - start, it.1)).collect();
                assert_eq!(given, [(4, 0), (5, 1)], "{first} to {last}, {after}");
            }
        }
    }
}

/// A range whose first group is above its last one is empty.
#[test]
fn clear_with_its_first_group_above_its_last_clears_nothing() {
    for config in BOTH {
        for (first, last) in [(1, 0), (255, 0), (3, 2), (2, 1)] {
            let mut bits = Bits::new(config);
            bits.fill(0..24);
            bits.clear(first, last);
            bits.rest(3);
            assert_eq!(bits.count(0, 255).0, 24, "{first} to {last}");
        }
    }
}

/// `write_ready` is that of the row shown, whether or not it is to be written.
#[test]
fn write_ready_is_of_its_row_without_valid() {
    for config in BOTH {
        // A row is written in the cycle before row 0 is taken: the walk waits, and its half takes no other write.
        for (rows, ready) in [([4, 5], 2), ([7, 6], 1), ([2, 2], 0), ([3, 3], 3)] {
            let mut bits = Bits::new(config);
            bits.fill(0..2);
            bits.walk(0, 0, true);
            bits.rest(2);
            bits.request(0, 1000, ALL);
            bits.cycle();
            bits.inputs.write_row = rows;
            assert_eq!(bits.cycle().write_ready, ready, "{rows:?}");
        }
    }
}

/// G9: warps of other blocks end, as often as can be, while others write in both halves: a save goes on.
#[test]
fn save_goes_on_while_other_warps_end() {
    obligation().meet(|| {
        for config in BOTH {
            for every in [1, 2, 3, 5] {
                for (group, distance) in [(200, 1), (200, 2), (253, 1)] {
                    let mut bits = Bits::new(config);
                    bits.fill(0..64);
                    bits.walk(0, 7, true);
                    let start = bits.cycle;
                    while bits.total.is_none() {
                        for port in 0..2 {
                            if bits.inputs.write_valid >> port & 1 == 0 {
                                bits.request(port, 1024 + distance * port as u64, ALL);
                            }
                        }
                        if bits.cycle.is_multiple_of(every) {
                            bits.clear(group, group + 2);
                        }
                        bits.cycle();
                        let took = bits.cycle - start;
                        assert!(took < 64 * 3 + 10, "a warp ends every {every} cycles");
                    }
                    assert_eq!(bits.given.len(), 64);
                }
            }
        }
    });
}

/// What is counted goes at a row a cycle as well.
#[test]
fn count_takes_a_cycle_for_a_row() {
    let mut bits = Bits::new("lanes");
    bits.fill(0..2048);
    let start = bits.cycle;
    bits.count(0, 255);
    assert_eq!(bits.cycle - start, 2048 + 6);
}

#[test]
fn reset_forgets_everything() {
    for config in BOTH {
        let mut bits = Bits::new(config);
        bits.fill(0..64);
        bits.inputs.dirty_ready = false;
        bits.walk(0, 255, true);
        bits.rest(10);
        bits.request(0, 4, ALL);
        bits.clear(3, 3);
        bits.reset();
        let outputs = bits.cycle();
        assert!(outputs.walk_ready && !outputs.dirty_valid && !outputs.total_valid);
        bits.inputs.dirty_ready = true;
        assert_eq!(bits.save_all(), []);
    }
}

//! Contract tests of the fault buffer. Each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::mmu::fault_buffer::{
    Context, GET_CLEARS, Inputs, Kind, Record, control, register, status,
};
use faultline_testbench::support;
use faultline_testbench::support::buffer::{BASE, Buffer, Taken, command, denied, fault, offer};

/// Cycles in which a command that nothing holds up is done.
const SOON: usize = 200;

const CONTEXT: Context = Context {
    warp: 0x2B,
    slot: 0xD,
    pc: 0x8765_4321_0FED,
    lanes: 0xF0F1_F2F3,
    scheme: 5,
    pointer: 0x6A,
};

#[test]
fn matches_model() {
    support::matches_model("fault_buffer");
}

/// G1.
#[test]
fn every_fault_becomes_one_record_in_order() {
    let mut buffer = Buffer::with_ring(100);
    for number in 0..20 {
        let mut one = if number % 3 == 0 {
            denied(number << 30 | number)
        } else {
            fault(number << 31 | number)
        };
        one.asid = number as u8 * 11;
        one.requesters = 1 << (number % 16) | 1 << 15;
        one.level = number as u8 % 5;
        one.index = number as u16 * 3;
        one.place = number as u16 * 5;
        buffer.fault(&one);
        let record = buffer.record(number);
        let expected = Record {
            time: record.time,
            sequence: number,
            ..one
        };
        assert_eq!(record, expected);
    }
    assert_eq!(buffer.counters(), [20, 0, 0, 0]);
    assert_eq!(buffer.get(register::PUT), 20);
}

/// G1, bit by bit.
#[test]
fn record_is_nvidias_packet_and_what_is_known_besides() {
    let mut buffer = Buffer::with_ring(100);
    buffer.set(register::CONTROL, control::ENABLED | control::QUERY);
    buffer.context = Some(CONTEXT);
    let one = Record {
        vpn: 0xA_BCDE_F012,
        asid: 0x9C,
        cause: 2,
        access: 0b101,
        level: 3,
        requesters: 0b1001_0110_0000_0000,
        index: 0x2A,
        place: 0x55,
        ..fault(0)
    };
    let time = buffer.get(register::TIME) + 1;
    buffer.fault(&one);
    let expected = [
        0x9C << 12,
        0xFFFF_ABCD_EF01_2000,
        time,
        // The graphics engine; PDE; replayable; the second SM of the second GPC; write; enabled; VALID.
        64 | 1 << 39 | 1 << 40 | 1 << 48 | 1 << 56 | 1 << 62 | 1 << 63,
        0x9C | 3 << 8 | 2 << 12 | 0b101 << 16 | 0b1001_0110_0000_0000 << 32 | 3 << 48,
        0x2A | 0x55 << 16,
        0x8765_4321_0FED,
        0xF0F1_F2F3 | 0x2B << 32 | 0xD << 40 | 5 << 48 | 0x6A << 56 | 1 << 63,
    ];
    assert_eq!(buffer.words(0), expected);
    assert_eq!(buffer.queries, [(9, one.vpn, one.asid)]);
    // Words of the second half alone tell one record from the next.
    buffer.context = None;
    buffer.fault(&one);
    assert_eq!(buffer.words(1)[5] >> 32, 1);
    assert_eq!(buffer.words(1)[6..], [0, 0]);
}

#[test]
fn fault_types_are_nvidias() {
    let mut buffer = Buffer::with_ring(200);
    let cases = [
        (1, 0, 0, 3),
        (2, 1, 0, 2),
        (2, 2, 0, 0),
        (2, 4, 1, 0),
        (3, 1, 0, 12),
        (3, 4, 1, 12),
        (4, 1, 1, 6),
        (4, 1, 5, 6),
        (4, 1, 4, 5),
        (4, 1, 2, 5),
        (5, 3, 0, 2),
        (6, 1, 1, 2),
        (7, 1, 0, 10),
    ];
    for (number, (cause, level, access, expected)) in (0..).zip(cases) {
        let one = Record {
            cause,
            level,
            access,
            ..fault(number)
        };
        buffer.fault(&one);
        let word = buffer.words(number)[3];
        assert_eq!(word >> 32 & 0x1F, expected, "{one:?}");
        assert_eq!(word >> 48 & 0xF, u64::from(access & 1));
    }
}

/// G2: memory acknowledges late, and neither VALID nor PUT comes before the rest is there.
#[test]
fn driver_never_sees_a_part_of_a_record() {
    for latency in [1, 2, 9, 40] {
        let mut buffer = Buffer::with_ring(4);
        buffer.latency = latency;
        buffer.accept(&fault(7));
        for _ in 0..1000 {
            let put = buffer.get(register::PUT);
            let words = buffer.words(0);
            if words[3] != 0 {
                let rest = [0, 1, 2, 4, 5].map(|word| words[word] != 0);
                assert_eq!(rest, [true; 5]);
            }
            if put == 1 {
                assert_ne!(words[3], 0);
                break;
            }
        }
        assert_eq!(buffer.record(0).vpn, 7);
        let order: Vec<_> = buffer.order.iter().map(|word| word % 8).collect();
        assert_eq!(order, [0, 1, 2, 4, 5, 6, 7, 3]);
    }
}

/// G2: not one acknowledgement less will do.
#[test]
fn put_waits_for_the_last_acknowledgement() {
    let mut buffer = Buffer::with_ring(4);
    buffer.exactly(&offer(&fault(7)));
    let taking = Inputs {
        write_ready: true,
        read_number: register::PUT,
        ..Inputs::default()
    };
    for _ in 0..8 {
        assert!(buffer.exactly(&taking).write_valid);
    }
    let written = Inputs {
        written: true,
        ..taking.clone()
    };
    for _ in 0..7 {
        assert_eq!(buffer.exactly(&written).read_data, 0);
    }
    for _ in 0..50 {
        assert_eq!(buffer.exactly(&taking).read_data, 0);
    }
    buffer.exactly(&written);
    assert_eq!(buffer.exactly(&written).read_data, 1);
    assert_eq!(buffer.exactly(&written).read_data, 1, "nothing is left");
}

/// G10: records follow each other however late memory acknowledges them, as long as it owes less than 63 words.
#[test]
fn records_do_not_wait_for_memory() {
    for (latency, cycles) in [(1, 9), (30, 9), (300, 40)] {
        let mut buffer = Buffer::with_ring(100);
        buffer.latency = latency;
        let mut accepted = Vec::new();
        for cycle in 0..4000 {
            let number = accepted.len() as u64;
            if buffer.cycle(&offer(&fault(number))).fault_ready {
                accepted.push(cycle);
            }
        }
        let spent = (accepted[80] - accepted[16]) / 64;
        assert!(
            spent <= cycles,
            "{spent} cycles a record, latency {latency}"
        );
        for number in 0..80 {
            assert_eq!(buffer.record(number).vpn, number);
        }
    }
}

/// G3, G4: rings of any size.
#[test]
fn ring_of_any_size_goes_round_and_nothing_unread_is_written_over() {
    for size in [3, 4, 5, 7, 12] {
        let mut buffer = Buffer::with_ring(size);
        let mut get = 0;
        for number in 0..size - 1 {
            buffer.fault(&fault(number));
        }
        assert_eq!(buffer.get(register::PUT), size - 1);
        for number in size - 1..4 * size {
            // The ring is full: the next one waits.
            for _ in 0..20 {
                assert!(!buffer.cycle(&offer(&fault(number))).fault_ready);
            }
            assert_eq!(buffer.record(get % size).vpn, number + 1 - size);
            get += 1;
            buffer.set(register::GET, get % size);
            buffer.fault(&fault(number));
            assert_eq!(buffer.get(register::PUT), (number + 1) % size);
            assert_eq!(buffer.record(number % size).sequence, number);
        }
    }
}

/// G4: GET is between itself and PUT, and nothing else.
#[test]
fn get_never_passes_put() {
    let mut buffer = Buffer::with_ring(7);
    // GET 5, PUT 2.
    for number in 0..5 {
        buffer.fault(&fault(number));
    }
    buffer.set(register::GET, 5);
    for number in 5..9 {
        buffer.fault(&fault(number));
    }
    assert_eq!(buffer.get(register::PUT), 2);
    for nonsense in [3, 4, 7, 8, 100, 0xFFFF] {
        buffer.set(register::GET, nonsense);
        assert_eq!(buffer.get(register::GET), 5, "{nonsense}");
    }
    for get in [5, 6, 0, 1, 2] {
        buffer.set(register::GET, get);
        assert_eq!(buffer.get(register::GET), get);
        buffer.set(register::GET, (get + 6) % 7);
        assert_eq!(buffer.get(register::GET), get, "it does not go back");
    }
    assert!(!buffer.has(status::UNREAD));
}

/// G5.
#[test]
fn duplicate_of_an_unread_record_is_filtered() {
    let mut buffer = Buffer::with_ring(100);
    buffer.fault(&denied(5));
    buffer.fault(&denied(5));
    assert_eq!(buffer.counters(), [1, 1, 0, 0]);
    let others = [
        denied(4),
        Record {
            asid: 2,
            ..denied(5)
        },
        Record {
            access: 4,
            ..denied(5)
        },
        Record {
            cause: 3,
            ..denied(5)
        },
    ];
    for other in &others {
        buffer.fault(other);
    }
    assert_eq!(buffer.counters(), [5, 1, 0, 0]);
    // Other SMs, or another level, are no news.
    buffer.fault(&Record {
        requesters: 1,
        level: 2,
        ..denied(5)
    });
    assert_eq!(buffer.counters(), [5, 2, 0, 0]);
    buffer.set(register::GET, 1);
    buffer.fault(&denied(5));
    assert_eq!(buffer.counters(), [6, 2, 0, 0], "it was read");
}

/// G5.
#[test]
fn ninth_record_is_not_looked_at() {
    for between in [6, 7, 8, 9] {
        let mut buffer = Buffer::with_ring(100);
        buffer.fault(&denied(1000));
        for number in 0..between {
            buffer.fault(&fault(number));
        }
        buffer.fault(&denied(1000));
        assert_eq!(buffer.counters()[1], u64::from(between < 8));
    }
}

/// G5: its MSHR reports a page once, so each report must come to the driver.
#[test]
fn replayable_fault_is_never_filtered() {
    let mut buffer = Buffer::with_ring(100);
    buffer.fault(&fault(5));
    buffer.fault(&fault(5));
    buffer.fault(&Record {
        replayable: false,
        ..fault(5)
    });
    assert_eq!(buffer.counters(), [3, 0, 0, 0]);
}

/// G5: what is read while the search is on its way does not swallow the fault.
#[test]
fn get_that_moves_ends_the_search() {
    for moment in 0..20 {
        let mut buffer = Buffer::with_ring(100);
        buffer.fault(&denied(5));
        for number in 0..3 {
            buffer.fault(&fault(number));
        }
        buffer.accept(&denied(5));
        buffer.pass(moment);
        buffer.set(register::GET, 4);
        buffer.settle();
        // In cycle 8 it is filtered, by the fourth record; GET is written in the cycle after the moment.
        let expected = if moment < 7 {
            [5, 0, 0, 0]
        } else {
            [4, 1, 0, 0]
        };
        assert_eq!(buffer.counters(), expected, "{moment}");
    }
}

/// G6.
#[test]
fn room_keeps_a_place_for_a_replayable_fault() {
    let mut buffer = Buffer::with_ring(6);
    for number in 0..4 {
        assert!(buffer.rest().room);
        buffer.fault(&denied(number));
    }
    assert!(!buffer.rest().room);
    // The place that is left is for the fault that is on its way.
    buffer.fault(&denied(100));
    assert_eq!(buffer.counters(), [4, 0, 0, 1]);
    buffer.fault(&fault(101));
    assert_eq!(buffer.counters(), [5, 0, 0, 1]);
    assert_eq!(buffer.record(4).vpn, 101);
    // Room is counted from the acceptance on.
    let mut buffer = Buffer::with_ring(4);
    buffer.fault(&fault(1));
    assert!(buffer.rest().room);
    buffer.accept(&fault(2));
    assert!(!buffer.rest().room);
}

/// G7.
#[test]
fn overflow_stays_until_get_has_moved_and_it_is_cleared() {
    let mut buffer = Buffer::with_ring(4);
    for number in 0..2 {
        buffer.fault(&fault(number));
    }
    assert!(!buffer.rest().room && !buffer.has(status::OVERFLOW));
    buffer.cycle(&Inputs {
        turned_away: true,
        ..Inputs::default()
    });
    assert!(buffer.has(status::OVERFLOW));
    buffer.set(register::CLEAR, 1);
    assert!(buffer.has(status::OVERFLOW), "GET has not moved");
    buffer.set(register::GET, 2);
    assert!(buffer.has(status::OVERFLOW), "it was not cleared");
    assert!(!buffer.rest().room);
    buffer.fault(&denied(9));
    assert_eq!(buffer.counters(), [2, 0, 1, 1]);
    // What was let in before is recorded all the same.
    buffer.fault(&fault(10));
    buffer.set(register::CLEAR, 1);
    assert!(!buffer.has(status::OVERFLOW) && buffer.rest().room);
    assert_eq!(buffer.record(2).vpn, 10);
    // A fault that is turned away while two places are free requests again, and finds one.
    let both = Inputs {
        turned_away: true,
        register_valid: true,
        register_number: register::CLEAR,
        register_data: 1,
        ..Inputs::default()
    };
    buffer.cycle(&both);
    assert!(!buffer.has(status::OVERFLOW) && buffer.rest().room);
}

/// A buffer whose OVERFLOW is set and whose records have been read.
fn overflowed() -> Buffer {
    let mut buffer = Buffer::with_ring(4);
    for number in 0..2 {
        buffer.fault(&fault(number));
    }
    buffer.cycle(&Inputs {
        turned_away: true,
        ..Inputs::default()
    });
    assert!(buffer.has(status::OVERFLOW));
    buffer
}

/// G7: a CLEAR that finds two places free does its work, whatever is turned away beside it.
#[test]
fn clear_wins_over_a_fault_that_is_turned_away() {
    let mut buffer = overflowed();
    buffer.set(register::GET, 2);
    buffer.cycle(&Inputs {
        turned_away: true,
        register_valid: true,
        register_number: register::CLEAR,
        register_data: 1,
        ..Inputs::default()
    });
    assert!(!buffer.has(status::OVERFLOW) && buffer.rest().room);
    assert_eq!(buffer.counters()[2], 2, "it is counted all the same");
}

/// G7: a report that found no room is signalled in the next cycle, with which GET may have moved.
#[test]
fn move_of_get_does_not_hide_a_report_that_found_no_room() {
    let away = |number, data| Inputs {
        turned_away: true,
        register_valid: data != 0,
        register_number: number,
        register_data: data,
        ..Inputs::default()
    };
    let full = || {
        let mut buffer = Buffer::with_ring(4);
        for number in 0..2 {
            buffer.fault(&fault(number));
        }
        assert!(!buffer.rest().room && !buffer.has(status::OVERFLOW));
        buffer
    };
    let mut buffer = full();
    buffer.set(register::GET, 2);
    buffer.cycle(&away(0, 0));
    assert!(!buffer.rest().room && buffer.has(status::OVERFLOW));
    buffer.set(register::CLEAR, 1);
    assert!(!buffer.has(status::OVERFLOW) && buffer.rest().room);

    // A driver that clears is not stopped: whichever way, and a cycle later two places have been free for long enough.
    let mut buffer = full();
    buffer.set(register::GET, 2);
    buffer.cycle(&away(register::CLEAR, 1));
    assert!(!buffer.has(status::OVERFLOW) && buffer.rest().room);
    let mut buffer = full();
    buffer.set(register::GET, GET_CLEARS | 2);
    buffer.cycle(&away(0, 0));
    assert!(!buffer.has(status::OVERFLOW) && buffer.rest().room);
    let mut buffer = full();
    buffer.set(register::GET, 2);
    buffer.rest();
    buffer.cycle(&away(0, 0));
    assert!(!buffer.has(status::OVERFLOW) && buffer.rest().room);
}

/// G7: what is turned away before there is a ring is counted, and leaves no flag that no driver would clear.
#[test]
fn overflow_needs_a_ring_that_is_full() {
    let mut buffer = Buffer::after_reset();
    let away = Inputs {
        turned_away: true,
        ..Inputs::default()
    };
    buffer.cycle(&away);
    buffer.fault(&denied(3));
    assert!(!buffer.has(status::OVERFLOW));
    buffer.set(register::SIZE, 64);
    buffer.set(register::CONTROL, control::ENABLED);
    assert!(buffer.rest().room);
    buffer.cycle(&away);
    assert!(!buffer.has(status::OVERFLOW) && buffer.rest().room);
    assert_eq!(buffer.counters(), [0, 0, 2, 1]);
}

/// G7: a ring that is made again begins without the flag of the one before.
#[test]
fn another_ring_begins_without_overflow() {
    let mut buffer = overflowed();
    buffer.set(register::CONTROL, 0);
    buffer.set(register::GET, 2);
    assert!(buffer.has(status::OVERFLOW));
    buffer.set(register::SIZE, 5);
    buffer.set(register::CONTROL, control::ENABLED);
    assert!(!buffer.has(status::OVERFLOW) && buffer.rest().room);
}

/// G7: as NVIDIA's drivers do it, with one write.
#[test]
fn bit_31_of_get_clears_overflow() {
    let mut buffer = overflowed();
    buffer.set(register::GET, GET_CLEARS | 3);
    assert!(buffer.has(status::OVERFLOW), "3 is beyond PUT");
    buffer.set(register::GET, GET_CLEARS);
    assert!(buffer.has(status::OVERFLOW), "no place is free");
    buffer.set(register::GET, GET_CLEARS | 2);
    buffer.rest();
    assert!(!buffer.has(status::OVERFLOW) && buffer.rest().room);
    assert_eq!(buffer.get(register::GET), 2);
}

/// G1: the driver may leave faults that are not replayable out of the ring, and still learns how many there were.
#[test]
fn denials_may_be_left_out_of_the_ring() {
    let mut buffer = Buffer::with_ring(5);
    buffer.set(register::CONTROL, control::ENABLED | control::LEAVE_OUT);
    for number in 0..20 {
        buffer.fault(&denied(number));
        if number % 10 == 0 {
            buffer.fault(&fault(number));
        }
    }
    assert_eq!(buffer.counters(), [2, 20, 0, 0]);
    assert_eq!((buffer.record(0).vpn, buffer.record(1).vpn), (0, 10));
    assert!(!buffer.has(status::OVERFLOW));
}

/// Bit 6 of CONTROL drives `replay_writes`.
#[test]
fn writes_are_replayable_by_a_setting() {
    let mut buffer = Buffer::with_ring(5);
    assert!(!buffer.rest().replay_writes);
    buffer.set(register::CONTROL, control::REPLAY_WRITES);
    assert!(buffer.rest().replay_writes);
    assert_eq!(buffer.get(register::CONTROL), control::REPLAY_WRITES);
}

/// G1: bits 63 to 48 repeat bit 47, and GPCs have eight SMs each.
#[test]
fn addresses_are_canonical_and_sms_are_named_by_gpc() {
    let mut buffer = Buffer::with_ring(100);
    for (number, (vpn, address)) in (0..).zip([
        (0x8_0000_0000, 0xFFFF_8000_0000_0000),
        (0x7_FFFF_FFFF, 0x0000_7FFF_FFFF_F000),
        (0xF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_F000),
    ]) {
        buffer.fault(&fault(vpn));
        assert_eq!(buffer.words(number)[1], address);
        assert_eq!(buffer.record(number).vpn, vpn);
    }
    for sm in 0..16 {
        buffer.fault(&Record {
            requesters: 1 << sm,
            ..fault(sm)
        });
        let word = buffer.words(3 + sm)[3];
        assert_eq!((word >> 56 & 31, word >> 40 & 127), (sm / 8, sm % 8));
    }
}

/// G8.
#[test]
fn every_command_is_offered_once_as_it_was_written() {
    let mut buffer = Buffer::after_reset();
    let (vpn, asid) = (0x9_8765_4321, 0xC5);
    for (kind, cancel, all, requesters) in [
        (Kind::Start, false, true, 0xFFFF),
        (Kind::StartAckAll, false, true, 0xFFFF),
        (Kind::CancelTargeted, true, true, 1 << 9),
        (Kind::CancelGlobal, true, true, 0xFFFF),
        (Kind::CancelVa, true, false, 0xFFFF),
        (Kind::ResolveVa, false, false, 0xFFFF),
    ] {
        buffer.command(command(kind));
        assert!(buffer.has(status::BUSY));
        assert!((0..SOON).any(|_| !buffer.has(status::BUSY)), "{kind:?}");
        let taken = Taken {
            cancel,
            all,
            vpn,
            asid,
            requesters,
        };
        assert_eq!(std::mem::take(&mut buffer.commands), [taken]);
        assert_eq!(buffer.get(register::COMMAND), command(kind).word());
    }
    assert!(!buffer.has(status::REFUSED));
}

/// G8.
#[test]
fn busy_lasts_until_the_command_is_done() {
    for kind in Kind::ALL {
        let mut buffer = Buffer::after_reset();
        buffer.commands_taken = false;
        buffer.command(command(kind));
        buffer.pass(30);
        assert!(buffer.has(status::BUSY) && buffer.commands.is_empty());
        (buffer.sweeping, buffer.walks_pending) = (true, true);
        buffer.commands_taken = true;
        buffer.pass(30);
        assert_eq!(buffer.has(status::BUSY), kind.is_for_all());
        buffer.sweeping = false;
        buffer.pass(30);
        assert_eq!(buffer.has(status::BUSY), kind == Kind::StartAckAll);
        buffer.walks_pending = false;
        buffer.pass(30);
        assert!(!buffer.has(status::BUSY));
        assert_eq!(buffer.commands.len(), 1);
    }
}

/// G8.
#[test]
fn command_while_another_is_under_way_is_refused() {
    let mut buffer = Buffer::after_reset();
    buffer.commands_taken = false;
    buffer.command(command(Kind::ResolveVa));
    assert!(!buffer.has(status::REFUSED));
    buffer.command(command(Kind::CancelGlobal));
    assert!(buffer.has(status::REFUSED));
    buffer.commands_taken = true;
    buffer.pass(10);
    assert!(buffer.commands.len() == 1 && !buffer.commands[0].cancel);
    assert!(buffer.has(status::REFUSED), "it stays");
    buffer.set(register::CLEAR, 1);
    assert!(buffer.has(status::REFUSED), "it has a bit of its own");
    buffer.set(register::CLEAR, 2);
    assert!(!buffer.has(status::REFUSED));
    for nothing in [0, 7] {
        buffer.set(register::COMMAND, nothing);
        assert!(buffer.has(status::REFUSED) && !buffer.has(status::BUSY));
        buffer.set(register::CLEAR, 2);
    }
    assert_eq!(buffer.commands.len(), 1);
}

/// G9.
#[test]
fn offers_hold_until_they_are_taken() {
    let mut buffer = Buffer::with_ring(10);
    buffer.set(register::CONTROL, control::ENABLED | control::QUERY);
    (buffer.memory_works, buffer.sms_work) = (false, false);
    buffer.commands_taken = false;
    buffer.accept(&fault(0x77));
    buffer.command(command(Kind::CancelVa));
    let first = buffer.rest();
    assert!(first.write_valid && first.detail_valid && first.command_valid);
    for number in 0..200 {
        let outputs = buffer.cycle(&Inputs {
            turned_away: number % 3 == 0,
            register_valid: true,
            register_number: number % 13,
            register_data: 0x1234_5678_9ABC_DEF0 | u64::from(number),
            ..offer(&denied(number.into()))
        });
        assert_eq!(
            (
                outputs.write_valid,
                outputs.write_address,
                outputs.write_data
            ),
            (true, first.write_address, first.write_data)
        );
        assert_eq!(
            (
                outputs.detail_valid,
                outputs.detail_sm,
                outputs.detail_vpn,
                outputs.detail_asid
            ),
            (true, 1, 0x77, 3)
        );
        assert_eq!(
            (
                outputs.command_valid,
                outputs.command_vpn,
                outputs.command_asid
            ),
            (true, first.command_vpn, first.command_asid)
        );
    }
}

/// G10: no memory, no SM and no driver that reads.
#[test]
fn commands_go_on_whoever_is_stuck() {
    for stuck in 0..3 {
        let mut buffer = Buffer::with_ring(4);
        buffer.set(register::CONTROL, control::ENABLED | control::QUERY);
        buffer.memory_works = stuck != 0;
        buffer.sms_work = stuck != 1;
        for number in 0..200 {
            buffer.cycle(&offer(&fault(number)));
        }
        for kind in Kind::ALL {
            buffer.command(command(kind));
            assert!((0..SOON).any(|_| !buffer.has(status::BUSY)), "{kind:?}");
        }
        assert_eq!(buffer.commands.len(), 6);
    }
}

/// G10: a fault that is not replayable is not held up by a driver that does not read, or by a ring that is not there.
#[test]
fn denied_fault_is_never_held_up_by_the_driver() {
    for size in [0, 3, 5] {
        let mut buffer = Buffer::with_ring(size);
        for number in 0..20 {
            buffer.accept(&denied(number));
            assert!((0..100).any(|_| !buffer.has(status::UNDER_WAY)));
        }
        let records = size.saturating_sub(2);
        assert_eq!(buffer.counters(), [records, 0, 0, 20 - records]);
    }
}

/// G11.
#[test]
fn sequence_numbers_count_records_alone() {
    let mut buffer = Buffer::with_ring(40);
    for number in 0..10 {
        buffer.fault(&denied(number));
        buffer.fault(&denied(number));
        buffer.cycle(&Inputs {
            turned_away: true,
            ..Inputs::default()
        });
        buffer.set(register::CLEAR, 1);
        buffer.fault(&fault(number));
    }
    assert_eq!(buffer.counters(), [20, 10, 10, 0]);
    let sequence: Vec<_> = (0..20)
        .map(|number| buffer.record(number).sequence)
        .collect();
    assert_eq!(sequence, (0..20).collect::<Vec<_>>());
    let times: Vec<_> = (0..20).map(|number| buffer.record(number).time).collect();
    assert!(times.is_sorted());
}

/// G12.
#[test]
fn ring_changes_only_at_rest() {
    let mut buffer = Buffer::with_ring(8);
    let settings = |buffer: &mut Buffer| [0, 1, 4].map(|number| buffer.get(number));
    let change = |buffer: &mut Buffer, enabled: u64| {
        buffer.set(register::BASE, 0x77);
        buffer.set(register::SIZE, 33);
        buffer.set(register::CONTROL, control::SHORT | enabled);
    };
    change(&mut buffer, 1);
    assert_eq!(settings(&mut buffer), [BASE, 8, 1], "it is enabled");
    buffer.accept(&fault(1));
    buffer.memory_works = false;
    change(&mut buffer, 0);
    buffer.set(register::CONTROL, 0);
    change(&mut buffer, 0);
    assert_eq!(settings(&mut buffer), [BASE, 8, 0], "a fault is under way");
    buffer.memory_works = true;
    buffer.settle();
    change(&mut buffer, 0);
    assert_eq!(settings(&mut buffer), [BASE, 8, 0], "a record is unread");
    buffer.set(register::GET, 1);
    change(&mut buffer, 0);
    assert_eq!(settings(&mut buffer), [0x77, 33, control::SHORT]);
    assert_eq!([2, 3].map(|number| buffer.get(number)), [0, 0]);
    for size in 0..3 {
        buffer.set(register::SIZE, size);
        assert_eq!(buffer.get(register::SIZE), 33, "{size} is no ring");
    }
}

/// G12: what cannot be written is not, and what is not there is 0.
#[test]
fn registers_that_are_read_only_or_not_there_ignore_writes() {
    let mut buffer = Buffer::with_ring(8);
    buffer.fault(&fault(1));
    let before: Vec<_> = (0..12).map(|number| buffer.get(number)).collect();
    for number in [3, 5, 8, 9, 10, 11, 12, 13, 14, 15] {
        buffer.set(number, u64::MAX);
    }
    let after: Vec<_> = (0..12).map(|number| buffer.get(number)).collect();
    assert_eq!(before, after);
    assert_eq!([6, 13, 14, 15].map(|number| buffer.get(number)), [0; 4]);
}

#[test]
fn interrupt_is_high_for_records_and_for_overflow() {
    let mut buffer = Buffer::with_ring(8);
    buffer.fault(&fault(1));
    assert!(!buffer.rest().interrupts, "it is not enabled");
    buffer.set(
        register::CONTROL,
        control::ENABLED | control::INTERRUPT_RECORDS,
    );
    assert!(buffer.rest().interrupts);
    for number in 2..7 {
        buffer.fault(&fault(number));
    }
    let away = Inputs {
        turned_away: true,
        ..Inputs::default()
    };
    buffer.cycle(&away);
    buffer.set(register::GET, 6);
    assert!(!buffer.rest().interrupts);
    buffer.set(
        register::CONTROL,
        control::ENABLED | control::INTERRUPT_OVERFLOW,
    );
    assert!(buffer.rest().interrupts);
    buffer.set(register::CLEAR, 1);
    assert!(!buffer.rest().interrupts);
}

#[test]
fn short_records_are_the_first_half() {
    let mut buffer = Buffer::after_reset();
    buffer.set(register::SIZE, 5);
    buffer.set(register::BASE, BASE);
    let short = control::ENABLED | control::SHORT | control::QUERY;
    buffer.set(register::CONTROL, short);
    for number in 0..4 {
        buffer.fault(&fault(number));
    }
    assert!(buffer.queries.is_empty());
    let first = BASE * 512;
    let expected: Vec<_> = (0..4)
        .flat_map(|number| [0, 1, 2, 3].map(|word| first + number * 4 + word))
        .collect();
    assert_eq!(buffer.order, expected);
    let pages: Vec<_> = (0..4)
        .map(|record| buffer.memory[&(first + record * 4 + 1)] >> 12)
        .collect();
    assert_eq!(pages, [0, 1, 2, 3]);
}

/// G6, G10: a buffer that is not enabled turns faults away, and finishes what is under way and what was let in before.
#[test]
fn disabled_buffer_has_no_room_but_for_what_was_let_in() {
    let mut buffer = Buffer::with_ring(8);
    buffer.accept(&fault(1));
    buffer.set(register::CONTROL, 0);
    buffer.settle();
    assert_eq!(buffer.counters(), [1, 0, 0, 0]);
    assert!(!buffer.rest().room);
    buffer.fault(&denied(3));
    assert_eq!(buffer.counters(), [1, 0, 0, 1]);
    buffer.fault(&fault(2));
    assert_eq!(buffer.counters(), [2, 0, 0, 1]);
}

/// G6, G12: the ring of a fault that is accepted in this cycle stays the same.
#[test]
fn ring_stays_while_a_fault_takes_its_place() {
    let mut buffer = Buffer::with_ring(8);
    buffer.set(register::CONTROL, 0);
    let outputs = buffer.cycle(&Inputs {
        register_valid: true,
        register_number: register::SIZE,
        register_data: 5,
        ..offer(&fault(1))
    });
    assert!(outputs.fault_ready);
    buffer.settle();
    assert_eq!(buffer.get(register::SIZE), 8);
    assert_eq!(buffer.counters(), [1, 0, 0, 0]);
}

#[test]
fn reset_forgets_everything() {
    let mut buffer = Buffer::with_ring(8);
    buffer.fault(&fault(1));
    buffer.command(command(Kind::CancelGlobal));
    buffer.accept(&fault(2));
    buffer.pass(3);
    buffer.reset();
    for number in 0..16 {
        let time = if number == register::TIME { 12 } else { 0 };
        assert_eq!(buffer.get(number), time, "register {number}");
    }
    let outputs = buffer.rest();
    assert!(!outputs.write_valid && !outputs.command_valid && !outputs.interrupts);
}

//! A driver over the fault buffer, in all back ends at once: it sees every fault exactly once, in every replay policy and
//! under overflow.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::process::Command;

use faultline_sim::mmu::fault_buffer::{GET_CLEARS, Inputs, Record, control, register, status};
use faultline_testbench::backend::Kind;
use faultline_testbench::driver::{Driver, Machine, Policy};
use faultline_testbench::support::buffer::{BASE, Buffer, denied, fault, offer};
use faultline_testbench::traffic::Rng;

/// Pages that fault.
const FAULTS: u64 = 60;

/// SMs fault on pages of several blocks of 2 MB while the driver serves them.
fn run(policy: Policy, size: u64, latency: u64) -> (Buffer, Driver) {
    let mut buffer = Buffer::after_reset();
    buffer.latency = latency;
    let mut driver = Driver::new(policy, BASE, size);
    driver.start(&mut buffer);
    buffer.rest();
    for number in 0..FAULTS {
        buffer.world.raised.push_back(fault(number * 97));
        if number % 7 == 0 {
            buffer.world.raised.push_back(denied(number * 97));
        }
    }
    for _ in 0..20_000 {
        if buffer.world_cycle(&Inputs::default()).interrupts {
            driver.serve(&mut buffer);
        }
        if buffer.is_done() && !buffer.last.interrupts && !buffer.has(status::UNDER_WAY) {
            return (buffer, driver);
        }
    }
    panic!("{policy:?} with {size} records does not come to an end");
}

fn sees_every_fault_once(policy: Policy, size: u64, latency: u64) -> (Buffer, Driver) {
    let (mut buffer, driver) = run(policy, size, latency);
    let of = |replayable: bool| {
        let chosen = |record: &&Record| record.replayable == replayable;
        let mut pages: Vec<_> = driver
            .seen
            .iter()
            .filter(chosen)
            .map(|record| record.vpn)
            .collect();
        pages.sort_unstable();
        pages
    };
    let expected: Vec<_> = (0..FAULTS).map(|number| number * 97).collect();
    assert_eq!(of(true), expected, "{policy:?}, {size} records");
    let sequence: Vec<_> = driver.seen.iter().map(|record| record.sequence).collect();
    let counted: Vec<_> = (0..driver.seen.len() as u64).collect();
    assert_eq!(sequence, counted);
    // Those that are not replayable are seen, or counted.
    let [records, filtered, away, dropped] = buffer.counters();
    assert_eq!(records, driver.seen.len() as u64);
    assert_eq!(
        of(false).len() as u64 + filtered + dropped,
        FAULTS.div_ceil(7)
    );
    assert_eq!(away, buffer.world.turned_away as u64);
    assert!(!buffer.has(status::OVERFLOW));
    (buffer, driver)
}

#[test]
fn every_policy_sees_every_fault_once() {
    for policy in Policy::ALL {
        let (mut buffer, driver) = sees_every_fault_once(policy, 256, 4);
        assert_eq!(buffer.counters()[2..], [0, 0], "nothing is turned away");
        assert_eq!(driver.seen.len() as u64, FAULTS + FAULTS.div_ceil(7));
    }
}

#[test]
fn every_policy_sees_every_fault_once_under_overflow() {
    for policy in Policy::ALL {
        let sizes = [(3, 1), (4, 30), (9, 4)];
        let away = sizes.map(|(size, latency)| {
            let (buffer, _) = sees_every_fault_once(policy, size, latency);
            buffer.world.turned_away
        });
        assert!(away[0] > 0, "{away:?}");
    }
}

#[test]
fn policies_differ_in_how_often_they_replay() {
    let replays = |policy| run(policy, 256, 4).1.replays;
    let [block, batch, _, once] = Policy::ALL.map(replays);
    assert!(block > batch && batch >= once, "{block}, {batch}, {once}");
}

/// A driver that was switched off finds what came meanwhile.
#[test]
fn faults_of_a_time_without_a_driver_are_seen_later() {
    let mut buffer = Buffer::after_reset();
    for number in 0..10 {
        buffer.world.raised.push_back(fault(number));
    }
    for _ in 0..500 {
        buffer.world_cycle(&Inputs::default());
    }
    assert!(buffer.world.turned_away > 10);
    let mut driver = Driver::new(Policy::Batch, BASE, 5);
    driver.start(&mut buffer);
    for _ in 0..5000 {
        if buffer.world_cycle(&Inputs::default()).interrupts {
            driver.serve(&mut buffer);
        }
    }
    assert!(buffer.is_done());
    assert_eq!(driver.seen.len(), 10);
    buffer.set(register::CONTROL, control::ENABLED);
    assert!(!buffer.rest().interrupts);
}

/// What a driver in C reads in a packet, in the order in which it prints them.
#[derive(Debug, PartialEq, Eq)]
struct Packet {
    aperture: u64,
    instance: u64,
    address_aperture: u64,
    address: u64,
    timestamp: u64,
    engine: u64,
    fault_type: u64,
    replayable: u64,
    client: u64,
    access_type: u64,
    client_type: u64,
    gpc: u64,
    protected: u64,
    enabled: u64,
    valid: u64,
}

impl Packet {
    /// A line that the driver has printed.
    fn read(line: &str) -> Self {
        let mut fields = line.split(' ').map(|field| field.parse::<u64>().unwrap());
        let mut next = || fields.next().unwrap();
        let packet = Self {
            aperture: next(),
            instance: next(),
            address_aperture: next(),
            address: next(),
            timestamp: next(),
            engine: next(),
            fault_type: next(),
            replayable: next(),
            client: next(),
            access_type: next(),
            client_type: next(),
            gpc: next(),
            protected: next(),
            enabled: next(),
            valid: next(),
        };
        assert_eq!(fields.next(), None, "{line}");
        packet
    }

    /// What the class header says of a fault.
    fn of(fault: &Record, timestamp: u64) -> Self {
        let bits = fault.vpn << 12;
        let sign = if bits >> 47 & 1 == 1 { 0xFFFF << 48 } else { 0 };
        let sm = u64::from(fault.requesters.trailing_zeros());
        let write = u64::from(fault.access & 1);
        Self {
            aperture: 0,
            instance: u64::from(fault.asid) << 12,
            address_aperture: 0,
            address: bits | sign,
            timestamp,
            engine: 64,
            fault_type: match (fault.cause, fault.level, write) {
                (1, ..) => 3,
                (2, 1, _) | (5 | 6, ..) => 2,
                (2, ..) => 0,
                (3, ..) => 12,
                (4, _, 1) => 6,
                (4, ..) => 5,
                _ => 10,
            },
            replayable: fault.replayable.into(),
            client: sm % 8,
            access_type: write,
            client_type: 0,
            gpc: sm / 8,
            protected: 0,
            enabled: 1,
            valid: 1,
        }
    }
}

/// Compiles the driver's decoder, and gives what it prints of these packets.
fn decoded(packets: &[u8]) -> Vec<Packet> {
    let folder = tempfile::tempdir().unwrap();
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fault_buffer_driver/packet.c"
    );
    let (program, input) = (folder.path().join("packet"), folder.path().join("packets"));
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(source)
        .status();
    assert!(compiled.expect("a C compiler").success());
    std::fs::write(&input, packets).unwrap();
    let output = Command::new(&program)
        .stdin(std::fs::File::open(&input).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(Packet::read).collect()
}

/// A fault with anything in it: of a few pages near each other or of any, by any SMs.
fn any_fault(rng: &mut Rng) -> Record {
    let bits = rng.bits();
    let replayable = rng.chance(190);
    let causes = if replayable {
        [2, 5, 6, 4]
    } else {
        [1, 3, 4, 7]
    };
    Record {
        vpn: if rng.chance(100) {
            bits >> 60
        } else {
            bits >> 28
        },
        asid: rng.byte(),
        cause: causes[rng.below(4) as usize],
        access: rng.byte() & 7,
        level: 1 + rng.below(4) as u8,
        replayable,
        requesters: 1 << rng.below(16) | (rng.bits() & rng.bits() & rng.bits()) as u16,
        index: rng.below(64) as u16,
        place: rng.below(65) as u16,
        ..Record::default()
    }
}

/// Random faults go through a ring of a few records, which goes round hundreds of times and is full at times; a third of
/// them comes before there is a ring. What the driver in C decodes is each that was accepted, in its order.
fn driver_in_c_decodes_every_fault(short: bool, faults: usize) {
    let quick = |kind: &Kind| *kind != Kind::RustHdl;
    let (mut rng, mut buffer) = (
        Rng::new(11),
        Buffer::of(&Kind::built().filter(quick).collect::<Vec<_>>()),
    );
    let (size, words) = (13, if short { 4 } else { 8 });
    let (mut accepted, mut packets) = (Vec::new(), Vec::new());
    let (mut left, mut early, mut full) = (faults, faults / 3, 0);
    let (mut offered, mut get) = (None, 0);
    let mut until = 0;
    while left > 0 || offered.is_some() || buffer.has(status::UNDER_WAY) {
        let mut inputs = Inputs::default();
        if offered.is_none() && left > 0 && rng.chance(200) {
            let fault = any_fault(&mut rng);
            (left, early) = (left - 1, early.saturating_sub(1));
            if !fault.replayable || buffer.last.room {
                offered = Some(fault);
            } else {
                inputs.turned_away = true;
            }
        }
        if let Some(fault) = &offered {
            inputs = offer(fault);
        }
        let time = buffer.get(register::TIME) + 1;
        if buffer.cycle(&inputs).fault_ready
            && let Some(fault) = offered.take_if(|_| inputs.fault_valid)
        {
            accepted.push((fault, time));
        }
        if early == 0 && buffer.get(register::SIZE) == 0 && offered.is_none() {
            let mode = if short { control::SHORT } else { 0 };
            for (number, data) in [
                (register::SIZE, size),
                (register::BASE, BASE),
                (register::CONTROL, mode),
                (register::CONTROL, mode | control::ENABLED),
            ] {
                buffer.set(number, data);
            }
        }
        // At times the driver sleeps until the ring is full.
        full += usize::from(buffer.has(status::OVERFLOW));
        if until == 0 || rng.below(300) == 0 {
            until = if rng.chance(128) { size - 2 } else { 1 };
        }
        let put = buffer.get(register::PUT);
        if (put + size - get) % size >= until || left == 0 {
            while get != put {
                for word in 0..4 {
                    let data = buffer.load(BASE * 512 + get * words + word);
                    packets.extend(data.to_le_bytes());
                }
                get = (get + 1) % size;
            }
            buffer.set(register::GET, get | GET_CLEARS);
        }
    }
    buffer.pass(100);
    let put = buffer.get(register::PUT);
    while get != put {
        for word in 0..4 {
            packets.extend(buffer.load(BASE * 512 + get * words + word).to_le_bytes());
        }
        get = (get + 1) % size;
    }
    let mut decoded = decoded(&packets).into_iter().peekable();
    let mut skipped = 0;
    for (fault, time) in &accepted {
        let expected = Packet::of(fault, *time);
        if decoded.next_if_eq(&expected).is_none() {
            // What is not replayable may be filtered, or dropped where there is no room.
            assert!(!fault.replayable, "{fault:?} is not {:?}", decoded.peek());
            skipped += 1;
        }
    }
    assert_eq!(decoded.next(), None);
    let [records, filtered, away, dropped] = buffer.counters();
    assert_eq!(filtered + dropped, skipped);
    assert_eq!(records as usize, packets.len() / 32);
    assert!(
        full > 10 && away > 100 && records > 100 * size,
        "{full} {away} {records}"
    );
}

#[test]
fn driver_in_c_decodes_records_of_64_bytes() {
    driver_in_c_decodes_every_fault(false, 10_000);
}

#[test]
fn driver_in_c_decodes_packets_of_32_bytes() {
    driver_in_c_decodes_every_fault(true, 10_000);
}

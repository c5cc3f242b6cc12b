//! A driver over the fault buffer, in all back ends at once: it sees every fault exactly once, in every replay policy and
//! under overflow.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

mod support;

use faultline_sim::fault_buffer::{Inputs, Record, control, register, status};
use faultline_testbench::driver::{Driver, Policy};
use support::buffer::{BASE, Buffer, denied, fault};

/// Pages that fault.
const FAULTS: u64 = 60;

/// SMs fault on pages of several blocks of 2 MB while the driver serves them.
fn run(policy: Policy, size: u64, latency: u64) -> (Buffer, Driver) {
    let mut buffer = Buffer::new();
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
            .map(|record| record.page)
            .collect();
        pages.sort_unstable();
        pages
    };
    let expected: Vec<_> = (0..FAULTS).map(|number| number * 97).collect();
    assert_eq!(of(true), expected, "{policy:?}, {size} records");
    let sequence: Vec<_> = driver.seen.iter().map(|record| record.sequence).collect();
    let counted: Vec<_> = (0..driver.seen.len() as u64).collect();
    assert_eq!(sequence, counted);
    // Those that nobody waits for are seen, or counted.
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
    let mut buffer = Buffer::new();
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

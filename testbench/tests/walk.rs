//! Page walks: the reference against a second oracle, over the sweeps and over random tables that may be hostile, and some
//! rules one by one.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::walk::{
    ACCESSED, Access, DIRTY, Image, Memory, PRESENT, Request, Rules, USER, WRITABLE, Walk,
};
use faultline_testbench::support::tables::hostile;
use faultline_testbench::sweep::{self, LIMIT, ROOT, Sweep, all_rules, requests, tables};
use faultline_testbench::traffic::Rng;

/// A whole sweep, without a difference.
fn agrees(sweep: Sweep, cases: u64) {
    let tally = sweep::oracles(sweep, 1, |_| ());
    assert_eq!(tally.shown, [""; 0]);
    assert_eq!((tally.cases, tally.differences), (cases, 0));
}

#[test]
fn every_combination_of_bits_at_every_level_agrees() {
    agrees(Sweep::Entry, 516_096);
}

#[test]
fn every_combination_of_rights_over_all_levels_agrees() {
    agrees(Sweep::Rights, 2_018_304);
}

#[test]
fn every_combination_of_rights_and_marks_of_two_entries_agrees() {
    agrees(Sweep::Pair, 1_425_408);
}

#[test]
fn every_combination_of_marks_over_all_levels_agrees() {
    agrees(Sweep::Marks, 80_640);
}

#[test]
fn every_single_bit_with_every_width_of_addresses_agrees() {
    agrees(Sweep::Bit, 144_648);
}

#[test]
fn hostile_tables_agree_and_every_walk_ends() {
    let mut rng = Rng::new(1);
    let (mut pages, mut faults) = (0, 0);
    for rules in all_rules().cycle().take(40_000) {
        let (words, address) = hostile(&mut rng, &rules);
        for request in requests(address) {
            match sweep::judged(&rules, &words, &request).unwrap().end {
                Ok(_) => pages += 1,
                Err(_) => faults += 1,
            }
        }
    }
    assert!(
        pages > 10_000 && faults > 10_000,
        "{pages} pages, {faults} faults"
    );
}

fn walk(image: &mut Image, address: u64, access: Access) -> Walk {
    Rules::default().walk(
        image,
        ROOT,
        &Request {
            address,
            access,
            user: true,
        },
    )
}

/// A top-level entry that points to its own table is legal (SDM 4.10.3), and so is a walk through it alone: it reads the
/// same word four times, and marks it once.
#[test]
fn self_reference_ends_after_a_read_for_each_level() {
    let own = 511 << 3;
    let address = u64::MAX << 48 | 0o777_777_777_777 << 12;
    let mut image = Image::new(Some(LIMIT));
    image.put(ROOT + own, ROOT | PRESENT | WRITABLE | USER);
    let walk = walk(&mut image, address, Access::Read);
    assert_eq!(walk.reads.len(), 4);
    assert_eq!(walk.end.unwrap().physical, ROOT);
    assert_eq!(walk.writes.len(), 1);
    assert_eq!(
        image.read(ROOT + own),
        Some(ROOT | PRESENT | WRITABLE | USER | ACCESSED)
    );
}

#[test]
fn faulting_walk_writes_nothing() {
    let address = 0x7000_0000_0000;
    let mut image = Image::new(Some(LIMIT));
    for (place, value) in tables(4, 1, address) {
        image.put(place, value & !(ACCESSED | DIRTY | WRITABLE));
    }
    let walk = walk(&mut image, address, Access::Write);
    assert_eq!(walk.end.unwrap_err().code, Some(0b111));
    assert!(walk.writes.is_empty());
}

#[test]
fn dirty_bit_is_the_pages_alone_and_only_for_a_write() {
    let address = 0x7000_0000_0000;
    let mut image = Image::new(Some(LIMIT));
    for (place, value) in tables(4, 1, address) {
        image.put(place, value & !(ACCESSED | DIRTY));
    }
    let first = walk(&mut image, address, Access::Read);
    assert!(first.writes.iter().all(|entry| entry.value & DIRTY == 0));
    assert_eq!(first.writes.len(), 4);
    let second = walk(&mut image, address, Access::Write);
    assert_eq!(second.writes.len(), 1);
    assert_eq!(second.writes[0].level, 1);
    assert_eq!(second.writes[0].value & DIRTY, DIRTY);
    assert!(walk(&mut image, address, Access::Write).writes.is_empty());
}

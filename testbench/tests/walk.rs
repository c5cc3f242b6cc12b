//! Page walks: the reference against a second oracle, over every combination of the bits of an entry, over random tables
//! that may be hostile, and some rules one by one.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::walk::{
    ACCESSED, Access, DIRTY, Image, Memory, PRESENT, Request, Rules, USER, WRITABLE, Walk,
};
use faultline_testbench::sdm::{self, Machine, Query, Verdict};
use faultline_testbench::traffic::Dice;

mod support;

use support::tables::{
    LIMIT, ROOT, Words, all_rules, all_widths, every_bit, every_combination, hostile, requests,
    tables,
};

fn machine(rules: &Rules) -> Machine {
    Machine {
        five_levels: rules.levels == 5,
        nxe: rules.execute_disable,
        updates: rules.updates,
        physical_bits: rules.physical_bits.into(),
        limit: LIMIT,
    }
}

fn query(request: &Request) -> Query {
    Query {
        linear: request.address,
        write: request.access == Access::Write,
        user: request.user,
        fetch: request.access == Access::Execute,
    }
}

/// The reference's walk in the words of the oracle.
fn verdict(rules: &Rules, walk: &Walk) -> Verdict {
    match walk.end {
        Ok(page) => Verdict::Page(
            page.physical,
            page.page_size,
            page.writable,
            page.user,
            page.executable,
        ),
        Err(fault) => Verdict::Fault(
            fault.cause.name(),
            (fault.level > 0).then(|| usize::from(rules.levels - fault.level)),
            fault.code.map(u32::from),
        ),
    }
}

/// Walks with both, and compares how it ends and what is in memory then.
fn compare(rules: &Rules, words: &Words, request: &Request) -> Walk {
    let mut image = Image::new(Some(LIMIT));
    for &(address, value) in words {
        image.put(address, value);
    }
    let walk = rules.walk(&mut image, ROOT, request);
    let before = words.iter().copied().collect();
    let (expected, after) = sdm::judge(&machine(rules), &before, ROOT, &query(request));
    let case = || format!("{rules:?} {request:?} {words:x?}");
    assert_eq!(verdict(rules, &walk), expected, "{}", case());
    assert!(walk.reads.len() <= usize::from(rules.levels), "{}", case());
    for (&address, &value) in &after {
        assert_eq!(image.read(address), Some(value), "{address:#x}: {}", case());
    }
    for write in &walk.writes {
        assert_eq!(
            after.get(&write.address),
            Some(&image.read(write.address).unwrap()),
            "{}",
            case()
        );
    }
    walk
}

#[test]
fn every_combination_of_bits_at_every_level_agrees() {
    let mut cases = 0;
    for rules in all_rules() {
        every_combination(&rules, |words, request| {
            compare(&rules, words, request);
            cases += 1;
        });
    }
    println!("{cases} cases");
    assert_eq!(cases, 516_096);
}

#[test]
fn every_single_bit_with_every_width_of_addresses_agrees() {
    let mut cases = 0;
    for rules in all_widths() {
        every_bit(&rules, |words, request| {
            compare(&rules, words, request);
            cases += 1;
        });
    }
    assert_eq!(cases, 144_648);
}

#[test]
fn hostile_tables_agree_and_every_walk_ends() {
    let mut dice = Dice::new(1);
    let (mut pages, mut faults) = (0, 0);
    for rules in all_rules().cycle().take(40_000) {
        let (words, address) = hostile(&mut dice, &rules);
        for request in requests(address) {
            match compare(&rules, &words, &request).end {
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

//! Page walks: the reference against a second oracle, over every combination of the bits of an entry, over random tables
//! that may be hostile, and some rules one by one.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::walk::{
    ACCESSED, Access, DIRTY, EXECUTE_DISABLE, Image, Memory, PAGE_SIZE, PRESENT, Request, Rules,
    USER, WRITABLE, Walk,
};
use faultline_testbench::sdm::{self, Machine, Query, Verdict, Words};
use faultline_testbench::traffic::Dice;

const ROOT: u64 = 0x1000;
const LIMIT: u64 = 1 << 40;

fn rules(machine: &Machine) -> Rules {
    Rules {
        levels: if machine.five_levels { 5 } else { 4 },
        physical_bits: machine.physical_bits as u8,
        execute_disable: machine.nxe,
        updates: machine.updates,
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
fn compare(machine: &Machine, words: &Words, root: u64, request: &Request) -> Walk {
    let rules = rules(machine);
    let mut image = Image::new(Some(machine.limit));
    for (&address, &value) in words {
        image.put(address, value);
    }
    let walk = rules.walk(&mut image, root, request);
    let (expected, after) = sdm::judge(machine, words, root, &query(request));
    let case = || format!("{machine:?} {request:?} {words:x?}");
    assert_eq!(verdict(&rules, &walk), expected, "{}", case());
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

fn machines() -> impl Iterator<Item = Machine> + Clone {
    (0..16).map(|choice: u32| Machine {
        five_levels: choice & 1 != 0,
        nxe: choice & 2 != 0,
        updates: choice & 4 != 0,
        physical_bits: if choice & 8 != 0 { 52 } else { 40 },
        limit: LIMIT,
    })
}

fn requests(address: u64) -> impl Iterator<Item = Request> {
    Access::ALL.into_iter().flat_map(move |access| {
        [true, false].map(|user| Request {
            address,
            access,
            user,
        })
    })
}

/// All that an entry may hold: present, writable, user, accessed, dirty, page size, execute-disable, and a bit that is
/// reserved in a large page or beyond the physical addresses.
const BITS: [u64; 9] = [
    PRESENT,
    WRITABLE,
    USER,
    ACCESSED,
    DIRTY,
    PAGE_SIZE,
    EXECUTE_DISABLE,
    1 << 13,
    1 << 45,
];
const OPEN: u64 = PRESENT | WRITABLE | USER | ACCESSED | DIRTY;

/// The words of tables that lead to a page of a level, open to everybody, and where they lie, the root's first.
fn tables(levels: u8, page_level: u8, address: u64) -> Vec<(u64, u64)> {
    let mut table = ROOT;
    (page_level..=levels)
        .rev()
        .map(|level| {
            let place = table + (address >> (12 + 9 * (level - 1)) & 511) * 8;
            let next = 0x10_0000 * u64::from(level);
            table = next;
            let value = match level == page_level {
                true if level > 1 => 0x3F_C000_0000 | OPEN | PAGE_SIZE,
                true => 0x1234_5000 | OPEN,
                false => next | OPEN,
            };
            (place, value)
        })
        .collect()
}

#[test]
fn every_combination_of_bits_at_every_level_agrees() {
    let mut cases = 0u64;
    let address = 0x0000_7ABC_DEF1_2348;
    for machine in machines() {
        let levels = if machine.five_levels { 5 } else { 4 };
        for page_level in 1..=3 {
            let tables = tables(levels, page_level, address);
            for place in 0..tables.len() {
                for choice in 0..1u64 << BITS.len() {
                    let chosen = |bit: usize| choice >> bit & 1 != 0;
                    let flags: u64 = (0..BITS.len())
                        .filter(|&bit| chosen(bit))
                        .map(|bit| BITS[bit])
                        .sum();
                    let mut words: Words = tables.iter().copied().collect();
                    let (at, open) = tables[place];
                    let frame = open & !(OPEN | PAGE_SIZE);
                    words.insert(at, frame | flags);
                    for request in requests(address) {
                        compare(&machine, &words, ROOT, &request);
                        cases += 1;
                    }
                }
            }
        }
    }
    println!("{cases} cases");
    assert!(cases > 500_000, "{cases} cases");
}

/// Tables in a few pages, entries of which point to each other and to themselves, out of memory, and anywhere.
#[test]
fn hostile_tables_agree_and_every_walk_ends() {
    let mut dice = Dice::new(1);
    let (mut pages, mut faults) = (0, 0);
    let indices = [0, 1, 2, 511];
    for machine in machines().cycle().take(40_000) {
        let mut words = Words::new();
        for page in 0..4 {
            for index in indices {
                let frame = match dice.below(16) {
                    0 => LIMIT,
                    1 => dice.below(1 << 40) << 12,
                    2 => 1 << 39,
                    _ => ROOT + 0x1000 * dice.below(4),
                };
                let flags = match dice.below(8) {
                    0 => BITS.iter().filter(|_| dice.chance(128)).sum(),
                    1 => OPEN & !BITS[dice.below(5) as usize],
                    _ => OPEN,
                };
                let frame = frame & !(1 << 45 | 1 << 13);
                words.insert(ROOT + 0x1000 * page + 8 * index, frame | flags);
            }
        }
        let indices = (0..5).map(|_| indices[dice.below(4) as usize]);
        let address = indices.fold(0, |address, index| address << 9 | index);
        let address = address << 12 | dice.below(512) << 3;
        // Of eight, one is left as it is, be it canonical or not.
        let unused = if machine.five_levels { 7 } else { 16 };
        let address = match dice.below(8) {
            0 => address,
            _ => ((address << unused) as i64 >> unused) as u64,
        };
        for request in requests(address) {
            match compare(&machine, &words, ROOT, &request).end {
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

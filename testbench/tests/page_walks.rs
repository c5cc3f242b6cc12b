//! Page walks in hardware: the walker of every back end against the rules one after the other, over every combination of
//! the bits of an entry and over hostile tables. The rules themselves are held against a second oracle in `walk.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::walk::{
    ACCESSED, Access, DIRTY, EXECUTE_DISABLE, Image, Memory, PAGE_SIZE, PRESENT, Request, Rules,
    USER, WRITABLE,
};
use faultline_testbench::backend::Kind;
use faultline_testbench::traffic::Dice;
use faultline_testbench::walks::Walker;

const ROOT: u64 = 0x1000;
const LIMIT: u64 = 1 << 40;

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

fn all_rules() -> impl Iterator<Item = Rules> {
    (0..16).map(|choice: u32| Rules {
        levels: if choice & 1 != 0 { 5 } else { 4 },
        execute_disable: choice & 2 != 0,
        updates: choice & 4 != 0,
        physical_bits: if choice & 8 != 0 { 52 } else { 40 },
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

/// Walks with the rules and with the hardware, and compares how it ends, what is read and written, and memory.
fn compare(walker: &mut Walker, rules: &Rules, image: &Image, request: &Request) {
    let (mut expected_image, mut image) = (image.clone(), image.clone());
    let expected = rules.walk(&mut expected_image, ROOT, request);
    let walk = walker.walk(&mut image, ROOT, request).unwrap();
    assert_eq!(walk, expected, "{rules:?} {request:x?}");
    assert_eq!(image, expected_image, "{rules:?} {request:x?}");
}

/// Every combination of bits at every level of every page size, for every access and all rules; every `step`th of them.
fn sweep(kind: Kind, step: usize) -> usize {
    let address = 0x0000_7ABC_DEF1_2348;
    let (mut cases, mut number) = (0, 0);
    for rules in all_rules() {
        let mut walker = Walker::new(rules, Some(LIMIT), kind).unwrap();
        for page_level in 1..=3 {
            let tables = tables(rules.levels, page_level, address);
            for place in 0..tables.len() {
                for choice in 0..1u64 << BITS.len() {
                    let flags = (0..BITS.len()).filter(|&bit| choice >> bit & 1 != 0);
                    let flags: u64 = flags.map(|bit| BITS[bit]).sum();
                    let mut image = Image::new(Some(LIMIT));
                    for &(address, value) in &tables {
                        image.put(address, value);
                    }
                    let (at, open) = tables[place];
                    image.put(at, open & !(OPEN | PAGE_SIZE) | flags);
                    for request in requests(address) {
                        number += 1;
                        if number % step == 0 {
                            compare(&mut walker, &rules, &image, &request);
                            cases += 1;
                        }
                    }
                }
            }
        }
    }
    println!("{cases} cases on {kind}: no difference");
    cases
}

/// Tables in a few pages, entries of which point to each other and to themselves, out of memory, and anywhere.
fn hostile(kind: Kind, memories: usize) {
    let mut dice = Dice::new(2);
    let indices = [0, 1, 2, 511];
    let mut walkers: Vec<_> = all_rules()
        .map(|rules| (Walker::new(rules, Some(LIMIT), kind).unwrap(), rules))
        .collect();
    for number in 0..memories {
        let count = walkers.len();
        let (walker, rules) = &mut walkers[number % count];
        let mut image = Image::new(Some(LIMIT));
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
                image.put(ROOT + 0x1000 * page + 8 * index, frame | flags);
            }
        }
        let chosen = (0..5).map(|_| indices[dice.below(4) as usize]);
        let address = chosen.fold(0, |address, index| address << 9 | index);
        let address = address << 12 | dice.below(512) << 3;
        let unused = 64 - u32::from(rules.virtual_bits());
        let address = match dice.below(8) {
            0 => address,
            _ => ((address << unused) as i64 >> unused) as u64,
        };
        for request in requests(address) {
            compare(walker, rules, &image, &request);
        }
    }
}

#[test]
fn every_combination_of_bits_at_every_level_agrees_in_the_cycle_model() {
    assert_eq!(sweep(Kind::Reference, 1), 516_096);
}

#[test]
#[cfg(feature = "verilog")]
fn every_combination_of_bits_at_every_level_agrees_in_verilog() {
    assert_eq!(sweep(Kind::Verilog, 1), 516_096);
}

/// The kernel is a hundred times slower than its Verilog: here each 101st case, and all of them where this is asked for
/// (`cargo test -p faultline-testbench --test page_walks -- --ignored`).
#[test]
fn every_hundredth_combination_of_bits_agrees_in_the_kernel() {
    assert!(sweep(Kind::RustHdl, 101) > 5_000);
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn every_combination_of_bits_at_every_level_agrees_in_the_kernel() {
    assert_eq!(sweep(Kind::RustHdl, 1), 516_096);
}

#[test]
fn hostile_tables_agree_in_all_back_ends() {
    for kind in Kind::built() {
        hostile(kind, if kind == Kind::RustHdl { 400 } else { 20_000 });
    }
}

/// A top-level entry that points to its own table is read once for each level, and marked once: an update expects the
/// entry that was read, but for its accessed and dirty bits.
#[test]
fn self_reference_is_marked_once_in_all_back_ends() {
    let address = u64::MAX << 48 | 0o777_777_777_777 << 12;
    let mut image = Image::new(Some(LIMIT));
    image.put(ROOT + (511 << 3), ROOT | PRESENT | WRITABLE | USER);
    for kind in Kind::built() {
        let rules = Rules::default();
        let mut walker = Walker::new(rules, Some(LIMIT), kind).unwrap();
        for request in requests(address) {
            compare(&mut walker, &rules, &image, &request);
        }
    }
}

/// A walk that software changes under its hands sees what was there before or after, and marks what it has checked.
#[test]
fn update_of_a_changed_entry_begins_the_walk_again() {
    struct Changing {
        image: Image,
        at: u64,
        value: u64,
        reads: u32,
    }
    impl Memory for Changing {
        fn read(&self, address: u64) -> Option<u64> {
            self.image.read(address)
        }
        fn set(&mut self, address: u64, bits: u64) -> Option<u64> {
            // Between the first update and the next one.
            if self.reads == 0 {
                self.image.put(self.at, self.value);
            }
            self.reads += 1;
            self.image.set(address, bits)
        }
    }
    let address = 0x7000_0000_0000;
    let tables = tables(4, 1, address);
    let mut image = Image::new(Some(LIMIT));
    for &(place, value) in &tables {
        image.put(place, value & !(ACCESSED | DIRTY));
    }
    let (at, value) = tables[3];
    let request = Request {
        address,
        access: Access::Write,
        user: true,
    };
    for kind in Kind::built() {
        let rules = Rules::default();
        let mut walker = Walker::new(rules, Some(LIMIT), kind).unwrap();
        // The page moves, and may not be written any more: no dirty bit is set in its entry.
        let value = (value + 0x1000) & !(WRITABLE | ACCESSED | DIRTY);
        let mut memory = Changing {
            image: image.clone(),
            at,
            value,
            reads: 0,
        };
        let walk = walker.walk(&mut memory, ROOT, &request).unwrap();
        assert_eq!(walk.end.unwrap_err().code, Some(0b111));
        assert_eq!(memory.image.read(at), Some(value));
    }
}

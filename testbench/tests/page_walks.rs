//! Page walks in hardware: the walker of every back end against the rules one after the other, over every combination of
//! the bits of an entry and over hostile tables. The rules themselves are held against a second oracle in `walk.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::walk::{
    ACCESSED, Access, Cause, DIRTY, Image, Memory, PRESENT, Request, Rules, USER, WRITABLE,
};
use faultline_testbench::backend::Kind;
use faultline_testbench::traffic::Dice;
use faultline_testbench::walks::Walker;

mod support;

use support::tables::{
    LIMIT, ROOT, Words, all_rules, all_widths, every_bit, every_combination, hostile, requests,
    tables,
};

fn image_of(words: &Words) -> Image {
    let mut image = Image::new(Some(LIMIT));
    for &(address, value) in words {
        image.put(address, value);
    }
    image
}

/// Walks with the rules and with the hardware, and compares how it ends, what is read and written, and memory.
fn compare(walker: &mut Walker, rules: &Rules, image: &Image, request: &Request) {
    let mut before = image.clone();
    let (mut expected_image, mut image) = (image.clone(), image.clone());
    let expected = rules.walk(&mut expected_image, ROOT, request);
    let walk = walker.walk(&mut image, ROOT, request).unwrap();
    assert_eq!(walk, expected, "{rules:?} {request:x?}");
    assert_eq!(image, expected_image, "{rules:?} {request:x?}");

    let leaf = walk.reads.last().map_or(0, |entry| entry.value);
    let clean = walk.end.is_ok() && request.access != Access::Write && leaf & DIRTY == 0;
    let mut reads = || {
        let read = Request {
            access: Access::Read,
            ..*request
        };
        let walk = rules.walk(&mut before, ROOT, &read);
        walk.end.is_ok() && walk.writes.is_empty()
    };
    let readable = match walk.end {
        Ok(_) => true,
        Err(fault) => fault.cause == Cause::Protection && reads(),
    };
    let answer = walker.answer();
    let shown = (answer.answer_readable, answer.answer_clean);
    assert_eq!(shown, (readable, clean), "{rules:?} {request:x?}");
}

/// Every combination of bits, or every `step`th one.
fn sweep(kind: Kind, step: usize) -> usize {
    let (mut cases, mut number) = (0, 0);
    for rules in all_rules() {
        let mut walker = Walker::new(rules, Some(LIMIT), kind).unwrap();
        every_combination(&rules, |words, request| {
            number += 1;
            if number % step == 0 {
                compare(&mut walker, &rules, &image_of(words), request);
                cases += 1;
            }
        });
    }
    println!("{cases} cases on {kind}: no difference");
    cases
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

/// Each bit that may be reserved, alone, with physical addresses of every width.
#[test]
fn every_single_bit_with_every_width_of_addresses_agrees() {
    for kind in Kind::built() {
        let step = if kind == Kind::RustHdl { 97 } else { 1 };
        let (mut cases, mut number) = (0, 0);
        for rules in all_widths() {
            let mut walker = Walker::new(rules, Some(LIMIT), kind).unwrap();
            every_bit(&rules, |words, request| {
                number += 1;
                if number % step == 0 {
                    compare(&mut walker, &rules, &image_of(words), request);
                    cases += 1;
                }
            });
        }
        println!("{cases} cases on {kind}: no difference");
        assert_eq!(cases, 144_648 / step);
    }
}

#[test]
fn hostile_tables_agree_in_all_back_ends() {
    for kind in Kind::built() {
        let mut dice = Dice::new(2);
        let mut walkers: Vec<_> = all_rules()
            .map(|rules| (Walker::new(rules, Some(LIMIT), kind).unwrap(), rules))
            .collect();
        let memories = if kind == Kind::RustHdl { 400 } else { 20_000 };
        for number in 0..memories {
            let count = walkers.len();
            let (walker, rules) = &mut walkers[number % count];
            let (words, address) = hostile(&mut dice, rules);
            for request in requests(address) {
                compare(walker, rules, &image_of(&words), &request);
            }
        }
    }
}

/// A top-level entry that points to its own table is read once for each level, and marked once: an update expects the
/// entry that was read, but for its accessed and dirty bits.
#[test]
fn self_reference_is_marked_once_in_all_back_ends() {
    let address = u64::MAX << 48 | 0o777_777_777_777 << 12;
    let image = image_of(&vec![(ROOT + (511 << 3), ROOT | PRESENT | WRITABLE | USER)]);
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

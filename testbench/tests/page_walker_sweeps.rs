//! Page walks in hardware: the walker of every back end against the rules one after the other and many at once, over the
//! sweeps and over hostile tables. The rules themselves are held against a second oracle in `walk.rs`. All of the sweeps, on
//! all back ends, are run by `cargo run --release -p faultline-testbench --features verilog --example sweep`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_ledger::Obligation;
use faultline_sim::walk::{
    ACCESSED, Access, DIRTY, EXECUTE_DISABLE, Image, Memory, PRESENT, Request, Rules, USER,
    WRITABLE,
};
use faultline_testbench::backend::Kind;
use faultline_testbench::blocks;
use faultline_testbench::support;
use faultline_testbench::support::tables::hostile;
use faultline_testbench::sweep::{
    self, CONFIGS, LIMIT, ROOT, Sweep, Tally, all_rules, image, requests, tables,
};
use faultline_testbench::traffic::Rng;
use faultline_testbench::walks::Walker;

/// Nothing was different.
fn agrees(tally: &Tally) {
    assert_eq!(tally.shown, [""; 0]);
    assert_eq!(tally.differences, 0);
}

/// Every `step`th case of a sweep, one walk after the other; gives how many there were.
fn one_by_one(sweep: Sweep, kind: Kind, step: usize) -> u64 {
    let tally = sweep::one_by_one(sweep, kind, step, |_| ()).unwrap();
    agrees(&tally);
    tally.cases
}

/// Every `step`th case of the sweeps, many walks at once, on a larger walker.
fn at_once(config: &str, kind: Kind, step: usize) -> u64 {
    let (tally, load) = sweep::at_once(config, kind, step, |_| ()).unwrap();
    agrees(&tally);
    let walks: f64 = config.split('_').next().unwrap().parse().unwrap();
    assert!(
        load.mean() > 0.75 * walks && load.merged > 0,
        "{config}: {load:?}"
    );
    tally.cases
}

#[test]
fn every_combination_of_bits_at_every_level_agrees_in_the_cycle_model() {
    obligation().meet(|| {
        assert_eq!(one_by_one(Sweep::Entry, Kind::Reference, 1), 516_096);
    });
}

#[test]
#[cfg(feature = "verilog")]
fn every_combination_of_bits_at_every_level_agrees_in_verilog() {
    obligation().meet(|| {
        assert_eq!(one_by_one(Sweep::Entry, Kind::Verilog, 1), 516_096);
    });
}

/// The kernel is a hundred times slower than its Verilog: here each 101st case, and all of them in the report.
#[test]
fn every_hundredth_combination_of_bits_agrees_in_the_kernel() {
    obligation().meet(|| {
        assert!(one_by_one(Sweep::Entry, Kind::RustHdl, 101) > 5_000);
    });
}

/// A test of walkers of all sizes.
fn obligation() -> Obligation {
    let sizes = blocks::configurations("page_walker");
    support::test(file!(), "page_walker", sizes)
}

/// Entries of several levels at once: here each fifth case, and all of them in the report.
#[test]
fn combinations_over_several_levels_agree_in_all_back_ends() {
    obligation().meet(combinations_agree);
}

fn combinations_agree() {
    for kind in Kind::built() {
        for (sweep, cases) in [
            (Sweep::Rights, 2_018_304),
            (Sweep::Pair, 1_425_408),
            (Sweep::Marks, 80_640),
        ] {
            let step = if kind == Kind::RustHdl { 1009 } else { 5 };
            let expected = cases / 6 / step * 6;
            assert_eq!(one_by_one(sweep, kind, step as usize), expected, "{kind}");
        }
    }
}

/// Several requesters and spaces have walks under way at once: here every second case, and all of them in the report.
#[test]
fn walks_at_once_agree_in_all_back_ends() {
    obligation().meet(walks_at_once_agree);
}

fn walks_at_once_agree() {
    for kind in Kind::built() {
        let step = if kind == Kind::RustHdl { 307 } else { 2 };
        for config in CONFIGS {
            let cases = at_once(config, kind, step as usize);
            assert_eq!(cases, 238_272 / 6 / step * 6, "{config} {kind}");
        }
    }
}

/// Each bit that may be reserved, alone, with physical addresses of every width.
#[test]
fn every_single_bit_with_every_width_of_addresses_agrees() {
    obligation().meet(|| {
        for kind in Kind::built() {
            let step = if kind == Kind::RustHdl { 97 } else { 1 };
            let cases = 144_648 / 2 / step * 2;
            assert_eq!(one_by_one(Sweep::Bit, kind, step as usize), cases);
        }
    });
}

/// A walker of another machine is found out, and what it did wrong is reported.
#[test]
fn difference_from_the_rules_is_reported() {
    let rules = Rules::default();
    let other = Rules {
        execute_disable: false,
        ..rules
    };
    let address = 0x7000_0000_0000;
    let mut walker = Walker::new(other, Some(LIMIT), Kind::Reference).unwrap();
    let mut words = tables(4, 1, address);
    words[3].1 |= EXECUTE_DISABLE;
    let mut tally = Tally::default();
    for request in requests(address) {
        let wrong = sweep::difference(&mut walker, &rules, &image(&words), &request);
        tally.add(1, wrong.unwrap());
    }
    assert_eq!(
        (tally.cases, tally.differences, tally.shown.len()),
        (6, 6, 5)
    );
    assert!(tally.shown[0].contains("ReservedBit"), "{}", tally.shown[0]);
}

#[test]
fn hostile_tables_agree_in_all_back_ends() {
    obligation().meet(|| {
        for kind in Kind::built() {
            let mut rng = Rng::new(2);
            let mut walkers: Vec<_> = all_rules()
                .map(|rules| (Walker::new(rules, Some(LIMIT), kind).unwrap(), rules))
                .collect();
            let memories = if kind == Kind::RustHdl { 400 } else { 20_000 };
            for number in 0..memories {
                let count = walkers.len();
                let (walker, rules) = &mut walkers[number % count];
                let (words, address) = hostile(&mut rng, rules);
                for request in requests(address) {
                    let wrong = sweep::difference(walker, rules, &image(&words), &request);
                    assert_eq!(wrong.unwrap(), None);
                }
            }
        }
    });
}

/// A top-level entry that points to its own table is read once for each level, and marked once: an update expects the
/// entry that was read, but for its accessed and dirty bits.
#[test]
fn self_reference_is_marked_once_in_all_back_ends() {
    let address = u64::MAX << 48 | 0o777_777_777_777 << 12;
    let image = image(&vec![(ROOT + (511 << 3), ROOT | PRESENT | WRITABLE | USER)]);
    for kind in Kind::built() {
        let rules = Rules::default();
        let mut walker = Walker::new(rules, Some(LIMIT), kind).unwrap();
        for request in requests(address) {
            let wrong = sweep::difference(&mut walker, &rules, &image, &request);
            assert_eq!(wrong.unwrap(), None);
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

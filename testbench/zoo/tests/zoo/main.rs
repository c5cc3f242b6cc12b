//! The zoo's Verilog is what its kernels say. Here is what the tests share: exports on disk, tools, and vectors.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

mod interpreter;
mod lint;
mod lockstep;
mod random;
mod random_kernel;
mod upstream;
mod verilated;

use std::path::Path;
use std::process::Command;

use faultline_hw::registry::{Design, Export};
use faultline_ledger::Obligation;
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// That the test which calls this passes. It depends on the exporter, on what makes kernels of structs, and on all that is here.
fn obligation() -> Obligation {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let thread = std::thread::current();
    let group = format!("test of zoo, {}", thread.name().unwrap_or_default());
    let verilator = Path::new("verilator");
    let mut obligation = Obligation::new(&group, "passes")
        .crates(&root)
        .tool(verilator, &["--version"]);
    for folder in [
        "hw/export/src",
        "hw/macros/src",
        "hw/src/kernel.rs",
        "hw/src/part.rs",
        "hw/src/ports.rs",
        "hw/src/registry.rs",
        "hw/src/primitives",
        "testbench/zoo/src",
        "testbench/zoo/tests",
    ] {
        obligation = obligation.file(&root.join(folder));
    }
    obligation
}

/// Exports a specimen into a folder, a file for each module.
fn export(design: &Design, folder: &Path) -> Export {
    let export = design
        .export()
        .unwrap_or_else(|error| panic!("{}: {error}", design.name));
    for file in &export.files {
        let path = folder.join(&file.name);
        if let Ok(text) = std::fs::read_to_string(&path) {
            assert_eq!(text, file.text, "{} has two meanings", file.name);
        }
        std::fs::write(path, &file.text).unwrap();
    }
    export
}

/// Runs a tool; gives what it prints, and whether it was content.
fn run(command: &mut Command) -> (bool, String) {
    let output = command.output().unwrap_or_else(|error| {
        panic!("{command:?} cannot be run ({error}); `faultline doctor` says how to install it")
    });
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

/// Runs a tool that must be content.
fn succeed(command: &mut Command) -> String {
    let (content, text) = run(command);
    assert!(content, "{command:?} failed:\n{text}");
    text
}

/// Packed words of some bits.
type Words = Vec<u64>;

/// Values at which mistakes hide, and random ones.
struct Vectors {
    generator: Xoshiro256PlusPlus,
    before: Vec<Words>,
}

impl Vectors {
    fn new(seed: u64) -> Self {
        Self {
            generator: Xoshiro256PlusPlus::seed_from_u64(seed),
            before: Vec::new(),
        }
    }

    /// The inputs of a cycle, for ports of these widths.
    fn cycle(&mut self, widths: &[usize]) -> Vec<Words> {
        let mut values: Vec<Words> = Vec::new();
        for &width in widths {
            // A value close to that of a port of the same width makes comparisons interesting.
            let earlier = widths.iter().zip(&self.before);
            let partner = earlier
                .chain(widths.iter().zip(&values))
                .filter(|(other, _)| **other == width)
                .map(|(_, value)| value.clone())
                .next_back();
            values.push(self.value(width, partner));
        }
        self.before.clone_from(&values);
        values
    }

    fn value(&mut self, width: usize, partner: Option<Words>) -> Words {
        let words = width.div_ceil(64);
        let choice = self.generator.next_u64() % 16;
        let mut value: Words = match choice {
            0 => vec![0; words],
            1 => add(&vec![0; words], 1),
            2 => vec![u64::MAX; words],
            3 => add(&vec![u64::MAX; words], u64::MAX),
            4 => {
                let mut top = vec![0; words];
                top[words - 1] = 1 << ((width - 1) % 64);
                top
            }
            5 => vec![0x5555_5555_5555_5555; words],
            6 => vec![0xaaaa_aaaa_aaaa_aaaa; words],
            7 => add(&vec![0; words], self.generator.next_u64() % 256),
            8 => {
                let mut bit = vec![0; words];
                let place = self.generator.next_u64() as usize % width;
                bit[place / 64] = 1 << (place % 64);
                bit
            }
            9 | 10 => partner.unwrap_or_else(|| vec![0; words]),
            11 => add(&partner.unwrap_or_else(|| vec![0; words]), 1),
            12 => add(&partner.unwrap_or_else(|| vec![0; words]), u64::MAX),
            _ => (0..words).map(|_| self.generator.next_u64()).collect(),
        };
        if !width.is_multiple_of(64) {
            value[words - 1] &= u64::MAX >> (64 - width % 64);
        }
        value
    }
}

/// A sum of packed words, with `u64::MAX` standing for -1.
fn add(words: &[u64], by: u64) -> Words {
    let mut sum = words.to_vec();
    if by == u64::MAX {
        for word in &mut sum {
            let borrow;
            (*word, borrow) = word.overflowing_sub(1);
            if !borrow {
                break;
            }
        }
    } else {
        let mut carry = by;
        for word in &mut sum {
            let overflow;
            (*word, overflow) = word.overflowing_add(carry);
            carry = u64::from(overflow);
        }
    }
    sum
}

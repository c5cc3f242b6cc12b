//! Power from activity: eight circuits whose power is calculated a second time by other means, single cells, memories, and
//! what is refused. Yosys parses the netlists; without it the tests say so and pass.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

mod cells;
mod circuits;
mod eight;
mod fifo;
mod files;
mod liberty;
mod memories;
mod naive;
mod refusals;

use faultline_synth::library::Library;
use faultline_synth::power::{Cells, Circuit, Port};
use faultline_synth::tool::YOSYS;
use faultline_synth::yosys::{Memory, Netlist};

/// Whether Yosys is missing, which is said.
fn without_yosys() -> bool {
    let missing = YOSYS.version().is_none();
    if missing {
        faultline_ledger::missing("yosys is not installed");
    }
    missing
}

/// A netlist of a top module `top` that was written by hand.
fn netlist(verilog: &str) -> Netlist {
    Netlist {
        top: "top".to_owned(),
        verilog: verilog.to_owned(),
        ..Netlist::default()
    }
}

/// The embedded library with what power knows of it.
fn embedded() -> (Library, Cells) {
    let library = Library::embedded().unwrap();
    let cells = Cells::read(&library).unwrap();
    (library, cells)
}

/// A circuit of a netlist that was written by hand.
fn circuit(verilog: &str, cells: &Cells, memories: &[Memory]) -> Circuit {
    Circuit::read(&netlist(verilog), cells, memories).unwrap()
}

/// The port of a name.
fn port<'a>(ports: &'a [Port], name: &str) -> &'a Port {
    ports.iter().find(|port| port.name == name).unwrap()
}

/// Equal but for rounding, a part in a billion.
#[track_caller]
fn assert_near(found: f64, expected: f64, what: &str) {
    let off = (found - expected).abs();
    assert!(
        off <= 1e-9 * expected.abs().max(1e-12),
        "{what}: {found} and {expected}"
    );
}

/// Bits that look random, the same in every run.
struct Bits(u64);

impl Bits {
    fn next(&mut self, bits: u32) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 20) & ((1 << bits) - 1)
    }
}

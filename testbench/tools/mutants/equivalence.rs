//! Proofs that a mutant is the same circuit as the design.
//!
//! First without the contents of the memories: what a memory receives becomes outputs, and its answer an input
//! that both circuits share. If these and all outputs agree in every cycle, the whole circuits agree. A mutant that
//! stores things elsewhere, and finds them there, is the same only with the contents, so these come next where they are
//! small enough.

use std::fmt::Write as _;

use faultline_hw::registry::Design;

use crate::netlist::{Mutant, Netlist};
use crate::report::Fate;
use crate::tool;

/// Bits of memory in a circuit that ABC can still compare.
const MOST_BITS: usize = 10_000;

/// Yosys's passes from words to gates; all registers start at zero, as in the simulation.
const TO_GATES: &str = "opt -full; memory_map; opt -full; techmap; opt; setundef -undriven -zero; \
    setundef -init -zero; dffunmap; zinit -all; abc -g AND -fast; opt_clean; write_aiger -symbols";

/// What is proved of a design, and with what.
pub struct Proofs<'a> {
    netlist: &'a Netlist,
    /// Yosys commands before those to gates: without the contents of the memories, and with them.
    without_memories: String,
    with_memories: Option<String>,
    /// Seconds for each attempt.
    limit: u32,
}

impl<'a> Proofs<'a> {
    /// Makes the circuits of the unmutated design.
    ///
    /// # Errors
    /// If the design cannot be exported, or Yosys fails.
    pub fn new(design: &Design, netlist: &'a Netlist, limit: u32) -> Result<Self, String> {
        let export = design.export().map_err(|error| error.to_string())?;
        let mut pins = String::new();
        let mut delete = String::new();
        let mut stored = 0;
        for memory in &export.memories {
            let (module, bits) = (&memory.module, memory.bits);
            let address = memory.words.next_power_of_two().trailing_zeros();
            pins += &pins_of(module, address, bits);
            let _ = write!(delete, "delete {module}; ");
            stored += memory.words * bits * memory.instances;
        }
        tool::write(&netlist.path().join("pins.v"), &pins)?;
        let flatten = format!(
            "hierarchy -check -top {}; setattr -mod -unset keep_hierarchy; flatten",
            design.name
        );
        let proofs = Self {
            netlist,
            without_memories: format!(
                "{delete} read_verilog pins.v; {flatten}; expose -evert t:pins_of_*"
            ),
            with_memories: (1..=MOST_BITS).contains(&stored).then_some(flatten),
            limit,
        };
        for (cut, file) in proofs.cuts() {
            proofs.circuit("", cut, &format!("design_{file}"))?;
        }
        Ok(proofs)
    }

    /// The kinds of circuits, and the files that they lie in.
    fn cuts(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let with = self.with_memories.as_deref().map(|cut| (cut, "with.aig"));
        std::iter::once((self.without_memories.as_str(), "without.aig")).chain(with)
    }

    fn circuit(&self, mutation: &str, cut: &str, file: &str) -> Result<(), String> {
        let script = format!("read_rtlil prepared.il; {mutation}; {cut}; {TO_GATES} {file}");
        tool::run(self.netlist.path(), "yosys", &["-q", "-p", &script]).map(drop)
    }

    /// Runs ABC, whose own limits of time are not kept by all of its engines.
    fn abc(&self, script: &str) -> Result<String, String> {
        let limit = (self.limit + 5).to_string();
        let command = "timeout \"$1\" yosys-abc -c \"$2\" || true";
        let arguments = ["-c", command, "sh", &limit, script];
        tool::run(self.netlist.path(), "sh", &arguments)
    }

    /// Proves that a mutant is equivalent, or looks for inputs that tell it from the design.
    ///
    /// # Errors
    /// If Yosys or ABC fails.
    pub fn prove(&self, mutant: &Mutant) -> Result<Fate, String> {
        let limit = self.limit;
        if limit == 0 {
            return Ok(Fate::Survived {
                differs_in_cycle: None,
            });
        }
        for (cut, file) in self.cuts() {
            self.circuit(&mutant.command(), cut, &format!("mutant_{file}"))?;
            let text = self.abc(&format!("dsec -T {limit} design_{file} mutant_{file}"))?;
            if text.contains("Networks are equivalent") {
                return Ok(Fate::Equivalent {
                    with_memories: file.starts_with("with."),
                });
            }
        }
        let miter = "miter design_without.aig mutant_without.aig";
        let text = self.abc(&format!("{miter}; scorr; pdr -T {limit}"))?;
        if text.contains("Property proved") {
            return Ok(Fate::Equivalent {
                with_memories: false,
            });
        }
        let text = self.abc(&format!("{miter}; bmc3 -T {limit}"))?;
        let after = text.split("was asserted in frame ").nth(1);
        let cycle = after.and_then(|rest| rest.split('.').next()?.trim().parse().ok());
        Ok(Fate::Survived {
            differs_in_cycle: cycle,
        })
    }
}

/// A memory without its contents: nothing is seen of a pin that does not matter in the cycle, nor of a bit that a mask
/// keeps from being written.
fn pins_of(module: &str, address_bits: u32, bits: usize) -> String {
    let (address, data) = (address_bits - 1, bits - 1);
    let (input, mask) = match module.ends_with("_masked") {
        true => (format!(" input wire [{data}:0] mask,"), "mask"),
        false => (String::new(), "~zeros"),
    };
    format!(
        "module {module} (
    input wire clock, enable, write, input wire [{address}:0] address, input wire [{data}:0] data,{input}
    output wire [{data}:0] q
);
    wire [{data}:0] zeros = 0;
    wire [{data}:0] written = enable && write ? {mask} : zeros;
    pins_of_{module} pins (
        .writing(enable && write), .reading(enable && !write), .place(enable ? address : {address_bits}'d0),
        .written(written), .word(data & written), .answer(q)
    );
endmodule
(* blackbox *)
module pins_of_{module} (
    input wire writing, reading, input wire [{address}:0] place, input wire [{data}:0] written, word,
    output wire [{data}:0] answer
);
endmodule
"
    )
}

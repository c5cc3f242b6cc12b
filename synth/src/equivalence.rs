//! Proves a mapped netlist to be its design.
//!
//! Yosys turns the RTL into gates a second time, by what each word of it means, with its sums narrowed and put together by the
//! passes of synthesis (`wreduce`, `alumacc`), which are trusted; and the netlist by what the library says of its cells. Both are
//! cut at their registers, and at the pins of their memories; ABC proves what lies between to be the same. So the proof holds for
//! every input in every cycle from equal states on. Which registers are the same is known by the names that their nets had in
//! synthesis; a wrong name is found out, for that they stay equal is proved. Where Yosys has numbered the states of a state
//! machine anew, its table of codes says which states are equal, and it is proved besides that the design comes to no other
//! states, and that reset brings both sides to equal ones; likewise that a register for which the netlist has a constant comes to
//! nothing else. A register or memory of the design that is nowhere in the netlist may show any value at any time. Where that is
//! too much, memories that are not there are taken to start with zeros and to be written by nothing before reset, and are proved
//! never to be written after it; a memory is a module with the pins of the `sram_*` that this project exports.

mod blif;
mod cut;
mod registers;
mod states;

use crate::error::Error;
use crate::library::Library;
use crate::tool::{self, ABC, YOSYS};
use crate::yosys::{Design, Memory, Netlist, address_bits};
use blif::Blif;
use cut::{Pair, Removed};
use serde::Serialize;
use states::Machine;
use std::path::Path;

/// What came of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The netlist is the design.
    Equivalent,
    /// It is not, as far as what the netlist does without may show anything: the output, next state or pin of a memory that
    /// differs.
    Different(String),
    /// Neither could be proved.
    Undecided,
    /// One has a port, memory or register that the other has not, so that nothing was compared: which.
    Unmatched(String),
}

/// A proof, and how much it was about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// The top module.
    pub design: String,
    /// Flip-flops of the RTL.
    pub registers: usize,
    /// Flip-flops of the netlist.
    pub netlist_registers: usize,
    /// Flip-flops of the RTL that are constants in the netlist.
    pub constant: usize,
    /// Flip-flops of the RTL that are nowhere in the netlist.
    pub removed: usize,
    /// State machines whose states have other codes in the netlist.
    pub machines: usize,
    /// Memories of the netlist.
    pub memories: usize,
    /// Memories of the RTL that are nowhere in the netlist.
    pub removed_memories: usize,
    /// These are proved never to be written, and show zeros; else they may show anything.
    pub unwritten: bool,
    /// Outputs, next states and pins of memories that were compared.
    pub compared: usize,
    /// What came of it.
    pub verdict: Verdict,
}

/// Proves a netlist of a design, or finds out where it differs.
///
/// # Errors
/// If Yosys or ABC is missing or fails.
pub fn prove(design: &Design, netlist: &Netlist, library: &Library) -> Result<Proof, Error> {
    let scratch = tool::scratch()?;
    let folder = scratch.path();
    let failed = |reason: String| YOSYS.failure(&design.top, &reason);
    tool::write(&folder.join("design.v"), &design.verilog)?;
    tool::write(&folder.join("netlist.v"), &netlist.verilog)?;
    tool::write(&folder.join("cells.lib"), library.for_mapping())?;
    let pins: String = design.memories.iter().map(pins).collect();
    tool::write(&folder.join("memories.v"), &pins)?;
    tool::write(&folder.join("plain.v"), &plain_registers())?;
    let machines = Machine::parse(&netlist.states).map_err(failed)?;
    let of_design = gates(folder, design, &rtl(design), "design.blif")?;
    let mut of_netlist = gates(folder, design, &mapped(design), "netlist.blif")?;
    of_netlist.add_aliases(&netlist.aliases, false);
    of_netlist.add_aliases(&netlist.complements, true);
    let latches = of_design.latches.iter();
    let names = latches.flat_map(|latch| of_design.names(&latch.state));
    let coded = machines
        .iter()
        .flat_map(|machine| machine.bits(machine.widths()[1]));
    let coded: Vec<String> = coded.collect();
    of_netlist.hold_as(&names.chain(coded.iter().map(String::as_str)).collect());
    let proof = Proof {
        design: design.top.clone(),
        registers: of_design.latches.len(),
        netlist_registers: of_netlist.latches.len(),
        constant: 0,
        removed: 0,
        machines: machines.len(),
        memories: of_netlist.boxes.len(),
        removed_memories: of_design.boxes.len().saturating_sub(of_netlist.boxes.len()),
        unwritten: false,
        compared: 0,
        verdict: Verdict::Undecided,
    };
    let try_with = |removed, mut proof: Proof| {
        proof.unwritten = removed == Removed::Zeros;
        let cut = match cut::cut(&of_design, &of_netlist, &machines, removed) {
            Ok(cut) => cut,
            Err(reason) => {
                proof.verdict = Verdict::Unmatched(reason);
                return Ok(proof);
            }
        };
        proof.constant = cut.constant;
        proof.removed = cut.removed;
        proof.compared = cut.step.compared.len();
        proof.verdict = compare(folder, design, &cut.step)?;
        if let (Verdict::Equivalent, Some(reset)) = (&proof.verdict, &cut.reset) {
            proof.verdict = compare(folder, design, reset)?;
        }
        Ok(proof)
    };
    let first = try_with(Removed::Anything, proof.clone())?;
    if first.verdict == Verdict::Equivalent || of_design.boxes.len() == of_netlist.boxes.len() {
        return Ok(first);
    }
    let second = try_with(Removed::Zeros, proof)?;
    Ok(match second.verdict {
        Verdict::Equivalent | Verdict::Undecided => second,
        _ => first,
    })
}

/// The RTL as gates and flip-flops, without any optimization but of constants. A table of constants stays logic, a module
/// with a memory is left out, also where nothing depends on it, and sums are narrowed and put together as in synthesis: that a
/// tree of adders is another one is more than a proof finds out.
fn rtl(design: &Design) -> String {
    format!(
        "read_verilog -noautowire design.v; hierarchy -check -top {}; proc -norom; blackbox */m:* %m; flatten; opt_expr; \
         opt_clean; wreduce t:$add t:$sub; alumacc",
        design.top
    )
}

/// The netlist as gates and flip-flops.
fn mapped(design: &Design) -> String {
    format!(
        "read_liberty -ignore_miss_func cells.lib; read_verilog -lib memories.v; read_verilog netlist.v; hierarchy -top {}; \
         flatten; opt_clean; techmap -map plain.v",
        design.top
    )
}

/// A map that turns a flip-flop whose asynchronous reset and set are constants, and never act, into one without: a library may
/// have no other.
fn plain_registers() -> String {
    let low_or_high = [("N", 1), ("P", 0)];
    let module = |cell: &str, pins: &[(&str, i32)]| {
        let ports: String = pins.iter().map(|(pin, _)| format!(", {pin}")).collect();
        let parameters: String = pins
            .iter()
            .map(|(pin, _)| {
                format!(
                    "  parameter _TECHMAP_CONSTMSK_{pin}_ = 0;\n  parameter _TECHMAP_CONSTVAL_{pin}_ = 0;\n"
                )
            })
            .collect();
        let rests: Vec<String> = pins
            .iter()
            .map(|(pin, level)| {
                format!("_TECHMAP_CONSTMSK_{pin}_ == 1 && _TECHMAP_CONSTVAL_{pin}_ == {level}")
            })
            .collect();
        format!(
            "(* techmap_celltype = \"{cell}\" *)
module \\{cell}_plain (input D, C{ports}, output Q);
{parameters}  wire _TECHMAP_FAIL_ = !({});
  \\$_DFF_P_ _TECHMAP_REPLACE_ (.D(D), .C(C), .Q(Q));
endmodule
",
            rests.join(" && ")
        )
    };
    let mut text = String::new();
    for (reset, rests) in low_or_high {
        for value in [0, 1] {
            text += &module(&format!("$_DFF_P{reset}{value}_"), &[("R", rests)]);
        }
        for (set, set_rests) in low_or_high {
            let pins = [("S", set_rests), ("R", rests)];
            text += &module(&format!("$_DFFSR_P{set}{reset}_"), &pins);
        }
    }
    text
}

fn gates(folder: &Path, design: &Design, read: &str, file: &str) -> Result<Blif, Error> {
    let script = format!(
        "{read}; techmap; dfflegalize -cell $_DFF_P_ x; simplemap; opt_clean; write_blif -cname {file}"
    );
    let output = YOSYS.run(folder, ["-q", "-p", &script])?;
    if !output.status.success() {
        return Err(YOSYS.failure(&design.top, &String::from_utf8_lossy(&output.stderr)));
    }
    let path = folder.join(file);
    let text =
        std::fs::read_to_string(&path).map_err(|source| Error::file(&path, "read", source))?;
    Blif::parse(&text).map_err(|reason| YOSYS.failure(&design.top, &reason))
}

/// A memory's ports.
fn pins(memory: &Memory) -> String {
    let Memory { module, bits, .. } = memory;
    let (address, data) = (address_bits(memory.words) - 1, bits - 1);
    let mask = match memory.masked {
        true => format!(" input [{data}:0] mask,"),
        false => String::new(),
    };
    format!(
        "module {module} (input clock, enable, write, input [{address}:0] address, input [{data}:0] data,{mask} \
         output [{data}:0] q);\nendmodule\n"
    )
}

/// Has ABC compare the two sides.
fn compare(folder: &Path, design: &Design, pair: &Pair) -> Result<Verdict, Error> {
    for (text, file) in pair.sides.iter().zip(["one.blif", "other.blif"]) {
        tool::write(&folder.join(file), text)?;
    }
    let script = "read_blif one.blif; strash; write_aiger one.aig; read_blif other.blif; strash; write_aiger other.aig; \
                  &cec -C 100000 one.aig other.aig";
    let output = ABC.run(folder, ["-c", script])?;
    let text = String::from_utf8_lossy(&output.stdout);
    verdict(&text, &pair.compared).map_err(|reason| ABC.failure(&design.top, &reason))
}

/// Reads what `&cec` printed.
fn verdict(text: &str, compared: &[String]) -> Result<Verdict, String> {
    if text.contains("Networks are equivalent") {
        return Ok(Verdict::Equivalent);
    }
    if text.contains("NOT EQUIVALENT") {
        // It tells the output where it looked for a difference, and where one is plain to see.
        let place = ["zero-based number ", "NOT EQUIVALENT. Output "]
            .iter()
            .find_map(|before| text.split(before).nth(1))
            .and_then(|rest| rest.split([')', ' ']).next()?.parse::<usize>().ok());
        let name = place.and_then(|place| compared.get(place));
        let name = name.map_or("an output", String::as_str);
        return Ok(Verdict::Different(name.to_owned()));
    }
    match text.contains("UNDECIDED") {
        true => Ok(Verdict::Undecided),
        false => Err(format!("no verdict: {}", text.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read() {
        let compared = ["a".to_owned(), "b".to_owned()];
        let read = |text| verdict(text, &compared);
        let equal = "Networks are equivalent.  Time =     0.01 sec\n";
        assert_eq!(read(equal), Ok(Verdict::Equivalent));
        let different = "Disproved at least one output of the miter (zero-based number 1).\nNetworks are NOT EQUIVALENT.  Time\n";
        let plain = "Networks are NOT EQUIVALENT. Output 1 trivially differs (different phase).  Time =     0.00 sec\n";
        for text in [different, plain] {
            assert_eq!(read(text), Ok(Verdict::Different("b".to_owned())));
        }
        assert_eq!(
            read("Networks are UNDECIDED.  Time\n"),
            Ok(Verdict::Undecided)
        );
        assert!(read("** cmd error: unknown command '&cec'").is_err());
    }
}

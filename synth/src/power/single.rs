//! Single cells whose energy is worked out by hand: they show which is right where two calculators differ.

use super::calculate::Calculator;
use super::cells::Cells;
use super::circuit::Circuit;
use super::opensta;
use super::saif::saif;
use super::simulator::Simulator;
use crate::error::Error;
use crate::library::Library;
use crate::yosys::Netlist;
use std::collections::BTreeMap;

/// A clock of a nanosecond: a microwatt is a femtojoule in each cycle.
const CLOCK_MHZ: f64 = 1000.0;

/// A cell, what its inputs do, and what it takes itself.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    /// What it shows.
    pub name: &'static str,
    /// Its energy by hand, in words.
    pub by_hand: &'static str,
    /// Its energy by hand, fJ.
    pub femtojoules: f64,
    /// The pins of the cell `CELL` in Liberty, but a flip-flop's output and the pin `D`.
    liberty: &'static str,
    /// Its input pins with their values in each cycle; the first is counted from on, and the clock of a flip-flop is `C`.
    inputs: &'static [(&'static str, [u8; 8])],
}

/// A flip-flop that holds 0 for five cycles and 1 for three.
const HOLDS: &[(&str, [u8; 8])] = &[("D", [0, 0, 0, 0, 1, 1, 1, 1])];

/// The cells.
pub const SINGLES: [Single; 4] = [
    Single {
        name: "a clock whose condition has data and state, which mostly are the same",
        by_hand: "10 fJ at an edge with D = Q: at 7 of 8 rises, and at the falls, of which one is half before D turns",
        femtojoules: 70.0 + 75.0,
        liberty: "ff (IQ, IQN) { next_state : \"D\"; clocked_on : \"C\"; }
          pin (Q) { direction : output; function : \"IQ\"; }
          pin (C) { direction : input; clock : true; capacitance : 1;
            internal_power () { when : \"D & Q\"; power (scalar) { values (\"10\"); } }
            internal_power () { when : \"!D & !Q\"; power (scalar) { values (\"10\"); } } }",
        inputs: HOLDS,
    },
    Single {
        name: "a clock whose condition has an output and its complement",
        by_hand: "10 fJ at each of 16 edges, for Q and QN always differ",
        femtojoules: 160.0,
        liberty: "ff (IQ, IQN) { next_state : \"D\"; clocked_on : \"C\"; }
          pin (Q) { direction : output; function : \"IQ\"; } pin (QN) { direction : output; function : \"IQN\"; }
          pin (C) { direction : input; clock : true; capacitance : 1;
            internal_power () { when : \"Q & !QN\"; power (scalar) { values (\"10\"); } }
            internal_power () { when : \"!Q & QN\"; power (scalar) { values (\"10\"); } } }",
        inputs: HOLDS,
    },
    Single {
        name: "a clock with a table for all states that no condition covers",
        by_hand: "4 fJ at the edges with D = 1, four rises and four falls but half of one, and 6 fJ at the others",
        femtojoules: 4.0 * 7.5 + 6.0 * 8.5,
        liberty: "ff (IQ, IQN) { next_state : \"D\"; clocked_on : \"C\"; }
          pin (Q) { direction : output; function : \"IQ\"; }
          pin (C) { direction : input; clock : true; capacitance : 1;
            internal_power () { when : \"D\"; power (scalar) { values (\"4\"); } }
            internal_power () { power (scalar) { values (\"6\"); } } }",
        inputs: HOLDS,
    },
    Single {
        name: "a gate whose output has a table for each state of the other inputs",
        by_hand: "4 fJ at each of 7 edges, all with A = 1 and B = 0",
        femtojoules: 28.0,
        liberty: "pin (A) { direction : input; capacitance : 1; } pin (B) { direction : input; capacitance : 1; }
          pin (Y) { direction : output; function : \"!((A & B) | D)\";
            internal_power () { related_pin : \"D\"; when : \"A & !B\"; power (scalar) { values (\"4\"); } }
            internal_power () { related_pin : \"D\"; when : \"!A & B\"; power (scalar) { values (\"8\"); } }
            internal_power () { related_pin : \"D\"; when : \"!A & !B\"; power (scalar) { values (\"24\"); } } }",
        inputs: &[
            ("A", [1; 8]),
            ("B", [0; 8]),
            ("D", [0, 1, 0, 1, 0, 1, 0, 1]),
        ],
    },
];

/// A cell that has run.
struct Ran {
    library: Library,
    netlist: Netlist,
    saif: String,
    /// fJ.
    energy: f64,
}

impl Single {
    /// Its energy by Faultline, fJ.
    ///
    /// # Errors
    /// If Yosys is missing or fails.
    pub fn ours(&self) -> Result<f64, Error> {
        Ok(self.run()?.energy)
    }

    /// Its energy by OpenSTA, fJ.
    ///
    /// # Errors
    /// If Yosys or OpenSTA is missing or fails.
    pub fn by_opensta(&self) -> Result<f64, Error> {
        let ran = self.run()?;
        let groups = opensta::power(&ran.netlist, &ran.library, &[], &ran.saif, CLOCK_MHZ)?;
        Ok(groups.total.internal_mw * 1e3 * self.cycles())
    }

    fn cycles(&self) -> f64 {
        self.inputs.first().map_or(0, |(_, values)| values.len()) as f64
    }

    fn library(&self) -> Result<Library, Error> {
        let text = format!(
            "library (single) {{ time_unit : \"1ns\"; voltage_unit : \"1V\"; current_unit : \"1mA\";
             leakage_power_unit : \"1nW\"; capacitive_load_unit (1, ff); nom_voltage : 1.0;
             cell (BUFX4) {{ area : 1; pin (A) {{ direction : input; capacitance : 1; }}
               pin (Y) {{ direction : output; function : \"A\"; timing () {{ related_pin : \"A\"; timing_sense : positive_unate;
                 cell_rise (scalar) {{ values (\"0.1\"); }} cell_fall (scalar) {{ values (\"0.1\"); }}
                 rise_transition (scalar) {{ values (\"0.1\"); }} fall_transition (scalar) {{ values (\"0.1\"); }} }} }} }}
             cell (CELL) {{ area : 1; pin (D) {{ direction : input; capacitance : 1; }} {} }} }}",
            self.liberty
        );
        Library::parse("a single cell", &text)
    }

    fn netlist(&self) -> Netlist {
        let names: Vec<&str> = self.inputs.iter().map(|(name, _)| *name).collect();
        let outputs = ["Q", "QN", "Y"].into_iter();
        let outputs: Vec<&str> = outputs
            .filter(|name| self.liberty.contains(&format!("pin ({name})")))
            .collect();
        let clock = match self.liberty.contains("pin (C)") {
            true => ".C(clock), ",
            false => "",
        };
        let pins: Vec<String> = names
            .iter()
            .chain(&outputs)
            .map(|name| format!(".{name}({name})"))
            .collect();
        let (inputs, outputs) = (names.join(", "), outputs.join(", "));
        Netlist {
            top: "top".to_owned(),
            verilog: format!(
                "module top (clock, {inputs}, {outputs}); input clock, {inputs}; output {outputs};
                 CELL cell ({clock}{}); endmodule",
                pins.join(", ")
            ),
            cells: BTreeMap::from([("CELL".to_owned(), 1)]),
            area_um2: 1.0,
            ..Netlist::default()
        }
    }

    fn run(&self) -> Result<Ran, Error> {
        let library = self.library()?;
        let cells = Cells::read(&library)?;
        let netlist = self.netlist();
        let circuit = Circuit::read(&netlist, &cells, &[])?;
        let mut simulator = Simulator::new(&circuit);
        for cycle in 0..self.cycles() as usize {
            for port in &circuit.inputs {
                let mut inputs = self.inputs.iter();
                if let Some((_, values)) = inputs.find(|(name, _)| *name == port.name) {
                    simulator.set(port, &[values[cycle].into()]);
                }
            }
            if cycle == 0 {
                // What the first cycle begins with turns nothing.
                simulator.settle();
                simulator.restart();
            }
            simulator.clock();
        }
        let activity = simulator.activity(&circuit);
        let calculator = Calculator::new(&circuit, &cells, &library)?;
        let estimate = calculator.estimate(&activity, CLOCK_MHZ, &[]);
        Ok(Ran {
            saif: saif(&circuit, &activity, CLOCK_MHZ),
            energy: estimate.total().internal_mw * 1e3 * self.cycles(),
            library,
            netlist,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::YOSYS;

    #[test]
    fn single_cells_take_what_was_worked_out_by_hand() {
        if YOSYS.version().is_none() {
            println!("skipped: yosys is not installed");
            return;
        }
        for single in SINGLES {
            let found = single.ours().unwrap();
            let off = (found - single.femtojoules).abs();
            assert!(off < 1e-9, "{}: {found}", single.name);
        }
    }
}

//! A mapped netlist as a graph of instances and nets.

use super::build;
use super::cells::{Cell, Cells};
use super::json;
use crate::error::Error;
use crate::yosys::{Memory, Netlist};

/// A net, by number.
pub type NetId = u32;
/// The net that is always 0.
pub const LOW: NetId = 0;
/// The net that is always 1.
pub const HIGH: NetId = 1;

/// The clock's port.
pub const CLOCK: &str = "clock";

/// A netlist of cells of a library and of memories, with one clock, the port `clock`.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// The top module.
    pub top: String,
    /// Nets; the first two are the constants.
    pub nets: Vec<Net>,
    /// Instances of cells, combinational ones first, each after those that drive it.
    pub gates: Vec<Gate>,
    /// How many of them are combinational.
    pub combinational: usize,
    /// Instances of memories.
    pub macros: Vec<Macro>,
    /// Input ports but the clock.
    pub inputs: Vec<Port>,
    /// Output ports.
    pub outputs: Vec<Port>,
    /// The clock.
    pub clock: NetId,
    /// The cells that it uses.
    pub cells: Vec<Cell>,
    /// The memories that it uses.
    pub memories: Vec<Memory>,
}

/// A net.
#[derive(Clone, Debug, Default)]
pub struct Net {
    /// Its name, with an index if it is a bit of several.
    pub name: String,
    /// What drives it.
    pub driver: Driver,
    /// Input pins of cells on it: gate and pin.
    pub pins: Vec<(u32, u8)>,
    /// Input pins of memories on it.
    pub macro_pins: usize,
    /// Output ports on it.
    pub ports: usize,
}

/// What drives a net.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Driver {
    /// Nothing: a constant.
    #[default]
    None,
    /// An input port.
    Port,
    /// A cell: gate and output.
    Gate(u32, u8),
    /// A memory.
    Macro(u32),
}

/// An instance of a cell.
#[derive(Clone, Debug)]
pub struct Gate {
    /// Its name.
    pub name: String,
    /// Its cell, in [`Circuit::cells`].
    pub cell: usize,
    /// The nets of its inputs, in the cell's order.
    pub inputs: Vec<NetId>,
    /// The nets of its outputs, in the cell's order, if they are connected.
    pub outputs: Vec<Option<NetId>>,
}

/// An instance of a memory.
#[derive(Clone, Debug)]
pub struct Macro {
    /// Its name.
    pub name: String,
    /// Its kind, in [`Circuit::memories`].
    pub memory: usize,
    /// Whether an access takes place.
    pub enable: NetId,
    /// Whether it is a write.
    pub write: NetId,
    /// The word.
    pub address: Vec<NetId>,
    /// What is written.
    pub data: Vec<NetId>,
    /// The mask of the bits that are written; empty if all are.
    pub mask: Vec<NetId>,
    /// What was read.
    pub q: Vec<NetId>,
}

/// A port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Its nets, lowest bit first.
    pub nets: Vec<NetId>,
}

impl Circuit {
    /// Reads a netlist of structural Verilog; Yosys parses it.
    ///
    /// # Errors
    /// If Yosys is missing or fails, or there is something in the netlist that cannot be simulated.
    pub fn read(netlist: &Netlist, cells: &Cells, memories: &[Memory]) -> Result<Self, Error> {
        let module = json::read(netlist)?;
        build::circuit(&netlist.top, &module, cells, memories)
            .and_then(|circuit| check(&circuit).map(|()| circuit))
            .map_err(|reason| Error::Power {
                design: netlist.top.clone(),
                reason,
            })
    }

    /// The cell of a gate.
    pub fn cell(&self, gate: &Gate) -> &Cell {
        &self.cells[gate.cell]
    }

    /// The kind of a memory.
    pub fn memory(&self, of: &Macro) -> &Memory {
        &self.memories[of.memory]
    }
}

/// What the simulation takes for granted.
fn check(circuit: &Circuit) -> Result<(), String> {
    for gate in &circuit.gates {
        let cell = circuit.cell(gate);
        for (pin, net) in gate.inputs.iter().enumerate() {
            let is_clock = cell.register.is_some_and(|register| register.clock == pin);
            if is_clock != (*net == circuit.clock) {
                return Err(format!(
                    "pin {} of {} {}",
                    cell.inputs[pin].name,
                    gate.name,
                    match is_clock {
                        true => "has another clock than the port `clock`",
                        false => "takes the clock for data",
                    }
                ));
            }
        }
    }
    let reads = |net: &&Net| !net.pins.is_empty() || net.macro_pins > 0 || net.ports > 0;
    let floating = circuit.nets[HIGH as usize + 1..]
        .iter()
        .filter(reads)
        .find(|net| net.driver == Driver::None);
    match floating {
        Some(net) => Err(format!("nothing drives the net {}", net.name)),
        None => Ok(()),
    }
}

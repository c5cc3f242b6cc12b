//! Energy and power from activity.

use super::cells::{Arc, Cell, Cells, States};
use super::circuit::{Circuit, Gate, Macro, NetId};
use super::counts::{EDGE, Layout};
use super::electric::Electric;
use super::lookup::{FALL, Lookup, RISE};
use super::modules::Modules;
use super::simulator::{Activity, NetActivity};
use crate::error::Error;
use crate::library::Library;
use crate::sram::{self, CLOCK_FF};
use serde::Serialize;
use std::ops::{Add, AddAssign};

/// Leakage, internal and switching power, mW.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Power {
    /// What flows without any activity.
    pub leakage_mw: f64,
    /// What cells and memories take themselves when they switch.
    pub internal_mw: f64,
    /// What charges and discharges the nets that they drive.
    pub switching_mw: f64,
}

impl Power {
    /// All of it.
    pub const fn total_mw(&self) -> f64 {
        self.leakage_mw + self.internal_mw + self.switching_mw
    }
}

impl Add for Power {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            leakage_mw: self.leakage_mw + other.leakage_mw,
            internal_mw: self.internal_mw + other.internal_mw,
            switching_mw: self.switching_mw + other.switching_mw,
        }
    }
}

impl AddAssign for Power {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Power {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Add::add)
    }
}

/// What an instance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A flip-flop, without its clock pin.
    Sequential,
    /// A gate.
    Combinational,
    /// Clock pins: their capacitance, and what flip-flops take when the clock turns.
    Clock,
    /// A memory, without its clock pin.
    Memory,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [
        Self::Sequential,
        Self::Combinational,
        Self::Clock,
        Self::Memory,
    ];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Combinational => "combinational",
            Self::Clock => "clock",
            Self::Memory => "memory",
        }
    }
}

/// The power of an instance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InstancePower {
    /// Its name in the netlist.
    pub name: String,
    /// The module of the RTL that it is counted to, as [`Modules`] says; empty for the top.
    pub module: String,
    /// Its cell or memory.
    pub cell: String,
    /// What it is.
    pub kind: Kind,
    /// The power of the instance without its clock pin.
    pub own: Power,
    /// The power of its clock pin.
    pub clock: Power,
}

/// The power of a netlist under some activity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The top module.
    pub top: String,
    /// Cycles of the activity.
    pub cycles: u64,
    /// Clock, MHz.
    pub clock_mhz: f64,
    /// Gates and flip-flops, then memories.
    #[serde(skip)]
    pub instances: Vec<InstancePower>,
    /// Reads of all memories.
    pub reads: u64,
    /// Writes of all memories.
    pub writes: u64,
}

/// Calculates power.
#[derive(Clone, Debug)]
pub struct Calculator<'a> {
    circuit: &'a Circuit,
    electric: Electric,
    voltage: f64,
    modules: Modules,
}

impl<'a> Calculator<'a> {
    /// A calculator for a netlist.
    ///
    /// # Errors
    /// If the library's driving cell cannot be used.
    pub fn new(circuit: &'a Circuit, cells: &Cells, library: &Library) -> Result<Self, Error> {
        Ok(Self {
            circuit,
            electric: Electric::new(circuit, cells, library)?,
            voltage: cells.voltage,
            modules: Modules::new(circuit),
        })
    }

    /// Loads and transition times.
    pub const fn electric(&self) -> &Electric {
        &self.electric
    }

    /// The power of an activity at a clock; `figures` are those of the circuit's memories, in their order.
    pub fn estimate(
        &self,
        activity: &Activity,
        clock_mhz: f64,
        figures: &[sram::Macro],
    ) -> Estimate {
        let seconds = activity.cycles as f64 / (clock_mhz * 1e6);
        let gates = self.circuit.gates.iter().enumerate();
        let gates = gates.map(|(number, gate)| self.gate(number, gate, activity, seconds));
        let macros = self.circuit.macros.iter().enumerate();
        let macros = macros
            .map(|(number, of)| self.memory(number, of, activity, seconds, figures.get(of.memory)));
        let sum = |kind: usize| {
            activity
                .accesses
                .iter()
                .map(|accesses| accesses[kind])
                .sum()
        };
        Estimate {
            top: self.circuit.top.clone(),
            cycles: activity.cycles,
            clock_mhz,
            instances: gates.chain(macros).collect(),
            reads: sum(0),
            writes: sum(1),
        }
    }

    fn gate(&self, number: usize, gate: &Gate, activity: &Activity, seconds: f64) -> InstancePower {
        let cell = self.circuit.cell(gate);
        let states = Counted::new(self.circuit, gate, cell, &activity.gates[number]);
        let clock_pin = cell.register.map(|register| register.clock);
        let mut own = Power {
            leakage_mw: states.leakage() * 1e3,
            ..Power::default()
        };
        let mut clock = Power::default();
        for (pin, (input, net)) in cell.inputs.iter().zip(&gate.inputs).enumerate() {
            let slew = self.electric.input_slew(self.circuit, *net);
            let energy = [FALL, RISE].map(|edge| {
                let rows = states.input_edges(pin, edge);
                states.energy(rows, &input.energy[edge], slew[edge], 0.0)
            });
            let internal_mw = milliwatts(energy.iter().sum(), seconds);
            if clock_pin == Some(pin) {
                let activity = &activity.nets[*net as usize];
                clock.internal_mw += internal_mw;
                clock.switching_mw += self.charging(input.capacitance, activity, seconds);
            } else {
                own.internal_mw += internal_mw;
            }
        }
        for (place, (output, net)) in cell.outputs.iter().zip(&gate.outputs).enumerate() {
            let Some(net) = net else { continue };
            let arcs = output.arcs.iter();
            let energy = arcs.map(|arc| self.arc_energy(gate, &states, place, arc, *net));
            own.internal_mw += milliwatts(energy.sum(), seconds);
            own.switching_mw += self.switching(*net, activity, seconds);
        }
        InstancePower {
            name: gate.name.clone(),
            module: self.modules.of_gate(number).to_owned(),
            cell: cell.name.clone(),
            kind: match clock_pin {
                Some(_) => Kind::Sequential,
                None => Kind::Combinational,
            },
            own,
            clock,
        }
    }

    /// The energy of an output's edges that an input turned.
    fn arc_energy(
        &self,
        gate: &Gate,
        states: &Counted<'_>,
        output: usize,
        arc: &Arc,
        net: NetId,
    ) -> f64 {
        let load = self.electric.load[net as usize];
        let slew = self
            .electric
            .input_slew(self.circuit, gate.inputs[arc.input]);
        let of_edge = |edge: usize| {
            // Which edge of the input it was follows from the sense of the arc; where both may be, the mean.
            let causes = [FALL, RISE].map(|cause| !arc.slew[cause][edge].is_empty());
            let slew = match causes {
                [true, false] => slew[FALL],
                [false, true] => slew[RISE],
                _ => (slew[FALL] + slew[RISE]) / 2.0,
            };
            let rows = states.output_edges(output, arc.input, edge);
            states.energy(rows, &arc.energy[edge], slew, load)
        };
        of_edge(FALL) + of_edge(RISE)
    }

    fn memory(
        &self,
        number: usize,
        of: &Macro,
        activity: &Activity,
        seconds: f64,
        figures: Option<&sram::Macro>,
    ) -> InstancePower {
        let [reads, writes] = activity.accesses[number];
        let mut own = Power::default();
        if let Some(figures) = figures {
            let picojoules = reads as f64 * figures.read_pj + writes as f64 * figures.write_pj;
            own.leakage_mw = figures.leakage_mw + figures.gate_leakage_mw;
            own.internal_mw = milliwatts(picojoules * 1e-12, seconds);
        }
        let q =
            of.q.iter()
                .map(|net| self.switching(*net, activity, seconds));
        own.switching_mw = q.sum();
        let turns = &activity.nets[self.circuit.clock as usize];
        InstancePower {
            name: of.name.clone(),
            module: self.modules.of_macro(number).to_owned(),
            cell: self.circuit.memory(of).module.clone(),
            kind: Kind::Memory,
            own,
            clock: Power {
                switching_mw: self.charging(CLOCK_FF * 1e-15, turns, seconds),
                ..Power::default()
            },
        }
    }

    fn switching(&self, net: NetId, activity: &Activity, seconds: f64) -> f64 {
        let load = self.electric.load[net as usize];
        self.charging(load, &activity.nets[net as usize], seconds)
    }

    /// Half of C V² for each change.
    fn charging(&self, capacitance: f64, activity: &NetActivity, seconds: f64) -> f64 {
        let energy = 0.5 * capacitance * self.voltage * self.voltage;
        milliwatts(energy * activity.toggles() as f64, seconds)
    }
}

/// What was counted of a gate.
struct Counted<'a> {
    cell: &'a Cell,
    layout: Layout,
    counts: &'a [u64],
}

impl<'a> Counted<'a> {
    fn new(circuit: &Circuit, gate: &Gate, cell: &'a Cell, counts: &'a [u64]) -> Self {
        Self {
            cell,
            layout: Layout::of(circuit, gate),
            counts,
        }
    }

    /// How many edges of an input there were in each row.
    fn input_edges(&self, input: usize, edge: usize) -> impl Iterator<Item = f64> {
        let clock = self
            .cell
            .register
            .is_some_and(|register| register.clock == input);
        (0..self.layout.rows()).map(move |row| {
            let ended = self.counts[self.layout.ended(row)] as f64;
            match (clock, edge) {
                // The clock rises when all else is settled. It falls in the middle of a cycle, before the inputs turn as often
                // as after them.
                (true, RISE) => ended,
                (true, _) => (ended + self.counts[self.layout.began(row)] as f64) / 2.0,
                (false, _) => self.edges(self.layout.input(input, edge, row)),
            }
        })
    }

    /// How many edges of an output an input turned in each row.
    fn output_edges(&self, output: usize, input: usize, edge: usize) -> impl Iterator<Item = f64> {
        (0..self.layout.rows())
            .map(move |row| self.edges(self.layout.output(output, input, edge, row)))
    }

    fn edges(&self, place: usize) -> f64 {
        self.counts[place] as f64 / EDGE as f64
    }

    /// The energy of edges, J.
    fn energy(
        &self,
        rows: impl Iterator<Item = f64>,
        tables: &States<Lookup>,
        slew: f64,
        load: f64,
    ) -> f64 {
        if tables.is_empty() {
            return 0.0;
        }
        let rows = rows.enumerate().filter(|(_, edges)| *edges > 0.0);
        rows.map(|(row, edges)| edges * self.at(row, tables, |table| table.at(slew, load)))
            .sum()
    }

    /// The mean leakage, W; without a cycle, that of the mean state.
    fn leakage(&self) -> f64 {
        let rows = 0..self.layout.rows();
        let cycles = |row: usize| self.counts[self.layout.ended(row)] as f64;
        let all: f64 = rows.clone().map(cycles).sum();
        let weight = |row: usize| match all > 0.0 {
            true => cycles(row) / all,
            false => 1.0 / self.layout.rows() as f64,
        };
        let weighed = rows
            .map(|row| (row, weight(row)))
            .filter(|(_, weight)| *weight > 0.0);
        weighed
            .map(|(row, weight)| weight * self.at(row, &self.cell.leakage, |watts| *watts))
            .sum()
    }

    /// A figure in a row; of a flip-flop, the mean over both levels of its clock, which no row knows.
    fn at<T>(&self, row: usize, states: &States<T>, value: impl Fn(&T) -> f64 + Copy) -> f64 {
        match self.cell.register {
            None => states.at(row, value),
            Some(register) => {
                let high = 1 << register.clock;
                (states.at(row & !high, value) + states.at(row | high, value)) / 2.0
            }
        }
    }
}

/// The power of an energy that is spent in a time; none in no time.
fn milliwatts(joules: f64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        joules / seconds * 1e3
    } else {
        0.0
    }
}

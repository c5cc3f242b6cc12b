//! Energy and power from activity.

use super::cells::{Arc, Cells, Input};
use super::circuit::{Circuit, Gate, Macro, NetId};
use super::electric::{CLOCK_SLEW, Electric};
use super::lookup::{FALL, RISE, mean};
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
    /// Of itself.
    pub own: Power,
    /// Of its clock pin.
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
        let clock_pin = cell.register.map(|register| register.clock);
        let mut own = Power {
            leakage_mw: cell.leakage * 1e3,
            ..Power::default()
        };
        let mut clock = Power::default();
        for (pin, (input, net)) in cell.inputs.iter().zip(&gate.inputs).enumerate() {
            let net_activity = &activity.nets[*net as usize];
            if clock_pin == Some(pin) {
                let energy = input_energy(input, net_activity, [CLOCK_SLEW; 2]);
                clock.internal_mw += milliwatts(energy, seconds);
                clock.switching_mw += self.charging(input.capacitance, net_activity, seconds);
            } else {
                let slew = self.electric.slew[*net as usize];
                let energy = input_energy(input, net_activity, slew);
                own.internal_mw += milliwatts(energy, seconds);
            }
        }
        for (place, (output, net)) in cell.outputs.iter().zip(&gate.outputs).enumerate() {
            let Some(net) = net else { continue };
            let shares = activity
                .shares
                .get(number)
                .and_then(|outputs| outputs.get(place));
            let shares = shares.map_or(&[][..], Vec::as_slice);
            let energy = self.output_energy(gate, &output.arcs, *net, activity, shares);
            own.internal_mw += milliwatts(energy, seconds);
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

    /// The energy of an output's edges. They are divided among the inputs by how often each changed with one; those of a
    /// flip-flop are its clock's.
    fn output_energy(
        &self,
        gate: &Gate,
        arcs: &[Arc],
        net: NetId,
        activity: &Activity,
        shares: &[[u64; 2]],
    ) -> f64 {
        let load = self.electric.load[net as usize];
        let edges = activity.nets[net as usize].edges;
        let of_edge = |edge: usize| {
            let weights = arcs.iter().map(|arc| match shares {
                [] => 1,
                shares => shares[arc.input][edge],
            });
            let weights: Vec<u64> = weights.collect();
            let sum: u64 = weights.iter().sum();
            if sum == 0 || edges[edge] == 0 {
                return 0.0;
            }
            let energies = arcs.iter().zip(weights).map(|(arc, weight)| {
                let slew = self
                    .electric
                    .input_slew(self.circuit, gate.inputs[arc.input]);
                // Which edge of the input it was follows from the sense of the arc; where both may be, the mean.
                let causes = [FALL, RISE].map(|cause| !arc.slew[cause][edge].is_empty());
                let slew = match causes {
                    [true, false] => slew[FALL],
                    [false, true] => slew[RISE],
                    _ => (slew[FALL] + slew[RISE]) / 2.0,
                };
                weight as f64 * mean(&arc.energy[edge], slew, load)
            });
            energies.sum::<f64>() / sum as f64 * edges[edge] as f64
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

fn input_energy(input: &Input, activity: &NetActivity, slew: [f64; 2]) -> f64 {
    let of_edge =
        |edge: usize| activity.edges[edge] as f64 * mean(&input.energy[edge], slew[edge], 0.0);
    of_edge(FALL) + of_edge(RISE)
}

/// The power of an energy that is spent in a time; none in no time.
fn milliwatts(joules: f64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        joules / seconds * 1e3
    } else {
        0.0
    }
}

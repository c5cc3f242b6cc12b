//! What a net charges, and how fast it turns.

use super::cells::Cells;
use super::circuit::{Circuit, Net, NetId};
use super::lookup::{FALL, Lookup, RISE, largest};
use crate::error::Error;
use crate::library::Library;
use crate::sram::{CLOCK_FF, INPUT_FF};
use crate::yosys::OUTPUT_LOAD_FF;

const FEMTO: f64 = 1e-15;

/// Loads of a memory's output (F) and its transition times at them (s): those of the macros' Liberty view.
const MACRO_LOADS: [f64; 2] = [5e-15, 500e-15];
/// See [`MACRO_LOADS`].
const MACRO_SLEWS: [f64; 2] = [9e-12, 227e-12];

/// The transition time of the clock, s: it is ideal, as for timing.
const CLOCK_SLEW: f64 = 0.0;

/// Capacitances and transition times of a netlist.
#[derive(Clone, Debug)]
pub struct Electric {
    /// By net: what its driver drives, F. Pins, outputs and the wire.
    pub load: Vec<f64>,
    /// By net and edge: how long a transition takes, s, at worst over the inputs that cause it.
    pub slew: Vec<[f64; 2]>,
}

impl Electric {
    /// Loads and transition times of a netlist whose inputs are driven by the library's driving cell.
    ///
    /// # Errors
    /// If that cell cannot be used.
    pub fn new(circuit: &Circuit, cells: &Cells, library: &Library) -> Result<Self, Error> {
        let nets = (0..).zip(&circuit.nets);
        let load: Vec<f64> = nets
            .map(|(id, net)| load(circuit, cells, id, net))
            .collect();
        let mut electric = Self {
            slew: vec![[0.0; 2]; load.len()],
            load,
        };
        electric.drive_ports(circuit, cells, library)?;
        let q = Lookup::of_load(&MACRO_LOADS, &MACRO_SLEWS);
        for net in circuit.macros.iter().flat_map(|of| &of.q) {
            electric.slew[*net as usize] = [q.at(0.0, electric.load[*net as usize]); 2];
        }
        // Registers first: they are where the paths begin.
        let (gates, registers) = (
            0..circuit.combinational,
            circuit.combinational..circuit.gates.len(),
        );
        for gate in registers.chain(gates) {
            electric.drive_gate(circuit, gate);
        }
        Ok(electric)
    }

    fn drive_ports(
        &mut self,
        circuit: &Circuit,
        cells: &Cells,
        library: &Library,
    ) -> Result<(), Error> {
        let name = library.driving_cell();
        let arc = cells
            .find(name)
            .and_then(|cell| cell.outputs.first()?.arcs.first());
        let arc = arc.ok_or_else(|| Error::Liberty {
            path: library.name().to_owned(),
            reason: format!("its cell {name} has no timing"),
        })?;
        for net in circuit.inputs.iter().flat_map(|port| &port.nets) {
            let load = self.load[*net as usize];
            self.slew[*net as usize] = arc_slew(&arc.slew, [0.0; 2], load);
        }
        Ok(())
    }

    fn drive_gate(&mut self, circuit: &Circuit, gate: usize) {
        let gate = &circuit.gates[gate];
        for (output, net) in circuit.cell(gate).outputs.iter().zip(&gate.outputs) {
            let Some(net) = net else { continue };
            let load = self.load[*net as usize];
            let mut worst = [0.0_f64; 2];
            for arc in &output.arcs {
                let input = self.input_slew(circuit, gate.inputs[arc.input]);
                let slew = arc_slew(&arc.slew, input, load);
                worst = [FALL, RISE].map(|edge| worst[edge].max(slew[edge]));
            }
            self.slew[*net as usize] = worst;
        }
    }

    /// The transition times of a net, by edge.
    pub fn input_slew(&self, circuit: &Circuit, net: NetId) -> [f64; 2] {
        match net == circuit.clock {
            true => [CLOCK_SLEW; 2],
            false => self.slew[net as usize],
        }
    }
}

/// The transition times of an output, the longest where an edge of either kind may cause it.
fn arc_slew(tables: &[[Vec<Lookup>; 2]; 2], input: [f64; 2], load: f64) -> [f64; 2] {
    [FALL, RISE].map(|output| {
        let causes = [FALL, RISE].map(|edge| largest(&tables[edge][output], input[edge], load));
        causes[FALL].max(causes[RISE])
    })
}

/// What the driver of a net drives. The clock is ideal: the capacitance of its pins, without wires and buffers.
fn load(circuit: &Circuit, cells: &Cells, id: NetId, net: &Net) -> f64 {
    let pins = net.pins.iter().map(|(gate, pin)| {
        let cell = circuit.cell(&circuit.gates[*gate as usize]);
        cell.inputs[usize::from(*pin)].capacitance
    });
    let pins: f64 = pins.sum();
    if id == circuit.clock {
        return pins + circuit.macros.len() as f64 * CLOCK_FF * FEMTO;
    }
    let macros = net.macro_pins as f64 * INPUT_FF * FEMTO;
    let ports = net.ports as f64 * OUTPUT_LOAD_FF * FEMTO;
    let sinks = net.pins.len() + net.macro_pins + net.ports;
    pins + macros + ports + cells.wires.capacitance(sinks)
}

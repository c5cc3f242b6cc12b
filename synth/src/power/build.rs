//! Puts the graph of a netlist together.

use super::cells::{Cell, Cells};
use super::circuit::{CLOCK, Circuit, Driver, Gate, HIGH, LOW, Macro, Net, NetId, Port};
use super::json;
use crate::yosys::{Memory, address_bits};
use std::collections::BTreeMap;

/// The graph of a module.
///
/// # Errors
/// If there is something in it that is no cell or memory, has two drivers, or is in a loop.
pub fn circuit(
    top: &str,
    module: &json::Module,
    cells: &Cells,
    memories: &[Memory],
) -> Result<Circuit, String> {
    Builder::new(cells, memories).build(top, module)
}

struct Builder<'a> {
    library: &'a Cells,
    nets: Vec<Net>,
    /// Yosys's number of a bit to ours.
    numbers: BTreeMap<u64, NetId>,
    cells: Vec<Cell>,
    memories: &'a [Memory],
}

impl<'a> Builder<'a> {
    fn new(library: &'a Cells, memories: &'a [Memory]) -> Self {
        let constant = |name: &str| Net {
            name: name.to_owned(),
            ..Net::default()
        };
        Self {
            library,
            nets: vec![constant("0"), constant("1")],
            numbers: BTreeMap::new(),
            cells: Vec::new(),
            memories,
        }
    }

    fn build(mut self, top: &str, module: &json::Module) -> Result<Circuit, String> {
        for (name, nets) in module.names() {
            let many = nets.len() > 1;
            for (index, bit) in nets.iter().enumerate() {
                let net = self.net(bit);
                let name = match many {
                    true => format!("{name}[{index}]"),
                    false => name.to_owned(),
                };
                let known = &mut self.nets[net as usize].name;
                if net > HIGH && (known.is_empty() || rank(&name) < rank(known)) {
                    *known = name;
                }
            }
        }
        let ports = |direction: &str| module.ports(direction).map_err(|error| error.to_string());
        let (mut inputs, outputs) = (self.ports(ports("input")?), self.ports(ports("output")?));
        for net in inputs.iter().flat_map(|port| &port.nets) {
            self.nets[*net as usize].driver = Driver::Port;
        }
        for net in outputs.iter().flat_map(|port| &port.nets) {
            self.nets[*net as usize].ports += 1;
        }
        let clock = inputs
            .iter()
            .position(|port| port.name == CLOCK && port.nets.len() == 1)
            .ok_or("it has no input port `clock` of one bit")?;
        let clock = inputs.remove(clock).nets[0];
        let (mut gates, mut macros) = (Vec::new(), Vec::new());
        for (name, cell) in &module.cells {
            match self
                .memories
                .iter()
                .position(|memory| memory.module == cell.kind)
            {
                Some(memory) => macros.push(self.memory(name, memory, cell, clock)?),
                None => gates.push(self.gate(name, cell)?),
            }
        }
        let (gates, combinational) = self.sort(gates)?;
        self.connect(&gates, &macros)?;
        Ok(Circuit {
            top: top.to_owned(),
            nets: self.nets,
            gates,
            combinational,
            macros,
            inputs,
            outputs,
            clock,
            cells: self.cells,
            memories: self.memories.to_vec(),
        })
    }

    fn ports(&mut self, ports: Vec<(String, Vec<json::Bit>)>) -> Vec<Port> {
        let port = |(name, bits): (String, Vec<json::Bit>)| Port {
            name,
            nets: bits.iter().map(|bit| self.net(bit)).collect(),
        };
        ports.into_iter().map(port).collect()
    }

    /// The net of a bit. What is unknown may be anything: it is 0.
    fn net(&mut self, bit: &json::Bit) -> NetId {
        match bit {
            json::Bit::Constant(constant) if constant == "1" => HIGH,
            json::Bit::Constant(_) => LOW,
            json::Bit::Net(number) => {
                let nets = &mut self.nets;
                *self.numbers.entry(*number).or_insert_with(|| {
                    nets.push(Net::default());
                    (nets.len() - 1) as NetId
                })
            }
        }
    }

    fn gate(&mut self, name: &str, of: &json::Cell) -> Result<Gate, String> {
        let cell = match self.cells.iter().position(|cell| cell.name == of.kind) {
            Some(cell) => cell,
            None => {
                let cell = self.library.find(&of.kind);
                let cell = cell.ok_or_else(|| format!("the library has no cell {}", of.kind))?;
                if let Some(refusal) = &cell.refusal {
                    return Err(format!(
                        "the cell {} cannot be simulated: {refusal}",
                        of.kind
                    ));
                }
                self.cells.push(cell.clone());
                self.cells.len() - 1
            }
        };
        let pin = |pin: &str| of.connections.get(pin).and_then(|bits| bits.first());
        let (inputs, outputs): (Vec<_>, Vec<_>) = {
            let cell = &self.cells[cell];
            let inputs = cell.inputs.iter().map(|input| pin(&input.name).cloned());
            let outputs = cell.outputs.iter().map(|output| pin(&output.name).cloned());
            (inputs.collect(), outputs.collect())
        };
        Ok(Gate {
            name: name.to_owned(),
            cell,
            inputs: inputs
                .iter()
                .map(|bit| bit.as_ref().map_or(LOW, |bit| self.net(bit)))
                .collect(),
            outputs: outputs
                .iter()
                .map(|bit| bit.as_ref().map(|bit| self.net(bit)))
                .collect(),
        })
    }

    fn memory(
        &mut self,
        name: &str,
        memory: usize,
        of: &json::Cell,
        clock: NetId,
    ) -> Result<Macro, String> {
        let kind = self.memories[memory].clone();
        let mut bus = |pin: &str, bits: usize| {
            let nets: Vec<NetId> = of.connections.get(pin).map_or_else(Vec::new, |bits| {
                bits.iter().map(|bit| self.net(bit)).collect()
            });
            if nets.len() == bits {
                return Ok(nets);
            }
            Err(format!(
                "pin {pin} of the memory {name} has {} bits instead of {bits}",
                nets.len()
            ))
        };
        if bus(CLOCK, 1)? != [clock] {
            return Err(format!(
                "the memory {name} has another clock than the port `clock`"
            ));
        }
        Ok(Macro {
            name: name.to_owned(),
            memory,
            enable: bus("enable", 1)?[0],
            write: bus("write", 1)?[0],
            address: bus("address", address_bits(kind.words))?,
            data: bus("data", kind.bits)?,
            mask: bus("mask", if kind.masked { kind.bits } else { 0 })?,
            q: bus("q", kind.bits)?,
        })
    }

    /// Combinational gates in topological order, then the others.
    fn sort(&self, gates: Vec<Gate>) -> Result<(Vec<Gate>, usize), String> {
        let (registers, gates): (Vec<Gate>, Vec<Gate>) = gates
            .into_iter()
            .partition(|gate| self.cells[gate.cell].register.is_some());
        let mut driver = vec![None; self.nets.len()];
        for (number, gate) in gates.iter().enumerate() {
            for net in gate.outputs.iter().flatten() {
                driver[*net as usize] = Some(number);
            }
        }
        let mut waits = vec![0_usize; gates.len()];
        let mut drives = vec![Vec::new(); gates.len()];
        for (number, gate) in gates.iter().enumerate() {
            for from in gate.inputs.iter().filter_map(|net| driver[*net as usize]) {
                waits[number] += 1;
                drives[from].push(number);
            }
        }
        let mut order: Vec<usize> = (0..gates.len()).filter(|gate| waits[*gate] == 0).collect();
        let mut next = 0;
        while let Some(&gate) = order.get(next) {
            next += 1;
            for &to in &drives[gate] {
                waits[to] -= 1;
                if waits[to] == 0 {
                    order.push(to);
                }
            }
        }
        if order.len() < gates.len() {
            let looped = (0..gates.len())
                .find(|gate| waits[*gate] > 0)
                .unwrap_or_default();
            return Err(format!("{} is in a combinational loop", gates[looped].name));
        }
        let mut gates: Vec<Option<Gate>> = gates.into_iter().map(Some).collect();
        let mut sorted: Vec<Gate> = order
            .iter()
            .filter_map(|gate| gates[*gate].take())
            .collect();
        let combinational = sorted.len();
        sorted.extend(registers);
        Ok((sorted, combinational))
    }

    /// Tells the nets of what is on them.
    fn connect(&mut self, gates: &[Gate], macros: &[Macro]) -> Result<(), String> {
        let drive = |nets: &mut Vec<Net>, net: NetId, driver: Driver| {
            let net = &mut nets[net as usize];
            if net.driver != Driver::None {
                return Err(format!("the net {} has two drivers", net.name));
            }
            net.driver = driver;
            Ok(())
        };
        for (number, gate) in gates.iter().enumerate() {
            for (output, net) in gate.outputs.iter().enumerate() {
                if let Some(net) = net {
                    drive(
                        &mut self.nets,
                        *net,
                        Driver::Gate(number as u32, output as u8),
                    )?;
                }
            }
            for (pin, net) in gate.inputs.iter().enumerate() {
                self.nets[*net as usize]
                    .pins
                    .push((number as u32, pin as u8));
            }
        }
        for (number, of) in macros.iter().enumerate() {
            for net in &of.q {
                drive(&mut self.nets, *net, Driver::Macro(number as u32))?;
            }
            let control = [&of.enable, &of.write];
            let buses = of.address.iter().chain(&of.data).chain(&of.mask);
            for net in control.into_iter().chain(buses) {
                self.nets[*net as usize].macro_pins += 1;
            }
        }
        Ok(())
    }
}

/// Which of the names of a net is its name: one of the design's before one that Yosys made, and of these the one of the
/// innermost module.
fn rank(name: &str) -> (bool, std::cmp::Reverse<usize>, &str) {
    let depth = name.matches('.').count();
    (is_made(name), std::cmp::Reverse(depth), name)
}

/// Whether Yosys made a name: `_123_`.
pub fn is_made(name: &str) -> bool {
    let number = name
        .strip_prefix('_')
        .and_then(|name| name.strip_suffix('_'));
    number.is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_design_come_before_names_that_were_made() {
        let mut names = ["_12_", "ready", "queue.entry.valid", "queue.valid"];
        names.sort_by(|one, other| rank(one).cmp(&rank(other)));
        assert_eq!(names, ["queue.entry.valid", "queue.valid", "ready", "_12_"]);
        assert!(!is_made("_x_") && !is_made("a_1_"));
    }
}

//! Cuts a design and its netlist at their registers and memories.
//!
//! What is left is logic from inputs, states and what memories show, to outputs, next states and what memories are told. If it
//! is the same on both sides, so is all that they ever show, from equal states on.

use std::collections::{BTreeMap, HashMap};

use super::blif::{Blif, Latch};
use super::states::Machine;

/// Two sides of logic that have to be the same: of the design, and of its netlist.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Both in BLIF, with as many inputs and outputs in the same order.
    pub sides: [String; 2],
    /// What the outputs are.
    pub compared: Vec<String>,
}

/// A design and its netlist, cut.
#[derive(Clone, Debug)]
pub struct Cut {
    /// A step from equal states; those of state machines are states that they have.
    pub step: Pair,
    /// The next states of state machines under reset, whatever they were before; none without state machines.
    pub reset: Option<Pair>,
    /// Flip-flops of the design that the netlist has done without: they may be anything in each cycle.
    pub removed: usize,
}

/// Cuts both.
///
/// # Errors
/// If one has a port, memory or register that the other has not: the reason.
pub fn cut(design: &Blif, netlist: &Blif, machines: &[Machine]) -> Result<Cut, String> {
    let mut cut = Sides::new(design, netlist);
    cut.ports()?;
    cut.memories()?;
    let removed = cut.registers(machines)?;
    let mut step = cut.clone();
    for (number, machine) in machines.iter().enumerate() {
        step.equal_states(number, machine)?;
        step.next_state(number, machine)?;
    }
    let reset = if machines.is_empty() {
        None
    } else {
        cut.only_reset();
        for (number, machine) in machines.iter().enumerate() {
            cut.any_states(machine)?;
            cut.next_state(number, machine)?;
        }
        Some(cut.pair())
    };
    Ok(Cut {
        step: step.pair(),
        reset,
        removed,
    })
}

/// What lies on one side of the cut, as far as it is known; a net without a name is none.
#[derive(Clone, Debug)]
struct Sides {
    blifs: [Blif; 2],
    inputs: [Vec<String>; 2],
    outputs: [Vec<String>; 2],
    compared: Vec<String>,
}

const DESIGN: usize = 0;
const NETLIST: usize = 1;

impl Sides {
    fn new(design: &Blif, netlist: &Blif) -> Self {
        Self {
            blifs: [design.clone(), netlist.clone()],
            inputs: Default::default(),
            outputs: Default::default(),
            compared: Vec::new(),
        }
    }

    fn pair(mut self) -> Pair {
        let [inputs, outputs] = [self.inputs, self.outputs];
        Pair {
            sides: [DESIGN, NETLIST]
                .map(|side| self.blifs[side].between(&inputs[side], &outputs[side])),
            compared: self.compared,
        }
    }

    fn input(&mut self, nets: [&str; 2]) {
        for (inputs, net) in self.inputs.iter_mut().zip(nets) {
            inputs.push(net.to_owned());
        }
    }

    fn output(&mut self, name: String, nets: [&str; 2]) {
        self.compared.push(name);
        for (outputs, net) in self.outputs.iter_mut().zip(nets) {
            outputs.push(net.to_owned());
        }
    }

    fn ports(&mut self) -> Result<(), String> {
        let [design, netlist] = self.blifs.clone();
        for port in design.inputs.iter().filter(|port| *port != "clock") {
            // The netlist may lack an input that nothing depends on.
            let there = netlist.inputs.contains(port);
            self.input([port, if there { port } else { "" }]);
        }
        for (ports, others, of) in [
            (&netlist.inputs, &design.inputs, "the netlist"),
            (&netlist.outputs, &design.outputs, "the netlist"),
            (&design.outputs, &netlist.outputs, "the design"),
        ] {
            if let Some(port) = ports.iter().find(|port| !others.contains(port)) {
                return Err(format!("the port {port} is one of {of} alone"));
            }
        }
        for port in &design.outputs {
            self.output(port.clone(), [port, port]);
        }
        Ok(())
    }

    fn memories(&mut self) -> Result<(), String> {
        let [design, netlist] = [DESIGN, NETLIST].map(|side| self.blifs[side].boxes.clone());
        if design.len() != netlist.len() {
            let (one, other) = (design.len(), netlist.len());
            return Err(format!(
                "the design has {one} memories, and the netlist {other}"
            ));
        }
        for (one, other) in design.iter().zip(&netlist) {
            if (&one.module, &one.name) != (&other.module, &other.name) {
                return Err(format!("the memory {} is not in the netlist", one.name));
            }
            let known: BTreeMap<&str, &str> = other
                .pins
                .iter()
                .map(|(pin, net)| (pin.as_str(), net.as_str()))
                .collect();
            for (pin, net) in one.pins.iter().filter(|(pin, _)| pin != "clock") {
                let there = known.get(pin.as_str()).copied();
                let is_answer = pin == "q" || pin.starts_with("q[");
                match (is_answer, there) {
                    (true, there) => self.input([net, there.unwrap_or_default()]),
                    (false, Some(there)) => {
                        self.output(format!("{}.{pin}", one.name), [net, there])
                    }
                    (false, None) => {
                        return Err(format!("the memory {} lacks its pin {pin}", one.name));
                    }
                }
            }
        }
        Ok(())
    }

    /// Registers that are the same on both sides; returns how many of the design there are without one of the netlist.
    fn registers(&mut self, machines: &[Machine]) -> Result<usize, String> {
        let [design, netlist] = self.blifs.clone();
        let mut known: HashMap<&str, &Latch> = HashMap::new();
        for latch in &design.latches {
            known.extend(
                design
                    .names(&latch.state)
                    .into_iter()
                    .map(|name| (name, latch)),
            );
        }
        let coded = |side: usize, names: &[&str]| {
            machines.iter().any(|machine| {
                let bits = machine.bits(machine.widths()[side]);
                bits.iter().any(|bit| names.contains(&bit.as_str()))
            })
        };
        let mut partners: HashMap<&str, Vec<&Latch>> = HashMap::new();
        for latch in &netlist.latches {
            let names = netlist.names(&latch.state);
            if coded(NETLIST, &names) {
                continue;
            }
            let partner = names.iter().find_map(|name| known.get(name));
            let Some(partner) = partner else {
                let name = names.last().copied().unwrap_or_default();
                return Err(format!(
                    "no register of the design is {name} of the netlist"
                ));
            };
            partners.entry(&partner.state).or_default().push(latch);
        }
        let mut removed = 0;
        for latch in &design.latches {
            if coded(DESIGN, &design.names(&latch.state)) {
                continue;
            }
            match partners.get(latch.state.as_str()).map(Vec::as_slice) {
                Some([partner, others @ ..]) => {
                    self.input([&latch.state, &partner.state]);
                    let next = |netlist: &Latch| [latch.next.clone(), netlist.next.clone()];
                    for partner in std::iter::once(partner).chain(others) {
                        let [one, other] = next(partner);
                        self.output(format!("the next {}", latch.state), [&one, &other]);
                    }
                    for other in others {
                        let copy = format!(".names {} {}\n1 1\n", partner.state, other.state);
                        self.blifs[NETLIST].logic += &copy;
                    }
                }
                _ => {
                    self.input([&latch.state, ""]);
                    removed += 1;
                }
            }
        }
        Ok(removed)
    }

    /// The flip-flops that hold the state of a machine on a side; those of the netlist only where it has them.
    fn state(&self, side: usize, machine: &Machine) -> Result<Vec<Option<Latch>>, String> {
        let blif = &self.blifs[side];
        let latch = |bit: &String| {
            let mut latches = blif.latches.iter();
            latches.find(|latch| blif.names(&latch.state).contains(&bit.as_str()))
        };
        let bits = machine.bits(machine.widths()[side]);
        let found: Vec<_> = bits.iter().map(|bit| latch(bit).cloned()).collect();
        match side == DESIGN && found.iter().any(Option::is_none) {
            true => Err(format!("the design has no state {}", machine.name)),
            false => Ok(found),
        }
    }

    /// Both sides are in the same state.
    fn equal_states(&mut self, number: usize, machine: &Machine) -> Result<(), String> {
        let [width, _] = machine.widths();
        let free: Vec<String> = (0..width)
            .map(|bit| format!("machine{number}_from{bit}"))
            .collect();
        for net in &free {
            self.input([net, net]);
        }
        for (bit, latch) in self.state(DESIGN, machine)?.into_iter().enumerate() {
            if let Some(latch) = latch {
                let table = machine.legal(&free, &latch.state, |(old, _)| old[bit]);
                self.blifs[DESIGN].logic += &table;
            }
        }
        for (bit, latch) in self.state(NETLIST, machine)?.into_iter().enumerate() {
            if let Some(latch) = latch {
                let table = machine.legal(&free, &latch.state, |(_, new)| new[bit]);
                self.blifs[NETLIST].logic += &table;
            }
        }
        Ok(())
    }

    /// Each side may be in any state, and in one that is none.
    fn any_states(&mut self, machine: &Machine) -> Result<(), String> {
        for latch in self.state(DESIGN, machine)?.into_iter().flatten() {
            self.input([&latch.state, ""]);
        }
        for latch in self.state(NETLIST, machine)?.into_iter().flatten() {
            self.input(["", &latch.state]);
        }
        Ok(())
    }

    /// Both sides come to the same state, and it is one.
    fn next_state(&mut self, number: usize, machine: &Machine) -> Result<(), String> {
        let latches = self.state(DESIGN, machine)?;
        let nets: Vec<String> = latches
            .into_iter()
            .flatten()
            .map(|latch| latch.next)
            .collect();
        let legal = format!("machine{number}_is_a_state");
        self.blifs[DESIGN].logic += &machine.is_a_state(&nets, &legal);
        self.blifs[NETLIST].logic += &format!(".names {legal}\n1\n");
        self.output(
            format!("whether the next {} is a state", machine.name),
            [&legal, &legal],
        );
        for (bit, latch) in self.state(NETLIST, machine)?.into_iter().enumerate() {
            let Some(latch) = latch else { continue };
            let next = format!("machine{number}_to{bit}");
            self.blifs[DESIGN].logic += &machine.new_bit(&nets, bit, &next);
            self.output(
                format!("the next {}[{bit}]", machine.name),
                [&next, &latch.next],
            );
        }
        Ok(())
    }

    /// Nothing is compared any more, and reset is on.
    fn only_reset(&mut self) {
        self.compared.clear();
        self.outputs = Default::default();
        for side in [DESIGN, NETLIST] {
            let reset = self.inputs[side].iter_mut().find(|net| *net == "reset");
            if let Some(reset) = reset {
                reset.clear();
                self.blifs[side].logic += ".names reset\n1\n";
            }
        }
    }
}

//! Cuts a design and its netlist at their registers and memories.
//!
//! What is left is logic from inputs, states and what memories show, to outputs, next states and what memories are told. If it
//! is the same on both sides, so is all that they ever show, from equal states on.

use super::blif::{Blif, Memory, copy, is_answer};
use super::registers::{Coded, Registers, Same};
use super::states::Machine;
use std::collections::BTreeMap;

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
    /// The next states of state machines and constants under reset, whatever they were before; none without these.
    pub reset: Option<Pair>,
    /// Flip-flops of the design that are constants in the netlist.
    pub constant: usize,
    /// Flip-flops of the design that are nowhere in the netlist: they may be anything in each cycle.
    pub removed: usize,
}

/// What a memory shows that is nowhere in the netlist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    /// Anything, in each cycle: nothing depends on it.
    Anything,
    /// Zeros, as it is taken to do at the start: that nothing is ever written is proved besides.
    Zeros,
}

/// Cuts both.
///
/// # Errors
/// If one has a port, memory or register that the other has not: the reason.
pub fn cut(
    design: &Blif,
    netlist: &Blif,
    machines: &[Machine],
    removed: Removed,
) -> Result<Cut, String> {
    let mut cut = Sides::new(design, netlist);
    cut.ports()?;
    cut.memories(removed)?;
    let registers = Registers::new(design, netlist, machines)?;
    cut.same_registers(&registers);
    let coded = || machines.iter().zip(&registers.coded).enumerate();
    cut.undriven(design, netlist)?;
    let mut step = cut.clone();
    step.constants(&registers);
    step.next_constants(&registers);
    for (number, (machine, latches)) in coded() {
        step.equal_states(number, machine, latches);
        step.next_state(number, machine, latches);
    }
    let reset = if machines.is_empty() && registers.constant.is_empty() {
        None
    } else {
        cut.only_reset();
        for (latch, _) in &registers.constant {
            cut.input([&latch.state, ""]);
        }
        cut.next_constants(&registers);
        for (number, (machine, latches)) in coded() {
            cut.any_states(latches);
            cut.next_state(number, machine, latches);
        }
        Some(cut.pair())
    };
    Ok(Cut {
        step: step.pair(),
        reset,
        constant: registers.constant.len(),
        removed: registers.removed.len(),
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
        for port in &design.inputs {
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

    fn memories(&mut self, removed: Removed) -> Result<(), String> {
        let [design, netlist] = [DESIGN, NETLIST].map(|side| self.blifs[side].boxes.clone());
        let key = |memory: &Memory| (memory.module.clone(), memory.name.clone());
        let mut others: BTreeMap<_, _> = netlist.iter().map(|other| (key(other), other)).collect();
        for one in &design {
            match others.remove(&key(one)) {
                Some(other) => self.same_memory(one, other)?,
                None => self.removed_memory(one, removed)?,
            }
        }
        match others.keys().next() {
            Some((_, name)) => Err(format!("the memory {name} is one of the netlist alone")),
            None => Ok(()),
        }
    }

    /// Both show the same, and have to be told the same.
    fn same_memory(&mut self, one: &Memory, other: &Memory) -> Result<(), String> {
        for (pin, net) in &one.pins {
            match (is_answer(pin), other.net(pin)) {
                (true, there) => self.input([net, there.unwrap_or_default()]),
                (false, Some(there)) => self.output(format!("{}.{pin}", one.name), [net, there]),
                (false, None) => {
                    return Err(format!("the memory {} lacks its pin {pin}", one.name));
                }
            }
        }
        Ok(())
    }

    fn removed_memory(&mut self, memory: &Memory, removed: Removed) -> Result<(), String> {
        let told = ["clock", "enable", "write", "address", "data", "mask", "q"];
        let known = |pin: &str| pin.split('[').next().is_some_and(|pin| told.contains(&pin));
        if let Some((pin, _)) = memory.pins.iter().find(|(pin, _)| !known(pin)) {
            let name = &memory.name;
            return Err(format!(
                "{name} is no memory that is known: it has a pin {pin}"
            ));
        }
        let answers = memory.pins.iter().filter(|(pin, _)| is_answer(pin));
        let nets = answers.map(|(_, net)| net.as_str());
        match (removed, memory.net("enable"), memory.net("write")) {
            (Removed::Zeros, Some(enable), Some(write)) => {
                for net in nets {
                    self.blifs[DESIGN].logic += &format!(".names {net}\n");
                }
                let written = format!("memory{}_is_written", self.compared.len());
                self.blifs[DESIGN].logic += &format!(".names {enable} {write} {written}\n11 1\n");
                self.blifs[NETLIST].logic += &format!(".names {written}\n");
                let name = format!("whether {} is written", memory.name);
                self.output(name, [&written, &written]);
            }
            _ => nets.for_each(|net| self.input([net, ""])),
        }
        Ok(())
    }

    /// What nothing drives in the design may be anything; in the netlist it is refused, as ABC would take it for 0.
    fn undriven(&mut self, design: &Blif, netlist: &Blif) -> Result<(), String> {
        if let Some(net) = netlist.undriven().first() {
            return Err(format!("nothing drives the net {net} of the netlist"));
        }
        for net in design.undriven() {
            self.input([&net, ""]);
        }
        Ok(())
    }

    /// Registers that are the same show the same, and have to take over the same.
    fn same_registers(&mut self, registers: &Registers) {
        for Same { design, netlist } in &registers.same {
            let ([one, ones @ ..], [other, others @ ..]) = (&design[..], &netlist[..]) else {
                continue;
            };
            self.input([&one.state, &other.state]);
            for (side, first, rest) in [(DESIGN, one, ones), (NETLIST, other, others)] {
                for latch in rest {
                    self.blifs[side].logic += &copy(&first.state, &latch.state);
                }
            }
            let pairs = design.iter().map(|latch| (latch, other));
            for (one, other) in pairs.chain(others.iter().map(|latch| (one, latch))) {
                self.output(format!("the next {}", one.state), [&one.next, &other.next]);
            }
        }
        for latch in &registers.removed {
            self.input([&latch.state, ""]);
        }
    }

    /// Registers of the design show the constants that the netlist has for them.
    fn constants(&mut self, registers: &Registers) {
        for (latch, net) in &registers.constant {
            self.blifs[DESIGN].logic += &copy(net, &latch.state);
        }
    }

    /// They take over nothing else.
    fn next_constants(&mut self, registers: &Registers) {
        for (latch, net) in &registers.constant {
            self.output(format!("the next {}", latch.state), [&latch.next, net]);
        }
    }

    /// Both sides are in the same state.
    fn equal_states(&mut self, number: usize, machine: &Machine, coded: &Coded) {
        let Coded { design, netlist } = coded;
        let free: Vec<String> = (0..design.len())
            .map(|bit| format!("machine{number}_from{bit}"))
            .collect();
        for net in &free {
            self.input([net, net]);
        }
        for (bit, latch) in design.iter().enumerate() {
            let table = machine.legal(&free, &latch.state, |(old, _)| old[bit]);
            self.blifs[DESIGN].logic += &table;
        }
        for (bit, latch) in netlist {
            let table = machine.legal(&free, &latch.state, |(_, new)| new[*bit]);
            self.blifs[NETLIST].logic += &table;
        }
    }

    /// Each side may be in any state, and in one that is none.
    fn any_states(&mut self, Coded { design, netlist }: &Coded) {
        for latch in design {
            self.input([&latch.state, ""]);
        }
        for (_, latch) in netlist {
            self.input(["", &latch.state]);
        }
    }

    /// Both sides come to the same state, and it is one.
    fn next_state(&mut self, number: usize, machine: &Machine, coded: &Coded) {
        let Coded { design, netlist } = coded;
        let nets: Vec<String> = design.iter().map(|latch| latch.next.clone()).collect();
        let legal = format!("machine{number}_is_a_state");
        self.blifs[DESIGN].logic += &machine.is_a_state(&nets, &legal);
        self.blifs[NETLIST].logic += &format!(".names {legal}\n1\n");
        let name = &machine.name;
        self.output(
            format!("whether the next {name} is a state"),
            [&legal, &legal],
        );
        for (bit, latch) in netlist {
            let next = format!("machine{number}_to{bit}");
            self.blifs[DESIGN].logic += &machine.new_bit(&nets, *bit, &next);
            self.output(format!("the next {name}[{bit}]"), [&next, &latch.next]);
        }
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

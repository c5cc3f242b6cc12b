//! Simulates a netlist without delays, and counts.
//!
//! Gates are kept in topological order. A net that changes marks the gates on it in a set of bits, and the set is worked
//! through from its low end: each gate is looked at once in a cycle at most, after all that drives it, and only if one of
//! its inputs has changed. So a glitch, which is a race between delays, does not occur and is not counted.

use super::cells::Shows;
use super::circuit::{Circuit, HIGH, LOW, NetId, Port};
use super::store::Store;

/// A netlist in the middle of a run. Registers and memories start with zeros.
#[derive(Clone, Debug)]
pub struct Simulator {
    nets: Vec<NetState>,
    /// For each net the place in `sinks` of the first pin on it.
    first_sink: Vec<u32>,
    /// Gate or register, and in the lowest three bits its pin.
    sinks: Vec<u32>,
    /// The inputs of each gate and register, a bit each; of a register, the state is the bit after them.
    index: Vec<u8>,
    outputs: Vec<Output>,
    /// For each gate the place in `outputs` of the first of its outputs.
    first_output: Vec<u32>,
    registers: Vec<Register>,
    /// Registers that are cleared or preset at any time.
    asynchronous: Vec<u32>,
    combinational: usize,
    /// Gates and registers whose inputs have changed.
    dirty: Vec<u64>,
    stores: Vec<Store>,
    /// For each output of a gate and each of its inputs: how often the input changed when the output fell, and when it
    /// rose.
    shares: Vec<[u64; 2]>,
    now: u64,
    since: u64,
    scratch: Vec<NetId>,
}

#[derive(Clone, Copy, Debug, Default)]
struct NetState {
    toggles: u64,
    ones: u64,
    /// The cycle of the last change.
    last: u64,
    value: bool,
    initial: bool,
}

#[derive(Clone, Copy, Debug)]
struct Output {
    table: u64,
    net: NetId,
    /// The place of its inputs in `shares`.
    share: u32,
    seen: u8,
}

#[derive(Clone, Debug)]
struct Register {
    next: u128,
    clear: u128,
    preset: u128,
    both: bool,
    feeds_back: bool,
    /// The bit of the state in the index.
    state: u8,
    show: Vec<NetId>,
}

/// What a net did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetActivity {
    /// Changes from 1 to 0, and from 0 to 1.
    pub edges: [u64; 2],
    /// Cycles in which it was 1.
    pub ones: u64,
}

impl NetActivity {
    /// Changes.
    pub const fn toggles(&self) -> u64 {
        self.edges[0] + self.edges[1]
    }
}

/// What a netlist did.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    /// Cycles.
    pub cycles: u64,
    /// By net. The clock's edges are two in a cycle.
    pub nets: Vec<NetActivity>,
    /// For each gate, each of its outputs and each of its inputs: how often the input changed when the output fell, and
    /// when it rose.
    pub shares: Vec<Vec<Vec<[u64; 2]>>>,
    /// Reads and writes, by memory.
    pub accesses: Vec<[u64; 2]>,
}

impl Simulator {
    /// A netlist at its first cycle, all inputs 0.
    pub fn new(circuit: &Circuit) -> Self {
        let mut simulator = Self {
            nets: vec![NetState::default(); circuit.nets.len()],
            first_sink: Vec::with_capacity(circuit.nets.len() + 1),
            sinks: Vec::new(),
            index: vec![0; circuit.gates.len()],
            outputs: Vec::new(),
            first_output: Vec::with_capacity(circuit.combinational + 1),
            registers: Vec::new(),
            asynchronous: Vec::new(),
            combinational: circuit.combinational,
            dirty: vec![0; circuit.gates.len().div_ceil(64)],
            stores: circuit
                .macros
                .iter()
                .map(|of| Store::new(of, circuit.memory(of)))
                .collect(),
            shares: Vec::new(),
            now: 0,
            since: 0,
            scratch: Vec::new(),
        };
        for net in &circuit.nets {
            simulator.first_sink.push(simulator.sinks.len() as u32);
            let sinks = net
                .pins
                .iter()
                .map(|(gate, pin)| gate << 3 | u32::from(*pin));
            simulator.sinks.extend(sinks);
        }
        simulator.first_sink.push(simulator.sinks.len() as u32);
        for gate in &circuit.gates[..circuit.combinational] {
            simulator.first_output.push(simulator.outputs.len() as u32);
            for (output, net) in circuit.cell(gate).outputs.iter().zip(&gate.outputs) {
                if let (Shows::Function(table), Some(net)) = (output.shows, net) {
                    simulator.outputs.push(Output {
                        table,
                        net: *net,
                        share: simulator.shares.len() as u32,
                        seen: 0,
                    });
                    let inputs = simulator.shares.len() + gate.inputs.len();
                    simulator.shares.resize(inputs, [0; 2]);
                }
            }
        }
        simulator.first_output.push(simulator.outputs.len() as u32);
        simulator.add_registers(circuit);
        simulator.flip(HIGH);
        for gate in 0..circuit.gates.len() {
            simulator.dirty[gate / 64] |= 1 << (gate % 64);
        }
        simulator.settle();
        simulator.restart();
        simulator
    }

    fn add_registers(&mut self, circuit: &Circuit) {
        for gate in &circuit.gates[circuit.combinational..] {
            let cell = circuit.cell(gate);
            let number = self.registers.len() as u32;
            let Some(register) = cell.register else {
                continue;
            };
            let outputs = || cell.outputs.iter().zip(&gate.outputs);
            for (output, net) in outputs() {
                if let (Shows::Complement, Some(net)) = (output.shows, net) {
                    self.flip(*net);
                }
            }
            if register.clear != 0 || register.preset != 0 {
                self.asynchronous.push(number);
            }
            self.registers.push(Register {
                next: register.next,
                clear: register.clear,
                preset: register.preset,
                both: register.both,
                feeds_back: register.feeds_back,
                state: gate.inputs.len() as u8,
                show: outputs().filter_map(|(_, net)| *net).collect(),
            });
        }
    }

    /// Forgets what was counted.
    pub fn restart(&mut self) {
        self.since = self.now;
        for net in &mut self.nets {
            (net.toggles, net.ones, net.last, net.initial) = (0, 0, self.now, net.value);
        }
        self.shares.fill([0; 2]);
        for store in &mut self.stores {
            store.accesses = [0; 2];
        }
    }

    /// Sets a port from words of 64 bits, the lowest first.
    pub fn set(&mut self, port: &Port, words: &[u64]) {
        for (bits, word) in port.nets.chunks(64).zip(words) {
            for (bit, net) in bits.iter().enumerate() {
                if self.nets[*net as usize].value != (word >> bit & 1 == 1) {
                    self.flip(*net);
                }
            }
        }
    }

    /// Gets a port as words of 64 bits, after [`Simulator::settle`].
    pub fn get(&self, port: &Port, words: &mut [u64]) {
        for (bits, word) in port.nets.chunks(64).zip(words) {
            *word = 0;
            for (bit, net) in bits.iter().enumerate() {
                *word |= u64::from(self.nets[*net as usize].value) << bit;
            }
        }
    }

    /// Lets the inputs reach the outputs.
    pub fn settle(&mut self) {
        self.propagate();
        while self.set_and_clear() {
            self.propagate();
        }
    }

    /// The clock rises: a cycle ends.
    pub fn clock(&mut self) {
        self.settle();
        let mut flips = std::mem::take(&mut self.scratch);
        let mut changed = Vec::new();
        for register in self.take_dirty_registers() {
            let of = &self.registers[register];
            let index = self.index[self.combinational + register];
            let held = (of.clear | of.preset) >> index & 1 == 1;
            if !held && self.state(register) != (of.next >> index & 1 == 1) {
                changed.push(register);
            }
        }
        for store in &mut self.stores {
            let nets = &self.nets;
            store.access(|net| nets[net as usize].value, &mut flips);
        }
        self.now += 1;
        for register in changed {
            self.turn(register);
        }
        for net in flips.drain(..) {
            self.flip(net);
        }
        self.scratch = flips;
    }

    /// What was counted since the beginning, or since [`Simulator::restart`].
    pub fn activity(&self, circuit: &Circuit) -> Activity {
        let cycles = self.now - self.since;
        let mut nets: Vec<NetActivity> = self.nets.iter().map(|net| self.of_net(net)).collect();
        nets[LOW as usize] = NetActivity::default();
        if let Some(clock) = nets.get_mut(circuit.clock as usize) {
            clock.edges = [cycles; 2];
        }
        let mut outputs = self.outputs.iter();
        let shares = circuit.gates[..self.combinational].iter().map(|gate| {
            let of_output = |net: &Option<NetId>| match net.and_then(|_| outputs.next()) {
                Some(output) => {
                    let first = output.share as usize;
                    self.shares[first..first + gate.inputs.len()].to_vec()
                }
                None => Vec::new(),
            };
            gate.outputs.iter().map(of_output).collect()
        });
        Activity {
            cycles,
            nets,
            shares: shares.collect(),
            accesses: self.stores.iter().map(|store| store.accesses).collect(),
        }
    }

    fn of_net(&self, net: &NetState) -> NetActivity {
        // Edges alternate, so there are as many of each, but for one.
        let more = u64::from(net.value) + net.toggles - u64::from(net.initial);
        let rises = more / 2;
        NetActivity {
            edges: [net.toggles - rises, rises],
            ones: net.ones + if net.value { self.now - net.last } else { 0 },
        }
    }

    fn flip(&mut self, net: NetId) {
        let state = &mut self.nets[net as usize];
        if state.value {
            state.ones += self.now - state.last;
        }
        state.last = self.now;
        state.value = !state.value;
        state.toggles += 1;
        let sinks = self.first_sink[net as usize]..self.first_sink[net as usize + 1];
        for sink in sinks {
            let sink = self.sinks[sink as usize];
            let (gate, pin) = ((sink >> 3) as usize, sink & 7);
            self.index[gate] ^= 1 << pin;
            self.dirty[gate / 64] |= 1 << (gate % 64);
        }
    }

    fn propagate(&mut self) {
        let words = self.combinational.div_ceil(64);
        for word in 0..words {
            // The last word may have registers in it, which wait for the clock.
            let gates = self.combinational - word * 64;
            let mask = if gates < 64 {
                (1 << gates) - 1
            } else {
                u64::MAX
            };
            loop {
                let marked = self.dirty[word] & mask;
                if marked == 0 {
                    break;
                }
                let bit = marked.trailing_zeros() as usize;
                self.dirty[word] &= !(1 << bit);
                self.evaluate(word * 64 + bit);
            }
        }
    }

    fn evaluate(&mut self, gate: usize) {
        let index = self.index[gate];
        for output in self.first_output[gate]..self.first_output[gate + 1] {
            let output = &mut self.outputs[output as usize];
            let mut changed = output.seen ^ index;
            output.seen = index;
            let (net, share) = (output.net, output.share);
            let value = output.table >> index & 1 == 1;
            if self.nets[net as usize].value == value {
                continue;
            }
            while changed != 0 {
                let pin = changed.trailing_zeros();
                self.shares[(share + pin) as usize][usize::from(value)] += 1;
                changed &= changed - 1;
            }
            self.flip(net);
        }
    }

    fn state(&self, register: usize) -> bool {
        let bit = self.registers[register].state;
        self.index[self.combinational + register] >> bit & 1 == 1
    }

    /// Changes the state of a register.
    fn turn(&mut self, register: usize) {
        let gate = self.combinational + register;
        self.index[gate] ^= 1 << self.registers[register].state;
        if self.registers[register].feeds_back {
            self.dirty[gate / 64] |= 1 << (gate % 64);
        }
        for place in 0..self.registers[register].show.len() {
            self.flip(self.registers[register].show[place]);
        }
    }

    fn take_dirty_registers(&mut self) -> Vec<usize> {
        let mut found = Vec::new();
        for word in self.combinational / 64..self.dirty.len() {
            while self.dirty[word] != 0 {
                let gate = word * 64 + self.dirty[word].trailing_zeros() as usize;
                self.dirty[word] &= self.dirty[word] - 1;
                found.push(gate - self.combinational);
            }
        }
        found
    }

    /// Lets registers follow their clear and preset.
    fn set_and_clear(&mut self) -> bool {
        let mut any = false;
        for place in 0..self.asynchronous.len() {
            let register = self.asynchronous[place] as usize;
            let of = &self.registers[register];
            let gate = self.combinational + register;
            let index = self.index[gate];
            let held = match (of.clear >> index & 1 == 1, of.preset >> index & 1 == 1) {
                (true, true) => of.both,
                (true, false) => false,
                (false, true) => true,
                (false, false) => continue,
            };
            if self.state(register) != held {
                self.turn(register);
                any = true;
            }
        }
        any
    }
}

//! Simulates a netlist without delays, and counts.
//!
//! Gates are kept in topological order. A net that changes marks the gates on it in a set of bits, and the set is worked
//! through from its low end: each gate is looked at once in a cycle at most, after all that drives it, and only if one of
//! its inputs has changed. So a glitch, which is a race between delays, does not occur and is not counted.

use super::cells::Shows;
use super::circuit::{Circuit, HIGH, LOW, NetId, Port};
use super::counts::{EDGE, Layout};
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
    /// For each gate and register the places of its counters, and the first of them.
    layouts: Vec<(Layout, usize)>,
    counts: Vec<u64>,
    /// For each gate and register the row that it was last counted in, and the first cycle that was not counted.
    seen: Vec<(u8, u64)>,
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
    /// The number of the cell's output.
    output: u8,
}

#[derive(Clone, Debug)]
struct Register {
    next: u128,
    clear: u128,
    preset: u128,
    both: bool,
    /// The bit of the state in the index.
    state: u8,
    clock: u8,
    show: Vec<Shown>,
}

/// An output of a register.
#[derive(Clone, Copy, Debug)]
struct Shown {
    net: NetId,
    /// The number of the cell's output.
    output: u8,
    complement: bool,
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
    /// The activity of each net. The clock's edges are two in a cycle.
    pub nets: Vec<NetActivity>,
    /// The counts of each gate, in the places of `Layout`: in which states its pins were, and what turned in them.
    pub gates: Vec<Vec<u64>>,
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
            layouts: Vec::with_capacity(circuit.gates.len()),
            counts: Vec::new(),
            seen: vec![(0, 0); circuit.gates.len()],
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
        let mut counters = 0;
        for gate in &circuit.gates {
            let layout = Layout::of(circuit, gate);
            simulator.layouts.push((layout, counters));
            counters += layout.size();
        }
        simulator.counts = vec![0; counters];
        for gate in &circuit.gates[..circuit.combinational] {
            simulator.first_output.push(simulator.outputs.len() as u32);
            let outputs = circuit.cell(gate).outputs.iter().zip(&gate.outputs);
            for (place, (output, net)) in (0..).zip(outputs) {
                if let (Shows::Function(table), Some(net)) = (output.shows, net) {
                    simulator.outputs.push(Output {
                        table,
                        net: *net,
                        output: place,
                    });
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
                state: gate.inputs.len() as u8,
                clock: register.clock as u8,
                show: (0..)
                    .zip(outputs())
                    .filter_map(|(output, (of, net))| {
                        Some(Shown {
                            net: (*net)?,
                            output,
                            complement: of.shows == Shows::Complement,
                        })
                    })
                    .collect(),
            });
        }
    }

    /// Forgets what was counted.
    pub fn restart(&mut self) {
        self.since = self.now;
        for net in &mut self.nets {
            (net.toggles, net.ones, net.last, net.initial) = (0, 0, self.now, net.value);
        }
        self.counts.fill(0);
        for (gate, seen) in self.seen.iter_mut().enumerate() {
            *seen = match self.now {
                // What the first cycle begins with.
                0 => (self.index[gate], 0),
                now => (seen.0, now),
            };
        }
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
            self.count_register(register);
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
        let gates = self.layouts.iter().zip(&self.seen);
        let gates = gates.map(|((layout, first), (row, counted))| {
            let mut counts = self.counts[*first..first + layout.size()].to_vec();
            // What has not turned since is in the row that it was in.
            for place in [
                layout.ended(usize::from(*row)),
                layout.began(usize::from(*row)),
            ] {
                counts[place] += self.now.saturating_sub(*counted);
            }
            counts
        });
        Activity {
            cycles,
            nets,
            gates: gates.collect(),
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
        let changed = self.count(gate, index);
        let before = index ^ changed;
        for output in self.first_output[gate]..self.first_output[gate + 1] {
            let Output { table, net, output } = self.outputs[output as usize];
            let value = table >> index & 1 == 1;
            if self.nets[net as usize].value == value {
                continue;
            }
            // Those turned it without which it would not have turned, before the others or after them.
            let shows = |row: u8| table >> row & 1;
            let turned = bits(changed).filter(|pin| {
                let pin = 1 << pin;
                shows(before ^ pin) != shows(before) || shows(index ^ pin) != shows(index)
            });
            let turned = turned.fold(0, |pins, pin| pins | 1 << pin);
            self.count_output(gate, output, value, turned, [before, index]);
            self.flip(net);
        }
    }

    /// Counts the edges of a gate's inputs and the cycles in its last row, and returns which inputs turned.
    fn count(&mut self, gate: usize, index: u8) -> u8 {
        let (before, counted) = self.seen[gate];
        self.seen[gate] = (index, self.now);
        let (layout, first) = self.layouts[gate];
        self.counts[first + layout.ended(usize::from(before))] += self.now - counted;
        let changed = before ^ index;
        self.count_inputs(gate, changed, [before, index]);
        changed
    }

    /// Counts edges of inputs, half before the others turned and half after.
    fn count_inputs(&mut self, gate: usize, changed: u8, rows: [u8; 2]) {
        let (layout, first) = self.layouts[gate];
        for pin in bits(changed) {
            let edge = usize::from(rows[1] >> pin & 1);
            for row in rows {
                self.counts[first + layout.input(pin, edge, usize::from(row))] += EDGE / 2;
            }
        }
    }

    /// Counts an edge of an output, in equal parts for the inputs that turned it.
    fn count_output(&mut self, gate: usize, output: u8, value: bool, turned: u8, rows: [u8; 2]) {
        let (layout, first) = self.layouts[gate];
        let share = EDGE / 2 / u64::from(turned.count_ones().max(1));
        for pin in bits(turned) {
            for row in rows.map(usize::from) {
                let place = layout.output(usize::from(output), pin, usize::from(value), row);
                self.counts[first + place] += share;
            }
        }
    }

    /// Counts the cycle of a register that ends, whose inputs or state have turned in it, and those before.
    fn count_register(&mut self, register: usize) {
        let gate = self.combinational + register;
        let (before, counted) = self.seen[gate];
        let ended = self.index[gate];
        self.seen[gate] = (ended, self.now + 1);
        let state = 1 << self.registers[register].state;
        let began = before & !state | ended & state;
        let (layout, first) = self.layouts[gate];
        for (place, cycles) in [
            (layout.ended(usize::from(before)), self.now - counted),
            (layout.began(usize::from(before)), self.now - counted),
            (layout.ended(usize::from(ended)), 1),
            (layout.began(usize::from(began)), 1),
        ] {
            self.counts[first + place] += cycles;
        }
        self.count_inputs(gate, (before ^ ended) & !state, [began, ended]);
    }

    fn state(&self, register: usize) -> bool {
        let bit = self.registers[register].state;
        self.index[self.combinational + register] >> bit & 1 == 1
    }

    /// Changes the state of a register, which its clock does.
    fn turn(&mut self, register: usize) {
        let gate = self.combinational + register;
        let state = 1 << self.registers[register].state;
        self.index[gate] ^= state;
        // Its new state is counted at the end of the cycle.
        self.dirty[gate / 64] |= 1 << (gate % 64);
        let (before, _) = self.seen[gate];
        let clock = 1 << self.registers[register].clock;
        for place in 0..self.registers[register].show.len() {
            let Shown {
                net,
                output,
                complement,
            } = self.registers[register].show[place];
            let value = self.state(register) != complement;
            self.count_output(gate, output, value, clock, [before, before ^ state]);
            self.flip(net);
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

/// The places of the bits that are 1.
fn bits(mut word: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(place)
    })
}

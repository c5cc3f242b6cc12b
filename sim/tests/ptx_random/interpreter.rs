//! A naive interpreter of the tree of a PTX module. A thread runs alone to its next barrier, then comes the next thread.

use std::collections::HashMap;

use faultline_sim::ptx::lower::GLOBAL_VARIABLES;
use faultline_sim::ptx::{Function, Module, Opcode, Operand, Space, Symbol, Type};

/// Bytes, in pages; those that were never written are zero.
#[derive(Clone, Default)]
pub struct Bytes(HashMap<u64, Box<[u8; 256]>>);

impl Bytes {
    pub fn read(&self, address: u64, bytes: u32) -> u64 {
        (0..u64::from(bytes)).rev().fold(0, |value, place| {
            let address = address + place;
            let page = self.0.get(&(address >> 8));
            value << 8 | u64::from(page.map_or(0, |page| page[(address & 255) as usize]))
        })
    }

    pub fn write(&mut self, address: u64, bytes: u32, value: u64) {
        for (address, byte) in (address..).zip(value.to_le_bytes()).take(bytes as usize) {
            let page = self.0.entry(address >> 8);
            page.or_insert_with(|| Box::new([0; 256]))[(address & 255) as usize] = byte;
        }
    }

    pub fn fill(&mut self, address: u64, bytes: &[u8]) {
        for (address, &byte) in (address..).zip(bytes) {
            self.write(address, 1, byte.into());
        }
    }
}

/// Instructions that a thread executes at most.
const MOST_STEPS: u32 = 1_000_000;

/// A function that is under way.
struct Frame<'tree> {
    function: &'tree Function,
    number: usize,
    registers: Vec<u64>,
    /// The space of its parameters.
    param: Bytes,
    /// Where its local variables begin.
    local: u64,
}

/// Why a function does not go on.
enum Stop {
    Barrier(usize),
    Return,
    Exit,
}

/// A thread.
struct Thread {
    id: [u32; 3],
    block: [u32; 3],
    local: Bytes,
    steps: u32,
}

/// A launch of a kernel.
pub struct Machine<'tree> {
    pub module: &'tree Module,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub global: Bytes,
    /// A thread has not come to its end.
    pub is_endless: bool,
    shared: Bytes,
    constant: Bytes,
    /// The addresses of the module's variables.
    addresses: Vec<u64>,
}

fn places(sizes: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let [x, y, z] = sizes;
    (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
}

impl<'tree> Machine<'tree> {
    pub fn new(module: &'tree Module, grid: [u32; 3], block: [u32; 3]) -> Self {
        let mut machine = Self {
            module,
            grid,
            block,
            global: Bytes::default(),
            is_endless: false,
            shared: Bytes::default(),
            constant: Bytes::default(),
            addresses: Vec::new(),
        };
        for (place, variable) in (0..).zip(&module.variables) {
            let address = match variable.space {
                Space::Global => GLOBAL_VARIABLES,
                _ => 0x1000 * (place + 1),
            };
            machine.addresses.push(address);
            let initial = variable.initial.as_deref().unwrap_or_default();
            match variable.space {
                Space::Global => machine.global.fill(address, initial),
                _ => machine.constant.fill(address, initial),
            }
        }
        machine
    }

    /// Runs all blocks of a kernel.
    pub fn run(&mut self, kernel: usize, parameters: &[Vec<u8>]) {
        for block in places(self.grid) {
            self.shared = Bytes::default();
            let begun = places(self.block).map(|id| {
                let mut frame = self.frame(kernel, 0);
                for (place, bytes) in (0..).zip(parameters) {
                    frame.param.fill(parameter(place), bytes);
                }
                let (local, steps) = (Bytes::default(), 0);
                let thread = Thread {
                    id,
                    block,
                    local,
                    steps,
                };
                (thread, frame, Some(0))
            });
            let mut threads: Vec<_> = begun.collect();
            while threads.iter().any(|(_, _, at)| at.is_some()) {
                for (thread, frame, place) in &mut threads {
                    let Some(start) = *place else { continue };
                    *place = match self.advance(thread, frame, start) {
                        Stop::Barrier(next) => Some(next),
                        _ => None,
                    };
                }
            }
        }
    }

    fn frame(&self, number: usize, local: u64) -> Frame<'tree> {
        let function = &self.module.functions[number];
        let registers = vec![0; function.registers.len()];
        let param = Bytes::default();
        Frame {
            function,
            number,
            registers,
            param,
            local,
        }
    }

    /// Runs a function from an instruction on.
    fn advance(&mut self, thread: &mut Thread, frame: &mut Frame<'tree>, start: usize) -> Stop {
        let mut at = start;
        while let Some(instruction) = frame.function.body.get(at) {
            thread.steps += 1;
            if thread.steps > MOST_STEPS {
                self.is_endless = true;
                return Stop::Exit;
            }
            at += 1;
            if let Some((guard, negated)) = instruction.guard
                && (frame.registers[guard.0 as usize] != 0) == negated
            {
                continue;
            }
            match (instruction.opcode, &instruction.operands[..]) {
                (Opcode::Bra, [Operand::Label(label)]) => at = frame.function.labels[*label].target,
                (Opcode::Ret, _) => return Stop::Return,
                (Opcode::Exit, _) => return Stop::Exit,
                (Opcode::Bar, _) => return Stop::Barrier(at),
                (Opcode::Membar, _) => {}
                (
                    Opcode::Call,
                    [
                        Operand::Function(to),
                        Operand::Vector(results),
                        Operand::Vector(passed),
                    ],
                ) => {
                    if let Stop::Exit = self.call(thread, frame, *to, results, passed) {
                        return Stop::Exit;
                    }
                }
                _ => self.execute(thread, frame, instruction),
            }
        }
        Stop::Return
    }

    fn call(
        &mut self,
        thread: &mut Thread,
        frame: &mut Frame<'tree>,
        to: usize,
        results: &[Operand],
        passed: &[Operand],
    ) -> Stop {
        let mut inner = self.frame(to, frame.local + 0x1_0000);
        let called = inner.function;
        for (place, operand) in passed.iter().enumerate() {
            let (place, bytes) = (
                called.results + place,
                called.parameters()[place].bytes as u32,
            );
            for byte in 0..u64::from(bytes) {
                let value = match operand {
                    Operand::Variable(Symbol::Function(number)) => {
                        frame.param.read(parameter(*number) + byte, 1)
                    }
                    other => self.value(thread, frame, other, Type::B64) >> (8 * byte),
                };
                inner.param.write(parameter(place) + byte, 1, value);
            }
        }
        let stop = self.advance(thread, &mut inner, 0);
        for (place, operand) in results.iter().enumerate() {
            let bytes = called.results()[place].bytes as u32;
            let value = inner.param.read(parameter(place), bytes);
            match operand {
                Operand::Variable(Symbol::Function(number)) => {
                    frame.param.write(parameter(*number), bytes, value)
                }
                Operand::Register(register) => frame.registers[register.0 as usize] = value,
                _ => {}
            }
        }
        stop
    }
}

/// The address of a function's variable in its own space.
fn parameter(number: usize) -> u64 {
    0x400 * number as u64
}

mod execute;

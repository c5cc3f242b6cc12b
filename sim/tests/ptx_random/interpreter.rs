//! A naive interpreter of the tree of a PTX module. A thread runs alone to its next barrier, then comes the next thread.

use std::collections::HashMap;

use faultline_sim::ptx::lower::GLOBAL_VARIABLES;
use faultline_sim::ptx::{
    Base, Function, Instruction, Kind, Modifier, Module, Opcode, Operand, Register, Space, Special,
    Symbol, Type, Variable,
};

use super::arithmetic::{atomic, combine, compare, integer, result};

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

/// The windows of a generic address: bits 60 and 61 name the state space.
const WINDOWS: [Space; 4] = [Space::Global, Space::Shared, Space::Const, Space::Local];
const WINDOW: u32 = 60;

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

    fn execute(
        &mut self,
        thread: &mut Thread,
        frame: &mut Frame<'tree>,
        instruction: &'tree Instruction,
    ) {
        let ty = instruction.ty.unwrap();
        let (opcode, modifiers, operands) = (
            instruction.opcode,
            instruction.modifiers,
            &instruction.operands,
        );
        match (opcode, &operands[..]) {
            (Opcode::Ld, [to, place]) => {
                let (space, address) = self.place(frame, instruction, place);
                let all = elements(to);
                let read = |place: usize| {
                    self.bytes(thread, frame, space)
                        .read(address + place as u64 * u64::from(ty.bytes()), ty.bytes())
                };
                let values: Vec<_> = (0..all.len()).map(read).collect();
                all.iter()
                    .zip(values)
                    .for_each(|(to, value)| write(frame, to, ty, value));
            }
            (Opcode::St, [place, from]) => {
                let (space, mut address) = self.place(frame, instruction, place);
                for element in elements(from) {
                    let value = self.value(thread, frame, element, ty);
                    self.bytes(thread, frame, space)
                        .write(address, ty.bytes(), value);
                    address += u64::from(ty.bytes());
                }
            }
            (Opcode::Atom | Opcode::Red, _) => {
                let first = usize::from(opcode == Opcode::Atom);
                let (space, address) = self.place(frame, instruction, &operands[first]);
                let sources: Vec<_> = operands[first + 1..]
                    .iter()
                    .map(|one| self.value(thread, frame, one, ty))
                    .collect();
                let memory = self.bytes(thread, frame, space);
                let old = memory.read(address, ty.bytes());
                memory.write(
                    address,
                    ty.bytes(),
                    atomic(instruction, space == Space::Shared, old, &sources),
                );
                if first == 1 {
                    write(frame, &operands[0], ty, old);
                }
            }
            (Opcode::Cvta, [to, from]) => {
                let window = WINDOWS
                    .iter()
                    .position(|&space| space == instruction.space)
                    .unwrap() as u64;
                let value = self.value(thread, frame, from, ty);
                let value = match modifiers.has(Modifier::To) {
                    true => value & !(3 << WINDOW),
                    false => value | window << WINDOW,
                };
                write(frame, to, ty, value);
            }
            (Opcode::Setp, [to, first, second, rest @ ..]) => {
                let [first, second] = [first, second].map(|one| self.value(thread, frame, one, ty));
                let other = rest
                    .first()
                    .map(|one| self.value(thread, frame, one, Type::Pred));
                let is_so = compare(instruction, ty, first, second);
                for (to, compared) in elements(to).iter().zip([is_so, !is_so]) {
                    write(
                        frame,
                        to,
                        Type::Pred,
                        combine(instruction, compared, other).into(),
                    );
                }
            }
            (Opcode::Mov, [Operand::Vector(parts), from]) => {
                let whole = self.value(thread, frame, from, ty);
                let bits = ty.bits() / parts.len() as u32;
                for (place, part) in (0..).zip(parts) {
                    write(
                        frame,
                        part,
                        ty,
                        whole >> (place * bits) & (u64::MAX >> (64 - bits)),
                    );
                }
            }
            (Opcode::Mov, [to, Operand::Vector(parts)]) => {
                let part = if ty.bits() as usize / parts.len() == 16 {
                    Type::B16
                } else {
                    Type::B32
                };
                let whole = parts.iter().rev().fold(0, |whole, one| {
                    whole << part.bits() | self.value(thread, frame, one, part)
                });
                write(frame, to, ty, whole);
            }
            (_, [to, sources @ ..]) => {
                let types = types(instruction, ty);
                let read = |(place, one): (usize, _)| self.value(thread, frame, one, types(place));
                let values: Vec<_> = sources.iter().enumerate().map(read).collect();
                let (value, ty) = match (opcode, modifiers.has(Modifier::Wide)) {
                    (Opcode::Testp, _) => (result(instruction, &values), Type::Pred),
                    (_, true) => (result(instruction, &values), Type::B64),
                    _ => (result(instruction, &values), ty),
                };
                write(frame, to, ty, value);
            }
            _ => panic!("{instruction:?} is not interpreted"),
        }
    }

    fn bytes<'all>(
        &'all mut self,
        thread: &'all mut Thread,
        frame: &'all mut Frame<'tree>,
        space: Space,
    ) -> &'all mut Bytes {
        match space {
            Space::Global | Space::Generic => &mut self.global,
            Space::Shared => &mut self.shared,
            Space::Const => &mut self.constant,
            Space::Local => &mut thread.local,
            Space::Param => &mut frame.param,
        }
    }

    /// The state space and the address of an operand in memory.
    fn place(&self, frame: &Frame, instruction: &Instruction, operand: &Operand) -> (Space, u64) {
        let Operand::Memory(base, offset) = operand else {
            panic!("{operand:?} is no place in memory");
        };
        let base = match base {
            Base::Register(register) => frame.registers[register.0 as usize],
            Base::Symbol(symbol) => self.address(frame, *symbol),
            Base::Zero => 0,
        };
        let address = base.wrapping_add_signed(*offset);
        match instruction.space {
            Space::Generic => (
                WINDOWS[(address >> WINDOW) as usize],
                address & !(3 << WINDOW),
            ),
            space => (space, address),
        }
    }

    fn address(&self, frame: &Frame, symbol: Symbol) -> u64 {
        let variable = |number: usize| -> &Variable { &frame.function.variables[number] };
        match symbol {
            Symbol::Module(number) => self.addresses[number],
            Symbol::Function(number) => match variable(number).space {
                Space::Local => frame.local + parameter(number),
                Space::Shared => (frame.number as u64 + 1) << 20 | parameter(number),
                _ => parameter(number),
            },
        }
    }

    /// The bits of a source in a type.
    fn value(&self, thread: &Thread, frame: &Frame, operand: &Operand, ty: Type) -> u64 {
        let bits = match operand {
            Operand::Register(register) => frame.registers[register.0 as usize],
            Operand::Not(register) => !frame.registers[register.0 as usize],
            Operand::Immediate(bits) => *bits,
            Operand::Special(special) => self.special(thread, *special).into(),
            Operand::AddressOf(symbol, offset) => {
                self.address(frame, *symbol).wrapping_add_signed(*offset)
            }
            other => panic!("{other:?} is no value"),
        };
        bits & (u64::MAX >> (64 - ty.bits()))
    }

    fn special(&self, thread: &Thread, special: Special) -> u32 {
        let [x, y, z] = thread.id;
        let linear = x + self.block[0] * (y + self.block[1] * z);
        match special {
            Special::TidX => x,
            Special::TidY => y,
            Special::TidZ => z,
            Special::NtidX => self.block[0],
            Special::NtidY => self.block[1],
            Special::NtidZ => self.block[2],
            Special::CtaidX => thread.block[0],
            Special::CtaidY => thread.block[1],
            Special::CtaidZ => thread.block[2],
            Special::NctaidX => self.grid[0],
            Special::NctaidY => self.grid[1],
            Special::NctaidZ => self.grid[2],
            Special::Laneid => linear % 32,
            Special::Warpid => linear / 32,
        }
    }
}

/// The address of a function's variable in its own space.
fn parameter(number: usize) -> u64 {
    0x400 * number as u64
}

fn elements(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(all) => all,
        _ => std::slice::from_ref(operand),
    }
}

/// Writes a register. A narrower value is extended as its type says (PTX ISA 9.5.1).
fn write(frame: &mut Frame, operand: &Operand, ty: Type, bits: u64) {
    if let Operand::Register(Register(number)) = *operand {
        let bits = match ty.kind() {
            Kind::Predicate => bits & 1,
            _ => integer(ty, bits) as u64,
        };
        let width = frame.function.registers[number as usize].bits();
        frame.registers[number as usize] = bits & (u64::MAX >> (64 - width));
    }
}

/// The types of an instruction's sources by their places.
fn types(instruction: &Instruction, ty: Type) -> impl Fn(usize) -> Type {
    let second = instruction.second.unwrap_or(ty);
    let opcode = instruction.opcode;
    let is_wide = instruction.modifiers.has(Modifier::Wide);
    move |place| match (opcode, place) {
        (Opcode::Set, 0 | 1) | (Opcode::Cvt, _) | (Opcode::Slct, 2) => second,
        (Opcode::Set, _) | (Opcode::Selp, 2) => Type::Pred,
        (Opcode::Shl | Opcode::Shr, 1) | (Opcode::Bfe, 1..) | (Opcode::Bfi, 2..) => Type::B32,
        (Opcode::Mad, 2) if is_wide => Type::B64,
        _ => ty,
    }
}

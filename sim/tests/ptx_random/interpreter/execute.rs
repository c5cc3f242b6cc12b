//! What instructions other than branches and calls do, and what operands mean.

use faultline_sim::ptx::{
    Base, Instruction, Kind, Modifier, Opcode, Operand, Register, Space, Special, Symbol, Type,
    Variable,
};

use super::{Bytes, Frame, Machine, Thread, parameter};
use crate::arithmetic::{atomic, combine, compare, integer, result};

/// The windows of a generic address: bits 60 and 61 name the state space.
const WINDOWS: [Space; 4] = [Space::Global, Space::Shared, Space::Const, Space::Local];
const WINDOW: u32 = 60;

impl<'tree> Machine<'tree> {
    pub(super) fn execute(
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
    pub(super) fn value(&self, thread: &Thread, frame: &Frame, operand: &Operand, ty: Type) -> u64 {
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

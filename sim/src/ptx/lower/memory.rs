//! Instructions that access memory (PTX ISA 9.7.8, 9.7.13).

use super::LowerError;
use super::code::{Line, Source, Virtual};
use super::frame::{Frame, Lowering};
use super::translate::{number, space, whole};
use crate::ptx::module::{Base, Instruction, Operand, Symbol, Variable};
use crate::ptx::words::{Kind, Modifier, Opcode, Space, Type};
use crate::simt::{Arithmetic, Atomic, Operation, Whole, Width};

/// What a load of a type reads into a register of so many bits.
fn width(ty: Type, register: u32) -> Width {
    let is_extended = ty.kind() == Kind::Signed && register > ty.bits();
    match (ty.bytes(), is_extended) {
        (1, true) => Width::SignedOne,
        (1, false) => Width::One,
        (2, true) => Width::SignedTwo,
        (2, false) => Width::Two,
        (4, true) => Width::SignedFour,
        (4, false) => Width::Four,
        _ => Width::Eight,
    }
}

/// What an instruction accesses.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// A parameter of the kernel, and the place in it.
    Parameter(usize, u64),
    /// What a function is passed, and the place in it.
    Passed(usize, u64),
    /// Memory of a state space: an address, and what is added to it.
    Memory(Space, Source, i64),
}

impl<'tree> Lowering<'tree> {
    fn place(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
        operand: Option<&Operand>,
    ) -> Result<Place, LowerError> {
        let Some(Operand::Memory(base, offset)) = operand else {
            return Err(self.wrong("the address is missing"));
        };
        let space = instruction.space;
        if let (Space::Param, Base::Symbol(Symbol::Function(number))) = (space, base) {
            let at = offset.cast_unsigned();
            let variable = self.variable(frame, Symbol::Function(*number))?;
            let bytes = instruction.elements() * instruction.ty.map_or(1, Type::bytes);
            if at
                .checked_add(bytes.into())
                .is_none_or(|end| end > variable.bytes)
            {
                let Variable { name, bytes, .. } = variable;
                return Err(self.wrong(format!(
                    "the access goes past the end of {name}, which has {bytes} bytes"
                )));
            }
            let is_kernels = frame.end.is_none() && *number < frame.function.parameters;
            return Ok(match is_kernels {
                true => Place::Parameter(*number, at),
                false => Place::Passed(*number, at),
            });
        }
        let address = match base {
            Base::Register(register) => Source::Register(self.register(frame, *register)),
            Base::Symbol(symbol) => self.address(frame, *symbol)?,
            Base::Zero => Source::Immediate(0),
        };
        Ok(Place::Memory(space, address, *offset))
    }

    /// An access of memory.
    fn access(
        &mut self,
        operation: Operation,
        place: (Space, Source, i64),
        destination: Option<Virtual>,
        data: [Source; 2],
    ) {
        let (space, address, offset) = place;
        let mut line = Line::new(self.line, operation);
        line.is_generic = space == Space::Generic;
        line.is_ordered = self.is_ordered;
        line.destination = destination;
        line.sources = [address, data[0], data[1]];
        line.offset = offset;
        // The address of a variable is known with its offset.
        if let Source::Address(space, address) = address {
            line.sources[0] = Source::Address(space, address.wrapping_add_signed(offset));
            line.offset = 0;
        }
        self.code.lines.push(line);
    }

    pub fn load(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let ty = instruction.ty.unwrap_or(Type::B32);
        let place = self.place(frame, instruction, instruction.operands.get(1))?;
        let elements = match instruction.operands.first() {
            Some(Operand::Vector(elements)) => elements.iter().collect(),
            Some(operand) => vec![operand],
            None => Vec::new(),
        };
        // The register of the address, if it is among the destinations, is written last.
        let base = match place {
            Place::Memory(_, Source::Register(base), _) => Some(base),
            _ => None,
        };
        let mut elements: Vec<_> = (0u64..)
            .zip(elements)
            .filter_map(|(number, operand)| {
                let bits = match operand {
                    Operand::Register(register) => Self::type_of(frame, *register).bits(),
                    _ => ty.bits(),
                };
                let to = self.written(frame, Some(operand))?;
                Some((number * u64::from(ty.bytes()), to, bits))
            })
            .collect();
        elements.sort_by_key(|(_, to, _)| Some(*to) == base);
        for (at, to, bits) in elements {
            match place {
                Place::Memory(from, address, offset) => {
                    let operation = Operation::Load(space(from), width(ty, bits));
                    let place = (from, address, offset.wrapping_add_unsigned(at));
                    // The sign of a short number goes as far as 32 bits.
                    let is_short = ty.kind() == Kind::Signed && ty.bits() < 32 && bits == 64;
                    match is_short {
                        true => {
                            let short = self.code.register(false);
                            self.access(operation, place, Some(short), [Source::None; 2]);
                            self.widened(Type::S32, bits, to, Source::Register(short));
                        }
                        false => self.access(operation, place, Some(to), [Source::None; 2]),
                    }
                }
                Place::Parameter(number, first) => {
                    let value = self.parameter(frame, number, first + at, ty.bytes());
                    let value = value
                        .ok_or_else(|| self.wrong("the load goes past the end of the parameter"))?;
                    self.widened(ty, bits, to, Source::Immediate(value));
                }
                Place::Passed(number, first) => {
                    let part = self.part_read(frame, number, first + at, ty.bytes())?;
                    self.widened(ty, bits, to, part);
                }
            }
        }
        Ok(())
    }

    /// Moves a value of a type to a register of so many bits.
    pub fn widened(&mut self, ty: Type, bits: u32, to: Virtual, value: Source) {
        let is_extended = ty.kind() == Kind::Signed && bits > ty.bits();
        let operation = match is_extended {
            true => Operation::Arithmetic(Arithmetic::exact(
                if bits == 64 { Whole::S64 } else { Whole::S32 },
                whole(ty),
            )),
            false => Operation::Move,
        };
        self.emit(operation, Some(to), [value]);
    }

    pub fn store(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let ty = instruction.ty.unwrap_or(Type::B32);
        let place = self.place(frame, instruction, instruction.operands.first())?;
        let elements = match instruction.operands.get(1) {
            Some(Operand::Vector(elements)) => elements.iter().collect(),
            Some(operand) => vec![operand],
            None => Vec::new(),
        };
        for (number, operand) in (0u64..).zip(elements) {
            let at = number * u64::from(ty.bytes());
            let data = self.source(frame, operand)?;
            match place {
                Place::Memory(to, address, offset) => {
                    let operation = Operation::Store(space(to), width(ty, ty.bits()));
                    let place = (to, address, offset.wrapping_add_unsigned(at));
                    self.access(operation, place, None, [data, Source::None]);
                }
                Place::Passed(number, first) => {
                    let part = self.part(frame, number, first + at, ty.bytes())?;
                    let is_wider = matches!(operand, Operand::Register(register) if Self::type_of(frame, *register).bits() > ty.bits());
                    let low = Whole::of_bits(ty.bits());
                    let operation = match is_wider {
                        true => Operation::Arithmetic(Arithmetic::exact(low, low)),
                        false => Operation::Move,
                    };
                    self.emit(operation, Some(part), [data]);
                }
                Place::Parameter(..) => {
                    return Err(self.wrong("a parameter of a kernel cannot be written"));
                }
            }
        }
        Ok(())
    }

    pub fn atomic(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let atomic = match instruction.modifiers.among(Modifier::ATOMICS) {
            Some(Modifier::Min) => Atomic::Minimum,
            Some(Modifier::Max) => Atomic::Maximum,
            Some(Modifier::Inc) => Atomic::Increment,
            Some(Modifier::Dec) => Atomic::Decrement,
            Some(Modifier::And) => Atomic::And,
            Some(Modifier::Or) => Atomic::Or,
            Some(Modifier::Xor) => Atomic::Xor,
            Some(Modifier::Exch) => Atomic::Exchange,
            Some(Modifier::Cas) => Atomic::CompareExchange,
            _ => Atomic::Add,
        };
        let first = usize::from(instruction.opcode == Opcode::Atom);
        let to = match first {
            0 => None,
            _ => self.written(frame, instruction.operands.first()),
        };
        let place = self.place(frame, instruction, instruction.operands.get(first))?;
        let mut data = self.source_at(frame, instruction, first + 1)?;
        let mut swapped = self.source_at(frame, instruction, first + 2)?;
        let ty = number(instruction.ty.unwrap_or(Type::B32));
        if atomic == Atomic::CompareExchange && ty.bits() == 32 {
            data = self.computed(Operation::Arithmetic(Arithmetic::Join(64)), [data, swapped]);
            swapped = Source::None;
        }
        let Place::Memory(at, address, offset) = place else {
            return Err(self.wrong("an atomic changes global or shared memory"));
        };
        let operation = Operation::Atomic(atomic, ty, space(at));
        self.access(operation, (at, address, offset), to, [data, swapped]);
        Ok(())
    }
}

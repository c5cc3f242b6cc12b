//! Instructions that compute (PTX ISA 9.7.1 to 9.7.8).

use super::LowerError;
use super::code::{Source, Virtual};
use super::frame::{Frame, Lowering};
use super::layout::window;
use crate::ptx::module::{Instruction, Operand};
use crate::ptx::words::{Kind, Modifier, Opcode, Space, Special, Type};
use crate::simt::{
    Arithmetic, Comparison, ConversionRounding, Mode, Number, Operation, Real, RealOperation,
    Relation, Rounding, SpecialRegister, Test, Whole, WholeOperation,
};

/// An integer type; one of bits has no sign.
pub fn whole(ty: Type) -> Whole {
    match ty {
        Type::S8 => Whole::S8,
        Type::S16 => Whole::S16,
        Type::S32 => Whole::S32,
        Type::S64 => Whole::S64,
        _ => Whole::of_bits(ty.bits()),
    }
}

fn real(ty: Type) -> Real {
    if ty.bits() == 32 {
        Real::F32
    } else {
        Real::F64
    }
}

/// A type as a number.
pub fn number(ty: Type) -> Number {
    match ty.kind() {
        Kind::Float => Number::Real(real(ty)),
        _ => Number::Whole(whole(ty)),
    }
}

fn rounding(instruction: &Instruction) -> Rounding {
    let modifiers = instruction.modifiers;
    let known = [Modifier::Approx, Modifier::Full];
    match modifiers.among(Modifier::ROUNDINGS) {
        _ if modifiers.among(&known).is_some() => Rounding::Approximate,
        Some(Modifier::Rz) => Rounding::Zero,
        Some(Modifier::Rm) => Rounding::Down,
        Some(Modifier::Rp) => Rounding::Up,
        _ => Rounding::Nearest,
    }
}

/// The comparison of an instruction; numbers without a sign have names of their own.
fn comparison(instruction: &Instruction) -> Comparison {
    use Modifier as M;
    match instruction.modifiers.among(Modifier::COMPARISONS) {
        Some(M::Ne) => Comparison::Ordered(Relation::NotEqual),
        Some(M::Lt | M::Lo) => Comparison::Ordered(Relation::Less),
        Some(M::Le | M::Ls) => Comparison::Ordered(Relation::LessEqual),
        Some(M::Gt | M::Hi) => Comparison::Ordered(Relation::Greater),
        Some(M::Ge | M::Hs) => Comparison::Ordered(Relation::GreaterEqual),
        Some(M::Equ) => Comparison::Unordered(Relation::Equal),
        Some(M::Neu) => Comparison::Unordered(Relation::NotEqual),
        Some(M::Ltu) => Comparison::Unordered(Relation::Less),
        Some(M::Leu) => Comparison::Unordered(Relation::LessEqual),
        Some(M::Gtu) => Comparison::Unordered(Relation::Greater),
        Some(M::Geu) => Comparison::Unordered(Relation::GreaterEqual),
        Some(M::Num) => Comparison::Numbers,
        Some(M::Nan) => Comparison::NotNumbers,
        _ => Comparison::Ordered(Relation::Equal),
    }
}

/// What a special register is in a program.
fn special(special: Special) -> SpecialRegister {
    match special {
        Special::TidX => SpecialRegister::Thread(0),
        Special::TidY => SpecialRegister::Thread(1),
        Special::TidZ => SpecialRegister::Thread(2),
        Special::NtidX => SpecialRegister::BlockSize(0),
        Special::NtidY => SpecialRegister::BlockSize(1),
        Special::NtidZ => SpecialRegister::BlockSize(2),
        Special::CtaidX => SpecialRegister::Block(0),
        Special::CtaidY => SpecialRegister::Block(1),
        Special::CtaidZ => SpecialRegister::Block(2),
        Special::NctaidX => SpecialRegister::GridSize(0),
        Special::NctaidY => SpecialRegister::GridSize(1),
        Special::NctaidZ => SpecialRegister::GridSize(2),
        Special::Laneid => SpecialRegister::Lane,
        Special::Warpid => SpecialRegister::Warp,
    }
}

/// The operation of integers of an instruction, if it has one.
fn whole_operation(instruction: &Instruction) -> Option<WholeOperation> {
    use WholeOperation as W;
    let modifiers = instruction.modifiers;
    let (high, wide) = (modifiers.has(Modifier::Hi), modifiers.has(Modifier::Wide));
    let saturates = modifiers.has(Modifier::Sat);
    Some(match instruction.opcode {
        Opcode::Add if saturates => W::AddSaturated,
        Opcode::Add => W::Add,
        Opcode::Sub if saturates => W::SubtractSaturated,
        Opcode::Sub => W::Subtract,
        Opcode::Mul if wide => W::MultiplyWide,
        Opcode::Mul if high => W::MultiplyHigh,
        Opcode::Mul => W::Multiply,
        Opcode::Mad if wide => W::MultiplyAddWide,
        Opcode::Mad if high && saturates => W::MultiplyAddHighSaturated,
        Opcode::Mad if high => W::MultiplyAddHigh,
        Opcode::Mad => W::MultiplyAdd,
        Opcode::Mul24 if high => W::Multiply24High,
        Opcode::Mul24 => W::Multiply24,
        Opcode::Mad24 if high && saturates => W::MultiplyAdd24HighSaturated,
        Opcode::Mad24 if high => W::MultiplyAdd24High,
        Opcode::Mad24 => W::MultiplyAdd24,
        Opcode::Div => W::Divide,
        Opcode::Rem => W::Remainder,
        Opcode::Abs => W::Absolute,
        Opcode::Neg => W::Negate,
        Opcode::Min => W::Minimum,
        Opcode::Max => W::Maximum,
        Opcode::Bfe => W::Extract,
        Opcode::And => W::And,
        Opcode::Or => W::Or,
        Opcode::Xor => W::Xor,
        Opcode::Popc => W::CountOnes,
        Opcode::Clz => W::CountLeadingZeros,
        Opcode::Brev => W::Reverse,
        Opcode::Bfind if modifiers.has(Modifier::ShiftAmount) => W::HighestBitShift,
        Opcode::Bfind => W::HighestBit,
        Opcode::Not => W::Not,
        Opcode::Cnot => W::IsZero,
        Opcode::Shl => W::ShiftLeft,
        Opcode::Shr => W::ShiftRight,
        _ => return None,
    })
}

/// The operation of floating-point numbers of an instruction, if it has one.
fn real_operation(opcode: Opcode) -> Option<RealOperation> {
    use RealOperation as R;
    Some(match opcode {
        Opcode::Add => R::Add,
        Opcode::Sub => R::Subtract,
        Opcode::Mul => R::Multiply,
        Opcode::Mad | Opcode::Fma => R::MultiplyAdd,
        Opcode::Div => R::Divide,
        Opcode::Rcp => R::Reciprocal,
        Opcode::Sqrt => R::SquareRoot,
        Opcode::Rsqrt => R::InverseSquareRoot,
        Opcode::Ex2 => R::Exponential,
        Opcode::Lg2 => R::Logarithm,
        Opcode::Sin => R::Sine,
        Opcode::Cos => R::Cosine,
        Opcode::Abs => R::Absolute,
        Opcode::Neg => R::Negate,
        Opcode::Min => R::Minimum,
        Opcode::Max => R::Maximum,
        Opcode::Copysign => R::CopySign,
        _ => return None,
    })
}

fn test(instruction: &Instruction) -> Test {
    match instruction.modifiers.among(Modifier::TESTS) {
        Some(Modifier::Infinite) => Test::Infinite,
        Some(Modifier::Number) => Test::Number,
        Some(Modifier::NotANumber) => Test::NotNumber,
        Some(Modifier::Normal) => Test::Normal,
        Some(Modifier::Subnormal) => Test::Subnormal,
        _ => Test::Finite,
    }
}

impl<'tree> Lowering<'tree> {
    /// An instruction that is no branch, call or end.
    pub fn instruction(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &'tree Instruction,
    ) -> Result<(), LowerError> {
        let is_access = matches!(
            instruction.opcode,
            Opcode::Ld | Opcode::St | Opcode::Atom | Opcode::Red
        );
        self.is_ordered |= is_access && instruction.modifiers.has(Modifier::Volatile);
        let first = self.code.lines.len();
        self.translate(frame, instruction)?;
        let mut accesses = self.code.lines.iter().skip(first);
        if accesses.any(|line| line.is_ordered) {
            self.is_ordered = false;
        }
        Ok(())
    }

    fn translate(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &'tree Instruction,
    ) -> Result<(), LowerError> {
        match instruction.opcode {
            Opcode::Ld => self.load(frame, instruction),
            Opcode::St => self.store(frame, instruction),
            Opcode::Atom | Opcode::Red => self.atomic(frame, instruction),
            Opcode::Tex => self.fetch(frame, instruction),
            Opcode::Bar => self.barrier(instruction),
            // A warp accesses memory in its order, and others see that.
            Opcode::Membar => {
                self.is_ordered = true;
                Ok(())
            }
            Opcode::Mov => self.moves(frame, instruction),
            Opcode::Cvta => self.converts_address(frame, instruction),
            Opcode::Cvt => self.converts(frame, instruction),
            Opcode::Setp => self.compares(frame, instruction),
            Opcode::Set => self.sets(frame, instruction),
            Opcode::Selp | Opcode::Slct => self.selects(frame, instruction),
            Opcode::Bfi => self.inserts(frame, instruction),
            Opcode::Vote => self.votes(frame, instruction),
            Opcode::Shfl => self.shuffles(frame, instruction),
            Opcode::Addc | Opcode::Subc | Opcode::Madc => self.carries(frame, instruction),
            _ if instruction.modifiers.has(Modifier::Cc) => self.carries(frame, instruction),
            _ => self.computes(frame, instruction),
        }
    }

    /// A source operand.
    pub fn source(
        &mut self,
        frame: &mut Frame<'tree>,
        operand: &Operand,
    ) -> Result<Source, LowerError> {
        Ok(match operand {
            Operand::Register(register) => Source::Register(self.register(frame, *register)),
            Operand::Not(register) => {
                let register = Source::Register(self.register(frame, *register));
                self.computed(Operation::Xor, [register, Source::Immediate(1)])
            }
            Operand::Immediate(value) => Source::Immediate(*value),
            Operand::Special(register) => Source::Special(special(*register)),
            Operand::AddressOf(symbol, offset) => match self.address(frame, *symbol)? {
                Source::Address(space, address) => {
                    Source::Address(space, address.wrapping_add_signed(*offset))
                }
                other => other,
            },
            _ => return Err(self.wrong("this operand is not supported")),
        })
    }

    /// The source operand of a number.
    pub fn source_at(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
        place: usize,
    ) -> Result<Source, LowerError> {
        match instruction.operands.get(place) {
            Some(operand) => self.source(frame, operand),
            None => Ok(Source::None),
        }
    }

    /// The register that is written; none for `_`.
    pub fn written(&self, frame: &Frame<'tree>, operand: Option<&Operand>) -> Option<Virtual> {
        match operand {
            Some(Operand::Register(register)) => Some(self.register(frame, *register)),
            _ => None,
        }
    }

    /// Arithmetic with as many sources as there are operands.
    fn computes(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let to = self.written(frame, instruction.operands.first());
        let sources = [
            self.source_at(frame, instruction, 1)?,
            self.source_at(frame, instruction, 2)?,
            self.source_at(frame, instruction, 3)?,
        ];
        let ty = instruction.ty.unwrap_or(Type::B32);
        let unsupported = |lowering: &Self| {
            lowering.wrong(format!("{}.{ty} is not supported", instruction.opcode))
        };
        let [a, b, c] = sources;
        if instruction.opcode == Opcode::Testp {
            let arithmetic = Arithmetic::Test(test(instruction), real(ty));
            self.emit(Operation::Arithmetic(arithmetic), to, [a]);
            return Ok(());
        }
        let operation = match ty.kind() {
            Kind::Predicate => match instruction.opcode {
                Opcode::And => Operation::And,
                Opcode::Or => Operation::Or,
                Opcode::Xor => Operation::Xor,
                Opcode::Not => {
                    self.emit(Operation::Xor, to, [a, Source::Immediate(1)]);
                    return Ok(());
                }
                _ => return Err(unsupported(self)),
            },
            Kind::Float => {
                let operation = real_operation(instruction.opcode);
                let operation = match operation.ok_or_else(|| unsupported(self))? {
                    RealOperation::Divide if instruction.modifiers.has(Modifier::Approx) => {
                        RealOperation::QuickDivide
                    }
                    other => other,
                };
                let mode = Mode {
                    rounding: rounding(instruction),
                    flushes: instruction.modifiers.has(Modifier::Ftz),
                    saturates: instruction.modifiers.has(Modifier::Sat),
                };
                Operation::Arithmetic(Arithmetic::Real(operation, real(ty), mode))
            }
            _ => {
                let operation = whole_operation(instruction);
                let operation = operation.ok_or_else(|| unsupported(self))?;
                Operation::Arithmetic(Arithmetic::Whole(operation, whole(ty)))
            }
        };
        self.emit(operation, to, [a, b, c]);
        Ok(())
    }

    /// `mov`, also of the parts of a value (PTX ISA 9.7.8).
    fn moves(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let width = instruction.ty.map_or(64, Type::bits);
        let join = |bits| Operation::Arithmetic(Arithmetic::Join(bits));
        match instruction.operands.as_slice() {
            [Operand::Vector(parts), source] => {
                let source = self.source(frame, source)?;
                let part = width / parts.len().max(1) as u32;
                let cut = Operation::Arithmetic(Arithmetic::exact(
                    Whole::of_bits(part),
                    Whole::of_bits(width),
                ));
                // A part may stand in the register of the whole, which is read for the last time then.
                let mut held = Vec::new();
                for (place, operand) in parts.iter().enumerate() {
                    let Some(to) = self.written(frame, Some(operand)) else {
                        continue;
                    };
                    let first = Source::Immediate(u64::from(part) * place as u64);
                    let shift =
                        Arithmetic::Whole(WholeOperation::ShiftRight, Whole::of_bits(width));
                    let shifted = match place {
                        0 => source,
                        _ => self.computed(Operation::Arithmetic(shift), [source, first]),
                    };
                    held.push((to, self.computed(cut, [shifted])));
                }
                for (to, value) in held {
                    self.emit(Operation::Move, Some(to), [value]);
                }
            }
            [destination, Operand::Vector(parts)] => {
                let to = self.written(frame, Some(destination));
                let mut sources = Vec::new();
                for part in parts {
                    sources.push(self.source(frame, part)?);
                }
                match sources[..] {
                    [low, high] => self.emit(join(width), to, [low, high]),
                    [first, second, third, fourth] => {
                        let low = self.computed(join(width / 2), [first, second]);
                        let high = self.computed(join(width / 2), [third, fourth]);
                        self.emit(join(width), to, [low, high]);
                    }
                    _ => return Err(self.wrong("a value has two or four parts")),
                }
            }
            [destination, source] => {
                let to = self.written(frame, Some(destination));
                let source = self.source(frame, source)?;
                self.emit(Operation::Move, to, [source]);
            }
            _ => return Err(self.wrong("mov has two operands")),
        }
        Ok(())
    }

    /// `cvta`: a generic address is one in the window of its state space.
    fn converts_address(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let to = self.written(frame, instruction.operands.first());
        let source = self.source_at(frame, instruction, 1)?;
        let is_generic = !instruction.modifiers.has(Modifier::To);
        let first = window(instruction.space);
        let added = if is_generic {
            first
        } else {
            first.wrapping_neg()
        };
        match source {
            Source::Address(space, address) => {
                let address = Source::Address(space, address.wrapping_add(added));
                self.emit(Operation::Move, to, [address]);
            }
            _ if first == 0 => self.emit(Operation::Move, to, [source]),
            _ => {
                let whole = Whole::of_bits(instruction.ty.map_or(64, Type::bits));
                let operation = match is_generic {
                    true => WholeOperation::Add,
                    false => WholeOperation::Subtract,
                };
                let add = Operation::Arithmetic(Arithmetic::Whole(operation, whole));
                self.emit(add, to, [source, Source::Immediate(first)]);
            }
        }
        if let Some(line) = self.code.lines.last_mut() {
            line.marks = is_generic.then_some(instruction.space);
        }
        Ok(())
    }

    /// `cvt`; a register that is wider than the result has its sign, or zeros, above it (PTX ISA 9.7.9, Table 15).
    fn converts(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let to = self.written(frame, instruction.operands.first());
        let source = self.source_at(frame, instruction, 1)?;
        let ty = instruction.ty.unwrap_or(Type::B32);
        let from = instruction.second.unwrap_or(ty);
        let modifiers = instruction.modifiers;
        let whole_rounding = match modifiers.among(Modifier::INTEGER_ROUNDINGS) {
            Some(Modifier::Rzi) => Some(Rounding::Zero),
            Some(Modifier::Rmi) => Some(Rounding::Down),
            Some(Modifier::Rpi) => Some(Rounding::Up),
            Some(_) => Some(Rounding::Nearest),
            None => None,
        };
        let convert = |to, from, rounding| {
            Operation::Arithmetic(Arithmetic::Convert {
                to,
                from,
                rounding,
                flushes: modifiers.has(Modifier::Ftz),
                saturates: modifiers.has(Modifier::Sat),
            })
        };
        let rounds = match whole_rounding {
            Some(rounding) => ConversionRounding::ToWhole(rounding),
            None if modifiers.among(Modifier::ROUNDINGS).is_some() => {
                ConversionRounding::ToReal(rounding(instruction))
            }
            None => ConversionRounding::Exact,
        };
        let operation = convert(number(ty), number(from), rounds);
        let register = match instruction.operands.first() {
            Some(Operand::Register(register)) => Self::type_of(frame, *register),
            _ => ty,
        };
        if ty.kind() == Kind::Signed && register.bits() > ty.bits() {
            let narrow = self.computed(operation, [source]);
            if let Some(to) = to {
                self.widened(ty, register.bits(), to, narrow);
            }
        } else {
            self.emit(operation, to, [source]);
        }
        Ok(())
    }

    /// The result of a comparison, perhaps combined with a predicate.
    fn compared(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
        ty: Type,
    ) -> Result<(Source, Option<(Operation, Source)>), LowerError> {
        let a = self.source_at(frame, instruction, 1)?;
        let b = self.source_at(frame, instruction, 2)?;
        let compare = Arithmetic::Compare {
            of: number(ty),
            comparison: comparison(instruction),
            // The modifier of `set` may be for the result, and only comparisons of `.f32` flush (PTX ISA 9.7.6.1).
            flushes: instruction.modifiers.has(Modifier::Ftz) && ty == Type::F32,
        };
        let result = self.computed(Operation::Arithmetic(compare), [a, b]);
        let combine = match instruction.modifiers.among(Modifier::COMBINATIONS) {
            Some(Modifier::And) => Operation::And,
            Some(Modifier::Or) => Operation::Or,
            Some(_) => Operation::Xor,
            None => return Ok((result, None)),
        };
        let with = self.source_at(frame, instruction, 3)?;
        Ok((result, Some((combine, with))))
    }

    /// `setp`, with one destination or two, of which the second is that of the opposite.
    fn compares(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let (first, second) = match instruction.operands.first() {
            Some(Operand::Vector(both)) => (both.first(), both.get(1)),
            other => (other, None),
        };
        let first = self.written(frame, first);
        let second = self.written(frame, second);
        let ty = instruction.ty.unwrap_or(Type::B32);
        let (result, combined) = self.compared(frame, instruction, ty)?;
        if let (Some(first), None, None) = (first, second, combined)
            && let Some(compare) = self.code.lines.last_mut()
        {
            compare.destination = Some(first);
            return Ok(());
        }
        let one = Source::Immediate(1);
        let opposite = second.map(|_| self.computed(Operation::Xor, [result, one]));
        // The first destination may be the predicate that both are combined with.
        let mut both = [(first, Some(result)), (second, opposite)];
        if combined.is_some_and(|(_, with)| first.map(Source::Register) == Some(with)) {
            both.reverse();
        }
        for (to, value) in both {
            let (Some(to), Some(value)) = (to, value) else {
                continue;
            };
            match combined {
                Some((combine, with)) => self.emit(combine, Some(to), [value, with]),
                None => self.emit(Operation::Move, Some(to), [value]),
            }
        }
        Ok(())
    }

    /// `set`: all ones, or 1.0, if a comparison holds.
    fn sets(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let to = self.written(frame, instruction.operands.first());
        let ty = instruction.ty.unwrap_or(Type::U32);
        let (result, combined) =
            self.compared(frame, instruction, instruction.second.unwrap_or(ty))?;
        let result = match combined {
            Some((combine, with)) => self.computed(combine, [result, with]),
            None => result,
        };
        let holds = match ty {
            Type::F32 => u64::from(1.0f32.to_bits()),
            _ => u64::from(u32::MAX),
        };
        let sources = [result, Source::Immediate(holds), Source::Immediate(0)];
        self.emit(Operation::Select, to, sources);
        Ok(())
    }

    /// `selp` and `slct`.
    fn selects(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let to = self.written(frame, instruction.operands.first());
        let a = self.source_at(frame, instruction, 1)?;
        let b = self.source_at(frame, instruction, 2)?;
        let mut condition = self.source_at(frame, instruction, 3)?;
        if instruction.opcode == Opcode::Slct {
            let compare = Arithmetic::Compare {
                of: number(instruction.second.unwrap_or(Type::S32)),
                comparison: Comparison::Ordered(Relation::GreaterEqual),
                flushes: instruction.modifiers.has(Modifier::Ftz),
            };
            let zero = Source::Immediate(0);
            condition = self.computed(Operation::Arithmetic(compare), [condition, zero]);
        }
        self.emit(Operation::Select, to, [condition, a, b]);
        Ok(())
    }

    /// `bfi`, whose field is one source of the instruction.
    fn inserts(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let to = self.written(frame, instruction.operands.first());
        let a = self.source_at(frame, instruction, 1)?;
        let b = self.source_at(frame, instruction, 2)?;
        let first = self.source_at(frame, instruction, 3)?;
        let length = self.source_at(frame, instruction, 4)?;
        let field = match (first, length) {
            (Source::Immediate(first), Source::Immediate(length)) => {
                Source::Immediate(first & 0xff | (length & 0xff) << 8)
            }
            _ => {
                let low = self.computed(Operation::And, [first, Source::Immediate(0xff)]);
                let shift = Arithmetic::Whole(WholeOperation::ShiftLeft, Whole::U32);
                let shift = Operation::Arithmetic(shift);
                let high = self.computed(shift, [length, Source::Immediate(8)]);
                self.computed(Operation::Or, [low, high])
            }
        };
        let ty = instruction.ty.unwrap_or(Type::B32);
        let insert = Arithmetic::Whole(WholeOperation::Insert, whole(ty));
        self.emit(Operation::Arithmetic(insert), to, [a, b, field]);
        Ok(())
    }

    fn barrier(&mut self, instruction: &Instruction) -> Result<(), LowerError> {
        match instruction.operands.as_slice() {
            [Operand::Immediate(0)] => {
                self.emit(Operation::Barrier, None, []);
                Ok(())
            }
            [_] => Err(self.wrong("only barrier 0 is supported")),
            _ => Err(self.wrong("a barrier of some threads is not supported; use bar.sync 0")),
        }
    }
}

/// The state spaces that lie in global memory or are constants, as [`simt`](crate::simt) has them.
pub const fn space(space: Space) -> crate::simt::Space {
    match space {
        Space::Shared => crate::simt::Space::Shared,
        Space::Local => crate::simt::Space::Local,
        Space::Const | Space::Param => crate::simt::Space::Constant,
        Space::Global | Space::Generic => crate::simt::Space::Global,
    }
}

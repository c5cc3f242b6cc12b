//! Programs from Rust: instructions by the names of the assembler, registers by name, loops and
//! branches by closures.

use super::arithmetic::{Number, Whole};
use super::instruction::{Instruction, Operand, SpecialRegister};
use super::operation::{Atomic, Condition, Operation, Relation, Space, Width};
use super::program::{Program, ProgramError};

/// A register of a program that is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reg(pub u8);

impl From<Reg> for Operand {
    fn from(register: Reg) -> Self {
        Self::Register(register.0)
    }
}

impl From<SpecialRegister> for Operand {
    fn from(special: SpecialRegister) -> Self {
        Self::Special(special)
    }
}

impl From<u64> for Operand {
    fn from(value: u64) -> Self {
        Self::Immediate(value)
    }
}

impl From<i32> for Operand {
    fn from(value: i32) -> Self {
        Self::Immediate(i64::from(value).cast_unsigned())
    }
}

impl From<f32> for Operand {
    fn from(value: f32) -> Self {
        Self::Immediate(value.to_bits().into())
    }
}

/// Builds a program, instruction by instruction.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    instructions: Vec<Instruction>,
    registers: u8,
}

impl Builder {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A register that is not used yet; past the last one, the program is refused.
    pub fn register(&mut self) -> Reg {
        let register = Reg(self.registers);
        self.registers = self.registers.saturating_add(1);
        register
    }

    /// `N` registers that are not used yet.
    pub fn registers<const N: usize>(&mut self) -> [Reg; N] {
        std::array::from_fn(|_| self.register())
    }

    /// Checks what was built.
    ///
    /// # Errors
    /// As [`Program::new`].
    pub fn finish(self) -> Result<Program, ProgramError> {
        Program::new(self.instructions)
    }

    /// An instruction that writes `to`.
    pub fn op<const N: usize>(&mut self, operation: Operation, to: Reg, sources: [Operand; N]) {
        self.push(operation, Some(to), &sources, 0);
    }

    /// `to <- ld [address + offset]`.
    pub fn load(&mut self, space: Space, to: Reg, address: impl Into<Operand>, offset: i64) {
        let operation = Operation::Load(space, Width::Four);
        self.push(operation, Some(to), &[address.into()], offset);
    }

    /// `st [address + offset], data`.
    pub fn store(
        &mut self,
        space: Space,
        address: impl Into<Operand>,
        offset: i64,
        data: impl Into<Operand>,
    ) {
        let operation = Operation::Store(space, Width::Four);
        self.push(operation, None, &[address.into(), data.into()], offset);
    }

    /// `atom [address + offset], data`, without a destination.
    pub fn atomic_add(
        &mut self,
        space: Space,
        address: impl Into<Operand>,
        offset: i64,
        data: impl Into<Operand>,
    ) {
        let operation = Operation::Atomic(Atomic::Add, Number::Whole(Whole::U32), space);
        self.push(operation, None, &[address.into(), data.into()], offset);
    }

    /// `to <- atom [address + offset], data`: adds, and gives what was there before.
    pub fn fetch_add(
        &mut self,
        space: Space,
        to: Reg,
        address: impl Into<Operand>,
        offset: i64,
        data: impl Into<Operand>,
    ) {
        let operation = Operation::Atomic(Atomic::Add, Number::Whole(Whole::U32), space);
        self.push(operation, Some(to), &[address.into(), data.into()], offset);
    }

    /// A memory instruction, with what it has of a destination and of data.
    pub fn access(
        &mut self,
        operation: Operation,
        to: Option<Reg>,
        address: Reg,
        offset: i64,
        data: Option<Reg>,
    ) {
        let sources = [Some(address), data].into_iter().flatten();
        let sources: Vec<Operand> = sources.map(Operand::from).collect();
        self.push(operation, to, &sources, offset);
    }

    /// All warps of the block wait for each other.
    pub fn barrier(&mut self) {
        self.push(Operation::Barrier, None, &[], 0);
    }

    /// An exception is raised.
    pub fn trap(&mut self) {
        self.push(Operation::Trap, None, &[], 0);
    }

    /// The lanes end.
    pub fn exit(&mut self) {
        self.push(Operation::Exit, None, &[], 0);
    }

    /// The body for the lanes in which the condition is not 0.
    pub fn when(&mut self, condition: impl Into<Operand>, body: impl FnOnce(&mut Self)) {
        let branch = self.branch(Condition::Zero, &[condition.into()]);
        body(self);
        self.land(branch);
    }

    /// The first body for the lanes in which the condition is not 0, the second for the others.
    pub fn when_else(
        &mut self,
        condition: impl Into<Operand>,
        body: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let branch = self.branch(Condition::Zero, &[condition.into()]);
        body(self);
        let over = self.branch(Condition::Always, &[]);
        self.land(branch);
        otherwise(self);
        self.land(over);
    }

    /// The body again and again while the condition that it gives is not 0; once at least.
    pub fn repeat<C: Into<Operand>>(&mut self, body: impl FnOnce(&mut Self) -> C) {
        let start = self.instructions.len();
        let condition = body(self);
        let branch = self.branch(Condition::NotZero, &[condition.into()]);
        self.instructions[branch].target = start as u32;
    }

    /// The body while the condition that the first closure gives is not 0; perhaps never.
    pub fn repeat_while<C: Into<Operand>>(
        &mut self,
        condition: impl FnOnce(&mut Self) -> C,
        body: impl FnOnce(&mut Self),
    ) {
        let start = self.instructions.len();
        let condition = condition(self);
        let out = self.branch(Condition::Zero, &[condition.into()]);
        body(self);
        let back = self.branch(Condition::Always, &[]);
        self.instructions[back].target = start as u32;
        self.land(out);
    }

    fn branch(&mut self, condition: Condition, sources: &[Operand]) -> usize {
        self.push(Operation::Branch(condition), None, sources, 0);
        self.instructions.len() - 1
    }

    /// Lets a branch go to the next instruction.
    fn land(&mut self, branch: usize) {
        self.instructions[branch].target = self.instructions.len() as u32;
    }

    fn push(&mut self, operation: Operation, to: Option<Reg>, sources: &[Operand], offset: i64) {
        let mut instruction = Instruction::new(operation);
        instruction.destination = to.map(|register| register.0);
        instruction.offset = offset;
        for (place, &source) in instruction.sources.iter_mut().zip(sources) {
            *place = source;
        }
        self.instructions.push(instruction);
    }
}

/// Instructions with one source.
macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident = $operation:expr;)*) => {
        impl Builder { $(
            $(#[$doc])*
            pub fn $name(&mut self, to: Reg, source: impl Into<Operand>) {
                self.op($operation, to, [source.into()]);
            }
        )* }
    };
}

/// Instructions with two sources.
macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $operation:expr;)*) => {
        impl Builder { $(
            $(#[$doc])*
            pub fn $name(&mut self, to: Reg, left: impl Into<Operand>, right: impl Into<Operand>) {
                self.op($operation, to, [left.into(), right.into()]);
            }
        )* }
    };
}

/// Instructions with three sources.
macro_rules! ternary {
    ($($(#[$doc:meta])* $name:ident = $operation:expr;)*) => {
        impl Builder { $(
            $(#[$doc])*
            pub fn $name(
                &mut self,
                to: Reg,
                first: impl Into<Operand>,
                second: impl Into<Operand>,
                third: impl Into<Operand>,
            ) {
                self.op($operation, to, [first.into(), second.into(), third.into()]);
            }
        )* }
    };
}

unary! {
    /// `to <- mov source`.
    mov = Operation::Move;
    /// `to <- i2f source`.
    to_float = Operation::ToFloat;
    /// `to <- rcp source`.
    rcp = Operation::Reciprocal;
    /// `to <- sqrt source`.
    sqrt = Operation::SquareRoot;
    /// `to <- rsqrt source`.
    rsqrt = Operation::InverseSquareRoot;
    /// `to <- sin source`.
    sin = Operation::Sine;
    /// `to <- cos source`.
    cos = Operation::Cosine;
    /// `to <- exp2 source`.
    exp2 = Operation::Exponential;
}

binary! {
    /// `to <- add left, right`.
    add = Operation::Add;
    /// `to <- sub left, right`.
    sub = Operation::Subtract;
    /// `to <- mul left, right`.
    mul = Operation::Multiply;
    /// `to <- div left, right`.
    div = Operation::Divide;
    /// `to <- rem left, right`.
    rem = Operation::Remainder;
    /// `to <- min left, right`.
    min = Operation::Minimum;
    /// `to <- max left, right`.
    max = Operation::Maximum;
    /// `to <- and left, right`.
    and = Operation::And;
    /// `to <- or left, right`.
    or = Operation::Or;
    /// `to <- shl left, right`.
    shl = Operation::ShiftLeft;
    /// `to <- shr left, right`.
    shr = Operation::ShiftRight;
    /// `to <- seteq left, right`.
    set_eq = Operation::Compare(Relation::Equal);
    /// `to <- setlt left, right`.
    set_lt = Operation::Compare(Relation::Less);
    /// `to <- fadd left, right`.
    fadd = Operation::FloatAdd;
    /// `to <- fsub left, right`.
    fsub = Operation::FloatSubtract;
    /// `to <- fmul left, right`.
    fmul = Operation::FloatMultiply;
    /// `to <- fsetlt left, right`.
    fset_lt = Operation::FloatCompare(Relation::Less);
    /// `to <- fsetge left, right`.
    fset_ge = Operation::FloatCompare(Relation::GreaterEqual);
}

ternary! {
    /// `to <- mad first, second, third`.
    mad = Operation::MultiplyAdd;
    /// `to <- fma first, second, third`.
    fma = Operation::FloatMultiplyAdd;
    /// `to <- select condition, then, otherwise`.
    select = Operation::Select;
}

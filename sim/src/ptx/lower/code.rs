//! A program while it is lowered: any number of registers, labels, and addresses with their state space.

use crate::ptx::words::Space;
use crate::simt::{Arithmetic, Number, Operation, SpecialRegister, WholeOperation};

/// A register; those of all functions that are inlined are numbered one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Virtual(pub u32);

/// A source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// There is none.
    None,
    /// A register.
    Register(Virtual),
    /// The same value for all lanes.
    Immediate(u64),
    /// The address of a variable in a state space.
    Address(Space, u64),
    /// What the lane knows about its place.
    Special(SpecialRegister),
}

/// A place in the program, of which nothing but the number is known at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target(pub usize);

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line in the file.
    pub number: u32,
    pub operation: Operation,
    /// The address of a memory operation is generic; its space is still to be found.
    pub is_generic: bool,
    /// Accesses before it stay before it, and those behind it behind it: it is volatile, or the first one behind a fence.
    pub is_ordered: bool,
    /// The state space that the instruction gives to the address that it makes.
    pub marks: Option<Space>,
    pub destination: Option<Virtual>,
    pub sources: [Source; 3],
    pub offset: i64,
    pub target: Option<Target>,
}

impl Line {
    pub const fn new(number: u32, operation: Operation) -> Self {
        Self {
            number,
            operation,
            is_generic: false,
            is_ordered: false,
            marks: None,
            destination: None,
            sources: [Source::None; 3],
            offset: 0,
            target: None,
        }
    }

    /// Whether its result has more than 32 bits.
    pub const fn is_wide(operation: Operation) -> bool {
        let bits = match operation {
            Operation::Arithmetic(Arithmetic::Whole(operation, whole)) => match operation {
                WholeOperation::MultiplyWide | WholeOperation::MultiplyAddWide => 2 * whole.bits(),
                WholeOperation::CountOnes
                | WholeOperation::CountLeadingZeros
                | WholeOperation::HighestBit
                | WholeOperation::HighestBitShift => 32,
                _ => whole.bits(),
            },
            Operation::Arithmetic(Arithmetic::Real(_, real, _)) => Number::Real(real).bits(),
            Operation::Arithmetic(Arithmetic::Convert { to, .. }) => to.bits(),
            Operation::Arithmetic(Arithmetic::Join(bits)) => bits,
            _ => 1,
        };
        bits > 32
    }

    pub fn reads(&self) -> impl Iterator<Item = Virtual> + '_ {
        self.sources.iter().filter_map(|source| match source {
            Source::Register(register) => Some(*register),
            _ => None,
        })
    }
}

/// The program.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub lines: Vec<Line>,
    /// The line that each target stands for; the number of lines at the end.
    pub targets: Vec<usize>,
    /// Whether each register holds more than 32 bits.
    pub wide: Vec<bool>,
    /// Bytes of local memory of a thread.
    pub local: u32,
}

impl Code {
    /// The number of registers.
    pub fn registers(&self) -> u32 {
        self.wide.len() as u32
    }

    /// A register of its own.
    pub fn register(&mut self, is_wide: bool) -> Virtual {
        self.wide.push(is_wide);
        Virtual(self.registers() - 1)
    }

    /// A target that is not placed yet.
    pub fn target(&mut self) -> Target {
        self.targets.push(0);
        Target(self.targets.len() - 1)
    }

    /// Places a target before the next line.
    pub fn land(&mut self, target: Target) {
        let place = self.lines.len();
        if let Some(target) = self.targets.get_mut(target.0) {
            *target = place;
        }
    }

    /// The line of a target.
    pub fn place(&self, target: Target) -> usize {
        self.targets
            .get(target.0)
            .copied()
            .unwrap_or(self.lines.len())
    }
}

//! One instruction of a program, and its text in the notation of the paper.

use std::fmt;

use super::operation::{Class, Condition, Operation};

/// The register that reads as zero and is never written.
pub const ZERO_REGISTER: u8 = 255;

/// What a lane knows about its place in the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecialRegister {
    /// Coordinate of the thread in its block: 0 for x, 1 for y, 2 for z.
    Thread(u8),
    /// Coordinate of the thread block in the grid.
    Block(u8),
    /// Threads of a block along a coordinate.
    BlockSize(u8),
    /// Thread blocks of the grid along a coordinate.
    GridSize(u8),
    /// Number of the lane in its warp.
    Lane,
    /// Number of the warp in its block.
    Warp,
    /// Where the local memory of the lane begins, if a thread has so many bytes of it.
    Local(u32),
}

/// The special registers that a program's text may have, with their names.
pub(super) const SPECIAL_NAMES: [(&str, SpecialRegister); 14] = [
    ("thread.x", SpecialRegister::Thread(0)),
    ("thread.y", SpecialRegister::Thread(1)),
    ("thread.z", SpecialRegister::Thread(2)),
    ("block.x", SpecialRegister::Block(0)),
    ("block.y", SpecialRegister::Block(1)),
    ("block.z", SpecialRegister::Block(2)),
    ("block_size.x", SpecialRegister::BlockSize(0)),
    ("block_size.y", SpecialRegister::BlockSize(1)),
    ("block_size.z", SpecialRegister::BlockSize(2)),
    ("grid_size.x", SpecialRegister::GridSize(0)),
    ("grid_size.y", SpecialRegister::GridSize(1)),
    ("grid_size.z", SpecialRegister::GridSize(2)),
    ("lane", SpecialRegister::Lane),
    ("warp", SpecialRegister::Warp),
];

/// A source of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register, a value a lane; [`ZERO_REGISTER`] is zero.
    Register(u8),
    /// The same value for all lanes; a float stands in the lower half.
    Immediate(u64),
    /// What the lane knows about its place.
    Special(SpecialRegister),
}

/// An instruction: at most one destination and three sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// What it does.
    pub operation: Operation,
    /// The register that it writes.
    pub destination: Option<u8>,
    /// What it reads; past [`Operation::sources`] stands [`ZERO_REGISTER`]. A memory instruction
    /// has its address first and its data second, a branch its condition first.
    pub sources: [Operand; 3],
    /// What a memory instruction adds to its address.
    pub offset: i64,
    /// Where a branch goes, as the number of an instruction.
    pub target: u32,
}

impl Instruction {
    /// Sources that are not there.
    pub const NO_SOURCES: [Operand; 3] = [Operand::Register(ZERO_REGISTER); 3];

    /// An instruction without destination, sources, offset and target.
    #[must_use]
    pub const fn new(operation: Operation) -> Self {
        Self {
            operation,
            destination: None,
            sources: Self::NO_SOURCES,
            offset: 0,
            target: 0,
        }
    }

    /// The unit that it needs.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.operation.class()
    }

    /// The sources that are there.
    #[must_use]
    pub fn operands(&self) -> &[Operand] {
        &self.sources[..self.operation.sources()]
    }

    /// The registers that it reads, in the order of its sources, without the zero register; one
    /// that is read twice comes twice.
    pub fn source_registers(&self) -> impl Iterator<Item = u8> + '_ {
        self.operands().iter().filter_map(|operand| match operand {
            Operand::Register(ZERO_REGISTER) => None,
            Operand::Register(register) => Some(*register),
            _ => None,
        })
    }

    /// The register of the address of a memory instruction, unless the address is a constant.
    #[must_use]
    pub fn address_register(&self) -> Option<u8> {
        self.operation.memory()?;
        register(self.sources[0])
    }

    /// The register of the data that a store or atomic writes, unless they are a constant.
    #[must_use]
    pub fn data_register(&self) -> Option<u8> {
        self.operation.memory()?;
        register(self.sources[1])
    }
}

fn register(operand: Operand) -> Option<u8> {
    match operand {
        Operand::Register(ZERO_REGISTER) => None,
        Operand::Register(register) => Some(register),
        _ => None,
    }
}

impl fmt::Display for SpecialRegister {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Local(bytes) = self {
            return write!(formatter, "local({bytes})");
        }
        let known = SPECIAL_NAMES.iter().find(|(_, special)| special == self);
        formatter.write_str(known.map_or("", |(name, _)| name))
    }
}

/// Writes a source; whether it is a float is not in its bits.
fn operand(formatter: &mut fmt::Formatter<'_>, operand: Operand, float: bool) -> fmt::Result {
    match operand {
        Operand::Register(register) => write!(formatter, "R{register}"),
        Operand::Special(special) => write!(formatter, "{special}"),
        Operand::Immediate(bits) => {
            let value = u32::try_from(bits).map(f32::from_bits);
            match value {
                Ok(value) if float && value.is_finite() => write!(formatter, "{value:?}"),
                _ if !float && bits < 1 << 16 => write!(formatter, "{bits}"),
                _ if !float && bits.wrapping_neg() < 1 << 16 => {
                    write!(formatter, "{}", bits.cast_signed())
                }
                _ => write!(formatter, "{bits:#x}"),
            }
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(destination) = self.destination {
            write!(formatter, "R{destination} <- ")?;
        }
        formatter.write_str(&self.operation.name())?;
        let memory = self.operation.memory().is_some();
        for (place, &source) in self.operands().iter().enumerate() {
            formatter.write_str(if place == 0 { " " } else { ", " })?;
            if memory && place == 0 {
                formatter.write_str("[")?;
                operand(formatter, source, false)?;
                match self.offset {
                    0 => {}
                    1.. => write!(formatter, " + {}", self.offset)?,
                    _ => write!(formatter, " - {}", self.offset.unsigned_abs())?,
                }
                formatter.write_str("]")?;
            } else {
                operand(formatter, source, self.operation.takes_floats())?;
            }
        }
        match self.operation {
            Operation::Branch(Condition::Always) => write!(formatter, " L{}", self.target),
            Operation::Branch(_) => write!(formatter, ", L{}", self.target),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::operation::{Space, Width};
    use super::*;

    #[test]
    fn text_is_the_notation_of_the_paper() {
        let load = Instruction {
            destination: Some(3),
            sources: [
                Operand::Register(2),
                Instruction::NO_SOURCES[1],
                Instruction::NO_SOURCES[2],
            ],
            ..Instruction::new(Operation::Load(Space::Global, Width::Four))
        };
        assert_eq!(load.to_string(), "R3 <- ld [R2]");
        let store = Instruction {
            operation: Operation::Store(Space::Global, Width::Four),
            destination: None,
            sources: [
                Operand::Register(4),
                Operand::Register(5),
                Instruction::NO_SOURCES[2],
            ],
            offset: -8,
            ..load
        };
        assert_eq!(store.to_string(), "st [R4 - 8], R5");
        assert_eq!(store.source_registers().collect::<Vec<_>>(), [4, 5]);
        assert_eq!(
            (store.address_register(), store.data_register()),
            (Some(4), Some(5))
        );
    }
}

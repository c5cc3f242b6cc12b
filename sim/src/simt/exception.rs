//! Exceptions of instructions besides page faults (Tanasic et al., MICRO-50, sections 2.2 and 3.1).

use std::fmt;

/// What an instruction raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exception {
    /// The divisor of an integer division is 0.
    DivisionByZero,
    /// The instruction is a trap.
    Trap,
}

impl fmt::Display for Exception {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::DivisionByZero => "a division by zero",
            Self::Trap => "a trap",
        })
    }
}

/// A warp instruction that has raised an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Raised {
    /// Number of the thread block.
    pub block: u32,
    /// Number of the warp in the block.
    pub warp: u32,
    /// Program counter of the instruction.
    pub pc: u32,
    /// What it has raised.
    pub exception: Exception,
    /// The lanes that have raised it, a bit each.
    pub lanes: u32,
}

impl fmt::Display for Raised {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            block,
            warp,
            pc,
            exception,
            lanes,
        } = self;
        let count = lanes.count_ones();
        let noun = if count == 1 { "lane" } else { "lanes" };
        write!(
            formatter,
            "thread block {block}, warp {warp}, pc {pc}: {exception} in {count} {noun}"
        )
    }
}

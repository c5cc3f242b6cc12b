//! Why a text is no PTX.

use thiserror::Error;

use super::words::Type;
use crate::place::shown;

/// Why a text is no PTX, without the place, which [`PtxError::line`] knows; lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{fault}")]
pub struct PtxError {
    /// The line.
    pub line: u32,
    /// What is wrong there.
    pub fault: Fault,
}

/// The kinds of fault; the text is the error's sentence.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// Something else should stand there.
    #[error("{}", stands(.text, .expected))]
    Unexpected {
        /// What stands there; nothing at the end of the file.
        text: String,
        /// What should.
        expected: String,
    },
    /// PTX has no such instruction.
    #[error("PTX has no instruction {}; check its spelling", shown(.0))]
    Mnemonic(String),
    /// The suffixes of a mnemonic do not belong together.
    #[error("{}: {reason}", shown(.instruction))]
    Suffix {
        /// The mnemonic with its suffixes.
        instruction: String,
        /// What is wrong.
        reason: String,
    },
    /// A name is not declared.
    #[error("{} is not declared before this line; declare it, or check its spelling", shown(.0))]
    Unknown(String),
    /// A label is not in the function.
    #[error("the label {} is in no scope around this branch; add it, or check its spelling", shown(.0))]
    Label(String),
    /// A name is declared a second time.
    #[error("{} is declared on line {first} already; rename one of the two", shown(.name))]
    Twice {
        /// The name.
        name: String,
        /// The line of the first declaration.
        first: u32,
    },
    /// An instruction has too few or too many operands.
    #[error("{} takes {takes}; add or remove operands", shown(.instruction))]
    Operands {
        /// The mnemonic with its suffixes, or the function.
        instruction: String,
        /// How many it takes.
        takes: String,
    },
    /// An operand has the wrong type.
    #[error("{} is {has}, but {} takes {wants} there", shown(.operand), shown(.instruction))]
    Mismatch {
        /// The operand.
        operand: String,
        /// What it is.
        has: String,
        /// The mnemonic with its suffixes.
        instruction: String,
        /// What belongs there.
        wants: String,
    },
    /// A size or number is beyond what this reader takes.
    #[error("{what} is more than {limit}; reduce it")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// The most that is possible.
        limit: u64,
    },
}

impl Fault {
    /// Its error on this line.
    pub(super) fn on(self, line: u32) -> PtxError {
        PtxError { line, fault: self }
    }

    /// What ends a statement on this line.
    pub(super) fn at(self, line: u32) -> Stop {
        Stop::Wrong(self.on(line))
    }

    /// A register of a type where another one belongs.
    pub(super) fn mismatch(operand: &str, has: Type, instruction: &str, wants: &str) -> Self {
        Self::Mismatch {
            operand: operand.to_owned(),
            has: format!("of type .{has}"),
            instruction: instruction.to_owned(),
            wants: wants.to_owned(),
        }
    }
}

/// Why a statement is left before its end.
pub(super) enum Stop {
    /// It is no PTX.
    Wrong(PtxError),
    /// It is PTX, and not supported for this reason.
    Unsupported(String),
}

/// What stands where something else should.
fn stands(text: &str, expected: &str) -> String {
    match text {
        "" => format!("the file ends where {expected} should stand"),
        _ => format!("\"{}\" stands where {expected} should", shown(text)),
    }
}

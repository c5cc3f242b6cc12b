//! Programs from text, an instruction a line, in the notation of the paper.
//!
//! ```text
//! # Comments run to the end of the line.
//! A: R3 <- ld [R2]
//! B: R9 <- sub R9, 4
//!    st.64 [R4 + 16], R5
//!    R1 <- fma R1, 0.5, R2
//!    R0 <- mad block.x, block_size.x, thread.x
//!    brnz R9, A
//!    exit
//! ```

use std::collections::HashMap;

use thiserror::Error;

use super::instruction::{Instruction, Operand, SPECIAL_NAMES, ZERO_REGISTER};
use super::operation::{Destination, Operation};
use super::program::{Program, ProgramError};
use crate::numbers::unsigned;

/// Why a text is no program, without the place, which [`AssemblyError::line`] knows; lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AssemblyError {
    /// Something else should stand there.
    #[error("{}", stands(.text, .expected))]
    Unexpected {
        /// The line.
        line: usize,
        /// What stands there; nothing at the end of the line.
        text: String,
        /// What should.
        expected: &'static str,
    },
    /// There is no operation of this name.
    #[error("there is no operation {}; there are {}", shown(.text), operations())]
    Operation {
        /// The line.
        line: usize,
        /// The name.
        text: String,
    },
    /// A label names two places.
    #[error("the label {} stands on line {first} already", shown(.label))]
    Twice {
        /// The second line.
        line: usize,
        /// The first line.
        first: usize,
        /// The label.
        label: String,
    },
    /// The lines are no program together.
    #[error("{0}")]
    Program(#[from] ProgramError),
}

impl AssemblyError {
    /// The line that is wrong, if it is one.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        match *self {
            Self::Unexpected { line, .. }
            | Self::Operation { line, .. }
            | Self::Twice { line, .. } => Some(line),
            Self::Program(_) => None,
        }
    }
}

/// Text for an error's sentence: short, and on one line.
fn shown(text: &str) -> String {
    const MOST: usize = 40;
    let start: String = text.chars().take(MOST).collect();
    let rest = if start.len() < text.len() { "..." } else { "" };
    format!("{}{rest}", start.escape_debug())
}

/// What stands where something else should.
fn stands(text: &str, expected: &str) -> String {
    match text {
        "" => format!("the line ends where {expected} should stand"),
        _ => format!("\"{}\" stands where {expected} should", shown(text)),
    }
}

/// The names of all operations.
fn operations() -> String {
    let names: Vec<_> = Operation::all().map(Operation::name).collect();
    names.join(", ")
}

/// Reads a program.
///
/// # Errors
/// If a line is no instruction, or the lines are no program; the error names the line and what should
/// stand there.
pub fn assemble(text: &str) -> Result<Program, AssemblyError> {
    let mut labels = HashMap::new();
    let mut instructions = Vec::new();
    // Where a branch goes is known when all labels are.
    let mut branches = Vec::new();
    for (place, source) in text.lines().enumerate() {
        let number = place + 1;
        let code = source.split_once('#').map_or(source, |(code, _)| code);
        let mut line = Line {
            number,
            rest: code.trim(),
        };
        while let Some(label) = line.label()? {
            if let Some((_, first)) = labels.insert(label, (instructions.len(), number)) {
                let label = label.to_owned();
                return Err(AssemblyError::Twice {
                    line: number,
                    first,
                    label,
                });
            }
        }
        if line.rest.is_empty() {
            continue;
        }
        let (instruction, target) = line.instruction()?;
        if let Some(label) = target {
            branches.push((instructions.len(), number, label));
        }
        instructions.push(instruction);
    }
    for (branch, line, label) in branches {
        let unknown = || AssemblyError::Unexpected {
            line,
            text: label.to_owned(),
            expected: "a label of this program",
        };
        let &(target, _) = labels.get(label).ok_or_else(unknown)?;
        instructions[branch].target = u32::try_from(target).unwrap_or(u32::MAX);
    }
    Ok(Program::new(instructions)?)
}

/// What is left of a line.
struct Line<'text> {
    number: usize,
    rest: &'text str,
}

impl<'text> Line<'text> {
    fn unexpected(&self, text: &str, expected: &'static str) -> AssemblyError {
        AssemblyError::Unexpected {
            line: self.number,
            text: text.to_owned(),
            expected,
        }
    }

    /// Takes a word: letters, digits, points and underlines.
    fn word(&mut self) -> &'text str {
        let inside = |letter: char| letter.is_ascii_alphanumeric() || "._".contains(letter);
        let end = self.rest.find(|letter| !inside(letter));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        word
    }

    /// Takes a mark if it comes next.
    fn mark(&mut self, mark: &str) -> bool {
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    fn expect(&mut self, mark: &str, expected: &'static str) -> Result<(), AssemblyError> {
        match self.mark(mark) {
            true => Ok(()),
            false => Err(self.unexpected(self.rest, expected)),
        }
    }

    /// Takes a label if one comes next. It is no number, which would name a line.
    fn label(&mut self) -> Result<Option<&'text str>, AssemblyError> {
        let mut ahead = Line { ..*self };
        let label = ahead.word();
        if label.is_empty() || !ahead.mark(":") {
            return Ok(None);
        }
        if label.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.unexpected(label, "a label that is no number, such as L1,"));
        }
        self.rest = ahead.rest;
        Ok(Some(label))
    }

    /// The whole instruction, and the label that it goes to.
    fn instruction(&mut self) -> Result<(Instruction, Option<&'text str>), AssemblyError> {
        let line = self.rest;
        let first = self.word();
        let (destination, name) = match self.mark("<-") || self.mark("\u{2190}") {
            true => (Some(first), self.word()),
            false => (None, first),
        };
        let unknown = || match name {
            "" => self.unexpected(self.rest, "the name of an operation, such as add or ld,"),
            _ => AssemblyError::Operation {
                line: self.number,
                text: name.to_owned(),
            },
        };
        let operation = Operation::named(name).ok_or_else(unknown)?;
        let mut instruction = Instruction::new(operation);
        instruction.destination = match (operation.destination(), destination) {
            (Destination::Needed, None) => {
                return Err(self.unexpected(line, "a destination, such as \"R1 <- \","));
            }
            (Destination::Absent, Some(_)) => {
                return Err(self.unexpected(line, "an instruction without a destination"));
            }
            (_, None) => None,
            (_, Some(text)) => {
                let written = register(text).filter(|&register| register != ZERO_REGISTER);
                let expected = "a register that can be written, R0 to R254,";
                let shown = if text.is_empty() { line } else { text };
                Some(written.ok_or_else(|| self.unexpected(shown, expected))?)
            }
        };
        for place in 0..operation.sources() {
            if place > 0 {
                self.expect(",", "a comma and another source")?;
            }
            instruction.sources[place] = if place == 0 && operation.memory().is_some() {
                let (address, offset) = self.address()?;
                instruction.offset = offset;
                address
            } else {
                self.operand(operation.takes_floats())?
            };
        }
        let mut target = None;
        if matches!(operation, Operation::Branch(_)) {
            if operation.sources() > 0 {
                self.expect(",", "a comma and a label")?;
            }
            target = Some(self.word());
        }
        match self.rest {
            "" => Ok((instruction, target)),
            rest => Err(self.unexpected(rest, "the end of the line")),
        }
    }

    /// `[R2]`, `[R2 + 16]`, `[0x1000]`.
    fn address(&mut self) -> Result<(Operand, i64), AssemblyError> {
        self.expect("[", "an address, such as [R2 + 16],")?;
        let address = self.operand(false)?;
        let mut offset = 0;
        let negative = self.rest.starts_with('-');
        if self.mark("+") || self.mark("-") {
            let text = self.word();
            let sign = if negative { "-" } else { "" };
            let number = format!("{sign}{text}").parse().ok();
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            let expected = "an offset, a decimal number of 64 bits,";
            let shown = if text.is_empty() { self.rest } else { text };
            offset = number
                .filter(|_| digits)
                .ok_or_else(|| self.unexpected(shown, expected))?;
        }
        self.expect("]", "the bracket that ends the address")?;
        Ok((address, offset))
    }

    fn operand(&mut self, float: bool) -> Result<Operand, AssemblyError> {
        const EXPECTED: &str = "a source (a register R0 to R255, a number, or such as thread.x)";
        let start = self.rest;
        let negative = self.mark("-");
        let mut end = start.len() - self.rest.len() + self.word().len();
        // An exponent has a sign of its own.
        if start[..end].ends_with(['e', 'E']) && start[end..].starts_with('-') {
            self.mark("-");
            end = start.len() - self.rest.len() + self.word().len();
        }
        let text = &start[..end];
        let special = SPECIAL_NAMES.iter().find(|(name, _)| *name == text);
        let operand = match (register(text), special) {
            (Some(register), _) => Some(Operand::Register(register)),
            (_, Some(&(_, special))) => Some(Operand::Special(special)),
            _ => number(text, negative, float).map(Operand::Immediate),
        };
        operand.ok_or_else(|| self.unexpected(if text.is_empty() { start } else { text }, EXPECTED))
    }
}

fn register(text: &str) -> Option<u8> {
    unsigned(text.strip_prefix('R')?, 10)
}

/// Hexadecimal bits with 0x, a float, or a decimal integer, which has no point or exponent and does not
/// stand where a float should.
fn number(text: &str, negative: bool, float: bool) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    if !text
        .trim_start_matches('-')
        .starts_with(|first: char| first.is_ascii_digit())
    {
        return None;
    }
    if float || text.contains(['.', 'e', 'E']) {
        let value: f32 = text.parse().ok()?;
        return value.is_finite().then_some(value.to_bits().into());
    }
    match negative {
        true => text.parse().ok().map(i64::cast_unsigned),
        false => text.parse().ok(),
    }
}

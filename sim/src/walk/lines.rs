//! Lines of images and requests, with what can be wrong with them.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use thiserror::Error;

use crate::numbers::unsigned;
use crate::place::place;

/// Bytes of a line at most.
const LONGEST: u64 = 4096;

/// A file that cannot be used: which line, counted from 1 (0 for the file as a whole), and what is wrong there.
#[derive(Debug, Error)]
#[error("{}: {fault}", place(.file, *.line))]
pub struct LineError {
    /// The file's name as it was given.
    pub file: String,
    /// The line.
    pub line: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong; the text is the second half of the error's sentence.
#[derive(Debug, Error)]
pub enum Fault {
    /// The file cannot be opened or read.
    #[error("the file cannot be read ({0}); check its name and permissions")]
    Read(io::Error),
    /// It is no text.
    #[error("this is no text; give lines of hexadecimal numbers")]
    Binary,
    /// A line is too long.
    #[error("the line is longer than {LONGEST} bytes; check the file")]
    Long,
    /// A line has another number of fields.
    #[error("the line has {found} {}, but should have {expected}", if *found == 1 { "field" } else { "fields" })]
    Fields {
        /// Fields that are there.
        found: usize,
        /// Fields that should be.
        expected: &'static str,
    },
    /// A number is none.
    #[error("the {field} \"{text}\" is no hexadecimal number of at most 64 bits")]
    Number {
        /// The field's name.
        field: &'static str,
        /// What stands there.
        text: String,
    },
    /// A word is another one.
    #[error("the {field} is \"{text}\", but should be {expected}")]
    Word {
        /// The field's name.
        field: &'static str,
        /// What stands there.
        text: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// An address lies within a word.
    #[error("the address {address:#x} is no multiple of 8; give the address of a 64-bit word")]
    Unaligned {
        /// The address.
        address: u64,
    },
    /// An address lies outside of memory.
    #[error("the address {address:#x} lies outside of memory, which ends at {limit:#x}")]
    Outside {
        /// The address.
        address: u64,
        /// The end of memory.
        limit: u64,
    },
    /// An address has more bits than a physical address.
    #[error(
        "the address {address:#x} is not below 2^{physical_bits}, so no walk can reach it; check it, or give the machine wider \
         physical addresses (MAXPHYADDR)"
    )]
    Unreachable {
        /// The address.
        address: u64,
        /// Bits of a physical address.
        physical_bits: u8,
    },
    /// A value is the end of the file.
    #[error(
        "the file ends with the value \"{text}\" and without a line break, so digits may be missing; end the line with a \
         line break"
    )]
    Cut {
        /// What stands there.
        text: String,
    },
    /// A word is listed with two values.
    #[error("the word at {address:#x} has another value in line {line}; keep one of them")]
    Contradicts {
        /// The word's address.
        address: u64,
        /// The line that lists it first.
        line: u64,
    },
}

/// Lines without comments, one at a time.
pub(super) struct Lines {
    input: BufReader<File>,
    file: String,
    number: u64,
    text: String,
    /// Nothing comes after the text of the last line, no line break either.
    open: bool,
}

impl Lines {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, LineError> {
        let file = path.display().to_string();
        match File::open(path) {
            Ok(input) => Ok(Self {
                input: BufReader::new(input),
                file,
                number: 0,
                text: String::new(),
                open: false,
            }),
            Err(error) => Err(LineError {
                file,
                line: 0,
                fault: Fault::Read(error),
            }),
        }
    }

    /// The number of the last line, counted from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The file ends with the text of the last line: if it was cut, that may not be all of it.
    pub const fn is_open(&self) -> bool {
        self.open
    }

    /// An error in the last line.
    pub fn error(&self, fault: Fault) -> LineError {
        LineError {
            file: self.file.clone(),
            line: self.number,
            fault,
        }
    }

    /// The next line that holds something, without its comment.
    pub fn next(&mut self) -> Result<Option<&str>, LineError> {
        loop {
            let mut bytes = Vec::new();
            let mut limited = (&mut self.input).take(LONGEST + 1);
            let read = limited.read_until(b'\n', &mut bytes);
            self.number += 1;
            match read {
                Err(error) => {
                    self.number -= 1;
                    return Err(self.error(Fault::Read(error)));
                }
                Ok(0) => return Ok(None),
                Ok(length) if length as u64 > LONGEST => return Err(self.error(Fault::Long)),
                Ok(_) => {}
            }
            let text = String::from_utf8(bytes).map_err(|_| self.error(Fault::Binary))?;
            if text.contains('\0') {
                return Err(self.error(Fault::Binary));
            }
            // Some editors write a byte order mark before a text.
            let text = match self.number {
                1 => text.strip_prefix('\u{feff}').unwrap_or(&text),
                _ => &text,
            };
            let told = text.split('#').next().unwrap_or_default().trim();
            if !told.is_empty() {
                self.open = text.trim_start() == told;
                self.text = told.to_owned();
                return Ok(Some(&self.text));
            }
        }
    }
}

/// The digits of a hexadecimal number, which may begin with `0x`.
pub(super) fn digits(text: &str) -> &str {
    let after = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    after.unwrap_or(text)
}

/// Reads a hexadecimal number of at most 64 bits, with or without `0x`.
#[must_use]
pub fn hexadecimal(text: &str) -> Option<u64> {
    unsigned(digits(text), 16)
}

//! A memory image: text, a word a line.

use std::collections::HashMap;
use std::path::Path;

use super::Memory;
use super::lines::{Fault, LineError, Lines, digits, hexadecimal};
use crate::place::shown;

/// Digits of the longest value, of which none can be missing.
const DIGITS: usize = 16;

/// Words of memory; what is not listed is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    words: HashMap<u64, u64>,
    limit: Option<u64>,
}

impl Image {
    /// Zeros up to `limit`, in bytes, or without an end.
    #[must_use]
    pub fn new(limit: Option<u64>) -> Self {
        Self {
            words: HashMap::new(),
            limit,
        }
    }

    /// Reads an image of memory up to `limit`, of physical addresses of so many bits: a line is the address of a word and its
    /// value, hexadecimal; `#` begins a comment.
    ///
    /// # Errors
    /// If the file cannot be read; if a line is not an address, a multiple of eight that a walk can name and inside of
    /// memory, and a value of 64 bits; if it contradicts an earlier one; if the file ends in the middle of a line, with a value of which digits may be
    /// missing.
    pub fn read(path: &Path, limit: Option<u64>, physical_bits: u8) -> Result<Self, LineError> {
        let mut lines = Lines::open(path)?;
        let mut image = Self::new(limit);
        let mut listed: HashMap<u64, u64> = HashMap::new();
        while let Some(line) = lines.next()? {
            let line = line.to_owned();
            let open = lines.is_open();
            let word = word(&line, limit, physical_bits).and_then(|(address, value)| {
                if let Some(text) = line.split_whitespace().last().filter(|_| open)
                    && digits(text).len() < DIGITS
                {
                    let text = shown(text);
                    return Err(Fault::Cut { text });
                }
                let first = listed.entry(address).or_insert(lines.number());
                match image.words.insert(address, value) {
                    Some(other) if other != value => Err(Fault::Contradicts {
                        address,
                        line: *first,
                    }),
                    _ => Ok(()),
                }
            });
            word.map_err(|fault| lines.error(fault))?;
        }
        Ok(image)
    }

    /// Puts a word.
    pub fn put(&mut self, address: u64, value: u64) {
        self.words.insert(address, value);
    }
}

impl Memory for Image {
    fn read(&self, address: u64) -> Option<u64> {
        let inside = self.limit.is_none_or(|limit| address | 7 < limit);
        inside.then(|| self.words.get(&address).copied().unwrap_or(0))
    }

    fn set(&mut self, address: u64, bits: u64) -> Option<u64> {
        let word = self.read(address)? | bits;
        self.words.insert(address, word);
        Some(word)
    }
}

fn word(line: &str, limit: Option<u64>, physical_bits: u8) -> Result<(u64, u64), Fault> {
    let fields: Vec<_> = line.split_whitespace().collect();
    let [address, value] = fields[..] else {
        return Err(Fault::Fields {
            found: fields.len(),
            expected: "two, an address and a value",
        });
    };
    let number = |text: &str, field: &'static str| {
        hexadecimal(text).ok_or_else(|| Fault::Number {
            field,
            text: shown(text),
        })
    };
    let (address, value) = (number(address, "address")?, number(value, "value")?);
    if !address.is_multiple_of(8) {
        return Err(Fault::Unaligned { address });
    }
    if address >> physical_bits != 0 {
        return Err(Fault::Unreachable {
            address,
            physical_bits,
        });
    }
    match limit {
        Some(limit) if address | 7 >= limit => Err(Fault::Outside { address, limit }),
        _ => Ok((address, value)),
    }
}

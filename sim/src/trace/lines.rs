//! Lines of bounded length, with their numbers.

use std::io::{BufRead as _, Read as _};

use super::source::Text;
use super::{Fault, TraceError};

/// Longer than any line that a tracer writes: mangled kernel names reach some kilobytes.
const LONGEST: usize = 64 * 1024;

/// What some editors write before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How compressed files start, and with what they are compressed. A file of these that is opened by its name is
/// decompressed, but for the last.
const COMPRESSED: [(&[u8], &str); 4] = [
    (b"\xfd7zXZ", "xz"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
];

/// The place of the first byte that no text has.
#[must_use]
pub fn no_text(bytes: &[u8]) -> Option<usize> {
    let control = |&byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    match std::str::from_utf8(bytes) {
        Err(error) => Some(error.valid_up_to()),
        Ok(_) => bytes.iter().position(control),
    }
}

/// Reads one line at a time into one buffer.
pub(super) struct Lines<'text> {
    input: Text<'text>,
    file: String,
    buffer: Vec<u8>,
    number: u64,
    bytes: u64,
}

impl<'text> Lines<'text> {
    pub fn new(input: Text<'text>, file: String) -> Self {
        Self {
            input,
            file,
            buffer: Vec::new(),
            number: 0,
            bytes: 0,
        }
    }

    /// The next line that is not blank, trimmed; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<&str>, TraceError> {
        loop {
            self.number += 1;
            match self.fill() {
                Err(fault) => return Err(self.error(fault)),
                Ok(false) => {
                    // What is missing is missing after the last line that is there.
                    self.number = (self.number - 1).max(1);
                    return Ok(None);
                }
                Ok(true) if self.buffer.iter().all(u8::is_ascii_whitespace) => {}
                Ok(true) => break,
            }
        }
        // Checked by `fill`.
        Ok(Some(
            std::str::from_utf8(&self.buffer).unwrap_or_default().trim(),
        ))
    }

    /// Reads a line into the buffer; false at the end of the file.
    fn fill(&mut self) -> Result<bool, Fault> {
        self.buffer.clear();
        let limit = LONGEST as u64 + 1;
        let read = self
            .input
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut self.buffer);
        self.bytes += read.map_err(Fault::reading)? as u64;
        if self.number == 1 {
            if let Some((_, name)) = COMPRESSED
                .iter()
                .find(|(magic, _)| self.buffer.starts_with(magic))
            {
                return Err(Fault::Compressed(name));
            }
            if self.buffer.starts_with(BYTE_ORDER_MARK) {
                self.buffer.drain(..BYTE_ORDER_MARK.len());
            }
        }
        if self.buffer.len() > LONGEST {
            return Err(Fault::LongLine(LONGEST));
        }
        if let Some(at) = no_text(&self.buffer) {
            return Err(Fault::Binary {
                byte: self.buffer[at],
                column: at + 1,
            });
        }
        Ok(!self.buffer.is_empty())
    }

    /// The error for a fault in the line that was read last.
    pub fn error(&self, fault: Fault) -> TraceError {
        TraceError {
            file: self.file.clone(),
            line: self.number,
            fault,
        }
    }

    /// The number of the line that was read last.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

//! The list of a program's copies and kernels.

use std::fmt;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::kernel::{address, decimal};
use super::lines::Lines;
use super::source::open;
use super::{Fault, Reader, TraceError};
use crate::place::{place, shown};

/// A copy from the host to the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Copy {
    /// First byte in the GPU's memory.
    pub address: u64,
    /// Length in bytes.
    pub bytes: u64,
}

/// A traced program: its copies, and its kernels in the order of their launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Copies from the host.
    pub copies: Vec<Copy>,
    /// The kernels' files.
    pub kernels: Vec<PathBuf>,
    /// The lines of the list that were skipped.
    pub notes: Vec<Note>,
    /// Where the list names each of them; nothing for a program that is one kernel's file.
    named: Vec<Place>,
    /// The number of copies before each of them.
    copied: Vec<usize>,
}

/// A line of a list that is neither a copy nor a kernel, and was skipped: Accel-Sim's parser skips it too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The list's name.
    pub list: String,
    /// The line, counted from 1.
    pub line: u64,
    /// What stands there.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, text) = (place(&self.list, self.line), shown(&self.text));
        write!(
            formatter,
            "{place}: \"{text}\" is neither a copy nor a kernel, and is skipped"
        )
    }
}

/// A line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    list: String,
    line: u64,
}

impl Trace {
    /// Opens a `kernelslist.g`, or one `.traceg` file as a program of one kernel. Which of the two
    /// it is, its first line says: a kernel's trace starts with `-`.
    ///
    /// # Errors
    /// If the file cannot be read, or is neither.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        Self::read(open(path)?.text, path)
    }

    /// As [`Trace::open`], from any source that stands for the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be read, or is neither.
    pub fn read(input: impl BufRead + Send, path: &Path) -> Result<Self, TraceError> {
        let mut lines = Lines::new(Box::new(input), path.display().to_string());
        let mut trace = Self::default();
        let mut empty = true;
        loop {
            let step = match lines.next()? {
                None if empty => Err(Fault::Empty),
                None if trace.kernels.is_empty() => Err(match trace.notes.first() {
                    // A list of nothing but unknown lines is no list.
                    Some(note) if trace.copies.is_empty() => {
                        return Err(TraceError {
                            file: note.list.clone(),
                            line: note.line,
                            fault: Fault::Unexpected {
                                text: note.text.clone(),
                                expected: "\"MemcpyHtoD,ADDRESS,BYTES\" or \"kernel-N.traceg\"",
                            },
                        });
                    }
                    _ => Fault::Truncated("a kernel's file name".to_owned()),
                }),
                None => return Ok(trace),
                Some(line) if empty && line.starts_with('-') => {
                    trace.kernels.push(path.to_owned());
                    return Ok(trace);
                }
                Some(line) => match trace.command(line, path) {
                    Ok(true) => Ok(()),
                    Ok(false) => {
                        let text = line.to_owned();
                        let (list, line) = (path.display().to_string(), lines.number());
                        trace.notes.push(Note { list, line, text });
                        Ok(())
                    }
                    Err(fault) => Err(fault),
                },
            };
            empty = false;
            step.map_err(|fault| lines.error(fault))?;
            if trace.kernels.len() > trace.named.len() {
                trace.named.push(Place {
                    list: path.display().to_string(),
                    line: lines.number(),
                });
            }
        }
    }

    /// Takes one line of the list; false if it is not known. Copies back to the host and collective operations say
    /// nothing about the GPU's memory, and are passed over.
    fn command(&mut self, line: &str, path: &Path) -> Result<bool, Fault> {
        if let Some(rest) = line.strip_prefix("MemcpyHtoD,") {
            let (start, bytes) = rest
                .split_once(',')
                .ok_or(Fault::NoField("the copy's size"))?;
            let address = address("the copy's address", start.trim())?;
            let bytes = decimal("the copy's size", bytes.trim())?;
            self.copies.push(Copy { address, bytes });
            Ok(true)
        } else if line.starts_with("kernel") {
            self.kernels.push(path.with_file_name(line));
            self.copied.push(self.copies.len());
            Ok(true)
        } else {
            Ok(line.starts_with("Memcpy") || line.starts_with("nccl"))
        }
    }

    /// The copies that the list names before a kernel, which is counted from 0.
    #[must_use]
    pub fn copies_before(&self, kernel: usize) -> &[Copy] {
        let count = self.copied.get(kernel).copied().unwrap_or_default();
        &self.copies[..count]
    }

    /// The kernels' readers, one after the other. A file that cannot be opened is the fault of the line that names it.
    pub fn readers(&self) -> impl Iterator<Item = Result<Reader<'static>, TraceError>> + '_ {
        self.kernels.iter().enumerate().map(|(index, path)| {
            Reader::open(path).map_err(|error| match (self.named.get(index), error.fault) {
                (Some(place), Fault::Open(cause)) => TraceError {
                    file: place.list.clone(),
                    line: place.line,
                    fault: Fault::Kernel {
                        file: path
                            .file_name()
                            .unwrap_or_default()
                            .to_string_lossy()
                            .into_owned(),
                        cause,
                    },
                },
                (_, fault) => TraceError { fault, ..error },
            })
        })
    }
}

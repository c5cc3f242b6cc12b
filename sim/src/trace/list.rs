//! The list of a program's copies and kernels.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::kernel::{address, decimal};
use super::lines::{Lines, open};
use super::{Fault, Reader, TraceError};

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
    /// Where the list names each of them; nothing for a program that is one kernel's file.
    named: Vec<Place>,
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
        Self::read(open(path)?.0, path)
    }

    /// As [`Trace::open`], from any source that stands for the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be read, or is neither.
    pub fn read(input: impl BufRead, path: &Path) -> Result<Self, TraceError> {
        let mut lines = Lines::new(input, path.display().to_string());
        let mut trace = Self::default();
        let mut empty = true;
        loop {
            let step = match lines.next()? {
                None if empty => Err(Fault::Empty),
                None if trace.kernels.is_empty() => {
                    Err(Fault::Truncated("a kernel's file name".to_owned()))
                }
                None => return Ok(trace),
                Some(line) if empty && line.starts_with('-') => {
                    trace.kernels.push(path.to_owned());
                    return Ok(trace);
                }
                Some(line) => trace.command(line, path),
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

    /// Takes one line of the list. Copies back to the host and collective operations say nothing
    /// about the GPU's memory, and are passed over.
    fn command(&mut self, line: &str, path: &Path) -> Result<(), Fault> {
        if let Some(rest) = line.strip_prefix("MemcpyHtoD,") {
            let (start, bytes) = rest
                .split_once(',')
                .ok_or(Fault::NoField("the copy's size"))?;
            let address = address("the copy's address", start.trim())?;
            let bytes = decimal("the copy's size", bytes.trim())?;
            self.copies.push(Copy { address, bytes });
        } else if line.starts_with("kernel") && line.ends_with(".traceg") {
            self.kernels.push(path.with_file_name(line));
        } else if line.starts_with("kernel") && line.ends_with(".traceg.xz") {
            return Err(Fault::Unexpected {
                text: line.to_owned(),
                expected: "a decompressed kernel-N.traceg (run unxz, and take .xz off this line)",
            });
        } else if !line.starts_with("Memcpy") && !line.starts_with("nccl") {
            return Err(Fault::Unexpected {
                text: line.to_owned(),
                expected: "\"MemcpyHtoD,ADDRESS,BYTES\" or \"kernel-N.traceg\"",
            });
        }
        Ok(())
    }

    /// The kernels' readers, one after the other. A file that cannot be opened is the fault of the line that names it.
    pub fn readers(
        &self,
    ) -> impl Iterator<Item = Result<Reader<BufReader<File>>, TraceError>> + '_ {
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

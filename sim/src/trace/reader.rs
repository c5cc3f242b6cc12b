//! Streaming over the thread blocks, warps and instructions of one kernel.

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rangemap::RangeSet;

use super::kernel::{decimal, outside, triple};
use super::lines::Lines;
use super::opcode::Opcodes;
use super::source::{Text, open};
use super::{Fault, Instruction, Kernel, TraceError};

/// What comes next in a trace.
#[derive(Clone, Debug)]
pub enum Event {
    /// A thread block begins, at these coordinates in the grid.
    Block([u32; 3]),
    /// A warp of it begins, with this number and so many instructions, which follow.
    Warp(u32, u64),
    /// The next instruction of the warp.
    Instruction(Instruction),
    /// The thread block ends.
    EndOfBlock,
}

/// All of one thread block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its coordinates in the grid.
    pub coordinates: [u32; 3],
    /// Its warps, in the order of the file.
    pub warps: Vec<Warp>,
}

/// All of one warp.
#[derive(Clone, Debug)]
pub struct Warp {
    /// Its number in the block.
    pub number: u32,
    /// Its instructions in program order.
    pub instructions: Vec<Instruction>,
}

/// Where the reader stands.
enum Place {
    /// Between thread blocks.
    Outside,
    /// After `#BEGIN_TB`.
    Begun,
    /// In a block, between warps.
    Block,
    /// After `warp = n`.
    Named(u32),
    /// In a warp, with so many instructions to come.
    Warp(u64),
    /// After the end or an error.
    Ended,
}

/// Reads a `.traceg` file event by event, in memory that does not grow with the file. As an iterator it ends after the
/// first error.
pub struct Reader<'text> {
    lines: Lines<'text>,
    kernel: Kernel,
    opcodes: Opcodes,
    place: Place,
    /// The thread blocks that were seen, by their numbers in the grid.
    blocks: RangeSet<u64>,
    /// The bytes of the file that were read, if there is a file.
    read: Option<Arc<AtomicU64>>,
    /// The warps of this block that were seen; a block has at most 32.
    warps: u32,
}

impl Reader<'static> {
    /// Opens a file, plain, `.gz`, `.xz`, `.zst` or `.tracez`, and reads its header. In errors, lines are those of the
    /// text, decompressed.
    ///
    /// # Errors
    /// If the file cannot be opened, or its header is not that of a trace.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let source = open(path)?;
        let mut reader = Self::of(source.text, source.file)?;
        reader.read = Some(source.read);
        Ok(reader)
    }
}

impl<'text> Reader<'text> {
    /// Reads the header from any source; `file` is its name in errors.
    ///
    /// # Errors
    /// If the header is not that of a trace.
    pub fn new(
        input: impl BufRead + Send + 'text,
        file: impl Into<String>,
    ) -> Result<Self, TraceError> {
        Self::of(Box::new(input), file.into())
    }

    fn of(input: Text<'text>, file: String) -> Result<Self, TraceError> {
        let mut lines = Lines::new(input, file);
        let mut kernel = Kernel::default();
        let mut empty = true;
        loop {
            let step = match lines.next()? {
                None if empty => Err(Fault::Empty),
                None => Err(Fault::Truncated("the first thread block".to_owned())),
                Some(line) if line.starts_with("#BEGIN_TB") => kernel.complete().map(|()| true),
                Some(line) if line.starts_with('#') => Ok(false),
                Some(line) => kernel.header(line).map(|()| false),
            };
            empty = false;
            match step {
                Ok(false) => {}
                Ok(true) => break,
                Err(fault) => return Err(lines.error(fault)),
            }
        }
        let opcodes = Opcodes::default();
        Ok(Self {
            lines,
            kernel,
            opcodes,
            place: Place::Begun,
            blocks: RangeSet::new(),
            read: None,
            warps: 0,
        })
    }

    /// The header.
    #[must_use]
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Bytes of the file, as it is compressed, that were read so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let read = self.read.as_ref();
        read.map_or(self.lines.bytes(), |read| read.load(Ordering::Relaxed))
    }

    /// The error of a file that lacks thread blocks, of which this is the first, though later ones are there.
    fn dropped(&self, first: u64) -> TraceError {
        let [x, y, _] = self.kernel.grid.map(u64::from);
        let grid = 0..self.kernel.blocks();
        let gaps = self.blocks.gaps(&grid);
        self.lines.error(Fault::Dropped {
            first: [first % x, first / x % y, first / x / y],
            missing: gaps.map(|gap| gap.end - gap.start).sum(),
        })
    }

    /// The next thread block, whole; `None` at the end.
    ///
    /// # Errors
    /// As for the events.
    pub fn next_block(&mut self) -> Result<Option<Block>, TraceError> {
        let mut block = Block {
            coordinates: [0; 3],
            warps: Vec::new(),
        };
        for event in self {
            match event? {
                Event::Block(coordinates) => block.coordinates = coordinates,
                // The announced number is only a claim, so nothing is reserved for it.
                Event::Warp(number, _) => {
                    block.warps.push(Warp {
                        number,
                        instructions: Vec::new(),
                    });
                }
                Event::Instruction(instruction) => {
                    if let Some(warp) = block.warps.last_mut() {
                        warp.instructions.push(instruction);
                    }
                }
                Event::EndOfBlock => return Ok(Some(block)),
            }
        }
        Ok(None)
    }

    fn event(&mut self) -> Result<Option<Event>, TraceError> {
        loop {
            let Some(line) = self.lines.next()? else {
                let blocks = self.kernel.blocks();
                let gap = self.blocks.gaps(&(0..blocks)).next();
                let fault = Fault::Truncated(match self.place {
                    Place::Ended => return Ok(None),
                    Place::Outside => match gap {
                        None => return Ok(None),
                        Some(gap) if gap.end < blocks => return Err(self.dropped(gap.start)),
                        Some(gap) if gap.end - gap.start == 1 => {
                            "the grid's last thread block".to_owned()
                        }
                        Some(gap) => {
                            format!("{} more thread blocks of the grid", gap.end - gap.start)
                        }
                    },
                    Place::Begun => "\"thread block = x,y,z\"".to_owned(),
                    Place::Block => "a warp or #END_TB".to_owned(),
                    Place::Named(_) => "\"insts = n\"".to_owned(),
                    Place::Warp(1) => "1 more instruction of this warp".to_owned(),
                    Place::Warp(left) => format!("{left} more instructions of this warp"),
                });
                return Err(self.lines.error(fault));
            };
            let step = match self.place {
                // Instructions are nearly all lines.
                Place::Warp(left) => {
                    self.place = if left == 1 {
                        Place::Block
                    } else {
                        Place::Warp(left - 1)
                    };
                    Instruction::parse(line, &self.kernel, &mut self.opcodes)
                        .map_err(|fault| early(line, left, fault))
                        .map(|instruction| Some(Event::Instruction(instruction)))
                }
                Place::Outside => begin(line).map(|()| {
                    self.place = Place::Begun;
                    None
                }),
                Place::Begun => coordinates(line, &self.kernel).and_then(|coordinates| {
                    self.place = Place::Block;
                    self.warps = 0;
                    let number = self.kernel.number(coordinates);
                    if self.blocks.contains(&number) {
                        let [x, y, z] = coordinates;
                        return Err(Fault::Twice(format!("thread block {x},{y},{z}")));
                    }
                    self.blocks.insert(number..number + 1);
                    Ok(Some(Event::Block(coordinates)))
                }),
                Place::Block if line == "#END_TB" => {
                    self.place = Place::Outside;
                    Ok(Some(Event::EndOfBlock))
                }
                Place::Block if line.starts_with("cluster ") => cluster(line).map(|()| None),
                Place::Block => warp(line, &self.kernel).and_then(|number| {
                    let bit = 1 << number;
                    if self.warps & bit != 0 {
                        return Err(Fault::Twice(format!("warp {number} of this thread block")));
                    }
                    self.warps |= bit;
                    self.place = Place::Named(number);
                    Ok(None)
                }),
                Place::Named(number) => instructions(line).map(|count| {
                    self.place = if count == 0 {
                        Place::Block
                    } else {
                        Place::Warp(count)
                    };
                    Some(Event::Warp(number, count))
                }),
                Place::Ended => return Ok(None),
            };
            match step {
                Ok(None) => {}
                Ok(event) => return Ok(event),
                Err(fault) => return Err(self.lines.error(fault)),
            }
        }
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Event, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if matches!(self.place, Place::Ended) {
            return None;
        }
        let event = self.event().transpose();
        if !matches!(event, Some(Ok(_))) {
            self.place = Place::Ended;
        }
        event
    }
}

/// A warp that ends early is told better than the field that its end is not.
fn early(line: &str, left: u64, fault: Fault) -> Fault {
    match line.starts_with("warp =") || line.starts_with('#') {
        true => Fault::Short {
            text: line.to_owned(),
            left,
        },
        false => fault,
    }
}

/// Between blocks stands nothing but the next begin.
fn begin(line: &str) -> Result<(), Fault> {
    match line {
        "#BEGIN_TB" => Ok(()),
        _ => Err(outside(line, "#BEGIN_TB")),
    }
}

/// The place of a block in its cluster, which newer tracers write, says nothing about its accesses.
fn cluster(line: &str) -> Result<(), Fault> {
    let known = match line.split_once('=') {
        Some((key, text)) => match key.trim_end() {
            "cluster id" | "cluster cta" => triple(text).is_some(),
            "cluster rank" => decimal("the cluster rank", text.trim()).is_ok(),
            _ => false,
        },
        None => false,
    };
    known.then_some(()).ok_or_else(|| Fault::Unexpected {
        text: line.to_owned(),
        expected: "\"cluster id = x,y,z\", \"cluster cta = x,y,z\" or \"cluster rank = n\"",
    })
}

/// What follows `key =` on a line.
fn value<'line>(line: &'line str, key: &str, expected: &'static str) -> Result<&'line str, Fault> {
    let rest = line
        .strip_prefix(key)
        .and_then(|rest| rest.trim_start().strip_prefix('='));
    rest.map(str::trim).ok_or_else(|| Fault::Unexpected {
        text: line.to_owned(),
        expected,
    })
}

fn coordinates(line: &str, kernel: &Kernel) -> Result<[u32; 3], Fault> {
    let text = value(line, "thread block", "\"thread block = x,y,z\"")?;
    let inside = |place: &[u32; 3]| place.iter().zip(kernel.grid).all(|(&at, size)| at < size);
    triple(text).filter(inside).ok_or_else(|| Fault::Field {
        field: "the thread block",
        text: text.to_owned(),
        expected: "three coordinates x,y,z inside the grid",
    })
}

fn warp(line: &str, kernel: &Kernel) -> Result<u32, Fault> {
    let value = decimal(
        "the warp number",
        value(line, "warp", "\"warp = n\" or #END_TB")?,
    )?;
    let limit = u64::from(kernel.warps_per_block()) - 1;
    if value > limit {
        return Err(Fault::TooMany {
            field: "the warp number",
            value,
            limit,
        });
    }
    Ok(value as u32)
}

fn instructions(line: &str) -> Result<u64, Fault> {
    decimal(
        "the number of instructions",
        value(line, "insts", "\"insts = n\"")?,
    )
}

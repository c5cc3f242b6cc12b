//! What can be wrong with a trace.

use std::io;

use thiserror::Error;

use crate::place::{place, shown};

/// A trace that cannot be read: which file, which line, and what is wrong with it.
#[derive(Debug, Error)]
#[error("{}: {fault}", place(.file, *.line))]
pub struct TraceError {
    /// The file's name as it was given.
    pub file: String,
    /// The line, counted from 1; 0 if the file could not be opened.
    pub line: u64,
    /// What is wrong there.
    pub fault: Fault,
}

/// The kinds of fault in a trace; the text is the second half of the error's sentence.
#[derive(Debug, Error)]
pub enum Fault {
    /// The file cannot be opened.
    #[error("the file cannot be opened ({0}); check its name and permissions")]
    Open(io::Error),
    /// A list names a kernel's file that cannot be opened.
    #[error("the kernel's file {} cannot be opened ({cause}); put it beside the list or take the line out", shown(.file))]
    Kernel {
        /// The file.
        file: String,
        /// Why.
        cause: io::Error,
    },
    /// It is a folder.
    #[error("this is a folder; give a .traceg file or a kernelslist.g")]
    Folder,
    /// The file cannot be read further.
    #[error("the file cannot be read ({0}); check the disk it is on")]
    Read(io::Error),
    /// There is nothing in it.
    #[error("the file is empty; give a .traceg file or a kernelslist.g")]
    Empty,
    /// It is compressed in a way that is not known.
    #[error(
        "the file is compressed with {0}, which is not read; decompress it, or compress it with xz or gzip"
    )]
    Compressed(&'static str),
    /// Its compressed data is damaged.
    #[error("the compressed data is damaged ({0}); copy or trace it again")]
    Damaged(io::Error),
    /// It is not a text.
    #[error(
        "this is no text (byte 0x{byte:02x} in column {column}); give a .traceg file or a kernelslist.g"
    )]
    Binary {
        /// The first byte that no text has.
        byte: u8,
        /// Its place in the line, counted from 1.
        column: usize,
    },
    /// The line is longer than any line of a trace.
    #[error("the line is longer than {0} bytes, which no line of a trace is; check the file")]
    LongLine(usize),
    /// The file ends too early.
    #[error("the file ends where {0} should follow; it was cut off, so copy or trace it again")]
    Truncated(String),
    /// A header line that must be there is not.
    #[error("the header has no line \"-{0} = ...\" before this one; trace the program again")]
    NoHeader(&'static str),
    /// A field is wrong.
    #[error("{field} is \"{}\", but should be {expected}; correct it or trace again", shown(.text))]
    Field {
        /// The field's name.
        field: &'static str,
        /// What stands there.
        text: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// The line ends before a field.
    #[error("the line ends before {0}; the file was cut off or edited, so trace again")]
    NoField(&'static str),
    /// The line goes on after its last field.
    #[error(
        "\"{}\" follows the last field; the header's tracer version or lineinfo may be wrong",
        shown(.0)
    )]
    ExtraField(String),
    /// A number is beyond what a GPU has.
    #[error("{field} is {value}, and at most {limit} is possible; correct it or trace again")]
    TooMany {
        /// What is counted.
        field: &'static str,
        /// The number in the file.
        value: u64,
        /// The largest that makes sense.
        limit: u64,
    },
    /// The same warp or block field twice.
    #[error("{0} appears a second time; remove one or trace again")]
    Twice(String),
    /// A line that does not belong here.
    #[error("\"{}\" stands where {expected} should; correct it or trace again", shown(.text))]
    Unexpected {
        /// The line.
        text: String,
        /// What may stand here.
        expected: &'static str,
    },
    /// A warp ends before its number of instructions.
    #[error(
        "\"{}\" stands where an instruction of the warp should, {left} short of those announced; correct their number \
         or trace again",
        shown(.text)
    )]
    Short {
        /// The line.
        text: String,
        /// Instructions that are missing.
        left: u64,
    },
    /// An instruction that does not go to memory has addresses.
    #[error(
        "{} has addresses, and is no memory operation that is known; correct the opcode or leave this kernel out",
        shown(.0)
    )]
    Addresses(String),
    /// A part of a thread block stands outside any.
    #[error(
        "\"{}\" stands outside any thread block; the post-processor dropped the block's #BEGIN_TB, so process the trace again",
        shown(.0)
    )]
    Outside(String),
    /// An instruction stands outside any thread block: the trace is as the tracer wrote it.
    #[error(
        "an instruction stands outside any thread block, as in a trace before Accel-Sim's post-processing; process it first"
    )]
    Unprocessed,
    /// Thread blocks are missing, and later ones are there.
    #[error(
        "thread block {}, of {missing} missing in all, is not in the file though later ones are; the post-processor dropped it, so process or trace it again",
        .first.map(|place| place.to_string()).join(",")
    )]
    Dropped {
        /// The coordinates of the first one.
        first: [u64; 3],
        /// How many are missing.
        missing: u64,
    },
    /// The tracer is newer than this reader.
    #[error("tracer version {0} is not known, only 1 to 6; trace with one of these")]
    Version(u64),
    /// Base and stride over lanes that are not neighbours mean nothing.
    #[error(
        "address mode 1 needs active lanes without a gap, and the mask is {0:08x}; trace it again"
    )]
    Gap(u32),
    /// An address outside 64 bits.
    #[error("the address of lane {0} does not fit in 64 bits; correct it or trace again")]
    Overflow(u32),
    /// A global access that is in two lines of 128 bytes.
    #[error(
        "lane {lane} accesses {width} bytes at {address:#x}, across the end of a line of 128 bytes, which a GPU refuses; correct the address or trace again"
    )]
    Crosses {
        /// The lane.
        lane: usize,
        /// Its address.
        address: u64,
        /// The bytes that it accesses.
        width: u64,
    },
}

impl Fault {
    /// Tells damaged data from a file that cannot be read.
    pub(super) fn reading(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::OutOfMemory
            | io::ErrorKind::Other => Self::Damaged(error),
            _ => Self::Read(error),
        }
    }
}

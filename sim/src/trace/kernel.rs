//! The header of a kernel's trace.

use num_traits::Unsigned;

use super::Fault;
use super::instruction::WINDOW_BYTES;
use crate::numbers::unsigned;

/// Registers of a thread at most: an instruction has 8 bits for the number of one.
const MOST_REGISTERS: u64 = 256;

/// What the header of a `.traceg` file says about the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Name, mangled as the compiler left it.
    pub name: String,
    /// Number of the launch in the program.
    pub id: u64,
    /// Thread blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z; 1024 at most.
    pub block: [u32; 3],
    /// Shared memory of a block, bytes.
    pub shared_memory: u64,
    /// Registers of a thread.
    pub registers: u64,
    /// Compute capability of the code, 80 for sm_80.
    pub binary_version: u64,
    /// Version of the tracer, which settles the format of an instruction; 0 if the header names none, which is a
    /// version before 3.
    pub tracer_version: u64,
    /// Each instruction starts with its source line.
    pub line_info: bool,
    /// Where the 16 MB window of shared memory starts in the generic address space, if known.
    pub shared_window: Option<u64>,
    /// Where the 16 MB window of local memory starts in the generic address space, if known.
    pub local_window: Option<u64>,
}

impl Kernel {
    /// Thread blocks in the grid.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        // `dimensions` has checked the product.
        self.grid.iter().map(|&size| u64::from(size)).product()
    }

    /// The number of a thread block in the grid, x first.
    pub(super) fn number(&self, [x, y, z]: [u32; 3]) -> u64 {
        let [columns, rows, _] = self.grid.map(u64::from);
        (u64::from(z) * rows + u64::from(y)) * columns + u64::from(x)
    }

    /// Warps of a thread block.
    #[must_use]
    pub fn warps_per_block(&self) -> u32 {
        self.block.iter().product::<u32>().div_ceil(32)
    }

    /// Takes one header line; keys that are not known are passed over.
    pub(super) fn header(&mut self, line: &str) -> Result<(), Fault> {
        let unexpected = || {
            let expected = "a header line \"-key = value\"";
            outside(line, expected)
        };
        let (key, value) = line
            .strip_prefix('-')
            .and_then(|rest| rest.split_once('='))
            .ok_or_else(unexpected)?;
        let value = value.trim();
        match key.trim() {
            "kernel name" => value.clone_into(&mut self.name),
            "kernel id" => self.id = decimal("the kernel id", value)?,
            "grid dim" => self.grid = dimensions("the grid", value, u64::MAX >> 1, MOST_BLOCKS)?,
            "block dim" => self.block = dimensions("the thread block", value, 1024, MOST_THREADS)?,
            "shmem" => self.shared_memory = at_most("the shared memory", value, WINDOW_BYTES)?,
            "nregs" => self.registers = at_most("the number of registers", value, MOST_REGISTERS)?,
            "binary version" => self.binary_version = decimal("the binary version", value)?,
            "shmem base_addr" => {
                self.shared_window = Some(address("the shared memory's base address", value)?);
            }
            "local mem base_addr" => {
                self.local_window = Some(address("the local memory's base address", value)?);
            }
            "accelsim tracer version" => {
                // Version 1.2 has been there.
                let (version, _) = value.split_once('.').unwrap_or((value, ""));
                self.tracer_version = decimal("the tracer version", version)?;
                if !(1..=6).contains(&self.tracer_version) {
                    return Err(Fault::Version(self.tracer_version));
                }
            }
            "enable lineinfo" => self.line_info = decimal("enable lineinfo", value)? != 0,
            _ => {}
        }
        Ok(())
    }

    /// Refuses a header in which something is missing without which the rest cannot be read.
    pub(super) fn complete(&self) -> Result<(), Fault> {
        if self.grid == [0; 3] {
            Err(Fault::NoHeader("grid dim"))
        } else if self.block == [0; 3] {
            Err(Fault::NoHeader("block dim"))
        } else {
            Ok(())
        }
    }
}

/// The fault of a line that may not stand outside the thread blocks.
pub(super) fn outside(line: &str, expected: &'static str) -> Fault {
    let text = line.to_owned();
    let inside = ["thread block", "cluster ", "warp =", "insts =", "#END_TB"];
    let mut fields = line.split_ascii_whitespace();
    // Coordinates, warp, program counter, mask, destinations, opcode, sources, width.
    let fields = (
        fields.clone().count(),
        fields.next().and_then(hexadecimal::<u64>),
    );
    if inside.iter().any(|start| line.starts_with(start)) {
        Fault::Outside(text)
    } else if matches!(fields, (6.., Some(_))) {
        Fault::Unprocessed
    } else {
        Fault::Unexpected { text, expected }
    }
}

/// A decimal number without a sign.
pub(super) fn decimal(field: &'static str, text: &str) -> Result<u64, Fault> {
    unsigned(text, 10).ok_or_else(|| Fault::Field {
        field,
        text: text.to_owned(),
        expected: "a decimal number of 64 bits",
    })
}

/// A decimal number within a limit.
fn at_most(field: &'static str, text: &str, limit: u64) -> Result<u64, Fault> {
    match decimal(field, text)? {
        value if value <= limit => Ok(value),
        value => Err(Fault::TooMany {
            field,
            value,
            limit,
        }),
    }
}

/// Reads a hexadecimal number, with or without 0x.
pub(super) fn hexadecimal<T: Unsigned>(text: &str) -> Option<T> {
    unsigned(text.strip_prefix("0x").unwrap_or(text), 16)
}

/// A hexadecimal address.
pub(super) fn address(field: &'static str, text: &str) -> Result<u64, Fault> {
    hexadecimal(text).ok_or_else(|| Fault::Field {
        field,
        text: text.to_owned(),
        expected: "a hexadecimal number of 64 bits",
    })
}

/// What the sizes of a grid should be if there are too many blocks.
const MOST_BLOCKS: &str = "three sizes whose product is below 2^63";
/// What the sizes of a block should be if it has too many threads.
const MOST_THREADS: &str = "three sizes whose product is 1024 at most";

/// Three sizes, each 1 or more, whose product is within the limit; `most` says what that is.
fn dimensions(
    field: &'static str,
    text: &str,
    limit: u64,
    most: &'static str,
) -> Result<[u32; 3], Fault> {
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    let wrong = |expected| Fault::Field {
        field,
        text: text.to_owned(),
        expected,
    };
    let sizes = inner.and_then(triple).filter(|sizes| !sizes.contains(&0));
    let sizes = sizes.ok_or_else(|| wrong("three sizes of 1 or more, as in (196,1,1)"))?;
    let product = sizes
        .iter()
        .try_fold(1u64, |product, &size| product.checked_mul(size.into()));
    match product {
        Some(product) if product <= limit => Ok(sizes),
        _ => Err(wrong(most)),
    }
}

/// Three numbers with commas.
pub(super) fn triple(text: &str) -> Option<[u32; 3]> {
    let mut numbers = [0; 3];
    let mut fields = text.split(',');
    for number in &mut numbers {
        let field = fields.next()?.trim();
        *number = unsigned(field, 10)?;
    }
    fields.next().is_none().then_some(numbers)
}

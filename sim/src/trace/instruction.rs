//! One warp instruction.

use std::fmt;
use std::ops::Deref;
use std::str::SplitAsciiWhitespace;

use super::kernel::{address, decimal, hexadecimal};
use super::opcode::Opcodes;
use super::{Class, Fault, Kernel, Opcode, Space};
use crate::numbers::unsigned;

/// Bytes of a line, as a power of two.
const LINE_SHIFT: u32 = 7;

/// Lanes of a warp.
pub const LANES: usize = 32;

/// Shared and local memory each have a window of this many bytes in the generic address space.
pub(super) const WINDOW_BYTES: u64 = 16 << 20;

/// A warp instruction as the tracer recorded it: predicates and data values are not in a trace.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Program counter, bytes from the start of the function.
    pub pc: u32,
    /// Lanes that execute it, lane 0 lowest; may be 0.
    pub mask: u32,
    /// Source line, if the trace has line information.
    pub source_line: Option<u32>,
    /// Registers that it writes: the first of each group.
    pub destinations: Registers,
    /// Opcode with suffixes.
    pub opcode: Opcode,
    /// What it does; a generic access counts for the memory that its first active lane reaches.
    pub class: Class,
    /// Registers that it reads: the first of each group; 255 is the zero register.
    pub sources: Registers,
    /// Addresses, if it has any.
    pub access: Option<Box<Access>>,
    /// The immediate operand: from tracer version 5 on, and in some traces of version 4.
    pub immediate: Option<i128>,
}

/// The addresses of a memory instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Bytes that each lane accesses.
    pub width: u8,
    /// First byte of each lane; 0 for a lane that is not active.
    pub addresses: [u64; LANES],
}

impl Access {
    /// A GPU's accesses are aligned to their size, and so each is in one line of 128 bytes.
    fn stays_in_lines(&self, mask: u32) -> Result<(), Fault> {
        let width = u64::from(self.width);
        let crosses = |&(lane, &first): &(usize, &u64)| {
            mask >> lane & 1 == 1 && first >> LINE_SHIFT != (first + (width - 1)) >> LINE_SHIFT
        };
        match self.addresses.iter().enumerate().find(crosses) {
            Some((lane, &address)) => Err(Fault::Crosses {
                lane,
                address,
                width,
            }),
            None => Ok(()),
        }
    }

    /// The distinct blocks of 2^`shift` bytes that the active lanes touch, ascending.
    #[must_use]
    pub fn touched(&self, mask: u32, shift: u32) -> Vec<u64> {
        let mut blocks = Vec::with_capacity(LANES);
        for (lane, &first) in self.addresses.iter().enumerate() {
            if mask >> lane & 1 == 1 {
                let last = first + (u64::from(self.width) - 1);
                // An access is no wider than a block, so it touches one or two.
                for block in [first >> shift, last >> shift] {
                    if blocks.last() != Some(&block) {
                        blocks.push(block);
                    }
                }
            }
        }
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }
}

/// A few register numbers; derefs to a slice.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Registers {
    numbers: [u8; Self::MOST],
    count: u8,
}

impl Registers {
    /// No instruction names more.
    pub const MOST: usize = 8;
}

impl Deref for Registers {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.numbers[..usize::from(self.count)]
    }
}

impl fmt::Debug for Registers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

/// The fields of a line, one after the other.
struct Fields<'line>(SplitAsciiWhitespace<'line>);

impl<'line> Fields<'line> {
    fn text(&mut self, field: &'static str) -> Result<&'line str, Fault> {
        self.0.next().ok_or(Fault::NoField(field))
    }

    fn decimal(&mut self, field: &'static str, limit: u64) -> Result<u64, Fault> {
        let value = decimal(field, self.text(field)?)?;
        if value > limit {
            Err(Fault::TooMany {
                field,
                value,
                limit,
            })
        } else {
            Ok(value)
        }
    }

    fn signed(&mut self, field: &'static str) -> Result<i64, Fault> {
        let text = self.text(field)?;
        let expected = "a signed decimal number of 64 bits";
        text.parse().map_err(|_| Fault::Field {
            field,
            text: text.to_owned(),
            expected,
        })
    }

    fn word(&mut self, field: &'static str) -> Result<u32, Fault> {
        let text = self.text(field)?;
        let expected = "a hexadecimal number of 32 bits";
        hexadecimal(text).ok_or_else(|| Fault::Field {
            field,
            text: text.to_owned(),
            expected,
        })
    }

    /// Vector registers, and how many registers of any kind are named. Uniform registers and predicates, which only
    /// version 6 names, hold no lane's value and are left out.
    fn registers(
        &mut self,
        count: &'static str,
        field: &'static str,
        version: u64,
    ) -> Result<(Registers, u64), Fault> {
        let count = self.decimal(count, Registers::MOST as u64)?;
        let mut registers = Registers::default();
        for _ in 0..count {
            let text = self.text(field)?;
            let kind = text.trim_end_matches(|digit: char| digit.is_ascii_digit());
            let number = unsigned(&text[kind.len()..], 10);
            match (kind, number) {
                ("R", Some(number)) => {
                    registers.numbers[usize::from(registers.count)] = number;
                    registers.count += 1;
                }
                ("UR" | "P" | "UP", Some(_)) if version >= 6 => {}
                _ => {
                    return Err(Fault::Field {
                        field,
                        text: text.to_owned(),
                        expected: "a register, R0 to R255",
                    });
                }
            }
        }
        Ok((registers, count))
    }

    /// What version 6 adds to the end of a line: a second immediate, and the values of all named registers, which are
    /// not kept.
    fn values(&mut self, registers: u64) -> Result<(), Fault> {
        const KIND: &str = "Val or NoVal";
        let mut rest = self.0.clone();
        let Some(mut text) = rest.next() else {
            return Ok(());
        };
        if immediate(text).is_ok() {
            self.0 = rest.clone();
            match rest.next() {
                Some(next) => text = next,
                None => return Ok(()),
            }
        }
        self.0 = rest;
        match text {
            "NoVal" => return Ok(()),
            "Val" => {}
            _ => {
                return Err(Fault::Field {
                    field: "the kind of values",
                    text: text.to_owned(),
                    expected: KIND,
                });
            }
        }
        for _ in 0..registers {
            let count = self.decimal("the number of values", LANES as u64)?;
            if count != 1 && count != LANES as u64 {
                return Err(Fault::Field {
                    field: "the number of values",
                    text: count.to_string(),
                    expected: "1 or 32",
                });
            }
            for _ in 0..count {
                const VALUE: &str = "a register's value";
                address(VALUE, self.text(VALUE)?)?;
            }
        }
        Ok(())
    }

    /// What a bulk copy of the tensor-memory unit has behind its width, from version 6 on. One thread starts it, and its
    /// addresses belong to no lane, so they are not kept.
    fn bulk(&mut self) -> Result<(), Fault> {
        let hexadecimal = |fields: &mut Self, field| address(field, fields.text(field)?);
        hexadecimal(self, "the barrier's address")?;
        if self.decimal("whether a copy goes to several blocks", 1)? == 1 {
            hexadecimal(self, "the mask of blocks")?;
        }
        self.decimal("the number of bytes", u64::MAX)?;
        self.decimal("the number of bytes out of bounds", u64::MAX)?;
        let mode = self.decimal("the address mode", 4)?;
        if mode == 4 {
            hexadecimal(self, "the base address")?;
        }
        let count = self.decimal("the number of addresses", u32::MAX.into())?;
        match mode {
            3 => (0..count).try_for_each(|_| hexadecimal(self, "an address").map(drop)),
            4 => (1..count).try_for_each(|_| self.signed("an address delta").map(drop)),
            _ => Err(Fault::Field {
                field: "the address mode",
                text: mode.to_string(),
                expected: "3 or 4 for a bulk copy",
            }),
        }
    }

    /// The addresses of the active lanes, in any of the three modes.
    fn addresses(&mut self, mask: u32, width: u8) -> Result<[u64; LANES], Fault> {
        const BASE: &str = "the base address";
        let mut addresses = [0; LANES];
        let active = (0..LANES as u32).filter(|lane| mask >> lane & 1 == 1);
        let mode = self.decimal("the address mode", 2)?;
        let mut previous = match mode {
            0 => 0,
            _ => address(BASE, self.text(BASE)?)?,
        };
        let stride = if mode == 1 {
            self.signed("the stride")?
        } else {
            0
        };
        if mode == 1 && mask != 0 {
            let lowest = mask >> mask.trailing_zeros();
            if lowest & lowest.wrapping_add(1) != 0 {
                return Err(Fault::Gap(mask));
            }
        }
        for (place, lane) in active.enumerate() {
            let value = match (mode, place) {
                (0, _) => Some(address("a lane's address", self.text("a lane's address")?)?),
                (_, 0) => Some(previous),
                (1, _) => previous.checked_add_signed(stride),
                _ => previous.checked_add_signed(self.signed("a lane's address delta")?),
            };
            let fits = value.filter(|value| value.checked_add(u64::from(width) - 1).is_some());
            previous = fits.ok_or(Fault::Overflow(lane))?;
            addresses[lane as usize] = previous;
        }
        Ok(addresses)
    }
}

/// What stands first in the lines of a trace whose header names no version of the tracer, or one below 3.
const BEFORE_VERSION_3: [&str; 4] = [
    "block x (the header names no tracer version of 3 or more)",
    "block y (the header names no tracer version of 3 or more)",
    "block z (the header names no tracer version of 3 or more)",
    "the warp number (the header names no tracer version of 3 or more)",
];

impl Instruction {
    /// Reads one line of a warp.
    pub(super) fn parse(line: &str, kernel: &Kernel, opcodes: &mut Opcodes) -> Result<Self, Fault> {
        let mut fields = Fields(line.split_ascii_whitespace());
        if kernel.tracer_version < 3 {
            for field in BEFORE_VERSION_3 {
                fields.decimal(field, u32::MAX.into())?;
            }
        }
        let source_line = match kernel.line_info {
            true => Some(fields.decimal("the source line", u32::MAX.into())? as u32),
            false => None,
        };
        let pc = fields.word("the program counter")?;
        let mask = fields.word("the lane mask")?;
        let version = kernel.tracer_version;
        let (destinations, named) = fields.registers(
            "the number of destinations",
            "the destination register",
            version,
        )?;
        let opcode = opcodes.get(fields.text("the opcode")?)?;
        let (sources, more) =
            fields.registers("the number of sources", "the source register", version)?;
        let mut access = None;
        if version >= 6 && opcode.name.contains("GMMA") {
            fields.decimal("whether it ends a group", u32::MAX.into())?;
        }
        // This width only says whether there are addresses; the true one is in the opcode.
        let with_addresses = fields.decimal("the access width", u32::MAX.into())? > 0;
        if version >= 6 && opcode.is_bulk() {
            fields.bulk()?;
        } else if with_addresses {
            if !opcode.may_have_addresses() {
                return Err(Fault::Addresses(opcode.name.to_string()));
            }
            let width = opcode.width;
            let addresses = fields.addresses(mask, width)?;
            access = Some(Box::new(Access { width, addresses }));
        }
        let immediate = match version {
            5.. => Some(immediate(fields.text("the immediate")?)?),
            4 => fields.0.next().map(immediate).transpose()?,
            _ => None,
        };
        if version >= 6 {
            fields.values(named + more)?;
        }
        if let Some(text) = fields.0.next() {
            return Err(Fault::ExtraField(text.to_owned()));
        }
        let class = class(&opcode, mask, access.as_deref(), kernel);
        let instruction = Self {
            pc,
            mask,
            source_line,
            destinations,
            opcode,
            class,
            sources,
            access,
            immediate,
        };
        if let Some(access) = instruction.global() {
            access.stays_in_lines(mask)?;
        }
        Ok(instruction)
    }

    /// The addresses, if it is an instruction that goes to global memory.
    #[must_use]
    pub fn global(&self) -> Option<&Access> {
        self.access
            .as_deref()
            .filter(|_| self.class.space() == Some(Space::Global))
    }
}

/// Decimal, signed or not, or hexadecimal with 0x: an immediate may be of either kind.
fn immediate(text: &str) -> Result<i128, Fault> {
    let value = match text.starts_with("0x") {
        true => hexadecimal::<u64>(text).map(i128::from),
        false => text.parse().ok(),
    };
    let range = i128::from(i64::MIN)..=i128::from(u64::MAX);
    value
        .filter(|value| range.contains(value))
        .ok_or_else(|| Fault::Field {
            field: "the immediate",
            text: text.to_owned(),
            expected: "a number of 64 bits",
        })
}

/// The opcode's class, with a generic access moved to the memory that its first lane reaches.
fn class(opcode: &Opcode, mask: u32, access: Option<&Access>, kernel: &Kernel) -> Class {
    let class = opcode.class;
    let (true, Some(access)) = (opcode.generic() && mask != 0, access) else {
        return class;
    };
    let first = access.addresses[mask.trailing_zeros() as usize];
    let inside = |window: Option<u64>| {
        window.filter(|&start| start != 0).is_some_and(|start| {
            first
                .checked_sub(start)
                .is_some_and(|offset| offset < WINDOW_BYTES)
        })
    };
    if inside(kernel.shared_window) {
        class.moved(Space::Shared)
    } else if inside(kernel.local_window) {
        class.moved(Space::Local)
    } else {
        class
    }
}

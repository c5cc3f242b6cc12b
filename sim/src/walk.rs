//! The rules of an x86-64 page walk, one after the other: Intel SDM, volume 3A, chapter "Paging" (sections 4.5 to 4.8 of
//! older editions).
//!
//! A walk reads an entry of each level, the root's first. What is not present or has a reserved bit set ends it there;
//! rights are checked when the page is found, over all levels, and only then are accessed and dirty bits written, so that
//! a walk that is not permitted writes nothing. Of the checks that only a processor's own modes have, a write by the
//! supervisor to a page that may not be written is refused (CR0.WP is 1); SMEP, SMAP and protection keys do not apply to a
//! device.

use serde::Serialize;

mod image;
mod lines;
mod request;

pub use image::Image;
pub use lines::{Fault as LineFault, LineError, hexadecimal};
pub use request::read_requests;

/// The entry is there.
pub const PRESENT: u64 = 1;
/// What it maps may be written.
pub const WRITABLE: u64 = 1 << 1;
/// What it maps is for users too.
pub const USER: u64 = 1 << 2;
/// A walk has used it.
pub const ACCESSED: u64 = 1 << 5;
/// The page was written.
pub const DIRTY: u64 = 1 << 6;
/// It maps a page, in a level above the last.
pub const PAGE_SIZE: u64 = 1 << 7;
/// What it maps may not be executed.
pub const EXECUTE_DISABLE: u64 = 1 << 63;

/// What differs between machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Levels of tables: 4, or 5 with 57-bit addresses.
    pub levels: u8,
    /// Bits of a physical address, 32 to 52: MAXPHYADDR.
    pub physical_bits: u8,
    /// Pages may be execute-disabled: IA32_EFER.NXE.
    pub execute_disable: bool,
    /// The walker sets accessed and dirty bits; if it does not, a clear one is a fault to software.
    pub updates: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            levels: 4,
            physical_bits: 52,
            execute_disable: true,
            updates: true,
        }
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It fetches an instruction.
    Execute,
}

impl Access {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Execute];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Execute => "execute",
        }
    }
}

/// A virtual address that is to be translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The address.
    pub address: u64,
    /// What is done there.
    pub access: Access,
    /// A user does it, and not the supervisor.
    pub user: bool,
}

/// Physical memory, in words of 64 bits at multiples of eight.
pub trait Memory {
    /// The word at an address, or nothing outside of memory.
    fn read(&self, address: u64) -> Option<u64>;
    /// Sets bits of a word in memory, in one step that no other write can part; gives the word after it.
    fn set(&mut self, address: u64, bits: u64) -> Option<u64>;
}

/// An entry as a walk read or wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its table's level: 1 maps pages of 4 KB.
    pub level: u8,
    /// Its physical address.
    pub address: u64,
    /// Its value.
    pub value: u64,
}

/// A page that was found, and the rights over all levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The physical address.
    pub physical: u64,
    /// Bytes of the page.
    pub page_size: u64,
    /// The level of the entry that maps it.
    pub level: u8,
    /// It may be written.
    pub writable: bool,
    /// Users may access it.
    pub user: bool,
    /// It may be executed.
    pub executable: bool,
}

/// Why a walk has found no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The address has more than 48 (57) significant bits; nothing was read.
    NonCanonical,
    /// An entry is not present.
    NotPresent,
    /// An entry has a reserved bit set.
    ReservedBit,
    /// The page may not be accessed like this.
    Protection,
    /// An accessed bit is clear, and the walker does not set it.
    NotAccessed,
    /// The dirty bit is clear, and the walker does not set it.
    NotDirty,
    /// An entry or the page lies outside of memory.
    OutsideMemory,
}

impl Cause {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NonCanonical => "non-canonical",
            Self::NotPresent => "not-present",
            Self::ReservedBit => "reserved-bit",
            Self::Protection => "protection",
            Self::NotAccessed => "not-accessed",
            Self::NotDirty => "not-dirty",
            Self::OutsideMemory => "outside-memory",
        }
    }
}

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Why.
    pub cause: Cause,
    /// The level whose entry is to blame; of a page that may not be accessed, that of its own entry. 0 if none was read.
    pub level: u8,
    /// The error code of a page fault (SDM 4.7): bit 0 P, 1 W/R, 2 U/S, 3 RSVD, 4 I/D. Other faults have none.
    pub code: Option<u8>,
}

/// What a walk has done, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The entries that it read, in order.
    pub reads: Vec<Entry>,
    /// The entries that it wrote, in order, with their new values.
    pub writes: Vec<Entry>,
    /// The page, or why there is none.
    pub end: Result<Translation, Fault>,
}

/// Where an entry leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The table at this address.
    Table(u64),
    /// The page at this address.
    Page(u64),
}

impl Rules {
    /// Bits of a virtual address that mean something.
    #[must_use]
    pub fn virtual_bits(&self) -> u8 {
        12 + 9 * self.levels
    }

    /// Whether the bits above are copies of the highest one that means something.
    #[must_use]
    pub fn is_canonical(&self, address: u64) -> bool {
        let unused = 64 - u32::from(self.virtual_bits());
        ((address << unused) as i64 >> unused) as u64 == address
    }

    /// The physical address in an entry or a root, from bit `lowest` on.
    fn address(&self, entry: u64, lowest: u8) -> u64 {
        entry & bits(lowest, self.physical_bits)
    }

    /// Reads an entry of a level (SDM 4.5).
    ///
    /// # Errors
    /// If it leads nowhere: it is not present, or has a reserved bit set.
    pub fn next(&self, entry: u64, level: u8) -> Result<Next, Cause> {
        if entry & PRESENT == 0 {
            return Err(Cause::NotPresent);
        }
        let mut reserved = bits(self.physical_bits, 52);
        if !self.execute_disable {
            reserved |= EXECUTE_DISABLE;
        }
        let page = level == 1 || (level <= 3 && entry & PAGE_SIZE != 0);
        let lowest = offset_bits(level);
        match (page, level) {
            (true, 2 | 3) => reserved |= bits(13, lowest),
            (false, 4 | 5) => reserved |= PAGE_SIZE,
            _ => {}
        }
        match (entry & reserved != 0, page) {
            (true, _) => Err(Cause::ReservedBit),
            (false, true) => Ok(Next::Page(self.address(entry, lowest))),
            (false, false) => Ok(Next::Table(self.address(entry, 12))),
        }
    }

    /// The error code of a page fault.
    #[must_use]
    pub fn code(&self, request: &Request, cause: Cause) -> Option<u8> {
        if matches!(cause, Cause::NonCanonical | Cause::OutsideMemory) {
            return None;
        }
        let present = u8::from(cause != Cause::NotPresent);
        let write = u8::from(request.access == Access::Write);
        let reserved = u8::from(cause == Cause::ReservedBit);
        let fetch = u8::from(request.access == Access::Execute && self.execute_disable);
        Some(present | write << 1 | u8::from(request.user) << 2 | reserved << 3 | fetch << 4)
    }

    /// Walks the tables at `root`, a multiple of 4096, for a request.
    pub fn walk(&self, memory: &mut impl Memory, root: u64, request: &Request) -> Walk {
        let mut walk = Walk {
            reads: Vec::new(),
            writes: Vec::new(),
            end: Err(Fault {
                cause: Cause::NonCanonical,
                level: 0,
                code: None,
            }),
        };
        if !self.is_canonical(request.address) {
            return walk;
        }
        let mut level = self.levels;
        let found = self.find(memory, root, request.address, &mut level, &mut walk.reads);
        let end = found.and_then(|frame| {
            let translation = self.translation(request, frame, level, &walk.reads);
            self.permitted(memory, request, &translation, &mut level, &walk.reads)?;
            Ok(translation)
        });
        if end.is_ok() && self.updates {
            walk.writes = mark(memory, request, &walk.reads);
        }
        walk.end = end.map_err(|cause| Fault {
            cause,
            level,
            code: self.code(request, cause),
        });
        walk
    }

    /// Goes down to the page, and leaves behind the level that it has come to.
    fn find(
        &self,
        memory: &impl Memory,
        root: u64,
        address: u64,
        level: &mut u8,
        reads: &mut Vec<Entry>,
    ) -> Result<u64, Cause> {
        let mut table = self.address(root, 12);
        loop {
            let place = table | (address >> offset_bits(*level) & 511) << 3;
            let value = memory.read(place).ok_or(Cause::OutsideMemory)?;
            reads.push(Entry {
                level: *level,
                address: place,
                value,
            });
            match self.next(value, *level)? {
                Next::Page(frame) => return Ok(frame),
                Next::Table(next) => (table, *level) = (next, *level - 1),
            }
        }
    }

    /// The page with the rights over all levels (SDM 4.6): all must allow a write and users, and none forbid to execute.
    fn translation(
        &self,
        request: &Request,
        frame: u64,
        level: u8,
        reads: &[Entry],
    ) -> Translation {
        let all = |bit: u64| reads.iter().all(|entry| entry.value & bit != 0);
        let disabled = reads.iter().any(|entry| entry.value & EXECUTE_DISABLE != 0);
        let page_size = 1 << offset_bits(level);
        Translation {
            physical: frame | request.address & (page_size - 1),
            page_size,
            level,
            writable: all(WRITABLE),
            user: all(USER),
            executable: !disabled,
        }
    }

    /// Checks what only the whole walk tells, and leaves behind the level of the entry to blame.
    fn permitted(
        &self,
        memory: &impl Memory,
        request: &Request,
        page: &Translation,
        level: &mut u8,
        reads: &[Entry],
    ) -> Result<(), Cause> {
        let allowed = match request.access {
            Access::Read => true,
            Access::Write => page.writable,
            Access::Execute => page.executable,
        };
        if !allowed || (request.user && !page.user) {
            return Err(Cause::Protection);
        }
        if memory.read(page.physical).is_none() {
            return Err(Cause::OutsideMemory);
        }
        if self.updates {
            return Ok(());
        }
        if let Some(entry) = reads.iter().find(|entry| entry.value & ACCESSED == 0) {
            *level = entry.level;
            return Err(Cause::NotAccessed);
        }
        let leaf = reads.last().map_or(0, |entry| entry.value);
        match request.access == Access::Write && leaf & DIRTY == 0 {
            true => Err(Cause::NotDirty),
            false => Ok(()),
        }
    }
}

/// Sets the accessed bit of every entry and, for a write, the dirty bit of the last one (SDM 4.8). A bit that is set is
/// not written again, be it by this walk, whose entries may be one and the same.
fn mark(memory: &mut impl Memory, request: &Request, reads: &[Entry]) -> Vec<Entry> {
    let mut writes = Vec::new();
    for (place, entry) in reads.iter().enumerate() {
        let leaf = place + 1 == reads.len();
        let dirty = leaf && request.access == Access::Write;
        let wanted = ACCESSED | if dirty { DIRTY } else { 0 };
        let now = memory.read(entry.address).unwrap_or(wanted);
        if now & wanted != wanted {
            let value = memory.set(entry.address, wanted).unwrap_or(now | wanted);
            writes.push(Entry { value, ..*entry });
        }
    }
    writes
}

/// The name of a level's entries.
#[must_use]
pub fn level_name(level: u8) -> &'static str {
    match level {
        1 => "PTE",
        2 => "PDE",
        3 => "PDPTE",
        4 => "PML4E",
        5 => "PML5E",
        _ => "-",
    }
}

/// Bits of a virtual address below those that choose an entry of a level.
#[must_use]
pub const fn offset_bits(level: u8) -> u8 {
    12 + 9 * (level - 1)
}

/// Ones from bit `from` up to but not including bit `to`.
fn bits(from: u8, to: u8) -> u64 {
    (from..to).fold(0, |bits, bit| bits | 1 << bit)
}

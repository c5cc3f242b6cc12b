//! The driver of far faults at the GMMU's registers: it reads records from the ring of the fault buffer, and commands that far
//! faults are resolved.

use std::collections::VecDeque;

use crate::mmu::fault_buffer::{Command, Kind, Record, control, register, status};
use crate::mmu::gmmu::{Inputs, Outputs};

/// Records of the ring, more than far faults can be held.
const RECORDS: u64 = 4096;
/// Words of a record.
const WORDS: u64 = 8;

/// Cycles before the first access: caches forget what they held, and roots are written.
pub const START: u64 = 1024;
/// Bits 51 to 32 of an entry that are above a physical address of 40 bits.
const RESERVED: u32 = 0xf_ff00;
/// Levels of tables that a page-walk cache keeps: all that lead to others.
pub const CACHED: u8 = 0b111;

/// What goes into a GMMU in every cycle: its tables begin in this frame, and memory ends with that.
pub fn inputs(root_pfn: u64, last_pfn: u64) -> Inputs {
    Inputs {
        memory_ready: true,
        detail_ready: true,
        root_pfn,
        reserved_bits: RESERVED,
        execute_disable: true,
        last_pfn,
        ..Inputs::default()
    }
}

/// What brings the pages.
pub trait Pager {
    /// The driver has read a record.
    fn fault(&mut self, now: u64, record: &Record);
    /// Whether a far fault is to be resolved.
    fn is_ready(&self, now: u64) -> bool;
    /// The next far fault that is to be resolved: page and space. The page is there from now on.
    fn resolve(&mut self, now: u64) -> Option<(u64, u8)>;
}

/// What it waits to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// Nothing.
    Nothing,
    /// PUT.
    Put,
    /// STATUS, before it gives a command.
    Status,
}

/// The driver of a GMMU.
#[derive(Clone, Debug)]
pub struct Driver {
    /// Registers that are written at first.
    starting: VecDeque<(u8, u64)>,
    ring: Vec<u64>,
    get: u64,
    reading: Reading,
    /// What was read in the cycle before, and whether it was interrupted in it.
    read: u64,
    interrupted: bool,
    /// When memory acknowledges each of the words that were written into the ring.
    writes: VecDeque<u64>,
}

impl Driver {
    pub fn new() -> Self {
        let enabled = control::ENABLED | control::INTERRUPT_RECORDS;
        Self {
            starting: VecDeque::from([(register::SIZE, RECORDS), (register::CONTROL, enabled)]),
            ring: vec![0; (RECORDS * WORDS) as usize],
            get: 0,
            reading: Reading::Nothing,
            read: 0,
            interrupted: false,
            writes: VecDeque::new(),
        }
    }

    /// When something comes here, if it does nothing before; none if it does.
    pub fn rests(&self) -> Option<u64> {
        let does = !self.starting.is_empty() || self.reading != Reading::Nothing;
        let comes = self.writes.front().copied();
        (!does && !self.interrupted).then_some(comes.unwrap_or(u64::MAX))
    }

    /// What it does in a cycle.
    pub fn drive(&mut self, now: u64, pager: &mut impl Pager, inputs: &mut Inputs) {
        inputs.write_ready = true;
        inputs.written = self.writes.front().is_some_and(|due| *due <= now);
        if inputs.written {
            self.writes.pop_front();
        }
        let mut write = self.starting.pop_front();
        match self.reading {
            Reading::Put => {
                while self.get != self.read {
                    let first = (self.get * WORDS) as usize;
                    let words = std::array::from_fn(|word| self.ring[first + word]);
                    if let Some(record) = Record::read(&words) {
                        pager.fault(now, &record);
                    }
                    self.get = (self.get + 1) % RECORDS;
                }
                write = Some((register::GET, self.get));
            }
            Reading::Status if self.read & status::BUSY == 0 => {
                if let Some((vpn, asid)) = pager.resolve(now) {
                    let command = Command {
                        kind: Kind::ResolveVa,
                        vpn,
                        asid,
                        ..Command::default()
                    };
                    write = Some((register::COMMAND, command.word()));
                }
            }
            _ => {}
        }
        self.reading = match (write, self.interrupted) {
            (Some(_), _) => Reading::Nothing,
            (None, true) => Reading::Put,
            (None, false) if pager.is_ready(now) => Reading::Status,
            (None, false) => Reading::Nothing,
        };
        inputs.register_valid = write.is_some();
        (inputs.register_number, inputs.register_data) = write.unwrap_or_default();
        inputs.read_number = match self.reading {
            Reading::Put => register::PUT,
            _ => register::STATUS,
        };
    }

    /// What the GMMU has shown in this cycle; memory acknowledges a word after so many cycles.
    pub fn see(&mut self, now: u64, latency: u64, outputs: &Outputs) {
        self.read = outputs.read_data;
        self.interrupted = outputs.interrupts;
        if outputs.write_valid {
            self.writes.push_back(now + latency);
            let words = self.ring.len();
            self.ring[outputs.write_address as usize % words] = outputs.write_data;
        }
    }
}

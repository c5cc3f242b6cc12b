//! The driver of far faults: it reads records through the registers and the ring of the fault buffer, brings pages over a
//! link, and resolves each.

use std::collections::VecDeque;

use super::Parameters;
use super::memory::Memory;
use super::outcome::Outcome;
use crate::mmu::fault_buffer::{Command, Kind, Record, control, register, status};
use crate::mmu::gmmu::{Inputs, Outputs};

/// Records of the ring, more than far faults can be held.
const RECORDS: u64 = 4096;
/// Words of a record.
const WORDS: u64 = 8;

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
    /// Pages under way, with the time at which they are there.
    coming: VecDeque<(u64, u64, u8)>,
}

/// The link over which pages come, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Link {
    free: u64,
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
            coming: VecDeque::new(),
        }
    }

    /// What it does in a cycle.
    pub fn drive(
        &mut self,
        now: u64,
        parameters: &Parameters,
        memory: &mut Memory,
        link: &mut Link,
        inputs: &mut Inputs,
        outcome: &mut Outcome,
    ) {
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
                        outcome.far_faults += 1;
                        // Bringing a page is waiting for its turn on the link, and for the rest of the service beside that.
                        let ready = now + parameters.service - parameters.transfer;
                        link.free = link.free.max(ready) + parameters.transfer;
                        self.coming.push_back((link.free, record.vpn, record.asid));
                    }
                    self.get = (self.get + 1) % RECORDS;
                }
                write = Some((register::GET, self.get));
            }
            Reading::Status if self.read & status::BUSY == 0 => {
                if let Some((_, vpn, asid)) = self.coming.pop_front() {
                    memory.bring(vpn);
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
        let arrived = self.coming.front().is_some_and(|(due, ..)| *due <= now);
        self.reading = match (write, self.interrupted) {
            (Some(_), _) => Reading::Nothing,
            (None, true) => Reading::Put,
            (None, false) if arrived => Reading::Status,
            (None, false) => Reading::Nothing,
        };
        if let Some((number, data)) = write {
            inputs.register_valid = true;
            inputs.register_number = number;
            inputs.register_data = data;
        }
        inputs.read_number = match self.reading {
            Reading::Put => register::PUT,
            _ => register::STATUS,
        };
    }

    /// What the GMMU has shown in this cycle.
    pub fn see(&mut self, now: u64, parameters: &Parameters, outputs: &Outputs) {
        self.read = outputs.read_data;
        self.interrupted = outputs.interrupts;
        if outputs.write_valid {
            self.writes.push_back(now + parameters.memory_latency);
            let words = self.ring.len();
            self.ring[outputs.write_address as usize % words] = outputs.write_data;
        }
    }
}

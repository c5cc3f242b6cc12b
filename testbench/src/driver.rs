//! A naive driver of the fault buffer, with the replay policies of NVIDIA's: it reads the ring, brings pages, and lets the
//! far-fault MSHRs walk again. It is plain code that waits, and the machine goes on while it reads and writes registers.

use std::collections::VecDeque;

use faultline_sim::mmu::fault_buffer::{Command, Kind, Record, control, register, status};

/// Records that are served together (NVIDIA's driver: 256).
pub const BATCH: usize = 256;
/// Bits of a page number inside a block of 2 MB, by which NVIDIA's driver serves.
const BLOCK_BITS: u32 = 9;
/// Reads of STATUS after which a command must be done.
const PATIENCE: usize = 100_000;

/// When pages that were brought are walked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// After each block of 2 MB.
    Block,
    /// After each batch.
    Batch,
    /// After each batch, once the ring has been emptied. NVIDIA's driver forgets what it empties, for it will fault
    /// again; here it would not be reported again, so the driver keeps it for the next batch.
    BatchFlush,
    /// Once, when there is no record left.
    Once,
}

impl Policy {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Block, Self::Batch, Self::BatchFlush, Self::Once];
}

/// What a driver drives. Each access to a register takes its time.
pub trait Machine {
    /// Reads a register.
    fn read(&mut self, number: u8) -> u64;
    /// Writes one.
    fn write(&mut self, number: u8, data: u64);
    /// A word of memory.
    fn load(&self, word: u64) -> u64;
    /// Changes one.
    fn store(&mut self, word: u64, data: u64);
    /// Brings the page of a fault.
    fn bring(&mut self, record: &Record);
}

/// The driver of a ring of 64-byte records.
#[derive(Clone, Debug)]
pub struct Driver {
    policy: Policy,
    base: u64,
    size: u64,
    get: u64,
    /// Records that were read and not served.
    taken: VecDeque<Record>,
    /// Every record that was read.
    pub seen: Vec<Record>,
    /// Commands that were given.
    pub replays: usize,
}

impl Driver {
    /// A driver whose ring begins in a frame and has room for so many records.
    #[must_use]
    pub const fn new(policy: Policy, base: u64, size: u64) -> Self {
        Self {
            policy,
            base,
            size,
            get: 0,
            taken: VecDeque::new(),
            seen: Vec::new(),
            replays: 0,
        }
    }

    /// Makes the ring, and enables the buffer.
    pub fn start(&mut self, machine: &mut impl Machine) {
        machine.write(register::SIZE, self.size);
        machine.write(register::BASE, self.base);
        machine.write(
            register::CONTROL,
            control::ENABLED
                | control::INTERRUPT_RECORDS
                | control::INTERRUPT_OVERFLOW
                | control::QUERY,
        );
    }

    /// Serves what is in the ring until there is nothing left, as after an interrupt.
    ///
    /// # Panics
    /// If a record that PUT has passed is not in memory, or a command is not done.
    pub fn serve(&mut self, machine: &mut impl Machine) {
        let mut served = false;
        loop {
            self.take(machine, BATCH);
            let mut batch: Vec<_> = self
                .taken
                .drain(..self.taken.len().min(BATCH))
                .filter(|record| record.replayable)
                .collect();
            if batch.is_empty() && self.taken.is_empty() {
                if machine.read(register::PUT) == self.get {
                    break;
                }
                continue;
            }
            served = true;
            let block = |record: &Record| (record.asid, record.vpn >> BLOCK_BITS);
            batch.sort_by_key(|record| (block(record), record.vpn));
            // A page that was reported again before it was brought is brought once.
            batch.dedup_by_key(|record| (record.asid, record.vpn));
            for (number, record) in batch.iter().enumerate() {
                machine.bring(record);
                let next = batch.get(number + 1);
                if self.policy == Policy::Block && next.map(block) != Some(block(record)) {
                    self.replay(machine);
                }
            }
            match self.policy {
                Policy::Block | Policy::Once => {}
                Policy::Batch => self.replay(machine),
                Policy::BatchFlush => {
                    self.take(machine, usize::MAX);
                    self.replay(machine);
                }
            }
        }
        if served && self.policy == Policy::Once {
            self.replay(machine);
        }
    }

    /// Reads records up to PUT, moves GET, and clears OVERFLOW after that.
    fn take(&mut self, machine: &mut impl Machine, most: usize) {
        let put = machine.read(register::PUT);
        let mut records = 0;
        while self.get != put && records < most {
            let word = self.base * 512 + self.get * 8;
            let words = std::array::from_fn(|number| machine.load(word + number as u64));
            let record = Record::read(&words);
            let record = record.unwrap_or_else(|| panic!("record {} is not there", self.get));
            machine.store(word + 3, 0);
            self.seen.push(record);
            self.taken.push_back(record);
            self.get = (self.get + 1) % self.size;
            records += 1;
        }
        if records > 0 {
            machine.write(register::GET, self.get);
        }
        if machine.read(register::STATUS) & status::OVERFLOW != 0 {
            machine.write(register::CLEAR, 1);
        }
    }

    /// Lets every page that is held be walked again.
    fn replay(&mut self, machine: &mut impl Machine) {
        let command = Command {
            kind: Kind::Start,
            ..Command::default()
        };
        machine.write(register::COMMAND, command.word());
        self.replays += 1;
        let done = (0..PATIENCE).any(|_| machine.read(register::STATUS) & status::BUSY == 0);
        assert!(done, "a command is not done");
    }
}

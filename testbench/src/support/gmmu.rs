//! A GMMU with a memory of tables and records, SMs that answer queries, and whatever drives it.

use std::collections::{BTreeMap, VecDeque};

use faultline_sim::mmu::fault_buffer::{
    Command, Kind as CommandKind, Record, control, register, status,
};
use faultline_sim::mmu::gmmu::{Inputs, Outputs};
use faultline_sim::walk::{ACCESSED, DIRTY, Memory, PRESENT, USER, WRITABLE};

use crate::backend::Kind;
use crate::bench::Bench;
use crate::blocks::{self, Gmmu as Block};
use crate::driver::Machine;

/// Everything that a test waits for happens within this number of cycles.
const PATIENCE: usize = 20_000;
/// The ring begins in this frame of 4 KB.
pub const RING: u64 = 0x800_0000;
/// The root of space 0 is in this frame of 4 KB, and those of other spaces follow.
pub const ROOT: u64 = 0x100;
/// An entry with these bits forbids nothing and needs no update.
pub const OPEN: u64 = PRESENT | WRITABLE | USER | ACCESSED | DIRTY;

/// This is what an SM receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// The SM receives it in this cycle.
    pub cycle: u64,
    /// This is the number of the SM.
    pub sm: usize,
    /// This is the kind of the fill, as the port `fill_kind` gives it.
    pub kind: u8,
    /// The response is for this page.
    pub vpn: u64,
    /// The page is of this address space.
    pub asid: u8,
    /// The page is in this frame of 4 KB.
    pub pfn: u32,
    /// The page may be written.
    pub writable: bool,
    /// The page is not marked as written yet.
    pub clean: bool,
    /// This is the place of a far fault in the queue.
    pub place: u16,
}

/// These are words of physical memory by their numbers; one that is not listed is 0.
#[derive(Clone, Debug, Default)]
pub struct Words(pub BTreeMap<u64, u64>);

impl Memory for Words {
    fn read(&self, address: u64) -> Option<u64> {
        Some(self.0.get(&(address >> 3)).copied().unwrap_or(0))
    }

    fn set(&mut self, address: u64, bits: u64) -> Option<u64> {
        let word = self.0.entry(address >> 3).or_insert(0);
        *word |= bits;
        Some(*word)
    }
}

/// This is a GMMU in several back ends, with what is around it.
pub struct Gmmu {
    bench: Bench<faultline_sim::mmu::gmmu::Gmmu>,
    /// These inputs stay as they are.
    pub inputs: Inputs,
    /// This is physical memory, with the tables and the ring.
    pub memory: Words,
    /// The next table is made in this frame.
    next_table: u64,
    /// A request for an entry is answered after this number of cycles.
    pub latency: u64,
    /// A word of a record is acknowledged after this number of cycles.
    pub write_latency: u64,
    requested: VecDeque<(u64, Outputs)>,
    writes: VecDeque<(u64, u64, u64)>,
    detail: bool,
    /// These are the requests of each SM that were not accepted yet: the page, the address space, and whether it
    /// writes.
    pub requests: Vec<VecDeque<(u64, u8, bool)>>,
    /// SMs received these responses, in order.
    pub responses: Vec<Response>,
    /// These are the resolutions: the cycle, the SM, the page and the address space.
    pub resolved: Vec<(u64, usize, u64, u8)>,
    /// These are the drops: the cycle, the scope and the address space.
    pub dropped: Vec<(u64, u8, u8)>,
    /// This number of entries was requested of memory.
    pub reads: u64,
    /// This is the number of cycles so far.
    pub cycle: u64,
    /// These are the outputs of the last cycle.
    pub last: Outputs,
}

impl Gmmu {
    /// Builds a GMMU in all back ends, with an enabled ring of 64 records and nothing left to be cleared.
    #[must_use]
    pub fn new(config: &str) -> Self {
        let mut gmmu = Self::off(config, &Kind::built().collect::<Vec<_>>());
        gmmu.start(64);
        gmmu
    }

    /// Builds the same in the reference and in the Verilog, which are fast.
    #[must_use]
    pub fn fast(config: &str) -> Self {
        let quick = |kind: &Kind| *kind != Kind::RustHdl;
        let mut gmmu = Self::off(config, &Kind::built().filter(quick).collect::<Vec<_>>());
        gmmu.start(64);
        gmmu
    }

    /// Builds a GMMU whose fault buffer is off, with roots for four address spaces.
    fn off(config: &str, kinds: &[Kind]) -> Self {
        let mut gmmu = Self {
            bench: blocks::bench_of::<Block>(config, kinds).unwrap(),
            inputs: Inputs {
                execute_disable: true,
                reserved_bits: 0xF_FF00,
                last_pfn: u64::MAX >> 36,
                cached_levels: 15,
                shared_tlb: true,
                far_limit: 4,
                ..Inputs::default()
            },
            memory: Words::default(),
            next_table: ROOT + 0x100,
            latency: 10,
            write_latency: 5,
            requested: VecDeque::new(),
            writes: VecDeque::new(),
            detail: false,
            requests: vec![VecDeque::new(); 16],
            responses: Vec::new(),
            resolved: Vec::new(),
            dropped: Vec::new(),
            reads: 0,
            cycle: 0,
            last: Outputs::default(),
        };
        gmmu.inputs.reset = true;
        gmmu.step();
        gmmu.inputs.reset = false;
        for asid in 0..4 {
            gmmu.inputs.root_valid = true;
            gmmu.inputs.root_asid = asid;
            gmmu.inputs.root_pfn = ROOT + u64::from(asid);
            gmmu.step();
        }
        gmmu.inputs.root_valid = false;
        for _ in 0..270 {
            gmmu.step();
        }
        gmmu
    }

    /// Makes a ring of this number of records, and enables the fault buffer.
    pub fn start(&mut self, records: u64) {
        self.write(register::CONTROL, 0);
        self.write(register::SIZE, records);
        self.write(register::BASE, RING);
        self.write(register::CONTROL, control::ENABLED | control::QUERY);
    }

    /// Gives the number of the word with the entry of a page at a level; tables above it are made.
    pub fn entry(&mut self, asid: u8, vpn: u64, level: u8) -> u64 {
        let mut table = ROOT + u64::from(asid);
        for above in (level + 1..=4).rev() {
            let word = table << 9 | vpn >> (9 * (above - 1)) & 511;
            let next = self.next_table;
            let entry = self.memory.0.entry(word).or_insert(next << 12 | OPEN);
            if *entry == next << 12 | OPEN {
                self.next_table += 1;
            }
            table = *entry >> 12 & 0xFFF_FFFF;
        }
        table << 9 | vpn >> (9 * (level - 1)) & 511
    }

    /// Maps a page of 4 KB to a frame, with these rights.
    pub fn map(&mut self, asid: u8, vpn: u64, pfn: u64, rights: u64) {
        let word = self.entry(asid, vpn, 1);
        self.memory.0.insert(word, pfn << 12 | rights);
    }

    /// Lets an SM request a page, once its earlier requests are accepted.
    ///
    /// # Panics
    /// If there is no such SM.
    pub fn request(&mut self, sm: usize, asid: u8, vpn: u64, write: bool) {
        self.requests[sm].push_back((vpn, asid, write));
    }

    /// Runs a cycle, with what memory and SMs drive in it.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn step(&mut self) -> Outputs {
        let mut inputs = self.inputs.clone();
        for (sm, requests) in self.requests.iter().enumerate() {
            if let Some(&(vpn, asid, write)) = requests.front() {
                inputs.request_valid |= 1 << sm;
                inputs.request_vpn[sm] = vpn;
                inputs.request_asid[sm] = asid.into();
                inputs.request_write |= u16::from(write) << sm;
            }
        }
        inputs.memory_ready = true;
        inputs.write_ready = true;
        let due = self
            .requested
            .front()
            .is_some_and(|(due, _)| *due <= self.cycle);
        if due && let Some((_, requested)) = self.requested.pop_front() {
            inputs.response_valid = true;
            inputs.response_walk = requested.memory_walk;
            let word = self.memory.0.get(&requested.memory_word).copied();
            let word = word.unwrap_or(0);
            inputs.response_data = word;
            if requested.memory_update {
                let other = (word ^ requested.memory_expected) & !(ACCESSED | DIRTY) != 0;
                inputs.response_changed = other;
                let bits = if requested.memory_dirty {
                    ACCESSED | DIRTY
                } else {
                    ACCESSED
                };
                if !other {
                    self.memory.0.insert(requested.memory_word, word | bits);
                }
            }
        }
        let due = self
            .writes
            .front()
            .is_some_and(|(due, ..)| *due <= self.cycle);
        if due && let Some((_, word, data)) = self.writes.pop_front() {
            inputs.written = true;
            self.memory.0.insert(word, data);
        }
        inputs.detail_ready = !self.detail;
        inputs.context_valid = self.detail;
        let outputs = self.bench.run(&inputs);
        self.detail = outputs.detail_valid && inputs.detail_ready;
        if outputs.memory_valid {
            self.reads += 1;
            self.requested
                .push_back((self.cycle + self.latency, outputs.clone()));
        }
        if outputs.write_valid {
            let (word, data) = (outputs.write_address, outputs.write_data);
            self.writes
                .push_back((self.cycle + self.write_latency, word, data));
        }
        for sm in 0..16 {
            if inputs.request_valid & outputs.request_ready & 1 << sm != 0 {
                self.requests[sm].pop_front();
            }
            if outputs.fill_valid & 1 << sm != 0 {
                self.responses.push(Response {
                    cycle: self.cycle,
                    sm,
                    kind: outputs.fill_kind[sm] as u8,
                    vpn: outputs.fill_vpn,
                    asid: outputs.fill_asid,
                    pfn: outputs.fill_pfn as u32,
                    writable: outputs.fill_writable,
                    clean: outputs.fill_clean,
                    place: outputs.fill_place,
                });
            }
            if outputs.resolve_valid & 1 << sm != 0 {
                let (vpn, asid) = (outputs.resolve_vpn, outputs.resolve_asid);
                self.resolved.push((self.cycle, sm, vpn, asid));
            }
        }
        if outputs.drop_valid {
            let (scope, asid) = (outputs.drop_scope, outputs.drop_asid);
            self.dropped.push((self.cycle, scope, asid));
        }
        self.cycle += 1;
        self.last = outputs.clone();
        outputs
    }

    /// Runs cycles until something is the case.
    ///
    /// # Panics
    /// If it is not the case within 20,000 cycles.
    pub fn until(&mut self, what: &str, mut is: impl FnMut(&Self) -> bool) {
        for _ in 0..PATIENCE {
            if is(self) {
                return;
            }
            self.step();
        }
        panic!("{what}: not within {PATIENCE} cycles");
    }

    /// Runs this number of cycles.
    pub fn steps(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.step();
        }
    }

    /// Lets an SM request a page, and gives the response.
    ///
    /// # Panics
    /// If it receives nothing within 20,000 cycles.
    pub fn answer(&mut self, sm: usize, asid: u8, vpn: u64, write: bool) -> Response {
        let before = self.responses.len();
        self.request(sm, asid, vpn, write);
        let of = |response: &&Response| {
            response.sm == sm && response.vpn == vpn && response.asid == asid
        };
        self.until("an answer", |gmmu| {
            gmmu.responses[before..]
                .iter()
                .any(|response| of(&response))
        });
        *self.responses[before..].iter().find(of).unwrap()
    }

    /// Gives a command, and waits until it is done.
    ///
    /// # Panics
    /// If it is not done within 20,000 cycles.
    pub fn command(&mut self, kind: CommandKind, sm: u8, asid: u8, vpn: u64) {
        let command = Command {
            kind,
            sm,
            vpn,
            asid,
        };
        self.write(register::COMMAND, command.word());
        for _ in 0..PATIENCE {
            if self.read(register::STATUS) & status::BUSY == 0 {
                return;
            }
        }
        panic!("{kind:?} is not done");
    }

    /// Invalidates entries, and waits for the acknowledgement.
    ///
    /// # Panics
    /// If it does not come within 20,000 cycles.
    pub fn invalidate(&mut self, scope: u8, asid: u8, vpn: u64) {
        self.inputs.invalidate_valid = true;
        self.inputs.invalidate_scope = scope;
        self.inputs.invalidate_asid = asid;
        self.inputs.invalidate_vpn = vpn;
        for _ in 0..PATIENCE {
            if self.step().invalidate_ready {
                self.inputs.invalidate_valid = false;
                return;
            }
        }
        panic!("an invalidation is not acknowledged");
    }

    /// Reads the records from GET on, and moves GET behind them.
    ///
    /// # Panics
    /// If one of them is no record.
    pub fn records(&mut self) -> Vec<Record> {
        let (put, size) = (self.read(register::PUT), self.read(register::SIZE));
        let mut get = self.read(register::GET);
        let mut records = Vec::new();
        while get != put {
            let base = RING * 512 + get * 8;
            let words = std::array::from_fn(|word| self.load(base + word as u64));
            records.push(Record::read(&words).unwrap());
            get = (get + 1) % size;
        }
        self.write(register::GET, get);
        records
    }
}

impl Machine for Gmmu {
    fn read(&mut self, number: u8) -> u64 {
        self.inputs.read_number = number;
        self.step().read_data
    }

    fn write(&mut self, number: u8, data: u64) {
        self.inputs.register_valid = true;
        (self.inputs.register_number, self.inputs.register_data) = (number, data);
        self.step();
        self.inputs.register_valid = false;
    }

    fn load(&self, word: u64) -> u64 {
        self.memory.0.get(&word).copied().unwrap_or(0)
    }

    fn store(&mut self, word: u64, data: u64) {
        self.memory.0.insert(word, data);
    }

    /// Maps the page to the frame of its number.
    fn bring(&mut self, record: &Record) {
        let word = self.entry(record.asid, record.vpn, 1);
        self.memory
            .0
            .insert(word, record.vpn << 12 & 0xFF_FFFF_F000 | OPEN);
    }
}

//! A fault buffer in all back ends at once, with a memory, SMs, and far-fault MSHRs that request again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use faultline_sim::mmu::fault_buffer::{
    Command, Context, Inputs, Kind, Outputs, Record, control, register, status,
};

use crate::backend;
use crate::bench::Bench;
use crate::blocks::{self, FaultBuffer};
use crate::driver::Machine;

/// Everything that a test waits for happens within this number of cycles.
const PATIENCE: usize = 2000;

/// The ring of a test begins in this frame of 4 KB.
pub const BASE: u64 = 0x123;

/// This is a fault buffer in all back ends, with what is around it.
pub struct Buffer {
    bench: Bench<FaultBuffer>,
    /// These are the words that memory has acknowledged, by their numbers.
    pub memory: BTreeMap<u64, u64>,
    /// These are writes that memory has taken: the cycles until it acknowledges each, its address and its data.
    writes: VecDeque<(u64, u64, u64)>,
    /// These are the numbers of the words that were written, in order.
    pub order: Vec<u64>,
    /// A write is acknowledged after this number of cycles.
    pub latency: u64,
    /// Memory takes writes and acknowledges them.
    pub memory_works: bool,
    /// SMs take queries and answer them.
    pub sms_work: bool,
    /// SMs answer with this context, or that they know none.
    pub context: Option<Context>,
    /// These are the queries to SMs: the SM, the page and the address space.
    pub queries: Vec<(u8, u64, u8)>,
    queried: bool,
    /// These are the commands that were taken.
    pub commands: Vec<Taken>,
    /// Commands are taken.
    pub commands_taken: bool,
    /// The MSHRs are sweeping, whatever the model below shows.
    pub sweeping: bool,
    /// Walks are pending, whatever the model below shows.
    pub walks_pending: bool,
    /// These are the outputs of the last cycle.
    pub last: Outputs,
    /// These are the faults of the world below.
    pub world: World,
}

/// This is what the buffer sees of the far-fault MSHRs.
#[derive(Default)]
pub struct World {
    /// SMs will fault on these pages, the first one first.
    pub raised: VecDeque<Record>,
    /// This fault is on offer.
    offered: Option<Record>,
    /// These are the cycles since a fault was accepted or turned away; the MSHRs need three for another one.
    since: u32,
    /// These pages are held, each by its address space and number.
    held: BTreeSet<(u8, u64)>,
    /// These pages are there, each by its address space and number.
    present: BTreeSet<(u8, u64)>,
    /// This number of faults received a Nack.
    pub turned_away: usize,
    sweep: u32,
    walks: u32,
}

/// This is a command as it leaves the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The faults are cancelled, not resolved.
    pub cancel: bool,
    /// The command is for all pages.
    pub all: bool,
    /// The command is for this page.
    pub vpn: u64,
    /// The command is for a page of this address space.
    pub asid: u8,
    /// The command is for these SMs, a bit for each.
    pub requesters: u16,
}

/// Gives the record of a replayable fault of a page of space 3 by two SMs.
#[must_use]
pub fn fault(vpn: u64) -> Record {
    Record {
        vpn,
        asid: 3,
        cause: 2,
        access: 5,
        level: 1,
        replayable: true,
        requesters: 0b1010,
        index: 17,
        place: 23,
        ..Record::default()
    }
}

/// Gives the record of a fault of a page that was denied.
#[must_use]
pub fn denied(vpn: u64) -> Record {
    Record {
        cause: 4,
        replayable: false,
        index: 0,
        place: 0,
        ..fault(vpn)
    }
}

/// Gives the inputs that offer a fault.
#[must_use]
pub fn offer(fault: &Record) -> Inputs {
    Inputs {
        fault_valid: true,
        fault_vpn: fault.vpn,
        fault_asid: fault.asid,
        fault_requesters: fault.requesters,
        fault_access: fault.access,
        fault_cause: fault.cause,
        fault_level: fault.level,
        fault_replayable: fault.replayable,
        fault_index: fault.index,
        fault_place: fault.place,
        ..Inputs::default()
    }
}

impl Buffer {
    /// Builds a buffer of 64 records in all back ends, and resets it.
    #[must_use]
    pub fn after_reset() -> Self {
        Self::of(&backend::Kind::built().collect::<Vec<_>>())
    }

    /// Builds a buffer of 64 records in these back ends, and resets it.
    ///
    /// # Panics
    /// If a back end cannot be built, or they differ.
    #[must_use]
    pub fn of(kinds: &[backend::Kind]) -> Self {
        let mut buffer = Self {
            bench: blocks::bench_of::<FaultBuffer>("64", kinds).unwrap(),
            memory: BTreeMap::new(),
            writes: VecDeque::new(),
            order: Vec::new(),
            latency: 3,
            memory_works: true,
            sms_work: true,
            context: None,
            queries: Vec::new(),
            queried: false,
            commands: Vec::new(),
            commands_taken: true,
            sweeping: false,
            walks_pending: false,
            last: Outputs::default(),
            world: World::default(),
        };
        buffer.reset();
        buffer
    }

    /// Builds a buffer in all back ends, and enables it with a ring of this number of records.
    #[must_use]
    pub fn with_ring(size: u64) -> Self {
        let mut buffer = Self::after_reset();
        buffer.set(register::SIZE, size);
        buffer.set(register::BASE, BASE);
        buffer.set(register::CONTROL, control::ENABLED);
        buffer
    }

    /// Runs a cycle with `reset` set; memory forgets the writes that it has not acknowledged.
    pub fn reset(&mut self) {
        self.exactly(&Inputs {
            reset: true,
            ..Inputs::default()
        });
        self.writes.clear();
        self.queried = false;
    }

    /// Runs a cycle with these inputs alone, and gives the outputs that all back ends agree on.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn exactly(&mut self, inputs: &Inputs) -> Outputs {
        self.last = self.bench.run(inputs);
        self.last.clone()
    }

    /// Runs a cycle with these inputs, and with what memory, SMs and MSHRs drive in it.
    pub fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let mut inputs = inputs.clone();
        for (left, ..) in &mut self.writes {
            *left = left.saturating_sub(1);
        }
        inputs.written = self.memory_works && self.writes.front().is_some_and(|write| write.0 == 0);
        inputs.write_ready = self.memory_works;
        inputs.detail_ready = self.sms_work;
        inputs.context_valid = self.sms_work && self.queried;
        let context = self.context.unwrap_or_default();
        inputs.context_known = self.context.is_some();
        inputs.context_warp = context.warp;
        inputs.context_slot = context.slot;
        inputs.context_pc = context.pc;
        inputs.context_lanes = context.lanes;
        inputs.context_scheme = context.scheme;
        inputs.context_pointer = context.pointer;
        inputs.command_ready = self.commands_taken;
        inputs.sweeping |= self.sweeping || self.world.sweep > 0;
        inputs.walks_pending |= self.walks_pending || self.world.walks > 0;
        self.world.sweep = self.world.sweep.saturating_sub(1);
        self.world.walks = self.world.walks.saturating_sub(1);
        let outputs = self.exactly(&inputs);
        if inputs.written
            && let Some((_, address, data)) = self.writes.pop_front()
        {
            self.memory.insert(address, data);
        }
        if inputs.context_valid {
            self.queried = false;
        }
        if outputs.write_valid && inputs.write_ready {
            self.order.push(outputs.write_address);
            self.writes
                .push_back((self.latency, outputs.write_address, outputs.write_data));
        }
        if outputs.detail_valid && inputs.detail_ready {
            let query = (outputs.detail_sm, outputs.detail_vpn, outputs.detail_asid);
            self.queries.push(query);
            self.queried = true;
        }
        if outputs.command_valid && inputs.command_ready {
            self.commands.push(Taken {
                cancel: outputs.command_cancel,
                all: outputs.command_all,
                vpn: outputs.command_vpn,
                asid: outputs.command_asid,
                requesters: outputs.command_requesters,
            });
            // Pages that are there are woken.
            let World {
                held,
                present,
                sweep,
                walks,
                ..
            } = &mut self.world;
            *sweep = 1 + 3 * held.len() as u32;
            *walks = *sweep + 20;
            held.retain(|page| !present.contains(page));
        }
        outputs
    }

    /// Runs a cycle without a request.
    pub fn rest(&mut self) -> Outputs {
        self.cycle(&Inputs::default())
    }

    /// Rests for this number of cycles.
    pub fn pass(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.rest();
        }
    }

    /// Runs a cycle in which the driver reads a register.
    pub fn get(&mut self, number: u8) -> u64 {
        let inputs = Inputs {
            read_number: number,
            ..Inputs::default()
        };
        self.cycle(&inputs).read_data
    }

    /// Runs a cycle in which the driver writes a register.
    pub fn set(&mut self, number: u8, data: u64) -> Outputs {
        self.cycle(&Inputs {
            register_valid: true,
            register_number: number,
            register_data: data,
            ..Inputs::default()
        })
    }

    /// Runs a cycle in which the driver gives a command.
    pub fn command(&mut self, command: Command) {
        self.set(register::COMMAND, command.word());
    }

    /// Tells whether STATUS has a bit.
    pub fn has(&mut self, bit: u64) -> bool {
        self.get(register::STATUS) & bit != 0
    }

    /// Offers a fault until it is accepted.
    ///
    /// # Panics
    /// If it is not accepted in 2,000 cycles.
    pub fn accept(&mut self, fault: &Record) {
        let accepted = (0..PATIENCE).any(|_| self.cycle(&offer(fault)).fault_ready);
        assert!(accepted, "{fault:?} is not accepted");
    }

    /// Rests until no fault is under way.
    ///
    /// # Panics
    /// If one is under way for more than 2,000 cycles.
    pub fn settle(&mut self) {
        let settled = (0..PATIENCE).any(|_| !self.has(status::UNDER_WAY));
        assert!(settled, "a fault is under way for ever");
    }

    /// Offers a fault, and rests until it is no longer under way.
    pub fn fault(&mut self, fault: &Record) {
        self.accept(fault);
        self.settle();
    }

    /// Gives the words of a record of the ring.
    #[must_use]
    pub fn words(&self, number: u64) -> [u64; 8] {
        std::array::from_fn(|word| self.load(BASE * 512 + number * 8 + word as u64))
    }

    /// Gives a record of the ring.
    ///
    /// # Panics
    /// If there is none at that place.
    #[must_use]
    pub fn record(&self, number: u64) -> Record {
        Record::read(&self.words(number)).expect("a record")
    }

    /// Reads the counters of records, and of faults that were filtered, turned away and dropped.
    pub fn counters(&mut self) -> [u64; 4] {
        [8, 9, 10, 11].map(|number| self.get(number))
    }

    /// Runs a cycle of the world, in which SMs fault and are turned away where there is no room.
    pub fn world_cycle(&mut self, inputs: &Inputs) -> Outputs {
        let mut inputs = inputs.clone();
        self.world.since += 1;
        if self.world.offered.is_none()
            && self.world.since > 3
            && let Some(fault) = self.world.raised.pop_front()
        {
            if !fault.replayable {
                self.world.offered = Some(fault);
            } else if self.last.room {
                self.world.held.insert((fault.asid, fault.vpn));
                self.world.offered = Some(fault);
            } else {
                inputs.turned_away = true;
                self.world.since = 0;
                self.world.turned_away += 1;
                self.world.raised.push_back(fault);
            }
        }
        if let Some(fault) = &self.world.offered {
            inputs = Inputs {
                register_valid: inputs.register_valid,
                register_number: inputs.register_number,
                register_data: inputs.register_data,
                read_number: inputs.read_number,
                turned_away: inputs.turned_away,
                ..offer(fault)
            };
        }
        let outputs = self.cycle(&inputs);
        if inputs.fault_valid && outputs.fault_ready {
            self.world.offered = None;
            self.world.since = 0;
        }
        outputs
    }

    /// Tells whether everything was reported to the driver, and everything was woken.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.world.raised.is_empty() && self.world.offered.is_none() && self.world.held.is_empty()
    }
}

/// The driver's accesses take a cycle each, and faults come meanwhile.
impl Machine for Buffer {
    fn read(&mut self, number: u8) -> u64 {
        let inputs = Inputs {
            read_number: number,
            ..Inputs::default()
        };
        self.world_cycle(&inputs).read_data
    }

    fn write(&mut self, number: u8, data: u64) {
        self.world_cycle(&Inputs {
            register_valid: true,
            register_number: number,
            register_data: data,
            ..Inputs::default()
        });
    }

    fn load(&self, word: u64) -> u64 {
        self.memory.get(&word).copied().unwrap_or_default()
    }

    fn store(&mut self, word: u64, data: u64) {
        self.memory.insert(word, data);
    }

    fn bring(&mut self, record: &Record) {
        self.world.present.insert((record.asid, record.vpn));
        for _ in 0..20 {
            self.world_cycle(&Inputs::default());
        }
    }
}

/// Gives a command of a kind, for one page.
#[must_use]
pub fn command(kind: Kind) -> Command {
    Command {
        kind,
        sm: 9,
        vpn: 0x9_8765_4321,
        asid: 0xC5,
    }
}

//! The reference model of the operand log: its page (`docs/blocks/operand_log.md`) as plain data.

use crate::ports;
use crate::ports::Model;

/// Lanes of a warp; an operand has 8 B for each.
pub const LANES: usize = 32;

/// Cycles for which reads that were asked for may go unserved before they go first.
pub const PATIENCE: usize = 8;

/// The sizes of an operand log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Entries, at most 128.
    pub entries: usize,
    /// Bits of a thread-block slot, at most 4.
    pub slot_bits: usize,
    /// Words of 32 bits in an entry, at most 64.
    pub words: usize,
}

impl Parameters {
    /// A log of so many entries at the paper's sizes: 16 thread blocks, 32 lanes of 8 B.
    #[must_use]
    pub const fn with_entries(entries: usize) -> Self {
        Self {
            entries,
            slot_bits: 4,
            words: 2 * LANES,
        }
    }

    /// Bits of an entry's number.
    #[must_use]
    pub const fn entry_bits(&self) -> usize {
        self.entries.next_power_of_two().ilog2() as usize
    }

    /// Thread-block slots.
    #[must_use]
    pub const fn slots(&self) -> usize {
        1 << self.slot_bits
    }
}

/// The operand of a warp, a lane an element.
pub type Operand = [u64; LANES];

ports! {
    /// What goes into an operand log in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Takes every partition away.
        reset: bool = 1,
        /// A kernel starts.
        launch_valid: bool = 1,
        /// Entries per thread block.
        launch_entries: u8 = parameters.entry_bits() + 1,
        /// An instruction asks for its entries.
        allocate_valid: bool = 1,
        /// Its thread block's slot.
        allocate_slot: u8 = parameters.slot_bits,
        /// It is a store, and needs two.
        allocate_store: bool = 1,
        /// An operand at operand read.
        write_valid: bool = 1,
        /// Its entry.
        write_entry: u8 = parameters.entry_bits(),
        /// Its lanes.
        write_data: Operand = (parameters.words / 2, 64),
        /// An entry is given back.
        release_valid: bool = 1,
        /// The slot that it was allocated for.
        release_slot: u8 = parameters.slot_bits,
        /// Which.
        release_entry: u8 = parameters.entry_bits(),
        /// A replayed instruction reads its operand.
        replay_valid: bool = 1,
        /// Its thread block's slot.
        replay_slot: u8 = parameters.slot_bits,
        /// The operand's entry.
        replay_entry: u8 = parameters.entry_bits(),
        /// A context save reads an operand.
        save_valid: bool = 1,
        /// The slot of the thread block that is saved.
        save_slot: u8 = parameters.slot_bits,
        /// The operand's entry.
        save_entry: u8 = parameters.entry_bits(),
    }
}

ports! {
    /// What an operand log shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// The allocation is accepted.
        allocate_ready: bool = 1,
        /// The entries of the allocation before follow.
        allocated_valid: bool = 1,
        /// The entry for the address.
        allocated_address: u8 = parameters.entry_bits(),
        /// The entry for a store's data.
        allocated_data: u8 = parameters.entry_bits(),
        /// Slots with at least one free entry, a bit each.
        free_one: u16 = parameters.slots(),
        /// Slots with at least two free entries, a bit each.
        free_two: u16 = parameters.slots(),
        /// Slots with at least three, a bit each.
        free_three: u16 = parameters.slots(),
        /// Slots with at least four, a bit each.
        free_four: u16 = parameters.slots(),
        /// The write is accepted.
        write_ready: bool = 1,
        /// The read for a replay is accepted.
        replay_ready: bool = 1,
        /// The read for a save is accepted.
        save_ready: bool = 1,
        /// `read_data` holds the replay's operand.
        replayed_valid: bool = 1,
        /// `read_data` holds the save's operand.
        saved_valid: bool = 1,
        /// The read before was not allowed.
        read_denied: bool = 1,
        /// What the last answered read brought.
        read_data: Operand = (parameters.words / 2, 64),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Replay,
    Save,
}

/// What became of the read of the cycle before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Nothing,
    Served(Reader),
    Denied,
}

/// The reference model. Sets of entries have a bit for each.
#[derive(Clone, Debug)]
pub struct OperandLog {
    parameters: Parameters,
    partitions: Vec<u128>,
    free_counts: Vec<u8>,
    allocated: u128,
    written: u128,
    /// The slot of the allocation of the cycle before, and whether it is a store.
    reserved: Option<(u8, bool)>,
    unserved: usize,
    last_served: Reader,
    answer: Answer,
    memory: Vec<Operand>,
    read_data: Operand,
}

impl Model for OperandLog {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            partitions: vec![0; parameters.slots()],
            free_counts: vec![0; parameters.slots()],
            allocated: 0,
            written: 0,
            reserved: None,
            unserved: 0,
            last_served: Reader::Save,
            answer: Answer::Nothing,
            memory: vec![[0; LANES]; parameters.entries],
            read_data: [0; LANES],
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let outputs = self.outputs(inputs);
        self.access(inputs, &outputs);
        if inputs.reset {
            self.reset();
        } else if inputs.launch_valid {
            self.launch(usize::from(inputs.launch_entries));
        } else {
            self.update_entries(inputs, &outputs);
        }
        outputs
    }
}

impl OperandLog {
    /// The entries that a slot owns.
    #[must_use]
    pub fn partition(&self, slot: usize) -> u128 {
        self.partitions[slot]
    }

    /// The entries that are in use.
    #[must_use]
    pub fn allocated(&self) -> u128 {
        self.allocated
    }

    /// The entries that were written since they were allocated.
    #[must_use]
    pub fn written(&self) -> u128 {
        self.allocated & self.written
    }

    /// The entries that are being taken in this cycle.
    #[must_use]
    pub fn being_taken(&self) -> u128 {
        match (self.reserved, self.given()) {
            (None, _) | (_, None) => 0,
            (Some((_, false)), Some((address, _))) => 1 << address,
            (Some((_, true)), Some((address, data))) => (1 << address) | (1 << data),
        }
    }

    /// The slot that owns an entry.
    #[must_use]
    pub fn owner(&self, entry: u8) -> Option<u8> {
        let owns = |partition: &u128| partition & (1 << entry) != 0;
        self.partitions.iter().position(owns).map(|slot| slot as u8)
    }

    /// What it shows for these inputs, without going on: for a model that is a part of another.
    #[must_use]
    pub fn outputs(&self, inputs: &Inputs) -> Outputs {
        let launch = inputs.launch_valid;
        let read_asked = inputs.replay_valid || inputs.save_valid;
        let overdue = self.unserved == PATIENCE;
        let write_ready = !(launch || (overdue && read_asked));
        let read_goes = !(launch || (inputs.write_valid && write_ready));
        let (saves_turn, replays_turn) = (
            self.last_served == Reader::Replay,
            self.last_served == Reader::Save,
        );
        let free = self.free_counts[usize::from(inputs.allocate_slot)];
        let needed = if inputs.allocate_store { 2 } else { 1 };
        let (address, data) = self.given().unwrap_or((0, 0));
        let slots_with = |count: u8| {
            let enough =
                |set, (slot, &free): (usize, &u8)| set | (u16::from(free >= count) << slot);
            self.free_counts.iter().enumerate().fold(0, enough)
        };
        Outputs {
            allocate_ready: !launch && free >= needed,
            allocated_valid: self.reserved.is_some(),
            allocated_address: address,
            allocated_data: data,
            free_one: slots_with(1),
            free_two: slots_with(2),
            free_three: slots_with(3),
            free_four: slots_with(4),
            write_ready,
            replay_ready: read_goes && !(inputs.save_valid && saves_turn),
            save_ready: read_goes && !(inputs.replay_valid && replays_turn),
            replayed_valid: self.answer == Answer::Served(Reader::Replay),
            saved_valid: self.answer == Answer::Served(Reader::Save),
            read_denied: self.answer == Answer::Denied,
            read_data: self.read_data,
        }
    }

    /// The lowest and the highest free entry of the partition that reserved: what an allocation of the cycle before is
    /// given.
    #[must_use]
    pub fn given(&self) -> Option<(u8, u8)> {
        let (slot, _) = self.reserved?;
        let free = self.partitions[usize::from(slot)] & !self.allocated;
        (free != 0).then(|| (small(free.trailing_zeros()), small(free.ilog2())))
    }

    /// The port of the memory: one write or one read.
    fn access(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let replay = inputs.replay_valid && outputs.replay_ready;
        let save = inputs.save_valid && outputs.save_ready;
        self.answer = Answer::Nothing;
        if inputs.write_valid && outputs.write_ready {
            if let Some(operand) = self.memory.get_mut(usize::from(inputs.write_entry)) {
                *operand = inputs.write_data;
            }
        } else if replay {
            self.read(Reader::Replay, inputs.replay_slot, inputs.replay_entry);
        } else if save {
            self.read(Reader::Save, inputs.save_slot, inputs.save_entry);
        }
        let asked = inputs.replay_valid || inputs.save_valid;
        self.unserved = if asked && !replay && !save {
            PATIENCE.min(self.unserved + 1)
        } else {
            0
        };
    }

    fn read(&mut self, reader: Reader, slot: u8, entry: u8) {
        let allowed = self.partitions[usize::from(slot)] & self.written() & (1 << entry) != 0;
        self.answer = if allowed {
            Answer::Served(reader)
        } else {
            Answer::Denied
        };
        self.last_served = reader;
        // A denied read reads nothing.
        if let (true, Some(operand)) = (allowed, self.memory.get(usize::from(entry))) {
            self.read_data = *operand;
        }
    }

    fn reset(&mut self) {
        self.launch(0);
        self.unserved = 0;
        self.last_served = Reader::Save;
        self.answer = Answer::Nothing;
    }

    fn launch(&mut self, size: usize) {
        for slot in 0..self.parameters.slots() {
            let exists = size > 0 && (slot + 1) * size <= self.parameters.entries;
            self.partitions[slot] = if exists {
                (u128::MAX >> (128 - size)) << (slot * size)
            } else {
                0
            };
            self.free_counts[slot] = small(self.partitions[slot].count_ones());
        }
        self.allocated = 0;
        self.written = 0;
        self.reserved = None;
    }

    fn update_entries(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let (in_use, taken) = (self.allocated, self.being_taken());
        self.allocated |= taken;
        self.written &= !taken;
        if inputs.write_valid && outputs.write_ready {
            self.written |= self.allocated & (1 << inputs.write_entry);
        }
        if inputs.release_valid && in_use & (1 << inputs.release_entry) != 0 {
            self.allocated &= !(1 << inputs.release_entry);
            self.free_counts[usize::from(inputs.release_slot)] += 1;
        }
        self.reserved = None;
        if inputs.allocate_valid && outputs.allocate_ready {
            self.free_counts[usize::from(inputs.allocate_slot)] -=
                1 + u8::from(inputs.allocate_store);
            self.reserved = Some((inputs.allocate_slot, inputs.allocate_store));
        }
    }
}

/// An entry number or a count of at most 128 entries.
#[allow(clippy::cast_possible_truncation)]
const fn small(number: u32) -> u8 {
    number as u8
}

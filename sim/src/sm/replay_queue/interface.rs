//! Sizes, ports and payload of the replay queue.

use crate::ports;

/// The sizes of a replay queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Entries, a power of two of at most 128.
    pub entries: usize,
    /// Bits of a warp number.
    pub warp_bits: usize,
    /// Bits of a thread-block slot.
    pub slot_bits: usize,
    /// Bits of a register number; the highest one is the zero register.
    pub register_bits: usize,
    /// Bits of an age.
    pub age_bits: usize,
}

impl Parameters {
    /// A queue of so many entries at the paper's sizes: 64 warps, 16 thread blocks, 255 registers.
    #[must_use]
    pub const fn with_entries(entries: usize) -> Self {
        Self {
            entries,
            warp_bits: 6,
            slot_bits: 4,
            register_bits: 8,
            age_bits: 6,
        }
    }

    /// Bits of an entry's index.
    #[must_use]
    pub const fn index_bits(&self) -> usize {
        self.entries.ilog2() as usize
    }

    /// The register that is nobody's source.
    #[must_use]
    pub const fn zero_register(&self) -> u8 {
        u8::MAX >> (8 - self.register_bits)
    }
}

ports! {
    /// What goes into a replay queue in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Frees every entry and ends a scan.
        reset: bool = 1,
        /// An instruction at issue.
        insert_valid: bool = 1,
        /// It comes from a saved context, and waits for a replay at once.
        insert_restored: bool = 1,
        /// Its warp.
        insert_warp: u8 = parameters.warp_bits,
        /// Its thread block's slot.
        insert_slot: u8 = parameters.slot_bits,
        /// Its program counter.
        insert_pc: u32 = 32,
        /// Its lanes.
        insert_mask: u32 = 32,
        /// Its opcode, opaque.
        insert_opcode: u8 = 8,
        /// Its destination register.
        insert_destination: u8 = parameters.register_bits,
        /// The register of its address.
        insert_address_register: u8 = parameters.register_bits,
        /// The register of its store data.
        insert_data_register: u8 = parameters.register_bits,
        /// The operand-log entry of its address, opaque.
        insert_log_address: u8 = 7,
        /// The operand-log entry of its store data, opaque.
        insert_log_data: u8 = 7,
        /// The last TLB check of an instruction succeeded.
        checked_valid: bool = 1,
        /// Which.
        checked_index: u8 = parameters.index_bits(),
        /// An instruction faulted and was squashed.
        faulted_valid: bool = 1,
        /// Which.
        faulted_index: u8 = parameters.index_bits(),
        /// An instruction committed.
        committed_valid: bool = 1,
        /// Which.
        committed_index: u8 = parameters.index_bits(),
        /// The warp that `held` is asked about.
        held_warp: u8 = parameters.warp_bits,
        /// The register that `held` is asked about.
        held_register: u8 = parameters.register_bits,
        /// Replay the waiting instructions of a warp.
        resume_valid: bool = 1,
        /// Which.
        resume_warp: u8 = parameters.warp_bits,
        /// The replayed instruction on offer is taken.
        replay_ready: bool = 1,
        /// Save a thread block.
        save_valid: bool = 1,
        /// Which.
        save_slot: u8 = parameters.slot_bits,
        /// The saved instruction on offer is taken.
        saved_ready: bool = 1,
    }
}

ports! {
    /// What a replay queue shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// The instruction at issue is accepted.
        insert_ready: bool = 1,
        /// The entry that it gets.
        insert_index: u8 = parameters.index_bits(),
        /// No entry is being picked.
        memory_free: bool = 1,
        /// An unchecked instruction of the asked warp reads the asked register.
        held: bool = 1,
        /// A resume is accepted.
        resume_ready: bool = 1,
        /// An instruction to issue again is on offer.
        replay_valid: bool = 1,
        /// The replay has ended.
        replay_done: bool = 1,
        /// A save is accepted.
        save_ready: bool = 1,
        /// An instruction that leaves is on offer.
        saved_valid: bool = 1,
        /// The save has ended.
        save_done: bool = 1,
        /// The entry on offer.
        entry_index: u8 = parameters.index_bits(),
        /// Its warp.
        entry_warp: u8 = parameters.warp_bits,
        /// Its slot.
        entry_slot: u8 = parameters.slot_bits,
        /// Its program counter.
        entry_pc: u32 = 32,
        /// Its opcode.
        entry_opcode: u8 = 8,
        /// Its destination register.
        entry_destination: u8 = parameters.register_bits,
        /// The register of its address.
        entry_address_register: u8 = parameters.register_bits,
        /// The register of its store data.
        entry_data_register: u8 = parameters.register_bits,
        /// Its lanes.
        entry_mask: u32 = 32,
        /// The operand-log entry of its address.
        entry_log_address: u8 = 7,
        /// The operand-log entry of its store data.
        entry_log_data: u8 = 7,
        /// Instructions in the queue.
        occupancy: u8 = parameters.index_bits() + 1,
        /// An instruction in flight is near the greatest age.
        aged: bool = 1,
    }
}

/// What a queue remembers of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Its warp.
    pub warp: u8,
    /// Its thread block's slot.
    pub slot: u8,
    /// Its program counter.
    pub pc: u32,
    /// Its opcode.
    pub opcode: u8,
    /// Its destination register.
    pub destination: u8,
    /// The register of its address.
    pub address_register: u8,
    /// The register of its store data.
    pub data_register: u8,
    /// Its lanes.
    pub mask: u32,
    /// The operand-log entry of its address.
    pub log_address: u8,
    /// The operand-log entry of its store data.
    pub log_data: u8,
}

impl Inputs {
    /// Puts an instruction on the insert port.
    pub fn insert(&mut self, instruction: &Instruction, restored: bool) {
        self.insert_valid = true;
        self.insert_restored = restored;
        self.insert_warp = instruction.warp;
        self.insert_slot = instruction.slot;
        self.insert_pc = instruction.pc;
        self.insert_mask = instruction.mask;
        self.insert_opcode = instruction.opcode;
        self.insert_destination = instruction.destination;
        self.insert_address_register = instruction.address_register;
        self.insert_data_register = instruction.data_register;
        self.insert_log_address = instruction.log_address;
        self.insert_log_data = instruction.log_data;
    }

    /// The instruction on the insert port.
    #[must_use]
    pub fn inserted(&self) -> Instruction {
        Instruction {
            warp: self.insert_warp,
            slot: self.insert_slot,
            pc: self.insert_pc,
            opcode: self.insert_opcode,
            destination: self.insert_destination,
            address_register: self.insert_address_register,
            data_register: self.insert_data_register,
            mask: self.insert_mask,
            log_address: self.insert_log_address,
            log_data: self.insert_log_data,
        }
    }
}

impl Outputs {
    /// The instruction on offer.
    #[must_use]
    pub fn entry(&self) -> Instruction {
        Instruction {
            warp: self.entry_warp,
            slot: self.entry_slot,
            pc: self.entry_pc,
            opcode: self.entry_opcode,
            destination: self.entry_destination,
            address_register: self.entry_address_register,
            data_register: self.entry_data_register,
            mask: self.entry_mask,
            log_address: self.entry_log_address,
            log_data: self.entry_log_data,
        }
    }
}

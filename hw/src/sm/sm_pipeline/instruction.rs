//! What the pipeline carries from one of its parts to the next. Wires that go the same way are one structure; its fields
//! are the ports of the parts' tables.

use rust_hdl::prelude::*;

use crate::params::{CLASS_BITS, OPCODE_BITS, REGISTER_BITS, SLOT_BITS, WARP_BITS};
use crate::primitives::one_hot_mux::Choice;

/// An instruction as it was fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Instruction {
    /// Class: 0 arithmetic, 1 special functions, 2 control, 3 shared memory, 4 a load, 5 a store.
    pub class: Bits<CLASS_BITS>,
    /// Opcode.
    pub opcode: Bits<OPCODE_BITS>,
    /// Destination register.
    pub destination: Bits<REGISTER_BITS>,
    /// First source register; of a memory instruction, the address.
    pub source_a: Bits<REGISTER_BITS>,
    /// Second source register; of a store, the data.
    pub source_b: Bits<REGISTER_BITS>,
    /// Third source register.
    pub source_c: Bits<REGISTER_BITS>,
    /// Program counter.
    pub pc: Bits<32>,
    /// Lanes of the instruction, one bit each.
    pub mask: Bits<32>,
}

impl Choice for Instruction {
    fn or(self, other: Self) -> Self {
        Self {
            class: self.class | other.class,
            opcode: self.opcode | other.opcode,
            destination: self.destination | other.destination,
            source_a: self.source_a | other.source_a,
            source_b: self.source_b | other.source_b,
            source_c: self.source_c | other.source_c,
            pc: self.pc | other.pc,
            mask: self.mask | other.mask,
        }
    }
}

/// A memory instruction behind its issue, with the warp and the slot that it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Request {
    /// Class: 3 shared memory, 4 a load, 5 a store.
    pub class: Bits<CLASS_BITS>,
    /// Opcode.
    pub opcode: Bits<OPCODE_BITS>,
    /// Destination register.
    pub destination: Bits<REGISTER_BITS>,
    /// Register of the address.
    pub address_register: Bits<REGISTER_BITS>,
    /// Register of the store data.
    pub data_register: Bits<REGISTER_BITS>,
    /// Program counter.
    pub pc: Bits<32>,
    /// Lanes of the instruction, one bit each.
    pub mask: Bits<32>,
    /// Warp of the instruction.
    pub warp: Bits<WARP_BITS>,
    /// Slot of the warp's thread block.
    pub slot: Bits<SLOT_BITS>,
}

/// The registers that the scoreboard keeps of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Registers {
    /// Destination register.
    pub destination: Bits<REGISTER_BITS>,
    /// First source register.
    pub source_a: Bits<REGISTER_BITS>,
    /// Second source register.
    pub source_b: Bits<REGISTER_BITS>,
    /// Third source register.
    pub source_c: Bits<REGISTER_BITS>,
}

/// Units that can take an instruction of which there is one, and a place in the replay queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Units {
    /// The unit for special functions takes an instruction.
    pub special: Bit,
    /// The memory stage takes an instruction.
    pub memory: Bit,
    /// The replay queue has a place for an instruction.
    pub place: Bit,
}

/// Commands that reach all warps; each concerns the warp that it names.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Messages {
    /// A warp begins.
    pub start_valid: Bit,
    /// Warp that begins.
    pub start_warp: Bits<WARP_BITS>,
    /// Slot of the thread block of the warp that begins.
    pub start_slot: Bits<SLOT_BITS>,
    /// A warp ends, or is to leave.
    pub stop_valid: Bit,
    /// Warp that stops.
    pub stop_warp: Bits<WARP_BITS>,
    /// An instruction has faulted.
    pub fault_valid: Bit,
    /// Warp of the instruction that has faulted.
    pub fault_warp: Bits<WARP_BITS>,
    /// The instruction that has faulted is to be fetched again, because no replay queue holds it.
    pub fault_refetches: Bit,
    /// An instruction leaves without having been executed.
    pub squash_valid: Bit,
    /// Warp of the instruction that leaves without having been executed.
    pub squash_warp: Bits<WARP_BITS>,
    /// The last TLB check of an instruction has succeeded.
    pub checked_valid: Bit,
    /// Warp of the checked instruction.
    pub checked_warp: Bits<WARP_BITS>,
    /// A warp that has stopped fetches again.
    pub proceed_valid: Bit,
    /// Warp that fetches again.
    pub proceed_warp: Bits<WARP_BITS>,
    /// An instruction waits to be issued again.
    pub reissue_valid: Bit,
    /// The instruction that waits is issued again.
    pub reissue_taken: Bit,
    /// Warp of the instruction that waits to be issued again.
    pub reissue_warp: Bits<WARP_BITS>,
}

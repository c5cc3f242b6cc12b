//! What the pipeline carries from one of its parts to the next. Wires that go the same way are one structure; its fields
//! are the ports of the parts' tables.

use rust_hdl::prelude::*;

use crate::params::{CLASS_BITS, OPCODE_BITS, REGISTER_BITS, SLOT_BITS, WARP_BITS};
use crate::primitives::one_hot_mux::Choice;

/// An instruction as it was fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Instruction {
    pub class: Bits<CLASS_BITS>,
    pub opcode: Bits<OPCODE_BITS>,
    pub destination: Bits<REGISTER_BITS>,
    pub source_a: Bits<REGISTER_BITS>,
    pub source_b: Bits<REGISTER_BITS>,
    pub source_c: Bits<REGISTER_BITS>,
    pub pc: Bits<32>,
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
    pub class: Bits<CLASS_BITS>,
    pub opcode: Bits<OPCODE_BITS>,
    pub destination: Bits<REGISTER_BITS>,
    pub address_register: Bits<REGISTER_BITS>,
    pub data_register: Bits<REGISTER_BITS>,
    pub pc: Bits<32>,
    pub mask: Bits<32>,
    pub warp: Bits<WARP_BITS>,
    pub slot: Bits<SLOT_BITS>,
}

/// The registers that the scoreboard keeps of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Registers {
    pub destination: Bits<REGISTER_BITS>,
    pub source_a: Bits<REGISTER_BITS>,
    pub source_b: Bits<REGISTER_BITS>,
    pub source_c: Bits<REGISTER_BITS>,
}

/// Units that can take an instruction of which there is one, and a place in the replay queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Units {
    pub special: Bit,
    pub memory: Bit,
    pub place: Bit,
}

/// What is told to all warps, and concerns the one that is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Messages {
    /// A warp begins, in this slot.
    pub start_valid: Bit,
    pub start_warp: Bits<WARP_BITS>,
    pub start_slot: Bits<SLOT_BITS>,
    /// It ends, or is to leave.
    pub stop_valid: Bit,
    pub stop_warp: Bits<WARP_BITS>,
    /// Its instruction has faulted, and is to be fetched again where nothing replays it.
    pub fault_valid: Bit,
    pub fault_warp: Bits<WARP_BITS>,
    pub fault_refetches: Bit,
    /// Its instruction leaves without having been executed.
    pub squash_valid: Bit,
    pub squash_warp: Bits<WARP_BITS>,
    /// The last check of its instruction has succeeded.
    pub checked_valid: Bit,
    pub checked_warp: Bits<WARP_BITS>,
    /// It fetches again.
    pub proceed_valid: Bit,
    pub proceed_warp: Bits<WARP_BITS>,
    /// An instruction of it waits to be issued again, and is.
    pub reissue_valid: Bit,
    pub reissue_taken: Bit,
    pub reissue_warp: Bits<WARP_BITS>,
}

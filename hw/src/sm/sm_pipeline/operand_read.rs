//! Operand read of one port: the cycle after issue.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::instruction::{Instruction, Request};
use crate::params::{CLASS_BITS, OPCODE_BITS, REGISTER_BITS, SLOT_BITS, WARP_BITS};
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::register::Register;

/// Where an instruction comes from: it is the first one of the port's own warp, or the second one of the other port's
/// warp, or it is issued again.
pub const SOURCES: usize = 3;

/// Operand read of one port: the cycle after issue. Scoreboard entries with numbers of `ENTRY` bits.
#[block]
pub struct OperandRead<const ENTRY: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Source whose instruction is issued, one bit each; at most one is high.
    pub issued: [Signal<In, Bit>; SOURCES],
    /// Instruction of each source.
    pub instruction: [Signal<In, Instruction>; SOURCES],
    /// Scoreboard entry of each source's instruction.
    pub issued_entry: [Signal<In, Bits<ENTRY>>; SOURCES],
    /// Warp of each source's instruction.
    pub issued_warp: [Signal<In, Bits<WARP_BITS>>; SOURCES],
    /// Slot of each source's instruction.
    pub issued_slot: [Signal<In, Bits<SLOT_BITS>>; SOURCES],
    /// The instruction that is issued is a replay, and has its log entries and its place in the replay queue.
    pub replaying: Signal<In, Bit>,
    /// The instruction in operand read is a replay.
    pub replayed: Signal<In, Bit>,
    /// The instruction in operand read is restored, and goes to the replay queue and to no unit.
    pub restored: Signal<In, Bit>,
    /// An instruction faults.
    pub fault_valid: Signal<In, Bit>,
    /// Warp of the instruction that faults.
    pub fault_warp: Signal<In, Bits<WARP_BITS>>,
    /// A warp stops.
    pub stop_valid: Signal<In, Bit>,
    /// Warp that stops.
    pub stop_warp: Signal<In, Bits<WARP_BITS>>,
    /// A memory instruction is issued.
    pub issues_memory: Signal<Out, Bit>,
    /// An instruction that needs a place in the replay queue is issued.
    pub issues_global: Signal<Out, Bit>,
    /// An instruction reads its operands; low for a restored instruction.
    pub valid: Signal<Out, Bit>,
    /// Scoreboard entry of the instruction in operand read.
    pub entry: Signal<Out, Bits<ENTRY>>,
    /// Class of the instruction in operand read.
    pub class: Signal<Out, Bits<CLASS_BITS>>,
    /// Opcode of the instruction in operand read.
    pub opcode: Signal<Out, Bits<OPCODE_BITS>>,
    /// Destination of the instruction in operand read.
    pub destination: Signal<Out, Bits<REGISTER_BITS>>,
    /// First source of the instruction in operand read.
    pub source_a: Signal<Out, Bits<REGISTER_BITS>>,
    /// Second source of the instruction in operand read.
    pub source_b: Signal<Out, Bits<REGISTER_BITS>>,
    /// Third source of the instruction in operand read.
    pub source_c: Signal<Out, Bits<REGISTER_BITS>>,
    /// Program counter of the instruction in operand read.
    pub pc: Signal<Out, Bits<32>>,
    /// Lanes of the instruction in operand read.
    pub mask: Signal<Out, Bits<32>>,
    /// Warp of the instruction in operand read.
    pub warp: Signal<Out, Bits<WARP_BITS>>,
    /// Slot of the instruction in operand read.
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    /// The instruction in operand read goes to the memory stage.
    pub memory: Signal<Out, Bit>,
    /// Instruction in operand read, as the memory stage takes it.
    pub request: Signal<Out, Request>,
    /// The instruction in operand read goes no further than the replay queue: its warp has stopped, or it is
    /// restored.
    pub squashed: Signal<Out, Bit>,
    /// The instruction in operand read takes log entries.
    pub allocates: Signal<Out, Bit>,

    reading: Register<Bit>,
    reads_memory: Register<Bit>,
    payload: Register<Instruction>,
    of_warp: Register<Bits<WARP_BITS>>,
    in_entry: Register<Bits<ENTRY>>,
    in_slot: Register<Bits<SLOT_BITS>>,
    stopped: Register<Bit>,

    payload_of_issued: OneHotMux<SOURCES, Instruction>,
    entry_of_issued: OneHotMux<SOURCES, Bits<ENTRY>>,
    warp_of_issued: OneHotMux<SOURCES, Bits<WARP_BITS>>,
    slot_of_issued: OneHotMux<SOURCES, Bits<SLOT_BITS>>,
    coming: Signal<Local, Instruction>,
    global: Signal<Local, Bit>,
    now_stopped: Signal<Local, Bit>,
}

impl<const ENTRY: usize> Logic for OperandRead<ENTRY> {
    #[logic]
    fn update(&mut self) {
        // What is issued: at most one source does.
        for s in 0..SOURCES {
            self.payload_of_issued.choose[s].next = self.issued[s].val();
            self.payload_of_issued.of[s].next = self.instruction[s].val();
            self.entry_of_issued.choose[s].next = self.issued[s].val();
            self.entry_of_issued.of[s].next = self.issued_entry[s].val();
            self.warp_of_issued.choose[s].next = self.issued[s].val();
            self.warp_of_issued.of[s].next = self.issued_warp[s].val();
            self.slot_of_issued.choose[s].next = self.issued[s].val();
            self.slot_of_issued.of[s].next = self.issued_slot[s].val();
        }
        self.coming.next = self.payload_of_issued.chosen.val();
        self.issues_memory.next = self.coming.val().class > 2;
        self.issues_global.next = !self.replaying.val()
            && ((self.coming.val().class == 4) || (self.coming.val().class == 5));
        self.reading.d.next = self.issued[0].val() || self.issued[1].val() || self.issued[2].val();
        self.reads_memory.d.next = self.issues_memory.val();
        self.payload.d.next = self.coming.val();
        self.of_warp.d.next = self.warp_of_issued.chosen.val();
        self.in_entry.d.next = self.entry_of_issued.chosen.val();
        self.in_slot.d.next = self.slot_of_issued.chosen.val();
        self.stopped.d.next = (self.fault_valid.val()
            && (self.fault_warp.val() == self.warp_of_issued.chosen.val()))
            || (self.stop_valid.val()
                && (self.stop_warp.val() == self.warp_of_issued.chosen.val()));

        // To the register file.
        self.valid.next = self.reading.q.val() && !self.restored.val();
        self.entry.next = self.in_entry.q.val();
        self.class.next = self.payload.q.val().class;
        self.opcode.next = self.payload.q.val().opcode;
        self.destination.next = self.payload.q.val().destination;
        self.source_a.next = self.payload.q.val().source_a;
        self.source_b.next = self.payload.q.val().source_b;
        self.source_c.next = self.payload.q.val().source_c;
        self.pc.next = self.payload.q.val().pc;
        self.mask.next = self.payload.q.val().mask;
        self.warp.next = self.of_warp.q.val();
        self.slot.next = self.in_slot.q.val();

        // To the memory stage.
        self.memory.next = self.reads_memory.q.val();
        self.request.next.class = self.class.val();
        self.request.next.opcode = self.opcode.val();
        self.request.next.destination = self.destination.val();
        self.request.next.address_register = self.source_a.val();
        self.request.next.data_register = self.source_b.val();
        self.request.next.pc = self.pc.val();
        self.request.next.mask = self.mask.val();
        self.request.next.warp = self.of_warp.q.val();
        self.request.next.slot = self.in_slot.q.val();
        self.global.next = (self.class.val() == 4) || (self.class.val() == 5);
        self.now_stopped.next = self.stopped.q.val()
            || (self.fault_valid.val() && (self.fault_warp.val() == self.of_warp.q.val()))
            || (self.stop_valid.val() && (self.stop_warp.val() == self.of_warp.q.val()));
        self.squashed.next = self.global.val()
            && ((self.now_stopped.val() && !self.replayed.val()) || self.restored.val());
        self.allocates.next = self.global.val() && !self.replayed.val();
    }
}

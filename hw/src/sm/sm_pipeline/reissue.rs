//! Instructions that are issued again: those that the replay queue presents, and those of a saved context.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::instruction::{Instruction, Registers, Request};
use crate::params::{LOG_ENTRY_BITS, REGISTER_BITS, SLOT_BITS, WARP_BITS};
use crate::primitives::register::Register;

/// Chooses the instruction that is issued again: a replayed or a restored one. A replay goes before a restored
/// instruction. Entries of the replay queue with indices of `QUEUE_INDEX` bits.
#[block]
pub struct Reissue<const QUEUE_INDEX: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The scheme has a replay queue.
    pub queues: Signal<In, Bit>,
    /// The replay queue presents an instruction to issue again.
    pub replay_valid: Signal<In, Bit>,
    /// Instruction that the replay queue presents.
    pub replay: Signal<In, Request>,
    /// Replay-queue entry of the presented instruction.
    pub replay_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// Log entry of the presented instruction's address.
    pub replay_log_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// Log entry of the presented instruction's store data.
    pub replay_log_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// An instruction of a saved context comes back.
    pub restore_valid: Signal<In, Bit>,
    /// Restored instruction.
    pub restore: Signal<In, Request>,
    /// The log has room for the restored instruction.
    pub restore_fits: Signal<In, Bit>,
    /// The replay queue has a place for the restored instruction.
    pub place: Signal<In, Bit>,
    /// The memory stage takes an instruction.
    pub credit: Signal<In, Bit>,
    /// An instruction waits to be issued again.
    pub valid: Signal<Out, Bit>,
    /// The instruction that waits is issued again.
    pub taken: Signal<Out, Bit>,
    /// The instruction that is issued again is a replay, and has its log entries.
    pub replay_taken: Signal<Out, Bit>,
    /// Instruction that waits to be issued again.
    pub instruction: Signal<Out, Instruction>,
    /// Registers of the instruction that waits to be issued again.
    pub registers: Signal<Out, Registers>,
    /// Warp of the instruction that waits to be issued again.
    pub warp: Signal<Out, Bits<WARP_BITS>>,
    /// Slot of the instruction that waits to be issued again.
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    /// The restored instruction is accepted.
    pub restore_ready: Signal<Out, Bit>,
    /// A replayed instruction is in operand read.
    pub replayed: Signal<Out, Bit>,
    /// A restored instruction is in operand read.
    pub restored: Signal<Out, Bit>,
    /// Replay-queue entry of the replayed instruction in operand read.
    pub index: Signal<Out, Bits<QUEUE_INDEX>>,
    /// Log entry of the address of the replayed instruction in operand read.
    pub log_address: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    /// Log entry of the store data of the replayed instruction in operand read.
    pub log_data: Signal<Out, Bits<LOG_ENTRY_BITS>>,

    replay_reading: Register<Bit>,
    restore_reading: Register<Bit>,
    reading_index: Register<Bits<QUEUE_INDEX>>,
    reading_address: Register<Bits<LOG_ENTRY_BITS>>,
    reading_data: Register<Bits<LOG_ENTRY_BITS>>,

    request: Signal<Local, Request>,
    restore_taken: Signal<Local, Bit>,
}

impl<const QUEUE_INDEX: usize> Logic for Reissue<QUEUE_INDEX> {
    #[logic]
    fn update(&mut self) {
        self.restore_reading.reset.next = self.reset.val() || !self.queues.val();

        self.valid.next =
            self.replay_valid.val() || (self.queues.val() && self.restore_valid.val());
        self.request.next = self.restore.val();
        if self.replay_valid.val() {
            self.request.next = self.replay.val();
        }
        // It reads no third register.
        self.instruction.next.class = self.request.val().class;
        self.instruction.next.opcode = self.request.val().opcode;
        self.instruction.next.destination = self.request.val().destination;
        self.instruction.next.source_a = self.request.val().address_register;
        self.instruction.next.source_b = self.request.val().data_register;
        self.instruction.next.source_c = !bits::<REGISTER_BITS>(0);
        self.instruction.next.pc = self.request.val().pc;
        self.instruction.next.mask = self.request.val().mask;
        self.warp.next = self.request.val().warp;
        self.slot.next = self.request.val().slot;
        self.registers.next.destination = self.request.val().destination;
        self.registers.next.source_a = self.request.val().address_register;
        self.registers.next.source_b = self.request.val().data_register;
        self.registers.next.source_c = !bits::<REGISTER_BITS>(0);

        self.replay_taken.next = self.replay_valid.val() && self.credit.val();
        self.restore_ready.next = self.queues.val()
            && !self.replay_valid.val()
            && self.credit.val()
            && self.restore_fits.val()
            && self.place.val();
        self.restore_taken.next = self.restore_ready.val() && self.restore_valid.val();
        self.taken.next = self.replay_taken.val() || self.restore_taken.val();

        self.replay_reading.d.next = self.replay_taken.val();
        self.restore_reading.d.next = self.restore_taken.val();
        self.reading_index.d.next = self.replay_index.val();
        self.reading_address.d.next = 0.into();
        self.reading_data.d.next = 0.into();
        if self.replay_taken.val() {
            self.reading_address.d.next = self.replay_log_address.val();
            self.reading_data.d.next = self.replay_log_data.val();
        }
        self.replayed.next = self.replay_reading.q.val();
        self.restored.next = self.restore_reading.q.val();
        self.index.next = self.reading_index.q.val();
        self.log_address.next = self.reading_address.q.val();
        self.log_data.next = self.reading_data.q.val();
    }
}

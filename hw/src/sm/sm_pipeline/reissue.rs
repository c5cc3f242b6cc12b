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
    /// There is a replay queue.
    pub queues: Signal<In, Bit>,
    /// The queue presents an instruction.
    pub replay_valid: Signal<In, Bit>,
    /// That one.
    pub replay: Signal<In, Request>,
    /// Its entry in the queue.
    pub replay_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// The log entry of its address.
    pub replay_log_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// The log entry of its data.
    pub replay_log_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// A saved instruction comes back.
    pub restore_valid: Signal<In, Bit>,
    /// That one.
    pub restore: Signal<In, Request>,
    /// The log has room for it.
    pub restore_fits: Signal<In, Bit>,
    /// The queue has a place for it.
    pub place: Signal<In, Bit>,
    /// The memory stage takes an instruction.
    pub credit: Signal<In, Bit>,
    /// An instruction waits to be issued again.
    pub valid: Signal<Out, Bit>,
    /// It is.
    pub taken: Signal<Out, Bit>,
    /// It is a replay, and has its log entries.
    pub replay_taken: Signal<Out, Bit>,
    /// That one.
    pub instruction: Signal<Out, Instruction>,
    /// Its registers.
    pub registers: Signal<Out, Registers>,
    /// Its warp.
    pub warp: Signal<Out, Bits<WARP_BITS>>,
    /// Its slot.
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    /// A saved instruction is taken if it is there.
    pub restore_ready: Signal<Out, Bit>,
    /// A replay reads its operands.
    pub replayed: Signal<Out, Bit>,
    /// A restored instruction does.
    pub restored: Signal<Out, Bit>,
    /// The entry of the replay in the queue.
    pub index: Signal<Out, Bits<QUEUE_INDEX>>,
    /// The log entry of its address.
    pub log_address: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    /// The log entry of its data.
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

//! Reads the operands of an instruction that is saved from the log, one by one, and releases each when it was read. What
//! the queue's memory shows is kept for a cycle first, for that memory and the log's check do not fit one.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::SLOT_BITS;
use crate::primitives::register::Register;

/// Reads the operands of a saved instruction from the operand log one by one, and releases each. Log entries with
/// indices of `LOG_INDEX` bits.
#[block]
pub struct LogSpill<const LOG_INDEX: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The scheme has an operand log.
    pub logs: Signal<In, Bit>,
    /// The replay queue presents an instruction that leaves with its thread block.
    pub valid: Signal<In, Bit>,
    /// Slot of the instruction that leaves.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// The instruction that leaves is a store.
    pub store: Signal<In, Bit>,
    /// Log entry of the address of the instruction that leaves.
    pub address: Signal<In, Bits<LOG_INDEX>>,
    /// Log entry of the store data of the instruction that leaves.
    pub data: Signal<In, Bits<LOG_INDEX>>,
    /// The instruction that leaves is taken, or an operand of it may leave the log.
    pub taken: Signal<In, Bit>,
    /// The log accepts the read of an operand.
    pub save_ready: Signal<In, Bit>,
    /// Another release of a log entry goes first.
    pub stalled: Signal<In, Bit>,
    /// An operand is to be read from the log.
    pub save_valid: Signal<Out, Bit>,
    /// Slot for which the operand is read.
    pub save_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Log entry that is read.
    pub save_entry: Signal<Out, Bits<LOG_INDEX>>,
    /// Every operand of the instruction that leaves was read.
    pub all: Signal<Out, Bit>,
    /// A log entry is to be released.
    pub releasing: Signal<Out, Bit>,
    /// Slot of the log entry that is to be released.
    pub release_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Log entry that is to be released.
    pub release_entry: Signal<Out, Bits<LOG_INDEX>>,

    count: Register<Bits<2>>,
    // An operand is to be read, or was read and is to be released; and where it lies.
    aimed: Register<Bit>,
    was_read: Register<Bit>,
    of_slot: Register<Bits<SLOT_BITS>>,
    entry: Register<Bits<LOG_INDEX>>,

    total: Signal<Local, Bits<2>>,
    aims: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
}

impl<const LOG_INDEX: usize> Logic for LogSpill<LOG_INDEX> {
    #[logic]
    fn update(&mut self) {
        self.total.next = 0.into();
        if self.logs.val() {
            self.total.next = 1.into();
            if self.store.val() {
                self.total.next = 2.into();
            }
        }
        self.all.next = self.count.q.val() == self.total.val();
        self.aims.next = self.valid.val()
            && !self.all.val()
            && !self.aimed.q.val()
            && !(self.was_read.q.val() && self.stalled.val());
        self.save_valid.next = self.aimed.q.val() && self.taken.val();
        self.save_slot.next = self.of_slot.q.val();
        self.save_entry.next = self.entry.q.val();
        self.reads.next = self.save_valid.val() && self.save_ready.val();
        self.aimed.d.next = self.aims.val() || (self.aimed.q.val() && !self.reads.val());
        self.count.d.next = self.count.q.val() + self.reads.val();
        if self.valid.val() && self.all.val() && self.taken.val() {
            self.count.d.next = 0.into();
        }

        self.was_read.d.next = self.reads.val() || (self.was_read.q.val() && self.stalled.val());
        if self.aims.val() {
            self.of_slot.d.next = self.slot.val();
            self.entry.d.next = self.address.val();
            if self.count.q.val().any() {
                self.entry.d.next = self.data.val();
            }
        }
        self.releasing.next = self.was_read.q.val();
        self.release_slot.next = self.of_slot.q.val();
        self.release_entry.next = self.entry.q.val();
    }
}

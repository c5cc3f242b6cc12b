//! A place of the memory stage's queue.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::instruction::Request;
use crate::params::{LOG_ENTRY_BITS, WARP_BITS};
use crate::primitives::register::Register;

/// One place of the short queue of the memory stage. Scoreboard entries with numbers of `ENTRY` bits, entries of the
/// replay queue with indices of `QUEUE_INDEX` bits.
#[block]
pub struct MemoryPlace<const ENTRY: usize, const QUEUE_INDEX: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The instructions move up, and this place takes the one behind it.
    pub pop: Signal<In, Bit>,
    /// Instruction in the place behind.
    pub behind: Signal<In, Request>,
    /// Scoreboard entry of the instruction behind.
    pub behind_entry: Signal<In, Bits<ENTRY>>,
    /// Replay-queue entry of the instruction behind, if it is replayed.
    pub behind_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// The instruction behind is replayed.
    pub behind_replayed: Signal<In, Bit>,
    /// Log entry of the address of the instruction behind.
    pub behind_log_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// Log entry of the store data of the instruction behind.
    pub behind_log_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// An instruction arrives in this place.
    pub push: Signal<In, Bit>,
    /// Instruction that arrives.
    pub pushed: Signal<In, Request>,
    /// Scoreboard entry of the instruction that arrives.
    pub pushed_entry: Signal<In, Bits<ENTRY>>,
    /// Replay-queue entry of the instruction that arrives, if it is replayed.
    pub pushed_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// The instruction that arrives is replayed.
    pub pushed_replayed: Signal<In, Bit>,
    /// Log entry of the address of the instruction that arrives, if it is replayed.
    pub pushed_log_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// Log entry of the store data of the instruction that arrives, if it is replayed.
    pub pushed_log_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// The instruction in this place receives its log entries.
    pub learns: Signal<In, Bit>,
    /// Log entry that the instruction in this place receives for its address.
    pub learnt_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// Log entry that the instruction in this place receives for its store data.
    pub learnt_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// An instruction faults.
    pub fault_valid: Signal<In, Bit>,
    /// Warp of the instruction that faults.
    pub fault_warp: Signal<In, Bits<WARP_BITS>>,
    /// A warp stops.
    pub stop_valid: Signal<In, Bit>,
    /// Warp that stops.
    pub stop_warp: Signal<In, Bits<WARP_BITS>>,
    /// Instruction in this place.
    pub request: Signal<Out, Request>,
    /// Scoreboard entry of the instruction in this place.
    pub entry: Signal<Out, Bits<ENTRY>>,
    /// Replay-queue entry of the instruction in this place, if it is replayed.
    pub index: Signal<Out, Bits<QUEUE_INDEX>>,
    /// The instruction in this place is replayed.
    pub replayed: Signal<Out, Bit>,
    /// Log entry of the address of the instruction in this place.
    pub log_address: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    /// Log entry of the store data of the instruction in this place.
    pub log_data: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    /// The instruction in this place is on its way into the replay queue.
    pub inserting: Signal<Out, Bit>,
    /// The warp of the instruction in this place stops before the instruction has entered the replay queue.
    pub stops: Signal<Out, Bit>,

    held: Register<Request>,
    held_entry: Register<Bits<ENTRY>>,
    held_index: Register<Bits<QUEUE_INDEX>>,
    is_replayed: Register<Bit>,
    held_address: Register<Bits<LOG_ENTRY_BITS>>,
    held_data: Register<Bits<LOG_ENTRY_BITS>>,
}

impl<const ENTRY: usize, const QUEUE_INDEX: usize> Logic for MemoryPlace<ENTRY, QUEUE_INDEX> {
    #[logic]
    fn update(&mut self) {
        self.request.next = self.held.q.val();
        self.entry.next = self.held_entry.q.val();
        self.index.next = self.held_index.q.val();
        self.replayed.next = self.is_replayed.q.val();
        self.inserting.next = !self.is_replayed.q.val()
            && ((self.held.q.val().class == 4) || (self.held.q.val().class == 5));
        self.stops.next = self.inserting.val()
            && ((self.fault_valid.val() && (self.held.q.val().warp == self.fault_warp.val()))
                || (self.stop_valid.val() && (self.held.q.val().warp == self.stop_warp.val())));
        self.log_address.next = self.held_address.q.val();
        self.log_data.next = self.held_data.q.val();
        if self.learns.val() {
            self.log_address.next = self.learnt_address.val();
            self.log_data.next = self.learnt_data.val();
        }

        self.held_address.d.next = self.log_address.val();
        self.held_data.d.next = self.log_data.val();
        if self.pop.val() {
            self.held.d.next = self.behind.val();
            self.held_entry.d.next = self.behind_entry.val();
            self.held_index.d.next = self.behind_index.val();
            self.is_replayed.d.next = self.behind_replayed.val();
            self.held_address.d.next = self.behind_log_address.val();
            self.held_data.d.next = self.behind_log_data.val();
        }
        if self.push.val() {
            self.held.d.next = self.pushed.val();
            self.held_entry.d.next = self.pushed_entry.val();
            self.held_index.d.next = self.pushed_index.val();
            self.is_replayed.d.next = self.pushed_replayed.val();
            self.held_address.d.next = self.pushed_log_address.val();
            self.held_data.d.next = self.pushed_log_data.val();
        }
    }
}

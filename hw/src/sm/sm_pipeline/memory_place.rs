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
    /// The instructions move up: this place takes the one behind.
    pub pop: Signal<In, Bit>,
    /// That one,
    pub behind: Signal<In, Request>,
    /// its scoreboard entry,
    pub behind_entry: Signal<In, Bits<ENTRY>>,
    /// its entry in the queue,
    pub behind_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// whether it is a replay,
    pub behind_replayed: Signal<In, Bit>,
    /// and its log entries.
    pub behind_log_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// The second one.
    pub behind_log_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// One arrives in this place:
    pub push: Signal<In, Bit>,
    /// that one,
    pub pushed: Signal<In, Request>,
    /// its scoreboard entry,
    pub pushed_entry: Signal<In, Bits<ENTRY>>,
    /// its entry in the queue,
    pub pushed_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// whether it is a replay,
    pub pushed_replayed: Signal<In, Bit>,
    /// and its log entries.
    pub pushed_log_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// The second one.
    pub pushed_log_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// The instruction here learns its log entries:
    pub learns: Signal<In, Bit>,
    /// the first,
    pub learnt_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// and the second.
    pub learnt_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// An instruction faults.
    pub fault_valid: Signal<In, Bit>,
    /// Its warp.
    pub fault_warp: Signal<In, Bits<WARP_BITS>>,
    /// A warp stops.
    pub stop_valid: Signal<In, Bit>,
    /// That one.
    pub stop_warp: Signal<In, Bits<WARP_BITS>>,
    /// The instruction here,
    pub request: Signal<Out, Request>,
    /// its scoreboard entry,
    pub entry: Signal<Out, Bits<ENTRY>>,
    /// its entry in the queue,
    pub index: Signal<Out, Bits<QUEUE_INDEX>>,
    /// whether it is a replay,
    pub replayed: Signal<Out, Bit>,
    /// and its log entries.
    pub log_address: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    /// The second one.
    pub log_data: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    /// It is on its way into the queue.
    pub inserting: Signal<Out, Bit>,
    /// Its warp stops before it is there.
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

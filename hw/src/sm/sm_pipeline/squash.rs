//! Names the instruction that leaves without having been executed, for the scoreboards: one that faults, or one that the
//! memory stage gave to the queue alone, which follows a cycle later, and after a fault.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::WARP_BITS;
use crate::primitives::register::Register;

/// Reports to the scoreboards which instruction leaves without having been executed. Scoreboard entries with numbers of
/// `ENTRY` bits.
#[block]
pub struct Squash<const ENTRY: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The scheme has a replay queue.
    pub queues: Signal<In, Bit>,
    /// An instruction faults.
    pub fault_valid: Signal<In, Bit>,
    /// Warp of the instruction that faults.
    pub fault_warp: Signal<In, Bits<WARP_BITS>>,
    /// Scoreboard entry of the instruction that faults.
    pub fault_entry: Signal<In, Bits<ENTRY>>,
    /// A squashed instruction leaves the memory stage.
    pub squashed_valid: Signal<In, Bit>,
    /// Warp of the squashed instruction.
    pub squashed_warp: Signal<In, Bits<WARP_BITS>>,
    /// Scoreboard entry of the squashed instruction.
    pub squashed_entry: Signal<In, Bits<ENTRY>>,
    /// The squashed instruction that has left the memory stage still waits to be reported.
    pub waiting: Signal<Out, Bit>,
    /// An instruction is reported that leaves without having been executed.
    pub valid: Signal<Out, Bit>,
    /// Warp of the reported instruction.
    pub warp: Signal<Out, Bits<WARP_BITS>>,
    /// Scoreboard entry of the reported instruction.
    pub entry: Signal<Out, Bits<ENTRY>>,

    reporting: Register<Bit>,
    of_warp: Register<Bits<WARP_BITS>>,
    in_entry: Register<Bits<ENTRY>>,
}

impl<const ENTRY: usize> Logic for Squash<ENTRY> {
    #[logic]
    fn update(&mut self) {
        self.reporting.reset.next = self.reset.val() || !self.queues.val();
        self.of_warp.reset.next = self.reset.val() || !self.queues.val();
        self.in_entry.reset.next = self.reset.val() || !self.queues.val();

        self.waiting.next = self.reporting.q.val() && self.fault_valid.val();
        self.reporting.d.next = self.squashed_valid.val() || self.waiting.val();
        self.of_warp.d.next = self.squashed_warp.val();
        self.in_entry.d.next = self.squashed_entry.val();
        if self.waiting.val() {
            self.of_warp.d.next = self.of_warp.q.val();
            self.in_entry.d.next = self.in_entry.q.val();
        }
        self.valid.next = self.fault_valid.val() || self.reporting.q.val();
        self.warp.next = self.of_warp.q.val();
        self.entry.next = self.in_entry.q.val();
        if self.fault_valid.val() {
            self.warp.next = self.fault_warp.val();
            self.entry.next = self.fault_entry.val();
        }
    }
}

//! Tells the scoreboards which instruction leaves without having been executed: one that faults, or one that the memory
//! stage gave to the queue alone, which is told a cycle later, and after a fault.

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
    /// There is a replay queue.
    pub queues: Signal<In, Bit>,
    /// An instruction faults:
    pub fault_valid: Signal<In, Bit>,
    /// its warp,
    pub fault_warp: Signal<In, Bits<WARP_BITS>>,
    /// and its entry.
    pub fault_entry: Signal<In, Bits<ENTRY>>,
    /// One leaves the memory stage:
    pub squashed_valid: Signal<In, Bit>,
    /// its warp,
    pub squashed_warp: Signal<In, Bits<WARP_BITS>>,
    /// and its entry.
    pub squashed_entry: Signal<In, Bits<ENTRY>>,
    /// What has left still waits to be told.
    pub waiting: Signal<Out, Bit>,
    /// One is told:
    pub valid: Signal<Out, Bit>,
    /// its warp,
    pub warp: Signal<Out, Bits<WARP_BITS>>,
    /// and its entry.
    pub entry: Signal<Out, Bits<ENTRY>>,

    telling: Register<Bit>,
    of_warp: Register<Bits<WARP_BITS>>,
    in_entry: Register<Bits<ENTRY>>,
}

impl<const ENTRY: usize> Logic for Squash<ENTRY> {
    #[logic]
    fn update(&mut self) {
        self.telling.reset.next = self.reset.val() || !self.queues.val();
        self.of_warp.reset.next = self.reset.val() || !self.queues.val();
        self.in_entry.reset.next = self.reset.val() || !self.queues.val();

        self.waiting.next = self.telling.q.val() && self.fault_valid.val();
        self.telling.d.next = self.squashed_valid.val() || self.waiting.val();
        self.of_warp.d.next = self.squashed_warp.val();
        self.in_entry.d.next = self.squashed_entry.val();
        if self.waiting.val() {
        }
        self.valid.next = self.fault_valid.val() || self.telling.q.val();
        self.warp.next = self.of_warp.q.val();
        self.entry.next = self.in_entry.q.val();
        if self.fault_valid.val() {
            self.warp.next = self.fault_warp.val();
            self.entry.next = self.fault_entry.val();
        }
    }
}

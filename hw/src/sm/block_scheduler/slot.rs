//! What is known of a slot for a thread block.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// What a slot is used for.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Use {
    /// The slot has no thread block, and is reserved for none.
    Free,
    /// The slot is reserved for a thread block that is new or comes back.
    Filling,
    /// The thread block in the slot runs.
    Active,
    /// The thread block in the slot is being saved.
    Leaving,
}

/// The state of a slot for a thread block. A slot.
#[block]
pub struct Slot {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A period of residence ends.
    pub tick: Signal<In, Bit>,
    /// The slot is reserved for a thread block that is new or comes back.
    pub reserve: Signal<In, Bit>,
    /// A thread block begins, or goes on, in the slot.
    pub begin: Signal<In, Bit>,
    /// The thread block in the slot is to leave.
    pub leave: Signal<In, Bit>,
    /// The thread block in the slot ends.
    pub end: Signal<In, Bit>,
    /// The slot becomes free: its thread block has left, or none has come.
    pub release: Signal<In, Bit>,
    /// The slot has no thread block, and is reserved for none.
    pub free: Signal<Out, Bit>,
    /// The slot has a thread block, which runs or leaves.
    pub holds: Signal<Out, Bit>,
    /// The thread block in the slot runs.
    pub active: Signal<Out, Bit>,
    /// The thread block in the slot runs, and two periods of residence have ended since it came.
    pub settled: Signal<Out, Bit>,

    used: Register<Use>,
    // Periods that have ended since its block came: none, one, more.
    periods: Register<Bits<2>>,

    #[init(Constant::new(0.into()))]
    none: Constant<Bits<2>>,
    #[init(Constant::new(2.into()))]
    enough: Constant<Bits<2>>,
}

impl Logic for Slot {
    #[logic]
    fn update(&mut self) {
        if self.tick.val() && (self.periods.q.val() != self.enough.val()) {
            self.periods.d.next = self.periods.q.val() + 1;
        }
        if self.end.val() && (self.used.q.val() == Use::Active) {
            self.used.d.next = Use::Free;
        }
        if self.leave.val() {
            self.used.d.next = Use::Leaving;
        }
        if self.reserve.val() {
            self.used.d.next = Use::Filling;
        }
        if self.begin.val() {
            self.used.d.next = Use::Active;
            self.periods.d.next = self.none.val();
        }
        if self.release.val() {
            self.used.d.next = Use::Free;
        }

        self.free.next = self.used.q.val() == Use::Free;
        self.active.next = self.used.q.val() == Use::Active;
        self.holds.next = (self.used.q.val() == Use::Active) || (self.used.q.val() == Use::Leaving);
        self.settled.next =
            (self.used.q.val() == Use::Active) && (self.periods.q.val() == self.enough.val());
    }
}

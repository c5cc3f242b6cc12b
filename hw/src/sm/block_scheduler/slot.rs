//! What is known of a slot for a thread block.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// What it is used for.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Use {
    /// Nothing.
    Free,
    /// It is reserved for a block that is new or comes back.
    Filling,
    /// Its block runs.
    Active,
    /// Its block is being saved.
    Leaving,
}

/// The state of a slot for a thread block. A slot.
#[block]
pub struct Slot {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A period has ended.
    pub tick: Signal<In, Bit>,
    /// It is reserved.
    pub reserve: Signal<In, Bit>,
    /// A block begins, or goes on, in it.
    pub begin: Signal<In, Bit>,
    /// Its block is to leave.
    pub leave: Signal<In, Bit>,
    /// Its block ends.
    pub end: Signal<In, Bit>,
    /// Its block has left, or none came.
    pub release: Signal<In, Bit>,
    /// It is for nobody.
    pub free: Signal<Out, Bit>,
    /// It has a block, which may be leaving.
    pub holds: Signal<Out, Bit>,
    /// Its block runs.
    pub active: Signal<Out, Bit>,
    /// Its block runs, and has been here long enough.
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

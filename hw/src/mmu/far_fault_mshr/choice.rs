//! Which operation is next: a fault and the others take turns.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Arbitrates between faults and the other operations, in turns. Accepts one operation while none is under way.
#[block]
pub struct Choice {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// No operation is under way.
    pub idle: Signal<In, Bit>,
    /// A report is on offer.
    pub reporting: Signal<In, Bit>,
    /// A walk is on offer.
    pub walking: Signal<In, Bit>,
    /// An entry is marked: a sweep is in progress.
    pub marked: Signal<In, Bit>,
    /// A fault is valid.
    pub fault_valid: Signal<In, Bit>,
    /// A command is valid.
    pub command_valid: Signal<In, Bit>,
    /// The result of a walk is valid; one that missed its page counts only while no report is on offer.
    pub present_valid: Signal<In, Bit>,
    /// A fault is accepted if it is valid.
    pub fault_ready: Signal<Out, Bit>,
    /// A command is accepted if it is valid.
    pub command_ready: Signal<Out, Bit>,
    /// The result of a walk is accepted if it is valid.
    pub present_ready: Signal<Out, Bit>,
    /// A fault is accepted in this cycle.
    pub fault: Signal<Out, Bit>,
    /// A command is accepted in this cycle.
    pub command: Signal<Out, Bit>,
    /// The result of a walk is accepted in this cycle.
    pub present: Signal<Out, Bit>,
    /// A step of a sweep begins in this cycle.
    pub step: Signal<Out, Bit>,

    // The last operation was a fault.
    after_fault: Register<Bit>,

    others: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
}

impl Logic for Choice {
    #[logic]
    fn update(&mut self) {
        // A command or a step may put a walk on offer, so it waits for room.
        self.others.next = self.present_valid.val()
            || (!self.walking.val() && (self.marked.val() || self.command_valid.val()));
        self.fault_ready.next = self.idle.val()
            && !self.reporting.val()
            && !(self.after_fault.q.val() && self.others.val());
        self.free.next = self.idle.val()
            && (self.after_fault.q.val() || self.reporting.val() || !self.fault_valid.val());
        self.present_ready.next = self.free.val();
        self.command_ready.next = self.free.val()
            && !self.present_valid.val()
            && !self.walking.val()
            && !self.marked.val();

        self.fault.next = self.fault_valid.val() && self.fault_ready.val();
        self.present.next = self.present_valid.val() && self.free.val();
        self.command.next = self.command_valid.val() && self.command_ready.val();
        self.step.next = self.free.val()
            && !self.present_valid.val()
            && !self.walking.val()
            && self.marked.val();
        if self.free.val() && self.others.val() {
            self.after_fault.d.next = false;
        }
        if self.fault.val() {
            self.after_fault.d.next = true;
        }
    }
}

//! The two instructions of a warp that wait for their issue, and what they wait for besides other instructions.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::instruction::{Instruction, Units};
use super::unit_check::UnitCheck;
use crate::primitives::register::Register;

/// Holds the two instructions of a warp that wait for their issue, and what else they wait for. Which of the two are
/// there, the warp's scoreboard knows.
#[block]
pub struct Buffer {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A fetched instruction arrives.
    pub arrival: Signal<In, Bit>,
    /// Instruction that arrives.
    pub fetched: Signal<In, Instruction>,
    /// The warp has a first buffered instruction.
    pub first_valid: Signal<In, Bit>,
    /// The warp has a second buffered instruction.
    pub second_valid: Signal<In, Bit>,
    /// The warp is chosen, and its first instruction is assumed to be issued in this cycle.
    pub leaving: Signal<In, Bit>,
    /// The first instruction is issued, and the second one moves up.
    pub issue_first: Signal<In, Bit>,
    /// Units and places that a chosen warp can take in this cycle.
    pub free_units: Signal<In, Units>,
    /// Units and places for which a warp can be chosen for the next cycle.
    pub choice: Signal<In, Units>,
    /// The scheme has an operand log.
    pub logs: Signal<In, Bit>,
    /// In the slot of the warp, only warps that have the turn take log entries.
    pub kept: Signal<In, Bit>,
    /// The warp has the turn to take log entries.
    pub turn: Signal<In, Bit>,
    /// The slot of the warp had a free log entry in the cycle before.
    pub seen_one: Signal<In, Bit>,
    /// The slot of the warp had at least two free log entries in the cycle before.
    pub seen_two: Signal<In, Bit>,
    /// First buffered instruction.
    pub first: Signal<Out, Instruction>,
    /// Second buffered instruction.
    pub second: Signal<Out, Instruction>,
    /// The first instruction needs the unit for special functions.
    pub special: Signal<Out, Bit>,
    /// The first instruction needs the control unit.
    pub control: Signal<Out, Bit>,
    /// The first instruction goes to the memory stage.
    pub memory: Signal<Out, Bit>,
    /// The unit and the places that the first instruction needs are free in this cycle.
    pub free: Signal<Out, Bit>,
    /// `choice` has the unit and the places that the first instruction needs.
    pub free_next: Signal<Out, Bit>,
    /// `choice` has the unit and the places that the first instruction of the next cycle needs.
    pub free_then: Signal<Out, Bit>,
    /// The first instruction takes log entries.
    pub logging: Signal<Out, Bit>,
    /// The first instruction needs no log entries, or may request them.
    pub may_request: Signal<Out, Bit>,
    /// The second instruction finds its unit free, and the first one does not take that unit.
    pub pair: Signal<Out, Bit>,

    older: Register<Instruction>,
    younger: Register<Instruction>,

    first_check: UnitCheck,
    next_check: UnitCheck,
    then_check: UnitCheck,
    second_check: UnitCheck,
}

impl Logic for Buffer {
    #[logic]
    fn update(&mut self) {
        if self.issue_first.val() {
            self.older.d.next = self.younger.q.val();
        }
        if self.arrival.val() {
            if self.first_valid.val() && !self.issue_first.val() {
                self.younger.d.next = self.fetched.val();
            } else {
                self.older.d.next = self.fetched.val();
            }
        }
        self.first.next = self.older.q.val();
        self.second.next = self.younger.q.val();

        self.first_check.class.next = self.older.q.val().class;
        self.first_check.free_units.next = self.free_units.val();
        self.next_check.class.next = self.older.q.val().class;
        self.next_check.free_units.next = self.choice.val();
        self.free_next.next = self.next_check.free.val();
        self.then_check.class.next = self.fetched.val().class;
        if self.first_valid.val() && !self.leaving.val() {
            self.then_check.class.next = self.older.q.val().class;
        }
        if self.leaving.val() && self.second_valid.val() {
            self.then_check.class.next = self.younger.q.val().class;
        }
        self.then_check.free_units.next = self.choice.val();
        self.free_then.next = self.then_check.free.val();
        self.second_check.class.next = self.younger.q.val().class;
        self.second_check.free_units.next = self.free_units.val();
        self.special.next = self.first_check.special.val();
        self.control.next = self.first_check.control.val();
        self.memory.next = self.first_check.memory.val();
        self.free.next = self.first_check.free.val();
        self.logging.next =
            self.logs.val() && (self.first_check.load.val() || self.first_check.store.val());
        self.may_request.next = !self.logging.val()
            || (!self.turn.val() && !self.kept.val())
            || (self.turn.val() && self.first_check.load.val() && self.seen_one.val())
            || (self.turn.val() && self.first_check.store.val() && self.seen_two.val());
        self.pair.next = self.second_check.free.val()
            && !(self.first_check.special.val() && self.second_check.special.val())
            && !(self.first_check.control.val() && self.second_check.control.val())
            && !(self.first_check.memory.val() && self.second_check.memory.val());
    }
}

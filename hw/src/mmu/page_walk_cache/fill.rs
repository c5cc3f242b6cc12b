//! The entry that is filled.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::one_hot_priority_encoder::OneHotPriorityEncoder;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// How far it has come.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Step {
    /// There is none.
    Idle,
    /// Its set is to be read.
    Reading,
    /// It is looked for there, to take its own place.
    Comparing,
    /// It is to be written.
    Writing,
}

/// Fills the cache with an entry that memory has read. `WAYS` ways.
#[block]
pub struct Fill<const WAYS: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Memory answers what may be kept, if this may:
    pub offered: Signal<In, Bit>,
    /// the entry,
    pub data: Signal<In, Bits<64>>,
    /// which may be none.
    pub error: Signal<In, Bit>,
    /// Bits 51 to 32 that must be 0.
    pub reserved_bits: Signal<In, Bits<20>>,
    /// Everything is to be forgotten.
    pub forget: Signal<In, Bit>,
    /// The tags may be read.
    pub may_read: Signal<In, Bit>,
    /// Tag and entry may be written.
    pub may_write: Signal<In, Bit>,
    /// The ways that hold the word.
    pub found: [Signal<In, Bit>; WAYS],
    /// In which round each way was filled.
    pub round: [Signal<In, Bit>; WAYS],
    /// There is none.
    pub idle: Signal<Out, Bit>,
    /// The tags are read.
    pub read: Signal<Out, Bit>,
    /// They are compared.
    pub comparing: Signal<Out, Bit>,
    /// What is to be done has waited, and goes first;
    pub first: Signal<Out, Bit>,
    /// it is to write.
    pub first_writes: Signal<Out, Bit>,
    /// Tag and entry are written,
    pub write: Signal<Out, Bit>,
    /// into this way,
    pub way: [Signal<Out, Bit>; WAYS],
    /// in this round:
    pub write_round: Signal<Out, Bit>,
    /// the entry.
    pub entry: Signal<Out, Bits<64>>,

    step: Register<Step>,
    waited: Register<Bit>,
    held: Register<Bits<64>>,
    chosen: [Register<Bit>; WAYS],
    chosen_round: Register<Bit>,
    some_found: OrTree<WAYS>,
    some_round: OrTree<WAYS>,
    behind: OneHotPriorityEncoder<WAYS>,
    some_behind: OrTree<WAYS>,
    leads: Signal<Local, Bit>,
    withholds: Signal<Local, Bit>,
    reserved: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
}

impl<const WAYS: usize> Logic for Fill<WAYS> {
    #[logic]
    fn update(&mut self) {
        // Present, accessed, leading to a table with every right, and without a reserved bit.
        self.leads.next =
            self.data.val().get_bit(0) && self.data.val().get_bit(5) && !self.data.val().get_bit(7);
        self.withholds.next = !self.data.val().get_bit(1)
            || !self.data.val().get_bit(2)
            || self.data.val().get_bit(63);
        self.reserved.next = (self.data.val().get_bits::<20>(32) & self.reserved_bits.val()).any();
        self.idle.next = self.step.q.val() == Step::Idle;
        self.take.next = self.offered.val()
            && self.idle.val()
            && self.leads.val()
            && !self.withholds.val()
            && !self.reserved.val()
            && !self.error.val();
        if self.idle.val() {
            self.held.d.next = self.data.val();
        }
        self.entry.next = self.held.q.val();

        // The way that holds the word already, or else the ways in turn: the first one that is a round behind, or the first
        // of all.
        for i in 0..WAYS {
            self.some_found.of[i].next = self.found[i].val();
            self.some_round.of[i].next = self.found[i].val() && self.round[i].val();
            self.behind.request[i].next = self.round[i].val() ^ self.round[0].val();
            self.some_behind.of[i].next = self.round[i].val() ^ self.round[0].val();
        }
        self.comparing.next = self.step.q.val() == Step::Comparing;
        for i in 0..WAYS {
        }
        if self.comparing.val() {
            self.chosen_round.d.next = self.round[0].val() ^ !self.some_behind.any.val();
            for i in 0..WAYS {
                self.chosen[i].d.next = self.behind.grant[i].val();
            }
            if !self.some_behind.any.val() {
                self.chosen[0].d.next = true;
            }
            if self.some_found.any.val() {
                self.chosen_round.d.next = self.some_round.any.val();
                for i in 0..WAYS {
                    self.chosen[i].d.next = self.found[i].val();
                }
            }
        }
        for i in 0..WAYS {
            self.way[i].next = self.chosen[i].q.val();
        }
        self.write_round.next = self.chosen_round.q.val();

        self.read.next = (self.step.q.val() == Step::Reading) && self.may_read.val();
        self.write.next = (self.step.q.val() == Step::Writing) && self.may_write.val();
        self.first.next = self.waited.q.val();
        self.first_writes.next = self.waited.q.val() && (self.step.q.val() == Step::Writing);
        self.waited.d.next = !self.forget.val()
            && (((self.step.q.val() == Step::Reading) && !self.may_read.val())
                || ((self.step.q.val() == Step::Writing) && !self.may_write.val()));
        if self.take.val() {
            self.step.d.next = Step::Reading;
        }
        if self.read.val() {
            self.step.d.next = Step::Comparing;
        }
        if self.comparing.val() {
            self.step.d.next = Step::Writing;
        }
        if self.write.val() || self.forget.val() {
            self.step.d.next = Step::Idle;
        }
    }
}

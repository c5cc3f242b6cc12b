//! The entry that is filled.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::one_hot_priority_encoder::OneHotPriorityEncoder;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// How far the entry that is filled has come.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Step {
    /// No entry is being filled.
    Idle,
    /// The set of the entry is to be read.
    Reading,
    /// The tags of the set are compared: a word that is there already keeps its way.
    Comparing,
    /// The entry is to be written.
    Writing,
}

/// Fills the cache with an entry that memory has read. `WAYS` ways.
#[block]
pub struct Fill<const WAYS: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Memory answers a request whose answer may be cached.
    pub offered: Signal<In, Bit>,
    /// Entry in the answer of memory.
    pub data: Signal<In, Bits<64>>,
    /// There is no such word in memory.
    pub error: Signal<In, Bit>,
    /// Bits 51 to 32 of an entry that must be 0.
    pub reserved_bits: Signal<In, Bits<20>>,
    /// The cache is to be invalidated: the fill under way ends.
    pub forget: Signal<In, Bit>,
    /// The tags may be read.
    pub may_read: Signal<In, Bit>,
    /// Tag and entry may be written.
    pub may_write: Signal<In, Bit>,
    /// Ways of the set that hold the word, one bit each.
    pub found: [Signal<In, Bit>; WAYS],
    /// Round in which each way of the set was filled, one bit for each way.
    pub round: [Signal<In, Bit>; WAYS],
    /// No entry is being filled.
    pub idle: Signal<Out, Bit>,
    /// The tags of the set are read.
    pub read: Signal<Out, Bit>,
    /// The tags that were read are compared.
    pub comparing: Signal<Out, Bit>,
    /// The fill has waited for a cycle and goes before requests.
    pub first: Signal<Out, Bit>,
    /// The fill has waited for a cycle with its write, which goes before requests.
    pub first_writes: Signal<Out, Bit>,
    /// Tag and entry are written.
    pub write: Signal<Out, Bit>,
    /// Way that is written, one bit for each way.
    pub way: [Signal<Out, Bit>; WAYS],
    /// Round that is written with the tag.
    pub write_round: Signal<Out, Bit>,
    /// Entry that is written.
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
            self.chosen[i].d.next = self.chosen[i].q.val();
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

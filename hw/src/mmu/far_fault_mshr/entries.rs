//! What is searched of the entries, in registers: whether they are taken, marked, and of the same tag.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// The part of the entries that is searched: taken, marked and tag bits, in registers. `ENTRIES` entries with indices
/// of `INDEX` bits and tags of `TAG` bits.
#[block]
pub struct Entries<const ENTRIES: usize, const INDEX: usize, const TAG: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// The allocated entries whose tag is `tag` become the candidates.
    pub search: Signal<In, Bit>,
    /// The marked entries become the candidates, instead of those found by their tag.
    pub sweep: Signal<In, Bit>,
    /// Tag of the search, and of an entry that is allocated.
    pub tag: Signal<In, Bits<TAG>>,
    /// The lowest candidate is removed from the candidates.
    pub drop: Signal<In, Bit>,
    /// Every allocated entry is marked.
    pub mark: Signal<In, Bit>,
    /// Index of the entry that `take`, `upgrade`, `free`, `unmark` and `is_written` refer to.
    pub target: Signal<In, Bits<INDEX>>,
    /// The entry in `target` is allocated with `tag`.
    pub take: Signal<In, Bit>,
    /// A write merges into the entry in `target`, which was not reported as a write.
    pub upgrade: Signal<In, Bit>,
    /// The fault's cause refuses a write only: a read would find the page.
    pub writes: Signal<In, Bit>,
    /// The entry in `target` is freed.
    pub free: Signal<In, Bit>,
    /// The entry in `target` loses its mark.
    pub unmark: Signal<In, Bit>,
    /// There is a candidate.
    pub some: Signal<Out, Bit>,
    /// Index of the lowest candidate.
    pub first: Signal<Out, Bits<INDEX>>,
    /// The walk of the entry in `target` is a write: its fault refused a write only.
    pub is_written: Signal<Out, Bit>,
    /// Index of the lowest free entry.
    pub vacant: Signal<Out, Bits<INDEX>>,
    /// An entry is marked.
    pub marked: Signal<Out, Bit>,

    taken: [Register<Bit>; ENTRIES],
    noted: [Register<Bit>; ENTRIES],
    tags: [Register<Bits<TAG>>; ENTRIES],
    candidate: [Register<Bit>; ENTRIES],
    of_write: [Register<Bit>; ENTRIES],

    lowest: FixedPriorityArbiter<ENTRIES, INDEX, false>,
    lowest_free: FixedPriorityArbiter<ENTRIES, INDEX, false>,
    some_candidate: OrTree<ENTRIES>,
    some_noted: OrTree<ENTRIES>,
    some_write: OrTree<ENTRIES>,
    is_target: [Signal<Local, Bit>; ENTRIES],
}

impl<const ENTRIES: usize, const INDEX: usize, const TAG: usize> Logic
    for Entries<ENTRIES, INDEX, TAG>
{
    #[logic]
    fn update(&mut self) {
        for i in 0..ENTRIES {
            self.lowest.request[i].next = self.candidate[i].q.val();
            self.some_candidate.of[i].next = self.candidate[i].q.val();
            self.lowest_free.request[i].next = !self.taken[i].q.val();
            self.some_noted.of[i].next = self.noted[i].q.val();
            self.is_target[i].next = self.target.val() == i.to_bits::<INDEX>();
        }
        for i in 0..ENTRIES {
            self.some_write.of[i].next = self.is_target[i].val() && self.of_write[i].q.val();
        }
        self.is_written.next = self.some_write.any.val();
        self.some.next = self.some_candidate.any.val();
        self.first.next = self.lowest.index.val();
        self.vacant.next = self.lowest_free.index.val();
        self.marked.next = self.some_noted.any.val();

        for i in 0..ENTRIES {
            if self.drop.val() && self.lowest.grant[i].val() {
                self.candidate[i].d.next = false;
            }
            if self.search.val() {
                self.candidate[i].d.next =
                    self.taken[i].q.val() && (self.tags[i].q.val() == self.tag.val());
            }
            if self.sweep.val() {
                self.candidate[i].d.next = self.noted[i].q.val();
            }
            self.noted[i].d.next =
                self.noted[i].q.val() || (self.mark.val() && self.taken[i].q.val());
            self.of_write[i].d.next = self.of_write[i].q.val()
                || (self.is_target[i].val() && self.upgrade.val() && self.writes.val());
            if self.is_target[i].val() && self.take.val() {
                self.taken[i].d.next = true;
                self.tags[i].d.next = self.tag.val();
                self.of_write[i].d.next = self.writes.val();
            }
            if self.is_target[i].val() && self.free.val() {
                self.taken[i].d.next = false;
            }
            if self.is_target[i].val() && (self.free.val() || self.unmark.val()) {
                self.noted[i].d.next = false;
            }
        }
    }
}

//! Where in memory records begin, and which of them are free.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Keeps the place of the ring in memory, and which of its records are free. Records with numbers of `RECORD` bits,
/// frames with numbers of `PFN` bits.
#[block]
pub struct Ring<const RECORD: usize, const PFN: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// The driver writes register BASE.
    pub write_base: Signal<In, Bit>,
    /// The driver writes register SIZE.
    pub write_size: Signal<In, Bit>,
    /// The driver writes register GET.
    pub write_get: Signal<In, Bit>,
    /// Value that the driver writes, as a frame number.
    pub pfn: Signal<In, Bits<PFN>>,
    /// Value that the driver writes, as a record number or a number of records.
    pub number: Signal<In, Bits<RECORD>>,
    /// The buffer is not enabled, no fault is under way, no replayable fault is valid, and memory has
    /// acknowledged every word.
    pub resting: Signal<In, Bit>,
    /// A record takes the next place of the ring.
    pub take: Signal<In, Bit>,
    /// Memory has acknowledged the last word of the oldest record in flight.
    pub end: Signal<In, Bit>,
    /// The search is set to the newest record.
    pub search: Signal<In, Bit>,
    /// The search moves on to the record before.
    pub step: Signal<In, Bit>,
    /// Register BASE: the frame in which the ring begins.
    pub base: Signal<Out, Bits<PFN>>,
    /// Register SIZE: records that fit in the ring; 0 without a ring.
    pub size: Signal<Out, Bits<RECORD>>,
    /// Register GET: the record that the driver reads next.
    pub get: Signal<Out, Bits<RECORD>>,
    /// Register PUT: the record behind the last one that memory has acknowledged.
    pub put: Signal<Out, Bits<RECORD>>,
    /// Number of the record that was begun last.
    pub current: Signal<Out, Bits<RECORD>>,
    /// Records are unread.
    pub unread: Signal<Out, Bit>,
    /// The buffer is at rest: `resting` is high, and no record is unread.
    pub at_rest: Signal<Out, Bit>,
    /// At least one place is free.
    pub place: Signal<Out, Bit>,
    /// At least two places are free.
    pub two_places: Signal<Out, Bit>,
    /// A write to GET is taken.
    pub moves: Signal<Out, Bit>,
    /// The search has reached GET: no record is left to compare.
    pub searched: Signal<Out, Bit>,
    /// There is a ring.
    pub made: Signal<Out, Bit>,
    /// A write to SIZE makes a new ring.
    pub remakes: Signal<Out, Bit>,

    first: Register<Bits<PFN>>,
    records: Register<Bits<RECORD>>,
    read: Register<Bits<RECORD>>,
    // PUT, and the record behind it; the record under way; then what is taken next, and what comes after that.
    written: Register<Bits<RECORD>>,
    following: Register<Bits<RECORD>>,
    begun: Register<Bits<RECORD>>,
    head: Register<Bits<RECORD>>,
    after: Register<Bits<RECORD>>,
    second: Register<Bits<RECORD>>,
    back: Register<Bits<RECORD>>,

    next_put: Signal<Local, Bits<RECORD>>,
    sum: Signal<Local, Bits<RECORD>>,
    third: Signal<Local, Bits<RECORD>>,
    wrapped: Signal<Local, Bit>,
    from_get: Signal<Local, Bit>,
    to_put: Signal<Local, Bit>,
    in_ring: Signal<Local, Bit>,
}

impl<const RECORD: usize, const PFN: usize> Logic for Ring<RECORD, PFN> {
    #[logic]
    fn update(&mut self) {
        self.base.next = self.first.q.val();
        self.size.next = self.records.q.val();
        self.get.next = self.read.q.val();
        self.put.next = self.written.q.val();
        self.current.next = self.begun.q.val();
        self.unread.next = !(self.written.q.val() == self.read.q.val());
        self.at_rest.next = self.resting.val() && (self.written.q.val() == self.read.q.val());

        // As long as there is no ring there is no place.
        self.made.next = !(self.records.q.val() == 0);
        self.place.next = self.made.val() && !(self.after.q.val() == self.read.q.val());
        self.two_places.next = self.made.val()
            && !(self.after.q.val() == self.read.q.val())
            && !(self.second.q.val() == self.read.q.val());

        // GET stays between itself and PUT.
        self.wrapped.next = self.written.q.val() < self.read.q.val();
        self.from_get.next = self.read.q.val() <= self.number.val();
        self.to_put.next = self.number.val() <= self.written.q.val();
        self.in_ring.next = self.number.val() < self.records.q.val();
        self.moves.next = self.write_get.val()
            && ((!self.wrapped.val() && self.from_get.val() && self.to_put.val())
                || (self.wrapped.val() && self.from_get.val() && self.in_ring.val())
                || (self.wrapped.val() && self.to_put.val()));
        if self.moves.val() {
            self.read.d.next = self.number.val();
        }

        // The numbers go round. Between two records that end there are more cycles than `following` needs.
        self.next_put.next = self.written.q.val() + 1;
        self.following.d.next = self.next_put.val();
        if self.next_put.val() == self.records.q.val() {
            self.following.d.next = bits::<RECORD>(0);
        }
        self.sum.next = self.second.q.val() + 1;
        self.third.next = self.sum.val();
        if self.sum.val() == self.records.q.val() {
            self.third.next = bits::<RECORD>(0);
        }
        if self.end.val() {
            self.written.d.next = self.following.q.val();
        }
        if self.take.val() {
            self.begun.d.next = self.head.q.val();
            self.head.d.next = self.after.q.val();
            self.after.d.next = self.second.q.val();
            self.second.d.next = self.third.val();
        }
        self.remakes.next = self.write_size.val() && self.at_rest.val() && !(self.number.val() < 3);
        if self.write_base.val() && self.at_rest.val() {
            self.first.d.next = self.pfn.val();
        }
        if self.remakes.val() {
            self.records.d.next = self.number.val();
            self.read.d.next = bits::<RECORD>(0);
            self.written.d.next = bits::<RECORD>(0);
            self.following.d.next = bits::<RECORD>(1);
            self.head.d.next = bits::<RECORD>(0);
            self.after.d.next = bits::<RECORD>(1);
            self.second.d.next = bits::<RECORD>(2);
        }

        // The search goes backwards.
        self.searched.next = self.back.q.val() == self.read.q.val();
        if self.step.val() {
            self.back.d.next = self.back.q.val() - 1;
        }
        if self.step.val() && (self.back.q.val() == 0) {
            self.back.d.next = self.records.q.val() - 1;
        }
        if self.search.val() {
            self.back.d.next = self.head.q.val();
        }
        if self.remakes.val() {
            self.back.d.next = bits::<RECORD>(0);
        }
    }
}

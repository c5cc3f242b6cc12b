#![doc = include_str!("../../../docs/blocks/scoreboard.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{FINISHES, REGISTER_BITS};
use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// Scoreboard of one warp: keeps its instructions from fetch to commit, and shows which may be issued. `INSTRUCTIONS`
/// instructions with entry numbers of `ENTRY` bits.
#[block(top, new(holds: bool))]
pub struct Scoreboard<const INSTRUCTIONS: usize, const ENTRY: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: empties the scoreboard.
    pub reset: Signal<In, Bit>,

    /// An instruction arrives: it was fetched, or is issued again.
    pub arrive_valid: Signal<In, Bit>,
    /// The arriving instruction is issued in this cycle.
    pub arrive_issued: Signal<In, Bit>,
    /// Destination of a fetched instruction, to find what it waits for; any value if it is issued.
    pub arrive_destination: Signal<In, Bits<REGISTER_BITS>>,
    /// First source of a fetched instruction; any value if it is issued.
    pub arrive_source_a: Signal<In, Bits<REGISTER_BITS>>,
    /// Second source of a fetched instruction; any value if it is issued.
    pub arrive_source_b: Signal<In, Bits<REGISTER_BITS>>,
    /// Third source of a fetched instruction; any value if it is issued.
    pub arrive_source_c: Signal<In, Bits<REGISTER_BITS>>,
    /// Fetch stops until the arriving instruction is checked or ends.
    pub entry_stops: Signal<In, Bit>,
    /// The arriving instruction holds its sources until it is checked or ends.
    pub entry_holds: Signal<In, Bit>,
    /// Destination that its entry keeps; equal to `arrive_destination` if it was fetched.
    pub entry_destination: Signal<In, Bits<REGISTER_BITS>>,
    /// First source that its entry keeps; equal to `arrive_source_a` if it was fetched.
    pub entry_source_a: Signal<In, Bits<REGISTER_BITS>>,
    /// Second source that its entry keeps; equal to `arrive_source_b` if it was fetched.
    pub entry_source_b: Signal<In, Bits<REGISTER_BITS>>,
    /// Third source that its entry keeps; equal to `arrive_source_c` if it was fetched.
    pub entry_source_c: Signal<In, Bits<REGISTER_BITS>>,
    /// The first buffered instruction is issued.
    pub issue_first: Signal<In, Bit>,
    /// The second buffered instruction is issued with the first one; ignored without `issue_first`.
    pub issue_second: Signal<In, Bit>,
    /// The buffered instructions are dropped, those that are issued in the same cycle too.
    pub flush: Signal<In, Bit>,
    /// Units in which an instruction ends, one bit each; unit 0 is lowest.
    pub finished_valid: [Signal<In, Bit>; FINISHES],
    /// Entry that each unit ends; unit 0 is lowest.
    pub finished_entry: [Signal<In, Bits<ENTRY>>; FINISHES],
    /// The last TLB check of the instruction in `checked_entry` succeeded.
    pub checked_valid: Signal<In, Bit>,
    /// Entry of the instruction that was checked.
    pub checked_entry: Signal<In, Bits<ENTRY>>,
    /// The first buffered instruction is about to be issued.
    pub chosen: Signal<In, Bit>,

    /// Another instruction may arrive.
    pub room: Signal<Out, Bit>,
    /// Entry of the arriving instruction; 0 if none is free.
    pub arrive_entry: Signal<Out, Bits<ENTRY>>,
    /// An instruction is buffered.
    pub first_valid: Signal<Out, Bit>,
    /// The first buffered instruction may be issued.
    pub first_ready: Signal<Out, Bit>,
    /// Entry of the first, which is the oldest, buffered instruction.
    pub first_entry: Signal<Out, Bits<ENTRY>>,
    /// A second instruction is buffered.
    pub second_valid: Signal<Out, Bit>,
    /// The second buffered instruction may be issued together with the first one.
    pub second_ready: Signal<Out, Bit>,
    /// Entry of the second buffered instruction.
    pub second_entry: Signal<Out, Bits<ENTRY>>,
    /// Fetch stops.
    pub stopped: Signal<Out, Bit>,
    /// Fetch will be stopped in the next cycle, arrivals and flushes left aside.
    pub stopping: Signal<Out, Bit>,
    /// An instruction is buffered or in flight.
    pub busy: Signal<Out, Bit>,
    /// An instruction will be ready in the next cycle, if the first one is issued exactly when `chosen` is high.
    pub likely: Signal<Out, Bit>,

    // The instructions, buffered or in flight.
    used: [Register<Bit>; INSTRUCTIONS],
    stops: [Register<Bit>; INSTRUCTIONS],
    destination: [Register<Bits<REGISTER_BITS>>; INSTRUCTIONS],
    holds: [Register<Bit>; INSTRUCTIONS],
    held_a: [Register<Bits<REGISTER_BITS>>; INSTRUCTIONS],
    held_b: [Register<Bits<REGISTER_BITS>>; INSTRUCTIONS],
    held_c: [Register<Bits<REGISTER_BITS>>; INSTRUCTIONS],

    // Where instructions do not hold their sources, what would keep them stays in reset, and synthesis removes it.
    #[init(Constant::new(holds))]
    holding: Constant<Bit>,

    // The two buffered instructions, and the instructions that they wait for.
    first: Register<Bit>,
    second: Register<Bit>,
    entry_of_first: Register<Bits<ENTRY>>,
    entry_of_second: Register<Bits<ENTRY>>,
    first_results: [Register<Bit>; INSTRUCTIONS],
    second_results: [Register<Bit>; INSTRUCTIONS],
    first_holders: [Register<Bit>; INSTRUCTIONS],
    second_holders: [Register<Bit>; INSTRUCTIONS],
    first_after: Register<Bit>,
    second_after: Register<Bit>,
    last_a: Register<Bits<REGISTER_BITS>>,
    last_b: Register<Bits<REGISTER_BITS>>,
    last_c: Register<Bits<REGISTER_BITS>>,
    issued: Register<Bit>,

    free: FixedPriorityArbiter<INSTRUCTIONS, ENTRY, false>,
    some_free: OrTree<INSTRUCTIONS>,
    some_used: OrTree<INSTRUCTIONS>,
    some_stop: OrTree<INSTRUCTIONS>,
    some_stop_left: OrTree<INSTRUCTIONS>,
    first_waits: OrTree<INSTRUCTIONS>,
    second_waits: OrTree<INSTRUCTIONS>,
    first_will_wait: OrTree<INSTRUCTIONS>,
    second_will_wait: OrTree<INSTRUCTIONS>,
    arrival_waits: OrTree<INSTRUCTIONS>,
    leaves: Signal<Local, Bit>,
    coming: Signal<Local, Bit>,
    finishing: [Signal<Local, Bit>; INSTRUCTIONS],
    checking: [Signal<Local, Bit>; INSTRUCTIONS],
    flushing: [Signal<Local, Bit>; INSTRUCTIONS],
    conflict: [Signal<Local, Bit>; INSTRUCTIONS],
    hold_conflict: [Signal<Local, Bit>; INSTRUCTIONS],
    writes: Signal<Local, Bit>,
    after: Signal<Local, Bit>,
    arriving: Signal<Local, Bit>,
    buffering: Signal<Local, Bit>,
    buffering_first: Signal<Local, Bit>,
    buffering_second: Signal<Local, Bit>,
}

impl<const INSTRUCTIONS: usize, const ENTRY: usize> Logic for Scoreboard<INSTRUCTIONS, ENTRY> {
    #[logic]
    fn update(&mut self) {
        for i in 0..INSTRUCTIONS {
            self.holds[i].reset.next = self.reset.val() || !self.holding.val();
            self.held_a[i].reset.next = self.reset.val() || !self.holding.val();
            self.held_b[i].reset.next = self.reset.val() || !self.holding.val();
            self.held_c[i].reset.next = self.reset.val() || !self.holding.val();
            self.first_holders[i].reset.next = self.reset.val() || !self.holding.val();
            self.second_holders[i].reset.next = self.reset.val() || !self.holding.val();
        }

        // The instructions that finish, that are checked, and that are flushed.
        for i in 0..INSTRUCTIONS {
            self.finishing[i].next = (self.finished_valid[0].val()
                && (self.finished_entry[0].val() == i.to_bits::<ENTRY>()))
                || (self.finished_valid[1].val()
                    && (self.finished_entry[1].val() == i.to_bits::<ENTRY>()))
                || (self.finished_valid[2].val()
                    && (self.finished_entry[2].val() == i.to_bits::<ENTRY>()))
                || (self.finished_valid[3].val()
                    && (self.finished_entry[3].val() == i.to_bits::<ENTRY>()))
                || (self.finished_valid[4].val()
                    && (self.finished_entry[4].val() == i.to_bits::<ENTRY>()))
                || (self.finished_valid[5].val()
                    && (self.finished_entry[5].val() == i.to_bits::<ENTRY>()));
            self.checking[i].next =
                self.checked_valid.val() && (self.checked_entry.val() == i.to_bits::<ENTRY>());
            self.flushing[i].next = self.flush.val()
                && ((self.first.q.val() && (self.entry_of_first.q.val() == i.to_bits::<ENTRY>()))
                    || (self.second.q.val()
                        && (self.entry_of_second.q.val() == i.to_bits::<ENTRY>())));
        }

        // What an arriving instruction must wait for: results that it reads or overwrites, and sources that it
        // overwrites.
        for i in 0..INSTRUCTIONS {
            self.free.request[i].next = !self.used[i].q.val();
            self.some_free.of[i].next = !self.used[i].q.val();
            self.some_used.of[i].next = self.used[i].q.val();
            self.conflict[i].next = self.used[i].q.val()
                && !self.finishing[i].val()
                && !self.destination[i].q.val().all()
                && ((self.destination[i].q.val() == self.arrive_destination.val())
                    || (self.destination[i].q.val() == self.arrive_source_a.val())
                    || (self.destination[i].q.val() == self.arrive_source_b.val())
                    || (self.destination[i].q.val() == self.arrive_source_c.val()));
        }
        self.writes.next = !self.arrive_destination.val().all();
        for i in 0..INSTRUCTIONS {
            self.hold_conflict[i].next = self.used[i].q.val()
                && self.holds[i].q.val()
                && !self.finishing[i].val()
                && !self.checking[i].val()
                && self.writes.val()
                && ((self.held_a[i].q.val() == self.arrive_destination.val())
                    || (self.held_b[i].q.val() == self.arrive_destination.val())
                    || (self.held_c[i].q.val() == self.arrive_destination.val()));
        }
        self.after.next = self.writes.val()
            && ((self.last_a.q.val() == self.arrive_destination.val())
                || (self.last_b.q.val() == self.arrive_destination.val())
                || (self.last_c.q.val() == self.arrive_destination.val()));
        self.room.next = self.some_free.any.val() && !self.second.q.val();
        self.arrive_entry.next = self.free.index.val();
        self.arriving.next = self.arrive_valid.val()
            && self.some_free.any.val()
            && !self.second.q.val()
            && !self.flush.val();
        self.buffering.next = self.arriving.val() && !self.arrive_issued.val();
        self.buffering_second.next =
            self.buffering.val() && self.first.q.val() && !self.issue_first.val();
        self.buffering_first.next =
            self.buffering.val() && (!self.first.q.val() || self.issue_first.val());

        // Next state of the instructions.
        for i in 0..INSTRUCTIONS {
            self.used[i].d.next =
                self.used[i].q.val() && !self.finishing[i].val() && !self.flushing[i].val();
            self.stops[i].d.next = self.stops[i].q.val()
                && !self.finishing[i].val()
                && !self.checking[i].val()
                && !self.flushing[i].val();
            if self.arriving.val() && self.free.grant[i].val() {
                self.used[i].d.next = true;
                self.stops[i].d.next = self.entry_stops.val();
                self.destination[i].d.next = self.entry_destination.val();
            }
        }
        for i in 0..INSTRUCTIONS {
            self.holds[i].d.next = self.holds[i].q.val() && !self.checking[i].val();
            if self.arriving.val() && self.free.grant[i].val() {
                self.holds[i].d.next = self.entry_holds.val();
                self.held_a[i].d.next = self.entry_source_a.val();
                self.held_b[i].d.next = self.entry_source_b.val();
                self.held_c[i].d.next = self.entry_source_c.val();
            }
        }

        // The two buffered ones: the second moves up when the first is issued.
        if self.issue_first.val() {
            self.first.d.next = self.second.q.val() && !self.issue_second.val();
            self.second.d.next = false;
            self.entry_of_first.d.next = self.entry_of_second.q.val();
            self.first_after.d.next = self.second_after.q.val();
        }
        if self.flush.val() {
            self.first.d.next = false;
            self.second.d.next = false;
        }
        if self.buffering_first.val() {
            self.first.d.next = true;
            self.entry_of_first.d.next = self.free.index.val();
            self.first_after.d.next = self.after.val();
        }
        if self.buffering_second.val() {
            self.second.d.next = true;
            self.entry_of_second.d.next = self.free.index.val();
            self.second_after.d.next = self.after.val();
        }
        for i in 0..INSTRUCTIONS {
            self.second_results[i].d.next =
                self.second_results[i].q.val() && !self.finishing[i].val();
            self.first_results[i].d.next =
                self.first_results[i].q.val() && !self.finishing[i].val();
            if self.issue_first.val() {
                self.first_results[i].d.next =
                    self.second_results[i].q.val() && !self.finishing[i].val();
            }
            if self.buffering_first.val() {
                self.first_results[i].d.next = self.conflict[i].val();
            }
            if self.buffering_second.val() {
                self.second_results[i].d.next = self.conflict[i].val();
            }
        }
        for i in 0..INSTRUCTIONS {
            self.second_holders[i].d.next = self.second_holders[i].q.val()
                && !self.finishing[i].val()
                && !self.checking[i].val();
            self.first_holders[i].d.next = self.first_holders[i].q.val()
                && !self.finishing[i].val()
                && !self.checking[i].val();
            if self.issue_first.val() {
                self.first_holders[i].d.next = self.second_holders[i].q.val()
                    && !self.finishing[i].val()
                    && !self.checking[i].val();
            }
            if self.buffering_first.val() {
                self.first_holders[i].d.next = self.hold_conflict[i].val();
            }
            if self.buffering_second.val() {
                self.second_holders[i].d.next = self.hold_conflict[i].val();
            }
        }
        self.issued.d.next = self.issue_first.val();
        if self.buffering.val() {
            self.last_a.d.next = self.arrive_source_a.val();
            self.last_b.d.next = self.arrive_source_b.val();
            self.last_c.d.next = self.arrive_source_c.val();
        }

        // What it shows; of an instruction that is not there, entry 0.
        for i in 0..INSTRUCTIONS {
            self.first_waits.of[i].next =
                self.first_results[i].q.val() || self.first_holders[i].q.val();
            self.second_waits.of[i].next =
                self.second_results[i].q.val() || self.second_holders[i].q.val();
            self.some_stop.of[i].next = self.stops[i].q.val();
            self.some_stop_left.of[i].next =
                self.stops[i].q.val() && !self.finishing[i].val() && !self.checking[i].val();
        }
        self.first_valid.next = self.first.q.val();
        self.first_entry.next = self.entry_of_first.q.val();
        if !self.first.q.val() {
            self.first_entry.next = 0.into();
        }
        self.first_ready.next = self.first.q.val()
            && !self.first_waits.any.val()
            && !(self.first_after.q.val() && self.issued.q.val());
        self.second_valid.next = self.second.q.val();
        self.second_entry.next = self.entry_of_second.q.val();
        if !self.second.q.val() {
            self.second_entry.next = 0.into();
        }
        self.second_ready.next =
            self.second.q.val() && !self.second_waits.any.val() && !self.second_after.q.val();
        self.stopped.next = self.some_stop.any.val();
        self.stopping.next = self.some_stop_left.any.val();
        self.busy.next = self.some_used.any.val();

        // What will be ready, if the first one leaves exactly when it is chosen.
        for i in 0..INSTRUCTIONS {
            self.first_will_wait.of[i].next = (self.first_results[i].q.val()
                && !self.finishing[i].val())
                || (self.first_holders[i].q.val()
                    && !self.finishing[i].val()
                    && !self.checking[i].val());
            self.second_will_wait.of[i].next = (self.second_results[i].q.val()
                && !self.finishing[i].val())
                || (self.second_holders[i].q.val()
                    && !self.finishing[i].val()
                    && !self.checking[i].val());
            self.arrival_waits.of[i].next = self.conflict[i].val() || self.hold_conflict[i].val();
        }
        self.leaves.next = self.chosen.val() && self.first.q.val();
        self.coming.next = self.arrive_valid.val()
            && !self.arrive_issued.val()
            && self.some_free.any.val()
            && !self.second.q.val();
        self.likely.next =
            (self.first.q.val() && !self.chosen.val() && !self.first_will_wait.any.val())
                || (self.leaves.val()
                    && self.second.q.val()
                    && !self.second_will_wait.any.val()
                    && !self.second_after.q.val())
                || (self.coming.val()
                    && (!self.first.q.val() || (self.chosen.val() && !self.second.q.val()))
                    && !self.arrival_waits.any.val()
                    && !(self.leaves.val() && self.after.val()));
    }
}

#![doc = include_str!("../../../docs/blocks/dirty_bits.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::any_of::AnyOf;
use crate::primitives::arbiter::Arbiter;
use crate::primitives::register::Register;
use crate::primitives::span::Span;

mod group;
mod half;
mod search;
mod total;

use half::Half;
use search::Search;
use total::Total;

/// What the walk does.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Step {
    /// There is none.
    Idle,
    /// It goes from row to row.
    Walking,
    /// It tells how much it has come upon.
    Telling,
}

/// Rows with `R`-bit numbers; `G` groups with `U`-bit numbers, each of `P` rows with `Q`-bit numbers; halves of a group of
/// `B` rows with `V`-bit numbers, and of all rows with `A`-bit numbers; `L` lanes, with `E` bits of their number; counts of
/// rows in `C` bits, of lanes in `D` bits.
#[block(top, new(by_lane: bool))]
#[check(A + 1 == R && U + Q == R && 1 << Q == P, "{R}, {U} and {Q} bits do not number rows, groups, and the {P} rows of a group")]
#[check(R < C && L << R < 1 << D, "{C} and {D} bits do not count all rows and lanes")]
pub struct DirtyBits<
    const R: usize,
    const G: usize,
    const U: usize,
    const P: usize,
    const Q: usize,
    const B: usize,
    const V: usize,
    const A: usize,
    const L: usize,
    const E: usize,
    const C: usize,
    const D: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: clears every dirty bit and ends a walk.
    pub reset: Signal<In, Bit>,

    /// A register is written back, one bit for each port.
    pub write_valid: [Signal<In, Bit>; 2],
    /// Row that each port writes.
    pub write_row: [Signal<In, Bits<R>>; 2],
    /// Lanes that each port writes.
    pub write_lanes: [Signal<In, Bits<L>>; 2],
    /// A warp has ended and its dirty bits are cleared; always taken.
    pub clear_valid: Signal<In, Bit>,
    /// First group of the ended warp's registers.
    pub clear_first: Signal<In, Bits<U>>,
    /// Last group of the ended warp's registers.
    pub clear_last: Signal<In, Bits<U>>,
    /// Request for the dirty rows of a range of groups.
    pub walk_valid: Signal<In, Bit>,
    /// First group of the walk.
    pub walk_first: Signal<In, Bits<U>>,
    /// Last group of the walk.
    pub walk_last: Signal<In, Bits<U>>,
    /// The rows are saved and become clean; if low, they are only counted.
    pub walk_saves: Signal<In, Bit>,
    /// The dirty row on offer is taken.
    pub dirty_ready: Signal<In, Bit>,
    /// The totals are taken.
    pub total_ready: Signal<In, Bit>,

    /// Writes that are accepted, one bit for each port.
    pub write_ready: [Signal<Out, Bit>; 2],
    /// The walk is accepted.
    pub walk_ready: Signal<Out, Bit>,
    /// A row to be saved is on offer.
    pub dirty_valid: Signal<Out, Bit>,
    /// Dirty row.
    pub dirty_row: Signal<Out, Bits<R>>,
    /// Dirty lanes of the row, one bit each; all lanes where lanes are not followed.
    pub dirty_lanes: Signal<Out, Bits<L>>,
    /// The walk has ended.
    pub total_valid: Signal<Out, Bit>,
    /// Dirty rows that the walk found.
    pub total_rows: Signal<Out, Bits<C>>,
    /// Dirty lanes that the walk found.
    pub total_lanes: Signal<Out, Bits<D>>,

    // Who goes first where both writes are of one half.
    turn: Register<Bit>,

    // Groups that are cleared: without a clear, from the highest to the lowest, which are none.
    clearing_first: Register<Bits<U>>,
    clearing_last: Register<Bits<U>>,

    // The walk, the group that it has come to, and the row that it took last, which it offers if it saves.
    step: Register<Step>,
    saves: Register<Bit>,
    place: Register<Bits<U>>,
    taken: Register<Bit>,
    row: Register<Bits<R>>,
    offering: Register<Bit>,

    #[init([Half::new(by_lane), Half::new(by_lane)])]
    half: [Half<A, G, U, B, V, L>; 2],
    search: Search<G, U>,
    counts: Total<L, E, C, D>,

    #[init(Constant::new((Q as LiteralType).into()))]
    above: Constant<Bits<R>>,
    #[init(Constant::new(1.into()))]
    above_parity: Constant<Bits<R>>,
    #[init(Constant::new(((G - 1) as LiteralType).into()))]
    highest: Constant<Bits<U>>,
    #[init(Constant::new(0.into()))]
    lowest: Constant<Bits<U>>,
    #[init(Constant::new(0.into()))]
    no_row: Constant<Bits<R>>,
    // All lanes, where they are not followed.
    #[init(Constant::new(if by_lane { Bits::default() } else { !Bits::default() }))]
    idle_lanes: Constant<Bits<L>>,
    #[init(Constant::new(0.into()))]
    no_rows: Constant<Bits<C>>,
    #[init(Constant::new(0.into()))]
    no_lanes: Constant<Bits<D>>,

    cleared: Span<G, U>,
    next: Arbiter<P, Q, false>,
    left: AnyOf<P>,
    odd: [Signal<Local, Bit>; 2],
    conflict: Signal<Local, Bit>,
    refused: [Signal<Local, Bit>; 2],
    go: [Signal<Local, Bit>; 2],
    some: Signal<Local, Bit>,
    next_odd: Signal<Local, Bit>,
    next_row: Signal<Local, Bits<R>>,
    blocked: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    clears_here: Signal<Local, Bit>,
    clears_next: Signal<Local, Bit>,
    leave: Signal<Local, Bit>,
    begin: Signal<Local, Bit>,
    lanes: Signal<Local, Bits<L>>,
}

// A kernel reads better in the order of the page than with the fewest operators.
#[allow(clippy::nonminimal_bool)]
impl<
    const R: usize,
    const G: usize,
    const U: usize,
    const P: usize,
    const Q: usize,
    const B: usize,
    const V: usize,
    const A: usize,
    const L: usize,
    const E: usize,
    const C: usize,
    const D: usize,
> Logic for DirtyBits<R, G, U, P, Q, B, V, A, L, E, C, D>
{
    #[logic]
    fn update(&mut self) {
        // Writes: a half takes one, and none in the cycle after which the walk goes on there.
        for b in 0..2 {
            self.odd[b].next = self.write_row[b].val().get_bit(0);
        }
        self.conflict.next = self.write_valid[0].val()
            && self.write_valid[1].val()
            && (self.odd[0].val() == self.odd[1].val());
        self.refused[0].next = self.half[0].writing.val()
            && self.some.val()
            && !self.next_odd.val()
            && !self.offering.q.val();
        self.refused[1].next = self.half[1].writing.val()
            && self.some.val()
            && self.next_odd.val()
            && !self.offering.q.val();
        self.write_ready[0].next = !(self.refused[0].val() && !self.odd[0].val())
            && !(self.refused[1].val() && self.odd[0].val())
            && !(self.conflict.val() && self.turn.q.val());
        self.write_ready[1].next = !(self.refused[0].val() && !self.odd[1].val())
            && !(self.refused[1].val() && self.odd[1].val())
            && !(self.conflict.val() && !self.turn.q.val());
        for b in 0..2 {
            self.go[b].next = self.write_valid[b].val() && self.write_ready[b].val();
        }
        self.turn.d.next = self.turn.q.val();
        if self.conflict.val() && (self.go[0].val() || self.go[1].val()) {
            self.turn.d.next = !self.turn.q.val();
        }
        self.half[0].write.next =
            (self.go[0].val() && !self.odd[0].val()) || (self.go[1].val() && !self.odd[1].val());
        self.half[1].write.next =
            (self.go[0].val() && self.odd[0].val()) || (self.go[1].val() && self.odd[1].val());
        for b in 0..2 {
            self.half[b].write_row.next =
                bit_cast::<A, R>(self.write_row[1].val() >> self.above_parity.val());
            self.half[b].write_lanes.next = self.write_lanes[1].val();
        }
        if self.go[0].val() && !self.odd[0].val() {
            self.half[0].write_row.next =
                bit_cast::<A, R>(self.write_row[0].val() >> self.above_parity.val());
            self.half[0].write_lanes.next = self.write_lanes[0].val();
        }
        if self.go[0].val() && self.odd[0].val() {
            self.half[1].write_row.next =
                bit_cast::<A, R>(self.write_row[0].val() >> self.above_parity.val());
            self.half[1].write_lanes.next = self.write_lanes[0].val();
        }

        // Clearing: the walk leaves its group if that is cleared, and goes on elsewhere.
        self.clearing_first.d.next = self.highest.val();
        self.clearing_last.d.next = self.lowest.val();
        if self.clear_valid.val() {
            self.clearing_first.d.next = self.clear_first.val();
            self.clearing_last.d.next = self.clear_last.val();
        }
        self.cleared.first.next = self.clearing_first.q.val();
        self.cleared.beyond.next = false;
        self.cleared.last.next = self.clearing_last.q.val();
        self.clears_here.next = (self.clearing_first.q.val() <= self.place.q.val())
            && (self.place.q.val() <= self.clearing_last.q.val());
        self.clears_next.next = (self.clearing_first.q.val() <= self.search.group.val())
            && (self.search.group.val() <= self.clearing_last.q.val());
        self.leave.next = self.clears_here.val();
        if self.load.val() {
            self.leave.next = self.clears_next.val();
        }
        for b in 0..2 {
            self.half[b].leave.next = self.leave.val();
            for i in 0..G {
                self.half[b].clear[i].next = self.cleared.covered[i].val();
            }
        }

        // The walk takes a row when its half takes no write, and there is room for the offer.
        for i in 0..B {
            self.next.request[2 * i].next = self.half[0].held.val().get_bit(i);
            self.next.request[2 * i + 1].next = self.half[1].held.val().get_bit(i);
        }
        self.some.next = self.half[0].held.val().any() || self.half[1].held.val().any();
        for i in 0..P {
            self.left.of[i].next = self.next.request[i].val() && !self.next.grant[i].val();
        }
        self.next_odd.next = self.next.index.val().get_bit(0);
        self.next_row.next = bit_cast::<R, Q>(self.next.index.val())
            | (bit_cast::<R, U>(self.place.q.val()) << self.above.val());
        self.blocked.next = (self.half[0].writing.val() && !self.next_odd.val())
            || (self.half[1].writing.val() && self.next_odd.val());
        self.take.next = self.some.val()
            && !self.blocked.val()
            && !self.clears_here.val()
            && (!self.offering.q.val() || self.dirty_ready.val());
        self.half[0].take.next = self.take.val() && !self.next_odd.val();
        self.half[1].take.next = self.take.val() && self.next_odd.val();
        for b in 0..2 {
            self.half[b].take_row.next =
                bit_cast::<A, R>(self.next_row.val() >> self.above_parity.val());
            self.half[b].saves.next = self.saves.q.val();
            self.half[b].next_group.next = self.search.group.val();
            self.half[b].load.next = self.load.val();
        }
        self.taken.d.next = self.take.val();
        self.row.d.next = self.row.q.val();
        if self.take.val() {
            self.row.d.next = self.next_row.val();
        }
        self.offering.d.next = (self.take.val() && self.saves.q.val())
            || (self.offering.q.val() && !self.dirty_ready.val());

        // It comes to the next group when it has taken the last row of one.
        self.load.next = (self.step.q.val() == Step::Walking)
            && self.search.found.val()
            && (!self.some.val() || (self.take.val() && !self.left.any.val()));
        self.search.load.next = self.load.val();
        self.place.d.next = self.place.q.val();
        if self.load.val() {
            self.place.d.next = self.search.group.val();
        }
        for i in 0..G {
            self.search.some[i].next = self.half[0].some[i].val() || self.half[1].some[i].val();
        }

        // The offer, and what was taken in all.
        self.lanes.next = self.half[0].lanes.val();
        if self.row.q.val().get_bit(0) {
            self.lanes.next = self.half[1].lanes.val();
        }
        self.dirty_valid.next = self.offering.q.val();
        self.dirty_row.next = self.no_row.val();
        self.dirty_lanes.next = self.idle_lanes.val();
        if self.offering.q.val() {
            self.dirty_row.next = self.row.q.val();
            self.dirty_lanes.next = self.lanes.val();
        }
        self.counts.begin.next = self.begin.val();
        self.counts.row.next = self.taken.q.val();
        self.counts.lanes.next = self.lanes.val();
        self.total_valid.next = self.step.q.val() == Step::Telling;
        self.total_rows.next = self.no_rows.val();
        self.total_lanes.next = self.no_lanes.val();
        if self.step.q.val() == Step::Telling {
            self.total_rows.next = self.counts.row_count.val();
            self.total_lanes.next = self.counts.lane_count.val();
        }

        // From one walk to the next.
        self.walk_ready.next = self.step.q.val() == Step::Idle;
        self.begin.next = self.walk_valid.val() && self.walk_ready.val();
        self.search.begin.next = self.begin.val();
        self.search.first.next = self.walk_first.val();
        self.search.last.next = self.walk_last.val();
        self.saves.d.next = self.saves.q.val();
        self.step.d.next = self.step.q.val();
        if self.begin.val() {
            self.saves.d.next = self.walk_saves.val();
            self.step.d.next = Step::Walking;
        }
        if (self.step.q.val() == Step::Walking)
            && self.search.done.val()
            && !self.some.val()
            && !self.taken.q.val()
            && !self.offering.q.val()
        {
            self.step.d.next = Step::Telling;
        }
        if (self.step.q.val() == Step::Telling) && self.total_ready.val() {
            self.step.d.next = Step::Idle;
        }
    }
}

#![doc = include_str!("../../../docs/blocks/dirty_bits.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::or_tree::OrTree;
use crate::primitives::range_mask::RangeMask;
use crate::primitives::register::Register;

mod group;
mod half;
mod search;
mod total;

use half::Half;
use search::Search;
use total::Total;

/// Step of the walk over the rows.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Step {
    /// No walk is under way.
    Idle,
    /// Dirty rows are offered, one after the other.
    Walking,
    /// The total is valid.
    Total,
}

/// Dirty-bit register file: records which registers were written since they were last saved, and lists them. Rows with
/// numbers of `ROW` bits. `GROUPS` groups with numbers of `GROUP` bits, each of `GROUP_ROWS` rows with numbers of
/// `GROUP_ROW` bits. A half has rows with numbers of `HALF_ROW` bits, and `HALF_GROUP_ROWS` of a group, with numbers of
/// `HALF_GROUP_ROW` bits. `LANES` lanes, of which those of a row are counted in `ROW_LANE_COUNT` bits; counts of all
/// rows of `ROW_COUNT` bits, of all lanes of `LANE_COUNT`.
#[block(top, new(by_lane: bool))]
#[check(HALF_ROW + 1 == ROW && GROUP + GROUP_ROW == ROW && 1 << GROUP_ROW == GROUP_ROWS, "{ROW}, {GROUP} and {GROUP_ROW} bits do not number rows, groups, and the {GROUP_ROWS} rows of a group")]
#[check(ROW < ROW_COUNT && LANES << ROW < 1 << LANE_COUNT, "{ROW_COUNT} and {LANE_COUNT} bits do not count all rows and lanes")]
pub struct DirtyBits<
    const ROW: usize,
    const GROUPS: usize,
    const GROUP: usize,
    const GROUP_ROWS: usize,
    const GROUP_ROW: usize,
    const HALF_GROUP_ROWS: usize,
    const HALF_GROUP_ROW: usize,
    const HALF_ROW: usize,
    const LANES: usize,
    const ROW_LANE_COUNT: usize,
    const ROW_COUNT: usize,
    const LANE_COUNT: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: clears every dirty bit and ends a walk.
    pub reset: Signal<In, Bit>,

    /// A register is written back, one bit for each port.
    pub write_valid: [Signal<In, Bit>; 2],
    /// Row that each port writes.
    pub write_row: [Signal<In, Bits<ROW>>; 2],
    /// Lanes that each port writes.
    pub write_lanes: [Signal<In, Bits<LANES>>; 2],
    /// A warp has ended and its dirty bits are cleared; always taken.
    pub clear_valid: Signal<In, Bit>,
    /// First group of the ended warp's registers.
    pub clear_first: Signal<In, Bits<GROUP>>,
    /// Last group of the ended warp's registers.
    pub clear_last: Signal<In, Bits<GROUP>>,
    /// Request for the dirty rows of a range of groups.
    pub walk_valid: Signal<In, Bit>,
    /// First group of the walk.
    pub walk_first: Signal<In, Bits<GROUP>>,
    /// Last group of the walk.
    pub walk_last: Signal<In, Bits<GROUP>>,
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
    pub dirty_row: Signal<Out, Bits<ROW>>,
    /// Dirty lanes of the row, one bit each; all lanes where lanes are not followed.
    pub dirty_lanes: Signal<Out, Bits<LANES>>,
    /// The walk has ended.
    pub total_valid: Signal<Out, Bit>,
    /// Dirty rows that the walk found.
    pub total_rows: Signal<Out, Bits<ROW_COUNT>>,
    /// Dirty lanes that the walk found.
    pub total_lanes: Signal<Out, Bits<LANE_COUNT>>,

    // The port that goes first if both write to rows of one half.
    turn: Register<Bit>,

    // Groups that are cleared: without a clear, from the highest to the lowest, which are none.
    clearing_first: Register<Bits<GROUP>>,
    clearing_last: Register<Bits<GROUP>>,

    // The walk, the group that it has come to, and the row that it took last, which it offers if it saves.
    step: Register<Step>,
    saves: Register<Bit>,
    place: Register<Bits<GROUP>>,
    taken: Register<Bit>,
    row: Register<Bits<ROW>>,
    offering: Register<Bit>,

    #[init([Half::new(by_lane), Half::new(by_lane)])]
    half: [Half<HALF_ROW, GROUPS, GROUP, HALF_GROUP_ROWS, HALF_GROUP_ROW, LANES>; 2],
    search: Search<GROUPS, GROUP>,
    counts: Total<LANES, ROW_LANE_COUNT, ROW_COUNT, LANE_COUNT>,

    #[init(Constant::new((GROUP_ROW as LiteralType).into()))]
    above: Constant<Bits<ROW>>,
    #[init(Constant::new(1.into()))]
    above_parity: Constant<Bits<ROW>>,
    #[init(Constant::new(((GROUPS - 1) as LiteralType).into()))]
    highest: Constant<Bits<GROUP>>,
    #[init(Constant::new(0.into()))]
    lowest: Constant<Bits<GROUP>>,
    #[init(Constant::new(0.into()))]
    no_row: Constant<Bits<ROW>>,
    // All lanes, where they are not followed.
    #[init(Constant::new(if by_lane { Bits::default() } else { !Bits::default() }))]
    idle_lanes: Constant<Bits<LANES>>,
    #[init(Constant::new(0.into()))]
    no_rows: Constant<Bits<ROW_COUNT>>,
    #[init(Constant::new(0.into()))]
    no_lanes: Constant<Bits<LANE_COUNT>>,

    cleared: RangeMask<GROUPS, GROUP>,
    next: FixedPriorityArbiter<GROUP_ROWS, GROUP_ROW, false>,
    left: OrTree<GROUP_ROWS>,
    odd: [Signal<Local, Bit>; 2],
    conflict: Signal<Local, Bit>,
    refused: [Signal<Local, Bit>; 2],
    go: [Signal<Local, Bit>; 2],
    some: Signal<Local, Bit>,
    next_odd: Signal<Local, Bit>,
    next_row: Signal<Local, Bits<ROW>>,
    blocked: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    clears_here: Signal<Local, Bit>,
    clears_next: Signal<Local, Bit>,
    leave: Signal<Local, Bit>,
    begin: Signal<Local, Bit>,
    lanes: Signal<Local, Bits<LANES>>,
}

impl<
    const ROW: usize,
    const GROUPS: usize,
    const GROUP: usize,
    const GROUP_ROWS: usize,
    const GROUP_ROW: usize,
    const HALF_GROUP_ROWS: usize,
    const HALF_GROUP_ROW: usize,
    const HALF_ROW: usize,
    const LANES: usize,
    const ROW_LANE_COUNT: usize,
    const ROW_COUNT: usize,
    const LANE_COUNT: usize,
> Logic
    for DirtyBits<
        ROW,
        GROUPS,
        GROUP,
        GROUP_ROWS,
        GROUP_ROW,
        HALF_GROUP_ROWS,
        HALF_GROUP_ROW,
        HALF_ROW,
        LANES,
        ROW_LANE_COUNT,
        ROW_COUNT,
        LANE_COUNT,
    >
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
        if self.conflict.val() && (self.go[0].val() || self.go[1].val()) {
            self.turn.d.next = !self.turn.q.val();
        }
        self.half[0].write.next =
            (self.go[0].val() && !self.odd[0].val()) || (self.go[1].val() && !self.odd[1].val());
        self.half[1].write.next =
            (self.go[0].val() && self.odd[0].val()) || (self.go[1].val() && self.odd[1].val());
        for b in 0..2 {
            self.half[b].write_row.next =
                bit_cast::<HALF_ROW, ROW>(self.write_row[1].val() >> self.above_parity.val());
            self.half[b].write_lanes.next = self.write_lanes[1].val();
        }
        if self.go[0].val() && !self.odd[0].val() {
            self.half[0].write_row.next =
                bit_cast::<HALF_ROW, ROW>(self.write_row[0].val() >> self.above_parity.val());
            self.half[0].write_lanes.next = self.write_lanes[0].val();
        }
        if self.go[0].val() && self.odd[0].val() {
            self.half[1].write_row.next =
                bit_cast::<HALF_ROW, ROW>(self.write_row[0].val() >> self.above_parity.val());
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
            for i in 0..GROUPS {
                self.half[b].clear[i].next = self.cleared.covered[i].val();
            }
        }

        // The walk takes a row when its half takes no write, and there is room for the offer.
        for i in 0..HALF_GROUP_ROWS {
            self.next.request[2 * i].next = self.half[0].held.val().get_bit(i);
            self.next.request[2 * i + 1].next = self.half[1].held.val().get_bit(i);
        }
        self.some.next = self.half[0].held.val().any() || self.half[1].held.val().any();
        for i in 0..GROUP_ROWS {
            self.left.of[i].next = self.next.request[i].val() && !self.next.grant[i].val();
        }
        self.next_odd.next = self.next.index.val().get_bit(0);
        self.next_row.next = bit_cast::<ROW, GROUP_ROW>(self.next.index.val())
            | (bit_cast::<ROW, GROUP>(self.place.q.val()) << self.above.val());
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
                bit_cast::<HALF_ROW, ROW>(self.next_row.val() >> self.above_parity.val());
            self.half[b].saves.next = self.saves.q.val();
            self.half[b].next_group.next = self.search.group.val();
            self.half[b].load.next = self.load.val();
        }
        self.taken.d.next = self.take.val();
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
        if self.load.val() {
            self.place.d.next = self.search.group.val();
        }
        for i in 0..GROUPS {
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
        self.total_valid.next = self.step.q.val() == Step::Total;
        self.total_rows.next = self.no_rows.val();
        self.total_lanes.next = self.no_lanes.val();
        if self.step.q.val() == Step::Total {
            self.total_rows.next = self.counts.row_count.val();
            self.total_lanes.next = self.counts.lane_count.val();
        }

        // From one walk to the next.
        self.walk_ready.next = self.step.q.val() == Step::Idle;
        self.begin.next = self.walk_valid.val() && self.walk_ready.val();
        self.search.begin.next = self.begin.val();
        self.search.first.next = self.walk_first.val();
        self.search.last.next = self.walk_last.val();
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
            self.step.d.next = Step::Total;
        }
        if (self.step.q.val() == Step::Total) && self.total_ready.val() {
            self.step.d.next = Step::Idle;
        }
    }
}

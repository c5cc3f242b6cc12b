//! One half of the rows: those with even numbers, or those with odd ones. One access in a cycle: a write, or the walk.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::ones;

use crate::primitives::masked_memory::MaskedMemory;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

use super::group::Group;

/// One half of the rows, those with even or those with odd numbers: a write or the walk in a cycle. Rows with numbers
/// of `HALF_ROW` bits, in `GROUPS` groups with numbers of `GROUP` bits, each of `HALF_GROUP_ROWS` rows with numbers of
/// `HALF_GROUP_ROW` bits; `LANES` lanes.
#[block(new(by_lane: bool))]
#[check(1 << GROUP == GROUPS && 1 << HALF_GROUP_ROW == HALF_GROUP_ROWS && GROUP + HALF_GROUP_ROW == HALF_ROW, "{HALF_ROW}, {GROUP} and {HALF_GROUP_ROW} bits do not number {GROUPS} groups of {HALF_GROUP_ROWS} rows")]
pub struct Half<
    const HALF_ROW: usize,
    const GROUPS: usize,
    const GROUP: usize,
    const HALF_GROUP_ROWS: usize,
    const HALF_GROUP_ROW: usize,
    const LANES: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A write is accepted, and acts in the next cycle.
    pub write: Signal<In, Bit>,
    /// Row that is written.
    pub write_row: Signal<In, Bits<HALF_ROW>>,
    /// Lanes that are written, one bit each; there may be none.
    pub write_lanes: Signal<In, Bits<LANES>>,
    /// Groups whose rows become clean, one bit each.
    pub clear: [Signal<In, Bit>; GROUPS],
    /// Group to which the walk comes next.
    pub next_group: Signal<In, Bits<GROUP>>,
    /// The walk comes to the group in `next_group`.
    pub load: Signal<In, Bit>,
    /// The walk takes no more rows of its group, because the group is cleared.
    pub leave: Signal<In, Bit>,
    /// The walk takes a row.
    pub take: Signal<In, Bit>,
    /// Row that the walk takes.
    pub take_row: Signal<In, Bits<HALF_ROW>>,
    /// The walk is a save, and the row that it takes becomes clean.
    pub saves: Signal<In, Bit>,
    /// A write acts, and the walk cannot take a row of this half.
    pub writing: Signal<Out, Bit>,
    /// Groups with a dirty row, one bit each.
    pub some: [Signal<Out, Bit>; GROUPS],
    /// Rows of the walk's group that the walk has still to take, one bit each.
    pub held: Signal<Out, Bits<HALF_GROUP_ROWS>>,
    /// Dirty lanes of the row that was taken last, one bit each; all lanes where lanes are not followed.
    pub lanes: Signal<Out, Bits<LANES>>,

    acts: Register<Bit>,
    acting_row: Register<Bits<HALF_ROW>>,
    acting_lanes: Register<Bits<LANES>>,
    rows: Register<Bits<HALF_GROUP_ROWS>>,
    group: [Group<HALF_GROUP_ROWS>; GROUPS],
    #[used(self.by_lane.val().any())]
    bits: MaskedMemory<LANES, HALF_ROW>,

    // Without bits for lanes nothing looks at the memory, and synthesis removes it.
    #[init(Constant::new(if by_lane { ones(LANES) } else { 0 }.into()))]
    by_lane: Constant<Bits<LANES>>,
    #[init(Constant::new(ones(LANES).into()))]
    all: Constant<Bits<LANES>>,
    #[init(Constant::new(1.into()))]
    first: Constant<Bits<HALF_GROUP_ROWS>>,
    #[init(Constant::new(0.into()))]
    none: Constant<Bits<HALF_GROUP_ROWS>>,
    #[init(Constant::new((HALF_GROUP_ROW as LiteralType).into()))]
    above: Constant<Bits<HALF_ROW>>,

    was: OrTree<GROUPS>,
    next_rows: OneHotMux<GROUPS, Bits<HALF_GROUP_ROWS>>,
    acting_group: Signal<Local, Bits<GROUP>>,
    written_row: Signal<Local, Bits<HALF_GROUP_ROWS>>,
    taken_group: Signal<Local, Bits<GROUP>>,
    taken_row: Signal<Local, Bits<HALF_GROUP_ROWS>>,
    saved_row: Signal<Local, Bits<HALF_GROUP_ROWS>>,
}

impl<
    const HALF_ROW: usize,
    const GROUPS: usize,
    const GROUP: usize,
    const HALF_GROUP_ROWS: usize,
    const HALF_GROUP_ROW: usize,
    const LANES: usize,
> Logic for Half<HALF_ROW, GROUPS, GROUP, HALF_GROUP_ROWS, HALF_GROUP_ROW, LANES>
{
    #[logic]
    fn update(&mut self) {
        // What was accepted acts.
        self.acts.d.next = self.write.val() && self.write_lanes.val().any();
        self.acting_row.d.next = self.write_row.val();
        self.acting_lanes.d.next = self.write_lanes.val();
        self.writing.next = self.acts.q.val();
        self.acting_group.next =
            bit_cast::<GROUP, HALF_ROW>(self.acting_row.q.val() >> self.above.val());
        self.written_row.next = self.none.val();
        if self.acts.q.val() {
            self.written_row.next = self.first.val()
                << bit_cast::<HALF_GROUP_ROWS, HALF_GROUP_ROW>(
                    bit_cast::<HALF_GROUP_ROW, HALF_ROW>(self.acting_row.q.val()),
                );
        }
        self.taken_group.next =
            bit_cast::<GROUP, HALF_ROW>(self.take_row.val() >> self.above.val());
        self.taken_row.next = self.first.val()
            << bit_cast::<HALF_GROUP_ROWS, HALF_GROUP_ROW>(bit_cast::<HALF_GROUP_ROW, HALF_ROW>(
                self.take_row.val(),
            ));
        self.saved_row.next = self.none.val();
        if self.take.val() && self.saves.val() {
            self.saved_row.next = self.taken_row.val();
        }

        // Late signals, that there is a write or that a row is taken, go to all groups with the row.
        for i in 0..GROUPS {
            self.group[i].write.next = self.acting_group.val() == i.to_bits::<GROUP>();
            self.group[i].written_row.next = self.written_row.val();
            self.group[i].take.next = self.taken_group.val() == i.to_bits::<GROUP>();
            self.group[i].taken_row.next = self.saved_row.val();
            self.group[i].clear.next = self.clear[i].val();
            self.some[i].next = self.group[i].some.val();
            self.was.of[i].next = self.group[i].was.val();
            self.next_rows.choose[i].next = self.next_group.val() == i.to_bits::<GROUP>();
            self.next_rows.of[i].next = self.group[i].rows.val();
        }

        // The rows that the walk has before it.
        if self.take.val() {
            self.rows.d.next = self.rows.q.val() & !self.taken_row.val();
        }
        if self.load.val() {
            self.rows.d.next = self.next_rows.chosen.val();
        }
        if self.leave.val() {
            self.rows.d.next = self.none.val();
        }
        self.held.next = self.rows.q.val();

        // The lanes of a row that was not dirty are stale, and are overwritten.
        self.bits.enable.next = self.acts.q.val() || self.take.val();
        self.bits.write.next = self.acts.q.val();
        self.bits.address.next = self.take_row.val();
        if self.acts.q.val() {
            self.bits.address.next = self.acting_row.q.val();
        }
        self.bits.data.next = self.acting_lanes.q.val();
        self.bits.mask.next = self.all.val();
        if self.was.any.val() {
            self.bits.mask.next = self.acting_lanes.q.val();
        }
        self.lanes.next = (self.bits.q.val() & self.by_lane.val()) | !self.by_lane.val();
    }
}

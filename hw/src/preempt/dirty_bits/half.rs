//! One half of the rows: those with even numbers, or those with odd ones. One access in a cycle: a write, or the walk.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::ones;

use crate::primitives::any_of::AnyOf;
use crate::primitives::masked_memory::MaskedMemory;
use crate::primitives::register::Register;
use crate::primitives::select::Select;

use super::group::Group;

/// Rows with `A`-bit numbers in `G` groups with `U`-bit numbers, each of `B` rows with `V`-bit numbers; `L` lanes.
#[block(new(by_lane: bool))]
#[check(1 << U == G && 1 << V == B && U + V == A, "{A}, {U} and {V} bits do not number {G} groups of {B} rows")]
pub struct Half<
    const A: usize,
    const G: usize,
    const U: usize,
    const B: usize,
    const V: usize,
    const L: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A write is accepted, and acts in the next cycle:
    pub write: Signal<In, Bit>,
    /// of this row,
    pub write_row: Signal<In, Bits<A>>,
    /// in these lanes, of which there may be none.
    pub write_lanes: Signal<In, Bits<L>>,
    /// Groups that are forgotten.
    pub clear: [Signal<In, Bit>; G],
    /// The group that the walk comes to next,
    pub next_group: Signal<In, Bits<U>>,
    /// and that it comes to it now.
    pub load: Signal<In, Bit>,
    /// It leaves its group.
    pub leave: Signal<In, Bit>,
    /// The walk takes a row,
    pub take: Signal<In, Bit>,
    /// this one,
    pub take_row: Signal<In, Bits<A>>,
    /// which is dirty no more.
    pub saves: Signal<In, Bit>,
    /// A write acts: the walk cannot take a row.
    pub writing: Signal<Out, Bit>,
    /// Groups with a dirty row.
    pub some: [Signal<Out, Bit>; G],
    /// The rows of its group that the walk has still to take.
    pub held: Signal<Out, Bits<B>>,
    /// The lanes of the row that was taken last.
    pub lanes: Signal<Out, Bits<L>>,

    acts: Register<Bit>,
    acting_row: Register<Bits<A>>,
    acting_lanes: Register<Bits<L>>,
    rows: Register<Bits<B>>,
    group: [Group<B>; G],
    #[used(self.by_lane.val().any())]
    bits: MaskedMemory<L, A>,

    // Without bits for lanes nothing looks at the memory, and synthesis removes it.
    #[init(Constant::new(if by_lane { ones(L) } else { 0 }.into()))]
    by_lane: Constant<Bits<L>>,
    #[init(Constant::new(ones(L).into()))]
    all: Constant<Bits<L>>,
    #[init(Constant::new(1.into()))]
    first: Constant<Bits<B>>,
    #[init(Constant::new(0.into()))]
    none: Constant<Bits<B>>,
    #[init(Constant::new((V as LiteralType).into()))]
    above: Constant<Bits<A>>,

    was: AnyOf<G>,
    next_rows: Select<G, Bits<B>>,
    acting_group: Signal<Local, Bits<U>>,
    written_row: Signal<Local, Bits<B>>,
    taken_group: Signal<Local, Bits<U>>,
    taken_row: Signal<Local, Bits<B>>,
    saved_row: Signal<Local, Bits<B>>,
}

impl<const A: usize, const G: usize, const U: usize, const B: usize, const V: usize, const L: usize>
    Logic for Half<A, G, U, B, V, L>
{
    #[logic]
    fn update(&mut self) {
        // What was accepted acts.
        self.acts.d.next = self.write.val() && self.write_lanes.val().any();
        self.acting_row.d.next = self.write_row.val();
        self.acting_lanes.d.next = self.write_lanes.val();
        self.writing.next = self.acts.q.val();
        self.acting_group.next = bit_cast::<U, A>(self.acting_row.q.val() >> self.above.val());
        self.written_row.next = self.none.val();
        if self.acts.q.val() {
            self.written_row.next =
                self.first.val() << bit_cast::<B, V>(bit_cast::<V, A>(self.acting_row.q.val()));
        }
        self.taken_group.next = bit_cast::<U, A>(self.take_row.val() >> self.above.val());
        self.taken_row.next =
            self.first.val() << bit_cast::<B, V>(bit_cast::<V, A>(self.take_row.val()));
        self.saved_row.next = self.none.val();
        if self.take.val() && self.saves.val() {
            self.saved_row.next = self.taken_row.val();
        }

        // What comes late, that there is a write or that a row is taken, goes to all groups with the row.
        for i in 0..G {
            self.group[i].write.next = self.acting_group.val() == i.to_bits::<U>();
            self.group[i].written_row.next = self.written_row.val();
            self.group[i].take.next = self.taken_group.val() == i.to_bits::<U>();
            self.group[i].taken_row.next = self.saved_row.val();
            self.group[i].clear.next = self.clear[i].val();
            self.some[i].next = self.group[i].some.val();
            self.was.of[i].next = self.group[i].was.val();
            self.next_rows.choose[i].next = self.next_group.val() == i.to_bits::<U>();
            self.next_rows.of[i].next = self.group[i].rows.val();
        }

        // The rows that the walk has before it.
        self.rows.d.next = self.rows.q.val();
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

        // The lanes of a row that was not dirty are those of long ago, and are overwritten.
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

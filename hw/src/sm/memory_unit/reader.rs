//! The line memory, and what reads it: the lines of checked accesses for the cache, and lines that are checked again.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::ENTRY_BITS;
use crate::primitives::memory::Memory;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::register::Register;

/// The reader of the line memory: two banks with addresses of `ADDRESS` bits, whose words have two halves, one of `ROW` bits
/// for the line and one of `LANES` bits for its lanes and its frame. Accesses with numbers
/// of `ACCESS` bits; lines with numbers of `LANE` bits in an access, counted in `LANE_COUNT` bits; warps with numbers of
/// `WARP` bits.
#[block]
pub struct Reader<
    const ACCESS: usize,
    const LANE: usize,
    const LANE_COUNT: usize,
    const WARP: usize,
    const ROW: usize,
    const LANES: usize,
    const ADDRESS: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// An access passes, and is to be read for the cache.
    pub passes: Signal<In, Bit>,
    /// Number of the access that passes.
    pub pass_number: Signal<In, Bits<ACCESS>>,
    /// Lines of the access that passes.
    pub pass_lines: Signal<In, Bits<LANE_COUNT>>,
    /// The access that passes has lanes.
    pub pass_lanes: Signal<In, Bit>,
    /// Warp of the access that passes.
    pub pass_warp: Signal<In, Bits<WARP>>,
    /// Scoreboard entry of the access that passes.
    pub pass_entry: Signal<In, Bits<ENTRY_BITS>>,
    /// The access that passes is a store.
    pub pass_store: Signal<In, Bit>,
    /// The pipeline takes the message that the access passes.
    pub checked_ready: Signal<In, Bit>,
    /// An access is to be checked again.
    pub again: Signal<In, Bit>,
    /// Number of the access that is to be checked again.
    pub again_number: Signal<In, Bits<ACCESS>>,
    /// Lines of the access that is to be checked again.
    pub again_lines: Signal<In, Bits<LANE_COUNT>>,
    /// Line of it with which the re-check begins.
    pub again_first: Signal<In, Bits<LANE>>,
    /// The access that is to be checked again is a store.
    pub again_store: Signal<In, Bit>,
    /// Each line of it is to be checked, not only those that were refused.
    pub again_all: Signal<In, Bit>,
    /// Translations are invalidated: what is being checked again begins once more.
    pub invalidates: Signal<In, Bit>,
    /// The re-check of the access in `give_up_number` ends, because a line was refused once more.
    pub gives_up: Signal<In, Bit>,
    /// Number of the access whose re-check ends.
    pub give_up_number: Signal<In, Bits<ACCESS>>,
    /// An answered line is written.
    pub writes: Signal<In, Bit>,
    /// Number of the access of the written line.
    pub write_number: Signal<In, Bits<ACCESS>>,
    /// Number of the written line in its access.
    pub write_line: Signal<In, Bits<LANE>>,
    /// Half of the written word that has the line; its highest bit says that the line was refused.
    pub write_row: Signal<In, Bits<ROW>>,
    /// Half of the written word that has lanes and frame.
    pub write_lanes: Signal<In, Bits<LANES>>,
    /// The cache takes the line.
    pub line_ready: Signal<In, Bit>,
    /// The check of the line that is shown is taken.
    pub check_taken: Signal<In, Bit>,
    /// The message that the access passes is on offer.
    pub checked_valid: Signal<Out, Bit>,
    /// The access that is to be checked again is taken.
    pub again_begins: Signal<Out, Bit>,
    /// A line for the cache is shown.
    pub performs: Signal<Out, Bit>,
    /// A line is shown that is to be checked again.
    pub checks: Signal<Out, Bit>,
    /// The last line of a re-check leaves without a check.
    pub skips_last: Signal<Out, Bit>,
    /// The last line of a checked access leaves.
    pub last_leaves: Signal<Out, Bit>,
    /// Half of the shown word that has the line; 0 without one.
    pub row: Signal<Out, Bits<ROW>>,
    /// Half of the shown word that has lanes and frame; 0 without one.
    pub lanes_and_frame: Signal<Out, Bits<LANES>>,
    /// Each line of the shown access is checked again.
    pub shown_all: Signal<Out, Bit>,
    /// Number of the shown access.
    pub shown_number: Signal<Out, Bits<ACCESS>>,
    /// Number of the shown line in its access.
    pub shown_line: Signal<Out, Bits<LANE>>,
    /// The shown line is the last one of its access.
    pub shown_last: Signal<Out, Bit>,
    /// Warp of the shown line for the cache.
    pub shown_warp: Signal<Out, Bits<WARP>>,
    /// Scoreboard entry of the shown line for the cache.
    pub shown_entry: Signal<Out, Bits<ENTRY_BITS>>,
    /// The shown line's access is a store.
    pub shown_store: Signal<Out, Bit>,

    // The access that is read.
    busy: Register<Bit>,
    rechecks: Register<Bit>,
    all: Register<Bit>,
    lanes: Register<Bit>,
    number: Register<Bits<ACCESS>>,
    next: Register<Bits<LANE_COUNT>>,
    lines: Register<Bits<LANE_COUNT>>,
    warp: Register<Bits<WARP>>,
    entry: Register<Bits<ENTRY_BITS>>,
    store: Register<Bit>,
    // A checked access began last; its message was on offer, and was not taken.
    performed: Register<Bit>,
    held: Register<Bit>,

    // The word that is shown.
    shown: Register<Bit>,
    is_again: Register<Bit>,
    is_all: Register<Bit>,
    has_lanes: Register<Bit>,
    is_last: Register<Bit>,
    of_number: Register<Bits<ACCESS>>,
    of_line: Register<Bits<LANE>>,
    of_bank: Register<Bit>,
    of_warp: Register<Bits<WARP>>,
    of_entry: Register<Bits<ENTRY_BITS>>,
    of_store: Register<Bit>,

    #[init([Memory::new(1 << ADDRESS, 1), Memory::new(1 << ADDRESS, 1)])]
    rows: [Memory<Bits<ROW>, ADDRESS, 1>; 2],
    #[init([Memory::new(1 << ADDRESS, 1), Memory::new(1 << ADDRESS, 1)])]
    frames: [Memory<Bits<LANES>, ADDRESS, 1>; 2],
    shows_row: OneHotMux<2, Bits<ROW>>,
    shows_frame: OneHotMux<2, Bits<LANES>>,
    #[init(Constant::new((LANE as LiteralType - 1).into()))]
    above_line: Constant<Bits<ADDRESS>>,
    #[init(Constant::new(1.into()))]
    one: Constant<Bits<LANE>>,
    #[init(Constant::new((ROW as LiteralType - 1).into()))]
    refused_bit: Constant<Bits<ROW>>,
    #[init(Constant::new(0.into()))]
    first: Constant<Bits<LANE_COUNT>>,
    read_bank: Signal<Local, Bit>,
    write_bank: Signal<Local, Bit>,
    bank_writes: [Signal<Local, Bit>; 2],
    bank_reads: [Signal<Local, Bit>; 2],
    shows: [Signal<Local, Bit>; 2],
    accesses: [Signal<Local, Bit>; 2],
    address: [Signal<Local, Bits<ADDRESS>>; 2],
    read_address: Signal<Local, Bits<ADDRESS>>,
    write_address: Signal<Local, Bits<ADDRESS>>,
    following: Signal<Local, Bits<LANE_COUNT>>,
    reads: Signal<Local, Bit>,
    reads_last: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    begins_again: Signal<Local, Bit>,
    ends_job: Signal<Local, Bit>,
    ends_shown: Signal<Local, Bit>,
    needs: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
}

impl<
    const ACCESS: usize,
    const LANE: usize,
    const LANE_COUNT: usize,
    const WARP: usize,
    const ROW: usize,
    const LANES: usize,
    const ADDRESS: usize,
> Logic for Reader<ACCESS, LANE, LANE_COUNT, WARP, ROW, LANES, ADDRESS>
{
    #[logic]
    fn update(&mut self) {
        // The word that is shown, and whether it leaves.
        for b in 0..2 {
            self.shows_row.of[b].next = self.rows[b].q[0].val();
            self.shows_frame.of[b].next = self.frames[b].q[0].val();
            self.shows_row.choose[b].next = self.shows[b].val();
            self.shows_frame.choose[b].next = self.shows[b].val();
        }
        self.shows[0].next = self.shown.q.val() && self.has_lanes.q.val() && !self.of_bank.q.val();
        self.shows[1].next = self.shown.q.val() && self.has_lanes.q.val() && self.of_bank.q.val();
        self.needs.next = self.is_all.q.val()
            || (self.shows_row.chosen.val() >> self.refused_bit.val()).get_bit(0);
        self.leaves.next = self.line_ready.val();
        if self.is_again.q.val() {
            self.leaves.next = !self.needs.val() || self.check_taken.val();
        }
        self.performs.next = self.shown.q.val() && !self.is_again.q.val();
        self.checks.next = self.shown.q.val() && self.is_again.q.val() && self.needs.val();
        self.skips_last.next = self.shown.q.val()
            && self.is_again.q.val()
            && !self.needs.val()
            && self.is_last.q.val();
        self.last_leaves.next = self.shown.q.val()
            && !self.is_again.q.val()
            && self.is_last.q.val()
            && self.line_ready.val();
        self.row.next = self.shows_row.chosen.val();
        self.lanes_and_frame.next = self.shows_frame.chosen.val();
        self.shown_all.next = self.is_all.q.val();
        self.shown_number.next = self.of_number.q.val();
        self.shown_line.next = self.of_line.q.val();
        self.shown_last.next = self.is_last.q.val();
        self.shown_warp.next = self.of_warp.q.val();
        self.shown_entry.next = self.of_entry.q.val();
        self.shown_store.next = self.of_store.q.val();

        // A line is in the bank of the parity of its number and its access's. A write has the bank before a read.
        self.read_bank.next = self.number.q.val().get_bit(0) ^ self.next.q.val().get_bit(0);
        self.write_bank.next =
            self.write_number.val().get_bit(0) ^ self.write_line.val().get_bit(0);
        self.read_address.next = (bit_cast::<ADDRESS, ACCESS>(self.number.q.val())
            << self.above_line.val())
            | bit_cast::<ADDRESS, LANE>(
                bit_cast::<LANE, LANE_COUNT>(self.next.q.val()) >> self.one.val(),
            );
        self.write_address.next = (bit_cast::<ADDRESS, ACCESS>(self.write_number.val())
            << self.above_line.val())
            | bit_cast::<ADDRESS, LANE>(self.write_line.val() >> self.one.val());
        self.reads.next = self.busy.q.val()
            && (!self.shown.q.val() || self.leaves.val())
            && !(self.lanes.q.val()
                && self.writes.val()
                && (self.write_bank.val() == self.read_bank.val()));
        self.following.next = self.next.q.val() + 1;
        self.reads_last.next = self.reads.val()
            && (!self.lanes.q.val() || (self.following.val() == self.lines.q.val()));
        self.bank_writes[0].next = self.writes.val() && !self.write_bank.val();
        self.bank_writes[1].next = self.writes.val() && self.write_bank.val();
        self.bank_reads[0].next = self.reads.val() && self.lanes.q.val() && !self.read_bank.val();
        self.bank_reads[1].next = self.reads.val() && self.lanes.q.val() && self.read_bank.val();
        for b in 0..2 {
            self.accesses[b].next = self.bank_writes[b].val() || self.bank_reads[b].val();
            self.address[b].next = self.read_address.val();
            if self.bank_writes[b].val() {
                self.address[b].next = self.write_address.val();
            }
        }
        for b in 0..2 {
            self.rows[b].enable.next = self.accesses[b].val();
            self.rows[b].write.next = self.bank_writes[b].val();
            self.rows[b].address.next = self.address[b].val();
            self.rows[b].data[0].next = self.write_row.val();
            self.frames[b].enable.next = self.accesses[b].val();
            self.frames[b].write.next = self.bank_writes[b].val();
            self.frames[b].address.next = self.address[b].val();
            self.frames[b].data[0].next = self.write_lanes.val();
        }

        // What is read next: in turn a checked access, whose message then goes out, and one that is checked again.
        self.takes.next = !self.busy.q.val() || self.reads_last.val();
        self.offers.next = self.passes.val()
            && self.takes.val()
            && (self.held.q.val() || !self.again.val() || !self.performed.q.val());
        self.begins.next = self.offers.val() && self.checked_ready.val();
        self.begins_again.next =
            self.again.val() && self.takes.val() && !self.offers.val() && !self.invalidates.val();
        self.checked_valid.next = self.offers.val();
        self.again_begins.next = self.begins_again.val();
        self.held.d.next = self.offers.val() && !self.checked_ready.val();

        self.ends_job.next = self.gives_up.val()
            && self.rechecks.q.val()
            && (self.number.q.val() == self.give_up_number.val());
        self.ends_shown.next = self.gives_up.val()
            && self.is_again.q.val()
            && (self.of_number.q.val() == self.give_up_number.val());
        if self.reads.val() {
            self.next.d.next = self.following.val();
        }
        if self.reads_last.val()
            || (self.invalidates.val() && self.rechecks.q.val())
            || self.ends_job.val()
        {
            self.busy.d.next = false;
        }
        if self.begins.val() {
            self.busy.d.next = true;
            self.rechecks.d.next = false;
            self.lanes.d.next = self.pass_lanes.val();
            self.number.d.next = self.pass_number.val();
            self.next.d.next = self.first.val();
            self.lines.d.next = self.pass_lines.val();
            self.warp.d.next = self.pass_warp.val();
            self.entry.d.next = self.pass_entry.val();
            self.store.d.next = self.pass_store.val();
            self.performed.d.next = true;
        }
        if self.begins_again.val() {
            self.busy.d.next = true;
            self.rechecks.d.next = true;
            self.all.d.next = self.again_all.val();
            self.lanes.d.next = true;
            self.number.d.next = self.again_number.val();
            self.next.d.next = bit_cast::<LANE_COUNT, LANE>(self.again_first.val());
            self.lines.d.next = self.again_lines.val();
            self.store.d.next = self.again_store.val();
            self.performed.d.next = false;
        }

        if self.leaves.val() {
            self.shown.d.next = false;
        }
        if self.reads.val() {
            self.shown.d.next = true;
            self.is_again.d.next = self.rechecks.q.val();
            self.is_all.d.next = self.all.q.val();
            self.has_lanes.d.next = self.lanes.q.val();
            self.is_last.d.next = self.reads_last.val();
            self.of_number.d.next = self.number.q.val();
            self.of_line.d.next = bit_cast::<LANE, LANE_COUNT>(self.next.q.val());
            self.of_bank.d.next = self.read_bank.val();
            self.of_warp.d.next = self.warp.q.val();
            self.of_entry.d.next = self.entry.q.val();
            self.of_store.d.next = self.store.q.val();
        }
        if (self.invalidates.val()
            && ((self.reads.val() && self.rechecks.q.val())
                || (!self.reads.val() && self.is_again.q.val())))
            || (self.reads.val() && self.ends_job.val())
            || (!self.reads.val() && self.ends_shown.val())
        {
            self.shown.d.next = false;
        }
    }
}

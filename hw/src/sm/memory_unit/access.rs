//! A global-memory instruction from its acceptance until its last line has left.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{ENTRY_BITS, PAGE_LINES, SLOT_BITS};
use crate::primitives::register::Register;

/// One of `ACCESSES` accesses: its tag, and what is known of it. `WARPS` warps with numbers of `WARP` bits, indices of the replay
/// queue of `INDEX` bits, lines with numbers of `LANE` bits, counted in `LANE_COUNT` bits.
#[block]
pub struct Access<
    const ACCESSES: usize,
    const WARPS: usize,
    const WARP: usize,
    const INDEX: usize,
    const LOG: usize,
    const LANE: usize,
    const LANE_COUNT: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// An instruction enters here.
    pub enters: Signal<In, Bit>,
    /// Warp of the instruction that is offered to the unit.
    pub new_warp: Signal<In, Bits<WARP>>,
    /// Thread-block slot of the offered instruction.
    pub new_slot: Signal<In, Bits<SLOT_BITS>>,
    /// Scoreboard entry of the offered instruction.
    pub new_entry: Signal<In, Bits<ENTRY_BITS>>,
    /// Replay-queue entry of the offered instruction.
    pub new_index: Signal<In, Bits<INDEX>>,
    /// Operand-log entry of the offered instruction's address.
    pub new_log_address: Signal<In, Bits<LOG>>,
    /// Operand-log entry of the offered instruction's store data.
    pub new_log_data: Signal<In, Bits<LOG>>,
    /// The offered instruction is a store.
    pub new_store: Signal<In, Bit>,
    /// The offered instruction has lanes.
    pub new_lanes: Signal<In, Bit>,
    /// Older accesses that the offered instruction notes, one bit each.
    pub new_notes: Signal<In, Bits<ACCESSES>>,
    /// The offered instruction follows a fault of this cycle.
    pub new_follows: Signal<In, Bit>,
    /// The last line of this access's request was answered.
    pub splits: Signal<In, Bit>,
    /// With `splits`, lines of this access.
    pub new_lines: Signal<In, Bits<LANE_COUNT>>,
    /// A line of this access was answered.
    pub line_answered: Signal<In, Bit>,
    /// Signature of the access whose line was answered, with this line.
    pub line_signature: Signal<In, Bits<PAGE_LINES>>,
    /// Accesses whose signatures have no bit in common with that, one bit each.
    pub apart: Signal<In, Bits<ACCESSES>>,
    /// A line of this access was denied.
    pub line_denied: Signal<In, Bit>,
    /// A line of this access found no page entry.
    pub line_refused: Signal<In, Bit>,
    /// Number of the line that is answered, in its access.
    pub line_number: Signal<In, Bits<LANE>>,
    /// A page is woken.
    pub wakes: Signal<In, Bit>,
    /// The translations of the SM's space are invalidated.
    pub invalidates: Signal<In, Bit>,
    /// This access is a member of a page entry that waits.
    pub waits: Signal<In, Bit>,
    /// This access is a member of a page entry that is absent.
    pub is_absent: Signal<In, Bit>,
    /// This access is a member of a page entry that is denied.
    pub is_denied: Signal<In, Bit>,
    /// A re-check of this access begins.
    pub again_begins: Signal<In, Bit>,
    /// The re-check of this access ends.
    pub again_ends: Signal<In, Bit>,
    /// Access that is decided, one bit each; 0 if none is.
    pub decided: Signal<In, Bits<ACCESSES>>,
    /// The decision is a fault.
    pub faulted: Signal<In, Bit>,
    /// This access is decided as checked.
    pub passes: Signal<In, Bit>,
    /// This access is on offer as checked.
    pub offered: Signal<In, Bit>,
    /// This access is looked at, and fails.
    pub failing: Signal<In, Bit>,
    /// This access has faulted, or its last line leaves.
    pub frees: Signal<In, Bit>,
    /// No access is here.
    pub free: Signal<Out, Bit>,
    /// An access is here that is not decided.
    pub undecided: Signal<Out, Bit>,
    /// The access here conflicts with the offered instruction, and is not decided.
    pub conflicts: Signal<Out, Bit>,
    /// The access can be decided.
    pub can: Signal<Out, Bit>,
    /// The access fails, if it can be decided.
    pub fails: Signal<Out, Bit>,
    /// The access is denied.
    pub denied: Signal<Out, Bit>,
    /// The access is to be checked again.
    pub wants_again: Signal<Out, Bit>,
    /// The access is being checked again.
    pub is_again: Signal<Out, Bit>,
    /// All lines of the access are to be checked again.
    pub stale: Signal<Out, Bit>,
    /// First line of the access that was refused.
    pub first_refused: Signal<Out, Bits<LANE>>,
    /// The access becomes stale in this cycle.
    pub spoils: Signal<Out, Bit>,
    /// A line of the access may leave with a translation from before the last invalidation.
    pub marked: Signal<Out, Bit>,
    /// Signature of the access.
    pub signature: Signal<Out, Bits<PAGE_LINES>>,
    /// The access's signature has no bit in common with that of the line.
    pub is_apart: Signal<Out, Bit>,
    /// Lines of the access, once it is split.
    pub lines: Signal<Out, Bits<LANE_COUNT>>,
    /// The access has lanes.
    pub lanes: Signal<Out, Bit>,
    /// Warp of the access.
    pub warp: Signal<Out, Bits<WARP>>,
    /// Warp of the access, one bit each.
    pub warp_bit: Signal<Out, Bits<WARPS>>,
    /// Thread-block slot of the access.
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Scoreboard entry of the access.
    pub entry: Signal<Out, Bits<ENTRY_BITS>>,
    /// Replay-queue entry of the access.
    pub index: Signal<Out, Bits<INDEX>>,
    /// Operand-log entry of the access's address.
    pub log_address: Signal<Out, Bits<LOG>>,
    /// Operand-log entry of the access's store data.
    pub log_data: Signal<Out, Bits<LOG>>,
    /// The access is a store.
    pub store: Signal<Out, Bit>,

    used: Register<Bit>,
    performing: Register<Bit>,
    split: Register<Bit>,
    is_stale: Register<Bit>,
    again: Register<Bit>,
    refused: Register<Bit>,
    refused_line: Register<Bits<LANE>>,
    retry: Register<Bit>,
    was_denied: Register<Bit>,
    follows: Register<Bit>,
    is_marked: Register<Bit>,
    notes: Register<Bits<ACCESSES>>,
    places: Register<Bits<PAGE_LINES>>,
    line_count: Register<Bits<LANE_COUNT>>,
    has_lanes: Register<Bit>,
    of_warp: Register<Bits<WARP>>,
    of_slot: Register<Bits<SLOT_BITS>>,
    of_entry: Register<Bits<ENTRY_BITS>>,
    of_index: Register<Bits<INDEX>>,
    of_log_address: Register<Bits<LOG>>,
    of_log_data: Register<Bits<LOG>>,
    is_store: Register<Bit>,

    #[init(Constant::new(0.into()))]
    no_place: Constant<Bits<PAGE_LINES>>,
    #[init(Constant::new(1.into()))]
    first_warp: Constant<Bits<WARPS>>,
    kept: Signal<Local, Bits<ACCESSES>>,
    open: Signal<Local, Bit>,
    failed: Signal<Local, Bit>,
    spoiled: Signal<Local, Bit>,
}

impl<
    const ACCESSES: usize,
    const WARPS: usize,
    const WARP: usize,
    const INDEX: usize,
    const LOG: usize,
    const LANE: usize,
    const LANE_COUNT: usize,
> Logic for Access<ACCESSES, WARPS, WARP, INDEX, LOG, LANE, LANE_COUNT>
{
    #[logic]
    fn update(&mut self) {
        self.open.next = self.used.q.val() && !self.performing.q.val();
        self.failed.next = self.follows.q.val()
            || self.was_denied.q.val()
            || self.is_absent.val()
            || self.is_denied.val();
        self.spoiled.next = self.invalidates.val()
            && self.open.val()
            && self.has_lanes.q.val()
            && !self.offered.val();

        self.free.next = !self.used.q.val();
        self.undecided.next = self.open.val();
        self.conflicts.next = self.open.val()
            && (self.of_warp.q.val() == self.new_warp.val())
            && (self.is_store.q.val() || self.new_store.val());
        self.can.next = self.open.val()
            && self.split.q.val()
            && !self.is_stale.q.val()
            && !self.again.q.val()
            && !self.notes.q.val().any()
            && (self.failed.val() || (!self.refused.q.val() && !self.waits.val()));
        self.fails.next = self.failed.val();
        self.denied.next = self.was_denied.q.val() || self.is_denied.val();
        self.wants_again.next = self.open.val()
            && self.split.q.val()
            && !self.again.q.val()
            && (self.is_stale.q.val()
                || (self.refused.q.val() && self.retry.q.val() && !self.failed.val()));
        self.is_again.next = self.open.val() && self.again.q.val();
        self.stale.next = self.is_stale.q.val();
        self.first_refused.next = self.refused_line.q.val();
        self.spoils.next = self.spoiled.val();
        self.marked.next = self.is_marked.q.val();
        self.signature.next = self.places.q.val();
        self.is_apart.next = !(self.places.q.val() & self.line_signature.val()).any();
        self.lines.next = self.line_count.q.val();
        self.lanes.next = self.has_lanes.q.val();
        self.warp.next = self.of_warp.q.val();
        self.warp_bit.next = self.first_warp.val() << bit_cast::<WARPS, WARP>(self.of_warp.q.val());
        self.slot.next = self.of_slot.q.val();
        self.entry.next = self.of_entry.q.val();
        self.index.next = self.of_index.q.val();
        self.log_address.next = self.of_log_address.q.val();
        self.log_data.next = self.of_log_data.q.val();
        self.store.next = self.is_store.q.val();

        // What its lines bring.
        if self.splits.val() {
            self.split.d.next = true;
            self.line_count.d.next = self.new_lines.val();
        }
        if self.line_answered.val() {
            self.places.d.next = self.line_signature.val();
        }
        if self.line_denied.val() {
            self.was_denied.d.next = true;
        }
        if self.line_refused.val() {
            self.refused.d.next = true;
        }
        if self.line_refused.val() && !self.refused.q.val() {
            self.refused_line.d.next = self.line_number.val();
        }
        if self.wakes.val() && self.refused.q.val() {
            self.retry.d.next = true;
        }
        if self.again_begins.val() {
            self.is_stale.d.next = false;
            self.refused.d.next = false;
            self.retry.d.next = false;
            self.again.d.next = true;
        }
        if self.again_ends.val() {
            self.again.d.next = false;
        }
        if self.spoiled.val() {
            self.is_stale.d.next = true;
            self.was_denied.d.next = false;
            self.refused.d.next = false;
            self.retry.d.next = false;
            self.again.d.next = false;
        }

        // Decisions, of this access and of older ones.
        self.kept.next = self.notes.q.val();
        if self.splits.val() {
            self.kept.next = self.notes.q.val() & !self.apart.val();
        }
        self.notes.d.next = self.kept.val() & !self.decided.val();
        if self.failing.val()
            || (self.faulted.val() && (self.kept.val() & self.decided.val()).any())
        {
            self.follows.d.next = true;
        }
        if self.passes.val() {
            self.performing.d.next = true;
        }
        if self.invalidates.val() && (self.performing.q.val() || self.offered.val()) {
            self.is_marked.d.next = true;
        }
        if self.frees.val() {
            self.used.d.next = false;
            self.performing.d.next = false;
            self.is_marked.d.next = false;
        }

        if self.enters.val() {
            self.used.d.next = true;
            self.split.d.next = !self.new_lanes.val();
            self.is_stale.d.next = false;
            self.again.d.next = false;
            self.refused.d.next = false;
            self.retry.d.next = false;
            self.was_denied.d.next = false;
            self.follows.d.next = self.new_follows.val();
            self.notes.d.next = self.new_notes.val();
            self.places.d.next = self.no_place.val();
            self.has_lanes.d.next = self.new_lanes.val();
            self.of_warp.d.next = self.new_warp.val();
            self.of_slot.d.next = self.new_slot.val();
            self.of_entry.d.next = self.new_entry.val();
            self.of_index.d.next = self.new_index.val();
            self.of_log_address.d.next = self.new_log_address.val();
            self.of_log_data.d.next = self.new_log_data.val();
            self.is_store.d.next = self.new_store.val();
        }
    }
}

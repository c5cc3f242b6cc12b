#![doc = include_str!("../../../docs/blocks/block_scheduler.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::matrix_arbiter::MatrixArbiter;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::one_hot_priority_encoder::OneHotPriorityEncoder;
use crate::primitives::or_tree::OrTree;
use crate::primitives::popcount::Popcount;
use crate::primitives::register::Register;
use crate::primitives::round_robin_arbiter::RoundRobinArbiter;

mod page;
mod slot;

use page::Page;
use slot::Slot;

/// What the checkpoint engine does.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Switch {
    /// Nothing.
    Idle,
    /// A block is offered to be saved.
    Leave,
    /// The block is being saved.
    Leaving,
    /// A block is offered to be restored.
    Enter,
    /// The block is being restored.
    Entering,
}

/// The request to the GPU for a new block.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Request {
    /// Nothing.
    Idle,
    /// A new block is wanted.
    Want,
    /// It was requested.
    Requested,
}

/// Local scheduler: keeps the active and the off-chip thread blocks of an SM, and the pages for which they wait.
/// `SLOTS` slots with numbers of `SLOT` bits, counted in `SLOT_COUNT` bits. `CONTEXTS` contexts with numbers of
/// `CONTEXT` bits and `PAIRS` pairs. `PAGES` pages with numbers of `VPN` bits and spaces of `ASID` bits. Places of
/// `PLACE` bits, times of residence of `RESIDENCE` bits.
#[block(top)]
#[check(1 << SLOT == SLOTS && SLOT + 1 == SLOT_COUNT && CONTEXTS < 1 << CONTEXT, "{SLOT}, {SLOT_COUNT} and {CONTEXT} bits do not fit {SLOTS} slots and {CONTEXTS} contexts")]
pub struct BlockScheduler<
    const SLOTS: usize,
    const SLOT: usize,
    const SLOT_COUNT: usize,
    const CONTEXTS: usize,
    const CONTEXT: usize,
    const PAIRS: usize,
    const PAGES: usize,
    const VPN: usize,
    const ASID: usize,
    const PLACE: usize,
    const RESIDENCE: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: empties every slot, context and page.
    pub reset: Signal<In, Bit>,
    /// Slots that the kernel's blocks use: those below this number.
    pub slots: Signal<In, Bits<SLOT_COUNT>>,
    /// Blocks that the SM may have beyond its slots.
    pub extra: Signal<In, Bits<CONTEXT>>,
    /// A block leaves if the queue place of its fault is above this.
    pub threshold: Signal<In, Bits<PLACE>>,
    /// Minimum number of cycles for which a block stays.
    pub residence: Signal<In, Bits<RESIDENCE>>,
    /// The GPU has blocks that no SM has begun.
    pub more: Signal<In, Bit>,
    /// The GMMU reports on a page to this SM.
    pub fill_valid: Signal<In, Bit>,
    /// Kind of the report, without its highest bit: 0 a translation or a cancellation, 1 a denial, 2 the far fault
    /// is held, 3 it is not held.
    pub fill_kind: Signal<In, Bits<2>>,
    /// Page number of the report.
    pub fill_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the report.
    pub fill_asid: Signal<In, Bits<ASID>>,
    /// Place of the page's far fault in the queue.
    pub fill_place: Signal<In, Bits<PLACE>>,
    /// A block has accessed a page that is known to be absent.
    pub fault_valid: Signal<In, Bit>,
    /// Slot of the block that faulted.
    pub fault_slot: Signal<In, Bits<SLOT>>,
    /// Page number of the fault.
    pub fault_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the fault.
    pub fault_asid: Signal<In, Bits<ASID>>,
    /// The block in `ended_slot` has ended.
    pub ended_valid: Signal<In, Bit>,
    /// Slot of the block that ended.
    pub ended_slot: Signal<In, Bits<SLOT>>,
    /// The checkpoint engine begins to save the block.
    pub leave_ready: Signal<In, Bit>,
    /// The context of the block that left is in memory.
    pub left_valid: Signal<In, Bit>,
    /// The checkpoint engine begins to restore the block.
    pub enter_ready: Signal<In, Bit>,
    /// The restore has ended: the block runs, unless `entered_refused` is high.
    pub entered_valid: Signal<In, Bit>,
    /// The restored context is truncated or another block's, and the block does not run.
    pub entered_refused: Signal<In, Bit>,
    /// The GPU takes the request for a block.
    pub want_ready: Signal<In, Bit>,
    /// The GPU answers the request for a block.
    pub given_valid: Signal<In, Bit>,
    /// The answer is a block; low if the GPU has none.
    pub given_some: Signal<In, Bit>,

    /// A block is to be saved.
    pub leave_valid: Signal<Out, Bit>,
    /// Slot of the block that is to be saved.
    pub leave_slot: Signal<Out, Bits<SLOT>>,
    /// Context into which the block is saved.
    pub leave_context: Signal<Out, Bits<CONTEXT>>,
    /// A block is to be restored.
    pub enter_valid: Signal<Out, Bit>,
    /// Slot into which the block is restored.
    pub enter_slot: Signal<Out, Bits<SLOT>>,
    /// Context from which the block is restored.
    pub enter_context: Signal<Out, Bits<CONTEXT>>,
    /// A context is given up; the driver should be notified.
    pub lost_valid: Signal<Out, Bit>,
    /// Context that is given up.
    pub lost_context: Signal<Out, Bits<CONTEXT>>,
    /// A new block is requested.
    pub want_valid: Signal<Out, Bit>,
    /// Slot for the new block.
    pub want_slot: Signal<Out, Bits<SLOT>>,
    /// Slots whose blocks run, one bit each.
    pub active: [Signal<Out, Bit>; SLOTS],
    /// Blocks that are off chip.
    pub off_chip: Signal<Out, Bits<CONTEXT>>,
    /// The SM has no block, and waits for none.
    pub empty: Signal<Out, Bit>,

    // The pages, and the blocks that wait for them.
    page: [Page<SLOTS, CONTEXTS, VPN, ASID>; PAGES],
    free_page: OneHotPriorityEncoder<PAGES>,
    known: OrTree<PAGES>,
    faulting: OrTree<SLOTS>,
    wait_far: OneHotMux<PAGES, Bits<SLOTS>>,
    wait_off_chip: OneHotMux<PAGES, Bits<CONTEXTS>>,

    // Blocks: in slots, and off chip.
    slot: [Slot; SLOTS],
    period: Register<Bits<RESIDENCE>>,
    held: [Register<Bit>; CONTEXTS],
    left_order: Register<Bits<PAIRS>>,
    oldest: MatrixArbiter<CONTEXTS, CONTEXT, PAIRS>,
    contexts_held: Popcount<CONTEXTS, CONTEXT>,

    // What moves.
    switch: Register<Switch>,
    switch_slot: Register<Bits<SLOT>>,
    switch_context: Register<Bits<CONTEXT>>,
    over: Register<Bit>,
    request: Register<Request>,
    request_slot: Register<Bits<SLOT>>,
    last_left: Register<Bits<SLOT>>,

    // The choices.
    free_slot: FixedPriorityArbiter<SLOTS, SLOT, false>,
    free_context: FixedPriorityArbiter<CONTEXTS, CONTEXT, false>,
    turns: RoundRobinArbiter<SLOTS, SLOT>,
    some_free: OrTree<SLOTS>,
    some_context: OrTree<CONTEXTS>,
    some_could: OrTree<SLOTS>,
    some_ready: OrTree<CONTEXTS>,
    some_taken: OrTree<SLOTS>,

    tick: Signal<Local, Bit>,
    absent: Signal<Local, Bit>,
    past: Signal<Local, Bit>,
    has_block: Signal<Local, Bit>,
    faulting_slots: Signal<Local, Bits<SLOTS>>,
    ending: Signal<Local, Bits<SLOTS>>,
    leaving: Signal<Local, Bits<SLOTS>>,
    clear: Signal<Local, Bits<SLOTS>>,
    moves: Signal<Local, Bits<SLOTS>>,
    into: Signal<Local, Bits<CONTEXTS>>,
    ends_here: Signal<Local, Bit>,
    left: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    entered: Signal<Local, Bit>,
    given: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    begins_enter: Signal<Local, Bit>,
    begins_leave: Signal<Local, Bit>,
    begins_want: Signal<Local, Bit>,
    #[init(Constant::new(0.into()))]
    translation: Constant<Bits<2>>,
    #[init(Constant::new(1.into()))]
    denial: Constant<Bits<2>>,
    #[init(Constant::new(2.into()))]
    far: Constant<Bits<2>>,
    #[init(Constant::new(1.into()))]
    first_slot: Constant<Bits<SLOTS>>,
    #[init(Constant::new(0.into()))]
    no_slots: Constant<Bits<SLOTS>>,
    #[init(Constant::new(1.into()))]
    first_context: Constant<Bits<CONTEXTS>>,
    #[init(Constant::new(0.into()))]
    slot_0: Constant<Bits<SLOT>>,
    #[init(Constant::new(0.into()))]
    context_0: Constant<Bits<CONTEXT>>,
    #[init(Constant::new(0.into()))]
    start: Constant<Bits<RESIDENCE>>,
}

impl<
    const SLOTS: usize,
    const SLOT: usize,
    const SLOT_COUNT: usize,
    const CONTEXTS: usize,
    const CONTEXT: usize,
    const PAIRS: usize,
    const PAGES: usize,
    const VPN: usize,
    const ASID: usize,
    const PLACE: usize,
    const RESIDENCE: usize,
> Logic
    for BlockScheduler<
        SLOTS,
        SLOT,
        SLOT_COUNT,
        CONTEXTS,
        CONTEXT,
        PAIRS,
        PAGES,
        VPN,
        ASID,
        PLACE,
        RESIDENCE,
    >
{
    #[logic]
    fn update(&mut self) {
        // Periods.
        self.period.d.next = self.period.q.val() + 1;
        self.tick.next = self.residence.val() <= self.period.q.val();
        if self.tick.val() {
            self.period.d.next = self.start.val();
        }

        // What the engine and the GPU report.
        self.left.next = (self.switch.q.val() == Switch::Leaving) && self.left_valid.val();
        self.entered.next = (self.switch.q.val() == Switch::Entering) && self.entered_valid.val();
        self.given.next = (self.request.q.val() == Request::Requested) && self.given_valid.val();
        self.ends_here.next =
            self.ended_valid.val() && (self.ended_slot.val() == self.switch_slot.q.val());
        self.stays.next = self.left.val() && !self.over.q.val() && !self.ends_here.val();

        // The blocks that no longer wait for a page, or go on to wait off chip.
        self.ending.next = self.no_slots.val();
        if self.ended_valid.val() {
            self.ending.next =
                self.first_slot.val() << bit_cast::<SLOTS, SLOT>(self.ended_slot.val());
        }
        self.leaving.next = self.no_slots.val();
        if self.left.val() {
            self.leaving.next =
                self.first_slot.val() << bit_cast::<SLOTS, SLOT>(self.switch_slot.q.val());
        }
        self.clear.next = self.ending.val() | self.leaving.val();
        self.moves.next = self.no_slots.val();
        if self.stays.val() {
            self.moves.next = self.leaving.val();
        }
        self.into.next =
            self.first_context.val() << bit_cast::<CONTEXTS, CONTEXT>(self.switch_context.q.val());

        // Pages.
        self.absent.next = self.fill_valid.val()
            && (self.fill_kind.val() != self.translation.val())
            && (self.fill_kind.val() != self.denial.val());
        self.past.next = (self.fill_kind.val() == self.far.val())
            && (self.threshold.val() < self.fill_place.val());
        for i in 0..SLOTS {
            self.faulting.of[i].next =
                self.slot[i].holds.val() && (self.fault_slot.val() == i.to_bits::<SLOT>());
        }
        self.has_block.next = self.fault_valid.val() && self.faulting.any.val();
        self.faulting_slots.next = self.no_slots.val();
        if self.has_block.val() {
            self.faulting_slots.next =
                self.first_slot.val() << bit_cast::<SLOTS, SLOT>(self.fault_slot.val());
        }
        for e in 0..PAGES {
            self.page[e].ends.next = self.fill_valid.val() && !self.absent.val();
            self.page[e].absent.next = self.absent.val();
            self.page[e].past.next = self.past.val();
            self.page[e].report_vpn.next = self.fill_vpn.val();
            self.page[e].report_asid.next = self.fill_asid.val();
            self.page[e].take.next =
                self.free_page.grant[e].val() && self.absent.val() && !self.known.any.val();
            self.page[e].faulting_slots.next = self.faulting_slots.val();
            self.page[e].fault_vpn.next = self.fault_vpn.val();
            self.page[e].fault_asid.next = self.fault_asid.val();
            self.page[e].clear.next = self.clear.val();
            self.page[e].moves.next = self.moves.val();
            self.page[e].into.next = self.into.val();
            self.free_page.request[e].next = self.page[e].free.val();
            self.known.of[e].next = self.page[e].reported.val();
            self.wait_far.choose[e].next = self.page[e].far.val();
            self.wait_far.of[e].next = self.page[e].in_slots.val();
            self.wait_off_chip.choose[e].next = !self.page[e].free.val();
            self.wait_off_chip.of[e].next = self.page[e].off_chip.val();
        }

        // Blocks in slots.
        for i in 0..SLOTS {
            self.slot[i].tick.next = self.tick.val();
            self.slot[i].end.next =
                self.ended_valid.val() && (self.ended_slot.val() == i.to_bits::<SLOT>());
            self.slot[i].reserve.next = (self.begins_enter.val() || self.begins_want.val())
                && self.free_slot.grant[i].val();
            self.slot[i].leave.next =
                self.begins_leave.val() && (self.turns.index.val() == i.to_bits::<SLOT>());
            self.slot[i].begin.next = (self.entered.val()
                && !self.entered_refused.val()
                && (self.switch_slot.q.val() == i.to_bits::<SLOT>()))
                || (self.given.val()
                    && self.given_some.val()
                    && (self.request_slot.q.val() == i.to_bits::<SLOT>()));
            self.slot[i].release.next = ((self.left.val()
                || (self.entered.val() && self.entered_refused.val()))
                && (self.switch_slot.q.val() == i.to_bits::<SLOT>()))
                || (self.given.val()
                    && !self.given_some.val()
                    && (self.request_slot.q.val() == i.to_bits::<SLOT>()));
            self.free_slot.request[i].next =
                self.slot[i].free.val() && (i.to_bits::<SLOT_COUNT>() < self.slots.val());
            self.some_free.of[i].next =
                self.slot[i].free.val() && (i.to_bits::<SLOT_COUNT>() < self.slots.val());
            self.turns.request[i].next = self.slot[i].settled.val()
                && (i.to_bits::<SLOT_COUNT>() < self.slots.val())
                && self.wait_far.chosen.val().get_bit(i);
            self.some_could.of[i].next = self.slot[i].settled.val()
                && (i.to_bits::<SLOT_COUNT>() < self.slots.val())
                && self.wait_far.chosen.val().get_bit(i);
            self.some_taken.of[i].next = !self.slot[i].free.val();
            self.active[i].next = self.slot[i].active.val();
        }
        self.turns.last.next = self.last_left.q.val();

        // Blocks off chip: of those that wait for nothing, the one that left first comes back.
        for x in 0..CONTEXTS {
            self.held[x].d.next = (self.held[x].q.val()
                && !(self.begins_enter.val() && self.oldest.grant[x].val()))
                || (self.stays.val() && (self.switch_context.q.val() == x.to_bits::<CONTEXT>()));
            self.oldest.request[x].next =
                self.held[x].q.val() && !self.wait_off_chip.chosen.val().get_bit(x);
            self.some_ready.of[x].next =
                self.held[x].q.val() && !self.wait_off_chip.chosen.val().get_bit(x);
            self.oldest.served[x].next =
                self.stays.val() && (self.switch_context.q.val() == x.to_bits::<CONTEXT>());
            self.oldest.last[x].next = false;
            self.contexts_held.of[x].next = self.held[x].q.val();
            self.free_context.request[x].next = !self.held[x].q.val();
            self.some_context.of[x].next = !self.held[x].q.val();
        }
        self.oldest.order.next = self.left_order.q.val();
        self.left_order.d.next = self.oldest.after.val();

        // What begins.
        self.room.next = self.more.val()
            && (self.request.q.val() == Request::Idle)
            && (self.contexts_held.count.val() < self.extra.val());
        self.begins_enter.next = (self.switch.q.val() == Switch::Idle)
            && self.some_ready.any.val()
            && self.some_free.any.val();
        self.begins_leave.next = (self.switch.q.val() == Switch::Idle)
            && !self.some_free.any.val()
            && self.some_context.any.val()
            && (self.some_ready.any.val() || self.room.val())
            && self.some_could.any.val()
            && !(self.ended_valid.val() && (self.ended_slot.val() == self.turns.index.val()));
        self.begins_want.next = (self.request.q.val() == Request::Idle)
            && self.some_free.any.val()
            && !self.some_ready.any.val()
            && self.more.val();

        // The switch.
        self.over.d.next = self.over.q.val() || self.ends_here.val();
        match self.switch.q.val() {
            Switch::Idle => {
                self.over.d.next = false;
                if self.begins_enter.val() {
                    self.switch.d.next = Switch::Enter;
                    self.switch_slot.d.next = self.free_slot.index.val();
                    self.switch_context.d.next = self.oldest.index.val();
                }
                if self.begins_leave.val() {
                    self.switch.d.next = Switch::Leave;
                    self.switch_slot.d.next = self.turns.index.val();
                    self.switch_context.d.next = self.free_context.index.val();
                    self.last_left.d.next = self.turns.index.val();
                }
            }
            Switch::Leave => {
                if self.leave_ready.val() {
                    self.switch.d.next = Switch::Leaving;
                }
            }
            Switch::Leaving => {
                if self.left.val() {
                    self.switch.d.next = Switch::Idle;
                }
            }
            Switch::Enter => {
                if self.enter_ready.val() {
                    self.switch.d.next = Switch::Entering;
                }
            }
            Switch::Entering => {
                if self.entered.val() {
                    self.switch.d.next = Switch::Idle;
                }
            }
        }

        // The request.
        match self.request.q.val() {
            Request::Idle => {
                if self.begins_want.val() {
                    self.request.d.next = Request::Want;
                    self.request_slot.d.next = self.free_slot.index.val();
                }
            }
            Request::Want => {
                if self.want_ready.val() {
                    self.request.d.next = Request::Requested;
                }
            }
            Request::Requested => {
                if self.given.val() {
                    self.request.d.next = Request::Idle;
                }
            }
        }

        self.leave_valid.next = self.switch.q.val() == Switch::Leave;
        self.leave_slot.next = self.slot_0.val();
        self.leave_context.next = self.context_0.val();
        if self.switch.q.val() == Switch::Leave {
            self.leave_slot.next = self.switch_slot.q.val();
            self.leave_context.next = self.switch_context.q.val();
        }
        self.enter_valid.next = self.switch.q.val() == Switch::Enter;
        self.enter_slot.next = self.slot_0.val();
        self.enter_context.next = self.context_0.val();
        if self.switch.q.val() == Switch::Enter {
            self.enter_slot.next = self.switch_slot.q.val();
            self.enter_context.next = self.switch_context.q.val();
        }
        self.lost_valid.next = self.entered.val() && self.entered_refused.val();
        self.lost_context.next = self.context_0.val();
        if self.entered.val() && self.entered_refused.val() {
            self.lost_context.next = self.switch_context.q.val();
        }
        self.want_valid.next = self.request.q.val() == Request::Want;
        self.want_slot.next = self.slot_0.val();
        if self.request.q.val() == Request::Want {
            self.want_slot.next = self.request_slot.q.val();
        }
        self.off_chip.next = self.contexts_held.count.val();
        self.empty.next = !self.some_taken.any.val() && !self.contexts_held.count.val().any();
    }
}

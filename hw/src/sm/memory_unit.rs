#![doc = include_str!("../../../docs/blocks/memory_unit.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{ENTRY_BITS, PAGE_LINE_BITS, PAGE_LINES, SLOT_BITS};
use crate::primitives::age_order::AgeOrder;
use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::one_hot_priority_encoder::OneHotPriorityEncoder;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

mod access;
mod page;
mod reader;
mod resumes;

use access::Access;
use page::Page;
use reader::Reader;
use resumes::Resumes;

/// Memory unit: has the lines of global-memory instructions checked, waits for their pages, decides which of them fault,
/// and passes the lines of the others to the cache. `ACCESSES` instructions with numbers of `ACCESS` bits and
/// `ACCESS_PAIRS` pairs, `PAGES` pages with numbers of `PAGE` bits and `PAGE_PAIRS` pairs; `WARPS` warps with numbers of
/// `WARP` bits, indices of the replay queue of `INDEX` bits and of the log of `LOG`; `LANES` lanes, whose lines are numbered in `LANE` bits and
/// counted in `LANE_COUNT` bits; lines of `LINE` bits, pages of `VPN`, spaces of `ASID`, frames of `PFN`, lines in physical
/// memory of `PHYSICAL` bits; words in two banks with addresses of `ADDRESS` bits, in halves of `ROW` and
/// `LANES_AND_FRAME` bits.
#[block(top)]
#[check(VPN + PAGE_LINE_BITS == LINE && PFN + PAGE_LINE_BITS == PHYSICAL, "{VPN} and {PFN} bits of a page are not those of lines of {LINE} and {PHYSICAL} bits")]
#[check(1 << ACCESS == ACCESSES && 1 << PAGE == PAGES && 1 << LANE == LANES && LANE + 1 == LANE_COUNT, "{ACCESS}, {PAGE}, {LANE} and {LANE_COUNT} bits do not fit {ACCESSES} accesses, {PAGES} pages and {LANES} lanes")]
#[check(LINE + 2 == ROW && LANES + PFN == LANES_AND_FRAME && ACCESS + LANE == ADDRESS + 1 && PAGE <= PFN, "{ROW} and {LANES_AND_FRAME} bits do not fit a word, or {ADDRESS} its bank")]
pub struct MemoryUnit<
    const ACCESSES: usize,
    const ACCESS: usize,
    const ACCESS_PAIRS: usize,
    const PAGES: usize,
    const PAGE: usize,
    const PAGE_PAIRS: usize,
    const WARPS: usize,
    const WARP: usize,
    const INDEX: usize,
    const LOG: usize,
    const LANES: usize,
    const LANE: usize,
    const LANE_COUNT: usize,
    const LINE: usize,
    const VPN: usize,
    const ASID: usize,
    const PFN: usize,
    const PHYSICAL: usize,
    const ROW: usize,
    const LANES_AND_FRAME: usize,
    const ADDRESS: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: drops every access, and no warp waits.
    pub reset: Signal<In, Bit>,

    /// The pipeline offers a global-memory instruction.
    pub instruction_valid: Signal<In, Bit>,
    /// Warp of the instruction.
    pub instruction_warp: Signal<In, Bits<WARP>>,
    /// Thread-block slot of the instruction.
    pub instruction_slot: Signal<In, Bits<SLOT_BITS>>,
    /// Scoreboard entry of the instruction.
    pub instruction_entry: Signal<In, Bits<ENTRY_BITS>>,
    /// Replay-queue entry of the instruction.
    pub instruction_index: Signal<In, Bits<INDEX>>,
    /// Operand-log entry of the instruction's address.
    pub instruction_log_address: Signal<In, Bits<LOG>>,
    /// Operand-log entry of the instruction's store data.
    pub instruction_log_data: Signal<In, Bits<LOG>>,
    /// The instruction is a store.
    pub instruction_store: Signal<In, Bit>,
    /// Lanes of the instruction, one bit each.
    pub instruction_mask: Signal<In, Bits<LANES>>,
    /// The coalescer accepts an instruction.
    pub split_ready: Signal<In, Bit>,
    /// The coalescer offers a request.
    pub request_valid: Signal<In, Bit>,
    /// Line of the request.
    pub request_line: Signal<In, Bits<LINE>>,
    /// Lanes of the request, one bit each.
    pub request_mask: Signal<In, Bits<LANES>>,
    /// The request is the last one of its instruction.
    pub request_last: Signal<In, Bit>,
    /// Address space of the SM.
    pub asid: Signal<In, Bits<ASID>>,
    /// The L1 TLB takes the check.
    pub check_ready: Signal<In, Bit>,
    /// The check of the previous cycle is a hit, with the frame in `answer_pfn`.
    pub answer_hit: Signal<In, Bit>,
    /// Frame of the page that is hit.
    pub answer_pfn: Signal<In, Bits<PFN>>,
    /// The page of the previous cycle's check is absent.
    pub answer_fault: Signal<In, Bit>,
    /// The access of the previous cycle's check is not allowed.
    pub answer_denied: Signal<In, Bit>,
    /// The L1 TLB wakes those that wait for a page.
    pub wake_valid: Signal<In, Bit>,
    /// With `wake_valid`, those that wait for any page are woken.
    pub wake_all: Signal<In, Bit>,
    /// Page number of the wake-up.
    pub wake_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the wake-up.
    pub wake_asid: Signal<In, Bits<ASID>>,
    /// Translations are invalidated, here and in the L1 TLB.
    pub invalidate_valid: Signal<In, Bit>,
    /// Scope of the invalidation: 0 a page, 1 every page of this space, 2 or 3 everything.
    pub invalidate_scope: Signal<In, Bits<2>>,
    /// Address space of the invalidation.
    pub invalidate_asid: Signal<In, Bits<ASID>>,
    /// The pipeline takes the message of a successful check.
    pub checked_ready: Signal<In, Bit>,
    /// The cache takes the line.
    pub line_ready: Signal<In, Bit>,
    /// Warps that are not to be resumed, one bit each.
    pub hold: [Signal<In, Bit>; WARPS],
    /// A warp leaves with its thread block, and waits for nothing here.
    pub leave_valid: Signal<In, Bit>,
    /// Warp that leaves.
    pub leave_warp: Signal<In, Bits<WARP>>,
    /// The pipeline takes the resume.
    pub resume_ready: Signal<In, Bit>,

    /// The instruction is accepted.
    pub instruction_ready: Signal<Out, Bit>,
    /// The coalescer is to accept the instruction.
    pub split_valid: Signal<Out, Bit>,
    /// The request is taken.
    pub request_ready: Signal<Out, Bit>,
    /// A check is offered to the L1 TLB.
    pub check_valid: Signal<Out, Bit>,
    /// Page number of the check.
    pub check_vpn: Signal<Out, Bits<VPN>>,
    /// The check is for a store.
    pub check_write: Signal<Out, Bit>,
    /// The last check of an instruction has succeeded.
    pub checked_valid: Signal<Out, Bit>,
    /// Warp of the checked instruction.
    pub checked_warp: Signal<Out, Bits<WARP>>,
    /// Scoreboard entry of the checked instruction.
    pub checked_entry: Signal<Out, Bits<ENTRY_BITS>>,
    /// Replay-queue entry of the checked instruction.
    pub checked_index: Signal<Out, Bits<INDEX>>,
    /// Thread-block slot of the checked instruction.
    pub checked_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// The checked instruction is a store.
    pub checked_store: Signal<Out, Bit>,
    /// Operand-log entry of the checked instruction's address.
    pub checked_log_address: Signal<Out, Bits<LOG>>,
    /// Operand-log entry of the checked instruction's store data.
    pub checked_log_data: Signal<Out, Bits<LOG>>,
    /// An instruction faults.
    pub faulted_valid: Signal<Out, Bit>,
    /// The fault is that an access is not allowed.
    pub faulted_denied: Signal<Out, Bit>,
    /// Warp of the faulting instruction.
    pub faulted_warp: Signal<Out, Bits<WARP>>,
    /// Scoreboard entry of the faulting instruction.
    pub faulted_entry: Signal<Out, Bits<ENTRY_BITS>>,
    /// Replay-queue entry of the faulting instruction.
    pub faulted_index: Signal<Out, Bits<INDEX>>,
    /// A warp waits for an absent page from now on.
    pub absent_valid: Signal<Out, Bit>,
    /// Warp that waits for the page.
    pub absent_warp: Signal<Out, Bits<WARP>>,
    /// Thread-block slot of the warp that waits.
    pub absent_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Page number of the absent page.
    pub absent_vpn: Signal<Out, Bits<VPN>>,
    /// A line of a checked instruction is to be accessed.
    pub line_valid: Signal<Out, Bit>,
    /// Number of the line in physical memory.
    pub line_number: Signal<Out, Bits<PHYSICAL>>,
    /// Lanes that access the line, one bit each.
    pub line_mask: Signal<Out, Bits<LANES>>,
    /// Warp of the line's instruction.
    pub line_warp: Signal<Out, Bits<WARP>>,
    /// Scoreboard entry of the line's instruction.
    pub line_entry: Signal<Out, Bits<ENTRY_BITS>>,
    /// The line's instruction is a store.
    pub line_store: Signal<Out, Bit>,
    /// The line is the last one of its instruction.
    pub line_last: Signal<Out, Bit>,
    /// A warp that has faulted is to be resumed.
    pub resume_valid: Signal<Out, Bit>,
    /// Warp that is to be resumed.
    pub resume_warp: Signal<Out, Bits<WARP>>,
    /// No line with a translation from before the last invalidation is still to leave.
    pub settled: Signal<Out, Bit>,

    // The accesses, and the two of which the coalescer has lines.
    access: [Access<ACCESSES, WARPS, WARP, INDEX, LOG, LANE, LANE_COUNT>; ACCESSES],
    order: Register<Bits<ACCESS_PAIRS>>,
    front_valid: Register<Bit>,
    front: Register<Bits<ACCESSES>>,
    front_number: Register<Bits<ACCESS>>,
    front_store: Register<Bit>,
    behind_valid: Register<Bit>,
    behind: Register<Bits<ACCESSES>>,
    behind_number: Register<Bits<ACCESS>>,
    behind_store: Register<Bit>,
    request_index: Register<Bits<LANE>>,

    // The page entries.
    page: [Page<ACCESSES, WARPS, VPN, PFN>; PAGES],
    page_order: Register<Bits<PAGE_PAIRS>>,

    // The check that is answered in this cycle.
    asked_page: Register<Bits<PAGES>>,
    asked_line: Register<Bit>,
    asked_again: Register<Bit>,
    asked_all: Register<Bit>,
    asked_last: Register<Bit>,
    asked_store: Register<Bit>,
    asked_access: Register<Bits<ACCESSES>>,
    asked_number: Register<Bits<ACCESS>>,
    asked_index: Register<Bits<LANE>>,
    asked_row: Register<Bits<LINE>>,
    asked_mask: Register<Bits<LANES>>,

    // The access whose decision is next.
    chosen: Register<Bits<ACCESSES>>,

    reader: Reader<ACCESS, LANE, LANE_COUNT, WARP, ROW, LANES_AND_FRAME, ADDRESS>,
    resumes: Resumes<WARPS, WARP>,

    #[init(Constant::new(1.into()))]
    first_access: Constant<Bits<ACCESSES>>,
    #[init(Constant::new(0.into()))]
    no_access: Constant<Bits<ACCESSES>>,
    #[init(Constant::new(1.into()))]
    first_page: Constant<Bits<PAGES>>,
    #[init(Constant::new(0.into()))]
    no_page: Constant<Bits<PAGES>>,
    #[init(Constant::new(1.into()))]
    first_warp: Constant<Bits<WARPS>>,
    #[init(Constant::new(0.into()))]
    no_warp: Constant<Bits<WARPS>>,
    #[init(Constant::new(1.into()))]
    first_place: Constant<Bits<PAGE_LINES>>,
    #[init(Constant::new((PAGE_LINE_BITS as LiteralType).into()))]
    inside_line: Constant<Bits<LINE>>,
    #[init(Constant::new((PAGE_LINE_BITS as LiteralType).into()))]
    inside_physical: Constant<Bits<PHYSICAL>>,
    #[init(Constant::new((LINE as LiteralType).into()))]
    above_row: Constant<Bits<ROW>>,
    #[init(Constant::new((LANES as LiteralType).into()))]
    above_mask: Constant<Bits<LANES_AND_FRAME>>,
    #[init(Constant::new(0.into()))]
    start: Constant<Bits<LANE>>,

    // Entry.
    vacant: FixedPriorityArbiter<ACCESSES, ACCESS, false>,
    some_vacant: OrTree<ACCESSES>,
    has_lanes: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    splits: Signal<Local, Bit>,
    entering: OneHotMux<ACCESSES, Bits<ACCESSES>>,
    conflicts: OneHotMux<ACCESSES, Bits<ACCESSES>>,
    notes: Signal<Local, Bits<ACCESSES>>,
    new_follows: Signal<Local, Bit>,

    // Checks. What begins requests nothing yet; in an instance of its own it does not delay those that do.
    page_ages: AgeOrder<PAGES, PAGE, 1, PAGE_PAIRS>,
    eldest_page: AgeOrder<PAGES, PAGE, 1, PAGE_PAIRS>,
    some_page: OrTree<PAGES>,
    check_page: OneHotMux<PAGES, Bits<PAGES>>,
    eldest_vpn: OneHotMux<PAGES, Bits<VPN>>,
    eldest_store: OrTree<PAGES>,
    page_taken: Signal<Local, Bit>,
    again_shown: Signal<Local, Bit>,
    again_taken: Signal<Local, Bit>,
    request_offered: Signal<Local, Bit>,
    some_checked_again: OrTree<ACCESSES>,
    request_free: Signal<Local, Bit>,
    request_taken: Signal<Local, Bit>,
    shown_row: Signal<Local, Bits<LINE>>,
    shown_mask: Signal<Local, Bits<LANES>>,
    shown_access: Signal<Local, Bits<ACCESSES>>,

    // Answers.
    signature: OneHotMux<ACCESSES, Bits<PAGE_LINES>>,
    line_signature: Signal<Local, Bits<PAGE_LINES>>,
    apart: OneHotMux<ACCESSES, Bits<ACCESSES>>,
    new_lines: Signal<Local, Bits<LANE_COUNT>>,
    missed: Signal<Local, Bit>,
    some_found: OrTree<PAGES>,
    unused: OneHotPriorityEncoder<PAGES>,
    some_unused: OrTree<PAGES>,
    begins: [Signal<Local, Bit>; PAGES],
    entry_number: OneHotMux<PAGES, Bits<PAGE>>,
    refused: Signal<Local, Bit>,
    gives_up: Signal<Local, Bit>,
    denied: Signal<Local, Bit>,
    frame: Signal<Local, Bits<PFN>>,
    kind: Signal<Local, Bits<2>>,

    // What else changes accesses and pages.
    invalidates: Signal<Local, Bit>,
    wakes: Signal<Local, Bit>,
    wakes_all: Signal<Local, Bit>,
    waiting: OneHotMux<PAGES, Bits<ACCESSES>>,
    absent: OneHotMux<PAGES, Bits<ACCESSES>>,
    denying: OneHotMux<PAGES, Bits<ACCESSES>>,
    spoils: OneHotMux<ACCESSES, Bits<ACCESSES>>,
    leaving: Signal<Local, Bits<ACCESSES>>,

    // Decisions.
    ages: AgeOrder<ACCESSES, ACCESS, 1, ACCESS_PAIRS>,
    eldest: AgeOrder<ACCESSES, ACCESS, 1, ACCESS_PAIRS>,
    eldest_again: AgeOrder<ACCESSES, ACCESS, 1, ACCESS_PAIRS>,
    candidate: OneHotMux<ACCESSES, Bits<ACCESSES>>,
    can: OrTree<ACCESSES>,
    fails: OrTree<ACCESSES>,
    is_denied: OrTree<ACCESSES>,
    failing: Signal<Local, Bit>,
    passing: Signal<Local, Bit>,
    member: [Signal<Local, Bit>; PAGES],
    leaves_entry: OneHotPriorityEncoder<PAGES>,
    some_member: OrTree<PAGES>,
    more_members: OrTree<PAGES>,
    faulted: Signal<Local, Bit>,
    checked: Signal<Local, Bit>,
    decided: Signal<Local, Bits<ACCESSES>>,
    chosen_number: OneHotMux<ACCESSES, Bits<ACCESS>>,
    chosen_lines: OneHotMux<ACCESSES, Bits<LANE_COUNT>>,
    chosen_lanes: OrTree<ACCESSES>,
    chosen_warp: OneHotMux<ACCESSES, Bits<WARP>>,
    chosen_slot: OneHotMux<ACCESSES, Bits<SLOT_BITS>>,
    chosen_entry: OneHotMux<ACCESSES, Bits<ENTRY_BITS>>,
    chosen_index: OneHotMux<ACCESSES, Bits<INDEX>>,
    chosen_log_address: OneHotMux<ACCESSES, Bits<LOG>>,
    chosen_log_data: OneHotMux<ACCESSES, Bits<LOG>>,
    chosen_store: OrTree<ACCESSES>,
    absent_page: OneHotMux<PAGES, Bits<VPN>>,
    warp_bit: Signal<Local, Bits<WARPS>>,

    // Re-checks and lines.
    some_again: OrTree<ACCESSES>,
    again_number: OneHotMux<ACCESSES, Bits<ACCESS>>,
    again_lines: OneHotMux<ACCESSES, Bits<LANE_COUNT>>,
    again_first: OneHotMux<ACCESSES, Bits<LANE>>,
    again_store: OrTree<ACCESSES>,
    again_all: OrTree<ACCESSES>,
    entry_pfn: OneHotMux<PAGES, Bits<PFN>>,
    word_frame: Signal<Local, Bits<PFN>>,
    word_kind: Signal<Local, Bits<2>>,
    shown_frame: Signal<Local, Bits<PFN>>,
    frees: Signal<Local, Bits<ACCESSES>>,

    // Resumes.
    waiters: OneHotMux<PAGES, Bits<WARPS>>,
    working: OneHotMux<ACCESSES, Bits<WARPS>>,
    leave_bit: Signal<Local, Bits<WARPS>>,
    fault_bit: Signal<Local, Bits<WARPS>>,
    some_marked: OrTree<ACCESSES>,
}

impl<
    const ACCESSES: usize,
    const ACCESS: usize,
    const ACCESS_PAIRS: usize,
    const PAGES: usize,
    const PAGE: usize,
    const PAGE_PAIRS: usize,
    const WARPS: usize,
    const WARP: usize,
    const INDEX: usize,
    const LOG: usize,
    const LANES: usize,
    const LANE: usize,
    const LANE_COUNT: usize,
    const LINE: usize,
    const VPN: usize,
    const ASID: usize,
    const PFN: usize,
    const PHYSICAL: usize,
    const ROW: usize,
    const LANES_AND_FRAME: usize,
    const ADDRESS: usize,
> Logic
    for MemoryUnit<
        ACCESSES,
        ACCESS,
        ACCESS_PAIRS,
        PAGES,
        PAGE,
        PAGE_PAIRS,
        WARPS,
        WARP,
        INDEX,
        LOG,
        LANES,
        LANE,
        LANE_COUNT,
        LINE,
        VPN,
        ASID,
        PFN,
        PHYSICAL,
        ROW,
        LANES_AND_FRAME,
        ADDRESS,
    >
{
    #[logic]
    fn update(&mut self) {
        // An instruction enters the lowest free entry, and the coalescer if it has lanes.
        for a in 0..ACCESSES {
            self.vacant.request[a].next = self.access[a].free.val();
            self.some_vacant.of[a].next = self.access[a].free.val();
        }
        self.has_lanes.next = self.instruction_mask.val().any();
        self.instruction_ready.next =
            self.some_vacant.any.val() && (self.split_ready.val() || !self.has_lanes.val());
        self.split_valid.next =
            self.instruction_valid.val() && self.some_vacant.any.val() && self.has_lanes.val();
        self.enters.next = self.instruction_valid.val()
            && self.some_vacant.any.val()
            && (self.split_ready.val() || !self.has_lanes.val());
        self.splits.next = self.enters.val() && self.has_lanes.val();
        for a in 0..ACCESSES {
            self.entering.choose[a].next = self.vacant.grant[a].val();
            self.entering.of[a].next = self.first_access.val() << a.to_bits::<ACCESSES>();
            self.conflicts.choose[a].next = self.access[a].conflicts.val();
            self.conflicts.of[a].next = self.first_access.val() << a.to_bits::<ACCESSES>();
        }
        self.notes.next = self.no_access.val();
        self.new_follows.next = false;
        if self.has_lanes.val() {
            self.notes.next = self.conflicts.chosen.val() & !self.decided.val();
            // What a warp that has faulted still sends follows its fault, as what was noted does.
            self.new_follows.next = (self.faulted.val()
                && (self.conflicts.chosen.val() & self.decided.val()).any())
                || (self.resumes.is_away.val()
                    && (self.instruction_store.val() || self.resumes.store_is_away.val()));
        }

        // The coalescer's requests are of the instruction in front, then of the one behind it.
        self.request_taken.next = self.request_valid.val() && self.request_free.val();
        if self.request_taken.val() {
            self.request_index.d.next = self.request_index.q.val() + 1;
        }
        if self.request_taken.val() && self.request_last.val() {
            self.request_index.d.next = self.start.val();
            self.front_valid.d.next = self.behind_valid.q.val();
            self.front.d.next = self.behind.q.val();
            self.front_number.d.next = self.behind_number.q.val();
            self.front_store.d.next = self.behind_store.q.val();
            self.behind_valid.d.next = false;
        }
        if self.splits.val() {
            if self.front_valid.q.val()
                && !(self.request_taken.val()
                    && self.request_last.val()
                    && !self.behind_valid.q.val())
            {
                self.behind_valid.d.next = true;
                self.behind.d.next = self.entering.chosen.val();
                self.behind_number.d.next = self.vacant.index.val();
                self.behind_store.d.next = self.instruction_store.val();
            } else {
                self.front_valid.d.next = true;
                self.front.d.next = self.entering.chosen.val();
                self.front_number.d.next = self.vacant.index.val();
                self.front_store.d.next = self.instruction_store.val();
            }
        }

        // The check of this cycle: a page entry's, one of a line that is checked again, the coalescer's.
        for k in 0..PAGES {
            self.eldest_page.request[k].next = self.page[k].wants.val();
            self.eldest_page.served[k].next = false;
            self.eldest_page.rising[k].next = false;
            self.page_ages.request[k].next = false;
            self.page_ages.served[k].next = self.begins[k].val();
            self.page_ages.rising[k].next = false;
            self.some_page.of[k].next = self.page[k].wants.val();
            self.check_page.choose[k].next = self.eldest_page.grant[k].val();
            self.check_page.of[k].next = self.first_page.val() << k.to_bits::<PAGES>();
            self.eldest_vpn.choose[k].next = self.eldest_page.grant[k].val();
            self.eldest_vpn.of[k].next = self.page[k].vpn.val();
            self.eldest_store.of[k].next =
                self.eldest_page.grant[k].val() && self.page[k].store.val();
        }
        self.eldest_page.taken.next = false;
        self.eldest_page.order[0].next = self.page_order.q.val();
        self.page_ages.taken.next = false;
        self.page_ages.order[0].next = self.page_order.q.val();
        self.page_order.d.next = self.page_ages.after[0].val();
        self.shown_row.next = bit_cast::<LINE, ROW>(self.reader.row.val());
        self.shown_mask.next =
            bit_cast::<LANES, LANES_AND_FRAME>(self.reader.lanes_and_frame.val());
        self.again_shown.next =
            self.reader.checks.val() && !(self.asked_line.q.val() && self.asked_again.q.val());
        self.request_offered.next = self.request_valid.val()
            && !self.wake_valid.val()
            && !self.some_again.any.val()
            && !self.some_checked_again.any.val();
        self.check_valid.next =
            self.some_page.any.val() || self.again_shown.val() || self.request_offered.val();
        self.check_vpn.next =
            bit_cast::<VPN, LINE>(self.request_line.val() >> self.inside_line.val());
        self.check_write.next = self.request_offered.val() && self.front_store.q.val();
        if self.again_shown.val() {
            self.check_vpn.next =
                bit_cast::<VPN, LINE>(self.shown_row.val() >> self.inside_line.val());
            self.check_write.next = self.reader.shown_store.val();
        }
        if self.some_page.any.val() {
            self.check_vpn.next = self.eldest_vpn.chosen.val();
            self.check_write.next = self.eldest_store.any.val();
        }
        self.page_taken.next = self.some_page.any.val() && self.check_ready.val();
        self.again_taken.next =
            self.again_shown.val() && self.check_ready.val() && !self.some_page.any.val();
        // What was woken goes before what is new, or a new page would take the place that has become free in the TLB.
        self.request_free.next = self.check_ready.val()
            && !self.some_page.any.val()
            && !self.wake_valid.val()
            && !self.some_again.any.val()
            && !self.some_checked_again.any.val();
        self.request_ready.next = self.request_free.val();

        self.shown_access.next =
            self.first_access.val() << bit_cast::<ACCESSES, ACCESS>(self.reader.shown_number.val());
        self.asked_page.d.next = self.no_page.val();
        if self.page_taken.val() {
            self.asked_page.d.next = self.check_page.chosen.val();
        }
        self.asked_line.d.next = self.again_taken.val() || self.request_taken.val();
        self.asked_again.d.next = self.again_taken.val();
        if self.request_taken.val() {
            self.asked_last.d.next = self.request_last.val();
            self.asked_store.d.next = self.front_store.q.val();
            self.asked_access.d.next = self.front.q.val();
            self.asked_number.d.next = self.front_number.q.val();
            self.asked_index.d.next = self.request_index.q.val();
            self.asked_row.d.next = self.request_line.val();
            self.asked_mask.d.next = self.request_mask.val();
        }
        if self.again_taken.val() {
            self.asked_all.d.next = self.reader.shown_all.val();
            self.asked_last.d.next = self.reader.shown_last.val();
            self.asked_store.d.next = self.reader.shown_store.val();
            self.asked_access.d.next = self.shown_access.val();
            self.asked_number.d.next = self.reader.shown_number.val();
            self.asked_index.d.next = self.reader.shown_line.val();
            self.asked_row.d.next = self.shown_row.val();
            self.asked_mask.d.next = self.shown_mask.val();
        }

        // The answer of a line: what is missed joins the entry of its page, or begins one.
        self.missed.next =
            self.asked_line.q.val() && !self.answer_hit.val() && !self.answer_denied.val();
        self.denied.next = self.asked_line.q.val() && self.answer_denied.val();
        for k in 0..PAGES {
            self.page[k].look_vpn.next =
                bit_cast::<VPN, LINE>(self.asked_row.q.val() >> self.inside_line.val());
            self.page[k].look_store.next = self.asked_store.q.val();
            self.some_found.of[k].next = self.page[k].found.val();
            self.unused.request[k].next = !self.page[k].used.val();
            self.some_unused.of[k].next = !self.page[k].used.val();
        }
        for k in 0..PAGES {
            self.begins[k].next =
                self.missed.val() && !self.some_found.any.val() && self.unused.grant[k].val();
            self.page[k].begins.next = self.begins[k].val();
            self.page[k].begins_absent.next = self.answer_fault.val();
            self.page[k].joins.next = self.no_access.val();
            if self.begins[k].val() || (self.missed.val() && self.page[k].found.val()) {
                self.page[k].joins.next = self.asked_access.q.val();
            }
            self.entry_number.choose[k].next = self.page[k].found.val()
                || (!self.some_found.any.val() && self.unused.grant[k].val());
            self.entry_number.of[k].next = k.to_bits::<PAGE>();
        }
        self.refused.next =
            self.missed.val() && !self.some_found.any.val() && !self.some_unused.any.val();
        // A line that is refused once more ends the re-check of refused ones: its page is the next to come.
        self.gives_up.next =
            self.refused.val() && self.asked_again.q.val() && !self.asked_all.q.val();
        self.reader.gives_up.next = self.gives_up.val();
        self.reader.give_up_number.next = self.asked_number.q.val();
        self.frame.next = self.answer_pfn.val();
        self.kind.next = bits::<2>(0);
        if !self.answer_hit.val() {
            self.frame.next = bit_cast::<PFN, PAGE>(self.entry_number.chosen.val());
            self.kind.next = bits::<2>(1);
        }
        if self.refused.val() {
            self.kind.next = bits::<2>(2);
        }
        self.reader.writes.next = self.asked_line.q.val();
        self.reader.write_number.next = self.asked_number.q.val();
        self.reader.write_line.next = self.asked_index.q.val();
        self.reader.write_row.next = bit_cast::<ROW, LINE>(self.asked_row.q.val())
            | (bit_cast::<ROW, 2>(self.kind.val()) << self.above_row.val());
        self.reader.write_lanes.next = bit_cast::<LANES_AND_FRAME, LANES>(self.asked_mask.q.val())
            | (bit_cast::<LANES_AND_FRAME, PFN>(self.frame.val()) << self.above_mask.val());

        // Wake-ups and invalidations.
        self.wakes.next = self.wake_valid.val() && (self.wake_asid.val() == self.asid.val());
        self.wakes_all.next = self.wake_valid.val() && self.wake_all.val();
        self.invalidates.next = self.invalidate_valid.val()
            && ((self.invalidate_scope.val() > 1)
                || (self.invalidate_asid.val() == self.asid.val()));

        // The page entries.
        for k in 0..PAGES {
            self.page[k].leaves.next = self.leaving.val();
            self.page[k].leave_warp.next = self.leave_bit.val();
            self.page[k].fault_warp.next = self.warp_bit.val();
            self.page[k].checks.next = self.page_taken.val() && self.eldest_page.grant[k].val();
            self.page[k].answered.next =
                self.asked_page.q.val().get_bit(k) && self.page[k].used.val();
            self.page[k].hit.next = self.answer_hit.val();
            self.page[k].hit_pfn.next = self.answer_pfn.val();
            self.page[k].fault.next = self.answer_fault.val();
            self.page[k].denial.next = self.answer_denied.val();
            self.page[k].wakes.next = self.wakes.val();
            self.page[k].wakes_all.next = self.wakes_all.val();
            self.page[k].wake_vpn.next = self.wake_vpn.val();
            self.waiting.choose[k].next = self.page[k].waits.val();
            self.waiting.of[k].next = self.page[k].accesses.val();
            self.absent.choose[k].next = self.page[k].absent.val();
            self.absent.of[k].next = self.page[k].accesses.val();
            self.denying.choose[k].next = self.page[k].denied.val();
            self.denying.of[k].next = self.page[k].accesses.val();
            self.waiters.choose[k].next = true;
            self.waiters.of[k].next = self.page[k].warps.val();
        }

        // The accesses.
        self.line_signature.next = self.signature.chosen.val()
            | (self.first_place.val()
                << bit_cast::<PAGE_LINES, PAGE_LINE_BITS>(bit_cast::<PAGE_LINE_BITS, LINE>(
                    self.asked_row.q.val(),
                )));
        self.new_lines.next = bit_cast::<LANE_COUNT, LANE>(self.asked_index.q.val()) + 1;
        for a in 0..ACCESSES {
            self.signature.choose[a].next = self.asked_access.q.val().get_bit(a);
            self.signature.of[a].next = self.access[a].signature.val();
            self.apart.choose[a].next = self.access[a].is_apart.val();
            self.apart.of[a].next = self.first_access.val() << a.to_bits::<ACCESSES>();
            self.spoils.choose[a].next = self.access[a].spoils.val();
            self.spoils.of[a].next = self.first_access.val() << a.to_bits::<ACCESSES>();
        }
        for a in 0..ACCESSES {
            self.access[a].enters.next = self.enters.val() && self.vacant.grant[a].val();
            self.access[a].new_warp.next = self.instruction_warp.val();
            self.access[a].new_slot.next = self.instruction_slot.val();
            self.access[a].new_entry.next = self.instruction_entry.val();
            self.access[a].new_index.next = self.instruction_index.val();
            self.access[a].new_log_address.next = self.instruction_log_address.val();
            self.access[a].new_log_data.next = self.instruction_log_data.val();
            self.access[a].new_store.next = self.instruction_store.val();
            self.access[a].new_lanes.next = self.has_lanes.val();
            self.access[a].new_notes.next = self.notes.val();
            self.access[a].new_follows.next = self.new_follows.val();
            self.access[a].line_answered.next = self.asked_line.q.val()
                && !self.asked_again.q.val()
                && self.asked_access.q.val().get_bit(a);
            self.access[a].line_signature.next = self.line_signature.val();
            self.access[a].apart.next = self.apart.chosen.val();
            self.access[a].splits.next = self.asked_line.q.val()
                && !self.asked_again.q.val()
                && self.asked_last.q.val()
                && self.asked_access.q.val().get_bit(a);
            self.access[a].new_lines.next = self.new_lines.val();
            self.access[a].line_denied.next =
                self.denied.val() && self.asked_access.q.val().get_bit(a);
            self.access[a].line_refused.next =
                self.refused.val() && self.asked_access.q.val().get_bit(a);
            self.access[a].line_number.next = self.asked_index.q.val();
            self.access[a].wakes.next = self.wake_valid.val();
            self.access[a].invalidates.next = self.invalidates.val();
            self.access[a].waits.next = self.waiting.chosen.val().get_bit(a);
            self.access[a].is_absent.next = self.absent.chosen.val().get_bit(a);
            self.access[a].is_denied.next = self.denying.chosen.val().get_bit(a);
            self.access[a].again_begins.next =
                self.reader.again_begins.val() && self.eldest_again.grant[a].val();
            self.access[a].again_ends.next = ((self.gives_up.val()
                || (self.asked_line.q.val()
                    && self.asked_again.q.val()
                    && self.asked_last.q.val()))
                && self.asked_access.q.val().get_bit(a))
                || (self.reader.skips_last.val() && self.shown_access.val().get_bit(a));
            self.access[a].decided.next = self.decided.val();
            self.access[a].faulted.next = self.faulted.val();
            self.access[a].passes.next = self.checked.val() && self.chosen.q.val().get_bit(a);
            self.access[a].offered.next =
                self.reader.checked_valid.val() && self.chosen.q.val().get_bit(a);
            self.access[a].failing.next = self.failing.val() && self.chosen.q.val().get_bit(a);
            self.access[a].frees.next = self.frees.val().get_bit(a);
        }

        // The oldest access that can be decided is chosen, and looked at again in the next cycle.
        for a in 0..ACCESSES {
            self.can.of[a].next = self.chosen.q.val().get_bit(a) && self.access[a].can.val();
            self.fails.of[a].next = self.chosen.q.val().get_bit(a) && self.access[a].fails.val();
            self.is_denied.of[a].next =
                self.chosen.q.val().get_bit(a) && self.access[a].denied.val();
            self.eldest.request[a].next =
                self.access[a].can.val() && !self.chosen.q.val().get_bit(a);
            self.eldest.served[a].next = false;
            self.eldest.rising[a].next = false;
            self.ages.request[a].next = false;
            self.ages.served[a].next = self.enters.val() && self.vacant.grant[a].val();
            self.ages.rising[a].next = false;
            self.candidate.choose[a].next = self.eldest.grant[a].val();
            self.candidate.of[a].next = self.first_access.val() << a.to_bits::<ACCESSES>();
        }
        self.eldest.taken.next = false;
        self.eldest.order[0].next = self.order.q.val();
        self.ages.taken.next = false;
        self.ages.order[0].next = self.order.q.val();
        self.order.d.next = self.ages.after[0].val();
        self.failing.next = self.can.any.val() && self.fails.any.val();
        self.passing.next = self.can.any.val() && !self.fails.any.val();
        self.chosen.d.next = self.candidate.chosen.val();
        if self.can.any.val() && !self.faulted.val() && !self.checked.val() {
            self.chosen.d.next = self.chosen.q.val();
        }

        // One that fails leaves its absent entries, one a cycle.
        for k in 0..PAGES {
            self.member[k].next = self.page[k].absent.val()
                && (self.page[k].accesses.val() & self.chosen.q.val()).any();
            self.leaves_entry.request[k].next = self.member[k].val();
            self.some_member.of[k].next = self.member[k].val();
            self.absent_page.of[k].next = self.page[k].vpn.val();
        }
        for k in 0..PAGES {
            self.more_members.of[k].next =
                self.member[k].val() && !self.leaves_entry.grant[k].val();
            self.absent_page.choose[k].next =
                self.failing.val() && self.leaves_entry.grant[k].val();
            self.page[k].faults.next = self.no_access.val();
            if self.failing.val() && self.leaves_entry.grant[k].val() {
                self.page[k].faults.next = self.chosen.q.val();
            }
        }
        self.faulted.next = self.failing.val() && !self.more_members.any.val();
        self.checked.next = self.reader.checked_valid.val() && self.checked_ready.val();
        self.decided.next = self.no_access.val();
        if self.faulted.val() || self.checked.val() {
            self.decided.next = self.chosen.q.val();
        }

        for a in 0..ACCESSES {
            self.chosen_number.choose[a].next = self.chosen.q.val().get_bit(a);
            self.chosen_number.of[a].next = a.to_bits::<ACCESS>();
            self.chosen_lines.choose[a].next = self.chosen.q.val().get_bit(a);
            self.chosen_lines.of[a].next = self.access[a].lines.val();
            self.chosen_lanes.of[a].next =
                self.chosen.q.val().get_bit(a) && self.access[a].lanes.val();
            self.chosen_warp.choose[a].next = self.chosen.q.val().get_bit(a);
            self.chosen_warp.of[a].next = self.access[a].warp.val();
            self.chosen_slot.choose[a].next = self.chosen.q.val().get_bit(a);
            self.chosen_slot.of[a].next = self.access[a].slot.val();
            self.chosen_entry.choose[a].next = self.chosen.q.val().get_bit(a);
            self.chosen_entry.of[a].next = self.access[a].entry.val();
            self.chosen_index.choose[a].next = self.chosen.q.val().get_bit(a);
            self.chosen_index.of[a].next = self.access[a].index.val();
            self.chosen_log_address.choose[a].next = self.chosen.q.val().get_bit(a);
            self.chosen_log_address.of[a].next = self.access[a].log_address.val();
            self.chosen_log_data.choose[a].next = self.chosen.q.val().get_bit(a);
            self.chosen_log_data.of[a].next = self.access[a].log_data.val();
            self.chosen_store.of[a].next =
                self.chosen.q.val().get_bit(a) && self.access[a].store.val();
        }
        self.warp_bit.next =
            self.first_warp.val() << bit_cast::<WARPS, WARP>(self.chosen_warp.chosen.val());

        self.checked_valid.next = self.reader.checked_valid.val();
        self.checked_warp.next = bits::<WARP>(0);
        self.checked_entry.next = bits::<ENTRY_BITS>(0);
        self.checked_index.next = bits::<INDEX>(0);
        self.checked_slot.next = bits::<SLOT_BITS>(0);
        self.checked_store.next = false;
        self.checked_log_address.next = bits::<LOG>(0);
        self.checked_log_data.next = bits::<LOG>(0);
        if self.reader.checked_valid.val() {
            self.checked_warp.next = self.chosen_warp.chosen.val();
            self.checked_entry.next = self.chosen_entry.chosen.val();
            self.checked_index.next = self.chosen_index.chosen.val();
            self.checked_slot.next = self.chosen_slot.chosen.val();
            self.checked_store.next = self.chosen_store.any.val();
            self.checked_log_address.next = self.chosen_log_address.chosen.val();
            self.checked_log_data.next = self.chosen_log_data.chosen.val();
        }
        self.faulted_valid.next = self.faulted.val();
        self.faulted_denied.next = self.faulted.val() && self.is_denied.any.val();
        self.faulted_warp.next = bits::<WARP>(0);
        self.faulted_entry.next = bits::<ENTRY_BITS>(0);
        self.faulted_index.next = bits::<INDEX>(0);
        if self.faulted.val() {
            self.faulted_warp.next = self.chosen_warp.chosen.val();
            self.faulted_entry.next = self.chosen_entry.chosen.val();
            self.faulted_index.next = self.chosen_index.chosen.val();
        }
        self.absent_valid.next = self.failing.val() && self.some_member.any.val();
        self.absent_warp.next = bits::<WARP>(0);
        self.absent_slot.next = bits::<SLOT_BITS>(0);
        if self.failing.val() && self.some_member.any.val() {
            self.absent_warp.next = self.chosen_warp.chosen.val();
            self.absent_slot.next = self.chosen_slot.chosen.val();
        }
        self.absent_vpn.next = self.absent_page.chosen.val();

        // The reader.
        for a in 0..ACCESSES {
            self.eldest_again.request[a].next = self.access[a].wants_again.val();
            self.eldest_again.served[a].next = false;
            self.eldest_again.rising[a].next = false;
            self.some_again.of[a].next = self.access[a].wants_again.val();
            self.some_checked_again.of[a].next = self.access[a].is_again.val();
            self.again_number.choose[a].next = self.eldest_again.grant[a].val();
            self.again_number.of[a].next = a.to_bits::<ACCESS>();
            self.again_lines.choose[a].next = self.eldest_again.grant[a].val();
            self.again_lines.of[a].next = self.access[a].lines.val();
            // A stale access begins with its first line.
            self.again_first.choose[a].next =
                self.eldest_again.grant[a].val() && !self.access[a].stale.val();
            self.again_first.of[a].next = self.access[a].first_refused.val();
            self.again_store.of[a].next =
                self.eldest_again.grant[a].val() && self.access[a].store.val();
            self.again_all.of[a].next =
                self.eldest_again.grant[a].val() && self.access[a].stale.val();
        }
        self.eldest_again.taken.next = false;
        self.eldest_again.order[0].next = self.order.q.val();
        self.reader.passes.next = self.passing.val();
        self.reader.pass_number.next = self.chosen_number.chosen.val();
        self.reader.pass_lines.next = self.chosen_lines.chosen.val();
        self.reader.pass_lanes.next = self.chosen_lanes.any.val();
        self.reader.pass_warp.next = self.chosen_warp.chosen.val();
        self.reader.pass_entry.next = self.chosen_entry.chosen.val();
        self.reader.pass_store.next = self.chosen_store.any.val();
        self.reader.checked_ready.next = self.checked_ready.val();
        self.reader.again.next = self.some_again.any.val();
        self.reader.again_number.next = self.again_number.chosen.val();
        self.reader.again_lines.next = self.again_lines.chosen.val();
        self.reader.again_first.next = self.again_first.chosen.val();
        self.reader.again_store.next = self.again_store.any.val();
        self.reader.again_all.next = self.again_all.any.val();
        self.reader.invalidates.next = self.invalidates.val();
        self.reader.line_ready.next = self.line_ready.val();
        self.reader.check_taken.next = self.again_taken.val();

        // A line for the cache: its frame is in its word, or in the page entry that the word names.
        self.word_frame.next = bit_cast::<PFN, LANES_AND_FRAME>(
            self.reader.lanes_and_frame.val() >> self.above_mask.val(),
        );
        self.word_kind.next = bit_cast::<2, ROW>(self.reader.row.val() >> self.above_row.val());
        for k in 0..PAGES {
            self.entry_pfn.choose[k].next =
                bit_cast::<PAGE, PFN>(self.word_frame.val()) == k.to_bits::<PAGE>();
            self.entry_pfn.of[k].next = self.page[k].pfn.val();
        }
        self.shown_frame.next = self.word_frame.val();
        if self.word_kind.val() == 1 {
            self.shown_frame.next = self.entry_pfn.chosen.val();
        }
        self.line_valid.next = self.reader.performs.val();
        self.line_number.next = bits::<PHYSICAL>(0);
        self.line_mask.next = bits::<LANES>(0);
        self.line_warp.next = bits::<WARP>(0);
        self.line_entry.next = bits::<ENTRY_BITS>(0);
        self.line_store.next = false;
        self.line_last.next = false;
        if self.reader.performs.val() {
            self.line_number.next = (bit_cast::<PHYSICAL, PFN>(self.shown_frame.val())
                << self.inside_physical.val())
                | bit_cast::<PHYSICAL, PAGE_LINE_BITS>(bit_cast::<PAGE_LINE_BITS, LINE>(
                    self.shown_row.val(),
                ));
            self.line_mask.next = self.shown_mask.val();
            self.line_warp.next = self.reader.shown_warp.val();
            self.line_entry.next = self.reader.shown_entry.val();
            self.line_store.next = self.reader.shown_store.val();
            self.line_last.next = self.reader.shown_last.val();
        }

        // What leaves: an access that has faulted, or whose last line is taken, is free.
        self.frees.next = self.no_access.val();
        if self.faulted.val() {
            self.frees.next = self.chosen.q.val();
        }
        if self.reader.last_leaves.val() {
            self.frees.next = self.shown_access.val();
            if self.faulted.val() {
                self.frees.next = self.chosen.q.val() | self.shown_access.val();
            }
        }
        self.leaving.next = self.frees.val() | self.spoils.chosen.val();

        // Warps that have faulted are resumed.
        self.fault_bit.next = self.no_warp.val();
        if self.faulted.val() {
            self.fault_bit.next = self.warp_bit.val();
        }
        self.leave_bit.next = self.no_warp.val();
        if self.leave_valid.val() {
            self.leave_bit.next =
                self.first_warp.val() << bit_cast::<WARPS, WARP>(self.leave_warp.val());
        }
        for a in 0..ACCESSES {
            self.working.choose[a].next = self.access[a].undecided.val();
            self.working.of[a].next = self.access[a].warp_bit.val();
            self.some_marked.of[a].next = self.access[a].marked.val();
        }
        self.resumes.faults.next = self.fault_bit.val();
        self.resumes.fault_store.next = self.chosen_store.any.val();
        self.resumes.new_warp.next =
            self.first_warp.val() << bit_cast::<WARPS, WARP>(self.instruction_warp.val());
        self.resumes.enters.next = self.enters.val();
        self.resumes.leaves.next = self.leave_bit.val();
        self.resumes.busy.next = self.waiters.chosen.val() | self.working.chosen.val();
        for w in 0..WARPS {
            self.resumes.hold[w].next = self.hold[w].val();
        }
        self.resumes.ready.next = self.resume_ready.val();
        self.resume_valid.next = self.resumes.valid.val();
        self.resume_warp.next = self.resumes.warp.val();
        self.settled.next = !self.some_marked.any.val();
    }
}

#![doc = include_str!("../../../docs/blocks/page_walker.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::ones;

use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::memory::Memory;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;
use crate::primitives::round_robin_arbiter::RoundRobinArbiter;

mod entry;
mod waiting;
mod walk;

use entry::Entry;
use waiting::Waiting;
use walk::Walk;

/// Page walker: many walks of x86-64 page tables at once, memory requests and responses in any order. `REQUESTERS`
/// requesters with numbers of `REQUESTER` bits. `WALKS` walks with numbers of `WALK` bits, and in front of them
/// `REQUESTS` requests with numbers of `REQUEST` bits. Pages of `VPN` bits, spaces of `ASID`, frames of `PFN`;
/// words of memory with numbers of `WORD` bits. An entry that was read has a number of `ENTRY` bits in the pte_log.
#[block(top, new(updates: bool))]
#[check(ENTRY == WALK + 3, "{ENTRY} bits do not number the entries of {WALKS} walks")]
#[check(WORD == PFN + 9, "{WORD} bits do not number the words of frames of {PFN} bits")]
#[check(VPN == 36 || VPN == 45, "{VPN} bits are not those of 4 or 5 levels")]
pub struct PageWalker<
    const REQUESTERS: usize,
    const REQUESTER: usize,
    const WALKS: usize,
    const WALK: usize,
    const REQUESTS: usize,
    const REQUEST: usize,
    const VPN: usize,
    const ASID: usize,
    const PFN: usize,
    const WORD: usize,
    const ENTRY: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: drops every walk and request.
    pub reset: Signal<In, Bit>,

    /// Requesters that request a walk, one bit each.
    pub request_valid: [Signal<In, Bit>; REQUESTERS],
    /// Page of each requester's request.
    pub request_vpn: [Signal<In, Bits<52>>; REQUESTERS],
    /// Address space of each requester's request.
    pub request_asid: [Signal<In, Bits<ASID>>; REQUESTERS],
    /// Requests for a write, one bit each; a request for neither a write nor a fetch is a read.
    pub request_write: [Signal<In, Bit>; REQUESTERS],
    /// Requests for an instruction fetch, one bit each.
    pub request_execute: [Signal<In, Bit>; REQUESTERS],
    /// Requests of a user, one bit each.
    pub request_user: [Signal<In, Bit>; REQUESTERS],
    /// The answer is taken.
    pub answer_ready: Signal<In, Bit>,
    /// The memory request is taken.
    pub memory_ready: Signal<In, Bit>,
    /// Memory answers; the response is always taken.
    pub response_valid: Signal<In, Bit>,
    /// Walk that the response is for.
    pub response_walk: Signal<In, Bits<WALK>>,
    /// Entry from memory; of an update, the entry before it.
    pub response_data: Signal<In, Bits<64>>,
    /// There is no such word in memory.
    pub response_error: Signal<In, Bit>,
    /// The update was refused, because the entry was not the expected one.
    pub response_changed: Signal<In, Bit>,
    /// The response comes from a cache between walker and memory, and memory was not read.
    pub response_kept: Signal<In, Bit>,
    /// The root of a space is written; it is always taken.
    pub root_valid: Signal<In, Bit>,
    /// Address space of the root.
    pub root_asid: Signal<In, Bits<ASID>>,
    /// Frame of the space's first table.
    pub root_pfn: Signal<In, Bits<PFN>>,
    /// What was read of the tables is to be invalidated.
    pub invalidate_valid: Signal<In, Bit>,
    /// Address space of the invalidation.
    pub invalidate_asid: Signal<In, Bits<ASID>>,
    /// The invalidation covers all spaces.
    pub invalidate_all: Signal<In, Bit>,
    /// Bits 51 to 32 of an address that memory does not have: those from MAXPHYADDR on are 1, and MAXPHYADDR is at
    /// most 12 plus the width of `last_pfn`.
    pub reserved_bits: Signal<In, Bits<20>>,
    /// Pages may be execute-disabled (IA32_EFER.NXE).
    pub execute_disable: Signal<In, Bit>,
    /// Last frame of memory.
    pub last_pfn: Signal<In, Bits<PFN>>,
    /// A request that is not a user's joins no walk.
    pub no_merge: Signal<In, Bit>,

    /// Requesters whose request is accepted, one bit each.
    pub request_ready: [Signal<Out, Bit>; REQUESTERS],
    /// A walk has ended.
    pub answer_valid: Signal<Out, Bit>,
    /// Requesters whose request the walk answers, one bit each.
    pub answer_requesters: Signal<Out, Bits<REQUESTERS>>,
    /// Page of the walk.
    pub answer_vpn: Signal<Out, Bits<52>>,
    /// Address space of the walk.
    pub answer_asid: Signal<Out, Bits<ASID>>,
    /// The walk was for a write.
    pub answer_write: Signal<Out, Bit>,
    /// The walk was for an instruction fetch.
    pub answer_execute: Signal<Out, Bit>,
    /// The walk was for a user.
    pub answer_user: Signal<Out, Bit>,
    /// Result of the walk: 0 found, 1 not canonical, 2 not present, 3 reserved bit, 4 protection, 5 not accessed, 6
    /// not dirty, 7 outside of memory.
    pub answer_cause: Signal<Out, Bits<3>>,
    /// Error code of causes 2 to 6 (SDM 4.7): bit 0 P, 1 W/R, 2 U/S, 3 RSVD, 4 I/D; 0 otherwise.
    pub answer_code: Signal<Out, Bits<5>>,
    /// Level of the entry that maps the page (1: 4 KB, 2: 2 MB, 3: 1 GB) or that caused the fault; 0 for cause 1.
    pub answer_level: Signal<Out, Bits<3>>,
    /// Physical address from bit 12 on, the bits inside of a large page included, if `answer_readable` is high; 0
    /// otherwise.
    pub answer_pfn: Signal<Out, Bits<PFN>>,
    /// A read by the same user would have found the page with no bit to be set: cause 0, or cause 4 for a page that
    /// only may not be written or executed.
    pub answer_readable: Signal<Out, Bit>,
    /// The page may be written, over all levels; 0 without cause 0.
    pub answer_writable: Signal<Out, Bit>,
    /// Users may access the page, over all levels; 0 without cause 0.
    pub answer_user_page: Signal<Out, Bit>,
    /// The page may be executed, over all levels; 0 without cause 0.
    pub answer_executable: Signal<Out, Bit>,
    /// Cause 0, and the page's dirty bit is clear: a cached copy must not serve a write.
    pub answer_clean: Signal<Out, Bit>,
    /// An entry is requested of memory.
    pub memory_valid: Signal<Out, Bit>,
    /// Walk that requests the entry.
    pub memory_walk: Signal<Out, Bits<WALK>>,
    /// Address of the entry from bit 3 on.
    pub memory_word: Signal<Out, Bits<WORD>>,
    /// Level of the entry.
    pub memory_level: Signal<Out, Bits<3>>,
    /// The entry is updated instead of read, in one step: its accessed bit is set, if it equals `memory_expected`
    /// but for its accessed and dirty bits.
    pub memory_update: Signal<Out, Bit>,
    /// The update sets the dirty bit as well.
    pub memory_dirty: Signal<Out, Bit>,
    /// Expected value of the entry that is updated.
    pub memory_expected: Signal<Out, Bits<64>>,
    /// A cached copy of the word must not be used: the entry is read from memory.
    pub memory_bypass: Signal<Out, Bit>,
    /// The invalidation is complete.
    pub invalidate_ready: Signal<Out, Bit>,

    // Requests take turns.
    turn: Register<Bits<REQUESTER>>,
    next: RoundRobinArbiter<REQUESTERS, REQUESTER>,
    some_request: OrTree<REQUESTERS>,
    granted: [Signal<Local, Bit>; REQUESTERS],
    vpn_of: OneHotMux<REQUESTERS, Bits<52>>,
    asid_of: OneHotMux<REQUESTERS, Bits<ASID>>,
    some_write: OrTree<REQUESTERS>,
    some_execute: OrTree<REQUESTERS>,
    some_user: OrTree<REQUESTERS>,
    waiting: Waiting<REQUESTS, REQUEST, REQUESTER, ASID>,

    // The first one that waits joins a walk, or begins one.
    #[init(Constant::new((ones(52) & !ones(VPN - 1)).into()))]
    high_bits: Constant<Bits<52>>,
    #[init(Constant::new(1.into()))]
    one: Constant<Bits<REQUESTERS>>,
    canonical: Signal<Local, Bit>,
    non_canonical: Signal<Local, Bit>,
    requester: Signal<Local, Bits<REQUESTERS>>,
    walk: [Walk<REQUESTERS, VPN, ASID, PFN>; WALKS],
    free: FixedPriorityArbiter<WALKS, WALK, false>,
    some_free: OrTree<WALKS>,
    some_alike: OrTree<WALKS>,
    some_joined: OrTree<WALKS>,
    compared: Register<Bit>,
    joins: Register<Bit>,
    was_alike: [Register<Bit>; WALKS],
    matched: [Signal<Local, Bit>; WALKS],
    joined: [Signal<Local, Bit>; WALKS],
    begin: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,

    // What leaves next.
    chosen: Register<Bit>,
    chosen_first: Register<Bit>,
    chosen_walk: Register<Bits<WALK>>,
    wants: [Signal<Local, Bit>; WALKS],
    some_want: OrTree<WALKS>,
    of_later: FixedPriorityArbiter<WALKS, WALK, false>,
    all: FixedPriorityArbiter<WALKS, WALK, false>,
    some_above: OrTree<WALKS>,
    later: [Signal<Local, Bit>; WALKS],
    choosing: Signal<Local, Bit>,
    offers_first: Signal<Local, Bit>,
    here: [Register<Bit>; WALKS],
    moving: [Signal<Local, Bit>; WALKS],

    // What leaves: the walk that was chosen, or the first request.
    some_requesting: OrTree<WALKS>,
    some_vpn: OneHotMux<WALKS, Bits<VPN>>,
    some_asid: OneHotMux<WALKS, Bits<ASID>>,
    some_requesters: OneHotMux<WALKS, Bits<REQUESTERS>>,
    some_level: OneHotMux<WALKS, Bits<3>>,
    some_pfn: OneHotMux<WALKS, Bits<PFN>>,
    some_cause_or_level: OneHotMux<WALKS, Bits<3>>,
    some_writes: OrTree<WALKS>,
    some_executes: OrTree<WALKS>,
    some_user_mode: OrTree<WALKS>,
    some_marking: OrTree<WALKS>,
    some_writable: OrTree<WALKS>,
    some_user_page: OrTree<WALKS>,
    some_executable: OrTree<WALKS>,
    some_bypass: OrTree<WALKS>,
    narrow_vpn: Signal<Local, Bits<52>>,
    whole_vpn: Signal<Local, Bits<52>>,
    leaving: Register<Bit>,
    answers: Register<Bit>,
    number: Register<Bits<WALK>>,
    vpn: Register<Bits<52>>,
    asid: Register<Bits<ASID>>,
    write: Register<Bit>,
    execute: Register<Bit>,
    user: Register<Bit>,
    requesters: Register<Bits<REQUESTERS>>,
    level: Register<Bits<3>>,
    marking: Register<Bit>,
    pfn: Register<Bits<PFN>>,
    cause: Register<Bits<3>>,
    writable: Register<Bit>,
    user_page: Register<Bit>,
    executable: Register<Bit>,
    bypass: Register<Bit>,
    #[init(Memory::new(1 << ASID, 1))]
    roots: Memory<Bits<PFN>, ASID, 1>,
    #[init(Memory::new(1 << ENTRY, 1))]
    #[used(self.updates.val())]
    pte_log: Memory<Bits<64>, ENTRY, 1>,
    #[init(Constant::new(updates))]
    updates: Constant<Bit>,
    #[init(Constant::new(if updates { ones(64) } else { 0 }.into()))]
    pte_log_mask: Constant<Bits<64>>,
    #[init(Constant::new(((VPN / 9) as LiteralType).into()))]
    top: Constant<Bits<3>>,
    leaving_asid: Signal<Local, Bits<ASID>>,
    entry: Signal<Local, Bits<64>>,
    maps: Signal<Local, Bit>,
    dirty: Signal<Local, Bit>,
    skips: Signal<Local, Bit>,
    skipped: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    tracing: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    wide_vpn: Signal<Local, Bits<45>>,
    index: Signal<Local, Bits<9>>,
    table: Signal<Local, Bits<PFN>>,
    found: Signal<Local, Bit>,
    readable: Signal<Local, Bit>,
    coded: Signal<Local, Bit>,
    #[init(std::array::from_fn(|bit| Constant::new((1 << bit as LiteralType).into())))]
    code_bit: [Constant<Bits<5>>; 5],
    code: OneHotMux<5, Bits<5>>,

    // What comes from memory, its walk, and what it means.
    back: Register<Bit>,
    back_walk: Register<Bits<WALK>>,
    back_data: Register<Bits<64>>,
    of_walk: Signal<Local, Bits<WALK>>,
    arrived_at: [Signal<Local, Bit>; WALKS],
    looked_level: OneHotMux<WALKS, Bits<3>>,
    looked_cause_or_level: OneHotMux<WALKS, Bits<3>>,
    looked_inside: OneHotMux<WALKS, Bits<18>>,
    looked_write: OrTree<WALKS>,
    looked_execute: OrTree<WALKS>,
    looked_user: OrTree<WALKS>,
    looked_marking: OrTree<WALKS>,
    looked_writable: OrTree<WALKS>,
    looked_user_page: OrTree<WALKS>,
    looked_executable: OrTree<WALKS>,
    looked_used: OrTree<WALKS>,
    looked: Register<Bit>,
    seen_walk: Register<Bits<WALK>>,
    seen_data: Register<Bits<64>>,
    seen_error: Register<Bit>,
    seen_changed: Register<Bit>,
    seen_level: Register<Bits<3>>,
    seen_unmarked: Register<Bits<3>>,
    seen_inside: Register<Bits<18>>,
    seen_write: Register<Bit>,
    seen_execute: Register<Bit>,
    seen_user: Register<Bit>,
    seen_marking: Register<Bit>,
    seen_writable: Register<Bit>,
    seen_user_page: Register<Bit>,
    seen_executable: Register<Bit>,
    seen_used: Register<Bit>,
    pte_decode: Entry<PFN>,
    means: Register<Bit>,
    out_walk: Register<Bits<WALK>>,
    out_restart_bypassed: Register<Bit>,
    out_ends: Register<Bit>,
    out_level: Register<Bits<3>>,
    out_marking: Register<Bit>,
    out_pfn: Register<Bits<PFN>>,
    out_cause_or_level: Register<Bits<3>>,
    out_writable: Register<Bit>,
    out_user_page: Register<Bit>,
    out_executable: Register<Bit>,
    out_used: Register<Bit>,

    halting: Register<Bit>,
    delays: Register<Bit>,
    invalidating: Signal<Local, Bit>,
    some_delayed: OrTree<WALKS>,
    some_setting: OrTree<WALKS>,
}

impl<
    const REQUESTERS: usize,
    const REQUESTER: usize,
    const WALKS: usize,
    const WALK: usize,
    const REQUESTS: usize,
    const REQUEST: usize,
    const VPN: usize,
    const ASID: usize,
    const PFN: usize,
    const WORD: usize,
    const ENTRY: usize,
> Logic
    for PageWalker<
        REQUESTERS,
        REQUESTER,
        WALKS,
        WALK,
        REQUESTS,
        REQUEST,
        VPN,
        ASID,
        PFN,
        WORD,
        ENTRY,
    >
{
    #[logic]
    fn update(&mut self) {
        // A request of the next requester in turn, while there is room.
        self.next.last.next = self.turn.q.val();
        for i in 0..REQUESTERS {
            self.next.request[i].next = self.request_valid[i].val();
            self.some_request.of[i].next = self.request_valid[i].val();
        }
        for i in 0..REQUESTERS {
            self.granted[i].next =
                self.request_valid[i].val() && (self.next.index.val() == i.to_bits::<REQUESTER>());
            self.request_ready[i].next = self.granted[i].val() && self.waiting.room.val();
            self.vpn_of.choose[i].next = self.granted[i].val();
            self.vpn_of.of[i].next = self.request_vpn[i].val();
            self.asid_of.choose[i].next = self.granted[i].val();
            self.asid_of.of[i].next = self.request_asid[i].val();
            self.some_write.of[i].next = self.granted[i].val() && self.request_write[i].val();
            self.some_execute.of[i].next = self.granted[i].val() && self.request_execute[i].val();
            self.some_user.of[i].next = self.granted[i].val() && self.request_user[i].val();
        }
        if self.some_request.any.val() && self.waiting.room.val() {
            self.turn.d.next = self.next.index.val();
        }
        self.waiting.push.next = self.some_request.any.val();
        self.waiting.vpn.next = self.vpn_of.chosen.val();
        self.waiting.asid.next = self.asid_of.chosen.val();
        self.waiting.write.next = self.some_write.any.val();
        self.waiting.execute.next = self.some_execute.any.val();
        self.waiting.user.next = self.some_user.any.val();
        self.waiting.requester.next = self.next.index.val();

        // The first request that waits: its address is not canonical if the bits above do not repeat the highest one that is
        // translated. It looks for a walk that is alike in one cycle, and in the next it joins that
        // one, unless its answer is about to leave, or begins one if there is none any more, or it joins none.
        self.non_canonical.next = self.waiting.valid.val()
            && (self.waiting.first_vpn.val() & self.high_bits.val()).any()
            && ((self.waiting.first_vpn.val() & self.high_bits.val()) != self.high_bits.val());
        self.canonical.next = self.waiting.valid.val() && !self.non_canonical.val();
        self.requester.next = self.one.val() << self.waiting.first_requester.val();
        for i in 0..WALKS {
            self.walk[i].top.next = self.top.val();
            self.walk[i].first_vpn.next = bit_cast::<VPN, 52>(self.waiting.first_vpn.val());
            self.walk[i].first_asid.next = self.waiting.first_asid.val();
            self.walk[i].first_write.next = self.waiting.first_write.val();
            self.walk[i].first_execute.next = self.waiting.first_execute.val();
            self.walk[i].first_user.next = self.waiting.first_user.val();
            self.walk[i].first_requester.next = self.requester.val();
        }
        for i in 0..WALKS {
            self.free.request[i].next = self.walk[i].free.val();
            self.some_free.of[i].next = self.walk[i].free.val();
            self.was_alike[i].d.next = self.walk[i].alike.val();
            self.matched[i].next =
                self.joins.q.val() && self.was_alike[i].q.val() && !self.walk[i].free.val();
            self.some_alike.of[i].next = self.matched[i].val();
            self.joined[i].next =
                self.matched[i].val() && !(self.here[i].q.val() && self.walk[i].ended.val());
            self.some_joined.of[i].next = self.joined[i].val();
        }
        self.begin.next =
            self.compared.q.val() && !self.some_alike.any.val() && self.some_free.any.val();
        self.compared.d.next =
            self.canonical.val() && !self.some_joined.any.val() && !self.begin.val();
        self.joins.d.next =
            self.compared.d.val() && (self.waiting.first_user.val() || !self.no_merge.val());
        for i in 0..WALKS {
            self.walk[i].join.next = self.joined[i].val();
            self.walk[i].begin.next = self.begin.val() && self.free.grant[i].val();
        }
        self.pop.next = self.some_joined.any.val()
            || self.begin.val()
            || (self.chosen.q.val() && self.chosen_first.q.val() && self.go.val());
        self.waiting.pop.next = self.pop.val();

        // What leaves next: a request whose address is not canonical, unless one was chosen last, or the next walk in turn that wants an entry or has
        // ended.
        self.choosing.next = !self.chosen.q.val() || self.go.val();
        self.offers_first.next = self.non_canonical.val() && !self.chosen_first.q.val();
        for i in 0..WALKS {
            self.wants[i].next = (self.walk[i].requesting.val() || self.walk[i].ended.val())
                && !self.here[i].q.val();
            self.some_want.of[i].next = self.wants[i].val();
            self.all.request[i].next = self.wants[i].val();
            self.later[i].next =
                self.wants[i].val() && (self.chosen_walk.q.val() < i.to_bits::<WALK>());
            self.some_above.of[i].next = self.later[i].val();
            self.of_later.request[i].next = self.later[i].val();
        }
        if self.choosing.val() {
            self.chosen.d.next =
                (self.offers_first.val() || self.some_want.any.val()) && !self.halting.q.val();
        }
        // Whose turn it is stays while nothing is chosen, or invalidations could pass over the same walk again and again.
        if self.choosing.val() && !self.halting.q.val() {
            self.chosen_first.d.next = self.offers_first.val();
            if !self.offers_first.val() {
                self.chosen_walk.d.next = self.all.index.val();
                if self.some_above.any.val() {
                    self.chosen_walk.d.next = self.of_later.index.val();
                }
            }
        }
        for i in 0..WALKS {
            if self.choosing.val() {
                self.here[i].d.next = !self.offers_first.val()
                    && !self.halting.q.val()
                    && (self.of_later.grant[i].val()
                        || (self.all.grant[i].val() && !self.some_above.any.val()));
            }
        }

        // What was chosen leaves when there is room, and when its root, and in the log its entry, can be read.
        self.room.next = !self.leaving.q.val() || self.taken.val();
        self.tracing.next = self.updates.val() && self.looked.q.val();
        self.go.next = self.room.val() && !self.root_valid.val() && !self.tracing.val();
        for i in 0..WALKS {
            self.moving[i].next = self.here[i].q.val() && self.go.val();
            self.walk[i].moved.next = self.moving[i].val();
        }
        for i in 0..WALKS {
            self.some_requesting.of[i].next = self.here[i].q.val() && self.walk[i].requesting.val();
            self.some_vpn.choose[i].next = self.here[i].q.val();
            self.some_vpn.of[i].next = self.walk[i].vpn.val();
            self.some_asid.choose[i].next = self.here[i].q.val();
            self.some_asid.of[i].next = self.walk[i].asid.val();
            self.some_requesters.choose[i].next = self.here[i].q.val();
            self.some_requesters.of[i].next = self.walk[i].requesters.val();
            self.some_level.choose[i].next = self.here[i].q.val();
            self.some_level.of[i].next = self.walk[i].level.val();
            self.some_pfn.choose[i].next = self.here[i].q.val();
            self.some_pfn.of[i].next = self.walk[i].pfn.val();
            self.some_cause_or_level.choose[i].next = self.here[i].q.val();
            self.some_cause_or_level.of[i].next = self.walk[i].cause_or_level.val();
            self.some_writes.of[i].next = self.here[i].q.val() && self.walk[i].write.val();
            self.some_executes.of[i].next = self.here[i].q.val() && self.walk[i].execute.val();
            self.some_user_mode.of[i].next = self.here[i].q.val() && self.walk[i].user.val();
            self.some_marking.of[i].next = self.here[i].q.val() && self.walk[i].marking.val();
            self.some_writable.of[i].next = self.here[i].q.val() && self.walk[i].writable.val();
            self.some_user_page.of[i].next = self.here[i].q.val() && self.walk[i].user_page.val();
            self.some_executable.of[i].next = self.here[i].q.val() && self.walk[i].executable.val();
            self.some_bypass.of[i].next = self.here[i].q.val() && self.walk[i].bypass.val();
        }
        self.narrow_vpn.next = bit_cast::<52, VPN>(self.some_vpn.chosen.val());
        self.whole_vpn.next = self.narrow_vpn.val();
        if (self.narrow_vpn.val() & self.high_bits.val()).any() {
            self.whole_vpn.next = self.narrow_vpn.val() | self.high_bits.val();
        }
        self.leaving_asid.next = self.some_asid.chosen.val();
        if self.chosen_first.q.val() {
            self.leaving_asid.next = self.waiting.first_asid.val();
        }
        self.leaving.d.next = self.leaving.q.val() && !self.room.val();
        if self.chosen.q.val() && self.go.val() {
            self.leaving.d.next = true;
            self.answers.d.next = !self.some_requesting.any.val();
            self.number.d.next = self.chosen_walk.q.val();
            self.vpn.d.next = self.whole_vpn.val();
            self.asid.d.next = self.leaving_asid.val();
            self.write.d.next = self.some_writes.any.val();
            self.execute.d.next = self.some_executes.any.val();
            self.user.d.next = self.some_user_mode.any.val();
            self.requesters.d.next = self.some_requesters.chosen.val();
            self.level.d.next = self.some_level.chosen.val();
            self.marking.d.next = self.some_marking.any.val();
            self.pfn.d.next = self.some_pfn.chosen.val();
            self.cause.d.next = self.some_cause_or_level.chosen.val();
            self.writable.d.next = self.some_writable.any.val();
            self.user_page.d.next = self.some_user_page.any.val();
            self.executable.d.next = self.some_executable.any.val();
            self.bypass.d.next = self.some_bypass.any.val();
            if self.chosen_first.q.val() {
                self.vpn.d.next = self.waiting.first_vpn.val();
                self.write.d.next = self.waiting.first_write.val();
                self.execute.d.next = self.waiting.first_execute.val();
                self.user.d.next = self.waiting.first_user.val();
                self.requesters.d.next = self.requester.val();
                self.cause.d.next = 1.into();
            }
        }
        self.roots.enable.next =
            (self.root_valid.val() || (self.chosen.q.val() && self.go.val())) && !self.reset.val();
        self.roots.write.next = self.root_valid.val();
        self.roots.address.next = self.leaving_asid.val();
        if self.root_valid.val() {
            self.roots.address.next = self.root_asid.val();
        }
        self.roots.data[0].next = self.root_pfn.val();
        self.pte_log.enable.next = self.updates.val()
            && (self.tracing.val() || (self.chosen.q.val() && self.go.val()))
            && !self.reset.val();
        self.pte_log.write.next = self.tracing.val();
        self.pte_log.address.next = (bit_cast::<ENTRY, WALK>(self.chosen_walk.q.val()) << 3)
            | bit_cast::<ENTRY, 3>(self.some_level.chosen.val());
        if self.tracing.val() {
            self.pte_log.address.next = (bit_cast::<ENTRY, WALK>(self.seen_walk.q.val()) << 3)
                | bit_cast::<ENTRY, 3>(self.seen_level.q.val());
        }
        self.pte_log.data[0].next = self.seen_data.q.val();

        // An answer.
        self.found.next = self.answers.q.val() && !self.cause.q.val().any();
        self.answer_valid.next = self.leaving.q.val() && self.answers.q.val();
        self.answer_requesters.next = self.requesters.q.val();
        self.answer_vpn.next = self.vpn.q.val();
        self.answer_asid.next = self.asid.q.val();
        self.answer_write.next = self.write.q.val();
        self.answer_execute.next = self.execute.q.val();
        self.answer_user.next = self.user.q.val();
        self.answer_level.next = self.level.q.val();
        self.answer_cause.next = 0.into();
        if self.answers.q.val() {
            self.answer_cause.next = self.cause.q.val();
        }
        self.readable.next = self.found.val()
            || (self.answers.q.val() && (self.cause.q.val() == 4) && self.writable.q.val());
        self.answer_readable.next = self.readable.val();
        self.answer_pfn.next = 0.into();
        if self.readable.val() {
            self.answer_pfn.next = self.pfn.q.val();
        }
        self.answer_clean.next = self.found.val() && self.marking.q.val();
        self.answer_writable.next = self.found.val() && self.writable.q.val();
        self.answer_user_page.next = self.found.val() && self.user_page.q.val();
        self.answer_executable.next = self.found.val() && self.executable.q.val();
        self.coded.next =
            self.answers.q.val() && (1 < self.cause.q.val()) && (self.cause.q.val() < 7);
        self.code.choose[0].next = self.coded.val() && (self.cause.q.val() != 2);
        self.code.choose[1].next = self.coded.val() && self.write.q.val();
        self.code.choose[2].next = self.coded.val() && self.user.q.val();
        self.code.choose[3].next = self.coded.val() && (self.cause.q.val() == 3);
        self.code.choose[4].next = self.coded.val()
            && self.execute.q.val()
            && !self.write.q.val()
            && self.execute_disable.val();
        for i in 0..5 {
            self.code.of[i].next = self.code_bit[i].val();
        }
        self.answer_code.next = self.code.chosen.val();

        // A word of memory. An entry whose bits are set already needs no update, and comes back as if from memory.
        self.entry.next = self.pte_log.q[0].val() & self.pte_log_mask.val();
        self.maps.next = (self.level.q.val() == 1)
            || (self.entry.val().get_bit(7)
                && ((self.level.q.val() == 2) || (self.level.q.val() == 3)));
        self.dirty.next =
            self.marking.q.val() && !self.answers.q.val() && self.write.q.val() && self.maps.val();
        self.skips.next = !self.answers.q.val()
            && self.marking.q.val()
            && self.entry.val().get_bit(5)
            && (self.entry.val().get_bit(6) || !self.dirty.val());
        self.skipped.next = self.leaving.q.val()
            && self.skips.val()
            && !(self.back.q.val() && self.response_valid.val());
        self.memory_valid.next = self.leaving.q.val() && !self.answers.q.val() && !self.skips.val();
        self.taken.next = self.skipped.val()
            || (self.answer_valid.val() && self.answer_ready.val())
            || (self.memory_valid.val() && self.memory_ready.val());
        self.memory_walk.next = self.number.q.val();
        self.memory_level.next = self.level.q.val();
        self.memory_update.next = self.marking.q.val() && !self.answers.q.val();
        self.memory_dirty.next = self.dirty.val();
        self.memory_expected.next = self.entry.val();
        self.memory_bypass.next = self.bypass.q.val();
        self.table.next = self.pfn.q.val();
        if self.level.q.val() == self.top.val() {
            self.table.next = self.roots.q[0].val();
        }
        self.wide_vpn.next = bit_cast::<45, 52>(self.vpn.q.val());
        self.index.next = self.wide_vpn.val().get_bits::<9>(0);
        if self.level.q.val() == 2 {
            self.index.next = self.wide_vpn.val().get_bits::<9>(9);
        }
        if self.level.q.val() == 3 {
            self.index.next = self.wide_vpn.val().get_bits::<9>(18);
        }
        if self.level.q.val() == 4 {
            self.index.next = self.wide_vpn.val().get_bits::<9>(27);
        }
        if self.level.q.val() == 5 {
            self.index.next = self.wide_vpn.val().get_bits::<9>(36);
        }
        self.memory_word.next = 0.into();
        if !self.answers.q.val() {
            self.memory_word.next = (bit_cast::<WORD, PFN>(self.table.val()) << 9)
                | bit_cast::<WORD, 9>(self.index.val());
        }

        // What comes from memory, or back from the log, which waits for memory to be silent.
        self.back.d.next = self.skipped.val() || (self.back.q.val() && self.response_valid.val());
        if self.skipped.val() {
            self.back_walk.d.next = self.number.q.val();
            self.back_data.d.next = self.entry.val();
        }
        self.looked.d.next = self.response_valid.val() || self.back.q.val();
        self.of_walk.next = self.back_walk.q.val();
        self.seen_data.d.next = self.back_data.q.val();
        if self.response_valid.val() {
            self.of_walk.next = self.response_walk.val();
            self.seen_data.d.next = self.response_data.val();
        }
        self.seen_walk.d.next = self.of_walk.val();
        self.seen_error.d.next = self.response_valid.val() && self.response_error.val();
        self.seen_changed.d.next = self.response_valid.val() && self.response_changed.val();

        // The state of its walk.
        for i in 0..WALKS {
            self.arrived_at[i].next = self.of_walk.val() == i.to_bits::<WALK>();
            self.looked_level.choose[i].next = self.arrived_at[i].val();
            self.looked_level.of[i].next = self.walk[i].level.val();
            self.looked_cause_or_level.choose[i].next = self.arrived_at[i].val();
            self.looked_cause_or_level.of[i].next = self.walk[i].cause_or_level.val();
            self.looked_inside.choose[i].next = self.arrived_at[i].val();
            self.looked_inside.of[i].next = self.walk[i].vpn.val().get_bits::<18>(0);
            self.looked_write.of[i].next = self.arrived_at[i].val() && self.walk[i].write.val();
            self.looked_execute.of[i].next = self.arrived_at[i].val() && self.walk[i].execute.val();
            self.looked_user.of[i].next = self.arrived_at[i].val() && self.walk[i].user.val();
            // After the end of a walk its `marking` means something else.
            self.looked_marking.of[i].next =
                self.arrived_at[i].val() && self.walk[i].marking.val() && !self.walk[i].ended.val();
            self.looked_writable.of[i].next =
                self.arrived_at[i].val() && self.walk[i].writable.val();
            self.looked_user_page.of[i].next =
                self.arrived_at[i].val() && self.walk[i].user_page.val();
            self.looked_executable.of[i].next =
                self.arrived_at[i].val() && self.walk[i].executable.val();
            self.looked_used.of[i].next = self.arrived_at[i].val() && self.walk[i].used.val();
        }
        self.seen_level.d.next = self.looked_level.chosen.val();
        self.seen_unmarked.d.next = self.looked_cause_or_level.chosen.val();
        self.seen_inside.d.next = self.looked_inside.chosen.val();
        self.seen_write.d.next = self.looked_write.any.val();
        self.seen_execute.d.next = self.looked_execute.any.val();
        self.seen_user.d.next = self.looked_user.any.val();
        self.seen_marking.d.next = self.looked_marking.any.val();
        self.seen_writable.d.next = self.looked_writable.any.val();
        self.seen_user_page.d.next = self.looked_user_page.any.val();
        self.seen_executable.d.next = self.looked_executable.any.val();
        self.seen_used.d.next =
            self.looked_used.any.val() || (self.response_valid.val() && self.response_kept.val());

        // What it means for its walk.
        self.pte_decode.present.next = self.seen_data.q.val().get_bit(0);
        self.pte_decode.may_write.next = self.seen_data.q.val().get_bit(1);
        self.pte_decode.for_users.next = self.seen_data.q.val().get_bit(2);
        self.pte_decode.accessed.next = self.seen_data.q.val().get_bit(5);
        self.pte_decode.is_dirty.next = self.seen_data.q.val().get_bit(6);
        self.pte_decode.page_size.next = self.seen_data.q.val().get_bit(7);
        self.pte_decode.disabled.next = self.seen_data.q.val().get_bit(63);
        self.pte_decode.address.next = self.seen_data.q.val().get_bits::<40>(12);
        self.pte_decode.error.next = self.seen_error.q.val();
        self.pte_decode.level.next = self.seen_level.q.val();
        self.pte_decode.top.next = self.top.val();
        self.pte_decode.inside.next = self.seen_inside.q.val();
        self.pte_decode.write.next = self.seen_write.q.val();
        self.pte_decode.execute.next = self.seen_execute.q.val();
        self.pte_decode.user.next = self.seen_user.q.val();
        self.pte_decode.writable.next = self.seen_writable.q.val();
        self.pte_decode.user_page.next = self.seen_user_page.q.val();
        self.pte_decode.executable.next = self.seen_executable.q.val();
        self.pte_decode.unmarked.next = self.seen_unmarked.q.val();
        self.pte_decode.marking.next = self.seen_marking.q.val();
        self.pte_decode.updates.next = self.updates.val();
        self.pte_decode.reserved_bits.next = self.reserved_bits.val();
        self.pte_decode.execute_disable.next = self.execute_disable.val();
        self.pte_decode.last_pfn.next = self.last_pfn.val();
        self.pte_decode.used.next = self.seen_used.q.val();
        self.means.d.next = self.looked.q.val();
        self.out_walk.d.next = self.seen_walk.q.val();
        self.out_restart_bypassed.d.next =
            self.seen_changed.q.val() || self.pte_decode.doubtful.val();
        self.out_ends.d.next = self.pte_decode.ends.val();
        self.out_level.d.next = self.pte_decode.next_level.val();
        self.out_marking.d.next = self.pte_decode.next_marking.val();
        self.out_pfn.d.next = self.pte_decode.next_pfn.val();
        self.out_cause_or_level.d.next = self.pte_decode.next_cause_or_level.val();
        self.out_writable.d.next = self.pte_decode.next_writable.val();
        self.out_user_page.d.next = self.pte_decode.next_user_page.val();
        self.out_executable.d.next = self.pte_decode.next_executable.val();
        self.out_used.d.next = self.seen_used.q.val();
        for i in 0..WALKS {
            self.walk[i].answered.next =
                self.means.q.val() && (self.out_walk.q.val() == i.to_bits::<WALK>());
            self.walk[i].restart_bypassed.next = self.out_restart_bypassed.q.val();
            self.walk[i].ends.next = self.out_ends.q.val();
            self.walk[i].next_level.next = self.out_level.q.val();
            self.walk[i].next_marking.next = self.out_marking.q.val();
            self.walk[i].next_pfn.next = self.out_pfn.q.val();
            self.walk[i].next_cause_or_level.next = self.out_cause_or_level.q.val();
            self.walk[i].next_writable.next = self.out_writable.q.val();
            self.walk[i].next_user_page.next = self.out_user_page.q.val();
            self.walk[i].next_executable.next = self.out_executable.q.val();
            self.walk[i].next_used.next = self.out_used.q.val();
        }

        // An invalidation waits for the walks that the last one has delayed; then it reaches every walk at once, and is done
        // when what has left them before has gone.
        self.invalidating.next =
            self.invalidate_valid.val() && !self.halting.q.val() && !self.delays.q.val();
        self.delays.d.next = self.some_delayed.any.val();
        for i in 0..WALKS {
            self.walk[i].invalidating.next = self.invalidating.val();
            self.walk[i].invalidate_asid.next = self.invalidate_asid.val();
            self.walk[i].invalidate_all.next = self.invalidate_all.val();
            self.some_setting.of[i].next = self.walk[i].setting.val();
            self.some_delayed.of[i].next = self.walk[i].delayed.val();
        }
        self.invalidate_ready.next = self.halting.q.val()
            && !self.chosen.q.val()
            && !self.leaving.q.val()
            && !self.some_setting.any.val();
        self.halting.d.next = self.invalidating.val();
        if self.halting.q.val() {
            self.halting.d.next = !self.invalidate_ready.val();
        }
    }
}

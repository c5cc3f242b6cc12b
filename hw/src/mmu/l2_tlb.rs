#![doc = include_str!("../../../docs/blocks/l2_tlb.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::lru_matrix::LruMatrix;
use crate::primitives::memory::Memory;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::one_hot_priority_encoder::OneHotPriorityEncoder;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;
use crate::primitives::round_robin_arbiter::RoundRobinArbiter;

mod choice;
mod miss;
mod way;

use choice::Choice;
use miss::Miss;
use way::Way;

/// L2 TLB, shared by all SMs: one lookup every other cycle, in single-ported memories. `SMS` SMs with numbers of `SM`
/// bits. Sets with numbers of `SET` bits, counted in `SET_COUNT` bits, of `WAYS` ways with `PAIRS` pairs; entries with
/// numbers of `ENTRY` bits. Pages of `VPN` bits, `TAG` of them above the set; spaces of `ASID` bits, frames of
/// `PFN`. A word of a way's tags has `TAG_WORD` bits. A level of the tables translates `LEVEL` bits.
#[block(top)]
#[check(1 << SM == SMS, "{SM} bits do not number {SMS} SMs")]
#[check(SET + 1 == SET_COUNT && 1 << (ENTRY - SET) == WAYS, "{SET_COUNT} and {ENTRY} bits do not fit sets of {SET} and {WAYS} ways")]
#[check(SET + TAG == VPN, "{SET} and {TAG} bits do not make a page number of {VPN}")]
pub struct L2Tlb<
    const SMS: usize,
    const SM: usize,
    const SET: usize,
    const SET_COUNT: usize,
    const WAYS: usize,
    const PAIRS: usize,
    const ENTRY: usize,
    const VPN: usize,
    const TAG: usize,
    const ASID: usize,
    const PFN: usize,
    const TAG_WORD: usize,
    const LEVEL: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: invalidates every translation and drops every request.
    pub reset: Signal<In, Bit>,

    /// SMs that request a translation, one bit each.
    pub request_valid: [Signal<In, Bit>; SMS],
    /// Page number of each SM's request.
    pub request_vpn: [Signal<In, Bits<VPN>>; SMS],
    /// Address space of each SM's request.
    pub request_asid: [Signal<In, Bits<ASID>>; SMS],
    /// Requests whose page is to be written, one bit each.
    pub request_write: [Signal<In, Bit>; SMS],
    /// SMs whose miss is taken, one bit each.
    pub miss_ready: [Signal<In, Bit>; SMS],
    /// A walk has found a page.
    pub fill_valid: Signal<In, Bit>,
    /// Page number of the fill.
    pub fill_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the fill.
    pub fill_asid: Signal<In, Bits<ASID>>,
    /// Frame of the page.
    pub fill_pfn: Signal<In, Bits<PFN>>,
    /// The page may be written.
    pub fill_writable: Signal<In, Bit>,
    /// The page's dirty bit is clear.
    pub fill_clean: Signal<In, Bit>,
    /// Size of the page: 4 KB (1), or a 4 KB piece of a page of 2 MB (2) or 1 GB (3).
    pub fill_level: Signal<In, Bits<2>>,
    /// Translations are to be invalidated.
    pub invalidate_valid: Signal<In, Bit>,
    /// Scope of the invalidation: 0 the entries that contain this page, 1 every page of this space, 2 or 3
    /// everything.
    pub invalidate_scope: Signal<In, Bits<2>>,
    /// Page number of the invalidation.
    pub invalidate_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the invalidation.
    pub invalidate_asid: Signal<In, Bits<ASID>>,

    /// SMs whose request is accepted, one bit each.
    pub request_ready: [Signal<Out, Bit>; SMS],
    /// A request has hit; the answer is always taken.
    pub answer_valid: Signal<Out, Bit>,
    /// SM whose request has hit, one bit each.
    pub answer_to: [Signal<Out, Bit>; SMS],
    /// Page number of the hit.
    pub answer_vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the hit.
    pub answer_asid: Signal<Out, Bits<ASID>>,
    /// Frame of the page.
    pub answer_pfn: Signal<Out, Bits<PFN>>,
    /// The page may be written.
    pub answer_writable: Signal<Out, Bit>,
    /// The page's dirty bit is clear.
    pub answer_clean: Signal<Out, Bit>,
    /// The page is a piece of a page of 2 MB or 1 GB.
    pub answer_large: Signal<Out, Bit>,
    /// SMs for which a page is to be walked, one bit each.
    pub miss_valid: [Signal<Out, Bit>; SMS],
    /// Page number of each SM's miss.
    pub miss_vpn: [Signal<Out, Bits<VPN>>; SMS],
    /// Address space of each SM's miss.
    pub miss_asid: [Signal<Out, Bits<ASID>>; SMS],
    /// Misses of requests for a write, one bit each.
    pub miss_write: [Signal<Out, Bit>; SMS],
    /// The fill is accepted.
    pub fill_ready: Signal<Out, Bit>,
    /// The invalidation is complete.
    pub invalidate_ready: Signal<Out, Bit>,

    // The operation: a lookup, a fill, or a step of an invalidation, of a page, of its space, or of all.
    vpn: Register<Bits<VPN>>,
    asid: Register<Bits<ASID>>,
    set: Register<Bits<SET>>,
    write: Register<Bit>,
    of_lookup: Register<Bit>,
    of_fill: Register<Bit>,
    of_step: Register<Bit>,
    drop_asid: Register<Bit>,
    drop_all: Register<Bit>,
    pfn: Register<Bits<PFN>>,
    level: Register<Bits<2>>,
    writable: Register<Bit>,
    clean: Register<Bit>,
    requester: [Register<Bit>; SMS],

    // The port of the last lookup.
    turn: Register<Bits<SM>>,

    // The answer.
    answering: Register<Bit>,
    answer_of: Register<Bits<VPN>>,
    answer_in: Register<Bits<ASID>>,
    answer_may_write: Register<Bit>,
    answer_is_clean: Register<Bit>,
    answer_is_large: Register<Bit>,
    answer_for: [Register<Bit>; SMS],

    choice: Choice<SET, SET_COUNT>,
    turns: RoundRobinArbiter<SMS, SM>,
    way: [Way<SET, TAG, ASID, TAG_WORD, LEVEL>; WAYS],
    #[init(Memory::new(1 << SET, 1))]
    order: Memory<Bits<PAIRS>, SET, 1>,
    #[init(Memory::new(1 << ENTRY, 1))]
    frames: Memory<Bits<PFN>, ENTRY, 1>,
    own_miss: [Miss<VPN, ASID>; SMS],
    recency: LruMatrix<1, 1, WAYS, PAIRS>,
    vacant: OneHotPriorityEncoder<WAYS>,

    #[init(Constant::new((SET as LiteralType).into()))]
    set_bits: Constant<Bits<VPN>>,
    #[init(Constant::new(((ENTRY - SET) as LiteralType).into()))]
    way_bits: Constant<Bits<ENTRY>>,
    requesting: [Signal<Local, Bit>; SMS],
    some_requesting: OrTree<SMS>,
    chosen: [Signal<Local, Bit>; SMS],
    chosen_vpn: OneHotMux<SMS, Bits<VPN>>,
    chosen_asid: OneHotMux<SMS, Bits<ASID>>,
    chosen_write: OrTree<SMS>,
    next_vpn: Signal<Local, Bits<VPN>>,
    next_asid: Signal<Local, Bits<ASID>>,
    next_set: Signal<Local, Bits<SET>>,
    looking: Signal<Local, Bit>,
    filling: Signal<Local, Bit>,
    dropping: Signal<Local, Bit>,
    same_set: Signal<Local, Bit>,
    hit: [Signal<Local, Bit>; WAYS],
    target: [Signal<Local, Bit>; WAYS],
    dropped: [Signal<Local, Bit>; WAYS],
    used: [Signal<Local, Bit>; WAYS],
    some_hit: OrTree<WAYS>,
    some_found: OrTree<WAYS>,
    some_vacant: OrTree<WAYS>,
    some_used: OrTree<WAYS>,
    some_writable: OrTree<WAYS>,
    some_clean: OrTree<WAYS>,
    some_large: OrTree<WAYS>,
    used_way: OneHotMux<WAYS, Bits<ENTRY>>,
}

impl<
    const SMS: usize,
    const SM: usize,
    const SET: usize,
    const SET_COUNT: usize,
    const WAYS: usize,
    const PAIRS: usize,
    const ENTRY: usize,
    const VPN: usize,
    const TAG: usize,
    const ASID: usize,
    const PFN: usize,
    const TAG_WORD: usize,
    const LEVEL: usize,
> Logic
    for L2Tlb<SMS, SM, SET, SET_COUNT, WAYS, PAIRS, ENTRY, VPN, TAG, ASID, PFN, TAG_WORD, LEVEL>
{
    #[logic]
    fn update(&mut self) {
        // What is next.
        for n in 0..SMS {
            self.requesting[n].next = self.request_valid[n].val()
                && !self.own_miss[n].offered.val()
                && !(self.choice.acting.val() && self.requester[n].q.val());
            self.some_requesting.of[n].next = self.requesting[n].val();
            self.turns.request[n].next = self.requesting[n].val();
        }
        self.turns.last.next = self.turn.q.val();
        self.choice.requesting.next = self.some_requesting.any.val();
        self.choice.fill_valid.next = self.fill_valid.val();
        self.choice.invalidate_valid.next = self.invalidate_valid.val();
        self.fill_ready.next = self.choice.fill_ready.val();
        self.invalidate_ready.next = self.choice.acknowledge.val();
        for n in 0..SMS {
            self.chosen[n].next = self.turns.index.val() == n.to_bits::<SM>();
            self.request_ready[n].next = self.choice.lookup.val() && self.chosen[n].val();
            self.chosen_vpn.choose[n].next = self.chosen[n].val();
            self.chosen_vpn.of[n].next = self.request_vpn[n].val();
            self.chosen_asid.choose[n].next = self.chosen[n].val();
            self.chosen_asid.of[n].next = self.request_asid[n].val();
            self.chosen_write.of[n].next = self.chosen[n].val() && self.request_write[n].val();
        }
        if self.choice.lookup.val() {
            self.turn.d.next = self.turns.index.val();
        }

        // The operation. A fill and a step never come together.
        self.next_vpn.next = self.fill_vpn.val();
        self.next_asid.next = self.fill_asid.val();
        if self.choice.sweeps.val() {
            self.next_vpn.next = self.invalidate_vpn.val();
            self.next_asid.next = self.invalidate_asid.val();
        }
        if self.choice.lookup.val() {
            self.next_vpn.next = self.chosen_vpn.chosen.val();
            self.next_asid.next = self.chosen_asid.chosen.val();
        }
        self.next_set.next = bit_cast::<SET, VPN>(self.next_vpn.val());
        if self.choice.step.val() {
            self.next_set.next = self.choice.step_set.val();
        }
        if !self.choice.reading.val() {
            self.vpn.d.next = self.next_vpn.val();
            self.asid.d.next = self.next_asid.val();
            self.set.d.next = self.next_set.val();
            self.write.d.next = self.chosen_write.any.val();
            self.of_lookup.d.next = self.choice.lookup.val();
            self.of_fill.d.next = self.choice.fill.val();
            self.of_step.d.next = self.choice.step.val();
            self.drop_asid.d.next = self.invalidate_scope.val().get_bit(0);
            self.drop_all.d.next =
                self.choice.clearing.val() || self.invalidate_scope.val().get_bit(1);
            self.pfn.d.next = self.fill_pfn.val();
            self.level.d.next = self.fill_level.val();
            self.writable.d.next = self.fill_writable.val();
            self.clean.d.next = self.fill_clean.val();
        }
        for n in 0..SMS {
            if !self.choice.reading.val() {
                self.requester[n].d.next = self.choice.lookup.val() && self.chosen[n].val();
            }
        }

        // The set: it is read, and what the operation makes of it is written.
        self.looking.next = self.choice.acting.val() && self.of_lookup.q.val();
        self.filling.next = self.choice.acting.val() && self.of_fill.q.val();
        self.dropping.next = self.choice.acting.val() && self.of_step.q.val();
        self.same_set.next = self.set.q.val() == bit_cast::<SET, VPN>(self.vpn.q.val());
        for w in 0..WAYS {
            self.way[w].read.next = self.choice.reading.val();
            self.way[w].in_set.next = self.set.q.val();
            self.way[w].tag.next = bit_cast::<TAG, VPN>(self.vpn.q.val() >> self.set_bits.val());
            self.way[w].asid.next = self.asid.q.val();
            self.way[w].same_set.next = self.same_set.val();
            self.way[w].level.next = self.level.q.val();
            self.way[w].writable.next = self.writable.q.val();
            self.way[w].clean.next = self.clean.q.val();
            self.way[w].present.next = self.of_fill.q.val();
            self.some_found.of[w].next = self.way[w].found.val();
            self.vacant.request[w].next = !self.way[w].taken.val();
            self.some_vacant.of[w].next = !self.way[w].taken.val();
        }
        for w in 0..WAYS {
            self.hit[w].next = self.looking.val()
                && self.way[w].found.val()
                && !(self.write.q.val()
                    && (self.way[w].is_clean.val() || !self.way[w].may_write.val()));
            self.target[w].next = self.filling.val()
                && (self.way[w].found.val()
                    || (!self.some_found.any.val()
                        && (self.vacant.grant[w].val()
                            || (self.recency.oldest[w].val() && !self.some_vacant.any.val()))));
            self.dropped[w].next = self.dropping.val()
                && (self.drop_all.q.val()
                    || (self.drop_asid.q.val() && self.way[w].in_asid.val())
                    || self.way[w].contained.val());
            self.way[w].write.next = self.target[w].val() || self.dropped[w].val();
            self.used[w].next = self.hit[w].val() || self.target[w].val();
            self.some_hit.of[w].next = self.hit[w].val();
            self.some_writable.of[w].next = self.hit[w].val() && self.way[w].may_write.val();
            self.some_clean.of[w].next = self.hit[w].val() && self.way[w].is_clean.val();
            self.some_large.of[w].next = self.hit[w].val() && self.way[w].is_large.val();
            self.some_used.of[w].next = self.used[w].val();
            self.used_way.choose[w].next = self.used[w].val();
            self.used_way.of[w].next = w.to_bits::<ENTRY>();
            self.recency.used[w].next = false;
            self.recency.replaced[w].next = self.used[w].val();
        }
        self.recency.used_set.next = bits::<1>(0);
        self.recency.replaced_set.next = bits::<1>(0);
        self.recency.order[0].next = self.order.q[0].val();
        // An operation that uses no way writes the order back unchanged: whether one is used is known too late.
        self.order.enable.next = self.choice.reading.val() || self.choice.acting.val();
        self.order.write.next = !self.choice.reading.val();
        self.order.address.next = self.set.q.val();
        self.order.data[0].next = self.recency.next[0].val();
        self.frames.enable.next = self.some_used.any.val();
        self.frames.write.next = self.of_fill.q.val();
        self.frames.address.next = (bit_cast::<ENTRY, SET>(self.set.q.val())
            << self.way_bits.val())
            | self.used_way.chosen.val();
        self.frames.data[0].next = self.pfn.q.val();

        // The answer, or the miss.
        self.answering.d.next = self.some_hit.any.val();
        self.answer_of.d.next = self.vpn.q.val();
        self.answer_in.d.next = self.asid.q.val();
        self.answer_may_write.d.next = self.some_writable.any.val();
        self.answer_is_clean.d.next = self.some_clean.any.val();
        self.answer_is_large.d.next = self.some_large.any.val();
        self.answer_valid.next = self.answering.q.val();
        self.answer_writable.next = self.answer_may_write.q.val();
        self.answer_clean.next = self.answer_is_clean.q.val();
        self.answer_large.next = self.answer_is_large.q.val();
        self.answer_vpn.next = bits::<VPN>(0);
        self.answer_asid.next = bits::<ASID>(0);
        self.answer_pfn.next = bits::<PFN>(0);
        if self.answering.q.val() {
            self.answer_vpn.next = self.answer_of.q.val();
            self.answer_asid.next = self.answer_in.q.val();
            self.answer_pfn.next = self.frames.q[0].val();
        }
        for n in 0..SMS {
            self.answer_for[n].d.next = self.requester[n].q.val();
            self.answer_to[n].next = self.answering.q.val() && self.answer_for[n].q.val();
            self.own_miss[n].looked_up.next = self.looking.val() && self.requester[n].q.val();
            self.own_miss[n].missed.next = !self.some_hit.any.val();
            self.own_miss[n].vpn.next = self.vpn.q.val();
            self.own_miss[n].asid.next = self.asid.q.val();
            self.own_miss[n].write.next = self.write.q.val();
            self.own_miss[n].ready.next = self.miss_ready[n].val();
            self.miss_valid[n].next = self.own_miss[n].offered.val();
            self.miss_vpn[n].next = self.own_miss[n].miss_vpn.val();
            self.miss_asid[n].next = self.own_miss[n].miss_asid.val();
            self.miss_write[n].next = self.own_miss[n].miss_write.val();
        }
    }
}

#![doc = include_str!("../../../docs/blocks/l1_tlb.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::lru_matrix::LruMatrix;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::one_hot_priority_encoder::OneHotPriorityEncoder;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

mod large;
mod misses;
mod way;

use large::LargeEntries;
use misses::Misses;
use way::Way;

/// L1 TLB: translates in the next cycle, keeps the walks of missing pages, and waits out far faults. `SETS` sets with
/// numbers of `SET` bits, of `WAYS` ways with `PAIRS` pairs. Pages of `VPN` bits, `TAG` of them above the set; spaces
/// of `ASID` bits, frames of `PFN`, tags of checks of `CHECK_TAG`. `MISSES` misses with numbers of `MISS` bits,
/// counted in `MISS_COUNT` bits, their order in `ORDERS` words of `ORDER` bits. `LARGES` is 1 for a TLB with large entries
/// and 0 for one without: `LARGE` of them with `LARGE_PAIRS` pairs, for pages with `LOW` low bits of a page number, `UPPER`
/// above them, and `FRAME` bits of a frame above as many.
#[block(top)]
#[check(SET + TAG == VPN, "{SET} and {TAG} bits do not make a page number of {VPN}")]
#[check(LARGES == 0 || (LARGES == 1 && LOW + UPPER == VPN && LOW + FRAME == PFN), "{LOW} low bits leave not {UPPER} of {VPN} and {FRAME} of {PFN}")]
#[check((1 << MISS) == MISSES && MISS + 1 == MISS_COUNT, "{MISS} and {MISS_COUNT} bits do not fit {MISSES} misses")]
pub struct L1Tlb<
    const SETS: usize,
    const SET: usize,
    const WAYS: usize,
    const PAIRS: usize,
    const VPN: usize,
    const TAG: usize,
    const ASID: usize,
    const PFN: usize,
    const CHECK_TAG: usize,
    const MISSES: usize,
    const MISS: usize,
    const MISS_COUNT: usize,
    const ORDERS: usize,
    const ORDER: usize,
    const LARGES: usize,
    const LARGE: usize,
    const LARGE_PAIRS: usize,
    const LOW: usize,
    const UPPER: usize,
    const FRAME: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: invalidates every translation and drops every miss.
    pub reset: Signal<In, Bit>,

    /// A check is valid: it requests the page's frame and whether the access is allowed.
    pub check_valid: Signal<In, Bit>,
    /// Page number of the check.
    pub check_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the check.
    pub check_asid: Signal<In, Bits<ASID>>,
    /// The check is for a write.
    pub check_write: Signal<In, Bit>,
    /// Tag of the requester's choice, which comes back with the answer.
    pub check_tag: Signal<In, Bits<CHECK_TAG>>,
    /// The walk on offer is taken.
    pub walk_ready: Signal<In, Bit>,
    /// The answer to a walk, or the cancellation of a far fault.
    pub fill_valid: Signal<In, Bit>,
    /// Kind of the answer: 0 a translation, 1 denied, 2 far fault held, 3 Nack (the far fault is not held), 4 the
    /// far fault was cancelled, 5 a translation of a large page.
    pub fill_kind: Signal<In, Bits<3>>,
    /// Page number of the answer.
    pub fill_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the answer.
    pub fill_asid: Signal<In, Bits<ASID>>,
    /// Frame of a translation.
    pub fill_pfn: Signal<In, Bits<PFN>>,
    /// The page may be written.
    pub fill_writable: Signal<In, Bit>,
    /// The page's dirty bit was clear when it was read.
    pub fill_clean: Signal<In, Bit>,
    /// A far fault that was held has resolved.
    pub resolve_valid: Signal<In, Bit>,
    /// Page number of the resolved far fault.
    pub resolve_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the resolved far fault.
    pub resolve_asid: Signal<In, Bits<ASID>>,
    /// Translations are invalidated.
    pub invalidate_valid: Signal<In, Bit>,
    /// Scope of the invalidation: 0 this page, 1 every page of this space, 2 or 3 everything.
    pub invalidate_scope: Signal<In, Bits<2>>,
    /// Page number of the invalidation.
    pub invalidate_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the invalidation.
    pub invalidate_asid: Signal<In, Bits<ASID>>,
    /// Far faults that the GMMU can hold for this SM.
    pub far_limit: Signal<In, Bits<MISS_COUNT>>,
    /// Checks of absent pages are answered with a fault: 1 where a warp can leave, 0 where it stalls.
    pub report_faults: Signal<In, Bit>,

    /// The check is accepted.
    pub check_ready: Signal<Out, Bit>,
    /// The check of the previous cycle is answered.
    pub answer_valid: Signal<Out, Bit>,
    /// Tag of the answered check.
    pub answer_tag: Signal<Out, Bits<CHECK_TAG>>,
    /// The access proceeds, with the frame in `answer_pfn`.
    pub answer_hit: Signal<Out, Bit>,
    /// Frame of the page.
    pub answer_pfn: Signal<Out, Bits<PFN>>,
    /// The page is absent: the warp leaves, and comes back after a wake-up.
    pub answer_fault: Signal<Out, Bit>,
    /// The access is not allowed; no wake-up follows.
    pub answer_denied: Signal<Out, Bit>,
    /// A page is to be walked.
    pub walk_valid: Signal<Out, Bit>,
    /// Page number of the walk.
    pub walk_vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the walk.
    pub walk_asid: Signal<Out, Bits<ASID>>,
    /// The check that missed the page first was a write.
    pub walk_write: Signal<Out, Bit>,
    /// Checks that wait for the page in `wake_vpn` are to be repeated.
    pub wake_valid: Signal<Out, Bit>,
    /// With `wake_valid`, checks that wait for any other page are to be repeated as well.
    pub wake_all: Signal<Out, Bit>,
    /// Page number of the wake-up.
    pub wake_vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the wake-up.
    pub wake_asid: Signal<Out, Bits<ASID>>,

    // What came in the cycle before: a check or an invalidation, a fill, a resolution.
    checking: Register<Bit>,
    look_vpn: Register<Bits<VPN>>,
    look_asid: Register<Bits<ASID>>,
    look_write: Register<Bit>,
    look_tag: Register<Bits<CHECK_TAG>>,
    drop_vpn: Register<Bit>,
    drop_asid: Register<Bit>,
    drop_all: Register<Bit>,
    filling: Register<Bit>,
    kind: Register<Bits<3>>,
    fill_of: Register<Bits<VPN>>,
    fill_in: Register<Bits<ASID>>,
    pfn: Register<Bits<PFN>>,
    writable: Register<Bit>,
    clean: Register<Bit>,
    of_large: [Register<Bit>; LARGES],
    resolving: Register<Bit>,
    resolve_of: Register<Bits<VPN>>,
    resolve_in: Register<Bits<ASID>>,

    // The wake-up that follows a fill.
    waking: Register<Bit>,
    waking_all: Register<Bit>,
    wake_of: Register<Bits<VPN>>,
    wake_in: Register<Bits<ASID>>,

    order: [Register<Bits<PAIRS>>; SETS],

    #[init(Constant::new((SET as LiteralType).into()))]
    set_bits: Constant<Bits<VPN>>,
    way: [Way<SETS, SET, TAG, ASID, PFN>; WAYS],
    // What is replaced depends on what is oldest, and the order on what is replaced: in one instance a simulator may see a
    // loop. Synthesis leaves one of the two in each.
    recency: LruMatrix<SETS, SET, WAYS, PAIRS>,
    eldest: LruMatrix<SETS, SET, WAYS, PAIRS>,
    vacant: OneHotPriorityEncoder<WAYS>,
    some_vacant: OrTree<WAYS>,
    large_entries: [LargeEntries<LARGE, LARGE_PAIRS, VPN, LOW, UPPER, ASID, PFN, FRAME>; LARGES],
    misses: Misses<MISSES, MISS, MISS_COUNT, ORDERS, ORDER, VPN, ASID, LARGES, LOW>,
    resident: OrTree<WAYS>,
    found_pfn: OneHotMux<WAYS, Bits<PFN>>,
    found_writable: OrTree<WAYS>,
    found_denied: OrTree<WAYS>,
    hit: [Signal<Local, Bit>; WAYS],
    victim: [Signal<Local, Bit>; WAYS],
    look_set: Signal<Local, Bits<SET>>,
    look_above: Signal<Local, Bits<TAG>>,
    fill_set: Signal<Local, Bits<SET>>,
    fill_above: Signal<Local, Bits<TAG>>,
    denied: Signal<Local, Bit>,
    allowed: Signal<Local, Bit>,
}

impl<
    const SETS: usize,
    const SET: usize,
    const WAYS: usize,
    const PAIRS: usize,
    const VPN: usize,
    const TAG: usize,
    const ASID: usize,
    const PFN: usize,
    const CHECK_TAG: usize,
    const MISSES: usize,
    const MISS: usize,
    const MISS_COUNT: usize,
    const ORDERS: usize,
    const ORDER: usize,
    const LARGES: usize,
    const LARGE: usize,
    const LARGE_PAIRS: usize,
    const LOW: usize,
    const UPPER: usize,
    const FRAME: usize,
> Logic
    for L1Tlb<
        SETS,
        SET,
        WAYS,
        PAIRS,
        VPN,
        TAG,
        ASID,
        PFN,
        CHECK_TAG,
        MISSES,
        MISS,
        MISS_COUNT,
        ORDERS,
        ORDER,
        LARGES,
        LARGE,
        LARGE_PAIRS,
        LOW,
        UPPER,
        FRAME,
    >
{
    #[logic]
    fn update(&mut self) {
        // What comes in is looked at in the next cycle. An invalidation takes the place of a check.
        self.check_ready.next = !self.invalidate_valid.val();
        self.checking.d.next = self.check_valid.val() && !self.invalidate_valid.val();
        self.look_vpn.d.next = self.check_vpn.val();
        self.look_asid.d.next = self.check_asid.val();
        self.look_write.d.next = self.check_write.val();
        self.look_tag.d.next = self.check_tag.val();
        if self.invalidate_valid.val() {
            self.look_vpn.d.next = self.invalidate_vpn.val();
            self.look_asid.d.next = self.invalidate_asid.val();
        }
        self.drop_vpn.d.next = self.invalidate_valid.val() && (self.invalidate_scope.val() == 0);
        self.drop_asid.d.next = self.invalidate_valid.val() && (self.invalidate_scope.val() == 1);
        self.drop_all.d.next =
            self.invalidate_valid.val() && self.invalidate_scope.val().get_bit(1);
        self.filling.d.next = self.fill_valid.val();
        self.kind.d.next = self.fill_kind.val();
        self.fill_of.d.next = self.fill_vpn.val();
        self.fill_in.d.next = self.fill_asid.val();
        self.pfn.d.next = self.fill_pfn.val();
        self.writable.d.next = self.fill_writable.val();
        self.clean.d.next = self.fill_clean.val() && (self.fill_kind.val() == 0);
        // A translation of a large page is a translation, and is filled elsewhere.
        for l in 0..LARGES {
            self.of_large[l].d.next = self.fill_kind.val() == 5;
            if self.fill_kind.val() == 5 {
                self.kind.d.next = bits::<3>(0);
                self.clean.d.next = self.fill_clean.val();
            }
        }
        self.resolving.d.next = self.resolve_valid.val();
        self.resolve_of.d.next = self.resolve_vpn.val();
        self.resolve_in.d.next = self.resolve_asid.val();

        self.look_set.next = bit_cast::<SET, VPN>(self.look_vpn.q.val());
        self.look_above.next = bit_cast::<TAG, VPN>(self.look_vpn.q.val() >> self.set_bits.val());
        self.fill_set.next = bit_cast::<SET, VPN>(self.fill_of.q.val());
        self.fill_above.next = bit_cast::<TAG, VPN>(self.fill_of.q.val() >> self.set_bits.val());

        // The ways. A fill goes into the lowest one that is vacant, or into the one that was used longest ago.
        for w in 0..WAYS {
            self.way[w].look_set.next = self.look_set.val();
            self.way[w].look_tag.next = self.look_above.val();
            self.way[w].look_asid.next = self.look_asid.q.val();
            self.way[w].drop_vpn.next = self.drop_vpn.q.val();
            self.way[w].drop_asid.next = self.drop_asid.q.val();
            self.way[w].drop_all.next = self.drop_all.q.val();
            self.way[w].by_write.next = self.checking.q.val() && self.look_write.q.val();
            self.way[w].write_set.next = self.fill_set.val();
            self.way[w].write_tag.next = self.fill_above.val();
            self.way[w].write_asid.next = self.fill_in.q.val();
            self.way[w].write_pfn.next = self.pfn.q.val();
            self.way[w].write_writable.next = self.writable.q.val();
            self.way[w].write_clean.next = self.clean.q.val();
            self.way[w].write_denied.next = self.kind.q.val().any();
        }
        for w in 0..WAYS {
            self.vacant.request[w].next = self.way[w].vacant.val();
            self.some_vacant.of[w].next = self.way[w].vacant.val();
        }
        for w in 0..WAYS {
            self.victim[w].next = self.misses.write.val()
                && (self.vacant.grant[w].val()
                    || (self.eldest.oldest[w].val() && !self.some_vacant.any.val()));
            self.hit[w].next = self.checking.q.val() && self.way[w].found.val();
        }
        // The large entries take the fills of their kind, and answer before the ways.
        for l in 0..LARGES {
            self.large_entries[l].checking.next = self.checking.q.val();
            self.large_entries[l].look_vpn.next = self.look_vpn.q.val();
            self.large_entries[l].look_asid.next = self.look_asid.q.val();
            self.large_entries[l].look_write.next = self.look_write.q.val();
            self.large_entries[l].drop_vpn.next = self.drop_vpn.q.val();
            self.large_entries[l].drop_asid.next = self.drop_asid.q.val();
            self.large_entries[l].drop_all.next = self.drop_all.q.val();
            self.large_entries[l].write.next = self.misses.write.val() && self.of_large[l].q.val();
            self.large_entries[l].write_vpn.next = self.fill_of.q.val();
            self.large_entries[l].write_asid.next = self.fill_in.q.val();
            self.large_entries[l].write_pfn.next = self.pfn.q.val();
            self.large_entries[l].write_writable.next = self.writable.q.val();
            self.large_entries[l].write_clean.next = self.clean.q.val();
            for w in 0..WAYS {
                if self.of_large[l].q.val() {
                    self.victim[w].next = false;
                }
                if self.large_entries[l].found.val() {
                    self.hit[w].next = false;
                }
            }
        }
        for w in 0..WAYS {
            self.way[w].write.next = self.victim[w].val();
            self.recency.used[w].next = self.hit[w].val();
            self.recency.replaced[w].next = self.victim[w].val();
            self.eldest.used[w].next = false;
            self.eldest.replaced[w].next = false;
            self.resident.of[w].next = self.hit[w].val();
            self.found_pfn.choose[w].next = self.hit[w].val();
            self.found_pfn.of[w].next = self.way[w].pfn.val();
            self.found_writable.of[w].next = self.hit[w].val() && self.way[w].writable.val();
            self.found_denied.of[w].next = self.hit[w].val() && self.way[w].denied.val();
        }
        self.recency.used_set.next = self.look_set.val();
        self.recency.replaced_set.next = self.fill_set.val();
        self.eldest.used_set.next = self.look_set.val();
        self.eldest.replaced_set.next = self.fill_set.val();
        for s in 0..SETS {
            self.recency.order[s].next = self.order[s].q.val();
            self.eldest.order[s].next = self.order[s].q.val();
        }
        for s in 0..SETS {
            self.order[s].d.next = self.recency.next[s].val();
        }

        self.misses.checking.next = self.checking.q.val();
        self.misses.resident.next = self.resident.any.val();
        for l in 0..LARGES {
            if self.large_entries[l].found.val() {
                self.misses.resident.next = true;
            }
        }
        self.misses.look_vpn.next = self.look_vpn.q.val();
        self.misses.look_asid.next = self.look_asid.q.val();
        self.misses.look_write.next = self.look_write.q.val();
        self.misses.drop_vpn.next = self.drop_vpn.q.val();
        self.misses.drop_asid.next = self.drop_asid.q.val();
        self.misses.drop_all.next = self.drop_all.q.val();
        self.misses.filling.next = self.filling.q.val();
        self.misses.fill_kind.next = self.kind.q.val();
        self.misses.fill_vpn.next = self.fill_of.q.val();
        self.misses.fill_asid.next = self.fill_in.q.val();
        self.misses.resolving.next = self.resolving.q.val();
        self.misses.resolve_vpn.next = self.resolve_of.q.val();
        self.misses.resolve_asid.next = self.resolve_in.q.val();
        self.misses.walk_ready.next = self.walk_ready.val();
        self.misses.far_limit.next = self.far_limit.val();
        self.misses.report_faults.next = self.report_faults.val();
        self.walk_valid.next = self.misses.walk_valid.val();
        self.walk_vpn.next = self.misses.walk_vpn.val();
        self.walk_asid.next = self.misses.walk_asid.val();
        self.walk_write.next = self.misses.walk_write.val();

        // The answer.
        self.denied.next = self.found_denied.any.val()
            || (self.look_write.q.val() && !self.found_writable.any.val());
        for l in 0..LARGES {
            if self.large_entries[l].found.val() {
                self.denied.next = self.look_write.q.val() && !self.large_entries[l].writable.val();
            }
        }
        self.allowed.next = !self.denied.val();
        self.answer_valid.next = self.checking.q.val();
        self.answer_tag.next = self.look_tag.q.val();
        self.answer_hit.next = self.resident.any.val() && self.allowed.val();
        self.answer_denied.next = self.resident.any.val() && self.denied.val();
        self.answer_fault.next =
            self.checking.q.val() && self.misses.absent.val() && self.report_faults.val();
        self.answer_pfn.next = self.found_pfn.chosen.val();
        for l in 0..LARGES {
            if self.large_entries[l].found.val() {
                self.answer_hit.next = self.allowed.val();
                self.answer_denied.next = self.denied.val();
                self.answer_fault.next = false;
                self.answer_pfn.next = self.large_entries[l].pfn.val();
            }
        }

        // A wake-up is shown a cycle after its cause, so that it comes after the last answer that needs it.
        self.waking.d.next = self.misses.wake.val();
        self.waking_all.d.next = self.misses.wake_all.val();
        self.wake_of.d.next = self.fill_of.q.val();
        self.wake_in.d.next = self.fill_in.q.val();
        self.wake_valid.next = self.waking.q.val();
        self.wake_all.next = self.waking_all.q.val();
        self.wake_vpn.next = self.wake_of.q.val();
        self.wake_asid.next = self.wake_in.q.val();
    }
}

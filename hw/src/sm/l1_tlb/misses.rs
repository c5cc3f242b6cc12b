//! The pages for which a TLB waits: one walk for each, from the first miss to the fill.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::age_order::AgeOrder;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::one_hot_priority_encoder::OneHotPriorityEncoder;
use crate::primitives::or_tree::OrTree;
use crate::primitives::popcount::Popcount;
use crate::primitives::register::Register;
use crate::primitives::round_robin_arbiter::RoundRobinArbiter;

/// What is being done about a page.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Miss {
    /// The entry is free.
    Free,
    /// The entry requests a walk of its page.
    Requesting,
    /// The walk of the page is under way.
    Walking,
    /// The GMMU holds the far fault of the page.
    Fetching,
    /// The GMMU had no place for the far fault of the page; the entry requests a walk again when fewer pages
    /// claim one.
    Held,
}

/// The pages for which an L1 TLB waits: one walk for each, from the first miss to the fill. `MISSES` entries with
/// numbers of `MISS` bits, counted in `MISS_COUNT` = `MISS` + 1 bits, whose order takes `ORDERS` words
/// of `ORDER` bits; pages of `VPN` bits, spaces of `ASID`. `LARGES` is 1 where a walk may bring a large page, which has `LOW`
/// low bits of a page's number; otherwise 0.
#[block]
pub struct Misses<
    const MISSES: usize,
    const MISS: usize,
    const MISS_COUNT: usize,
    const ORDERS: usize,
    const ORDER: usize,
    const VPN: usize,
    const ASID: usize,
    const LARGES: usize,
    const LOW: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A check is looked up.
    pub checking: Signal<In, Bit>,
    /// A way holds the page of the check; low if the check is for a write and the page is clean.
    pub resident: Signal<In, Bit>,
    /// Page number of the check or invalidation that is looked up.
    pub look_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the check or invalidation that is looked up.
    pub look_asid: Signal<In, Bits<ASID>>,
    /// The check is for a write.
    pub look_write: Signal<In, Bit>,
    /// The page that is looked up is invalidated.
    pub drop_vpn: Signal<In, Bit>,
    /// Every page of the address space in `look_asid` is invalidated.
    pub drop_asid: Signal<In, Bit>,
    /// Every page is invalidated.
    pub drop_all: Signal<In, Bit>,
    /// A walk is answered, or a far fault is cancelled.
    pub filling: Signal<In, Bit>,
    /// Kind of the answer: 0 a translation, 1 denied, 2 far fault held, 3 Nack (the far fault is not held), 4
    /// the far fault was cancelled.
    pub fill_kind: Signal<In, Bits<3>>,
    /// Page number of the answer.
    pub fill_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the answer.
    pub fill_asid: Signal<In, Bits<ASID>>,
    /// A far fault that was held has resolved.
    pub resolving: Signal<In, Bit>,
    /// Page number of the resolved far fault.
    pub resolve_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the resolved far fault.
    pub resolve_asid: Signal<In, Bits<ASID>>,
    /// The walk on offer is taken.
    pub walk_ready: Signal<In, Bit>,
    /// Far faults that the GMMU can hold for this TLB.
    pub far_limit: Signal<In, Bits<MISS_COUNT>>,
    /// Checks of absent pages are answered with a fault.
    pub report_faults: Signal<In, Bit>,
    /// The page that is looked up is known to be absent.
    pub absent: Signal<Out, Bit>,
    /// The page of the answer is written into a way.
    pub write: Signal<Out, Bit>,
    /// Checks that wait for the page of the answer are to be repeated.
    pub wake: Signal<Out, Bit>,
    /// Checks that wait for any other page are to be repeated as well.
    pub wake_all: Signal<Out, Bit>,
    /// A walk is on offer.
    pub walk_valid: Signal<Out, Bit>,
    /// Page number of the walk on offer.
    pub walk_vpn: Signal<Out, Bits<VPN>>,
    /// Address space of the walk on offer.
    pub walk_asid: Signal<Out, Bits<ASID>>,
    /// The check that missed the page of the walk first was a write.
    pub walk_write: Signal<Out, Bit>,

    state: [Register<Miss>; MISSES],
    vpn: [Register<Bits<VPN>>; MISSES],
    asid: [Register<Bits<ASID>>; MISSES],
    by_write: [Register<Bit>; MISSES],
    // A walk is under way that began before an invalidation.
    stale: [Register<Bit>; MISSES],
    known_absent: [Register<Bit>; MISSES],
    // It has a place at the GMMU, or requests one after a Nack.
    claiming: [Register<Bit>; MISSES],
    // The order in which the pages were missed.
    missed: [Register<Bits<ORDER>>; ORDERS],
    refused: Register<Bit>,

    // The walk on offer.
    offering: Register<Bit>,
    turn: Register<Bits<MISS>>,

    free: OneHotPriorityEncoder<MISSES>,
    claims: Popcount<MISSES, MISS_COUNT>,
    longest_ago: AgeOrder<MISSES, MISS, ORDERS, ORDER>,
    next: RoundRobinArbiter<MISSES, MISS>,
    some_free: OrTree<MISSES>,
    some_looked: OrTree<MISSES>,
    some_absent: OrTree<MISSES>,
    some_ended: OrTree<MISSES>,
    some_reported: OrTree<MISSES>,
    some_claiming: OrTree<MISSES>,
    some_requesting: OrTree<MISSES>,
    some_write: OrTree<MISSES>,
    offered_vpn: OneHotMux<MISSES, Bits<VPN>>,
    offered_asid: OneHotMux<MISSES, Bits<ASID>>,
    #[init(Constant::new((LOW as LiteralType).into()))]
    low_bits: Constant<Bits<VPN>>,
    drop_large: [Signal<Local, Bit>; LARGES],
    in_asid: [Signal<Local, Bit>; MISSES],
    looked: [Signal<Local, Bit>; MISSES],
    dropped: [Signal<Local, Bit>; MISSES],
    named: [Signal<Local, Bit>; MISSES],
    filled: [Signal<Local, Bit>; MISSES],
    cancelled: [Signal<Local, Bit>; MISSES],
    ended: [Signal<Local, Bit>; MISSES],
    resolved: [Signal<Local, Bit>; MISSES],
    released: [Signal<Local, Bit>; MISSES],
    requesting: [Signal<Local, Bit>; MISSES],
    offered: [Signal<Local, Bit>; MISSES],
    far: Signal<Local, Bit>,
    cancelling: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    missing: Signal<Local, Bit>,
    refusing: Signal<Local, Bit>,
    choosing: Signal<Local, Bit>,
}

impl<
    const MISSES: usize,
    const MISS: usize,
    const MISS_COUNT: usize,
    const ORDERS: usize,
    const ORDER: usize,
    const VPN: usize,
    const ASID: usize,
    const LARGES: usize,
    const LOW: usize,
> Logic for Misses<MISSES, MISS, MISS_COUNT, ORDERS, ORDER, VPN, ASID, LARGES, LOW>
{
    #[logic]
    fn update(&mut self) {
        // Search: the page of a check or an invalidation, of a fill, and of a far fault that has resolved.
        self.cancelling.next = self.fill_kind.val().get_bit(2);
        for i in 0..MISSES {
            self.in_asid[i].next = self.asid[i].q.val() == self.look_asid.val();
            self.looked[i].next = (self.state[i].q.val() != Miss::Free)
                && self.in_asid[i].val()
                && (self.vpn[i].q.val() == self.look_vpn.val());
            self.dropped[i].next = self.drop_all.val()
                || (self.drop_asid.val() && self.in_asid[i].val())
                || (self.drop_vpn.val() && self.looked[i].val());
            // A cancellation ends no walk, and the answer of a walk ends no far fault.
            self.named[i].next = self.filling.val()
                && (self.vpn[i].q.val() == self.fill_vpn.val())
                && (self.asid[i].q.val() == self.fill_asid.val());
            self.cancelled[i].next = self.named[i].val()
                && (self.state[i].q.val() == Miss::Fetching)
                && self.cancelling.val();
            self.filled[i].next = self.cancelled[i].val()
                || (self.named[i].val()
                    && (self.state[i].q.val() == Miss::Walking)
                    && !self.cancelling.val());
            self.resolved[i].next = self.resolving.val()
                && (self.state[i].q.val() == Miss::Fetching)
                && !self.cancelled[i].val()
                && (self.vpn[i].q.val() == self.resolve_vpn.val())
                && (self.asid[i].q.val() == self.resolve_asid.val());
        }
        // A walk may bring the large page, so the invalidation of a page of it is one of all.
        for l in 0..LARGES {
            self.drop_large[l].next = self.drop_vpn.val();
            for i in 0..MISSES {
                if self.drop_large[l].val()
                    && (self.state[i].q.val() != Miss::Free)
                    && self.in_asid[i].val()
                    && ((self.vpn[i].q.val() >> self.low_bits.val())
                        == (self.look_vpn.val() >> self.low_bits.val()))
                {
                    self.dropped[i].next = true;
                }
            }
        }
        self.far.next = self.fill_kind.val().get_bit(1);
        for i in 0..MISSES {
            self.ended[i].next = self.filled[i].val()
                && !self.far.val()
                && !self.stale[i].q.val()
                && !self.dropped[i].val();
            self.some_looked.of[i].next = self.looked[i].val();
            self.some_absent.of[i].next = self.looked[i].val() && self.known_absent[i].q.val();
            self.some_ended.of[i].next = self.ended[i].val();
            self.some_reported.of[i].next =
                self.filled[i].val() && self.far.val() && !self.known_absent[i].q.val();
        }
        self.absent.next = self.some_absent.any.val();
        self.write.next = self.some_ended.any.val();
        self.wake.next =
            self.some_ended.any.val() || (self.some_reported.any.val() && self.report_faults.val());

        // A check that finds its page nowhere takes an entry, or is refused.
        for i in 0..MISSES {
            self.free.request[i].next = self.state[i].q.val() == Miss::Free;
            self.some_free.of[i].next = self.state[i].q.val() == Miss::Free;
        }
        self.missing.next =
            self.checking.val() && !self.resident.val() && !self.some_looked.any.val();
        self.refusing.next = self.missing.val() && !self.some_free.any.val();
        self.wake_all.next =
            self.some_ended.any.val() && (self.refused.q.val() || self.refusing.val());
        self.refused.d.next =
            (self.refused.q.val() || self.refusing.val()) && !self.some_ended.any.val();

        // A miss answered with Nack is held, and requests again while there is room at the GMMU: the oldest first.
        for i in 0..MISSES {
            self.claims.of[i].next = self.claiming[i].q.val();
            self.some_claiming.of[i].next = self.claiming[i].q.val();
            self.longest_ago.request[i].next = self.state[i].q.val() == Miss::Held;
            // The lowest free entry becomes the last of the order, whether it is taken or not.
            self.longest_ago.served[i].next = self.free.grant[i].val();
            self.longest_ago.rising[i].next =
                self.filled[i].val() && self.far.val() && self.fill_kind.val().get_bit(0);
        }
        for i in 0..ORDERS {
            self.longest_ago.order[i].next = self.missed[i].q.val();
        }
        for i in 0..ORDERS {
            self.missed[i].d.next = self.longest_ago.after[i].val();
        }
        self.room.next =
            !self.some_claiming.any.val() || (self.claims.count.val() < self.far_limit.val());
        self.longest_ago.taken.next = self.room.val();
        for i in 0..MISSES {
            self.released[i].next = self.room.val() && self.longest_ago.grant[i].val();
        }

        // The walk: entries take turns, and the next one is that above the one that was offered last.
        self.choosing.next = !self.offering.q.val() || self.walk_ready.val();
        for i in 0..MISSES {
            self.offered[i].next =
                self.offering.q.val() && (self.turn.q.val() == i.to_bits::<MISS>());
            self.requesting[i].next =
                (self.state[i].q.val() == Miss::Requesting) && !self.offered[i].val();
            self.some_requesting.of[i].next = self.requesting[i].val();
            self.next.request[i].next = self.requesting[i].val();
            self.some_write.of[i].next = self.offered[i].val() && self.by_write[i].q.val();
            self.offered_vpn.choose[i].next = self.offered[i].val();
            self.offered_vpn.of[i].next = self.vpn[i].q.val();
            self.offered_asid.choose[i].next = self.offered[i].val();
            self.offered_asid.of[i].next = self.asid[i].q.val();
        }
        self.next.last.next = self.turn.q.val();
        self.offering.d.next = self.some_requesting.any.val() || !self.choosing.val();
        if self.choosing.val() {
            self.turn.d.next = self.next.index.val();
        }
        self.walk_valid.next = self.offering.q.val();
        self.walk_vpn.next = self.offered_vpn.chosen.val();
        self.walk_asid.next = self.offered_asid.chosen.val();
        self.walk_write.next = self.some_write.any.val();

        for i in 0..MISSES {
            if self.dropped[i].val() && (self.state[i].q.val() == Miss::Walking) {
                self.stale[i].d.next = true;
            }
            if self.offered[i].val() && self.walk_ready.val() {
                self.state[i].d.next = Miss::Walking;
            }
            if self.filled[i].val() {
                self.stale[i].d.next = false;
                self.claiming[i].d.next = false;
                self.state[i].d.next = Miss::Requesting;
                if self.far.val() {
                    self.known_absent[i].d.next = true;
                    self.state[i].d.next = Miss::Held;
                    if !self.fill_kind.val().get_bit(0) {
                        self.claiming[i].d.next = true;
                        self.state[i].d.next = Miss::Fetching;
                    }
                }
            }
            if self.ended[i].val() {
                self.state[i].d.next = Miss::Free;
            }
            if self.resolved[i].val() {
                self.claiming[i].d.next = false;
                self.state[i].d.next = Miss::Requesting;
            }
            if self.released[i].val() {
                self.claiming[i].d.next = true;
                self.state[i].d.next = Miss::Requesting;
            }
            // What a free entry holds does not matter, so a check that hits may leave its page there.
            if self.free.grant[i].val() {
                self.vpn[i].d.next = self.look_vpn.val();
                self.asid[i].d.next = self.look_asid.val();
                self.by_write[i].d.next = self.look_write.val();
                self.known_absent[i].d.next = false;
            }
            if self.missing.val() && self.free.grant[i].val() {
                self.state[i].d.next = Miss::Requesting;
            }
        }
    }
}

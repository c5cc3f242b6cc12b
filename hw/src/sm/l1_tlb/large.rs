//! The large pages of a TLB: one set of them.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::lru_matrix::LruMatrix;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::one_hot_priority_encoder::OneHotPriorityEncoder;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// The large entries of the L1 TLB: `ENTRIES` large pages with `PAIRS` pairs, in registers, replaced in the order of their
/// use. Pages of `VPN` bits, of which the `LOW` low ones lie within a large page and `UPPER` are above; spaces of `ASID`
/// bits; frames of `PFN` bits, of which an entry has the `FRAME` upper ones.
#[block]
pub struct LargeEntries<
    const ENTRIES: usize,
    const PAIRS: usize,
    const VPN: usize,
    const LOW: usize,
    const UPPER: usize,
    const ASID: usize,
    const PFN: usize,
    const FRAME: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The page that is looked up is checked.
    pub checking: Signal<In, Bit>,
    /// Number of the page that is looked up.
    pub look_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the page that is looked up.
    pub look_asid: Signal<In, Bits<ASID>>,
    /// The check is for a write, which drops the large page if it is clean.
    pub look_write: Signal<In, Bit>,
    /// The page that is looked up is invalidated, and its large page with it.
    pub drop_vpn: Signal<In, Bit>,
    /// Every large page of the address space in `look_asid` is invalidated.
    pub drop_asid: Signal<In, Bit>,
    /// Every large page is invalidated.
    pub drop_all: Signal<In, Bit>,
    /// A large page is filled.
    pub write: Signal<In, Bit>,
    /// Number of a page of the filled large page.
    pub write_vpn: Signal<In, Bits<VPN>>,
    /// Address space of the filled large page.
    pub write_asid: Signal<In, Bits<ASID>>,
    /// Frame number of a page of the filled large page.
    pub write_pfn: Signal<In, Bits<PFN>>,
    /// The filled large page may be written.
    pub write_writable: Signal<In, Bit>,
    /// The filled large page is clean: its dirty bit is not set.
    pub write_clean: Signal<In, Bit>,
    /// The check finds its large page here; low if it is for a write and the large page is clean.
    pub found: Signal<Out, Bit>,
    /// Frame number of the page that is checked, if its large page is found.
    pub pfn: Signal<Out, Bits<PFN>>,
    /// The large page that is found may be written.
    pub writable: Signal<Out, Bit>,

    present: [Register<Bit>; ENTRIES],
    tag: [Register<Bits<UPPER>>; ENTRIES],
    asid: [Register<Bits<ASID>>; ENTRIES],
    frames: [Register<Bits<FRAME>>; ENTRIES],
    may_write: [Register<Bit>; ENTRIES],
    clean: [Register<Bit>; ENTRIES],
    order: Register<Bits<PAIRS>>,

    #[init(Constant::new((LOW as LiteralType).into()))]
    low_of_vpn: Constant<Bits<VPN>>,
    #[init(Constant::new((LOW as LiteralType).into()))]
    low_of_pfn: Constant<Bits<PFN>>,
    recency: LruMatrix<1, 1, ENTRIES, PAIRS>,
    vacant: OneHotPriorityEncoder<ENTRIES>,
    some_vacant: OrTree<ENTRIES>,
    some_same: OrTree<ENTRIES>,
    some_found: OrTree<ENTRIES>,
    some_writable: OrTree<ENTRIES>,
    found_frame: OneHotMux<ENTRIES, Bits<FRAME>>,
    look_tag: Signal<Local, Bits<UPPER>>,
    write_tag: Signal<Local, Bits<UPPER>>,
    in_asid: [Signal<Local, Bit>; ENTRIES],
    matched: [Signal<Local, Bit>; ENTRIES],
    spoiled: [Signal<Local, Bit>; ENTRIES],
    hit: [Signal<Local, Bit>; ENTRIES],
    same: [Signal<Local, Bit>; ENTRIES],
    target: [Signal<Local, Bit>; ENTRIES],
}

impl<
    const ENTRIES: usize,
    const PAIRS: usize,
    const VPN: usize,
    const LOW: usize,
    const UPPER: usize,
    const ASID: usize,
    const PFN: usize,
    const FRAME: usize,
> Logic for LargeEntries<ENTRIES, PAIRS, VPN, LOW, UPPER, ASID, PFN, FRAME>
{
    #[logic]
    fn update(&mut self) {
        // The lookup.
        self.look_tag.next = bit_cast::<UPPER, VPN>(self.look_vpn.val() >> self.low_of_vpn.val());
        for e in 0..ENTRIES {
            self.in_asid[e].next = self.asid[e].q.val() == self.look_asid.val();
            self.matched[e].next = self.present[e].q.val()
                && self.in_asid[e].val()
                && (self.tag[e].q.val() == self.look_tag.val());
            self.spoiled[e].next = self.matched[e].val()
                && self.checking.val()
                && self.look_write.val()
                && self.clean[e].q.val();
            self.hit[e].next =
                self.matched[e].val() && self.checking.val() && !self.spoiled[e].val();
        }
        for e in 0..ENTRIES {
            self.some_found.of[e].next = self.hit[e].val();
            self.some_writable.of[e].next = self.hit[e].val() && self.may_write[e].q.val();
            self.found_frame.choose[e].next = self.hit[e].val();
            self.found_frame.of[e].next = self.frames[e].q.val();
        }
        self.found.next = self.some_found.any.val();
        self.writable.next = self.some_writable.any.val();
        self.pfn.next = (bit_cast::<PFN, FRAME>(self.found_frame.chosen.val())
            << self.low_of_pfn.val())
            | bit_cast::<PFN, LOW>(bit_cast::<LOW, VPN>(self.look_vpn.val()));

        // The fill: where the large page is already, else where there is room, else in place of the one used longest ago.
        self.write_tag.next = bit_cast::<UPPER, VPN>(self.write_vpn.val() >> self.low_of_vpn.val());
        for e in 0..ENTRIES {
            self.same[e].next = self.present[e].q.val()
                && (self.asid[e].q.val() == self.write_asid.val())
                && (self.tag[e].q.val() == self.write_tag.val());
            self.some_same.of[e].next = self.same[e].val();
            self.vacant.request[e].next = !self.present[e].q.val();
            self.some_vacant.of[e].next = !self.present[e].q.val();
        }
        for e in 0..ENTRIES {
            self.target[e].next = self.write.val()
                && (self.same[e].val()
                    || (!self.some_same.any.val()
                        && (self.vacant.grant[e].val()
                            || (self.recency.oldest[e].val() && !self.some_vacant.any.val()))));
            self.recency.used[e].next = self.hit[e].val();
            self.recency.replaced[e].next = self.target[e].val();
        }
        self.recency.used_set.next = bits::<1>(0);
        self.recency.replaced_set.next = bits::<1>(0);
        self.recency.order[0].next = self.order.q.val();
        self.order.d.next = self.recency.next[0].val();

        for e in 0..ENTRIES {
            if self.drop_all.val()
                || (self.drop_asid.val() && self.in_asid[e].val())
                || (self.drop_vpn.val() && self.matched[e].val())
                || self.spoiled[e].val()
            {
                self.present[e].d.next = false;
            }
            if self.target[e].val() {
                self.present[e].d.next = true;
                self.tag[e].d.next = self.write_tag.val();
                self.asid[e].d.next = self.write_asid.val();
                self.frames[e].d.next =
                    bit_cast::<FRAME, PFN>(self.write_pfn.val() >> self.low_of_pfn.val());
                self.may_write[e].d.next = self.write_writable.val();
                self.clean[e].d.next = self.write_clean.val();
            }
        }
    }
}

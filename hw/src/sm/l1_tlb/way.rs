//! One way of a TLB: a page for each set.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// One way of the L1 TLB: a page for each set, in registers. `SETS` sets with numbers of `SET` bits; tags of `TAG` bits
/// of a page number above those, spaces of `ASID` bits, frames of `PFN`.
#[block]
pub struct Way<
    const SETS: usize,
    const SET: usize,
    const TAG: usize,
    const ASID: usize,
    const PFN: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Set of the page that is looked up.
    pub look_set: Signal<In, Bits<SET>>,
    /// Tag of the page that is looked up: the bits of its number above those of the set.
    pub look_tag: Signal<In, Bits<TAG>>,
    /// Address space of the page that is looked up.
    pub look_asid: Signal<In, Bits<ASID>>,
    /// The page that is looked up is invalidated.
    pub drop_vpn: Signal<In, Bit>,
    /// Every page of the address space in `look_asid` is invalidated.
    pub drop_asid: Signal<In, Bit>,
    /// Every page is invalidated.
    pub drop_all: Signal<In, Bit>,
    /// The lookup is for a write, which invalidates the page if it is clean.
    pub by_write: Signal<In, Bit>,
    /// A page is filled into the way, in place of the one in its set.
    pub write: Signal<In, Bit>,
    /// Set of the filled page.
    pub write_set: Signal<In, Bits<SET>>,
    /// Tag of the filled page: the bits of its number above those of the set.
    pub write_tag: Signal<In, Bits<TAG>>,
    /// Address space of the filled page.
    pub write_asid: Signal<In, Bits<ASID>>,
    /// Frame number of the filled page.
    pub write_pfn: Signal<In, Bits<PFN>>,
    /// The filled page may be written.
    pub write_writable: Signal<In, Bit>,
    /// The filled page is clean: its dirty bit is not set.
    pub write_clean: Signal<In, Bit>,
    /// The filled page may not be accessed.
    pub write_denied: Signal<In, Bit>,
    /// The way holds the page that is looked up; low if the lookup is for a write and the page is clean.
    pub found: Signal<Out, Bit>,
    /// Frame number of the page in the set `look_set`.
    pub pfn: Signal<Out, Bits<PFN>>,
    /// The page in the set `look_set` may be written.
    pub writable: Signal<Out, Bit>,
    /// The page in the set `look_set` may not be accessed.
    pub denied: Signal<Out, Bit>,
    /// The way has no page in the set `write_set`.
    pub vacant: Signal<Out, Bit>,

    present: [Register<Bit>; SETS],
    tag: [Register<Bits<TAG>>; SETS],
    asid: [Register<Bits<ASID>>; SETS],
    frames: [Register<Bits<PFN>>; SETS],
    may_write: [Register<Bit>; SETS],
    clean: [Register<Bit>; SETS],
    barred: [Register<Bit>; SETS],

    looked: [Signal<Local, Bit>; SETS],
    written: [Signal<Local, Bit>; SETS],
    looked_tag: OneHotMux<SETS, Bits<TAG>>,
    looked_asid: OneHotMux<SETS, Bits<ASID>>,
    looked_pfn: OneHotMux<SETS, Bits<PFN>>,
    some: OrTree<SETS>,
    some_writable: OrTree<SETS>,
    some_clean: OrTree<SETS>,
    some_denied: OrTree<SETS>,
    matched: Signal<Local, Bit>,
    spoiled: Signal<Local, Bit>,
    taken: OrTree<SETS>,
}

impl<const SETS: usize, const SET: usize, const TAG: usize, const ASID: usize, const PFN: usize>
    Logic for Way<SETS, SET, TAG, ASID, PFN>
{
    #[logic]
    fn update(&mut self) {
        // The set is chosen first, so that one comparator serves them all.
        for s in 0..SETS {
            self.looked[s].next = self.look_set.val() == s.to_bits::<SET>();
            self.written[s].next = self.write_set.val() == s.to_bits::<SET>();
        }
        for s in 0..SETS {
            self.looked_tag.choose[s].next = self.looked[s].val();
            self.looked_tag.of[s].next = self.tag[s].q.val();
            self.looked_asid.choose[s].next = self.looked[s].val();
            self.looked_asid.of[s].next = self.asid[s].q.val();
            self.looked_pfn.choose[s].next = self.looked[s].val();
            self.looked_pfn.of[s].next = self.frames[s].q.val();
            self.some.of[s].next = self.looked[s].val() && self.present[s].q.val();
            self.some_writable.of[s].next = self.looked[s].val() && self.may_write[s].q.val();
            self.some_clean.of[s].next = self.looked[s].val() && self.clean[s].q.val();
            self.some_denied.of[s].next = self.looked[s].val() && self.barred[s].q.val();
            self.taken.of[s].next = self.written[s].val() && self.present[s].q.val();
        }
        self.matched.next = self.some.any.val()
            && (self.looked_tag.chosen.val() == self.look_tag.val())
            && (self.looked_asid.chosen.val() == self.look_asid.val());
        self.spoiled.next = self.by_write.val() && self.some_clean.any.val();
        self.found.next = self.matched.val() && !self.spoiled.val();
        self.pfn.next = self.looked_pfn.chosen.val();
        self.writable.next = self.some_writable.any.val();
        self.denied.next = self.some_denied.any.val();
        self.vacant.next = !self.taken.any.val();

        for s in 0..SETS {
            if self.drop_all.val()
                || (self.drop_asid.val() && (self.asid[s].q.val() == self.look_asid.val()))
                || ((self.drop_vpn.val() || self.spoiled.val())
                    && self.matched.val()
                    && self.looked[s].val())
            {
                self.present[s].d.next = false;
            }
            if self.write.val() && self.written[s].val() {
                self.present[s].d.next = true;
                self.tag[s].d.next = self.write_tag.val();
                self.asid[s].d.next = self.write_asid.val();
                self.frames[s].d.next = self.write_pfn.val();
                self.may_write[s].d.next = self.write_writable.val();
                self.clean[s].d.next = self.write_clean.val();
                self.barred[s].d.next = self.write_denied.val();
            }
        }
    }
}

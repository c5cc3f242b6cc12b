//! One way of a TLB: a page for each set.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// One way of the L1 TLB: a page for each set, in registers. `SETS` sets with numbers of `SET` bits; tags of `TAG` bits
/// of a page number above those, spaces of `SPACE` bits, frames of `FRAME`.
#[block]
pub struct Way<
    const SETS: usize,
    const SET: usize,
    const TAG: usize,
    const SPACE: usize,
    const FRAME: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The page that is looked up.
    pub look_set: Signal<In, Bits<SET>>,
    /// The rest of its number.
    pub look_tag: Signal<In, Bits<TAG>>,
    /// Its space.
    pub look_space: Signal<In, Bits<SPACE>>,
    /// The page that is looked up is forgotten.
    pub drop_page: Signal<In, Bit>,
    /// Every page of its space is forgotten.
    pub drop_space: Signal<In, Bit>,
    /// Every page is forgotten.
    pub drop_all: Signal<In, Bit>,
    /// The page that is looked up is to be written: it is forgotten if it is clean.
    pub by_write: Signal<In, Bit>,
    /// A page takes the place of the one in its set.
    pub write: Signal<In, Bit>,
    /// Its set.
    pub write_set: Signal<In, Bits<SET>>,
    /// The rest of its number.
    pub write_tag: Signal<In, Bits<TAG>>,
    /// Its space.
    pub write_space: Signal<In, Bits<SPACE>>,
    /// Its frame.
    pub write_frame: Signal<In, Bits<FRAME>>,
    /// It may be written.
    pub write_writable: Signal<In, Bit>,
    /// It is clean.
    pub write_clean: Signal<In, Bit>,
    /// It may not be accessed at all.
    pub write_denied: Signal<In, Bit>,
    /// The page that is looked up is here, and stays.
    pub found: Signal<Out, Bit>,
    /// The frame in its set.
    pub frame: Signal<Out, Bits<FRAME>>,
    /// It may be written.
    pub writable: Signal<Out, Bit>,
    /// It may not be accessed at all.
    pub denied: Signal<Out, Bit>,
    /// There is no page in `write_set`.
    pub vacant: Signal<Out, Bit>,

    present: [Register<Bit>; SETS],
    tag: [Register<Bits<TAG>>; SETS],
    space: [Register<Bits<SPACE>>; SETS],
    frames: [Register<Bits<FRAME>>; SETS],
    may_write: [Register<Bit>; SETS],
    clean: [Register<Bit>; SETS],
    barred: [Register<Bit>; SETS],

    looked: [Signal<Local, Bit>; SETS],
    written: [Signal<Local, Bit>; SETS],
    looked_tag: OneHotMux<SETS, Bits<TAG>>,
    looked_space: OneHotMux<SETS, Bits<SPACE>>,
    looked_frame: OneHotMux<SETS, Bits<FRAME>>,
    some: OrTree<SETS>,
    some_writable: OrTree<SETS>,
    some_clean: OrTree<SETS>,
    some_denied: OrTree<SETS>,
    matched: Signal<Local, Bit>,
    spoiled: Signal<Local, Bit>,
    taken: OrTree<SETS>,
}

impl<const SETS: usize, const SET: usize, const TAG: usize, const SPACE: usize, const FRAME: usize>
    Logic for Way<SETS, SET, TAG, SPACE, FRAME>
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
            self.looked_space.choose[s].next = self.looked[s].val();
            self.looked_space.of[s].next = self.space[s].q.val();
            self.looked_frame.choose[s].next = self.looked[s].val();
            self.looked_frame.of[s].next = self.frames[s].q.val();
            self.some.of[s].next = self.looked[s].val() && self.present[s].q.val();
            self.some_writable.of[s].next = self.looked[s].val() && self.may_write[s].q.val();
            self.some_clean.of[s].next = self.looked[s].val() && self.clean[s].q.val();
            self.some_denied.of[s].next = self.looked[s].val() && self.barred[s].q.val();
            self.taken.of[s].next = self.written[s].val() && self.present[s].q.val();
        }
        self.matched.next = self.some.any.val()
            && (self.looked_tag.chosen.val() == self.look_tag.val())
            && (self.looked_space.chosen.val() == self.look_space.val());
        self.spoiled.next = self.by_write.val() && self.some_clean.any.val();
        self.found.next = self.matched.val() && !self.spoiled.val();
        self.frame.next = self.looked_frame.chosen.val();
        self.writable.next = self.some_writable.any.val();
        self.denied.next = self.some_denied.any.val();
        self.vacant.next = !self.taken.any.val();

        for s in 0..SETS {
            self.present[s].d.next = self.present[s].q.val();
            self.tag[s].d.next = self.tag[s].q.val();
            self.space[s].d.next = self.space[s].q.val();
            self.frames[s].d.next = self.frames[s].q.val();
            self.may_write[s].d.next = self.may_write[s].q.val();
            self.clean[s].d.next = self.clean[s].q.val();
            self.barred[s].d.next = self.barred[s].q.val();
            if self.drop_all.val()
                || (self.drop_space.val() && (self.space[s].q.val() == self.look_space.val()))
                || ((self.drop_page.val() || self.spoiled.val())
                    && self.matched.val()
                    && self.looked[s].val())
            {
                self.present[s].d.next = false;
            }
            if self.write.val() && self.written[s].val() {
                self.present[s].d.next = true;
                self.tag[s].d.next = self.write_tag.val();
                self.space[s].d.next = self.write_space.val();
                self.frames[s].d.next = self.write_frame.val();
                self.may_write[s].d.next = self.write_writable.val();
                self.clean[s].d.next = self.write_clean.val();
                self.barred[s].d.next = self.write_denied.val();
            }
        }
    }
}

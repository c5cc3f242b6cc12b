//! One way of a TLB: a page for each set.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::any_of::AnyOf;
use crate::primitives::register::Register;
use crate::primitives::select::Select;

/// `S` sets with `I`-bit numbers; `T` bits of a page number above those, `A` of a space, `F` of a frame.
#[block]
pub struct Way<const S: usize, const I: usize, const T: usize, const A: usize, const F: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The page that is looked up.
    pub look_set: Signal<In, Bits<I>>,
    /// The rest of its number.
    pub look_tag: Signal<In, Bits<T>>,
    /// Its space.
    pub look_space: Signal<In, Bits<A>>,
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
    pub write_set: Signal<In, Bits<I>>,
    /// The rest of its number.
    pub write_tag: Signal<In, Bits<T>>,
    /// Its space.
    pub write_space: Signal<In, Bits<A>>,
    /// Its frame.
    pub write_frame: Signal<In, Bits<F>>,
    /// It may be written.
    pub write_writable: Signal<In, Bit>,
    /// It is clean.
    pub write_clean: Signal<In, Bit>,
    /// It may not be accessed at all.
    pub write_denied: Signal<In, Bit>,
    /// The page that is looked up is here, and stays.
    pub found: Signal<Out, Bit>,
    /// The frame in its set.
    pub frame: Signal<Out, Bits<F>>,
    /// It may be written.
    pub writable: Signal<Out, Bit>,
    /// It may not be accessed at all.
    pub denied: Signal<Out, Bit>,
    /// There is no page in `write_set`.
    pub vacant: Signal<Out, Bit>,

    present: [Register<Bit>; S],
    tag: [Register<Bits<T>>; S],
    space: [Register<Bits<A>>; S],
    frames: [Register<Bits<F>>; S],
    may_write: [Register<Bit>; S],
    clean: [Register<Bit>; S],
    barred: [Register<Bit>; S],

    looked: [Signal<Local, Bit>; S],
    written: [Signal<Local, Bit>; S],
    looked_tag: Select<S, Bits<T>>,
    looked_space: Select<S, Bits<A>>,
    looked_frame: Select<S, Bits<F>>,
    some: AnyOf<S>,
    some_writable: AnyOf<S>,
    some_clean: AnyOf<S>,
    some_denied: AnyOf<S>,
    matched: Signal<Local, Bit>,
    spoiled: Signal<Local, Bit>,
    taken: AnyOf<S>,
}

impl<const S: usize, const I: usize, const T: usize, const A: usize, const F: usize> Logic
    for Way<S, I, T, A, F>
{
    #[logic]
    fn update(&mut self) {
        // The set is chosen first, so that one comparator serves them all.
        for s in 0..S {
            self.looked[s].next = self.look_set.val() == s.to_bits::<I>();
            self.written[s].next = self.write_set.val() == s.to_bits::<I>();
        }
        for s in 0..S {
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

        for s in 0..S {
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

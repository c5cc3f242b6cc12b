//! A place for a request.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Holds one request until it is taken. Walks with numbers of `WALK` bits, words with numbers of `WORD` bits.
#[block]
pub struct Request<const WALK: usize, const WORD: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A request is loaded, and replaces the one that is held.
    pub load: Signal<In, Bit>,
    /// Walk that requests the entry.
    pub walk: Signal<In, Bits<WALK>>,
    /// Address of the entry from bit 3 on.
    pub word: Signal<In, Bits<WORD>>,
    /// Level of the entry.
    pub level: Signal<In, Bits<3>>,
    /// The entry is updated instead of read: its accessed bit is set.
    pub update: Signal<In, Bit>,
    /// The update sets the dirty bit as well.
    pub dirty: Signal<In, Bit>,
    /// Expected value of the entry that is updated.
    pub expected: Signal<In, Bits<64>>,
    /// Walk of the held request.
    pub held_walk: Signal<Out, Bits<WALK>>,
    /// Address of the held request's entry from bit 3 on.
    pub held_word: Signal<Out, Bits<WORD>>,
    /// Level of the held request's entry.
    pub held_level: Signal<Out, Bits<3>>,
    /// The held request is an update.
    pub held_update: Signal<Out, Bit>,
    /// The held update sets the dirty bit as well.
    pub held_dirty: Signal<Out, Bit>,
    /// Expected value of the entry that the held request updates.
    pub held_expected: Signal<Out, Bits<64>>,

    of_walk: Register<Bits<WALK>>,
    of_word: Register<Bits<WORD>>,
    of_level: Register<Bits<3>>,
    updates: Register<Bit>,
    dirties: Register<Bit>,
    expects: Register<Bits<64>>,
}

impl<const WALK: usize, const WORD: usize> Logic for Request<WALK, WORD> {
    #[logic]
    fn update(&mut self) {
        if self.load.val() {
            self.of_walk.d.next = self.walk.val();
            self.of_word.d.next = self.word.val();
            self.of_level.d.next = self.level.val();
            self.updates.d.next = self.update.val();
            self.dirties.d.next = self.dirty.val();
            self.expects.d.next = self.expected.val();
        }

        self.held_walk.next = self.of_walk.q.val();
        self.held_word.next = self.of_word.q.val();
        self.held_level.next = self.of_level.q.val();
        self.held_update.next = self.updates.q.val();
        self.held_dirty.next = self.dirties.q.val();
        self.held_expected.next = self.expects.q.val();
    }
}

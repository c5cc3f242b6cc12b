//! A place for a request.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Holds one request until it is taken. Walks with numbers of `WALK` bits, words with numbers of `WORD` bits.
#[block]
pub struct Request<const WALK: usize, const WORD: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A request comes;
    pub load: Signal<In, Bit>,
    /// that of this walk,
    pub walk: Signal<In, Bits<WALK>>,
    /// for this word,
    pub word: Signal<In, Bits<WORD>>,
    /// an entry of this level,
    pub level: Signal<In, Bits<3>>,
    /// to be updated,
    pub update: Signal<In, Bit>,
    /// with its dirty bit,
    pub dirty: Signal<In, Bit>,
    /// if it is this.
    pub expected: Signal<In, Bits<64>>,
    /// The same of the request that is here.
    pub held_walk: Signal<Out, Bits<WALK>>,
    /// Its word.
    pub held_word: Signal<Out, Bits<WORD>>,
    /// Its level.
    pub held_level: Signal<Out, Bits<3>>,
    /// It is an update.
    pub held_update: Signal<Out, Bit>,
    /// The dirty bit too.
    pub held_dirty: Signal<Out, Bit>,
    /// What is expected.
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

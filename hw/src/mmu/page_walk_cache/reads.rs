//! What memory reads for each walk, and whether it may be kept.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::any_of::AnyOf;
use crate::primitives::memory::Memory;
use crate::primitives::register::Register;

/// `T` walks with `I`-bit numbers, words with `W`-bit numbers.
#[block]
pub struct Reads<const T: usize, const I: usize, const W: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The word of a walk is noted;
    pub note: Signal<In, Bit>,
    /// the walk,
    pub note_walk: Signal<In, Bits<I>>,
    /// the word.
    pub note_word: Signal<In, Bits<W>>,
    /// Memory takes a request
    pub taken: Signal<In, Bit>,
    /// of this walk,
    pub taken_walk: Signal<In, Bits<I>>,
    /// and its answer may be kept.
    pub taken_keeps: Signal<In, Bit>,
    /// Memory answers
    pub answered: Signal<In, Bit>,
    /// this walk,
    pub answered_walk: Signal<In, Bits<I>>,
    /// and its word is to be read.
    pub read: Signal<In, Bit>,
    /// No answer may be kept.
    pub forget: Signal<In, Bit>,
    /// That of the walk which memory answers may.
    pub keeps: Signal<Out, Bit>,
    /// The word that was read last.
    pub word: Signal<Out, Bits<W>>,

    #[init(Memory::new(T, 1))]
    words: Memory<Bits<W>, I, 1>,
    kept: [Register<Bit>; T],
    is_taken: [Signal<Local, Bit>; T],
    is_answered: [Signal<Local, Bit>; T],
    some_kept: AnyOf<T>,
}

impl<const T: usize, const I: usize, const W: usize> Logic for Reads<T, I, W> {
    #[logic]
    fn update(&mut self) {
        self.words.enable.next = self.note.val() || self.read.val();
        self.words.write.next = self.note.val();
        self.words.address.next = self.note_walk.val();
        if self.read.val() {
            self.words.address.next = self.answered_walk.val();
        }
        self.words.data[0].next = self.note_word.val();
        self.word.next = self.words.q[0].val();

        for i in 0..T {
            self.is_taken[i].next = self.taken_walk.val() == i.to_bits::<I>();
            self.is_answered[i].next = self.answered_walk.val() == i.to_bits::<I>();
            self.some_kept.of[i].next = self.kept[i].q.val() && self.is_answered[i].val();
        }
        self.keeps.next = self.some_kept.any.val();
        for i in 0..T {
            self.kept[i].d.next = self.kept[i].q.val();
            if self.answered.val() && self.is_answered[i].val() {
                self.kept[i].d.next = false;
            }
            if self.taken.val() && self.is_taken[i].val() {
                self.kept[i].d.next = self.taken_keeps.val();
            }
            if self.forget.val() {
                self.kept[i].d.next = false;
            }
        }
    }
}

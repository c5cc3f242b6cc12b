//! What memory reads for each walk, and whether it may be kept.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::memory::Memory;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// Keeps what memory reads for each walk, and whether it may be cached. `WALKS` walks with numbers of `WALK` bits,
/// words with numbers of `WORD` bits.
#[block]
pub struct Reads<const WALKS: usize, const WALK: usize, const WORD: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// The word in `note_word` is stored for the walk in `note_walk`.
    pub note: Signal<In, Bit>,
    /// Walk whose word is stored.
    pub note_walk: Signal<In, Bits<WALK>>,
    /// Number of the word that is stored.
    pub note_word: Signal<In, Bits<WORD>>,
    /// Memory takes a request.
    pub taken: Signal<In, Bit>,
    /// Walk of the request that memory takes.
    pub taken_walk: Signal<In, Bits<WALK>>,
    /// The answer to the request that memory takes may be cached.
    pub taken_keeps: Signal<In, Bit>,
    /// Memory answers a request.
    pub answered: Signal<In, Bit>,
    /// Walk of the answer.
    pub answered_walk: Signal<In, Bits<WALK>>,
    /// The word that is stored for the walk in `answered_walk` is read.
    pub read: Signal<In, Bit>,
    /// Answers to requests that memory has taken may no longer be cached.
    pub forget: Signal<In, Bit>,
    /// The answer to the walk in `answered_walk` may be cached.
    pub keeps: Signal<Out, Bit>,
    /// Number of the word that was read last.
    pub word: Signal<Out, Bits<WORD>>,

    #[init(Memory::new(WALKS, 1))]
    words: Memory<Bits<WORD>, WALK, 1>,
    kept: [Register<Bit>; WALKS],
    is_taken: [Signal<Local, Bit>; WALKS],
    is_answered: [Signal<Local, Bit>; WALKS],
    some_kept: OrTree<WALKS>,
}

impl<const WALKS: usize, const WALK: usize, const WORD: usize> Logic for Reads<WALKS, WALK, WORD> {
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

        for i in 0..WALKS {
            self.is_taken[i].next = self.taken_walk.val() == i.to_bits::<WALK>();
            self.is_answered[i].next = self.answered_walk.val() == i.to_bits::<WALK>();
            self.some_kept.of[i].next = self.kept[i].q.val() && self.is_answered[i].val();
        }
        self.keeps.next = self.some_kept.any.val();
        for i in 0..WALKS {
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

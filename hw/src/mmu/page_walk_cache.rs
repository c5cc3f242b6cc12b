#![doc = include_str!("../../../docs/blocks/page_walk_cache.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::memory::Memory;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

mod fill;
mod place;
mod reads;
mod request;
mod way;

use fill::Fill;
use place::Place;
use reads::Reads;
use request::Request;
use way::Way;

/// Page-walk cache: keeps entries of page tables that lead to other tables. `WALKS` walks with numbers of `WALK` bits.
/// Words of memory with numbers of `WORD` bits, of which `TABLE` say where in a table. Sets with numbers of `SET` bits,
/// of `WAYS` ways with numbers of `WAY` bits; entries with numbers of `ENTRY` bits. Tags of `TAG` bits, in words of
/// `TAG_WORD` bits with their two marks.
#[block(top)]
#[check(1 << WAY == WAYS && SET + WAY == ENTRY, "{WAY} and {ENTRY} bits do not number {WAYS} ways and the entries of sets with {SET} bits")]
pub struct PageWalkCache<
    const WALKS: usize,
    const WALK: usize,
    const WORD: usize,
    const TABLE: usize,
    const SET: usize,
    const WAYS: usize,
    const WAY: usize,
    const ENTRY: usize,
    const TAG: usize,
    const TAG_WORD: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: invalidates every entry and drops every request.
    pub reset: Signal<In, Bit>,

    /// The walker requests an entry.
    pub request_valid: Signal<In, Bit>,
    /// Walk that requests the entry.
    pub request_walk: Signal<In, Bits<WALK>>,
    /// Address of the entry from bit 3 on.
    pub request_word: Signal<In, Bits<WORD>>,
    /// Level of the entry.
    pub request_level: Signal<In, Bits<3>>,
    /// The entry is updated instead of read: its accessed bit is set.
    pub request_update: Signal<In, Bit>,
    /// The update sets the dirty bit as well.
    pub request_dirty: Signal<In, Bit>,
    /// Expected value of the entry that is updated.
    pub request_expected: Signal<In, Bits<64>>,
    /// The request must not be answered from the cache.
    pub request_bypass: Signal<In, Bit>,
    /// The memory request is taken.
    pub memory_ready: Signal<In, Bit>,
    /// Memory answers; the response is always taken.
    pub response_valid: Signal<In, Bit>,
    /// Walk that the response is for.
    pub response_walk: Signal<In, Bits<WALK>>,
    /// Entry from memory.
    pub response_data: Signal<In, Bits<64>>,
    /// There is no such word in memory.
    pub response_error: Signal<In, Bit>,
    /// The update was refused, because the entry was not the expected one.
    pub response_changed: Signal<In, Bit>,
    /// Every entry is to be invalidated.
    pub invalidate_valid: Signal<In, Bit>,
    /// Levels that are cached: bit 0 is level 2, bit 1 level 3, bit 2 level 4, bit 3 level 5.
    pub cached_levels: Signal<In, Bits<4>>,
    /// Bits 51 to 32 of an entry that must be 0.
    pub reserved_bits: Signal<In, Bits<20>>,

    /// The request is accepted.
    pub request_ready: Signal<Out, Bit>,
    /// A request is answered; the answer is always taken.
    pub answer_valid: Signal<Out, Bit>,
    /// Walk that the answer is for.
    pub answer_walk: Signal<Out, Bits<WALK>>,
    /// Entry of the answer.
    pub answer_data: Signal<Out, Bits<64>>,
    /// There is no such word in memory; 0 if the answer is from the cache.
    pub answer_error: Signal<Out, Bit>,
    /// Memory refused the update; 0 if the answer is from the cache.
    pub answer_changed: Signal<Out, Bit>,
    /// The answer is from the cache.
    pub answer_kept: Signal<Out, Bit>,
    /// An entry is requested of memory.
    pub memory_valid: Signal<Out, Bit>,
    /// Walk that requests the entry.
    pub memory_walk: Signal<Out, Bits<WALK>>,
    /// Address of the entry from bit 3 on.
    pub memory_word: Signal<Out, Bits<WORD>>,
    /// Level of the entry.
    pub memory_level: Signal<Out, Bits<3>>,
    /// The entry is updated instead of read: its accessed bit is set.
    pub memory_update: Signal<Out, Bit>,
    /// The update sets the dirty bit as well.
    pub memory_dirty: Signal<Out, Bit>,
    /// Expected value of the entry that is updated.
    pub memory_expected: Signal<Out, Bits<64>>,
    /// The invalidation is complete.
    pub invalidate_ready: Signal<Out, Bit>,

    // What is looked at: whether it is searched for, whether it may be found by the tags of its set that were read in the
    // cycle before, and in which way it was found if that is longer ago.
    looking: Register<Bit>,
    searched: Register<Bit>,
    fresh: Register<Bit>,
    was_found: [Register<Bit>; WAYS],
    look: Request<WALK, WORD>,

    // What is offered to memory, and whether its answer may be kept.
    offering: Register<Bit>,
    keeps: Register<Bit>,
    offer: Request<WALK, WORD>,

    // A hit is answered next: what moved on last, which is then not offered.
    hitting: Register<Bit>,

    // Clearing, and an invalidation.
    clean: Register<Bit>,
    sweep: Register<Bits<SET>>,
    invalidating: Register<Bit>,

    reads: Reads<WALKS, WALK, WORD>,
    fill: Fill<WAYS>,
    ways: [Way<SET, TAG, TAG_WORD>; WAYS],
    #[init(Memory::new(1 << ENTRY, 1))]
    entries: Memory<Bits<64>, ENTRY, 1>,
    request_place: Place<WORD, TABLE, SET, TAG>,
    look_place: Place<WORD, TABLE, SET, TAG>,
    fill_place: Place<WORD, TABLE, SET, TAG>,

    #[init(Constant::new((((1 << SET) - 1) as LiteralType).into()))]
    last_set: Constant<Bits<SET>>,
    #[init(Constant::new((SET as LiteralType).into()))]
    above_set: Constant<Bits<ENTRY>>,

    quiet: Signal<Local, Bit>,
    some_found: OrTree<WAYS>,
    found: [Signal<Local, Bit>; WAYS],
    found_way: OneHotMux<WAYS, Bits<WAY>>,
    written_way: OneHotMux<WAYS, Bits<WAY>>,
    entry_way: Signal<Local, Bits<WAY>>,
    entry_set: Signal<Local, Bits<SET>>,
    room: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    may_go: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    go_searched: Signal<Local, Bit>,
    hit: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    of_level: Signal<Local, Bits<4>>,
    search: Signal<Local, Bit>,
    same_set: Signal<Local, Bit>,
    tag_set: Signal<Local, Bits<SET>>,
    tag: Signal<Local, Bits<TAG>>,
}

impl<
    const WALKS: usize,
    const WALK: usize,
    const WORD: usize,
    const TABLE: usize,
    const SET: usize,
    const WAYS: usize,
    const WAY: usize,
    const ENTRY: usize,
    const TAG: usize,
    const TAG_WORD: usize,
> Logic for PageWalkCache<WALKS, WALK, WORD, TABLE, SET, WAYS, WAY, ENTRY, TAG, TAG_WORD>
{
    #[logic]
    fn update(&mut self) {
        // What was found: by the tags that were read in the cycle before, or earlier.
        self.look_place.word.next = self.look.held_word.val();
        self.fill_place.word.next = self.reads.word.val();
        self.request_place.word.next = self.request_word.val();
        self.tag.next = self.look_place.tag.val();
        if self.fill.comparing.val() {
            self.tag.next = self.fill_place.tag.val();
        }
        for i in 0..WAYS {
            self.ways[i].look_tag.next = self.tag.val();
            self.found[i].next =
                (self.fresh.q.val() && self.ways[i].found.val()) || self.was_found[i].q.val();
            self.some_found.of[i].next = self.found[i].val();
            self.found_way.choose[i].next = self.found[i].val();
            self.found_way.of[i].next = i.to_bits::<WAY>();
        }

        // What moves on, whether it was found or not.
        self.quiet.next =
            self.clean.q.val() && !self.invalidating.q.val() && !self.invalidate_valid.val();
        self.room.next = !self.offering.q.val() || self.memory_ready.val();
        self.waits.next = self.response_valid.val()
            && (self.hitting.q.val() || (self.searched.q.val() && self.fill.idle.val()));
        self.may_go.next = self.looking.q.val() && self.room.val() && !self.waits.val();
        self.same_set.next = self.look_place.set.val() == self.fill_place.set.val();
        self.go.next = self.may_go.val()
            && !(self.fill.first_writes.val() && self.searched.q.val() && !self.same_set.val());
        self.go_searched.next = self.go.val() && self.searched.q.val();
        self.hit.next = self.go.val() && self.some_found.any.val();
        for i in 0..WAYS {
            self.was_found[i].d.next = self.found[i].val() && !self.go.val();
        }

        // What is accepted: nothing while a fill goes first.
        self.ready.next = !self.fill.first.val() && (!self.looking.q.val() || self.may_go.val());
        self.request_ready.next = self.ready.val();
        self.accept.next = self.request_valid.val() && self.ready.val();
        self.of_level.next = 0.into();
        if self.request_level.val() == 2 {
            self.of_level.next = 1.into();
        }
        if self.request_level.val() == 3 {
            self.of_level.next = 2.into();
        }
        if self.request_level.val() == 4 {
            self.of_level.next = 4.into();
        }
        if self.request_level.val() == 5 {
            self.of_level.next = 8.into();
        }
        self.search.next = self.accept.val()
            && !self.request_update.val()
            && (self.of_level.val() & self.cached_levels.val()).any()
            && self.quiet.val();
        self.looking.d.next = self.accept.val() || (self.looking.q.val() && !self.go.val());
        self.fresh.d.next = self.search.val() && !self.request_bypass.val();
        if self.accept.val() {
            self.searched.d.next = self.search.val();
        }
        self.look.load.next = self.accept.val();
        self.look.walk.next = self.request_walk.val();
        self.look.word.next = self.request_word.val();
        self.look.level.next = self.request_level.val();
        self.look.update.next = self.request_update.val();
        self.look.dirty.next = self.request_dirty.val();
        self.look.expected.next = self.request_expected.val();

        // What is offered to memory.
        self.offering.d.next = (self.go.val() && !self.some_found.any.val())
            || (self.offering.q.val() && !self.memory_ready.val());
        self.keeps.d.next = self.keeps.q.val() && !self.invalidate_valid.val();
        if self.go.val() {
            self.keeps.d.next =
                self.searched.q.val() && !self.some_found.any.val() && self.quiet.val();
        }
        self.offer.load.next = self.go.val();
        self.offer.walk.next = self.look.held_walk.val();
        self.offer.word.next = self.look.held_word.val();
        self.offer.level.next = self.look.held_level.val();
        self.offer.update.next = self.look.held_update.val();
        self.offer.dirty.next = self.look.held_dirty.val();
        self.offer.expected.next = self.look.held_expected.val();
        self.memory_valid.next = self.offering.q.val();
        self.memory_walk.next = self.offer.held_walk.val();
        self.memory_word.next = self.offer.held_word.val();
        self.memory_level.next = self.offer.held_level.val();
        self.memory_update.next = self.offer.held_update.val();
        self.memory_dirty.next = self.offer.held_dirty.val();
        self.memory_expected.next = self.offer.held_expected.val();

        // What memory reads: noted on the way out, and read when it answers.
        self.reads.note.next = self.go_searched.val();
        self.reads.note_walk.next = self.look.held_walk.val();
        self.reads.note_word.next = self.look.held_word.val();
        self.reads.taken.next = self.offering.q.val() && self.memory_ready.val();
        self.reads.taken_walk.next = self.offer.held_walk.val();
        self.reads.taken_keeps.next = self.keeps.q.val();
        self.reads.answered.next = self.response_valid.val();
        self.reads.answered_walk.next = self.response_walk.val();
        self.reads.read.next = self.response_valid.val() && self.fill.idle.val();
        self.reads.forget.next = self.invalidate_valid.val();

        // What is filled.
        self.fill.offered.next = self.response_valid.val() && self.reads.keeps.val();
        self.fill.data.next = self.response_data.val();
        self.fill.error.next = self.response_error.val();
        self.fill.reserved_bits.next = self.reserved_bits.val();
        self.fill.forget.next = self.invalidate_valid.val();
        self.fill.may_read.next = !self.search.val();
        self.fill.may_write.next = !self.search.val()
            && !(self.looking.q.val()
                && self.searched.q.val()
                && (self.go.val() || self.same_set.val()));
        for i in 0..WAYS {
            self.fill.found[i].next = self.ways[i].found.val();
            self.fill.round[i].next = self.ways[i].round.val();
            self.written_way.choose[i].next = self.fill.way[i].val();
            self.written_way.of[i].next = i.to_bits::<WAY>();
        }

        // The tags.
        self.tag_set.next = self.fill_place.set.val();
        if !self.clean.q.val() {
            self.tag_set.next = self.sweep.q.val();
        }
        if self.search.val() {
            self.tag_set.next = self.request_place.set.val();
        }
        for i in 0..WAYS {
            self.ways[i].enable.next = self.search.val()
                || self.fill.read.val()
                || (self.fill.write.val() && self.fill.way[i].val())
                || !self.clean.q.val();
            self.ways[i].write.next = self.fill.write.val() || !self.clean.q.val();
            self.ways[i].set.next = self.tag_set.val();
            self.ways[i].write_tag.next = self.fill_place.tag.val();
            self.ways[i].write_present.next = self.clean.q.val();
            self.ways[i].write_round.next = self.clean.q.val() && self.fill.write_round.val();
        }

        // The entries.
        self.entry_way.next = self.found_way.chosen.val();
        self.entry_set.next = self.look_place.set.val();
        if self.fill.write.val() {
            self.entry_way.next = self.written_way.chosen.val();
            self.entry_set.next = self.fill_place.set.val();
        }
        self.entries.enable.next = self.go_searched.val() || self.fill.write.val();
        self.entries.write.next = self.fill.write.val();
        self.entries.address.next = bit_cast::<ENTRY, SET>(self.entry_set.val())
            | (bit_cast::<ENTRY, WAY>(self.entry_way.val()) << self.above_set.val());
        self.entries.data[0].next = self.fill.entry.val();

        // The answer: memory's, or a hit.
        self.hitting.d.next = self.hit.val() || (self.hitting.q.val() && self.response_valid.val());
        self.answer_valid.next = self.response_valid.val() || self.hitting.q.val();
        self.answer_walk.next = 0.into();
        self.answer_data.next = 0.into();
        if self.hitting.q.val() {
            self.answer_walk.next = self.offer.held_walk.val();
            self.answer_data.next = self.entries.q[0].val();
        }
        if self.response_valid.val() {
            self.answer_walk.next = self.response_walk.val();
            self.answer_data.next = self.response_data.val();
        }
        self.answer_error.next = self.response_valid.val() && self.response_error.val();
        self.answer_changed.next = self.response_valid.val() && self.response_changed.val();
        self.answer_kept.next = self.hitting.q.val() && !self.response_valid.val();

        // An invalidation clears every set, and is done when no hit is left from before.
        self.invalidate_ready.next = self.invalidating.q.val()
            && self.clean.q.val()
            && !self.hitting.q.val()
            && !(self.looking.q.val() && self.searched.q.val());
        self.invalidating.d.next = self.invalidate_valid.val();
        if self.invalidating.q.val() {
            self.invalidating.d.next = !self.invalidate_ready.val();
        }
        self.sweep.d.next = 0.into();
        self.clean.d.next = !self.invalidate_valid.val() || self.invalidating.q.val();
        if !self.clean.q.val() {
            self.sweep.d.next = self.sweep.q.val() + 1;
            self.clean.d.next = self.sweep.q.val() == self.last_set.val();
        }
    }
}

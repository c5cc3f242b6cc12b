//! One way of each set: the tags, and a comparator.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::memory::Memory;

/// One way of the page-walk cache: the tags in a memory, and a comparator. Sets with numbers of `SET` bits, tags of
/// `TAG` bits; a word of `TAG_WORD` = `TAG` + 2 bits has a tag and its two marks.
#[block]
#[check(TAG + 2 == TAG_WORD, "{TAG_WORD} bits do not hold a tag of {TAG} bits and its two marks")]
pub struct Way<const SET: usize, const TAG: usize, const TAG_WORD: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// The tag of the set is read or written.
    pub enable: Signal<In, Bit>,
    /// The access is a write.
    pub write: Signal<In, Bit>,
    /// Set that is read or written.
    pub set: Signal<In, Bits<SET>>,
    /// Tag to write.
    pub write_tag: Signal<In, Bits<TAG>>,
    /// The tag to write is valid; otherwise the write clears the way in this set.
    pub write_present: Signal<In, Bit>,
    /// Round in which the way is filled.
    pub write_round: Signal<In, Bit>,
    /// Tag to compare with the one that was read last.
    pub look_tag: Signal<In, Bits<TAG>>,
    /// The tag that was read last is valid and equals `look_tag`.
    pub found: Signal<Out, Bit>,
    /// Round in which the way was filled, as it was read last.
    pub round: Signal<Out, Bit>,

    #[init(Memory::new(1 << SET, 1))]
    tags: Memory<Bits<TAG_WORD>, SET, 1>,
    #[init(Constant::new((1 << TAG as LiteralType).into()))]
    is_present: Constant<Bits<TAG_WORD>>,
    #[init(Constant::new((1 << (TAG + 1) as LiteralType).into()))]
    is_second: Constant<Bits<TAG_WORD>>,
    #[init(Constant::new(0.into()))]
    none: Constant<Bits<TAG_WORD>>,
    present: Signal<Local, Bits<TAG_WORD>>,
    second: Signal<Local, Bits<TAG_WORD>>,
}

impl<const SET: usize, const TAG: usize, const TAG_WORD: usize> Logic for Way<SET, TAG, TAG_WORD> {
    #[logic]
    fn update(&mut self) {
        self.tags.enable.next = self.enable.val();
        self.tags.write.next = self.write.val();
        self.tags.address.next = self.set.val();
        self.present.next = self.none.val();
        if self.write_present.val() {
            self.present.next = self.is_present.val();
        }
        self.second.next = self.none.val();
        if self.write_round.val() {
            self.second.next = self.is_second.val();
        }
        self.tags.data[0].next = bit_cast::<TAG_WORD, TAG>(self.write_tag.val())
            | self.present.val()
            | self.second.val();
        self.found.next = (bit_cast::<TAG, TAG_WORD>(self.tags.q[0].val()) == self.look_tag.val())
            && (self.tags.q[0].val() & self.is_present.val()).any();
        self.round.next = (self.tags.q[0].val() & self.is_second.val()).any();
    }
}

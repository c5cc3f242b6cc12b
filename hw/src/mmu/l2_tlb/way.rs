//! One way of the L2 TLB: a page for each set, in a memory.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::memory::Memory;

/// One way of the L2 TLB: a page for each set, in memories. Sets with numbers of `SET` bits; tags of `TAG` bits of a
/// page number above those, spaces of `ASID` bits. A word of `TAG_WORD` bits has both, with level, rights and
/// presence. A level of the tables translates `LEVEL` bits.
#[block]
#[check(TAG + ASID + 5 == TAG_WORD, "{TAG_WORD} bits do not hold a tag of {TAG} and a space of {ASID}")]
#[check(SET <= LEVEL && 2 * LEVEL < SET + TAG, "levels of {LEVEL} bits do not fit {SET} and {TAG} bits of a page")]
pub struct Way<
    const SET: usize,
    const TAG: usize,
    const ASID: usize,
    const TAG_WORD: usize,
    const LEVEL: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// The entry of the set is read.
    pub read: Signal<In, Bit>,
    /// The entry of the set is written.
    pub write: Signal<In, Bit>,
    /// Set that is read or written.
    pub in_set: Signal<In, Bits<SET>>,
    /// Page number to compare or to write, without the bits of its set.
    pub tag: Signal<In, Bits<TAG>>,
    /// Address space to compare or to write.
    pub asid: Signal<In, Bits<ASID>>,
    /// The page to compare belongs to the set in `in_set`.
    pub same_set: Signal<In, Bit>,
    /// Level of the entry to write.
    pub level: Signal<In, Bits<2>>,
    /// Writable bit of the entry to write: the page may be written.
    pub writable: Signal<In, Bit>,
    /// Clean bit of the entry to write: the page's dirty bit is clear.
    pub clean: Signal<In, Bit>,
    /// The entry to write is valid; otherwise the write clears the entry.
    pub present: Signal<In, Bit>,
    /// The entry that was read last is valid.
    pub taken: Signal<Out, Bit>,
    /// The entry that was read last is valid, and has the tag in `tag` and the address space in `asid`.
    pub found: Signal<Out, Bit>,
    /// The entry that was read last is valid, and has the address space in `asid`.
    pub in_asid: Signal<Out, Bit>,
    /// The entry that was read last is valid, and is the page to compare or a piece of a large page that
    /// contains it.
    pub contained: Signal<Out, Bit>,
    /// Writable bit of the entry that was read last: the page may be written.
    pub may_write: Signal<Out, Bit>,
    /// Clean bit of the entry that was read last: the page's dirty bit is clear.
    pub is_clean: Signal<Out, Bit>,
    /// The entry that was read last is a piece of a large page.
    pub is_large: Signal<Out, Bit>,

    #[init(Memory::new(1 << SET, 1))]
    pages: Memory<Bits<TAG_WORD>, SET, 1>,

    #[init(Constant::new(((ASID + 5) as LiteralType).into()))]
    above_asid: Constant<Bits<TAG_WORD>>,
    #[init(Constant::new(5.into()))]
    above_level: Constant<Bits<TAG_WORD>>,
    #[init(Constant::new(3.into()))]
    above_rights: Constant<Bits<TAG_WORD>>,
    // Bits of a tag that are outside of pages of level 2, and of level 3.
    #[init(Constant::new(!bits::<TAG>((1 << (LEVEL - SET)) - 1)))]
    outside_2: Constant<Bits<TAG>>,
    #[init(Constant::new(!bits::<TAG>((1 << (2 * LEVEL - SET)) - 1)))]
    outside_3: Constant<Bits<TAG>>,
    row: Signal<Local, Bits<TAG_WORD>>,
    named: Signal<Local, Bits<TAG_WORD>>,
    other: Signal<Local, Bits<TAG>>,
    same_asid: Signal<Local, Bit>,
    same_high: Signal<Local, Bit>,
    same_middle: Signal<Local, Bit>,
    same_low: Signal<Local, Bit>,
    huge: Signal<Local, Bit>,
}

impl<
    const SET: usize,
    const TAG: usize,
    const ASID: usize,
    const TAG_WORD: usize,
    const LEVEL: usize,
> Logic for Way<SET, TAG, ASID, TAG_WORD, LEVEL>
{
    #[logic]
    fn update(&mut self) {
        self.pages.enable.next = self.read.val() || self.write.val();
        self.pages.write.next = !self.read.val();
        self.pages.address.next = self.in_set.val();
        self.named.next = (bit_cast::<TAG_WORD, TAG>(self.tag.val()) << self.above_asid.val())
            | (bit_cast::<TAG_WORD, ASID>(self.asid.val()) << self.above_level.val())
            | (bit_cast::<TAG_WORD, 2>(self.level.val()) << self.above_rights.val());
        self.pages.data[0].next = self
            .named
            .val()
            .replace_bit(0, self.present.val())
            .replace_bit(1, self.writable.val())
            .replace_bit(2, self.clean.val());

        self.row.next = self.pages.q[0].val();
        self.taken.next = self.row.val().get_bit(0);
        self.may_write.next = self.row.val().get_bit(1);
        self.is_clean.next = self.row.val().get_bit(2);
        self.huge.next = self.row.val().get_bit(3) && self.row.val().get_bit(4);
        self.is_large.next = self.row.val().get_bit(4);
        self.same_asid.next =
            bit_cast::<ASID, TAG_WORD>(self.row.val() >> self.above_level.val()) == self.asid.val();

        // A page number in three parts: inside of a page of level 2, of level 3, and above.
        self.other.next =
            bit_cast::<TAG, TAG_WORD>(self.row.val() >> self.above_asid.val()) ^ self.tag.val();
        self.same_high.next = (self.other.val() & self.outside_3.val()) == 0;
        self.same_middle.next =
            (self.other.val() & self.outside_2.val() & !self.outside_3.val()) == 0;
        self.same_low.next = (self.other.val() & !self.outside_2.val()) == 0;
        self.found.next = self.taken.val()
            && self.same_asid.val()
            && self.same_high.val()
            && self.same_middle.val()
            && self.same_low.val();
        self.in_asid.next = self.taken.val() && self.same_asid.val();
        self.contained.next = self.taken.val()
            && self.same_asid.val()
            && self.same_high.val()
            && (self.same_middle.val() || self.huge.val())
            && ((self.same_low.val() && self.same_set.val()) || self.is_large.val());
    }
}

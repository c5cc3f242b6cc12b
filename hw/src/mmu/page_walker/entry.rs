//! What a table entry means for the walk that has read it (SDM 4.5 to 4.8).

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

/// Decodes a table entry for the walk that has read it (SDM 4.5 to 4.8). Frames of `PFN` bits. Combinational: from an
/// entry, and from what its walk has found so far, to what comes next.
#[block]
pub struct Entry<const PFN: usize> {
    /// The entry: present,
    pub present: Signal<In, Bit>,
    /// writable,
    pub may_write: Signal<In, Bit>,
    /// for users,
    pub for_users: Signal<In, Bit>,
    /// accessed,
    pub accessed: Signal<In, Bit>,
    /// dirty,
    pub is_dirty: Signal<In, Bit>,
    /// mapping a page above the last level,
    pub page_size: Signal<In, Bit>,
    /// not to be executed,
    pub disabled: Signal<In, Bit>,
    /// and bits 51 to 12.
    pub address: Signal<In, Bits<40>>,
    /// There is no such word.
    pub error: Signal<In, Bit>,
    /// Its level.
    pub level: Signal<In, Bits<3>>,
    /// The level of the root.
    pub top: Signal<In, Bits<3>>,
    /// Bits 29 to 12 of the address that is translated.
    pub inside: Signal<In, Bits<18>>,
    /// The access is a write,
    pub write: Signal<In, Bit>,
    /// executes,
    pub execute: Signal<In, Bit>,
    /// is by a user.
    pub user: Signal<In, Bit>,
    /// The levels so far may be written,
    pub writable: Signal<In, Bit>,
    /// accessed by users,
    pub user_page: Signal<In, Bit>,
    /// executed.
    pub executable: Signal<In, Bit>,
    /// The first of them whose accessed bit is clear.
    pub unmarked: Signal<In, Bits<3>>,
    /// The walk sets accessed and dirty bits.
    pub marking: Signal<In, Bit>,
    /// Walks do so.
    pub updates: Signal<In, Bit>,
    /// Bits 51 to 32 that are above the physical address.
    pub reserved_bits: Signal<In, Bits<20>>,
    /// Pages may be execute-disabled.
    pub execute_disable: Signal<In, Bit>,
    /// The last frame of memory.
    pub last_pfn: Signal<In, Bits<PFN>>,
    /// The walk has used what is kept.
    pub used: Signal<In, Bit>,

    /// The walk has ended.
    pub ends: Signal<Out, Bit>,
    /// It would have, without a page, by what is kept.
    pub doubtful: Signal<Out, Bit>,
    /// The level of the next entry, or that of the one to blame.
    pub next_level: Signal<Out, Bits<3>>,
    /// The next entries are to be marked; of a page that was found, its dirty bit is clear.
    pub next_marking: Signal<Out, Bit>,
    /// The next table, or the page's frame.
    pub next_pfn: Signal<Out, Bits<PFN>>,
    /// Why there is no page, or, while there is none yet, the first level whose accessed bit is clear.
    pub next_note: Signal<Out, Bits<3>>,
    /// All levels may be written; of a page that may not be accessed so, a read would have found it;
    pub next_writable: Signal<Out, Bit>,
    /// accessed by users,
    pub next_user_page: Signal<Out, Bit>,
    /// executed.
    pub next_executable: Signal<Out, Bit>,

    #[init(Constant::new(0x1ff.into()))]
    of_large: Constant<Bits<PFN>>,
    #[init(Constant::new(0x3ffff.into()))]
    of_huge: Constant<Bits<PFN>>,

    next_cause: Signal<Local, Bits<3>>,
    next_unmarked: Signal<Local, Bits<3>>,
    first: Signal<Local, Bit>,
    large: Signal<Local, Bit>,
    huge: Signal<Local, Bit>,
    maps: Signal<Local, Bit>,
    low_reserved: Signal<Local, Bit>,
    reserved: Signal<Local, Bit>,
    broken: Signal<Local, Bit>,
    table: Signal<Local, Bits<PFN>>,
    offset: Signal<Local, Bits<PFN>>,
    may_be_written: Signal<Local, Bit>,
    readable: Signal<Local, Bit>,
    forbidden: Signal<Local, Bit>,
    outside: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    clean: Signal<Local, Bit>,
    unset: Signal<Local, Bit>,
    marks: Signal<Local, Bit>,
    so_far: Signal<Local, Bits<3>>,
}

impl<const PFN: usize> Logic for Entry<PFN> {
    #[logic]
    fn update(&mut self) {
        // Where it leads. Level 1 maps pages of 4 KB, 2 of 2 MB, 3 of 1 GB.
        self.large.next = (self.level.val() == 2) && self.page_size.val();
        self.huge.next = (self.level.val() == 3) && self.page_size.val();
        self.maps.next = (self.level.val() == 1) || self.large.val() || self.huge.val();
        self.table.next = self.address.val().get_bits::<PFN>(0);
        self.offset.next = 0.into();
        if self.large.val() {
            self.offset.next = self.of_large.val();
        }
        if self.huge.val() {
            self.offset.next = self.of_huge.val();
        }
        self.next_pfn.next = (self.table.val() & !self.offset.val())
            | (bit_cast::<PFN, 18>(self.inside.val()) & self.offset.val());

        // Reserved bits: above the physical address, below a large page, and what only pages have.
        self.low_reserved.next = (self.large.val() && self.address.val().get_bits::<8>(1).any())
            || (self.huge.val() && self.address.val().get_bits::<17>(1).any());
        self.reserved.next = self.low_reserved.val()
            || (self.address.val().get_bits::<20>(20) & self.reserved_bits.val()).any()
            || (self.disabled.val() && !self.execute_disable.val())
            || (self.page_size.val() && self.level.val().get_bit(2));
        self.broken.next = self.error.val() || !self.present.val() || self.reserved.val();

        // Rights over the levels so far, of which the root's table is the first.
        self.first.next = self.level.val() == self.top.val();
        self.may_be_written.next =
            (self.first.val() || self.writable.val()) && self.may_write.val();
        self.next_user_page.next =
            (self.first.val() || self.user_page.val()) && self.for_users.val();
        self.next_executable.next =
            (self.first.val() || self.executable.val()) && !self.disabled.val();
        self.forbidden.next = (self.write.val() && !self.may_be_written.val())
            || (self.execute.val() && !self.next_executable.val())
            || (self.user.val() && !self.next_user_page.val());
        self.outside.next = self.last_pfn.val() < self.next_pfn.val();
        self.refused.next = self.forbidden.val() || self.outside.val();

        // Accessed and dirty bits.
        self.so_far.next = self.unmarked.val();
        if self.first.val() {
            self.so_far.next = 0.into();
        }
        self.next_unmarked.next = self.so_far.val();
        if !self.so_far.val().any() && !self.accessed.val() {
            self.next_unmarked.next = self.level.val();
        }
        self.clear.next = self.next_unmarked.val().any();
        self.clean.next = self.write.val() && !self.is_dirty.val();
        self.unset.next = (self.clear.val() || self.clean.val()) && !self.marking.val();
        self.marks.next = self.maps.val() && self.unset.val() && self.updates.val();

        // What comes of it.
        self.ends.next = self.broken.val()
            || (self.maps.val()
                && (self.refused.val() || !self.unset.val() || !self.updates.val()));
        self.next_level.next = self.level.val() - 1;
        if self.marks.val() {
            self.next_level.next = self.top.val();
        }
        if self.broken.val() || self.ends.val() {
            self.next_level.next = self.level.val();
        }
        self.next_marking.next = !self.ends.val() && (self.marks.val() || self.marking.val());
        if self.ends.val() {
            self.next_marking.next = !self.write.val() && !self.is_dirty.val();
        }
        self.readable.next = !self.outside.val()
            && !self.clear.val()
            && (self.next_user_page.val() || !self.user.val());
        self.next_writable.next = self.may_be_written.val();
        if self.ends.val() && self.forbidden.val() {
            self.next_writable.next = self.readable.val();
        }
        self.next_cause.next = 0.into();
        if self.maps.val() && self.unset.val() && !self.updates.val() {
            self.next_cause.next = 6.into();
            if self.clear.val() {
                self.next_cause.next = 5.into();
            }
        }
        if self.maps.val() && self.outside.val() {
            self.next_cause.next = 7.into();
        }
        if self.maps.val() && self.forbidden.val() {
            self.next_cause.next = 4.into();
        }
        if self.reserved.val() {
            self.next_cause.next = 3.into();
        }
        if !self.present.val() {
            self.next_cause.next = 2.into();
        }
        if self.error.val() {
            self.next_cause.next = 7.into();
        }
        self.doubtful.next = self.next_cause.val().any() && self.used.val();
        self.next_note.next = self.next_unmarked.val();
        if self.ends.val() {
            self.next_note.next = self.next_cause.val();
        }
        if self.next_cause.val() == 5 {
            self.next_level.next = self.next_unmarked.val();
        }
    }
}

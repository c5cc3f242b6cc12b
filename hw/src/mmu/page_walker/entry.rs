//! What a table entry means for the walk that has read it (SDM 4.5 to 4.8).

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

/// Decodes a table entry for the walk that has read it (SDM 4.5 to 4.8). Frames of `PFN` bits. Combinational: from an
/// entry, and from what its walk has found so far, to what comes next.
#[block]
pub struct Entry<const PFN: usize> {
    /// The entry is present (bit 0).
    pub present: Signal<In, Bit>,
    /// The entry permits writes (bit 1).
    pub may_write: Signal<In, Bit>,
    /// The entry permits accesses of users (bit 2).
    pub for_users: Signal<In, Bit>,
    /// The accessed bit of the entry is set (bit 5).
    pub accessed: Signal<In, Bit>,
    /// The dirty bit of the entry is set (bit 6).
    pub is_dirty: Signal<In, Bit>,
    /// The page-size bit of the entry is set (bit 7): at levels 2 and 3 it maps a page.
    pub page_size: Signal<In, Bit>,
    /// The execute-disable bit of the entry is set (bit 63).
    pub disabled: Signal<In, Bit>,
    /// Bits 51 to 12 of the entry.
    pub address: Signal<In, Bits<40>>,
    /// There is no such word in memory.
    pub error: Signal<In, Bit>,
    /// Level of the entry.
    pub level: Signal<In, Bits<3>>,
    /// Level of the root.
    pub top: Signal<In, Bits<3>>,
    /// Bits 29 to 12 of the address that is translated.
    pub inside: Signal<In, Bits<18>>,
    /// The access is a write.
    pub write: Signal<In, Bit>,
    /// The access is an instruction fetch.
    pub execute: Signal<In, Bit>,
    /// The access is of a user.
    pub user: Signal<In, Bit>,
    /// All levels above permit writes; ignored at the root's level.
    pub writable: Signal<In, Bit>,
    /// All levels above permit accesses of users; ignored at the root's level.
    pub user_page: Signal<In, Bit>,
    /// All levels above permit instruction fetches; ignored at the root's level.
    pub executable: Signal<In, Bit>,
    /// First level above whose accessed bit is clear, or 0; ignored at the root's level.
    pub unmarked: Signal<In, Bits<3>>,
    /// The walk has found its page and sets accessed and dirty bits.
    pub marking: Signal<In, Bit>,
    /// The walker sets accessed and dirty bits of entries.
    pub updates: Signal<In, Bit>,
    /// Bits 51 to 32 of an entry that must be 0.
    pub reserved_bits: Signal<In, Bits<20>>,
    /// Pages may be execute-disabled (IA32_EFER.NXE).
    pub execute_disable: Signal<In, Bit>,
    /// Last frame of memory.
    pub last_pfn: Signal<In, Bits<PFN>>,
    /// This entry, or one that the walk has read before, comes from the cache.
    pub used: Signal<In, Bit>,

    /// The walk ends with this entry.
    pub ends: Signal<Out, Bit>,
    /// The entry leads to a fault of a walk that has used an entry from the cache: the walk begins again.
    pub doubtful: Signal<Out, Bit>,
    /// Level of the next entry; if the walk ends, of the entry that maps the page or that caused the fault.
    pub next_level: Signal<Out, Bits<3>>,
    /// The walk sets accessed and dirty bits from here on; if it ends with a page, the page's dirty bit is
    /// clear.
    pub next_marking: Signal<Out, Bit>,
    /// Frame of the next table or of the page.
    pub next_pfn: Signal<Out, Bits<PFN>>,
    /// Cause of the end, 0 if the page is found; if the walk goes on, the first level whose accessed bit is
    /// clear, or 0.
    pub next_cause_or_level: Signal<Out, Bits<3>>,
    /// All levels so far permit writes; if the walk ends with cause 4, a read would have found the page.
    pub next_writable: Signal<Out, Bit>,
    /// All levels so far permit accesses of users.
    pub next_user_page: Signal<Out, Bit>,
    /// All levels so far permit instruction fetches.
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
        self.next_cause_or_level.next = self.next_unmarked.val();
        if self.ends.val() {
            self.next_cause_or_level.next = self.next_cause.val();
        }
        if self.next_cause.val() == 5 {
            self.next_level.next = self.next_unmarked.val();
        }
    }
}

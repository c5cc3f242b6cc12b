//! Sizes and ports of the L2 TLB.

pub use crate::page::Page;
use crate::ports;

/// SMs of the largest configuration.
pub const MOST_SMS: usize = 16;

/// A value for each SM.
pub type Each = [u64; MOST_SMS];

/// The sizes of a TLB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// SMs, a power of two.
    pub sms: usize,
    /// Bits of a set's number.
    pub set_bits: usize,
    /// Pages of a set.
    pub ways: usize,
    /// Bits of a page number.
    pub page_bits: usize,
    /// Bits of a space.
    pub space_bits: usize,
    /// Bits of a frame number.
    pub frame_bits: usize,
    /// Bits of a page number that one level of the tables translates.
    pub level_bits: usize,
}

impl Parameters {
    /// A TLB of so many entries in sets of 8, for 16 SMs.
    #[must_use]
    pub const fn with_entries(entries: usize) -> Self {
        Self {
            sms: MOST_SMS,
            set_bits: (entries / 8).ilog2() as usize,
            ways: 8,
            page_bits: 36,
            space_bits: 8,
            frame_bits: 28,
            level_bits: 9,
        }
    }

    /// Its sets.
    #[must_use]
    pub const fn sets(&self) -> usize {
        1 << self.set_bits
    }

    /// The set of a page.
    #[must_use]
    pub const fn set(&self, page: Page) -> usize {
        page.number as usize % self.sets()
    }

    /// The bits of a page number inside a page of a level.
    #[must_use]
    pub const fn inside(&self, level: u8) -> usize {
        match level {
            0 | 1 => 0,
            level => (level as usize - 1) * self.level_bits,
        }
    }
}

/// An invalidation of what contains one page.
pub const OF_PAGE: u8 = 0;
/// An invalidation of a space.
pub const OF_SPACE: u8 = 1;
/// An invalidation of everything.
pub const OF_ALL: u8 = 2;

ports! {
    /// What goes into a TLB in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Forgets everything.
        reset: bool = 1,
        /// An SM asks where a page is.
        request_valid: u16 = parameters.sms,
        /// Its page number.
        request_page: Each = (parameters.sms, parameters.page_bits),
        /// Its space.
        request_space: Each = (parameters.sms, parameters.space_bits),
        /// It is to be written.
        request_write: u16 = parameters.sms,
        /// The miss of an SM is taken.
        miss_ready: u16 = parameters.sms,
        /// A walk has found a page.
        fill_valid: bool = 1,
        /// Its page number.
        fill_page: u64 = parameters.page_bits,
        /// Its space.
        fill_space: u8 = parameters.space_bits,
        /// Its frame.
        fill_frame: u32 = parameters.frame_bits,
        /// It may be written.
        fill_writable: bool = 1,
        /// Its dirty bit is clear.
        fill_clean: bool = 1,
        /// The level of the page that it is, or is a piece of.
        fill_level: u8 = 2,
        /// Something is to be forgotten.
        invalidate_valid: bool = 1,
        /// What: [`OF_PAGE`], [`OF_SPACE`], or else all.
        invalidate_scope: u8 = 2,
        /// The page number.
        invalidate_page: u64 = parameters.page_bits,
        /// The space.
        invalidate_space: u8 = parameters.space_bits,
    }
}

ports! {
    /// What a TLB shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// A request is accepted.
        request_ready: u16 = parameters.sms,
        /// A request has hit,
        answer_valid: bool = 1,
        /// of this SM,
        answer_to: u16 = parameters.sms,
        /// of this page,
        answer_page: u64 = parameters.page_bits,
        /// in this space,
        answer_space: u8 = parameters.space_bits,
        /// which is in this frame,
        answer_frame: u32 = parameters.frame_bits,
        /// may be written,
        answer_writable: bool = 1,
        /// and has its dirty bit clear.
        answer_clean: bool = 1,
        /// A page is to be walked for an SM.
        miss_valid: u16 = parameters.sms,
        /// Its page number.
        miss_page: Each = (parameters.sms, parameters.page_bits),
        /// Its space.
        miss_space: Each = (parameters.sms, parameters.space_bits),
        /// It is to be written.
        miss_write: u16 = parameters.sms,
        /// A fill is accepted.
        fill_ready: bool = 1,
        /// What was to be forgotten is.
        invalidate_ready: bool = 1,
    }
}

impl Inputs {
    /// The page that an SM asks for.
    #[must_use]
    pub const fn requested(&self, sm: usize) -> Page {
        Page {
            number: self.request_page[sm],
            space: self.request_space[sm] as u8,
        }
    }

    /// The page of the fill.
    #[must_use]
    pub const fn filled(&self) -> Page {
        Page {
            number: self.fill_page,
            space: self.fill_space,
        }
    }

    /// The page of the invalidation.
    #[must_use]
    pub const fn invalidated(&self) -> Page {
        Page {
            number: self.invalidate_page,
            space: self.invalidate_space,
        }
    }
}

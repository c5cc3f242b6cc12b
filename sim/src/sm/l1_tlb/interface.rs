//! Sizes and ports of the L1 TLB.

pub use crate::page::Page;
use crate::ports;

/// The sizes of a TLB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
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
    /// Bits of a check's tag.
    pub tag_bits: usize,
    /// Pages that can be waited for.
    pub misses: usize,
}

impl Parameters {
    /// 32 entries in sets of 8, pages of 4 KB in 48-bit addresses.
    pub const PAPER: Self = Self {
        set_bits: 2,
        ways: 8,
        page_bits: 36,
        space_bits: 8,
        frame_bits: 28,
        tag_bits: 8,
        misses: 8,
    };

    /// Bits of a count of misses.
    #[must_use]
    pub const fn count_bits(&self) -> usize {
        self.misses.ilog2() as usize + 1
    }

    /// The set of a page.
    #[must_use]
    pub const fn set(&self, page: Page) -> u64 {
        page.number % (1 << self.set_bits)
    }
}

/// A walk's answer: a translation.
pub const TRANSLATION: u8 = 0;
/// A walk's answer: the page may not be accessed.
pub const DENIED: u8 = 1;
/// A walk's answer: the page is absent, and the GMMU holds its far fault.
pub const FAR: u8 = 2;
/// A walk's answer: the page is absent, and the GMMU has no place for its far fault.
pub const NACK: u8 = 3;
/// No walk's answer: the far fault of a page was cancelled, and the page may not be accessed.
pub const CANCELLED: u8 = 4;

/// An invalidation of one page.
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
        /// A check.
        check_valid: bool = 1,
        /// Its page number.
        check_page: u64 = parameters.page_bits,
        /// Its space.
        check_space: u8 = parameters.space_bits,
        /// It is for a write.
        check_write: bool = 1,
        /// What comes back with the answer.
        check_tag: u8 = parameters.tag_bits,
        /// The walk on offer is taken.
        walk_ready: bool = 1,
        /// A walk is answered.
        fill_valid: bool = 1,
        /// With what: [`TRANSLATION`], [`DENIED`], [`FAR`] or [`NACK`]; or a far fault is [`CANCELLED`].
        fill_kind: u8 = 3,
        /// Its page number.
        fill_page: u64 = parameters.page_bits,
        /// Its space.
        fill_space: u8 = parameters.space_bits,
        /// The frame of a translation.
        fill_frame: u32 = parameters.frame_bits,
        /// The page may be written.
        fill_writable: bool = 1,
        /// Its dirty bit is clear.
        fill_clean: bool = 1,
        /// A far fault has resolved.
        resolve_valid: bool = 1,
        /// Its page number.
        resolve_page: u64 = parameters.page_bits,
        /// Its space.
        resolve_space: u8 = parameters.space_bits,
        /// Something is forgotten.
        invalidate_valid: bool = 1,
        /// What: [`OF_PAGE`], [`OF_SPACE`], or else all.
        invalidate_scope: u8 = 2,
        /// The page number.
        invalidate_page: u64 = parameters.page_bits,
        /// The space.
        invalidate_space: u8 = parameters.space_bits,
        /// Far faults that the GMMU can hold for this TLB.
        far_limit: u8 = parameters.count_bits(),
        /// Checks are told of absent pages.
        report_faults: bool = 1,
    }
}

ports! {
    /// What a TLB shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// A check is accepted.
        check_ready: bool = 1,
        /// The check of the cycle before is answered.
        answer_valid: bool = 1,
        /// Its tag.
        answer_tag: u8 = parameters.tag_bits,
        /// Its page is here.
        answer_hit: bool = 1,
        /// The frame.
        answer_frame: u32 = parameters.frame_bits,
        /// Its page is absent.
        answer_fault: bool = 1,
        /// The access is not allowed.
        answer_denied: bool = 1,
        /// A walk is on offer.
        walk_valid: bool = 1,
        /// Its page number.
        walk_page: u64 = parameters.page_bits,
        /// Its space.
        walk_space: u8 = parameters.space_bits,
        /// A write missed it first.
        walk_write: bool = 1,
        /// Whoever waits for a page asks again.
        wake_valid: bool = 1,
        /// So does everybody else.
        wake_all: bool = 1,
        /// The page number.
        wake_page: u64 = parameters.page_bits,
        /// Its space.
        wake_space: u8 = parameters.space_bits,
    }
}

impl Inputs {
    /// The page of the check.
    #[must_use]
    pub const fn checked(&self) -> Page {
        Page {
            number: self.check_page,
            space: self.check_space,
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

    /// The page of the resolution.
    #[must_use]
    pub const fn resolved(&self) -> Page {
        Page {
            number: self.resolve_page,
            space: self.resolve_space,
        }
    }

    /// Whether the invalidation covers a page.
    #[must_use]
    pub const fn invalidates(&self, page: Page) -> bool {
        self.invalidate_valid
            && match self.invalidate_scope {
                OF_PAGE => {
                    page.number == self.invalidate_page && page.space == self.invalidate_space
                }
                OF_SPACE => page.space == self.invalidate_space,
                _ => true,
            }
    }
}

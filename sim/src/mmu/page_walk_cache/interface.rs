//! Sizes and ports of the page-walk cache.

use crate::ports;

/// The sizes of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Walks, a power of two.
    pub walks: usize,
    /// Bits of the number of a word of memory.
    pub word_bits: usize,
    /// Those of them that say where in its table an entry is.
    pub table_bits: usize,
    /// Bits of a set's number.
    pub set_bits: usize,
    /// Entries of a set.
    pub ways: usize,
}

impl Parameters {
    /// 64 walks over physical addresses of 40 bits, sets of 4 entries.
    #[must_use]
    pub const fn with_set_bits(set_bits: usize) -> Self {
        Self {
            walks: 64,
            word_bits: 37,
            table_bits: 9,
            set_bits,
            ways: 4,
        }
    }

    /// Bits of a walk's number.
    #[must_use]
    pub const fn walk_bits(&self) -> usize {
        self.walks.ilog2() as usize
    }

    /// How many sets there are.
    #[must_use]
    pub const fn sets(&self) -> usize {
        1 << self.set_bits
    }

    /// The set of a word.
    #[must_use]
    pub const fn set(&self, word: u64) -> usize {
        ((word ^ word >> self.table_bits) % (1 << self.set_bits)) as usize
    }
}

ports! {
    /// What goes into a cache in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Forgets everything.
        reset: bool = 1,
        /// The walker wants an entry,
        request_valid: bool = 1,
        /// for this walk,
        request_walk: u8 = parameters.walk_bits(),
        /// the word with this number,
        request_word: u64 = parameters.word_bits,
        /// an entry of this level.
        request_level: u8 = 3,
        /// Its accessed bit is to be set,
        request_update: bool = 1,
        /// and its dirty bit too,
        request_dirty: bool = 1,
        /// if this is what is there.
        request_expected: u64 = 64,
        /// It is not to be answered from here.
        request_anew: bool = 1,
        /// The memory request is taken.
        memory_ready: bool = 1,
        /// Memory answers,
        response_valid: bool = 1,
        /// a request of this walk,
        response_walk: u8 = parameters.walk_bits(),
        /// with this word.
        response_data: u64 = 64,
        /// There is no such word.
        response_error: bool = 1,
        /// The word to update was not as expected.
        response_changed: bool = 1,
        /// Everything is to be forgotten.
        invalidate_valid: bool = 1,
        /// Levels that are cached, 2 to 5, a bit for each.
        cached_levels: u8 = 4,
        /// Bits 51 to 32 of an entry that are above the physical address.
        reserved_bits: u32 = 20,
    }
}

ports! {
    /// What a cache shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// A request is accepted.
        request_ready: bool = 1,
        /// A request is answered,
        answer_valid: bool = 1,
        /// that of this walk,
        answer_walk: u8 = parameters.walk_bits(),
        /// with this word.
        answer_data: u64 = 64,
        /// There is no such word.
        answer_error: bool = 1,
        /// The word to update was not as expected.
        answer_changed: bool = 1,
        /// It comes from here.
        answer_kept: bool = 1,
        /// A word of memory is wanted,
        memory_valid: bool = 1,
        /// by this walk,
        memory_walk: u8 = parameters.walk_bits(),
        /// the one with this number,
        memory_word: u64 = parameters.word_bits,
        /// an entry of this level.
        memory_level: u8 = 3,
        /// Its accessed bit is to be set,
        memory_update: bool = 1,
        /// and its dirty bit too,
        memory_dirty: bool = 1,
        /// if this is what is there.
        memory_expected: u64 = 64,
        /// Everything is forgotten.
        invalidate_ready: bool = 1,
    }
}

impl Inputs {
    /// Whether what memory answers may be kept: an entry that leads to a table, by the rules, with every right.
    #[must_use]
    pub const fn may_be_kept(&self) -> bool {
        let entry = self.response_data;
        let (present, writable, user) = (entry & 1, entry >> 1 & 1, entry >> 2 & 1);
        let (accessed, page_size, disable) = (entry >> 5 & 1, entry >> 7 & 1, entry >> 63);
        let every_right = writable == 1 && user == 1 && disable == 0;
        !self.response_error
            && present == 1
            && accessed == 1
            && page_size == 0
            && every_right
            && entry >> 32 & self.reserved_bits as u64 == 0
    }

    /// Whether the request is a read of a level that is cached.
    #[must_use]
    pub const fn is_cached(&self) -> bool {
        !self.request_update
            && self.request_level >= 2
            && self.request_level <= 5
            && self.cached_levels >> (self.request_level - 2) & 1 == 1
    }
}

//! Sizes of the page-walk cache.

use super::ready;
use crate::mmu::page_walk_cache::PageWalkCache;
use crate::params::{TABLE_BITS, WORD_BITS};

/// A page-walk cache for `WALKS` walks with numbers of `WALK` bits, in sets of 4 ways, with set numbers of `SET` bits.
pub type WalkCache<
    const WALKS: usize,
    const WALK: usize,
    const SET: usize,
    const ENTRY: usize,
    const TAG: usize,
    const TAG_WORD: usize,
> = PageWalkCache<WALKS, WALK, WORD_BITS, TABLE_BITS, SET, 4, 2, ENTRY, TAG, TAG_WORD>;

super::sizes! {
    page_walk_cache {
        "4k" [] => ready::<WalkCache<64, 6, 7, 9, 30, 32>>,
        "8k" [Default] => ready::<WalkCache<64, 6, 8, 10, 29, 31>>,
        "16k" [] => ready::<WalkCache<64, 6, 9, 11, 28, 30>>,
        "proof" [Proof] => ready::<PageWalkCache<2, 1, 3, 1, 1, 2, 1, 2, 2, 4>>,
    }
}

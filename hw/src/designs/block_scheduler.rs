//! Sizes of the block scheduler.

use super::ready;
use crate::params::{
    ASID_BITS, CONTEXT_BITS, CONTEXT_PAIRS, CONTEXTS, MSHR_COUNT_BITS, RESIDENCE_BITS, SLOT_BITS,
    SLOTS, VPN_BITS,
};
use crate::sm::block_scheduler::BlockScheduler;

/// The local scheduler of an SM, which follows `PAGES` pages.
pub type LocalScheduler<const PAGES: usize> = BlockScheduler<
    SLOTS,
    SLOT_BITS,
    5,
    CONTEXTS,
    CONTEXT_BITS,
    CONTEXT_PAIRS,
    PAGES,
    VPN_BITS,
    ASID_BITS,
    MSHR_COUNT_BITS,
    RESIDENCE_BITS,
>;

super::sizes! {
    block_scheduler {
        "8" [Default] => ready::<LocalScheduler<8>>,
        "16" [] => ready::<LocalScheduler<16>>,
        "proof" [Proof] => ready::<BlockScheduler<2, 1, 2, 3, 2, 3, 2, 1, 1, 2, 2>>,
    }
}

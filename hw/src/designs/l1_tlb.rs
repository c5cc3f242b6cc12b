//! Sizes of the L1 TLB.

use super::ready;
use crate::params::{
    ASID_BITS, CHECK_TAG_BITS, L1_TLB_MISS_BITS, L1_TLB_MISS_COUNT_BITS, L1_TLB_MISS_PAIRS,
    L1_TLB_MISSES, L1_TLB_PAIRS, L1_TLB_SET_BITS, L1_TLB_SETS, L1_TLB_TAG_BITS, L1_TLB_WAYS,
    PFN_BITS, VPN_BITS,
};
use crate::sm::l1_tlb::L1Tlb;

/// Large entries, and the pairs of them.
const LARGE: usize = 8;
const LARGE_PAIRS: usize = LARGE * (LARGE - 1) / 2;
/// Bits of a page's number within a large page: 2 MB on x86-64.
const LARGE_PAGE_BITS: usize = 9;

/// The L1 TLB at the size of Tanasic et al.
pub type PaperL1Tlb = L1Tlb<
    L1_TLB_SETS,
    L1_TLB_SET_BITS,
    L1_TLB_WAYS,
    L1_TLB_PAIRS,
    VPN_BITS,
    L1_TLB_TAG_BITS,
    ASID_BITS,
    PFN_BITS,
    CHECK_TAG_BITS,
    L1_TLB_MISSES,
    L1_TLB_MISS_BITS,
    L1_TLB_MISS_COUNT_BITS,
    1,
    L1_TLB_MISS_PAIRS,
    0,
    LARGE,
    LARGE_PAIRS,
    LARGE_PAGE_BITS,
    { VPN_BITS - LARGE_PAGE_BITS },
    { PFN_BITS - LARGE_PAGE_BITS },
>;

/// The L1 TLB at a size of Power et al. (HPCA 2014, section 5): `SETS` sets of 8 ways; with large
/// entries if `LARGES` is 1.
type LargerL1Tlb<
    const SETS: usize,
    const SET: usize,
    const TAG: usize,
    const MISSES: usize,
    const MISS: usize,
    const MISS_COUNT: usize,
    const ORDERS: usize,
    const ORDER: usize,
    const LARGES: usize,
> = L1Tlb<
    SETS,
    SET,
    L1_TLB_WAYS,
    L1_TLB_PAIRS,
    VPN_BITS,
    TAG,
    ASID_BITS,
    PFN_BITS,
    CHECK_TAG_BITS,
    MISSES,
    MISS,
    MISS_COUNT,
    ORDERS,
    ORDER,
    LARGES,
    LARGE,
    LARGE_PAIRS,
    LARGE_PAGE_BITS,
    { VPN_BITS - LARGE_PAGE_BITS },
    { PFN_BITS - LARGE_PAGE_BITS },
>;

super::sizes! {
    l1_tlb {
        "32" [Default] => ready::<PaperL1Tlb>,
        "64" [] => ready::<LargerL1Tlb<8, 3, 33, 8, 3, 4, 1, 28, 0>>,
        "128" [] => ready::<LargerL1Tlb<16, 4, 32, 8, 3, 4, 1, 28, 0>>,
        "128_large" [] => ready::<LargerL1Tlb<16, 4, 32, 8, 3, 4, 1, 28, 1>>,
        "128_16_misses" [] => ready::<LargerL1Tlb<16, 4, 32, 16, 4, 5, 18, 5, 0>>,
        "128_32_misses" [Alike] => ready::<LargerL1Tlb<16, 4, 32, 32, 5, 6, 34, 6, 0>>,
        "128_64_misses" [Alike] => ready::<LargerL1Tlb<16, 4, 32, 64, 6, 7, 66, 7, 0>>,
        "128_128_misses" [] => ready::<LargerL1Tlb<16, 4, 32, 128, 7, 8, 130, 8, 0>>,
        "proof" [Proof] => ready::<L1Tlb<2, 1, 2, 1, 2, 1, 1, 2, 2, 2, 1, 2, 1, 1, 0, 2, 1, 1, 1, 1>>,
        "proof_large" [Proof Alike] => ready::<L1Tlb<2, 1, 2, 1, 2, 1, 1, 2, 2, 2, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1>>,
    }
}

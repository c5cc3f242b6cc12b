//! Sizes of the L1 TLB.

use super::ready;
use crate::params::{
    ASID_BITS, CHECK_TAG_BITS, L1_TLB_MISS_BITS, L1_TLB_MISS_COUNT_BITS, L1_TLB_MISS_PAIRS,
    L1_TLB_MISSES, L1_TLB_PAIRS, L1_TLB_SET_BITS, L1_TLB_SETS, L1_TLB_TAG_BITS, L1_TLB_WAYS,
    PFN_BITS, VPN_BITS,
};
use crate::sm::l1_tlb::L1Tlb;

/// The L1 TLB at the size of Tanasic et al.
type PaperL1Tlb = L1Tlb<
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
>;

/// The L1 TLB at a size of Power et al. (HPCA 2014, section 5): `SETS` sets of 8 ways.
type LargerL1Tlb<
    const SETS: usize,
    const SET: usize,
    const TAG: usize,
    const MISSES: usize,
    const MISS: usize,
    const MISS_COUNT: usize,
    const ORDERS: usize,
    const ORDER: usize,
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
>;

super::sizes! {
    l1_tlb {
        "32" [Default] => ready::<PaperL1Tlb>,
        "64" [] => ready::<LargerL1Tlb<8, 3, 33, 8, 3, 4, 1, 28>>,
        "128" [] => ready::<LargerL1Tlb<16, 4, 32, 8, 3, 4, 1, 28>>,
        "128_16_misses" [] => ready::<LargerL1Tlb<16, 4, 32, 16, 4, 5, 18, 5>>,
        "128_32_misses" [Alike] => ready::<LargerL1Tlb<16, 4, 32, 32, 5, 6, 34, 6>>,
        "128_64_misses" [Alike] => ready::<LargerL1Tlb<16, 4, 32, 64, 6, 7, 66, 7>>,
        "128_128_misses" [] => ready::<LargerL1Tlb<16, 4, 32, 128, 7, 8, 130, 8>>,
        "proof" [Proof] => ready::<L1Tlb<2, 1, 2, 1, 2, 1, 1, 2, 2, 2, 1, 2, 1, 1>>,
    }
}

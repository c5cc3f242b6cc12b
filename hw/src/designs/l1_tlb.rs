//! Sizes of the L1 TLB.

use super::ready;
use crate::params::{
    ASID_BITS, CHECK_TAG_BITS, L1_TLB_MISS_BITS, L1_TLB_MISS_COUNT_BITS, L1_TLB_MISS_PAIRS,
    L1_TLB_MISSES, L1_TLB_PAIRS, L1_TLB_SET_BITS, L1_TLB_SETS, L1_TLB_TAG_BITS, L1_TLB_WAYS,
    PFN_BITS, VPN_BITS,
};
use crate::sm::l1_tlb::L1Tlb;

/// The L1 TLB at the paper's size.
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
    L1_TLB_MISS_PAIRS,
>;

super::sizes! {
    l1_tlb {
        "32" [Default] => ready::<PaperL1Tlb>,
        "proof" [Proof] => ready::<L1Tlb<2, 1, 2, 1, 2, 1, 1, 2, 2, 2, 1, 2, 1>>,
    }
}

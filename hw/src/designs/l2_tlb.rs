//! Sizes of the L2 TLB.

use super::ready;
use crate::mmu::l2_tlb::L2Tlb;
use crate::params::{
    ASID_BITS, L2_TLB_PAIRS, L2_TLB_WAYS, LEVEL_BITS, PFN_BITS, SM_BITS, SMS, VPN_BITS,
};

/// The TLB of all SMs, with set numbers of `SET` bits.
pub type SharedTlb<
    const SET: usize,
    const SET_COUNT: usize,
    const ENTRY: usize,
    const TAG: usize,
    const TAG_WORD: usize,
> = L2Tlb<
    SMS,
    SM_BITS,
    SET,
    SET_COUNT,
    L2_TLB_WAYS,
    L2_TLB_PAIRS,
    ENTRY,
    VPN_BITS,
    TAG,
    ASID_BITS,
    PFN_BITS,
    TAG_WORD,
    LEVEL_BITS,
>;

super::sizes! {
    l2_tlb {
        "512" [] => ready::<SharedTlb<6, 7, 9, 30, 43>>,
        "1024" [Default] => ready::<SharedTlb<7, 8, 10, 29, 42>>,
        "proof" [Proof] => ready::<L2Tlb<2, 1, 1, 2, 2, 1, 2, 3, 2, 1, 2, 8, 1>>,
    }
}

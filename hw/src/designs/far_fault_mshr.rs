//! Sizes of the far-fault MSHRs.

use super::ready;
use crate::mmu::far_fault_mshr::FarFaultMshr;
use crate::params::{ASID_BITS, FAR_FAULT_BITS, REGION_BITS, SMS, VPN_BITS};

/// The far-fault MSHRs of a GPU.
pub type FarFaultMshrs<
    const ENTRIES: usize,
    const INDEX: usize,
    const COUNT: usize,
    const NAME: usize,
    const SM_COUNT: usize,
> = FarFaultMshr<
    ENTRIES,
    INDEX,
    COUNT,
    VPN_BITS,
    ASID_BITS,
    NAME,
    SMS,
    FAR_FAULT_BITS,
    SM_COUNT,
    REGION_BITS,
>;

super::sizes! {
    far_fault_mshr {
        "16" [] => ready::<FarFaultMshrs<16, 4, 5, 52, 5>>,
        "32" [] => ready::<FarFaultMshrs<32, 5, 6, 53, 6>>,
        "64" [Default] => ready::<FarFaultMshrs<64, 6, 7, 54, 7>>,
        "128" [] => ready::<FarFaultMshrs<128, 7, 8, 55, 7>>,
        "256" [] => ready::<FarFaultMshrs<256, 8, 9, 56, 7>>,
        "proof" [Proof] => ready::<FarFaultMshr<2, 1, 2, 2, 1, 8, 2, 2, 2, 1>>,
    }
}

//! Sizes of the memory unit.

use super::ready;
use crate::params::{
    ASID_BITS, LANES, LINE_BITS, LOG_ENTRY_BITS, PFN_BITS, PHYSICAL_LINE_BITS, SM_WARPS, VPN_BITS,
    WARP_BITS,
};
use crate::sm::memory_unit::MemoryUnit;

/// The memory unit of 64 warps and a replay queue with indices of `INDEX` bits, a log with those of `LOG`, with `ACCESSES` accesses and 8 page entries.
type Sized<
    const INDEX: usize,
    const LOG: usize,
    const ACCESSES: usize,
    const ACCESS: usize,
    const ACCESS_PAIRS: usize,
    const ADDRESS: usize,
> = MemoryUnit<
    ACCESSES,
    ACCESS,
    ACCESS_PAIRS,
    8,
    3,
    28,
    SM_WARPS,
    WARP_BITS,
    INDEX,
    LOG,
    LANES,
    5,
    6,
    LINE_BITS,
    VPN_BITS,
    ASID_BITS,
    PFN_BITS,
    PHYSICAL_LINE_BITS,
    { LINE_BITS + 2 },
    { LANES + PFN_BITS },
    ADDRESS,
>;

/// The memory unit of 16 accesses.
pub type PaperMemoryUnit<const INDEX: usize, const LOG: usize> = Sized<INDEX, LOG, 16, 4, 120, 8>;

super::sizes! {
    memory_unit {
        "16" [Default] => ready::<PaperMemoryUnit<6, LOG_ENTRY_BITS>>,
        "32" [] => ready::<Sized<6, LOG_ENTRY_BITS, 32, 5, 496, 9>>,
        "proof" [Proof] => ready::<MemoryUnit<2, 1, 1, 2, 1, 1, 2, 1, 1, LOG_ENTRY_BITS, 2, 1, 2, 7, 2, 1, 1, 6, 9, 3, 1>>,
    }
}

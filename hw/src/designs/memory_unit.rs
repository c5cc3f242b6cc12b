//! Sizes of the memory unit.

use super::ready;
use crate::params::{ASID_BITS, LANES, LINE_BITS, PAGE_LINE_BITS, PFN_BITS, VPN_BITS, WARP_BITS};
use crate::sm::memory_unit::MemoryUnit;

/// The memory unit of 64 warps and a replay queue of 64 entries, with `ACCESSES` accesses and 8 page entries.
type Sized<
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
    { 1 << WARP_BITS },
    WARP_BITS,
    6,
    LANES,
    5,
    6,
    LINE_BITS,
    VPN_BITS,
    ASID_BITS,
    PFN_BITS,
    { PFN_BITS + PAGE_LINE_BITS },
    { LINE_BITS + 2 },
    { LANES + PFN_BITS },
    ADDRESS,
>;

super::sizes! {
    memory_unit {
        "16" [Default] => ready::<Sized<16, 4, 120, 8>>,
        "32" [] => ready::<Sized<32, 5, 496, 9>>,
        "proof" [Proof] => ready::<MemoryUnit<2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 2, 7, 2, 1, 1, 6, 9, 3, 1>>,
    }
}

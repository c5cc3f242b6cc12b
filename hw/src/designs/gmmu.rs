//! Sizes of the GMMU.

use super::connected;
use crate::mmu::gmmu::Gmmu;
use crate::ports::Hardware;

/// The memory management unit of a GPU of 16 SMs: an L2 TLB of 1,024 entries, a page-walk cache of 8 KB, 64 far-fault
/// MSHRs.
fn gmmu<const WALKS: usize, const WALK: usize, const ENTRY: usize>(
    updates: bool,
) -> Box<dyn Hardware> {
    connected(Gmmu::<WALKS, WALK, ENTRY>::new(updates))
}

super::sizes! {
    gmmu {
        "8" [Trial] => || gmmu::<8, 3, 6>(false),
        "8_updates" [Trial] => || gmmu::<8, 3, 6>(true),
        "64" [Default Top] => || gmmu::<64, 6, 9>(false),
    }
}

//! Sizes of the page walker.

use super::connected;
use crate::mmu::page_walker::PageWalker;
use crate::params::{ASID_BITS, PFN_BITS, SM_BITS, SMS, VPN_BITS, WORD_BITS};
use crate::ports::Hardware;

/// A walker of tables of 4 levels, for `REQUESTERS` requesters with numbers of `REQUESTER` bits: `WALKS` walks with numbers of
/// `WALK` bits, and in front of them `REQUESTS` requests with numbers of `REQUEST` bits.
pub type Walker<
    const REQUESTERS: usize,
    const REQUESTER: usize,
    const WALKS: usize,
    const WALK: usize,
    const REQUESTS: usize,
    const REQUEST: usize,
    const ENTRY: usize,
> = PageWalker<
    REQUESTERS,
    REQUESTER,
    WALKS,
    WALK,
    REQUESTS,
    REQUEST,
    VPN_BITS,
    ASID_BITS,
    PFN_BITS,
    WORD_BITS,
    ENTRY,
>;

/// A walker of 16 SMs and 256 address spaces over tables of 4 levels, where SMs take turns (2 requests wait) or are
/// served in the order in which they came (64 wait).
fn walker<
    const WALKS: usize,
    const WALK: usize,
    const REQUESTS: usize,
    const REQUEST: usize,
    const ENTRY: usize,
>(
    updates: bool,
) -> Box<dyn Hardware> {
    connected(Walker::<SMS, SM_BITS, WALKS, WALK, REQUESTS, REQUEST, ENTRY>::new(updates))
}

/// Two walks for two requesters and two spaces: for proofs, and where every rule is tried in turn. 36 bits above those in
/// a page make 4 levels, 45 make 5; physical addresses have 52 bits.
fn small_walker<const VPN: usize>(updates: bool) -> Box<dyn Hardware> {
    connected(PageWalker::<2, 1, 2, 1, 2, 1, VPN, 1, 40, 49, 4>::new(
        updates,
    ))
}

super::sizes! {
    page_walker {
        "8" [] => || walker::<8, 3, 2, 1, 6>(false),
        "16" [] => || walker::<16, 4, 2, 1, 7>(false),
        "32" [] => || walker::<32, 5, 2, 1, 8>(false),
        "64" [Default Top] => || walker::<64, 6, 2, 1, 9>(false),
        "32_in_order" [] => || walker::<32, 5, 64, 6, 8>(false),
        "64_updates" [] => || walker::<64, 6, 2, 1, 9>(true),
        "2" [Trial] => || small_walker::<36>(false),
        "2_updates" [Trial] => || small_walker::<36>(true),
        "2_5_levels" [Trial] => || small_walker::<45>(false),
        "2_5_levels_updates" [Trial] => || small_walker::<45>(true),
        "proof" [Proof] => || small_walker::<36>(true),
    }
}

//! Sizes of the dirty bits.

use super::connected;
use crate::params::{LANES, ROW_BITS, ROW_GROUP_BITS};
use crate::ports::Hardware;
use crate::preempt::dirty_bits::DirtyBits;

/// Dirty bits of 2,048 rows of 32 lanes, allocated by eight.
fn dirty_bits(by_lane: bool) -> Box<dyn Hardware> {
    connected(DirtyBits::<
        ROW_BITS,
        256,
        8,
        8,
        ROW_GROUP_BITS,
        4,
        2,
        10,
        LANES,
        6,
        12,
        17,
    >::new(by_lane))
}

/// Dirty bits of 8 rows of 2 lanes, allocated by two or by four.
fn proved_dirty_bits(by_lane: bool) -> Box<dyn Hardware> {
    connected(DirtyBits::<3, 2, 1, 4, 2, 2, 1, 2, 2, 5, 4, 5>::new(
        by_lane,
    ))
}

super::sizes! {
    dirty_bits {
        "lanes" [Default Top] => || dirty_bits(true),
        "rows" [Kit] => || dirty_bits(false),
        "proof" [Proof] => || proved_dirty_bits(true),
        "proof_rows" [Proof Alike] => || proved_dirty_bits(false),
    }
}

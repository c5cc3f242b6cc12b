//! Sizes of the coalescer.

use super::ready;
use crate::params::{LANES, LINE_BITS};
use crate::sm::coalescer::Coalescer;

/// The coalescer of 32 lanes.
pub type PaperCoalescer = Coalescer<LANES, 5, LINE_BITS>;

super::sizes! {
    coalescer {
        "32" [Default] => ready::<PaperCoalescer>,
        "proof" [Proof] => ready::<Coalescer<4, 2, 7>>,
    }
}

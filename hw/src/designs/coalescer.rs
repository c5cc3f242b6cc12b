//! Sizes of the coalescer.

use super::ready;
use crate::params::{LANES, LINE_BITS};
use crate::sm::coalescer::Coalescer;

super::sizes! {
    coalescer {
        "32" [Default] => ready::<Coalescer<LANES, 5, LINE_BITS>>,
        "proof" [Proof] => ready::<Coalescer<4, 2, 7>>,
    }
}

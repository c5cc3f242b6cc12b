//! Sizes of the replay queue.

use super::ready;
use crate::params::AGE_BITS;
use crate::sm::replay_queue::ReplayQueue;

super::sizes! {
    replay_queue {
        "16" [Kit] => ready::<ReplayQueue<16, 4, 5, AGE_BITS>>,
        "32" [Kit] => ready::<ReplayQueue<32, 5, 6, AGE_BITS>>,
        "64" [Default Top] => ready::<ReplayQueue<64, 6, 7, AGE_BITS>>,
        "128" [Kit] => ready::<ReplayQueue<128, 7, 8, AGE_BITS>>,
        "proof" [Proof] => ready::<ReplayQueue<4, 2, 3, 2>>,
    }
}

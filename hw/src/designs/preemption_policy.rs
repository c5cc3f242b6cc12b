//! Sizes of the preemption policy.

use super::ready;
use crate::params::{BLOCK_TIME_BITS, SLOT_BITS, SLOTS, TICK_BITS};
use crate::preempt::preemption_policy::PreemptionPolicy;

super::sizes! {
    preemption_policy {
        "16" [Default] => ready::<PreemptionPolicy<SLOTS, SLOT_BITS, 5, BLOCK_TIME_BITS, 21, 23, 5, TICK_BITS>>,
        "proof" [Proof] => ready::<PreemptionPolicy<2, 1, 2, 3, 4, 6, 2, 1>>,
    }
}

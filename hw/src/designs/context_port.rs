//! Sizes of the context port.

use super::ready;
use crate::params::{
    BEAT_COUNT_BITS, BEAT_WORDS, BLOCK_BITS, CHECK_POLYNOMIAL, EPOCH_BITS, LENGTH_BITS,
};
use crate::preempt::context_port::ContextPort;

super::sizes! {
    context_port {
        "32" [Default] => ready::<ContextPort<BEAT_WORDS, 32, BLOCK_BITS, LENGTH_BITS, EPOCH_BITS, BEAT_COUNT_BITS, CHECK_POLYNOMIAL>>,
        "proof" [Proof] => ready::<ContextPort<4, 8, 2, 3, 2, 3, 0x1D>>,
    }
}

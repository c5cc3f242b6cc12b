//! Sizes of the checkpoint engine.

use super::ready;
use crate::params::{
    BEAT_COUNT_BITS, BEAT_WORDS, BLOCK_BITS, CHECK_POLYNOMIAL, EPOCH_BITS, LANES, LENGTH_BITS,
    LISTED_ROWS, LISTED_WORDS, LOG_COUNT_BITS, OPERAND_BITS, PLACE_BITS, QUEUE_COUNT_BITS,
    QUEUE_ENTRIES, ROW_BITS, ROW_GROUP_BITS, SECTOR_BITS, SECTORS, SHARED_BITS, STATE_BITS,
    WARP_BITS,
};
use crate::preempt::checkpoint::Checkpoint;

/// The checkpoint engine of an SM with 256 KB of registers, 96 KB of shared memory and 64 warps.
pub type CheckpointEngine = Checkpoint<
    BEAT_WORDS,
    32,
    BLOCK_BITS,
    LENGTH_BITS,
    EPOCH_BITS,
    BEAT_COUNT_BITS,
    CHECK_POLYNOMIAL,
    ROW_BITS,
    { ROW_BITS - ROW_GROUP_BITS },
    LISTED_ROWS,
    LISTED_WORDS,
    SECTORS,
    SECTOR_BITS,
    LANES,
    WARP_BITS,
    STATE_BITS,
    SHARED_BITS,
    OPERAND_BITS,
    LOG_COUNT_BITS,
    QUEUE_ENTRIES,
    QUEUE_COUNT_BITS,
    PLACE_BITS,
>;

super::sizes! {
    checkpoint {
        "32" [Default] => ready::<CheckpointEngine>,
        "proof" [Proof] => ready::<Checkpoint<5, 8, 2, 3, 2, 6, 0x1D, 2, 1, 2, 1, 2, 1, 4, 1, 1, 2, 1, 2, 2, 2, 3>>,
    }
}

//! Sizes and schemes of the SM pipeline.

use super::connected;
use crate::params::{AGE_BITS, ENTRY_BITS, SCOREBOARD_ENTRIES};
use crate::ports::Hardware;
use crate::sm::sm_pipeline::{Scheme, SmPipeline};

/// A pipeline of 64 warps with a queue of 64 entries and a log of `LOG_ENTRIES`, 64 for the paper's 16 KB.
fn pipeline<const LOG_ENTRIES: usize, const LOG_INDEX: usize, const LOG_COUNT: usize>(
    scheme: Scheme,
    greedy: bool,
) -> Box<dyn Hardware> {
    connected(SmPipeline::<
        64,
        32,
        5,
        496,
        6,
        SCOREBOARD_ENTRIES,
        ENTRY_BITS,
        64,
        6,
        7,
        AGE_BITS,
        LOG_ENTRIES,
        LOG_INDEX,
        LOG_COUNT,
    >::new(scheme, greedy))
}

/// A pipeline of 4 warps with a queue of 16 entries and a log of 8 KB: the same, and quicker to run.
fn small_pipeline(scheme: Scheme, greedy: bool) -> Box<dyn Hardware> {
    connected(SmPipeline::<
        4,
        2,
        1,
        1,
        2,
        SCOREBOARD_ENTRIES,
        ENTRY_BITS,
        16,
        4,
        5,
        AGE_BITS,
        32,
        5,
        6,
    >::new(scheme, greedy))
}

/// A pipeline that is small enough for proofs.
fn proved_pipeline(scheme: Scheme) -> Box<dyn Hardware> {
    connected(SmPipeline::<4, 2, 1, 1, 2, 4, 2, 4, 2, 3, 3, 4, 2, 3>::new(
        scheme, false,
    ))
}

super::sizes! {
    sm_pipeline {
        "stall_64" [Top Large Alike] => || pipeline::<64, 6, 7>(Scheme::StallOnFault, false),
        "commit_64" [Top Large Alike] => || pipeline::<64, 6, 7>(Scheme::WarpDisableCommit, false),
        "check_64" [Top Large Alike] => || pipeline::<64, 6, 7>(Scheme::WarpDisableLastCheck, false),
        "queue_64" [Top Large Alike] => || pipeline::<64, 6, 7>(Scheme::ReplayQueue, false),
        "log_64" [Top Large] => || pipeline::<64, 6, 7>(Scheme::OperandLog, false),
        "log_64_greedy" [Large Alike] => || pipeline::<64, 6, 7>(Scheme::OperandLog, true),
        "log_64_8k" [Large Alike] => || pipeline::<32, 5, 6>(Scheme::OperandLog, false),
        "log_64_20k" [Large Alike] => || pipeline::<80, 7, 8>(Scheme::OperandLog, false),
        "log_64_32k" [Large Alike] => || pipeline::<128, 7, 8>(Scheme::OperandLog, false),
        "stall_4" [] => || small_pipeline(Scheme::StallOnFault, false),
        "commit_4" [] => || small_pipeline(Scheme::WarpDisableCommit, false),
        "check_4" [] => || small_pipeline(Scheme::WarpDisableLastCheck, false),
        "queue_4" [] => || small_pipeline(Scheme::ReplayQueue, false),
        "log_4" [Default] => || small_pipeline(Scheme::OperandLog, false),
        "log_4_greedy" [] => || small_pipeline(Scheme::OperandLog, true),
        "proof" [Proof] => || proved_pipeline(Scheme::OperandLog),
        "proof_queue" [Proof Alike] => || proved_pipeline(Scheme::ReplayQueue),
        "proof_check" [Proof Alike] => || proved_pipeline(Scheme::WarpDisableLastCheck),
        "proof_commit" [Proof Alike] => || proved_pipeline(Scheme::WarpDisableCommit),
        "proof_stall" [Proof Alike] => || proved_pipeline(Scheme::StallOnFault),
    }
}

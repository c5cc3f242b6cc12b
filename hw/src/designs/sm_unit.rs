//! Sizes and schemes of the SM unit.

use super::connected;
use crate::ports::Hardware;
use crate::sm::sm_pipeline::Scheme;
use crate::sm::sm_unit::SmUnit;

/// An SM unit of 64 warps with a queue of 64 entries and a log of 16 KB.
fn unit(scheme: Scheme) -> Box<dyn Hardware> {
    connected(SmUnit::<64, 32, 5, 496, 6, 64, 6, 7, 64, 6, 7>::new(scheme))
}

/// An SM unit of 4 warps with a queue of 16 entries and a log of 8 KB: the same, and quicker to run.
fn small_unit(scheme: Scheme) -> Box<dyn Hardware> {
    connected(SmUnit::<4, 2, 1, 1, 2, 16, 4, 5, 32, 5, 6>::new(scheme))
}

super::sizes! {
    sm_unit {
        "log_64" [Large] => || unit(Scheme::OperandLog),
        "stall_64" [Large Alike] => || unit(Scheme::StallOnFault),
        "log_4" [Default Trial] => || small_unit(Scheme::OperandLog),
        "queue_4" [Trial] => || small_unit(Scheme::ReplayQueue),
        "stall_4" [Trial] => || small_unit(Scheme::StallOnFault),
    }
}

//! Sizes of the operand log.

use super::connected;
use crate::params::LOG_BANKS;
use crate::ports::Hardware;
use crate::sm::operand_log::OperandLog;

/// A log in the default banks, one lane each.
fn log<const ENTRIES: usize, const INDEX: usize, const COUNT: usize>() -> Box<dyn Hardware> {
    connected(OperandLog::<ENTRIES, INDEX, COUNT>::new(LOG_BANKS))
}

/// A log in half as many banks of two lanes each.
fn log_of_wide_banks<const ENTRIES: usize, const INDEX: usize, const COUNT: usize>()
-> Box<dyn Hardware> {
    connected(OperandLog::<ENTRIES, INDEX, COUNT>::new(LOG_BANKS / 2))
}

super::sizes! {
    operand_log {
        "8k" [Top] => log::<32, 5, 6>,
        "16k" [Default Top] => log::<64, 6, 7>,
        "20k" [Top] => log::<80, 7, 8>,
        "32k" [Top] => log::<128, 7, 8>,
        "16k_16x128" [] => log_of_wide_banks::<64, 6, 7>,
        "proof" [Proof] => log::<4, 2, 3>,
    }
}

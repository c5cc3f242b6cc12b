//! Sizes of the scoreboard.

use super::connected;
use crate::params::{ENTRY_BITS, SCOREBOARD_ENTRIES};
use crate::sm::scoreboard::Scoreboard;

super::sizes! {
    scoreboard {
        "8" [] => || connected(Scoreboard::<SCOREBOARD_ENTRIES, ENTRY_BITS>::new(false)),
        "8_holding" [Default] => || connected(Scoreboard::<SCOREBOARD_ENTRIES, ENTRY_BITS>::new(true)),
        "proof" [Proof] => || connected(Scoreboard::<4, 2>::new(true)),
    }
}

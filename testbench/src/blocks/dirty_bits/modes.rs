//! How warps, blocks and checkpoints behave for a few hundred cycles.

use crate::traffic::ALWAYS;

/// The lanes of a write-back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// All.
    All,
    /// Any of them, and now and then none.
    Any,
    /// One.
    One,
}

/// Chances are of 256.
pub struct Mode {
    /// A port writes back.
    pub write: u16,
    /// Rows in use.
    pub rows: u64,
    /// Both ports write to rows of one half.
    pub one_half: u16,
    /// A write is of a row that the walk is about.
    pub meets: u16,
    /// Lanes of a write.
    pub lanes: Lanes,
    /// A warp ends.
    pub clear: u16,
    /// It is one whose rows the walk is about.
    pub clear_meets: u16,
    /// A walk is wanted.
    pub walk: u16,
    /// It saves.
    pub saves: u16,
    /// It is of every row.
    pub whole: u16,
    /// A row is taken.
    pub take: u16,
}

/// Everyday work.
pub const STEADY: Mode = Mode {
    write: 100,
    rows: 256,
    one_half: 64,
    meets: 16,
    lanes: Lanes::Any,
    clear: 4,
    clear_meets: 64,
    walk: 40,
    saves: 160,
    whole: 32,
    take: 100,
};

/// In turn at random.
pub const MODES: [Mode; 10] = [
    STEADY,
    // Writes as fast as can be, all over the register file.
    Mode {
        write: ALWAYS,
        rows: 4096,
        lanes: Lanes::All,
        clear: 1,
        whole: 128,
        take: ALWAYS,
        ..STEADY
    },
    // The same in one half.
    Mode {
        write: ALWAYS,
        one_half: ALWAYS,
        clear: 8,
        take: 200,
        ..STEADY
    },
    // Few rows, each written in turn by single lanes.
    Mode {
        write: 160,
        rows: 12,
        lanes: Lanes::One,
        clear: 8,
        take: 200,
        ..STEADY
    },
    // A checkpoint of what has stopped.
    Mode {
        write: 0,
        clear: 0,
        walk: ALWAYS,
        saves: 128,
        whole: 128,
        take: ALWAYS,
        ..STEADY
    },
    // A save in steps of four cycles or so, while others run.
    Mode {
        write: 140,
        rows: 4096,
        clear: 1,
        saves: ALWAYS,
        take: 64,
        ..STEADY
    },
    // What is saved is written.
    Mode {
        write: 180,
        rows: 24,
        meets: 200,
        clear: 2,
        walk: ALWAYS,
        saves: 220,
        take: 128,
        ..STEADY
    },
    // Warps end while they are saved.
    Mode {
        write: 140,
        rows: 64,
        clear: 60,
        clear_meets: 160,
        walk: ALWAYS,
        whole: 160,
        ..STEADY
    },
    // Counting alone.
    Mode {
        rows: 1024,
        walk: ALWAYS,
        saves: 0,
        whole: 128,
        clear: 1,
        ..STEADY
    },
    // Hardly anything.
    Mode {
        write: 4,
        rows: 4096,
        walk: 8,
        take: 200,
        ..STEADY
    },
];

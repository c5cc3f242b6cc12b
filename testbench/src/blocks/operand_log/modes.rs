//! The modes of the traffic.

use crate::traffic::ALWAYS;

/// How the SM behaves for a few hundred cycles; chances are of 256.
pub struct Mode {
    /// A kernel starts, of 65,536.
    pub launch: u64,
    /// Allocations, and stores among them.
    pub allocate: u16,
    pub store: u16,
    /// Writes, and those of them that come in the very cycle in which the entry is given.
    pub write: u16,
    pub early: u16,
    pub release: u16,
    /// Reads, and those of them that name any entry and slot.
    pub replay: u16,
    pub save: u16,
    pub foreign: u16,
    /// Releases name one and the same slot, whichever slot has the entry.
    pub stray: bool,
    /// Anything may come, legal or not.
    pub chaos: bool,
}

pub const STEADY: Mode = Mode {
    launch: 16,
    allocate: 200,
    store: 80,
    write: 220,
    early: 128,
    release: 200,
    replay: 24,
    save: 4,
    foreign: 64,
    stray: false,
    chaos: false,
};

/// In turn at random: everyday work, loads alone, stores alone, exhausted partitions, drained ones, replays, saves and
/// replays at once, readers that starve, launch upon launch, anything, releases that go astray.
pub const MODES: [Mode; 11] = [
    STEADY,
    Mode {
        allocate: ALWAYS,
        store: 0,
        write: ALWAYS,
        early: ALWAYS,
        release: ALWAYS,
        ..STEADY
    },
    Mode {
        allocate: ALWAYS,
        store: ALWAYS,
        write: ALWAYS,
        ..STEADY
    },
    Mode {
        allocate: ALWAYS,
        release: 6,
        ..STEADY
    },
    Mode {
        allocate: 10,
        release: ALWAYS,
        ..STEADY
    },
    Mode {
        write: 60,
        replay: ALWAYS,
        release: 60,
        ..STEADY
    },
    Mode {
        write: 100,
        replay: ALWAYS,
        save: ALWAYS,
        release: 40,
        foreign: 20,
        ..STEADY
    },
    Mode {
        write: ALWAYS,
        early: ALWAYS,
        replay: 40,
        save: 40,
        release: 60,
        ..STEADY
    },
    Mode {
        launch: 2000,
        allocate: ALWAYS,
        replay: 128,
        save: 60,
        ..STEADY
    },
    Mode {
        launch: 200,
        replay: 100,
        save: 100,
        foreign: 160,
        chaos: true,
        ..STEADY
    },
    Mode {
        launch: 300,
        allocate: ALWAYS,
        write: ALWAYS,
        early: ALWAYS,
        release: ALWAYS,
        stray: true,
        ..STEADY
    },
];

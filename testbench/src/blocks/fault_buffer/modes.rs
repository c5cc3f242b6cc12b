//! How the GMMU, memory, the SMs and the driver behave for a few hundred cycles.

use crate::traffic::ALWAYS;

/// Chances are of 256.
pub struct Mode {
    /// A fault comes.
    pub fault: u16,
    /// It is replayable.
    pub replayable: u16,
    /// It is a recent one again, or nearly so.
    pub again: u16,
    /// How many faults are recent.
    pub recent: u64,
    /// Each SM is among its requesters.
    pub requester: u16,
    /// Memory takes a word.
    pub memory: u16,
    /// It acknowledges one.
    pub acknowledge: u16,
    /// A query is taken, or answered.
    pub queried: u16,
    /// Something comes that was not requested.
    pub stray: u16,
    /// The driver reads records.
    pub read: u16,
    /// The driver clears flags.
    pub clear: u16,
    /// The driver commands.
    pub command: u16,
    /// The driver writes anything anywhere.
    pub nonsense: u16,
    /// A command, a sweep or the walks come to an end.
    pub commanded: u16,
    /// A fault is turned away where there is no room.
    pub away: u16,
    /// Records of a new ring, less one, at most.
    pub records: u64,
}

/// Everyday work.
pub const STEADY: Mode = Mode {
    fault: 100,
    replayable: 128,
    again: 60,
    recent: 8,
    requester: 30,
    memory: 200,
    acknowledge: 160,
    queried: 100,
    stray: 8,
    read: 8,
    clear: 10,
    command: 10,
    nonsense: 1,
    commanded: 100,
    away: 20,
    records: 12,
};

/// In turn at random.
pub const MODES: [Mode; 13] = [
    STEADY,
    // Memory takes everything at once, and acknowledges late.
    Mode {
        fault: ALWAYS,
        memory: ALWAYS,
        acknowledge: 24,
        queried: ALWAYS,
        read: 30,
        clear: 30,
        records: 60,
        ..STEADY
    },
    // The driver does not read.
    Mode {
        fault: 200,
        read: 0,
        records: 9,
        ..STEADY
    },
    // It hardly reads, and reads a record or two.
    Mode {
        fault: ALWAYS,
        read: 2,
        clear: 30,
        memory: ALWAYS,
        acknowledge: ALWAYS,
        queried: ALWAYS,
        ..STEADY
    },
    // The same faults again and again.
    Mode {
        fault: ALWAYS,
        replayable: 20,
        again: 220,
        read: 4,
        memory: ALWAYS,
        acknowledge: ALWAYS,
        queried: ALWAYS,
        records: 30,
        ..STEADY
    },
    // The same, by a driver that reads at once.
    Mode {
        fault: ALWAYS,
        replayable: 20,
        again: 200,
        recent: 3,
        read: 60,
        memory: ALWAYS,
        acknowledge: ALWAYS,
        queried: ALWAYS,
        ..STEADY
    },
    // Memory is slow.
    Mode {
        memory: 20,
        acknowledge: 12,
        ..STEADY
    },
    // It takes everything, and acknowledges late.
    Mode {
        memory: ALWAYS,
        acknowledge: 10,
        ..STEADY
    },
    // SMs are slow.
    Mode {
        queried: 8,
        ..STEADY
    },
    // Much comes that was not requested.
    Mode {
        stray: 128,
        nonsense: 60,
        clear: 60,
        ..STEADY
    },
    // Only commands, one after the other.
    Mode {
        fault: 4,
        command: 200,
        commanded: 60,
        ..STEADY
    },
    // Faults are turned away all the time.
    Mode {
        fault: 200,
        away: 128,
        read: 20,
        clear: 60,
        ..STEADY
    },
    // Everything as fast as it goes.
    Mode {
        fault: ALWAYS,
        again: 20,
        memory: ALWAYS,
        acknowledge: ALWAYS,
        queried: ALWAYS,
        read: 40,
        commanded: ALWAYS,
        command: 60,
        ..STEADY
    },
];

//! How a program and its units behave for a few hundred cycles.

use crate::traffic::ALWAYS;

/// Chances are of 256.
pub struct Mode {
    /// An instruction arrives.
    pub arrive: u16,
    /// It is issued at once.
    pub issued: u16,
    /// It stops the fetch.
    pub stops: u16,
    /// It holds its sources.
    pub holds: u16,
    /// Registers in use.
    pub registers: usize,
    /// Instead of one of them it names the zero register.
    pub zero: u16,
    /// What is ready is issued.
    pub issue: u16,
    /// The second one goes with the first one.
    pub pair: u16,
    /// A unit finishes something.
    pub finish: u16,
    /// All units do.
    pub burst: u16,
    /// An instruction is checked.
    pub check: u16,
    /// The buffered ones are forgotten.
    pub flush: u16,
    /// A message comes that no pipeline sends.
    pub stray: u16,
}

/// Everyday work.
pub const STEADY: Mode = Mode {
    arrive: 220,
    issued: 10,
    stops: 12,
    holds: 90,
    registers: 12,
    zero: 20,
    issue: 200,
    pair: 180,
    finish: 24,
    burst: 0,
    check: 90,
    flush: 3,
    stray: 0,
};

/// In turn at random.
pub const MODES: [Mode; 12] = [
    STEADY,
    // Everything as fast as it goes.
    Mode {
        arrive: ALWAYS,
        issued: 0,
        registers: 16,
        issue: ALWAYS,
        pair: ALWAYS,
        finish: 128,
        check: ALWAYS,
        ..STEADY
    },
    // Hazards everywhere.
    Mode {
        arrive: ALWAYS,
        registers: 3,
        finish: 40,
        ..STEADY
    },
    // Slow units: all entries are taken.
    Mode {
        arrive: ALWAYS,
        registers: 16,
        finish: 2,
        ..STEADY
    },
    // Units that finish together.
    Mode {
        arrive: ALWAYS,
        registers: 16,
        finish: 0,
        burst: 16,
        ..STEADY
    },
    // Sources that are held for long.
    Mode {
        arrive: ALWAYS,
        holds: 220,
        registers: 7,
        finish: 30,
        check: 24,
        zero: 60,
        ..STEADY
    },
    // Replays.
    Mode {
        issued: 160,
        holds: 200,
        registers: 8,
        ..STEADY
    },
    // Nothing stays for long.
    Mode {
        flush: 60,
        stops: 100,
        issue: 128,
        ..STEADY
    },
    // The fetch stops.
    Mode {
        stops: 160,
        check: 30,
        flush: 20,
        ..STEADY
    },
    // Two wait, and neither is issued for long.
    Mode {
        arrive: ALWAYS,
        issue: 12,
        finish: 80,
        ..STEADY
    },
    // Anything at all.
    Mode {
        registers: 6,
        flush: 16,
        stops: 60,
        stray: 60,
        ..STEADY
    },
    // Hardly anything.
    Mode {
        arrive: 16,
        ..STEADY
    },
];

//! How the traffic behaves, for a few hundred cycles each.

use crate::traffic::ALWAYS;

/// How programs and units behave for a few hundred cycles; chances are of 256.
pub(super) struct Mode {
    pub fetched: u16,
    /// Chances of an instruction: memory, and of these global, stores.
    pub memory: u16,
    pub global: u16,
    pub store: u16,
    pub control: u16,
    pub special: u16,
    /// Registers that the program uses.
    pub registers: u64,
    /// The units' haste.
    pub finish: u16,
    pub check: u16,
    pub take: u16,
    /// Chance of a global-memory instruction.
    pub fault: u16,
    /// Chances in a cycle.
    pub stop: u16,
    pub resume: u16,
    /// Chances in a cycle: of saves and restores, and that either is taken.
    pub save: u16,
    pub restore: u16,
    pub saved: u16,
}

pub(super) const STEADY: Mode = Mode {
    fetched: 240,
    memory: 90,
    global: 200,
    store: 80,
    control: 10,
    special: 20,
    registers: 24,
    finish: 120,
    check: 160,
    take: 220,
    fault: 4,
    stop: 1,
    resume: 60,
    save: 2,
    restore: 100,
    saved: 200,
};

/// In turn at random: everyday work; all at full speed; memory alone; a storm of faults; slow units; few registers; much
/// control; a memory unit that takes nothing for long; many stops; thread blocks that leave and come back; the same with
/// stores alone, checked as fast as they come; global memory alone, with checks that come rarely, so that queue, log and
/// scoreboards are full.
pub(super) const MODES: [Mode; 12] = [
    STEADY,
    Mode {
        fetched: ALWAYS,
        finish: ALWAYS,
        check: ALWAYS,
        take: ALWAYS,
        fault: 0,
        stop: 0,
        registers: 250,
        ..STEADY
    },
    Mode {
        fetched: ALWAYS,
        memory: ALWAYS,
        global: 250,
        take: ALWAYS,
        check: ALWAYS,
        finish: ALWAYS,
        registers: 200,
        ..STEADY
    },
    Mode {
        fault: 120,
        memory: 180,
        resume: 200,
        ..STEADY
    },
    Mode {
        finish: 12,
        check: 20,
        ..STEADY
    },
    Mode {
        registers: 4,
        ..STEADY
    },
    Mode {
        control: 120,
        ..STEADY
    },
    Mode {
        take: 16,
        memory: 160,
        ..STEADY
    },
    Mode {
        stop: 40,
        resume: 250,
        fault: 30,
        ..STEADY
    },
    Mode {
        stop: 60,
        resume: 20,
        fault: 60,
        memory: 180,
        save: 120,
        saved: 120,
        restore: 200,
        ..STEADY
    },
    Mode {
        memory: 200,
        global: 250,
        store: 230,
        check: ALWAYS,
        finish: ALWAYS,
        take: ALWAYS,
        stop: 30,
        resume: 10,
        save: ALWAYS,
        saved: ALWAYS,
        ..STEADY
    },
    Mode {
        fetched: ALWAYS,
        memory: ALWAYS,
        global: ALWAYS,
        check: 12,
        take: ALWAYS,
        finish: ALWAYS,
        fault: 30,
        registers: 250,
        ..STEADY
    },
];

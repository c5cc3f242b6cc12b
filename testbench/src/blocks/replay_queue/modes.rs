//! The modes of the traffic.

use crate::traffic::ALWAYS;

/// How the SM behaves for a few hundred cycles; chances are of 256.
pub struct Mode {
    /// An instruction at issue.
    pub insert: u16,
    /// Issue goes from a burst to a pause or back.
    pub pause: u16,
    /// The messages.
    pub check: u16,
    pub fault: u16,
    pub commit: u16,
    /// Requests to the scan engine.
    pub resume: u16,
    pub save: u16,
    /// What the engine offers is taken.
    pub take: u16,
    /// Warps that issue, as bits of their number.
    pub warp_bits: u32,
    /// Messages come in program order of the warp.
    pub in_order: bool,
    /// Some instructions get no message, and grow old.
    pub stragglers: bool,
    /// All warps name one slot, and most instructions are restored: its save has many candidates at once.
    pub many_candidates: bool,
    /// Anything may come, legal or not.
    pub chaos: bool,
}

pub const STEADY: Mode = Mode {
    insert: 200,
    pause: 8,
    check: 220,
    fault: 24,
    commit: 230,
    resume: 40,
    save: 1,
    take: 230,
    warp_bits: 6,
    in_order: false,
    stragglers: false,
    many_candidates: false,
    chaos: false,
};

/// In turn at random: everyday work, in order, full, full and busy, drained, long stalls, one warp that faults, one warp with
/// stragglers that drain or are replayed, storms of resumes, blocks that leave and come back, anything, and a crowd in
/// one slot.
pub const MODES: [Mode; 13] = [
    STEADY,
    Mode {
        in_order: true,
        warp_bits: 4,
        ..STEADY
    },
    Mode {
        insert: ALWAYS,
        pause: 0,
        check: 100,
        fault: 1,
        commit: 3,
        resume: 128,
        ..STEADY
    },
    Mode {
        insert: ALWAYS,
        pause: 0,
        check: 120,
        fault: 4,
        commit: ALWAYS,
        resume: ALWAYS,
        take: ALWAYS,
        ..STEADY
    },
    Mode {
        insert: 20,
        check: ALWAYS,
        commit: ALWAYS,
        resume: ALWAYS,
        take: ALWAYS,
        ..STEADY
    },
    Mode {
        take: 6,
        resume: ALWAYS,
        fault: 90,
        save: 8,
        ..STEADY
    },
    Mode {
        insert: ALWAYS,
        warp_bits: 0,
        fault: 120,
        commit: 60,
        resume: 60,
        ..STEADY
    },
    Mode {
        insert: ALWAYS,
        pause: 0,
        warp_bits: 0,
        fault: 0,
        commit: 180,
        save: 0,
        stragglers: true,
        ..STEADY
    },
    Mode {
        insert: ALWAYS,
        pause: 0,
        warp_bits: 0,
        fault: 1,
        commit: 180,
        resume: ALWAYS,
        save: 0,
        stragglers: true,
        ..STEADY
    },
    Mode {
        fault: 180,
        resume: ALWAYS,
        take: ALWAYS,
        warp_bits: 2,
        ..STEADY
    },
    Mode {
        insert: 250,
        fault: 140,
        commit: 100,
        save: ALWAYS,
        take: 180,
        warp_bits: 5,
        ..STEADY
    },
    Mode {
        pause: 32,
        fault: 128,
        save: 60,
        resume: 128,
        take: 128,
        warp_bits: 3,
        chaos: true,
        ..STEADY
    },
    Mode {
        insert: ALWAYS,
        pause: 0,
        check: 10,
        fault: 4,
        commit: 10,
        save: 32,
        take: ALWAYS,
        many_candidates: true,
        chaos: true,
        ..STEADY
    },
];

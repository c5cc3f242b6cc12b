//! How the SMs, the walker and the driver behave for a few hundred cycles.

use crate::traffic::ALWAYS;

/// Chances are of 256.
pub struct Mode {
    /// A fault comes.
    pub fault: u16,
    /// It is of a page that is held.
    pub again: u16,
    /// Each SM is among its requesters.
    pub requester: u16,
    /// Pages in use.
    pub pages: usize,
    /// All of them have the same tag.
    pub one_tag: bool,
    /// A command comes.
    pub command: u16,
    /// It is for all.
    pub all: u16,
    /// It cancels.
    pub cancel: u16,
    /// It, or what a walk has found, is of a page that was not named before.
    pub stray: u16,
    /// A walk that is under way ends.
    pub walk: u16,
    /// It finds its page.
    pub present: u16,
    /// Answers and wake-ups are taken.
    pub taken: u16,
    /// Reports are.
    pub report: u16,
    /// Walks are.
    pub walk_ready: u16,
    /// Far faults that an SM may have; anything if not given.
    pub limit: Option<u8>,
}

/// Everyday work.
pub const STEADY: Mode = Mode {
    fault: 60,
    again: 60,
    requester: 30,
    pages: 64,
    one_tag: false,
    command: 40,
    all: 2,
    cancel: 16,
    stray: 8,
    walk: 80,
    present: 200,
    taken: 220,
    report: 200,
    walk_ready: 200,
    limit: Some(4),
};

/// In turn at random.
pub const MODES: [Mode; 13] = [
    STEADY,
    // More faults than fit.
    Mode {
        fault: ALWAYS,
        again: 10,
        requester: 4,
        pages: 512,
        command: 6,
        limit: Some(31),
        ..STEADY
    },
    // The same, and everything at once is cancelled or resolved.
    Mode {
        fault: 200,
        requester: 4,
        pages: 512,
        command: 8,
        all: 128,
        cancel: 128,
        limit: Some(31),
        ..STEADY
    },
    // SMs reach their limits.
    Mode {
        fault: 220,
        requester: 90,
        limit: None,
        ..STEADY
    },
    // No SM may have any.
    Mode {
        limit: Some(0),
        ..STEADY
    },
    // Every entry that is searched has the same tag.
    Mode {
        one_tag: true,
        fault: 200,
        limit: Some(31),
        ..STEADY
    },
    // A few pages and all SMs.
    Mode {
        pages: 4,
        again: 200,
        requester: 128,
        fault: 200,
        ..STEADY
    },
    // Resolutions that come too early.
    Mode {
        command: 120,
        present: 20,
        ..STEADY
    },
    // The driver does not read its reports.
    Mode {
        report: 2,
        fault: 200,
        ..STEADY
    },
    // The walker does not take walks.
    Mode {
        walk_ready: 3,
        command: 120,
        all: 20,
        ..STEADY
    },
    // Answers and wake-ups are taken late.
    Mode {
        taken: 12,
        fault: 160,
        command: 120,
        ..STEADY
    },
    // Whatever is said is of something else.
    Mode {
        stray: 160,
        command: 120,
        cancel: 100,
        ..STEADY
    },
    // Everything as fast as it goes.
    Mode {
        fault: ALWAYS,
        again: 128,
        command: ALWAYS,
        walk: ALWAYS,
        taken: ALWAYS,
        report: ALWAYS,
        walk_ready: ALWAYS,
        ..STEADY
    },
];

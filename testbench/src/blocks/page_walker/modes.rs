//! How requesters, memory and software behave for a few hundred cycles.

use crate::traffic::ALWAYS;

/// Chances are of 256.
pub struct Mode {
    /// A requester requests.
    pub request: u16,
    /// Pages in use.
    pub pages: usize,
    /// A page's address is not canonical.
    pub odd: u16,
    /// A request is for a write.
    pub write: u16,
    /// Another one executes.
    pub execute: u16,
    /// A request is a user's.
    pub user: u16,
    /// An answer is taken.
    pub answer: u16,
    /// A memory request is taken.
    pub memory: u16,
    /// Memory answers.
    pub response: u16,
    /// It answers that there is no such word.
    pub error: u16,
    /// It answers what was not requested.
    pub stray: u16,
    /// A cache has what was requested.
    pub kept: u16,
    /// Software changes an entry.
    pub change: u16,
    /// Software writes a root.
    pub root: u16,
    /// Software invalidates.
    pub invalidate: u16,
    /// An entry is present.
    pub present: u16,
    /// It may be written, may be accessed by users, may be executed.
    pub open: u16,
    /// It is accessed, is dirty.
    pub marked: u16,
    /// It is of a large page.
    pub large: u16,
    /// An odd bit is set in it.
    pub reserved: u16,
}

/// Everyday work.
pub const STEADY: Mode = Mode {
    request: 24,
    pages: 24,
    odd: 2,
    write: 90,
    execute: 40,
    user: 200,
    answer: 240,
    memory: 240,
    response: 128,
    error: 2,
    stray: 0,
    kept: 60,
    change: 2,
    root: 2,
    invalidate: 1,
    present: 252,
    open: 240,
    marked: 200,
    large: 40,
    reserved: 1,
};

/// In turn at random.
pub const MODES: [Mode; 12] = [
    STEADY,
    // All requesters at once, few pages.
    Mode {
        request: ALWAYS,
        pages: 3,
        response: 60,
        ..STEADY
    },
    // All requesters at once, many pages, and memory keeps up.
    Mode {
        request: ALWAYS,
        pages: 32,
        answer: ALWAYS,
        memory: ALWAYS,
        response: ALWAYS,
        root: 0,
        ..STEADY
    },
    // Nothing is taken for long.
    Mode {
        request: 128,
        answer: 16,
        memory: 24,
        response: 40,
        ..STEADY
    },
    // Memory is slow.
    Mode {
        request: 128,
        response: 12,
        invalidate: 6,
        ..STEADY
    },
    // Software invalidates all the time.
    Mode {
        request: 60,
        invalidate: 48,
        change: 20,
        root: 10,
        ..STEADY
    },
    // All that can be wrong with an entry.
    Mode {
        request: 60,
        odd: 40,
        present: 230,
        open: 180,
        marked: 180,
        large: 90,
        reserved: 24,
        error: 12,
        ..STEADY
    },
    // Fresh tables: nothing is accessed yet.
    Mode {
        request: 60,
        marked: 16,
        write: 160,
        ..STEADY
    },
    // The same, and they change while they are walked.
    Mode {
        request: 60,
        marked: 16,
        write: 160,
        change: 120,
        ..STEADY
    },
    // A cache has much that is in memory no more, and little can be found.
    Mode {
        request: 60,
        kept: 200,
        present: 230,
        open: 200,
        error: 8,
        change: 20,
        ..STEADY
    },
    // Memory answers what was not requested.
    Mode {
        request: 60,
        stray: 24,
        ..STEADY
    },
    // Hardly anything.
    Mode {
        request: 1,
        answer: ALWAYS,
        memory: ALWAYS,
        response: 200,
        ..STEADY
    },
];

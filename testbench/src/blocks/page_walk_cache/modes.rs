//! How walks, memory and software behave for a few hundred cycles.

use crate::traffic::ALWAYS;

/// Chances are of 256.
pub struct Mode {
    /// A walk requests.
    pub request: u16,
    /// Words in use.
    pub words: usize,
    /// All of them are of one set.
    pub one_set: bool,
    /// A request is of level 1.
    pub last: u16,
    /// It is an update.
    pub update: u16,
    /// It is not to be answered from here.
    pub bypass: u16,
    /// A memory request is taken.
    pub memory: u16,
    /// Memory answers.
    pub response: u16,
    /// It answers that there is no such word.
    pub error: u16,
    /// It answers what was not requested.
    pub stray: u16,
    /// An entry is one that may not be kept.
    pub odd: u16,
    /// Software changes an entry.
    pub change: u16,
    /// Software invalidates.
    pub invalidate: u16,
}

/// Everyday work.
pub const STEADY: Mode = Mode {
    request: 100,
    words: 64,
    one_set: false,
    last: 60,
    update: 8,
    bypass: 4,
    memory: 220,
    response: 100,
    error: 2,
    stray: 0,
    odd: 16,
    change: 2,
    invalidate: 0,
};

/// In turn at random.
pub const MODES: [Mode; 13] = [
    STEADY,
    // All that is wanted is here.
    Mode {
        request: ALWAYS,
        words: 12,
        last: 4,
        update: 0,
        odd: 0,
        memory: ALWAYS,
        response: ALWAYS,
        ..STEADY
    },
    // One set, with more words than it has ways.
    Mode {
        request: 200,
        words: 6,
        one_set: true,
        last: 20,
        response: 220,
        ..STEADY
    },
    // The same word by many walks.
    Mode {
        request: ALWAYS,
        words: 2,
        last: 20,
        response: 24,
        invalidate: 1,
        ..STEADY
    },
    // Hardly anything is found.
    Mode {
        request: ALWAYS,
        words: 4000,
        last: 0,
        update: 0,
        memory: ALWAYS,
        response: ALWAYS,
        ..STEADY
    },
    // Nothing is cached, and memory keeps up.
    Mode {
        request: ALWAYS,
        last: ALWAYS,
        memory: ALWAYS,
        response: ALWAYS,
        ..STEADY
    },
    // Memory takes little.
    Mode {
        request: 200,
        words: 20,
        memory: 24,
        response: 200,
        ..STEADY
    },
    // Memory is slow to answer.
    Mode {
        request: 200,
        words: 20,
        response: 16,
        ..STEADY
    },
    // Software changes what is here, and walks do not believe it.
    Mode {
        request: 200,
        words: 12,
        last: 20,
        bypass: 80,
        change: 100,
        response: 200,
        ..STEADY
    },
    // Software invalidates now and then,
    Mode {
        request: 200,
        words: 6,
        response: 60,
        change: 20,
        invalidate: 1,
        ..STEADY
    },
    // or all the time.
    Mode {
        words: 6,
        change: 40,
        invalidate: 100,
        ..STEADY
    },
    // All that can be wrong with an entry.
    Mode {
        words: 40,
        odd: 200,
        error: 40,
        stray: 24,
        change: 60,
        ..STEADY
    },
    // Hardly anything.
    Mode {
        request: 6,
        words: 8,
        memory: ALWAYS,
        response: 200,
        ..STEADY
    },
];

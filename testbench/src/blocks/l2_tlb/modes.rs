//! How SMs, walker and driver behave for some hundred cycles.

use crate::traffic::ALWAYS;

/// Chances are of 256.
pub struct Mode {
    /// An SM requests.
    pub request: u16,
    /// SMs that do.
    pub sms: usize,
    /// A request is a write.
    pub write: u16,
    /// Pages in use.
    pub pages: usize,
    /// All of them are of one set.
    pub one_set: bool,
    /// A miss is taken.
    pub walk: u16,
    /// One is answered.
    pub fill: u16,
    /// The page that is filled is clean.
    pub clean: u16,
    /// It is a piece of a large page.
    pub large: u16,
    /// A page is filled that no SM has missed, or that is there.
    pub stray: u16,
    /// An invalidation comes.
    pub invalidate: u16,
}

/// Everyday work.
pub const STEADY: Mode = Mode {
    request: 12,
    sms: 16,
    write: 90,
    pages: 48,
    one_set: false,
    walk: 100,
    fill: 80,
    clean: 100,
    large: 80,
    stray: 1,
    invalidate: 0,
};

/// In turn at random.
pub const MODES: [Mode; 12] = [
    STEADY,
    // All that is used is there.
    Mode {
        request: 120,
        pages: 12,
        write: 20,
        walk: ALWAYS,
        fill: ALWAYS,
        clean: 0,
        ..STEADY
    },
    // One set, with more pages than it has ways.
    Mode {
        request: 60,
        pages: 11,
        one_set: true,
        walk: ALWAYS,
        fill: ALWAYS,
        clean: 10,
        ..STEADY
    },
    // The same with large pages and invalidations.
    Mode {
        request: 20,
        pages: 14,
        one_set: true,
        fill: ALWAYS,
        large: 190,
        invalidate: 2,
        ..STEADY
    },
    // Every SM requests whenever it can.
    Mode {
        request: ALWAYS,
        pages: 64,
        walk: 60,
        ..STEADY
    },
    // One SM does.
    Mode {
        request: ALWAYS,
        sms: 1,
        pages: 20,
        walk: 200,
        fill: 200,
        ..STEADY
    },
    // Misses are taken late.
    Mode {
        request: 60,
        walk: 4,
        stray: 40,
        ..STEADY
    },
    // Fills without an end.
    Mode {
        request: 40,
        stray: ALWAYS,
        pages: 30,
        ..STEADY
    },
    // Invalidations now and then,
    Mode {
        invalidate: 1,
        request: 30,
        pages: 24,
        fill: 200,
        large: 128,
        stray: 10,
        ..STEADY
    },
    // often,
    Mode {
        invalidate: 40,
        request: 40,
        large: 128,
        stray: 60,
        ..STEADY
    },
    // and without an end.
    Mode {
        invalidate: ALWAYS,
        request: 160,
        stray: 128,
        pages: 24,
        ..STEADY
    },
    // Hardly anything.
    Mode {
        request: 1,
        pages: 16,
        ..STEADY
    },
];

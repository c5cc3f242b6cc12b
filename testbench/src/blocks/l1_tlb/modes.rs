//! How an SM and its GMMU behave for a few hundred cycles.

use crate::traffic::ALWAYS;

/// Chances are of 256.
pub struct Mode {
    /// A check comes.
    pub check: u16,
    /// It is of a page that was missed.
    pub again: u16,
    /// It is for a write.
    pub write: u16,
    /// Pages in use.
    pub pages: usize,
    /// All of them are of one set.
    pub one_set: bool,
    /// A walk is taken.
    pub walk: u16,
    /// One is answered.
    pub fill: u16,
    /// The answer is a far fault.
    pub far: u16,
    /// It is a Nack.
    pub nack: u16,
    /// It is a denial.
    pub denied: u16,
    /// The page is clean.
    pub clean: u16,
    /// A translation is of a large page, where there are large entries.
    pub large: u16,
    /// A far fault is cancelled.
    pub cancel: u16,
    /// A far fault resolves.
    pub resolve: u16,
    /// Something is invalidated.
    pub invalidate: u16,
    /// A fill or a resolution comes that was not requested.
    pub stray: u16,
    /// Far faults are reported.
    pub report: u16,
    /// Far faults that the GMMU holds; anything if not given.
    pub limit: Option<u8>,
}

/// Everyday work.
pub const STEADY: Mode = Mode {
    check: 220,
    again: 40,
    write: 90,
    pages: 48,
    one_set: false,
    walk: 200,
    fill: 128,
    far: 16,
    nack: 8,
    denied: 8,
    clean: 60,
    large: 96,
    cancel: 2,
    resolve: 40,
    invalidate: 2,
    stray: 1,
    report: 128,
    limit: Some(4),
};

/// In turn at random.
pub const MODES: [Mode; 12] = [
    STEADY,
    // All that is used is there.
    Mode {
        check: ALWAYS,
        again: 0,
        pages: 16,
        far: 0,
        nack: 0,
        clean: 0,
        large: 160,
        invalidate: 0,
        ..STEADY
    },
    // One set, with more pages than it has ways.
    Mode {
        pages: 11,
        one_set: true,
        fill: 230,
        walk: ALWAYS,
        far: 2,
        nack: 2,
        again: 60,
        large: 30,
        ..STEADY
    },
    // More pages are missed than can be remembered.
    Mode {
        check: ALWAYS,
        again: 10,
        pages: 64,
        fill: 10,
        ..STEADY
    },
    // Far faults.
    Mode {
        far: 140,
        nack: 0,
        resolve: 12,
        limit: Some(8),
        report: 200,
        ..STEADY
    },
    // More of them than the GMMU can hold.
    Mode {
        cancel: 20,
        far: 80,
        nack: 110,
        resolve: 30,
        limit: None,
        again: 100,
        ..STEADY
    },
    // Nacks alone, because others hold all places.
    Mode {
        far: 0,
        nack: 200,
        limit: Some(0),
        ..STEADY
    },
    // Invalidations at every time.
    Mode {
        invalidate: 70,
        cancel: 60,
        far: 40,
        nack: 20,
        ..STEADY
    },
    // Walks are taken late.
    Mode {
        walk: 12,
        fill: ALWAYS,
        ..STEADY
    },
    // Many fills and resolutions that were not requested.
    Mode {
        stray: 90,
        far: 50,
        nack: 40,
        resolve: 60,
        limit: None,
        ..STEADY
    },
    // Everything as fast as it goes, and resolved at once.
    Mode {
        check: ALWAYS,
        again: 128,
        walk: ALWAYS,
        fill: ALWAYS,
        resolve: ALWAYS,
        far: 60,
        nack: 60,
        limit: Some(1),
        ..STEADY
    },
    // Hardly anything.
    Mode {
        check: 16,
        ..STEADY
    },
];

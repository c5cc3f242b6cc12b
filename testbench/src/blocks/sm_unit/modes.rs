//! How pages, walks and the cache behave, for a few hundred cycles each; programs and units have modes of their own.

use crate::traffic::ALWAYS;

/// Chances of 256, in a cycle or of a page.
pub(super) struct Mode {
    /// Pages in use, lines of a page, and whether the pages are of one set of the L1 TLB.
    pub pages: u64,
    pub lines: u64,
    pub one_set: bool,
    /// Pages that are absent at first, and that may be read alone.
    pub absent: u16,
    pub read_only: u16,
    pub walk: u16,
    pub fill: u16,
    pub nack: u16,
    pub clean: u16,
    pub resolve: u16,
    pub premature: u16,
    pub cancel: u16,
    pub invalidate: u16,
    pub line: u16,
    /// Instructions that another unit takes, and that raise an exception there.
    pub other: u16,
    pub raise: u16,
    /// Haste of that unit.
    pub certain: u16,
}

pub(super) const STEADY: Mode = Mode {
    pages: 24,
    lines: 8,
    one_set: false,
    absent: 40,
    read_only: 6,
    walk: 200,
    fill: 120,
    nack: 40,
    clean: 20,
    resolve: 20,
    premature: 10,
    cancel: 1,
    invalidate: 1,
    line: 220,
    other: 20,
    raise: 30,
    certain: 120,
};

/// In turn at random: everyday work; all present and at full speed; a storm of faults; pages that never come for long; one
/// set; few pages and lines, so that accesses conflict; a slow cache; many invalidations; another unit that takes most; pages
/// that may not be written; walks that take long.
pub(super) const MODES: [Mode; 11] = [
    STEADY,
    Mode {
        absent: 0,
        read_only: 0,
        walk: ALWAYS,
        fill: ALWAYS,
        invalidate: 0,
        line: ALWAYS,
        other: 0,
        ..STEADY
    },
    Mode {
        absent: 200,
        resolve: 120,
        pages: 48,
        ..STEADY
    },
    Mode {
        absent: 160,
        resolve: 1,
        nack: 100,
        ..STEADY
    },
    Mode {
        one_set: true,
        pages: 40,
        absent: 20,
        ..STEADY
    },
    Mode {
        pages: 3,
        lines: 2,
        absent: 120,
        ..STEADY
    },
    Mode { line: 24, ..STEADY },
    Mode {
        invalidate: 24,
        resolve: 80,
        ..STEADY
    },
    Mode {
        other: 200,
        raise: 100,
        certain: ALWAYS,
        ..STEADY
    },
    Mode {
        read_only: 120,
        invalidate: 4,
        ..STEADY
    },
    Mode {
        walk: 30,
        fill: 8,
        pages: 48,
        ..STEADY
    },
];

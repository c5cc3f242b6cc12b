//! How the surroundings of a memory unit behave for some hundred cycles.

use crate::traffic::ALWAYS;

/// Into how many lines the lanes of an instruction fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    One,
    Few,
    /// A line for each lane.
    Every,
    Any,
}

/// Chances are of 256, but where it says so.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// An instruction is on offer.
    pub instruction: u16,
    /// It is a store.
    pub store: u16,
    /// It has no lanes.
    pub no_lanes: u16,
    /// Its lines.
    pub lines: Lines,
    /// Warps that run.
    pub warps: usize,
    /// Pages in use.
    pub pages: usize,
    /// The coalescer accepts an instruction.
    pub split: u16,
    /// It offers a request.
    pub request: u16,
    /// A page that was not checked before, or is woken, is there.
    pub here: u16,
    /// One that is not is absent.
    pub absent: u16,
    /// One that is there may not be accessed.
    pub denied: u16,
    /// A page that is there may not be written.
    pub read_only: u16,
    /// It was replaced when it is checked.
    pub evicted: u16,
    /// A page that is missed is woken.
    pub wake: u16,
    /// With it all that wait are woken.
    pub all: u16,
    /// A page is woken that nobody waits for.
    pub stray: u16,
    /// Translations are invalidated; of 65,536.
    pub invalidate: u64,
    /// The same while something is under way that an invalidation must not miss.
    pub invalidate_amid: u16,
    /// The messages of a successful check are taken.
    pub checked: u16,
    /// Lines are taken.
    pub line: u16,
    /// Resumes are taken.
    pub resume: u16,
    /// Warps are held.
    pub hold: u16,
    /// A warp leaves.
    pub leave: u16,
}

/// Most pages are there.
pub const STEADY: Mode = Mode {
    instruction: 100,
    store: 80,
    no_lanes: 8,
    lines: Lines::Few,
    warps: 64,
    pages: 12,
    split: 220,
    request: 220,
    here: 200,
    absent: 80,
    denied: 6,
    read_only: 10,
    evicted: 10,
    wake: 30,
    all: 30,
    stray: 4,
    invalidate: 100,
    invalidate_amid: 0,
    checked: 200,
    line: 220,
    resume: 100,
    hold: 10,
    leave: 6,
};

/// What is under way ends, and nothing begins.
pub const DRAIN: Mode = Mode {
    instruction: 0,
    here: 240,
    absent: 0,
    denied: 0,
    read_only: 0,
    evicted: 0,
    wake: 100,
    all: 60,
    invalidate: 400,
    hold: 0,
    leave: 0,
    ..STEADY
};

/// All of them, in turn at random.
pub const MODES: [Mode; 13] = [
    STEADY,
    // Hits at full speed.
    Mode {
        instruction: ALWAYS,
        store: 30,
        no_lanes: 0,
        split: ALWAYS,
        request: ALWAYS,
        here: ALWAYS,
        denied: 0,
        read_only: 0,
        evicted: 1,
        invalidate: 20,
        checked: ALWAYS,
        line: ALWAYS,
        hold: 0,
        ..STEADY
    },
    // All page entries are taken.
    Mode {
        instruction: 200,
        lines: Lines::Any,
        pages: 40,
        here: 40,
        absent: 30,
        denied: 2,
        evicted: 60,
        wake: 40,
        ..STEADY
    },
    // All pages are absent.
    Mode {
        here: 20,
        absent: ALWAYS,
        lines: Lines::Few,
        wake: 24,
        all: 8,
        leave: 20,
        ..STEADY
    },
    // Denials.
    Mode {
        denied: 120,
        read_only: 120,
        hold: 60,
        ..STEADY
    },
    // Invalidations in every moment.
    Mode {
        instruction: 180,
        lines: Lines::Any,
        pages: 20,
        here: 120,
        evicted: 40,
        wake: 60,
        invalidate: 600,
        invalidate_amid: 16,
        checked: 60,
        line: 120,
        ..STEADY
    },
    // Accesses of one warp that conflict.
    Mode {
        instruction: ALWAYS,
        store: 160,
        no_lanes: 40,
        lines: Lines::One,
        warps: 1,
        here: 150,
        evicted: 60,
        resume: 200,
        ..STEADY
    },
    // A line for each lane.
    Mode {
        instruction: 200,
        lines: Lines::Every,
        pages: 6,
        request: ALWAYS,
        line: ALWAYS,
        ..STEADY
    },
    // The cache and the pipeline are slow.
    Mode {
        instruction: 200,
        checked: 20,
        line: 30,
        resume: 8,
        hold: 40,
        absent: 160,
        here: 150,
        ..STEADY
    },
    // Accesses without lanes among others.
    Mode {
        instruction: 220,
        no_lanes: 128,
        warps: 3,
        store: 128,
        ..STEADY
    },
    // Few accesses, so that the unit is idle now and then.
    Mode {
        instruction: 3,
        here: 230,
        absent: 40,
        wake: 100,
        resume: 200,
        leave: 20,
        denied: 0,
        read_only: 0,
        hold: 0,
        ..STEADY
    },
    // Wake-ups of everybody, and of pages that nobody waits for.
    Mode {
        instruction: 180,
        lines: Lines::Any,
        pages: 24,
        here: 60,
        evicted: 80,
        wake: 100,
        all: 120,
        stray: 80,
        invalidate: 200,
        ..STEADY
    },
    // Warps that are held or leave while they are to be resumed.
    Mode {
        here: 60,
        absent: 230,
        warps: 12,
        wake: 100,
        resume: 30,
        hold: 120,
        leave: 60,
        ..STEADY
    },
];

//! How a kernel's blocks, and the kernels that preempt it, behave for some thousand cycles.

/// Chances are of 256, those of blocks of 65,536.
pub struct Mode {
    /// A block begins in a free slot.
    pub begin: u64,
    /// A block ends.
    pub end: u64,
    /// A port issues an instruction.
    pub issue: u16,
    /// A query is valid.
    pub query: u16,
    /// It is Chimera's.
    pub chimera: u16,
    /// The answer is taken.
    pub take: u16,
    /// Another kernel is launched.
    pub launch: u64,
    /// Times that a query names are near those that the blocks take.
    pub near: u16,
}

/// Blocks of some hundred cycles, and query after query.
pub const STEADY: Mode = Mode {
    begin: 2000,
    end: 300,
    issue: 100,
    query: 200,
    chimera: 100,
    take: 128,
    launch: 4,
    near: 220,
};

/// All of them.
pub const MODES: [Mode; 6] = [
    STEADY,
    // Long blocks, none of which ends: Chimera's estimate.
    Mode {
        end: 0,
        launch: 60,
        ..STEADY
    },
    // Blocks that are over before they have begun.
    Mode {
        begin: 20_000,
        end: 20_000,
        ..STEADY
    },
    // Nothing is issued.
    Mode {
        issue: 0,
        launch: 100,
        ..STEADY
    },
    // One kernel after another, each of which queries at once.
    Mode {
        launch: 2000,
        begin: 9000,
        query: 256,
        take: 256,
        ..STEADY
    },
    // Few blocks, which issue all the time.
    Mode {
        begin: 100,
        issue: 250,
        end: 40,
        ..STEADY
    },
];

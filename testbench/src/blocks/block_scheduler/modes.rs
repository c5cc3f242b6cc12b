//! How blocks, their pages, the checkpoint engine and the GPU behave for some thousand cycles.

/// Chances of 256 in a cycle; those of blocks and pages of 65,536.
pub struct Mode {
    /// The GMMU reports on a page.
    pub fill: u64,
    /// The report says that the page is absent, if it is not followed; otherwise it may also be reported again.
    pub absent: u16,
    /// A block meets a page.
    pub fault: u64,
    /// A block ends.
    pub end: u64,
    /// The checkpoint engine and the GPU take what is offered.
    pub take: u16,
    /// The engine has done what was requested.
    pub done: u16,
    /// It refuses a context.
    pub refuse: u16,
    /// The GPU answers.
    pub answer: u16,
    /// The answer is a block.
    pub some: u16,
    /// The GPU has blocks, as was reported last.
    pub more: u16,
}

/// Faults now and then, and switches that are soon over.
pub const STEADY: Mode = Mode {
    fill: 4000,
    absent: 140,
    fault: 8000,
    end: 300,
    take: 100,
    done: 20,
    refuse: 8,
    answer: 60,
    some: 220,
    more: 230,
};

/// All of them.
pub const MODES: [Mode; 7] = [
    STEADY,
    // All blocks fault, and few pages come.
    Mode {
        fill: 3000,
        absent: 220,
        fault: 30_000,
        end: 30,
        refuse: 0,
        ..STEADY
    },
    // No new blocks: those that are there change places.
    Mode {
        fault: 20_000,
        end: 20,
        more: 0,
        refuse: 0,
        ..STEADY
    },
    // Saving takes long, blocks end, pages come.
    Mode {
        done: 1,
        end: 3000,
        fill: 12_000,
        ..STEADY
    },
    // All at once.
    Mode {
        fill: 30_000,
        fault: 40_000,
        end: 8000,
        take: 230,
        done: 200,
        answer: 220,
        refuse: 100,
        ..STEADY
    },
    // The GPU has its last blocks.
    Mode {
        some: 60,
        more: 100,
        end: 1500,
        ..STEADY
    },
    // Few faults.
    Mode {
        fill: 600,
        fault: 900,
        end: 100,
        done: 100,
        ..STEADY
    },
];

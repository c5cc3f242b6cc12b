//! How the SMs, memory and the driver behave for a few hundred cycles.

use crate::blocks::page_walker::modes::{self as tables, Mode as Tables};

/// Chances are of 256, but that of an invalidation.
pub struct Mode {
    /// An SM requests.
    pub request: u16,
    /// Pages in use.
    pub pages: u64,
    /// A request is for a write.
    pub write: u16,
    /// Memory takes a request for an entry.
    pub memory: u16,
    /// Memory answers a request.
    pub response: u16,
    /// The answer is an error.
    pub error: u16,
    /// Memory takes a word of a record.
    pub records: u16,
    /// Memory acknowledges a word of a record.
    pub acknowledge: u16,
    /// An SM takes the query for details, or answers it.
    pub queried: u16,
    /// Software changes an entry of a table.
    pub change: u16,
    /// Software writes a root.
    pub root: u16,
    /// Software invalidates; a chance of 4,096.
    pub invalidate: u64,
    /// Software reads records.
    pub read: u16,
    /// Software clears OVERFLOW.
    pub clear: u16,
    /// Software commands.
    pub command: u16,
    /// The command cancels.
    pub cancel: u16,
    /// Software writes anything anywhere.
    pub nonsense: u16,
    /// What is in the tables.
    pub tables: Tables,
}

/// Tables of which most pages are absent.
const ABSENT: Tables = Tables {
    present: 120,
    ..tables::STEADY
};

/// Everyday work.
pub const STEADY: Mode = Mode {
    request: 12,
    pages: 40,
    write: 80,
    memory: 240,
    response: 160,
    error: 1,
    records: 200,
    acknowledge: 160,
    queried: 128,
    change: 4,
    root: 1,
    invalidate: 1,
    read: 20,
    clear: 16,
    command: 4,
    cancel: 32,
    nonsense: 0,
    tables: tables::STEADY,
};

/// In turn at random.
pub const MODES: [Mode; 14] = [
    STEADY,
    // All SMs at once.
    Mode {
        request: 256,
        response: 256,
        memory: 256,
        ..STEADY
    },
    // Many SMs at once, and memory is slow.
    Mode {
        request: 128,
        response: 24,
        ..STEADY
    },
    // Few pages.
    Mode {
        request: 128,
        pages: 4,
        ..STEADY
    },
    // Pages are absent, and the driver brings them.
    Mode {
        request: 60,
        change: 40,
        command: 40,
        cancel: 0,
        tables: ABSENT,
        ..STEADY
    },
    // Pages are absent, and the driver is slow.
    Mode {
        request: 60,
        read: 2,
        clear: 1,
        command: 1,
        tables: ABSENT,
        ..STEADY
    },
    // Nothing is there, and the driver reads and does nothing.
    Mode {
        request: 128,
        pages: 100,
        response: 256,
        read: 60,
        clear: 60,
        command: 0,
        tables: Tables {
            present: 20,
            ..tables::STEADY
        },
        ..STEADY
    },
    // The driver gives pages up.
    Mode {
        request: 60,
        command: 60,
        cancel: 200,
        tables: ABSENT,
        ..STEADY
    },
    // Records are written slowly.
    Mode {
        request: 60,
        records: 12,
        acknowledge: 20,
        queried: 12,
        tables: ABSENT,
        ..STEADY
    },
    // All that can be wrong with an entry.
    Mode {
        request: 60,
        error: 12,
        tables: Tables {
            present: 230,
            open: 150,
            marked: 180,
            large: 90,
            reserved: 24,
            ..tables::STEADY
        },
        ..STEADY
    },
    // Software invalidates, and changes tables.
    Mode {
        request: 60,
        invalidate: 60,
        change: 20,
        root: 4,
        ..STEADY
    },
    // Software invalidates all the time, and memory is slow.
    Mode {
        request: 20,
        response: 24,
        invalidate: 4096,
        ..STEADY
    },
    // A driver that is out of its mind.
    Mode {
        request: 60,
        command: 20,
        nonsense: 40,
        tables: ABSENT,
        ..STEADY
    },
    // Hardly anything.
    Mode {
        request: 1,
        ..STEADY
    },
];

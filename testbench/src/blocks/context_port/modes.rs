//! How an engine and memory behave for some thousand cycles.

/// Chances are of 256.
pub struct Mode {
    /// A context begins.
    pub begin: u16,
    /// It is one that comes back.
    pub restore: u16,
    /// It does not come back as it left.
    pub damage: u16,
    /// One more than the most packets of a context.
    pub packets: u64,
    /// One more than the most beats behind a header.
    pub length: u64,
    /// The engine gives a beat.
    pub packet_valid: u16,
    /// The engine takes a beat.
    pub found_ready: u16,
    /// Memory gives a beat.
    pub in_valid: u16,
    /// Memory takes a beat.
    pub out_ready: u16,
    /// The verdict is taken.
    pub ended_ready: u16,
}

/// Short contexts, one after the other.
pub const STEADY: Mode = Mode {
    begin: 128,
    restore: 40,
    damage: 200,
    packets: 5,
    length: 9,
    packet_valid: 200,
    found_ready: 200,
    in_valid: 200,
    out_ready: 200,
    ended_ready: 128,
};

/// All of them.
pub const MODES: [Mode; 6] = [
    STEADY,
    // Everything is valid and ready.
    Mode {
        begin: 256,
        packet_valid: 256,
        found_ready: 256,
        in_valid: 256,
        out_ready: 256,
        ended_ready: 256,
        ..STEADY
    },
    // Long contexts.
    Mode {
        restore: 8,
        packets: 20,
        length: 100,
        packet_valid: 250,
        found_ready: 250,
        in_valid: 250,
        out_ready: 250,
        ..STEADY
    },
    // Memory is slow.
    Mode {
        in_valid: 60,
        out_ready: 60,
        ..STEADY
    },
    // The engine is.
    Mode {
        packet_valid: 60,
        found_ready: 60,
        ended_ready: 20,
        ..STEADY
    },
    // Nothing is damaged, and there is little.
    Mode {
        restore: 128,
        damage: 0,
        packets: 3,
        length: 3,
        ..STEADY
    },
];

//! Contexts between the checkpoint engine and memory: four beats of 32 B are a line, which goes through the SM's port.

use std::collections::BTreeSet;

use super::below::{Below, CONTEXT, Request, Use};

/// Beats of a line.
const BEATS: u64 = 4;
/// Lines under way at most: as many as the L1 cache's misses.
const UNDER_WAY: u64 = 32;

/// The lines of the context that moves.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    /// The place in memory of the next line, which is in the next bank.
    next: u64,
    /// Lines that were requested, and not answered.
    under_way: u64,
    /// Beats that have left and make no line yet.
    gathered: u64,
    /// Lines that were written and not sent.
    written: u64,
    /// Of a context that comes: lines in all, those that were requested, and the beats that the engine has taken.
    all: u64,
    requested: u64,
    taken: u64,
    /// Lines that have come.
    come: BTreeSet<u64>,
}

impl Lines {
    /// A context begins to move; one that comes has so many beats in memory.
    pub fn begin(&mut self, coming: usize) {
        *self = Self {
            next: self.next,
            all: (coming as u64).div_ceil(BEATS),
            ..Self::default()
        };
    }

    /// Whether there is room for a beat that leaves.
    pub const fn takes(&self) -> bool {
        self.under_way + self.written < UNDER_WAY
    }

    /// A beat leaves.
    pub const fn leave(&mut self) {
        self.gathered += 1;
        if self.gathered == BEATS {
            self.close();
        }
    }

    /// What has left is all of its line.
    pub const fn close(&mut self) {
        if self.gathered > 0 {
            (self.gathered, self.written) = (0, self.written + 1);
        }
    }

    /// Whether memory has all that has left.
    pub const fn are_there(&self) -> bool {
        self.gathered + self.written + self.under_way == 0
    }

    /// Whether the next beat has come.
    pub fn has_next(&self) -> bool {
        self.come.contains(&(self.taken / BEATS))
    }

    /// The engine takes the next beat.
    pub const fn take(&mut self) {
        self.taken += 1;
    }

    /// Sends a line, or the request for one, and sees which were answered.
    pub fn advance(&mut self, now: u64, below: &mut impl Below) {
        while let Some(line) = below.arrived_of_context(now) {
            self.under_way -= 1;
            if self.all > 0 {
                self.come.insert(line.into());
            }
        }
        if self.under_way == UNDER_WAY {
            return;
        }
        let (how, number) = if self.written > 0 {
            self.written -= 1;
            (Use::Save, 0)
        } else if self.requested < self.all {
            self.requested += 1;
            (Use::Restore, self.requested - 1)
        } else {
            return;
        };
        self.under_way += 1;
        let request = Request {
            line: self.next,
            how,
            id: CONTEXT | number as u32,
        };
        self.next += 1;
        below.request(now, request);
    }
}

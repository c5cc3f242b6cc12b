//! What a block writes, in the order in which it issues it.

use std::collections::BTreeMap;

/// Moments of a block at which its pipeline is looked at.
const SAMPLES: u64 = 64;

/// An instruction of a warp, in cycles from the begin of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// When it has read its operands.
    pub issued: u64,
    /// When it has committed.
    pub committed: u64,
    /// Its warp in the block.
    pub warp: u64,
    /// The first row of the block that it writes, and how many.
    pub rows: Option<(u64, u64)>,
    /// The lanes that execute it.
    pub lanes: u64,
}

/// The rows of a block that are dirty, with their lanes.
pub type Dirty = BTreeMap<u64, u64>;

/// A block from its begin to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Cycles until its last warp ends.
    pub cycles: u64,
    /// Rows of all of its warps.
    pub rows: u64,
    /// Its instructions, in the order of their issue.
    pub executed: Vec<Executed>,
    /// When each of its warps ends.
    pub ends: Vec<u64>,
}

impl Stream {
    /// The rows that warps which are there at `alive` have written from instructions that were issued after `after`, or at all,
    /// and no later than `until`.
    fn written(&self, after: Option<u64>, until: u64, alive: u64) -> Dirty {
        let first = after.map_or(0, |after| {
            self.executed.partition_point(|one| one.issued <= after)
        });
        let mut dirty = Dirty::new();
        let executed = self.executed[first..].iter();
        for one in executed.take_while(|one| one.issued <= until) {
            if self.ends[one.warp as usize] <= alive || one.lanes == 0 {
                continue;
            }
            if let Some((row, rows)) = one.rows {
                for row in row..row + rows {
                    *dirty.entry(row).or_default() |= one.lanes;
                }
            }
        }
        dirty
    }

    /// What is dirty if the block stops at this cycle, and nothing of it was saved.
    #[must_use]
    pub fn dirty(&self, at: u64) -> Dirty {
        self.written(None, at, at)
    }

    /// What is dirty if the block stops at `until`, and was saved at `base`.
    #[must_use]
    pub fn between(&self, base: u64, until: u64) -> Dirty {
        self.written(Some(base), until, until)
    }

    /// What is dirty if the block stops so many cycles after it was saved at `base`, and is one that goes on as it does: where
    /// it has fewer cycles left until its first warp ends, as many from before count.
    #[must_use]
    pub fn since(&self, base: u64, cycles: u64) -> Dirty {
        let (from, until) = self.window(base, cycles);
        self.written(from, until, base)
    }

    /// Where a block stands that was at `anchor` and would now be at `at`, if none of its warps ends meanwhile.
    #[must_use]
    pub fn steady(&self, anchor: u64, at: u64) -> u64 {
        at.min(self.end_after(anchor).max(anchor))
    }

    /// The last cycle in which all warps that are there at this one still are.
    fn end_after(&self, at: u64) -> u64 {
        let later = self.ends.iter().copied().filter(|&end| end > at);
        later.min().unwrap_or(self.cycles).saturating_sub(1)
    }

    /// The start and the end of the time in which a block that was saved at `base` is followed.
    fn window(&self, base: u64, cycles: u64) -> (Option<u64>, u64) {
        let until = self.steady(base, base + cycles);
        (until.checked_sub(cycles), until)
    }

    /// Cycles until everything that the block has issued has committed, if it stops here.
    #[must_use]
    pub fn drain(&self, at: u64) -> u64 {
        let issued = self.executed.partition_point(|one| one.issued <= at);
        let last = self.executed[..issued].iter().map(|one| one.committed);
        last.max().unwrap_or(0).saturating_sub(at)
    }

    /// The same in the mean of the block's time.
    #[must_use]
    pub fn mean_drain(&self) -> u64 {
        let all = (0..SAMPLES).map(|sample| self.drain(self.cycles * sample / SAMPLES));
        all.sum::<u64>() / SAMPLES
    }

    /// When the block has issued so many instructions, or all of its own.
    #[must_use]
    pub fn time_of(&self, instructions: usize) -> u64 {
        match self.executed.get(instructions) {
            Some(next) => next.issued,
            None => self.cycles,
        }
    }
}

/// Sectors of eight lanes of which some are dirty.
#[must_use]
pub fn sectors(dirty: &Dirty) -> u64 {
    let of_row = |lanes: &u64| {
        (0..4)
            .filter(|sector| lanes >> (8 * sector) & 0xff != 0)
            .count()
    };
    dirty.values().map(of_row).sum::<usize>() as u64
}

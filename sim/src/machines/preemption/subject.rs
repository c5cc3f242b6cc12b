//! Kernels that are preempted: those of the paper's Table I by their parameters, and those that were recorded.

use super::recording::Recording;
use super::stream::Stream;
use crate::numbers::ratio;
use crate::sm::sm_pipeline::WIDTH;

/// Cycles of a microsecond (Li et al., Table II).
pub const MHZ: u64 = 1216;
/// Rows of the register file of an SM, with 96 KB of shared memory beside its 256 KB (Li et al., Table II).
pub const SM_ROWS: u64 = 2048;
/// Beats of its shared memory.
pub const SM_SHARED: u64 = 3072;
/// Beats of a row, and rows of a group.
pub const SECTORS: u64 = 4;
const GROUP: u64 = 8;
/// Bytes of a beat.
pub const BEAT: u64 = 32;
/// Warps of an SM, and of a block at most.
const SM_WARPS: u64 = 64;
const BLOCK_WARPS: u64 = 16;
/// Instructions of a block that comes next before it is saved (Li et al., section III-D).
const WARM_UP: usize = 1000;
/// Beats of memory's that an SM has in a cycle: a sixteenth of 256 bits at 7 GHz (Li et al., Table II).
const SHARE: f64 = 224_000.0 / 16.0 / (MHZ * BEAT) as f64;

/// A row of Table I.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Its name in the paper.
    pub name: &'static str,
    /// Microseconds of a block.
    pub block_us: f64,
    /// Microseconds in which the contexts of all blocks of an SM are saved.
    pub switch_us: f64,
    /// Kilobytes of the context of a block.
    pub context_kb: f64,
    /// Blocks on an SM.
    pub blocks: u64,
    /// The kernel that was recorded in its stead: what is dirty is not in the table.
    pub stand_in: &'static str,
}

const fn entry(
    name: &'static str,
    (block_us, switch_us): (f64, f64),
    (context_kb, blocks): (f64, u64),
    stand_in: &'static str,
) -> Entry {
    Entry {
        name,
        block_us,
        switch_us,
        context_kb,
        blocks,
        stand_in,
    }
}

/// Table I of Li et al. Five of its kernels are recorded ones; the others have the one that is most like them: a loop over
/// what all threads read (SC, BS), one of loads and stores (KS), neighbours in shared memory (PF, SRAD, HS), tiles (LUD, BP).
pub const TABLE_1: [Entry; 16] = [
    entry("CP", (516.2, 10.1), (16.5, 8), "cutcp"),
    entry("LBM", (31.7, 20.9), (18.0, 14), "lbm"),
    entry("MRI", (865.2, 11.6), (18.0, 8), "mri-q"),
    entry("ST", (41.3, 4.2), (12.5, 4), "stencil"),
    entry("SC", (605.6, 8.3), (24.0, 4), "mri-q"),
    entry("GM", (193.6, 17.9), (28.0, 8), "sgemm"),
    entry("BS", (387.5, 16.7), (12.5, 16), "mri-q"),
    entry("KS", (984.7, 9.0), (10.0, 8), "spmv"),
    entry("PF", (24.2, 11.6), (18.0, 8), "stencil"),
    entry("SRAD1", (1.8, 4.0), (12.0, 4), "stencil"),
    entry("SRAD2", (11.5, 16.4), (25.0, 8), "stencil"),
    entry("SRAD3", (7.9, 7.8), (24.0, 4), "stencil"),
    entry("HS", (4.5, 7.7), (38.0, 3), "stencil"),
    entry("LUD", (5.3, 10.5), (16.0, 8), "sgemm"),
    entry("BP", (4.7, 2.0), (12.0, 1), "sgemm"),
    entry("BP2", (1.5, 1.2), (22.0, 1), "sgemm"),
];

/// A kernel whose blocks are preempted.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Cycles of a block.
    pub block: u64,
    /// Blocks on the SM.
    pub blocks: u64,
    /// Rows of a block, whole groups.
    pub rows: u64,
    /// Beats of its shared memory.
    pub shared: u64,
    /// Its warps.
    pub warps: u64,
    /// Beats that memory takes of the SM in a cycle.
    pub share: f64,
    /// Cycles that all contexts of the SM take.
    pub switch: u64,
    /// Cycles until everything that a block has issued has committed, in the mean of its time.
    pub drain: u64,
    /// What a block does.
    pub stream: Stream,
}

impl Subject {
    /// A row of Table I, with what is dirty from a recording.
    #[must_use]
    pub fn of_table(entry: &Entry, recording: &Recording) -> Option<Self> {
        let stream = recording.median()?.clone();
        let beats = entry.context_kb * 1024.0 / BEAT as f64;
        let shared = recording.shape.shared_beats() as f64;
        let part = shared / (shared + (stream.rows * SECTORS) as f64);
        let rows = (beats * (1.0 - part) / SECTORS as f64).ceil() as u64;
        let rows = rows.next_multiple_of(GROUP);
        let cycles = |us: f64| (us * MHZ as f64).round() as u64;
        Some(Self {
            name: entry.name.to_owned(),
            block: cycles(entry.block_us),
            blocks: entry.blocks,
            rows,
            shared: (beats as u64).saturating_sub(rows * SECTORS),
            warps: (SM_WARPS / entry.blocks).min(BLOCK_WARPS),
            share: beats * entry.blocks as f64 / (entry.switch_us * MHZ as f64),
            switch: cycles(entry.switch_us),
            drain: stream.mean_drain(),
            stream,
        })
    }

    /// A kernel that was recorded.
    #[must_use]
    pub fn of_recording(recording: &Recording) -> Option<Self> {
        let stream = recording.median()?.clone();
        let (rows, shared) = (stream.rows, recording.shape.shared_beats());
        let beats = (rows * SECTORS + shared) * recording.blocks_per_sm;
        Some(Self {
            name: recording.name.clone(),
            block: stream.cycles.max(1),
            blocks: recording.blocks_per_sm,
            rows,
            shared,
            warps: stream.ends.len() as u64,
            share: SHARE,
            switch: (beats as f64 / SHARE).round() as u64,
            drain: stream.mean_drain(),
            stream,
        })
    }

    /// Beats of the whole context of a block.
    #[must_use]
    pub const fn whole(&self) -> u64 {
        self.rows * SECTORS + self.shared
    }

    /// Rows and beats of shared memory that are no block's.
    #[must_use]
    pub const fn room(&self) -> (u64, u64) {
        (
            SM_ROWS.saturating_sub(self.rows * self.blocks),
            SM_SHARED.saturating_sub(self.shared * self.blocks),
        )
    }

    /// Cycles of the stream that pass in a cycle of the block: those of a long block pass as they were recorded, for its loops
    /// take no longer, if all blocks together issue no more than the SM can; a short one has to come to its end.
    #[must_use]
    pub fn pace(&self) -> f64 {
        let whole = self.stream.cycles as f64 / self.block as f64;
        whole.max((self.most() / self.recorded()).min(1.0))
    }

    /// Instructions that a block issues in a cycle.
    #[must_use]
    pub fn rate(&self) -> f64 {
        (self.recorded() * self.pace()).min(self.most())
    }

    /// Instructions that a block can issue in a cycle if all do.
    fn most(&self) -> f64 {
        WIDTH as f64 / self.blocks as f64
    }

    /// Instructions that the recorded block has issued in a cycle.
    fn recorded(&self) -> f64 {
        ratio(self.stream.executed.len(), self.stream.cycles)
    }

    /// Instructions of a block.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        (self.rate() * self.block as f64).round() as u64
    }

    /// Cycles in which a new block issues its first 1,000 instructions, or all of them.
    #[must_use]
    pub fn warm_up(&self) -> u64 {
        let recorded = self.stream.time_of(WARM_UP) as f64 / self.pace();
        let time = recorded.max(WARM_UP as f64 / self.most());
        (time as u64).min(self.block)
    }
}

//! What is dirty of recorded kernels.

use faultline_sim::machines::preemption::{BEAT, Recording, changed, measure};
use serde::Serialize;

use super::Args;
use super::summary::mean;

/// Microseconds after a base.
pub const AFTER_US: [u64; 4] = [1, 5, 15, 35];

/// What has changed since a base.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Increment {
    pub us: u64,
    pub lane_bytes: f64,
    pub warp_bytes: f64,
}

/// What is dirty of a block at a part of its time, in bytes; in the mean of the kernel's blocks.
#[derive(Clone, Debug, Serialize)]
pub struct At {
    pub progress_percent: u64,
    /// Bytes with a bit for each lane, in sectors of eight.
    pub lane_bytes: f64,
    /// Bytes with a bit for each row.
    pub warp_bytes: f64,
    pub increments: Vec<Increment>,
}

/// A quarter of a block's time.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Quarter {
    pub progress_percent: u64,
    /// Registers that are dirty, percent of all of the block.
    pub dirty_percent: f64,
    /// Registers that are dirty, percent of those of the warps that are there.
    pub dirty_of_running_percent: f64,
    /// Warps that have ended.
    pub ended_percent: f64,
}

/// The paper's: where it looks at the dirty registers (Fig. 5).
pub const QUARTERS: [u64; 3] = [25, 50, 75];

/// A recorded kernel.
#[derive(Clone, Debug, Serialize)]
pub struct Dirty {
    pub kernel: String,
    pub blocks_per_sm: u64,
    pub block_us: f64,
    pub register_bytes: f64,
    pub shared_memory_bytes: f64,
    /// Time from the stop of a block until its instructions have committed, in the mean.
    pub drain_us: f64,
    pub at: Vec<At>,
    /// At 25, 50 and 75 percent of a block's time.
    pub quarters: [Quarter; 3],
    /// What changes from 25 to 50, and from 25 to 75 percent, of what is dirty at 25: percent.
    pub from_quarter_percent: [f64; 2],
}

impl Dirty {
    pub fn whole(&self) -> f64 {
        self.register_bytes + self.shared_memory_bytes
    }

    /// Registers that are dirty, in the mean of the progress; shared memory is saved whole.
    pub fn lane_bytes(&self) -> f64 {
        mean(self.at.iter().map(|at| at.lane_bytes))
    }

    pub fn warp_bytes(&self) -> f64 {
        mean(self.at.iter().map(|at| at.warp_bytes))
    }

    /// Part of the context that is not saved, percent.
    pub fn saving(&self) -> f64 {
        100.0 * (self.register_bytes - self.lane_bytes()) / self.whole()
    }

    /// An increment of the base, both with shared memory, percent.
    pub fn increment(&self, place: usize) -> f64 {
        let shared = self.shared_memory_bytes;
        let part = self.at.iter().map(|at| {
            let increment = at.increments.get(place);
            let increment = increment.map_or(f64::NAN, |increment| increment.lane_bytes);
            100.0 * (increment + shared) / (at.lane_bytes + shared)
        });
        mean(part)
    }
}

/// What is dirty of these kernels.
pub fn dirty(recordings: &[Recording], args: &Args) -> Vec<Dirty> {
    let of = |recording: &Recording| {
        let measures = args
            .progress
            .iter()
            .map(|&progress| measure(recording, progress, &AFTER_US));
        let measures: Vec<_> = measures.collect();
        let streams = || recording.streams.iter();
        let bytes = |beats: f64| beats * BEAT as f64;
        let at_quarters = QUARTERS.map(|progress| measure(recording, progress, &[]));
        let quarter = at_quarters[0].by_lane;
        let quarters = at_quarters.map(|at| Quarter {
            progress_percent: at.progress,
            dirty_percent: 100.0 * at.by_lane / at.registers,
            dirty_of_running_percent: 100.0 * at.by_lane
                / (at.registers * (1.0 - at.ended / 100.0)),
            ended_percent: at.ended,
        });
        let first = measures.first()?;
        Some(Dirty {
            kernel: recording.name.clone(),
            blocks_per_sm: recording.blocks_per_sm,
            block_us: mean(streams().map(|stream| super::jobs::microseconds(stream.cycles))),
            register_bytes: bytes(first.registers),
            shared_memory_bytes: bytes(first.shared),
            drain_us: mean(streams().map(|stream| super::jobs::microseconds(stream.mean_drain()))),
            quarters,
            from_quarter_percent: [50, 75].map(|to| 100.0 * changed(recording, 25, to) / quarter),
            at: measures
                .iter()
                .map(|measure| At {
                    progress_percent: measure.progress,
                    lane_bytes: bytes(measure.by_lane),
                    warp_bytes: bytes(measure.by_row),
                    increments: measure
                        .increments
                        .iter()
                        .map(|increment| Increment {
                            us: increment.us,
                            lane_bytes: bytes(increment.by_lane),
                            warp_bytes: bytes(increment.by_row),
                        })
                        .collect(),
                })
                .collect(),
        })
    };
    recordings.iter().filter_map(of).collect()
}

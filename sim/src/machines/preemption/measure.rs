//! What is dirty of a kernel's blocks, in the mean.

use super::recording::Recording;
use super::stream::{Dirty, Stream, sectors};
use super::subject::{MHZ, SECTORS};
use crate::numbers::{percent, ratio};

/// What has changed since a base, in beats of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Increment {
    /// Microseconds since then.
    pub us: u64,
    /// Beats of the rows in which something is dirty.
    pub by_row: f64,
    /// Beats of the sectors in which something is dirty.
    pub by_lane: f64,
}

/// What is dirty of a block at a part of its time, in beats.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Percent of its time.
    pub progress: u64,
    /// All of its registers.
    pub registers: f64,
    /// Its shared memory.
    pub shared: f64,
    /// Beats of the rows in which something is dirty.
    pub by_row: f64,
    /// Beats of the sectors in which something is dirty.
    pub by_lane: f64,
    /// Warps that have ended, percent.
    pub ended: f64,
    /// What has changed after a base.
    pub increments: Vec<Increment>,
}

/// What is dirty at this progress, and so many microseconds after a base; of a block that would have ended as if it went on.
#[must_use]
pub fn measure(recording: &Recording, progress: u64, after_us: &[u64]) -> Measure {
    let count = recording.streams.len().max(1) as f64;
    let mean = |of: &dyn Fn(&Stream) -> Dirty| {
        let (mut rows, mut lanes) = (0, 0);
        for stream in &recording.streams {
            let dirty = of(stream);
            rows += SECTORS * dirty.len() as u64;
            lanes += sectors(&dirty);
        }
        (rows as f64 / count, lanes as f64 / count)
    };
    let at = |stream: &Stream| stream.cycles * progress / 100;
    let (by_row, by_lane) = mean(&|stream| stream.dirty(at(stream)));
    let increment = |&us: &u64| {
        let (by_row, by_lane) = mean(&|stream| stream.since(at(stream), us * MHZ));
        Increment {
            us,
            by_row,
            by_lane,
        }
    };
    let rows: u64 = recording.streams.iter().map(|stream| stream.rows).sum();
    let ended = recording.streams.iter().map(|stream| {
        let ended = stream.ends.iter().filter(|&&end| end <= at(stream)).count();
        percent(ended, stream.ends.len())
    });
    Measure {
        progress,
        registers: (SECTORS * rows) as f64 / count,
        shared: recording.shape.shared_beats() as f64,
        by_row,
        by_lane,
        ended: ended.sum::<f64>() / count,
        increments: after_us.iter().map(increment).collect(),
    }
}

/// Beats of the sectors that a block changes from one part of its time to another, both in percent; in the mean.
#[must_use]
pub fn changed(recording: &Recording, from: u64, to: u64) -> f64 {
    let at = |stream: &Stream, progress| stream.cycles * progress / 100;
    let streams = recording.streams.iter();
    let dirty = streams.map(|stream| sectors(&stream.between(at(stream, from), at(stream, to))));
    ratio(dirty.sum::<u64>(), recording.streams.len())
}

//! What each log and each queue loses: programs on the GPU without faults, beside the baseline that stalls on a fault.

use faultline_sim::machines::sm::Work;
use faultline_sim::sm::sm_pipeline::Scheme;
use miette::Result;

use crate::experiments::figures::family::Request;
use crate::experiments::figures::runs::{self, geometric_mean};
use crate::experiments::figures::schemes::setup;
use crate::experiments::sm::jobs::{self, Row};
use crate::experiments::sm::setups::Setup;
use crate::output::progress;

/// Bytes of a KB.
const KB: usize = 1 << 10;
/// Entries that a thread block needs: a store takes two (Tanasic et al., section 3.3).
const BLOCK_ENTRIES: usize = 2;
/// Thread blocks of an SM (Table 1).
const SM_BLOCKS: usize = 16;

/// The performance with a log and a queue.
#[derive(Clone, Debug)]
pub struct Speed {
    /// KB of the log.
    pub log_kb: usize,
    /// Entries of the queue.
    pub queue: usize,
    /// Geometric mean over the programs, that of the baseline as 100.
    pub percent: f64,
    /// Standard error of that mean over the runs, in percent of it.
    pub error_percent: f64,
    /// The program that loses most, and its performance.
    pub worst: (String, f64),
}

/// Runs the programs with each log and each queue. A log with fewer than two entries for each thread block that would be
/// resident has fewer of them resident.
///
/// # Errors
/// If a program cannot be made, or a run does not come to its end.
pub fn measure(
    request: &Request,
    seed: u64,
    logs: &[usize],
    queues: &[usize],
) -> Result<Vec<Speed>> {
    let mut gpu = runs::gpu(request.sms)?.parameters();
    gpu.sm.seed = seed;
    let works = request.parboil()?;
    let baseline = setup(&gpu, Scheme::StallOnFault, request.queue, None);
    let of_log = |kilobytes: usize| -> Vec<Setup> {
        let bytes = Some(kilobytes * KB);
        let with = |&queue: &usize| setup(&gpu, Scheme::OperandLog, queue, bytes);
        queues.iter().map(with).collect()
    };
    // Setups that run the same works run together, so that all cores have something to do.
    let (few, many): (Vec<usize>, Vec<usize>) =
        logs.iter().partition(|&&log| most_blocks(log) < SM_BLOCKS);
    let mut setups = vec![baseline];
    setups.extend(many.iter().copied().flat_map(of_log));
    let others = few.len() * queues.len();
    let all = works.len() * (setups.len() + others);
    let bar = progress(
        all as u64 * request.runs,
        "{wide_bar} {pos}/{len} runs {eta}",
    );
    let run = |works: &[Work], setups: &[Setup]| jobs::run(works, setups, request.runs, &bar);
    let rows = run(&works, &setups)?;
    let by_work: Vec<&[Row]> = rows.chunks(setups.len()).collect();
    let mut found = Vec::new();
    for &log in &few {
        let setups = of_log(log);
        let mut limited = works.clone();
        for work in &mut limited {
            work.blocks_per_sm = work.blocks_per_sm.min(most_blocks(log));
        }
        let rows = run(&limited, &setups)?;
        for (place, &queue) in queues.iter().enumerate() {
            let of_works = rows.chunks(setups.len()).map(|rows| &rows[place]);
            let baselines = by_work.iter().map(|rows| &rows[0]);
            found.push(speed(log, queue, baselines.zip(of_works)));
        }
    }
    for (first, &log) in many.iter().enumerate() {
        for (place, &queue) in queues.iter().enumerate() {
            let place = 1 + first * queues.len() + place;
            let pairs = by_work.iter().map(|rows| (&rows[0], &rows[place]));
            found.push(speed(log, queue, pairs));
        }
    }
    bar.finish_and_clear();
    Ok(found)
}

/// Thread blocks of which each has the entries that it needs.
const fn most_blocks(log_kb: usize) -> usize {
    log_kb * KB / faultline_synth::paper::ENTRY_BYTES / BLOCK_ENTRIES
}

/// The performance over programs, each a row of the baseline and one of the log.
fn speed<'rows>(
    log_kb: usize,
    queue: usize,
    pairs: impl Iterator<Item = (&'rows Row, &'rows Row)>,
) -> Speed {
    let mut percents = Vec::new();
    let mut squares = 0.0;
    for (baseline, row) in pairs {
        let percent = 100.0 * baseline.cycles as f64 / row.cycles.max(1) as f64;
        percents.push((row.workload.clone(), percent));
        squares += row.error_beside(baseline).powi(2);
    }
    let count = percents.len().max(1) as f64;
    let worst = percents
        .iter()
        .min_by(|one, other| one.1.total_cmp(&other.1));
    Speed {
        log_kb,
        queue,
        percent: geometric_mean(percents.iter().map(|(_, percent)| *percent)),
        error_percent: squares.sqrt() / count,
        worst: worst.cloned().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log of 4 KB has room for half of an SM's thread blocks, one of 8 KB for all (Tanasic et al., section 5.2: 8 KB are
    /// 16 blocks of 512 B).
    #[test]
    fn a_log_of_8_kb_has_room_for_all_blocks() {
        assert_eq!(most_blocks(4), SM_BLOCKS / 2);
        assert_eq!(most_blocks(8), SM_BLOCKS);
    }
}

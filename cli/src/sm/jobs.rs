//! What is run, and on which SM.

use std::path::Path;

use faultline_sim::replay_queue;
use faultline_sim::simt::kernels::{KERNELS, named};
use faultline_sim::sm::{Faults, Parameters, Sm, Stall, Statistics, Work};
use faultline_sim::sm_pipeline::Scheme;
use faultline_sim::trace::Trace;
use indicatif::ProgressBar;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::Serialize;

use super::Args;

/// A workload on an SM.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub workload: String,
    pub scheme: &'static str,
    /// Bytes of the operand log, where there is one.
    pub log_bytes: Option<usize>,
    pub cycles: u64,
    pub instructions: u64,
    pub instructions_per_cycle: f64,
    /// Performance of the baseline as 100.
    pub relative_percent: f64,
    pub faults: u64,
    pub replays: u64,
    /// Cycles in which nothing was issued, by cause.
    pub stalls: Vec<(&'static str, u64)>,
    /// Cycles by instructions in the replay queue.
    pub queue: Vec<u64>,
    /// Cycles by entries of the operand log in use.
    pub log: Vec<u64>,
}

impl Row {
    /// The scheme, with the size of its log.
    pub fn setup(&self) -> String {
        match self.log_bytes {
            Some(bytes) => format!("{} {} KB", self.scheme, bytes / 1024),
            None => self.scheme.to_owned(),
        }
    }
}

/// An SM to run on.
pub struct Setup {
    parameters: Parameters,
    log_bytes: Option<usize>,
    /// Only there to compare with.
    hidden: bool,
}

/// The kernels and traces that were asked for.
pub fn works(args: &Args) -> Result<Vec<Work>> {
    let all: Vec<String> = KERNELS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let chosen = if args.workloads.is_empty() {
        &all
    } else {
        &args.workloads
    };
    let mut works = Vec::new();
    for name in chosen {
        if let Some(make) = named(name) {
            let kernel = make(args.scale).map_err(|error| miette!("{name}: {error}"))?;
            works.push(Work::of_kernel(&kernel).map_err(|error| miette!("{name}: {error}"))?);
            continue;
        }
        let path = Path::new(name);
        if !path.exists() {
            return Err(miette!(
                "{name} is neither a file nor a kernel; the kernels are {}",
                all.join(", ")
            ));
        }
        let trace = Trace::open(path).map_err(|error| miette!("{error}"))?;
        for reader in trace.readers() {
            let work = reader.and_then(Work::of_trace);
            works.push(work.map_err(|error| miette!("{error}"))?);
        }
    }
    Ok(works)
}

/// The SMs; the baseline is always the first.
pub fn setups(args: &Args, schemes: &[Scheme]) -> Result<Vec<Setup>> {
    if !args.queue.is_power_of_two() || !(2..=128).contains(&args.queue) {
        return Err(miette!(
            "--queue {}: give a power of two from 2 to 128",
            args.queue
        ));
    }
    let logs: Vec<usize> = args
        .log
        .iter()
        .map(|text| log_bytes(text))
        .collect::<Result<_>>()?;
    let setup = |scheme, log: Option<usize>| {
        let mut parameters = Parameters::paper(scheme, log.unwrap_or(8 << 10));
        parameters.pipeline.warps = args.warps.into();
        parameters.pipeline.queue = replay_queue::Parameters::with_entries(args.queue);
        parameters.timing.sharers = args.sharers;
        parameters.faults = Faults {
            rate: args.fault_rate,
            absent: args.absent,
            cycles: args.fault_cycles,
            ..Faults::NONE
        };
        parameters.seed = args.seed;
        Setup {
            parameters,
            log_bytes: log,
            hidden: false,
        }
    };
    let mut setups = vec![Setup {
        hidden: !schemes.contains(&Scheme::StallOnFault),
        ..setup(Scheme::StallOnFault, None)
    }];
    for &scheme in schemes {
        match scheme {
            Scheme::StallOnFault => {}
            Scheme::OperandLog => setups.extend(logs.iter().map(|&log| setup(scheme, Some(log)))),
            _ => setups.push(setup(scheme, None)),
        }
    }
    Ok(setups)
}

/// Bytes of a log: 8k, 16K, 32k.
fn log_bytes(text: &str) -> Result<usize> {
    let kilobytes = text
        .strip_suffix(['k', 'K'])
        .and_then(|digits| digits.parse().ok());
    kilobytes
        .filter(|kilobytes| (1..=32).contains(kilobytes))
        .map(|kilobytes: usize| kilobytes << 10)
        .ok_or_else(|| miette!("--log {text}: give sizes of 1k to 32k, such as 8k,16k"))
}

/// Runs everything on everything.
pub fn run(works: &[Work], setups: &[Setup], bar: &ProgressBar) -> Result<Vec<Row>> {
    let jobs: Vec<(&Work, &Setup)> = works
        .iter()
        .flat_map(|work| setups.iter().map(move |setup| (work, setup)))
        .collect();
    let rows = jobs.par_iter().map(|(work, setup)| {
        let row = one(work, setup);
        bar.inc(1);
        row
    });
    let mut rows: Vec<Row> = rows.collect::<Result<_>>()?;
    for of_work in rows.chunks_mut(setups.len()) {
        let baseline = of_work[0].cycles;
        for row in of_work {
            row.relative_percent = 100.0 * baseline as f64 / row.cycles.max(1) as f64;
        }
    }
    let shown = setups.iter().map(|setup| !setup.hidden).cycle();
    Ok(rows
        .into_iter()
        .zip(shown)
        .filter_map(|(row, shown)| shown.then_some(row))
        .collect())
}

fn one(work: &Work, setup: &Setup) -> Result<Row> {
    let scheme = setup.parameters.pipeline.scheme;
    let mut statistics = Statistics::new(scheme);
    let failed = |error| miette!("{} under {}: {error}", work.name, scheme.name());
    let sm = Sm::new(&setup.parameters, work).map_err(failed)?;
    let outcome = sm
        .run(|inputs, outputs| statistics.observe(inputs, outputs))
        .map_err(failed)?;
    if let Some(difference) = outcome.differences(work).first() {
        return Err(miette!(
            "{} under {}: {difference}",
            work.name,
            scheme.name()
        ));
    }
    let histogram = |counts: &[u64]| {
        let used = counts
            .iter()
            .rposition(|&times| times > 0)
            .map_or(0, |last| last + 1);
        counts[..used].to_vec()
    };
    Ok(Row {
        workload: work.name.clone(),
        scheme: scheme.name(),
        log_bytes: setup.log_bytes,
        cycles: outcome.cycles,
        instructions: statistics.instructions,
        instructions_per_cycle: statistics.instructions_per_cycle(),
        relative_percent: 100.0,
        faults: statistics.faults,
        replays: statistics.replays,
        stalls: Stall::ALL
            .iter()
            .map(|stall| stall.name())
            .zip(statistics.stalls)
            .collect(),
        queue: histogram(&statistics.queue),
        log: histogram(&statistics.log),
    })
}

//! What is run, and on which machine.

use std::path::Path;

use faultline_sim::machines::translation::{
    Design, Histogram, IDEAL_CACHE, LEVELS, Outcome, Parameters, Pattern, Work, ideal,
    run as translate,
};
use indicatif::ProgressBar;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::Serialize;

use super::{Args, Order};

/// Cycles of a microsecond.
pub const MHZ: u64 = 1400;

/// Latencies in cycles; where there were none, there is no mean of them either.
#[derive(Clone, Debug, Serialize)]
pub struct Latency {
    pub count: u64,
    pub mean: Option<f64>,
    pub p50: Option<u64>,
    pub p90: Option<u64>,
    pub p99: Option<u64>,
    pub most: Option<u64>,
    /// How many there were from each power of two on.
    pub octaves: Vec<(u64, u64)>,
}

/// A level of tables.
#[derive(Clone, Debug, Serialize)]
pub struct Level {
    pub level: usize,
    pub reads: u64,
    pub cache_hits: u64,
}

/// A workload on a machine.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub workload: String,
    pub design: &'static str,
    pub order: &'static str,
    pub seed: u64,
    pub threads: usize,
    pub l1_entries: usize,
    pub l2_entries: usize,
    /// Bytes of the page-walk cache; none if it loses nothing.
    pub pwc_bytes: Option<usize>,
    pub mshr_per_sm: usize,
    /// Pages that an L1 TLB waits for.
    pub misses: usize,
    pub far_faults_percent: u8,
    pub service_us: u64,
    pub cycles: u64,
    pub ideal_cycles: u64,
    pub percent_of_ideal: f64,
    pub accesses: u64,
    /// Accesses that missed the L1 TLB.
    pub missed: u64,
    pub walks: u64,
    /// Latency from a miss in an L1 TLB to the translation that a walk has found.
    pub walk_latency: Latency,
    /// The part of it before the walk has begun.
    pub queueing: Latency,
    /// The part of it after the walk has begun.
    pub service: Latency,
    /// Walks that are under way in a walker, in the mean of all cycles, at most, and as a share of its threads.
    pub walking: f64,
    pub walking_most: u64,
    pub threads_busy_percent: f64,
    /// Pages that the L1 TLBs of a walker's SMs wait for as it begins a walk, if it begins any.
    pub in_flight: Option<f64>,
    pub in_flight_most: Option<u64>,
    /// SMs of a walker.
    pub in_flight_sms: usize,
    /// Pages that an SM misses within 500 cycles of the one before.
    pub within_500_percent: f64,
    pub levels: Vec<Level>,
    pub l2_hits: u64,
    pub memory_reads: u64,
    pub nacks: u64,
    pub far_faults: u64,
    pub far_faults_per_ms: f64,
    pub far_faults_held: u16,
    /// Latency from the miss of an absent page to its translation.
    pub fault_service: Latency,
    /// Cycles of the slowest SM, the mean as 1.
    pub slowest_sm: f64,
}

/// A machine to run on.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub design: Design,
    pub parameters: Parameters,
}

/// Work with its ideal.
pub struct Known {
    pub work: Work,
    pub seed: u64,
    pub ideal: Outcome,
}

impl Known {
    /// Work that a seed has made.
    pub fn new(work: Work, seed: u64) -> Self {
        let ideal = ideal(&work);
        Self { work, seed, ideal }
    }
}

/// A run.
#[derive(Clone, Copy)]
pub struct Job<'work> {
    pub work: &'work Known,
    pub setup: Setup,
}

/// The patterns and traces that were asked for.
pub fn works(args: &Args) -> Result<Vec<Known>> {
    let all = Pattern::ALL
        .into_iter()
        .filter(|pattern| runs(*pattern, args.sms));
    let all: Vec<_> = all.map(|pattern| pattern.name().to_owned()).collect();
    let named = [args.workloads.as_slice(), &args.pattern].concat();
    let chosen = match named.is_empty() {
        true => &all[..],
        false => &named,
    };
    let mut works = Vec::new();
    for name in chosen {
        let work = match Pattern::named(name) {
            Some(pattern) if !runs(pattern, args.sms) => {
                return Err(miette!(
                    "{name} is one SM that bursts and the SMs beside it, which are measured; give --sms 2 or more"
                ));
            }
            Some(pattern) => pattern.work(args.sms, args.seed),
            None => of_trace(name, args.sms)?,
        };
        works.push(Known::new(work, args.seed));
    }
    Ok(works)
}

/// Whether so many SMs can run a pattern.
const fn runs(pattern: Pattern, sms: usize) -> bool {
    sms > 1 || !matches!(pattern, Pattern::OneBursts)
}

fn of_trace(name: &str, sms: usize) -> Result<Work> {
    let path = Path::new(name);
    if !path.exists() {
        return Err(miette!(
            "{name} is neither a file nor a pattern; the patterns are {}",
            super::patterns()
        ));
    }
    let trace = crate::output::open_trace(path)?;
    let file = path.file_name().unwrap_or(path.as_os_str());
    let work = Work::of_trace(file.to_string_lossy().into_owned(), &trace, sms);
    let work = work.map_err(|error| miette!("{error}"))?;
    let mut warps = work.phases.iter().flatten().flat_map(|sm| &sm.warps);
    match warps.any(|accesses| !accesses.is_empty()) {
        true => Ok(work),
        false => Err(miette!(
            "{name} accesses no global memory, so there is nothing to translate"
        )),
    }
}

/// The machines: every value of each option with every one of the others.
pub fn setups(args: &Args) -> Vec<Setup> {
    let designs = args.designs().into_iter();
    let mut setups: Vec<Setup> = designs
        .map(|design| Setup {
            design,
            parameters: Parameters {
                memory_latency: args.memory_latency,
                far_percent: args.far_percent(),
                service: args.service_us.unwrap_or(20) * MHZ,
                seed: args.seed,
                ..design.parameters()
            },
        })
        .collect();
    vary(&mut setups, &args.order, |parameters, order| {
        parameters.first_come = order == Order::FirstCome;
    });
    vary(&mut setups, &args.threads, |parameters, threads| {
        parameters.threads = threads;
    });
    vary(&mut setups, &args.pwc, |parameters, bytes| {
        parameters.cache_bytes = bytes;
    });
    vary(&mut setups, &args.l2, |parameters, entries| {
        parameters.l2_entries = entries;
    });
    vary(&mut setups, &args.misses, |parameters, misses| {
        parameters.misses = misses;
    });
    vary(&mut setups, &args.mshr_per_sm, |parameters, mshrs| {
        parameters.mshrs = mshrs;
    });
    setups
}

/// Each machine with each value, if there are any.
fn vary<T: Copy>(setups: &mut Vec<Setup>, values: &[T], set: impl Fn(&mut Parameters, T)) {
    if values.is_empty() {
        return;
    }
    let all = setups.iter().flat_map(|setup| {
        values.iter().map(|&value| {
            let mut setup = *setup;
            set(&mut setup.parameters, value);
            setup
        })
    });
    *setups = all.collect();
}

/// All work on all machines.
pub fn all<'work>(works: &'work [Known], setups: &[Setup]) -> Vec<Job<'work>> {
    let of_work = |work| setups.iter().map(move |&setup| Job { work, setup });
    works.iter().flat_map(of_work).collect()
}

/// Runs everything.
pub fn run(jobs: &[Job], bar: &ProgressBar) -> Result<Vec<Row>> {
    let rows = jobs.par_iter().map(|job| {
        let outcome = translate(&job.work.work, &job.setup.parameters);
        let outcome = outcome.map_err(|error| {
            let (work, design) = (&job.work.work.name, job.setup.design.name());
            miette!("{work} on design {design}: {error}")
        })?;
        bar.inc(1);
        Ok(row(job, &outcome))
    });
    rows.collect()
}

/// What a histogram tells, if it has counted anything.
fn known<T>(histogram: &Histogram, told: impl Fn(&Histogram) -> T) -> Option<T> {
    (histogram.count() > 0).then(|| told(histogram))
}

fn latency(histogram: &Histogram) -> Latency {
    let percentile = |percent| known(histogram, |all| all.percentile(percent));
    Latency {
        count: histogram.count(),
        mean: known(histogram, Histogram::mean),
        p50: percentile(50),
        p90: percentile(90),
        p99: percentile(99),
        most: known(histogram, Histogram::most),
        octaves: histogram.octaves(),
    }
}

fn row(job: &Job, outcome: &Outcome) -> Row {
    let parameters = &job.setup.parameters;
    let bytes = parameters.cache_bytes;
    let milliseconds = outcome.cycles as f64 / (1000 * MHZ) as f64;
    Row {
        workload: job.work.work.name.clone(),
        design: job.setup.design.name(),
        order: match parameters.first_come {
            true => "first-come",
            false => "turns",
        },
        seed: job.work.seed,
        threads: parameters.threads,
        l1_entries: parameters.l1_entries,
        l2_entries: parameters.l2_entries,
        pwc_bytes: Some(bytes).filter(|bytes| *bytes != IDEAL_CACHE),
        mshr_per_sm: parameters.mshrs,
        misses: parameters.misses,
        far_faults_percent: parameters.far_percent,
        service_us: parameters.service / MHZ,
        cycles: outcome.cycles,
        ideal_cycles: job.work.ideal.cycles,
        percent_of_ideal: outcome.percent_of(&job.work.ideal),
        accesses: outcome.accesses,
        missed: outcome.missed,
        walks: outcome.walks,
        walk_latency: latency(&outcome.latency),
        queueing: latency(&outcome.queueing),
        service: latency(&outcome.service),
        walking: outcome.walking_mean(),
        walking_most: outcome.walking_most,
        threads_busy_percent: 100.0 * outcome.walking_mean() / parameters.threads as f64,
        in_flight: known(&outcome.in_flight, Histogram::mean),
        in_flight_most: known(&outcome.in_flight, Histogram::most),
        in_flight_sms: if parameters.shared {
            job.work.work.sms()
        } else {
            1
        },
        within_500_percent: outcome.intervals.percent_within(500),
        levels: (0..LEVELS)
            .map(|level| Level {
                level: level + 1,
                reads: outcome.reads[level],
                cache_hits: outcome.cache_hits(level),
            })
            .collect(),
        l2_hits: outcome.l2_hits,
        memory_reads: outcome.memory_reads.iter().sum(),
        nacks: outcome.nacks,
        far_faults: outcome.far_faults,
        far_faults_per_ms: outcome.far_faults as f64 / milliseconds.max(f64::MIN_POSITIVE),
        far_faults_held: outcome.held,
        fault_service: latency(&outcome.fault_service),
        slowest_sm: outcome.unfairness(),
    }
}

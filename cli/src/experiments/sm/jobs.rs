//! The runs, and what they counted.

use faultline_sim::machines::gpu::{self, Gpu};
use faultline_sim::machines::sm::{Misses, Parameters, Sm, SmError, Stall, Statistics, Work};
use faultline_testbench::backend::Kind;
use faultline_testbench::lockstep::Speed;
use faultline_testbench::programs::Pipeline;
use indicatif::ProgressBar;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::setups::{self, Setup};
use crate::output::grouped;

/// A workload on an SM or a GPU.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    pub workload: String,
    pub scheme: String,
    /// Bytes of the operand log, where there is one.
    pub log_bytes: Option<usize>,
    /// Whether it is only there to compare with: a baseline that was not requested.
    pub hidden: bool,
    /// Runs with different seeds, whose means the counts are.
    pub runs: u64,
    pub cycles: u64,
    pub instructions: u64,
    pub instructions_per_cycle: f64,
    /// Performance of the baseline as 100.
    pub relative_percent: f64,
    /// The standard error of that performance over the runs, each beside the baseline of its seed, in percent of it.
    pub error_percent: f64,
    /// The cycles of each run.
    pub cycles_of_runs: Vec<u64>,
    /// None under a scheme that squashes nothing: there the accesses that fault wait in the memory unit.
    pub faults: Option<u64>,
    /// Those of these instructions that raised an exception, which a handler on the SM restarts.
    pub exceptions: u64,
    pub replays: u64,
    /// Cycles in which nothing was issued, by cause: those of an SM in the mean.
    #[serde(with = "by_name")]
    pub stalls: Vec<(String, u64)>,
    /// Cycles from the issue of a global-memory instruction to its last TLB check, in the mean.
    pub check_cycles: f64,
    /// Cycles that a line which the L1 cache misses waits for a place among the misses and for DRAM, in the mean.
    pub miss_wait_cycles: f64,
    /// How fast each back end of the lockstep was, if there was one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub speeds: Vec<BackendSpeed>,
    /// Cycles of all runs by instructions in the replay queue.
    #[serde(rename = "queue_of_all_runs")]
    pub queue: Vec<u64>,
    /// Cycles of all runs by entries of the operand log in use.
    #[serde(rename = "log_of_all_runs")]
    pub log: Vec<u64>,
}

/// How fast a back end was.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BackendSpeed {
    pub backend: String,
    pub cycles_per_second: f64,
    /// Instructions of warps.
    pub instructions_per_second: f64,
}

/// Warps that an SM has at most.
const MOST_WARPS: usize = 64;

/// What a run counts, SM by SM, and the speeds of its back ends.
struct Counted {
    statistics: Vec<Statistics>,
    misses: Misses,
    exceptions: u64,
    speeds: Vec<Speed>,
}

/// Pairs as an object, in their order.
mod by_name {
    use std::fmt;

    use serde::de::{Deserializer, MapAccess, Visitor};
    use serde::ser::Serializer;

    type Pairs = Vec<(String, u64)>;

    pub fn serialize<S: Serializer>(
        pairs: &[(String, u64)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(pairs.iter().map(|(name, number)| (name, number)))
    }

    struct InOrder;

    impl<'de> Visitor<'de> for InOrder {
        type Value = Pairs;

        fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
            text.write_str("numbers by name")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

impl Row {
    /// The scheme, with the size of its log.
    pub fn setup(&self) -> String {
        setups::name(&self.scheme, self.log_bytes)
    }

    /// The standard error of the mean of the cycles beside those of another row with the same seeds, run by run, in percent.
    pub fn error_beside(&self, other: &Row) -> f64 {
        let pairs = self.cycles_of_runs.iter().zip(&other.cycles_of_runs);
        let logarithms: Vec<f64> = pairs
            .map(|(&own, &other)| (own.max(1) as f64 / other.max(1) as f64).ln())
            .collect();
        let count = logarithms.len() as f64;
        let mean = logarithms.iter().sum::<f64>() / count;
        let squares = logarithms.iter().map(|one| (one - mean).powi(2));
        let variance = squares.sum::<f64>() / (count - 1.0).max(1.0);
        100.0 * (variance / count).sqrt()
    }
}

/// Runs everything on everything. The baseline is the first of a workload's rows, and only there.
pub fn run(works: &[Work], setups: &[Setup], runs: u64, bar: &ProgressBar) -> Result<Vec<Row>> {
    for work in works {
        setups.iter().try_for_each(|setup| fits(work, setup))?;
    }
    let jobs: Vec<(&Work, &Setup, u64)> = works
        .iter()
        .flat_map(|work| setups.iter().map(move |setup| (work, setup)))
        .flat_map(|(work, setup)| (0..runs).map(move |run| (work, setup, run)))
        .collect();
    let counted = jobs.par_iter().map(|&(work, setup, run)| {
        let counts = one(work, setup, run);
        bar.inc(1);
        counts
    });
    // Of several runs that fail, the first is named, whichever has ended first.
    let counted: Vec<Result<Counted>> = counted.collect();
    let counted: Vec<Counted> = counted.into_iter().collect::<Result<_>>()?;
    let of_rows = counted.chunks(runs as usize);
    let mut rows: Vec<Row> = jobs
        .iter()
        .step_by(runs as usize)
        .zip(of_rows)
        .map(|((work, setup, _), counted)| row(work, setup, counted))
        .collect();
    for of_work in rows.chunks_mut(setups.len()) {
        let baseline = of_work[0].clone();
        for row in of_work {
            row.relative_percent = 100.0 * baseline.cycles as f64 / row.cycles.max(1) as f64;
            row.error_percent = row.error_beside(&baseline);
        }
    }
    Ok(rows)
}

/// Says before the runs whether a workload fits the SM, and which option to change.
fn fits(work: &Work, setup: &Setup) -> Result<()> {
    let mut parameters = setup.parameters;
    parameters.timing.warm = false;
    let name = &work.name;
    match Sm::new(&parameters, work) {
        Ok(_) => Ok(()),
        Err(SmError::Block { block, .. }) if block > MOST_WARPS => Err(miette!(
            "{name}: a thread block has {} warps, and an SM has {MOST_WARPS} at most",
            grouped(block as u64)
        )),
        Err(SmError::Block { block, warps }) => Err(miette!(
            "--warps {warps}: a thread block of {name} has {block} warps; give --warps {block} or more"
        )),
        Err(SmError::Log { entries, blocks }) => {
            let log = setup.log_bytes.unwrap_or(0);
            let least = (2 * blocks * (log / entries.max(1))).div_ceil(1024);
            Err(miette!(
                "--log {}k: the log has {entries} entries for {blocks} thread blocks of {name}, and a store of each needs \
                 two; give --log {least}k or more",
                log / 1024
            ))
        }
        Err(error) => Err(miette!("{name}: {error}")),
    }
}

/// What a run counts.
fn one(work: &Work, setup: &Setup, run: u64) -> Result<Counted> {
    if let Some(gpu) = &setup.gpu {
        return on_gpu(work, setup, gpu, run);
    }
    let scheme = setup.parameters.pipeline.scheme;
    let parameters = Parameters {
        seed: setup.parameters.seed.wrapping_add(run),
        ..setup.parameters
    };
    let mut statistics = Statistics::new(&setup.parameters.pipeline);
    let mut speeds = Vec::new();
    let failed = |error| miette!("{} under {}: {error}", work.name, scheme.name());
    let observe = |inputs: &_, outputs: &_| statistics.observe(inputs, outputs);
    let outcome = match setup.backend {
        None => {
            let sm = Sm::new(&parameters, work).map_err(failed)?;
            sm.run(observe).map_err(failed)?
        }
        Some((kind, config)) => {
            let mut pipeline = Pipeline::new(config, &[Kind::Reference, kind])
                .map_err(|error| miette!("{error}"))?;
            let parameters = Parameters {
                pipeline: pipeline.parameters(),
                ..parameters
            };
            let sm = Sm::new(&parameters, work).map_err(failed)?;
            let outcome = pipeline.run(sm, observe);
            speeds.extend(pipeline.speeds());
            outcome.map_err(|error| miette!("{} under {}: {error}", work.name, scheme.name()))?
        }
    };
    match outcome.differences().first() {
        None => Ok(Counted {
            statistics: vec![statistics],
            misses: outcome.misses,
            exceptions: outcome.occasions.exceptions,
            speeds,
        }),
        Some(difference) => Err(miette!(
            "{} under {}: {difference}",
            work.name,
            scheme.name()
        )),
    }
}

/// What a run on a GPU counts; runs differ in the SM that gets the first thread block.
fn on_gpu(work: &Work, setup: &Setup, gpu: &gpu::Parameters, run: u64) -> Result<Counted> {
    let scheme = setup.parameters.pipeline.scheme;
    let failed =
        |error: &dyn std::fmt::Display| miette!("{} under {}: {error}", work.name, scheme.name());
    let parameters = gpu::Parameters {
        sm: setup.parameters,
        first: setup.parameters.seed.wrapping_add(run) as usize % gpu.sms,
        ..*gpu
    };
    let gpu = Gpu::new(&parameters, work).map_err(|error| failed(&error))?;
    let outcome = gpu.counting().run(|_| {}).map_err(|error| failed(&error))?;
    if let Some(difference) = outcome.differences().first() {
        return Err(failed(difference));
    }
    Ok(Counted {
        statistics: outcome.statistics,
        misses: Misses {
            lines: outcome.traffic.lines,
            waited: outcome.traffic.waited,
        },
        exceptions: outcome.sms.occasions.exceptions,
        speeds: Vec::new(),
    })
}

/// The runs of a workload on an SM or a GPU.
fn row(work: &Work, setup: &Setup, all: &[Counted]) -> Row {
    let counted: Vec<&Statistics> = all.iter().flat_map(|one| &one.statistics).collect();
    let sum =
        |count: &dyn Fn(&Statistics) -> u64| counted.iter().map(|one| count(one)).sum::<u64>();
    let histogram = |of: &dyn Fn(&Statistics) -> &Vec<u64>| {
        let longest = counted.iter().map(|one| of(one).len()).max().unwrap_or(0);
        let all: Vec<u64> = (0..longest)
            .map(|place| sum(&|one| of(one).get(place).copied().unwrap_or(0)))
            .collect();
        let last = all.iter().rposition(|&times| times > 0);
        all[..last.map_or(0, |last| last + 1)].to_vec()
    };
    let runs = all.len() as u64;
    let share = |count: u64, of: u64| (count + of / 2) / of;
    // Of a run, and of an SM in a run.
    let mean = |count: &dyn Fn(&Statistics) -> u64| share(sum(count), runs);
    let of_sm = |count: &dyn Fn(&Statistics) -> u64| share(sum(count), counted.len() as u64);
    let cycles_of_runs = all.iter().map(|run| run.statistics[0].cycles);
    let cycles_of_runs: Vec<u64> = cycles_of_runs.collect();
    let per_cycle = all.iter().map(|run| {
        let of_sms = run
            .statistics
            .iter()
            .map(Statistics::instructions_per_cycle);
        of_sms.sum::<f64>()
    });
    let scheme = setup.parameters.pipeline.scheme;
    let stalls = Stall::ALL.iter().zip(0..);
    Row {
        workload: work.name.clone(),
        scheme: scheme.name().to_owned(),
        log_bytes: setup.log_bytes,
        hidden: setup.hidden,
        runs,
        cycles: of_sm(&|one| one.cycles),
        instructions: mean(&|one| one.instructions),
        instructions_per_cycle: per_cycle.sum::<f64>() / runs as f64,
        relative_percent: 100.0,
        error_percent: 0.0,
        cycles_of_runs,
        faults: scheme.squashes().then(|| mean(&|one| one.faults)),
        exceptions: share(all.iter().map(|one| one.exceptions).sum(), runs),
        replays: mean(&|one| one.replays),
        stalls: stalls
            .map(|(stall, place): (_, usize)| {
                (stall.name().to_owned(), of_sm(&|one| one.stalls[place]))
            })
            .collect(),
        check_cycles: sum(&|one| one.check_cycles) as f64 / sum(&|one| one.checks).max(1) as f64,
        miss_wait_cycles: {
            let of =
                |count: fn(&Misses) -> u64| all.iter().map(|one| count(&one.misses)).sum::<u64>();
            of(|misses| misses.waited) as f64 / of(|misses| misses.lines).max(1) as f64
        },
        speeds: all[0]
            .speeds
            .iter()
            .map(|speed| speed_of(speed.kind, all))
            .collect(),
        queue: histogram(&|one| &one.queue),
        log: histogram(&|one| &one.log),
    }
}

/// How fast a back end was over all runs.
fn speed_of(kind: Kind, runs: &[Counted]) -> BackendSpeed {
    let all = runs.iter().flat_map(|run| &run.speeds);
    let seconds = all
        .filter(|speed| speed.kind == kind)
        .map(|speed| speed.time.as_secs_f64());
    let seconds = seconds.sum::<f64>().max(1e-9);
    let sum = |count: &dyn Fn(&Statistics) -> u64| {
        let all = runs.iter().flat_map(|run| &run.statistics);
        all.map(count).sum::<u64>() as f64
    };
    BackendSpeed {
        backend: kind.name().to_owned(),
        cycles_per_second: (sum(&|one| one.cycles) / seconds).round(),
        instructions_per_second: (sum(&|one| one.instructions) / seconds).round(),
    }
}

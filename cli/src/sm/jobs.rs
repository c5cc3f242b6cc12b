//! What is run, and on which SM.

use std::fs;
use std::path::{Path, PathBuf};

use faultline_hw::registry::Design;
use faultline_sim::replay_queue;
use faultline_sim::simt::kernels::{KERNELS, Kernel, Make, named};
use faultline_sim::simt::{self, WriteError};
use faultline_sim::sm::{Faults, Parameters, Sm, SmError, Stall, Statistics, Work};
use faultline_sim::sm_pipeline;
use faultline_sim::sm_pipeline::Scheme;
use faultline_sim::trace::Trace;
use faultline_testbench::backend::{BackendError, Kind};
use faultline_testbench::blocks::{self, Block, SetupError, SmPipeline};
use faultline_testbench::file;
use faultline_testbench::lockstep::Speed;
use faultline_testbench::programs::Pipeline;
use indicatif::ProgressBar;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::{Serialize, Serializer};

use super::{Args, distinct};
use crate::output::grouped;

/// A workload on an SM.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub workload: String,
    pub scheme: &'static str,
    /// Bytes of the operand log, where there is one.
    pub log_bytes: Option<usize>,
    /// Whether it is only there to compare with: a baseline that nobody asked for.
    pub hidden: bool,
    /// Runs with different seeds, whose means the counts are.
    pub runs: u64,
    pub cycles: u64,
    pub instructions: u64,
    pub instructions_per_cycle: f64,
    /// Performance of the baseline as 100.
    pub relative_percent: f64,
    /// The standard error of the cycles, in percent of them.
    pub error_percent: f64,
    /// None under a scheme that squashes nothing: there the accesses that fault wait in the memory unit.
    pub faults: Option<u64>,
    pub replays: u64,
    /// Cycles in which nothing was issued, by cause.
    #[serde(serialize_with = "by_name")]
    pub stalls: Vec<(&'static str, u64)>,
    /// Cycles from the issue of a global-memory instruction to its last TLB check, in the mean.
    pub check_cycles: f64,
    /// How fast each back end of the lockstep was, if there was one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub speeds: Vec<BackendSpeed>,
    /// Cycles of all runs by instructions in the replay queue.
    #[serde(rename = "queue_of_all_runs")]
    pub queue: Vec<u64>,
    /// Cycles of all runs by entries of the operand log in use.
    #[serde(rename = "log_of_all_runs")]
    pub log: Vec<u64>,
}

/// How fast a back end was.
#[derive(Clone, Debug, Serialize)]
pub struct BackendSpeed {
    pub backend: &'static str,
    pub cycles_per_second: f64,
    /// Instructions of warps.
    pub instructions_per_second: f64,
}

/// Warps that an SM has at most.
const MOST_WARPS: usize = 64;

/// What a run counts, and the speeds of its back ends.
type Counted = (Statistics, Vec<Speed>);

/// Pairs as an object.
fn by_name<S: Serializer>(pairs: &[(&str, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().copied())
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
#[derive(Clone)]
pub struct Setup {
    parameters: Parameters,
    log_bytes: Option<usize>,
    /// Only there to compare with.
    hidden: bool,
    /// What is in lockstep with the reference, and the configuration of its design.
    backend: Option<(Kind, &'static str)>,
}

/// The names of the kernels and traces that were asked for, each once.
pub fn chosen(args: &Args) -> Vec<String> {
    match args.workloads.is_empty() {
        true => KERNELS.iter().map(|(name, _)| (*name).to_owned()).collect(),
        false => distinct(args.workloads.clone()),
    }
}

/// Makes the kernel of a name.
fn kernel(args: &Args, name: &str, make: Make) -> Result<Kernel> {
    make(args.scale()).map_err(|error| miette!("{name}: {error}"))
}

/// The kernels and traces that were asked for, each with a name of its own.
pub fn works(args: &Args) -> Result<Vec<Work>> {
    let mut works = Vec::new();
    for name in &chosen(args) {
        if let Some(make) = named(name) {
            let kernel = kernel(args, name, make)?;
            let mut work = Work::of_kernel(&kernel).map_err(|error| miette!("{name}: {error}"))?;
            if let Some(blocks) = args.blocks_per_sm {
                work.blocks_per_sm = blocks.into();
            }
            works.push(work);
            continue;
        }
        let path = Path::new(name);
        if !path.exists() {
            return Err(miette!(
                "{name} is neither a file nor a kernel; the kernels are {}",
                KERNELS.map(|(name, _)| name).join(", ")
            ));
        }
        let trace = Trace::open(path).map_err(|error| miette!("{error}"))?;
        for reader in trace.readers() {
            let work = reader.and_then(Work::of_trace);
            works.push(work.map_err(|error| miette!("{error}"))?);
        }
    }
    let names: Vec<String> = works.iter().map(|work| work.name.clone()).collect();
    for (work, label) in works.iter_mut().zip(labels(&names)) {
        work.name = label;
    }
    Ok(works)
}

/// Traces that were written, in the order of their list.
#[derive(Serialize)]
pub struct Written {
    list: PathBuf,
    traces: Vec<WrittenTrace>,
}

/// A trace that was written.
#[derive(Serialize)]
struct WrittenTrace {
    kernel: &'static str,
    file: String,
}

impl Written {
    /// What was written, for a person.
    pub fn text(&self) -> String {
        let line = |trace: &WrittenTrace| format!("{}: {}\n", trace.file, trace.kernel);
        let lines: String = self.traces.iter().map(line).collect();
        let list = self.list.display();
        format!("{lines}{list} names them: `faultline sm {list}` runs them.")
    }
}

/// Writes the kernels that were asked for as traces to a folder, and takes back what it wrote if it fails.
pub fn write_traces(args: &Args, folder: &Path) -> Result<Written> {
    let make = |name: &String| {
        let make = named(name).ok_or_else(|| {
            let known = KERNELS.map(|(name, _)| name).join(", ");
            miette!("--write-traces: {name} is no kernel; the kernels are {known}")
        })?;
        kernel(args, name, make)
    };
    let kernels: Vec<Kernel> = chosen(args).iter().map(make).collect::<Result<_>>()?;
    let traces = kernels.iter().zip(1..).map(|(kernel, id)| WrittenTrace {
        kernel: kernel.name,
        file: format!("kernel-{id}.traceg"),
    });
    let traces: Vec<WrittenTrace> = traces.collect();
    // The list comes last, so that it names only what is there.
    let files = || {
        traces
            .iter()
            .map(|trace| trace.file.as_str())
            .chain(["kernelslist.g"])
    };
    let is_new = folder.symlink_metadata().is_err();
    if !is_new {
        for file in files() {
            file::check_writable(&folder.join(file)).map_err(|error| miette!("{error}"))?;
        }
    }
    let partial = folder.join(format!(".partial-{}", std::process::id()));
    let written = simt::write_traces(&partial, &kernels).and_then(|_| {
        for file in files() {
            let path = folder.join(file);
            fs::rename(partial.join(file), &path)
                .map_err(|error| WriteError::File { path, error })?;
        }
        Ok(())
    });
    let unwanted = if is_new && written.is_err() {
        folder
    } else {
        &partial
    };
    // There may be nothing to take away.
    fs::remove_dir_all(unwanted).ok();
    match written {
        Ok(()) => Ok(Written {
            list: folder.join("kernelslist.g"),
            traces,
        }),
        // The path may be one that is gone.
        Err(WriteError::File { error, .. }) => Err(miette!(
            "--write-traces {}: the traces cannot be written ({error}); check the folder and the disk it is on",
            folder.display()
        )),
        Err(error) => Err(miette!("{error}")),
    }
}

/// A label for each name: the name, with a number where it was there before.
pub fn labels(names: &[String]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for name in names {
        let numbered = (2..).map(|number| format!("{name} #{number}"));
        let free = std::iter::once(name.clone())
            .chain(numbered)
            .find(|label| !labels.contains(label));
        labels.extend(free);
    }
    labels
}

/// The SMs; the baseline is always the first.
pub fn setups(args: &Args, schemes: &[Scheme]) -> Result<Vec<Setup>> {
    let queue = args.queue();
    if !queue.is_power_of_two() || !(2..=128).contains(&queue) {
        return Err(miette!(
            "--queue {queue}: give a power of two from 2 to 128"
        ));
    }
    let logs: Vec<usize> = args
        .logs()
        .iter()
        .map(|text| log_bytes(text))
        .collect::<Result<_>>()?;
    let logs = distinct(logs);
    let setup = |scheme, log: Option<usize>| {
        let mut parameters = Parameters::paper(scheme, log.unwrap_or(8 << 10));
        parameters.pipeline.warps = args.warps.into();
        parameters.pipeline.policy = args.scheduler;
        parameters.pipeline.queue = replay_queue::Parameters::with_entries(queue);
        parameters.timing.sharers = args.sharers;
        parameters.faults = Faults {
            rate: args.fault_rate,
            absent: args.absent,
            cycles: args.fault_cycles(),
            ..Faults::NONE
        };
        parameters.seed = args.seed;
        Setup {
            parameters,
            log_bytes: log,
            hidden: false,
            backend: None,
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
    if args.backend != Kind::Reference {
        // A baseline that nobody asked for takes no design.
        for setup in setups.iter_mut().filter(|setup| !setup.hidden) {
            let config = design(&setup.parameters.pipeline)?;
            setup.backend = Some((args.backend, config));
        }
    }
    check_built(&setups)?;
    Ok(setups)
}

/// Says before the runs which designs are not built in, and how they would be.
fn check_built(setups: &[Setup]) -> Result<()> {
    let mut missing = Vec::new();
    for (kind, config) in setups.iter().filter_map(|setup| setup.backend) {
        if kind != Kind::Verilog {
            continue;
        }
        match Pipeline::new(config, &[kind]) {
            Ok(_) => {}
            Err(SetupError::Backend(BackendError::NotBuilt | BackendError::NotExported(_))) => {
                missing.push(config);
            }
            Err(error) => return Err(miette!("{error}")),
        }
    }
    let [first, ..] = missing[..] else {
        return Ok(());
    };
    let designs = faultline_hw::registry::designs();
    let is_large = |config: &&str| {
        let named = |design: &&Design| (design.block, design.config) == (SmPipeline::NAME, config);
        designs.iter().find(named).is_some_and(Design::is_large)
    };
    let (feature, small) = match missing.iter().any(is_large) {
        true => (
            "large",
            "; --warps 4 --queue 16 --log 8k are the sizes of designs that --features verilog has",
        ),
        false => ("verilog", ""),
    };
    Err(miette!(
        "--backend verilog: the Verilog of the pipeline with these sizes ({}) is not built in: install Verilator (`apt-get \
         install verilator`), run `faultline export --block {} --config {first}`, and the same for the others, where \
         rtl-out has none, and build with `--features {feature}`, as in `cargo run --release --features {feature} -- sm --backend \
         verilog`{small}",
        missing.join(", "),
        SmPipeline::NAME,
    ))
}

/// The configuration of the design with these sizes, as far as the scheme has them.
fn design(parameters: &sm_pipeline::Parameters) -> Result<&'static str> {
    let name = SmPipeline::NAME;
    let fits = |config: &&str| {
        SmPipeline::parameters(config).is_some_and(|design| {
            let scheme = design.scheme;
            (scheme, design.policy) == (parameters.scheme, parameters.policy)
                && (design.warps, design.entries) == (parameters.warps, parameters.entries)
                && (!scheme.queues() || design.queue == parameters.queue)
                && (scheme != Scheme::OperandLog || design.log == parameters.log)
        })
    };
    blocks::configurations(name).find(fits).ok_or_else(|| {
        let known: Vec<_> = blocks::configurations(name).collect();
        miette!(
            "no design of the pipeline has these sizes; with --warps 4 the designs have --queue 16 and --log 8k, with \
             --warps 64 --queue 64 and --log 8k, 16k, 20k or 32k ({})",
            known.join(", ")
        )
    })
}

/// The same SMs with one thing changed.
pub fn varied(setups: &[Setup], change: impl Fn(&mut Parameters)) -> Vec<Setup> {
    let mut setups = setups.to_vec();
    for setup in &mut setups {
        change(&mut setup.parameters);
    }
    setups
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
    let counted: Vec<Counted> = counted.collect::<Result<_>>()?;
    let of_rows = counted.chunks(runs as usize);
    let mut rows: Vec<Row> = jobs
        .iter()
        .step_by(runs as usize)
        .zip(of_rows)
        .map(|((work, setup, _), counted)| row(work, setup, counted))
        .collect();
    for of_work in rows.chunks_mut(setups.len()) {
        let baseline = of_work[0].cycles;
        for row in of_work {
            row.relative_percent = 100.0 * baseline as f64 / row.cycles.max(1) as f64;
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
    match outcome.differences(work).first() {
        None => Ok((statistics, speeds)),
        Some(difference) => Err(miette!(
            "{} under {}: {difference}",
            work.name,
            scheme.name()
        )),
    }
}

/// The runs of a workload on an SM.
fn row(work: &Work, setup: &Setup, all: &[Counted]) -> Row {
    let counted: Vec<&Statistics> = all.iter().map(|(statistics, _)| statistics).collect();
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
    let runs = counted.len() as u64;
    let mean = |count: &dyn Fn(&Statistics) -> u64| (sum(count) + runs / 2) / runs;
    let per_cycle = counted.iter().map(|one| one.instructions_per_cycle());
    let scheme = setup.parameters.pipeline.scheme;
    let stalls = Stall::ALL.iter().zip(0..);
    Row {
        workload: work.name.clone(),
        scheme: scheme.name(),
        log_bytes: setup.log_bytes,
        hidden: setup.hidden,
        runs,
        cycles: mean(&|one| one.cycles),
        instructions: mean(&|one| one.instructions),
        instructions_per_cycle: per_cycle.sum::<f64>() / runs as f64,
        relative_percent: 100.0,
        error_percent: error_percent(&counted),
        faults: scheme.squashes().then(|| mean(&|one| one.faults)),
        replays: mean(&|one| one.replays),
        stalls: stalls
            .map(|(stall, place): (_, usize)| (stall.name(), mean(&|one| one.stalls[place])))
            .collect(),
        check_cycles: sum(&|one| one.check_cycles) as f64 / sum(&|one| one.checks).max(1) as f64,
        speeds: all[0]
            .1
            .iter()
            .map(|speed| speed_of(speed.kind, all))
            .collect(),
        queue: histogram(&|one| &one.queue),
        log: histogram(&|one| &one.log),
    }
}

/// How fast a back end was over all runs.
fn speed_of(kind: Kind, runs: &[Counted]) -> BackendSpeed {
    let all = runs.iter().flat_map(|(_, speeds)| speeds);
    let seconds = all
        .filter(|speed| speed.kind == kind)
        .map(|speed| speed.time.as_secs_f64());
    let seconds = seconds.sum::<f64>().max(1e-9);
    let sum = |count: &dyn Fn(&Statistics) -> u64| {
        runs.iter()
            .map(|(statistics, _)| count(statistics))
            .sum::<u64>() as f64
    };
    BackendSpeed {
        backend: kind.name(),
        cycles_per_second: (sum(&|one| one.cycles) / seconds).round(),
        instructions_per_second: (sum(&|one| one.instructions) / seconds).round(),
    }
}

/// The standard error of the mean of the cycles, in percent of it.
fn error_percent(counted: &[&Statistics]) -> f64 {
    let count = counted.len() as f64;
    let mean = counted.iter().map(|one| one.cycles as f64).sum::<f64>() / count;
    let square = |one: &&Statistics| (one.cycles as f64 - mean).powi(2);
    let variance = counted.iter().map(square).sum::<f64>() / (count - 1.0).max(1.0);
    100.0 * (variance / count).sqrt() / mean.max(1.0)
}

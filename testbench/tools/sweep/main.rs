//! All sweeps of page walks on all back ends, against the rules of the reference:
//! `cargo run --release -p faultline-testbench --features verilog --example sweep`.

mod page;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use faultline_hw::registry;
use faultline_testbench::backend::Kind;
use faultline_testbench::sweep::{self, AT_ONCE, CONFIGS, Load, Sweep, Tally};
use faultline_testbench::walks::Walker;
use faultline_testbench::{file, origin};
use indicatif::{ProgressBar, ProgressStyle};

/// A walker of 64 walks is built on the stack of the thread that runs it.
const STACK_BYTES: usize = 64 << 20;

/// Sweeps of page walks: the second oracle and every back end against the rules
#[derive(Parser)]
struct Options {
    /// Back ends: reference, rust-hdl, verilog; all that were built if not given
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    backends: Vec<Kind>,
    /// Each Nth case alone
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    /// The same for the kernel, which is slow, but for the sweep of one entry; as the others if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    kernel_step: Option<u32>,
    /// Write what was found to this Markdown file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

impl Options {
    fn kinds(&self) -> Vec<Kind> {
        let asked = |kind: &Kind| self.backends.is_empty() || self.backends.contains(kind);
        let known = match self.backends.is_empty() {
            true => Kind::built().collect(),
            false => Kind::ALL.to_vec(),
        };
        known.into_iter().filter(asked).collect()
    }

    fn step(&self, kind: Kind) -> usize {
        let kernel = self.kernel_step.filter(|_| kind == Kind::RustHdl);
        kernel.unwrap_or(self.step) as usize
    }
}

/// What walks, and the walks that it does.
#[derive(Clone, Copy, Debug)]
enum Job {
    /// The second oracle.
    Oracle(Sweep),
    /// A back end, one walk after the other.
    OneByOne(Sweep, Kind),
    /// A back end of a larger walker, many walks at once.
    AtOnce(&'static str, Kind),
}

impl Job {
    /// All of them, the fast ones first.
    fn all(kinds: &[Kind]) -> Vec<Self> {
        let mut jobs: Vec<_> = Sweep::ALL.into_iter().map(Self::Oracle).collect();
        for &kind in kinds {
            jobs.extend(Sweep::ALL.map(|sweep| Self::OneByOne(sweep, kind)));
            jobs.extend(CONFIGS.map(|config| Self::AtOnce(config, kind)));
        }
        jobs
    }

    /// The requests that it walks without a step.
    fn count(self) -> u64 {
        let of = |sweep: Sweep| {
            sweep
                .rules()
                .iter()
                .map(|rules| sweep.count(rules))
                .sum::<u64>()
        };
        match self {
            Self::Oracle(sweep) | Self::OneByOne(sweep, _) => of(sweep),
            Self::AtOnce(config, _) => {
                let machines: Vec<_> = sweep::machines(config).collect();
                let counts = machines
                    .iter()
                    .flat_map(|rules| AT_ONCE.map(|sweep| sweep.count(rules)));
                counts.sum()
            }
        }
    }

    fn step(self, options: &Options) -> usize {
        match self {
            Self::Oracle(_) | Self::OneByOne(Sweep::Entry, _) => options.step as usize,
            Self::OneByOne(_, kind) | Self::AtOnce(_, kind) => options.step(kind),
        }
    }

    fn run(self, options: &Options, bar: &ProgressBar) -> Result<Found, String> {
        let (step, start) = (self.step(options), Instant::now());
        let walked = |requests| bar.inc(requests * step as u64);
        let mut load = None;
        let tally = match self {
            Self::Oracle(sweep) => Ok(sweep::oracles(sweep, step, walked)),
            Self::OneByOne(sweep, kind) => sweep::one_by_one(sweep, kind, step, walked),
            Self::AtOnce(config, kind) => {
                sweep::at_once(config, kind, step, walked).map(|(tally, of_walker)| {
                    load = Some(of_walker);
                    tally
                })
            }
        };
        Ok(Found {
            job: self,
            tally: tally.map_err(|error| format!("{self:?}: {error}"))?,
            load,
            time: start.elapsed(),
        })
    }
}

/// What a job has found.
struct Found {
    job: Job,
    tally: Tally,
    load: Option<Load>,
    time: Duration,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(sentence) => {
            eprintln!("error: {sentence}");
            ExitCode::FAILURE
        }
    }
}

/// Runs everything; gives the number of differences.
fn run(options: &Options) -> Result<u64, String> {
    if let Some(path) = &options.report {
        file::check_writable(path).map_err(|error| error.to_string())?;
    }
    let kinds = options.kinds();
    let origin = origin()?;
    let jobs = Job::all(&kinds);
    let requests = jobs.iter().map(|job| job.count()).sum();
    let style = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} walks {eta}");
    let bar = ProgressBar::new(requests);
    bar.set_style(style.map_err(|error| error.to_string())?);
    let found = on_all_cores(&jobs, |job| job.run(options, &bar))?;
    bar.finish_and_clear();
    let page = page::markdown(options, &kinds, &origin, &found);
    if let Some(path) = &options.report {
        file::write_whole(path, &page).map_err(|error| error.to_string())?;
    }
    print!("{page}");
    Ok(found.iter().map(|found| found.tally.differences).sum())
}

/// The designs that walk.
fn origin() -> Result<String, String> {
    let mut names = CONFIGS.to_vec();
    names.extend(sweep::all_rules().map(|rules| Walker::config(&rules)));
    let designs = registry::designs();
    let walk = |design: &&registry::Design| {
        design.block == "page_walker" && names.contains(&design.config)
    };
    origin::verilog(designs.iter().filter(walk))
}

/// The Verilator that has made the back end, as it tells its name and version.
fn verilator() -> String {
    let told = std::process::Command::new("verilator")
        .arg("--version")
        .output();
    let told = told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned());
    let words: Vec<String> = told
        .unwrap_or_default()
        .split_whitespace()
        .take(2)
        .map(str::to_owned)
        .collect();
    match words.is_empty() {
        true => "Verilator".to_owned(),
        false => words.join(" "),
    }
}

/// Runs jobs on each core one after the other; what was found is in their order.
fn on_all_cores(
    jobs: &[Job],
    run: impl Fn(Job) -> Result<Found, String> + Sync,
) -> Result<Vec<Found>, String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(&job) = jobs.get(number)
        {
            found.push((number, run(job)));
        }
        found
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut found = std::thread::scope(|scope| {
        let spawn = |_| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, work)
        };
        let threads: Result<Vec<_>, _> = (0..cores).map(spawn).collect();
        let mut found = Vec::new();
        for thread in threads.map_err(|error| format!("no thread starts ({error})"))? {
            let of_thread = thread.join();
            found.extend(of_thread.map_err(|_| "a sweep has panicked".to_owned())?);
        }
        Ok::<_, String>(found)
    })?;
    found.sort_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, found)| found).collect()
}

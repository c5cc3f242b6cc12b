//! `faultline sm`: kernels, traces and programs on an SM under every scheme, beside the paper.

pub(crate) mod explain;
pub(crate) mod jobs;
pub(crate) mod markdown;
pub(crate) mod plot;
mod restart;
pub(crate) mod setups;
pub(crate) mod tables;
pub(crate) mod workloads;

use std::path::PathBuf;

use clap::{Args as _, Command, FromArgMatches as _};
use faultline_sim::machines::sm::{self, Faults, Work};
use faultline_sim::simt::kernels::KERNELS;
use faultline_sim::sm::sm_pipeline::{Policy, Scheme};
use faultline_synth::report::Section;
use faultline_synth::table::Grid;
use faultline_testbench::backend::Kind;
use faultline_testbench::file;
use miette::{Result, miette};

use super::exceptions::Exceptions;
use crate::Global;
use crate::output::{self, progress};
use crate::value;

use workloads::Workloads;

/// What is to be known of the kernels.
pub(crate) const PATTERNS: &str =
    "The kernels have the access patterns of Parboil's; they are not its programs.";

/// What is to be known of the means of a few small runs.
const NOISY: &str =
    "\n\nRuns at scale 1 are noisy, and the paper's GPU has 16 SMs: `faultline figures` runs it.";

/// Run kernels, GPU traces and programs on one SM under each scheme of preemptible faults, beside the paper
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    run: Workloads,
    #[command(flatten)]
    schemes: Schemes,
    /// Sizes of the operand log [default: 8k,16k]
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = value::named)]
    log: Vec<String>,
    /// Entries of the replay queue: a power of two up to 128 [default: 64]
    #[arg(long, value_name = "N")]
    queue: Option<usize>,
    /// Warps of the SM
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    warps: u8,
    /// How the next warp is chosen: loose-round-robin or greedy-then-oldest, where the lowest number stands for the oldest
    #[arg(long, default_value = "loose-round-robin", value_name = "POLICY", value_parser = policy)]
    scheduler: Policy,
    /// Share of global-memory instructions that fault on some of their lanes, below 1
    #[arg(
        long,
        default_value_t = 0.0,
        value_name = "R",
        allow_negative_numbers = true
    )]
    fault_rate: f64,
    /// No page is there until it has faulted
    #[arg(long)]
    absent: bool,
    /// Cycles from a fault until its page is there [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    fault_cycles: Option<u64>,
    #[command(flatten)]
    exceptions: Exceptions,
    /// The same seed gives the same faults, and the same moments at which other SMs are before this one at the DRAM
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Runs with so many seeds, and shows their means
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=64))]
    runs: u64,
    /// Let the pipeline's rust-hdl kernel or its Verilog take part: every output is compared in every cycle
    #[arg(
        long,
        default_value = "reference",
        value_name = "reference|rust-hdl|verilog"
    )]
    backend: Kind,
    /// Draw the performance of the schemes to this file
    #[arg(long, value_name = "FILE.svg", value_parser = output::svg_file)]
    svg: Option<PathBuf>,
    /// Write a report to this file: with the paper's means and the causes of the stalls, or of the restart theorem
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the kernels as Accel-Sim traces to this folder instead, which is made if it is not there
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "restart", "scheme", "log", "queue", "warps", "scheduler", "blocks_per_sm", "fault_rate", "absent",
        "fault_cycles", "seed", "runs", "backend", "svg", "markdown", "exceptions", "exception_cycles", "block_threads",
    ])]
    write_traces: Option<PathBuf>,
    /// Put the restart theorem to so many random programs for each scheme instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = [
        "workloads", "svg", "log", "queue", "warps", "scheduler", "scale", "blocks_per_sm", "fault_rate", "absent", "fault_cycles", "runs",
        "exceptions", "exception_cycles", "block_threads",
    ])]
    restart: Option<u64>,
}

impl Args {
    /// Sizes of the operand log, as they are typed.
    fn logs(&self) -> Vec<String> {
        match self.log.is_empty() {
            true => ["8k", "16k"].map(str::to_owned).to_vec(),
            false => self.log.clone(),
        }
    }

    /// Entries of the replay queue.
    fn queue(&self) -> usize {
        self.queue.unwrap_or(64)
    }

    /// Whether anything faults.
    fn has_faults(&self) -> bool {
        self.absent || self.fault_rate > 0.0
    }

    /// Whether the paper has means of the same: of all built-in kernels, without faults.
    fn is_beside_paper(&self) -> bool {
        let chosen = self.run.chosen();
        let is_chosen = |(name, _): &(&str, _)| chosen.iter().any(|chosen| chosen == name);
        let all = chosen.len() == KERNELS.len() && KERNELS.iter().all(is_chosen);
        all && !self.has_faults() && self.run.blocks_per_sm.is_none() && self.warps == 64
    }

    /// Cycles from a fault until its page is there.
    fn fault_cycles(&self) -> u64 {
        self.fault_cycles.unwrap_or(Faults::NONE.cycles)
    }

    /// What becomes of exceptions.
    fn exceptions(&self) -> sm::Exceptions {
        let sm::Exceptions { response, handler } = sm::Exceptions::END;
        sm::Exceptions {
            response: self.exceptions.response().unwrap_or(response),
            handler: self.exceptions.cycles().unwrap_or(handler),
        }
    }

    /// Whether options that are given have no effect, or contradict each other.
    fn check(&self, schemes: &[Scheme]) -> Result<()> {
        if !(0.0..1.0).contains(&self.fault_rate) {
            return Err(miette!(
                "--fault-rate {}: give a share of 0 or more, and below 1",
                self.fault_rate
            ));
        }
        if self.fault_cycles.is_some() && !self.has_faults() {
            return Err(miette!(
                "--fault-cycles: nothing faults, so give --fault-rate or --absent too"
            ));
        }
        if !self.log.is_empty() && !schemes.contains(&Scheme::OperandLog) {
            return Err(miette!(
                "--log: none of the schemes has a log, so add operand-log to --scheme"
            ));
        }
        if self.queue.is_some() && !schemes.iter().any(|scheme| scheme.queues()) {
            return Err(miette!(
                "--queue: none of the schemes has a queue, so add replay-queue or operand-log to --scheme"
            ));
        }
        self.exceptions.check(self.exceptions().response, schemes)?;
        let of_kernels = [
            ("--scale", self.run.scale.is_some()),
            ("--blocks-per-sm", self.run.blocks_per_sm.is_some()),
        ];
        for (option, is_given) in of_kernels {
            if is_given && !self.run.has_kernels() && !self.run.has_programs() {
                return Err(miette!(
                    "{option}: a trace is as it is, so leave it out or name a kernel too"
                ));
            }
        }
        if self.markdown.is_some() && schemes.len() != Scheme::ALL.len() {
            return Err(miette!(
                "--markdown: the report compares all schemes, so leave out --scheme"
            ));
        }
        output::check_files(&[
            ("--svg", self.svg.as_deref()),
            ("--markdown", self.markdown.as_deref()),
        ])
    }
}

/// Runs the command.
///
/// # Errors
/// If an option makes no sense, a trace cannot be read, a run does not come to its end, or the restart theorem fails.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    let schemes = args.schemes.chosen()?;
    if let Some(trials) = args.restart {
        return restart::run(trials, args, &schemes, global);
    }
    args.check(&schemes)?;
    if let Some(folder) = &args.write_traces {
        let written = workloads::write_traces(&args.run, folder)?;
        return match global.json {
            true => global.print_json(&written),
            false => global.print(&written.text()),
        };
    }
    let works = args.run.works()?;
    let setups = setups::setups(args, &schemes)?;
    let rows = rows(&works, &setups, args.runs)?;
    let note = if args.run.has_kernels() { PATTERNS } else { "" };
    if let Some(path) = &args.svg {
        let svg = plot::svg(&rows, args.is_beside_paper(), note);
        let svg = svg.map_err(|error| miette!("{error}"))?;
        file::write_whole(path, &svg).map_err(|error| miette!("{error}"))?;
    }
    if let Some(path) = &args.markdown {
        let mut variations = Vec::new();
        for (name, change) in markdown::variations(args) {
            let varied = setups::varied(&setups, change);
            variations.push((name, self::rows(&works, &varied, args.runs)?));
        }
        let variants = match args.is_beside_paper() && args.backend == Kind::Reference {
            true => self::rows(&args.run.variants()?, &setups, args.runs)?,
            false => Vec::new(),
        };
        let origin = setups::origin(&setups)?;
        let page = markdown::Page::of_sm(args, &rows);
        let page = markdown::markdown(&page, &rows, &variations, &variants, &origin);
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&tables::Results::new(&rows, args.is_beside_paper())),
        false => {
            let text = tables::text(&rows, args.is_beside_paper(), output::width());
            let is_noisy = args.is_beside_paper() && args.run.scale() == 1;
            let noisy = if is_noisy { NOISY } else { "" };
            global.print(&format!("{text}\n\n{note}{noisy}"))
        }
    }
}

/// All kernels under every scheme, as the command without options runs them: a table and a plot for the report.
///
/// # Errors
/// If a run does not come to its end.
pub fn section() -> Result<Section> {
    let matches = Args::augment_args(Command::new("sm")).try_get_matches_from(["sm"]);
    let args = matches.and_then(|matches| Args::from_arg_matches(&matches));
    let args = args.map_err(|error| miette!("{error}"))?;
    let works = args.run.works()?;
    let rows = rows(&works, &setups::setups(&args, &Scheme::ALL)?, args.runs)?;
    let (headings, cells) = tables::performance(&rows, true);
    Ok(Section {
        grid: Grid {
            title: "Performance of the schemes, the baseline as 100".to_owned(),
            headings,
            rows: cells,
        },
        picture: Some(plot::svg(&rows, true, PATTERNS).map_err(|error| miette!("{error}"))?),
        command: "faultline sm".to_owned(),
    })
}

/// Runs everything on everything, with a bar that tells how far it is.
pub(crate) fn rows(works: &[Work], setups: &[setups::Setup], runs: u64) -> Result<Vec<jobs::Row>> {
    let all = (works.len() * setups.len()) as u64 * runs;
    let bar = progress(all, "{wide_bar} {pos}/{len} runs {eta}");
    let rows = jobs::run(works, setups, runs, &bar);
    bar.finish_and_clear();
    rows
}

/// The policy of this name.
fn policy(name: &str) -> Result<Policy, String> {
    let known = Policy::ALL.map(Policy::name).join(" and ");
    Policy::named(name).ok_or_else(|| format!("there are {known}"))
}

/// The schemes that are run.
#[derive(clap::Args, Debug)]
pub struct Schemes {
    /// stall-on-fault, warp-disable-commit, warp-disable-last-check, replay-queue, operand-log, or all
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LIST",
        default_value = "all",
        value_parser = value::named
    )]
    scheme: Vec<String>,
}

impl Schemes {
    /// The schemes that were asked for.
    ///
    /// # Errors
    /// If there is no such scheme.
    pub fn chosen(&self) -> Result<Vec<Scheme>> {
        schemes(&self.scheme)
    }
}

/// The schemes of these names.
///
/// # Errors
/// If there is no such scheme.
pub(crate) fn schemes(names: &[String]) -> Result<Vec<Scheme>> {
    let is_all = |name: &&String| *name == "all";
    let named = |name: &String| {
        Scheme::named(name).ok_or_else(|| {
            let known = Scheme::ALL.map(Scheme::name).join(", ");
            miette!("there is no scheme {name}; there are {known}, and all")
        })
    };
    let single = names.iter().filter(|name| !is_all(name));
    let schemes: Vec<Scheme> = single.map(named).collect::<Result<_>>()?;
    match names.iter().any(|name| is_all(&name)) {
        true => Ok(Scheme::ALL.to_vec()),
        false => Ok(value::distinct(schemes)),
    }
}

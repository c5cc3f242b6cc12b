//! `faultline gpu`: kernels, traces and programs on a whole GPU with demand paging.

mod bar;
mod causes;
mod chart;
mod configuration;
pub(crate) mod csv;
mod events;
mod lanes;
mod lockstep;
mod options;
mod restart;
pub(super) mod rows;
mod second;

use std::fmt::Display;
use std::path::PathBuf;

use faultline_sim::machines::gpu::{Config, Gpu, Outcome, Share, Unit};
use faultline_sim::machines::sm::Work;
use faultline_sim::sm::sm_pipeline::Scheme;
use faultline_testbench::backend::Kind;
use faultline_testbench::file;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::Serialize;

use self::bar::Progress;
use self::lockstep::Compared;
use self::options::{Bus, Evicting, Handler, Mode, Prefetcher, Replaying, Size, capacity};
use self::rows::{Row, text};
use self::second::Second;
use super::exceptions::Exceptions;
use super::sm::schemes;
use super::sm::workloads::Workloads;
use crate::output;
use crate::value::{self, integer_in};
use crate::{Global, STACK_BYTES};

/// Run kernels, GPU traces and programs on a whole GPU: SMs, GMMU, L2 cache, DRAM, page tables in memory, a driver and its link
///
/// Each SM is the reference of the pipeline, of the L1 TLB and of the coalescer, or of the block sm_unit, and the GMMU that of its
/// blocks, cycle by cycle. A kernel computes its values: registers and memory at the end are compared with those of a run without a GPU,
/// and each translation that an SM receives with the page tables.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    run: Workloads,
    /// GPU of which paper: tanasic (MICRO-50: 16 SMs at 1 GHz), power (HPCA 2014: 16 at 1.4 GHz), zheng (HPCA 2016: 15 at
    /// 1.4 GHz) or pep (TCAD 2018: 16 at 1.216 GHz). It replaces the preset that the file of --config names [default: that of the
    /// file, or else tanasic]
    #[arg(long, value_name = "PAPER", value_parser = preset)]
    preset: Option<String>,
    /// Values in place of the preset's; `--print-config` shows all that there are
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
    /// Print the configuration that the other options give, and run nothing
    #[arg(long)]
    print_config: bool,
    /// Print what a configuration may say, as a JSON schema for editors, and run nothing
    #[arg(long)]
    print_schema: bool,
    /// SMs, up to 64; of more than 16, as many as need be share a port of the GMMU
    #[arg(long, value_name = "N", value_parser = integer_in::<u64>(1..=64))]
    sms: Option<u64>,
    /// stall-on-fault, warp-disable-commit, warp-disable-last-check, replay-queue, operand-log, or all; that of the
    /// configuration if not given
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = value::named)]
    scheme: Vec<String>,
    /// Size of the operand log: 1k to 32k
    #[arg(long, value_name = "SIZE", value_parser = value::named)]
    log: Option<String>,
    /// No page is in the GPU's memory at first; of a trace the CPU owns what its list copies from the host before the kernel
    #[arg(long)]
    absent: bool,
    /// What the CPU has written was copied to the GPU's memory before, so only unowned pages are absent
    #[arg(long)]
    copied: bool,
    /// Link between CPU and GPU: nvlink (12 us for a fault that moves a page, 10 us for one that only allocates it) or
    /// pcie3 (25 and 12 us)
    #[arg(long, value_enum, value_name = "LINK")]
    link: Option<Bus>,
    /// What comes with an absent page: 4k (the page alone), 64k or 2m. A fault that moves 2 MB takes longer than the link's
    /// by what is above 64 KB
    #[arg(long, value_enum, value_name = "SIZE")]
    granularity: Option<Size>,
    /// Threads; all of the machine's if not given. The results are the same for any number
    #[arg(long, value_name = "N", value_parser = integer_in::<usize>(1..=256))]
    threads: Option<usize>,
    /// Switch out thread blocks whose page faults are far behind in the queue of faults, so that others run in their place
    ///
    /// The contexts of `normal` move over the SM's share of the bandwidth of DRAM, and those of `ideal` in a cycle. Several run one
    /// after the other; that of the configuration if not given.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    switching: Vec<Mode>,
    #[command(flatten)]
    exceptions: Exceptions,
    /// The handler of faults: cpu, one after the other, or gpu, the warps that fault, side by side
    ///
    /// A warp allocates an unowned page, asks the CPU for a page of its own, and has the kernel aborted if the page is in no
    /// allocation. Both run one after the other; that of the configuration if not given.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    handling: Vec<Handler>,
    /// What the driver brings besides what was missed: none, the parts that follow it (sequential), others of its allocation by
    /// chance (random), the rest of its 64 KB (locality), nodes of the binary tree over its 2 MB of which more than half comes (tree),
    /// or everything in the order of the program's first accesses (oracle)
    ///
    /// A part is as large as --granularity says. Prefetched parts move while no part does that was missed, and never evict another
    /// one. Several run one after the other; that of the configuration if not given.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    prefetch: Vec<Prefetcher>,
    /// Room in the GPU's memory, in percent of the parts that the kernel accesses: 1 to 1000, or unlimited; that of the configuration
    /// if not given
    #[arg(long, value_name = "PERCENT", value_parser = capacity)]
    capacity: Option<Share>,
    /// What leaves where a part has no room: the part of which no page has been translated for longest (lru), one by chance
    /// (random), or the 64 KB that were translated longest ago with the rest of each node of the binary tree over their 2 MB of which
    /// less than half is left (tree)
    ///
    /// Several run one after the other; that of the configuration if not given.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    eviction: Vec<Evicting>,
    /// When the driver has the GPU try again what has faulted: each page as it comes (page), or all of a batch of 256 records
    /// as it has come (batch), or all of a block of 2 MB in it (block), or the batch with what was reported meanwhile dropped unread
    /// (batch-flush), or everything as nothing more is reported (once)
    ///
    /// Several run one after the other; that of the configuration if not given.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    replay: Vec<Replaying>,
    /// Parts that are pinned to the CPU's memory, in percent of the parts that the kernel accesses: 0 to 100; that of the
    /// configuration if not given
    ///
    /// A pinned part is translated and never moves. Each access of a line of it takes the link, and no cache keeps the line.
    #[arg(long, value_name = "PERCENT", value_parser = integer_in::<u64>(0..=100))]
    pinned: Option<u64>,
    #[command(flatten)]
    second: Second,
    /// Let the rust-hdl kernels or the Verilog of each SM unit and of the GMMU take part: every output is compared in every cycle
    ///
    /// SMs are then around the block sm_unit, as with unit = "rtl" in the configuration.
    #[arg(
        long,
        default_value = "reference",
        value_name = "reference|rust-hdl|verilog"
    )]
    backend: Kind,
    /// Also count what the cycles of the SMs go to: an instruction is issued, or else the cause for which none is
    ///
    /// Of the warps on an SM the one that is nearest to an issue decides, and none at a barrier does, which waits for others.
    /// pipeline: its instruction is on its way through fetch, choice and issue; log: the operand log or the replay queue is full,
    /// and not only of instructions that wait for absent pages; scheme: the scheme stops the fetch or holds a source; arithmetic:
    /// arithmetic, a branch or shared memory; memory: coalescer, caches or DRAM; translation: a TLB miss; handler: of an
    /// exception; fault: an absent page; switching: a thread block on its way; empty: no thread block.
    #[arg(long)]
    stalls: bool,
    /// Also write the runs to this CSV file, a line each, with the fields of --json
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the use of the link and what each SM does over time to this file; of one workload under one scheme
    #[arg(long, value_name = "FILE.svg", value_parser = output::svg_file)]
    svg: Option<PathBuf>,
    /// Write what each SM, the handler and the link do to this file, for Perfetto (ui.perfetto.dev); of one workload under one
    /// scheme
    #[arg(long, value_name = "FILE.json")]
    trace_events: Option<PathBuf>,
    /// Put the restart theorem to so many random programs on random GPUs for each scheme instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = [
        "workloads", "scale", "blocks_per_sm", "preset", "config", "print_config", "print_schema", "sms", "log", "absent", "copied",
        "link", "granularity", "handling", "switching", "prefetch", "capacity", "eviction", "replay", "pinned", "backend", "stalls", "csv", "svg", "trace_events", "exceptions",
        "exception_cycles", "block_threads", "launch", "oldest_register", "hoist_loads", "no_offsets",
    ])]
    restart: Option<u64>,
    /// Seed of the first of these programs [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Write a report of these programs to this file, or of runs with another --backend, beside those with unit = "model"
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// The preset if neither an option nor a file names one.
pub(super) const PRESET: &str = "tanasic";

/// What to give as a configuration, in an error.
pub(super) const CONFIGURATION: &str = "give a configuration in TOML, as --print-config prints one";

/// The name of a preset.
fn preset(name: &str) -> std::result::Result<String, String> {
    let all: Vec<_> = Config::presets().collect();
    match all.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(format!("there are {}", all.join(", "))),
    }
}

impl Args {
    /// Whether the files can be written, and are several.
    fn check_files(&self) -> Result<()> {
        output::check_files(&[
            ("--csv", self.csv.as_deref()),
            ("--svg", self.svg.as_deref()),
            ("--trace-events", self.trace_events.as_deref()),
            ("--markdown", self.markdown.as_deref()),
        ])
    }

    /// Writes the files of a run; of the second kernel, if there is one, the name is given.
    fn write(
        &self,
        work: &Work,
        second: Option<&str>,
        config: &Config,
        outcome: &Outcome,
    ) -> Result<()> {
        let write = |path: &PathBuf, text: &str| {
            file::write_whole(path, text).map_err(|error| miette!("{error}"))
        };
        if let Some(path) = &self.svg {
            let svg = chart::svg(&work.name, second, config, outcome);
            write(path, &svg.map_err(|error| miette!("{error}"))?)?;
        }
        if let Some(path) = &self.trace_events {
            let events = events::events(&work.name, second, config, outcome);
            write(path, &format!("{events:#}\n"))?;
        }
        Ok(())
    }

    /// The GPU before its first cycle, as options say.
    fn gpu<'work>(&self, gpu: Gpu<'work>, is_parallel: bool) -> Gpu<'work> {
        let gpu = if self.stalls {
            gpu.counting_causes()
        } else {
            gpu
        };
        if is_parallel { gpu.in_parallel() } else { gpu }
    }

    /// Writes the rows of all runs as CSV.
    fn write_csv<Row: Serialize>(&self, rows: &[Row]) -> Result<()> {
        let Some(path) = &self.csv else {
            return Ok(());
        };
        let written = file::write_whole(path, &csv::csv(rows)?);
        written.map_err(|error| miette!("{error}"))
    }
}

/// What `--json` gives: the configuration but for schemes, switching, handling and policies, and the runs.
#[derive(Serialize)]
struct Results<'run> {
    configuration: &'run Config,
    rows: &'run [Row],
}

/// Runs the command.
///
/// # Errors
/// If an option makes no sense, a trace cannot be read, or a run does not come to its end, or to another one than it should.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0));
    let threads = threads.stack_size(STACK_BYTES).build();
    let threads = threads.map_err(|error| miette!("--threads: {error}"))?;
    if let Some(programs) = args.restart {
        let schemes = match args.scheme.is_empty() {
            true => Scheme::ALL.to_vec(),
            false => schemes(&args.scheme)?,
        };
        return threads.install(|| restart::run(programs, args, &schemes, global));
    }
    let is_compared = args.backend != Kind::Reference;
    for (option, other, is_given) in [
        ("--seed", "", args.seed.is_some()),
        (
            "--markdown",
            ", or verilog or rust-hdl as --backend",
            args.markdown.is_some() && !is_compared,
        ),
    ] {
        if is_given {
            return Err(miette!(
                "{option}: it is for random programs, so give --restart too{other}"
            ));
        }
    }
    args.second.check()?;
    if args.print_schema {
        return global.print_json(&Config::schema());
    }
    let configs = args.configs()?;
    if args.print_config {
        return match (&configs[..], global.json) {
            ([config], false) => global.print(config.to_toml().trim_end()),
            ([config], true) => global.print_json(config),
            _ => Err(miette!(
                "--print-config: give one scheme and one way of switching, of handling, of prefetching and of evicting"
            )),
        };
    }
    args.check_files()?;
    let names = args.run.chosen().into_iter();
    let names: Vec<String> = names.chain(args.second.name().cloned()).collect();
    args.run.check(&names)?;
    let works = threads.install(|| args.run.make())?;
    if args.second.is_given() {
        return second::run(args, &works, &configs, &threads, global);
    }
    if (args.svg.is_some() || args.trace_events.is_some()) && (works.len() > 1 || configs.len() > 1)
    {
        return Err(miette!(
            "--svg and --trace-events show one run: give one workload, one scheme and one way of switching, of handling, of prefetching and of evicting"
        ));
    }
    let blocks: usize = works.iter().map(Work::blocks).sum();
    let all = (blocks * configs.len()) as u64;
    let bar = Progress::new(all);
    let jobs: Vec<(&Work, &Config)> = works
        .iter()
        .flat_map(|work| configs.iter().map(move |config| (work, config)))
        .collect();
    // Runs side by side take less than one run on all threads.
    let is_parallel = jobs.len() < threads.current_num_threads();
    let outcomes = threads.install(|| {
        let outcomes = jobs
            .par_iter()
            .map(|(work, config)| one(args, args.backend, config, work, is_parallel, &bar));
        outcomes.collect::<Vec<Result<_>>>()
    });
    bar.finish();
    // Of several runs that fail, the first is named, whichever has ended first.
    let outcomes: Vec<(Outcome, Vec<Compared>)> = outcomes.into_iter().collect::<Result<_>>()?;
    if let ([(work, config)], [(outcome, _)]) = (&jobs[..], &outcomes[..]) {
        args.write(work, None, config, outcome)?;
    }
    let rows = jobs.iter().zip(&outcomes);
    let mut rows: Vec<Row> = rows
        .map(|((work, config), (outcome, compared))| Row::new(work, config, outcome).with(compared))
        .collect();
    for of_work in rows.chunks_mut(configs.len()) {
        let first = of_work[0].cycles as f64;
        for row in of_work {
            row.relative_percent = 100.0 * first / row.cycles.max(1) as f64;
        }
    }
    args.write_csv(&rows)?;
    if let Some(path) = &args.markdown {
        let varied = jobs.par_iter().map(|(work, config)| {
            let mut config = Config::clone(config);
            config.sm.unit = Unit::Model;
            let (outcome, _) = one(args, Kind::Reference, &config, work, is_parallel, &bar)?;
            Ok(Row::new(work, &config, &outcome))
        });
        let varied: Vec<Result<Row>> = threads.install(|| varied.collect());
        let varied: Vec<Row> = varied.into_iter().collect::<Result<_>>()?;
        let page = lockstep::markdown(args, &rows, &varied)?;
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&Results {
            configuration: &configs[0],
            rows: &rows,
        }),
        false => global.print(&text(
            &rows,
            configs[0].paging.absent,
            args.run.has_kernels(),
        )),
    }
}

/// Runs a workload under a scheme.
fn one(
    args: &Args,
    backend: Kind,
    config: &Config,
    work: &Work,
    is_parallel: bool,
    bar: &Progress,
) -> Result<(Outcome, Vec<Compared>)> {
    let scheme = config.sm.scheme.0.name();
    let failed =
        |place: &str, error: &dyn Display| miette!("{place}{} under {scheme}: {error}", work.name);
    let gpu = Gpu::new(&config.parameters(), work);
    let gpu = gpu.map_err(|error| failed(&args.place(&error), &error))?;
    let gpu = args.gpu(gpu, is_parallel);
    let ran = lockstep::run(backend, config, gpu, bar.follow());
    let (outcome, compared) = ran.map_err(|error| failed("", &error))?;
    match outcome.differences().first() {
        Some(difference) => Err(failed("", difference)),
        None => Ok((outcome, compared)),
    }
}

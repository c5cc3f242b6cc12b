//! `faultline cosim`: the reference, the kernel and its Verilog in lockstep.

use std::path::{Path, PathBuf};

use faultline_hw::registry::{Design, designs};
use faultline_synth::table::Grid;
use faultline_synth::tool::VERILATOR;
use faultline_testbench::backend::Kind;
use faultline_testbench::blocks;
use faultline_testbench::file;
use faultline_testbench::lockstep::{LONGEST_WINDOW, LockstepError, WINDOW};
use faultline_testbench::origin;
use faultline_testbench::replay;
use faultline_testbench::session::Session;
use faultline_testbench::wave;
use indicatif::ProgressBar;
use miette::{Result, miette};
use serde::Serialize;

use crate::Global;
use crate::flows::cost;
use crate::output::{check_files, fitted, grouped, progress, quoted, right, table, wave_file};
use crate::value::{integer_in, named};

/// Run reference, kernel and exported Verilog in lockstep, every output compared in every cycle
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Designs, such as operand_log_16k, or blocks, such as l2_tlb, at the paper's sizes; all blocks if none is given
    #[arg(
        value_name = "DESIGN",
        default_value = "all",
        hide_default_value = true
    )]
    designs: Vec<String>,
    /// Sizes, such as 64 or 8k,16k, or all; the paper's size if not given
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = named, hide = true)]
    config: Vec<String>,
    /// Clock cycles of each design
    #[arg(long, default_value_t = 20_000, value_parser = integer_in::<u64>(1..=u64::MAX))]
    cycles: u64,
    /// The same seed gives the same inputs
    #[arg(long, default_value_t = 1, value_parser = integer_in::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Implementations to compare: reference, rust-hdl, verilog; all that are built in if not given
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    backends: Vec<Kind>,
    /// Where the waveform goes, with a view for GTKWave (.gtkw) and one for Surfer (.sucl) beside it: of the cycles around a
    /// mismatch, or of the last ones if there is none
    #[arg(long, value_name = "FILE.fst", value_parser = wave_file)]
    wave: Option<PathBuf>,
    /// Cycles that the waveform shows, 1024 at most
    #[arg(long, value_name = "N", default_value_t = WINDOW, value_parser = integer_in::<u64>(1..=LONGEST_WINDOW))]
    wave_cycles: u64,
    /// Run the global-memory instructions of this GPU trace instead of random traffic, on the blocks that it can drive
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Also write what was run to this Markdown file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// Cycles that are searched for what a run has not seen.
const LONGEST_SEARCH: u64 = 1 << 20;
/// Cycles between two movements of the progress bar.
const STEP: u64 = 2048;

/// A back end of a design.
#[derive(Serialize)]
struct Row {
    block: String,
    config: String,
    backend: &'static str,
    cycles: u64,
    cycles_per_second: f64,
    /// Situations that the traffic brought about at least once, and those that it aims at.
    scenarios_seen: usize,
    scenarios: usize,
    /// The names of the others.
    scenarios_unseen: Vec<&'static str>,
    /// The cycles after which the traffic has brought about all of them, if it was tried and found.
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles_until_seen: Option<u64>,
    /// The lockstep of a design ends with its first one.
    mismatches: u64,
    mismatch: Option<String>,
}

/// Runs the designs one after the other, and prints what each back end did.
///
/// # Errors
/// If two back ends differ, if a design or a back end is not there, or if a file cannot be read or written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    let designs = asked_for(args)?;
    if args.wave.is_some() && designs.len() > 1 {
        return Err(miette!(
            "--wave is for one design; name it, or a block for its paper's size"
        ));
    }
    let views = args.wave.iter().filter(|path| is_new_or_file(path));
    let views: Vec<PathBuf> = views.flat_map(|path| wave::views(path)).collect();
    let mut files = vec![
        ("--wave", args.wave.as_deref()),
        ("--markdown", args.markdown.as_deref()),
    ];
    files.extend(
        views
            .iter()
            .map(|path| ("--wave's view", Some(path.as_path()))),
    );
    check_files(&files)?;
    let kinds: Vec<Kind> = if args.backends.is_empty() {
        Kind::built().collect()
    } else {
        args.backends.clone()
    };
    if kinds.iter().all(|kind| *kind == kinds[0]) {
        return Err(miette!(
            "one back end alone compares nothing; give --backends two of reference, rust-hdl and verilog"
        ));
    }
    let bar = progress(
        args.cycles.saturating_mul(designs.len() as u64),
        "{msg:20} {wide_bar} {human_pos}/{human_len} cycles {eta}",
    );
    let mut rows = Vec::new();
    let mut mismatches = Vec::new();
    for (block, config) in designs {
        bar.set_message(format!("{block} {config}"));
        let (session, mismatch) = lockstep(args, &block, &config, &kinds, &bar)?;
        let coverage = session.coverage();
        let is_seen = coverage.iter().all(|(_, times)| *times > 0);
        let until_seen = match is_seen || mismatch.is_some() || args.trace.is_some() {
            true => None,
            false => cycles_until_seen(&block, &config, args)?,
        };
        rows.extend(session.speeds().map(|speed| {
            Row {
                block: block.clone(),
                config: config.clone(),
                backend: speed.kind.name(),
                cycles: speed.cycles,
                cycles_per_second: speed.cycles_per_second().round(),
                scenarios_seen: coverage.iter().filter(|(_, times)| *times > 0).count(),
                scenarios: coverage.len(),
                scenarios_unseen: coverage
                    .iter()
                    .filter(|(_, times)| *times == 0)
                    .map(|(name, _)| *name)
                    .collect(),
                cycles_until_seen: until_seen,
                mismatches: u64::from(mismatch.is_some()),
                mismatch: mismatch.clone(),
            }
        }));
        mismatches.extend(mismatch);
    }
    bar.finish_and_clear();
    if let Some(path) = &args.markdown {
        let page = markdown(args, &rows, &origin(&rows)?);
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    if global.json {
        global.print_json(&rows)?
    } else {
        global.print(&text(&rows))?
    }
    match mismatches.as_slice() {
        [] => Ok(()),
        found => Err(miette!("{}", found.join("\n"))),
    }
}

/// The cycles after which the random traffic has brought about all that it aims at: the reference alone is run, which takes
/// a moment, as far as [`LONGEST_SEARCH`].
fn cycles_until_seen(block: &str, config: &str, args: &Args) -> Result<Option<u64>> {
    let session = blocks::session(block, config, &[Kind::Reference], args.seed);
    let mut session = session.map_err(|error| miette!("{error}"))?;
    while session.cycles() < LONGEST_SEARCH {
        session.run(STEP).map_err(|error| miette!("{error}"))?;
        if session.coverage().iter().all(|(_, times)| *times > 0) {
            return Ok(Some(session.cycles()));
        }
    }
    Ok(None)
}

/// Whether a waveform there can be opened again, and so has views: it is no device.
fn is_new_or_file(path: &Path) -> bool {
    path.is_file() || !path.exists()
}

/// Blocks and configurations that were asked for, each once.
fn asked_for(args: &Args) -> Result<Vec<(String, String)>> {
    let registered = designs();
    let takes = |block: &&str| args.trace.is_none() || blocks::takes_traces(block);
    let is_chosen = |config: &str| {
        args.config
            .iter()
            .any(|asked| [config, "all"].contains(&asked.as_str()))
    };
    // With several blocks, a size is that of the blocks which have it.
    let sizes = |block: &str| -> Vec<&'static str> {
        match args.config.is_empty() {
            true => vec![blocks::default_configuration(block)],
            false => blocks::configurations(block)
                .filter(|config| is_chosen(config))
                .collect(),
        }
    };
    let mut chosen: Vec<(String, String)> = Vec::new();
    let mut add = |block: &str, config: &str| {
        let design = (block.to_owned(), config.to_owned());
        if !chosen.contains(&design) {
            chosen.push(design);
        }
    };
    for name in &args.designs {
        let design = registered.iter().find(|design| design.name == name);
        let design = design.filter(|design| {
            blocks::configurations(design.block).any(|config| config == design.config)
        });
        if let Some(design) = design {
            add(design.block, design.config);
        } else if name == "all" {
            for block in blocks::names().filter(takes) {
                sizes(block).iter().for_each(|config| add(block, config));
            }
        } else if blocks::names().any(|block| block == name) {
            sizes(name).iter().for_each(|config| add(name, config));
        } else {
            return Err(cost::unknown(name, &registered, ", and all"));
        }
    }
    let unknown = args
        .config
        .iter()
        .find(|config| *config != "all" && !chosen.iter().any(|(_, size)| size == *config));
    match (unknown, args.designs.as_slice()) {
        (Some(config), [block]) if block != "all" => Err(miette!(
            "there is no design {block} {config}; {}",
            blocks::known()
        )),
        (Some(config), _) => Err(miette!(
            "no block has the configuration {config}; {}",
            blocks::known()
        )),
        (None, _) => Ok(chosen),
    }
}

/// Runs a design. The first mismatch ends it, and is told with its waveform.
fn lockstep(
    args: &Args,
    block: &str,
    config: &str,
    kinds: &[Kind],
    bar: &ProgressBar,
) -> Result<(Session, Option<String>)> {
    let session = match &args.trace {
        None => blocks::session(block, config, kinds, args.seed),
        Some(path) => {
            let kernels = replay::kernels(path).map_err(|error| miette!("{error}"))?;
            blocks::replay_session(block, config, kinds, kernels, args.seed)
        }
    };
    let mut session = session.map_err(|error| miette!("{error}"))?;
    let wave = args
        .wave
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{block}_{config}.fst")));
    session.show_cycles(args.wave_cycles);
    session.wave_on_mismatch(&wave);
    let mismatch = match advance(&mut session, args.cycles, bar) {
        Ok(()) => None,
        Err(LockstepError::Mismatch(mismatch)) => Some(mismatch.to_string()),
        Err(error) => return Err(miette!("{error}")),
    };
    if let (None, Some(path)) = (&mismatch, &args.wave) {
        session
            .write_wave(path)
            .map_err(|error| miette!("{error}"))?;
    }
    Ok((session, mismatch))
}

fn advance(
    session: &mut Session,
    cycles: u64,
    bar: &ProgressBar,
) -> std::result::Result<(), LockstepError> {
    let mut left = cycles;
    while left > 0 {
        let step = left.min(STEP);
        session.run(step)?;
        bar.inc(step);
        left -= step;
    }
    Ok(())
}

const HEADINGS: [&str; 7] = [
    "block",
    "config",
    "back end",
    "cycles",
    "cycles/s",
    "scenarios",
    "mismatches",
];

fn cells(row: &Row) -> [String; 7] {
    [
        row.block.clone(),
        row.config.clone(),
        row.backend.to_owned(),
        grouped(row.cycles),
        grouped(row.cycles_per_second as u64),
        format!("{} of {}", row.scenarios_seen, row.scenarios),
        row.mismatches.to_string(),
    ]
}

fn text(rows: &[Row]) -> String {
    let mut table = table(&HEADINGS);
    for row in rows {
        let cells = cells(row);
        let (names, numbers) = cells.split_at(3);
        let names = names.iter().map(comfy_table::Cell::new);
        table.add_row(names.chain(numbers.iter().map(right)));
    }
    let unseen = unseen(rows).into_iter().map(|line| format!("\n{line}"));
    fitted(&table) + &unseen.collect::<String>()
}

/// A line for each design whose traffic has not brought about all that it aims at.
fn unseen(rows: &[Row]) -> Vec<String> {
    let design = |row: &Row| format!("{} {}", row.block, row.config);
    let mut lines: Vec<String> = rows
        .iter()
        .filter(|row| !row.scenarios_unseen.is_empty())
        .map(|row| {
            let unseen = row.scenarios_unseen.join(", ");
            let told = match row.cycles_until_seen {
                Some(cycles) => format!("; --cycles {cycles} does"),
                None => String::new(),
            };
            format!(
                "{} has not seen {unseen} in {} cycles{told}",
                design(row),
                grouped(row.cycles)
            )
        })
        .collect();
    lines.dedup();
    lines
}

/// The designs of these rows, in the registry's order.
fn of_rows(rows: &[Row]) -> Vec<Design> {
    let is_run = |design: &Design| {
        rows.iter()
            .any(|row| row.block == design.block && row.config == design.config)
    };
    designs().into_iter().filter(is_run).collect()
}

/// What the designs of these rows are made of.
fn origin(rows: &[Row]) -> Result<String> {
    origin::verilog(&of_rows(rows)).map_err(|error| miette!("{error}"))
}

/// What was run, as a page.
fn markdown(args: &Args, rows: &[Row], origin: &str) -> String {
    let of_rows = of_rows(rows);
    let names: Vec<&str> = of_rows.iter().map(|design| design.name).collect();
    let mut command = format!("faultline cosim {}", names.join(" "));
    command += &format!(" --cycles {} --seed {}", args.cycles, args.seed);
    if !args.backends.is_empty() {
        let names: Vec<_> = args.backends.iter().map(|kind| kind.name()).collect();
        command += &format!(" --backends {}", names.join(","));
    }
    if let Some(trace) = &args.trace {
        let name = trace.file_name().unwrap_or_default().to_string_lossy();
        command += &format!(" --trace {}", quoted(name));
    }
    let grid = Grid {
        title: format!(
            "# Lockstep\n\nGenerated by `{command}`{}. {origin}.\n\nEvery output of every back end was \
             compared in every cycle; a lockstep ends with its first mismatch. The speeds are of \
             this run, beside whatever else the machine did. A scenario is a situation that the \
             traffic aims at, such as a full queue that is asked for an entry.",
            match rows.iter().any(|row| row.backend == Kind::Verilog.name()) {
                true => format!(
                    " with Verilator {}",
                    VERILATOR.version().unwrap_or_else(|| "unknown".to_owned())
                ),
                false => String::new(),
            }
        ),
        headings: HEADINGS.map(str::to_owned).to_vec(),
        rows: rows.iter().map(|row| cells(row).to_vec()).collect(),
    };
    unseen(rows)
        .into_iter()
        .fold(grid.markdown(), |page, line| page + "\n" + &line + ".\n")
}

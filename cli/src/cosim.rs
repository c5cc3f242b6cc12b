//! `faultline cosim`: the reference, the kernel and its Verilog in lockstep.

use std::path::PathBuf;

use faultline_testbench::backend::Kind;
use faultline_testbench::blocks;
use faultline_testbench::lockstep::{LockstepError, Speed};
use faultline_testbench::replay;
use faultline_testbench::session::Session;
use indicatif::ProgressBar;
use miette::{Result, miette};
use serde::Serialize;

use crate::Global;
use crate::output::{grouped, progress, right, table};

/// Run reference, kernel and exported Verilog in lockstep, every output compared in every cycle
#[derive(clap::Args, Debug)]
pub struct Args {
    /// replay_queue, operand_log, or all
    #[arg(default_value = "all")]
    block: String,
    /// A size, such as 64 or 16k, or all; the paper's size if not given
    #[arg(long)]
    config: Option<String>,
    /// Clock cycles of each design
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    cycles: u64,
    /// The same seed gives the same inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Implementations to compare: reference, rust-hdl, verilog; all that are built in if not given
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    backends: Vec<Kind>,
    /// Where the waveform goes: of the cycles around a mismatch, or of the last ones if there is none
    #[arg(long, value_name = "FILE.fst")]
    wave: Option<PathBuf>,
    /// Run the global-memory instructions of this GPU trace instead of random traffic
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

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
    /// The lockstep of a design ends with its first one.
    mismatches: u64,
    mismatch: Option<String>,
}

/// Runs the designs one after the other, and prints what each back end did.
///
/// # Errors
/// If two back ends differ, if a design or a back end is not there, or if a file cannot be read or written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    let designs = designs(args)?;
    if args.wave.is_some() && designs.len() > 1 {
        return Err(miette!(
            "--wave is for one design; name a block and, unless its paper's size is meant, --config"
        ));
    }
    let kinds: Vec<Kind> = if args.backends.is_empty() {
        Kind::built().collect()
    } else {
        args.backends.clone()
    };
    let bar = progress(
        args.cycles * designs.len() as u64,
        "{msg:20} {wide_bar} {human_pos}/{human_len} cycles {eta}",
    );
    let mut rows = Vec::new();
    let mut mismatches = Vec::new();
    for (block, config) in designs {
        bar.set_message(format!("{block} {config}"));
        let (speeds, mismatch) = lockstep(args, &block, &config, &kinds, &bar)?;
        rows.extend(speeds.into_iter().map(|speed| Row {
            block: block.clone(),
            config: config.clone(),
            backend: speed.kind.name(),
            cycles: speed.cycles,
            cycles_per_second: speed.cycles_per_second().round(),
            mismatches: u64::from(mismatch.is_some()),
            mismatch: mismatch.clone(),
        }));
        mismatches.extend(mismatch);
    }
    bar.finish_and_clear();
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

/// Blocks and configurations that were asked for.
fn designs(args: &Args) -> Result<Vec<(String, String)>> {
    let blocks: Vec<&str> = if args.block == "all" {
        blocks::names().collect()
    } else {
        vec![&args.block]
    };
    let mut designs = Vec::new();
    for block in blocks {
        let known: Vec<_> = blocks::configurations(block).collect();
        match args.config.as_deref() {
            Some("all") => designs.extend(
                known
                    .iter()
                    .map(|config| (block.to_owned(), (*config).to_owned())),
            ),
            // With all blocks, a size is that of the blocks which have it.
            Some(config) if args.block == "all" && !known.contains(&config) => {}
            Some(config) => designs.push((block.to_owned(), config.to_owned())),
            None => designs.push((
                block.to_owned(),
                blocks::default_configuration(block).to_owned(),
            )),
        }
    }
    if designs.is_empty() {
        return Err(miette!(
            "no block has the configuration {}; {}",
            args.config.as_deref().unwrap_or(""),
            blocks::known()
        ));
    }
    Ok(designs)
}

/// Runs a design. The first mismatch ends it, and is told with its waveform.
fn lockstep(
    args: &Args,
    block: &str,
    config: &str,
    kinds: &[Kind],
    bar: &ProgressBar,
) -> Result<(Vec<Speed>, Option<String>)> {
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
    Ok((session.speeds().collect(), mismatch))
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

fn text(rows: &[Row]) -> String {
    let mut table = table(&[
        "block",
        "config",
        "back end",
        "cycles",
        "cycles/s",
        "mismatches",
    ]);
    for row in rows {
        let speed = grouped(row.cycles_per_second as u64);
        let cells = [row.block.as_str(), &row.config, row.backend].map(comfy_table::Cell::new);
        let numbers = [grouped(row.cycles), speed, row.mismatches.to_string()].map(right);
        table.add_row(cells.into_iter().chain(numbers));
    }
    table.to_string()
}

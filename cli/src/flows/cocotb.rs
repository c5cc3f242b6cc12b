//! `faultline cocotb`: a test bench in Python for users who have only the Verilog.

use std::path::PathBuf;

use comfy_table::Cell;
use faultline_hw::registry::{Design, Tag, designs};
use faultline_synth::kit::Files;
use faultline_testbench::vectors;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::Serialize;

use crate::Global;
use crate::flows::cost;
use crate::flows::kit;
use crate::output::{fitted, grouped, progress, right, table};
use crate::value::{integer_in, named};

/// Write a cocotb test bench of each design: its Verilog, the reference's inputs and outputs in each cycle, and a Makefile
///
/// A folder stands alone: `make` in it runs the test bench in Icarus Verilog, `make SIM=verilator` in Verilator.
#[derive(clap::Args)]
pub struct Args {
    /// Designs, such as replay_queue_64; all that `faultline export` writes if none is given
    #[arg(value_parser = named)]
    design: Vec<String>,
    /// Clock cycles of random traffic, after a reset
    #[arg(long, default_value_t = 10_000, value_parser = integer_in::<u64>(1..=1_000_000))]
    cycles: u64,
    /// The same seed gives the same traffic
    #[arg(long, default_value_t = 1, value_parser = integer_in::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Folder to write to, with a folder for each design; it is made if it is not there
    #[arg(long, value_name = "DIR", default_value = "cocotb-out")]
    out: PathBuf,
}

/// The version of cocotb that the test benches were run with, beside 1.9.2.
const COCOTB: &str = "2.1.0";

const BENCH: &str = include_str!("cocotb/bench.py");
const MAKEFILE: &str = include_str!("cocotb/Makefile");
const README: &str = include_str!("cocotb/README.md");

/// The test bench of a design.
#[derive(Serialize)]
struct Row {
    design: &'static str,
    block: &'static str,
    config: &'static str,
    folder: PathBuf,
    /// Those of the traffic; a few in reset come before them.
    cycles: u64,
    /// Situations that the traffic brings about, and those that it aims at.
    scenarios_seen: usize,
    scenarios: usize,
    verilog_files: usize,
}

/// Runs the command.
///
/// # Errors
/// If there is no such design, it cannot be exported, or a file cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    let designs = chosen(&args.design)?;
    let bar = progress(
        designs.len() as u64,
        "{wide_bar} {human_pos}/{human_len} designs {eta}",
    );
    let made: Vec<(Row, Files)> = designs
        .par_iter()
        .map(|design| {
            let made = test_bench(design, args)?;
            bar.inc(1);
            Ok(made)
        })
        .collect::<Result<_>>()?;
    bar.finish_and_clear();
    let (rows, folders): (Vec<Row>, Vec<_>) = made
        .into_iter()
        .map(|(row, files)| {
            let folder = (row.folder.clone(), files);
            (row, folder)
        })
        .unzip();
    kit::write(&folders)?;
    if global.json {
        return global.print_json(&rows);
    }
    let mut shown = table(&["design", "files", "cycles", "scenarios", "folder"]);
    for row in &rows {
        let numbers = [
            row.verilog_files.to_string(),
            grouped(row.cycles),
            format!("{} of {}", row.scenarios_seen, row.scenarios),
        ];
        let mut cells = vec![Cell::new(row.design)];
        cells.extend(numbers.iter().map(right));
        cells.push(Cell::new(row.folder.display()));
        shown.add_row(cells);
    }
    global.print(&fitted(&shown))
}

/// The designs of these names, or those that are exported where nothing is chosen.
fn chosen(names: &[String]) -> Result<Vec<Design>> {
    if !names.is_empty() {
        return cost::of_names(names);
    }
    let mut found = designs();
    found.retain(|design| !design.is(Tag::Alike));
    Ok(found)
}

/// All that a folder holds.
fn test_bench(design: &Design, args: &Args) -> Result<(Row, Files)> {
    let Design {
        name,
        block,
        config,
        ..
    } = *design;
    let export = design
        .export()
        .map_err(|error| miette!("{name}: {error}"))?;
    let vectors = vectors::vectors(block, config, args.cycles, args.seed)
        .map_err(|error| miette!("{error}"))?;
    let seen = vectors.coverage.iter().filter(|(_, times)| *times > 0);
    let seen = seen.count();
    let command = format!(
        "faultline cocotb {name} --cycles {} --seed {}",
        args.cycles, args.seed
    );
    let filled = |template: &str| {
        template
            .replace("@TOP@", name)
            .replace("@BLOCK@", block)
            .replace("@COCOTB@", COCOTB)
            .replace("@COMMAND@", &command)
            .replace(
                "@SEEN@",
                &format!("{seen} of the {}", vectors.coverage.len()),
            )
    };
    let files: Vec<(String, String)> = export
        .files
        .iter()
        .map(|file| (file.name.clone(), file.text.clone()))
        .collect();
    let modules: Vec<&str> = export
        .memories
        .iter()
        .map(|memory| memory.module.as_str())
        .collect();
    let memories: String = faultline_synth::kit::instances(name, &files, &modules)
        .into_iter()
        .map(|(path, _)| format!("memory {path}\n"))
        .collect();
    let list: String = export
        .files
        .iter()
        .map(|file| format!("{}\n", file.name))
        .collect();
    let mut files = Files::from([
        ("README.md".to_owned(), filled(README)),
        ("Makefile".to_owned(), filled(MAKEFILE)),
        (format!("test_{name}.py"), BENCH.to_owned()),
        (
            "vectors.txt".to_owned(),
            format!("# {command}\n{memories}{}", vectors.text),
        ),
        (format!("rtl/{name}.f"), list),
    ]);
    let row = Row {
        design: name,
        block,
        config,
        folder: args.out.join(name),
        cycles: args.cycles,
        scenarios_seen: seen,
        scenarios: vectors.coverage.len(),
        verilog_files: export.files.len(),
    };
    let verilog = export.files.into_iter();
    files.extend(verilog.map(|file| (format!("rtl/{}", file.name), file.text)));
    Ok((row, files))
}

//! `faultline sram`: what the memory macros cost, how the table of them is made, and the views that a layout flow reads.

use std::path::{Path, PathBuf};

use faultline_hw::registry::designs;
use faultline_synth::kit::Files;
use faultline_synth::sram::compiled::openram::{self, OpenRam};
use faultline_synth::sram::{Cacti, Macro, NANGATE45, Sram, Table, Views};
use faultline_synth::yosys::Memory;
use faultline_testbench::file;
use miette::{Result, miette};
use serde::Serialize;

use crate::Global;
use crate::output::{fitted, progress, right, table as table_of};

/// Print the table of memory macros, measure it again with CACTI, or write the macros of the designs for a layout flow.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Measure every row with the installed CACTI (on PATH, or the variable CACTI) and write this file
    #[arg(long, value_name = "FILE")]
    pub regenerate: Option<PathBuf>,
    /// Of OpenRAM's macros and not CACTI's. The folder keeps what the OpenRAM in the Python of the variable OPENRAM (or python3)
    /// makes for --regenerate, which takes minutes for each macro that is not there yet
    #[arg(
        long,
        value_name = "DIR",
        requires = "regenerate",
        conflicts_with = "macros"
    )]
    pub openram: Option<PathBuf>,
    /// Write Liberty, LEF, a black box and a model of each shape that a measured design uses to this folder, for NanGate 45
    #[arg(long, value_name = "DIR", conflicts_with = "regenerate")]
    pub macros: Option<PathBuf>,
}

/// The memories of the designs whose cost is of interest, each shape once.
fn shapes() -> Vec<Memory> {
    let mut shapes: Vec<Memory> = designs()
        .iter()
        .filter(|design| design.is_measured())
        .flat_map(|design| (design.build)().memories())
        .map(crate::flows::kit::memory)
        .collect();
    shapes.sort_by_key(|memory| (memory.words, memory.bits, memory.masked));
    shapes.dedup_by(|one, other| one.module == other.module);
    shapes
}

/// Writes the views of every shape.
fn write_macros(table: &Table, folder: &Path, global: &Global) -> Result<()> {
    let sram = Sram::Table(table.clone());
    let mut files = Files::new();
    let mut rows = Vec::new();
    for memory in shapes() {
        let views = Views::new(&memory, &sram, &NANGATE45).map_err(|error| miette!("{error}"))?;
        let (width, height) = views.size_nm();
        rows.push(Row {
            module: memory.module,
            words: memory.words,
            bits: memory.bits,
            masked: memory.masked,
            width_um: width as f64 / 1e3,
            height_um: height as f64 / 1e3,
        });
        files.extend(views.files());
    }
    let count = files.len();
    crate::flows::kit::write(&[(folder.to_owned(), files)])?;
    if global.json {
        return global.print_json(&rows);
    }
    let mut shown = table_of(&["macro", "words", "bits", "width um", "height um"]);
    for row in &rows {
        shown.add_row(vec![
            (&row.module).into(),
            right(row.words),
            right(row.bits),
            right(format!("{:.2}", row.width_um)),
            right(format!("{:.2}", row.height_um)),
        ]);
    }
    global.print(&format!(
        "{}\n{count} files written in {}",
        fitted(&shown),
        folder.display()
    ))
}

/// What `--json` gives for a macro.
#[derive(Serialize)]
struct Row {
    module: String,
    words: usize,
    bits: usize,
    masked: bool,
    width_um: f64,
    height_um: f64,
}

/// Measures the table of OpenRAM's macros again.
fn openram(folder: &Path, path: &Path, global: &Global) -> Result<()> {
    file::check_writable(path).map_err(|error| miette!("{error}"))?;
    let openram = OpenRam::find().map_err(|error| miette!("{error}"))?;
    let bar = progress(0, "{wide_bar} {pos}/{len} macros {elapsed}");
    bar.enable_steady_tick(std::time::Duration::from_millis(500));
    let table = openram::Table::measure(&openram, folder, |done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let table = table.map_err(|error| miette!("{error}"))?;
    let text = table.to_toml().map_err(|error| miette!("{error}"))?;
    file::write_whole(path, text).map_err(|error| miette!("{error}"))?;
    if global.json {
        return global.print_json(&table);
    }
    let shown = shown(
        table
            .rows
            .iter()
            .map(|row| (row.words, row.bits, row.figures)),
    );
    global.print(&format!("{}\n{}", fitted(&shown), table.provenance))
}

/// Macros as a table.
fn shown(rows: impl Iterator<Item = (usize, usize, Macro)>) -> comfy_table::Table {
    let headings = [
        "words",
        "bits",
        "um2",
        "leakage mW",
        "read pJ",
        "write pJ",
        "access ns",
        "cycle ns",
    ];
    let mut shown = table_of(&headings);
    for (words, bits, figures) in rows {
        shown.add_row(vec![
            right(words),
            right(bits),
            right(format!("{:.0}", figures.area_mm2 * 1e6)),
            right(format!(
                "{:.4}",
                figures.leakage_mw + figures.gate_leakage_mw
            )),
            right(format!("{:.2}", figures.read_pj)),
            right(format!("{:.2}", figures.write_pj)),
            right(format!("{:.3}", figures.access_ns)),
            right(format!("{:.3}", figures.cycle_ns)),
        ]);
    }
    shown
}

/// Runs the command.
///
/// # Errors
/// If CACTI is wanted and missing or fails, a macro has no figures, or a file cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    if let (Some(folder), Some(path)) = (&args.openram, &args.regenerate) {
        return openram(folder, path, global);
    }
    let macros = match &args.regenerate {
        None => Table::embedded().map_err(|error| miette!("{error}"))?,
        Some(path) => {
            let cacti = Cacti::find().map_err(|error| miette!("{error}"))?;
            let bar = progress(0, "{wide_bar} {pos}/{len} macros");
            let macros = Table::measure(&cacti, |done, total| {
                bar.set_length(total as u64);
                bar.set_position(done as u64);
            });
            bar.finish_and_clear();
            let macros = macros.map_err(|error| miette!("{error}"))?;
            file::write_whole(path, macros.to_toml()).map_err(|error| miette!("{error}"))?;
            macros
        }
    };
    if let Some(folder) = &args.macros {
        return write_macros(&macros, folder, global);
    }
    if global.json {
        return global.print_json(&macros);
    }
    let mut shown = table_of(&[
        "setting",
        "nm",
        "words",
        "bits",
        "um2",
        "leakage mW",
        "read pJ",
        "write pJ",
        "access ns",
        "cycle ns",
    ]);
    for row in &macros.rows {
        let (shape, figures) = (&row.shape, &row.figures);
        shown.add_row(vec![
            shape.setting.name().into(),
            right(shape.node_nm),
            right(shape.words),
            right(shape.bits),
            right(format!("{:.0}", figures.area_mm2 * 1e6)),
            right(format!(
                "{:.3}",
                figures.leakage_mw + figures.gate_leakage_mw
            )),
            right(format!("{:.2}", figures.read_pj)),
            right(format!("{:.2}", figures.write_pj)),
            right(format!("{:.3}", figures.access_ns)),
            right(format!("{:.3}", figures.cycle_ns)),
        ]);
    }
    global.print(&format!("{}\n{}", fitted(&shown), macros.provenance))
}

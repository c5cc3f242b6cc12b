//! `faultline library`: the embedded cell library, how it is made, and how near it is to a full one.

use std::path::{Path, PathBuf};

use faultline_synth::cells;
use faultline_synth::cells::fit::{self, Deviation};
use faultline_synth::library::Library;
use faultline_testbench::file;
use miette::{Result, miette};
use serde::Serialize;

use crate::Global;
use crate::flows::cost::Synthesis;
use crate::output::{fitted, right, table};
use crate::value::integer_in;

mod against;
mod engines;

/// Print the embedded cell library, write it, compare it with a full one, or make it again.
#[derive(clap::Args, Debug)]
#[command(group(clap::ArgGroup::new("comparison").args(["against", "opensta"])))]
#[command(mut_arg("target", |target| target.requires("comparison")))]
#[command(mut_arg("mapping", |mapping| mapping.requires("comparison")))]
pub struct Args {
    /// Write the embedded library as a Liberty file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["comparison", "fit"])]
    pub write: Option<PathBuf>,
    /// Map, time and simulate designs with this library (.lib or .lib.gz) and with the embedded one
    #[arg(long, value_name = "LIBRARY", conflicts_with = "fit")]
    pub against: Option<PathBuf>,
    /// Calculate the power of designs with each of these libraries (.lib or .lib.gz, or `embedded`) by Faultline and by OpenSTA 3 or
    /// newer, from the same activity
    #[arg(long, value_delimiter = ',', value_name = "LIBRARIES", conflicts_with_all = ["against", "fit"])]
    pub opensta: Vec<PathBuf>,
    /// Designs to compare, or blocks for their designs; `tops` stands for all that a flow is given as a whole, `measured` for
    /// all but those for proofs [default: replay_queue_64 operand_log_16k]
    #[arg(value_name = "DESIGN", requires = "comparison")]
    pub design: Vec<String>,
    /// The same, as a list
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "replay_queue_64,operand_log_16k",
        hide_default_value = true,
        conflicts_with = "design",
        value_name = "NAMES",
        requires = "comparison",
        hide = true
    )]
    pub designs: Vec<String>,
    /// Clock cycles of random traffic for the power
    #[arg(
        long,
        default_value_t = 2_000,
        value_parser = integer_in::<u64>(1..=u64::from(u32::MAX)),
        requires = "comparison"
    )]
    pub cycles: u64,
    #[command(flatten)]
    pub synthesis: Synthesis,
    /// Also write the comparison to this Markdown file
    #[arg(long, value_name = "FILE", requires = "comparison")]
    pub markdown: Option<PathBuf>,
    /// Fit the table of cells to this library (.lib or .lib.gz)
    #[arg(long, value_name = "LIBRARY", requires = "table")]
    pub fit: Option<PathBuf>,
    /// Where the fitted table goes
    #[arg(long, value_name = "FILE", requires = "fit")]
    pub table: Option<PathBuf>,
}

impl Args {
    /// The names of designs that were given, either way.
    pub fn names(&self) -> &[String] {
        match self.design.as_slice() {
            [] => &self.designs,
            given => given,
        }
    }
}

/// What `--json` gives for a cell.
#[derive(Serialize)]
struct Cell {
    cell: String,
    function: String,
    area_um2: f64,
    leakage_nw: f64,
    max_load_ff: f64,
}

/// Runs the command.
///
/// # Errors
/// If a library cannot be used, a design is not there, a tool fails, or a file cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    crate::output::check_files(&[
        ("--write", args.write.as_deref()),
        ("--markdown", args.markdown.as_deref()),
        ("--table", args.table.as_deref()),
    ])?;
    if let Some(path) = &args.against {
        return against::run(args, path, global);
    }
    if !args.opensta.is_empty() {
        return engines::run(args, global);
    }
    if let (Some(library), Some(output)) = (&args.fit, &args.table) {
        return fit_table(library, output, global);
    }
    if let Some(path) = &args.write {
        file::write_whole(path, cells::liberty()).map_err(|error| miette!("{error}"))?;
    }
    show(global)
}

fn show(global: &Global) -> Result<()> {
    let mut rows = Vec::new();
    for family in &cells::table().families {
        for size in &family.sizes {
            rows.push(Cell {
                cell: family.cell(size.drive),
                function: match (&family.flip_flop, family.outputs.first()) {
                    (Some(flip_flop), _) => format!("{} at {}", flip_flop.data, flip_flop.clock),
                    (None, Some(output)) => output.function.clone(),
                    (None, None) => String::new(),
                },
                area_um2: size.area,
                leakage_nw: size.leakage,
                max_load_ff: size.max_load.first().copied().unwrap_or_default(),
            });
        }
    }
    if global.json {
        return global.print_json(&rows);
    }
    let mut shown = table(&["cell", "function", "um2", "leakage nW", "largest load fF"]);
    for row in &rows {
        shown.add_row(vec![
            row.cell.as_str().into(),
            row.function.as_str().into(),
            right(format!("{:.3}", row.area_um2)),
            right(format!("{:.1}", row.leakage_nw)),
            right(format!("{:.0}", row.max_load_ff)),
        ]);
    }
    global.print(&fitted(&shown))
}

fn fit_table(library: &Path, output: &Path, global: &Global) -> Result<()> {
    let full = Library::read(library).map_err(|error| miette!("{error}"))?;
    let (table_of_cells, deviations) = fit::fit(&library.display().to_string(), full.text())
        .map_err(|error| miette!("{error}"))?;
    let text = table_of_cells
        .to_toml(&format!("the library {}", full.name()))
        .map_err(|error| miette!("the table cannot be written as TOML: {error}"))?;
    file::write_whole(output, &text).map_err(|error| miette!("{error}"))?;
    let summary = summary(&deviations);
    if global.json {
        return global.print_json(&summary);
    }
    let mut shown = table(&["quantity", "mean deviation %", "worst arc", "its mean %"]);
    for row in &summary {
        shown.add_row(vec![
            row.quantity.into(),
            right(format!("{:.2}", row.mean_percent)),
            row.worst_arc.as_str().into(),
            right(format!("{:.2}", row.worst_arc_percent)),
        ]);
    }
    global.print(&fitted(&shown))
}

/// How good the fits of one quantity are.
#[derive(Serialize)]
struct Quality {
    quantity: &'static str,
    mean_percent: f64,
    worst_arc: String,
    worst_arc_percent: f64,
}

fn summary(deviations: &[Deviation]) -> Vec<Quality> {
    let mut rows: Vec<Quality> = Vec::new();
    for one in deviations {
        if rows.iter().any(|row| row.quantity == one.quantity) {
            continue;
        }
        let same = || {
            deviations
                .iter()
                .filter(|other| other.quantity == one.quantity)
        };
        let worst = same()
            .max_by(|one, other| one.mean.total_cmp(&other.mean))
            .unwrap_or(one);
        rows.push(Quality {
            quantity: one.quantity,
            mean_percent: 100.0 * same().map(|one| one.mean).sum::<f64>() / same().count() as f64,
            worst_arc: worst.arc.clone(),
            worst_arc_percent: 100.0 * worst.mean,
        });
    }
    rows
}

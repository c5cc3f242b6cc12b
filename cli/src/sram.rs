//! `faultline sram`: what the memory macros cost, and how the table of them is made.

use std::path::PathBuf;

use faultline_synth::sram::{Cacti, Table};
use faultline_testbench::file;
use miette::{Result, miette};

use crate::Global;
use crate::output::{progress, right, table};

/// Print the table of memory macros, or measure it again with CACTI.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Measure every row with the installed CACTI (on PATH, or the variable CACTI) and write this file
    #[arg(long, value_name = "FILE")]
    pub regenerate: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// If CACTI is wanted and missing or fails, or the file cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
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
    if global.json {
        return global.print_json(&macros);
    }
    let mut shown = table(&[
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
    global.print(&format!("{shown}\n{}", macros.provenance))
}

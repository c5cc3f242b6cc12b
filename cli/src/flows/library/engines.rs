//! Power by Faultline beside power by OpenSTA.

use std::path::Path;

use faultline_synth::cost::Flow;
use faultline_synth::library::Library;
use faultline_synth::power::beside::Conditions;
use faultline_synth::power::{beside, opensta};
use faultline_synth::sram::{Sram, Table};
use faultline_synth::table::Grid;
use faultline_testbench::{file, origin};
use miette::{Result, miette};

use super::Args;
use crate::Global;
use crate::flows::cost;
use crate::flows::power::drive;
use crate::output::quoted;

/// The name of the embedded library in a list of files.
const EMBEDDED: &str = "embedded";

/// Calculates, prints, and writes the page.
///
/// # Errors
/// If a library cannot be used, a design is not there, a tool fails, or a file cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    let failed = |error: faultline_synth::Error| miette!("{error}");
    opensta::check().map_err(failed)?;
    let designs = cost::of_names(args.names())?;
    let subjects = cost::subjects(&designs)?;
    let random = drive::random(args.cycles);
    let sram = Sram::Table(Table::embedded().map_err(failed)?);
    let mut rows = Vec::new();
    for path in &args.opensta {
        let library = match path == Path::new(EMBEDDED) {
            true => Library::embedded(),
            false => Library::read(path),
        };
        let library = library.map_err(failed)?;
        let flow = Flow {
            library: &library,
            sram: &sram,
            compiled: None,
            node_nm: None,
            target_ps: args.synthesis.target,
            mapping: args.synthesis.mapping(),
        };
        rows.extend(cost::each(&subjects, "calculating", |subject| {
            beside::row(subject, &flow, &random).map_err(failed)
        })?);
    }
    let singles = beside::singles().map_err(failed)?;
    if let Some(output) = &args.markdown {
        let origin = origin::verilog(&designs).map_err(|error| miette!("{error}"))?;
        let text = beside::markdown(&rows, &singles, &command(args), &origin);
        file::write_whole(output, text).map_err(|error| miette!("{error}"))?;
    }
    if global.json {
        return global.print_json(&rows);
    }
    let grids = beside::grids(&rows, &singles);
    let drawn: Vec<String> = grids.iter().map(Grid::terminal).collect();
    let verdicts = [Conditions::AsTheyAre, Conditions::Plain];
    let verdicts = verdicts.map(|conditions| beside::verdict(&rows, conditions));
    global.print(&format!(
        "{}\n\n{}",
        drawn.join("\n\n"),
        verdicts.join("\n")
    ))
}

/// The command that makes the page again; of a library, its file name is enough.
fn command(args: &Args) -> String {
    let names = args.opensta.iter();
    let names = names.map(|path| path.file_name().unwrap_or_default().to_string_lossy());
    let names: Vec<_> = names.collect();
    format!(
        "faultline library --opensta {} {} --cycles {} {}",
        quoted(names.join(",")),
        args.names().join(" "),
        args.cycles,
        args.synthesis.command()
    )
}

//! The embedded library beside a full one.

use std::path::Path;

use faultline_synth::cells::compare::{self, Comparison};
use faultline_synth::cost::Flow;
use faultline_synth::library::Library;
use faultline_synth::sram::{Sram, Table};
use faultline_testbench::{file, origin};
use miette::{Result, miette};

use super::Args;
use crate::Global;
use crate::flows::cost;
use crate::flows::power::drive;
use crate::output::quoted;

/// Compares, prints, and writes the page.
///
/// # Errors
/// If the library cannot be used, a design is not there, a tool fails, or a file cannot be written.
pub fn run(args: &Args, path: &Path, global: &Global) -> Result<()> {
    let failed = |error: faultline_synth::Error| miette!("{error}");
    let designs = cost::of_names(args.names())?;
    cost::check_tools()?;
    let library = Library::read(path).map_err(failed)?;
    let embedded = Library::embedded().map_err(failed)?;
    let flow = Flow {
        library: &library,
        sram: &Sram::Table(Table::embedded().map_err(failed)?),
        compiled: None,
        node_nm: None,
        target_ps: args.synthesis.target,
        mapping: args.synthesis.mapping(),
    };
    let subjects = cost::subjects(&designs)?;
    let random = drive::random(args.cycles);
    let rows = cost::each(&subjects, "comparing", |subject| {
        compare::row(subject, &flow, &embedded, &random).map_err(failed)
    })?;
    let comparison = Comparison::new(&flow, rows);
    if let Some(output) = &args.markdown {
        let origin = origin::verilog(&designs).map_err(|error| miette!("{error}"))?;
        let text = comparison.markdown(&command(args, path), &origin);
        file::write_whole(output, text).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&comparison),
        false => global.print(&format!(
            "{}\n\n{} {}",
            comparison.grid().terminal(),
            comparison.verdict(),
            comparison.provenance()
        )),
    }
}

/// The command that makes a comparison again; of the library, its file name is enough.
fn command(args: &Args, library: &Path) -> String {
    let name = library.file_name().unwrap_or_default().to_string_lossy();
    let designs = args.names().join(" ");
    format!(
        "faultline library --against {} {designs} --cycles {} {}",
        quoted(name),
        args.cycles,
        args.synthesis.command()
    )
}

//! Makes `synth/data/cells45.toml` again from a full library:
//! `cargo run --release -p faultline-synth --example fit_cells -- FILE [TABLE]`.

use faultline_synth::cells::fit;
use faultline_synth::library::Library;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(library) = arguments.next() else {
        eprintln!("fit_cells: give the Liberty file (.lib or .lib.gz) to fit the table to");
        return ExitCode::FAILURE;
    };
    let table = arguments.next().map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("data/cells45.toml"),
        PathBuf::from,
    );
    match run(Path::new(&library), &table) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("fit_cells: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(path: &Path, output: &Path) -> Result<(), String> {
    let library = Library::read(path).map_err(|error| error.to_string())?;
    let origin = path.display().to_string();
    let (table, deviations) =
        fit::fit(&origin, library.text()).map_err(|error| error.to_string())?;
    for quantity in ["delay_rise", "delay_fall", "slew_rise", "slew_fall"] {
        let chosen: Vec<_> = deviations
            .iter()
            .filter(|deviation| deviation.quantity == quantity)
            .collect();
        let mean = chosen.iter().map(|one| one.mean).sum::<f64>() / chosen.len() as f64;
        if let Some(worst) = chosen
            .iter()
            .max_by(|one, other| one.mean.total_cmp(&other.mean))
        {
            println!(
                "{quantity}: mean deviation {:.2} %, worst arc {} with {:.2} %, worst point {:.1} %",
                100.0 * mean,
                worst.arc,
                100.0 * worst.mean,
                100.0 * chosen.iter().map(|one| one.worst).fold(0.0, f64::max),
            );
        }
    }
    let text = table
        .to_toml(&format!("the library {}", library.name()))
        .map_err(|error| format!("the table does not become TOML: {error}"))?;
    let scratch = output.with_extension("toml.new");
    std::fs::write(&scratch, text)
        .and_then(|()| std::fs::rename(&scratch, output))
        .map_err(|error| format!("{}: cannot write: {error}", output.display()))
}

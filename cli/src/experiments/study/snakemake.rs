//! A study as a workflow of Snakemake.

use std::path::{Path, PathBuf};

use miette::{Result, miette};

use super::results::{Results, write};
use super::runs::Study;
use crate::value::distinct;

/// Writes the workflow of a study to a folder, and returns its file.
///
/// # Errors
/// If it cannot be written.
pub fn write_workflow(
    folder: &Path,
    study: &Study,
    path: &Path,
    results: &Results,
    program: &Path,
) -> Result<PathBuf> {
    let shown = folder.display();
    if folder.exists() && !folder.is_dir() {
        return Err(miette!(
            "--snakemake {shown}: this is no folder; give one, which may be new"
        ));
    }
    let failed = |error: std::io::Error| {
        miette!("--snakemake {shown}: the folder cannot be written ({error}); give another one")
    };
    let whole = |path: &Path| {
        let path = std::path::absolute(path).map_err(failed)?;
        let text = path.to_str().filter(|text| !text.contains(['{', '}']));
        let text = text.map(str::to_owned);
        text.ok_or_else(|| {
            let path = path.display();
            miette!("{path}: Snakemake takes no such name; give a path of text without braces")
        })
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    // What the runs are gathered into, and how.
    let (table, gathered) = match study.file.figures {
        None => (format!("{name}.csv"), "--csv {output:q}"),
        Some(_) => (
            format!("{name}/figures.md"),
            "--folder $(dirname {output:q})",
        ),
    };
    let table = folder.join(table);
    let hashes = distinct(study.runs.iter().map(|run| &run.hash).collect());
    let hashes = hashes.iter().map(|hash| format!("    \"{hash}\",\n"));
    let hashes: String = hashes.collect();
    let text = format!(
        "# A study's runs and their table, written by `faultline study --snakemake`, version {version}.\n\
         # On this machine:     snakemake -s {snakefile} --cores 2\n\
         # With Slurm:          snakemake -s {snakefile} --executor slurm --jobs 10\n\
         # --config faultline=PATH names another faultline. All of these paths are the same on every machine.\n\
         \n\
         FAULTLINE = config.get(\"faultline\", {program})\n\
         STUDY = {study}\n\
         RESULTS = {results}\n\
         TABLE = {table}\n\
         # What decides a run, as a hash. A run whose result is there is not run again.\n\
         RUNS = [\n{hashes}]\n\
         \n\
         workdir: {workdir}\n\
         \n\
         localrules: table\n\
         \n\
         rule table:\n    \
             input: [f\"{{RESULTS}}/{{run}}.json\" for run in RUNS]\n    \
             output: TABLE\n    \
             shell: \"{{FAULTLINE:q}} study --gather --results {{RESULTS:q}} {gathered} -- {{STUDY:q}} > /dev/null\"\n\
         \n\
         rule run:\n    \
             output: RESULTS + \"/{{run}}.json\"\n    \
             wildcard_constraints: run=\"[0-9a-f]{{64}}\"\n    \
             threads: 1\n    \
             retries: 1\n    \
             resources: mem_mb=2000, runtime=1440\n    \
             shell: \"{{FAULTLINE:q}} study --run {{wildcards.run}} --results {{RESULTS:q}} -- {{STUDY:q}}\"\n",
        version = env!("CARGO_PKG_VERSION"),
        snakefile = whole(&folder.join("Snakefile"))?,
        program = python(&whole(program)?),
        study = python(&whole(path)?),
        results = python(&whole(&results.folder)?),
        table = python(&whole(&table)?),
        workdir = python(&whole(folder)?),
    );
    let file = folder.join("Snakefile");
    std::fs::create_dir_all(folder).map_err(failed)?;
    write(&file, &text)?;
    Ok(file)
}

/// A text of Python, which has the escapes of JSON among its own.
fn python(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

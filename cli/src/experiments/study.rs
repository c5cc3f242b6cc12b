//! `faultline study`: many runs of the GPU, gathered into one table.

mod digest;
mod figures;
mod file;
mod results;
mod runs;
mod schema;
mod snakemake;
mod table;
mod workers;
mod workload;

use std::path::PathBuf;
use std::time::Duration;

use indicatif::FormattedDuration;
use miette::{Result, miette};
use schemars::SchemaGenerator;
use serde::Serialize;

use self::file::{StudyFile, Tables};
use self::results::Results;
use self::runs::{Run, Study};
use self::table::Table;
use self::workers::Workers;
use crate::Global;
use crate::output::{self, counted, grouped, quoted};
use crate::value::integer_in;

/// Run all combinations of a study's workloads and values on the GPU, several at once, and gather them into one table
///
/// A study can also name figures of `faultline figures`; then each kernel is a run, and the results are drawn.
///
/// Each run is a process of its own, with a result in a file that the hash of what decides it names: workload, configuration
/// and version. A run whose result is there is not run again, so a study that was cut off goes on where it was. A process
/// that dies is started once again. The table is in the order of the file.
#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("instead").multiple(false))]
pub struct Args {
    /// Which workloads, which GPU, and what differs between the runs; docs/guide.md has an example
    #[arg(value_name = "FILE.toml", required_unless_present = "print_schema")]
    file: Option<PathBuf>,
    /// Folder of the results, a file each run [default: FILE-results, beside the file]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// Runs at once [default: the machine's threads]
    #[arg(long, value_name = "N", value_parser = integer_in::<usize>(1..=1024), conflicts_with = "instead")]
    jobs: Option<usize>,
    /// Also write the table to this CSV file, with the fields of --json
    #[arg(long, value_name = "FILE", conflicts_with_all = ["run", "snakemake", "print_schema"])]
    csv: Option<PathBuf>,
    /// Of a study of figures: write report, pictures and numbers to this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["run", "snakemake", "print_schema", "csv"])]
    folder: Option<PathBuf>,
    /// Write a workflow of Snakemake for the same table or figures to this folder, and run nothing
    #[arg(long, value_name = "DIR", group = "instead")]
    snakemake: Option<PathBuf>,
    /// Run the run of this hash alone, in this process
    #[arg(long, value_name = "HASH", group = "instead")]
    run: Option<String>,
    /// Make the table of results that are there, and run nothing
    #[arg(long, group = "instead")]
    gather: bool,
    /// Print what a file may say, as a JSON schema for editors, and run nothing
    #[arg(long, group = "instead")]
    print_schema: bool,
    /// The process of the study that has started this run
    #[arg(long, hide = true, requires = "run")]
    parent: Option<i32>,
}

/// What `--snakemake --json` gives.
#[derive(Serialize)]
struct Workflow {
    file: PathBuf,
    runs: usize,
}

/// Runs the command.
///
/// # Errors
/// If the file makes no sense, a run fails, or a result is missing.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    if let Some(parent) = args.parent {
        workers::follow(parent)?;
    }
    let Some(path) = args.file.as_ref().filter(|_| !args.print_schema) else {
        return global.print_json(&SchemaGenerator::default().into_root_schema_for::<Tables>());
    };
    let study = Study::new(StudyFile::read(path)?)?;
    match (&study.file.figures, &args.csv, &args.folder) {
        (Some(_), Some(_), _) => {
            return Err(miette!("--csv: figures are no one table; give --folder"));
        }
        (None, _, Some(_)) => {
            return Err(miette!("--folder: this is no study of figures; give --csv"));
        }
        _ => {}
    }
    let folder = args.results.clone().unwrap_or_else(|| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!("{name}-results"))
    });
    let results = Results { folder };
    if let Some(hash) = &args.run {
        let run = study.runs.iter().find(|run| run.hash == *hash);
        let run = run.ok_or_else(|| {
            let path = path.display();
            miette!("{path}: no run has the hash {hash}; the file, a file that it names, or the command has changed")
        })?;
        results.prepare()?;
        return results.make(&study, run);
    }
    let program =
        std::env::current_exe().map_err(|error| miette!("the command's file: {error}"))?;
    if let Some(folder) = &args.snakemake {
        let file = snakemake::write_workflow(folder, &study, path, &results, &program)?;
        if global.json {
            let runs = study.runs.len();
            return global.print_json(&Workflow { file, runs });
        }
        let runs = counted(study.runs.len() as u64, "run", "runs");
        let file = quoted(file.display());
        return global.print(&format!(
            "{runs}. On this machine: snakemake -s {file} --cores 2\nWith Slurm: snakemake -s {file} --executor slurm --jobs 10"
        ));
    }
    output::check_files(&[("--csv", args.csv.as_deref())])?;
    if !args.gather {
        results.prepare()?;
        let mut pending: Vec<&Run> = Vec::new();
        for run in &study.runs {
            let is_new = pending.iter().all(|other| other.hash != run.hash);
            if is_new && results.rows(run).is_none() {
                pending.push(run);
            }
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = Workers {
            study: &study,
            path: path.clone(),
            results: &results,
            program,
            jobs: args.jobs.unwrap_or(threads),
        };
        let failures = workers.run(&pending);
        if let Some(first) = failures.first() {
            let failed = counted(failures.len() as u64, "run has", "runs have");
            return Err(miette!(
                "{failed} failed of {}; the first: {first}",
                grouped(study.runs.len() as u64)
            ));
        }
    }
    results.all(&study)?;
    if let Some(seconds) = results.cpu_seconds(&study) {
        let runs = counted(study.runs.len() as u64, "run has", "runs have");
        let time = FormattedDuration(Duration::from_secs_f64(seconds));
        output::note(&format_args!("{runs} taken {time} of processor time"));
    }
    if let Some(figures) = &study.file.figures {
        let all = figures.draw(&study.runs, &results)?;
        if let Some(folder) = &args.folder {
            figures::write(folder, path, &all)?;
        }
        return super::figures::show(&all, global);
    }
    let table = Table::gather(&study, &results, path.display().to_string())?;
    if let Some(csv) = &args.csv {
        results::write(csv, &table.csv()?)?;
    }
    match global.json {
        true => global.print_json(&table),
        false => global.print(&table.text()),
    }
}

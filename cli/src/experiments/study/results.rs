//! The results of runs: a file each, which is there whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use faultline_sim::machines::gpu::{Config, Gpu};
use faultline_testbench::file;
use miette::{Result, miette};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use super::runs::{Choice, Job, Run, Study};
use crate::experiments::gpu::rows::Row;
use crate::experiments::ordered::Value;
use crate::output::{counted, grouped};

/// What a file holds.
#[derive(Serialize)]
struct Stored<'run> {
    /// The hash of the run.
    run: &'run str,
    /// The command's version.
    version: &'static str,
    /// Time of all processors that the process of the run has taken, seconds.
    cpu_s: f64,
    /// The GPU; of figures, nothing, for they have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<&'run Config>,
    /// A row for each kernel of the workload; of figures, one with all that their kernel has counted.
    rows: Vec<Value>,
}

/// A folder of results.
pub struct Results {
    pub folder: PathBuf,
}

impl Results {
    /// The file of a run.
    fn path(&self, run: &Run) -> PathBuf {
        self.folder.join(format!("{}.json", run.hash))
    }

    /// The file of a run; nothing if it is not there, or not whole.
    fn stored(&self, run: &Run) -> Option<Value> {
        let text = fs::read(self.path(run)).ok()?;
        let stored: Value = serde_json::from_slice(&text).ok()?;
        let is_own = stored.field("run") == Some(&Value::Text(run.hash.clone()));
        is_own.then_some(stored)
    }

    /// The rows of a run; nothing if they are not there, or not whole.
    pub fn rows(&self, run: &Run) -> Option<Vec<Value>> {
        match self.stored(run)?.field("rows") {
            Some(Value::List(rows)) if !rows.is_empty() => Some(rows.clone()),
            _ => None,
        }
    }

    /// The time of processors that the runs of a study have taken, in seconds; nothing if a result does not say.
    pub fn cpu_seconds(&self, study: &Study) -> Option<f64> {
        let of_run = |run: &Run| self.stored(run)?.field("cpu_s")?.number();
        study.runs.iter().map(of_run).sum()
    }

    /// The rows of all runs of a study.
    ///
    /// # Errors
    /// If one is missing.
    pub fn all(&self, study: &Study) -> Result<Vec<Vec<Value>>> {
        let rows = study.runs.iter().map(|run| self.rows(run));
        let rows: Vec<Option<Vec<Value>>> = rows.collect();
        let missing = study.runs.iter().zip(&rows);
        let missing: Vec<&Run> = missing
            .filter(|(_, rows)| rows.is_none())
            .map(|(run, _)| run)
            .collect();
        let Some(first) = missing.first() else {
            return Ok(rows.into_iter().flatten().collect());
        };
        let results = counted(missing.len() as u64, "result is", "results are");
        Err(miette!(
            "{results} missing of {} runs, the first that of {} ({})",
            grouped(study.runs.len() as u64),
            study.described(first),
            first.hash
        ))
    }

    /// Makes the folder, and fails if nothing can be written there.
    ///
    /// # Errors
    /// If it cannot be made or written.
    pub fn prepare(&self) -> Result<()> {
        let failed = |error: std::io::Error| {
            let folder = self.folder.display();
            miette!(
                "{folder}: the folder of results cannot be made ({error}); give another with --results"
            )
        };
        fs::create_dir_all(&self.folder).map_err(failed)?;
        file::check_writable(&self.folder.join("result.json")).map_err(|error| miette!("{error}"))
    }

    /// Runs a run, and writes its result.
    ///
    /// # Errors
    /// If it does not come to its end, or to another one than it should, or its result cannot be written.
    pub fn make(&self, study: &Study, run: &Run) -> Result<()> {
        let failed = |error: &dyn std::fmt::Display| miette!("{}: {error}", study.described(run));
        let (configuration, rows) = match (&run.job, &study.file.figures) {
            (Job::Gpu(choice), _) => (
                Some(&choice.config),
                on_gpu(study, choice).map_err(|error| failed(&error))?,
            ),
            (Job::Figure(part), Some(figures)) => {
                let rows = figures.run(*part).map_err(|error| failed(&error))?;
                (None, vec![rows])
            }
            (Job::Figure(_), None) => return Err(failed(&"this is no study of figures")),
        };
        let stored = Stored {
            run: &run.hash,
            version: env!("CARGO_PKG_VERSION"),
            cpu_s: cpu_seconds(),
            configuration,
            rows,
        };
        let text = serde_json::to_string_pretty(&stored).map_err(|error| failed(&error))?;
        write(&self.path(run), &format!("{text}\n"))
    }
}

/// The time of processors that this process has taken, seconds.
fn cpu_seconds() -> f64 {
    let taken = clock_gettime(ClockId::ProcessCPUTime);
    taken.tv_sec as f64 + taken.tv_nsec as f64 / 1e9
}

/// The rows of a workload's kernels on a GPU.
fn on_gpu(study: &Study, choice: &Choice) -> Result<Vec<Value>> {
    let mut rows = Vec::new();
    for work in study.file.workloads[choice.workload].works()? {
        let gpu = Gpu::new(&choice.config.parameters(), &work);
        let gpu = gpu.map_err(|error| miette!("{error}"))?;
        let outcome = gpu.run(|_| {}).map_err(|error| miette!("{error}"))?;
        if let Some(difference) = outcome.differences().first() {
            return Err(miette!("{difference}"));
        }
        let row = Value::of(&Row::new(&work, &choice.config, &outcome));
        rows.push(of_kernel(row.map_err(|error| miette!("{error}"))?));
    }
    Ok(rows)
}

/// Writes a file whole or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, text: &str) -> Result<()> {
    file::write_whole(path, text).map_err(|error| miette!("{error}"))
}

/// The row of a kernel: its name is the kernel's, and it is not compared with another run.
fn of_kernel(row: Value) -> Value {
    let Value::Table(fields) = row else {
        return row;
    };
    let fields = fields
        .into_iter()
        .filter(|(name, _)| name != "relative_percent");
    let fields = fields.map(|(name, value)| match &*name {
        "workload" => ("kernel".to_owned(), value),
        _ => (name, value),
    });
    Value::Table(fields.collect())
}

//! The results of runs: a file each, which is there whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use faultline_sim::machines::gpu::{Config, Gpu};
use faultline_testbench::file;
use miette::{Result, miette};
use serde::Serialize;

use super::runs::{Run, Study};
use crate::experiments::gpu::rows::Row;
use crate::experiments::ordered::Value;

/// What a file holds.
#[derive(Serialize)]
struct Stored<'run> {
    /// The hash of the run.
    run: &'run str,
    /// The command's version.
    version: &'static str,
    configuration: &'run Config,
    /// A row for each kernel of the workload.
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

    /// The rows of a run; nothing if they are not there, or not whole.
    pub fn rows(&self, run: &Run) -> Option<Vec<Value>> {
        let text = fs::read(self.path(run)).ok()?;
        let stored: Value = serde_json::from_slice(&text).ok()?;
        let is_own = stored.field("run") == Some(&Value::Text(run.hash.clone()));
        match stored.field("rows") {
            Some(Value::List(rows)) if is_own && !rows.is_empty() => Some(rows.clone()),
            _ => None,
        }
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
        let works = study.file.workloads[run.workload].works();
        let mut rows = Vec::new();
        for work in works.map_err(|error| failed(&error))? {
            let gpu = Gpu::new(&run.config.parameters(), &work).map_err(|error| failed(&error))?;
            let outcome = gpu.run(|_| {}).map_err(|error| failed(&error))?;
            if let Some(difference) = outcome.differences().first() {
                return Err(failed(difference));
            }
            let row = Value::of(&Row::new(&work, &run.config, &outcome));
            rows.push(of_kernel(row.map_err(|error| failed(&error))?));
        }
        let stored = Stored {
            run: &run.hash,
            version: env!("CARGO_PKG_VERSION"),
            configuration: &run.config,
            rows,
        };
        let text = serde_json::to_string_pretty(&stored).map_err(|error| failed(&error))?;
        write(&self.path(run), &format!("{text}\n"))
    }
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

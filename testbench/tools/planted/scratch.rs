//! A copy of the reference models with a program that runs trials of the restart theorem.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::Found;
use crate::bugs::Bug;

/// What is copied of the project: the models, and what Cargo reads beside them.
const COPIED: [&str; 5] = [
    "Cargo.toml",
    "Cargo.lock",
    "sim",
    "xtask/ledger",
    "examples/model_only",
];
/// The program that runs the trials, and its manifest.
const RUNNER: &str = include_str!("runner.rs");
const MANIFEST: &str = "[package]\nname = \"runner\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
                        [dependencies]\nfaultline-sim = { path = \"../sim\" }\n";

pub struct Scratch {
    folder: TempDir,
}

/// The sentence of an error about a file.
fn at(path: &Path) -> impl Fn(std::io::Error) -> String + '_ {
    move |error| format!("{}: {error}", path.display())
}

impl Scratch {
    /// A copy without a bug.
    pub fn new() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for name in COPIED {
            copy(&root.join(name), &folder.path().join(name))?;
        }
        let scratch = Self { folder };
        scratch.change("Cargo.toml", |text| {
            let members = text.lines().find(|line| line.starts_with("members = "));
            let members = members.ok_or("Cargo.toml names no members")?;
            let defaults = "default-members = [\"cli\"]\n";
            Ok(text
                .replace(members, "members = [\"sim\", \"xtask/ledger\", \"runner\"]")
                .replace(defaults, ""))
        })?;
        scratch.write("runner/Cargo.toml", MANIFEST)?;
        scratch.write("runner/src/main.rs", RUNNER)?;
        Ok(scratch)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.path(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(at(folder))?;
        }
        fs::write(&path, text).map_err(at(&path))
    }

    /// Changes a file, and gives what it was.
    fn change(
        &self,
        name: &str,
        change: impl FnOnce(&str) -> Result<String, String>,
    ) -> Result<String, String> {
        let path = self.path(name);
        let text = fs::read_to_string(&path).map_err(at(&path))?;
        let changed = change(&text).map_err(|error| format!("{name}: {error}"))?;
        self.write(name, &changed)?;
        Ok(text)
    }

    /// Does something while a bug is there.
    pub fn with<T>(
        &self,
        bug: &Bug,
        what: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        let name = format!("sim/src/{}", bug.file);
        let before = self.change(&name, |text| bug.plant(text))?;
        let result = what();
        self.write(&name, &before)?;
        result.map_err(|error| format!("{}: {error}", bug.bug))
    }

    /// Runs so many programs for each scheme, up to the first that fails.
    pub fn trials(&self, programs: u64) -> Result<Found, String> {
        let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
        cargo
            .args([
                "run",
                "--quiet",
                "--release",
                "--offline",
                "-p",
                "runner",
                "--",
            ])
            .arg(programs.to_string())
            .env("CARGO_TARGET_DIR", self.path("target"))
            .current_dir(self.folder.path());
        let output = cargo
            .output()
            .map_err(|error| format!("cargo does not run: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            return Err(format!(
                "the trials do not run: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            ));
        }
        let mut fields = text.trim().splitn(3, '\t').map(str::to_owned);
        match (fields.next(), fields.next(), fields.next()) {
            (Some(seed), Some(scheme), Some(failure)) => Ok(Some((seed, scheme, failure))),
            _ => Ok(None),
        }
    }
}

/// Copies a file or a folder, but for what was built there.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    if !from.is_dir() {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(at(folder))?;
        }
        fs::copy(from, to).map_err(at(from))?;
        return Ok(());
    }
    fs::create_dir_all(to).map_err(at(to))?;
    for entry in fs::read_dir(from).map_err(at(from))? {
        let name = entry.map_err(at(from))?.file_name();
        if name != "target" {
            copy(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}

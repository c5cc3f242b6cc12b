//! The table of what has been proved, which the proofs' tests read and this alone writes: see `testbench/tests/proofs/table.rs`.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::root;

/// The table, while the proofs run.
pub struct Table {
    /// The file in which they leave their rows.
    rows: PathBuf,
}

impl Table {
    /// Sets where the proofs leave their rows, and which tenth of the known rows is proved again: the number of commits
    /// chooses it, so each tenth has its turn.
    pub fn begin(proofs: &mut Command) -> Self {
        let rows = root().join("target/proved.tsv");
        // What an earlier run has left says nothing of this one.
        let _ = fs::remove_file(&rows);
        let count = Command::new("git")
            .args(["rev-list", "--count", "HEAD"])
            .current_dir(root())
            .output();
        let commits: Option<u64> = count
            .ok()
            .and_then(|output| String::from_utf8(output.stdout).ok()?.trim().parse().ok());
        proofs.env("FAULTLINE_PROVED_ROWS", &rows);
        // An archive without its history has no number of commits, and nobody's turn comes.
        if let Some(commits) = commits {
            proofs.env("FAULTLINE_PROVED_TURN", (commits % 10).to_string());
        }
        Self { rows }
    }

    /// Writes what the proofs have shown, and leaves out what no proof asks for any more.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn end(&self) -> Result<(), String> {
        let path = root().join("testbench/proofs/proved.tsv");
        let text = fs::read_to_string(&self.rows)
            .map_err(|error| format!("{} cannot be read ({error})", self.rows.display()))?;
        let rows: BTreeSet<&str> = text.lines().collect();
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        if fs::read_to_string(&path).is_ok_and(|before| before == text) {
            return Ok(());
        }
        println!("{} rows in {}", rows.len(), path.display());
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

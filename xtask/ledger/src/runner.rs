//! The runner's side: it says which slice is run, and writes the ledger from what the tests report.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fmt, fs};

use crate::{COMMITTED, Obligation, REPORTS, Rows, SLICE, SLICES, add};

/// The first lines of the ledger.
const HEADER: &str = "\
# The obligations that were met, with the hash of all that each depends on; `xtask/ledger` says how it works.
# `cargo xtask test` alone writes this file.

[met]
";

/// What became of the obligations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// They were met now.
    pub run: usize,
    /// They were met before, by the same inputs.
    pub reused: usize,
    /// They could not be tried, with the reason.
    pub missing: Vec<String>,
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (run, reused, missing) = (self.run, self.reused, self.missing.len());
        write!(formatter, "{run} run, {reused} reused, {missing} missing")
    }
}

/// A run of tests with a ledger.
#[derive(Clone, Debug)]
pub struct Runner {
    ledger: PathBuf,
    reports: PathBuf,
    slice: Option<String>,
}

impl Runner {
    /// Begins a run in this workspace; `all` runs every obligation.
    #[must_use]
    pub fn begin(root: &Path, all: bool) -> Self {
        let reports = root.join("target/ledger.tsv");
        // What an earlier run has left says nothing of this one.
        let _ = fs::remove_file(&reports);
        let slice = match all {
            true => Some("all".to_owned()),
            // An archive without its history has no number of commits, and no slice.
            false => commits(root).map(|commits| (commits % u64::from(SLICES)).to_string()),
        };
        Self {
            ledger: root.join("testbench/ledger.toml"),
            reports,
            slice,
        }
    }

    /// Has a command's tests report.
    pub fn follow(&self, tests: &mut Command) {
        tests.env(REPORTS, &self.reports);
        if let Some(slice) = &self.slice {
            tests.env(SLICE, slice);
        }
    }

    /// Meets an obligation of the runner's own: what was found now, or what its valid row knows. Nothing if a tool is missing.
    ///
    /// # Errors
    /// Those of `find`; the obligation is not met then, and has no row.
    pub fn find(
        &self,
        obligation: Obligation,
        find: impl FnOnce() -> Result<String, String>,
    ) -> Result<Option<String>, String> {
        let mut failed = None;
        let (found, report) = obligation.settle(&COMMITTED, self.slice.as_deref(), || {
            find().unwrap_or_else(|error| {
                failed = Some(error);
                String::new()
            })
        });
        match failed {
            Some(error) => Err(error),
            None => {
                add(&self.reports, &report);
                Ok(found)
            }
        }
    }

    /// Writes the ledger: the obligations that were met now or before, and no other.
    ///
    /// # Errors
    /// If a file cannot be read or written, or two obligations have one name.
    pub fn end(&self) -> Result<Counts, String> {
        let text = fs::read_to_string(&self.reports).unwrap_or_default();
        let (rows, counts) = summary(&text)?;
        let mut ledger = HEADER.to_owned();
        for (name, value) in &rows {
            ledger += &format!("{name:?} = {value:?}\n");
        }
        if fs::read_to_string(&self.ledger).is_ok_and(|before| before == ledger) {
            return Ok(counts);
        }
        println!("{} rows in {}", rows.len(), self.ledger.display());
        fs::write(&self.ledger, ledger)
            .map_err(|error| format!("{}: {error}", self.ledger.display()))?;
        Ok(counts)
    }
}

fn commits(root: &Path) -> Option<u64> {
    let mut count = Command::new("git");
    count
        .args(["rev-list", "--count", "HEAD"])
        .current_dir(root);
    let output = count.output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn summary(reports: &str) -> Result<(Rows, Counts), String> {
    let (mut rows, mut counts) = (BTreeMap::new(), Counts::default());
    for line in reports.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [state, name, value] = words[..] else {
            return Err(format!("a test reported {line:?}"));
        };
        match state {
            "missing" => {
                counts.missing.push(format!("{name} ({value})"));
                continue;
            }
            "reused" => counts.reused += 1,
            _ => counts.run += 1,
        }
        let other = rows.insert(name.to_owned(), value.to_owned());
        if other.is_some_and(|other| other != value) {
            return Err(format!("two obligations are called {name:?}"));
        }
    }
    Ok((rows, counts))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot go on panics

    use super::*;

    #[test]
    fn what_the_runner_finds_is_a_row_and_what_fails_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for sub in ["target", "testbench"] {
            fs::create_dir(root.join(sub)).unwrap();
        }
        let runner = Runner::begin(root, true);
        let lint = |tool: &str| Obligation::new("lints", tool);
        let found = runner.find(lint("Yosys"), || Ok("version 3\thead".to_owned()));
        assert_eq!(found.unwrap().as_deref(), Some("version 3 head"));
        let failed = runner.find(lint("slang"), || Err("it warned".to_owned()));
        assert_eq!(failed.unwrap_err(), "it warned");
        assert_eq!(runner.end().unwrap().run, 1);
        let rows = crate::rows(&fs::read_to_string(root.join("testbench/ledger.toml")).unwrap());
        assert!(rows["lints: Yosys"].ends_with(" version 3 head") && rows.len() == 1);
    }

    #[test]
    fn rows_of_what_was_met_stay_and_others_go() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for sub in ["target", "testbench"] {
            fs::create_dir(root.join(sub)).unwrap();
        }
        let ledger = root.join("testbench/ledger.toml");
        fs::write(&ledger, "[met]\n\"queue: failed\" = \"1\"\n").unwrap();
        let runner = Runner::begin(root, true);
        let reports = "run\tqueue: G1\t2a 7\nreused\tlog: G1\t3b\nmissing\tkit: KLayout\tit is not installed\n";
        fs::write(&runner.reports, reports).unwrap();
        let counts = runner.end().unwrap();
        assert_eq!(counts.to_string(), "1 run, 1 reused, 1 missing");
        assert_eq!(counts.missing, ["kit: KLayout (it is not installed)"]);
        let rows = crate::rows(&fs::read_to_string(&ledger).unwrap());
        let expected = [("log: G1", "3b"), ("queue: G1", "2a 7")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(rows, BTreeMap::from(expected));
    }

    #[test]
    fn two_obligations_of_one_name_are_an_error() {
        let sentence = summary("run\tqueue: G1\t1\nrun\tqueue: G1\t2\n").unwrap_err();
        assert_eq!(sentence, "two obligations are called \"queue: G1\"");
        assert!(summary("run\tqueue: G1\t1\nreused\tqueue: G1\t1\n").is_ok());
    }
}

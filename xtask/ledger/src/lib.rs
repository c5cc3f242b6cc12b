//! The ledger of obligations.
//!
//! An *obligation* is a test that takes long: a proof, a kit, a long lockstep. Its *key* is the SHA-256 of all that its
//! result depends on: Verilog, scripts, sources of the harness, versions of the tools. Comments are no input. The committed *ledger*
//! (`testbench/ledger.toml`) has a row for each obligation that was met, with its key. An obligation with a valid row is
//! reused; any other one is run. `cargo xtask test` alone writes the ledger, from what its tests report: an obligation that
//! failed, was skipped or ran out of time reports nothing, and so loses its row.
//!
//! A row could be forged, or a key could leave out an input. So obligations fall into ten slices, and each run of
//! `cargo xtask test` runs one slice whatever the ledger says: the one whose number is the number of commits modulo 10.
//!
//! Without the runner, as under `cargo test`, valid rows are reused and nothing is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

mod code;
mod runner;
mod sources;

pub use runner::{Counts, Runner};
pub use sources::sources;

/// The file to which tests add what became of their obligations.
const REPORTS: &str = "FAULTLINE_LEDGER_REPORTS";
/// The slice that is run whatever the ledger says, or `all`.
const SLICE: &str = "FAULTLINE_LEDGER_SLICE";
/// Slices.
const SLICES: u8 = 10;

/// The rows of a ledger: an obligation's name, its key, and what it found, if it finds something.
type Rows = BTreeMap<String, String>;

/// The committed ledger.
static COMMITTED: LazyLock<Rows> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbench/ledger.toml");
    rows(&fs::read_to_string(path).unwrap_or_default())
});

/// Reads a ledger. A file that is none has no rows, and then everything is run.
fn rows(text: &str) -> Rows {
    let table: BTreeMap<String, Rows> = toml::from_str(text).unwrap_or_default();
    table.into_values().next().unwrap_or_default()
}

/// A test that takes long, and all that its result depends on.
#[must_use]
#[derive(Debug)]
pub struct Obligation {
    name: String,
    slice: u8,
    key: Sha256,
    missing: Option<String>,
}

impl Obligation {
    /// What is to be shown of a group of obligations that share work, such as those of a design. A group is run as a whole:
    /// it is in one slice.
    pub fn new(group: &str, what: &str) -> Self {
        let slice = Sha256::digest(group)[5] % SLICES; // of its bytes the one with the most even slices
        let (name, key) = (format!("{group}: {what}"), Sha256::new());
        let obligation = Self {
            name,
            slice,
            key,
            missing: None,
        };
        obligation.of(what)
    }

    /// The test that calls this, of a crate in this folder of the workspace. It depends on its file, as `file!` names it, on
    /// what that names, and on the versions of all crates. Its name is that of its crate and its own.
    ///
    /// # Panics
    /// In a thread without a name.
    pub fn test(folder: &str, file: &str) -> Self {
        let thread = std::thread::current();
        let (folder, root) = (Path::new(folder), Path::new(folder).join(".."));
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let test = thread
            .name()
            .unwrap_or_else(|| panic!("{file}: call it in the test's own thread"));
        let group = format!("test of {name}, {test}");
        Self::new(&group, "passes")
            .crates(&root)
            .sources(&root, &sources(&root, &[file]))
    }

    /// Adds an input.
    pub fn of(mut self, input: impl AsRef<[u8]>) -> Self {
        let input = input.as_ref();
        self.key.update((input.len() as u64).to_le_bytes());
        self.key.update(input);
        self
    }

    /// Adds a file with its name, or all files of a folder. Of Rust and Verilog the code counts, and no comment.
    ///
    /// # Panics
    /// If one cannot be read: a test cannot go on without its input.
    pub fn file(mut self, path: &Path) -> Self {
        let mut files = Vec::new();
        collect(path, &mut files);
        files.sort();
        for file in files {
            let name = file.strip_prefix(path).unwrap_or(&file);
            let text =
                fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let code = code::of(&file, text);
            self = self.of(name.as_os_str().as_encoded_bytes()).of(code);
        }
        let own = path.file_name().unwrap_or_default();
        self.of(own.as_encoded_bytes())
    }

    /// Adds files of a workspace, with their paths.
    ///
    /// # Panics
    /// If one cannot be read.
    pub fn sources(self, root: &Path, files: &BTreeSet<PathBuf>) -> Self {
        files.iter().fold(self, |obligation, file| {
            let path = file.as_os_str().as_encoded_bytes();
            obligation.of(path).file(&root.join(file))
        })
    }

    /// Adds the versions of the crates that are not of this workspace: which of its own crates uses which is no input.
    ///
    /// # Panics
    /// If `Cargo.lock` cannot be read.
    pub fn crates(self, root: &Path) -> Self {
        let path = root.join("Cargo.lock");
        let text = fs::read_to_string(&path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let fetched = text
            .split("\n\n")
            .filter(|package| package.contains("\nsource = "));
        self.of(fetched.collect::<Vec<_>>().join("\n"))
    }

    /// Adds the version of a program, which it prints if it is called with these arguments. Without the program the
    /// obligation is missing.
    pub fn tool(mut self, program: &Path, arguments: &[&str]) -> Self {
        match version(program, arguments) {
            Some(version) => self.of(version),
            None => {
                self.missing = Some(format!("{} is not installed", program.display()));
                self
            }
        }
    }

    /// Meets the obligation: `show` runs, and panics if it fails, unless the ledger has a valid row.
    pub fn meet(self, show: impl FnOnce()) {
        let _ = self.find(|| {
            show();
            String::new()
        });
    }

    /// The same of something that is found, and then known from the row. Nothing if a tool is missing.
    pub fn find(self, find: impl FnOnce() -> String) -> Option<String> {
        let slice = std::env::var(SLICE).ok();
        let (found, report) = self.settle(&COMMITTED, slice.as_deref(), find);
        self::report(&report);
        found
    }

    /// What becomes of it with this ledger and slice.
    fn settle(
        self,
        ledger: &Rows,
        slice: Option<&str>,
        find: impl FnOnce() -> String,
    ) -> (Option<String>, String) {
        let name = self.name;
        if let Some(reason) = self.missing {
            return (None, format!("missing\t{name}\t{reason}"));
        }
        let key: String = self
            .key
            .finalize()
            .iter()
            .fold(String::new(), |key, byte| key + &format!("{byte:02x}"));
        let its_turn = slice == Some("all") || slice == Some(&self.slice.to_string());
        let row = ledger.get(&name).filter(|_| !its_turn);
        let known = row.and_then(|row| row.strip_prefix(key.as_str()));
        let (state, found) = match known {
            Some(found) => ("reused", found.trim().to_owned()),
            None => ("run", line(&find())),
        };
        let value = format!("{key} {found}");
        let report = format!("{state}\t{name}\t{}", value.trim_end());
        (Some(found), report)
    }
}

/// What a program prints if it is called with these arguments. It is called once.
fn version(program: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    type Versions = BTreeMap<(PathBuf, String), Option<Vec<u8>>>;
    static KNOWN: Mutex<Versions> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let call = (program.to_owned(), arguments.join(" "));
    let version = known.entry(call).or_insert_with(|| {
        let output = Command::new(program).args(arguments).output().ok()?;
        output.status.success().then_some(output.stdout)
    });
    version.clone()
}

/// Says that the test that runs cannot be tried, and why: it is missing, and has not passed.
pub fn missing(reason: &str) {
    let reason = line(reason);
    let thread = std::thread::current();
    report(&format!(
        "missing\t{}\t{reason}",
        thread.name().unwrap_or("a test")
    ));
}

/// A text as it stands in a report, which is a line of words between tabs.
fn line(text: &str) -> String {
    text.replace(['\n', '\t'], " ")
}

fn report(line: &str) {
    eprintln!("{}", line.replace('\t', " "));
    if let Some(path) = std::env::var_os(REPORTS) {
        add(&PathBuf::from(path), line);
    }
}

/// Adds a line in one write, for many tests do so at once.
fn add(path: &Path, line: &str) {
    let file = OpenOptions::new().append(true).create(true).open(path);
    let added = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    if let Err(error) = added {
        panic!("{}: {error}", path.display());
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => entries
            .flatten()
            .for_each(|entry| collect(&entry.path(), files)),
        Err(_) => files.push(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot go on panics

    use super::*;

    fn ledger(report: &str) -> Rows {
        let mut words = report.split('\t').skip(1).map(str::to_owned);
        let (name, value) = (words.next().unwrap(), words.next().unwrap());
        BTreeMap::from([(name, value)])
    }

    fn proof(text: &str) -> Obligation {
        Obligation::new("proof of queue", "G1 holds").of(text)
    }

    #[test]
    fn a_valid_row_is_reused_with_what_was_found() {
        let (found, report) = proof("module").settle(&Rows::new(), None, || "7".to_owned());
        assert_eq!(found.as_deref(), Some("7"));
        assert!(report.starts_with("run\tproof of queue: G1 holds\t"));
        let again = proof("module").settle(&ledger(&report), None, || panic!("it is run"));
        assert_eq!(again.0.as_deref(), Some("7"));
        assert_eq!(again.1, report.replace("run\t", "reused\t"));
    }

    #[test]
    fn a_changed_input_makes_its_row_invalid() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queue.v");
        fs::write(&path, "assign q = a;").unwrap();
        let of = || Obligation::new("proof of queue", "G1 holds").file(folder.path());
        let (_, report) = of().settle(&Rows::new(), None, String::new);
        let reused = of().settle(&ledger(&report), None, String::new).1;
        assert!(reused.starts_with("reused"));
        fs::write(&path, "assign q = b;").unwrap();
        assert!(
            of().settle(&ledger(&report), None, String::new)
                .1
                .starts_with("run")
        );
        fs::write(&path, "assign q = a;").unwrap();
        fs::rename(&path, folder.path().join("log.v")).unwrap();
        assert!(
            of().settle(&ledger(&report), None, String::new)
                .1
                .starts_with("run")
        );
    }

    #[test]
    fn a_changed_comment_leaves_its_row_valid() {
        let folder = tempfile::tempdir().unwrap();
        let report = |text: &str| {
            let path = folder.path().join("queue.v");
            fs::write(&path, text).unwrap();
            let obligation = Obligation::new("proof of queue", "G1 holds").file(&path);
            obligation.settle(&Rows::new(), None, String::new).1
        };
        assert_eq!(
            report("assign q = a; // A.\n"),
            report("// B.\nassign q = a;")
        );
        assert_ne!(
            report("assign q = a; // A.\n"),
            report("assign q = b; // A.\n")
        );
    }

    #[test]
    fn crates_of_the_workspace_are_no_input_and_others_are() {
        let folder = tempfile::tempdir().unwrap();
        let report = |own: &str, other: &str| {
            let text = format!(
                "version = 4\n\n[[package]]\nname = \"queue\"\nversion = \"{own}\"\n\n\
                 [[package]]\nname = \"toml\"\nversion = \"{other}\"\nsource = \"registry\"\n"
            );
            fs::write(folder.path().join("Cargo.lock"), text).unwrap();
            let obligation = Obligation::new("proof of queue", "G1 holds").crates(folder.path());
            obligation.settle(&Rows::new(), None, String::new).1
        };
        assert_eq!(report("1", "2"), report("2", "2"));
        assert_ne!(report("1", "2"), report("1", "3"));
    }

    /// Inputs are told apart: no two lists of inputs have one key.
    #[test]
    fn inputs_do_not_run_together() {
        let (_, report) = proof("ab").of("c").settle(&Rows::new(), None, String::new);
        let other = proof("a")
            .of("bc")
            .settle(&ledger(&report), None, String::new);
        assert!(other.1.starts_with("run"));
    }

    #[test]
    fn a_forged_row_is_run_within_ten_commits() {
        let (_, forged) = proof("module").settle(&Rows::new(), None, String::new);
        let runs = (0..10).filter(|slice: &u8| {
            let slice = slice.to_string();
            let (_, report) = proof("module").settle(&ledger(&forged), Some(&slice), String::new);
            report.starts_with("run")
        });
        assert_eq!(runs.count(), 1);
        let (_, report) = proof("module").settle(&ledger(&forged), Some("all"), String::new);
        assert!(report.starts_with("run"));
    }

    #[test]
    fn without_its_tool_it_is_missing_and_not_run() {
        let nothing = Path::new("/nonexistent/yosys");
        let (found, report) =
            proof("module")
                .tool(nothing, &["-V"])
                .settle(&Rows::new(), None, || panic!("it is run"));
        assert_eq!(found, None);
        assert_eq!(
            report,
            "missing\tproof of queue: G1 holds\t/nonexistent/yosys is not installed"
        );
    }
}

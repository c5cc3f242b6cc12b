//! The short loops of development: what a change of one block, or of a few crates, can be tried with in a minute.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::checks::{DENY, LINTS, VERILOG, designs, read};
use crate::steps::{Job, Steps, succeed};
use crate::{binaries, cargo, codegen, root};

/// Exports the Verilog, and runs the lints, the tests and the proofs of one block.
///
/// # Errors
/// If there is no such block.
pub fn block(name: &str) -> Result<ExitCode, String> {
    known(name)?;
    let files = tests(name)?;
    let verilated = verilated(name, &files)?;
    let mut steps = Steps::default();
    steps.check("port tables and models' ports are written", || {
        codegen::run(&root(), false).map(|sentence| println!("{sentence}"))
    });
    steps.check("the Verilog is exported", || export(Some(&verilated), &[]));
    let test = |options: &[String]| {
        let mut test = cargo();
        test.args(["test", "--workspace", "--features", VERILOG]);
        test.args(options).env("FAULTLINE_BLOCKS", &verilated);
        test
    };
    let all = files.iter().map(String::as_str).chain([PROOFS, PAGES]);
    let mut compiled = words(&["--no-run"]);
    compiled.extend(all.flat_map(|file| words(&["--test", file])));
    steps.check("its tests are compiled", || {
        succeed(&mut test(&compiled), false)
    });
    let run = |file: &String| Job::Tests(test(&words(&["--test", file])));
    let mut jobs: Vec<Job> = files.iter().map(run).collect();
    let of_block = format!("{name}_guarantees");
    jobs.push(match has_proofs(name) {
        true => Job::Tests(test(&words(&["--test", PROOFS, "--", &of_block]))),
        false => Job::Check(
            format!("{name} as a whole has no proof"),
            Box::new(|| Ok("testbench/TESTPLAN.md names the tests instead".to_owned())),
        ),
    });
    // The reports of a kernel that has changed are made again when it stays as it is.
    let of_reports = ["--test", PAGES, "--", "--skip", REPORTS];
    jobs.push(Job::Tests(test(&words(&of_reports))));
    let designs = designs(name)?;
    jobs.push(Job::Check(
        "its designs are linted".to_owned(),
        Box::new(move || lints(&designs)),
    ));
    steps.at_once("lockstep, proofs, pages and lints", jobs);
    Ok(steps.finish())
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The tests of all proofs, and those of all pages.
const PROOFS: &str = "proofs";
const PAGES: &str = "pages";
/// The test of pages that every change of Verilog breaks.
const REPORTS: &str = "reports_are_of_the_verilog_at_hand_or_called_older";

/// That there is a block of this name: one that has sizes, whether or not they were exported.
fn known(block: &str) -> Result<(), String> {
    let blocks = blocks()?;
    match blocks.iter().any(|known| known == block) {
        true => Ok(()),
        false => Err(format!(
            "there is no block {block}; there are {}",
            blocks.join(", ")
        )),
    }
}

/// Every block: each has a file of its sizes.
fn blocks() -> Result<Vec<String>, String> {
    let mut blocks = names(&root().join("hw/src/designs"))?;
    // Other files there have no page.
    let pages = root().join("docs/blocks");
    blocks.retain(|name| pages.join(format!("{name}.md")).is_file());
    Ok(blocks)
}

/// What is Verilated for these tests: the block, and those others whose types they name.
fn verilated(block: &str, files: &[String]) -> Result<String, String> {
    let folder = root().join("testbench/tests");
    let texts = files
        .iter()
        .map(|file| fs::read_to_string(folder.join(format!("{file}.rs"))));
    let texts: String = texts
        .collect::<Result<_, _>>()
        .map_err(|error| format!("{} ({error})", folder.display()))?;
    let is_named = |other: &String| {
        let name = upper_camel(other);
        texts
            .split(|letter: char| !letter.is_alphanumeric())
            .any(|word| word == name)
    };
    let mut all = blocks()?;
    all.retain(|other| other == block || is_named(other));
    Ok(all.join(","))
}

/// `page_walker` as a type: `PageWalker`.
fn upper_camel(name: &str) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    };
    name.split('_').map(capital).collect()
}

fn has_proofs(block: &str) -> bool {
    let proofs = root().join("testbench/proofs").join(block);
    proofs.with_extension("sv").is_file()
}

/// The files of tests of a block: those whose names begin with its name.
fn tests(block: &str) -> Result<Vec<String>, String> {
    let mut files = names(&root().join("testbench/tests"))?;
    files.retain(|file| {
        let rest = file.strip_prefix(block);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    });
    Ok(files)
}

/// The names of the Rust files in a folder, in order.
fn names(folder: &Path) -> Result<Vec<String>, String> {
    let unreadable = |error| format!("{} cannot be read ({error})", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(
                path.file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned()),
            );
        }
    }
    names.sort();
    Ok(names)
}

/// Runs `faultline export`, compiled as the tests are: those of some blocks, or all.
fn export(blocks: Option<&str>, options: &[&str]) -> Result<(), String> {
    let program = binaries::tested(&["--features", VERILOG], blocks)?;
    let mut export = Command::new(program);
    export.arg("export").args(options).current_dir(root());
    // A block of 64 warps is built on the stack.
    succeed(export.env("RUST_MIN_STACK", "67108864"), false)
}

/// What the linters and Yosys say of designs.
fn lints(designs: &[PathBuf]) -> Result<String, String> {
    for (design, (tool, lint)) in designs
        .iter()
        .flat_map(|design| LINTS.map(|lint| (design, lint)))
    {
        let mut lint = lint(design);
        lint.current_dir(root().join("rtl-out"));
        succeed(&mut lint, true)
            .map_err(|sentence| format!("{tool} of {}: {sentence}", design.display()))?;
    }
    read(designs)?;
    Ok(format!("{} designs, no warning", designs.len()))
}

/// Formats, lints what differs from the last commit, and checks the export and the links of the documents.
///
/// # Errors
/// If git does not say what differs.
pub fn quick() -> Result<ExitCode, String> {
    let changed = changed()?;
    let mut steps = Steps::default();
    steps.check("port tables and models' ports are written", || {
        codegen::run(&root(), false).map(|sentence| println!("{sentence}"))
    });
    steps.check("format", || succeed(cargo().args(["fmt", "--all"]), false));
    if !changed.is_empty() {
        let packages = changed.iter().flat_map(|package| ["--package", package]);
        let mut clippy = cargo();
        clippy.args(["clippy", "--all-targets"]).args(packages);
        clippy.args(DENY);
        steps.check("clippy of what differs", || succeed(&mut clippy, false));
    }
    steps.check("the Verilog is that of the kernels", || {
        export(None, &["--check"])
    });
    steps.check("links of the documents", || {
        let mut links = cargo();
        links.args(["test", "--workspace", "--features", VERILOG]);
        links.args(["--test", PAGES, "--", "link"]);
        succeed(&mut links, false)
    });
    Ok(steps.finish())
}

/// The packages with files that differ from the last commit.
fn changed() -> Result<BTreeSet<&'static str>, String> {
    /// The folders of the packages, those within others first.
    const PACKAGES: [(&str, &str); 13] = [
        ("hw/macros/", "faultline-macros"),
        ("hw/export/", "faultline-export"),
        ("hw/", "faultline-hw"),
        ("sim/", "faultline-sim"),
        ("testbench/zoo/", "faultline-zoo"),
        ("testbench/", "faultline-testbench"),
        ("synth/liberty/", "faultline-liberty"),
        ("synth/", "faultline-synth"),
        ("cli/", "faultline"),
        ("xtask/ledger/", "faultline-ledger"),
        ("xtask/", "xtask"),
        ("examples/add_a_block/", "add_a_block"),
        ("examples/model_only/", "faultline-sim"),
    ];
    let mut status = Command::new("git");
    status.args(["status", "--porcelain", "--untracked-files=all"]);
    let output = status.current_dir(root()).output();
    let output = output.map_err(|error| format!("git does not start ({error})"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let package = |line: &str| {
        let path = line.get(3..)?.trim_matches('"');
        let rust = [".rs", "Cargo.toml"].iter().any(|end| path.ends_with(end));
        let found = PACKAGES.iter().find(|(folder, _)| path.starts_with(folder));
        found.filter(|_| rust).map(|(_, package)| *package)
    };
    Ok(text.lines().filter_map(package).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_of_a_block_bring_what_they_name() {
        let files = tests("page_walk_cache").unwrap();
        assert_eq!(files, ["page_walk_cache", "page_walk_cache_walks"]);
        let verilated = verilated("page_walk_cache", &files).unwrap();
        assert_eq!(verilated, "page_walk_cache,page_walker");
        assert!(
            blocks()
                .unwrap()
                .iter()
                .all(|block| !tests(block).unwrap().is_empty())
        );
    }

    #[test]
    fn a_block_that_is_not_there_is_named_with_the_others() {
        let sentence = known("nothing").unwrap_err();
        assert!(sentence.starts_with("there is no block nothing; there are block_scheduler, "));
        assert!(known("mod").is_err() && known("gmmu").is_ok());
        assert!(!has_proofs("gmmu") && has_proofs("l1_tlb"));
    }
}

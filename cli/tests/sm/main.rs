//! `faultline sm` and `faultline timeline` as their users meet them.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};

#[path = "../common/mod.rs"]
mod common;
mod exceptions;
#[path = "../common/obligation.rs"]
mod obligation;
mod refusals;
mod restart;
mod timeline;
mod traces;

fn faultline(arguments: &[&str]) -> Command {
    let mut command = common::faultline();
    command.args(arguments);
    command
}

/// What `--markdown` and `--svg` write.
fn written(arguments: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let (page, svg) = (folder.path().join("a.md"), folder.path().join("a.svg"));
    faultline(arguments)
        .arg("--markdown")
        .arg(&page)
        .arg("--svg")
        .arg(&svg)
        .assert()
        .success();
    [page, svg]
        .map(|path| std::fs::read_to_string(path).unwrap())
        .into()
}

fn json(arguments: &[&str]) -> serde_json::Value {
    let output = faultline(arguments).arg("--json").assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

/// A number as people read it.
fn grouped(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1000), number % 1000),
    }
}

/// The report is as old as its file, and the terminal names its command.
#[test]
fn the_command_of_the_report_is_the_one_that_is_printed() {
    let report = include_str!("../../../sim/reports/performance.md");
    let line = report.lines().nth(2).unwrap();
    for option in ["--log 8k,16k,20k,32k", "--scale 4", "--runs 6"] {
        assert!(line.contains(option), "{line}");
    }
}

#[test]
fn the_paper_is_left_out_where_it_is_about_something_else() {
    obligation::of_command(file!()).meet(|| {
        let without = || contains("geometric mean").and(contains("paper").not());
        for arguments in [
            &["sm", "sgemm", "lbm"][..],
            &["sm", "--runs", "1", "--fault-rate", "0.01"],
            &["sm", "--runs", "1", "--absent"],
        ] {
            faultline(arguments).assert().success().stdout(without());
        }
        let (page, svg) = written(&["sm", "lbm"]);
        assert!(page.contains("| scheme | here |"), "{page}");
        for about in ["The paper's", "in the paper at", "## Why", "## Order"] {
            assert!(!page.contains(about), "{page}");
        }
        assert!(!svg.contains("paper"));
    });
}

#[test]
fn a_hidden_baseline_is_the_baseline_all_the_same() {
    let all = json(&["sm", "lbm"]);
    let queue = json(&["sm", "lbm", "--scheme", "replay-queue"]);
    assert_eq!(queue["rows"][0]["hidden"], true);
    assert_eq!(queue["rows"][1]["hidden"], false);
    let cycles = &all["rows"][0]["cycles"];
    assert_eq!(&queue["rows"][0]["cycles"], cycles);
    assert_eq!(queue["geometric_means"].as_array().unwrap().len(), 1);
    let shown = contains("baseline's cycles")
        .and(contains(grouped(cycles.as_u64().unwrap())))
        .and(contains("stall-on-fault ").not());
    faultline(&["sm", "lbm", "--scheme", "replay-queue"])
        .assert()
        .success()
        .stdout(shown);
}

#[test]
fn every_scheme_has_a_row_of_json() {
    obligation::of_command(file!()).meet(|| {
        let results = json(&["sm", "sgemm", "--log", "8k,32K", "--fault-rate", "0.05"]);
        let rows = results["rows"].as_array().unwrap();
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
            assert_eq!(
                row["faults"].as_u64().is_some_and(|count| count > 0),
                squashes
            );
            assert_eq!(row["faults"].is_null(), !squashes);
            assert!(row["stalls"]["result"].as_u64().unwrap() > 0);
        }
        let means = results["geometric_means"].as_array().unwrap();
        assert_eq!(means.len(), rows.len());
        for (mean, row) in means.iter().zip(rows) {
            assert_eq!(mean["log_bytes"], row["log_bytes"]);
            // There is one workload, and the paper has no faults.
            let difference =
                mean["percent"].as_f64().unwrap() - row["relative_percent"].as_f64().unwrap();
            assert!(difference.abs() < 1e-6);
            assert!(mean["paper_percent"].is_null());
        }
        assert_eq!(rows[5]["log_bytes"], 32 << 10);
    });
}

#[test]
fn what_is_named_twice_runs_once() {
    let numbers = |arguments: &[&str]| {
        let rows = json(arguments);
        let rows = rows["rows"].as_array().unwrap();
        let number = |row: &serde_json::Value| row["log_bytes"].as_u64();
        let shown = rows.iter().filter(|row| row["hidden"] == false);
        shown.map(number).collect::<Vec<_>>()
    };
    let sizes = numbers(&[
        "sm",
        "lbm",
        "--scheme",
        "operand-log",
        "--log",
        "16k,8k,16K",
    ]);
    assert_eq!(sizes, [Some(16 << 10), Some(8 << 10)]);
    let kernels = json(&["sm", "lbm", "lbm", "--scheme", "stall-on-fault"]);
    assert_eq!(kernels["rows"].as_array().unwrap().len(), 1);
    let twice = "replay-queue,replay-queue";
    assert_eq!(numbers(&["sm", "lbm", "--scheme", twice]), [None]);
    let programs = json(&["sm", "--restart", "2", "--scheme", twice]);
    assert_eq!(programs.as_array().unwrap().len(), 1);
    let (page, _) = written(&["sm", "lbm", "cutcp", "--log", "16k,16K"]);
    for row in [
        "| lbm | operand-log 16 KB |",
        "| cutcp | operand-log 16 KB |",
    ] {
        assert_eq!(page.matches(row).count(), 1, "{page}");
    }
}

#[test]
fn occupancy_is_reported_in_bins() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.md");
    let bins = |queue: &str| {
        faultline(&[
            "sm",
            "sad",
            "--absent",
            "--fault-cycles",
            "2000",
            "--log",
            "8k",
        ])
        .args(["--queue", queue, "--markdown"])
        .arg(&page)
        .assert()
        .success()
        .stdout(contains("Occupancy, % of cycles").and(contains(" operand-log 8 KB: log ")));
        let page = std::fs::read_to_string(&page).unwrap();
        let (_, table) = page.split_once("## Occupancy, % of cycles").unwrap();
        let table = table.split("\n## ").next().unwrap();
        let rows = table
            .lines()
            .filter(|line| line.contains(": queue |") || line.contains(": log |"));
        let shares = rows.map(|row| {
            let cells = row.trim_matches('|').split('|').skip(1);
            cells
                .map(|cell| cell.trim().parse::<f64>().unwrap())
                .collect::<Vec<_>>()
        });
        let shares: Vec<Vec<f64>> = shares.collect();
        // Two queues and a log.
        assert_eq!(shares.len(), 3, "{table}");
        for row in &shares {
            assert!((row.iter().sum::<f64>() - 100.0).abs() < 1.0, "{table}");
        }
        shares[0].len()
    };
    assert_eq!(bins("64"), 7);
    assert_eq!(bins("128"), 8);
}

#[test]
fn fewer_blocks_take_longer() {
    let cycles = |options: &[&str]| {
        let rows = json(&[&["sm", "lbm", "--scheme", "stall-on-fault"], options].concat());
        rows["rows"][0]["cycles"].as_u64().unwrap()
    };
    let (all, one) = (cycles(&[]), cycles(&["--blocks-per-sm", "1"]));
    assert!(one > all + all / 4, "{one} and {all} cycles");
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.md");
    faultline(&["sm", "lbm", "--blocks-per-sm", "1", "--markdown"])
        .arg(&page)
        .assert()
        .success();
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(" --blocks-per-sm 1 "), "{page}");
}

#[test]
fn kernels_run_beside_the_paper_and_a_report_names_its_command_and_the_causes() {
    obligation::of_command(file!()).meet(|| {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("performance.md");
    let path = page.to_str().unwrap();
    let text = contains("sgemm")
        .and(contains("geometric mean"))
        .and(contains("84.0"))
        .and(contains("99.2"))
        .and(contains("result, %"));
    faultline(&["sm", "--runs", "2", "--markdown", path])
        .assert()
        .success()
        .stdout(text.and(contains("Runs at scale 1 are noisy")))
        .stderr(is_empty());
    let page = std::fs::read_to_string(page).unwrap();
    let mut lines = page.lines();
    assert_eq!(lines.next(), Some("# Performance"));
    assert!(lines.nth(1).unwrap().starts_with(
        "Generated by `faultline sm --log 8k,16k --queue 64 --warps 64 --scheduler loose-round-robin --scale 1 --runs 2 --seed 1"
    ));
    let told = [
        "| scheme | paper | here | `lbm-8-warps` | `--queue 128` |",
        "| warp-disable-commit | 84.0 |",
        "## lbm, by warps and addresses, %",
        "| `lbm-8-warps` | 8 warps, two pointers that move on |",
        "- Arithmetic takes 4 cycles, a special function 16",
        "## Why",
        "Most of the order of the paper's means is that of lbm at 8 warps.",
        "| lbm | operand-log 16 KB |",
    ];
    for told in told {
        assert!(page.contains(told), "{told}");
    }
    });
}

#[test]
fn the_means_of_runs_are_shown() {
    let rows = json(&["sm", "histo", "--scheme", "replay-queue", "--runs", "3"]);
    let one = json(&["sm", "histo", "--scheme", "replay-queue"]);
    let number = |rows: &serde_json::Value, name: &str| rows["rows"][1][name].as_u64().unwrap();
    assert_eq!(number(&rows, "runs"), 3);
    assert_eq!(number(&rows, "instructions"), number(&one, "instructions"));
    let (mean, cycles) = (number(&rows, "cycles"), number(&one, "cycles"));
    assert!(
        mean.abs_diff(cycles) < cycles / 5,
        "{mean} and {cycles} cycles"
    );
    assert!(rows["rows"][1]["error_percent"].as_f64().unwrap() > 0.0);
    faultline(&["sm", "histo", "--scheme", "replay-queue", "--runs", "3"])
        .assert()
        .success()
        .stdout(contains("means of 3 runs").and(contains(grouped(mean))));
}

//! `faultline explore` as its users meet it. Without Yosys or OpenSTA nothing can be mapped or timed, and the test that does so
//! says it and passes.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use std::path::Path;

use assert_cmd::Command;
use faultline_synth::tool;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

fn explore() -> Command {
    let mut command = common::faultline();
    command.arg("explore");
    command
}

/// Whether a tool is missing; a test without it says so and passes.
fn without_tools() -> bool {
    let tools = [tool::YOSYS, tool::OPENSTA];
    let missing = tools.iter().find(|tool| tool.version().is_none());
    if let Some(tool) = missing {
        faultline_ledger::missing(&format!("{} is not installed", tool.program));
    }
    missing.is_some()
}

fn number(value: &serde_json::Value, name: &str) -> f64 {
    value[name].as_f64().unwrap()
}

/// The smallest log, the paper's and the largest, in each form.
#[test]
fn points_are_the_same_in_every_form() {
    if without_tools() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let output = explore()
        .args(["--log", "64k,4,16", "--banks", "32x64", "--queue", "16"])
        .args(["--kernels", "spmv", "--sms", "1", "--json", "--csv"])
        .arg(file("a.csv"))
        .arg("--markdown")
        .arg(file("a.md"))
        .arg("--svg")
        .arg(file("a.svg"))
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let found: serde_json::Value = serde_json::from_slice(&output).unwrap();
    let points = found["points"].as_array().unwrap();
    let logs: Vec<_> = points.iter().map(|point| &point["log_kb"]).collect();
    assert_eq!(logs, [4, 16, 64]);
    for point in points {
        let parts = [
            "log_memory_area_um2",
            "log_logic_area_um2",
            "queue_area_um2",
        ];
        let sum: f64 = parts.iter().map(|part| number(point, part)).sum();
        let area = number(point, "area_um2");
        assert!((sum / area - 1.0).abs() < 1e-9, "{point}");
        assert!((area / 160_000.0 / number(point, "sm_area_percent") - 1.0).abs() < 1e-9);
        assert!(number(point, "clock_mhz") > 1000.0, "{point}");
    }
    // The log of 16 KB is that of the page of costs.
    let memories = number(&points[1], "log_memory_area_um2");
    assert!((memories - 68_678.0).abs() < 1.0, "{memories}");
    let areas: Vec<f64> = points
        .iter()
        .map(|point| number(point, "area_um2"))
        .collect();
    assert!(areas.is_sorted(), "{areas:?}");
    // Half of the thread blocks are resident with the smallest log, and a log of 256 entries runs.
    let lost: Vec<f64> = points
        .iter()
        .map(|point| 100.0 - number(point, "performance_percent"))
        .collect();
    assert!(lost.iter().all(|lost| lost.abs() < 60.0), "{lost:?}");
    assert!(lost[0] != lost[2], "{lost:?}");
    assert_eq!(found["paper"].as_array().unwrap().len(), 4);

    let read = |name: &str| std::fs::read_to_string(file(name)).unwrap();
    let csv = read("a.csv");
    assert!(csv.starts_with("log_kb,banks,queue_entries,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + points.len());
    assert!(csv.contains("\n16,32x64,16,"), "{csv}");
    let page = read("a.md");
    assert!(page.contains(found["sentence"].as_str().unwrap()), "{page}");
    assert!(page.contains("![a](a.svg)") && page.contains("| 64 KB, 32x64, 16 |"));
    assert!(page.contains(" files of Verilog of `operand_log_{4k,16k,64k} replay_queue_16`"));
    assert!(read("a.svg").matches("<circle").count() == points.len());
}

#[test]
fn what_makes_no_sense_is_refused_with_what_is_there() {
    let cases: [(&[&str], &str); 9] = [
        (
            &["--log", "10"],
            "out of these: 4, 8, 12, 16, 20, 24, 32, 48, 64",
        ),
        (&["--log", "8,,16"], "give sizes of the log in KB"),
        (
            &["--banks", "8x128"],
            "out of these: 8x256, 16x128, 32x64, 64x32",
        ),
        (&["--queue", "3"], "out of these: 16, 32, 64, 128"),
        (&["--kernels", "nothing"], "out of these: bfs, cutcp"),
        (&["--within", "-1"], "from 0 and below 100"),
        (&["--within", "100"], "from 0 and below 100"),
        (&["--svg", "plot.png"], "ends in .svg"),
        (&["--sms", "0"], "from 1 to 64"),
    ];
    for (options, expected) in cases {
        let sentence =
            contains(expected).and(predicate::function(|text: &str| text.lines().count() == 1));
        explore()
            .args(options)
            .assert()
            .failure()
            .stdout(is_empty())
            .stderr(sentence);
    }
}

#[test]
fn two_options_do_not_name_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.svg");
    explore()
        .arg("--csv")
        .arg(&file)
        .arg("--svg")
        .arg(&file)
        .assert()
        .code(1)
        .stderr(starts_with("error: --csv and --svg both name "));
    assert!(!file.exists());
}

/// A failure leaves no file: not that of a missing library, and not that of a folder that is not there.
#[test]
fn nothing_is_written_after_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let none = |path: &Path| std::fs::read_dir(path).unwrap().next().is_none();
    let mut command = explore();
    command.arg("--csv").arg(file("a.csv"));
    command.arg("--liberty").arg(file("none.lib"));
    let sentence = predicate::function(|text: &str| text.lines().count() == 1);
    command.assert().code(1).stderr(sentence);
    assert!(none(folder.path()));

    let mut command = explore();
    command.arg("--csv").arg(file("a.csv"));
    command.arg("--markdown").arg(file("none/a.md"));
    command.assert().code(1).stderr(contains("none/a.md"));
    assert!(none(folder.path()));
}

#[test]
fn missing_tool_is_named() {
    explore()
        .env("PATH", "")
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(starts_with("error: ").and(contains("yosys")));
}

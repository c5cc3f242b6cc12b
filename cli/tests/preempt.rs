//! `faultline preempt` as its users meet it.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;
#[path = "common/obligation.rs"]
mod obligation;

use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};

fn faultline(arguments: &[&str]) -> Command {
    let mut command = common::faultline();
    command.arg("preempt").args(arguments);
    command
}

fn json(arguments: &[&str]) -> serde_json::Value {
    let output = faultline(arguments).arg("--json").assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

fn number(value: &serde_json::Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

/// Without arguments, Table I under all policies, beside the paper.
#[test]
fn table_1_is_run_and_drawn_beside_the_paper() {
    obligation::of_command(file!()).meet(|| {
        let folder = tempfile::tempdir().unwrap();
        let svg = folder.path().join("plot.svg");
        let text = contains("SRAD2")
            .and(contains("two checkpoints 100"))
            .and(contains("(paper 8.9)"))
            .and(contains("(paper 3.6)"));
        faultline(&["--svg", svg.to_str().unwrap()])
            .assert()
            .success()
            .stdout(text)
            .stderr(is_empty());
        let svg = std::fs::read_to_string(svg).unwrap();
        for part in [
            "<svg",
            "latency of a preemption, us",
            "pep-in-place",
            "paper, Table I",
            "SRAD3",
        ] {
            assert!(svg.contains(part), "no {part} in the plot");
        }
        let all = json(&[]);
        let runs = all["runs"].as_array().unwrap();
        // PEP's 24 runs of each kernel, and Chimera's 36.
        assert_eq!(runs.len(), 16 * 2 * (24 + 36));
        assert!(all["dirty"].as_array().unwrap().is_empty());
        for run in runs {
            let pep = run["policy"].as_str().unwrap().starts_with("pep");
            assert_eq!(run["predict_us"].is_null(), !pep, "{run}");
            assert_eq!(run["deadline_us"].is_null(), pep, "{run}");
            let cases = run["cases"].as_array().unwrap().iter();
            let blocks: u64 = cases.map(|case| case[1].as_u64().unwrap()).sum();
            assert_eq!(blocks, run["blocks"].as_u64().unwrap(), "{run}");
            // What is saved is no larger than the context, and nothing stays on the SM but in place.
            let whole = number(&run["whole_bytes"]);
            for kind in ["bases", "increments", "singles"] {
                let saved = &run[kind];
                let context = number(&saved["registers"]) + number(&saved["shared_memory"]);
                assert!(
                    context <= whole * number(&saved["blocks"]),
                    "{kind} of {run}"
                );
                assert!(context <= number(&saved["all"]), "{kind} of {run}");
                let in_place = run["policy"] == "pep-in-place" && kind != "bases";
                assert!(
                    in_place || number(&saved["in_place"]) == 0.0,
                    "{kind} of {run}"
                );
            }
        }
    });
}

/// Every value of an option with every one of the others.
#[test]
fn options_are_crossed() {
    let options = [
        "mri-q",
        "tpacf",
        "--launch-us",
        "10,20,30",
        "--predict-us",
        "25",
        "--progress",
        "10,90",
        "--policy",
        "pep,chimera-dirty",
        "--deadline-us",
        "5,10",
    ];
    let all = json(&options);
    let runs = all["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2 * 3 * 2 * (1 + 2));
    let kernels: Vec<_> = all["dirty"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kernel"].clone())
        .collect();
    assert_eq!(kernels, ["mri-q", "tpacf"]);
    let again = json(&options);
    for (run, other) in runs.iter().zip(again["runs"].as_array().unwrap()) {
        assert_eq!(run, other, "the same seed gives the same runs");
    }
}

/// A bit for each row saves no less than bits for lanes; registers that are named are no more than those that are given.
#[test]
fn granularity_and_registers_change_what_is_saved() {
    let of = |options: &[&str]| {
        let all = json(
            &[
                &[
                    "lbm-8-warps",
                    "cutcp",
                    "--progress",
                    "50",
                    "--policy",
                    "chimera-dirty",
                ],
                options,
            ]
            .concat(),
        );
        let runs = all["runs"].as_array().unwrap().clone();
        let bytes = runs
            .iter()
            .map(|run| number(&run["singles"]["registers"]))
            .sum::<f64>();
        (
            bytes,
            number(&all["dirty"][0]["register_bytes"]),
            number(&all["dirty"][0]["at"][0]["lane_bytes"]),
        )
    };
    let (lane, given, dirty) = of(&[]);
    let (warp, _, _) = of(&["--granularity", "warp"]);
    let (_, named, same) = of(&["--registers", "named"]);
    assert!(warp > lane && lane > 0.0, "{warp} {lane}");
    assert!(named < given / 3.0, "{named} {given}");
    assert_eq!(
        dirty, same,
        "what is written does not depend on what is given"
    );
}

#[test]
fn a_trace_is_preempted() {
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/traces/kernelslist.g");
    faultline(&[trace.to_str().unwrap()])
        .assert()
        .success()
        .stdout(contains("saxpy").and(contains("dirty by lane")))
        .stderr(is_empty());
}

/// The paper's figures are about Table I's kernels, and stand beside no others.
#[test]
fn other_kernels_are_not_drawn_beside_the_paper() {
    obligation::of_command(file!()).meet(|| {
        let folder = tempfile::tempdir().unwrap();
        let svg = folder.path().join("plot.svg");
        for workloads in [&["mri-q"][..], &["table1", "mri-q"]] {
            faultline(workloads)
                .args(["--launch-us", "15", "--svg", svg.to_str().unwrap()])
                .assert()
                .success()
                .stdout(contains("Mean latency: ").and(contains("(paper").not()));
            let svg = std::fs::read_to_string(&svg).unwrap();
            assert!(
                svg.contains("mean") && !svg.contains("paper"),
                "{workloads:?}"
            );
        }
    });
}

/// A value that is given twice is run once.
#[test]
fn each_value_is_run_once() {
    let runs = |list: &str, others: &[&str]| {
        let all = json(
            &[
                &["mri-q", "--policy", "pep,chimera,pep", "--launch-us", list],
                others,
            ]
            .concat(),
        );
        assert_eq!(all["dirty"].as_array().unwrap().len(), 1);
        all["runs"].as_array().unwrap().len()
    };
    let once = [
        "--predict-us",
        "20",
        "--deadline-us",
        "5",
        "--progress",
        "50",
    ];
    let twice = [
        "mri-q",
        "--predict-us",
        "20,20",
        "--deadline-us",
        "5,5",
        "--progress",
        "50,50",
    ];
    assert_eq!(runs("15,25", &once), 4);
    assert_eq!(runs("15,25,15", &twice), 4);
}

#[test]
fn wrong_options_are_one_sentence() {
    let wrong: [(&[&str], &str); 7] = [
        (
            &["CP"],
            "CP is neither a file nor a kernel; there are table1, kernels, bfs,",
        ),
        (&["--launch-us", "0"], "whole number from 1 to 1000"),
        (&["--progress", "100"], "whole number from 0 to 99"),
        (
            &["--policy", "flush"],
            "there are chimera, chimera-dirty, pep, pep-in-place",
        ),
        (&["--granularity", "bit"], "possible values: lane, warp"),
        (&["--svg", "plot.png"], "ends in .svg"),
        (
            &["--markdown", "page.md", "--policy", "pep"],
            "cannot be used with",
        ),
    ];
    for (arguments, told) in wrong {
        let output = faultline(arguments).assert().failure();
        let output = output.stdout(is_empty()).stderr(contains(told));
        let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    }
}

#[test]
fn nothing_is_run_where_the_report_cannot_be_written() {
    faultline(&["--markdown", "/nowhere/page.md"])
        .assert()
        .failure()
        .stdout(is_empty())
        .stderr(contains("/nowhere/page.md: cannot write"));
}

#[test]
fn report_is_whole() {
    obligation::of_command(file!()).meet(|| {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("preempt.md");
    faultline(&[
        "table1",
        "stencil",
        "--launch-us",
        "15",
        "--predict-us",
        "20",
        "--deadline-us",
        "10",
        "--markdown",
        page.to_str().unwrap(),
    ])
    .assert()
    .success()
    .stderr(is_empty());
    let page = std::fs::read_to_string(page).unwrap();
    for part in [
        "Generated by `faultline preempt table1 stencil --launch-us 15 --predict-us 20 --deadline-us 10 --progress 25,50,75 \
         --granularity lane --registers given --seed 1 --markdown FILE`.",
        "| paper | 8.9 | - | 4.5 | 3.6 | 34.4 | 56.1 |",
        "## Kernels",
        "## Why",
        "## Cases",
        "| SRAD2 | 0 | 0 | 100 |",
        "## Contexts",
        "## Overhead",
        "## What is dirty",
        "## Progress",
        "## Preemptions",
        "| stencil | pep-in-place |",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    assert!(!page.contains("NaN"), "{page}");
    });
}

/// What the report says of a kernel follows from its runs, and is not said where they are otherwise.
#[test]
fn reasons_are_those_of_the_runs() {
    obligation::of_command(file!()).meet(|| {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("preempt.md");
    let report = |progress: &str, predict: &str, launch: &str, deadline: &str| {
        faultline(&[
            "table1",
            "--progress",
            progress,
            "--predict-us",
            predict,
            "--launch-us",
            launch,
            "--deadline-us",
            deadline,
            "--markdown",
            page.to_str().unwrap(),
        ])
        .assert()
        .success();
        std::fs::read_to_string(&page).unwrap()
    };
    let st = "ST has them here too: its blocks take 41.3 us and saving 4.2; at ";
    let pf = "PF is saved after a drain alone";
    let early = "wait the longest for a launch that comes before the predicted one";
    let alone = "Chimera asks for each block alone";
    let told = |page: &str| [st, pf, early, alone].map(|part| page.contains(part));

    let half = report("50", "20", "10", "5");
    assert_eq!(told(&half), [true; 4], "{half}");
    assert!(
        half.contains(&format!(
            "{st}50 % 20.6 us are left, more than the predicted 20. "
        )),
        "{half}"
    );
    assert!(
        half.contains(
            "of its blocks' 24.2 us 12.1 are left at most, less than the predicted 20 us"
        ),
        "{half}"
    );
    assert!(
        half.contains("less than a deadline of 5, where draining takes up to 7.2."),
        "{half}"
    );
    // PF's blocks outlive 20 us as they begin; the kernel comes when it is expected; and 15 us are enough to drain SRAD2's.
    let first = report("0", "20", "20", "15");
    assert_eq!(told(&first), [true, false, false, false], "{first}");
    let outlive =
        "PF has them here too: its blocks take 24.2 us and saving 11.6; at 0 % 24.2 us are left";
    assert!(first.contains(outlive), "{first}");
    // No block that is short has 30 us left.
    let last = report("75", "30", "35", "15");
    assert!(!last.contains("has them here too"), "{last}");
    });
}

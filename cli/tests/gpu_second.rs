//! `faultline gpu --second` as its users meet it.

mod common;

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

use common::faultline;

/// The histogram's kernel on two SMs, with a stencil launched while it runs.
const BOTH: [&str; 9] = [
    "gpu",
    "histo",
    "--scale",
    "4",
    "--sms",
    "2",
    "--second",
    "stencil",
    "--at=4000",
];

#[test]
fn two_kernels_run_under_each_policy_and_values_are_checked() {
    let mut command = faultline();
    command.args(BOTH).arg("--json");
    command.args(["--absent", "--policy", "drain,switch,pep,chimera"]);
    let output = command.assert().success();
    let results: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let rows = results["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| &row["policy"]).collect();
    assert_eq!(names, ["drain", "switch", "pep", "chimera"]);
    let number = |row: &Value, name: &str| row[name].as_u64().unwrap();
    for row in rows {
        assert_eq!(
            (&row["values_checked"], &results["at"]),
            (&true.into(), &4_000.into())
        );
        let ends = [
            number(row, "first_cycles"),
            4_000 + number(row, "second_cycles"),
        ];
        assert!(ends.into_iter().max().unwrap() <= number(row, "cycles"));
        let sms = row["sms"].as_array().unwrap();
        assert_eq!(sms.len(), 2);
        for name in ["drained", "saved", "bases", "context_bytes"] {
            let all = sms.iter().map(|sm| number(sm, name)).sum::<u64>();
            assert_eq!(all, number(row, name), "{name}");
        }
        let free = sms.iter().map(|sm| number(sm, "free")).max().unwrap();
        let latency = (free - 4_000) as f64 / 1_000.0;
        assert!((row["latency_us"].as_f64().unwrap() - latency).abs() < 1e-9);
    }
    let (drain, switch) = (&rows[0], &rows[1]);
    assert!(number(drain, "saved") == 0 && number(drain, "drained") > 0);
    assert!(number(switch, "saved") > 0 && number(switch, "context_bytes") > 0);
}

#[test]
fn a_run_with_a_second_kernel_is_told_and_has_events() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    let mut command = faultline();
    command
        .args(BOTH)
        .args(["--policy", "switch", "--trace-events"]);
    let text = contains("stencil is launched in cycle 4000 of histo")
        .and(contains(
            "of both at the end are those of runs without a GPU",
        ))
        .and(contains("All free, us"));
    command.arg(&file).assert().success().stdout(text);
    let events = std::fs::read_to_string(file).unwrap();
    let events: Value = serde_json::from_str(&events).unwrap();
    let events = events["traceEvents"].as_array().unwrap();
    for name in ["makes room", "second kernel"] {
        let is_it = |event: &&Value| event["name"] == name && event["ph"] == "X";
        let slices: Vec<_> = events.iter().filter(is_it).collect();
        assert_eq!(slices.len(), 2, "{name}");
        assert!(
            slices
                .iter()
                .all(|slice| slice["dur"].as_f64().unwrap() > 0.0)
        );
    }
}

#[test]
fn what_makes_no_sense_with_a_second_kernel_is_refused() {
    let refused = |arguments: &[&str], text: &str| {
        let mut command = faultline();
        command.arg("gpu").args(arguments);
        command.assert().failure().stderr(contains(text.to_owned()));
    };
    let second = ["histo", "--second", "stencil"];
    let with = |options: &[&'static str]| [&second[..], options].concat();
    refused(
        &second,
        "give the cycle in which stencil is launched with --at",
    );
    for option in ["--at=5", "--policy=pep", "--lead=5", "--deadline=5"] {
        refused(&["histo", option], "so give --second too");
    }
    refused(&with(&["sgemm", "--at", "5"]), "so give one");
    refused(&["--second", "stencil", "--at", "5"], "so give one");
    refused(
        &with(&["--at", "5", "--policy", "best"]),
        "there are drain, switch, pep, chimera",
    );
    refused(
        &with(&["--at", "5", "--policy=drain", "--lead=9"]),
        "pep alone",
    );
    refused(
        &with(&["--at", "5", "--policy=pep", "--deadline=9"]),
        "chimera alone",
    );
    let switched = [
        "--at",
        "5",
        "--absent",
        "--scheme=replay-queue",
        "--switching=normal",
    ];
    refused(&with(&switched), "give --switching none");
    let ways = ["--at", "5", "--absent", "--prefetch=tree,none"];
    refused(&with(&ways), "give one value of --handling");
    refused(
        &["histo", "--second", "none", "--at", "5"],
        "none is neither a file nor a kernel",
    );
    refused(
        &["--restart", "2", "--second", "histo"],
        "cannot be used with",
    );
    let charts = ["--at", "5", "--policy=drain,switch", "--svg", "both.svg"];
    refused(&with(&charts), "give one scheme and one policy");
}

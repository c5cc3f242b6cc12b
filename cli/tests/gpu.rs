//! `faultline gpu` as its users meet it.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use predicates::prelude::*;
use predicates::str::contains;

use common::faultline;

fn json(arguments: &[&str]) -> serde_json::Value {
    let mut command = faultline();
    command.arg("gpu").args(arguments).arg("--json");
    let output = command.assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

/// The rows of the histogram's kernel on two SMs.
fn histo(arguments: &[&str]) -> Vec<serde_json::Value> {
    let mut all = vec!["histo", "--sms", "2", "--scheme"];
    all.extend(arguments);
    json(&all).as_array().unwrap().clone()
}

#[test]
fn absent_pages_come_over_the_link_and_values_are_checked() {
    let resident = &histo(&["operand-log"])[0];
    let absent = &histo(&["operand-log", "--absent"])[0];
    let number = |row: &serde_json::Value, name: &str| row[name].as_u64().unwrap();
    for row in [resident, absent] {
        assert_eq!(row["values_checked"], true);
    }
    assert_eq!(number(resident, "far_faults"), 0);
    assert!(number(absent, "cycles") > number(resident, "cycles") + 10_000);
    assert!(number(absent, "squashing_faults") > 0);
    let moved = number(absent, "migrated");
    assert!(moved > 0 && number(absent, "far_faults") >= moved + number(absent, "allocated"));
    assert_eq!(number(absent, "link_bytes"), moved << 16);
    let pages = &histo(&["operand-log", "--absent", "--granularity", "4k"])[0];
    assert_eq!(number(pages, "link_bytes"), number(pages, "migrated") << 12);
    assert!(number(pages, "migrated") > moved);
    let slow = &histo(&["operand-log", "--absent", "--link", "pcie3"])[0];
    assert!(number(slow, "cycles") > number(absent, "cycles"));
}

#[test]
fn schemes_stand_side_by_side() {
    let mut command = faultline();
    command.args([
        "gpu",
        "histo",
        "--sms",
        "2",
        "--scheme",
        "stall-on-fault,replay-queue",
    ]);
    let text = contains("stall-on-fault")
        .and(contains("replay-queue"))
        .and(contains("100.0"))
        .and(contains("are those of a run without a GPU"));
    command.assert().success().stdout(text);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |arguments: &[&str], text: &str| {
        let mut command = faultline();
        command.arg("gpu").args(arguments);
        command.assert().failure().stderr(contains(text.to_owned()));
    };
    refused(&["histo", "--sms", "17"], "17");
    refused(&["histo", "--link", "pcie3"], "--absent");
    refused(&["histo", "--log", "64k"], "--log 64k");
    refused(&["nothing"], "nothing is neither a file nor a kernel");
    refused(&["histo", "--scheme", "none"], "there is no scheme none");
}

//! `faultline sm --restart`.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::{faultline, grouped, json};

#[test]
fn the_restart_theorem_is_put_to_programs() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("restart.md");
    let rows = json(&[
        "sm",
        "--restart",
        "20",
        "--scheme",
        "replay-queue,operand-log",
        "--markdown",
        page.to_str().unwrap(),
    ]);
    for row in rows.as_array().unwrap() {
        assert_eq!(row["programs"], 20);
        assert!(row["exceptions"].as_u64().unwrap() > 0, "{row}");
    }
    let page = std::fs::read_to_string(page).unwrap();
    let command = "`faultline sm --restart 20 --scheme replay-queue,operand-log --backend reference \
                   --seed 1 --markdown FILE`";
    assert!(page.contains(command), "{page}");
    let cycles = rows[1]["cycles"].as_u64().unwrap();
    assert!(page.contains(&grouped(cycles)), "{page}");
}

#[test]
fn the_restart_theorem_takes_no_option_that_it_does_not_use() {
    let options = [
        ["--exceptions", "restart"],
        ["--exception-cycles", "10"],
        ["--block-threads", "64"],
        ["--warps", "4"],
        ["--queue", "16"],
        ["--scheduler", "greedy-then-oldest"],
        ["--scale", "2"],
        ["--blocks-per-sm", "2"],
        ["--fault-rate", "0.5"],
        ["--fault-cycles", "10"],
        ["--runs", "2"],
        ["--log", "8k"],
        ["--svg", "a.svg"],
    ];
    for option in options {
        faultline(&["sm", "--restart", "1"])
            .args(option)
            .assert()
            .failure()
            .stdout(is_empty())
            .stderr(contains("cannot be used with").and(contains(option[0])));
    }
    faultline(&["sm", "--restart", "1", "--scheme", "replay-queue"])
        .assert()
        .success()
        .stdout(contains("The reference ran."));
}

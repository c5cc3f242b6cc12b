//! `faultline gpu --prefetch`, `--capacity` and `--eviction` as their users meet them.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

use common::faultline;

fn rows(arguments: &[&str]) -> Vec<Value> {
    let mut command = faultline();
    command.args([
        "gpu",
        "histo",
        "--sms",
        "2",
        "--absent",
        "--granularity",
        "4k",
    ]);
    command.args(arguments).arg("--json");
    let output = command.assert().success();
    let found: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    found["rows"].as_array().unwrap().clone()
}

fn count(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap()
}

/// The same pages come with each prefetcher, over the same link.
/// The policies of a driver that reads records in batches, one after the other, beside hardware that tries each page again.
#[test]
fn a_driver_reads_batches_and_replays() {
    let mut command = faultline();
    command.args([
        "gpu",
        "sad",
        "--sms",
        "2",
        "--absent",
        "--granularity",
        "4k",
    ]);
    command.args(["--replay", "page,block,batch,batch-flush,once"]);
    let text = command.assert().success();
    text.stdout(contains("Batches").and(contains("batch-flush")));
    command.arg("--json");
    let output = command.assert().success();
    let found: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let rows = found["rows"].as_array().unwrap();
    let names: Vec<_> = rows
        .iter()
        .map(|row| row["replay"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["page", "block", "batch", "batch-flush", "once"]);
    let number = |row: &Value, name: &str| row[name].as_u64().unwrap();
    assert_eq!(number(&rows[0], "batches"), 0);
    for row in &rows[1..] {
        assert!(number(row, "batches") > 0, "{row}");
        assert_eq!(number(row, "migrated"), number(&rows[0], "migrated"));
        // Nothing is faster than a page that is tried again as it comes, but for chance.
        assert!(number(row, "cycles") as f64 > 0.97 * number(&rows[0], "cycles") as f64);
    }
}

#[test]
fn prefetchers_stand_side_by_side() {
    let rows = rows(&["--prefetch", "none,locality,tree,oracle"]);
    let names: Vec<_> = rows.iter().map(|row| &row["prefetch"]).collect();
    assert_eq!(names, ["none", "locality", "tree", "oracle"]);
    for row in &rows {
        assert_eq!(row["values_checked"], true);
        assert_eq!(row["capacity_percent"], Value::Null);
        assert_eq!(count(row, "link_bytes"), count(row, "migrated") << 12);
        assert!(count(row, "prefetched_and_used") <= count(row, "prefetched"));
        assert_eq!(count(row, "evicted"), 0);
    }
    let [none, .., oracle] = &rows[..] else {
        panic!("{rows:?}");
    };
    assert_eq!(count(none, "prefetched"), 0);
    assert!(rows[1..].iter().all(|row| count(row, "prefetched") > 10));
    assert!(count(oracle, "cycles") < count(none, "cycles"));
    let mut command = faultline();
    command.args([
        "gpu",
        "histo",
        "--sms",
        "2",
        "--absent",
        "--prefetch",
        "tree",
    ]);
    let text = contains("Prefetched")
        .and(contains("Used"))
        .and(contains("Evicted").not());
    command.assert().success().stdout(text);
}

/// What a prefetcher brings beyond what is accessed needs room as well, so more than all may be asked for.
#[test]
fn nothing_leaves_where_there_is_room_for_more_than_all() {
    let run = |capacity: &str| rows(&["--capacity", capacity]).remove(0);
    let (more, unlimited) = (run("125"), run("unlimited"));
    assert_eq!(more["capacity_percent"], 125);
    assert_eq!(more["evicted"], 0);
    assert_eq!(more["cycles"], unlimited["cycles"]);
}

#[test]
fn parts_leave_where_there_is_little_room() {
    let rows = rows(&["--capacity", "50", "--eviction", "lru,random,tree"]);
    let names: Vec<_> = rows.iter().map(|row| &row["eviction"]).collect();
    assert_eq!(names, ["lru", "random", "tree"]);
    for row in &rows {
        assert_eq!(row["values_checked"], true);
        assert_eq!(row["capacity_percent"], 50);
        assert!(count(row, "evicted") > 10, "{row}");
        assert!(count(row, "came_again") <= count(row, "evicted"));
        assert!(count(row, "written_back_bytes") <= count(row, "evicted") << 12);
    }
    let mut command = faultline();
    command.args(["gpu", "histo", "--sms", "2", "--absent", "--capacity", "50"]);
    let text = contains("Evicted").and(contains("Came again"));
    command.assert().success().stdout(text);
}

/// Pinned parts stay where they are, whether the others are absent or not.
#[test]
fn pinned_parts_are_read_over_the_link() {
    let [none] = &rows(&[])[..] else {
        panic!("one run");
    };
    assert_eq!(count(none, "pinned_lines_read"), 0);
    let [half] = &rows(&["--pinned", "50"])[..] else {
        panic!("one run");
    };
    let read = count(half, "pinned_lines_read");
    assert!(read > 100 && count(half, "pinned_lines_written") > 10);
    let came = |row| count(row, "migrated") + count(row, "allocated");
    assert_eq!(came(half), came(none).div_ceil(2));
    let bytes = (count(half, "migrated") << 12) + 128 * read;
    assert_eq!(count(half, "link_bytes"), bytes);
    let mut command = faultline();
    command.args(["gpu", "histo", "--sms", "2", "--pinned", "100"]);
    let command = command.args(["--link", "pcie3", "--granularity", "4k"]);
    let text = contains("Lines read").and(contains("Lines written"));
    command.assert().success().stdout(text);
}

#[test]
fn policies_that_make_no_sense_are_one_sentence_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gpu.toml");
    let path = file.to_str().unwrap();
    let refused = |text: &str, options: &[&str], sentence: &str| {
        std::fs::write(&file, text).unwrap();
        let mut command = faultline();
        command.args(["gpu", "spmv", "--sms", "2", "--config", path]);
        command.args(options);
        command
            .assert()
            .failure()
            .stderr(contains(sentence.to_owned()));
    };
    let there = "every page is there, so give --absent too";
    for option in [
        ["--prefetch", "tree"],
        ["--capacity", "50"],
        ["--eviction", "lru"],
        ["--replay", "once"],
    ] {
        refused("", &option, &format!("{}: {there}", option[0]));
    }
    let room = "there is room for everything, so give --capacity too";
    let evicts = ["--absent", "--eviction", "lru"];
    refused("", &evicts, &format!("--eviction: {room}"));
    let of_file = "[paging]\n\neviction = \"random\"\n";
    refused(
        of_file,
        &["--absent"],
        &format!("gpu.toml:3: eviction: {room}"),
    );
    refused(
        "[paging]\nprefetch = \"tree\"\n",
        &[],
        &format!("gpu.toml:2: prefetch: {there}"),
    );
    let half = "[paging]\ncapacity_percent = 50\n";
    refused(half, &[], &format!("gpu.toml:2: capacity_percent: {there}"));
    let waits = "waits with what has come until more has, and";
    refused(
        "[paging]\nreplay = \"batch\"\n",
        &["--absent", "--capacity", "50"],
        &format!("gpu.toml:2: replay = \"batch\" {waits} what finds no room cannot wait"),
    );
    let handled = ["--absent", "--replay", "once", "--scheme", "replay-queue"];
    refused(
        "",
        &[&handled[..], &["--handling", "gpu"]].concat(),
        &format!("replay = \"once\" {waits} a handler on the GPU cannot wait"),
    );
    let shares = "a whole number from 1 to 1000, or \"unlimited\"";
    for (value, sentence) in [
        ("0", format!("gpu.toml:2: 0 is not {shares}")),
        ("-1", format!("gpu.toml:2: -1 is not {shares}")),
        ("\"all\"", format!("gpu.toml:2: all is not {shares}")),
    ] {
        refused(&half.replace("50", value), &["--absent"], &sentence);
    }
    refused(
        "",
        &["--absent", "--capacity", "0"],
        &format!("0 is not {shares}"),
    );
    refused(
        "",
        &["--absent", "--capacity", "all"],
        &format!("it is not {shares}"),
    );
    let pinned = "[paging]\n\npinned_percent = 101\n";
    refused(pinned, &[], "gpu.toml:3: 101 is not from 0 to 100");
    let none = pinned.replace("101", "-1");
    refused(
        &none,
        &[],
        "gpu.toml:3: -1 is not a whole number from 0 to 100",
    );
    refused(
        "",
        &["--pinned", "101"],
        "give a whole number from 0 to 100",
    );
    refused(
        "",
        &["--pinned", "0", "--link", "nvlink"],
        &format!("--link: {there}"),
    );
    let unknown =
        "there is no prefetch magic; there are none, sequential, random, locality, tree, oracle";
    refused("[paging]\nprefetch = \"magic\"\n", &["--absent"], unknown);
    let unknown = "there is no eviction fifo; there are lru, random, tree";
    refused("[paging]\neviction = \"fifo\"\n", &["--absent"], unknown);
    // An instruction needs more.
    let pages = ["--absent", "--granularity", "4k"];
    let few = half.replace("50", "1");
    refused(&few, &pages, "gpu.toml:2: spmv under ");
    refused(&few, &pages, "and one instruction accesses up to ");
    let option = [&pages[..], &["--capacity", "1"]].concat();
    refused("", &option, "--capacity: spmv under ");
    // What is printed is read again.
    let printed = [
        "--absent",
        "--capacity",
        "50",
        "--eviction",
        "tree",
        "--print-config",
    ];
    let mut command = faultline();
    command.args(["gpu"]).args(printed);
    let output = command.assert().success().get_output().stdout.clone();
    std::fs::write(&file, output).unwrap();
    let mut command = faultline();
    command.args(["gpu", "--config", path, "--print-config"]);
    let text = contains("capacity_percent = 50").and(contains("eviction = \"tree\""));
    command.assert().success().stdout(text);
}

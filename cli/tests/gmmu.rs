//! `faultline gmmu` as its users meet it.

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
    command.arg("gmmu").args(arguments);
    command
}

fn json(arguments: &[&str]) -> Vec<serde_json::Value> {
    let output = faultline(arguments).arg("--json").assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

#[test]
fn one_run_shows_its_latencies() {
    let text = contains("in flight")
        .and(contains("queueing"))
        .and(contains("Walk latency"))
        .and(contains("##"));
    faultline(&["--pattern", "burst", "--design", "3", "--sms", "4"])
        .assert()
        .success()
        .stdout(text)
        .stderr(is_empty());
}

#[test]
fn every_machine_has_a_row_of_json() {
    let rows = json(&[
        "sharing",
        "--sms",
        "2",
        "--design",
        "3,1,shared-l2",
        "--threads",
        "4,8",
        "--pwc",
        "0,4k",
        "--order",
        "turns,first-come",
    ]);
    assert_eq!(rows.len(), 3 * 2 * 2 * 2);
    let same = |row: &serde_json::Value| row["ideal_cycles"] == rows[0]["ideal_cycles"];
    assert!(rows.iter().all(same));
    for row in &rows {
        let share = row["percent_of_ideal"].as_f64().unwrap();
        assert!(share > 1.0 && share <= 100.0, "{row}");
        let hits: u64 = row["levels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|level| level["cache_hits"].as_u64().unwrap())
            .sum();
        assert_eq!(hits > 0, row["pwc_bytes"] == 4096, "{row}");
        assert_eq!(row["far_faults"], 0);
        assert!(row["design"] == "1" || row["walks"].as_u64() <= row["missed"].as_u64());
    }
}

#[test]
fn far_faults_are_swept_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("plot.svg");
    let path = svg.to_str().unwrap();
    let rows = json(&[
        "sharing",
        "--sms",
        "2",
        "--design",
        "3",
        "--mshr-per-sm",
        "1,4",
        "--service-us",
        "2",
        "--svg",
        path,
    ]);
    let per_ms = |row: usize| rows[row]["far_faults_per_ms"].as_f64().unwrap();
    assert!(per_ms(1) > 2.0 * per_ms(0), "{} {}", per_ms(0), per_ms(1));
    assert!(rows[0]["nacks"].as_u64() > Some(0));
    assert_eq!(rows[0]["far_faults_percent"], 100);
    let svg = std::fs::read_to_string(svg).unwrap();
    let drawn = [
        "<svg",
        "fill=\"#FFFFFF\"",
        "far faults in a millisecond",
        "MSHRs per SM 4",
    ];
    assert!(drawn.iter().all(|part| svg.contains(part)), "{svg}");
}

/// With one SM there is no other SM beside the one that bursts.
#[test]
fn all_patterns_of_one_sm_are_those_that_it_can_run() {
    let rows = json(&["--sms", "1", "--design", "3"]);
    let names: Vec<_> = rows
        .iter()
        .map(|row| row["workload"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["stream", "stride", "random", "burst", "gather", "sharing"]
    );
    assert!(rows.iter().all(|row| row["accesses"].as_u64() > Some(0)));
}

/// In design 1 those of one SM, otherwise those of all.
#[test]
fn walks_in_flight_are_those_of_a_walker() {
    let rows = json(&["gather", "--sms", "2", "--design", "1,2"]);
    let of = |row: usize, name: &str| rows[row][name].as_f64().unwrap();
    assert_eq!((of(0, "in_flight_sms"), of(1, "in_flight_sms")), (1.0, 2.0));
    assert_eq!(of(0, "in_flight_most"), 128.0);
    assert!(of(0, "in_flight") > 55.0 && of(0, "within_500_percent") > 90.0);
    faultline(&["--help"])
        .assert()
        .success()
        .stdout(contains("about 60 walks of an SM are active"));
}

/// Every row of a sweep has the percentiles of its walks, and how busy its walker was.
#[test]
fn sweeps_show_percentiles_and_occupancy() {
    obligation::of_command(file!()).meet(|| {
        let sweep = ["gather", "--sms", "2", "--design", "1,2,3"];
        for row in json(&sweep) {
            let of = |value: &serde_json::Value| value.as_f64().unwrap_or_else(|| panic!("{row}"));
            for part in ["walk_latency", "queueing", "service"] {
                let parts = ["p50", "p90", "p99", "most"].map(|name| of(&row[part][name]));
                assert!(parts.is_sorted() && parts[0] > 0.0, "{part} in {row}");
            }
            let [walking, most, threads, busy] =
                ["walking", "walking_most", "threads", "threads_busy_percent"]
                    .map(|name| of(&row[name]));
            assert!(0.0 < walking && walking < most && most <= threads, "{row}");
            assert!((busy - 100.0 * walking / threads).abs() < 1e-9, "{row}");
            // No walk of this pattern waits for memory only once: a burst keeps more than one under way where more can be.
            assert!(threads < 2.0 || walking > 1.0, "{row}");
        }
        let headings = ["p50", "p90", "p99", "walking", "busy, %"];
        let output = faultline(&sweep).assert().success();
        let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        let missing: Vec<_> = headings
            .iter()
            .filter(|name| !text.contains(**name))
            .collect();
        assert!(missing.is_empty(), "{missing:?} in {text}");
    });
}

/// The cells of a workload's row, of all tables that its columns are split into.
fn shown(arguments: &[&str], workload: &str) -> Vec<(String, String)> {
    let output = faultline(arguments).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let cells = |line: &str| {
        let cells = line.split(['|', '\u{2502}', '\u{2506}']).map(str::trim);
        let cells: Vec<_> = cells.filter(|cell| !cell.is_empty()).collect();
        cells.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let (mut headings, mut shown) = (Vec::new(), Vec::new());
    for line in text.lines().map(cells) {
        match line.first().map(String::as_str) {
            Some("workload") => headings = line,
            Some(first) if first == workload => {
                shown.extend(headings.iter().cloned().zip(line));
            }
            _ => {}
        }
    }
    shown
}

/// Where every walk finds its page absent there is no latency, and none of its parts; and no service without far faults.
#[test]
fn what_was_not_measured_is_a_dash_and_no_number() {
    let absent = [
        "stream",
        "--sms",
        "2",
        "--design",
        "2",
        "--far-faults",
        "100",
        "--service-us",
        "2",
    ];
    let row = &json(&absent)[0];
    for (part, is_there) in [
        ("walk_latency", false),
        ("queueing", false),
        ("service", false),
        ("fault_service", true),
    ] {
        assert_eq!(row[part]["count"].as_u64() > Some(0), is_there, "{row}");
        for name in ["mean", "p50", "p90", "p99", "most"] {
            assert_eq!(row[part][name].is_null(), !is_there, "{part} in {row}");
        }
    }
    assert!(row["walks"].as_u64() > Some(0) && row["walking"].as_f64() > Some(0.0));
    let cells = shown(&absent, "stream");
    let of = |heading: &str| {
        let found = cells.iter().find(|(known, _)| known == heading);
        &found
            .unwrap_or_else(|| panic!("no {heading} in {cells:?}"))
            .1
    };
    for heading in ["latency", "p50", "p90", "p99", "queueing", "service"] {
        assert_eq!(of(heading), "-", "{heading}");
    }
    for heading in ["walking", "in flight", "service, us", "p50, us", "p99, us"] {
        assert!(of(heading).parse::<f64>().unwrap() > 0.0, "{heading}");
    }
    let present = &json(&["stream", "--sms", "2", "--design", "2"])[0];
    assert!(present["fault_service"]["p99"].is_null());
}

#[test]
fn one_run_with_far_faults_shows_their_service() {
    let one = [
        "sharing",
        "--sms",
        "2",
        "--design",
        "3",
        "--mshr-per-sm",
        "2",
        "--service-us",
        "2",
    ];
    faultline(&one)
        .assert()
        .success()
        .stdout(contains("Walk latency, and fault service").and(contains("Nacks")));
    let rows = json(&one);
    let octaves = rows[0]["fault_service"]["octaves"].as_array().unwrap();
    let counted: u64 = octaves
        .iter()
        .map(|octave| octave[1].as_u64().unwrap())
        .sum();
    assert!(counted > 0 && rows[0]["fault_service"]["count"] == counted);
}

#[test]
fn a_trace_is_translated() {
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/traces/kernelslist.g");
    let trace = trace.to_str().unwrap();
    for named in [&[trace][..], &["--pattern", trace]] {
        faultline(&[named, &["--sms", "2", "--design", "1,3"]].concat())
            .assert()
            .success()
            .stdout(contains("kernelslist.g").and(contains("of ideal")));
    }
}

#[test]
fn wrong_options_are_one_sentence() {
    let wrong: [(&[&str], &str); 11] = [
        (
            &["bursts"],
            "bursts is neither a file nor a pattern; the patterns are stream,",
        ),
        (&["burst", "--design", "4"], "there are 1, 2, 3, shared-l2"),
        (&["burst", "--threads", "12"], "power of two from 1 to 64"),
        (&["burst", "--pwc", "3k"], "such as 8k, or 0 for none"),
        (
            &["burst", "--l2", "8"],
            "power of two from 16 to 4096, or 0",
        ),
        (
            &["burst", "--mshr-per-sm", "0"],
            "whole number from 1 to 64",
        ),
        (
            &["burst", "--far-faults", "101"],
            "whole number from 0 to 100",
        ),
        (&["burst", "--markdown", "page.md"], "cannot be used with"),
        (
            &["one-bursts", "--sms", "1"],
            "one-bursts is one SM that bursts and the SMs beside it, which are measured; give --sms 2 or more",
        ),
        (
            &["--markdown", "page.md", "--sms", "1"],
            "give --markdown with --sms 2 or more",
        ),
        (&["burst", "--misses", "256"], "power of two from 1 to 128"),
    ];
    for (arguments, told) in wrong {
        let output = faultline(arguments).assert().failure();
        let output = output.stdout(is_empty()).stderr(contains(told));
        let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    }
}

#[test]
fn nothing_is_run_where_the_plot_cannot_be_written() {
    faultline(&["burst", "--svg", "/nowhere/plot.svg"])
        .assert()
        .failure()
        .stdout(is_empty())
        .stderr(contains("/nowhere/plot.svg: cannot write"));
}

#[test]
fn report_has_every_section() {
    obligation::of_command(file!()).meet(|| {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("gmmu.md");
    let path = page.to_str().unwrap();
    faultline(&[
        "--sms",
        "2",
        "--service-us",
        "1",
        "--memory-latency",
        "50",
        "--markdown",
        path,
    ])
    .assert()
    .success()
    .stderr(is_empty());
    let page = std::fs::read_to_string(page).unwrap();
    let told = [
        "# The GMMU under misses\n\nGenerated by `faultline gmmu --sms 2 --service-us 1 --memory-latency 50 --seed 1 --markdown FILE`.",
        "| shared-l2-pwc |",
        "## The page-walk cache",
        "## First come, first served",
        "| 32 |",
        "| one-bursts |",
        "| gather |",
        "## Bursts",
        "| paper | 60 | over 1,000 |",
        "| 64 walks, 200 cycles |",
        "| one-bursts, design 2 | 5 |",
    ];
    for part in told {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    assert!(!page.contains("NaN"), "{page}");
    });
}

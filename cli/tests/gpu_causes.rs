//! What the cycles of the SMs go to, how long faults keep what they stop, and the rows as CSV, as users of `faultline gpu` meet them.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

use common::faultline;

const CAUSES: [&str; 10] = [
    "pipeline",
    "log",
    "scheme",
    "arithmetic",
    "memory",
    "translation",
    "handler",
    "fault",
    "switching",
    "empty",
];

fn json(arguments: &[&str]) -> Value {
    let mut command = faultline();
    command.arg("gpu").args(arguments).arg("--json");
    let output = command.assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

/// Around the block `sm_unit`, too, and most of them go to faults.
#[test]
fn cycles_around_the_sm_unit_have_causes_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gpu.toml");
    let text = "sms = 3\n[sm]\nunit = \"rtl\"\n[paging]\nabsent = true\n";
    std::fs::write(&file, text).unwrap();
    let run = ["histo", "--config", file.to_str().unwrap(), "--stalls"];
    let results = json(&[&run[..], &["--threads", "1"]].concat());
    assert_eq!(results, json(&[&run[..], &["--threads", "3"]].concat()));
    let row = &results["rows"][0];
    assert_eq!(row["unit"], "rtl");
    let cycles = &row["sm_cycles"];
    let causes = CAUSES.map(|cause| number(&cycles[cause]));
    let all = number(&cycles["issuing"]) + causes.iter().sum::<u64>();
    assert_eq!(all, 3 * number(&row["cycles"]), "{row}");
    assert!(2 * number(&cycles["fault"]) > all, "{row}");
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}"))
}

/// The cycles of all SMs by cause add up to the cycles of the run on each of them, whatever the number of threads.
#[test]
fn cycles_of_the_sms_have_causes_if_asked() {
    let run = ["histo", "--sms", "3", "--scheme", "all", "--absent"];
    let asked = |threads: &str| json(&[&run[..], &["--stalls", "--threads", threads]].concat());
    let results = asked("1");
    assert_eq!(results, asked("3"));
    for row in results["rows"].as_array().unwrap() {
        let cycles = &row["sm_cycles"];
        let causes = CAUSES.map(|cause| number(&cycles[cause]));
        let all = number(&cycles["issuing"]) + causes.iter().sum::<u64>();
        assert_eq!(all, 3 * number(&row["cycles"]), "{row}");
        assert_eq!(cycles.as_object().unwrap().len(), 1 + CAUSES.len());
        assert!(2 * number(&cycles["fault"]) > all, "{row}");
    }
    let plain = json(&run);
    assert_eq!(plain["rows"][0]["sm_cycles"], Value::Null);
    // All else is the same.
    let without = |mut results: Value| {
        for row in results["rows"].as_array_mut().unwrap() {
            row.as_object_mut().unwrap().remove("sm_cycles");
        }
        results
    };
    assert_eq!(without(results), plain);
    let text = |options: &[&str]| {
        let mut command = faultline();
        command.arg("gpu").args(run).args(options);
        command.assert().success()
    };
    let heading = "Cycles of the SMs, %";
    let shown = contains(heading)
        .and(contains("issuing"))
        .and(contains("fault"));
    text(&["--stalls"]).stdout(shown);
    text(&[]).stdout(contains(heading).not());
}

/// Each fault is in the histogram once: those that squash as the row counts them, or those that stall an access.
#[test]
fn faults_are_timed_to_their_restart() {
    let results = json(&["histo", "--sms", "2", "--scheme", "all", "--absent"]);
    for row in results["rows"].as_array().unwrap() {
        let times = &row["fault_to_restart"];
        let [median, most, longest] =
            ["median", "percentile_90", "longest"].map(|name| number(&times[name]));
        // A page takes 10 us at least, from a report that is later than the fault.
        assert!(
            10_000 < median && median <= most && most <= longest,
            "{times}"
        );
        let bars = times["histogram"].as_array().unwrap();
        let counted: u64 = bars.iter().map(|bar| number(&bar["faults"])).sum();
        assert_eq!(counted, number(&times["faults"]));
        match row["scheme"].as_str().unwrap() {
            "stall-on-fault" => assert!(counted > 0 && number(&row["squashing_faults"]) == 0),
            _ => assert_eq!(counted, number(&row["squashing_faults"])),
        }
        let last = number(&bars.last().unwrap()["at_least"]);
        assert!((last..2 * last).contains(&longest), "{times}");
    }
    let mut command = faultline();
    command.args(["gpu", "histo", "--sms", "2", "--absent"]);
    let told = contains("Cycles from a fault to the restart").and(contains("from 8,192"));
    command.assert().success().stdout(told);
    let mut command = faultline();
    command.args(["gpu", "histo", "--sms", "2"]);
    let told = contains("Cycles from a fault").not();
    command.assert().success().stdout(told);
}

/// The cells of a file without quotes, line by line.
fn cells(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().map(|line| line.split(',').collect());
    lines.collect()
}

/// A line of the file is a row of `--json`, with its fields in columns.
#[test]
fn runs_are_written_as_csv() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.csv");
    let named = file.to_str().unwrap();
    let run = [
        "histo",
        "stencil",
        "--sms",
        "2",
        "--scheme",
        "stall-on-fault,replay-queue",
    ];
    let results = json(&[&run[..], &["--absent", "--stalls", "--csv", named]].concat());
    let rows = results["rows"].as_array().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let lines = cells(&text);
    assert_eq!((lines.len(), rows.len()), (5, 4));
    let headings = &lines[0];
    assert_eq!(headings[..4], ["workload", "preset", "sms", "part_bytes"]);
    for (row, line) in rows.iter().zip(&lines[1..]) {
        assert_eq!(line.len(), headings.len());
        let cell = |heading: &str| {
            let place = headings.iter().position(|other| *other == heading);
            line[place.unwrap_or_else(|| panic!("{heading}"))]
        };
        let mut columns = 0;
        for (name, value) in row.as_object().unwrap() {
            match value {
                Value::Object(fields) => {
                    for (field, value) in fields.iter().filter(|field| !field.1.is_array()) {
                        assert_eq!(cell(&format!("{name}_{field}")), value.to_string());
                        columns += 1;
                    }
                }
                Value::String(text) => assert_eq!(cell(name), text),
                Value::Null => assert_eq!(cell(name), "", "{name}"),
                Value::Number(value) => {
                    assert_eq!(cell(name).parse().ok(), value.as_f64(), "{name}");
                }
                value => assert_eq!(cell(name), value.to_string(), "{name}"),
            }
            columns += usize::from(!value.is_object());
        }
        // The bars of the histogram are in one cell.
        assert_eq!(columns + 1, line.len());
        let bars = row["fault_to_restart"]["histogram"].as_array().unwrap();
        let bars: Vec<String> = bars
            .iter()
            .map(|bar| format!("{}:{}", bar["at_least"], bar["faults"]))
            .collect();
        assert_eq!(cell("fault_to_restart_histogram"), bars.join(" "));
    }
}

/// A second kernel's rows are the same, and each SM's preemption is in one cell.
#[test]
fn runs_of_two_kernels_have_causes_and_are_written_as_csv() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.csv");
    let results = json(&[
        "histo",
        "--sms",
        "2",
        "--absent",
        "--second",
        "stencil",
        "--at",
        "20000",
        "--policy",
        "drain,switch",
        "--stalls",
        "--csv",
        file.to_str().unwrap(),
    ]);
    let text = std::fs::read_to_string(&file).unwrap();
    let lines = cells(&text);
    for (row, line) in results["rows"].as_array().unwrap().iter().zip(&lines[1..]) {
        assert_eq!(line[4], row["policy"].as_str().unwrap());
        let causes = CAUSES.map(|cause| number(&row["sm_cycles"][cause]));
        let all = number(&row["sm_cycles"]["issuing"]) + causes.iter().sum::<u64>();
        assert_eq!(all, 2 * number(&row["cycles"]));
        assert!(number(&row["fault_to_restart"]["faults"]) > 0);
    }
    assert_eq!(lines.len(), 3);
}

#[test]
fn what_is_of_no_use_is_refused() {
    let refused = |arguments: &[&str], sentence: &str| {
        let mut command = faultline();
        command.arg("gpu").args(arguments);
        command
            .assert()
            .failure()
            .stderr(contains(sentence.to_owned()));
    };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let config = path("gpu.toml");
    std::fs::write(&config, "sms = 2\n[paging]\ncopied = true\n").unwrap();
    refused(
        &["histo", "--config", &config],
        "gpu.toml:3: copied: every page is there, so give --absent too, or absent = true in [paging]",
    );
    refused(
        &["histo", "--copied"],
        "--copied: every page is there, so give --absent too",
    );
    let mut command = faultline();
    command.args(["sm", "histo", "--write-traces", &path("traces")]);
    command.assert().success();
    let (list, ptx) = (path("traces/kernelslist.g"), path("kernel.ptx"));
    let scale = "--scale: it is for kernels and programs, so name one too";
    refused(&[&list, "--scale", "2"], scale);
    refused(&[&ptx, "--scale", "2"], scale);
    refused(
        &[&list, "--blocks-per-sm", "2"],
        "--blocks-per-sm: it is for kernels, programs and PTX, so name one too",
    );
    // The second kernel counts, too.
    let mut command = faultline();
    command.args([
        "gpu", &list, "--sms", "2", "--scale", "2", "--second", "stencil", "--at", "100",
    ]);
    command.assert().success();
    // A file that cannot be written is named before anything runs, and none is left.
    let csv = path("missing/runs.csv");
    refused(&["histo", "--csv", &csv], &csv);
    refused(&["--restart", "1", "--stalls"], "cannot be used with");
    refused(&["--restart", "1", "--csv", &csv], "cannot be used with");
}

//! Traces that run, and kernels that are written as traces.

use std::path::Path;

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::{faultline, json};

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

/// A list may launch a kernel again, and two traces may have kernels of the same name.
#[test]
fn rows_of_traces_have_labels_of_their_own() {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/traces");
    let folder = tempfile::tempdir().unwrap();
    let name = "kernel-1-saxpy.traceg";
    std::fs::copy(traces.join(name), folder.path().join(name)).unwrap();
    let [list, svg] = ["kernelslist.g", "plot.svg"].map(|name| folder.path().join(name));
    std::fs::write(&list, format!("{name}\n{name}\n")).unwrap();
    let single = traces.join(name);
    let mut arguments = vec!["sm", list.to_str().unwrap(), single.to_str().unwrap()];
    arguments.extend(["--scheme", "stall-on-fault", "--svg", svg.to_str().unwrap()]);
    let rows = json(&arguments);
    let rows = rows["rows"].as_array().unwrap();
    let labels: Vec<_> = rows
        .iter()
        .map(|row| row["workload"].as_str().unwrap())
        .collect();
    let saxpy = "_Z5saxpyifPKfPf";
    assert_eq!(labels, [saxpy, "_Z5saxpyifPKfPf #2", "_Z5saxpyifPKfPf #3"]);
    let plot = std::fs::read_to_string(&svg).unwrap();
    assert!(
        plot.contains("_Z5saxpyifP #2") && plot.contains("_Z5saxpyifP #3"),
        "{plot}"
    );
    faultline(&arguments)
        .assert()
        .success()
        .stdout(contains(" _Z5saxpyifPKfPf #3 ").and(contains("Parboil").not()));
}

#[test]
fn kernels_are_distinguished_from_parboils_programs() {
    let note = "they are not its programs";
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("plot.svg");
    faultline(&["sm", "lbm", "--scheme", "stall-on-fault", "--svg"])
        .arg(&svg)
        .assert()
        .success()
        .stdout(contains(note));
    assert!(std::fs::read_to_string(svg).unwrap().contains(note));
    faultline(&["sm", "--help"])
        .assert()
        .success()
        .stdout(contains("patterns after Parboil's and not its programs"));
}

#[test]
fn kernels_are_written_as_traces() {
    let folder = tempfile::tempdir().unwrap();
    let traces = folder.path().join("new/traces");
    faultline(&["sm", "lbm", "sad", "--write-traces"])
        .arg(&traces)
        .assert()
        .success()
        .stdout(contains("kernel-1.traceg: lbm").and(contains("kernel-2.traceg: sad")));
    let mut files: Vec<_> = std::fs::read_dir(&traces)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(
        files,
        ["kernel-1.traceg", "kernel-2.traceg", "kernelslist.g"]
    );
    let list = traces.join("kernelslist.g");
    let of = |workloads: &[&str]| {
        let rows = json(
            &[
                &["sm", "--runs", "1", "--scheme", "stall-on-fault"],
                workloads,
            ]
            .concat(),
        );
        let rows = rows["rows"].as_array().unwrap();
        let told = rows
            .iter()
            .map(|row| (row["workload"].clone(), row["instructions"].clone()));
        told.collect::<Vec<_>>()
    };
    assert_eq!(of(&[list.to_str().unwrap()]), of(&["lbm", "sad"]));
}

#[test]
fn traces_that_cannot_be_written_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    faultline(&["sm", "lbm", "--write-traces"])
        .arg(file.join("traces"))
        .assert()
        .failure()
        .stderr(contains("the traces cannot be written"));
    // A folder where the list should be.
    let traces = folder.path().join("traces");
    std::fs::create_dir_all(traces.join("kernelslist.g/full")).unwrap();
    faultline(&["sm", "nothing", "--write-traces"])
        .arg(&traces)
        .assert()
        .failure()
        .stderr(contains("nothing is no kernel"));
    faultline(&["sm", "lbm", "--write-traces"])
        .arg(&traces)
        .assert()
        .failure()
        .stdout(is_empty())
        .stderr(contains("kernelslist.g: cannot write"));
    assert_eq!(std::fs::read_dir(&traces).unwrap().count(), 1);
    for option in [["--restart", "1"], ["--warps", "4"], ["--svg", "a.svg"]] {
        faultline(&["sm", "--write-traces"])
            .arg(&traces)
            .args(option)
            .assert()
            .failure()
            .stderr(contains("cannot be used with"));
    }
}

//! `faultline gpu --handling` and the figures of it as their users meet them.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

use common::faultline;

fn json(arguments: &[&str]) -> Value {
    let mut command = faultline();
    command.args(arguments).arg("--json");
    let output = command.assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

fn refused(arguments: &[&str], sentence: &str) {
    let mut command = faultline();
    command.args(arguments);
    command
        .assert()
        .failure()
        .stderr(contains(sentence.to_owned()));
}

/// The CPU and the warps handle the same faults, one run beside the other.
#[test]
fn faults_are_handled_by_the_cpu_or_by_the_warps() {
    let kernel = ["gpu", "histo", "--sms", "2", "--absent"];
    let run = |options: &[&str]| {
        let all = [&kernel[..], &["--handling", "cpu,gpu"], options].concat();
        json(&all)["rows"].as_array().unwrap().clone()
    };
    let count = |row: &Value, name: &str| row[name].as_u64().unwrap();
    let rows = run(&[]);
    let names: Vec<_> = rows.iter().map(|row| &row["handling"]).collect();
    assert_eq!(names, ["cpu", "gpu"]);
    let [cpu, gpu] = &rows[..] else {
        panic!("{rows:?}");
    };
    assert_eq!(count(cpu, "handled_on_gpu") + count(cpu, "asked_of_cpu"), 0);
    for (name, of_gpu) in [
        ("allocated", "handled_on_gpu"),
        ("migrated", "asked_of_cpu"),
    ] {
        assert!(count(gpu, of_gpu) > 0, "{gpu}");
        assert_eq!(count(gpu, of_gpu), count(gpu, name));
        assert_eq!(count(gpu, name), count(cpu, name));
    }
    // What was copied does not move.
    for row in run(&["--copied"]) {
        assert_eq!(count(&row, "migrated"), 0);
        assert_eq!(count(&row, "allocated"), count(cpu, "allocated"));
        assert_eq!(row["values_checked"], true);
    }
    let mut command = faultline();
    command.args(kernel).args(["--handling", "gpu"]);
    let text = contains("Handled on GPU").and(contains("Asked of CPU"));
    command.assert().success().stdout(text);
}

/// The chart has a plot of the handlers, and the events have a handler for each region.
#[test]
fn handlers_on_sms_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let [svg, events] = ["run.svg", "run.json"].map(|name| folder.path().join(name));
    let kernel = ["gpu", "histo", "--sms", "2", "--absent"];
    let shown = |handling: &str| {
        let files = [
            "--svg",
            svg.to_str().unwrap(),
            "--trace-events",
            events.to_str().unwrap(),
        ];
        let all = [&kernel[..], &["--handling", handling], &files].concat();
        let rows = json(&all);
        let events = std::fs::read_to_string(&events).unwrap();
        let events: Value = serde_json::from_str(&events).unwrap();
        let svg = std::fs::read_to_string(&svg).unwrap();
        (rows["rows"][0].clone(), events["traceEvents"].clone(), svg)
    };
    let (row, events, svg) = shown("gpu");
    assert!(svg.contains("handlers on SMs") && svg.contains("are allocated on the GPU"));
    let local = |phase: &str| -> Vec<&Value> {
        let events = events.as_array().unwrap().iter();
        let is_it = |event: &&Value| event["cat"] == "handler on an SM" && event["ph"] == phase;
        events.filter(is_it).collect()
    };
    let (begins, ends) = (local("b"), local("e"));
    let parts = row["handled_on_gpu"].as_u64().unwrap() + row["asked_of_cpu"].as_u64().unwrap();
    assert_eq!([begins.len(), ends.len()], [parts as usize; 2]);
    for (begin, end) in begins.iter().zip(ends) {
        let lasts = end["ts"].as_f64().unwrap() - begin["ts"].as_f64().unwrap();
        assert!((lasts - 20.0).abs() < 1e-6, "{begin}");
        assert!(
            begin["name"].as_str().unwrap().contains(" on SM "),
            "{begin}"
        );
    }
    // The CPU's handler works for what it was asked alone.
    let handled = events.as_array().unwrap().iter();
    let handled = handled
        .filter(|event| event["ph"] == "X" && event["pid"] == 102 && event["tid"] == 1)
        .count();
    assert_eq!(handled as u64, row["asked_of_cpu"].as_u64().unwrap());
    let (_, events, svg) = shown("cpu");
    assert!(!svg.contains("handlers on SMs") && !events.to_string().contains("handler on an SM"));
}

#[test]
fn handlers_that_cannot_run_are_refused() {
    refused(&["gpu", "histo", "--handling", "gpu"], "--absent");
    refused(&["gpu", "histo", "--copied"], "--absent");
    refused(&["gpu", "histo", "--absent", "--handling", "both"], "both");
    refused(
        &["gpu", "--restart", "1", "--handling", "gpu"],
        "cannot be used with",
    );
    let stalls = "stall-on-fault squashes nothing, so a warp that has faulted cannot run the handler of its fault";
    let scheme = ["--scheme", "stall-on-fault"];
    let options = ["gpu", "histo", "--absent", "--handling", "cpu,gpu"];
    refused(&[&options[..], &scheme].concat(), stalls);
    // Of a file the line is named.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gpu.toml");
    let named = file.to_str().unwrap();
    let of_file = ["gpu", "histo", "--config", named];
    std::fs::write(&file, "[paging]\nabsent = true\nhandling = \"gpu\"\n").unwrap();
    let sentence = format!("gpu.toml:3: {stalls}");
    refused(&[&of_file[..], &scheme].concat(), &sentence);
    std::fs::write(
        &file,
        "[sm]\nscheme = \"stall-on-fault\"\n[paging]\nhandling = \"gpu\"\n",
    )
    .unwrap();
    refused(&of_file, &format!("gpu.toml:4: {stalls}"));
    // Of a file without a scheme it is that of the preset, and an option gives another one.
    std::fs::write(&file, "[paging]\nabsent = true\nhandling = \"gpu\"\n").unwrap();
    let preset = [&of_file[..], &["--preset", "zheng"]].concat();
    refused(&preset, &format!("gpu.toml:3: {stalls}"));
    let mut command = faultline();
    command
        .args(&preset)
        .args(["--scheme", "replay-queue", "--print-config"]);
    command.assert().success();
    std::fs::write(&file, "[paging]\nhandling = \"fpga\"\n").unwrap();
    refused(
        &of_file,
        "gpu.toml:2: there is no handling fpga; there are cpu, gpu",
    );
}

/// What a file says and cannot be is one sentence with the line, unless an option replaces it.
#[test]
fn files_that_cannot_be_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gpu.toml");
    let of_file = [
        "gpu",
        "histo",
        "--print-config",
        "--config",
        file.to_str().unwrap(),
    ];
    let wrong = |text: &str, options: &[&str], sentence: &str| {
        std::fs::write(&file, text).unwrap();
        refused(&[&of_file[..], options].concat(), sentence);
    };
    let right = |text: &str, options: &[&str]| {
        std::fs::write(&file, text).unwrap();
        let mut command = faultline();
        command.args(of_file).args(options).assert().success();
    };
    let short = "[paging]\nabsent = true\nmigration = 1\n";
    let sentence = "gpu.toml:3: migration = 1 is less than 3639: the handler takes 2000 cycles, and 65536 bytes take 1639 on the link";
    wrong(short, &[], sentence);
    right(short, &["--link", "pcie3"]);
    wrong(
        short,
        &["--granularity", "4k"],
        "gpu.toml:3: migration = 1 is less than 2103: the handler takes 2000 cycles, and 4096 bytes take 103",
    );
    let long = "[paging]\nabsent = true\nhandler = 11000\n";
    let sentence =
        "gpu.toml:3: migration = 12000 is less than 12639: the handler takes 11000 cycles";
    wrong(long, &[], sentence);
    wrong(long, &["--link", "nvlink"], sentence);
    wrong(
        "[paging]\n\nallocation = 5\n",
        &[],
        "gpu.toml:3: allocation = 5 is less than the 2000 cycles of the handler",
    );
    let switches = "[switching]\nmode = \"ideal\"\n";
    let there = "every page is there, so give --absent too";
    wrong(switches, &[], &format!("gpu.toml:2: mode: {there}"));
    right(switches, &["--absent"]);
    right(switches, &["--switching", "none"]);
    let handles = "[paging]\nhandling = \"gpu\"\n";
    wrong(handles, &[], &format!("gpu.toml:2: handling: {there}"));
    right(handles, &["--absent"]);
    let large = "[paging]\nlarge_pages = true\n";
    let whole = |part: &str| {
        format!("large_pages = true maps 2 MB as one page, of which {part} cannot come alone")
    };
    wrong(large, &[], &format!("gpu.toml:2: {}", whole("64k")));
    right(large, &["--granularity", "2m", "--absent"]);
    let comes = "[paging]\nlarge_pages = true\ngranularity = \"2m\"\n";
    let options = ["--granularity", "4k", "--absent"];
    wrong(comes, &options, &format!("gpu.toml:2: {}", whole("4k")));
    let stalls = ["--absent", "--scheme", "stall-on-fault"];
    wrong(
        switches,
        &stalls,
        "gpu.toml:2: stall-on-fault squashes nothing, so no thread block that has faulted can be switched out",
    );
    let restarts = "[exceptions]\nresponse = \"restart\"\n";
    let sentence = "stall-on-fault squashes nothing, so no instruction that has raised an exception can be restarted";
    wrong(restarts, &stalls, &format!("gpu.toml:2: {sentence}"));
    right(restarts, &[]);
    right(
        restarts,
        &["--scheme", "stall-on-fault", "--exceptions", "end"],
    );
    // Of the line of the scheme, if an option asks for the response.
    wrong(
        "[sm]\n\nscheme = \"stall-on-fault\"\n",
        &["--exceptions", "restart"],
        &format!("gpu.toml:3: {sentence}"),
    );
}

/// Both figures: each kernel over both links, beside the paper's means only if all kernels run.
#[test]
fn handling_stands_beside_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let [page, picture] = ["page.md", "picture.svg"].map(|name| folder.path().join(name));
    let small = ["--code=written", "--kernels=heap-fixed,histo", "--scale=2"];
    let all = [&["figures", "tanasic-13", "tanasic-14"][..], &small].concat();
    let with = [&all[..], &["--markdown", page.to_str().unwrap()]].concat();
    let found = json(&with);
    let rows = found["rows"].as_array().unwrap();
    let which = |row: &Value| {
        let names = ["figure", "workload", "link"].map(|name| row[name].as_str().unwrap());
        names.join(" ")
    };
    let expected = [
        "tanasic-13 heap-fixed nvlink",
        "tanasic-13 heap-fixed pcie3",
        "tanasic-14 histo nvlink",
        "tanasic-14 histo pcie3",
    ];
    assert!(rows.iter().map(which).eq(expected));
    for row in rows {
        let cycles = [0, 1].map(|at| row["cycles"][at].as_f64().unwrap());
        let here = row["performance_percent"].as_f64().unwrap();
        assert!((here - 100.0 * cycles[0] / cycles[1]).abs() < 1e-9, "{row}");
        assert_eq!(row["migrated"], Value::from([0, 0]));
        assert_eq!(row["handled_on_gpu"], row["allocated"][1]);
        let fault = row["fault_us"][1].as_f64().unwrap();
        assert!((fault - 20.0).abs() < 1e-6, "{row}");
        // The histogram writes one region.
        let least = if row["workload"] == "histo" { 1 } else { 2 };
        let at_once = row["handlers_at_once"].as_u64().unwrap();
        assert!(at_once >= least, "{row}");
    }
    let means = found["geometric_means"].as_array().unwrap();
    assert_eq!(means.len(), 4);
    assert!(means.iter().all(|mean| mean["paper_percent"].is_null()));
    let page = std::fs::read_to_string(page).unwrap();
    for told in [
        "faultline figures tanasic-13 tanasic-14 --code written --kernels heap-fixed,histo --scale 2 --queue 64",
        "## Figure 13: pages of a heap",
        "| histo | pcie3 |",
        "A handler takes 20 us on an SM",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
    let mut command = faultline();
    command.args(["figures", "tanasic-13"]).args([
        "--code=written",
        "--kernels",
        "heap-fixed",
        "--scale",
        "1",
        "--svg",
    ]);
    command.arg(&picture);
    let text = contains("Geometric means: tanasic-13 over nvlink");
    command.assert().success().stdout(text);
    let picture = std::fs::read_to_string(picture).unwrap();
    assert!(picture.contains("heap-fixed") && picture.contains("geometric mean"));
}

#[test]
fn options_and_kernels_that_are_not_of_handling_are_refused() {
    let figures = |options: &[&str], sentence: &str| {
        refused(&[&["figures"], options].concat(), sentence);
    };
    figures(&["tanasic-14", "--runs", "2"], "leave out --runs");
    figures(
        &["tanasic-13", "tanasic-14", "--svg=a.svg"],
        "--svg draws one figure",
    );
    figures(
        &["tanasic-14", "--kernels", "quad-tree"],
        "tanasic-14: quad-tree takes no part; there are bfs, ",
    );
    figures(
        &["tanasic-10", "--kernels", "quad-tree"],
        "quad-tree takes no part",
    );
    figures(&["tanasic-15"], "tanasic-13, tanasic-14");
}

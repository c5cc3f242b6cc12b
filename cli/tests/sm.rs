//! `faultline sm` and `faultline timeline` as their users meet them.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use std::path::Path;

use assert_cmd::Command;
use faultline_testbench::backend::BackendError;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};

fn faultline(arguments: &[&str]) -> Command {
    // As a user runs it, who has not what cargo sets for tests.
    let mut command = Command::new(env!("CARGO_BIN_EXE_faultline"));
    command.env_remove("RUST_MIN_STACK");
    command.args(arguments);
    command
}

fn json(arguments: &[&str]) -> serde_json::Value {
    let output = faultline(arguments).arg("--json").assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

#[test]
fn kernels_run_beside_the_paper() {
    let text = contains("sgemm")
        .and(contains("geometric mean"))
        .and(contains("84.0"))
        .and(contains("99.2"))
        .and(contains("result, %"));
    faultline(&["sm"])
        .assert()
        .success()
        .stdout(text.and(contains("Runs at scale 1 are noisy")))
        .stderr(is_empty());
}

/// The report is as old as its file, and the terminal names its command.
#[test]
fn the_command_of_the_report_is_the_one_that_is_told() {
    let report = include_str!("../../sim/reports/performance.md");
    let line = report.lines().nth(2).unwrap();
    for option in ["--log 8k,16k,20k,32k", "--scale 4", "--runs 24"] {
        assert!(line.contains(option), "{line}");
    }
}

#[test]
fn the_paper_is_left_out_where_it_is_about_something_else() {
    let without = || contains("geometric mean").and(contains("paper").not());
    for arguments in [
        &["sm", "sgemm", "lbm"][..],
        &["sm", "--runs", "1", "--fault-rate", "0.01"],
        &["sm", "--runs", "1", "--absent"],
    ] {
        faultline(arguments).assert().success().stdout(without());
    }
    let folder = tempfile::tempdir().unwrap();
    let (page, svg) = (folder.path().join("a.md"), folder.path().join("a.svg"));
    faultline(&["sm", "lbm", "--markdown"])
        .arg(&page)
        .arg("--svg")
        .arg(&svg)
        .assert()
        .success();
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("| scheme | here |"), "{page}");
    for about in ["The paper's", "in the paper at", "## Why", "## Order"] {
        assert!(!page.contains(about), "{page}");
    }
    assert!(!std::fs::read_to_string(svg).unwrap().contains("paper"));
}

#[test]
fn a_hidden_baseline_is_the_baseline_all_the_same() {
    let all = json(&["sm", "lbm"]);
    let queue = json(&["sm", "lbm", "--scheme", "replay-queue"]);
    assert_eq!(queue["rows"][0]["hidden"], true);
    assert_eq!(queue["rows"][1]["hidden"], false);
    let cycles = &all["rows"][0]["cycles"];
    assert_eq!(&queue["rows"][0]["cycles"], cycles);
    assert_eq!(queue["geometric_means"].as_array().unwrap().len(), 1);
    let shown = contains("baseline's cycles")
        .and(contains(grouped(cycles.as_u64().unwrap())))
        .and(contains("stall-on-fault ").not());
    faultline(&["sm", "lbm", "--scheme", "replay-queue"])
        .assert()
        .success()
        .stdout(shown);
}

#[test]
fn every_scheme_has_a_row_of_json() {
    let results = json(&["sm", "sgemm", "--log", "8k,32K", "--fault-rate", "0.05"]);
    let rows = results["rows"].as_array().unwrap();
    let schemes: Vec<_> = rows
        .iter()
        .map(|row| row["scheme"].as_str().unwrap())
        .collect();
    let expected = [
        "stall-on-fault",
        "warp-disable-commit",
        "warp-disable-last-check",
        "replay-queue",
        "operand-log",
        "operand-log",
    ];
    assert_eq!(schemes, expected);
    for row in rows {
        let squashes = row["scheme"] != "stall-on-fault";
        assert_eq!(
            row["faults"].as_u64().is_some_and(|count| count > 0),
            squashes
        );
        assert_eq!(row["faults"].is_null(), !squashes);
        assert!(row["stalls"]["result"].as_u64().unwrap() > 0);
    }
    let means = results["geometric_means"].as_array().unwrap();
    assert_eq!(means.len(), rows.len());
    for (mean, row) in means.iter().zip(rows) {
        assert_eq!(mean["log_bytes"], row["log_bytes"]);
        // There is one workload, and the paper has no faults.
        let difference =
            mean["percent"].as_f64().unwrap() - row["relative_percent"].as_f64().unwrap();
        assert!(difference.abs() < 1e-6);
        assert!(mean["paper_percent"].is_null());
    }
    assert_eq!(rows[5]["log_bytes"], 32 << 10);
}

#[test]
fn what_is_named_twice_runs_once() {
    let numbers = |arguments: &[&str]| {
        let rows = json(arguments);
        let rows = rows["rows"].as_array().unwrap();
        let number = |row: &serde_json::Value| row["log_bytes"].as_u64();
        let shown = rows.iter().filter(|row| row["hidden"] == false);
        shown.map(number).collect::<Vec<_>>()
    };
    let sizes = numbers(&[
        "sm",
        "lbm",
        "--scheme",
        "operand-log",
        "--log",
        "16k,8k,16K",
    ]);
    assert_eq!(sizes, [Some(16 << 10), Some(8 << 10)]);
    let kernels = json(&["sm", "lbm", "lbm", "--scheme", "stall-on-fault"]);
    assert_eq!(kernels["rows"].as_array().unwrap().len(), 1);
    let twice = "replay-queue,replay-queue";
    assert_eq!(numbers(&["sm", "lbm", "--scheme", twice]), [None]);
    let programs = json(&["sm", "--restart", "2", "--scheme", twice]);
    assert_eq!(programs.as_array().unwrap().len(), 1);
    let folder = tempfile::tempdir().unwrap();
    let (page, svg) = (folder.path().join("a.md"), folder.path().join("a.svg"));
    faultline(&["sm", "lbm", "cutcp", "--log", "16k,16K", "--markdown"])
        .arg(&page)
        .arg("--svg")
        .arg(&svg)
        .assert()
        .success();
    let page = std::fs::read_to_string(page).unwrap();
    for row in [
        "| lbm | operand-log 16 KB |",
        "| cutcp | operand-log 16 KB |",
    ] {
        assert_eq!(page.matches(row).count(), 1, "{page}");
    }
}

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
fn kernels_are_told_from_parboils_programs() {
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
fn occupancy_is_told_in_bins() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.md");
    let bins = |queue: &str| {
        faultline(&["sm", "sad", "--sharers", "1", "--log", "8k"])
            .args(["--queue", queue, "--markdown"])
            .arg(&page)
            .assert()
            .success()
            .stdout(contains("Occupancy, % of cycles").and(contains(" operand-log 8 KB: log ")));
        let page = std::fs::read_to_string(&page).unwrap();
        let (_, table) = page.split_once("## Occupancy, % of cycles").unwrap();
        let table = table.split("\n## ").next().unwrap();
        let rows = table
            .lines()
            .filter(|line| line.contains(": queue |") || line.contains(": log |"));
        let shares = rows.map(|row| {
            let cells = row.trim_matches('|').split('|').skip(1);
            cells
                .map(|cell| cell.trim().parse::<f64>().unwrap())
                .collect::<Vec<_>>()
        });
        let shares: Vec<Vec<f64>> = shares.collect();
        // Two queues and a log.
        assert_eq!(shares.len(), 3, "{table}");
        for row in &shares {
            assert!((row.iter().sum::<f64>() - 100.0).abs() < 1.0, "{table}");
        }
        shares[0].len()
    };
    assert_eq!(bins("64"), 7);
    assert_eq!(bins("128"), 8);
}

#[test]
fn fewer_blocks_take_longer() {
    let cycles = |options: &[&str]| {
        let rows = json(&[&["sm", "lbm", "--scheme", "stall-on-fault"], options].concat());
        rows["rows"][0]["cycles"].as_u64().unwrap()
    };
    let (all, one) = (cycles(&[]), cycles(&["--blocks-per-sm", "1"]));
    assert!(one > all + all / 4, "{one} and {all} cycles");
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.md");
    faultline(&["sm", "lbm", "--blocks-per-sm", "1", "--markdown"])
        .arg(&page)
        .assert()
        .success();
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(" --blocks-per-sm 1 "), "{page}");
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

#[test]
fn a_report_names_its_command_and_the_causes() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("performance.md");
    let path = page.to_str().unwrap();
    faultline(&["sm", "--runs", "2", "--markdown", path])
        .assert()
        .success()
        .stderr(is_empty());
    let page = std::fs::read_to_string(page).unwrap();
    let mut lines = page.lines();
    assert_eq!(lines.next(), Some("# Performance"));
    assert!(lines.nth(1).unwrap().starts_with(
        "Generated by `faultline sm --log 8k,16k --queue 64 --warps 64 --sharers 16 --scheduler loose-round-robin --scale 1 --runs 2 --seed 1"
    ));
    let told = [
        "| scheme | paper | here | `--sharers 1` | `--queue 128` |",
        "| warp-disable-commit | 84.0 |",
        "On lbm, which runs at 8 warps, the replay queue is at",
        "- Arithmetic takes 4 cycles, a special function 16",
        "## Why",
        "Most of the order of the means is that of lbm.",
        "| lbm | operand-log 16 KB |",
    ];
    for told in told {
        assert!(page.contains(told), "{told}");
    }
}

#[test]
fn the_means_of_runs_are_shown() {
    let rows = json(&["sm", "lbm", "--scheme", "replay-queue", "--runs", "3"]);
    let one = json(&["sm", "lbm", "--scheme", "replay-queue"]);
    let number = |rows: &serde_json::Value, name: &str| rows["rows"][1][name].as_u64().unwrap();
    assert_eq!(number(&rows, "runs"), 3);
    assert_eq!(number(&rows, "instructions"), number(&one, "instructions"));
    let (mean, cycles) = (number(&rows, "cycles"), number(&one, "cycles"));
    assert!(
        mean.abs_diff(cycles) < cycles / 5,
        "{mean} and {cycles} cycles"
    );
    assert!(rows["rows"][1]["error_percent"].as_f64().unwrap() > 0.0);
    faultline(&["sm", "lbm", "--scheme", "replay-queue", "--runs", "3"])
        .assert()
        .success()
        .stdout(contains("means of 3 runs").and(contains(grouped(mean))));
}

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
        ["--warps", "4"],
        ["--queue", "16"],
        ["--scheduler", "greedy-then-oldest"],
        ["--scale", "2"],
        ["--blocks-per-sm", "2"],
        ["--sharers", "1"],
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

/// A number as people read it.
fn grouped(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1000), number % 1000),
    }
}

#[test]
fn what_makes_no_sense_is_told() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../sim/traces/kernelslist.g");
    let cases: [(&[&str], &str); 25] = [
        (
            &["sm", trace, "--scale", "2"],
            "--scale: a trace is as it is",
        ),
        (
            &["sm", trace, "--blocks-per-sm", "2"],
            "--blocks-per-sm: a trace is as it is",
        ),
        (
            &[
                "sm",
                "lbm",
                "--queue",
                "16",
                "--scheme",
                "warp-disable-commit",
            ],
            "add replay-queue or operand-log to --scheme",
        ),
        (
            &["sm", "lbm", "--warps", "2", "--scheme", "replay-queue"],
            "error: --warps 2: a thread block of lbm has 4 warps; give --warps 4 or more\n",
        ),
        (&["sm", "sgemm", "--log", "1k"], "give --log 5k or more\n"),
        (
            &["sm", "--scheme", "replay-queue", "--markdown", "page.md"],
            "leave out --scheme",
        ),
        (
            &["sm", "--restart", "2", "--seed", "18446744073709551615"],
            "give a lower --seed",
        ),
        (&["sm", "nothing"], "neither a file nor a kernel"),
        (&["sm", "--scheme", "hope"], "there is no scheme hope"),
        (
            &["sm", "lbm", "--scheme", "all,bar"],
            "there is no scheme bar",
        ),
        (
            &["timeline", "--scheme", "all,foo"],
            "there is no scheme foo",
        ),
        (
            &["timeline", "--scheme", ""],
            "the value is empty; name one",
        ),
        (
            &["timeline", "--fault", "A,"],
            "the value is empty; name one",
        ),
        (&["sm", "--log", "9M"], "such as 8k,16k"),
        (
            &["sm", "--log", "1024"],
            "--log 1024: give sizes in KB with their k,",
        ),
        (
            &["timeline", "/nonexistent/program"],
            "/nonexistent/program: the file cannot be opened (No such file or directory (os error 2)); check its name and permissions",
        ),
        (&["sm", "--queue", "3"], "a power of two"),
        (&["sm", "--fault-rate", "1"], "below 1"),
        (&["sm", "--fault-rate", "-0.1"], "below 1"),
        (&["sm", "--fault-cycles", "10"], "--fault-rate or --absent"),
        (&["sm", "--svg", "plot.png"], "ends in .svg"),
        (
            &["sm", "--log", "8k", "--scheme", "replay-queue"],
            "add operand-log",
        ),
        (
            &["sm", "lbm", "--svg", "a.svg", "--markdown", "./a.svg"],
            "a file of its own",
        ),
        (
            &["timeline", "--fault", "B"],
            "the label of a load or store of global memory among the first 64 instructions; there are A (line 2), C (line 4)",
        ),
        (
            &["timeline", "--fault", "1"],
            "there are A (line 2), C (line 4)",
        ),
    ];
    for (arguments, told) in cases {
        faultline(arguments)
            .assert()
            .failure()
            .stdout(is_empty())
            .stderr(contains(told));
    }
}

#[test]
fn a_design_that_is_not_built_in_names_its_export() {
    let told = |name: &str| BackendError::NotExported(name.to_owned()).to_string();
    let large = told("sm_pipeline_stall_64");
    let export = "run `faultline export --block sm_pipeline --config stall_64` if";
    assert!(
        large.contains(export) && large.contains("`--features large`"),
        "{large}"
    );
    let small = told("replay_queue_16");
    let export = "run `faultline export --block replay_queue --config 16` if";
    assert!(
        small.contains(export) && small.contains("`--features verilog`"),
        "{small}"
    );
}

/// For the sizes that were asked for, and for this subcommand.
#[cfg(not(feature = "verilog"))]
#[test]
fn a_build_without_verilog_names_its_feature() {
    let large = contains("sm_pipeline --config stall_64")
        .and(contains("--features large -- sm"))
        .and(contains("--warps 4"));
    let small = contains("--features verilog -- sm").and(contains("cosim").not());
    let run = |options: &[&str]| {
        let mut command = faultline(&["sm", "lbm", "--backend", "verilog"]);
        command.args(options).assert().failure()
    };
    run(&[]).stderr(large);
    run(&["--warps", "4", "--queue", "16", "--log", "8k"]).stderr(small);
}

/// With this scheduler there is a design with the log, and none of the baseline.
#[test]
fn a_baseline_that_is_not_asked_for_takes_no_design() {
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/traces/kernel-2-gather.traceg");
    let mut sizes = vec!["--warps", "4", "--queue", "16", "--log", "8k"];
    sizes.extend(["--scheduler", "greedy-then-oldest", "--backend", "rust-hdl"]);
    let run = |schemes: &str| {
        let mut command = faultline(&["sm", "--scheme", schemes]);
        command.args(&sizes).arg(&trace).assert()
    };
    run("operand-log").success().stderr(is_empty());
    run("stall-on-fault,operand-log").failure().stderr(contains(
        "no design of the pipeline is stall-on-fault with these sizes",
    ));
}

#[test]
fn the_paper_example_is_drawn() {
    let line = "D: R4 <- add R7, 8                     F  .  I  O  E  C\n";
    faultline(&["timeline", "--scheme", "stall-on-fault"])
        .assert()
        .success()
        .stdout(contains(line));
}

#[test]
fn faults_of_a_program_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let (program, svg) = (
        folder.path().join("loop.txt"),
        folder.path().join("loop.svg"),
    );
    std::fs::write(&program, "R1 <- mov 4096\nhere: st [R1], R1\n").unwrap();
    let path = program.to_str().unwrap();
    let arguments = [
        "timeline",
        path,
        "--fault",
        "here",
        "--scheme",
        "replay-queue",
        "--svg",
    ];
    let text = contains("X\n")
        .and(contains("here: st [R1], R1 *"))
        .and(contains("~"));
    faultline(&arguments)
        .arg(&svg)
        .assert()
        .success()
        .stdout(text);
    let picture = std::fs::read_to_string(svg).unwrap();
    for told in ["(again)", "squashed with its warp", "last TLB check"] {
        assert!(picture.contains(told), "{told}");
    }
}

#[test]
fn faults_of_the_baseline_are_drawn() {
    let line = "A: R3 <- ld [R2]              F  I  O  E  E  E  E  E  E  X  W  W  W  W  E  E  E  E  C   check 15\n";
    faultline(&["timeline", "--scheme", "stall-on-fault", "--fault", "A,C"])
        .assert()
        .success()
        .stdout(contains(line).and(contains("W it waits in the memory unit for its page")));
}

#[test]
fn what_is_squashed_and_what_the_gap_is_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("squashed.svg");
    faultline(&[
        "timeline",
        "--scheme",
        "replay-queue",
        "--fault",
        "C",
        "--svg",
    ])
    .arg(&svg)
    .assert()
    .success()
    .stdout(contains(
        "~ the warp waits for its page; where one is issued again, the replay queue is searched",
    ));
    let picture = std::fs::read_to_string(svg).unwrap();
    // D is squashed, and the legend has the letter.
    let squashed = picture.lines().filter(|line| line.trim() == "x").count();
    assert_eq!(squashed, 2);
}

#[test]
fn lines_of_diagrams_are_120_columns_at_most() {
    let output = faultline(&["timeline", "--fault", "A,C"])
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(120), "{text}");
}

#[test]
fn the_help_has_the_notation() {
    let text = contains("brnz R1, loop").and(contains("atoms.64"));
    faultline(&["timeline", "--help"])
        .assert()
        .success()
        .stdout(text);
}

#[test]
fn wrong_programs_get_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("wrong.txt");
    let cases: [(&[u8], &str); 8] = [
        (
            b"R1 <- hope\n",
            "wrong.txt:1: there is no operation hope; there are mov, ",
        ),
        (
            b"R1 <- add R2",
            "wrong.txt:1: the line ends where a comma and another source should",
        ),
        (b"# nothing\n", "the program has no instruction"),
        (
            b"R3 <- ld [R2]\n1: exit",
            "wrong.txt:2: \"1\" stands where a label that is no number, such as L1, should",
        ),
        (
            b"# one\n\nR1 <- lds [0x10000]",
            "wrong.txt:3: shared memory is accessed at 0x10000, past its end at 0x8000; keep the whole",
        ),
        (
            b"R1 <- mov 99\nloop: R1 <- sub R1, 1\nbrnz R1, loop",
            "wrong.txt under stall-on-fault: the program takes ",
        ),
        (
            b"exit\nR\xff",
            "wrong.txt:2: this is no text (byte 0xff in column 2)",
        ),
        (
            b"exit\n\0",
            "wrong.txt:2: this is no text (byte 0x00 in column 1)",
        ),
    ];
    for (text, told) in cases {
        std::fs::write(&program, text).unwrap();
        faultline(&["timeline"])
            .arg(&program)
            .assert()
            .failure()
            .stdout(is_empty())
            .stderr(contains(told));
    }
}

/// Neither a byte-order mark nor a tab changes the diagram.
#[test]
fn marks_and_tabs_of_a_program_are_not_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = |text: &str| {
        let program = folder.path().join("program.txt");
        std::fs::write(&program, text).unwrap();
        let assert = faultline(&["timeline"]).arg(&program).assert().success();
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    let plain = drawn("A: R1 <- mov 1\nR2 <- add R1, 1\n");
    let marked = drawn("\u{feff}A:\tR1 <-\tmov 1\nR2 <- add R1, 1\n");
    assert_eq!(marked, plain);
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program.svg");
    std::fs::write(&program, "A: R1 <- mov 1\n").unwrap();
    faultline(&["timeline"])
        .args([&program, &"--svg".into(), &program])
        .assert()
        .failure()
        .stderr(contains("this program would be written over"));
    faultline(&["sm", "lbm", "--write-traces"])
        .arg(folder.path())
        .assert()
        .success();
    let trace = folder.path().join("kernel-1.traceg");
    let before = std::fs::read(&trace).unwrap();
    faultline(&["sm"])
        .args([&trace, &"--markdown".into(), &trace])
        .assert()
        .failure()
        .stderr(contains("this trace would be written over"));
    assert_eq!(std::fs::read(&trace).unwrap(), before);
}

#[test]
fn cycles_of_a_fault_need_a_fault() {
    faultline(&["timeline", "--fault-cycles", "9"])
        .assert()
        .failure()
        .stderr(contains("--fault"));
}

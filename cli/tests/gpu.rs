//! `faultline gpu` as its users meet it.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;
#[path = "common/obligation.rs"]
mod obligation;

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

use common::faultline;

fn json(arguments: &[&str]) -> Value {
    let mut command = faultline();
    command.arg("gpu").args(arguments).arg("--json");
    let output = command.assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

/// The rows of the histogram's kernel on two SMs.
fn histo(arguments: &[&str]) -> Vec<Value> {
    let mut all = vec!["histo", "--sms", "2", "--scheme"];
    all.extend(arguments);
    json(&all)["rows"].as_array().unwrap().clone()
}

#[test]
fn absent_pages_come_over_the_link_and_values_are_checked() {
    let resident = &histo(&["operand-log"])[0];
    let absent = &histo(&["operand-log", "--absent"])[0];
    let number = |row: &Value, name: &str| row[name].as_u64().unwrap();
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

/// What the list of a trace copies from the host moves over the link, as the kernel's inputs do.
#[test]
fn copies_of_a_trace_are_migrated_as_the_kernels_inputs_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let moved = |workload: &str, options: &[&str]| {
        let all = [&[workload, "--sms", "2", "--absent"], options].concat();
        let results = json(&all);
        ["migrated", "allocated"].map(|name| results["rows"][0][name].as_u64().unwrap())
    };
    let list = path("kernelslist.g");
    // All of sgemm's memory is there before; some of the histogram's is nobody's.
    for (kernel, has_unowned) in [("sgemm", false), ("histo", true)] {
        let mut command = faultline();
        command.args(["sm", kernel, "--write-traces", &path("")]);
        command.assert().success();
        for options in [
            &[][..],
            &["--granularity", "4k"],
            &["--copied", "--granularity", "4k"],
        ] {
            let [migrated, allocated] = moved(kernel, options);
            assert_eq!(moved(&list, options), [migrated, allocated], "{options:?}");
            assert_eq!(migrated == 0, options.contains(&"--copied"));
            assert_eq!(allocated > 0, has_unowned, "{kernel} {options:?}");
        }
    }
    // Of the kernel's file alone, and of a list without copies, no page is the CPU's.
    let alone = moved(&path("kernel-1.traceg"), &[]);
    let [migrated, allocated] = moved(&list, &[]);
    assert_eq!(alone, [0, migrated + allocated]);
    std::fs::write(path("bare.g"), "kernel-1.traceg\n").unwrap();
    assert_eq!(moved(&path("bare.g"), &["--copied"]), alone);
    // A copy after the kernel, and one of pages that it never accesses, move nothing.
    let others = "MemcpyHtoD,0x7000000000000000,18446744073709551615\nMemcpyHtoD,0x10000,0\nkernel-1.traceg\n";
    let text = std::fs::read_to_string(&list).unwrap();
    let (copies, _) = text.split_once("kernel").unwrap();
    std::fs::write(path("others.g"), format!("{others}{copies}")).unwrap();
    assert_eq!(moved(&path("others.g"), &[]), alone);
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

/// With more blocks than slots, and pages one by one, faults queue up: blocks leave, and values are still checked.
#[test]
fn blocks_are_switched_out_beside_a_run_without() {
    obligation::of_command(file!()).meet(|| {
        let kernel = ["histo", "--scale", "2", "--sms", "2", "--absent"];
        let modes = ["--granularity", "4k", "--switching", "none,normal,ideal"];
        let results = json(&[&kernel[..], &modes].concat());
        let rows = results["rows"].as_array().unwrap();
        let of = |name: &str| -> Vec<u64> {
            let counts = rows.iter().map(|row| row[name].as_u64().unwrap());
            counts.collect()
        };
        let names: Vec<_> = rows.iter().map(|row| &row["switching"]).collect();
        assert_eq!(names, ["none", "normal", "ideal"]);
        assert!(rows.iter().all(|row| row["values_checked"] == true));
        let (left, bytes, cycles) = (
            of("switched_out"),
            of("context_bytes"),
            of("context_cycles"),
        );
        assert!(left[0] == 0 && left[1] > 0 && left[2] > 0, "{left:?}");
        assert!(bytes[0] == 0 && bytes[1] >= 32 * left[1], "{bytes:?}");
        // Contexts of the ideal way wait for the pipeline alone.
        assert!(cycles[2] / left[2] < cycles[1] / left[1], "{cycles:?}");
        // The events of the second run: each block that leaves comes back.
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.json");
        let normal = [
            "--granularity",
            "4k",
            "--switching",
            "normal",
            "--trace-events",
        ];
        let normal = [&kernel[..], &normal, &[file.to_str().unwrap()]].concat();
        json(&normal);
        let events = std::fs::read_to_string(file).unwrap();
        let count = |way: &str| events.matches(way).count() as u64;
        assert_eq!([count(" leaves\""), count(" comes back\"")], [left[1]; 2]);
    });
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |arguments: &[&str], text: &str| {
        let mut command = faultline();
        command.arg("gpu").args(arguments);
        command.assert().failure().stderr(contains(text.to_owned()));
    };
    refused(&["histo", "--sms", "65"], "65");
    refused(&["histo", "--link", "pcie3"], "--absent");
    refused(&["histo", "--log", "64k"], "--log 64k");
    refused(&["nothing"], "nothing is neither a file nor a kernel");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let file = "this is a folder; give a file of PTX (.ptx), an Accel-Sim trace (.traceg, kernelslist.g) or a program (.txt)";
    refused(&[folder], file);
    let configuration =
        "this is a folder; give a configuration in TOML, as --print-config prints one";
    refused(&["histo", "--config", folder], configuration);
    let ptx = concat!(env!("CARGO_MANIFEST_DIR"), "/../sim/programs/lattice.ptx");
    let launch = "this is a folder; give a launch file in TOML";
    refused(&[ptx, "--launch", folder], launch);
    refused(&["histo", "--scheme", "none"], "there is no scheme none");
    let without_log = ["histo", "--scheme", "replay-queue", "--log", "8k"];
    refused(&without_log, "none of the schemes has a log");
    refused(&["histo", "--switching", "normal"], "--absent");
    let stalls = [
        "histo",
        "--absent",
        "--scheme",
        "all",
        "--switching",
        "ideal",
    ];
    refused(
        &stalls,
        "stall-on-fault squashes nothing, so no thread block that has faulted can be switched out",
    );
}

#[test]
fn a_file_sets_the_gpu_and_the_whole_configuration_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gpu.toml");
    let named = file.to_str().unwrap();
    let print = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let mut command = faultline();
        command.args([
            "gpu",
            "--config",
            named,
            "--print-config",
            "--absent",
            "--sms",
            "3",
        ]);
        command.assert()
    };
    let printed = print("[sm]\nscheme = \"replay-queue\"\n[memory]\ndram = 300\n").success();
    let text = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    for line in [
        "sms = 3",
        "scheme = \"replay-queue\"",
        "dram = 300",
        "absent = true",
        "walks = 64",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}");
    }
    // What is printed is a file that gives the same.
    assert_eq!(print(&text).success().get_output().stdout, text.as_bytes());
    print("[memory]\ndran = 300\n")
        .failure()
        .stderr(contains("unknown field `dran`"));
    print("[paging]\ngranularity = \"2k\"\n")
        .failure()
        .stderr(contains(":2: "));
}

/// `--preset` replaces the preset of the file, and leaves the file's values.
#[test]
fn an_option_replaces_the_preset_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gpu.toml");
    std::fs::write(&file, "preset = \"zheng\"\n[memory]\ndram = 300\n").unwrap();
    let config = |options: &[&str]| {
        let all = [&["--print-config"], options].concat();
        let config = json(&all);
        ["preset", "clock_mhz"].map(|name| config[name].clone())
    };
    let of_file = ["--config", file.to_str().unwrap()];
    let of_option = ["--preset", "pep"];
    assert_eq!(config(&[]), [Value::from("tanasic"), 1000.into()]);
    assert_eq!(config(&of_file), [Value::from("zheng"), 1400.into()]);
    let both = [of_file, of_option].concat();
    assert_eq!(config(&both), [Value::from("pep"), 1216.into()]);
    let all = [&["--print-config"], &both[..]].concat();
    assert_eq!(json(&all)["memory"]["dram"], 300);
    // Tanasic's is asked for too, though it is the one without a file.
    let both = [of_file, ["--preset", "tanasic"]].concat();
    assert_eq!(config(&both), [Value::from("tanasic"), 1000.into()]);
}

/// A program whose second thread block traps, on two SMs.
#[test]
fn exceptions_restart_or_end_the_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let [program, config] = ["traps.txt", "gpu.toml"].map(|name| folder.path().join(name));
    let text = "R1 <- mov block.x\nbrz R1, over\nR2 <- mul R1, R1\nR2 <- mul R2, R2\ntrap\nover: R2 <- div 6, R1\n";
    std::fs::write(&program, text).unwrap();
    let program = program.to_str().unwrap();
    let arguments = [program, "--scale", "2", "--sms", "2"];
    let restarts = [&arguments[..], &["--exceptions", "restart"]].concat();
    let results = json(&restarts);
    assert_eq!(
        results["configuration"]["exceptions"]["response"],
        "restart"
    );
    let row = &results["rows"][0];
    // A division by zero in the first thread block, and the trap.
    assert_eq!(
        (&row["exceptions"], &row["squashing_faults"]),
        (&2.into(), &2.into())
    );
    assert_eq!(
        (&row["values_checked"], &row["workload"]),
        (&true.into(), &"traps".into())
    );
    let run = |arguments: &[&str]| {
        let mut command = faultline();
        command.arg("gpu").args(arguments);
        command.assert()
    };
    let quick = json(&[&restarts[..], &["--exception-cycles", "10"]].concat());
    let cycles = |row: &Value| row["cycles"].as_u64().unwrap();
    assert!(cycles(row) > cycles(&quick["rows"][0]) + 900);
    run(&restarts).success().stdout(contains("Exceptions"));
    run(&["histo", "--sms", "2"])
        .success()
        .stdout(contains("Exceptions").not());
    let ends = run(&arguments).failure();
    let sentence = "thread block 0, warp 0, pc 5: a division by zero in 32 lanes ends the kernel\n";
    let told = contains("error: traps under operand-log: SM 0: cycle ").and(contains(sentence));
    ends.stderr(told);
    // The file says it, too.
    std::fs::write(&config, "[exceptions]\nresponse = \"masked\"\n").unwrap();
    let masked = [&arguments[..], &["--config", config.to_str().unwrap()]].concat();
    assert_eq!(json(&masked)["rows"][0]["exceptions"], 0);
    let baseline = [&restarts[..], &["--scheme", "all"]].concat();
    run(&baseline).failure().stderr(contains(
        "stall-on-fault squashes nothing, so no instruction that has raised an exception can be restarted",
    ));
    let cycles_alone = [&arguments[..], &["--exception-cycles", "10"]].concat();
    let told = contains("so give --exceptions restart too");
    run(&cycles_alone).failure().stderr(told);
}

/// A run with absent pages, as a chart and as events: what they show is what the run has counted.
#[test]
fn a_run_is_shown_over_time() {
    let folder = tempfile::tempdir().unwrap();
    let [svg, events] = ["run.svg", "run.json"].map(|name| folder.path().join(name));
    let mut command = faultline();
    command.args(["gpu", "histo", "--sms", "2", "--absent", "--json"]);
    command.arg("--svg").arg(&svg);
    command.arg("--trace-events").arg(&events);
    let output = command.assert().success();
    let row: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let row = &row["rows"][0];
    let number = |name: &str| row[name].as_f64().unwrap();
    let svg = std::fs::read_to_string(svg).unwrap();
    for told in [
        "SM waits",
        "link in use, %",
        "time, us",
        "histo under operand-log",
        "SM 1",
    ] {
        assert!(svg.contains(told), "{told}");
    }
    // Grey words need a white page.
    let page = svg.lines().nth(1).unwrap();
    assert!(
        page.starts_with("<rect x=\"0\" y=\"0\"") && page.contains("#FFFFFF"),
        "{page}"
    );
    let events = std::fs::read_to_string(events).unwrap();
    let events: Value = serde_json::from_str(&events).unwrap();
    let events = events["traceEvents"].as_array().unwrap();
    let of = |phase: &str, group: u64, track: u64| {
        let is_it = move |event: &&Value| {
            event["ph"] == phase && event["pid"] == group && event["tid"] == track
        };
        events.iter().filter(is_it).collect::<Vec<_>>()
    };
    let lasts = |slices: &[&Value]| {
        let each = slices.iter().map(|slice| slice["dur"].as_f64().unwrap());
        each.sum::<f64>()
    };
    // The SMs; then the handler, the link, and the far faults.
    for sm in [1, 2] {
        let slices = of("X", 101, sm);
        assert!(slices.iter().any(|slice| slice["name"] == "waits"));
        let all = lasts(&slices);
        assert!(all > 0.5 * number("microseconds") && all <= number("microseconds") + 1e-6);
    }
    let link = of("X", 102, 2);
    assert_eq!(link.len() as f64, number("migrated"));
    let used = 100.0 * lasts(&link) / number("microseconds");
    assert!((used - number("link_use_percent")).abs() < 0.01, "{used}");
    let parts = number("migrated") + number("allocated");
    for (phase, group) in [("X", 1), ("b", 3), ("e", 3)] {
        assert_eq!(of(phase, 102, group).len() as f64, parts, "{phase}");
    }
    for (begins, ends) in of("b", 102, 3).iter().zip(of("e", 102, 3)) {
        let lasts = ends["ts"].as_f64().unwrap() - begins["ts"].as_f64().unwrap();
        assert!(begins["id2"] == ends["id2"] && lasts >= 10.0, "{begins}");
    }
}

#[test]
fn a_chart_is_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.svg");
    let mut command = faultline();
    command
        .args(["gpu", "histo", "--scheme", "all", "--svg"])
        .arg(&path);
    command.assert().failure().stderr(contains(
        "one workload, one scheme and one way of switching",
    ));
    assert!(!path.exists());
    // What is read is not written over.
    let config = folder.path().join("gpu.toml");
    std::fs::write(&config, "sms = 2\n").unwrap();
    let mut command = faultline();
    command.args(["gpu", "histo", "--config"]).arg(&config);
    command.arg("--trace-events").arg(&config);
    command.assert().failure();
    assert_eq!(std::fs::read_to_string(&config).unwrap(), "sms = 2\n");
}

#[test]
fn a_schema_knows_every_key_of_a_configuration_and_allows_its_value() {
    fn check(schema: &Value, defined: &Value, value: &Value) {
        let name = schema["$ref"].as_str();
        let schema = name.map_or(schema, |name| {
            &defined[name.strip_prefix("#/$defs/").unwrap()]
        });
        if let Some(table) = value.as_object() {
            assert_eq!(schema["additionalProperties"], false, "{schema}");
            assert_eq!(schema["required"], Value::Null, "{schema}");
            for (key, value) in table {
                check(&schema["properties"][key], defined, value);
            }
            return;
        }
        let is_of = match (schema["type"].as_str(), value) {
            (Some("integer"), Value::Number(number)) => {
                let number = number.as_u64().unwrap();
                let bound = |key: &str, other| schema[key].as_u64().unwrap_or(other);
                (bound("minimum", 0)..=bound("maximum", u64::MAX)).contains(&number)
            }
            (Some("string"), Value::String(_)) | (Some("boolean"), Value::Bool(_)) => true,
            // One of several names, each with what it means.
            (None, Value::String(_)) => {
                let names = ["oneOf", "anyOf"].map(|key| schema[key].as_array());
                let names = names.into_iter().flatten().next().unwrap();
                names.iter().any(|name| name["const"] == *value)
            }
            _ => false,
        };
        let named = schema["enum"].as_array();
        let is_named = named.is_none_or(|names| names.contains(value));
        assert!(is_of && is_named, "{value}: {schema}");
    }
    let schema = json(&["--print-schema"]);
    for preset in ["tanasic", "power", "zheng", "pep"] {
        let config = json(&["--print-config", "--preset", preset]);
        check(&schema, &schema["$defs"], &config);
    }
    let warps = &schema["$defs"]["SmTable"]["properties"]["warps"];
    assert_eq!(
        (&warps["minimum"], &warps["maximum"]),
        (&1.into(), &64.into())
    );
}

#[test]
fn a_log_that_its_thread_blocks_do_not_fit_in_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("gpu.toml");
    std::fs::write(&config, "sms = 2\n[sm]\nlog_bytes = 512\n").unwrap();
    let mut command = faultline();
    command.args(["gpu", "stencil", "--config"]).arg(&config);
    let error = contains("gpu.toml:3: stencil under operand-log: SM 0: the log has 2 entries");
    command.assert().failure().stderr(error);
}

#[test]
fn results_are_the_same_for_any_number_of_threads() {
    let run = |threads: &str| json(&["histo", "--absent", "--threads", threads]);
    assert_eq!(run("1"), run("3"));
}

#[test]
fn the_restart_theorem_is_put_to_programs_on_gpus() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("restart.md");
    let rows = json(&[
        "--restart",
        "8",
        "--scheme",
        "replay-queue,operand-log",
        "--markdown",
        page.to_str().unwrap(),
    ]);
    for row in rows.as_array().unwrap() {
        assert_eq!((&row["programs"], &row["failures"]), (&8.into(), &0.into()));
        assert!(row["far_faults"].as_u64().unwrap() > 0, "{row}");
        assert!(row["exceptions"].as_u64().unwrap() > 0, "{row}");
    }
    let page = std::fs::read_to_string(page).unwrap();
    let command =
        "`faultline gpu --restart 8 --scheme replay-queue,operand-log --seed 1 --markdown FILE`";
    assert!(page.contains(command), "{page}");
    assert!(page.contains("| operand-log | 8 |"), "{page}");
    for options in [["--seed", "3"], ["--markdown", "restart.md"]] {
        let mut command = faultline();
        command.args(["gpu", "histo"]).args(options);
        let error = contains("so give --restart too");
        command.assert().failure().stderr(error);
    }
    for options in [
        ["--absent", "--link=pcie3"],
        ["--sms=4", "--print-config"],
        ["--switching", "normal"],
        ["--hoist-loads", "--launch=launch.toml"],
        ["--exceptions=restart", "--exception-cycles=10"],
    ] {
        let mut command = faultline();
        command.args(["gpu", "--restart", "1"]).args(options);
        let error = contains("cannot be used with");
        command.assert().failure().stderr(error);
    }
}

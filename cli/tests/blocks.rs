//! The subcommands about blocks, as their users meet them: Verilog, lockstep, cost.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

mod common;

use std::path::Path;

use assert_cmd::Command;
use predicates::str::{contains, starts_with};

use common::faultline;

fn json(command: &mut Command) -> serde_json::Value {
    let output = command
        .arg("--json")
        .assert()
        .success()
        .get_output()
        .clone();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn committed_verilog_equals_a_fresh_export() {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rtl-out");
    faultline()
        .args(["export", "--check", "--out"])
        .arg(committed)
        .assert()
        .success();
}

#[test]
fn verilog_that_no_design_exports_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("register_999.v");
    std::fs::write(&file, "module register_999; endmodule\n").unwrap();
    faultline()
        .args(["export", "--out"])
        .arg(folder.path())
        .assert()
        .success()
        .stdout(contains("register_999.v: no design exports this file"));
    faultline()
        .args(["export", "--check", "--out"])
        .arg(folder.path())
        .assert()
        .failure()
        .stderr(contains("register_999.v: no design exports this file"));
}

#[test]
fn changed_verilog_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let export = || {
        let mut command = faultline();
        command
            .args([
                "export",
                "--block",
                "replay_queue",
                "--config",
                "16",
                "--out",
            ])
            .arg(folder.path());
        command
    };
    export().assert().success();
    export().arg("--check").assert().success();
    let file = folder.path().join("replay_queue/replay_queue_16.v");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("&&", "||", 1)).unwrap();
    export()
        .arg("--check")
        .assert()
        .failure()
        .stderr(contains("replay_queue_16.v"));
}

#[test]
fn lockstep_is_reported_for_each_back_end() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("lockstep.md");
    let rows = json(
        faultline()
            .args([
                "cosim",
                "all",
                "--config",
                "20k,8_holding",
                "--cycles",
                "500",
            ])
            .args(["--backends", "reference,rust-hdl", "--markdown"])
            .arg(&page),
    );
    let told: Vec<String> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {} {}", row["config"], row["backend"], row["cycles"]))
        .collect();
    assert_eq!(
        told,
        [
            r#""20k" "reference" 500"#,
            r#""20k" "rust-hdl" 500"#,
            r#""8_holding" "reference" 500"#,
            r#""8_holding" "rust-hdl" 500"#
        ]
    );
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains(
            "`faultline cosim operand_log_20k scoreboard_8_holding --cycles 500 --seed 1"
        ),
        "{page}"
    );
}

#[test]
fn trace_runs_on_the_blocks_that_it_can_drive() {
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/traces/kernelslist.g");
    let rows = json(
        faultline()
            .args([
                "cosim",
                "--cycles",
                "500",
                "--backends",
                "reference,rust-hdl",
                "--trace",
            ])
            .arg(trace),
    );
    let mut blocks: Vec<&str> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["block"].as_str().unwrap())
        .collect();
    blocks.dedup();
    assert_eq!(blocks, ["replay_queue", "operand_log"]);
}

#[test]
fn waveform_can_be_read_by_all_and_an_error_has_its_own_name() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let cosim = |wave: &Path| {
        let mut command = faultline();
        command.args(["cosim", "operand_log", "--config", "8k", "--cycles", "100"]);
        command
            .args(["--backends", "reference,rust-hdl", "--wave"])
            .arg(wave);
        command.assert()
    };
    let wave = folder.path().join("w.fst");
    cosim(&wave).success();
    let mode = std::fs::metadata(&wave).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    let nowhere = folder.path().join("no/such/w.fst");
    let sentence = format!(
        "error: {}: cannot write: its folder is not there",
        nowhere.display()
    );
    let assert = cosim(&nowhere).failure().stderr(starts_with(sentence));
    let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    // The folder of the test has such a name itself.
    let text = text.replace(&folder.path().display().to_string(), "");
    assert!(!text.contains(".tmp"), "{text}");
}

#[test]
fn value_that_makes_no_sense_is_refused_with_what_is_expected() {
    for (arguments, sentence) in [
        (
            &["cosim", "--cycles", "1e6"][..],
            "give a whole number from 1, in digits alone",
        ),
        (
            &["cosim", "--cycles", "0"][..],
            "give a whole number from 1,",
        ),
        (
            &["cosim", "--seed", "abc"][..],
            "give a whole number from 0,",
        ),
        (
            &["cost", "--node", "7"][..],
            "give a whole number from 22 to 180,",
        ),
        (&["cost", "--log", ""][..], "the value is empty"),
        (&["export", "--block", ""][..], "the value is empty"),
    ] {
        faultline()
            .args(arguments)
            .assert()
            .code(2)
            .stderr(contains(sentence));
    }
}

#[test]
fn lockstep_that_cannot_be_had_is_one_sentence() {
    for (arguments, sentence) in [
        (
            "nothing",
            "error: there is no design or block nothing; the blocks are",
        ),
        (
            "coalescer --trace ../sim/traces/kernel-1-saxpy.traceg",
            "error: a trace drives the replay queue and the operand log",
        ),
        (
            "all --config 17",
            "error: no block has the configuration 17",
        ),
        (
            "replay_queue --config 0",
            "error: there is no design replay_queue 0; there are",
        ),
        (
            "far_fault_mshr --config 0",
            "error: there is no design far_fault_mshr 0; there are",
        ),
        (
            "l2_tlb --config 5",
            "error: there is no design l2_tlb 5; there are",
        ),
        (
            "page_walker --config 0",
            "error: there is no design page_walker 0; there are",
        ),
        ("all --wave w.fst", "error: --wave is for one design"),
        (
            "replay_queue --markdown /no/such/folder/page.md",
            "error: /no/such/folder/page.md: cannot write",
        ),
        (
            "replay_queue --backends reference",
            "error: one back end alone compares nothing",
        ),
        (
            "replay_queue --trace /no/such/trace",
            "error: /no/such/trace",
        ),
    ] {
        let assert = faultline()
            .arg("cosim")
            .args(arguments.split(' '))
            .assert()
            .failure()
            .stderr(starts_with(sentence));
        let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert_eq!(text.trim().lines().count(), 1, "{text}");
    }
}

/// The fields that other programs rely on.
const FIELDS: [&str; 16] = [
    "block",
    "config",
    "library",
    "sram_model",
    "sram_area_um2",
    "logic_area_um2",
    "total_area_um2",
    "sm_area_percent",
    "gpu_area_percent",
    "sram_power_mw",
    "sm_power_percent",
    "gpu_power_percent",
    "fmax_mhz",
    "clock_limit",
    "register_path_ns",
    "paper",
];

#[test]
fn cost_has_every_field_and_the_papers_numbers() {
    if faultline_synth::tool::YOSYS.version().is_none()
        || faultline_synth::tool::OPENSTA.version().is_none()
    {
        faultline_ledger::missing("Yosys or OpenSTA is missing; install the Debian packages");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (csv, page) = (folder.path().join("a.csv"), folder.path().join("a.md"));
    let log = ["cost", "--block", "operand_log", "--log", "8K"];
    let rows = json(
        faultline()
            .args(log)
            .args(["--power", "1000", "--csv"])
            .arg(&csv)
            .arg("--markdown")
            .arg(&page),
    );
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 2, "paper-fit and single-port");
    for row in rows {
        for field in FIELDS {
            assert!(row.get(field).is_some(), "{field} is missing in {row}");
        }
        let paper: Vec<f64> = row["paper"]
            .as_object()
            .unwrap()
            .values()
            .filter_map(serde_json::Value::as_f64)
            .collect();
        for number in [1.04, 0.47, 1.82, 1.28] {
            assert!(paper.contains(&number), "{number} of Table 2 in {row}");
        }
        assert!(row["fmax_mhz"].as_f64().unwrap() > 1000.0, "{row}");
        let activities = row["activities"].as_array().unwrap();
        let names: Vec<_> = activities
            .iter()
            .map(|of| of["activity"].as_str())
            .collect();
        assert_eq!(names, [Some("traces"), Some("a write in each cycle")]);
        let number = |of: usize, name: &str| activities[of][name].as_f64().unwrap();
        assert!(number(0, "writes_per_cycle") < 0.5, "{row}");
        assert!(number(1, "writes_per_cycle") > 0.99, "{row}");
        assert!(number(0, "logic_mw") < number(1, "logic_mw"), "{row}");
        // Without the paper's factor, a write in each cycle takes of the memories what the paper counts.
        let factor = if row["control"] == "synthesized" {
            1.0
        } else {
            1.5
        };
        let counted = row["sram_power_mw"].as_f64().unwrap() / factor;
        assert!((number(1, "sram_mw") / counted - 1.0).abs() < 0.01, "{row}");
        let all = number(1, "sram_mw") + number(1, "logic_mw");
        assert!(
            (number(1, "sm_power_percent") - all / 57.0).abs() < 1e-9,
            "{row}"
        );
    }
    let csv = std::fs::read_to_string(csv).unwrap();
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    for (column, filled) in [
        ("traces_logic_mw", true),
        ("writes_with_logic_sm_power_percent", true),
        ("random_logic_mw", false),
    ] {
        let place = lines[0].iter().position(|heading| *heading == column);
        let place = place.unwrap_or_else(|| panic!("no column {column}"));
        assert_eq!(!lines[1][place].is_empty(), filled, "{column}");
    }
    let page = std::fs::read_to_string(page).unwrap();
    for told in [
        "|   single-port with logic, traces |",
        "|   paper-fit with logic, a write in each cycle |",
        "| logic power mW, traces |",
        "faultline cost operand_log_8k --sram both --target 700 --mapping balanced --power 1000",
    ] {
        assert!(page.contains(told), "{told} is not in {page}");
    }
}

#[test]
fn cost_that_cannot_be_given_is_one_sentence() {
    for (arguments, sentence) in [
        (["--block", "nothing"], "error: there is no block nothing"),
        (["--log", "17K"], "error: operand_log has no size `17k`"),
        (
            ["--liberty", "/no/such/cells.lib"],
            "error: /no/such/cells.lib: cannot read",
        ),
        (
            ["--liberty", env!("CARGO_MANIFEST_PATH")],
            "not a usable Liberty library",
        ),
    ] {
        let assert = faultline()
            .arg("cost")
            .args(arguments)
            .assert()
            .failure()
            .stderr(contains(sentence));
        let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert_eq!(text.trim().lines().count(), 1, "{text}");
    }
}

#[test]
fn embedded_library_equals_itself() {
    if faultline_synth::tool::YOSYS.version().is_none()
        || faultline_synth::tool::OPENSTA.version().is_none()
    {
        faultline_ledger::missing("yosys or sta is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (library, page) = (folder.path().join("a.lib"), folder.path().join("a.md"));
    let write = ["library", "--write", library.to_str().unwrap()];
    faultline().args(write).assert().success();
    let against = [
        "library",
        "--designs",
        "scoreboard_proof",
        "--cycles",
        "200",
    ];
    let found = json(
        faultline()
            .args(against)
            .arg("--against")
            .arg(&library)
            .arg("--markdown")
            .arg(&page),
    );
    let row = &found["rows"][0];
    for other in ["full", "netlist_in_full"] {
        assert_eq!(row[other], row["embedded"], "{row}");
    }
    assert!(row["full"]["power"]["internal_mw"].as_f64().unwrap() > 0.0);
    let page = std::fs::read_to_string(page).unwrap();
    for told in [
        "faultline library --against a.lib scoreboard_proof --cycles 200",
        "Every design is within every bar.",
        "have the SHA-256",
    ] {
        assert!(page.contains(told), "{page}");
    }
    faultline()
        .args(["library", "--designs", "nothing", "--against"])
        .arg(&library)
        .assert()
        .code(1)
        .stderr(contains(
            "error: there is no design or block nothing; the blocks are ",
        ));
}

#[test]
fn netlists_are_proved_to_be_their_designs() {
    if faultline_synth::tool::YOSYS.version().is_none() {
        faultline_ledger::missing("yosys is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("a.md");
    let designs = "replay_queue_proof,page_walker_proof";
    let found = json(
        faultline()
            .args(["equivalence", "--designs", designs, "--markdown"])
            .arg(&page),
    );
    let proofs = found.as_array().unwrap();
    assert_eq!(proofs.len(), 2);
    for proof in proofs {
        assert_eq!(proof["verdict"], "equivalent", "{proof}");
        assert!(proof["compared"].as_u64().unwrap() > 100, "{proof}");
    }
    // Yosys gives the states of some machines other codes.
    assert!(proofs.iter().any(|proof| proof["machines"] != 0));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("2 of 2 netlists are proved"), "{page}");
    assert!(page.contains("have the SHA-256"), "{page}");
    faultline()
        .args(["equivalence", "--designs", "nothing"])
        .assert()
        .code(1)
        .stderr(contains(
            "error: there is no design or block nothing; the blocks are ",
        ));
}

#[test]
fn embedded_cells_are_listed() {
    let cells = json(faultline().arg("library"));
    let cells = cells.as_array().unwrap();
    assert!(cells.len() > 60, "{}", cells.len());
    assert!(cells.iter().any(|cell| cell["cell"] == "NAND2_X1"));
}

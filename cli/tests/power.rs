//! `faultline power` as its users meet it. Without Yosys nothing can be mapped, and the tests say so and pass.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

fn power() -> Command {
    let mut command = common::faultline();
    command.arg("power");
    command
}

fn without_yosys() -> bool {
    let missing = faultline_synth::tool::YOSYS.version().is_none();
    if missing {
        faultline_ledger::missing("yosys is not installed");
    }
    missing
}

fn total(part: &serde_json::Value) -> f64 {
    ["leakage_mw", "internal_mw", "switching_mw"]
        .iter()
        .map(|name| part[name].as_f64().unwrap())
        .sum()
}

#[test]
fn parts_add_up_in_every_form() {
    if without_yosys() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let output = power()
        .args(["--block", "scoreboard", "--config", "8", "--cycles", "500"])
        .args(["--clock", "500", "--json", "--saif"])
        .arg(file("a.saif"))
        .arg("--csv")
        .arg(file("a.csv"))
        .arg("--markdown")
        .arg(file("a.md"))
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let rows: serde_json::Value = serde_json::from_slice(&output).unwrap();
    let row = &rows[0];
    assert_eq!(row["block"], "scoreboard");
    assert_eq!(row["activity"], "random traffic");
    assert_eq!(row["cycles"], 500);
    let whole = total(&row["total"]);
    assert!((0.1..10.0).contains(&whole), "{whole}");
    for parts in ["kinds", "modules"] {
        let parts = row[parts].as_array().unwrap();
        let sum: f64 = parts.iter().map(total).sum();
        assert!((sum / whole - 1.0).abs() < 1e-9, "{sum} and {whole}");
    }
    let read = |name: &str| std::fs::read_to_string(file(name)).unwrap();
    assert!(read("a.saif").contains("(INSTANCE scoreboard_8\n"));
    // 500 cycles of 2 ns.
    assert!(read("a.saif").contains("(DURATION 1000000)"));
    let instances = read("a.csv")
        .lines()
        .filter(|line| line.starts_with("instance,"))
        .count();
    assert_eq!(instances as u64, row["cells"].as_u64().unwrap());
    let page = read("a.md");
    assert!(page.contains(&format!("{whole:.3} |")), "{page}");
    assert!(page.contains("faultline power scoreboard_8 --"));
}

#[test]
fn what_makes_no_sense_is_one_sentence_and_writes_nothing() {
    if without_yosys() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let saif = folder.path().join("a.saif");
    let cases: [(&[&str], i32, &str); 7] = [
        (
            &["--block", "nonsense"],
            1,
            "error: there is no block nonsense",
        ),
        (
            &["--log", "8k,16k"],
            1,
            "error: --netlist, --saif and --csv are for one design",
        ),
        (
            &["--block", "operand_log", "--log", "9k"],
            1,
            "error: operand_log has no size `9k`",
        ),
        (
            &[
                "--block",
                "operand_log",
                "--log",
                "8k",
                "--trace",
                "nowhere",
            ],
            1,
            "error: nowhere is neither a file nor a kernel",
        ),
        (
            &["--block", "preemption_policy", "--trace", "kernels"],
            1,
            "error: a trace drives the replay queue and the operand log, and not the preemption_policy",
        ),
        (&["--cycles", "0"], 2, "error: invalid value '0'"),
        (
            &["--block", "preemption_policy", "--liberty", "/nowhere.lib"],
            1,
            "error: /nowhere.lib: cannot read",
        ),
    ];
    for (arguments, code, told) in cases {
        let one_line = predicate::function(|text: &str| text.lines().count() == 1);
        power()
            .args(arguments)
            .arg("--saif")
            .arg(&saif)
            .assert()
            .code(code)
            .stdout(is_empty())
            .stderr(starts_with(told).and(one_line));
        assert!(!saif.exists(), "{arguments:?}");
    }
    power()
        .args(["--csv", "/nowhere/a.csv"])
        .assert()
        .code(1)
        .stderr(contains("/nowhere/a.csv"));
}

/// A stand-in for a version of OpenSTA says which one it is.
#[test]
fn an_old_opensta_is_not_asked_for_power() {
    use std::os::unix::fs::PermissionsExt;
    if without_yosys() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("sta");
    std::fs::write(&program, "#!/bin/sh\necho 2.0.17\n").unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    power()
        .env("PATH", format!("{}:{path}", Path::display(folder.path())))
        .args(["--engine", "opensta"])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains(
            "error: OpenSTA 2.0.17 does not calculate power rightly",
        ));
}

/// A netlist is made once: the second time it comes from the folder of what was made, and what it takes is the same. Damage in
/// that folder costs time alone, and so does a folder that cannot be, of which standard error tells.
#[test]
fn a_netlist_is_made_once_and_what_is_damaged_is_made_again() {
    if without_yosys() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let with = |cache: &Path| {
        let mut command = power();
        let options = ["--block", "scoreboard", "--config", "8", "--cycles", "100"];
        let command = command.args(options).arg("--json");
        let output = command.env("FAULTLINE_CACHE", cache).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        output
    };
    let run = || with(folder.path()).stdout;
    let kept = || {
        let files = std::fs::read_dir(folder.path()).unwrap();
        let paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        assert_eq!(paths.len(), 1);
        (paths[0].clone(), std::fs::metadata(&paths[0]).unwrap())
    };
    let first = run();
    let (path, made) = kept();
    assert_eq!(run(), first);
    assert_eq!(kept().1.modified().unwrap(), made.modified().unwrap());
    std::fs::write(&path, "no netlist").unwrap();
    assert_eq!(run(), first);
    assert_eq!(kept().1.len(), made.len());
    let inside_a_file = with(&path.join("folder"));
    assert_eq!(inside_a_file.stdout, first);
    let told = String::from_utf8_lossy(&inside_a_file.stderr).into_owned();
    assert!(told.contains("netlists are not kept: "), "{told}");
}

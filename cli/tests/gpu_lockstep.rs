//! `faultline gpu --backend` and `unit = "rtl"` as their users meet them.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
#[cfg(feature = "verilog")]
use serde_json::Value;

use common::faultline;

/// Two SMs of the size of `sm_unit_log_4`.
const SMALL: &str =
    "sms = 2\n[sm]\nwarps = 4\nqueue_entries = 16\nlog_bytes = 8192\n[paging]\nabsent = true\n";

/// Runs kernels on a GPU that a file says.
fn gpu(file: &str, options: &[&str]) -> Command {
    run(&["lbm", "sgemm"], file, options)
}

fn run(kernels: &[&str], file: &str, options: &[&str]) -> Command {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("gpu.toml"), file).unwrap();
    let mut command = faultline();
    command.current_dir(folder.keep());
    command
        .arg("gpu")
        .args(kernels)
        .args(["--config", "gpu.toml"]);
    command.args(options);
    command
}

#[cfg(feature = "verilog")]
fn rows(file: &str, options: &[&str]) -> Vec<Value> {
    let output = gpu(file, options).arg("--json").assert().success();
    let found: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    found["rows"].as_array().unwrap().clone()
}

/// Kernels whose pages all are absent, on two SMs whose units and whose GMMU are Verilog.
#[cfg(feature = "verilog")]
#[test]
fn sm_units_and_the_gmmu_of_a_gpu_are_as_their_verilog() {
    let found = rows(SMALL, &["--backend", "verilog"]);
    // The same cycles as without the Verilog, and not those of the memory unit that can be varied.
    let alone = SMALL.replace("[sm]", "[sm]\nunit = \"rtl\"");
    let (alone, varied) = (rows(&alone, &[]), rows(SMALL, &[]));
    for ((row, alone), varied) in found.iter().zip(&alone).zip(&varied) {
        assert_eq!(row["unit"], "rtl");
        assert_eq!(row["cycles"], alone["cycles"]);
        assert_ne!(row["cycles"], varied["cycles"]);
        assert_eq!(row["values_checked"], true);
        assert!(row["squashing_faults"].as_u64().unwrap() > 50);
        let compared = row["compared"].as_array().unwrap();
        let of = |place: usize, key: &str| compared[place][key].clone();
        assert_eq!(
            (of(0, "design"), of(0, "instances"), of(0, "backend")),
            ("sm_unit_log_4".into(), 2.into(), "verilog".into())
        );
        assert_eq!(of(1, "design"), "gmmu_64");
        let (cycles, of_gmmu) = (of(0, "cycles").as_u64(), of(1, "cycles").as_u64());
        let least = row["cycles"].as_u64().unwrap();
        assert!(
            cycles.unwrap() > least && of_gmmu.unwrap() >= least,
            "{row}"
        );
    }
}

/// With room for half of the pages, what is evicted is invalidated in the Verilog, too. The report says so.
#[cfg(feature = "verilog")]
#[test]
fn evictions_go_through_the_verilog() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.md");
    let options = ["--backend", "verilog", "--capacity", "50", "--markdown"];
    let options = [&options[..], &[page.to_str().unwrap()]].concat();
    let compared = "2 x sm_unit_log_4 in verilog: every output as the reference's in";
    let mut command = run(&["sgemm"], SMALL, &options);
    command.assert().success().stdout(contains(compared));
    let page = std::fs::read_to_string(page).unwrap();
    let headings = "| Workload | Scheme | SMs | Room % | Eviction | Evicted | Cycles |";
    assert!(page.contains(headings), "{page}");
    let row = "| sgemm | operand-log | 2 | 50 | lru | 16 |";
    assert!(page.contains(row), "{page}");
}

#[test]
fn what_the_unit_has_no_part_for_is_said_with_its_line() {
    let file = "sms = 2\n[sm]\nunit = \"rtl\"\n[l1_tlb]\nentries = 64\n";
    gpu(file, &[])
        .assert()
        .failure()
        .stderr(contains("gpu.toml:3: unit = \"rtl\"").and(contains("an L1 TLB other than")));
    gpu("[sm]\nunit = \"both\"\n", &[])
        .assert()
        .failure()
        .stderr(contains("gpu.toml:2").and(contains("model, rtl")));
    gpu(SMALL, &["--backend", "rust-hdl", "--switching", "normal"])
        .assert()
        .failure()
        .stderr(
            contains("--backend rust-hdl runs the block sm_unit")
                .and(contains("thread blocks that leave"))
                .and(contains("or give --backend reference")),
        );
    gpu(SMALL, &["--backend", "rust-hdl", "--log", "16k"])
        .assert()
        .failure()
        .stderr(contains("no design of sm_unit has these sizes"));
}

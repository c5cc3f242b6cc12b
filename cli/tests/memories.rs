//! Memories from Liberty files: `faultline cost --sram FILE`. What is synthesized needs Yosys and OpenSTA; without them its test
//! says so and passes.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use std::path::{Path, PathBuf};

use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::Value;

use common::faultline;

/// A macro of 64 words of 256 bits with one port, whose figures are round: 10,000 um2, 1 mW, 8 and 12 pJ, 0.9 ns.
const MACRO: &str = r#"library (round) {
  time_unit : "1ns"; voltage_unit : "1V"; leakage_power_unit : "1mW"; capacitive_load_unit (1, pf); nom_voltage : 1.1;
  type (word) { bit_width : 256; } type (place) { bit_width : 6; }
  cell (round_64x256) {
    area : 10000; cell_leakage_power : 1;
    memory () { type : ram; address_width : 6; word_width : 256; }
    pin (clk) { direction : input; clock : true; min_period : 0.4;
      internal_power () { when : "ce & !we"; rise_power (scalar) { values ("8"); } }
      internal_power () { when : "ce & we"; rise_power (scalar) { values ("12"); } } }
    pin (ce) { direction : input; } pin (we) { direction : input; }
    bus (a) { bus_type : place; direction : input; }
    bus (d) { bus_type : word; direction : input; memory_write () { address : a; clocked_on : clk; } }
    bus (q) { bus_type : word; direction : output; memory_read () { address : a; }
      timing () { related_pin : clk; timing_type : rising_edge; cell_rise (scalar) { values ("0.9"); } } }
  }
}
"#;

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_log_from_a_macro_stands_beside_cacti_s_and_the_paper_s() {
    for tool in [faultline_synth::tool::YOSYS, faultline_synth::tool::OPENSTA] {
        if tool.version().is_none() {
            faultline_ledger::missing(&format!("{} is not installed", tool.program));
            return;
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let library = write(folder.path(), "round.lib", MACRO);
    let page = folder.path().join("a.md");
    // What stands behind the file is a design.
    let assert = faultline()
        .args(["cost", "--json", "--sram"])
        .arg(&library)
        .args(["operand_log_16k", "--markdown"])
        .arg(&page)
        .assert()
        .success();
    let rows: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    let [cacti, compiled] = rows.as_array().unwrap().as_slice() else {
        panic!("{rows}");
    };
    assert_eq!(cacti["sram_model"], "single-port");
    assert!(cacti.get("tilings").is_none(), "{cacti}");
    assert_eq!(
        (&compiled["sram_model"], &compiled["sram_source"]),
        (&"compiled".into(), &"liberty".into())
    );
    assert_eq!(compiled["sram_macros"], "8 x round_64x256");
    assert_eq!(compiled["sram_node_nm"], Value::Null);
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap();
    let close = |found: f64, expected: f64| {
        assert!(
            (found / expected - 1.0).abs() < 1e-9,
            "{found} is not {expected}"
        );
    };
    // 32 memories of 64 bits are eight macros, which leak 1 mW and write 12 pJ at 1 GHz each.
    close(number(compiled, "sram_area_um2"), 80_000.0);
    close(number(compiled, "sram_power_mw"), 8.0 * 13.0);
    close(
        number(compiled, "logic_area_um2"),
        number(cacti, "logic_area_um2"),
    );
    close(
        number(compiled, "sm_area_percent"),
        number(compiled, "total_area_um2") / 160_000.0,
    );
    // What is read goes to the outputs, so that the slow access limits the clock.
    assert_eq!(compiled["clock_limit"], "output");
    assert!(
        (0.9..1.1).contains(&number(compiled, "output_path_ns")),
        "{compiled}"
    );
    assert!(number(compiled, "fmax_mhz") < 1000.0 / 0.9, "{compiled}");
    assert!(number(cacti, "fmax_mhz") > 1200.0, "{cacti}");
    let tiling = &compiled["tilings"][0];
    assert_eq!(
        (&tiling["rows"], &tiling["columns"]),
        (&1.into(), &8.into())
    );
    assert_eq!(tiling["macro"]["read_pj"], 8.0);
    let sentence = "sram_64x64, 32 side by side: 8 of round_64x256 (64 words x 256 bits, 1rw, 10000 um2), 1 deep and 8 wide, 0 % of \
                    their bits unused, with no decoder or multiplexer; 0.900 ns to read.";
    assert_eq!(tiling["sentence"], sentence);
    let page = std::fs::read_to_string(page).unwrap();
    for part in [
        "|   single-port, control measured | 0.46 |",
        "|   compiled, control measured |",
        "Area and clock: compiled memories (liberty)",
        sentence,
        &format!(" --sram {} --target", library.display()),
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn files_and_models_that_make_no_sense_get_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(folder.path(), "good.lib", MACRO)
        .display()
        .to_string();
    let file = |name: &str, text: &str| write(folder.path(), name, text).display().to_string();
    let cells = file("cells.lib", &faultline_synth::cells::liberty());
    let flat = file("flat.lib", &MACRO.replace("area : 10000;", ""));
    let junk = file("junk.lib", "root:x:0:0\n");
    let silent = file("silent.lib", &MACRO.replace("memory_write", "other"));
    let advice = "give the Liberty file (.lib or .lib.gz) of an SRAM macro";
    for (arguments, start, part) in [
        (
            vec!["/no/such/x.lib"],
            "error: /no/such/x.lib: cannot read: ".to_owned(),
            "check the path",
        ),
        (
            vec![cells.as_str()],
            format!("error: {cells}: no SRAM macro to tile memories from: "),
            "it has no cell with a `memory` group",
        ),
        (
            vec![&flat],
            format!("error: {flat}: "),
            "its cell round_64x256 has no area",
        ),
        (
            vec![&junk],
            format!("error: {junk}: "),
            "line 1 starts no `library` group",
        ),
        (vec![&silent], format!("error: {silent}: "), advice),
        (vec![&good, &flat], format!("error: {flat}: "), advice),
        (
            vec!["single"],
            "error: --sram single: there is no such model and no such file".to_owned(),
            "paper-fit, single-port, cacti, both, openram",
        ),
        (
            vec!["both", &good],
            "error: --sram takes a model or Liberty files".to_owned(),
            "",
        ),
        (
            vec!["both", "cacti"],
            "error: --sram takes one model".to_owned(),
            "",
        ),
        (
            vec![&good, "--node", "40"],
            "error: --node is the node of CACTI's memories".to_owned(),
            "",
        ),
        (
            vec![&good, "no_design"],
            "error: there is no design or block no_design".to_owned(),
            "",
        ),
        (vec![""], "error: ".to_owned(), "the value is empty"),
    ] {
        let assert = faultline()
            .args(["cost", "operand_log_8k", "--sram"])
            .args(&arguments)
            .assert()
            .failure()
            .stderr(starts_with(start.as_str()).and(contains(part)));
        let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(text.lines().next().unwrap().contains(part), "{text}");
    }
    for (arguments, part) in [
        (
            vec!["power", "operand_log_8k", "--sram", good.as_str()],
            "faultline cost --sram FILE --power CYCLES",
        ),
        (
            vec![
                "cost",
                "operand_log_8k",
                "--sram",
                "openram",
                "--node",
                "40",
            ],
            "OpenRAM's are of 45 nm",
        ),
        (
            vec!["sram", "--openram", "o", "--regenerate", "o.toml"],
            "set the environment variable OPENRAM to a Python that has it",
        ),
    ] {
        faultline()
            .args(arguments)
            .current_dir(folder.path())
            .env("OPENRAM", "/no/such/python")
            .assert()
            .failure()
            .stderr(contains(part));
    }
    assert!(!folder.path().join("o.toml").exists());
}

//! The netlists that `faultline cost` and `faultline power` write, and the SAIF of `faultline power`, which names their pins.
//! Without Yosys or OpenSTA nothing can be mapped or timed, and the tests say so and pass.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Output;

use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

use common::faultline;

/// The design of these tests with memories: 16 macros of 128 bits below a block, so 2,048 outputs of memories.
const LOG: &str = "operand_log_8k";

/// Whether a tool is missing; a test without it says so and passes.
fn without(tools: &[faultline_synth::tool::Tool]) -> bool {
    let missing = tools.iter().find(|tool| tool.version().is_none());
    if let Some(tool) = missing {
        faultline_ledger::missing(&format!("{} is not installed", tool.program));
    }
    missing.is_some()
}

/// Instances of a netlist or of the scopes of a SAIF, with the names of their pins, single bits each.
type Pins = BTreeMap<String, BTreeSet<String>>;

/// The instances of a netlist as Yosys writes it: a cell or memory, its name, and a line for each pin. A name that needs it
/// has a backslash before and a blank after it.
fn of_netlist(verilog: &str, buses: &BTreeMap<&str, usize>) -> Pins {
    let mut pins = Pins::new();
    let mut at: Option<String> = None;
    for line in verilog.lines().map(str::trim) {
        match (&at, line.strip_prefix('.')) {
            (Some(instance), Some(pin)) => {
                let (pin, net) = pin.split_once('(').unwrap();
                let names = pins.entry(instance.clone()).or_default();
                match buses.get(pin) {
                    Some(&bits) => names.extend((0..bits).map(|bit| format!("{pin}[{bit}]"))),
                    None if net.starts_with(')') => {}
                    None => {
                        names.insert(pin.to_owned());
                    }
                }
            }
            (Some(_), None) if line == ");" => at = None,
            _ => {
                let words: Vec<&str> = line.split_whitespace().collect();
                if let [kind, name, "("] = words[..]
                    && kind != "module"
                {
                    at = Some(name.trim_start_matches('\\').to_owned());
                }
            }
        }
    }
    pins
}

/// The instances below the top of a SAIF, by the names under which OpenSTA looks them up: those of pins without their
/// backslashes, those of instances as they are, but that it has one before each bracket itself.
fn of_saif(saif: &str) -> Pins {
    let mut pins = Pins::new();
    let mut at: Option<String> = None;
    let mut depth = 0;
    for line in saif.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("(INSTANCE ") {
            depth += 1;
            let name = name.replace("\\[", "[").replace("\\]", "]");
            at = (depth == 2).then_some(name);
        } else if line == "(NET" {
            depth += 2;
        } else if line == ")" {
            depth -= if depth > 2 { 2 } else { 1 };
        } else if let (Some(instance), Some(rest)) = (&at, line.strip_prefix('(')) {
            let pin = rest.split(' ').next().unwrap().replace('\\', "");
            assert!(pins.entry(instance.clone()).or_default().insert(pin));
        }
    }
    pins
}

/// Writes netlist and SAIF of the log.
fn log(folder: &Path) {
    faultline()
        .args(["power", LOG, "--cycles", "100", "--netlist"])
        .arg(folder.join("n.v"))
        .arg("--saif")
        .arg(folder.join("a.saif"))
        .assert()
        .success();
}

#[test]
fn the_saif_names_every_pin_of_the_netlist() {
    if without(&[faultline_synth::tool::YOSYS]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    log(folder.path());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let (netlist, saif) = (read("n.v"), read("a.saif"));
    assert!(netlist.contains(&format!("module {LOG}(")), "{LOG}");
    let buses = BTreeMap::from([("address", 5), ("data", 64), ("q", 64)]);
    let expected = of_netlist(&netlist, &buses);
    let memories = expected.iter().filter(|(_, pins)| pins.contains("q[0]"));
    let outputs = memories.flat_map(|(_, pins)| pins.iter().filter(|pin| pin.starts_with("q[")));
    assert_eq!(outputs.count(), 2048);
    let found = of_saif(&saif);
    for (instance, pins) in &expected {
        assert_eq!(Some(pins), found.get(instance), "{instance}");
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn opensta_annotates_every_pin_from_the_saif() {
    use faultline_synth::tool::{OPENSTA, YOSYS};
    if without(&[YOSYS]) {
        return;
    }
    if let Err(error) = faultline_synth::power::opensta::check() {
        faultline_ledger::missing(&format!("{error}"));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    log(folder);
    for (command, option, name) in [
        ("library", "--write", "e.lib"),
        ("sram", "--macros", "macros"),
    ] {
        let mut command_line = faultline();
        let run = command_line.arg(command).arg(option).arg(folder.join(name));
        run.assert().success();
    }
    let script = format!(
        "read_liberty e.lib\nread_liberty macros/sram_32x64.lib\nread_verilog n.v\nlink_design {LOG}\n\
         read_saif -scope {LOG} a.saif\nreport_activity_annotation -report_unannotated\n"
    );
    std::fs::write(folder.join("ask.tcl"), script).unwrap();
    let Output { stdout, .. } = std::process::Command::new(OPENSTA.program)
        .args(["-no_splash", "-no_init", "-exit", "ask.tcl"])
        .current_dir(folder)
        .output()
        .unwrap();
    let told = String::from_utf8(stdout).unwrap();
    let row = |name: &str| -> usize {
        let line = told.lines().find(|line| line.starts_with(name));
        let number = line.and_then(|line| line.split_whitespace().last());
        number.unwrap().parse().unwrap()
    };
    assert!(row("saif ") > 10_000, "{told}");
    assert_eq!(row("unannotated "), 0, "{told}");
}

#[test]
fn cost_writes_a_netlist_of_each_design() {
    use faultline_synth::tool::{OPENSTA, YOSYS};
    if without(&[YOSYS, OPENSTA]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let netlists = folder.path().join("deep/netlists");
    let designs = ["scoreboard_8", "scoreboard_8_holding"];
    let cost = || {
        let mut command = faultline();
        command.args(["cost"]).args(designs).arg("--netlist");
        command
    };
    cost().arg(&netlists).assert().success();
    let mut there: Vec<_> = std::fs::read_dir(&netlists)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    there.sort();
    assert_eq!(there, designs.map(|design| format!("{design}.v")));
    for design in designs {
        let text = std::fs::read_to_string(netlists.join(format!("{design}.v"))).unwrap();
        assert!(text.contains(&format!("module {design}(")), "{design}");
        assert!(text.contains("DFF_X1 "), "{design}");
    }
    // What `power` writes is the same.
    let one = folder.path().join("one.v");
    faultline()
        .args(["power", designs[0], "--cycles", "10", "--netlist"])
        .arg(&one)
        .assert()
        .success();
    let read = |path: &Path| std::fs::read(path).unwrap();
    assert!(read(&one) == read(&netlists.join("scoreboard_8.v")));
}

#[test]
fn netlists_that_cannot_be_written_are_refused_before_anything_is() {
    use faultline_synth::tool::{OPENSTA, YOSYS};
    if without(&[YOSYS, OPENSTA]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(folder.path().join("file"), "mine").unwrap();
    let (new, whole, file) = (at("new"), at("scoreboard_8.v"), at("file"));
    let here = at("");
    let cases: [(&[&str], &str); 6] = [
        (
            &["cost", "--csv", &whole, "--netlist", &here],
            "error: --csv and --netlist both name ",
        ),
        (
            &["power", "--saif", &whole, "--netlist", &whole],
            "error: --netlist and --saif both name ",
        ),
        (&["cost", "--netlist", &file], "error: "),
        (
            &["cost", "--netlist", &new, "--liberty", "/nowhere.lib"],
            "error: /nowhere.lib: cannot read",
        ),
        (
            &["power", "--netlist", &new, "--liberty", "/nowhere.lib"],
            "error: /nowhere.lib: cannot read",
        ),
        (
            &["power", "--netlist", "/nowhere/n.v"],
            "error: /nowhere/n.v: cannot write: its folder is not there",
        ),
    ];
    for (arguments, told) in cases {
        let one_line = predicate::function(|text: &str| text.lines().count() == 1);
        faultline()
            .args(arguments)
            .arg("scoreboard_8")
            .assert()
            .code(1)
            .stdout(is_empty())
            .stderr(starts_with(told).and(one_line));
        let left = std::fs::read_dir(folder.path()).unwrap();
        assert_eq!(left.count(), 1, "{arguments:?}");
    }
    faultline()
        .args(["power", "scoreboard_8", "scoreboard_8_holding", "--netlist"])
        .arg(&new)
        .assert()
        .code(1)
        .stderr(contains("--netlist, --saif and --csv are for one design"));
}

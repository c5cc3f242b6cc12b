//! The embedded cell library: what it says, and that the tools take it.

// Clippy exempts tests, but not the functions that tests share.
#![allow(clippy::unwrap_used)]

use faultline_synth::cells::{self, Table, compare, fit};
use faultline_synth::cost::{Flow, Subject};
use faultline_synth::library::Library;
use faultline_synth::power::{Activity, Circuit, Simulator};
use faultline_synth::sram::{self, Sram};
use faultline_synth::tool::{OPENSTA, YOSYS};
use faultline_synth::yosys::{Design, Mapping, TARGET_PS};
use faultline_synth::{sta, yosys};
use liberty_db::DefaultCtx;
use liberty_db::biodivine_lib_bdd::boolean_expression::BooleanExpression;
use std::collections::BTreeSet;

fn parsed() -> liberty_db::Library<DefaultCtx> {
    faultline_liberty::parse(&cells::liberty()).unwrap()
}

fn name(pin: &liberty_db::Pin<DefaultCtx>) -> String {
    pin.name.to_string()
}

fn embedded() -> Library {
    Library::parse(cells::NAME, &cells::liberty()).unwrap()
}

fn evaluate(expression: &BooleanExpression, inputs: &[(&str, bool)]) -> bool {
    let value = |part: &BooleanExpression| evaluate(part, inputs);
    match expression {
        BooleanExpression::Variable(name) => {
            inputs
                .iter()
                .find(|(input, _)| input == name)
                .unwrap_or_else(|| panic!("the function uses {name}, which is no input"))
                .1
        }
        BooleanExpression::Not(part) => !value(part),
        BooleanExpression::And(one, other) => value(one) && value(other),
        BooleanExpression::Or(one, other) => value(one) || value(other),
        BooleanExpression::Xor(one, other) => value(one) ^ value(other),
        other => panic!("an operator that no cell needs: {other:?}"),
    }
}

/// What a combinational cell of this name computes, from its name alone.
fn meaning(family: &str, inputs: &[(&str, bool)]) -> bool {
    let pin = |name: &str| inputs.iter().find(|(input, _)| *input == name).unwrap().1;
    let all = |group: &str| {
        inputs
            .iter()
            .filter(|(name, _)| name.starts_with(group))
            .all(|(_, value)| *value)
    };
    let any = |group: &str| {
        inputs
            .iter()
            .filter(|(name, _)| name.starts_with(group))
            .any(|(_, value)| *value)
    };
    let groups: BTreeSet<&str> = inputs.iter().map(|(name, _)| &name[..1]).collect();
    match family.trim_end_matches(|letter: char| letter.is_ascii_digit()) {
        "INV" => !pin("A"),
        "BUF" | "CLKBUF" => pin("A"),
        "AND" => all(""),
        "NAND" => !all(""),
        "OR" => any(""),
        "NOR" => !any(""),
        "XOR" => pin("A") ^ pin("B"),
        "XNOR" => pin("A") == pin("B"),
        "MUX" => {
            if pin("S") {
                pin("B")
            } else {
                pin("A")
            }
        }
        // The digits are the sizes of the groups, and pins of a group share a letter.
        "AOI" => !groups.iter().any(|group| all(group)),
        "OAI" => !groups.iter().all(|group| any(group)),
        other => panic!("no meaning for the cell {other}"),
    }
}

#[test]
fn every_cell_of_the_table_is_in_the_library() {
    let library = parsed();
    let expected: BTreeSet<String> = cells::table()
        .families
        .iter()
        .flat_map(|family| family.sizes.iter().map(|size| family.cell(size.drive)))
        .collect();
    let found: BTreeSet<String> = library.cell.iter().map(|cell| cell.name.clone()).collect();
    assert_eq!(found, expected);
    let chosen: usize = fit::FAMILIES.iter().map(|(_, drives)| drives.len()).sum();
    assert_eq!(found.len(), chosen);
}

#[test]
fn areas_capacitances_and_leakage_are_those_of_the_table() {
    let library = parsed();
    for family in &cells::table().families {
        for size in &family.sizes {
            let here = family.cell(size.drive);
            let cell = library.cell.iter().find(|cell| cell.name == here).unwrap();
            assert_eq!(cell.area, Some(size.area), "{here}");
            assert_eq!(cell.cell_leakage_power, Some(size.leakage), "{here}");
            assert!(size.area > 0.0 && size.leakage > 0.0, "{here}");
            assert_eq!(size.capacitance.len(), family.inputs.len(), "{here}");
            assert_eq!(size.max_load.len(), family.outputs.len(), "{here}");
            for (input, [rise, fall]) in family.inputs.iter().zip(&size.capacitance) {
                let pin = cell.pin.iter().find(|pin| name(pin) == *input).unwrap();
                assert_eq!(pin.rise_capacitance, Some(*rise), "{here} {input}");
                assert_eq!(pin.fall_capacitance, Some(*fall), "{here} {input}");
                assert_eq!(pin.capacitance, Some(rise.max(*fall)), "{here} {input}");
            }
        }
    }
}

#[test]
fn every_cell_computes_what_its_name_says() {
    let library = parsed();
    let mut checked = 0;
    for cell in library.cell.iter().filter(|cell| cell.ff.is_empty()) {
        let inputs: Vec<String> = cell
            .pin
            .iter()
            .filter(|pin| pin.function.is_none())
            .map(name)
            .collect();
        let family = cell.name.split("_X").next().unwrap();
        let function = cell
            .pin
            .iter()
            .find_map(|pin| pin.function.as_ref())
            .unwrap();
        for row in 0..1_u32 << inputs.len() {
            let values: Vec<(&str, bool)> = inputs
                .iter()
                .enumerate()
                .map(|(index, name)| (name.as_str(), row >> index & 1 == 1))
                .collect();
            assert_eq!(
                evaluate(&function.0.expr, &values),
                meaning(family, &values),
                "{} at {values:?}",
                cell.name
            );
            checked += 1;
        }
    }
    assert!(checked > 500, "only {checked} rows of truth tables");
}

#[test]
fn digits_of_complex_gates_are_the_sizes_of_their_groups() {
    for family in &cells::table().families {
        let Some(digits) = ["AOI", "OAI"]
            .iter()
            .find_map(|kind| family.name.strip_prefix(kind))
        else {
            continue;
        };
        let mut expected: Vec<usize> = digits
            .chars()
            .map(|digit| digit.to_digit(10).unwrap() as usize)
            .collect();
        let letters: BTreeSet<&str> = family.inputs.iter().map(|pin| &pin[..1]).collect();
        let mut found: Vec<usize> = letters
            .iter()
            .map(|letter| {
                family
                    .inputs
                    .iter()
                    .filter(|pin| pin.starts_with(letter))
                    .count()
            })
            .collect();
        expected.sort_unstable();
        found.sort_unstable();
        // AOI211 has the pins A, B, C1, C2: groups of one pin each and one of two.
        assert_eq!(found, expected, "{}", family.name);
    }
}

#[test]
fn every_input_reaches_every_output_in_time_and_energy() {
    for family in &cells::table().families {
        for output in &family.outputs {
            let from = |input: &String| match &family.flip_flop {
                Some(flip_flop) => *input == flip_flop.clock,
                None => true,
            };
            for input in family.inputs.iter().filter(|input| from(input)) {
                let (name, output) = (&family.name, &output.name);
                assert!(
                    family
                        .arcs
                        .iter()
                        .any(|arc| arc.from == *input && arc.to == *output),
                    "{name}: no timing from {input} to {output}"
                );
                assert!(
                    family
                        .energies
                        .iter()
                        .any(|arc| arc.from == *input && arc.to == *output),
                    "{name}: no energy from {input} to {output}"
                );
            }
        }
    }
}

/// A fitted function can bend where the library's tables do not; then mapping would go astray.
/// The fitted transitions of the widest gates dip by less than 1 ps under light loads.
#[test]
fn a_heavier_load_never_makes_a_cell_faster() {
    for family in &cells::table().families {
        let most = family.sizes[0].max_load[0] / f64::from(family.sizes[0].drive);
        for arc in &family.arcs {
            for (quantity, curve, tolerance) in [
                ("delay_rise", &arc.delay_rise, 0.0),
                ("delay_fall", &arc.delay_fall, 0.0),
                ("slew_rise", &arc.slew_rise, 0.001),
                ("slew_fall", &arc.slew_fall, 0.001),
            ] {
                for slew in [0.001, 0.005, 0.017, 0.04, 0.08, 0.13, 0.2] {
                    let values = [0.006, 0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0]
                        .map(|part| curve.at(slew, part * most));
                    let place = format!(
                        "{} {} to {}: {quantity} at slew {slew} is {values:?}",
                        family.name, arc.from, arc.to
                    );
                    for pair in values.windows(2) {
                        assert!(pair[1] >= pair[0] - tolerance, "{place}");
                    }
                    if quantity.starts_with("slew") {
                        assert!(values[0] > 0.0, "{place}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_library_fits_itself() {
    let (again, deviations) = fit::fit(cells::NAME, &cells::liberty()).unwrap();
    let here = cells::table();
    assert_eq!(again.wire_load, here.wire_load);
    for (one, other) in again.families.iter().zip(&here.families) {
        assert_eq!(one.sizes, other.sizes, "{}", other.name);
        assert_eq!(one.outputs, other.outputs, "{}", other.name);
        assert_eq!(one.inputs, other.inputs, "{}", other.name);
    }
    for deviation in &deviations {
        assert!(deviation.mean < 0.01, "{deviation:?}");
    }
}

#[test]
fn the_table_survives_being_written() {
    let text = cells::table().to_toml("a test").unwrap();
    let again: Table = toml::from_str(&text).unwrap();
    assert_eq!(&again, cells::table());
}

#[test]
fn a_library_without_the_cells_is_refused_in_a_sentence() {
    let error = fit::fit("osu.lib", "library (osu) { cell (INVX1) { area : 1; } }").unwrap_err();
    let message = error.to_string();
    assert!(message.contains("osu.lib"), "{message}");
    assert!(message.contains("no cell AND2_X1"), "{message}");
    assert!(fit::fit("not.lib", "nothing of the kind").is_err());
    let other = cells::liberty().replace("(1, ff)", "(1, pf)");
    let message = fit::fit("pf.lib", &other).unwrap_err().to_string();
    assert!(
        message.contains("its units are not ns, fF and nW"),
        "{message}"
    );
}

#[test]
fn the_driving_cell_of_the_figures_is_there() {
    let library = embedded();
    assert_eq!(library.driving_cell(), "BUF_X4");
    assert!(library.is_register("DFF_X1"));
}

fn counter() -> Subject {
    let design = Design {
        top: "counter".to_owned(),
        verilog: "module counter (input wire clock, input wire reset, input wire [7:0] step, output reg [7:0] value, output wire high);
  assign high = value > step;
  always @(posedge clock) if (reset) value <= 8'd0; else value <= value + step;
endmodule
"
        .to_owned(),
        memories: Vec::new(),
    };
    Subject {
        block: design.top.clone(),
        config: "8".to_owned(),
        log_bytes: None,
        entries: None,
        design,
    }
}

#[test]
fn yosys_maps_and_opensta_times_a_design() {
    if YOSYS.version().is_none() || OPENSTA.version().is_none() {
        faultline_ledger::missing("it needs yosys and sta, and one of them is not installed");
        return;
    }
    let library = embedded();
    let netlist = yosys::synthesize(&counter().design, &library, TARGET_PS).unwrap();
    assert_eq!(netlist.registers, 8);
    assert_eq!(netlist.cells["DFF_X1"], 8);
    assert!(
        (60.0..200.0).contains(&netlist.area_um2),
        "{}",
        netlist.area_um2
    );
    let timing = sta::time(&netlist, &library, &[]).unwrap();
    let path = timing.register.unwrap().ns;
    assert!((0.2..1.0).contains(&path), "{path} ns");
}

#[test]
fn opensta_has_nothing_to_say_of_the_library() {
    if OPENSTA.version().is_none() {
        faultline_ledger::missing("sta is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cells.lib"), cells::liberty()).unwrap();
    std::fs::write(folder.path().join("read.tcl"), "read_liberty cells.lib\n").unwrap();
    let output = std::process::Command::new("sta")
        .current_dir(folder.path())
        .args(["-no_splash", "-no_init", "-exit", "read.tcl"])
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(output.status.success() && text.trim().is_empty(), "{text}");
}

fn without_tools() -> bool {
    let missing = YOSYS.version().is_none() || OPENSTA.version().is_none();
    if missing {
        faultline_ledger::missing("it needs yosys and sta, and one of them is not installed");
    }
    missing
}

fn flow<'a>(library: &'a Library, sram: &'a Sram) -> Flow<'a> {
    Flow {
        library,
        sram,
        compiled: None,
        node_nm: None,
        target_ps: TARGET_PS,
        mapping: Mapping::default(),
    }
}

/// Lets the counter count for 100 cycles.
fn count(_: &Subject, circuit: &Circuit) -> Result<Vec<(&'static str, Activity)>, String> {
    let mut simulator = Simulator::new(circuit);
    let input = |name: &str| {
        circuit
            .inputs
            .iter()
            .find(|port| port.name == name)
            .unwrap()
    };
    for cycle in 0..100 {
        simulator.set(input("reset"), &[u64::from(cycle == 0)]);
        simulator.set(input("step"), &[cycle % 7]);
        simulator.clock();
    }
    Ok(vec![("a test", simulator.activity(circuit))])
}

#[test]
fn the_embedded_library_equals_itself_in_a_comparison() {
    if without_tools() {
        return;
    }
    let library = embedded();
    let sram = Sram::Table(sram::Table::embedded().unwrap());
    let flow = flow(&library, &sram);
    let row = compare::row(&counter(), &flow, &library, &count).unwrap();
    assert_eq!(
        (row.off(), row.off_for_a_netlist()),
        ([0.0; 3], Some([0.0; 3]))
    );
    assert!(row.full.power.switching_mw > 0.0);
    // A little more of each, and twice the power.
    let mut other = row.clone();
    other.embedded.area_um2 *= 1.01;
    other.embedded.path_ns *= 0.91;
    other.embedded.power = row.full.power + row.full.power;
    assert_eq!(other.met(), [true, true, false]);
    let page = |row| compare::Comparison::new(&flow, vec![row]).markdown("a test", "Its Verilog");
    let text = page(row.clone());
    assert!(text.contains("| counter |"), "{text}");
    assert!(text.contains("100 cycles of a test"), "{text}");
    assert!(text.contains("Every design is within every bar."), "{text}");
    let text = page(other);
    assert!(
        text.contains("Not within its bar: power of counter."),
        "{text}"
    );
    let mut unlike = row;
    unlike.netlist_in_full = None;
    unlike.without_counterpart = vec!["XOR2_X1".to_owned()];
    let text = page(unlike);
    assert!(
        text.contains("no cell of the same function and pins: XOR2_X1."),
        "{text}"
    );
    assert!(text.contains("| yes | - | - |"), "{text}");
}

/// The embedded library with other names of cells and pins is as near to itself.
#[test]
fn cells_of_another_library_are_found_by_what_they_do() {
    if without_tools() {
        return;
    }
    let text = cells::liberty();
    let text = ["NAND", "NOR", "XOR", "DFF", "INV", "AOI", "OAI"]
        .into_iter()
        .fold(text, |text, name| {
            text.replace(&format!("cell ({name}"), &format!("cell (other_{name}"))
        });
    let text = text
        .replace("A1", "A0")
        .replace("ZN", "Y")
        .replace("CK", "G");
    let library = Library::parse("other", &text).unwrap();
    let sram = Sram::Table(sram::Table::embedded().unwrap());
    let row = compare::row(&counter(), &flow(&library, &sram), &embedded(), &count).unwrap();
    let off = row.off_for_a_netlist().unwrap();
    assert!(off.iter().all(|off| off.abs() < 1e-9), "{off:?}");
    // Without an output that nothing reads, the flip-flops take less.
    let mut text = text;
    while let Some(start) = text.find("    pin (QN) {") {
        let end = text[start..].find("\n    }\n").unwrap();
        text.replace_range(start..start + end + "\n    }\n".len(), "");
    }
    let library = Library::parse("other", &text).unwrap();
    let row = compare::row(&counter(), &flow(&library, &sram), &embedded(), &count).unwrap();
    assert_eq!(row.without_counterpart, [""; 0]);
    let [area, path, power] = row.off_for_a_netlist().unwrap();
    assert!(
        area == 0.0 && path.abs() < 1e-9 && power > 0.0,
        "{path} {power}"
    );
}

//! SAIF and CSV.

use crate::{assert_near, circuit, embedded, without_yosys};
use faultline_synth::power::{self, Calculator, Kind, Simulator, saif};
use faultline_synth::yosys::Memory;

/// A register behind an inverter, with names as a flattened design has them.
const VERILOG: &str =
    "module top (clock, \\a[0] , y); input clock, \\a[0] ; output y; wire \\unit[3].state[1] ;
    INV_X1 _1_ (.A(\\a[0] ), .ZN(_2_)); DFF_X1 _3_ (.CK(clock), .D(_2_), .Q(\\unit[3].state[1] ));
    INV_X2 \\unit[3].out (.A(\\unit[3].state[1] ), .ZN(y)); endmodule";

#[test]
fn saif_and_csv_have_what_was_counted() {
    if without_yosys() {
        return;
    }
    let (library, cells) = embedded();
    let circuit = circuit(VERILOG, &cells, &[]);
    let mut simulator = Simulator::new(&circuit);
    // Eight cycles of a = 0 0 1 1 0 0 0 0: the register is 0 1 1 0 0 1 1 1, and y its complement.
    for a in [0, 0, 1, 1, 0, 0, 0, 0] {
        simulator.set(&circuit.inputs[0], &[a]);
        simulator.clock();
    }
    simulator.settle();
    let activity = simulator.activity(&circuit);
    let text = saif(&circuit, &activity, 500.0);
    let line = |name: &str| {
        let lines = text.lines().map(str::trim);
        let found: Vec<&str> = lines
            .filter(|line| line.starts_with(&format!("({name} ")))
            .collect();
        found
    };
    assert_eq!(line("DURATION"), ["(DURATION 16000)"]);
    assert_eq!(line("TIMESCALE"), ["(TIMESCALE 1 ps)"]);
    assert_eq!(
        line("clock"),
        ["(clock (T0 8000) (T1 8000) (TX 0) (TC 16) (IG 0))"]
    );
    assert_eq!(
        line("a\\[0\\]"),
        ["(a\\[0\\] (T0 12000) (T1 4000) (TX 0) (TC 2) (IG 0))"]
    );
    let state = "(T0 6000) (T1 10000) (TX 0) (TC 3) (IG 0))";
    assert_eq!(
        line("unit\\[3\\].state\\[1\\]"),
        [format!("(unit\\[3\\].state\\[1\\] {state}")]
    );
    // Inputs of an instance are listed as its outputs are.
    assert_eq!(line("Q"), [format!("(Q {state}")]);
    assert_eq!(
        line("CK"),
        ["(CK (T0 8000) (T1 8000) (TX 0) (TC 16) (IG 0))"]
    );
    assert_eq!(line("A").len(), 2);
    assert!(line("A").contains(&&*format!("(A {state}")));
    assert_eq!(line("INSTANCE").len(), 4);
    assert_eq!(line("INSTANCE")[0], "(INSTANCE top");
    assert!(line("INSTANCE").contains(&"(INSTANCE unit\\[3\\].out"));
    let count = |letter: char| text.matches(letter).count();
    assert_eq!(count('('), count(')'));

    let calculator = Calculator::new(&circuit, &cells, &library).unwrap();
    let estimate = calculator.estimate(&activity, 500.0, &[]);
    let text = power::csv(&calculator, &circuit, &activity, &estimate).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headings = reader.headers().unwrap().clone();
    let column = |name: &str| headings.iter().position(|heading| heading == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.iter().filter(|row| &row[0] == "instance").count(), 3);
    let sum = |name: &str| -> f64 {
        let cells = rows
            .iter()
            .map(|row| &row[column(name)])
            .filter(|cell| !cell.is_empty());
        cells.map(|cell| cell.parse::<f64>().unwrap()).sum()
    };
    let own = estimate.of_kind(Kind::Sequential) + estimate.of_kind(Kind::Combinational);
    assert_near(sum("leakage_mw"), own.leakage_mw, "leakage");
    assert_near(sum("internal_mw"), own.internal_mw, "internal");
    assert_near(sum("switching_mw"), own.switching_mw, "switching");
    assert_near(
        sum("clock_mw"),
        estimate.of_kind(Kind::Clock).total_mw(),
        "clock",
    );
    let net = rows
        .iter()
        .find(|row| &row[column("name")] == "unit[3].state[1]")
        .unwrap();
    assert_eq!(
        (&net[column("toggles")], &net[column("cycles_high")]),
        ("3", "5")
    );
    let clock = rows
        .iter()
        .find(|row| &row[column("name")] == "clock")
        .unwrap();
    assert_eq!(&clock[column("cycles_high")], "");
    // What has no name of its own is counted where what it drives is; an index is left out.
    let modules: Vec<&str> = estimate
        .instances
        .iter()
        .map(|instance| instance.module.as_str())
        .collect();
    assert_eq!(modules, ["unit[]", "unit[]", "unit[]"]);
    assert_eq!(estimate.by_module().len(), 1);
}

/// A memory below a block, with a bit of its data and an address that are constant, as a flattened design has it.
const MEMORY: &str = "module top (clock, enable, d, y); input clock, enable, d; output y; wire [1:0] q;
    sram \\unit.banks[1].sram (.clock(clock), .enable(enable), .write(enable), .address(1'h0), .data({1'h1, d}), .q(q));
    INV_X1 _1_ (.A(q[0]), .ZN(y)); endmodule";

#[test]
fn saif_has_every_pin_of_a_memory() {
    if without_yosys() {
        return;
    }
    let (_, cells) = embedded();
    let memory = Memory {
        module: "sram".to_owned(),
        words: 2,
        bits: 2,
        masked: false,
        instances: 1,
    };
    let circuit = circuit(MEMORY, &cells, &[memory]);
    let mut simulator = Simulator::new(&circuit);
    for _ in 0..4 {
        simulator.clock();
    }
    simulator.restart();
    for _ in 0..4 {
        simulator.clock();
    }
    simulator.settle();
    let text = saif(&circuit, &simulator.activity(&circuit), 1000.0);
    let scope = text
        .split("(INSTANCE ")
        .find(|scope| scope.starts_with("unit.banks\\[1\\].sram\n"))
        .unwrap();
    let still = |pin: &str, is_high: bool| {
        let [low, high] = if is_high { [0, 4000] } else { [4000, 0] };
        format!("({pin} (T0 {low}) (T1 {high}) (TX 0) (TC 0) (IG 0))")
    };
    let expected = [
        "(clock (T0 2000) (T1 2000) (TX 0) (TC 8) (IG 0))".to_owned(),
        still("enable", false),
        still("write", false),
        still("address\\[0\\]", false),
        still("data\\[0\\]", false),
        still("data\\[1\\]", true),
        still("q\\[0\\]", false),
        still("q\\[1\\]", false),
    ];
    let lines: Vec<&str> = scope.lines().map(str::trim).skip(2).collect();
    assert_eq!(lines[..expected.len()], expected);
}

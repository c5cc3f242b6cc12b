//! What cannot be simulated is refused with a sentence.

use crate::cells::round;
use crate::{netlist, without_yosys};
use faultline_synth::library::Library;
use faultline_synth::power::{Cells, Circuit};

#[test]
fn a_netlist_that_cannot_be_simulated_is_refused() {
    if without_yosys() {
        return;
    }
    let (_, cells) = round();
    let nand = "NANDX1 g (.A(a), .B(b), .Y(y));";
    for (ports, body, reason) in [
        (
            "input clock, a, b; output y;",
            "NANDX9 g (.A(a), .B(b), .Y(y));",
            "the library has no cell NANDX9",
        ),
        (
            "input clock, a, b; output y;",
            "LATCHX1 g (.D(a), .G(b), .Q(y));",
            "the cell LATCHX1 cannot be simulated: it is a latch",
        ),
        (
            "input a, b; output y;",
            nand,
            "it has no input port `clock` of one bit",
        ),
        (
            "input [1:0] clock; input a, b; output y;",
            nand,
            "it has no input port `clock` of one bit",
        ),
        (
            "input clock, a, b; output y;",
            "NANDX1 g (.A(a), .B(y), .Y(y));",
            "g is in a combinational loop",
        ),
        (
            "input clock, a, b; output y;",
            "NANDX1 g (.A(a), .B(b), .Y(y)); NANDX1 h (.A(b), .B(a), .Y(y));",
            "the net y has two drivers",
        ),
        (
            "input clock, a, b; output y;",
            "NANDX1 g (.A(clock), .B(b), .Y(y));",
            "pin A of g takes the clock for data",
        ),
        (
            "input clock, a, b; output y;",
            "DFFEX1 f (.C(a), .D(b), .E(b), .Q(y));",
            "pin C of f has another clock than the port `clock`",
        ),
        (
            "input clock, a, b; output y; wire w;",
            "NANDX1 g (.A(a), .B(w), .Y(y));",
            "nothing drives the net w",
        ),
        (
            "input clock, a, b; inout y;",
            nand,
            "its port y has two directions",
        ),
    ] {
        let text = format!("module top (clock, a, b, y); {ports} {body} endmodule").replace(
            "(clock, a, b, y)",
            if ports.contains("clock") {
                "(clock, a, b, y)"
            } else {
                "(a, b, y)"
            },
        );
        let error = Circuit::read(&netlist(&text), &cells, &[])
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            format!("the netlist of top cannot be simulated: {reason}")
        );
    }
}

#[test]
fn what_is_no_netlist_is_refused() {
    if without_yosys() {
        return;
    }
    let (_, cells) = round();
    for text in ["modul top; endmodule", "module other; endmodule"] {
        let error = Circuit::read(&netlist(text), &cells, &[])
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("yosys failed on top: "), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn a_library_without_units_is_refused() {
    for (text, reason) in [
        (
            "library (l) { cell (c) { area : 1; } }",
            "it has no capacitive_load_unit",
        ),
        (
            "library (l) { capacitive_load_unit (1, ff); cell (c) { area : 1; } }",
            "it has no leakage_power_unit",
        ),
        (
            "library (l) { capacitive_load_unit (1, ff); leakage_power_unit : \"1nW\"; cell (c) { area : 1; } }",
            "it says no voltage",
        ),
    ] {
        let library = Library::parse("l", text).unwrap();
        let error = Cells::read(&library).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

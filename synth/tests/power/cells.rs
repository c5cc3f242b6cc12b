//! Single cells of a library with round figures, so that everything can be worked out by hand.

use crate::{assert_near, circuit, without_yosys};
use faultline_synth::library::Library;
use faultline_synth::power::{Calculator, Cells, Circuit, Electric, Estimate, Kind, Simulator};

/// 1 V, fF, ns, nW, fJ; no wires. Transition times and energies are round, too.
const LIBRARY: &str = r#"
library (round) {
  time_unit : "1ns"; voltage_unit : "1V"; leakage_power_unit : "1nW"; capacitive_load_unit (1, ff);
  nom_voltage : 1.0;
  power_lut_template (by_load_and_slew) {
    variable_1 : total_output_net_capacitance; variable_2 : input_transition_time;
    index_1 ("0, 100"); index_2 ("0, 1");
  }
  lu_table_template (by_load) { variable_1 : total_output_net_capacitance; index_1 ("0, 100"); }
  cell (BUFX4) {
    area : 1; cell_leakage_power : 7;
    pin (A) { direction : input; capacitance : 1; }
    pin (Y) { direction : output; function : "A";
      timing () { related_pin : "A"; timing_sense : positive_unate;
        rise_transition (by_load) { values ("0.1, 0.3"); } fall_transition (by_load) { values ("0.2, 0.4"); } }
      internal_power () { related_pin : "A"; rise_power (scalar) { values ("1"); } fall_power (scalar) { values ("1"); } }
    }
  }
  cell (NANDX1) {
    area : 1; cell_leakage_power : 99;
    leakage_power () { when : "!A"; value : 10; } leakage_power () { when : "A"; value : 30; }
    pin (A) { direction : input; capacitance : 2; }
    pin (B) { direction : input; capacitance : 3; }
    pin (Y) { direction : output; function : "(A B)'";
      timing () { related_pin : "A B"; timing_sense : negative_unate;
        rise_transition (scalar) { values ("0.5"); } fall_transition (scalar) { values ("0.25"); } }
      internal_power () { related_pin : "A"; when : "B";
        rise_power (by_load_and_slew) { values ("0, 10", "10, 20"); } fall_power (scalar) { values ("1"); } }
      internal_power () { related_pin : "A"; when : "!B";
        rise_power (scalar) { values ("4"); } fall_power (scalar) { values ("3"); } }
      internal_power () { related_pin : "B"; power (scalar) { values ("6"); } }
    }
  }
  cell (DFFRX1) {
    area : 1; cell_leakage_power : 5;
    ff (IQ, IQN) { next_state : "D"; clocked_on : "C"; clear : "!R"; preset : "S"; clear_preset_var1 : H; }
    pin (C) { direction : input; clock : true; capacitance : 4;
      internal_power () { rise_power (scalar) { values ("2"); } fall_power (scalar) { values ("1"); } } }
    pin (D) { direction : input; capacitance : 1;
      internal_power () { when : "C"; rise_power (scalar) { values ("3"); } fall_power (scalar) { values ("0"); } }
      internal_power () { when : "!C"; rise_power (scalar) { values ("5"); } fall_power (scalar) { values ("2"); } } }
    pin (R) { direction : input; capacitance : 1; }
    pin (S) { direction : input; capacitance : 1; }
    pin (Q) { direction : output; function : "IQ";
      internal_power () { related_pin : "C"; rise_power (scalar) { values ("8"); } fall_power (scalar) { values ("6"); } } }
    pin (N) { direction : output; function : "IQN";
      internal_power () { related_pin : "C"; rise_power (scalar) { values ("50"); } fall_power (scalar) { values ("50"); } } }
  }
  cell (DFFEX1) {
    area : 1; cell_leakage_power : 5;
    ff (IQ, IQN) { next_state : "(D E) + (IQ !E)"; clocked_on : "C"; }
    pin (C) { direction : input; clock : true; capacitance : 4; }
    pin (D) { direction : input; capacitance : 1; }
    pin (E) { direction : input; capacitance : 1; }
    pin (Q) { direction : output; function : "IQ"; }
    pin (N) { direction : output; function : "IQN"; }
  }
  cell (DFFSX1) {
    area : 1; cell_leakage_power : 5;
    leakage_power () { when : "C & D & !Q"; value : 40; } leakage_power () { when : "Q"; value : 20; }
    ff (IQ, IQN) { next_state : "D"; clocked_on : "C"; }
    pin (C) { direction : input; clock : true; capacitance : 4;
      internal_power () { when : "D & Q"; rise_power (scalar) { values ("1"); } fall_power (scalar) { values ("2"); } }
      internal_power () { when : "D & !Q"; rise_power (scalar) { values ("10"); } fall_power (scalar) { values ("20"); } }
      internal_power () { when : "!D & Q"; rise_power (scalar) { values ("100"); } fall_power (scalar) { values ("200"); } }
      internal_power () { rise_power (scalar) { values ("1000"); } fall_power (scalar) { values ("2000"); } } }
    pin (D) { direction : input; capacitance : 1;
      internal_power () { when : "C & Q"; power (scalar) { values ("4"); } }
      internal_power () { when : "!C"; power (scalar) { values ("8"); } } }
    pin (Q) { direction : output; function : "IQ"; }
  }
  cell (INVSX1) {
    area : 1; leakage_power () { related_pg_pin : VDD; value : 6; } leakage_power () { related_pg_pin : VSS; value : 9; }
    pg_pin (VDD) { pg_type : primary_power; voltage_name : VDD; } pg_pin (VSS) { pg_type : primary_ground; voltage_name : VSS; }
    pin (A) { direction : input; capacitance : 1; }
    pin (Y) { direction : output; function : "!A";
      internal_power () { related_pin : "A"; related_pg_pin : VDD; power (scalar) { values ("3"); } }
      internal_power () { related_pin : "A"; related_pg_pin : VSS; power (scalar) { values ("4"); } } }
  }
  cell (AOIX1) {
    area : 1; cell_leakage_power : 1;
    pin (A) { direction : input; capacitance : 1; } pin (B) { direction : input; capacitance : 1; }
    pin (C) { direction : input; capacitance : 1;
      internal_power () { when : "!A & Y"; power (scalar) { values ("16"); } } }
    pin (Y) { direction : output; function : "!((A & B) | C)";
      internal_power () { related_pin : "A"; power (scalar) { values ("1"); } }
      internal_power () { related_pin : "B"; power (scalar) { values ("2"); } }
      internal_power () { related_pin : "C"; when : "A & !B"; power (scalar) { values ("4"); } }
      internal_power () { related_pin : "C"; power (scalar) { values ("8"); } } }
  }
  cell (LATCHX1) {
    area : 1; latch (IQ, IQN) { data_in : "D"; enable : "G"; }
    pin (D) { direction : input; capacitance : 1; } pin (G) { direction : input; capacitance : 1; }
    pin (Q) { direction : output; function : "IQ"; }
  }
}
"#;

/// The library with what power knows of it.
pub fn round() -> (Library, Cells) {
    let library = Library::parse("round", LIBRARY).unwrap();
    let cells = Cells::read(&library).unwrap();
    (library, cells)
}

/// A circuit of these cells, and its simulation.
fn simulated(verilog: &str) -> (Circuit, Simulator) {
    let circuit = circuit(verilog, &round().1, &[]);
    let simulator = Simulator::new(&circuit);
    (circuit, simulator)
}

fn set(circuit: &Circuit, simulator: &mut Simulator, port: &str, value: bool) {
    simulator.set(crate::port(&circuit.inputs, port), &[value.into()]);
}

fn get(circuit: &Circuit, simulator: &mut Simulator, port: &str) -> bool {
    let mut words = [0];
    simulator.settle();
    simulator.get(crate::port(&circuit.outputs, port), &mut words);
    words[0] == 1
}

fn estimate(circuit: &Circuit, simulator: &Simulator) -> Estimate {
    let (library, cells) = round();
    let calculator = Calculator::new(circuit, &cells, &library).unwrap();
    // A cycle of a nanosecond: a femtojoule in each is a microwatt.
    calculator.estimate(&simulator.activity(circuit), 1000.0, &[])
}

const NAND: &str = "module top (clock, a, b, y); input clock, a, b; output y; NANDX1 g (.A(a), .B(b), .Y(y)); endmodule";

/// A NAND drives 10 fF. Input `a` comes from the buffer: 0.1 ns + 2 fF of 100 at 0.2 ns = 0.104 ns rising, 0.204 falling.
#[test]
fn a_gate_takes_what_its_tables_say_for_each_edge() {
    if without_yosys() {
        return;
    }
    let (library, cells) = round();
    let circuit = circuit(NAND, &cells, &[]);
    let electric = Electric::new(&circuit, &cells, &library).unwrap();
    let net = |name: &str| {
        circuit
            .nets
            .iter()
            .position(|net| net.name == name)
            .unwrap()
    };
    assert_near(electric.load[net("y")], 10e-15, "load of y");
    assert_near(electric.slew[net("a")][0], 0.204e-9, "fall of a");
    assert_near(electric.slew[net("a")][1], 0.104e-9, "rise of a");
    assert_eq!(electric.slew[net("y")], [0.25e-9, 0.5e-9]);
    let mut simulator = Simulator::new(&circuit);
    // Ten cycles of b = 1, and a = 0 1 0 1 0 1 0 1 0 1: y falls five times and rises four times.
    set(&circuit, &mut simulator, "b", true);
    simulator.settle();
    simulator.restart();
    for cycle in 0..10 {
        set(&circuit, &mut simulator, "a", cycle % 2 == 1);
        simulator.clock();
    }
    let estimate = estimate(&circuit, &simulator);
    let power = estimate.of_kind(Kind::Combinational);
    // Leakage: 10 and 30 nW in five cycles each. The tables are those of a high b. Rise, from a falling a: load / 10 fF + 10 x
    // slew, which is 1 + 2.04. Fall: 1.
    assert_near(power.leakage_mw, 20e-6, "leakage");
    let rise = 3.04;
    assert_near(
        power.internal_mw,
        (4.0 * rise + 5.0 * 1.0) / 10.0 * 1e-3,
        "internal",
    );
    // Half of 10 fF x 1 V² for each of nine changes.
    assert_near(power.switching_mw, 9.0 * 5.0 / 10.0 * 1e-3, "switching");
    assert_eq!(estimate.of_kind(Kind::Clock).total_mw(), 0.0);
}

#[test]
fn inputs_that_change_together_share_what_they_cause() {
    if without_yosys() {
        return;
    }
    let (circuit, mut simulator) = simulated(NAND);
    // Both rise in the second cycle: y falls once, by a with a low b before, 3 fJ, and a high b after, 1 fJ, and by b, 6 fJ.
    // That b alone falls is 6 fJ more.
    for (a, b) in [(false, false), (true, true), (true, false)] {
        set(&circuit, &mut simulator, "a", a);
        set(&circuit, &mut simulator, "b", b);
        simulator.clock();
    }
    let power = estimate(&circuit, &simulator).of_kind(Kind::Combinational);
    assert_near(
        power.internal_mw,
        ((2.0 + 6.0) / 2.0 + 6.0) / 3.0 * 1e-3,
        "internal",
    );
}

const FLIP_FLOP: &str = "module top (clock, d, r, s, q); input clock, d, r, s; output q;
    DFFRX1 f (.C(clock), .D(d), .R(r), .S(s), .Q(q)); endmodule";

#[test]
fn a_flip_flop_takes_its_clock_its_data_and_its_output() {
    if without_yosys() {
        return;
    }
    let (circuit, mut simulator) = simulated(FLIP_FLOP);
    set(&circuit, &mut simulator, "r", true);
    simulator.settle();
    simulator.restart();
    // d rises and falls once in four cycles, and so does q. The output N is not connected.
    for d in [true, true, false, false] {
        set(&circuit, &mut simulator, "d", d);
        simulator.clock();
    }
    let estimate = estimate(&circuit, &simulator);
    let own = estimate.of_kind(Kind::Sequential);
    assert_near(own.leakage_mw, 5e-6, "leakage");
    // d: the mean of 3 and 5, and of 0 and 2. q: 8 and 6.
    assert_near(
        own.internal_mw,
        (4.0 + 1.0 + 8.0 + 6.0) / 4.0 * 1e-3,
        "internal",
    );
    assert_near(own.switching_mw, 2.0 * 5.0 / 4.0 * 1e-3, "switching");
    let clock = estimate.of_kind(Kind::Clock);
    // In each cycle 2 + 1 fJ, and 4 fF x 1 V².
    assert_near(clock.internal_mw, 3e-3, "clock, internal");
    assert_near(clock.switching_mw, 4e-3, "clock, switching");
}

/// The clock's tables depend on data and state, and each edge takes that of its cycle.
#[test]
fn a_clock_takes_what_the_state_of_its_flip_flop_says() {
    if without_yosys() {
        return;
    }
    let verilog = "module top (clock, d, q); input clock, d; output q; DFFSX1 f (.C(clock), .D(d), .Q(q)); endmodule";
    let (circuit, mut simulator) = simulated(verilog);
    for d in [true, true, false, false] {
        set(&circuit, &mut simulator, "d", d);
        simulator.clock();
    }
    let estimate = estimate(&circuit, &simulator);
    // The clock rises with d, q = 10, 11, 01, 00; for the last there is no condition. In the first and third cycle d turns
    // before the clock falls as often as after it, so that it falls with 00 and 10, 11, 11 and 01, 00.
    let rises = 10.0 + 1.0 + 100.0 + 1000.0;
    let falls = (2000.0 + 20.0) / 2.0 + 2.0 + (2.0 + 200.0) / 2.0 + 2000.0;
    let clock = estimate.of_kind(Kind::Clock);
    assert_near(clock.internal_mw, (rises + falls) / 4.0 * 1e-3, "clock");
    let own = estimate.of_kind(Kind::Sequential);
    // d rises with q = 0, where a high clock has no table, and falls with q = 1.
    let data = (0.0 + 8.0) / 2.0 + (4.0 + 8.0) / 2.0;
    assert_near(own.internal_mw, data / 4.0 * 1e-3, "data");
    // Of d, q = 10 half of the time with a high clock, 40 or else the cell's 5; two cycles of q = 1; and 00.
    let leakage = (40.0 + 5.0) / 2.0 + 20.0 + 20.0 + 5.0;
    assert_near(own.leakage_mw, leakage / 4.0 * 1e-6, "leakage");
}

#[test]
fn tables_of_two_supplies_add_up() {
    if without_yosys() {
        return;
    }
    let verilog =
        "module top (clock, a, y); input clock, a; output y; INVSX1 g (.A(a), .Y(y)); endmodule";
    let (circuit, mut simulator) = simulated(verilog);
    for a in [true, false] {
        set(&circuit, &mut simulator, "a", a);
        simulator.clock();
    }
    let power = estimate(&circuit, &simulator).of_kind(Kind::Combinational);
    assert_near(power.internal_mw, 7e-3, "internal");
    // What leaks into ground comes from the supply.
    assert_near(power.leakage_mw, 6e-6, "leakage");
}

/// An input without influence takes no part of what others turn, and the conditions are those of the edge's own cycle.
#[test]
fn conditions_hold_in_the_cycle_of_the_edge() {
    if without_yosys() {
        return;
    }
    let verilog = "module top (clock, a, b, c, y); input clock, a, b, c; output y;
        AOIX1 g (.A(a), .B(b), .C(c), .Y(y)); endmodule";
    let (circuit, mut simulator) = simulated(verilog);
    let mut energy = |a: bool, b: bool, c: bool| {
        for (port, value) in [("a", a), ("b", b), ("c", c)] {
            set(&circuit, &mut simulator, port, value);
        }
        simulator.settle();
        simulator.clock();
        let found = estimate(&circuit, &simulator).of_kind(Kind::Combinational);
        simulator.restart();
        found.internal_mw * 1e3
    };
    assert_near(energy(true, false, false), 0.0, "a alone turns nothing");
    assert_near(energy(true, false, true), 4.0, "c with a and not b");
    assert_near(energy(false, false, true), 0.0, "a again");
    // y rises by c alone; the pin c has 16 fJ where a is low and y high, which is so after the edge.
    assert_near(energy(false, false, false), 8.0 + 16.0 / 2.0, "c");
    // a and b turn y together, 1 and 2 fJ; c, which rises too, would have turned it alone: 8 before, 8 after.
    let pin = 16.0 / 2.0;
    assert_near(energy(true, true, true), 8.0 + pin, "c hides a and b");
}

#[test]
fn flip_flops_are_cleared_and_preset_at_any_time() {
    if without_yosys() {
        return;
    }
    let (circuit, mut simulator) = simulated(FLIP_FLOP);
    let mut shown = |d: bool, clear: bool, preset: bool, clock: bool| {
        set(&circuit, &mut simulator, "d", d);
        set(&circuit, &mut simulator, "r", !clear);
        set(&circuit, &mut simulator, "s", preset);
        if clock {
            simulator.clock();
        }
        get(&circuit, &mut simulator, "q")
    };
    assert!(shown(true, false, false, true));
    assert!(!shown(true, true, false, false), "cleared");
    assert!(!shown(true, true, false, true), "held");
    assert!(!shown(true, false, false, false), "let go");
    assert!(shown(true, false, false, true), "clocked again");
    assert!(!shown(false, false, false, true));
    assert!(shown(false, false, true, false), "preset");
    assert!(shown(false, true, true, false), "both: var1 is H");
}

#[test]
fn a_flip_flop_may_depend_on_its_state_and_show_its_complement() {
    if without_yosys() {
        return;
    }
    let verilog = "module top (clock, d, e, q, n, t); input clock, d, e; output q, n, t;
        DFFEX1 f (.C(clock), .D(d), .E(e), .Q(q), .N(n)); DFFEX1 g (.C(clock), .D(t), .E(e), .N(t)); endmodule";
    let (circuit, mut simulator) = simulated(verilog);
    let mut toggled = true;
    let mut state = false;
    for (d, e) in [
        (true, false),
        (true, true),
        (false, false),
        (true, true),
        (false, true),
    ] {
        set(&circuit, &mut simulator, "d", d);
        set(&circuit, &mut simulator, "e", e);
        for (port, expected) in [("q", state), ("n", !state), ("t", toggled)] {
            assert_eq!(get(&circuit, &mut simulator, port), expected, "{port}");
        }
        simulator.clock();
        state = if e { d } else { state };
        toggled ^= e;
    }
}

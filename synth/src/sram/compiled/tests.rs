//! Macros of our own, whose figures and tilings are calculated by hand.

use super::tile::{Grid, candidates};
use super::wrapper::Wrapper;
use super::*;
use crate::library::Library;
use crate::sram::{NANGATE45, Setting, Shape, Sram, Table, View, Views};
use crate::yosys::{Design, Mapping, Memory, TARGET_PS};

/// One read-write port, a mask for each byte, active-low controls, data from the falling edge, pJ and mW; sixteen words.
const LOW: &str = r#"library (low) {
  time_unit : "1ns"; voltage_unit : "1V"; leakage_power_unit : "1mW"; capacitive_load_unit (1, pF); nom_voltage : 1.1;
  lu_table_template (delays) { variable_1 : input_net_transition; variable_2 : total_output_net_capacitance;
    index_1 ("0.01, 0.02, 0.04"); index_2 ("1, 2, 4"); }
  type (word) { bit_width : 32; } type (place) { bit_width : 4; } type (bytes) { bit_width : 4; }
  cell (low_16x32) {
    area : 500; cell_leakage_power : 0.25;
    memory () { type : ram; address_width : 4; word_width : 32; }
    bus (din0) { bus_type : word; direction : input; memory_write () { address : addr0; clocked_on : clk0; }
      pin (din0[31:0]) { timing () { related_pin : "clk0"; timing_type : setup_rising;
        rise_constraint (scalar) { values ("0.07"); } fall_constraint (scalar) { values ("0.09"); } } } }
    bus (dout0) { bus_type : word; direction : output; memory_read () { address : addr0; }
      pin (dout0[31:0]) { timing () { related_pin : "clk0"; timing_type : falling_edge;
        cell_rise (delays) { values ("0.1, 0.2, 0.3", "0.2, 0.3, 0.4", "0.5, 0.6, 0.7"); }
        cell_fall (delays) { values ("0.1, 0.2, 0.3", "0.1, 0.25, 0.4", "0.5, 0.6, 0.7"); } } } }
    bus (addr0) { bus_type : place; direction : input; }
    bus (wmask0) { bus_type : bytes; direction : input; memory_write () { address : addr0; clocked_on : clk0; } }
    pin (csb0) { direction : input; } pin (web0) { direction : input; }
    pin (clk0) { direction : input; clock : true;
      internal_power () { when : "!csb0 & !web0"; rise_power (scalar) { values ("3"); } fall_power (scalar) { values ("1.5"); } }
      internal_power () { when : "!csb0 & web0"; rise_power (scalar) { values ("2"); } fall_power (scalar) { values ("1"); } }
      internal_power () { when : "csb0"; rise_power (scalar) { values ("0.1"); } fall_power (scalar) { values ("0.1"); } }
      timing () { related_pin : "clk0"; timing_type : minimum_period; rise_constraint (scalar) { values ("1.2"); } } }
  }
}"#;

/// Separate ports for reads and writes, no mask, fF and nW, ps; sixty-four words of sixty-four bits.
const TWO: &str = r#"library (two) {
  time_unit : "1ps"; voltage_unit : "1V"; leakage_power_unit : "1nW"; capacitive_load_unit (1, fF); nom_voltage : 1.1;
  type (word) { bit_width : 64; } type (place) { bit_width : 6; }
  cell (two_64x64) {
    area : 2000.5;
    memory () { type : ram; address_width : 6; word_width : 64; }
    leakage_power () { related_pg_pin : VDD; when : "wen"; value : 100000; }
    leakage_power () { related_pg_pin : VDD; when : "!wen"; value : 200000; }
    leakage_power () { related_pg_pin : VDDA; value : 50000; }
    pin (ck) { direction : input; clock : true; min_period : 400;
      internal_power () { related_pg_pin : VDD; rise_power (scalar) { values ("1500"); } }
      internal_power () { related_pg_pin : VDDA; rise_power (scalar) { values ("500"); } } }
    bus (d) { bus_type : word; direction : input; memory_write () { address : wa; clocked_on : ck; } }
    bus (q) { bus_type : word; direction : output; memory_read () { address : ra; }
      timing () { related_pin : "ck"; timing_type : rising_edge; cell_rise (scalar) { values ("210"); } } }
    bus (wa) { bus_type : place; direction : input; timing () { related_pin : "ck"; timing_type : setup_rising;
      rise_constraint (scalar) { values ("-12"); } } }
    bus (ra) { bus_type : place; direction : input; } pin (wen) { direction : input; }
  }
}"#;

fn one(text: &str) -> Compiled {
    let mut found = parse(text, "x.lib").unwrap();
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn figures_are_those_of_the_files_in_our_units() {
    let low = one(LOW);
    assert_eq!((low.words, low.bits, low.mask_bits), (16, 32, 8));
    assert_eq!((low.ports.as_str(), low.volts), ("1rw", 1.1));
    close(low.area_um2(), 500.0);
    close(low.figures.leakage_mw, 0.25);
    // Both edges of the clock: 2 + 1 pJ for a read, 3 + 1.5 for a write.
    close(low.figures.read_pj, 3.0);
    close(low.figures.write_pj, 4.5);
    // Half of 1.2 ns, and 0.3 at the middle slew and load, of which the other edge has 0.25.
    close(low.figures.access_ns, 0.9);
    close(low.figures.cycle_ns, 1.2);
    close(low.figures.setup_ns.unwrap(), 0.09);
    assert!(low.unknown.is_empty());
    let two = one(TWO);
    assert_eq!((two.words, two.bits, two.mask_bits), (64, 64, 64));
    assert_eq!(two.ports, "1r1w");
    // The mean of 100 and 200 uW, and 50 of another supply; 1.5 and 0.5 pJ.
    close(two.figures.leakage_mw, 0.2);
    close(two.figures.read_pj, 2.0);
    close(two.figures.write_pj, 2.0);
    close(two.figures.access_ns, 0.21);
    close(two.figures.cycle_ns, 0.4);
    // An input may come after the edge; the memory's model has it there at the edge.
    close(two.figures.setup_ns.unwrap(), 0.0);
}

#[test]
fn names_tell_fewer_words_than_addresses_and_what_is_missing_is_told() {
    let fewer = LOW.replace("low_16x32", "ram45_10x32m9");
    assert_eq!(one(&fewer).words, 10);
    assert_eq!(one(&LOW.replace("low_16x32", "ram10_16x32")).words, 16);
    assert_eq!(one(&LOW.replace("low_16x32", "ram_8x32")).words, 16);
    let plain = LOW.replace("wmask0", "other0");
    assert_eq!(one(&plain).mask_bits, 32);
    let bare = TWO
        .replace("internal_power", "other_power")
        .replace("min_period", "other_period");
    let bare = one(&bare.replace("leakage_power ()", "other_leakage ()"));
    assert_eq!(bare.unknown, ["cycle", "energy", "leakage"]);
    close(bare.figures.cycle_ns, 0.21);
    close(bare.figures.write_pj, 0.0);
}

#[test]
fn grids_are_those_of_a_calculation_by_hand() {
    let (low, two) = (one(LOW), one(TWO));
    let grid = |of, words, bits, masked| {
        let Grid {
            rows,
            columns,
            bits,
        } = Grid::of(of, words, bits, masked);
        (rows, columns, bits)
    };
    // 80 words in rows of 16 and of 64; 2048 bits in columns of 32 and of 64.
    assert_eq!(grid(&low, 80, 2048, false), (5, 64, 32));
    assert_eq!(grid(&two, 80, 2048, false), (2, 32, 64));
    assert_eq!(grid(&low, 16, 33, false), (1, 2, 32));
    // With a mask for each bit, four bytes keep four bits, and a word without a mask one.
    assert_eq!(grid(&low, 16, 6, true), (1, 2, 4));
    assert_eq!(grid(&two, 64, 3, true), (1, 3, 1));
    // 2 x 500 um2 are less than 2000.5, and 8 x 500 are more.
    let macros = [low, two];
    let first = |words, bits| candidates(&macros, words, bits, false)[0].0.name.as_str();
    assert_eq!(first(16, 64), "low_16x32");
    assert_eq!(first(64, 64), "two_64x64");
}

fn tilings(macros: &[&str], design: &Design) -> Vec<Tiling> {
    let macros = Macros {
        name: "compiled",
        source: "liberty",
        provenance: String::new(),
        node_nm: None,
        list: macros.iter().map(|text| one(text)).collect(),
    };
    let library = Library::embedded().unwrap();
    tile(&macros, design, &library, TARGET_PS, Mapping::default()).unwrap()
}

fn memory(words: usize, bits: usize, masked: bool, instances: usize) -> Memory {
    Memory {
        module: format!("sram_{words}x{bits}"),
        words,
        bits,
        masked,
        instances,
    }
}

fn design(verilog: &str, memory: Memory) -> Design {
    Design {
        top: "top".to_owned(),
        verilog: verilog.to_owned(),
        memories: vec![memory],
    }
}

#[test]
fn memories_side_by_side_are_tiled_as_one() {
    let bank = "module memory_4_of_16x8 (input clock);\n  sram_16x8 sram (\n  .clock(clock));\nendmodule\n";
    let tiled = tilings(&[LOW], &design(bank, memory(16, 8, false, 8)));
    let [tiling] = tiled.as_slice() else { panic!() };
    // Four of 8 bits are a word of the macro, twice.
    assert_eq!((tiling.side_by_side, tiling.groups), (4, 2));
    assert_eq!((tiling.rows, tiling.columns), (1, 1));
    close(tiling.macro_area_um2, 500.0);
    close(tiling.logic_area_um2, 0.0);
    close(tiling.unused_percent, 0.0);
    let each = tiling.figures();
    close(each.area_mm2 * 1e6, 125.0);
    close(each.write_pj, 4.5 / 4.0);
    close(each.leakage_mw, 0.25 / 4.0);
    close(each.access_ns, 0.9);
    assert_eq!(
        tiling.sentence,
        "sram_16x8, 4 side by side: 1 of low_16x32 (16 words x 32 bits, 1rw, 500 um2) in each of 2, 1 deep and 1 wide, 0 % of \
         their bits unused, with no decoder or multiplexer; 0.900 ns to read."
    );
    // One elsewhere is not beside the others.
    let other =
        format!("{bank}module top (input clock);\n  sram_16x8 alone (.clock(clock));\nendmodule\n");
    let tiled = tilings(&[LOW], &design(&other, memory(16, 8, false, 9)));
    assert_eq!((tiled[0].side_by_side, tiled[0].groups), (1, 9));
    close(tiled[0].unused_percent, 75.0);
}

#[test]
fn rows_have_a_decoder_and_a_multiplexer_from_the_mapping() {
    if crate::tool::YOSYS.version().is_none() || crate::tool::OPENSTA.version().is_none() {
        faultline_ledger::missing("Yosys or OpenSTA is not installed");
        return;
    }
    let tiled = tilings(&[LOW, TWO], &design("", memory(80, 64, false, 1)));
    let [tiling] = tiled.as_slice() else { panic!() };
    // Two rows of one are 4001 um2, and five rows of two low ones are 5000.
    assert_eq!(
        (tiling.of.name.as_str(), tiling.rows, tiling.columns),
        ("two_64x64", 2, 1)
    );
    close(tiling.macro_area_um2, 4001.0);
    // A row is accessed, and both leak.
    close(tiling.group.read_pj, 2.0);
    close(tiling.group.leakage_mw, 0.4);
    // 64 gates that choose between two words, of at least 1 um2 each, and the two registers that they are chosen by.
    assert!((64.0..400.0).contains(&tiling.logic_area_um2), "{tiling:?}");
    close(tiling.group.area_mm2 * 1e6, 4001.0 + tiling.logic_area_um2);
    assert!((0.22..0.5).contains(&tiling.group.access_ns), "{tiling:?}");
    assert!(tiling.group.setup_ns > Some(0.02), "{tiling:?}");
    // 80 of 128 words.
    close(tiling.unused_percent, 37.5);
}

#[test]
fn logic_counts_where_a_macro_is_chosen() {
    if crate::tool::YOSYS.version().is_none() || crate::tool::OPENSTA.version().is_none() {
        faultline_ledger::missing("Yosys or OpenSTA is not installed");
        return;
    }
    // Eight low ones take 1992 um2 of macros, less than the other, and some 200 of multiplexers.
    let low = LOW.replace("area : 500", "area : 249");
    let tiled = tilings(&[&low, TWO], &design("", memory(64, 64, false, 1)));
    assert_eq!(
        (tiled[0].of.name.as_str(), tiled[0].logic_area_um2),
        ("two_64x64", 0.0)
    );
    let low = LOW.replace("area : 500", "area : 100");
    let tiled = tilings(&[&low, TWO], &design("", memory(64, 64, false, 1)));
    assert_eq!((tiled[0].of.name.as_str(), tiled[0].rows), ("low_16x32", 4));
    assert!(tiled[0].logic_area_um2 > 100.0);
}

#[test]
fn wrappers_say_which_row_and_bit_is_where() {
    let (low, two) = (one(LOW), one(TWO));
    let text = |of, words, bits, masked| {
        let grid = Grid::of(of, words, bits, masked);
        let wrapper = Wrapper {
            words,
            bits,
            masked,
            of,
            grid,
        };
        wrapper.verilog()
    };
    let plain = text(&two, 80, 60, false);
    for line in [
        "assign row[1] = address[6:6] == 1'd1;",
        ".address(near_1), .data({4'b0, data[59:0]})",
        "assign q[59] = (shown[0] & q_0[59]) | (shown[1] & q_1[59]);",
    ] {
        assert!(plain.contains(line), "{line}: {plain}");
    }
    let mut odd = low.clone();
    odd.words = 10;
    let odd = text(&odd, 25, 32, false);
    for line in [
        "assign row[0] = (address < 5'd10);",
        "assign row[1] = (address >= 5'd10) & (address < 5'd20);",
        "assign row[2] = (address >= 5'd20);",
        "wire [3:0] near_2 = address - 5'd20;",
    ] {
        assert!(odd.contains(line), "{line}: {odd}");
    }
    let masked = text(&low, 16, 6, true);
    for line in [
        ".data({7'b0, data[3], 7'b0, data[2], 7'b0, data[1], 7'b0, data[0]})",
        ".data({16'b0, 7'b0, data[5], 7'b0, data[4]})",
        "assign q[5] = q_0[40];",
    ] {
        assert!(masked.contains(line), "{line}: {masked}");
    }
    let gated = text(&two, 64, 2, true);
    assert!(
        gated.contains(".enable(enable & row[0] & (!write | mask[1]))"),
        "{gated}"
    );
}

#[test]
fn what_is_no_macro_gets_a_reason() {
    for (text, reason) in [
        (String::new(), "it is empty"),
        ("root:x:0:0".to_owned(), "line 1 starts no `library` group"),
        (
            "library (l) { cell (A) { area : 1; } }".to_owned(),
            "it has no voltage_unit that is known",
        ),
        (
            LOW.replace("\"1ns\"", "\"1 fortnight\""),
            "it has no time_unit that is known",
        ),
        (
            LOW.replace("memory ()", "memo ()"),
            "it has no cell with a `memory` group",
        ),
        (
            LOW.replace("area : 500;", ""),
            "its cell low_16x32 has no area",
        ),
        (
            LOW.replace("area : 500;", "area : 0;"),
            "its cell low_16x32 has no area",
        ),
        (
            LOW.replace("type : ram", "type : rom"),
            "its cell low_16x32 is a ROM",
        ),
        (
            LOW.replace("address_width : 4", "address_width : 99"),
            "has no address_width from 1 to 30",
        ),
        (
            LOW.replace("memory_write", "memory_none"),
            "has no pin with a `memory_write` group",
        ),
        (
            LOW.replace("memory_read", "memory_none"),
            "has no pin with a `memory_read` group",
        ),
        (
            LOW.replace("falling_edge", "combinational"),
            "has no delay from a clock to its output dout0",
        ),
        (
            LOW.replace("nom_voltage", "some_voltage"),
            "has a library without a voltage",
        ),
        (
            LOW.replace("\"0.1, 0.2, 0.3\", \"0.2, 0.3, 0.4\"", "\"0.1\", \"x\""),
            "",
        ),
    ] {
        match parse(&text, "x.lib") {
            Ok(found) => assert!(reason.is_empty(), "{reason}: {found:?}"),
            Err(said) => assert!(
                !reason.is_empty() && said.contains(reason),
                "{reason}: {said}"
            ),
        }
    }
}

#[test]
fn our_own_views_of_a_memory_read_back() {
    let sram = Sram::Table(Table::embedded().unwrap());
    for masked in [false, true] {
        let memory = memory(80, 64, masked, 1);
        let views = Views::new(&memory, &sram, &NANGATE45).unwrap();
        let found = one(&views.text(View::Liberty));
        assert_eq!(
            (found.words, found.bits, found.ports.as_str()),
            (80, 64, "1rw")
        );
        assert_eq!(found.mask_bits, if masked { 1 } else { 64 });
        let shape = Shape {
            setting: Setting::SinglePort,
            node_nm: 45,
            words: 80,
            bits: 64,
        };
        let written = sram.figures(&shape).unwrap();
        let near = |found: f64, written: f64| assert!((found - written).abs() < 2e-6, "{found}");
        near(found.figures.area_mm2, written.area_mm2);
        near(
            found.figures.leakage_mw,
            written.leakage_mw + written.gate_leakage_mw,
        );
        near(found.figures.read_pj, written.read_pj);
        near(found.figures.write_pj, written.write_pj);
        near(found.figures.access_ns, written.access_ns);
        near(found.figures.cycle_ns, written.cycle_ns);
        near(found.figures.setup_ns.unwrap(), 0.05);
    }
}

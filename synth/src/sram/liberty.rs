//! Writes the Liberty view of a macro, so that timing runs through it.

use super::process::{NANGATE45, Process};
use super::{CLOCK_FF, INPUT_FF, Macro, SETUP_NS, TEMPERATURE_K};
use crate::yosys::Memory;
use std::fmt::Write;

/// A Liberty library with one macro: the module of a memory, with the ports `clock`, `enable`, `write`,
/// `address`, `data` and `q` of the blocks' single-port memory, and `mask` if it is masked.
///
/// `q` follows the clock after the access time at every load; its transition is that of the same
/// fakeram macros that [`SETUP_NS`] comes from, 9 ps at 5 fF to 227 ps at 500 fF. A rising clock takes the energy of the
/// read or the write that it begins.
pub fn macro_liberty(memory: &Memory, figures: &Macro) -> String {
    library(memory, figures, &NANGATE45)
}

/// [`macro_liberty`] for the supply of a process, from figures that are those of the process.
pub fn library(memory: &Memory, figures: &Macro, process: &Process) -> String {
    let (name, bits) = (&memory.module, memory.bits);
    let address = crate::yosys::address_bits(memory.words);
    let mask = memory.masked.then_some("bus(mask) { bus_type : data_bus;");
    // The unit of energy follows from those of voltage and capacitance: a femtojoule.
    let energies: String = [
        ("enable & !write", figures.read_pj),
        ("enable & write", figures.write_pj),
    ]
    .iter()
    .map(|(when, picojoules)| {
        format!(
            "      internal_power() {{ when : \"{when}\"; rise_power(scalar) {{ values(\"{}\"); }} fall_power(scalar) {{ values(\"0\"); }} }}\n",
            (picojoules * 1e6).round() / 1e3
        )
    })
    .collect();
    let leakage_nw = rounded((figures.leakage_mw + figures.gate_leakage_mw) * 1e6);
    let mut text = format!(
        "library({name}) {{
  delay_model : table_lookup;
  time_unit : \"1ns\";
  voltage_unit : \"1V\";
  current_unit : \"1uA\";
  leakage_power_unit : \"1nW\";
  pulling_resistance_unit : \"1kohm\";
  capacitive_load_unit (1,ff);
  nom_process : 1;
  nom_voltage : {volts};
  nom_temperature : {celsius};
  voltage_map({power}, {volts});
  voltage_map({ground}, 0);
  slew_lower_threshold_pct_rise : 20;
  slew_upper_threshold_pct_rise : 80;
  slew_lower_threshold_pct_fall : 20;
  slew_upper_threshold_pct_fall : 80;
  input_threshold_pct_rise : 50;
  input_threshold_pct_fall : 50;
  output_threshold_pct_rise : 50;
  output_threshold_pct_fall : 50;
  lu_table_template(load) {{
    variable_1 : total_output_net_capacitance;
    index_1 (\"5, 500\");
  }}
",
        volts = process.volts,
        power = process.supplies.0,
        ground = process.supplies.1,
        celsius = rounded(f64::from(TEMPERATURE_K) - 273.15),
    );
    for (bus, width) in [("address_bus", address), ("data_bus", bits)] {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  type({bus}) {{ base_type : array; data_type : bit; bit_width : {width}; bit_from : {}; bit_to : 0; downto : true; }}",
            width - 1
        );
    }
    let _ = write!(
        text,
        "  cell({name}) {{
    area : {area};
    interface_timing : true;
    memory() {{ type : ram; address_width : {address}; word_width : {bits}; }}
    cell_leakage_power : {leakage_nw};
    pg_pin({power}) {{ voltage_name : {power}; pg_type : primary_power; }}
    pg_pin({ground}) {{ voltage_name : {ground}; pg_type : primary_ground; }}
    pin(clock) {{ direction : input; clock : true; capacitance : {CLOCK_FF}; min_period : {cycle};
{energies}    }}
",
        area = rounded(figures.area_mm2 * 1e6),
        power = process.supplies.0,
        ground = process.supplies.1,
        cycle = rounded(figures.cycle_ns),
    );
    let setup_ns = figures.setup_ns.map_or(SETUP_NS, rounded);
    let constraints = [("setup_rising", setup_ns), ("hold_rising", SETUP_NS)]
        .map(|(kind, ns)| {
            format!(
                "timing() {{ related_pin : \"clock\"; timing_type : {kind}; rise_constraint(scalar) {{ values(\"{ns}\"); }} fall_constraint(scalar) {{ values(\"{ns}\"); }} }}"
            )
        })
        .join("\n      ");
    for input in [
        "pin(enable) {",
        "pin(write) {",
        "bus(address) { bus_type : address_bus;",
        "bus(data) { bus_type : data_bus; memory_write() { address : address; clocked_on : clock; }",
    ]
    .into_iter()
    .chain(mask)
    {
        let _ = writeln!(
            text,
            "    {input} direction : input; capacitance : {INPUT_FF};\n      {constraints}\n    }}"
        );
    }
    let _ = write!(
        text,
        "    bus(q) {{ bus_type : data_bus; direction : output; max_capacitance : 500; memory_read() {{ address : address; }}
      timing() {{
        related_pin : \"clock\";
        timing_type : rising_edge;
        timing_sense : non_unate;
        cell_rise(scalar) {{ values(\"{access}\"); }}
        cell_fall(scalar) {{ values(\"{access}\"); }}
        rise_transition(load) {{ values(\"0.009, 0.227\"); }}
        fall_transition(load) {{ values(\"0.009, 0.227\"); }}
      }}
    }}
  }}
}}
",
        access = rounded(figures.access_ns),
    );
    text
}

/// A figure to a millionth, which is more than any of them is worth.
fn rounded(figure: f64) -> f64 {
    (figure * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macro_is_liberty_with_its_area() {
        let figures = Macro {
            area_mm2: 0.0017,
            leakage_mw: 0.4,
            gate_leakage_mw: 0.03,
            read_pj: 0.9,
            write_pj: 1.5,
            access_ns: 0.166,
            cycle_ns: 0.135,
            setup_ns: None,
        };
        let memory = |masked| Memory {
            module: "sram_80x64".to_owned(),
            words: 80,
            bits: 64,
            masked,
            instances: 1,
        };
        let text = macro_liberty(&memory(false), &figures);
        let library = crate::library::Library::parse("sram_80x64", &text).unwrap();
        assert!((library.area("sram_80x64").unwrap() - 1700.0).abs() < 1e-6);
        // 80 words need seven address bits.
        assert!(
            text.contains("type(address_bus) { base_type : array; data_type : bit; bit_width : 7;")
        );
        assert!(text.contains("cell_rise(scalar) { values(\"0.166\"); }"));
        assert!(!text.contains("mask"));
        assert!(
            text.contains("when : \"enable & write\"; rise_power(scalar) { values(\"1500\"); }")
        );
        assert_eq!(text.matches("values(\"0.05\")").count(), 4 * 4);
        let slow = Macro {
            setup_ns: Some(0.25),
            ..figures
        };
        let slow = macro_liberty(&memory(false), &slow);
        for ns in ["0.05", "0.25"] {
            let constraints = slow.matches(&format!("values(\"{ns}\")")).count();
            assert_eq!(constraints, 2 * 4, "{slow}");
        }
        let masked = macro_liberty(&memory(true), &figures);
        assert!(masked.contains("bus(mask) { bus_type : data_bus; direction : input;"));
    }
}

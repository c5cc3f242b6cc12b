//! What is around a design, for every flow: one clock, and a fifth of its period outside at either end.

/// Constraints for a clock of this period, in the unit of the flow's libraries, ns. OpenROAD-flow-scripts reads the line
/// `set clk_period` by itself, for ABC.
pub fn constraints(top: &str, period_ns: f64) -> String {
    format!(
        "current_design {top}

set clk_period {period_ns}
set clock_port [get_ports clock]
create_clock -name clock -period $clk_period $clock_port

# A fifth of the period belongs to what drives the inputs, another to what the outputs go to.
set inputs [lsearch -inline -all -not -exact [all_inputs] $clock_port]
set_input_delay [expr {{$clk_period * 0.2}}] -clock clock $inputs
set_output_delay [expr {{$clk_period * 0.2}}] -clock clock [all_outputs]
"
    )
}

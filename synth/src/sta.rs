//! Times a netlist with OpenSTA, through the memories too.

use crate::error::Error;
use crate::library::Library;
use crate::sram::{Macro, macro_liberty};
use crate::tool::{self, OPENSTA};
use crate::yosys::{Memory, Netlist, OUTPUT_LOAD_FF};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Clock period of the analysis, ns. Only the slack depends on it.
const PERIOD_NS: f64 = 1.0;

/// The longest path of a group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Path {
    /// How long a clock period it needs, ns, setup included.
    pub ns: f64,
    /// Where it starts: a port or the pin of a register or memory.
    pub from: String,
    /// Where it ends.
    pub to: String,
}

/// The longest path of each group; `None` where there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Timing {
    /// Register or memory to register or memory.
    pub register: Option<Path>,
    /// Input, there at the clock edge, to register or memory.
    pub input: Option<Path>,
    /// Register or memory to output, needed at the next edge.
    pub output: Option<Path>,
    /// Input to output.
    pub through: Option<Path>,
    /// The shortest period that the memories allow, ns; 0 without memories.
    pub memory_cycle_ns: f64,
    /// The least slack of a register against hold, ns; after layout only, because it is of the clock's tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_ns: Option<f64>,
}

/// What the clock is, in the words of every page that shows it.
pub const CLOCK: &str = "The clock is what the slowest of three groups allows: register (from a register or memory to a register or memory), output (from one of them to an output), memory (a memory's own cycle).";

/// What limits the clock, in the words of [`CLOCK`].
#[derive(Clone, Debug, PartialEq)]
pub enum Limit<'a> {
    /// A path from a register or memory to a register or memory.
    Register(&'a Path),
    /// A path from a register or memory to an output.
    Output(&'a Path),
    /// The cycle of a memory, ns.
    Memory(f64),
}

impl Limit<'_> {
    /// The group's name.
    pub fn group(&self) -> &'static str {
        match self {
            Self::Register(_) => "register",
            Self::Output(_) => "output",
            Self::Memory(_) => "memory",
        }
    }

    /// The shortest clock period that it allows, ns.
    pub fn ns(&self) -> f64 {
        match self {
            Self::Register(path) | Self::Output(path) => path.ns,
            Self::Memory(ns) => *ns,
        }
    }

    /// The path, unless a memory's cycle is the limit.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Register(path) | Self::Output(path) => Some(path),
            Self::Memory(_) => None,
        }
    }
}

impl Timing {
    /// What limits the clock. What a memory reads may go straight to an output, so a clock without the outputs
    /// would leave its access time out.
    pub fn limit(&self) -> Option<Limit<'_>> {
        let memory = (self.memory_cycle_ns > 0.0).then_some(Limit::Memory(self.memory_cycle_ns));
        let paths = [
            self.register.as_ref().map(Limit::Register),
            self.output.as_ref().map(Limit::Output),
        ];
        paths
            .into_iter()
            .chain([memory])
            .flatten()
            .max_by(|one, other| one.ns().total_cmp(&other.ns()))
            .filter(|limit| limit.ns() > 0.0)
    }

    /// Highest clock, MHz.
    pub fn fmax_mhz(&self) -> Option<f64> {
        self.limit().map(|limit| 1000.0 / limit.ns())
    }
}

/// Times a netlist whose memories have the given figures.
///
/// Clock ideal; every input arrives at the edge, from the library's driving cell; outputs have the
/// whole period and the load of the synthesis. Before layout: wires are those of the library's
/// default wire-load model.
///
/// # Errors
/// If OpenSTA is missing or fails, or its answer does not parse.
pub fn time(
    netlist: &Netlist,
    library: &Library,
    memories: &[(Memory, Macro)],
) -> Result<Timing, Error> {
    ask(netlist, library, memories, "")
}

/// [`time`] after layout: the wires of each net, whose name is plain, are a capacitance, fF; their resistance is left out.
/// The clock takes the time that its tree takes, so that a path between registers counts their skew, and one to an output
/// the tree as well.
///
/// # Errors
/// As [`time`].
pub fn time_placed(
    netlist: &Netlist,
    library: &Library,
    wires: &BTreeMap<String, f64>,
) -> Result<Timing, Error> {
    let loads: String = wires
        .iter()
        .map(|(net, femtofarads)| format!("set_load {femtofarads:.4} [get_nets {net}]\n"))
        .collect();
    ask(netlist, library, &[], &(loads + PLACED))
}

/// After layout, the clock takes its time through the tree, and hold is of interest.
const PLACED: &str = "set_propagated_clock [all_clocks]
foreach path [find_timing_paths -path_delay min -from [all_registers -clock_pins] -to [all_registers -cells]] {
  puts \"faultline hold [get_property $path slack] register register\"
}
";

/// Asks OpenSTA, after some more commands.
fn ask(
    netlist: &Netlist,
    library: &Library,
    memories: &[(Memory, Macro)],
    more: &str,
) -> Result<Timing, Error> {
    let script = script(netlist, library, memories, more);
    let (text, complaints) = run(netlist, library, memories, ("timing.tcl", &script), &[])?;
    let mut timing =
        parse(&text, &complaints).map_err(|reason| OPENSTA.failure(&netlist.top, &reason))?;
    timing.memory_cycle_ns = memories
        .iter()
        .map(|(_, figures)| figures.cycle_ns)
        .fold(0.0, f64::max);
    Ok(timing)
}

/// Has OpenSTA run a script beside what [`surroundings`] reads and some more files. Gives what it prints, and that after its
/// complaints.
pub(crate) fn run(
    netlist: &Netlist,
    library: &Library,
    memories: &[(Memory, Macro)],
    script: (&str, &str),
    more: &[(&str, &str)],
) -> Result<(String, String), Error> {
    let scratch = tool::scratch()?;
    let folder = scratch.path();
    tool::write(&folder.join("netlist.v"), &netlist.verilog)?;
    tool::write(&folder.join("cells.lib"), library.text())?;
    for (memory, figures) in memories {
        let text = macro_liberty(memory, figures);
        tool::write(&folder.join(format!("{}.lib", memory.module)), &text)?;
    }
    for (name, text) in more.iter().chain([&script]) {
        tool::write(&folder.join(name), text)?;
    }
    let output = OPENSTA.run(folder, ["-no_splash", "-no_init", "-exit", script.0])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = format!("{}\n{text}", String::from_utf8_lossy(&output.stderr));
    Ok((text, complaints))
}

/// Reads a netlist with its libraries, and says what is around it: a clock of a period in ns, inputs at its edge from the
/// driving cell, the load of the synthesis on outputs.
pub(crate) fn surroundings(
    netlist: &Netlist,
    library: &Library,
    memories: &[(Memory, Macro)],
    period_ns: f64,
) -> String {
    let mut text = String::from("read_liberty cells.lib\n");
    for (memory, _) in memories {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "read_liberty {}.lib", memory.module);
    }
    // OpenSTA 2 takes the library's default model by itself, OpenSTA 3 none that is not named.
    let wires = library
        .default_wire_load()
        .map_or_else(String::new, |model| {
            format!("set_wire_load_model -name {{{model}}}\n")
        });
    let _ = write!(
        text,
        "read_verilog netlist.v
link_design {top}
{wires}set_cmd_units -time ns -capacitance fF
create_clock -name clock -period {period_ns} [get_ports clock]
set inputs {{}}
foreach port [all_inputs] {{
  if {{[get_property $port full_name] ne \"clock\"}} {{ lappend inputs $port }}
}}
set_input_delay 0 -clock clock $inputs
set_output_delay 0 -clock clock [all_outputs]
set_driving_cell -lib_cell {driver} $inputs
set_load {OUTPUT_LOAD_FF} [all_outputs]
",
        top = netlist.top,
        driver = library.driving_cell(),
    );
    text
}

/// Asks for the longest path of each group.
const QUESTIONS: &str = "set cells [all_registers -cells]
set clocks [all_registers -clock_pins]
proc worst {group paths} {
  foreach path $paths {
    set from [get_property [get_property $path startpoint] full_name]
    set to [get_property [get_property $path endpoint] full_name]
    puts \"faultline $group [get_property $path slack] $from $to\"
  }
}
worst register [find_timing_paths -from $clocks -to $cells]
worst input [find_timing_paths -from $inputs -to $cells]
worst output [find_timing_paths -from $clocks -to [all_outputs]]
worst through [find_timing_paths -from $inputs -to [all_outputs]]
puts \"faultline end\"";

fn script(
    netlist: &Netlist,
    library: &Library,
    memories: &[(Memory, Macro)],
    more: &str,
) -> String {
    surroundings(netlist, library, memories, PERIOD_NS) + more + QUESTIONS
}

fn parse(text: &str, complaints: &str) -> Result<Timing, String> {
    if let Some(error) = complaints
        .lines()
        .find(|line| line.starts_with("Error:") || line.contains("not found."))
    {
        return Err(error.to_owned());
    }
    let mut groups = BTreeMap::new();
    let mut ended = false;
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if words.next() != Some("faultline") {
            continue;
        }
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("end"), None, None, None) => ended = true,
            (Some(group), Some(slack), Some(from), Some(to)) => {
                let slack: f64 = slack
                    .parse()
                    .map_err(|_| format!("its slack \"{slack}\" is no number"))?;
                let path = Path {
                    ns: PERIOD_NS - slack,
                    from: from.to_owned(),
                    to: to.to_owned(),
                };
                groups.insert(group.to_owned(), path);
            }
            _ => return Err(format!("its line \"{line}\" was not expected")),
        }
    }
    if !ended {
        return Err("it stopped before the end of the script".to_owned());
    }
    Ok(Timing {
        register: groups.remove("register"),
        input: groups.remove("input"),
        output: groups.remove("output"),
        through: groups.remove("through"),
        memory_cycle_ns: 0.0,
        hold_ns: groups.remove("hold").map(|path| PERIOD_NS - path.ns),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slack_becomes_the_period_that_a_path_needs() {
        let text = "Warning: x\nfaultline register -1.779371e-01 m/q[9] _1627_/D\nfaultline output 7.999970e-01 m/q[0] y[0]\nfaultline end\n";
        let timing = parse(text, text).unwrap();
        let register = timing.register.as_ref().unwrap();
        assert!((register.ns - 1.1779371).abs() < 1e-9);
        assert_eq!(
            (register.from.as_str(), register.to.as_str()),
            ("m/q[9]", "_1627_/D")
        );
        assert!((timing.fmax_mhz().unwrap() - 848.9).abs() < 0.1);
        assert_eq!(timing.input, None);
        let limit = timing.limit().unwrap();
        assert_eq!((limit.group(), limit.path()), ("register", Some(register)));
        let slower = Timing {
            output: Some(Path {
                ns: 1.5,
                ..register.clone()
            }),
            ..timing.clone()
        };
        assert_eq!(slower.limit().unwrap().group(), "output");
        assert!((slower.fmax_mhz().unwrap() - 666.7).abs() < 0.1);
    }

    #[test]
    fn the_wire_load_model_is_named_once_the_design_is_there() {
        let netlist = Netlist {
            top: "top".to_owned(),
            ..Netlist::default()
        };
        let library = Library::embedded().unwrap();
        let text = surroundings(&netlist, &library, &[], 1.0);
        let place = |line: &str| text.lines().position(|other| other == line).unwrap();
        let named = place("set_wire_load_model -name {default_wires}");
        assert_eq!(named, place("link_design top") + 1);
        // A library without a model has no wires before layout.
        let plain = Library::parse("l", "library (l) { cell (A) { area : 1; } }").unwrap();
        assert!(!surroundings(&netlist, &plain, &[], 1.0).contains("wire_load"));
    }

    #[test]
    fn slack_against_hold_is_no_period() {
        let text = "faultline hold 2.92e-01 register register\nfaultline end\n";
        let timing = parse(text, text).unwrap();
        assert!((timing.hold_ns.unwrap() - 0.292).abs() < 1e-9);
        assert_eq!(timing.limit(), None);
    }

    #[test]
    fn a_slow_memory_limits_the_clock() {
        let timing = Timing {
            memory_cycle_ns: 2.0,
            ..Timing::default()
        };
        assert_eq!(timing.fmax_mhz(), Some(500.0));
        assert_eq!(timing.limit().unwrap().group(), "memory");
        assert_eq!(Timing::default().fmax_mhz(), None);
    }

    #[test]
    fn errors_and_a_script_that_stops_are_refused() {
        assert!(
            parse("", "Error: timing.tcl, 6 no")
                .unwrap_err()
                .starts_with("Error")
        );
        assert!(
            parse("faultline register 0.1 a b\n", "")
                .unwrap_err()
                .contains("stopped")
        );
        assert!(parse("faultline register x a b\n", "").is_err());
    }
}

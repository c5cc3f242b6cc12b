//! Maps a design onto a cell library with Yosys, and adds up its area.

use crate::error::Error;
use crate::library::{Library, cell_at};
use crate::tool::{self, YOSYS};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

mod kept;
mod script;

use kept::{Made, Place};
pub(crate) use script::address_bits;
use script::taps;
pub use script::{Mapping, script};

/// What is synthesized.
#[derive(Clone, Debug)]
pub struct Design {
    /// The top module.
    pub top: String,
    /// Its Verilog, all submodules included.
    pub verilog: String,
    /// Its memories: modules that are left out, because a macro takes their place.
    pub memories: Vec<Memory>,
}

/// A kind of memory of a design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The module.
    pub module: String,
    /// Words.
    pub words: usize,
    /// Bits of a word.
    pub bits: usize,
    /// It has a port `mask`: the bits that a write changes.
    pub masked: bool,
    /// How many of them the design has.
    pub instances: usize,
}

/// The delay that mapping aims at, ps. A clock of 1 ns leaves the logic less: ABC counts neither the
/// flip-flops' own delay and setup nor, before it sizes the gates, the wires. The peers' figures were made with 900.
pub const TARGET_PS: u32 = 700;

/// The load on every output, fF.
pub const OUTPUT_LOAD_FF: f64 = 10.0;

/// A mapped design.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    /// The top module.
    pub top: String,
    /// Structural Verilog over the library's cells and the memories.
    pub verilog: String,
    /// How often each cell is used.
    pub cells: BTreeMap<String, usize>,
    /// Area of everything but the memories, µm².
    pub area_um2: f64,
    /// Flip-flops.
    pub registers: usize,
    /// State machines whose states have other codes than in the design, as `fsm_recode` tells them.
    pub states: String,
    /// Pairs of names of one net, of all that nets had in the flattened design.
    pub aliases: Vec<(String, String)>,
    /// Pairs of names of which one was the complement of the other, where the library has flip-flops that do not show their data as it is.
    pub complements: Vec<(String, String)>,
}

/// [`synthesize_with`] the default [`Mapping`].
///
/// # Errors
/// As there.
pub fn synthesize(design: &Design, library: &Library, target_ps: u32) -> Result<Netlist, Error> {
    synthesize_with(design, library, target_ps, Mapping::default())
}

/// Synthesizes a design for a delay of `target_ps`.
///
/// The flow is the one of the peers' figures: `synth -flatten`, `dfflibmap`, and `abc` with a
/// delay target, a driving cell and a load, by default with a [`Mapping`] of our own. A warning of Yosys is an error, because it means that
/// the netlist may not be the design. What was made from the same files before is not made again: it is kept in the folder
/// `FAULTLINE_CACHE`, by default `faultline` in the user's folder of caches; if the variable is empty, nothing is kept.
///
/// # Errors
/// If Yosys is missing or fails, warns, or leaves something that is no cell of the library.
pub fn synthesize_with(
    design: &Design,
    library: &Library,
    target_ps: u32,
    mapping: Mapping,
) -> Result<Netlist, Error> {
    let complements = library.has_complements();
    let flow = script(design, target_ps, mapping, complements);
    let constraints = constraints(library);
    let taps: String = design.memories.iter().map(taps).collect();
    let mapping = mapping.script().unwrap_or_default();
    let mapping = mapping.replace("{D}", &format!("-D {target_ps}"));
    let files = [
        ("design.v", &*design.verilog),
        ("cells.lib", library.for_mapping()),
        ("abc.constr", &constraints),
        ("mapping.abc", &mapping),
        ("taps.v", &taps),
        ("flow.ys", &flow),
    ];
    let place = Place::of(&files)?;
    let made = match place.as_ref().and_then(Place::read) {
        Some(made) => made,
        None => {
            let made = make(&files, &design.top, library)?;
            if let Some(place) = place {
                place.write(&made);
            }
            made
        }
    };
    let (area_um2, registers) = add_up(&made.cells, design, library)
        .map_err(|reason| YOSYS.failure(&design.top, &reason))?;
    Ok(Netlist {
        top: design.top.clone(),
        verilog: made.netlist,
        cells: made.cells,
        area_um2,
        registers,
        states: made.states,
        aliases: made.aliases,
        complements: made.complements,
    })
}

/// Has Yosys run `flow.ys`.
fn make(files: &[(&str, &str)], top: &str, library: &Library) -> Result<Made, Error> {
    let scratch = tool::scratch()?;
    let folder = scratch.path();
    for (name, text) in files {
        tool::write(&folder.join(name), text)?;
    }
    let output = YOSYS.run(folder, ["-q", "-l", "yosys.log", "flow.ys"])?;
    let log = read(&folder.join("yosys.log")).unwrap_or_default();
    if let Some(reason) = complaint(&log, output.status.success()) {
        return Err(YOSYS.failure(top, &placed(&reason, library)));
    }
    let statistics = read(&folder.join("statistics.json"))?;
    let cells = parse_statistics(&statistics, top).map_err(|reason| YOSYS.failure(top, &reason))?;
    Ok(Made {
        netlist: read(&folder.join("netlist.v"))?,
        cells,
        // Without state machines there is no file.
        states: read(&folder.join("states.txt")).unwrap_or_default(),
        aliases: pairs(&read(&folder.join("names.blif"))?, "1 1"),
        // It is written for some libraries alone.
        complements: pairs(
            &read(&folder.join("complements.blif")).unwrap_or_default(),
            "0 1",
        ),
    })
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::file(path, "read", source))
}

fn constraints(library: &Library) -> String {
    format!(
        "set_driving_cell {}\nset_load {OUTPUT_LOAD_FF:.1} [fF]\n",
        library.driving_cell()
    )
}

/// Yosys's first error or warning, with the pass that it came from, and what ABC said before it if that failed. A warning about
/// a library's cell that Yosys cannot use (scan flip-flops) is none about the design.
fn complaint(log: &str, success: bool) -> Option<String> {
    let mut pass = "";
    let mut of_abc: Vec<&str> = Vec::new();
    for line in log.lines() {
        if let Some((number, rest)) = line.split_once(". Executing ")
            && number.starts_with(|digit: char| digit.is_ascii_digit())
        {
            pass = rest.split(' ').next().unwrap_or(rest);
        }
        if let Some(said) = line.strip_prefix("ABC: ") {
            // What is not an echo of its script.
            if !said.starts_with("+ ") && !said.trim().is_empty() {
                of_abc.push(said);
            }
            continue;
        }
        let wrong = line.contains("ERROR: ")
            || (line.contains("Warning: ") && !line.contains("in pin attribute of cell"));
        if wrong {
            let place = if pass.is_empty() {
                String::new()
            } else {
                format!("in its pass {pass}, ")
            };
            let last = of_abc.len().saturating_sub(ABC_LINES);
            let said = match line.contains("ABC") && !of_abc.is_empty() {
                true => format!("; ABC said: {}", of_abc[last..].join("; ")),
                false => String::new(),
            };
            // The file is one of Yosys's own, in a folder that is gone.
            let line = match line.contains("Can't open ABC output file") {
                true => "ABC wrote no netlist",
                false => line,
            };
            return Some(format!("{place}{line}{said}"));
        }
    }
    (!success).then(|| format!("it stopped without a message, last in its pass {pass}"))
}

/// The number of ABC's last lines that say why it failed.
const ABC_LINES: usize = 3;

/// A complaint with the library where it is about one, and the cell at its line.
fn placed(complaint: &str, library: &Library) -> String {
    let of_library = ["in its pass ABC", "in its pass DFFLIBMAP", "iberty"];
    if !of_library.iter().any(|part| complaint.contains(part)) {
        return complaint.to_owned();
    }
    let line = complaint
        .split(" line ")
        .nth(1)
        .and_then(|rest| rest.split(|letter: char| !letter.is_ascii_digit()).next())
        .and_then(|number| number.parse().ok());
    let cell = line.and_then(|line| cell_at(library.for_mapping(), line));
    let cell = cell.map_or_else(String::new, |cell| format!(", near its cell {cell}"));
    let doubt = library.not_understood();
    let doubt = doubt.map_or_else(String::new, |part| {
        format!(", where {part} is not understood")
    });
    format!(
        "the library is {}{cell}{doubt}; {complaint}",
        library.origin()
    )
}

#[derive(Deserialize)]
struct Statistics {
    modules: BTreeMap<String, ModuleStatistics>,
}

#[derive(Deserialize)]
struct ModuleStatistics {
    num_cells_by_type: BTreeMap<String, usize>,
}

/// The cells of the top module in the output of `stat -json`.
fn parse_statistics(text: &str, top: &str) -> Result<BTreeMap<String, usize>, String> {
    // Yosys 0.23 prints the banner of the command before the braces.
    let json = text.find('{').map_or("", |start| &text[start..]);
    let mut statistics: Statistics = serde_json::from_str(json)
        .map_err(|error| format!("its statistics do not parse ({error})"))?;
    statistics
        .modules
        .remove(&format!("\\{top}"))
        .map(|module| module.num_cells_by_type)
        .ok_or_else(|| format!("its statistics lack the module {top}"))
}

/// The pairs of names in BLIF that a table of one row relates: `1 1` for the same, `0 1` for a complement.
fn pairs(blif: &str, row: &str) -> Vec<(String, String)> {
    let lines = blif.lines().zip(blif.lines().skip(1));
    let tables = lines.filter(|(_, next)| *next == row);
    let nets = tables.filter_map(|(line, _)| line.strip_prefix(".names ")?.split_once(' '));
    nets.filter(|(_, to)| !to.contains(' '))
        .map(|(from, to)| (from.to_owned(), to.to_owned()))
        .collect()
}

/// Area of the logic and number of flip-flops.
fn add_up(
    cells: &BTreeMap<String, usize>,
    design: &Design,
    library: &Library,
) -> Result<(f64, usize), String> {
    let mut area = 0.0;
    let mut registers = 0;
    for (cell, &count) in cells {
        if let Some(memory) = design.memories.iter().find(|memory| memory.module == *cell) {
            if memory.instances != count {
                return Err(format!(
                    "{count} memories {cell} are left, and the design has {}",
                    memory.instances
                ));
            }
            continue;
        }
        let cell_area = library
            .area(cell)
            .ok_or_else(|| format!("the cell {cell} is not in the library {}", library.name()))?;
        area += cell_area * count as f64;
        if library.is_register(cell) {
            registers += count;
        }
    }
    Ok((area, registers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_of_the_design_is_a_complaint_with_its_pass() {
        let log = "2.1. Executing PROC pass (convert processes).\nWarning: Wire t.x is used but has no driver.\n";
        assert_eq!(
            complaint(log, true).unwrap(),
            "in its pass PROC, Warning: Wire t.x is used but has no driver."
        );
    }

    #[test]
    fn warnings_of_the_library_and_of_abc_are_none() {
        let log = "Warning: Found unsupported expression 'SE*SI+D*!SE' in pin attribute of cell 'SDFF_X1' - skipping.\nABC: Warning: Detected 2 multi-output gates (for example, \"FA_X1\").\nWarnings: 8 unique messages, 72 total\n";
        assert_eq!(complaint(log, true), None);
        assert!(complaint(log, false).is_some());
    }

    #[test]
    fn what_abc_said_is_shown_with_the_library_and_its_cell() {
        let log = "6. Executing ABC pass (technology mapping using ABC).\nABC: + read_lib -w cells.lib \nABC: Libery parser cannot read unit.\nABC: yosys-abc: Assertion `0' failed.\nERROR: ABC: execution of command \"yosys-abc\" failed: return code 134.\n";
        let found = complaint(log, false).unwrap();
        assert!(
            found.ends_with(
                "; ABC said: Libery parser cannot read unit.; yosys-abc: Assertion `0' failed."
            ),
            "{found}"
        );
        let library = Library::parse(
            "some.lib",
            "library (l) { cell (A) { area : 1; }\n cell (\"B\") { area : 1; } }",
        );
        let library = library.unwrap();
        assert!(placed(&found, &library).starts_with("the library is some.lib; "));
        let syntax = "in its pass DFFLIBMAP, ERROR: Syntax error in liberty file on line 6.";
        assert!(placed(syntax, &library).starts_with("the library is some.lib, near its cell B; "));
        assert_eq!(
            placed("in its pass PROC, ERROR: x", &library),
            "in its pass PROC, ERROR: x"
        );
    }

    #[test]
    fn names_of_a_net_are_those_of_a_table_with_one_input() {
        let text = ".model a\n.subckt DFF_X1 D=d CK=clock Q=q\n.names $true\n1\n.names q[0] shown\n1 1\n.end\n";
        assert_eq!(
            pairs(text, "1 1"),
            [("q[0]".to_owned(), "shown".to_owned())]
        );
        let text = ".names a b\n0 1\n.names a c d\n0 1\n.names a e\n1 1\n";
        assert_eq!(pairs(text, "0 1"), [("a".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn statistics_of_another_module_are_refused() {
        let text = "3. Printing statistics.\n{ \"modules\": { \"\\\\a\": { \"num_cells\": 1, \"num_cells_by_type\": { \"INV_X1\": 3 } } } }";
        assert_eq!(parse_statistics(text, "a").unwrap()["INV_X1"], 3);
        assert!(
            parse_statistics(text, "b")
                .unwrap_err()
                .contains("module b")
        );
        assert!(parse_statistics("nothing", "a").is_err());
    }
}

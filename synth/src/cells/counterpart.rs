//! The cells of another library that do what those of a netlist do.

use crate::error::Error;
use crate::library::Library;
use crate::power::{Cell, Cells, Shows};
use crate::tool::{self, YOSYS};
use crate::yosys::Netlist;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A library with the functions of its cells.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The library.
    pub library: &'a Library,
    /// What its cells do.
    pub cells: &'a Cells,
}

/// A cell that does what another one does, and its pins by those of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Counterpart {
    cell: String,
    pins: Vec<(String, String)>,
    /// Outputs of the other cell that this one does not have.
    left_out: Vec<String>,
}

/// A netlist with the cells of another library.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The netlist.
    pub netlist: Netlist,
    /// The cells that have an output which the other library's do not have: the netlist is none if something reads it.
    pub narrower: Vec<String>,
}

/// The netlist with cells of another library: of those with the same function, one with all outputs, that of the same name, or
/// else that whose size among them is the nearest. `Err` has the cells that the other library has nothing for.
///
/// # Errors
/// If Yosys, which puts the cells in, is missing or fails.
pub fn translate(
    netlist: &Netlist,
    from: Side<'_>,
    to: Side<'_>,
) -> Result<Result<Translated, Vec<String>>, Error> {
    let mut found = BTreeMap::new();
    let mut missing = Vec::new();
    for name in netlist.cells.keys() {
        // What is no cell is a memory.
        let Some(cell) = from.cells.find(name) else {
            continue;
        };
        match counterpart(cell, from, to) {
            Some(counterpart) => _ = found.insert(name.as_str(), counterpart),
            None => missing.push(name.clone()),
        }
    }
    if !missing.is_empty() {
        return Ok(Err(missing));
    }
    let itself = |(name, to): (&&str, &Counterpart)| {
        to.cell == **name
            && to.left_out.is_empty()
            && to.pins.iter().all(|(pin, other)| pin == other)
    };
    if found.iter().all(itself) {
        let area = |(name, count): (&String, &usize)| {
            to.library.area(name).unwrap_or_default() * *count as f64
        };
        let netlist = Netlist {
            area_um2: netlist.cells.iter().map(area).sum(),
            ..netlist.clone()
        };
        return Ok(Ok(Translated {
            netlist,
            narrower: Vec::new(),
        }));
    }
    let map: String = found.iter().map(|(name, to)| module(name, to)).collect();
    let scratch = tool::scratch()?;
    let folder = scratch.path();
    tool::write(&folder.join("netlist.v"), &netlist.verilog)?;
    tool::write(&folder.join("map.v"), &map)?;
    // A cell of the other library may have the name of another one of this.
    let script = "read_verilog netlist.v; techmap -max_iter 1 -map map.v; write_verilog -noattr -noexpr translated.v";
    let output = YOSYS.run(folder, ["-q", "-p", script])?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(YOSYS.failure(&netlist.top, &said));
    }
    let path = folder.join("translated.v");
    let verilog =
        std::fs::read_to_string(&path).map_err(|source| Error::file(&path, "read", source))?;
    let mut cells = BTreeMap::new();
    let mut area_um2 = 0.0;
    for (name, count) in &netlist.cells {
        let name = found.get(name.as_str()).map_or(name, |to| &to.cell);
        *cells.entry(name.clone()).or_default() += count;
        area_um2 += to.library.area(name).unwrap_or_default() * *count as f64;
    }
    let narrower = found.iter().filter(|(_, to)| !to.left_out.is_empty());
    Ok(Ok(Translated {
        narrower: narrower.map(|(name, _)| (*name).to_owned()).collect(),
        netlist: Netlist {
            verilog,
            cells,
            area_um2,
            ..netlist.clone()
        },
    }))
}

/// A module that stands for a cell.
fn module(name: &str, to: &Counterpart) -> String {
    let (mut inputs, mut pins) = (String::new(), Vec::new());
    for (of_cell, of_other) in &to.pins {
        // Directions are of no matter where cells take the place of cells.
        let _ = writeln!(inputs, "  inout {of_cell};");
        pins.push(format!(".\\{of_other} ({of_cell})"));
    }
    // A port that drives nothing has to be there, too, for the cell to be taken for this module.
    for pin in &to.left_out {
        let _ = writeln!(inputs, "  inout {pin};");
    }
    let ports = to.pins.iter().map(|(pin, _)| pin).chain(&to.left_out);
    let ports: Vec<&str> = ports.map(String::as_str).collect();
    format!(
        "module \\{name} ({});\n{inputs}  \\{}  _TECHMAP_REPLACE_ ({});\nendmodule\n",
        ports.join(", "),
        to.cell,
        pins.join(", ")
    )
}

fn counterpart(cell: &Cell, from: Side<'_>, to: Side<'_>) -> Option<Counterpart> {
    let size = |side: Side<'_>, of: &Cell| {
        let area = |name: &str| side.library.area(name).unwrap_or_default();
        let alike = side.cells.all().filter(|other| same(of, other).is_some());
        let smallest = alike
            .map(|other| area(&other.name))
            .fold(f64::MAX, f64::min);
        (area(&of.name) / smallest).ln()
    };
    let wanted = size(from, cell);
    let alike = to.cells.all().filter_map(|other| {
        let pins = same(cell, other)?;
        let left_out = cell.inputs.len() + cell.outputs.len() - pins.len();
        let off = (size(to, other) - wanted).abs();
        Some(((left_out, other.name != cell.name), off, other, pins))
    });
    let (.., other, pins) = alike.min_by(|(first, off, ..), (second, other_off, ..)| {
        first.cmp(second).then(off.total_cmp(other_off))
    })?;
    let outputs = cell.outputs.iter().map(|output| &output.name);
    let left_out = outputs.filter(|name| pins.iter().all(|(pin, _)| pin != *name));
    Some(Counterpart {
        cell: other.name.clone(),
        left_out: left_out.cloned().collect(),
        pins,
    })
}

/// The pins of a cell with those of another one that does the same; an output that the other does not have is left out, but not
/// all are. Pins of the same names come first.
fn same(cell: &Cell, other: &Cell) -> Option<Vec<(String, String)>> {
    let inputs = cell.inputs.len();
    let usable = |cell: &Cell| cell.refusal.is_none();
    if inputs != other.inputs.len() || !usable(cell) || !usable(other) {
        return None;
    }
    let by_name: Option<Vec<usize>> = cell
        .inputs
        .iter()
        .map(|input| {
            other
                .inputs
                .iter()
                .position(|known| known.name == input.name)
        })
        .collect();
    let orders = by_name.into_iter().chain(permutations(inputs));
    orders
        .into_iter()
        .find_map(|order| matched(cell, other, &order))
}

fn matched(cell: &Cell, other: &Cell, order: &[usize]) -> Option<Vec<(String, String)>> {
    let inputs = order.len();
    // A row of the cell as a row of the other; the state of a flip-flop comes after the inputs.
    let row = |row: usize| {
        let moved = order.iter().enumerate();
        let moved = moved.map(|(from, to)| (row >> from & 1) << to);
        moved.sum::<usize>() | row >> inputs << inputs
    };
    let equal = |one: u128, two: u128, variables: usize| {
        (0..1 << variables).all(|of| one >> of & 1 == two >> row(of) & 1)
    };
    match (&cell.register, &other.register) {
        (None, None) => {}
        (Some(one), Some(two)) => {
            let functions = [
                (one.next, two.next),
                (one.clear, two.clear),
                (one.preset, two.preset),
            ];
            let alike = functions
                .into_iter()
                .all(|(one, two)| equal(one, two, inputs + 1));
            if order[one.clock] != two.clock || !alike {
                return None;
            }
        }
        _ => return None,
    }
    let shows = |one: Shows, two: Shows| match (one, two) {
        (Shows::Function(one), Shows::Function(two)) => equal(one.into(), two.into(), inputs),
        _ => one == two,
    };
    let mut taken = BTreeSet::new();
    let mut pins: Vec<(String, String)> = Vec::new();
    for output in &cell.outputs {
        let found = other
            .outputs
            .iter()
            .find(|known| shows(output.shows, known.shows) && !taken.contains(&known.name));
        if let Some(found) = found {
            taken.insert(&found.name);
            pins.push((output.name.clone(), found.name.clone()));
        }
    }
    if pins.is_empty() || other.outputs.len() > cell.outputs.len() {
        return None;
    }
    let inputs = cell.inputs.iter().zip(order);
    pins.extend(inputs.map(|(input, place)| {
        let other = &other.inputs[*place];
        (input.name.clone(), other.name.clone())
    }));
    Some(pins)
}

/// All orders of so many things, that in which they are first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    (0..count).fold(vec![Vec::new()], |orders, last| {
        let insert = |order: Vec<usize>| {
            (0..=last).rev().map(move |place| {
                let mut order = order.clone();
                order.insert(place, last);
                order
            })
        };
        orders.into_iter().flat_map(insert).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(cells: &str) -> (Library, Cells) {
        let text = format!(
            "library (l) {{ time_unit : \"1ns\"; voltage_unit : \"1V\"; leakage_power_unit : \"1nW\"; \
             capacitive_load_unit (1, ff); nom_voltage : 1; {cells} }}"
        );
        let library = Library::parse("l", &text).unwrap();
        let cells = Cells::read(&library).unwrap();
        (library, cells)
    }

    fn cell(name: &str, area: f64, inputs: &str, output: &str, function: &str) -> String {
        let inputs = inputs.split(' ');
        let inputs: String = inputs
            .map(|pin| format!("pin ({pin}) {{ direction : input; }} "))
            .collect();
        format!(
            "cell ({name}) {{ area : {area}; {inputs} pin ({output}) {{ direction : output; function : \"{function}\"; }} }}"
        )
    }

    #[test]
    fn cells_are_matched_by_function_and_pins_and_size() {
        let (one, one_cells) = library(
            &[
                cell("AOI21_X1", 1.0, "A B1 B2", "ZN", "!(A | (B1 & B2))"),
                cell("AOI21_X4", 3.0, "A B1 B2", "ZN", "!(A | (B1 & B2))"),
                cell("XOR_X1", 1.0, "A B", "Z", "A ^ B"),
            ]
            .join(" "),
        );
        let (other, other_cells) = library(
            &[
                cell("a21oi_1", 10.0, "X Y C", "Q", "!((X & Y) | C)"),
                cell("a21oi_2", 20.0, "X Y C", "Q", "!((X & Y) | C)"),
                cell("a21oi_4", 40.0, "X Y C", "Q", "!((X & Y) | C)"),
                cell("AOI21_X4", 5.0, "A B1 B2", "ZN", "!(A & (B1 | B2))"),
            ]
            .join(" "),
        );
        let from = Side {
            library: &one,
            cells: &one_cells,
        };
        let to = Side {
            library: &other,
            cells: &other_cells,
        };
        let found = |name: &str| counterpart(one_cells.find(name).unwrap(), from, to);
        let small = found("AOI21_X1").unwrap();
        assert_eq!(small.cell, "a21oi_1");
        let pin = |of: &str| {
            let mut pins = small.pins.iter();
            pins.find(|(pin, _)| pin == of).unwrap().1.as_str()
        };
        assert_eq!((pin("ZN"), pin("A")), ("Q", "C"));
        assert_eq!(
            BTreeSet::from([pin("B1"), pin("B2")]),
            BTreeSet::from(["X", "Y"])
        );
        // Three times the smallest is nearest to four times; the cell of its own name does something else.
        assert_eq!(found("AOI21_X4").unwrap().cell, "a21oi_4");
        assert_eq!(found("XOR_X1"), None);
    }

    #[test]
    fn three_things_have_six_orders() {
        let orders: BTreeSet<Vec<usize>> = permutations(3).into_iter().collect();
        assert_eq!(orders.len(), 6);
    }
}

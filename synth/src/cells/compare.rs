//! Sets results with the embedded library beside results with a full one.

use super::{NAME, liberty};
use crate::error::Error;
use crate::library::Library;
use crate::sram::Macro;
use crate::sta::{self, Timing};
use crate::tool::{OPENSTA, YOSYS};
use crate::yosys::{self, Design, Memory};
use serde::Serialize;
use std::fmt::Write;

/// A design, mapped and timed with both libraries. Areas in µm², paths in ns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The top module.
    pub design: String,
    /// Area with the full library.
    pub full_area_um2: f64,
    /// Area with the embedded library.
    pub area_um2: f64,
    /// Longest path, mapped and timed with the full library.
    pub full_path_ns: f64,
    /// Longest path, mapped and timed with the embedded library.
    pub path_ns: f64,
    /// Longest path, mapped with the embedded library and timed with the full one: the error of the
    /// fitted delays alone.
    pub retimed_path_ns: f64,
}

impl Row {
    /// Area with the embedded library as a part of that with the full one.
    pub fn area_ratio(&self) -> f64 {
        self.area_um2 / self.full_area_um2
    }

    /// Longest path with the embedded library as a part of that with the full one.
    pub fn path_ratio(&self) -> f64 {
        self.path_ns / self.full_path_ns
    }

    /// The same netlist's longest path in the embedded library as a part of that in the full one.
    pub fn timing_ratio(&self) -> f64 {
        self.path_ns / self.retimed_path_ns
    }
}

/// The comparison, with what it was made with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The full library's own name.
    pub library: String,
    /// Version of Yosys.
    pub yosys: String,
    /// Version of OpenSTA.
    pub opensta: String,
    /// Delay that mapping aims at, ps.
    pub target_ps: u32,
    /// One row per design.
    pub rows: Vec<Row>,
}

/// Maps and times each design with the embedded library and with a full one, in the flow of every
/// other figure. A design comes with the figures of its memories; `progress` is told what is done.
///
/// # Errors
/// If a tool is missing or fails.
pub fn compare(
    designs: &[(Design, Vec<(Memory, Macro)>)],
    full: &Library,
    target_ps: u32,
    mut progress: impl FnMut(&str),
) -> Result<Comparison, Error> {
    let embedded = Library::parse(NAME, &liberty())?;
    let mut rows = Vec::with_capacity(designs.len());
    for (design, memories) in designs {
        progress(&format!("{} with {}", design.top, full.name()));
        let full_netlist = yosys::synthesise(design, full, target_ps)?;
        let full_timing = sta::time(&full_netlist, full, memories)?;
        progress(&format!("{} with {NAME}", design.top));
        let netlist = yosys::synthesise(design, &embedded, target_ps)?;
        let timing = sta::time(&netlist, &embedded, memories)?;
        let retimed = sta::time(&netlist, full, memories)?;
        rows.push(Row {
            design: design.top.clone(),
            full_area_um2: full_netlist.area_um2,
            area_um2: netlist.area_um2,
            full_path_ns: longest(&full_timing),
            path_ns: longest(&timing),
            retimed_path_ns: longest(&retimed),
        });
    }
    Ok(Comparison {
        library: full.name().to_owned(),
        yosys: YOSYS.version().unwrap_or_default(),
        opensta: OPENSTA.version().unwrap_or_default(),
        target_ps,
        rows,
    })
}

/// The longest path of all groups, ns.
fn longest(timing: &Timing) -> f64 {
    [
        &timing.register,
        &timing.input,
        &timing.output,
        &timing.through,
    ]
    .into_iter()
    .flatten()
    .map(|path| path.ns)
    .fold(0.0, f64::max)
}

impl Comparison {
    /// The comparison as a Markdown table with its provenance.
    pub fn markdown(&self) -> String {
        let mut text = String::from(
            "| Design | Area, full (µm²) | Area, embedded (µm²) | Ratio | Longest path, full (ns) | Longest path, embedded (ns) | Ratio | Same netlist timed with the full library (ns) | Ratio |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for row in &self.rows {
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "| {} | {:.0} | {:.0} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
                row.design,
                row.full_area_um2,
                row.area_um2,
                row.area_ratio(),
                row.full_path_ns,
                row.path_ns,
                row.path_ratio(),
                row.retimed_path_ns,
                row.timing_ratio(),
            );
        }
        let _ = write!(
            text,
            "\nFull library: {}. Yosys {}, OpenSTA {}, mapped for {} ps.\n",
            self.library, self.yosys, self.opensta, self.target_ps
        );
        text
    }
}

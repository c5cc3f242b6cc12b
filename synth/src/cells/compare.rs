//! Sets results with the embedded library beside results with a full one.

use super::{NAME, liberty};
use crate::cost::{self, Flow};
use crate::error::Error;
use crate::library::Library;
use crate::sram::Setting;
use crate::sta::{self, Timing};
use crate::tool::{OPENSTA, YOSYS};
use crate::yosys::{self, Design, Netlist};
use serde::Serialize;
use std::fmt::Write;

/// A design, mapped and timed with both libraries. Areas in µm², paths in ns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The top module.
    pub design: String,
    /// Area of the logic with the full library.
    pub full_area_um2: f64,
    /// Area of the logic with the embedded library.
    pub area_um2: f64,
    /// Area of its memories, which no cell library changes.
    pub memory_area_um2: f64,
    /// Longest path, mapped and timed with the full library.
    pub full_path_ns: f64,
    /// Longest path, mapped and timed with the embedded library.
    pub path_ns: f64,
    /// Longest path, mapped with the embedded library and timed with the full one: the error of the
    /// fitted delays alone.
    pub retimed_path_ns: f64,
}

impl Row {
    /// Area of the logic with the embedded library as a part of that with the full one.
    pub fn logic_ratio(&self) -> f64 {
        self.area_um2 / self.full_area_um2
    }

    /// The same of the whole block, its memories included.
    pub fn area_ratio(&self) -> f64 {
        (self.area_um2 + self.memory_area_um2) / (self.full_area_um2 + self.memory_area_um2)
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
    /// How the logic was mapped.
    pub mapping: &'static str,
    /// Delay that mapping aims at, ps.
    pub target_ps: u32,
    /// One row per design.
    pub rows: Vec<Row>,
}

/// Maps and times each design with the embedded library and with that of the flow, otherwise alike;
/// `progress` is told what comes next.
///
/// # Errors
/// If a tool is missing or fails, or a memory has no figures.
pub fn compare(
    designs: &[Design],
    flow: &Flow,
    mut progress: impl FnMut(&str),
) -> Result<Comparison, Error> {
    let embedded = Library::parse(NAME, &liberty())?;
    let mut rows = Vec::with_capacity(designs.len());
    for design in designs {
        let memories = cost::figures(design, flow, Setting::SinglePort)?;
        let synthesise = |library| -> Result<Netlist, Error> {
            yosys::synthesise_with(design, library, flow.target_ps, flow.mapping)
        };
        progress(&format!("{} with {}", design.top, flow.library.name()));
        let full_netlist = synthesise(flow.library)?;
        let full_timing = sta::time(&full_netlist, flow.library, &memories)?;
        progress(&format!("{} with {NAME}", design.top));
        let netlist = synthesise(&embedded)?;
        let timing = sta::time(&netlist, &embedded, &memories)?;
        let retimed = sta::time(&netlist, flow.library, &memories)?;
        rows.push(Row {
            design: design.top.clone(),
            full_area_um2: full_netlist.area_um2,
            area_um2: netlist.area_um2,
            memory_area_um2: memories
                .iter()
                .map(|(memory, figures)| figures.area_mm2 * 1e6 * memory.instances as f64)
                .sum(),
            full_path_ns: longest(&full_timing),
            path_ns: longest(&timing),
            retimed_path_ns: longest(&retimed),
        });
    }
    Ok(Comparison {
        library: flow.library.name().to_owned(),
        yosys: YOSYS.version().unwrap_or_default(),
        opensta: OPENSTA.version().unwrap_or_default(),
        mapping: flow.mapping.name(),
        target_ps: flow.target_ps,
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
    /// The headings of [`Comparison::cells`].
    pub const HEADINGS: [&str; 10] = [
        "design",
        "logic, full (um2)",
        "logic (um2)",
        "ratio",
        "with memories, ratio",
        "longest path, full (ns)",
        "longest path (ns)",
        "ratio",
        "this netlist, full library (ns)",
        "ratio",
    ];

    /// The rows as text.
    pub fn cells(&self) -> Vec<[String; 10]> {
        self.rows
            .iter()
            .map(|row| {
                [
                    row.design.clone(),
                    format!("{:.0}", row.full_area_um2),
                    format!("{:.0}", row.area_um2),
                    format!("{:.3}", row.logic_ratio()),
                    format!("{:.3}", row.area_ratio()),
                    format!("{:.3}", row.full_path_ns),
                    format!("{:.3}", row.path_ns),
                    format!("{:.3}", row.path_ratio()),
                    format!("{:.3}", row.retimed_path_ns),
                    format!("{:.3}", row.timing_ratio()),
                ]
            })
            .collect()
    }

    /// What the figures were made with, in a sentence.
    pub fn provenance(&self) -> String {
        format!(
            "Full library {}; Yosys {}, mapped for {} ps ({}); OpenSTA {}.",
            self.library, self.yosys, self.target_ps, self.mapping, self.opensta
        )
    }

    /// The comparison as a page of Markdown, under the command that made it.
    pub fn markdown(&self, command: &str) -> String {
        let mut text = format!(
            "# The embedded cell library against a full one

Generated by `{command}`. {}

The designs are mapped and timed with each library; every cell that mapping can use is in both, so what
differs in area is the choice that ABC makes between covers of nearly equal delay. \"This netlist, full library\" is the netlist
of the embedded library timed with the full one: its ratio is the error of the fitted delays alone.
The longest path is that of all groups: between registers or memories, from inputs, to outputs.

| {} |
|---|{}
",
            self.provenance(),
            Self::HEADINGS.join(" | "),
            "--:|".repeat(Self::HEADINGS.len() - 1),
        );
        for row in self.cells() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "| {} |", row.join(" | "));
        }
        text
    }
}

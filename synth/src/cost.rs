//! What a block costs: logic and memories together, beside the paper's numbers.
//!
//! The areas count everything: the memories, and all logic around them. Power is the memories'
//! leakage and one write per cycle at the paper's clock, which is how the paper counts; with an
//! activity of the netlist it is also told with the logic's.

use crate::error::Error;
use crate::library::Library;
use crate::paper::{self, Overhead};
use crate::sram::compiled::Macros;
use crate::sram::{Macro, Setting, Shape, Sram};
use crate::sta;
use crate::table::{self, Grid};
use crate::tool;
use crate::yosys::{self, Design, Mapping, Memory, Netlist};

pub mod activity;
mod memories;
mod row;

pub use activity::{Drive, SplitPower, UnderActivity};
pub(crate) use memories::figures;
pub use memories::{Memories, Model};
pub use row::{MeasuredControl, Ratio, Row};

/// Macros of the paper fit: an entry is spread over 16 of them, 128 bits each.
const FIT_MACROS: usize = 16;

/// A block at one size, ready to be synthesized.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The block, such as `operand_log`.
    pub block: String,
    /// The size, such as `16k`.
    pub config: String,
    /// Bytes of the log, or `None` for another block.
    pub log_bytes: Option<usize>,
    /// Entries that share the area, where that means something.
    pub entries: Option<usize>,
    /// The Verilog and its memories.
    pub design: Design,
}

impl Subject {
    /// A design of a block at one size. A log has as many bytes as its first memory; the entries of a block that keeps them
    /// are the words of its largest one.
    pub fn new(block: &str, config: &str, design: Design) -> Self {
        let bits = |memory: &&Memory| memory.words * memory.bits * memory.instances;
        let keeps = |blocks: &[&str]| blocks.contains(&block);
        let log_bytes = keeps(&["operand_log"])
            .then(|| design.memories.first())
            .flatten()
            .map(|memory| bits(&memory) / 8);
        // Of a pipeline the memories are a part, and so are their entries.
        let has_entries = keeps(&[
            "operand_log",
            "replay_queue",
            "far_fault_mshr",
            "page_walk_cache",
        ]);
        let largest = design.memories.iter().max_by_key(bits);
        Self {
            block: block.to_owned(),
            config: config.to_owned(),
            log_bytes,
            entries: largest.filter(|_| has_entries).map(|memory| memory.words),
            design,
        }
    }
}

/// How the figures are made.
#[derive(Clone, Copy, Debug)]
pub struct Flow<'a> {
    /// The cell library.
    pub library: &'a Library,
    /// Where the memories' figures come from.
    pub sram: &'a Sram,
    /// The macros of a compiler that the memories are also tiled from, if there are any.
    pub compiled: Option<&'a Macros>,
    /// The technology node of CACTI's memories, nm; `None` takes that of each setting.
    pub node_nm: Option<u32>,
    /// The delay that synthesis aims at, ps.
    pub target_ps: u32,
    /// How the logic is mapped.
    pub mapping: Mapping,
}

/// Area and power of a group of macros.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SramCost {
    /// Area, µm².
    pub area_um2: f64,
    /// Leakage and one write per cycle, mW.
    pub power_mw: f64,
}

impl SramCost {
    fn of(count: usize, figures: &Macro) -> Self {
        let count = count as f64;
        Self {
            area_um2: count * figures.area_mm2 * 1e6,
            power_mw: count * figures.write_every_cycle_mw(),
        }
    }
}

/// The macros of the paper fit for a log of that many bytes, without the factor for control.
///
/// # Errors
/// If there are no figures for them.
pub fn paper_fit(bytes: usize, sram: &Sram, node_nm: u32) -> Result<(SramCost, Shape), Error> {
    let shape = paper_fit_shape(bytes, node_nm);
    Ok((SramCost::of(FIT_MACROS, &sram.figures(&shape)?), shape))
}

const fn paper_fit_shape(bytes: usize, node_nm: u32) -> Shape {
    Shape {
        setting: Setting::PaperFit,
        node_nm,
        words: bytes / paper::ENTRY_BYTES,
        bits: paper::ENTRY_BYTES * 8 / FIT_MACROS,
    }
}

/// The power of the same macros, mW, where so many entries are read and written in a cycle.
///
/// # Errors
/// If there are no figures for them.
pub fn paper_fit_power(
    bytes: usize,
    sram: &Sram,
    node_nm: u32,
    [reads, writes]: [f64; 2],
    clock_ghz: f64,
) -> Result<f64, Error> {
    let figures = sram.figures(&paper_fit_shape(bytes, node_nm))?;
    let picojoules = reads * figures.read_pj + writes * figures.write_pj;
    let each = figures.leakage_mw + figures.gate_leakage_mw + picojoules * clock_ghz;
    Ok(FIT_MACROS as f64 * each)
}

/// The four shares of an area and a power, in percent.
pub fn overhead(area_um2: f64, power_mw: f64) -> Overhead {
    Overhead {
        sm_area_percent: area_um2 / (paper::SM_AREA_MM2 * 1e6) * 100.0,
        gpu_area_percent: area_um2 * paper::SMS / (paper::GPU_AREA_MM2 * 1e6) * 100.0,
        sm_power_percent: power_mw / (paper::SM_POWER_W * 1e3) * 100.0,
        gpu_power_percent: power_mw * paper::SMS / (paper::GPU_POWER_W * 1e3) * 100.0,
    }
}

/// Rows, and what made them.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The rows, blocks in the registry's order.
    pub rows: Vec<Row>,
    /// Tools, library, memories and command: name and version.
    pub origin: Vec<(String, String)>,
    /// The mapped netlist of each design that has a row, in the order of the rows.
    pub netlists: Vec<Netlist>,
}

impl Measured {
    /// What was made of some subjects, with a library of this name, by this command.
    pub fn new(
        costed: Vec<Costed>,
        library: String,
        sram: &Sram,
        compiled: Option<&Macros>,
        command: String,
    ) -> Self {
        let (mut rows, mut netlists) = (Vec::new(), Vec::new());
        for of_subject in costed {
            rows.extend(of_subject.rows);
            netlists.extend(of_subject.netlist);
        }
        let mut origin: Vec<_> = [tool::YOSYS, tool::OPENSTA]
            .map(|tool| (tool.program.to_owned(), tool.shown_version()))
            .into();
        origin.push(("library".to_owned(), library));
        origin.push(("memories".to_owned(), sram.provenance()));
        if let Some(compiled) = compiled {
            origin.push((compiled.name.to_owned(), compiled.provenance.clone()));
        }
        origin.push(("command".to_owned(), command));
        Self {
            rows,
            origin,
            netlists,
        }
    }

    /// The tables for a terminal.
    pub fn terminal(&self) -> String {
        let grids: Vec<String> = table::grids(&self.rows)
            .iter()
            .map(Grid::terminal)
            .collect();
        let lines = |lines: Vec<String>| -> String {
            lines.iter().map(|line| format!("{line}\n")).collect()
        };
        format!(
            "{}\n\n{}{}\n\n{}",
            grids.join("\n\n"),
            lines(table::sentences(&self.rows)),
            sta::CLOCK,
            self.origin_text("")
        )
    }

    /// The tables as Markdown, with a sentence that says what Verilog they are of.
    pub fn markdown(&self, verilog: &str) -> String {
        let tables = table::markdown(&self.rows);
        format!(
            "# Cost\n\n{tables}\n{verilog}.\n\n{}",
            self.origin_text("- ")
        )
    }

    fn origin_text(&self, mark: &str) -> String {
        let origin = self.origin.iter();
        origin
            .map(|(name, value)| format!("{mark}{name}: {value}\n"))
            .collect()
    }
}

/// The rows of a subject, and the netlist that they are of.
#[derive(Clone, Debug, Default)]
pub struct Costed {
    /// A row for each setting that the subject has one for.
    pub rows: Vec<Row>,
    /// The mapped design; none if there is no row.
    pub netlist: Option<Netlist>,
}

/// Synthesizes a subject and makes its row for each setting, and one with the compiled macros. The paper fit has rows for logs
/// only. Its power has that of the logic if there is something that drives the netlist.
///
/// # Errors
/// If a tool fails, a memory has no figures, or the netlist is not the design.
pub fn costed(
    subject: &Subject,
    flow: &Flow,
    settings: &[Setting],
    drive: Option<&Drive<'_>>,
) -> Result<Costed, Error> {
    // The figures of the memories are looked up first: they cost little and can be missing.
    let mut memories = Vec::new();
    for &setting in settings {
        if setting == Setting::SinglePort || subject.log_bytes.is_some() {
            match Memories::of(&subject.design, flow, Model::Cacti(setting)) {
                // Beside macros that were given, CACTI's are for comparison.
                Err(Error::SramShape { .. }) if flow.compiled.is_some() => {}
                found => memories.push(found?),
            }
        }
    }
    if let Some(compiled) = flow.compiled {
        let model = Model::Compiled(compiled);
        memories.push(Memories::of(&subject.design, flow, model)?);
    }
    if memories.is_empty() {
        return Ok(Costed::default());
    }
    let netlist =
        yosys::synthesize_with(&subject.design, flow.library, flow.target_ps, flow.mapping)?;
    let estimates = match drive {
        None => vec![Vec::new(); memories.len()],
        Some(drive) => {
            let single = || figures(&subject.design, flow, Setting::SinglePort);
            let of_model = |memories: &Memories<'_>| match memories.model {
                // The netlist has memories with a single port.
                Model::Cacti(Setting::PaperFit) => {
                    Ok(single()?.into_iter().map(|(_, figures)| figures).collect())
                }
                _ => Ok(memories.macros()),
            };
            let macros: Vec<Vec<Macro>> = memories
                .iter()
                .map(of_model)
                .collect::<Result<_, Error>>()?;
            activity::estimates(subject, &netlist, flow, &macros, drive)?
        }
    };
    let rows = memories
        .iter()
        .zip(&estimates)
        .map(|(memories, estimates)| {
            let timing = sta::time(&netlist, flow.library, &memories.figures)?;
            let setting = match memories.model {
                Model::Cacti(setting) => setting,
                Model::Compiled(_) => Setting::SinglePort,
            };
            let activities = estimates.iter().map(|(activity, estimate)| {
                let node_nm = flow.node_nm.unwrap_or(setting.node_nm());
                Ok(UnderActivity {
                    activity,
                    cycles: estimate.cycles,
                    clock_mhz: estimate.clock_mhz,
                    power: SplitPower::new(subject, estimate, setting, flow.sram, node_nm)?,
                })
            });
            Ok(Row {
                activities: activities.collect::<Result<_, Error>>()?,
                ..row::row(subject, flow, memories, &netlist, &timing)?
            })
        })
        .collect::<Result<_, Error>>()?;
    Ok(Costed {
        rows,
        netlist: Some(netlist),
    })
}

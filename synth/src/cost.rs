//! What a block costs: logic and memories together, beside the paper's numbers.
//!
//! The areas count everything: the memories, and all logic around them. Power is the memories'
//! leakage and one write per cycle at the paper's clock, which is how the paper counts; with an
//! activity of the netlist it is also told with the logic's.

use crate::error::Error;
use crate::library::Library;
use crate::paper::{self, Overhead};
use crate::sram::{Macro, Setting, Shape, Sram};
use crate::sta::{self, Timing};
use crate::table::{self, Grid};
use crate::tool;
use crate::yosys::{self, Design, Mapping, Memory, Netlist};
use serde::Serialize;

pub mod activity;

pub use activity::{Drive, SplitPower, UnderActivity};

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
    /// The technology node of the memories, nm; `None` takes that of each setting.
    pub node_nm: Option<u32>,
    /// The delay that synthesis aims at, ps.
    pub target_ps: u32,
    /// How the logic is mapped.
    pub mapping: Mapping,
}

/// What the paper says of a log of this size, and how near a figure comes to it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// Area of the streaming multiprocessor, this over the paper's.
    pub sm_area: f64,
    /// Area of the GPU.
    pub gpu_area: f64,
    /// Power of the streaming multiprocessor.
    pub sm_power: f64,
    /// Power of the GPU.
    pub gpu_power: f64,
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The block.
    pub block: String,
    /// Its size.
    pub config: String,
    /// Bytes of the log, or none for another block.
    pub log_bytes: Option<usize>,
    /// The cell library.
    pub library: String,
    /// The setting of the memories: `paper-fit` or `single-port`.
    pub sram_model: &'static str,
    /// Technology node of the memories, nm.
    pub sram_node_nm: u32,
    /// Where the memories' figures come from.
    pub sram_source: &'static str,
    /// How the logic was mapped.
    pub mapping: &'static str,
    /// The macros, such as `32 x 64x64b`: how many, words, bits.
    pub sram_macros: String,
    /// Where the logic's figure comes from: `synthesized`, or the paper's `factor 1.5`.
    pub control: &'static str,
    /// Area of the memories, µm².
    pub sram_area_um2: f64,
    /// Area of the logic, µm².
    pub logic_area_um2: f64,
    /// Both.
    pub total_area_um2: f64,
    /// Area for each entry, µm², where that means something.
    pub entry_area_um2: Option<f64>,
    /// Logic as a share of the memories' area, where it only controls them.
    pub control_percent: Option<f64>,
    /// Share of a streaming multiprocessor's area.
    pub sm_area_percent: f64,
    /// Share of the GPU's area, a block in each streaming multiprocessor.
    pub gpu_area_percent: f64,
    /// Power of the memories with a write in each cycle, mW; with the paper's factor where `control` is that.
    pub sram_power_mw: f64,
    /// Share of a streaming multiprocessor's power: that of the memories, as there.
    pub sm_power_percent: f64,
    /// Share of the GPU's power, the same.
    pub gpu_power_percent: f64,
    /// What memories and logic take together, without the paper's factor, under each activity that was asked for.
    pub activities: Vec<UnderActivity>,
    /// The cost with the synthesized logic in place of the factor 1.5.
    pub measured_control: Option<MeasuredControl>,
    /// Flip-flops of the synthesized logic.
    pub registers: usize,
    /// Highest clock, MHz, as [`sta::CLOCK`] says.
    pub fmax_mhz: Option<f64>,
    /// The group that limits the clock: `register`, `output` or `memory`.
    pub clock_limit: Option<&'static str>,
    /// Register or memory to register or memory, ns.
    pub register_path_ns: Option<f64>,
    /// Input to register or memory, ns.
    pub input_path_ns: Option<f64>,
    /// Register or memory to output, ns.
    pub output_path_ns: Option<f64>,
    /// Input to output, ns.
    pub through_path_ns: Option<f64>,
    /// Start and end of the register or output path that limits the clock; none if a memory's own cycle does.
    pub critical_path: Option<String>,
    /// The paper's four numbers, where it has them.
    pub paper: Option<Overhead>,
    /// These over the paper's.
    pub ratio: Option<Ratio>,
}

/// A row's figures with the synthesized logic, where the row itself has the paper's factor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeasuredControl {
    /// Area of the synthesized logic, µm².
    pub logic_area_um2: f64,
    /// Area of the logic and the memories, µm².
    pub total_area_um2: f64,
    /// Share of a streaming multiprocessor's area.
    pub sm_area_percent: f64,
    /// Share of the GPU's area.
    pub gpu_area_percent: f64,
    /// The memories' share of a streaming multiprocessor's power.
    pub sm_memory_power_percent: f64,
    /// The memories' share of the GPU's power.
    pub gpu_memory_power_percent: f64,
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
    pub fn new(costed: Vec<Costed>, library: String, sram: &Sram, command: String) -> Self {
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

/// Synthesizes a subject and makes its row for each setting. The paper fit has rows for logs only. Its power has that of the
/// logic if there is something that drives the netlist.
///
/// # Errors
/// If a tool fails, a memory has no figures, or the netlist is not the design.
pub fn costed(
    subject: &Subject,
    flow: &Flow,
    settings: &[Setting],
    drive: Option<&Drive<'_>>,
) -> Result<Costed, Error> {
    // The figures of the memories are looked up first: they cost nothing and can be missing.
    let mut memories = Vec::new();
    for &setting in settings {
        if setting == Setting::SinglePort || subject.log_bytes.is_some() {
            memories.push((setting, figures(&subject.design, flow, setting)?));
        }
    }
    if memories.is_empty() {
        return Ok(Costed::default());
    }
    let netlist =
        yosys::synthesize_with(&subject.design, flow.library, flow.target_ps, flow.mapping)?;
    let estimates = match drive {
        None => Vec::new(),
        Some(drive) => {
            let single = figures(&subject.design, flow, Setting::SinglePort)?;
            let single: Vec<Macro> = single.into_iter().map(|(_, figures)| figures).collect();
            activity::estimates(subject, &netlist, flow, &single, drive)?
        }
    };
    let rows = memories
        .iter()
        .map(|(setting, figures)| {
            let timing = sta::time(&netlist, flow.library, figures)?;
            let activities = estimates.iter().map(|(activity, estimate)| {
                let node_nm = flow.node_nm.unwrap_or(setting.node_nm());
                Ok(UnderActivity {
                    activity,
                    cycles: estimate.cycles,
                    clock_mhz: estimate.clock_mhz,
                    power: SplitPower::new(subject, estimate, *setting, flow.sram, node_nm)?,
                })
            });
            Ok(Row {
                activities: activities.collect::<Result<_, Error>>()?,
                ..row(subject, flow, *setting, figures, &netlist, &timing)?
            })
        })
        .collect::<Result<_, Error>>()?;
    Ok(Costed {
        rows,
        netlist: Some(netlist),
    })
}

/// The figures of a design's memories.
pub(crate) fn figures(
    design: &Design,
    flow: &Flow,
    setting: Setting,
) -> Result<Vec<(Memory, Macro)>, Error> {
    design
        .memories
        .iter()
        .map(|memory| {
            let shape = Shape {
                setting,
                node_nm: flow.node_nm.unwrap_or(setting.node_nm()),
                words: memory.words,
                bits: memory.bits,
            };
            Ok((memory.clone(), flow.sram.figures(&shape)?))
        })
        .collect()
}

fn row(
    subject: &Subject,
    flow: &Flow,
    setting: Setting,
    figures: &[(Memory, Macro)],
    netlist: &Netlist,
    timing: &Timing,
) -> Result<Row, Error> {
    let node_nm = flow.node_nm.unwrap_or(setting.node_nm());
    let (sram, macros) = match (setting, subject.log_bytes) {
        (Setting::PaperFit, Some(bytes)) => {
            let (sram, shape) = paper_fit(bytes, flow.sram, node_nm)?;
            let macros = format!("{FIT_MACROS} x {}x{}b", shape.words, shape.bits);
            (sram, macros)
        }
        _ => {
            let mut sram = SramCost::default();
            let mut macros = Vec::new();
            for (memory, figures) in figures {
                let cost = SramCost::of(memory.instances, figures);
                sram.area_um2 += cost.area_um2;
                sram.power_mw += cost.power_mw;
                macros.push(format!(
                    "{} x {}x{}b",
                    memory.instances, memory.words, memory.bits
                ));
            }
            (sram, macros.join(", "))
        }
    };
    let (control, logic_area_um2, sram_power_mw, measured_control) = match setting {
        Setting::PaperFit => {
            let total = sram.area_um2 + netlist.area_um2;
            let share = overhead(total, sram.power_mw);
            let measured = MeasuredControl {
                logic_area_um2: netlist.area_um2,
                total_area_um2: total,
                sm_area_percent: share.sm_area_percent,
                gpu_area_percent: share.gpu_area_percent,
                sm_memory_power_percent: share.sm_power_percent,
                gpu_memory_power_percent: share.gpu_power_percent,
            };
            (
                "factor 1.5",
                sram.area_um2 * (paper::CONTROL_FACTOR - 1.0),
                sram.power_mw * paper::CONTROL_FACTOR,
                Some(measured),
            )
        }
        Setting::SinglePort => ("synthesized", netlist.area_um2, sram.power_mw, None),
    };
    let total_area_um2 = sram.area_um2 + logic_area_um2;
    let share = overhead(total_area_um2, sram_power_mw);
    let paper = subject.log_bytes.and_then(paper::table_2);
    let ns = |path: &Option<sta::Path>| path.as_ref().map(|path| path.ns);
    Ok(Row {
        block: subject.block.clone(),
        config: subject.config.clone(),
        log_bytes: subject.log_bytes,
        library: flow.library.name().to_owned(),
        sram_model: setting.name(),
        sram_node_nm: node_nm,
        sram_source: flow.sram.name(),
        mapping: flow.mapping.name(),
        sram_macros: macros,
        control,
        sram_area_um2: sram.area_um2,
        logic_area_um2,
        total_area_um2,
        entry_area_um2: subject
            .entries
            .map(|entries| total_area_um2 / entries as f64),
        control_percent: subject
            .entries
            .map(|_| logic_area_um2 / sram.area_um2 * 100.0),
        sm_area_percent: share.sm_area_percent,
        gpu_area_percent: share.gpu_area_percent,
        sram_power_mw,
        sm_power_percent: share.sm_power_percent,
        gpu_power_percent: share.gpu_power_percent,
        activities: Vec::new(),
        measured_control,
        registers: netlist.registers,
        fmax_mhz: timing.fmax_mhz(),
        clock_limit: timing.limit().map(|limit| limit.group()),
        register_path_ns: ns(&timing.register),
        input_path_ns: ns(&timing.input),
        output_path_ns: ns(&timing.output),
        through_path_ns: ns(&timing.through),
        critical_path: timing
            .limit()
            .as_ref()
            .and_then(sta::Limit::path)
            .map(|path| format!("{} to {}", path.from, path.to)),
        paper,
        ratio: paper.map(|paper| Ratio {
            sm_area: share.sm_area_percent / paper.sm_area_percent,
            gpu_area: share.gpu_area_percent / paper.gpu_area_percent,
            sm_power: share.sm_power_percent / paper.sm_power_percent,
            gpu_power: share.gpu_power_percent / paper.gpu_power_percent,
        }),
    })
}

//! A row of the table: a block with its memories, beside the paper.

use super::memories::Model;
use super::{Flow, Memories, SramCost, Subject, UnderActivity, overhead, paper_fit};
use crate::error::Error;
use crate::paper::{self, Overhead};
use crate::sram::Setting;
use crate::sram::compiled::Tiling;
use crate::sta::{self, Timing};
use crate::yosys::Netlist;
use serde::Serialize;

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
    /// What the memories are: `paper-fit` or `single-port` by CACTI, `compiled` of given macros, or `openram`.
    pub sram_model: &'static str,
    /// Technology node of the memories, nm; none where only their files know it.
    pub sram_node_nm: Option<u32>,
    /// Where the memories' figures come from.
    pub sram_source: &'static str,
    /// How the logic was mapped.
    pub mapping: &'static str,
    /// The macros, such as `32 x 64x64b`: how many, words, bits.
    pub sram_macros: String,
    /// How each memory is tiled, where the macros are a compiler's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tilings: Vec<Tiling>,
    /// Where the logic's figure comes from: `synthesized`, or the paper's `factor 1.5`.
    pub control: &'static str,
    /// Area of the memories, µm²; of tiled ones with what is between their macros.
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

/// The row of a netlist with some memories.
pub(super) fn row(
    subject: &Subject,
    flow: &Flow,
    memories: &Memories<'_>,
    netlist: &Netlist,
    timing: &Timing,
) -> Result<Row, Error> {
    let (sram, macros) = macros(subject, flow, memories)?;
    let (control, logic_area_um2, sram_power_mw, measured_control) = match memories.model {
        Model::Cacti(Setting::PaperFit) => {
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
        Model::Cacti(Setting::SinglePort) | Model::Compiled(_) => {
            ("synthesized", netlist.area_um2, sram.power_mw, None)
        }
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
        sram_model: memories.model.name(),
        sram_node_nm: memories.model.node_nm(flow),
        sram_source: memories.model.source(flow),
        mapping: flow.mapping.name(),
        sram_macros: macros,
        tilings: memories.tilings.clone(),
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

/// What the memories cost together, and of what macros they are.
fn macros(
    subject: &Subject,
    flow: &Flow,
    memories: &Memories<'_>,
) -> Result<(SramCost, String), Error> {
    if let (Model::Cacti(Setting::PaperFit), Some(bytes)) = (memories.model, subject.log_bytes) {
        let node_nm = flow.node_nm.unwrap_or(Setting::PaperFit.node_nm());
        let (sram, shape) = paper_fit(bytes, flow.sram, node_nm)?;
        let macros = format!("{} x {}x{}b", super::FIT_MACROS, shape.words, shape.bits);
        return Ok((sram, macros));
    }
    let mut sram = SramCost::default();
    let mut macros = Vec::new();
    for (memory, figures) in &memories.figures {
        let cost = SramCost::of(memory.instances, figures);
        sram.area_um2 += cost.area_um2;
        sram.power_mw += cost.power_mw;
        macros.push(format!(
            "{} x {}x{}b",
            memory.instances, memory.words, memory.bits
        ));
    }
    if let Model::Compiled(_) = memories.model {
        let tiled = memories.tilings.iter().map(|tiling| {
            let count = tiling.groups * tiling.rows * tiling.columns;
            format!("{count} x {}", tiling.of.name)
        });
        macros = tiled.collect();
    }
    Ok((sram, macros.join(", ")))
}

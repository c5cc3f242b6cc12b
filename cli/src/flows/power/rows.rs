//! The rows of the tables.

use faultline_synth::cost::{SplitPower, Subject};
use faultline_synth::paper::{self, Overhead};
use faultline_synth::power::opensta::Groups;
use faultline_synth::power::{Estimate, Kind, Power};
use faultline_synth::sram::{Macro, Setting, Shape, Sram};
use faultline_synth::yosys::{Memory, Netlist};
use miette::{Result, miette};
use serde::Serialize;

use crate::flows::cost::{Choice, Memories};

/// A design under an activity.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The block.
    pub block: String,
    /// Its size.
    pub config: String,
    /// What it was driven with.
    pub activity: &'static str,
    /// Cycles that were counted.
    pub cycles: u64,
    /// Clock, MHz.
    pub clock_mhz: f64,
    /// Cells.
    pub cells: usize,
    /// Flip-flops among them.
    pub registers: usize,
    /// Reads of memories in a cycle, each macro counted.
    pub macro_reads_per_cycle: f64,
    /// Writes of memories in a cycle, each macro counted.
    pub macro_writes_per_cycle: f64,
    /// Power by kind.
    pub kinds: Vec<OfKind>,
    /// All of it.
    pub total: Power,
    /// Power by module, the largest first.
    pub modules: Vec<OfModule>,
    /// The shares of a log's parts, beside the paper.
    pub shares: Vec<Share>,
    /// OpenSTA's figures, if they were asked for.
    pub opensta: Option<Groups>,
}

/// The power of a kind of instances.
#[derive(Clone, Debug, Serialize)]
pub struct OfKind {
    /// The kind.
    pub kind: Kind,
    /// Its power.
    #[serde(flatten)]
    pub power: Power,
}

/// The power of a module.
#[derive(Clone, Debug, Serialize)]
pub struct OfModule {
    /// Its path without indices; empty for the top.
    pub module: String,
    /// Instances that are counted to it.
    pub instances: usize,
    /// Their power.
    #[serde(flatten)]
    pub power: Power,
}

/// A log as a share of the SM and the GPU.
#[derive(Clone, Debug, Serialize)]
pub struct Share {
    /// What the memories are made of.
    pub sram_model: &'static str,
    /// The bytes of the log.
    pub log_bytes: usize,
    /// How much it takes.
    #[serde(flatten)]
    pub power: SplitPower,
    /// The paper's.
    pub paper: Option<Overhead>,
}

/// Where the memories' figures come from.
pub struct Sources {
    sram: Sram,
    node_nm: Option<u32>,
    settings: Vec<Setting>,
}

impl Sources {
    /// What the options choose.
    ///
    /// # Errors
    /// If CACTI is missing, or the memories are tiled.
    pub fn new(choice: &Choice) -> Result<Self> {
        let memories = Memories::of(choice)?;
        if memories.compiled.is_some() {
            return Err(miette!(
                "the power of tiled memories is that of `faultline cost --sram FILE --power CYCLES`; give --sram a model of CACTI's here"
            ));
        }
        // What the netlist has comes first.
        let settings = memories.settings.iter().rev().copied();
        Ok(Self {
            sram: memories.sram,
            node_nm: choice.node,
            settings: settings.collect(),
        })
    }

    /// Where the figures come from.
    pub fn provenance(&self) -> String {
        self.sram.provenance()
    }

    fn node(&self, setting: Setting) -> u32 {
        self.node_nm.unwrap_or(setting.node_nm())
    }

    /// The figures of a netlist's memories, which have a single port.
    ///
    /// # Errors
    /// If there are none.
    pub fn figures(&self, memories: &[Memory]) -> Result<Vec<Macro>> {
        let setting = Setting::SinglePort;
        let figures = memories.iter().map(|memory| {
            self.sram.figures(&Shape {
                setting,
                node_nm: self.node(setting),
                words: memory.words,
                bits: memory.bits,
            })
        });
        figures
            .map(|figures| figures.map_err(|error| miette!("{error}")))
            .collect()
    }

    /// The row of an estimate.
    ///
    /// # Errors
    /// If there are no figures for the memories of the paper fit.
    pub fn row(
        &self,
        subject: &Subject,
        activity: &'static str,
        estimate: &Estimate,
        netlist: &Netlist,
        opensta: Option<Groups>,
    ) -> Result<Row> {
        let [reads, writes] = estimate.accesses_per_cycle();
        let kinds = Kind::ALL.map(|kind| OfKind {
            kind,
            power: estimate.of_kind(kind),
        });
        let modules = estimate
            .by_module()
            .into_iter()
            .map(|(module, instances, power)| OfModule {
                module,
                instances,
                power,
            });
        Ok(Row {
            block: subject.block.clone(),
            config: subject.config.clone(),
            activity,
            cycles: estimate.cycles,
            clock_mhz: estimate.clock_mhz,
            cells: netlist.cells.values().sum(),
            registers: netlist.registers,
            macro_reads_per_cycle: reads,
            macro_writes_per_cycle: writes,
            kinds: kinds.to_vec(),
            total: estimate.total(),
            modules: modules.collect(),
            shares: self.shares(subject, estimate)?,
            opensta,
        })
    }

    fn shares(&self, subject: &Subject, estimate: &Estimate) -> Result<Vec<Share>> {
        let Some(bytes) = subject.log_bytes else {
            return Ok(Vec::new());
        };
        let share = |setting: &Setting| {
            let node_nm = self.node(*setting);
            let power = SplitPower::new(subject, estimate, *setting, &self.sram, node_nm);
            Ok(Share {
                sram_model: setting.name(),
                log_bytes: bytes,
                power: power.map_err(|error| miette!("{error}"))?,
                paper: paper::table_2(bytes),
            })
        };
        self.settings.iter().map(share).collect()
    }
}

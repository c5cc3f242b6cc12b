//! The figures of Li et al. (PEP), TCAD 2018: another kernel is launched, and every SM of the GPU makes room for it.

mod causes;
mod pictures;
mod report;
mod runs;

use faultline_sim::machines::gpu::Config;
use faultline_sim::machines::sm::Work;
use faultline_sim::programs::Program;
use faultline_sim::ptx::lower::Options;
use miette::{Result, miette};
use serde::{Deserialize, Serialize};

use self::runs::Prepared;
use super::family::{Family, Picture, Request, Taken};
use crate::experiments::ordered::Value;

/// The GPU of the paper.
const PRESET: &str = "pep";
/// Blocks that are saved beside blocks that end.
const BOTH: &str = "pep-3";
/// What Chimera estimates.
const ESTIMATES: &str = "pep-4";
/// What is dirty while a block runs.
const DIRTY: &str = "pep-5";
/// Latency by policy, with choices, contexts and overhead.
const LATENCY: &str = "pep-9";
/// Twice the SMs.
const SCALING: &str = "pep-14";

/// A kernel of the paper's Table I, and the program that stands for it.
struct Kernel {
    name: &'static str,
    program: &'static str,
    /// Thread blocks of an SM, and microseconds of one.
    blocks: usize,
    block_us: f64,
    /// Thread blocks that run, as a multiple of those that are on the SMs at once.
    waves: u32,
}

const fn kernel(
    name: &'static str,
    program: &'static str,
    blocks: usize,
    block_us: f64,
    waves: u32,
) -> Kernel {
    Kernel {
        name,
        program,
        blocks,
        block_us,
        waves,
    }
}

/// Those for which there is one. SC, SRAD1, SRAD2 and BP have none.
const KERNELS: [Kernel; 12] = [
    kernel("CP", "cutcp", 8, 516.2, 6),
    kernel("LBM", "lbm", 14, 31.7, 6),
    kernel("MRI", "mri-q", 8, 865.2, 1),
    kernel("ST", "stencil", 4, 41.3, 6),
    kernel("GM", "sgemm", 8, 193.6, 4),
    kernel("BS", "black-scholes", 16, 387.5, 12),
    kernel("KS", "kmeans", 8, 984.7, 6),
    kernel("PF", "pathfinder", 8, 24.2, 3),
    kernel("SRAD3", "srad", 4, 7.9, 24),
    kernel("HS", "hotspot", 3, 4.5, 24),
    kernel("LUD", "lud", 8, 5.3, 24),
    kernel("BP2", "backprop", 1, 1.5, 64),
];

/// The kernel of which the paper shows blocks that are saved beside blocks that end.
const MIXED: &str = "LBM";

/// The policies that are compared, with the paper's mean latency in us and its worst with Chimera's as 100 (Figs. 9 and 10).
const POLICIES: [(&str, Option<f64>, Option<f64>); 4] = [
    ("chimera", Some(8.9), Some(100.0)),
    ("chimera-dirty", None, Some(68.2)),
    ("pep", Some(4.5), Some(41.5)),
    ("pep-in-place", Some(3.6), Some(29.7)),
];

/// The policies that run on twice the SMs.
const DOUBLED: [&str; 2] = ["chimera", "pep"];

/// Runs of a kernel under a policy. Counts are of all SMs and runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Cell {
    policy: String,
    runs: u64,
    /// Microseconds from the launch until an SM is free: the mean of SMs and runs, and the longest.
    latency_us: f64,
    worst_us: f64,
    /// Blocks that ended, that left without a base, and that left with one.
    drained: u64,
    saved_once: u64,
    saved_twice: u64,
    /// Bytes that were written: bases, and all else; and bytes that blocks which left hold.
    base_bytes: u64,
    other_bytes: u64,
    whole_bytes: u64,
    bases: u64,
    /// Microseconds for which blocks stood still to be saved.
    stopped_us: f64,
}

impl Cell {
    /// Blocks that left.
    const fn saved(&self) -> u64 {
        self.saved_once + self.saved_twice
    }

    /// Blocks that a launch has found.
    const fn found(&self) -> u64 {
        self.drained + self.saved()
    }

    /// GB/s of contexts from the launch until an SM is free, of all SMs.
    fn gigabytes(&self) -> f64 {
        self.other_bytes as f64 / self.runs as f64 / self.latency_us / 1e3
    }
}

/// So many blocks of an SM are saved, and the others end.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Mixed {
    saved: usize,
    /// Microseconds from the launch until the last block that is saved has left, and until the last other one has ended.
    switch_us: f64,
    drain_us: f64,
}

/// Microseconds until blocks end, as Chimera estimates them at the launch, and as they are; sums over all.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Estimate {
    blocks: usize,
    estimated_us: f64,
    took_us: f64,
}

/// A kernel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    kernel: String,
    program: String,
    sms: u64,
    /// Blocks of an SM, and microseconds of one.
    blocks: usize,
    block_us: f64,
    paper_block_us: f64,
    /// What a block holds.
    context_bytes: u64,
    /// Percent of the registers that are dirty at 25, 50 and 75 % of a block's time.
    dirty_percent: Vec<f64>,
    policies: Vec<Cell>,
    mixed: Vec<Mixed>,
    /// All blocks end, and every second one.
    estimates: Vec<Estimate>,
    /// The policies on twice the SMs.
    doubled: Vec<Cell>,
}

impl Row {
    fn new(kernel: &Kernel, sms: u32, figures: &Request) -> Result<Self> {
        let config = |sms: u32| {
            let text = format!("sms = {sms}\n");
            Config::read_over(&text, "figure", PRESET).map_err(|error| miette!("{error}"))
        };
        let program = Program::named(kernel.program)
            .ok_or_else(|| miette!("there is no program {}", kernel.program))?;
        let work = |sms: u32| -> Result<Work> {
            let count = kernel.waves * sms * kernel.blocks as u32;
            let work = program.work_of_blocks(count, Options::default());
            let mut work = work.map_err(|error| miette!("{error}"))?;
            work.blocks_per_sm = work.blocks_per_sm.min(kernel.blocks);
            Ok(work)
        };
        let (own_config, own_work) = (config(sms)?, work(sms)?);
        let prepared = Prepared::new(&own_config, &own_work)?;
        let mut row = Self {
            kernel: kernel.name.to_owned(),
            program: kernel.program.to_owned(),
            sms: sms.into(),
            blocks: own_work.blocks_per_sm,
            block_us: prepared.block_us(),
            paper_block_us: kernel.block_us,
            context_bytes: prepared.context_bytes(),
            dirty_percent: Vec::new(),
            policies: Vec::new(),
            mixed: Vec::new(),
            estimates: Vec::new(),
            doubled: Vec::new(),
        };
        if figures.has(DIRTY) {
            row.dirty_percent = prepared.dirty_percent()?;
        }
        if figures.has(LATENCY) || figures.has(SCALING) {
            row.policies = prepared.policies(&POLICIES.map(|(name, ..)| name))?;
        }
        if figures.has(BOTH) && kernel.name == MIXED {
            row.mixed = prepared.mixed()?;
        }
        if figures.has(ESTIMATES) {
            row.estimates = prepared.estimates()?;
        }
        if figures.has(SCALING) {
            let (config, work) = (config(2 * sms)?, work(2 * sms)?);
            row.doubled = Prepared::new(&config, &work)?.policies(&DOUBLED)?;
        }
        Ok(row)
    }
}

/// The family.
pub struct Pep;

impl Family for Pep {
    type Rows = Row;

    fn figures(&self) -> &'static [&'static str] {
        &[BOTH, ESTIMATES, DIRTY, LATENCY, SCALING]
    }

    fn about(&self) -> &'static str {
        "Li et al. (PEP), TCAD 2018: another kernel is launched, and every SM makes room for it"
    }

    fn takes(&self) -> &'static [Taken] {
        &["--kernels", "--sms"]
    }

    fn small(&self) -> (&'static [&'static str], u32) {
        (&["LBM", "HS", "BP2"], 1)
    }

    fn kernels(&self, request: &Request) -> Vec<&'static str> {
        let only_mixed = request.figures == [BOTH];
        let all = KERNELS.iter().map(|kernel| kernel.name);
        all.filter(|name| !only_mixed || *name == MIXED).collect()
    }

    fn run(&self, request: &Request, kernel: &str) -> Result<Row> {
        let known = KERNELS.iter().find(|known| known.name == kernel);
        let known = known.ok_or_else(|| miette!("there is no kernel {kernel}"))?;
        Row::new(known, request.sms, request).map_err(|error| miette!("{kernel}: {error}"))
    }

    fn json(&self, _: &Request, rows: &[Row]) -> Result<Value> {
        Value::of(&rows).map_err(|error| miette!("{error}"))
    }

    fn text(&self, request: &Request, rows: &[Row]) -> String {
        report::text(request, rows)
    }

    fn page(&self, request: &Request, rows: &[Row]) -> Result<String> {
        Ok(report::markdown(request, rows))
    }

    fn pictures(&self, request: &Request, rows: &[Row]) -> Result<Vec<Picture>> {
        pictures::pictures(request, rows).map_err(|error| miette!("{error}"))
    }
}

//! `faultline gpu`: kernels and traces on a whole GPU with demand paging.

use faultline_sim::machines::gpu::{Gpu, Link, Outcome, Parameters};
use faultline_sim::machines::sm::Work;
use faultline_sim::sm::sm_pipeline::Scheme;
use indicatif::ProgressBar;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::Serialize;

use super::sm::setups::log_bytes;
use super::sm::workloads::Workloads;
use super::sm::{PATTERNS, Schemes};
use crate::Global;
use crate::output::{self, grouped, progress};
use crate::value::{self, integer_in};

/// Run kernels and GPU traces on a whole GPU: SMs, GMMU, L2 cache, DRAM, page tables in memory, a driver and its link
///
/// Each SM is the reference of the pipeline, of the L1 TLB and of the coalescer, and the GMMU that of its blocks, cycle by
/// cycle. A kernel computes its values: registers and memory at the end are compared with those of a run without a GPU,
/// and each translation that an SM receives with the page tables.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    run: Workloads,
    /// GPU of which paper: tanasic (MICRO-50, Table 1: 16 SMs at 1 GHz)
    #[arg(long, value_enum, default_value = "tanasic", value_name = "PAPER")]
    preset: Preset,
    /// SMs, up to 16 [default: the preset's]
    #[arg(long, value_name = "N", value_parser = integer_in::<usize>(1..=16))]
    sms: Option<usize>,
    #[command(flatten)]
    schemes: Schemes,
    /// Size of the operand log: 1k to 32k
    #[arg(long, value_name = "SIZE", default_value = "16k", value_parser = value::named)]
    log: String,
    /// No page is in the GPU's memory at first
    #[arg(long)]
    absent: bool,
    /// Link between CPU and GPU: nvlink (12 us for a fault that moves a page, 10 us for one that only allocates it) or
    /// pcie3 (25 and 12 us)
    #[arg(
        long,
        value_enum,
        default_value = "nvlink",
        value_name = "LINK",
        requires = "absent"
    )]
    link: Bus,
    /// What comes with an absent page: 4k (the page alone) or 64k
    #[arg(
        long,
        value_enum,
        default_value = "64k",
        value_name = "SIZE",
        requires = "absent"
    )]
    granularity: Granularity,
}

/// Whose GPU it is.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Preset {
    Tanasic,
}

/// The link between CPU and GPU.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Bus {
    Nvlink,
    Pcie3,
}

/// What comes with a page.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Granularity {
    #[value(name = "4k")]
    Page,
    #[value(name = "64k")]
    Region,
}

impl Args {
    /// The GPU with a scheme.
    fn parameters(&self, scheme: Scheme, log_bytes: usize) -> Parameters {
        let Preset::Tanasic = self.preset;
        let mut parameters = Parameters::tanasic(scheme, log_bytes);
        if let Some(sms) = self.sms {
            parameters.sms = sms;
        }
        parameters.sm.values = true;
        let paging = &mut parameters.paging;
        paging.absent = self.absent;
        paging.regions = self.granularity == Granularity::Region;
        paging.link = match self.link {
            Bus::Nvlink => Link::NVLINK,
            Bus::Pcie3 => Link::PCIE3,
        };
        parameters
    }
}

/// A run.
#[derive(Serialize)]
struct Row {
    workload: String,
    scheme: &'static str,
    sms: usize,
    cycles: u64,
    warp_instructions: u64,
    instructions_per_cycle: f64,
    /// The first scheme's cycles of this workload, as a share of these.
    relative_percent: f64,
    values_checked: bool,
    squashing_faults: u64,
    far_faults: u64,
    not_held: u64,
    held_at_once: u16,
    migrated: u64,
    allocated: u64,
    link_bytes: u64,
    link_use_percent: f64,
    translations: u64,
    walk_reads: u64,
    l2_lines: u64,
    dram_lines: u64,
}

/// Runs the command.
///
/// # Errors
/// If an option makes no sense, a trace cannot be read, or a run does not come to its end, or to another one than it should.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    let schemes = args.schemes.chosen()?;
    let log_bytes = log_bytes(&args.log)?;
    let works = args.run.works()?;
    let blocks: usize = works.iter().map(|work| work.blocks.len()).sum();
    let all = (blocks * schemes.len()) as u64;
    let bar = progress(all, "{wide_bar} {pos}/{len} thread blocks {eta}");
    let jobs: Vec<(&Work, Scheme)> = works
        .iter()
        .flat_map(|work| schemes.iter().map(move |&scheme| (work, scheme)))
        .collect();
    let rows = jobs.par_iter().map(|&(work, scheme)| {
        let parameters = args.parameters(scheme, log_bytes);
        one(&parameters, work, &bar)
    });
    let rows: Result<Vec<Row>> = rows.collect();
    bar.finish_and_clear();
    let mut rows = rows?;
    for of_work in rows.chunks_mut(schemes.len()) {
        let first = of_work[0].cycles as f64;
        for row in of_work {
            row.relative_percent = 100.0 * first / row.cycles.max(1) as f64;
        }
    }
    match global.json {
        true => global.print_json(&rows),
        false => global.print(&text(&rows, args)),
    }
}

/// Runs a workload under a scheme.
fn one(parameters: &Parameters, work: &Work, bar: &ProgressBar) -> Result<Row> {
    let scheme = parameters.sm.pipeline.scheme;
    let failed = |error: &dyn std::fmt::Display| {
        let (name, scheme) = (&work.name, scheme.name());
        miette!("{name} under {scheme}: {error}")
    };
    let gpu = Gpu::new(parameters, work).map_err(|error| failed(&error))?;
    let mut dispatched = 0;
    let outcome = gpu.run(|gpu| {
        bar.inc((gpu.dispatched() - dispatched) as u64);
        dispatched = gpu.dispatched();
    });
    let outcome = outcome.map_err(|error| failed(&error))?;
    if let Some(difference) = outcome.differences(work).first() {
        return Err(failed(difference));
    }
    Ok(row(work, scheme, parameters.sms, &outcome))
}

fn row(work: &Work, scheme: Scheme, sms: usize, outcome: &Outcome) -> Row {
    let Outcome {
        cycles,
        instructions,
        brought,
        translations,
        traffic,
        ..
    } = outcome;
    let a_cycle = |count: u64| count as f64 / (*cycles).max(1) as f64;
    Row {
        workload: work.name.clone(),
        scheme: scheme.name(),
        sms,
        cycles: *cycles,
        warp_instructions: *instructions,
        instructions_per_cycle: a_cycle(*instructions),
        relative_percent: 0.0,
        values_checked: work.computation.is_some(),
        squashing_faults: outcome.sms.occasions.faults,
        far_faults: brought.records,
        not_held: translations.nacks,
        held_at_once: translations.held,
        migrated: brought.migrated,
        allocated: brought.allocated,
        link_bytes: brought.bytes,
        link_use_percent: 100.0 * a_cycle(brought.link),
        translations: translations.fills,
        walk_reads: translations.reads,
        l2_lines: traffic.lines + traffic.stores,
        dram_lines: traffic.from_dram + traffic.to_dram,
    }
}

/// The runs as a table; of paging only where pages are absent.
fn text(rows: &[Row], args: &Args) -> String {
    let absent = args.absent;
    let mut headings = vec![
        "Workload",
        "Scheme",
        "Cycles",
        "Performance",
        "Warp instructions a cycle",
    ];
    match absent {
        true => headings.extend([
            "Squashing faults",
            "Far faults",
            "Not held",
            "Migrated",
            "Allocated",
            "Link use %",
        ]),
        false => headings.extend(["Translations", "Walk reads", "L2 lines", "DRAM lines"]),
    }
    let headings: Vec<String> = headings.into_iter().map(str::to_owned).collect();
    let cells = rows.iter().map(|row| {
        let mut cells = vec![
            row.workload.clone(),
            row.scheme.to_owned(),
            grouped(row.cycles),
            format!("{:.1}", row.relative_percent),
            format!("{:.2}", row.instructions_per_cycle),
        ];
        let counts = match absent {
            true => vec![
                row.squashing_faults,
                row.far_faults,
                row.not_held,
                row.migrated,
                row.allocated,
            ],
            false => vec![
                row.translations,
                row.walk_reads,
                row.l2_lines,
                row.dram_lines,
            ],
        };
        cells.extend(counts.into_iter().map(grouped));
        if absent {
            cells.push(format!("{:.1}", row.link_use_percent));
        }
        cells
    });
    let cells: Vec<Vec<String>> = cells.collect();
    let table = output::tables(2, &headings, &cells, output::width());
    let mut notes = vec!["Performance is relative to the first scheme."];
    if rows.iter().all(|row| row.values_checked) {
        notes.push("Registers and memory at the end are those of a run without a GPU.");
    }
    if args.run.has_kernels() {
        notes.push(PATTERNS);
    }
    format!("{table}\n{}", notes.join("\n"))
}

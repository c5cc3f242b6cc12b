//! The restart theorem of the whole GPU, put to many random programs.

use std::ops::AddAssign;

use faultline_sim::machines::gpu::Outcome;
use faultline_sim::machines::gpu::restart::{Trial, TrialFailure};
use faultline_sim::machines::sm::Occasions;
use faultline_sim::sm::sm_pipeline::Scheme;
use faultline_synth::table::Grid;
use faultline_testbench::file;
use miette::{Result, miette};
use serde::Serialize;

use super::super::sm::setups;
use super::super::trials::{self, Counts, Failure};
use super::Args;
use crate::Global;
use crate::output::{check_files, grouped, tables, width};

/// What a program counts, or many.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Counted {
    /// Programs on SMs around the block `sm_unit`.
    around_sm_unit: u64,
    cycles: u64,
    /// Thread blocks that left in the middle of their work and came back, with so many squashed instructions.
    blocks_away: u64,
    restored: u64,
    /// Instructions that were squashed by a fault; those of them that raised an exception, those that had faulted before, and those
    /// whose warp was being replayed.
    faults: u64,
    exceptions: u64,
    faults_again: u64,
    faults_in_a_replay: u64,
    /// Far faults that the driver has read, and those that the GMMU did not hold.
    far_faults: u64,
    not_held: u64,
    /// Parts of memory that came over the link, and those that were only allocated.
    migrated: u64,
    allocated: u64,
    /// Parts that warps have allocated, and those that they have asked the CPU for.
    handled_on_gpu: u64,
    asked_of_cpu: u64,
    /// Parts that came before a fault in them, parts that were evicted, and parts that came again.
    prefetched: u64,
    evicted: u64,
    came_again: u64,
    /// Times at which the driver had everything replayed that waited, and lines of pinned memory that took the link.
    replays: u64,
    pinned_lines: u64,
}

impl From<&Outcome> for Counted {
    fn from(outcome: &Outcome) -> Self {
        let Occasions {
            faults,
            exceptions,
            again,
            in_a_replay,
            ..
        } = outcome.sms.occasions;
        Self {
            around_sm_unit: 0,
            cycles: outcome.cycles,
            blocks_away: outcome.sms.switches,
            restored: outcome.sms.restored,
            faults,
            exceptions,
            faults_again: again,
            faults_in_a_replay: in_a_replay,
            far_faults: outcome.brought.records,
            not_held: outcome.translations.nacks,
            migrated: outcome.brought.migrated,
            allocated: outcome.brought.allocated,
            handled_on_gpu: outcome.brought.local,
            asked_of_cpu: outcome.brought.asked,
            prefetched: outcome.brought.prefetched,
            evicted: outcome.brought.evicted,
            came_again: outcome.brought.again,
            replays: outcome.brought.replays.replays,
            pinned_lines: outcome.brought.lines.read + outcome.brought.lines.written,
        }
    }
}

impl AddAssign for Counted {
    fn add_assign(&mut self, other: Self) {
        self.around_sm_unit += other.around_sm_unit;
        self.cycles += other.cycles;
        self.blocks_away += other.blocks_away;
        self.restored += other.restored;
        self.faults += other.faults;
        self.exceptions += other.exceptions;
        self.faults_again += other.faults_again;
        self.faults_in_a_replay += other.faults_in_a_replay;
        self.far_faults += other.far_faults;
        self.not_held += other.not_held;
        self.migrated += other.migrated;
        self.allocated += other.allocated;
        self.handled_on_gpu += other.handled_on_gpu;
        self.asked_of_cpu += other.asked_of_cpu;
        self.prefetched += other.prefetched;
        self.evicted += other.evicted;
        self.came_again += other.came_again;
        self.replays += other.replays;
        self.pinned_lines += other.pinned_lines;
    }
}

/// What was tried.
#[derive(Serialize)]
struct Row {
    scheme: &'static str,
    programs: u64,
    #[serde(flatten)]
    counted: Counted,
    failures: u64,
}

impl Row {
    const HEADINGS: [&str; 22] = [
        "scheme",
        "programs",
        "around `sm_unit`",
        "cycles",
        "blocks away",
        "restored",
        "faults",
        "exceptions",
        "again",
        "in a replay",
        "far faults",
        "not held",
        "migrated",
        "allocated",
        "on the GPU",
        "asked",
        "prefetched",
        "evicted",
        "came again",
        "replays",
        "pinned lines",
        "failures",
    ];

    fn new((scheme, counts): (Scheme, Counts<Counted>)) -> Self {
        Self {
            scheme: scheme.name(),
            programs: counts.programs,
            counted: counts.counted,
            failures: counts.failures,
        }
    }

    fn cells(&self) -> Vec<String> {
        let counted = &self.counted;
        let counts = [
            self.programs,
            counted.around_sm_unit,
            counted.cycles,
            counted.blocks_away,
            counted.restored,
            counted.faults,
            counted.exceptions,
            counted.faults_again,
            counted.faults_in_a_replay,
            counted.far_faults,
            counted.not_held,
            counted.migrated,
            counted.allocated,
            counted.handled_on_gpu,
            counted.asked_of_cpu,
            counted.prefetched,
            counted.evicted,
            counted.came_again,
            counted.replays,
            counted.pinned_lines,
            self.failures,
        ];
        let counts = counts.into_iter().map(grouped);
        std::iter::once(self.scheme.to_owned())
            .chain(counts)
            .collect()
    }
}

/// Runs a program, which the theorem may fail.
fn trial(scheme: Scheme, seed: u64) -> Result<Counted, Failure<TrialFailure>> {
    let trial = Trial::new(scheme, seed).map_err(Failure::Setup)?;
    let outcome = trial.run();
    let outcome = outcome.map_err(|failure| Failure::Theorem(failure.to_string()))?;
    Ok(Counted {
        around_sm_unit: trial.parameters.sm.joined.into(),
        ..Counted::from(&outcome)
    })
}

/// Runs the programs of seeds from `--seed` on, and fails if one does.
///
/// # Errors
/// If the seeds do not suffice, a file cannot be written, or the restart theorem fails.
pub fn run(programs: u64, args: &Args, schemes: &[Scheme], global: &Global) -> Result<()> {
    let seed = args.seed.unwrap_or(1);
    check_files(&[("--markdown", args.markdown.as_deref())])?;
    let (counts, failed) = trials::run(programs, seed, schemes, trial)?;
    let rows: Vec<Row> = counts.into_iter().map(Row::new).collect();
    if let Some(path) = &args.markdown {
        let page = markdown(&rows, programs, seed, &setups::origin_of(&[], true)?);
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&rows)?,
        false => global.print(&text(&rows))?,
    }
    trials::verdict(failed)
}

/// The rows as a page.
fn markdown(rows: &[Row], programs: u64, seed: u64, origin: &str) -> String {
    let schemes: Vec<_> = rows.iter().map(|row| row.scheme).collect();
    let grid = Grid {
        title: format!(
            "# Restart on the GPU: random programs beside an executor without faults\n\n\
             Generated by `faultline gpu --restart {programs} --scheme {} --seed {seed} --markdown FILE`{origin}.\n\n\
             Each program is random and runs on a random GPU of 1 to 4 SMs with small TLBs, MSHRs and caches, beside an \
             executor without faults. Registers and memory end the same, every instruction commits exactly once, none is \
             issued before what it depends on, and each translation that an SM receives is that of the page tables. In \
             three of four programs all pages are absent at first: *far faults* are reported to the driver or *not held* and \
             requested again, and parts of memory are *migrated* over the link or *allocated*. In a third of the programs, \
             under schemes that squash, the warps that fault handle their faults: they allocate parts (*on the GPU*), or have \
             *asked* the CPU for them. In half of the programs parts are *prefetched*, and in half of them there is room for \
             some parts alone: others are *evicted*, and some of them *came again*. Where the CPU handles faults and there is room for \
             everything, the driver reads batches and *replays* by one of five policies. In a third of the programs some parts are \
             pinned, and *pinned lines* take the link. In a quarter of the programs the SMs are *around* the block `sm_unit`, without what \
             it has no part for. Other instructions fault by \
             chance. *Faults* squash an instruction: one that divides by zero or traps and is restarted by a handler \
             (*exceptions*, which stall on fault masks), one that has faulted before (*again*), or one whose warp is being \
             replayed. Thread blocks leave in the middle of their work and come back (*blocks away*), with squashed \
             instructions (*restored*). A failure would be named by its seed.",
            schemes.join(","),
        ),
        headings: Row::HEADINGS.map(str::to_owned).to_vec(),
        rows: rows.iter().map(Row::cells).collect(),
    };
    grid.markdown().trim_end().to_owned() + "\n"
}

/// The rows as a text.
fn text(rows: &[Row]) -> String {
    let cells: Vec<_> = rows.iter().map(Row::cells).collect();
    let table = tables(1, &Row::HEADINGS.map(str::to_owned), &cells, width());
    format!(
        "Random programs on random GPUs: registers and memory as in the run without faults, every instruction\n\
         committed once, every translation as in the page tables\n{table}"
    )
}

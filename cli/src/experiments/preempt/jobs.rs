//! Preemptions, one for each kernel, policy, time and progress.

use faultline_sim::machines::preemption::{
    BEAT, Chooser, Contexts, MHZ, Outcome, Policy, Setup, Subject, preempt,
};
use faultline_sim::preempt::preemption_policy::Case;
use indicatif::ProgressBar;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::Serialize;

use super::{Args, Granularity};

/// What of some blocks was saved, in bytes of all of them.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Bytes {
    /// Blocks.
    pub blocks: u64,
    pub registers: u64,
    pub shared_memory: u64,
    pub simt_state: u64,
    /// All of them, with the headers.
    pub all: u64,
    /// The part of `all` that stayed on the SM.
    pub in_place: u64,
}

impl Bytes {
    const fn of(contexts: &Contexts) -> Self {
        let saved = &contexts.saved;
        Self {
            blocks: contexts.count,
            registers: BEAT * saved.registers,
            shared_memory: BEAT * saved.shared,
            simt_state: BEAT * saved.state,
            all: BEAT * saved.beats,
            in_place: BEAT * saved.kept,
        }
    }

    /// Registers and shared memory, which are what the paper counts.
    pub const fn context(&self) -> u64 {
        self.registers + self.shared_memory
    }
}

impl std::ops::AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.registers += other.registers;
        self.shared_memory += other.shared_memory;
        self.simt_state += other.simt_state;
        self.all += other.all;
        self.in_place += other.in_place;
    }
}

/// A preemption, as it is shown.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub kernel: String,
    pub policy: &'static str,
    pub launch_us: u64,
    /// PEP's prediction, or Chimera's deadline.
    pub predict_us: Option<u64>,
    pub deadline_us: Option<u64>,
    pub progress_percent: u64,
    /// Blocks by what was answered for them.
    pub cases: Vec<(&'static str, u64)>,
    /// The latency, counted from the kernel.
    pub latency_us: f64,
    pub blocks: u64,
    /// Bytes of the whole context of a block.
    pub whole_bytes: u64,
    pub bases: Bytes,
    pub increments: Bytes,
    /// Contexts that were saved once.
    pub singles: Bytes,
    /// Time for which a block does not run because it is saved, in the mean.
    pub stopped_us: f64,
    /// Time for which its place is empty before the kernel comes, because it has left.
    pub waited_us: f64,
}

/// Every value of each option with every one of the others.
pub fn setups(args: &Args) -> Vec<Setup> {
    let mut setups = Vec::new();
    for policy in args.policies() {
        let expected = match policy.is_proactive() {
            true => &args.predict_us,
            false => &args.deadline_us,
        };
        for &progress in &args.progress {
            for &launch in &args.launch_us {
                setups.extend(expected.iter().map(|&expected| Setup {
                    policy,
                    launch: launch * MHZ,
                    expected: expected * MHZ,
                    progress,
                    by_lane: args.granularity == Granularity::Lane,
                    stops_together: false,
                    most_of_base: None,
                }));
            }
        }
    }
    setups
}

impl Row {
    /// Whether the policy answered so for some of the blocks.
    pub fn has(&self, case: Case) -> bool {
        self.cases.iter().any(|(known, _)| *known == case.name())
    }
}

/// Preempts every kernel in every way.
pub fn run(subjects: &[Subject], setups: &[Setup], bar: &ProgressBar) -> Result<Vec<Row>> {
    let rows = subjects
        .par_iter()
        .map(|subject| of_subject(subject, setups, bar));
    let rows: Vec<Vec<Row>> = rows.collect::<Result<_>>()?;
    Ok(rows.into_iter().flatten().collect())
}

/// Preempts a kernel in every way; the blocks before the launch call are those of all ways.
fn of_subject(subject: &Subject, setups: &[Setup], bar: &ProgressBar) -> Result<Vec<Row>> {
    let mut progresses: Vec<u64> = setups.iter().map(|setup| setup.progress).collect();
    progresses.sort_unstable();
    progresses.dedup();
    let mut chooser = Chooser::new(subject);
    let choosers = progresses.iter().map(|progress| {
        let run = subject.block * progress / 100;
        chooser.advance(run.saturating_sub(chooser.run()));
        (*progress, chooser.clone())
    });
    let choosers: Vec<_> = choosers.collect();
    let rows = setups.par_iter().map(|setup| {
        let known = choosers
            .iter()
            .find(|(progress, _)| *progress == setup.progress);
        let (_, chooser) = known.ok_or_else(|| miette!("{}: no such progress", subject.name))?;
        let outcome = preempt(subject, chooser, setup);
        let outcome = outcome.map_err(|error| miette!("{}: {error}", subject.name))?;
        bar.inc(1);
        Ok(row(subject, setup, &outcome))
    });
    rows.collect()
}

/// Cycles as microseconds.
pub fn microseconds(cycles: u64) -> f64 {
    cycles as f64 / MHZ as f64
}

fn row(subject: &Subject, setup: &Setup, outcome: &Outcome) -> Row {
    let count = |case: &Case| outcome.cases.iter().filter(|known| *known == case).count() as u64;
    let cases = Case::ALL.iter().map(|case| (case.name(), count(case)));
    let expected = setup.expected / MHZ;
    let is_proactive = setup.policy.is_proactive();
    Row {
        kernel: subject.name.clone(),
        policy: Policy::name(setup.policy),
        launch_us: setup.launch / MHZ,
        predict_us: is_proactive.then_some(expected),
        deadline_us: (!is_proactive).then_some(expected),
        progress_percent: setup.progress,
        cases: cases.filter(|(_, count)| *count > 0).collect(),
        latency_us: microseconds(outcome.latency),
        blocks: subject.blocks,
        whole_bytes: BEAT * subject.whole(),
        bases: Bytes::of(&outcome.bases),
        increments: Bytes::of(&outcome.increments),
        singles: Bytes::of(&outcome.singles),
        stopped_us: microseconds(outcome.stopped) / subject.blocks as f64,
        waited_us: microseconds(outcome.waited) / subject.blocks as f64,
    }
}

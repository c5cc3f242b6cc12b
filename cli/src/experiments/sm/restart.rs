//! The restart theorem, put to many random programs.

use std::ops::RangeInclusive;

use faultline_sim::machines::sm::restart::Trial;
use faultline_sim::machines::sm::{Occasions, Outcome};
use faultline_sim::sm::sm_pipeline::Scheme;
use faultline_synth::table::Grid;
use faultline_testbench::backend::Kind;
use faultline_testbench::file;
use faultline_testbench::programs::{Pipeline, ProgramError};
use miette::{Result, miette};
use rayon::prelude::*;
use serde::Serialize;

use super::{Args, setups};
use crate::Global;
use crate::output::{grouped, progress, tables, width};

/// What was tried.
#[derive(Serialize)]
struct Row {
    scheme: &'static str,
    backend: &'static str,
    programs: u64,
    cycles: u64,
    /// Thread blocks that left in the middle of their work and came back, with so many squashed instructions.
    switches: u64,
    restored: u64,
    /// Those that were saved and ran on, and contexts that were damaged on purpose, and refused.
    bases: u64,
    refused: u64,
    /// Instructions that were squashed by a fault; those of them that had faulted before, whose warp was being replayed,
    /// some of whose lanes did not fault, and with a page that another warp waited for as well.
    faults: u64,
    faults_again: u64,
    faults_in_a_replay: u64,
    faults_of_some_lanes: u64,
    faults_on_a_shared_page: u64,
    failures: u64,
}

/// What programs of a scheme counted, and the first of them that failed.
#[derive(Clone, Debug, Default)]
struct Counts {
    programs: u64,
    cycles: u64,
    switches: u64,
    restored: u64,
    bases: u64,
    refused: u64,
    occasions: Occasions,
    failures: u64,
    first: Option<(u64, String)>,
}

impl Counts {
    /// A program that ran.
    fn one(seed: u64, result: Result<Outcome, ProgramError>) -> Result<Self, ProgramError> {
        let programs = 1;
        match result {
            Ok(outcome) => Ok(Self {
                programs,
                cycles: outcome.cycles,
                switches: outcome.switches,
                restored: outcome.restored,
                bases: outcome.bases,
                refused: outcome.refused,
                occasions: outcome.occasions,
                ..Self::default()
            }),
            // It did not run at all.
            Err(error @ (ProgramError::Setup(_) | ProgramError::Backend(_))) => Err(error),
            Err(failure) => Ok(Self {
                programs,
                failures: 1,
                first: Some((seed, failure.to_string())),
                ..Self::default()
            }),
        }
    }

    /// Both together.
    fn sum(self, other: Self) -> Self {
        let firsts = [self.first, other.first];
        let mut occasions = self.occasions;
        occasions += other.occasions;
        Self {
            programs: self.programs + other.programs,
            cycles: self.cycles + other.cycles,
            switches: self.switches + other.switches,
            restored: self.restored + other.restored,
            bases: self.bases + other.bases,
            refused: self.refused + other.refused,
            occasions,
            failures: self.failures + other.failures,
            first: firsts.into_iter().flatten().min(),
        }
    }
}

/// Runs the programs of these seeds.
fn count(
    seeds: RangeInclusive<u64>,
    trial: impl Fn(u64) -> Result<Outcome, ProgramError> + Sync,
) -> Result<Counts, ProgramError> {
    let counts = seeds
        .into_par_iter()
        .map(|seed| Counts::one(seed, trial(seed)));
    counts.try_reduce(Counts::default, |left, right| Ok(left.sum(right)))
}

impl Row {
    const HEADINGS: [&str; 13] = [
        "scheme",
        "programs",
        "cycles",
        "blocks away",
        "restored",
        "saved, ran on",
        "refused",
        "faults",
        "again",
        "in a replay",
        "some lanes",
        "shared page",
        "failures",
    ];

    fn cells(&self) -> Vec<String> {
        let counts = [
            self.programs,
            self.cycles,
            self.switches,
            self.restored,
            self.bases,
            self.refused,
            self.faults,
            self.faults_again,
            self.faults_in_a_replay,
            self.faults_of_some_lanes,
            self.faults_on_a_shared_page,
            self.failures,
        ];
        let counts = counts.into_iter().map(grouped);
        std::iter::once(self.scheme.to_owned())
            .chain(counts)
            .collect()
    }
}

/// The rows as a page.
fn markdown(rows: &[Row], trials: u64, seed: u64, backend: Kind, origin: &str) -> String {
    let schemes: Vec<_> = rows.iter().map(|row| row.scheme).collect();
    let lockstep = match backend {
        Kind::Reference => "",
        _ => {
            " Pipeline, checkpoint engine and dirty bits ran as reference and back end in lockstep: every output of theirs was \
             compared in every cycle."
        }
    };
    let grid = Grid {
        title: format!(
            "# Restart: random programs beside an executor without faults\n\nGenerated by `faultline sm --restart {trials} --scheme {} --backend {} --seed {seed} \
             --markdown FILE`{origin}.\n\n\
             Each program is random, with random faults on a random SM, and runs beside an executor without faults: \
             registers and memory end the same, every instruction commits exactly once, and none is issued before what \
             it depends on. Thread blocks leave in the middle of their work and come back (*blocks away*), with \
             squashed instructions (*restored*); others are *saved* and *run on*, so that what leaves later is an \
             increment. All of it goes through the checkpoint engine and the dirty bits, beat by beat, some of it in place; \
             registers, shared memory, control and instructions are compared when they are back, and contexts that were \
             cut or damaged are *refused*. *Faults* squash an instruction: one that has faulted before (*again*), \
             one whose warp is being replayed, one some of whose lanes do not fault, or one with a page that another warp \
             waits for too.{lockstep} A failure would be named by its seed.",
            schemes.join(","),
            backend.name(),
        ),
        headings: Row::HEADINGS.map(str::to_owned).to_vec(),
        rows: rows.iter().map(Row::cells).collect(),
    };
    grid.markdown().trim_end().to_owned() + "\n"
}

/// What the back ends of a run were.
fn lockstep(backend: Kind) -> String {
    match backend {
        Kind::Reference => "The reference ran.".to_owned(),
        _ => format!(
            "Pipeline, checkpoint engine and dirty bits ran as reference and back end {} in lockstep: every output of theirs was\n\
             compared in every cycle.",
            backend.name()
        ),
    }
}

/// Runs the trials of seeds from `seed` on, and fails if one does.
///
/// # Errors
/// If the seeds do not suffice, a back end cannot be had, or the restart theorem fails.
pub fn run(trials: u64, args: &Args, schemes: &[Scheme], global: &Global) -> Result<()> {
    let (seed, backend) = (args.seed, args.backend);
    // There is at least one trial.
    let last = seed.checked_add(trials - 1).ok_or_else(|| {
        miette!(
            "--restart {trials} --seed {seed}: each program has a seed of its own and the last is {}; give a lower --seed",
            u64::MAX
        )
    })?;
    if let Some(path) = &args.markdown {
        file::check_writable(path).map_err(|error| miette!("{error}"))?;
    }
    let trial = |scheme, seed| match backend {
        Kind::Reference => Ok(Trial::new(scheme, seed)?.run()?),
        // The small designs: programs of a few warps fill them.
        other => {
            let config = Pipeline::configuration(scheme, 4);
            Pipeline::new(&config, &[Kind::Reference, other])?.restart(seed)
        }
    };
    let bar = progress(
        trials.saturating_mul(schemes.len() as u64),
        "{msg:24} {wide_bar} {human_pos}/{human_len} programs {eta}",
    );
    let mut rows = Vec::new();
    let mut failed = None;
    for &scheme in schemes {
        bar.set_message(scheme.name());
        let counts = count(seed..=last, |seed| {
            let result = trial(scheme, seed);
            bar.inc(1);
            result
        });
        let counts = counts.map_err(|error| miette!("{}: {error}", scheme.name()))?;
        if let Some((_, failure)) = counts.first {
            failed.get_or_insert_with(|| format!("{}: {failure}", scheme.name()));
        }
        rows.push(Row {
            scheme: scheme.name(),
            backend: backend.name(),
            programs: counts.programs,
            cycles: counts.cycles,
            switches: counts.switches,
            restored: counts.restored,
            bases: counts.bases,
            refused: counts.refused,
            faults: counts.occasions.faults,
            faults_again: counts.occasions.again,
            faults_in_a_replay: counts.occasions.in_a_replay,
            faults_of_some_lanes: counts.occasions.some_lanes,
            faults_on_a_shared_page: counts.occasions.shared_page,
            failures: counts.failures,
        });
    }
    bar.finish_and_clear();
    if let Some(path) = &args.markdown {
        let configs: Vec<String> = match backend {
            Kind::Reference => Vec::new(),
            _ => {
                let of = |&scheme: &Scheme| Pipeline::configuration(scheme, 4);
                schemes.iter().map(of).collect()
            }
        };
        let configs: Vec<&str> = configs.iter().map(|config| config.as_ref()).collect();
        let origin = setups::origin_of(&configs, true)?;
        let page = markdown(&rows, trials, seed, backend, &origin);
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&rows)?,
        false => global.print(&text(&rows, backend))?,
    }
    match failed {
        None => Ok(()),
        Some(failure) => Err(miette!("the restart theorem does not hold: {failure}")),
    }
}

/// The rows as a text.
fn text(rows: &[Row], backend: Kind) -> String {
    let cells: Vec<_> = rows.iter().map(Row::cells).collect();
    let table = tables(1, &Row::HEADINGS.map(str::to_owned), &cells, width());
    format!(
        "Random programs with faults: registers and memory as in the run without faults, every instruction\n\
         committed once, none issued before what it depends on\n{table}\n{}",
        lockstep(backend)
    )
}

#[cfg(test)]
mod tests {
    use faultline_sim::machines::sm::SmError;
    use faultline_sim::machines::sm::restart::{Failure, Trial};
    use faultline_sim::sm::sm_pipeline::Scheme;

    use super::count;

    #[test]
    fn failures_are_counted_and_the_first_is_named() {
        let run = |seed: u64| match seed {
            3 | 5 => Err(Failure::Sm(seed, SmError::Stuck(7)).into()),
            _ => Ok(Trial::new(Scheme::ReplayQueue, seed)?.run()?),
        };
        let counts = count(1..=8, run).expect("every program runs");
        assert_eq!((counts.programs, counts.failures), (8, 2));
        let first = (3, "seed 3: cycle 7: nothing commits any more".to_owned());
        assert_eq!(counts.first, Some(first));
        let last = count(u64::MAX..=u64::MAX, run).expect("it runs");
        assert_eq!((last.programs, last.failures), (1, 0));
    }
}

//! The restart theorem, put to many random programs: each has a seed of its own, and what they count is added up.

use std::fmt::Display;
use std::ops::{AddAssign, RangeInclusive};

use faultline_sim::sm::sm_pipeline::Scheme;
use miette::{Result, miette};
use rayon::prelude::*;

use crate::output::progress;

/// Why a program has not run at all, or how it has failed.
pub enum Failure<E> {
    /// It could not run.
    Setup(E),
    /// The theorem does not hold.
    Theorem(String),
}

/// What the programs of a scheme counted, and the first of them that failed.
#[derive(Clone, Debug, Default)]
pub struct Counts<T> {
    /// Programs.
    pub programs: u64,
    /// What those that did not fail counted.
    pub counted: T,
    /// Programs that failed.
    pub failures: u64,
    /// The least seed of those, and how it failed.
    first: Option<(u64, String)>,
}

impl<T: Default + AddAssign> Counts<T> {
    fn one<E>(seed: u64, result: Result<T, Failure<E>>) -> Result<Self, E> {
        let programs = 1;
        match result {
            Ok(counted) => Ok(Self {
                programs,
                counted,
                ..Self::default()
            }),
            Err(Failure::Setup(error)) => Err(error),
            Err(Failure::Theorem(failure)) => Ok(Self {
                programs,
                failures: 1,
                first: Some((seed, failure)),
                ..Self::default()
            }),
        }
    }

    /// Both together.
    fn sum(mut self, other: Self) -> Self {
        let firsts = [self.first, other.first];
        self.counted += other.counted;
        Self {
            programs: self.programs + other.programs,
            counted: self.counted,
            failures: self.failures + other.failures,
            first: firsts.into_iter().flatten().min(),
        }
    }
}

/// Runs the programs of these seeds.
fn count<T: Default + AddAssign + Send, E: Send>(
    seeds: RangeInclusive<u64>,
    trial: impl Fn(u64) -> Result<T, Failure<E>> + Sync,
) -> Result<Counts<T>, E> {
    let counts = seeds
        .into_par_iter()
        .map(|seed| Counts::one(seed, trial(seed)));
    counts.try_reduce(Counts::default, |left, right| Ok(left.sum(right)))
}

/// What was counted, scheme by scheme, and the first failure.
pub type Counted<T> = (Vec<(Scheme, Counts<T>)>, Option<String>);

/// Runs so many programs under each scheme, with the seeds from one on.
///
/// # Errors
/// If the seeds do not suffice, or a program cannot run.
pub fn run<T: Default + AddAssign + Send, E: Display + Send>(
    trials: u64,
    seed: u64,
    schemes: &[Scheme],
    trial: impl Fn(Scheme, u64) -> Result<T, Failure<E>> + Sync,
) -> Result<Counted<T>> {
    // There is at least one trial.
    let last = seed.checked_add(trials - 1).ok_or_else(|| {
        miette!(
            "--restart {trials} --seed {seed}: each program has a seed of its own and the last is {}; give a lower --seed",
            u64::MAX
        )
    })?;
    let bar = progress(
        trials.saturating_mul(schemes.len() as u64),
        "{msg:24} {wide_bar} {human_pos}/{human_len} programs {eta}",
    );
    let (mut rows, mut failed) = (Vec::new(), None);
    for &scheme in schemes {
        bar.set_message(scheme.name());
        let counts = count(seed..=last, |seed| {
            let result = trial(scheme, seed);
            bar.inc(1);
            result
        });
        let counts = counts.map_err(|error| miette!("{}: {error}", scheme.name()))?;
        if let Some((_, failure)) = &counts.first {
            failed.get_or_insert_with(|| format!("{}: {failure}", scheme.name()));
        }
        rows.push((scheme, counts));
    }
    bar.finish_and_clear();
    Ok((rows, failed))
}

/// The error of a run of which a program has failed.
///
/// # Errors
/// If one has.
pub fn verdict(failed: Option<String>) -> Result<()> {
    match failed {
        None => Ok(()),
        Some(failure) => Err(miette!("the restart theorem does not hold: {failure}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, count};

    #[test]
    fn failures_are_counted_and_the_first_is_named() {
        let run = |seed: u64| match seed {
            3 | 5 => Err(Failure::<()>::Theorem(format!("seed {seed}: stuck"))),
            _ => Ok(seed),
        };
        let counts = count(1..=8, run).expect("every program runs");
        assert_eq!(
            (counts.programs, counts.failures, counts.counted),
            (8, 2, 28)
        );
        assert_eq!(counts.first, Some((3, "seed 3: stuck".to_owned())));
        let last = count(u64::MAX..=u64::MAX, run).expect("it runs");
        assert_eq!((last.programs, last.failures), (1, 0));
        let none = count(1..=8, |seed| match seed {
            7 => Err(Failure::Setup("no back end")),
            _ => Ok(seed),
        });
        assert_eq!(none.err(), Some("no back end"));
    }
}

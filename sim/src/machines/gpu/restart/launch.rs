//! The restart theorem for two kernels: the second one is launched while the first one runs, in its own address space.

use fastrand::Rng;

use super::super::super::sm::{Choice, Preemption, Saves, Switching, Transfer, Work, restart};
use super::super::{Gpu, Launch, Outcome};
use super::{BLOCKS, SLOTS, Trial, TrialFailure, least_share};
use crate::sm::sm_pipeline::Scheme;

/// Two random programs on a random GPU. They access the same virtual pages.
#[derive(Clone, Debug)]
pub struct LaunchTrial {
    /// The first program, and the GPU.
    pub first: Trial,
    /// The second program with its oracle.
    pub second: Work,
    /// The cycle of its launch.
    pub at: u64,
    /// How each SM makes room for it.
    pub preemption: Preemption,
}

impl LaunchTrial {
    /// The trial of a seed.
    ///
    /// # Errors
    /// If a program does not run even without faults, which no seed should bring about.
    pub fn new(scheme: Scheme, choice: Choice, seed: u64) -> Result<Self, TrialFailure> {
        let mut first = Trial::draw(scheme, seed, false)?;
        first.parameters.sm.switching = Switching::Never;
        let mut second = restart::Trial::of_blocks(BLOCKS, scheme, !seed)?.work;
        let random = &mut Rng::with_seed(seed.rotate_left(32));
        let paging = first.parameters.paging;
        if let Some(share) = &mut first.parameters.paging.capacity {
            let works = [&first.of_sm.work, &second].into_iter();
            *share = least_share(&paging, works).max(*share);
        }
        second.blocks_per_sm = random.usize(1..=SLOTS);
        // Before the first block has begun, while some run, or when all have ended.
        let latest = [10, 1_000, 3_000, 8_000][random.usize(0..4)];
        let at = random.u64(0..latest);
        let transfer = match random.bool() {
            true => Transfer::AtOnce,
            false => Transfer::Lines {
                interval: random.u64(1..6),
            },
        };
        Ok(Self {
            first,
            second,
            at,
            preemption: Preemption {
                choice,
                saved: [usize::MAX, 1][usize::from(random.u8(0..4) == 0)],
                saves: [Saves::Whole, Saves::Dirty, Saves::InPlace][random.usize(0..3)],
                predicted: random.u64(0..=at),
                lead: random.u64(0..=at),
                deadline: random.u64(0..3_000),
                transfer,
            },
        })
    }

    /// The GPU before its first cycle.
    ///
    /// # Errors
    /// If a thread block does not fit.
    pub fn gpu(&self) -> Result<Gpu<'_>, TrialFailure> {
        let Trial { of_sm, parameters } = &self.first;
        let launch = Launch {
            work: &self.second,
            at: self.at,
            preemption: self.preemption,
        };
        Gpu::with_second(parameters, &of_sm.work, launch)
            .map_err(|error| TrialFailure::Gpu(of_sm.seed, error))
    }

    /// Runs it, and compares what both programs leave with their oracles'.
    ///
    /// # Errors
    /// If the theorem does not hold.
    pub fn run(&self) -> Result<Outcome, TrialFailure> {
        let seed = self.first.of_sm.seed;
        let outcome = self.gpu()?.run(|_| {});
        let outcome = outcome.map_err(|error| TrialFailure::Gpu(seed, error))?;
        match outcome.differences().first() {
            Some(difference) => Err(TrialFailure::Difference(seed, difference.clone())),
            None => Ok(outcome),
        }
    }
}

//! The restart theorem for the whole GPU: whatever faults, and whenever, registers and memory end as in the run without
//! faults, and every instruction commits exactly once. A [`Trial`] puts it to a random program on a random GPU; its seed tells
//! all.

mod launch;

use fastrand::Rng;
use thiserror::Error;

use super::super::sm::{Difference, Local, Switching, Transfer, Work, restart};
use super::super::translation::{Design, Parameters as Translation};
use super::machine;
use super::{
    Caches, Eviction, Failure, Gpu, Granularity, Link, Outcome, Paging, Parameters, Prefetch,
    Replay,
};
use crate::sm::sm_pipeline::Scheme;

pub use launch::LaunchTrial;

/// Thread blocks of a program at most.
const BLOCKS: u32 = 6;
/// Blocks of an SM at most: the smallest log has two entries for each.
const SLOTS: usize = 3;

/// Why a trial failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TrialFailure {
    /// There is no program.
    #[error(transparent)]
    Program(#[from] restart::Failure),
    /// The GPU does not come to the end.
    #[error("seed {0}: {1}")]
    Gpu(u64, Failure),
    /// It ends otherwise.
    #[error("seed {0}: {1}")]
    Difference(u64, Difference),
}

/// A random program on a random GPU.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The program with its oracle, and an SM.
    pub of_sm: restart::Trial,
    /// The GPU, which has SMs like that.
    pub parameters: Parameters,
}

impl Trial {
    /// The trial of a seed.
    ///
    /// # Errors
    /// If the program does not run even without faults, which no seed should bring about.
    pub fn new(scheme: Scheme, seed: u64) -> Result<Self, TrialFailure> {
        Self::draw(scheme, seed, true)
    }

    /// The trial of a seed, whose SMs may be around the block `sm_unit` or not.
    fn draw(scheme: Scheme, seed: u64, may_be_around: bool) -> Result<Self, TrialFailure> {
        let mut of_sm = restart::Trial::of_blocks(BLOCKS, scheme, seed)?;
        let random = &mut Rng::with_seed(!seed);
        let mut parameters = parameters(&of_sm, random);
        of_sm.work.blocks_per_sm = SLOTS;
        if scheme.squashes() && random.u8(0..3) > 0 {
            parameters.sm.switching = Switching::Local(scheduler(random));
            // Blocks wait for a slot.
            of_sm.work.blocks_per_sm = random.usize(1..SLOTS);
        }
        // What is drawn last leaves all else of a seed as it is.
        if scheme.squashes() && random.u8(0..3) == 0 {
            handle_on_sms(&mut parameters, random);
        }
        page_otherwise(&mut parameters.paging, &of_sm.work, random);
        replay_and_pin(&mut parameters.paging, random);
        enlarge(&mut parameters, random);
        if random.u8(0..4) == 0 && may_be_around {
            go_around_the_unit(&mut parameters);
        }
        Ok(Self { of_sm, parameters })
    }

    /// Runs it, and compares what is left with the oracle's.
    ///
    /// # Errors
    /// If the theorem does not hold.
    pub fn run(&self) -> Result<Outcome, TrialFailure> {
        let (seed, work) = (self.of_sm.seed, &self.of_sm.work);
        let outcome = Gpu::new(&self.parameters, work)
            .and_then(|gpu| gpu.run(|_| {}))
            .map_err(|error| TrialFailure::Gpu(seed, error))?;
        match outcome.differences().first() {
            Some(difference) => Err(TrialFailure::Difference(seed, difference.clone())),
            None => Ok(outcome),
        }
    }
}

/// A local scheduler that has blocks leave soon, over a way of any speed.
fn scheduler(random: &mut Rng) -> Local {
    Local {
        threshold: random.u8(0..2),
        extra: random.u8(1..=4),
        residence: random.u16(0..200),
        handler: 0,
        transfer: match random.bool() {
            true => Transfer::AtOnce,
            false => Transfer::Lines {
                interval: random.u64(1..6),
            },
        },
    }
}

/// Warps handle their faults themselves. What the CPU has written may be there already.
fn handle_on_sms(parameters: &mut Parameters, random: &mut Rng) {
    let cycles = random.u64(1..400);
    parameters.paging.local = Some(cycles);
    parameters.paging.copied = random.u8(0..4) == 0;
    if let Switching::Local(scheduler) = &mut parameters.sm.switching {
        scheduler.handler = cycles;
    }
}

/// Parts of 2 MB, a prefetcher, and room for some parts alone, now and then.
fn page_otherwise(paging: &mut Paging, work: &Work, random: &mut Rng) {
    if random.u8(0..8) == 0 {
        paging.granularity = Granularity::Table;
    }
    if random.bool() {
        paging.prefetch = Prefetch::ALL[random.usize(1..Prefetch::ALL.len())];
        paging.prefetch_parts = random.u64(1..5);
    }
    if random.bool() {
        let least = least_share(paging, [work].into_iter());
        // Tight more often than not.
        let share = random.u64(least..=100).min(random.u64(least..=100));
        paging.capacity = Some(share);
        paging.eviction = Eviction::ALL[random.usize(0..Eviction::ALL.len())];
    }
}

/// The driver reads batches and replays by one of its policies where it may, and some parts are pinned, now and then.
fn replay_and_pin(paging: &mut Paging, random: &mut Rng) {
    if paging.local.is_none() && paging.capacity.is_none() {
        paging.replay = Replay::ALL[random.usize(0..Replay::ALL.len())];
        paging.interrupt = random.u64(0..300);
        paging.link.migration += paging.interrupt;
        paging.link.allocation += paging.interrupt;
    }
    if random.u8(0..3) == 0 {
        paging.pinned = random.u64(1..=100);
        paging.link.latency = random.u64(0..300);
    }
}

/// SMs keep large pages, and parts of 2 MB are such pages, now and then.
fn enlarge(parameters: &mut Parameters, random: &mut Rng) {
    parameters.sm.tlb.large_ways = random.usize(0..3);
    let paging = &mut parameters.paging;
    paging.large_pages = paging.granularity == Granularity::Table && random.bool();
}

/// SMs are around the block `sm_unit`, and nothing is asked for that it has no part for.
fn go_around_the_unit(parameters: &mut Parameters) {
    let sm = &mut parameters.sm;
    sm.joined = true;
    sm.switching = Switching::Never;
    sm.tlb.large_ways = 0;
    (sm.faults.rate, sm.faults.once) = (0.0, 0);
}

/// The least share of the parts of memory that these works access, in percent, with which each instruction finds room.
fn least_share<'work>(paging: &Paging, works: impl Iterator<Item = &'work Work>) -> u64 {
    let bits = paging.part_bits();
    let (mut footprint, mut most) = (0, 1);
    for work in works {
        let mut parts: Vec<u64> = work.pages().iter().map(|page| page >> bits).collect();
        parts.dedup();
        footprint += parts.len();
        most = work.most_parts(bits).max(most);
    }
    machine::least_share(most as u64, footprint as u64)
}

/// A small GPU, so that all that can be full is full at times.
fn parameters(of_sm: &restart::Trial, random: &mut Rng) -> Parameters {
    let sms = random.usize(1..=4);
    let mshrs = random.usize(1..=4);
    let translation = Translation {
        threads: [2, 4, 16][random.usize(0..3)],
        l2_entries: [16, 64][random.usize(0..2)],
        cache_bytes: [64, 512][random.usize(0..2)],
        mshrs,
        ..Design::SharedL2AndCache.parameters()
    };
    let transfer = random.u64(1..400);
    let handler = random.u64(1..100);
    Parameters {
        sms,
        first: 0,
        sm: of_sm.parameters,
        gmmu: translation.gmmu(sms),
        per_sm: false,
        walk_cache: true,
        ideal: false,
        one_ahead: false,
        far_limit: mshrs as u8,
        shared_tlb: random.bool(),
        crossbar: random.u64(1..20),
        translation: random.u64(1..40),
        caches: Caches {
            lines: [32, 1024][random.usize(0..2)],
            ways: [2, 4][random.usize(0..2)],
            banks: [1, 2, 4][random.usize(0..3)],
            latency: random.u64(1..40),
            misses: random.usize(1..9),
            dram: random.u64(1..100),
            dram_interval: random.u64(1..9),
        },
        paging: Paging {
            absent: random.u8(0..4) > 0,
            copied: false,
            granularity: match random.bool() {
                true => Granularity::Region,
                false => Granularity::Page,
            },
            large_pages: false,
            handler,
            local: None,
            link: Link {
                bytes: random.u64(16..4096),
                migration: handler + transfer,
                allocation: handler + random.u64(0..100),
                latency: 0,
            },
            prefetch: Prefetch::None,
            prefetch_parts: 1,
            capacity: None,
            eviction: Eviction::Lru,
            replay: Replay::Page,
            interrupt: 0,
            pinned: 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same programs and faults around the block `sm_unit`, as far as it has parts for them.
    #[test]
    fn programs_restart_around_the_sm_unit() {
        let mut faults = 0;
        for scheme in Scheme::ALL {
            // An SM of seed 101 still uses frames when the GMMU has acknowledged their invalidation.
            for seed in (0..40).chain([101]) {
                let mut trial = Trial::new(scheme, seed).unwrap();
                go_around_the_unit(&mut trial.parameters);
                let outcome = trial
                    .run()
                    .unwrap_or_else(|error| panic!("{scheme:?}: {error}"));
                faults += outcome.sms.occasions.faults;
            }
        }
        assert!(faults > 1_000, "{faults}");
    }
}

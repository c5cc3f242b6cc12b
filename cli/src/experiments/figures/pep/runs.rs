//! The runs of a kernel: up to a part of its blocks' time, and from there once for each launch and policy.

use faultline_sim::machines::gpu::{Config, Freed, Gpu, Launch};
use faultline_sim::machines::sm::{Blocks, Choice, Preemption, Saves, Work};
use miette::{Result, miette};
use rayon::prelude::*;

use super::{Cell, Estimate, Mixed};

/// Microseconds from the call to the launch, those in which PEP expects it, and those from the call to the driver's signal
/// (section IV-A).
const LAUNCHES_US: [u64; 4] = [5, 15, 25, 35];
const PREDICTED_US: [u64; 2] = [20, 30];
const SIGNAL_NS: u64 = 1300;
/// Percent of a block's time at the call.
const PROGRESS: [u64; 3] = [25, 50, 75];
/// Microseconds of Chimera's deadline: the middle one of the paper's.
const DEADLINE_US: u64 = 10;
/// A cycle that does not come.
const NEVER: u64 = 1 << 60;
/// Looks at the registers in a block's time.
const LOOKS: u64 = 64;

/// A launch: microseconds from the call, in truth and by prediction, and percent of a block's time at the call.
#[derive(Clone, Copy, Debug)]
struct Case {
    launch_us: u64,
    predicted_us: u64,
    progress: usize,
}

/// A kernel whose blocks are known.
pub struct Prepared<'work> {
    config: &'work Config,
    work: &'work Work,
    /// The GPU before its first cycle.
    first: Gpu<'work>,
    /// The GPU at each part of a block's time.
    stops: Vec<Gpu<'work>>,
    /// Cycles of a block.
    block: u64,
}

impl<'work> Prepared<'work> {
    /// Runs until as many blocks have ended as are there at first; then a block's time is known. From there it goes on to each part
    /// of that. A kernel that has no more blocks is stopped in the time of its only ones.
    pub fn new(config: &'work Config, work: &'work Work) -> Result<Self> {
        let failed = |error: &dyn std::fmt::Display| miette!("{error}");
        let launch = Launch {
            work,
            at: NEVER,
            preemption: config.preemption(Choice::Drain, 0, DEADLINE_US),
        };
        let gpu = Gpu::with_second(&config.parameters(), work, launch);
        let first = gpu.map_err(|error| failed(&error))?;
        let sms = config.parameters().sms;
        let wave = sms * work.blocks_per_sm;
        let mut gpu = first.clone();
        let count = wave.min(work.blocks()) as u64;
        gpu.go_on(|gpu| gpu.blocks().count >= count)
            .map_err(|error| failed(&error))?;
        let Blocks { count, cycles } = gpu.blocks();
        let block = cycles / count.max(1);
        let mut from = gpu.now();
        if work.blocks() < 2 * wave {
            (gpu, from) = (first.clone(), 0);
        }
        let mut stops = Vec::new();
        for percent in PROGRESS {
            let when = from + block * percent / 100;
            gpu.go_on(|gpu| gpu.now() >= when)
                .map_err(|error| failed(&error))?;
            stops.push(gpu.clone());
        }
        Ok(Self {
            config,
            work,
            first,
            stops,
            block,
        })
    }

    /// Microseconds of a block.
    pub fn block_us(&self) -> f64 {
        self.config.microseconds(self.block)
    }

    /// Bytes that a block holds.
    pub fn context_bytes(&self) -> u64 {
        self.first.context_bytes()
    }

    /// Percent of the registers of resident warps that are dirty at each part of the first blocks' time.
    pub fn dirty_percent(&self) -> Result<Vec<f64>> {
        let mut gpu = self.first.clone();
        let mut shares = Vec::new();
        for percent in PROGRESS {
            let when = self.block * percent / 100;
            // The mean over a while: a loop changes what is dirty all the time.
            let mut looks = Vec::new();
            for look in 0..8 {
                let next = when + look * self.block / LOOKS;
                gpu.go_on(|gpu| gpu.now() >= next)
                    .map_err(|error| miette!("{error}"))?;
                looks.push(gpu.dirty_share());
            }
            shares.push(100.0 * looks.iter().sum::<f64>() / looks.len() as f64);
        }
        Ok(shares)
    }

    /// Launches the second kernel.
    fn launch(&self, case: Case, preemption: Preemption) -> Result<Vec<Freed>> {
        let clock = u64::from(self.config.clock_mhz);
        let mut gpu = self.stops[case.progress].clone();
        let at = gpu.now() + case.launch_us * clock;
        gpu.plan(at, preemption);
        gpu.until_free()
            .map_err(|error| miette!("a launch at {at}, {preemption:?}: {error}"))
    }

    /// How SMs make room under a policy.
    fn preemption(&self, policy: &str, case: Case) -> Preemption {
        let clock = u64::from(self.config.clock_mhz);
        let (choice, saves) = match policy {
            "chimera" => (Choice::Chimera, Saves::Whole),
            "chimera-dirty" => (Choice::Chimera, Saves::Dirty),
            "pep" => (Choice::Pep, Saves::Dirty),
            _ => (Choice::Pep, Saves::InPlace),
        };
        Preemption {
            saves,
            lead: case.launch_us * clock - SIGNAL_NS * clock / 1000,
            predicted: case.predicted_us * clock,
            ..self.config.preemption(choice, 0, DEADLINE_US)
        }
    }

    /// All launches under policies.
    pub fn policies(&self, names: &[&str]) -> Result<Vec<Cell>> {
        let each = names.par_iter().map(|policy| self.policy(policy));
        each.collect()
    }

    fn policy(&self, policy: &str) -> Result<Cell> {
        let mut cell = Cell {
            policy: policy.to_owned(),
            ..Cell::default()
        };
        let (mut latency, mut stopped, mut sms) = (0.0, 0, 0_u64);
        let cases = (0..PROGRESS.len()).flat_map(|progress| {
            LAUNCHES_US.into_iter().flat_map(move |launch_us| {
                PREDICTED_US.map(|predicted_us| Case {
                    launch_us,
                    predicted_us,
                    progress,
                })
            })
        });
        for case in cases {
            let freed = self.launch(case, self.preemption(policy, case))?;
            cell.runs += 1;
            // An SM on which the launch finds no block waits for nothing: the kernel has none left for it.
            let found = |freed: &&Freed| freed.preempted.drained + freed.preempted.saved > 0;
            for Freed { preempted, .. } in freed.iter().filter(found) {
                let own = self.config.microseconds(preempted.latency());
                latency += own;
                cell.worst_us = cell.worst_us.max(own);
                let twice = preempted.saved_twice;
                cell.drained += preempted.drained;
                cell.saved_once += preempted.saved - twice;
                cell.saved_twice += twice;
                cell.base_bytes += preempted.base_bytes;
                cell.other_bytes += preempted.bytes - preempted.base_bytes;
                cell.whole_bytes += preempted.whole_bytes;
                cell.bases += preempted.bases;
                stopped += preempted.stopped;
                sms += 1;
            }
        }
        cell.latency_us = latency / sms.max(1) as f64;
        cell.stopped_us = self.config.microseconds(stopped);
        Ok(cell)
    }

    /// A launch half way, without a policy: so many blocks of an SM are saved.
    fn saving(&self, saved: usize, progress: usize) -> Result<Vec<Freed>> {
        let case = Case {
            launch_us: 0,
            predicted_us: 0,
            progress,
        };
        let preemption = Preemption {
            saved,
            saves: Saves::Whole,
            ..self.config.preemption(Choice::Switch, 0, DEADLINE_US)
        };
        self.launch(case, preemption)
    }

    /// Each number of blocks of an SM is saved while the others end.
    pub fn mixed(&self) -> Result<Vec<Mixed>> {
        let all: Vec<usize> = (0..=self.work.blocks_per_sm).collect();
        let each = all.par_iter().map(|&saved| {
            let freed = self.saving(saved, 0)?;
            let mean = |of: &dyn Fn(&Freed) -> u64| {
                let sum: u64 = freed.iter().map(of).sum();
                self.config.microseconds(sum) / freed.len().max(1) as f64
            };
            let left = |freed: &Freed| {
                let launched = freed.preempted.launched;
                freed.preempted.left.saturating_sub(launched)
            };
            let last = |freed: &Freed| freed.drains.iter().map(|drain| drain.took).max();
            Ok(Mixed {
                saved,
                switch_us: mean(&left),
                drain_us: mean(&|freed| last(freed).unwrap_or(0)),
            })
        });
        each.collect()
    }

    /// What Chimera estimates when all blocks end, and when every second one does.
    pub fn estimates(&self) -> Result<Vec<Estimate>> {
        let each = [0, self.work.blocks_per_sm.div_ceil(2)].map(|saved| {
            let mut all = Vec::new();
            for progress in 0..PROGRESS.len() {
                let freed = self.saving(saved, progress)?;
                all.extend(freed.into_iter().flat_map(|freed| freed.drains));
            }
            let microseconds = |cycles: u64| self.config.microseconds(cycles);
            Ok(Estimate {
                blocks: all.len(),
                estimated_us: microseconds(all.iter().map(|drain| drain.estimate).sum()),
                took_us: microseconds(all.iter().map(|drain| drain.took).sum()),
            })
        });
        each.into_iter().collect()
    }
}

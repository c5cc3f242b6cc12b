//! What an SM measures of its thread blocks while another kernel is to be launched: how long they take, and how long each was
//! estimated to take from the launch on.

use super::super::preemption::{Blocks, Drain};

/// The block of a slot.
#[derive(Clone, Copy, Debug, Default)]
struct Running {
    began: u64,
    instructions: u64,
    /// What was estimated at the launch.
    estimate: Option<u64>,
}

/// Blocks that run, and what those that have ended took.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    running: Vec<Running>,
    /// Instructions of a block, in the mean.
    instructions: u64,
    pub ended: Blocks,
    launched: u64,
    pub drains: Vec<Drain>,
}

impl Measured {
    pub fn new(slots: usize, instructions: u64) -> Self {
        Self {
            running: vec![Running::default(); slots],
            instructions,
            ended: Blocks::default(),
            launched: 0,
            drains: Vec::new(),
        }
    }

    /// A block begins in a slot.
    pub fn begins(&mut self, slot: usize, now: u64) {
        self.running[slot] = Running {
            began: now,
            ..Running::default()
        };
    }

    /// An instruction of a slot's block is issued.
    pub fn issues(&mut self, slot: usize) {
        self.running[slot].instructions += 1;
    }

    /// The block of a slot ends.
    pub fn ends(&mut self, slot: usize, now: u64) {
        let Running {
            began, estimate, ..
        } = self.running[slot];
        self.ended.count += 1;
        self.ended.cycles += now - began;
        let took = now - self.launched;
        self.drains
            .extend(estimate.map(|estimate| Drain { estimate, took }));
    }

    /// The other kernel is launched. Chimera estimates a block's rest from its instructions (Li et al., section III-B).
    /// Those that are left are taken to need as many cycles each as those before.
    pub fn launch(&mut self, slots: impl Iterator<Item = usize>, now: u64) {
        self.launched = now;
        for slot in slots {
            let running = &mut self.running[slot];
            let left = self.instructions.saturating_sub(running.instructions);
            let cycles = left * (now - running.began);
            running.estimate = cycles.checked_div(running.instructions);
        }
    }
}

//! Traffic for the preemption policy: blocks that begin, issue and end, and queries about them.

use faultline_sim::preempt::preemption_policy::{Inputs, Outputs, Parameters, PreemptionPolicy};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod scenarios;

use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;

/// Seeded traffic.
pub struct PreemptionPolicyTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// A query was not answered yet.
    querying: bool,
    /// An answer was given in the cycle before, and not taken.
    waiting: bool,
    scenarios: Scenarios,
}

impl PreemptionPolicyTraffic {
    fn slot(&mut self) -> u64 {
        self.rng.below(1 << self.parameters.slot_bits)
    }

    /// A slot that holds a block, or does not, if there is one; now and then another one.
    fn slot_that(&mut self, model: &PreemptionPolicy, active: bool) -> u64 {
        let slots = model.slots();
        let some = self.slot() as usize;
        let found = (0..slots.len())
            .map(|offset| (some + offset) % slots.len())
            .find(|&slot| slots[slot].active == active);
        match self.rng.byte() {
            0..4 => some as u64,
            _ => found.unwrap_or(some) as u64,
        }
    }

    /// A number of any size: as many have one bit as have twenty.
    fn any(&mut self) -> u64 {
        let bits = self.rng.below(self.parameters.time_bits as u64 + 1);
        self.rng.bits() & ((1 << bits) - 1)
    }

    /// A time that is one of the block's, or about that.
    fn near(&mut self, model: &PreemptionPolicy, slot: u64) -> u64 {
        let block = model.slots()[slot as usize];
        let average = model.average().unwrap_or(2 * block.run);
        let time = match self.rng.byte() {
            0..64 => average.abs_diff(block.run),
            64..128 => average,
            128..160 => 2 * average,
            160..192 => average / 4,
            192..224 => block.run / 2,
            _ => block.run,
        };
        let about = self.rng.below(3);
        (time + about).saturating_sub(1).min(self.parameters.most())
    }

    fn time(&mut self, model: &PreemptionPolicy, slot: u64) -> u64 {
        match self.rng.chance(self.mode.near) {
            true => self.near(model, slot),
            false => self.any(),
        }
    }

    fn drive_blocks(&mut self, model: &PreemptionPolicy, inputs: &mut Inputs) {
        let once = |rng: &mut Rng, chance: u64| rng.below(1 << 16) < chance;
        inputs.begin_valid = once(&mut self.rng, self.mode.begin);
        inputs.begin_slot = self.slot_that(model, false);
        // One of four comes back, and so many leave.
        (inputs.begin_run, inputs.begin_executed) = match self.rng.byte() {
            0..64 => (self.any(), self.any()),
            _ => (0, 0),
        };
        inputs.end_leaves = self.rng.byte() < 64;
        inputs.end_valid = once(&mut self.rng, self.mode.end);
        inputs.end_slot = self.slot_that(model, true);
        if self.rng.byte() < 2 {
            inputs.end_slot = inputs.begin_slot;
        }
        inputs.launch_valid = once(&mut self.rng, self.mode.launch);
        for port in 0..2 {
            inputs.issued_valid &= !(1 << port);
            inputs.issued_valid |= u8::from(self.rng.chance(self.mode.issue)) << port;
            inputs.issued_slot[port] = self.slot_that(model, true);
        }
        if self.rng.byte() < 64 {
            inputs.issued_slot[1] = inputs.issued_slot[0];
        }
    }

    fn drive_query(&mut self, model: &PreemptionPolicy, inputs: &mut Inputs) {
        inputs.answer_ready = self.rng.chance(self.mode.take);
        if self.querying {
            return;
        }
        let slot = self.slot_that(model, true);
        inputs.query_valid = self.rng.chance(self.mode.query);
        inputs.query_slot = slot;
        inputs.query_chimera = self.rng.chance(self.mode.chimera);
        inputs.query_idempotent = self.rng.byte() < 128;
        inputs.query_launch = self.time(model, slot);
        let blocks = model.slots().iter().filter(|slot| slot.active).count() as u64;
        let switch = self.time(model, slot);
        inputs.query_switch = match inputs.query_chimera || self.rng.byte() < 64 {
            true => switch,
            false => switch / blocks.max(1),
        };
        let executed = model.slots()[slot as usize].executed;
        inputs.query_instructions = match self.rng.byte() {
            0..160 => (executed + self.rng.below(2 * executed + 2)).min(self.parameters.most()),
            _ => self.any(),
        };
        inputs.query_warm_up = self.time(model, slot) / 8;
    }
}

impl Block for PreemptionPolicy {
    type Traffic = PreemptionPolicyTraffic;

    const NAME: &'static str = "preemption_policy";

    fn parameters(config: &str) -> Option<Parameters> {
        match config {
            "16" => Some(Parameters::paper()),
            PROVED => Some(Parameters {
                slot_bits: 1,
                time_bits: 3,
                tick_bits: 1,
            }),
            _ => None,
        }
    }
}

impl Traffic for PreemptionPolicyTraffic {
    type Model = PreemptionPolicy;

    fn new(parameters: Parameters, seed: u64) -> Self {
        Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 3000),
            querying: false,
            waiting: false,
            scenarios: Scenarios::default(),
        }
    }

    fn drive(&mut self, model: &PreemptionPolicy, inputs: &mut Inputs) {
        self.mode.advance(&mut self.rng, 2000..10_000);
        inputs.reset = self.mode.resets(&mut self.rng, 32_768);
        self.drive_blocks(model, inputs);
        self.drive_query(model, inputs);
        self.count(model, inputs);
        self.count_answer(model, inputs);
    }

    fn observe(&mut self, _: &PreemptionPolicy, inputs: &Inputs, outputs: &Outputs) {
        self.querying = inputs.query_valid && !outputs.query_ready && !inputs.reset;
        self.waiting = outputs.answer_valid && !outputs.query_ready;
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}

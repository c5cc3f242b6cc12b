//! The reference model of the preemption policy: its page (`docs/blocks/preemption_policy.md`) as plain data.

use crate::ports::Model;

mod interface;

pub use interface::{Case, Inputs, Outputs, Parameters};

/// A thread block in a slot, or what is left of the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// It has not ended.
    pub active: bool,
    /// Ticks for which it has run.
    pub run: u64,
    /// Instructions that it has issued.
    pub executed: u64,
}

/// What the policy makes of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The times of finished blocks were known, and used.
    pub profiled: bool,
    /// Ticks for which the block has run.
    pub run: u64,
    /// Ticks for which it will run.
    pub remaining: u64,
    /// Ticks that a whole block takes.
    pub whole: u64,
    /// Ticks that saving takes.
    pub switch: u64,
    /// What is done.
    pub case: Case,
}

/// The policy.
#[derive(Clone, Debug)]
pub struct PreemptionPolicy {
    parameters: Parameters,
    cycle: u64,
    slots: Vec<Slot>,
    /// The time of a block that ended in the cycle before.
    ended: Option<u64>,
    /// Eight times the average time of blocks.
    average: Option<u64>,
    /// What is answered, and cycles until then.
    answer: Option<(Estimate, u64)>,
}

impl PreemptionPolicy {
    /// The slots.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The average time of blocks, in ticks, if one has ended.
    #[must_use]
    pub fn average(&self) -> Option<u64> {
        self.average.map(|eighths| eighths / 8)
    }

    /// What is answered, and cycles until then.
    #[must_use]
    pub const fn answer(&self) -> Option<(Estimate, u64)> {
        self.answer
    }

    const fn most(&self) -> u64 {
        self.parameters.most()
    }

    /// What is made of a query, and the cycles that it takes.
    fn consider(&self, inputs: &Inputs) -> (Estimate, u64) {
        let slot = self.slots[inputs.query_slot as usize];
        let blocks = match inputs.query_chimera {
            true => 1,
            false => self.slots.iter().filter(|slot| slot.active).count() as u64,
        };
        let left = inputs.query_instructions.saturating_sub(slot.executed);
        let (switch, first) = self.ratio(blocks, inputs.query_switch, 1);
        let is_rate = slot.run > 0 && slot.executed < self.most();
        let executed = if is_rate { slot.executed } else { 0 };
        let (by_instructions, second) = self.ratio(left, slot.run, executed);
        let profile = self.average().filter(|_| !inputs.query_chimera);
        let remaining = match profile {
            Some(average) => average.saturating_sub(slot.run),
            None => by_instructions,
        };
        let whole = profile.unwrap_or_else(|| (slot.run + remaining).min(self.most()));
        let mut estimate = Estimate {
            profiled: profile.is_some(),
            run: slot.run,
            remaining,
            whole,
            switch,
            case: Case::Drain,
        };
        estimate.case = match inputs.query_chimera {
            true => Case::of_chimera(&estimate, inputs.query_launch, inputs.query_idempotent),
            false => Case::of_pep(&estimate, inputs.query_launch, inputs.query_warm_up),
        };
        (estimate, first + second + 6)
    }

    /// `a` x `b` / `c`, and the cycles that it takes: one for each bit of the product, and one for each of the quotient, if
    /// that has no more bits than a number.
    fn ratio(&self, a: u64, b: u64, c: u64) -> (u64, u64) {
        let bits = self.parameters.time_bits as u64;
        match (a * b).checked_div(c).filter(|&found| found <= self.most()) {
            Some(found) => (found, 2 * bits),
            None => (self.most(), bits + 1),
        }
    }

    fn outputs(&self, inputs: &Inputs) -> Outputs {
        let ending = self.slots[inputs.end_slot as usize];
        let outputs = Outputs {
            end_run: ending.run,
            end_executed: ending.executed,
            ..Outputs::default()
        };
        let Some((estimate, 0)) = self.answer else {
            return outputs;
        };
        Outputs {
            query_ready: inputs.answer_ready,
            answer_valid: true,
            answer_case: estimate.case as u64,
            answer_remaining: estimate.remaining,
            answer_switch: estimate.switch,
            ..outputs
        }
    }

    fn act(&mut self, inputs: &Inputs, outputs: &Outputs) {
        // The query.
        self.answer = match self.answer {
            None => inputs.query_valid.then(|| self.consider(inputs)),
            Some(_) if outputs.query_ready => None,
            Some((estimate, wait)) => Some((estimate, wait.saturating_sub(1))),
        };

        // The average.
        if let Some(time) = self.ended.take() {
            self.average = Some(match self.average {
                None => 8 * time,
                Some(eighths) => eighths - eighths / 8 + time,
            });
        }
        let ending = self.slots[inputs.end_slot as usize];
        let ends = inputs.end_valid && !inputs.end_leaves && ending.active;
        self.ended = ends.then_some(ending.run);
        if inputs.launch_valid {
            (self.average, self.ended) = (None, None);
        }

        // The slots.
        let tick =
            self.cycle % self.parameters.cycles_of_tick() == self.parameters.cycles_of_tick() - 1;
        let most = self.most();
        for (number, slot) in self.slots.iter_mut().enumerate() {
            let is = |other: u64| other as usize == number;
            if slot.active {
                let issued = (0..2)
                    .filter(|port| inputs.issued_valid >> port & 1 == 1)
                    .filter(|&port: &usize| is(inputs.issued_slot[port]))
                    .count() as u64;
                slot.executed = (slot.executed + issued).min(most);
                slot.run = (slot.run + u64::from(tick)).min(most);
            }
            if inputs.end_valid && is(inputs.end_slot) {
                slot.active = false;
            }
            if inputs.begin_valid && is(inputs.begin_slot) {
                *slot = Slot {
                    active: true,
                    run: inputs.begin_run,
                    executed: inputs.begin_executed,
                };
            }
        }
        self.cycle += 1;
    }
}

impl Model for PreemptionPolicy {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            cycle: 0,
            slots: vec![Slot::default(); 1 << parameters.slot_bits],
            ended: None,
            average: None,
            answer: None,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let outputs = self.outputs(inputs);
        if inputs.reset {
            *self = Self::new(self.parameters);
            return outputs;
        }
        self.act(inputs, &outputs);
        outputs
    }
}

//! A preemption policy that tests drive by hand, in all back ends at once.

use faultline_sim::preempt::preemption_policy::{Case, Inputs, Outputs, Parameters};

use crate::bench::Bench;
use crate::blocks::{self, PreemptionPolicy};

/// This is a preemption policy in all back ends, with the steps that tests take.
pub struct Policy {
    bench: Bench<PreemptionPolicy>,
    /// These are the inputs of the next cycle. What happens to blocks happens once.
    pub inputs: Inputs,
    /// This is the number of cycles so far.
    pub cycle: u64,
}

/// This is what the policy answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The remaining time was estimated in this case.
    pub case: Case,
    /// The blocks run for this number of ticks.
    pub remaining: u64,
    /// Saving the blocks takes this number of ticks.
    pub switch: u64,
    /// The answer came after this number of cycles.
    pub cycles: u64,
}

impl Policy {
    /// Builds a policy of a configuration that knows nothing; its answers are taken.
    ///
    /// # Panics
    /// If there is no such configuration, or the back ends differ.
    #[must_use]
    pub fn new(config: &str) -> Self {
        let mut policy = Self {
            bench: blocks::bench::<PreemptionPolicy>(config).unwrap(),
            inputs: Inputs::default(),
            cycle: 0,
        };
        policy.inputs.reset = true;
        policy.cycle();
        policy.inputs.reset = false;
        policy.cycle = 0;
        policy.inputs.answer_ready = true;
        policy
    }

    /// Gives the sizes of the block.
    fn parameters(&self) -> Parameters {
        *self.bench.parameters()
    }

    /// Runs a cycle with `inputs`, and gives the outputs that all back ends agree on.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn cycle(&mut self) -> Outputs {
        let outputs = self.bench.run(&self.inputs);
        self.inputs.launch_valid = false;
        self.inputs.begin_valid = false;
        self.inputs.end_valid = false;
        self.inputs.issued_valid = 0;
        self.cycle += 1;
        outputs
    }

    /// Lets cycles pass until the next is the first of a tick, and then this number of ticks.
    pub fn ticks(&mut self, ticks: u64) {
        let cycles = self.parameters().cycles_of_tick();
        while !self.cycle.is_multiple_of(cycles) {
            self.cycle();
        }
        for _ in 0..ticks * cycles {
            self.cycle();
        }
    }

    /// Runs a cycle in which a block begins in a slot.
    pub fn begin(&mut self, slot: u64) {
        (self.inputs.begin_valid, self.inputs.begin_slot) = (true, slot);
        self.cycle();
    }

    /// Runs a cycle in which the block of a slot ends.
    pub fn end(&mut self, slot: u64) {
        (self.inputs.end_valid, self.inputs.end_slot) = (true, slot);
        self.cycle();
    }

    /// Runs a cycle in which a kernel is launched.
    pub fn launch(&mut self) {
        self.inputs.launch_valid = true;
        self.cycle();
    }

    /// Lets the block of a slot issue instructions, two in a cycle.
    pub fn issue(&mut self, slot: u64, instructions: u64) {
        self.inputs.issued_slot = [slot; 2];
        for _ in 0..instructions / 2 {
            self.inputs.issued_valid = 3;
            self.cycle();
        }
        self.inputs.issued_valid = (instructions % 2) as u8;
        self.cycle();
    }

    /// Lets a block run for this number of ticks and end, in a slot of its own.
    pub fn profile(&mut self, ticks: u64) {
        let slot = (1 << self.parameters().slot_bits) - 1;
        self.ticks(0);
        self.begin(slot);
        self.ticks(ticks - 1);
        self.end(slot);
        self.cycle();
    }

    /// Queries what `inputs` hold, and waits for the answer.
    ///
    /// # Panics
    /// If there is none within 1,000 cycles.
    pub fn query(&mut self) -> Answer {
        self.inputs.query_valid = true;
        let queried = self.cycle;
        loop {
            let outputs = self.cycle();
            if !outputs.answer_valid {
                assert!(self.cycle < queried + 1000, "no answer");
                continue;
            }
            self.inputs.query_valid = false;
            return Answer {
                case: Case::ALL[outputs.answer_case as usize],
                remaining: outputs.answer_remaining,
                switch: outputs.answer_switch,
                cycles: self.cycle - 1 - queried,
            };
        }
    }
}

//! What the preemption policy answers about the blocks of a kernel that run in step.

use super::subject::Subject;
use crate::ports::Model;
use crate::preempt::preemption_policy::{Case, Inputs, Parameters, PreemptionPolicy};

/// The query, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// What PEP does if the kernel comes after a number of cycles.
    Pep {
        /// Cycles from now to the kernel.
        launch: u64,
    },
    /// What Chimera does with a block that must not begin from the start, if the SM is to be free after a number of cycles.
    Chimera {
        /// Cycles from now to the deadline.
        deadline: u64,
    },
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What is done.
    pub case: Case,
    /// Cycles until the block ends, as the policy knows it.
    pub remaining: u64,
    /// Cycles that the answer has taken.
    pub cycles: u64,
}

/// A block in its slot.
#[derive(Clone, Copy, Debug)]
struct Running {
    /// Cycles since its begin.
    run: u64,
    /// Parts of its next instruction.
    issued: f64,
}

/// The policy, and the blocks that it follows.
#[derive(Clone, Debug)]
pub struct Chooser {
    policy: PreemptionPolicy,
    blocks: Vec<Running>,
    block: u64,
    rate: f64,
    /// Ticks that the context of a block takes.
    switch: u64,
    instructions: u64,
    warm_up: u64,
}

impl Chooser {
    /// A policy that has seen blocks of the kernel end, whose next ones have just begun.
    #[must_use]
    pub fn new(subject: &Subject) -> Self {
        let parameters = Parameters::paper();
        let tick = parameters.cycles_of_tick();
        let mut chooser = Self {
            policy: PreemptionPolicy::new(parameters),
            blocks: Vec::new(),
            block: subject.block,
            rate: subject.rate(),
            switch: (subject.switch as f64 / (subject.blocks * tick) as f64).round() as u64,
            instructions: subject.instructions().min(parameters.most()),
            warm_up: subject.warm_up() / tick,
        };
        for slot in 0..subject.blocks {
            let inputs = Inputs {
                begin_valid: true,
                begin_slot: slot,
                ..Inputs::default()
            };
            chooser.cycle(inputs);
            chooser.blocks.push(Running {
                run: 0,
                issued: 0.0,
            });
        }
        while chooser.policy.average().is_none() || chooser.blocks[0].run > chooser.block / 2 {
            chooser.cycle(Inputs::default());
        }
        chooser
    }

    /// A number of cycles go by.
    pub fn advance(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle(Inputs::default());
        }
    }

    /// Cycles for which the first block has run.
    #[must_use]
    pub fn run(&self) -> u64 {
        self.blocks[0].run
    }

    /// Queries about a block.
    pub fn query(&mut self, slot: u64, query: Query) -> Answer {
        let tick = Parameters::paper().cycles_of_tick();
        let (chimera, launch) = match query {
            Query::Pep { launch } => (false, launch),
            Query::Chimera { deadline } => (true, deadline),
        };
        let mut cycles = 0;
        loop {
            cycles += 1;
            let outputs = self.cycle(Inputs {
                query_valid: true,
                query_slot: slot,
                query_chimera: chimera,
                query_launch: launch / tick,
                query_switch: self.switch,
                query_instructions: self.instructions,
                query_warm_up: self.warm_up,
                answer_ready: true,
                ..Inputs::default()
            });
            if outputs.answer_valid {
                return Answer {
                    case: Case::ALL[outputs.answer_case as usize % Case::ALL.len()],
                    remaining: outputs.answer_remaining * tick,
                    cycles,
                };
            }
        }
    }

    /// A cycle in which the blocks run, issue, end and begin.
    fn cycle(&mut self, mut inputs: Inputs) -> crate::preempt::preemption_policy::Outputs {
        for (slot, block) in self.blocks.iter_mut().enumerate() {
            block.run += 1;
            block.issued += self.rate;
            let port = inputs.issued_valid.count_ones() as usize;
            if block.issued >= 1.0 && port < 2 {
                block.issued -= 1.0;
                inputs.issued_valid |= 1 << port;
                inputs.issued_slot[port] = slot as u64;
            }
            // One block in a cycle.
            if block.run >= self.block && !inputs.end_valid {
                (inputs.end_valid, inputs.begin_valid) = (true, true);
                (inputs.end_slot, inputs.begin_slot) = (slot as u64, slot as u64);
                *block = Running {
                    run: 0,
                    issued: 0.0,
                };
            }
        }
        self.policy.cycle(&inputs)
    }
}

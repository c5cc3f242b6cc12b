//! A replay queue that tests drive by hand, in all back ends at once.

use faultline_sim::sm::replay_queue::{Inputs, Instruction, Outputs, Parameters};

use crate::bench::Bench;
use crate::blocks::{self, ReplayQueue};

/// Within this number of cycles anything has happened that will.
const SOON: usize = 1000;

/// This is a replay queue in all back ends, with the steps that tests take.
pub struct Queue {
    bench: Bench<ReplayQueue>,
}

/// Gives an instruction of a warp with a program counter of its own; a slot has four warps.
#[must_use]
pub fn instruction(warp: u8, pc: u32) -> Instruction {
    Instruction {
        warp,
        slot: warp / 4,
        pc,
        opcode: 7,
        destination: 1,
        address_register: 2,
        data_register: 255,
        mask: !pc,
        log_address: 3,
        log_data: 4,
    }
}

impl Queue {
    /// Builds the queue of a configuration, and resets it.
    ///
    /// # Panics
    /// If there is no such configuration, or the back ends differ.
    #[must_use]
    pub fn new(config: &str) -> Self {
        let mut queue = Self {
            bench: blocks::bench::<ReplayQueue>(config).unwrap(),
        };
        queue.cycle(&Inputs {
            reset: true,
            ..Inputs::default()
        });
        queue
    }

    /// Gives the sizes of the queue.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        *self.bench.parameters()
    }

    /// Runs a cycle with these inputs, and gives the outputs that all back ends agree on.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.bench.run(inputs)
    }

    /// Runs a cycle without any request.
    pub fn rest(&mut self) -> Outputs {
        self.cycle(&Inputs::default())
    }

    /// Offers an instruction for a cycle; it may come from a saved context.
    pub fn offer(&mut self, instruction: &Instruction, restored: bool) -> Outputs {
        let mut inputs = Inputs::default();
        inputs.insert(instruction, restored);
        self.cycle(&inputs)
    }

    /// Inserts an instruction, and gives its entry.
    ///
    /// # Panics
    /// If it is refused.
    pub fn insert(&mut self, instruction: &Instruction) -> u8 {
        let outputs = self.offer(instruction, false);
        assert!(outputs.insert_ready, "{instruction:?} was refused");
        outputs.insert_index
    }

    /// Inserts an instruction that comes from a saved context.
    ///
    /// # Panics
    /// If it is refused.
    pub fn restore(&mut self, instruction: &Instruction) {
        assert!(
            self.offer(instruction, true).insert_ready,
            "{instruction:?} was refused"
        );
    }

    /// Tells that the last TLB check of the instruction in this entry has succeeded.
    pub fn check(&mut self, index: u8) {
        self.cycle(&Inputs {
            checked_valid: true,
            checked_index: index,
            ..Inputs::default()
        });
    }

    /// Tells that the instruction in this entry has faulted.
    pub fn fault(&mut self, index: u8) {
        self.cycle(&Inputs {
            faulted_valid: true,
            faulted_index: index,
            ..Inputs::default()
        });
    }

    /// Tells that the instruction in this entry is committed.
    pub fn commit(&mut self, index: u8) {
        self.cycle(&Inputs {
            committed_valid: true,
            committed_index: index,
            ..Inputs::default()
        });
    }

    /// Tells whether an unchecked instruction of the warp reads the register.
    pub fn held(&mut self, warp: u8, register: u8) -> bool {
        self.cycle(&Inputs {
            held_warp: warp,
            held_register: register,
            ..Inputs::default()
        })
        .held
    }

    /// Requests a replay of a warp, and returns whether it was accepted.
    pub fn resume(&mut self, warp: u8) -> bool {
        self.cycle(&Inputs {
            resume_valid: true,
            resume_warp: warp,
            ..Inputs::default()
        })
        .resume_ready
    }

    /// Requests a save of a slot, and returns whether it was accepted.
    pub fn save(&mut self, slot: u8) -> bool {
        self.cycle(&Inputs {
            save_valid: true,
            save_slot: slot,
            ..Inputs::default()
        })
        .save_ready
    }

    /// Takes all that is offered until the scan ends; gives the entries with their instructions, and the cycles that it
    /// took.
    ///
    /// # Panics
    /// If the scan does not end within 1,000 cycles.
    pub fn take_all(&mut self) -> (Vec<(u8, Instruction)>, usize) {
        let mut taken = Vec::new();
        for cycle in 1..SOON {
            let outputs = self.cycle(&Inputs {
                replay_ready: true,
                saved_ready: true,
                ..Inputs::default()
            });
            if outputs.replay_valid || outputs.saved_valid {
                taken.push((outputs.entry_index, outputs.entry()));
            }
            if outputs.replay_done || outputs.save_done {
                return (taken, cycle);
            }
        }
        panic!("the scan does not end");
    }

    /// Replays a warp, and gives the entries in the order in which they were presented.
    ///
    /// # Panics
    /// If the replay is refused.
    pub fn replay(&mut self, warp: u8) -> Vec<u8> {
        assert!(self.resume(warp), "the resume of warp {warp} was refused");
        self.take_all()
            .0
            .into_iter()
            .map(|(index, _)| index)
            .collect()
    }

    /// Saves a slot, and gives its instructions in the order in which they were presented.
    ///
    /// # Panics
    /// If the save is refused.
    pub fn save_all(&mut self, slot: u8) -> Vec<Instruction> {
        assert!(self.save(slot), "the save of slot {slot} was refused");
        self.take_all()
            .0
            .into_iter()
            .map(|(_, instruction)| instruction)
            .collect()
    }

    /// Waits for an offer.
    ///
    /// # Panics
    /// If there is none within 1,000 cycles.
    pub fn next_offer(&mut self) -> Outputs {
        let offers = |outputs: &Outputs| outputs.replay_valid || outputs.saved_valid;
        (0..SOON)
            .map(|_| self.rest())
            .find(offers)
            .expect("nothing is offered")
    }
}

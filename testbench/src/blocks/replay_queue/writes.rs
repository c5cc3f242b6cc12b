//! An instruction in each cycle: the most that a replay queue can receive.

use std::collections::VecDeque;

use faultline_sim::sm::replay_queue::{Inputs, Instruction, Outputs, Parameters, ReplayQueue};

use crate::session::Coverage;
use crate::traffic::{Rng, Traffic};

/// Cycles between insert and check, and between check and commit: short enough for a queue of 16 entries.
const CHECKED_AFTER: usize = 4;
const COMMITTED_AFTER: usize = 4;

/// Random instructions of all warps in turn, one in each cycle: each is inserted, checked, and commits.
pub struct Writes {
    parameters: Parameters,
    rng: Rng,
    cycle: u64,
    unchecked: VecDeque<u8>,
    checked: VecDeque<u8>,
    writes: u64,
}

impl Writes {
    fn instruction(&mut self) -> Instruction {
        let warp = (self.cycle % (1 << self.parameters.warp_bits)) as u8;
        let zero = self.parameters.zero_register();
        let slot = self.parameters.warp_bits - self.parameters.slot_bits;
        let bits = self.rng.bits().to_le_bytes();
        Instruction {
            warp,
            slot: warp >> slot,
            pc: self.rng.bits() as u32,
            opcode: bits[0],
            destination: bits[1] & zero,
            address_register: bits[2] & zero,
            data_register: bits[3] & zero,
            mask: self.rng.bits() as u32,
            log_address: bits[4] & 127,
            log_data: bits[5] & 127,
        }
    }
}

impl Traffic for Writes {
    type Model = ReplayQueue;

    fn new(parameters: Parameters, seed: u64) -> Self {
        Self {
            parameters,
            rng: Rng::new(seed),
            cycle: 0,
            unchecked: VecDeque::new(),
            checked: VecDeque::new(),
            writes: 0,
        }
    }

    fn drive(&mut self, _: &ReplayQueue, inputs: &mut Inputs) {
        *inputs = Inputs::default();
        inputs.reset = self.cycle < 2;
        if !inputs.reset {
            let instruction = self.instruction();
            inputs.insert(&instruction, false);
        }
        inputs.checked_valid = self.unchecked.len() > CHECKED_AFTER;
        inputs.checked_index = self.unchecked.front().copied().unwrap_or_default();
        inputs.committed_valid = self.checked.len() > COMMITTED_AFTER;
        inputs.committed_index = self.checked.front().copied().unwrap_or_default();
        // The issue queries an instruction's destination while it inserts it.
        (inputs.held_warp, inputs.held_register) = (inputs.insert_warp, inputs.insert_destination);
        self.cycle += 1;
    }

    fn observe(&mut self, _: &ReplayQueue, inputs: &Inputs, outputs: &Outputs) {
        if inputs.committed_valid {
            self.checked.pop_front();
        }
        if inputs.checked_valid {
            self.checked.extend(self.unchecked.pop_front());
        }
        if inputs.insert_valid && outputs.insert_ready {
            self.unchecked.push_back(outputs.insert_index);
            self.writes += 1;
        }
    }

    fn coverage(&self) -> Coverage {
        vec![("writes", self.writes)]
    }

    fn source(seed: u64) -> String {
        format!("an instruction in each cycle and seed {seed}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::session::Stimulus as _;
    use crate::traffic::Driven;

    #[test]
    fn every_queue_is_written_in_each_cycle() {
        for entries in [16, 32, 64, 128] {
            let parameters = Parameters::with_entries(entries);
            let mut frame = vec![0; Layout::of::<ReplayQueue>(&parameters).input_words()];
            let mut writes = Driven::<Writes>::new(parameters, 1);
            (0..1000).for_each(|_| writes.next(&mut frame));
            // Two cycles are reset.
            assert_eq!(writes.coverage(), [("writes", 998)], "{entries} entries");
        }
    }
}

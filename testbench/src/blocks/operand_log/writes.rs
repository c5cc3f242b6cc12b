//! A write in each cycle: what the paper takes for the power of a log.

use std::collections::VecDeque;

use faultline_sim::sm::operand_log::{Inputs, OperandLog, Outputs, Parameters};

use crate::session::Coverage;
use crate::traffic::{Rng, Traffic};

/// Cycles for which an entry is held: fewer than there are slots, so that each finds its entry free again.
const HELD: usize = 8;

/// Loads of all slots in turn, one in each cycle: each takes an entry, writes 32 random lanes to it, and gives it back.
pub struct Writes {
    parameters: Parameters,
    rng: Rng,
    cycle: u64,
    /// The slots of the allocations that are under way.
    requested: VecDeque<u8>,
    /// Entries that are to be written, with their slots.
    taken: VecDeque<(u8, u8)>,
    /// Entries that were written.
    held: VecDeque<(u8, u8)>,
    writes: u64,
}

impl Traffic for Writes {
    type Model = OperandLog;

    fn new(parameters: Parameters, seed: u64) -> Self {
        Self {
            parameters,
            rng: Rng::new(seed),
            cycle: 0,
            requested: VecDeque::new(),
            taken: VecDeque::new(),
            held: VecDeque::new(),
            writes: 0,
        }
    }

    fn drive(&mut self, _: &OperandLog, inputs: &mut Inputs) {
        let slots = self.parameters.slots();
        inputs.reset = self.cycle < 2;
        inputs.launch_valid = self.cycle == 2;
        inputs.launch_entries = (self.parameters.entries / slots) as u8;
        inputs.allocate_valid = self.cycle > 2;
        inputs.allocate_slot = (self.cycle % slots as u64) as u8;
        inputs.write_valid = !self.taken.is_empty();
        if let Some((_, entry)) = self.taken.front() {
            inputs.write_entry = *entry;
            let lanes = self.parameters.words / 2;
            inputs.write_data[..lanes].fill_with(|| self.rng.bits());
        }
        inputs.release_valid = self.held.len() > HELD;
        if let Some((slot, entry)) = self.held.front() {
            (inputs.release_slot, inputs.release_entry) = (*slot, *entry);
        }
        self.cycle += 1;
    }

    fn observe(&mut self, _: &OperandLog, inputs: &Inputs, outputs: &Outputs) {
        if inputs.release_valid {
            self.held.pop_front();
        }
        if inputs.write_valid && outputs.write_ready {
            self.held.extend(self.taken.pop_front());
            self.writes += 1;
        }
        if outputs.allocated_valid
            && let Some(slot) = self.requested.pop_front()
        {
            self.taken.push_back((slot, outputs.allocated_address));
        }
        if inputs.allocate_valid && outputs.allocate_ready {
            self.requested.push_back(inputs.allocate_slot);
        }
    }

    fn coverage(&self) -> Coverage {
        vec![("writes", self.writes)]
    }

    fn source(seed: u64) -> String {
        format!("a write in each cycle and seed {seed}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::session::Stimulus as _;
    use crate::traffic::Driven;

    #[test]
    fn every_log_is_written_in_each_cycle() {
        for entries in [32, 64, 80, 128] {
            let parameters = Parameters::with_entries(entries);
            let mut frame = vec![0; Layout::of::<OperandLog>(&parameters).input_words()];
            let mut writes = Driven::<Writes>::new(parameters, 1);
            (0..1000).for_each(|_| writes.next(&mut frame));
            // Five cycles pass before the first one.
            assert_eq!(writes.coverage(), [("writes", 995)], "{entries} entries");
        }
    }
}

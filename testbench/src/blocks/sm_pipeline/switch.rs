//! Thread blocks that leave and come back: traffic that saves one, and restores some of its instructions.

use std::collections::VecDeque;

use faultline_sim::sm::sm_pipeline::{Inputs, Outputs, SmPipeline};

use super::SmPipelineTraffic;

/// Most instructions that are kept outside.
const KEPT: usize = 32;

/// An instruction that left.
#[derive(Clone, Copy, Debug)]
struct Saved {
    store: bool,
    destination: u8,
    sources: [u8; 2],
    pc: u32,
    mask: u32,
    opcode: u8,
}

/// What leaves and what comes back.
#[derive(Clone, Debug, Default)]
pub struct Switch {
    /// The slot that is to be saved, and whether the save was accepted.
    saving: Option<(u8, bool)>,
    /// The warp whose instruction is on offer.
    restoring: Option<u8>,
    kept: VecDeque<Saved>,
}

impl Switch {
    /// Whether a warp of a slot may not go on.
    pub fn needs(&self, warp: u8, slot: u8) -> bool {
        self.restoring == Some(warp) || self.saving == Some((slot, true))
    }
}

impl Switch {
    /// The slot that is to be saved or is being saved.
    pub fn saving(&self) -> Option<u8> {
        self.saving.map(|(slot, _)| slot)
    }

    /// The warp that receives an instruction back, as long as nothing says that it may not.
    pub const fn restoring(&mut self) -> &mut Option<u8> {
        &mut self.restoring
    }
}

impl SmPipelineTraffic {
    pub(super) fn save_and_restore(&mut self, model: &SmPipeline, inputs: &mut Inputs) {
        if self.switch.saving.is_none() && self.rng.chance(self.mode.save) {
            let block = self.rng.below(self.slots.len() as u64) as usize;
            self.switch.saving = Some((self.slots[block], false));
        }
        // A save that is not accepted is given up at some time, for its warps may run for long.
        if let Some((_, false)) = self.switch.saving
            && self.rng.chance(16)
        {
            self.switch.saving = None;
        }
        let requested = self.switch.saving.filter(|(_, accepted)| !accepted);
        let resumes = |slot: u8| self.resuming.is_some_and(|warp| self.slot(warp) == slot);
        inputs.save_valid = requested.is_some_and(|(slot, _)| !resumes(slot));
        inputs.save_slot = match self.switch.saving {
            Some((slot, _)) => slot,
            None => inputs.save_slot,
        };
        inputs.saved_ready = self.rng.chance(self.mode.saved);
        self.restore(model, inputs);
    }

    fn restore(&mut self, model: &SmPipeline, inputs: &mut Inputs) {
        if self.switch.restoring.is_none() && self.rng.chance(self.mode.restore) {
            let warp = self.rng.below(self.parameters.warps as u64) as u8;
            let slot = self.slot(warp);
            // A warp gets back no more than it can have had in flight.
            let free = model.is_drained(warp)
                && model.queued(warp) < self.parameters.entries
                && !model.is_replaying(warp)
                && self.resuming != Some(warp)
                && self.switch.saving.is_none_or(|(saving, _)| saving != slot);
            self.switch.restoring = (free && !self.switch.kept.is_empty()).then_some(warp);
        }
        inputs.restore_valid = self.switch.restoring.is_some();
        let saved = self.switch.kept.front();
        if let Some((warp, saved)) = self.switch.restoring.zip(saved) {
            inputs.restore_warp = warp;
            inputs.restore_slot = self.slot(warp);
            inputs.restore_store = saved.store;
            inputs.restore_destination = saved.destination;
            [inputs.restore_source_a, inputs.restore_source_b] = saved.sources;
            inputs.restore_pc = saved.pc;
            inputs.restore_mask = saved.mask;
            inputs.restore_opcode = saved.opcode;
        }
    }

    pub(super) fn saved_and_restored(&mut self, inputs: &Inputs, outputs: &Outputs) {
        if inputs.save_valid && outputs.save_ready {
            self.switch.saving = Some((inputs.save_slot, true));
        } else if outputs.save_done {
            self.switch.saving = None;
        }
        if inputs.restore_valid && outputs.restore_ready {
            self.switch.restoring = None;
            self.switch.kept.pop_front();
        }
        if outputs.saved_valid && inputs.saved_ready && self.switch.kept.len() < KEPT {
            self.switch.kept.push_back(Saved {
                store: outputs.saved_store,
                destination: outputs.saved_destination,
                sources: [outputs.saved_source_a, outputs.saved_source_b],
                pc: outputs.saved_pc,
                mask: outputs.saved_mask,
                opcode: outputs.saved_opcode,
            });
        }
    }
}

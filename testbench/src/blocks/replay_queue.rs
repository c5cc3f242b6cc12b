//! Traffic for the replay queue: an SM in fast motion, with thread blocks that leave and come back.

use std::collections::VecDeque;

use faultline_sim::sm::replay_queue::{
    Inputs, Instruction, Outputs, Parameters, ReplayQueue, State,
};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod messages;
mod modes;
mod scenarios;
mod writes;

pub use writes::Writes;

use messages::Messages;
use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;

/// A block that is on its way out of the SM, or back.
#[derive(Default)]
struct Move {
    /// The slot whose save is requested, or that is being saved.
    saving: Option<u8>,
    accepted: bool,
    /// What was saved, with the warps of its new slot once it comes back.
    saved: VecDeque<Instruction>,
    restoring: Option<u8>,
    elsewhere: bool,
}

impl Move {
    fn concerns(&self, slot: u8) -> bool {
        self.saving == Some(slot) || self.restoring == Some(slot)
    }
}

/// Seeded traffic.
pub struct ReplayQueueTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    paused: bool,
    first_warp: u8,
    inserting: Option<(Instruction, bool)>,
    resuming: Option<u8>,
    moving: Move,
    replayed: u128,
    /// Entries that get no message, so that they grow old, and how long the issue has been stalled.
    stragglers: u128,
    stalled: u32,
    warp_waits: bool,
    warp_too_old: bool,
    messages: Messages,
    scenarios: Scenarios,
}

impl ReplayQueueTraffic {
    fn slot_of(&self, warp: u8) -> u8 {
        warp >> self
            .parameters
            .warp_bits
            .saturating_sub(self.parameters.slot_bits)
    }

    fn warp(&mut self) -> u8 {
        let all = u8::MAX >> (8 - self.parameters.warp_bits);
        self.first_warp
            .wrapping_add(self.rng.byte() & ((1 << self.mode.warp_bits) - 1))
            & all
    }

    fn register(&mut self) -> u8 {
        match self.rng.byte() {
            0..64 => self.parameters.zero_register(),
            64..192 => self.rng.byte() & 7 & self.parameters.zero_register(),
            _ => self.rng.byte() & self.parameters.zero_register(),
        }
    }

    fn instruction(&mut self) -> Instruction {
        let warp = self.warp();
        let bits = self.rng.bits();
        let [a, b, c, d, opcode, log_address, log_data, _] = self.rng.bits().to_le_bytes();
        Instruction {
            warp,
            slot: self.slot_of(warp),
            pc: bits as u32,
            opcode,
            destination: self.register(),
            address_register: self.register(),
            data_register: self.register(),
            mask: (bits >> 32) as u32 ^ u32::from_le_bytes([a, b, c, d]),
            log_address: log_address & 127,
            log_data: log_data & 127,
        }
    }

    fn live(&self, model: &ReplayQueue) -> u128 {
        !model.free() & (u128::MAX >> (128 - self.parameters.entries))
    }

    /// An entry that is in use, if there is one.
    fn entry(&mut self, model: &ReplayQueue) -> Option<(u8, State, Instruction)> {
        let live = self.live(model);
        let mut index = self.rng.pick(live)?;
        if self.mode.in_order {
            index = model.oldest(model.state(index.into())?.1.warp)?;
        }
        model
            .state(index.into())
            .map(|(state, instruction)| (index, state, *instruction))
    }

    fn drive_insert(&mut self, model: &ReplayQueue, inputs: &mut Inputs) {
        if self.rng.chance(self.mode.pause) {
            self.paused = !self.paused;
        }
        let give_up = match &self.inserting {
            Some((instruction, restored)) => {
                (!restored && self.moving.concerns(instruction.slot)) || self.rng.chance(4)
            }
            None => true,
        };
        if give_up && !matches!(self.inserting, Some((_, true))) {
            self.inserting = None;
            if self.moving.restoring.is_some() && self.rng.chance(160) {
                self.inserting = self
                    .moving
                    .saved
                    .front()
                    .map(|instruction| (*instruction, true));
            } else if !self.paused && self.rng.chance(self.mode.insert) {
                let mut instruction = self.instruction();
                if self.mode.many_candidates {
                    instruction.slot =
                        self.first_warp & (u8::MAX >> (8 - self.parameters.slot_bits));
                    if !self.moving.concerns(instruction.slot) {
                        self.inserting = Some((instruction, self.rng.chance(160)));
                    }
                } else if self.mode.chaos {
                    instruction.slot ^= self.rng.byte() & 1;
                    self.inserting = Some((instruction, self.rng.chance(64)));
                } else if !self.moving.concerns(instruction.slot) {
                    self.inserting = Some((instruction, false));
                }
            }
        }
        inputs.insert_valid = false;
        if let Some((instruction, restored)) = &self.inserting {
            inputs.insert(instruction, *restored);
        }
        self.warp_waits = model.waits(inputs.insert_warp);
        self.warp_too_old = model.is_too_old(inputs.insert_warp);
    }

    fn drive_requests(&mut self, model: &ReplayQueue, inputs: &mut Inputs) {
        let given_up = self.rng.chance(2);
        if given_up
            || self
                .resuming
                .is_some_and(|warp| self.moving.concerns(self.slot_of(warp)))
        {
            self.resuming = None;
        }
        if self.resuming.is_none() && self.rng.chance(self.mode.resume) {
            self.resuming = match self.entry(model) {
                Some((_, State::Waiting, instruction)) => Some(instruction.warp),
                Some((_, _, instruction)) if self.mode.chaos => Some(instruction.warp),
                _ => self.rng.chance(8).then(|| self.warp()),
            }
            .filter(|&warp| self.mode.chaos || !self.moving.concerns(self.slot_of(warp)));
        }
        let moving = self.moving.saving.is_some() || self.moving.restoring.is_some();
        // A crowd is saved once the queue is full.
        let may_save = !moving && (!self.mode.many_candidates || model.free() == 0);
        if may_save && self.rng.chance(self.mode.save) {
            let slot = match self.entry(model) {
                Some((_, _, instruction)) if self.rng.chance(240) => instruction.slot,
                _ => {
                    let warp = self.warp();
                    self.slot_of(warp)
                }
            };
            self.moving.saving = Some(slot);
        }
        inputs.resume_valid = self.resuming.is_some();
        inputs.resume_warp = self.resuming.unwrap_or(inputs.resume_warp);
        inputs.save_valid = self.moving.saving.is_some() && !self.moving.accepted;
        inputs.save_slot = self.moving.saving.unwrap_or(inputs.save_slot);
        inputs.replay_ready = self.rng.chance(self.mode.take);
        inputs.saved_ready = self.rng.chance(self.mode.take);
    }

    fn drive_query(&mut self, model: &ReplayQueue, inputs: &mut Inputs) {
        match self.entry(model) {
            Some((_, _, instruction)) => {
                inputs.held_warp = instruction.warp;
                inputs.held_register = match self.rng.byte() {
                    0..100 => instruction.address_register,
                    100..200 => instruction.data_register,
                    _ => self.register(),
                };
            }
            None => inputs.held_warp = self.warp(),
        }
    }

    /// The saved block comes back, to another slot if one is empty.
    fn bring_back(&mut self, model: &ReplayQueue) {
        let moving = &mut self.moving;
        let old = moving.saving.take().unwrap_or(0);
        moving.accepted = false;
        if self.mode.many_candidates {
            moving.saved.clear();
        }
        if moving.saved.is_empty() {
            return;
        }
        let warps_per_slot = self
            .parameters
            .warp_bits
            .saturating_sub(self.parameters.slot_bits);
        let slots = 1u8 << self.parameters.slot_bits.min(self.parameters.warp_bits);
        let mut slot = (old + 1 + self.rng.byte() % slots) % slots;
        let first = slot << warps_per_slot;
        let empty = (first..first + (1 << warps_per_slot)).all(|warp| model.length(warp) == 0);
        if !empty
            || self
                .inserting
                .is_some_and(|(instruction, _)| instruction.slot == slot)
        {
            slot = old;
        }
        moving.elsewhere = slot != old;
        moving.restoring = Some(slot);
        for instruction in &mut moving.saved {
            instruction.slot = slot;
            instruction.warp =
                (slot << warps_per_slot) | (instruction.warp & ((1 << warps_per_slot) - 1));
        }
    }

    /// After a reset nothing is under way.
    fn forget(&mut self) {
        self.inserting = None;
        self.resuming = None;
        self.moving = Move::default();
        self.replayed = 0;
    }

    fn follow(&mut self, model: &ReplayQueue, inputs: &Inputs, outputs: &Outputs) {
        if inputs.insert_valid && outputs.insert_ready {
            if inputs.insert_restored
                && self.moving.restoring.is_some()
                && !self.moving.saved.is_empty()
            {
                self.moving.saved.pop_front();
                self.scenarios.restored_into_another_slot += u64::from(self.moving.elsewhere);
                if self.moving.saved.is_empty() {
                    self.moving = Move::default();
                }
            }
            self.inserting = None;
            self.replayed &= !(1 << outputs.insert_index);
        }
        if inputs.resume_valid && outputs.resume_ready {
            self.resuming = None;
        }
        if outputs.replay_valid && inputs.replay_ready {
            self.replayed |= 1 << outputs.entry_index;
        }
        if inputs.save_valid && outputs.save_ready {
            self.moving.accepted = true;
        }
        if outputs.saved_valid && inputs.saved_ready {
            let entry = outputs.entry();
            let several = self
                .moving
                .saved
                .back()
                .is_some_and(|last| last.warp != entry.warp);
            self.scenarios.save_of_several_warps += u64::from(several);
            self.moving.saved.push_back(entry);
        }
        if outputs.save_done {
            self.scenarios.save_of_an_empty_slot += u64::from(self.moving.saved.is_empty());
            self.bring_back(model);
        }
    }
}

impl Block for ReplayQueue {
    type Traffic = ReplayQueueTraffic;

    const NAME: &'static str = "replay_queue";

    fn parameters(config: &str) -> Option<Parameters> {
        if config == PROVED {
            let narrow = Parameters::with_entries(4);
            return Some(Parameters {
                age_bits: 2,
                ..narrow
            });
        }
        Some(Parameters::with_entries(config.parse().ok()?))
    }
}

impl Traffic for ReplayQueueTraffic {
    type Model = ReplayQueue;

    fn new(parameters: Parameters, seed: u64) -> Self {
        Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 300),
            paused: false,
            first_warp: 0,
            inserting: None,
            resuming: None,
            moving: Move::default(),
            replayed: 0,
            stragglers: 0,
            stalled: 0,
            warp_waits: false,
            warp_too_old: false,
            messages: Messages::default(),
            scenarios: Scenarios::default(),
        }
    }

    fn drive(&mut self, model: &ReplayQueue, inputs: &mut Inputs) {
        if self.mode.advance(&mut self.rng, 100..1000) {
            self.first_warp = self.rng.byte();
        }
        inputs.reset = self.mode.cycle() < 3 || (self.mode.chaos && self.rng.below(1000) == 0);
        self.drive_stragglers(model, inputs);
        self.drive_messages(model, inputs);
        self.drive_insert(model, inputs);
        self.drive_requests(model, inputs);
        self.drive_query(model, inputs);
    }

    fn observe(&mut self, model: &ReplayQueue, inputs: &Inputs, outputs: &Outputs) {
        self.count(model, inputs, outputs);
        self.stalled = if inputs.insert_valid && !outputs.insert_ready {
            self.stalled + 1
        } else {
            0
        };
        if inputs.reset {
            self.forget();
        } else {
            self.follow(model, inputs, outputs);
        }
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}

//! The messages: checks, faults and commits, some of which make no sense.

use faultline_sim::sm::replay_queue::{Inputs, Instruction, ReplayQueue, State};

use super::ReplayQueueTraffic;
use super::modes::Mode;

/// Cycles of a stalled issue after which a straggler goes on.
const PATIENCE: u32 = 3;

/// What the messages of a cycle will do.
#[derive(Default)]
pub(super) struct Messages {
    pub(super) ignored: bool,
    pub(super) commits_unchecked: bool,
    pub(super) faults_replayed: bool,
}

impl ReplayQueueTraffic {
    /// An entry for a message, mostly one for which it means something.
    fn target(&mut self, model: &ReplayQueue, wanted: State) -> Option<u8> {
        if self.mode.chaos && self.rng.chance(64) {
            return Some(self.any_index());
        }
        // In a crowd almost all wait, and the few in flight keep the save waiting.
        let tries = if self.mode.many_candidates { 16 } else { 1 };
        (0..tries).find_map(|_| {
            let (index, state, instruction) = self.entry(model)?;
            if self.stragglers & (1 << index) != 0 && !self.is_wanted(model, &instruction) {
                return None;
            }
            let fits = state == wanted || (self.mode.stragglers && state != State::Waiting);
            (fits || self.rng.chance(20)).then_some(index)
        })
    }

    /// Something waits until the warp or the block of an instruction has drained.
    fn is_wanted(&self, model: &ReplayQueue, instruction: &Instruction) -> bool {
        model.waits(instruction.warp) || self.moving.concerns(instruction.slot)
    }

    /// Some entries get no message until an instruction has the greatest age, and stalls the issue.
    pub(super) fn drive_stragglers(&mut self, model: &ReplayQueue, inputs: &Inputs) {
        if !self.mode.stragglers {
            self.stragglers = 0;
        } else if self.stalled > PATIENCE {
            let oldest = model.oldest(inputs.insert_warp);
            self.stragglers &= !oldest.map_or(0, |index| 1 << index);
        } else if self.rng.chance(8) {
            self.stragglers |= 1 << self.any_index();
        }
    }

    fn any_index(&mut self) -> u8 {
        self.rng.byte() & (self.parameters.entries - 1) as u8
    }

    /// Several messages name one entry.
    fn drive_collision(&mut self, model: &ReplayQueue, inputs: &mut Inputs) {
        let Some(index) = self.target(model, State::Unchecked) else {
            return;
        };
        let kinds = self.rng.byte() & 7;
        if kinds & 1 != 0 {
            (inputs.checked_valid, inputs.checked_index) = (true, index);
        }
        if kinds & 2 != 0 {
            (inputs.faulted_valid, inputs.faulted_index) = (true, index);
        }
        if kinds & 4 != 0 {
            (inputs.committed_valid, inputs.committed_index) = (true, index);
        }
    }

    /// What the pipeline reports of the instructions.
    pub(super) fn drive_messages(&mut self, model: &ReplayQueue, inputs: &mut Inputs) {
        let message = |traffic: &mut Self, chance, wanted| {
            let target = if traffic.rng.chance(chance) {
                traffic.target(model, wanted)
            } else {
                None
            };
            // A message that is not valid may name anything.
            let index = target.unwrap_or_else(|| traffic.any_index());
            (target.is_some(), index)
        };
        (inputs.checked_valid, inputs.checked_index) =
            message(self, self.mode.check, State::Unchecked);
        (inputs.faulted_valid, inputs.faulted_index) =
            message(self, self.mode.fault, State::Unchecked);
        (inputs.committed_valid, inputs.committed_index) =
            message(self, self.mode.commit, State::Checked);
        let collision = match self.mode.now() {
            Mode {
                many_candidates: true,
                ..
            } => 96,
            Mode { chaos: true, .. } => 32,
            // A fault would end the wait for the greatest age.
            Mode {
                stragglers: true, ..
            } => 0,
            _ => 6,
        };
        if self.rng.chance(collision) {
            self.drive_collision(model, inputs);
        }
        let state = |index: u8| model.state(index.into()).map(|(state, _)| state);
        let in_flight = |index| matches!(state(index), Some(State::Unchecked | State::Checked));
        self.messages = Messages {
            ignored: (inputs.checked_valid && !in_flight(inputs.checked_index))
                || (inputs.committed_valid && !in_flight(inputs.committed_index))
                || (inputs.faulted_valid && state(inputs.faulted_index) != Some(State::Unchecked)),
            commits_unchecked: inputs.committed_valid
                && state(inputs.committed_index) == Some(State::Unchecked),
            faults_replayed: inputs.faulted_valid
                && self.replayed & (1 << inputs.faulted_index) != 0,
        };
    }
}

//! Thread blocks that leave the SM in the middle of their work, and come back: the saved context is what their warps
//! and shared memory hold, and what the pipeline saves, squashed instructions and their operands.

use std::collections::VecDeque;

use super::blocks::Block;
use super::machine::Sm;
use super::outcome::SmError;
use super::resident::Resident;
use crate::operand_log::Operand;
use crate::simt::{Operands, Shared, Warp};
use crate::sm_pipeline::{Class, Inputs, Outputs, Scheme};

/// Times that blocks leave at most: who is always on the move does no work.
const MOST: u64 = 20;

/// A squashed instruction outside of the SM.
#[derive(Clone, Debug)]
struct Saved {
    /// The number of its warp in the block.
    number: usize,
    /// Its place in the warp.
    position: usize,
    outputs: Box<Outputs>,
    operands: Vec<Operand>,
}

/// A warp outside of the SM.
#[derive(Clone, Debug)]
struct Away {
    resident: Resident,
    values: Option<Warp>,
    /// Lines that what it has to do again accesses, and whether it writes them.
    lines: Vec<(u64, bool)>,
}

/// A thread block outside of the SM.
#[derive(Clone, Debug)]
struct Context {
    block: Block,
    warps: Vec<Away>,
    shared: Option<Shared>,
    instructions: VecDeque<Saved>,
}

/// What is going on.
#[derive(Clone, Debug, Default)]
enum Phase {
    #[default]
    Nothing,
    /// The warps of a slot are told to stop.
    Stopping { slot: usize, warps: Vec<u8> },
    /// They drain, and the save is asked for.
    Draining { slot: usize },
    /// Instructions leave, each behind its operands.
    Saving {
        slot: usize,
        instructions: VecDeque<Saved>,
        operands: Vec<Operand>,
    },
    /// The warps come to a slot, where they do not run yet, and then the instructions.
    Restoring {
        slot: usize,
        warps: Vec<u8>,
        instructions: VecDeque<Saved>,
        /// An instruction that reads its operands in this cycle.
        read: Option<Saved>,
    },
}

/// Blocks that leave and come back.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    random: fastrand::Rng,
    rate: f64,
    phase: Phase,
    away: VecDeque<Context>,
    /// Blocks that left so far, and squashed instructions that came back with them.
    pub left: u64,
    pub restored: u64,
}

impl Switch {
    pub fn new(rate: f64, seed: u64) -> Self {
        Self {
            random: fastrand::Rng::with_seed(!seed),
            rate,
            phase: Phase::Nothing,
            away: VecDeque::new(),
            left: 0,
            restored: 0,
        }
    }

    /// Whether every block is on the SM.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Nothing) && self.away.is_empty()
    }

    /// The slot whose warps may not go on.
    pub fn holds(&self) -> Option<usize> {
        match self.phase {
            Phase::Nothing => None,
            Phase::Stopping { slot, .. }
            | Phase::Draining { slot }
            | Phase::Saving { slot, .. }
            | Phase::Restoring { slot, .. } => Some(slot),
        }
    }
}

impl Sm<'_> {
    /// Chooses a block that is to leave.
    pub(super) fn choose_leaver(&mut self) {
        if self.switch.left == MOST
            || !matches!(self.switch.phase, Phase::Nothing)
            || self.switch.random.f64() >= self.switch.rate
        {
            return;
        }
        let slot = self.switch.random.usize(0..self.slots.len());
        let warps = self.warps_of(slot);
        let starts = self.starts.iter().any(|warp| warps.contains(warp));
        let resumes = self.offered.is_some_and(|warp| warps.contains(&warp));
        if !warps.is_empty() && !starts && !resumes {
            self.switch.phase = Phase::Stopping { slot, warps };
        }
    }

    /// The warps of a slot that are there.
    fn warps_of(&self, slot: usize) -> Vec<u8> {
        let mine = |warp: &Option<Resident>| warp.as_ref().is_some_and(|warp| warp.slot == slot);
        (0u8..)
            .zip(&self.warps)
            .filter(|(_, warp)| mine(warp))
            .map(|(warp, _)| warp)
            .collect()
    }

    /// Brings a block back to a slot that is free; false if none comes.
    pub(super) fn bring_back(&mut self, slot: usize) -> bool {
        let others = self.next_block < self.work.blocks.len();
        if !matches!(self.switch.phase, Phase::Nothing)
            || self.switch.away.is_empty()
            || (others && self.switch.random.bool())
        {
            return false;
        }
        let Some(context) = self.switch.away.pop_front() else {
            return false;
        };
        let mut warps = Vec::new();
        for away in context.warps {
            let mut resident = away.resident;
            resident.slot = slot;
            let warp = slot * self.work.warps_per_block + resident.number;
            if let Some(values) = &mut self.values {
                values.place_warp(warp, away.values);
            }
            self.memory.place_faulted(warp, away.lines);
            self.warps[warp] = Some(resident);
            warps.push(warp as u8);
        }
        if let (Some(values), Some(shared)) = (&mut self.values, context.shared) {
            values.place_block(slot, shared);
        }
        self.slots[slot] = Some(context.block);
        self.switch.phase = Phase::Restoring {
            slot,
            warps,
            instructions: context.instructions,
            read: None,
        };
        true
    }

    /// What a switch puts on the pipeline's ports.
    pub(super) fn switch_inputs(&mut self, inputs: &mut Inputs) {
        inputs.saved_ready = self.switch.random.bool();
        match &mut self.switch.phase {
            Phase::Nothing => {}
            Phase::Stopping { slot, warps } => {
                let slot = *slot;
                if inputs.stop_valid {
                    return;
                }
                match warps.pop() {
                    // One that has ended in the meantime is not there any more.
                    Some(warp) if self.warps[usize::from(warp)].is_some() => {
                        (inputs.stop_valid, inputs.stop_warp) = (true, warp);
                    }
                    Some(_) => {}
                    None => self.switch.phase = Phase::Draining { slot },
                }
            }
            Phase::Draining { slot } => {
                let slot = *slot;
                let drained = |warp: &Resident| {
                    warp.flying == 0 && warp.replays.is_empty() && warp.position == warp.issued
                };
                let mut warps = self.warps.iter().flatten().filter(|warp| warp.slot == slot);
                let stays = |block: &Block| block.leaving == 0;
                inputs.save_valid =
                    warps.all(drained) && self.slots[slot].as_ref().is_some_and(stays);
                inputs.save_slot = slot as u8;
            }
            Phase::Saving { .. } => {}
            Phase::Restoring {
                slot,
                warps,
                instructions,
                ..
            } => {
                if let Some(&warp) = warps.last() {
                    if !inputs.stop_valid && self.pipeline.is_drained(warp) {
                        warps.pop();
                        (inputs.start_valid, inputs.start_warp) = (true, warp);
                        inputs.start_slot = *slot as u8;
                        (inputs.stop_valid, inputs.stop_warp) = (true, warp);
                    }
                } else if let Some(saved) = instructions.front() {
                    let of = &saved.outputs;
                    inputs.restore_valid = true;
                    inputs.restore_warp = (*slot * self.work.warps_per_block + saved.number) as u8;
                    inputs.restore_slot = *slot as u8;
                    inputs.restore_store = of.saved_store;
                    inputs.restore_destination = of.saved_destination;
                    inputs.restore_source_a = of.saved_source_a;
                    inputs.restore_source_b = of.saved_source_b;
                    inputs.restore_pc = of.saved_pc;
                    inputs.restore_mask = of.saved_mask;
                    inputs.restore_opcode = of.saved_opcode;
                }
            }
        }
    }

    /// What a switch makes of what the pipeline shows.
    pub(super) fn switch_reaction(
        &mut self,
        inputs: &Inputs,
        outputs: &Outputs,
    ) -> Result<(), SmError> {
        match &mut self.switch.phase {
            Phase::Nothing | Phase::Stopping { .. } => {}
            Phase::Draining { slot } => {
                let slot = *slot;
                if self.slots[slot].is_none() {
                    self.switch.phase = Phase::Nothing;
                } else if inputs.save_valid && outputs.save_ready {
                    self.switch.phase = Phase::Saving {
                        slot,
                        instructions: VecDeque::new(),
                        operands: Vec::new(),
                    };
                }
            }
            Phase::Saving { .. } => self.save(inputs, outputs)?,
            Phase::Restoring { .. } => self.restore(inputs, outputs)?,
        }
        Ok(())
    }

    fn save(&mut self, inputs: &Inputs, outputs: &Outputs) -> Result<(), SmError> {
        let Phase::Saving {
            slot,
            instructions,
            operands,
        } = &mut self.switch.phase
        else {
            return Ok(());
        };
        let slot = *slot;
        if outputs.spilled_valid {
            operands.push(outputs.logged_data);
        }
        if outputs.saved_valid && inputs.saved_ready {
            let warp = outputs.saved_warp;
            let before = instructions.iter();
            let operands = std::mem::take(operands);
            let resident = self.warps[usize::from(warp)].as_ref();
            let next = resident.and_then(|resident| {
                let before = before.filter(|saved| saved.number == resident.number);
                let position = *resident.uncommitted.get(before.count())?;
                Some((resident, position))
            });
            let needed = match (self.parameters.pipeline.scheme, outputs.saved_store) {
                (Scheme::OperandLog, store) => 1 + usize::from(store),
                _ => 0,
            };
            let Some((resident, position)) = next.filter(|_| operands.len() == needed) else {
                return Err(self.broken(warp, "it saves what has not faulted"));
            };
            let step = &resident.steps[position];
            let instruction = self.work.instruction(step);
            let as_traced = |(data, operand): (usize, &Operand)| {
                self.values.is_some() || *operand == step.traced_operand(data == 1)
            };
            let same = outputs.saved_pc == instruction.pc
                && outputs.saved_mask == step.mask
                && outputs.saved_store == (instruction.class == Class::Store)
                && outputs.saved_destination == instruction.destination
                && [outputs.saved_source_a, outputs.saved_source_b] == instruction.sources[..2]
                && u32::from(outputs.saved_opcode) == step.instruction & 0x7f
                && operands.iter().enumerate().all(as_traced);
            if !same {
                return Err(self.broken(warp, "it saves another instruction than has faulted"));
            }
            instructions.push_back(Saved {
                number: resident.number,
                position,
                outputs: Box::new(outputs.clone()),
                operands,
            });
        }
        if outputs.save_done {
            self.leave_slot(slot)?;
        }
        Ok(())
    }

    /// A block leaves, with all that belongs to it.
    fn leave_slot(&mut self, slot: usize) -> Result<(), SmError> {
        let phase = std::mem::take(&mut self.switch.phase);
        let (Phase::Saving { instructions, .. }, Some(block)) = (phase, self.slots[slot].take())
        else {
            return Ok(());
        };
        let queues = self.parameters.pipeline.scheme.queues();
        let mut warps = Vec::new();
        for warp in self.warps_of(slot) {
            let Some(resident) = self.warps[usize::from(warp)].take() else {
                continue;
            };
            let saved = instructions.iter();
            let saved = saved.filter(|saved| saved.number == resident.number);
            if queues && saved.count() != resident.uncommitted.len() {
                return Err(self.broken(warp, "it leaves instructions behind"));
            }
            self.faulted.retain(|&other| other != warp);
            warps.push(Away {
                resident,
                values: self
                    .values
                    .as_mut()
                    .and_then(|values| values.take_warp(usize::from(warp))),
                lines: self.memory.take_faulted(warp),
            });
        }
        let shared = self.values.as_mut().map(|values| values.take_block(slot));
        self.switch.left += 1;
        self.switch.away.push_back(Context {
            block,
            warps,
            shared,
            instructions,
        });
        Ok(())
    }

    fn restore(&mut self, inputs: &Inputs, outputs: &Outputs) -> Result<(), SmError> {
        let Phase::Restoring {
            slot,
            warps,
            instructions,
            read,
        } = &mut self.switch.phase
        else {
            return Ok(());
        };
        let slot = *slot;
        let reads = read.take();
        if inputs.restore_valid && outputs.restore_ready {
            *read = instructions.pop_front();
            self.switch.restored += 1;
        }
        let waits = read.is_some() || !warps.is_empty() || !instructions.is_empty();
        if let Some(saved) = reads {
            // Where it is in the scoreboard is shown at operand read.
            let warp = (slot * self.work.warps_per_block + saved.number) as u8;
            let entry = outputs.read_entry[0] as u8;
            let Some(resident) = self.warp(warp) else {
                return Err(self.broken(warp, "it restores a warp that is not there"));
            };
            if !resident.takes_off(entry, saved.position, true) {
                return Err(self.broken(warp, "two instructions have the same entry"));
            }
            let has_values = self.values.is_some();
            if let Some(flight) = self.warp(warp).and_then(|warp| warp.flight(entry)) {
                let mut operands = Operands::default();
                for (value, operand) in operands.values.iter_mut().zip(&saved.operands) {
                    *value = *operand;
                }
                flight.operands = has_values.then(|| Box::new(operands));
            }
        }
        if waits {
            return Ok(());
        }
        // Everything is back; the warps go on as they go on after a fault.
        let now = self.now;
        for warp in self.warps_of(slot) {
            let faulted = self.warp(warp).and_then(|resident| resident.faulted);
            self.fault(warp, faulted.unwrap_or(now));
        }
        self.switch.phase = Phase::Nothing;
        Ok(())
    }
}

//! The SM: what it makes of what the pipeline shows in a cycle.

use super::below::Below;
use super::machine::Sm;
use super::memory_unit::Tag;
use super::outcome::SmError;
use super::parameters::{Recovery, Response};
use super::resident::Resident;
use super::values::{Accessed, Computed};
use super::work::{Instruction, Kind};
use crate::simt::Lanes;
use crate::sm::scoreboard::ZERO_REGISTER;
use crate::sm::sm_pipeline::{Class, Inputs, Outputs, Scheme, WIDTH};

impl<B: Below> Sm<'_, B> {
    /// A warp has fetched its next instruction, which it may not while the one before stops its fetch.
    fn fetched(&mut self, warp: u8) -> Result<(), SmError> {
        let work = self.work;
        let commits = self.parameters.pipeline.scheme == Scheme::WarpDisableCommit;
        let Some(resident) = self.warp(warp) else {
            return Ok(());
        };
        let before = resident.position.checked_sub(1);
        resident.position += 1;
        let resident = &*resident;
        let stops = before.is_some_and(|before| {
            let class = work.instruction(&resident.steps[before]).class;
            let under_way = resident.issued <= before || resident.uncommitted.contains(&before);
            under_way && (class == Class::Control || (commits && class.is_global()))
        });
        match stops {
            true => Err(self.broken(
                warp,
                "it fetches behind an instruction that stops its fetch",
            )),
            false => Ok(()),
        }
    }

    pub(super) fn react(&mut self, inputs: &Inputs, outputs: &Outputs) -> Result<(), SmError> {
        for port in 0..WIDTH {
            if outputs.fetch_valid[port] & inputs.fetched_valid[port] == 1 {
                self.fetched(outputs.fetch_warp[port] as u8)?;
            }
        }
        // Of two instructions of a warp, the port that serves it has the older one.
        let own = |port: usize| outputs.read_warp[port] as usize % WIDTH == port;
        let ports = if own(0) { [0, 1] } else { [1, 0] };
        for port in ports
            .into_iter()
            .filter(|&port| outputs.read_valid[port] == 1)
        {
            self.read(outputs, port)?;
        }
        if outputs.revert_valid {
            self.revert(outputs.revert_warp, outputs.revert_count)?;
        }
        // What was squashed before it was executed leaves the stage when another instruction is at its front.
        let squashed = outputs.memory_front && outputs.memory_squashed;
        let front = squashed.then_some((outputs.memory_warp, outputs.memory_entry));
        if let Some((warp, entry)) = self.squashed.filter(|_| self.squashed != front)
            && let Some(resident) = self.warp(warp)
        {
            resident.lands(entry);
        }
        self.squashed = front;
        if outputs.memory_valid && inputs.memory_ready {
            let tag = Tag {
                warp: outputs.memory_warp,
                entry: outputs.memory_entry,
                slot: outputs.memory_slot,
                index: outputs.memory_index,
                log_address: outputs.memory_log_address,
                log_data: outputs.memory_log_data,
                class: Class::of(outputs.memory_class.into()),
            };
            if !self.is_executed(tag, outputs) {
                return Err(
                    self.broken(tag.warp, "it executes another instruction than was issued")
                );
            }
            let flight = self
                .warp(tag.warp)
                .and_then(|resident| resident.flight(tag.entry));
            let Some(flight) = flight else {
                return Err(self.broken(tag.warp, "it executes what was not issued"));
            };
            flight.tag = tag;
            if flight.awaited > 0 {
                self.handed = Some(tag);
            } else {
                self.begin_access(tag, self.now)?;
            }
        }
        self.core.split(self.now);
        let is_own = self
            .core
            .joined()
            .is_none_or(|joined| joined.is_of_another().0);
        if inputs.checked_valid
            && outputs.checked_ready
            && is_own
            && let Some(tag) = self.checks.pop_front()
            && let Some(over) = self.core.reported(tag)
        {
            self.units
                .finishes(tag.warp, tag.entry, over.max(self.now + 1));
        }
        if inputs.resume_valid && outputs.resume_ready {
            self.resume(inputs.resume_warp)?;
        }
        self.switch_reaction(inputs, outputs)
    }

    /// An instruction reads its operands.
    fn read(&mut self, outputs: &Outputs, port: usize) -> Result<(), SmError> {
        let (now, work) = (self.now, self.work);
        let warp = outputs.read_warp[port] as u8;
        let entry = outputs.read_entry[port] as u8;
        let replayed = outputs.read_replayed[port] == 1;
        let logged = replayed && self.parameters.pipeline.scheme == Scheme::OperandLog;
        let sources = [
            outputs.read_source_a[port],
            outputs.read_source_b[port],
            outputs.read_source_c[port],
        ];
        if let Some(joined) = self.core.joined_mut().filter(|_| replayed) {
            joined.replays(warp, now);
        }
        let restarted = &mut self.fault_times;
        let resident = self.warps.get_mut(usize::from(warp));
        let Some(resident) = resident.and_then(Option::as_mut) else {
            return Err(self.broken(warp, "it issues for a warp that is not there"));
        };
        let position = if replayed {
            resident.replays.pop_front()
        } else {
            let fetched = resident.issued < resident.position;
            fetched.then_some(resident.issued)
        };
        let Some(position) = position else {
            return Err(self.broken(warp, "it issues what was not fetched, or did not fault"));
        };
        let step = &resident.steps[position];
        let (instruction, mask) = (work.instruction(step), step.mask);
        let same = outputs.read_pc[port] == u64::from(instruction.pc)
            && outputs.read_mask[port] == u64::from(mask)
            && outputs.read_class[port] == instruction.class as u64
            && outputs.read_opcode[port] == u64::from(step.instruction & 0x7f)
            && outputs.read_destination[port] == u64::from(instruction.destination)
            && sources == sources_of(instruction, replayed).map(u64::from);
        if !same {
            return Err(self.broken(warp, "it issues another instruction than comes next"));
        }
        if !resident.fault_times.is_empty() && resident.faulted.is_none() {
            for since in resident.fault_times.drain(..) {
                restarted.add(now - since);
            }
        }
        if !replayed {
            resident.issued += 1;
            resident.uncommitted.push_back(position);
        }
        if !resident.takes_off(entry, position, replayed) {
            return Err(self.broken(warp, "two instructions have the same entry"));
        }
        let slot = resident.slot;
        if self.values.is_some() {
            self.in_order(warp, position)?;
        }
        if let Some(values) = &mut self.values {
            let pc = instruction.pc;
            let resident = self.warps[usize::from(warp)].as_mut();
            if let Some(flight) = resident.and_then(|resident| resident.flight(entry)) {
                if instruction.class.is_memory() {
                    flight.operands = Some(values.read(warp, pc, logged));
                } else {
                    match values.compute(warp, pc, mask) {
                        Computed::Write(write) => flight.write = Some(write),
                        Computed::Branch(taken) => flight.taken = Some(taken),
                        Computed::Nothing => {}
                    }
                }
            }
        }
        if logged {
            if let Some(flight) = self.warp(warp).and_then(|resident| resident.flight(entry)) {
                flight.awaited = if instruction.class == Class::Store {
                    2
                } else {
                    1
                };
            }
            self.logged.push_back((warp, entry));
        }
        if instruction.kind == Kind::Barrier {
            if let Some(resident) = self.warp(warp) {
                resident.waits = true;
            }
            if let Some(block) = &mut self.slots[slot] {
                block.arrived += 1;
            }
            self.pass_barrier(slot);
        }
        if !instruction.class.is_memory() {
            self.units.begin(instruction.class, port, warp, entry, now);
        }
        Ok(())
    }

    /// Whether what goes to the memory unit is what was issued as this warp's and entry's.
    fn is_executed(&self, tag: Tag, outputs: &Outputs) -> bool {
        let resident = self.warps[usize::from(tag.warp)].as_ref();
        resident.is_some_and(|resident| {
            let flight = resident.flights[usize::from(tag.entry)].as_ref();
            flight.is_some_and(|flight| {
                let step = &resident.steps[flight.position];
                let instruction = self.work.instruction(step);
                tag.class == instruction.class
                    && outputs.memory_pc == instruction.pc
                    && outputs.memory_mask == step.mask
                    && u32::from(outputs.memory_opcode) == step.instruction & 0x7f
                    && outputs.memory_replayed == flight.replayed
            })
        })
    }

    /// Whether everything that an instruction depends on has committed.
    fn in_order(&self, warp: u8, position: usize) -> Result<(), SmError> {
        let Some(resident) = &self.warps[usize::from(warp)] else {
            return Ok(());
        };
        let of = |position: usize| self.work.instruction(&resident.steps[position]);
        let instruction = of(position);
        let mut older = resident
            .uncommitted
            .iter()
            .filter(|&&other| other < position);
        let waits = older.any(|&other| {
            let written = of(other).destination;
            written != ZERO_REGISTER
                && (written == instruction.destination || instruction.sources.contains(&written))
        });
        match waits && self.parameters.recovery == Recovery::Scheme {
            true => Err(self.broken(warp, "an instruction is issued before what it depends on")),
            false => Ok(()),
        }
    }

    /// The source goes back.
    fn revert(&mut self, warp: u8, count: u8) -> Result<(), SmError> {
        let disables = self.parameters.pipeline.scheme.disables();
        let Some(resident) = self.warp(warp) else {
            return Err(self.broken(warp, "it reverts a warp that is not there"));
        };
        resident.position = resident.position.saturating_sub(count.into());
        if disables {
            resident.issued = resident.issued.min(resident.position);
        }
        match resident.position == resident.issued {
            true => Ok(()),
            false => Err(self.broken(warp, "it reverts to another instruction than comes next")),
        }
    }

    /// An operand comes from the log.
    pub(super) fn logged(&mut self, operand: Lanes) -> Result<(), SmError> {
        let Some(&(warp, entry)) = self.logged.front() else {
            return Err(self.broken(0, "the log gives what nobody has requested"));
        };
        let Some(resident) = self.warps[usize::from(warp)].as_mut() else {
            return Err(self.broken(warp, "the log gives an operand of a warp that is not there"));
        };
        let steps = resident.steps.clone();
        let Some(flight) = resident.flight(entry) else {
            return Err(self.broken(warp, "the log gives an operand of no instruction"));
        };
        let step = &steps[flight.position];
        let store = self.work.instruction(step).class == Class::Store;
        let data = store && flight.awaited == 1;
        flight.awaited -= 1;
        if flight.awaited == 0 {
            self.logged.pop_front();
        }
        match &mut flight.operands {
            Some(operands) => operands.values[usize::from(data)] = operand,
            None if operand != step.traced_operand(data) => {
                return Err(self.broken(warp, "the log gives another operand than it was given"));
            }
            None => {}
        }
        Ok(())
    }

    /// The memory unit begins with an instruction, in the cycle in which it was handed over, or in the next one with an
    /// operand from the log.
    pub(super) fn begin_access(&mut self, tag: Tag, handed: u64) -> Result<(), SmError> {
        let Tag { warp, entry, .. } = tag;
        let Some(resident) = self.warps[usize::from(warp)].as_mut() else {
            return Err(self.broken(warp, "it executes for a warp that is not there"));
        };
        let Resident {
            steps,
            flights,
            handled,
            ..
        } = resident;
        let flight = flights[usize::from(entry)].as_mut();
        let Some(flight) = flight.filter(|flight| flight.awaited == 0) else {
            return Err(self.broken(warp, "an operand has not come from the log"));
        };
        let step = &steps[flight.position];
        let instruction = self.work.instruction(step);
        let pc = instruction.pc;
        if let Kind::Raising(_) = instruction.kind {
            let is_masked = self.parameters.exceptions.response == Response::Masked;
            let values = self.values.as_mut().zip(flight.operands.as_ref());
            let mut lanes = step.chosen();
            if let Some((values, operands)) = values {
                lanes = values.raising(pc, operands, step.mask);
                flight.write = values.result(pc, operands, step.mask);
            }
            if is_masked || handled.contains(&flight.position) {
                lanes = 0;
            }
            self.core.begin_raising(tag, lanes, self.now);
        } else if tag.class.is_global() {
            let values = self.values.as_ref().zip(flight.operands.as_ref());
            let access =
                values.and_then(|(values, operands)| values.access(pc, operands, step.mask));
            let addresses = match access {
                Some(access) => access.addresses,
                None => step.traced_operand(false),
            };
            let bit = 1u64.checked_shl(step.instruction).unwrap_or(0);
            let faults = self.fault_once & bit != 0;
            self.fault_once &= !bit;
            let lanes = (step.mask, &addresses);
            self.core
                .begin(tag, instruction.kind, lanes, faults, self.now);
        } else {
            if let (Some(values), Some(operands)) = (&mut self.values, &flight.operands) {
                flight.write = values.perform(step, pc, operands, Accessed::Slot(tag.slot.into()));
            }
            self.units
                .finishes(warp, entry, handed + self.parameters.timing.shared);
        }
        Ok(())
    }

    /// A warp goes on after a fault.
    fn resume(&mut self, warp: u8) -> Result<(), SmError> {
        self.offered = None;
        self.faulted.retain(|&other| other != warp);
        self.core.resumed(warp);
        let queues = self.parameters.pipeline.scheme.queues();
        let work = self.work;
        let Some(resident) = self.warp(warp) else {
            return Err(self.broken(warp, "it resumes a warp that is not there"));
        };
        resident.faulted = None;
        if let Some(oldest) = resident.squashed_from.take() {
            (resident.position, resident.issued) = (oldest, oldest);
            resident.uncommitted.clear();
        }
        let all_replayed = resident.replays.is_empty();
        resident.replays = resident.uncommitted.clone();
        let steps = &resident.steps;
        let global = |&position: &usize| work.instruction(&steps[position]).class.is_global();
        let sound = resident.replays.iter().all(global) && (queues || resident.replays.is_empty());
        match all_replayed && sound {
            true => Ok(()),
            false => Err(self.broken(warp, "it resumes a warp that is not drained")),
        }
    }
}

/// The registers that an instruction names at operand read. The replay queue keeps those of the address and the data.
fn sources_of(instruction: &Instruction, replayed: bool) -> [u8; 3] {
    let [address, data, third] = instruction.sources;
    [address, data, if replayed { ZERO_REGISTER } else { third }]
}

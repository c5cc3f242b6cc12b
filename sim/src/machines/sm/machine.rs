//! The SM: what it puts on the pipeline's ports in a cycle.

use std::collections::{HashSet, VecDeque};

use super::alone::Alone;
use super::below::Below;
use super::blocks::Block;
use super::comparison::Comparison;
use super::core::Core;
use super::fault_times::FaultTimes;
use super::kernel::Kernel;
use super::memory_unit::{Decision, Fault, Tag};
use super::outcome::{Occasions, Outcome, SmError};
use super::pages::Frames;
use super::parameters::{Parameters, Recovery};
use super::preempting::Preempting;
use super::resident::{ENTRIES, Resident};
use super::rest::Rest;
use super::switch::Switch;
use super::units::Units;
use super::values::Values;
use super::work::{Kind, Step, Work};
use crate::simt::{Lanes, Memory};
use crate::sm::sm_pipeline::{Class, Inputs, Outputs, SmPipeline, UNITS};
use crate::sm::sm_unit;

/// Cycles without a commit or a fault after which there will be none, besides those of faults.
const PATIENCE: u64 = 100_000;
/// Faults without a commit after which there will be none: more than come by chance, up to one in 10,000 that succeeds.
const FAULTS: u64 = 100_000;

/// An SM that runs something, with what it is connected to: by itself, or as a part of a GPU.
#[derive(Clone, Debug)]
pub struct Sm<'work, B = Alone<'work>> {
    pub(super) parameters: Parameters,
    pub(super) below: B,
    pub(super) work: &'work Work,
    pub(super) now: u64,
    pub(super) warps: Vec<Option<Resident>>,
    pub(super) slots: Vec<Option<Block>>,
    pub(super) starts: VecDeque<u8>,
    pub(super) stops: VecDeque<u8>,
    pub(super) units: Units,
    pub(super) core: Core,
    pub(super) decisions: VecDeque<Decision>,
    /// Checks that succeeded and are to be reported to the pipeline.
    pub(super) checks: VecDeque<Tag>,
    /// Faults that are to be reported to the pipeline.
    pub(super) faults: VecDeque<(Tag, Fault)>,
    /// Faults that were reported to it, and the instructions of blocks on the SM that met them: block, warp, place in the warp.
    occasions: Occasions,
    /// Cycles from each of them to the restart of its warp.
    pub(super) fault_times: FaultTimes,
    pub(super) have_faulted: HashSet<(usize, usize, usize)>,
    /// The instruction that was handed to the memory unit in the cycle before, and whose operand comes from the log.
    pub(super) handed: Option<Tag>,
    /// The front of the memory stage, if its warp had stopped before it was executed: warp and entry.
    pub(super) squashed: Option<(u8, u8)>,
    /// Replayed instructions whose operands come from the log, in order.
    pub(super) logged: VecDeque<(u8, u8)>,
    /// Warps that faulted, and the one that is offered to go on.
    pub(super) faulted: Vec<u8>,
    pub(super) offered: Option<u8>,
    /// Instructions that fault when they are executed first, and were not yet.
    pub(super) fault_once: u64,
    pub(super) values: Option<Values<'work>>,
    /// Instructions that have committed.
    instructions: u64,
    pub(super) comparison: Comparison,
    pub(super) switch: Switch,
    /// The launch of another kernel.
    pub(super) preempting: Option<Box<Preempting<'work>>>,
    /// When the last thread block of the kernel had ended, of those so far.
    pub(super) last_end: u64,
    /// Cycles without a commit or a fault after which there will be none.
    patience: u64,
    /// When something last committed or faulted, and the faults since something committed.
    last_progress: u64,
    faults_since_commit: u64,
    pub(super) rest: Rest,
}

impl<'work> Sm<'work> {
    /// An SM by itself before its first cycle.
    ///
    /// # Errors
    /// If a block does not fit, or a block's part of the log is too small.
    pub fn new(parameters: &Parameters, work: &'work Work) -> Result<Self, SmError> {
        let Parameters {
            timing,
            faults,
            seed,
            ..
        } = *parameters;
        let mut below = Alone::new(timing, faults, seed, work.thread_blocks());
        if let Some(computation) = work.computation.as_ref().filter(|_| parameters.values) {
            below.memory = computation.memory.clone();
        }
        let sm = Self::with(parameters, work, below)?;
        let handlers = ENTRIES as u64 * parameters.exceptions.handler;
        let patience = PATIENCE + 4 * parameters.faults.cycles + handlers;
        Ok(Self { patience, ..sm })
    }

    /// Runs to the end, and shows what goes over the ports in each cycle.
    ///
    /// # Errors
    /// If the pipeline breaks a rule, or nothing commits any more.
    pub fn run(mut self, mut observe: impl FnMut(&Inputs, &Outputs)) -> Result<Outcome, SmError> {
        let (mut inputs, mut outputs) = <(Inputs, Outputs)>::default();
        while !self.is_finished() {
            self.step(&mut inputs, &mut outputs)?;
            observe(&inputs, &outputs);
        }
        Ok(self.outcome())
    }

    /// What is left at the end.
    #[must_use]
    pub fn outcome(mut self) -> Outcome {
        let Alone { memory, blocks, .. } = &self.below;
        let expected = blocks.memory().filter(|_| self.values.is_some());
        let memory = expected.map(|expected| (memory, expected));
        self.comparison.conclude(self.work.blocks(), memory);
        self.left()
    }

    /// Whether every block has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.has_ended()
    }

    /// The pipeline.
    #[must_use]
    pub fn pipeline(&self) -> &SmPipeline {
        self.core.pipeline()
    }

    /// One cycle, with what goes over the pipeline's ports in it.
    ///
    /// # Errors
    /// If the pipeline breaks a rule, or nothing commits any more.
    pub fn cycle(&mut self) -> Result<(Inputs, Outputs), SmError> {
        let (mut inputs, mut outputs) = <(Inputs, Outputs)>::default();
        self.step(&mut inputs, &mut outputs)?;
        Ok((inputs, outputs))
    }
}

impl<'work, B: Below> Sm<'work, B> {
    /// An SM with what it is connected to, before its first cycle. Its owner watches whether it is stuck.
    pub(in super::super) fn with(
        parameters: &Parameters,
        work: &'work Work,
        below: B,
    ) -> Result<Self, SmError> {
        let Kernel {
            slots,
            have_faulted,
            fault_once,
            values,
            comparison,
            switch,
            last_end,
            ..
        } = Kernel::new(parameters, work)?;
        let mut core = Core::new(parameters);
        if parameters.timing.warm {
            core.warm(work.first_pages());
        }
        Ok(Self {
            parameters: *parameters,
            below,
            work,
            now: 0,
            warps: vec![None; parameters.pipeline.warps],
            slots,
            starts: VecDeque::new(),
            stops: VecDeque::new(),
            units: Units::new(parameters.timing),
            core,
            decisions: VecDeque::new(),
            checks: VecDeque::new(),
            faults: VecDeque::new(),
            occasions: Occasions::default(),
            fault_times: FaultTimes::default(),
            have_faulted,
            handed: None,
            squashed: None,
            logged: VecDeque::new(),
            faulted: Vec::new(),
            offered: None,
            fault_once,
            values,
            instructions: 0,
            comparison,
            switch,
            preempting: None,
            last_end,
            patience: u64::MAX,
            last_progress: 0,
            faults_since_commit: 0,
            rest: Rest::default(),
        })
    }

    /// What is left at the end, but for memory: its owner concludes the comparison.
    pub(in super::super) fn left(self) -> Outcome {
        let mut fault_times = self.fault_times;
        fault_times += self.core.times();
        let replay_times = self
            .core
            .joined()
            .map(|joined| joined.replay_times().clone());
        let replay_times = replay_times.unwrap_or_default();
        Outcome {
            cycles: self.now,
            switches: self.switch.left,
            contexts: self.switch.contexts(),
            moved: self.switch.moved,
            restored: self.switch.restored,
            bases: self.switch.bases,
            refused: self.switch.refused,
            occasions: self.occasions,
            fault_times,
            replay_times,
            misses: self.core.misses(&self.below),
            lookups: self.core.lookups(),
            instructions: self.instructions,
            comparison: self.comparison,
        }
    }

    /// Whether every block has ended.
    pub(in super::super) fn has_ended(&self) -> bool {
        !self.below.has_blocks(self.now)
            && self.slots.iter().all(Option::is_none)
            && self.switch.is_over()
            && self.preempting.as_ref().is_none_or(|one| one.is_over())
    }

    /// When something last committed or faulted.
    pub(in super::super) const fn last_progress(&self) -> u64 {
        self.last_progress
    }

    /// Instructions that have committed.
    pub(in super::super) const fn committed(&self) -> u64 {
        self.instructions
    }

    /// What went into the SM unit in the last cycle, if it is around one.
    pub(in super::super) fn unit_inputs(&self) -> Option<&sm_unit::Inputs> {
        Some(&self.core.joined()?.inputs)
    }

    /// The cycle that comes next.
    pub(in super::super) const fn now(&self) -> u64 {
        self.now
    }

    /// From now on it is known without a walk where these pages lie.
    pub(in super::super) fn knows(&mut self, frames: &Frames) {
        self.core.knows(frames);
    }

    /// From now on the page after one that is missed is walked for too, if it is one of these.
    pub(in super::super) fn prefetches(&mut self, there: &Frames) {
        self.core.prefetches(there);
    }

    /// What it is connected to.
    pub(in super::super) fn below(&mut self) -> &mut B {
        &mut self.below
    }

    /// The instruction of a warp's entry accesses global memory, which its owner lends.
    pub(in super::super) fn access(&mut self, warp: u8, entry: u8, memory: &mut Memory) {
        if let Some(values) = &mut self.values
            && let Some(resident) = self.warps[usize::from(warp)].as_mut()
            && let Some(flight) = resident.flights[usize::from(entry)].as_mut()
        {
            let step = &resident.steps[flight.position];
            flight.perform(values, step, self.work.instruction(step).pc, memory);
        }
    }

    /// One cycle. What goes over the pipeline's ports in it is written to where it was before.
    pub(in super::super) fn step(
        &mut self,
        inputs: &mut Inputs,
        outputs: &mut Outputs,
    ) -> Result<(), SmError> {
        if !self.preempt() {
            self.begin_blocks();
            self.choose_leaver();
        }
        self.inputs(inputs)?;
        self.core_cycle(inputs, outputs)?;
        self.react(inputs, outputs)?;
        self.schedule();
        self.watch_blocks(outputs);
        self.rest.see(inputs, outputs);
        self.now += 1;
        if self.is_stuck() {
            return Err(SmError::Stuck(self.now));
        }
        Ok(())
    }

    /// Whether nothing will commit any more: nothing has happened for long, or nothing but faults.
    fn is_stuck(&self) -> bool {
        self.now - self.last_progress > self.patience || self.faults_since_commit > FAULTS
    }

    pub(super) fn broken(&self, warp: u8, what: &'static str) -> SmError {
        SmError::Broken {
            cycle: self.now,
            warp,
            what,
        }
    }

    pub(super) fn warp(&mut self, warp: u8) -> Option<&mut Resident> {
        self.warps.get_mut(usize::from(warp))?.as_mut()
    }

    fn inputs(&mut self, inputs: &mut Inputs) -> Result<(), SmError> {
        let now = self.now;
        *inputs = Inputs::default();
        inputs.launch_valid = now == 0 || self.has_changed_hands();
        let share = self.parameters.pipeline.log.entries / self.slots.len();
        inputs.launch_entries = share.min(usize::from(u8::MAX)) as u8;
        inputs.special_ready = self.units.special_ready(now);
        // The SM unit says so itself.
        if let Some(memory) = self.core.apart() {
            inputs.memory_ready = memory.is_ready(usize::from(self.handed.is_some()));
        }
        // The log is partitioned before any request for its entries.
        let starts = self.starts.front().copied();
        if let Some(warp) = starts.filter(|&warp| now > 0 && self.core.pipeline().is_drained(warp))
        {
            self.starts.pop_front();
            inputs.start_valid = true;
            inputs.start_warp = warp;
            inputs.start_slot = self.warp(warp).map_or(0, |resident| resident.slot as u8);
        }
        let over = self.core.advance(now, &mut self.decisions, &mut self.below);
        for (warp, entry, over) in over {
            self.units.finishes(warp, entry, over);
        }
        while let Some(decision) = self.decisions.pop_front() {
            self.decided(decision)?;
        }
        for unit in 0..UNITS {
            if let Some((warp, entry)) = self.units.finished(unit, now) {
                inputs.finished_valid[unit] = 1;
                inputs.finished_warp[unit] = warp.into();
                inputs.finished_entry[unit] = entry.into();
                self.finish(warp, entry)?;
            }
        }
        self.messages(inputs)?;
        self.handle_exceptions();
        self.offer();
        if let Some(warp) = self.offered {
            (inputs.resume_valid, inputs.resume_warp) = (true, warp);
        }
        self.switch_inputs(inputs);
        self.fetch(inputs);
        if let Some((warp, entry, data)) = self.core.pipeline().wanted_operand() {
            inputs.operand = self.operand(warp, entry, data);
        }
        if let Some(&operand) = self.core.pipeline().logged() {
            self.logged(operand)?;
        }
        if let Some(tag) = self.handed.take() {
            self.begin_access(tag, self.now - 1)?;
        }
        Ok(())
    }

    /// Chooses a warp that is to go on.
    fn offer(&mut self) {
        if self.core.joined().is_some() {
            self.offer_handled();
            return;
        }
        if self.offered.is_some() {
            return;
        }
        let now = self.now;
        let ready = |&number: &u8| {
            let warp = self.warps[usize::from(number)].as_ref();
            let over = |until| until <= now && !self.core.waits(number);
            warp.is_some_and(|resident| resident.flying == 0 && resident.faulted.is_some_and(over))
        };
        let held = self.switch.holds();
        let halts = |slot| self.preempting.as_ref().is_some_and(|one| one.halts(slot));
        let goes_on = |warp: &&u8| {
            let resident = self.warps[usize::from(**warp)].as_ref();
            let is_held = resident
                .is_some_and(|resident| held == Some(resident.slot) || halts(resident.slot));
            !is_held && !self.stops.contains(warp)
        };
        self.offered = self.faulted.iter().filter(goes_on).copied().find(ready);
    }

    /// What the memory unit has decided: what succeeded is performed in this order.
    fn decided(&mut self, decision: Decision) -> Result<(), SmError> {
        match decision {
            Decision::Checked(tag) => {
                if self.core.joined().is_none() {
                    self.perform(tag.warp, tag.entry);
                }
                self.checks.push_back(tag);
            }
            Decision::Faulted(tag, fault) if self.parameters.recovery == Recovery::Naive => {
                let now = self.now;
                let Some(resident) = self.warp(tag.warp) else {
                    return Err(self.broken(tag.warp, "a fault of a warp that is not there"));
                };
                let mut position = resident.position;
                if let Some(flight) = resident.flight(tag.entry) {
                    flight.squashed = true;
                    position = flight.position;
                }
                let oldest = resident.squashed_from.unwrap_or(position);
                resident.squashed_from = Some(oldest.min(position));
                self.units.finishes(tag.warp, tag.entry, now);
                self.stops.push_back(tag.warp);
                self.fault(tag.warp, fault.until);
            }
            Decision::Faulted(tag, fault) => self.faults.push_back((tag, fault)),
            Decision::Raised(tag, lanes) => self.raised(tag, lanes)?,
        }
        Ok(())
    }

    /// The instruction of a warp's entry accesses global memory now.
    pub(super) fn perform(&mut self, warp: u8, entry: u8) {
        let resident = self.warps[usize::from(warp)].as_mut();
        if let Some(values) = &mut self.values
            && let Some(resident) = resident
            && let Some(flight) = resident.flights[usize::from(entry)].as_mut()
            && flight.operands.is_some()
        {
            let step = &resident.steps[flight.position];
            let instruction = self.work.instruction(step);
            match self.below.memory() {
                _ if matches!(instruction.kind, Kind::Raising(_)) => {}
                Some(memory) => flight.perform(values, step, instruction.pc, memory),
                None => {
                    flight.awaits_memory = true;
                    self.below.access(self.now, warp, entry);
                }
            }
        }
    }

    /// A warp has faulted, and does not go on before this time.
    pub(super) fn fault(&mut self, warp: u8, until: u64) {
        self.last_progress = self.now;
        self.faults_since_commit += 1;
        if let Some(resident) = self.warp(warp) {
            resident.faulted = resident.faulted.max(Some(until));
        }
        if !self.faulted.contains(&warp) {
            self.faulted.push(warp);
        }
    }

    /// An instruction commits.
    fn finish(&mut self, warp: u8, entry: u8) -> Result<Tag, SmError> {
        let flight = self.warp(warp).and_then(|resident| resident.lands(entry));
        let (Some(flight), Some(resident)) = (flight, &mut self.warps[usize::from(warp)]) else {
            return Err(self.broken(warp, "an instruction is finished twice"));
        };
        if flight.squashed {
            return Ok(flight.tag);
        }
        if flight.awaits_memory {
            return Err(self.broken(warp, "an instruction commits before it has accessed memory"));
        }
        resident.forget(flight.position);
        resident.handled.retain(|&other| other != flight.position);
        let (slot, number) = (resident.slot, resident.block);
        let block = self.slots[slot].as_mut();
        let Some(block) = block.filter(|block| block.number == number) else {
            return Err(self.broken(warp, "an instruction is finished without its thread block"));
        };
        let progress = &mut block.warps[resident.number];
        let commits = &mut progress.commits[flight.position];
        *commits = commits.saturating_add(1);
        self.instructions += 1;
        self.last_progress = self.now;
        self.faults_since_commit = 0;
        let last = flight.position + 1 == resident.steps.len();
        if let Some(values) = &mut self.values {
            if let Some(write) = &flight.write {
                values.write(warp, write);
                self.switch.written(warp, write);
            }
            if let Some(taken) = flight.taken
                && taken != resident.steps[flight.position].chosen()
            {
                self.comparison.branch_differs();
            }
            values.over(flight.operands, flight.write);
            if last {
                progress.registers = values.end_warp(warp);
            }
        }
        if last {
            self.switch.ended(warp);
            self.end(warp, slot);
        }
        Ok(flight.tag)
    }

    /// One check, one fault and one stop.
    fn messages(&mut self, inputs: &mut Inputs) -> Result<(), SmError> {
        let (check, fault) = (self.checks.front(), self.faults.front());
        match &mut self.core {
            Core::Joined(joined) => joined.report(check.copied(), fault.map(|fault| fault.0)),
            Core::Apart(_) => {
                if let Some(tag) = check {
                    inputs.checked_valid = true;
                    inputs.checked_warp = tag.warp;
                    inputs.checked_entry = tag.entry;
                    inputs.checked_index = tag.index;
                    inputs.checked_slot = tag.slot;
                    inputs.checked_store = tag.class == Class::Store;
                    inputs.checked_log_address = tag.log_address;
                    inputs.checked_log_data = tag.log_data;
                }
                if let Some((tag, fault)) = self.faults.pop_front() {
                    inputs.faulted_valid = true;
                    inputs.faulted_warp = tag.warp;
                    inputs.faulted_entry = tag.entry;
                    inputs.faulted_index = tag.index;
                    self.squash(tag.warp, tag.entry, fault)?;
                }
            }
        }
        if let Some(warp) = self.stops.pop_front() {
            (inputs.stop_valid, inputs.stop_warp) = (true, warp);
            self.leave(warp);
        } else if let Some(warp) = self.preempting.as_mut().and_then(|one| one.next_stop())
            && self.warps[usize::from(warp)].is_some()
        {
            (inputs.stop_valid, inputs.stop_warp) = (true, warp);
        }
        Ok(())
    }

    /// A fault is reported to the pipeline, which squashes the instruction.
    pub(super) fn squash(&mut self, warp: u8, entry: u8, fault: Fault) -> Result<(), SmError> {
        let landed = self.warp(warp).and_then(|resident| resident.lands(entry));
        let Some(flight) = landed else {
            return Err(self.broken(warp, "an instruction faults that is not under way"));
        };
        self.count_fault(warp, flight.position, fault);
        let now = self.now;
        if let Some(resident) = &mut self.warps[usize::from(warp)] {
            resident.fault_times.push(now);
            if self.parameters.pipeline.scheme.disables() {
                resident.forget(flight.position);
            }
            if fault.is_raised {
                resident.raised.push(flight.position);
            }
        }
        self.fault(warp, fault.until);
        Ok(())
    }

    /// A fault is counted.
    fn count_fault(&mut self, warp: u8, position: usize, fault: Fault) {
        let resident = self.warps[usize::from(warp)].as_ref();
        let instruction = resident.map(|resident| (resident.block, resident.number, position));
        let is_first = instruction.is_some_and(|instruction| self.have_faulted.insert(instruction));
        self.occasions.faults += 1;
        self.fault_times.faults += 1;
        self.occasions.exceptions += u64::from(fault.is_raised);
        self.occasions.again += u64::from(!is_first);
        self.occasions.in_a_replay += u64::from(self.core.pipeline().is_replaying(warp));
        self.occasions.some_lanes += u64::from(fault.some_lanes);
        self.occasions.shared_page += u64::from(fault.shared_page);
    }

    /// What a warp may fetch now.
    pub(super) fn next_step(&self, warp: u8) -> Option<&Step> {
        let resident = self.warps[usize::from(warp)].as_ref()?;
        let step = resident.steps.get(resident.position)?;
        let drains = resident.drains(self.work.instruction(step).kind == Kind::Barrier);
        (!resident.waits && (!drains || resident.is_drained())).then_some(step)
    }

    /// Answers the fetches.
    fn fetch(&mut self, inputs: &mut Inputs) {
        let fetching = self.core.pipeline().fetching(inputs.restore_valid);
        for (port, warp) in fetching.into_iter().enumerate() {
            let Some(step) = warp.and_then(|warp| self.next_step(warp)) else {
                continue;
            };
            let instruction = self.work.instruction(step);
            inputs.fetched_valid[port] = 1;
            inputs.fetched_class[port] = instruction.class as u64;
            inputs.fetched_destination[port] = instruction.destination.into();
            inputs.fetched_source_a[port] = instruction.sources[0].into();
            inputs.fetched_source_b[port] = instruction.sources[1].into();
            inputs.fetched_source_c[port] = instruction.sources[2].into();
            inputs.fetched_pc[port] = instruction.pc.into();
            inputs.fetched_mask[port] = step.mask.into();
            inputs.fetched_opcode[port] = u64::from(step.instruction & 0x7f);
        }
    }

    /// An operand of an instruction as operand read has found it.
    fn operand(&self, warp: u8, entry: u8, data: bool) -> Lanes {
        let resident = self.warps[usize::from(warp)].as_ref();
        let flight = resident.and_then(|resident| {
            resident.flights[usize::from(entry) % ENTRIES]
                .as_ref()
                .map(|flight| (resident, flight))
        });
        let Some((resident, flight)) = flight else {
            return Lanes::default();
        };
        match &flight.operands {
            Some(operands) => operands.values[usize::from(data)],
            None => resident.steps[flight.position].traced_operand(data),
        }
    }
}

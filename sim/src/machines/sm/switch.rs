//! Thread blocks that leave the SM in the middle of their work, and come back: the checkpoint engine sends what their warps
//! and shared memory hold, and what the pipeline saves, squashed instructions and their operands, to memory.

use std::collections::{BTreeMap, VecDeque};

use super::below::Below;
use super::blocks::Block;
use super::machine::Sm;
use super::outcome::{Contexts, Moved, SmError};
use super::parameters::{Parameters, Switching, Transfer};
use super::preemption::Saves;
use super::resident::Resident;
use super::saver::{ACCEPTED, Request, Room, Saved, Saver, State};
use super::scheduler::Scheduler;
use super::work::Work;
use crate::preempt::{checkpoint, dirty_bits};
use crate::simt::{Shared, Warp, Write};
use crate::sm::operand_log::Operand;
use crate::sm::sm_pipeline::{Class, Inputs, Outputs, Scheme};

/// Times that blocks are saved at most: a block that is always on the move does no work.
const MOST: u64 = 20;

/// A warp outside of the SM.
#[derive(Clone, Debug)]
struct Away {
    /// Its identity and its work: the pipeline knows neither.
    resident: Resident,
    /// What it held when it left, to compare.
    values: Option<Warp>,
}

/// A thread block outside of the SM.
#[derive(Clone, Debug)]
struct Context {
    /// The local scheduler's number of it.
    place: Option<usize>,
    number: usize,
    block: Block,
    warps: Vec<Away>,
    /// What its shared memory held when it left, to compare.
    shared: Option<Shared>,
    /// What is in memory, or kept on the SM, in the order in which it was saved.
    saved: Vec<Saved>,
}

/// What is going on.
#[derive(Clone, Debug, Default)]
enum Phase {
    #[default]
    Nothing,
    /// A block is saved, and leaves or runs on; with the local scheduler's number of the context.
    Saving(Request, Option<usize>),
    /// Warps come to a slot, where they do not run yet, and then all that was saved, this one next.
    Restoring {
        slot: usize,
        warps: Vec<u8>,
        context: Box<Context>,
        next: usize,
        requested: bool,
    },
}

/// Blocks that leave and come back.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    random: fastrand::Rng,
    /// The chance that a block leaves in a cycle.
    chance: f64,
    /// What decides it otherwise.
    pub scheduler: Option<Scheduler>,
    /// How contexts move if the launch of another kernel decides it.
    launched: Option<Transfer>,
    phase: Phase,
    /// What is saved of registers.
    saves: Saves,
    pub saver: Saver,
    away: VecDeque<Context>,
    /// What was saved of the block of each slot, and the number of its next context.
    saved: Vec<(Vec<Saved>, u64)>,
    /// A context is kept on the SM.
    keeps: bool,
    /// An instruction that reads its operands in this cycle: its warp, its place in that, and the operands.
    read: Option<(u8, usize, Box<[Operand; 2]>)>,
    /// Something else has come back than has left: the context has to be refused.
    wrong: bool,
    /// Instructions of each warp that have come back.
    returned: BTreeMap<u8, usize>,
    /// Control of the warps that have come back.
    control: BTreeMap<usize, (u64, bool)>,
    /// Cycles for which a block was on its way.
    cycles: u64,
    /// When the one that is began, and those that were.
    began: u64,
    pub moved: Vec<Moved>,
    /// Blocks that left so far, those that were saved and ran on, contexts that were refused, and squashed instructions that
    /// came back.
    pub left: u64,
    pub bases: u64,
    /// Blocks that left and had been saved before.
    pub left_twice: u64,
    /// Beats in memory of those that were saved and ran on, and beats of all that those hold which left.
    pub base_beats: u64,
    pub whole_beats: u64,
    pub refused: u64,
    pub restored: u64,
}

impl Switch {
    pub fn new(parameters: &Parameters, work: &Work, slots: usize) -> Self {
        let (chance, local, launched) = match parameters.switching {
            Switching::Never => (0.0, None, None),
            Switching::Chance(chance) => (chance, None, None),
            Switching::Local(local) => (0.0, Some(local), None),
            Switching::Launched(transfer) => (0.0, None, Some(transfer)),
        };
        Self {
            random: fastrand::Rng::with_seed(!parameters.seed),
            chance,
            scheduler: local.map(|local| Scheduler::new(local, parameters, slots)),
            launched,
            phase: Phase::Nothing,
            saves: Saves::Dirty,
            saver: Saver::new(parameters, work, slots),
            away: VecDeque::new(),
            saved: vec![(Vec::new(), 0); slots],
            keeps: false,
            read: None,
            wrong: false,
            returned: BTreeMap::new(),
            control: BTreeMap::new(),
            cycles: 0,
            began: 0,
            moved: Vec::new(),
            left: 0,
            bases: 0,
            left_twice: 0,
            base_beats: 0,
            whole_beats: 0,
            refused: 0,
            restored: 0,
        }
    }

    /// Whether blocks leave at all.
    pub fn is_used(&self) -> bool {
        self.chance > 0.0 || !self.is_random()
    }

    /// Whether chance decides, if blocks leave at all.
    fn is_random(&self) -> bool {
        self.scheduler.is_none() && self.launched.is_none()
    }

    /// Whether a block is outside of the SM.
    pub fn is_away(&self, block: usize) -> bool {
        self.away.iter().any(|context| context.number == block)
    }

    /// Blocks that are outside of the SM.
    pub fn away(&self) -> usize {
        self.away.len()
    }

    /// Whether no block is on its way.
    pub fn is_idle(&self) -> bool {
        matches!(self.phase, Phase::Nothing)
    }

    /// Whether every block is on the SM.
    pub fn is_over(&self) -> bool {
        self.is_idle() && self.away.is_empty()
    }

    /// The slot whose warps may not go on.
    pub fn holds(&self) -> Option<usize> {
        match self.phase {
            Phase::Nothing => None,
            Phase::Saving(Request { slot, .. }, _) | Phase::Restoring { slot, .. } => Some(slot),
        }
    }

    /// A register is written.
    pub fn written(&mut self, warp: u8, write: &Write) {
        if self.is_used() {
            let warp = usize::from(warp);
            self.saver.write(warp, write.register, write.mask);
        }
    }

    /// A warp has ended.
    pub fn ended(&mut self, warp: u8) {
        if self.is_used() {
            self.saver.end(warp.into());
        }
    }

    /// The block of a slot has ended.
    pub fn block_ended(&mut self, slot: usize) {
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.ended(slot);
        }
    }

    /// A block has left, or come back.
    fn has_moved(&mut self, block: usize, leaves: bool, now: u64) {
        let span = self.began..now;
        self.moved.push(Moved {
            block,
            leaves,
            span,
        });
    }

    /// Whether nothing is to be done in this cycle: what chance decides may come in any.
    pub fn rests(&self) -> bool {
        match self.is_random() {
            false => self.is_idle() && self.saver.rests() && self.read.is_none(),
            true => self.chance == 0.0,
        }
    }

    /// Whether the engine goes on without the pipeline and a context takes no time.
    fn moves_alone(&self) -> bool {
        let at_once = self
            .scheduler
            .as_ref()
            .is_some_and(Scheduler::moves_at_once)
            || self.launched == Some(Transfer::AtOnce);
        at_once && self.saver.moves_alone()
    }

    /// What has moved of contexts.
    pub const fn contexts(&self) -> Contexts {
        Contexts {
            beats: self.saver.moved,
            cycles: self.cycles,
        }
    }

    /// A block begins in a slot: nothing of it was saved.
    pub fn begin_cta(&mut self, slot: usize, per_block: usize) {
        self.saved[slot].0.clear();
        if self.saves == Saves::Whole {
            self.saver.dirty_all((slot * per_block, per_block));
        }
    }

    /// What is saved of registers is known from now on.
    pub fn save_so(&mut self, saves: Saves, slots: &[usize], per_block: usize) {
        self.saves = saves;
        if saves == Saves::Whole {
            for slot in slots {
                self.saver.dirty_all((slot * per_block, per_block));
            }
        }
    }
}

impl<B: Below> Sm<'_, B> {
    /// Chooses a block by chance that is to be saved, to leave or to run on.
    pub(super) fn choose_leaver(&mut self) {
        let switch = &mut self.switch;
        if !switch.is_idle() || switch.random.f64() >= switch.chance {
            return;
        }
        let slot = switch.random.usize(0..self.slots.len());
        let runs = switch.random.u8(0..3) == 0;
        let count = if runs { switch.bases } else { switch.left };
        if count == MOST {
            return;
        }
        let Some(block) = self.leaver(slot) else {
            return;
        };
        let mut request = self.save_request(slot, block, runs);
        let switch = &mut self.switch;
        if !runs && !switch.keeps && switch.random.bool() {
            let (rows, beats) = switch.saver.free();
            let most = [3, 40, u64::MAX][switch.random.usize(0..3)];
            request.room = Room {
                rows: switch.random.u64(0..=rows.min(most)),
                beats: switch.random.u64(0..=beats.min(most)),
                ..Room::default()
            };
        }
        switch.saver.begin_context(request, None);
        switch.phase = Phase::Saving(request, None);
    }

    /// The block of a slot, unless one of its warps is just starting or going on.
    pub(super) fn leaver(&self, slot: usize) -> Option<usize> {
        let warps = self.warps_of(slot);
        let starts = self.starts.iter().any(|warp| warps.contains(warp));
        let resumes = self.offered.is_some_and(|warp| warps.contains(&warp));
        let resident = warps
            .first()
            .and_then(|&warp| self.warps[usize::from(warp)].as_ref());
        resident
            .map(|resident| resident.block)
            .filter(|_| !starts && !resumes)
    }

    /// A block begins to leave for the local scheduler's context of this number.
    pub(super) fn begin_save(&mut self, slot: usize, block: usize, place: usize) {
        let request = self.save_request(slot, block, false);
        self.switch.saver.begin_context(request, None);
        self.switch.phase = Phase::Saving(request, Some(place));
    }

    /// A block is saved for another kernel: it leaves, or runs on.
    pub(super) fn begin_save_for_launch(&mut self, slot: usize, block: usize, runs: bool) {
        let mut request = self.save_request(slot, block, runs);
        let switch = &mut self.switch;
        if switch.saves == Saves::InPlace && !switch.saved[slot].0.is_empty() {
            request.room = switch.saver.room_of(slot, self.slots.len());
        }
        switch.saver.begin_context(request, None);
        switch.phase = Phase::Saving(request, None);
    }

    /// The request for the next context of a block.
    fn save_request(&mut self, slot: usize, block: usize, runs: bool) -> Request {
        self.switch.began = self.now;
        let (_, epoch) = &mut self.switch.saved[slot];
        *epoch = (*epoch + 1) % 256;
        let per_block = self.work.warps_per_block;
        Request {
            restores: false,
            runs,
            block,
            slot,
            warps: (slot * per_block, per_block),
            epoch: *epoch,
            room: Room::default(),
            beats: 0,
            operands: 0,
        }
    }

    /// The warps of a slot that are there.
    pub(super) fn warps_of(&self, slot: usize) -> Vec<u8> {
        let mine = |warp: &Option<Resident>| warp.as_ref().is_some_and(|warp| warp.slot == slot);
        (0u8..)
            .zip(&self.warps)
            .filter(|(_, warp)| mine(warp))
            .map(|(warp, _)| warp)
            .collect()
    }

    /// Brings a block back by chance to a slot that is free; false if none comes.
    pub(super) fn bring_some_back(&mut self, slot: usize) -> bool {
        let others = self.below.has_blocks(self.now);
        if !self.switch.is_idle()
            || self.switch.away.is_empty()
            || (others && self.switch.random.bool())
        {
            return false;
        }
        self.bring_back(slot, None)
    }

    /// Brings the block of the local scheduler's context back to a slot that is free, or the one that left first; false if there
    /// is none.
    pub(super) fn bring_back(&mut self, slot: usize, place: Option<usize>) -> bool {
        let away = &mut self.switch.away;
        let first = away.iter().position(|context| context.place == place);
        let Some(context) = first.and_then(|first| away.remove(first)) else {
            return false;
        };
        self.switch.began = self.now;
        let mut warps = Vec::new();
        for away in &context.warps {
            let mut resident = away.resident.clone();
            resident.slot = slot;
            // Where it goes on comes with its context.
            (resident.position, resident.issued, resident.waits) = (0, 0, false);
            let warp = slot * self.work.warps_per_block + resident.number;
            self.warps[warp] = Some(resident);
        }
        let first = slot * self.work.warps_per_block;
        warps.extend((first..first + self.work.warps_per_block).map(|warp| warp as u8));
        self.slots[slot] = Some(context.block.clone());
        self.drop_slot(slot, &context);
        self.switch.phase = Phase::Restoring {
            slot,
            warps,
            context: Box::new(context),
            next: 0,
            requested: false,
        };
        true
    }

    /// Nothing in a slot is a block's that comes back.
    fn drop_slot(&mut self, slot: usize, context: &Context) {
        if let Some(values) = &mut self.values {
            values.begin_cta(slot);
            for away in &context.warps {
                let (block, number) = (away.resident.block, away.resident.number);
                let warp = slot * self.work.warps_per_block + number;
                values.begin_warp(warp as u8, block, number);
            }
        }
        self.switch.control.clear();
        self.switch.returned.clear();
        self.switch.saver.forget_restored();
    }

    /// Whether nothing of a slot is under way.
    fn has_drained(&self, slot: usize) -> bool {
        let drained = |warp: &Resident| {
            warp.flying == 0 && warp.replays.is_empty() && warp.position == warp.issued
        };
        let mut warps = self.warps.iter().flatten().filter(|warp| warp.slot == slot);
        let stays = |block: &Block| block.leaving == 0;
        warps.all(drained)
            && self.slots[slot].as_ref().is_none_or(stays)
            && self.switch.saver.is_quiet()
    }

    /// What a switch puts on the pipeline's ports.
    pub(super) fn switch_inputs(&mut self, inputs: &mut Inputs) {
        if self.switch.rests() {
            return;
        }
        self.switch.cycles += u64::from(!self.switch.is_idle());
        self.begin_restore(inputs);
        if let Some(lines) = &mut self.switch.saver.lines {
            lines.advance(self.now, &mut self.below);
        }
        self.switch.saver.begin_cycle(!inputs.stop_valid);
        while self.switch.moves_alone() {
            self.move_beats(&Operand::default());
            self.switch.saver.begin_cycle(!inputs.stop_valid);
        }
        let shown = &self.switch.saver.outputs;
        let stops = shown.stop_valid && !inputs.stop_valid;
        // One that has ended is not there any more.
        if stops && self.warps[shown.stop_warp as usize].is_some() {
            (inputs.stop_valid, inputs.stop_warp) = (true, shown.stop_warp as u8);
        }
        inputs.save_slot = shown.save_slot as u8;
        inputs.save_valid = shown.save_valid && self.has_drained(shown.save_slot as usize);
        inputs.saved_ready = shown.saved_ready;
        inputs.restore_valid = shown.restore_valid;
        inputs.restore_warp = shown.restore_warp as u8;
        inputs.restore_slot = shown.restore_slot as u8;
        inputs.restore_store = shown.restore_store;
        let [registers, pc, mask] = shown.restore_words;
        let [destination, source_a, source_b, opcode] = (registers as u32).to_le_bytes();
        inputs.restore_destination = destination;
        (inputs.restore_source_a, inputs.restore_source_b) = (source_a, source_b);
        inputs.restore_opcode = opcode & 0x7f;
        (inputs.restore_pc, inputs.restore_mask) = (pc as u32, mask as u32);
    }

    /// Reports to the pipeline a warp that comes back; when all have come, the engine receives a request.
    fn begin_restore(&mut self, inputs: &mut Inputs) {
        let Switch {
            phase,
            saver,
            random,
            scheduler,
            launched,
            ..
        } = &mut self.switch;
        let Phase::Restoring {
            slot,
            warps,
            context,
            next,
            requested,
            ..
        } = phase
        else {
            return;
        };
        if let Some(&warp) = warps.last() {
            let is_free = !inputs.start_valid && !inputs.stop_valid;
            if is_free && self.core.pipeline().is_drained(warp) {
                warps.pop();
                (inputs.start_valid, inputs.start_warp) = (true, warp);
                inputs.start_slot = *slot as u8;
                (inputs.stop_valid, inputs.stop_warp) = (true, warp);
            }
        } else if !*requested && let Some(saved) = context.saved.get(*next) {
            let per_block = self.work.warps_per_block;
            let request = Request {
                restores: true,
                runs: *next + 1 == context.saved.len(),
                block: context.number,
                slot: *slot,
                warps: (*slot * per_block, per_block),
                epoch: saved.epoch,
                room: saved.room,
                beats: saved.beats,
                operands: saved.operands,
            };
            // Where chance decides, memory now and then gives a part, or one changed bit, and is read again.
            let is_sound = scheduler.is_some() || launched.is_some();
            let outside = saved.outside();
            let cut = match random.u8(0..8) {
                0 if outside > 1 && !is_sound => random.usize(1..outside),
                _ => outside,
            };
            saver.begin_context(request, Some((saved, cut)));
            if random.u8(0..8) == 0 && !is_sound {
                saver.damage();
            }
            *requested = true;
            self.switch.wrong = false;
        }
    }

    /// What a switch makes of what the pipeline shows.
    pub(super) fn switch_reaction(
        &mut self,
        inputs: &Inputs,
        outputs: &Outputs,
    ) -> Result<(), SmError> {
        if self.switch.rests() {
            return Ok(());
        }
        self.returns(outputs)?;
        let slot = self.switch.saver.outputs.save_slot as usize;
        let drained = self.has_drained(slot);
        let of = &mut self.switch.saver.inputs;
        of.save_ready = outputs.save_ready && drained;
        of.save_done = outputs.save_done;
        of.saved_valid = outputs.saved_valid;
        of.saved_warp = outputs.saved_warp.into();
        of.saved_store = outputs.saved_store;
        let registers = [
            outputs.saved_destination,
            outputs.saved_source_a,
            outputs.saved_source_b,
            outputs.saved_opcode,
        ];
        let registers = u32::from_le_bytes(registers);
        of.saved_words = [registers, outputs.saved_pc, outputs.saved_mask].map(u64::from);
        of.spilled_valid = outputs.spilled_valid;
        of.restore_ready = outputs.restore_ready;
        if outputs.saved_valid && inputs.saved_ready {
            self.leaves(outputs)?;
        }
        self.move_beats(&outputs.logged_data);
        let shown = self.switch.saver.outputs.clone();
        if inputs.restore_valid && outputs.restore_ready {
            self.take_back(inputs)?;
        }
        if shown.resume_valid {
            self.has_entered();
            self.go_on(shown.resume_warp as u8);
        }
        match self.switch.saver.verdict() {
            Some(verdict) => self.conclude(verdict),
            None => Ok(()),
        }
    }

    /// The engine goes on by a cycle, with the registers, shared memory and warps of the SM.
    fn move_beats(&mut self, logged: &Operand) {
        let (warps, shared) = match &mut self.values {
            Some(values) => values.parts(),
            None => (&mut [][..], &mut [][..]),
        };
        let mut state = State {
            warps,
            shared,
            residents: &self.warps,
            restored: &mut self.switch.control,
        };
        self.switch.saver.end_cycle(logged, &mut state);
    }

    /// An instruction that leaves is the next of those of its warp that have not committed.
    fn leaves(&mut self, outputs: &Outputs) -> Result<(), SmError> {
        let warp = outputs.saved_warp;
        let holds = self.switch.holds();
        let known = matches!(self.switch.phase, Phase::Saving(..));
        let count = self.switch.returned.entry(warp).or_insert(0);
        let number = *count;
        *count += 1;
        if !known {
            // What was refused is dropped.
            return Ok(());
        }
        let resident = self.warps[usize::from(warp)].as_ref();
        let resident = resident.filter(|resident| Some(resident.slot) == holds);
        match resident.is_some_and(|resident| self.is_same(resident, number, outputs)) {
            true => Ok(()),
            false => Err(self.broken(warp, "it saves another instruction than has faulted")),
        }
    }

    /// Whether it is the warp's instruction of this number that has not committed.
    fn is_same(&self, resident: &Resident, number: usize, outputs: &Outputs) -> bool {
        let Some(step) = resident
            .uncommitted
            .get(number)
            .map(|&at| &resident.steps[at])
        else {
            return false;
        };
        let instruction = self.work.instruction(step);
        outputs.saved_pc == instruction.pc
            && outputs.saved_mask == step.mask
            && outputs.saved_store == (instruction.class == Class::Store)
            && outputs.saved_destination == instruction.destination
            && [outputs.saved_source_a, outputs.saved_source_b] == instruction.sources[..2]
            && u32::from(outputs.saved_opcode) == step.instruction & 0x7f
    }

    /// An instruction comes back from a context.
    fn take_back(&mut self, inputs: &Inputs) -> Result<(), SmError> {
        let warp = inputs.restore_warp;
        let count = self.switch.returned.entry(warp).or_insert(0);
        let number = *count;
        *count += 1;
        let resident = self.warps[usize::from(warp)].as_ref();
        let position = resident.and_then(|resident| resident.uncommitted.get(number).copied());
        let Some((resident, position)) = resident.zip(position) else {
            self.switch.wrong = true;
            return Ok(());
        };
        let step = &resident.steps[position];
        let instruction = self.work.instruction(step);
        let same = inputs.restore_pc == instruction.pc
            && inputs.restore_mask == step.mask
            && inputs.restore_store == (instruction.class == Class::Store)
            && inputs.restore_destination == instruction.destination
            && [inputs.restore_source_a, inputs.restore_source_b] == instruction.sources[..2]
            && u32::from(inputs.restore_opcode) == step.instruction & 0x7f;
        let operands = Box::new(*self.switch.saver.operands());
        let store = instruction.class == Class::Store;
        let as_traced = |data: bool| operands[usize::from(data)] == step.traced_operand(data);
        let traced = self.parameters.pipeline.scheme == Scheme::OperandLog && self.values.is_none();
        let changed = traced && !(as_traced(false) && (!store || as_traced(true)));
        self.switch.wrong |= !same || changed;
        self.switch.restored += 1;
        self.switch.read = Some((warp, position, operands));
        Ok(())
    }

    /// An instruction that has come back is at operand read, which shows where it is in the scoreboard.
    fn returns(&mut self, outputs: &Outputs) -> Result<(), SmError> {
        let Some((warp, position, operands)) = self.switch.read.take() else {
            return Ok(());
        };
        let entry = outputs.read_entry[0] as u8;
        let work = self.work;
        let pc = |resident: &Resident| work.instruction(&resident.steps[position]).pc;
        let pc = self.warps[usize::from(warp)].as_ref().map(pc);
        let read = pc.zip(self.values.as_mut());
        let read = read.map(|(pc, values)| {
            let mut read = values.read(warp, pc, true);
            read.values[..2].copy_from_slice(&*operands);
            read
        });
        let Some(resident) = self.warp(warp) else {
            return Ok(());
        };
        if !resident.takes_off(entry, position, true) {
            return Err(self.broken(warp, "two instructions have the same entry"));
        }
        if let Some(flight) = resident.flight(entry) {
            flight.operands = read;
        }
        Ok(())
    }

    /// A warp may go on, as it does after a fault; one that waits for a page goes on when that has come.
    fn go_on(&mut self, warp: u8) {
        let now = self.now;
        if let Some(resident) = self.warp(warp) {
            let until = resident.faulted.unwrap_or(now);
            self.fault(warp, until);
        }
    }

    fn conclude(&mut self, verdict: u64) -> Result<(), SmError> {
        match std::mem::take(&mut self.switch.phase) {
            Phase::Nothing => Err(self.broken(0, "it reports a context that nobody has requested")),
            Phase::Saving(request, place) => {
                let saved = self.switch.saver.saved(&request);
                self.switch.returned.clear();
                if verdict != ACCEPTED {
                    return Err(self.broken(0, "it cannot save"));
                }
                if self.switch.saver.is_dirty(request.warps) {
                    return Err(self.broken(0, "it leaves registers behind"));
                }
                let beats = saved.outside() as u64;
                self.switch.saved[request.slot].0.push(saved);
                match request.runs {
                    true => {
                        self.switch.bases += 1;
                        self.switch.base_beats += beats;
                    }
                    false => self.leave_slot(&request, place)?,
                }
                Ok(())
            }
            Phase::Restoring {
                slot,
                context,
                next,
                ..
            } => {
                let accepted = verdict == ACCEPTED;
                if accepted && next + 1 == context.saved.len() {
                    return self.has_come(slot, &context);
                }
                // What was refused is dropped whole, and all is given once more.
                self.switch.refused += u64::from(!accepted);
                self.switch.returned.clear();
                if !accepted {
                    self.drop_slot(slot, &context);
                }
                self.switch.phase = Phase::Restoring {
                    slot,
                    warps: Vec::new(),
                    context,
                    next: if accepted { next + 1 } else { 0 },
                    requested: false,
                };
                Ok(())
            }
        }
    }

    /// A block leaves, with all that belongs to it.
    fn leave_slot(&mut self, request: &Request, place: Option<usize>) -> Result<(), SmError> {
        let slot = request.slot;
        let saved = std::mem::take(&mut self.switch.saved[slot].0);
        let Some(block) = self.slots[slot].take() else {
            // It has ended meanwhile.
            return Ok(());
        };
        let mut warps = Vec::new();
        for warp in self.warps_of(slot) {
            let Some(mut resident) = self.warps[usize::from(warp)].take() else {
                continue;
            };
            resident.leaves();
            self.faulted.retain(|&other| other != warp);
            warps.push(Away {
                resident,
                values: self
                    .values
                    .as_mut()
                    .and_then(|values| values.take_warp(usize::from(warp))),
            });
            if let Some(memory) = self.core.apart() {
                memory.leaves(warp);
            }
        }
        let shared = self.values.as_mut().map(|values| values.take_block(slot));
        self.switch.left += 1;
        self.switch.left_twice += u64::from(saved.len() > 1);
        self.switch.whole_beats += self.switch.saver.beats(self.work.warps_per_block);
        self.switch.has_moved(request.block, true, self.now);
        self.switch.keeps |= request.room != Room::default();
        self.switch.away.push_back(Context {
            place,
            number: request.block,
            block,
            warps,
            shared,
            saved,
        });
        Ok(())
    }

    /// Everything of a block is back, and as it was.
    fn has_come(&mut self, slot: usize, context: &Context) -> Result<(), SmError> {
        let queues = self.parameters.pipeline.scheme.queues();
        if self.switch.wrong {
            return Err(self.broken(0, "it restores another instruction than has left"));
        }
        for away in &context.warps {
            let number = away.resident.number;
            let warp = slot * self.work.warps_per_block + number;
            let returned = self.switch.returned.get(&(warp as u8)).copied();
            let control = self.switch.control.get(&warp).copied();
            let was = (away.resident.position as u64, away.resident.waits);
            if queues && returned.unwrap_or(0) != away.resident.uncommitted.len() {
                return Err(self.broken(warp as u8, "it leaves instructions behind"));
            }
            if control != Some(was) {
                return Err(self.broken(warp as u8, "it goes on somewhere else than it left"));
            }
            if let Some(resident) = &mut self.warps[warp] {
                (resident.position, resident.issued) = (was.0 as usize, was.0 as usize);
                resident.waits = was.1;
            }
            if let Some(values) = &mut self.values {
                let (warps, _) = values.parts();
                let held = warps[warp].as_ref().map(|warp| &warp.registers);
                if held != away.values.as_ref().map(|warp| &warp.registers) {
                    return Err(self.broken(warp as u8, "its registers come back otherwise"));
                }
            }
        }
        if let Some(values) = &mut self.values {
            let (_, shared) = values.parts();
            if context.shared.as_ref() != Some(&shared[slot]) {
                return Err(self.broken(0, "shared memory comes back otherwise"));
            }
        }
        // The copy is given up, so all of it is dirty again.
        let keeps = context
            .saved
            .iter()
            .any(|saved| saved.room != Room::default());
        self.switch.keeps &= !keeps;
        self.switch.has_moved(context.number, false, self.now);
        self.switch.begin_cta(slot, self.work.warps_per_block);
        self.switch.saver.dirty_again();
        self.switch.returned.clear();
        Ok(())
    }

    /// Whether thread blocks leave it.
    #[must_use]
    pub fn switches(&self) -> bool {
        self.switch.is_used()
    }

    /// Cycles until all thread blocks have left it and as many have come, if blocks leave it.
    pub(in super::super) fn switch_cycles(&self) -> u64 {
        match self.switches() {
            true => 2 * self.switch.saver.cycles_of_all(),
            false => 0,
        }
    }

    /// The sizes of its checkpoint engine.
    #[must_use]
    pub const fn checkpoint_parameters(&self) -> checkpoint::Parameters {
        self.switch.saver.parameters()
    }

    /// What has gone over the ports of the checkpoint engine in the last cycle.
    #[must_use]
    pub const fn checkpoint_ports(&self) -> (&checkpoint::Inputs, &checkpoint::Outputs) {
        let saver = &self.switch.saver;
        (&saver.inputs, &saver.outputs)
    }

    /// The sizes of its dirty bits.
    #[must_use]
    pub const fn dirty_parameters(&self) -> dirty_bits::Parameters {
        self.switch.saver.dirty_parameters()
    }

    /// What has gone over the ports of the dirty bits in the last cycle.
    #[must_use]
    pub const fn dirty_ports(&self) -> &(dirty_bits::Inputs, dirty_bits::Outputs) {
        &self.switch.saver.dirty_ports
    }
}

//! The memory stage: what happens to memory instructions between operand read and the memory unit.

use std::collections::VecDeque;

use super::interface::{Class, Inputs, Outputs, Parameters, Scheme};
use super::{Instruction, STORE};
use crate::bits::bit;
use crate::ports::Model;
use crate::sm::operand_log::{self, Operand, OperandLog};
use crate::sm::replay_queue::{self, ReplayQueue};

/// Instructions that the stage holds at most: with one that arrives and one that leaves in each cycle, and one in
/// operand read, none is ever refused.
pub const PLACES: usize = 4;

/// An instruction with the rest of what the stage knows of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operation {
    pub instruction: Instruction,
    pub slot: u8,
    pub log_address: u8,
    pub log_data: u8,
    /// Its entry in the queue, if it is replayed.
    pub index: u8,
    pub replayed: bool,
    /// Its warp stopped before it was executed.
    pub squashed: bool,
}

/// What the queue and the log answer in a cycle where the scheme has them, and what the stage does.
pub struct Cycle {
    pub queue_outputs: replay_queue::Outputs,
    pub log_outputs: operand_log::Outputs,
    /// The front goes on to the next operand.
    step: bool,
    /// The operand of the front that is to be read in the next cycle.
    aim: Option<(u8, u8)>,
    /// The front leaves.
    pop: bool,
    /// An operand of the instruction that is saved is read, or it leaves.
    spill: bool,
    leave: bool,
    /// The operand of it that is to be read next.
    spill_aim: Option<(u8, u8)>,
}

#[derive(Clone, Debug)]
pub struct MemoryStage {
    parameters: Parameters,
    operations: VecDeque<Operation>,
    /// Operands of the front that were written to the log, or read from it.
    step: u8,
    /// The operand of the front that the log is to read: slot and entry.
    aim: Option<(u8, u8)>,
    /// The second release of a store that was checked in the cycle before: slot and entry.
    second_release: Option<(u8, u8)>,
    /// Operands of the instruction that leaves which were read from the log, and the release of the last of them.
    spilled: u8,
    spill_release: Option<(u8, u8)>,
    /// The operand of it that the log is to read next.
    spill_aim: Option<(u8, u8)>,
    /// The queue had places for one more instruction, and for two, in the cycle before.
    place: [bool; 2],
    had_two: bool,
    /// Slots that had a free log entry, or two, in the cycle before, a bit each.
    seen: (u16, u16),
    queue: ReplayQueue,
    log: OperandLog,
    /// What goes into the two in a cycle.
    pub requests: (replay_queue::Inputs, operand_log::Inputs),
}

/// Log entries that an instruction takes: one for its address, a store one for its data.
fn entries(class: Class) -> u8 {
    match class {
        Class::Load => 1,
        Class::Store => 2,
        _ => 0,
    }
}

impl MemoryStage {
    pub fn new(parameters: &Parameters) -> Self {
        Self {
            parameters: *parameters,
            operations: VecDeque::with_capacity(PLACES),
            step: 0,
            aim: None,
            second_release: None,
            spilled: 0,
            spill_release: None,
            spill_aim: None,
            place: [false; 2],
            had_two: false,
            seen: (0, 0),
            queue: ReplayQueue::new(parameters.queue),
            log: OperandLog::new(parameters.log),
            requests: Default::default(),
        }
    }

    pub fn queued(&self, warp: u8) -> usize {
        self.queue.length(warp)
    }

    pub fn length(&self) -> usize {
        self.operations.len()
    }

    /// Whether nothing is on its way here.
    pub fn rests(&self) -> bool {
        self.operations.is_empty()
            && self.aim.is_none()
            && self.second_release.is_none()
            && self.spill_release.is_none()
            && self.spill_aim.is_none()
            && self.queue.is_idle()
    }

    /// Whether the queue offers an instruction to be issued again.
    pub fn offers_replay(&self) -> bool {
        self.parameters.scheme.queues() && self.queue.offers_replay()
    }

    /// Whether a slot has log entries for a load or a store, besides those that the memory instruction in operand read
    /// takes in this cycle.
    pub fn has_entries(
        &self,
        outputs: &operand_log::Outputs,
        slot: u8,
        class: Class,
        taking: Option<(u8, Class)>,
    ) -> bool {
        if self.parameters.scheme != Scheme::OperandLog || !class.is_global() {
            return true;
        }
        let before = taking.filter(|&(of, _)| of == slot);
        let taken = before.map_or(0, |(_, class)| entries(class));
        let last = usize::from(taken + entries(class) - 1);
        let free = [
            outputs.free_one,
            outputs.free_two,
            outputs.free_three,
            outputs.free_four,
        ];
        bit(free[last].into(), slot)
    }

    /// Whether the cycle before saw log entries of a slot for a load or a store.
    pub fn has_seen_entries(&self, slot: u8, class: Class) -> bool {
        let (one, two) = self.seen;
        self.parameters.scheme != Scheme::OperandLog
            || match class {
                Class::Store => bit(two.into(), slot),
                Class::Load => bit(one.into(), slot),
                _ => true,
            }
    }

    /// Whether the queue has entries for so many instructions more, one or two, as the cycle before has found.
    pub fn has_places(&self, count: usize) -> bool {
        !self.parameters.scheme.queues() || self.place[count - 1]
    }

    /// Whether it had entries for two a cycle before that.
    pub fn had_two_places(&self) -> bool {
        !self.parameters.scheme.queues() || self.had_two
    }

    /// Whether the queue has entries for one more instruction and for two, besides those that are on their way to it: so many
    /// as `coming` in operand read and at issue, and those in the stage. What has faulted leaves the queue only by a replay, which
    /// comes through the stage, so nothing there may wait for an entry, nor for an older one to commit that may fault.
    fn finds_places(&self, coming: usize) -> [bool; 2] {
        let inserts =
            |operation: &&Operation| operation.instruction.class.is_global() && !operation.replayed;
        let staged = self.operations.iter().filter(inserts).count();
        let free = self.queue.free().count_ones() as usize;
        [1, 2].map(|more| free >= staged + coming + more && !self.queue.is_aged())
    }

    pub fn front(&self) -> Option<&Operation> {
        self.operations.front()
    }

    /// What the stage does with its front in this cycle, as far as the inputs alone tell. `saves` is set if a save may
    /// begin, and `waits` if nothing that was not executed may leave: the one before it is still to be reported.
    pub fn cycle(&mut self, inputs: &Inputs, saves: bool, waits: bool) -> Cycle {
        let scheme = self.parameters.scheme;
        let logs = scheme == Scheme::OperandLog;
        let mut log = operand_log::Inputs {
            launch_valid: inputs.launch_valid,
            launch_entries: inputs.launch_entries,
            write_data: inputs.operand,
            ..operand_log::Inputs::default()
        };
        if let Some((slot, entry)) = self.second_release.or(self.spill_release) {
            (log.release_valid, log.release_slot, log.release_entry) = (true, slot, entry);
        } else if inputs.checked_valid {
            log.release_valid = true;
            log.release_slot = inputs.checked_slot;
            log.release_entry = inputs.checked_log_address;
        }
        let mut queue = replay_queue::Inputs {
            // What was checked can no longer fault, and leaves the queue as if it had committed.
            committed_valid: inputs.checked_valid && self.checked_ready(),
            committed_index: inputs.checked_index,
            faulted_valid: inputs.faulted_valid,
            faulted_index: inputs.faulted_index,
            resume_warp: inputs.resume_warp,
            save_valid: saves,
            save_slot: inputs.save_slot,
            held_warp: 0,
            ..replay_queue::Inputs::default()
        };
        let front = self.front().copied().unwrap_or_default();
        let Instruction { class, warp, .. } = front.instruction;
        queue.insert_warp = warp;
        queue.insert_slot = front.slot;
        queue.insert_restored = front.squashed;
        queue.insert_pc = front.instruction.pc;
        queue.insert_opcode =
            front.instruction.opcode | if class == Class::Store { STORE } else { 0 };
        queue.insert_mask = front.instruction.mask;
        queue.insert_destination = front.instruction.destination;
        queue.insert_address_register = front.instruction.sources[0];
        queue.insert_data_register = front.instruction.sources[1];
        queue.insert_log_address = front.log_address;
        queue.insert_log_data = front.log_data;
        // Operands first: to the log, or from it.
        let needed = self.needed();
        let wants_operand = self.step < needed;
        let entry = if self.step == 0 {
            front.log_address
        } else {
            front.log_data
        };
        log.write_entry = entry;
        log.write_valid = wants_operand && !front.replayed;
        log.replay_valid = self.aim.is_some();
        (log.replay_slot, log.replay_entry) = self.aim.unwrap_or_default();
        // An instruction leaves behind its operands.
        let queue_outputs = match scheme.queues() {
            true => self.queue.outputs(&queue),
            false => replay_queue::Outputs::default(),
        };
        let leaves = scheme.queues() && queue_outputs.saved_valid;
        let last = self.spilled == self.spills(queue_outputs.entry_opcode);
        let released = self.spill_release.is_none() || self.second_release.is_none();
        let spill_aim = (leaves && !last && self.spill_aim.is_none() && released).then(|| {
            let entry = if self.spilled == 0 {
                queue_outputs.entry_log_address
            } else {
                queue_outputs.entry_log_data
            };
            (queue_outputs.entry_slot, entry)
        });
        log.save_valid = self.spill_aim.is_some() && inputs.saved_ready;
        (log.save_slot, log.save_entry) = self.spill_aim.unwrap_or_default();
        queue.saved_ready = leaves && last && inputs.saved_ready;
        let log_outputs = match logs {
            true => self.log.outputs(&log),
            false => operand_log::Outputs::default(),
        };
        let spill = log.save_valid && log_outputs.save_ready;
        let leave = queue.saved_ready;
        let step = (log.write_valid && log_outputs.write_ready)
            || (log.replay_valid && log_outputs.replay_ready);
        let aim = (wants_operand && front.replayed && !step).then_some((front.slot, entry));
        let complete = self.step + u8::from(step) == needed && self.front().is_some();
        let inserts = scheme.queues() && class.is_global() && !front.replayed;
        // The queue has room, so only a scan can hold up an insert.
        let goes = complete && (!inserts || queue_outputs.memory_free);
        let pop = goes
            && if front.squashed {
                !waits
            } else {
                inputs.memory_ready
            };
        queue.insert_valid = pop && inserts;
        debug_assert!(
            !queue.insert_valid || self.queue.outputs(&queue).insert_ready,
            "a full queue is given an instruction"
        );
        self.requests = (queue, log);
        Cycle {
            queue_outputs,
            log_outputs,
            step,
            aim,
            pop,
            spill,
            leave,
            spill_aim,
        }
    }

    /// Log accesses that the save of an instruction needs.
    fn spills(&self, opcode: u8) -> u8 {
        match self.parameters.scheme {
            Scheme::OperandLog if opcode & STORE == 0 => 1,
            Scheme::OperandLog => 2,
            _ => 0,
        }
    }

    /// The operand that the front writes to the log: warp, scoreboard entry, and whether it is data.
    pub fn wanted_operand(&self) -> Option<(u8, u8, bool)> {
        let front = self.front()?;
        let Instruction { warp, entry, .. } = front.instruction;
        (self.step < self.needed() && !front.replayed).then_some((warp, entry, self.step == 1))
    }

    /// The operand that the log shows for a replay in the coming cycle.
    pub fn logged(&self) -> Option<&Operand> {
        let logs = self.parameters.scheme == Scheme::OperandLog;
        if logs { self.log.replayed() } else { None }
    }

    /// Log accesses that the front needs.
    fn needed(&self) -> u8 {
        match self.front() {
            Some(front) if self.parameters.scheme == Scheme::OperandLog => {
                entries(front.instruction.class)
            }
            _ => 0,
        }
    }

    pub fn checked_ready(&self) -> bool {
        self.second_release.is_none() && self.spill_release.is_none()
    }

    /// The front, if it leaves in this cycle without having been executed.
    pub fn leaves_squashed(&self, cycle: &Cycle) -> Option<Operation> {
        self.front()
            .filter(|front| cycle.pop && front.squashed)
            .copied()
    }

    pub fn show(&self, cycle: &Cycle, outputs: &mut Outputs) {
        let scheme = self.parameters.scheme;
        let front = self.front().copied().unwrap_or_default();
        let inserts = scheme.queues() && front.instruction.class.is_global() && !front.replayed;
        let complete = self.step + u8::from(cycle.step) == self.needed() && self.front().is_some();
        outputs.memory_front = self.front().is_some();
        outputs.memory_data = self.step == 1;
        outputs.memory_valid =
            complete && !front.squashed && (!inserts || cycle.queue_outputs.memory_free);
        outputs.memory_warp = front.instruction.warp;
        outputs.memory_slot = front.slot;
        outputs.memory_entry = front.instruction.entry;
        outputs.memory_class = front.instruction.class as u8;
        outputs.memory_replayed = front.replayed;
        outputs.memory_squashed = front.squashed;
        outputs.memory_pc = front.instruction.pc;
        outputs.memory_mask = front.instruction.mask;
        outputs.memory_opcode = front.instruction.opcode;
        outputs.checked_ready = self.checked_ready();
        if scheme.queues() {
            outputs.memory_index = if front.replayed {
                front.index
            } else {
                cycle.queue_outputs.insert_index
            };
            let offer = &cycle.queue_outputs;
            outputs.occupancy = offer.occupancy;
            outputs.save_done = offer.save_done;
            outputs.saved_valid =
                offer.saved_valid && self.spilled == self.spills(offer.entry_opcode);
            outputs.saved_warp = offer.entry_warp;
            outputs.saved_store = offer.entry_opcode & STORE != 0;
            outputs.saved_destination = offer.entry_destination;
            outputs.saved_source_a = offer.entry_address_register;
            outputs.saved_source_b = offer.entry_data_register;
            outputs.saved_pc = offer.entry_pc;
            outputs.saved_mask = offer.entry_mask;
            outputs.saved_opcode = offer.entry_opcode & !STORE;
        }
        if scheme == Scheme::OperandLog {
            outputs.spilled_valid = cycle.log_outputs.saved_valid;
            outputs.memory_log_address = front.log_address;
            outputs.memory_log_data = front.log_data;
            outputs.logged_valid = cycle.log_outputs.replayed_valid;
            outputs.logged_data = cycle.log_outputs.read_data;
        }
    }

    /// Goes on. `coming` counts the instructions at issue and in operand read that are on their way to the queue;
    /// `arrives` is the one that has read its operands, and takes its log entries; `stops` the warps that stop in this
    /// cycle, a bit each.
    pub fn advance(
        &mut self,
        inputs: &Inputs,
        cycle: &Cycle,
        coming: usize,
        arrives: Option<Operation>,
        stops: u64,
    ) {
        let scheme = self.parameters.scheme;
        self.had_two = self.place[1];
        self.place = self.finds_places(coming);
        self.seen = (cycle.log_outputs.free_one, cycle.log_outputs.free_two);
        if cycle.pop {
            self.operations.pop_front();
            self.step = 0;
        } else {
            self.step += u8::from(cycle.step);
        }
        self.aim = cycle.aim;
        for operation in &mut self.operations {
            operation.squashed |= scheme.queues()
                && operation.instruction.class.is_global()
                && !operation.replayed
                && bit(stops, operation.instruction.warp);
        }
        let allocates = arrives
            .filter(|operation| operation.instruction.class.is_global() && !operation.replayed);
        self.operations.extend(arrives);
        let checked = inputs.checked_valid && self.checked_ready();
        if self.second_release.is_none() {
            self.spill_release = None;
        }
        if cycle.spill {
            self.spill_release = self.spill_aim.take();
        }
        self.spill_aim = self.spill_aim.or(cycle.spill_aim);
        self.spilled += u8::from(cycle.spill);
        if cycle.leave {
            self.spilled = 0;
        }
        self.second_release = (scheme == Scheme::OperandLog && checked && inputs.checked_store)
            .then_some((inputs.checked_slot, inputs.checked_log_data));
        let (queue, log) = &mut self.requests;
        if let Some(operation) = allocates {
            log.allocate_valid = true;
            log.allocate_slot = operation.slot;
            log.allocate_store = operation.instruction.class == Class::Store;
        }
        // Reset reaches no memory, so what is under way there happens.
        (queue.reset, log.reset) = (inputs.reset, inputs.reset);
        if scheme.queues() {
            self.queue.cycle(queue);
        }
        if scheme == Scheme::OperandLog {
            self.log.cycle(log);
            // It learns its entries in its first cycle here.
            if let Some(last) = self.operations.back_mut().filter(|_| allocates.is_some()) {
                (last.log_address, last.log_data) = self.log.given().unwrap_or_default();
            }
        }
        if inputs.reset {
            self.operations.clear();
            (self.step, self.aim, self.second_release) = (0, None, None);
            (self.spilled, self.spill_release, self.spill_aim) = (0, None, None);
            (self.place, self.had_two, self.seen) = ([false; 2], false, (0, 0));
        }
    }
}

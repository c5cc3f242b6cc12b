//! What goes into both blocks in a cycle.

use std::collections::VecDeque;

use faultline_sim::sm::replay_queue;
use faultline_sim::trace::GlobalAccess;

use super::{COMMIT, FAULT, Issue, Replay, Wait};

/// Faults are handled for regions of so many bytes, as bits (Tanasic et al., Table 1).
const REGION_BITS: u32 = 16;
/// One access in so many faults although its page was touched before.
const FAULT_RATE: u64 = 100;

impl Replay {
    pub(super) fn end_waits(&mut self) {
        let mut place = 0;
        while place < self.waits.len() {
            if self.waits[place].0 > self.cycle {
                place += 1;
                continue;
            }
            match self.waits.swap_remove(place).1 {
                Wait::Check(index) if self.faults(index) => self.faulted.push_back(index),
                Wait::Check(index) => self.checked.push_back(index),
                Wait::Commit(index) => self.committed.push_back(index),
                Wait::Page(warp) => self.resumes.push_back(warp),
            }
        }
    }

    /// Whether an access faults: it touches a region for the first time, or it is unlucky.
    fn faults(&mut self, index: u8) -> bool {
        let Some(flight) = self.flights.get(&index) else {
            return false;
        };
        let access = &self.kernels[self.current].accesses[flight.place];
        let active = access
            .addresses
            .iter()
            .enumerate()
            .filter(|(lane, _)| access.mask >> lane & 1 == 1);
        let mut first_touch = false;
        for (_, address) in active {
            first_touch |= self.pages.insert(address >> REGION_BITS);
        }
        first_touch || self.rng.below(FAULT_RATE) == 0
    }

    pub(super) fn drive_messages(&mut self) {
        let message = |messages: &mut VecDeque<u8>| {
            let index = messages.pop_front();
            (index.is_some(), index.unwrap_or(0), index)
        };
        let inputs = &mut self.queue_inputs;
        let (checked, faulted, committed);
        (inputs.checked_valid, inputs.checked_index, checked) = message(&mut self.checked);
        (inputs.faulted_valid, inputs.faulted_index, faulted) = message(&mut self.faulted);
        (inputs.committed_valid, inputs.committed_index, committed) = message(&mut self.committed);
        if let Some((index, flight)) =
            checked.and_then(|index| Some((index, self.flights.get(&index)?)))
        {
            let slot = self.access(flight.place).block_slot;
            self.releases
                .extend(flight.entries.iter().map(|&entry| (slot, entry)));
            self.later(COMMIT, Wait::Commit(index));
        }
        if let Some(flight) = faulted.and_then(|index| self.flights.get(&index)) {
            let warp = self.access(flight.place).warp_slot;
            self.counts.faulted += 1;
            if self.paged.insert(warp) {
                self.later(FAULT, Wait::Page(warp));
            }
        }
        if let Some(index) = committed {
            self.flights.remove(&index);
            self.counts.committed += 1;
        }
    }

    pub(super) fn drive_queue(&mut self) {
        if self.resuming.is_none() {
            self.resuming = self.resumes.pop_front().map(|warp| (warp, false));
        }
        let mut inputs = std::mem::take(&mut self.queue_inputs);
        inputs.insert_valid = false;
        if let Issue::Insert(entries) = &self.issue {
            let access = self.access(self.next);
            let resuming = self
                .resuming
                .is_some_and(|(warp, _)| warp == access.warp_slot);
            if !resuming {
                inputs.insert(&instruction(access, entries), false);
            }
            inputs.held_warp = access.warp_slot;
            inputs.held_register = access.destination;
        }
        inputs.resume_valid = matches!(self.resuming, Some((_, false)));
        inputs.resume_warp = self.resuming.map_or(inputs.resume_warp, |(warp, _)| warp);
        inputs.replay_ready = self.reads.is_empty() && self.rng.chance(200);
        self.queue_inputs = inputs;
    }

    pub(super) fn drive_log(&mut self) {
        let mut inputs = std::mem::take(&mut self.log_inputs);
        inputs.launch_valid = self.issue == Issue::Launch;
        inputs.allocate_valid = self.issue == Issue::Allocate;
        let kernel = &self.kernels[self.current];
        inputs.launch_entries = (self.log_sizes.entries / kernel.resident_blocks.max(1)) as u8;
        if let Some(access) = kernel.accesses.get(self.next) {
            inputs.allocate_slot = access.block_slot;
            inputs.allocate_store = access.is_store;
        }
        inputs.write_valid = false;
        if let Some((flight, number)) = self
            .writes
            .front()
            .and_then(|(index, number)| Some((self.flights.get(index)?, *number)))
        {
            inputs.write_valid = true;
            inputs.write_entry = flight.entries[usize::from(number)];
            inputs.write_data = self.operand(flight.place, number);
        }
        let release = self.releases.pop_front();
        inputs.release_valid = release.is_some();
        (inputs.release_slot, inputs.release_entry) = release.unwrap_or((0, 0));
        inputs.replay_valid = false;
        if let Some((flight, number)) = self
            .reads
            .front()
            .and_then(|(index, number)| Some((self.flights.get(index)?, *number)))
        {
            inputs.replay_valid = true;
            inputs.replay_slot = self.access(flight.place).block_slot;
            inputs.replay_entry = flight.entries[usize::from(number)];
        }
        self.log_inputs = inputs;
    }
}

/// What the queue remembers of an access.
fn instruction(access: &GlobalAccess, entries: &[u8]) -> replay_queue::Instruction {
    replay_queue::Instruction {
        warp: access.warp_slot,
        slot: access.block_slot,
        pc: access.pc,
        opcode: access.opcode,
        destination: access.destination,
        address_register: access.address_register,
        data_register: access.data_register,
        mask: access.mask,
        log_address: entries.first().copied().unwrap_or(0),
        log_data: entries.get(1).copied().unwrap_or(0),
    }
}

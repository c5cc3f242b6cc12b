//! What a cycle changes, and what it shows.

use super::interface::{Class, Inputs, Outputs, Scheme, UNITS, WIDTH};
use super::memory::{Cycle, Operation};
use super::{Instruction, Issue, Read, SmPipeline, Warp, bit};
use crate::sm::scoreboard::{Arrival, Registers, Scoreboard};

/// For each warp, scoreboard entries, a bit each.
pub(super) type Entries = [u16; 64];

/// What instructions did in a cycle.
pub(super) struct Events {
    /// Entries that finish, or are squashed.
    pub finished: Entries,
    /// The entry whose last TLB check the scoreboard hears of.
    pub checked: Option<(u8, u8)>,
    /// Warps that stop, a bit each.
    pub stops: u64,
}

impl SmPipeline {
    pub(super) fn scoreboard(&self, warp: u8) -> &Scoreboard {
        &self.warps[usize::from(warp)].scoreboard
    }

    fn exists(&self, warp: u8) -> bool {
        usize::from(warp) < self.warps.len()
    }

    /// Whether an instruction faults, and the scheme squashes it.
    pub(super) fn faults(&self, inputs: &Inputs) -> bool {
        inputs.faulted_valid && self.parameters.scheme.squashes()
    }

    pub(super) fn events(&self, inputs: &Inputs) -> Events {
        let scheme = self.parameters.scheme;
        let mut finished = [0; 64];
        for unit in 0..UNITS {
            if bit(inputs.finished_valid[unit], 0) {
                finished[inputs.finished_warp[unit] as usize] |= 1 << inputs.finished_entry[unit];
            }
        }
        let faults = self.faults(inputs);
        if faults {
            finished[usize::from(inputs.faulted_warp)] |= 1 << inputs.faulted_entry;
        } else if let Some((warp, entry)) = self.squashing {
            finished[usize::from(warp)] |= 1 << entry;
        }
        let hears = inputs.checked_valid
            && self.memory.checked_ready()
            && scheme.checks()
            && self.exists(inputs.checked_warp);
        let set = |happens: bool, warp: u8| u64::from(happens) << warp;
        Events {
            finished,
            checked: hears.then_some((inputs.checked_warp, inputs.checked_entry)),
            stops: set(faults, inputs.faulted_warp) | set(inputs.stop_valid, inputs.stop_warp),
        }
    }

    /// The entries of a warp that stop the fetch no more.
    pub(super) fn gone(events: &Events, warp: usize) -> u16 {
        let (finished, checked) = Self::released(events, warp);
        finished | checked
    }

    /// The entries of a warp that finish, and those that are checked.
    pub(super) fn released(events: &Events, warp: usize) -> (u16, u16) {
        let checked = events.checked.filter(|(of, _)| usize::from(*of) == warp);
        (
            events.finished[warp],
            checked.map_or(0, |(_, entry)| 1 << entry),
        )
    }

    /// The warp whose instructions are to be fetched again, and how many.
    pub(super) fn revert(&self) -> Option<(u8, u8)> {
        let warp = &self.warps[usize::from(self.reverting?)];
        let count = warp.scoreboard.buffered() + usize::from(warp.refetch);
        Some((self.reverting?, count as u8))
    }

    /// The warp whose instructions are to be fetched again in the next cycle.
    pub(super) fn next_revert(&self) -> Option<u8> {
        let reverts = |(number, warp): (usize, &Warp)| {
            !warp.running
                && (warp.scoreboard.buffered() > 0 || warp.refetch)
                && self.reverting != Some(number as u8)
        };
        let found = self.warps.iter().enumerate().position(reverts);
        found.map(|number| number as u8)
    }

    pub(super) fn show(&self, inputs: &Inputs, cycle: &Cycle, outputs: &mut Outputs) {
        let queues = self.parameters.scheme.queues();
        outputs.resume_ready = self.exists(inputs.resume_warp)
            && self.is_drained(inputs.resume_warp)
            && (!queues || cycle.queue_outputs.resume_ready);
        let fetching = self.fetching(inputs.restore_valid);
        for (port, warp) in fetching.into_iter().enumerate() {
            outputs.fetch_valid[port] = u64::from(warp.is_some());
            outputs.fetch_warp[port] = self.fetching[port].unwrap_or(0).into();
        }
        if let Some((warp, count)) = self.revert() {
            outputs.revert_valid = true;
            (outputs.revert_warp, outputs.revert_count) = (warp, count);
        }
        for (port, read) in self.reads.iter().enumerate() {
            let Some(Read {
                instruction,
                replayed,
                restored,
                ..
            }) = read
            else {
                continue;
            };
            outputs.read_valid[port] = u64::from(!restored);
            outputs.read_warp[port] = instruction.warp.into();
            outputs.read_entry[port] = instruction.entry.into();
            outputs.read_class[port] = instruction.class as u64;
            outputs.read_replayed[port] = replayed.is_some().into();
            outputs.read_destination[port] = instruction.destination.into();
            outputs.read_source_a[port] = instruction.sources[0].into();
            outputs.read_source_b[port] = instruction.sources[1].into();
            outputs.read_source_c[port] = instruction.sources[2].into();
            outputs.read_pc[port] = instruction.pc.into();
            outputs.read_mask[port] = instruction.mask.into();
            outputs.read_opcode[port] = instruction.opcode.into();
        }
        self.memory.show(cycle, outputs);
    }

    /// Whether a global-memory instruction is issued.
    pub(super) fn issues_global(&self, issue: &Issue) -> bool {
        let mut issued = issue.ports.into_iter().flatten();
        issued.any(|chosen| self.instruction(chosen).instruction.class.is_global())
    }

    /// The memory instruction that has read its operands.
    pub(super) fn memory_arrival(&self, stops: u64) -> Option<Operation> {
        let mut reads = self.reads.iter().flatten();
        let read = reads.find(|read| read.instruction.class.is_memory())?;
        let Read {
            instruction,
            slot,
            replayed,
            restored,
        } = *read;
        let (index, log_address, log_data) = replayed.unwrap_or_default();
        let warp = instruction.warp;
        let stopped = restored || bit(stops, warp) || !self.warps[usize::from(warp)].running;
        Some(Operation {
            instruction,
            slot,
            log_address,
            log_data,
            index,
            replayed: replayed.is_some(),
            squashed: self.parameters.scheme.queues()
                && instruction.class.is_global()
                && replayed.is_none()
                && stopped,
        })
    }

    pub(super) fn finish(&mut self, events: &Events) {
        for (warp, entries) in self.warps.iter_mut().zip(events.finished) {
            if entries != 0 {
                warp.scoreboard.finish(entries);
            }
        }
        if let Some((warp, entry)) = events.checked {
            self.warps[usize::from(warp)].scoreboard.check(entry);
        }
    }

    /// `again` is the instruction that comes back, from the queue or from a saved context.
    pub(super) fn issue_to_read(&mut self, issue: &Issue, again: Option<Read>) {
        self.reads = issue
            .ports
            .map(|port| port.map(|chosen| self.instruction(chosen)));
        for warp in &mut self.warps {
            warp.scoreboard.rest();
        }
        for (warp, second) in issue.ports.into_iter().flatten() {
            let warp = &mut self.warps[usize::from(warp)];
            warp.scoreboard.issue();
            if !second {
                warp.buffer[0] = warp.buffer[1];
            }
        }
        if let Some(unit) = issue.clash.filter(|_| issue.conflict) {
            self.favoured[unit] = 1 - self.favoured[unit];
        }
        if let Some(read) = again {
            self.reads[0] = Some(read);
            let Instruction {
                warp,
                entry,
                destination,
                sources,
                ..
            } = read.instruction;
            let arrival = Arrival {
                fetched: None,
                stops: false,
                holds: true,
                kept: Registers {
                    destination,
                    sources,
                },
            };
            self.warps[usize::from(warp)]
                .scoreboard
                .arrive(entry, &arrival);
        }
    }

    /// The instruction that is fetched on a port, whatever its warp.
    pub(super) fn fetched(&self, inputs: &Inputs, port: usize) -> (Instruction, Arrival) {
        let scheme = self.parameters.scheme;
        let class = Class::of(inputs.fetched_class[port]);
        let sources = [
            inputs.fetched_source_a[port],
            inputs.fetched_source_b[port],
            inputs.fetched_source_c[port],
        ]
        .map(|register| register as u8);
        let instruction = Instruction {
            warp: 0,
            entry: 0,
            class,
            destination: inputs.fetched_destination[port] as u8,
            sources,
            pc: inputs.fetched_pc[port] as u32,
            mask: inputs.fetched_mask[port] as u32,
            opcode: inputs.fetched_opcode[port] as u8,
        };
        let registers = Registers {
            destination: instruction.destination,
            sources,
        };
        let arrival = Arrival {
            fetched: Some(registers),
            stops: class == Class::Control || (scheme.disables() && class.is_global()),
            holds: scheme == Scheme::ReplayQueue && class.is_global(),
            kept: registers,
        };
        (instruction, arrival)
    }

    pub(super) fn arrive(
        &mut self,
        inputs: &Inputs,
        fetching: [Option<u8>; WIDTH],
        entries: [u8; WIDTH],
    ) {
        for (port, warp) in fetching.into_iter().enumerate() {
            let Some(warp) = warp.filter(|_| bit(inputs.fetched_valid[port], 0)) else {
                continue;
            };
            let (instruction, arrival) = self.fetched(inputs, port);
            let state = &mut self.warps[usize::from(warp)];
            let place = state.scoreboard.buffered();
            state.buffer[place] = Instruction {
                warp,
                ..instruction
            };
            state.scoreboard.arrive(entries[port], &arrival);
        }
    }

    /// Warps begin, stop and go on.
    pub(super) fn control(
        &mut self,
        inputs: &Inputs,
        events: &Events,
        revert: Option<(u8, u8)>,
        resumes: bool,
        replay_done: bool,
    ) {
        let scheme = self.parameters.scheme;
        if let Some((warp, _)) = revert {
            let warp = &mut self.warps[usize::from(warp)];
            warp.scoreboard.flush();
            warp.refetch = false;
        }
        if inputs.start_valid && self.exists(inputs.start_warp) {
            let warp = &mut self.warps[usize::from(inputs.start_warp)];
            (warp.running, warp.slot) = (true, inputs.start_slot);
        }
        if let Some((warp, may_run)) = self.replaying {
            if replay_done {
                self.warps[usize::from(warp)].running |= may_run;
                self.replaying = None;
            } else if bit(events.stops, warp) {
                self.replaying = Some((warp, false));
            }
        }
        if resumes {
            if scheme.queues() {
                self.replaying = Some((inputs.resume_warp, true));
            } else {
                self.warps[usize::from(inputs.resume_warp)].running = true;
            }
        }
        for (number, warp) in self.warps.iter_mut().enumerate() {
            warp.running &= events.stops >> number & 1 == 0;
        }
        if inputs.faulted_valid && scheme.disables() && self.exists(inputs.faulted_warp) {
            self.warps[usize::from(inputs.faulted_warp)].refetch = true;
        }
    }
}

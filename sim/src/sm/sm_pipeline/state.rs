//! What a cycle changes, and what it shows.

use super::interface::{Class, Inputs, Outputs, Scheme, UNITS, WIDTH};
use super::memory::{Cycle, Operation};
use super::{Instruction, Issue, Read, SmPipeline};
use crate::bits::{bit, lowest, members, put};
use crate::sm::scoreboard::{Arrival, Registers, Scoreboard};

impl SmPipeline {
    pub(super) fn scoreboard(&self, warp: u8) -> &Scoreboard {
        &self.warps[usize::from(warp)].scoreboard
    }

    pub(super) fn slot(&self, warp: u8) -> u8 {
        self.warps[usize::from(warp)].slot
    }

    /// The instruction of a warp that is issued next, if one is buffered.
    pub(super) fn first(&self, warp: u8) -> &Instruction {
        &self.warps[usize::from(warp)].buffer[0]
    }

    fn exists(&self, warp: u8) -> bool {
        usize::from(warp) < self.warps.len()
    }

    /// Whether an instruction faults, and the scheme squashes it.
    pub(super) fn faults(&self, inputs: &Inputs) -> bool {
        inputs.faulted_valid && self.parameters.scheme.squashes()
    }

    /// Warps that stop in this cycle, a bit each.
    pub(super) fn stops(&self, inputs: &Inputs) -> u64 {
        let set = |happens: bool, warp: u8| u64::from(happens) << warp;
        set(self.faults(inputs), inputs.faulted_warp) | set(inputs.stop_valid, inputs.stop_warp)
    }

    /// The warp whose instructions are to be fetched again, and how many.
    pub(super) fn revert(&self) -> Option<(u8, u8)> {
        let warp = self.reverting?;
        let refetched = usize::from(bit(self.sets.refetch, warp));
        Some((warp, (self.scoreboard(warp).buffered() + refetched) as u8))
    }

    /// The warp whose instructions are to be fetched again in the next cycle.
    pub(super) fn next_revert(&self) -> Option<u8> {
        let reverting = self.reverting.map_or(0, |warp| 1 << warp);
        let sets = &self.sets;
        lowest((sets.buffered | sets.refetch) & !sets.running & !reverting)
    }

    pub(super) fn show(
        &self,
        inputs: &Inputs,
        cycle: &Cycle,
        fetching: [Option<u8>; WIDTH],
        outputs: &mut Outputs,
    ) {
        let queues = self.parameters.scheme.queues();
        outputs.resume_ready = self.exists(inputs.resume_warp)
            && self.is_drained(inputs.resume_warp)
            && (!queues || cycle.queue_outputs.resume_ready);
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
        let stopped = restored || bit(stops, warp) || !self.runs(warp);
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

    /// Reports to the scoreboards what finishes, what is squashed, and what has passed its last TLB check.
    pub(super) fn finish(&mut self, inputs: &Inputs) {
        for unit in (0..UNITS).filter(|&unit| bit(inputs.finished_valid[unit], 0)) {
            let (warp, entry) = (inputs.finished_warp[unit], inputs.finished_entry[unit]);
            self.change(warp as u8, |scoreboard, _| scoreboard.finish(1 << entry));
        }
        let faulted = (inputs.faulted_warp, inputs.faulted_entry);
        let faults = self.faults(inputs).then_some(faulted);
        if let Some((warp, entry)) = faults.or(self.squashing) {
            self.change(warp, |scoreboard, _| scoreboard.finish(1 << entry));
        }
        if inputs.checked_valid && self.memory.checked_ready() && self.parameters.scheme.checks() {
            let entry = inputs.checked_entry;
            self.change(inputs.checked_warp, |scoreboard, _| scoreboard.check(entry));
        }
    }

    /// `again` is the instruction that comes back, from the queue or from a saved context.
    pub(super) fn issue_to_read(&mut self, issue: &Issue, again: Option<Read>) {
        self.reads = issue
            .ports
            .map(|port| port.map(|chosen| self.instruction(chosen)));
        for warp in members(std::mem::take(&mut self.sets.issued)) {
            self.warps[usize::from(warp)].scoreboard.rest();
        }
        for (warp, _) in issue.ports.into_iter().flatten() {
            self.sets.issued |= 1 << warp;
            self.change(warp, |scoreboard, buffer| {
                scoreboard.issue();
                buffer[0] = buffer[1];
            });
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
            self.change(warp, |scoreboard, _| scoreboard.arrive(entry, &arrival));
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
            self.change(warp, |scoreboard, buffer| {
                buffer[scoreboard.buffered()] = Instruction {
                    warp,
                    ..instruction
                };
                scoreboard.arrive(entries[port], &arrival);
            });
        }
    }

    /// Warps begin, stop and go on.
    pub(super) fn control(
        &mut self,
        inputs: &Inputs,
        stops: u64,
        revert: Option<(u8, u8)>,
        resumes: bool,
        replay_done: bool,
    ) {
        let scheme = self.parameters.scheme;
        if let Some((warp, _)) = revert {
            self.change(warp, |scoreboard, _| scoreboard.flush());
            put(&mut self.sets.refetch, warp, false);
        }
        if inputs.start_valid && self.exists(inputs.start_warp) {
            self.warps[usize::from(inputs.start_warp)].slot = inputs.start_slot;
            self.sets.running |= 1 << inputs.start_warp;
        }
        if let Some((warp, may_run)) = self.replaying {
            if replay_done {
                self.sets.running |= u64::from(may_run) << warp;
                self.replaying = None;
            } else if bit(stops, warp) {
                self.replaying = Some((warp, false));
            }
        }
        if resumes {
            if scheme.queues() {
                self.replaying = Some((inputs.resume_warp, true));
            } else {
                self.sets.running |= 1 << inputs.resume_warp;
            }
        }
        self.sets.running &= !stops;
        if inputs.faulted_valid && scheme.disables() && self.exists(inputs.faulted_warp) {
            self.sets.refetch |= 1 << inputs.faulted_warp;
        }
    }
}

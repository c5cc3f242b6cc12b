//! What happens on the pipeline's ports, counted.

use std::collections::VecDeque;

use crate::bits::{bit, members, put};
use crate::numbers::ratio;
use crate::sm::scoreboard::ZERO_REGISTER;
use crate::sm::sm_pipeline::{Class, Inputs, Outputs, Parameters, Scheme, UNITS, WIDTH};

/// Entries of the largest operand log.
const LOG: usize = 256;

/// Why nothing is issued in a cycle: the first of these that holds. From [`Stall::Issue`] on it is what keeps the warp
/// that is nearest to an issue, of those that have an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stall {
    /// No warp is there.
    Empty,
    /// All warps have faulted, or are being replayed.
    Faulted,
    /// The memory stage has an instruction that does not go on.
    Memory,
    /// No warp has an instruction: branches, barriers, and what else disables the fetch.
    Fetch,
    /// What an instruction waited for has come: it is on its way through choice and issue, or its unit is taken.
    Issue,
    /// It waits for entries of the operand log.
    Log,
    /// It waits for a place in the replay queue.
    Queue,
    /// It would overwrite a source that is held until the last TLB check.
    Source,
    /// It waits for a result.
    Result,
}

impl Stall {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Empty,
        Self::Faulted,
        Self::Memory,
        Self::Fetch,
        Self::Issue,
        Self::Log,
        Self::Queue,
        Self::Source,
        Self::Result,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Faulted => "faulted",
            Self::Memory => "memory",
            Self::Fetch => "fetch",
            Self::Issue => "issue",
            Self::Log => "log",
            Self::Queue => "queue",
            Self::Source => "source",
            Self::Result => "result",
        }
    }
}

/// Whether an instruction or a warp goes on over the ports.
pub(super) fn happens(inputs: &Inputs, outputs: &Outputs) -> bool {
    let one = |valid: &[u64]| valid.contains(&1);
    one(&inputs.fetched_valid)
        || one(&inputs.finished_valid)
        || one(&outputs.read_valid)
        || inputs.launch_valid
        || inputs.start_valid
        || inputs.stop_valid
        || inputs.resume_valid
        || inputs.checked_valid
        || inputs.faulted_valid
        || outputs.saved_valid
        || outputs.revert_valid
}

/// An instruction as far as the ports show.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Instruction {
    class: Class,
    destination: u8,
    sources: [u8; 3],
    /// When it was issued.
    issued: u64,
}

impl Instruction {
    /// Whether it may not be issued before another one has committed.
    fn waits_for(&self, older: &Self) -> bool {
        older.destination != ZERO_REGISTER
            && (older.destination == self.destination || self.sources.contains(&older.destination))
    }

    /// Whether it may not be issued before another one is checked, where instructions hold their sources.
    fn overwrites(&self, older: &Self) -> bool {
        older.class.is_global()
            && self.destination != ZERO_REGISTER
            && older.sources.contains(&self.destination)
    }

    /// The entries of the log that it takes.
    fn log_entries(&self) -> usize {
        match self.class {
            Class::Load => 1,
            Class::Store => 2,
            _ => 0,
        }
    }
}

/// A warp as far as the ports show.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    slot: u8,
    /// Instructions that were fetched and not read.
    buffered: VecDeque<Instruction>,
    /// Those in flight, by their scoreboard entries, and whether they have passed their last TLB check.
    flying: [(Instruction, bool); 16],
    /// Entries that count, a bit each.
    entries: u64,
}

/// Counts over a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    scheme: Scheme,
    queue_entries: usize,
    /// Entries of the log for each thread block, and those that each has taken.
    block_entries: usize,
    block_used: [usize; 16],
    queued: usize,
    warps: Vec<Seen>,
    resident: usize,
    /// Warps that run, and those of which something was fetched and not read, a bit each.
    running: u64,
    buffering: u64,
    /// What keeps the warp that is nearest to an issue, if that is known and nothing has happened since.
    nearest: Option<Stall>,
    /// Cycles.
    pub cycles: u64,
    /// Instructions that committed.
    pub instructions: u64,
    /// Instructions that faulted.
    pub faults: u64,
    /// Instructions that were issued again.
    pub replays: u64,
    /// Cycles in which nothing was issued, by cause in the order of [`Stall::ALL`].
    pub stalls: [u64; 9],
    /// Global-memory instructions whose last TLB check succeeded.
    pub checks: u64,
    /// Cycles from their issues to these checks.
    pub check_cycles: u64,
    /// Cycles by the number of instructions in the replay queue.
    pub queue: Vec<u64>,
    /// Cycles by the number of entries of the operand log that are in use.
    pub log: Vec<u64>,
    log_used: usize,
}

impl Statistics {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        Self {
            scheme: parameters.scheme,
            queue_entries: parameters.queue.entries,
            block_entries: 0,
            block_used: [0; 16],
            queued: 0,
            warps: vec![Seen::default(); 64],
            resident: 0,
            running: 0,
            buffering: 0,
            nearest: None,
            cycles: 0,
            instructions: 0,
            faults: 0,
            replays: 0,
            stalls: [0; 9],
            checks: 0,
            check_cycles: 0,
            queue: vec![0; 129],
            log: vec![0; LOG + 1],
            log_used: 0,
        }
    }

    /// Instructions in a cycle.
    #[must_use]
    pub fn instructions_per_cycle(&self) -> f64 {
        ratio(self.instructions, self.cycles)
    }

    /// The mean of a histogram's places.
    #[must_use]
    pub fn mean(histogram: &[u64]) -> f64 {
        let (sum, all) = histogram
            .iter()
            .zip(0u64..)
            .fold((0, 0), |(sum, all), (&times, place)| {
                (sum + times * place, all + times)
            });
        ratio(sum, all)
    }

    /// The least place of a histogram up to which 95 % of it are.
    #[must_use]
    pub fn percentile_95(histogram: &[u64]) -> usize {
        let all: u64 = histogram.iter().sum();
        let mut sum = 0;
        let reached = histogram.iter().position(|&times| {
            sum += times;
            100 * sum >= 95 * all
        });
        reached.unwrap_or(0)
    }

    /// Counts a cycle.
    pub fn observe(&mut self, inputs: &Inputs, outputs: &Outputs) {
        self.observe_all(inputs, outputs, 1);
    }

    /// Counts so many cycles, in which all the same goes over the ports; nothing happens in any of them if they are more than one.
    pub(in super::super) fn observe_all(
        &mut self,
        inputs: &Inputs,
        outputs: &Outputs,
        cycles: u64,
    ) {
        self.cycles += cycles;
        self.instructions += inputs.finished_valid[..UNITS].iter().sum::<u64>();
        self.faults += u64::from(inputs.faulted_valid);
        let reads = outputs.read_valid.iter().sum::<u64>();
        if reads == 0 {
            self.stalls[self.cause(inputs, outputs) as usize] += cycles;
        }
        if self.scheme.queues() {
            self.queue[usize::from(outputs.occupancy)] += cycles;
        }
        if self.scheme == Scheme::OperandLog {
            self.log[self.log_used.min(LOG)] += cycles;
        }
        self.follow(inputs, outputs);
    }

    fn cause(&mut self, inputs: &Inputs, outputs: &Outputs) -> Stall {
        let goes = outputs.memory_valid && inputs.memory_ready;
        if self.resident == 0 {
            Stall::Empty
        } else if self.running == 0 {
            Stall::Faulted
        } else if outputs.memory_front && !goes {
            Stall::Memory
        } else {
            let nearest = self.nearest.unwrap_or_else(|| self.nearest());
            self.nearest = Some(nearest);
            nearest
        }
    }

    /// What keeps the warp that is nearest to an issue.
    fn nearest(&self) -> Stall {
        let warps = || members(self.running & self.buffering);
        // Where one lacks its log entries, the others of its block wait for their turn.
        let lacking = match self.scheme {
            Scheme::OperandLog => {
                let lack = |&warp: &u8| self.keeps(warp, 0) == Some(Stall::Log);
                let slot = |warp: u8| self.warps[usize::from(warp)].slot;
                let lacking = warps().filter(lack);
                lacking.fold(0, |slots, warp| slots | 1 << slot(warp))
            }
            _ => 0,
        };
        let causes = warps().filter_map(|warp| self.keeps(warp, lacking));
        let first = causes.min_by_key(|&cause| cause as usize);
        first.unwrap_or(Stall::Fetch)
    }

    /// What keeps a warp's next instruction from its issue; in slots that lack entries, a bit each, accesses wait for the log:
    /// an estimate from the ports, which do not show whose turn it is.
    fn keeps(&self, warp: u8, lacking: u16) -> Option<Stall> {
        let warp = &self.warps[usize::from(warp)];
        let first = warp.buffered.front()?;
        let flying = || members(warp.entries).map(|entry| &warp.flying[usize::from(entry)]);
        if flying().any(|(older, _)| first.waits_for(older)) {
            return Some(Stall::Result);
        }
        let holds = self.scheme == Scheme::ReplayQueue;
        if holds && flying().any(|(older, checked)| !checked && first.overwrites(older)) {
            return Some(Stall::Source);
        }
        let queues = self.scheme.queues() && first.class.is_global();
        let used = self.block_used[usize::from(warp.slot)];
        Some(match () {
            // A warp is chosen for two places, of which another one may take one.
            () if queues && self.queued + 1 >= self.queue_entries => Stall::Queue,
            () if queues
                && self.scheme == Scheme::OperandLog
                && (lacking >> warp.slot & 1 == 1
                    || used + first.log_entries() > self.block_entries) =>
            {
                Stall::Log
            }
            () => Stall::Issue,
        })
    }

    /// Follows the warps and the log over the ports.
    fn follow(&mut self, inputs: &Inputs, outputs: &Outputs) {
        if happens(inputs, outputs) {
            self.nearest = None;
        }
        if inputs.launch_valid {
            self.block_entries = inputs.launch_entries.into();
        }
        for port in 0..WIDTH {
            if outputs.fetch_valid[port] & inputs.fetched_valid[port] == 1 {
                let instruction = Instruction {
                    class: Class::of(inputs.fetched_class[port]),
                    destination: inputs.fetched_destination[port] as u8,
                    sources: [
                        inputs.fetched_source_a[port] as u8,
                        inputs.fetched_source_b[port] as u8,
                        inputs.fetched_source_c[port] as u8,
                    ],
                    issued: 0,
                };
                let warp = outputs.fetch_warp[port] as usize;
                self.warps[warp].buffered.push_back(instruction);
                self.buffering |= 1 << warp;
            }
        }
        for unit in 0..UNITS {
            if inputs.finished_valid[unit] == 1 {
                let warp = &mut self.warps[inputs.finished_warp[unit] as usize];
                warp.entries &= !(1 << inputs.finished_entry[unit]);
            }
        }
        self.follow_reads(outputs);
        if inputs.checked_valid && outputs.checked_ready {
            let warp = &mut self.warps[usize::from(inputs.checked_warp)];
            if bit(warp.entries, inputs.checked_entry) {
                let (instruction, checked) = &mut warp.flying[usize::from(inputs.checked_entry)];
                *checked = true;
                self.check_cycles += self.cycles - instruction.issued;
            }
            self.checks += 1;
            self.queued = self.queued.saturating_sub(1);
            self.returns(inputs.checked_slot, inputs.checked_store);
        }
        if outputs.saved_valid && inputs.saved_ready {
            self.queued = self.queued.saturating_sub(1);
            self.returns(inputs.save_slot, outputs.saved_store);
        }
        if outputs.revert_valid {
            self.forgets(outputs.revert_warp);
        }
        if inputs.start_valid {
            self.resident += 1;
            self.warps[usize::from(inputs.start_warp)].slot = inputs.start_slot;
            put(&mut self.running, inputs.start_warp, true);
        }
        if inputs.faulted_valid && self.scheme.squashes() {
            put(&mut self.running, inputs.faulted_warp, false);
        }
        if inputs.resume_valid && outputs.resume_ready {
            // It has drained: what was squashed is in flight no more.
            self.warps[usize::from(inputs.resume_warp)].entries = 0;
            put(&mut self.running, inputs.resume_warp, true);
        }
        if inputs.stop_valid {
            self.resident -= 1;
            put(&mut self.running, inputs.stop_warp, false);
        }
    }

    /// Instructions read their operands: they are in flight, in the queue and in the log.
    fn follow_reads(&mut self, outputs: &Outputs) {
        for port in (0..WIDTH).filter(|&port| outputs.read_valid[port] == 1) {
            let instruction = Instruction {
                class: Class::of(outputs.read_class[port]),
                destination: outputs.read_destination[port] as u8,
                sources: [
                    outputs.read_source_a[port] as u8,
                    outputs.read_source_b[port] as u8,
                    outputs.read_source_c[port] as u8,
                ],
                issued: self.cycles - 1,
            };
            let number = outputs.read_warp[port] as usize;
            let warp = &mut self.warps[number];
            warp.flying[outputs.read_entry[port] as usize] = (instruction, false);
            warp.entries |= 1 << outputs.read_entry[port];
            if outputs.read_replayed[port] == 1 {
                self.replays += 1;
                continue;
            }
            warp.buffered.pop_front();
            put(&mut self.buffering, number as u8, !warp.buffered.is_empty());
            if instruction.class.is_global() {
                self.queued += 1;
                self.block_used[usize::from(warp.slot)] += instruction.log_entries();
                self.log_used += instruction.log_entries();
            }
        }
    }

    /// An instruction gives its entries of the log back.
    fn returns(&mut self, slot: u8, store: bool) {
        let entries = 1 + usize::from(store);
        let used = &mut self.block_used[usize::from(slot)];
        *used = used.saturating_sub(entries);
        self.log_used = self.log_used.saturating_sub(entries);
    }

    /// What a warp has fetched and not issued goes back.
    fn forgets(&mut self, warp: u8) {
        self.warps[usize::from(warp)].buffered.clear();
        put(&mut self.buffering, warp, false);
    }
}

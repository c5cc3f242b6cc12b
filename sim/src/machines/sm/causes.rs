//! What an SM's cycles go to: an instruction is issued, or the cause for which none is.

use std::ops::{AddAssign, Index};

use super::below::Below;
use super::machine::Sm;
use super::resident::{Flight, Resident};
use super::work::{Instruction, Kind};
use crate::bits::members;
use crate::sm::scoreboard::ZERO_REGISTER;
use crate::sm::sm_pipeline::{Class, Outputs, Scheme};

/// Why no instruction is issued in a cycle. Of the warps on an SM the one that is nearest to its next instruction decides: the first
/// of these causes that one of them has. A warp at a barrier waits for another one of its thread block, whose cause counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A warp lacks nothing: its instruction is on its way through fetch, choice and issue, or the warp starts or restarts.
    Pipeline,
    /// The operand log or the replay queue is full, and not only of instructions that wait for absent pages.
    Log,
    /// The scheme holds a warp back: its fetch stops behind a global access, whatever that waits for, or the next instruction would
    /// overwrite a source that the replay queue holds.
    Scheme,
    /// A warp waits for arithmetic, a branch or shared memory.
    Arithmetic,
    /// A warp waits for the coalescer, the caches or DRAM.
    Memory,
    /// A warp waits for a TLB miss and its walk.
    Translation,
    /// The warps wait for a handler on the SM: of an exception, or of a fault that was injected.
    Handler,
    /// The warps wait for absent pages, on the SM or switched out.
    Fault,
    /// A thread block is being switched out or in.
    Switching,
    /// The SM has no thread block.
    Empty,
}

impl Cause {
    /// All of them, the nearest first.
    pub const ALL: [Self; 10] = [
        Self::Pipeline,
        Self::Log,
        Self::Scheme,
        Self::Arithmetic,
        Self::Memory,
        Self::Translation,
        Self::Handler,
        Self::Fault,
        Self::Switching,
        Self::Empty,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pipeline => "pipeline",
            Self::Log => "log",
            Self::Scheme => "scheme",
            Self::Arithmetic => "arithmetic",
            Self::Memory => "memory",
            Self::Translation => "translation",
            Self::Handler => "handler",
            Self::Fault => "fault",
            Self::Switching => "switching",
            Self::Empty => "empty",
        }
    }
}

/// The cycles of an SM, or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    /// An instruction is issued.
    pub issuing: u64,
    /// None is, by cause in the order of [`Cause::ALL`].
    causes: [u64; Cause::ALL.len()],
}

impl Cycles {
    /// Adds cycles in which an instruction is issued, or else those of a cause.
    pub(in super::super) const fn add(&mut self, cause: Option<Cause>, cycles: u64) {
        match cause {
            None => self.issuing += cycles,
            Some(cause) => self.causes[cause as usize] += cycles,
        }
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.issuing + self.causes.iter().sum::<u64>()
    }
}

impl Index<Cause> for Cycles {
    type Output = u64;

    fn index(&self, cause: Cause) -> &u64 {
        &self.causes[cause as usize]
    }
}

impl AddAssign for Cycles {
    fn add_assign(&mut self, other: Self) {
        self.issuing += other.issuing;
        for (cycles, others) in self.causes.iter_mut().zip(other.causes) {
            *cycles += others;
        }
    }
}

/// Whether an instruction waits for an older one of its warp to commit.
fn waits_for(next: &Instruction, older: &Instruction) -> bool {
    older.destination != ZERO_REGISTER
        && (older.destination == next.destination || next.sources.contains(&older.destination))
}

impl<B: Below> Sm<'_, B> {
    /// Why nothing was issued in the last cycle, or in all cycles of the rest that has ended: a rest has one cause. None if something
    /// was issued.
    pub(in super::super) fn cause(&self, outputs: &Outputs) -> Option<Cause> {
        if outputs.read_valid.contains(&1) {
            return None;
        }
        let cycle = self.now.saturating_sub(1);
        let ready = self.core.pipeline().ready();
        let of_ready = members(ready).map(|warp| self.keeps_ready(warp, cycle));
        let mut nearest = of_ready.min();
        for (warp, resident) in (0..).zip(&self.warps) {
            if nearest == Some(Cause::Pipeline) {
                break;
            }
            let decides =
                |resident: &&Resident| ready >> warp & 1 == 0 && !resident.is_at_barrier();
            if let Some(resident) = resident.as_ref().filter(decides) {
                let cause = self.keeps(warp, resident, cycle);
                nearest = Some(nearest.map_or(cause, |nearest| nearest.min(cause)));
            }
        }
        Some(nearest.unwrap_or(match self.switch.scheduler {
            _ if !self.switch.is_idle() => Cause::Switching,
            // Its warps wait at a barrier that they are about to pass.
            _ if self.slots.iter().any(Option::is_some) => Cause::Pipeline,
            _ if self.switch.away() == 0 => Cause::Empty,
            Some(_) => Cause::Fault,
            None => Cause::Switching,
        }))
    }

    /// What keeps an instruction from its issue that waits for no operand.
    fn keeps_ready(&self, warp: u8, cycle: u64) -> Cause {
        let class = self.core.pipeline().next_class(warp);
        match class {
            _ if self.core.pipeline().lacks_entries(warp) => {
                match self.core.waits_for_pages_alone() {
                    true => Cause::Fault,
                    false => Cause::Log,
                }
            }
            _ if class.is_memory() && self.core.pipeline().has_full_memory_stage() => Cause::Memory,
            Class::Special if !self.units.special_ready(cycle) => Cause::Arithmetic,
            _ => Cause::Pipeline,
        }
    }

    /// What keeps a warp from its next instruction, which is not fetched or waits for an operand.
    fn keeps(&self, warp: u8, resident: &Resident, cycle: u64) -> Cause {
        let of_flights = || self.of_flights(warp, resident);
        let last = || of_flights().max().unwrap_or(Cause::Pipeline);
        if self.switch.holds() == Some(resident.slot) {
            return Cause::Switching;
        }
        if let Some(until) = resident.faulted {
            return match () {
                () if self.core.waits(warp) => Cause::Fault,
                () if resident.flying > 0 => last(),
                () if until > cycle => Cause::Handler,
                () => Cause::Pipeline,
            };
        }
        let of = |position: usize| resident.steps.get(position);
        let instruction = |position| of(position).map(|step| self.work.instruction(step));
        if resident.position > resident.issued {
            let Some(next) = instruction(resident.issued) else {
                return Cause::Pipeline;
            };
            let is_older = |flight: &&Flight| {
                instruction(flight.position).is_some_and(|older| waits_for(next, older))
            };
            let awaited = self
                .flights(resident)
                .filter(|(_, flight)| is_older(flight));
            let awaited =
                awaited.map(|(entry, flight)| self.of_flight(warp, resident, entry, flight));
            let holds = self.parameters.pipeline.scheme == Scheme::ReplayQueue
                && !self.core.pipeline().is_free(warp);
            let held = if holds {
                Cause::Scheme
            } else {
                Cause::Pipeline
            };
            return awaited.max().unwrap_or(held);
        }
        let Some(next) = instruction(resident.position) else {
            // All of it was issued.
            return last();
        };
        if !self.core.pipeline().runs(warp) {
            return Cause::Pipeline;
        }
        if self.core.pipeline().stops_fetch(warp) {
            let before = resident.position.checked_sub(1).and_then(instruction);
            return match before.is_some_and(|before| before.class.is_global()) {
                true => Cause::Scheme,
                false => last(),
            };
        }
        if resident.drains(next.kind == Kind::Barrier) && !resident.is_drained() {
            return last();
        }
        match self.core.pipeline().has_room(warp) {
            true => Cause::Pipeline,
            false => of_flights().min().unwrap_or(Cause::Pipeline),
        }
    }

    /// A warp's instructions in flight, with their entries.
    fn flights<'warp>(
        &self,
        resident: &'warp Resident,
    ) -> impl Iterator<Item = (u8, &'warp Flight)> + use<'warp, B> {
        let flights = (0..).zip(&resident.flights);
        let flights = flights.filter_map(|(entry, flight)| Some((entry, flight.as_ref()?)));
        flights.take(resident.flying)
    }

    /// What each of a warp's instructions in flight waits for.
    fn of_flights(&self, warp: u8, resident: &Resident) -> impl Iterator<Item = Cause> {
        let flights = self.flights(resident);
        flights.map(move |(entry, flight)| self.of_flight(warp, resident, entry, flight))
    }

    /// What an instruction in flight waits for.
    fn of_flight(&self, warp: u8, resident: &Resident, entry: u8, flight: &Flight) -> Cause {
        let instruction = self.work.instruction(&resident.steps[flight.position]);
        match instruction.kind {
            Kind::Raising(_) => Cause::Arithmetic,
            _ if instruction.class.is_global() => self.core.cause(warp, entry),
            _ => Cause::Arithmetic,
        }
    }
}

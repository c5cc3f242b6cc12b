//! A warp on the SM: where its source stands, and what of it is under way.

use std::collections::VecDeque;
use std::sync::Arc;

use super::memory_unit::Tag;
use super::values::{Accessed, Values};
use super::work::Step;
use crate::simt::{Memory, Operands, Write};

/// Scoreboard entries of a warp at most.
pub const ENTRIES: usize = 16;

/// An instruction between operand read and its end.
#[derive(Clone, Debug)]
pub struct Flight {
    /// Its place in the warp.
    pub position: usize,
    /// It was issued before.
    pub replayed: bool,
    /// What it has read, if values are computed and it accesses memory.
    pub operands: Option<Box<Operands>>,
    /// Operands that are to come from the log.
    pub awaited: u8,
    /// What it writes to a register when it commits: what it has computed, or read from memory.
    pub write: Option<Box<Write>>,
    /// The lanes that it sends to its target, of a branch.
    pub taken: Option<u32>,
    /// Its access was noted, and not performed yet.
    pub awaits_memory: bool,
    /// What was reported to the memory unit of it.
    pub tag: Tag,
    /// It has faulted under `Recovery::Naive`, and is finished without having been executed.
    pub squashed: bool,
}

impl Flight {
    /// Its access of global memory is performed.
    pub fn perform(&mut self, values: &mut Values<'_>, step: &Step, pc: u32, memory: &mut Memory) {
        if let Some(operands) = &self.operands {
            self.write = values.perform(step, pc, operands, Accessed::Global(memory));
            self.awaits_memory = false;
        }
    }
}

/// A warp in its place.
#[derive(Clone, Debug)]
pub struct Resident {
    /// Its block's number, and its own in the block.
    pub block: usize,
    pub number: usize,
    /// The slot of its block.
    pub slot: usize,
    pub steps: Arc<[Step]>,
    /// The next instruction to be fetched.
    pub position: usize,
    /// The next instruction to read its operands for the first time.
    pub issued: usize,
    /// Instructions that have read their operands and have not committed, the oldest first.
    pub uncommitted: VecDeque<usize>,
    /// Instructions that are to be issued again, the oldest first.
    pub replays: VecDeque<usize>,
    pub flights: [Option<Flight>; ENTRIES],
    /// Flights.
    pub flying: usize,
    /// It waits at a barrier.
    pub waits: bool,
    /// It has faulted, and its pages are there at this time.
    pub faulted: Option<u64>,
    /// When each of its faults was reported after which it has not issued again.
    pub fault_times: Vec<u64>,
    /// Instructions that have raised exceptions for which the handler has not begun, and those that raise none when they are done
    /// again.
    pub raised: Vec<usize>,
    pub handled: Vec<usize>,
    /// The oldest instruction that faulted under `Recovery::Naive`.
    pub squashed_from: Option<usize>,
}

impl Resident {
    pub fn new(block: usize, number: usize, slot: usize, steps: Arc<[Step]>) -> Self {
        Self {
            block,
            number,
            slot,
            steps,
            position: 0,
            issued: 0,
            uncommitted: VecDeque::with_capacity(ENTRIES),
            replays: VecDeque::new(),
            flights: Default::default(),
            flying: 0,
            waits: false,
            faulted: None,
            fault_times: Vec::new(),
            raised: Vec::new(),
            handled: Vec::new(),
            squashed_from: None,
        }
    }

    /// Puts an instruction in its entry; false if that is taken.
    pub fn takes_off(&mut self, entry: u8, position: usize, replayed: bool) -> bool {
        let place = &mut self.flights[usize::from(entry)];
        let free = place.is_none();
        *place = Some(Flight {
            position,
            replayed,
            operands: None,
            awaited: 0,
            write: None,
            taken: None,
            awaits_memory: false,
            tag: Tag::default(),
            squashed: false,
        });
        self.flying += usize::from(free);
        free
    }

    pub fn flight(&mut self, entry: u8) -> Option<&mut Flight> {
        self.flights[usize::from(entry)].as_mut()
    }

    /// Takes an instruction out of its entry.
    pub fn lands(&mut self, entry: u8) -> Option<Flight> {
        let flight = self.flights[usize::from(entry)].take();
        self.flying -= usize::from(flight.is_some());
        flight
    }

    /// An instruction is not under way any more.
    pub fn forget(&mut self, position: usize) {
        if let Some(place) = self.uncommitted.iter().position(|&other| other == position) {
            self.uncommitted.remove(place);
        }
    }

    /// Whether the next instruction may be fetched only when nothing is under way: a barrier, so that the others
    /// find in memory what was written before it, and the last one, with which the warp ends.
    pub fn drains(&self, barrier: bool) -> bool {
        barrier || self.position + 1 == self.steps.len()
    }

    /// Whether it waits at a barrier, and for nothing else.
    pub fn is_at_barrier(&self) -> bool {
        self.waits && self.faulted.is_none()
    }

    /// Whether it has drained after exceptions, so that their handler begins.
    pub fn awaits_handler(&self) -> bool {
        self.flying == 0 && !self.raised.is_empty()
    }

    /// It leaves the SM. Its context does not say what the handler has done, so what has raised an exception and is not done again
    /// by then raises it once more.
    pub fn leaves(&mut self) {
        self.raised.clear();
        self.handled.clear();
    }

    /// Whether nothing is under way.
    pub fn is_drained(&self) -> bool {
        self.uncommitted.is_empty() && self.issued == self.position
    }
}

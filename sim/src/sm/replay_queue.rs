//! The reference model of the replay queue: its page (`docs/blocks/replay_queue.md`) as plain data.

use std::collections::VecDeque;

use crate::ports::Model;

mod interface;

pub use interface::{Inputs, Instruction, Outputs, Parameters};

/// Where an instruction stands. One that waits has not passed its last TLB check either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Issued, and not through its last TLB check.
    Unchecked,
    /// Issued, and through its last TLB check: it can only commit.
    Checked,
    /// Squashed by a fault, or restored: it waits for a replay.
    Waiting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scan {
    Idle,
    Replaying { warp: u8 },
    Saving { slot: u8 },
}

/// What a look finds: the entries of the age that the scan has come to, and whether there are any in its group of ages.
#[derive(Clone, Copy, Debug, Default)]
struct Look {
    candidates: u128,
    group: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    instruction: Instruction,
    state: State,
    /// Its number among all that were ever inserted for its warp.
    number: u64,
}

/// A warp's instructions, oldest first, how many of them are in flight, and how many there ever were.
#[derive(Clone, Debug, Default)]
struct Warp {
    order: VecDeque<u8>,
    in_flight: usize,
    inserted: u64,
}

/// The reference model.
#[derive(Clone, Debug)]
pub struct ReplayQueue {
    parameters: Parameters,
    entries: Vec<Option<Entry>>,
    free: u128,
    warps: Vec<Warp>,
    slot_in_flight: Vec<usize>,
    scan: Scan,
    /// Ages that are still to be looked at.
    remaining: u64,
    /// What the look of the cycle before found.
    candidates: u128,
    on_offer: bool,
    last_read: (u8, Instruction),
    /// Warps with an instruction in flight that is near the greatest age, a bit each.
    aged_warps: u64,
}

/// An instruction is called aged from age 2^`age_bits` less this on: four inserts below the greatest age.
const NEAR: u64 = 5;

impl Model for ReplayQueue {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            entries: vec![None; parameters.entries],
            free: u128::MAX >> (128 - parameters.entries),
            warps: vec![Warp::default(); 1 << parameters.warp_bits],
            slot_in_flight: vec![0; 1 << parameters.slot_bits],
            scan: Scan::Idle,
            remaining: 0,
            candidates: 0,
            on_offer: false,
            last_read: (0, Instruction::default()),
            aged_warps: 0,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let picked = self.picked();
        let looks = picked.is_none() && !self.on_offer && self.remaining != 0;
        let look = if looks { self.look() } else { Look::default() };
        let outputs = self.outputs(inputs);
        if inputs.reset {
            // Reset reaches no memory: what is being read is read, and stays on show under index 0.
            let read = picked.and_then(|index| self.entries[usize::from(index)]);
            let shown = read.map_or(self.last_read.1, |entry| entry.instruction);
            *self = Self::new(self.parameters);
            self.last_read = (0, shown);
        } else {
            self.messages(inputs);
            self.engine(inputs, &outputs, picked, look);
            if inputs.insert_valid && outputs.insert_ready {
                self.insert(inputs, outputs.insert_index);
            }
        }
        outputs
    }
}

impl ReplayQueue {
    /// Where the instruction of an entry stands; nothing if the entry is free.
    #[must_use]
    pub fn state(&self, index: usize) -> Option<(State, &Instruction)> {
        self.entries[index]
            .as_ref()
            .map(|entry| (entry.state, &entry.instruction))
    }

    /// The free entries, a bit each.
    #[must_use]
    pub fn free(&self) -> u128 {
        self.free
    }

    /// Whether instructions of a warp wait.
    #[must_use]
    pub fn waits(&self, warp: u8) -> bool {
        let warp = &self.warps[usize::from(warp)];
        warp.order.len() > warp.in_flight
    }

    /// Instructions of a warp that are in the queue.
    #[must_use]
    pub fn length(&self, warp: u8) -> usize {
        self.warps[usize::from(warp)].order.len()
    }

    /// The oldest instruction of a warp.
    #[must_use]
    pub fn oldest(&self, warp: u8) -> Option<u8> {
        self.warps[usize::from(warp)].order.front().copied()
    }

    /// Whether no scan is going on.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.scan == Scan::Idle
    }

    /// Whether an instruction is on offer to be issued again.
    #[must_use]
    pub fn offers_replay(&self) -> bool {
        self.on_offer && matches!(self.scan, Scan::Replaying { .. })
    }

    /// The entry that is read from the payload memory in this cycle.
    fn picked(&self) -> Option<u8> {
        (self.candidates != 0).then(|| small(self.candidates.trailing_zeros() as usize))
    }

    /// Ages of a group are those that differ in the lower half of their bits only.
    fn group(&self, age: u64) -> u64 {
        age >> (self.parameters.age_bits / 2)
    }

    /// The waiting entries of the warp or slot of the scan that have the age which it has come to.
    fn look(&self) -> Look {
        let wanted = self.remaining - 1;
        let mut look = Look::default();
        let mut at = |index: u8, slot: Option<u8>| {
            let Some(entry) = self.entries[usize::from(index)].as_ref() else {
                return;
            };
            let instruction = &entry.instruction;
            if entry.state != State::Waiting || slot.is_some_and(|slot| instruction.slot != slot) {
                return;
            }
            let age = self.warps[usize::from(instruction.warp)].inserted - entry.number;
            look.group |= self.group(age) == self.group(wanted);
            look.candidates |= u128::from(age == wanted) << index;
        };
        match self.scan {
            Scan::Idle => {}
            Scan::Replaying { warp } => {
                for &index in &self.warps[usize::from(warp)].order {
                    at(index, None);
                }
            }
            Scan::Saving { slot } => {
                for index in 0..small(self.parameters.entries) {
                    at(index, Some(slot));
                }
            }
        }
        look
    }

    /// Whether an instruction of a warp has the greatest age, so that no other may come after it.
    #[must_use]
    pub fn is_too_old(&self, warp: u8) -> bool {
        let warp = &self.warps[usize::from(warp)];
        let oldest = warp
            .order
            .front()
            .and_then(|&index| self.entries[usize::from(index)]);
        oldest.is_some_and(|oldest| {
            warp.inserted - oldest.number == (1 << self.parameters.age_bits) - 1
        })
    }

    /// Whether an instruction in flight is near the greatest age.
    #[must_use]
    pub fn is_aged(&self) -> bool {
        self.aged_warps != 0
    }

    /// Looks whether a warp has an instruction in flight that is near the greatest age.
    fn age(&mut self, warp: u8) {
        let near = (1_u64 << self.parameters.age_bits)
            .saturating_sub(NEAR)
            .max(1);
        let of_warp = &self.warps[usize::from(warp)];
        let aged = of_warp.order.iter().any(|&index| {
            self.entries[usize::from(index)].is_some_and(|entry| {
                entry.state != State::Waiting && of_warp.inserted - entry.number >= near
            })
        });
        self.aged_warps &= !(1 << warp);
        self.aged_warps |= u64::from(aged) << warp;
    }

    /// What it shows for these inputs, without going on: for a model that is a part of another.
    #[must_use]
    pub fn outputs(&self, inputs: &Inputs) -> Outputs {
        let idle = self.scan == Scan::Idle;
        let picks = self.candidates != 0;
        let over = !idle && self.remaining == 0 && !picks && !self.on_offer;
        let replaying = matches!(self.scan, Scan::Replaying { .. });
        let save_ready = idle && self.slot_in_flight[usize::from(inputs.save_slot)] == 0;
        let drained = self.warps[usize::from(inputs.resume_warp)].in_flight == 0;
        let full = self.free == 0;
        let may_enter = (inputs.insert_restored || !self.waits(inputs.insert_warp))
            && !self.is_too_old(inputs.insert_warp);
        let (entry_index, entry) = self.last_read;
        Outputs {
            insert_ready: !full && !picks && may_enter,
            memory_free: !picks,
            insert_index: if full {
                0
            } else {
                small(self.free.trailing_zeros() as usize)
            },
            held: self.held(inputs.held_warp, inputs.held_register),
            resume_ready: idle && drained && !(inputs.save_valid && save_ready),
            replay_valid: replaying && self.on_offer,
            replay_done: replaying && over,
            save_ready,
            saved_valid: !replaying && self.on_offer,
            save_done: !replaying && over,
            entry_index,
            entry_warp: entry.warp,
            entry_slot: entry.slot,
            entry_pc: entry.pc,
            entry_opcode: entry.opcode,
            entry_destination: entry.destination,
            entry_address_register: entry.address_register,
            entry_data_register: entry.data_register,
            entry_mask: entry.mask,
            entry_log_address: entry.log_address,
            entry_log_data: entry.log_data,
            occupancy: small(self.occupancy()),
            aged: self.is_aged(),
        }
    }

    fn occupancy(&self) -> usize {
        self.parameters.entries - self.free.count_ones() as usize
    }

    fn held(&self, warp: u8, register: u8) -> bool {
        let reads = |&index: &u8| {
            self.entries[usize::from(index)]
                .as_ref()
                .is_some_and(|entry| {
                    let instruction = &entry.instruction;
                    entry.state != State::Checked
                        && (instruction.address_register == register
                            || instruction.data_register == register)
                })
        };
        register != self.parameters.zero_register()
            && self.warps[usize::from(warp)].order.iter().any(reads)
    }

    /// Commit goes before fault and fault before check.
    fn messages(&mut self, inputs: &Inputs) {
        let in_flight = |queue: &Self, index: u8| {
            queue.entries[usize::from(index)].is_some_and(|entry| entry.state != State::Waiting)
        };
        if inputs.committed_valid && in_flight(self, inputs.committed_index) {
            self.remove(inputs.committed_index);
        }
        if inputs.faulted_valid && self.is_unchecked(inputs.faulted_index) {
            self.set_state(inputs.faulted_index, State::Waiting);
        }
        if inputs.checked_valid && in_flight(self, inputs.checked_index) {
            self.set_state(inputs.checked_index, State::Checked);
        }
    }

    fn engine(&mut self, inputs: &Inputs, outputs: &Outputs, picked: Option<u8>, look: Look) {
        let idle = self.scan == Scan::Idle;
        if inputs.save_valid && outputs.save_ready {
            self.scan = Scan::Saving {
                slot: inputs.save_slot,
            };
        } else if inputs.resume_valid && outputs.resume_ready {
            self.scan = Scan::Replaying {
                warp: inputs.resume_warp,
            };
        }
        if idle {
            self.remaining = if self.scan == Scan::Idle {
                0
            } else {
                1 << self.parameters.age_bits
            };
        } else if outputs.replay_done || outputs.save_done {
            self.scan = Scan::Idle;
        } else if self.on_offer {
            if outputs.replay_valid && inputs.replay_ready {
                self.set_state(self.last_read.0, State::Unchecked);
                self.on_offer = false;
            }
            if outputs.saved_valid && inputs.saved_ready {
                self.on_offer = false;
            }
        } else if let Some(index) = picked {
            self.candidates = 0;
            self.pick(index);
        } else {
            self.candidates = look.candidates;
            self.remaining -= 1;
            if !look.group {
                self.remaining &= !((1 << (self.parameters.age_bits / 2)) - 1);
            }
        }
    }

    fn pick(&mut self, index: u8) {
        if let Some(entry) = self.entries[usize::from(index)] {
            self.last_read = (index, entry.instruction);
            self.on_offer = true;
            if matches!(self.scan, Scan::Saving { .. }) {
                self.remaining += 1;
                self.remove(index);
            }
        }
    }

    fn insert(&mut self, inputs: &Inputs, index: u8) {
        let instruction = inputs.inserted();
        let state = if inputs.insert_restored {
            State::Waiting
        } else {
            State::Unchecked
        };
        let warp = &mut self.warps[usize::from(instruction.warp)];
        warp.inserted += 1;
        warp.order.push_back(index);
        self.free &= !(1 << index);
        self.entries[usize::from(index)] = Some(Entry {
            instruction,
            state,
            number: warp.inserted,
        });
        self.count(&instruction, state, true);
        self.age(instruction.warp);
    }

    fn remove(&mut self, index: u8) {
        if let Some(Entry {
            instruction, state, ..
        }) = self.entries[usize::from(index)].take()
        {
            self.free |= 1 << index;
            let order = &mut self.warps[usize::from(instruction.warp)].order;
            if let Some(place) = order.iter().position(|&other| other == index) {
                order.remove(place);
            }
            self.count(&instruction, state, false);
            self.age(instruction.warp);
        }
    }

    fn is_unchecked(&self, index: u8) -> bool {
        self.entries[usize::from(index)].is_some_and(|entry| entry.state == State::Unchecked)
    }

    fn set_state(&mut self, index: u8, state: State) {
        if let Some(entry) = self.entries[usize::from(index)].as_mut() {
            let Entry {
                instruction,
                state: old,
                ..
            } = *entry;
            entry.state = state;
            self.count(&instruction, old, false);
            self.count(&instruction, state, true);
            self.age(instruction.warp);
        }
    }

    /// Keeps the counts of what is in flight.
    fn count(&mut self, instruction: &Instruction, state: State, more: bool) {
        if state != State::Waiting {
            let of_warp = &mut self.warps[usize::from(instruction.warp)].in_flight;
            let of_slot = &mut self.slot_in_flight[usize::from(instruction.slot)];
            if more {
                *of_warp += 1;
                *of_slot += 1;
            } else {
                *of_warp -= 1;
                *of_slot -= 1;
            }
        }
    }
}

/// An index or a count of at most 128 entries.
#[allow(clippy::cast_possible_truncation)]
const fn small(number: usize) -> u8 {
    number as u8
}

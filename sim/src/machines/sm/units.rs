//! Execution units: what they are executing, and when it is finished.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::parameters::Timing;
use crate::sm::sm_pipeline::{CONTROL_UNIT, Class, MEMORY_UNIT, SPECIAL_UNIT, UNITS};

/// Instructions that may wait for the unit of special functions when it says that it is ready: as many as are on
/// their way when it does.
const SPECIAL_WAITING: usize = 2;

/// The units but the memory unit execute in order; every unit finishes one instruction a cycle.
#[derive(Clone, Debug)]
pub struct Units {
    timing: Timing,
    in_order: [VecDeque<(u64, u8, u8)>; UNITS],
    /// When special functions may begin.
    special_free: u64,
    /// The memory unit's: when, in which order, warp and entry.
    memory: BinaryHeap<Reverse<(u64, u64, u8, u8)>>,
    number: u64,
}

impl Units {
    pub fn new(timing: Timing) -> Self {
        Self {
            timing,
            in_order: Default::default(),
            special_free: 0,
            memory: BinaryHeap::new(),
            number: 0,
        }
    }

    /// Whether special functions may be issued.
    pub fn special_ready(&self, now: u64) -> bool {
        let waiting = self.special_free.saturating_sub(now);
        waiting <= SPECIAL_WAITING as u64 * self.timing.special_interval
    }

    /// When the next instruction is finished, or special functions may be issued again.
    pub fn next(&self, now: u64) -> u64 {
        let in_order = self
            .in_order
            .iter()
            .filter_map(|unit| Some(unit.front()?.0));
        let memory = self.memory.peek().map(|first| first.0.0);
        let waiting = SPECIAL_WAITING as u64 * self.timing.special_interval;
        let special = self.special_free.saturating_sub(waiting);
        let special = Some(special).filter(|&at| at > now);
        let all = in_order.chain(memory).chain(special);
        all.min().unwrap_or(u64::MAX)
    }

    /// An instruction that reads its operands now begins in the next cycle; the port says which unit of two.
    pub fn begin(&mut self, class: Class, port: usize, warp: u8, entry: u8, now: u64) {
        let (unit, finished) = match class {
            Class::Special => {
                let begins = self.special_free.max(now + 1);
                self.special_free = begins + self.timing.special_interval;
                (SPECIAL_UNIT, begins + self.timing.special)
            }
            Class::Control => (CONTROL_UNIT, now + 1 + self.timing.control),
            _ => (port, now + 1 + self.timing.math),
        };
        self.in_order[unit].push_back((finished, warp, entry));
    }

    /// A memory instruction that is finished at a time.
    pub fn finishes(&mut self, warp: u8, entry: u8, time: u64) {
        self.number += 1;
        self.memory.push(Reverse((time, self.number, warp, entry)));
    }

    /// The warp and the entry of what a unit finishes in this cycle.
    pub fn finished(&mut self, unit: usize, now: u64) -> Option<(u8, u8)> {
        if unit == MEMORY_UNIT {
            let Reverse((.., warp, entry)) =
                *self.memory.peek().filter(|first| first.0.0 <= now)?;
            self.memory.pop();
            return Some((warp, entry));
        }
        let (_, warp, entry) = *self.in_order[unit].front().filter(|first| first.0 <= now)?;
        self.in_order[unit].pop_front();
        Some((warp, entry))
    }
}

//! Exceptions: divisions and traps in the memory unit, and the handler on the SM.

use std::collections::VecDeque;

use super::below::Below;
use super::machine::Sm;
use super::memory_unit::{Fault, Tag};
use super::outcome::SmError;
use super::parameters::{Response, Timing};
use super::work::Kind;
use crate::simt::Raised;

/// Divisions and traps in the memory unit, beside the coalescer. It takes one a cycle, in order, and is pipelined.
#[derive(Clone, Debug)]
pub struct Raising {
    /// Cycles until it is known whether an instruction raises an exception: arithmetic compares the divisor with 0.
    check: u64,
    /// Cycles from there to the result, which takes as long as a special function.
    result: u64,
    /// When it is known, and which lanes raise an exception.
    executed: VecDeque<(u64, Tag, u32)>,
}

impl Raising {
    pub fn new(timing: Timing) -> Self {
        Self {
            check: timing.math,
            result: timing.special.saturating_sub(timing.math),
            executed: VecDeque::new(),
        }
    }

    /// An instruction begins, of which these lanes raise an exception.
    pub fn begin(&mut self, tag: Tag, lanes: u32, now: u64) {
        self.executed.push_back((now + self.check, tag, lanes));
    }

    /// The next instruction of which it is known by now which lanes raise an exception, with the time of its result.
    pub fn checked(&mut self, now: u64) -> Option<(Tag, u32, u64)> {
        let &(known, tag, lanes) = self.executed.front().filter(|first| first.0 <= now)?;
        self.executed.pop_front();
        Some((tag, lanes, known + self.result))
    }

    /// When that is known of the next one.
    pub fn next(&self) -> u64 {
        self.executed.front().map_or(u64::MAX, |first| first.0)
    }
}

impl<B: Below> Sm<'_, B> {
    /// Lanes of an instruction have raised an exception: it is squashed, or ends the kernel.
    pub(super) fn raised(&mut self, tag: Tag, lanes: u32) -> Result<(), SmError> {
        let resident = self.warps[usize::from(tag.warp)].as_ref();
        let step = resident.and_then(|resident| {
            let flight = resident.flights[usize::from(tag.entry)].as_ref()?;
            Some((resident, &resident.steps[flight.position]))
        });
        let Some((resident, step)) = step else {
            return Err(self.broken(tag.warp, "an exception of an instruction that is not there"));
        };
        let instruction = self.work.instruction(step);
        let Kind::Raising(exception) = instruction.kind else {
            return Err(self.broken(tag.warp, "an exception of an instruction that raises none"));
        };
        let restarts = self.parameters.exceptions.response == Response::Restart;
        if restarts && self.parameters.pipeline.scheme.squashes() {
            let fault = Fault {
                until: self.now,
                some_lanes: lanes != step.mask,
                shared_page: false,
                is_raised: true,
            };
            self.faults.push_back((tag, fault));
            return Ok(());
        }
        Err(SmError::Exception {
            cycle: self.now,
            raised: Raised {
                block: resident.block as u32,
                warp: resident.number as u32,
                pc: instruction.pc,
                exception,
                lanes,
            },
        })
    }

    /// The handler begins for warps that have drained. It handles the exceptions of a warp one after the other, and those of
    /// different warps side by side.
    pub(super) fn handle_exceptions(&mut self) {
        let (now, handler) = (self.now, self.parameters.exceptions.handler);
        for &warp in &self.faulted {
            if let Some(resident) = &mut self.warps[usize::from(warp)]
                && resident.awaits_handler()
            {
                let over = now + handler * resident.raised.len() as u64;
                resident.faulted = resident.faulted.max(Some(over));
                resident.handled.append(&mut resident.raised);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_come_in_order_and_before_results() {
        let mut raising = Raising::new(Timing::PAPER);
        let tag = |entry| Tag {
            entry,
            ..Tag::default()
        };
        raising.begin(tag(1), 0, 10);
        raising.begin(tag(2), 0b101, 11);
        assert_eq!(raising.next(), 14);
        assert!(raising.checked(13).is_none());
        let known = |(tag, lanes, result): (Tag, u32, u64)| (tag.entry, lanes, result);
        assert_eq!(raising.checked(14).map(known), Some((1, 0, 26)));
        assert!(raising.checked(14).is_none());
        assert_eq!(raising.checked(15).map(known), Some((2, 0b101, 27)));
        assert_eq!(raising.next(), u64::MAX);
    }
}

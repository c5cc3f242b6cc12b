//! A cycle of the SM around the block `sm_unit`: what other units report, which warps are held, and where its lines go.

use super::below::Below;
use super::core::Core;
use super::machine::Sm;
use super::memory_unit::Fault;
use super::outcome::SmError;
use super::work::Kind;
use crate::ports::Model;
use crate::sm::sm_pipeline::{Class, Inputs, Outputs};

impl<B: Below> Sm<'_, B> {
    /// A cycle of what the SM is around. With the SM unit, what goes into its pipeline is known then.
    pub(super) fn core_cycle(
        &mut self,
        inputs: &mut Inputs,
        outputs: &mut Outputs,
    ) -> Result<(), SmError> {
        let held = (self.is_for_another_unit(), self.held());
        match &mut self.core {
            Core::Apart(apart) => {
                *outputs = apart.pipeline.cycle(inputs);
                Ok(())
            }
            Core::Joined(joined) => {
                let resumed = inputs.resume_warp;
                if inputs.resume_valid && joined.is_away(resumed) {
                    return Err(self.broken(resumed, "it goes on before its page fault is over"));
                }
                joined.cycle(held, inputs, outputs);
                joined.walk(self.now, &mut self.below);
                self.faulted(inputs)?;
                self.access_line()
            }
        }
    }

    /// The SM has ended, and no line is to leave.
    pub(in super::super) fn settle_at_last(&mut self) {
        if let Some(joined) = self.core.joined_mut() {
            joined.settle(self.now, &mut self.below);
        }
    }

    /// Whether the front of the memory stage goes to shared memory, or to the unit of divisions and traps.
    fn is_for_another_unit(&self) -> bool {
        let Some(front) = self.core.pipeline().front() else {
            return false;
        };
        let resident = self.warps[usize::from(front.warp)].as_ref();
        let flight = resident.and_then(|resident| {
            let flight = resident.flights[usize::from(front.entry)].as_ref()?;
            Some(self.work.instruction(&resident.steps[flight.position]).kind)
        });
        front.class == Class::Shared || matches!(flight, Some(Kind::Raising(_)))
    }

    /// Warps that have raised an exception and do not go on yet, a bit each.
    fn held(&self) -> u64 {
        self.core.joined().map_or(0, |joined| joined.exceptional())
    }

    /// A warp goes on when the handler of its exceptions is over. The memory unit resumes those that have faulted, too, or nothing
    /// else.
    pub(super) fn offer_handled(&mut self) {
        let now = self.now;
        self.offered = None;
        let Some(joined) = self.core.joined_mut() else {
            return;
        };
        for &warp in &self.faulted {
            let resident = self.warps[usize::from(warp)].as_ref();
            let is_over = resident.is_some_and(|resident| {
                let over = |until| until <= now;
                resident.raised.is_empty() && resident.faulted.is_some_and(over)
            });
            if is_over && joined.is_away(warp) {
                joined.release(warp);
            } else if is_over {
                self.offered = Some(warp);
                return;
            }
        }
    }

    /// An instruction has faulted, or raised an exception.
    fn faulted(&mut self, inputs: &Inputs) -> Result<(), SmError> {
        let Some(joined) = self.core.joined_mut().filter(|_| inputs.faulted_valid) else {
            return Ok(());
        };
        let (warp, entry) = (inputs.faulted_warp, inputs.faulted_entry);
        if joined.outputs.faulted_denied {
            return Err(self.broken(warp, "an access is denied that the tables allow"));
        }
        if joined.is_of_another().1
            && let Some((_, fault)) = self.faults.pop_front()
        {
            joined.raises(warp);
            return self.squash(warp, entry, fault);
        }
        let resident = self.warps[usize::from(warp)].as_ref();
        let mask = resident.and_then(|resident| {
            let flight = resident.flights[usize::from(entry)].as_ref()?;
            Some(resident.steps[flight.position].mask)
        });
        let (some_lanes, shared_page) = joined.fault(warp, entry, mask.unwrap_or(0));
        let fault = Fault {
            until: self.now,
            some_lanes,
            shared_page,
            is_raised: false,
        };
        self.squash(warp, entry, fault)
    }

    /// The line that leaves is accessed. With the last one its instruction has accessed memory.
    fn access_line(&mut self) -> Result<(), SmError> {
        let Core::Joined(joined) = &mut self.core else {
            return Ok(());
        };
        let left = joined.line(self.now, &mut self.below);
        let left = left.map_err(|(warp, what)| self.broken(warp, what))?;
        let Some(left) = left.filter(|left| left.is_last) else {
            return Ok(());
        };
        let least = self.now + self.below.access_cycles();
        self.perform(left.warp, left.entry);
        if let Some(joined) = self.core.joined_mut()
            && let Some(over) = joined.has_left(left.warp, left.entry, least)
        {
            self.units
                .finishes(left.warp, left.entry, over.max(self.now + 1));
        }
        Ok(())
    }
}

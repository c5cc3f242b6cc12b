//! An SM that rests: all its warps wait, and nothing happens until a time that is known, or until something comes.

use super::below::Below;
use super::machine::Sm;
use super::statistics::happens;
use crate::sm::sm_pipeline::{Inputs, Outputs};

/// Cycles in which nothing has gone over the pipeline's ports, after which its registers hold still.
const SETTLED: u8 = 4;

/// Cycles in which nothing has gone over the pipeline's ports, up to [`SETTLED`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rest(u8);

impl Rest {
    /// What has gone over the ports in a cycle.
    pub fn see(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let is_busy = happens(inputs, outputs)
            || inputs.save_valid
            || inputs.restore_valid
            || outputs.memory_front
            || outputs.logged_valid;
        self.0 = if is_busy { 0 } else { SETTLED.min(self.0 + 1) };
    }
}

impl<B: Below> Sm<'_, B> {
    /// Until when nothing happens, if something comes from below at `comes` and not before; none if something happens now.
    pub(in super::super) fn rests(&self, comes: u64) -> Option<u64> {
        let now = self.now;
        if self.rest.0 < SETTLED || comes <= now {
            return None;
        }
        let launch = self.awaits_launch()?;
        let happens = !self.starts.is_empty()
            || !self.stops.is_empty()
            || !self.checks.is_empty()
            || !self.faults.is_empty()
            || !self.logged.is_empty()
            || self.handed.is_some()
            || self.offered.is_some();
        if happens || !self.core.pipeline().rests() {
            return None;
        }
        let decides = self.core.rests()?;
        if self
            .core
            .pipeline()
            .fetchable()
            .any(|warp| self.next_step(warp).is_some())
        {
            return None;
        }
        let over = self.faulted.iter().filter_map(|&warp| {
            let resident = self.warps[usize::from(warp)].as_ref()?;
            let waits = resident.flying > 0 || self.core.waits(warp);
            resident.faulted.filter(|_| !waits)
        });
        let next = over
            .chain([comes, launch, decides, self.units.next(now)])
            .min();
        next.filter(|&next| next > now)
    }

    /// A number of cycles pass in which nothing happens.
    pub(in super::super) fn rest(&mut self, cycles: u64) {
        self.core.rest(cycles);
        if let Some(preempting) = &mut self.preempting {
            preempting.rest(cycles);
        }
        self.now += cycles;
    }
}

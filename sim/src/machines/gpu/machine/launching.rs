//! The launch of a second kernel, up to the moment at which every SM is free for it.

use super::super::super::sm::{Blocks, Drain, Preempted, Preemption};
use super::{Failure, Gpu};

/// How an SM was made free for the second kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freed {
    /// When, and what was saved.
    pub preempted: Preempted,
    /// Blocks that ended meanwhile, with the times that Chimera estimates.
    pub drains: Vec<Drain>,
}

impl Gpu<'_> {
    /// Goes on until something is so when its parts have met, or to the end. It says whether that is the end.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn go_on(&mut self, until: impl Fn(&Self) -> bool) -> Result<bool, Failure> {
        while !until(self) {
            self.advance()?;
            self.meet()?;
            if self.ended().is_some() {
                return Ok(true);
            }
            self.check_progress()?;
        }
        Ok(false)
    }

    /// The second kernel is launched in a cycle that is to come, other than was said, and each SM makes room for it so.
    pub fn plan(&mut self, at: u64, preemption: Preemption) {
        self.launch = Some(at);
        let at = at + self.parameters.crossbar;
        for sm in &mut self.sms {
            sm.plan(preemption, at);
        }
    }

    /// Goes on until every SM is free for the second kernel, and says how it became so.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn until_free(mut self) -> Result<Vec<Freed>, Failure> {
        let are_free = |gpu: &Self| gpu.sms.iter().all(|sm| sm.freed().is_some());
        self.go_on(are_free)?;
        let freed = |sm: &super::Multiprocessor<'_>| Freed {
            preempted: sm.freed().unwrap_or_default(),
            drains: sm.measured().1.to_vec(),
        };
        Ok(self.sms.iter().map(freed).collect())
    }

    /// Blocks that have ended, on all SMs.
    #[must_use]
    pub fn blocks(&self) -> Blocks {
        let each = self.sms.iter().map(|sm| sm.measured().0);
        each.fold(Blocks::default(), |all, one| Blocks {
            count: all.count + one.count,
            cycles: all.cycles + one.cycles,
        })
    }

    /// Bytes of a block of the first kernel: registers, SIMT state and shared memory.
    #[must_use]
    pub fn context_bytes(&self) -> u64 {
        self.sms
            .first()
            .map_or(0, super::Multiprocessor::context_bytes)
    }

    /// The share of the lanes of the registers of resident warps that are dirty, in the mean of the SMs.
    #[must_use]
    pub fn dirty_share(&self) -> f64 {
        let shares = self.sms.iter().map(super::Multiprocessor::dirty_share);
        shares.sum::<f64>() / self.sms.len() as f64
    }
}

//! What brings absent pages: a link, over which they come one after the other.

use std::collections::VecDeque;

use super::super::driver;
use super::Parameters;
use super::memory::Memory;
use super::outcome::Outcome;
use crate::mmu::fault_buffer::Record;

/// Pages of a GMMU that are under way: when each is there, and its space.
pub type Coming = VecDeque<(u64, u64, u8)>;

/// The link, which all GMMUs share.
#[derive(Clone, Debug, Default)]
pub struct Link {
    free: u64,
}

/// What brings the pages of a GMMU.
#[derive(Debug)]
pub struct Pager<'run> {
    pub coming: &'run mut Coming,
    pub link: &'run mut Link,
    pub memory: &'run mut Memory,
    pub outcome: &'run mut Outcome,
    pub parameters: &'run Parameters,
}

impl driver::Pager for Pager<'_> {
    /// Bringing a page is waiting for its turn on the link, and for the rest of the service beside that.
    fn fault(&mut self, now: u64, record: &Record) {
        let Parameters {
            service, transfer, ..
        } = *self.parameters;
        self.outcome.far_faults += 1;
        self.link.free = self.link.free.max(now + service - transfer) + transfer;
        let coming = (self.link.free, record.vpn, record.asid);
        self.coming.push_back(coming);
    }

    fn is_ready(&self, now: u64) -> bool {
        self.coming.front().is_some_and(|(due, ..)| *due <= now)
    }

    fn resolve(&mut self, _: u64) -> Option<(u64, u8)> {
        let (_, vpn, asid) = self.coming.pop_front()?;
        self.memory.bring(vpn);
        Some((vpn, asid))
    }
}

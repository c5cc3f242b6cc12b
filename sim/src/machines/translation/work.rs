//! What the SMs access.

/// A coalesced access of a warp: one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The page number.
    pub page: u64,
    /// Cycles from the end of the warp's instruction before this one, with its data, to this one; 0 for another page of
    /// the same instruction, which goes on when it has all of them.
    pub after: u32,
}

/// What an SM does in a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SmWork {
    /// The accesses of each warp.
    pub warps: Vec<Vec<Access>>,
    /// It begins again whenever it has ended, until the others have ended, and does not count.
    pub endless: bool,
}

/// What the SMs do until all of them have ended: a kernel.
pub type Phase = Vec<SmWork>;

/// What the SMs do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// Its name.
    pub name: String,
    /// One after the other; each has as many SMs.
    pub phases: Vec<Phase>,
}

impl Work {
    /// How many SMs there are.
    #[must_use]
    pub fn sms(&self) -> usize {
        self.phases.first().map_or(0, Vec::len)
    }
}

//! When an instruction that accesses memory is over: when all of its lines have come, and the pipeline knows that nothing faults.

use super::cache::Waiter;
use super::resident::ENTRIES;

/// What is known of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Landing {
    /// Lines that have not come and of which it is not known when they do.
    awaited: usize,
    /// When the others are there.
    over: u64,
    /// The pipeline knows that its checks have succeeded.
    is_reported: bool,
}

impl Landing {
    /// It is known when it is over.
    pub const fn known(over: u64) -> Self {
        Self {
            awaited: 0,
            over,
            is_reported: false,
        }
    }

    /// It is not over before this time.
    pub fn lasts(&mut self, least: u64) {
        self.over = self.over.max(least);
    }

    /// A line of it is accessed. When it comes is said here, or by [`Landing::comes`].
    pub fn leaves(&mut self, comes: Option<u64>) {
        match comes {
            Some(over) => self.lasts(over),
            None => self.awaited += 1,
        }
    }

    /// A line comes. If it was all that was missing, it says when the instruction is over.
    pub fn comes(&mut self, now: u64) -> Option<u64> {
        self.awaited -= 1;
        self.lasts(now);
        self.over().filter(|_| self.is_reported)
    }

    /// The pipeline knows. It says when the instruction is over, if that is known.
    pub const fn reported(&mut self) -> Option<u64> {
        self.is_reported = true;
        self.over()
    }

    const fn over(&self) -> Option<u64> {
        if self.awaited == 0 {
            Some(self.over)
        } else {
            None
        }
    }
}

/// The instructions of each warp's entries.
#[derive(Clone, Debug)]
pub struct Landings(Vec<[Landing; ENTRIES]>);

impl Landings {
    pub fn new(warps: usize) -> Self {
        Self(vec![Default::default(); warps])
    }

    /// That of a warp's entry.
    pub fn of(&mut self, warp: u8, entry: u8) -> &mut Landing {
        &mut self.0[usize::from(warp)][usize::from(entry)]
    }

    /// Lines come. It names the instructions that are over with them, and when.
    pub fn arrive(&mut self, waiters: Vec<Waiter>, now: u64) -> Vec<(u8, u8, u64)> {
        let comes = |(warp, entry)| Some((warp, entry, self.of(warp, entry).comes(now)?));
        waiters.into_iter().filter_map(comes).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_over_with_the_last_line_and_once_that_is_known() {
        let mut landing = Landing::known(10);
        landing.leaves(Some(20));
        landing.leaves(None);
        landing.leaves(None);
        assert_eq!(landing.comes(30), None);
        assert_eq!(landing.reported(), None);
        assert_eq!(landing.comes(25), Some(30));
        let mut landing = Landing::default();
        landing.leaves(None);
        assert_eq!(landing.comes(7), None);
        landing.lasts(9);
        assert_eq!(landing.reported(), Some(9));
    }
}

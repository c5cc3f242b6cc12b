//! Which access is decided, and which warp is resumed, from the state at the beginning of a cycle.

use super::{Access, MemoryUnit, PageState, Set};

/// How an access can be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Fails,
    Passes,
}

impl MemoryUnit {
    pub(super) fn access(&self, number: usize) -> Option<&Access> {
        self.accesses.get(number)?.as_ref()
    }

    /// Some page entry with this access has such a state.
    fn has_page(&self, access: usize, of: impl Fn(PageState) -> bool) -> bool {
        self.pages()
            .any(|(_, page)| page.accesses >> access & 1 == 1 && of(page.state))
    }

    /// The access fails, once it can be decided.
    fn fails(&self, number: usize) -> bool {
        let ends = |state| matches!(state, PageState::Absent | PageState::Denied);
        let access = self.access(number);
        access.is_some_and(|access| access.follows || access.denied) || self.has_page(number, ends)
    }

    /// A re-check of the access may begin; one that is under way ends before.
    pub(super) fn may_be_rechecked(&self, number: usize) -> bool {
        self.access(number).is_some_and(|access| {
            let wants = access.stale || (access.refused && access.retries && !self.fails(number));
            wants && access.split && !access.decided && !access.rechecked
        })
    }

    /// How the access can be decided, if it can.
    pub(super) fn verdict(&self, number: usize) -> Option<Verdict> {
        let access = self.access(number)?;
        if access.decided || !access.split || access.stale || access.rechecked || access.notes != 0
        {
            return None;
        }
        if self.fails(number) {
            return Some(Verdict::Fails);
        }
        let waits = access.refused || self.has_page(number, |state| state == PageState::Waits);
        (!waits).then_some(Verdict::Passes)
    }

    /// The oldest of the accesses that are such.
    pub(super) fn oldest(&self, is: impl Fn(usize, &Access) -> bool) -> Option<usize> {
        self.accesses()
            .filter(|(number, access)| is(*number, access))
            .min_by_key(|(_, access)| access.since)
            .map(|(number, _)| number)
    }

    /// The oldest page entry that is woken and waits.
    pub(super) fn woken(&self) -> Option<usize> {
        self.pages()
            .filter(|(_, page)| page.woken && page.state == PageState::Waits)
            .min_by_key(|(_, page)| page.since)
            .map(|(number, _)| number)
    }

    /// The absent page entries of which an access is a member.
    pub(super) fn absent_pages(&self, access: usize) -> Set {
        self.pages()
            .filter(|(_, page)| page.accesses >> access & 1 == 1)
            .filter(|(_, page)| page.state == PageState::Absent)
            .fold(0, |set, (number, _)| set | 1 << number)
    }

    /// The access was denied, or a page of it.
    pub(super) fn is_denied(&self, number: usize) -> bool {
        let denied = self.access(number).is_some_and(|access| access.denied);
        denied || self.has_page(number, |state| state == PageState::Denied)
    }

    /// The warps that wait for pages, or have accesses that are not decided, a bit each.
    pub(super) fn busy(&self) -> u64 {
        let waiting = self.pages().fold(0, |set, (_, page)| set | page.warps);
        let undecided = self.accesses().filter(|(_, access)| !access.decided);
        undecided.fold(waiting, |set, (_, access)| set | 1 << access.warp)
    }

    /// The warps that can be resumed, without those that are held or leave, a bit each.
    pub(super) fn resumable(&self, hold: u64, leave: Option<u8>) -> u64 {
        let named = leave.map_or(0, |warp| 1 << warp);
        let offered = self.resume.map_or(0, |warp| 1 << warp);
        self.away & !(self.busy() | hold | named | offered)
    }

    /// The first warp of a set in turn.
    pub(super) const fn in_turn(&self, warps: u64) -> Option<u8> {
        let behind = warps & (u64::MAX << self.turn);
        let set = if behind == 0 { warps } else { behind };
        match set {
            0 => None,
            _ => Some(set.trailing_zeros() as u8),
        }
    }
}

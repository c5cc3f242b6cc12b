//! The link between CPU and GPU: parts that were missed take it in the order of their faults, and prefetched parts and
//! lines of pinned memory in between.

use std::collections::VecDeque;
use std::ops::Range;

use crate::page::Page;

/// The link. Its two directions are independent of each other.
#[derive(Clone, Debug)]
pub struct Link {
    /// Cycles for which a part takes it, and a line of pinned memory.
    transfer: u64,
    line: u64,
    /// Parts that were missed take it at these times, which have not passed.
    reserved: VecDeque<Range<u64>>,
    /// When the last one of them is through, and when the last prefetched part is.
    free: u64,
    busy: u64,
    /// When the last line of pinned memory is through that has been requested.
    lines_free: u64,
    /// When the last part or line is through that goes back.
    back_free: u64,
    /// Parts that are to be prefetched, in order, and from when on each may move.
    ahead: VecDeque<(Page, u64)>,
}

impl Link {
    pub fn new(transfer: u64, line: u64) -> Self {
        Self {
            transfer,
            line,
            reserved: VecDeque::new(),
            free: 0,
            busy: 0,
            lines_free: 0,
            back_free: 0,
            ahead: VecDeque::new(),
        }
    }

    /// Time passes.
    pub fn advance(&mut self, now: u64) {
        while self.reserved.front().is_some_and(|first| first.end <= now) {
            self.reserved.pop_front();
        }
    }

    /// When a part that was missed takes the link, from a time on.
    pub fn reserve(&mut self, ready: u64) -> Range<u64> {
        let begins = ready.max(self.free).max(self.busy).max(self.lines_free);
        self.free = begins + self.transfer;
        self.reserved.push_back(begins..self.free);
        begins..self.free
    }

    /// When a part is through that goes back from a time on.
    pub fn back(&mut self, ready: u64) -> u64 {
        self.back_free = ready.max(self.back_free) + self.transfer;
        self.back_free
    }

    /// When a line of pinned memory takes the link that is requested now: before the next part that was missed if it is
    /// through by then.
    pub fn line(&mut self, now: u64) -> Range<u64> {
        let begins = self.gap(now.max(self.busy).max(self.lines_free), self.line);
        self.lines_free = begins + self.line;
        begins..self.lines_free
    }

    /// When a line of pinned memory takes the way back that is written now.
    pub fn line_back(&mut self, now: u64) -> Range<u64> {
        let begins = now.max(self.back_free);
        self.back_free = begins + self.line;
        begins..self.back_free
    }

    /// The first time from this one on at which the link is free for so many cycles, but for what is prefetched and for
    /// lines.
    fn gap(&self, from: u64, cycles: u64) -> u64 {
        let mut begins = from;
        for missed in &self.reserved {
            if begins + cycles <= missed.start {
                break;
            }
            begins = begins.max(missed.end);
        }
        begins
    }

    /// A part is to be prefetched, from a time on which is not before now.
    pub fn wait(&mut self, part: Page, ready: u64, now: u64) {
        self.ahead.push_back((part, ready.max(now + 1)));
    }

    /// A part that was to be prefetched was missed. It says from when on it may move, if it has not begun.
    pub fn promote(&mut self, part: Page) -> Option<u64> {
        let place = self.ahead.iter().position(|(other, _)| *other == part)?;
        self.ahead.remove(place).map(|(_, ready)| ready)
    }

    /// When the next part begins that is prefetched, from now on: it is through before the next one of those that are
    /// known to have been missed.
    pub fn next(&self, now: u64) -> Option<u64> {
        let (_, ready) = self.ahead.front()?;
        let from = self.busy.max(self.lines_free).max(*ready).max(now);
        Some(self.gap(from, self.transfer))
    }

    /// The next part that is prefetched, if it may begin now.
    pub fn starts(&mut self, now: u64) -> Option<Page> {
        self.next(now).filter(|&begins| begins == now)?;
        self.ahead.pop_front().map(|(part, _)| part)
    }

    /// A prefetched part takes the link.
    pub fn start(&mut self, at: u64) -> Range<u64> {
        self.busy = at + self.transfer;
        at..self.busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(vpn: u64) -> Page {
        Page { vpn, asid: 0 }
    }

    #[test]
    fn prefetched_parts_take_the_link_between_those_that_were_missed() {
        let mut link = Link::new(100, 10);
        for vpn in 1..4 {
            link.wait(part(vpn), 50, 0);
        }
        assert_eq!(link.reserve(160), 160..260);
        assert_eq!(link.starts(49), None);
        assert_eq!(link.starts(50), Some(part(1)));
        assert_eq!(link.start(50), 50..150);
        // The second one would delay what was missed.
        assert_eq!(link.next(0), Some(260));
        // What is missed while a part moves waits for it, and goes before those that wait.
        assert_eq!(link.reserve(100), 260..360);
        assert_eq!(link.next(0), Some(360));
        assert_eq!(link.promote(part(3)), Some(50));
        assert_eq!(link.promote(part(3)), None);
        assert_eq!(link.starts(360), Some(part(2)));
        assert_eq!(link.start(360), 360..460);
        assert_eq!(link.reserve(370), 460..560);
        assert_eq!(link.next(0), None);
        // What comes to the front late finds less room before what was missed.
        assert_eq!(link.reserve(700), 700..800);
        link.wait(part(4), 50, 0);
        assert_eq!(
            [560, 600, 601].map(|now| link.next(now)),
            [560, 600, 800].map(Some)
        );
    }

    #[test]
    fn lines_take_the_link_between_parts() {
        let mut link = Link::new(100, 10);
        assert_eq!(link.reserve(25), 25..125);
        assert_eq!([link.line(0), link.line(0)], [0..10, 10..20]);
        // The third one would delay what was missed.
        assert_eq!(link.line(1), 125..135);
        link.wait(part(1), 0, 0);
        assert_eq!(link.next(2), Some(135));
        assert_eq!(link.starts(135), Some(part(1)));
        assert_eq!(link.start(135), 135..235);
        assert_eq!(link.line(140), 235..245);
        assert_eq!(link.reserve(150), 245..345);
        // What goes back waits for what goes back.
        assert_eq!(
            [link.line_back(140), link.line_back(141)],
            [140..150, 150..160]
        );
        assert_eq!(link.back(155), 260);
        assert_eq!(link.line_back(155), 260..270);
    }

    #[test]
    fn the_way_back_is_another_one() {
        let mut link = Link::new(100, 10);
        assert_eq!(link.reserve(10), 10..110);
        assert_eq!(
            [link.back(10), link.back(20), link.back(300)],
            [110, 210, 400]
        );
    }
}

//! A global-memory instruction in the memory unit: its lines, and what the TLB has said of them.

use super::below::Use;
use super::memory_unit::Tag;

/// Lines of a page, as a power of two.
const PAGE_LINE_BITS: u32 = 5;

/// What the TLB has said of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing yet.
    Nothing,
    /// Its page is missed.
    Missed,
    /// Its page is there since this time, in this frame.
    Passed(u64, u32),
    /// Its page is absent.
    Absent,
}

/// How faults of lanes are that fault whatever their pages.
#[derive(Clone, Copy, Debug)]
pub struct Injected {
    /// Cycles from the check to the fault, and from there to the page.
    pub known: u64,
    pub cycles: u64,
    /// They squash the instruction, which waits in the pipeline otherwise.
    pub squashes: bool,
}

/// A line of an access.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub number: u64,
    /// The lanes that access it.
    pub lanes: u32,
    pub said: Said,
}

impl Line {
    pub fn page(&self) -> u64 {
        self.number >> PAGE_LINE_BITS
    }

    /// When its page was there, and its number by its physical address.
    pub fn passed(&self) -> Option<(u64, u64)> {
        let Said::Passed(time, pfn) = self.said else {
            return None;
        };
        let inside = self.number & ((1 << PAGE_LINE_BITS) - 1);
        Some((time, u64::from(pfn) << PAGE_LINE_BITS | inside))
    }
}

#[derive(Clone, Debug)]
pub struct Access {
    /// The number of its acceptance.
    pub number: u64,
    pub tag: Tag,
    pub how: Use,
    /// The lines that were requested of the TLB.
    pub lines: Vec<Line>,
    /// All of them were requested.
    pub split: bool,
    /// Lines without an answer, and lines that are missed.
    pub requested: usize,
    pub missed: usize,
    /// When the last of its checks has succeeded, as far as they have.
    pub decided: u64,
    /// It faults; what it knows of the time to come back.
    pub fault: Option<u64>,
    /// Lanes that fault whatever their pages.
    pub injected: u32,
    /// Where it waits for their pages in the pipeline: when it faulted, and when the pages are there.
    pub stalls: Option<(u64, u64)>,
    /// When it was known that it waits in the pipeline for a page.
    pub stalled: Option<u64>,
}

impl Access {
    pub fn writes(&self) -> bool {
        self.how != Use::Load
    }

    /// Whether the order of two matters.
    pub fn meets(&self, line: u64, writes: bool) -> bool {
        (writes || self.writes()) && self.lines.iter().any(|own| own.number == line)
    }

    /// Whether the order of this and an older one matters.
    pub fn follows(&self, older: &Self) -> bool {
        let mut lines = self.lines.iter();
        older.tag.warp == self.tag.warp && lines.any(|line| older.meets(line.number, self.writes()))
    }

    /// Whether it is known what becomes of it. One that faults does not wait for what it has missed besides.
    pub fn is_answered(&self) -> bool {
        self.split && self.requested == 0 && (self.missed == 0 || self.fault.is_some())
    }

    /// The lanes that fault, and all of them.
    pub fn faulting(&self) -> (u32, u32) {
        self.lines.iter().fold((0, 0), |(faulting, all), line| {
            let of_line = match line.said {
                Said::Absent => line.lanes,
                _ => line.lanes & self.injected,
            };
            (faulting | of_line, all | line.lanes)
        })
    }

    /// Forgets translations, unless it faults and so is not performed. It names the pages that it requests again. Lanes that have
    /// faulted whatever their pages do not do so again.
    pub fn forget(&mut self) -> impl Iterator<Item = u64> {
        let (missed, injected) = (&mut self.missed, &mut self.injected);
        let lines = self.lines.iter_mut().filter(|_| self.fault.is_none());
        lines.filter_map(|line| {
            line.passed()?;
            line.said = Said::Missed;
            *missed += 1;
            *injected &= !line.lanes;
            Some(line.page())
        })
    }

    /// The TLB has said something of a line.
    pub fn answered(&mut self, place: usize, said: Said, injected: Injected) {
        let line = &mut self.lines[place];
        match line.said {
            Said::Nothing => self.requested -= 1,
            Said::Missed => self.missed -= 1,
            Said::Passed(..) | Said::Absent => return,
        }
        line.said = said;
        match &mut line.said {
            Said::Missed => self.missed += 1,
            Said::Passed(time, _) => {
                if line.lanes & self.injected != 0 {
                    let known = *time + injected.known;
                    let over = known + injected.cycles;
                    if injected.squashes {
                        *time = known;
                        self.fault = self.fault.max(Some(over));
                    } else {
                        *time = over;
                        let (first, last) = self.stalls.unwrap_or((known, over));
                        self.stalls = Some((first.min(known), last.max(over)));
                    }
                }
                self.decided = self.decided.max(*time);
            }
            Said::Absent => self.fault = self.fault.max(Some(0)),
            Said::Nothing => self.requested += 1,
        }
    }
}

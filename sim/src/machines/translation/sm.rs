//! An SM as its L1 TLB sees it: warps that access pages, and wait for those that are missed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::{Histogram, SmWork};
use crate::ports::Model;
use crate::sm::l1_tlb::{Inputs, L1Tlb};

/// A page that a warp wants.
#[derive(Clone, Copy, Debug)]
struct Check {
    warp: usize,
    page: u64,
    /// When it was missed first.
    missed: Option<u64>,
}

/// A warp.
#[derive(Clone, Copy, Debug, Default)]
struct Warp {
    /// The access that comes next.
    next: usize,
    /// Pages that its instruction waits for.
    wanted: usize,
}

/// An SM.
#[derive(Clone, Debug)]
pub struct Sm {
    /// Without one, every page is known at once.
    tlb: Option<L1Tlb>,
    work: SmWork,
    warps: Vec<Warp>,
    /// When warps have their next instruction.
    ready: BinaryHeap<Reverse<(u64, usize)>>,
    /// Checks that are to be made.
    queue: VecDeque<Check>,
    /// The check of the cycle before.
    requested: Option<Check>,
    /// Checks that have missed.
    waiting: Vec<Check>,
    /// Warps that have not ended.
    running: usize,
    /// When a page was missed for which no check waited.
    new_page: Option<u64>,
    /// Cycles from such a page to the next one.
    pub intervals: Histogram,
    pub accesses: u64,
    pub missed: u64,
}

impl Sm {
    pub fn new(tlb: Option<L1Tlb>) -> Self {
        Self {
            tlb,
            work: SmWork::default(),
            warps: Vec::new(),
            ready: BinaryHeap::new(),
            queue: VecDeque::new(),
            requested: None,
            waiting: Vec::new(),
            running: 0,
            new_page: None,
            intervals: Histogram::default(),
            accesses: 0,
            missed: 0,
        }
    }

    /// A phase begins; of an SM without end, what it does goes on.
    pub fn begin(&mut self, work: &SmWork, now: u64) {
        if self.work.endless && work.endless {
            return;
        }
        self.work = work.clone();
        self.warps = vec![Warp::default(); work.warps.len()];
        self.ready.clear();
        self.running = 0;
        for (warp, accesses) in work.warps.iter().enumerate() {
            if let Some(first) = accesses.first() {
                self.ready
                    .push(Reverse((now + u64::from(first.after), warp)));
                self.running += 1;
            }
        }
    }

    /// All warps have ended, or there is no end to them.
    pub fn has_ended(&self) -> bool {
        self.running == 0 || self.work.endless
    }

    pub fn is_endless(&self) -> bool {
        self.work.endless
    }

    /// Its L1 TLB.
    pub fn tlb(&self) -> Option<&L1Tlb> {
        self.tlb.as_ref()
    }

    /// When a page was missed that is waited for.
    pub fn missed_at(&self, page: u64) -> Option<u64> {
        let of_vpn = self
            .waiting
            .iter()
            .chain(&self.queue)
            .chain(&self.requested);
        let of_vpn = of_vpn.filter(|check| check.page == page);
        of_vpn.filter_map(|check| check.missed).min()
    }

    /// When the next instruction comes, if nothing else happens.
    pub fn next_instruction(&self) -> Option<u64> {
        let ready = self.ready.peek().map(|Reverse((time, _))| *time);
        ready.filter(|_| self.queue.is_empty() && self.requested.is_none())
    }

    /// What it does in a cycle, in which the L1 TLB receives `inputs`.
    pub fn cycle(&mut self, now: u64, mut inputs: Inputs) {
        let check = self.next_check(now);
        let comes = inputs.fill_valid || inputs.resolve_valid || check.is_some();
        let Some(tlb) = &mut self.tlb else {
            if let Some(check) = check {
                self.pass(now + 1, check);
            }
            return;
        };
        if !comes && self.requested.is_none() && tlb.is_quiet() {
            return;
        }
        if let Some(check) = check {
            inputs.check_valid = true;
            inputs.check_vpn = check.page;
        }
        let outputs = tlb.cycle(&inputs);
        if let Some(requested) = std::mem::replace(&mut self.requested, check) {
            if outputs.answer_hit {
                self.pass(now, requested);
            } else {
                if requested.missed.is_none() {
                    self.missed += 1;
                    if self.missed_at(requested.page).is_none()
                        && let Some(before) = self.new_page.replace(now)
                    {
                        self.intervals.add(now - before);
                    }
                }
                self.waiting.push(Check {
                    missed: requested.missed.or(Some(now)),
                    ..requested
                });
            }
        }
        if outputs.wake_valid {
            let woken = |check: &Check| outputs.wake_all || check.page == outputs.wake_vpn;
            self.queue
                .extend(self.waiting.iter().copied().filter(woken));
            self.waiting.retain(|check| !woken(check));
        }
    }

    /// The check of this cycle: of what has waited longest, otherwise of the next instruction.
    fn next_check(&mut self, now: u64) -> Option<Check> {
        if self.queue.is_empty() {
            let Reverse((_, number)) = *self
                .ready
                .peek()
                .filter(|Reverse((time, _))| *time <= now)?;
            self.ready.pop();
            let warp = &mut self.warps[number];
            let rest = &self.work.warps[number][warp.next..];
            let same = rest.iter().skip(1).take_while(|access| access.after == 0);
            warp.wanted = 1 + same.count();
            warp.next += warp.wanted;
            let pages = rest[..warp.wanted].iter().map(|access| Check {
                warp: number,
                page: access.page,
                missed: None,
            });
            self.accesses += warp.wanted as u64;
            self.queue.extend(pages);
        }
        self.queue.pop_front()
    }

    /// A warp has one of its pages.
    fn pass(&mut self, now: u64, check: Check) {
        let warp = &mut self.warps[check.warp];
        let accesses = &self.work.warps[check.warp];
        warp.wanted -= 1;
        if warp.wanted > 0 {
            return;
        }
        if warp.next == accesses.len() && self.work.endless {
            warp.next = 0;
        }
        match accesses.get(warp.next) {
            Some(next) => {
                let time = now + u64::from(next.after);
                self.ready.push(Reverse((time, check.warp)));
            }
            None => self.running -= 1,
        }
    }
}

//! The memory unit: coalescing, TLB checks one a cycle, faults, and accesses in the order of each warp.

use std::collections::VecDeque;

use super::cache::{Cache, Use};
use super::pages::{Check, Pages};
use super::parameters::{Faults, Parameters};
use super::work::Kind;
use crate::coalescer::{Lines, requests};
use crate::simt::Lanes;
use crate::sm_pipeline::Class;

/// Bits of an address inside a line.
const LINE_BITS: u32 = 7;
/// Instructions that wait for the coalescer at most.
const WAITING: usize = 2;

/// A memory instruction as it was handed over, with what messages give back.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tag {
    pub warp: u8,
    pub entry: u8,
    pub slot: u8,
    pub index: u8,
    pub log_address: u8,
    pub log_data: u8,
    pub class: Class,
}

/// What the unit has decided of a global instruction.
#[derive(Clone, Copy, Debug)]
pub enum Decision {
    /// Its last TLB check has succeeded; it is performed now, and over at this time.
    Checked(Tag, u64),
    /// It faults; its pages are there at this time.
    Faulted(Tag, u64),
}

#[derive(Clone, Debug)]
struct Access {
    tag: Tag,
    how: Use,
    /// Its lines, and when their checks have succeeded; those to come have none.
    lines: Vec<(u64, Option<u64>)>,
    checked: usize,
    /// When the last of its checks is answered.
    decided: u64,
    /// When the pages that are not there are.
    fault: Option<u64>,
    /// Lanes that fault whatever their pages.
    injected: u32,
    /// Lanes of each line.
    lanes: Vec<u32>,
}

impl Access {
    /// Whether the order of two matters.
    fn meets(&self, line: u64, writes: bool) -> bool {
        (writes || self.how != Use::Load) && self.lines.iter().any(|(own, _)| *own == line)
    }
}

#[derive(Clone, Debug)]
pub struct MemoryUnit {
    faults: Faults,
    squashes: bool,
    random: fastrand::Rng,
    pages: Pages,
    cache: Cache,
    /// Accesses whose lines are not all checked, the first of which the coalescer splits.
    waiting: VecDeque<Access>,
    /// Accesses whose checks are not all answered, in order.
    checking: Vec<Access>,
    /// Lines of each warp that instructions which faulted will access, and whether they write.
    faulted: Vec<Vec<(u64, bool)>>,
}

impl MemoryUnit {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { timing, faults, .. } = *parameters;
        Self {
            faults,
            squashes: parameters.squashes(),
            random: fastrand::Rng::with_seed(parameters.seed),
            pages: Pages::new(timing, faults, parameters.squashes()),
            cache: Cache::new(timing),
            waiting: VecDeque::new(),
            checking: Vec::new(),
            faulted: vec![Vec::new(); parameters.pipeline.warps],
        }
    }

    /// Whether it takes another instruction, with so many on their way.
    pub fn is_ready(&self, coming: usize) -> bool {
        self.waiting.len() + coming < WAITING
    }

    /// A global-memory instruction with its lanes and their addresses, which perhaps faults whatever its pages.
    pub fn begin(
        &mut self,
        tag: Tag,
        kind: Kind,
        (mask, addresses): (u32, &Lanes),
        faults: bool,
        now: u64,
    ) {
        let lines: Lines = addresses.map(|address| address >> LINE_BITS);
        let requests = requests(mask, &lines, false);
        let injected = if mask != 0 && (self.random.f64() < self.faults.rate || faults) {
            let lanes = self.random.u32(..) & mask;
            if lanes == 0 { mask } else { lanes }
        } else {
            0
        };
        self.waiting.push_back(Access {
            tag,
            how: match (tag.class, kind) {
                (_, Kind::Atomic) => Use::Atomic,
                (Class::Store, _) => Use::Store,
                _ => Use::Load,
            },
            lanes: requests.iter().map(|request| request.mask).collect(),
            lines: requests
                .iter()
                .map(|request| (request.line, None))
                .collect(),
            checked: 0,
            decided: now,
            fault: None,
            injected,
        });
    }

    /// A warp that faulted goes on: what it had to do is done again, in order.
    pub fn resumed(&mut self, warp: u8) {
        self.faulted[usize::from(warp)].clear();
    }

    /// A warp leaves, with the lines that what it has to do again accesses.
    pub fn take_faulted(&mut self, warp: u8) -> Vec<(u64, bool)> {
        std::mem::take(&mut self.faulted[usize::from(warp)])
    }

    /// A warp comes back.
    pub fn place_faulted(&mut self, warp: usize, lines: Vec<(u64, bool)>) {
        self.faulted[warp] = lines;
    }

    /// Checks the next line, and tells what is decided now.
    pub fn advance(&mut self, now: u64, decisions: &mut VecDeque<Decision>) {
        self.pages.advance(now);
        self.check(now);
        let mut place = 0;
        while let Some(access) = self.checking.get(place) {
            if access.decided > now || self.follows_another(place) {
                place += 1;
                continue;
            }
            let access = self.checking.remove(place);
            decisions.push_back(self.decide(access));
        }
    }

    /// One line goes to the TLB in a cycle.
    fn check(&mut self, now: u64) {
        let Some(access) = self.waiting.front_mut() else {
            return;
        };
        if let Some((line, passed)) = access.lines.get_mut(access.checked) {
            let mut check = self.pages.check(*line << LINE_BITS, now);
            if access.injected & access.lanes[access.checked] != 0 {
                let (Check::Passes(answered) | Check::Faults(answered, _)) = check;
                let arrival = answered + self.faults.cycles;
                check = match self.squashes {
                    true => Check::Faults(answered, arrival),
                    false => Check::Passes(arrival),
                };
            }
            let answered = match check {
                Check::Passes(answered) => {
                    *passed = Some(answered);
                    answered
                }
                Check::Faults(answered, arrival) => {
                    access.fault = access.fault.max(Some(arrival));
                    answered
                }
            };
            access.decided = access.decided.max(answered);
            access.checked += 1;
        }
        if access.checked >= access.lines.len() {
            self.checking.extend(self.waiting.pop_front());
        }
    }

    /// Whether an older access of the same warp that is not decided either has to come first.
    fn follows_another(&self, place: usize) -> bool {
        let access = &self.checking[place];
        let writes = access.how != Use::Load;
        let mut older = self.checking[..place].iter();
        older.any(|older| {
            older.tag.warp == access.tag.warp
                && access
                    .lines
                    .iter()
                    .any(|&(line, _)| older.meets(line, writes))
        })
    }

    fn decide(&mut self, access: Access) -> Decision {
        let writes = access.how != Use::Load;
        let faulted = &mut self.faulted[usize::from(access.tag.warp)];
        // What overlaps an older access that faulted is done again after it.
        let follows = faulted
            .iter()
            .any(|&(line, wrote)| access.meets(line, wrote));
        if access.fault.is_some() || follows {
            faulted.extend(access.lines.iter().map(|&(line, _)| (line, writes)));
            return Decision::Faulted(access.tag, access.fault.unwrap_or(access.decided));
        }
        let over = access
            .lines
            .iter()
            .fold(access.decided, |over, &(line, passed)| {
                over.max(
                    self.cache
                        .access(line, access.how, passed.unwrap_or(access.decided)),
                )
            });
        Decision::Checked(access.tag, over)
    }
}

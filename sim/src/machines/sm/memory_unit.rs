//! The memory unit: the coalescer, a TLB check a cycle, faults, and accesses in the order of each warp.

use std::collections::VecDeque;

use super::access::{Access, Injected, Line, Said};
use super::below::{Below, Use};
use super::cache::Cache;
use super::causes::Cause;
use super::exceptions::Raising;
use super::fault_times::FaultTimes;
use super::landing::{Landing, Landings};
use super::outcome::{Lookups, Misses};
use super::pages::{Answer, Fill, Frames, Pages, Report};
use super::parameters::{Faults, Parameters, Switching};
use super::work::Kind;
use crate::ports::Model;
use crate::simt::Lanes;
use crate::sm::coalescer::{self, Coalescer};
use crate::sm::sm_pipeline::Class;

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
    /// Its last TLB check has succeeded; it is performed now.
    Checked(Tag),
    /// It faults.
    Faulted(Tag, Fault),
    /// These lanes of it raise an exception.
    Raised(Tag, u32),
}

/// What is known of a fault.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The instruction is not done again before this time, nor before its pages have woken its warp.
    pub until: u64,
    /// Some of its lanes do not fault.
    pub some_lanes: bool,
    /// Another warp waits for a page that this one waits for.
    pub shared_page: bool,
    /// It is an exception, and no page is absent.
    pub is_raised: bool,
}

/// An instruction that the coalescer has not accepted.
#[derive(Clone, Debug)]
struct Waiting {
    access: Access,
    mask: u32,
    lines: coalescer::Lines,
}

/// What a check is for.
#[derive(Clone, Copy, Debug)]
enum Requester {
    /// A line of the access with this number.
    Line(u64, usize),
    /// All accesses that wait for this page.
    Page(u64),
}

/// A page that accesses have missed.
#[derive(Clone, Copy, Debug)]
struct Miss {
    page: u64,
    writes: bool,
    woken: bool,
}

/// What squashed instructions of a warp leave behind.
#[derive(Clone, Debug, Default)]
struct Squashed {
    /// Lines that they will access, and whether they write.
    lines: Vec<(u64, bool)>,
    /// Pages that are to wake the warp.
    pages: Vec<u64>,
}

#[derive(Clone, Debug)]
pub struct MemoryUnit {
    faults: Faults,
    injected: Injected,
    random: fastrand::Rng,
    coalescer: Coalescer,
    inputs: coalescer::Inputs,
    pages: Pages,
    cache: Cache,
    raising: Raising,
    /// When the instructions of each warp's entries are over.
    landings: Landings,
    waiting: VecDeque<Waiting>,
    accepted: u64,
    /// Accesses in the order of their acceptance, and the numbers of those that the coalescer splits.
    accesses: Vec<Access>,
    splitting: VecDeque<u64>,
    /// The TLB is not asked while it waits for an absent page.
    blocks: bool,
    /// For that, nothing moved before the TLB in the cycle before.
    is_held: bool,
    /// The check that is answered next.
    requester: Option<Requester>,
    /// In the order in which they came.
    misses: Vec<Miss>,
    /// When accesses are to be looked at, because something may be decided.
    look: u64,
    squashed: Vec<Squashed>,
    /// Warps that wait for pages.
    away: usize,
    /// Warps that have begun to wait for a page, and the page, if they are followed.
    absent: Vec<(u8, u64)>,
    is_followed: bool,
    /// Accesses that wait for absent pages in the pipeline: cycles from when that is known to their last TLB check.
    times: FaultTimes,
}

impl MemoryUnit {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { timing, faults, .. } = *parameters;
        Self {
            faults,
            injected: Injected {
                known: timing.fault,
                cycles: faults.cycles,
                squashes: parameters.squashes(),
            },
            random: fastrand::Rng::with_seed(parameters.seed),
            coalescer: Coalescer::new(coalescer::Parameters::PAPER),
            inputs: coalescer::Inputs::default(),
            pages: Pages::new(parameters.tlb, parameters.far_limit, parameters.squashes()),
            cache: Cache::new(timing.l1, parameters.l1_lines),
            raising: Raising::new(timing),
            landings: Landings::new(parameters.pipeline.warps),
            waiting: VecDeque::new(),
            accepted: 0,
            accesses: Vec::new(),
            splitting: VecDeque::new(),
            blocks: parameters.blocks,
            is_held: false,
            requester: None,
            misses: Vec::new(),
            look: u64::MAX,
            squashed: vec![Squashed::default(); parameters.pipeline.warps],
            away: 0,
            absent: Vec::new(),
            is_followed: matches!(
                parameters.switching,
                Switching::Local(_) | Switching::Launched(_)
            ),
            times: FaultTimes::default(),
        }
    }

    /// The TLB has these pages before the first cycle.
    pub fn warm(&mut self, pages: &[u64]) {
        pages.iter().for_each(|&page| self.pages.warm(page));
    }

    /// From now on it is known without a walk where these pages lie.
    pub fn knows(&mut self, frames: &Frames) {
        self.pages.knows(frames);
    }

    /// From now on the page after one that is missed is walked for too, if it is one of these.
    pub fn prefetches(&mut self, there: &Frames) {
        self.pages.prefetches(there);
    }

    /// How global accesses were translated.
    pub const fn lookups(&self) -> Lookups {
        self.pages.lookups
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
        let lookups = &mut self.pages.lookups;
        lookups.instructions += u64::from(mask != 0);
        lookups.lanes += u64::from(mask.count_ones());
        let injected = if mask != 0 && (self.random.f64() < self.faults.rate || faults) {
            let lanes = self.random.u32(..) & mask;
            if lanes == 0 { mask } else { lanes }
        } else {
            0
        };
        let access = Access {
            number: 0,
            tag,
            how: Use::of(tag.class, kind),
            lines: Vec::new(),
            split: mask == 0,
            requested: 0,
            missed: 0,
            decided: now,
            fault: None,
            injected,
            stalls: None,
            stalled: None,
        };
        self.waiting.push_back(Waiting {
            access,
            mask,
            lines: addresses.map(|address| address >> LINE_BITS),
        });
    }

    /// A division or a trap, of which these lanes raise an exception.
    pub fn begin_raising(&mut self, tag: Tag, lanes: u32, now: u64) {
        self.raising.begin(tag, lanes, now);
    }

    /// Instructions that wait for a page in the pipeline: when each has faulted, and when its page is there.
    pub fn stalls(&self) -> impl Iterator<Item = (Tag, u64, u64)> {
        let stalled = |access: &Access| access.stalls.map(|(from, to)| (access.tag, from, to));
        self.accesses.iter().filter_map(stalled)
    }

    /// Whether pages are still to wake a warp.
    pub fn waits(&self, warp: u8) -> bool {
        !self.squashed[usize::from(warp)].pages.is_empty()
    }

    /// What an instruction that is not over waits for.
    pub fn cause(&self, warp: u8, entry: u8) -> Cause {
        let is_it = |access: &&Access| access.tag.warp == warp && access.tag.entry == entry;
        let access = self.accesses.iter().find(is_it);
        match access {
            Some(access) => self.cause_of(access),
            None if self.is_held && self.is_blocked() => Cause::Fault,
            None => Cause::Memory,
        }
    }

    /// What an access waits for.
    fn cause_of(&self, access: &Access) -> Cause {
        let missed = access.lines.iter().filter(|line| line.said == Said::Missed);
        let mut missed = missed.map(Line::page);
        match access.missed {
            _ if access.stalls.is_some() => Cause::Fault,
            _ if self.is_blocked() && !access.is_answered() => Cause::Fault,
            0 => Cause::Memory,
            _ if missed.any(|page| self.pages.waits_for_absent(page)) => Cause::Fault,
            _ => Cause::Translation,
        }
    }

    /// What the GMMU has reported in this cycle.
    pub fn fill(&self) -> Option<Fill> {
        self.pages.fill()
    }

    /// Warps that have begun to wait for a page since this was asked last, and the page.
    pub fn absent(&mut self) -> impl Iterator<Item = (u8, u64)> {
        self.absent.drain(..)
    }

    /// Accesses are of this address space from now on: those of the other are over, and no access waits for their misses.
    pub fn turn_to(&mut self, asid: u8) {
        self.pages.turn_to(asid);
        self.misses.clear();
    }

    /// Whether no access is under way.
    pub fn is_idle(&self) -> bool {
        !self.splits() && self.accesses.is_empty()
    }

    /// Whether an access is before or in the coalescer, or a check is not answered.
    fn splits(&self) -> bool {
        let splits = self.coalescer.offer().is_some() || self.coalescer.waiting() > 0;
        let waits = !self.waiting.is_empty() || !self.splitting.is_empty();
        waits || splits || self.requester.is_some()
    }

    /// Whether warps wait for absent pages, and so do all accesses that are under way.
    pub fn waits_for_pages_alone(&self) -> bool {
        let waits = |access: &Access| self.cause_of(access) == Cause::Fault;
        self.away > 0 && !self.splits() && self.accesses.iter().all(waits)
    }

    /// A warp that faulted goes on: what it had to do is done again, in order.
    pub fn resumed(&mut self, warp: u8) {
        self.squashed[usize::from(warp)].lines.clear();
    }

    /// A warp leaves. When it is back it does all that was squashed again, in order, before anything else; if its pages
    /// are not there then, it is reported again.
    pub fn leaves(&mut self, warp: u8) {
        let squashed = std::mem::take(&mut self.squashed[usize::from(warp)]);
        self.away -= usize::from(!squashed.pages.is_empty());
    }

    /// The first half of a cycle: lines come, the TLB is checked and answers, and what is decided is reported. It names the
    /// instructions that are over with those lines, and when.
    pub fn advance(
        &mut self,
        now: u64,
        decisions: &mut VecDeque<Decision>,
        below: &mut impl Below,
    ) -> Vec<(u8, u8, u64)> {
        let over = self.landings.arrive(self.cache.arrive(now, below), now);
        let check = match self.pages.receive(now, below) || self.is_blocked() {
            true => None,
            false => self.next_check(),
        };
        let Report { answer, woken } = self.pages.cycle(check.map(|check| check.1), now, below);
        let requester = std::mem::replace(&mut self.requester, check.map(|check| check.0));
        if let Some((page, all)) = woken {
            self.wake(page, all);
        }
        if let (Some(requester), Some(answer)) = (requester, answer) {
            self.answer(requester, answer, now);
        }
        if let Some(vpn) = self.pages.absent_now() {
            self.stall_all(vpn, now);
        }
        if self.look <= now {
            self.decide_all(now, decisions, below);
        }
        if self.pages.are_invalidated() {
            self.check_again();
        }
        while let Some((tag, lanes, result)) = self.raising.checked(now) {
            if lanes != 0 {
                decisions.push_back(Decision::Raised(tag, lanes));
                continue;
            }
            *self.landings.of(tag.warp, tag.entry) = Landing::known(result);
            decisions.push_back(Decision::Checked(tag));
        }
        over
    }

    /// When something may happen here, if nothing does before unless something comes.
    pub fn rests(&self) -> Option<u64> {
        if self.is_held && self.requester.is_none() && self.is_blocked() && self.pages.rests() {
            return Some(self.look.min(self.raising.next()));
        }
        let is_splitting = !self.waiting.is_empty() || !self.splitting.is_empty();
        let is_checking = self.requester.is_some() || self.misses.iter().any(|miss| miss.woken);
        let coalesces = self.coalescer.offer().is_some() || self.coalescer.waiting() > 0;
        let happens = is_splitting || is_checking || coalesces || !self.pages.rests();
        (!happens).then_some(self.look.min(self.raising.next()))
    }

    /// The pipeline knows that the checks of an instruction have succeeded. It says when the instruction is over, or
    /// [`MemoryUnit::advance`] names it.
    pub fn reported(&mut self, tag: Tag) -> Option<u64> {
        self.landings.of(tag.warp, tag.entry).reported()
    }

    /// The second half: the coalescer accepts what was begun, and goes on if its request was taken.
    pub fn split(&mut self, now: u64) {
        let mut first = self.waiting.front();
        // Without a lane there is nothing to split.
        if first.is_some_and(|first| first.mask == 0) {
            if self.splitting.is_empty() {
                self.accept();
                self.look = self.look.min(now + 1);
            }
            first = None;
        }
        let inputs = &mut self.inputs;
        inputs.instruction_valid = first.is_some();
        if let Some(first) = first {
            inputs.instruction_mask = first.mask;
            inputs.instruction_line = first.lines;
        }
        inputs.request_ready = matches!(self.requester, Some(Requester::Line(..)));
        let outputs = self.coalescer.cycle(inputs);
        let is_accepted = inputs.instruction_valid && outputs.instruction_ready;
        self.is_held = !is_accepted && !inputs.request_ready;
        if is_accepted {
            self.splitting.push_back(self.accepted);
            self.accept();
        }
    }

    /// Whether the TLB is asked nothing, because it waits for an absent page.
    fn is_blocked(&self) -> bool {
        self.blocks && self.pages.waits_for_absent_page()
    }

    fn accept(&mut self) {
        if let Some(first) = self.waiting.pop_front() {
            self.accesses.push(Access {
                number: self.accepted,
                ..first.access
            });
            self.accepted += 1;
        }
    }

    fn access(&mut self, number: u64) -> Option<&mut Access> {
        let place = self
            .accesses
            .binary_search_by_key(&number, |access| access.number);
        Some(&mut self.accesses[place.ok()?])
    }

    /// The check of this cycle: those that were woken go first, in the order in which they came; then the coalescer's
    /// request. A waiting access compares its page with that of a wake-up, so one check is for all of a page.
    fn next_check(&mut self) -> Option<(Requester, (u64, bool))> {
        if let Some(miss) = self.misses.iter_mut().find(|miss| miss.woken) {
            miss.woken = false;
            return Some((Requester::Page(miss.page), (miss.page, miss.writes)));
        }
        let request = *self.coalescer.offer()?;
        let number = *self.splitting.front()?;
        if request.last {
            self.splitting.pop_front();
        }
        let access = self.access(number)?;
        let line = Line {
            number: request.line,
            lanes: request.mask,
            said: Said::Nothing,
        };
        access.lines.push(line);
        access.requested += 1;
        access.split = request.last;
        let requester = Requester::Line(number, access.lines.len() - 1);
        Some((requester, (line.page(), access.writes())))
    }

    fn wake(&mut self, page: Option<u64>, all: bool) {
        for miss in &mut self.misses {
            miss.woken |= all || Some(miss.page) == page;
        }
        if self.away > 0
            && let Some(page) = page
        {
            for squashed in &mut self.squashed {
                let waited = !squashed.pages.is_empty();
                squashed.pages.retain(|&other| other != page);
                self.away -= usize::from(waited && squashed.pages.is_empty());
            }
        }
    }

    fn answer(&mut self, requester: Requester, answer: Answer, now: u64) {
        let said = match answer {
            Answer::Hit(pfn) => Said::Passed(now, pfn),
            Answer::Missed => Said::Missed,
            Answer::Absent => Said::Absent,
        };
        let injected = self.injected;
        match requester {
            Requester::Line(number, place) => {
                self.pages.lookups.lines += 1;
                self.pages.lookups.missed += u64::from(said == Said::Missed);
                let Some(access) = self.access(number) else {
                    return;
                };
                access.answered(place, said, injected);
                let is_injected = access.stalls.is_some();
                let (page, writes) = (access.lines[place].page(), access.writes());
                let warp = access.tag.warp;
                match said {
                    Said::Missed => self.miss(page, writes),
                    Said::Absent => self.sends_away(warp, page),
                    Said::Passed(..) | Said::Nothing => {}
                }
                if is_injected || (said == Said::Missed && self.pages.stalls_on(page)) {
                    self.stall(number, now);
                }
                self.look = now;
            }
            Requester::Page(_) if said == Said::Missed => {}
            Requester::Page(page) => {
                self.misses.retain(|miss| miss.page != page);
                let mut away = 0u64;
                for access in self.accesses.iter_mut().filter(|access| access.missed > 0) {
                    for place in 0..access.lines.len() {
                        let line = &access.lines[place];
                        if line.said == Said::Missed && line.page() == page {
                            access.answered(place, said, injected);
                            if access.stalls.is_some() && access.stalled.is_none() {
                                access.stalled = Some(now);
                                self.times.faults += 1;
                            }
                            away |= 1 << access.tag.warp;
                        }
                    }
                }
                for warp in (0..64).filter(|warp| said == Said::Absent && away >> warp & 1 == 1) {
                    self.sends_away(warp, page);
                }
                self.look = now;
            }
        }
    }

    /// An access waits for an absent page in the pipeline, as is known from now on.
    fn stall(&mut self, number: u64, now: u64) {
        if let Some(access) = self.access(number)
            && access.stalled.is_none()
        {
            access.stalled = Some(now);
            self.times.faults += 1;
        }
    }

    /// A page is known to be absent, and all accesses that have missed it stall.
    fn stall_all(&mut self, page: u64, now: u64) {
        let is_missed = |line: &Line| line.said == Said::Missed && line.page() == page;
        let accesses = self.accesses.iter();
        let stalled = accesses.filter(|access| access.lines.iter().any(is_missed));
        let stalled: Vec<u64> = stalled.map(|access| access.number).collect();
        for number in stalled {
            self.stall(number, now);
        }
    }

    /// Cycles from each fault that stalled an access to its last TLB check.
    pub const fn times(&self) -> &FaultTimes {
        &self.times
    }

    /// Translations are invalid: the accesses that have one and were not performed request it again.
    fn check_again(&mut self) {
        let mut again = Vec::new();
        for access in &mut self.accesses {
            let writes = access.writes();
            again.extend(access.forget().map(|page| (page, writes)));
        }
        for (page, writes) in again {
            self.miss(page, writes);
            let misses = self.misses.iter_mut();
            for miss in misses.filter(|miss| miss.page == page) {
                miss.woken = true;
            }
        }
    }

    fn miss(&mut self, page: u64, writes: bool) {
        if !self.misses.iter().any(|miss| miss.page == page) {
            self.misses.push(Miss {
                page,
                writes,
                woken: false,
            });
        }
    }

    /// A page is absent that a warp needs.
    fn sends_away(&mut self, warp: u8, page: u64) {
        let pages = &mut self.squashed[usize::from(warp)].pages;
        self.away += usize::from(pages.is_empty());
        if !pages.contains(&page) {
            pages.push(page);
        }
        if self.is_followed {
            self.absent.push((warp, page));
        }
    }

    /// Whether another warp waits for a page that this one waits for.
    fn shares(&self, warp: u8) -> bool {
        let own = usize::from(warp);
        let pages = &self.squashed[own].pages;
        let mut others = self.squashed.iter().enumerate();
        !pages.is_empty()
            && others.any(|(other, squashed)| {
                other != own && squashed.pages.iter().any(|page| pages.contains(page))
            })
    }

    /// Decides what is answered, the older of two that meet first.
    fn decide_all(&mut self, now: u64, decisions: &mut VecDeque<Decision>, below: &mut impl Below) {
        self.look = u64::MAX;
        let mut place = 0;
        while let Some(access) = self.accesses.get(place) {
            let answered = access.is_answered();
            if answered && access.decided > now {
                self.look = self.look.min(access.decided);
            }
            let mut older = self.accesses[..place].iter();
            if !answered || access.decided > now || older.any(|older| access.follows(older)) {
                place += 1;
                continue;
            }
            let access = self.accesses.remove(place);
            decisions.push_back(self.decide(&access, now, below));
        }
    }

    /// What the cache has missed.
    pub fn misses(&self, below: &impl Below) -> Misses {
        self.cache.missed(below)
    }

    fn decide(&mut self, access: &Access, now: u64, below: &mut impl Below) -> Decision {
        let writes = access.writes();
        let shared_page = self.shares(access.tag.warp);
        let faulted = &mut self.squashed[usize::from(access.tag.warp)].lines;
        // What overlaps an older access that faulted is done again after it.
        let follows = faulted
            .iter()
            .any(|&(line, wrote)| access.meets(line, wrote));
        if access.fault.is_some() || follows {
            faulted.extend(access.lines.iter().map(|line| (line.number, writes)));
            let (faulting, lanes) = access.faulting();
            let fault = Fault {
                until: access.fault.unwrap_or(access.decided),
                some_lanes: faulting != 0 && faulting != lanes,
                shared_page,
                is_raised: false,
            };
            return Decision::Faulted(access.tag, fault);
        }
        if let Some(since) = access.stalled {
            self.times.add(now - since);
        }
        let Tag { warp, entry, .. } = access.tag;
        let mut landing = Landing::known(access.decided.max(now + below.access_cycles()));
        for line in &access.lines {
            let Some((passed, number)) = line.passed() else {
                continue;
            };
            below.performs(now, line.page(), number);
            let comes = self
                .cache
                .access(number, access.how, passed, (warp, entry), below);
            landing.leaves(comes);
        }
        *self.landings.of(warp, entry) = landing;
        Decision::Checked(access.tag)
    }
}

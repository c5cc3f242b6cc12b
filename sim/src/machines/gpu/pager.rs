//! What brings absent pages: handlers on the SMs, which run side by side; a handler on the CPU, which handles one fault
//! after the other; and a link over which pages come. What they find no room for waits until other parts have left.

mod evictions;
mod link;
mod pinned;
mod replays;
mod turns;

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::ops::Range;

use super::super::driver;
use super::super::sm::AddressSpace;
use super::Prefetch;
use super::allocations::Allocations;
use super::history::Arrival;
use super::machine::Failure;
use super::parameters::{LINE, Paging, Parameters};
use super::prefetch::Prefetcher;
use super::residents::{Residents, State};
use super::tables::{Tables, is_of_host};
use crate::mmu::fault_buffer::Record;
use crate::page::Page;

use evictions::{Evicted, Evictions};
use link::Link;
use pinned::{Lines, Pinned};
use replays::{Counts, Replays, Retried};
use turns::Turns;

pub use pinned::Remote;

/// What was brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Brought {
    /// Records that the driver has read.
    pub records: u64,
    /// Far faults that the driver has resolved.
    pub resolved: u64,
    /// Parts of memory that came over the link: pages, or regions of 64 KB or 2 MB.
    pub migrated: u64,
    /// Parts that were only allocated.
    pub allocated: u64,
    /// Those of them that handlers on the GPU have allocated.
    pub local: u64,
    /// Parts that handlers on the GPU have asked of the CPU.
    pub asked: u64,
    /// Bytes that came over the link: of parts, and of lines of pinned memory.
    pub bytes: u64,
    /// Cycles for which the link was in use on its way to the GPU.
    pub link: u64,
    /// Cycles that faults waited for the CPU's handler and for the link.
    pub waited: u64,
    /// Parts that were migrated or allocated before a fault in them, and those of them of which a page was translated.
    pub prefetched: u64,
    /// Of which a page was translated.
    pub used: u64,
    /// Parts that were evicted.
    pub evicted: u64,
    /// Parts that came again after they were evicted.
    pub again: u64,
    /// Bytes that were written back over the link.
    pub written_back: u64,
    /// Cycles that faults waited for room.
    pub no_room: u64,
    /// Batches of records, records that told nothing new, replays, and records that were dropped unread.
    pub replays: Counts,
    /// What went over the link for pinned memory.
    pub lines: Lines,
}

/// What is under way.
#[derive(Clone, Debug)]
enum Coming {
    /// A part of memory.
    Part(Page),
    /// The end of the kernel, because this SM has accessed this page.
    Abort(u64, Option<u32>),
    /// The CPU has handled a fault for which there was no room.
    Handled,
    /// Nothing uses a part any more that leaves.
    Unused(Evicted),
    /// A part has been written back.
    Gone(Evicted),
}

/// The owner of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Cpu,
    Nobody,
    /// It is in no allocation.
    Invalid,
}

/// A part that was missed, of which the CPU's handler has made sure that it comes.
#[derive(Clone, Copy, Debug)]
struct Demand {
    part: Page,
    /// The port of its SM, if it is known.
    port: Option<u32>,
    /// It comes over the link.
    moves: bool,
    /// When it has been handled, and when it may begin to move, or is allocated.
    handled: u64,
    ready: u64,
    /// The place of its arrival.
    arrival: usize,
}

/// What a kernel accesses.
#[derive(Clone, Debug)]
pub struct Accessed {
    /// Where it may.
    pub space: AddressSpace,
    /// The pages, in rising order.
    pub pages: Vec<u64>,
    /// Parts that one instruction accesses at most.
    pub most: usize,
}

/// The parts for which there has to be room if an instruction accesses so many: of four warps one has all that it
/// needs, whichever of their parts are there.
pub const fn least_parts(most: u64) -> u64 {
    4 * most.saturating_sub(1) + 1
}

/// The pages, their owners, and what is under way.
#[derive(Clone, Debug)]
pub struct Pager {
    paging: Paging,
    /// Each SM has a port of the GMMU, so a record names the SM that has accessed its page.
    has_port_each: bool,
    /// The pages that may be accessed, space by space.
    spaces: Vec<AddressSpace>,
    allocations: Allocations,
    pub tables: Tables,
    /// Parts that hold what the CPU has written, or that were evicted; all others are unowned.
    cpu: HashSet<Page>,
    residents: Residents,
    /// What is under way, by the time at which each is there and the number of those before it.
    coming: BTreeMap<(u64, u64), Coming>,
    events: u64,
    /// Pages of the records of parts that are under way.
    waiting: BTreeMap<Page, Vec<Page>>,
    /// Pages that are to be tried again, and whether their parts count them.
    resolving: VecDeque<(Page, bool)>,
    replays: Replays,
    handler_free: u64,
    link: Link,
    prefetcher: Prefetcher,
    /// Parts that wait for room, and parts that leave.
    seeking: VecDeque<Demand>,
    turns: Turns,
    pub evictions: Evictions,
    /// SMs say when they use translations no more of which the invalidation was acknowledged, and parts for which they have not.
    waits_for_sms: bool,
    unsettled: Vec<Evicted>,
    pinned: Pinned,
    /// When the last line is through that was written to pinned memory.
    written: u64,
    /// When lines of pinned memory came over the link.
    lines: Vec<Range<u64>>,
    pub brought: Brought,
    /// When a part last came.
    pub last: u64,
    /// How each part came.
    arrivals: Vec<Arrival>,
}

impl Pager {
    /// A pager of address spaces with what is accessed there, if thread blocks take so many cycles to be switched. The
    /// CPU owns the pages that it has written; they are in the GPU's memory at first unless they are absent.
    ///
    /// # Errors
    /// If there is room for fewer parts than an instruction accesses.
    pub fn new(
        parameters: &Parameters,
        accessed: Vec<Accessed>,
        written: impl Iterator<Item = Page>,
        switch: u64,
    ) -> Result<Self, Failure> {
        let (paging, bits) = (parameters.paging, parameters.paging.part_bits());
        let spaces = accessed.iter().map(|one| (&one.space, &one.pages[..]));
        let allocations = Allocations::new(bits, spaces);
        let most = accessed.iter().map(|one| one.most as u64).max();
        let most = most.unwrap_or_default().max(1);
        let parts = |one: &Accessed| {
            let mut parts: Vec<_> = one.pages.iter().map(|page| page >> bits).collect();
            parts.dedup();
            parts.len() as u64
        };
        let capacity = paging.capacity.map(|percent| {
            let footprint: u64 = accessed.iter().map(parts).sum();
            ((footprint * percent).div_ceil(100), footprint)
        });
        if let (Some(percent), Some((room, footprint))) = (paging.capacity, capacity)
            && room < least_parts(most).min(footprint)
        {
            return Err(Failure::Capacity {
                percent,
                room,
                footprint,
                most,
            });
        }
        let pinned = Pinned::new(paging.pinned, bits, &accessed);
        // Until all that an instruction accesses has come, its thread block is back, and its warp was woken and has
        // accessed it.
        let keep = parameters.replay() + switch + most * (paging.handler + paging.transfer());
        let seed = parameters.sm.seed;
        let mut pager = Self {
            paging,
            has_port_each: parameters.cluster() == 1,
            tables: Tables::new(accessed.len() as u8, paging.large_pages),
            allocations,
            spaces: accessed.into_iter().map(|one| one.space).collect(),
            cpu: HashSet::new(),
            residents: Residents::new(capacity.map(|(room, _)| room), keep, paging.eviction, seed),
            coming: BTreeMap::new(),
            events: 0,
            waiting: BTreeMap::new(),
            resolving: VecDeque::new(),
            replays: Replays::new(paging.replay, paging.interrupt),
            handler_free: 0,
            link: Link::new(paging.transfer(), paging.line()),
            prefetcher: Prefetcher::new(paging.prefetch, paging.prefetch_parts, seed),
            seeking: VecDeque::new(),
            // As long as all parts that an instruction accesses take to come one after the other.
            turns: Turns::new(2 * (most + 1) * keep, seed),
            evictions: Evictions::new(bits, 2 * parameters.translation),
            waits_for_sms: parameters.sm.joined,
            unsettled: Vec::new(),
            pinned,
            written: 0,
            lines: Vec::new(),
            brought: Brought::default(),
            last: 0,
            arrivals: Vec::new(),
        };
        pager.cpu = written.map(|page| pager.part(page)).collect();
        Ok(pager)
    }

    /// A page that will be accessed is there before the first cycle, unless it is absent at first or has no room. If it
    /// is pinned, it is in the CPU's memory, and translated from the first cycle on.
    pub fn place(&mut self, page: Page) {
        let (owner, part) = (self.owner(page), self.part(page));
        if owner != Owner::Invalid && self.pinned.has(part) {
            if self.tables.translate(page).is_none() {
                self.brought.lines.parts += 1;
                self.each_absent(part, |tables, page| tables.pin(page));
            }
            return;
        }
        let is_copied = self.paging.copied && owner == Owner::Cpu;
        let is_there = !self.paging.absent || is_copied;
        if owner == Owner::Invalid || !is_there {
            return;
        }
        if self.residents.state(part).is_none() && self.residents.take_room() {
            self.residents.insert(part, State::There, false);
        }
        if self.residents.state(part).is_some() {
            self.map(part);
        }
    }

    /// Pages in the order in which they will be accessed first. The oracle has all of them brought, from the first
    /// cycle on.
    pub fn foresee(&mut self, pages: impl Iterator<Item = Page>) {
        if self.paging.prefetch != Prefetch::Oracle {
            return;
        }
        let parts: Vec<_> = pages.map(|page| self.part(page)).collect();
        let handled = self.handler_free.max(self.paging.handler);
        if self.prefetch(parts, 0, handled) {
            self.handler_free = handled;
        }
    }

    /// The part of memory that comes with a page: the number of the part among those of its space.
    fn part(&self, Page { vpn, asid }: Page) -> Page {
        let vpn = vpn >> self.part_bits();
        Page { vpn, asid }
    }

    fn part_bits(&self) -> u32 {
        self.paging.part_bits()
    }

    fn owner(&self, page: Page) -> Owner {
        let space = self.spaces.get(usize::from(page.asid));
        let is_held = space.is_some_and(|space| space.holds(page.vpn));
        match (is_held, self.cpu.contains(&self.part(page))) {
            (false, _) => Owner::Invalid,
            (true, true) => Owner::Cpu,
            (true, false) => Owner::Nobody,
        }
    }

    /// The place of a far fault in the CPU's queue, of which the GMMU says that it is this: the first if the CPU has
    /// nothing to do with it.
    pub fn place_in_queue(&self, page: Page, place: u16) -> u16 {
        match self.paging.local {
            Some(_) if self.owner(page) != Owner::Cpu => 0,
            _ => place,
        }
    }

    /// An SM receives a translation. It says whether that is right: as the tables say, or as they said before an
    /// invalidation that has not been acknowledged.
    pub fn translates(&mut self, now: u64, page: Page, pfn: u64) -> bool {
        if self.residents.is_limited() || self.prefetcher.is_there() {
            let first = self.residents.uses(self.part(page), now);
            self.brought.used += u64::from(first);
        }
        self.tables.translate(page) == Some(pfn) || self.evictions.is_stale(page, pfn)
    }

    /// Whether an access was right that was performed at a time, up to now, with this translation.
    pub fn may_use(&self, at: u64, page: Page, pfn: u64) -> bool {
        let since = self.residents.since(self.part(page));
        let has_come = is_of_host(pfn) || since.is_some_and(|since| since <= at);
        let is_there = self.tables.translate(page) == Some(pfn) && has_come;
        is_there || self.evictions.was_used(at, page, pfn)
    }

    /// Parts for which there is room, if there is a limit.
    pub const fn room(&self) -> Option<u64> {
        self.residents.capacity()
    }

    /// Whether parts may have to leave.
    pub const fn is_limited(&self) -> bool {
        self.residents.is_limited()
    }

    /// Far faults in a part that is there are to be resolved.
    fn resolve_all(&mut self, part: Page, pages: impl IntoIterator<Item = Page>) {
        for page in pages {
            match self.replays.has_batches() {
                true => self.replays.hold(part, page),
                false => self.retry(part, page),
            }
        }
    }

    /// A far fault in a part that is there is resolved next.
    fn retry(&mut self, part: Page, page: Page) {
        self.resolving.push_back((page, true));
        self.residents.resolves(part);
    }

    /// What a replay has the GPU try again.
    fn replay(&mut self, retried: Retried) {
        for (part, page) in retried.there {
            self.retry(part, page);
        }
        let unread = retried.unread.into_iter().map(|page| (page, false));
        self.resolving.extend(unread);
    }

    /// A batch ends if all of it is there, and the next one is read.
    fn batches(&mut self, now: u64) {
        let retried = self.replays.end();
        self.replay(retried);
        for (page, port) in self.replays.read(now) {
            if self.tables.translate(page).is_none() {
                self.replays.waits_for(self.part(page));
            }
            self.request(now, page, port);
        }
    }

    /// The pages of a part get frames, unless they have them.
    fn map(&mut self, part: Page) {
        self.each_absent(part, |tables, page| tables.map(page));
    }

    /// Each page of a part that is in no table is entered in one.
    fn each_absent(&mut self, part: Page, mut enter: impl FnMut(&mut Tables, Page) -> u64) {
        let (bits, asid) = (self.part_bits(), part.asid);
        for vpn in part.vpn << bits..(part.vpn + 1) << bits {
            let page = Page { vpn, asid };
            if self.tables.translate(page).is_none() {
                enter(&mut self.tables, page);
            }
        }
    }

    /// An SM accesses a line of pinned memory. It says when the line is there, or would be.
    pub fn line(&mut self, now: u64, Remote { reads, writes }: Remote) -> u64 {
        let mut over = now;
        if writes {
            let goes = self.link.line_back(now);
            self.brought.lines.written += 1;
            self.brought.lines.waited += goes.start - now;
            self.written = goes.end;
            over = goes.end;
        }
        if reads {
            let comes = self.link.line(now);
            self.brought.lines.read += 1;
            self.brought.lines.waited += comes.start - now;
            self.brought.bytes += LINE;
            self.brought.link += comes.end - comes.start;
            over = over.max(comes.end);
            match self.lines.last_mut() {
                Some(last) if last.end == comes.start => last.end = comes.end,
                _ => self.lines.push(comes),
            }
        }
        over + self.paging.link.latency
    }

    /// When the last line is through that was written to pinned memory.
    pub const fn written(&self) -> u64 {
        self.written
    }

    fn comes(&mut self, at: u64, what: Coming) {
        self.events += 1;
        self.coming.insert((at, self.events), what);
    }

    /// What happens up to now: parts that are there are mapped, and their far faults are to be resolved; parts begin to
    /// move, and parts leave.
    ///
    /// # Errors
    /// If the kernel is aborted now.
    pub fn arrive(&mut self, now: u64) -> Result<(), Failure> {
        while let Some(first) = self
            .coming
            .first_entry()
            .filter(|first| first.key().0 <= now)
        {
            match first.remove() {
                Coming::Part(part) => {
                    self.map(part);
                    self.residents.arrive(part, now);
                    self.last = now;
                    self.keep(part, now);
                    let waiting = self.waiting.remove(&part).unwrap_or_default();
                    self.resolve_all(part, waiting);
                    let retried = self.replays.arrive(part, self.part_bits());
                    self.replay(retried);
                }
                Coming::Abort(vpn, sm) => {
                    let cycle = now;
                    return Err(Failure::Aborted { cycle, vpn, sm });
                }
                Coming::Handled => {}
                Coming::Unused(evicted) => {
                    self.evictions.released(now, &evicted);
                    let back = self.link.back(now);
                    self.brought.written_back += self.paging.part_bytes();
                    self.comes(back, Coming::Gone(evicted));
                }
                Coming::Gone(evicted) => self.gone(now, evicted),
            }
        }
        if !self.seeking.is_empty() {
            self.make_room(now);
        }
        if self.replays.has_batches() {
            self.batches(now);
        }
        self.link.advance(now);
        while let Some(part) = self.link.starts(now) {
            self.move_ahead(part, now);
        }
        self.brought.replays = self.replays.counts;
        Ok(())
    }

    /// When something happens next, from now on.
    pub fn next(&self, now: u64) -> Option<u64> {
        let comes = self.coming.keys().next().map(|key| key.0);
        let looks = self.residents.look() < u64::MAX && !self.seeking.is_empty();
        let look = looks.then_some(self.residents.look());
        let invalidates = self.evictions.invalidates().then_some(now);
        let reads = self.replays.next(now);
        let all = [comes, look, self.link.next(now), invalidates, reads];
        all.into_iter().flatten().min()
    }

    /// How each part has come, in the order of the reports, and when lines of pinned memory took the link.
    pub fn history(mut self) -> (Vec<Arrival>, Vec<Range<u64>>) {
        // Those for which there was no room have not.
        let mut left: Vec<_> = self.seeking.iter().map(|one| one.arrival).collect();
        left.sort_unstable();
        for place in left.into_iter().rev() {
            self.arrivals.remove(place);
        }
        (self.arrivals, self.lines)
    }

    /// When the CPU's handler works on a fault that it knows of from a time on.
    fn handle(&mut self, known: u64) -> Range<u64> {
        let begins = self.handler_free.max(known);
        self.brought.waited += begins - known;
        self.handler_free = begins + self.paging.handler;
        begins..self.handler_free
    }

    /// When a part may begin to move, or is allocated, that the CPU has handled by a time.
    fn ready(&self, moves: bool, handled: u64) -> u64 {
        let allocation = self.paging.link.allocation;
        let latency = match moves {
            true => self.paging.latency(),
            false => allocation.saturating_sub(self.paging.handler),
        };
        handled + latency.saturating_sub(self.replays.before())
    }

    /// Counts a part that comes.
    fn count(&mut self, part: Page, moves: bool) {
        let brought = &mut self.brought;
        match moves {
            true => {
                brought.migrated += 1;
                brought.bytes += self.paging.part_bytes();
                brought.link += self.paging.transfer();
            }
            false => brought.allocated += 1,
        }
        brought.again += u64::from(self.evictions.has_left(part));
    }

    /// A part that was missed has room since a time; it is there later.
    fn bring(&mut self, demand: Demand, since: u64) {
        let Demand {
            part,
            moves,
            ready,
            arrival,
            ..
        } = demand;
        self.brought.no_room += since.saturating_sub(ready);
        let ready = ready.max(since);
        self.count(part, moves);
        let mut there = ready;
        if moves {
            let moved = self.link.reserve(ready);
            self.brought.waited += moved.start - ready;
            there = moved.end;
            self.arrivals[arrival].moved = Some(moved);
        }
        self.arrivals[arrival].there = there;
        self.comes(there, Coming::Part(part));
    }

    /// A page was missed at a port of the GMMU, if that is known. A page that is invalid ends the kernel.
    fn request(&mut self, now: u64, page: Page, port: Option<u32>) {
        let sm = port.filter(|_| self.has_port_each);
        let part = self.part(page);
        if let Some(pages) = self.waiting.get_mut(&part) {
            pages.push(page);
            return;
        }
        // A walk may have read its entry before the page was mapped.
        if self.tables.translate(page).is_some() {
            self.resolve_all(part, [page]);
            return;
        }
        if self.residents.state(part) == Some(State::Leaves) {
            self.evictions.defer(part, page, port);
            return;
        }
        let known = now + self.paging.local.unwrap_or(0);
        let mut arrival = Arrival {
            vpn: part.vpn << self.part_bits(),
            pages: 1 << self.part_bits(),
            reported: now,
            local: self.paging.local.map(|_| now..known),
            sm,
            handled: None,
            moved: None,
            there: known,
        };
        let owner = self.owner(page);
        let has_room = self.seeking.is_empty() && self.residents.has_room();
        match (owner, self.paging.local) {
            (Owner::Invalid, _) => {
                let aborted = self.handle(known).end;
                self.comes(aborted, Coming::Abort(page.vpn, sm));
                return;
            }
            (Owner::Nobody, Some(_)) if has_room => {
                self.brought.local += 1;
                self.residents.take_room();
                self.count(part, false);
                self.comes(known, Coming::Part(part));
                self.arrivals.push(arrival);
            }
            (_, local) => {
                let moves = owner == Owner::Cpu;
                // What was to be prefetched has been handled.
                let (handled, ready) = match self.link.promote(part) {
                    Some(ready) => (known, ready.max(known)),
                    None => {
                        let handled = self.handle(known);
                        let end = handled.end;
                        arrival.handled = Some(handled);
                        (end, self.ready(moves, end))
                    }
                };
                self.brought.asked += u64::from(local.is_some());
                let is_first = arrival.handled.is_some();
                self.arrivals.push(arrival);
                let demand = Demand {
                    part,
                    port,
                    moves,
                    handled,
                    ready,
                    arrival: self.arrivals.len() - 1,
                };
                if has_room {
                    self.residents.take_room();
                    self.bring(demand, 0);
                } else {
                    self.seeking.push_back(demand);
                    self.comes(handled, Coming::Handled);
                }
                self.residents.insert(part, State::Comes, false);
                if is_first && self.prefetcher.is_there() {
                    let (residents, pinned) = (&self.residents, &self.pinned);
                    let is_absent = |part| {
                        let state = residents.state(part);
                        matches!(state, None | Some(State::Leaves)) && !pinned.has(part)
                    };
                    let after = self.prefetcher.after(part, &self.allocations, is_absent);
                    self.prefetch(after, now, handled);
                }
            }
        }
        self.residents.insert(part, State::Comes, false);
        self.waiting.insert(part, vec![page]);
    }

    /// Parts are brought that the CPU has handled by a time, those that are absent. Those that it owns wait for the
    /// link, and the others are allocated if there is room. It says whether there are any.
    fn prefetch(&mut self, parts: Vec<Page>, now: u64, handled: u64) -> bool {
        let mut some = false;
        for part in parts {
            if self.residents.state(part).is_some() || self.pinned.has(part) {
                continue;
            }
            let moves = self.cpu.contains(&part);
            let ready = self.ready(moves, handled);
            if moves {
                some = true;
                self.residents.insert(part, State::Waits, true);
                self.link.wait(part, ready, now);
            } else if self.seeking.is_empty() && self.residents.take_room() {
                some = true;
                self.comes_ahead(part, None, now, ready);
            }
        }
        some
    }

    /// A part that is prefetched has room, and is there later.
    fn comes_ahead(&mut self, part: Page, moved: Option<Range<u64>>, reported: u64, there: u64) {
        self.residents.insert(part, State::Comes, true);
        self.count(part, moved.is_some());
        self.brought.prefetched += 1;
        self.waiting.insert(part, Vec::new());
        self.comes(there, Coming::Part(part));
        self.arrivals.push(Arrival {
            vpn: part.vpn << self.part_bits(),
            pages: 1 << self.part_bits(),
            reported,
            local: None,
            sm: None,
            handled: None,
            moved,
            there,
        });
    }

    /// A part that waited for the link begins to move, if there is room for it. Otherwise it is not prefetched.
    fn move_ahead(&mut self, part: Page, at: u64) {
        self.residents.remove(part);
        if self.seeking.is_empty() && self.residents.take_room() {
            let moved = self.link.start(at);
            let there = moved.end;
            self.comes_ahead(part, Some(moved), at, there);
        }
    }

    /// A part leaves for each fault that the CPU has handled and for which there is no room, as far as parts may leave.
    fn make_room(&mut self, now: u64) {
        self.turns.advance(now);
        let handled = self.seeking.iter().take_while(|one| one.handled <= now);
        let handled = handled.count() as u64;
        while handled > self.residents.leaving {
            let own = self.turns.own();
            if self.turns.is_stuck() {
                let settled = self.residents.settled(own);
                if self.residents.leaving > 0 || settled > now {
                    self.residents.look_at(settled);
                    self.residents.look_before(self.turns.until(), now);
                    return;
                }
            }
            let seeks = self.turns.seeks(&self.seeking);
            let wants = seeks || self.residents.come(own);
            let none = BTreeSet::new();
            let stay = if wants { own } else { &none };
            let alone = self.turns.is_stuck();
            let mut victims = self.residents.victims(now, &self.allocations, stay, alone);
            let leaving = self.residents.leaving;
            // The SM on turn has all parts, and they do not suffice.
            if victims.is_empty() && seeks && leaving == 0 && self.residents.are_all(own) {
                victims = self.residents.victims(now, &self.allocations, &none, true);
                if !victims.is_empty() {
                    self.turns.give_up(now);
                }
            }
            if victims.is_empty() {
                self.residents.look_before(self.turns.until(), now);
                return;
            }
            for part in victims {
                self.brought.evicted += 1;
                self.turns.lose(part);
                self.evictions.begin(part, &mut self.tables);
            }
        }
    }

    /// The parts of a turn stay together: as long as the one that was the last to come, or to wake somebody.
    fn keep(&mut self, part: Page, now: u64) {
        let own = self.turns.own();
        if own.contains(&part) {
            self.residents.keep(own, now);
        }
    }

    /// The GMMU has acknowledged the invalidation of what leaves.
    pub fn acknowledged(&mut self, now: u64) {
        for (unused, evicted) in self.evictions.acknowledged(now) {
            match self.waits_for_sms {
                true => self.unsettled.push(evicted),
                false => self.comes(unused, Coming::Unused(evicted)),
            }
        }
    }

    /// No SM uses a translation any more of which the invalidation was acknowledged.
    pub fn settled(&mut self, now: u64) {
        for evicted in std::mem::take(&mut self.unsettled) {
            self.comes(now + 1, Coming::Unused(evicted));
        }
    }

    /// A part is the CPU's, and its frames are free.
    fn gone(&mut self, now: u64, evicted: Evicted) {
        let part = evicted.part;
        self.residents.remove(part);
        self.cpu.insert(part);
        for (_, pfn) in evicted.pages {
            self.tables.free(pfn);
            self.evictions.freed.push(pfn);
        }
        while !self.seeking.is_empty() && self.residents.take_room() {
            if let Some(demand) = self.turns.next(now, &mut self.seeking) {
                self.bring(demand, now);
            }
        }
        for (page, port) in self.evictions.left(part) {
            self.request(now, page, port);
        }
    }
}

impl driver::Pager for Pager {
    fn fault(&mut self, now: u64, record: &Record) {
        let page = Page {
            vpn: record.vpn,
            asid: record.asid,
        };
        self.brought.records += 1;
        let port = (record.requesters != 0).then(|| record.requesters.trailing_zeros());
        match self.replays.has_batches() {
            true => self.replays.report(now, (page, port)),
            false => self.request(now, page, port),
        }
    }

    fn is_ready(&self, _: u64) -> bool {
        !self.resolving.is_empty()
    }

    fn resolve(&mut self, now: u64) -> Option<(u64, u8)> {
        let (next, is_counted) = self.resolving.pop_front()?;
        self.brought.resolved += 1;
        if is_counted {
            self.residents.resolved(self.part(next), now);
            self.keep(self.part(next), now);
        }
        Some((next.vpn, next.asid))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::driver::Pager as _;
    use super::super::{Config, Eviction, Granularity, Link, Replay};
    use super::*;

    const PAGING: Paging = Paging {
        absent: true,
        copied: false,
        granularity: Granularity::Region,
        large_pages: false,
        handler: 2_000,
        local: None,
        link: Link::NVLINK,
        prefetch: Prefetch::None,
        prefetch_parts: 1,
        capacity: None,
        eviction: Eviction::Lru,
        replay: Replay::Page,
        interrupt: 0,
        pinned: 0,
    };
    const LOCAL: Paging = Paging {
        local: Some(20_000),
        ..PAGING
    };

    /// The CPU has written the first two regions of the first space, and none of the second; only these pages may be
    /// accessed.
    fn pager(paging: Paging) -> Pager {
        let config = Config::preset("tanasic").unwrap();
        let parameters = Parameters {
            paging,
            ..config.parameters()
        };
        let space = AddressSpace::Buffers(vec![1..0x100, 0x100..0x200]);
        let accessed = Accessed {
            space,
            pages: Vec::new(),
            most: 1,
        };
        let accessed = vec![accessed.clone(), accessed];
        Pager::new(&parameters, accessed, (0..32).map(page), 0).unwrap()
    }

    fn record(vpn: u64) -> Record {
        Record {
            vpn,
            requesters: 0b1010,
            ..Record::default()
        }
    }

    /// A page of the first space.
    fn page(vpn: u64) -> Page {
        Page { vpn, asid: 0 }
    }

    #[test]
    fn equal_pages_of_two_spaces_come_by_themselves() {
        let mut pager = pager(PAGING);
        pager.fault(0, &record(3));
        let asid = 1;
        pager.fault(0, &Record { asid, ..record(3) });
        // The CPU owns the first page. The second is unowned, and waits for the handler alone.
        assert_eq!(arrivals(&pager), [12_000, 12_000]);
        assert_eq!((pager.brought.migrated, pager.brought.allocated), (1, 1));
        assert_eq!(pager.arrive(12_000), Ok(()));
        let other = Page { vpn: 3, asid };
        assert_eq!(pager.resolving, [(page(3), true), (other, true)]);
        let frames = [page(3), other].map(|page| pager.tables.translate(page));
        assert_eq!(frames, [Some(3), Some(16 + 3)]);
    }

    /// When all that is under way is there.
    fn arrivals(pager: &Pager) -> Vec<u64> {
        pager.coming.keys().map(|key| key.0).collect()
    }

    #[test]
    fn an_unloaded_fault_costs_what_the_link_says() {
        for (vpn, cost) in [(3, 12_000), (300, 10_000)] {
            let mut pager = pager(PAGING);
            pager.fault(100, &record(vpn));
            assert_eq!(arrivals(&pager), [100 + cost]);
        }
    }

    /// 2 MB take 52,429 cycles on the link, and 64 KB 1,639.
    #[test]
    fn a_part_of_2_mb_costs_what_is_above_64_kb_besides() {
        for (granularity, cost) in [
            (Granularity::Page, 12_000),
            (Granularity::Table, 12_000 + 52_429 - 1_639),
        ] {
            let mut pager = pager(Paging {
                granularity,
                ..PAGING
            });
            pager.fault(100, &record(3));
            assert_eq!(arrivals(&pager), [100 + cost]);
            assert_eq!(pager.arrive(100 + cost), Ok(()));
            let there = pager.tables.translate(page(511)).is_some();
            assert_eq!(there, granularity == Granularity::Table);
        }
    }

    #[test]
    fn faults_of_a_region_share_its_way_and_others_wait_for_the_handler() {
        let mut pager = pager(PAGING);
        for vpn in [3, 300, 5, 31] {
            pager.fault(0, &record(vpn));
        }
        assert_eq!(arrivals(&pager), [12_000, 12_000, 16_000]);
        assert_eq!(pager.brought.waited, 2_000 + 4_000);
        assert_eq!(pager.arrive(12_000), Ok(()));
        assert_eq!(pager.resolving, [3, 5, 300].map(|vpn| (page(vpn), true)));
        let is_there = |vpn| pager.tables.translate(page(vpn)).is_some();
        assert!(is_there(15) && !is_there(16));
        // A fault of a miss before the page was mapped is resolved at once.
        pager.fault(12_001, &record(7));
        assert_eq!(pager.resolving.back(), Some(&(page(7), true)));
        assert_eq!(pager.brought.migrated + pager.brought.allocated, 3);
        let handled: Vec<_> = pager
            .arrivals
            .iter()
            .filter_map(|one| one.handled.clone())
            .collect();
        assert_eq!(handled, [0..2_000, 2_000..4_000, 4_000..6_000]);
        assert_eq!(
            pager.arrivals[0].moved,
            Some(12_000 - (65_536u64).div_ceil(40)..12_000)
        );
        assert_eq!(
            (pager.arrivals[1].moved.clone(), pager.arrivals[1].vpn),
            (None, 288)
        );
        assert_eq!((pager.brought.local, pager.brought.asked), (0, 0));
    }

    /// Unowned pages: the handlers run side by side, and the CPU has nothing to do.
    #[test]
    fn handlers_on_sms_allocate_side_by_side() {
        let mut pager = pager(LOCAL);
        for (now, vpn) in [(0, 300), (5, 0x100), (7, 0x110), (9, 301)] {
            pager.fault(now, &record(vpn));
        }
        assert_eq!(arrivals(&pager), [20_000, 20_005, 20_007]);
        assert_eq!((pager.brought.allocated, pager.brought.local), (3, 3));
        assert_eq!((pager.brought.waited, pager.handler_free), (0, 0));
        assert_eq!(pager.arrive(20_000), Ok(()));
        assert_eq!(pager.resolving, [300, 301].map(|vpn| (page(vpn), true)));
        let first = &pager.arrivals[0];
        assert_eq!(
            (first.local.clone(), first.handled.clone(), first.sm),
            (Some(0..20_000), None, Some(1))
        );
    }

    /// Pages that the CPU owns: the handlers ask for them, and the CPU serves one after the other as its own.
    #[test]
    fn handlers_on_sms_ask_the_cpu_for_its_pages() {
        let mut pager = pager(LOCAL);
        for vpn in [3, 300, 31] {
            pager.fault(0, &record(vpn));
        }
        assert_eq!(arrivals(&pager), [20_000, 32_000, 34_000]);
        let Brought {
            migrated,
            asked,
            allocated,
            waited,
            ..
        } = pager.brought;
        assert_eq!((migrated, asked, allocated, waited), (2, 2, 1, 2_000));
        let ways = pager.arrivals.iter().map(|one| {
            let (local, handled) = (one.local.clone(), one.handled.clone());
            (local.map(|span| span.end), handled.map(|span| span.start))
        });
        let expected = [
            (Some(20_000), Some(20_000)),
            (Some(20_000), None),
            (Some(20_000), Some(22_000)),
        ];
        assert!(ways.eq(expected));
    }

    /// A page that is in no allocation: the handler or the record reports it, and the CPU ends the kernel.
    #[test]
    fn an_access_outside_of_every_buffer_aborts() {
        for (paging, cycle) in [(PAGING, 2_000), (LOCAL, 22_000)] {
            for vpn in [0, 0x200] {
                let mut pager = pager(paging);
                pager.fault(0, &record(vpn));
                assert_eq!(pager.next(0), Some(cycle));
                assert_eq!(pager.arrive(cycle - 1), Ok(()));
                let sm = Some(1);
                let aborted = Failure::Aborted { cycle, vpn, sm };
                assert_eq!(pager.arrive(cycle), Err(aborted));
                assert!(pager.arrivals.is_empty());
            }
        }
    }

    /// A copied page is there, an unowned page is not, and an invalid page never is.
    #[test]
    fn pages_are_there_at_first_as_the_configuration_says() {
        let there = |absent, copied| {
            let mut pager = pager(Paging {
                absent,
                copied,
                ..PAGING
            });
            let pages = [3, 300, 0x200];
            pages.iter().for_each(|&vpn| pager.place(page(vpn)));
            pages.map(|vpn| pager.tables.translate(page(vpn)).is_some())
        };
        assert_eq!(there(false, false), [true, true, false]);
        assert_eq!(there(true, true), [true, false, false]);
        assert_eq!(there(true, false), [false; 3]);
    }

    /// A block may leave only because of a page that comes from the CPU.
    #[test]
    fn what_is_handled_on_the_gpu_is_in_no_queue() {
        assert_eq!(pager(PAGING).place_in_queue(page(300), 7), 7);
        let pager = pager(LOCAL);
        assert_eq!(
            [3, 300, 0x200].map(|vpn| pager.place_in_queue(page(vpn), 7)),
            [7, 0, 0]
        );
    }
}

//! What the SMs share: the GMMU and its driver, the L2 cache and DRAM.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::ops::Range;

use super::super::driver::{self, CACHED, Driver, START};
use super::super::sm::Use;
use super::machine::Failure;
use super::multiprocessor::Multiprocessor;
use super::outcome::Translations;
use super::pager::Pager;
use super::parameters::Parameters;
use super::port::{Sent, Translation, Walk, first_if};
use super::shared_memory::{Requester, SharedMemory};
use super::tables::{LAST_FRAME, ROOT, Tables};
use crate::mmu::gmmu::{self, Gmmu};
use crate::page::Page;
use crate::ports::Model;
use crate::sm::l1_tlb::{self, LARGE, NACK, TRANSLATION};

/// Cycles in which nothing has gone over the GMMU's ports, after which its registers hold still.
const SETTLED: u8 = 4;
/// Words of a line, as a power of two.
const LINE_WORD_BITS: u32 = 4;

/// What is on its way to an SM.
#[derive(Clone, Debug)]
enum Message {
    Translation(Translation),
    /// A line has come for the request of this number.
    Answer(u64, u32),
    /// The GMMU has taken a walk.
    Credit(u64),
}

/// SMs that share a port of the GMMU. Whatever comes out of it goes to all of them: an L1 TLB ignores the answers to others' walks
/// unless it walks for the same page.
#[derive(Clone, Debug)]
struct Cluster {
    /// When the walks came that are under way here.
    under_way: HashMap<Page, u64>,
    sms: Range<usize>,
    /// The SM whose walk was offered last, and whether it still is.
    turn: usize,
    offers: bool,
}

impl Cluster {
    /// The walk on offer: it stays until it is taken, and then the next SM has its turn.
    fn offer<'walks>(&mut self, now: u64, walks: &'walks [VecDeque<Walk>]) -> Option<&'walks Walk> {
        let is_due = |sm: &usize| walks[*sm].front().is_some_and(|walk| walk.due <= now);
        if !self.offers {
            let after = self.turn + 1..self.sms.end;
            let next = after.chain(self.sms.clone()).find(is_due);
            self.offers = next.is_some();
            self.turn = next.unwrap_or(self.turn);
        }
        walks[self.turn].front().filter(|_| self.offers)
    }
}

/// A GMMU with its driver.
#[derive(Clone, Debug)]
struct Unit {
    gmmu: Gmmu,
    inputs: gmmu::Inputs,
    /// The SMs that share each port.
    clusters: Vec<Cluster>,
    /// Entries that walks wait for: when each comes, its walk, and its word.
    entries: BinaryHeap<Reverse<(u64, u8, u64)>>,
    driver: Driver,
    /// Cycles in which nothing has gone over the ports of the GMMU, up to [`SETTLED`].
    quiet: u8,
    /// What went over its ports before the first cycle and in the last one, if Verilog is to see it.
    started: Vec<gmmu::Inputs>,
    is_followed: bool,
}

impl Unit {
    /// When something comes here next; none if something happens now.
    fn rests(&self, walks: &[VecDeque<Walk>]) -> Option<u64> {
        if self.quiet < SETTLED || !self.gmmu.rests() {
            return None;
        }
        let written = self.driver.rests()?;
        let sms = self.clusters.iter().flat_map(|cluster| cluster.sms.clone());
        let walks = sms.filter_map(|sm| walks[sm].front());
        let walks = walks.map(|walk| walk.due);
        let entry = self.entries.peek().map(|first| first.0.0);
        walks.chain(entry).chain([written]).min()
    }
}

#[derive(Clone, Debug)]
pub struct Uncore {
    crossbar: u64,
    translation: u64,
    /// Cycles until memory acknowledges a word of a record.
    latency: u64,
    /// One GMMU for all SMs, or one for each.
    units: Vec<Unit>,
    pub shared: SharedMemory,
    /// Walks on their way to the GMMU, SM by SM.
    walks: Vec<VecDeque<Walk>>,
    pub pager: Pager,
    pub translations: Translations,
    /// Invalidations after which each SM is not known to be settled, and when what it has said arrives; none where an SM uses no
    /// translation for longer than the links take.
    unsettled: Option<Vec<(u64, VecDeque<u64>)>>,
    /// What it has for SMs since they met last, in the order in which it was sent.
    sent: Vec<(usize, Message)>,
    now: u64,
}

impl Uncore {
    /// Caches and TLBs are empty, and the driver has started, with so many address spaces.
    pub fn new(parameters: &Parameters, spaces: u8, pager: Pager) -> Self {
        let (sms, size) = (parameters.sms, parameters.cluster());
        let cluster = |first| Cluster {
            under_way: HashMap::new(),
            sms: first..(first + size).min(sms),
            turn: first,
            offers: false,
        };
        let mut clusters: Vec<_> = (0..sms).step_by(size).map(cluster).collect();
        let mut of_units = Vec::new();
        match parameters.per_sm {
            true => of_units.extend(clusters.into_iter().map(|cluster| vec![cluster])),
            false => of_units.push(std::mem::take(&mut clusters)),
        }
        let unit = |clusters| Unit {
            gmmu: Gmmu::new(parameters.gmmu),
            inputs: gmmu::Inputs {
                cached_levels: if parameters.walk_cache { CACHED } else { 0 },
                shared_tlb: parameters.shared_tlb,
                large_fills: parameters.sm.tlb.large_ways > 0,
                far_limit: parameters.far_limit.saturating_mul(size as u8),
                ..driver::inputs(ROOT, LAST_FRAME)
            },
            clusters,
            entries: BinaryHeap::new(),
            driver: Driver::new(),
            quiet: 0,
            started: Vec::new(),
            is_followed: parameters.sm.joined,
        };
        let mut uncore = Self {
            crossbar: parameters.crossbar,
            translation: parameters.translation,
            latency: parameters.caches.latency,
            units: of_units.into_iter().map(unit).collect(),
            shared: SharedMemory::new(parameters.caches),
            walks: vec![VecDeque::new(); sms],
            pager,
            translations: Translations::default(),
            unsettled: parameters.sm.joined.then(|| vec![Default::default(); sms]),
            sent: Vec::new(),
            now: 0,
        };
        for unit in &mut uncore.units {
            for cycle in 0..START {
                let space = u8::try_from(cycle).ok().filter(|&asid| asid < spaces);
                unit.inputs.root_valid = space.is_some();
                if let Some(asid) = space {
                    unit.inputs.root_asid = asid;
                    unit.inputs.root_pfn = Tables::root(asid);
                }
                unit.driver.drive(0, &mut uncore.pager, &mut unit.inputs);
                let outputs = unit.gmmu.cycle(&unit.inputs);
                if unit.is_followed {
                    unit.started.push(unit.inputs.clone());
                }
                unit.driver.see(0, 0, &outputs);
            }
        }
        uncore
    }

    /// What went into the GMMU of all SMs before the first cycle, if Verilog is to see it, and in the last cycle.
    pub fn gmmu_inputs(&self) -> Option<(&[gmmu::Inputs], &gmmu::Inputs)> {
        let unit = self.units.first().filter(|unit| unit.is_followed)?;
        Some((&unit.started, &unit.inputs))
    }

    /// Takes what an SM has sent.
    pub fn takes(&mut self, sm: usize, sent: &mut Sent) {
        let Sent {
            walks,
            requests,
            settled,
            ..
        } = sent;
        self.walks[sm].extend(walks.drain(..));
        let settled = settled.drain(..);
        if let Some(unsettled) = &mut self.unsettled {
            unsettled[sm].1.extend(settled);
        }
        for (at, request) in requests.drain(..) {
            self.shared.request_of(at, sm, request);
        }
    }

    /// Gives the SMs what it has for them.
    pub fn gives(&mut self, sms: &mut [Multiprocessor<'_>]) {
        for (sm, message) in self.sent.drain(..) {
            let port = sms[sm].port();
            match message {
                Message::Translation(translation) => port.translations.push_back(translation),
                Message::Answer(due, id) => port.answer(due, id),
                Message::Credit(due) => port.credits.push_back(due),
            }
        }
    }

    /// Until when nothing happens here; none if something happens now.
    pub fn rests(&self) -> Option<u64> {
        if driver::Pager::is_ready(&self.pager, self.now) {
            return None;
        }
        let next = self.pager.next(self.now).unwrap_or(u64::MAX);
        let next = next.min(self.shared.next()).min(self.settles());
        let unit = |next: u64, unit: &Unit| Some(next.min(unit.rests(&self.walks)?));
        let next = self.units.iter().try_fold(next, unit)?;
        (next > self.now).then_some(next)
    }

    /// When an SM is known next to have settled.
    fn settles(&self) -> u64 {
        let of_sms = self.unsettled.iter().flatten();
        let due = of_sms.filter_map(|(_, due)| due.front().copied());
        due.min().unwrap_or(u64::MAX)
    }

    /// Sees which SMs have settled. When all have, nothing uses what was invalidated.
    fn settle(&mut self) {
        let now = self.now;
        let Some(unsettled) = &mut self.unsettled else {
            return;
        };
        for (count, due) in unsettled.iter_mut() {
            while first_if(due, |due| *due <= now).is_some() {
                *count -= 1;
            }
        }
        if unsettled.iter().all(|(count, _)| *count == 0) {
            self.pager.settled(now);
        }
    }

    /// Runs up to a cycle. It `skips` cycles in which nothing happens.
    ///
    /// # Errors
    /// If an SM is sent a wrong translation, or the kernel is aborted.
    pub fn advance(&mut self, until: u64, skips: bool) -> Result<(), Failure> {
        while self.now < until {
            if skips && let Some(next) = self.rests() {
                let next = next.min(until);
                for unit in &mut self.units {
                    unit.gmmu.rest(next - self.now);
                }
                self.now = next;
                continue;
            }
            self.settle();
            for number in 0..self.units.len() {
                // Of several, those at which nothing happens are left alone.
                let rests = skips && self.units.len() > 1;
                let unit = &mut self.units[number];
                let next = unit.rests(&self.walks).filter(|_| rests);
                match next {
                    Some(next) if next > self.now => unit.gmmu.rest(1),
                    _ => self.translate(number)?,
                }
            }
            while let Some((comes, requester)) = self.serve() {
                match requester {
                    Requester::Sm(sm, id) => {
                        let answer = Message::Answer(comes + self.crossbar, id);
                        self.sent.push((sm, answer));
                    }
                    Requester::Walk(unit, walk, word) => {
                        let entry = Reverse((comes, walk, word));
                        self.units[unit].entries.push(entry);
                    }
                }
            }
            self.now += 1;
        }
        Ok(())
    }

    /// The next request that is answered, and when.
    fn serve(&mut self) -> Option<(u64, Requester)> {
        let pager = &mut self.pager;
        self.shared
            .serve(self.now, |at, remote| pager.line(at, remote))
    }

    /// A cycle of a GMMU and of its driver.
    fn translate(&mut self, number: usize) -> Result<(), Failure> {
        let now = self.now;
        let Unit {
            gmmu,
            inputs,
            clusters,
            entries,
            driver,
            quiet,
            ..
        } = &mut self.units[number];
        let is_due = entries.peek().is_some_and(|first| first.0.0 <= now);
        let entry = if is_due { entries.pop() } else { None };
        inputs.response_valid = entry.is_some();
        if let Some(Reverse((_, walk, word))) = entry {
            (inputs.response_walk, inputs.response_data) = (walk, self.pager.tables.entry(word));
        }
        (inputs.request_valid, inputs.request_write) = (0, 0);
        for (number, cluster) in clusters.iter_mut().enumerate() {
            if let Some(walk) = cluster.offer(now, &self.walks) {
                inputs.request_valid |= 1 << number;
                inputs.request_vpn[number] = walk.page.vpn;
                inputs.request_asid[number] = walk.page.asid.into();
                inputs.request_write |= u16::from(walk.write) << number;
            }
        }
        self.pager.arrive(now)?;
        for pfn in self.pager.evictions.freed.drain(..) {
            self.shared.forget(pfn);
        }
        let invalidation = self.pager.evictions.invalidation();
        inputs.invalidate_valid = invalidation.is_some();
        if let Some((scope, page)) = invalidation {
            inputs.invalidate_scope = scope;
            (inputs.invalidate_vpn, inputs.invalidate_asid) = (page.vpn, page.asid);
        }
        driver.drive(now, &mut self.pager, inputs);
        let from_tlb = gmmu.tlb().answers();
        let outputs = gmmu.cycle(inputs);
        driver.see(now, self.latency, &outputs);
        let happens = inputs.request_valid != 0
            || inputs.response_valid
            || inputs.register_valid
            || inputs.written
            || inputs.invalidate_valid
            || outputs.memory_valid
            || outputs.write_valid
            || outputs.fill_valid | outputs.resolve_valid != 0;
        *quiet = if happens { 0 } else { SETTLED.min(*quiet + 1) };
        if outputs.memory_valid {
            let line = outputs.memory_word >> LINE_WORD_BITS;
            let requester = Requester::Walk(number, outputs.memory_walk, outputs.memory_word);
            self.translations.reads += 1;
            self.shared.request(now + 1, line, Use::Load, requester);
        }
        self.translations.held = self.translations.held.max(outputs.held);
        let taken = inputs.request_valid & outputs.request_ready;
        let due = now + self.translation;
        for (number, cluster) in clusters.iter_mut().enumerate() {
            let bit = |bits: u16| bits >> number & 1 == 1;
            if bit(taken) {
                cluster.offers = false;
                if let Some(walk) = self.walks[cluster.turn].pop_front() {
                    cluster.under_way.insert(walk.page, walk.due);
                }
                self.sent.push((cluster.turn, Message::Credit(due)));
            }
            let (fill_valid, resolve_valid) = (bit(outputs.fill_valid), bit(outputs.resolve_valid));
            let kind = outputs.fill_kind[number] as u8;
            if fill_valid && matches!(kind, TRANSLATION | LARGE) {
                self.translations.fills += 1;
                self.translations.from_tlb += u64::from(from_tlb);
                let (vpn, pfn) = (outputs.fill_vpn, outputs.fill_pfn);
                let asid = outputs.fill_asid;
                if let Some(since) = cluster.under_way.remove(&Page { vpn, asid }) {
                    self.translations.answers += 1;
                    self.translations.latency += now - since;
                }
                if !self.pager.translates(now, Page { vpn, asid }, pfn) {
                    let cycle = now;
                    return Err(Failure::Translation { cycle, vpn, pfn });
                }
            }
            self.translations.nacks += u64::from(fill_valid && kind == NACK);
            if fill_valid || resolve_valid || outputs.drop_valid {
                let inputs = l1_tlb::Inputs {
                    fill_valid,
                    fill_kind: kind,
                    fill_vpn: outputs.fill_vpn,
                    fill_asid: outputs.fill_asid,
                    fill_pfn: outputs.fill_pfn as u32,
                    fill_writable: outputs.fill_writable,
                    fill_clean: outputs.fill_clean,
                    resolve_valid,
                    resolve_vpn: outputs.resolve_vpn,
                    resolve_asid: outputs.resolve_asid,
                    invalidate_valid: outputs.drop_valid,
                    invalidate_scope: outputs.drop_scope,
                    invalidate_asid: outputs.drop_asid,
                    ..l1_tlb::Inputs::default()
                };
                let page = Page {
                    vpn: outputs.fill_vpn,
                    asid: outputs.fill_asid,
                };
                let place = self.pager.place_in_queue(page, outputs.fill_place);
                let translation = Translation { due, inputs, place };
                let sms = cluster.sms.clone();
                if let Some(unsettled) = self.unsettled.as_mut().filter(|_| outputs.drop_valid) {
                    sms.clone().for_each(|sm| unsettled[sm].0 += 1);
                }
                let sent = sms.map(|sm| (sm, Message::Translation(translation.clone())));
                self.sent.extend(sent);
            }
        }
        if outputs.invalidate_ready {
            self.pager.acknowledged(now);
        }
        Ok(())
    }
}

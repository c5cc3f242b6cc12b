//! The GPU, cycle by cycle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use thiserror::Error;

use super::super::driver::{self, CACHED, Driver, START};
use super::super::sm::{Sm, SmError, Statistics, Use, Work};
use super::history::History;
use super::outcome::{Outcome, Translations, joined};
use super::pager::Pager;
use super::parameters::Parameters;
use super::port::{Port, Translation};
use super::shared_memory::{Requester, SharedMemory};
use super::tables::{LAST_FRAME, ROOT};
use crate::mmu::gmmu::{self, Gmmu};
use crate::ports::Model;
use crate::simt::Memory;
use crate::sm::block_scheduler::BlockScheduler;
use crate::sm::l1_tlb::{self, NACK, TRANSLATION};
use crate::sm::sm_pipeline;

/// A GPU on which nothing commits for so many cycles while no page is under way is stuck.
const PATIENCE: u64 = 1_000_000;
/// Words of a line, as a power of two.
const LINE_WORD_BITS: u32 = 4;

/// A run that does not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// An SM.
    #[error("SM {sm}: {error}")]
    Sm {
        /// Its number.
        sm: usize,
        /// What is wrong with it.
        error: SmError,
    },
    /// An SM received what the page tables do not say.
    #[error(
        "cycle {cycle}: page {vpn:#x} was translated to frame {pfn:#x}, which its tables do not say"
    )]
    Translation {
        /// The cycle.
        cycle: u64,
        /// The page.
        vpn: u64,
        /// Its frame, as the SM received it.
        pfn: u64,
    },
    /// Nothing commits any more.
    #[error("cycle {0}: nothing commits any more")]
    Stuck(u64),
}

/// A GPU that runs a kernel.
#[derive(Clone, Debug)]
pub struct Gpu<'work> {
    parameters: Parameters,
    work: &'work Work,
    sms: Vec<Sm<'work, Port>>,
    /// Global memory, if values are computed.
    memory: Memory,
    next_block: usize,
    gmmu: Gmmu,
    inputs: gmmu::Inputs,
    shared: SharedMemory,
    /// Entries that walks wait for: when each comes, its walk, and its word.
    entries: BinaryHeap<Reverse<(u64, u8, u64)>>,
    driver: Driver,
    pager: Pager,
    translations: Translations,
    /// What happens on the pipelines' ports, SM by SM, if it is counted.
    statistics: Vec<Statistics>,
    history: History,
    /// What goes over the ports of a pipeline.
    ports: (sm_pipeline::Inputs, sm_pipeline::Outputs),
    now: u64,
}

impl<'work> Gpu<'work> {
    /// A GPU before its first cycle.
    ///
    /// # Errors
    /// If a thread block does not fit on an SM.
    pub fn new(parameters: &Parameters, work: &'work Work) -> Result<Self, Failure> {
        let (crossbar, translation) = (parameters.crossbar, parameters.translation);
        let mut of_sm = parameters.sm;
        of_sm.far_limit = parameters.far_limit;
        // Where a page lies is known once it has been walked for.
        of_sm.timing.warm = false;
        let sm = |sm| {
            let port = Port::new(crossbar, translation);
            Sm::with(&of_sm, work, port).map_err(|error| Failure::Sm { sm, error })
        };
        let computation = work.computation.as_ref();
        let written =
            computation.map_or_else(Vec::new, |computation| computation.memory.pages().collect());
        let mut pager = Pager::new(parameters.paging, written.into_iter());
        if !parameters.paging.absent {
            work.pages().into_iter().for_each(|page| pager.place(page));
        }
        let values = computation.filter(|_| parameters.sm.values);
        let mut gpu = Self {
            parameters: *parameters,
            work,
            sms: (0..parameters.sms).map(sm).collect::<Result<_, _>>()?,
            memory: values.map_or_else(Memory::new, |values| values.memory.clone()),
            next_block: 0,
            gmmu: Gmmu::new(parameters.gmmu),
            inputs: gmmu::Inputs {
                cached_levels: CACHED,
                shared_tlb: parameters.shared_tlb,
                far_limit: parameters.far_limit,
                ..driver::inputs(ROOT, LAST_FRAME)
            },
            shared: SharedMemory::new(parameters.caches),
            entries: BinaryHeap::new(),
            driver: Driver::new(),
            pager,
            translations: Translations::default(),
            statistics: Vec::new(),
            history: History::of(parameters.sms),
            ports: Default::default(),
            now: 0,
        };
        gpu.inputs.root_valid = true;
        for _ in 0..START {
            gpu.driver.drive(0, &mut gpu.pager, &mut gpu.inputs);
            let outputs = gpu.gmmu.cycle(&gpu.inputs);
            gpu.driver.see(0, 0, &outputs);
            gpu.inputs.root_valid = false;
        }
        Ok(gpu)
    }

    /// Counts, too, what happens on each pipeline's ports.
    #[must_use]
    pub fn counting(mut self) -> Self {
        self.statistics = vec![Statistics::new(&self.parameters.sm.pipeline); self.sms.len()];
        self
    }

    /// Runs to the end; `observe` sees the GPU after each cycle.
    ///
    /// # Errors
    /// If a pipeline breaks a rule, an SM receives a wrong translation, or nothing commits any more.
    pub fn run(mut self, mut observe: impl FnMut(&Self)) -> Result<Outcome, Failure> {
        while !self.is_finished() {
            self.cycle()?;
            observe(&self);
        }
        Ok(self.outcome())
    }

    /// The cycle that comes next.
    #[must_use]
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Thread blocks that were dispatched.
    #[must_use]
    pub const fn dispatched(&self) -> usize {
        self.next_block
    }

    /// The local scheduler of each SM, if blocks are switched out.
    pub fn schedulers(&self) -> impl Iterator<Item = &BlockScheduler> {
        self.sms.iter().filter_map(Sm::scheduler)
    }

    /// Whether every thread block has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.next_block == self.work.blocks.len() && self.sms.iter().all(Sm::has_ended)
    }

    /// What is left at the end.
    fn outcome(self) -> Outcome {
        let mut moved = Vec::new();
        let left = self.sms.into_iter().map(|sm| {
            let mut left = sm.left();
            moved.push(std::mem::take(&mut left.moved));
            left
        });
        let mut sms = joined(left).unwrap_or_default();
        if let Some((_, memory)) = &mut sms.values {
            *memory = self.memory;
        }
        let commits = sms.commits.iter().flatten().flatten();
        Outcome {
            cycles: self.now,
            instructions: commits.map(|&times| u64::from(times)).sum(),
            sms,
            translations: self.translations,
            traffic: self.shared.traffic,
            brought: self.pager.brought,
            statistics: self.statistics,
            history: History {
                arrivals: self.pager.arrivals,
                moved,
                ..self.history
            },
        }
    }

    /// One cycle.
    ///
    /// # Errors
    /// If a pipeline breaks a rule, an SM receives a wrong translation, or nothing commits any more.
    pub fn cycle(&mut self) -> Result<(), Failure> {
        let now = self.now;
        self.dispatch();
        self.translate()?;
        while let Some((comes, requester)) = self.shared.serve(now) {
            match requester {
                Requester::Sm(sm, id) => {
                    let answer = Reverse((comes + self.parameters.crossbar, id));
                    self.sms[sm].below().answers.push(answer);
                }
                Requester::Walk(walk, word) => self.entries.push(Reverse((comes, walk, word))),
            }
        }
        let mut progress = 0;
        for (number, sm) in self.sms.iter_mut().enumerate() {
            std::mem::swap(&mut self.memory, &mut sm.below().memory);
            let cycle = sm.step(&mut self.ports.0, &mut self.ports.1);
            std::mem::swap(&mut self.memory, &mut sm.below().memory);
            cycle.map_err(|error| Failure::Sm { sm: number, error })?;
            if let Some(statistics) = self.statistics.get_mut(number) {
                statistics.observe(&self.ports.0, &self.ports.1);
            }
            for (at, request) in sm.below().requests.drain(..) {
                self.shared.request_of(at.max(now + 1), number, request);
            }
            progress = progress.max(sm.last_progress());
            let has_ended = sm.has_ended();
            self.history.see(number, now, sm.last_progress(), has_ended);
        }
        self.now += 1;
        match self.now - progress > PATIENCE && self.pager.next().is_none() {
            true => Err(Failure::Stuck(self.now)),
            false => Ok(()),
        }
    }

    /// Each SM that has room for a thread block gets the next one.
    fn dispatch(&mut self) {
        let blocks = self.work.blocks.len();
        let (before, from) = self.sms.split_at_mut(self.parameters.first);
        for sm in from.iter_mut().chain(before) {
            let port = sm.below();
            let has_room = self.now == 0 || std::mem::take(&mut port.has_room);
            if has_room && self.next_block < blocks {
                port.blocks.push_back(self.next_block);
                self.next_block += 1;
            }
        }
        if self.next_block == blocks {
            self.sms.iter_mut().for_each(|sm| sm.below().is_last = true);
        }
    }

    /// A cycle of the GMMU and of the driver.
    fn translate(&mut self) -> Result<(), Failure> {
        let now = self.now;
        let inputs = &mut self.inputs;
        let is_due = self.entries.peek().is_some_and(|first| first.0.0 <= now);
        let entry = if is_due { self.entries.pop() } else { None };
        inputs.response_valid = entry.is_some();
        if let Some(Reverse((_, walk, word))) = entry {
            (inputs.response_walk, inputs.response_data) = (walk, self.pager.tables.entry(word));
        }
        inputs.request_valid = 0;
        for (number, sm) in self.sms.iter_mut().enumerate() {
            if let Some(walk) = sm.below().walks.front().filter(|walk| walk.due <= now) {
                inputs.request_valid |= 1 << number;
                inputs.request_vpn[number] = walk.vpn;
                inputs.request_write |= u16::from(walk.write) << number;
            }
        }
        self.pager.arrive(now);
        self.driver.drive(now, &mut self.pager, inputs);
        let from_tlb = self.gmmu.tlb().answers();
        let outputs = self.gmmu.cycle(inputs);
        inputs.request_write = 0;
        self.driver
            .see(now, self.parameters.caches.latency, &outputs);
        if outputs.memory_valid {
            let line = outputs.memory_word >> LINE_WORD_BITS;
            let requester = Requester::Walk(outputs.memory_walk, outputs.memory_word);
            self.translations.reads += 1;
            self.shared.request(now + 1, line, Use::Load, requester);
        }
        self.translations.held = self.translations.held.max(outputs.held);
        let bit = |bits: u16, number: usize| bits >> number & 1 == 1;
        for (number, sm) in self.sms.iter_mut().enumerate() {
            let port = sm.below();
            if bit(inputs.request_valid & outputs.request_ready, number) {
                port.walks.pop_front();
            }
            let fill_valid = bit(outputs.fill_valid, number);
            let resolve_valid = bit(outputs.resolve_valid, number);
            let kind = outputs.fill_kind[number] as u8;
            if fill_valid && kind == TRANSLATION {
                self.translations.fills += 1;
                self.translations.from_tlb += u64::from(from_tlb);
                if self.pager.tables.translate(outputs.fill_vpn) != Some(outputs.fill_pfn) {
                    return Err(Failure::Translation {
                        cycle: now,
                        vpn: outputs.fill_vpn,
                        pfn: outputs.fill_pfn,
                    });
                }
            }
            self.translations.nacks += u64::from(fill_valid && kind == NACK);
            if fill_valid || resolve_valid || outputs.drop_valid {
                port.translations.push_back(Translation {
                    due: now + self.parameters.translation,
                    place: outputs.fill_place,
                    inputs: l1_tlb::Inputs {
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
                    },
                });
            }
        }
        Ok(())
    }
}

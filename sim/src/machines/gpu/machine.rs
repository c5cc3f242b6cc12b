//! The GPU: its SMs and what they share run side by side, and meet after as many cycles as the fastest link takes.

use rayon::prelude::*;
use thiserror::Error;

use super::super::sm::{Sm, SmError, Statistics, ThreadBlocks, Work};
use super::history::History;
use super::multiprocessor::Multiprocessor;
use super::outcome::{Outcome, joined};
use super::pager::Pager;
use super::parameters::Parameters;
use super::port::Port;
use super::uncore::Uncore;
use crate::simt::Memory;
use crate::sm::block_scheduler::BlockScheduler;

/// A GPU on which nothing commits for so many cycles while no page is under way is stuck.
const PATIENCE: u64 = 1_000_000;
/// Thread blocks after which the pages that are the oracle's by now are kept once for both.
const SHARE: usize = 1024;
/// Warp instructions that the oracle executes ahead while the parts run side by side, for each SM: more than commit in a window.
const AHEAD: u64 = 16;
/// Thread blocks that are made ahead at most, for each SM.
const BLOCKS_AHEAD: usize = 8;

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
    /// A warp has accessed a page that is in no allocation.
    #[error("cycle {cycle}: the kernel is aborted: page {vpn:#x}{} is in no allocation", accessed(*.sm))]
    Aborted {
        /// The cycle.
        cycle: u64,
        /// The page.
        vpn: u64,
        /// The SM, if it is known.
        sm: Option<u32>,
    },
    /// The scheme cannot preempt a warp that has faulted.
    #[error("{0} squashes nothing, so a warp that has faulted cannot run the handler of its fault")]
    Handler(&'static str),
    /// Nothing commits any more.
    #[error("cycle {0}: nothing commits any more")]
    Stuck(u64),
}

impl Failure {
    /// The cycle in which an SM has ended the run; the beginning if that is none.
    fn sm_cycle(&self) -> u64 {
        match self {
            Self::Sm { error, .. } => error.cycle().unwrap_or_default(),
            _ => 0,
        }
    }
}

/// Who has accessed a page, if it is known.
fn accessed(sm: Option<u32>) -> String {
    sm.map_or_else(String::new, |sm| format!(", which SM {sm} has accessed,"))
}

/// A GPU that runs a kernel.
#[derive(Clone, Debug)]
pub struct Gpu<'work> {
    parameters: Parameters,
    work: &'work Work,
    sms: Vec<Multiprocessor<'work>>,
    uncore: Uncore,
    /// Global memory, if values are computed.
    memory: Memory,
    /// Thread blocks that were not dispatched.
    blocks: ThreadBlocks<'work>,
    now: u64,
    /// Cycles between two meetings.
    window: u64,
    skips: bool,
    is_parallel: bool,
}

impl<'work> Gpu<'work> {
    /// A GPU before its first cycle.
    ///
    /// # Errors
    /// If a thread block does not fit on an SM, or warps are to handle faults under a scheme that squashes nothing.
    pub fn new(parameters: &Parameters, work: &'work Work) -> Result<Self, Failure> {
        let (crossbar, translation) = (parameters.crossbar, parameters.translation);
        let mut of_sm = parameters.sm;
        let scheme = of_sm.pipeline.scheme;
        if parameters.paging.local.is_some() && !scheme.squashes() {
            return Err(Failure::Handler(scheme.name()));
        }
        of_sm.far_limit = parameters.far_limit;
        // Where a page lies is known once it has been walked for.
        of_sm.timing.warm = false;
        let sm = |sm| {
            let port = Port::new(crossbar, translation);
            let sm_of = Sm::with(&of_sm, work, port);
            let sm_of = sm_of.map_err(|error| Failure::Sm { sm, error })?;
            Ok(Multiprocessor::new(sm_of))
        };
        let computation = work.computation.as_ref();
        let written =
            computation.map_or_else(Vec::new, |computation| computation.memory.pages().collect());
        let space = work.space.clone();
        let mut pager = Pager::new(parameters.paging, space, written.into_iter());
        work.pages().iter().for_each(|&page| pager.place(page));
        let values = computation.filter(|_| parameters.sm.values);
        let mut gpu = Self {
            parameters: *parameters,
            work,
            sms: (0..parameters.sms).map(sm).collect::<Result<_, _>>()?,
            uncore: Uncore::new(parameters, pager),
            memory: values.map_or_else(Memory::new, |values| values.memory.clone()),
            blocks: work.thread_blocks(),
            now: 0,
            window: crossbar.min(translation).max(1),
            skips: true,
            is_parallel: false,
        };
        // The first thread blocks are there before the first cycle.
        for number in (parameters.first..parameters.sms).chain(0..parameters.first) {
            gpu.dispatch(number, 0);
        }
        Ok(gpu)
    }

    /// Counts, too, what happens on each pipeline's ports.
    #[must_use]
    pub fn counting(mut self) -> Self {
        for sm in &mut self.sms {
            sm.count(Statistics::new(&self.parameters.sm.pipeline));
        }
        self
    }

    /// SMs and what they share run on the threads of Rayon. The outcome is the same.
    #[must_use]
    pub const fn in_parallel(mut self) -> Self {
        self.is_parallel = true;
        self
    }

    /// All parts meet in every cycle, and no cycle is skipped. The outcome is the same.
    #[must_use]
    pub const fn in_step(mut self) -> Self {
        (self.window, self.skips) = (1, false);
        self
    }

    /// Runs to the end; `observe` sees the GPU whenever its parts have met.
    ///
    /// # Errors
    /// If an exception ends the kernel, a pipeline breaks a rule, an SM receives a wrong translation, or nothing commits any more.
    pub fn run(mut self, mut observe: impl FnMut(&Self)) -> Result<Outcome, Failure> {
        loop {
            self.advance()?;
            self.meet();
            observe(&self);
            if let Some(end) = self.ended() {
                // What was on its way at the end arrives, whenever they have met.
                let arrived = end + self.parameters.crossbar;
                self.uncore.advance(arrived.max(self.now), self.skips)?;
                return Ok(self.outcome(end));
            }
            let progress = self.sms.iter().map(Multiprocessor::last_progress).max();
            let idle = self.now - progress.unwrap_or_default();
            if idle > PATIENCE && self.uncore.pager.next().is_none() {
                return Err(Failure::Stuck(self.now));
            }
        }
    }

    /// The cycle that comes next.
    #[must_use]
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Thread blocks that were dispatched.
    #[must_use]
    pub fn dispatched(&self) -> usize {
        self.work.blocks() - self.blocks.len()
    }

    /// The local scheduler of each SM, if blocks are switched out.
    pub fn schedulers(&self) -> impl Iterator<Item = &BlockScheduler> {
        self.sms.iter().filter_map(Multiprocessor::scheduler)
    }

    /// When every thread block had ended, if that is so.
    fn ended(&self) -> Option<u64> {
        let mut ended = self.sms.iter().map(Multiprocessor::ended);
        ended.try_fold(0, |last, ended| Some(ended?.max(last)))
    }

    /// What is left at the end.
    fn outcome(self, cycles: u64) -> Outcome {
        let (mut outcomes, mut statistics) = (Vec::new(), Vec::new());
        let (mut activities, mut moved) = (Vec::new(), Vec::new());
        for sm in self.sms {
            let (mut outcome, counted, spans) = sm.left(cycles);
            moved.push(std::mem::take(&mut outcome.moved));
            outcomes.push(outcome);
            statistics.extend(counted);
            activities.push(spans);
        }
        let mut sms = joined(outcomes.into_iter()).unwrap_or_default();
        sms.cycles = cycles;
        let expected = self.blocks.memory();
        let memory = expected.filter(|_| self.parameters.sm.values);
        let memory = memory.map(|expected| (&self.memory, expected));
        sms.comparison.conclude(self.work.blocks(), memory);
        let Uncore {
            shared,
            pager,
            translations,
            ..
        } = self.uncore;
        Outcome {
            cycles,
            instructions: sms.instructions,
            sms,
            translations,
            traffic: shared.traffic,
            brought: pager.brought,
            statistics,
            history: History {
                activities,
                arrivals: pager.arrivals,
                moved,
            },
        }
    }

    /// SMs and what they share go on until they meet next: after a window, or when something happens for the first time.
    fn advance(&mut self) -> Result<(), Failure> {
        let of_sms = self.sms.iter_mut().map(Multiprocessor::wakes).min();
        let rests = of_sms.filter(|_| self.skips).zip(self.uncore.rests());
        let until = rests.map_or(0, |(of_sms, of_uncore)| of_sms.min(of_uncore));
        let until = match until {
            u64::MAX => 0,
            until => until,
        };
        let until = until.max(self.now + self.window);
        let (sms, uncore, skips) = (&mut self.sms, &mut self.uncore, self.skips);
        let (blocks, number) = (&mut self.blocks, self.parameters.sms);
        let advance = |(number, sm): (usize, &mut Multiprocessor<'_>)| {
            let advanced = sm.advance(until, skips);
            advanced.map_err(|error| Failure::Sm { sm: number, error })
        };
        let (of_uncore, of_sms) = match self.is_parallel {
            true => rayon::join(
                || {
                    blocks.make_ahead(AHEAD * number as u64, BLOCKS_AHEAD * number);
                    uncore.advance(until, skips)
                },
                || {
                    let all = sms.par_iter_mut().enumerate();
                    all.map(advance).collect::<Vec<_>>()
                },
            ),
            false => (
                uncore.advance(until, skips),
                sms.iter_mut().enumerate().map(advance).collect(),
            ),
        };
        self.now = until;
        // Of several SMs that fail, the first is the one that has ended first, as if all had met in every cycle.
        let failed = of_sms.into_iter().filter_map(Result::err);
        match failed.min_by_key(Failure::sm_cycle) {
            Some(first) => Err(first),
            None => of_uncore,
        }
    }

    /// Global memory is accessed, and each part gets what others have sent it.
    fn meet(&mut self) {
        let (mut accesses, mut rooms) = (Vec::new(), Vec::new());
        for (number, sm) in self.sms.iter_mut().enumerate() {
            let sent = &mut sm.port().sent;
            let of_sm = sent.accesses.drain(..);
            accesses.extend(of_sm.map(|(at, warp, entry)| (at, number, warp, entry)));
            let turn = (number + self.parameters.sms - self.parameters.first) % self.parameters.sms;
            rooms.extend(sent.has_room.take().map(|at| (at, turn, number)));
            self.uncore
                .takes(number, &mut sent.walks, &mut sent.requests);
        }
        // In the order of time, and in that of the SMs.
        accesses.sort_by_key(|&(at, number, ..)| (at, number));
        for (_, number, warp, entry) in accesses {
            self.sms[number].sm().access(warp, entry, &mut self.memory);
        }
        self.uncore.gives(&mut self.sms);
        rooms.sort_unstable();
        for (at, _, number) in rooms {
            self.dispatch(number, at + self.parameters.crossbar);
        }
    }

    /// An SM gets the next thread block, if there is one; it is there at a time.
    fn dispatch(&mut self, number: usize, due: u64) {
        if let Some(block) = self.blocks.next() {
            if block.number % SHARE == 0
                && let Some(oracle) = self.blocks.memory()
            {
                self.memory.share(oracle);
            }
            self.sms[number].port().blocks.push_back((due, block));
        }
        if self.blocks.len() == 0 {
            for sm in &mut self.sms {
                let last = &mut sm.port().last;
                *last = due.min(*last);
            }
        }
    }
}

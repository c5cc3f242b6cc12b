//! The GPU: its SMs and what they share run side by side, and meet after as many cycles as the fastest link takes.

mod launching;

use std::sync::Arc;

use rayon::prelude::*;
use thiserror::Error;

use super::super::sm::{Frames, Sm, SmError, Statistics, Switching, Work};
use super::Granularity;
use super::history::History;
use super::kernel::{Kernel, Launch};
use super::multiprocessor::Multiprocessor;
use super::outcome::{Launched, Outcome, joined};
use super::pager::{Pager, least_parts};
use super::parameters::Parameters;
use super::port::Port;
use super::uncore::Uncore;
use crate::mmu::gmmu;
use crate::page::Page;
use crate::sm::block_scheduler::BlockScheduler;
use crate::sm::sm_unit;
pub use launching::Freed;

/// A GPU on which nothing commits and no page comes for so many cycles, while no page is under way, is stuck.
const PATIENCE: u64 = 1_000_000;
/// If nothing commits while memory is filled so often, and so many parts more have come, nothing will.
const TURNS: u64 = 64;
const PARTS: u64 = 10_000;
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
    /// There is room for fewer parts of memory than an instruction accesses.
    #[error(
        "{percent} % of the {footprint} parts of memory that are accessed are {room}, and one instruction accesses up to {most}, so \
         give {} % or more",
        least_share(*.most, *.footprint)
    )]
    Capacity {
        /// The share of the parts that are accessed.
        percent: u64,
        /// Those for which there is room.
        room: u64,
        /// Those that are accessed.
        footprint: u64,
        /// Those that one instruction accesses.
        most: u64,
    },
    /// An SM has accessed a page that had left.
    #[error(
        "cycle {cycle}: SM {sm} has accessed page {vpn:#x} in frame {pfn:#x}, which it had left"
    )]
    Freed {
        /// The cycle.
        cycle: u64,
        /// The SM.
        sm: usize,
        /// The page.
        vpn: u64,
        /// The frame.
        pfn: u64,
    },
    /// Parts of memory come and leave, and nothing commits.
    #[error(
        "cycle {cycle}: nothing commits any more, though {parts} parts of memory have come since: there is room for too few"
    )]
    Thrashing {
        /// The cycle.
        cycle: u64,
        /// The parts.
        parts: u64,
    },
    /// The scheme cannot preempt a warp that has faulted.
    #[error("{0} squashes nothing, so a warp that has faulted cannot run the handler of its fault")]
    Handler(&'static str),
    /// The scheme squashes a warp that has faulted, and the TLB does not say that it has.
    #[error(
        "a TLB that blocks reports no fault, so {0} has nothing to squash, and only stall-on-fault runs with it"
    )]
    Blocks(&'static str),
    /// The driver waits with replays, and something else cannot wait.
    #[error(
        "replay = \"{replay}\" waits with what has come until more has, and {other} cannot wait: give replay = \"page\""
    )]
    Replay {
        /// When the driver replays.
        replay: &'static str,
        /// What cannot wait.
        other: &'static str,
    },
    /// Pages come or go where only those are translated that stay.
    #[error(
        "{1} = true translates pages that stay where they are: leave out absent pages and capacity_percent"
    )]
    Resident(&'static str, &'static str),
    /// 2 MB are one page, and less of them comes with it.
    #[error(
        "large_pages = true maps 2 MB as one page, of which {0} cannot come alone: give granularity = \"2m\""
    )]
    LargePages(&'static str),
    /// The SM unit is asked for what it does not have.
    #[error(
        "unit = \"rtl\" runs the block sm_unit, which has no part for {0}: leave that out, or give unit = \"model\""
    )]
    Joined(&'static str),
    /// Thread blocks leave for other reasons than a launch.
    #[error(
        "thread blocks are switched out while they wait for pages, so no second kernel can be launched"
    )]
    Switched,
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

/// The least share of the parts that are accessed, in percent, if an instruction accesses so many.
pub fn least_share(most: u64, footprint: u64) -> u64 {
    let below = 100 * least_parts(most).saturating_sub(1);
    let share = below.checked_div(footprint).unwrap_or_default() + 1;
    share.min(100)
}

/// The SM that has accessed a page, in words, if it is known.
fn accessed(sm: Option<u32>) -> String {
    sm.map_or_else(String::new, |sm| format!(", which SM {sm} has accessed,"))
}

/// A GPU that runs one kernel, or two.
#[derive(Clone, Debug)]
pub struct Gpu<'work> {
    parameters: Parameters,
    /// The kernels by their number, which is that of their address space.
    kernels: Vec<Kernel<'work>>,
    /// When the second one is launched.
    launch: Option<u64>,
    sms: Vec<Multiprocessor<'work>>,
    uncore: Uncore,
    now: u64,
    /// Cycles between two meetings.
    window: u64,
    skips: bool,
    is_parallel: bool,
    /// Instructions that had committed when one last did, and parts of memory that had come.
    committed: (u64, u64),
}

impl<'work> Gpu<'work> {
    /// A GPU before its first cycle.
    ///
    /// # Errors
    /// If a thread block does not fit on an SM, or warps are to handle faults under a scheme that squashes nothing.
    pub fn new(parameters: &Parameters, work: &'work Work) -> Result<Self, Failure> {
        Self::with(parameters, work, None)
    }

    /// A GPU before its first cycle, on which a second kernel will be launched.
    ///
    /// # Errors
    /// If a thread block of one of the two does not fit on an SM, or blocks leave for other reasons than the launch.
    pub fn with_second(
        parameters: &Parameters,
        work: &'work Work,
        launch: Launch<'work>,
    ) -> Result<Self, Failure> {
        if parameters.sm.switching != Switching::Never {
            return Err(Failure::Switched);
        }
        Self::with(parameters, work, Some(launch))
    }

    fn with(
        parameters: &Parameters,
        work: &'work Work,
        launch: Option<Launch<'work>>,
    ) -> Result<Self, Failure> {
        let (crossbar, translation) = (parameters.crossbar, parameters.translation);
        let mut of_sm = parameters.sm;
        let scheme = of_sm.pipeline.scheme;
        if parameters.paging.local.is_some() && !scheme.squashes() {
            return Err(Failure::Handler(scheme.name()));
        }
        let moves = parameters.paging.absent || parameters.paging.capacity.is_some();
        for (table, key, is_asked) in parameters.residents() {
            if is_asked && moves {
                return Err(Failure::Resident(table, key));
            }
        }
        if parameters.sm.blocks && scheme.squashes() {
            return Err(Failure::Blocks(scheme.name()));
        }
        let granularity = parameters.paging.granularity;
        if parameters.paging.large_pages && granularity != Granularity::Table {
            return Err(Failure::LargePages(granularity.name()));
        }
        if let Some(other) = parameters.beyond_the_unit(launch.is_some()) {
            return Err(Failure::Joined(other));
        }
        of_sm.far_limit = parameters.far_limit;
        // Where a page lies is known once it has been walked for.
        of_sm.timing.warm = false;
        if let Some(launch) = &launch {
            of_sm.switching = Switching::Launched(launch.preemption.transfer);
        }
        let handler = parameters.paging.local.unwrap_or(0);
        let sm_of = || {
            let sm = Sm::with(&of_sm, work, Port::new(crossbar, translation))?;
            match launch {
                // The launch reaches an SM over its link.
                Some(Launch {
                    work,
                    at,
                    preemption,
                }) => sm.launches(work, preemption, at + crossbar, handler),
                None => Ok(sm),
            }
        };
        let sm = |sm| match sm_of() {
            Ok(sm) => Ok(Multiprocessor::new(sm)),
            Err(error) => Err(Failure::Sm { sm, error }),
        };
        let works = std::iter::once(work).chain(launch.map(|launch| launch.work));
        let kernel = |(asid, work)| Kernel::new(asid, work, parameters.sm.values);
        let kernels: Vec<_> = (0..).zip(works).map(kernel).collect();
        let spaces = kernels.len() as u8;
        let written = kernels.iter().flat_map(Kernel::written);
        let bits = parameters.paging.part_bits();
        let accessed = kernels.iter().map(|kernel| kernel.accessed(bits));
        let mut sms: Vec<_> = (0..parameters.sms).map(sm).collect::<Result<_, _>>()?;
        let switch = sms.first_mut().map_or(0, |sm| sm.sm().switch_cycles());
        let mut pager = Pager::new(parameters, accessed.collect(), written, switch)?;
        let pages = kernels.iter().flat_map(Kernel::pages);
        pages.for_each(|page| pager.place(page));
        pager.foresee(kernels.iter().flat_map(Kernel::first_touched));
        let mut gpu = Self {
            parameters: *parameters,
            uncore: Uncore::new(parameters, spaces, pager),
            kernels,
            launch: launch.map(|launch| launch.at),
            sms,
            now: 0,
            window: crossbar.min(translation).max(1),
            skips: true,
            is_parallel: false,
            committed: (0, 0),
        };
        if parameters.ideal {
            let tables = &gpu.uncore.pager.tables;
            let pages = gpu.kernels.iter().flat_map(Kernel::pages);
            let frame = |page| Some((page, tables.translate(page)? as u32));
            let frames: Frames = Arc::new(pages.filter_map(frame).collect());
            for sm in &mut gpu.sms {
                sm.sm().knows(&frames);
            }
        }
        if parameters.one_ahead {
            let tables = &gpu.uncore.pager.tables;
            let pages = gpu.kernels.iter().flat_map(Kernel::pages);
            let and_next = |page: Page| {
                let vpn = page.vpn + 1;
                [page, Page { vpn, ..page }]
            };
            let frame = |page| Some((page, tables.translate(page)? as u32));
            let there: Frames = Arc::new(pages.flat_map(and_next).filter_map(frame).collect());
            for sm in &mut gpu.sms {
                sm.sm().prefetches(&there);
            }
        }
        if gpu.uncore.pager.is_limited() {
            for sm in &mut gpu.sms {
                sm.port().is_watched = true;
            }
        }
        // The first thread blocks are there before the first cycle.
        for number in (parameters.first..parameters.sms).chain(0..parameters.first) {
            gpu.dispatch(number, 0, 0);
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

    /// Counts, too, what the cycles of each SM go to.
    #[must_use]
    pub fn counting_causes(mut self) -> Self {
        self.sms.iter_mut().for_each(Multiprocessor::count_causes);
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
    pub fn run(self, mut observe: impl FnMut(&Self)) -> Result<Outcome, Failure> {
        self.try_run(|gpu| {
            observe(gpu);
            Ok(())
        })
    }

    /// The same, and `observe` may end the run.
    ///
    /// # Errors
    /// If it does, or the run comes to no end.
    pub fn try_run<E: From<Failure>>(
        mut self,
        mut observe: impl FnMut(&Self) -> Result<(), E>,
    ) -> Result<Outcome, E> {
        loop {
            self.advance()?;
            self.meet()?;
            observe(&self)?;
            if let Some(end) = self.ended() {
                // What was on its way at the end arrives, whenever they have met.
                let arrived = end + self.parameters.crossbar;
                self.uncore.advance(arrived.max(self.now), self.skips)?;
                // What was written to pinned memory has to be there.
                let end = end.max(self.uncore.pager.written());
                return Ok(self.outcome(end));
            }
            self.check_progress()?;
        }
    }

    /// Whether something commits, now or later.
    fn check_progress(&mut self) -> Result<(), Failure> {
        let progress = self.sms.iter().map(Multiprocessor::last_progress).max();
        // Nothing need happen before the launch.
        let progress = progress.max(self.launch).unwrap_or_default();
        // A warp may wait for one page after the other.
        let progress = progress.max(self.uncore.pager.last);
        let idle = self.now.saturating_sub(progress);
        if idle > PATIENCE && self.uncore.pager.next(self.now).is_none() {
            return Err(Failure::Stuck(self.now));
        }
        self.check_thrashing()
    }

    /// The cycle that comes next.
    #[must_use]
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// What went into the SM unit of each SM in the last cycle, and its number; none of an SM that has ended, or that is not around
    /// such a unit.
    pub fn unit_inputs(&self) -> impl Iterator<Item = Option<(u64, &sm_unit::Inputs)>> {
        self.sms.iter().map(Multiprocessor::unit_inputs)
    }

    /// What went into the GMMU of all SMs before the first cycle, and in the last one, if SMs are around SM units.
    #[must_use]
    pub fn gmmu_inputs(&self) -> Option<(&[gmmu::Inputs], &gmmu::Inputs)> {
        self.uncore.gmmu_inputs()
    }

    /// Thread blocks that were dispatched.
    #[must_use]
    pub fn dispatched(&self) -> usize {
        let of = |kernel: &Kernel<'_>| kernel.work.blocks() - kernel.blocks.len();
        self.kernels.iter().map(of).sum()
    }

    /// The local scheduler of each SM, if blocks are switched out.
    pub fn schedulers(&self) -> impl Iterator<Item = &BlockScheduler> {
        self.sms.iter().filter_map(Multiprocessor::scheduler)
    }

    /// Whether instructions commit while parts of memory come and leave.
    fn check_thrashing(&mut self) -> Result<(), Failure> {
        let pager = &self.uncore.pager;
        let Some(room) = pager.room() else {
            return Ok(());
        };
        let come = pager.brought.migrated + pager.brought.allocated;
        let committed = self.sms.iter().map(Multiprocessor::committed).sum();
        let parts = come - self.committed.1;
        if committed > self.committed.0 {
            self.committed = (committed, come);
        } else if parts > PARTS + TURNS * room {
            let cycle = self.now;
            return Err(Failure::Thrashing { cycle, parts });
        }
        Ok(())
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
        let mut cycles_by_cause = Vec::new();
        let mut launched = self.launch.map(Launched::new);
        for mut sm in self.sms {
            if let (Some(launched), Some(of_sm)) = (&mut launched, sm.preempted()) {
                launched.add(of_sm);
            }
            cycles_by_cause.extend(sm.cycles(cycles));
            let (mut outcome, counted, spans) = sm.left(cycles);
            moved.push(std::mem::take(&mut outcome.moved));
            outcomes.push(outcome);
            statistics.extend(counted);
            activities.push(spans);
        }
        let mut sms = joined(outcomes.into_iter()).unwrap_or_default();
        sms.cycles = cycles;
        let second = launched.iter_mut().map(|launched| &mut launched.comparison);
        let comparisons = std::iter::once(&mut sms.comparison).chain(second);
        for (comparison, kernel) in comparisons.zip(&self.kernels) {
            let expected = kernel.blocks.memory();
            let memory = expected.filter(|_| self.parameters.sm.values);
            let memory = memory.map(|expected| (&kernel.memory, expected));
            comparison.conclude(kernel.work.blocks(), memory);
        }
        let Uncore {
            shared,
            pager,
            translations,
            ..
        } = self.uncore;
        let brought = pager.brought;
        let (arrivals, lines) = pager.history();
        Outcome {
            cycles,
            launched,
            instructions: sms.instructions,
            sms,
            translations,
            traffic: shared.traffic,
            brought,
            statistics,
            cycles_by_cause,
            history: History {
                activities,
                arrivals,
                lines,
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
        let (kernels, number) = (&mut self.kernels, self.parameters.sms);
        let advance = |(number, sm): (usize, &mut Multiprocessor<'_>)| {
            let advanced = sm.advance(until, skips);
            advanced.map_err(|error| Failure::Sm { sm: number, error })
        };
        let (of_uncore, of_sms) = match self.is_parallel {
            true => rayon::join(
                || {
                    for Kernel { blocks, .. } in kernels {
                        blocks.make_ahead(AHEAD * number as u64, BLOCKS_AHEAD * number);
                    }
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
    fn meet(&mut self) -> Result<(), Failure> {
        let (mut accesses, mut rooms) = (Vec::new(), Vec::new());
        self.check_translated()?;
        for (number, sm) in self.sms.iter_mut().enumerate() {
            let sent = &mut sm.port().sent;
            let of_sm = sent.accesses.drain(..);
            accesses.extend(of_sm.map(|access| (access.0, number, access)));
            let turn = (number + self.parameters.sms - self.parameters.first) % self.parameters.sms;
            let of_sm = sent.rooms.drain(..);
            rooms.extend(of_sm.map(|(at, kernel)| (at, turn, number, kernel)));
            self.uncore.takes(number, sent);
        }
        // In the order of time, and in that of the SMs.
        accesses.sort_by_key(|&(at, number, _)| (at, number));
        for (_, number, (_, kernel, warp, entry)) in accesses {
            let memory = &mut self.kernels[kernel].memory;
            self.sms[number].sm().access(warp, entry, memory);
        }
        self.uncore.gives(&mut self.sms);
        rooms.sort_unstable();
        for (at, _, number, kernel) in rooms {
            self.dispatch(number, kernel, at + self.parameters.crossbar);
        }
        Ok(())
    }

    /// Whether the pages were there that the SMs have accessed since all met last.
    fn check_translated(&mut self) -> Result<(), Failure> {
        if !self.uncore.pager.is_limited() {
            return Ok(());
        }
        let pager = &mut self.uncore.pager;
        let mut first: Option<(u64, usize, u64, u64)> = None;
        for (sm, of_sm) in self.sms.iter_mut().enumerate() {
            for (at, page, pfn) in of_sm.port().sent.translated.drain(..) {
                if !pager.may_use(at, page, pfn) {
                    let found = (at, sm, page.vpn, pfn);
                    first = Some(first.map_or(found, |first| first.min(found)));
                }
            }
        }
        pager.evictions.looked();
        match first {
            Some((cycle, sm, vpn, pfn)) => Err(Failure::Freed {
                cycle,
                sm,
                vpn,
                pfn,
            }),
            None => Ok(()),
        }
    }

    /// An SM gets the next thread block of a kernel, if there is one; it is there at a time.
    fn dispatch(&mut self, number: usize, kernel: usize, due: u64) {
        let Kernel { memory, blocks, .. } = &mut self.kernels[kernel];
        if let Some(block) = blocks.next() {
            if block.number % SHARE == 0
                && let Some(oracle) = blocks.memory()
            {
                memory.share(oracle);
            }
            let supply = &mut self.sms[number].port().supplies[kernel];
            supply.blocks.push_back((due, block));
        }
        if blocks.len() == 0 {
            for sm in &mut self.sms {
                let last = &mut sm.port().supplies[kernel].last;
                *last = due.min(*last);
            }
        }
    }
}

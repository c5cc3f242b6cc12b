//! What an SM is around: its pipeline and a memory unit that a machine can vary, or the block that joins both.

use std::collections::VecDeque;

use super::below::{Below, Use};
use super::causes::Cause;
use super::fault_times::FaultTimes;
use super::joined::Joined;
use super::memory_unit::{Decision, MemoryUnit, Tag};
use super::outcome::{Lookups, Misses};
use super::pages::{Fill, Frames};
use super::parameters::Parameters;
use super::work::Kind;
use crate::ports::Model;
use crate::simt::Lanes;
use crate::sm::sm_pipeline::SmPipeline;

/// A pipeline, and a memory unit of the machine's own: it has what no block has, such as a TLB that blocks.
#[derive(Clone, Debug)]
pub struct Apart {
    pub pipeline: SmPipeline,
    pub memory: MemoryUnit,
}

/// One of the two.
#[derive(Clone, Debug)]
pub enum Core {
    Apart(Box<Apart>),
    /// The block `sm_unit`.
    Joined(Box<Joined>),
}

/// The same call of the memory unit and of the SM unit.
macro_rules! both {
    ($core:ident.$call:ident($($argument:expr),*)) => {
        match $core {
            Core::Apart(apart) => apart.memory.$call($($argument),*),
            Core::Joined(joined) => joined.$call($($argument),*),
        }
    };
}

impl Core {
    pub fn new(parameters: &Parameters) -> Self {
        match parameters.joined {
            true => Self::Joined(Box::new(Joined::new(parameters))),
            false => Self::Apart(Box::new(Apart {
                pipeline: SmPipeline::new(parameters.pipeline),
                memory: MemoryUnit::new(parameters),
            })),
        }
    }

    /// The pipeline.
    pub fn pipeline(&self) -> &SmPipeline {
        match self {
            Self::Apart(apart) => &apart.pipeline,
            Self::Joined(joined) => joined.pipeline(),
        }
    }

    /// The SM unit.
    pub fn joined(&self) -> Option<&Joined> {
        match self {
            Self::Apart(_) => None,
            Self::Joined(joined) => Some(joined),
        }
    }

    /// The SM unit.
    pub fn joined_mut(&mut self) -> Option<&mut Joined> {
        match self {
            Self::Apart(_) => None,
            Self::Joined(joined) => Some(joined),
        }
    }

    /// The memory unit of the machine's own.
    pub fn apart(&mut self) -> Option<&mut MemoryUnit> {
        match self {
            Self::Apart(apart) => Some(&mut apart.memory),
            Self::Joined(_) => None,
        }
    }

    /// The TLB has these pages before the first cycle.
    pub fn warm(&mut self, pages: &[u64]) {
        if let Some(memory) = self.apart() {
            memory.warm(pages);
        }
    }

    /// From now on it is known without a walk where these pages lie.
    pub fn knows(&mut self, frames: &Frames) {
        if let Some(memory) = self.apart() {
            memory.knows(frames);
        }
    }

    /// From now on the page after one that is missed is walked for too, if it is one of these.
    pub fn prefetches(&mut self, there: &Frames) {
        if let Some(memory) = self.apart() {
            memory.prefetches(there);
        }
    }

    /// How global accesses were translated.
    pub fn lookups(&self) -> Lookups {
        both!(self.lookups())
    }

    /// A global-memory instruction with its lanes and their addresses, which perhaps faults whatever its pages.
    pub fn begin(&mut self, tag: Tag, kind: Kind, lanes: (u32, &Lanes), faults: bool, now: u64) {
        match self {
            Self::Apart(apart) => apart.memory.begin(tag, kind, lanes, faults, now),
            Self::Joined(joined) => joined.begin(tag, Use::of(tag.class, kind), lanes),
        }
    }

    /// A division or a trap, of which these lanes raise an exception.
    pub fn begin_raising(&mut self, tag: Tag, lanes: u32, now: u64) {
        both!(self.begin_raising(tag, lanes, now));
    }

    /// Instructions that wait for a page in the pipeline: when each has faulted, and when its page is there.
    pub fn stalls(&self) -> impl Iterator<Item = (Tag, u64, u64)> {
        let memory = match self {
            Self::Apart(apart) => Some(&apart.memory),
            Self::Joined(_) => None,
        };
        memory.into_iter().flat_map(MemoryUnit::stalls)
    }

    /// Whether pages are still to wake a warp.
    pub fn waits(&self, warp: u8) -> bool {
        both!(self.waits(warp))
    }

    /// What an instruction that is not over waits for.
    pub fn cause(&self, warp: u8, entry: u8) -> Cause {
        both!(self.cause(warp, entry))
    }

    /// What the GMMU has reported in this cycle.
    pub fn fill(&self) -> Option<Fill> {
        match self {
            Self::Apart(apart) => apart.memory.fill(),
            Self::Joined(_) => None,
        }
    }

    /// Whether no access is under way.
    pub fn is_idle(&self) -> bool {
        both!(self.is_idle())
    }

    /// Whether warps wait for absent pages, and so do all accesses that are under way.
    pub fn waits_for_pages_alone(&self) -> bool {
        both!(self.waits_for_pages_alone())
    }

    /// A warp that faulted goes on.
    pub fn resumed(&mut self, warp: u8) {
        both!(self.resumed(warp));
    }

    /// The first half of a cycle. It names the instructions that are over with lines that have come, and when.
    pub fn advance(
        &mut self,
        now: u64,
        decisions: &mut VecDeque<Decision>,
        below: &mut impl Below,
    ) -> Vec<(u8, u8, u64)> {
        both!(self.advance(now, decisions, below))
    }

    /// When something may happen here, if nothing does before unless something comes.
    pub fn rests(&self) -> Option<u64> {
        match self {
            Self::Apart(apart) => apart.memory.rests(),
            Self::Joined(_) => None,
        }
    }

    /// A number of cycles pass in which nothing happens.
    pub fn rest(&mut self, cycles: u64) {
        if let Self::Apart(apart) = self {
            apart.pipeline.rest(cycles);
        }
    }

    /// The pipeline knows that the checks of an instruction have succeeded. It says when the instruction is over, if that is known.
    pub fn reported(&mut self, tag: Tag) -> Option<u64> {
        both!(self.reported(tag))
    }

    /// The second half, of a memory unit of the machine's own.
    pub fn split(&mut self, now: u64) {
        if let Some(memory) = self.apart() {
            memory.split(now);
        }
    }

    /// Cycles from each fault that stalled an access to its last TLB check.
    pub fn times(&self) -> FaultTimes {
        match self {
            Self::Apart(apart) => apart.memory.times().clone(),
            Self::Joined(_) => FaultTimes::default(),
        }
    }

    /// What the cache has missed.
    pub fn misses(&self, below: &impl Below) -> Misses {
        both!(self.misses(below))
    }
}

//! How a run ends, and whether it ended as it should.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use super::comparison::Comparison;
use super::fault_times::FaultTimes;
use crate::simt::Raised;

/// Bytes of a beat of a context.
pub const BEAT: u64 = 32;

/// Why a run did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SmError {
    /// A block is larger than the SM.
    #[error("a block has {block} warps, and the SM {warps}")]
    Block {
        /// Warps of the block.
        block: usize,
        /// Warps of the SM.
        warps: usize,
    },
    /// A store would wait for its log entries for ever.
    #[error(
        "the log has {entries} entries for {blocks} thread blocks, and a store of a block needs two"
    )]
    Log {
        /// Entries of the log.
        entries: usize,
        /// Blocks that share it.
        blocks: usize,
    },
    /// A block that waits for a page cannot leave, because its instructions wait in the pipeline.
    #[error(
        "a scheme that squashes nothing keeps a thread block that has faulted, so none can be switched out"
    )]
    Unsquashed,
    /// A context would not say which row of registers it holds.
    #[error(
        "the registers of the thread blocks of an SM take {rows} rows of 128 B, and a context of a block that leaves names {most} at most"
    )]
    Rows {
        /// Rows of the registers.
        rows: u64,
        /// Rows that a context can name.
        most: u64,
    },
    /// An instruction has raised an exception, and no handler restarts it.
    #[error("cycle {cycle}, {raised} ends the kernel")]
    Exception {
        /// The cycle.
        cycle: u64,
        /// What has been raised.
        raised: Raised,
    },
    /// Nothing commits any more.
    #[error("cycle {0}: nothing commits any more")]
    Stuck(u64),
    /// The pipeline did what its page forbids.
    #[error("cycle {cycle}, warp {warp}: {what}")]
    Broken {
        /// The cycle.
        cycle: u64,
        /// The warp.
        warp: u8,
        /// What it did.
        what: &'static str,
    },
}

impl SmError {
    /// The cycle in which the run has ended; none if it did not begin.
    #[must_use]
    pub const fn cycle(&self) -> Option<u64> {
        match *self {
            Self::Exception { cycle, .. } | Self::Stuck(cycle) | Self::Broken { cycle, .. } => {
                Some(cycle)
            }
            Self::Block { .. } | Self::Log { .. } | Self::Unsquashed | Self::Rows { .. } => None,
        }
    }
}

/// Lines that were requested of the L2 cache, and what they waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// The lines.
    pub lines: u64,
    /// Cycles that they waited for a place among the L1 cache's misses, and for the bandwidth of DRAM.
    pub waited: u64,
}

/// Accesses of global memory and how they are translated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lookups {
    /// Instructions that have a lane, and their lanes.
    pub instructions: u64,
    /// The lanes.
    pub lanes: u64,
    /// Lines of 128 B that the coalescer makes of them, each of which looks into the L1 TLB.
    pub lines: u64,
    /// Those whose page the L1 TLB does not have, also if its walk is under way.
    pub missed: u64,
    /// Walks that the L1 TLB requests.
    pub walks: u64,
    /// The pages that it waits for at each of these times, that of the walk included, all together.
    pub waiting: u64,
    /// The most of them.
    pub most: u64,
    /// Walks that are requested 500 cycles at most after the one before.
    pub soon: u64,
    /// Walks that the prefetcher requests, where there is one.
    pub ahead: u64,
    /// Walks that the L1 TLB requests and that are not sent, because the prefetcher has the translation or has requested it.
    pub spared: u64,
}

impl Lookups {
    /// Adds those of another SM.
    pub(in super::super) fn add(&mut self, other: &Self) {
        self.instructions += other.instructions;
        self.lanes += other.lanes;
        self.lines += other.lines;
        self.missed += other.missed;
        self.walks += other.walks;
        self.waiting += other.waiting;
        self.most = self.most.max(other.most);
        self.soon += other.soon;
        self.ahead += other.ahead;
        self.spared += other.spared;
    }
}

/// Faults and exceptions of a run that squash an instruction, and those of them in which a restart could go wrong; one may be of
/// several kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occasions {
    /// All of them.
    pub faults: u64,
    /// It is an exception, which a handler on the SM restarts.
    pub exceptions: u64,
    /// The instruction has faulted before.
    pub again: u64,
    /// Its warp is being replayed.
    pub in_a_replay: u64,
    /// Some of its lanes do not fault.
    pub some_lanes: u64,
    /// Another warp waits for a page that it waits for.
    pub shared_page: u64,
}

impl std::ops::AddAssign for Occasions {
    fn add_assign(&mut self, other: Self) {
        self.faults += other.faults;
        self.exceptions += other.exceptions;
        self.again += other.again;
        self.in_a_replay += other.in_a_replay;
        self.some_lanes += other.some_lanes;
        self.shared_page += other.shared_page;
    }
}

/// Contexts of thread blocks that moved between an SM and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contexts {
    /// Beats of 32 B that were written and read.
    pub beats: u64,
    /// Cycles for which a block was on its way, stops and drain included.
    pub cycles: u64,
}

impl Contexts {
    /// Bytes that were written and read.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.beats * BEAT
    }
}

impl std::ops::AddAssign for Contexts {
    fn add_assign(&mut self, other: Self) {
        self.beats += other.beats;
        self.cycles += other.cycles;
    }
}

/// The way of a thread block out of an SM, or back to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The block.
    pub block: usize,
    /// It leaves; otherwise it comes back.
    pub leaves: bool,
    /// The cycles that it takes.
    pub span: Range<u64>,
}

/// What a run left behind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Cycles that it took.
    pub cycles: u64,
    /// Times that a thread block left in the middle of its work.
    pub switches: u64,
    /// What moved of their contexts.
    pub contexts: Contexts,
    /// When blocks left and came back, in the order of time.
    pub moved: Vec<Moved>,
    /// Squashed instructions that came back with such a block.
    pub restored: u64,
    /// Times that a thread block was saved, and ran on.
    pub bases: u64,
    /// Contexts that were damaged on purpose, and that the SM refused.
    pub refused: u64,
    /// Its faults.
    pub occasions: Occasions,
    /// Cycles from each fault, of those that squash and of those that stall an access, to the restart.
    pub fault_times: FaultTimes,
    /// Cycles from the resolution of the last page that a warp has waited for, as it comes to the SM, to the warp's first replay;
    /// counted around the block `sm_unit`.
    pub replay_times: FaultTimes,
    /// What its caches missed.
    pub misses: Misses,
    /// How global accesses are translated.
    pub lookups: Lookups,
    /// Warp instructions that have committed.
    pub instructions: u64,
    /// What was compared with the run without faults.
    pub(in crate::machines) comparison: Comparison,
}

/// How a run differs from the oracle's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// A thread block did not end exactly once.
    Block {
        /// Its number.
        block: usize,
        /// How often it ended.
        times: usize,
    },
    /// An instruction did not commit exactly once.
    Commits {
        /// Its thread block.
        block: usize,
        /// Its warp in the block.
        warp: usize,
        /// Its place in the warp.
        position: usize,
        /// How often it committed.
        times: u8,
    },
    /// A branch went elsewhere.
    Branch,
    /// A warp's registers at its end, at the first of them and its first lane.
    Registers {
        /// The thread block.
        block: usize,
        /// The warp in the block.
        warp: usize,
        /// The register.
        register: u8,
        /// The lane.
        lane: usize,
        /// What it holds.
        value: u64,
    },
    /// Global memory, at its lowest address.
    Memory(u64),
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block { block, times } => {
                write!(formatter, "thread block {block} ended {times} times")
            }
            Self::Commits {
                block,
                warp,
                position,
                times,
            } => write!(
                formatter,
                "instruction {position} of warp {warp} of block {block} committed {times} times"
            ),
            Self::Branch => formatter.write_str("a branch went another way than the oracle's"),
            Self::Registers {
                block,
                warp,
                register,
                lane,
                value,
            } => write!(
                formatter,
                "the registers of warp {warp} of block {block} differ from the oracle's: R{register} ends as {value:#x} in \
                 lane {lane}"
            ),
            Self::Memory(address) => write!(
                formatter,
                "global memory differs from the oracle's at {address:#x}"
            ),
        }
    }
}

impl Outcome {
    /// The first differences from the run without faults that were found, in order; none if it ended as it should.
    #[must_use]
    pub fn differences(&self) -> &[Difference] {
        self.comparison.differences()
    }
}

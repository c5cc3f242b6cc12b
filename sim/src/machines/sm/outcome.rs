//! How a run ends, and whether it ended as it should.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use super::work::Work;
use crate::simt::{Memory, Registers};

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

/// Lines that were requested of the L2 cache, and what they waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// The lines.
    pub lines: u64,
    /// Cycles that they waited for a place among the L1 cache's misses, and for the bandwidth of DRAM.
    pub waited: u64,
}

/// Faults of a run that squash an instruction, and those of them in which a restart could go wrong; one may be of
/// several kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occasions {
    /// All of them.
    pub faults: u64,
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
#[derive(Clone, Debug, Default)]
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
    /// What its caches missed.
    pub misses: Misses,
    /// How often each instruction committed: block, warp, place in the warp. Nothing of a block that never came.
    pub commits: Vec<Vec<Vec<u8>>>,
    /// Whether each branch went where the oracle's did.
    pub branches_agree: bool,
    /// Values, if they were computed: the registers of each block's warps, and global memory.
    pub values: Option<(Vec<Vec<Option<Registers>>>, Memory)>,
}

/// How a run differs from the oracle's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
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
    /// A warp's registers.
    Registers {
        /// The thread block.
        block: usize,
        /// The warp in the block.
        warp: usize,
    },
    /// Global memory, at its lowest address.
    Memory(u64),
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
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
            Self::Registers { block, warp } => write!(
                formatter,
                "the registers of warp {warp} of block {block} differ from the oracle's"
            ),
            Self::Memory(address) => write!(
                formatter,
                "global memory differs from the oracle's at {address:#x}"
            ),
        }
    }
}

impl Outcome {
    /// All differences from the run without faults.
    #[must_use]
    pub fn differences(&self, work: &Work) -> Vec<Difference> {
        let mut differences = Vec::new();
        for (block, warps) in work.blocks.iter().enumerate() {
            for (warp, steps) in warps.iter().enumerate() {
                let commits = self.commits.get(block).and_then(|warps| warps.get(warp));
                let commits = commits.map_or(&[][..], Vec::as_slice);
                for position in 0..steps.len() {
                    let times = commits.get(position).copied().unwrap_or_default();
                    if times != 1 {
                        differences.push(Difference::Commits {
                            block,
                            warp,
                            position,
                            times,
                        });
                    }
                }
            }
        }
        if !self.branches_agree {
            differences.push(Difference::Branch);
        }
        if let (Some((registers, memory)), Some(computation)) = (&self.values, &work.computation) {
            let oracle = &computation.oracle;
            let mut expected = oracle.warps.iter();
            for (block, warps) in registers.iter().enumerate() {
                for (warp, found) in warps.iter().enumerate() {
                    if expected.next().map(|run| &run.registers) != found.as_ref() {
                        differences.push(Difference::Registers { block, warp });
                    }
                }
            }
            differences.extend(memory.difference(&oracle.memory).map(Difference::Memory));
        }
        differences
    }
}

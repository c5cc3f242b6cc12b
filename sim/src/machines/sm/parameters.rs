//! What an SM is made of, and how its faults come about.

use serde::{Deserialize, Serialize};

use crate::sm::sm_pipeline::{Policy, Scheme};
use crate::sm::{l1_tlb, operand_log, replay_queue, sm_pipeline};

/// Cycles that things take. An instruction of a unit is in it for so many cycles, from the one after operand read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Arithmetic; each unit takes one instruction a cycle.
    pub math: u64,
    /// Special functions.
    pub special: u64,
    /// Cycles from a special function to the next.
    pub special_interval: u64,
    /// Branches.
    pub control: u64,
    /// Shared memory, from the memory unit on.
    pub shared: u64,
    /// Cycles from a miss in the L1 TLB to the answer of the L2 TLB.
    pub l2_tlb: u64,
    /// A walk of the page table.
    pub walk: u64,
    /// Cycles from a check that fails on purpose, and so without the L2 TLB and a walk, to its fault.
    pub fault: u64,
    /// The L1 TLB has the first pages of the accesses before the first cycle.
    pub warm: bool,
    /// Other SMs have walked for every page that is there, so the L2 TLB has it.
    pub walked: bool,
    /// The L1 cache.
    pub l1: u64,
    /// Cycles from a miss in the L1 cache to the L2 cache's answer.
    pub l2: u64,
    /// Cycles from a miss in the L2 cache to the answer of DRAM.
    pub dram: u64,
    /// Cycles by which DRAM answers earlier or later at most, as lines of other SMs come before.
    pub dram_spread: u64,
    /// Cycles from a line of DRAM to the next.
    pub dram_interval: u64,
}

impl Timing {
    /// Table 1 of Tanasic et al., and for an SM its share of the bandwidth of DRAM: 16 SMs have 256 B a cycle. The
    /// paper is silent about the execution units: those are of an SM of its time.
    pub const PAPER: Self = Self {
        math: 4,
        special: 16,
        special_interval: 4,
        control: 1,
        shared: 24,
        l2_tlb: 70,
        walk: 500,
        fault: 0,
        warm: false,
        walked: true,
        l1: 40,
        l2: 70,
        dram: 200,
        dram_spread: 8,
        dram_interval: 8,
    };

    /// Those of the paper's timelines (Figures 3 to 7): a load is executed for 7 cycles, all else for one. A load
    /// is in the coalescer for two of them and in the L1 TLB for one, which has its page, and then in the cache. A
    /// fault is known later than a success, as a page that is not there is looked for below the L1 TLB: A's in cycle 10
    /// (§2.5), which is the last one that it executes.
    pub const FIGURES: Self = Self {
        math: 1,
        special: 1,
        special_interval: 1,
        control: 1,
        shared: 7,
        l2_tlb: 0,
        walk: 0,
        fault: 3,
        warm: true,
        walked: false,
        l1: 4,
        l2: 0,
        dram: 0,
        dram_spread: 0,
        dram_interval: 0,
    };
}

/// How page faults come about, and how long they last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Faults {
    /// The share of global-memory instructions that fault on a random part of their lanes, below 1.
    pub rate: f64,
    /// No page is there at first.
    pub absent: bool,
    /// Instructions of the first 64 of a program that fault when they are executed first, a bit each.
    pub once: u64,
    /// Cycles from a fault to the page.
    pub cycles: u64,
    /// Bits of an address inside of what comes together.
    pub granule_bits: u32,
}

impl Faults {
    /// None.
    pub const NONE: Self = Self {
        rate: 0.0,
        absent: false,
        once: 0,
        cycles: 10_000,
        granule_bits: 16,
    };
}

/// What becomes of an instruction that raises an exception: a division by zero or a trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Response {
    /// It is masked: the instruction has its defined result at once.
    Masked,
    /// A handler on the SM restarts its warp, and it has its defined result when it is done again. Under a scheme that squashes
    /// nothing it ends the kernel.
    Restart,
    /// It ends the kernel, as on today's GPUs (Tanasic et al., section 2.2).
    End,
}

impl Response {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Masked, Self::Restart, Self::End];

    /// Its name in files, options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Masked => "masked",
            Self::Restart => "restart",
            Self::End => "end",
        }
    }
}

impl TryFrom<String> for Response {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|known| known.name() == name);
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("there is no response {name}; there are {known}")
        })
    }
}

impl From<Response> for &'static str {
    fn from(response: Response) -> Self {
        response.name()
    }
}

/// What an SM does with exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceptions {
    /// What becomes of an instruction that raises one.
    pub response: Response,
    /// Cycles of the handler for each such instruction, from the drain of its warp on. Other warps run meanwhile.
    pub handler: u64,
}

impl Exceptions {
    /// They end the kernel. The paper gives no time for a handler, so its 1,000 cycles are an assumption.
    pub const END: Self = Self {
        response: Response::End,
        handler: 1000,
    };
}

/// What an SM does with an instruction that faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// What the scheme of its pipeline says.
    Scheme,
    /// Squashes it on the pipeline of the baseline, which knows no faults: the warp stops and drains, and goes on from
    /// the instruction that faulted. This is what does not work (Tanasic et al., §2.5).
    Naive,
}

/// How the context of a thread block moves between the SM and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// All of its beats move in a cycle. What is left are the steps of the pipeline: stops, drain, squashed instructions, resumes.
    AtOnce,
    /// In lines of 128 B through the SM's port to DRAM, among the requests of its caches and those of other SMs.
    Lines {
        /// Cycles of a beat of 32 B at the SM's share of the bandwidth of DRAM, by which the time of a context is estimated.
        interval: u64,
    },
}

/// The local scheduler of thread blocks (Tanasic et al., section 4.1), with the contexts that it moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// A block leaves if the place of its fault in the queue of faults is above this.
    pub threshold: u8,
    /// Blocks that the SM may have beyond its slots, 1 to 4.
    pub extra: u8,
    /// Cycles for which a block stays at least.
    pub residence: u16,
    /// Cycles for which a warp that faults runs the GPU's handler, and its block stays; 0 if the CPU handles all faults.
    pub handler: u64,
    /// How contexts move.
    pub transfer: Transfer,
}

/// When thread blocks leave the SM in the middle of their work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Switching {
    /// Never.
    Never,
    /// A block leaves with this chance, below 1, in a cycle in which none leaves or comes back. Some stay when they are saved,
    /// contexts move at random speeds, and memory damages some of them.
    Chance(f64),
    /// When the local scheduler decides it.
    Local(Local),
    /// When another kernel is launched.
    Launched(Transfer),
}

/// An SM and its surroundings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Its pipeline.
    pub pipeline: sm_pipeline::Parameters,
    /// Its L1 TLB.
    pub tlb: l1_tlb::Parameters,
    /// Lines of its L1 cache, in sets of 4.
    pub l1_lines: usize,
    /// Far faults that the GMMU holds for it.
    pub far_limit: u8,
    /// Its L1 TLB translates nothing while it waits for an absent page (Zheng et al., HPCA 2016, section 2.1).
    pub blocks: bool,
    /// Between its pipeline and its caches is the block `sm_unit`, line by line, rather than a memory unit that can be varied.
    pub joined: bool,
    /// Its latencies.
    pub timing: Timing,
    /// Its faults.
    pub faults: Faults,
    /// What becomes of them.
    pub recovery: Recovery,
    /// What becomes of exceptions.
    pub exceptions: Exceptions,
    /// When thread blocks leave.
    pub switching: Switching,
    /// Whether values are computed, and compared with those of the oracle at the end.
    pub values: bool,
    /// Seed of the faults, and of the moments at which other SMs are before this one at the DRAM.
    pub seed: u64,
}

impl Parameters {
    /// The paper's SM with a scheme and a log of so many bytes.
    #[must_use]
    pub fn paper(scheme: Scheme, log_bytes: usize) -> Self {
        Self {
            pipeline: sm_pipeline::Parameters {
                scheme,
                policy: Policy::LooseRoundRobin,
                warps: 64,
                entries: 8,
                queue: replay_queue::Parameters::with_entries(64),
                log: operand_log::Parameters::with_entries(log_bytes / 256),
            },
            tlb: l1_tlb::Parameters::PAPER,
            l1_lines: 256,
            far_limit: l1_tlb::Parameters::PAPER.misses as u8,
            blocks: false,
            joined: false,
            timing: Timing::PAPER,
            faults: Faults::NONE,
            recovery: Recovery::Scheme,
            exceptions: Exceptions::END,
            switching: Switching::Never,
            values: false,
            seed: 1,
        }
    }

    /// Whether an instruction that faults is squashed, rather than waits.
    pub(super) fn squashes(&self) -> bool {
        self.pipeline.scheme.squashes() || self.recovery == Recovery::Naive
    }
}

//! The designs that are exported: every block at every size that is measured, and at the small size that is proved.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::mmu::far_fault_mshr::FarFaultMshr;
use crate::mmu::fault_buffer::FaultBuffer;
use crate::mmu::gmmu::Gmmu;
use crate::mmu::l2_tlb::L2Tlb;
use crate::mmu::page_walk_cache::PageWalkCache;
use crate::mmu::page_walker::PageWalker;
use crate::params::{
    AGE_BITS, ASID_BITS, BEAT_COUNT_BITS, BEAT_WORDS, BLOCK_BITS, BLOCK_TIME_BITS,
    CHECK_POLYNOMIAL, CHECK_TAG_BITS, ENTRY_BITS, EPOCH_BITS, L1_TLB_MISS_BITS,
    L1_TLB_MISS_COUNT_BITS, L1_TLB_MISS_PAIRS, L1_TLB_MISSES, L1_TLB_PAIRS, L1_TLB_SET_BITS,
    L1_TLB_SETS, L1_TLB_TAG_BITS, L1_TLB_WAYS, LANES, LENGTH_BITS, LINE_BITS, LOG_BANKS, PFN_BITS,
    ROW_BITS, ROW_GROUP_BITS, SCOREBOARD_ENTRIES, SLOT_BITS, SLOTS, SM_BITS, SMS, TICK_BITS,
    VPN_BITS,
};
use crate::ports::Hardware;
use crate::preempt::checkpoint::Checkpoint;
use crate::preempt::context_port::ContextPort;
use crate::preempt::dirty_bits::DirtyBits;
use crate::preempt::preemption_policy::PreemptionPolicy;
use crate::primitives::memory::MemoryUse;
use crate::sizes::{
    CheckpointEngine, FarFaultMshrs, LocalScheduler, PaperFaultBuffer, SharedTlb, WalkCache, Walker,
};
use crate::sm::block_scheduler::BlockScheduler;
use crate::sm::coalescer::Coalescer;
use crate::sm::l1_tlb::L1Tlb;
use crate::sm::operand_log::OperandLog;
use crate::sm::replay_queue::ReplayQueue;
use crate::sm::scoreboard::Scoreboard;
use crate::sm::sm_pipeline::{Scheme, SmPipeline};
use crate::verilog::{self, ExportError, Port};

/// What a design is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// The size that is meant where the block alone is named: the paper's, or a smaller one that is quicker to run.
    Default,
    /// It is given to flows as a whole.
    Top,
    /// A kit is made for it where none is named, as for the tops.
    Kit,
    /// It is small enough for proofs.
    Proof,
    /// Rules are tried in it; what it costs is of no interest.
    Trial,
    /// It takes minutes to compile when it is Verilated, which is only done where it is asked for.
    Large,
    /// It is much like another one, and exported only where it is named.
    Alike,
}

/// A block at one size.
pub struct Design {
    /// Module name and file stem, such as `replay_queue_64`.
    pub name: &'static str,
    /// The block, such as `replay_queue`.
    pub block: &'static str,
    /// The size, such as `64`.
    pub config: &'static str,
    /// What it is for.
    pub tags: &'static [Tag],
    /// Makes one, ready to be simulated.
    pub build: fn() -> Box<dyn Hardware>,
}

impl Design {
    /// Whether it is for this.
    #[must_use]
    pub fn is(&self, tag: Tag) -> bool {
        self.tags.contains(&tag)
    }

    /// Whether its cost is of interest: not that of a size for proofs, or of one in which rules are tried.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        !self.is(Tag::Proof) && !self.is(Tag::Trial)
    }
}

/// A file of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its folder: the block that it belongs to, `primitives` or `memories`.
    pub folder: String,
    /// Its name, such as `replay_queue_64.v`.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Export {
    /// The files one after the other, as one text.
    pub fn verilog(&self) -> String {
        self.files
            .iter()
            .map(|file| file.text.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// A design as Verilog.
#[derive(Clone, Debug)]
pub struct Export {
    /// Name of the top module.
    pub name: String,
    /// The top module and every module below it, in files of their own.
    pub files: Vec<File>,
    /// Ports of the top module, the clock among them.
    pub ports: Vec<Port>,
    /// Memories inside that a flow may swap for macros.
    pub memories: Vec<MemoryUse>,
}

impl File {
    /// Its path in `rtl-out`, such as `replay_queue/replay_queue_64.v`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}/{}", self.folder, self.name)
    }

    fn of(module: verilog::Module, top: Option<&Known>) -> Self {
        let folder = match module.family {
            Some(block) => block,
            None if is_memory(&module.name) => "memories".to_owned(),
            None => "primitives".to_owned(),
        };
        let of = match top {
            Some(top) => format!(
                "// Block {0}, configuration {1}; its page is docs/blocks/{0}.md.\n",
                top.block, top.config
            ),
            None => String::new(),
        };
        Self {
            folder,
            text: format!("{BANNER}{of}\n{}", module.text),
            name: module.name + ".v",
        }
    }
}

/// A memory, for which a flow may take a macro, or several of them side by side.
fn is_memory(module: &str) -> bool {
    module.starts_with("sram_") || module.starts_with("memory_")
}

/// The modules of all designs, and the ports of each. What a module is called depends on all of them.
static LIBRARY: LazyLock<Result<Modules, ExportError>> = LazyLock::new(|| {
    // What only some ask for comes last, so that no other module is named after it.
    let mut designs = designs();
    designs.sort_by_key(|design| design.is(Tag::Alike));
    Modules::of(&designs)
});

#[derive(Default)]
struct Modules {
    library: verilog::Library,
    designs: BTreeMap<&'static str, Known>,
}

/// What is known of a design whose modules are in the library.
struct Known {
    block: &'static str,
    config: &'static str,
    ports: Vec<Port>,
    memories: Vec<MemoryUse>,
}

impl Modules {
    fn of(designs: &[Design]) -> Result<Self, ExportError> {
        let mut modules = Self::default();
        for design in designs {
            let block = (design.build)();
            let ports = modules.library.add(block.as_ref(), design.name)?;
            let (block, config, memories) = (design.block, design.config, block.memories());
            let known = Known {
                block,
                config,
                ports,
                memories,
            };
            modules.designs.insert(design.name, known);
        }
        Ok(modules)
    }
}

/// The first lines of every file.
const BANNER: &str = concat!(
    "// Generated by Faultline ",
    env!("CARGO_PKG_VERSION"),
    " (faultline export); do not edit. MIT OR Apache-2.0.\n"
);

impl Design {
    /// Exports the design.
    ///
    /// # Errors
    /// If its kernel uses something whose meaning Verilog does not share.
    pub fn export(&self) -> Result<Export, ExportError> {
        let of_registry = LIBRARY.as_ref().map_err(Clone::clone)?;
        let own; // the modules of a design that is not in the registry
        let modules = match of_registry.designs.contains_key(self.name) {
            true => of_registry,
            false => {
                own = Modules::of(std::slice::from_ref(self))?;
                &own
            }
        };
        let (ports, memories) = match modules.designs.get(self.name) {
            Some(known) => (known.ports.clone(), known.memories.clone()),
            None => Default::default(),
        };
        let files = modules.library.modules(self.name);
        Ok(Export {
            name: self.name.to_owned(),
            files: files
                .into_iter()
                .map(|module| {
                    let top = modules.designs.get(module.name.as_str());
                    File::of(module, top)
                })
                .collect(),
            ports,
            memories,
        })
    }
}

/// A log in the default banks, one lane each.
fn log<const ENTRIES: usize, const INDEX: usize, const COUNT: usize>() -> Box<dyn Hardware> {
    connected(OperandLog::<ENTRIES, INDEX, COUNT>::new(LOG_BANKS))
}

/// A log in half as many banks of two lanes each.
fn log_of_wide_banks<const ENTRIES: usize, const INDEX: usize, const COUNT: usize>()
-> Box<dyn Hardware> {
    connected(OperandLog::<ENTRIES, INDEX, COUNT>::new(LOG_BANKS / 2))
}

/// The L1 TLB at the paper's size.
type PaperL1Tlb = L1Tlb<
    L1_TLB_SETS,
    L1_TLB_SET_BITS,
    L1_TLB_WAYS,
    L1_TLB_PAIRS,
    VPN_BITS,
    L1_TLB_TAG_BITS,
    ASID_BITS,
    PFN_BITS,
    CHECK_TAG_BITS,
    L1_TLB_MISSES,
    L1_TLB_MISS_BITS,
    L1_TLB_MISS_COUNT_BITS,
    L1_TLB_MISS_PAIRS,
>;

/// Connects a new block, so that it can be simulated.
fn ready<B: Hardware + Default + 'static>() -> Box<dyn Hardware> {
    connected(B::default())
}

fn connected<B: Hardware + 'static>(block: B) -> Box<dyn Hardware> {
    let mut block = Box::new(block);
    block.connect_all();
    block
}

/// A pipeline of 64 warps with a queue of 64 entries and a log of `LOG_ENTRIES`, 64 for the paper's 16 KB.
fn pipeline<const LOG_ENTRIES: usize, const LOG_INDEX: usize, const LOG_COUNT: usize>(
    scheme: Scheme,
    greedy: bool,
) -> Box<dyn Hardware> {
    connected(SmPipeline::<
        64,
        32,
        5,
        496,
        6,
        SCOREBOARD_ENTRIES,
        ENTRY_BITS,
        64,
        6,
        7,
        AGE_BITS,
        LOG_ENTRIES,
        LOG_INDEX,
        LOG_COUNT,
    >::new(scheme, greedy))
}

/// A pipeline of 4 warps with a queue of 16 entries and a log of 8 KB: the same, and quicker to run.
fn small_pipeline(scheme: Scheme, greedy: bool) -> Box<dyn Hardware> {
    connected(SmPipeline::<
        4,
        2,
        1,
        1,
        2,
        SCOREBOARD_ENTRIES,
        ENTRY_BITS,
        16,
        4,
        5,
        AGE_BITS,
        32,
        5,
        6,
    >::new(scheme, greedy))
}

/// A pipeline that is small enough for proofs.
fn proved_pipeline(scheme: Scheme) -> Box<dyn Hardware> {
    connected(SmPipeline::<4, 2, 1, 1, 2, 4, 2, 4, 2, 3, 3, 4, 2, 3>::new(
        scheme, false,
    ))
}

/// A walker of 16 SMs and 256 address spaces over tables of 4 levels, where SMs take turns (2 requests wait) or are
/// served in the order in which they came (64 wait).
fn walker<
    const WALKS: usize,
    const WALK: usize,
    const REQUESTS: usize,
    const REQUEST: usize,
    const ENTRY: usize,
>(
    updates: bool,
) -> Box<dyn Hardware> {
    connected(Walker::<SMS, SM_BITS, WALKS, WALK, REQUESTS, REQUEST, ENTRY>::new(updates))
}

/// Dirty bits of 2,048 rows of 32 lanes, allocated by eight.
fn dirty_bits(by_lane: bool) -> Box<dyn Hardware> {
    connected(DirtyBits::<
        ROW_BITS,
        256,
        8,
        8,
        ROW_GROUP_BITS,
        4,
        2,
        10,
        LANES,
        6,
        12,
        17,
    >::new(by_lane))
}

/// Dirty bits of 8 rows of 2 lanes, allocated by two or by four.
fn proved_dirty_bits(by_lane: bool) -> Box<dyn Hardware> {
    connected(DirtyBits::<3, 2, 1, 4, 2, 2, 1, 2, 2, 5, 4, 5>::new(
        by_lane,
    ))
}

/// The memory management unit of a GPU of 16 SMs: an L2 TLB of 1,024 entries, a page-walk cache of 8 KB, 64 far-fault
/// MSHRs.
fn gmmu<const WALKS: usize, const WALK: usize, const ENTRY: usize>(
    updates: bool,
) -> Box<dyn Hardware> {
    connected(Gmmu::<WALKS, WALK, ENTRY>::new(updates))
}

/// Two walks for two requesters and two spaces: for proofs, and where every rule is tried in turn. 36 bits above those in
/// a page make 4 levels, 45 make 5; physical addresses have 52 bits.
fn small_walker<const VPN: usize>(updates: bool) -> Box<dyn Hardware> {
    connected(PageWalker::<2, 1, 2, 1, 2, 1, VPN, 1, 40, 49, 4>::new(
        updates,
    ))
}

/// Blocks with their sizes, what these are for, and what makes them: the name of a design follows.
macro_rules! designs {
    ($($block:ident { $($config:literal [$($tag:ident)*] => $build:expr,)+ })+) => {
        vec![$($(Design {
            name: concat!(stringify!($block), "_", $config),
            block: stringify!($block),
            config: $config,
            tags: &[$(Tag::$tag),*],
            build: $build,
        },)+)+]
    };
}

/// Every design, in the order of the block's page.
pub fn designs() -> Vec<Design> {
    designs! {
        replay_queue {
            "16" [Kit] => ready::<ReplayQueue<16, 4, 5, AGE_BITS>>,
            "32" [Kit] => ready::<ReplayQueue<32, 5, 6, AGE_BITS>>,
            "64" [Default Top] => ready::<ReplayQueue<64, 6, 7, AGE_BITS>>,
            "128" [Kit] => ready::<ReplayQueue<128, 7, 8, AGE_BITS>>,
            "proof" [Proof] => ready::<ReplayQueue<4, 2, 3, 2>>,
        }
        operand_log {
            "8k" [Top] => log::<32, 5, 6>,
            "16k" [Default Top] => log::<64, 6, 7>,
            "20k" [Top] => log::<80, 7, 8>,
            "32k" [Top] => log::<128, 7, 8>,
            "16k_16x128" [] => log_of_wide_banks::<64, 6, 7>,
            "proof" [Proof] => log::<4, 2, 3>,
        }
        coalescer {
            "32" [Default] => ready::<Coalescer<LANES, 5, LINE_BITS>>,
            "proof" [Proof] => ready::<Coalescer<4, 2, 7>>,
        }
        l1_tlb {
            "32" [Default] => ready::<PaperL1Tlb>,
            "proof" [Proof] => ready::<L1Tlb<2, 1, 2, 1, 2, 1, 1, 2, 2, 2, 1, 2, 1>>,
        }
        l2_tlb {
            "512" [] => ready::<SharedTlb<6, 7, 9, 30, 43>>,
            "1024" [Default] => ready::<SharedTlb<7, 8, 10, 29, 42>>,
            "proof" [Proof] => ready::<L2Tlb<2, 1, 1, 2, 2, 1, 2, 3, 2, 1, 2, 8, 1>>,
        }
        far_fault_mshr {
            "16" [] => ready::<FarFaultMshrs<16, 4, 5, 52, 5>>,
            "32" [] => ready::<FarFaultMshrs<32, 5, 6, 53, 6>>,
            "64" [Default] => ready::<FarFaultMshrs<64, 6, 7, 54, 7>>,
            "128" [] => ready::<FarFaultMshrs<128, 7, 8, 55, 7>>,
            "256" [] => ready::<FarFaultMshrs<256, 8, 9, 56, 7>>,
            "proof" [Proof] => ready::<FarFaultMshr<2, 1, 2, 2, 1, 8, 2, 2, 2, 1>>,
        }
        fault_buffer {
            "64" [Default] => ready::<PaperFaultBuffer>,
            "proof" [Proof] => ready::<FaultBuffer<2, 1, 2, 1, 1, 2, 3, 1, 10, 1, 1, 1, 2, 10, 3, 2, 4>>,
        }
        gmmu {
            "8" [Trial] => || gmmu::<8, 3, 6>(false),
            "8_updates" [Trial] => || gmmu::<8, 3, 6>(true),
            "64" [Default Top] => || gmmu::<64, 6, 9>(false),
        }
        scoreboard {
            "8" [] => || connected(Scoreboard::<SCOREBOARD_ENTRIES, ENTRY_BITS>::new(false)),
            "8_holding" [Default] => || connected(Scoreboard::<SCOREBOARD_ENTRIES, ENTRY_BITS>::new(true)),
            "proof" [Proof] => || connected(Scoreboard::<4, 2>::new(true)),
        }
        sm_pipeline {
            "stall_64" [Top Large Alike] => || pipeline::<64, 6, 7>(Scheme::StallOnFault, false),
            "commit_64" [Top Large Alike] => || pipeline::<64, 6, 7>(Scheme::WarpDisableCommit, false),
            "check_64" [Top Large Alike] => || pipeline::<64, 6, 7>(Scheme::WarpDisableLastCheck, false),
            "queue_64" [Top Large Alike] => || pipeline::<64, 6, 7>(Scheme::ReplayQueue, false),
            "log_64" [Top Large] => || pipeline::<64, 6, 7>(Scheme::OperandLog, false),
            "log_64_greedy" [Large Alike] => || pipeline::<64, 6, 7>(Scheme::OperandLog, true),
            "log_64_8k" [Large Alike] => || pipeline::<32, 5, 6>(Scheme::OperandLog, false),
            "log_64_20k" [Large Alike] => || pipeline::<80, 7, 8>(Scheme::OperandLog, false),
            "log_64_32k" [Large Alike] => || pipeline::<128, 7, 8>(Scheme::OperandLog, false),
            "stall_4" [] => || small_pipeline(Scheme::StallOnFault, false),
            "commit_4" [] => || small_pipeline(Scheme::WarpDisableCommit, false),
            "check_4" [] => || small_pipeline(Scheme::WarpDisableLastCheck, false),
            "queue_4" [] => || small_pipeline(Scheme::ReplayQueue, false),
            "log_4" [Default] => || small_pipeline(Scheme::OperandLog, false),
            "log_4_greedy" [] => || small_pipeline(Scheme::OperandLog, true),
            "proof" [Proof] => || proved_pipeline(Scheme::OperandLog),
            "proof_queue" [Proof Alike] => || proved_pipeline(Scheme::ReplayQueue),
            "proof_check" [Proof Alike] => || proved_pipeline(Scheme::WarpDisableLastCheck),
            "proof_commit" [Proof Alike] => || proved_pipeline(Scheme::WarpDisableCommit),
            "proof_stall" [Proof Alike] => || proved_pipeline(Scheme::StallOnFault),
        }
        page_walker {
            "8" [] => || walker::<8, 3, 2, 1, 6>(false),
            "16" [] => || walker::<16, 4, 2, 1, 7>(false),
            "32" [] => || walker::<32, 5, 2, 1, 8>(false),
            "64" [Default Top] => || walker::<64, 6, 2, 1, 9>(false),
            "32_in_order" [] => || walker::<32, 5, 64, 6, 8>(false),
            "64_updates" [] => || walker::<64, 6, 2, 1, 9>(true),
            "2" [Trial] => || small_walker::<36>(false),
            "2_updates" [Trial] => || small_walker::<36>(true),
            "2_5_levels" [Trial] => || small_walker::<45>(false),
            "2_5_levels_updates" [Trial] => || small_walker::<45>(true),
            "proof" [Proof] => || small_walker::<36>(true),
        }
        page_walk_cache {
            "4k" [] => ready::<WalkCache<64, 6, 7, 9, 30, 32>>,
            "8k" [Default] => ready::<WalkCache<64, 6, 8, 10, 29, 31>>,
            "16k" [] => ready::<WalkCache<64, 6, 9, 11, 28, 30>>,
            "proof" [Proof] => ready::<PageWalkCache<2, 1, 3, 1, 1, 2, 1, 2, 2, 4>>,
        }
        dirty_bits {
            "lanes" [Default Top] => || dirty_bits(true),
            "rows" [Kit] => || dirty_bits(false),
            "proof" [Proof] => || proved_dirty_bits(true),
            "proof_rows" [Proof Alike] => || proved_dirty_bits(false),
        }
        preemption_policy {
            "16" [Default] => ready::<PreemptionPolicy<SLOTS, SLOT_BITS, 5, BLOCK_TIME_BITS, 21, 23, 5, TICK_BITS>>,
            "proof" [Proof] => ready::<PreemptionPolicy<2, 1, 2, 3, 4, 6, 2, 1>>,
        }
        block_scheduler {
            "8" [Default] => ready::<LocalScheduler<8>>,
            "16" [] => ready::<LocalScheduler<16>>,
            "proof" [Proof] => ready::<BlockScheduler<2, 1, 2, 3, 2, 3, 2, 1, 1, 2, 2>>,
        }
        context_port {
            "32" [Default] => ready::<ContextPort<BEAT_WORDS, 32, BLOCK_BITS, LENGTH_BITS, EPOCH_BITS, BEAT_COUNT_BITS, CHECK_POLYNOMIAL>>,
            "proof" [Proof] => ready::<ContextPort<4, 8, 2, 3, 2, 3, 0x1D>>,
        }
        checkpoint {
            "32" [Default] => ready::<CheckpointEngine>,
            "proof" [Proof] => ready::<Checkpoint<5, 8, 2, 3, 2, 6, 0x1D, 2, 1, 2, 1, 2, 1, 4, 1, 1, 2, 1, 2, 2, 2, 3>>,
        }
    }
}

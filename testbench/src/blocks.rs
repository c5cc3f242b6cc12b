//! The blocks that can be run in lockstep: each is a model and its traffic.

use faultline_hw::registry::{Design, Tag, designs};
use faultline_sim::machines::sm::{SmError, Work};
use faultline_sim::mmu::{
    far_fault_mshr, fault_buffer, gmmu, l2_tlb, page_walk_cache, page_walker,
};
use faultline_sim::ports::Model;
use faultline_sim::preempt::{checkpoint, context_port, dirty_bits, preemption_policy};
use faultline_sim::sm::{
    block_scheduler, coalescer, l1_tlb, operand_log, replay_queue, scoreboard, sm_pipeline,
};

use crate::backend::{Backend, BackendError, Kind, Reference};
use crate::bench::Bench;
use crate::layout::Layout;
use crate::lockstep::Lockstep;
use crate::recorded::{Part, Recorded};
use crate::replay::{Kernel as TracedKernel, Replay, ReplayError, Target};
use crate::rust_hdl::Kernel;
use crate::session::{Session, Stimulus};
use crate::traffic::block_scheduler::BlockSchedulerTraffic;
use crate::traffic::checkpoint::CheckpointTraffic;
use crate::traffic::coalescer::CoalescerTraffic;
use crate::traffic::context_port::ContextPortTraffic;
use crate::traffic::dirty_bits::DirtyBitsTraffic;
use crate::traffic::far_fault_mshr::FarFaultMshrTraffic;
use crate::traffic::fault_buffer::FaultBufferTraffic;
use crate::traffic::gmmu::GmmuTraffic;
use crate::traffic::l1_tlb::L1TlbTraffic;
use crate::traffic::l2_tlb::L2TlbTraffic;
use crate::traffic::operand_log::{self as log_traffic, OperandLogTraffic};
use crate::traffic::page_walk_cache::PageWalkCacheTraffic;
use crate::traffic::page_walker::PageWalkerTraffic;
use crate::traffic::preemption_policy::PreemptionPolicyTraffic;
use crate::traffic::replay_queue::{self as queue_traffic, ReplayQueueTraffic};
use crate::traffic::scoreboard::ScoreboardTraffic;
use crate::traffic::sm_pipeline::SmPipelineTraffic;
use crate::traffic::{Driven, Traffic};

/// A block: its model, its traffic, and the sizes behind the names of its configurations.
pub trait Block {
    /// The reference.
    type Model: Model + 'static;
    /// The random traffic.
    type Traffic: Traffic<Model = Self::Model> + 'static;

    /// Its name.
    const NAME: &'static str;

    /// The sizes of a configuration.
    fn parameters(config: &str) -> Option<<Self::Model as Model>::Parameters>;

    /// Traffic for these sizes.
    fn traffic(parameters: <Self::Model as Model>::Parameters, seed: u64) -> Self::Traffic;
}

/// The replay queue.
pub struct ReplayQueue;

impl Block for ReplayQueue {
    type Model = replay_queue::ReplayQueue;
    type Traffic = ReplayQueueTraffic;

    const NAME: &'static str = "replay_queue";

    fn parameters(config: &str) -> Option<replay_queue::Parameters> {
        if config == PROVED {
            let narrow = replay_queue::Parameters::with_entries(4);
            return Some(replay_queue::Parameters {
                age_bits: 2,
                ..narrow
            });
        }
        Some(replay_queue::Parameters::with_entries(config.parse().ok()?))
    }

    fn traffic(parameters: replay_queue::Parameters, seed: u64) -> ReplayQueueTraffic {
        ReplayQueueTraffic::new(parameters, seed)
    }
}

/// The operand log.
pub struct OperandLog;

impl Block for OperandLog {
    type Model = operand_log::OperandLog;
    type Traffic = OperandLogTraffic;

    const NAME: &'static str = "operand_log";

    fn parameters(config: &str) -> Option<operand_log::Parameters> {
        if config == PROVED {
            return Some(operand_log::Parameters::with_entries(4));
        }
        // What follows the size tells of banks, which nobody sees from outside.
        let size = config.split('_').next()?;
        let kilobytes: usize = size.strip_suffix('k')?.parse().ok()?;
        Some(operand_log::Parameters::with_entries(kilobytes * 4))
    }

    fn traffic(parameters: operand_log::Parameters, seed: u64) -> OperandLogTraffic {
        OperandLogTraffic::new(parameters, seed)
    }
}

/// The coalescer.
pub struct Coalescer;

impl Block for Coalescer {
    type Model = coalescer::Coalescer;
    type Traffic = CoalescerTraffic;

    const NAME: &'static str = "coalescer";

    fn parameters(config: &str) -> Option<coalescer::Parameters> {
        match config {
            "32" => Some(coalescer::Parameters::PAPER),
            PROVED => Some(coalescer::Parameters {
                lanes: 4,
                line_bits: 7,
            }),
            _ => None,
        }
    }

    fn traffic(parameters: coalescer::Parameters, seed: u64) -> CoalescerTraffic {
        CoalescerTraffic::new(parameters, seed)
    }
}

/// The L1 TLB.
pub struct L1Tlb;

impl Block for L1Tlb {
    type Model = l1_tlb::L1Tlb;
    type Traffic = L1TlbTraffic;

    const NAME: &'static str = "l1_tlb";

    fn parameters(config: &str) -> Option<l1_tlb::Parameters> {
        match config {
            "32" => Some(l1_tlb::Parameters::PAPER),
            PROVED => Some(l1_tlb::Parameters {
                set_bits: 1,
                ways: 2,
                page_bits: 2,
                space_bits: 1,
                frame_bits: 2,
                tag_bits: 2,
                misses: 2,
            }),
            _ => None,
        }
    }

    fn traffic(parameters: l1_tlb::Parameters, seed: u64) -> L1TlbTraffic {
        L1TlbTraffic::new(parameters, seed)
    }
}

/// The L2 TLB.
pub struct L2Tlb;

impl Block for L2Tlb {
    type Model = l2_tlb::L2Tlb;
    type Traffic = L2TlbTraffic;

    const NAME: &'static str = "l2_tlb";

    fn parameters(config: &str) -> Option<l2_tlb::Parameters> {
        if config == PROVED {
            return Some(l2_tlb::Parameters {
                sms: 2,
                set_bits: 1,
                ways: 2,
                page_bits: 3,
                space_bits: 1,
                frame_bits: 2,
                level_bits: 1,
            });
        }
        let entries = config.parse().ok()?;
        Some(l2_tlb::Parameters::with_entries(entries))
    }

    fn traffic(parameters: l2_tlb::Parameters, seed: u64) -> L2TlbTraffic {
        L2TlbTraffic::new(parameters, seed)
    }
}

/// The far-fault MSHRs.
pub struct FarFaultMshr;

impl Block for FarFaultMshr {
    type Model = far_fault_mshr::FarFaultMshr;
    type Traffic = FarFaultMshrTraffic;

    const NAME: &'static str = "far_fault_mshr";

    fn parameters(config: &str) -> Option<far_fault_mshr::Parameters> {
        if config == PROVED {
            return Some(far_fault_mshr::Parameters {
                entries: 2,
                page_bits: 2,
                space_bits: 1,
                sms: 2,
                limit_bits: 2,
                region_bits: 1,
            });
        }
        let entries = config.parse().ok()?;
        Some(far_fault_mshr::Parameters::with_entries(entries))
    }

    fn traffic(parameters: far_fault_mshr::Parameters, seed: u64) -> FarFaultMshrTraffic {
        FarFaultMshrTraffic::new(parameters, seed)
    }
}

/// The fault buffer.
pub struct FaultBuffer;

impl Block for FaultBuffer {
    type Model = fault_buffer::FaultBuffer;
    type Traffic = FaultBufferTraffic;

    const NAME: &'static str = "fault_buffer";

    fn parameters(config: &str) -> Option<fault_buffer::Parameters> {
        match config {
            "64" => Some(fault_buffer::Parameters::PAPER),
            PROVED => Some(fault_buffer::Parameters {
                sms: 2,
                sm_bits: 1,
                page_bits: 2,
                space_bits: 1,
                index_bits: 1,
                place_bits: 2,
                ring_bits: 3,
                frame_bits: 1,
                lanes: 1,
                pc_bits: 1,
                filtered: 2,
                count_bits: 3,
                time_bits: 2,
                in_flight_bits: 4,
            }),
            _ => None,
        }
    }

    fn traffic(parameters: fault_buffer::Parameters, seed: u64) -> FaultBufferTraffic {
        FaultBufferTraffic::new(parameters, seed)
    }
}

/// The scoreboard.
pub struct Scoreboard;

impl Block for Scoreboard {
    type Model = scoreboard::Scoreboard;
    type Traffic = ScoreboardTraffic;

    const NAME: &'static str = "scoreboard";

    fn parameters(config: &str) -> Option<scoreboard::Parameters> {
        let (entries, holds) = match config {
            "8" => (8, false),
            "8_holding" => (8, true),
            PROVED => (4, true),
            _ => return None,
        };
        Some(scoreboard::Parameters { entries, holds })
    }

    fn traffic(parameters: scoreboard::Parameters, seed: u64) -> ScoreboardTraffic {
        ScoreboardTraffic::new(parameters, seed)
    }
}

/// The SM pipeline.
pub struct SmPipeline;

impl Block for SmPipeline {
    type Model = sm_pipeline::SmPipeline;
    type Traffic = SmPipelineTraffic;

    const NAME: &'static str = "sm_pipeline";

    fn parameters(config: &str) -> Option<sm_pipeline::Parameters> {
        use sm_pipeline::{Policy, Scheme};
        if is_proved(config) {
            let narrow = replay_queue::Parameters::with_entries(4);
            return Some(sm_pipeline::Parameters {
                scheme: match config.strip_prefix(PROVED)? {
                    "" => Scheme::OperandLog,
                    "_queue" => Scheme::ReplayQueue,
                    "_check" => Scheme::WarpDisableLastCheck,
                    "_commit" => Scheme::WarpDisableCommit,
                    "_stall" => Scheme::StallOnFault,
                    _ => return None,
                },
                policy: Policy::LooseRoundRobin,
                warps: 4,
                entries: 4,
                queue: replay_queue::Parameters {
                    age_bits: 3,
                    ..narrow
                },
                log: operand_log::Parameters::with_entries(4),
            });
        }
        let mut words = config.split('_');
        let scheme = match words.next()? {
            "stall" => Scheme::StallOnFault,
            "commit" => Scheme::WarpDisableCommit,
            "check" => Scheme::WarpDisableLastCheck,
            "queue" => Scheme::ReplayQueue,
            "log" => Scheme::OperandLog,
            _ => return None,
        };
        let warps: usize = words.next()?.parse().ok()?;
        let (queue, mut log) = if warps == 64 { (64, 64) } else { (16, 32) };
        let rest = words.next();
        if let Some(kilobytes) = rest.and_then(|rest| rest.strip_suffix('k')) {
            log = kilobytes.parse::<usize>().ok()? * 4;
        }
        Some(sm_pipeline::Parameters {
            scheme,
            policy: match rest {
                Some("greedy") => Policy::GreedyThenOldest,
                _ => Policy::LooseRoundRobin,
            },
            warps,
            entries: 8,
            queue: replay_queue::Parameters::with_entries(queue),
            log: operand_log::Parameters::with_entries(log),
        })
    }

    fn traffic(parameters: sm_pipeline::Parameters, seed: u64) -> SmPipelineTraffic {
        SmPipelineTraffic::new(parameters, seed)
    }
}

/// The page walker.
pub struct PageWalker;

impl Block for PageWalker {
    type Model = page_walker::PageWalker;
    type Traffic = PageWalkerTraffic;

    const NAME: &'static str = "page_walker";

    fn parameters(config: &str) -> Option<page_walker::Parameters> {
        let config = if config == PROVED {
            "2_updates"
        } else {
            config
        };
        let mut words = config.split('_');
        let walks = words.next()?.parse().ok()?;
        let rest: Vec<_> = words.collect();
        let (requesters, space_bits, frame_bits) = match walks {
            2 => (2, 1, 40),
            _ => (16, 8, 28),
        };
        Some(page_walker::Parameters {
            requesters,
            space_bits,
            frame_bits,
            waiting: if rest.contains(&"order") { 64 } else { 2 },
            levels: if rest.contains(&"levels") { 5 } else { 4 },
            updates: rest.contains(&"updates"),
            ..page_walker::Parameters::with_walks(walks)
        })
    }

    fn traffic(parameters: page_walker::Parameters, seed: u64) -> PageWalkerTraffic {
        PageWalkerTraffic::new(parameters, seed)
    }
}

/// The page-walk cache.
pub struct PageWalkCache;

impl Block for PageWalkCache {
    type Model = page_walk_cache::PageWalkCache;
    type Traffic = PageWalkCacheTraffic;

    const NAME: &'static str = "page_walk_cache";

    fn parameters(config: &str) -> Option<page_walk_cache::Parameters> {
        let set_bits = match config {
            "4k" => 7,
            "8k" => 8,
            "16k" => 9,
            PROVED => {
                return Some(page_walk_cache::Parameters {
                    walks: 2,
                    word_bits: 3,
                    table_bits: 1,
                    set_bits: 1,
                    ways: 2,
                });
            }
            _ => return None,
        };
        Some(page_walk_cache::Parameters::with_set_bits(set_bits))
    }

    fn traffic(parameters: page_walk_cache::Parameters, seed: u64) -> PageWalkCacheTraffic {
        PageWalkCacheTraffic::new(parameters, seed)
    }
}

/// The GMMU.
pub struct Gmmu;

impl Block for Gmmu {
    type Model = gmmu::Gmmu;
    type Traffic = GmmuTraffic;

    const NAME: &'static str = "gmmu";

    fn parameters(config: &str) -> Option<gmmu::Parameters> {
        let (walks, updates) = match config {
            "8" => (8, false),
            "8_updates" => (8, true),
            "64" => (64, false),
            _ => return None,
        };
        let mut parameters = gmmu::Parameters::with_walks(walks);
        parameters.walker.updates = updates;
        Some(parameters)
    }

    fn traffic(parameters: gmmu::Parameters, seed: u64) -> GmmuTraffic {
        GmmuTraffic::new(parameters, seed)
    }
}

/// The dirty bits.
pub struct DirtyBits;

impl Block for DirtyBits {
    type Model = dirty_bits::DirtyBits;
    type Traffic = DirtyBitsTraffic;

    const NAME: &'static str = "dirty_bits";

    fn parameters(config: &str) -> Option<dirty_bits::Parameters> {
        let proved = |by_lane| dirty_bits::Parameters {
            row_bits: 3,
            group_bits: 2,
            lanes: 2,
            by_lane,
        };
        match config {
            "lanes" => Some(dirty_bits::Parameters::paper(true)),
            "rows" => Some(dirty_bits::Parameters::paper(false)),
            PROVED => Some(proved(true)),
            "proof_rows" => Some(proved(false)),
            _ => None,
        }
    }

    fn traffic(parameters: dirty_bits::Parameters, seed: u64) -> DirtyBitsTraffic {
        DirtyBitsTraffic::new(parameters, seed)
    }
}

/// The preemption policy.
pub struct PreemptionPolicy;

impl Block for PreemptionPolicy {
    type Model = preemption_policy::PreemptionPolicy;
    type Traffic = PreemptionPolicyTraffic;

    const NAME: &'static str = "preemption_policy";

    fn parameters(config: &str) -> Option<preemption_policy::Parameters> {
        match config {
            "16" => Some(preemption_policy::Parameters::paper()),
            PROVED => Some(preemption_policy::Parameters {
                slot_bits: 1,
                time_bits: 3,
                tick_bits: 1,
            }),
            _ => None,
        }
    }

    fn traffic(parameters: preemption_policy::Parameters, seed: u64) -> PreemptionPolicyTraffic {
        PreemptionPolicyTraffic::new(parameters, seed)
    }
}

/// The local scheduler of an SM.
pub struct BlockScheduler;

impl Block for BlockScheduler {
    type Model = block_scheduler::BlockScheduler;
    type Traffic = BlockSchedulerTraffic;

    const NAME: &'static str = "block_scheduler";

    fn parameters(config: &str) -> Option<block_scheduler::Parameters> {
        match config {
            PROVED => Some(block_scheduler::Parameters {
                slot_bits: 1,
                contexts: 3,
                pages: 2,
                page_bits: 1,
                space_bits: 1,
                place_bits: 2,
                residence_bits: 2,
            }),
            _ => Some(block_scheduler::Parameters::paper(config.parse().ok()?)),
        }
    }

    fn traffic(parameters: block_scheduler::Parameters, seed: u64) -> BlockSchedulerTraffic {
        BlockSchedulerTraffic::new(parameters, seed)
    }
}

/// The context port.
pub struct ContextPort;

impl Block for ContextPort {
    type Model = context_port::ContextPort;
    type Traffic = ContextPortTraffic;

    const NAME: &'static str = "context_port";

    fn parameters(config: &str) -> Option<context_port::Parameters> {
        match config {
            "32" => Some(context_port::Parameters::paper()),
            PROVED => Some(context_port::Parameters {
                words: 4,
                word_bits: 8,
                block_bits: 2,
                length_bits: 3,
                epoch_bits: 2,
                count_bits: 3,
                polynomial: 0x1D,
            }),
            _ => None,
        }
    }

    fn traffic(parameters: context_port::Parameters, seed: u64) -> ContextPortTraffic {
        ContextPortTraffic::new(parameters, seed)
    }
}

/// The checkpoint engine.
pub struct Checkpoint;

impl Block for Checkpoint {
    type Model = checkpoint::Checkpoint;
    type Traffic = CheckpointTraffic;

    const NAME: &'static str = "checkpoint";

    fn parameters(config: &str) -> Option<checkpoint::Parameters> {
        match config {
            "32" => Some(checkpoint::Parameters::paper()),
            PROVED => Some(checkpoint::Parameters {
                port: context_port::Parameters {
                    words: 5,
                    word_bits: 8,
                    block_bits: 2,
                    length_bits: 3,
                    epoch_bits: 2,
                    count_bits: 6,
                    polynomial: 0x1D,
                },
                row_bits: 2,
                group_bits: 1,
                lanes: 4,
                sector_bits: 1,
                listed: 2,
                slot_bits: 4,
                warp_bits: 1,
                state_bits: 1,
                shared_bits: 2,
                operand_bits: 1,
                log_bits: 2,
                queue_entries: 2,
            }),
            _ => None,
        }
    }

    fn traffic(parameters: checkpoint::Parameters, seed: u64) -> CheckpointTraffic {
        CheckpointTraffic::new(parameters, seed)
    }
}

/// The configurations that are meant where none is named.
pub const DEFAULT_QUEUE: &str = "64";
/// As above, of the log.
pub const DEFAULT_LOG: &str = "16k";

/// As above, of the checkpoint engine.
pub const DEFAULT_CHECKPOINT: &str = "32";

/// A block without its types.
struct Registered {
    name: &'static str,
    layout: fn(&str) -> Option<Layout>,
    reference: fn(&str) -> Option<Box<dyn Backend>>,
    traffic: fn(&str, u64) -> Option<Box<dyn Stimulus>>,
}

const fn registered<B: Block>() -> Registered {
    Registered {
        name: B::NAME,
        layout: |config| Some(Layout::of::<B::Model>(&B::parameters(config)?)),
        reference: |config| Some(Box::new(Reference::<B::Model>::new(B::parameters(config)?))),
        traffic: |config, seed| {
            let parameters = B::parameters(config)?;
            let traffic = B::traffic(parameters.clone(), seed);
            Some(Box::new(Driven::new(parameters, traffic)))
        },
    }
}

/// Every block.
const BLOCKS: &[Registered] = &[
    registered::<ReplayQueue>(),
    registered::<OperandLog>(),
    registered::<Coalescer>(),
    registered::<L1Tlb>(),
    registered::<L2Tlb>(),
    registered::<FarFaultMshr>(),
    registered::<FaultBuffer>(),
    registered::<Scoreboard>(),
    registered::<SmPipeline>(),
    registered::<PageWalker>(),
    registered::<PageWalkCache>(),
    registered::<Gmmu>(),
    registered::<DirtyBits>(),
    registered::<PreemptionPolicy>(),
    registered::<BlockScheduler>(),
    registered::<ContextPort>(),
    registered::<Checkpoint>(),
];

/// Why a design cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// There is no such block.
    #[error("there is no block {0}; there are {known}", known = names().collect::<Vec<_>>().join(", "))]
    UnknownBlock(String),
    /// No trace replay is written for it.
    #[error(
        "a trace drives the replay queue and the operand log, and not the {0}; leave --trace away for random traffic"
    )]
    NoReplay(String),
    /// There is no such design.
    #[error("there is no design {block} {config}; there are {}", offered(block))]
    UnknownDesign {
        /// The block that was asked for.
        block: String,
        /// Its configuration.
        config: String,
    },
    /// A back end cannot be had.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// A trace cannot drive it.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// An SM cannot run a kernel.
    #[error(transparent)]
    Sm(#[from] SmError),
}

/// The small configuration of a block that is proved: it can be run, and is not offered. The pipeline has one for each of
/// the five schemes.
const PROVED: &str = "proof";

fn is_proved(config: &str) -> bool {
    config.starts_with(PROVED)
}

/// A block with the configurations that are offered.
fn offered(block: &str) -> String {
    let sizes: Vec<_> = configurations(block)
        .filter(|config| !is_proved(config))
        .collect();
    format!("{block} {}", sizes.join(", "))
}

/// A sentence with every design.
#[must_use]
pub fn known() -> String {
    let blocks: Vec<_> = names().map(offered).collect();
    format!("there are {}", blocks.join("; "))
}

/// A design with its block.
struct Found {
    design: Design,
    block: &'static Registered,
    layout: Layout,
}

fn find(block: &str, config: &str) -> Result<Found, SetupError> {
    let design = designs()
        .into_iter()
        .find(|design| design.block == block && design.config == config);
    let registered = BLOCKS.iter().find(|registered| registered.name == block);
    // A size that no design has may be none that a model can have.
    let layout = registered
        .filter(|_| design.is_some())
        .and_then(|registered| (registered.layout)(config));
    match (design, registered, layout) {
        (Some(design), Some(block), Some(layout)) => Ok(Found {
            design,
            block,
            layout,
        }),
        (_, None, _) => Err(SetupError::UnknownBlock(block.to_owned())),
        _ => Err(SetupError::UnknownDesign {
            block: block.to_owned(),
            config: config.to_owned(),
        }),
    }
}

/// Fresh back ends of a design in step.
///
/// # Errors
/// If there is no such design, or a back end cannot be had.
pub fn lockstep(block: &str, config: &str, kinds: &[Kind]) -> Result<Lockstep, SetupError> {
    let found = find(block, config)?;
    let backends = kinds
        .iter()
        .map(|&kind| make(&found, kind))
        .collect::<Result<_, _>>()?;
    Ok(Lockstep::new(found.design.name, found.layout, backends))
}

/// The blocks, as they are called.
pub fn names() -> impl Iterator<Item = &'static str> {
    BLOCKS.iter().map(|block| block.name)
}

/// Whether a trace can drive a block.
#[must_use]
pub fn takes_traces(block: &str) -> bool {
    [ReplayQueue::NAME, OperandLog::NAME].contains(&block)
}

/// The configuration of a block that is meant where none is named.
#[must_use]
pub fn default_configuration(block: &str) -> &'static str {
    let named = |design: &Design| design.block == block && design.is(Tag::Default);
    let design = designs().into_iter().find(named);
    design.map_or(DEFAULT_QUEUE, |design| design.config)
}

/// The configurations of a block, as they are called.
pub fn configurations(block: &str) -> impl Iterator<Item = &'static str> {
    designs()
        .into_iter()
        .filter(move |design| design.block == block)
        .map(|design| design.config)
}

/// The same without those that take minutes to compile when they are Verilated, or that are exported for proofs alone.
pub fn quick_configurations(block: &str) -> impl Iterator<Item = &'static str> {
    designs()
        .into_iter()
        .filter(move |design| {
            design.block == block && !design.is(Tag::Alike) && !design.is(Tag::Large)
        })
        .map(|design| design.config)
}

/// A lockstep under random traffic.
///
/// # Errors
/// If there is no such design, or a back end cannot be had.
pub fn session(
    block: &str,
    config: &str,
    kinds: &[Kind],
    seed: u64,
) -> Result<Session, SetupError> {
    let lockstep = lockstep(block, config, kinds)?;
    Ok(Session::new(lockstep, stimulus(block, config, seed)?))
}

/// The random traffic of a design.
///
/// # Errors
/// If there is no such design.
pub fn stimulus(block: &str, config: &str, seed: u64) -> Result<Box<dyn Stimulus>, SetupError> {
    (find(block, config)?.block.traffic)(config, seed).ok_or_else(|| SetupError::UnknownDesign {
        block: block.to_owned(),
        config: config.to_owned(),
    })
}

/// The ports of a design.
///
/// # Errors
/// If there is no such design.
pub fn layout(block: &str, config: &str) -> Result<Layout, SetupError> {
    Ok(find(block, config)?.layout)
}

/// A lockstep that runs a trace on an SM with both blocks; the other one has its default size.
///
/// # Errors
/// If there is no such design, a back end cannot be had, or the trace cannot drive it.
pub fn replay_session(
    block: &str,
    config: &str,
    kinds: &[Kind],
    kernels: Vec<TracedKernel>,
    seed: u64,
) -> Result<Session, SetupError> {
    let lockstep = lockstep(block, config, kinds)?;
    let (target, queue, log) = match block {
        ReplayQueue::NAME => (Target::ReplayQueue, config, DEFAULT_LOG),
        OperandLog::NAME => (Target::OperandLog, DEFAULT_QUEUE, config),
        other => return Err(SetupError::NoReplay(other.to_owned())),
    };
    let sizes = ReplayQueue::parameters(queue).zip(OperandLog::parameters(log));
    let (queue, log) = sizes.ok_or_else(|| SetupError::UnknownDesign {
        block: block.to_owned(),
        config: config.to_owned(),
    })?;
    let replay = Replay::new(target, kernels, queue, log, seed)?;
    Ok(Session::new(lockstep, Box::new(replay)))
}

/// What an SM that runs kernels tells one of these blocks, for so many cycles.
///
/// # Errors
/// If there is no such design, or a kernel does not fit the SM.
pub fn recorded(
    block: &str,
    config: &str,
    works: &[Work],
    cycles: usize,
    seed: u64,
) -> Result<Box<dyn Stimulus>, SetupError> {
    let part = match block {
        ReplayQueue::NAME => ReplayQueue::parameters(config).map(Part::ReplayQueue),
        OperandLog::NAME => OperandLog::parameters(config).map(Part::OperandLog),
        other => return Err(SetupError::NoReplay(other.to_owned())),
    };
    let part = part.ok_or_else(|| SetupError::UnknownDesign {
        block: block.to_owned(),
        config: config.to_owned(),
    })?;
    Ok(Box::new(Recorded::new(&part, works, cycles, seed)?))
}

/// The paper's worst case for an operand log, and the same for a replay queue: a write in each cycle.
///
/// # Errors
/// If there is no such log or queue.
pub fn writes(block: &str, config: &str, seed: u64) -> Result<Box<dyn Stimulus>, SetupError> {
    let writes: Option<Box<dyn Stimulus>> = match block {
        ReplayQueue::NAME => ReplayQueue::parameters(config).map(|parameters| {
            let traffic = queue_traffic::Writes::new(parameters, seed);
            Box::new(Driven::new(parameters, traffic)) as Box<dyn Stimulus>
        }),
        OperandLog::NAME => OperandLog::parameters(config).map(|parameters| {
            let traffic = log_traffic::Writes::new(parameters, seed);
            Box::new(Driven::new(parameters, traffic)) as Box<dyn Stimulus>
        }),
        _ => None,
    };
    writes.ok_or_else(|| SetupError::UnknownDesign {
        block: block.to_owned(),
        config: config.to_owned(),
    })
}

/// A lockstep of all built back ends, driven by hand.
///
/// # Errors
/// If there is no such design, or a back end cannot be had.
pub fn bench<B: Block>(config: &str) -> Result<Bench<B::Model>, SetupError> {
    bench_of::<B>(config, &Kind::built().collect::<Vec<_>>())
}

/// The same of some back ends.
///
/// # Errors
/// If there is no such design, or a back end cannot be had.
pub fn bench_of<B: Block>(config: &str, kinds: &[Kind]) -> Result<Bench<B::Model>, SetupError> {
    let unknown = || SetupError::UnknownDesign {
        block: B::NAME.to_owned(),
        config: config.to_owned(),
    };
    let lockstep = lockstep(B::NAME, config, kinds)?;
    Ok(Bench::new(
        lockstep,
        B::parameters(config).ok_or_else(unknown)?,
    ))
}

/// A fresh back end of a design.
///
/// # Errors
/// If there is no such design, or the back end cannot be had.
pub fn backend(block: &str, config: &str, kind: Kind) -> Result<Box<dyn Backend>, SetupError> {
    make(&find(block, config)?, kind)
}

fn make(found: &Found, kind: Kind) -> Result<Box<dyn Backend>, SetupError> {
    let Found {
        design,
        block,
        layout,
    } = found;
    match kind {
        Kind::Reference => {
            (block.reference)(design.config).ok_or_else(|| SetupError::UnknownDesign {
                block: design.block.to_owned(),
                config: design.config.to_owned(),
            })
        }
        Kind::RustHdl => Ok(Box::new(Kernel::new(design, layout.clone())?)),
        Kind::Verilog => verilog(design, layout),
    }
}

#[cfg(feature = "verilog")]
fn verilog(design: &Design, layout: &Layout) -> Result<Box<dyn Backend>, SetupError> {
    Ok(Box::new(crate::verilog::Verilated::new(
        design.name,
        layout.clone(),
    )?))
}

#[cfg(not(feature = "verilog"))]
fn verilog(_design: &Design, _layout: &Layout) -> Result<Box<dyn Backend>, SetupError> {
    Err(BackendError::NotBuilt.into())
}

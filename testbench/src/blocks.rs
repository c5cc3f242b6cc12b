//! The blocks that can be run in lockstep: each is a model and its traffic.

use faultline_hw::registry::{Design, Tag, designs};
use faultline_sim::machines::sm::{SmError, Work};
use faultline_sim::ports::Model;

use crate::backend::{Backend, BackendError, Kind, Reference};
use crate::bench::Bench;
use crate::layout::Layout;
use crate::lockstep::Lockstep;
use crate::recorded::{Part, Recorded};
use crate::replay::{Kernel as TracedKernel, Replay, ReplayError, Target};
use crate::rust_hdl::Kernel;
use crate::session::{Session, Stimulus};
use crate::traffic::{Driven, Traffic};

pub mod block_scheduler;
pub mod checkpoint;
pub mod coalescer;
pub mod context_port;
pub mod dirty_bits;
pub mod far_fault_mshr;
pub mod fault_buffer;
pub mod gmmu;
pub mod l1_tlb;
pub mod l2_tlb;
pub mod memory_unit;
pub mod operand_log;
pub mod page_walk_cache;
pub mod page_walker;
pub mod preemption_policy;
pub mod replay_queue;
pub mod scoreboard;
pub mod sm_pipeline;
pub mod sm_unit;

pub use faultline_sim::mmu::far_fault_mshr::FarFaultMshr;
pub use faultline_sim::mmu::fault_buffer::FaultBuffer;
pub use faultline_sim::mmu::gmmu::Gmmu;
pub use faultline_sim::mmu::l2_tlb::L2Tlb;
pub use faultline_sim::mmu::page_walk_cache::PageWalkCache;
pub use faultline_sim::mmu::page_walker::PageWalker;
pub use faultline_sim::preempt::checkpoint::Checkpoint;
pub use faultline_sim::preempt::context_port::ContextPort;
pub use faultline_sim::preempt::dirty_bits::DirtyBits;
pub use faultline_sim::preempt::preemption_policy::PreemptionPolicy;
pub use faultline_sim::sm::block_scheduler::BlockScheduler;
pub use faultline_sim::sm::coalescer::Coalescer;
pub use faultline_sim::sm::l1_tlb::L1Tlb;
pub use faultline_sim::sm::memory_unit::MemoryUnit;
pub use faultline_sim::sm::operand_log::OperandLog;
pub use faultline_sim::sm::replay_queue::ReplayQueue;
pub use faultline_sim::sm::scoreboard::Scoreboard;
pub use faultline_sim::sm::sm_pipeline::SmPipeline;
pub use faultline_sim::sm::sm_unit::SmUnit;

/// A block, named by its model: its traffic, and the sizes behind the names of its configurations.
pub trait Block: Model + 'static {
    /// The random traffic.
    type Traffic: Traffic<Model = Self> + 'static;

    /// Its name.
    const NAME: &'static str;

    /// The sizes of a configuration.
    fn parameters(config: &str) -> Option<Self::Parameters>;

    /// Traffic for these sizes, the same for the same seed.
    fn traffic(parameters: Self::Parameters, seed: u64) -> Self::Traffic {
        Self::Traffic::new(parameters, seed)
    }
}

/// The configuration of the replay queue that is meant where none is named.
pub const DEFAULT_QUEUE: &str = "64";
/// The configuration of the log that is meant where none is named.
pub const DEFAULT_LOG: &str = "16k";

/// The configuration of the checkpoint engine that is meant where none is named.
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
        layout: |config| Some(Layout::of::<B>(&B::parameters(config)?)),
        reference: |config| Some(Box::new(Reference::<B>::new(B::parameters(config)?))),
        traffic: |config, seed| {
            let parameters = B::parameters(config)?;
            Some(Box::new(Driven::<B::Traffic>::new(parameters, seed)))
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
    registered::<SmUnit>(),
    registered::<PageWalker>(),
    registered::<PageWalkCache>(),
    registered::<Gmmu>(),
    registered::<DirtyBits>(),
    registered::<PreemptionPolicy>(),
    registered::<BlockScheduler>(),
    registered::<MemoryUnit>(),
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

/// The error where there is no such design.
pub(crate) fn unknown(block: &str, config: &str) -> SetupError {
    SetupError::UnknownDesign {
        block: block.to_owned(),
        config: config.to_owned(),
    }
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
        _ => Err(unknown(block, config)),
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
    (find(block, config)?.block.traffic)(config, seed).ok_or_else(|| unknown(block, config))
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
    let (queue, log) = sizes.ok_or_else(|| unknown(block, config))?;
    let replay = Replay::new(target, kernels, queue, log, seed)?;
    Ok(Session::new(lockstep, Box::new(replay)))
}

/// What an SM that runs kernels gives one of these blocks, for so many cycles.
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
    let part = part.ok_or_else(|| unknown(block, config))?;
    Ok(Box::new(Recorded::new(&part, works, cycles, seed)?))
}

/// The paper's worst case for an operand log, and the same for a replay queue: a write in each cycle.
///
/// # Errors
/// If there is no such log or queue.
pub fn writes(block: &str, config: &str, seed: u64) -> Result<Box<dyn Stimulus>, SetupError> {
    let writes: Option<Box<dyn Stimulus>> = match block {
        ReplayQueue::NAME => ReplayQueue::parameters(config).map(|parameters| {
            Box::new(Driven::<replay_queue::Writes>::new(parameters, seed)) as Box<dyn Stimulus>
        }),
        OperandLog::NAME => OperandLog::parameters(config).map(|parameters| {
            Box::new(Driven::<operand_log::Writes>::new(parameters, seed)) as Box<dyn Stimulus>
        }),
        _ => None,
    };
    writes.ok_or_else(|| unknown(block, config))
}

/// A lockstep of all built back ends, driven by hand.
///
/// # Errors
/// If there is no such design, or a back end cannot be had.
pub fn bench<B: Block>(config: &str) -> Result<Bench<B>, SetupError> {
    bench_of::<B>(config, &Kind::built().collect::<Vec<_>>())
}

/// The same of some back ends.
///
/// # Errors
/// If there is no such design, or a back end cannot be had.
pub fn bench_of<B: Block>(config: &str, kinds: &[Kind]) -> Result<Bench<B>, SetupError> {
    let lockstep = lockstep(B::NAME, config, kinds)?;
    Ok(Bench::new(
        lockstep,
        B::parameters(config).ok_or_else(|| unknown(B::NAME, config))?,
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
            (block.reference)(design.config).ok_or_else(|| unknown(design.block, design.config))
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

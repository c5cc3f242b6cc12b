//! The sizes of each block, a file a block: those that are measured, and the small one that is proved.

pub mod block_scheduler;
pub mod checkpoint;
pub mod coalescer;
pub mod context_port;
pub mod dirty_bits;
pub mod explored;
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

use crate::ports::Hardware;
use crate::registry::Design;

/// Connects a new block, so that it can be simulated.
fn ready<B: Hardware + Default + 'static>() -> Box<dyn Hardware> {
    connected(B::default())
}

fn connected<B: Hardware + 'static>(block: B) -> Box<dyn Hardware> {
    let mut block = Box::new(block);
    block.connect_all();
    block
}

/// The sizes of a block, what each is for, and what makes it: the name of a design follows.
macro_rules! sizes {
    ($block:ident { $($config:literal [$($tag:ident)*] => $build:expr,)+ }) => {
        /// The designs of the block, in the order of its page.
        #[must_use]
        pub fn designs() -> Vec<$crate::registry::Design> {
            vec![$($crate::registry::Design {
                name: concat!(stringify!($block), "_", $config),
                block: stringify!($block),
                config: $config,
                tags: &[$($crate::registry::Tag::$tag),*],
                build: $build,
            },)+]
        }
    };
}
use sizes;

/// The designs of all blocks.
pub(crate) fn all() -> Vec<Design> {
    let blocks = [
        replay_queue::designs(),
        operand_log::designs(),
        coalescer::designs(),
        l1_tlb::designs(),
        memory_unit::designs(),
        l2_tlb::designs(),
        far_fault_mshr::designs(),
        fault_buffer::designs(),
        gmmu::designs(),
        scoreboard::designs(),
        sm_pipeline::designs(),
        sm_unit::designs(),
        page_walker::designs(),
        page_walk_cache::designs(),
        dirty_bits::designs(),
        preemption_policy::designs(),
        block_scheduler::designs(),
        context_port::designs(),
        checkpoint::designs(),
    ];
    blocks.into_iter().flatten().collect()
}

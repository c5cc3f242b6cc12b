//! A block in the smallest form that has all of its parts: page, model, kernel, traffic, lockstep, Verilog and proof.
//! `docs/tutorial.md` walks through its files.

pub mod kernel;
pub mod model;
pub mod traffic;

use faultline_hw::ports::Hardware;
use faultline_hw::registry::{Design, Tag};
use kernel::FaultCounter;
use rust_hdl::prelude::Block as _;

/// A new block, connected, so that it can be simulated.
fn ready<const WIDTH: usize>() -> Box<dyn Hardware> {
    let mut block = Box::<FaultCounter<WIDTH>>::default();
    block.connect_all();
    block
}

/// The block at the size that is used, and at the one that is proved.
#[must_use]
pub fn designs() -> [Design; 2] {
    let design = |name, config, tags, build| Design {
        name,
        block: "fault_counter",
        config,
        tags,
        build,
    };
    [
        design("fault_counter_8", "8", &[Tag::Default], ready::<8>),
        design("fault_counter_proof", "proof", &[Tag::Proof], ready::<3>),
    ]
}

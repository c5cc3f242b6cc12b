//! The operator zoo: small blocks that hold every operator, cast, slice, shift, comparison and literal position of a
//! kernel, at widths around the machine words at which mistakes hide.
//!
//! A specimen is a [`Design`] like those of `rtl-out`. The tests run kernel and exported Verilog in lockstep, lint the
//! Verilog, and compare it with that of `rust-hdl`'s own exporter. What `rust-hdl` itself refuses or miscomputes at some
//! width is left out there, and a comment says so.

// The specimens are odd on purpose: comparisons with literals, missing parentheses, parts that cancel out.
#![allow(
    missing_docs,
    clippy::bool_comparison,
    clippy::erasing_op,
    clippy::identity_op,
    clippy::int_plus_one,
    clippy::needless_range_loop,
    clippy::nonminimal_bool,
    clippy::overly_complex_bool_expr,
    clippy::precedence
)]

pub mod control;
pub mod expressions;
pub mod literals;
pub mod operators;
pub mod parts;
pub mod tree;

use faultline_hw::ports::Hardware;
use faultline_hw::registry::Design;

/// The widths of every specimen that has a width.
pub const WIDTHS: [usize; 10] = [1, 7, 8, 31, 32, 33, 63, 64, 65, 128];

fn ready<B: Hardware + Default + 'static>() -> Box<dyn Hardware> {
    let mut block = Box::<B>::default();
    block.connect_all();
    block
}

/// Every specimen.
#[must_use]
pub fn designs() -> Vec<Design> {
    macro_rules! at_widths {
        ($($width:literal)*) => {
            vec![
                $(Design {
                    name: concat!("operators_", $width),
                    block: "operators",
                    config: stringify!($width),
                    tags: &[],
                    build: ready::<operators::Operators<$width>>,
                },
                Design {
                    name: concat!("parts_", $width),
                    block: "parts",
                    config: stringify!($width),
                    tags: &[],
                    build: ready::<parts::Parts<$width>>,
                },
                Design {
                    name: concat!("tree_", $width),
                    block: "tree",
                    config: stringify!($width),
                    tags: &[],
                    build: ready::<tree::Tree<$width>>,
                },)*
            ]
        };
    }
    let mut designs = at_widths!(1 7 8 31 32 33 63 64 65 128);
    let single = |name, build| Design {
        name,
        block: name,
        config: "only",
        tags: &[],
        build,
    };
    designs.push(single("literals", ready::<literals::Literals>));
    designs.push(single("control", ready::<control::Control>));
    designs.push(single("keywords", ready::<control::Keywords>));
    designs
}

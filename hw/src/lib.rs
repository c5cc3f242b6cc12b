//! Everything of Faultline that becomes gates.
//!
//! Blocks: [`sm`] has those of an SM, [`mmu`] those that all SMs share, [`preempt`] those that save thread blocks;
//! [`primitives`] is what they are made of.
//! [`mod@part`] and [`kernel`] are what the attributes of `faultline-macros` rest on.
//! [`designs`] has the sizes of each block, [`registry`] lists and exports them, [`verilog`] is the exporter, and [`ports`]
//! lets a test bench drive any of them.

extern crate self as faultline_hw; // the macros name it, here and in other crates

pub mod designs;
pub mod kernel;
pub mod mmu;
pub mod params;
pub mod part;
pub mod ports;
pub mod preempt;
pub mod primitives;
pub mod registry;
pub mod sm;
pub use faultline_export as verilog;

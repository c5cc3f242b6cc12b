//! Reference, rust-hdl kernel and Verilated Verilog in lockstep.
//!
//! A [back end](backend::Backend) is anything that takes packed input words and gives packed output words, cycle by
//! cycle: the reference model, the kernel, or the exported Verilog. A [`lockstep::Lockstep`] runs several of them on
//! the same inputs and compares every output in every cycle. The inputs come from a [`session::Session`] with seeded
//! random [`traffic`], or from a directed test through a [`bench::Bench`].
//!
//! A new block brings its ports and model (in `faultline-sim`), its traffic, and a line in [`blocks`]. What the tests of all
//! blocks share is in [`support`].
//!
//! State that nothing has written yet is 0 in all back ends: memories start at 0, and so does what was last read. The
//! Verilog is Verilated with `--x-initial 0` for that reason; that reset does not rely on it is proved elsewhere.

pub mod answers;
pub mod backend;
pub mod bench;
pub mod blocks;
pub mod driver;
pub mod file;
pub mod layout;
pub mod lockstep;
pub mod origin;
pub mod programs;
pub mod recorded;
pub mod replay;
pub mod rust_hdl;
pub mod sdm;
pub mod session;
pub mod support;
pub mod sweep;
pub mod traffic;
pub mod vectors;
#[cfg(feature = "verilog")]
pub mod verilog;
pub mod view;
pub mod walks;
pub mod wave;

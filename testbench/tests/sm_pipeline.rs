//! The SM pipeline as a whole, in every scheme, with 4 warps: the reference, the kernel and the Verilog under random
//! programs, faults, stops and replays. What it guarantees to a program is the restart theorem, `sim/tests/sm_restart.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

mod support;

#[test]
fn matches_model() {
    support::matches_model("sm_pipeline");
}

//! The SM pipeline as a whole, in every scheme, with 4 warps: the reference, the kernel and the Verilog under random
//! traffic, and under random programs whose end must be that of the run without faults: the restart theorem, which
//! `sim/tests/sm_restart.rs` puts to the reference alone.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

mod support;

use faultline_sim::sm_pipeline::Scheme;
use faultline_testbench::backend::Kind;
use faultline_testbench::programs::Pipeline;

#[test]
fn matches_model() {
    support::matches_model("sm_pipeline");
}

/// Blocks leave in the middle of these programs, and come back; the kernel, which is slow, takes part in the first one.
fn restarts(config: &str, programs: u64) {
    let (mut cycles, mut switches) = (0, 0);
    for (kinds, seeds) in [
        (Kind::built().collect(), 0..1),
        (
            Kind::built()
                .filter(|&kind| kind != Kind::RustHdl)
                .collect::<Vec<_>>(),
            1..programs,
        ),
    ] {
        let mut pipeline = Pipeline::new(config, &kinds).unwrap();
        for seed in seeds {
            let outcome = pipeline
                .restart(seed)
                .unwrap_or_else(|error| panic!("{error}"));
            cycles += outcome.cycles;
            switches += outcome.switches;
        }
    }
    println!("{config}: {programs} programs, {cycles} cycles, {switches} switches");
    assert!(switches > 10, "{switches}");
}

/// G1 to G3, G5.
#[test]
fn random_programs_restart_in_every_scheme() {
    for scheme in Scheme::ALL {
        restarts(&Pipeline::configuration(scheme, 4), 21);
    }
    restarts("log_4_greedy", 21);
}

//! The SM pipeline as a whole, in every scheme, with 4 warps: the reference, the kernel and the Verilog under random
//! traffic, and under random programs whose end must be that of the run without faults: the restart theorem, which
//! `sim/tests/sm_restart.rs` puts to the reference alone.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

mod support;

use faultline_sim::sm::Occasions;
use faultline_sim::sm_pipeline::Scheme;
use faultline_testbench::backend::Kind;
use faultline_testbench::programs::Pipeline;

#[test]
fn matches_model() {
    support::matches_model("sm_pipeline");
}

/// Blocks leave in the middle of these programs, and come back; the kernel, which is slow, takes part in the first one.
fn restarts(scheme: Scheme, config: &str, programs: u64) {
    let (mut cycles, mut switches) = (0, 0);
    let mut occasions = Occasions::default();
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
            occasions += outcome.occasions;
        }
    }
    println!("{config}: {programs} programs, {cycles} cycles, {switches} switches, {occasions:?}");
    assert!(switches > 10, "{switches}");
    let Occasions {
        faults,
        again,
        in_a_replay,
        ..
    } = occasions;
    assert_eq!(
        faults > 100 && again > 100,
        scheme.squashes(),
        "{config}: {occasions:?}"
    );
    assert_eq!(in_a_replay > 10, scheme.queues(), "{config}: {occasions:?}");
}

/// G1 to G3, G5.
#[test]
fn random_programs_restart_in_every_scheme() {
    for scheme in Scheme::ALL {
        restarts(scheme, &Pipeline::configuration(scheme, 4), 21);
    }
    restarts(Scheme::OperandLog, "log_4_greedy", 21);
}

//! The SM pipeline as a whole, in every scheme, with 4 warps: the reference, the kernel and the Verilog under random
//! traffic, and under random programs whose end must be that of the run without faults: the restart theorem, which
//! `sim/tests/sm_restart.rs` puts to the reference alone.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::machines::sm::Occasions;
use faultline_sim::sm::sm_pipeline::{Inputs, Scheme};
use faultline_testbench::backend::Kind;
use faultline_testbench::blocks;
use faultline_testbench::programs::Pipeline;
use faultline_testbench::support;

/// Random programs for each scheme.
const PROGRAMS: u64 = 24;

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
        exceptions,
        again,
        in_a_replay,
        ..
    } = occasions;
    assert_eq!(
        faults > 100 && exceptions > 100 && again > 100,
        scheme.squashes(),
        "{config}: {occasions:?}"
    );
    assert_eq!(in_a_replay > 10, scheme.queues(), "{config}: {occasions:?}");
}

/// G1 to G3, G5.
#[test]
fn random_programs_restart_in_every_scheme() {
    let mut runs = Scheme::ALL
        .map(|scheme| (scheme, Pipeline::configuration(scheme, 4)))
        .to_vec();
    runs.push((Scheme::OperandLog, "log_4_greedy".to_owned()));
    let configurations = runs.iter().map(|(_, config)| config.as_str());
    support::test(file!(), "sm_pipeline", configurations).meet(|| {
        for (scheme, config) in &runs {
            restarts(*scheme, config, PROGRAMS);
        }
    });
}

/// A damaged context may give one warp all of its instructions, more than it can have in flight: as many as the queue has room
/// for are taken, and leave again with a save, in order.
#[test]
fn stopped_warp_takes_more_instructions_back_than_it_can_have_in_flight() {
    const ROOM: u32 = 16;
    for config in ["queue_4", "log_4"] {
        let mut bench = blocks::bench::<blocks::SmPipeline>(config).unwrap();
        let mut cycle = |inputs: Inputs| {
            let outputs = bench.cycle(&inputs);
            outputs.unwrap_or_else(|error| panic!("{config}: {error}"))
        };
        cycle(Inputs {
            reset: true,
            ..Inputs::default()
        });
        cycle(Inputs {
            launch_valid: true,
            launch_entries: ROOM as u8,
            ..Inputs::default()
        });
        cycle(Inputs {
            start_valid: true,
            start_warp: 1,
            stop_valid: true,
            stop_warp: 1,
            ..Inputs::default()
        });
        let mut given = 0;
        for _ in 0..1000 {
            let outputs = cycle(Inputs {
                restore_valid: given < ROOM,
                restore_warp: 1,
                restore_pc: given,
                restore_mask: u32::MAX,
                ..Inputs::default()
            });
            given += u32::from(given < ROOM && outputs.restore_ready);
        }
        assert_eq!(given, ROOM, "{config}");
        let (mut is_accepted, mut is_done) = (false, false);
        let mut saved = Vec::new();
        for _ in 0..1000 {
            let outputs = cycle(Inputs {
                save_valid: !is_accepted,
                saved_ready: true,
                ..Inputs::default()
            });
            is_accepted |= outputs.save_ready;
            saved.extend(outputs.saved_valid.then_some(outputs.saved_pc));
            is_done |= outputs.save_done;
        }
        assert!(is_done, "{config}");
        assert_eq!(saved, (0..ROOM).collect::<Vec<_>>(), "{config}");
    }
}

//! Instruction streams of kernels, in Accel-Sim's format, in lockstep.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::sm::{operand_log, replay_queue};
use faultline_sim::trace::{Reader, SAXPY};
use faultline_testbench::backend::Kind;
use faultline_testbench::replay::{Kernel, Replay, ReplayError, Target};
use faultline_testbench::session::Stimulus;
use faultline_testbench::{blocks, replay};

/// Cycles of each block: some kernels from launch to drain.
const CYCLES: u64 = 20_000;

fn saxpy() -> Kernel {
    replay::kernel(Reader::new(SAXPY.as_bytes(), "saxpy").unwrap()).unwrap()
}

fn times(stimulus: &dyn Stimulus, name: &str) -> u64 {
    stimulus
        .coverage()
        .iter()
        .find(|(scenario, _)| *scenario == name)
        .unwrap()
        .1
}

#[test]
fn every_instruction_commits_and_replays_with_its_own_operands() {
    let instructions = saxpy().instructions() as u64;
    let queue = replay_queue::Parameters::with_entries(32);
    let log = operand_log::Parameters::with_entries(32);
    let mut replay = Replay::new(Target::ReplayQueue, vec![saxpy()], queue, log, 1).unwrap();
    let mut frame = [0; 64];
    while times(&replay, "kernels_done") < 3 {
        replay.next(&mut frame);
        assert!(times(&replay, "issued") <= 3 * instructions);
    }
    assert_eq!(times(&replay, "committed"), 3 * instructions);
    assert_eq!(times(&replay, "operands_that_differ"), 0);
    assert_eq!(
        times(&replay, "faulted"),
        times(&replay, "replayed"),
        "each fault is replayed once"
    );
    assert!(times(&replay, "operands_replayed") > 10 && times(&replay, "stores") > 0);
}

#[test]
fn trace_that_cannot_drive_a_design_is_refused() {
    let queue = replay_queue::Parameters::with_entries(32);
    let log = operand_log::Parameters::with_entries(4);
    let error = Replay::new(Target::OperandLog, vec![saxpy()], queue, log, 1)
        .err()
        .unwrap();
    assert!(error.to_string().contains("take a larger log"));
    assert!(matches!(
        Replay::new(Target::OperandLog, vec![], queue, log, 1),
        Err(ReplayError::Empty)
    ));
}

#[test]
fn blocks_agree_on_a_kernels_instructions() {
    for (block, config) in [
        ("replay_queue", "64"),
        ("operand_log", "16k"),
        ("operand_log", "8k"),
    ] {
        let kinds: Vec<_> = Kind::built().collect();
        let mut session = blocks::replay_session(block, config, &kinds, vec![saxpy()], 1).unwrap();
        session
            .run(CYCLES)
            .unwrap_or_else(|error| panic!("{error}"));
        let coverage = session.coverage();
        let times = |name| {
            coverage
                .iter()
                .find(|(scenario, _)| *scenario == name)
                .map(|(_, times)| *times)
        };
        assert_eq!(times("operands_that_differ"), Some(0), "{coverage:?}");
        for scenario in [
            "kernels_done",
            "faulted",
            "resumed",
            "replayed",
            "operands_replayed",
            "committed",
        ] {
            assert!(
                times(scenario) > Some(0),
                "{block} {config} saw no {scenario}: {coverage:?}"
            );
        }
        println!("{block} {config}: {coverage:?}");
    }
}

//! Warps that want the same unit are served alike.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use std::collections::VecDeque;

use faultline_sim::ports::Model;
use faultline_sim::sm_pipeline::{
    Class, Inputs, Outputs, Parameters, Policy, SPECIAL_UNIT, Scheme, SmPipeline, WIDTH,
};
use faultline_sim::{operand_log, replay_queue};

const CYCLES: u64 = 20_000;

/// Instructions of each warp that are issued if all of so many warps want the unit for special functions, always.
fn issued(warps: u8) -> Vec<u64> {
    let mut pipeline = SmPipeline::new(Parameters {
        scheme: Scheme::StallOnFault,
        policy: Policy::LooseRoundRobin,
        warps: 64,
        entries: 8,
        queue: replay_queue::Parameters::with_entries(64),
        log: operand_log::Parameters::with_entries(64),
    });
    let mut issued = vec![0; warps.into()];
    let mut executing = VecDeque::new();
    let mut outputs = Outputs::default();
    for cycle in 0..CYCLES {
        let mut inputs = Inputs {
            reset: cycle == 0,
            special_ready: true,
            start_valid: (1..=u64::from(warps)).contains(&cycle),
            start_warp: cycle.saturating_sub(1).min(63) as u8,
            fetched_valid: [1; WIDTH],
            fetched_class: [Class::Special as u64; WIDTH],
            fetched_destination: [255; WIDTH],
            fetched_source_a: [255; WIDTH],
            fetched_source_b: [255; WIDTH],
            fetched_source_c: [255; WIDTH],
            ..Inputs::default()
        };
        for port in 0..WIDTH {
            if outputs.read_valid[port] == 1 {
                issued[outputs.read_warp[port] as usize] += 1;
                executing.push_back((outputs.read_warp[port], outputs.read_entry[port]));
            }
        }
        if let Some((warp, entry)) = executing.pop_front() {
            inputs.finished_valid[SPECIAL_UNIT] = 1;
            inputs.finished_warp[SPECIAL_UNIT] = warp;
            inputs.finished_entry[SPECIAL_UNIT] = entry;
        }
        outputs = pipeline.cycle(&inputs);
    }
    issued
}

/// The unit is busy in every cycle; the ports have half of it each, and a port's warps have equal shares, but for those that
/// begin earlier.
#[test]
fn warps_that_want_one_unit_are_served_alike() {
    for warps in 2..=64 {
        let issued = issued(warps);
        let total: u64 = issued.iter().sum();
        assert!(total > CYCLES - 20, "{warps} warps: {total} instructions");
        for port in 0..WIDTH {
            let own = || issued.iter().skip(port).step_by(WIDTH);
            let (least, most) = (own().min().unwrap(), own().max().unwrap());
            assert!(most - least < 10, "{warps} warps: {issued:?}");
        }
        let most = issued.iter().max().unwrap();
        let least = issued.iter().min().unwrap();
        assert!(most <= &(2 * least), "{warps} warps: {issued:?}");
    }
}

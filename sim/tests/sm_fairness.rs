//! Warps that want the same unit are served alike.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use std::collections::VecDeque;

use faultline_sim::ports::Model;
use faultline_sim::sm_pipeline::{Class, Inputs, Parameters, Policy, SPECIAL_UNIT, Scheme, SmPipeline};

#[test]
fn warps_that_want_one_unit_are_served_alike() {
    for busy in 2..=8u8 {
        let parameters = Parameters {
            scheme: Scheme::StallOnFault,
            policy: Policy::LooseRoundRobin,
            warps: 64,
            entries: 8,
            queue: faultline_sim::replay_queue::Parameters::with_entries(64),
            log: faultline_sim::operand_log::Parameters::with_entries(64),
        };
        let mut pipeline = SmPipeline::new(parameters);
        let mut issued = [0u64; 64];
        let mut executing = VecDeque::new();
        for cycle in 0..4_000u64 {
            let mut inputs = Inputs {
                reset: cycle == 0,
                special_ready: true,
                memory_ready: true,
                launch_valid: cycle == 1,
                launch_entries: 4,
                start_valid: cycle > 1 && cycle - 2 < u64::from(busy),
                start_warp: (cycle.saturating_sub(2)) as u8 & 63,
                ..Inputs::default()
            };
            for port in 0..2 {
                inputs.fetched_valid[port] = 1;
                inputs.fetched_class[port] = Class::Special as u64;
                inputs.fetched_destination[port] = 255;
                inputs.fetched_source_a[port] = 255;
                inputs.fetched_source_b[port] = 255;
                inputs.fetched_source_c[port] = 255;
            }
            if let Some((warp, entry)) = executing.pop_front() {
                inputs.finished_valid[SPECIAL_UNIT] = 1;
                inputs.finished_warp[SPECIAL_UNIT] = warp;
                inputs.finished_entry[SPECIAL_UNIT] = entry;
            }
            let outputs = pipeline.cycle(&inputs);
            for port in 0..2 {
                if outputs.read_valid[port] == 1 {
                    issued[outputs.read_warp[port] as usize] += 1;
                    executing.push_back((outputs.read_warp[port], outputs.read_entry[port]));
                }
            }
        }
        println!("{busy}: {:?}", &issued[..usize::from(busy)]);
    }
}

//! Warps that want the same unit, or log entries of one thread block, are served in turn.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use std::collections::VecDeque;

use faultline_sim::ports::Model;
use faultline_sim::sm_pipeline::{
    Class, Inputs, MEMORY_UNIT, Outputs, Parameters, Policy, SPECIAL_UNIT, Scheme, SmPipeline,
    WIDTH,
};
use faultline_sim::{operand_log, replay_queue};

const CYCLES: u64 = 20_000;

/// Instructions of each warp that are issued if all of so many warps want the unit for special functions, always, which takes
/// one in so many cycles.
fn issued(warps: u8, interval: u64) -> Vec<u64> {
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
    let mut waiting = 0;
    for cycle in 0..CYCLES {
        let mut inputs = Inputs {
            reset: cycle == 0,
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
        waiting += outputs.read_valid.iter().sum::<u64>();
        inputs.special_ready = waiting < 2;
        if cycle % interval == 0 {
            waiting = waiting.saturating_sub(1);
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

/// The unit is always busy. If it takes one in each cycle, the ports have half of it each, and a port's warps have equal shares,
/// but for those that begin earlier; with another pace none has less than a fourth of another's.
#[test]
fn warps_that_want_one_unit_are_served_alike() {
    for (warps, interval) in
        (2..=64).flat_map(|warps| [1, 2, 3, 4, 8].map(|interval| (warps, interval)))
    {
        let issued = issued(warps, interval);
        let total: u64 = issued.iter().sum();
        assert!(
            total > (CYCLES - 20) / interval,
            "{warps} warps, one in {interval} cycles: {total} instructions"
        );
        for port in 0..WIDTH {
            let own = || issued.iter().skip(port).step_by(WIDTH);
            let (least, most) = (own().min().unwrap(), own().max().unwrap());
            // Which one finds the unit taken depends on its pace, and is not always the same one.
            let equal = if interval == 1 { least + 10 } else { 3 * least };
            assert!(most < &equal, "{warps} warps: {issued:?}");
        }
        let most = issued.iter().max().unwrap();
        let least = issued.iter().min().unwrap();
        let shares = if interval == 1 { 2 } else { 4 };
        assert!(
            most <= &(shares * least + 10),
            "{warps} warps, one in {interval} cycles: {issued:?}"
        );
    }
}

/// Cycles of each step below.
const STEP: u64 = 300;

/// The warps of port 0 that issue in the second half of each step, if everybody wants the unit for special functions, which
/// both ports share, so that more is fetched than issued, and this warp gets nothing in a step.
fn served(policy: Policy, without: &[Option<u8>]) -> Vec<Vec<u64>> {
    let mut pipeline = SmPipeline::new(Parameters {
        scheme: Scheme::StallOnFault,
        policy,
        warps: 64,
        entries: 8,
        queue: replay_queue::Parameters::with_entries(64),
        log: operand_log::Parameters::with_entries(64),
    });
    let mut served = vec![Vec::new(); without.len()];
    let mut outputs = Outputs::default();
    for cycle in 0..without.len() as u64 * STEP {
        let step = (cycle / STEP) as usize;
        let mut inputs = Inputs {
            reset: cycle == 0,
            start_valid: (1..=8).contains(&cycle),
            start_warp: cycle.saturating_sub(1).min(7) as u8,
            fetched_class: [Class::Special as u64; WIDTH],
            special_ready: true,
            fetched_destination: [255; WIDTH],
            fetched_source_a: [255; WIDTH],
            fetched_source_b: [255; WIDTH],
            fetched_source_c: [255; WIDTH],
            ..Inputs::default()
        };
        let fetching = pipeline.fetching(false);
        inputs.fetched_valid = fetching.map(|warp| (warp != without[step]).into());
        if let Some(port) = (0..WIDTH).find(|&port| outputs.read_valid[port] == 1) {
            inputs.finished_valid[SPECIAL_UNIT] = 1;
            inputs.finished_warp[SPECIAL_UNIT] = outputs.read_warp[port];
            inputs.finished_entry[SPECIAL_UNIT] = outputs.read_entry[port];
        }
        outputs = pipeline.cycle(&inputs);
        if cycle % STEP >= STEP / 2 && outputs.read_valid[0] == 1 {
            served[step].push(outputs.read_warp[0]);
        }
    }
    served
}

/// Under greedy-then-oldest a warp is served as long as it can go on, and after it the one of the lowest number; round robin
/// serves all that can.
#[test]
fn greedy_stays_and_then_takes_the_lowest() {
    let without = [None, Some(0), None, Some(2), None];
    let served_by = |policy| -> Vec<Vec<u64>> {
        let mut steps = served(policy, &without);
        for warps in &mut steps {
            assert!(warps.len() as u64 > STEP / 5, "{warps:?}");
            warps.sort_unstable();
            warps.dedup();
        }
        steps
    };
    let alone = [0, 2, 2, 0, 0].map(|warp| vec![warp]);
    assert_eq!(served_by(Policy::GreedyThenOldest), alone);
    let all = vec![0, 2, 4, 6];
    let in_turn = [all.clone(), vec![2, 4, 6], all.clone(), vec![0, 4, 6], all];
    assert_eq!(served_by(Policy::LooseRoundRobin), in_turn);
}

/// The last cycle in which a warp issued, and how many it issued.
#[derive(Clone, Copy, Debug, Default)]
struct Issues {
    count: u64,
    last: u64,
    longest: u64,
}

/// Accesses that each warp of one thread block issues with an operand log, if they are all of one class and the memory takes
/// one a cycle, which is checked `latency` cycles later.
fn accesses(policy: Policy, classes: &[Class], partition: u8, latency: u64) -> Vec<Issues> {
    let mut pipeline = SmPipeline::new(Parameters {
        scheme: Scheme::OperandLog,
        policy,
        warps: 64,
        entries: 8,
        queue: replay_queue::Parameters::with_entries(64),
        log: operand_log::Parameters::with_entries(64),
    });
    let mut issues = vec![Issues::default(); classes.len()];
    let mut checks: VecDeque<(u64, Outputs)> = VecDeque::new();
    let mut finishes: Option<(u8, u8)> = None;
    let mut outputs = Outputs::default();
    for cycle in 0..CYCLES {
        let mut inputs = Inputs {
            reset: cycle == 0,
            launch_valid: cycle == 1,
            launch_entries: partition,
            special_ready: true,
            memory_ready: true,
            start_valid: (2..classes.len() as u64 + 2).contains(&cycle),
            start_warp: cycle.saturating_sub(2).min(63) as u8,
            fetched_valid: [1; WIDTH],
            fetched_destination: [255; WIDTH],
            fetched_source_a: [255; WIDTH],
            fetched_source_b: [255; WIDTH],
            fetched_source_c: [255; WIDTH],
            fetched_mask: [1; WIDTH],
            ..Inputs::default()
        };
        for port in 0..WIDTH {
            if outputs.read_valid[port] == 1 {
                let issued = &mut issues[outputs.read_warp[port] as usize];
                issued.longest = issued.longest.max(cycle - issued.last);
                (issued.count, issued.last) = (issued.count + 1, cycle);
            }
        }
        let fetching = pipeline.fetching(false);
        inputs.fetched_class =
            fetching.map(|warp| warp.map_or(0, |warp| classes[usize::from(warp)] as u64));
        if let Some((warp, entry)) = finishes.take() {
            inputs.finished_valid[MEMORY_UNIT] = 1;
            inputs.finished_warp[MEMORY_UNIT] = warp.into();
            inputs.finished_entry[MEMORY_UNIT] = entry.into();
        }
        if let Some((_, of)) = checks.front().filter(|&&(due, _)| due <= cycle) {
            inputs.checked_valid = true;
            inputs.checked_warp = of.memory_warp;
            inputs.checked_entry = of.memory_entry;
            inputs.checked_index = of.memory_index;
            inputs.checked_slot = of.memory_slot;
            inputs.checked_store = Class::of(of.memory_class.into()) == Class::Store;
            inputs.checked_log_address = of.memory_log_address;
            inputs.checked_log_data = of.memory_log_data;
        }
        outputs = pipeline.cycle(&inputs);
        if inputs.checked_valid && outputs.checked_ready {
            checks.pop_front();
            finishes = Some((inputs.checked_warp, inputs.checked_entry));
        }
        if outputs.memory_valid {
            checks.push_back((cycle + latency, outputs.clone()));
        }
    }
    for issued in &mut issues {
        issued.longest = issued.longest.max(CYCLES - issued.last);
    }
    issues
}

/// A store is not kept from its two entries by the loads of its block, however many there are: they take turns.
#[test]
fn store_among_loads_gets_its_log_entries() {
    for (warps, partition, latency) in [(8, 8, 20), (32, 8, 20), (32, 2, 50), (32, 64, 5)] {
        let mut classes = vec![Class::Load; warps];
        classes[3] = Class::Store;
        let issues = accesses(Policy::LooseRoundRobin, &classes, partition, latency);
        let longest = issues.iter().map(|issued| issued.longest).max().unwrap();
        // Each warp goes before it twice at most, for two entries of a latency.
        let most = 2 * warps as u64 * (latency + 20) / u64::from(partition / 2).min(4);
        assert!(
            longest < most,
            "{warps} warps, {partition} entries: {longest} of {most} cycles, {issues:?}"
        );
    }
}

/// Nobody who may not take entries stays chosen, so that whose turn it is always gets them.
#[test]
fn accesses_of_a_block_go_on_whoever_is_chosen() {
    let classes_of = |set: u32| -> Vec<Class> {
        let class = |warp: u32| [Class::Load, Class::Store][(set >> warp & 1) as usize];
        (0..4).map(class).collect()
    };
    for policy in [Policy::LooseRoundRobin, Policy::GreedyThenOldest] {
        for set in 0..16 {
            for partition in 2..=5 {
                let issues = accesses(policy, &classes_of(set), partition, 10);
                let (last, count) = issues.iter().fold((0, 0), |(last, count), issued| {
                    (issued.last.max(last), issued.count + count)
                });
                assert!(
                    CYCLES - last < 50 && count > CYCLES / 40,
                    "{policy:?}, {partition} entries, stores {set:04b}: {issues:?}"
                );
                let least = issues.iter().map(|issued| issued.count).min().unwrap();
                assert!(
                    policy == Policy::GreedyThenOldest || 16 * least > count,
                    "{partition} entries, stores {set:04b}: {issues:?}"
                );
            }
        }
    }
}

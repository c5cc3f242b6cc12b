//! Warps that want the same unit, or log entries of one thread block, are served in turn.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use std::collections::VecDeque;

use faultline_ledger::Obligation;
use faultline_sim::ports::Model;
use faultline_sim::sm::sm_pipeline::{
    Class, Inputs, MEMORY_UNIT, Outputs, Parameters, Policy, SPECIAL_UNIT, Scheme, SmPipeline,
    WIDTH,
};
use faultline_sim::sm::{operand_log, replay_queue};

const CYCLES: u64 = 20_000;

/// What the warps of one thread block do, and how the pipeline's surroundings take it.
#[derive(Clone, Debug)]
struct Setting {
    scheme: Scheme,
    policy: Policy,
    /// The classes of each warp's instructions, again and again.
    warps: Vec<Vec<Class>>,
    /// Log entries of the block.
    partition: u8,
    /// The unit for special functions takes an instruction in so many cycles.
    interval: u64,
    /// The memory unit takes one in so many cycles of so many.
    memory: (u64, u64),
    /// Cycles until an access is checked.
    latency: u64,
}

impl Setting {
    fn new(scheme: Scheme, warps: Vec<Vec<Class>>) -> Self {
        Self {
            scheme,
            policy: Policy::LooseRoundRobin,
            warps,
            partition: 64,
            interval: 1,
            memory: (1, 1),
            latency: 7,
        }
    }
}

/// What a warp issued: how much, the last cycle, and the longest time without.
#[derive(Clone, Copy, Debug, Default)]
struct Issues {
    count: u64,
    last: u64,
    longest: u64,
}

/// What each warp issues, if it always has an instruction, and each waits for nothing but its unit, queue and log.
fn run(setting: &Setting, cycles: u64) -> Vec<Issues> {
    let mut pipeline = SmPipeline::new(Parameters {
        scheme: setting.scheme,
        policy: setting.policy,
        warps: 64,
        entries: 8,
        queue: replay_queue::Parameters::with_entries(64),
        log: operand_log::Parameters::with_entries(64),
    });
    let warps = setting.warps.len();
    let mut issues = vec![Issues::default(); warps];
    let mut fetched = vec![0; warps];
    let mut executing: [VecDeque<(u64, u64)>; MEMORY_UNIT + 1] = Default::default();
    let mut checks: VecDeque<(u64, Outputs)> = VecDeque::new();
    let mut outputs = Outputs::default();
    let mut waiting = 0;
    for cycle in 0..cycles {
        let mut inputs = Inputs {
            reset: cycle == 0,
            launch_valid: cycle == 1,
            launch_entries: setting.partition,
            memory_ready: cycle % setting.memory.1 < setting.memory.0,
            start_valid: (2..warps as u64 + 2).contains(&cycle),
            start_warp: cycle.saturating_sub(2).min(63) as u8,
            fetched_valid: [1; WIDTH],
            fetched_destination: [255; WIDTH],
            fetched_source_a: [255; WIDTH],
            fetched_source_b: [255; WIDTH],
            fetched_source_c: [255; WIDTH],
            fetched_mask: [1; WIDTH],
            ..Inputs::default()
        };
        for port in (0..WIDTH).filter(|&port| outputs.read_valid[port] == 1) {
            let issued = &mut issues[outputs.read_warp[port] as usize];
            issued.longest = issued.longest.max(cycle - issued.last);
            (issued.count, issued.last) = (issued.count + 1, cycle);
            let class = Class::of(outputs.read_class[port]);
            waiting += u64::from(class == Class::Special);
            let unit = class.single_unit().unwrap_or(port);
            if unit != MEMORY_UNIT {
                executing[unit].push_back((outputs.read_warp[port], outputs.read_entry[port]));
            }
        }
        inputs.special_ready = waiting < 2;
        if cycle % setting.interval == 0 {
            waiting = waiting.saturating_sub(1);
        }
        for (unit, executing) in executing.iter_mut().enumerate() {
            if let Some((warp, entry)) = executing.pop_front() {
                inputs.finished_valid[unit] = 1;
                (inputs.finished_warp[unit], inputs.finished_entry[unit]) = (warp, entry);
            }
        }
        let fetching = pipeline.fetching(false);
        for (port, warp) in fetching.into_iter().enumerate() {
            if let Some(warp) = warp.map(usize::from) {
                let classes = &setting.warps[warp];
                inputs.fetched_class[port] = classes[fetched[warp] % classes.len()] as u64;
                fetched[warp] += 1;
            }
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
        let mut finishes = |of: &Outputs| {
            let ends = (u64::from(of.memory_warp), u64::from(of.memory_entry));
            executing[MEMORY_UNIT].push_back(ends);
        };
        if inputs.checked_valid && outputs.checked_ready {
            let (_, of) = checks.pop_front().unwrap();
            finishes(&of);
        }
        if outputs.memory_valid && inputs.memory_ready {
            if Class::of(outputs.memory_class.into()).is_global() {
                checks.push_back((cycle + setting.latency, outputs.clone()));
            } else {
                finishes(&outputs);
            }
        }
    }
    for issued in &mut issues {
        issued.longest = issued.longest.max(cycles - issued.last);
    }
    issues
}

/// The least and the most that a warp of a port issues.
fn shares(issues: &[Issues], port: usize) -> (u64, u64) {
    let of = || {
        issues
            .iter()
            .skip(port)
            .step_by(WIDTH)
            .map(|issued| issued.count)
    };
    (of().min().unwrap(), of().max().unwrap())
}

/// The unit for special functions is always busy, and whatever its pace, the ports have half of it each, and a port's warps
/// equal shares, but for those that begin earlier.
#[test]
fn warps_that_want_one_unit_are_served_alike() {
    for (warps, interval) in
        (2..=64).flat_map(|warps| [1, 2, 3, 4, 8].map(|interval| (warps, interval)))
    {
        let setting = Setting {
            interval,
            ..Setting::new(Scheme::StallOnFault, vec![vec![Class::Special]; warps])
        };
        let issues = run(&setting, CYCLES);
        let total: u64 = issues.iter().map(|issued| issued.count).sum();
        assert!(
            total > (CYCLES - 20) / interval,
            "{warps} warps, one in {interval} cycles: {total} instructions"
        );
        for port in 0..WIDTH {
            let (least, most) = shares(&issues, port);
            assert!(
                most < least + 10,
                "{warps} warps, one in {interval} cycles: {issues:?}"
            );
        }
    }
}

/// Whatever is free now and then only: no warp waits for ever because it is free when it is always another one's turn.
#[test]
fn nobody_starves_at_a_unit_that_is_free_now_and_then() {
    Obligation::test(env!("CARGO_MANIFEST_DIR"), file!()).meet(nobody_starves);
}

fn nobody_starves() {
    use Class::{Control, Load, Math, Shared, Special, Store};
    let paces = [
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 3),
        (1, 4),
        (3, 4),
        (2, 5),
        (4, 5),
        (7, 8),
    ];
    let memory = |scheme, warps: usize, class| {
        let settings = paces.into_iter().flat_map(move |memory| {
            [1, 20].map(|latency| Setting {
                memory,
                latency,
                ..Setting::new(scheme, vec![vec![class]; warps])
            })
        });
        settings.collect::<Vec<_>>()
    };
    let special = |scheme, warps: usize, class| {
        let settings = [1, 2, 3, 4, 5, 8, 16]
            .into_iter()
            .map(move |interval| Setting {
                interval,
                ..Setting::new(scheme, vec![vec![Special, class]; warps])
            });
        settings.collect::<Vec<_>>()
    };
    for scheme in Scheme::ALL {
        for warps in 2..=16 {
            let of_memory = [Load, Shared]
                .into_iter()
                .flat_map(|class| memory(scheme, warps, class));
            let of_special = [Math, Control, Shared, Load, Store]
                .into_iter()
                .flat_map(|class| special(scheme, warps, class));
            for setting in of_memory.chain(of_special) {
                let issues = run(&setting, 3_000);
                for port in 0..WIDTH {
                    let (least, most) = shares(&issues, port);
                    assert!(most <= 2 * least + 10, "{setting:?}: {issues:?}");
                }
            }
        }
    }
}

/// Cycles of each step below.
const STEP: u64 = 300;

/// The warps of port 0 that issue in the second half of each step, if every warp wants the unit for special functions, which
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

/// Accesses that each warp issues with an operand log, if they are all of one class and the memory takes one a cycle, which is
/// checked `latency` cycles later.
fn accesses(policy: Policy, classes: &[Class], partition: u8, latency: u64) -> Vec<Issues> {
    let setting = Setting {
        policy,
        partition,
        latency,
        ..Setting::new(
            Scheme::OperandLog,
            classes.iter().map(|&class| vec![class]).collect(),
        )
    };
    run(&setting, CYCLES)
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

/// No warp that may not take entries stays chosen, so that the warp whose turn it is always gets them.
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

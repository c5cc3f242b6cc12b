//! Contract tests of the coalescer: each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::sm::coalescer::{Inputs, LANES, Lines, Outputs, Request};
use faultline_testbench::bench::Bench;
use faultline_testbench::blocks::{self, Coalescer};
use faultline_testbench::support;

const ALL: u32 = u32::MAX;

/// The coalescer, and what a test does with it.
struct Unit {
    bench: Bench<Coalescer>,
}

impl Unit {
    fn new() -> Self {
        let mut unit = Self {
            bench: blocks::bench::<Coalescer>("32").unwrap(),
        };
        unit.cycle(&Inputs {
            reset: true,
            ..Inputs::default()
        });
        unit
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.bench
            .cycle(inputs)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Offers instructions one after the other, takes every request, and gives the requests with their cycles.
    fn run(&mut self, instructions: &[Inputs]) -> Vec<(u64, Request)> {
        let mut waiting = instructions.iter();
        let mut next = waiting.next();
        let mut requests = Vec::new();
        for cycle in 0..200 {
            let mut inputs = next.cloned().unwrap_or_default();
            inputs.request_ready = true;
            let outputs = self.cycle(&inputs);
            if outputs.request_valid {
                requests.push((cycle, request(&outputs)));
            }
            if outputs.instruction_ready {
                next = waiting.next();
            }
        }
        requests
    }
}

fn request(outputs: &Outputs) -> Request {
    Request {
        line: outputs.request_line,
        leader: outputs.request_leader,
        mask: outputs.request_mask,
        last: outputs.request_last,
    }
}

fn instruction(mask: u32, line: impl Fn(u64) -> u64, pages: bool) -> Inputs {
    let lines: Lines = std::array::from_fn(|lane| line(lane as u64));
    Inputs {
        instruction_valid: true,
        instruction_pages: pages,
        instruction_mask: mask,
        instruction_line: lines,
        ..Inputs::default()
    }
}

#[test]
fn matches_model() {
    support::matches_model("coalescer");
}

/// G1.
#[test]
fn every_lane_is_in_exactly_one_request() {
    let mut unit = Unit::new();
    for mask in [1, 1 << 31, 0x8000_0001, 0xAAAA_AAAA, 0x0FF0_0000, ALL] {
        for stride in [0, 1, 3, 1 << 36] {
            let requests = unit.run(&[instruction(mask, |lane| lane / 3 * stride, false)]);
            let (mut union, mut sum) = (0, 0);
            for (_, request) in &requests {
                union |= request.mask;
                sum += request.mask.count_ones();
            }
            assert_eq!((union, sum), (mask, mask.count_ones()));
        }
    }
}

/// G2.
#[test]
fn lanes_share_a_request_exactly_if_they_share_a_line_or_page() {
    let mut unit = Unit::new();
    // Lanes 0 and 1 of a page, but of two lines; lane 2 differs from lane 0 in the highest bit alone.
    let lines = |lane| {
        [64, 95, 64 | 1 << 40, 96]
            .get(lane as usize)
            .copied()
            .unwrap_or(0)
    };
    let masks = |requests: Vec<(u64, Request)>| -> Vec<u32> {
        requests.iter().map(|(_, request)| request.mask).collect()
    };
    assert_eq!(
        masks(unit.run(&[instruction(15, lines, false)])),
        [1, 2, 4, 8]
    );
    assert_eq!(masks(unit.run(&[instruction(15, lines, true)])), [3, 4, 8]);
    assert_eq!(masks(unit.run(&[instruction(ALL, |_| 77, false)])), [ALL]);
    for bit in 0..41 {
        let pair = |lane| if lane == 20 { 1 << bit } else { 0 };
        let lanes = 1 << 20 | 1 << 9;
        let apart = unit.run(&[instruction(lanes, pair, false)]);
        assert_eq!(masks(apart), [1 << 9, 1 << 20], "bit {bit} of a line");
        let by_page = unit.run(&[instruction(lanes, pair, true)]).len();
        assert_eq!(by_page, if bit < 5 { 1 } else { 2 }, "bit {bit} of a page");
    }
}

/// G3, G5.
#[test]
fn lowest_lane_leads_and_its_line_is_named() {
    let mut unit = Unit::new();
    let lines = |lane| [9, 1000, 9, 5].get(lane as usize).copied().unwrap_or(1000);
    let named = |requests: Vec<(u64, Request)>| -> Vec<(u8, u64)> {
        requests
            .iter()
            .map(|(_, request)| (request.leader, request.line))
            .collect()
    };
    assert_eq!(
        named(unit.run(&[instruction(ALL << 1, lines, false)])),
        [(1, 1000), (2, 9), (3, 5)]
    );
    assert_eq!(
        named(unit.run(&[instruction(ALL, lines, true)])),
        [(0, 0), (1, 992)],
        "a page is named by its first line"
    );
}

/// G4.
#[test]
fn last_request_alone_is_marked() {
    let mut unit = Unit::new();
    for lines in 1..=LANES as u64 {
        let requests = unit.run(&[instruction(ALL, |lane| lane % lines, false)]);
        let marked: Vec<bool> = requests.iter().map(|(_, request)| request.last).collect();
        let mut wanted = vec![false; lines as usize];
        wanted[lines as usize - 1] = true;
        assert_eq!(marked, wanted);
    }
}

/// G5, G6.
#[test]
fn instructions_follow_each_other_in_order_without_a_bubble() {
    let mut unit = Unit::new();
    let counts = [1, 1, 3, 32, 1, 2, 1];
    let instructions: Vec<_> = (0u64..)
        .zip(counts)
        .map(|(number, count)| instruction(ALL, move |lane| 100 * number + lane % count, false))
        .collect();
    let requests = unit.run(&instructions);
    let cycles: Vec<u64> = requests.iter().map(|(cycle, _)| *cycle).collect();
    let total = counts.iter().sum::<u64>();
    assert_eq!(cycles, (2..2 + total).collect::<Vec<_>>());
    let wanted: Vec<u64> = (0u64..)
        .zip(counts)
        .flat_map(|(number, count)| (0..count).map(move |line| 100 * number + line))
        .collect();
    let lines: Vec<u64> = requests.iter().map(|(_, request)| request.line).collect();
    assert_eq!(lines, wanted);
}

/// G7.
#[test]
fn offer_holds_until_it_is_taken() {
    let mut unit = Unit::new();
    unit.cycle(&instruction(ALL, |lane| lane, false));
    unit.cycle(&Inputs::default());
    let offer = unit.cycle(&Inputs::default());
    assert!(offer.request_valid);
    for number in 0..20 {
        let outputs = unit.cycle(&instruction(ALL, |lane| lane + number, true));
        assert_eq!(request(&outputs), request(&offer));
        assert!(!outputs.instruction_ready);
    }
}

/// G8.
#[test]
fn next_instruction_is_accepted_when_the_last_but_one_request_is_taken() {
    let mut unit = Unit::new();
    unit.cycle(&instruction(ALL, |lane| lane % 3, false));
    let next = instruction(1, |_| 50, false);
    let stalled = |unit: &mut Unit| unit.cycle(&next);
    assert!(!stalled(&mut unit).instruction_ready);
    // The first of three is on offer, and the second waits for its place.
    for _ in 0..5 {
        assert!(!stalled(&mut unit).instruction_ready);
    }
    let take = Inputs {
        request_ready: true,
        ..next.clone()
    };
    assert!(!unit.cycle(&take).instruction_ready);
    assert!(!stalled(&mut unit).instruction_ready);
    assert!(unit.cycle(&take).instruction_ready);
}

/// An instruction without lanes is accepted and makes no request.
#[test]
fn instruction_without_lanes_makes_no_request() {
    let mut unit = Unit::new();
    let nothing = instruction(0, |lane| lane, false);
    let one = instruction(4, |_| 3, false);
    let requests = unit.run(&[nothing.clone(), one, nothing]);
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].1.mask, 4);
}

#[test]
fn reset_forgets_the_instruction_and_the_offer() {
    let mut unit = Unit::new();
    unit.cycle(&instruction(ALL, |lane| lane, false));
    unit.cycle(&Inputs::default());
    unit.cycle(&Inputs {
        reset: true,
        ..Inputs::default()
    });
    for _ in 0..4 {
        assert_eq!(
            unit.cycle(&Inputs::default()),
            Outputs {
                instruction_ready: true,
                ..Outputs::default()
            }
        );
    }
}

//! The model of the memory unit under its traffic: a monitor that sees the ports alone checks the guarantees in every
//! cycle, and that nothing is left when the traffic has ended.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use faultline_sim::ports::Model;
use faultline_sim::sm::memory_unit::{Inputs, MemoryUnit, Outputs, PAGE_LINE_BITS, Parameters};
use faultline_testbench::blocks::Block;
use faultline_testbench::blocks::memory_unit::MemoryUnitTraffic;
use faultline_testbench::traffic::Traffic;

/// A page and a kind of access.
type Key = (u64, bool);

/// An instruction that was accepted and is not decided.
struct Access {
    warp: u8,
    /// Slot, scoreboard entry, replay-queue entry and log entries.
    tag: [u8; 5],
    store: bool,
    has_lanes: bool,
    /// Its requests so far: lines and lanes.
    requests: Vec<(u64, u32)>,
    requested: bool,
    since: u64,
    /// The lines of older accesses that have faulted, where one of the two is a store.
    follows: Vec<Vec<u64>>,
}

impl Access {
    fn lines(&self) -> impl Iterator<Item = u64> {
        self.requests.iter().map(|(number, _)| *number)
    }

    /// It has one of these lines.
    fn meets(&self, lines: &[u64]) -> bool {
        self.lines().any(|line| lines.contains(&line))
    }

    /// It and another access of its warp have a line in common, and one of them is a store.
    fn conflicts(&self, other: &Self) -> bool {
        let lines: Vec<u64> = other.lines().collect();
        other.warp == self.warp && (other.store || self.store) && self.meets(&lines)
    }
}

/// A line that a checked access is to pass.
struct Line {
    number: u64,
    mask: u32,
    warp: u8,
    entry: u8,
    store: bool,
    last: bool,
    /// Invalidations before it was checked.
    generation: u64,
}

/// What was answered last about a page since the last invalidation.
#[derive(Clone, Copy)]
struct Known {
    frame: Option<u32>,
    /// When it was last known to be absent or denied.
    refused: Option<u64>,
}

#[derive(Default)]
struct Monitor {
    cycle: u64,
    generation: u64,
    accesses: VecDeque<Access>,
    known: BTreeMap<Key, Known>,
    asked: Option<Key>,
    lines: VecDeque<Line>,
    /// An offer of `checked` that was not taken, and the lines that follow from it.
    offer: Option<(Outputs, Vec<Line>)>,
    away: BTreeSet<u8>,
    /// What has faulted since its warp was resumed: the warp, whether it is a store, and its lines.
    gone: Vec<(u8, bool, Vec<u64>)>,
    /// Warps that are resumed or leave in this cycle, a bit each.
    clears: u64,
    /// Absent pages for which a warp waits.
    waits: BTreeSet<(u8, u64)>,
    resume: Option<u8>,
    /// Warps that may not be put on offer in this cycle, as they were named in the one before.
    named: u64,
    /// A warp could be resumed, and no other one is on offer: one is in the next cycle.
    offers_next: bool,
    line_waits: Option<Outputs>,
    accepted: u64,
    checked: u64,
    faulted: u64,
    resumed: u64,
    passed: u64,
}

fn invalidates(inputs: &Inputs) -> bool {
    inputs.invalidate_valid
        && (inputs.invalidate_asid == inputs.asid || inputs.invalidate_scope > 1)
}

impl Monitor {
    /// The lines of an access that is checked: G2.
    fn lines_of(&self, access: &Access) -> Vec<Line> {
        let line = |number, mask| Line {
            number,
            mask,
            warp: access.warp,
            entry: access.tag[1],
            store: access.store,
            last: false,
            generation: self.generation,
        };
        let mut lines: Vec<_> = access
            .requests
            .iter()
            .map(|(number, mask)| {
                let vpn = number >> PAGE_LINE_BITS;
                let known = self.known.get(&(vpn, access.store));
                let frame = known.and_then(|known| known.frame);
                let frame = frame.expect("every line was hit since the last invalidation");
                let within = number & ((1 << PAGE_LINE_BITS) - 1);
                line(u64::from(frame) << PAGE_LINE_BITS | within, *mask)
            })
            .collect();
        if !access.has_lanes {
            lines.push(line(0, 0));
        }
        lines.last_mut().unwrap().last = true;
        lines
    }

    /// The undecided access with a tag; no older one conflicts with it: G1, G4.
    fn decide(&self, warp: u8, has: impl Fn(&Access) -> bool) -> usize {
        let of_tag = |access: &Access| access.warp == warp && has(access);
        let found = self.accesses.iter().position(of_tag);
        let found = found.expect("an undecided access with this tag");
        let access = &self.accesses[found];
        assert!(access.requested, "decided before its last request");
        let mut older = self.accesses.range(..found);
        let conflicts = older.any(|other| other.conflicts(access));
        assert!(!conflicts, "an older access that conflicts is undecided");
        found
    }

    fn check_offer(&mut self, outputs: &Outputs) {
        let held = self.offer.take();
        if !outputs.checked_valid {
            assert!(held.is_none(), "an offer of checked was withdrawn");
            return;
        }
        let o = outputs;
        let tag = [
            o.checked_slot,
            o.checked_entry,
            o.checked_index,
            o.checked_log_address,
            o.checked_log_data,
        ];
        if let Some((first, lines)) = held {
            assert_eq!(
                (first.checked_warp, first.checked_entry, first.checked_index),
                (o.checked_warp, o.checked_entry, o.checked_index)
            );
            self.offer = Some((first, lines));
            return;
        }
        let has = |access: &Access| access.tag == tag && access.store == o.checked_store;
        let found = self.decide(o.checked_warp, has);
        let access = &self.accesses[found];
        let must = access.follows.iter().any(|lines| access.meets(lines));
        assert!(!must, "an access that must fault is checked");
        self.offer = Some((outputs.clone(), self.lines_of(access)));
    }

    fn check_line(&mut self, inputs: &Inputs, outputs: &Outputs) {
        if let Some(waits) = self.line_waits.take() {
            assert!(outputs.line_valid);
            assert_eq!(outputs.line_number, waits.line_number, "a line holds");
        }
        if !outputs.line_valid {
            return;
        }
        let line = self.lines.front().expect("a line of a checked access");
        let o = outputs;
        assert_eq!(
            (
                o.line_number,
                o.line_mask,
                o.line_warp,
                o.line_entry,
                o.line_store,
                o.line_last
            ),
            (
                line.number,
                line.mask,
                line.warp,
                line.entry,
                line.store,
                line.last
            ),
        );
        if inputs.line_ready {
            self.lines.pop_front();
            self.passed += 1;
        } else {
            self.line_waits = Some(outputs.clone());
        }
    }

    /// G10.
    fn check_settled(&self, outputs: &Outputs) {
        let offered = self.offer.iter().flat_map(|(_, lines)| lines);
        let old = |line: &Line| line.generation < self.generation;
        let some = self.lines.iter().chain(offered).any(old);
        assert_eq!(outputs.settled, !some, "settled exactly without old lines");
    }

    fn check_fault(&mut self, inputs: &Inputs, outputs: &Outputs) {
        if outputs.absent_valid {
            let (warp, vpn) = (outputs.absent_warp, outputs.absent_vpn);
            let of_page = |access: &Access| {
                let mut lines = access.requests.iter();
                access.warp == warp && lines.any(|(line, _)| line >> PAGE_LINE_BITS == vpn)
            };
            assert!(self.accesses.iter().any(of_page), "a page of an access");
            self.waits.insert((warp, vpn));
        }
        if inputs.wake_valid && inputs.wake_asid == inputs.asid {
            self.waits.retain(|(_, vpn)| *vpn != inputs.wake_vpn);
        }
        if !outputs.faulted_valid {
            return;
        }
        let (warp, entry) = (outputs.faulted_warp, outputs.faulted_entry);
        let has =
            |access: &Access| (access.tag[1], access.tag[2]) == (entry, outputs.faulted_index);
        let found = self.decide(warp, has);
        let access = self.accesses.remove(found).unwrap();
        let refused = access.requests.iter().any(|(line, _)| {
            let known = self.known.get(&(line >> PAGE_LINE_BITS, access.store));
            let since = known.and_then(|known| known.refused);
            since.is_some_and(|since| since >= access.since)
        });
        let follows = !access.follows.is_empty();
        assert!(refused || follows, "an access faults with a reason");
        // The one that enters in this cycle is the last of them.
        for other in self.accesses.range_mut(found..) {
            if other.warp == warp && (other.store || access.store) {
                other.follows.push(access.lines().collect());
            }
        }
        self.away.insert(warp);
        self.gone
            .push((warp, access.store, access.lines().collect()));
        self.faulted += 1;
    }

    /// G7, G11.
    fn check_resume(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let now = outputs.resume_valid.then_some(outputs.resume_warp);
        if let Some(resume) = self.resume {
            assert_eq!(now, Some(resume), "a resume holds");
        } else if let Some(warp) = now {
            assert_eq!(self.named >> warp & 1, 0, "a warp that is held, or left");
        }
        assert!(
            now.is_some() || !self.offers_next,
            "a warp is to be resumed"
        );
        self.resume = None;
        let leaves = inputs.leave_valid.then_some(inputs.leave_warp);
        let enters = inputs.instruction_valid && outputs.instruction_ready;
        let enters = enters.then_some(inputs.instruction_warp);
        let named =
            |warp| inputs.hold >> warp & 1 == 1 || leaves == Some(warp) || enters == Some(warp);
        let ends = now.is_none_or(|warp| inputs.resume_ready || named(warp));
        let could = |warp: &u8| {
            let waits = self.waits.iter().any(|(waits, _)| waits == warp);
            let busy = self.accesses.iter().any(|access| access.warp == *warp);
            !waits && !busy && !named(*warp) && now != Some(*warp)
        };
        self.offers_next = ends && self.away.iter().any(could);
        if let Some(warp) = now {
            assert!(self.away.contains(&warp), "a warp that has faulted");
            let waits = self.waits.iter().any(|(waits, _)| *waits == warp);
            assert!(!waits, "its pages were woken");
            let undecided = self.accesses.iter().any(|access| access.warp == warp);
            assert!(!undecided, "its accesses are decided");
            if inputs.resume_ready {
                self.away.remove(&warp);
                self.clears |= 1 << warp;
                self.clears |= 1 << warp;
                self.resumed += 1;
            } else if !named(warp) {
                self.resume = Some(warp);
            }
        }
        self.named = inputs.hold;
        if let Some(warp) = leaves {
            self.named |= 1 << warp;
            self.away.remove(&warp);
            self.clears |= 1 << warp;
            self.waits.retain(|(waits, _)| *waits != warp);
        }
    }

    fn answer(&mut self, inputs: &Inputs) {
        if let Some(key) = self.asked.take() {
            let frame = inputs.answer_hit.then_some(inputs.answer_pfn);
            let refused = inputs.answer_fault || inputs.answer_denied;
            let known = self.known.entry(key).or_insert(Known {
                frame: None,
                refused: None,
            });
            known.frame = frame.or(known.frame);
            if refused {
                known.refused = Some(self.cycle);
            }
        }
        if invalidates(inputs) {
            self.generation += 1;
            for known in self.known.values_mut() {
                known.frame = None;
            }
        }
    }

    fn take(&mut self, inputs: &Inputs, outputs: &Outputs) {
        if inputs.instruction_valid && outputs.instruction_ready {
            let has_lanes = inputs.instruction_mask != 0;
            assert_eq!(outputs.split_valid && inputs.split_ready, has_lanes);
            let (new, store) = (inputs.instruction_warp, inputs.instruction_store);
            // What is resumed in this cycle is still away.
            let gone = self.gone.iter();
            let gone = gone.filter(|(warp, stored, _)| *warp == new && (*stored || store));
            let follows = gone.map(|(.., lines)| lines.clone()).collect();
            self.accesses.push_back(Access {
                warp: inputs.instruction_warp,
                tag: [
                    inputs.instruction_slot,
                    inputs.instruction_entry,
                    inputs.instruction_index,
                    inputs.instruction_log_address,
                    inputs.instruction_log_data,
                ],
                store: inputs.instruction_store,
                has_lanes,
                requests: Vec::new(),
                requested: !has_lanes,
                since: self.cycle,
                follows,
            });
            self.accepted += 1;
        } else {
            let splits = outputs.split_valid && inputs.split_ready;
            assert!(!splits, "the coalescer alone accepts an instruction");
        }
        let clears = std::mem::take(&mut self.clears);
        self.gone.retain(|(of, ..)| clears >> of & 1 == 0);
        if inputs.request_valid && outputs.request_ready {
            assert!(outputs.check_valid, "a request is checked");
            let vpn = inputs.request_line >> PAGE_LINE_BITS;
            let mut accesses = self.accesses.iter_mut();
            let of = accesses.find(|access| !access.requested).unwrap();
            assert_eq!((outputs.check_vpn, outputs.check_write), (vpn, of.store));
            of.requests.push((inputs.request_line, inputs.request_mask));
            of.requested = inputs.request_last;
        }
        if outputs.check_valid && inputs.check_ready {
            self.asked = Some((outputs.check_vpn, outputs.check_write));
        }
    }

    /// What a cycle shows, in the order in which its parts act.
    fn look(&mut self, inputs: &Inputs, outputs: &Outputs) {
        self.cycle += 1;
        if inputs.reset {
            *self = Self {
                cycle: self.cycle,
                generation: self.generation,
                accepted: self.accepted,
                checked: self.checked,
                faulted: self.faulted,
                resumed: self.resumed,
                passed: self.passed,
                ..Self::default()
            };
            return;
        }
        // An idle unit has settled, and what is on offer counts from the cycle after an invalidation.
        self.check_settled(outputs);
        self.check_resume(inputs, outputs);
        self.check_offer(outputs);
        self.check_line(inputs, outputs);
        let offer = self.offer.take_if(|_| inputs.checked_ready);
        let checked = offer.map(|(offer, lines)| {
            self.checked += 1;
            self.lines.extend(lines);
            let tag = (offer.checked_warp, offer.checked_entry);
            let of = |access: &Access| (access.warp, access.tag[1]) == tag;
            self.accesses.iter().position(of).unwrap()
        });
        self.take_decided(checked);
        self.answer(inputs);
        self.take(inputs, outputs);
        self.check_fault(inputs, outputs);
    }

    fn take_decided(&mut self, checked: Option<usize>) {
        if let Some(checked) = checked {
            self.accesses.remove(checked);
        }
    }
}

/// The traffic ends so often, and begins again.
const PHASES: u64 = 40;

/// Runs the model under its traffic, which ends again and again until nothing is left.
fn run(config: &str, seed: u64, cycles: u64) -> (Monitor, MemoryUnitTraffic) {
    let parameters = MemoryUnit::parameters(config).unwrap();
    let mut traffic = MemoryUnitTraffic::new(parameters, seed);
    let mut model = MemoryUnit::new(parameters);
    let mut inputs = Inputs::default();
    let mut monitor = Monitor::default();
    let mut cycle = |traffic: &mut MemoryUnitTraffic, model: &mut MemoryUnit| {
        traffic.drive(model, &mut inputs);
        let quiet = model.is_quiet();
        let outputs = model.cycle(&inputs);
        monitor.look(&inputs, &outputs);
        if quiet {
            let silent = !outputs.checked_valid && !outputs.faulted_valid && !outputs.line_valid;
            assert!(silent && !outputs.resume_valid && outputs.settled);
        }
        traffic.observe(model, &inputs, &outputs);
    };
    for _ in 0..PHASES {
        traffic.drain(false);
        for _ in 0..cycles / PHASES {
            cycle(&mut traffic, &mut model);
        }
        traffic.drain(true);
        for _ in 0..20_000 {
            cycle(&mut traffic, &mut model);
            if model.is_quiet() && traffic.is_drained() && model.away() == 0 {
                break;
            }
        }
        let pages = model.pages().count();
        let left = (model.accesses().count(), pages, model.away());
        assert_eq!(left, (0, 0, 0), "nothing is stuck: {model:?}");
        assert!(model.is_quiet(), "{model:?}");
    }
    (monitor, traffic)
}

fn is_kept(config: &str, seeds: std::ops::Range<u64>, cycles: u64) {
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in seeds {
        let (monitor, traffic) = run(config, seed, cycles);
        assert!(monitor.accesses.is_empty() && monitor.lines.is_empty());
        assert!(monitor.away.is_empty() && monitor.waits.is_empty());
        println!(
            "{config}, seed {seed}: {} accepted, {} checked, {} faulted, {} resumed, {} lines",
            monitor.accepted, monitor.checked, monitor.faulted, monitor.resumed, monitor.passed
        );
        for (scenario, times) in traffic.coverage() {
            *seen.entry(scenario).or_default() += times;
        }
    }
    println!("{seen:?}");
    let never: Vec<_> = seen.iter().filter(|(_, times)| **times == 0).collect();
    assert!(never.is_empty() || config == "proof", "never: {never:?}");
}

#[test]
fn guarantees_hold_under_the_traffic() {
    is_kept("16", 0..6, 100_000);
}

#[test]
fn guarantees_hold_under_the_traffic_in_a_small_unit() {
    assert_eq!(MemoryUnit::parameters("proof").unwrap().accesses, 2);
    assert_eq!(MemoryUnit::parameters("16"), Some(Parameters::PAPER));
    is_kept("proof", 0..6, 100_000);
}

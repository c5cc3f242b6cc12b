//! Guarantees of the SM unit under its random traffic: a monitor of the model's ports, which the lockstep compares with the
//! kernel's and the Verilog's.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::HashMap;

use faultline_sim::ports::Model;
use faultline_sim::sm::sm_pipeline::{Class, WIDTH};
use faultline_sim::sm::sm_unit::{Inputs, Outputs};
use faultline_testbench::blocks::{Block, SmUnit};
use faultline_testbench::traffic::Traffic;

const CYCLES: u64 = 400_000;
const WARPS: usize = 4;

/// A global-memory instruction that was issued, and has not passed.
#[derive(Clone, Debug)]
struct Pending {
    pc: u32,
    store: bool,
    /// It was squashed, and was not issued again.
    waits: bool,
    /// The replay of its warp in which it was issued again last.
    round: u64,
    /// Its lines, once it was taken.
    lines: Vec<u64>,
}

/// What the ports have shown since the reset.
#[derive(Default)]
struct Monitor {
    /// In program order.
    pending: [Vec<Pending>; WARPS],
    /// Instructions in the memory unit and in the other one, by warp and scoreboard entry.
    taken: HashMap<(u8, u8), u32>,
    now: u64,
    /// Replays of each warp, from 1 on.
    round: [u64; WARPS],
    /// When a warp has faulted or was stopped last.
    stopped_at: [u64; WARPS],
    /// The access that was taken in the cycle before, with its warp, program counter and lanes.
    held: Option<(u8, u32, u32)>,
    /// The one of which lines leave.
    leaving: Option<(u8, u8)>,
    passed: u64,
    again: u64,
    faults: u64,
    conflicts: u64,
    came_back: u64,
}

impl Monitor {
    fn of(&mut self, warp: u8, pc: u32) -> &mut Pending {
        let pending = self.pending[usize::from(warp)].iter_mut();
        pending
            .rev()
            .find(|one| one.pc == pc)
            .unwrap_or_else(|| panic!("{pc:x} is not pending"))
    }

    /// It passes, and must not come back.
    fn passes(&mut self, warp: u8, entry: u8) {
        let pc = self
            .taken
            .remove(&(warp, entry))
            .expect("an access that passes was taken");
        let pending = &mut self.pending[usize::from(warp)];
        let place = pending.iter().position(|one| one.pc == pc && !one.waits);
        pending.remove(place.expect("an access that passes is pending"));
        self.passed += 1;
    }

    fn issued(&mut self, port: usize, outputs: &Outputs) {
        let class = Class::of(outputs.read_class[port]);
        let (warp, pc) = (outputs.read_warp[port] as u8, outputs.read_pc[port] as u32);
        // What was issued before a fault or a stop is still read.
        let is_late = self.now > self.stopped_at[usize::from(warp)] + 1;
        let round = &mut self.round[usize::from(warp)];
        let pending = &mut self.pending[usize::from(warp)];
        if outputs.read_replayed[port] == 1 {
            // G1: in program order. The instructions of a replay are all issued, though one of them faults once more.
            let place = pending.iter().position(|one| one.waits && one.pc == pc);
            let place = place.expect("what is issued again has waited");
            *round += u64::from(pending[place].round == *round);
            let mut before = pending[..place].iter().filter(|one| one.waits);
            assert!(
                before.all(|one| one.round == *round),
                "another instruction comes back first"
            );
            (pending[place].waits, pending[place].round) = (false, *round);
            self.again += 1;
            return;
        }
        let comes_back = pending.iter().any(|one| one.waits);
        assert!(
            !(is_late && comes_back),
            "a newer instruction goes before one that comes back"
        );
        *round += u64::from(!comes_back);
        if class.is_global() {
            let store = class == Class::Store;
            pending.push(Pending {
                pc,
                store,
                waits: false,
                round: 0,
                lines: Vec::new(),
            });
        }
    }

    fn line(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let (warp, entry) = (outputs.line_warp, outputs.line_entry);
        // G2: one after the other.
        assert!(self.leaving.is_none_or(|leaving| leaving == (warp, entry)));
        let pc = self.taken[&(warp, entry)];
        let pending = &self.pending[usize::from(warp)];
        let place = pending.iter().position(|one| one.pc == pc && !one.waits);
        let place = place.expect("a line is of an access that is pending");
        let own = &pending[place];
        for older in &pending[..place] {
            let common = older.lines.iter().any(|line| own.lines.contains(line));
            assert!(
                !(common && (older.store || own.store)),
                "G3: the older access has not passed"
            );
        }
        let younger = &pending[place + 1..];
        let conflicts = |one: &&Pending| {
            one.lines.iter().any(|line| own.lines.contains(line)) && (one.store || own.store)
        };
        self.conflicts += younger.iter().filter(conflicts).count() as u64;
        if inputs.line_ready {
            self.leaving = (!outputs.line_last).then_some((warp, entry));
            if outputs.line_last {
                self.passes(warp, entry);
            }
        }
    }

    fn see(&mut self, inputs: &Inputs, outputs: &Outputs) {
        self.now += 1;
        if inputs.stop_valid {
            self.stopped_at[usize::from(inputs.stop_warp)] = self.now;
        }
        if inputs.reset {
            let Self {
                passed,
                again,
                faults,
                conflicts,
                came_back,
                ..
            } = *self;
            *self = Self {
                passed,
                again,
                faults,
                conflicts,
                came_back,
                ..Self::default()
            };
            return;
        }
        if outputs.line_valid {
            self.line(inputs, outputs);
        }
        let raised = inputs.raised_valid && outputs.raised_ready;
        if inputs.certain_valid && outputs.certain_ready {
            self.passes(inputs.certain_warp, inputs.certain_entry);
        }
        if outputs.faulted_valid {
            let (warp, entry) = (outputs.faulted_warp, outputs.faulted_entry);
            let pc = self
                .taken
                .remove(&(warp, entry))
                .expect("an access faults once, and was taken");
            if raised {
                assert_eq!((warp, entry), (inputs.raised_warp, inputs.raised_entry));
            }
            let pending = self.of(warp, pc);
            assert!(!pending.waits);
            pending.waits = true;
            self.stopped_at[usize::from(warp)] = self.now;
            self.faults += 1;
        }
        if outputs.saved_valid && inputs.saved_ready {
            let pending = &mut self.pending[usize::from(outputs.saved_warp)];
            let place = pending
                .iter()
                .position(|one| one.waits)
                .expect("what is saved waits");
            assert_eq!(pending.remove(place).pc, outputs.saved_pc);
        }
        if inputs.restore_valid && outputs.restore_ready {
            let pending = &mut self.pending[usize::from(inputs.restore_warp)];
            let (pc, store) = (inputs.restore_pc, inputs.restore_store);
            pending.push(Pending {
                pc,
                store,
                waits: true,
                round: 0,
                lines: Vec::new(),
            });
            self.came_back += 1;
        }
        if outputs.memory_front
            && outputs.memory_squashed
            && Class::of(outputs.memory_class.into()).is_global()
        {
            self.of(outputs.memory_warp, outputs.memory_pc).waits = true;
        }
        if let Some((warp, pc, mask)) = self.held.take() {
            let lanes = (0..32).filter(|lane| mask >> lane & 1 == 1);
            let lines = lanes.map(|lane| inputs.access_line[lane]).collect();
            let pending = self.pending[usize::from(warp)].iter_mut();
            if let Some(held) = pending.rev().find(|one| one.pc == pc) {
                held.lines = lines;
            }
        }
        let global = Class::of(outputs.memory_class.into()).is_global();
        if outputs.memory_valid && outputs.memory_ready && global {
            let (warp, entry) = (outputs.memory_warp, outputs.memory_entry);
            let before = self.taken.insert((warp, entry), outputs.memory_pc);
            assert_eq!(before, None, "two accesses of one name");
            if !inputs.front_other {
                self.held = Some((warp, outputs.memory_pc, outputs.memory_mask));
            }
        }
        // Of two instructions of a warp the first one is on the port of the warp.
        let first = outputs.read_warp[1] as usize % WIDTH;
        for port in [first, 1 - first] {
            if outputs.read_valid[port] == 1 {
                self.issued(port, outputs);
            }
        }
    }
}

/// G1 to G3.
#[test]
fn guarantees_hold_under_the_traffic() {
    for (config, squashes) in [("log_4", true), ("queue_4", true), ("stall_4", false)] {
        let parameters = SmUnit::parameters(config).unwrap();
        let mut traffic = SmUnit::traffic(parameters, 7);
        let mut model = SmUnit::new(parameters);
        let mut inputs = Inputs::default();
        let mut monitor = Monitor::default();
        for _ in 0..CYCLES {
            traffic.drive(&model, &mut inputs);
            let outputs = model.cycle(&inputs);
            monitor.see(&inputs, &outputs);
            traffic.observe(&model, &inputs, &outputs);
        }
        let Monitor {
            passed,
            again,
            faults,
            conflicts,
            came_back,
            ..
        } = monitor;
        println!(
            "{config}: {passed} passed, {faults} faults, {again} again, {conflicts} conflicts, {came_back} came back"
        );
        assert!(passed > 5_000 && conflicts > 100, "{config}");
        assert_eq!(
            faults > 1_000 && again > 1_000 && came_back > 100,
            squashes,
            "{config}"
        );
    }
}

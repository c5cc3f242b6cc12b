//! Traffic for the SM pipeline: random instructions, execution units of every speed, a memory unit that checks, faults
//! and finishes, and an agent that stops warps and lets them go on.

use std::collections::VecDeque;

use faultline_sim::sm::scoreboard::ZERO_REGISTER;
use faultline_sim::sm::sm_pipeline::{
    CONTROL_UNIT, Class, Inputs, MEMORY_UNIT, Outputs, Parameters, SPECIAL_UNIT, SmPipeline, UNITS,
    WIDTH,
};
use faultline_sim::sm::{operand_log, replay_queue};

use super::{Block, PROVED, is_proved};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod scenarios;
mod switch;

use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;
use switch::Switch;

/// An instruction that a unit executes.
#[derive(Clone, Copy, Debug)]
struct Executing {
    warp: u8,
    entry: u8,
}

/// A global-memory instruction, or one to shared memory, in the memory unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub warp: u8,
    pub entry: u8,
    pub index: u8,
    pub slot: u8,
    pub class: Class,
    pub log_address: u8,
    pub log_data: u8,
    pub replayed: bool,
}

/// Seeded traffic.
pub struct SmPipelineTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// Cycles until the warps begin, after a reset and a launch.
    beginning: u64,
    /// Parts of the log, and the slots of the thread blocks.
    parts: u64,
    slots: Vec<u8>,
    executing: [VecDeque<Executing>; UNITS],
    /// Accesses that await their last TLB check, and those that await their end.
    unchecked: Vec<Access>,
    checked: Vec<Access>,
    /// What the check, the fault and the end of this cycle are about.
    now_checked: Option<usize>,
    now_faulted: Option<usize>,
    now_finished: Option<usize>,
    /// The warp that is to go on, until it does.
    resuming: Option<u8>,
    switch: Switch,
    scenarios: Scenarios,
}

impl SmPipelineTraffic {
    fn reset(&mut self, inputs: &mut Inputs) {
        *inputs = Inputs {
            reset: true,
            ..Inputs::default()
        };
        self.executing = Default::default();
        self.unchecked.clear();
        self.checked.clear();
        self.resuming = None;
        self.switch = Switch::default();
        self.beginning = 2 + self.parameters.warps as u64;
        self.launch();
    }

    /// One to four thread blocks, as far as there are parts of the log for them, in any of the slots that have one, of four
    /// entries or more, or of two: with those, the paper's smallest log serves every slot.
    fn launch(&mut self) {
        let entries = self.parameters.log.entries as u64;
        let least = if self.rng.chance(85) { 2 } else { 4 };
        self.parts = 1 + self.rng.below((entries / least).clamp(2, 16));
        let first = self.rng.below(self.parts);
        let blocks = self.parts.min(1 + self.rng.below(4));
        let slots = (0..blocks).map(|block| ((first + block) % self.parts) as u8);
        self.slots = slots.collect();
    }

    /// The warps begin one after the other, after the log was partitioned.
    fn begin(&mut self, inputs: &mut Inputs) {
        self.beginning -= 1;
        let warps = self.parameters.warps as u64;
        if self.beginning >= warps {
            inputs.launch_valid = self.beginning == warps;
            inputs.launch_entries = (self.parameters.log.entries as u64 / self.parts) as u8;
        } else {
            inputs.start_valid = true;
            inputs.start_warp = self.beginning as u8;
            inputs.start_slot = self.slot(inputs.start_warp);
        }
    }

    /// The slot of a warp.
    fn slot(&self, warp: u8) -> u8 {
        self.slots[usize::from(warp) * self.slots.len() / self.parameters.warps]
    }

    fn register(&mut self) -> u8 {
        if self.rng.chance(24) {
            ZERO_REGISTER
        } else {
            self.rng.below(self.mode.registers) as u8
        }
    }

    fn fetch(&mut self, inputs: &mut Inputs) {
        for port in 0..WIDTH {
            inputs.fetched_valid[port] = self.rng.chance(self.mode.fetched).into();
            let class = if self.rng.chance(self.mode.memory) {
                match self.rng.chance(self.mode.global) {
                    false => Class::Shared,
                    true if self.rng.chance(self.mode.store) => Class::Store,
                    true => Class::Load,
                }
            } else if self.rng.chance(self.mode.control) {
                Class::Control
            } else if self.rng.chance(self.mode.special) {
                Class::Special
            } else {
                Class::Math
            };
            inputs.fetched_class[port] = class as u64;
            let stores = class == Class::Store && self.rng.chance(200);
            inputs.fetched_destination[port] = if stores {
                ZERO_REGISTER.into()
            } else {
                self.register().into()
            };
            inputs.fetched_source_a[port] = self.register().into();
            inputs.fetched_source_b[port] = self.register().into();
            inputs.fetched_source_c[port] = self.register().into();
            let bits = self.rng.bits();
            inputs.fetched_pc[port] = bits >> 32;
            inputs.fetched_mask[port] = bits & 0xFFFF_FFFF;
            inputs.fetched_opcode[port] = u64::from(self.rng.byte() & 127);
        }
    }

    fn units(&mut self, inputs: &mut Inputs) {
        for unit in 0..MEMORY_UNIT {
            let goes = !self.executing[unit].is_empty() && self.rng.chance(self.mode.finish);
            inputs.finished_valid[unit] = goes.into();
            if let Some(executing) = self.executing[unit].front().filter(|_| goes) {
                inputs.finished_warp[unit] = executing.warp.into();
                inputs.finished_entry[unit] = executing.entry.into();
            }
        }
        inputs.special_ready = self.rng.chance(200);
        inputs.memory_ready = self.rng.chance(self.mode.take);
        let words = self.rng.bits();
        for (lane, word) in inputs.operand.iter_mut().enumerate() {
            *word = words.rotate_left(lane as u32);
        }
    }

    fn memory_unit(&mut self, inputs: &mut Inputs) {
        let any = |rng: &mut Rng, length: usize| rng.below(length as u64) as usize;
        // A check that was not taken stays.
        if self.now_checked.is_none()
            && !self.unchecked.is_empty()
            && self.rng.chance(self.mode.check)
        {
            let place = any(&mut self.rng, self.unchecked.len().min(4));
            let faults = self.parameters.scheme.squashes() && self.rng.chance(self.mode.fault);
            if faults {
                self.now_faulted = Some(place);
            } else {
                self.now_checked = Some(place);
            }
        }
        inputs.checked_valid = self.now_checked.is_some();
        if let Some(access) = self.now_checked.map(|place| self.unchecked[place]) {
            inputs.checked_warp = access.warp;
            inputs.checked_entry = access.entry;
            inputs.checked_index = access.index;
            inputs.checked_slot = access.slot;
            inputs.checked_store = access.class == Class::Store;
            inputs.checked_log_address = access.log_address;
            inputs.checked_log_data = access.log_data;
        }
        inputs.faulted_valid = self.now_faulted.is_some();
        if let Some(access) = self.now_faulted.map(|place| self.unchecked[place]) {
            inputs.faulted_warp = access.warp;
            inputs.faulted_entry = access.entry;
            inputs.faulted_index = access.index;
        }
        inputs.finished_valid[MEMORY_UNIT] = 0;
        if !self.checked.is_empty() && self.rng.chance(self.mode.finish) {
            let place = any(&mut self.rng, self.checked.len());
            let access = self.checked[place];
            self.now_finished = Some(place);
            inputs.finished_valid[MEMORY_UNIT] = 1;
            inputs.finished_warp[MEMORY_UNIT] = access.warp.into();
            inputs.finished_entry[MEMORY_UNIT] = access.entry.into();
        }
    }

    fn control(&mut self, model: &SmPipeline, inputs: &mut Inputs) {
        let warp = self.rng.below(self.parameters.warps as u64) as u8;
        inputs.stop_valid = model.runs(warp) && self.rng.chance(self.mode.stop);
        inputs.stop_warp = warp;
        if self.resuming.is_none() && self.rng.chance(self.mode.resume) {
            let warp = self.rng.below(self.parameters.warps as u64) as u8;
            let free = !model.runs(warp) && !self.switch.needs(warp, self.slot(warp));
            self.resuming = free.then_some(warp);
        }
        inputs.resume_valid = self.resuming.is_some();
        inputs.resume_warp = self.resuming.unwrap_or(warp);
    }
}

/// What another memory unit needs, which decides instead of this one.
impl SmPipelineTraffic {
    /// Global-memory instructions that were taken since this was asked last.
    pub(super) fn taken(&mut self) -> Vec<Access> {
        std::mem::take(&mut self.unchecked)
    }

    /// An instruction is to finish at some time.
    pub(super) fn perform(&mut self, access: Access) {
        self.checked.push(access);
    }

    /// A warp is to go on, as far as this one has chosen it.
    pub(super) const fn resuming(&mut self) -> &mut Option<u8> {
        &mut self.resuming
    }

    /// Thread blocks that leave and come back.
    pub(super) const fn switch(&mut self) -> &mut Switch {
        &mut self.switch
    }

    /// The warps of a slot, a bit each.
    pub(super) fn warps_of(&self, slot: u8) -> u64 {
        let warps = 0..self.parameters.warps as u8;
        let of_slot = warps.filter(|&warp| self.slot(warp) == slot);
        of_slot.map(|warp| 1 << warp).sum()
    }
}

impl Block for SmPipeline {
    type Traffic = SmPipelineTraffic;

    const NAME: &'static str = "sm_pipeline";

    fn parameters(config: &str) -> Option<Parameters> {
        use faultline_sim::sm::sm_pipeline::{Policy, Scheme};
        if is_proved(config) {
            let narrow = replay_queue::Parameters::with_entries(4);
            return Some(Parameters {
                scheme: match config.strip_prefix(PROVED)? {
                    "" => Scheme::OperandLog,
                    "_queue" => Scheme::ReplayQueue,
                    "_check" => Scheme::WarpDisableLastCheck,
                    "_commit" => Scheme::WarpDisableCommit,
                    "_stall" => Scheme::StallOnFault,
                    _ => return None,
                },
                policy: Policy::LooseRoundRobin,
                warps: 4,
                entries: 4,
                queue: replay_queue::Parameters {
                    age_bits: 3,
                    ..narrow
                },
                log: operand_log::Parameters::with_entries(4),
            });
        }
        let mut words = config.split('_');
        let scheme = match words.next()? {
            "stall" => Scheme::StallOnFault,
            "commit" => Scheme::WarpDisableCommit,
            "check" => Scheme::WarpDisableLastCheck,
            "queue" => Scheme::ReplayQueue,
            "log" => Scheme::OperandLog,
            _ => return None,
        };
        let warps: usize = words.next()?.parse().ok()?;
        let (queue, mut log) = if warps == 64 { (64, 64) } else { (16, 32) };
        let rest = words.next();
        if let Some(kilobytes) = rest.and_then(|rest| rest.strip_suffix('k')) {
            log = kilobytes.parse::<usize>().ok()? * 4;
        }
        Some(Parameters {
            scheme,
            policy: match rest {
                Some("greedy") => Policy::GreedyThenOldest,
                _ => Policy::LooseRoundRobin,
            },
            warps,
            entries: 8,
            queue: replay_queue::Parameters::with_entries(queue),
            log: operand_log::Parameters::with_entries(log),
        })
    }
}

impl Traffic for SmPipelineTraffic {
    type Model = SmPipeline;

    fn new(parameters: Parameters, seed: u64) -> Self {
        Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 300),
            beginning: 0,
            parts: 1,
            slots: vec![0],
            executing: Default::default(),
            unchecked: Vec::new(),
            checked: Vec::new(),
            now_checked: None,
            now_faulted: None,
            now_finished: None,
            resuming: None,
            switch: Switch::default(),
            scenarios: Scenarios::default(),
        }
    }

    fn drive(&mut self, model: &SmPipeline, inputs: &mut Inputs) {
        self.mode.advance(&mut self.rng, 100..700);
        (self.now_faulted, self.now_finished) = (None, None);
        if self.mode.resets(&mut self.rng, 8192) {
            self.now_checked = None;
            self.reset(inputs);
            return;
        }
        inputs.reset = false;
        (inputs.start_valid, inputs.launch_valid) = (false, false);
        if self.beginning > 0 {
            self.begin(inputs);
        }
        self.fetch(inputs);
        self.units(inputs);
        self.memory_unit(inputs);
        if self.beginning == 0 {
            self.control(model, inputs);
            self.save_and_restore(model, inputs);
        }
    }

    fn observe(&mut self, model: &SmPipeline, inputs: &Inputs, outputs: &Outputs) {
        self.count(model, inputs, outputs);
        if inputs.reset {
            return;
        }
        for unit in 0..MEMORY_UNIT {
            if inputs.finished_valid[unit] == 1 {
                self.executing[unit].pop_front();
            }
        }
        if let Some(place) = self.now_finished {
            self.checked.swap_remove(place);
        }
        if let Some(place) = self.now_faulted {
            self.unchecked.remove(place);
        } else if let Some(place) = self.now_checked.filter(|_| outputs.checked_ready) {
            let access = self.unchecked.remove(place);
            self.checked.push(access);
            self.now_checked = None;
        }
        for port in 0..WIDTH {
            let class = Class::of(outputs.read_class[port]);
            if outputs.read_valid[port] == 0 || class.is_memory() {
                continue;
            }
            let unit = match class {
                Class::Special => SPECIAL_UNIT,
                Class::Control => CONTROL_UNIT,
                _ => port,
            };
            self.executing[unit].push_back(Executing {
                warp: outputs.read_warp[port] as u8,
                entry: outputs.read_entry[port] as u8,
            });
        }
        if outputs.memory_valid && inputs.memory_ready {
            let class = Class::of(outputs.memory_class.into());
            let access = Access {
                warp: outputs.memory_warp,
                entry: outputs.memory_entry,
                index: outputs.memory_index,
                slot: outputs.memory_slot,
                class,
                log_address: outputs.memory_log_address,
                log_data: outputs.memory_log_data,
                replayed: outputs.memory_replayed,
            };
            if class.is_global() {
                self.unchecked.push(access);
            } else {
                self.checked.push(access);
            }
        }
        if inputs.resume_valid && outputs.resume_ready {
            self.resuming = None;
        }
        self.saved_and_restored(inputs, outputs);
    }

    fn coverage(&self) -> Coverage {
        let scheme = self.parameters.scheme;
        let mut coverage = self.scenarios.list();
        coverage.retain(|(scenario, _)| Scenarios::occurs(scheme, scenario));
        coverage
    }
}

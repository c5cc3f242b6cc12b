//! Traffic for the SM unit: the programs, units, stops and saves of the pipeline's traffic, another unit beside the memory
//! unit, pages of every kind with a GMMU that brings them, and a cache that takes lines.

use faultline_sim::sm::sm_pipeline::{self, Class};
use faultline_sim::sm::sm_unit::{Inputs, Outputs, Parameters, SmUnit};

use super::sm_pipeline::{Access, SmPipelineTraffic};
use super::{Block, SmPipeline};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod pages;
mod scenarios;

use modes::{MODES, Mode, STEADY};
use pages::Pages;
use scenarios::Scenarios;

/// Sets the fields of one struct of ports to those of the same name of another one.
macro_rules! carry {
    ($from:expr => $to:expr; $($field:ident)*) => {
        $($to.$field = $from.$field;)*
    };
}

/// Seeded traffic.
pub struct SmUnitTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// What surrounds the pipeline, and what it has given last.
    around: SmPipelineTraffic,
    inner: sm_pipeline::Inputs,
    pages: Pages,
    /// Lines of the access that was taken last.
    lines: [u64; 32],
    /// Accesses in the memory unit.
    accesses: Vec<Access>,
    /// Instructions in another unit, and whether the one in front raises an exception, once it is on offer.
    others: Vec<Access>,
    verdict: Option<bool>,
    /// Warps that were stopped from outside, that are to be, that may not access a page, and that leave, a bit each.
    stopped: u64,
    stopping: u64,
    denied: u64,
    leaving: u64,
    /// Warps that may not go on, a bit each, as they were in the cycle before.
    held: u64,
    before: Before,
    scenarios: Scenarios,
}

/// What the memory unit shows inside, as it was before the cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    away: u64,
    resuming: Option<u8>,
    check_waits: bool,
    is_used: bool,
    replaying: u64,
}

impl SmUnitTraffic {
    fn reset(&mut self, inputs: &mut Inputs) {
        self.accesses.clear();
        self.others.clear();
        self.verdict = None;
        (self.stopped, self.stopping, self.held) = (0, 0, 0);
        (self.denied, self.leaving) = (0, 0);
        *inputs = Inputs {
            reset: true,
            asid: inputs.asid ^ u8::from(self.rng.chance(128)),
            ..Inputs::default()
        };
    }

    /// Warps that may not go on, and what the surroundings of the pipeline may not do because of them. A warp is held for a cycle
    /// before it is stopped, so that no resume of the memory unit comes with the stop or after it.
    fn hold(&mut self, model: &SmUnit, inputs: &mut Inputs) {
        let away = model.memory().away();
        if self.inner.stop_valid {
            self.stopping |= 1 << self.inner.stop_warp;
        }
        let saving = self.around.switch().saving();
        let saved = saving.map_or(0, |slot| self.around.warps_of(slot));
        let restoring = *self.around.switch().restoring();
        let restored = restoring.map_or(0, |warp| 1 << warp);
        let switched = saved | restored;
        // A warp that waits for pages goes on by itself once nothing holds it, and one that runs needs no resume.
        if let Some(warp) = *self.around.resuming()
            && (away >> warp & 1 == 1 || model.pipeline().runs(warp))
        {
            *self.around.resuming() = None;
            self.inner.resume_valid = false;
            self.stopped &= !(away & 1 << warp) | switched;
        }
        self.stopping |= switched & !self.stopped;
        let ready = self.stopping & self.held;
        self.inner.stop_valid = ready != 0;
        if ready != 0 {
            self.inner.stop_warp = ready.trailing_zeros() as u8;
            self.stopping &= !(1 << self.inner.stop_warp);
        }
        self.inner.save_valid &= saved & (!self.stopped | restored) == 0;
        let pipeline = model.pipeline();
        let is_free = |warp| pipeline.is_drained(warp) && !pipeline.is_replaying(warp);
        self.inner.restore_valid &= restored & !self.stopped == 0 && restoring.is_some_and(is_free);
        if self.inner.stop_valid {
            self.stopped |= 1 << self.inner.stop_warp;
        }
        self.held = self.stopped | self.stopping | self.denied | self.leaving;
        inputs.hold = self.held;
        let first = self.leaving.trailing_zeros() as u8;
        inputs.leave_valid = self.leaving != 0;
        inputs.leave_warp = if self.leaving == 0 { 0 } else { first };
        self.leaving &= self.leaving.wrapping_sub(1);
    }

    /// Some instructions have few lanes, or none.
    fn masks(&mut self) {
        for mask in &mut self.inner.fetched_mask {
            *mask = match self.rng.byte() {
                0..10 => 0,
                10..60 => *mask & 0xF,
                60..90 => u64::from(u32::MAX),
                _ => *mask,
            };
        }
    }

    /// The front's way, and the lines of what was taken.
    fn front(&mut self, model: &SmUnit, inputs: &mut Inputs) {
        inputs.access_line = self.lines;
        let Some(front) = model.pipeline().front() else {
            return;
        };
        let other = front.pc.rotate_left(9) & 0xFF;
        inputs.front_other = front.class == Class::Shared || other < u32::from(self.mode.other);
    }

    /// The unit that takes instructions which may raise other exceptions.
    fn other_unit(&mut self, inputs: &mut Inputs) {
        inputs.other_ready = self.rng.chance(self.mode.certain);
        if let Some(access) = self.others.first()
            && self.verdict.is_none()
            && self.rng.chance(self.mode.certain)
        {
            let raises = self.parameters.scheme.squashes() && !access.replayed;
            self.verdict = Some(raises && self.rng.chance(self.mode.raise));
        }
        inputs.certain_valid = self.verdict == Some(false);
        inputs.raised_valid = self.verdict == Some(true);
        if let Some(access) = self.others.first() {
            inputs.certain_warp = access.warp;
            inputs.certain_entry = access.entry;
            inputs.certain_index = access.index;
            inputs.certain_slot = access.slot;
            inputs.certain_store = access.class == Class::Store;
            inputs.certain_log_address = access.log_address;
            inputs.certain_log_data = access.log_data;
            inputs.raised_warp = access.warp;
            inputs.raised_entry = access.entry;
            inputs.raised_index = access.index;
        }
    }

    /// What has become of accesses.
    fn decided(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let taken = self.around.taken();
        let others = if inputs.front_other {
            &mut self.others
        } else {
            &mut self.accesses
        };
        others.extend(taken);
        let raised = inputs.raised_valid && outputs.raised_ready;
        if raised {
            self.stopped |= 1 << inputs.raised_warp;
            self.others.remove(0);
            self.verdict = None;
        } else if inputs.certain_valid && outputs.certain_ready {
            let access = self.others.remove(0);
            self.around.perform(access);
            self.verdict = None;
        }
        let place = |accesses: &[Access], warp, entry| {
            accesses
                .iter()
                .position(|access| access.warp == warp && access.entry == entry)
        };
        if outputs.faulted_valid && !raised {
            let (warp, entry) = (outputs.faulted_warp, outputs.faulted_entry);
            if let Some(place) = place(&self.accesses, warp, entry) {
                self.accesses.remove(place);
            }
            if outputs.faulted_denied {
                self.denied |= 1 << warp;
            }
        }
        if outputs.line_valid && inputs.line_ready && outputs.line_last {
            let (warp, entry) = (outputs.line_warp, outputs.line_entry);
            if let Some(place) = place(&self.accesses, warp, entry) {
                let access = self.accesses.remove(place);
                self.around.perform(access);
            }
        }
        if inputs.resume_valid && outputs.resume_ready {
            self.stopped &= !(1 << inputs.resume_warp);
        }
        if inputs.save_valid && outputs.save_ready {
            self.leaving |= self.around.warps_of(inputs.save_slot);
        }
    }
}

impl Block for SmUnit {
    type Traffic = SmUnitTraffic;

    const NAME: &'static str = "sm_unit";

    fn parameters(config: &str) -> Option<Parameters> {
        <SmPipeline as Block>::parameters(config)
    }
}

impl Traffic for SmUnitTraffic {
    type Model = SmUnit;

    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut traffic = Self {
            parameters,
            rng: Rng::new(!seed),
            mode: Modes::new(&MODES, &STEADY, 300),
            around: SmPipelineTraffic::new(parameters, seed),
            inner: sm_pipeline::Inputs::default(),
            pages: Pages::default(),
            lines: [0; 32],
            accesses: Vec::new(),
            others: Vec::new(),
            verdict: None,
            stopped: 0,
            stopping: 0,
            denied: 0,
            leaving: 0,
            held: 0,
            before: Before::default(),
            scenarios: Scenarios::default(),
        };
        traffic.pages.change(&mut traffic.rng, &STEADY);
        traffic
    }

    fn drive(&mut self, model: &SmUnit, inputs: &mut Inputs) {
        let (memory, pipeline) = (model.memory(), model.pipeline());
        let warps = 0..self.parameters.warps as u8;
        self.before = Before {
            away: memory.away(),
            resuming: memory.resuming(),
            check_waits: memory.offers_checked() && inputs.certain_valid,
            is_used: memory.accesses().next().is_some(),
            replaying: warps
                .filter(|&warp| pipeline.is_replaying(warp))
                .map(|warp| 1 << warp)
                .sum(),
        };
        if self.mode.advance(&mut self.rng, 200..900) {
            self.pages.change(&mut self.rng, &self.mode);
        }
        self.around.drive(model.pipeline(), &mut self.inner);
        if self.inner.reset {
            self.reset(inputs);
            return;
        }
        inputs.far_limit = match self.rng.below(256) {
            0 => self.rng.below(9) as u8,
            _ => inputs.far_limit,
        };
        self.masks();
        self.hold(model, inputs);
        self.front(model, inputs);
        self.other_unit(inputs);
        self.pages
            .answer(&mut self.rng, model.tlb(), &self.mode, inputs);
        if self.pages.invalidate(&mut self.rng, &self.mode, inputs) {
            self.denied = 0;
        }
        inputs.line_ready = self.rng.chance(self.mode.line);
        carry! { self.inner => inputs; reset start_valid start_warp start_slot stop_valid stop_warp resume_valid
        resume_warp fetched_valid fetched_class fetched_destination fetched_source_a fetched_source_b fetched_source_c
        fetched_pc fetched_mask fetched_opcode special_ready operand finished_valid finished_warp finished_entry
        launch_valid launch_entries save_valid save_slot saved_ready restore_valid restore_warp restore_slot restore_store
        restore_destination restore_source_a restore_source_b restore_pc restore_mask restore_opcode };
    }

    fn observe(&mut self, model: &SmUnit, inputs: &Inputs, outputs: &Outputs) {
        self.inner.memory_ready = outputs.memory_ready;
        let mut shown = sm_pipeline::Outputs::default();
        carry! { outputs => shown; resume_ready read_valid read_warp read_entry read_class memory_valid memory_warp
        memory_slot memory_entry memory_class memory_replayed memory_index memory_log_address memory_log_data memory_front
        save_ready save_done saved_valid saved_warp saved_store saved_destination saved_source_a saved_source_b saved_pc
        saved_mask saved_opcode restore_ready };
        self.around.observe(model.pipeline(), &self.inner, &shown);
        if outputs.memory_valid && outputs.memory_ready && !inputs.front_other {
            self.lines = self.pages.lines(outputs.memory_pc, &self.mode);
        }
        if !inputs.reset {
            self.decided(inputs, outputs);
        }
        self.count(inputs, outputs);
    }

    fn coverage(&self) -> Coverage {
        let scheme = self.parameters.scheme;
        let mut coverage = self.scenarios.list();
        coverage.retain(|(scenario, _)| Scenarios::occurs(scheme, scenario));
        coverage
    }
}

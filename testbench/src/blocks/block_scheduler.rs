//! Traffic for the block scheduler: pages that are absent and come, blocks that meet them and end, an engine that saves
//! and restores, and a GPU that has blocks.

use faultline_sim::sm::block_scheduler::{BlockScheduler, Fill, Inputs, Outputs, Parameters, Slot};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod scenarios;

use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;

/// Seeded traffic.
pub struct BlockSchedulerTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// Page numbers with their spaces, which differ by a bit or two.
    pages: Vec<(u64, u64)>,
    scenarios: Scenarios,
}

impl BlockSchedulerTraffic {
    fn choose_pages(&mut self) {
        let (vpn_bits, asid_bits) = (self.parameters.vpn_bits, self.parameters.asid_bits);
        let vpn = self.rng.bits() >> (64 - vpn_bits);
        let asid = self.rng.bits() >> (64 - asid_bits);
        let count = self.parameters.pages + 1 + self.rng.below(4) as usize;
        self.pages = (0..count)
            .map(|_| match self.rng.chance(200) {
                true => (vpn ^ (1 << self.rng.below(vpn_bits as u64)), asid),
                false => (vpn, asid ^ (1 << self.rng.below(asid_bits as u64))),
            })
            .collect();
    }

    /// How the SM is set up, which in earnest changes only while it is empty.
    fn set_up(&mut self, inputs: &mut Inputs) {
        let slots = self.parameters.slots() as u64;
        inputs.slots = match self.rng.chance(150) {
            true => slots,
            false => self.rng.below(slots + 1),
        };
        let contexts = self.parameters.contexts as u64;
        inputs.extra = match self.rng.chance(150) {
            true => contexts - 1,
            false => self.rng.below(1 << self.parameters.context_bits()),
        };
        let places = 1 << self.parameters.place_bits;
        inputs.threshold = match self.rng.byte() {
            0..40 => 0,
            40..50 => places - 1,
            _ => self.rng.below(places),
        };
        let longest = 1 << self.parameters.residence_bits;
        inputs.residence = match self.rng.byte() {
            0..100 => self.rng.below(longest.min(8)),
            100..210 => self.rng.below(longest.min(200)),
            210..251 => self.rng.below(longest.min(3000)),
            _ => {
                self.mode.lasts(2 * longest);
                self.rng.below(longest)
            }
        };
    }

    fn once(&mut self, chance: u64) -> bool {
        self.rng.below(1 << 16) < chance
    }

    /// A slot that `is` so, if there is one; now and then another one.
    fn slot_that(&mut self, model: &BlockScheduler, is: impl Fn(&Slot) -> bool) -> u64 {
        let slots = model.slots();
        let some = self.rng.below(slots.len() as u64) as usize;
        let found = (0..slots.len())
            .map(|offset| (some + offset) % slots.len())
            .find(|&slot| is(&slots[slot]));
        match self.rng.byte() {
            0..8 => some as u64,
            _ => found.unwrap_or(some) as u64,
        }
    }

    /// A page that is followed, if there is one, or any.
    fn page(&mut self, model: &BlockScheduler, followed: bool) -> (u64, u64) {
        let known = model.pages();
        if followed && !known.is_empty() {
            let page = &known[self.rng.below(known.len() as u64) as usize];
            return (page.vpn, page.asid);
        }
        self.pages[self.rng.below(self.pages.len() as u64) as usize]
    }

    fn drive_pages(&mut self, model: &BlockScheduler, inputs: &mut Inputs) {
        inputs.fill_valid = self.once(self.mode.fill);
        let absent = self.rng.chance(self.mode.absent);
        let followed = self.rng.chance(if absent { 30 } else { 230 });
        (inputs.fill_vpn, inputs.fill_asid) = self.page(model, followed);
        inputs.fill_kind = match (absent, self.rng.byte()) {
            (true, 0..190) => Fill::Far as u64,
            (true, _) => Fill::Nack as u64,
            (false, 0..180) => Fill::Translation as u64,
            (false, _) => Fill::Denial as u64,
        };
        let places = 1 << self.parameters.place_bits;
        inputs.fill_place = match self.rng.byte() {
            0..128 => self.rng.below(places),
            _ => (inputs.threshold + self.rng.below(3)).clamp(1, places) - 1,
        };
        inputs.fault_valid = self.once(self.mode.fault);
        inputs.fault_slot = self.slot_that(model, |slot| slot.block().is_some());
        if let Some(moving) = model.moving().filter(|_| self.rng.byte() < 30) {
            inputs.fault_slot = moving.slot as u64;
        }
        let followed = self.rng.chance(230);
        (inputs.fault_vpn, inputs.fault_asid) = match self.rng.byte() {
            0..20 => (inputs.fill_vpn, inputs.fill_asid),
            _ => self.page(model, followed),
        };
    }

    fn drive_blocks(&mut self, model: &BlockScheduler, inputs: &mut Inputs) {
        if self.rng.byte() < 4 {
            inputs.more = self.rng.chance(self.mode.more);
        }
        inputs.ended_valid = self.once(self.mode.end);
        inputs.ended_slot = self.slot_that(model, |slot| matches!(slot, Slot::Active(_)));
        let moves = model.moving().map(|moving| moving.slot);
        let chosen = model.leaves(inputs).map(|(slot, _)| slot);
        if let Some(slot) = moves.or(chosen).filter(|_| self.rng.byte() < 80) {
            inputs.ended_slot = slot as u64;
        }
    }

    /// The engine and the GPU. What they report of nothing is ignored.
    fn drive_answers(&mut self, model: &BlockScheduler, inputs: &mut Inputs) {
        inputs.leave_ready = self.rng.chance(self.mode.take);
        inputs.enter_ready = self.rng.chance(self.mode.take);
        inputs.want_ready = self.rng.chance(self.mode.take);
        let moving = model.moving();
        let mut reported = |wanted: bool, chance: u16| match wanted {
            true => self.rng.chance(chance),
            false => self.rng.byte() == 0,
        };
        let saving = moving.is_some_and(|moving| moving.taken && moving.leaves);
        let restoring = moving.is_some_and(|moving| moving.taken && !moving.leaves);
        let requested = model.request().is_some_and(|request| request.taken);
        inputs.left_valid = reported(saving, self.mode.done);
        inputs.entered_valid = reported(restoring, self.mode.done);
        inputs.given_valid = reported(requested, self.mode.answer);
        inputs.entered_refused = self.rng.chance(self.mode.refuse);
        inputs.given_some = self.rng.chance(self.mode.some);
        if let Some(moving) = moving.filter(|_| inputs.left_valid && self.rng.byte() < 60) {
            (inputs.ended_valid, inputs.ended_slot) = (true, moving.slot as u64);
        }
    }
}

impl Block for BlockScheduler {
    type Traffic = BlockSchedulerTraffic;

    const NAME: &'static str = "block_scheduler";

    fn parameters(config: &str) -> Option<Parameters> {
        match config {
            PROVED => Some(Parameters {
                slot_bits: 1,
                contexts: 3,
                pages: 2,
                vpn_bits: 1,
                asid_bits: 1,
                place_bits: 2,
                residence_bits: 2,
            }),
            _ => Some(Parameters::paper(config.parse().ok()?)),
        }
    }
}

impl Traffic for BlockSchedulerTraffic {
    type Model = BlockScheduler;

    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut traffic = Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 0),
            pages: Vec::new(),
            scenarios: Scenarios::default(),
        };
        traffic.choose_pages();
        traffic
    }

    fn drive(&mut self, model: &BlockScheduler, inputs: &mut Inputs) {
        if self.mode.advance(&mut self.rng, 1000..6000) {
            self.set_up(inputs);
            self.choose_pages();
        }
        // Rarely, but now and then in the middle of a switch.
        let odds = if model.moving().is_some() {
            4_096
        } else {
            65_536
        };
        inputs.reset = self.mode.resets(&mut self.rng, odds);
        self.drive_pages(model, inputs);
        self.drive_blocks(model, inputs);
        self.drive_answers(model, inputs);
        self.count(model, inputs);
    }

    fn observe(&mut self, _: &BlockScheduler, inputs: &Inputs, outputs: &Outputs) {
        let s = &mut self.scenarios;
        s.lost += u64::from(outputs.lost_valid);
        s.leave_waits += u64::from(outputs.leave_valid && !inputs.leave_ready);
        s.enter_waits += u64::from(outputs.enter_valid && !inputs.enter_ready);
        s.want_waits += u64::from(outputs.want_valid && !inputs.want_ready);
        s.empty += u64::from(outputs.empty);
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}

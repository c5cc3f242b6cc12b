//! Traffic for the far-fault MSHRs: faults of a changing set of pages, a walker that finds pages or does not, and a driver
//! that resolves and cancels what was reported to it, or anything.

use faultline_sim::mmu::far_fault_mshr::{Doing, FarFaultMshr, Inputs, Outputs, Page, Parameters};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::pool::Pool;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod scenarios;

use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;

/// Most pages that are in use at a time.
const POOL: usize = 512;
/// Most walks that are under way.
const WALKS: usize = 32;

/// Seeded traffic.
pub struct FarFaultMshrTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// The pages that are in use.
    pool: Pool,
    /// Walks that were taken and have not ended.
    walks: Vec<Page>,
    /// Pages of which a walk was taken since their entry was.
    requested: Vec<Page>,
    /// What is on offer was not accepted yet.
    fault_held: bool,
    command_held: bool,
    present_held: bool,
    scenarios: Scenarios,
}

impl FarFaultMshrTraffic {
    /// Other pages, all of one tag in some modes.
    fn change_pool(&mut self) {
        let low = u64::from(u8::MAX >> (8 - self.parameters.asid_bits));
        let mode = self.mode.now();
        self.pool.change(&mut self.rng, POOL, |page, _| {
            let vpn = match mode.one_tag {
                true => (page.vpn & !low) | u64::from(page.asid),
                false => page.vpn,
            };
            Page { vpn, ..page }
        });
    }

    /// A page that is in use.
    fn page(&mut self) -> Page {
        self.pool[self.rng.below(self.mode.pages.min(POOL) as u64) as usize]
    }

    /// A page that is held, if any is, or one near it.
    fn held(&mut self, model: &FarFaultMshr) -> Option<Page> {
        let count = model.held().count();
        let chosen = self.rng.below(count.max(1) as u64) as usize;
        let (_, held) = model.held().nth(chosen)?;
        let mut page = held.page;
        if self.rng.chance(16) {
            page.vpn ^= 1 << self.rng.below(self.parameters.region_bits as u64 + 1);
            page.vpn &= u64::MAX >> (64 - self.parameters.vpn_bits);
        }
        Some(page)
    }

    fn page_or_held(&mut self, model: &FarFaultMshr, stray: u16) -> Page {
        let stray = self.rng.chance(stray);
        match self.held(model).filter(|_| !stray) {
            Some(page) => page,
            None => self.page(),
        }
    }

    fn drive_fault(&mut self, model: &FarFaultMshr, inputs: &mut Inputs) {
        if self.fault_held {
            return;
        }
        inputs.fault_valid = self.rng.chance(self.mode.fault);
        let page = self.page_or_held(model, 256 - self.mode.again);
        (inputs.fault_vpn, inputs.fault_asid) = (page.vpn, page.asid);
        let sms = self.parameters.sms as u64;
        inputs.fault_requesters = 1 << self.rng.below(sms);
        for sm in 0..sms {
            inputs.fault_requesters |= u16::from(self.rng.chance(self.mode.requester)) << sm;
        }
        let bits = self.rng.bits();
        inputs.fault_access = (bits & 7) as u8;
        inputs.fault_cause = (bits >> 3 & 7) as u8;
        inputs.fault_level = (bits >> 6 & 7) as u8;
    }

    fn drive_command(&mut self, model: &FarFaultMshr, inputs: &mut Inputs) {
        if self.command_held {
            return;
        }
        inputs.command_valid = self.rng.chance(self.mode.command);
        inputs.command_cancel = self.rng.chance(self.mode.cancel);
        inputs.command_all = self.rng.chance(self.mode.all);
        let page = self.page_or_held(model, self.mode.stray);
        (inputs.command_vpn, inputs.command_asid) = (page.vpn, page.asid);
        let sms = self.parameters.sms;
        let one = self.rng.below(sms as u64);
        inputs.command_requesters = match self.rng.byte() {
            0..100 => u16::MAX,
            100..180 => 1 << one,
            _ => self.rng.bits() as u16,
        } & (u16::MAX >> (16 - sms));
    }

    fn drive_present(&mut self, model: &FarFaultMshr, inputs: &mut Inputs) {
        if self.present_held {
            return;
        }
        (inputs.present_valid, inputs.present_missing) = (false, false);
        let mut page = None;
        if !self.walks.is_empty() && self.rng.chance(self.mode.walk) {
            let chosen = self.rng.below(self.walks.len() as u64) as usize;
            let walked = self.walks.swap_remove(chosen);
            let present = self.rng.chance(self.mode.present);
            self.scenarios.premature += u64::from(!present);
            // Some walks end without an answer.
            page = Some(walked).filter(|_| present || self.rng.chance(240));
            inputs.present_missing = !present;
        } else if self.rng.chance(self.mode.stray / 8) {
            page = Some(self.page_or_held(model, 128));
            inputs.present_missing = self.rng.chance(60);
        }
        let bits = self.rng.bits();
        (inputs.present_cause, inputs.present_level) = ((bits & 7) as u8, (bits >> 3 & 7) as u8);
        inputs.present_valid = page.is_some();
        let page = page.unwrap_or_else(|| self.page());
        (inputs.present_vpn, inputs.present_asid) = (page.vpn, page.asid);
    }
}

impl Block for FarFaultMshr {
    type Traffic = FarFaultMshrTraffic;

    const NAME: &'static str = "far_fault_mshr";

    fn parameters(config: &str) -> Option<Parameters> {
        if config == PROVED {
            return Some(Parameters {
                entries: 2,
                vpn_bits: 2,
                asid_bits: 1,
                sms: 2,
                limit_bits: 2,
                region_bits: 1,
            });
        }
        let entries = config.parse().ok()?;
        Some(Parameters::with_entries(entries))
    }
}

impl Traffic for FarFaultMshrTraffic {
    type Model = FarFaultMshr;

    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut traffic = Self {
            pool: Pool::new(parameters.vpn_bits, parameters.asid_bits),
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 300),
            walks: Vec::new(),
            requested: Vec::new(),
            fault_held: false,
            command_held: false,
            present_held: false,
            scenarios: Scenarios::default(),
        };
        traffic.change_pool();
        traffic
    }

    fn drive(&mut self, model: &FarFaultMshr, inputs: &mut Inputs) {
        // Long enough to fill all entries.
        let longer = 8 * self.parameters.entries as u64;
        if self
            .mode
            .advance(&mut self.rng, 300 + longer..1500 + longer)
        {
            self.change_pool();
        }
        inputs.reset = self.mode.resets(&mut self.rng, 8192);
        if *model.doing() == Doing::Nothing && model.held().next().is_none() {
            inputs.region = self.rng.chance(100);
        }
        let limits = u64::from(u8::MAX >> (8 - self.parameters.limit_bits));
        if self.rng.below(64) == 0 {
            inputs.limit = match self.mode.limit {
                Some(limit) => limit.min(limits as u8),
                None => self.rng.below(5.min(limits + 1)) as u8,
            };
        }
        self.drive_fault(model, inputs);
        self.drive_command(model, inputs);
        self.drive_present(model, inputs);
        inputs.answer_ready = self.rng.chance(self.mode.taken);
        inputs.wake_ready = self.rng.chance(self.mode.taken);
        inputs.report_ready = self.rng.chance(self.mode.report);
        inputs.walk_ready = self.walks.len() < WALKS && self.rng.chance(self.mode.walk_ready);
        self.count(model, inputs);
    }

    fn observe(&mut self, model: &FarFaultMshr, inputs: &Inputs, outputs: &Outputs) {
        self.fault_held = inputs.fault_valid && !outputs.fault_ready && !inputs.reset;
        self.command_held = inputs.command_valid && !outputs.command_ready && !inputs.reset;
        self.present_held = inputs.present_valid && !outputs.present_ready && !inputs.reset;
        if outputs.walk_valid && inputs.walk_ready && !inputs.reset {
            let page = Page {
                vpn: outputs.walk_vpn,
                asid: outputs.walk_asid,
            };
            self.walks.push(page);
            self.requested.push(page);
        }
        if outputs.wake_valid {
            let page = Page {
                vpn: outputs.wake_vpn,
                asid: outputs.wake_asid,
            };
            self.requested.retain(|requested| *requested != page);
        }
        self.count_outputs(model, inputs, outputs);
        if inputs.reset {
            self.walks.clear();
            self.requested.clear();
        }
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}

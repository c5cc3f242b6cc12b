//! Traffic for the L2 TLB: SMs that share pages, a walker that answers their misses late and in any order, with pieces of
//! large pages among them, and invalidations of what contains any of those.

use faultline_sim::mmu::l2_tlb::{
    Inputs, L2Tlb, MOST_SMS, OF_ALL, OF_PAGE, OF_SPACE, Outputs, Page, Parameters,
};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod scenarios;

use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;

/// Most pages that are in use at a time.
const POOL: usize = 64;
/// Most walks that are under way at a time; more are forgotten.
const WALKS: usize = 64;

/// Seeded traffic.
pub struct L2TlbTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// The pages that are in use.
    pool: Vec<Page>,
    /// Misses that were taken.
    walks: Vec<Page>,
    /// Requests, a fill and an invalidation on offer that were not accepted yet.
    held: u16,
    fill_held: bool,
    invalidation_held: bool,
    before: Outputs,
    /// An invalidation was on offer in the cycle before.
    was_invalidated: bool,
    scenarios: Scenarios,
}

impl L2TlbTraffic {
    /// A page whose number and space have no more bits than there are.
    fn cut(&self, page: Page) -> Page {
        Page {
            vpn: page.vpn & (u64::MAX >> (64 - self.parameters.vpn_bits)),
            asid: page.asid & (u8::MAX >> (8 - self.parameters.asid_bits)),
        }
    }

    /// Other pages: neighbours, pieces of one large page, pages one bit apart from another, the same page of another
    /// space, or anything.
    fn change_pool(&mut self) {
        self.pool.clear();
        let mut page = self.any_page();
        let set_bits = self.parameters.set_bits;
        for _ in 0..POOL {
            let one = self.rng.below(36);
            page = match self.rng.byte() {
                0..60 => Page {
                    vpn: page.vpn + 1,
                    ..page
                },
                60..130 => self.beside(page),
                130..180 => Page {
                    vpn: page.vpn ^ (1 << one),
                    ..page
                },
                180..220 => Page {
                    asid: page.asid ^ (1 << (one % 8)),
                    ..page
                },
                _ => self.any_page(),
            };
            if self.mode.one_set {
                let set = self
                    .pool
                    .first()
                    .map_or(0, |first| self.parameters.set(*first));
                page.vpn = page.vpn >> set_bits << set_bits | set as u64;
            }
            page = self.cut(page);
            self.pool.push(page);
        }
    }

    /// A piece of a large page that this page is in.
    fn beside(&mut self, page: Page) -> Page {
        let level = 2 + self.rng.below(2) as u8;
        let inside = (1 << self.parameters.inside(level)) - 1;
        let other = self.rng.bits() & inside;
        Page {
            vpn: page.vpn ^ other,
            ..page
        }
    }

    /// A page that is as likely as any other one.
    fn any_page(&mut self) -> Page {
        let (vpn, asid) = (self.rng.bits(), self.rng.byte());
        self.cut(Page { vpn, asid })
    }

    /// A page that is in use.
    fn page(&mut self) -> Page {
        self.pool[self.rng.below(self.mode.pages.min(POOL) as u64) as usize]
    }

    fn drive_sms(&mut self, inputs: &mut Inputs) {
        for sm in 0..self.parameters.sms {
            if (self.held >> sm) & 1 == 1 && !inputs.reset {
                continue;
            }
            let bit = 1 << sm;
            let page = self.page();
            inputs.request_vpn[sm] = page.vpn;
            inputs.request_asid[sm] = page.asid.into();
            inputs.request_valid &= !bit;
            inputs.request_write &= !bit;
            if sm < self.mode.sms && self.rng.chance(self.mode.request) {
                inputs.request_valid |= bit;
            }
            if self.rng.chance(self.mode.write) {
                inputs.request_write |= bit;
            }
        }
        inputs.miss_ready = 0;
        for sm in 0..self.parameters.sms {
            inputs.miss_ready |= u16::from(self.rng.chance(self.mode.walk)) << sm;
        }
    }

    fn drive_fill(&mut self, inputs: &mut Inputs) {
        if self.fill_held && !inputs.reset {
            return;
        }
        let stray = self.rng.chance(self.mode.stray);
        inputs.fill_valid = stray;
        let mut page = self.page();
        if !stray && !self.walks.is_empty() && self.rng.chance(self.mode.fill) {
            let place = self.rng.below(self.walks.len() as u64) as usize;
            page = self.walks.swap_remove(place);
            inputs.fill_valid = true;
        }
        (inputs.fill_vpn, inputs.fill_asid) = (page.vpn, page.asid);
        inputs.fill_pfn = self.rng.bits() as u32 & (u32::MAX >> (32 - self.parameters.pfn_bits));
        inputs.fill_writable = self.rng.chance(170);
        inputs.fill_clean = self.rng.chance(self.mode.clean);
        inputs.fill_level = match u16::from(self.rng.byte()) {
            large if large < self.mode.large => 2 + (large & 1) as u8,
            _ => 1,
        };
    }

    fn drive_invalidation(&mut self, inputs: &mut Inputs) {
        if self.invalidation_held && !inputs.reset {
            return;
        }
        inputs.invalidate_valid = self.rng.chance(self.mode.invalidate);
        inputs.invalidate_scope = match self.rng.byte() {
            0..190 => OF_PAGE,
            190..240 => OF_SPACE,
            240..248 => OF_ALL,
            _ => OF_ALL + 1,
        };
        let page = self.page();
        let page = match self.rng.byte() {
            0..128 => self.beside(page),
            _ => page,
        };
        let page = self.cut(page);
        (inputs.invalidate_vpn, inputs.invalidate_asid) = (page.vpn, page.asid);
    }
}

impl Block for L2Tlb {
    type Traffic = L2TlbTraffic;

    const NAME: &'static str = "l2_tlb";

    fn parameters(config: &str) -> Option<Parameters> {
        if config == PROVED {
            return Some(Parameters {
                sms: 2,
                set_bits: 1,
                ways: 2,
                vpn_bits: 3,
                asid_bits: 1,
                pfn_bits: 2,
                level_bits: 1,
            });
        }
        let entries = config.parse().ok()?;
        Some(Parameters::with_entries(entries))
    }
}

impl Traffic for L2TlbTraffic {
    type Model = L2Tlb;

    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut traffic = Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 900),
            pool: Vec::new(),
            walks: Vec::new(),
            held: 0,
            fill_held: false,
            invalidation_held: false,
            before: Outputs::default(),
            was_invalidated: false,
            scenarios: Scenarios::default(),
        };
        traffic.change_pool();
        traffic
    }

    fn drive(&mut self, model: &L2Tlb, inputs: &mut Inputs) {
        if self.mode.advance(&mut self.rng, 400..2000) {
            self.change_pool();
        }
        inputs.reset = self.mode.resets(&mut self.rng, 16_384);
        self.drive_sms(inputs);
        self.drive_fill(inputs);
        self.drive_invalidation(inputs);
        self.count(model, inputs);
    }

    fn observe(&mut self, model: &L2Tlb, inputs: &Inputs, outputs: &Outputs) {
        self.held = inputs.request_valid & !outputs.request_ready;
        self.fill_held = inputs.fill_valid && !outputs.fill_ready;
        self.invalidation_held = inputs.invalidate_valid && !outputs.invalidate_ready;
        for sm in 0..self.parameters.sms.min(MOST_SMS) {
            let taken = (outputs.miss_valid & inputs.miss_ready) >> sm & 1 == 1;
            if taken && self.walks.len() < WALKS {
                self.walks.push(Page {
                    vpn: outputs.miss_vpn[sm],
                    asid: outputs.miss_asid[sm] as u8,
                });
            }
        }
        self.count_outputs(model, inputs, outputs);
        self.before = outputs.clone();
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}

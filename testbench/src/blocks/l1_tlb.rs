//! Traffic for the L1 TLB: checks of a changing set of pages, and a GMMU that answers walks in every way and order.

use faultline_sim::sm::l1_tlb::{
    CANCELLED, DENIED, FAR, Inputs, L1Tlb, LARGE, NACK, Outputs, Page, Parameters, Step,
    TRANSLATION,
};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::pool::Pool;
use crate::traffic::{Modes, Rng, Traffic};

mod large;
mod modes;
mod scenarios;

use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;

/// Most pages that are in use at a time, where there are few misses.
const POOL: usize = 64;
/// The size of the proofs.
const SMALL: Parameters = Parameters {
    set_bits: 1,
    ways: 2,
    vpn_bits: 2,
    asid_bits: 1,
    pfn_bits: 2,
    tag_bits: 2,
    misses: 2,
    large_ways: 0,
    large_bits: 1,
};
/// Misses for which `POOL` pages are enough; with more there are more pages in proportion, and each mode lasts longer.
const FEW: usize = 16;

/// Large pages from which the pages in use come, for one of the large entries.
const LARGE_PAGES: u64 = 2;
/// Chance of 256 that the pages in use come from anywhere although there are large entries.
const SMALL_ALONE: u16 = 40;

/// Seeded traffic.
pub struct L1TlbTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// Pages in use for one where there are few misses, and cycles of a mode for one.
    scale: usize,
    /// The pages that are in use.
    pool: Pool,
    /// They come from anywhere although there are large entries, and no translation is of a large page.
    small: bool,
    /// The check on offer was not accepted yet.
    held: bool,
    before: Outputs,
    /// The check of the cycle before was for a write.
    came_write: bool,
    /// A large entry answers the check that acts.
    by_large: bool,
    scenarios: Scenarios,
}

impl L1TlbTraffic {
    /// Other pages, all of one set in some modes; those of a TLB with large entries come from few large pages.
    fn change_pool(&mut self) {
        let (parameters, mode) = (&self.parameters, self.mode.now());
        let pages = POOL * self.scale;
        // A page that a large entry covers is never read from its way.
        self.small = parameters.large_ways > 0 && self.rng.chance(SMALL_ALONE);
        let large_pages = match self.small {
            true => 0,
            false => LARGE_PAGES * parameters.large_ways as u64,
        };
        self.pool.change(&mut self.rng, pages, |page, first| {
            let set_bits = parameters.set_bits;
            let mut vpn = page.vpn;
            if large_pages > 0 {
                let low = vpn % (1 << parameters.large_bits);
                let above = (vpn >> parameters.large_bits) % large_pages;
                vpn = (parameters.large_page(first).vpn ^ above << parameters.large_bits) | low;
            }
            if mode.one_set {
                vpn = vpn >> set_bits << set_bits | parameters.set(first);
            }
            Page { vpn, ..page }
        });
    }

    /// A page that is in use.
    fn page(&mut self) -> Page {
        let pages = self.mode.pages.min(POOL) * self.scale;
        self.pool[self.rng.below(pages as u64) as usize]
    }

    /// The page of a miss in one of these steps.
    fn missed(&mut self, model: &L1Tlb, step: impl Fn(&Step) -> bool) -> Option<Page> {
        let pages: Vec<_> = model
            .misses()
            .filter(|miss| step(&miss.step))
            .map(|miss| miss.page)
            .collect();
        let chosen = self.rng.below(pages.len().max(1) as u64) as usize;
        pages.get(chosen).copied()
    }

    fn drive_check(&mut self, model: &L1Tlb, inputs: &mut Inputs) {
        if self.held && !inputs.reset {
            return;
        }
        inputs.check_valid = self.rng.chance(self.mode.check);
        let again = self.rng.chance(self.mode.again);
        let page = match self.missed(model, |_| again) {
            Some(page) => page,
            None => self.page(),
        };
        (inputs.check_vpn, inputs.check_asid) = (page.vpn, page.asid);
        inputs.check_write = self.rng.chance(self.mode.write);
        inputs.check_tag = self.rng.byte() & (u8::MAX >> (8 - self.parameters.tag_bits));
    }

    fn drive_gmmu(&mut self, model: &L1Tlb, inputs: &mut Inputs) {
        inputs.walk_ready = self.rng.chance(self.mode.walk);
        let stray = self.rng.chance(self.mode.stray);
        let walks = |step: &Step| matches!(step, Step::Walking { .. }) || stray;
        let page = self
            .missed(model, walks)
            .filter(|_| self.chance_or(stray, self.mode.fill));
        let cancelled = self.rng.chance(self.mode.cancel);
        let cancelled = self.missed(model, |step| cancelled && *step == Step::Fetching);
        let page = cancelled.or(page);
        let page = page.or_else(|| stray.then(|| self.page()));
        inputs.fill_valid = page.is_some();
        let page = page.unwrap_or_else(|| self.page());
        (inputs.fill_vpn, inputs.fill_asid) = (page.vpn, page.asid);
        inputs.fill_kind = match u16::from(self.rng.byte()) {
            kind if kind < self.mode.far => FAR,
            kind if kind < self.mode.far + self.mode.nack => NACK,
            kind if kind < self.mode.far + self.mode.nack + self.mode.denied => DENIED,
            _ => TRANSLATION,
        };
        let may_be_large = self.parameters.large_ways > 0 && !self.small;
        if may_be_large && inputs.fill_kind == TRANSLATION && self.rng.chance(self.mode.large) {
            inputs.fill_kind = LARGE;
        }
        if cancelled.is_some() != stray {
            inputs.fill_kind = CANCELLED;
        }
        inputs.fill_pfn = self.rng.bits() as u32 & (u32::MAX >> (32 - self.parameters.pfn_bits));
        inputs.fill_writable = self.rng.chance(128);
        inputs.fill_clean = self.rng.chance(self.mode.clean);

        let stray = self.rng.chance(self.mode.stray);
        let fetched = |step: &Step| *step == Step::Fetching || stray;
        let page = self
            .missed(model, fetched)
            .filter(|_| self.chance_or(stray, self.mode.resolve));
        inputs.resolve_valid = page.is_some();
        let page = page.unwrap_or_else(|| self.page());
        (inputs.resolve_vpn, inputs.resolve_asid) = (page.vpn, page.asid);
    }

    fn chance_or(&mut self, certain: bool, chance: u16) -> bool {
        self.rng.chance(chance) || certain
    }

    fn drive_invalidation(&mut self, model: &L1Tlb, inputs: &mut Inputs) {
        inputs.invalidate_valid = self.rng.chance(self.mode.invalidate);
        inputs.invalidate_scope = match self.rng.byte() {
            0..150 => 0,
            150..230 => 1,
            230..243 => 2,
            _ => 3,
        };
        let walked = self.rng.chance(128);
        let page = self.missed(model, |step| walked && matches!(step, Step::Walking { .. }));
        let page = match page {
            Some(page) => page,
            None => self.page(),
        };
        (inputs.invalidate_vpn, inputs.invalidate_asid) = (page.vpn, page.asid);
    }
}

impl Block for L1Tlb {
    type Traffic = L1TlbTraffic;

    const NAME: &'static str = "l1_tlb";

    fn parameters(config: &str) -> Option<Parameters> {
        let sized = |set_bits, misses| {
            Some(Parameters {
                set_bits,
                misses,
                ..Parameters::PAPER
            })
        };
        match config {
            "32" => Some(Parameters::PAPER),
            "64" => sized(3, 8),
            "128" => sized(4, 8),
            "128_large" => Some(Parameters {
                set_bits: 4,
                large_ways: 8,
                ..Parameters::PAPER
            }),
            "128_16_misses" => sized(4, 16),
            "128_32_misses" => sized(4, 32),
            "128_64_misses" => sized(4, 64),
            "128_128_misses" => sized(4, 128),
            PROVED => Some(SMALL),
            "proof_large" => Some(Parameters {
                large_ways: 2,
                ..SMALL
            }),
            _ => None,
        }
    }
}

impl Traffic for L1TlbTraffic {
    type Model = L1Tlb;

    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut traffic = Self {
            pool: Pool::new(parameters.vpn_bits, parameters.asid_bits),
            small: false,
            scale: (parameters.misses / FEW).max(1),
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 300),
            held: false,
            before: Outputs::default(),
            came_write: false,
            by_large: false,
            scenarios: Scenarios::default(),
        };
        traffic.change_pool();
        traffic
    }

    fn drive(&mut self, model: &L1Tlb, inputs: &mut Inputs) {
        let scale = self.scale as u64;
        if self.mode.advance(&mut self.rng, 100 * scale..500 * scale) {
            self.change_pool();
        }
        inputs.reset = self.mode.resets(&mut self.rng, 4096);
        if self.rng.below(64) == 0 {
            inputs.report_faults = self.rng.chance(self.mode.report);
        }
        let limits = u64::from(u8::MAX >> (8 - self.parameters.count_bits()));
        inputs.far_limit = match self.mode.limit {
            Some(limit) => limit.min(limits as u8),
            None if self.rng.below(32) == 0 => self.rng.below(limits + 1) as u8,
            None => inputs.far_limit,
        };
        self.drive_check(model, inputs);
        self.drive_gmmu(model, inputs);
        self.drive_invalidation(model, inputs);
        self.count(model, inputs);
        self.count_large(model);
    }

    fn observe(&mut self, _: &L1Tlb, inputs: &Inputs, outputs: &Outputs) {
        self.held = inputs.check_valid && !outputs.check_ready && !inputs.reset;
        self.count_outputs(inputs, outputs);
        self.before = outputs.clone();
    }

    fn coverage(&self) -> Coverage {
        let mut scenarios = self.scenarios.list();
        if self.parameters.large_ways == 0 {
            scenarios.retain(|(name, _)| !name.starts_with("large_"));
        }
        scenarios
    }
}

//! Traffic for the page walker: requesters that share pages, and a memory full of tables that share entries, point to
//! themselves and out of memory, and change while they are walked.

use faultline_sim::mmu::page_walker::{
    Inputs, MOST_REQUESTERS, Outputs, PageWalker, Parameters, Step,
};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

pub(super) mod modes;
mod scenarios;
pub(super) mod tables;

use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;
use scenarios::{OF_SOFTWARE, OF_UPDATES};
use tables::Tables;

/// Most pages that are in use at a time.
const POOL: usize = 32;

/// Seeded traffic.
pub struct PageWalkerTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// The pages that are in use.
    pool: Vec<u64>,
    tables: Tables,
    /// The outputs whose requests memory has not answered yet.
    requested: Vec<Outputs>,
    /// Requests that were not accepted yet.
    held: [bool; MOST_REQUESTERS],
    /// An invalidation that is not done yet.
    invalidating: bool,
    /// The word that each walk wanted last.
    last_word: Vec<u64>,
    scenarios: Scenarios,
}

impl PageWalkerTraffic {
    /// Other pages and other tables.
    fn change(&mut self) {
        let significant = 9 * u32::from(self.parameters.levels);
        self.pool.clear();
        for _ in 0..self.mode.pages {
            let page = (0..self.parameters.levels)
                .fold(0, |page, _| page << 9 | self.tables.index(&mut self.rng));
            let page = match self.rng.byte() {
                0..16 => page ^ 1 << self.rng.below(52),
                16..24 => self.rng.bits() >> 12,
                _ => page,
            };
            let odd = self.rng.chance(self.mode.odd);
            let unused = 64 - significant;
            let extended = ((page << unused) as i64 >> unused) as u64 & (u64::MAX >> 12);
            let wrong = 1 << (u64::from(significant) + self.rng.below(u64::from(52 - significant)));
            self.pool
                .push(if odd { extended ^ wrong } else { extended });
        }
        self.tables.clear(&mut self.rng);
    }

    fn asid(&mut self) -> u8 {
        self.tables.asid(&mut self.rng)
    }

    /// The last frame that has a number.
    fn pfns(&self) -> u64 {
        u64::MAX >> (64 - self.parameters.pfn_bits)
    }

    fn drive_requests(&mut self, inputs: &mut Inputs) {
        for requester in 0..self.parameters.requesters {
            if self.held[requester] && !inputs.reset {
                continue;
            }
            let valid = self.rng.chance(self.mode.request);
            inputs.request_valid[requester] = u64::from(valid);
            let page = self.rng.below(self.pool.len().min(POOL) as u64) as usize;
            inputs.request_vpn[requester] = self.pool[page];
            inputs.request_asid[requester] = u64::from(self.asid());
            let write = self.rng.chance(self.mode.write);
            let execute = !write && self.rng.chance(self.mode.execute);
            inputs.request_write[requester] = u64::from(write);
            inputs.request_execute[requester] = u64::from(execute);
            inputs.request_user[requester] = u64::from(self.rng.chance(self.mode.user));
        }
    }

    /// Memory answers requests in any order; what is there may have changed meanwhile.
    fn drive_memory(&mut self, model: &PageWalker, inputs: &mut Inputs) {
        inputs.memory_ready = self.rng.chance(self.mode.memory);
        inputs.answer_ready = self.rng.chance(self.mode.answer);
        if self.rng.chance(self.mode.change) {
            self.tables.change(&mut self.rng, self.mode.now());
        }
        inputs.response_valid = false;
        (inputs.response_error, inputs.response_changed) = (false, false);
        inputs.response_kept = false;
        inputs.response_data = self.rng.bits();
        inputs.response_walk = self.rng.below(self.parameters.walks as u64) as u8;
        // An answer that was not requested comes only to a free walk: the walker guarantees nothing beyond that.
        let mut walks = model.walks();
        let walk = walks.nth(usize::from(inputs.response_walk));
        if self.rng.chance(self.mode.stray) && walk.is_some_and(|walk| walk.step == Step::Free) {
            inputs.response_valid = true;
            return;
        }
        if self.requested.is_empty() || !self.rng.chance(self.mode.response) {
            return;
        }
        let place = self.rng.below(self.requested.len() as u64) as usize;
        let requested = self.requested.swap_remove(place);
        inputs.response_valid = true;
        inputs.response_walk = requested.memory_walk;
        inputs.response_error = self.rng.chance(self.mode.error);
        let entry = self
            .tables
            .read(&mut self.rng, self.mode.now(), requested.memory_word);
        inputs.response_data = entry;
        // A cache answers reads that do not bypass it, also with what is in memory no more.
        let cached = !requested.memory_update && !requested.memory_bypass && !inputs.response_error;
        if cached && self.rng.chance(self.mode.kept) {
            inputs.response_kept = true;
            if self.rng.chance(64) {
                inputs.response_data = self.tables.entry(&mut self.rng, self.mode.now());
            }
        }
        if requested.memory_update && !inputs.response_error {
            let (expected, dirty) = (requested.memory_expected, requested.memory_dirty);
            inputs.response_changed = !self.tables.update(requested.memory_word, expected, dirty);
        }
    }

    fn drive_software(&mut self, inputs: &mut Inputs) {
        inputs.root_valid = self.rng.chance(self.mode.root);
        inputs.root_asid = self.asid();
        inputs.root_pfn = self.tables.pfn(&mut self.rng);
        if !self.invalidating {
            inputs.invalidate_valid = self.rng.chance(self.mode.invalidate);
            inputs.invalidate_asid = self.asid();
            inputs.invalidate_all = self.rng.chance(64);
        }
        if self.rng.below(256) == 0 {
            let most = self.parameters.pfn_bits as u64 - 20;
            let least = most.min(8);
            let physical = least + self.rng.below(most - least + 1);
            inputs.reserved_bits = (u32::MAX << physical) & 0xF_FFFF;
            inputs.execute_disable = self.rng.chance(200);
        }
        if self.rng.below(256) == 0 {
            inputs.last_pfn = match self.rng.byte() {
                0..64 => self.tables.pfn(&mut self.rng),
                _ => self.pfns(),
            };
        }
    }
}

impl Block for PageWalker {
    type Traffic = PageWalkerTraffic;

    const NAME: &'static str = "page_walker";

    fn parameters(config: &str) -> Option<Parameters> {
        let config = if config == PROVED {
            "2_updates"
        } else {
            config
        };
        let mut words = config.split('_');
        let walks = words.next()?.parse().ok()?;
        let rest: Vec<_> = words.collect();
        let (requesters, asid_bits, pfn_bits) = match walks {
            2 => (2, 1, 40),
            _ => (16, 8, 28),
        };
        Some(Parameters {
            requesters,
            asid_bits,
            pfn_bits,
            waiting: if rest.contains(&"order") { 64 } else { 2 },
            levels: if rest.contains(&"levels") { 5 } else { 4 },
            updates: rest.contains(&"updates"),
            ..Parameters::with_walks(walks)
        })
    }
}

impl Traffic for PageWalkerTraffic {
    type Model = PageWalker;

    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut traffic = Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 400),
            pool: Vec::new(),
            tables: Tables::new(parameters.pfn_bits, parameters.asid_bits),
            requested: Vec::new(),
            held: [false; MOST_REQUESTERS],
            invalidating: false,
            last_word: vec![0; parameters.walks],
            scenarios: Scenarios::default(),
        };
        traffic.change();
        traffic
    }

    fn drive(&mut self, model: &PageWalker, inputs: &mut Inputs) {
        if self.mode.advance(&mut self.rng, 200..800) {
            self.change();
        }
        inputs.reset = self.mode.resets(&mut self.rng, 8192);
        if self.mode.cycle() == 1 {
            (inputs.execute_disable, inputs.last_pfn) = (true, self.pfns());
            inputs.reserved_bits = (u32::MAX << (self.parameters.pfn_bits - 20)) & 0xF_FFFF;
        }
        if inputs.reset {
            inputs.no_merge = self.rng.chance(128);
        }
        self.drive_requests(inputs);
        self.drive_memory(model, inputs);
        self.drive_software(inputs);
        self.count(model, inputs);
    }

    fn observe(&mut self, model: &PageWalker, inputs: &Inputs, outputs: &Outputs) {
        for requester in 0..self.parameters.requesters {
            self.held[requester] = inputs.request_valid[requester] != 0
                && outputs.request_ready[requester] == 0
                && !inputs.reset;
        }
        self.invalidating = inputs.invalidate_valid && !outputs.invalidate_ready && !inputs.reset;
        if inputs.reset {
            self.requested.clear();
        } else if outputs.memory_valid && inputs.memory_ready {
            self.requested.push(outputs.clone());
        }
        self.count_outputs(model, inputs, outputs);
    }

    fn coverage(&self) -> Coverage {
        // Accessed and dirty bits are set here, or they are software's.
        let without = match self.parameters.updates {
            true => &OF_SOFTWARE[..],
            false => &OF_UPDATES,
        };
        let mut list = self.scenarios.list();
        list.retain(|(scenario, _)| !without.contains(scenario));
        list
    }
}

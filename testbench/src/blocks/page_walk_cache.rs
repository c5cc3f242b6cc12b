//! Traffic for the page-walk cache: walks that want a few words again and again, and a memory that answers in any order
//! and changes.

use std::collections::HashMap;

use faultline_sim::mmu::page_walk_cache::{Inputs, Outputs, PageWalkCache, Parameters};
use faultline_sim::walk::{ACCESSED, DIRTY, EXECUTE_DISABLE, PAGE_SIZE, PRESENT, USER, WRITABLE};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod scenarios;

use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;

/// Bits that entries have at random, and those of a table that may be kept.
const RANDOM: u64 = 0x7FF0_000F_FFFF_FF1E;
const KEPT: u64 = PRESENT | WRITABLE | USER | ACCESSED;

/// Seeded traffic.
pub struct PageWalkCacheTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// The words that are in use.
    pool: Vec<u64>,
    memory: HashMap<u64, u64>,
    /// The outputs whose requests memory has not answered yet.
    requested: Vec<Outputs>,
    /// Walks that wait for an answer.
    busy: Vec<bool>,
    /// A request was not accepted yet.
    held: bool,
    /// An invalidation is not done yet.
    invalidating: bool,
    before: Outputs,
    scenarios: Scenarios,
}

impl PageWalkCacheTraffic {
    /// Other words: of one set, that differ in one bit, or anywhere.
    fn change_pool(&mut self) {
        let words = u64::MAX >> (64 - self.parameters.word_bits);
        let low = (1 << self.parameters.set_bits) - 1;
        let base = self.rng.bits() & words;
        let set = self.parameters.set(base) as u64;
        self.pool.clear();
        for _ in 0..self.mode.words {
            let word = self.rng.bits() & words;
            let word = match self.rng.byte() {
                _ if self.mode.one_set => {
                    let other = self.parameters.set(word) as u64;
                    word & !low | (word ^ other ^ set) & low
                }
                0..16 => base,
                16..80 => base ^ 1 << (self.rng.bits() % self.parameters.word_bits as u64),
                _ => word,
            };
            self.pool.push(word);
        }
        self.memory.clear();
    }

    fn entry(&mut self) -> u64 {
        let entry = self.rng.bits() & RANDOM | KEPT;
        if !self.rng.chance(self.mode.odd) {
            return entry;
        }
        match self.rng.below(8) {
            0 => entry & !PRESENT,
            1 => entry & !ACCESSED,
            2 => entry | PAGE_SIZE,
            3 => entry | EXECUTE_DISABLE,
            4 => entry & !WRITABLE,
            5 => entry & !USER,
            6 => entry | 1 << (32 + self.rng.below(20)),
            _ => self.rng.bits(),
        }
    }

    fn drive_request(&mut self, inputs: &mut Inputs) {
        if self.held && !inputs.reset {
            return;
        }
        let walk = self.rng.below(self.parameters.walks as u64) as usize;
        let free = (walk..self.parameters.walks)
            .chain(0..walk)
            .find(|&walk| !self.busy[walk]);
        inputs.request_valid = self.rng.chance(self.mode.request) && free.is_some();
        inputs.request_walk = free.unwrap_or(walk) as u8;
        let place = self.rng.below(self.pool.len() as u64) as usize;
        inputs.request_word = self.pool[place];
        inputs.request_level = match self.rng.byte() {
            0..4 => [0, 1, 6, 7][self.rng.below(4) as usize],
            byte if u16::from(byte) < self.mode.last => 1,
            _ => 2 + self.rng.below(4) as u8,
        };
        inputs.request_update = self.rng.chance(self.mode.update);
        inputs.request_bypass = self.rng.chance(self.mode.bypass);
        inputs.request_dirty = self.rng.chance(128);
        inputs.request_expected = match self.rng.byte() {
            0..200 => self.memory.get(&inputs.request_word).copied().unwrap_or(0),
            _ => self.rng.bits(),
        };
    }

    /// Memory answers requests in any order; what is there may have changed meanwhile.
    fn drive_memory(&mut self, inputs: &mut Inputs) {
        inputs.memory_ready = self.rng.chance(self.mode.memory);
        if self.rng.chance(self.mode.change) {
            let place = self.rng.below(self.pool.len() as u64) as usize;
            let entry = self.entry();
            self.memory.insert(self.pool[place], entry);
        }
        inputs.response_data = self.rng.bits();
        inputs.response_walk = self.rng.below(self.parameters.walks as u64) as u8;
        (inputs.response_error, inputs.response_changed) = (false, false);
        inputs.response_valid =
            self.rng.chance(self.mode.stray) && !self.busy[usize::from(inputs.response_walk)];
        if inputs.response_valid
            || self.requested.is_empty()
            || !self.rng.chance(self.mode.response)
        {
            return;
        }
        let place = self.rng.below(self.requested.len() as u64) as usize;
        let requested = self.requested.swap_remove(place);
        let new = self.entry();
        let entry = *self.memory.entry(requested.memory_word).or_insert(new);
        inputs.response_valid = true;
        inputs.response_walk = requested.memory_walk;
        inputs.response_data = entry;
        inputs.response_error = self.rng.chance(self.mode.error);
        if requested.memory_update && !inputs.response_error {
            inputs.response_changed =
                (entry ^ requested.memory_expected) & !(ACCESSED | DIRTY) != 0;
            if !inputs.response_changed {
                let dirty = if requested.memory_dirty { DIRTY } else { 0 };
                self.memory
                    .insert(requested.memory_word, entry | ACCESSED | dirty);
            }
        }
    }

    fn drive_software(&mut self, inputs: &mut Inputs) {
        if !self.invalidating || inputs.reset {
            inputs.invalidate_valid = self.rng.chance(self.mode.invalidate);
        }
        if self.rng.below(256) == 0 {
            inputs.cached_levels = match self.rng.byte() {
                0..160 => 15,
                _ => self.rng.byte() & 15,
            };
        }
        if self.rng.below(256) == 0 {
            inputs.reserved_bits = (u32::MAX << (4 + self.rng.below(17))) & 0xF_FFFF;
        }
    }
}

impl Block for PageWalkCache {
    type Traffic = PageWalkCacheTraffic;

    const NAME: &'static str = "page_walk_cache";

    fn parameters(config: &str) -> Option<Parameters> {
        let set_bits = match config {
            "4k" => 7,
            "8k" => 8,
            "16k" => 9,
            PROVED => {
                return Some(Parameters {
                    walks: 2,
                    word_bits: 3,
                    table_bits: 1,
                    set_bits: 1,
                    ways: 2,
                });
            }
            _ => return None,
        };
        Some(Parameters::with_set_bits(set_bits))
    }
}

impl Traffic for PageWalkCacheTraffic {
    type Model = PageWalkCache;

    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut traffic = Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 1000),
            pool: Vec::new(),
            memory: HashMap::new(),
            requested: Vec::new(),
            busy: vec![false; parameters.walks],
            held: false,
            invalidating: false,
            before: Outputs::default(),
            scenarios: Scenarios::default(),
        };
        traffic.change_pool();
        traffic
    }

    fn drive(&mut self, model: &PageWalkCache, inputs: &mut Inputs) {
        if self.mode.advance(&mut self.rng, 400..1600) {
            self.change_pool();
        }
        inputs.reset = self.mode.resets(&mut self.rng, 16_384);
        if self.mode.cycle() == 1 {
            (inputs.cached_levels, inputs.reserved_bits) = (15, 0xF_FF00);
        }
        self.drive_request(inputs);
        self.drive_memory(inputs);
        self.drive_software(inputs);
        self.count(model, inputs);
    }

    fn observe(&mut self, model: &PageWalkCache, inputs: &Inputs, outputs: &Outputs) {
        let accepted = inputs.request_valid && outputs.request_ready;
        self.held = inputs.request_valid && !accepted && !inputs.reset;
        self.invalidating = inputs.invalidate_valid && !outputs.invalidate_ready && !inputs.reset;
        if inputs.reset {
            self.requested.clear();
            self.busy.fill(false);
        } else {
            if outputs.answer_valid {
                self.busy[usize::from(outputs.answer_walk)] = false;
            }
            if accepted {
                self.busy[usize::from(inputs.request_walk)] = true;
            }
            if outputs.memory_valid && inputs.memory_ready {
                self.requested.push(outputs.clone());
            }
        }
        self.count_outputs(model, inputs, outputs);
        self.before = outputs.clone();
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}

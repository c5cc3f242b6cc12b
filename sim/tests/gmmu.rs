//! The reference of the GMMU as a whole: what SMs receive while page tables change under them.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use std::collections::{HashMap, VecDeque};

use fastrand::Rng;
use faultline_sim::mmu::gmmu::{Gmmu, Inputs, Parameters};
use faultline_sim::ports::Model;
use faultline_sim::walk::{ACCESSED, DIRTY, PRESENT, USER, WRITABLE};

const SMS: usize = 16;
/// Pages that an SM requests at once.
const MISSES: usize = 8;
const PAGES: u64 = 300;
const CYCLES: u64 = 300_000;
/// In the last cycles no SM requests any more.
const LAST: u64 = 20_000;
/// Longer than all walks at once, and an invalidation of all.
const PATIENCE: u64 = 10_000;

/// Tables that are all different, and others after each change.
#[derive(Clone, Copy)]
struct Tables {
    changes: u64,
}

impl Tables {
    /// The frame in the entry with this word number.
    fn pfn(self, word: u64) -> u64 {
        (word.wrapping_mul(0x9e37_79b9) ^ self.changes << 21) & 0xfff_ffff
    }

    /// The frame of a page.
    fn page(self, page: u64) -> u64 {
        let place = |level: u64| page >> (9 * level) & 511;
        (0..4)
            .rev()
            .fold(0, |table, level| self.pfn(table << 9 | place(level)))
    }
}

/// The GMMU with SMs that request pages, and a memory whose tables change with each invalidation.
struct Bench {
    rng: Rng,
    gmmu: Gmmu,
    inputs: Inputs,
    cycle: u64,
    tables: Tables,
    memory: VecDeque<(u64, u8, u64)>,
    /// What each SM is about to request, and since when it waits for what it has requested.
    requesting: [Option<u64>; SMS],
    waiting: Vec<HashMap<u64, u64>>,
    /// Since when an invalidation has been requested.
    invalidating: Option<u64>,
    reported: u64,
    invalidations: u64,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let walks = if seed.is_multiple_of(2) { 8 } else { 32 };
        Self {
            rng: Rng::with_seed(seed),
            gmmu: Gmmu::new(Parameters::with_walks(walks)),
            inputs: Inputs {
                execute_disable: true,
                last_pfn: 0xfff_ffff,
                reserved_bits: 0xf_ff00,
                cached_levels: 0b111,
                shared_tlb: true,
                far_limit: 4,
                ..Inputs::default()
            },
            cycle: 0,
            tables: Tables { changes: 0 },
            memory: VecDeque::new(),
            requesting: [None; SMS],
            waiting: vec![HashMap::new(); SMS],
            invalidating: None,
            reported: 0,
            invalidations: 0,
        }
    }

    /// What comes in this cycle.
    fn drive(&mut self) {
        let requests = self.cycle + LAST < CYCLES;
        let inputs = &mut self.inputs;
        inputs.request_valid = 0;
        for (sm, requesting) in self.requesting.iter_mut().enumerate() {
            let page = self.rng.u64(0..PAGES) * 77;
            let waiting = &self.waiting[sm];
            let may = requests && waiting.len() < MISSES && !waiting.contains_key(&page);
            if requesting.is_none() && may && self.rng.u8(0..20) == 0 {
                *requesting = Some(page);
            }
            if let Some(page) = *requesting {
                inputs.request_valid |= 1 << sm;
                inputs.request_vpn[sm] = page;
            }
        }
        inputs.memory_ready = self.rng.u8(0..8) != 0;
        let due = self
            .memory
            .front()
            .is_some_and(|(due, ..)| *due <= self.cycle);
        inputs.response_valid = due && self.rng.u8(0..4) != 0;
        if inputs.response_valid {
            let (_, walk, word) = self.memory.pop_front().unwrap();
            let bits = PRESENT | WRITABLE | USER | ACCESSED | DIRTY;
            inputs.response_walk = walk;
            inputs.response_data = self.tables.pfn(word) << 12 | bits;
        }
        if requests && self.invalidating.is_none() && self.rng.u32(0..1500) == 0 {
            self.invalidating = Some(self.cycle);
            self.tables.changes += 1;
            inputs.invalidate_scope = self.rng.u8(1..3);
        }
        inputs.invalidate_valid = self.invalidating.is_some();
    }

    fn step(&mut self) {
        self.drive();
        let outputs = self.gmmu.cycle(&self.inputs);
        if outputs.memory_valid && self.inputs.memory_ready {
            let due = self.cycle + 100;
            self.memory
                .push_back((due, outputs.memory_walk, outputs.memory_word));
        }
        let before = Tables {
            changes: self.tables.changes.saturating_sub(1),
        };
        for sm in 0..SMS {
            if outputs.request_ready >> sm & 1 == 1 {
                let page = self.requesting[sm].take().unwrap();
                self.waiting[sm].insert(page, self.cycle);
            }
            if outputs.fill_valid >> sm & 1 == 1 {
                assert_eq!(outputs.fill_kind[sm], 0);
                let (page, pfn) = (outputs.fill_vpn, outputs.fill_pfn);
                let old = self.invalidating.is_some() && pfn == before.page(page);
                assert!(
                    old || pfn == self.tables.page(page),
                    "page {page} in cycle {}",
                    self.cycle
                );
                let since = self.waiting[sm].remove(&page);
                let since = since.unwrap_or_else(|| panic!("SM {sm} has not requested {page}"));
                assert!(self.cycle - since < PATIENCE);
                self.reported += 1;
            }
        }
        if let Some(since) = self.invalidating {
            assert!(self.cycle - since < PATIENCE);
            assert_eq!(outputs.drop_valid, outputs.invalidate_ready);
            if outputs.invalidate_ready {
                self.invalidating = None;
                self.invalidations += 1;
            }
        }
        self.cycle += 1;
    }
}

/// Every request is answered once, and after an invalidation is acknowledged by nothing that was read before it.
#[test]
fn nothing_stale_is_reported_after_an_invalidation() {
    for seed in 0..4 {
        let mut bench = Bench::new(seed);
        (0..CYCLES).for_each(|_| bench.step());
        assert!(bench.reported > 10_000 && bench.invalidations > 50);
        assert!(bench.waiting.iter().all(HashMap::is_empty));
    }
}

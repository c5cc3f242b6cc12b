//! The pages of the traffic, and a GMMU that walks for them and brings them.

use std::collections::HashSet;

use faultline_sim::sm::l1_tlb::{CANCELLED, FAR, L1Tlb, NACK, Page, Step, TRANSLATION};
use faultline_sim::sm::sm_unit::Inputs;

use super::modes::Mode;
use crate::traffic::Rng;

/// Pages that are in use at a time.
const POOL: u64 = 48;
/// Bits of a line's number within its page.
const PAGE_LINE_BITS: u32 = 5;

/// A number that follows from others and looks like none of them.
const fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (number ^ number >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ number >> 32
}

/// What is where.
#[derive(Default)]
pub(super) struct Pages {
    /// The first of the pages in use.
    first: u64,
    /// How many are in use.
    count: u64,
    /// Pages that were brought, and those that may be written since software has mended them.
    brought: HashSet<u64>,
    mended: HashSet<u64>,
    /// What was in frames before the last invalidation is elsewhere now.
    epoch: u64,
}

impl Pages {
    /// Other pages are in use, all of one set of the L1 TLB or not.
    pub fn change(&mut self, rng: &mut Rng, mode: &Mode) {
        self.first = rng.bits() % (1 << 30);
        self.count = POOL.min(mode.pages);
        self.brought.clear();
        self.mended.clear();
    }

    /// The page with this number of those in use.
    const fn page(&self, number: u64, mode: &Mode) -> u64 {
        self.first + number % self.count * if mode.one_set { 4 } else { 1 }
    }

    /// The lines of an instruction's lanes: the same whenever it comes to the front.
    pub fn lines(&self, pc: u32, mode: &Mode) -> [u64; 32] {
        let key = mixed(u64::from(pc) ^ self.first << 32);
        std::array::from_fn(|lane| {
            let spread = match key % 4 {
                0 => 0,
                1 => lane as u64 / 8,
                2 => lane as u64 / 2,
                _ => mixed(key ^ lane as u64) % 64,
            };
            let page = self.page(key >> 8 & 63, mode);
            let page = if spread % 8 == 7 {
                self.page((key >> 16) + spread, mode)
            } else {
                page
            };
            let line = (key >> 24 & 3) + spread % mode.lines;
            page << PAGE_LINE_BITS | line & 31
        })
    }

    fn is_absent(&self, vpn: u64, mode: &Mode) -> bool {
        mixed(vpn) & 0xFF < u64::from(mode.absent) && !self.brought.contains(&vpn)
    }

    fn is_read_only(&self, vpn: u64, mode: &Mode) -> bool {
        mixed(vpn) >> 8 & 0xFF < u64::from(mode.read_only) && !self.mended.contains(&vpn)
    }

    /// Software mends all pages that are in use, which are invalidated in this cycle.
    fn mend(&mut self, mode: &Mode) {
        let pages = (0..self.count).map(|number| self.page(number, mode));
        self.mended = pages.collect();
    }

    /// A page that has missed in the L1 TLB and is in one of these steps.
    fn missed(rng: &mut Rng, tlb: &L1Tlb, step: impl Fn(&Step) -> bool) -> Option<Page> {
        let pages: Vec<_> = tlb
            .misses()
            .filter(|miss| step(&miss.step))
            .map(|miss| miss.page)
            .collect();
        let chosen = rng.below(pages.len().max(1) as u64) as usize;
        pages.get(chosen).copied()
    }

    /// Answers walks and ends far faults.
    pub fn answer(&mut self, rng: &mut Rng, tlb: &L1Tlb, mode: &Mode, inputs: &mut Inputs) {
        inputs.walk_ready = rng.chance(mode.walk);
        let walks = Self::missed(rng, tlb, |step| matches!(step, Step::Walking { .. }));
        let walked = walks.filter(|_| rng.chance(mode.fill));
        let cancels = rng.chance(mode.cancel);
        let cancelled = Self::missed(rng, tlb, |step| cancels && *step == Step::Fetching);
        inputs.fill_valid = cancelled.or(walked).is_some();
        if let Some(page) = cancelled.or(walked) {
            (inputs.fill_vpn, inputs.fill_asid) = (page.vpn, page.asid);
            let absent = self.is_absent(page.vpn, mode);
            inputs.fill_kind = match cancelled {
                Some(_) => CANCELLED,
                None if absent && rng.chance(mode.nack) => NACK,
                None if absent => FAR,
                None => TRANSLATION,
            };
            let key = mixed(page.vpn ^ self.epoch << 40);
            inputs.fill_pfn = key as u32 & 0xFFF_FFFF;
            inputs.fill_writable = !self.is_read_only(page.vpn, mode);
            inputs.fill_clean = rng.chance(mode.clean);
        }
        let fetched = Self::missed(rng, tlb, |step| *step == Step::Fetching);
        let fetched = fetched.filter(|page| rng.chance(mode.resolve) && cancelled != Some(*page));
        inputs.resolve_valid = fetched.is_some();
        if let Some(page) = fetched {
            (inputs.resolve_vpn, inputs.resolve_asid) = (page.vpn, page.asid);
            // Few resolutions are premature.
            if !rng.chance(mode.premature) {
                self.brought.insert(page.vpn);
            }
        }
    }

    /// Takes pages away, or changes their rights, and invalidates them. Says whether all denied accesses are mended.
    pub fn invalidate(&mut self, rng: &mut Rng, mode: &Mode, inputs: &mut Inputs) -> bool {
        inputs.invalidate_valid = rng.chance(mode.invalidate);
        inputs.invalidate_scope = match rng.byte() {
            0..100 => 0,
            100..200 => 1,
            200..230 => 2,
            _ => 3,
        };
        inputs.invalidate_asid = if rng.chance(40) {
            inputs.asid ^ 1
        } else {
            inputs.asid
        };
        inputs.invalidate_vpn = self.page(rng.bits(), mode);
        let is_own = inputs.invalidate_asid == inputs.asid || inputs.invalidate_scope > 1;
        if !inputs.invalidate_valid || !is_own {
            return false;
        }
        if inputs.invalidate_scope == 0 {
            self.brought.remove(&inputs.invalidate_vpn);
            return false;
        }
        self.epoch += 1;
        if rng.chance(128) {
            self.brought.clear();
        }
        self.mend(mode);
        true
    }
}

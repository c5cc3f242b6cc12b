//! Traffic for the memory unit: a pipeline, a coalescer, an L1 TLB with pages of every kind, and a cache.

use std::collections::{BTreeMap, VecDeque};

use faultline_sim::sm::memory_unit::{Inputs, MemoryUnit, Outputs, PAGE_LINE_BITS, Parameters};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod scenarios;

use modes::{DRAIN, Lines, MODES, Mode, STEADY};
use scenarios::{Scenarios, Was};

/// Most pages that are in use at a time.
const POOL: usize = 40;
/// Instructions that a coalescer has at once.
const SPLIT_AT_ONCE: usize = 2;
/// Scoreboard entries of a warp.
const ENTRIES: u8 = 8;

/// What the L1 TLB knows about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Here { writable: bool },
    Denied,
    Missed,
    Absent,
}

/// An instruction in the coalescer.
struct Split {
    /// Its lines and their lanes.
    requests: VecDeque<(u64, u32)>,
    /// The first cycle in which its first request may be on offer.
    from: u64,
}

/// Seeded traffic.
pub struct MemoryUnitTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    draining: bool,
    pool: Vec<u64>,
    known: BTreeMap<u64, Known>,
    /// Pages that were missed, or are absent, and were not woken since.
    missed: Vec<u64>,
    /// Invalidations of the space so far: a page has another frame after each.
    generation: u64,
    /// The page whose check was taken in the cycle before, and whether it was for a store.
    asked: Option<(u64, bool)>,
    /// The requests that the instruction on offer becomes.
    offered: VecDeque<(u64, u32)>,
    split: VecDeque<Split>,
    /// Warps that have faulted and were not resumed, a bit each.
    away: u64,
    /// Warps that software holds until it has mended a page, a bit each.
    denied: u64,
    /// Warps that are held besides, a bit each.
    held: u64,
    before: Outputs,
    was: Was,
    scenarios: Scenarios,
}

impl MemoryUnitTraffic {
    /// While it drains nothing begins, and all pages come.
    pub const fn drain(&mut self, drains: bool) {
        self.draining = drains;
    }

    /// Nothing is left in the surroundings: no request, and no page that is to be woken.
    #[must_use]
    pub fn is_drained(&self) -> bool {
        self.split.is_empty() && self.missed.is_empty()
    }

    fn mode(&self) -> &'static Mode {
        if self.draining {
            &DRAIN
        } else {
            self.mode.now()
        }
    }

    fn chance(&mut self, of: impl Fn(&Mode) -> u16) -> bool {
        let chance = of(self.mode());
        self.rng.chance(chance)
    }

    fn choose_pages(&mut self) {
        let all = u64::MAX >> (64 - self.parameters.vpn_bits());
        let mut vpn = self.rng.bits() & all;
        self.pool.clear();
        for _ in 0..POOL {
            let bit = self.rng.below(self.parameters.vpn_bits() as u64);
            vpn = match self.rng.byte() {
                0..120 => vpn + 1,
                120..220 => vpn ^ (1 << bit),
                _ => self.rng.bits(),
            } & all;
            self.pool.push(vpn);
        }
    }

    fn page(&mut self) -> u64 {
        let pages = self.mode().pages as u64;
        self.pool[self.rng.below(pages) as usize]
    }

    /// The frame of a page.
    fn frame(&self, vpn: u64) -> u32 {
        let mixed = (vpn ^ self.generation << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as u32 & (u32::MAX >> (32 - self.parameters.pfn_bits))
    }

    /// What becomes of a page that is walked.
    fn walk(&mut self) -> Known {
        if self.chance(|mode| mode.here) {
            let denied = self.chance(|mode| mode.denied);
            let writable = !self.chance(|mode| mode.read_only);
            if denied {
                Known::Denied
            } else {
                Known::Here { writable }
            }
        } else if self.chance(|mode| mode.absent) {
            Known::Absent
        } else {
            Known::Missed
        }
    }

    /// Lines of an instruction with their lanes, the line of the lowest lane first.
    fn requests(&mut self) -> VecDeque<(u64, u32)> {
        let lanes = self.parameters.lanes as u64;
        if self.chance(|mode| mode.no_lanes) {
            return VecDeque::new();
        }
        let mode = self.mode();
        let all = self.rng.chance(128) || mode.lines == Lines::Every;
        let mut mask = self.rng.bits() as u32;
        if all {
            mask = u32::MAX;
        }
        mask &= u32::MAX >> (32 - lanes);
        if mask == 0 {
            mask = 1 << self.rng.below(lanes);
        }
        let lines = match mode.lines {
            Lines::One => 1,
            Lines::Few => 1 + self.rng.below(3),
            Lines::Every => lanes,
            Lines::Any => 1 + self.rng.below(lanes),
        };
        let lines = lines.min(mask.count_ones().into());
        let near = self.rng.chance(128);
        let page = self.page();
        let mut requests: VecDeque<(u64, u32)> = VecDeque::new();
        while (requests.len() as u64) < lines {
            let page = if near { page } else { self.page() };
            let within = self.rng.below(1 << PAGE_LINE_BITS);
            let line = page << PAGE_LINE_BITS | within;
            if requests.iter().all(|(other, _)| *other != line) {
                requests.push_back((line, 0));
            }
        }
        let active = (0..lanes).filter(|lane| mask >> lane & 1 == 1);
        for (number, lane) in (0u64..).zip(active) {
            let line = if number < lines {
                number
            } else {
                self.rng.below(lines)
            };
            requests[line as usize].1 |= 1 << lane;
        }
        requests
    }

    fn drive_instruction(&mut self, model: &MemoryUnit, inputs: &mut Inputs) {
        let is_away = self.away >> inputs.instruction_warp & 1 == 1;
        if inputs.instruction_valid && !self.before.instruction_ready && !is_away {
            return;
        }
        inputs.instruction_valid = false;
        let warps = self.mode().warps.min(self.parameters.warps) as u64;
        let warp = self.rng.below(warps) as u8;
        let of_warp = model.accesses().filter(|(_, access)| access.warp == warp);
        let used = of_warp.fold(0, |set: u128, (_, access)| set | 1 << access.entry);
        let free = self.rng.pick(!used & ((1 << ENTRIES) - 1));
        // The pipeline still sends what it replays of a warp that has faulted.
        let replays = !self.draining && self.rng.chance(20);
        let Some(entry) = free.filter(|_| replays || self.away >> warp & 1 == 0) else {
            return;
        };
        if !self.chance(|mode| mode.instruction) {
            return;
        }
        let bits = self.rng.bits();
        inputs.instruction_valid = true;
        inputs.instruction_warp = warp;
        inputs.instruction_entry = entry;
        inputs.instruction_slot = (bits & 15) as u8;
        inputs.instruction_index =
            (bits >> 8) as u8 & (u8::MAX >> (8 - self.parameters.index_bits));
        inputs.instruction_log_address = (bits >> 16) as u8 & 127;
        inputs.instruction_log_data = (bits >> 24) as u8 & 127;
        inputs.instruction_store = self.chance(|mode| mode.store);
        self.offered = self.requests();
        let masks = self.offered.iter().map(|(_, mask)| mask);
        inputs.instruction_mask = masks.fold(0, |all, mask| all | mask);
    }

    fn drive_coalescer(&mut self, inputs: &mut Inputs) {
        inputs.split_ready = self.split.len() < SPLIT_AT_ONCE && self.chance(|mode| mode.split);
        let stays = inputs.request_valid && !self.before.request_ready;
        let begins = self.chance(|mode| mode.request);
        inputs.request_valid = false;
        let Some(front) = self.split.front() else {
            return;
        };
        let Some((line, mask)) = front.requests.front() else {
            return;
        };
        inputs.request_valid = self.mode.cycle() >= front.from && (begins || stays);
        inputs.request_line = *line;
        inputs.request_mask = *mask;
        inputs.request_last = front.requests.len() == 1;
    }

    fn drive_wake(&mut self, inputs: &mut Inputs) {
        inputs.wake_valid = false;
        inputs.wake_all = self.chance(|mode| mode.all);
        inputs.wake_asid = inputs.asid;
        inputs.wake_vpn = self.page();
        if !self.missed.is_empty() && self.chance(|mode| mode.wake) {
            let chosen = self.rng.below(self.missed.len() as u64) as usize;
            let vpn = self.missed.swap_remove(chosen);
            let known = self.walk();
            self.known.insert(vpn, known);
            // What is not there yet is missed as soon as it is checked.
            inputs.wake_valid = true;
            inputs.wake_vpn = vpn;
        } else if self.chance(|mode| mode.stray) {
            inputs.wake_valid = true;
            if self.rng.chance(128) {
                inputs.wake_asid ^= 1 << self.rng.below(self.parameters.asid_bits as u64);
            } else if self.missed.contains(&inputs.wake_vpn) {
                inputs.wake_vpn ^= 1 << self.rng.below(self.parameters.vpn_bits() as u64);
            }
        }
    }

    fn drive_answer(&mut self, inputs: &mut Inputs) {
        inputs.answer_hit = false;
        inputs.answer_denied = false;
        inputs.answer_fault = false;
        inputs.answer_pfn = self.rng.bits() as u32 & (u32::MAX >> (32 - self.parameters.pfn_bits));
        let Some((vpn, write)) = self.asked else {
            return;
        };
        let evicted = self.chance(|mode| mode.evicted);
        let known = match self.known.get(&vpn) {
            Some(Known::Here { .. }) if evicted => Known::Missed,
            Some(known) => *known,
            None => self.walk(),
        };
        self.known.insert(vpn, known);
        match known {
            Known::Here { writable } if writable || !write => {
                inputs.answer_hit = true;
                inputs.answer_pfn = self.frame(vpn);
            }
            Known::Here { .. } | Known::Denied => inputs.answer_denied = true,
            Known::Missed => {}
            Known::Absent => inputs.answer_fault = true,
        }
        if matches!(known, Known::Missed | Known::Absent) && !self.missed.contains(&vpn) {
            self.missed.push(vpn);
        }
    }

    fn drive_invalidation(&mut self, model: &MemoryUnit, inputs: &mut Inputs) {
        let amid = self.asked.is_some()
            || self.before.checked_valid
            || self.before.absent_valid
            || model.accesses().any(|(_, access)| access.rechecked);
        let some = self.rng.below(1 << 16) < self.mode().invalidate;
        let reports = self.before.absent_valid && !self.before.faulted_valid;
        inputs.invalidate_valid = some
            || (amid && self.chance(|mode| mode.invalidate_amid))
            || (reports && self.rng.chance(8));
        inputs.invalidate_asid = inputs.asid;
        if self.rng.chance(60) {
            inputs.invalidate_asid ^= 1 << self.rng.below(self.parameters.asid_bits as u64);
        }
        inputs.invalidate_scope = self.rng.byte() & 3;
        inputs.check_ready = !inputs.invalidate_valid;
    }

    fn drive_warps(&mut self, model: &MemoryUnit, inputs: &mut Inputs) {
        if self.chance(|mode| mode.hold) {
            self.held = self.rng.bits() & self.rng.bits();
            if let (true, true) = (self.before.resume_valid, self.rng.chance(128)) {
                self.held |= 1 << self.before.resume_warp;
            }
        } else if self.rng.chance(40) || self.draining {
            self.held = 0;
        }
        let all = u64::MAX >> (64 - self.parameters.warps);
        inputs.hold = (self.held | self.denied) & all;
        let warp = match self.rng.byte() {
            0..60 if self.before.resume_valid => self.before.resume_warp,
            0..180 => {
                let away = self.rng.pick(self.away.into());
                away.unwrap_or(0)
            }
            _ => self.rng.below(self.parameters.warps as u64) as u8,
        };
        let offered = inputs.instruction_valid && inputs.instruction_warp == warp;
        let idle = !offered && model.accesses().all(|(_, access)| access.warp != warp);
        inputs.leave_warp = warp;
        inputs.leave_valid = self.chance(|mode| mode.leave) && idle;
    }

    /// Another space runs, if no access and no warp is of this one.
    fn drive_space(&mut self, model: &MemoryUnit, inputs: &mut Inputs) {
        let idle = model.accesses().count() + model.pages().count() == 0 && model.away() == 0;
        if idle && self.split.is_empty() && self.rng.chance(64) {
            let changed = self.rng.bits() as u8 & (u8::MAX >> (8 - self.parameters.asid_bits));
            if changed != inputs.asid {
                self.known.clear();
                self.missed.clear();
                self.scenarios.other_space += 1;
            }
            inputs.asid = changed;
        }
    }

    fn note(&mut self, inputs: &Inputs, outputs: &Outputs) {
        if inputs.instruction_valid && outputs.instruction_ready && inputs.instruction_mask != 0 {
            let requests = std::mem::take(&mut self.offered);
            let late = if self.rng.chance(60) {
                self.rng.below(20)
            } else {
                0
            };
            let from = self.mode.cycle() + 2 + late;
            self.split.push_back(Split { requests, from });
        }
        if inputs.request_valid
            && outputs.request_ready
            && let Some(front) = self.split.front_mut()
        {
            front.requests.pop_front();
            if front.requests.is_empty() {
                self.split.pop_front();
            }
        }
        self.asked = (outputs.check_valid && inputs.check_ready)
            .then_some((outputs.check_vpn, outputs.check_write));
        let own = inputs.invalidate_asid == inputs.asid || inputs.invalidate_scope > 1;
        if inputs.invalidate_valid && own {
            self.generation += 1;
            self.denied = 0;
            self.known.retain(|_, known| match known {
                Known::Denied | Known::Here { writable: false } => false,
                Known::Here { .. } => self.rng.chance(128),
                Known::Missed | Known::Absent => true,
            });
        }
        if outputs.resume_valid && inputs.resume_ready {
            self.away &= !(1 << outputs.resume_warp);
        }
        if inputs.leave_valid {
            self.away &= !(1 << inputs.leave_warp);
            self.denied &= !(1 << inputs.leave_warp);
        }
        if outputs.faulted_valid {
            self.away |= 1 << outputs.faulted_warp;
            self.denied |= u64::from(outputs.faulted_denied) << outputs.faulted_warp;
        }
    }
}

impl Block for MemoryUnit {
    type Traffic = MemoryUnitTraffic;

    const NAME: &'static str = "memory_unit";

    fn parameters(config: &str) -> Option<Parameters> {
        match config {
            "16" => Some(Parameters::PAPER),
            "32" => Some(Parameters {
                accesses: 32,
                ..Parameters::PAPER
            }),
            PROVED => Some(Parameters {
                accesses: 2,
                pages: 2,
                warps: 2,
                index_bits: 1,
                log_bits: 7,
                lanes: 2,
                line_bits: 7,
                asid_bits: 1,
                pfn_bits: 1,
            }),
            _ => None,
        }
    }
}

impl Traffic for MemoryUnitTraffic {
    type Model = MemoryUnit;

    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut traffic = Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 500),
            draining: false,
            pool: Vec::new(),
            known: BTreeMap::new(),
            missed: Vec::new(),
            generation: 0,
            asked: None,
            offered: VecDeque::new(),
            split: VecDeque::new(),
            away: 0,
            denied: 0,
            held: 0,
            before: Outputs::default(),
            was: Was::default(),
            scenarios: Scenarios::default(),
        };
        traffic.choose_pages();
        traffic
    }

    fn drive(&mut self, model: &MemoryUnit, inputs: &mut Inputs) {
        if self.mode.advance(&mut self.rng, 200..1200) {
            self.choose_pages();
        }
        inputs.reset = self.mode.resets(&mut self.rng, 8192) && !self.draining;
        self.drive_space(model, inputs);
        self.drive_instruction(model, inputs);
        self.drive_coalescer(inputs);
        self.drive_wake(inputs);
        self.drive_answer(inputs);
        self.drive_invalidation(model, inputs);
        self.drive_warps(model, inputs);
        inputs.checked_ready = self.chance(|mode| mode.checked);
        inputs.line_ready = self.chance(|mode| mode.line);
        inputs.resume_ready = self.chance(|mode| mode.resume);
        self.count(model, inputs);
    }

    fn observe(&mut self, model: &MemoryUnit, inputs: &Inputs, outputs: &Outputs) {
        self.count_outputs(model, inputs, outputs);
        if inputs.reset {
            self.asked = None;
            self.split.clear();
            (self.away, self.denied) = (0, 0);
            self.before = Outputs::default();
            return;
        }
        self.note(inputs, outputs);
        self.before = outputs.clone();
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}

//! Traffic for the GMMU: SMs that request shared pages at any time, a memory full of tables as that of the walker's
//! traffic, and a driver that makes rings, reads them, and commands.

use std::collections::HashMap;

use faultline_sim::mmu::fault_buffer::{
    Command, Doing, FaultBuffer, GET_CLEARS, Kind, Query, control, register,
};
use faultline_sim::mmu::gmmu::{Gmmu, Inputs, Outputs, Parameters};
use faultline_sim::sm::l1_tlb::{CANCELLED, FAR};

use super::Block;
use super::page_walker::tables::Tables;
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod scenarios;

use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;

/// Seeded traffic.
pub struct GmmuTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    resets: bool,
    /// The pages that each SM waits for, and whether as a far fault that is held, if it requests no page that it waits for.
    waits: Option<HashMap<(usize, u64, u64), bool>>,
    /// Whether faults are handled by regions, if that is settled.
    region: Option<bool>,
    /// The pages that are in use.
    pool: Vec<u64>,
    tables: Tables,
    /// The outputs whose requests memory has not answered yet.
    requested: Vec<Outputs>,
    /// Requests that were not accepted yet, as bits.
    held: u16,
    invalidating: bool,
    /// What the driver writes next to make a ring.
    remaking: Option<u8>,
    /// The walks of the MSHRs, and the far faults that were held, after the cycle before.
    walks: u16,
    far_faults: usize,
    scenarios: Scenarios,
}

impl GmmuTraffic {
    /// The same, but for resets after the first.
    #[must_use]
    pub const fn without_resets(mut self) -> Self {
        self.resets = false;
        self
    }

    /// The same, but SMs request as L1 TLBs do, no page that they already wait for; faults are handled by regions or by
    /// pages; and a driver that has turned the fault buffer off turns it on again some hundred
    /// cycles later, because a far fault waits until then.
    #[must_use]
    pub fn like_l1_tlbs(mut self, region: bool) -> Self {
        self.waits = Some(HashMap::new());
        self.region = Some(region);
        self
    }

    /// Other pages and other tables.
    fn change(&mut self) {
        let levels = self.parameters.walker.levels;
        let bits = self.parameters.tlb.vpn_bits;
        self.pool.clear();
        for _ in 0..self.mode.pages {
            let near = self.pool.last().copied().unwrap_or(0);
            let page = match self.rng.byte() {
                0..100 => near + 1,
                100..120 => near ^ 1 << self.rng.below(bits as u64),
                _ => (0..levels).fold(0, |page, _| page << 9 | self.tables.index(&mut self.rng)),
            };
            self.pool.push(page & (u64::MAX >> (64 - bits)));
        }
        self.tables.clear(&mut self.rng);
    }

    fn asid(&mut self) -> u8 {
        self.tables.asid(&mut self.rng)
    }

    fn drive_requests(&mut self, inputs: &mut Inputs) {
        for sm in 0..self.parameters.sms() {
            if self.held >> sm & 1 == 1 && !inputs.reset {
                continue;
            }
            inputs.request_valid &= !(1 << sm);
            if self.rng.chance(self.mode.request) {
                let page = self.rng.below(self.pool.len() as u64) as usize;
                inputs.request_vpn[sm] = self.pool[page];
                inputs.request_asid[sm] = u64::from(self.asid());
                let wanted = (sm, inputs.request_vpn[sm], inputs.request_asid[sm]);
                let waits = self
                    .waits
                    .as_ref()
                    .is_some_and(|waits| waits.contains_key(&wanted));
                inputs.request_valid |= u16::from(!waits) << sm;
                inputs.request_write &= !(1 << sm);
                inputs.request_write |= u16::from(self.rng.chance(self.mode.write)) << sm;
            }
        }
    }

    /// Memory answers requests in any order; what is there may have changed meanwhile.
    fn drive_memory(&mut self, inputs: &mut Inputs) {
        let tables = &self.mode.tables;
        inputs.memory_ready = self.rng.chance(self.mode.memory);
        if self.rng.chance(self.mode.change) {
            self.tables.change(&mut self.rng, tables);
        }
        inputs.response_valid = !self.requested.is_empty() && self.rng.chance(self.mode.response);
        (inputs.response_error, inputs.response_changed) = (false, false);
        if !inputs.response_valid {
            return;
        }
        let place = self.rng.below(self.requested.len() as u64) as usize;
        let requested = self.requested.swap_remove(place);
        inputs.response_walk = requested.memory_walk;
        inputs.response_error = self.rng.chance(self.mode.error);
        let entry = self
            .tables
            .read(&mut self.rng, tables, requested.memory_word);
        inputs.response_data = entry;
        if requested.memory_update && !inputs.response_error {
            let (expected, dirty) = (requested.memory_expected, requested.memory_dirty);
            inputs.response_changed = !self.tables.update(requested.memory_word, expected, dirty);
        }
    }

    /// The side of records: memory, and an SM that is queried.
    fn drive_records(&mut self, buffer: &FaultBuffer, inputs: &mut Inputs) {
        inputs.write_ready = self.rng.chance(self.mode.records);
        inputs.written = buffer.outstanding() > 0 && self.rng.chance(self.mode.acknowledge);
        inputs.detail_ready = self.rng.chance(self.mode.queried);
        inputs.context_valid = buffer.query() == Query::Taken && self.rng.chance(self.mode.queried);
        if inputs.context_valid {
            let bits = self.rng.bits();
            inputs.context_known = bits & 1 == 1;
            inputs.context_warp = (bits >> 1 & 63) as u8;
            inputs.context_slot = (bits >> 7 & 15) as u8;
            inputs.context_scheme = (bits >> 11 & 7) as u8;
            inputs.context_pointer = (bits >> 14 & 127) as u8;
            inputs.context_pc = self.rng.bits() >> (64 - self.parameters.buffer.pc_bits);
            inputs.context_lanes = self.rng.bits() >> (64 - self.parameters.buffer.lanes);
        }
    }

    fn drive_software(&mut self, model: &Gmmu, inputs: &mut Inputs) {
        let write = self.write(model);
        inputs.register_valid = write.is_some();
        if let Some((number, data)) = write {
            (inputs.register_number, inputs.register_data) = (number, data);
        }
        inputs.read_number = self.rng.byte() & 15;
        inputs.root_valid = self.rng.chance(self.mode.root);
        inputs.root_asid = self.asid();
        inputs.root_pfn = self.tables.pfn(&mut self.rng);
        if !self.invalidating || inputs.reset {
            inputs.invalidate_valid = self.rng.below(4096) < self.mode.invalidate;
            inputs.invalidate_scope = self.rng.byte() & 3;
            let page = self.rng.below(self.pool.len() as u64) as usize;
            inputs.invalidate_vpn = self.pool[page];
            inputs.invalidate_asid = self.asid();
        }
        if self.rng.below(1024) == 0 {
            inputs.cached_levels = self.rng.byte() & 15;
        }
        if self.rng.below(1024) == 0 {
            inputs.shared_tlb = self.rng.chance(200);
        }
        if self.rng.below(1024) == 0 {
            inputs.large_fills = self.rng.chance(128);
        }
        if self.rng.below(1024) == 0 {
            inputs.far_limit = self.rng.below(20) as u8;
        }
    }

    /// What changes only while nothing is under way.
    fn configure(&mut self, inputs: &mut Inputs) {
        inputs.region = self.rng.chance(100);
        inputs.region = self.region.unwrap_or(inputs.region);
        inputs.execute_disable = self.rng.chance(200);
        inputs.reserved_bits = (u32::MAX << (4 + self.rng.below(5))) & 0xF_FFFF;
        let last = u64::MAX >> (64 - self.parameters.walker.pfn_bits);
        inputs.last_pfn = if self.rng.chance(40) {
            self.tables.pfn(&mut self.rng)
        } else {
            last
        };
        if self.mode.cycle() == 1 {
            (inputs.cached_levels, inputs.shared_tlb, inputs.far_limit) = (15, true, 4);
        }
    }

    /// Notes which SMs begin to wait, and which no longer wait.
    fn follow(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let Some(waits) = &mut self.waits else {
            return;
        };
        for sm in 0..self.parameters.sms() {
            let bit = |bits: u16| bits >> sm & 1 == 1;
            // With regions an end names pages too for which there is no far fault.
            let reported = (sm, outputs.fill_vpn, outputs.fill_asid.into());
            let held = waits.get(&reported) == Some(&true);
            match outputs.fill_kind[sm] as u8 {
                _ if !bit(outputs.fill_valid) => {}
                FAR => {
                    waits.insert(reported, true);
                }
                kind if held == (kind == CANCELLED) => {
                    waits.remove(&reported);
                }
                _ => {}
            }
            let resolved = (sm, outputs.resolve_vpn, outputs.resolve_asid.into());
            if bit(outputs.resolve_valid) && waits.get(&resolved) == Some(&true) {
                waits.remove(&resolved);
            }
            if bit(inputs.request_valid & outputs.request_ready) {
                let requested = (sm, inputs.request_vpn[sm], inputs.request_asid[sm]);
                waits.insert(requested, false);
            }
        }
    }

    /// What the driver writes in turn while it makes a ring.
    fn remake(&mut self, buffer: &FaultBuffer, step: u8) -> Option<(u8, u64)> {
        if buffer.enabled() && step == 0 {
            return Some((register::CONTROL, 0));
        }
        if buffer.unread().next().is_some() && step == 0 {
            return Some((register::GET, buffer.put()));
        }
        if *buffer.doing() != Doing::Nothing || buffer.outstanding() > 0 {
            return None;
        }
        self.remaking = Some(step + 1);
        match step {
            0 => Some((register::SIZE, 3 + self.rng.below(40))),
            1 => Some((register::BASE, self.rng.bits())),
            _ => {
                self.remaking = None;
                let all = (1 << control::BITS) - 1;
                let mut others = self.rng.bits() & all & !control::ENABLED;
                if self.rng.chance(200) {
                    others &= !control::LEAVE_OUT;
                }
                Some((register::CONTROL, others | control::ENABLED))
            }
        }
    }

    /// What the driver writes, if anything.
    fn write(&mut self, model: &Gmmu) -> Option<(u8, u64)> {
        let buffer = model.buffer();
        if let Some(step) = self.remaking {
            return self.remake(buffer, step);
        }
        if self.rng.chance(self.mode.nonsense) {
            return Some((self.rng.byte() & 15, self.rng.bits()));
        }
        if self.rng.chance(self.mode.command) {
            return Some((register::COMMAND, self.command(model).word()));
        }
        if self.rng.chance(self.mode.read) {
            let unread = buffer.unread().count() as u64;
            let get = buffer.get() + self.rng.below(unread + 1);
            let clears = if self.rng.chance(self.mode.clear) {
                GET_CLEARS
            } else {
                0
            };
            return Some((register::GET, get % buffer.size().max(1) + clears));
        }
        let clear = self.rng.chance(self.mode.clear);
        clear.then_some((register::CLEAR, 3))
    }

    /// A command: of a page that is held, if any is.
    fn command(&mut self, model: &Gmmu) -> Command {
        let cancels = self.rng.chance(self.mode.cancel);
        let kinds: Vec<Kind> = Kind::ALL
            .into_iter()
            .filter(|kind| kind.cancels() == cancels)
            .collect();
        let held: Vec<_> = model.mshrs().held().map(|(_, held)| held.page).collect();
        let chosen = self.rng.below(held.len().max(1) as u64) as usize;
        let page = held.get(chosen).copied().unwrap_or_default();
        Command {
            kind: kinds[self.rng.below(kinds.len() as u64) as usize],
            sm: self.rng.byte() & 15,
            vpn: page.vpn,
            asid: page.asid,
        }
    }
}

impl Block for Gmmu {
    type Traffic = GmmuTraffic;

    const NAME: &'static str = "gmmu";

    fn parameters(config: &str) -> Option<Parameters> {
        let (walks, updates) = match config {
            "8" => (8, false),
            "8_updates" => (8, true),
            "64" => (64, false),
            _ => return None,
        };
        let mut parameters = Parameters::with_walks(walks);
        parameters.walker.updates = updates;
        Some(parameters)
    }
}

impl Traffic for GmmuTraffic {
    type Model = Gmmu;

    fn new(parameters: Parameters, seed: u64) -> Self {
        Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 0),
            resets: true,
            waits: None,
            region: None,
            pool: Vec::new(),
            tables: Tables::new(parameters.walker.pfn_bits, parameters.walker.asid_bits),
            requested: Vec::new(),
            held: 0,
            invalidating: false,
            remaking: Some(0),
            walks: 0,
            far_faults: 0,
            scenarios: Scenarios::default(),
        }
    }

    fn drive(&mut self, model: &Gmmu, inputs: &mut Inputs) {
        if self.mode.advance(&mut self.rng, 500..2500) {
            self.change();
            if self.rng.chance(60) {
                self.remaking = Some(0);
            }
        }
        let off = self.waits.is_some() && !model.buffer().enabled();
        if off && self.rng.below(256) == 0 {
            self.remaking.get_or_insert(0);
        }
        inputs.reset = self.mode.cycle() < 3 || (self.rng.below(16384) == 0 && self.resets);
        if inputs.reset {
            self.configure(inputs);
        }
        self.drive_requests(inputs);
        self.drive_memory(inputs);
        self.drive_records(model.buffer(), inputs);
        self.drive_software(model, inputs);
    }

    fn observe(&mut self, model: &Gmmu, inputs: &Inputs, outputs: &Outputs) {
        if inputs.reset {
            self.held = 0;
            self.requested.clear();
            (self.invalidating, self.remaking) = (false, Some(0));
            self.waits.iter_mut().for_each(HashMap::clear);
        } else {
            self.follow(inputs, outputs);
            self.held = inputs.request_valid & !outputs.request_ready;
            self.invalidating = inputs.invalidate_valid && !outputs.invalidate_ready;
            if outputs.memory_valid && inputs.memory_ready {
                self.requested.push(outputs.clone());
            }
        }
        self.count(model, inputs, outputs);
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}

//! Traffic for the operand log: kernels of every size, loads and stores, reads that are allowed and reads that are not.

use faultline_sim::sm::operand_log::{Inputs, LANES, OperandLog, Outputs, Parameters};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod scenarios;
mod writes;

pub use writes::Writes;

use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;

/// Why a read will be refused, known when it is requested.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Foreign,
    Unwritten,
    Free,
}

/// Seeded traffic.
pub struct OperandLogTraffic {
    parameters: Parameters,
    rng: Rng,
    /// Random numbers for inputs that are to be ignored.
    noise: Rng,
    /// Operands are windows into it, each with its count in the first lane.
    pool: Vec<u64>,
    mode: Modes<Mode>,
    writes: u64,
    size: usize,
    /// Where releases go that go astray, and whether some did since the last launch.
    stray_slot: u8,
    strayed: bool,
    /// Releases in a row that went to a slot that owns nothing, without an allocation from it.
    collected: u64,
    unserved: usize,
    before: Before,
    scenarios: Scenarios,
}

/// What there was to know before the cycle.
#[derive(Default)]
struct Before {
    in_use: u128,
    written: u128,
    being_taken: u128,
    /// The release names a slot that does not own the entry.
    strays: bool,
    refusals: [Option<Refusal>; 2],
    /// The handshakes of the cycle before it.
    accepted: Accepted,
}

impl OperandLogTraffic {
    fn any_slot(&mut self) -> u8 {
        self.rng.byte() & (self.parameters.slots() - 1) as u8
    }

    fn any_entry(&mut self) -> u8 {
        self.rng.below(self.parameters.entries as u64) as u8
    }

    fn drive_launch(&mut self, inputs: &mut Inputs) {
        let first = self.mode.cycle() == 4;
        // What went astray is lost until a launch.
        let repair = self.strayed && !self.mode.stray;
        inputs.launch_valid = first || repair || self.rng.below(65_536) < self.mode.launch;
        if inputs.launch_valid {
            let entries = self.parameters.entries as u64;
            let fair = (entries >> self.parameters.slot_bits).max(1);
            inputs.launch_entries = match self.rng.byte() {
                0..80 => fair,
                80..120 => fair << (self.rng.byte() % 4),
                120..180 => 1 + self.rng.below(entries.min(8)),
                180..230 => 1 + self.rng.below(entries),
                230..240 => 0,
                240..246 => entries,
                _ => self.rng.below(2 << self.parameters.entry_bits()),
            } as u8;
            self.strayed = false;
            self.stray_slot = self.any_slot();
            // Half of the time it owns nothing: all that it has then went astray.
            let slots = self.parameters.slots();
            let owners = (self.parameters.entries)
                .checked_div(usize::from(inputs.launch_entries))
                .unwrap_or(0);
            if owners < slots && self.rng.chance(128) {
                self.stray_slot = (owners as u64 + self.rng.below((slots - owners) as u64)) as u8;
            }
            // A slot of which only the first entries exist owns nothing, and the log relies on its count for that.
            let first = usize::from(self.stray_slot) * usize::from(inputs.launch_entries);
            let past = first + usize::from(inputs.launch_entries);
            if (first..past).contains(&self.parameters.entries) {
                self.stray_slot = (self.stray_slot + 1) & (self.parameters.slots() - 1) as u8;
            }
        } else if self.noise.chance(128) {
            inputs.launch_entries = self.noise.below(2 << self.parameters.entry_bits()) as u8;
        }
    }

    fn drive_allocate(&mut self, inputs: &mut Inputs) {
        // Where releases go astray, a slot that has lost its entries would be requested for ever.
        let held = inputs.allocate_valid && !self.before.accepted.allocate && !self.mode.stray;
        if held && !self.rng.chance(24) {
            return;
        }
        inputs.allocate_valid = self.rng.chance(self.mode.allocate);
        inputs.allocate_store = self.rng.chance(self.mode.store);
        inputs.allocate_slot = self.any_slot();
        let slots = self
            .parameters
            .entries
            .checked_div(self.size)
            .unwrap_or(0)
            .min(self.parameters.slots());
        if slots > 0 && self.rng.chance(240) {
            inputs.allocate_slot %= slots as u8;
        }
        // The count of the stray slot rises, and is seldom taken from.
        if self.mode.stray && self.rng.chance(4) {
            inputs.allocate_slot = self.stray_slot;
        } else if self.mode.stray && inputs.allocate_slot == self.stray_slot {
            inputs.allocate_valid = false;
        }
    }

    fn drive_write(&mut self, model: &OperandLog, inputs: &mut Inputs) {
        let may_write = model.allocated() | self.before.being_taken;
        let held = inputs.write_valid && !self.before.accepted.write;
        if held && may_write & (1 << inputs.write_entry) != 0 {
            return;
        }
        inputs.write_valid = false;
        if self.rng.chance(self.mode.write) {
            let unwritten = model.allocated() & !model.written();
            let entry = if self.mode.chaos && self.rng.chance(64) {
                Some(self.any_entry())
            } else if self.before.being_taken != 0 && self.rng.chance(self.mode.early) {
                self.rng.pick(self.before.being_taken)
            } else if unwritten != 0 && self.rng.chance(240) {
                self.rng.pick(unwritten)
            } else {
                self.rng.pick(model.allocated())
            };
            if let Some(entry) = entry {
                inputs.write_valid = true;
                inputs.write_entry = entry;
                let start = self.rng.below((self.pool.len() - LANES) as u64) as usize;
                let words = self.parameters.words.div_ceil(2);
                inputs.write_data[..words].copy_from_slice(&self.pool[start..start + words]);
                inputs.write_data[0] =
                    inputs.write_data[0].wrapping_add(self.writes) & self.first_lane();
                self.writes += 1;
            }
        }
    }

    /// The bits of the first lane; a narrow log has only half of it.
    fn first_lane(&self) -> u64 {
        if self.parameters.words == 1 {
            u64::from(u32::MAX)
        } else {
            u64::MAX
        }
    }

    fn drive_release(&mut self, model: &OperandLog, inputs: &mut Inputs) {
        let pending = if inputs.write_valid {
            1 << inputs.write_entry
        } else {
            0
        };
        let any = self.mode.chaos && self.rng.chance(48);
        let entry = if any {
            Some(self.any_entry())
        } else {
            self.rng.pick(model.written() & !pending)
        };
        inputs.release_valid = entry.is_some() && self.rng.chance(self.mode.release);
        inputs.release_entry = entry.unwrap_or(inputs.release_entry);
        // A release names the right slot, unless there is nothing to release.
        let held = model.allocated() & (1 << inputs.release_entry) != 0;
        inputs.release_slot = match model.owner(inputs.release_entry) {
            Some(_) if held && self.mode.stray => self.stray_slot,
            Some(slot) if held => slot,
            _ => self.any_slot(),
        };
        self.strayed |= inputs.release_valid && held && self.mode.stray;
        self.before.strays = inputs.release_valid
            && held
            && model.owner(inputs.release_entry) != Some(inputs.release_slot);
    }

    /// What to read: an operand that is there, or anything.
    fn read(&mut self, model: &OperandLog) -> (u8, u8) {
        let written = model.written();
        match self.rng.pick(written) {
            Some(entry) if !self.rng.chance(self.mode.foreign) => {
                (model.owner(entry).unwrap_or(0), entry)
            }
            _ => {
                let set = if self.rng.chance(128) {
                    model.allocated()
                } else {
                    0
                };
                let entry = self.rng.pick(set).unwrap_or_else(|| self.any_entry());
                let slot = model.owner(entry).filter(|_| self.rng.chance(160));
                (slot.unwrap_or_else(|| self.any_slot()), entry)
            }
        }
    }

    fn drive_reads(&mut self, model: &OperandLog, inputs: &mut Inputs) {
        if !inputs.replay_valid || self.before.accepted.replay {
            inputs.replay_valid = self.rng.chance(self.mode.replay);
            if inputs.replay_valid {
                (inputs.replay_slot, inputs.replay_entry) = self.read(model);
            }
        }
        if !inputs.save_valid || self.before.accepted.save {
            inputs.save_valid = self.rng.chance(self.mode.save);
            if inputs.save_valid {
                (inputs.save_slot, inputs.save_entry) = self.read(model);
            }
        }
        let refusal = |slot: u8, entry: u8| {
            let bit = 1u128 << entry;
            if model.allocated() & bit == 0 {
                Some(Refusal::Free)
            } else if model.partition(slot.into()) & bit == 0 {
                Some(Refusal::Foreign)
            } else if model.written() & bit == 0 {
                Some(Refusal::Unwritten)
            } else {
                None
            }
        };
        self.before.refusals = [
            refusal(inputs.replay_slot, inputs.replay_entry),
            refusal(inputs.save_slot, inputs.save_entry),
        ];
    }
}

/// The handshakes of a cycle.
#[derive(Clone, Copy, Default)]
struct Accepted {
    allocate: bool,
    write: bool,
    replay: bool,
    save: bool,
}

impl Accepted {
    fn of(inputs: &Inputs, outputs: &Outputs) -> Self {
        Self {
            allocate: inputs.allocate_valid && outputs.allocate_ready,
            write: inputs.write_valid && outputs.write_ready,
            replay: inputs.replay_valid && outputs.replay_ready,
            save: inputs.save_valid && outputs.save_ready,
        }
    }
}

impl Block for OperandLog {
    type Traffic = OperandLogTraffic;

    const NAME: &'static str = "operand_log";

    fn parameters(config: &str) -> Option<Parameters> {
        if config == PROVED {
            return Some(Parameters::with_entries(4));
        }
        // What follows the size counts banks, which no port shows.
        let size = config.split('_').next()?;
        let kilobytes: usize = size.strip_suffix('k')?.parse().ok()?;
        Some(Parameters::with_entries(kilobytes * 4))
    }
}

impl Traffic for OperandLogTraffic {
    type Model = OperandLog;

    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let pool = (0..4096).map(|_| rng.bits()).collect();
        Self {
            parameters,
            rng,
            noise: Rng::new(!seed),
            pool,
            mode: Modes::new(&MODES, &STEADY, 300),
            writes: 0,
            size: 0,
            stray_slot: 0,
            strayed: false,
            collected: 0,
            unserved: 0,
            before: Before::default(),
            scenarios: Scenarios::default(),
        }
    }

    fn drive(&mut self, model: &OperandLog, inputs: &mut Inputs) {
        self.mode.advance(&mut self.rng, 100..1000);
        self.before.in_use = model.allocated();
        self.before.written = model.written();
        self.before.being_taken = model.being_taken();
        inputs.reset = self.mode.cycle() < 3 || (self.mode.chaos && self.rng.below(300) == 0);
        self.drive_launch(inputs);
        self.drive_allocate(inputs);
        self.drive_write(model, inputs);
        self.drive_release(model, inputs);
        self.drive_reads(model, inputs);
    }

    fn observe(&mut self, model: &OperandLog, inputs: &Inputs, outputs: &Outputs) {
        let accepted = Accepted::of(inputs, outputs);
        let strays_to = |slot: u8| self.before.strays && inputs.release_slot == slot;
        let spent = accepted.allocate && inputs.allocate_slot == self.stray_slot;
        if inputs.reset || inputs.launch_valid || spent {
            self.collected = 0;
        } else if strays_to(self.stray_slot) && model.partition(self.stray_slot.into()) == 0 {
            self.collected += 1;
        }
        self.count(inputs, outputs, &accepted);
        let requested = inputs.replay_valid || inputs.save_valid;
        self.unserved = if requested && !accepted.replay && !accepted.save {
            self.unserved + 1
        } else {
            0
        };
        self.before.accepted = accepted;
        if inputs.reset {
            self.size = 0;
            self.unserved = 0;
        } else if inputs.launch_valid {
            self.size = usize::from(inputs.launch_entries);
        }
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}

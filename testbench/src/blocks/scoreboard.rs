//! Traffic for the scoreboard: instructions with hazards of all kinds, units that finish them in every order, and
//! messages that no pipeline sends.

use faultline_sim::sm::scoreboard::{
    Arrival, FINISHES, Inputs, Outputs, Parameters, Scoreboard, ZERO_REGISTER,
};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod scenarios;

use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;

/// Most registers that are in use at a time.
const POOL: usize = 16;

/// Seeded traffic.
pub struct ScoreboardTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// The registers that are in use.
    pool: [u8; POOL],
    /// The instruction that each entry was given to last; it holds nothing once it was checked.
    given: [Arrival; 16],
    /// The entries that were issued in the cycle before, a bit each.
    issued: u16,
    scenarios: Scenarios,
}

/// The entries that finish, a bit each.
fn finishing(inputs: &Inputs) -> u16 {
    (0..FINISHES)
        .filter(|&unit| inputs.finished_valid[unit] == 1)
        .fold(0, |set, unit| set | 1 << inputs.finished_entry[unit])
}

impl ScoreboardTraffic {
    /// Other registers: one bit apart from another one or from the zero register, or anything.
    fn change_pool(&mut self) {
        let mut register = self.rng.byte();
        for place in 0..POOL {
            let bit = 1 << self.rng.below(8);
            register = match self.rng.byte() {
                0..140 => register ^ bit,
                140..170 => ZERO_REGISTER ^ bit,
                _ => self.rng.byte(),
            };
            self.pool[place] = register;
        }
    }

    fn register(&mut self) -> u8 {
        if self.rng.chance(self.mode.zero) {
            return ZERO_REGISTER;
        }
        self.pool[self.rng.below(self.mode.registers.min(POOL) as u64) as usize]
    }

    /// One of a set of entries, or any one.
    fn entry_of(&mut self, set: u16, stray: bool) -> Option<u8> {
        let any = u16::MAX >> (16 - self.parameters.entries);
        self.rng.pick(if stray { any } else { set }.into())
    }

    fn drive_arrival(&mut self, inputs: &mut Inputs) {
        inputs.arrive_valid = self.rng.chance(self.mode.arrive);
        inputs.arrive_issued = self.rng.chance(self.mode.issued);
        inputs.entry_stops = self.rng.chance(self.mode.stops);
        inputs.entry_holds = self.rng.chance(self.mode.holds);
        inputs.entry_destination = self.register();
        inputs.entry_source_a = self.register();
        inputs.entry_source_b = self.register();
        inputs.entry_source_c = self.register();
        // What is fetched has the registers that its entry keeps; beside what is issued again, there may be any.
        inputs.arrive_destination = inputs.entry_destination;
        inputs.arrive_source_a = inputs.entry_source_a;
        inputs.arrive_source_b = inputs.entry_source_b;
        inputs.arrive_source_c = inputs.entry_source_c;
        if inputs.arrive_issued || self.rng.chance(self.mode.stray) {
            inputs.arrive_destination = self.register();
            inputs.arrive_source_a = self.register();
            inputs.arrive_source_b = self.register();
            inputs.arrive_source_c = self.register();
        }
    }

    fn drive_issue(&mut self, model: &Scoreboard, inputs: &mut Inputs) {
        let stray = self.rng.chance(self.mode.stray);
        inputs.flush = self.rng.chance(self.mode.flush);
        inputs.chosen = self.rng.chance(128);
        let may = model.first_ready() && !inputs.flush;
        inputs.issue_first = (may || stray) && self.rng.chance(self.mode.issue);
        let may = inputs.issue_first && model.second_ready();
        inputs.issue_second = (may || stray) && self.rng.chance(self.mode.pair);
    }

    fn drive_ends(&mut self, model: &Scoreboard, inputs: &mut Inputs) {
        let mut in_flight = model.used() & !waiting(model);
        let burst = self.rng.chance(self.mode.burst);
        let checked = in_flight;
        for unit in 0..FINISHES {
            let stray = self.rng.chance(self.mode.stray);
            let finishes = self.rng.chance(self.mode.finish) || burst;
            let entry = self.entry_of(in_flight, stray);
            inputs.finished_valid[unit] = u64::from(finishes && entry.is_some());
            inputs.finished_entry[unit] = match entry {
                Some(entry) => entry.into(),
                None => self.rng.below(self.parameters.entries as u64),
            };
            if finishes {
                in_flight &= !entry.map_or(0, |entry| 1 << entry);
            }
        }
        let stray = self.rng.chance(self.mode.stray);
        let entry = self.entry_of(checked, stray);
        inputs.checked_valid = entry.is_some() && self.rng.chance(self.mode.check);
        inputs.checked_entry =
            entry.unwrap_or_else(|| self.rng.below(self.parameters.entries as u64) as u8);
    }
}

/// The entries that are buffered, a bit each.
fn waiting(model: &Scoreboard) -> u16 {
    (0..model.buffered()).fold(0, |set, place| set | 1 << model.entry(place))
}

impl Block for Scoreboard {
    type Traffic = ScoreboardTraffic;

    const NAME: &'static str = "scoreboard";

    fn parameters(config: &str) -> Option<Parameters> {
        let (entries, holds) = match config {
            "8" => (8, false),
            "8_holding" => (8, true),
            PROVED => (4, true),
            _ => return None,
        };
        Some(Parameters { entries, holds })
    }
}

impl Traffic for ScoreboardTraffic {
    type Model = Scoreboard;

    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut traffic = Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 300),
            pool: [0; POOL],
            given: [Arrival::default(); 16],
            issued: 0,
            scenarios: Scenarios::default(),
        };
        traffic.change_pool();
        traffic
    }

    fn drive(&mut self, model: &Scoreboard, inputs: &mut Inputs) {
        if self.mode.advance(&mut self.rng, 100..500) {
            self.change_pool();
        }
        inputs.reset = self.mode.resets(&mut self.rng, 4096);
        self.drive_arrival(inputs);
        self.drive_issue(model, inputs);
        self.drive_ends(model, inputs);
        self.count(model, inputs);
    }

    fn observe(&mut self, _: &Scoreboard, inputs: &Inputs, outputs: &Outputs) {
        let goes = inputs.issue_first && !inputs.flush && !inputs.reset;
        let entry = |valid: bool, entry: u8| u16::from(goes && valid) << entry;
        self.issued = entry(outputs.first_valid, outputs.first_entry)
            | entry(
                outputs.second_valid && inputs.issue_second,
                outputs.second_entry,
            );
        if inputs.checked_valid {
            self.given[usize::from(inputs.checked_entry)].holds = false;
        }
        if inputs.arrive_valid && outputs.room && !inputs.flush {
            self.given[usize::from(outputs.arrive_entry)] = inputs.arrival();
        }
        self.count_likely(inputs, outputs);
    }

    fn coverage(&self) -> Coverage {
        let mut coverage = self.scenarios.list();
        if !self.parameters.holds {
            coverage.retain(|(scenario, _)| !scenario.starts_with("held"));
        }
        coverage
    }
}

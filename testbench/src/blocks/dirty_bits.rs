//! Traffic for the dirty bits: warps that write back and end, and saves and counts of what they have written.

use faultline_sim::preempt::dirty_bits::{DirtyBits, Inputs, Outputs, Parameters};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod scenarios;

use modes::{Lanes, MODES, Mode, STEADY};
use scenarios::Scenarios;

/// Seeded traffic.
pub struct DirtyBitsTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// The first of the rows that are in use.
    base: u64,
    /// Writes that were not accepted yet, a bit for each port.
    held: u8,
    /// A walk was not accepted yet.
    waiting: bool,
    /// What acts in this cycle: groups that were cleared in the one before.
    cleared: Option<(u64, u64)>,
    before: Outputs,
    scenarios: Scenarios,
}

impl DirtyBitsTraffic {
    /// One of the rows that are in use, or one that the walk is about.
    fn row(&mut self, model: &DirtyBits) -> u64 {
        let walk = model.walk().filter(|_| self.rng.chance(self.mode.meets));
        let offered = walk.and_then(|walk| walk.offer).map(|(row, _)| row);
        let next = walk.and_then(|walk| walk.rows.iter().next()).copied();
        let met = match self.rng.byte() {
            0..128 => offered.or(next),
            _ => next.or(offered),
        };
        let rows = self.mode.rows.min(self.parameters.rows());
        let other = self.base + self.rng.below(rows);
        met.unwrap_or(other) % self.parameters.rows()
    }

    fn lanes(&mut self) -> u64 {
        let all = self.parameters.all_lanes();
        match (self.mode.lanes, self.rng.byte()) {
            (Lanes::All, _) | (Lanes::Any, 0..32) => all,
            (_, 32..36) => 0,
            (Lanes::Any, _) => self.rng.bits() & all,
            (Lanes::One, _) => 1 << self.rng.below(self.parameters.lanes as u64),
        }
    }

    fn drive_writes(&mut self, model: &DirtyBits, inputs: &mut Inputs) {
        for port in 0..2 {
            if self.held >> port & 1 == 1 {
                continue;
            }
            inputs.write_valid &= !(1 << port);
            inputs.write_valid |= u8::from(self.rng.chance(self.mode.write)) << port;
            inputs.write_row[port] = self.row(model);
            inputs.write_lanes[port] = self.lanes();
            if port == 1 && self.rng.chance(self.mode.one_half) {
                inputs.write_row[1] ^= (inputs.write_row[0] ^ inputs.write_row[1]) & 1;
            }
        }
    }

    /// Groups from one of those in use on.
    fn range(&mut self, longest: u64) -> (u64, u64) {
        let rows = self.mode.rows.min(self.parameters.rows());
        let row = (self.base + self.rng.below(rows)) % self.parameters.rows();
        let first = self.parameters.group(row);
        let last = first + self.rng.below(longest);
        (first, last.min(self.parameters.groups() - 1))
    }

    fn drive_clear(&mut self, model: &DirtyBits, inputs: &mut Inputs) {
        inputs.clear_valid = self.rng.chance(self.mode.clear);
        (inputs.clear_first, inputs.clear_last) = self.range(6);
        let walk = model
            .walk()
            .filter(|_| self.rng.chance(self.mode.clear_meets));
        if let Some(walk) = walk {
            let next = walk.rows.first().map(|&row| self.parameters.group(row));
            let group = match self.rng.byte() {
                0..128 => walk.found.or(next),
                _ => next,
            };
            inputs.clear_first = group.unwrap_or(inputs.clear_first);
            inputs.clear_last = inputs.clear_last.max(inputs.clear_first);
        }
    }

    fn drive_walk(&mut self, inputs: &mut Inputs) {
        inputs.dirty_ready = self.rng.chance(self.mode.take);
        inputs.total_ready = self.rng.chance(self.mode.take);
        if self.waiting {
            return;
        }
        inputs.walk_valid = self.rng.chance(self.mode.walk);
        inputs.walk_saves = self.rng.chance(self.mode.saves);
        (inputs.walk_first, inputs.walk_last) = self.range(40);
        let last = self.parameters.groups() - 1;
        if self.rng.chance(self.mode.whole) {
            (inputs.walk_first, inputs.walk_last) = (0, last);
        }
        if self.rng.byte() < 4 {
            inputs.walk_first = self.rng.below(last + 1);
            inputs.walk_last = self.rng.below(last + 1);
        }
    }
}

impl Block for DirtyBits {
    type Traffic = DirtyBitsTraffic;

    const NAME: &'static str = "dirty_bits";

    fn parameters(config: &str) -> Option<Parameters> {
        let proved = |by_lane| Parameters {
            row_bits: 3,
            group_bits: 2,
            lanes: 2,
            by_lane,
        };
        match config {
            "lanes" => Some(Parameters::paper(true)),
            "rows" => Some(Parameters::paper(false)),
            PROVED => Some(proved(true)),
            "proof_rows" => Some(proved(false)),
            _ => None,
        }
    }
}

impl Traffic for DirtyBitsTraffic {
    type Model = DirtyBits;

    fn new(parameters: Parameters, seed: u64) -> Self {
        Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 1000),
            base: 0,
            held: 0,
            waiting: false,
            cleared: None,
            before: Outputs::default(),
            scenarios: Scenarios::default(),
        }
    }

    fn drive(&mut self, model: &DirtyBits, inputs: &mut Inputs) {
        if self.mode.advance(&mut self.rng, 400..2400) {
            self.base = self.rng.below(self.parameters.rows());
        }
        inputs.reset = self.mode.resets(&mut self.rng, 16_384);
        self.drive_writes(model, inputs);
        self.drive_clear(model, inputs);
        self.drive_walk(inputs);
        self.count(model, inputs);
    }

    fn observe(&mut self, model: &DirtyBits, inputs: &Inputs, outputs: &Outputs) {
        self.held = inputs.write_valid & !outputs.write_ready;
        self.waiting = inputs.walk_valid && !outputs.walk_ready;
        if inputs.reset {
            (self.held, self.waiting) = (0, false);
        }
        self.count_outputs(model, inputs, outputs);
        let range = (inputs.clear_first, inputs.clear_last);
        self.cleared = inputs.clear_valid.then_some(range);
        self.before = outputs.clone();
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}

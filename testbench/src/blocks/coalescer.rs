//! Traffic for the coalescer: the patterns of addresses that kernels make, and requests that are taken at every pace.

use faultline_sim::sm::coalescer::{Coalescer, Inputs, LANES, Lines, Outputs, Parameters};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{ALWAYS, Modes, Rng, Traffic};

mod scenarios;

use scenarios::Scenarios;

/// How the load/store unit behaves for a few hundred cycles; chances are of 256.
struct Mode {
    instruction: u16,
    pages: u16,
    take: u16,
    /// All lanes are active.
    full: u16,
    /// The patterns that come, as bits: see [`CoalescerTraffic::lines`].
    patterns: u8,
}

const STEADY: Mode = Mode {
    instruction: 200,
    pages: 32,
    take: 220,
    full: 200,
    patterns: 0xFF,
};

/// In turn at random: everyday work, one line at full speed, a line for each lane, pages, stalls, few lanes, idling.
const MODES: [Mode; 7] = [
    STEADY,
    Mode {
        instruction: ALWAYS,
        take: ALWAYS,
        pages: 0,
        full: ALWAYS,
        patterns: 0b11,
    },
    Mode {
        instruction: ALWAYS,
        take: ALWAYS,
        patterns: 0b1100_0000,
        ..STEADY
    },
    Mode {
        instruction: ALWAYS,
        pages: ALWAYS,
        ..STEADY
    },
    Mode { take: 20, ..STEADY },
    Mode {
        instruction: ALWAYS,
        take: ALWAYS,
        full: 0,
        ..STEADY
    },
    Mode {
        instruction: 30,
        take: ALWAYS,
        ..STEADY
    },
];

/// Seeded traffic.
pub struct CoalescerTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// The offered instruction was not accepted yet.
    held: bool,
    /// A request was taken in the cycle before, and an instruction accepted.
    before: (bool, bool),
    scenarios: Scenarios,
}

impl CoalescerTraffic {
    /// Lines in one of eight patterns: all the same; two halves; a stride; neighbours that share; a shuffle of a few;
    /// one bit apart; anything; a line for each lane.
    fn lines(&mut self) -> Lines {
        let all = u64::MAX >> (64 - self.parameters.line_bits);
        let base = self.rng.bits();
        let stride = 1 + self.rng.below(40);
        let few = 1 + self.rng.below(6);
        let pattern = loop {
            let pattern = self.rng.byte() % 8;
            if self.mode.patterns >> pattern & 1 == 1 {
                break pattern;
            }
        };
        std::array::from_fn(|lane| {
            let number = lane as u64;
            let line = match pattern {
                0 => base,
                1 => base + number * 2 / self.parameters.lanes as u64,
                2 => base + number * stride,
                3 => base + number / few,
                4 => base + self.rng.below(few) * stride,
                5 if self.rng.chance(32) => base ^ (1 << self.rng.below(41)),
                5 => base,
                6 => self.rng.bits(),
                _ => base + number,
            };
            if lane < self.parameters.lanes {
                line & all
            } else {
                0
            }
        })
    }

    fn mask(&mut self) -> u32 {
        let all = u32::MAX >> (LANES - self.parameters.lanes);
        let random = self.rng.bits();
        let (mask, other) = (random as u32, (random >> 32) as u32);
        match self.rng.byte() {
            _ if self.rng.chance(self.mode.full) => all,
            0..6 => 0,
            6..40 => 1 << (mask % self.parameters.lanes as u32),
            40..120 => mask & other & all,
            120..160 => all >> (mask % self.parameters.lanes as u32),
            _ => mask & all,
        }
    }
}

impl Block for Coalescer {
    type Traffic = CoalescerTraffic;

    const NAME: &'static str = "coalescer";

    fn parameters(config: &str) -> Option<Parameters> {
        match config {
            "32" => Some(Parameters::PAPER),
            PROVED => Some(Parameters {
                lanes: 4,
                line_bits: 7,
            }),
            _ => None,
        }
    }
}

impl Traffic for CoalescerTraffic {
    type Model = Coalescer;

    fn new(parameters: Parameters, seed: u64) -> Self {
        Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 300),
            held: false,
            before: (false, false),
            scenarios: Scenarios::default(),
        }
    }

    fn drive(&mut self, model: &Coalescer, inputs: &mut Inputs) {
        self.mode.advance(&mut self.rng, 100..500);
        inputs.reset = self.mode.resets(&mut self.rng, 4096);
        inputs.request_ready = self.rng.chance(self.mode.take);
        let in_use = model.waiting() > 0;
        self.scenarios.reset_in_use += u64::from(inputs.reset && in_use);
        // A reset may take an instruction back.
        if self.held && !inputs.reset {
            return;
        }
        inputs.instruction_valid = self.rng.chance(self.mode.instruction);
        inputs.instruction_pages = self.rng.chance(self.mode.pages);
        inputs.instruction_mask = self.mask();
        inputs.instruction_line = self.lines();
    }

    fn observe(&mut self, _: &Coalescer, inputs: &Inputs, outputs: &Outputs) {
        let accepted = inputs.instruction_valid && outputs.instruction_ready && !inputs.reset;
        let taken = outputs.request_valid && inputs.request_ready;
        self.held = inputs.instruction_valid && !outputs.instruction_ready && !inputs.reset;
        self.count(inputs, outputs, taken, accepted);
        self.before = (taken, accepted);
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}

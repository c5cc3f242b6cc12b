//! Traffic for the fault counter: faults alone and in storms, and software that clears often, seldom or never.

use faultline_testbench::blocks::Block;
use faultline_testbench::session::Coverage;
use faultline_testbench::traffic::{ALWAYS, Modes, Rng, Traffic};

use crate::model::{FaultCounter, Inputs, Outputs, Parameters};

/// The chances, of 256, of a fault and of a clear in a cycle.
struct Mode(u16, u16);

/// In turn at random: everyday work, no clears, a storm, more clears than faults.
static MODES: [Mode; 4] = [Mode(32, 2), Mode(240, 0), Mode(ALWAYS, 1), Mode(64, 128)];

/// Whether a cycle has something in it.
type Occurs = fn(&Inputs, &Outputs) -> bool;

/// Scenarios by name.
const SCENARIOS: [(&str, Occurs); 6] = [
    ("counted", |i, o| i.fault && !i.clear && !o.saturated),
    ("left_out", |i, o| i.fault && !i.clear && o.saturated),
    ("clear_of_nothing", |i, o| i.clear && o.count == 0),
    ("clear_when_saturated", |i, o| i.clear && o.saturated),
    ("clear_beside_fault", |i, _| i.clear && i.fault),
    ("reset_beside_fault", |i, o| {
        i.reset && i.fault && o.count > 0
    }),
];

/// Seeded traffic.
pub struct FaultCounterTraffic {
    rng: Rng,
    mode: Modes<Mode>,
    occurred: [u64; SCENARIOS.len()],
}

impl Block for FaultCounter {
    type Traffic = FaultCounterTraffic;

    const NAME: &'static str = "fault_counter";

    fn parameters(config: &str) -> Option<Parameters> {
        match config {
            "8" => Some(Parameters { width: 8 }),
            "proof" => Some(Parameters { width: 3 }),
            _ => None,
        }
    }
}

impl Traffic for FaultCounterTraffic {
    type Model = FaultCounter;

    fn new(_: Parameters, seed: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &MODES[0], 1000),
            occurred: [0; SCENARIOS.len()],
        }
    }

    fn drive(&mut self, _: &FaultCounter, inputs: &mut Inputs) {
        self.mode.advance(&mut self.rng, 400..1200);
        inputs.reset = self.mode.resets(&mut self.rng, 1024);
        inputs.fault = self.rng.chance(self.mode.0);
        inputs.clear = self.rng.chance(self.mode.1);
    }

    fn observe(&mut self, _: &FaultCounter, inputs: &Inputs, outputs: &Outputs) {
        for (times, (_, occurs)) in self.occurred.iter_mut().zip(SCENARIOS) {
            *times += u64::from(occurs(inputs, outputs));
        }
    }

    fn coverage(&self) -> Coverage {
        let names = SCENARIOS.iter().map(|(name, _)| *name);
        names.zip(self.occurred).collect()
    }
}

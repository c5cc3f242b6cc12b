//! A scoreboard that tests drive by hand, in all back ends at once.

use faultline_sim::sm::scoreboard::{Inputs, Outputs, ZERO_REGISTER};
use faultline_testbench::bench::Bench;
use faultline_testbench::blocks::{self, Scoreboard};

/// A scoreboard, and what a test does with it.
pub struct Board {
    bench: Bench<Scoreboard>,
}

impl Board {
    pub fn new() -> Self {
        Self::of("8_holding")
    }

    pub fn of(config: &str) -> Self {
        let mut board = Self {
            bench: blocks::bench::<Scoreboard>(config).unwrap(),
        };
        board.reset();
        board
    }

    pub fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.bench
            .cycle(inputs)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn reset(&mut self) {
        self.cycle(&Inputs {
            reset: true,
            ..Inputs::default()
        });
    }

    /// A cycle in which nothing happens.
    pub fn look(&mut self) -> Outputs {
        self.cycle(&Inputs::default())
    }

    /// Which of the two buffered instructions are ready, and nothing else happens.
    pub fn ready(&mut self) -> [bool; 2] {
        let outputs = self.look();
        [outputs.first_ready, outputs.second_ready]
    }

    /// An instruction arrives; gives its entry.
    pub fn arrive(&mut self, instruction: &Inputs) -> u8 {
        let outputs = self.cycle(instruction);
        assert!(outputs.room);
        outputs.arrive_entry
    }

    pub fn issue(&mut self, both: bool) -> Outputs {
        self.cycle(&Inputs {
            issue_first: true,
            issue_second: both,
            ..Inputs::default()
        })
    }

    pub fn finish(&mut self, entries: &[u8]) -> Outputs {
        self.cycle(&finish(entries, &Inputs::default()))
    }

    pub fn check(&mut self, entry: u8) -> Outputs {
        self.cycle(&check(entry, &Inputs::default()))
    }

    pub fn flush(&mut self) {
        self.cycle(&Inputs {
            flush: true,
            ..Inputs::default()
        });
    }
}

/// An instruction that writes a register and reads three.
pub fn instruction(destination: u8, sources: [u8; 3]) -> Inputs {
    Inputs {
        arrive_valid: true,
        arrive_destination: destination,
        arrive_source_a: sources[0],
        arrive_source_b: sources[1],
        arrive_source_c: sources[2],
        entry_destination: destination,
        entry_source_a: sources[0],
        entry_source_b: sources[1],
        entry_source_c: sources[2],
        ..Inputs::default()
    }
}

/// One that nothing waits for.
pub fn harmless() -> Inputs {
    instruction(ZERO_REGISTER, [ZERO_REGISTER; 3])
}

/// The same, issued as it arrives.
pub fn issued(instruction: Inputs) -> Inputs {
    Inputs {
        arrive_issued: true,
        ..instruction
    }
}

pub fn holds(instruction: Inputs) -> Inputs {
    Inputs {
        entry_holds: true,
        ..instruction
    }
}

pub fn stops(instruction: Inputs) -> Inputs {
    Inputs {
        entry_stops: true,
        ..instruction
    }
}

/// The same, while these finish, each of another unit.
pub fn finish(entries: &[u8], inputs: &Inputs) -> Inputs {
    let mut inputs = inputs.clone();
    for (unit, &entry) in entries.iter().enumerate() {
        inputs.finished_valid[unit] = 1;
        inputs.finished_entry[unit] = entry.into();
    }
    inputs
}

/// The same, while this one is checked.
pub fn check(entry: u8, inputs: &Inputs) -> Inputs {
    Inputs {
        checked_valid: true,
        checked_entry: entry,
        ..inputs.clone()
    }
}

//! A scoreboard that tests drive by hand, in all back ends at once.

use faultline_sim::sm::scoreboard::{Inputs, Outputs, ZERO_REGISTER};

use crate::bench::Bench;
use crate::blocks::{self, Scoreboard};

/// This is a scoreboard in all back ends, with the steps that tests take.
pub struct Board {
    bench: Bench<Scoreboard>,
}

impl Board {
    /// Builds the scoreboard of a configuration, such as `8_holding`, and resets it.
    ///
    /// # Panics
    /// If there is no such configuration, or the back ends differ.
    #[must_use]
    pub fn new(config: &str) -> Self {
        let mut board = Self {
            bench: blocks::bench::<Scoreboard>(config).unwrap(),
        };
        board.reset();
        board
    }

    /// Runs a cycle with these inputs, and gives the outputs that all back ends agree on.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.bench.run(inputs)
    }

    /// Runs a cycle with `reset` set.
    pub fn reset(&mut self) {
        self.cycle(&Inputs {
            reset: true,
            ..Inputs::default()
        });
    }

    /// Runs a cycle in which nothing happens.
    pub fn look(&mut self) -> Outputs {
        self.cycle(&Inputs::default())
    }

    /// Runs a cycle in which nothing happens, and returns which of the two buffered instructions are ready.
    pub fn ready(&mut self) -> [bool; 2] {
        let outputs = self.look();
        [outputs.first_ready, outputs.second_ready]
    }

    /// Lets an instruction arrive, and gives its entry.
    ///
    /// # Panics
    /// If there is no room for it.
    pub fn arrive(&mut self, instruction: &Inputs) -> u8 {
        let outputs = self.cycle(instruction);
        assert!(outputs.room);
        outputs.arrive_entry
    }

    /// Issues the first of the two buffered instructions, or both.
    pub fn issue(&mut self, both: bool) -> Outputs {
        self.cycle(&Inputs {
            issue_first: true,
            issue_second: both,
            ..Inputs::default()
        })
    }

    /// Finishes the instructions of these entries, at most one of each unit, in the order of the units.
    pub fn finish(&mut self, entries: &[u8]) -> Outputs {
        self.cycle(&finish(entries, &Inputs::default()))
    }

    /// Tells that the last TLB check of the instruction in this entry has succeeded.
    pub fn check(&mut self, entry: u8) -> Outputs {
        self.cycle(&check(entry, &Inputs::default()))
    }

    /// Runs a cycle with `flush` set.
    pub fn flush(&mut self) {
        self.cycle(&Inputs {
            flush: true,
            ..Inputs::default()
        });
    }
}

/// Gives the inputs with which an instruction arrives that writes a register and reads three; it is also the one that
/// `entry_*` describes.
#[must_use]
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

/// Gives the inputs with which an instruction arrives that nothing waits for.
#[must_use]
pub fn harmless() -> Inputs {
    instruction(ZERO_REGISTER, [ZERO_REGISTER; 3])
}

/// Gives the same inputs, but the instruction is issued as it arrives.
#[must_use]
pub fn issued(instruction: Inputs) -> Inputs {
    Inputs {
        arrive_issued: true,
        ..instruction
    }
}

/// Gives the same inputs, but the instruction holds its registers.
#[must_use]
pub fn holds(instruction: Inputs) -> Inputs {
    Inputs {
        entry_holds: true,
        ..instruction
    }
}

/// Gives the same inputs, but the instruction stops those behind it.
#[must_use]
pub fn stops(instruction: Inputs) -> Inputs {
    Inputs {
        entry_stops: true,
        ..instruction
    }
}

/// Adds to inputs that the instructions of these entries finish, each in the unit of its place in the list.
///
/// # Panics
/// If there are more entries than units.
#[must_use]
pub fn finish(entries: &[u8], inputs: &Inputs) -> Inputs {
    let mut inputs = inputs.clone();
    for (unit, &entry) in entries.iter().enumerate() {
        inputs.finished_valid[unit] = 1;
        inputs.finished_entry[unit] = entry.into();
    }
    inputs
}

/// Adds to inputs that the instruction in this entry is checked.
#[must_use]
pub fn check(entry: u8, inputs: &Inputs) -> Inputs {
    Inputs {
        checked_valid: true,
        checked_entry: entry,
        ..inputs.clone()
    }
}

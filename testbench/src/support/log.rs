//! An operand log that tests drive by hand, in all back ends at once.

use faultline_sim::sm::operand_log::{Inputs, Operand, Outputs, Parameters};

use crate::bench::Bench;
use crate::blocks::{self, OperandLog};

/// This is an operand log in all back ends, with the steps that tests take.
pub struct Log {
    bench: Bench<OperandLog>,
}

/// This is the reader of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A warp reads whose instructions are replayed.
    Replay,
    /// The checkpoint engine reads, which saves a thread block.
    Save,
}

/// Gives an operand that is different in every lane, and for every number.
#[must_use]
pub fn operand(number: u64) -> Operand {
    std::array::from_fn(|lane| {
        (number + 1)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(lane as u32)
            ^ lane as u64
    })
}

impl Log {
    /// Builds the log of a configuration, resets it, and launches with this number of entries for each block.
    ///
    /// # Panics
    /// If there is no such configuration, or the back ends differ.
    #[must_use]
    pub fn new(config: &str, size: u8) -> Self {
        let mut log = Self {
            bench: blocks::bench::<OperandLog>(config).unwrap(),
        };
        log.cycle(&Inputs {
            reset: true,
            ..Inputs::default()
        });
        log.launch(size);
        log
    }

    /// Gives the sizes of the log.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        *self.bench.parameters()
    }

    /// Runs a cycle with these inputs, and gives the outputs that all back ends agree on.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.bench.run(inputs)
    }

    /// Runs a cycle without any request.
    pub fn rest(&mut self) -> Outputs {
        self.cycle(&Inputs::default())
    }

    /// Launches with this number of entries for each block.
    pub fn launch(&mut self, size: u8) {
        self.cycle(&Inputs {
            launch_valid: true,
            launch_entries: size,
            ..Inputs::default()
        });
    }

    /// Requests the entries of a load or of a store, and gives those of address and data, if they are free.
    ///
    /// # Panics
    /// If the answer comes late, or shows entries that were not given.
    pub fn try_allocate(&mut self, slot: u8, store: bool) -> Option<(u8, u8)> {
        let request = Inputs {
            allocate_valid: true,
            allocate_slot: slot,
            allocate_store: store,
            ..Inputs::default()
        };
        let accepted = self.cycle(&request).allocate_ready;
        let outputs = self.rest();
        assert_eq!(outputs.allocated_valid, accepted);
        if !accepted {
            assert_eq!((outputs.allocated_address, outputs.allocated_data), (0, 0));
        }
        accepted.then_some((outputs.allocated_address, outputs.allocated_data))
    }

    /// Requests the entry of a load, and gives it.
    ///
    /// # Panics
    /// If there is no free entry.
    pub fn load(&mut self, slot: u8) -> u8 {
        self.try_allocate(slot, false)
            .expect("there is no free entry")
            .0
    }

    /// Writes an operand into an entry.
    ///
    /// # Panics
    /// If the write is not accepted.
    pub fn write(&mut self, entry: u8, data: &Operand) {
        let write = Inputs {
            write_valid: true,
            write_entry: entry,
            write_data: *data,
            ..Inputs::default()
        };
        assert!(self.cycle(&write).write_ready);
    }

    /// Releases an entry of a slot.
    pub fn release(&mut self, slot: u8, entry: u8) {
        self.cycle(&Inputs {
            release_valid: true,
            release_slot: slot,
            release_entry: entry,
            ..Inputs::default()
        });
    }

    /// Reads an operand; it gives nothing if that is denied.
    ///
    /// # Panics
    /// If the request is not accepted, or another reader is answered.
    pub fn read(&mut self, reader: Reader, slot: u8, entry: u8) -> Option<Operand> {
        let request = match reader {
            Reader::Replay => Inputs {
                replay_valid: true,
                replay_slot: slot,
                replay_entry: entry,
                ..Inputs::default()
            },
            Reader::Save => Inputs {
                save_valid: true,
                save_slot: slot,
                save_entry: entry,
                ..Inputs::default()
            },
        };
        let accepted = self.cycle(&request);
        assert!(if reader == Reader::Replay {
            accepted.replay_ready
        } else {
            accepted.save_ready
        });
        let answer = self.rest();
        let answers = [
            answer.replayed_valid,
            answer.saved_valid,
            answer.read_denied,
        ];
        match answers {
            [_, _, true] => assert_eq!(answers, [false, false, true]),
            _ => assert_eq!(
                answers,
                [reader == Reader::Replay, reader == Reader::Save, false]
            ),
        }
        (!answer.read_denied).then_some(answer.read_data)
    }

    /// Tells whether both readers are denied.
    pub fn denies(&mut self, slot: u8, entry: u8) -> bool {
        let answers = [Reader::Replay, Reader::Save].map(|reader| self.read(reader, slot, entry));
        answers == [None, None]
    }
}

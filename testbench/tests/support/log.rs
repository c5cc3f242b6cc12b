//! An operand log that tests drive by hand, in all back ends at once.

use faultline_sim::sm::operand_log::{Inputs, Operand, Outputs, Parameters};
use faultline_testbench::bench::Bench;
use faultline_testbench::blocks::{self, OperandLog};

/// The log, and what a test does with it.
pub struct Log {
    bench: Bench<OperandLog>,
}

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    Replay,
    Save,
}

/// An operand that is different in every lane, and for every number.
pub fn operand(number: u64) -> Operand {
    std::array::from_fn(|lane| {
        (number + 1)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(lane as u32)
            ^ lane as u64
    })
}

impl Log {
    /// A log after reset and a launch with so many entries for each block.
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

    pub fn parameters(&self) -> Parameters {
        *self.bench.parameters()
    }

    /// A cycle, in which all back ends agree.
    pub fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.bench
            .cycle(inputs)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// A cycle without any request.
    pub fn rest(&mut self) -> Outputs {
        self.cycle(&Inputs::default())
    }

    pub fn launch(&mut self, size: u8) {
        self.cycle(&Inputs {
            launch_valid: true,
            launch_entries: size,
            ..Inputs::default()
        });
    }

    /// Asks for entries, and gives them if they were given.
    pub fn try_allocate(&mut self, slot: u8, store: bool) -> Option<(u8, u8)> {
        let ask = Inputs {
            allocate_valid: true,
            allocate_slot: slot,
            allocate_store: store,
            ..Inputs::default()
        };
        let accepted = self.cycle(&ask).allocate_ready;
        let outputs = self.rest();
        assert_eq!(outputs.allocated_valid, accepted);
        if !accepted {
            assert_eq!((outputs.allocated_address, outputs.allocated_data), (0, 0));
        }
        accepted.then_some((outputs.allocated_address, outputs.allocated_data))
    }

    /// The entry of a load.
    pub fn load(&mut self, slot: u8) -> u8 {
        self.try_allocate(slot, false)
            .expect("there is no free entry")
            .0
    }

    pub fn write(&mut self, entry: u8, data: &Operand) {
        let write = Inputs {
            write_valid: true,
            write_entry: entry,
            write_data: *data,
            ..Inputs::default()
        };
        assert!(self.cycle(&write).write_ready);
    }

    pub fn release(&mut self, slot: u8, entry: u8) {
        self.cycle(&Inputs {
            release_valid: true,
            release_slot: slot,
            release_entry: entry,
            ..Inputs::default()
        });
    }

    /// Reads an operand; nothing if that is denied.
    pub fn read(&mut self, reader: Reader, slot: u8, entry: u8) -> Option<Operand> {
        let ask = match reader {
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
        let accepted = self.cycle(&ask);
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

    /// Whether both readers are denied.
    pub fn denies(&mut self, slot: u8, entry: u8) -> bool {
        let answers = [Reader::Replay, Reader::Save].map(|reader| self.read(reader, slot, entry));
        answers == [None, None]
    }
}

//! The reference model of the fault counter: its page (`counter.md`) as plain data.

use faultline_sim::ports::Model;
use faultline_sim::{ports, widths};

/// The sizes of a fault counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Bits of the count, 1 to 63.
    pub width: usize,
}

// What the kernel's types are called on the page, and what they are here.
widths! {
    Bits<WIDTH> "W" => u64 = parameters.width,
}

ports! {
    /// What goes into `fault_counter` in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Synchronous reset, active high: the count is 0.
        reset: bool = 1,
        /// A fault occurs.
        fault: bool = 1,
        /// The count starts again.
        clear: bool = 1,
    }
}

ports! {
    /// What comes out of `fault_counter` in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// Faults since the last clear, or the greatest value.
        count: u64 = parameters.width,
        /// More faults have occurred than `count` shows.
        saturated: bool = 1,
    }
}

/// The reference model: all faults since the last clear.
#[derive(Clone, Debug)]
pub struct FaultCounter {
    parameters: Parameters,
    faults: u64,
}

impl Model for FaultCounter {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            faults: 0,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let greatest = u64::MAX >> (64 - self.parameters.width);
        let outputs = Outputs {
            count: self.faults.min(greatest),
            saturated: self.faults > greatest,
        };
        if inputs.clear {
            self.faults = 0;
        }
        self.faults += u64::from(inputs.fault);
        if inputs.reset {
            self.faults = 0;
        }
        outputs
    }
}

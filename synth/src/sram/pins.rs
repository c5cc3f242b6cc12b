//! The pins of the blocks' single-port memory: what every view of a macro is made from.

use crate::yosys::{Memory, address_bits};

/// Where a pin's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The macro reads it.
    Input,
    /// The macro drives it.
    Output,
}

/// A pin, or a bus of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Its name.
    pub name: &'static str,
    /// Where its value comes from.
    pub direction: Direction,
    /// How many bits a bus has; none for a single pin.
    pub bits: Option<usize>,
}

impl Pin {
    const fn input(name: &'static str, bits: Option<usize>) -> Self {
        Self {
            name,
            direction: Direction::Input,
            bits,
        }
    }

    /// The names of its bits, from the lowest on.
    pub fn names(&self) -> Vec<String> {
        match self.bits {
            None => vec![self.name.to_owned()],
            Some(bits) => (0..bits)
                .map(|bit| format!("{}[{bit}]", self.name))
                .collect(),
        }
    }
}

/// The pins of a memory, in the order of its ports; supplies are no part of them.
pub fn pins(memory: &Memory) -> Vec<Pin> {
    let mut pins = vec![
        Pin::input("clock", None),
        Pin::input("enable", None),
        Pin::input("write", None),
        Pin::input("address", Some(address_bits(memory.words))),
        Pin::input("data", Some(memory.bits)),
    ];
    if memory.masked {
        pins.push(Pin::input("mask", Some(memory.bits)));
    }
    pins.push(Pin {
        name: "q",
        direction: Direction::Output,
        bits: Some(memory.bits),
    });
    pins
}

//! The ports of a block, as packed words: how a test bench sets and reads a rust-hdl block without knowing its type.

use rust_hdl::prelude::*;

use crate::part::Part;

/// A block that a test bench can drive: its clock, and its inputs and outputs by name.
///
/// `#[block(top)]` writes it.
pub trait Hardware: Block + Part {
    /// The one clock of the block.
    fn clock(&mut self) -> &mut Signal<In, Clock>;
    /// Every input but the clock, `reset` among them, in the order of the struct.
    fn inputs(&mut self) -> Vec<(&'static str, &mut dyn InputPort)>;
    /// Every output, in the order of the struct.
    fn outputs(&self) -> Vec<(&'static str, &dyn OutputPort)>;
}

/// An input port, whatever its type.
pub trait InputPort {
    /// Its whole width in bits; the elements of an array are packed, element 0 lowest.
    fn bits(&self) -> usize;
    /// Sets it from packed words, lowest first.
    fn set(&mut self, words: &[u64]);
}

/// An output port, whatever its type.
pub trait OutputPort {
    /// Its whole width in bits; the elements of an array are packed, element 0 lowest.
    fn bits(&self) -> usize;
    /// Packs its value into words, lowest first. Bits above the width are zero.
    fn get(&self, words: &mut [u64]);
}

/// A value that knows its place in packed words.
pub trait Packed: Synth {
    /// Reads the value that starts at bit `offset`.
    fn unpack(words: &[u64], offset: usize) -> Self;
    /// Writes the value at bit `offset`; the bits there are zero before.
    fn pack(self, words: &mut [u64], offset: usize);
}

impl Packed for Bit {
    fn unpack(words: &[u64], offset: usize) -> Self {
        (words[offset / 64] >> (offset % 64)) & 1 == 1
    }
    fn pack(self, words: &mut [u64], offset: usize) {
        words[offset / 64] |= u64::from(self) << (offset % 64);
    }
}

impl<const WIDTH: usize> Packed for Bits<WIDTH> {
    fn unpack(words: &[u64], offset: usize) -> Self {
        let shift = offset % 64;
        if WIDTH + shift <= 64 {
            let mask = u64::MAX >> (64 - WIDTH);
            return ((words[offset / 64] >> shift) & mask).into();
        }
        let mut value = Self::default();
        for bit in 0..WIDTH {
            if bool::unpack(words, offset + bit) {
                value = value.replace_bit(bit, true);
            }
        }
        value
    }
    fn pack(self, words: &mut [u64], offset: usize) {
        let shift = offset % 64;
        if WIDTH + shift <= 64 {
            let value: u64 = self.into();
            words[offset / 64] |= value << shift;
        } else {
            for bit in 0..WIDTH {
                self.get_bit(bit).pack(words, offset + bit);
            }
        }
    }
}

impl<T: Packed> InputPort for Signal<In, T> {
    fn bits(&self) -> usize {
        T::BITS
    }
    fn set(&mut self, words: &[u64]) {
        self.next = T::unpack(words, 0);
    }
}

impl<T: Packed> OutputPort for Signal<Out, T> {
    fn bits(&self) -> usize {
        T::BITS
    }
    fn get(&self, words: &mut [u64]) {
        words.fill(0);
        self.val().pack(words, 0);
    }
}

impl<T: Packed, const ELEMENTS: usize> InputPort for [Signal<In, T>; ELEMENTS] {
    fn bits(&self) -> usize {
        T::BITS * ELEMENTS
    }
    fn set(&mut self, words: &[u64]) {
        for (index, signal) in self.iter_mut().enumerate() {
            signal.next = T::unpack(words, index * T::BITS);
        }
    }
}

impl<T: Packed, const ELEMENTS: usize> OutputPort for [Signal<Out, T>; ELEMENTS] {
    fn bits(&self) -> usize {
        T::BITS * ELEMENTS
    }
    fn get(&self, words: &mut [u64]) {
        words.fill(0);
        for (index, signal) in self.iter().enumerate() {
            signal.val().pack(words, index * T::BITS);
        }
    }
}

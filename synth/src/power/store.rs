//! A memory of a netlist, and its accesses.

use super::circuit::{Macro, NetId};
use crate::yosys::Memory;

/// The single-ported memory of the blocks: an access is a cycle with `enable`; a write changes the word, or those bits
/// of it whose bit in `mask` is 1, and a read shows it on `q` from the next cycle on.
#[derive(Clone, Debug)]
pub struct Store {
    of: Macro,
    words: Vec<u64>,
    /// Words of 64 bits in a word.
    width: usize,
    read: Vec<u64>,
    /// Reads and writes.
    pub accesses: [u64; 2],
}

impl Store {
    /// A memory full of zeros.
    pub fn new(of: &Macro, kind: &Memory) -> Self {
        let width = kind.bits.div_ceil(64);
        Self {
            of: of.clone(),
            words: vec![0; kind.words * width],
            width,
            read: vec![0; width],
            accesses: [0; 2],
        }
    }

    /// The clock rises. Bits of `q` that change are added to the list. An address beyond the last word writes nothing and
    /// reads 0.
    pub fn access(&mut self, value: impl Fn(NetId) -> bool, flips: &mut Vec<NetId>) {
        if !value(self.of.enable) {
            return;
        }
        let bits = self.of.address.iter().enumerate();
        let address: usize = bits.map(|(bit, net)| usize::from(value(*net)) << bit).sum();
        let first = address * self.width;
        let write = value(self.of.write);
        self.accesses[usize::from(write)] += 1;
        let word = self.words.get_mut(first..first + self.width);
        if write {
            for (place, word) in word.into_iter().flatten().enumerate() {
                let bits = |nets: &[NetId]| -> u64 {
                    let nets = nets.iter().skip(64 * place).take(64).enumerate();
                    nets.map(|(bit, net)| u64::from(value(*net)) << bit).sum()
                };
                let mask = match self.of.mask.is_empty() {
                    true => u64::MAX,
                    false => bits(&self.of.mask),
                };
                *word = *word & !mask | bits(&self.of.data) & mask;
            }
            return;
        }
        for place in 0..self.width {
            let next = self.words.get(first + place).copied().unwrap_or_default();
            let mut changed = self.read[place] ^ next;
            self.read[place] = next;
            while changed != 0 {
                let bit = changed.trailing_zeros() as usize;
                flips.extend(self.of.q.get(64 * place + bit));
                changed &= changed - 1;
            }
        }
    }
}

//! Tables in a few frames of memory, made as they are read.

use std::collections::HashMap;

use faultline_sim::walk::{ACCESSED, DIRTY, EXECUTE_DISABLE, PAGE_SIZE, PRESENT, USER, WRITABLE};

use super::modes::Mode;
use crate::traffic::Rng;

/// Frames of tables: few, so that they are each other's and their own, at every level.
const FRAMES: usize = 6;

/// Bits of a frame that every memory has.
const FRAME_BITS: usize = 24;

/// Address spaces in use at a time.
const SPACES: usize = 4;

/// Places of a table that are used.
const INDICES: [u64; 4] = [0, 3, 256, 511];

/// Entries by the number of their word, and the spaces whose tables they are.
pub struct Tables {
    pfn_bits: usize,
    asid_bits: usize,
    pfns: [u64; FRAMES],
    asids: [u8; SPACES],
    words: HashMap<u64, u64>,
}

impl Tables {
    /// None yet, for frames and spaces with numbers of so many bits.
    pub fn new(pfn_bits: usize, asid_bits: usize) -> Self {
        Self {
            pfn_bits,
            asid_bits,
            pfns: [0; FRAMES],
            asids: [0; SPACES],
            words: HashMap::new(),
        }
    }

    /// Discards all; what is read is made again, in other frames and for other spaces.
    pub fn clear(&mut self, rng: &mut Rng) {
        self.words.clear();
        // Where addresses are shorter, high bits of a frame are reserved, and hardly a walk comes to its end.
        let bits = match rng.byte() {
            0..32 => self.pfn_bits,
            _ => self.pfn_bits.min(FRAME_BITS),
        };
        for pfn in &mut self.pfns {
            *pfn = rng.bits() >> (64 - bits);
        }
        for asid in &mut self.asids {
            *asid = rng.byte() >> (8 - self.asid_bits);
        }
        // Two that differ in one bit, if they are two.
        self.asids[1] = self.asids[0] ^ 1 << rng.below(self.asid_bits as u64);
    }

    /// A space.
    pub fn asid(&self, rng: &mut Rng) -> u8 {
        self.asids[rng.below(SPACES as u64) as usize]
    }

    /// A place of a table.
    pub fn index(&self, rng: &mut Rng) -> u64 {
        INDICES[rng.below(INDICES.len() as u64) as usize]
    }

    /// The frame of a table.
    pub fn pfn(&self, rng: &mut Rng) -> u64 {
        self.pfns[rng.below(FRAMES as u64) as usize]
    }

    /// The entry at a word.
    pub fn read(&mut self, rng: &mut Rng, mode: &Mode, word: u64) -> u64 {
        let entry = self.entry(rng, mode);
        *self.words.entry(word).or_insert(entry)
    }

    /// Sets the accessed bit, and the dirty bit, of an entry that is as expected but for these; returns whether it is.
    pub fn update(&mut self, word: u64, expected: u64, dirty: bool) -> bool {
        self.words.get_mut(&word).is_some_and(|entry| {
            let same = (*entry ^ expected) & !(ACCESSED | DIRTY) == 0;
            if same {
                *entry |= ACCESSED | if dirty { DIRTY } else { 0 };
            }
            same
        })
    }

    /// Software changes an entry.
    pub fn change(&mut self, rng: &mut Rng, mode: &Mode) {
        let entry = self.entry(rng, mode);
        let count = self.words.len().max(1) as u64;
        let mut words: Vec<_> = self.words.keys().copied().collect();
        words.sort_unstable();
        if let Some(word) = words.get(rng.below(count) as usize) {
            self.words.insert(*word, entry);
        }
    }

    /// An entry that may be anywhere.
    pub fn entry(&self, rng: &mut Rng, mode: &Mode) -> u64 {
        let all = [
            (PRESENT, mode.present),
            (WRITABLE, mode.open),
            (USER, mode.open),
            (ACCESSED, mode.marked),
            (DIRTY, mode.marked),
            (PAGE_SIZE, mode.large),
            (EXECUTE_DISABLE, 256 - mode.open),
        ];
        let mut entry = self.pfn(rng) << 12;
        for (bit, chance) in all {
            if rng.chance(chance) {
                entry |= bit;
            }
        }
        if entry & PAGE_SIZE != 0 {
            // The bits inside of 1 GB, inside of 2 MB, or all but one of them are clear.
            entry &= match rng.byte() {
                0..140 => !0x3FFF_E000,
                140..210 => !0x001F_E000,
                _ => !0x3FFF_E000 | 0x10_0000,
            };
        }
        if rng.chance(mode.reserved) {
            entry ^= 1 << (12 + rng.below(40));
        }
        entry
    }
}

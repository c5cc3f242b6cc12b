//! Tables in a few frames of memory, made as they are read.

use std::collections::HashMap;

use faultline_sim::walk::{ACCESSED, DIRTY, EXECUTE_DISABLE, PAGE_SIZE, PRESENT, USER, WRITABLE};

use super::modes::Mode;
use crate::traffic::Dice;

/// Frames of tables: few, so that they are each other's and their own, at every level.
const FRAMES: u64 = 6;

/// Places of a table that are used.
const INDICES: [u64; 4] = [0, 3, 256, 511];

/// Entries by the number of their word.
#[derive(Default)]
pub struct Tables {
    words: HashMap<u64, u64>,
}

impl Tables {
    /// Forgets all; what is read is made anew.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// A place of a table.
    pub fn index(&self, dice: &mut Dice) -> u64 {
        INDICES[dice.below(INDICES.len() as u64) as usize]
    }

    /// The frame of a table.
    pub fn frame(&self, dice: &mut Dice) -> u64 {
        0x200 * dice.below(FRAMES) + 0x10
    }

    /// The entry at a word.
    pub fn read(&mut self, dice: &mut Dice, mode: &Mode, word: u64) -> u64 {
        let entry = self.entry(dice, mode);
        *self.words.entry(word).or_insert(entry)
    }

    /// Sets the accessed bit, and the dirty bit.
    pub fn set(&mut self, word: u64, dirty: bool) {
        if let Some(entry) = self.words.get_mut(&word) {
            *entry |= ACCESSED | if dirty { DIRTY } else { 0 };
        }
    }

    /// Software changes an entry.
    pub fn change(&mut self, dice: &mut Dice, mode: &Mode) {
        let entry = self.entry(dice, mode);
        let count = self.words.len().max(1) as u64;
        let mut words: Vec<_> = self.words.keys().copied().collect();
        words.sort_unstable();
        if let Some(word) = words.get(dice.below(count) as usize) {
            self.words.insert(*word, entry);
        }
    }

    fn entry(&self, dice: &mut Dice, mode: &Mode) -> u64 {
        let all = [
            (PRESENT, mode.present),
            (WRITABLE, mode.open),
            (USER, mode.open),
            (ACCESSED, mode.marked),
            (DIRTY, mode.marked),
            (PAGE_SIZE, mode.large),
            (EXECUTE_DISABLE, 256 - mode.open),
        ];
        let mut entry = self.frame(dice) << 12;
        for (bit, chance) in all {
            if dice.chance(chance) {
                entry |= bit;
            }
        }
        if entry & PAGE_SIZE != 0 {
            entry &= !0x3FFF_E000 | 0x10_0000;
            if dice.chance(200) {
                entry &= !0x3FFF_E000;
            }
        }
        if dice.chance(mode.reserved) {
            entry ^= 1 << (12 + dice.below(40));
        }
        entry
    }
}

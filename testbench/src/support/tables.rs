//! Page tables that may be hostile, and a memory that answers and updates.

use std::collections::HashMap;

use faultline_sim::walk::{ACCESSED, DIRTY, Rules};

use crate::sweep::{BITS, LIMIT, OPEN, ROOT, Words};
use crate::traffic::Rng;

/// Gives tables in a few pages, and an address that they translate. Entries point to each other and to themselves, out
/// of memory, and anywhere. Of eight addresses, one is left as it is, be it canonical or not.
pub fn hostile(rng: &mut Rng, rules: &Rules) -> (Words, u64) {
    let indices = [0, 1, 2, 511];
    let mut words = Words::new();
    for page in 0..4 {
        for index in indices {
            let frame = match rng.below(16) {
                0 => LIMIT,
                1 => rng.below(1 << 40) << 12,
                2 => 1 << 39,
                _ => ROOT + 0x1000 * rng.below(4),
            };
            let flags = match rng.below(8) {
                0 => BITS.iter().filter(|_| rng.chance(128)).sum(),
                1 => OPEN & !BITS[rng.below(5) as usize],
                _ => OPEN,
            };
            let frame = frame & !(1 << 45 | 1 << 13);
            words.push((ROOT + 0x1000 * page + 8 * index, frame | flags));
        }
    }
    let chosen = (0..5).map(|_| indices[rng.below(4) as usize]);
    let address = chosen.fold(0, |address, index| address << 9 | index);
    let address = address << 12 | rng.below(512) << 3;
    let unused = 64 - u32::from(rules.virtual_bits());
    let address = match rng.below(8) {
        0 => address,
        _ => ((address << unused) as i64 >> unused) as u64,
    };
    (words, address)
}

/// Gives what memory answers, which is the word as it was and whether an update that expects another one is refused,
/// and does to memory what the update does.
pub(super) fn answer(
    memory: &mut HashMap<u64, u64>,
    word: u64,
    expected: Option<u64>,
    dirty: bool,
) -> (u64, bool) {
    let entry = memory.get(&word).copied().unwrap_or(0);
    let changed = expected.is_some_and(|expected| (entry ^ expected) & !(ACCESSED | DIRTY) != 0);
    if expected.is_some() && !changed {
        let marks = if dirty { ACCESSED | DIRTY } else { ACCESSED };
        memory.insert(word, entry | marks);
    }
    (entry, changed)
}

//! Page tables for the tests of walks: every combination of an entry's bits, and tables that may be hostile.

use std::collections::HashMap;

use faultline_sim::walk::{
    ACCESSED, Access, DIRTY, EXECUTE_DISABLE, PAGE_SIZE, PRESENT, Request, Rules, USER, WRITABLE,
};
use faultline_testbench::traffic::Dice;

/// Where the table of the root is.
pub const ROOT: u64 = 0x1000;
/// Where memory ends.
pub const LIMIT: u64 = 1 << 40;
/// All that an entry may hold: present, writable, user, accessed, dirty, page size, execute-disable, and a bit that is
/// reserved in a large page or beyond the physical addresses.
pub const BITS: [u64; 9] = [
    PRESENT,
    WRITABLE,
    USER,
    ACCESSED,
    DIRTY,
    PAGE_SIZE,
    EXECUTE_DISABLE,
    1 << 13,
    1 << 45,
];
/// An entry that forbids nothing and needs no update.
pub const OPEN: u64 = PRESENT | WRITABLE | USER | ACCESSED | DIRTY;

/// Words of memory, with their addresses.
pub type Words = Vec<(u64, u64)>;

/// Every machine: its levels, execute-disable, updates, physical addresses.
pub fn all_rules() -> impl Iterator<Item = Rules> + Clone {
    (0..16).map(|choice: u32| Rules {
        levels: if choice & 1 != 0 { 5 } else { 4 },
        execute_disable: choice & 2 != 0,
        updates: choice & 4 != 0,
        physical_bits: if choice & 8 != 0 { 52 } else { 40 },
    })
}

/// Every kind of access to an address.
pub fn requests(address: u64) -> impl Iterator<Item = Request> {
    Access::ALL.into_iter().flat_map(move |access| {
        [true, false].map(|user| Request {
            address,
            access,
            user,
        })
    })
}

/// Tables that lead to a page of a level, open to everybody, the root's first.
pub fn tables(levels: u8, page_level: u8, address: u64) -> Words {
    let mut table = ROOT;
    (page_level..=levels)
        .rev()
        .map(|level| {
            let place = table + (address >> (12 + 9 * (level - 1)) & 511) * 8;
            let next = 0x10_0000 * u64::from(level);
            table = next;
            let value = match level == page_level {
                true if level > 1 => 0x3F_C000_0000 | OPEN | PAGE_SIZE,
                true => 0x1234_5000 | OPEN,
                false => next | OPEN,
            };
            (place, value)
        })
        .collect()
}

/// Calls with every combination of bits at every level of every page size, and every access: 516,096 cases over all rules.
pub fn every_combination(rules: &Rules, mut case: impl FnMut(&Words, &Request)) {
    let address = 0x0000_7ABC_DEF1_2348;
    for page_level in 1..=3 {
        let tables = tables(rules.levels, page_level, address);
        for place in 0..tables.len() {
            for choice in 0..1u64 << BITS.len() {
                let flags = (0..BITS.len()).filter(|&bit| choice >> bit & 1 != 0);
                let flags: u64 = flags.map(|bit| BITS[bit]).sum();
                let mut words = tables.clone();
                words[place].1 = words[place].1 & !(OPEN | PAGE_SIZE) | flags;
                for request in requests(address) {
                    case(&words, &request);
                }
            }
        }
    }
}

/// Every machine with every width of physical addresses from 32 to 52 bits.
pub fn all_widths() -> impl Iterator<Item = Rules> {
    let narrow = all_rules().filter(|rules| rules.physical_bits == 40);
    narrow.flat_map(|rules| {
        (32..=52).map(move |physical_bits| Rules {
            physical_bits,
            ..rules
        })
    })
}

/// Calls with every single bit of an address, and execute-disable, in the entry of every level of every page size, whose
/// others are in order: 144,648 cases over all widths.
pub fn every_bit(rules: &Rules, mut case: impl FnMut(&Words, &Request)) {
    let address = 0x0000_7ABC_DEF1_2348;
    let [request, execute] = [Access::Read, Access::Execute].map(|access| Request {
        address,
        access,
        user: true,
    });
    for page_level in 1..=3 {
        let mut tables = tables(rules.levels, page_level, address);
        for (_, value) in &mut tables {
            *value &= (1 << rules.physical_bits) - 1;
        }
        for place in 0..tables.len() {
            for bit in (12..=51).chain([63]) {
                let mut words = tables.clone();
                words[place].1 ^= 1 << bit;
                case(&words, &request);
                case(&words, &execute);
            }
        }
    }
}

/// Tables in a few pages, entries of which point to each other and to themselves, out of memory, and anywhere; and an
/// address that they translate. Of eight addresses, one is left as it is, be it canonical or not.
pub fn hostile(dice: &mut Dice, rules: &Rules) -> (Words, u64) {
    let indices = [0, 1, 2, 511];
    let mut words = Words::new();
    for page in 0..4 {
        for index in indices {
            let frame = match dice.below(16) {
                0 => LIMIT,
                1 => dice.below(1 << 40) << 12,
                2 => 1 << 39,
                _ => ROOT + 0x1000 * dice.below(4),
            };
            let flags = match dice.below(8) {
                0 => BITS.iter().filter(|_| dice.chance(128)).sum(),
                1 => OPEN & !BITS[dice.below(5) as usize],
                _ => OPEN,
            };
            let frame = frame & !(1 << 45 | 1 << 13);
            words.push((ROOT + 0x1000 * page + 8 * index, frame | flags));
        }
    }
    let chosen = (0..5).map(|_| indices[dice.below(4) as usize]);
    let address = chosen.fold(0, |address, index| address << 9 | index);
    let address = address << 12 | dice.below(512) << 3;
    let unused = 64 - u32::from(rules.virtual_bits());
    let address = match dice.below(8) {
        0 => address,
        _ => ((address << unused) as i64 >> unused) as u64,
    };
    (words, address)
}

/// What memory answers, the word as it was and whether an update that expects another one is refused; and what an update
/// does to it.
pub fn answer(
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

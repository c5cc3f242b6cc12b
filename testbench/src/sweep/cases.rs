//! The cases of the sweeps: page tables, and what is asked of them.

use faultline_sim::walk::{
    ACCESSED, Access, DIRTY, EXECUTE_DISABLE, PAGE_SIZE, PRESENT, Request, Rules, USER, WRITABLE,
};

/// Where the table of the root is.
pub const ROOT: u64 = 0x1000;
/// Where memory ends.
pub const LIMIT: u64 = 1 << 40;
/// The address that is walked; its indices differ at every level.
const ADDRESS: u64 = 0x0000_7ABC_DEF1_2348;
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
/// The bits for rights, and those that a walk sets.
const RIGHTS: [u64; 3] = [WRITABLE, USER, EXECUTE_DISABLE];
const MARKS: [u64; 2] = [ACCESSED, DIRTY];
const RIGHTS_AND_MARKS: [u64; 5] = [WRITABLE, USER, EXECUTE_DISABLE, ACCESSED, DIRTY];
/// An entry that forbids nothing and needs no update.
pub const OPEN: u64 = PRESENT | WRITABLE | USER | ACCESSED | DIRTY;

/// Words of memory, with their addresses.
pub type Words = Vec<(u64, u64)>;

/// Page tables, and what is asked of them one after the other, each time as they were.
#[derive(Clone, Debug)]
pub struct Case {
    /// The tables.
    pub words: Words,
    /// What is asked.
    pub requests: Vec<Request>,
}

/// What is varied, in tables of every page size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// All bits of one entry.
    Entry,
    /// The rights that all entries give, at once.
    Rights,
    /// Rights and marks of two entries at once.
    Pair,
    /// The marks of all entries at once.
    Marks,
    /// One bit of an address, or execute-disable, in one entry, with physical addresses of every width.
    Bit,
}

impl Sweep {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Entry,
        Self::Rights,
        Self::Pair,
        Self::Marks,
        Self::Bit,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Entry => "one entry",
            Self::Rights => "rights of all entries",
            Self::Pair => "two entries",
            Self::Marks => "marks of all entries",
            Self::Bit => "one bit",
        }
    }

    /// What is varied, in words.
    #[must_use]
    pub const fn varied(self) -> &'static str {
        match self {
            Self::Entry => {
                "present, writable, user, accessed, dirty, page size, execute-disable, bit 13 and bit 45 of one entry, the \
                 others open to everybody"
            }
            Self::Rights => "writable, user and execute-disable of every entry on the path at once",
            Self::Pair => {
                "writable, user, execute-disable, accessed and dirty of every two entries at once, the others open"
            }
            Self::Marks => "accessed and dirty of every entry on the path at once",
            Self::Bit => {
                "each bit from 12 to 51, and execute-disable, of one entry, with physical addresses of 32 to 52 bits; a \
                 user's read and execution"
            }
        }
    }

    /// The machines on which it is run.
    #[must_use]
    pub fn rules(self) -> Vec<Rules> {
        match self {
            Self::Bit => all_widths().collect(),
            _ => all_rules().collect(),
        }
    }

    /// Its cases on a machine.
    pub fn cases(self, rules: &Rules) -> Box<dyn Iterator<Item = Case>> {
        let rules = *rules;
        let levels = rules.levels;
        match self {
            Self::Entry => varied(
                levels,
                |tables| Box::new(places(tables).map(|place| vec![place])),
                &BITS,
            ),
            Self::Rights => varied(levels, whole, &RIGHTS),
            Self::Pair => varied(levels, pairs, &RIGHTS_AND_MARKS),
            Self::Marks => varied(levels, whole, &MARKS),
            Self::Bit => Box::new((1..=3).flat_map(move |level| every_bit(&rules, level))),
        }
    }

    /// How many requests are walked on a machine.
    #[must_use]
    pub fn count(self, rules: &Rules) -> u64 {
        let count = |case: Case| case.requests.len() as u64;
        self.cases(rules).map(count).sum()
    }
}

/// Every machine: its levels, execute-disable, updates, physical addresses.
pub fn all_rules() -> impl Iterator<Item = Rules> + Clone {
    (0..16).map(|choice: u32| Rules {
        levels: if choice & 1 != 0 { 5 } else { 4 },
        execute_disable: choice & 2 != 0,
        updates: choice & 4 != 0,
        physical_bits: if choice & 8 != 0 { 52 } else { 40 },
    })
}

/// Every machine with every width of physical addresses from 32 to 52 bits.
fn all_widths() -> impl Iterator<Item = Rules> {
    let narrow = all_rules().filter(|rules| rules.physical_bits == 40);
    narrow.flat_map(|rules| {
        (32..=52).map(move |physical_bits| Rules {
            physical_bits,
            ..rules
        })
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

/// Tables that lead to a page of a level, with all rights, the root's first.
#[must_use]
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

fn places(tables: &Words) -> std::ops::Range<usize> {
    0..tables.len()
}

/// Sets of places whose entries are varied at once.
type Sets = Box<dyn Iterator<Item = Vec<usize>>>;

fn whole(tables: &Words) -> Sets {
    Box::new(std::iter::once(places(tables).collect()))
}

fn pairs(tables: &Words) -> Sets {
    let places = places(tables);
    Box::new(places.clone().flat_map(move |first| {
        let others = places.clone().skip(first + 1);
        others.map(move |second| vec![first, second])
    }))
}

/// Every combination of bits in the entries of each set of places at once, and every access, for every page size.
fn varied(
    levels: u8,
    sets: fn(&Words) -> Sets,
    bits: &'static [u64],
) -> Box<dyn Iterator<Item = Case>> {
    let cases = (1..=3).flat_map(move |page_level| {
        let tables = tables(levels, page_level, ADDRESS);
        sets(&tables).flat_map(move |set| {
            let tables = tables.clone();
            (0..1u64 << (bits.len() * set.len())).map(move |choice| {
                let mut words = tables.clone();
                for (number, &place) in set.iter().enumerate() {
                    let of_entry = choice >> (bits.len() * number);
                    let chosen = bits
                        .iter()
                        .enumerate()
                        .filter(|(bit, _)| of_entry >> bit & 1 != 0);
                    let chosen: u64 = chosen.map(|(_, flag)| flag).sum();
                    let all: u64 = bits.iter().sum();
                    words[place].1 = words[place].1 & !all | chosen;
                }
                Case {
                    words,
                    requests: requests(ADDRESS).collect(),
                }
            })
        })
    });
    Box::new(cases)
}

/// Every single bit of an address, and execute-disable, in the entry of every level, whose others are in order.
fn every_bit(rules: &Rules, page_level: u8) -> impl Iterator<Item = Case> + use<> {
    let mut tables = tables(rules.levels, page_level, ADDRESS);
    for (_, value) in &mut tables {
        *value &= (1 << rules.physical_bits) - 1;
    }
    places(&tables).flat_map(move |place| {
        let tables = tables.clone();
        (12..=51).chain([63]).map(move |bit| {
            let mut words = tables.clone();
            words[place].1 ^= 1 << bit;
            let requests = [Access::Read, Access::Execute].map(|access| Request {
                address: ADDRESS,
                access,
                user: true,
            });
            Case {
                words,
                requests: requests.to_vec(),
            }
        })
    })
}

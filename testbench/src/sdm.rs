//! A second oracle for page walks, by other reasoning than the reference: formats of entries as tables of masks, straight
//! from the figures of the SDM (volume 3A, "Paging": 4-level and 5-level), and a verdict over the whole path at once.
//!
//! It lists all that is wrong with a translation, and says which of it the processor reports: what lies nearest to the
//! root first; at one entry first that it is not there, then that it is malformed; and rights only if nothing else is
//! wrong on the path.

use std::collections::BTreeMap;

/// Memory by words; what is not listed is zero.
pub type Words = BTreeMap<u64, u64>;

/// The machine.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// 57-bit addresses.
    pub five_levels: bool,
    /// MAXPHYADDR.
    pub physical_bits: u32,
    /// IA32_EFER.NXE.
    pub nxe: bool,
    /// Accessed and dirty bits are set by the walker.
    pub updates: bool,
    /// Where memory ends.
    pub limit: u64,
}

/// What is asked: a linear address, and the bits W/R, U/S and I/D of an error code.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// The linear address.
    pub linear: u64,
    /// It is a write.
    pub write: bool,
    /// It is a user's.
    pub user: bool,
    /// It is a fetch.
    pub fetch: bool,
}

/// What must come of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A page: physical address, size in bytes, writable, for users, executable.
    Page(u64, u64, bool, bool, bool),
    /// No page: its name, the depth of the entry to blame counted from the root (none before the first), the error code.
    Fault(&'static str, Option<usize>, Option<u32>),
}

/// A format of an entry: bits that tell it, its reserved bits without the address's, its frame's lowest bit, and
/// whether it maps a page.
struct Format {
    telling: u64,
    told: u64,
    reserved: u64,
    lowest: u32,
    page: bool,
}

const PS: u64 = 0x80;
const XD: u64 = 1 << 63;

/// Formats by the number of table levels below an entry's own.
fn formats(below: usize) -> Vec<Format> {
    let table = |reserved| Format {
        telling: 0,
        told: 0,
        reserved,
        lowest: 12,
        page: false,
    };
    let page = |telling, reserved, lowest| Format {
        telling,
        told: telling,
        reserved,
        lowest,
        page: true,
    };
    match below {
        // 4 KB: bit 7 is PAT.
        0 => vec![page(0, 0, 12)],
        // 2 MB: bits 20:13.
        1 => vec![page(PS, 0x001F_E000, 21), table(0)],
        // 1 GB: bits 29:13.
        2 => vec![page(PS, 0x3FFF_E000, 30), table(0)],
        _ => vec![table(PS)],
    }
}

/// An entry on the path.
struct Place {
    address: u64,
    word: u64,
}

/// Judges a query on the tables at `root`; gives the verdict and memory as it must be afterwards.
#[must_use]
pub fn judge(machine: &Machine, words: &Words, root: u64, query: &Query) -> (Verdict, Words) {
    let depth = if machine.five_levels { 5 } else { 4 };
    let unchanged = |verdict| (verdict, words.clone());
    let significant = 12 + 9 * depth as u32;
    let upper = query.linear >> (significant - 1);
    if upper != 0 && upper != u64::MAX >> (significant - 1) {
        return unchanged(Verdict::Fault("non-canonical", None, None));
    }

    // The path, as far as it can be followed at all, and what is wrong on it: depth, rank at that entry, name.
    let word = |address: u64| words.get(&address).copied().unwrap_or(0);
    let beyond = (1u64 << 52) - (1u64 << machine.physical_bits);
    let mut path: Vec<Place> = Vec::new();
    let mut wrong: Vec<(usize, u32, &'static str)> = Vec::new();
    let mut table = root;
    let mut frame = None;
    while frame.is_none() && wrong.is_empty() {
        let here = path.len();
        let below = depth - 1 - here;
        let index = (query.linear >> (12 + 9 * below)) % 512;
        let address = table + 8 * index;
        if address >= machine.limit {
            wrong.push((here, 0, "outside-memory"));
            break;
        }
        let entry = word(address);
        path.push(Place {
            address,
            word: entry,
        });
        let format = formats(below)
            .into_iter()
            .find(|format| entry & format.telling == format.told);
        let Some(format) = format else { break };
        if entry % 2 == 0 {
            wrong.push((here, 1, "not-present"));
        }
        let mut reserved = format.reserved | beyond;
        if !machine.nxe {
            reserved += XD;
        }
        if entry & reserved > 0 {
            wrong.push((here, 2, "reserved-bit"));
        }
        let top = entry % (1 << machine.physical_bits);
        let base = top >> format.lowest << format.lowest;
        match format.page {
            true => frame = Some((base, format.lowest)),
            false => table = base,
        }
    }

    // Over the whole path.
    let every = |bit: u32| path.iter().all(|place| place.word >> bit & 1 == 1);
    let some = |bit: u32| path.iter().any(|place| place.word >> bit & 1 == 1);
    let (writable, user, executable) = (every(1), every(2), !some(63));
    let last = path.len().saturating_sub(1);
    let whole = path.len() + 1;
    if let Some((base, size)) = frame.filter(|_| wrong.is_empty()) {
        let physical = base + query.linear % (1 << size);
        if (query.write && !writable) || (query.user && !user) || (query.fetch && !executable) {
            wrong.push((whole, 0, "protection"));
        }
        if physical >= machine.limit {
            wrong.push((whole, 1, "outside-memory"));
        }
        if !machine.updates && !every(5) {
            wrong.push((whole, 2, "not-accessed"));
        }
        if !machine.updates && query.write && path[last].word & 0x40 == 0 {
            wrong.push((whole, 3, "not-dirty"));
        }
        if wrong.is_empty() {
            let mut after = words.clone();
            if machine.updates {
                for place in &path {
                    *after.entry(place.address).or_default() |= 0x20;
                }
                if query.write {
                    *after.entry(path[last].address).or_default() |= 0x40;
                }
            }
            let page = Verdict::Page(physical, 1 << size, writable, user, executable);
            return (page, after);
        }
    }
    let first = wrong.into_iter().min();
    let Some((at, _, name)) = first else {
        return unchanged(Verdict::Fault("non-canonical", None, None));
    };
    let blamed = match name {
        "not-accessed" => path.iter().position(|place| place.word & 0x20 == 0),
        _ => Some(at.min(if at == whole { last } else { at })),
    };
    let code = u32::from(name != "not-present")
        + 2 * u32::from(query.write)
        + 4 * u32::from(query.user)
        + 8 * u32::from(name == "reserved-bit")
        + 16 * u32::from(query.fetch && machine.nxe);
    let code = (name != "outside-memory").then_some(code);
    unchanged(Verdict::Fault(name, blamed, code))
}

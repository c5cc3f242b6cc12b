//! The ports of a macro: which of its pins address, read, write and mask, by what its Liberty file says of them.

use faultline_liberty::Tree;

/// The pins that the memories' single port is made of.
#[derive(Clone, Debug)]
pub struct Ports<'a> {
    /// All of them, such as `1rw1r`.
    pub name: String,
    /// The output with the word that is read.
    pub read: Tree<'a>,
    /// The input with the word that is written.
    pub write: Tree<'a>,
}

/// The buses and single pins of a cell; those of a built-in test are none of its ports.
pub fn pins<'a>(cell: Tree<'a>) -> impl Iterator<Item = Tree<'a>> {
    let pins = cell.groups("bus").chain(cell.groups("pin"));
    pins.filter(|pin| !pin.name().to_ascii_lowercase().contains("bist"))
}

/// Whether a pin is an input.
pub fn is_input(pin: &Tree<'_>) -> bool {
    pin.value("direction") == Some("input")
}

/// The pins of a kind of access, each with the name of its address.
fn accesses<'a>(cell: Tree<'a>, kind: &'static str) -> Vec<(&'a str, Tree<'a>)> {
    let of_pin = |pin: Tree<'a>| Some((pin.groups(kind).next()?.value("address")?, pin));
    pins(cell).filter_map(of_pin).collect()
}

impl<'a> Ports<'a> {
    /// The ports of a cell: one that reads and writes if there is one, else one for either.
    pub fn of(cell: Tree<'a>) -> Result<Self, String> {
        let reads = accesses(cell, "memory_read");
        let mut writes = accesses(cell, "memory_write");
        // Masks are also written with, and some files say so.
        if writes.iter().any(|(_, pin)| !is_mask(pin)) {
            writes.retain(|(_, pin)| !is_mask(pin));
        }
        let of = |list: &[(&'a str, Tree<'a>)], address: &str| {
            let mut list = list.iter();
            list.find(|(other, _)| *other == address)
                .map(|(_, pin)| *pin)
        };
        let both = reads
            .iter()
            .filter_map(|&(address, read)| Some((read, of(&writes, address)?)));
        let both: Vec<_> = both.collect();
        let alone = |list: &[(&'a str, Tree<'a>)], others: &[(&'a str, Tree<'a>)]| {
            let alone = list
                .iter()
                .filter(|(address, _)| of(others, address).is_none());
            alone.map(|(_, pin)| *pin).collect::<Vec<_>>()
        };
        let (only_read, only_write) = (alone(&reads, &writes), alone(&writes, &reads));
        let counts = [
            (both.len(), "rw"),
            (only_read.len(), "r"),
            (only_write.len(), "w"),
        ];
        let name: String = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, kind)| format!("{count}{kind}"))
            .collect();
        let (read, write) = match (both.first(), only_read.first(), only_write.first()) {
            (Some(&(read, write)), ..) => (read, write),
            (None, Some(&read), Some(&write)) => (read, write),
            (None, None, _) => return Err("has no pin with a `memory_read` group".to_owned()),
            (None, _, None) => return Err("has no pin with a `memory_write` group".to_owned()),
        };
        Ok(Self { name, read, write })
    }
}

/// What the names of write masks have in them.
const MASKS: [&str; 8] = ["mask", "bm", "wen", "bwe", "wbe", "bw", "be", "strb"];

fn is_mask(bus: &Tree<'_>) -> bool {
    let name = bus.name().to_ascii_lowercase();
    MASKS.iter().any(|part| name.contains(part))
}

/// Bits that a bit of the write mask stands for; those of a word where there is no mask. What is written is none.
pub fn mask_bits<'a>(
    cell: Tree<'a>,
    bits: usize,
    written: Tree<'a>,
    width: impl Fn(&Tree<'_>) -> Option<usize>,
) -> usize {
    let is_one = |bus: &Tree<'_>| is_input(bus) && is_mask(bus) && bus.name() != written.name();
    let masks = pins(cell).filter(is_one);
    let widths = masks.filter_map(|bus| width(&bus));
    let fitting = widths.filter(|&width| width > 0 && bits.is_multiple_of(width));
    bits / fitting.max().unwrap_or(1)
}

/// The pin that says whether an access writes, among those that some conditions name, and whether it does when it is low.
pub fn write_pin<'a>(cell: Tree<'a>, conditions: &[&str]) -> Option<(&'a str, bool)> {
    let stem = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.trim_end_matches(|letter: char| letter.is_ascii_digit())
            .to_owned()
    };
    let inputs = || cell.groups("pin").filter(is_input).map(|pin| pin.name());
    let is_named = |name: &&str| conditions.iter().any(|when| sign(when, name).is_some());
    let writes = |name: &&str| {
        let stem = stem(name);
        (stem.contains("we") || stem.contains("wr")) && !stem.contains("bist")
    };
    let name = inputs().find(|name| writes(name) && is_named(name))?;
    // `WEN` is low-active beside a select that is, and high-active beside an enable.
    let low_select = inputs().any(|name| {
        let stem = stem(name);
        ["cen", "ceb", "csb", "csn"]
            .iter()
            .any(|end| stem.ends_with(end))
    });
    let stem = stem(name);
    let is_low =
        stem.ends_with('b') || stem.ends_with("_n") || (stem.ends_with("en") && low_select);
    Some((name, is_low))
}

/// Whether a condition has a pin as it is (true) or its complement (false); none if it does not name it.
pub fn sign(when: &str, pin: &str) -> Option<bool> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_[]".contains(letter);
    let place = when
        .match_indices(pin)
        .map(|(place, _)| place)
        .find(|&place| {
            !when[..place].ends_with(is_part) && !when[place + pin.len()..].starts_with(is_part)
        })?;
    let before = when[..place].trim_end_matches([' ', '(']);
    let after = when[place + pin.len()..].trim_start();
    Some(!before.ends_with('!') && !after.starts_with('\''))
}

#[cfg(test)]
mod tests {
    use super::*;
    use faultline_liberty::Text;

    #[test]
    fn controls_are_recognized_by_their_names_and_conditions() {
        assert_eq!(sign("!csb0 & !web0", "web0"), Some(false));
        assert_eq!(sign("((!CEN) & (GWEN))", "GWEN"), Some(true));
        assert_eq!(sign("A_MEN & A_WEN' & A_REN", "A_WEN"), Some(false));
        assert_eq!(sign("A_MEN & B_WEN", "WEN"), None);
        let pins = |names: &[&str]| {
            let pins: String = names
                .iter()
                .map(|name| format!("pin ({name}) {{ direction : input; }} "))
                .collect();
            Text::read(&format!("library (l) {{ cell (c) {{ {pins} }} }}")).unwrap()
        };
        for (names, when, found) in [
            (&["CEN", "GWEN"], "!CEN & !GWEN", Some(("GWEN", true))),
            (&["A_MEN", "A_WEN"], "A_MEN & A_WEN", Some(("A_WEN", false))),
            (&["ce_in", "we_in"], "ce_in & we_in", Some(("we_in", false))),
            (&["csb0", "web0"], "!csb0", None),
        ] {
            let text = pins(names);
            let cell = text.tree().groups("cell").next().unwrap();
            assert_eq!(write_pin(cell, &[when]), found, "{names:?}");
        }
    }
}

//! Bits that a kernel reads and then masks away or shifts out: in the Verilog nobody reads them, and it says so.

use std::collections::BTreeMap;

use super::names;
use super::process::Process;

/// Bits of wires that the processes cut off and that are read nowhere else, as parts of a concatenation.
pub fn bits(processes: &[Process], connections: &BTreeMap<String, String>) -> Vec<String> {
    let cut = processes.iter().flat_map(|process| &process.cut);
    let cut: BTreeMap<&String, usize> = cut.map(|(wire, bits)| (wire, *bits)).collect();
    let mut found = Vec::new();
    for (wire, bits) in cut {
        let mut read = vec![connections.values().any(|source| source == wire); bits];
        for line in processes.iter().flat_map(|process| process.text.lines()) {
            mark(value(line), wire, &mut read);
        }
        let mut top = bits;
        while let Some(high) = read[..top].iter().rposition(|read| !read) {
            let low = read[..high]
                .iter()
                .rposition(|read| *read)
                .map_or(0, |bit| bit + 1);
            found.push(if high == low {
                format!("{wire}[{high}]")
            } else {
                format!("{wire}[{high}:{low}]")
            });
            top = low;
        }
    }
    found
}

/// A line without the place that it writes.
fn value(line: &str) -> &str {
    let line = line.trim_start();
    if line.starts_with("//") {
        return "";
    }
    line.split_once(" = ").map_or(line, |(_, value)| value)
}

/// Marks the bits of a wire that a text reads.
fn mark(text: &str, wire: &str, read: &mut [bool]) {
    for (at, _) in names::words(text).filter(|(_, word)| *word == wire) {
        let rest = &text[at + wire.len()..];
        let part = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let part = part.and_then(|(part, _)| {
            let (high, low) = part.split_once(':').unwrap_or((part, part));
            Some((high.parse::<usize>().ok()?, low.parse::<usize>().ok()?))
        });
        match part {
            Some((high, low)) => read[low..=high].fill(true),
            None => read.fill(true),
        }
    }
}

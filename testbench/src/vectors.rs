//! Vectors: what a design is given and what its reference shows, cycle by cycle, as text for test benches in any language.

use crate::backend::Kind;
use crate::blocks::{self, SetupError};
use crate::layout::Layout;
use crate::lockstep::digits;
use crate::session::Coverage;

/// Cycles in reset before the traffic begins.
pub const RESET_CYCLES: u64 = 2;

/// What stands for an output that is not compared.
pub const NOT_COMPARED: &str = "-";

/// Vectors as text, and the scenarios that their traffic brings about.
pub struct Vectors {
    /// A line for each port, and one for each cycle.
    pub text: String,
    /// How often each scenario occurs.
    pub coverage: Coverage,
}

/// The vectors of a design, from power-on: a line `cycles NUMBER`, a line `input NAME BITS` or `output NAME BITS` for each
/// port, and then for each
/// cycle `cycle` with a hexadecimal number for each of them, in the same order. What the outputs are in the first cycle,
/// before any clock edge, is undefined. All inputs but the reset are 0 until the traffic begins.
///
/// # Errors
/// If there is no such design, or its reference cannot go on.
pub fn vectors(block: &str, config: &str, cycles: u64, seed: u64) -> Result<Vectors, SetupError> {
    let layout = blocks::layout(block, config)?;
    let mut reference = blocks::backend(block, config, Kind::Reference)?;
    let mut stimulus = blocks::stimulus(block, config, seed)?;
    let mut text = format!("cycles {}\n{}", RESET_CYCLES + cycles, ports(&layout));
    let mut inputs = vec![0; layout.input_words()];
    let mut outputs = vec![0; layout.output_words()];
    for cycle in 0..RESET_CYCLES + cycles {
        if cycle < RESET_CYCLES {
            set_reset(&layout, &mut inputs);
        } else {
            stimulus.next(&mut inputs);
        }
        reference.run(&inputs, &mut outputs)?;
        text += "cycle";
        for port in split(&layout.inputs, &inputs) {
            text += &format!(" {}", digits(port));
        }
        for port in split(&layout.outputs, &outputs) {
            match cycle {
                0 => text += &format!(" {NOT_COMPARED}"),
                _ => text += &format!(" {}", digits(port)),
            }
        }
        text.push('\n');
    }
    let coverage = stimulus.coverage();
    Ok(Vectors { text, coverage })
}

fn ports(layout: &Layout) -> String {
    let inputs = layout.inputs.iter().map(|port| ("input", port));
    let outputs = layout.outputs.iter().map(|port| ("output", port));
    inputs
        .chain(outputs)
        .map(|(direction, port)| format!("{direction} {} {}\n", port.name, port.bits))
        .collect()
}

/// The words of each port.
fn split<'a>(
    ports: &'a [faultline_sim::ports::Port],
    mut words: &'a [u64],
) -> impl Iterator<Item = &'a [u64]> {
    ports.iter().map(move |port| {
        let (of_port, rest) = words.split_at(port.words());
        words = rest;
        of_port
    })
}

fn set_reset(layout: &Layout, inputs: &mut [u64]) {
    let before = layout
        .inputs
        .iter()
        .take_while(|port| port.name != "reset")
        .map(faultline_sim::ports::Port::words)
        .sum::<usize>();
    inputs[before] = 1;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot go on panics

    use super::*;

    #[test]
    fn a_line_for_each_port_and_each_cycle() {
        let text = vectors("coalescer", "proof", 20, 1).unwrap().text;
        let layout = blocks::layout("coalescer", "proof").unwrap();
        let ports = layout.inputs.len() + layout.outputs.len();
        let (head, cycles): (Vec<_>, Vec<_>) =
            text.lines().partition(|line| !line.starts_with("cycle "));
        assert_eq!(head.len(), 1 + ports);
        assert_eq!(head[..2], ["cycles 22", "input reset 1"]);
        assert_eq!(cycles.len(), 22);
        for (number, cycle) in cycles.iter().enumerate() {
            let words: Vec<_> = cycle.split(' ').collect();
            assert_eq!(words.len(), 1 + ports);
            // Only what comes before the first clock edge is left out.
            assert_eq!(words.contains(&NOT_COMPARED), number == 0, "{cycle}");
            assert!(number >= 2 || words[1] == "1", "{cycle}");
        }
        let again = |seed| vectors("coalescer", "proof", 20, seed).unwrap().text;
        assert_eq!(text, again(1));
        assert_ne!(text, again(2));
    }
}

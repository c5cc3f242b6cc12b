//! Where each port of a block lies in packed words.

use faultline_sim::ports::{Model, Port, Ports};

/// The ports of a block, in the order in which they are packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Input ports but the clock.
    pub inputs: Vec<Port>,
    /// Output ports.
    pub outputs: Vec<Port>,
}

/// The ports of a back end are not those of the model.
#[derive(Debug, thiserror::Error)]
#[error(
    "port {port} of {design} has {found} bits in {backend} and {expected} in the model (0: no such port)"
)]
pub struct LayoutError {
    design: String,
    backend: &'static str,
    port: String,
    found: usize,
    expected: usize,
}

impl Layout {
    /// The ports of a model.
    pub fn of<M: Model>(parameters: &M::Parameters) -> Self {
        Self {
            inputs: M::Inputs::ports(parameters),
            outputs: M::Outputs::ports(parameters),
        }
    }

    /// Words of the inputs of a cycle.
    #[must_use]
    pub fn input_words(&self) -> usize {
        self.inputs.iter().map(Port::words).sum()
    }

    /// Words of the outputs of a cycle.
    #[must_use]
    pub fn output_words(&self) -> usize {
        self.outputs.iter().map(Port::words).sum()
    }
}

/// For each port of a back end, its name, its width and the word at which it starts in the model's packed words.
///
/// # Errors
/// If the two differ in a name or a width.
pub fn offsets<'a>(
    design: &str,
    backend: &'static str,
    model: &[Port],
    found: impl IntoIterator<Item = (&'a str, usize)>,
) -> Result<Vec<usize>, LayoutError> {
    let error = |port: &str, found, expected| LayoutError {
        design: design.to_owned(),
        backend,
        port: port.to_owned(),
        found,
        expected,
    };
    let mut missing: Vec<&Port> = model.iter().collect();
    let mut offsets = Vec::with_capacity(model.len());
    for (name, bits) in found {
        let (offset, expected) = place(model, name).unwrap_or((0, 0));
        if bits != expected {
            return Err(error(name, bits, expected));
        }
        missing.retain(|port| port.name != name);
        offsets.push(offset);
    }
    match missing.first() {
        Some(port) => Err(error(port.name, 0, port.bits)),
        None => Ok(offsets),
    }
}

/// The first word of a port, and its bits.
fn place(ports: &[Port], name: &str) -> Option<(usize, usize)> {
    let mut offset = 0;
    for port in ports {
        if port.name == name {
            return Some((offset, port.bits));
        }
        offset += port.words();
    }
    None
}

/// The port that holds a word of packed words, and the words that it spans.
#[must_use]
pub fn port_at(ports: &[Port], word: usize) -> Option<(&Port, std::ops::Range<usize>)> {
    let mut offset = 0;
    for port in ports {
        let words = offset..offset + port.words();
        if words.contains(&word) {
            return Some((port, words));
        }
        offset = words.end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Vec<Port> {
        vec![
            Port {
                name: "valid",
                bits: 1,
            },
            Port {
                name: "data",
                bits: 65,
            },
            Port {
                name: "index",
                bits: 6,
            },
        ]
    }

    #[test]
    fn ports_are_found_by_name_in_any_order() {
        let found = [("index", 6), ("valid", 1), ("data", 65)];
        assert_eq!(offsets("d", "b", &model(), found).unwrap(), [3, 0, 1]);
        assert_eq!(
            port_at(&model(), 2).map(|(port, words)| (port.name, words)),
            Some(("data", 1..3))
        );
    }

    #[test]
    fn a_port_that_differs_is_named() {
        let message = |found: &[(&'static str, usize)]| {
            offsets("d", "b", &model(), found.iter().copied())
                .unwrap_err()
                .to_string()
        };
        assert!(
            message(&[("valid", 1), ("data", 64), ("index", 6)])
                .contains("data of d has 64 bits in b and 65")
        );
        assert!(
            message(&[("valid", 1), ("data", 65)]).contains("index of d has 0 bits in b and 6")
        );
        assert!(message(&[("vaild", 1)]).contains("vaild of d has 1 bits in b and 0"));
    }
}

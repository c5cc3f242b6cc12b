//! Which module of the RTL an instance of the flat netlist is counted to.

use super::build::is_made;
use super::circuit::{Circuit, Driver, Gate, Net, NetId};

/// The module of each instance. Synthesis flattens the design, but names keep their path, as in `queue.entry.valid`:
///
/// - A memory is in the module that its own name says.
/// - A flip-flop or gate is in the module of the net that it drives, if that has a name of the design.
/// - Any other gate is in the innermost module in which everything is that it drives.
///
/// An index of a path is left out: all of `entries[0]` to `entries[63]` are `entries[]`.
#[derive(Clone, Debug)]
pub struct Modules {
    gates: Vec<String>,
    macros: Vec<String>,
}

impl Modules {
    /// Finds the modules of a netlist's instances.
    pub fn new(circuit: &Circuit) -> Self {
        let macros: Vec<String> = circuit.macros.iter().map(|of| path(&of.name)).collect();
        let mut gates: Vec<Option<String>> = circuit
            .gates
            .iter()
            .map(|gate| named(circuit, gate))
            .collect();
        let readers = macro_readers(circuit);
        // Gates come after what drives them: from the last one on, what a gate drives is known.
        for number in (0..circuit.gates.len()).rev() {
            if gates[number].is_some() {
                continue;
            }
            let mut common: Option<&str> = None;
            for net in circuit.gates[number].outputs.iter().flatten() {
                let net_of = &circuit.nets[*net as usize];
                let pins = net_of.pins.iter();
                let drives =
                    pins.map(|(gate, _)| gates[*gate as usize].as_deref().unwrap_or_default());
                let stores = readers[*net as usize].iter().map(|of| macros[*of].as_str());
                let ports = (0..net_of.ports.min(1)).map(|_| "");
                for module in drives.chain(stores).chain(ports) {
                    common = Some(common.map_or(module, |known| shared(known, module)));
                }
            }
            gates[number] = Some(common.unwrap_or_default().to_owned());
        }
        Self {
            gates: gates.into_iter().map(Option::unwrap_or_default).collect(),
            macros,
        }
    }

    /// The module of a gate.
    pub fn of_gate(&self, gate: usize) -> &str {
        &self.gates[gate]
    }

    /// The module of a memory.
    pub fn of_macro(&self, of: usize) -> &str {
        &self.macros[of]
    }
}

/// The module of what has a name of the design.
fn named(circuit: &Circuit, gate: &Gate) -> Option<String> {
    if !is_made(&gate.name) && gate.name.contains('.') {
        return Some(path(&gate.name));
    }
    let net = |net: &NetId| -> &Net { &circuit.nets[*net as usize] };
    let names = gate
        .outputs
        .iter()
        .flatten()
        .map(net)
        .map(|net| net.name.as_str());
    let of_design = names
        .into_iter()
        .find(|name| !name.is_empty() && !is_made(name));
    of_design.map(path)
}

/// For each net the memories that read it.
fn macro_readers(circuit: &Circuit) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); circuit.nets.len()];
    for (number, of) in circuit.macros.iter().enumerate() {
        let buses = of.address.iter().chain(&of.data).chain(&of.mask);
        for net in [&of.enable, &of.write].into_iter().chain(buses) {
            if circuit.nets[*net as usize].driver != Driver::None {
                readers[*net as usize].push(number);
            }
        }
    }
    readers
}

/// The module of a name, without indices: `a.b` of `a[3].b.c[1]` is `a[].b`.
fn path(name: &str) -> String {
    let (module, _) = name.rsplit_once('.').unwrap_or_default();
    let mut path = String::with_capacity(module.len());
    let mut inside = false;
    for letter in module.chars() {
        inside &= letter != ']';
        if !inside {
            path.push(letter);
        }
        inside |= letter == '[';
    }
    path
}

/// The innermost module that both are in.
fn shared<'a>(one: &'a str, other: &str) -> &'a str {
    let parts = one.split('.').zip(other.split('.'));
    let same = parts.take_while(|(one, other)| one == other);
    let length: usize = same.map(|(part, _)| part.len() + 1).sum();
    &one[..length.saturating_sub(1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_names_without_their_last_part_and_indices() {
        let found = ["a[3].b.c[1]", "a.b", "a[2]", "x"].map(path);
        assert_eq!(found, ["a[].b", "a", "", ""]);
    }

    #[test]
    fn what_two_modules_are_in_is_their_common_beginning() {
        assert_eq!(shared("a.bc.d", "a.bd"), "a");
        assert_eq!(shared("a.b", "a.b"), "a.b");
        assert_eq!(shared("a", "b"), "");
        assert_eq!(shared("", "b"), "");
    }
}

//! Yosys's JSON of a netlist.

use crate::error::Error;
use crate::tool::{self, YOSYS};
use crate::yosys::Netlist;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A bit of a connection: a net's number, or `"0"`, `"1"`, `"x"`, `"z"`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum Bit {
    /// A net.
    Net(u64),
    /// A constant.
    Constant(String),
}

/// A module.
#[derive(Clone, Debug, Deserialize)]
pub struct Module {
    ports: BTreeMap<String, Port>,
    /// Instances by name.
    pub cells: BTreeMap<String, Cell>,
    netnames: BTreeMap<String, NetName>,
}

#[derive(Clone, Debug, Deserialize)]
struct Port {
    direction: String,
    bits: Vec<Bit>,
}

/// An instance.
#[derive(Clone, Debug, Deserialize)]
pub struct Cell {
    /// Its module or cell.
    #[serde(rename = "type")]
    pub kind: String,
    /// Bits by pin, lowest first.
    pub connections: BTreeMap<String, Vec<Bit>>,
}

#[derive(Clone, Debug, Deserialize)]
struct NetName {
    hide_name: u8,
    bits: Vec<Bit>,
}

#[derive(Deserialize)]
struct File {
    modules: BTreeMap<String, Module>,
}

/// Has Yosys parse a netlist.
pub fn read(netlist: &Netlist) -> Result<Module, Error> {
    let scratch = tool::scratch()?;
    let folder = scratch.path();
    tool::write(&folder.join("netlist.v"), &netlist.verilog)?;
    let script = "read_verilog netlist.v; write_json netlist.json";
    let output = YOSYS.run(folder, ["-q", "-p", script])?;
    let refused = |reason: &str| YOSYS.failure(&netlist.top, reason);
    if !output.status.success() {
        return Err(refused(&String::from_utf8_lossy(&output.stderr)));
    }
    let path = folder.join("netlist.json");
    let text =
        std::fs::read_to_string(&path).map_err(|source| Error::file(&path, "read", source))?;
    let mut file: File = serde_json::from_str(&text)
        .map_err(|error| refused(&format!("its JSON does not parse ({error})")))?;
    file.modules
        .remove(&netlist.top)
        .ok_or_else(|| refused(&format!("its JSON lacks the module {}", netlist.top)))
}

impl Module {
    /// Names of nets with their bits, lowest first, those that are the design's or made by Yosys's last writing.
    pub fn names(&self) -> impl Iterator<Item = (&str, &[Bit])> {
        let shown = self.netnames.iter().filter(|(_, net)| net.hide_name == 0);
        shown.map(|(name, net)| (name.as_str(), net.bits.as_slice()))
    }

    /// The ports of a direction by name. Those of a bit each that are called `name[index]` are bits of one.
    pub fn ports(&self, direction: &str) -> Result<Vec<(String, Vec<Bit>)>, String> {
        let mut ports: BTreeMap<&str, BTreeMap<usize, Bit>> = BTreeMap::new();
        for (name, port) in &self.ports {
            if port.direction != direction {
                if !["input", "output"].contains(&port.direction.as_str()) {
                    return Err(format!("its port {name} has two directions"));
                }
                continue;
            }
            let (name, first) = split(name).unwrap_or((name, 0));
            let bits = ports.entry(name).or_default();
            bits.extend((first..).zip(port.bits.iter().cloned()));
        }
        let whole = |(name, bits): (&str, BTreeMap<usize, Bit>)| {
            if bits.keys().next_back() != Some(&(bits.len() - 1)) {
                return Err(format!("bits of its port {name} are missing"));
            }
            Ok((name.to_owned(), bits.into_values().collect()))
        };
        ports.into_iter().map(whole).collect()
    }
}

/// A name with an index.
fn split(name: &str) -> Option<(&str, usize)> {
    let (name, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((name, index.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_a_port_are_put_together() {
        let text = r#"{"ports": {"a[1]": {"direction": "input", "bits": [5]}, "a[0]": {"direction": "input", "bits": [4]},
            "b[1]": {"direction": "output", "bits": ["x"]}, "clock": {"direction": "input", "bits": [2]}},
            "cells": {}, "netnames": {}}"#;
        let module: Module = serde_json::from_str(text).unwrap();
        let inputs = module.ports("input").unwrap();
        let expected = [
            ("a", vec![Bit::Net(4), Bit::Net(5)]),
            ("clock", vec![Bit::Net(2)]),
        ];
        assert_eq!(inputs, expected.map(|(name, bits)| (name.to_owned(), bits)));
        assert_eq!(
            module.ports("output").unwrap_err(),
            "bits of its port b are missing"
        );
    }
}

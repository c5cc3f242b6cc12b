//! A netlist read from its Verilog text, simulated gate by gate until nothing changes, and its energy summed up pin by pin.

use crate::liberty::{Cell, evaluate};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An instance: its cell, and the net of each pin.
pub struct Instance {
    pub name: String,
    pub cell: String,
    pub pins: BTreeMap<String, String>,
}

/// A netlist and its state.
pub struct Naive<'a> {
    library: &'a HashMap<String, Cell>,
    pub instances: Vec<Instance>,
    pub ports: BTreeSet<String>,
    aliases: HashMap<String, String>,
    pub values: HashMap<String, bool>,
    /// Falls and rises of nets.
    pub edges: HashMap<String, [u64; 2]>,
    /// By instance and input: the falls and rises of the output that it turned, its share of those that others turned too.
    pub causes: HashMap<(usize, String), [f64; 2]>,
    /// Values of the nets before and after the changes of each cycle.
    pub cycles: Vec<[HashMap<String, bool>; 2]>,
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|letter| !letter.is_whitespace() && *letter != '\\')
        .collect()
}

impl<'a> Naive<'a> {
    pub fn new(verilog: &str, library: &'a HashMap<String, Cell>) -> Self {
        let text: String = verilog
            .lines()
            .filter(|line| !line.starts_with("/*"))
            .map(|line| format!("{line}\n"))
            .collect();
        let mut found = Self {
            library,
            instances: Vec::new(),
            ports: BTreeSet::new(),
            aliases: HashMap::new(),
            values: HashMap::from([("1'h0".to_owned(), false), ("1'h1".to_owned(), true)]),
            edges: HashMap::new(),
            causes: HashMap::new(),
            cycles: Vec::new(),
        };
        for statement in text.split(';').map(str::trim) {
            let (word, rest) = statement
                .split_once(char::is_whitespace)
                .unwrap_or((statement, ""));
            match word {
                "module" | "input" | "wire" | "endmodule" => {}
                "output" => {
                    found.ports.insert(plain(rest));
                }
                "assign" => {
                    let (left, right) = rest.split_once('=').unwrap();
                    assert!(!right.contains('{'), "{statement}");
                    found.aliases.insert(plain(left), plain(right));
                }
                cell => found.instance(cell, rest),
            }
        }
        let ports = std::mem::take(&mut found.ports);
        found.ports = ports.iter().map(|port| found.net(port)).collect();
        for instance in 0..found.instances.len() {
            let pins = std::mem::take(&mut found.instances[instance].pins);
            let pins = pins.into_iter().map(|(pin, net)| (pin, found.net(&net)));
            found.instances[instance].pins = pins.collect();
        }
        // Registers start with 0, and so their complements with 1.
        let pins = found.instances.iter().flat_map(|instance| {
            let cell = found.cell(instance);
            instance
                .pins
                .iter()
                .filter(|(pin, _)| cell.function(pin) == Some("IQN"))
        });
        let complements: Vec<String> = pins.map(|(_, net)| net.clone()).collect();
        found
            .values
            .extend(complements.into_iter().map(|net| (net, true)));
        found.settle();
        found.restart();
        found
    }

    fn instance(&mut self, cell: &str, rest: &str) {
        let (name, pins) = rest.split_once(" (").unwrap();
        let pins = pins
            .trim()
            .trim_end_matches(')')
            .split("),")
            .filter_map(|pin| {
                let (pin, net) = pin.trim().trim_start_matches('.').split_once('(')?;
                let net = plain(net.trim_end_matches(')'));
                (!net.is_empty()).then(|| (pin.to_owned(), net))
            });
        let pins = pins.collect();
        self.instances.push(Instance {
            name: plain(name),
            cell: cell.to_owned(),
            pins,
        });
    }

    /// The net that a name stands for.
    pub fn net(&self, name: &str) -> String {
        let mut name = plain(name);
        while let Some(other) = self.aliases.get(&name) {
            name.clone_from(other);
        }
        name
    }

    pub fn cell(&self, instance: &Instance) -> &'a Cell {
        &self.library[&instance.cell]
    }

    pub fn value(&self, name: &str) -> bool {
        self.values.get(name).copied().unwrap_or_default()
    }

    pub fn set(&mut self, name: &str, value: bool) {
        let name = self.net(name);
        if self.value(&name) != value {
            self.values.insert(name.clone(), value);
            self.edges.entry(name).or_default()[usize::from(value)] += 1;
        }
    }

    pub fn restart(&mut self) {
        self.edges.clear();
        self.causes.clear();
        self.cycles.clear();
    }

    fn is_register(&self, instance: &Instance) -> bool {
        self.cell(instance).clock().is_some()
    }

    /// Works out the gates until nothing changes. The edges of a cycle are those between its first and last values.
    pub fn settle(&mut self) {
        let before = self.values.clone();
        self.settle_from(&before);
    }

    /// The same, where nets had other values before the cycle's inputs and registers changed.
    pub fn settle_from(&mut self, before: &HashMap<String, bool>) {
        loop {
            let mut changed = false;
            for number in 0..self.instances.len() {
                let instance = &self.instances[number];
                if self.is_register(instance) {
                    continue;
                }
                for (pin, net) in &instance.pins {
                    let Some(function) = self.cell(instance).function(pin) else {
                        continue;
                    };
                    let value = evaluate(function, &|pin| self.value(&instance.pins[pin]));
                    if self.value(net) != value {
                        let net = net.clone();
                        self.values.insert(net, value);
                        changed = true;
                        break;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let old = |net: &str| before.get(net).copied().unwrap_or_default();
        for (number, instance) in self.instances.iter().enumerate() {
            if self.is_register(instance) {
                continue;
            }
            let cell = self.cell(instance);
            let (output, net) = instance
                .pins
                .iter()
                .find(|(pin, _)| cell.function(pin).is_some())
                .unwrap();
            let value = self.value(net);
            if old(net) == value {
                continue;
            }
            self.edges.entry(net.clone()).or_default()[usize::from(value)] += 1;
            let inputs = instance.pins.iter().filter(|(pin, _)| *pin != output);
            let turned = inputs.filter(|(_, net)| old(net) != self.value(net));
            // Those turned the output without which it would have stayed, before the others turned or after.
            let function = cell.function(output).unwrap();
            let needed = |(pin, _): &(&String, &String)| {
                let values: [&dyn Fn(&str) -> bool; 2] = [&old, &|net| self.value(net)];
                values.iter().any(|value| {
                    let shown = |other: Option<&str>| {
                        evaluate(function, &|input| {
                            value(&instance.pins[input]) != (other == Some(input))
                        })
                    };
                    shown(None) != shown(Some(pin))
                })
            };
            let needed: Vec<&String> = turned.filter(needed).map(|(pin, _)| pin).collect();
            for pin in &needed {
                let cause = self.causes.entry((number, (*pin).clone())).or_default();
                cause[usize::from(value)] += 1.0 / needed.len() as f64;
            }
        }
        self.cycles.push([before.clone(), self.values.clone()]);
    }

    /// Registers take their data.
    pub fn clock(&mut self) {
        let mut next = Vec::new();
        for instance in self
            .instances
            .iter()
            .filter(|instance| self.is_register(instance))
        {
            let data = self.value(&instance.pins["D"]);
            for (pin, net) in &instance.pins {
                match self.cell(instance).function(pin) {
                    Some("IQ") => next.push((net.clone(), data)),
                    Some("IQN") => next.push((net.clone(), !data)),
                    _ => {}
                }
            }
        }
        for (net, value) in next {
            self.set(&net, value);
        }
    }
}

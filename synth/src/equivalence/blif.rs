//! A design as Yosys writes it in BLIF: logic, flip-flops and memories.

use std::collections::{BTreeSet, HashMap};
use std::mem;

/// A module in BLIF.
#[derive(Clone, Debug, Default)]
pub struct Blif {
    /// Input ports, bit by bit.
    pub inputs: Vec<String>,
    /// Output ports.
    pub outputs: Vec<String>,
    /// Flip-flops.
    pub latches: Vec<Latch>,
    /// Memories.
    pub boxes: Vec<Memory>,
    /// The tables between them, as they are.
    pub logic: String,
    /// The nets that repeat each net, and those that are its complement.
    copies: HashMap<String, Vec<(String, bool)>>,
}

/// A flip-flop: what it takes over at the clock's edge, and what it shows.
#[derive(Clone, Debug)]
pub struct Latch {
    /// The net that it takes over.
    pub next: String,
    /// The net that it drives.
    pub state: String,
}

/// A memory.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Its module.
    pub module: String,
    /// The instance.
    pub name: String,
    /// Its pins, bit by bit, with their nets.
    pub pins: Vec<(String, String)>,
}

impl Memory {
    /// The net of a pin.
    pub fn net(&self, pin: &str) -> Option<&str> {
        let mut pins = self.pins.iter();
        pins.find(|(name, _)| name == pin)
            .map(|(_, net)| net.as_str())
    }
}

impl Blif {
    /// Reads what `write_blif -cname` wrote of a flat module with one clock, the port `clock`.
    ///
    /// # Errors
    /// If there is something in it that is none of these: the reason.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut blif = Self::default();
        let text = text.replace("\\\n", " ");
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some(".inputs") => blif.inputs.extend(words.map(str::to_owned)),
                Some(".outputs") => blif.outputs.extend(words.map(str::to_owned)),
                Some(".latch") => match words.collect::<Vec<_>>()[..] {
                    [next, state, "re", "clock", ..] => blif.latches.push(Latch {
                        next: next.to_owned(),
                        state: state.to_owned(),
                    }),
                    _ => return Err(format!("no flip-flop of the clock: `{line}`")),
                },
                Some(".subckt") => {
                    let module = words.next().unwrap_or_default().to_owned();
                    let pin = |word: &str| {
                        let (pin, net) = word.split_once('=')?;
                        Some((pin.to_owned(), net.to_owned()))
                    };
                    blif.boxes.push(Memory {
                        module,
                        name: String::new(),
                        pins: words.filter_map(pin).collect(),
                    });
                }
                Some(".cname") => {
                    if let Some(last) = blif.boxes.last_mut() {
                        last.name = words.collect();
                    }
                }
                Some(".names") => {
                    let nets: Vec<&str> = words.collect();
                    if let ([from, to], Some(&("1 1" | "0 1"))) = (&nets[..], lines.peek()) {
                        let complement = lines.peek() == Some(&"0 1");
                        let copies = blif.copies.entry((*from).to_owned()).or_default();
                        copies.push(((*to).to_owned(), complement));
                    }
                    blif.logic += line;
                    blif.logic.push('\n');
                }
                Some(word) if word.starts_with('#') => {}
                Some(".model" | ".end") | None => {}
                Some(word) if word.starts_with('.') => {
                    return Err(format!("a line that is not known: `{line}`"));
                }
                Some(_) => {
                    blif.logic += line;
                    blif.logic.push('\n');
                }
            }
        }
        blif.boxes.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(blif)
    }

    /// Tells it of pairs of names that stood for one net each, or for a net and its complement.
    pub fn add_aliases(&mut self, pairs: &[(String, String)], complement: bool) {
        for (one, other) in pairs {
            for (from, to) in [(one, other), (other, one)] {
                let copies = self.copies.entry(from.clone()).or_default();
                copies.push((to.clone(), complement));
            }
        }
    }

    /// Has a flip-flop hold the complement where only that has a name of these: what it takes over and what it shows are
    /// turned over.
    pub fn hold_as(&mut self, names: &BTreeSet<&str>) {
        let known = |found: Vec<&str>| found.iter().any(|name| names.contains(name));
        for place in 0..self.latches.len() {
            let Latch { next, state } = self.latches[place].clone();
            if known(self.names(&state)) || !known(self.complements(&state)) {
                continue;
            }
            let [turned_next, turned] = [&next, &state].map(|net| format!("{net}$turned"));
            self.logic +=
                &format!(".names {next} {turned_next}\n0 1\n.names {turned} {state}\n0 1\n");
            self.copies.insert(turned.clone(), vec![(state, true)]);
            self.latches[place] = Latch {
                next: turned_next,
                state: turned,
            };
        }
    }

    /// Nets that something looks at and nothing drives.
    pub fn undriven(&self) -> BTreeSet<String> {
        let (mut driven, mut used): (BTreeSet<&str>, BTreeSet<&str>) = Default::default();
        driven.extend(self.inputs.iter().map(String::as_str));
        used.extend(self.outputs.iter().map(String::as_str));
        for latch in &self.latches {
            driven.insert(&latch.state);
            used.insert(&latch.next);
        }
        for (pin, net) in self.boxes.iter().flat_map(|memory| &memory.pins) {
            match is_answer(pin) {
                true => driven.insert(net),
                false => used.insert(net),
            };
        }
        for nets in self
            .logic
            .lines()
            .filter_map(|line| line.strip_prefix(".names "))
        {
            let (inputs, output) = nets.rsplit_once(' ').unwrap_or(("", nets));
            driven.insert(output);
            used.extend(inputs.split_whitespace());
        }
        let undriven = used.difference(&driven);
        undriven.map(|net| (*net).to_owned()).collect()
    }

    /// All names of a net.
    pub fn names<'a>(&'a self, net: &'a str) -> Vec<&'a str> {
        self.related(net, false)
    }

    /// All names of its complement.
    fn complements<'a>(&'a self, net: &'a str) -> Vec<&'a str> {
        self.related(net, true)
    }

    fn related<'a>(&'a self, net: &'a str, complement: bool) -> Vec<&'a str> {
        let mut found = vec![(net, false)];
        let mut next = 0;
        while let Some((name, turned)) = found.get(next).copied() {
            next += 1;
            for (copy, turns) in self.copies.get(name).into_iter().flatten() {
                let copy = (copy.as_str(), turned != *turns);
                if !found.contains(&copy) {
                    found.push(copy);
                }
            }
        }
        let found = found
            .into_iter()
            .filter(|(_, turned)| *turned == complement);
        found.map(|(name, _)| name).collect()
    }

    /// The logic as a module of its own between these inputs and outputs, each with the net that it stands for. Both have
    /// their place as their name, so that modules with as many of them can be compared.
    pub fn between(&mut self, inputs: &[String], outputs: &[String]) -> String {
        let places = |what: &str, count: usize| -> Vec<String> {
            (0..count).map(|place| format!("{what}{place}")).collect()
        };
        let (from, to) = (places("from", inputs.len()), places("to", outputs.len()));
        let mut text = format!(
            ".model cut\n.inputs {}\n.outputs {}\n",
            from.join(" "),
            to.join(" ")
        );
        for (place, net) in from.iter().zip(inputs).filter(|(_, net)| !net.is_empty()) {
            text += &copy(place, net);
        }
        text += &mem::take(&mut self.logic);
        for (net, place) in outputs.iter().zip(&to) {
            text += &copy(net, place);
        }
        text + ".end\n"
    }
}

/// Whether a memory's pin is one of what it shows.
pub fn is_answer(pin: &str) -> bool {
    pin == "q" || pin.starts_with("q[")
}

/// A table that has one net repeat another.
pub fn copy(from: &str, to: &str) -> String {
    format!(".names {from} {to}\n1 1\n")
}

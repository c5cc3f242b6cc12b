//! Reads the embedded library as text, line by line: another way than that of the calculator.

use std::collections::HashMap;

/// A table over slew (ns) and load (fF).
#[derive(Clone, Default)]
pub struct Table {
    pub slews: Vec<f64>,
    pub loads: Vec<f64>,
    pub values: Vec<f64>,
}

/// A pin: its lines `name : value`, and its tables by related pin or condition and name; those of timing are named with their sense,
/// such as `negative_unate fall_transition`.
#[derive(Clone, Default)]
pub struct Pin {
    pub attributes: HashMap<String, String>,
    pub tables: HashMap<(String, String), Table>,
}

/// A cell.
#[derive(Clone, Default)]
pub struct Cell {
    pub leakage_nw: f64,
    pub pins: HashMap<String, Pin>,
}

impl Cell {
    pub fn clock(&self) -> Option<&str> {
        let clock = |pin: &&Pin| pin.attributes.contains_key("clock");
        let mut pins = self.pins.iter();
        pins.find(|(_, pin)| clock(pin))
            .map(|(name, _)| name.as_str())
    }

    pub fn function<'a>(&'a self, pin: &str) -> Option<&'a str> {
        self.pins[pin]
            .attributes
            .get("function")
            .map(String::as_str)
    }

    /// The tables of an input for an edge, each with its condition.
    pub fn hidden(&self, pin: &str, edge: &str) -> Vec<(&str, &Table)> {
        let name = format!("{edge}_power");
        let tables = self.pins[pin].tables.iter();
        let tables = tables.filter(|((_, of), _)| *of == name);
        tables
            .map(|((when, _), table)| (when.as_str(), table))
            .collect()
    }

    pub fn capacitance(&self, pin: &str) -> f64 {
        self.pins[pin].attributes["capacitance"].parse().unwrap()
    }
}

fn numbers(line: &str) -> Vec<f64> {
    let list = line.split(['(', ')']).nth(1).unwrap();
    let words = list.split([',', '"', ' ']).filter(|word| !word.is_empty());
    words.map(|word| word.parse().unwrap()).collect()
}

/// The cells of the library.
pub fn cells(text: &str) -> HashMap<String, Cell> {
    let mut cells: HashMap<String, Cell> = HashMap::new();
    let mut groups: Vec<(String, String)> = Vec::new();
    let (mut related, mut sense) = (String::new(), String::new());
    for line in text.lines().map(str::trim) {
        let of = |kind: &str| {
            let mut groups = groups.iter();
            groups
                .find(|(name, _)| name == kind)
                .map(|(_, name)| name.clone())
        };
        if let Some(head) = line.strip_suffix('{') {
            let (kind, name) = head.split_once('(').unwrap();
            let name = name.trim().trim_end_matches(')').trim();
            groups.push((kind.trim().to_owned(), name.to_owned()));
            if groups.len() == 4 {
                related.clear();
                sense.clear();
            }
            continue;
        }
        if line == "}" {
            groups.pop();
            continue;
        }
        let Some(cell) = of("cell").map(|cell| cells.entry(cell).or_default()) else {
            continue;
        };
        let attribute = line.trim_end_matches(';').split_once(" : ");
        let Some(pin) = of("pin").map(|pin| cell.pins.entry(pin).or_default()) else {
            if let Some(("cell_leakage_power", value)) = attribute {
                cell.leakage_nw = value.parse().unwrap();
            }
            continue;
        };
        match attribute {
            // Tables of an input have a condition, and those of an output a related pin.
            Some(("related_pin" | "when", value)) => related = value.trim_matches('"').to_owned(),
            Some(("timing_sense", value)) => sense = format!("{value} "),
            Some((name, value)) if groups.len() == 3 => {
                let value = value.trim_matches('"').to_owned();
                pin.attributes.insert(name.to_owned(), value);
            }
            _ => {}
        }
        let inner = groups.last().unwrap().0.clone();
        let list = ["index_1", "index_2", "values"]
            .iter()
            .find(|list| line.starts_with(*list));
        if let Some(list) = list {
            let table = pin
                .tables
                .entry((related.clone(), sense.clone() + &inner))
                .or_default();
            match *list {
                "index_1" => table.slews = numbers(line),
                "index_2" => table.loads = numbers(line),
                _ => table.values = numbers(line),
            }
        }
    }
    cells
}

impl Table {
    /// The value at a slew (ns) and a load (fF).
    pub fn at(&self, slew: f64, load: f64) -> f64 {
        let part = |axis: &[f64], at: f64| {
            let place = (0..axis.len() - 1).rev().find(|place| axis[*place] <= at);
            let place = place.unwrap_or(0);
            (place, (at - axis[place]) / (axis[place + 1] - axis[place]))
        };
        let (row, down) = part(&self.slews, slew);
        if self.loads.is_empty() {
            return self.values[row] * (1.0 - down) + self.values[row + 1] * down;
        }
        let (column, right) = part(&self.loads, load);
        let value = |row: usize, column: usize| self.values[row * self.loads.len() + column];
        let upper = value(row, column) * (1.0 - right) + value(row, column + 1) * right;
        let lower = value(row + 1, column) * (1.0 - right) + value(row + 1, column + 1) * right;
        upper * (1.0 - down) + lower * down
    }
}

/// Evaluates a function of `!`, `&`, `|`, `^` and parentheses.
pub fn evaluate(function: &str, value: &dyn Fn(&str) -> bool) -> bool {
    let tokens: Vec<char> = function.chars().filter(|letter| *letter != ' ').collect();
    let mut place = 0;
    let found = either(&tokens, &mut place, value);
    assert_eq!(place, tokens.len(), "{function}");
    found
}

fn either(tokens: &[char], place: &mut usize, value: &dyn Fn(&str) -> bool) -> bool {
    let mut found = differ(tokens, place, value);
    while tokens.get(*place) == Some(&'|') {
        *place += 1;
        found |= differ(tokens, place, value);
    }
    found
}

fn differ(tokens: &[char], place: &mut usize, value: &dyn Fn(&str) -> bool) -> bool {
    let mut found = both(tokens, place, value);
    while tokens.get(*place) == Some(&'^') {
        *place += 1;
        found ^= both(tokens, place, value);
    }
    found
}

fn both(tokens: &[char], place: &mut usize, value: &dyn Fn(&str) -> bool) -> bool {
    let mut found = one(tokens, place, value);
    while tokens.get(*place) == Some(&'&') {
        *place += 1;
        found &= one(tokens, place, value);
    }
    found
}

fn one(tokens: &[char], place: &mut usize, value: &dyn Fn(&str) -> bool) -> bool {
    *place += 1;
    match tokens[*place - 1] {
        '!' => !one(tokens, place, value),
        '(' => {
            let found = either(tokens, place, value);
            assert_eq!(tokens[*place], ')');
            *place += 1;
            found
        }
        first => {
            let mut name = String::from(first);
            while let Some(letter) = tokens.get(*place).filter(|letter| letter.is_alphanumeric()) {
                name.push(*letter);
                *place += 1;
            }
            value(&name)
        }
    }
}

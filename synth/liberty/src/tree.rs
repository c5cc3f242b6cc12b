//! Reads a library's groups and attributes as they are written, those too that the parser of `liberty-db` has no place for,
//! such as those of memories.

use super::text::{Group, Statement, Text, bare, groups, unit_in_si, value};

/// A group of a library, such as a cell or a pin, with what is in it.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a>(&'a Group);

impl Text {
    /// The library as a group.
    pub const fn tree(&self) -> Tree<'_> {
        Tree(self.library())
    }
}

impl<'a> Tree<'a> {
    /// What is between its parentheses, without quotes: the name of a cell, or the range of a pin.
    pub fn name(&self) -> &'a str {
        bare(&self.0.arguments)
    }

    /// The groups of a kind in it, such as `cell`, in their order.
    pub fn groups(&self, kind: &str) -> impl Iterator<Item = Self> + use<'a> {
        groups(self.0, kind).into_iter().map(Tree)
    }

    /// An attribute of one value, without quotes.
    pub fn value(&self, attribute: &str) -> Option<&'a str> {
        value(self.0, attribute).map(bare).map(str::trim)
    }

    /// An attribute that is a number, if it is a finite one.
    pub fn number(&self, attribute: &str) -> Option<f64> {
        let number: f64 = self.value(attribute)?.parse().ok()?;
        number.is_finite().then_some(number)
    }

    /// The numbers of an attribute that is a list, such as `values` or `index_1`, one row for each string; none where one of
    /// them is no number.
    pub fn rows(&self, attribute: &str) -> Option<Vec<Vec<f64>>> {
        let content = self.content(attribute)?;
        let rows = content.split('"').filter(|row| {
            row.contains(|letter: char| letter.is_ascii_digit() || letter.is_alphabetic())
        });
        let numbers = |row: &str| {
            let numbers = row.split(|letter: char| letter == ',' || letter.is_whitespace());
            let numbers = numbers.filter(|number| !number.is_empty());
            numbers.map(|number| number.parse().ok()).collect()
        };
        rows.map(numbers).collect()
    }

    /// An attribute that is a unit, in SI units: seconds, volts, amperes, watts, ohms or farads.
    pub fn unit(&self, attribute: &str) -> Option<f64> {
        unit_in_si(attribute, self.content(attribute)?)
    }

    fn content(&self, attribute: &str) -> Option<&'a str> {
        self.0
            .statements
            .iter()
            .find_map(|statement| match statement {
                Statement::Value(name, content) | Statement::List(name, content) => {
                    (name == attribute).then_some(content.as_str())
                }
                Statement::Group(_) => None,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_memories_are_described_with_is_found() {
        let text = Text::read(
            "library (l) { time_unit : \"10ps\"; capacitive_load_unit (100, ff); leakage_power_unit : \"1 uW\";
             cell (\"RAM\") { area : 12.5; memory () { type : ram; address_width : 6; }
               bus (Q) { pin (Q[7:0]) { timing () { cell_rise (scalar) { values (\"1, 2\", \\\n \"3, 4e-1\"); } } } } } }",
        )
        .unwrap();
        let library = text.tree();
        let close = |found: Option<f64>, value: f64| (found.unwrap() / value - 1.0).abs() < 1e-9;
        assert!(close(library.unit("time_unit"), 1e-11));
        assert!(close(library.unit("capacitive_load_unit"), 1e-13));
        assert!(close(library.unit("leakage_power_unit"), 1e-6));
        assert_eq!(library.unit("voltage_unit"), None);
        let cell = library.groups("cell").next().unwrap();
        assert_eq!((cell.name(), cell.number("area")), ("RAM", Some(12.5)));
        let memory = cell.groups("memory").next().unwrap();
        assert_eq!(memory.value("type"), Some("ram"));
        assert_eq!(memory.number("type"), None);
        let pin = cell.groups("bus").next().unwrap().groups("pin").next();
        let pin = pin.unwrap();
        assert_eq!(pin.name(), "Q[7:0]");
        let table = pin
            .groups("timing")
            .next()
            .unwrap()
            .groups("cell_rise")
            .next();
        let rows = table.unwrap().rows("values").unwrap();
        assert_eq!(rows, [vec![1.0, 2.0], vec![3.0, 0.4]]);
    }

    #[test]
    fn a_list_with_a_word_is_none() {
        let text = Text::read("library (l) { values (\"1, x\"); index_1 (0); }").unwrap();
        assert_eq!(text.tree().rows("values"), None);
        assert_eq!(text.tree().rows("index_1"), Some(vec![vec![0.0]]));
    }
}

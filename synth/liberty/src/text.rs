//! Rewrites Liberty text in one form.
//!
//! Vendors write Liberty more freely than its readers read it. [`rewrite`] reads the grammar alone, keeps what mapping,
//! timing and power use ([`KEPT`]), and writes each statement in the form that every reader takes: without comments, with
//! expressions in quotes, with attributes of lists as lists, and with units in their plainest spelling.

/// The attributes and groups that mapping, timing or power use. All others are left out.
const KEPT: &[&str] = &[
    // The library.
    "technology",
    "delay_model",
    "time_unit",
    "voltage_unit",
    "current_unit",
    "pulling_resistance_unit",
    "leakage_power_unit",
    "capacitive_load_unit",
    "nom_process",
    "nom_temperature",
    "nom_voltage",
    "voltage_map",
    "slew_derate_from_library",
    "type",
    "base_type",
    "data_type",
    "bit_width",
    "bit_from",
    "bit_to",
    "downto",
    // Conditions and wires.
    "operating_conditions",
    "process",
    "temperature",
    "voltage",
    "tree_type",
    "wire_load",
    "wire_load_selection",
    "wire_load_from_area",
    "fanout_length",
    "resistance",
    "slope",
    "area",
    // Tables.
    "lu_table_template",
    "power_lut_template",
    "variable_1",
    "variable_2",
    "variable_3",
    "index_1",
    "index_2",
    "index_3",
    "values",
    // Cells.
    "cell",
    "cell_leakage_power",
    "leakage_power",
    "value",
    "when",
    "dont_use",
    "dont_touch",
    "is_macro_cell",
    "clock_gating_integrated_cell",
    "ff",
    "ff_bank",
    "latch",
    "latch_bank",
    "next_state",
    "clocked_on",
    "clocked_on_also",
    "enable",
    "enable_also",
    "data_in",
    "clear",
    "preset",
    "clear_preset_var1",
    "clear_preset_var2",
    "statetable",
    "table",
    // Pins.
    "pg_pin",
    "voltage_name",
    "pg_type",
    "pin",
    "bus",
    "bundle",
    "members",
    "bus_type",
    "direction",
    "function",
    "three_state",
    "internal_node",
    "clock",
    "capacitance",
    "rise_capacitance",
    "fall_capacitance",
    "max_capacitance",
    "max_transition",
    "max_fanout",
    "min_capacitance",
    "clock_gate_clock_pin",
    "clock_gate_enable_pin",
    "clock_gate_out_pin",
    "clock_gate_test_pin",
    "related_power_pin",
    "related_ground_pin",
    // Arcs.
    "timing",
    "related_pin",
    "related_pg_pin",
    "related_bus_pins",
    "timing_type",
    "timing_sense",
    "mode",
    "cell_rise",
    "cell_fall",
    "rise_transition",
    "fall_transition",
    "rise_constraint",
    "fall_constraint",
    "internal_power",
    "rise_power",
    "fall_power",
    "power",
];

/// Beginnings of names of the library's attributes that are kept besides.
const KEPT_BEGINNINGS: &[&str] = &["default_", "slew_", "input_threshold_", "output_threshold_"];

/// What mapping does not use.
const POWER: &[&str] = &["leakage_power", "internal_power", "power_lut_template"];

/// Attributes that are lists. The others that are kept have one value.
const LISTS: &[&str] = &[
    "technology",
    "capacitive_load_unit",
    "voltage_map",
    "wire_load_from_area",
    "fanout_length",
    "index_1",
    "index_2",
    "index_3",
    "values",
    "members",
    "mode",
];

/// A library that was read, ready to be written.
#[derive(Clone, Debug)]
pub struct Text {
    library: Group,
}

#[derive(Clone, Debug)]
pub(crate) struct Group {
    name: String,
    pub(crate) arguments: String,
    pub(crate) statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// A name and one value, in quotes where it was.
    Value(String, String),
    /// A name and what is between its parentheses.
    List(String, String),
    Group(Group),
}

impl Text {
    /// Reads a library.
    ///
    /// # Errors
    /// If it is none: the reason, with the line.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut reader = Reader {
            rest: text.strip_prefix('\u{feff}').unwrap_or(text),
            line: 1,
        };
        reader.skip()?;
        let line = reader.line;
        let none = || format!("line {line} starts no `library` group");
        let name = reader.word();
        if name != "library" {
            return Err(none());
        }
        match reader.statement(name)? {
            Statement::Group(library) => Ok(Self { library }),
            Statement::Value(..) | Statement::List(..) => Err(none()),
        }
    }

    pub(crate) const fn library(&self) -> &Group {
        &self.library
    }

    /// The cells and pins that have a function, as the text says.
    pub fn functions(&self) -> Vec<(&str, &str)> {
        let has_function = |pin: &&Group| {
            let mut statements = pin.statements.iter();
            statements.any(
                |statement| matches!(statement, Statement::Value(name, _) if name == "function"),
            )
        };
        let mut found = Vec::new();
        for cell in groups(&self.library, "cell") {
            let pins = groups(cell, "pin").into_iter().filter(has_function);
            found.extend(pins.map(|pin| (bare(&cell.arguments), bare(&pin.arguments))));
        }
        found
    }

    /// What is wrong with the library beyond its grammar, if anything: a unit that is none, or a function of what is no pin
    /// of its cell.
    pub fn objection(&self) -> Option<String> {
        let units = self
            .library
            .statements
            .iter()
            .find_map(|statement| match statement {
                Statement::Value(name, content) | Statement::List(name, content) => {
                    let known = match name.as_str() {
                        // No cell is as large as a microfarad.
                        "capacitive_load_unit" => {
                            farads(content).is_some_and(|(_, exponent)| exponent < -6)
                        }
                        name if name.ends_with("_unit") => {
                            unit(content.trim_matches('"').trim()).is_some()
                        }
                        _ => true,
                    };
                    (!known).then(|| format!("its {name} is no unit that is known: {content}"))
                }
                Statement::Group(_) => None,
            });
        let mut cells = groups(&self.library, "cell").into_iter();
        units.or_else(|| cells.find_map(unknown_pin))
    }

    /// Whether it says in what unit its capacitances are.
    pub fn has_load_unit(&self) -> bool {
        self.library.statements.iter().any(|statement| {
            matches!(statement, Statement::Value(name, _) | Statement::List(name, _)
                if name == "capacitive_load_unit")
        })
    }

    /// The same library with conditions that need no inference: a reader need not know that a flip-flop's outputs are
    /// complements of each other, or that what has no condition is for states that no condition covers.
    pub fn with_plain_conditions(mut self) -> Self {
        for statement in &mut self.library.statements {
            if let Statement::Group(cell) = statement
                && cell.name == "cell"
            {
                plain_conditions(cell);
            }
        }
        self
    }

    /// The library with all that is kept.
    pub fn whole(&self) -> String {
        self.without(&[])
    }

    /// The library without its power: what mapping uses.
    pub fn for_mapping(&self) -> String {
        self.without(POWER)
    }

    fn without(&self, left_out: &[&str]) -> String {
        let mut text = String::new();
        write_group(&mut text, &self.library, 0, left_out);
        text
    }
}

/// The text of a file: UTF-8, or else Latin-1, in which vendors write names of people and units.
///
/// # Errors
/// If it is no text.
pub fn decode(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.contains(&0) {
        return Err("it is not text".to_owned());
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| {
        error
            .as_bytes()
            .iter()
            .map(|byte| char::from(*byte))
            .collect()
    }))
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Reader<'a> {
    fn broken<T>(&self) -> Result<T, String> {
        Err(format!("its syntax breaks near line {}", self.line))
    }

    /// Takes so many bytes.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|letter| !holds(letter));
        self.take(end.unwrap_or(self.rest.len()))
    }

    /// Passes blanks, continued lines and comments.
    fn skip(&mut self) -> Result<(), String> {
        loop {
            self.take_while(|letter| letter.is_whitespace() || letter == '\\');
            if self.rest.starts_with("/*") {
                let Some(end) = self.rest.find("*/") else {
                    return self.broken();
                };
                self.take(end + 2);
            } else if self.rest.starts_with("//") {
                self.take_while(|letter| letter != '\n');
            } else {
                return Ok(());
            }
        }
    }

    /// A name; empty if there is none.
    fn word(&mut self) -> &'a str {
        self.take_while(|letter| letter.is_alphanumeric() || "_.[]$-".contains(letter))
    }

    /// A string with its quotes, on one line.
    fn string(&mut self) -> Result<String, String> {
        let Some(end) = self.rest[1..].find('"') else {
            return self.broken();
        };
        let text = self.take(end + 2);
        Ok(one_line(text))
    }

    /// What comes after a name.
    fn statement(&mut self, name: &str) -> Result<Statement, String> {
        self.skip()?;
        let name = name.to_owned();
        if self.rest.starts_with(':') {
            self.take(1);
            let value = self.value()?;
            return Ok(Statement::Value(name, value));
        }
        if !self.rest.starts_with('(') {
            return self.broken();
        }
        self.take(1);
        let arguments = self.arguments()?;
        self.skip()?;
        if !self.rest.starts_with('{') {
            return Ok(Statement::List(name, arguments));
        }
        self.take(1);
        let mut statements = Vec::new();
        loop {
            self.skip()?;
            if self.rest.starts_with('}') {
                self.take(1);
                return Ok(Statement::Group(Group {
                    name,
                    arguments,
                    statements,
                }));
            }
            if self.rest.starts_with(';') {
                self.take(1);
                continue;
            }
            let name = self.word();
            if name.is_empty() {
                return self.broken();
            }
            statements.push(self.statement(name)?);
        }
    }

    /// A value, which ends with a semicolon, its line or its group.
    fn value(&mut self) -> Result<String, String> {
        self.take_while(|letter| letter == ' ' || letter == '\t');
        self.skip()?;
        if self.rest.starts_with('"') {
            return self.string();
        }
        let end = self.rest.find([';', '\n', '}', '{']);
        let raw = self.take(end.unwrap_or(self.rest.len()));
        let raw = raw.split("/*").next().unwrap_or(raw).trim();
        match raw.is_empty() {
            true => self.broken(),
            false => Ok(raw.to_owned()),
        }
    }

    /// What is between parentheses, on one line.
    fn arguments(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut depth = 0;
        loop {
            self.skip()?;
            match self.rest.chars().next() {
                None => return self.broken(),
                Some('"') => text.push_str(&self.string()?),
                Some(')') if depth == 0 => {
                    self.take(1);
                    return Ok(text);
                }
                Some(letter) => {
                    match letter {
                        '(' => depth += 1,
                        ')' => depth -= 1,
                        '{' | '}' | ';' => return self.broken(),
                        _ => {}
                    }
                    let after_word = text.ends_with(|last: char| last.is_alphanumeric());
                    let word = self.word();
                    if word.is_empty() {
                        text.push_str(self.take(letter.len_utf8()));
                    } else {
                        // A blank parts two words.
                        text.push_str(if after_word { " " } else { "" });
                        text.push_str(word);
                    }
                    if letter == ',' {
                        text.push(' ');
                    }
                }
            }
        }
    }
}

/// Without continued lines, and with a blank for each run of blanks.
fn one_line(text: &str) -> String {
    match text.contains(['\n', '\r', '\\']) {
        true => {
            let text = text.replace(['\n', '\r', '\\'], " ");
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
        false => text.to_owned(),
    }
}

/// Writes the conditions of a cell with one of two outputs that are complements, and gives tables of inputs without a condition
/// that of the states that the others leave.
fn plain_conditions(cell: &mut Group) {
    let shows = |variable: &str| {
        let pins = groups(cell, "pin").into_iter();
        let mut showing = pins.filter(|pin| {
            let function = value(pin, "function").unwrap_or_default();
            bare(function).trim_matches(['(', ')', ' ']) == variable
        });
        showing.next().map(|pin| bare(&pin.arguments).to_owned())
    };
    let flip_flop = groups(cell, "ff").into_iter().next();
    let variables = flip_flop.and_then(|flip_flop| flip_flop.arguments.split_once(','));
    let pair = variables
        .and_then(|(state, complement)| Some((shows(bare(state))?, shows(bare(complement))?)));
    if let Some((state, complement)) = &pair {
        conditions(cell, &mut |when| *when = without(when, complement, state));
    }
    for statement in &mut cell.statements {
        if let Statement::Group(pin) = statement
            && pin.name == "pin"
            && value(pin, "function").is_none()
        {
            leave_the_rest(pin);
        }
    }
}

/// Calls a function with each condition in a group.
fn conditions(group: &mut Group, change: &mut impl FnMut(&mut String)) {
    for statement in &mut group.statements {
        match statement {
            Statement::Value(name, when) if name == "when" => change(when),
            Statement::Group(group) => conditions(group, change),
            Statement::Value(..) | Statement::List(..) => {}
        }
    }
}

/// A condition in which a name is written as the complement of another one.
fn without(when: &str, complement: &str, state: &str) -> String {
    let mut text = String::new();
    let mut rest = when;
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let end = match is_word(first) {
            true => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        if word != complement {
            text.push_str(word);
        } else if let Some(after) = rest.strip_prefix('\'') {
            rest = after;
            text.push_str(state);
        } else if text.trim_end().ends_with('!') {
            text.truncate(text.trim_end().len() - 1);
            text.push_str(state);
        } else {
            text.push('!');
            text.push_str(state);
        }
    }
    text
}

/// Gives each table of an input that has no condition that of the states that its others leave; those of a supply are others
/// of each other.
fn leave_the_rest(pin: &mut Group) {
    let supply = |group: &Group| value(group, "related_pg_pin").map(bare).map(str::to_owned);
    let tables = groups(pin, "internal_power").into_iter();
    let known: Vec<(Option<String>, String)> = tables
        .filter_map(|table| Some((supply(table), bare(value(table, "when")?).to_owned())))
        .collect();
    for statement in &mut pin.statements {
        let Statement::Group(table) = statement else {
            continue;
        };
        let of_supply = supply(table);
        let others = known.iter().filter(|(other, _)| *other == of_supply);
        let others: Vec<String> = others.map(|(_, when)| format!("({when})")).collect();
        if table.name == "internal_power" && value(table, "when").is_none() && !others.is_empty() {
            let when = format!("\"!({})\"", others.join(" | "));
            table
                .statements
                .push(Statement::Value("when".to_owned(), when));
        }
    }
}

/// The value of an attribute of a group.
pub(crate) fn value<'a>(group: &'a Group, attribute: &str) -> Option<&'a str> {
    group
        .statements
        .iter()
        .find_map(|statement| match statement {
            Statement::Value(name, value) if name == attribute => Some(value.as_str()),
            _ => None,
        })
}

/// The groups of a name in another one.
pub(crate) fn groups<'a>(of: &'a Group, name: &str) -> Vec<&'a Group> {
    let groups = of
        .statements
        .iter()
        .filter_map(|statement| match statement {
            Statement::Group(group) if group.name == name => Some(group),
            _ => None,
        });
    groups.collect()
}

pub(crate) fn bare(name: &str) -> &str {
    name.trim().trim_matches('"')
}

fn is_kept(name: &str) -> bool {
    KEPT.contains(&name)
        || KEPT_BEGINNINGS
            .iter()
            .any(|beginning| name.starts_with(beginning))
}

fn write_group(text: &mut String, group: &Group, depth: usize, left_out: &[&str]) {
    let indent = "  ".repeat(depth);
    text.push_str(&format!(
        "{indent}{} ({}) {{\n",
        group.name, group.arguments
    ));
    for statement in &group.statements {
        let name = match statement {
            Statement::Value(name, _) | Statement::List(name, _) => name,
            Statement::Group(group) => &group.name,
        };
        if !is_kept(name) || left_out.contains(&name.as_str()) {
            continue;
        }
        match statement {
            Statement::Group(group) => write_group(text, group, depth + 1, left_out),
            Statement::Value(_, content) | Statement::List(_, content) => {
                text.push_str(&format!("{indent}  {}\n", attribute(name, content)));
            }
        }
    }
    text.push_str(&format!("{indent}}}\n"));
}

/// A function of something that the cell has not, if there is one. Cells of buses have more names than these.
fn unknown_pin(cell: &Group) -> Option<String> {
    let mut names = Vec::new();
    let mut pins = Vec::new();
    for statement in &cell.statements {
        let Statement::Group(group) = statement else {
            continue;
        };
        match group.name.as_str() {
            "bus" | "bundle" | "test_cell" | "statetable" => return None,
            "pin" => pins.push(group),
            _ => {}
        }
        names.extend(group.arguments.split(',').map(bare));
    }
    for pin in pins {
        for statement in &pin.statements {
            let Statement::Value(name, function) = statement else {
                continue;
            };
            if name != "function" {
                continue;
            }
            let is_part = |letter: char| letter.is_alphanumeric() || "_[]".contains(letter);
            let mut used = function.split(|letter| !is_part(letter));
            let starts =
                |word: &&str| word.starts_with(|first: char| first.is_alphabetic() || first == '_');
            let unknown = used.find(|word| starts(word) && !names.contains(word));
            if let Some(word) = unknown {
                return Some(format!(
                    "the function of the pin {} of its cell {} is of `{word}`, which is no pin of it",
                    bare(&pin.arguments),
                    bare(&cell.arguments)
                ));
            }
        }
    }
    None
}

fn attribute(name: &str, content: &str) -> String {
    let bare = content.trim_matches('"').trim();
    if name == "capacitive_load_unit" {
        let unit = load_unit(content);
        return format!("{name} ({});", unit.as_deref().unwrap_or(content));
    }
    if name.ends_with("_unit")
        && let Some(unit) = unit(bare)
    {
        return format!("{name} : \"{unit}\";");
    }
    if LISTS.contains(&name) {
        return format!("{name} ({content});");
    }
    let plain = |letter: char| letter.is_alphanumeric() || "_.+-[]".contains(letter);
    match content.starts_with('"') || content.chars().all(plain) {
        true => format!("{name} : {content};"),
        false => format!("{name} : \"{content}\";"),
    }
}

/// A unit such as `1ns`: a power of ten from 1 to 100, a prefix and the name, as all readers know it.
fn unit(text: &str) -> Option<String> {
    let (number, name) = number_and_name(text)?;
    let (base, exponent) = known_unit(&name.to_ascii_lowercase())?;
    plain_unit(number, exponent, base)
}

/// The base of a name of a unit in small letters, and its power of ten.
fn known_unit(name: &str) -> Option<(&'static str, i32)> {
    [
        ("s", ["s", "second", "seconds"]),
        ("V", ["v", "volt", "volts"]),
        ("A", ["a", "amp", "amps"]),
        ("W", ["w", "watt", "watts"]),
        ("ohm", ["ohm", "ohms", "ohm"]),
    ]
    .into_iter()
    .find_map(|(base, names)| Some((base, names.iter().find_map(|known| prefix(name, known))?)))
}

/// The value of an attribute that is a unit, in SI units.
pub(crate) fn unit_in_si(attribute: &str, content: &str) -> Option<f64> {
    if attribute == "capacitive_load_unit" {
        let (number, exponent) = farads(content)?;
        return Some(number * 10f64.powi(exponent));
    }
    let (number, name) = number_and_name(content.trim_matches('"'))?;
    let exponent = known_unit(&name.to_ascii_lowercase())?.1;
    Some(number * 10f64.powi(exponent))
}

/// The number of a unit of capacitance, and its power of ten.
fn farads(text: &str) -> Option<(f64, i32)> {
    let text = text.replace(['"', ',', '(', ')'], " ");
    let (number, name) = number_and_name(text.trim())?;
    let name = name.to_ascii_lowercase();
    let exponent = ["f", "farad", "farads"]
        .iter()
        .find_map(|base| prefix(&name, base))?;
    Some((number, exponent))
}

/// The unit of capacitance as `1, ff` or `1, pf`, where it is one of these in another spelling.
fn load_unit(text: &str) -> Option<String> {
    let (number, exponent) = farads(text)?;
    let unit = plain_unit(number, exponent, "f")?;
    let digits = unit.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, name) = unit.split_at(digits);
    Some(format!("{number}, {name}"))
}

/// A number and what comes after it; without a number, 1.
fn number_and_name(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let digits = |letter: char| letter.is_ascii_digit() || "+-.".contains(letter);
    let mut end = text.find(|letter| !digits(letter))?;
    // An exponent belongs to the number.
    if text[end..].starts_with(['e', 'E'])
        && let Some(length) = text[end + 1..].find(|letter| !digits(letter))
        && length > 0
    {
        end += 1 + length;
    }
    let number = match &text[..end] {
        "" => 1.0,
        number => number.parse().ok()?,
    };
    Some((number, text[end..].trim()))
}

/// The prefixes of units with their powers of ten.
const PREFIXES: [(&str, i32); 8] = [
    ("a", -18),
    ("f", -15),
    ("p", -12),
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
];

/// The power of ten of a name of a unit in small letters. `m` is milli.
fn prefix(name: &str, base: &str) -> Option<i32> {
    let before = name.strip_suffix(base)?;
    let found = PREFIXES.iter().find(|(prefix, _)| *prefix == before)?;
    Some(found.1)
}

/// 1, 10 or 100 of a unit with a prefix.
fn plain_unit(number: f64, exponent: i32, base: &str) -> Option<String> {
    let power = number.log10();
    let whole = power.round();
    if !whole.is_finite() || (power - whole).abs() > 1e-9 {
        return None;
    }
    let power = whole as i32 + exponent;
    let (prefix, thousands) = PREFIXES
        .into_iter()
        .find(|(_, thousands)| (0..3).contains(&(power - thousands)))?;
    Some(format!(
        "1{}{prefix}{base}",
        "0".repeat((power - thousands) as usize)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(body: &str) -> String {
        Text::read(&format!("library (l) {{ {body} }}"))
            .unwrap()
            .whole()
    }

    #[test]
    fn what_no_reader_can_take_is_named() {
        let objection = |body: &str| {
            Text::read(&format!("library (l) {{ {body} }}"))
                .unwrap()
                .objection()
        };
        let cell = |function: &str| {
            format!(
                "cell (G) {{ pin (A) {{ }} pin (\"B[0]\") {{ }} ff (IQ, IQN) {{ }} pin (Y) {{ function : \"{function}\"; }} }}"
            )
        };
        for fine in [
            "capacitive_load_unit (1, ff);".to_owned(),
            "capacitive_load_unit (20, \"fF\"); time_unit : 1ns;".to_owned(),
            cell("!A & B[0]"),
            cell("IQ"),
            cell("1"),
            cell("(A' + B[0])"),
        ] {
            assert_eq!(objection(&fine), None, "{fine}");
        }
        for (body, words) in [
            (
                "capacitive_load_unit (1, mf);".to_owned(),
                "capacitive_load_unit",
            ),
            ("time_unit : \"1 fortnight\";".to_owned(), "time_unit"),
            (cell("A & C"), "pin Y of its cell G is of `C`"),
        ] {
            let said = objection(&body).unwrap();
            assert!(said.contains(words), "{body}: {said}");
        }
    }

    #[test]
    fn units_have_one_spelling() {
        for (written, plain) in [
            (
                "capacitive_load_unit (1, fF);",
                "capacitive_load_unit (1, ff);",
            ),
            (
                "capacitive_load_unit (1.0, \"pF\");",
                "capacitive_load_unit (1, pf);",
            ),
            (
                "capacitive_load_unit (0.001, PF);",
                "capacitive_load_unit (1, ff);",
            ),
            (
                "capacitive_load_unit (1000,ff);",
                "capacitive_load_unit (1, pf);",
            ),
            (
                "capacitive_load_unit : \"1 ff\";",
                "capacitive_load_unit (1, ff);",
            ),
            ("time_unit : \"1NS\";", "time_unit : \"1ns\";"),
            ("time_unit : 0.001 ns;", "time_unit : \"1ps\";"),
            ("time_unit : \"100ps\"", "time_unit : \"100ps\";"),
            (
                "leakage_power_unit : \"1e-3 uW\";",
                "leakage_power_unit : \"1nW\";",
            ),
            ("voltage_unit : 1v;", "voltage_unit : \"1V\";"),
            (
                "pulling_resistance_unit : \"1kOhm\";",
                "pulling_resistance_unit : \"1kohm\";",
            ),
        ] {
            let text = whole(written);
            assert!(text.contains(plain), "{written}: {text}");
        }
    }

    #[test]
    fn statements_have_the_form_that_every_reader_takes() {
        let text = whole(
            "technology : cmos; library_features : \"x\"; /* M\u{fc}ller */ vendor_thing (1) { deep : 2; }
             cell (\"A\") { area : 1.5
               ff (IQ, IQN) { clear : !RN; next_state : D & E; }
               pin (Y) { function : (A*B); // a comment
                 timing () { values (\"1, 2\", \\\n \"3,\\\n 4\"); } };
             }",
        );
        let expected = "library (l) {
  technology (cmos);
  cell (\"A\") {
    area : 1.5;
    ff (IQ, IQN) {
      clear : \"!RN\";
      next_state : \"D & E\";
    }
    pin (Y) {
      function : \"(A*B)\";
      timing () {
        values (\"1, 2\", \"3, 4\");
      }
    }
  }
}
";
        assert_eq!(text, expected);
        // What was rewritten is not rewritten again.
        assert_eq!(Text::read(&text).unwrap().whole(), text);
    }

    #[test]
    fn mapping_does_not_see_power() {
        let text = Text::read(
            "library (l) { cell (A) { leakage_power () { value : 1; } cell_leakage_power : 2;
             pin (Y) { internal_power () { power (x) { values (\"1\"); } } } } }",
        );
        let text = text.unwrap().for_mapping();
        assert!(text.contains("cell_leakage_power : 2;"), "{text}");
        assert!(
            !text.contains("internal_power") && !text.contains("value :"),
            "{text}"
        );
    }

    #[test]
    fn conditions_become_plain() {
        let text = Text::read(
            "library (l) { cell (A) { ff (IQ , IQN) { next_state : D; }
             pin (Q) { function : \"IQ\"; } pin (QN) { function : \"(IQN)\"; }
             leakage_power () { when : \"D & QN\"; }
             pin (C) { internal_power () { when : \"D & !Q & QN\"; } internal_power () { when : \"Q * !QN\"; }
               internal_power () { power (x) { } } } } }",
        );
        let text = text.unwrap().with_plain_conditions().whole();
        for when in [
            "\"D & !Q\"",
            "\"D & !Q & !Q\"",
            "\"Q * Q\"",
            "\"!((D & !Q & !Q) | (Q * Q))\"",
        ] {
            assert!(text.contains(&format!("when : {when};")), "{when}: {text}");
        }
        assert_eq!(without("QN' + Q2N ! QN", "QN", "Q"), "Q + Q2N Q");
    }

    #[test]
    fn what_breaks_names_its_line() {
        for (text, reason) in [
            ("\nroot:x", "line 2 starts no `library` group"),
            (
                "library (l) {\n cell (A) {\n",
                "its syntax breaks near line 3",
            ),
            (
                "library (l) {\n area : \"1;\n",
                "its syntax breaks near line 2",
            ),
            ("library (l) { /* x", "its syntax breaks near line 1"),
            (
                "library (l) {\n area ( 1;\n}",
                "its syntax breaks near line 2",
            ),
        ] {
            assert_eq!(Text::read(text).unwrap_err(), reason, "{text}");
        }
        assert!(decode(vec![b'a', 0]).is_err());
        assert_eq!(decode(vec![b'a', 0xfc]).unwrap(), "a\u{fc}");
    }
}

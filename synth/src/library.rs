//! A cell library: any Liberty file, or the embedded one.

use crate::error::{Error, one_line};
use faultline_liberty::Text;
use flate2::read::GzDecoder;
use liberty_db::{Cell, DefaultCtx};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

/// What synthesis needs to know of a cell library.
#[derive(Clone, Debug)]
pub struct Library {
    origin: String,
    name: String,
    text: String,
    for_mapping: String,
    default_wire_load: Option<String>,
    areas: BTreeMap<String, f64>,
    registers: Vec<String>,
    complements: bool,
    not_understood: Option<String>,
    driving_cell: String,
    has_load_unit: bool,
}

impl Library {
    /// The embedded 45 nm library.
    ///
    /// # Errors
    /// If it does not parse; a test sees to it that it does.
    pub fn embedded() -> Result<Self, Error> {
        Self::parse("the embedded library", &crate::cells::liberty())
    }

    /// Reads a `.lib` or `.lib.gz` file.
    ///
    /// # Errors
    /// If it cannot be read, or is no library to synthesize with: no flip-flop, no buffer, no area, no unit of
    /// capacitance.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let unusable = |reason: &str| Error::Liberty {
            path: path.display().to_string(),
            reason: one_line(reason),
        };
        let text = text_of(path, &unusable)?;
        let library = Self::parse(&path.display().to_string(), &text)?;
        if library.registers.is_empty() {
            return Err(unusable("it has no flip-flop"));
        }
        if !library.has_load_unit {
            return Err(unusable("it has no capacitive_load_unit"));
        }
        if library.driving_cell.is_empty() {
            return Err(unusable("it has no buffer"));
        }
        Ok(library)
    }

    /// Takes a library from Liberty text; `origin` names it in errors.
    ///
    /// # Errors
    /// If the text is no Liberty library with cells.
    pub fn parse(origin: &str, text: &str) -> Result<Self, Error> {
        let unusable = |reason: String| Error::Liberty {
            path: origin.to_owned(),
            reason: one_line(&reason),
        };
        if text.trim().is_empty() {
            return Err(unusable("it is empty".to_owned()));
        }
        let written = Text::read(text).map_err(unusable)?;
        if let Some(reason) = written.objection() {
            return Err(unusable(reason));
        }
        let has_load_unit = written.has_load_unit();
        let text = written.whole();
        let parsed =
            faultline_liberty::parse(&text).map_err(|error| unusable(refused(&text, &error)))?;
        let name = parsed
            .name
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" ");
        let mut areas = BTreeMap::new();
        let mut registers = Vec::new();
        let mut complements = false;
        let mut buffers = Vec::new();
        for cell in parsed.cell.iter() {
            let area = cell.area.unwrap_or(0.0);
            areas.insert(cell.name.to_string(), area);
            if !cell.ff.is_empty() || !cell.ff_bank.is_empty() {
                registers.push(cell.name.to_string());
                complements |= !shows_its_data(cell);
            }
            if is_buffer(cell) {
                buffers.push((area, cell.name.to_string()));
            }
        }
        let understood: BTreeSet<(String, String)> = parsed
            .cell
            .iter()
            .flat_map(|cell| {
                let pins = cell.pin.iter().filter(|pin| pin.function.is_some());
                pins.map(|pin| (cell.name.to_string(), pin.name.to_string()))
            })
            .collect();
        let not_understood = written
            .functions()
            .into_iter()
            .find(|(cell, pin)| !understood.contains(&((*cell).to_owned(), (*pin).to_owned())))
            .map(|(cell, pin)| format!("the function of the pin {pin} of its cell {cell}"));
        if areas.is_empty() {
            return Err(unusable("it has no cells".to_owned()));
        }
        buffers.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        Ok(Self {
            origin: origin.to_owned(),
            name,
            for_mapping: written.for_mapping(),
            text,
            default_wire_load: parsed.default_wire_load.as_ref().map(ToString::to_string),
            areas,
            registers,
            complements,
            not_understood,
            driving_cell: driving_cell(&buffers),
            has_load_unit,
        })
    }

    /// The same library with plain conditions, as [`Text::with_plain_conditions`] writes them.
    ///
    /// # Errors
    /// If its text does not parse again.
    pub fn with_plain_conditions(&self) -> Result<Self, Error> {
        let unusable = |reason: String| Error::Liberty {
            path: self.origin.clone(),
            reason,
        };
        let text = Text::read(&self.text).map_err(unusable)?;
        Self::parse(&self.origin, &text.with_plain_conditions().whole())
    }

    /// The name that the library gives itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it comes from: its file, or that it is the embedded one.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The Liberty text, in the form of [`Text`].
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The Liberty text without its power, which mapping does not use.
    pub fn for_mapping(&self) -> &str {
        &self.for_mapping
    }

    /// The name of its default wire-load model, if it has one.
    pub fn default_wire_load(&self) -> Option<&str> {
        self.default_wire_load.as_deref()
    }

    /// Area of a cell in the library's unit (µm² for the libraries in use), if it has one.
    pub fn area(&self, cell: &str) -> Option<f64> {
        self.areas.get(cell).copied()
    }

    /// Whether a cell is a flip-flop.
    pub fn is_register(&self, cell: &str) -> bool {
        self.registers.iter().any(|register| register == cell)
    }

    /// Whether a flip-flop has no output that shows what it took over, but only its complement.
    pub fn has_complements(&self) -> bool {
        self.complements
    }

    /// The first part of it that was not understood, where another reader may stumble too.
    pub fn not_understood(&self) -> Option<&str> {
        self.not_understood.as_deref()
    }

    /// The buffer that is taken to drive every input of a design.
    pub fn driving_cell(&self) -> &str {
        &self.driving_cell
    }
}

/// The text of a `.lib` or `.lib.gz` file; `unusable` makes the error of what is no text.
///
/// # Errors
/// If it cannot be read, does not decompress or is no text.
pub(crate) fn text_of(path: &Path, unusable: &dyn Fn(&str) -> Error) -> Result<String, Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::file(path, "read", source))?;
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        GzDecoder::new(bytes.as_slice())
            .read_to_end(&mut plain)
            .map_err(|error| unusable(&format!("it does not decompress ({error})")))?;
        plain
    } else {
        bytes
    };
    faultline_liberty::decode(bytes).map_err(|reason| unusable(&reason))
}

/// Whether an output of a flip-flop shows its data and not the complement.
fn shows_its_data(cell: &Cell<DefaultCtx>) -> bool {
    let plain = |text: String| text.trim_matches(['(', ')', ' ']).to_owned();
    cell.ff.iter().any(|flip_flop| {
        let next = flip_flop.next_state.as_ref();
        let turned = next.is_some_and(|next| plain(next.to_string()).starts_with('!'));
        let shown = match turned {
            true => &flip_flop.variable2,
            false => &flip_flop.variable1,
        };
        let functions = cell.pin.iter().filter_map(|pin| pin.function.as_ref());
        functions
            .map(|function| plain(function.to_string()))
            .any(|function| function == *shown)
    })
}

/// Two pins, of which one repeats the other.
fn is_buffer(cell: &Cell<DefaultCtx>) -> bool {
    let pins: Vec<_> = cell.pin.iter().collect();
    let [one, other] = pins.as_slice() else {
        return false;
    };
    let (function, input) = match (&one.function, &other.function) {
        (Some(function), None) => (function, other.name.to_string()),
        (None, Some(function)) => (function, one.name.to_string()),
        _ => return false,
    };
    function.to_string().trim_matches(['(', ')', ' ']) == input
}

/// `BUF_X4` where there is one, else another library's buffer of strength 4, else the middle one.
fn driving_cell(buffers: &[(f64, String)]) -> String {
    let strength_four = buffers.iter().find(|(_, name)| {
        let letters: String = name
            .chars()
            .filter(|letter| letter.is_ascii_alphanumeric())
            .collect();
        letters.eq_ignore_ascii_case("BUFX4")
    });
    strength_four
        .or_else(|| buffers.get(buffers.len() / 2))
        .map(|(_, name)| name.clone())
        .unwrap_or_default()
}

/// The parser's message, shortened: it quotes what it stumbled over, and counts lines of the rewritten text from 0. The
/// cell says where that is in the file.
fn refused(text: &str, message: &str) -> String {
    let line = message
        .strip_prefix("line ")
        .and_then(|rest| rest.split_once(". "))
        .and_then(|(number, _)| number.parse::<usize>().ok());
    let message: String = one_line(message).chars().take(160).collect();
    match line.and_then(|line| cell_at(text, line + 1)) {
        Some(cell) => format!("its cell {cell} is not understood: {message}"),
        None => format!("it is not understood: {message}"),
    }
}

/// The cell that a line of a rewritten library is in.
pub(crate) fn cell_at(text: &str, line: usize) -> Option<&str> {
    let heads = text.lines().take(line);
    let head = heads.filter(|line| line.starts_with("  cell (")).last()?;
    Some(
        head.trim_start_matches("  cell (")
            .trim_end_matches(") {")
            .trim_matches('"'),
    )
}

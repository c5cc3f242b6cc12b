//! How every subcommand writes: results on standard output, progress on standard error.

use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table};
use indicatif::{ProgressBar, ProgressStyle};
use miette::{IntoDiagnostic, WrapErr};
use serde::Serialize;

/// Options of all subcommands.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Global {
    /// Print JSON instead of tables
    #[arg(long, global = true)]
    pub json: bool,
}

impl Global {
    /// Writes a text to standard output, with a line end. A reader that has gone (`| head`) has seen
    /// what it wanted, so the command ends quietly.
    ///
    /// # Errors
    /// If standard output cannot be written for another reason, such as a full disk.
    pub fn print(&self, text: &str) -> miette::Result<()> {
        let mut output = std::io::stdout().lock();
        let written = writeln!(output, "{}", text.trim_end()).and_then(|()| output.flush());
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
            Err(error) => Err(miette::miette!(
                "standard output cannot be written ({error})"
            )),
            Ok(()) => Ok(()),
        }
    }

    /// Writes a value to standard output as JSON.
    ///
    /// # Errors
    /// As [`Global::print`].
    pub fn print_json(&self, value: &impl Serialize) -> miette::Result<()> {
        let text = serde_json::to_string_pretty(value);
        self.print(
            &text
                .into_diagnostic()
                .wrap_err("the result cannot be written as JSON")?,
        )
    }
}

/// A file for a picture, which is SVG whatever it is called.
///
/// # Errors
/// If its name says something else.
pub fn svg_file(name: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(name);
    let extension = path
        .extension()
        .map(|extension| extension.to_ascii_lowercase());
    match extension.is_some_and(|extension| extension == "svg") {
        true => Ok(path),
        false => Err("the picture is SVG, so give a name that ends in .svg".to_owned()),
    }
}

/// A progress bar on standard error, for what takes seconds; invisible where that is no terminal.
pub fn progress(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// An empty table with these headings, as wide as it likes, or as the terminal if there is one.
pub fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_preset(UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(headings);
    table
}

/// Rows of so many names and then numbers as tables that are no wider than this, each with all names and some of the
/// numbers. Every cell stays whole, so that a table with one number may be wider.
pub fn tables(
    names: usize,
    headings: &[String],
    rows: &[Vec<String>],
    width: Option<usize>,
) -> String {
    // A column has a space on either side and a line, and a table a line more.
    let column = |place: usize| {
        let cells = rows.iter().filter_map(|row| row.get(place));
        let widths = cells
            .chain(headings.get(place))
            .map(|cell| cell.chars().count());
        widths.max().unwrap_or(0) + 3
    };
    let named: usize = (0..names).map(column).sum();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut used = usize::MAX;
    for place in names..headings.len() {
        used = used.saturating_add(column(place));
        match parts.last_mut() {
            Some(part) if width.is_none_or(|width| used <= width) => part.push(place),
            _ => {
                parts.push((0..names).chain([place]).collect());
                used = 1 + named + column(place);
            }
        }
    }
    let tables = parts.iter().map(|part| {
        let mut table = Table::new();
        table
            .load_preset(UTF8_FULL_CONDENSED)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(part.iter().map(|&place| &headings[place]));
        for row in rows {
            let cell = |&place: &usize| match place < names {
                true => Cell::new(&row[place]),
                false => right(&row[place]),
            };
            table.add_row(part.iter().map(cell));
        }
        table.to_string()
    });
    tables.collect::<Vec<_>>().join("\n")
}

/// The columns of the terminal, if standard output is one.
pub fn width() -> Option<usize> {
    Table::new().width().map(usize::from)
}

/// A cell for a number.
pub fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// A whole number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{grouped, tables};

    #[test]
    fn cells_of_split_tables_stay_whole() {
        let cells = |row: usize| (0..7).map(move |place| format!("{}", 10usize.pow(place) * row));
        let heading = |place: usize| format!("column number {place}");
        let headings: Vec<String> = (0..7).map(heading).collect();
        let rows: Vec<Vec<String>> = (1..4).map(|row| cells(row).collect()).collect();
        let lines = |width| {
            let text = tables(1, &headings, &rows, width);
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        // One table of three rows has seven lines.
        assert_eq!(lines(None).len(), 7);
        for (width, count) in [(200, 1), (80, 2), (79, 2), (56, 3), (37, 6), (10, 6)] {
            let lines = lines(Some(width));
            assert_eq!(lines.len(), 7 * count, "{lines:#?}");
            let widest = lines.iter().map(|line| line.chars().count()).max();
            assert!(widest <= Some(width.max(37)), "{lines:#?}");
            for cell in headings.iter().chain(rows.iter().flatten()) {
                let whole = format!(" {cell} ");
                assert!(
                    lines.iter().any(|line| line.contains(&whole)),
                    "{cell}: {lines:#?}"
                );
            }
            let first = lines.iter().filter(|line| line.contains("column number 0"));
            assert_eq!(first.count(), count);
        }
    }

    #[test]
    fn thousands_are_grouped() {
        let numbers = [0, 999, 1000, 26_601, 1_234_567];
        assert_eq!(
            numbers.map(grouped),
            ["0", "999", "1,000", "26,601", "1,234,567"]
        );
    }
}

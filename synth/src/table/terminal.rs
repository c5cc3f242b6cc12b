//! Tables for a terminal: no wider than it, and no word or number broken.

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};

use super::Grid;

impl Grid {
    /// The grid with its title.
    pub fn terminal(&self) -> String {
        let headings: Vec<&str> = self.headings.iter().map(String::as_str).collect();
        let mut table = table(&headings);
        for row in &self.rows {
            let mut cells = row.iter();
            let label = cells.next().map(String::as_str).unwrap_or_default();
            table.add_row(std::iter::once(label.into()).chain(cells.map(right)));
        }
        format!("{}\n{}", self.title, fitted(&table))
    }
}

/// An empty table with these headings; [`fitted`] makes a text of it.
pub fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_preset(UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(headings);
    table
}

/// The table, no wider than the terminal if there is one. Texts are wrapped between their words, and no word or number
/// is broken: a table that needs more becomes several, each with the first column.
pub fn fitted(table: &Table) -> String {
    fitted_in(table, table.width().map(usize::from))
}

fn fitted_in(table: &Table, width: Option<usize>) -> String {
    let Some(width) = width else {
        return table.to_string();
    };
    let header: Vec<Cell> = table
        .header()
        .map_or_else(Vec::new, |row| row.cell_iter().cloned().collect());
    let rows: Vec<Vec<Cell>> = table
        .row_iter()
        .map(|row| row.cell_iter().cloned().collect())
        .collect();
    // A space on either side of the longest word, and a line.
    let least = |place: usize| {
        let cells = rows
            .iter()
            .chain([&header])
            .filter_map(|row| row.get(place));
        let words = cells.map(|cell| {
            let content = cell.content();
            let lengths = content.split_whitespace().map(|word| word.chars().count());
            lengths.max().unwrap_or(0)
        });
        words.max().unwrap_or(0) + 3
    };
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut used = usize::MAX;
    for place in 1..header.len() {
        used = used.saturating_add(least(place));
        match parts.last_mut() {
            Some(part) if used <= width => part.push(place),
            _ => {
                parts.push(vec![0, place]);
                used = 1 + least(0) + least(place);
            }
        }
    }
    let parts = parts.iter().map(|part| {
        let of = |row: &Vec<Cell>| -> Vec<Cell> {
            part.iter()
                .filter_map(|&place| row.get(place).cloned())
                .collect()
        };
        let mut shown = Table::new();
        shown
            .load_preset(UTF8_FULL_CONDENSED)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(width).unwrap_or(u16::MAX))
            .set_header(of(&header));
        for row in &rows {
            shown.add_row(of(row));
        }
        for (&place, column) in part.iter().zip(shown.column_iter_mut()) {
            let least = u16::try_from(least(place) - 1).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        }
        shown.to_string()
    });
    parts.collect::<Vec<_>>().join("\n")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_of_a_table_is_broken_and_no_line_is_too_long() {
        let headings = [
            "design",
            "total um2",
            "clock MHz",
            "leakage mW",
            "what it is",
        ];
        let numbers = [
            "1,234,567.89",
            "1,015.2",
            "0.000123",
            "a block of many words that wrap",
        ];
        let mut whole = table(&headings);
        for name in ["sm_pipeline_queue_64", "gmmu_64"] {
            let cells = numbers.iter().map(right);
            whole.add_row(std::iter::once(name.into()).chain(cells));
        }
        for width in [200, 80, 60, 40] {
            let text = fitted_in(&whole, Some(width));
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}:\n{text}");
            }
            for number in &numbers[..3] {
                let whole = format!(" {number} ");
                assert_eq!(text.matches(&whole).count(), 2, "{width}: {number}\n{text}");
            }
        }
        assert_eq!(fitted_in(&whole, None), whole.to_string());
    }

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
}

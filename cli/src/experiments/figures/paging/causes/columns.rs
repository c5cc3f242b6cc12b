//! What makes columns differ in figures of which the paper has no numbers.

use super::super::super::causes::{Cause, SHARE, is_far, named, ratio};
use super::super::Row;
use super::super::definitions::Figure;
use super::{Column, PAGE, changes};

/// Bytes of a line.
const LINE: f64 = 128.0;
/// Percent that a sentence shows.
const SHOWN: f64 = 0.5;

/// What had left and came again.
fn again(column: &Column<'_>) -> Option<String> {
    let parts = column.rows.iter().map(|row| column.cell(row).came_again);
    let parts: u64 = parts.sum();
    let of_part = PAGE * f64::from(1 << column.config.paging.granularity.page_bits());
    let share = |row: &Row| 100.0 * ratio(column.cell(row).came_again, column.cell(row).came);
    let most = column.greatest(|row| Some(share(row)).filter(|share| *share >= SHOWN));
    (!most.is_empty()).then(|| {
        format!(
            "{:.1} MB had left and came again, {:.0} % of what came in the mean; most of {}.",
            parts as f64 * of_part / 1e6,
            column.of_all(|row, _| share(row)),
            named(most.into_iter(), 0),
        )
    })
}

/// What takes the link line by line, beside the bytes of the pages that a program accesses.
fn by_lines(column: &Column<'_>) -> Option<String> {
    let lines = column.rows.iter().map(|row| column.cell(row).lines);
    let lines: u64 = lines.sum();
    let moved = |row: &Row| {
        let pages = row.copied_pages.max(1) as f64 * PAGE;
        column.cell(row).lines as f64 * LINE / pages
    };
    (lines > 0).then(|| {
        format!(
            "{:.1} MB take the link line by line. Per byte of the pages that a program accesses, most go in {}.",
            lines as f64 * LINE / 1e6,
            named(column.greatest(|row| Some(moved(row))).into_iter(), 1),
        )
    })
}

/// What comes again, lines over the link, and what else changes from the first column to one that is far from it.
fn differs(first: &Column<'_>, column: &Column<'_>) -> Option<Cause> {
    let slowdown = |row: &Row| column.cell(row).slowdown / first.cell(row).slowdown;
    is_far(column.mean, first.mean).then(|| {
        let why = [
            again(column).filter(|_| column.mean > first.mean),
            by_lines(column),
            changes(first, column, |_| true),
        ];
        let mut why: Vec<String> = why.into_iter().flatten().collect();
        let is_slower = |row: &Row| Some(slowdown(row)).filter(|slower| *slower > 1.0 + SHARE);
        let slower = column.greatest(is_slower);
        if !why.is_empty() && !slower.is_empty() {
            why.push(format!(
                "Slowest beside {}: {}.",
                first.label,
                named(slower.into_iter(), 2)
            ));
        }
        let numbers = format!(
            "is {:.2}, and {:.2} with {}",
            column.mean, first.mean, first.label
        );
        Cause::told(column.label, numbers, why)
    })
}

/// What makes columns differ from the first one, if the paper has no numbers.
pub fn of_columns(figure: &Figure, columns: &[Column<'_>]) -> Vec<Cause> {
    let is_the_papers = figure.columns.iter().any(|column| column.paper.is_some());
    match columns.split_first() {
        Some((first, others)) if !is_the_papers => {
            let others = others.iter();
            others.filter_map(|column| differs(first, column)).collect()
        }
        _ => Vec::new(),
    }
}

//! Why columns of a figure are not in the order that the paper names.

use super::super::super::causes::{Cause, Paper, SHARE, named, ratio};
use super::super::Row;
use super::super::definitions::Figure;
use super::{Column, changes};
use crate::output::grouped;

/// What one column gains over another one, with which the paper has it end.
fn still_gains(first: &Column<'_>, last: &Column<'_>, says: &str) -> Option<Cause> {
    let gains = first.mean / last.mean > 1.0 + SHARE;
    gains.then(|| {
        let gain = |row: &Row| first.cell(row).slowdown / last.cell(row).slowdown;
        let most = first.greatest(|row| Some(gain(row)));
        let most = named(most.into_iter(), 2);
        let mut why: Vec<String> = changes(first, last, |_| true).into_iter().collect();
        why.push(format!(
            "The time falls most in {most}: the first over the second."
        ));
        let (from, to) = (first.mean, last.mean);
        let numbers = format!("still gain: {from:.2} to {to:.2}, and {says} in the paper");
        let what = format!("{} to {} far faults", first.label, last.label);
        Cause::told(&what, numbers, why)
    })
}

/// A program that gains from more far faults, and does not in the paper.
fn gains(columns: &[Column<'_>], name: &str) -> Option<Cause> {
    let (first, last) = columns.first().zip(columns.last())?;
    let row = first.rows.iter().find(|row| row.workload == name)?;
    let [from, to] = [first, last].map(|column| column.cell(row).slowdown);
    (from / to > 1.0 + SHARE).then(|| {
        let numbers = format!("goes from {from:.2} to {to:.2}, and is insensitive in the paper");
        let why = changes(first, last, |row| row.workload == name);
        Cause::told(name, numbers, why.into_iter().collect())
    })
}

/// The slowest program of a column, beside the paper's.
fn slowest(column: &Column<'_>, paper: f64) -> Option<Cause> {
    let slowdowns = column.greatest(|row| Some(column.cell(row).slowdown));
    let &(name, slowdown) = slowdowns.first()?;
    let row = column.rows.iter().find(|row| row.workload == name)?;
    let cell = column.cell(row);
    let what = format!("The slowest at {}, {name},", column.label);
    Cause::of(&what, (slowdown, 2), Paper::Number(paper), || {
        let lost = cell.cycles.saturating_sub(row.resident_cycles);
        vec![format!(
            "SMs wait for {:.0} % of its time, and what is lost is that of {:.0} faults one after the other. It accesses {} pages that come \
             over the link, and copies of them take {:.0} % as long as the run after them.",
            cell.waits_percent,
            lost as f64 / column.service(),
            grouped(row.copied_pages),
            100.0 * ratio(row.copy_cycles, row.resident_cycles),
        )]
    })
}

/// What the best prefetcher takes beyond the oracle, which is the last column.
fn beyond_the_oracle(columns: &[Column<'_>]) -> Option<Cause> {
    let (oracle, others) = columns.split_last()?;
    let order = |one: &&Column<'_>, other: &&Column<'_>| one.mean.total_cmp(&other.mean);
    let best = others.iter().min_by(order)?;
    let here = 100.0 * (best.mean / oracle.mean - 1.0);
    let what = format!("What {} takes beyond the oracle, in percent,", best.label);
    Cause::of(&what, (here, 0), Paper::Under(3.0), || {
        changes(oracle, best, |_| true).into_iter().collect()
    })
}

/// What the paper says besides the means of columns.
pub fn of_claims(figure: &Figure, columns: &[Column<'_>]) -> Vec<Cause> {
    let by = |label| columns.iter().find(|column| column.label == label);
    let gain = |from, to, says| {
        by(from)
            .zip(by(to))
            .and_then(|(from, to)| still_gains(from, to, says))
    };
    let all = match figure.name {
        "zheng-3" => vec![by("20 us").and_then(|column| slowest(column, 15.0))],
        "zheng-5" => vec![
            gain("4", "16", "4 are enough"),
            gain("16", "32", "nothing is gained beyond 16"),
            gains(columns, "nw"),
            gains(columns, "sgemm"),
        ],
        "zheng-prefetch" => vec![beyond_the_oracle(columns)],
        _ => Vec::new(),
    };
    all.into_iter().flatten().collect()
}

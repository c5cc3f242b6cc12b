//! What differs between two columns.

use super::super::super::causes::{is_far, mean};
use super::super::{Cell, Row};
use super::Column;
use crate::output::grouped;

/// What a program counts: its name, the number and its unit.
type Counter = (&'static str, fn(&Cell) -> f64, &'static str);

/// What may make some programs slower or faster from one column to another one: the counters that grow where they are slower, and
/// those that fall where they are faster, in the mean. A part of the time that goes the other way follows from the time alone.
pub fn changes(
    first: &Column<'_>,
    last: &Column<'_>,
    is_own: impl Fn(&Row) -> bool,
) -> Option<String> {
    let rows = first.rows.iter().copied();
    let rows: Vec<&Row> = rows.filter(|row| is_own(row)).collect();
    let means = |of: fn(&Cell) -> f64| {
        [first, last].map(|column| mean(rows.iter().map(|row| of(column.cell(row)))))
    };
    let longer = |row: &&Row| last.cell(row).slowdown / first.cell(row).slowdown;
    let is_slower = rows.iter().map(|row| longer(row).ln()).sum::<f64>() > 0.0;
    let counters: [Counter; 4] = [
        ("far faults of a program", |cell| cell.far_faults as f64, ""),
        ("Nacks", |cell| cell.nacks as f64, ""),
        ("waits of SMs", |cell| cell.waits_percent, " %"),
        ("use of the link", |cell| cell.link_use_percent, " %"),
    ];
    let change = |(what, of, unit): Counter| {
        let [from, to] = means(of);
        let [shown, then] = [from, to].map(|mean| grouped(mean.round() as u64));
        let is_cause = is_far(to, from) && shown != then && (to > from) == is_slower;
        is_cause.then(|| format!("{what} {shown} to {then}{unit}"))
    };
    let all: Vec<String> = counters.into_iter().filter_map(change).collect();
    let [from, to] = [first, last].map(|column| column.label);
    (!all.is_empty()).then(|| format!("From {from} to {to}: {}.", all.join(", ")))
}

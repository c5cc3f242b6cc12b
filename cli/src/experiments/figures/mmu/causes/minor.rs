//! What minor faults cost, and why energy is not what the paper says.

use super::super::super::causes::{
    Cause, NAMED, POINTS, Paper, greatest, is_far, listed, mean, named, ratio, sentence, some_of,
};
use super::super::energy::{DESIGNS, Design};
use super::super::report::{geometric, performance, relative};
use super::super::{Cell, FAULTS, MINOR_CYCLES, Row, THREE};
use crate::output::grouped;

/// Points that a table shows.
const SHOWN: f64 = 0.05;

/// What programs lose to minor faults, of which the paper says nothing.
pub fn of_minor(rows: &[Row]) -> Vec<Cause> {
    let here = geometric(rows, &|row| performance(row, THREE, FAULTS));
    let both = |row| -> Option<(&Row, &Cell, &Cell)> {
        let row: &Row = row;
        Some((row, row.of(THREE)?, row.of(FAULTS)?))
    };
    let all: Vec<_> = rows.iter().filter_map(both).collect();
    let (fault, none): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, _, with)| with.faults > 0);
    let mut why = Vec::new();
    if !fault.is_empty() {
        let handled = |with: &Cell| 100.0 * ratio(with.faults * MINOR_CYCLES, with.cycles);
        let rates = fault
            .iter()
            .map(|(row, without, with)| (&*row.workload, ratio(with.faults, without.cycles)));
        let is_full = |one: &(&str, f64)| one.1 * MINOR_CYCLES as f64 > 1.0;
        let full = rates.clone().filter(is_full).count();
        let longer = match full {
            0 => String::new(),
            full => format!(
                ", and in {} the handler alone takes longer than the run without minor faults",
                some_of(full, rows.len())
            ),
        };
        let one = |(name, rate): &(&str, f64)| {
            format!("{} cycles ({name})", grouped((1.0 / rate).round() as u64))
        };
        let most: Vec<String> = greatest(rates).iter().take(NAMED).map(one).collect();
        why.push(format!(
            "{} {}, one fault after the other, and the handler works for {:.0} % of the time in the mean. It takes {} cycles for a \
             fault{longer}. Most faults, in cycles of the run without: one every {}.",
            sentence(&some_of(fault.len(), rows.len())),
            if fault.len() == 1 { "faults" } else { "fault" },
            mean(fault.iter().map(|(_, _, with)| handled(with))),
            grouped(MINOR_CYCLES),
            listed(&most),
        ));
    }
    let mut causes = Vec::new();
    if (here - 100.0).abs() > POINTS {
        let numbers = format!(
            "is {here:.1} % of that without minor faults in the mean, and the paper prints no such number"
        );
        causes.push(Cause::told("Performance", numbers, why));
    }
    causes.extend(of_none(&none));
    causes
}

/// Why programs without a fault take another time, where they do.
fn of_none(none: &[(&Row, &Cell, &Cell)]) -> Vec<Cause> {
    let one = |(row, without, with): &(&Row, &Cell, &Cell)| {
        let here = performance(row, THREE, FAULTS);
        let is_other = (here - 100.0).abs() >= SHOWN;
        is_other.then(|| {
            let numbers = format!("has no minor fault, and is at {here:.1} % of its performance without them");
            let moved = format!(
                "Both runs access {} lines, for {} and {} walks: only where pages lie differs, for frames are given by 4 KB with minor faults, \
                 and by 64 KB without.",
                grouped(with.lines),
                grouped(without.walks),
                grouped(with.walks),
            );
            let is_alike = without.lines == with.lines && !is_far(with.walks as f64, without.walks as f64);
            Cause::told(&row.workload, numbers, is_alike.then_some(moved).into_iter().collect())
        })
    };
    none.iter().filter_map(one).collect()
}

/// Why energy is another share of design 2's.
pub fn of_energy(rows: &[Row]) -> Vec<Cause> {
    let two = |row: &Row| {
        row.of(DESIGNS[0].label)
            .map_or(0.0, |cell| DESIGNS[0].energy(cell).iter().sum())
    };
    // Percent of the energy of design 2, by parts.
    let parts = |row: &Row, design: &Design| {
        let parts = row
            .of(design.label)
            .map_or([0.0; 3], |cell| design.energy(cell));
        parts.map(|part| 100.0 * part / two(row))
    };
    let walked = |design: &Design| {
        let cells = rows.iter().filter_map(|row| row.of(design.label));
        mean(cells.map(|cell| 100.0 * ratio(cell.walks, cell.lines)))
    };
    let why = |design: &Design| {
        let all = rows.iter().map(|row| parts(row, design));
        let [l1, l2, cache] =
            [0, 1, 2].map(|place: usize| mean(all.clone().map(|parts| parts[place])));
        let rest = rows
            .iter()
            .map(|row| (&*row.workload, parts(row, design)[1..].iter().sum::<f64>()));
        let left = design.paper.filter(|paper| *paper > l1).map(|paper| {
            format!(
                " Of {paper:.1} % the L1 TLBs would leave {:.1} to these two.",
                paper - l1
            )
        });
        vec![format!(
            "Of design 2's energy the L1 TLBs take {l1:.1} %, the L2 TLB {l2:.1} and the page-walk cache {cache:.1}, in the arithmetic mean, as \
             {:.1} of 100 lines request a walk. The latter two take most in {}.{}",
            walked(design),
            named(greatest(rest).into_iter(), 1),
            left.unwrap_or_default(),
        )]
    };
    let mean_of = |design: &Design| geometric(rows, &|row| relative(row, design));
    let beside = |design: &Design| {
        let paper = design.paper.map(Paper::Percent)?;
        let what = format!("Design {}", design.label);
        Cause::of(&what, (mean_of(design), 1), paper, || why(design))
    };
    let mut causes: Vec<Cause> = DESIGNS.iter().filter_map(beside).collect();
    let above = |other: &&Design| mean_of(other) > mean_of(&DESIGNS[2]);
    let above = DESIGNS
        .iter()
        .filter(above)
        .map(|other| format!("design {}'s {:.1}", other.label, mean_of(other)));
    let above: Vec<String> = above.collect();
    if !above.is_empty() {
        let here = mean_of(&DESIGNS[2]);
        let numbers = format!(
            "is {here:.1}, below {}, and above all others in the paper",
            listed(&above)
        );
        causes.push(Cause::told("Design shared-l2", numbers, why(&DESIGNS[2])));
    }
    causes
}

//! Why a prefetcher, large pages, minor faults and energy are not what the paper says.

mod minor;
#[cfg(test)]
mod tests;

pub use self::minor::{of_energy, of_minor};
use super::super::causes::{Cause, Paper, greatest, is_far, named, ratio};
use super::report::{geometric, performance, saved};
use super::{AHEAD, ALL_LARGE, Cell, LARGE, Row, THREE};
use crate::output::grouped;

/// Lines that miss, %.
fn missed(cell: &Cell) -> f64 {
    100.0 * ratio(cell.missed, cell.lines)
}

/// Why a prefetcher of translations changes the performance, in the mean and of programs.
pub fn of_prefetch(rows: &[Row]) -> Vec<Cause> {
    // "The TLB prefetcher does not affect the performance of these workloads" (section 6.3).
    let paper = Paper::Under(1.0);
    let gain = |row: &Row| performance(row, THREE, AHEAD) - 100.0;
    let why = |row: &Row| {
        let Some((without, with)) = row.of(THREE).zip(row.of(AHEAD)) else {
            return Vec::new();
        };
        let sent = (with.walks + with.ahead).saturating_sub(with.spared);
        let mut why = Vec::new();
        if gain(row) < 0.0 && is_far(sent as f64, without.walks as f64) && sent > without.walks {
            why.push(format!(
                "The GMMU serves {} walks, {:.1} times those without a prefetcher: {} were requested ahead, and {} walks did not have to be \
                 sent.",
                grouped(sent),
                ratio(sent, without.walks),
                grouped(with.ahead),
                grouped(with.spared),
            ));
        }
        if (missed(with) - missed(without)) * gain(row) < 0.0 {
            why.push(format!(
                "{:.1} % of the lines wait for a page, {:.1} without, and {:.1} % of the walks are spared.",
                missed(with),
                missed(without),
                100.0 * ratio(with.spared, with.walks),
            ));
        }
        why
    };
    let all = geometric(rows, &|row| performance(row, THREE, AHEAD)) - 100.0;
    let of_all = Cause::of("The change of the mean", (all.abs(), 1), paper, || {
        let most = greatest(rows.iter().map(|row| (&*row.workload, gain(row).abs())));
        vec![format!("It is most of {}.", named(most.into_iter(), 1))]
    });
    let of_program = |row: &Row| {
        let what = match gain(row) < 0.0 {
            true => format!("What {} loses", row.workload),
            false => format!("What {} gains", row.workload),
        };
        Cause::of(&what, (gain(row).abs(), 1), paper, || why(row))
    };
    of_all
        .into_iter()
        .chain(rows.iter().filter_map(of_program))
        .collect()
}

/// Why pages of 2 MB save fewer misses.
pub fn of_large(rows: &[Row]) -> Vec<Cause> {
    let count = |variant: &str| -> u64 {
        let cells = rows.iter().filter_map(|row| row.of(variant));
        cells.map(|cell| cell.missed).sum()
    };
    let here = 100.0 - 100.0 * ratio(count(LARGE), count(THREE));
    let few = Cause::of(
        "Fewer misses with 8 entries, all programs,",
        (here, 1),
        Paper::Over(99.0),
        || {
            let more = |row: &Row| {
                row.of_both(ALL_LARGE, LARGE, |many, few| ratio(few.missed, many.missed))
            };
            let small = rows.iter().map(|row| (&*row.workload, more(row)));
            let small = greatest(small.filter(|one| is_far(one.1, 1.0) && one.1 > 1.0));
            let (length, names) = (small.len(), named(small.into_iter(), 1));
            let others = "64 entries miss as often in the others";
            vec![match length {
                0 => "64 entries miss as often.".to_owned(),
                length if length == rows.len() => format!(
                    "With 8 entries programs miss more often than with 64, by these factors: {names}."
                ),
                _ => format!(
                    "8 entries are fewer than the large pages that some access at a time, and miss more often than 64, by these factors: {names}; {others}."
                ),
            }]
        },
    );
    let of_program = |row: &Row| {
        // Gaussian has over 80 % fewer (section 6.4).
        let paper = Paper::Over(if row.workload == "gaussian" {
            80.0
        } else {
            99.0
        });
        let what = format!("Fewer misses with 64 entries, {},", row.workload);
        Cause::of(&what, (saved(row, ALL_LARGE), 1), paper, || {
            let all = [THREE, LARGE, ALL_LARGE].map(|name| row.of(name));
            let [Some(small), Some(few), Some(many)] = all else {
                return Vec::new();
            };
            let first = match is_far(few.missed as f64, many.missed.max(1) as f64) {
                true => "",
                false => {
                    " 8 entries miss as often, so no page has left: all wait for the first walks of a page."
                }
            };
            vec![format!(
                "{} lines miss with pages of 4 KB, and {} with large ones, {:.0} for each of the {} walks that are left.{first}",
                grouped(small.missed),
                grouped(many.missed),
                ratio(many.missed, many.walks),
                grouped(many.walks),
            )]
        })
    };
    few.into_iter()
        .chain(rows.iter().filter_map(of_program))
        .collect()
}

//! The runs as a plot: bars of the performance, or, where pages are absent, of the far faults in a millisecond.

use super::jobs::Row;
use super::tables::varied;
use crate::bars::{self, Bars};

/// A group of bars for each value of the option that was varied, or else for each workload, and a bar for each of the rest.
///
/// # Errors
/// If it cannot be drawn, with a sentence that says why.
pub fn svg(rows: &[Row]) -> Result<String, String> {
    bars::svg(&bars(rows))
}

/// The place of a name in a list, at whose end it is put if it is new.
fn place(names: &mut Vec<String>, name: String) -> usize {
    match names.iter().position(|known| *known == name) {
        Some(place) => place,
        None => {
            names.push(name);
            names.len() - 1
        }
    }
}

fn bars(rows: &[Row]) -> Bars {
    let faults = rows.iter().any(|row| row.far_faults_percent > 0);
    let mut bars = Bars {
        title: match faults {
            true => "far faults in a millisecond",
            false => "performance, translation at once as 100",
        },
        groups: Vec::new(),
        series: Vec::new(),
        values: Vec::new(),
    };
    let mut sizes = varied(rows);
    let last = sizes.pop();
    let many = |name: fn(&Row) -> &str| rows.iter().any(|row| name(row) != name(&rows[0]));
    let workloads = many(|row| &row.workload);
    let designs = many(|row| row.design);
    for row in rows {
        let mut of_series = Vec::new();
        if last.is_some() && (workloads || !designs) {
            of_series.push(row.workload.clone());
        }
        if last.is_none() || designs {
            of_series.push(format!("design {}", row.design));
        }
        let rest = sizes
            .iter()
            .map(|(name, size)| format!("{name} {}", size(row)));
        of_series.extend(rest);
        let of_group = match &last {
            Some((name, size)) => format!("{name} {}", size(row)),
            None => row.workload.clone(),
        };
        let value = match faults {
            true => row.far_faults_per_ms,
            false => row.percent_of_ideal,
        };
        let group = place(&mut bars.groups, of_group);
        let series = place(&mut bars.series, of_series.join(", "));
        bars.values.push((group, series, value));
    }
    bars
}

//! The figures as pictures.

use super::super::super::sm::plot;
use super::super::family::{Picture, Request};
use super::report::{doubled, has_doubled, mean, percent};
use super::{BOTH, DIRTY, DOUBLED, ESTIMATES, LATENCY, POLICIES, Row, SCALING};

/// Bars of kernels, with their means and the paper's.
fn bars(
    title: &str,
    series: &[&str],
    papers: &[Option<f64>],
    rows: &[Row],
    of: impl Fn(&Row) -> Vec<f64>,
) -> Result<String, String> {
    let means = |place: usize| mean(rows.iter().filter_map(|row| of(row).get(place).copied()));
    with_means(title, series, papers, rows, &of, means)
}

/// Bars of kernels, with these means and the paper's. What has not happened is drawn as 0, and is in no mean.
fn with_means(
    title: &str,
    series: &[&str],
    papers: &[Option<f64>],
    rows: &[Row],
    of: impl Fn(&Row) -> Vec<f64>,
    means: impl Fn(usize) -> f64,
) -> Result<String, String> {
    let series: Vec<_> = series.iter().map(|&name| name.to_owned()).collect();
    let drawn = |value: f64| if value.is_finite() { value } else { 0.0 };
    let each = rows.iter().map(|row| {
        let values = of(row).into_iter().map(drawn);
        (row.kernel.clone(), values.collect())
    });
    let mut groups: Vec<(String, Vec<f64>)> = each.collect();
    let means = (0..series.len()).map(|place| drawn(means(place)));
    groups.push(("mean".to_owned(), means.collect()));
    let note = "Thick lines over the means: the paper's, of its kernels.";
    plot::bars(title, 0.0, &series, papers, &groups, note)
}

/// The figures as pictures.
pub fn pictures(request: &Request, rows: &[Row]) -> Result<Vec<Picture>, String> {
    let mut all = Vec::new();
    if request.has(BOTH)
        && let Some(row) = rows.iter().find(|row| !row.mixed.is_empty())
    {
        let series = ["saving", "draining"].map(str::to_owned);
        let groups = row.mixed.iter();
        let groups = groups.map(|one| (one.saved.to_string(), vec![one.switch_us, one.drain_us]));
        let title = format!(
            "us to save so many blocks of {} while the others end",
            row.kernel
        );
        let groups: Vec<_> = groups.collect();
        let svg = plot::bars(&title, 0.0, &series, &[None, None], &groups, "")?;
        all.push((BOTH, svg));
    }
    if request.has(ESTIMATES) {
        let of = |row: &Row| {
            let each = row.estimates.iter();
            let each = each.map(|one| percent(one.estimated_us, one.took_us));
            each.collect()
        };
        let title = "a block's rest as Chimera estimates it, % of its time";
        let svg = bars(title, &["all end", "half end"], &[None, None], rows, of)?;
        all.push((ESTIMATES, svg));
    }
    if request.has(DIRTY) {
        let of = |row: &Row| row.dirty_percent.clone();
        let series = ["at 25 %", "at 50 %", "at 75 %"];
        let title = "registers that are dirty, %";
        all.push((DIRTY, bars(title, &series, &[None; 3], rows, of)?));
    }
    if request.has(LATENCY) {
        let of = |row: &Row| row.policies.iter().map(|cell| cell.latency_us).collect();
        let series = POLICIES.map(|(name, ..)| name);
        let papers = POLICIES.map(|(_, paper, _)| paper);
        let title = "us from the launch until an SM is free";
        all.push((LATENCY, bars(title, &series, &papers, rows, of)?));
    }
    if request.has(SCALING) {
        let of = |row: &Row| {
            let each = DOUBLED.map(|policy| doubled(row, policy, |cell| cell.latency_us));
            each.map(|[one, two]| two / one.max(1e-9)).to_vec()
        };
        let rows: Vec<Row> = rows
            .iter()
            .filter(|row| has_doubled(row))
            .cloned()
            .collect();
        // As in the table: the ratio of the means, and not the mean of the ratios.
        let of_means = |place: usize| {
            let each = |which: usize| {
                let latency =
                    |row: &Row| doubled(row, DOUBLED[place], |cell| cell.latency_us)[which];
                mean(rows.iter().map(latency))
            };
            each(1) / each(0)
        };
        // The paper has it of checkpoints, with no word of the policy.
        let papers = [Some(2.58), Some(2.58)];
        let title = "latency with twice the SMs, as a multiple";
        all.push((
            SCALING,
            with_means(title, &DOUBLED, &papers, &rows, of, of_means)?,
        ));
    }
    Ok(all)
}

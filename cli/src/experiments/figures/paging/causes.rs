//! Why it costs more or less than in the paper that pages come when they are accessed.

mod changes;
mod claims;
mod columns;
#[cfg(test)]
mod tests;

use faultline_sim::machines::gpu::Config;
use miette::Result;

use self::changes::changes;
use self::claims::of_claims;
use self::columns::of_columns;
use super::super::causes::{Cause, Paper, greatest, mean, named};
use super::definitions::Figure;
use super::report::{means, of};
use super::{Cell, Row};

/// Percent of a run from which on the link is full.
const FULL: f64 = 80.0;
/// Percent of their time for which SMs wait, from which on latency is said to be lost: SMs without a thread block do not wait.
const WAITING: f64 = 50.0;
/// Percent of a run in which the link is in use in the paper (Figure 6).
const LINK: f64 = 25.0;
/// Bytes of a page.
const PAGE: f64 = 4096.0;

/// One column of a figure.
struct Column<'all> {
    label: &'static str,
    rows: Vec<&'all Row>,
    place: usize,
    /// Its GPU.
    config: Config,
    /// The geometric mean of its programs.
    mean: f64,
}

impl Column<'_> {
    fn cell<'row>(&self, row: &'row Row) -> &'row Cell {
        &row.columns[self.place]
    }

    /// A mean of the programs.
    fn of_all(&self, of: impl Fn(&Row, &Cell) -> f64) -> f64 {
        mean(self.rows.iter().map(|row| of(row, self.cell(row))))
    }

    fn waits(&self) -> f64 {
        self.of_all(|_, cell| cell.waits_percent)
    }

    fn link(&self) -> f64 {
        self.of_all(|_, cell| cell.link_use_percent)
    }

    /// Cycles of a far fault at least.
    fn service(&self) -> f64 {
        u64::from(self.config.paging.migration) as f64
    }

    /// Far faults that are under way at a time.
    fn at_once(&self) -> f64 {
        self.of_all(|_, cell| cell.far_faults as f64 * self.service() / cell.cycles.max(1) as f64)
    }

    /// Those that the GMMU holds at most.
    fn most_at_once(&self) -> u64 {
        u64::from(self.config.sms) * u64::from(self.config.gmmu.far_faults)
    }

    /// Numbers of some programs with their names, the greatest first.
    fn greatest(&self, of: impl Fn(&Row) -> Option<f64>) -> Vec<(&str, f64)> {
        let rows = self.rows.iter();
        greatest(rows.filter_map(|row| Some((&*row.workload, of(row)?))))
    }

    /// Why the mean is not the paper's.
    fn why(&self) -> Vec<String> {
        let (waits, link) = (self.waits(), self.link());
        let lost = match (link > FULL, waits >= WAITING && waits > link) {
            (true, _) => ": bandwidth is what is lost",
            (false, true) => ": latency is what is lost, not bandwidth",
            (false, false) => "",
        };
        let lost_cycles =
            |row: &Row, cell: &Cell| cell.cycles.saturating_sub(row.resident_cycles) as f64;
        let one_by_one = self.of_all(lost_cycles) / self.service();
        let pages = self.of_all(|row, _| row.copied_pages as f64);
        let slowest = self.greatest(|row| Some(self.cell(row).slowdown));
        vec![
            format!(
                "SMs wait for {waits:.0} % of their time and the link is in use for {link:.0} % of it, in the mean of the programs{lost}."
            ),
            format!(
                "The time that is lost is that of {one_by_one:.0} faults one after the other, of {pages:.0} pages that come over the \
                 link."
            ),
            format!(
                "{:.1} far faults are under way at a time, in the mean, of {} that the GMMU holds at most. Slowest: {}.",
                self.at_once(),
                self.most_at_once(),
                named(slowest.into_iter(), 2),
            ),
        ]
    }
}

/// The columns of a figure.
fn columns<'all>(figure: &Figure, rows: &'all [Row]) -> Result<Vec<Column<'all>>> {
    let means = means(figure, rows).into_iter();
    let all = figure.configs()?.into_iter().zip(means).enumerate();
    let column = |(place, (config, mean)): (usize, (Config, f64))| Column {
        label: figure.columns[place].label,
        rows: of(figure, rows).collect(),
        place,
        config,
        mean,
    };
    Ok(all.map(column).collect())
}

/// Why numbers of a figure are far from the paper's, or from those of its first column where the paper has none.
///
/// # Errors
/// If a configuration of the figure makes no sense.
pub fn of_figure(figure: &Figure, rows: &[Row]) -> Result<Vec<Cause>> {
    let columns = columns(figure, rows)?;
    let papers = figure.columns.iter().map(|column| column.paper);
    let of_means = papers.zip(&columns).filter_map(|(paper, column)| {
        let paper = Paper::Number(paper?);
        Cause::of(column.label, (column.mean, 2), paper, || column.why())
    });
    let mut all: Vec<Cause> = of_means.collect();
    all.extend(of_claims(figure, &columns));
    all.extend(of_columns(figure, &columns));
    Ok(all)
}

/// Why the link is in use for another part of the time (Figure 6), with the far faults of a column.
///
/// # Errors
/// If a configuration of the figure makes no sense.
pub fn of_link(figure: &Figure, place: usize, rows: &[Row]) -> Result<Vec<Cause>> {
    let columns = columns(figure, rows)?;
    let Some(column) = columns.get(place) else {
        return Ok(Vec::new());
    };
    let paper = Paper::Percent(LINK);
    let what = "The mean use of the link";
    let cause = Cause::of(what, (column.link(), 0), paper, || {
        let pages = column.of_all(|row, _| row.copied_pages as f64);
        let of_page = column.of_all(|row, _| row.copy_cycles as f64) / pages;
        let (service, at_once) = (column.service(), column.at_once());
        let needed = LINK / 100.0 * service / of_page;
        let is_it = (at_once - needed) * (column.link() - LINK) > 0.0;
        let faults = format!(
            "A far fault takes {service:.0} cycles and its page {of_page:.0} of the link, so {needed:.1} under way at a time use a \
             quarter of it. Here they are {at_once:.1} in the mean, and SMs wait for {:.0} % of their time.",
            column.waits(),
        );
        is_it.then_some(faults).into_iter().collect()
    });
    Ok(cause.into_iter().collect())
}

//! What the cycles of the SMs go to, and how long faults keep what they stop, as rows and as tables.

use faultline_sim::machines::gpu::Outcome;
use faultline_sim::machines::sm::{Cause, Cycles, FaultTimes};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::output::{grouped, tables, width};

/// The cycles of all SMs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares(Cycles);

impl Shares {
    /// Those of a run, if they were counted.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        let all = outcome.cycles_by_cause.iter();
        let all = all.copied().reduce(|mut all, cycles| {
            all += cycles;
            all
        });
        all.map(Self)
    }

    /// A share of all cycles, in per cent.
    fn percent(&self, cycles: u64) -> f64 {
        100.0 * cycles as f64 / self.0.all().max(1) as f64
    }
}

/// Cycles of all SMs, in which something is issued and by cause.
impl Serialize for Shares {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1 + Cause::ALL.len()))?;
        map.serialize_entry("issuing", &self.0.issuing)?;
        for cause in Cause::ALL {
            map.serialize_entry(cause.name(), &self.0[cause])?;
        }
        map.end()
    }
}

/// A bar of the histogram: faults that took at least so many cycles, and less than twice as many.
#[derive(Serialize)]
struct Bar {
    at_least: u64,
    faults: u64,
}

/// Cycles from a fault to the restart.
#[derive(Serialize)]
pub struct Restarts {
    faults: u64,
    median: u64,
    percentile_90: u64,
    longest: u64,
    histogram: Vec<Bar>,
}

impl From<&FaultTimes> for Restarts {
    fn from(times: &FaultTimes) -> Self {
        let bar = |(at_least, faults)| Bar { at_least, faults };
        Self {
            faults: times.restarts(),
            median: times.percentile(50),
            percentile_90: times.percentile(90),
            longest: times.longest(),
            histogram: times.histogram().into_iter().map(bar).collect(),
        }
    }
}

impl Restarts {
    /// Whether nothing was counted.
    pub const fn is_empty(&self) -> bool {
        self.faults == 0
    }

    /// The median, and the longest.
    pub fn text(&self) -> String {
        let [median, longest] = [self.median, self.longest].map(grouped);
        format!(
            "{median} in the median of {}, at most {longest}",
            grouped(self.faults)
        )
    }
}

/// Names of a run and what belongs to it.
type Named<'row, T> = (Vec<String>, &'row T);

/// Tables of the times from faults to restarts, if there was a fault, and of what the SMs' cycles go to, if that was counted, below
/// the table of the runs.
pub fn below(
    mut table: String,
    names: &[&str],
    times: &[Named<'_, Restarts>],
    cycles: &[Named<'_, Shares>],
) -> String {
    if times.iter().any(|(_, times)| times.faults > 0) {
        table += &format!("\n{}", restarts(names, times));
    }
    if !cycles.is_empty() {
        table += &format!("\n{}", shares(names, cycles));
    }
    table
}

/// The shares of the SMs' cycles as a table; what no run has is left out.
fn shares(names: &[&str], rows: &[Named<'_, Shares>]) -> String {
    let is_met = |cause: &Cause| rows.iter().any(|(_, row)| row.0[*cause] > 0);
    let causes: Vec<Cause> = Cause::ALL.into_iter().filter(is_met).collect();
    let headings = names.iter().copied().chain(["issuing"]);
    let headings = headings.chain(causes.iter().map(|cause| cause.name()));
    let headings: Vec<String> = headings.map(str::to_owned).collect();
    let cells = rows.iter().map(|(names, row)| {
        let causes = causes.iter().map(|&cause| row.0[cause]);
        let cycles = std::iter::once(row.0.issuing).chain(causes);
        let shares = cycles.map(|cycles| format!("{:.1}", row.percent(cycles)));
        names.iter().cloned().chain(shares).collect()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    let table = tables(names.len(), &headings, &cells, width());
    format!(
        "Cycles of the SMs, %: an instruction is issued, or else the cause of the warp that is nearest to an issue\n{table}"
    )
}

/// The times from faults to restarts as a table.
fn restarts(names: &[&str], rows: &[Named<'_, Restarts>]) -> String {
    let bars = rows.iter().flat_map(|(_, row)| &row.histogram);
    let first = bars.clone().map(|bar| bar.at_least).min();
    let last = bars.map(|bar| bar.at_least).max();
    let powers = first
        .zip(last)
        .map(|(first, last)| first.ilog2()..=last.ilog2());
    let powers: Vec<u64> = powers.into_iter().flatten().map(|bit| 1 << bit).collect();
    let headings = names.iter().map(|name| (*name).to_owned());
    let summary = ["Faults", "Median", "90 %", "Longest"].map(str::to_owned);
    let headings = headings.chain(summary);
    let headings = headings.chain(
        powers
            .iter()
            .map(|&power| format!("from {}", grouped(power))),
    );
    let headings: Vec<String> = headings.collect();
    let cells = rows.iter().map(|(names, row)| {
        let summary = [row.faults, row.median, row.percentile_90, row.longest];
        let of = |power: &u64| {
            let bar = row.histogram.iter().find(|bar| bar.at_least == *power);
            bar.map_or(0, |bar| bar.faults)
        };
        let counts = summary.into_iter().chain(powers.iter().map(of));
        names.iter().cloned().chain(counts.map(grouped)).collect()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    let table = tables(names.len(), &headings, &cells, width());
    format!("Cycles from a fault to the restart, and faults by powers of two of them\n{table}")
}

//! The runs as tables.

use faultline_sim::machines::sm::{Stall, Statistics};
use faultline_sim::sm::sm_pipeline::Scheme;
use serde::Serialize;

use super::jobs::Row;
use crate::output::{grouped, tables};

/// Geometric means of Tanasic et al., Figures 10 and 11, by scheme and log.
const PAPER: [(&str, f64); 6] = [
    ("stall-on-fault", 100.0),
    ("warp-disable-commit", 84.0),
    ("warp-disable-last-check", 90.0),
    ("replay-queue", 94.0),
    ("operand-log 8 KB", 96.6),
    ("operand-log 16 KB", 99.2),
];

/// Entries in use that count together: the first and the last number of them.
const BINS: [(usize, usize); 8] = [
    (0, 0),
    (1, 2),
    (3, 4),
    (5, 8),
    (9, 16),
    (17, 32),
    (33, 64),
    (65, 128),
];

/// A name and the histogram of a row.
type Histogram = (&'static str, fn(&Row) -> &[u64]);

/// What has entries in use.
const HISTOGRAMS: [Histogram; 2] = [("queue", |row| &row.queue), ("log", |row| &row.log)];

/// The paper's geometric mean of a set-up.
pub fn paper(setup: &str) -> Option<f64> {
    let known = PAPER.iter().find(|(name, _)| *name == setup);
    known.map(|&(_, mean)| mean)
}

/// The rows of each workload, the baseline's first.
pub fn of_works(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    let baseline = Scheme::StallOnFault.name();
    rows.chunk_by(move |_, next| next.scheme != baseline)
}

/// The set-ups that were asked for, in the order of the runs.
pub fn setups(rows: &[Row]) -> Vec<String> {
    let mut setups: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| !row.hidden) {
        let setup = row.setup();
        if !setups.contains(&setup) {
            setups.push(setup);
        }
    }
    setups
}

/// The geometric mean of the performance under a set-up.
pub fn mean(rows: &[Row], setup: &str) -> f64 {
    let of_setup = rows.iter().filter(|row| row.setup() == setup);
    let (sum, count) = of_setup.fold((0.0, 0.0), |(sum, count), row| {
        (sum + row.relative_percent.ln(), count + 1.0)
    });
    f64::exp(sum / f64::max(count, 1.0))
}

/// What `--json` gives.
#[derive(Serialize)]
pub struct Results<'rows> {
    rows: &'rows [Row],
    geometric_means: Vec<Mean>,
}

/// The geometric mean of the performance under a set-up, and the paper's where the rows are about the same.
#[derive(Serialize)]
struct Mean {
    scheme: String,
    log_bytes: Option<usize>,
    percent: f64,
    paper_percent: Option<f64>,
}

impl<'rows> Results<'rows> {
    /// The rows with their means, beside the paper's or not.
    pub fn new(rows: &'rows [Row], beside_paper: bool) -> Self {
        let first = of_works(rows).next().unwrap_or_default();
        let mean = |row: &Row| Mean {
            scheme: row.scheme.clone(),
            log_bytes: row.log_bytes,
            percent: mean(rows, &row.setup()),
            paper_percent: paper(&row.setup()).filter(|_| beside_paper),
        };
        let shown = first.iter().filter(|row| !row.hidden);
        Self {
            rows,
            geometric_means: shown.map(mean).collect(),
        }
    }
}

/// The tables, beside the paper's means or not, in this width.
pub fn text(rows: &[Row], beside_paper: bool, width: Option<usize>) -> String {
    let setups = setups(rows);
    let runs = match rows.first().map_or(1, |row| row.runs) {
        1 => String::new(),
        runs => format!(", means of {runs} runs"),
    };
    let (headings, performances) = performance(rows, beside_paper);
    let masked = match rows.iter().any(|row| row.exceptions > 0) {
        true => ", and exceptions are masked",
        false => "",
    };
    let mut text = format!(
        "Performance, the baseline as 100{runs}\n(stall-on-fault: what faults waits in the memory unit{masked})\n{}\n\n{}",
        tables(1, &headings, &performances, width),
        causes(rows, &setups, &runs, width)
    );
    if let Some((headings, rows)) = occupancy(rows) {
        text += &format!(
            "\n\nOccupancy, % of cycles, by entries in use\n{}",
            tables(1, &headings, &rows, width)
        );
    }
    text
}

/// Headings and rows: for each set-up with a queue or a log the share of cycles in which so many entries are in use,
/// over all workloads.
pub fn occupancy(rows: &[Row]) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let mut histograms = Vec::new();
    for setup in setups(rows) {
        for (block, histogram) in HISTOGRAMS {
            let all = summed(rows, &setup, histogram);
            if !all.is_empty() {
                histograms.push((format!("{setup}: {block}"), all));
            }
        }
    }
    let longest = histograms
        .iter()
        .map(|(_, histogram)| histogram.len())
        .max()?;
    let bins: Vec<(usize, usize)> = BINS
        .into_iter()
        .filter(|&(first, _)| first <= 64 || first < longest)
        .collect();
    let heading = |&(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    let headings = std::iter::once("all workloads".to_owned()).chain(bins.iter().map(heading));
    let row = |(name, histogram): (String, Vec<u64>)| {
        let all: u64 = histogram.iter().sum();
        let share = |&(first, last): &(usize, usize)| {
            let times: u64 = histogram.iter().take(last + 1).skip(first).sum();
            format!("{:.1}", 100.0 * times as f64 / all.max(1) as f64)
        };
        std::iter::once(name)
            .chain(bins.iter().map(share))
            .collect()
    };
    Some((
        headings.collect(),
        histograms.into_iter().map(row).collect(),
    ))
}

/// A histogram over all workloads under a set-up, as far as it has anything.
fn summed(rows: &[Row], setup: &str, histogram: fn(&Row) -> &[u64]) -> Vec<u64> {
    let mut all = Vec::new();
    for row in rows.iter().filter(|row| row.setup() == setup) {
        let histogram = histogram(row);
        all.resize(all.len().max(histogram.len()), 0);
        for (count, times) in all.iter_mut().zip(histogram) {
            *count += times;
        }
    }
    all
}

/// Headings and rows: a row for each workload, a column for each set-up.
pub fn performance(rows: &[Row], beside_paper: bool) -> (Vec<String>, Vec<Vec<String>>) {
    let setups = setups(rows);
    let mut headings = [
        "workload",
        "instructions",
        "baseline's cycles",
        "baseline's IPC",
    ]
    .map(str::to_owned)
    .to_vec();
    headings.extend_from_slice(&setups);
    let row = |of_work: &[Row]| {
        let first = &of_work[0];
        let mut cells = vec![
            first.workload.clone(),
            grouped(first.instructions),
            grouped(first.cycles),
            format!("{:.2}", first.instructions_per_cycle),
        ];
        let shown = of_work.iter().filter(|row| !row.hidden);
        let text = |row: &Row| match row.runs > 1 && row.setup() != first.setup() {
            true => format!(
                "{:.1} ±{:.1}",
                row.relative_percent,
                row.relative_percent * row.error_percent / 100.0
            ),
            false => format!("{:.1}", row.relative_percent),
        };
        cells.extend(shown.map(text));
        cells
    };
    let mut table: Vec<Vec<String>> = of_works(rows).map(row).collect();
    let mut footer = |name: &str, value: &dyn Fn(&String) -> Option<f64>| {
        let mut cells = [name, "", "", ""].map(str::to_owned).to_vec();
        let shown =
            |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
        cells.extend(setups.iter().map(|setup| shown(value(setup))));
        table.push(cells);
    };
    if of_works(rows).count() > 1 {
        footer("geometric mean", &|setup| Some(mean(rows, setup)));
    }
    if beside_paper {
        footer("paper, Figs. 10 and 11", &|setup| paper(setup));
    }
    (headings, table)
}

/// A row for each set-up: why nothing is issued, and what is in queue and log.
fn causes(rows: &[Row], setups: &[String], runs: &str, width: Option<usize>) -> String {
    let has_exceptions = rows.iter().any(|row| row.exceptions > 0);
    let mut counts = vec!["all workloads", "cycles", "IPC", "faults"];
    counts.extend(has_exceptions.then_some("exceptions"));
    counts.push("replays");
    let counts: Vec<String> = counts.into_iter().map(str::to_owned).collect();
    let stalls = Stall::ALL.map(|stall| format!("{}, %", stall.name()));
    let occupancies = HISTOGRAMS.map(|(name, _)| format!("in the {name}"));
    let headings = [&counts[..], &stalls, &occupancies].concat();
    let row = |setup: &String| {
        let of_setup: Vec<&Row> = rows.iter().filter(|row| row.setup() == *setup).collect();
        let sum = |count: &dyn Fn(&Row) -> u64| of_setup.iter().map(|row| count(row)).sum::<u64>();
        let cycles = sum(&|row| row.cycles);
        let share = |part: u64| part as f64 / cycles.max(1) as f64;
        let faults: Option<u64> = of_setup.iter().map(|row| row.faults).sum();
        let mut cells = vec![
            setup.clone(),
            grouped(cycles),
            format!("{:.2}", share(sum(&|row| row.instructions))),
            faults.map_or("-".to_owned(), grouped),
        ];
        cells.extend(has_exceptions.then(|| grouped(sum(&|row| row.exceptions))));
        cells.push(grouped(sum(&|row| row.replays)));
        for cause in 0..stalls.len() {
            let stalled = sum(&|row| row.stalls[cause].1);
            cells.push(format!("{:.1}", 100.0 * share(stalled)));
        }
        for (_, histogram) in HISTOGRAMS {
            let all = summed(rows, setup, histogram);
            let (mean, often) = (Statistics::mean(&all), Statistics::percentile_95(&all));
            cells.push(match all.len() {
                0 => "-".to_owned(),
                length => format!("{mean:.1}, {often}, {}", length - 1),
            });
        }
        cells
    };
    let table: Vec<Vec<String>> = setups.iter().map(row).collect();
    let table = tables(1, &headings, &table, width);
    format!(
        "Cycles without an issue by cause, and occupancy (mean, 95th percentile, most){runs}\n{table}\n\
         empty: no warp is there; faulted: none runs; memory: the memory stage does\n\
         not go on; fetch: no warp has an instruction; and what keeps the warp that is\n\
         nearest to an issue: issue, it is on its way or its unit is taken; log, queue:\n\
         no room; source: it would overwrite what is held until the last TLB check;\n\
         result."
    )
}

//! The runs as tables.

use faultline_sim::sm::{Stall, Statistics};
use faultline_sim::sm_pipeline::Scheme;
use serde::Serialize;

use super::jobs::Row;
use crate::output::{grouped, right, table};

/// Geometric means of Tanasic et al., Figures 10 and 11, by scheme and log.
const PAPER: [(&str, f64); 6] = [
    ("stall-on-fault", 100.0),
    ("warp-disable-commit", 84.0),
    ("warp-disable-last-check", 90.0),
    ("replay-queue", 94.0),
    ("operand-log 8 KB", 96.6),
    ("operand-log 16 KB", 99.2),
];

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
    scheme: &'static str,
    log_bytes: Option<usize>,
    percent: f64,
    paper_percent: Option<f64>,
}

impl<'rows> Results<'rows> {
    /// The rows with their means, beside the paper's or not.
    pub fn new(rows: &'rows [Row], beside_paper: bool) -> Self {
        let first = of_works(rows).next().unwrap_or_default();
        let mean = |row: &Row| Mean {
            scheme: row.scheme,
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

/// Both tables, beside the paper's means or not.
pub fn text(rows: &[Row], beside_paper: bool) -> String {
    let setups = setups(rows);
    let runs = match rows.first().map_or(1, |row| row.runs) {
        1 => String::new(),
        runs => format!(", means of {runs} runs"),
    };
    format!(
        "Performance, the baseline as 100 (stall-on-fault: what faults waits in the memory unit){runs}\n{}\n\n{}",
        performance(rows, &setups, beside_paper),
        causes(rows, &setups, &runs)
    )
}

/// A row for each workload, a column for each set-up.
fn performance(rows: &[Row], setups: &[String], beside_paper: bool) -> String {
    let mut headings = vec![
        "workload",
        "instructions",
        "baseline's cycles",
        "baseline's IPC",
    ];
    headings.extend(setups.iter().map(String::as_str));
    let mut table = table(&headings);
    for of_work in of_works(rows) {
        let first = &of_work[0];
        let mut cells = vec![
            comfy_table::Cell::new(&first.workload),
            right(grouped(first.instructions)),
            right(grouped(first.cycles)),
            right(format!("{:.2}", first.instructions_per_cycle)),
        ];
        cells.extend(
            of_work
                .iter()
                .filter(|row| !row.hidden)
                .map(|row| right(format!("{:.1}", row.relative_percent))),
        );
        table.add_row(cells);
    }
    let mut footer = |name: &str, value: &dyn Fn(&String) -> Option<f64>| {
        let mut cells: Vec<comfy_table::Cell> = [name, "", "", ""].map(Into::into).into();
        let shown =
            |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
        cells.extend(setups.iter().map(|setup| right(shown(value(setup)))));
        table.add_row(cells);
    };
    footer("geometric mean", &|setup| Some(mean(rows, setup)));
    if beside_paper {
        footer("paper, Figs. 10 and 11", &|setup| paper(setup));
    }
    table.to_string()
}

/// A row for each set-up: why nothing is issued, and what is in queue and log.
fn causes(rows: &[Row], setups: &[String], runs: &str) -> String {
    let mut headings = vec!["all workloads", "cycles", "IPC", "faults", "replays"];
    let stalls = Stall::ALL.map(|stall| format!("{}, %", stall.name()));
    headings.extend(stalls.iter().map(String::as_str));
    headings.extend(["in the queue", "in the log"]);
    let mut table = table(&headings);
    for setup in setups {
        let of_setup: Vec<&Row> = rows.iter().filter(|row| row.setup() == *setup).collect();
        let sum = |count: &dyn Fn(&Row) -> u64| of_setup.iter().map(|row| count(row)).sum::<u64>();
        let cycles = sum(&|row| row.cycles);
        let share = |part: u64| part as f64 / cycles.max(1) as f64;
        let faults: Option<u64> = of_setup.iter().map(|row| row.faults).sum();
        let mut cells = vec![
            comfy_table::Cell::new(setup),
            right(grouped(cycles)),
            right(format!("{:.2}", share(sum(&|row| row.instructions)))),
            right(faults.map_or("-".to_owned(), grouped)),
            right(grouped(sum(&|row| row.replays))),
        ];
        for cause in 0..stalls.len() {
            let stalled = sum(&|row| row.stalls[cause].1);
            cells.push(right(format!("{:.1}", 100.0 * share(stalled))));
        }
        for histogram in [|row: &Row| row.queue.clone(), |row: &Row| row.log.clone()] {
            let mut all = vec![0; 129];
            for row in &of_setup {
                for (count, times) in all.iter_mut().zip(histogram(row)) {
                    *count += times;
                }
            }
            let most = all.iter().rposition(|&times| times > 0);
            cells.push(right(most.map_or("-".to_owned(), |most| {
                let (mean, often) = (Statistics::mean(&all), Statistics::percentile_95(&all));
                format!("{mean:.1}, {often}, {most}")
            })));
        }
        table.add_row(cells);
    }
    format!(
        "Cycles without an issue by cause, and occupancy (mean, 95th percentile, most){runs}\n{table}\n\
         empty: no warp is there; faulted: none runs; memory: the memory stage does not go on; fetch: no warp has an\n\
         instruction; dependence: results, sources, units or log entries are waited for."
    )
}

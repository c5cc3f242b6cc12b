//! The runs as tables.

use faultline_sim::sm::{Stall, Statistics};

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

/// The set-ups in the order of the runs.
pub fn setups(rows: &[Row]) -> Vec<String> {
    let mut setups: Vec<String> = Vec::new();
    for row in rows {
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

/// Both tables.
pub fn text(rows: &[Row]) -> String {
    let setups = setups(rows);
    format!(
        "Performance, the baseline as 100 (stall-on-fault: what faults waits in the memory unit)\n{}\n\n{}",
        performance(rows, &setups),
        causes(rows, &setups)
    )
}

/// A row for each workload, a column for each set-up.
fn performance(rows: &[Row], setups: &[String]) -> String {
    let mut headings = vec!["workload", "instructions", "cycles", "IPC"];
    headings.extend(setups.iter().map(String::as_str));
    let mut table = table(&headings);
    for of_work in rows.chunks(setups.len().max(1)) {
        let first = &of_work[0];
        let mut cells = vec![
            comfy_table::Cell::new(&first.workload),
            right(grouped(first.instructions / first.runs)),
            right(grouped(first.cycles / first.runs)),
            right(format!("{:.2}", first.instructions_per_cycle)),
        ];
        cells.extend(
            of_work
                .iter()
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
    footer("paper, Figs. 10 and 11", &|setup| paper(setup));
    table.to_string()
}

/// A row for each set-up: why nothing is issued, and what is in queue and log.
fn causes(rows: &[Row], setups: &[String]) -> String {
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
        let mut cells = vec![
            comfy_table::Cell::new(setup),
            right(grouped(cycles)),
            right(format!("{:.2}", share(sum(&|row| row.instructions)))),
            right(grouped(sum(&|row| row.faults))),
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
            let seen = all.iter().any(|&times| times > 0);
            let mean = Statistics::mean(&all);
            cells.push(right(if seen {
                format!("{mean:.1}")
            } else {
                "-".to_owned()
            }));
        }
        table.add_row(cells);
    }
    format!(
        "Cycles without an issue by cause, and mean occupancy\n{table}\n\
         empty: no warp is there; faulted: none runs; memory: the memory stage does not go on; fetch: no warp has an\n\
         instruction; dependence: results, sources, units or log entries are waited for."
    )
}

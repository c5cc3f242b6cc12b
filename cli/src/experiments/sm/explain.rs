//! What the counts say: whether the schemes are in the paper's order, and why a mean is not the paper's.

use faultline_sim::machines::sm::Stall;
use faultline_synth::table::Grid;

use super::jobs::Row;
use super::tables::{mean, of_works, paper, setups};

/// The order of the paper, the slowest first; the logs of 20 and 32 KB, of which it gives no mean, by their size.
const ORDER: [&str; 8] = [
    "warp-disable-commit",
    "warp-disable-last-check",
    "replay-queue",
    "operand-log 8 KB",
    "operand-log 16 KB",
    "operand-log 20 KB",
    "operand-log 32 KB",
    "stall-on-fault",
];
/// A difference of this many percent counts as equal.
const EQUAL: f64 = 0.5;
/// A mean that is further from the paper's, in points, is explained.
const NEAR: f64 = 5.0;

/// A scheme that is faster than one behind it in the paper's order: the slowest of those.
struct Exception<'rows> {
    faster: &'rows Row,
    slower: &'rows Row,
}

impl Exception<'_> {
    /// Whether the difference is more than the runs' own: twice its standard error.
    fn is_sure(&self) -> bool {
        let error = self.faster.error_beside(self.slower) / 100.0;
        let (faster, slower) = (self.faster.relative_percent, self.slower.relative_percent);
        self.faster.runs > 1 && (faster / slower).ln() > 2.0 * error
    }

    fn text(&self) -> String {
        let growth = |cause: &usize| growth(self.slower, self.faster, *cause);
        let causes = 0..Stall::ALL.len();
        let most = causes
            .max_by(|left, right| growth(left).total_cmp(&growth(right)))
            .unwrap_or(0);
        format!(
            "- {}: {} {:.1}, {} {:.1} (*{}* {:+.1}; a miss waits for {:.1} cycles, then for {:.1})\n",
            self.faster.workload,
            self.faster.setup(),
            self.faster.relative_percent,
            self.slower.setup(),
            self.slower.relative_percent,
            Stall::ALL[most].name(),
            growth(&most),
            self.faster.miss_wait_cycles,
            self.slower.miss_wait_cycles
        )
    }
}

/// Where the order of the schemes does not hold.
pub fn order(rows: &[Row], variants: &[Row]) -> String {
    let exceptions: Vec<Exception> = of_works(rows)
        .flat_map(|of_work| {
            let of = |name: &str| of_work.iter().find(|row| row.setup() == name);
            let known: Vec<&Row> = ORDER.iter().copied().filter_map(of).collect();
            let slowest_behind = |place: usize| {
                let behind = known[place + 1..].iter();
                let by_speed = |left: &&&Row, right: &&&Row| {
                    left.relative_percent.total_cmp(&right.relative_percent)
                };
                Some(Exception {
                    faster: known[place],
                    slower: behind.min_by(by_speed)?,
                })
            };
            let pairs = (0..known.len()).filter_map(slowest_behind);
            pairs.collect::<Vec<_>>()
        })
        .filter(|pair| {
            pair.faster.relative_percent > pair.slower.relative_percent * (1.0 + EQUAL / 100.0)
        })
        .collect();
    let list = |sure: bool| -> String {
        let listed = exceptions.iter().filter(|pair| pair.is_sure() == sure);
        listed.map(Exception::text).collect()
    };
    let (sure, unsure) = (list(true), list(false));
    let run = setups(rows);
    let or_none = |list: String| match list.is_empty() {
        true => "- none\n".to_owned(),
        false => list,
    };
    format!(
        "## Order of the schemes\n\nThe paper's order, with the other logs by their size, is {}. Within {EQUAL} % \
         counts as equal. A scheme that is faster than one behind it, beside the slowest of these, by more than \
         twice the standard error of the difference, with the stalls that grow most from the faster to the slower, \
         in points of the faster one's cycles:\n\n{}\nBy less than that, so that the runs do not tell:\n\n{}{}",
        ORDER
            .into_iter()
            .filter(|name| run.iter().any(|setup| setup == name))
            .collect::<Vec<_>>()
            .join(" <= "),
        or_none(sure),
        or_none(unsure).trim_end(),
        without_hardest(rows, variants).unwrap_or_default()
    )
}

/// The paper's hardest case, and what its replay queue and its log of 16 KB reach there (section 5.2), percent.
pub const HARDEST: (&str, f64, f64) = ("lbm", 60.0, 97.0);
/// The workloads of the paper's means.
const WORKLOADS: f64 = 11.0;

/// The variant that runs the hardest case at the paper's number of warps.
pub const HARDEST_AS_THERE: &str = "lbm-8-warps";

/// The rows with the hardest case at the paper's number of warps instead of the compiled kernel's.
pub fn with_hardest(rows: &[Row], variants: &[Row]) -> Option<Vec<Row>> {
    let (hardest, ..) = HARDEST;
    let there: Vec<Row> = variants
        .iter()
        .filter(|row| row.workload == HARDEST_AS_THERE)
        .cloned()
        .collect();
    let others = rows.iter().filter(|row| row.workload != hardest).cloned();
    let others: Vec<Row> = others.collect();
    let is_there = !there.is_empty() && others.len() < rows.len();
    is_there.then(|| [others, there].concat())
}

/// The means without the hardest case, which makes the order of the means in the paper.
fn without_hardest(rows: &[Row], variants: &[Row]) -> Option<String> {
    let (hardest, queue, log) = HARDEST;
    let with = with_hardest(rows, variants)?;
    let rest: Vec<Row> = rows
        .iter()
        .filter(|row| row.workload != hardest)
        .cloned()
        .collect();
    if rest.is_empty() {
        return None;
    }
    let here = |rows: &[Row]| {
        let known = ORDER
            .iter()
            .filter(|setup| setups(rows).iter().any(|known| known == *setup));
        known
            .map(|setup| format!("{setup} {:.1}", mean(rows, setup)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let others = |setup: &str, at_hardest: f64| {
        let all = WORKLOADS * (paper(setup)? / 100.0).ln();
        Some(100.0 * ((all - (at_hardest / 100.0).ln()) / (WORKLOADS - 1.0)).exp())
    };
    let (queue, log) = (
        others("replay-queue", queue)?,
        others("operand-log 16 KB", log)?,
    );
    Some(format!(
        "\n\nMost of the order of the paper's means is that of {hardest} at 8 warps. With it (`{HARDEST_AS_THERE}`) the \
         means are here: {}. Without any {hardest} they are: {}. In the paper a replay queue at {} % in the mean and {} % on \
         {hardest} leaves {queue:.1} % for the mean of the others, and the log of 16 KB {log:.1} %.",
        here(&with),
        here(&rest),
        paper("replay-queue")?,
        HARDEST.1
    ))
}

/// How many points of the baseline's cycles a cause has grown by.
fn growth(row: &Row, baseline: &Row, cause: usize) -> f64 {
    let difference = row.stalls[cause].1 as f64 - baseline.stalls[cause].1 as f64;
    100.0 * difference / baseline.cycles.max(1) as f64
}

/// The kernels of the hardest case, and what each is; the first one takes part in the figures.
pub type Kinds = [(&'static str, &'static str); 4];

/// Those that are written by hand.
pub const KINDS: Kinds = [
    ("lbm", "48 warps, one pointer with offsets, as compiled"),
    ("lbm-pointers", "48 warps, two pointers that move on"),
    ("lbm-offsets", "8 warps, one pointer with offsets"),
    (HARDEST_AS_THERE, "8 warps, two pointers that move on"),
];

/// The paper's hardest case: what it says of lbm in section 5.2, and what of it is the number of warps and the kernel's program.
pub fn hardest(kinds: &Kinds, rows: &[Row], variants: &[Row]) -> Option<String> {
    let (hardest, paper_queue, paper_log) = HARDEST;
    let all: Vec<&Row> = rows.iter().chain(variants).collect();
    let setups: Vec<String> = setups(rows).into_iter().skip(1).collect();
    let cells = |(workload, kind): &(&str, &str)| {
        let of_setup = |setup: &String| {
            let is_it = |row: &&&Row| row.workload == *workload && row.setup() == *setup;
            let row = all.iter().find(is_it)?;
            Some(format!("{:.1}", row.relative_percent))
        };
        let mut cells = vec![format!("`{workload}`"), (*kind).to_owned()];
        cells.extend(setups.iter().map(of_setup).collect::<Option<Vec<_>>>()?);
        Some(cells)
    };
    let mut table: Vec<Vec<String>> = kinds.iter().map(cells).collect::<Option<_>>()?;
    let mut there = vec!["paper".to_owned(), "8 warps".to_owned()];
    there.extend(setups.iter().map(|setup| match setup.as_str() {
        "replay-queue" => format!("{paper_queue:.1}"),
        "operand-log 16 KB" => format!("{paper_log:.1}"),
        _ => "-".to_owned(),
    }));
    table.push(there);
    let mut headings = vec!["kernel".to_owned(), "what it is".to_owned()];
    headings.extend(setups);
    let grid = Grid {
        title: format!(
            "## {hardest}, by warps and addresses, %\n\nThe paper has {paper_queue} % with the replay queue and {paper_log} % \
             with a log of 16 KB, at 8 warps, which it explains by the kernel's many registers (section 5.2). NVIDIA's compiler \
             for sm_35 takes 39 registers, with which 48 warps are resident, and names the densities by one pointer and offsets, \
             so that no load's address register is overwritten. The paper's figure belongs to its compiler; both are shown."
        ),
        headings,
        rows: table,
    };
    Some(grid.markdown().trim_end().to_owned())
}

/// Why a mean is far from the paper's.
pub fn why(rows: &[Row], variations: &[(&str, Vec<Row>)]) -> String {
    let setups = setups(rows);
    let mut near = Vec::new();
    let mut texts = Vec::new();
    for setup in setups.iter().skip(1) {
        let Some(known) = paper(setup) else {
            continue;
        };
        let points = mean(rows, setup) - known;
        if points.abs() <= NEAR {
            near.push(format!("{setup} ({points:+.1})"));
            continue;
        }
        let pairs: Vec<(&Row, &Row)> = of_works(rows)
            .filter_map(|of_work| {
                let row = of_work.iter().find(|row| row.setup() == *setup);
                Some((row?, of_work.first()?))
            })
            .collect();
        let mut text = explanation(setup, points, &pairs);
        for (name, varied) in variations {
            let points = mean(varied, setup) - known;
            let checks = Checks::of(varied.iter().filter(|row| row.setup() == *setup));
            text += &format!(
                " With `{name}`, where the check comes after {}, it is {points:+.1} points from the paper.",
                checks.text()
            );
        }
        texts.push(text);
    }
    if !near.is_empty() {
        texts.insert(
            0,
            format!("Within {NEAR} points of the paper: {}.", near.join(", ")),
        );
    }
    format!("## Why\n\n{}", texts.join("\n\n"))
}

/// Cycles from an issue to the last TLB check: the mean of the workloads, the least and the greatest.
struct Checks {
    mean: f64,
    least: f64,
    greatest: f64,
}

impl Checks {
    fn of<'rows>(rows: impl Iterator<Item = &'rows Row>) -> Self {
        let cycles: Vec<f64> = rows.map(|row| row.check_cycles).collect();
        Self {
            mean: cycles.iter().sum::<f64>() / cycles.len().max(1) as f64,
            least: cycles.iter().copied().fold(f64::MAX, f64::min),
            greatest: cycles.iter().copied().fold(0.0, f64::max),
        }
    }

    fn text(&self) -> String {
        format!(
            "{:.0} cycles in the mean ({:.0} to {:.0}, by workload)",
            self.mean, self.least, self.greatest
        )
    }
}

/// What has grown, and where.
fn explanation(setup: &str, points: f64, pairs: &[(&Row, &Row)]) -> String {
    let count = pairs.len().max(1) as f64;
    let total = |cause: usize| {
        let grown = pairs.iter().map(|(row, base)| growth(row, base, cause));
        grown.sum::<f64>() / count
    };
    let causes = 0..Stall::ALL.len();
    let most = causes
        .max_by(|&left, &right| total(left).total_cmp(&total(right)))
        .unwrap_or(0);
    let mut by_growth: Vec<(&Row, f64)> = pairs
        .iter()
        .map(|(row, base)| (*row, growth(row, base, most)))
        .collect();
    by_growth.sort_by(|left, right| right.1.total_cmp(&left.1));
    let listed = by_growth.iter().take(3);
    let listed: Vec<String> = listed
        .map(|(row, grown)| format!("{} {grown:+.1}", row.workload))
        .collect();
    let (lost, kept): (Vec<&Row>, Vec<&Row>) = pairs
        .iter()
        .map(|(row, _)| *row)
        .partition(|row| row.relative_percent < 98.0);
    let names = |rows: &[&Row]| {
        let names = rows
            .iter()
            .map(|row| format!("{} {:.1}", row.workload, row.relative_percent));
        names.collect::<Vec<_>>().join(", ")
    };
    let checks = Checks::of(pairs.iter().map(|(row, _)| *row));
    let (direction, why) = match points > 0.0 {
        true => (
            "less",
            "What it waits for is short, and mostly hidden by other warps",
        ),
        false => (
            "more",
            "What it waits for is long, and other warps do not hide it",
        ),
    };
    let or_none = |list: String| match list.is_empty() {
        true => "none".to_owned(),
        false => list,
    };
    format!(
        "**{setup}** costs {direction} than in the paper ({points:+.1} points). {why}: the last TLB check comes \
         after {}, {} of {} workloads lose 2 % or more ({}), and the others do not ({}). Of its stalls, *{}* has \
         grown most, by {:.1} points of the baseline's cycles in the mean: {}.",
        checks.text(),
        lost.len(),
        pairs.len(),
        or_none(names(&lost)),
        or_none(names(&kept)),
        Stall::ALL[most].name(),
        total(most),
        listed.join(", "),
    )
}

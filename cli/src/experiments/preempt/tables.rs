//! The runs as tables.

use serde::Serialize;

use super::contexts::{AFTER_US, Dirty};
use super::jobs::Row;
use super::latency::{self, PAPER_US};
use super::summary::{self, Summary, kilobytes, summaries};
use crate::output::{tables, width};
use faultline_sim::machines::preemption::Policy;

/// Everything, as JSON.
#[derive(Serialize)]
pub struct Results<'runs> {
    pub dirty: &'runs [Dirty],
    pub runs: &'runs [Row],
}

/// All tables.
pub fn text(rows: &[Row], dirty: &[Dirty]) -> String {
    let all = summaries(rows);
    let mut text = String::new();
    if !dirty.is_empty() {
        text += &format!(
            "What is dirty of a block, KB; increments of a base, with shared memory, in percent of it\n{}\n\n",
            grid(&dirty_table(dirty))
        );
    }
    text += &format!(
        "Preemptions, in the mean of a kernel's runs: latency and worst from the kernel on, us; cases in percent of the answers;\n\
         KB of a block's registers and shared memory: its whole context, base, increment, and what was saved once; stopped: us in\n\
         which a block is saved and does not run; waited: for which its place is empty, as it has left before the kernel came\n{}",
        grid(&preemptions(&all))
    );
    text + "\n" + &means(&all)
}

/// Headings and rows of a table.
pub type Table = (Vec<&'static str>, Vec<Vec<String>>);

fn grid((headings, rows): &Table) -> String {
    let headings: Vec<_> = headings.iter().map(|&heading| heading.to_owned()).collect();
    tables(2, &headings, rows, width())
}

/// A number with a digit behind the point, or a dash.
pub fn or_dash(number: Option<f64>) -> String {
    let known = number.filter(|number| number.is_finite());
    known.map_or_else(|| "-".to_owned(), |number| format!("{number:.1}"))
}

/// What was chosen, the most frequent first.
pub fn cases(summary: &Summary) -> String {
    let mut cases = summary.cases.clone();
    cases.sort_by(|left, right| right.1.total_cmp(&left.1));
    let cases = cases
        .iter()
        .map(|(case, percent)| format!("{case} {percent:.0}"));
    cases.collect::<Vec<_>>().join("; ")
}

/// A row for each kernel and policy.
pub fn preemptions(summaries: &[Summary]) -> Table {
    let line = |summary: &Summary| {
        let (bases, increments, singles) = (&summary.bases, &summary.increments, &summary.singles);
        let context =
            |bytes: &super::jobs::Bytes| or_dash(kilobytes(bytes.context(), bytes.blocks));
        vec![
            summary.kernel.clone(),
            summary.policy.to_owned(),
            format!("{:.2}", summary.latency_us),
            format!("{:.1}", summary.worst_us),
            or_dash(kilobytes(summary.whole_bytes, 1)),
            context(bases),
            context(increments),
            context(singles),
            format!("{:.2}", summary.stopped_us),
            format!("{:.2}", summary.waited_us),
            cases(summary),
        ]
    };
    let headings = vec![
        "kernel",
        "policy",
        "latency",
        "worst",
        "whole",
        "base",
        "increment",
        "once",
        "stopped",
        "waited",
        "cases",
    ];
    (headings, summaries.iter().map(line).collect())
}

/// The mean latency of each policy; beside the paper's, if these are its kernels.
fn means(summaries: &[Summary]) -> String {
    let is_table = summary::are_of_table(summaries);
    let means = Policy::ALL.into_iter().filter_map(|policy| {
        let here = summary::latency(summaries, policy);
        let paper = latency::of(PAPER_US, policy).filter(|_| is_table);
        let beside = paper.map_or_else(String::new, |paper| format!(" (paper {paper})"));
        here.is_finite()
            .then(|| format!("{} {here:.1} us{beside}", policy.name()))
    });
    format!("Mean latency: {}", means.collect::<Vec<_>>().join(", "))
}

/// A row for each recorded kernel.
pub fn dirty_table(dirty: &[Dirty]) -> Table {
    let line = |one: &Dirty| {
        let shared = one.shared_memory_bytes;
        let kb = |bytes: f64| format!("{:.1}", bytes / 1024.0);
        let mut cells = vec![
            one.kernel.clone(),
            format!("{:.1}", one.block_us),
            one.blocks_per_sm.to_string(),
            kb(one.whole()),
            kb(one.lane_bytes() + shared),
            kb(one.warp_bytes() + shared),
            format!("{:.1}", one.saving()),
            format!("{:.1}", 100.0 * (one.warp_bytes() / one.lane_bytes() - 1.0)),
        ];
        cells.extend((0..AFTER_US.len()).map(|place| format!("{:.0}", one.increment(place))));
        cells.push(format!("{:.2}", one.drain_us));
        cells
    };
    let headings = vec![
        "kernel",
        "block, us",
        "blocks",
        "whole",
        "dirty by lane",
        "by warp",
        "saving, %",
        "by warp more, %",
        "increment after 1 us, %",
        "5 us",
        "15 us",
        "35 us",
        "drain, us",
    ];
    (headings, dirty.iter().map(line).collect())
}

//! The report on Table I: its kernels, the latencies and cases beside the paper's.

use faultline_sim::machines::preemption::{Entry, Policy, Subject, TABLE_1};
use faultline_sim::preempt::preemption_policy::Case;

use super::jobs::{self, Row};
use super::latency::{self, PAPER_DRAIN_US, PAPER_US, PAPER_WORST};
use super::markdown::{grid, list};
use super::summary::{self, Summary, mean, under};
use super::tables::or_dash;
use crate::value::distinct;

/// Blocks of the paper's kernels with two checkpoints take longer, us.
const LONG_US: f64 = 100.0;

/// The kernels, and what is assumed of them.
pub fn assumptions(subjects: &[Subject]) -> String {
    let drain = mean(
        subjects
            .iter()
            .map(|subject| jobs::microseconds(subject.drain)),
    );
    let line = |(entry, subject): (&Entry, &Subject)| {
        vec![
            entry.name.to_owned(),
            format!("{}", entry.block_us),
            format!("{}", entry.switch_us),
            format!("{}", entry.context_kb),
            entry.blocks.to_string(),
            entry.stand_in.to_owned(),
            format!("{:.1}", subject.rows as f64 / 8.0),
            format!("{:.1}", subject.shared as f64 / 32.0),
            subject.warps.to_string(),
            format!("{:.1}", 32.0 * subject.share),
            format!("{:.2}", jobs::microseconds(subject.drain)),
            format!("{:.1}", jobs::microseconds(subject.warm_up())),
        ]
    };
    let rows = TABLE_1.iter().zip(subjects).map(line).collect();
    grid(
        &format!(
            "## Kernels\n\nTable I gives the time of a block, that for saving all contexts of an SM, the context of a block and \
             the blocks of an SM; the bandwidth follows. It does not say what is dirty: that is what a recorded kernel leaves, \
             the same one for five, and for the others the one that is most like them. *Assumed*: registers and shared memory \
             have the parts that they have in that kernel, registers in whole groups of 1 KB; a block has as many warps as fit, \
             16 at most; all blocks are in step, and each takes the average time. A long block changes its registers as fast as \
             the recorded one, whose loops take no longer. A block that is stopped drains for the recorded one's mean, {drain:.2} \
             us in the mean of the table, and a new block runs for the time of its first 1,000 instructions before it is saved."
        ),
        &[
            "kernel",
            "block, us",
            "switch, us",
            "context, KB",
            "blocks",
            "recorded",
            "registers, KB",
            "shared memory, KB",
            "warps",
            "B a cycle",
            "drain, us",
            "warm-up, us",
        ],
        rows,
    )
}

/// The mean latencies beside the paper's.
pub fn latencies(table: &[Summary], rows: &[Row]) -> String {
    let saved = latency::saved_kernels(table);
    let line = |policy: Policy| {
        let here = summary::latency(table, policy);
        let paper = latency::of(PAPER_US, policy);
        let worst = latency::relative(table, &saved, policy, |summary| summary.worst_us);
        vec![
            policy.name().to_owned(),
            format!("{here:.2}"),
            or_dash(paper),
            paper.map_or_else(|| "-".to_owned(), |paper| format!("{:.2}", here / paper)),
            format!("{worst:.1}"),
            or_dash(latency::of(PAPER_WORST, policy)),
        ]
    };
    let order = [Policy::Chimera, Policy::Pep, Policy::PepInPlace]
        .map(|policy| summary::latency(table, policy));
    let holds = match order.is_sorted_by(|left, right| left > right) {
        true => "The paper's order holds: Chimera > PEP > PEP in place",
        false => "The paper's order, Chimera > PEP > PEP in place, does not hold here",
    };
    let drains = under(table, Policy::Pep).filter(|summary| summary.drains());
    let drain = mean(drains.clone().map(|summary| summary.latency_us));
    let blocks = drains
        .filter_map(|summary| entry(&summary.kernel))
        .map(|entry| entry.block_us);
    let half = mean(blocks) / 2.0;
    let long: Vec<_> = saved
        .iter()
        .copied()
        .filter(|kernel| entry(kernel).is_some_and(|entry| entry.block_us > LONG_US))
        .collect();
    let worst = [Policy::ChimeraDirty, Policy::Pep, Policy::PepInPlace]
        .map(|policy| latency::relative(table, &long, policy, |summary| summary.worst_us));
    let early = worst_is_early(rows, &saved);
    let grid = grid(
        "## Latency\n\nMean of all kernels, us (Fig. 9), and the worst of each kernel that PEP does not always drain, Chimera's as \
         100 (Fig. 10).",
        &[
            "policy",
            "here",
            "paper",
            "ratio",
            "worst, Chimera as 100",
            "paper, worst",
        ],
        Policy::ALL.map(line).to_vec(),
    );
    format!(
        "{grid}\n\n{holds} ({:.2}, {:.2}, {:.2} us). Kernels that PEP always drains wait {drain:.2} us in the mean, and \
         {PAPER_DRAIN_US} in the paper: half of their blocks' time, as Table I has it, is {half:.2} us.{early} Of the kernels whose \
         blocks take more than 100 us the worst are {:.1} (dirty bits), {:.1} (PEP) and {:.1} (in place), Chimera's as 100.",
        order[0], order[1], order[2], worst[0], worst[1], worst[2]
    )
}

/// Says that kernels with short blocks wait the longest when the other one comes before it is expected, if they all do.
fn worst_is_early(rows: &[Row], saved: &[&str]) -> String {
    let short = TABLE_1
        .iter()
        .filter(|entry| entry.block_us <= LONG_US && saved.contains(&entry.name));
    let worst = short.filter_map(|entry| {
        let runs = runs(rows, entry.name, Policy::Pep);
        runs.max_by(|left, right| left.latency_us.total_cmp(&right.latency_us))
    });
    let worst: Vec<_> = worst.collect();
    let is_early = |row: &&Row| {
        row.predict_us
            .is_some_and(|predicted| row.launch_us < predicted)
    };
    match !worst.is_empty() && worst.iter().all(is_early) {
        true => {
            let told = worst.iter().map(|row| {
                format!(
                    "{} {:.1} us, in {} instead of {}",
                    row.kernel,
                    row.latency_us,
                    row.launch_us,
                    row.predict_us.unwrap_or(0)
                )
            });
            format!(
                " Kernels whose blocks are shorter wait the longest for a launch that comes before the predicted one: {}.",
                told.collect::<Vec<_>>().join(", ")
            )
        }
        false => String::new(),
    }
}

/// A kernel's row of Table I.
fn entry(name: &str) -> Option<&'static Entry> {
    TABLE_1.iter().find(|entry| entry.name == name)
}

/// What PEP answers.
pub fn cases(table: &[Summary], rows: &[Row]) -> String {
    let names = [
        "two checkpoints",
        "one checkpoint",
        "drain",
        "drain, then one",
        "drain, then two",
    ];
    let line = |summary: &Summary| {
        let mut cells = vec![summary.kernel.clone()];
        cells.extend(names.map(|name| format!("{:.0}", summary.case(name))));
        let chimera = under(table, Policy::Chimera).find(|other| other.kernel == summary.kernel);
        cells.extend(
            ["drain", "switch"].map(|case| or_dash(chimera.map(|chimera| chimera.case(case)))),
        );
        cells
    };
    let mut headings = vec!["kernel"];
    headings.extend(names);
    headings.extend(["Chimera: drain", "Chimera: switch"]);
    let grid = grid(
        "## Cases\n\nWhat PEP, and Chimera for each block, answer, percent of the answers (Fig. 8).",
        &headings,
        under(table, Policy::Pep).map(line).collect(),
    );
    let told = [two_checkpoints(rows), after_a_drain(rows), alone(rows)].concat();
    format!(
        "{grid}\n\nIn the paper two checkpoints are only of the six kernels whose blocks take more than 100 us, the last seven \
         drain, and LBM and PF vary with the progress.{told}"
    )
}

/// Runs of a kernel under a policy.
fn runs<'rows>(
    rows: &'rows [Row],
    kernel: &'rows str,
    policy: Policy,
) -> impl Iterator<Item = &'rows Row> + Clone {
    rows.iter()
        .filter(move |row| row.kernel == kernel && row.policy == policy.name())
}

/// Microseconds that a block has still to run at the launch call.
fn left_us(entry: &Entry, row: &Row) -> f64 {
    entry.block_us * (1.0 - row.progress_percent as f64 / 100.0)
}

/// Numbers as one reads them.
fn and(numbers: &[u64]) -> String {
    match numbers {
        [before @ .., last] if !before.is_empty() => {
            let before: Vec<_> = before.iter().map(u64::to_string).collect();
            format!("{} and {last}", before.join(", "))
        }
        _ => list(numbers),
    }
}

/// Kernels with short blocks that have two checkpoints all the same, where the times say so.
fn two_checkpoints(rows: &[Row]) -> String {
    let short = TABLE_1.iter().filter(|entry| entry.block_us <= LONG_US);
    let told = short.filter_map(|entry| {
        let follows = |row: &&Row| {
            let (left, predicted) = (left_us(entry, row), row.predict_us.unwrap_or(0) as f64);
            let saves = entry.switch_us < predicted && entry.switch_us < left;
            row.has(Case::TwoCheckpoints) && left > predicted && saves
        };
        let twice = runs(rows, entry.name, Policy::Pep).filter(follows);
        let progresses = distinct(twice.clone().map(|row| row.progress_percent).collect());
        let at = progresses.iter().filter_map(|&progress| {
            let runs = twice.clone().filter(|row| row.progress_percent == progress);
            let predicted: Vec<u64> = distinct(runs.clone().filter_map(|row| row.predict_us).collect());
            let left = left_us(entry, runs.clone().next()?);
            Some(format!(
                "at {progress} % {left:.1} us are left, more than the predicted {}",
                and(&predicted)
            ))
        });
        let at: Vec<_> = at.collect();
        (!at.is_empty()).then(|| {
            format!(
                " {} has them here too: its blocks take {} us and saving {}; {}. By section III-D that is the case of two checkpoints.",
                entry.name,
                entry.block_us,
                entry.switch_us,
                at.join(", ")
            )
        })
    });
    told.collect()
}

/// Why PF is saved after a drain alone, if it is.
fn after_a_drain(rows: &[Row]) -> String {
    let Some(entry) = entry("PF") else {
        return String::new();
    };
    let runs = runs(rows, entry.name, Policy::Pep);
    let has = |cases: [Case; 2]| {
        runs.clone()
            .any(|row| cases.iter().any(|&case| row.has(case)))
    };
    let left = runs.clone().map(|row| left_us(entry, row));
    let most = left.fold(0.0, f64::max);
    let least = runs.clone().filter_map(|row| row.predict_us).min();
    match least {
        Some(least)
            if has([Case::DrainThenOne, Case::DrainThenTwo])
                && !has([Case::TwoCheckpoints, Case::OneCheckpoint])
                && most < least as f64 =>
        {
            format!(
                " {} is saved after a drain alone, once or twice: of its blocks' {} us {most:.1} are left at most, less than the \
                 predicted {least} us or more.",
                entry.name, entry.block_us
            )
        }
        _ => String::new(),
    }
}

/// Why Chimera saves blocks that PEP drains, if it does.
fn alone(rows: &[Row]) -> String {
    let Some(entry) = entry("SRAD2") else {
        return String::new();
    };
    let one = entry.switch_us / entry.blocks as f64;
    // When the kernel comes, blocks that have ended have been followed by others.
    let left = |row: &Row| {
        let run = entry.block_us - left_us(entry, row) + row.launch_us as f64;
        entry.block_us - run % entry.block_us
    };
    let follows = |row: &&Row| {
        let deadline = row.deadline_us.map_or(0.0, |deadline| deadline as f64);
        row.has(Case::Switch) && one < deadline && deadline < left(row)
    };
    let switched = runs(rows, entry.name, Policy::Chimera).filter(follows);
    let Some(least) = switched.clone().filter_map(|row| row.deadline_us).min() else {
        return String::new();
    };
    let most = switched.map(left).fold(0.0, f64::max);
    format!(
        " Chimera asks for each block alone (section III-B): saving one of {}'s takes {one:.1} us, less than a deadline of {least}, \
         where draining takes up to {most:.1}.",
        entry.name
    )
}

/// The latencies of each kernel.
pub fn by_kernel(table: &[Summary]) -> String {
    let line = |summary: &Summary| {
        let mut cells = vec![summary.kernel.clone()];
        cells.extend(Policy::ALL.iter().flat_map(|policy| {
            let known = under(table, *policy).find(|other| other.kernel == summary.kernel);
            let [mean, worst] = [
                known.map(|known| known.latency_us),
                known.map(|known| known.worst_us),
            ];
            [mean, worst].map(or_dash)
        }));
        cells
    };
    let headings = [
        "kernel",
        "chimera",
        "worst",
        "chimera-dirty",
        "worst",
        "pep",
        "worst",
        "pep-in-place",
        "worst",
    ];
    grid(
        "## Latency by kernel\n\nus, mean and worst of its runs.",
        &headings,
        under(table, Policy::Pep).map(line).collect(),
    )
}

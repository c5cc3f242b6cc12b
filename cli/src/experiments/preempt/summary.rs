//! The runs of a kernel under a policy, in the mean.

use faultline_sim::machines::preemption::{Policy, TABLE_1};

use super::jobs::{Bytes, Row};

/// All runs of a kernel under a policy.
#[derive(Clone, Debug)]
pub struct Summary {
    pub kernel: String,
    pub policy: &'static str,
    /// Blocks of all runs.
    pub all_blocks: u64,
    pub latency_us: f64,
    pub worst_us: f64,
    /// The share of each case in the answers, percent.
    pub cases: Vec<(&'static str, f64)>,
    pub whole_bytes: u64,
    pub bases: Bytes,
    pub increments: Bytes,
    pub singles: Bytes,
    pub stopped_us: f64,
    pub waited_us: f64,
}

impl Summary {
    /// The share of a case.
    pub fn case(&self, name: &str) -> f64 {
        let known = self.cases.iter().find(|(known, _)| *known == name);
        known.map_or(0.0, |(_, percent)| *percent)
    }

    /// Time for which a block that left before its end did not run because it was saved.
    pub fn stopped_of_saved_us(&self) -> f64 {
        let left = self.increments.blocks + self.singles.blocks;
        self.stopped_us * self.all_blocks as f64 / left as f64
    }

    /// Whether every answer was to drain.
    pub fn drains(&self) -> bool {
        self.case("drain") >= 100.0
    }
}

/// Every kernel under every policy, in the order of the runs.
pub fn summaries(rows: &[Row]) -> Vec<Summary> {
    let mut names: Vec<(&str, &'static str)> = Vec::new();
    for row in rows {
        let name = (row.kernel.as_str(), row.policy);
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    let of = |(kernel, policy): &(&str, &'static str)| {
        let runs = rows
            .iter()
            .filter(|row| row.kernel == *kernel && row.policy == *policy);
        summary(&runs.collect::<Vec<_>>())
    };
    names.iter().filter_map(of).collect()
}

fn summary(runs: &[&Row]) -> Option<Summary> {
    let first = runs.first()?;
    let mut all = Summary {
        kernel: first.kernel.clone(),
        policy: first.policy,
        all_blocks: first.blocks * runs.len() as u64,
        latency_us: mean(runs.iter().map(|row| row.latency_us)),
        worst_us: runs.iter().map(|row| row.latency_us).fold(0.0, f64::max),
        cases: Vec::new(),
        whole_bytes: first.whole_bytes,
        bases: Bytes::default(),
        increments: Bytes::default(),
        singles: Bytes::default(),
        stopped_us: mean(runs.iter().map(|row| row.stopped_us)),
        waited_us: mean(runs.iter().map(|row| row.waited_us)),
    };
    for row in runs {
        all.bases += row.bases;
        all.increments += row.increments;
        all.singles += row.singles;
        for &(case, blocks) in &row.cases {
            let share = 100.0 * blocks as f64 / (row.blocks * runs.len() as u64) as f64;
            match all.cases.iter_mut().find(|(known, _)| *known == case) {
                Some((_, known)) => *known += share,
                None => all.cases.push((case, share)),
            }
        }
    }
    Some(all)
}

/// The mean of some numbers; none is no number.
pub fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for number in numbers {
        sum += number;
        count += 1;
    }
    sum / f64::from(count)
}

/// Those under a policy.
pub fn under(summaries: &[Summary], policy: Policy) -> impl Iterator<Item = &Summary> + Clone {
    summaries
        .iter()
        .filter(move |summary| summary.policy == policy.name())
}

/// Whether these are the kernels of Table I, so that the paper's figures are about them.
pub fn are_of_table(summaries: &[Summary]) -> bool {
    let is_of_table = |summary: &Summary| TABLE_1.iter().any(|entry| entry.name == summary.kernel);
    !summaries.is_empty() && summaries.iter().all(is_of_table)
}

/// The mean latency under a policy.
pub fn latency(summaries: &[Summary], policy: Policy) -> f64 {
    mean(under(summaries, policy).map(|summary| summary.latency_us))
}

/// Kilobytes of a block, in the mean of those that were saved.
pub fn kilobytes(bytes: u64, blocks: u64) -> Option<f64> {
    (blocks > 0).then(|| bytes as f64 / 1024.0 / blocks as f64)
}

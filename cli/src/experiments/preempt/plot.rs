//! The mean latencies as bars, beside the paper's.

use faultline_sim::machines::preemption::Policy;

use super::latency::{PAPER_US, of};
use super::summary::{Summary, are_of_table, latency};
use crate::bars::{self, Bars};

/// A group of bars for each kernel, one for the mean of all, and one for the paper's if these are its kernels.
///
/// # Errors
/// If it cannot be drawn, with a sentence that says why.
pub fn svg(summaries: &[Summary]) -> Result<String, String> {
    let series: Vec<_> = Policy::ALL
        .into_iter()
        .filter(|policy| summaries.iter().any(|one| one.policy == policy.name()))
        .collect();
    let mut groups: Vec<String> = Vec::new();
    let mut values = Vec::new();
    for summary in summaries {
        if groups.last() != Some(&summary.kernel) {
            groups.push(summary.kernel.clone());
        }
        let place = series
            .iter()
            .position(|policy| policy.name() == summary.policy);
        values.extend(place.map(|place| (groups.len() - 1, place, summary.latency_us)));
    }
    groups.push("mean".to_owned());
    for (place, policy) in series.iter().enumerate() {
        values.push((groups.len() - 1, place, latency(summaries, *policy)));
    }
    if are_of_table(summaries) {
        groups.push("paper, Table I".to_owned());
        for (place, policy) in series.iter().enumerate() {
            let paper = of(PAPER_US, *policy);
            values.extend(paper.map(|paper| (groups.len() - 1, place, paper)));
        }
    }
    bars::svg(&Bars {
        title: "latency of a preemption, us",
        groups,
        series: series
            .iter()
            .map(|policy| policy.name().to_owned())
            .collect(),
        values,
    })
}

//! What the paper says of latencies, contexts and overhead, and the same of the runs.

use faultline_sim::machines::preemption::Policy;

use super::summary::{Summary, mean, under};

/// Mean latencies, microseconds (Li et al., Fig. 9).
pub const PAPER_US: [(Policy, f64); 3] = [
    (Policy::Chimera, 8.9),
    (Policy::Pep, 4.5),
    (Policy::PepInPlace, 3.6),
];
/// Mean latency of kernels that drain (section IV-C).
pub const PAPER_DRAIN_US: f64 = 3.4;
/// Worst latencies, Chimera's as 100 (Fig. 10).
pub const PAPER_WORST: [(Policy, f64); 3] = [
    (Policy::ChimeraDirty, 68.2),
    (Policy::Pep, 41.5),
    (Policy::PepInPlace, 29.7),
];
/// What dirty bits save of a context, percent (Fig. 11).
pub const PAPER_SAVING: f64 = 34.4;
/// An increment, of its base, percent: in memory, and what of it goes there when there is room on the SM (Figs. 12 and 13).
pub const PAPER_INCREMENT: f64 = 56.1;
pub const PAPER_IN_PLACE: f64 = 29.4;
/// The percent by which fewer registers are dirty at 50 and at 75 % of a block's time than at 25 % (section III-C, Fig. 5).
pub const PAPER_FALLEN: [f64; 2] = [38.2, 48.0];
/// Time in which a block does not run, Chimera's as 100 (Fig. 15): in place is 16.4 % below PEP, which gives 78.3. The
/// paper's conclusion says 23.3 % in all, which is 76.7.
pub const PAPER_STOPPED: [(Policy, f64); 2] = [(Policy::Pep, 93.7), (Policy::PepInPlace, 78.3)];

/// The paper's figure for a policy.
pub fn of<const N: usize>(paper: [(Policy, f64); N], policy: Policy) -> Option<f64> {
    let known = paper.iter().find(|(known, _)| *known == policy);
    known.map(|(_, figure)| *figure)
}

/// The kernels that PEP does not always drain.
pub fn saved_kernels(summaries: &[Summary]) -> Vec<&str> {
    let pep = under(summaries, Policy::Pep).filter(|summary| !summary.drains());
    pep.map(|summary| summary.kernel.as_str()).collect()
}

/// A figure of each of these kernels under a policy, Chimera's as 100, in the mean.
pub fn relative(
    summaries: &[Summary],
    kernels: &[&str],
    policy: Policy,
    figure: impl Fn(&Summary) -> f64,
) -> f64 {
    let of = |kernel: &str, policy| {
        let mut all = under(summaries, policy);
        all.find(|summary| summary.kernel == kernel)
            .map_or(f64::NAN, &figure)
    };
    let part = |kernel: &&str| 100.0 * of(kernel, policy) / of(kernel, Policy::Chimera);
    mean(kernels.iter().map(part))
}

/// What dirty bits save of the contexts that Chimera saves, percent.
pub fn saving(summaries: &[Summary]) -> f64 {
    let saved = under(summaries, Policy::ChimeraDirty).filter(|summary| summary.singles.blocks > 0);
    let part = saved.map(|summary| {
        let bytes = summary.singles.context() as f64 / summary.singles.blocks as f64;
        100.0 * (1.0 - bytes / summary.whole_bytes as f64)
    });
    mean(part)
}

/// Increments of bases under a policy, percent: what goes to memory.
pub fn increments(summaries: &[Summary], policy: Policy) -> f64 {
    let based = under(summaries, policy).filter(|summary| summary.increments.blocks > 0);
    let part = based.map(|summary| {
        let of = |bytes: u64, blocks: u64| bytes as f64 / blocks as f64;
        let (bases, increments) = (&summary.bases, &summary.increments);
        let outside = match policy {
            // What stays on the SM are the first beats: of registers and shared memory the last may go to memory.
            Policy::PepInPlace => {
                let outside = increments.all.saturating_sub(increments.in_place);
                outside.min(increments.context())
            }
            _ => increments.context(),
        };
        100.0 * of(outside, increments.blocks) / of(bases.context(), bases.blocks)
    });
    mean(part)
}

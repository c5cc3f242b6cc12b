//! The report on Table I: contexts and overhead beside the paper's.

use faultline_sim::machines::preemption::{BEAT, Policy, SECTORS, Subject};

use super::jobs::Bytes;
use super::latency::{self, PAPER_IN_PLACE, PAPER_INCREMENT, PAPER_SAVING, PAPER_STOPPED};
use super::markdown::grid;
use super::summary::{Summary, kilobytes, mean, under};
use super::tables::or_dash;

/// Bytes of contexts.
pub fn saved(table: &[Summary], subjects: &[Subject]) -> String {
    let find = |kernel: &str, policy| under(table, policy).find(|summary| summary.kernel == kernel);
    let line = |kernel: &&str| {
        let dirty = find(kernel, Policy::ChimeraDirty);
        let pep = find(kernel, Policy::Pep);
        let in_place = find(kernel, Policy::PepInPlace);
        let context = |bytes: Option<&Bytes>| {
            or_dash(bytes.and_then(|bytes| kilobytes(bytes.context(), bytes.blocks)))
        };
        let part = |bytes: &Bytes| 100.0 * bytes.in_place as f64 / bytes.all as f64;
        vec![
            (*kernel).to_owned(),
            or_dash(dirty.and_then(|summary| kilobytes(summary.whole_bytes, 1))),
            context(dirty.map(|summary| &summary.singles)),
            context(pep.map(|summary| &summary.bases)),
            context(pep.map(|summary| &summary.increments)),
            context(pep.map(|summary| &summary.singles)),
            or_dash(in_place.map(|summary| part(&summary.increments))),
        ]
    };
    let kernels = latency::saved_kernels(table);
    let free = subjects
        .iter()
        .filter(|subject| kernels.contains(&subject.name.as_str()));
    let free = free.map(|subject| {
        let (rows, shared) = subject.room();
        (rows * SECTORS + shared) as f64 * BEAT as f64 / 1024.0
    });
    let (least, most) = free.fold((f64::INFINITY, 0.0f64), |(least, most), free| {
        (least.min(free), most.max(free))
    });
    let grid = grid(
        "## Contexts\n\nKB of registers and shared memory of a block that is saved, of the kernels that PEP does not always \
         drain (Figs. 11 to 13): the whole, what of it is dirty when the kernel comes, PEP's base and increment, what it saves \
         once, and the part of an increment that stays on the SM, percent.",
        &[
            "kernel",
            "whole",
            "dirty",
            "base",
            "increment",
            "once",
            "in place, %",
        ],
        kernels.iter().map(line).collect(),
    );
    format!(
        "{grid}\n\nDirty bits save {:.1} % of a context ({PAPER_SAVING} in the paper). An increment is {:.1} % of its base \
         ({PAPER_INCREMENT}). In place, {:.1} % of a base go to memory as an increment ({PAPER_IN_PLACE}): the blocks of these \
         kernels leave {least:.0} to {most:.0} KB of the SM's 352 free, room for all but what is named above, and the paper does \
         not say what room it takes. The paper does not count the SIMT state, 256 B of each warp of a block that leaves: it is \
         {:.1} % of what dirty bits leave to be saved, and {:.1} % of PEP's increments.",
        latency::saving(table),
        latency::increments(table, Policy::Pep),
        latency::increments(table, Policy::PepInPlace),
        simt_state(table, Policy::ChimeraDirty, |summary| &summary.singles),
        simt_state(table, Policy::Pep, |summary| &summary.increments),
    )
}

/// The part of the SIMT state in contexts under a policy, percent, in the mean of the kernels that have some.
fn simt_state(table: &[Summary], policy: Policy, contexts: fn(&Summary) -> &Bytes) -> f64 {
    let saved = under(table, policy).map(contexts);
    let saved = saved.filter(|saved| saved.blocks > 0);
    mean(
        saved.map(|saved| {
            100.0 * saved.simt_state as f64 / (saved.context() + saved.simt_state) as f64
        }),
    )
}

/// Time in which blocks do not run.
pub fn overhead(table: &[Summary]) -> String {
    let kernels = latency::saved_kernels(table);
    let line = |policy: Policy| {
        let all = under(table, policy).filter(|summary| kernels.contains(&summary.kernel.as_str()));
        let stopped = mean(all.clone().map(Summary::stopped_of_saved_us));
        let relative = latency::relative(table, &kernels, policy, Summary::stopped_of_saved_us);
        let waited = |summary: &&Summary| summary.waited_us > 0.0;
        let waited = all
            .clone()
            .filter(waited)
            .map(|summary| format!("{} {:.1}", summary.kernel, summary.waited_us));
        vec![
            policy.name().to_owned(),
            format!("{stopped:.2}"),
            format!("{relative:.1}"),
            or_dash(latency::of(PAPER_STOPPED, policy)),
            waited.collect::<Vec<_>>().join(", "),
        ]
    };
    let grid = grid(
        "## Overhead\n\nTime for which a block that leaves before its end does not run because it is saved, us, of the kernels that \
         PEP does not always drain; Chimera's as 100 (Fig. 15), in the mean of the kernels. *Empty*: us for which a place is empty \
         because its block has left, by the case of one checkpoint, before the kernel has come.",
        &[
            "policy",
            "stopped, us",
            "Chimera as 100",
            "paper",
            "empty, us",
        ],
        Policy::ALL.map(line).to_vec(),
    );
    let based = under(table, Policy::Pep).filter(|summary| summary.bases.blocks > 0);
    let part = based.map(|summary| {
        let of = |bytes: u64, blocks: u64| bytes as f64 / blocks as f64;
        let (bases, increments) = (&summary.bases, &summary.increments);
        100.0 * of(bases.context(), bases.blocks) / summary.whole_bytes as f64
            + 100.0 * of(increments.context(), increments.blocks) / summary.whole_bytes as f64
    });
    let part = mean(part);
    let here = latency::relative(table, &kernels, Policy::Pep, Summary::stopped_of_saved_us);
    let is_longer = latency::of(PAPER_STOPPED, Policy::Pep).is_some_and(|paper| here > paper);
    let reason = match part > 100.0 && is_longer {
        true => {
            ": PEP stops blocks for longer than in the paper, where the two have about as many as the whole"
        }
        false => "",
    };
    format!(
        "{grid}\n\nA base and its increment have {part:.0} % of the bytes of a whole context{reason}."
    )
}

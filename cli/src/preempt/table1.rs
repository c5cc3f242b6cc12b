//! The report on Table I: its kernels, the latencies and cases beside the paper's.

use faultline_sim::preemption::{Entry, Policy, Subject, TABLE_1};

use super::jobs;
use super::latency::{self, PAPER_DRAIN_US, PAPER_US, PAPER_WORST};
use super::page::grid;
use super::summary::{self, Summary, mean, under};
use super::tables::or_dash;

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
pub fn latencies(table: &[Summary]) -> String {
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
         {PAPER_DRAIN_US} in the paper: half of their blocks' time, as Table I has it, is {half:.2} us. The worst of a kernel whose \
         blocks are short is that of a launch that comes before the predicted one, when they still drain. Of the kernels whose \
         blocks take more than 100 us the worst are {:.1} (dirty bits), {:.1} (PEP) and {:.1} (in place), Chimera's as 100.",
        order[0], order[1], order[2], worst[0], worst[1], worst[2]
    )
}

/// A kernel's row of Table I.
fn entry(name: &str) -> Option<&'static Entry> {
    TABLE_1.iter().find(|entry| entry.name == name)
}

/// What PEP answers.
pub fn cases(table: &[Summary]) -> String {
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
    let twice = |summary: &&Summary| summary.case("two checkpoints") > 0.0;
    let short: Vec<_> = under(table, Policy::Pep)
        .filter(twice)
        .filter_map(|summary| entry(&summary.kernel))
        .filter(|entry| entry.block_us <= LONG_US)
        .collect();
    let told: String = short
        .iter()
        .map(|entry| {
            format!(
                " {} is one more here: its blocks take {} us, so at 25 % they outlive a launch in 20 or 30 us, and saving takes \
                 {} us, less than either; by section III-D that is the case of two checkpoints.",
                entry.name, entry.block_us, entry.switch_us
            )
        })
        .collect();
    let [pf, srad2] = ["PF", "SRAD2"].map(|name| entry(name).copied().unwrap_or(TABLE_1[0]));
    format!(
        "{grid}\n\nIn the paper two checkpoints are only of the six kernels whose blocks take more than 100 us, the last seven \
         drain, and LBM and PF vary with the progress.{told} {}'s choice between one checkpoint and two comes after a drain, for its \
         blocks take {} us, and at 25 % and later none outlives the prediction. Chimera asks for each block alone (section III-B): \
         saving one of {}'s takes {:.1} us, less than any deadline, where draining takes up to {:.1}.",
        pf.name,
        pf.block_us,
        srad2.name,
        srad2.switch_us / srad2.blocks as f64,
        0.75 * srad2.block_us
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

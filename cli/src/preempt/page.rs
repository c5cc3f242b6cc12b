//! The report: latencies, cases, contexts and overhead beside the paper, and what is dirty of recorded kernels.

use faultline_sim::preemption::{BEAT, Entry, Policy, SECTORS, Setup, Subject, TABLE_1};
use faultline_synth::table::Grid;
use indicatif::ProgressBar;
use miette::Result;

use super::contexts::{self, Dirty};
use super::jobs::{self, Row};
use super::latency::{
    self, PAPER_DRAIN_US, PAPER_IN_PLACE, PAPER_INCREMENT, PAPER_SAVING, PAPER_STOPPED, PAPER_US,
    PAPER_WORST,
};
use super::summary::{Summary, kilobytes, mean, summaries, under};
use super::tables::{self, or_dash};
use super::works::{self, Works};
use super::{Args, Granularity, Registers};

/// Blocks of the paper's kernels with two checkpoints take longer, us.
const LONG_US: f64 = 100.0;
/// A mean that is further from the paper's needs a reason, percent.
const NEAR_PERCENT: f64 = 15.0;

/// What is run to find out what a choice is worth.
pub struct Variation {
    name: String,
    subjects: Vec<Subject>,
    setups: Vec<Setup>,
}

impl Variation {
    /// How many runs it has.
    pub fn runs(&self) -> usize {
        self.subjects.len() * self.setups.len()
    }
}

/// Table I with other choices, for the report.
pub fn variations(args: &Args, works: &Works) -> Result<Vec<Variation>> {
    if args.markdown.is_none() || works.of_table == 0 {
        return Ok(Vec::new());
    }
    let table = &works.subjects[..works.of_table];
    let setups = |change: fn(&mut Setup)| {
        let mut setups = jobs::setups(args);
        setups.iter_mut().for_each(change);
        setups
    };
    let stateless = table.iter().map(|subject| Subject {
        warps: 1,
        ..subject.clone()
    });
    let (registers, called) = match args.registers {
        Registers::Given => (Registers::Named, "no registers but those that are named"),
        Registers::Named => (Registers::Given, "all registers that a thread is given"),
    };
    let others = works::works(args, registers)?;
    let bits = match args.granularity {
        Granularity::Lane => "a bit for each row",
        Granularity::Warp => "a bit for each lane",
    };
    let variation = |name: &str, subjects: &[Subject], change| Variation {
        name: name.to_owned(),
        subjects: subjects.to_vec(),
        setups: setups(change),
    };
    let stateless: Vec<_> = stateless.collect();
    Ok(vec![
        variation("all blocks drain together", table, |setup| {
            setup.stops_together = true;
        }),
        variation("and the state of one warp", &stateless, |setup| {
            setup.stops_together = true;
        }),
        variation("and an increment of 56 % at most", &stateless, |setup| {
            setup.stops_together = true;
            setup.most_of_base = Some(PAPER_INCREMENT as u64);
        }),
        variation(bits, table, |setup| setup.by_lane = !setup.by_lane),
        variation(called, &others.subjects[..others.of_table], |_| {}),
    ])
}

/// The page.
///
/// # Errors
/// If a run does not come to its end.
pub fn markdown(
    args: &Args,
    works: &Works,
    rows: &[Row],
    variations: &[Variation],
    bar: &ProgressBar,
) -> Result<String> {
    let mut sections = vec![beginning(args)];
    let all = summaries(rows);
    let is_of_table = |summary: &&Summary| TABLE_1.iter().any(|entry| entry.name == summary.kernel);
    let (table, others): (Vec<_>, Vec<_>) = all.iter().partition(is_of_table);
    let [table, others] = [table, others].map(|part| part.into_iter().cloned().collect::<Vec<_>>());
    if !table.is_empty() {
        let mut varied = Vec::new();
        for variation in variations {
            let rows = jobs::run(&variation.subjects, &variation.setups, bar)?;
            varied.push((variation.name.as_str(), summaries(&rows)));
        }
        let table_works = &works.subjects[..works.of_table];
        sections.extend([
            assumptions(table_works),
            latencies(&table),
            reasons(&table, &varied),
            cases(&table),
            by_kernel(&table),
            saved(&table, table_works),
            overhead(&table),
        ]);
    }
    if !works.recordings.is_empty() {
        let dirty = contexts::dirty(&works.recordings, args);
        let other = match args.registers {
            Registers::Given => Registers::Named,
            Registers::Named => Registers::Given,
        };
        let varied = contexts::dirty(&works::works(args, other)?.recordings, args);
        sections.extend([
            recorded(args, &dirty, &varied),
            parts(args, &dirty),
            preempted(&others),
        ]);
    }
    Ok(sections.join("\n\n") + "\n")
}

/// A table under its title.
fn grid(title: &str, headings: &[&str], rows: Vec<Vec<String>>) -> String {
    let grid = Grid {
        title: title.to_owned(),
        headings: headings.iter().map(|&heading| heading.to_owned()).collect(),
        rows,
    };
    grid.markdown().trim_end().to_owned()
}

fn list(numbers: &[u64]) -> String {
    let numbers = numbers.iter().map(u64::to_string);
    numbers.collect::<Vec<_>>().join(",")
}

fn beginning(args: &Args) -> String {
    let granularity = match args.granularity {
        Granularity::Lane => "lane",
        Granularity::Warp => "warp",
    };
    let registers = match args.registers {
        Registers::Given => "given",
        Registers::Named => "named",
    };
    let named: String = args
        .workloads
        .iter()
        .map(|name| format!(" {name}"))
        .collect();
    format!(
        "# Preemption by checkpoints\n\nGenerated by `faultline preempt{named} --launch-us {} --predict-us {} --deadline-us {} \
         --progress {} --granularity {granularity} --registers {registers} --seed {} --markdown FILE`.\n\nLi et al. (TCAD 2018), \
         sections III and IV: another kernel is launched while the blocks of an SM have come to a part of their time; the \
         driver's signal comes 1.3 us after the call, and the kernel after the launch time. What is done is the answer of the \
         reference of `preemption_policy`; contexts are saved by the references of `checkpoint` and `dirty_bits`, cycle by cycle \
         at 1,216 MHz, one block after the other, to a memory that takes the SM's share of the bandwidth. PEP saves a base at the \
         signal and an increment when the kernel comes; Chimera acts when it comes, with a deadline, and flushes nothing. Latency \
         is the time from then until every block has ended or is saved.",
        list(&args.launch_us),
        list(&args.predict_us),
        list(&args.deadline_us),
        list(&args.progress),
        args.seed,
    )
}

fn assumptions(subjects: &[Subject]) -> String {
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
fn latencies(table: &[Summary]) -> String {
    let saved = latency::saved_kernels(table);
    let line = |policy: Policy| {
        let here = super::summary::latency(table, policy);
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
        .map(|policy| super::summary::latency(table, policy));
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

/// What other choices give, and so why a mean is where it is.
fn reasons(table: &[Summary], varied: &[(&str, Vec<Summary>)]) -> String {
    let here = ("as built", table.to_vec());
    let latency = |summaries: &[Summary], policy| super::summary::latency(summaries, policy);
    let line = |(name, summaries): &(&str, Vec<Summary>)| {
        let mut cells = vec![(*name).to_owned()];
        cells.extend(Policy::ALL.map(|policy| format!("{:.2}", latency(summaries, policy))));
        cells.push(format!("{:.1}", latency::saving(summaries)));
        cells.push(format!(
            "{:.1}",
            latency::increments(summaries, Policy::Pep)
        ));
        cells
    };
    let all: Vec<_> = std::iter::once(&here).chain(varied).collect();
    let mut rows: Vec<_> = all.iter().map(|one| line(one)).collect();
    let mut paper = vec!["paper".to_owned()];
    paper.extend(Policy::ALL.map(|policy| or_dash(latency::of(PAPER_US, policy))));
    paper.extend([PAPER_SAVING, PAPER_INCREMENT].map(|figure| figure.to_string()));
    rows.push(paper);
    let mut headings = vec!["mean latency, us"];
    headings.extend(Policy::ALL.map(Policy::name));
    headings.extend(["dirty bits save, %", "increment of base, %"]);
    let grid = grid(
        "## Why\n\nThe same runs with other choices. The engine stops and drains one block when it comes to it; in the paper the \
         SM drains once. The engine saves 256 B of state for each warp, which the paper leaves out as negligible.",
        &headings,
        rows,
    );
    let mut told: Vec<_> = PAPER_US
        .iter()
        .map(|&(policy, paper)| reason(table, varied, policy, paper))
        .collect();
    if let Some((name, summaries)) = varied.last() {
        let means = PAPER_US.map(|(policy, _)| latency(summaries, policy));
        let [chimera, pep, in_place] =
            PAPER_US.map(|(policy, paper)| 100.0 * (latency(summaries, policy) / paper - 1.0));
        let others: Vec<_> = table
            .iter()
            .filter(|one| one.kernel != "LBM")
            .cloned()
            .collect();
        let without = latency::saving(&others);
        let order = match means.is_sorted_by(|left, right| left > right) {
            true => "in the same order",
            false => "in another order",
        };
        told.push(format!(
            "What is dirty depends on what counts as the context. lbm is given 255 registers, for the occupancy of another paper, and \
             so LBM has little that is dirty; without it dirty bits save {without:.1} %. With {name} the means are {chimera:+.0} %, {pep:+.0} % and \
             {in_place:+.0} % from the paper's (Chimera, PEP, in place), {order}."
        ));
    }
    format!("{grid}\n\n{}", told.join("\n\n"))
}

/// Where a policy's mean is beside the paper's, and what of that other choices explain.
fn reason(
    table: &[Summary],
    varied: &[(&str, Vec<Summary>)],
    policy: Policy,
    paper: f64,
) -> String {
    let here = super::summary::latency(table, policy);
    let off = 100.0 * (here / paper - 1.0);
    let name = policy.name();
    if off.abs() <= NEAR_PERCENT {
        return format!("**{name}** is {off:+.0} % from the paper's.");
    }
    let of = |place: usize| {
        let known: Option<&(&str, Vec<Summary>)> = varied.get(place);
        known.map_or(f64::NAN, |(_, summaries)| {
            super::summary::latency(summaries, policy)
        })
    };
    let from_paper = |us: f64| format!("{:+.0} %", 100.0 * (us / paper - 1.0));
    let (together, stateless, less) = (of(0), of(1), of(2));
    let mut told = format!(
        "**{name}** is {off:+.0} % from the paper's. Draining one block after the other is {:.2} us of its {here:.2}, and the \
         SIMT state {:.2} us; without both it would be {} from it.",
        here - together,
        together - stateless,
        from_paper(stateless)
    );
    if policy.is_proactive() {
        told += &format!(
            " The increment is {:.1} % of the base, for a loop changes its registers within a few microseconds; cut to the \
             paper's {PAPER_INCREMENT} % it leaves {less:.2} us, {} from the paper's.",
            latency::increments(table, Policy::Pep),
            from_paper(less)
        );
    }
    told
}

/// What PEP answers.
fn cases(table: &[Summary]) -> String {
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

fn by_kernel(table: &[Summary]) -> String {
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

/// Bytes of contexts.
fn saved(table: &[Summary], subjects: &[Subject]) -> String {
    let find = |kernel: &str, policy| under(table, policy).find(|summary| summary.kernel == kernel);
    let line = |kernel: &&str| {
        let dirty = find(kernel, Policy::ChimeraDirty);
        let pep = find(kernel, Policy::Pep);
        let in_place = find(kernel, Policy::PepInPlace);
        let context = |bytes: Option<&jobs::Bytes>| {
            or_dash(bytes.and_then(|bytes| kilobytes(bytes.context(), bytes.blocks)))
        };
        let part = |bytes: &jobs::Bytes| 100.0 * bytes.in_place as f64 / bytes.all as f64;
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
         not say what room it takes.",
        latency::saving(table),
        latency::increments(table, Policy::Pep),
        latency::increments(table, Policy::PepInPlace),
    )
}

fn overhead(table: &[Summary]) -> String {
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
    format!(
        "{grid}\n\nA base and its increment have {:.0} % of the bytes of a whole context, which is why PEP stops blocks for longer \
         than in the paper, where the two have about as many as the whole.",
        mean(part)
    )
}

/// What is dirty of recorded kernels.
fn recorded(args: &Args, dirty: &[Dirty], varied: &[Dirty]) -> String {
    let (headings, mut rows) = tables::dirty_table(dirty);
    let places = [15, 35].map(|us| {
        let known = contexts::AFTER_US.iter().position(|known| *known == us);
        known.unwrap_or_default()
    });
    let increment = |place| mean(dirty.iter().map(|one| one.increment(place)));
    let saving = mean(dirty.iter().map(Dirty::saving));
    let more = mean(
        dirty
            .iter()
            .map(|one| 100.0 * (one.warp_bytes() / one.lane_bytes() - 1.0)),
    );
    let mut last = vec!["mean".to_owned()];
    last.extend(["", "", "", "", ""].map(str::to_owned));
    last.extend([saving, more].map(|mean| format!("{mean:.1}")));
    last.extend((0..contexts::AFTER_US.len()).map(|place| format!("{:.0}", increment(place))));
    last.push(format!("{:.2}", mean(dirty.iter().map(|one| one.drain_us))));
    rows.push(last);
    let other = match args.registers {
        Registers::Given => "Of the registers alone that the programs name",
        Registers::Named => "Of all registers that a thread is given",
    };
    let grid = grid(
        &format!(
            "## What is dirty\n\nKernels on the SM of the reference, every committed write told to the dirty bits: KB of a block, in \
             the mean of its blocks and of {} % of their time. Shared memory is saved whole. An increment is what has changed so \
             long after a base, percent of that, both with shared memory; a block that would have ended goes on as it did. A \
             register has 32 bits in each lane, an address of global memory two; the whole is what a thread is given.",
            list(&args.progress)
        ),
        &headings,
        rows,
    );
    let others = mean(varied.iter().map(Dirty::saving));
    let without = mean(
        dirty
            .iter()
            .filter(|one| one.kernel != "lbm")
            .map(Dirty::saving),
    );
    format!(
        "{grid}\n\nDirty bits save {saving:.1} % of the context, {PAPER_SAVING} in the paper, and {without:.1} % without lbm. {other} \
         it would be {others:.1} %: between the two lie registers that a thread is given and this program never names, for how many \
         it is given is that of the kernel which it is written after, of lbm as many as give the occupancy of Tanasic et al. \
         An increment is {:.0} % of its base after 1 us, {:.0} % after 15 and {:.0} % after 35, and {PAPER_INCREMENT} in the paper: \
         these kernels are loops whose every round writes nearly all of their registers, and what a block writes for the first time \
         is no part of its base. A bit for each row, 2,048 instead of 65,536, saves {more:.1} % more of the registers.",
        increment(0),
        increment(places[0]),
        increment(places[1]),
    )
}

/// What is dirty at each part of the time.
fn parts(args: &Args, dirty: &[Dirty]) -> String {
    let mut headings = vec!["kernel".to_owned()];
    headings.extend(
        args.progress
            .iter()
            .map(|progress| format!("at {progress} %")),
    );
    headings.extend(["25 to 50 %", "25 to 75 %"].map(str::to_owned));
    let line = |one: &Dirty| {
        let mut cells = vec![one.kernel.clone()];
        let part = |bytes: f64| format!("{:.0}", 100.0 * bytes / one.register_bytes);
        cells.extend(one.at.iter().map(|at| part(at.lane_bytes)));
        cells.extend(
            one.from_quarter_percent
                .map(|percent| format!("{percent:.0}")),
        );
        cells
    };
    let mut rows: Vec<_> = dirty.iter().map(line).collect();
    let mut last = vec!["mean".to_owned()];
    let count = dirty.len() as f64;
    for place in 0..args.progress.len() {
        let part = |one: &Dirty| 100.0 * one.at[place].lane_bytes / one.register_bytes;
        last.push(format!(
            "{:.0}",
            dirty.iter().map(part).sum::<f64>() / count
        ));
    }
    last.extend([0, 1].map(|place| {
        format!(
            "{:.0}",
            mean(dirty.iter().map(|one| one.from_quarter_percent[place]))
        )
    }));
    rows.push(last);
    let mut paper = vec!["paper".to_owned()];
    paper.extend(args.progress.iter().map(|_| String::new()));
    paper.extend(["62", "52"].map(str::to_owned));
    rows.push(paper);
    let headings: Vec<_> = headings.iter().map(String::as_str).collect();
    grid(
        "## Progress\n\nDirty registers by the part of the block's time, percent of its registers; and what changes from 25 % on, \
         percent of what is dirty there (Fig. 5: 38.2 and 48 % less).",
        &headings,
        rows,
    )
}

fn preempted(others: &[Summary]) -> String {
    let (headings, rows) = tables::preemptions(others);
    grid(
        "## Preemptions\n\nThe same kernels preempted, with a sixteenth of 224 GB/s; in the mean of a kernel's runs, latency and \
         worst in us, cases in percent of the answers, KB of a block's registers and shared memory, and the us in which a block \
         does not run.",
        &headings,
        rows,
    )
}

//! The report on Table I: why the means are where they are.

use faultline_sim::machines::preemption::{Policy, Setup, Subject};
use miette::Result;

use super::jobs;
use super::latency::{self, PAPER_INCREMENT, PAPER_SAVING, PAPER_US};
use super::markdown::grid;
use super::summary::{self, Summary};
use super::tables::or_dash;
use super::workloads::{self, Works};
use super::{Args, Granularity, Registers};

/// A mean that is further from the paper's needs a reason, percent.
const NEAR_PERCENT: f64 = 15.0;

/// What is run to find out what a choice is worth.
pub struct Variation {
    pub name: String,
    pub subjects: Vec<Subject>,
    pub setups: Vec<Setup>,
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
    let others = workloads::works(args, registers)?;
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

/// What other choices give, and so why a mean is where it is.
pub fn reasons(table: &[Summary], varied: &[(&str, Vec<Summary>)]) -> String {
    let here = ("as built", table.to_vec());
    let latency = |summaries: &[Summary], policy| summary::latency(summaries, policy);
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
        let order = match means.is_sorted_by(|left, right| left > right) {
            true => "in the same order",
            false => "in another order",
        };
        told.push(format!(
            "What is dirty depends on what counts as the context. With {name} the means are {chimera:+.0} %, {pep:+.0} % \
             and {in_place:+.0} % from the paper's (Chimera, PEP, in place), {order}."
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
    let here = summary::latency(table, policy);
    let off = 100.0 * (here / paper - 1.0);
    let name = policy.name();
    if off.abs() <= NEAR_PERCENT {
        return format!("**{name}** is {off:+.0} % from the paper's.");
    }
    let of = |place: usize| {
        let known: Option<&(&str, Vec<Summary>)> = varied.get(place);
        known.map_or(f64::NAN, |(_, summaries)| {
            summary::latency(summaries, policy)
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
        let increment = latency::increments(table, Policy::Pep);
        let loops = match increment > PAPER_INCREMENT {
            true => ", for a loop changes its registers within a few microseconds",
            false => "",
        };
        told += &format!(
            " The increment is {increment:.1} % of the base{loops}; cut to the paper's {PAPER_INCREMENT} % it leaves {less:.2} us, \
             {} from the paper's.",
            from_paper(less)
        );
    }
    told
}

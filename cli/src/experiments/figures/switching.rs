//! Figure 12 of Tanasic et al.: what it gains to switch out thread blocks that wait for pages.

use faultline_sim::machines::gpu::{Activity, Config, Link, Outcome, SwitchingMode};
use faultline_sim::machines::sm::Work;
use faultline_sim::simt::kernels::KERNELS;
use faultline_synth::table::Grid;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::sm::plot;
use super::family::{Family, Picture, Request, Taken};
use super::runs::{self, geometric_mean, of_run, run, share};
use crate::experiments::ordered::Value;
use crate::output::{self, grouped};

/// A link by its name, and the kernels of which the paper gives performance beside no switching, in percent.
type OfLink = (&'static str, Link, &'static [(&'static str, f64)]);

/// The links.
const LINKS: [OfLink; 2] = [
    (
        "nvlink",
        Link::NVLINK,
        &[
            ("sgemm", 113.0),
            ("stencil", 107.0),
            ("histo", 111.0),
            ("mri-gridding", 85.0),
        ],
    ),
    ("pcie3", Link::PCIE3, &[("histo", 105.0)]),
];
/// How blocks are switched; the first is what the others are compared with.
const MODES: [SwitchingMode; 3] = [
    SwitchingMode::None,
    SwitchingMode::Normal,
    SwitchingMode::Ideal,
];
/// Points within which a run takes as long.
const NEAR: f64 = 1.0;
/// Percent of a run from which on the link or the handler leaves nothing to gain.
const FULL: f64 = 80.0;

/// One kernel over one link.
#[derive(Clone, Serialize, Deserialize)]
pub struct Row {
    workload: String,
    link: String,
    thread_blocks: usize,
    /// Thread blocks that the SMs hold at once.
    slots: usize,
    /// Performance beside no switching.
    normal_percent: f64,
    ideal_percent: f64,
    /// The paper's, with normal switching.
    paper_percent: Option<f64>,
    /// How blocks are switched, in the order of the rest: none, normal, ideal.
    modes: [String; 3],
    cycles: [u64; 3],
    switched_out: [u64; 3],
    context_bytes: [u64; 3],
    /// The shares of all SMs' time in which nothing commits, and that are after an SM's last block.
    waits_percent: [f64; 3],
    ended_percent: [f64; 3],
    link_use_percent: [f64; 3],
    /// The use of the handler on the CPU, which handles one fault after the other.
    handler_use_percent: [f64; 3],
}

impl Row {
    fn new(
        work: &Work,
        (link, paper): (&'static str, Option<f64>),
        handler: u64,
        outcomes: &[Outcome; 3],
    ) -> Self {
        let each = |of: &dyn Fn(&Outcome) -> u64| [0, 1, 2].map(|mode: usize| of(&outcomes[mode]));
        let shares =
            |of: &dyn Fn(&Outcome) -> f64| [0, 1, 2].map(|mode: usize| of(&outcomes[mode]));
        let cycles = each(&|outcome| outcome.cycles);
        let beside = |mode: usize| 100.0 * cycles[0] as f64 / cycles[mode].max(1) as f64;
        let a_sm = outcomes[0].history.activities.len();
        Self {
            workload: work.name.clone(),
            link: link.to_owned(),
            thread_blocks: work.blocks(),
            slots: a_sm * work.blocks_per_sm,
            normal_percent: beside(1),
            ideal_percent: beside(2),
            paper_percent: paper,
            modes: MODES.map(|mode| mode.name().to_owned()),
            cycles,
            switched_out: each(&|outcome| outcome.sms.switches),
            context_bytes: each(&|outcome| outcome.sms.contexts.bytes()),
            waits_percent: shares(&|outcome| share(outcome, Activity::Waits)),
            ended_percent: shares(&|outcome| share(outcome, Activity::Ended)),
            link_use_percent: shares(&|outcome| of_run(outcome.brought.link, outcome)),
            handler_use_percent: shares(&|outcome| {
                let handled = outcome.brought.migrated + outcome.brought.allocated;
                of_run(handled * handler, outcome)
            }),
        }
    }

    /// Why it gains or loses, by its counters.
    fn cause(&self) -> String {
        let [none, normal, _] = self.waits_percent;
        let [ends, ends_then, _] = self.ended_percent;
        if self.thread_blocks <= self.slots {
            return "no block waits for a slot".to_owned();
        }
        if self.switched_out[1] == 0 {
            return "no fault of a full SM is far enough behind".to_owned();
        }
        for (what, used) in [
            ("link", self.link_use_percent),
            ("handler", self.handler_use_percent),
        ] {
            if used[0] > FULL {
                return format!("the {what} is full without switching");
            }
        }
        if none + ends < 100.0 - FULL {
            return "SMs wait little without switching".to_owned();
        }
        if (self.normal_percent - 100.0).abs() <= NEAR {
            return "it takes as long: link and handler are in use as before".to_owned();
        }
        if self.normal_percent < 100.0 && self.ideal_percent > 100.0 + NEAR {
            return "contexts take longer than is gained: the ideal mode gains".to_owned();
        }
        if ends_then - ends > (none - normal).abs() {
            return "SMs end at other times: their shares of long blocks differ".to_owned();
        }
        match normal < none {
            true => "SMs wait less".to_owned(),
            false => "other blocks fault as well".to_owned(),
        }
    }
}

/// Runs the kernels over both links, without switching and with.
fn rows(works: &[Work], config: &Config) -> Result<Vec<Row>> {
    let pairs = works
        .iter()
        .flat_map(|work| LINKS.iter().map(move |link| (work, link)));
    let jobs: Vec<_> = pairs
        .clone()
        .flat_map(|(work, link)| MODES.map(|mode| (work, link.1, mode)))
        .collect();
    let outcomes = jobs.into_par_iter().map(|(work, link, mode)| {
        let mut config = config.clone();
        config.set_link(link);
        config.switching.mode = mode;
        run(&config, work)
    });
    let outcomes: Vec<Outcome> = outcomes.collect::<Result<_>>()?;
    let is_the_papers = config.parameters().sms == Switching.sms() as usize;
    let of_pairs = outcomes.as_chunks::<3>().0.iter();
    let rows = pairs.zip(of_pairs).map(|((work, link), outcomes)| {
        let (name, _, known) = *link;
        let mut known = known.iter().filter(|_| is_the_papers);
        let paper = known.find(|(kernel, _)| *kernel == work.name);
        let paper = (name, paper.map(|paper| paper.1));
        Row::new(work, paper, config.paging.handler.into(), outcomes)
    });
    Ok(rows.collect())
}

/// The headings of the table.
const HEADINGS: [&str; 11] = [
    "Workload",
    "Link",
    "Normal",
    "Ideal",
    "Paper",
    "Blocks",
    "Switched out",
    "Waits",
    "Link use",
    "Handler use",
    "Cause",
];

fn cells(row: &Row) -> Vec<String> {
    let changes = |[none, normal, _]: [f64; 3]| format!("{none:.0} to {normal:.0}");
    vec![
        row.workload.clone(),
        row.link.clone(),
        format!("{:.1}", row.normal_percent),
        format!("{:.1}", row.ideal_percent),
        row.paper_percent
            .map_or_else(String::new, |paper| format!("{paper:.0}")),
        format!("{} on {}", grouped(row.thread_blocks as u64), row.slots),
        grouped(row.switched_out[1]),
        changes(row.waits_percent),
        changes(row.link_use_percent),
        changes(row.handler_use_percent),
        row.cause(),
    ]
}

/// The geometric means over a link, of normal and of ideal switching.
fn means(rows: &[Row]) -> String {
    let of_link = |(link, ..): OfLink| {
        let mean = |of: &dyn Fn(&Row) -> f64| {
            let of_link = rows.iter().filter(|row| row.link == link);
            geometric_mean(of_link.map(of))
        };
        let (normal, ideal) = (
            mean(&|row| row.normal_percent),
            mean(&|row| row.ideal_percent),
        );
        format!("{link} {normal:.1}, ideal {ideal:.1}")
    };
    format!(
        "Geometric means: {}. The paper's, of all its eleven kernels: unchanged.",
        LINKS.map(of_link).join("; ")
    )
}

/// What percentages are of.
const ABOUT: &str = "Performance is the cycles without switching over those with it, in percent. Waits is the share of all SMs' time in \
                     which nothing commits; it and the use of the link and of the CPU's handler are without switching and with normal \
                     switching.";

/// The rows as a table for a terminal.
fn text(rows: &[Row], about: &str) -> String {
    let headings = HEADINGS.map(str::to_owned);
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let table = output::tables(2, &headings, &cells, output::width());
    format!("{table}\n{ABOUT}\n{}\n{about}", means(rows))
}

/// What the figure rests on and the paper does not say.
fn assumptions(config: &Config) -> String {
    let number = |number: u64| grouped(number);
    let switching = &config.switching;
    let all = [
        format!(
            "The threshold is {} places in the queue of faults, and a block stays for {} cycles at least.",
            number(switching.threshold.into()),
            number(switching.residence.into()),
        ),
        "Contexts go to DRAM and come from there in lines of 128 B, in turns with all other requests. A register has 64 bits, so a \
         context has up to twice the paper's beats."
            .to_owned(),
        "In the ideal mode a context takes the cycles of stops, drain, squashed instructions and resumes.".to_owned(),
        format!(
            "The GMMU holds {} far faults of an SM, page by page. A page that is not held has no place in the queue, and no \
             block leaves because of it.",
            number(config.gmmu.far_faults.into()),
        ),
        format!("NVLink moves {} B a cycle.", Link::NVLINK.bytes),
    ];
    all.map(|assumption| format!("- {assumption}")).join("\n")
}

/// The rows as a page.
fn markdown(rows: &[Row], config: &Config, command: &str, about: &str) -> String {
    let grid = Grid {
        title: "## Performance and counters".to_owned(),
        headings: HEADINGS.map(str::to_owned).to_vec(),
        rows: rows.iter().map(cells).collect(),
    };
    format!(
        "# Figure 12\n\nGenerated by `{command}` with the reference model of Faultline {}.\n\nKernels run on a GPU of {} SMs with a replay \
         queue. All pages are absent at first and come by 64 KB. Registers and memory at the end are those of a run without a GPU. \
         {about}\n\n{}\n{ABOUT} {}\n\n## What it rests on\n\n{}\n",
        env!("CARGO_PKG_VERSION"),
        config.parameters().sms,
        grid.markdown(),
        means(rows),
        assumptions(config),
    )
}

/// The family of the one figure.
pub struct Switching;

impl Family for Switching {
    type Rows = Vec<Row>;

    fn figures(&self) -> &'static [&'static str] {
        &["tanasic-12"]
    }

    fn about(&self) -> &'static str {
        "Tanasic et al., MICRO-50: what it gains to switch out thread blocks that wait for pages"
    }

    fn takes(&self) -> &'static [Taken] {
        &["--code", "--kernels", "--scale", "--sms", "--queue"]
    }

    fn kernels(&self, _: &Request) -> Vec<&'static str> {
        KERNELS.map(|(name, _)| name).to_vec()
    }

    fn run(&self, request: &Request, kernel: &str) -> Result<Vec<Row>> {
        let config = runs::config(request.queue, request.sms)?;
        rows(&request.of_kernel(kernel).parboil()?, &config)
    }

    fn json(&self, _: &Request, rows: &[Vec<Row>]) -> Result<Value> {
        Value::of(&rows.concat()).map_err(|error| miette!("{error}"))
    }

    fn text(&self, request: &Request, rows: &[Vec<Row>]) -> String {
        text(&rows.concat(), request.about())
    }

    fn page(&self, request: &Request, rows: &[Vec<Row>]) -> Result<String> {
        let config = runs::config(request.queue, request.sms)?;
        Ok(markdown(
            &rows.concat(),
            &config,
            &request.command,
            request.about(),
        ))
    }

    fn pictures(&self, request: &Request, rows: &[Vec<Row>]) -> Result<Vec<Picture>> {
        let rows = rows.concat();
        let series = LINKS.map(|(link, ..)| link.to_owned());
        let mut groups: Vec<(String, Vec<f64>)> = rows
            .chunks(LINKS.len())
            .map(|of_work| {
                let values = of_work.iter().map(|row| row.normal_percent);
                (of_work[0].workload.clone(), values.collect())
            })
            .collect();
        let mean = |(link, ..): OfLink| {
            let of_link = rows.iter().filter(|row| row.link == link);
            geometric_mean(of_link.map(|row| row.normal_percent))
        };
        groups.push(("geometric mean".to_owned(), LINKS.map(mean).to_vec()));
        let papers = match request.is_the_papers(self.sms()) {
            true => vec![Some(100.0); LINKS.len()],
            false => vec![None; LINKS.len()],
        };
        let title = "performance, no switching 100";
        let note = "Lines over the means: the paper's.";
        let svg = plot::bars(title, 100.0, &series, &papers, &groups, note);
        Ok(vec![(
            request.figures[0],
            svg.map_err(|error| miette!("{error}"))?,
        )])
    }
}

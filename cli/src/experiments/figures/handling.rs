//! Figures 13 and 14 of Tanasic et al.: what it gains that the warps that fault handle their faults, rather than the CPU.

mod means;
mod report;

use faultline_sim::machines::gpu::{Activity, Config, Handling, Link, Outcome};
use faultline_sim::machines::sm::Work;
use faultline_sim::programs::{self, Program};
use faultline_sim::simt::kernels::{self, Make};
use miette::{Result, miette};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::sm::plot;
use super::code::Code;
use super::compiled;
use super::family::{Family, Picture, Request, Taken};
use super::runs::{self, of_run, run, share};
use crate::experiments::ordered::Value;
use crate::output::{self, grouped};

use self::means::{Mean, means};

/// A figure.
struct Figure {
    /// Its name as an argument.
    name: &'static str,
    /// Its number, and what faults there.
    title: &'static str,
    kernels: &'static [(&'static str, Make)],
    programs: &'static [Program],
    /// The paper's geometric mean over each link, in percent of handling by the CPU.
    paper: [f64; 2],
}

/// The figures.
const FIGURES: [Figure; 2] = [
    Figure {
        name: "tanasic-13",
        title: "Figure 13: pages of a heap",
        kernels: &kernels::ALLOCATING,
        programs: &programs::ALLOCATING,
        paper: [156.0, 175.0],
    },
    Figure {
        name: "tanasic-14",
        title: "Figure 14: output pages",
        kernels: &kernels::KERNELS,
        programs: &programs::PARBOIL,
        paper: [105.0, 108.0],
    },
];
/// The links.
const LINKS: [(&str, Link); 2] = [("nvlink", Link::NVLINK), ("pcie3", Link::PCIE3)];
/// The handlers of faults; the first is what the other is compared with.
const HANDLING: [Handling; 2] = [Handling::Cpu, Handling::Gpu];
/// Far faults of an SM, and pages for which its L1 TLB waits, in runs that show what these limits cost.
const FAR_FAULTS: u64 = 32;
/// What is to be known of the kernels.
const KERNELS_ARE: &str = "The kernels are this project's own. Those that allocate do what allocators' benchmarks do, and build a quad-tree; the \
                           others have the access patterns of Parboil's.";
/// Points that a kernel gains or loses at least.
const CHANGES: f64 = 1.0;

/// One kernel over one link.
#[derive(Clone, Serialize, Deserialize)]
pub struct Row {
    figure: String,
    workload: String,
    link: String,
    thread_blocks: usize,
    /// Performance beside handling by the CPU.
    performance_percent: f64,
    /// The handler of the faults, in the order of the other fields' values.
    handling: [String; 2],
    cycles: [u64; 2],
    far_faults: [u64; 2],
    /// Regions that were allocated, and that were moved over the link.
    allocated: [u64; 2],
    migrated: [u64; 2],
    handled_on_gpu: u64,
    /// Time from the record of a region's fault until the region is there, in the mean.
    fault_us: [f64; 2],
    /// The part of that time for which the CPU's handler, or the link, is busy with other regions.
    waited_us: [f64; 2],
    /// Handlers that run on SMs at once, at most.
    handlers_at_once: usize,
    /// The share of all SMs' time in which nothing commits.
    waits_percent: [f64; 2],
    /// The use of the CPU's handler.
    handler_use_percent: [f64; 2],
}

/// Spans that hold at once, at most.
fn at_once(outcome: &Outcome) -> usize {
    let local = outcome.history.arrivals.iter();
    let local: Vec<_> = local.filter_map(|one| one.local.as_ref()).collect();
    let holds = |at: u64| local.iter().filter(|span| span.contains(&at)).count();
    let most = local.iter().map(|span| holds(span.start)).max();
    most.unwrap_or_default()
}

impl Row {
    fn new(
        figure: &'static str,
        work: &Work,
        link: &'static str,
        config: &Config,
        outcomes: &[Outcome; 2],
    ) -> Self {
        let parts = |outcome: &Outcome| outcome.history.arrivals.len().max(1) as u64;
        let mean_us =
            |cycles: u64, outcome: &Outcome| config.microseconds(cycles) / parts(outcome) as f64;
        let fault_us = |outcome: &Outcome| {
            let times = outcome.history.arrivals.iter();
            mean_us(times.map(|one| one.there - one.reported).sum(), outcome)
        };
        let handler: u64 = config.paging.handler.into();
        let handler_use = |outcome: &Outcome| {
            let brought = &outcome.brought;
            let handled = brought.migrated + brought.allocated - brought.local;
            of_run(handled * handler, outcome)
        };
        let [cpu, gpu] = outcomes;
        let each = |of: &dyn Fn(&Outcome) -> u64| [of(cpu), of(gpu)];
        let shares = |of: &dyn Fn(&Outcome) -> f64| [of(cpu), of(gpu)];
        Self {
            figure: figure.to_owned(),
            workload: work.name.clone(),
            link: link.to_owned(),
            thread_blocks: work.blocks(),
            performance_percent: of_run(cpu.cycles, gpu),
            handling: HANDLING.map(|handling| handling.name().to_owned()),
            cycles: each(&|outcome| outcome.cycles),
            far_faults: each(&|outcome| outcome.brought.records),
            allocated: each(&|outcome| outcome.brought.allocated),
            migrated: each(&|outcome| outcome.brought.migrated),
            handled_on_gpu: gpu.brought.local,
            fault_us: shares(&fault_us),
            waited_us: shares(&|outcome| mean_us(outcome.brought.waited, outcome)),
            handlers_at_once: at_once(gpu),
            waits_percent: shares(&|outcome| share(outcome, Activity::Waits)),
            handler_use_percent: shares(&handler_use),
        }
    }

    /// Why it gains or loses, by its counters.
    fn cause(&self) -> String {
        let ([cpu, gpu], [waits, waits_then]) = (self.fault_us, self.waits_percent);
        if self.allocated[0] == 0 {
            return "no region is allocated".to_owned();
        }
        let changes = self.performance_percent - 100.0;
        match (changes.abs() > CHANGES, changes > 0.0, cpu > gpu) {
            (false, ..) => format!("SMs wait for {waits:.0} % of their time"),
            (true, true, true) => "a fault with its queue takes the CPU longer".to_owned(),
            (true, false, false) => "a fault with its queue takes the CPU less".to_owned(),
            (true, ..) => format!("SMs wait for {waits:.0} and {waits_then:.0} % of their time"),
        }
    }
}

/// The same GPU, which waits for more far faults of an SM at once.
fn with_more_far_faults(config: &Config) -> Result<Config> {
    let mut config = config.clone();
    let wide = |error: String| miette!("{FAR_FAULTS} far faults: {error}");
    config.gmmu.far_faults = FAR_FAULTS.try_into().map_err(wide)?;
    config.l1_tlb.misses = FAR_FAULTS.try_into().map_err(wide)?;
    Ok(config)
}

/// Runs the kernels of a figure over both links, with faults that the CPU handles and with faults that warps handle.
fn rows(figure: &Figure, works: &[Work], config: &Config) -> Result<Vec<Row>> {
    let pairs = works
        .iter()
        .flat_map(|work| LINKS.iter().map(move |link| (work, link)));
    let jobs: Vec<_> = pairs
        .clone()
        .flat_map(|(work, link)| HANDLING.map(|handling| (work, link.1, handling)))
        .collect();
    let outcomes = jobs.into_par_iter().map(|(work, link, handling)| {
        let mut config = config.clone();
        config.set_link(link);
        config.paging.copied = true;
        config.paging.handling = handling;
        run(&config, work)
    });
    let outcomes: Vec<Outcome> = outcomes.collect::<Result<_>>()?;
    let of_pairs = outcomes.as_chunks::<2>().0.iter();
    let rows = pairs.zip(of_pairs);
    Ok(rows
        .map(|((work, link), outcomes)| Row::new(figure.name, work, link.0, config, outcomes))
        .collect())
}

/// The headings of the table.
const HEADINGS: [&str; 10] = [
    "Workload",
    "Link",
    "Performance",
    "Blocks",
    "Allocated",
    "Fault us",
    "Queue us",
    "At once",
    "Waits",
    "Cause",
];

fn cells(row: &Row) -> Vec<String> {
    let [cpu, gpu] = row.fault_us;
    let [waits, waits_then] = row.waits_percent;
    vec![
        row.workload.clone(),
        row.link.clone(),
        format!("{:.1}", row.performance_percent),
        grouped(row.thread_blocks as u64),
        grouped(row.allocated[1]),
        format!("{cpu:.1} to {gpu:.1}"),
        format!("{:.1}", row.waited_us[0]),
        row.handlers_at_once.to_string(),
        format!("{waits:.0} to {waits_then:.0}"),
        row.cause(),
    ]
}

/// What the columns are.
const ABOUT: &str = "Performance is the cycles with faults that the CPU handles over those with faults that the warps handle, in percent. \
                     Allocated are regions of 64 KB. A fault lasts from the record of a region until the region is there, with the CPU and \
                     with the GPU; its queue is the part for which the CPU's handler is busy with others. Handlers run on the SMs at once \
                     up to a number. Waits is the share of all SMs' time in which nothing commits, with the CPU and with the GPU.";

/// What `--json` gives.
#[derive(Serialize)]
struct Results<'run> {
    rows: &'run [Row],
    geometric_means: Vec<Mean>,
}

impl<'run> Results<'run> {
    fn new(rows: &'run [Row], is_whole: bool) -> Self {
        Self {
            rows,
            geometric_means: means(rows, is_whole),
        }
    }
}

fn means_text(rows: &[Row], is_whole: bool) -> String {
    let means: Vec<String> = means(rows, is_whole).iter().map(Mean::text).collect();
    format!("Geometric means: {}.", means.join("; "))
}

/// The rows as a table for a terminal.
fn text(rows: &[Row], is_whole: bool, about: &str) -> String {
    let headings = HEADINGS.map(str::to_owned);
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let table = output::tables(2, &headings, &cells, output::width());
    format!("{table}\n{ABOUT}\n{}\n{about}", means_text(rows, is_whole))
}

/// The rows of one figure as bars, with their means.
///
/// # Errors
/// If they cannot be drawn, with a sentence that says why.
fn svg(rows: &[Row], is_whole: bool) -> Result<String, String> {
    let links = LINKS.map(|(link, _)| link.to_owned());
    let mut groups: Vec<(String, Vec<f64>)> = rows
        .chunks(LINKS.len())
        .map(|of_work| {
            let values = of_work.iter().map(|row| row.performance_percent);
            (of_work[0].workload.clone(), values.collect())
        })
        .collect();
    let means = means(rows, is_whole);
    let papers: Vec<Option<f64>> = means.iter().map(|mean| mean.paper_percent).collect();
    let of_means = means.iter().map(|mean| mean.performance_percent).collect();
    groups.push(("geometric mean".to_owned(), of_means));
    let note = match is_whole {
        true => "Thick lines over the means: the paper's, of its kernels.",
        false => "",
    };
    let title = "performance, handled by the CPU 100";
    plot::bars(title, 100.0, &links, &papers, &groups, note)
}

/// What is to be known of what runs.
fn about(request: &Request) -> String {
    match request.code {
        Code::Written => KERNELS_ARE.to_owned(),
        Code::Compiled => format!("{} {}", compiled::PROGRAMS, compiled::ALLOCATING_ARE),
    }
}

/// The figures that are asked for.
fn asked(request: &Request) -> impl Iterator<Item = &'static Figure> {
    FIGURES.iter().filter(|figure| request.has(figure.name))
}

/// The family.
pub struct HandledByWarps;

/// What the runs of a kernel have counted; for the page also with more far faults.
#[derive(Serialize, Deserialize)]
pub struct Rows {
    rows: Vec<Row>,
    wide: Vec<Row>,
}

impl HandledByWarps {
    fn is_whole(&self, request: &Request) -> bool {
        request.is_the_papers(self.sms())
    }
}

/// The rows of all kernels in the order of the figures.
fn in_order(rows: &[Rows], of: impl Fn(&Rows) -> &[Row]) -> Vec<Row> {
    let mut all: Vec<Row> = rows.iter().flat_map(|rows| of(rows).to_vec()).collect();
    let place = |row: &Row| FIGURES.iter().position(|figure| figure.name == row.figure);
    all.sort_by_key(place);
    all
}

impl Family for HandledByWarps {
    type Rows = Rows;

    fn figures(&self) -> &'static [&'static str] {
        &[FIGURES[0].name, FIGURES[1].name]
    }

    fn about(&self) -> &'static str {
        "Tanasic et al., MICRO-50: what it gains that the warps that fault handle their faults"
    }

    fn takes(&self) -> &'static [Taken] {
        &["--code", "--kernels", "--scale", "--sms", "--queue"]
    }

    fn kernels(&self, request: &Request) -> Vec<&'static str> {
        let kernels = asked(request).flat_map(|figure| figure.kernels);
        kernels.map(|(name, _)| *name).collect()
    }

    fn run(&self, request: &Request, kernel: &str) -> Result<Rows> {
        let config = runs::config(request.queue, request.sms)?;
        let own = request.of_kernel(kernel);
        let run = |config: &Config| -> Result<Vec<Row>> {
            let mut all = Vec::new();
            for figure in asked(request) {
                let works = own.works(figure.kernels, figure.programs)?;
                all.extend(rows(figure, &works, config)?);
            }
            Ok(all)
        };
        Ok(Rows {
            rows: run(&config)?,
            wide: match request.has_page {
                true => run(&with_more_far_faults(&config)?)?,
                false => Vec::new(),
            },
        })
    }

    fn json(&self, request: &Request, rows: &[Rows]) -> Result<Value> {
        let rows = in_order(rows, |rows| &rows.rows);
        let results = Results::new(&rows, self.is_whole(request));
        Value::of(&results).map_err(|error| miette!("{error}"))
    }

    fn text(&self, request: &Request, rows: &[Rows]) -> String {
        let rows = in_order(rows, |rows| &rows.rows);
        text(&rows, self.is_whole(request), &about(request))
    }

    fn page(&self, request: &Request, rows: &[Rows]) -> Result<String> {
        let config = runs::config(request.queue, request.sms)?;
        Ok(report::markdown(
            &in_order(rows, |rows| &rows.rows),
            &in_order(rows, |rows| &rows.wide),
            &config,
            &request.command,
            self.is_whole(request),
            &about(request),
        ))
    }

    fn pictures(&self, request: &Request, rows: &[Rows]) -> Result<Vec<Picture>> {
        let rows = in_order(rows, |rows| &rows.rows);
        let picture = |figure: &'static Figure| {
            let own = rows.iter().filter(|row| row.figure == figure.name);
            let own: Vec<Row> = own.cloned().collect();
            let svg = svg(&own, self.is_whole(request)).map_err(|error| miette!("{error}"))?;
            Ok((figure.name, svg))
        };
        asked(request).map(picture).collect()
    }
}

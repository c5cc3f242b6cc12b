//! The figures of Zheng et al., HPCA 2016: what it costs that pages come when a kernel accesses them, beside copies that are made
//! before it; with them what prefetchers, room, the driver's policies and pinned memory are worth.

mod causes;
mod definitions;
mod report;

use faultline_sim::machines::gpu::{Activity, Outcome};
use faultline_sim::machines::sm::Work;
use faultline_sim::programs::{PARBOIL, Program, RODINIA};
use faultline_sim::ptx::lower::Options;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::definitions::{Column, FIGURES, Figure, config};
use self::report::{markdown, of, svg, text};
use super::compiled;
use super::family::{Family, Picture, Request, Taken};
use super::runs::{of_run, run, share};
use crate::experiments::ordered::Value;

/// Parts of a run in which the use of the link is shown.
const TENTHS: usize = 10;

/// One program in a column.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Cell {
    column: String,
    cycles: u64,
    /// The cycles beside those of copies that are made before.
    slowdown: f64,
    far_faults: u64,
    nacks: u64,
    /// Parts that came over the link or were allocated, and those of them that came again after they had left.
    came: u64,
    came_again: u64,
    /// Lines of pinned memory that came and went over the link.
    lines: u64,
    link_use_percent: f64,
    /// The same in each tenth of the run.
    link_use_tenths: Vec<f64>,
    /// The share of all SMs' time in which nothing commits.
    waits_percent: f64,
}

/// One program of a figure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    figure: String,
    workload: String,
    /// Pages that the CPU owns and the program accesses.
    copied_pages: u64,
    /// Cycles with all pages in the GPU's memory, and those for which the link is in use if the pages are copied before.
    resident_cycles: u64,
    copy_cycles: u64,
    columns: Vec<Cell>,
}

impl Row {
    fn new(figure: &Figure, work: &Work, resident: &Outcome, absent: &[&Outcome]) -> Self {
        // The first column brings what is accessed and nothing else.
        let first = absent.first();
        let copied_pages = first.map_or(0, |outcome| outcome.brought.migrated);
        let copy_cycles = first.map_or(0, |outcome| outcome.brought.link);
        let before = resident.cycles + copy_cycles;
        let cell = |(column, outcome): (&Column, &&Outcome)| Cell {
            column: column.label.to_owned(),
            cycles: outcome.cycles,
            slowdown: outcome.cycles as f64 / before.max(1) as f64,
            far_faults: outcome.brought.records,
            nacks: outcome.translations.nacks,
            came: outcome.brought.migrated + outcome.brought.allocated,
            came_again: outcome.brought.again,
            lines: outcome.brought.lines.read + outcome.brought.lines.written,
            link_use_percent: of_run(outcome.brought.link, outcome),
            link_use_tenths: outcome.history.link_use(TENTHS, outcome.cycles),
            waits_percent: share(outcome, Activity::Waits),
        };
        Self {
            figure: figure.name.to_owned(),
            workload: work.name.clone(),
            copied_pages,
            resident_cycles: resident.cycles,
            copy_cycles,
            columns: figure.columns.iter().zip(absent).map(cell).collect(),
        }
    }
}

/// Runs a program in every column of some figures. A configuration that several figures have runs once.
fn rows(figures: &[&'static Figure], work: &Work) -> Result<Vec<Row>> {
    let resident = config(&[])?;
    let mut configs = vec![resident];
    let mut places = Vec::new();
    for figure in figures {
        let mut of_figure = Vec::new();
        for config in figure.configs()? {
            let known = configs.iter().position(|known| *known == config);
            of_figure.push(known.unwrap_or(configs.len()));
            if known.is_none() {
                configs.push(config);
            }
        }
        places.push(of_figure);
    }
    let outcomes = configs.par_iter().map(|config| run(config, work));
    let outcomes: Vec<Outcome> = outcomes.collect::<Result<_>>()?;
    let row = |(figure, places): (&&'static Figure, &Vec<usize>)| {
        let absent: Vec<&Outcome> = places.iter().map(|&place| &outcomes[place]).collect();
        Row::new(figure, work, &outcomes[0], &absent)
    };
    Ok(figures.iter().zip(&places).map(row).collect())
}

/// The programs after Parboil's and Rodinia's.
fn programs() -> Vec<Program> {
    PARBOIL.into_iter().chain(RODINIA).collect()
}

/// The family.
pub struct Paging;

/// The figures that are asked for.
fn asked(request: &Request) -> Vec<&'static Figure> {
    let is_asked = |figure: &&Figure| request.has(figure.name);
    FIGURES.iter().filter(is_asked).collect()
}

/// The rows of all programs, figure by figure.
fn by_figure(request: &Request, rows: &[Vec<Row>]) -> Vec<Row> {
    let all = rows.concat();
    let figures = asked(request);
    let own = figures.iter().flat_map(|figure| of(figure, &all));
    own.cloned().collect()
}

impl Family for Paging {
    type Rows = Vec<Row>;

    fn figures(&self) -> &'static [&'static str] {
        &[
            FIGURES[0].name,
            FIGURES[1].name,
            FIGURES[2].name,
            FIGURES[3].name,
            FIGURES[4].name,
            FIGURES[5].name,
        ]
    }

    fn about(&self) -> &'static str {
        "Zheng et al., HPCA 2016: what it costs that pages come when they are accessed, and what prefetchers gain"
    }

    fn takes(&self) -> &'static [Taken] {
        &["--kernels", "--scale"]
    }

    fn sms(&self) -> u32 {
        15
    }

    fn small(&self) -> (&'static [&'static str], u32) {
        (&["nn", "sad", "stencil", "sgemm", "srad", "pathfinder"], 1)
    }

    fn kernels(&self, request: &Request) -> Vec<&'static str> {
        let all = programs().into_iter().map(|program| program.name);
        let runs = |kernel: &&str| {
            let has = |figure: &&Figure| figure.only.is_empty() || figure.only.contains(kernel);
            asked(request).iter().any(has)
        };
        all.filter(runs).collect()
    }

    fn run(&self, request: &Request, kernel: &str) -> Result<Vec<Row>> {
        let own = [kernel.to_owned()];
        let works = compiled::works(&programs(), &own, request.scale, Options::default())?;
        let mut figures = asked(request);
        figures.retain(|figure| figure.only.is_empty() || figure.only.contains(&kernel));
        let all = works.iter().map(|work| rows(&figures, work));
        Ok(all.collect::<Result<Vec<_>>>()?.concat())
    }

    fn json(&self, request: &Request, rows: &[Vec<Row>]) -> Result<Value> {
        Value::of(&by_figure(request, rows)).map_err(|error| miette!("{error}"))
    }

    fn text(&self, request: &Request, rows: &[Vec<Row>]) -> String {
        text(&asked(request), &rows.concat())
    }

    fn page(&self, request: &Request, rows: &[Vec<Row>]) -> Result<String> {
        markdown(&asked(request), &rows.concat(), &request.command)
    }

    fn pictures(&self, request: &Request, rows: &[Vec<Row>]) -> Result<Vec<Picture>> {
        let rows = rows.concat();
        let picture = |figure: &&'static Figure| {
            let svg = svg(figure, &rows).map_err(|error| miette!("{error}"))?;
            Ok((figure.name, svg))
        };
        asked(request).iter().map(picture).collect()
    }
}

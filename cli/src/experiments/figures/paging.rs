//! The figures of Zheng et al., HPCA 2016: what it costs that pages come when a kernel accesses them, beside copies that are made
//! before it.

use std::collections::BTreeMap;

use faultline_sim::machines::gpu::{Activity, Config, Outcome};
use faultline_sim::machines::sm::Work;
use faultline_sim::programs::{PARBOIL, Program, RODINIA};
use faultline_sim::ptx::lower::Options;
use faultline_synth::table::Grid;
use miette::{Result, miette};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::sm::plot;
use super::compiled;
use super::family::{Family, Picture, Request, Taken};
use super::runs::{geometric_mean, of_run, run, share};
use crate::experiments::ordered::Value;
use crate::output::{self, grouped};

/// The GPU of the paper.
const PRESET: &str = "zheng";
/// The figure whose runs show the use of the link.
const OF_LINK: &str = "zheng-5";
/// Parts of a run in which the use of the link is shown.
const TENTHS: usize = 10;

/// A value of a configuration: its table, its key, and what stands there.
type Setting = (&'static str, &'static str, &'static str);

/// A figure.
#[derive(Debug)]
struct Figure {
    /// Its name.
    name: &'static str,
    title: &'static str,
    /// What all of its runs have in common.
    common: &'static [Setting],
    columns: &'static [Column],
    /// The programs that run; all of them if there is none.
    only: &'static [&'static str],
    /// What the paper says besides the means of columns.
    claim: &'static str,
}

/// What is compared: its name, what the configuration says of it, and the paper's mean.
#[derive(Debug)]
struct Column {
    label: &'static str,
    settings: &'static [Setting],
    paper: Option<f64>,
}

const fn column(label: &'static str, settings: &'static [Setting], paper: Option<f64>) -> Column {
    Column {
        label,
        settings,
        paper,
    }
}

/// A column in which a far fault takes so many cycles, of 1.4 GHz.
macro_rules! service {
    ($label:literal, $cycles:literal, $paper:expr) => {
        column(
            $label,
            &[
                ("paging", "migration", $cycles),
                ("paging", "allocation", $cycles),
            ],
            $paper,
        )
    };
}

/// A column with so much room, in percent, where this leaves if there is none.
macro_rules! room {
    ($label:literal, $percent:literal, $eviction:literal) => {
        column(
            $label,
            &[
                ("paging", "capacity_percent", $percent),
                ("paging", "eviction", $eviction),
            ],
            None,
        )
    };
}

/// All figures.
const FIGURES: [Figure; 5] = [
    Figure {
        name: "zheng-3",
        title: "Figure 3: the time of a far fault, where an SM translates nothing meanwhile",
        common: &[("l1_tlb", "blocking", "true"), ("gmmu", "far_faults", "1")],
        columns: &[
            service!("5 us", "7000", Some(2.0)),
            service!("10 us", "14000", None),
            service!("20 us", "28000", Some(6.0)),
            service!("30 us", "42000", None),
            service!("40 us", "56000", None),
            service!("50 us", "70000", None),
        ],
        only: &[],
        claim: "up to 15 at 20 us (section 2.1)",
    },
    Figure {
        name: "zheng-5",
        title: "Figure 5: far faults that the GMMU holds for an SM",
        common: &[],
        columns: &[
            column("1", &[("gmmu", "far_faults", "1")], Some(3.6)),
            column("2", &[("gmmu", "far_faults", "2")], None),
            column("4", &[("gmmu", "far_faults", "4")], Some(2.0)),
            column("8", &[("gmmu", "far_faults", "8")], None),
            column("16", &[("gmmu", "far_faults", "16")], None),
            column("32", &[("gmmu", "far_faults", "32")], None),
        ],
        only: &[],
        claim: "4 are enough, nothing is gained beyond 16, nw and sgemm gain little (section 3.2)",
    },
    Figure {
        name: "zheng-prefetch",
        title: "Prefetching",
        common: &[],
        columns: &[
            column("none", &[("paging", "prefetch", "\"none\"")], Some(2.0)),
            column(
                "sequential",
                &[("paging", "prefetch", "\"sequential\"")],
                None,
            ),
            column("random", &[("paging", "prefetch", "\"random\"")], None),
            column("locality", &[("paging", "prefetch", "\"locality\"")], None),
            column("tree", &[("paging", "prefetch", "\"tree\"")], Some(0.89)),
            column("oracle", &[("paging", "prefetch", "\"oracle\"")], None),
        ],
        only: &[],
        claim: "the best is within 3 % of the oracle, and 12 % faster than copies that are made before (abstract)",
    },
    Figure {
        name: "capacity",
        title: "Capacity: room for a share of the parts of 64 KB that are accessed, and what leaves",
        common: &[("paging", "granularity", "\"64k\"")],
        columns: &[
            room!("125", "\"unlimited\"", "\"lru\""),
            room!("100", "100", "\"lru\""),
            room!("90", "90", "\"lru\""),
            room!("75", "75", "\"lru\""),
            room!("50", "50", "\"lru\""),
            room!("75 random", "75", "\"random\""),
            room!("50 random", "50", "\"random\""),
            room!("75 tree", "75", "\"tree\""),
            room!("50 tree", "50", "\"tree\""),
        ],
        only: &[
            "stencil",
            "lbm",
            "hotspot",
            "srad",
            "backprop",
            "kmeans",
            "pathfinder",
            "sgemm",
        ],
        claim: "nothing: it has room for everything",
    },
    Figure {
        name: "replays",
        title: "Replays: when the driver has the GPU try again",
        common: &[("gmmu", "far_faults", "32")],
        columns: &[
            column("page", &[("paging", "replay", "\"page\"")], None),
            column("block", &[("paging", "replay", "\"block\"")], None),
            column("batch", &[("paging", "replay", "\"batch\"")], None),
            column(
                "batch-flush",
                &[("paging", "replay", "\"batch-flush\"")],
                None,
            ),
            column("once", &[("paging", "replay", "\"once\"")], None),
        ],
        only: &[],
        claim: "nothing: page is its hardware, and the others are the policies of NVIDIA's driver, of which batch-flush is the default",
    },
];

/// The paper's GPU with other values.
fn config<'all>(settings: impl IntoIterator<Item = &'all Setting>) -> Result<Config> {
    let mut tables: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for (table, key, value) in settings {
        tables.entry(table).or_default().insert(key, value);
    }
    let mut text = String::new();
    for (table, keys) in tables {
        text.push_str(&format!("[{table}]\n"));
        keys.iter()
            .for_each(|(key, value)| text.push_str(&format!("{key} = {value}\n")));
    }
    Config::read_over(&text, "figure", PRESET).map_err(|error| miette!("{error}"))
}

/// All pages are absent at first.
const ABSENT: Setting = ("paging", "absent", "true");

impl Figure {
    /// The configurations of its columns.
    fn configs(&self) -> Result<Vec<Config>> {
        let of = |column: &Column| {
            let settings = [ABSENT].iter().chain(self.common);
            config(settings.chain(column.settings))
        };
        self.columns.iter().map(of).collect()
    }
}

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

/// The rows of a figure.
fn of<'rows>(figure: &Figure, rows: &'rows [Row]) -> impl Iterator<Item = &'rows Row> + Clone {
    let name = figure.name;
    rows.iter().filter(move |row| row.figure == name)
}

/// The geometric mean of each column.
fn means(figure: &Figure, rows: &[Row]) -> Vec<f64> {
    let mean = |place: usize| {
        let slowdowns = of(figure, rows).map(|row| row.columns[place].slowdown);
        geometric_mean(slowdowns)
    };
    (0..figure.columns.len()).map(mean).collect()
}

/// The table of a figure.
fn table(figure: &Figure, rows: &[Row]) -> (Vec<String>, Vec<Vec<String>>) {
    let mut headings = vec![
        "Program".to_owned(),
        "Pages".to_owned(),
        "Copies".to_owned(),
    ];
    headings.extend(figure.columns.iter().map(|column| column.label.to_owned()));
    headings.extend([
        "Link use".to_owned(),
        "Waits".to_owned(),
        "Nacks".to_owned(),
    ]);
    let leaves = of(figure, rows).any(|row| row.columns.iter().any(|cell| cell.came_again > 0));
    if leaves {
        let again = figure
            .columns
            .iter()
            .map(|column| format!("Again {}", column.label));
        headings.extend(again.skip(1));
    }
    let cells = |row: &Row| {
        let before = row.resident_cycles + row.copy_cycles;
        let copies = 100.0 * row.copy_cycles as f64 / before.max(1) as f64;
        let mut cells = vec![
            row.workload.clone(),
            grouped(row.copied_pages),
            format!("{copies:.0}"),
        ];
        let slowdowns = row
            .columns
            .iter()
            .map(|cell| format!("{:.2}", cell.slowdown));
        cells.extend(slowdowns);
        let ends = |of: &dyn Fn(&Cell) -> String| {
            let (first, last) = (row.columns.first(), row.columns.last());
            let [first, last] = [first, last].map(|cell| cell.map_or_else(String::new, of));
            format!("{first} to {last}")
        };
        cells.push(ends(&|cell| format!("{:.0}", cell.link_use_percent)));
        cells.push(ends(&|cell| format!("{:.0}", cell.waits_percent)));
        cells.push(ends(&|cell| grouped(cell.nacks)));
        if leaves {
            let again = row.columns.iter().skip(1);
            let again = again.map(|cell| 100.0 * cell.came_again as f64 / cell.came.max(1) as f64);
            cells.extend(again.map(|percent| format!("{percent:.0}")));
        }
        cells
    };
    let mut all: Vec<Vec<String>> = of(figure, rows).map(cells).collect();
    let mut line = |name: &str, values: Vec<String>| {
        let mut cells = vec![name.to_owned(), String::new(), String::new()];
        cells.extend(values);
        cells.resize(headings.len(), String::new());
        all.push(cells);
    };
    let shown = |mean: f64| format!("{mean:.2}");
    line(
        "geometric mean",
        means(figure, rows).into_iter().map(shown).collect(),
    );
    let papers = figure.columns.iter().map(|column| column.paper);
    line(
        "paper",
        papers
            .map(|paper| paper.map_or_else(String::new, shown))
            .collect(),
    );
    (headings, all)
}

/// What the numbers are of.
const ABOUT: &str = "Each number is the time with pages that are absent at first over that with copies that are made before: the time for \
                     which the link moves the pages that the program accesses and the CPU owns, and then the run with all pages in the \
                     GPU's memory. Copies is the share of the first of the two in percent. Use of the link and the SMs' time in which \
                     nothing commits, in percent, and Nacks are of the first and of the last column. Again is the share of what came that had left \
                     before, in percent.";

/// The figures as tables for a terminal.
fn text(figures: &[&Figure], rows: &[Row]) -> String {
    let mut text = String::new();
    for figure in figures {
        let (headings, cells) = table(figure, rows);
        let table = output::tables(1, &headings, &cells, output::width());
        text.push_str(&format!(
            "{}\n{table}\nThe paper: {}.\n\n",
            figure.title, figure.claim
        ));
    }
    text.push_str(ABOUT);
    text
}

/// A figure as a picture: its columns' means, and those of the programs.
fn svg(figure: &Figure, rows: &[Row]) -> Result<String, String> {
    let series: Vec<String> = figure
        .columns
        .iter()
        .map(|column| column.label.to_owned())
        .collect();
    let group = |row: &Row| {
        let values = row.columns.iter().map(|cell| cell.slowdown);
        (row.workload.clone(), values.collect())
    };
    let mut groups: Vec<(String, Vec<f64>)> = of(figure, rows).map(group).collect();
    groups.push(("geometric mean".to_owned(), means(figure, rows)));
    let papers: Vec<Option<f64>> = figure.columns.iter().map(|column| column.paper).collect();
    let title = "time beside copies that are made before";
    let note = "Thick lines over the means: the paper's, of its programs.";
    plot::bars(title, 1.0, &series, &papers, &groups, note)
}

/// The use of the link in each tenth of a run, in percent.
fn link_use(figure: &Figure, place: usize, rows: &[Row]) -> Grid {
    let mut headings = vec!["Program".to_owned()];
    headings.extend((1..=TENTHS).map(|tenth| tenth.to_string()));
    headings.push("Mean".to_owned());
    let percent = |share: &f64| format!("{:.0}", 100.0 * share);
    let cells = |row: &Row| {
        let cell = &row.columns[place];
        let mut cells = vec![row.workload.clone()];
        cells.extend(cell.link_use_tenths.iter().map(percent));
        cells.push(format!("{:.0}", cell.link_use_percent));
        cells
    };
    let mut all: Vec<Vec<String>> = of(figure, rows).map(cells).collect();
    let count = of(figure, rows).count().max(1) as f64;
    let mean = |of_cell: &dyn Fn(&Cell) -> f64| {
        let sum: f64 = of(figure, rows)
            .map(|row| of_cell(&row.columns[place]))
            .sum();
        sum / count
    };
    let mut last = vec!["mean".to_owned()];
    let tenths = (0..TENTHS).map(|tenth| percent(&mean(&|cell| cell.link_use_tenths[tenth])));
    last.extend(tenths);
    last.push(format!("{:.0}", mean(&|cell| cell.link_use_percent)));
    all.push(last);
    Grid {
        title: String::new(),
        headings,
        rows: all,
    }
}

/// What the figures rest on and the paper does not say.
const ASSUMPTIONS: [&str; 5] = [
    "The driver handles the pending far faults side by side, as the paper has it drain them (section 3.1), so none waits for \
     another in the handler. A page of 4 KB takes 373 cycles of the link.",
    "Pages that nobody owns take the same time and nothing of the link. The paper has all pages in the CPU's memory.",
    "The link moves 11 B a cycle, 15.4 GB/s. Copies that are made before move at this rate, and those pages alone that the range of \
     thread blocks accesses.",
    "A program runs its last launch alone.",
    "The programs are CUDA of this project after Parboil's and Rodinia's, at their problem sizes and a range of their thread \
     blocks; they are not the paper's.",
];

/// The figures as a page.
fn markdown(figures: &[&Figure], rows: &[Row], command: &str) -> String {
    let mut page = format!(
        "# Zheng et al., HPCA 2016: {}\n\nGenerated by `{command}` with the reference model of Faultline {}.\n\nPrograms run on the paper's \
         GPU of 15 SMs. Registers and memory at the end are those of a run without a GPU. {ABOUT}\n\n",
        figures
            .iter()
            .map(|figure| figure.name)
            .collect::<Vec<_>>()
            .join(", "),
        env!("CARGO_PKG_VERSION"),
    );
    for figure in figures {
        let (headings, cells) = table(figure, rows);
        let grid = Grid {
            title: format!("## {}", figure.title),
            headings,
            rows: cells,
        };
        page.push_str(&format!(
            "{}\nThe paper: {}.\n\n",
            grid.markdown(),
            figure.claim
        ));
        if figure.name == OF_LINK {
            let place = figure
                .columns
                .iter()
                .position(|column| column.label == "4")
                .unwrap_or(0);
            let grid = Grid {
                title: "## Figure 6: use of the link in each tenth of a run, in percent, with 4 far faults of an SM".to_owned(),
                ..link_use(figure, place, rows)
            };
            page.push_str(&format!(
                "{}\nThe paper: 25 in the mean.\n\n",
                grid.markdown()
            ));
        }
    }
    let assumptions = ASSUMPTIONS.map(|one| format!("- {one}\n")).concat();
    page.push_str(&format!("## What they rest on\n\n{assumptions}"));
    page
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
        Ok(markdown(&asked(request), &rows.concat(), &request.command))
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

//! The figures as tables, as a page and as pictures.

use faultline_synth::table::Grid;

use super::super::super::sm::plot;
use super::super::causes::{self, Cause, mean, ratio};
use super::super::family::{Picture, Request};
use super::super::runs::geometric_mean;
use super::causes as own;
use super::{ACCESSES, ALL, Cell, DESIGNS, Row};
use crate::output;

/// What each number of a design is of, the paper's mean, and why it is another one.
type Measure = (
    &'static str,
    &'static str,
    fn(&Row, &Cell) -> f64,
    fn(&[Row]) -> Vec<Cause>,
);

/// Each a table of designs by programs.
const MEASURES: [Measure; 6] = [
    (
        "Figures 6 and 11: performance, % of an ideal MMU",
        "design 1 30, design 3 within 2 % of ideal, shared L2 without a cache over 2x slower, bfs and nw below design 1 in design 2, \
         an ideal page-walk cache 1 % faster",
        |_, cell| cell.of_ideal_percent,
        own::of_performance,
    ),
    (
        "Figure 7: pages that an L1 TLB waits for when it requests a walk, in the mean",
        "60 in design 1, 140 in the worst program, and over 1,000 at most; an L1 TLB waits for 128 at most here",
        |_, cell| cell.waiting,
        own::of_waiting,
    ),
    (
        "Section 4.2: walks that are requested within 500 cycles of the last one, %",
        "over 90",
        |_, cell| cell.soon_percent,
        own::of_soon,
    ),
    (
        "Figure 8: lines whose page the L1 TLB does not have, %",
        "29 with 128 entries, 67 on nw, and 27 in the shared designs",
        |_, cell| 100.0 * ratio(cell.missed, cell.lines),
        own::of_misses,
    ),
    (
        "Section 4.3: walks of an SM in 1,000 cycles",
        "1.4, and 13 at most; 39 accesses and 29 % would give 11, as averages of ratios do not multiply",
        own::rate,
        own::of_rate,
    ),
    (
        "Section 4.3: cycles from a request at the GMMU until its translation",
        "the page-walk cache of design 3 cuts those of design 2 by over 95 %",
        |_, cell| cell.walk_latency,
        own::of_latency,
    ),
];

/// What the numbers rest on.
const ABOUT: &str = "Programs run with all pages in the GPU's memory. The ideal MMU knows where each page lies. A line that waits \
                     for a walk under way counts as a miss. Lines, lanes and instructions are of global memory under the ideal MMU; the \
                     instructions are the lines that perfect coalescing would leave. The programs are CUDA of this project after \
                     Rodinia's and Parboil's, compiled, with a range of their thread blocks; they are not the paper's.";

/// Performance has a geometric mean.
fn mean_of(place: usize, values: impl Iterator<Item = f64>) -> f64 {
    if place == 0 {
        geometric_mean(values)
    } else {
        mean(values)
    }
}

fn accesses(rows: &[Row]) -> Grid {
    let columns: [fn(&Row) -> f64; 3] = [
        |row| row.lanes_per_1000,
        |row| row.lines_per_1000,
        |row| row.instructions_per_1000,
    ];
    let line = |name: &str, values: [f64; 3]| {
        let mut cells = vec![name.to_owned()];
        cells.extend(values.map(|value| format!("{value:.1}")));
        cells
    };
    let mut cells: Vec<_> = rows
        .iter()
        .map(|row| line(&row.workload, columns.map(|of| of(row))))
        .collect();
    cells.push(line("mean", columns.map(|of| mean(rows.iter().map(of)))));
    cells.push(line("paper", own::ACCESSED));
    Grid {
        title: "Figure 4: global accesses of an SM in 1,000 cycles".to_owned(),
        headings: ["Program", "lanes", "lines", "instructions"]
            .map(str::to_owned)
            .to_vec(),
        rows: cells,
    }
}

/// The table of a measure, without the ideal MMU.
fn of_designs(place: usize, rows: &[Row]) -> Grid {
    let (title, _, of, _) = MEASURES[place];
    let count = ALL.len() - 1;
    let mut headings = vec!["Program".to_owned()];
    headings.extend(ALL[..count].iter().map(|design| design.label.to_owned()));
    let line = |name: &str, value: &dyn Fn(usize) -> f64| {
        let mut cells = vec![name.to_owned()];
        cells.extend((0..count).map(|design| format!("{:.1}", value(design))));
        cells
    };
    let mut cells: Vec<_> = rows
        .iter()
        .map(|row| line(&row.workload, &|design| of(row, &row.designs[design])))
        .collect();
    let name = if place == 0 { "geometric mean" } else { "mean" };
    cells.push(line(name, &|design| {
        mean_of(place, rows.iter().map(|row| of(row, &row.designs[design])))
    }));
    Grid {
        title: title.to_owned(),
        headings,
        rows: cells,
    }
}

/// The tables that are asked for, each with what the paper says, and why it says something else.
fn grids(request: &Request, rows: &[Row]) -> Vec<(Grid, &'static str, Vec<Cause>)> {
    let mut all = Vec::new();
    if request.has(ACCESSES) {
        let claim = "268 lanes, 39 lines after coalescing, 9 with perfect coalescing";
        all.push((accesses(rows), claim, own::of_accesses(rows)));
    }
    if request.has(DESIGNS) {
        let measure = |(place, measure): (usize, &Measure)| {
            (of_designs(place, rows), measure.1, measure.3(rows))
        };
        all.extend(MEASURES.iter().enumerate().map(measure));
    }
    all
}

/// The figures for a terminal.
pub fn text(request: &Request, rows: &[Row]) -> String {
    let mut text = String::new();
    for (grid, claim, why) in grids(request, rows) {
        let table = output::tables(1, &grid.headings, &grid.rows, output::width());
        let why = causes::text(&why);
        text.push_str(&format!(
            "{}\n{table}\nThe paper: {claim}.{why}\n\n",
            grid.title
        ));
    }
    text + ABOUT
}

/// The figures as a page.
pub fn markdown(request: &Request, rows: &[Row]) -> String {
    let mut page = format!(
        "# Power et al., HPCA 2014: {}\n\nGenerated by `{}` with the reference model of Faultline {}.\n\n{ABOUT}\n\n",
        request.figures.join(", "),
        request.command,
        env!("CARGO_PKG_VERSION"),
    );
    for (mut grid, claim, why) in grids(request, rows) {
        grid.title = format!("## {}", grid.title);
        let why = causes::markdown(&why);
        page.push_str(&format!(
            "{}\nThe paper: {claim}.\n\n{why}",
            grid.markdown()
        ));
    }
    page.truncate(page.trim_end().len());
    page + "\n"
}

/// The figures as pictures.
pub fn pictures(request: &Request, rows: &[Row]) -> Result<Vec<Picture>, String> {
    let mut all = Vec::new();
    if request.has(ACCESSES) {
        let series = ["lanes", "lines"].map(str::to_owned);
        let group = |row: &Row| {
            let values = vec![row.lanes_per_1000, row.lines_per_1000];
            (row.workload.clone(), values)
        };
        let mut groups: Vec<_> = rows.iter().map(group).collect();
        let means = [0, 1].map(|place: usize| mean(groups.iter().map(|group| group.1[place])));
        groups.push(("mean".to_owned(), means.to_vec()));
        let papers = [Some(268.0), Some(39.0)];
        let title = "global accesses of an SM in 1,000 cycles";
        let note = "Thick lines over the means: the paper's, of its programs.";
        let svg = plot::bars(title, 0.0, &series, &papers, &groups, note)?;
        all.push((ACCESSES, svg));
    }
    if request.has(DESIGNS) {
        let designs = &ALL[..ALL.len() - 1];
        let series: Vec<_> = designs
            .iter()
            .map(|design| design.label.to_owned())
            .collect();
        let papers: Vec<_> = designs.iter().map(|design| design.paper).collect();
        let group = |row: &Row| {
            let cells = row.designs[..designs.len()].iter();
            let values = cells.map(|cell| cell.of_ideal_percent).collect();
            (row.workload.clone(), values)
        };
        let mut groups: Vec<(String, Vec<f64>)> = rows.iter().map(group).collect();
        let of = |place: usize| geometric_mean(groups.iter().map(|group| group.1[place]));
        let means = (0..designs.len()).map(of).collect();
        groups.push(("geometric mean".to_owned(), means));
        let title = "performance, % of an ideal MMU";
        let note = "Thick lines over the means: the paper's, of its programs.";
        let svg = plot::bars(title, 0.0, &series, &papers, &groups, note)?;
        all.push((DESIGNS, svg));
    }
    Ok(all)
}

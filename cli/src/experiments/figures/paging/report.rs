//! The figures of paging as tables, pictures and a page.

use faultline_synth::table::Grid;
use miette::Result;

use super::super::super::sm::plot;
use super::super::causes;
use super::super::runs::geometric_mean;
use super::causes::{of_figure, of_link};
use super::definitions::{Figure, OF_LINK};
use super::{Cell, Row, TENTHS};
use crate::output::{self, grouped};

/// The rows of a figure.
pub fn of<'rows>(figure: &Figure, rows: &'rows [Row]) -> impl Iterator<Item = &'rows Row> + Clone {
    let name = figure.name;
    rows.iter().filter(move |row| row.figure == name)
}

/// The geometric mean of each column.
pub fn means(figure: &Figure, rows: &[Row]) -> Vec<f64> {
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
    let has_lines = of(figure, rows).any(|row| row.columns.iter().any(|cell| cell.lines > 0));
    headings.extend(has_lines.then(|| "Lines".to_owned()));
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
        cells.extend(has_lines.then(|| ends(&|cell| grouped(cell.lines))));
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

/// The sentence on lines, if there are any.
fn of_lines(rows: &[Row]) -> &'static str {
    let mut cells = rows.iter().flat_map(|row| &row.columns);
    if cells.any(|cell| cell.lines > 0) {
        OF_LINES
    } else {
        ""
    }
}

/// What lines are.
const OF_LINES: &str =
    " Lines are those of pinned memory that took the link, of the first and of the last column.";

/// The figures as tables for a terminal.
pub fn text(figures: &[&Figure], rows: &[Row]) -> String {
    let mut text = String::new();
    for figure in figures {
        let (headings, cells) = table(figure, rows);
        let table = output::tables(1, &headings, &cells, output::width());
        // A configuration that makes no sense has ended the run.
        let why = of_figure(figure, rows).unwrap_or_default();
        let why = causes::text(&why);
        text.push_str(&format!(
            "{}\n{table}\nThe paper: {}.{why}\n\n",
            figure.title, figure.claim
        ));
    }
    text + ABOUT + of_lines(rows)
}

/// A figure as a picture: its columns' means, and those of the programs.
pub fn svg(figure: &Figure, rows: &[Row]) -> Result<String, String> {
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
pub fn markdown(figures: &[&Figure], rows: &[Row], command: &str) -> Result<String> {
    let mut page = format!(
        "# Zheng et al., HPCA 2016: {}\n\nGenerated by `{command}` with the reference model of Faultline {}.\n\nPrograms run on the paper's \
         GPU of 15 SMs. Registers and memory at the end are those of a run without a GPU. {ABOUT}{}\n\n",
        figures
            .iter()
            .map(|figure| figure.name)
            .collect::<Vec<_>>()
            .join(", "),
        env!("CARGO_PKG_VERSION"),
        of_lines(rows),
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
        page.push_str(&causes::markdown(&of_figure(figure, rows)?));
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
            page.push_str(&causes::markdown(&of_link(figure, place, rows)?));
        }
    }
    let assumptions = ASSUMPTIONS.map(|one| format!("- {one}\n")).concat();
    page.push_str(&format!("## What they rest on\n\n{assumptions}"));
    Ok(page)
}

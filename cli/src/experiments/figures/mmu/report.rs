//! The figures as tables, as a page and as pictures.

use faultline_synth::table::Grid;

use super::super::super::sm::plot;
use super::super::causes::{self, Cause};
use super::super::family::{Picture, Request};
use super::super::runs::geometric_mean;
use super::causes::{of_energy, of_large, of_minor, of_prefetch};
use super::energy::{DESIGNS, Design};
use super::{
    AHEAD, ALL_LARGE, Cell, ENERGY, FAULTS, IDEAL, LARGE, MINOR, MINOR_CYCLES, PAGES, PREFETCH,
    Row, THREE, TWO,
};
use crate::output::{self, grouped};

/// What the numbers rest on.
const ABOUT: &str = "The programs are CUDA of this project after Rodinia's and Parboil's, compiled, with a range of their thread blocks; \
                     they are not the paper's. Design 3 has 64 entries in each L1 TLB, a walker of 32 threads and a page-walk cache of \
                     8 KB.";

/// What a table of the energy rests on.
const OF_ENERGY: &str = "Energy is dynamic: lines that look into an L1 TLB, requests at the L2 TLB, and entries that walks look up in the \
                         page-walk cache, 4 each, times what a structure takes for one. An L1 TLB of 32, 64 or 128 entries takes what \
                         the registers and logic of its netlist take in a cycle of random traffic (synth/reports/power_l1_tlb.md), \
                         without its clock. The L2 TLB and the page-walk cache take what their memories do with an access in each \
                         cycle (synth/reports/l2_tlb.md, page_walk_cache.md). Areas are those of synthesized blocks \
                         (synth/reports/l1_tlb.md), with the walker; an L1 TLB is all registers.";

/// A program's number.
pub type Of<'of> = &'of dyn Fn(&Row) -> f64;

/// Performance of a variant beside another one, %.
pub fn performance(row: &Row, other: &str, variant: &str) -> f64 {
    row.of_both(other, variant, |other, cell| {
        100.0 * other.cycles as f64 / cell.cycles.max(1) as f64
    })
}

fn count(row: &Row, variant: &str, of: fn(&Cell) -> u64) -> u64 {
    row.of(variant).map_or(0, of)
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

pub fn geometric(rows: &[Row], of: Of<'_>) -> f64 {
    geometric_mean(rows.iter().map(of))
}

fn grid(title: &str, headings: &[&str], rows: Vec<Vec<String>>) -> Grid {
    Grid {
        title: title.to_owned(),
        headings: headings.iter().map(|one| (*one).to_owned()).collect(),
        rows,
    }
}

/// What a prefetcher of translations gains.
fn prefetch(rows: &[Row]) -> Grid {
    let without = |row: &Row| performance(row, IDEAL, THREE);
    let with = |row: &Row| performance(row, IDEAL, AHEAD);
    let gain = |row: &Row| performance(row, THREE, AHEAD);
    let line = |row: &Row| {
        let own = |of| count(row, AHEAD, of);
        let (walks, spared) = (own(|cell| cell.walks), own(|cell| cell.spared));
        let missed = |variant| {
            percent(
                count(row, variant, |cell| cell.missed),
                own(|cell| cell.lines),
            )
        };
        vec![
            row.workload.clone(),
            format!("{:.1}", without(row)),
            format!("{:.1}", with(row)),
            format!("{:+.1}", gain(row) - 100.0),
            format!("{:.1}", missed(THREE)),
            format!("{:.1}", missed(AHEAD)),
            grouped(count(row, THREE, |cell| cell.walks)),
            grouped(walks - spared + own(|cell| cell.ahead)),
            format!("{:.1}", percent(spared, walks)),
        ]
    };
    let mut cells: Vec<_> = rows.iter().map(line).collect();
    let mut means = vec!["geometric mean".to_owned()];
    means.push(format!("{:.1}", geometric(rows, &without)));
    means.push(format!("{:.1}", geometric(rows, &with)));
    means.push(format!("{:+.1}", geometric(rows, &gain) - 100.0));
    means.resize(9, String::new());
    cells.push(means);
    let headings = [
        "Program",
        "design 3, % of ideal",
        "with a prefetcher",
        "gain, %",
        "lines missed, %",
        "with it",
        "walks",
        "with it, all",
        "walks spared, %",
    ];
    grid(
        "Section 6.3: a one-ahead prefetcher of translations",
        &headings,
        cells,
    )
}

/// Misses that large pages save, %.
pub fn saved(row: &Row, variant: &str) -> f64 {
    row.of_both(THREE, variant, |small, large| {
        100.0 - percent(large.missed, small.missed)
    })
}

/// What pages of 2 MB save.
fn large(rows: &[Row]) -> Grid {
    let of = |row: &Row, what| [THREE, LARGE, ALL_LARGE].map(|name| count(row, name, what));
    let line = |name: &str,
                [small, few, many]: [u64; 3],
                [first, _, last]: [u64; 3],
                performance: [f64; 2]| {
        let mut cells = vec![name.to_owned(), grouped(small)];
        for large in [few, many] {
            cells.push(grouped(large));
            cells.push(format!("{:.1}", 100.0 - percent(large, small)));
        }
        cells.extend([first, last].map(grouped));
        cells.extend(performance.map(|value| format!("{value:.1}")));
        cells
    };
    let missed = |row: &Row| of(row, |cell: &Cell| cell.missed);
    let walks = |row: &Row| of(row, |cell: &Cell| cell.walks);
    let beside = |row: &Row| [LARGE, ALL_LARGE].map(|name| performance(row, THREE, name));
    let mut cells: Vec<_> = rows
        .iter()
        .map(|row| line(&row.workload, missed(row), walks(row), beside(row)))
        .collect();
    let sum = |of: &dyn Fn(&Row) -> [u64; 3]| {
        let add = |sum: [u64; 3], row| std::array::from_fn(|place| sum[place] + of(row)[place]);
        rows.iter().fold([0; 3], add)
    };
    let means = [0, 1].map(|place: usize| geometric(rows, &|row: &Row| beside(row)[place]));
    cells.push(line("all", sum(&missed), sum(&walks), means));
    let headings = [
        "Program",
        "missed with 4 KB",
        "2 MB, 8 entries",
        "fewer, %",
        "2 MB, 64 entries",
        "64 entries: fewer, %",
        "walks with 4 KB",
        "walks with 64 entries",
        "8 entries: performance, % of 4 KB",
        "64 entries: performance",
    ];
    grid("Section 6.4: pages of 2 MB", &headings, cells)
}

/// What minor page faults cost.
fn minor(rows: &[Row]) -> Grid {
    let relative = |row: &Row| performance(row, THREE, FAULTS);
    let line = |row: &Row| {
        let faults = count(row, FAULTS, |cell| cell.faults);
        let [with, without] = [FAULTS, THREE].map(|name| count(row, name, |cell| cell.cycles));
        vec![
            row.workload.clone(),
            format!("{:.1}", relative(row)),
            grouped(faults),
            grouped(without),
            grouped(with),
            format!("{:.1}", percent(faults * MINOR_CYCLES, with)),
        ]
    };
    let mut cells: Vec<_> = rows.iter().map(line).collect();
    let mut means = vec!["geometric mean".to_owned()];
    means.push(format!("{:.1}", geometric(rows, &relative)));
    means.resize(6, String::new());
    cells.push(means);
    let headings = [
        "Program",
        "performance, % of none",
        "minor faults",
        "cycles without",
        "cycles with",
        "handler, % of the time",
    ];
    grid("Section 5.1: minor page faults", &headings, cells)
}

/// Energy of a design beside design 2, %.
pub fn relative(row: &Row, design: &Design) -> f64 {
    let of = |design: &Design| {
        let cell = row.of(design.label);
        cell.map_or(0.0, |cell| design.energy(cell).iter().sum::<f64>())
    };
    100.0 * of(design) / of(&DESIGNS[0])
}

fn energy(rows: &[Row]) -> Grid {
    let mut headings = vec!["Program"];
    headings.extend(DESIGNS.iter().map(|design| design.label));
    headings.extend([
        "3: L1 TLBs",
        "L2 TLB",
        "cache",
        "shared-l2: L1 TLBs",
        "L2 TLB",
        "cache",
    ]);
    let line = |row: &Row| {
        let mut cells = vec![row.workload.clone()];
        cells.extend(
            DESIGNS
                .iter()
                .map(|design| format!("{:.1}", relative(row, design))),
        );
        for design in &DESIGNS[1..3] {
            let parts = row
                .of(design.label)
                .map_or([0.0; 3], |cell| design.energy(cell));
            let all: f64 = parts.iter().sum();
            cells.extend(
                parts.map(|part| format!("{:.1}", 100.0 * part / all.max(f64::MIN_POSITIVE))),
            );
        }
        cells
    };
    let mut cells: Vec<_> = rows.iter().map(line).collect();
    let mut means = vec!["geometric mean".to_owned()];
    let mean = |design: &Design| geometric(rows, &|row: &Row| relative(row, design));
    means.extend(DESIGNS.iter().map(|design| format!("{:.1}", mean(design))));
    let paper = |design: &Design| {
        design
            .paper
            .map_or_else(String::new, |paper| format!("{paper:.1}"))
    };
    let mut papers = vec!["paper".to_owned()];
    papers.extend(DESIGNS.iter().map(paper));
    for mut row in [means, papers] {
        row.resize(headings.len(), String::new());
        cells.push(row);
    }
    grid(
        "Figure 12: dynamic energy, % of design 2, and the shares of its parts, %",
        &headings,
        cells,
    )
}

fn area(sms: u64) -> Grid {
    let areas = DESIGNS.map(|design| (design.label, design.area(sms)));
    let line = |(label, area): (&str, f64)| {
        let share = 100.0 * area / areas[0].1;
        vec![
            label.to_owned(),
            format!("{area:.3}"),
            format!("{share:.1}"),
        ]
    };
    let cells = areas.iter().map(|area| line(*area)).collect();
    grid(
        "Figure 12: area",
        &["Design", "mm2", "% of design 2"],
        cells,
    )
}

/// The tables that are asked for, each with what the paper says, and why it says something else.
fn grids(request: &Request, rows: &[Row]) -> Vec<(Grid, &'static str, Vec<Cause>)> {
    let mut all = Vec::new();
    if request.has(PREFETCH) {
        let claim = "an impact of less than 1 % on performance, in the mean";
        all.push((prefetch(rows), claim, of_prefetch(rows)));
    }
    if request.has(PAGES) {
        let claim = "over 99 % fewer misses in each program but gaussian, over 80 % there. Here an L1 TLB has 8 entries for pages of 2 MB \
                     besides its 64, as in RTL, or 64, as many as the paper's has for pages of any size. A line that waits for a walk \
                     under way counts as a miss, and until the first walk of a large page has come each page of it that an SM accesses \
                     is walked for";
        all.push((large(rows), claim, of_large(rows)));
    }
    if request.has(MINOR) {
        let claim = "about 5,000 cycles for a fault, and nothing of what they cost; a page faults here that neither the CPU nor the GPU has \
                     touched before, and faults are handled one after the other";
        all.push((minor(rows), claim, of_minor(rows)));
    }
    if request.has(ENERGY) {
        let claim = "design 3 takes 20 % less than design 2, the shared L2 TLB much more than the others, and with a cache 25 % more than \
                     design 2";
        all.push((energy(rows), claim, of_energy(rows)));
        let claim =
            "all are smaller than design 2, and the shared L2 TLB with a cache is the smallest";
        let sms = rows.first().map_or(0, |row| row.sms);
        all.push((area(sms), claim, Vec::new()));
    }
    all
}

fn about(request: &Request) -> String {
    let energy = if request.has(ENERGY) { OF_ENERGY } else { "" };
    format!("{ABOUT} {energy}").trim_end().to_owned()
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
    text + &about(request)
}

/// The figures as a page.
pub fn markdown(request: &Request, rows: &[Row]) -> String {
    let mut page = format!(
        "# Power et al., HPCA 2014: {}\n\nGenerated by `{}` with the reference model of Faultline {}.\n\n{}\n\n",
        request.figures.join(", "),
        request.command,
        env!("CARGO_PKG_VERSION"),
        about(request),
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

/// Bars of programs and of their means.
fn bars(
    title: &str,
    base: f64,
    series: &[(&str, Option<f64>)],
    rows: &[Row],
    of: &dyn Fn(&Row, usize) -> f64,
) -> Result<String, String> {
    let papers: Vec<_> = series.iter().map(|one| one.1).collect();
    let names: Vec<_> = series.iter().map(|one| one.0.to_owned()).collect();
    let group = |row: &Row| {
        let values = (0..names.len()).map(|place| of(row, place)).collect();
        (row.workload.clone(), values)
    };
    let mut groups: Vec<(String, Vec<f64>)> = rows.iter().map(group).collect();
    let mean = |place: usize| geometric(rows, &|row: &Row| of(row, place));
    let means = (0..names.len()).map(mean).collect();
    groups.push(("geometric mean".to_owned(), means));
    let note = "Thick lines over the means: the paper's, of its programs.";
    plot::bars(title, base, &names, &papers, &groups, note)
}

/// The figures as pictures.
pub fn pictures(request: &Request, rows: &[Row]) -> Result<Vec<Picture>, String> {
    let mut all = Vec::new();
    if request.has(PREFETCH) {
        let series = [(THREE, None), (AHEAD, None)];
        let of = |row: &Row, place: usize| performance(row, IDEAL, series[place].0);
        let title = "performance, % of an ideal MMU";
        all.push((PREFETCH, bars(title, 0.0, &series, rows, &of)?));
    }
    if request.has(PAGES) {
        let series = [(LARGE, None), (ALL_LARGE, Some(99.0))];
        let of = |row: &Row, place: usize| saved(row, series[place].0);
        let title = "misses of L1 TLBs that pages of 2 MB save, %";
        all.push((PAGES, bars(title, 0.0, &series, rows, &of)?));
    }
    if request.has(MINOR) {
        let of = |row: &Row, _: usize| performance(row, THREE, FAULTS);
        let title = "performance with minor faults, % of none";
        all.push((MINOR, bars(title, 0.0, &[(FAULTS, None)], rows, &of)?));
    }
    if request.has(ENERGY) {
        let series = DESIGNS.map(|design| (design.label, design.paper));
        let of = |row: &Row, place: usize| relative(row, &DESIGNS[place]);
        let title = format!("dynamic energy, % of design {TWO}");
        all.push((ENERGY, bars(&title, 0.0, &series, rows, &of)?));
    }
    Ok(all)
}

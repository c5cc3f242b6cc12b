//! The figures as tables and as a page.

use faultline_synth::table::Grid;

use super::super::causes::Cause;
use super::super::family::Request;
use super::causes::{causes, of_dirty};
use super::{BOTH, Cell, DIRTY, DOUBLED, ESTIMATES, LATENCY, POLICIES, Row, SCALING};
use crate::output;

/// What the numbers rest on.
const ABOUT: &str = "Another kernel is launched on all SMs at once. Contexts, the blocks that run on and the new kernel's blocks compete \
                     for the banks of the L2 cache and for DRAM. Each kernel runs 24 times: it is launched 5, 15, 25 or 35 us after the \
                     call, PEP expects 20 or 30, and the call comes at 25, 50 or 75 % of a block's time (section IV-A). Chimera's deadline \
                     is 10 us, and no block is dropped. The programs are CUDA of this project after those of Table I, compiled; the \
                     blocks of an SM are the table's, unless fewer fit. Four kernels of the table have no program here. In place, what \
                     a second context holds stays on the SM; the other kernel is assumed to need none of that room.";

/// A table, and what the paper says.
type Claimed = (Grid, &'static str);

/// The mean of what there is.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

pub(super) fn percent(part: f64, whole: f64) -> f64 {
    100.0 * part / whole
}

fn grid(title: &str, headings: &[&str], rows: Vec<Vec<String>>) -> Grid {
    Grid {
        title: title.to_owned(),
        headings: headings.iter().map(|&heading| heading.to_owned()).collect(),
        rows,
    }
}

/// A row of numbers with one digit; there is none of what has not happened.
fn line(name: &str, values: impl IntoIterator<Item = f64>) -> Vec<String> {
    let values = values.into_iter().map(|value| match value.is_finite() {
        true => format!("{value:.1}"),
        false => "-".to_owned(),
    });
    std::iter::once(name.to_owned()).chain(values).collect()
}

/// A table of kernels by numbers, with their means.
fn with_means(rows: &[Row], of: impl Fn(&Row) -> Vec<f64>) -> Vec<Vec<String>> {
    let each: Vec<Vec<f64>> = rows.iter().map(&of).collect();
    let width = each.first().map_or(0, Vec::len);
    let means = (0..width).map(|column| mean(each.iter().map(|values| values[column])));
    let means = line("mean", means.collect::<Vec<_>>());
    let lines = rows.iter().zip(each);
    let lines = lines.map(|(row, values)| line(&row.kernel, values));
    lines.chain([means]).collect()
}

fn names() -> [&'static str; 5] {
    let [a, b, c, d] = POLICIES.map(|(name, ..)| name);
    ["Kernel", a, b, c, d]
}

/// The paper's values in a last row; none where it has none.
fn papers(of: impl Fn(usize) -> Option<f64>) -> Vec<String> {
    let value = |place| of(place).map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"));
    let values = (0..POLICIES.len()).map(value);
    std::iter::once("paper".to_owned()).chain(values).collect()
}

fn kernels(rows: &[Row]) -> Claimed {
    let headings = [
        "Kernel",
        "program",
        "blocks of an SM",
        "block, us",
        "Table I",
        "context of a block, KB",
    ];
    let cells = rows.iter().map(|row| {
        vec![
            row.kernel.clone(),
            row.program.clone(),
            row.blocks.to_string(),
            format!("{:.1}", row.block_us),
            format!("{:.1}", row.paper_block_us),
            format!("{:.1}", row.context_bytes as f64 / 1024.0),
        ]
    });
    (
        grid("Kernels", &headings, cells.collect()),
        "its Table I has 10 to 38 KB",
    )
}

fn both(rows: &[Row]) -> Option<Claimed> {
    let mixed = rows.iter().find(|row| !row.mixed.is_empty())?;
    let headings = ["Blocks saved", "saving, us", "draining, us"];
    let cells = mixed.mixed.iter();
    let cells = cells.map(|one| line(&one.saved.to_string(), [one.switch_us, one.drain_us]));
    let title = format!(
        "Figure 3: {} of {} blocks of an SM are saved, and the others end",
        mixed.kernel, mixed.blocks
    );
    let claim = "one block that is saved beside eight that end takes longer than one of those that are saved alone, and so do the eight";
    Some((grid(&title, &headings, cells.collect()), claim))
}

fn estimates(rows: &[Row]) -> Claimed {
    let headings = [
        "Kernel",
        "all end: estimate, us",
        "all end: us",
        "all end: % of it",
        "half end: estimate, us",
        "half end: us",
        "half end: % of it",
    ];
    let of = |row: &Row| {
        let each = row.estimates.iter();
        let each = each.flat_map(|one| {
            let of_block = |sum: f64| sum / one.blocks as f64;
            [
                of_block(one.estimated_us),
                of_block(one.took_us),
                percent(one.estimated_us, one.took_us),
            ]
        });
        each.collect::<Vec<_>>()
    };
    let rows = with_means(rows, of);
    let claim = "estimates are much better where all blocks end than where half of them are saved, and far off for kernels with phases";
    (
        grid(
            "Figure 4: the time of a block's rest as Chimera estimates it",
            &headings,
            rows,
        ),
        claim,
    )
}

fn dirty(rows: &[Row]) -> Claimed {
    let headings = [
        "Kernel",
        "at 25 %",
        "at 50 %",
        "at 75 %",
        "50 beside 25 %",
        "75 beside 25 %",
    ];
    let of = |row: &Row| {
        let mut values = row.dirty_percent.clone();
        let first = values.first().copied().unwrap_or_default();
        let beside = values
            .iter()
            .skip(1)
            .map(|&value| percent(value, first) - 100.0);
        let beside: Vec<f64> = beside.collect();
        values.extend(beside);
        values
    };
    let claim =
        "38.2 and 48 % fewer at 50 and 75 % of a block's time than at 25 %, for the long kernels";
    let title = "Figure 5: registers of resident warps that are dirty since their blocks began, %";
    (grid(title, &headings, with_means(rows, of)), claim)
}

/// The tables of the runs under policies.
fn policies(rows: &[Row]) -> Vec<Claimed> {
    let by_policy = |of: &dyn Fn(&Row, &Cell) -> f64| {
        with_means(rows, |row| {
            row.policies.iter().map(|cell| of(row, cell)).collect()
        })
    };
    let beside_first = |of: fn(&Cell) -> f64| {
        let mut cells = by_policy(&|row, cell| percent(of(cell), of(&row.policies[0])));
        let of_all = |place: usize| mean(rows.iter().map(|row| of(&row.policies[place])));
        let first = of_all(0);
        let all: Vec<f64> = (0..POLICIES.len())
            .map(|place| percent(of_all(place), first))
            .collect();
        cells.push(line("of the means", all));
        cells
    };
    let mut latency = by_policy(&|_, cell| cell.latency_us);
    latency.push(papers(|place| POLICIES[place].1));
    let mut worst = by_policy(&|_, cell| cell.worst_us);
    let worst_of = |place: usize| mean(rows.iter().map(|row| row.policies[place].worst_us));
    let first = worst_of(0);
    let beside = (0..POLICIES.len()).map(|place| percent(worst_of(place), first));
    worst.push(line("chimera as 100", beside.collect::<Vec<_>>()));
    worst.push(papers(|place| POLICIES[place].2));
    let choices = with_means(rows, |row| {
        let pep = &row.policies[2];
        let all = pep.found();
        [pep.drained, pep.saved_once, pep.saved_twice]
            .map(|count| percent(count as f64, all as f64))
            .to_vec()
    });
    let kilobytes = |bytes: u64, count: u64| bytes as f64 / 1024.0 / count as f64;
    let contexts = with_means(rows, |row| {
        let [whole, dirty, pep, in_place] = &row.policies[..] else {
            return Vec::new();
        };
        vec![
            kilobytes(whole.other_bytes, whole.saved()),
            kilobytes(dirty.other_bytes, dirty.saved()),
            kilobytes(pep.base_bytes, pep.bases),
            kilobytes(pep.other_bytes, pep.saved()),
            kilobytes(in_place.other_bytes, in_place.saved()),
        ]
    });
    vec![
        (
            grid(
                "Figure 9: from the launch until an SM is free, us",
                &names(),
                latency,
            ),
            "8.9, 4.5 and 3.6 us; kernels that drain take 3.4",
        ),
        (
            grid("Figure 10: the longest of these, us", &names(), worst),
            "dirty bits save 31.8 %, PEP 58.5 % and in place 70.3 % of the nine kernels that are saved",
        ),
        (
            grid(
                "Figure 8: what becomes of blocks under PEP, %",
                &["Kernel", "end", "saved once", "saved twice"],
                choices,
            ),
            "two contexts of the six kernels over 100 us alone; the last seven of Table I end; LBM and PF vary",
        ),
        (
            grid(
                "Figures 11 to 13: KB of contexts of a block in memory",
                &[
                    "Kernel",
                    "chimera",
                    "chimera-dirty",
                    "pep: base",
                    "pep: at the launch",
                    "pep-in-place: at the launch",
                ],
                contexts,
            ),
            "dirty bits save 34.4 %, an increment is 56.1 % of its base, and in place 29.4 %",
        ),
        (
            grid(
                "Figure 15: time for which a block that left had stood still to be saved, chimera as 100",
                &names(),
                beside_first(|cell| cell.stopped_us / cell.saved() as f64),
            ),
            "a base alone 62.1, PEP 93.7, in place 78.3",
        ),
    ]
}

/// What a policy has counted on so many SMs and on twice as many.
pub(super) fn doubled(row: &Row, policy: &str, of: fn(&Cell) -> f64) -> [f64; 2] {
    [&row.policies, &row.doubled].map(|cells| {
        let cell = cells.iter().find(|cell| cell.policy == policy);
        cell.map_or(0.0, of)
    })
}

/// Whether a kernel has blocks for twice the SMs.
pub(super) fn has_doubled(row: &Row) -> bool {
    let [one, two] = doubled(row, DOUBLED[0], |cell| cell.found() as f64);
    two > 1.5 * one
}

fn scaling(rows: &[Row]) -> Claimed {
    let sms = rows.first().map_or(0, |row| row.sms);
    let mut headings = vec!["Kernel".to_owned()];
    for policy in DOUBLED {
        headings.extend([
            format!("{policy}: {sms} SMs, us"),
            format!("{policy}: {} SMs, us", 2 * sms),
            format!("{policy}: ratio"),
        ]);
    }
    headings
        .extend([sms, 2 * sms].map(|sms| format!("{}: contexts on {sms} SMs, GB/s", DOUBLED[0])));
    let latency = |row: &Row, policy| doubled(row, policy, |cell| cell.latency_us);
    let ratio = |[one, two]: [f64; 2]| [one, two, two / one.max(1e-9)];
    let of = |row: &Row| {
        let mut each = DOUBLED.map(|policy| ratio(latency(row, policy))).concat();
        each.extend(doubled(row, DOUBLED[0], Cell::gigabytes));
        each
    };
    let (whole, part): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| has_doubled(row));
    let kernels = |rows: &[&Row], mark| {
        let lines = rows
            .iter()
            .map(|row| line(&format!("{}{mark}", row.kernel), of(row)));
        lines.collect::<Vec<_>>()
    };
    let mut lines = kernels(&whole, "");
    let means = DOUBLED.map(|policy| {
        ratio([0, 1].map(|place: usize| mean(whole.iter().map(|row| latency(row, policy)[place]))))
    });
    lines.push(line("mean", means.concat()));
    lines.extend(kernels(&part, ", whose blocks fill fewer SMs"));
    for row in &mut lines {
        row.resize(headings.len(), String::new());
    }
    let grid = Grid {
        title:
            "Figure 14: from the launch until an SM is free, with twice the SMs on the same memory"
                .to_owned(),
        headings,
        rows: lines,
    };
    (grid, "2.58 times for 32 SMs beside 16")
}

/// The tables that are asked for, each with what the paper says.
fn grids(request: &Request, rows: &[Row]) -> Vec<Claimed> {
    let mut all = vec![kernels(rows)];
    if request.has(BOTH) {
        all.extend(both(rows));
    }
    if request.has(ESTIMATES) {
        all.push(estimates(rows));
    }
    if request.has(DIRTY) {
        all.push(dirty(rows));
    }
    if request.has(LATENCY) {
        all.extend(policies(rows));
    }
    if request.has(SCALING) {
        all.push(scaling(rows));
    }
    all
}

/// What follows the tables: why registers stay dirty, as a terminal or a page has it, and why runs under policies take what they do.
fn after(rows: &[Row], shown: fn(&[Cause]) -> String) -> String {
    let mut after = shown(&of_dirty(rows)).trim().to_owned();
    if !after.is_empty() {
        after += "\n\n";
    }
    if rows.iter().any(|row| !row.policies.is_empty()) {
        after += &(causes(rows) + "\n\n");
    }
    after
}

/// The figures for a terminal.
pub fn text(request: &Request, rows: &[Row]) -> String {
    let mut text = String::new();
    for (grid, claim) in grids(request, rows) {
        let table = output::tables(1, &grid.headings, &grid.rows, output::width());
        text.push_str(&format!("{}\n{table}\nThe paper: {claim}.\n\n", grid.title));
    }
    text + &after(rows, super::super::causes::text) + ABOUT
}

/// The figures as a page.
pub fn markdown(request: &Request, rows: &[Row]) -> String {
    let mut page = format!(
        "# Li et al. (PEP), TCAD 2018: {}\n\nGenerated by `{}` with the reference model of Faultline {}.\n\n{ABOUT}\n\n",
        request.figures.join(", "),
        request.command,
        env!("CARGO_PKG_VERSION"),
    );
    for (mut grid, claim) in grids(request, rows) {
        grid.title = format!("## {}", grid.title);
        page.push_str(&format!("{}\nThe paper: {claim}.\n\n", grid.markdown()));
    }
    page.push_str(&after(rows, super::super::causes::markdown));
    page.truncate(page.trim_end().len());
    page + "\n"
}

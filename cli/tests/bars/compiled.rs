//! The figures from compiled programs, beside the paper.

use super::*;

const REPORT: &str = "sim/reports/figures_compiled.md";
const QUEUE: &str = "replay-queue";
const LOG: &str = "operand-log 16 KB";

/// The number of a column in a row of a section of the report.
fn of(report: &str, section: &str, row: &str, column: &str) -> f64 {
    let row = report_row(report, row, section);
    let found = row.iter().find(|(name, _)| *name == column);
    found
        .unwrap_or_else(|| panic!("{section} has no {column}"))
        .1
}

/// Figures 10 and 11: the page's means are the report's, each far one has a reason, and so have lbm and what the back end is worth.
#[test]
fn committed_figures_of_compiled_programs_are_on_the_page() {
    let report = text(REPORT);
    for (scheme, in_page) in SCHEMES {
        let mean = |column: &str| of(&report, "Each workload", scheme, column);
        let (paper, here) = (mean("paper"), mean("here"));
        let at_8_warps = mean("`lbm-8-warps`");
        says(
            PERFORMANCE,
            [format!(
                "| {in_page} | {paper} | {here:.1} | {at_8_warps:.1} |"
            )],
        );
        let explained = report.contains(&format!("\n**{scheme}** costs "));
        assert!(
            (here - paper).abs() <= MEAN_POINTS || explained,
            "{scheme}: {here}, paper {paper}, and no reason"
        );
    }
    for (kernel, what) in [
        ("lbm", "48 warps, offsets in the instructions, as compiled"),
        ("lbm-no-offsets", "48 warps, an address register each"),
        (
            "lbm-8-warps-offsets",
            "8 warps, offsets in the instructions",
        ),
        ("lbm-8-warps", "8 warps, an address register each"),
    ] {
        let [queue, log] = [QUEUE, LOG]
            .map(|scheme| of(&report, "## lbm, by warps", &format!("`{kernel}`"), scheme));
        says(PERFORMANCE, [format!("| {what} | {queue:.1} | {log:.1} |")]);
    }
    for way in [
        "as compiled",
        "oldest register",
        "loads hoisted",
        "no offsets",
    ] {
        let [baseline, queue, log] = ["the baseline itself", QUEUE, LOG]
            .map(|column| of(&report, "## Registers, order of loads", way, column));
        says(
            PERFORMANCE,
            [format!("| {way} | {baseline:.1} | {queue:.1} | {log:.1} |")],
        );
    }
    let lbm = |kernel: &str, scheme: &str| of(&report, "## lbm, by warps", kernel, scheme);
    let without = |column: &str| {
        of(
            &report,
            "## Registers, order of loads",
            "no offsets",
            column,
        )
    };
    let without_gridding = |scheme: &str| {
        let names = KERNELS.map(|(name, _)| name);
        let others = names.iter().filter(|name| **name != "mri-gridding");
        let logarithms: Vec<f64> = others
            .map(|name| of(&report, "## Performance by workload", name, scheme).ln())
            .collect();
        (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
    };
    says(
        PERFORMANCE,
        [format!(
            "Without mri-gridding they are at {:.1} and {:.1}",
            without_gridding("warp-disable-last-check"),
            without_gridding("warp-disable-commit")
        )],
    );
    let gridding = |scheme: &str| {
        of(
            &report,
            "## Performance by workload",
            "mri-gridding",
            scheme,
        )
    };
    says(
        PERFORMANCE,
        [
            format!(
                "is at {:.1} % with the queue and at {:.1} % with the log. With offsets, as NVIDIA's compiler makes it, it is at \
                 {:.1} and {:.1} %.",
                lbm("`lbm-8-warps`", QUEUE),
                lbm("`lbm-8-warps`", LOG),
                lbm("`lbm-8-warps-offsets`", QUEUE),
                lbm("`lbm-8-warps-offsets`", LOG),
            ),
            format!(
                "the queue is at {:.1} and the log at {:.1}; the paper",
                without(QUEUE),
                without(LOG)
            ),
            format!(
                "which is at {:.1} and whose runs differ by more than those of any other program: it is at {:.1} to {:.1} with",
                gridding("warp-disable-last-check"),
                gridding("operand-log 8 KB"),
                gridding(LOG),
            ),
        ],
    );
}

/// Figure 13: compiled programs that fill a heap gain as in the paper, each of them.
#[test]
fn committed_heaps_of_compiled_programs_are_on_the_page() {
    let report = text("sim/reports/heap_compiled.md");
    let (figures, _) = report.split_once("\n## With 32 far faults").unwrap();
    handling::means(
        figures,
        "tanasic-13",
        "13: pages of a heap, compiled programs",
    );
    let is_program = |line: &&str| line.starts_with("| heap-");
    let rows: Vec<_> = figures.lines().filter(is_program).map(cells).collect();
    assert_eq!(rows.len(), 6);
    for row in rows {
        assert!(row[2].parse::<f64>().unwrap() > 100.0, "{row:?}");
    }
}

/// Figure 14: the means of compiled programs beside the paper's, with a reason for each, and the program that comes nearest and
/// the one that loses most.
#[test]
fn committed_output_pages_of_compiled_programs_are_on_the_page() {
    let report = text("sim/reports/outputs_compiled.md");
    let (figure, rest) = report.split_once("\n## With 32 far faults").unwrap();
    let (wide, _) = rest.split_once("\n## What they rest on").unwrap();
    for (part, of_page) in [(figure, ""), (wide, ", 32 far faults of an SM")] {
        let name = format!("14: output pages, compiled programs{of_page}");
        handling::means(part, "tanasic-14", &name);
    }
    for link in ["nvlink", "pcie3"] {
        assert!(report.contains(&format!("\ntanasic-14 over {link} is ")));
    }
    let row = |part: &str, start: &str| {
        let row = part.lines().find(|line| line.starts_with(start));
        let row = cells(row.unwrap_or_else(|| panic!("no row {start}")));
        row.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let lbm = row(wide, "| lbm | nvlink |");
    let stencil = row(figure, "| stencil | nvlink |");
    says(
        PERFORMANCE,
        [
            format!("and {} if it is compiled", lbm[2]),
            format!(
                "it writes {} regions one after the other, at most {} at once",
                stencil[4], stencil[7]
            ),
        ],
    );
    let rows = figure.lines().filter(|line| line.contains("| nvlink |"));
    let all: Vec<f64> = rows.map(|row| cells(row)[2].parse().unwrap()).collect();
    assert_eq!(all.len(), 11);
    let least = stencil[2].parse().unwrap();
    assert!(all.iter().all(|&other| other >= least));
}

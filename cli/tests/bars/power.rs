//! The designs of Power et al. under real programs.

use super::*;

/// The page has the report's means; designs 1, 2 and 3 are in the paper's order, and an ideal cache gains nothing over theirs.
#[test]
fn committed_designs_under_programs_are_on_the_page_and_in_order() {
    let report = text("sim/reports/power.md");
    let row = |section: &str, name: &str| -> Vec<String> {
        let (_, section) = report.split_once(&format!("\n## {section}")).unwrap();
        let row = section.lines().map(cells).find(|row| row[0] == name);
        row.unwrap().into_iter().map(str::to_owned).collect()
    };
    let means = row("Figures 6 and 11", "geometric mean");
    let number = |cell: &String| cell.parse::<f64>().unwrap();
    let of = |place: usize| number(&means[place]);
    assert!(
        of(1) < of(2) && of(2) < of(4) && of(4) <= of(7),
        "{means:?}"
    );
    assert!(of(7) - of(4) < 1.0, "{means:?}");
    let [accesses, latency, bfs] = [
        row("Figure 4", "mean"),
        row("Section 4.3: cycles", "mean"),
        row("Figures 6 and 11", "bfs"),
    ];
    says(
        PERFORMANCE,
        [
            format!("| here | {} |", means[1..].join(" | ")),
            format!("An SM accesses {} lines in 1,000 cycles", accesses[2]),
            format!("would access {} with perfect coalescing", accesses[3]),
            format!("from {} to {} cycles", latency[2], latency[4]),
            format!("{} % of the lines find no page", row("Figure 8", "mean")[1]),
            format!("{} pages wait at an SM", row("Figure 7", "bfs")[1]),
            format!("lifts it from {} to {} %", bfs[4], bfs[5]),
        ],
    );
}

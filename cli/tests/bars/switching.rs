//! Thread blocks that leave while they wait for pages, beside the paper.

use super::*;

/// Figure 12: the kernels of which the paper gives a number stand on the page as in the report, each with its cause.
#[test]
fn committed_switching_stands_beside_the_paper() {
    let report = text("sim/reports/switching.md");
    let rows = report.lines().filter(|line| line.starts_with("| "));
    let rows: Vec<_> = rows.map(cells).skip(1).collect();
    // Every kernel over both links, and the rule below the headings.
    assert_eq!(
        rows.iter().filter(|row| !row[1].contains('-')).count(),
        2 * KERNELS.len()
    );
    let with_paper = rows
        .iter()
        .filter(|row| !row[4].is_empty() && !row[4].contains('-'));
    let mut count = 0;
    for row in with_paper {
        let cause = row.last().unwrap();
        assert!(!cause.is_empty(), "{row:?}");
        says(
            PERFORMANCE,
            [format!(
                "| {} | {} | {} | {} | {} | {cause} |",
                row[0], row[1], row[2], row[3], row[4]
            )],
        );
        count += 1;
    }
    assert_eq!(count, 5);
}

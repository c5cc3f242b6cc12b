//! Faults that warps handle, beside the paper.

use super::*;

/// The mean of a figure over a link in a part of the report, and the paper's.
pub fn mean(part: &str, figure: &str, link: &str) -> (f64, f64) {
    let mean = format!("{figure} over {link} ");
    let mut found = part.split(&mean).skip(1);
    let both = found.find_map(|rest| {
        let (here, rest) = rest.split_once(" (paper ")?;
        let (paper, _) = rest.split_once(')')?;
        Some((here.parse().ok()?, paper.parse().ok()?))
    });
    both.unwrap_or_else(|| panic!("the report has no mean of {figure} over {link}"))
}

/// The means of a figure over both links, which the page has in the row of this name.
pub fn means(part: &str, figure: &str, name: &str) -> [(f64, f64); 2] {
    let means = ["nvlink", "pcie3"].map(|link| mean(part, figure, link));
    let [nvlink, pcie3] = means;
    says(
        PERFORMANCE,
        [format!(
            "| {name} | {:.1} | {} | {:.1} | {} |",
            nvlink.0, nvlink.1, pcie3.0, pcie3.1
        )],
    );
    means
}

/// Figures 13 and 14: a reason for each mean that is far from the paper's; every kernel that allocates gains; and the page's figures
/// are the report's.
#[test]
fn committed_handling_stands_beside_the_paper() {
    let report = text("sim/reports/local_handling.md");
    let (figures, rest) = report.split_once("\n## With 32 far faults").unwrap();
    let (wide, _) = rest.split_once("\n## What they rest on").unwrap();
    for (part, of_page) in [(figures, ""), (wide, ", 32 far faults of an SM")] {
        for (figure, name) in [
            ("tanasic-13", "13: pages of a heap"),
            ("tanasic-14", "14: output pages"),
        ] {
            let [nvlink, pcie3] = means(part, figure, &format!("{name}{of_page}"));
            for (link, (here, paper)) in [("nvlink", nvlink), ("pcie3", pcie3)] {
                let explained = report.contains(&format!("\n{figure} over {link} is "));
                assert!(
                    part == wide || (here - paper).abs() <= MEAN_POINTS || explained,
                    "{figure} over {link}: {here}, paper {paper}, and no reason"
                );
            }
        }
    }
    // Section 5.5: with more SMs warps that handle their faults gain more, on pages of a heap.
    let mut before = ["nvlink", "pcie3"].map(|link| mean(figures, "tanasic-13", link).0);
    for sms in [32, 64] {
        let more = text(&format!("sim/reports/handling_{sms}.md"));
        let (more, _) = more.split_once("\n## With 32 far faults").unwrap();
        for (figure, name) in [
            ("tanasic-13", "13: pages of a heap"),
            ("tanasic-14", "14: output pages"),
        ] {
            let means = ["nvlink", "pcie3"].map(|link| {
                let (_, rest) = more.split_once(&format!("{figure} over {link} ")).unwrap();
                let end = rest
                    .find(|one: char| !one.is_ascii_digit() && one != '.')
                    .unwrap();
                rest[..end].trim_end_matches('.').parse::<f64>().unwrap()
            });
            let [nvlink, pcie3] = means;
            says(
                PERFORMANCE,
                [format!(
                    "| {name} on {sms} SMs | {nvlink:.1} | | {pcie3:.1} | |"
                )],
            );
            if figure == "tanasic-13" {
                assert!(nvlink > before[0] && pcie3 > before[1], "{sms} SMs");
                before = means;
            }
        }
    }
    let heap = figures
        .lines()
        .skip_while(|line| !line.contains("## Figure 13"));
    let rows: Vec<_> = heap
        .take_while(|line| !line.contains("## Figure 14"))
        .filter(|line| line.starts_with("| heap-") || line.starts_with("| quad-tree"))
        .map(cells)
        .collect();
    assert_eq!(rows.len(), 8);
    for row in rows {
        assert!(row[2].parse::<f64>().unwrap() > 100.0, "{row:?}");
    }
}

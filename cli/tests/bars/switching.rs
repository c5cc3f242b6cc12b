//! Thread blocks that leave while they wait for pages, beside the paper.

use super::*;

/// Figure 12: those of which the paper gives a number stand on the page as in the report, each with its cause.
#[test]
fn committed_switching_stands_beside_the_paper() {
    let report = text("sim/reports/switching_compiled.md");
    let rows = report.lines().filter(|line| line.starts_with("| "));
    let rows: Vec<_> = rows.map(cells).skip(1).collect();
    // Every program over both links, and the rule below the headings.
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

/// What the page says of compiled programs besides.
#[test]
fn committed_switching_of_compiled_programs_is_on_the_page() {
    let report = text("sim/reports/switching_compiled.md");
    let row = |start: &str| {
        let line = report.lines().find(|line| line.starts_with(start));
        cells(line.unwrap_or_else(|| panic!("no {start}")))
    };
    let (_, means) = report.split_once("Geometric means: ").unwrap();
    let mean = |link: &str| {
        let (_, rest) = means.split_once(link).unwrap();
        rest.trim_start()
            .split([',', ';'])
            .next()
            .unwrap()
            .to_owned()
    };
    let (histo, stencil) = (row("| histo | nvlink |"), row("| stencil | nvlink |"));
    let waits: Vec<_> = histo[7].split(" to ").collect();
    says(
        PERFORMANCE,
        [
            format!(
                "The geometric mean is {} over NVLink and {} over PCIe",
                mean("nvlink"),
                mean("pcie3")
            ),
            format!(
                "wait for {} % of the time without switching and for {} % with it",
                waits[0], waits[1]
            ),
            format!("The contexts of {} blocks", stencil[6]),
        ],
    );
    for (kernel, range) in [("sgemm", "(192 of"), ("mri-gridding", "and 256 of")] {
        let row = row(&format!("| {kernel} | nvlink |"));
        let (blocks, places) = row[5].split_once(" on ").unwrap();
        assert_eq!(blocks, places, "{kernel}");
        assert!(range.contains(blocks));
        says(PERFORMANCE, [range]);
    }
}

/// Section 5.5: the page's rows of 16, 32 and 64 SMs are those of the reports, and stencil, which fills the handler over
/// NVLink, gains less there with more SMs.
#[test]
fn committed_switching_on_more_sms_is_on_the_page() {
    let reports = ["switching_16", "switching_32", "switching_64"]
        .map(|name| text(&format!("sim/reports/{name}.md")));
    let row = |report: usize, kernel: &str, link: &str| {
        let start = format!("| {kernel} | {link} |");
        let line = reports[report]
            .lines()
            .find(|line| line.starts_with(&start));
        cells(line.unwrap_or_else(|| panic!("no {start}")))
    };
    for kernel in ["sgemm", "stencil", "histo"] {
        for link in ["nvlink", "pcie3"] {
            let [few, more, most] = [0, 1, 2].map(|report| row(report, kernel, link));
            says(
                PERFORMANCE,
                [format!(
                    "| {kernel} | {link} | {} | {} | {} | {} | {} | {} |",
                    few[2], more[2], most[2], most[3], most[8], most[9]
                )],
            );
        }
    }
    let ideal = row(2, "histo", "nvlink")[3].parse::<f64>().unwrap();
    says(
        PERFORMANCE,
        [format!(
            "In the ideal mode histo gains {:.0} %",
            ideal - 100.0
        )],
    );
    let gain = |report: usize| row(report, "stencil", "nvlink")[2].parse::<f64>().unwrap();
    assert!(gain(2) < gain(1) && gain(1) < gain(0));
    let [handler, _] = row(2, "stencil", "nvlink")[9]
        .split(" to ")
        .collect::<Vec<_>>()[..]
    else {
        panic!("no use of the handler");
    };
    says(PERFORMANCE, [format!("busy for {handler} % of the time")]);
}

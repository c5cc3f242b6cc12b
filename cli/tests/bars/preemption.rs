//! The claims of preemption.

use super::*;

/// PEP's cases as the paper's prose has them, the order of the means, a reason for each that is far from the paper's; and
/// the page's figures are the reports'.
#[test]
fn committed_preemption_stays_within_the_bars() {
    let report = text("sim/reports/preempt.md");
    let kernels = text("sim/reports/preempt_kernels.md");
    let (mut means, mut papers) = (Vec::new(), Vec::new());
    for policy in ["chimera", "pep", "pep-in-place"] {
        let row = report_row(&report, policy, "## Latency");
        let [here, paper] = [row[0].1, row[1].1];
        let explained = report.contains(&format!("\n**{policy}** is "))
            && report.contains("Draining one block after the other is ");
        assert!(
            (here / paper - 1.0).abs() <= PREEMPTION_PERCENT / 100.0 || explained,
            "{policy}: {here}, paper {paper}, and no reason"
        );
        means.push(here);
        papers.push(paper);
    }
    assert!(means.is_sorted_by(|left, right| left > right), "{means:?}");
    // With both choices of what counts as the context, too.
    let named = report_row(&report, "no registers but those that are named", "## Why");
    let named = [named[0].1, named[2].1, named[3].1];
    assert!(named.is_sorted_by(|left, right| left > right), "{named:?}");
    let part = |kernel: &str, case: &str| {
        let row = report_row(&report, kernel, "## Cases");
        row.iter().find(|(name, _)| *name == case).unwrap().1
    };
    for kernel in ["CP", "MRI", "SC", "GM", "BS", "KS"] {
        assert_eq!(part(kernel, "two checkpoints"), 100.0, "{kernel}");
    }
    for kernel in ["SRAD1", "SRAD2", "SRAD3", "HS", "LUD", "BP", "BP2"] {
        assert_eq!(part(kernel, "drain"), 100.0, "{kernel}");
    }
    for kernel in ["LBM", "PF"] {
        let several = [
            "one checkpoint",
            "drain",
            "drain, then one",
            "drain, then two",
        ];
        let several = several.iter().filter(|case| part(kernel, case) > 0.0);
        assert!(
            several.count() >= 2 && part(kernel, "two checkpoints") == 0.0,
            "{kernel}"
        );
    }
    // The one kernel that the paper does not count among those of two checkpoints has its reason.
    assert!(part("ST", "two checkpoints") == 0.0 || report.contains(" ST has them here too: "));
    let told = |before: &str| {
        let rest = report.split(before).nth(1);
        let rest = rest.unwrap_or_else(|| panic!("the report does not say: {before}"));
        let number = rest.trim_start_matches('+').split([' ', ',']).next();
        number.unwrap().parse::<f64>().unwrap()
    };
    let of_pep = report_row(&report, "pep", "## Latency");
    let increment = told("The increment is ");
    let cut = report.split(" us, +").nth(1).unwrap();
    let cut: f64 = cut.split(' ').next().unwrap().parse().unwrap();
    let state = told("a block that leaves: it is ");
    let state_of_increments = told("dirty bits leave to be saved, and ");
    says(
        PREEMPTION,
        [
            format!(
                "ST has two in {} % of its runs",
                part("ST", "two checkpoints")
            ),
            format!(
                "{state} % of what dirty bits leave of Table I's contexts and {state_of_increments} % of PEP's increments"
            ),
            format!(
                "PEP is {} % slower than the paper's: {} us instead of {}.",
                told("**pep** is "),
                of_pep[0].1,
                of_pep[1].1
            ),
            format!("its increments are {increment:.0} % of their bases and not 56.1"),
            format!("Without these three it is {cut} % slower"),
            format!(
                "| latency, us, paper | {} | {} | {} |",
                papers[0], papers[1], papers[2]
            ),
            format!(
                "| latency, us, here | {:.1} | {:.1} | {:.1} |",
                means[0], means[1], means[2]
            ),
        ],
    );
    let overhead = |policy: &str| {
        let row = report_row(&report, policy, "## Overhead");
        (row[1].1, row[2].1)
    };
    let ((pep, of_pep), (in_place, of_in_place)) = (overhead("pep"), overhead("pep-in-place"));
    let worst = report_row(&report, "pep", "## Latency");
    let [worst, worst_of_paper] = [worst[3].1, worst[4].1];
    let in_memory = told("In place, ");
    says(
        PREEMPTION,
        [
            format!(
                "PEP's worst latency is {worst:.0} % of Chimera's ({worst_of_paper} in the paper)"
            ),
            format!("PEP stops blocks for {pep} % of Chimera's time ({of_pep} in the paper)"),
            format!("In place it is {in_place} % ({of_in_place} by the paper's Fig. 15"),
            format!("{in_memory} % of its base go to memory (29.4 in the paper)"),
        ],
    );
    let mean = report_row(&kernels, "mean", "## What is dirty");
    let of = |column: &str| mean.iter().find(|(name, _)| *name == column).unwrap().1;
    says(
        PREEMPTION,
        [
            format!(
                "save {:.1} % of the context (34.4 in the paper)",
                of("saving, %")
            ),
            format!(
                "{:.0} % of its base after 15 us (56.1 in the paper)",
                of("15 us")
            ),
            format!("saves {:.1} % more of the registers", of("by warp more, %")),
        ],
    );
}

/// On the GPU the policies are in the paper's order, and the page has the report's numbers.
#[test]
fn committed_launches_on_the_gpu_are_on_the_page_and_in_order() {
    let report = text("sim/reports/pep.md");
    let row = |name: &str, section: &str| {
        let row = report_row(&report, name, section);
        row.into_iter()
            .map(|(column, value)| (column.to_owned(), value))
            .collect::<Vec<(String, f64)>>()
    };
    let of = |name: &str, section: &str, columns: [&str; 3]| {
        let row = row(name, section);
        let value = |column: &str| row.iter().find(|(known, _)| known == column).unwrap().1;
        columns.map(value)
    };
    let policies = ["chimera", "pep", "pep-in-place"];
    let means = of("mean", "## Figure 9", policies);
    assert!(means.is_sorted_by(|left, right| left > right), "{means:?}");
    let papers = of("paper", "## Figure 9", policies);
    let worst = of("chimera as 100", "## Figure 10", policies);
    assert!(worst.is_sorted_by(|left, right| left > right), "{worst:?}");
    let line = |name: &str, [one, two, three]: [f64; 3]| {
        format!("| {name} | {one:.1} | {two:.1} | {three:.1} |")
    };
    // Two latencies and their ratio, under Chimera and under PEP.
    let doubled = row("mean", "## Figure 14");
    let overhead = of("of the means", "## Figure 15", policies);
    let dirty = row("mean", "## Figure 5");
    let told = |before: &str| {
        let rest = report
            .split_once(before)
            .unwrap_or_else(|| panic!("{before}"))
            .1;
        rest.split([' ', ')']).next().unwrap().to_owned()
    };
    let percent = told("GB/s (");
    let increment = told("PEP writes at the launch ");
    says(
        PREEMPTION,
        [
            line("latency, us, paper (sixteen kernels)", papers),
            line("latency, us, here", means),
            line("worst, Chimera as 100, here", worst),
            format!("at the launch is {increment} % of what it wrote as a base"),
            format!(
                "{:.1} and {:.1} % more are dirty than at 25 %",
                dirty[3].1, dirty[4].1
            ),
            format!(
                "make Chimera {:.1} times slower and PEP {:.1} times, where the paper has 2.58",
                doubled[2].1, doubled[5].1
            ),
            format!(
                "PEP {:.1} and in place {:.1}, where",
                overhead[1], overhead[2]
            ),
            format!("have {percent} % of DRAM's {} GB/s", told("DRAM moves ")),
        ],
    );
}

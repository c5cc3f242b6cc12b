//! What the schemes cost while nothing faults, by hand-written kernels, beside the paper.

use super::*;

/// The schemes without faults: the paper's order of the means with lbm at the paper's 8 warps, the log of 16 KB near the
/// baseline, the gap on that lbm, a reason for each mean that is far from the paper's, of the SM by itself and of the GPU; and
/// the page's figures are the reports'.
#[test]
fn committed_performance_stays_within_the_bars() {
    let report = text("sim/reports/performance.md");
    let figures = text("sim/reports/figures.md");
    let mut before = 0.0;
    for (scheme, in_page) in SCHEMES {
        let row = report_row(&report, scheme, "Each workload");
        let (paper, here, at_8_warps) = (row[0].1, row[1].1, row[2].1);
        assert!(
            at_8_warps >= before,
            "{scheme}: {at_8_warps} after {before}"
        );
        before = at_8_warps;
        let on_gpu = report_row(&figures, scheme, "Each workload")[1].1;
        for (report, here) in [(&report, here), (&figures, on_gpu)] {
            let explained = report.contains(&format!("\n**{scheme}** costs "));
            assert!(
                (here - paper).abs() <= MEAN_POINTS || explained,
                "{scheme}: {here}, paper {paper}, and no reason"
            );
        }
        let said = format!("| {in_page} | {paper} | {here:.1} | {at_8_warps:.1} | {on_gpu:.1} |");
        says(PERFORMANCE, [said]);
    }
    assert!(before >= LOG_16K_MEAN, "log of 16 KB: {before}");
    let in_order = |kernel: &&str| {
        let row = report_row(&report, kernel, "## Performance by workload");
        let of = |scheme: &&str| row.iter().find(|(name, _)| name == scheme).unwrap().1;
        let mut speeds: Vec<f64> = ORDER.iter().map(of).collect();
        speeds.push(100.0);
        // Both are rounded to a tenth.
        let ahead = |pair: &[f64]| pair[0] <= pair[1] * (1.0 + EQUAL / 100.0) + 0.1;
        (1..speeds.len()).all(|behind| (0..behind).all(|at| ahead(&[speeds[at], speeds[behind]])))
    };
    let kernels = KERNELS.map(|(name, _)| name);
    let out_of_order: Vec<_> = kernels.iter().filter(|kernel| !in_order(kernel)).collect();
    assert_eq!(out_of_order, OUT_OF_ORDER.each_ref(), "with a log of 16 KB");
    let lbm_in = |report: &str, kernel: &str, scheme: &str| {
        let row = report_row(report, kernel, "## lbm, by warps");
        row.iter().find(|(name, _)| *name == scheme).unwrap().1
    };
    let lbm = |kernel: &str, scheme: &str| lbm_in(&report, kernel, scheme);
    let (queue, log) = ("replay-queue", "operand-log 16 KB");
    let gap = lbm("`lbm-8-warps`", log) - lbm("`lbm-8-warps`", queue);
    assert!(gap >= LBM_GAP, "lbm: {gap} points between queue and log");
    says(
        PERFORMANCE,
        [
            format!(
                "| lbm: replay queue, operand log of 16 KB | {}, {} | {:.1}, {:.1} | {:.1}, {:.1} | {:.1}, {:.1} |",
                lbm("paper", queue),
                lbm("paper", log),
                lbm("`lbm`", queue),
                lbm("`lbm`", log),
                lbm("`lbm-8-warps`", queue),
                lbm("`lbm-8-warps`", log),
                lbm_in(&figures, "`lbm`", queue),
                lbm_in(&figures, "`lbm`", log),
            ),
            format!(
                "`lbm-8-warps`): the queue is at {:.1} %",
                lbm("`lbm-8-warps`", queue)
            ),
            format!("`lbm-offsets`): {:.1} %", lbm("`lbm-offsets`", queue)),
            format!("`lbm-pointers`): {:.1} %", lbm("`lbm-pointers`", queue)),
            format!("as compiled (`lbm`): {:.1} %", lbm("`lbm`", queue)),
            format!(
                "in the same order, they are at {:.1}, {:.1}, {:.1} and {:.1} %.",
                lbm_in(&figures, "`lbm-8-warps`", queue),
                lbm_in(&figures, "`lbm-offsets`", queue),
                lbm_in(&figures, "`lbm-pointers`", queue),
                lbm_in(&figures, "`lbm`", queue),
            ),
            format!(
                "8 KB is {:.1} % behind the queue on lbm",
                lbm("`lbm`", queue) - lbm("`lbm`", "operand-log 8 KB")
            ),
        ],
    );
}

#[test]
fn the_log_behind_the_queue_is_that_of_the_reports() {
    let figures = text("sim/reports/figures.md");
    let of = |below: &str, row: &str, column: &str| {
        let row = report_row(&figures, row, below);
        row.iter().find(|(name, _)| *name == column).unwrap().1
    };
    let mean = |scheme: &str, column: &str| of("Each workload", scheme, column);
    let (queue, log) = ("replay-queue", "operand-log 16 KB");
    let ahead = |kernel: &str| {
        let by_kernel = "## Performance by workload";
        of(by_kernel, kernel, log) - of(by_kernel, kernel, queue)
    };
    let faults = text("sim/reports/performance_faults.md");
    let faulting = |scheme: &str| report_row(&faults, scheme, "## Geometric means")[0].1;
    says(
        PERFORMANCE,
        [
            format!(
                "by {:.1} points with 16 KB and by {:.1} points with 8 KB",
                mean(queue, "here") - mean(log, "here"),
                mean(queue, "here") - mean("operand-log 8 KB", "here"),
            ),
            format!(
                "it is {:.1} points behind on lbm and {:.1} on spmv, and {:.1} points ahead on mri-gridding",
                -ahead("lbm"),
                -ahead("spmv"),
                ahead("mri-gridding"),
            ),
            format!(
                "The paper has it {:.1} points ahead in the mean with 16 KB",
                mean(log, "paper") - mean(queue, "paper"),
            ),
            format!(
                "the queue is at {:.1} and the logs of 8, 16 and 32 KB at {:.1}, {:.1} and {:.1}",
                faulting(queue),
                faulting("operand-log 8 KB"),
                faulting(log),
                faulting("operand-log 32 KB"),
            ),
        ],
    );
}

//! README's five results are those of the reports.

use super::*;

const README: &str = "README.md";

#[test]
fn readme_has_the_results_of_the_reports() {
    let cost = text("synth/reports/cost.md");
    let log = |label: &str| {
        let row = report_row(&cost, label, "SM area %, paper");
        row.iter().find(|(log, _)| *log == "16K").unwrap().1
    };
    let performance = text("sim/reports/figures_compiled.md");
    let mean = |scheme: &str| {
        let row = report_row(&performance, scheme, "Each workload");
        (row[0].1, row[1].1)
    };
    let ((queue_paper, queue), (log_paper, of_log)) =
        (mean("replay-queue"), mean("operand-log 16 KB"));
    let preempt = text("sim/reports/preempt.md");
    let latency = |policy: &str| {
        let row = report_row(&preempt, policy, "## Latency");
        (row[1].1, row[0].1)
    };
    let ((pep_paper, pep), (in_place_paper, in_place)) = (latency("pep"), latency("pep-in-place"));
    let pipeline = text("synth/reports/sm_pipeline.md");
    let of_pipeline = |label: &str| {
        let row = report_row(&pipeline, label, "Area and clock");
        let column = row
            .iter()
            .find(|(column, _)| *column == "sm_pipeline log_64");
        grouped(column.unwrap().1 as u64)
    };
    let restart = text("sim/reports/restart.md");
    let programs = restart.lines().map(cells).filter(|row| row.len() == 11);
    let programs: Vec<_> = programs.map(|row| (row[1], row[10])).skip(2).collect();
    assert_eq!(programs.len(), 4);
    assert!(programs.iter().all(|row| *row == programs[0]));
    let (programs, failures) = programs[0];
    let lbm_loses = |kind: &str| {
        let row = report_row(&performance, kind, "## lbm, by warps");
        let queue = row.iter().find(|(name, _)| *name == "replay-queue");
        100.0 - queue.unwrap().1
    };
    let losses = ["lbm", "lbm-8-warps"].map(|kind| lbm_loses(&format!("`{kind}`")));
    says(
        README,
        [format!(
            "it loses {:.0} %, and {:.0} % at the paper's 8 warps without offsets",
            losses[0], losses[1]
        )],
    );
    assert!(of_log <= queue, "a log of 16 KB is faster than the queue");
    let rows = [
        format!(
            "| SM area of a 16 KB log, fitted to the paper; as synthesized | {:.2} % | {:.2} %; {:.2} % | [cost](docs/results/cost.md#the-operand-log-beside-the-paper) |",
            log("SM area %, paper"),
            log("paper-fit (x 1.5)"),
            log("single-port, control measured"),
        ),
        format!(
            "| Compiled programs on 16 SMs without faults, stall on fault as 100: replay queue; 16 KB log | {queue_paper}; {log_paper} | {queue:.1}; {of_log:.1} | [figures](sim/reports/figures_compiled.md) |"
        ),
        format!(
            "| Mean latency of a preemption by Li et al.: PEP; PEP in place | {pep_paper}; {in_place_paper} us | {pep:.1}; {in_place:.1} us | [preempt](sim/reports/preempt.md) |"
        ),
        format!(
            "| Pipeline of 64 warps with a 16 KB log | | {} um2, {} MHz | [sm_pipeline](synth/reports/sm_pipeline.md) |",
            of_pipeline("total um2"),
            of_pipeline("clock MHz"),
        ),
        format!(
            "| Random programs that restart after faults, for each preemptible scheme; failures | | {programs}; {failures} | [restart](sim/reports/restart.md) |"
        ),
    ];
    says(README, &rows);
    let readme = text(README);
    let results = readme.split("\n## Results\n").nth(1).unwrap();
    let results = results.split("\n## ").next().unwrap();
    let shown = results.lines().filter(|line| line.starts_with("| "));
    assert_eq!(shown.count(), rows.len() + 1, "a heading and these rows");
}

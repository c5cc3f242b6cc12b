//! What the page of verification says of mutants and restarts is what the reports say.

use super::*;

/// The page's rows of mutants are the sums of the reports' rows.
#[test]
fn page_has_the_mutants_of_the_reports() {
    for (name, row) in [
        (
            "mutants",
            "[five blocks](../../testbench/reports/mutants.md), before the last changes of log and L1 TLB",
        ),
        (
            "mutants_l1_tlb",
            "[L1 TLB with large entries and with 16 misses](../../testbench/reports/mutants_l1_tlb.md)",
        ),
        (
            "mutants_sm_pipeline",
            "[pipeline with a log](../../testbench/reports/mutants_sm_pipeline.md)",
        ),
        (
            "mutants_gmmu",
            "[GMMU and its blocks](../../testbench/reports/mutants_gmmu.md)",
        ),
        (
            "mutants_preemption",
            "[blocks of preemption](../../testbench/reports/mutants_preemption.md)",
        ),
    ] {
        let report = text(&format!("testbench/reports/{name}.md"));
        let table = report
            .lines()
            .skip_while(|line| !line.starts_with("| Design"));
        let table = table.skip(2).take_while(|line| line.starts_with('|'));
        let mut sums = [0; 4];
        for line in table {
            let row = cells(line);
            for (sum, place) in sums.iter_mut().zip([1, 2, 5, 6]) {
                *sum += row[place].parse::<u64>().unwrap();
            }
        }
        let [mutants, killed, equivalent, left] = sums.map(grouped);
        says(
            VERIFICATION,
            [format!(
                "| {row} | {mutants} | {killed} | {equivalent} | {left} |"
            )],
        );
    }
    let bugs = text("testbench/reports/known_bugs.md");
    let found = bugs.split("Found: ").nth(1).unwrap();
    let found = found.split('.').next().unwrap();
    let (found, all) = found.split_once(" of ").unwrap();
    assert_eq!(found, all, "not every bug is found");
    says(VERIFICATION, [format!("All {all} [bugs that other")]);
}

/// As many bugs as the page says, and ten at least.
#[test]
fn every_planted_bug_is_found() {
    let report = text("testbench/reports/planted.md");
    let found = report.split("Found: ").nth(1).unwrap();
    let (found, of) = found.split('.').next().unwrap().split_once(" of ").unwrap();
    assert_eq!(found, of);
    let bugs = text("testbench/tools/planted/bugs.rs");
    assert_eq!(bugs.matches("\n        bug: ").count().to_string(), of);
    assert!(of.parse::<u64>().unwrap() >= 10);
    says(
        PERFORMANCE,
        [format!(
            "- {of} bugs were put into the GPU's models by hand"
        )],
    );
}

/// The page of performance has the sums of the reports of restarts.
#[test]
fn page_has_the_restarts_of_the_reports() {
    for (name, sentence) in [
        (
            "restart_contexts",
            [
                "",
                " blocks left and came back, ",
                " were saved and ran on, and ",
                " contexts that were damaged",
            ],
        ),
        (
            "restart_verilog",
            [
                "",
                " blocks left, ",
                " were saved and ran on, and ",
                " damaged contexts were refused",
            ],
        ),
    ] {
        let report = text(&format!("sim/reports/{name}.md")).replace(',', "");
        let rows = report.lines().map(cells).filter(|row| row.len() == 13);
        let mut sums = [0; 3];
        for row in rows.skip(2) {
            for (sum, place) in sums.iter_mut().zip([3, 5, 6]) {
                *sum += row[place].parse::<u64>().unwrap();
            }
        }
        let said: String = sentence[0].to_owned()
            + &sums
                .iter()
                .zip(&sentence[1..])
                .map(|(sum, then)| grouped(*sum) + then)
                .collect::<String>();
        says(PERFORMANCE, [said]);
    }
}

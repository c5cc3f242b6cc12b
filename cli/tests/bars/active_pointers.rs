//! Pointers that translate in software, beside the summary of the paper.

use super::*;

/// The page's figures are the report's; occupancy hides a translation where the SM waits for memory, and not where it issues all
/// the time.
#[test]
fn committed_active_pointers_are_on_the_page() {
    let report = text("sim/reports/active_pointers.md");
    let row = |section: &str, first: &str| -> Vec<String> {
        let (_, section) = report.split_once(&format!("\n## {section}\n")).unwrap();
        let mut rows = section
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(cells);
        let row = rows.find(|row| row[0] == first);
        let row = row.unwrap_or_else(|| panic!("{section} has no {first}"));
        row.into_iter().map(str::to_owned).collect()
    };
    let overhead = |warps: &str| [3, 6, 9].map(|place| row("Occupancy", warps)[place].clone());
    for warps in ["1", "32", "64"] {
        let [none, some, many] = overhead(warps);
        says(
            PERFORMANCE,
            [format!("| {warps} | {none} % | {some} % | {many} % |")],
        );
    }
    let parsed = |value: &str| value.parse::<f64>().unwrap();
    let [one, all] = ["1", "64"].map(|warps| overhead(warps).map(|value| parsed(&value)));
    assert!(all[0] < one[0] / 2.0 && all[2] > one[2], "{one:?} {all:?}");
    let of = |finds: &str| parsed(&row("An access", finds)[2]);
    says(
        PERFORMANCE,
        [format!(
            "takes {} instructions instead of {}, where a step of the loop is counted with it; {} if its page has to be linked \
             from the TLB, {} from the page table, and {} with a page that is brought.",
            of("linked"),
            parsed(&row("An access", "linked")[1]),
            of("in the TLB"),
            of("in the page table"),
            of("not in the page cache"),
        )],
    );
    for run in [
        "apointers, all pages in the page cache",
        "apointers, page cache empty",
        "plain pointers, hardware faults",
    ] {
        says(
            PERFORMANCE,
            [format!("| {run} | {} % |", row("The collage", run)[3])],
        );
    }
    let alone = row("A fault", "1");
    says(
        PERFORMANCE,
        [
            format!("A page takes {} cycles", alone[1]),
            format!("and {} over NVLink", alone[2]),
        ],
    );
}

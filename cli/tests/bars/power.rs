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
            format!("{} % of the lines find no page", row("Figure 8", "mean")[2]),
            format!("{} pages wait at an SM", row("Figure 7", "bfs")[1]),
            format!("lifts it from {} to {} %", bfs[4], bfs[5]),
        ],
    );
}

/// A row of a report's section, by its name.
fn row_in(report: &str, section: &str, name: &str) -> Vec<String> {
    let (_, section) = report.split_once(&format!("\n## {section}")).unwrap();
    let row = section.lines().map(cells).find(|row| row[0] == name);
    row.unwrap().into_iter().map(str::to_owned).collect()
}

/// The page has the means of the prefetcher, of minor faults, and of the energy and area of designs; every design is smaller than
/// design 2.
#[test]
fn committed_prefetcher_faults_and_energy_are_on_the_page() {
    let report = text("sim/reports/power-2.md");
    let prefetch = row_in(&report, "Section 6.3", "geometric mean");
    let minor = row_in(&report, "Section 5.1", "geometric mean");
    let large = row_in(&report, "Section 6.4", "all");
    let energy = row_in(&report, "Figure 12: dynamic energy", "geometric mean");
    let areas = ["3", "shared-l2", "shared-l2-pwc"]
        .map(|design| row_in(&report, "Figure 12: area", design)[2].clone());
    let number = |cell: &String| cell.parse::<f64>().unwrap();
    assert!(areas.iter().all(|area| number(area) < 100.0), "{areas:?}");
    assert!(number(&areas[2]) < number(&areas[0]), "{areas:?}");
    let gain = prefetch[3].trim_start_matches(['+', '-']);
    let of_program = |name: &str| row_in(&report, "Figure 12: dynamic energy", name);
    let (_, programs) = report.split_once("\n## Figure 12: dynamic energy").unwrap();
    let programs = programs.lines().filter(|line| line.starts_with("| "));
    let programs = programs
        .map(cells)
        .skip(2)
        .take_while(|row| row[0] != "geometric mean");
    let of_three: Vec<f64> = programs.map(|row| row[2].parse().unwrap()).collect();
    let less = of_three.iter().filter(|energy| **energy < 100.0).count();
    says(
        PERFORMANCE,
        [
            format!(
                "from {} to {} % of an ideal MMU ({gain} %",
                prefetch[1], prefetch[2]
            ),
            format!(
                "{} % fewer lines miss, with 64 entries {} %",
                large[3], large[5]
            ),
            format!(
                "programs run at {} % of their performance without",
                minor[1]
            ),
            format!("| energy, % of design 2 | {} |", energy[1..5].join(" | ")),
            format!(
                "the cache takes {} and {} % of the energy",
                of_program("nw")[7],
                of_program("bfs")[7]
            ),
            format!(
                "{less} of the {} programs take less in design 3",
                of_three.len()
            ),
            format!("| area, % of design 2 | 100.0 | {} |", areas.join(" | ")),
        ],
    );
}

/// What an access takes, and the areas, are those of the blocks' reports.
#[test]
fn energy_of_designs_is_that_of_the_blocks() {
    let source = text("cli/src/experiments/figures/mmu/energy.rs");
    let constant = |name: &str| -> f64 {
        let (_, rest) = source.split_once(&format!("const {name}: f64 = ")).unwrap();
        rest.split(';')
            .next()
            .unwrap()
            .replace('_', "")
            .parse()
            .unwrap()
    };
    let cell = |report: &str, row: &str, column: usize| -> f64 {
        let report = text(&format!("synth/reports/{report}.md"));
        let row = report.lines().map(cells).find(|cells| cells[0] == row);
        row.unwrap_or_else(|| panic!("{report}"))[column]
            .parse()
            .unwrap()
    };
    let mut said = [const { Vec::new() }; 3];
    for (place, entries) in [32, 64, 128].into_iter().enumerate() {
        let of_tlb = |column: usize| cell("power_l1_tlb", &format!("l1_tlb {entries}"), column);
        // Sequential and combinational cells, without what leaks.
        let check = of_tlb(4) + of_tlb(5) - of_tlb(8);
        let name = format!("L1_{entries}");
        assert!((constant(&name) - check).abs() < 0.05, "{name}: {check}");
        let area = cell("l1_tlb", "total um2", 1 + place);
        let name = format!("L1_{entries}_AREA");
        assert!((constant(&name) - area).abs() < 0.01, "{name}: {area}");
        for (said, figure) in said.iter_mut().zip([of_tlb(11), of_tlb(6), check]) {
            said.push(format!("{figure:.1}"));
        }
    }
    let [total, clock, check] = said.map(|of| format!("{}, {} and {}", of[0], of[1], of[2]));
    says(
        "docs/blocks/l1_tlb.md",
        [
            format!("take {total} mW, of which {clock} are the pins"),
            format!("Without clock and leakage a cycle takes {check} pJ"),
        ],
    );
    for (name, report, row, column) in [
        ("L2_512", "l2_tlb", "memory power mW", 1),
        ("L2_1024", "l2_tlb", "memory power mW", 2),
        ("CACHE", "page_walk_cache", "memory power mW", 2),
        ("L2_512_AREA", "l2_tlb", "total um2", 1),
        ("L2_1024_AREA", "l2_tlb", "total um2", 2),
        ("CACHE_AREA", "page_walk_cache", "total um2", 2),
        ("WALKER_AREA", "page_walker", "total um2", 3),
    ] {
        let here = cell(report, row, column);
        assert!((constant(name) - here).abs() < 0.01, "{name}: {here}");
    }
}

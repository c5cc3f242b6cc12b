//! What the page of costs says of area, power and the layout is what the reports say.

use super::*;

/// The shares of an SM in a row, as a row of the page has them.
fn shares(row: Vec<(&str, f64)>) -> String {
    let shares: Vec<String> = row
        .iter()
        .map(|(_, share)| format!("{share:.2} %"))
        .collect();
    shares.join(" | ")
}

/// The page's rows of Table 2, the areas and the clocks of the logs are those of the report.
#[test]
fn page_has_the_cost_of_the_logs() {
    let report = text("synth/reports/cost.md");
    let mut rows = Vec::new();
    for (label, below, row) in [
        ("SM area %, paper", "log", "paper"),
        (
            "paper-fit (x 1.5)",
            "SM area %, paper",
            "fitted to the paper: two ports, control as a factor of 1.5",
        ),
        (
            "single-port, control measured",
            "SM area %, paper",
            "as synthesized: one port",
        ),
        ("SM power %, paper", "log", "paper, memories"),
        (
            "paper-fit (x 1.5)",
            "SM power %, paper",
            "fitted to the paper",
        ),
    ] {
        let row_of_report = shares(report_row(&report, label, below));
        rows.push(format!("| {row} | {row_of_report} |"));
    }
    let both = ["8K", "16K", "20K", "32K"].map(|log| {
        let start = format!("{log} log and 64-entry queue: ");
        let line = report.lines().find_map(|line| line.strip_prefix(&start));
        let share = line.and_then(|line| line.split(", ").nth(1)?.split(' ').next());
        let share: f64 = share
            .unwrap_or_else(|| panic!("no {start}"))
            .parse()
            .unwrap();
        ("", share)
    });
    rows.push(format!(
        "| as synthesized, with a replay queue of 64 entries | {} |",
        shares(both.to_vec())
    ));
    let [memories, control] = ["memory area um2", "logic area um2"].map(|part| {
        let row = report_row(&report, part, "Area and clock");
        let (_, area) = row.iter().find(|(log, _)| log.contains("16k")).unwrap();
        grouped(*area as u64)
    });
    rows.push(format!(
        "takes {memories} um2 of memories and {control} um2 of control"
    ));
    let clocks: Vec<String> = report_row(&report, "clock MHz", "Area and clock")
        .iter()
        .map(|(_, clock)| format!("{clock} MHz"))
        .collect();
    rows.push(format!("| clock | {} |", clocks[1..].join(" | ")));
    rows.push(format!("64 entries runs at {}", clocks[0]));
    says(COST, rows);
}

/// The page's rows of OpenRAM's macros are those of their report, and CACTI's beside them are those of both reports.
#[test]
fn page_has_the_logs_of_openram() {
    let report = text("synth/reports/cost_openram.md");
    let area = report_row(&report, "openram, control measured", "SM area %, paper");
    let tables = ["Area and clock: single-port", "Area and clock: openram"];
    // The first column is the replay queue.
    let of_logs = |label, below| report_row(&report, label, below)[1..].to_vec();
    let [cacti, openram] = tables.map(|below| of_logs("memory area um2", below));
    let both = text("synth/reports/cost.md");
    let of_both = report_row(&both, "memory area um2", "Area and clock");
    assert_eq!(cacti, of_both[1..]);
    let joined = |cells: Vec<String>| cells.join(" | ");
    let areas =
        |row: &[(&str, f64)]| joined(row.iter().map(|(_, area)| grouped(*area as u64)).collect());
    let ratios = openram
        .iter()
        .zip(&cacti)
        .map(|((_, one), (_, other))| format!("{:.1}", one / other));
    let clocks = of_logs("clock MHz", tables[1])
        .into_iter()
        .map(|(_, clock)| format!("{clock} MHz"));
    says(
        COST,
        [
            format!(
                "| the log with OpenRAM's macros: one port | {} |",
                shares(area)
            ),
            format!("| memories by CACTI, um2 | {} |", areas(&cacti)),
            format!("| memories by OpenRAM, um2 | {} |", areas(&openram)),
            format!("| OpenRAM over CACTI | {} |", joined(ratios.collect())),
            format!(
                "| clock with OpenRAM's macros | {} |",
                joined(clocks.collect())
            ),
        ],
    );
}

/// The page's smallest log and its rows of the sizes are those of the report.
#[test]
fn page_has_the_sizes_of_the_report() {
    let report = text("synth/reports/explore.md");
    let told = "The smallest log within 1 % of the baseline has ";
    let sentence = report.lines().find(|line| line.starts_with(told));
    let mut said = vec![sentence.unwrap().to_owned()];
    for log in [4, 8, 12, 16, 20, 24, 32, 48, 64] {
        let start = format!("| {log} KB, 32x64, 64 | ");
        let row = report.lines().find_map(|line| line.strip_prefix(&start));
        let cells: Vec<&str> = row.unwrap().split(" | ").collect();
        let [_, _, area, share, power, _, clock, performance, ..] = cells[..] else {
            panic!("{cells:?}");
        };
        said.push(format!(
            "| {log} KB | {area} | {share} % | {power} | {clock} | {performance} |"
        ));
    }
    let whole = text("sim/reports/figures_compiled.md");
    let [some, little] = ["16 KB", "32 KB"].map(|log| {
        let start = format!("| operand-log {log} | ");
        let row = whole.lines().find_map(|line| line.strip_prefix(&start));
        let here: f64 = row.unwrap().split(" | ").nth(1).unwrap().parse().unwrap();
        format!("{:.1} % with {log}", 100.0 - here)
    });
    said.push(format!("smaller logs lose less: {some} and {little}"));
    says(COST, said);
}

/// The page's rows of power are those of the report, as synthesized.
#[test]
fn power_with_logic_in_the_page_is_that_of_the_report() {
    let report = text("synth/reports/cost.md");
    for (row, label) in [
        (
            "a write in each cycle",
            "single-port with logic, a write in each cycle",
        ),
        (
            "as often as kernels write",
            "single-port with logic, traces",
        ),
    ] {
        let of_report = shares(report_row(&report, label, "SM power %, paper"));
        says(COST, [format!("| as synthesized, {row} | {of_report} |")]);
    }
    let mut shares = report_row(&report, "SM power % with logic, traces", "Area and clock");
    let (queue, of_queue) = shares.remove(0);
    assert_eq!(queue, "queue 64");
    let shares: Vec<String> = shares
        .iter()
        .map(|(_, of_log)| format!("{:.2} %", of_log + of_queue))
        .collect();
    let said = format!(
        "| the same, with a replay queue of 64 entries | {} |",
        shares.join(" | ")
    );
    says(COST, [said]);
}

/// Power is OpenSTA's where both take conditions alike: within 5 % in total and 10 % by class, and with asap7, whose clock takes
/// less where data and state differ, within 7 % in total. One class of one row is further off, and the page says so.
#[test]
fn power_is_that_of_opensta() {
    let report = text("synth/reports/power_opensta.md");
    let (_, table) = report
        .split_once("their conditions written plainly")
        .unwrap();
    let (table, _) = table.split_once("What then remains").unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"))
        .skip(1)
        .map(cells)
        .collect();
    assert_eq!(rows.len(), 15, "three blocks with five libraries");
    let (mut most, mut further) = (0.0_f64, Vec::new());
    for row in &rows {
        let off = |column: usize| row[column].parse::<f64>().map_or(0.0, f64::abs);
        for (column, class) in [(5, "sequential"), (8, "combinational"), (11, "memory")] {
            if off(column) > 10.0 {
                further.push((row[0], row[1], class, row[column]));
            }
        }
        let asap7 = row[0].starts_with("asap7");
        assert!(off(14) <= if asap7 { 7.0 } else { 5.0 }, "{row:?}");
        if !asap7 {
            most = most.max(off(14));
        }
    }
    let sky130 = "sky130_fd_sc_hd__tt_025C_1v80";
    assert_eq!(further, [(sky130, "far_fault_mshr_16", "memory", "12.0")]);
    let but = "but for the memories of `far_fault_mshr_16` with sky130, which are 12.0 % above";
    says(
        COST,
        [
            format!("within {most:.1} % of OpenSTA 3.1's"),
            but.to_owned(),
        ],
    );
}

/// The page says of the layout what its report says.
#[test]
fn page_has_the_layout_of_the_report() {
    let report = text("synth/reports/layout_replay_queue_16.md");
    let value = |label: &str| {
        let row = report.lines().map(cells).find(|row| row[0] == label);
        let row = row.unwrap_or_else(|| panic!("the report has no {label}"));
        row[1].split(", ").next().unwrap().to_owned()
    };
    let said = format!(
        "{}, all {} nets with wires, {} from register to register with the wires and {} without",
        value("die"),
        value("nets, all of them routed"),
        value("register to register, with the routed wires"),
        value("register to register, without wires"),
    );
    says(COST, [said]);
}

/// The page has a row for each block, with the figures of its reports.
#[test]
fn page_has_the_cost_of_each_block() {
    for (block, design) in [
        ("scoreboard", "8_holding"),
        ("coalescer", "32"),
        ("l1_tlb", "32"),
        ("sm_pipeline", "log_64"),
        ("l2_tlb", "1024"),
        ("page_walker", "64"),
        ("page_walk_cache", "8k"),
        ("far_fault_mshr", "64"),
        ("fault_buffer", "64"),
        ("gmmu", "64"),
        ("dirty_bits", "lanes"),
        ("context_port", "32"),
        ("checkpoint", "32"),
        ("preemption_policy", "16"),
        ("block_scheduler", "16"),
    ] {
        let figures = |suffix: &str, label: &str| {
            let report = text(&format!("synth/reports/{block}{suffix}.md"));
            let row = report_row(&report, label, "Area and clock");
            let heading = format!("{block} {design}");
            let found = row.iter().find(|(column, _)| *column == heading);
            grouped(found.unwrap_or_else(|| panic!("no {heading}")).1 as u64)
        };
        let said = format!(
            "| `{block}` | `{design}` | {} | [{}](../../synth/reports/{block}.md) | {} | [{}](../../synth/reports/{block}_nangate45.md) |",
            figures("", "total um2"),
            figures("", "clock MHz"),
            figures("_nangate45", "total um2"),
            figures("_nangate45", "clock MHz"),
        );
        says(COST, [said]);
    }
}

/// The page says of the pipeline's cost what its reports say.
#[test]
fn page_has_the_cost_of_the_pipeline() {
    let thousands = |mhz: f64| format!("{},{:03}", mhz as u32 / 1000, mhz as u32 % 1000);
    let nangate = text("synth/reports/sm_pipeline_nangate45.md");
    let clocks: Vec<f64> = report_row(&nangate, "clock MHz", "Area and clock")
        .into_iter()
        .map(|(_, clock)| clock)
        .collect();
    let report = text("synth/reports/sm_pipeline.md");
    let added = |config: &str| {
        let line = report
            .lines()
            .find(|line| line.starts_with(&format!("{config} adds ")));
        let share = line.and_then(|line| line.split_whitespace().nth(7));
        let share = share.unwrap_or_else(|| panic!("no line of what {config} adds"));
        share.parse::<f64>().unwrap()
    };
    let disable = added("commit_64").max(added("check_64"));
    says(
        COST,
        [
            format!(
                "({} to {} MHz)",
                thousands(clocks.iter().copied().fold(f64::INFINITY, f64::min)),
                thousands(clocks.iter().copied().fold(0.0, f64::max))
            ),
            format!(
                "add {:.2} % of an SM or less, the replay queue {:.2} %",
                (100.0 * disable).ceil() / 100.0,
                added("queue_64")
            ),
            format!(
                "{:.2}, {:.2}, {:.2} and {:.2} % with 8, 16, 20 and 32 KB",
                added("log_64_8k"),
                added("log_64"),
                added("log_64_20k"),
                added("log_64_32k")
            ),
        ],
    );
}

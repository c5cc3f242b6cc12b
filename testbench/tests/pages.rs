//! The pages of the blocks: their timing traces run in all back ends, and their costs are those of the reports. The reports:
//! they are of the Verilog at hand, or README says that they are not.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use faultline_hw::registry::designs;
use faultline_sim::ports::Port;
use faultline_testbench::backend::Kind;
use faultline_testbench::{blocks, origin};

/// Reports from older Verilog, or from before reports named their designs. What is made again is to be taken from here,
/// and from README.
const OLDER: [&str; 5] = [
    "testbench/reports/lockstep.md",
    "testbench/reports/lockstep_64_warps.md",
    "testbench/reports/lockstep_64_warps_kernel.md",
    "testbench/reports/mutants.md",
    "sim/reports/traces.md",
];
/// What README calls them.
const CALLED_OLDER: &str =
    "- From older Verilog than that at hand, or without the names of their designs: ";
/// Reports in which no Verilog was run.
const WITHOUT_VERILOG: [&str; 7] = [
    "sim/reports/gmmu.md",
    "sim/reports/preempt.md",
    "sim/reports/preempt_kernels.md",
    "sim/reports/performance.md",
    "sim/reports/performance_faults.md",
    "sim/reports/restart.md",
    "sim/reports/restart_contexts.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page(block: &str) -> String {
    let path = root().join(format!("hw/src/{block}.md"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text under a heading of a page.
fn section<'a>(page: &'a str, heading: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once(&format!("\n## {heading}\n"))?;
    Some(rest.split("\n## ").next().unwrap_or(rest))
}

/// What a fence holds: the name of the design and its cycles, then a row for each port. A dot is an input of 0, or an
/// output that is not looked at. Before the first cycle all inputs are 0.
struct Trace<'a> {
    design: &'a str,
    first: usize,
    cycles: usize,
    rows: Vec<(&'a str, Vec<Option<u64>>)>,
}

impl<'a> Trace<'a> {
    fn read(section: &'a str) -> Option<Self> {
        let fence = section.split("```").nth(1)?;
        let mut lines = fence.lines().skip(1).filter(|line| !line.is_empty());
        let mut heading = lines.next()?.split_whitespace();
        let design = heading.next()?;
        let numbers: Vec<usize> = heading.filter_map(|cycle| cycle.parse().ok()).collect();
        let (first, cycles) = (*numbers.first()?, numbers.len());
        let rows = lines.map(|line| {
            let mut cells = line.split_whitespace();
            let name = cells.next().expect("a row has a name");
            let values: Vec<_> = cells.map(|cell| cell.parse().ok()).collect();
            assert_eq!(values.len(), cycles, "cells of {name}");
            (name, values)
        });
        Some(Self {
            design,
            first,
            cycles,
            rows: rows.collect(),
        })
    }

    fn of(&self, port: &str) -> Option<&[Option<u64>]> {
        let row = self.rows.iter().find(|(name, _)| *name == port)?;
        Some(&row.1)
    }
}

/// The first word of each port.
fn values(ports: &[Port], frame: &[u64]) -> Vec<(&'static str, u64)> {
    let mut word = 0;
    let mut values = Vec::new();
    for port in ports {
        values.push((port.name, frame[word]));
        word += port.words();
    }
    values
}

#[test]
fn timing_traces_of_the_pages_are_what_the_blocks_do() {
    for block in blocks::names() {
        let page = page(block);
        let timing = section(&page, "Timing").unwrap_or_else(|| panic!("{block}.md: no timing"));
        let trace = Trace::read(timing).unwrap_or_else(|| panic!("{block}.md: no trace"));
        let design = designs()
            .into_iter()
            .find(|design| design.name == trace.design)
            .unwrap_or_else(|| panic!("{block}.md: no design {}", trace.design));
        let kinds: Vec<_> = Kind::built().collect();
        let mut lockstep = blocks::lockstep(block, design.config, &kinds).unwrap();
        let layout = lockstep.layout().clone();
        let known = |name: &str| {
            layout
                .inputs
                .iter()
                .chain(&layout.outputs)
                .any(|port| port.name == name)
        };
        for (name, _) in &trace.rows {
            assert!(known(name), "{block}.md: no port {name}");
        }

        let mut frame = vec![0; layout.input_words()];
        frame[0] = 1;
        assert_eq!(layout.inputs[0].name, "reset");
        lockstep.run(&frame).unwrap();
        let mut shown: Vec<(&str, Vec<u64>)> = layout
            .outputs
            .iter()
            .filter(|port| trace.of(port.name).is_some())
            .map(|port| (port.name, Vec::new()))
            .collect();
        for cycle in 0..trace.first + trace.cycles {
            frame.fill(0);
            let column = cycle.checked_sub(trace.first);
            let mut word = 0;
            for port in &layout.inputs {
                frame[word] = trace
                    .of(port.name)
                    .and_then(|row| row[column?])
                    .unwrap_or_default();
                word += port.words();
            }
            lockstep.run(&frame).unwrap();
            assert!(
                lockstep.difference(1).is_none(),
                "{block}: back ends differ"
            );
            if column.is_none() {
                continue;
            }
            let outputs = values(&layout.outputs, lockstep.last_outputs());
            for (name, row) in &mut shown {
                let output = outputs.iter().find(|(port, _)| port == name);
                row.push(output.expect("an output has a value").1);
            }
        }
        let mut text = String::new();
        for (name, row) in &shown {
            let cells: Vec<_> = row.iter().map(|value| format!("{value:3}")).collect();
            writeln!(text, "{name:24}{}", cells.join(" ")).unwrap();
        }
        for (name, row) in &shown {
            let wanted = trace.of(name).expect("it was chosen by its row");
            let same = row
                .iter()
                .zip(wanted)
                .all(|(value, wanted)| wanted.is_none_or(|wanted| wanted == *value));
            assert!(
                same,
                "{block}.md: {name} is otherwise; the outputs are\n{text}"
            );
        }
    }
}

/// The cells of a table's row, if the line is one.
fn cells(line: &str) -> Option<Vec<&str>> {
    let line = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(line.split('|').map(str::trim).collect())
}

#[test]
fn costs_of_the_pages_are_those_of_the_reports() {
    for block in blocks::names() {
        let page = page(block);
        let Some(cost) = section(&page, "Cost") else {
            assert!(page.contains("not measured yet"), "{block}.md: no cost");
            continue;
        };
        // The link to the report is the first one.
        let link = cost
            .split("](")
            .nth(1)
            .and_then(|rest| rest.split(')').next());
        let link = link.unwrap_or_else(|| panic!("{block}.md: the cost names no report"));
        let report = std::fs::read_to_string(root().join("hw/src").join(link)).unwrap();
        let mut report_columns: Vec<&str> = Vec::new();
        let mut known: Vec<(&str, &str, &str)> = Vec::new();
        for row in report.lines().filter_map(cells) {
            if row[0].is_empty() || row[0] == "log" {
                report_columns = row;
                continue;
            }
            for (column, value) in report_columns.iter().zip(&row).skip(1) {
                known.push((row[0], column, value));
            }
        }
        let mut rows = cost.lines().filter_map(cells);
        let columns = rows.next().expect("the cost is a table");
        let mut compared = 0;
        for row in rows.filter(|row| !row[0].starts_with("--")) {
            for (column, value) in columns.iter().zip(&row).skip(1) {
                let cell = (row[0], *column, *value);
                assert!(
                    known.contains(&cell),
                    "{block}.md: {cell:?} is not in {link}"
                );
                compared += 1;
            }
        }
        assert!(compared >= 2, "{block}.md: no figure was compared");
    }
}

/// Every link of a page that leads into the project leads somewhere.
#[test]
fn links_of_the_documents_lead_somewhere() {
    let mut documents = vec![
        "README.md".to_owned(),
        "ARCHITECTURE.md".to_owned(),
        "CHANGELOG.md".to_owned(),
        "testbench/TESTPLAN.md".to_owned(),
    ];
    documents.extend(blocks::names().map(|block| format!("hw/src/{block}.md")));
    for document in documents {
        let text = std::fs::read_to_string(root().join(&document)).unwrap();
        let folder = root().join(&document);
        let folder = folder.parent().expect("a file lies in a folder");
        for link in text.split("](").skip(1) {
            let target = link.split(')').next().unwrap_or_default();
            if target.contains("://") || target.starts_with('#') {
                continue;
            }
            let path = folder.join(target.split('#').next().unwrap_or_default());
            assert!(path.exists(), "{document}: {target} is not there");
        }
    }
}

/// The reports of a folder, as paths in the project.
fn reports(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let reports = names.filter(|name| name.ends_with(".md"));
    reports.map(|name| format!("{folder}/{name}")).collect()
}

/// Every report names the Verilog that it was made from, and that is the Verilog at hand, as it is exported now; those of
/// which it is not so are known, and README says so.
#[test]
fn reports_are_of_the_verilog_at_hand_or_called_older() {
    let mut reports = ["testbench/reports", "sim/reports"].map(reports).concat();
    let of_netlists = [
        "power",
        "library",
        "library_pipelines",
        "library_pipelines_1000",
        "equivalence",
        "equivalence_pipelines",
        "layout_replay_queue_16",
    ];
    reports.extend(of_netlists.map(|name| format!("synth/reports/{name}.md")));
    let known = OLDER.iter().chain(&WITHOUT_VERILOG);
    for name in known {
        assert!(reports.iter().any(|report| report == name), "no {name}");
    }
    for name in &reports {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        if WITHOUT_VERILOG.contains(&name.as_str()) {
            assert!(!text.contains("SHA-256"), "{name} is of Verilog");
            continue;
        }
        let older = OLDER.contains(&name.as_str());
        let current = origin::is_current(&text).unwrap();
        assert!(current || older, "{name} is not of the Verilog at hand");
        assert!(!(current && older), "{name} is current; take it from OLDER");
    }
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let line = readme
        .lines()
        .find_map(|line| line.strip_prefix(CALLED_OLDER));
    let links = line.unwrap_or_default().split("](").skip(1);
    let mut called: Vec<_> = links.filter_map(|link| link.split(')').next()).collect();
    let mut older = OLDER.to_vec();
    called.sort_unstable();
    older.sort_unstable();
    assert_eq!(called, older, "README's line \"{CALLED_OLDER}\"");
}

/// The plan names tests that are there, and every guarantee of a page has a row in it.
#[test]
fn test_plan_names_tests_that_are_there() {
    let plan = std::fs::read_to_string(root().join("testbench/TESTPLAN.md")).unwrap();
    let mut sources = String::new();
    for entry in std::fs::read_dir(root().join("testbench/tests")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            sources += &std::fs::read_to_string(path).unwrap();
        }
    }
    for block in blocks::names() {
        let table = section(&plan, block).unwrap_or_else(|| panic!("no table of {block}"));
        for row in table.lines().filter_map(cells) {
            for name in row
                .get(2)
                .into_iter()
                .flat_map(|cell| cell.split('`'))
                .skip(1)
                .step_by(2)
            {
                if !name.contains('/') {
                    assert!(
                        sources.contains(&format!("fn {name}()")),
                        "{block}: no test {name}"
                    );
                }
            }
        }
        for line in page(block).lines() {
            let guarantee = line
                .strip_prefix("- **G")
                .and_then(|rest| rest.split("**").next()?.parse::<u32>().ok());
            if let Some(number) = guarantee {
                let row = format!("| G{number} |");
                assert!(table.contains(&row), "{block}: {row} is not in the plan");
            }
        }
    }
}

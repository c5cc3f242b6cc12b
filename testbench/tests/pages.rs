//! The pages of the blocks: their timing traces run in all back ends, their ports have the widths that they say, and their
//! costs are those of the reports. The reports: they are of the Verilog at hand, or the page of verification says that they
//! are not. The documents: their links lead somewhere, the book has all of them, and README stays short.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use faultline_hw::registry::designs;
use faultline_sim::ports::Port;
use faultline_testbench::backend::Kind;
use faultline_testbench::lockstep::Lockstep;
use faultline_testbench::session::Stimulus;
use faultline_testbench::{blocks, origin};

/// Reports from older Verilog, or from before reports named their designs. What is made again is to be taken from here,
/// and from the page of verification.
const OLDER: [&str; 14] = [
    "testbench/reports/known_bugs.md",
    "testbench/reports/same_circuits.md",
    "testbench/reports/answers_gmmu.md",
    "testbench/reports/lockstep.md",
    "testbench/reports/lockstep_64_warps.md",
    "testbench/reports/lockstep_64_warps_kernel.md",
    "testbench/reports/lockstep_gmmu.md",
    "testbench/reports/mutants.md",
    "testbench/reports/mutants_gmmu.md",
    "testbench/reports/mutants_preemption.md",
    "synth/reports/sm_pipeline.md",
    "synth/reports/sm_pipeline_nangate45.md",
    "sim/reports/restart_verilog.md",
    "sim/reports/traces.md",
];
/// Where they are called so: a page and its section.
const CALLED_OLDER: [&str; 2] = ["docs/results/verification.md", "Reports from older Verilog"];
/// README is no longer than this.
const README_LINES: usize = 120;
const README_BYTES: usize = 7_000;
/// Reports in which no Verilog was run.
const WITHOUT_VERILOG: [&str; 28] = [
    "sim/reports/power.md",
    "sim/reports/power-2.md",
    "sim/reports/pinned.md",
    "sim/reports/zheng.md",
    "sim/reports/oversubscription.md",
    "sim/reports/figures_compiled.md",
    "sim/reports/heap_compiled.md",
    "sim/reports/outputs_compiled.md",
    "sim/reports/switching_compiled.md",
    "sim/reports/active_pointers.md",
    "sim/reports/handling_32.md",
    "sim/reports/handling_64.md",
    "sim/reports/switching_64.md",
    "sim/reports/switching_32.md",
    "sim/reports/gmmu.md",
    "sim/reports/pep.md",
    "sim/reports/preempt.md",
    "sim/reports/preempt_kernels.md",
    "sim/reports/figures.md",
    "sim/reports/local_handling.md",
    "sim/reports/performance.md",
    "sim/reports/performance_faults.md",
    "sim/reports/restart.md",
    "sim/reports/restart_contexts.md",
    "sim/reports/restart_gpu.md",
    "sim/reports/study_slurm.md",
    "sim/reports/switching_16.md",
    "testbench/reports/planted.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page(block: &str) -> String {
    let path = root().join(format!("docs/blocks/{block}.md"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The blocks that are in every back end: all of them, or those that `FAULTLINE_BLOCKS` names for work on some alone.
fn built() -> impl Iterator<Item = &'static str> {
    let some = option_env!("FAULTLINE_BLOCKS");
    let is_built =
        move |block: &&str| some.is_none_or(|some| some.split(',').any(|one| one == *block));
    blocks::names().filter(is_built)
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
    for block in built() {
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

/// A width of a port table: products, sums and powers of two of numbers and of symbols that the section names first, as
/// "`W` (6)" or "`W` = 6". Of a symbol without a number nothing is known.
fn bits(width: &str, section: &str) -> Option<usize> {
    if let Some((elements, each)) = width.split_once(" x ") {
        return Some(bits(elements, section)? * bits(each, section)?);
    }
    if let Some((left, right)) = width.split_once(" + ") {
        return Some(bits(left, section)? + bits(right, section)?);
    }
    if let Some(exponent) = width.strip_prefix("2^") {
        return Some(1 << bits(exponent, section)?);
    }
    width.parse().ok().or_else(|| {
        let (_, rest) = section.split_once(&format!("`{width}` "))?;
        let rest = rest.strip_prefix('(').or(rest.strip_prefix("= "))?;
        rest.split(|c: char| !c.is_ascii_digit())
            .next()?
            .parse()
            .ok()
    })
}

#[test]
fn widths_of_the_port_tables_are_those_of_the_ports() {
    for block in blocks::names() {
        let page = page(block);
        let section = section(&page, "Ports").unwrap_or_else(|| panic!("{block}.md: no ports"));
        let layout = blocks::layout(block, blocks::default_configuration(block)).unwrap();
        let mut compared = 0;
        for port in layout.inputs.iter().chain(&layout.outputs) {
            let start = format!("| `{}` | ", port.name);
            let row = section.lines().find_map(|line| line.strip_prefix(&start));
            let width = row.and_then(|row| row.split(" | ").next());
            let width = width.unwrap_or_else(|| panic!("{block}.md: no row for {}", port.name));
            if let Some(bits) = bits(width, section) {
                assert_eq!(bits, port.bits, "{block}.md: {width} bits of {}", port.name);
                compared += 1;
            }
        }
        assert!(compared > 5, "{block}.md: no width was compared");
    }
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
        let report = std::fs::read_to_string(root().join("docs/blocks").join(link)).unwrap();
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

/// The text in a page from a paragraph's bold name to the next such paragraph.
fn paragraph<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once(&format!("\n**{name}.** "))?;
    let ends = ["\n**", "\n## "].map(|end| rest.find(end).unwrap_or(rest.len()));
    Some(&rest[..ends[0].min(ends[1])])
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// What an output shows after a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Zero,
    One,
    /// All bits are 1.
    All,
    /// A memory's output, which no reset reaches.
    Kept,
}

/// The outputs that the sentence in a page's paragraph about the reset names.
fn after_reset<'a>(block: &str, page: &'a str) -> Vec<(&'a str, After)> {
    const SENTENCE: &str = "With all inputs 0 every output is then 0";
    let reset = paragraph(page, "Reset")
        .unwrap_or_else(|| panic!("{block}.md: there is no paragraph \"Reset\""));
    let (_, rest) = reset
        .split_once(SENTENCE)
        .unwrap_or_else(|| panic!("{block}.md: \"{SENTENCE}\" is not in \"Reset\""));
    let list = rest.split('.').next().unwrap_or_default();
    let Some(list) = list.strip_prefix(", but for ") else {
        assert_eq!(list, "", "{block}.md");
        return Vec::new();
    };
    let item = |item: &'a str| {
        let (name, value) = item.split_once(' ').expect("a name and a value");
        let value = match value {
            "(1)" => After::One,
            "(all)" => After::All,
            "(kept)" => After::Kept,
            other => panic!("{block}.md: {item} is {other}"),
        };
        (name.trim_matches('`'), value)
    };
    list.split(", ").map(item).collect()
}

/// The words of each port in a frame.
fn parts<'a>(ports: &'a [Port], frame: &'a [u64]) -> Vec<(&'a Port, &'a [u64])> {
    let mut word = 0;
    let part = |port: &'a Port| {
        word += port.words();
        (port, &frame[word - port.words()..word])
    };
    ports.iter().map(part).collect()
}

/// The design that a page's timing trace is of.
fn traced(block: &str, page: &str) -> &'static str {
    let trace = section(page, "Timing").and_then(Trace::read);
    let name = trace
        .unwrap_or_else(|| panic!("{block}.md: no trace"))
        .design;
    let design = designs().into_iter().find(|design| design.name == name);
    design.unwrap_or_else(|| panic!("no design {name}")).config
}

/// Back ends of a design, but for the kernel, which is slow, and the frames that drive them.
fn driven(block: &str, config: &str) -> (Lockstep, Box<dyn Stimulus>) {
    let kinds: Vec<_> = Kind::built()
        .filter(|kind| *kind != Kind::RustHdl)
        .collect();
    let lockstep = blocks::lockstep(block, config, &kinds).unwrap();
    (lockstep, blocks::stimulus(block, config, 5).unwrap())
}

/// After a reset every output is what the page says, at the start and from whatever state.
#[test]
fn outputs_after_a_reset_are_as_the_pages_say() {
    for block in built() {
        let page = page(block);
        let named = after_reset(block, &page);
        let (mut lockstep, mut stimulus) = driven(block, traced(block, &page));
        let layout = lockstep.layout().clone();
        for (name, _) in &named {
            assert!(
                layout.outputs.iter().any(|port| port.name == *name),
                "{block}.md: there is no output {name}"
            );
        }
        let mut frame = vec![0; layout.input_words()];
        for cycles in [0, 1, 50, 300, 700, 1000] {
            for _ in 0..cycles {
                stimulus.next(&mut frame);
                lockstep.run(&frame).unwrap();
            }
            // What comes in the cycle of the reset has no effect.
            frame[0] = 1;
            lockstep.run(&frame).unwrap();
            frame.fill(0);
            lockstep.run(&frame).unwrap();
            let outputs = lockstep.last_outputs();
            for (port, value) in parts(&layout.outputs, outputs) {
                let named = named.iter().find(|(name, _)| *name == port.name);
                let all = |bits: usize| u64::MAX >> (64 - bits);
                let same = match named.map_or(After::Zero, |(_, after)| *after) {
                    After::Zero => value.iter().all(|&word| word == 0),
                    After::One => value == [1],
                    After::All => value == [all(port.bits)],
                    After::Kept => true,
                };
                assert!(
                    same,
                    "{block}.md: {} is {value:x?} after a reset",
                    port.name
                );
            }
            assert!(
                lockstep.difference(1).is_none(),
                "{block}: back ends differ"
            );
        }
    }
}

/// The element of a port, of so many, as bits.
fn element(value: &[u64], bits: usize, elements: usize, number: usize) -> Vec<bool> {
    let width = bits / elements;
    let places = number * width..(number + 1) * width;
    places
        .map(|bit| value[bit / 64] >> (bit % 64) & 1 == 1)
        .collect()
}

/// Every output has a row in its page's table, and shows without its valid what the table says.
#[test]
fn outputs_without_their_valid_show_what_the_pages_say() {
    for block in built() {
        let page = page(block);
        let table = paragraph(&page, "Outputs")
            .unwrap_or_else(|| panic!("{block}.md: there is no paragraph \"Outputs\""));
        let rows: Vec<_> = table.lines().filter_map(cells).skip(2).collect();
        let (mut lockstep, mut stimulus) = driven(block, traced(block, &page));
        let layout = lockstep.layout().clone();
        let names: Vec<_> = rows.iter().flat_map(|row| quoted(row[1])).collect();
        for port in &layout.outputs {
            let is_offer = port.name.ends_with("_valid") || port.name.ends_with("_ready");
            let times = names.iter().filter(|name| **name == port.name).count();
            assert!(
                times == 1 || is_offer && times == 0,
                "{block}.md: {} is in {times} rows",
                port.name
            );
        }
        let mut frame = vec![0; layout.input_words()];
        let mut before: Option<Vec<u64>> = None;
        for _ in 0..30_000 {
            stimulus.next(&mut frame);
            lockstep.run(&frame).unwrap();
            let now = lockstep.last_outputs().to_vec();
            let outputs = parts(&layout.outputs, &now);
            let value = |name: &str, outputs: &[(&Port, &[u64])]| {
                let found = outputs.iter().find(|(port, _)| port.name == name);
                let (port, value) = found.unwrap_or_else(|| panic!("{block}.md: no output {name}"));
                (port.bits, value.to_vec())
            };
            for row in &rows {
                let valids: Vec<_> = quoted(row[0]).map(|name| value(name, &outputs)).collect();
                let elements = valids.first().map_or(0, |(bits, _)| *bits);
                for number in 0..elements {
                    let is_valid = |(_, value): &(usize, Vec<u64>)| value[0] >> number & 1 == 1;
                    if valids.iter().any(is_valid) {
                        continue;
                    }
                    for name in quoted(row[1]) {
                        let (bits, shown) = value(name, &outputs);
                        let shown = element(&shown, bits, elements, number);
                        if row[2].starts_with('0') {
                            assert!(!shown.contains(&true), "{block}.md: {name} is not 0");
                            continue;
                        }
                        assert_eq!(row[2], "what they showed last", "{block}.md");
                        let Some(before) = &before else {
                            continue;
                        };
                        let (_, last) = value(name, &parts(&layout.outputs, before));
                        let last = element(&last, bits, elements, number);
                        assert_eq!(shown, last, "{block}.md: {name} changes");
                    }
                }
            }
            before = (frame[0] == 0).then_some(now);
        }
    }
}

/// The pages below a folder, as paths in the project.
fn pages_below(folder: &str) -> Vec<String> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{folder}/{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            pages.extend(pages_below(&name));
        } else if name.ends_with(".md") {
            pages.push(name);
        }
    }
    pages.sort();
    pages
}

/// What is no code, neither between fences nor between backticks.
fn prose(text: &str) -> String {
    let outside = text.split("\n```").step_by(2);
    outside
        .flat_map(|part| part.split('`').step_by(2))
        .collect()
}

/// The targets of a page's links.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.split("](").skip(1);
    targets
        .map(|rest| rest.split(')').next().unwrap_or_default().to_owned())
        .collect()
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> Vec<String> {
    let outside: String = text.split("\n```").step_by(2).collect();
    let headings = outside.lines().filter_map(|line| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len()).then(|| heading.strip_prefix(' '))?
    });
    headings
        .map(|heading| {
            let kept = heading
                .chars()
                .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
            kept.collect::<String>().to_lowercase().replace(' ', "-")
        })
        .collect()
}

/// Every link of a document that leads into the project leads somewhere, and its anchor is a heading of that page.
#[test]
fn links_of_the_documents_lead_somewhere() {
    let mut documents = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "testbench/TESTPLAN.md",
    ]
    .map(str::to_owned)
    .to_vec();
    documents.extend(pages_below("docs"));
    let mut with_anchor = 0;
    for document in documents {
        let text = std::fs::read_to_string(root().join(&document)).unwrap();
        let file = root().join(&document);
        let folder = file.parent().expect("a file lies in a folder");
        for target in links(&text) {
            if target.contains("://") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = if path.is_empty() {
                file.clone()
            } else {
                folder.join(path)
            };
            assert!(path.exists(), "{document}: {target} is not there");
            if anchor.is_empty() {
                continue;
            }
            with_anchor += 1;
            let page = std::fs::read_to_string(&path).unwrap();
            assert!(
                anchors(&page).iter().any(|known| known == anchor),
                "{document}: {target} is no heading"
            );
        }
    }
    assert!(with_anchor > 0, "no link with an anchor was found");
}

/// The book lists each page of `docs` once, and only pages that are there.
#[test]
fn book_lists_every_page() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<_> = links(&summary)
        .iter()
        .map(|page| format!("docs/{page}"))
        .collect();
    listed.sort();
    let mut pages = pages_below("docs");
    pages.retain(|page| page != "docs/SUMMARY.md");
    assert_eq!(listed, pages);
}

/// The guarantees and the code that the tutorial shows stand in the files of its example, whatever their indentation.
#[test]
fn tutorial_shows_the_code_of_its_example() {
    let lines = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let files = ["src/lib.rs", "src/model.rs", "src/kernel.rs", "proof.sv"];
    let code = files.map(|file| lines(&read(&format!("examples/add_a_block/{file}"))));
    let tutorial = read("docs/tutorial.md");
    let fences = tutorial.split("\n```").skip(1).step_by(2);
    let shown: Vec<_> = fences
        .filter_map(|fence| fence.split_once('\n'))
        .filter(|(language, _)| ["rust", "systemverilog"].contains(language))
        .map(|(_, code)| lines(code))
        .collect();
    let page = read("examples/add_a_block/counter.md");
    let mut quoted = tutorial.lines().filter_map(|line| line.strip_prefix("> "));
    assert!(quoted.all(|line| page.contains(line)), "docs/tutorial.md");
    assert!(shown.len() > files.len(), "{} listings", shown.len());
    for shown in &shown {
        let stands = code.iter().any(|code| code.contains(shown));
        assert!(stands, "docs/tutorial.md: {shown}");
    }
}

/// README has every block, with its page, its kernel, its model and its Verilog, and stays short.
#[test]
fn readme_is_short_and_has_every_block() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let (lines, bytes) = (readme.lines().count(), readme.len());
    assert!(lines <= README_LINES, "README.md has {lines} lines");
    assert!(bytes <= README_BYTES, "README.md has {bytes} bytes");
    let rows: Vec<_> = readme.lines().filter_map(cells).collect();
    for block in blocks::names() {
        let name = format!("[{block}](docs/blocks/{block}.md)");
        let row = rows.iter().find(|row| row[0] == name);
        let row = row.unwrap_or_else(|| panic!("README.md has no row {name}"));
        for (start, end) in [
            ("[k](hw/src/", format!("/{block}.rs)")),
            ("[m](sim/src/", format!("/{block}.rs)")),
            ("[v](rtl-out", format!("/{block})")),
        ] {
            let link = row[2].split(' ').find(|link| link.starts_with(start));
            assert!(link.is_some_and(|link| link.ends_with(&end)), "{row:?}");
        }
    }
}

/// What the commands of a page print, run in the project's folder with this file below another one; nothing without Icarus.
fn printed(commands: &str, program: &str) -> Option<String> {
    let shell = |commands: &str| {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-e", "-c", commands]).current_dir(root());
        shell.output().unwrap()
    };
    if !shell("command -v iverilog").status.success() {
        faultline_ledger::missing("Icarus is not installed");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(program);
    let output = shell(&commands.replace(&format!("../{program}"), path.to_str().unwrap()));
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// README's commands for the Verilog alone print that the replay is right, where Icarus is installed.
#[test]
fn example_of_the_verilog_alone_passes() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let fence = readme.split("```").find(|text| text.contains("iverilog"));
    if let Some(text) = printed(fence.unwrap(), "replay.vvp") {
        assert!(text.lines().any(|line| line == "PASS"), "{text}");
    }
}

/// The page of the example with an SM unit and the GMMU shows what it prints, which is that all is right in the end.
#[test]
fn end_to_end_example_prints_what_its_page_shows() {
    let page = std::fs::read_to_string(root().join("docs/end_to_end.md")).unwrap();
    let fences: Vec<&str> = page.split("```").skip(1).step_by(2).collect();
    if let Some(text) = printed(fences[0], "end_to_end.vvp") {
        assert_eq!(Some(text.as_str()), fences[1].strip_prefix("text\n"));
        assert!(text.ends_with("PASS\n"), "{text}");
    }
}

/// The reports of a folder, as paths in the project.
fn reports(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let reports = names.filter(|name| name.ends_with(".md"));
    reports.map(|name| format!("{folder}/{name}")).collect()
}

/// Every report names the Verilog that it was made from, and that is the Verilog at hand, as it is exported now, or was
/// proved to be the same circuits; those of which it is not so are known, and the page of verification says so.
#[test]
fn reports_are_of_the_verilog_at_hand_or_called_older() {
    let reports = ["testbench/reports", "sim/reports", "synth/reports"]
        .map(reports)
        .concat();
    let known = OLDER.iter().chain(&WITHOUT_VERILOG);
    for name in known {
        assert!(reports.iter().any(|report| report == name), "no {name}");
    }
    let same = std::fs::read_to_string(root().join("testbench/proofs/same.tsv")).unwrap();
    for name in &reports {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        if WITHOUT_VERILOG.contains(&name.as_str()) {
            assert!(!text.contains("SHA-256"), "{name} is of Verilog");
            continue;
        }
        let older = OLDER.contains(&name.as_str());
        let current = origin::is_same(&text, &same).unwrap();
        assert!(current || older, "{name} is not of the Verilog at hand");
        assert!(!(current && older), "{name} is current; take it from OLDER");
    }
    let [page, heading] = CALLED_OLDER;
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let section = section(&text, heading).unwrap_or_else(|| panic!("{page}: no {heading}"));
    let mut called = links(section);
    for link in &mut called {
        *link = link.trim_start_matches("../").to_owned();
    }
    let mut older = OLDER.to_vec();
    called.sort_unstable();
    older.sort_unstable();
    assert_eq!(called, older, "{page}, \"{heading}\"");
}

/// The plan names tests that are there, and every guarantee of a page has a row in it.
#[test]
fn test_plan_names_tests_that_are_there() {
    let plan = std::fs::read_to_string(root().join("testbench/TESTPLAN.md")).unwrap();
    let mut sources = String::new();
    let tests = root().join("testbench/tests");
    let folders = [tests.clone(), tests.join("proofs")];
    for entry in folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
    {
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

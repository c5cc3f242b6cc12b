//! `faultline timeline`: a small program as the pipeline diagram of the paper.

mod notation;
mod svg;

use std::path::PathBuf;

use clap::{Args as _, Command, FromArgMatches as _};
use faultline_sim::machines::sm::timeline::{PAPER_PROGRAM, Passage, passages};
use faultline_sim::machines::sm::{Exceptions, Faults, Parameters, Response, Timing};
use faultline_sim::simt::Launch;
use faultline_sim::sm::sm_pipeline::Scheme;
use faultline_synth::report::Section;
use faultline_synth::table::Grid;
use faultline_testbench::file;
use miette::{Result, miette};
use serde::Serialize;

use crate::Global;
use crate::experiments::program::{Line, Source};
use crate::experiments::sm::Schemes;
use crate::output;
use crate::value;

/// Cycles and rows that are drawn at most.
const MOST_CYCLES: u64 = 400;
const MOST_ROWS: usize = 200;
/// Columns for an instruction's text, at least and at most.
const TEXT: (usize, usize) = (28, 52);
/// Columns of a line if standard output is no terminal.
const WIDTH: usize = 120;
/// Cycles of a line at least, however narrow the terminal is.
const LEAST_CYCLES: usize = 8;
/// Cycles in which nothing happens that are drawn at most.
const SHORTEST_GAP: usize = 4;
/// Bytes of the operand log.
const LOG: usize = 16 << 10;

/// Draw a small program as the paper's pipeline diagram: stages F I O E C, a row for each instruction
#[derive(clap::Args, Debug)]
#[command(after_long_help = notation::help())]
pub struct Args {
    /// A program in the notation of the paper, which --help describes; the example of its Figures 3 to 7 if not given
    program: Option<PathBuf>,
    #[command(flatten)]
    schemes: Schemes,
    /// Lines (1 is the first) or labels of the loads and stores that fault when they are executed first
    #[arg(long, value_delimiter = ',', value_name = "LINES", value_parser = value::named)]
    fault: Vec<String>,
    /// Cycles from a fault until its page is there, and of the handler of an exception
    ///
    /// A division by zero or a trap restarts its warp; under stall-on-fault it is masked.
    #[arg(long, default_value_t = 5, value_name = "N", requires = "fault", value_parser = clap::value_parser!(u64).range(1..=200))]
    fault_cycles: u64,
    /// Draw the diagrams to this file
    #[arg(long, value_name = "FILE.svg", value_parser = output::svg_file)]
    svg: Option<PathBuf>,
}

/// A row of a diagram.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The instruction as it stands in the program.
    pub text: String,
    /// It is issued again after a fault.
    pub replayed: bool,
    /// It is fetched again after a fault.
    pub refetched: bool,
    /// The letter of each cycle, from cycle 1 on: a space where the instruction is not there.
    pub stages: String,
    /// The cycle in which its last TLB check succeeded.
    pub last_check: Option<u64>,
}

/// The program under a scheme.
#[derive(Clone, Debug, Serialize)]
pub struct Diagram {
    pub scheme: &'static str,
    pub rows: Vec<Row>,
    pub cycles: u64,
    /// The program raises exceptions.
    #[serde(skip)]
    pub raises: bool,
}

/// Runs the command.
///
/// # Errors
/// If the program cannot be read or run, is too long to be drawn, or nothing that can fault stands where `--fault` says.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    output::check_files(&[("--svg", args.svg.as_deref())])?;
    let diagrams = diagrams(args)?;
    if let Some(path) = &args.svg {
        let svg = svg::svg(&diagrams).map_err(|error| miette!("{error}"))?;
        file::write_whole(path, &svg).map_err(|error| miette!("{error}"))?;
    }
    if global.json {
        return global.print_json(&diagrams);
    }
    let (label, width) = (label_width(&diagrams), output::width().unwrap_or(WIDTH));
    let texts: Vec<String> = diagrams
        .iter()
        .map(|diagram| diagram.text(label, width))
        .collect();
    global.print(&format!("{}\n{}", texts.join("\n"), legend(&diagrams)))
}

/// The paper's example with a fault of its first load, under every scheme, for the report.
///
/// # Errors
/// If it cannot be drawn.
pub fn section() -> Result<Section> {
    let words = ["timeline", "--fault", "A"];
    let matches = Args::augment_args(Command::new("timeline")).try_get_matches_from(words);
    let args = matches.and_then(|matches| Args::from_arg_matches(&matches));
    let diagrams = diagrams(&args.map_err(|error| miette!("{error}"))?)?;
    let row = |diagram: &Diagram| {
        let replayed = diagram.rows.iter().filter(|row| row.replayed);
        vec![
            diagram.scheme.to_owned(),
            diagram.cycles.to_string(),
            replayed.count().to_string(),
        ]
    };
    Ok(Section {
        grid: Grid {
            title: "The example of the paper's Figures 3 to 7, whose first load faults".to_owned(),
            headings: ["scheme", "cycles", "issued again"]
                .map(str::to_owned)
                .to_vec(),
            rows: diagrams.iter().map(row).collect(),
        },
        picture: Some(svg::svg(&diagrams).map_err(|error| miette!("{error}"))?),
        command: format!("faultline {}", words.join(" ")),
    })
}

/// The program under each scheme.
fn diagrams(args: &Args) -> Result<Vec<Diagram>> {
    let schemes = args.schemes.chosen()?;
    let source = match &args.program {
        None => Source::new("the paper's example".to_owned(), PAPER_PROGRAM)?,
        Some(path) => Source::read(path)?,
    };
    let once = faulting(&args.fault, &source)?;
    let launch = Launch {
        grid: [1; 3],
        block: [32, 1, 1],
        shared_memory: 32 << 10,
    };
    let work = source.work(launch)?;
    let (name, lines) = (&source.name, &source.lines);
    let mut diagrams = Vec::new();
    for scheme in schemes {
        let parameters = Parameters {
            timing: Timing::FIGURES,
            faults: Faults {
                once,
                cycles: args.fault_cycles,
                ..Faults::NONE
            },
            exceptions: Exceptions {
                response: match scheme.squashes() {
                    true => Response::Restart,
                    false => Response::Masked,
                },
                handler: args.fault_cycles,
            },
            ..Parameters::paper(scheme, LOG)
        };
        let mut passages = passages(&parameters, &work)
            .map_err(|error| miette!("{name} under {}: {error}", scheme.name()))?;
        // What the command has added is not the reader's.
        passages.retain(|passage| lines.len() > passage.pc as usize || !source.is_completed);
        let mut diagram = diagram(name, scheme, &passages, lines)?;
        diagram.raises = work.exceptions() > 0;
        diagrams.push(diagram);
    }
    Ok(diagrams)
}

/// What the letters mean.
const LETTERS: [(char, &str); 9] = [
    ('F', "fetch"),
    ('I', "issue"),
    ('O', "operand read"),
    ('E', "execute"),
    ('C', "commit"),
    ('.', "it waits for its issue"),
    ('X', "it faults"),
    ('W', "it waits in the memory unit for its page"),
    ('x', "it is squashed with its warp"),
];
/// What is marked besides.
const CHECK: &str = "the cycle of its last TLB check";

/// What a gap is, if there is one.
fn gap(diagrams: &[Diagram]) -> Option<String> {
    let has_gap = |diagram: &&Diagram| diagram.columns().contains(&None);
    let mut gaps = diagrams.iter().filter(has_gap).peekable();
    gaps.peek()?;
    let searched = gaps.any(|diagram| diagram.rows.iter().any(|row| row.replayed));
    let search = if searched {
        "; where one is issued again, the replay queue is searched meanwhile"
    } else {
        ""
    };
    let handler = match diagrams.iter().any(|diagram| diagram.raises) {
        true => ", or for the handler of an exception",
        false => "",
    };
    Some(format!("the warp waits for its page{handler}{search}"))
}

/// The legend for a terminal.
fn legend(diagrams: &[Diagram]) -> String {
    let letters = LETTERS.map(|(letter, meaning)| format!("{letter} {meaning}"));
    let (stages, others) = letters.split_at(5);
    let gap = gap(diagrams).map_or(String::new(), |gap| format!("\n~ {gap}"));
    format!(
        "{}\n{}\ncheck {CHECK}{gap}",
        stages.join(", "),
        others.join(", ")
    )
}

/// Columns for the labels of all diagrams.
fn label_width(diagrams: &[Diagram]) -> usize {
    let rows = diagrams.iter().flat_map(|diagram| &diagram.rows);
    let longest = rows.map(|row| row.label(" *").chars().count()).max();
    (longest.unwrap_or(0) + 2).clamp(TEXT.0, TEXT.1)
}

/// The instructions that are to fault, a bit each.
fn faulting(faults: &[String], source: &Source) -> Result<u64> {
    let instructions = source.program.instructions().iter().take(64);
    let can_fault: Vec<_> = (0..)
        .zip(source.lines.iter().zip(instructions))
        .filter(|(_, (_, instruction))| instruction.class().is_global())
        .map(|(place, (line, _))| (place, line))
        .collect();
    let mut once = 0;
    for fault in faults {
        let is_named = |(_, line): &&(u32, &Line)| {
            line.number.to_string() == *fault || line.labels.contains(fault)
        };
        let Some((place, _)) = can_fault.iter().find(is_named) else {
            let names = can_fault.iter().map(|(_, line)| line.name());
            let there = match names.collect::<Vec<_>>() {
                none if none.is_empty() => "there is none".to_owned(),
                names => format!("there are {}", names.join(", ")),
            };
            return Err(miette!(
                "--fault {fault}: give the line or the label of a load or store of global memory among the first 64 \
                 instructions; {there}"
            ));
        };
        once |= 1 << place;
    }
    Ok(once)
}

/// Whether the instruction of a passage was fetched again because it has faulted.
fn is_refetched(passages: &[Passage], place: usize) -> bool {
    let passage = &passages[place];
    let before = passages[..place]
        .iter()
        .rfind(|before| before.pc == passage.pc);
    let failed = |before: &Passage| before.committed.is_none() && before.faulted.is_some();
    passage.fetched.is_some() && before.is_some_and(failed)
}

fn diagram(name: &str, scheme: Scheme, passages: &[Passage], lines: &[Line]) -> Result<Diagram> {
    let cycles = passages.iter().map(Passage::end).max().unwrap_or(0);
    if cycles > MOST_CYCLES || passages.len() > MOST_ROWS {
        return Err(miette!(
            "{name} under {}: the program takes {cycles} cycles and {} instructions, and at most {MOST_CYCLES} and \
             {MOST_ROWS} can be drawn; let its loops make fewer turns, or choose a faster scheme with --scheme",
            scheme.name(),
            passages.len()
        ));
    }
    let row = |(place, passage): (usize, &Passage)| Row {
        text: lines
            .get(passage.pc as usize)
            .map_or_else(String::new, |line| line.text.clone()),
        replayed: passage.fetched.is_none(),
        refetched: is_refetched(passages, place),
        stages: (1..=passage.end())
            .map(|cycle| passage.stage(cycle).unwrap_or(' '))
            .collect(),
        last_check: passage.checked,
    };
    Ok(Diagram {
        scheme: scheme.name(),
        rows: passages.iter().enumerate().map(row).collect(),
        cycles,
        raises: false,
    })
}

impl Diagram {
    /// The cycles that are drawn: where nothing happens for long, there is a gap.
    fn columns(&self) -> Vec<Option<u64>> {
        let place = |cycle: u64| cycle as usize - 1;
        let happens = |cycle: u64| {
            let stage = |row: &Row| row.stages.as_bytes().get(place(cycle)).copied();
            self.rows
                .iter()
                .any(|row| stage(row).is_some_and(|stage| stage != b' '))
        };
        let mut columns = Vec::new();
        let mut idle = Vec::new();
        for cycle in 1..=self.cycles {
            if !happens(cycle) {
                idle.push(Some(cycle));
                continue;
            }
            if idle.len() > SHORTEST_GAP {
                idle = vec![None];
            }
            columns.append(&mut idle);
            columns.push(Some(cycle));
        }
        columns
    }

    /// The diagram for a terminal: as many cycles as fit, and what follows below, with the labels again.
    fn text(&self, label: usize, width: usize) -> String {
        let columns = self.columns();
        let cell = self.cycles.to_string().len() + 1;
        let check = "   check".len() + cell;
        let fitting = width.saturating_sub(label + check) / cell;
        let parts = columns.chunks(fitting.max(LEAST_CYCLES));
        let parts: Vec<String> = parts.map(|part| self.part(part, label, cell)).collect();
        let again = match () {
            () if self.rows.iter().any(|row| row.replayed) => "* issued again after a fault\n",
            () if self.rows.iter().any(|row| row.refetched) => "* fetched again after a fault\n",
            () => "",
        };
        parts.join("\n") + again
    }

    /// Some columns, with the rows that have something there.
    fn part(&self, columns: &[Option<u64>], label: usize, cell: usize) -> String {
        let cycle = |cycle: &Option<u64>| {
            let text = cycle.map_or("~".to_owned(), |cycle| cycle.to_string());
            format!("{text:>cell$}")
        };
        let ruler: String = columns.iter().map(cycle).collect();
        let mut text = format!("{:<label$}{ruler}\n", self.scheme);
        for row in &self.rows {
            let stage = |cycle: &Option<u64>| {
                let place = cycle.map_or(usize::MAX, |cycle| cycle as usize - 1);
                let stage = row.stages.as_bytes().get(place).copied().unwrap_or(b' ');
                format!("{:>cell$}", char::from(stage))
            };
            let stages: String = columns.iter().map(stage).collect();
            let stages = stages.trim_end();
            if stages.is_empty() {
                continue;
            }
            let check = row
                .last_check
                .filter(|check| columns.contains(&Some(*check)))
                .map_or(String::new(), |check| format!("   check {check}"));
            text += &format!("{:<label$}{stages}{check}\n", row.label(" *"));
        }
        text
    }
}

impl Row {
    /// Its label: if it is too long, the instruction at its end is what is left.
    fn label(&self, again: &str) -> String {
        let is_again = self.replayed || self.refetched;
        let mark = if is_again { again } else { "" };
        let most = TEXT.1 - again.len() - 2;
        // A tab would shift what stands behind it.
        let text = self.text.replace(char::is_whitespace, " ");
        let length = text.chars().count();
        if length <= most {
            return format!("{text}{mark}");
        }
        let end: String = text.chars().skip(length + 1 - most).collect();
        format!("\u{2026}{end}{mark}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str, stages: &str) -> Row {
        Row {
            text: text.to_owned(),
            replayed: false,
            refetched: false,
            stages: stages.to_owned(),
            last_check: Some(7),
        }
    }

    #[test]
    fn a_long_label_keeps_its_end() {
        let text = format!("{}: R1 <- mov 1", "long".repeat(20));
        let label = row(&text, "").label(" *");
        assert!(label.starts_with('\u{2026}') && label.ends_with(": R1 <- mov 1"));
        assert_eq!(label.chars().count(), TEXT.1 - 4);
        assert_eq!(row("A:\texit", "").label(" *"), "A: exit");
    }

    #[test]
    fn a_diagram_is_split_by_the_width() {
        let diagram = Diagram {
            scheme: "baseline",
            rows: vec![row("A", "FIOEEEEEEEC"), row("B", "         FIC")],
            cycles: 12,
            raises: false,
        };
        let text = diagram.text(10, 47);
        let expected = "baseline    1  2  3  4  5  6  7  8\n\
                        A           F  I  O  E  E  E  E  E   check 7\n\n\
                        baseline    9 10 11 12\n\
                        A           E  E  C\n\
                        B              F  I  C\n";
        assert_eq!(text, expected);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(47));
        assert_eq!(diagram.text(10, 80).lines().count(), 3);
    }
}

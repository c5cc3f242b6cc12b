//! `faultline power`: what the blocks take, from the activity of their netlists.

use std::path::PathBuf;

use clap::ValueEnum;
use faultline_synth::cost::Subject;
use faultline_synth::library::Library;
use faultline_synth::power::{self, Calculator, Cells, Circuit};
use faultline_synth::tool::YOSYS;
use faultline_synth::yosys;
use faultline_testbench::file;
use miette::{Result, miette};

use crate::Global;
use crate::flows::cost::{self, Choice};
use crate::output::{check_files, progress};
use crate::value::{integer_in, named};

pub mod drive;
mod markdown;
mod rows;

use drive::{Activities, Traffic};
use rows::{Row, Sources};

/// Simulate the blocks' netlists under traffic, and print what they take by kind and by module
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    choice: Choice,
    /// Drive the replay queue or the operand log with the inputs from an SM that runs these kernels by name, all (`kernels`),
    /// or Accel-Sim traces
    #[arg(long, value_delimiter = ',', value_parser = named, value_name = "LIST")]
    trace: Vec<String>,
    /// Drive the blocks with random traffic, as without --trace
    #[arg(long, conflicts_with = "trace")]
    random: bool,
    /// Clock cycles of each activity
    #[arg(long, default_value_t = 20_000, value_parser = integer_in::<u64>(1..=u64::from(u32::MAX)))]
    cycles: u64,
    /// The same seed gives the same inputs
    #[arg(long, default_value_t = drive::SEED, value_parser = integer_in::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Clock, MHz
    #[arg(long, value_name = "MHZ", default_value_t = 1000, value_parser = integer_in::<u32>(1..=100_000))]
    clock: u32,
    /// Write the mapped netlist of a design, which the SAIF file is of, to this Verilog file
    #[arg(long, value_name = "FILE")]
    netlist: Option<PathBuf>,
    /// Write the activity of a design's netlist, every pin of it, to this SAIF file
    #[arg(long, value_name = "FILE")]
    saif: Option<PathBuf>,
    /// Write the instances and nets of a design to this CSV file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also write the tables to this Markdown file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// What calculates the power: Faultline, or OpenSTA 3 or newer beside it
    #[arg(long, value_enum, default_value_t = Engine::Own)]
    engine: Engine,
}

/// The choices of `--engine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// Faultline's own calculation
    Own,
    /// OpenSTA 3 or newer beside it
    Opensta,
}

/// Runs the command.
///
/// # Errors
/// If an option makes no sense, a tool is missing or fails, a netlist shows something else than the reference, or a file
/// cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    check_files(&[
        ("--netlist", args.netlist.as_deref()),
        ("--saif", args.saif.as_deref()),
        ("--csv", args.csv.as_deref()),
        ("--markdown", args.markdown.as_deref()),
    ])?;
    let designs = cost::chosen(&args.choice)?;
    let of_one = [&args.netlist, &args.saif, &args.csv];
    if designs.len() > 1 && of_one.into_iter().any(Option::is_some) {
        return Err(miette!(
            "--netlist, --saif and --csv are for one design; name it, such as {}",
            designs[0].name
        ));
    }
    YOSYS.check().map_err(|error| miette!("{error}"))?;
    if args.engine == Engine::Opensta {
        power::opensta::check().map_err(|error| miette!("{error}"))?;
    }
    let sources = Sources::new(&args.choice)?;
    let works = drive::works(&args.trace)?;
    let subjects = cost::subjects(&designs)?;
    let traffics = subjects
        .iter()
        .map(|subject| Traffic::of(subject, &works, args.cycles, args.seed))
        .collect::<Result<Vec<_>>>()?;
    let library = cost::library(&args.choice)?;
    let cells = Cells::read(&library).map_err(|error| miette!("{error}"))?;
    let runs: usize = traffics.iter().map(Vec::len).sum();
    let bar = progress(
        args.cycles * runs as u64,
        "{msg:32} {wide_bar} {human_pos}/{human_len} cycles {eta}",
    );
    let mut rows = Vec::new();
    let mut written = Vec::new();
    for (subject, traffics) in subjects.iter().zip(traffics) {
        bar.set_message(format!("synthesizing {}", subject.design.top));
        let job = Job {
            args,
            library: &library,
            cells: &cells,
            sources: &sources,
        };
        let (of_design, files) = job.run(subject, traffics, &bar)?;
        rows.extend(of_design);
        written.extend(files);
    }
    bar.finish_and_clear();
    for (path, text) in written {
        file::write_whole(&path, text).map_err(|error| miette!("{error}"))?;
    }
    if let Some(path) = &args.markdown {
        let text = markdown::markdown(args, &designs, &rows, &library, &sources)?;
        file::write_whole(path, text).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&rows),
        false => global.print(&markdown::terminal(&rows)),
    }
}

/// A file to write, and its text.
type Written = (PathBuf, String);

/// What all designs share.
struct Job<'a> {
    args: &'a Args,
    library: &'a Library,
    cells: &'a Cells,
    sources: &'a Sources,
}

impl Job<'_> {
    /// The rows of a design, and files to write of its first activity.
    fn run(
        &self,
        subject: &Subject,
        traffics: Vec<Traffic>,
        bar: &indicatif::ProgressBar,
    ) -> Result<(Vec<Row>, Vec<Written>)> {
        let failed = |error: faultline_synth::Error| miette!("{error}");
        let memories = &subject.design.memories;
        let figures = self.sources.figures(memories)?;
        let netlist = yosys::synthesize_with(
            &subject.design,
            self.library,
            self.args.choice.synthesis.target,
            self.args.choice.synthesis.mapping(),
        )
        .map_err(failed)?;
        let circuit = Circuit::read(&netlist, self.cells, memories).map_err(failed)?;
        let calculator = Calculator::new(&circuit, self.cells, self.library).map_err(failed)?;
        let clock = f64::from(self.args.clock);
        let (mut rows, mut files) = (Vec::new(), Vec::new());
        if let Some(path) = &self.args.netlist {
            files.push((path.clone(), netlist.verilog.clone()));
        }
        for traffic in traffics {
            bar.set_message(format!("{} {}", subject.design.top, traffic.name));
            let name = traffic.name;
            let activity =
                Activities::new(subject, &circuit)?.run(traffic, self.args.cycles, bar)?;
            let estimate = calculator.estimate(&activity, clock, &figures);
            if rows.is_empty() {
                if let Some(path) = &self.args.saif {
                    files.push((path.clone(), power::saif(&circuit, &activity, clock)));
                }
                if let Some(path) = &self.args.csv {
                    let text = power::csv(&calculator, &circuit, &activity, &estimate);
                    files.push((path.clone(), text.map_err(|error| miette!("{error}"))?));
                }
            }
            let opensta = match self.args.engine {
                Engine::Own => None,
                Engine::Opensta => {
                    let saif = power::saif(&circuit, &activity, clock);
                    let macros: Vec<_> = memories.iter().cloned().zip(figures.clone()).collect();
                    let found =
                        power::opensta::power(&netlist, self.library, &macros, &saif, clock);
                    Some(found.map_err(failed)?)
                }
            };
            rows.push(
                self.sources
                    .row(subject, name, &estimate, &netlist, opensta)?,
            );
        }
        Ok((rows, files))
    }
}

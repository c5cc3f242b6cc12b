//! `faultline cost`: area, power and clock of the blocks, beside the paper.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use clap::ValueEnum;
use faultline_hw::registry::{Design, designs};
use faultline_synth::cost::{self, Flow, Row, Subject};
use faultline_synth::library::Library;
use faultline_synth::sram::{Cacti, Setting, Sram, Table};
use faultline_synth::sta::CLOCK;
use faultline_synth::table::{self, Grid};
use faultline_synth::tool;
use faultline_synth::yosys::{self, Mapping};
use faultline_testbench::file;
use miette::{Result, miette};
use rayon::prelude::*;

use crate::Global;
use crate::output::{progress, right};
use crate::value::{named, whole};

/// Synthesise the blocks and print their area, power and clock beside the paper's Table 2.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    choice: Choice,
    /// Also write the rows to this CSV file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also write the tables to this Markdown file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// What is synthesised, and how: the options that the report has too.
#[derive(clap::Args, Debug)]
pub struct Choice {
    /// Only this block: replay_queue, operand_log, coalescer, l1_tlb, l2_tlb, far_fault_mshr, fault_buffer, scoreboard, sm_pipeline, page_walker or page_walk_cache
    #[arg(long, value_parser = named)]
    pub block: Option<String>,
    /// Configurations of a block other than the log and the queue; all but the proof's if not given
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = named,
        requires = "block",
        value_name = "LIST"
    )]
    pub config: Vec<String>,
    /// Sizes of the operand log [default: 8K,16K,20K,32K]
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = named,
        conflicts_with = "config",
        value_name = "SIZES"
    )]
    pub log: Vec<String>,
    /// Entries of the replay queue [default: 64]
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = named,
        conflicts_with = "config",
        value_name = "ENTRIES"
    )]
    pub queue: Vec<String>,
    /// Cell library, .lib or .lib.gz; the embedded 45 nm library if not given
    #[arg(long, value_name = "FILE")]
    pub liberty: Option<PathBuf>,
    /// What the memories are made of, and whether a table or the installed CACTI says what they cost
    #[arg(long, value_enum, default_value_t = Model::Both, value_name = "MODEL")]
    pub sram: Model,
    /// Technology node of the memories in nm; 40 for paper-fit and 45 for single-port if not given
    #[arg(long, value_name = "NM", value_parser = whole::<u32>(22..=180))]
    pub node: Option<u32>,
    /// Delay that synthesis aims at, ps
    #[arg(long, value_name = "PS", default_value_t = yosys::TARGET_PS, value_parser = whole::<u32>(1..=1_000_000))]
    pub target: u32,
    /// How ABC maps the logic: `plain` is Yosys's own script, `balanced` rebalances first
    #[arg(long, value_enum, default_value_t = Script::Balanced, value_name = "SCRIPT")]
    pub mapping: Script,
}

/// The choices of `--sram`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// One read and one write port, and the paper's factor 1.5 for control
    PaperFit,
    /// One read-write port, control as synthesised
    SinglePort,
    /// Both settings, measured with the CACTI that is installed
    Cacti,
    /// Both settings, from the embedded table
    Both,
}

/// The choices of `--mapping`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Script {
    /// Yosys's own script for `abc -D -constr`
    Plain,
    /// The same, with the logic rebalanced for depth before it is mapped
    Balanced,
}

/// Runs the command.
///
/// # Errors
/// If an option makes no sense, a tool is missing or fails, or a file cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    for path in args.csv.iter().chain(&args.markdown) {
        file::check_writable(path).map_err(|error| miette!("{error}"))?;
    }
    let measured = measure(&args.choice)?;
    if let Some(path) = &args.csv {
        let text = table::csv(&measured.rows).map_err(|error| miette!("{error}"))?;
        file::write_whole(path, &text).map_err(|error| miette!("{error}"))?;
    }
    if let Some(path) = &args.markdown {
        file::write_whole(path, measured.markdown()).map_err(|error| miette!("{error}"))?;
    }
    if global.json {
        global.print_json(&measured.rows)
    } else {
        global.print(&measured.terminal())
    }
}

/// Rows, and what made them.
pub struct Measured {
    /// The rows, blocks in the registry's order.
    pub rows: Vec<Row>,
    /// Tools, library and memories: name and version.
    pub origin: Vec<(String, String)>,
}

impl Measured {
    fn origin_text(&self) -> String {
        self.origin
            .iter()
            .map(|(name, value)| format!("{name}: {value}\n"))
            .collect()
    }

    /// The tables for a terminal.
    pub fn terminal(&self) -> String {
        let grids: Vec<String> = table::grids(&self.rows).iter().map(drawn).collect();
        let sentences: String = table::sentences(&self.rows)
            .iter()
            .map(|sentence| format!("{sentence}\n"))
            .collect();
        format!(
            "{}\n\n{sentences}{CLOCK}\n\n{}",
            grids.join("\n\n"),
            self.origin_text()
        )
    }

    /// The tables as Markdown.
    pub fn markdown(&self) -> String {
        let origin: String = self
            .origin
            .iter()
            .map(|(name, value)| format!("- {name}: {value}\n"))
            .collect();
        format!("# Cost\n\n{}\n{origin}", table::markdown(&self.rows))
    }
}

/// A grid with its title, for a terminal.
pub fn drawn(grid: &Grid) -> String {
    let headings: Vec<&str> = grid.headings.iter().map(String::as_str).collect();
    let mut table = crate::output::table(&headings);
    for row in &grid.rows {
        let mut cells = row.iter();
        let label = cells.next().map(String::as_str).unwrap_or_default();
        table.add_row(std::iter::once(label.into()).chain(cells.map(right)));
    }
    format!("{}\n{table}", grid.title)
}

/// Says at once if a tool is missing, and not after minutes.
///
/// # Errors
/// If one is.
pub fn check_tools() -> Result<()> {
    for tool in [tool::YOSYS, tool::OPENSTA] {
        tool.check().map_err(|error| miette!("{error}"))?;
    }
    Ok(())
}

/// Exports, synthesises and times what the options choose.
///
/// # Errors
/// As [`run`].
pub fn measure(args: &Choice) -> Result<Measured> {
    check_tools()?;
    let sram = match args.sram {
        Model::Cacti => Sram::Cacti(Cacti::find().map_err(|error| miette!("{error}"))?),
        _ => Sram::Table(Table::embedded().map_err(|error| miette!("{error}"))?),
    };
    let settings: &[Setting] = match args.sram {
        Model::PaperFit => &[Setting::PaperFit],
        Model::SinglePort => &[Setting::SinglePort],
        Model::Cacti | Model::Both => &Setting::ALL,
    };
    let library = library(args)?;
    let subjects = chosen(args)?
        .iter()
        .map(subject)
        .collect::<Result<Vec<_>>>()?;
    let flow = Flow {
        library: &library,
        sram: &sram,
        node_nm: args.node,
        target_ps: args.target,
        mapping: match args.mapping {
            Script::Plain => Mapping::Plain,
            Script::Balanced => Mapping::Balanced,
        },
    };
    let rows = all_rows(&subjects, &flow, settings)?;
    if rows.is_empty() {
        return Err(miette!(
            "no row to show: paper-fit is for the operand log only; give --sram single-port or both"
        ));
    }
    let version = |tool: tool::Tool| {
        let version = tool.version().unwrap_or_else(|| "unknown".to_owned());
        (tool.program.to_owned(), version)
    };
    let origin = vec![
        version(tool::YOSYS),
        version(tool::OPENSTA),
        ("library".to_owned(), library_name(args, &library)),
        ("memories".to_owned(), sram.provenance()),
        ("command".to_owned(), command(args)),
    ];
    Ok(Measured { rows, origin })
}

/// The library that the options choose.
///
/// # Errors
/// If it cannot be read, or is none.
pub fn library(args: &Choice) -> Result<Library> {
    match &args.liberty {
        Some(path) => Library::read(path),
        None => Library::embedded(),
    }
    .map_err(|error| miette!("{error}"))
}

impl Choice {
    /// The blocks whose sizes have options of their own, with the option and the sizes.
    fn sizes(&self) -> [(&'static str, &'static str, Vec<String>); 2] {
        let or = |given: &[String], default: &[&str]| match given {
            [] => default.iter().map(|size| (*size).to_owned()).collect(),
            given => given.to_vec(),
        };
        [
            ("replay_queue", "queue", or(&self.queue, &["64"])),
            (
                "operand_log",
                "log",
                or(&self.log, &["8K", "16K", "20K", "32K"]),
            ),
        ]
    }
}

fn library_name(args: &Choice, library: &Library) -> String {
    match &args.liberty {
        Some(path) => format!("{} ({})", library.name(), path.display()),
        None => format!("{} (embedded)", library.name()),
    }
}

/// The command that makes these rows again.
fn command(args: &Choice) -> String {
    let mut command = String::from("faultline cost");
    if let Some(block) = &args.block {
        command += &format!(" --block {block}");
    }
    if !args.config.is_empty() {
        command += &format!(" --config {}", args.config.join(","));
    }
    for (block, option, sizes) in args.sizes().iter().rev() {
        if args.block.as_deref().is_none_or(|chosen| chosen == *block) {
            command += &format!(" --{option} {}", sizes.join(","));
        }
    }
    if let Some(path) = &args.liberty {
        command += &format!(" --liberty {}", path.display());
    }
    let name = |value: Option<clap::builder::PossibleValue>| {
        value.map_or(String::new(), |value| value.get_name().to_owned())
    };
    command += &format!(" --sram {}", name(args.sram.to_possible_value()));
    if let Some(node) = args.node {
        command += &format!(" --node {node}");
    }
    let mapping = name(args.mapping.to_possible_value());
    command + &format!(" --target {} --mapping {mapping}", args.target)
}

/// The designs that the options choose, in the registry's order.
///
/// # Errors
/// If there is no such block or size.
pub fn chosen(args: &Choice) -> Result<Vec<Design>> {
    let designs = designs();
    let sizes = args.sizes();
    if let Some(block) = &args.block {
        for (of, option, given) in [
            ("replay_queue", "queue", &args.queue),
            ("operand_log", "log", &args.log),
        ] {
            if of != block && !given.is_empty() {
                return Err(miette!(
                    "--{option} gives sizes of the {of}, and --block chooses {block}"
                ));
            }
            if of == block && !args.config.is_empty() {
                return Err(miette!("the sizes of the {of} are chosen with --{option}"));
            }
        }
    }
    if let Some(block) = &args.block
        && !sizes.iter().any(|(name, ..)| name == block)
    {
        // Blocks of one size have no option of their own.
        let (of_block, others): (Vec<Design>, Vec<Design>) = designs
            .into_iter()
            .filter(|design| design.is_measured())
            .partition(|design| design.block == block);
        if of_block.is_empty() {
            let mut names: Vec<&str> = others.iter().map(|design| design.block).collect();
            names.dedup();
            return Err(miette!(
                "there is no block {block}; the blocks are {}",
                names.join(", ")
            ));
        }
        let there = |config: &&String| !of_block.iter().any(|design| design.config == *config);
        if let Some(unknown) = args.config.iter().find(there) {
            let known: Vec<&str> = of_block.iter().map(|design| design.config).collect();
            return Err(miette!(
                "{block} has no configuration `{unknown}`; its configurations are {}",
                known.join(", ")
            ));
        }
        return Ok(of_block
            .into_iter()
            .filter(|design| {
                args.config.is_empty() || args.config.iter().any(|config| config == design.config)
            })
            .collect());
    }
    let wanted: Vec<(&str, String)> = sizes
        .iter()
        .filter(|(name, ..)| args.block.as_deref().is_none_or(|block| block == *name))
        .flat_map(|(name, _, sizes)| sizes.iter().map(|size| (*name, size.trim().to_lowercase())))
        .collect();
    for (block, size) in &wanted {
        if !designs
            .iter()
            .any(|design| design.block == *block && design.config == size)
        {
            let there: Vec<&str> = designs
                .iter()
                .filter(|design| design.block == *block && design.is_measured())
                .map(|design| design.config)
                .collect();
            return Err(miette!(
                "{block} has no size `{size}`; its sizes are {}",
                there.join(", ")
            ));
        }
    }
    Ok(designs
        .into_iter()
        .filter(|design| {
            wanted
                .iter()
                .any(|(block, size)| design.block == *block && design.config == size)
        })
        .collect())
}

/// A design as what is synthesised.
pub fn subject(design: &Design) -> Result<Subject> {
    let export = design
        .export()
        .map_err(|error| miette!("{}: {error}", design.name))?;
    let log_bytes = (design.block == "operand_log")
        .then(|| export.memories.first())
        .flatten()
        .map(|memory| memory.words * memory.bits * memory.instances / 8);
    // Of a pipeline the memories are a part, and so are their entries.
    let entries = export
        .memories
        .first()
        .filter(|_| {
            matches!(
                design.block,
                "operand_log" | "replay_queue" | "far_fault_mshr" | "page_walk_cache"
            )
        })
        .map(|memory| memory.words);
    Ok(Subject {
        block: design.block.to_owned(),
        config: design.config.to_owned(),
        log_bytes,
        entries,
        design: yosys::Design {
            top: export.name,
            verilog: export
                .files
                .into_iter()
                .map(|file| file.text)
                .collect::<Vec<_>>()
                .join("\n"),
            memories: export
                .memories
                .into_iter()
                .map(|memory| yosys::Memory {
                    module: memory.module,
                    words: memory.words,
                    bits: memory.bits,
                    instances: memory.instances,
                })
                .collect(),
        },
    })
}

/// The rows of all subjects, two Yosys runs at a time: more would want more memory than they save
/// time on the machines that this is meant for.
fn all_rows(subjects: &[Subject], flow: &Flow, settings: &[Setting]) -> Result<Vec<Row>> {
    let bar = progress(
        subjects.len() as u64,
        "{spinner} synthesising {msg} [{pos}/{len}] {elapsed}",
    );
    bar.enable_steady_tick(std::time::Duration::from_millis(100));
    let running = Mutex::new(Vec::new());
    let tell = |change: &dyn Fn(&mut Vec<String>)| {
        // A poisoned list is still a list, and it is only shown.
        let mut names = running
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        change(&mut names);
        bar.set_message(names.join(", "));
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .map_err(|error| miette!("the threads for Yosys cannot be started ({error})"))?;
    let rows: Result<Vec<Vec<Row>>> = pool.install(|| {
        subjects
            .par_iter()
            .map(|subject| {
                let name = subject.design.top.clone();
                tell(&|names| names.push(name.clone()));
                let rows = cost::rows(subject, flow, settings);
                tell(&|names| names.retain(|other| *other != name));
                bar.inc(1);
                rows.map_err(|error| miette!("{error}"))
            })
            .collect()
    });
    bar.finish_and_clear();
    Ok(rows?.into_iter().flatten().collect())
}

/// The files of [`write_files`].
pub const FILES: [&str; 3] = ["cost.csv", "cost.md", "cost.json"];

/// Writes the three files of a set of rows into a folder.
///
/// # Errors
/// If the folder cannot be written.
pub fn write_files(measured: &Measured, folder: &Path) -> Result<()> {
    let csv = table::csv(&measured.rows).map_err(|error| miette!("{error}"))?;
    let json = serde_json::to_string_pretty(&measured.rows).map_err(|error| miette!("{error}"))?;
    for (name, text) in FILES
        .into_iter()
        .zip([csv, measured.markdown(), json + "\n"])
    {
        file::write_whole(&folder.join(name), &text).map_err(|error| miette!("{error}"))?;
    }
    Ok(())
}

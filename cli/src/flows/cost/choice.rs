//! What `faultline cost` synthesizes, and how: its options, and the designs that they choose.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use faultline_hw::registry::{Design, designs};
use faultline_synth::designs::DEFAULT;
use faultline_synth::library::Library;
use faultline_synth::yosys::{self, Mapping};
use miette::{Result, miette};

use super::memories::{Given, given};
use crate::output::quoted;
use crate::value::{integer_in, named};

/// What is synthesized, and how: the options that the report has too.
#[derive(clap::Args, Debug)]
pub struct Choice {
    /// Designs, such as replay_queue_64, or blocks, such as l2_tlb, for their designs; the logs of 8, 16, 20 and 32 KB and the
    /// queue of 64 entries if none is given
    #[arg(
        value_name = "DESIGN",
        value_parser = named,
        conflicts_with_all = ["block", "config", "log", "queue"]
    )]
    pub designs: Vec<String>,
    /// Only this block, such as operand_log or l2_tlb
    #[arg(long, value_parser = named, hide = true)]
    pub block: Option<String>,
    /// Configurations of a block other than the log and the queue; all but the proof's if not given
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = named,
        requires = "block",
        value_name = "LIST",
        hide = true
    )]
    pub config: Vec<String>,
    /// Sizes of the operand log [default: 8K,16K,20K,32K]
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = named,
        conflicts_with = "config",
        value_name = "SIZES",
        hide = true
    )]
    pub log: Vec<String>,
    /// Entries of the replay queue [default: 64]
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = named,
        conflicts_with = "config",
        value_name = "ENTRIES",
        hide = true
    )]
    pub queue: Vec<String>,
    /// Cell library, .lib or .lib.gz; the embedded 45 nm library if not given
    #[arg(long, value_name = "FILE")]
    pub liberty: Option<PathBuf>,
    /// What the memories are: `paper-fit` has one read and one write port and the paper's factor 1.5 for control, `single-port` one
    /// read-write port and control as synthesized, `both` is both, and `cacti` measures both with the CACTI that is installed.
    /// `openram` tiles memories from the macros of OpenRAM's embedded table, beside `single-port`.
    /// Or the Liberty files (.lib or .lib.gz) of SRAM macros: memories are tiled from them, beside `single-port`
    #[arg(
        long,
        num_args = 1..,
        default_value = "both",
        value_parser = given,
        value_name = "MODEL|FILE"
    )]
    pub sram: Vec<Given>,
    /// Technology node of CACTI's memories in nm; 40 for paper-fit and 45 for single-port if not given
    #[arg(long, value_name = "NM", value_parser = integer_in::<u32>(22..=180))]
    pub node: Option<u32>,
    #[command(flatten)]
    pub synthesis: Synthesis,
}

/// How the logic is mapped to cells: the options of all commands that map.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Synthesis {
    /// Delay that synthesis aims at, ps
    #[arg(long, value_name = "PS", default_value_t = yosys::TARGET_PS, value_parser = integer_in::<u32>(1..=1_000_000))]
    pub target: u32,
    /// How ABC maps the logic: `plain` is Yosys's own script, `balanced` rebalances first, `compact` maps for area
    #[arg(long, value_enum, default_value_t = Script::Balanced, value_name = "SCRIPT")]
    mapping: Script,
}

impl Synthesis {
    /// How the logic is mapped.
    pub const fn mapping(self) -> Mapping {
        match self.mapping {
            Script::Plain => Mapping::Plain,
            Script::Balanced => Mapping::Balanced,
            Script::Compact => Mapping::Compact,
        }
    }

    /// The options, for the command that makes a report again.
    pub fn command(self) -> String {
        format!(
            "--target {} --mapping {}",
            self.target,
            self.mapping().name()
        )
    }
}

/// The choices of `--mapping`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Script {
    /// Yosys's own script for `abc -D -constr`
    Plain,
    /// The same, with the logic rebalanced for depth before it is mapped
    Balanced,
    /// Mapped for area, and sized with the library's wire loads
    Compact,
}

/// The library that the options choose.
///
/// # Errors
/// If it cannot be read, or is none.
pub fn library(args: &Choice) -> Result<Library> {
    library_of(args.liberty.as_deref())
}

/// The library in a file, or the embedded one.
///
/// # Errors
/// If it cannot be read, or is none.
pub fn library_of(path: Option<&Path>) -> Result<Library> {
    match path {
        Some(path) => Library::read(path),
        None => Library::embedded(),
    }
    .map_err(|error| miette!("{error}"))
}

impl Choice {
    /// The blocks whose sizes have options of their own, with the option and the sizes.
    fn sizes(&self) -> [(&'static str, &'static str, Vec<String>); 2] {
        let or_default = |given: &[String], block: &str| {
            let size = |name: &&str| {
                name.strip_prefix(block)?
                    .strip_prefix('_')
                    .map(str::to_owned)
            };
            match given {
                [] => DEFAULT.iter().filter_map(size).collect(),
                given => given.to_vec(),
            }
        };
        let sizes = [
            ("replay_queue", "queue", &self.queue),
            ("operand_log", "log", &self.log),
        ];
        sizes.map(|(block, option, given)| (block, option, or_default(given, block)))
    }
}

/// Its name, for a report.
pub fn library_name(path: Option<&Path>, library: &Library) -> String {
    match path {
        Some(path) => format!("{} ({})", library.name(), path.display()),
        None => format!("{} (embedded)", library.name()),
    }
}

/// The command that makes these rows again.
///
/// # Errors
/// If there is no such block or size.
pub fn command(subcommand: &str, args: &Choice) -> Result<String> {
    let mut command = format!("faultline {subcommand}");
    match args.named().as_slice() {
        // However they were chosen, they are named in one way.
        [] => chosen(args)?
            .iter()
            .for_each(|design| command += &format!(" {}", design.name)),
        named => named.iter().for_each(|name| command += &format!(" {name}")),
    }
    if let Some(path) = &args.liberty {
        command += &format!(" --liberty {}", quoted(path.display()));
    }
    command += &format!(" {}", args.sram_option());
    if let Some(node) = args.node {
        command += &format!(" --node {node}");
    }
    Ok(command + " " + &args.synthesis.command())
}

/// The designs that the options choose, in the registry's order.
///
/// # Errors
/// If there is no such block or size.
pub fn chosen(args: &Choice) -> Result<Vec<Design>> {
    let named = args.named();
    if !named.is_empty() {
        return super::of_names(&named);
    }
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

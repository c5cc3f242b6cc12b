//! The figures with compiled programs, and what the back end of their compiler is worth.

use faultline_sim::machines::sm::Work;
use faultline_sim::programs::Program;
use faultline_sim::ptx::lower::Options;
use faultline_sim::sm::sm_pipeline::Scheme;
use faultline_synth::table::Grid;
use miette::{Result, miette};

use super::super::sm::explain::{HARDEST_AS_THERE, Kinds};
use super::super::sm::jobs::Row;
use super::super::sm::setups::{self, Setup};
use super::super::sm::tables::{mean, of_works};
use super::runs::geometric_mean;

/// What is to be known of the programs.
pub const PROGRAMS: &str = "The programs are CUDA of this project after Parboil's eleven, compiled by NVRTC 11.8 for compute \
                            capability 3.5, at the papers' problem sizes and a range of their thread blocks; they are not the \
                            paper's binaries.";

/// The same in a line of a picture.
pub const CAPTION: &str =
    "The programs are compiled CUDA after Parboil's; they are not its programs.";

/// What is to be known of those that allocate besides.
pub const ALLOCATING_ARE: &str =
    "Those that allocate do what allocators' benchmarks do, and build quad-trees.";

/// What each program of the paper's hardest case is.
pub const KINDS: Kinds = [
    ("lbm", "48 warps, offsets in the instructions, as compiled"),
    (
        "lbm-no-offsets",
        "48 warps, each address in a register of its own",
    ),
    (
        "lbm-8-warps-offsets",
        "8 warps, offsets in the instructions",
    ),
    (
        HARDEST_AS_THERE,
        "8 warps, each address in a register of its own",
    ),
];

/// Bytes of the log with which ways are compared.
const LOG: usize = 16 << 10;

const WITHOUT_OFFSETS: Options = Options {
    without_offsets: true,
    ..Options::COMPARED[0].1
};

/// The programs of a list that have these names; all without one.
pub fn works(
    programs: &[Program],
    names: &[String],
    scale: u32,
    options: Options,
) -> Result<Vec<Work>> {
    let is_chosen =
        |program: &&Program| names.is_empty() || names.iter().any(|name| name == program.name);
    let chosen = programs.iter().filter(is_chosen);
    chosen
        .map(|program| work(program, scale, options))
        .collect()
}

fn work(program: &Program, scale: u32, options: Options) -> Result<Work> {
    program
        .work(scale, options)
        .map_err(|error| miette!("{error}"))
}

/// The program of the paper's hardest case in its other kinds.
pub fn variants(scale: u32) -> Result<Vec<Work>> {
    let kinds = [
        (WITHOUT_OFFSETS, None),
        (Options::default(), Some(EIGHT_WARPS)),
        (WITHOUT_OFFSETS, Some(EIGHT_WARPS)),
    ];
    let [(hardest, _), others @ ..] = KINDS;
    let program = Program::named(hardest).ok_or_else(|| miette!("there is no {hardest}"))?;
    let variant = |((name, _), (options, blocks)): ((&str, &str), (Options, Option<usize>))| {
        let mut work = work(program, scale, options)?;
        name.clone_into(&mut work.name);
        work.blocks_per_sm = blocks.unwrap_or(work.blocks_per_sm);
        Ok(work)
    };
    others.into_iter().zip(kinds).map(variant).collect()
}

/// Thread blocks of 4 warps at the paper's number of warps.
const EIGHT_WARPS: usize = 2;

/// The setups with which ways to compile are compared, of these.
pub fn compared(setups: &[Setup]) -> Vec<Setup> {
    let is_compared = |setup: &&Setup| {
        let parameters = setup.parameters.pipeline;
        match parameters.scheme {
            Scheme::StallOnFault | Scheme::ReplayQueue => true,
            Scheme::OperandLog => setup.log_bytes == Some(LOG),
            _ => false,
        }
    };
    setups.iter().filter(is_compared).cloned().collect()
}

/// What the back end of the compiler is worth, with the rows of the programs as they are compiled, and compiled in each way.
pub fn ways(all_setups: &[Setup], plain: &[Row], ways: &[Vec<Row>]) -> String {
    let named =
        |setup: &Setup| setups::name(setup.parameters.pipeline.scheme.name(), setup.log_bytes);
    let setups = compared(all_setups);
    let names_of: Vec<String> = setups.iter().skip(1).map(named).collect();
    let mut cells = Vec::new();
    for ((way, _), all) in Options::COMPARED.iter().zip(ways) {
        let beside = of_works(plain)
            .zip(of_works(all))
            .filter_map(|(plain, own)| {
                Some(plain.first()?.cycles as f64 / own.first()?.cycles.max(1) as f64)
            });
        let mut row = vec![
            (*way).to_owned(),
            format!("{:.1}", 100.0 * geometric_mean(beside)),
        ];
        for setup in &names_of {
            let of_setup = all.iter().filter(|row| row.setup() == *setup);
            let worst = of_setup.min_by(|a, b| a.relative_percent.total_cmp(&b.relative_percent));
            let worst = worst.map_or_else(String::new, |row| {
                format!("{} {:.1}", row.workload, row.relative_percent)
            });
            row.extend([format!("{:.1}", mean(all, setup)), worst]);
        }
        cells.push(row);
    }
    let mut headings = vec!["code".to_owned(), "the baseline itself".to_owned()];
    headings.extend(
        names_of
            .iter()
            .flat_map(|name| [name.clone(), "its worst".to_owned()]),
    );
    let grid = Grid {
        title: "## Registers, order of loads and offsets, %\n\nThe compiler's PTX has any number of registers; the back end gives \
                them. *As compiled*: the lowest free register, loads where the PTX has them, offsets in the instructions. Each \
                other line changes one of these. The baseline of a line is beside that of the first; the schemes are beside \
                the baseline of their line."
            .to_owned(),
        headings,
        rows: cells,
    };
    grid.markdown().trim_end().to_owned()
}

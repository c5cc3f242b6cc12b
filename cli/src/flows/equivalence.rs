//! `faultline equivalence`: the mapped netlists are the designs.

use std::path::PathBuf;

use faultline_hw::registry::Design;
use faultline_synth::equivalence::{self, Proof, Verdict};
use faultline_synth::library::Library;
use faultline_synth::table::Grid;
use faultline_synth::tool::YOSYS;
use faultline_synth::yosys;
use faultline_testbench::{file, origin};
use miette::{Result, miette};

use crate::Global;
use crate::flows::cost::{self, Synthesis};
use crate::output::{check_files, grouped, quoted};
use crate::value::named;

/// Map designs as `cost` does, and prove that each netlist is its design
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Designs, or blocks for their designs; `tops` stands for all that a flow is given as a whole, `measured` for all but
    /// those for proofs [default: replay_queue_64 operand_log_16k]
    #[arg(value_name = "DESIGN", value_parser = named)]
    design: Vec<String>,
    /// The same, as a list
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = named,
        default_value = "replay_queue_64,operand_log_16k",
        hide_default_value = true,
        conflicts_with = "design",
        value_name = "NAMES",
        hide = true
    )]
    designs: Vec<String>,
    /// Cell library, .lib or .lib.gz; the embedded 45 nm library if not given
    #[arg(long, value_name = "FILE")]
    liberty: Option<PathBuf>,
    #[command(flatten)]
    synthesis: Synthesis,
    /// Also write the table to this Markdown file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

impl Args {
    /// The names that were given, either way.
    fn names(&self) -> &[String] {
        match self.design.as_slice() {
            [] => &self.designs,
            given => given,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// If an option makes no sense, a tool is missing or fails, a file cannot be written, or a netlist is not proved.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    let failed = |error: faultline_synth::Error| miette!("{error}");
    check_files(&[("--markdown", args.markdown.as_deref())])?;
    let designs = cost::of_names(args.names())?;
    YOSYS.check().map_err(failed)?;
    let library = cost::library_of(args.liberty.as_deref())?;
    let subjects = cost::subjects(&designs)?;
    let proofs = cost::each(&subjects, "proving", |subject| {
        let design = &subject.design;
        yosys::synthesize_with(
            design,
            &library,
            args.synthesis.target,
            args.synthesis.mapping(),
        )
        .and_then(|netlist| equivalence::prove(design, &netlist, &library))
        .map_err(failed)
    })?;
    if let Some(path) = &args.markdown {
        let text = markdown(args, &designs, &proofs, &library)?;
        file::write_whole(path, text).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&proofs)?,
        false => global.print(&grid(&proofs).terminal())?,
    }
    let unproved = proofs
        .iter()
        .filter(|proof| proof.verdict != Verdict::Equivalent);
    let unproved: Vec<String> = unproved
        .map(|proof| format!("{}: {}", proof.design, told(&proof.verdict)))
        .collect();
    match unproved.is_empty() {
        true => Ok(()),
        false => Err(miette!(
            "of {} netlists {} are not proved to be their designs: {}",
            proofs.len(),
            unproved.len(),
            unproved.join("; ")
        )),
    }
}

fn told(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Equivalent => "proved".to_owned(),
        Verdict::Different(output) => format!("{output} differs"),
        Verdict::Undecided => "neither proved nor refuted".to_owned(),
        Verdict::Unmatched(reason) => format!("not compared, because {reason}"),
    }
}

fn grid(proofs: &[Proof]) -> Grid {
    let cells = |proof: &Proof| {
        let counts = [
            proof.registers,
            proof.netlist_registers,
            proof.constant,
            proof.removed,
            proof.machines,
            proof.memories,
            proof.compared,
        ];
        let [before @ .., compared] = counts.map(|count| grouped(count as u64));
        let without = match proof.removed_memories {
            count if proof.unwritten => format!("{count} unwritten"),
            count => count.to_string(),
        };
        std::iter::once(proof.design.clone())
            .chain(before)
            .chain([without, compared])
            .chain([told(&proof.verdict)])
            .collect()
    };
    let proved = proofs
        .iter()
        .filter(|proof| proof.verdict == Verdict::Equivalent);
    Grid {
        title: format!(
            "{} of {} netlists are proved to be their designs",
            proved.count(),
            proofs.len()
        ),
        headings: [
            "design",
            "flip-flops",
            "of the netlist",
            "constant",
            "done without",
            "recoded state machines",
            "memories",
            "done without",
            "compared",
            "verdict",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: proofs.iter().map(cells).collect(),
    }
}

const ABOUT: &str = "The RTL is turned into gates a second time, by what each word of it means, with its sums narrowed and put \
together by the passes of synthesis, which are trusted, and the netlist by what the library says of its cells. Both are cut at \
their flip-flops, which are the same by the names that their nets had in synthesis, and at the pins of their memories, and ABC \
(`&cec`) proves all outputs, next states and pins to be the same for every input and every state. Flip-flops and memories that \
the netlist does without may show any value in each cycle. Where the netlist needs more, its memories are called unwritten: they \
are taken to start with zeros and not to be written before reset, and are proved never to be written after it. Where Yosys has \
given the states of a state machine other codes, its table of codes says which states are equal; then it is proved besides that \
the RTL comes to no other states, and that reset brings both sides to equal ones, whatever they were in before; likewise that \
flip-flops that are constants in the netlist come to nothing else in the RTL.";

fn markdown(
    args: &Args,
    designs: &[Design],
    proofs: &[Proof],
    library: &Library,
) -> Result<String> {
    let origin = origin::verilog(designs).map_err(|error| miette!("{error}"))?;
    let mut command = format!("faultline equivalence {}", args.names().join(" "));
    if let Some(path) = &args.liberty {
        command += &format!(" --liberty {}", quoted(path.display()));
    }
    command += &format!(" {}", args.synthesis.command());
    Ok(format!(
        "# Netlists and their designs\n\n{ABOUT}\n\n{}\n{origin}.\n\n- yosys, with its yosys-abc: {}\n- library: {}\n- command: {command}\n",
        grid(proofs).markdown(),
        YOSYS.version().unwrap_or_else(|| "unknown".to_owned()),
        cost::library_name(args.liberty.as_deref(), library),
    ))
}

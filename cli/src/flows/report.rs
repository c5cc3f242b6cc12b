//! `faultline report`: Verilog, lockstep, performance, synthesis, and a page beside the paper.

use std::path::{Path, PathBuf};

use faultline_sim::trace::{OWN_KERNELS, Reader};
use faultline_synth::report::{Report, Section};
use faultline_synth::table::Grid;
use faultline_testbench::backend::Kind;
use faultline_testbench::blocks;
use faultline_testbench::file;
use faultline_testbench::lockstep::Speed;
use faultline_testbench::replay;
use miette::{Result, miette};

use crate::Global;
use crate::flows::cost;
use crate::flows::export;
use crate::output::{grouped, progress};

/// Seed of the lockstep's traffic.
const SEED: u64 = 1;
/// Cycles in which the kernel takes part: it is the slowest back end by far.
const KERNEL_CYCLES: u64 = 2_048;
/// Cycles of the others.
const CYCLES: u64 = 200_000;
/// The blocks that recorded instructions drive.
const REPORTED: [&str; 2] = ["replay_queue", "operand_log"];

/// Export the Verilog, run the lockstep and the kernels under each scheme, synthesize, and write a page with plots beside the
/// paper.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folder to write to; it is made if it is not there
    #[arg(long, default_value = "report", value_name = "DIR")]
    out: PathBuf,
    /// Recorded GPU trace that the lockstep runs, a .traceg file or a kernelslist.g; three synthetic
    /// kernels if not given
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    cost: cost::Choice,
}

/// Runs the command.
///
/// # Errors
/// If a step fails. What can be known of that is found before anything is written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    // Whatever may be wrong with the options is found before anything is made.
    cost::check_tools()?;
    let designs = cost::chosen(&args.cost)?;
    if let Some(design) = designs
        .iter()
        .find(|design| !REPORTED.contains(&design.block))
    {
        return Err(miette!(
            "the report runs recorded instructions, which drive the {} alone; for the {} there are `faultline cosim` and \
             `faultline cost --markdown FILE`",
            REPORTED.join(" and the "),
            design.block
        ));
    }
    cost::library(&args.cost)?;
    kernels(args.trace.as_deref())?;
    let index = args.out.join("index.html");
    let verilog = args.out.join("rtl");
    std::fs::create_dir_all(&verilog)
        .map_err(|error| miette!("{}: cannot make this folder: {error}", verilog.display()))?;
    for name in cost::FILES {
        file::check_writable(&args.out.join(name)).map_err(|error| miette!("{error}"))?;
    }
    file::check_writable(&index).map_err(|error| miette!("{error}"))?;
    let mut sections = lockstep(args)?;
    sections.extend([
        crate::experiments::sm::section()?,
        crate::experiments::timeline::section()?,
    ]);
    let measured = cost::measure(&args.cost, None)?;
    let page = Report {
        rows: &measured.rows,
        origin: &measured.origin,
        sections: &sections,
    }
    .html()
    .map_err(|error| miette!("{error}"))?;
    export::write_all(&verilog)?;
    cost::write_files(&measured, &args.cost, &args.out)?;
    file::write_whole(&index, &page).map_err(|error| miette!("{error}"))?;
    if global.json {
        return global.print_json(&measured.rows);
    }
    let tables: Vec<String> = sections
        .iter()
        .map(|section| section.grid.terminal() + "\n")
        .collect();
    global.print(&format!(
        "{}\n{}\nThe page is {}",
        tables.join("\n\n"),
        measured.terminal(),
        index.display()
    ))
}

/// The kernels of the lockstep: recorded ones, or the synthetic ones.
fn kernels(trace: Option<&Path>) -> Result<Vec<replay::Kernel>> {
    match trace {
        Some(path) => replay::kernels(path).map_err(|error| miette!("{error}")),
        None => OWN_KERNELS
            .iter()
            .map(|(name, text)| {
                Reader::new(text.as_bytes(), *name)
                    .and_then(replay::kernel)
                    .map_err(|error| miette!("{error}"))
            })
            .collect(),
    }
}

/// Every back end of this build in lockstep on the designs of the report, running the traces' global
/// memory instructions with page faults: a table for the page.
///
/// # Errors
/// If a trace cannot be read, a back end cannot be had, or two of them differ.
fn lockstep(args: &Args) -> Result<Vec<Section>> {
    let designs = cost::chosen(&args.cost)?;
    let kinds: Vec<Kind> = Kind::built().collect();
    let bar = progress(designs.len() as u64, "lockstep {msg} [{pos}/{len}]");
    let mut rows = Vec::new();
    for design in &designs {
        bar.set_message(design.name);
        let kernels = kernels(args.trace.as_deref())?;
        let mut session =
            blocks::replay_session(design.block, design.config, &kinds, kernels, SEED)
                .map_err(|error| miette!("{error}"))?;
        session
            .run(KERNEL_CYCLES)
            .map_err(|error| miette!("{error}"))?;
        let kernel = session.drop_backend(Kind::RustHdl);
        // The reference alone would agree with itself.
        if kinds.len() > 2 {
            session
                .run(CYCLES - KERNEL_CYCLES)
                .map_err(|error| miette!("{error}"))?;
        }
        let speeds: Vec<Speed> = session.speeds().chain(kernel).collect();
        let mut row = vec![design.name.to_owned()];
        for kind in &kinds {
            let speed = speeds.iter().find(|speed| speed.kind == *kind);
            row.push(speed.map_or("-".to_owned(), |speed| grouped(speed.cycles)));
            row.push(speed.map_or("-".to_owned(), |speed| {
                format!("{:.0}", speed.cycles_per_second() / 1000.0)
            }));
        }
        row.push("0".to_owned());
        rows.push(row);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut headings = vec!["design".to_owned()];
    for kind in &kinds {
        headings.push(format!("{kind} cycles"));
        headings.push("kHz".to_owned());
    }
    headings.push("mismatches".to_owned());
    Ok(vec![Section {
        grid: Grid {
            title: format!(
                "Lockstep on the instructions of {}: every output compared in every cycle",
                match &args.trace {
                    Some(path) => format!("recorded kernels ({})", path.display()),
                    None => format!(
                        "three synthetic kernels ({})",
                        OWN_KERNELS.map(|(name, _)| name).join(", ")
                    ),
                }
            ),
            headings,
            rows,
        },
        picture: None,
        command: match &args.trace {
            Some(path) => format!("faultline report --trace {} (seed {SEED})", path.display()),
            None => format!("faultline report (seed {SEED})"),
        },
    }])
}

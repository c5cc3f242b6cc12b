//! `faultline cost`: area, power and clock of the blocks, beside the paper.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use faultline_hw::registry::Design;
use faultline_synth::cost::{self, Drive, Flow, Measured, Subject};
use faultline_synth::power::Circuit;
use faultline_synth::table;
use faultline_synth::tool;
use faultline_synth::yosys::{self, Netlist};
use faultline_testbench::{blocks, file, origin};
use miette::{Result, miette};
use rayon::prelude::*;

use crate::flows::kit;
use crate::flows::power::drive;
use crate::output::progress;
use crate::value::integer_in;
use crate::{Global, STACK_BYTES};

mod choice;
mod memories;
mod names;

pub use choice::{Choice, Synthesis, chosen, command, library, library_name, library_of};
pub use memories::Memories;
pub use names::{of_names, unknown};

/// Synthesize the blocks and print their area, power and clock beside the paper's Table 2.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    choice: Choice,
    /// Also simulate the netlists for so many cycles of each activity: the kernels' traces and a write in each cycle for logs
    /// and queues, random traffic for the others; the tables get the logic's power
    #[arg(long, value_name = "CYCLES", value_parser = integer_in::<u64>(1..=u64::from(u32::MAX)))]
    power: Option<u64>,
    /// Also write the rows to this CSV file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also write the tables to this Markdown file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Also write the mapped netlist of each design to this folder, as Verilog called after the design; it is made if it is
    /// not there
    #[arg(long, value_name = "DIR")]
    netlist: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// If an option makes no sense, a tool is missing or fails, or a file cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    let mut netlists = Vec::new();
    if let Some(folder) = &args.netlist {
        let designs = chosen(&args.choice)?;
        let file = |design: &Design| folder.join(netlist_file(design.name));
        netlists.extend(designs.iter().map(file));
    }
    let mut files = vec![
        ("--csv", args.csv.as_deref()),
        ("--markdown", args.markdown.as_deref()),
    ];
    let named = netlists.iter().map(|path| ("--netlist", Some(&**path)));
    files.extend(named);
    crate::output::distinct_files(&files)?;
    for path in args.csv.iter().chain(&args.markdown) {
        file::check_writable(path).map_err(|error| miette!("{error}"))?;
    }
    for path in &netlists {
        kit::check(path)?;
    }
    let measured = measure(&args.choice, args.power)?;
    if let Some(folder) = &args.netlist {
        let netlist = |netlist: &Netlist| (netlist_file(&netlist.top), netlist.verilog.clone());
        let files = measured.netlists.iter().map(netlist).collect();
        kit::write(&[(folder.clone(), files)])?;
    }
    if let Some(path) = &args.csv {
        let text = table::csv(&measured.rows).map_err(|error| miette!("{error}"))?;
        file::write_whole(path, &text).map_err(|error| miette!("{error}"))?;
    }
    if let Some(path) = &args.markdown {
        let page = measured.markdown(&verilog(&args.choice)?);
        file::write_whole(path, &page).map_err(|error| miette!("{error}"))?;
    }
    if global.json {
        global.print_json(&measured.rows)
    } else {
        global.print(&measured.terminal())
    }
}

/// The file of a design's netlist in a folder.
fn netlist_file(design: &str) -> String {
    format!("{design}.v")
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

/// Exports, synthesizes and times what the options choose, and simulates it for so many cycles of each activity.
///
/// # Errors
/// As [`run`].
pub fn measure(args: &Choice, power: Option<u64>) -> Result<Measured> {
    let memories = Memories::of(args)?;
    check_tools()?;
    let library = library(args)?;
    let subjects = subjects(&chosen(args)?)?;
    let flow = Flow {
        library: &library,
        sram: &memories.sram,
        compiled: memories.compiled.as_ref(),
        node_nm: args.node,
        target_ps: args.synthesis.target,
        mapping: args.synthesis.mapping(),
    };
    let works = match power {
        Some(_) => drive::works(&["kernels".to_owned()])?,
        None => Vec::new(),
    };
    let simulate = |subject: &Subject, circuit: &Circuit| {
        let works = match blocks::takes_traces(&subject.block) {
            true => works.as_slice(),
            false => &[],
        };
        let cycles = power.unwrap_or_default();
        drive::Traffic::of(subject, works, cycles, drive::SEED)
            .and_then(|traffics| drive::activities(subject, circuit, traffics, cycles))
            .map_err(|error| error.to_string())
    };
    let simulate: Option<&Drive<'_>> = power.is_some().then_some(&simulate);
    let costed = each(&subjects, "synthesizing", |subject| {
        cost::costed(subject, &flow, memories.settings, simulate)
            .map_err(|error| miette!("{error}"))
    })?;
    let cycles = power.map_or_else(String::new, |cycles| format!(" --power {cycles}"));
    let measured = Measured::new(
        costed,
        library_name(args.liberty.as_deref(), &library),
        &memories.sram,
        memories.compiled.as_ref(),
        command("cost", args)? + &cycles,
    );
    if measured.rows.is_empty() {
        return Err(miette!(
            "no row to show: paper-fit is for the operand log only; give --sram single-port or both"
        ));
    }
    Ok(measured)
}

/// Names the Verilog of the chosen designs.
///
/// # Errors
/// If there is no such design, or one cannot be exported.
fn verilog(choice: &Choice) -> Result<String> {
    origin::verilog(&chosen(choice)?).map_err(|error| miette!("{error}"))
}

/// Designs as what is synthesized.
///
/// # Errors
/// If one cannot be exported.
pub fn subjects(designs: &[Design]) -> Result<Vec<Subject>> {
    designs.iter().map(subject).collect()
}

/// A design as what is synthesized.
pub fn subject(design: &Design) -> Result<Subject> {
    let export = design
        .export()
        .map_err(|error| miette!("{}: {error}", design.name))?;
    let verilog: Vec<String> = export.files.into_iter().map(|file| file.text).collect();
    let verilog = yosys::Design {
        top: export.name,
        verilog: verilog.join("\n"),
        memories: export.memories.into_iter().map(kit::memory).collect(),
    };
    Ok(Subject::new(design.block, design.config, verilog))
}

/// Does something with all subjects, two at a time: more runs of Yosys would want more memory than they save time on the
/// machines that this is meant for. The bar names those that are under way after what is done with them.
///
/// # Errors
/// The first one of a subject, or if no threads can be started.
pub fn each<T: Send>(
    subjects: &[Subject],
    doing: &str,
    job: impl Fn(&Subject) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let bar = progress(
        subjects.len() as u64,
        &format!("{{spinner}} {doing} {{msg}} [{{pos}}/{{len}}] {{elapsed}}"),
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
        .stack_size(STACK_BYTES)
        .build()
        .map_err(|error| miette!("the threads for Yosys cannot be started ({error})"))?;
    let done = pool.install(|| {
        subjects
            .par_iter()
            .map(|subject| {
                let name = subject.design.top.clone();
                tell(&|names| names.push(name.clone()));
                let done = job(subject);
                tell(&|names| names.retain(|other| *other != name));
                bar.inc(1);
                done
            })
            .collect()
    });
    bar.finish_and_clear();
    done
}

/// The files of [`write_files`].
pub const FILES: [&str; 3] = ["cost.csv", "cost.md", "cost.json"];

/// Writes the three files of the rows of some designs into a folder.
///
/// # Errors
/// If the folder cannot be written, or as [`verilog`].
pub fn write_files(measured: &Measured, choice: &Choice, folder: &Path) -> Result<()> {
    let csv = table::csv(&measured.rows).map_err(|error| miette!("{error}"))?;
    let json = serde_json::to_string_pretty(&measured.rows).map_err(|error| miette!("{error}"))?;
    let page = measured.markdown(&verilog(choice)?);
    for (name, text) in FILES.into_iter().zip([csv, page, json + "\n"]) {
        file::write_whole(&folder.join(name), &text).map_err(|error| miette!("{error}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use faultline_hw::registry::designs;

    use super::*;

    #[test]
    fn the_list_beside_the_verilog_gives_the_same_subjects() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rtl-out");
        let listed = faultline_synth::designs::read(&folder).unwrap();
        let chosen = ["operand_log_16k", "replay_queue_64", "l2_tlb_512"];
        let mut found = 0;
        for design in designs() {
            if !chosen.contains(&design.name) {
                continue;
            }
            let exported = subject(&design).unwrap();
            let listed = listed.iter().find(|listed| listed.design == design.name);
            let read = listed.unwrap().subject(&folder).unwrap();
            assert_eq!(format!("{read:?}"), format!("{exported:?}"));
            found += 1;
        }
        assert_eq!(found, chosen.len());
    }
}

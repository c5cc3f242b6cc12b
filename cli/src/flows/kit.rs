//! `faultline kit`: folders that a layout flow, a simulator or a linter takes as they are.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use faultline_hw::registry::{Design, Tag, designs};
use faultline_synth::kit::{self, Files, Flow, Top};
use faultline_synth::sram::{Sram, Table};
use faultline_synth::yosys::Memory;
use faultline_testbench::file;
use miette::{Result, miette};
use serde::Serialize;

use crate::Global;
use crate::flows::cost;
use crate::output::progress;
use crate::value::named;

/// Write designs as folders that a flow takes as they are: Verilog, macros, constraints, configuration.
///
/// Each folder has a README.md that says how it is run, and what of it has been run.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The flow
    #[arg(long, value_enum, value_name = "FLOW")]
    flow: Choice,
    /// Designs, such as replay_queue_16; the queues, logs, pipelines of 64 warps, walker, GMMU and dirty bits if not given
    #[arg(value_name = "DESIGN", value_parser = named)]
    designs: Vec<String>,
    /// The same, as a list
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = named,
        conflicts_with = "designs",
        value_name = "TOP",
        hide = true
    )]
    design: Vec<String>,
    /// Folder to write to, with a folder for each design; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// The choices of `--flow`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// OpenROAD-flow-scripts on NanGate 45: config.mk, constraint.sdc, macro placement
    Orfs,
    /// LibreLane on sky130A: config.json, constraints, macro placement
    Librelane,
    /// A FuseSoC core with a target for lint
    Fusesoc,
}

impl Choice {
    const fn flow(self) -> Flow {
        match self {
            Self::Orfs => Flow::Orfs,
            Self::Librelane => Flow::Librelane,
            Self::Fusesoc => Flow::Fusesoc,
        }
    }
}

/// What `--json` gives for a design.
#[derive(Serialize)]
struct Row {
    flow: &'static str,
    design: String,
    folder: PathBuf,
    files: Vec<String>,
    macros: Vec<Memory>,
}

/// Runs the command.
///
/// # Errors
/// If there is no such design, it has a memory without figures, or a folder cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    let flow = args.flow.flow();
    let chosen = chosen(match args.designs.as_slice() {
        [] => &args.design,
        given => given,
    })?;
    let sram = Sram::Table(Table::embedded().map_err(|error| miette!("{error}"))?);
    let bar = progress(chosen.len() as u64, "{msg:32} {wide_bar} {pos}/{len} kits");
    let mut rows = Vec::new();
    let mut kits = Vec::new();
    for design in &chosen {
        bar.set_message(design.name);
        let top = top(design)?;
        let files = kit::files(flow, &top, &sram).map_err(|error| miette!("{error}"))?;
        let folder = args.out.join(&top.name);
        of_one_flow(flow, &top.name, &folder)?;
        rows.push(Row {
            flow: flow.name(),
            design: top.name,
            folder: folder.clone(),
            files: files.keys().cloned().collect(),
            macros: top.memories,
        });
        kits.push((folder, files));
        bar.inc(1);
    }
    bar.finish_and_clear();
    write(&kits)?;
    if global.json {
        return global.print_json(&rows);
    }
    let lines: String = rows
        .iter()
        .map(|row| {
            let macros: usize = row.macros.iter().map(|kind| kind.instances).sum();
            format!(
                "{:<24} {} files, {macros} macros in {}\n",
                row.design,
                row.files.len(),
                row.folder.display()
            )
        })
        .collect();
    global.print(&lines)
}

/// Refuses a folder with the kit of another flow: its macros may be of another process.
fn of_one_flow(flow: Flow, top: &str, folder: &Path) -> Result<()> {
    let others = Flow::ALL.into_iter().filter(|other| *other != flow);
    for other in others {
        let file = folder.join(other.configuration(top));
        if file.exists() {
            return Err(miette!(
                "{}: this folder has a kit for {}; choose another --out",
                folder.display(),
                other.name()
            ));
        }
    }
    Ok(())
}

/// The designs of these names, or the tops where none is named.
fn chosen(names: &[String]) -> Result<Vec<Design>> {
    if !names.is_empty() {
        return cost::of_names(names);
    }
    let mut found = designs();
    found.retain(|design| design.is(Tag::Top) || design.is(Tag::Kit));
    Ok(found)
}

/// A design as what a kit is made for.
fn top(design: &Design) -> Result<Top> {
    let export = design
        .export()
        .map_err(|error| miette!("{}: {error}", design.name))?;
    Ok(Top {
        name: export.name,
        title: format!("{} {}", design.block, design.config),
        files: export
            .files
            .into_iter()
            .map(|file| (file.name, file.text))
            .collect(),
        memories: export.memories.into_iter().map(memory).collect(),
    })
}

/// A memory of a design as what is synthesized around.
pub fn memory(memory: faultline_hw::primitives::memory::MemoryUse) -> Memory {
    Memory {
        module: memory.module,
        words: memory.words,
        bits: memory.bits,
        masked: memory.masked,
        instances: memory.instances,
    }
}

/// Says before a long run whether a file could be written after it, in a folder that is made if it is not there.
///
/// # Errors
/// If it could not.
pub fn check(path: &Path) -> Result<()> {
    let parent = path.parent().unwrap_or(path);
    // The nearest folder that is there already; a relative path ends with the one at hand, which has no name.
    let there = parent.ancestors().find(|part| part.exists());
    let there = there.unwrap_or(Path::new(""));
    if there.is_file() {
        return Err(miette!(
            "{}: cannot make this folder: {} is a file",
            parent.display(),
            there.display()
        ));
    }
    if there == parent {
        return file::check_writable(path).map_err(|error| miette!("{error}"));
    }
    match file::check_writable(&there.join(path.file_name().unwrap_or_default())) {
        Ok(()) => Ok(()),
        Err(_) => Err(miette!(
            "{}: cannot make this folder: {} cannot be written to; choose another place",
            parent.display(),
            there.display()
        )),
    }
}

/// Writes the files of folders, which are made if they are not there, each file whole or not at all.
///
/// # Errors
/// If one of them cannot be written; then none is.
pub fn write(folders: &[(PathBuf, Files)]) -> Result<()> {
    let paths = || {
        folders.iter().flat_map(|(folder, files)| {
            files
                .iter()
                .map(move |(name, text)| (folder.join(name), text))
        })
    };
    for (path, _) in paths() {
        check(&path)?;
    }
    for (path, text) in paths() {
        let parent = path.parent().unwrap_or(&path);
        std::fs::create_dir_all(parent)
            .map_err(|error| miette!("{}: cannot make this folder: {error}", parent.display()))?;
        file::write_whole(&path, text).map_err(|error| miette!("{error}"))?;
    }
    Ok(())
}

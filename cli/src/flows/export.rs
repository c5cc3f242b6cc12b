//! `faultline export`: the designs as Verilog.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use faultline_hw::registry::{Design, File, Tag, designs};
use faultline_synth::designs::{LIST, Listed, list};
use faultline_testbench::file;
use miette::{Result, miette};

use crate::Global;
use crate::flows::cost;
use crate::flows::kit::memory;
use crate::value::named;

/// Write the designs as Verilog: a file for each module, and for each design a list of its files.
///
/// With all designs comes `designs.json`: block, configuration, files and memories of each one.
///
/// Of the SM pipelines of 64 warps only the one with an operand log is written unless another one is named: they are
/// large and much alike.
#[derive(clap::Args)]
pub struct Args {
    /// Designs, such as replay_queue_64, or blocks, such as replay_queue, for all of their designs; all if none is given.
    #[arg(value_name = "DESIGN", value_parser = named, conflicts_with_all = ["block", "config"])]
    design: Vec<String>,
    /// Only this block, such as replay_queue.
    #[arg(long, value_parser = named, hide = true)]
    block: Option<String>,
    /// Only this configuration, such as 64 or 16k.
    #[arg(long, value_parser = named, hide = true)]
    config: Option<String>,
    /// Folder to write to; it is made if it is not there.
    #[arg(long, default_value = "rtl-out")]
    out: PathBuf,
    /// Write nothing; fail if the folder differs from a fresh export.
    #[arg(long)]
    check: bool,
}

/// The designs that the options choose.
///
/// # Errors
/// If there is no such block or configuration.
pub fn chosen(block: Option<&str>, config: Option<&str>) -> Result<Vec<Design>> {
    let mut found = designs();
    if block.is_none() && config.is_none() {
        found.retain(|design| !design.is(Tag::Alike));
    }
    if let Some(block) = block {
        if !found.iter().any(|design| design.block == block) {
            return Err(cost::unknown(block, &found, ""));
        }
        found.retain(|design| design.block == block);
    }
    if let Some(config) = config {
        let mut configs: Vec<&str> = found.iter().map(|design| design.config).collect();
        configs.sort_unstable();
        configs.dedup();
        found.retain(|design| design.config == config);
        if found.is_empty() {
            return Err(miette!(
                "there is no configuration {config}; there are {}",
                configs.join(", ")
            ));
        }
    }
    Ok(found)
}

/// The designs of these names, and those of these blocks.
fn of_names(names: &[String]) -> Result<Vec<Design>> {
    let mut found = designs();
    for name in names {
        if !found.iter().any(|design| design.name == name) {
            chosen(Some(name), None)?;
        }
    }
    found.retain(|design| {
        names
            .iter()
            .any(|name| design.name == name || design.block == name)
    });
    Ok(found)
}

/// The text of each file by its name.
type Files = BTreeMap<String, String>;

/// The files of some designs: one for each module, and for each design a list of them.
fn collect(designs: Vec<Design>) -> Result<(Files, Vec<Listed>)> {
    let mut files = BTreeMap::new();
    let mut rows = Vec::new();
    for design in designs {
        let export = design
            .export()
            .map_err(|error| miette!("{}: {error}", design.name))?;
        let names: Vec<String> = export.files.iter().map(File::path).collect();
        files.insert(format!("{}.f", design.name), names.join("\n") + "\n");
        for file in export.files {
            if let Some(other) = files.insert(file.path(), file.text.clone())
                && other != file.text
            {
                return Err(miette!("two modules want to be {}", file.path()));
            }
        }
        rows.push(Listed {
            design: design.name.to_owned(),
            block: design.block.to_owned(),
            config: design.config.to_owned(),
            files: names,
            memories: export.memories.into_iter().map(memory).collect(),
        });
    }
    Ok((files, rows))
}

/// All designs, with their list.
fn all() -> Result<(Files, Vec<Listed>)> {
    let (mut files, rows) = collect(chosen(None, None)?)?;
    files.insert(LIST.to_owned(), list(&rows));
    Ok((files, rows))
}

/// Writes every design into a folder, which is made if it is not there.
///
/// # Errors
/// If a design cannot be exported, or the folder not be written.
pub fn write_all(folder: &Path) -> Result<()> {
    write_files(folder, &all()?.0)
}

fn write_files(folder: &Path, files: &Files) -> Result<()> {
    for name in files.keys() {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .map_err(|error| miette!("{}: cannot make this folder: {error}", parent.display()))?;
        file::check_writable(&path).map_err(|error| miette!("{error}"))?;
    }
    for (name, text) in files {
        write(folder, name, text)?;
    }
    Ok(())
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    let whole = args.design.is_empty() && args.block.is_none() && args.config.is_none();
    let (files, rows) = match args.design.as_slice() {
        [] if whole => all()?,
        [] => collect(chosen(args.block.as_deref(), args.config.as_deref())?)?,
        names => collect(of_names(names)?)?,
    };
    if args.check {
        check(&args.out, &files, whole)?;
    } else {
        write_files(&args.out, &files)?;
    }
    if global.json {
        return global.print_json(&rows);
    }
    let verb = if args.check { "equal" } else { "written" };
    for row in &rows {
        global.print(&format!(
            "{:<24} {} files, {} memories",
            row.design,
            row.files.len(),
            row.memories
                .iter()
                .map(|memory| memory.instances)
                .sum::<usize>()
        ))?;
    }
    global.print(&format!(
        "{} files {verb} in {}",
        files.len(),
        args.out.display()
    ))?;
    let left = match whole {
        true => left_over(&args.out, &files)?,
        false => Vec::new(),
    };
    let verilog = |path: &&PathBuf| {
        path.extension()
            .is_some_and(|kind| kind == "v" || kind == "f")
    };
    for path in left.iter().filter(verilog) {
        global.print(&format!(
            "{}: no design exports this file; remove it",
            path.display()
        ))?;
    }
    Ok(())
}

/// Puts a file in place at once, so that no reader sees half of it.
fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    file::write_whole(&path, text).map_err(|error| miette!("{error}"))
}

fn check(folder: &Path, files: &Files, whole: bool) -> Result<()> {
    let again = format!(
        "run `faultline export --out {}` and look at the difference",
        folder.display()
    );
    for (name, text) in files {
        let path = folder.join(name);
        let old = std::fs::read_to_string(&path)
            .map_err(|error| miette!("{}: {error}; {again}", path.display()))?;
        if let Some(line) = (old != *text).then(|| {
            1 + old
                .lines()
                .zip(text.lines())
                .take_while(|(a, b)| a == b)
                .count()
        }) {
            return Err(miette!(
                "{}:{line}: differs from a fresh export; {again}",
                path.display()
            ));
        }
    }
    match left_over(folder, files)?.first() {
        Some(path) if whole => Err(miette!(
            "{}: no design exports this file; remove it",
            path.display()
        )),
        _ => Ok(()),
    }
}

/// What lies in a folder beside these files, in order: in its own folders too where some of the files are.
fn left_over(folder: &Path, files: &Files) -> Result<Vec<PathBuf>> {
    let mut left = Vec::new();
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(inside) = folders.pop() {
        let entries = std::fs::read_dir(&inside)
            .map_err(|error| miette!("{}: cannot read this folder: {error}", inside.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy();
            if path.is_dir()
                && files
                    .keys()
                    .any(|file| file.starts_with(&format!("{name}/")))
            {
                folders.push(path);
            } else if !files.contains_key(&*name) {
                left.push(path);
            }
        }
    }
    left.sort();
    Ok(left)
}

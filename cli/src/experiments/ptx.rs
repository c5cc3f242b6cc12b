//! `faultline ptx`: what is in a file of PTX.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use faultline_sim::launch_file::schema;
use faultline_sim::ptx::{KernelSummary, Summary};
use faultline_testbench::file;
use miette::{Result, miette};
use serde::Serialize;

use crate::Global;
use crate::experiments::compiled::{self, BackEnd};
use crate::output::{counted, fitted, grouped, right, table};

/// Say what is in PTX files: kernels, parameters, instructions, what is not supported
///
/// The exit status is 0 if all is supported, 1 if something is not, and 2 if a file cannot be read or is no PTX.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Files of PTX, as a compiler writes them
    #[arg(required_unless_present = "print_schema")]
    files: Vec<PathBuf>,
    /// Execute the kernels of the one file as this launch file starts them, without timing, and compare what it expects
    #[arg(long, value_name = "FILE.toml")]
    launch: Option<PathBuf>,
    /// Write each buffer that the kernels write to a file of its name in this folder, which is made if it is not there
    #[arg(long, value_name = "DIR", requires = "launch")]
    outputs: Option<PathBuf>,
    #[command(flatten)]
    back_end: BackEnd,
    /// Print what a launch file may say, as a JSON schema for editors, and do nothing else
    #[arg(long)]
    print_schema: bool,
}

/// A program that was executed.
#[derive(Serialize)]
struct Execution {
    file: String,
    launches: Vec<Launched>,
    /// Warp instructions of all launches.
    instructions: u64,
    /// Warp instructions in a second.
    speed: f64,
    /// Where buffers do not hold what they should.
    differences: Vec<String>,
}

/// A launch that was executed.
#[derive(Serialize)]
struct Launched {
    kernel: String,
    thread_blocks: u32,
    threads: u32,
    /// Instructions of the kernel.
    length: usize,
    /// Registers of 32 and of 64 bits that the kernel's program has.
    registers: u8,
    shared_bytes: u32,
    local_bytes: u32,
}

/// Kernels beside each other in a table, so that it fits a terminal of 80 columns.
const BESIDE: usize = 3;
/// Characters of a name that are shown.
const NAME: usize = 18;
/// Statements of a file that are shown; JSON has them all.
const SHOWN: usize = 20;

/// A file with what is in it.
#[derive(Serialize)]
struct File {
    file: String,
    #[serde(flatten)]
    summary: Summary,
}

/// Reads the files and prints their summaries.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<ExitCode> {
    if args.print_schema {
        global.print_json(&schema())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(launch) = &args.launch {
        return execute(args, launch, global);
    }
    if let Some(option) = args.back_end.given().next() {
        return Err(miette!("{option}: it is for a run, so give --launch too"));
    }
    let mut files = Vec::new();
    let mut is_wrong = false;
    for path in &args.files {
        match read(path) {
            Ok(file) => files.push(file),
            Err(error) => {
                is_wrong = true;
                // With standard error closed the message is lost.
                let _ = writeln!(std::io::stderr(), "error: {error}");
            }
        }
    }
    if global.json && !files.is_empty() {
        global.print_json(&files)?;
    } else if !files.is_empty() {
        let texts: Vec<_> = files.iter().map(text).collect();
        global.print(&texts.join("\n"))?;
    }
    let is_supported = files.iter().all(|file| file.summary.unsupported.is_empty());
    Ok(match (is_wrong, is_supported) {
        (true, _) => ExitCode::from(2),
        (false, false) => ExitCode::FAILURE,
        (false, true) => ExitCode::SUCCESS,
    })
}

/// Executes the launches of a launch file.
fn execute(args: &Args, launch: &PathBuf, global: &Global) -> Result<ExitCode> {
    let [path] = args.files.as_slice() else {
        return Err(miette!("--launch: it is for one file of PTX"));
    };
    let compiled = compiled::read(path, Some(launch), args.back_end)?;
    let begin = Instant::now();
    let executed = compiled.execute().map_err(|error| miette!("{error}"))?;
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(folder) = &args.outputs {
        fs::create_dir_all(folder).map_err(|error| {
            let folder = folder.display();
            miette!("--outputs {folder}: the folder cannot be made ({error}); name another one")
        })?;
        let outputs = compiled.placed.buffers.iter();
        for buffer in outputs.filter(|buffer| buffer.is_output) {
            let path = folder.join(format!("{}.bin", buffer.name));
            let bytes = buffer.read(&executed.memory);
            file::write_whole(&path, bytes).map_err(|error| miette!("{error}"))?;
        }
    }
    let launches = compiled.launches.iter().map(|started| Launched {
        kernel: started.name.clone(),
        thread_blocks: started.blocks.len() as u32,
        threads: started.launch.threads(),
        length: started.lowered.program.instructions().len(),
        registers: started.lowered.program.registers(),
        shared_bytes: started.lowered.shared,
        local_bytes: started.lowered.local,
    });
    let execution = Execution {
        file: path.display().to_string(),
        launches: launches.collect(),
        instructions: executed.instructions,
        speed: executed.instructions as f64 / seconds,
        differences: executed
            .differences
            .iter()
            .map(ToString::to_string)
            .collect(),
    };
    match global.json {
        true => global.print_json(&execution)?,
        false => global.print(&executed_text(&execution))?,
    }
    Ok(match execution.differences.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// An execution for a person.
fn executed_text(execution: &Execution) -> String {
    let mut table = table(&[
        "kernel",
        "thread blocks",
        "threads",
        "instructions",
        "registers",
        "shared B",
        "local B",
    ]);
    for launch in &execution.launches {
        let mut row = vec![launch.kernel.as_str().into()];
        let numbers = [
            u64::from(launch.thread_blocks),
            launch.threads.into(),
            launch.length as u64,
            launch.registers.into(),
            launch.shared_bytes.into(),
            launch.local_bytes.into(),
        ];
        row.extend(numbers.map(|number| right(grouped(number))));
        table.add_row(row);
    }
    let mut text = format!(
        "{}\n{} warp instructions, {:.1} million a second\n",
        fitted(&table),
        grouped(execution.instructions),
        execution.speed / 1e6
    );
    for difference in &execution.differences {
        let _ = writeln!(text, "{difference}");
    }
    text
}

/// Reads a file.
fn read(path: &Path) -> Result<File> {
    let file = path.display().to_string();
    let summary = Summary::of(&compiled::module(path)?);
    Ok(File { file, summary })
}

/// The summary for a person.
fn text(file: &File) -> String {
    let summary = &file.summary;
    let is_kernel = |kernel: &&KernelSummary| kernel.is_kernel;
    let kernels = summary.kernels.iter().filter(is_kernel).count();
    let others = summary.kernels.len() - kernels;
    let mut text = format!(
        "{}: PTX {} for {}, {}, {}\n",
        file.file,
        summary.version,
        summary.target,
        counted(kernels as u64, "kernel", "kernels"),
        counted(others as u64, "device function", "device functions"),
    );
    for kernels in summary.kernels.chunks(BESIDE) {
        let _ = writeln!(text, "\n{}", columns(kernels));
    }
    for kernel in summary
        .kernels
        .iter()
        .filter(|kernel| !kernel.parameters.is_empty())
    {
        let parameters = kernel.parameters.iter().map(|parameter| {
            format!(
                "{} (.{}, {} B)",
                parameter.name,
                parameter.ty,
                grouped(parameter.bytes)
            )
        });
        let parameters = parameters.collect::<Vec<_>>().join("\n  ");
        let _ = writeln!(text, "\nParameters of {}:\n  {parameters}", kernel.name);
    }
    let unsupported = &summary.unsupported;
    if unsupported.is_empty() {
        text += "\nAll of it is supported.\n";
    } else {
        let statements = counted(unsupported.len() as u64, "statement is", "statements are");
        let _ = writeln!(text, "\n{statements} not supported:");
    }
    for item in unsupported.iter().take(SHOWN) {
        let statement = match item.text.as_str() {
            "" => String::new(),
            statement => format!(": {statement}"),
        };
        let _ = writeln!(
            text,
            "{}:{}: {}{statement}",
            file.file, item.line, item.reason
        );
    }
    if let Some(more) = unsupported.len().checked_sub(SHOWN + 1) {
        let _ = writeln!(
            text,
            "and {} more, which --json shows",
            grouped(more as u64 + 1)
        );
    }
    text
}

/// A column for each kernel or function.
fn columns(kernels: &[KernelSummary]) -> String {
    let name = |kernel: &KernelSummary| match kernel.name.char_indices().nth(NAME) {
        Some((end, _)) => right(format!("{}...", &kernel.name[..end])),
        None => right(&kernel.name),
    };
    let mut table = table(&[]);
    table.set_header(std::iter::once("".into()).chain(kernels.iter().map(name)));
    let mut row = |label: &str, value: &dyn Fn(&KernelSummary) -> String| {
        let values = kernels.iter().map(|kernel| right(value(kernel)));
        table.add_row(std::iter::once(label.into()).chain(values));
    };
    row("kind", &|kernel| match kernel.is_kernel {
        true => "kernel".to_owned(),
        false => "function".to_owned(),
    });
    row("line", &|kernel| kernel.line.to_string());
    row("parameter bytes", &|kernel| {
        let bytes = kernel.parameters.iter().map(|parameter| parameter.bytes);
        grouped(bytes.fold(0, u64::saturating_add))
    });
    let mut types: Vec<_> = kernels
        .iter()
        .flat_map(|kernel| kernel.registers.keys())
        .collect();
    types.sort();
    types.dedup();
    for ty in types {
        row(&format!("registers .{ty}"), &|kernel| {
            grouped(kernel.registers.get(ty).copied().unwrap_or_default())
        });
    }
    row("shared bytes", &|kernel| {
        let dynamic = if kernel.has_dynamic_shared {
            " + dynamic"
        } else {
            ""
        };
        format!("{}{dynamic}", grouped(kernel.shared_bytes))
    });
    row("local bytes", &|kernel| grouped(kernel.local_bytes));
    row("constant bytes", &|kernel| grouped(kernel.const_bytes));
    row("instructions", &|kernel| grouped(kernel.instructions));
    let mut classes: Vec<_> = kernels
        .iter()
        .flat_map(|kernel| kernel.classes.keys())
        .collect();
    classes.sort();
    classes.dedup();
    for class in classes {
        row(&format!("  {class}"), &|kernel| {
            grouped(kernel.classes.get(class).copied().unwrap_or_default())
        });
    }
    row("branches", &|kernel| grouped(kernel.branches));
    row("  with a guard", &|kernel| grouped(kernel.guarded_branches));
    row("other guards", &|kernel| grouped(kernel.guarded_others));
    row("not supported", &|kernel| grouped(kernel.unsupported));
    fitted(&table)
}

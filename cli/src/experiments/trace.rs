//! `faultline trace`: what is in a GPU trace.

use std::fmt::Write;
use std::path::PathBuf;

use faultline_sim::trace::{Counts, KernelSummary, LINE_BYTES, Summary};
use miette::miette;

use crate::Global;
use crate::output::{counted, fitted, grouped, note, progress, right, table};

/// Say what is in an Accel-Sim trace: kernels, blocks, warps, instructions, pages, lines
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A `.traceg` file, or a `kernelslist.g` with the kernels it names beside it
    file: PathBuf,
}

/// Kernels that are shown; JSON has them all.
const SHOWN: usize = 12;
/// Kernels beside each other in a table, so that it fits a terminal of 80 columns.
const BESIDE: usize = 3;
/// Characters of a kernel's name that are shown.
const NAME: usize = 40;

/// Reads the trace and prints its summary.
///
/// # Errors
/// If the trace cannot be read or standard output cannot be written.
pub fn run(args: &Args, global: &Global) -> miette::Result<()> {
    let bar = progress(0, "{wide_bar} {bytes}/{total_bytes} {eta}");
    let summary = Summary::of(&args.file, |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    let summary = summary.map_err(|error| miette!("{error}"))?;
    summary.notes.iter().for_each(note);
    if global.json {
        global.print_json(&summary)
    } else {
        global.print(&text(&summary))
    }
}

/// The summary for a person.
fn text(summary: &Summary) -> String {
    let mut text = String::new();
    let copied: u64 = summary
        .copies
        .iter()
        .fold(0, |sum, copy| sum.saturating_add(copy.bytes));
    let _ = writeln!(
        text,
        "{}: {}, {} to the GPU ({} bytes)\n\n{}",
        summary.file,
        counted(summary.kernels.len() as u64, "kernel", "kernels"),
        counted(summary.copies.len() as u64, "copy", "copies"),
        grouped(copied),
        kernels(&summary.kernels[..summary.kernels.len().min(SHOWN)]),
    );
    if let Some(more) = summary.kernels.len().checked_sub(SHOWN + 1) {
        let _ = writeln!(
            text,
            "and {} more, which --json shows",
            grouped(more as u64 + 1)
        );
    }
    let total = &summary.total;
    let _ = writeln!(text, "\n{}", classes(total));
    let _ = writeln!(
        text,
        "\nActive lanes per instruction: {:.2} of 32; {} of {} instructions have none.",
        total.lanes_mean,
        grouped(total.without_lanes),
        grouped(total.instructions),
    );
    let global = &total.global;
    if global.instructions() > 0 {
        let _ = writeln!(
            text,
            "Global memory: {} {} of 4 KB ({} of 64 KB).\n\n{}\n\
             Mean of those with an active lane: {:.2} lines of {LINE_BYTES} bytes.",
            counted(
                global.instructions(),
                "instruction touches",
                "instructions touch"
            ),
            counted(global.pages_4k, "page", "pages"),
            grouped(global.pages_64k),
            lines(total),
            global.lines_mean,
        );
    }
    text
}

/// A row's label, and its value for a kernel.
type Row<'row> = (&'row str, &'row dyn Fn(&KernelSummary) -> String);

/// A column for each kernel.
fn kernels(kernels: &[KernelSummary]) -> String {
    let sizes = |sizes: [u32; 3]| match sizes {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("{x},{y}"),
        [x, y, z] => format!("{x},{y},{z}"),
    };
    let name = |name: &str| {
        let shown: String = name
            .chars()
            .take(NAME)
            .flat_map(char::escape_debug)
            .collect();
        if name.chars().nth(NAME).is_some() {
            shown + "..."
        } else {
            shown
        }
    };
    let rows: [Row; 14] = [
        ("name", &|kernel| name(&kernel.name)),
        ("compute capability", &|kernel| {
            kernel.binary_version.to_string()
        }),
        ("grid x block", &|kernel| {
            format!("{} x {}", sizes(kernel.grid), sizes(kernel.block))
        }),
        ("registers per thread", &|kernel| grouped(kernel.registers)),
        ("shared bytes per block", &|kernel| {
            grouped(kernel.shared_memory_bytes)
        }),
        ("thread blocks", &|kernel| grouped(kernel.counts.blocks)),
        ("warps", &|kernel| grouped(kernel.counts.warps)),
        ("warp instructions", &|kernel| {
            grouped(kernel.counts.instructions)
        }),
        ("global loads", &|kernel| {
            grouped(kernel.counts.global.loads)
        }),
        ("global stores", &|kernel| {
            grouped(kernel.counts.global.stores)
        }),
        ("global atomics", &|kernel| {
            grouped(kernel.counts.global.atomics)
        }),
        ("pages of 4 KB", &|kernel| {
            grouped(kernel.counts.global.pages_4k)
        }),
        ("pages of 64 KB", &|kernel| {
            grouped(kernel.counts.global.pages_64k)
        }),
        ("lines per instruction", &|kernel| {
            format!("{:.2}", kernel.counts.global.lines_mean)
        }),
    ];
    let tables = kernels.chunks(BESIDE).map(|kernels| {
        let mut table = table(&[]);
        let heading = kernels.iter().map(|kernel| right(kernel.id));
        table.set_header(std::iter::once("kernel".into()).chain(heading));
        for (label, value) in &rows {
            let values = kernels.iter().map(|kernel| right(value(kernel)));
            table.add_row(std::iter::once((*label).into()).chain(values));
        }
        fitted(&table)
    });
    tables.collect::<Vec<_>>().join("\n")
}

/// A row for each class of instruction.
fn classes(counts: &Counts) -> String {
    let mut table = table(&["class", "warp instructions", "share"]);
    let mut rows: Vec<_> = counts.classes.iter().collect();
    rows.sort_by_key(|&(_, &number)| std::cmp::Reverse(number));
    for (class, &number) in rows {
        let share = 100.0 * number as f64 / counts.instructions as f64;
        table.add_row(vec![
            class.to_string().into(),
            right(grouped(number)),
            right(format!("{share:.1} %")),
        ]);
    }
    fitted(&table)
}

/// A row for each number of lines that an instruction touches.
fn lines(counts: &Counts) -> String {
    let mut table = table(&["lines", "global instructions", ""]);
    let most = counts.global.lines.values().max().copied().unwrap_or(1);
    for (&lines, &number) in &counts.global.lines {
        let bar = "#".repeat((number as f64 / most as f64 * 30.0).ceil() as usize);
        table.add_row(vec![right(lines), right(grouped(number)), bar.into()]);
    }
    fitted(&table)
}

//! `faultline layout`: place and route of a design with qflow on osu018.

use std::path::PathBuf;

use faultline_hw::registry::designs;
use faultline_synth::layout::{self, Layout};
use faultline_synth::sta::Timing;
use faultline_synth::tool;
use faultline_testbench::file;
use miette::{Result, miette};

use crate::output::{progress, svg_file};
use crate::value::named;
use crate::{Global, cost};

/// Place and route a design with Debian's qflow on its 180 nm cells, and time it with its wires.
///
/// The pins of its memories become ports, because the library has none. A queue of 16 entries takes ten minutes or so.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The design
    #[arg(long, value_parser = named, default_value = "replay_queue_16", value_name = "TOP")]
    design: String,
    /// Folder for qflow's files; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Also write the report to this Markdown file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Also write the layout to this picture
    #[arg(long, value_parser = svg_file, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// If there is no such design, a tool is missing or fails, or a file cannot be written.
pub fn run(args: &Args, global: &Global) -> Result<()> {
    for path in args.markdown.iter().chain(&args.svg) {
        file::check_writable(path).map_err(|error| miette!("{error}"))?;
    }
    let found = designs();
    let design = found
        .iter()
        .find(|design| design.name == args.design)
        .ok_or_else(|| {
            miette!(
                "there is no design `{}`; `faultline export --json` names those that there are",
                args.design
            )
        })?;
    cost::check_tools()?;
    layout::check().map_err(|error| miette!("{error}"))?;
    std::fs::create_dir_all(&args.out)
        .map_err(|error| miette!("{}: cannot make this folder: {error}", args.out.display()))?;
    let subject = cost::subject(design)?;
    let bar = progress(0, "{spinner} {msg} {elapsed}");
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    let tell = |step: &str| bar.set_message(format!("{step} {}", design.name));
    let layout = layout::run(&subject.design, &args.out, tell);
    bar.finish_and_clear();
    let layout = layout.map_err(|error| miette!("{error}"))?;
    if let Some(path) = &args.svg {
        file::write_whole(path, &layout.svg).map_err(|error| miette!("{error}"))?;
    }
    if let Some(path) = &args.markdown {
        file::write_whole(path, markdown(args, &layout)).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&layout),
        false => global.print(&rows(&layout)),
    }
}

/// The path that limits the clock.
fn limit(timing: &Timing) -> String {
    timing.limit().map_or("none".to_owned(), |limit| {
        format!(
            "{:.2} ns ({}), {:.1} MHz",
            limit.ns(),
            limit.group(),
            1000.0 / limit.ns()
        )
    })
}

/// The figures as rows of a table in Markdown, which a terminal shows as well.
fn rows(layout: &Layout) -> String {
    let (width, height) = layout.die_um;
    let wires: f64 = layout.wires_um.values().sum();
    let layers: Vec<String> = layout
        .wires_um
        .iter()
        .map(|(layer, length)| format!("{layer} {:.1} mm", length / 1e3))
        .collect();
    let rows = [
        (
            "cells",
            format!("{}, {} of them flip-flops", layout.cells, layout.registers),
        ),
        ("cell area", format!("{:.0} um2", layout.cell_area_um2)),
        (
            "die",
            format!(
                "{width:.0} x {height:.0} um, {:.1} % cells",
                layout.cell_area_um2 / (width * height) * 100.0
            ),
        ),
        ("ports", layout.ports.to_string()),
        (
            "nets",
            format!("{}, {} of them failed", layout.nets, layout.failed_nets),
        ),
        (
            "wires",
            format!(
                "{:.1} mm, {:.2} pF, {} vias",
                wires / 1e3,
                layout.wires_pf,
                layout.vias
            ),
        ),
        ("by layer", layers.join(", ")),
        ("longest path, without wires", limit(&layout.before)),
        ("longest path, with the routed wires", limit(&layout.after)),
        (
            "placement, routing",
            format!("{:.0} s, {:.0} s", layout.placement_s, layout.routing_s),
        ),
    ];
    let rows: String = rows
        .iter()
        .map(|(name, value)| format!("| {name} | {value} |\n"))
        .collect();
    format!("| | {} |\n|---|---|\n{rows}", layout.design)
}

fn markdown(args: &Args, layout: &Layout) -> String {
    let version = |tool: tool::Tool| tool.version().unwrap_or_else(|| "unknown".to_owned());
    let picture = args.svg.as_ref().and_then(|path| path.file_name());
    let picture = picture.map_or(String::new(), |name| {
        format!(
            "![Cells and wires of {}]({})\n\nCells by what they are, and the wires of {:.0} um and more.\n\n",
            layout.design,
            name.display(),
            layout::SHORTEST_UM
        )
    });
    let files: String = args
        .markdown
        .iter()
        .map(|path| format!(" --markdown {}", path.display()))
        .chain(
            args.svg
                .iter()
                .map(|path| format!(" --svg {}", path.display())),
        )
        .collect();
    format!(
        "# Layout of {design}

{rows}
{picture}Place and route on 180 nm, to see that the block can be laid out: its figures are not those of the 45 nm reports. The library has no memories, so the pins of the block's memories are ports, and their own area and time are not in these figures. The clock is ideal: it is one net without a tree. A wire counts with the capacitance of its length and layer by the cells' LEF, and without resistance.

- yosys: {yosys}, mapping `balanced`, target {target} ps
- placement and routing: graywolf and qrouter, by qflow's scripts, rows {density:.0} % full
- sta: {sta}
- library: osu018 ({liberty})
- command: faultline layout --design {design} --out DIR{files}
",
        design = layout.design,
        rows = rows(layout),
        yosys = version(tool::YOSYS),
        target = layout::TARGET_PS,
        density = layout::DENSITY * 100.0,
        sta = version(tool::OPENSTA),
        liberty = layout::LIBERTY,
    )
}

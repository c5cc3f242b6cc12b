//! `faultline layout`: place and route of a design with qflow on osu018.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use faultline_synth::layout::{self, Layout};
use faultline_synth::sta;
use faultline_synth::tool;
use faultline_testbench::{file, origin};
use miette::{Result, miette};

use crate::Global;
use crate::flows::cost;
use crate::output::{progress, quoted, svg_file};
use crate::value::named;

/// Place and route a design with Debian's qflow on its 180 nm cells, and time it with its wires.
///
/// The pins of its memories become ports, because the library has none. The clock gets a tree of buffers. A queue of 16 entries takes ten to twenty minutes.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The design
    #[arg(value_name = "DESIGN", value_parser = named, default_value = "replay_queue_16")]
    top: String,
    /// The same
    #[arg(long, value_parser = named, value_name = "TOP", hide = true)]
    design: Option<String>,
    /// Folder for qflow's files; it is made if it is not there, and an earlier layout in it is replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How full the rows are, 0.3 to 0.95: the fuller, the smaller the die, and the less room the wires have
    #[arg(long, value_parser = density, default_value_t = layout::DENSITY, value_name = "PART")]
    density: f64,
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
    check_folder(&args.out)?;
    crate::output::check_files(&[
        ("--markdown", args.markdown.as_deref()),
        ("--svg", args.svg.as_deref()),
    ])?;
    let name = args.design.as_ref().unwrap_or(&args.top);
    let found = cost::of_names(std::slice::from_ref(name))?;
    let [design] = found.as_slice() else {
        return Err(miette!(
            "a layout is of one design, and {} are several",
            name
        ));
    };
    cost::check_tools()?;
    layout::check().map_err(|error| miette!("{error}"))?;
    std::fs::create_dir_all(&args.out)
        .map_err(|error| miette!("{}: cannot make this folder: {error}", args.out.display()))?;
    let subject = cost::subject(design)?;
    let bar = progress(0, "{spinner} {msg} {elapsed}");
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    let tell = |step: &str| bar.set_message(format!("{step} {}", design.name));
    let layout = layout::run(&subject.design, &args.out, args.density, tell);
    bar.finish_and_clear();
    let layout = layout.map_err(|error| miette!("{error}"))?;
    if let Some(path) = &args.svg {
        file::write_whole(path, &layout.svg).map_err(|error| miette!("{error}"))?;
    }
    if let Some(path) = &args.markdown {
        let origin = origin::verilog(&found).map_err(|error| miette!("{error}"))?;
        let text = markdown(args, &layout, &origin);
        file::write_whole(path, text).map_err(|error| miette!("{error}"))?;
    }
    match global.json {
        true => global.print_json(&layout),
        false => global.print(&rows(&layout)),
    }
}

/// How full the rows are.
///
/// # Errors
/// If it is no number, or cells would overlap or be lost.
fn density(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|part| (0.3..=0.95).contains(part))
        .ok_or_else(|| "give a number from 0.3 to 0.95".to_owned())
}

/// The folder must be new, be empty, or have a layout: what is in the way of the next one is removed.
fn check_folder(folder: &Path) -> Result<()> {
    let used = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => {
            return Err(miette!(
                "{}: cannot read this folder: {error}",
                folder.display()
            ));
        }
    };
    match used && !folder.join(layout::PROJECT).is_file() {
        false => Ok(()),
        true => Err(miette!(
            "{}: this folder has files that are not of a layout; give a new or an empty one",
            folder.display()
        )),
    }
}

/// The longest path of a group, and the clock that it allows.
fn path(path: Option<&sta::Path>) -> String {
    path.map_or("none".to_owned(), |path| {
        format!("{:.2} ns, {:.1} MHz", path.ns, 1000.0 / path.ns)
    })
}

fn nanoseconds(slack: Option<f64>) -> String {
    slack.map_or("none".to_owned(), |ns| format!("{ns:.2} ns"))
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
            format!(
                "{}, {} of them flip-flops, {} buffers of the clock",
                layout.cells, layout.registers, layout.clock_buffers
            ),
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
        ("nets, all of them routed", layout.nets.to_string()),
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
        (
            "register to register, without wires",
            path(layout.before.register.as_ref()),
        ),
        (
            "register to register, with the routed wires",
            path(layout.after.register.as_ref()),
        ),
        (
            "clock to output, without wires",
            path(layout.before.output.as_ref()),
        ),
        (
            "clock to output, with the routed wires",
            path(layout.after.output.as_ref()),
        ),
        (
            "least slack against hold",
            nanoseconds(layout.after.hold_ns),
        ),
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

fn markdown(args: &Args, layout: &Layout, origin: &str) -> String {
    let version = |tool: tool::Tool| tool.shown_version();
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
        .map(|path| format!(" --markdown {}", quoted(path.display())))
        .chain(
            args.svg
                .iter()
                .map(|path| format!(" --svg {}", quoted(path.display()))),
        )
        .collect();
    format!(
        "# Layout of {design}

{rows}
{picture}Place and route on 180 nm, to see that the block can be laid out: its figures are not those of the 45 nm reports. The library has no memories, so the pins of the block's memories are ports, and their own area and time are not in these figures. The clock has a tree of buffers with at most {fanout} pins on each, which is not balanced after placement: paths between registers, and their slack against hold, count its skew, and paths to an output begin at its port. A wire counts with the capacitance of its length and layer by the cells' LEF, and without resistance. {origin}.

- yosys: {yosys}, mapping `balanced`, target {target} ps
- placement and routing: graywolf and qrouter, by qflow's scripts, rows {density:.0} % full
- sta: {sta}
- library: osu018 ({liberty})
- command: faultline layout --design {design} --out DIR --density {part}{files}
",
        design = layout.design,
        rows = rows(layout),
        yosys = version(tool::YOSYS),
        target = layout::TARGET_PS,
        fanout = layout::FANOUT,
        density = args.density * 100.0,
        part = args.density,
        sta = version(tool::OPENSTA),
        liberty = layout::LIBERTY,
    )
}

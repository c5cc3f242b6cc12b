//! The tables, and the page.

use faultline_hw::registry::Design;
use faultline_synth::library::Library;
use faultline_synth::power::{Kind, Power, opensta};
use faultline_synth::table::Grid;
use faultline_synth::tool::{OPENSTA, YOSYS};
use faultline_testbench::origin;
use miette::{Result, miette};

use super::rows::{Row, Sources};
use super::{Args, Engine};
use crate::flows::cost;
use crate::output::{grouped, quoted};

/// Modules of a design that have rows of their own.
const MODULES: usize = 10;

/// The tables for a terminal.
pub fn terminal(rows: &[Row]) -> String {
    let grids: Vec<String> = grids(rows).iter().map(Grid::terminal).collect();
    grids.join("\n\n")
}

/// The page.
///
/// # Errors
/// If a design cannot be exported.
pub fn markdown(
    args: &Args,
    designs: &[Design],
    rows: &[Row],
    library: &Library,
    sources: &Sources,
) -> Result<String> {
    let grids: Vec<String> = grids(rows).iter().map(Grid::markdown).collect();
    let origin = origin::verilog(designs).map_err(|error| miette!("{error}"))?;
    let version = |tool: faultline_synth::tool::Tool| {
        let version = tool.shown_version();
        format!("- {}: {version}\n", tool.program)
    };
    let opensta = match args.engine {
        Engine::Own => String::new(),
        Engine::Opensta => version(OPENSTA),
    };
    Ok(format!(
        "# Power from activity\n\n{ABOUT}\n\n{}\n{origin}.\n\n{}{opensta}- library: {}\n- memories: {}\n- command: {}\n",
        grids.join("\n"),
        version(YOSYS),
        cost::library_name(args.choice.liberty.as_deref(), library),
        sources.provenance(),
        command(args)?,
    ))
}

const ABOUT: &str = "The mapped netlist of each design is simulated, every output compared with the reference in every cycle, and what switches is \
counted. Traces are those of the kernels built in, or of files, on the SM of the reference, which tells the block alone what it tells it there. Leakage is that of each state of a cell, internal energy comes for each edge from the library's table whose condition holds in its cycle, and \
switching charges the pins and, by the library's wire-load model, the wires that a cell or memory drives. The clock is its \
pins alone, without a tree of buffers, and what flip-flops take when it turns. A memory takes its leakage and the energy of \
each read and write. The tables of kinds and modules have the single-port memories that the design is built with. The cells leak as \
at the temperature of their library, 25 C for the embedded one, the memories as at CACTI's 350 K. Glitches are not counted, nor what only a layout shows.";

/// The command that makes the page again.
fn command(args: &Args) -> Result<String> {
    let mut command = cost::command("power", &args.choice)?;
    if !args.trace.is_empty() {
        command += &format!(" --trace {}", quoted(args.trace.join(",")));
    }
    command += &format!(
        " --cycles {} --seed {} --clock {}",
        args.cycles, args.seed, args.clock
    );
    if args.engine == Engine::Opensta {
        command += " --engine opensta";
    }
    Ok(command)
}

fn grids(rows: &[Row]) -> Vec<Grid> {
    let mut grids = vec![by_kind(rows)];
    grids.extend(beside_the_paper(rows));
    grids.extend(beside_opensta(rows));
    grids.extend(rows.iter().enumerate().filter_map(|(place, row)| {
        // A module's part under the first activity of its design is enough to see where the power goes.
        let first = place == 0
            || (&rows[place - 1].block, &rows[place - 1].config) != (&row.block, &row.config);
        first.then(|| by_module(row))
    }));
    grids
}

fn name(row: &Row) -> String {
    format!("{} {}", row.block, row.config)
}

fn titles(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn milliwatts(value: f64) -> String {
    format!("{value:.3}")
}

/// Leakage, internal and switching power, and their sum.
fn parts(power: Power) -> [String; 4] {
    let Power {
        leakage_mw,
        internal_mw,
        switching_mw,
    } = power;
    [leakage_mw, internal_mw, switching_mw, power.total_mw()].map(milliwatts)
}

fn by_kind(rows: &[Row]) -> Grid {
    let of = |row: &Row, kind: Kind| {
        let kinds = row.kinds.iter().filter(|part| part.kind == kind);
        kinds.map(|part| part.power).sum::<Power>().total_mw()
    };
    let cells = |row: &Row| {
        let mut cells = vec![
            name(row),
            row.activity.to_owned(),
            grouped(row.cells as u64),
            grouped(row.registers as u64),
        ];
        cells.extend(Kind::ALL.map(|kind| milliwatts(of(row, kind))));
        cells.extend(parts(row.total));
        cells
    };
    let clock = rows.first().map_or(0.0, |row| row.clock_mhz);
    Grid {
        title: format!("Power at {clock} MHz, mW: by kind, and the same by cause"),
        headings: titles(&[
            "design",
            "activity",
            "cells",
            "flip-flops",
            "sequential",
            "combinational",
            "clock",
            "memory",
            "leakage",
            "internal",
            "switching",
            "total",
        ]),
        rows: rows.iter().map(cells).collect(),
    }
}

fn beside_the_paper(rows: &[Row]) -> Option<Grid> {
    let mut lines = Vec::new();
    for row in rows {
        for share in &row.shares {
            let power = &share.power;
            let percent = |value: Option<f64>| {
                value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
            };
            lines.push(vec![
                format!("{} KB", share.log_bytes / 1024),
                row.activity.to_owned(),
                share.sram_model.to_owned(),
                format!("{:.3}", power.writes_per_cycle),
                format!("{:.3}", power.reads_per_cycle),
                milliwatts(power.sram_mw),
                milliwatts(power.logic_mw),
                percent(Some(power.sm_power_percent)),
                percent(share.paper.map(|paper| paper.sm_power_percent)),
                percent(Some(power.gpu_power_percent)),
                percent(share.paper.map(|paper| paper.gpu_power_percent)),
            ]);
        }
    }
    (!lines.is_empty()).then(|| Grid {
        title: "Power of the operand log, SRAM and synthesized logic, beside the paper's Table 2, which counts the SRAM with a write in each cycle, and has a factor of 1.5 where the logic stands here"
            .to_owned(),
        headings: titles(&[
            "log",
            "activity",
            "memories",
            "writes/cycle",
            "reads/cycle",
            "SRAM mW",
            "logic mW",
            "SM power %",
            "SM power %, paper",
            "GPU power %",
            "GPU power %, paper",
        ]),
        rows: lines,
    })
}

fn beside_opensta(rows: &[Row]) -> Option<Grid> {
    let mut lines = Vec::new();
    for row in rows {
        let Some(opensta::Groups {
            sequential,
            combinational,
            clock,
            memory,
            total,
        }) = &row.opensta
        else {
            continue;
        };
        let mut line = vec![name(row), row.activity.to_owned()];
        let parts = [sequential, combinational, clock, memory, total];
        line.extend(parts.map(|power| milliwatts(power.total_mw())));
        line.push(milliwatts(row.total.total_mw()));
        lines.push(line);
    }
    (!lines.is_empty()).then(|| Grid {
        title: "OpenSTA's power of the same activity, mW; it counts clock pins with the flip-flops, and not what the clock's net charges"
            .to_owned(),
        headings: titles(&[
            "design",
            "activity",
            "sequential",
            "combinational",
            "clock",
            "memory",
            "total",
            "total, Faultline",
        ]),
        rows: lines,
    })
}

/// The children of the top module, each with all that is in it.
fn by_module(row: &Row) -> Grid {
    let mut children: Vec<(&str, usize, Power)> = Vec::new();
    for of in &row.modules {
        let child = of.module.split('.').next().unwrap_or_default();
        match children.iter_mut().find(|(known, ..)| *known == child) {
            Some((_, instances, power)) => {
                *instances += of.instances;
                *power += of.power;
            }
            None => children.push((child, of.instances, of.power)),
        }
    }
    children.sort_by(|one, other| other.2.total_mw().total_cmp(&one.2.total_mw()));
    let (shown, rest) = children.split_at(children.len().min(MODULES));
    let line = |name: &str, instances: usize, power: Power| {
        let mut line = vec![name.to_owned(), grouped(instances as u64)];
        line.extend(parts(power));
        line.push(format!(
            "{:.1}",
            power.total_mw() / row.total.total_mw() * 100.0
        ));
        line
    };
    let mut rows: Vec<_> = shown
        .iter()
        .map(|(module, instances, power)| match *module {
            "" => line("(of the top itself)", *instances, *power),
            module => line(module, *instances, *power),
        })
        .collect();
    if !rest.is_empty() {
        let instances = rest.iter().map(|(_, instances, _)| instances).sum();
        let power = rest.iter().map(|(.., power)| *power).sum();
        rows.push(line(&format!("{} others", rest.len()), instances, power));
    }
    Grid {
        title: format!(
            "Modules of {} under {}, mW; `[]` stands for all of several",
            name(row),
            row.activity
        ),
        headings: titles(&[
            "module",
            "instances",
            "leakage",
            "internal",
            "switching",
            "total",
            "%",
        ]),
        rows,
    }
}

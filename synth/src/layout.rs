//! Place and route of a design with Debian's qflow on its osu018 cells, 180 nm, and the timing with the routed wires.
//!
//! Yosys maps the design as for every other figure; graywolf places it and qrouter routes it, called by qflow's scripts for
//! these steps. osu018 has no memories, so the pins of a design's macros become ports of the block. There is no clock tree:
//! the clock is one net, and timing takes it as ideal.

mod def;
mod lef;
mod picture;
mod project;

use crate::error::Error;
use crate::library::Library;
use crate::sta::{self, Timing};
use crate::tool;
use crate::yosys::{self, Design, Netlist};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

pub use def::Def;
pub use lef::{Lef, Wire};
pub use picture::SHORTEST_UM;
pub use project::DENSITY;

/// Where Debian's package has the cells and their layout.
pub const TECHNOLOGY: &str = "/usr/share/qflow/tech/osu018";
/// Where Debian's package has qflow's scripts.
const SCRIPTS: &str = "/usr/lib/qflow/scripts";
/// The cells' Liberty.
pub const LIBERTY: &str = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";
/// The cells' LEF, which has the layers too.
const CELLS_LEF: &str = "/usr/share/qflow/tech/osu018/osu018_stdcells.lef";

/// The delay that mapping aims at, ps: a fifth of the speed that 45 nm has.
pub const TARGET_PS: u32 = 4000;

/// What came out of place and route.
#[derive(Clone, Debug, Serialize)]
pub struct Layout {
    /// The design.
    pub design: String,
    /// Cells that are no fill.
    pub cells: usize,
    /// Flip-flops.
    pub registers: usize,
    /// Area of the cells, um2.
    pub cell_area_um2: f64,
    /// Width and height of the die, um.
    pub die_um: (f64, f64),
    /// Ports, those of the macros among them.
    pub ports: usize,
    /// Nets with wires.
    pub nets: usize,
    /// Nets that qrouter could not route.
    pub failed_nets: usize,
    /// Length of the wires on each layer, um.
    pub wires_um: BTreeMap<String, f64>,
    /// Vias.
    pub vias: usize,
    /// Capacitance of all wires, pF.
    pub wires_pf: f64,
    /// Timing of the netlist without wires.
    pub before: Timing,
    /// Timing with the capacitance of the routed wires.
    pub after: Timing,
    /// Seconds that placement took.
    pub placement_s: f64,
    /// Seconds that routing took.
    pub routing_s: f64,
    /// The layout as a picture.
    #[serde(skip)]
    pub svg: String,
}

/// Says at once if qflow is missing.
///
/// # Errors
/// If it is.
pub fn check() -> Result<(), Error> {
    let scripts = Path::new(SCRIPTS).join("placement.sh");
    match scripts.is_file() && Path::new(CELLS_LEF).is_file() {
        true => Ok(()),
        false => Err(Error::ToolMissing {
            program: "qflow".to_owned(),
            package: "qflow",
        }),
    }
}

/// Maps, places, routes and times a design; qflow's files stay in the folder. `tell` is told of each step.
///
/// # Errors
/// If a tool is missing or fails, or its files are not as expected.
pub fn run(design: &Design, folder: &Path, tell: impl Fn(&str)) -> Result<Layout, Error> {
    check()?;
    let library = Library::read(Path::new(LIBERTY))?;
    tell("mapping");
    let netlist = yosys::synthesise(design, &library, TARGET_PS)?;
    project::write_project(design, &netlist, &library, folder)?;
    let top = &design.top;
    tell("placing");
    let placement_s = step(folder, top, "placement.sh", &["-d"], "place.log")?;
    tell("routing");
    let routing_s = step(folder, top, "router.sh", &[], "route.log")?;
    tell("timing");
    let lef = Lef::parse(&read(Path::new(CELLS_LEF))?);
    let routed = folder.join("layout").join(format!("{top}.def"));
    let def = Def::parse(&read(&routed)?).map_err(|reason| failed(top, &reason))?;
    let placed = Netlist {
        verilog: read(&folder.join("synthesis").join(format!("{top}.rtlnopwr.v")))?,
        ..netlist
    };
    let wires = capacitances(&def, &lef);
    let before = sta::time(&placed, &library, &[])?;
    let after = sta::time_with_wires(&placed, &library, &wires)?;
    let cells = def.components.iter().filter(|cell| cell.kind != "FILL");
    Ok(Layout {
        design: top.clone(),
        cells: cells.count(),
        registers: placed.registers,
        cell_area_um2: placed.area_um2,
        die_um: def.die_um(),
        ports: def.pins,
        nets: def.nets.len(),
        failed_nets: failed_nets(&read(&folder.join("log/route.log"))?)
            .ok_or_else(|| failed(top, "its log does not say whether routes failed"))?,
        wires_um: def.wires_um(),
        vias: def.nets.iter().map(|net| net.vias).sum(),
        wires_pf: wires.values().sum::<f64>() / 1e3,
        before,
        after,
        placement_s,
        routing_s,
        svg: picture::svg(&def, &lef),
    })
}

/// The capacitance of each net's wires, fF.
pub fn capacitances(def: &Def, lef: &Lef) -> BTreeMap<String, f64> {
    def.nets
        .iter()
        .map(|net| {
            let femtofarads = net.segments.iter().map(|segment| {
                let length = segment.length() as f64 / def.units;
                lef.layers
                    .get(&segment.layer)
                    .map_or(0.0, |wire| wire.femtofarads(length))
            });
            (net.name.clone(), femtofarads.sum())
        })
        .collect()
}

/// Runs one of qflow's scripts and gives the seconds that it took.
fn step(folder: &Path, top: &str, script: &str, options: &[&str], log: &str) -> Result<f64, Error> {
    let start = Instant::now();
    let folder = folder
        .canonicalize()
        .map_err(|source| Error::file(folder, "read", source))?;
    let program = Path::new(SCRIPTS).join(script);
    let output = Command::new(&program)
        .args(options)
        .arg(&folder)
        .arg(top)
        // With a display, graywolf would show itself at work.
        .env_remove("DISPLAY")
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::file(&program, "start", source))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        let log = folder.join("log").join(log);
        return Err(failed(
            top,
            &format!(
                "{script}: {}; see {}",
                last.unwrap_or("no message"),
                log.display()
            ),
        ));
    }
    Ok(start.elapsed().as_secs_f64())
}

/// How many nets qrouter says that it left.
fn failed_nets(log: &str) -> Option<usize> {
    log.lines().rev().find_map(|line| {
        let line = line.trim_start_matches(['*', ' ']);
        match line.strip_prefix("Failed net routes:") {
            Some(count) => count.trim().parse().ok(),
            None => line.starts_with("No failed routes").then_some(0),
        }
    })
}

fn failed(design: &str, reason: &str) -> Error {
    Error::Tool {
        program: "qflow",
        design: design.to_owned(),
        reason: crate::error::one_line(reason),
    }
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::file(path, "read", source))
}

/// Writes a file of the project, and its folder.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|source| Error::file(parent, "make", source))?;
    }
    tool::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_about_failed_routes_counts() {
        let log = "Failed net routes: 12\n*** Running stage3\n  *** No failed routes!\n";
        assert_eq!(failed_nets(log), Some(0));
        assert_eq!(failed_nets("Failed net routes: 2\n"), Some(2));
        assert_eq!(failed_nets("nothing\n"), None);
    }
}

//! Place and route of a design with Debian's qflow on its osu018 cells, 180 nm, and the timing with the routed wires.
//!
//! Yosys maps the design as for every other figure; graywolf places it and qrouter routes it, called by qflow's scripts for
//! these steps. osu018 has no memories, so the pins of a design's macros become ports of the block.

mod clock;
mod def;
mod lef;
mod picture;
mod project;
mod step;

use crate::error::Error;
use crate::library::Library;
use crate::sta::{self, Timing};
use crate::tool;
use crate::yosys::{self, Design, Netlist};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use step::{SCRIPTS, Step};

pub use clock::FANOUT;
pub use def::Def;
pub use lef::{Lef, Wire};
pub use picture::SHORTEST_UM;
pub use project::{DENSITY, PROJECT};

/// Where Debian's package has the cells and their layout.
pub const TECHNOLOGY: &str = "/usr/share/qflow/tech/osu018";
/// The cells' Liberty.
pub const LIBERTY: &str = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";
/// The cells' LEF, which has the layers too.
const CELLS_LEF: &str = "/usr/share/qflow/tech/osu018/osu018_stdcells.lef";

/// The delay that mapping aims at, ps: a fifth of the speed that 45 nm has.
pub const TARGET_PS: u32 = 4000;

const PLACING: Step = Step {
    name: "placing",
    script: "placement.sh",
    options: &["-d"],
    log: "place.log",
};

const ROUTING: Step = Step {
    name: "routing",
    script: "router.sh",
    options: &[],
    log: "route.log",
};

/// What came out of place and route, with a wire for every net.
#[derive(Clone, Debug, Serialize)]
pub struct Layout {
    /// The design.
    pub design: String,
    /// Cells that are no fill.
    pub cells: usize,
    /// Flip-flops.
    pub registers: usize,
    /// Buffers of the clock's tree.
    pub clock_buffers: usize,
    /// Area of the cells, um2.
    pub cell_area_um2: f64,
    /// Width and height of the die, um.
    pub die_um: (f64, f64),
    /// Ports, those of the macros among them.
    pub ports: usize,
    /// Nets with wires.
    pub nets: usize,
    /// Length of the wires on each layer, um.
    pub wires_um: BTreeMap<String, f64>,
    /// Vias.
    pub vias: usize,
    /// Capacitance of all wires, pF.
    pub wires_pf: f64,
    /// Timing of the placed netlist without wires, the clock through its tree.
    pub before: Timing,
    /// The same with the capacitance of the routed wires.
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
    let needs = [
        Path::new(SCRIPTS).join(PLACING.script),
        CELLS_LEF.into(),
        LIBERTY.into(),
    ];
    match needs.into_iter().find(|path| !path.is_file()) {
        Some(path) => Err(Error::QflowMissing { path }),
        None => Ok(()),
    }
}

/// Maps, places, routes and times a design; qflow's files stay in the folder. `density` is how full the rows are, of 1;
/// `tell` is told of each step.
///
/// # Errors
/// If a tool is missing or fails, a net has no room, or the tools' files are not as expected.
pub fn run(
    design: &Design,
    folder: &Path,
    density: f64,
    tell: impl Fn(&str),
) -> Result<Layout, Error> {
    check()?;
    let library = Library::read(Path::new(LIBERTY))?;
    tell("mapping");
    let netlist = yosys::synthesize(design, &library, TARGET_PS)?;
    let clock_buffers = project::write_project(design, &netlist, &library, density, folder)?;
    let top = &design.top;
    let placement_s = PLACING.run(folder, top, &tell)?;
    // Routing adds the fill, which is no cell of the Liberty.
    let placed = Netlist {
        verilog: read(&folder.join(format!("synthesis/{top}.rtlnopwr.v")))?,
        ..netlist
    };
    let routing_s = ROUTING.run(folder, top, &tell)?;
    let def = Def::parse(&read(&folder.join(format!("layout/{top}.def")))?)
        .map_err(|reason| failed(top, &reason))?;
    match step::failed_nets(&read(&folder.join("log/route.log"))?) {
        Some(0) => {}
        Some(left) => {
            return Err(Error::Unrouted {
                design: top.clone(),
                left,
                nets: def.nets.len(),
                density,
            });
        }
        None => return Err(failed(top, "its log does not say whether routes failed")),
    }
    tell("timing");
    let lef = Lef::parse(&read(Path::new(CELLS_LEF))?);
    let (width, height) = def.die_um();
    let area = cell_area_um2(&def, &lef);
    let title = format!(
        "{top}: {width:.0} x {height:.0} um, {:.0} % cells, osu018, 180 nm",
        area / (width * height) * 100.0
    );
    let wires = capacitances(&def, &lef);
    let before = sta::time_placed(&placed, &library, &BTreeMap::new())?;
    let after = sta::time_placed(&placed, &library, &wires)?;
    Ok(Layout {
        design: top.clone(),
        cells: def.cells().count(),
        registers: placed.registers,
        clock_buffers,
        cell_area_um2: area,
        die_um: (width, height),
        ports: def.pins.len(),
        nets: def.nets.len(),
        wires_um: def.wires_um(),
        vias: def.nets.iter().map(|net| net.vias).sum(),
        wires_pf: wires.values().sum::<f64>() / 1e3,
        before,
        after,
        placement_s,
        routing_s,
        svg: picture::svg(&title, &def, &lef),
    })
}

/// The area of the cells without fill.
fn cell_area_um2(def: &Def, lef: &Lef) -> f64 {
    let sizes = def.cells().filter_map(|cell| lef.cells.get(&cell.kind));
    sizes.map(|(width, height)| width * height).sum()
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

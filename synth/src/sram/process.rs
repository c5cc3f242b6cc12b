//! What the layout of a macro must fit: layers, tracks and rows of a process.
//!
//! All lengths are in nanometres, so that they add up exactly.

use super::Macro;

/// Nanometres of the macros in the table that stand beside synthesized logic.
const TABLE_NM: f64 = 45.0;

/// Supply of the table's macros, V.
const TABLE_VOLTS: f64 = 1.1;

/// A metal layer with its tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Its name in the technology LEF.
    pub name: &'static str,
    /// Distance from one track to the next.
    pub pitch: i64,
    /// Distance from the edge to the first track.
    pub offset: i64,
    /// Least width of a wire.
    pub width: i64,
    /// Least space between wires.
    pub spacing: i64,
}

/// A process with a public technology LEF.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Process {
    /// Its name, as the flows spell it.
    pub name: &'static str,
    /// Technology node, nm.
    pub node_nm: f64,
    /// Supply, V.
    pub volts: f64,
    /// Width and height of a site: macros are whole sites, so that they lie in rows.
    pub site: (i64, i64),
    /// Layers below the pins, all of which a macro fills.
    pub filled: &'static [&'static str],
    /// The horizontal layer of the signal pins.
    pub signal: Layer,
    /// The vertical layer of the power straps.
    pub power: Layer,
    /// Width of a power strap.
    pub strap: i64,
    /// Distance from one power strap to the next.
    pub strap_pitch: i64,
    /// The power and the ground pin.
    pub supplies: (&'static str, &'static str),
}

/// NanGate 45 nm, as OpenROAD-flow-scripts has it: signals on metal3 and power on metal4, like its `fakeram45` macros.
pub const NANGATE45: Process = Process {
    name: "nangate45",
    node_nm: 45.0,
    volts: 1.1,
    site: (190, 1400),
    filled: &["metal1", "metal2"],
    signal: Layer {
        name: "metal3",
        pitch: 140,
        offset: 70,
        width: 70,
        spacing: 70,
    },
    power: Layer {
        name: "metal4",
        pitch: 280,
        offset: 70,
        width: 140,
        spacing: 140,
    },
    strap: 280,
    strap_pitch: 2240,
    supplies: ("VDD", "VSS"),
};

/// SkyWater 130 nm, LibreLane's default.
pub const SKY130: Process = Process {
    name: "sky130A",
    node_nm: 130.0,
    volts: 1.8,
    site: (460, 2720),
    filled: &["li1", "met1", "met2"],
    signal: Layer {
        name: "met3",
        pitch: 680,
        offset: 340,
        width: 300,
        spacing: 300,
    },
    power: Layer {
        name: "met4",
        pitch: 920,
        offset: 460,
        width: 300,
        spacing: 300,
    },
    strap: 1600,
    strap_pitch: 13800,
    supplies: ("VPWR", "VGND"),
};

impl Process {
    /// The figures of a 45 nm macro in this process, by scaling with a constant field: area with the square of the node,
    /// times with the node, energies with the node and the square of the supply. Leakage is left as it is. For 45 nm that
    /// changes nothing; for any other node it is a guess, because the table has none.
    #[must_use]
    pub fn scaled(&self, figures: &Macro) -> Macro {
        let node = self.node_nm / TABLE_NM;
        let energy = node * (self.volts / TABLE_VOLTS).powi(2);
        Macro {
            area_mm2: figures.area_mm2 * node * node,
            read_pj: figures.read_pj * energy,
            write_pj: figures.write_pj * energy,
            access_ns: figures.access_ns * node,
            cycle_ns: figures.cycle_ns * node,
            ..*figures
        }
    }
}

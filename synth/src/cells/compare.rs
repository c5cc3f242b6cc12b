//! Sets results with the embedded library beside results with a full one.

use super::counterpart::{Side, Translated, translate};
use crate::cost::{self, Drive, Flow, Subject, activity};
use crate::error::Error;
use crate::library::Library;
use crate::power::{Cells, Kind, Power};
use crate::sram::{Macro, Setting};
use crate::sta::{self, Timing};
use crate::tool::{OPENSTA, YOSYS};
use crate::yosys::{self, Memory, Netlist};
use serde::Serialize;

mod page;

/// How far area, longest path and power may be from those with the full library, as parts of them.
pub const BARS: [f64; 3] = [0.02, 0.10, 0.15];

/// A netlist in a library, its memories left out of area and power.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Area of the logic, um2.
    pub area_um2: f64,
    /// Longest path of all groups, ns.
    pub path_ns: f64,
    /// Power of the logic under the activity.
    pub power: Power,
}

/// How far figures are from others, as a part of those: area, longest path and power.
fn off(these: &Figures, those: &Figures) -> [f64; 3] {
    [
        these.area_um2 / those.area_um2 - 1.0,
        these.path_ns / those.path_ns - 1.0,
        these.power.total_mw() / those.power.total_mw() - 1.0,
    ]
}

/// A design, mapped, timed and simulated with both libraries.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The top module.
    pub design: String,
    /// What it was driven with.
    pub activity: &'static str,
    /// Cycles of it.
    pub cycles: u64,
    /// Mapped, timed and simulated with the full library.
    pub full: Figures,
    /// Mapped, timed and simulated with the embedded library.
    pub embedded: Figures,
    /// Mapped with the embedded library, timed and simulated with cells of the full one that do the same: what is left is the
    /// error of the fits alone. None if the full library has no such cells.
    pub netlist_in_full: Option<Figures>,
    /// The cells that it has nothing for.
    pub without_counterpart: Vec<String>,
}

impl Row {
    /// How far the embedded library is from the full one: area, longest path and power, as parts of the full one's.
    pub fn off(&self) -> [f64; 3] {
        off(&self.embedded, &self.full)
    }

    /// How far it is for the same netlist, if the full library has its cells; the area is the same where they are the same.
    pub fn off_for_a_netlist(&self) -> Option<[f64; 3]> {
        let in_full = self.netlist_in_full.as_ref()?;
        Some(off(&self.embedded, in_full))
    }

    /// Whether area, longest path and power are within [`BARS`].
    pub fn met(&self) -> [bool; 3] {
        let [area, path, power] = self.off();
        [
            area.abs() <= BARS[0],
            path.abs() <= BARS[1],
            power.abs() <= BARS[2],
        ]
    }
}

/// The comparison, with what it was made with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The full library's own name.
    pub library: String,
    /// Version of Yosys.
    pub yosys: String,
    /// Version of OpenSTA.
    pub opensta: String,
    /// How the logic was mapped.
    pub mapping: &'static str,
    /// Delay that mapping aims at, ps.
    pub target_ps: u32,
    /// Clock of the power, MHz.
    pub clock_mhz: f64,
    /// One row per design.
    pub rows: Vec<Row>,
}

impl Comparison {
    /// A comparison of these rows with the library of the flow.
    pub fn new(flow: &Flow, rows: Vec<Row>) -> Self {
        Self {
            library: flow.library.name().to_owned(),
            yosys: YOSYS.version().unwrap_or_default(),
            opensta: OPENSTA.shown_version(),
            mapping: flow.mapping.name(),
            target_ps: flow.target_ps,
            clock_mhz: activity::CLOCK_MHZ,
            rows,
        }
    }
}

/// Maps, times and simulates a design with the embedded library and with that of the flow, otherwise alike. The first
/// activity counts, which has to be the same each time.
///
/// # Errors
/// If a tool is missing or fails, a memory has no figures, or a netlist is not the design.
pub fn row(
    subject: &Subject,
    flow: &Flow,
    embedded: &Library,
    drive: &Drive<'_>,
) -> Result<Row, Error> {
    let memories = cost::figures(&subject.design, flow, Setting::SinglePort)?;
    let synthesize =
        |library| yosys::synthesize_with(&subject.design, library, flow.target_ps, flow.mapping);
    let measure = |netlist: &Netlist, library: &Library| {
        let flow = Flow { library, ..*flow };
        measure(subject, netlist, &flow, &memories, drive)
    };
    let (full, ..) = measure(&synthesize(flow.library)?, flow.library)?;
    let netlist = synthesize(embedded)?;
    let (figures, activity, cycles) = measure(&netlist, embedded)?;
    let [from, to] = [Cells::read(embedded)?, Cells::read(flow.library)?];
    let from = Side {
        library: embedded,
        cells: &from,
    };
    let to = Side {
        library: flow.library,
        cells: &to,
    };
    let (netlist_in_full, without_counterpart) = match translate(&netlist, from, to)? {
        Ok(Translated { netlist, narrower }) => match measure(&netlist, flow.library) {
            Err(Error::Power { .. }) if !narrower.is_empty() => (None, narrower),
            found => (Some(found?.0), Vec::new()),
        },
        Err(missing) => (None, missing),
    };
    Ok(Row {
        design: subject.design.top.clone(),
        activity,
        cycles,
        full,
        embedded: figures,
        netlist_in_full,
        without_counterpart,
    })
}

/// A netlist in the library of the flow, the name of its activity, and the cycles of it.
fn measure(
    subject: &Subject,
    netlist: &Netlist,
    flow: &Flow,
    memories: &[(Memory, Macro)],
    drive: &Drive<'_>,
) -> Result<(Figures, &'static str, u64), Error> {
    let timing = sta::time(netlist, flow.library, memories)?;
    let figures: Vec<Macro> = memories.iter().map(|(_, figures)| *figures).collect();
    let figures = std::slice::from_ref(&figures);
    let estimates = activity::estimates(subject, netlist, flow, figures, drive)?;
    let Some((name, estimate)) = estimates.into_iter().flatten().next() else {
        return Err(Error::Power {
            design: netlist.top.clone(),
            reason: "nothing drives it".to_owned(),
        });
    };
    let kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Memory);
    let figures = Figures {
        area_um2: netlist.area_um2,
        path_ns: longest(&timing),
        power: kinds.map(|kind| estimate.of_kind(kind)).sum(),
    };
    Ok((figures, name, estimate.cycles))
}

/// The longest path of all groups, ns.
fn longest(timing: &Timing) -> f64 {
    [
        &timing.register,
        &timing.input,
        &timing.output,
        &timing.through,
    ]
    .into_iter()
    .flatten()
    .map(|path| path.ns)
    .fold(0.0, f64::max)
}

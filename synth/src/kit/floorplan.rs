//! Where the macros go: in rows from the lower left corner of the core, the highest first.
//!
//! The rows are no wider than the smallest core that the macros alone would make at the core's utilization, so they fit
//! whatever the logic adds.

use super::{Top, instances};
use crate::sram::{Process, Views};

/// Share of the core that macros and logic fill, percent.
pub const UTILISATION: u32 = 40;

/// A macro in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The instance's path, with dots.
    pub path: String,
    /// Left and lower edge, nm from the core's corner.
    pub at: (i64, i64),
    /// Width and height, nm.
    pub size: (i64, i64),
}

/// The macros of a design in their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Floorplan {
    /// The macros.
    pub macros: Vec<Placed>,
    /// Width and height of the smallest core that there can be, nm.
    pub least_core: i64,
    /// What stays free around a macro, nm.
    pub halo: i64,
}

impl Floorplan {
    /// Places the macros of a design.
    pub fn new(top: &Top, macros: &[Views], process: &Process) -> Self {
        let (site, row) = process.site;
        // Eight rows are room for the wires to the pins of two macros side by side.
        let halo = 4 * row;
        let modules: Vec<&str> = macros
            .iter()
            .map(|views| views.memory().module.as_str())
            .collect();
        let mut sized: Vec<(String, (i64, i64))> = instances(&top.name, &top.files, &modules)
            .into_iter()
            .filter_map(|(path, module)| {
                let views = macros
                    .iter()
                    .find(|views| views.memory().module == module)?;
                Some((path, views.size_nm()))
            })
            .collect();
        sized.sort_by_key(|(_, (_, height))| -height);
        let area: f64 = sized
            .iter()
            .map(|(_, (width, height))| *width as f64 * *height as f64)
            .sum();
        let least_core = (area / f64::from(UTILISATION) * 100.0).sqrt() as i64;
        let step = |length: i64, unit: i64| (length + halo + unit - 1) / unit * unit;
        let (mut x, mut y, mut row_height) = (step(0, site), step(0, row), 0);
        let mut placed = Vec::new();
        for (path, (width, height)) in sized {
            if row_height > 0 && x + width > least_core {
                (x, y) = (step(0, site), step(y + row_height, row));
                row_height = 0;
            }
            placed.push(Placed {
                path,
                at: (x, y),
                size: (width, height),
            });
            x = step(x + width, site);
            row_height = row_height.max(height);
        }
        Self {
            macros: placed,
            least_core,
            halo,
        }
    }
}

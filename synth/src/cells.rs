//! The embedded cell library: typical figures at 45 nm for as many cells as synthesis needs, so
//! that a machine without a library of its own has one.
//!
//! The [table](mod@table) (`synth/data/cells45.toml`) holds each cell's area, pin capacitances and leakage,
//! and [`curve`]s fitted to its delay and energy; [`liberty`] writes it as a Liberty file for Yosys
//! and OpenSTA, [`fit`](fit::fit) makes it from a full library, and [`compare`] says how far results
//! with it are from results with that one.

pub mod compare;
mod counterpart;
pub mod curve;
pub mod fit;
mod liberty;
mod points;
pub mod table;

pub use compare::Comparison;
pub use liberty::{NAME, write};
pub use table::Table;

use std::sync::LazyLock;

/// The embedded table.
const EMBEDDED: &str = include_str!("../data/cells45.toml");

/// The embedded table of cells.
pub fn table() -> &'static Table {
    static TABLE: LazyLock<Table> = LazyLock::new(|| match toml::from_str(EMBEDDED) {
        Ok(table) => table,
        // It is part of the program, and a test reads it.
        Err(error) => unreachable!("the embedded table of cells does not parse: {error}"),
    });
    &TABLE
}

/// The embedded library as a Liberty file: ns, fF, nW, fJ, µm², 1.1 V, 25 °C.
pub fn liberty() -> String {
    write(table())
}

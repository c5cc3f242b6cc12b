//! Memories from the macros of a memory compiler: what their Liberty files say of them, and how the memories of a design are
//! tiled from them.
//!
//! A Liberty file says what CACTI estimates: the area of a macro, how long and how often it can be accessed, what an access
//! takes and what leaks. It says nothing of what a macro holds when it is not read, so `q` is taken to hold as that of the
//! blocks' memories does, and it does not tell active-low pins: their inverters are not counted.

pub mod openram;
mod ports;
mod read;
mod table;
mod tile;
mod wrapper;

pub use tile::{Tiling, tile};

use super::Macro;
use crate::error::{Error, one_line};
use crate::library::text_of;
use faultline_liberty::Text;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A macro of a memory compiler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compiled {
    /// The cell in its library.
    pub name: String,
    /// The file that describes it.
    pub file: String,
    /// Words.
    pub words: usize,
    /// Bits of a word.
    pub bits: usize,
    /// Bits that a bit of its write mask stands for; `bits` where it has none.
    pub mask_bits: usize,
    /// Its ports, such as `1rw` or `1r1w`.
    pub ports: String,
    /// Supply, V.
    pub volts: f64,
    /// What its file does not say: `energy`, `leakage` or `cycle`. The first two are 0 then, and the cycle is the access time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Macro,
}

impl Compiled {
    /// Area, µm².
    pub fn area_um2(&self) -> f64 {
        self.figures.area_mm2 * 1e6
    }
}

/// The macros that memories are tiled from, and where they come from.
#[derive(Clone, Debug)]
pub struct Macros {
    /// What rows with them are called: `compiled`, or the name of an embedded table.
    pub name: &'static str,
    /// Where their figures come from, in a word.
    pub source: &'static str,
    /// Where they come from, for a report.
    pub provenance: String,
    /// Technology node, nm, if it is known.
    pub node_nm: Option<u32>,
    /// The macros.
    pub list: Vec<Compiled>,
}

impl Macros {
    /// The macros of some Liberty files, `.lib` or `.lib.gz`.
    ///
    /// # Errors
    /// If one of the files cannot be read, or has no macro that a memory can be tiled from.
    pub fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut list = Vec::new();
        for path in paths {
            list.extend(macros(path)?);
        }
        let files: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        Ok(Self {
            name: "compiled",
            source: "liberty",
            node_nm: None,
            provenance: format!("macros of {}", files.join(", ")),
            list,
        })
    }
}

/// The macros of a Liberty file.
fn macros(path: &Path) -> Result<Vec<Compiled>, Error> {
    let unusable = |reason: &str| Error::SramLiberty {
        path: path.display().to_string(),
        reason: one_line(reason),
    };
    let text = text_of(path, &unusable)?;
    parse(&text, &path.display().to_string()).map_err(|reason| unusable(&reason))
}

/// The macros in the text of a Liberty file; the error says why there is none.
fn parse(text: &str, file: &str) -> Result<Vec<Compiled>, String> {
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    let text = Text::read(text)?;
    let library = text.tree();
    let units = read::Units::of(&library)?;
    let mut found = Vec::new();
    let mut reason = None;
    for cell in library.groups("cell") {
        if cell.groups("memory").next().is_none() {
            continue;
        }
        match (read::Cell {
            library,
            cell,
            units,
        })
        .read(file)
        {
            Ok(compiled) => found.push(compiled),
            Err(why) => reason = reason.or(Some(format!("its cell {} {why}", cell.name()))),
        }
    }
    match (found.is_empty(), reason) {
        (false, _) => Ok(found),
        (true, Some(reason)) => Err(reason),
        (true, None) => Err("it has no cell with a `memory` group".to_owned()),
    }
}

#[cfg(test)]
mod tests;

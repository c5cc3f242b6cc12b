//! Launch files: how a kernel is started, and what its memory holds.
//!
//! A file is TOML; [`schema`] says what it may hold. [`LaunchFile::read`] checks it, and [`LaunchFile::place`] gives each
//! buffer an address and fills a memory with the buffers.
//!
//! ```
//! let text = "
//!     grid = [4]
//!     block = [64]
//!     arguments = [\"x\", \"y\", 0.5, 256]
//!     [buffers.x]
//!     type = \"f32\"
//!     count = 256
//!     random = { from = -1, to = 1, seed = 7 }
//!     [buffers.y]
//!     type = \"f32\"
//!     values = [1, 2, 3]
//!     output = true
//! ";
//! let file = faultline_sim::launch_file::LaunchFile::read(text, "saxpy.toml")?;
//! assert_eq!(file.launches()[0].threads(), 64);
//! let placed = file.place(std::path::Path::new("."))?;
//! assert_eq!(placed.buffers[1].address, 0x1_0001_0000);
//! # Ok::<(), faultline_sim::launch_file::Error>(())
//! ```

mod argument;
mod array;
mod check;
mod contents;
mod launch;
mod number;
mod placed;
mod steps;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use thiserror::Error;
use toml::de::{DeTable, DeValue, Deserializer};

use crate::place::{line_at, one_sentence};

pub use argument::{Argument, Given};
pub use array::{Array, Ramp, Random, Shuffle, TextureTable, Tolerance};
pub use launch::{Extent, Launch, LaunchTable};
pub use number::{Element, Number};
pub use placed::{Difference, Placed, PlacedBuffer, PlacedSymbol, PlacedTexture};
pub use steps::{Size, Steps};

/// Why a file starts nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {sentence}")]
pub struct Error {
    /// The file.
    pub file: String,
    /// The line, from 1 on.
    pub line: usize,
    /// What is wrong, and what to do.
    pub sentence: String,
}

/// What a file may say.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Tables {
    /// The kernel. It may be absent if the PTX has one.
    entry: Option<String>,
    /// Thread blocks of the grid in x, y and z; what is absent is 1.
    grid: Option<Extent>,
    /// Threads of a block in x, y and z; what is absent is 1.
    block: Option<Extent>,
    /// Bytes of dynamic shared memory of a block; 0 if absent.
    shared: Option<u32>,
    /// Registers of a thread, as ptxas counts them; 32 if absent.
    registers: Option<u32>,
    /// The first of the thread blocks that run, and the one after the last; all if absent.
    blocks: Option<[u32; 2]>,
    /// On a machine, what loads return is that of the run without faults; false if absent. It is for kernels whose threads read
    /// without an atomic what others of the launch write.
    recorded: Option<bool>,
    /// The arguments, in the order of the kernel's parameters.
    arguments: Option<Vec<Given>>,
    /// Arrays in global memory, by name.
    #[serde(default)]
    buffers: BTreeMap<String, Array>,
    /// Contents of variables of the PTX, by name.
    #[serde(default)]
    symbols: BTreeMap<String, Array>,
    /// Textures of the PTX, by name.
    #[serde(default)]
    textures: BTreeMap<String, TextureTable>,
    /// Launches one after the other, or launches that are repeated. Each says what differs from the top level, which is the one
    /// launch without them.
    #[serde(default)]
    launches: Vec<LaunchTable>,
}

/// A launch file.
#[derive(Clone, Debug)]
pub struct LaunchFile {
    name: String,
    text: String,
    tables: Tables,
    launches: Vec<Launch>,
}

impl LaunchFile {
    /// Reads a text of this name in errors.
    ///
    /// # Errors
    /// If it is no TOML, if a key or value is unknown, of another type or out of its range, if an argument names no buffer,
    /// or if a buffer has no contents that fit.
    pub fn read(text: &str, name: &str) -> Result<Self, Error> {
        let of_toml = |error: toml::de::Error| Error {
            file: name.to_owned(),
            line: line_at(text, error.span().map_or(0, |span| span.start)),
            sentence: one_sentence(error.message()),
        };
        let parsed = DeTable::parse(text).map_err(of_toml)?;
        let tables = Tables::deserialize(Deserializer::from(parsed)).map_err(of_toml)?;
        let mut file = Self {
            name: name.to_owned(),
            text: text.to_owned(),
            tables,
            launches: Vec::new(),
        };
        file.launches = file.checked()?;
        Ok(file)
    }

    /// Its name in errors.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The launches, one after the other.
    #[must_use]
    pub fn launches(&self) -> &[Launch] {
        &self.launches
    }

    /// The files whose bytes its arrays hold, or should hold after the last launch. Their paths begin at its folder.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let arrays = self
            .tables
            .buffers
            .values()
            .chain(self.tables.symbols.values());
        let files = arrays.flat_map(|array| [&array.file, &array.expected]);
        files.filter_map(|file| file.as_deref())
    }

    /// The error at what these keys lead to, or at the last of them that is there.
    fn wrong(&self, keys: &[&str], sentence: impl Into<String>) -> Error {
        Error {
            file: self.name.clone(),
            line: self.line_of(keys),
            sentence: sentence.into(),
        }
    }

    /// The line of what these keys lead to, or of the last of them that is there; a number is a place in a list.
    fn line_of(&self, keys: &[&str]) -> usize {
        self.found(keys).1
    }

    /// How many of these keys lead somewhere, one after the other, and the line of the last of them.
    fn found(&self, keys: &[&str]) -> (usize, usize) {
        let Ok(parsed) = DeTable::parse(&self.text) else {
            return (0, 1);
        };
        let top = DeValue::Table(parsed.into_inner());
        let (mut here, mut start, mut count) = (&top, 0, 0);
        for &key in keys {
            let next = match here {
                DeValue::Table(table) => table
                    .get_key_value(key)
                    .map(|(key, value)| (key.span(), value)),
                DeValue::Array(list) => {
                    let item = key.parse().ok().and_then(|place: usize| list.get(place));
                    item.map(|item| (item.span(), item))
                }
                _ => None,
            };
            let Some((span, value)) = next else { break };
            (here, start) = (value.get_ref(), span.start);
            count += 1;
        }
        (count, line_at(&self.text, start))
    }
}

/// What a file may say, as a JSON schema.
#[must_use]
pub fn schema() -> Schema {
    SchemaGenerator::default().into_root_schema_for::<Tables>()
}

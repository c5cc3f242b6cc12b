//! What can go wrong between a design and its figures, each case as one sentence.

use std::io;
use std::path::{Path, PathBuf};

/// Why a figure could not be had. `Display` is one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read, or a folder not be written.
    #[error("{path}: cannot {action}: {source}; check the path and its permissions")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What was tried, an infinitive.
        action: &'static str,
        /// Why the system refused.
        source: io::Error,
    },
    /// The list of designs is none.
    #[error("{path}: not a list of designs: {reason}; write it again with `faultline export`")]
    List {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        reason: String,
    },
    /// A file that should be a Liberty library is none.
    #[error("{path}: not a usable Liberty library: {reason}; give a .lib or .lib.gz file")]
    Liberty {
        /// The file, or the name of the embedded library.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A program is not installed.
    #[error(
        "{program} was not found on PATH; install it with `apt-get install {package}` (or `cargo xtask setup`)"
    )]
    ToolMissing {
        /// The command.
        program: String,
        /// The Debian package that carries it.
        package: &'static str,
    },
    /// A program ran and failed, or said something that must not be ignored.
    #[error("{program} failed on {design}: {reason}")]
    Tool {
        /// The command.
        program: &'static str,
        /// The design or memory that it worked on.
        design: String,
        /// Its own message, on one line.
        reason: String,
    },
    /// qflow or its cells are not where Debian's packages put them.
    #[error("{path} was not found; install qflow with `apt-get install qflow qflow-tech-osu018`")]
    QflowMissing {
        /// The file.
        path: PathBuf,
    },
    /// Wires have no room.
    #[error(
        "qrouter left {left} of {nets} nets of {design} without a wire at a density of {density}; give a lower --density"
    )]
    Unrouted {
        /// The design.
        design: String,
        /// Nets without a wire.
        left: usize,
        /// Nets with one, or a part of it.
        nets: usize,
        /// How full the rows were.
        density: f64,
    },
    /// A netlist cannot be simulated, so nothing is known of its power.
    #[error("the netlist of {design} cannot be simulated: {reason}")]
    Power {
        /// The design.
        design: String,
        /// What is in its way.
        reason: String,
    },
    /// OpenSTA is too old to be asked for power.
    #[error(
        "OpenSTA {version} does not calculate power rightly; put version 3 or newer on PATH as `sta`, or leave --engine opensta away"
    )]
    OldOpensta {
        /// The version on PATH.
        version: String,
    },
    /// The SRAM table has no such macro.
    #[error(
        "no figures for an SRAM of {words} words x {bits} bits ({setting}, {node_nm} nm): it is not in the embedded table; install CACTI (set CACTI to the program) and pass --sram cacti"
    )]
    SramShape {
        /// Words of the macro.
        words: usize,
        /// Bits of a word.
        bits: usize,
        /// The setting's name.
        setting: &'static str,
        /// The technology node in nanometres.
        node_nm: u32,
    },
    /// A file that should have an SRAM macro has none that memories can be tiled from.
    #[error(
        "{path}: no SRAM macro to tile memories from: {reason}; give the Liberty file (.lib or .lib.gz) of an SRAM macro"
    )]
    SramLiberty {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// CACTI is neither on `PATH` nor in the environment variable `CACTI`.
    #[error(
        "CACTI was not found: put `cacti` on PATH or set the environment variable CACTI to the program (its source is in the PyPI package hwcomponents-cacti; `make opt` builds it)"
    )]
    CactiMissing,
    /// OpenRAM is not in the Python that should have it.
    #[error(
        "OpenRAM was not found: set the environment variable OPENRAM to a Python that has it (`pip install openram 'numpy<2'`)"
    )]
    OpenRamMissing,
    /// The SRAM table is not what it should be.
    #[error("{origin}: not an SRAM table: {reason}")]
    SramTable {
        /// The file, or the name of the embedded table.
        origin: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// Wraps an input or output error with its path.
    pub fn file(path: &Path, action: &'static str, source: io::Error) -> Self {
        Self::File {
            path: path.to_owned(),
            action,
            source,
        }
    }
}

/// Puts a message of several lines on one, so that an error stays one sentence.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

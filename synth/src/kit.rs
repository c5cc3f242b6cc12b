//! Folders that a flow takes as they are: a design's Verilog, its macros, and the flow's own files.
//!
//! A flow is a variant of [`Flow`] and a file of this folder, which makes the flow's files from a [`Top`]. The names of the
//! variables that a kit may set are in `synth/data/flows`, with their source; a test holds every kit against them.

mod floorplan;
mod fusesoc;
mod hierarchy;
mod librelane;
mod orfs;
mod sdc;

use crate::error::Error;
use crate::sram::{NANGATE45, Process, SKY130, Sram, View, Views};
use crate::yosys::Memory;
use std::collections::BTreeMap;

pub use floorplan::{Floorplan, Placed};
pub use hierarchy::instances;

/// The files of a kit: their texts by their paths within it.
pub type Files = BTreeMap<String, String>;

/// A flow that a kit can be made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// OpenROAD-flow-scripts, on NanGate 45.
    Orfs,
    /// LibreLane, on SkyWater 130.
    Librelane,
    /// FuseSoC, for any simulator or linter that it knows.
    Fusesoc,
}

impl Flow {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Orfs, Self::Librelane, Self::Fusesoc];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Orfs => "orfs",
            Self::Librelane => "librelane",
            Self::Fusesoc => "fusesoc",
        }
    }

    /// The file of a kit that only this flow has.
    pub fn configuration(self, top: &str) -> String {
        match self {
            Self::Orfs => "config.mk".to_owned(),
            Self::Librelane => "config.json".to_owned(),
            Self::Fusesoc => format!("{top}.core"),
        }
    }

    /// The process that its macros are laid out for.
    pub const fn process(self) -> &'static Process {
        match self {
            Self::Orfs | Self::Fusesoc => &NANGATE45,
            Self::Librelane => &SKY130,
        }
    }

    /// The variables, or keys, that its documentation names, and what that documentation is.
    pub const fn documented(self) -> &'static str {
        match self {
            Self::Orfs => include_str!("../data/flows/orfs.txt"),
            Self::Librelane => include_str!("../data/flows/librelane.txt"),
            Self::Fusesoc => include_str!("../data/flows/fusesoc.txt"),
        }
    }
}

/// What a kit is made for.
#[derive(Clone, Debug)]
pub struct Top {
    /// The top module.
    pub name: String,
    /// The block and its configuration, for people.
    pub title: String,
    /// The name and text of each file of Verilog, one for a module.
    pub files: Vec<(String, String)>,
    /// Its memories, which macros take the place of.
    pub memories: Vec<Memory>,
}

impl Top {
    /// The Verilog without the modules that macros take the place of, in the folder `rtl`.
    fn rtl(&self) -> Files {
        let is_macro = |name: &str| {
            self.memories
                .iter()
                .any(|memory| name.strip_suffix(".v") == Some(memory.module.as_str()))
        };
        self.files
            .iter()
            .filter(|(name, _)| !is_macro(name))
            .map(|(name, text)| (format!("rtl/{name}"), text.clone()))
            .collect()
    }

    /// Its macros in the process of a flow.
    fn macros(&self, flow: Flow, sram: &Sram) -> Result<Vec<Views>, Error> {
        self.memories
            .iter()
            .map(|memory| Views::new(memory, sram, flow.process()))
            .collect()
    }

    /// What a kit's page says of the macros.
    fn macro_list(&self, macros: &[Views]) -> String {
        if macros.is_empty() {
            return "The design has no macros.\n".to_owned();
        }
        let rows = macros.iter().map(|views| {
            let memory = views.memory();
            let (width, height) = views.size_nm();
            format!(
                "| `{}` | {} | {} | {} | {:.2} x {:.2} |\n",
                memory.module,
                memory.words,
                memory.bits,
                memory.instances,
                width as f64 / 1e3,
                height as f64 / 1e3
            )
        });
        format!(
            "| Macro | Words | Bits | Instances | Size, um |\n|---|---:|---:|---:|---:|\n{}\n\
             The macros are abstract: Liberty, LEF, a black box and a model, with sizes, times and energies of CACTI \
             (`faultline sram`), and no layout. A shape that the table does not have is given the figures of the least one \
             that holds it, a mask costs nothing, and a read takes its time under any load.\n",
            rows.collect::<String>()
        )
    }
}

/// Views of macros in the folder `macros`.
fn views(macros: &[Views], views: &[View]) -> Files {
    let mut files = Files::new();
    for one in macros {
        for &view in views {
            let name = view.file(&one.memory().module);
            files.insert(format!("macros/{name}"), one.text(view));
        }
    }
    files
}

/// The kit of a design for a flow.
///
/// # Errors
/// If there are no figures for one of its memories.
pub fn files(flow: Flow, top: &Top, sram: &Sram) -> Result<Files, Error> {
    let macros = top.macros(flow, sram)?;
    let mut files = top.rtl();
    files.extend(match flow {
        Flow::Orfs => orfs::files(top, &macros),
        Flow::Librelane => librelane::files(top, &macros),
        Flow::Fusesoc => fusesoc::files(top, &macros),
    });
    Ok(files)
}

//! The views of a macro that a layout flow reads, all from its [`pins`](super::pins) and its figures.

use super::process::Process;
use super::{Macro, Setting, Shape, Sram, lef, liberty, verilog};
use crate::error::Error;
use crate::yosys::Memory;

/// A file of a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Timing, power and area.
    Liberty,
    /// Size, pins and blockage.
    Lef,
    /// Ports alone, as Verilog.
    BlackBox,
    /// What it does, as Verilog.
    Model,
}

impl View {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Liberty, Self::Lef, Self::BlackBox, Self::Model];

    /// The name of the file of a module.
    pub fn file(self, module: &str) -> String {
        match self {
            Self::Liberty => format!("{module}.lib"),
            Self::Lef => format!("{module}.lef"),
            Self::BlackBox => format!("{module}_blackbox.v"),
            Self::Model => format!("{module}.v"),
        }
    }
}

/// A macro in a process.
#[derive(Clone, Debug, PartialEq)]
pub struct Views {
    memory: Memory,
    figures: Macro,
    process: Process,
}

impl Views {
    /// The macro of a memory, with the figures of a single-ported one at 45 nm, scaled to the process.
    ///
    /// # Errors
    /// If there are no figures for its shape.
    pub fn new(memory: &Memory, sram: &Sram, process: &Process) -> Result<Self, Error> {
        let figures = sram.figures(&Shape {
            setting: Setting::SinglePort,
            node_nm: Setting::SinglePort.node_nm(),
            words: memory.words,
            bits: memory.bits,
        })?;
        Ok(Self {
            memory: memory.clone(),
            figures: process.scaled(&figures),
            process: *process,
        })
    }

    /// The memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Width and height, nm.
    pub fn size_nm(&self) -> (i64, i64) {
        lef::size(&self.memory, &self.figures, &self.process)
    }

    /// The text of a view.
    pub fn text(&self, view: View) -> String {
        let (memory, figures, process) = (&self.memory, &self.figures, &self.process);
        match view {
            View::Liberty => liberty::library(memory, figures, process),
            View::Lef => lef::lef(memory, figures, process),
            View::BlackBox => verilog::black_box(memory),
            View::Model => verilog::model(memory),
        }
    }

    /// Every view with its file's name.
    pub fn files(&self) -> Vec<(String, String)> {
        View::ALL
            .iter()
            .map(|&view| (view.file(&self.memory.module), self.text(view)))
            .collect()
    }
}

//! What the memories of a row are, and what they cost.

use super::Flow;
use crate::error::Error;
use crate::sram::compiled::{Macros, Tiling, tile};
use crate::sram::{Macro, Setting, Shape};
use crate::yosys::{Design, Memory};

/// What the memories of a row are.
#[derive(Clone, Copy, Debug)]
pub enum Model<'a> {
    /// Macros that CACTI estimates.
    Cacti(Setting),
    /// Tiled from a compiler's macros.
    Compiled(&'a Macros),
}

impl Model<'_> {
    /// The name in tables.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Cacti(setting) => setting.name(),
            Self::Compiled(macros) => macros.name,
        }
    }

    /// Technology node, nm, if it is known.
    pub fn node_nm(&self, flow: &Flow) -> Option<u32> {
        match self {
            Self::Cacti(setting) => Some(flow.node_nm.unwrap_or(setting.node_nm())),
            Self::Compiled(macros) => macros.node_nm,
        }
    }

    /// Where the figures come from, in a word.
    pub const fn source(&self, flow: &Flow) -> &'static str {
        match self {
            Self::Cacti(_) => flow.sram.name(),
            Self::Compiled(macros) => macros.source,
        }
    }
}

/// The memories of a design as one of the models has them.
#[derive(Clone, Debug)]
pub struct Memories<'a> {
    /// The model.
    pub model: Model<'a>,
    /// Each kind of memory, with the figures of one.
    pub figures: Vec<(Memory, Macro)>,
    /// How they are tiled, of compiled macros.
    pub tilings: Vec<Tiling>,
}

impl<'a> Memories<'a> {
    /// The memories of a design.
    ///
    /// # Errors
    /// If there are no figures for one of them, or it cannot be tiled.
    pub fn of(design: &Design, flow: &Flow<'a>, model: Model<'a>) -> Result<Self, Error> {
        let (figures, tilings) = match model {
            Model::Cacti(setting) => (figures(design, flow, setting)?, Vec::new()),
            Model::Compiled(macros) => {
                let tilings = tile(macros, design, flow.library, flow.target_ps, flow.mapping)?;
                let of_each = design.memories.iter().zip(&tilings);
                let figures = of_each.map(|(memory, tiling)| (memory.clone(), tiling.figures()));
                (figures.collect(), tilings)
            }
        };
        Ok(Self {
            model,
            figures,
            tilings,
        })
    }

    /// The figures alone.
    pub fn macros(&self) -> Vec<Macro> {
        self.figures.iter().map(|(_, figures)| *figures).collect()
    }
}

/// The figures of a design's memories by CACTI.
pub(crate) fn figures(
    design: &Design,
    flow: &Flow,
    setting: Setting,
) -> Result<Vec<(Memory, Macro)>, Error> {
    let of = |memory: &Memory| {
        let shape = Shape {
            setting,
            node_nm: flow.node_nm.unwrap_or(setting.node_nm()),
            words: memory.words,
            bits: memory.bits,
        };
        Ok((memory.clone(), flow.sram.figures(&shape)?))
    };
    design.memories.iter().map(of).collect()
}

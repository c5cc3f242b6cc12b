//! A block in lockstep whose inputs are recorded, and run many cycles at a time.

use std::path::Path;

use faultline_sim::ports::Ports;

use super::ProgramError;
use crate::backend::Kind;
use crate::blocks::{self, Block, SetupError};
use crate::lockstep::{Lockstep, Mismatch, Speed, WINDOW};
use crate::wave::WaveError;

/// A block in lockstep whose inputs are recorded, and run many cycles at a time.
pub(super) struct Recorded<M: Block> {
    pub parameters: M::Parameters,
    pub lockstep: Lockstep,
    frames: Vec<u64>,
}

impl<M: Block> Recorded<M> {
    pub fn new(
        config: &str,
        parameters: M::Parameters,
        kinds: &[Kind],
    ) -> Result<Self, SetupError> {
        Ok(Self {
            parameters,
            lockstep: blocks::lockstep(M::NAME, config, kinds)?,
            frames: Vec::new(),
        })
    }

    pub fn push(&mut self, inputs: &M::Inputs) {
        let start = self.frames.len();
        let words = self.lockstep.layout().input_words();
        self.frames.resize(start + words, 0);
        inputs.pack(&self.parameters, &mut self.frames[start..]);
    }

    /// Runs what was recorded.
    pub fn run(&mut self) -> Result<(), ProgramError> {
        let cycles = self.cycles();
        self.lockstep.run(&self.frames)?;
        self.frames.clear();
        match self.lockstep.difference(cycles) {
            Some(mismatch) => Err(ProgramError::Mismatch(Box::new(mismatch))),
            None => Ok(()),
        }
    }

    /// Writes the cycles around a mismatch as a waveform.
    pub fn write_wave(&self, path: &Path, mismatch: &Mismatch) -> Result<(), WaveError> {
        let place = Some((mismatch.cycle, mismatch.port));
        self.lockstep.write_wave(path, WINDOW, place)
    }

    /// Cycles that are recorded and not run.
    pub fn cycles(&self) -> usize {
        self.frames.len() / self.lockstep.layout().input_words()
    }

    /// The design, such as `sm_unit_log_64`.
    pub fn design(&self) -> &str {
        self.lockstep.design()
    }

    /// What each back end did.
    pub fn speeds(&self) -> impl Iterator<Item = Speed> {
        self.lockstep.speeds()
    }
}

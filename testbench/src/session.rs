//! A lockstep that makes its own inputs, for as long as one likes.

use std::path::{Path, PathBuf};

use crate::backend::Kind;
use crate::lockstep::{Lockstep, LockstepError, Mismatch, Speed, WINDOW};
use crate::wave::WaveError;

/// Cycles whose inputs are made, run and compared at a time, so that back ends are timed without the others.
const CHUNK: u64 = 256;

/// How often each scenario occurred, by name.
pub type Coverage = Vec<(&'static str, u64)>;

/// Where inputs come from.
pub trait Stimulus {
    /// The packed inputs of the next cycle.
    fn next(&mut self, frame: &mut [u64]);

    /// The scenarios that occurred so far.
    fn coverage(&self) -> Coverage;

    /// What tells the same inputs again, such as `seed 1`.
    fn source(&self) -> String;
}

/// A lockstep with its stimulus.
pub struct Session {
    lockstep: Lockstep,
    stimulus: Box<dyn Stimulus>,
    wave: Option<PathBuf>,
    wave_cycles: u64,
    frames: Vec<u64>,
}

impl Session {
    /// Back ends and inputs for the same design.
    #[must_use]
    pub fn new(lockstep: Lockstep, stimulus: Box<dyn Stimulus>) -> Self {
        Self {
            lockstep,
            stimulus,
            wave: None,
            wave_cycles: WINDOW,
            frames: Vec::new(),
        }
    }

    /// Has waveforms show so many cycles, [`LONGEST_WINDOW`](crate::lockstep::LONGEST_WINDOW) at most.
    pub fn show_cycles(&mut self, cycles: u64) {
        self.wave_cycles = cycles;
    }

    /// Writes the cycles around a mismatch to this file.
    pub fn wave_on_mismatch(&mut self, path: &Path) {
        self.wave = Some(path.to_owned());
    }

    /// Runs more cycles.
    ///
    /// # Errors
    /// If two back ends differ, or one cannot go on.
    pub fn run(&mut self, cycles: u64) -> Result<(), LockstepError> {
        let mut left = cycles;
        while left > 0 {
            let cycles = left.min(CHUNK) as usize;
            self.advance(cycles)?;
            if let Some(mismatch) = self.lockstep.difference(cycles) {
                return Err(self.explain(mismatch));
            }
            left -= cycles as u64;
        }
        Ok(())
    }

    /// Goes on without a back end.
    pub fn drop_backend(&mut self, kind: Kind) -> Option<Speed> {
        self.lockstep.drop_backend(kind)
    }

    /// What each back end did.
    pub fn speeds(&self) -> impl Iterator<Item = Speed> {
        self.lockstep.speeds()
    }

    /// The scenarios that occurred so far.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        self.stimulus.coverage()
    }

    /// Cycles that were run.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.lockstep.cycles()
    }

    /// Writes the last cycles as a waveform.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_wave(&self, path: &Path) -> Result<(), WaveError> {
        self.lockstep.write_wave(path, self.wave_cycles, None)
    }

    fn advance(&mut self, cycles: usize) -> Result<(), LockstepError> {
        let words = self.lockstep.layout().input_words();
        self.frames.resize(cycles * words, 0);
        for frame in self.frames.chunks_exact_mut(words) {
            self.stimulus.next(frame);
        }
        Ok(self.lockstep.run(&self.frames)?)
    }

    /// Adds the source and the waveform, for which it runs on a little.
    fn explain(&mut self, mut mismatch: Mismatch) -> LockstepError {
        mismatch.source = self.stimulus.source();
        if let Some(path) = self.wave.clone() {
            let place = Some((mismatch.cycle, mismatch.port));
            let window = self.wave_cycles;
            let written = self
                .advance(window.div_ceil(4).max(CHUNK) as usize)
                .and_then(|()| Ok(self.lockstep.write_wave(&path, window, place)?));
            match written {
                Ok(()) => mismatch.wave = Some(path),
                Err(LockstepError::Wave(error)) => mismatch.source += &format!(" ({error})"),
                Err(_) => {}
            }
        }
        LockstepError::Mismatch(Box::new(mismatch))
    }
}

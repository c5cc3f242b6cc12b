//! Programs and traces on an SM whose pipeline is in lockstep, and with it the checkpoint engine and the dirty bits where thread
//! blocks leave: the reference, its kernel or its Verilog see everything that goes over their ports, and must show the same in every
//! cycle. What holds of the run, and what is counted in it, then holds of each of them.

use faultline_sim::machines::gpu;
use faultline_sim::machines::sm::restart::{Failure, Trial};
use faultline_sim::machines::sm::{Outcome, Sm, SmError};
use faultline_sim::ports::{Model, Ports};
use faultline_sim::preempt::{checkpoint, dirty_bits};
use faultline_sim::sm::sm_pipeline::{Inputs, Outputs, Parameters, Scheme, SmPipeline};

use crate::backend::{BackendError, Kind};
use crate::blocks::{self, Block, SetupError};
use crate::lockstep::{Lockstep, Mismatch, Speed};

mod recorded;
mod whole;

use recorded::Recorded;
pub use whole::{Side, Whole};

/// Cycles that are run and compared at a time.
const CHUNK: usize = 256;
/// The dirty bits of an SM: those with a bit for each lane, or those with one for each row.
pub const DIRTY_BITS: [&str; 2] = ["lanes", "rows"];

/// Why such a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// The design cannot be had.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Two back ends differ.
    #[error("{0}")]
    Mismatch(Box<Mismatch>),
    /// A back end cannot go on.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The run does not come to its end.
    #[error(transparent)]
    Sm(#[from] SmError),
    /// A GPU does not come to its end.
    #[error(transparent)]
    Gpu(#[from] gpu::Failure),
    /// There is no Verilog of these sizes.
    #[error("no design of {block} has these sizes: {advice}")]
    Sizes {
        /// The block.
        block: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// The restart theorem does not hold.
    #[error(transparent)]
    Failure(#[from] Failure),
}

/// A pipeline in several back ends, with a checkpoint engine and dirty bits.
pub struct Pipeline {
    parameters: Parameters,
    kinds: Vec<Kind>,
    lockstep: Lockstep,
    engine: Recorded<checkpoint::Checkpoint>,
    /// Those of the last SM.
    dirty: Option<Recorded<dirty_bits::DirtyBits>>,
}

impl Pipeline {
    /// A design of the pipeline by its configuration, such as `log_4`, in these back ends.
    ///
    /// # Errors
    /// If there is no such design, or a back end cannot be had.
    pub fn new(config: &str, kinds: &[Kind]) -> Result<Self, SetupError> {
        let lockstep = blocks::lockstep(SmPipeline::NAME, config, kinds)?;
        let unknown = || blocks::unknown(SmPipeline::NAME, config);
        let engine = Recorded::new(
            blocks::DEFAULT_CHECKPOINT,
            checkpoint::Parameters::paper(),
            kinds,
        )?;
        Ok(Self {
            parameters: SmPipeline::parameters(config).ok_or_else(unknown)?,
            kinds: kinds.to_vec(),
            lockstep,
            engine,
            dirty: None,
        })
    }

    /// Dirty bits of these sizes, if there is such a design.
    fn dirty_bits(
        &mut self,
        parameters: dirty_bits::Parameters,
    ) -> Result<Option<Recorded<dirty_bits::DirtyBits>>, SetupError> {
        let last = self.dirty.take();
        if last
            .as_ref()
            .is_some_and(|last| last.parameters == parameters)
        {
            return Ok(last);
        }
        let config = DIRTY_BITS
            .into_iter()
            .find(|config| blocks::DirtyBits::parameters(config) == Some(parameters));
        config
            .map(|config| Recorded::new(config, parameters, &self.kinds))
            .transpose()
    }

    /// The configuration of a scheme with so many warps.
    #[must_use]
    pub fn configuration(scheme: Scheme, warps: usize) -> String {
        let name = match scheme {
            Scheme::StallOnFault => "stall",
            Scheme::WarpDisableCommit => "commit",
            Scheme::WarpDisableLastCheck => "check",
            Scheme::ReplayQueue => "queue",
            Scheme::OperandLog => "log",
        };
        format!("{name}_{warps}")
    }

    /// Its sizes.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// What each back end did.
    pub fn speeds(&self) -> impl Iterator<Item = Speed> {
        self.lockstep.speeds()
    }

    /// Runs an SM of these sizes to its end, after a reset, and shows what goes over the ports in each cycle.
    ///
    /// # Errors
    /// If two back ends differ, or the SM does not come to its end.
    pub fn run(
        &mut self,
        mut sm: Sm<'_>,
        mut observe: impl FnMut(&Inputs, &Outputs),
    ) -> Result<Outcome, ProgramError> {
        let words = self.lockstep.layout().input_words();
        let mut frames = vec![0; words];
        let reset = Inputs {
            reset: true,
            ..<SmPipeline as Model>::Inputs::default()
        };
        reset.pack(&self.parameters, &mut frames);
        let switches = sm.switches() && sm.checkpoint_parameters() == self.engine.parameters;
        let mut dirty = match switches {
            true => self.dirty_bits(sm.dirty_parameters())?,
            false => None,
        };
        if switches {
            self.engine.push(&checkpoint::Inputs {
                reset: true,
                ..checkpoint::Inputs::default()
            });
        }
        if let Some(dirty) = &mut dirty {
            dirty.push(&dirty_bits::Inputs {
                reset: true,
                ..dirty_bits::Inputs::default()
            });
        }
        while !sm.is_finished() {
            while frames.len() < CHUNK * words && !sm.is_finished() {
                let (inputs, outputs) = sm.cycle()?;
                let start = frames.len();
                frames.resize(start + words, 0);
                inputs.pack(&self.parameters, &mut frames[start..]);
                observe(&inputs, &outputs);
                if switches {
                    self.engine.push(sm.checkpoint_ports().0);
                }
                if let Some(dirty) = &mut dirty {
                    dirty.push(&sm.dirty_ports().0);
                }
            }
            if switches {
                self.engine.run()?;
            }
            if let Some(dirty) = &mut dirty {
                dirty.run()?;
            }
            self.lockstep.run(&frames)?;
            if let Some(mismatch) = self.lockstep.difference(frames.len() / words) {
                return Err(ProgramError::Mismatch(Box::new(mismatch)));
            }
            frames.clear();
        }
        self.dirty = dirty;
        Ok(sm.outcome())
    }

    /// Puts the restart theorem to the random program of a seed.
    ///
    /// # Errors
    /// If it does not hold, or two back ends differ.
    pub fn restart(&mut self, seed: u64) -> Result<Outcome, ProgramError> {
        let trial = Trial::on(self.parameters, seed)?;
        let sm = Sm::new(&trial.parameters, &trial.work)?;
        let outcome = self.run(sm, |_, _| {}).map_err(|error| match error {
            ProgramError::Mismatch(mut mismatch) => {
                mismatch.source = format!("program {seed}");
                ProgramError::Mismatch(mismatch)
            }
            other => other,
        })?;
        Ok(trial.passed(outcome)?)
    }
}

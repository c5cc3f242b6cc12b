//! Programs and traces on an SM whose pipeline is in lockstep: the reference, its kernel or its Verilog see everything that
//! goes over the pipeline's ports, and must show the same in every cycle. What holds of the run, and what is counted
//! in it, then holds of each of them.

use faultline_sim::ports::{Model, Ports};
use faultline_sim::sm::restart::{Failure, Trial};
use faultline_sim::sm::{Outcome, Sm, SmError};
use faultline_sim::sm_pipeline::{Inputs, Outputs, Parameters, Scheme, SmPipeline};

use crate::backend::{BackendError, Kind};
use crate::blocks::{self, Block, SetupError};
use crate::lockstep::{Lockstep, Mismatch, Speed};

/// Cycles that are run and compared at a time.
const CHUNK: usize = 256;

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
    /// The restart theorem does not hold.
    #[error(transparent)]
    Failure(#[from] Failure),
}

/// A pipeline in several back ends.
pub struct Pipeline {
    parameters: Parameters,
    lockstep: Lockstep,
}

impl Pipeline {
    /// A design of the pipeline by its configuration, such as `log_4`, in these back ends.
    ///
    /// # Errors
    /// If there is no such design, or a back end cannot be had.
    pub fn new(config: &str, kinds: &[Kind]) -> Result<Self, SetupError> {
        let lockstep = blocks::lockstep(blocks::SmPipeline::NAME, config, kinds)?;
        let unknown = || SetupError::UnknownDesign {
            block: blocks::SmPipeline::NAME.to_owned(),
            config: config.to_owned(),
        };
        Ok(Self {
            parameters: blocks::SmPipeline::parameters(config).ok_or_else(unknown)?,
            lockstep,
        })
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
        while !sm.is_finished() {
            while frames.len() < CHUNK * words && !sm.is_finished() {
                let (inputs, outputs) = sm.cycle()?;
                let start = frames.len();
                frames.resize(start + words, 0);
                inputs.pack(&self.parameters, &mut frames[start..]);
                observe(&inputs, &outputs);
            }
            self.lockstep.run(&frames)?;
            if let Some(mismatch) = self.lockstep.difference(frames.len() / words) {
                return Err(ProgramError::Mismatch(Box::new(mismatch)));
            }
            frames.clear();
        }
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

//! Directed tests: a block driven by hand, cycle by cycle, in all back ends at once.

use faultline_sim::ports::{Model, Ports};

use crate::lockstep::{Lockstep, LockstepError};

/// All back ends of a design, driven by typed inputs.
pub struct Bench<M: Model> {
    lockstep: Lockstep,
    parameters: M::Parameters,
    frame: Vec<u64>,
}

impl<M: Model> Bench<M> {
    /// A lockstep with a model's types.
    #[must_use]
    pub fn new(lockstep: Lockstep, parameters: M::Parameters) -> Self {
        let frame = vec![0; lockstep.layout().input_words()];
        Self {
            lockstep,
            parameters,
            frame,
        }
    }

    /// The sizes of the block.
    #[must_use]
    pub fn parameters(&self) -> &M::Parameters {
        &self.parameters
    }

    /// Runs a cycle, and gives the outputs that all back ends agree on.
    ///
    /// # Errors
    /// If they differ.
    pub fn cycle(&mut self, inputs: &M::Inputs) -> Result<M::Outputs, LockstepError> {
        inputs.pack(&self.parameters, &mut self.frame);
        self.lockstep.run(&self.frame)?;
        if let Some(mut mismatch) = self.lockstep.difference(1) {
            "directed inputs".clone_into(&mut mismatch.source);
            return Err(LockstepError::Mismatch(Box::new(mismatch)));
        }
        let mut outputs = M::Outputs::default();
        outputs.unpack(&self.parameters, self.lockstep.last_outputs());
        Ok(outputs)
    }

    /// Runs a cycle of a test, and gives the outputs that all back ends agree on.
    ///
    /// # Panics
    /// If they differ.
    pub fn run(&mut self, inputs: &M::Inputs) -> M::Outputs {
        self.cycle(inputs).unwrap_or_else(|error| panic!("{error}"))
    }
}

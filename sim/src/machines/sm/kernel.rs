//! A kernel on an SM: what is its own, so that another kernel may have the SM meanwhile.

use std::collections::HashSet;
use std::mem::swap;

use super::blocks::Block;
use super::comparison::Comparison;
use super::machine::Sm;
use super::outcome::SmError;
use super::parameters::{Parameters, Switching};
use super::saver::Saver;
use super::switch::Switch;
use super::values::Values;
use super::work::Work;
use crate::sm::sm_pipeline::Scheme;

/// What belongs to a kernel on an SM.
#[derive(Clone, Debug)]
pub(super) struct Kernel<'work> {
    pub work: &'work Work,
    pub slots: Vec<Option<Block>>,
    pub have_faulted: HashSet<(usize, usize, usize)>,
    pub fault_once: u64,
    pub values: Option<Values<'work>>,
    pub comparison: Comparison,
    pub switch: Switch,
    pub last_end: u64,
}

impl<'work> Kernel<'work> {
    /// A kernel before its first thread block.
    ///
    /// # Errors
    /// If a block does not fit, or cannot be switched out as the parameters say.
    pub fn new(parameters: &Parameters, work: &'work Work) -> Result<Self, SmError> {
        let slots = slots(parameters, work)?;
        let values = work.computation.as_ref().filter(|_| parameters.values);
        let warps = parameters.pipeline.warps;
        Ok(Self {
            work,
            slots: vec![None; slots],
            have_faulted: HashSet::new(),
            fault_once: parameters.faults.once,
            values: values.map(|computation| Values::new(computation, warps, slots)),
            comparison: Comparison::default(),
            switch: Switch::new(parameters, work, slots),
            last_end: 0,
        })
    }

    /// Takes the SM, which is empty, from the kernel that has it.
    pub fn exchange<B>(&mut self, sm: &mut Sm<'work, B>) {
        swap(&mut self.work, &mut sm.work);
        swap(&mut self.slots, &mut sm.slots);
        swap(&mut self.have_faulted, &mut sm.have_faulted);
        swap(&mut self.fault_once, &mut sm.fault_once);
        swap(&mut self.values, &mut sm.values);
        swap(&mut self.comparison, &mut sm.comparison);
        swap(&mut self.switch, &mut sm.switch);
        swap(&mut self.last_end, &mut sm.last_end);
    }
}

/// The slots that an SM has for the blocks of a work.
fn slots(parameters: &Parameters, work: &Work) -> Result<usize, SmError> {
    let warps = parameters.pipeline.warps;
    let per_block = work.warps_per_block.max(1);
    let fitting = (warps / per_block).min(work.blocks_per_sm.max(1)).min(16);
    if fitting == 0 {
        return Err(SmError::Block {
            block: per_block,
            warps,
        });
    }
    let slots = fitting.min(work.blocks().max(1));
    let entries = parameters.pipeline.log.entries;
    if parameters.pipeline.scheme == Scheme::OperandLog && entries / slots < 2 {
        return Err(SmError::Log {
            entries,
            blocks: slots,
        });
    }
    if matches!(parameters.switching, Switching::Local(_)) && !parameters.squashes() {
        return Err(SmError::Unsquashed);
    }
    let (rows, most) = Saver::rows(work, slots);
    if parameters.switching != Switching::Never && rows > most {
        return Err(SmError::Rows { rows, most });
    }
    Ok(slots)
}

//! Page walks on a back end of the page walker, over any memory: what the rules say one after the other, the hardware
//! does.

use faultline_sim::page_walker::{Inputs, Outputs, Parameters};
use faultline_sim::ports::Ports;
use faultline_sim::walk::{
    ACCESSED, Access, Cause, DIRTY, Entry, Fault, Memory, Request, Rules, Translation, Walk,
    offset_bits,
};

use crate::backend::{Backend, BackendError, Kind};
use crate::blocks::{self, Block as _, PageWalker, SetupError};

/// Cycles after which a walk over a memory that answers at once must have ended; none takes a tenth of that.
const MOST_CYCLES: usize = 1000;
/// The last frame that the walker can name: it knows physical addresses of 52 bits.
const LAST_FRAME: u64 = u64::MAX >> 24;

/// Why a walk has no result.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// The back end cannot be had.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// It cannot go on.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// It does not end.
    #[error("the page walker does not answer the walk of {0:#x}")]
    Endless(u64),
}

/// A page walker with nothing to do.
pub struct Walker {
    backend: Box<dyn Backend>,
    rules: Rules,
    parameters: Parameters,
    inputs: Inputs,
    answer: Outputs,
    frame: Vec<u64>,
    shown: Vec<u64>,
    cycles: u64,
}

impl Walker {
    /// A walker with these rules, and with memory up to `limit`, in bytes, a multiple of 4096.
    ///
    /// # Errors
    /// If the back end cannot be had.
    pub fn new(rules: Rules, limit: Option<u64>, kind: Kind) -> Result<Self, WalkError> {
        let config = match (rules.levels, rules.updates) {
            (5, true) => "2_5_levels_updates",
            (5, false) => "2_5_levels",
            (_, true) => "2_updates",
            (_, false) => "2",
        };
        let parameters =
            PageWalker::parameters(config).ok_or_else(|| SetupError::UnknownDesign {
                block: PageWalker::NAME.to_owned(),
                config: config.to_owned(),
            })?;
        let words = |ports: Vec<faultline_sim::ports::Port>| {
            ports.iter().map(faultline_sim::ports::Port::words).sum()
        };
        let (inputs, outputs): (usize, usize) = (
            words(Inputs::ports(&parameters)),
            words(Outputs::ports(&parameters)),
        );
        let mut walker = Self {
            backend: blocks::backend(PageWalker::NAME, config, kind)?,
            rules,
            parameters,
            inputs: Inputs {
                reset: true,
                reserved_bits: (u64::from(u32::MAX) << (rules.physical_bits - 32)) as u32
                    & 0xF_FFFF,
                execute_disable: rules.execute_disable,
                last_frame: limit.map_or(LAST_FRAME, |limit| {
                    (limit >> 12).wrapping_sub(1).min(LAST_FRAME)
                }),
                answer_ready: true,
                memory_ready: true,
                ..Inputs::default()
            },
            answer: Outputs::default(),
            frame: vec![0; inputs],
            shown: vec![0; outputs],
            cycles: 0,
        };
        walker.cycle()?;
        walker.inputs.reset = false;
        Ok(walker)
    }

    /// What the walker showed with its last answer.
    #[must_use]
    pub fn answer(&self) -> &Outputs {
        &self.answer
    }

    /// Cycles that it has run.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    fn cycle(&mut self) -> Result<Outputs, WalkError> {
        self.inputs.pack(&self.parameters, &mut self.frame);
        self.backend.run(&self.frame, &mut self.shown)?;
        self.cycles += 1;
        let mut outputs = Outputs::default();
        outputs.unpack(&self.parameters, &self.shown);
        Ok(outputs)
    }

    /// Walks the tables at `root`, a multiple of 4096, for a request.
    ///
    /// # Errors
    /// If the back end cannot go on, or does not answer.
    pub fn walk(
        &mut self,
        memory: &mut impl Memory,
        root: u64,
        request: &Request,
    ) -> Result<Walk, WalkError> {
        self.inputs.root_valid = true;
        self.inputs.root_frame = root >> 12;
        self.cycle()?;
        self.inputs.root_valid = false;
        self.inputs.request_valid[0] = 1;
        self.inputs.request_page[0] = request.address >> 12;
        self.inputs.request_write[0] = u64::from(request.access == Access::Write);
        self.inputs.request_execute[0] = u64::from(request.access == Access::Execute);
        self.inputs.request_user[0] = u64::from(request.user);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for _ in 0..MOST_CYCLES {
            let outputs = self.cycle()?;
            if outputs.request_ready[0] != 0 {
                self.inputs.request_valid[0] = 0;
            }
            self.inputs.response_valid = outputs.memory_valid;
            if outputs.memory_valid {
                self.respond(memory, &outputs, &mut reads, &mut writes);
            }
            if outputs.answer_valid {
                let end = ended(request, &outputs);
                self.answer = outputs;
                return Ok(Walk { reads, writes, end });
            }
        }
        Err(WalkError::Endless(request.address))
    }

    /// Memory answers in the next cycle. Where a walk begins again, what it has read before does not count.
    fn respond(
        &mut self,
        memory: &mut impl Memory,
        outputs: &Outputs,
        reads: &mut Vec<Entry>,
        writes: &mut Vec<Entry>,
    ) {
        let address = outputs.memory_word << 3;
        let level = outputs.memory_level;
        let word = memory.read(address);
        self.inputs.response_walk = outputs.memory_walk;
        self.inputs.response_error = word.is_none();
        self.inputs.response_changed = false;
        let value = word.unwrap_or(0);
        self.inputs.response_data = value;
        if !outputs.memory_update {
            if level == self.rules.levels {
                reads.clear();
            }
            reads.extend(word.map(|value| Entry {
                level,
                address,
                value,
            }));
        } else if (value ^ outputs.memory_expected) & !(ACCESSED | DIRTY) != 0 {
            self.inputs.response_changed = true;
        } else {
            let bits = if outputs.memory_dirty {
                ACCESSED | DIRTY
            } else {
                ACCESSED
            };
            let entry = memory.set(address, bits).map(|value| Entry {
                level,
                address,
                value,
            });
            writes.extend(entry.filter(|entry| entry.value != value));
        }
    }
}

/// Causes of faults by their numbers.
const CAUSES: [Cause; 7] = [
    Cause::NonCanonical,
    Cause::NotPresent,
    Cause::ReservedBit,
    Cause::Protection,
    Cause::NotAccessed,
    Cause::NotDirty,
    Cause::OutsideMemory,
];

fn ended(request: &Request, outputs: &Outputs) -> Result<Translation, Fault> {
    let level = outputs.answer_level;
    let Some(cause) = usize::from(outputs.answer_cause).checked_sub(1) else {
        return Ok(Translation {
            physical: outputs.answer_frame << 12 | request.address & 0xFFF,
            page_size: 1 << offset_bits(level),
            level,
            writable: outputs.answer_writable,
            user: outputs.answer_user_page,
            executable: outputs.answer_executable,
        });
    };
    let cause = CAUSES[cause];
    let coded = !matches!(cause, Cause::NonCanonical | Cause::OutsideMemory);
    Err(Fault {
        cause,
        level,
        code: coded.then_some(outputs.answer_code),
    })
}

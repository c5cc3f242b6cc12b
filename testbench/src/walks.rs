//! Page walks on a back end of the page walker, over any memory: what the rules say one after the other, the hardware
//! does.

use faultline_sim::mmu::page_walker::{Inputs, Outputs, Parameters};
use faultline_sim::ports::Ports;
use faultline_sim::walk::{
    ACCESSED, Access, Cause, DIRTY, Entry, Fault, Memory, Request, Rules, Translation, Walk,
    offset_bits,
};

use crate::backend::{Backend, BackendError, Kind};
use crate::blocks::{self, Block as _, PageWalker, SetupError};

/// Cycles after which a walk over a memory that answers at once must have ended; none takes a tenth of that.
pub(crate) const MOST_CYCLES: usize = 1000;
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

/// The ports of a page walker on a back end.
pub(crate) struct Pins {
    backend: Box<dyn Backend>,
    parameters: Parameters,
    /// What goes in with the next cycle.
    pub inputs: Inputs,
    frame: Vec<u64>,
    shown: Vec<u64>,
    cycles: u64,
}

impl Pins {
    /// A configuration after reset, with these rules, and with memory up to `limit`, in bytes, a multiple of 4096.
    ///
    /// # Errors
    /// If the back end cannot be had.
    pub fn new(
        config: &str,
        rules: &Rules,
        limit: Option<u64>,
        kind: Kind,
    ) -> Result<Self, WalkError> {
        let parameters = PageWalker::parameters(config)
            .ok_or_else(|| blocks::unknown(PageWalker::NAME, config))?;
        let words = |ports: Vec<faultline_sim::ports::Port>| {
            ports.iter().map(faultline_sim::ports::Port::words).sum()
        };
        let (inputs, outputs): (usize, usize) = (
            words(Inputs::ports(&parameters)),
            words(Outputs::ports(&parameters)),
        );
        let last_pfn = LAST_FRAME >> (40 - parameters.pfn_bits);
        let mut pins = Self {
            backend: blocks::backend(PageWalker::NAME, config, kind)?,
            parameters,
            inputs: Inputs {
                reset: true,
                reserved_bits: (u64::from(u32::MAX) << (rules.physical_bits - 32)) as u32
                    & 0xF_FFFF,
                execute_disable: rules.execute_disable,
                last_pfn: limit.map_or(last_pfn, |limit| {
                    (limit >> 12).wrapping_sub(1).min(last_pfn)
                }),
                answer_ready: true,
                memory_ready: true,
                ..Inputs::default()
            },
            frame: vec![0; inputs],
            shown: vec![0; outputs],
            cycles: 0,
        };
        pins.cycle()?;
        pins.inputs.reset = false;
        Ok(pins)
    }

    /// The sizes of the walker.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Runs a cycle.
    ///
    /// # Errors
    /// If the back end cannot go on.
    pub fn cycle(&mut self) -> Result<Outputs, WalkError> {
        self.inputs.pack(&self.parameters, &mut self.frame);
        self.backend.run(&self.frame, &mut self.shown)?;
        self.cycles += 1;
        let mut outputs = Outputs::default();
        outputs.unpack(&self.parameters, &self.shown);
        Ok(outputs)
    }

    /// Requester `number` requests.
    pub fn request(&mut self, number: usize, asid: u8, request: &Request) {
        self.inputs.request_valid[number] = 1;
        self.inputs.request_asid[number] = u64::from(asid);
        self.inputs.request_vpn[number] = request.address >> 12;
        self.inputs.request_write[number] = u64::from(request.access == Access::Write);
        self.inputs.request_execute[number] = u64::from(request.access == Access::Execute);
        self.inputs.request_user[number] = u64::from(request.user);
    }

    /// Memory answers in the next cycle; gives the word as it was, and as it is where it has changed.
    pub fn respond(
        &mut self,
        memory: &mut impl Memory,
        requested: &MemoryRequest,
    ) -> (Option<u64>, Option<u64>) {
        let address = requested.word << 3;
        let word = memory.read(address);
        let value = word.unwrap_or(0);
        let changed = requested.update && (value ^ requested.expected) & !(ACCESSED | DIRTY) != 0;
        self.inputs.response_valid = true;
        self.inputs.response_walk = requested.walk;
        self.inputs.response_data = value;
        self.inputs.response_error = word.is_none();
        self.inputs.response_changed = changed;
        if !requested.update || changed {
            return (word, None);
        }
        let bits = if requested.dirty {
            ACCESSED | DIRTY
        } else {
            ACCESSED
        };
        let after = memory.set(address, bits);
        (word, after.filter(|after| *after != value))
    }
}

/// What a walker requests of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryRequest {
    walk: u8,
    pub word: u64,
    pub level: u8,
    pub update: bool,
    dirty: bool,
    expected: u64,
}

impl MemoryRequest {
    /// What it requests in a cycle, if it does.
    pub fn of(outputs: &Outputs) -> Option<Self> {
        outputs.memory_valid.then_some(Self {
            walk: outputs.memory_walk,
            word: outputs.memory_word,
            level: outputs.memory_level,
            update: outputs.memory_update,
            dirty: outputs.memory_dirty,
            expected: outputs.memory_expected,
        })
    }
}

/// A page walker with nothing to do.
pub struct Walker {
    pins: Pins,
    rules: Rules,
    answer: Outputs,
}

impl Walker {
    /// A walker with these rules, and with memory up to `limit`, in bytes, a multiple of 4096.
    ///
    /// # Errors
    /// If the back end cannot be had.
    pub fn new(rules: Rules, limit: Option<u64>, kind: Kind) -> Result<Self, WalkError> {
        Ok(Self {
            pins: Pins::new(Self::config(&rules), &rules, limit, kind)?,
            rules,
            answer: Outputs::default(),
        })
    }

    /// The configuration that has these rules.
    #[must_use]
    pub const fn config(rules: &Rules) -> &'static str {
        match (rules.levels, rules.updates) {
            (5, true) => "2_5_levels_updates",
            (5, false) => "2_5_levels",
            (_, true) => "2_updates",
            (_, false) => "2",
        }
    }

    /// What the walker showed with its last answer.
    #[must_use]
    pub fn answer(&self) -> &Outputs {
        &self.answer
    }

    /// Cycles that it has run.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.pins.cycles
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
        self.pins.inputs.root_valid = true;
        self.pins.inputs.root_pfn = root >> 12;
        self.pins.cycle()?;
        self.pins.inputs.root_valid = false;
        self.pins.request(0, 0, request);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for _ in 0..MOST_CYCLES {
            let outputs = self.pins.cycle()?;
            if outputs.request_ready[0] != 0 {
                self.pins.inputs.request_valid[0] = 0;
            }
            self.pins.inputs.response_valid = false;
            if let Some(requested) = MemoryRequest::of(&outputs) {
                self.respond(memory, &requested, &mut reads, &mut writes);
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
        requested: &MemoryRequest,
        reads: &mut Vec<Entry>,
        writes: &mut Vec<Entry>,
    ) {
        let (word, after) = self.pins.respond(memory, requested);
        let entry = |value| Entry {
            level: requested.level,
            address: requested.word << 3,
            value,
        };
        if requested.update {
            writes.extend(after.map(entry));
            return;
        }
        if requested.level == self.rules.levels {
            reads.clear();
        }
        reads.extend(word.map(entry));
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

/// How the walk of a request has ended, as its answer says.
pub(crate) fn ended(request: &Request, outputs: &Outputs) -> Result<Translation, Fault> {
    let level = outputs.answer_level;
    let Some(cause) = usize::from(outputs.answer_cause).checked_sub(1) else {
        return Ok(Translation {
            physical: outputs.answer_pfn << 12 | request.address & 0xFFF,
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

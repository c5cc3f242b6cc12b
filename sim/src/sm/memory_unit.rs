//! The reference model of the memory unit: its page (`docs/blocks/memory_unit.md`) as plain data.

use crate::ports::Model;

mod decisions;
mod edge;
mod interface;
mod outputs;

use outputs::Plan;

pub use interface::{Inputs, Outputs, PAGE_LINE_BITS, Parameters};

/// Invalidations of one page, and of every page of a space; greater scopes are of everything.
const OF_SPACE: u8 = 1;

/// Some accesses, or some page entries, a bit each.
pub type Set = u64;

/// The members of a set, the lowest one first.
fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(lowest)
    })
}

/// An instruction in the unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its warp.
    pub warp: u8,
    /// Its thread-block slot.
    pub slot: u8,
    /// Its scoreboard entry.
    pub entry: u8,
    /// Its replay-queue entry.
    pub index: u8,
    /// It is a store.
    pub store: bool,
    /// `checked` was taken for it.
    pub decided: bool,
    /// All of its lines were checked once.
    pub split: bool,
    /// All of its lines are to be checked again.
    pub stale: bool,
    /// A line of it found no page entry free.
    pub refused: bool,
    /// The place of the first such line.
    first_refused: usize,
    /// A wake-up came after it was refused.
    pub retries: bool,
    /// Its lines are being checked again.
    pub rechecked: bool,
    /// It fails because an older access has failed, or it has reported an absent page.
    pub follows: bool,
    /// A line of it may not be accessed.
    pub denied: bool,
    /// It was decided, or on offer, before the last invalidation.
    pub marked: bool,
    log_address: u8,
    log_data: u8,
    has_lanes: bool,
    /// The check of its last line was taken.
    requested: bool,
    /// The older accesses that must be decided before it.
    notes: Set,
    /// The places of its lines in their pages, a bit each.
    signature: u32,
    /// When it entered.
    since: u64,
}

/// What is known about the page of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// It was missed.
    Waits,
    /// It is absent.
    Absent,
    /// It is in this frame.
    Present(u32),
    /// It may not be accessed.
    Denied,
}

/// A page for which accesses or warps wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageEntry {
    /// Its number.
    pub vpn: u64,
    /// The entry is for stores.
    pub store: bool,
    /// What is known about it.
    pub state: PageState,
    /// The accesses with a line of it, a bit each.
    pub accesses: Set,
    /// The warps that wait for it, a bit each.
    pub warps: u64,
    /// It is to be checked again, once it waits.
    woken: bool,
    /// When it began.
    since: u64,
}

/// What was answered to the check of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Frame(u32),
    Denied,
    /// The line waits in this page entry.
    Page(usize),
    /// No page entry was free.
    Refused,
}

/// A word of the line memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    number: u64,
    mask: u32,
    answer: Answer,
}

/// A check that is answered in this cycle.
#[derive(Clone, Copy, Debug)]
enum Check {
    Page(usize),
    Line {
        access: usize,
        /// Place among the lines of the access.
        place: usize,
        number: u64,
        mask: u32,
        last: bool,
        again: bool,
        /// Each line of the access is checked again.
        all: bool,
    },
}

/// What the reader reads the lines of an access for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// To pass them to the cache.
    Pass,
    /// To check them again: all of them, or those that were refused.
    Recheck { all: bool },
}

/// A word that the reader reads or shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    access: usize,
    place: usize,
    purpose: Purpose,
}

/// What a cycle shows before an instruction is known, and what it does.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// All outputs but `instruction_ready` and `split_valid`.
    pub outputs: Outputs,
    plan: Plan,
}

/// The reference model.
#[derive(Clone, Debug)]
pub struct MemoryUnit {
    parameters: Parameters,
    /// Accesses and page entries that began so far.
    began: u64,
    accesses: Vec<Option<Access>>,
    /// The line memory, for each access.
    lines: Vec<Vec<Line>>,
    pages: Vec<Option<PageEntry>>,
    /// The check of the cycle before.
    check: Option<Check>,
    /// The word that the reader reads next.
    reads: Option<Word>,
    /// The word that it shows.
    shows: Option<Word>,
    /// What began last at the reader was a re-check.
    rechecked_last: bool,
    chosen: Option<usize>,
    /// `checked` was on offer for the chosen access, and was not taken.
    offered: bool,
    /// The warps that have faulted and were not resumed, a bit each.
    away: u64,
    /// Those of them of which a store has faulted.
    away_stores: u64,
    resume: Option<u8>,
    /// The warp at which the turn for a resume begins.
    turn: u8,
    /// The warps that were held in the cycle before.
    held: u64,
    /// Nothing changes before something comes.
    still: bool,
}

impl MemoryUnit {
    /// The accesses, with the number of each.
    pub fn accesses(&self) -> impl Iterator<Item = (usize, &Access)> {
        let numbered = self.accesses.iter().enumerate();
        numbered.filter_map(|(number, access)| Some((number, access.as_ref()?)))
    }

    /// The page entries in use, with the number of each.
    pub fn pages(&self) -> impl Iterator<Item = (usize, &PageEntry)> {
        let numbered = self.pages.iter().enumerate();
        numbered.filter_map(|(number, page)| Some((number, page.as_ref()?)))
    }

    /// The warps that have faulted and were not resumed, a bit each.
    #[must_use]
    pub const fn away(&self) -> u64 {
        self.away
    }

    /// Nothing changes until something comes: no check, decision, line or resume is under way or on offer. To release a held
    /// warp is something that comes.
    #[must_use]
    pub const fn is_quiet(&self) -> bool {
        self.still
    }

    fn is_still(&self) -> bool {
        let idle = self.check.is_none()
            && self.reads.is_none()
            && self.shows.is_none()
            && self.chosen.is_none()
            && self.resume.is_none();
        idle && self.woken().is_none()
            && self.resumable(self.held, None) == 0
            && self.accesses().all(|(number, access)| {
                !access.decided && !self.may_be_rechecked(number) && self.verdict(number).is_none()
            })
    }

    /// The warp whose resume is on offer.
    #[must_use]
    pub const fn resuming(&self) -> Option<u8> {
        self.resume
    }

    /// A check was put on offer, and was not taken yet.
    #[must_use]
    pub const fn offers_checked(&self) -> bool {
        self.offered
    }

    /// Something comes that acts.
    const fn comes(&self, inputs: &Inputs) -> bool {
        inputs.reset
            || inputs.instruction_valid
            || inputs.request_valid
            || inputs.wake_valid
            || inputs.invalidate_valid
            || inputs.leave_valid
            || inputs.hold != self.held
    }

    /// What a cycle shows, whatever instruction comes.
    pub(crate) fn shown(&self, inputs: &Inputs) -> Shown {
        if self.still && !self.comes(inputs) {
            return self.rest(inputs);
        }
        let plan = self.plan(inputs);
        Shown {
            outputs: self.outputs(inputs, &plan),
            plan,
        }
    }

    /// A cycle that shows this, with the instruction that comes.
    pub(crate) fn cycle_after(&mut self, inputs: &Inputs, shown: Shown) -> Outputs {
        let Shown { outputs, mut plan } = shown;
        let (free, lanes) = (plan.free.is_some(), inputs.instruction_mask);
        let outputs = Outputs {
            instruction_ready: self.accepts(inputs.split_ready, lanes),
            split_valid: inputs.instruction_valid && free && lanes != 0,
            ..outputs
        };
        plan.enters = inputs.instruction_valid && outputs.instruction_ready;
        if inputs.reset {
            *self = Self::new(self.parameters);
        } else if !self.still || self.comes(inputs) {
            self.apply(inputs, &plan);
            self.held = inputs.hold;
            self.still = self.is_still();
        }
        outputs
    }
}

/// An invalidation concerns the accesses of the SM.
const fn invalidates(inputs: &Inputs) -> bool {
    inputs.invalidate_valid
        && (inputs.invalidate_asid == inputs.asid || inputs.invalidate_scope > OF_SPACE)
}

impl Model for MemoryUnit {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            began: 0,
            accesses: vec![None; parameters.accesses],
            lines: vec![Vec::new(); parameters.accesses],
            pages: vec![None; parameters.pages],
            check: None,
            reads: None,
            shows: None,
            rechecked_last: true,
            chosen: None,
            offered: false,
            away: 0,
            away_stores: 0,
            resume: None,
            turn: 1,
            held: 0,
            still: true,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let shown = self.shown(inputs);
        self.cycle_after(inputs, shown)
    }
}

#[cfg(test)]
mod tests;

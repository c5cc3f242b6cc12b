//! Sizes and ports of the block scheduler.

use crate::ports;

/// How many blocks and pages there are, and how wide their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Bits of a slot's number.
    pub slot_bits: usize,
    /// Contexts in memory.
    pub contexts: usize,
    /// Pages that are followed at once.
    pub pages: usize,
    /// Bits of a page number.
    pub page_bits: usize,
    /// Bits of the number of an address space.
    pub space_bits: usize,
    /// Bits of a place in the queue of faults.
    pub place_bits: usize,
    /// Bits of a time in cycles.
    pub residence_bits: usize,
}

impl Parameters {
    /// The paper's 16 blocks and 4 extra ones, with so many pages.
    #[must_use]
    pub const fn paper(pages: usize) -> Self {
        Self {
            slot_bits: 4,
            contexts: 5,
            pages,
            page_bits: 36,
            space_bits: 8,
            place_bits: 7,
            residence_bits: 16,
        }
    }

    /// Slots.
    #[must_use]
    pub const fn slots(&self) -> usize {
        1 << self.slot_bits
    }

    /// Bits of the number of a context, and of a count of off-chip blocks.
    #[must_use]
    pub const fn context_bits(&self) -> usize {
        self.contexts.next_power_of_two().trailing_zeros() as usize
    }
}

/// What the GMMU tells of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Its translation.
    Translation,
    /// It is not to be had.
    Denial,
    /// Its far fault is held.
    Far,
    /// Its far fault got no place.
    Nack,
}

impl Fill {
    /// Each by its number.
    pub const ALL: [Self; 4] = [Self::Translation, Self::Denial, Self::Far, Self::Nack];
}

ports! {
    /// What goes into the block scheduler in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Forgets everything.
        reset: bool = 1,
        /// Slots that are used: those below this number.
        slots: u64 = parameters.slot_bits + 1,
        /// Blocks that the SM may have beyond these.
        extra: u64 = parameters.context_bits(),
        /// A block leaves if its fault's place is above this.
        threshold: u64 = parameters.place_bits,
        /// Cycles for which a block stays at least.
        residence: u64 = parameters.residence_bits,
        /// The GPU has blocks that nobody has begun.
        more: bool = 1,
        /// The GMMU tells something of a page:
        fill_valid: bool = 1,
        /// the number of a [`Fill`],
        fill_kind: u64 = 2,
        /// of this page,
        fill_page: u64 = parameters.page_bits,
        /// in this space,
        fill_space: u64 = parameters.space_bits,
        /// with this place in the queue.
        fill_place: u64 = parameters.place_bits,
        /// A block has met an absent page,
        fault_valid: bool = 1,
        /// the one in this slot,
        fault_slot: u64 = parameters.slot_bits,
        /// this page,
        fault_page: u64 = parameters.page_bits,
        /// in this space.
        fault_space: u64 = parameters.space_bits,
        /// A block has ended,
        ended_valid: bool = 1,
        /// in this slot.
        ended_slot: u64 = parameters.slot_bits,
        /// The checkpoint engine begins to save.
        leave_ready: bool = 1,
        /// The context is in memory.
        left_valid: bool = 1,
        /// The checkpoint engine begins to restore.
        enter_ready: bool = 1,
        /// The block goes on,
        entered_valid: bool = 1,
        /// or does not: its context is truncated, or another one's.
        entered_refused: bool = 1,
        /// The GPU takes the question.
        want_ready: bool = 1,
        /// It answers,
        given_valid: bool = 1,
        /// with a block.
        given_some: bool = 1,
    }
}

ports! {
    /// What the block scheduler shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// A block is to be saved,
        leave_valid: bool = 1,
        /// the one in this slot,
        leave_slot: u64 = parameters.slot_bits,
        /// into this context.
        leave_context: u64 = parameters.context_bits(),
        /// A block is to be restored,
        enter_valid: bool = 1,
        /// into this slot,
        enter_slot: u64 = parameters.slot_bits,
        /// from this context.
        enter_context: u64 = parameters.context_bits(),
        /// A context is given up,
        lost_valid: bool = 1,
        /// this one.
        lost_context: u64 = parameters.context_bits(),
        /// A new block is wanted,
        want_valid: bool = 1,
        /// for this slot.
        want_slot: u64 = parameters.slot_bits,
        /// Slots whose blocks run.
        active: u64 = parameters.slots(),
        /// Blocks that are off chip.
        off_chip: u64 = parameters.context_bits(),
        /// The SM has no block, and waits for none.
        empty: bool = 1,
    }
}

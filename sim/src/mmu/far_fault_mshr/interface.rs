//! Sizes and ports of the far-fault MSHRs.

pub use crate::page::Page;
use crate::ports;

/// The sizes of the MSHRs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Far faults that can be held.
    pub entries: usize,
    /// Bits of a page number.
    pub page_bits: usize,
    /// Bits of a space.
    pub space_bits: usize,
    /// SMs.
    pub sms: usize,
    /// Bits of a count of an SM's far faults.
    pub limit_bits: usize,
    /// Bits of a page number inside a region.
    pub region_bits: usize,
}

impl Parameters {
    /// Pages of 4 KB in 48-bit addresses, regions of 64 KB, 16 SMs.
    #[must_use]
    pub const fn with_entries(entries: usize) -> Self {
        Self {
            entries,
            page_bits: 36,
            space_bits: 8,
            sms: 16,
            limit_bits: 7,
            region_bits: 4,
        }
    }

    /// Bits of an entry's number.
    #[must_use]
    pub const fn index_bits(&self) -> usize {
        self.entries.ilog2() as usize
    }

    /// Bits of a count of entries.
    #[must_use]
    pub const fn count_bits(&self) -> usize {
        self.index_bits() + 1
    }
}

ports! {
    /// What goes into the MSHRs in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Forgets everything.
        reset: bool = 1,
        /// Faults are handled by regions.
        region: bool = 1,
        /// Far faults that an SM may have.
        limit: u8 = parameters.limit_bits,
        /// A walk found a page absent.
        fault_valid: bool = 1,
        /// Its page number.
        fault_page: u64 = parameters.page_bits,
        /// Its space.
        fault_space: u8 = parameters.space_bits,
        /// The SMs that asked, a bit each.
        fault_requesters: u16 = parameters.sms,
        /// How the page was accessed.
        fault_access: u8 = 3,
        /// Why the walk failed.
        fault_cause: u8 = 3,
        /// Where it ended.
        fault_level: u8 = 3,
        /// The answer is taken.
        answer_ready: bool = 1,
        /// The report is taken.
        report_ready: bool = 1,
        /// The driver commands.
        command_valid: bool = 1,
        /// It cancels, or else resolves.
        command_cancel: bool = 1,
        /// Every page, or else this one.
        command_all: bool = 1,
        /// The page number.
        command_page: u64 = parameters.page_bits,
        /// Its space.
        command_space: u8 = parameters.space_bits,
        /// The SMs that a cancel denies, a bit each.
        command_requesters: u16 = parameters.sms,
        /// The walk is taken.
        walk_ready: bool = 1,
        /// A walk has ended.
        present_valid: bool = 1,
        /// The page number.
        present_page: u64 = parameters.page_bits,
        /// Its space.
        present_space: u8 = parameters.space_bits,
        /// It has not found the page.
        present_missing: bool = 1,
        /// Why not.
        present_cause: u8 = 3,
        /// Where it ended.
        present_level: u8 = 3,
        /// The wake-up is taken.
        wake_ready: bool = 1,
    }
}

ports! {
    /// What the MSHRs show in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// A fault is accepted.
        fault_ready: bool = 1,
        /// A fault is answered.
        answer_valid: bool = 1,
        /// Its page number.
        answer_page: u64 = parameters.page_bits,
        /// Its space.
        answer_space: u8 = parameters.space_bits,
        /// The SMs whose far fault is held.
        answer_far: u16 = parameters.sms,
        /// Those that ask again.
        answer_nack: u16 = parameters.sms,
        /// The place in the queue.
        answer_place: u16 = parameters.count_bits(),
        /// A fault has got an entry.
        report_valid: bool = 1,
        /// Its page number.
        report_page: u64 = parameters.page_bits,
        /// Its space.
        report_space: u8 = parameters.space_bits,
        /// The SMs that wait.
        report_requesters: u16 = parameters.sms,
        /// How the page was accessed.
        report_access: u8 = 3,
        /// Why the walk failed.
        report_cause: u8 = 3,
        /// Where it ended.
        report_level: u8 = 3,
        /// The entry.
        report_index: u16 = parameters.index_bits(),
        /// The place in the queue.
        report_place: u16 = parameters.count_bits(),
        /// A command is accepted.
        command_ready: bool = 1,
        /// A page is to be walked.
        walk_valid: bool = 1,
        /// Its number.
        walk_page: u64 = parameters.page_bits,
        /// Its space.
        walk_space: u8 = parameters.space_bits,
        /// For a write.
        walk_write: bool = 1,
        /// What a walk has found is accepted.
        present_ready: bool = 1,
        /// SMs wait no longer.
        wake_valid: bool = 1,
        /// The page number.
        wake_page: u64 = parameters.page_bits,
        /// Its space.
        wake_space: u8 = parameters.space_bits,
        /// The SMs.
        wake_to: u16 = parameters.sms,
        /// They were cancelled.
        wake_denied: bool = 1,
        /// Entries that are taken.
        held: u16 = parameters.count_bits(),
        /// A command for all is under way.
        sweeping: bool = 1,
        /// A report of an entry that is held was not made, for the limit is 0.
        lost: bool = 1,
    }
}

impl Inputs {
    /// The page of the fault.
    #[must_use]
    pub const fn faulted(&self) -> Page {
        Page {
            number: self.fault_page,
            space: self.fault_space,
        }
    }

    /// The page of the command.
    #[must_use]
    pub const fn commanded(&self) -> Page {
        Page {
            number: self.command_page,
            space: self.command_space,
        }
    }

    /// The page of the walk that has ended.
    #[must_use]
    pub const fn walked(&self) -> Page {
        Page {
            number: self.present_page,
            space: self.present_space,
        }
    }
}

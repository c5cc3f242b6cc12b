//! Sizes and ports of the fault buffer.

use crate::ports;

/// The sizes of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// SMs.
    pub sms: usize,
    /// Bits of an SM's number.
    pub sm_bits: usize,
    /// Bits of a page number.
    pub page_bits: usize,
    /// Bits of a space.
    pub space_bits: usize,
    /// Bits of an MSHR's number.
    pub index_bits: usize,
    /// Bits of a place in the queue.
    pub place_bits: usize,
    /// Bits of a record's number.
    pub ring_bits: usize,
    /// Bits of a frame.
    pub frame_bits: usize,
    /// Lanes of a warp.
    pub lanes: usize,
    /// Bits of a PC.
    pub pc_bits: usize,
    /// Records that a fault is compared with.
    pub filtered: usize,
    /// Bits of a count.
    pub count_bits: usize,
    /// Bits of the time.
    pub time_bits: usize,
    /// Bits that count the words that memory has taken and not acknowledged.
    pub in_flight_bits: usize,
}

impl Parameters {
    /// 16 SMs, pages of 4 KB in 48-bit addresses, 64 far-fault MSHRs.
    pub const PAPER: Self = Self {
        sms: 16,
        sm_bits: 4,
        page_bits: 36,
        space_bits: 8,
        index_bits: 6,
        place_bits: 7,
        ring_bits: 16,
        frame_bits: 28,
        lanes: 32,
        pc_bits: 48,
        filtered: 8,
        count_bits: 32,
        time_bits: 64,
        in_flight_bits: 6,
    };

    /// Bits of the number of a word of memory.
    #[must_use]
    pub const fn word_bits(&self) -> usize {
        self.frame_bits + 9
    }
}

ports! {
    /// What goes into the buffer in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Forgets everything.
        reset: bool = 1,
        /// A fault is to be told the driver.
        fault_valid: bool = 1,
        /// Its page number.
        fault_page: u64 = parameters.page_bits,
        /// Its space.
        fault_space: u8 = parameters.space_bits,
        /// The SMs that met it, a bit each.
        fault_requesters: u16 = parameters.sms,
        /// How the page was accessed.
        fault_access: u8 = 3,
        /// Why the walk failed.
        fault_cause: u8 = 3,
        /// Where it ended.
        fault_level: u8 = 3,
        /// Those SMs wait.
        fault_replayable: bool = 1,
        /// Its far-fault MSHR.
        fault_index: u16 = parameters.index_bits,
        /// Its place in their queue.
        fault_place: u16 = parameters.place_bits,
        /// The question is taken.
        detail_ready: bool = 1,
        /// It is answered.
        context_valid: bool = 1,
        /// There is such an instruction.
        context_known: bool = 1,
        /// Its warp.
        context_warp: u8 = 6,
        /// Its thread-block slot.
        context_slot: u8 = 4,
        /// Its address.
        context_pc: u64 = parameters.pc_bits,
        /// Its lanes.
        context_lanes: u64 = parameters.lanes,
        /// How it will be restarted.
        context_scheme: u8 = 3,
        /// Its entry of the operand log.
        context_pointer: u8 = 7,
        /// Memory takes the word.
        write_ready: bool = 1,
        /// The oldest word that it took and did not acknowledge is in memory.
        written: bool = 1,
        /// The driver writes a register.
        register_valid: bool = 1,
        /// Its number.
        register_number: u8 = 4,
        /// What it writes.
        register_data: u64 = 64,
        /// The register that it reads.
        read_number: u8 = 4,
        /// A fault was told Nack because there is no room.
        turned_away: bool = 1,
        /// The command is taken.
        command_ready: bool = 1,
        /// The MSHRs are at a command for all.
        sweeping: bool = 1,
        /// A walk of theirs is not answered yet.
        walks_pending: bool = 1,
    }
}

ports! {
    /// What the buffer shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// The fault is accepted.
        fault_ready: bool = 1,
        /// An SM is asked.
        detail_valid: bool = 1,
        /// Its number.
        detail_sm: u8 = parameters.sm_bits,
        /// The page number that it is asked for.
        detail_page: u64 = parameters.page_bits,
        /// Its space.
        detail_space: u8 = parameters.space_bits,
        /// A word is to be written.
        write_valid: bool = 1,
        /// Its number.
        write_address: u64 = parameters.word_bits(),
        /// The word.
        write_data: u64 = 64,
        /// The register that is read.
        read_data: u64 = 64,
        /// There is something for the driver.
        interrupts: bool = 1,
        /// One more replayable fault may be let in.
        room: bool = 1,
        /// A write to a page that may only be read is a replayable fault.
        replay_writes: bool = 1,
        /// A command for the MSHRs.
        command_valid: bool = 1,
        /// It cancels, or else resolves.
        command_cancel: bool = 1,
        /// Every page, or else this one.
        command_all: bool = 1,
        /// The page number.
        command_page: u64 = parameters.page_bits,
        /// Its space.
        command_space: u8 = parameters.space_bits,
        /// The SMs that a cancel denies.
        command_requesters: u16 = parameters.sms,
    }
}

/// Numbers of the registers.
pub mod register {
    /// The frame in which the ring begins.
    pub const BASE: u8 = 0;
    /// Records that fit.
    pub const SIZE: u8 = 1;
    /// The record that is read next.
    pub const GET: u8 = 2;
    /// The record that is written next.
    pub const PUT: u8 = 3;
    /// What is switched on.
    pub const CONTROL: u8 = 4;
    /// What is the case.
    pub const STATUS: u8 = 5;
    /// Clears flags.
    pub const CLEAR: u8 = 6;
    /// A command.
    pub const COMMAND: u8 = 7;
    /// Records that were written.
    pub const RECORDS: u8 = 8;
    /// Faults that were filtered or left out.
    pub const FILTERED: u8 = 9;
    /// Faults that were turned away.
    pub const TURNED_AWAY: u8 = 10;
    /// Faults that were dropped.
    pub const DROPPED: u8 = 11;
    /// Cycles since reset.
    pub const TIME: u8 = 12;
}

/// Bits of CONTROL.
pub mod control {
    /// Faults are recorded.
    pub const ENABLED: u64 = 1;
    /// Records of 32 B.
    pub const SHORT: u64 = 1 << 1;
    /// Interrupt while records are unread.
    pub const INTERRUPT_RECORDS: u64 = 1 << 2;
    /// Interrupt while OVERFLOW is set.
    pub const INTERRUPT_OVERFLOW: u64 = 1 << 3;
    /// SMs are asked for details.
    pub const ASK: u64 = 1 << 4;
    /// Faults that are not replayable are counted, and not recorded.
    pub const LEAVE_OUT: u64 = 1 << 5;
    /// A write to a page that may only be read is a replayable fault.
    pub const REPLAY_WRITES: u64 = 1 << 6;
    /// Bits that the register has.
    pub const BITS: usize = 7;
}

/// The bit of a write to GET that clears OVERFLOW as well.
pub const GET_CLEARS: u64 = 1 << 31;

/// Bits of STATUS; the first and the third are those of CLEAR, side by side.
pub mod status {
    /// Faults were turned away or dropped.
    pub const OVERFLOW: u64 = 1;
    /// A command is under way.
    pub const BUSY: u64 = 1 << 1;
    /// A command was refused.
    pub const REFUSED: u64 = 1 << 2;
    /// Records are unread.
    pub const UNREAD: u64 = 1 << 3;
    /// One more replayable fault may be let in.
    pub const ROOM: u64 = 1 << 4;
    /// A fault is under way.
    pub const UNDER_WAY: u64 = 1 << 5;
}

/// What a driver commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// None was written yet.
    #[default]
    Nothing,
    /// Walk every page again.
    Start,
    /// The same, and wait for the walks.
    StartAckAll,
    /// Deny an SM every page.
    CancelTargeted,
    /// Deny every page.
    CancelGlobal,
    /// Deny this page.
    CancelVa,
    /// Walk this page again.
    ResolveVa,
}

impl Kind {
    /// Every one that there is.
    pub const ALL: [Self; 6] = [
        Self::Start,
        Self::StartAckAll,
        Self::CancelTargeted,
        Self::CancelGlobal,
        Self::CancelVa,
        Self::ResolveVa,
    ];

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self as u64
    }

    /// The command of a number, if it is one.
    #[must_use]
    pub fn of(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }

    /// It denies.
    #[must_use]
    pub const fn cancels(self) -> bool {
        matches!(
            self,
            Self::CancelTargeted | Self::CancelGlobal | Self::CancelVa
        )
    }

    /// It is for every page.
    #[must_use]
    pub const fn is_for_all(self) -> bool {
        matches!(
            self,
            Self::Start | Self::StartAckAll | Self::CancelTargeted | Self::CancelGlobal
        )
    }
}

/// A command as the driver writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// What it says.
    pub kind: Kind,
    /// Of which SM.
    pub sm: u8,
    /// Of which page.
    pub page: u64,
    /// Of which space.
    pub space: u8,
}

impl Command {
    /// The word that is written.
    #[must_use]
    pub const fn word(&self) -> u64 {
        self.kind.number() | (self.sm as u64) << 4 | self.page << 12 | (self.space as u64) << 48
    }
}

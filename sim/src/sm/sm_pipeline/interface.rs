//! Sizes, schemes and ports of the SM pipeline.

use crate::sm::operand_log::Operand;
use crate::sm::scoreboard::FINISHES;
use crate::sm::{operand_log, replay_queue, scoreboard};
use crate::{ports, widths};

/// Instructions that are fetched, and issued, in a cycle.
pub const WIDTH: usize = 2;

/// Units that finish instructions: two for mathematics, special functions, control, memory.
pub const UNITS: usize = FINISHES - 1;

/// The unit for special functions among them.
pub const SPECIAL_UNIT: usize = 2;
/// The unit for control.
pub const CONTROL_UNIT: usize = 3;
/// The memory unit.
pub const MEMORY_UNIT: usize = 4;

/// How a fault finds a state to come back to (Tanasic et al., MICRO-50, §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// A faulting instruction waits in the memory unit until its page is there: the baseline.
    StallOnFault,
    /// A warp fetches nothing behind a global-memory instruction until that commits.
    WarpDisableCommit,
    /// The same, until its last TLB check has succeeded.
    WarpDisableLastCheck,
    /// A replay queue, and sources held until the last TLB check.
    ReplayQueue,
    /// A replay queue, and an operand log.
    OperandLog,
}

impl Scheme {
    /// All of them, the baseline first.
    pub const ALL: [Self; 5] = [
        Self::StallOnFault,
        Self::WarpDisableCommit,
        Self::WarpDisableLastCheck,
        Self::ReplayQueue,
        Self::OperandLog,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::StallOnFault => "stall-on-fault",
            Self::WarpDisableCommit => "warp-disable-commit",
            Self::WarpDisableLastCheck => "warp-disable-last-check",
            Self::ReplayQueue => "replay-queue",
            Self::OperandLog => "operand-log",
        }
    }

    /// The scheme of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.name() == name)
    }

    /// Whether faults squash instructions.
    #[must_use]
    pub fn squashes(self) -> bool {
        self != Self::StallOnFault
    }

    /// Whether it disables the fetch behind a global-memory instruction.
    #[must_use]
    pub fn disables(self) -> bool {
        matches!(self, Self::WarpDisableCommit | Self::WarpDisableLastCheck)
    }

    /// Whether it has a replay queue.
    #[must_use]
    pub fn queues(self) -> bool {
        matches!(self, Self::ReplayQueue | Self::OperandLog)
    }

    /// Whether the scoreboard listens to TLB checks.
    #[must_use]
    pub fn checks(self) -> bool {
        matches!(self, Self::WarpDisableLastCheck | Self::ReplayQueue)
    }
}

/// The warp that goes first of those that could issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The next one after the warp that issued last.
    LooseRoundRobin,
    /// The warp that issued last, else the lowest.
    GreedyThenOldest,
}

impl Policy {
    /// Both.
    pub const ALL: [Self; 2] = [Self::LooseRoundRobin, Self::GreedyThenOldest];

    /// Its name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::LooseRoundRobin => "loose-round-robin",
            Self::GreedyThenOldest => "greedy-then-oldest",
        }
    }

    /// The policy of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }
}

/// The sizes of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How faults are dealt with.
    pub scheme: Scheme,
    /// How warps are chosen.
    pub policy: Policy,
    /// Warps, at most 64.
    pub warps: usize,
    /// Instructions of a warp that are buffered or in flight, at most 16.
    pub entries: usize,
    /// The replay queue, where there is one.
    pub queue: replay_queue::Parameters,
    /// The operand log, where there is one.
    pub log: operand_log::Parameters,
}

impl Parameters {
    /// The scoreboard of a warp.
    #[must_use]
    pub fn scoreboard(&self) -> scoreboard::Parameters {
        scoreboard::Parameters {
            entries: self.entries,
            holds: self.scheme == Scheme::ReplayQueue,
        }
    }

    /// Bits of a scoreboard entry's number.
    #[must_use]
    pub fn entry_bits(&self) -> usize {
        self.scoreboard().entry_bits()
    }
}

/// What kind of instruction it is, and which unit executes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Class {
    /// Arithmetic: one of two units.
    #[default]
    Math,
    /// Special functions.
    Special,
    /// Branches, barriers and the end of a warp: the fetch waits for them.
    Control,
    /// Shared memory, which cannot fault.
    Shared,
    /// A load from global memory.
    Load,
    /// A store to global memory.
    Store,
}

impl Class {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 6] = [
        Self::Math,
        Self::Special,
        Self::Control,
        Self::Shared,
        Self::Load,
        Self::Store,
    ];

    /// The class with this code; codes that are not used mean arithmetic.
    #[must_use]
    pub fn of(code: u64) -> Self {
        Self::ALL.get(code as usize).copied().unwrap_or_default()
    }

    /// Whether it goes to global memory, and may fault.
    #[must_use]
    pub fn is_global(self) -> bool {
        matches!(self, Self::Load | Self::Store)
    }

    /// Whether the memory unit executes it.
    #[must_use]
    pub fn is_memory(self) -> bool {
        matches!(self, Self::Shared | Self::Load | Self::Store)
    }

    /// The only unit that executes it, if there is just one.
    #[must_use]
    pub fn single_unit(self) -> Option<usize> {
        match self {
            Self::Math => None,
            Self::Special => Some(SPECIAL_UNIT),
            Self::Control => Some(CONTROL_UNIT),
            Self::Shared | Self::Load | Self::Store => Some(MEMORY_UNIT),
        }
    }
}

/// A value for each fetch and issue port.
pub type Pair = [u64; WIDTH];

// What the kernel's types are called on the page, and what they are here.
widths! {
    Bits<WARP_BITS> "6" => u8 = 6,
    Bits<SLOT_BITS> "4" => u8 = 4,
    [Bit; WIDTH] "2" => Pair = (WIDTH, 1),
    [Bits<CLASS_BITS>; WIDTH] "2 x 3" => Pair = (WIDTH, 3),
    [Bits<REGISTER_BITS>; WIDTH] "2 x 8" => Pair = (WIDTH, 8),
    [Bits<32>; WIDTH] "2 x 32" => Pair = (WIDTH, 32),
    [Bits<OPCODE_BITS>; WIDTH] "2 x 7" => Pair = (WIDTH, 7),
    [Bits<32>; LOG_WORDS] "32 x 64" => Operand = (32, 64),
    [Bit; UNITS] "5" => [u64; UNITS] = (UNITS, 1),
    [Bits<WARP_BITS>; UNITS] "5 x 6" => [u64; UNITS] = (UNITS, 6),
    [Bits<ENTRY>; UNITS] "5 x J" => [u64; UNITS] = (UNITS, parameters.entry_bits()),
    Bits<ENTRY> "J" => u8 = parameters.entry_bits(),
    Bits<QUEUE_INDEX> "I" => u8 = parameters.queue.index_bits(),
    Bits<LOG_INDEX> "P" => u8 = parameters.log.entry_bits(),
    Bits<LOG_COUNT> "P + 1" => u8 = parameters.log.entry_bits() + 1,
    Bits<REGISTER_BITS> "8" => u8 = 8,
    Bits<OPCODE_BITS> "7" => u8 = 7,
    [Bits<WARP_BITS>; WIDTH] "2 x 6" => Pair = (WIDTH, 6),
    [Bits<ENTRY>; WIDTH] "2 x J" => Pair = (WIDTH, parameters.entry_bits()),
    Bits<CLASS_BITS> "3" => u8 = 3,
    Bits<QUEUE_COUNT> "I + 1" => u8 = parameters.queue.index_bits() + 1,
}

// ports: generated by cargo xtask codegen from hw/src/sm/sm_pipeline.rs

ports! {
    /// What goes into `sm_pipeline` in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Synchronous reset, active high: drops every instruction and stops every warp.
        reset: bool = 1,
        /// A warp begins; with a stop in the same cycle it only gets its slot.
        start_valid: bool = 1,
        /// Warp that begins.
        start_warp: u8 = 6,
        /// Slot of the warp's thread block.
        start_slot: u8 = 4,
        /// A warp ends, or is to leave.
        stop_valid: bool = 1,
        /// Warp that stops.
        stop_warp: u8 = 6,
        /// A warp that has stopped and drained is to go on, its squashed instructions first.
        resume_valid: bool = 1,
        /// Warp that is to go on.
        resume_warp: u8 = 6,
        /// The requested instructions have come, in the same cycle, one bit for each port.
        fetched_valid: Pair = (WIDTH, 1),
        /// Class of each fetched instruction.
        fetched_class: Pair = (WIDTH, 3),
        /// Destination of each fetched instruction.
        fetched_destination: Pair = (WIDTH, 8),
        /// First source of each fetched instruction; of a memory instruction, the address.
        fetched_source_a: Pair = (WIDTH, 8),
        /// Second source of each fetched instruction; of a store, the data.
        fetched_source_b: Pair = (WIDTH, 8),
        /// Third source of each fetched instruction.
        fetched_source_c: Pair = (WIDTH, 8),
        /// Program counter of each fetched instruction.
        fetched_pc: Pair = (WIDTH, 32),
        /// Lanes of each fetched instruction.
        fetched_mask: Pair = (WIDTH, 32),
        /// Opcode of each fetched instruction.
        fetched_opcode: Pair = (WIDTH, 7),
        /// The unit for special functions takes two more instructions: one of this cycle, one of the next.
        special_ready: bool = 1,
        /// The memory unit takes the instruction at the front.
        memory_ready: bool = 1,
        /// Operand that the front of the memory stage requests: 32 lanes of 64 bits.
        operand: Operand = (32, 64),
        /// Units whose instruction commits, one bit each.
        finished_valid: [u64; UNITS] = (UNITS, 1),
        /// Warp of each unit's instruction.
        finished_warp: [u64; UNITS] = (UNITS, 6),
        /// Scoreboard entry of each unit's instruction.
        finished_entry: [u64; UNITS] = (UNITS, parameters.entry_bits()),
        /// The last TLB check of a global-memory instruction has succeeded.
        checked_valid: bool = 1,
        /// Warp of the checked instruction.
        checked_warp: u8 = 6,
        /// Scoreboard entry of the checked instruction.
        checked_entry: u8 = parameters.entry_bits(),
        /// Replay-queue entry of the checked instruction.
        checked_index: u8 = parameters.queue.index_bits(),
        /// Thread-block slot of the checked instruction.
        checked_slot: u8 = 4,
        /// The checked instruction is a store.
        checked_store: bool = 1,
        /// Operand-log entry of the checked instruction's address.
        checked_log_address: u8 = parameters.log.entry_bits(),
        /// Operand-log entry of the checked instruction's store data.
        checked_log_data: u8 = parameters.log.entry_bits(),
        /// A TLB check of a global-memory instruction has failed: the page is absent.
        faulted_valid: bool = 1,
        /// Warp of the faulting instruction.
        faulted_warp: u8 = 6,
        /// Scoreboard entry of the faulting instruction.
        faulted_entry: u8 = parameters.entry_bits(),
        /// Replay-queue entry of the faulting instruction.
        faulted_index: u8 = parameters.queue.index_bits(),
        /// A kernel starts, and the operand log is partitioned again.
        launch_valid: bool = 1,
        /// Operand-log entries of each thread block of the kernel.
        launch_entries: u8 = parameters.log.entry_bits() + 1,
        /// The thread block in `save_slot` is to leave, once its warps have stopped and drained.
        save_valid: bool = 1,
        /// Slot of the thread block that is to leave.
        save_slot: u8 = 4,
        /// The instruction that leaves is taken, or an operand of the next one may leave the log.
        saved_ready: bool = 1,
        /// A squashed instruction comes back, the oldest of a warp first.
        restore_valid: bool = 1,
        /// Warp of the restored instruction, which has stopped and drained.
        restore_warp: u8 = 6,
        /// Slot to which the restored instruction belongs now.
        restore_slot: u8 = 4,
        /// The restored instruction is a store.
        restore_store: bool = 1,
        /// Destination of the restored instruction.
        restore_destination: u8 = 8,
        /// Address register of the restored instruction.
        restore_source_a: u8 = 8,
        /// Store-data register of the restored instruction.
        restore_source_b: u8 = 8,
        /// Program counter of the restored instruction.
        restore_pc: u32 = 32,
        /// Lanes of the restored instruction.
        restore_mask: u32 = 32,
        /// Opcode of the restored instruction.
        restore_opcode: u8 = 7,
    }
}

ports! {
    /// What comes out of `sm_pipeline` in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// The resume is accepted.
        resume_ready: bool = 1,
        /// The next instruction of a warp is requested, one bit for each port.
        fetch_valid: Pair = (WIDTH, 1),
        /// Warp whose next instruction each port requests.
        fetch_warp: Pair = (WIDTH, 6),
        /// Fetched instructions of a warp were not issued after all, and the source goes back.
        revert_valid: bool = 1,
        /// Warp whose instructions were not issued.
        revert_warp: u8 = 6,
        /// Number of instructions that were not issued.
        revert_count: u8 = 2,
        /// Instructions that read their operands, one bit for each port.
        read_valid: Pair = (WIDTH, 1),
        /// Warp of each instruction that reads its operands.
        read_warp: Pair = (WIDTH, 6),
        /// Scoreboard entry of each instruction that reads its operands.
        read_entry: Pair = (WIDTH, parameters.entry_bits()),
        /// Class of each instruction that reads its operands.
        read_class: Pair = (WIDTH, 3),
        /// Instructions that are issued again; with an operand log, it holds their operands.
        read_replayed: Pair = (WIDTH, 1),
        /// Destination of each instruction that reads its operands.
        read_destination: Pair = (WIDTH, 8),
        /// First source of each instruction that reads its operands.
        read_source_a: Pair = (WIDTH, 8),
        /// Second source of each instruction that reads its operands.
        read_source_b: Pair = (WIDTH, 8),
        /// Third source of each instruction that reads its operands.
        read_source_c: Pair = (WIDTH, 8),
        /// Program counter of each instruction that reads its operands.
        read_pc: Pair = (WIDTH, 32),
        /// Lanes of each instruction that reads its operands.
        read_mask: Pair = (WIDTH, 32),
        /// Opcode of each instruction that reads its operands.
        read_opcode: Pair = (WIDTH, 7),
        /// An instruction is at the front of the memory stage.
        memory_front: bool = 1,
        /// The front requests the data of a store on `operand`; low for an address.
        memory_data: bool = 1,
        /// The front goes to the memory unit.
        memory_valid: bool = 1,
        /// Warp of the front.
        memory_warp: u8 = 6,
        /// Thread-block slot of the front.
        memory_slot: u8 = 4,
        /// Scoreboard entry of the front, which names it in later messages.
        memory_entry: u8 = parameters.entry_bits(),
        /// Class of the front.
        memory_class: u8 = 3,
        /// The front is issued again.
        memory_replayed: bool = 1,
        /// The front only goes to the replay queue, because its warp has stopped.
        memory_squashed: bool = 1,
        /// Program counter of the front.
        memory_pc: u32 = 32,
        /// Lanes of the front.
        memory_mask: u32 = 32,
        /// Opcode of the front.
        memory_opcode: u8 = 7,
        /// Replay-queue entry of the front, which names it in later messages.
        memory_index: u8 = parameters.queue.index_bits(),
        /// Operand-log entry of the front's address, which names it in later messages.
        memory_log_address: u8 = parameters.log.entry_bits(),
        /// Operand-log entry of the front's store data, which names it in later messages.
        memory_log_data: u8 = parameters.log.entry_bits(),
        /// The message of a successful check is accepted.
        checked_ready: bool = 1,
        /// `logged_data` holds an operand of a replayed instruction, from the log.
        logged_valid: bool = 1,
        /// Operand from the log: 32 lanes of 64 bits.
        logged_data: Operand = (32, 64),
        /// Instructions in the replay queue.
        occupancy: u8 = parameters.queue.index_bits() + 1,
        /// The save is accepted: the warps of the slot have stopped and drained.
        save_ready: bool = 1,
        /// The save has ended: the squashed instructions of the thread block have left.
        save_done: bool = 1,
        /// `logged_data` holds an operand of the instruction that leaves next: the address, then a store's data.
        spilled_valid: bool = 1,
        /// An instruction leaves; its operands are shown only in the cycle after `saved_ready`.
        saved_valid: bool = 1,
        /// Warp of the instruction that leaves.
        saved_warp: u8 = 6,
        /// The instruction that leaves is a store.
        saved_store: bool = 1,
        /// Destination of the instruction that leaves.
        saved_destination: u8 = 8,
        /// Address register of the instruction that leaves.
        saved_source_a: u8 = 8,
        /// Store-data register of the instruction that leaves.
        saved_source_b: u8 = 8,
        /// Program counter of the instruction that leaves.
        saved_pc: u32 = 32,
        /// Lanes of the instruction that leaves.
        saved_mask: u32 = 32,
        /// Opcode of the instruction that leaves.
        saved_opcode: u8 = 7,
        /// The restored instruction is taken.
        restore_ready: bool = 1,
    }
}

// end of the generated ports

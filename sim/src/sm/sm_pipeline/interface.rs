//! Sizes, schemes and ports of the SM pipeline.

use crate::ports;
use crate::sm::operand_log::Operand;
use crate::sm::scoreboard::FINISHES;
use crate::sm::{operand_log, replay_queue, scoreboard};

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

/// Which of the warps that could issue goes first.
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

ports! {
    /// What goes into a pipeline in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Forgets everything.
        reset: bool = 1,
        /// A warp begins.
        start_valid: bool = 1,
        /// Which.
        start_warp: u8 = 6,
        /// The slot of its thread block.
        start_slot: u8 = 4,
        /// A warp ends, or leaves.
        stop_valid: bool = 1,
        /// Which.
        stop_warp: u8 = 6,
        /// A warp that stopped goes on, its squashed instructions first.
        resume_valid: bool = 1,
        /// Which.
        resume_warp: u8 = 6,
        /// The fetched instructions are there.
        fetched_valid: Pair = (WIDTH, 1),
        /// Their classes.
        fetched_class: Pair = (WIDTH, 3),
        /// Their destinations.
        fetched_destination: Pair = (WIDTH, 8),
        /// Their sources; of a memory instruction, the address.
        fetched_source_a: Pair = (WIDTH, 8),
        /// Their sources; of a store, the data.
        fetched_source_b: Pair = (WIDTH, 8),
        /// Their sources.
        fetched_source_c: Pair = (WIDTH, 8),
        /// Their program counters.
        fetched_pc: Pair = (WIDTH, 32),
        /// Their lanes.
        fetched_mask: Pair = (WIDTH, 32),
        /// Their opcodes.
        fetched_opcode: Pair = (WIDTH, 7),
        /// The unit for special functions takes an instruction in the next cycle.
        special_ready: bool = 1,
        /// The memory unit takes an instruction.
        memory_ready: bool = 1,
        /// The operand that the front of the memory stage wants, from the register file.
        operand: Operand = (32, 64),
        /// Each unit may finish an instruction: it commits.
        finished_valid: [u64; UNITS] = (UNITS, 1),
        /// Their warps.
        finished_warp: [u64; UNITS] = (UNITS, 6),
        /// Their scoreboard entries.
        finished_entry: [u64; UNITS] = (UNITS, parameters.entry_bits()),
        /// The last TLB check of a global-memory instruction has succeeded.
        checked_valid: bool = 1,
        /// Its warp.
        checked_warp: u8 = 6,
        /// Its scoreboard entry.
        checked_entry: u8 = parameters.entry_bits(),
        /// Its entry in the replay queue.
        checked_index: u8 = parameters.queue.index_bits(),
        /// The slot of its thread block.
        checked_slot: u8 = 4,
        /// It is a store.
        checked_store: bool = 1,
        /// Its log entry for the address.
        checked_log_address: u8 = parameters.log.entry_bits(),
        /// Its log entry for the data.
        checked_log_data: u8 = parameters.log.entry_bits(),
        /// A global-memory instruction has faulted.
        faulted_valid: bool = 1,
        /// Its warp.
        faulted_warp: u8 = 6,
        /// Its scoreboard entry.
        faulted_entry: u8 = parameters.entry_bits(),
        /// Its entry in the replay queue.
        faulted_index: u8 = parameters.queue.index_bits(),
        /// A kernel starts: the log is partitioned.
        launch_valid: bool = 1,
        /// Log entries of each thread block.
        launch_entries: u8 = parameters.log.entry_bits() + 1,
        /// The squashed instructions of a thread block leave, with their operands.
        save_valid: bool = 1,
        /// The slot of the block.
        save_slot: u8 = 4,
        /// An instruction, or an operand, that leaves is taken.
        saved_ready: bool = 1,
        /// A squashed instruction comes back, the oldest of its warp first; the log takes its operands as at operand
        /// read.
        restore_valid: bool = 1,
        /// Its warp, which is stopped and drained.
        restore_warp: u8 = 6,
        /// The slot of its thread block.
        restore_slot: u8 = 4,
        /// It is a store.
        restore_store: bool = 1,
        /// Its destination.
        restore_destination: u8 = 8,
        /// The register of its address.
        restore_source_a: u8 = 8,
        /// The register of a store's data.
        restore_source_b: u8 = 8,
        /// Its program counter.
        restore_pc: u32 = 32,
        /// Its lanes.
        restore_mask: u32 = 32,
        /// Its opcode.
        restore_opcode: u8 = 7,
    }
}

ports! {
    /// What a pipeline shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// The warp goes on.
        resume_ready: bool = 1,
        /// An instruction is fetched on each port.
        fetch_valid: Pair = (WIDTH, 1),
        /// The warps whose next instructions they are.
        fetch_warp: Pair = (WIDTH, 6),
        /// The next instructions of a warp were not issued after all, and are to be fetched again.
        revert_valid: bool = 1,
        /// Which warp.
        revert_warp: u8 = 6,
        /// How many instructions.
        revert_count: u8 = 2,
        /// Instructions read their operands.
        read_valid: Pair = (WIDTH, 1),
        /// Their warps.
        read_warp: Pair = (WIDTH, 6),
        /// Their scoreboard entries.
        read_entry: Pair = (WIDTH, parameters.entry_bits()),
        /// Their classes.
        read_class: Pair = (WIDTH, 3),
        /// They are issued again; with a log, the log holds their operands.
        read_replayed: Pair = (WIDTH, 1),
        /// Their destinations.
        read_destination: Pair = (WIDTH, 8),
        /// Their sources.
        read_source_a: Pair = (WIDTH, 8),
        /// Their sources.
        read_source_b: Pair = (WIDTH, 8),
        /// Their sources.
        read_source_c: Pair = (WIDTH, 8),
        /// Their program counters.
        read_pc: Pair = (WIDTH, 32),
        /// Their lanes.
        read_mask: Pair = (WIDTH, 32),
        /// Their opcodes.
        read_opcode: Pair = (WIDTH, 7),
        /// An instruction is at the front of the memory stage.
        memory_front: bool = 1,
        /// `operand` is its data, else its address.
        memory_data: bool = 1,
        /// It goes to the memory unit.
        memory_valid: bool = 1,
        /// Its warp.
        memory_warp: u8 = 6,
        /// The slot of its thread block.
        memory_slot: u8 = 4,
        /// Its scoreboard entry.
        memory_entry: u8 = parameters.entry_bits(),
        /// Its class.
        memory_class: u8 = 3,
        /// It is issued again.
        memory_replayed: bool = 1,
        /// It was fetched and not executed: its warp had stopped.
        memory_squashed: bool = 1,
        /// Its program counter.
        memory_pc: u32 = 32,
        /// Its lanes.
        memory_mask: u32 = 32,
        /// Its opcode.
        memory_opcode: u8 = 7,
        /// Its entry in the replay queue.
        memory_index: u8 = parameters.queue.index_bits(),
        /// Its log entry for the address.
        memory_log_address: u8 = parameters.log.entry_bits(),
        /// Its log entry for the data.
        memory_log_data: u8 = parameters.log.entry_bits(),
        /// The check is taken.
        checked_ready: bool = 1,
        /// An operand of a replayed instruction comes from the log.
        logged_valid: bool = 1,
        /// The operand.
        logged_data: Operand = (32, 64),
        /// Instructions in the replay queue.
        occupancy: u8 = parameters.queue.index_bits() + 1,
        /// The save is accepted: the warps of the slot have stopped and drained.
        save_ready: bool = 1,
        /// The save has ended.
        save_done: bool = 1,
        /// An operand of the instruction that leaves next is on `logged_data`: its address, then a store's data.
        spilled_valid: bool = 1,
        /// An instruction leaves.
        saved_valid: bool = 1,
        /// Its warp.
        saved_warp: u8 = 6,
        /// It is a store.
        saved_store: bool = 1,
        /// Its destination.
        saved_destination: u8 = 8,
        /// The register of its address.
        saved_source_a: u8 = 8,
        /// The register of a store's data.
        saved_source_b: u8 = 8,
        /// Its program counter.
        saved_pc: u32 = 32,
        /// Its lanes.
        saved_mask: u32 = 32,
        /// Its opcode.
        saved_opcode: u8 = 7,
        /// The instruction on `restore` is taken.
        restore_ready: bool = 1,
    }
}

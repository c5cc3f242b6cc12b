//! Sizes, cases and ports of the preemption policy.

use super::Estimate;
use crate::ports;

/// How many blocks there are, and how long they may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Bits of a slot's number.
    pub slot_bits: usize,
    /// Bits of a time in ticks, and of a number of instructions.
    pub time_bits: usize,
    /// A tick has two to the power of this many cycles.
    pub tick_bits: usize,
}

impl Parameters {
    /// The house's 16 slots, and times of up to 14 ms.
    #[must_use]
    pub const fn paper() -> Self {
        Self {
            slot_bits: 4,
            time_bits: 20,
            tick_bits: 4,
        }
    }

    /// The longest time, and the greatest number of instructions, at which counters stay.
    #[must_use]
    pub const fn most(&self) -> u64 {
        u64::MAX >> (64 - self.time_bits)
    }

    /// Cycles of a tick.
    #[must_use]
    pub const fn cycles_of_tick(&self) -> u64 {
        1 << self.tick_bits
    }
}

/// What is done with a block: the five cases of PEP (Li et al., TCAD, Fig. 6), and Chimera's two others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Case {
    /// A base checkpoint now, and an increment when the preemption comes.
    TwoCheckpoints,
    /// A checkpoint now, which takes until the preemption.
    OneCheckpoint,
    /// It runs to its end.
    Drain,
    /// It runs to its end, and the next block is saved once.
    DrainThenOne,
    /// It runs to its end, and the next block is saved twice.
    DrainThenTwo,
    /// It is dropped, and begins anew later.
    Flush,
    /// It is saved.
    Switch,
}

impl Case {
    /// Every case, by its number.
    pub const ALL: [Self; 7] = [
        Self::TwoCheckpoints,
        Self::OneCheckpoint,
        Self::Drain,
        Self::DrainThenOne,
        Self::DrainThenTwo,
        Self::Flush,
        Self::Switch,
    ];

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TwoCheckpoints => "two checkpoints",
            Self::OneCheckpoint => "one checkpoint",
            Self::Drain => "drain",
            Self::DrainThenOne => "drain, then one",
            Self::DrainThenTwo => "drain, then two",
            Self::Flush => "flush",
            Self::Switch => "switch",
        }
    }

    /// PEP's, if the preemption is so far away, and the next block runs for `warm_up` before it is saved.
    #[must_use]
    pub const fn of_pep(estimate: &Estimate, launch: u64, warm_up: u64) -> Self {
        let Estimate {
            remaining,
            whole,
            switch,
            ..
        } = *estimate;
        if launch < remaining {
            return match (remaining <= switch, switch < launch) {
                (true, _) => Self::Drain,
                (_, true) => Self::TwoCheckpoints,
                _ => Self::OneCheckpoint,
            };
        }
        let rest = launch - remaining;
        if rest <= warm_up || whole <= rest || whole <= switch {
            return Self::Drain;
        }
        match warm_up + switch < rest {
            true => Self::DrainThenTwo,
            false => Self::DrainThenOne,
        }
    }

    /// Chimera's: what costs the least of what meets the deadline. Draining costs nothing, saving costs its time twice,
    /// and dropping costs what was run.
    #[must_use]
    pub const fn of_chimera(estimate: &Estimate, deadline: u64, idempotent: bool) -> Self {
        let Estimate {
            run,
            remaining,
            switch,
            ..
        } = *estimate;
        if remaining <= deadline {
            return Self::Drain;
        }
        match (switch <= deadline, idempotent) {
            (true, true) if run < 2 * switch => Self::Flush,
            (true, _) => Self::Switch,
            (false, true) => Self::Flush,
            (false, false) if remaining < switch => Self::Drain,
            (false, false) => Self::Switch,
        }
    }
}

ports! {
    /// What goes into the preemption policy in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Forgets everything.
        reset: bool = 1,
        /// Another kernel runs: the times of blocks are forgotten.
        launch_valid: bool = 1,
        /// A block begins,
        begin_valid: bool = 1,
        /// in this slot.
        begin_slot: u64 = parameters.slot_bits,
        /// Ticks for which the block had run when it left, if it comes back.
        begin_run: u64 = parameters.time_bits,
        /// Instructions that the block had issued when it left, if it comes back.
        begin_executed: u64 = parameters.time_bits,
        /// A block has ended,
        end_valid: bool = 1,
        /// or only leaves, and may come back.
        end_leaves: bool = 1,
        /// It is in this slot.
        end_slot: u64 = parameters.slot_bits,
        /// An instruction is issued, a bit for each port,
        issued_valid: u8 = 2,
        /// of the block in this slot.
        issued_slot: [u64; 2] = (2, parameters.slot_bits),
        /// It is asked what to do with a block,
        ask_valid: bool = 1,
        /// the one in this slot,
        ask_slot: u64 = parameters.slot_bits,
        /// of Chimera, and not of PEP.
        ask_chimera: bool = 1,
        /// The block may be dropped and begin anew.
        ask_idempotent: bool = 1,
        /// Ticks until the preemption, as predicted; Chimera's deadline.
        ask_launch: u64 = parameters.time_bits,
        /// Ticks that saving one block takes.
        ask_switch: u64 = parameters.time_bits,
        /// Instructions of a block.
        ask_instructions: u64 = parameters.time_bits,
        /// Ticks for which a next block runs before it is saved.
        ask_warm_up: u64 = parameters.time_bits,
        /// The answer is taken.
        answer_ready: bool = 1,
    }
}

ports! {
    /// What the preemption policy shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// Ticks for which the block in `end_slot` has run.
        end_run: u64 = parameters.time_bits,
        /// Instructions that the block in `end_slot` has issued.
        end_executed: u64 = parameters.time_bits,
        /// The question is answered, and may go.
        ask_ready: bool = 1,
        /// There is an answer:
        answer_valid: bool = 1,
        /// the number of a [`Case`],
        answer_case: u64 = 3,
        /// the ticks for which the block will run,
        answer_remaining: u64 = parameters.time_bits,
        /// and those that saving takes.
        answer_switch: u64 = parameters.time_bits,
    }
}

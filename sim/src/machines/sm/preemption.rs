//! How an SM makes room for another kernel, and how that went.

use super::parameters::Transfer;

/// What decides the fate of a block that runs when another kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Nothing: each runs to its end.
    Drain,
    /// Nothing: each is saved.
    Switch,
    /// The policy as PEP, at the announcement of the launch and once more at the launch.
    Pep,
    /// The policy as Chimera, at the launch. No block is dropped, because none is known to be idempotent.
    Chimera,
}

impl Choice {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Drain, Self::Switch, Self::Pep, Self::Chimera];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drain => "drain",
            Self::Switch => "switch",
            Self::Pep => "pep",
            Self::Chimera => "chimera",
        }
    }

    /// The choice of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
    }
}

/// What is saved of the registers of a block. Its shared memory is saved whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saves {
    /// All.
    Whole,
    /// Those that are dirty.
    Dirty,
    /// Those that are dirty; what a second context of a block holds stays on the SM as far as a slot's part of the registers and of
    /// the shared memory that no block has goes. *Assumed*: the other kernel needs none of them.
    InPlace,
}

/// How an SM makes room for another kernel. Times are cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preemption {
    /// What decides the fate of each block.
    pub choice: Choice,
    /// Blocks that are saved if nothing decides it; others end.
    pub saved: usize,
    /// What is saved.
    pub saves: Saves,
    /// Cycles from the announcement of the launch to the launch.
    pub lead: u64,
    /// Cycles from the announcement in which PEP expects the launch.
    pub predicted: u64,
    /// Cycles in which Chimera is to make the SM free.
    pub deadline: u64,
    /// How contexts move.
    pub transfer: Transfer,
}

/// Thread blocks that have ended on an SM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// How many.
    pub count: u64,
    /// Cycles from the begin of each to its end.
    pub cycles: u64,
}

/// The end of a block that ran when another kernel was launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drain {
    /// Cycles until then, as Chimera estimates them.
    pub estimate: u64,
    /// Cycles that it took.
    pub took: u64,
}

/// A preemption of an SM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preempted {
    /// When the launch came to the SM.
    pub launched: u64,
    /// When the last block that was saved had left; 0 if none was.
    pub left: u64,
    /// When the SM was free for the other kernel.
    pub free: u64,
    /// When it was the first kernel's again.
    pub back: u64,
    /// Blocks that ended between launch and freedom.
    pub drained: u64,
    /// Blocks that were saved and left.
    pub saved: u64,
    /// Those of them that had been saved before, and ran on.
    pub saved_twice: u64,
    /// Blocks that were saved before the launch, and ran on.
    pub bases: u64,
    /// Bytes of contexts that were written until it was free.
    pub bytes: u64,
    /// Those of blocks that ran on.
    pub base_bytes: u64,
    /// Bytes of all registers, of the SIMT state and of the shared memory of those that left.
    pub whole_bytes: u64,
    /// Cycles for which blocks stood still to be saved.
    pub stopped: u64,
    /// The cycles in which the last block of the first kernel and of the other one had ended on the SM; 0 if none ran there.
    pub ends: [u64; 2],
}

impl Preempted {
    /// Cycles from the launch until the SM was free.
    #[must_use]
    pub const fn latency(&self) -> u64 {
        self.free - self.launched
    }
}

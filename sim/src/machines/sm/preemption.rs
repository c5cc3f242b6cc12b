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

/// How an SM makes room for another kernel. Times are cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preemption {
    /// What decides the fate of each block.
    pub choice: Choice,
    /// Cycles from the announcement of the launch to the launch, which PEP knows in advance.
    pub lead: u64,
    /// Cycles in which Chimera is to make the SM free.
    pub deadline: u64,
    /// How contexts move.
    pub transfer: Transfer,
}

/// A preemption of an SM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preempted {
    /// When the launch came to the SM.
    pub launched: u64,
    /// When the SM was free for the other kernel.
    pub free: u64,
    /// When it was the first kernel's again.
    pub back: u64,
    /// Blocks that ended between launch and freedom.
    pub drained: u64,
    /// Blocks that were saved and left.
    pub saved: u64,
    /// Blocks that were saved before the launch, and ran on.
    pub bases: u64,
    /// Bytes of contexts that were written until it was free.
    pub bytes: u64,
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

//! Values of the options that are words, and what they are in a configuration.

use faultline_sim::machines::gpu::{Eviction, Handling, Prefetch, Replay, Share, SwitchingMode};

/// The link between CPU and GPU.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
pub enum Bus {
    Nvlink,
    Pcie3,
}

/// What comes with a page.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
pub enum Size {
    #[value(name = "4k")]
    Page,
    #[value(name = "64k")]
    Region,
    #[value(name = "2m")]
    Table,
}

/// Whether thread blocks are switched out, and how their contexts move.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    None,
    Normal,
    Ideal,
}

impl From<Mode> for SwitchingMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::None => Self::None,
            Mode::Normal => Self::Normal,
            Mode::Ideal => Self::Ideal,
        }
    }
}

/// The handler of faults.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    Cpu,
    Gpu,
}

impl From<Handler> for Handling {
    fn from(handler: Handler) -> Self {
        match handler {
            Handler::Cpu => Self::Cpu,
            Handler::Gpu => Self::Gpu,
        }
    }
}

/// What comes besides what was missed.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefetcher {
    None,
    Sequential,
    Random,
    Locality,
    Tree,
    Oracle,
}

impl From<Prefetcher> for Prefetch {
    fn from(prefetcher: Prefetcher) -> Self {
        match prefetcher {
            Prefetcher::None => Self::None,
            Prefetcher::Sequential => Self::Sequential,
            Prefetcher::Random => Self::Random,
            Prefetcher::Locality => Self::Locality,
            Prefetcher::Tree => Self::Tree,
            Prefetcher::Oracle => Self::Oracle,
        }
    }
}

/// What leaves where there is no room.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evicting {
    Lru,
    Random,
    Tree,
}

impl From<Evicting> for Eviction {
    fn from(evicting: Evicting) -> Self {
        match evicting {
            Evicting::Lru => Self::Lru,
            Evicting::Random => Self::Random,
            Evicting::Tree => Self::Tree,
        }
    }
}

/// When the driver has the GPU try again what has faulted.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaying {
    Page,
    Block,
    Batch,
    BatchFlush,
    Once,
}

impl From<Replaying> for Replay {
    fn from(replaying: Replaying) -> Self {
        match replaying {
            Replaying::Page => Self::Page,
            Replaying::Block => Self::Block,
            Replaying::Batch => Self::Batch,
            Replaying::BatchFlush => Self::BatchFlush,
            Replaying::Once => Self::Once,
        }
    }
}

/// A share in percent.
pub fn capacity(text: &str) -> Result<Share, String> {
    text.parse()
}

//! What a configuration names: handlers, ways of switching, and what comes with a page.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::super::parameters::{REGION_BITS, TABLE_BITS};
use super::super::values::Names;

/// The first handler of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Handling {
    /// The CPU, one fault after the other.
    Cpu,
    /// The warp that faults, on its SM. It asks the CPU for pages that the CPU owns.
    Gpu,
}

impl<'de> Deserialize<'de> for Handling {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Names::new("handling", [Self::Cpu, Self::Gpu], |one| one.name());
        deserializer.deserialize_str(names)
    }
}

impl Handling {
    /// Its name in files, options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }
}

/// What is between the registers and the caches of an SM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// The blocks of the pipeline, the coalescer and the L1 TLB, and a memory unit that can be varied.
    Model,
    /// The block `sm_unit`, of which there is Verilog.
    Rtl,
}

impl<'de> Deserialize<'de> for Unit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Names::new("unit", [Self::Model, Self::Rtl], |one| one.name());
        deserializer.deserialize_str(names)
    }
}

impl Unit {
    /// Its name in files and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rtl => "rtl",
        }
    }
}

/// Whether thread blocks are switched out, and how their contexts move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SwitchingMode {
    /// None is switched out.
    None,
    /// Contexts move to DRAM and from there, among all other requests.
    Normal,
    /// Contexts move in a cycle.
    Ideal,
}

impl<'de> Deserialize<'de> for SwitchingMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Names::new("mode", [Self::None, Self::Normal, Self::Ideal], |one| {
            one.name()
        });
        deserializer.deserialize_str(names)
    }
}

impl SwitchingMode {
    /// Its name in files, options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Normal => "normal",
            Self::Ideal => "ideal",
        }
    }
}

/// What comes with an absent page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Granularity {
    /// The page alone.
    #[serde(rename = "4k")]
    Page,
    /// Its region of 64 KB.
    #[serde(rename = "64k")]
    Region,
    /// Its 2 MB, which one table of the last level translates.
    #[serde(rename = "2m")]
    Table,
}

impl Granularity {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Page, Self::Region, Self::Table];

    /// Its name in files, options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Page => "4k",
            Self::Region => "64k",
            Self::Table => "2m",
        }
    }

    /// Bits of the number of a page inside the part of memory that comes with it.
    #[must_use]
    pub const fn page_bits(self) -> u32 {
        match self {
            Self::Page => 0,
            Self::Region => REGION_BITS,
            Self::Table => TABLE_BITS,
        }
    }
}

impl<'de> Deserialize<'de> for Granularity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Names::new("granularity", Self::ALL, |one| one.name());
        deserializer.deserialize_str(names)
    }
}

/// What the driver brings besides the part of memory that was missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Prefetch {
    /// Nothing.
    #[default]
    None,
    /// The parts that follow it.
    Sequential,
    /// Other absent parts of its allocation, by chance.
    Random,
    /// The rest of its 64 KB.
    Locality,
    /// Each node of the binary tree over its 2 MB of which more than half is there or comes.
    Tree,
    /// All parts in the order in which the program accesses them first, from the first cycle on.
    Oracle,
}

impl Prefetch {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::Sequential,
        Self::Random,
        Self::Locality,
        Self::Tree,
        Self::Oracle,
    ];

    /// Its name in files, options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Sequential => "sequential",
            Self::Random => "random",
            Self::Locality => "locality",
            Self::Tree => "tree",
            Self::Oracle => "oracle",
        }
    }
}

impl<'de> Deserialize<'de> for Prefetch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Names::new("prefetch", Self::ALL, |one| one.name());
        deserializer.deserialize_str(names)
    }
}

/// The part of memory that leaves where another one has no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Eviction {
    /// The one of which no page has been translated for longest.
    #[default]
    Lru,
    /// One by chance.
    Random,
    /// The 64 KB of which no page has been translated for longest, and the rest of each node of the binary tree over their 2 MB of
    /// which less than half is left.
    Tree,
}

impl Eviction {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Lru, Self::Random, Self::Tree];

    /// Its name in files, options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lru => "lru",
            Self::Random => "random",
            Self::Tree => "tree",
        }
    }
}

impl<'de> Deserialize<'de> for Eviction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Names::new("eviction", Self::ALL, |one| one.name());
        deserializer.deserialize_str(names)
    }
}

/// When the driver has the GPU try again what has faulted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Replay {
    /// Each page as it comes: the GMMU knows which TLBs wait for it (Zheng et al., HPCA 2016, section 3.1).
    #[default]
    Page,
    /// The driver reads a batch of 256 records at most, and replays as all that a batch wants of a block of 2 MB has come.
    Block,
    /// As all that a batch wants has come.
    Batch,
    /// The same, and what has been reported meanwhile is dropped unread, so that it is reported again if it is still absent.
    BatchFlush,
    /// As all that has been reported has come, batch after batch.
    Once,
}

impl Replay {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Page,
        Self::Block,
        Self::Batch,
        Self::BatchFlush,
        Self::Once,
    ];

    /// Its name in files, options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Block => "block",
            Self::Batch => "batch",
            Self::BatchFlush => "batch-flush",
            Self::Once => "once",
        }
    }
}

impl<'de> Deserialize<'de> for Replay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Names::new("replay", Self::ALL, |one| one.name());
        deserializer.deserialize_str(names)
    }
}

/// What the page-walk cache keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WalkCache {
    /// As many entries as it has bytes for.
    #[default]
    Normal,
    /// Nothing (Power et al., HPCA 2014, Table 2, designs 1 and 2).
    None,
    /// Whatever walks have read (section 6.2).
    Ideal,
}

impl WalkCache {
    /// Its name in files, options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::None => "none",
            Self::Ideal => "ideal",
        }
    }
}

impl<'de> Deserialize<'de> for WalkCache {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all = [Self::Normal, Self::None, Self::Ideal];
        let names = Names::new("walk_cache", all, |one| one.name());
        deserializer.deserialize_str(names)
    }
}

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

/// Whether thread blocks are switched out, and how their contexts move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SwitchingMode {
    /// None is switched out.
    None,
    /// Contexts move over the SM's share of the bandwidth of DRAM.
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

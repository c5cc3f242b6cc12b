//! A GPU as a file says it: values in TOML, in place of those of a preset.

use std::ops::Range;

use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;
use toml::de::{self, DeTable, DeValue};

use super::super::sm::{
    self, Choice, Exceptions, Local, Preemption, Response, Switching, Transfer,
};
use super::super::translation::{self, Design};
use super::parameters::cluster;
use super::values::{Names, PolicyName, PowerOfTwo, SchemeName, Within, response, responses};
use super::{Caches, Failure, Link, Paging, Parameters};
use crate::place::{line_at, one_sentence};
use crate::sm::sm_pipeline;
use crate::sm::{l1_tlb, operand_log, replay_queue};

/// Bytes of an entry of the operand log.
const LOG_ENTRY: usize = 256;
/// Presets, as files in TOML that hold every value.
const PRESETS: [(&str, &str); 4] = [
    ("tanasic", include_str!("presets/tanasic.toml")),
    ("power", include_str!("presets/power.toml")),
    ("zheng", include_str!("presets/zheng.toml")),
    ("pep", include_str!("presets/pep.toml")),
];

/// An SM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct SmTable {
    /// Its scheme of preemptible faults, by name.
    pub scheme: SchemeName,
    /// How the next warp is chosen, by name.
    pub scheduler: PolicyName,
    /// Warps, 1 to 64.
    pub warps: Within<1, 64>,
    /// Scoreboard entries of a warp: instructions under way, 2 to 16.
    pub scoreboard_entries: Within<2, 16>,
    /// Entries of the replay queue, a power of two up to 128.
    pub queue_entries: PowerOfTwo<2, 128>,
    /// Bytes of the operand log, of 256 B each entry.
    pub log_bytes: Within<512, 32768>,
    /// Cycles of arithmetic.
    pub math: Within<1, 1000>,
    /// Cycles of a special function.
    pub special: Within<1, 1000>,
    /// Cycles from a special function to the next.
    pub special_interval: Within<1, 1000>,
    /// Cycles of a branch.
    pub control: Within<1, 1000>,
    /// Cycles of shared memory.
    pub shared: Within<1, 1000>,
    /// Cycles of the L1 cache.
    pub l1: Within<1, 1000>,
    /// Lines of 128 B of the L1 cache, in sets of 4.
    pub l1_lines: PowerOfTwo<4, 65536>,
}

/// An L1 TLB.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct TlbTable {
    /// Entries, a power of two.
    pub entries: PowerOfTwo<8, 1024>,
    /// Pages that it waits for, a power of two.
    pub misses: PowerOfTwo<1, 128>,
}

/// The GMMU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct GmmuTable {
    /// Entries of the L2 TLB, a power of two.
    pub l2_entries: PowerOfTwo<16, 4096>,
    /// Whether the L2 TLB takes part.
    pub l2_tlb: bool,
    /// Walks at once, a power of two.
    pub walks: PowerOfTwo<1, 64>,
    /// Bytes of the page-walk cache, a power of two.
    pub cache_bytes: PowerOfTwo<64, 65536>,
    /// Far faults that it holds for an SM.
    pub far_faults: Within<1, 64>,
}

/// The links between the SMs and what they share, and the caches and memory below.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct MemoryTable {
    /// Cycles from an SM to a bank of the L2 cache, and back.
    pub crossbar: Within<1, 1000>,
    /// Cycles from an SM to the GMMU, and back.
    pub translation: Within<1, 1000>,
    /// Lines of 128 B of the L2 cache.
    pub l2_lines: Within<64, 1048576>,
    /// Ways of its sets.
    pub l2_ways: PowerOfTwo<1, 64>,
    /// Its banks, each with a channel of DRAM.
    pub banks: Within<1, 64>,
    /// Cycles from a request at its bank to the answer.
    pub l2: Within<1, 1000>,
    /// Lines that a bank waits for.
    pub bank_misses: Within<1, 1024>,
    /// Cycles of DRAM.
    pub dram: Within<1, 10000>,
    /// Cycles for which a line takes its channel.
    pub dram_interval: Within<1, 1000>,
}

/// How absent pages come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct PagingTable {
    /// No page is there at first.
    pub absent: bool,
    /// What the CPU has written was copied before, so only unowned pages are absent.
    pub copied: bool,
    /// What comes with an absent page.
    pub granularity: Granularity,
    /// The first handler of a fault.
    pub handling: Handling,
    /// Cycles for which the CPU's handler works on a fault.
    pub handler: Within<0, 10000000>,
    /// Cycles for which a warp runs the GPU's handler of its fault.
    pub gpu_handler: Within<0, 10000000>,
    /// Bytes that the link moves in a cycle.
    pub link_bytes: Within<1, 4096>,
    /// Cycles of an unloaded fault whose page the CPU owns.
    pub migration: Within<1, 100000000>,
    /// Cycles of an unloaded fault whose page is unowned.
    pub allocation: Within<1, 100000000>,
}

/// Thread blocks that are switched out while they wait for pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct SwitchingTable {
    /// Whether they are, and how their contexts move.
    pub mode: SwitchingMode,
    /// A block leaves if the place of its fault in the queue of faults is above this.
    pub threshold: Within<0, 127>,
    /// Blocks that an SM may have beyond its slots.
    pub extra: Within<1, 4>,
    /// Cycles for which a block stays at least.
    pub residence: Within<0, 65535>,
}

/// What an SM does with divisions by zero and traps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct ExceptionsTable {
    /// What becomes of them, by name.
    #[serde(deserialize_with = "response")]
    #[schemars(schema_with = "responses")]
    pub response: Response,
    /// Cycles for which the SM's handler works on one.
    pub handler: Within<1, 50000>,
}

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
}

impl Granularity {
    /// Its name in files and options.
    const fn name(self) -> &'static str {
        match self {
            Self::Page => "4k",
            Self::Region => "64k",
        }
    }
}

impl<'de> Deserialize<'de> for Granularity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Names::new("granularity", [Self::Page, Self::Region], |one| one.name());
        deserializer.deserialize_str(names)
    }
}

/// A GPU. A file that names a preset may leave out what is as there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Config {
    /// The preset whose values hold where the file says nothing else.
    pub preset: String,
    /// Clock, MHz.
    pub clock_mhz: Within<1, 10000>,
    /// SMs. Of more than 16, as many as need be share a port of the GMMU.
    pub sms: Within<1, 64>,
    /// Each of them.
    pub sm: SmTable,
    /// Its L1 TLB.
    pub l1_tlb: TlbTable,
    /// The GMMU.
    pub gmmu: GmmuTable,
    /// Links, caches and memory.
    pub memory: MemoryTable,
    /// Paging.
    pub paging: PagingTable,
    /// Blocks that are switched out.
    pub switching: SwitchingTable,
    /// Exceptions.
    pub exceptions: ExceptionsTable,
}

/// Why a file is no configuration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {sentence}")]
pub struct ConfigError {
    /// The file.
    pub file: String,
    /// The line, from 1 on.
    pub line: usize,
    /// What is wrong.
    pub sentence: String,
}

/// Times of faults that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct TooShort {
    /// The keys of `[paging]` that say so, the one that is too small before the others.
    pub keys: &'static [&'static str],
    /// What is wrong.
    pub sentence: String,
}

impl Config {
    /// The names of the presets.
    pub fn presets() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _)| *name)
    }

    /// Reads a file of this name in errors. What it leaves out is as in the preset that it names, or else in `preset`.
    ///
    /// # Errors
    /// If a table or value is unknown, of another type or out of its range, or if there is no such preset.
    pub fn read(text: &str, file: &str, preset: &str) -> Result<Self, ConfigError> {
        Self::with_base(text, file, preset, None)
    }

    /// As [`Config::read`], but what the file leaves out is as in this preset, whatever the file names.
    ///
    /// # Errors
    /// Those of [`Config::read`].
    pub fn read_over(text: &str, file: &str, preset: &str) -> Result<Self, ConfigError> {
        Self::with_base(text, file, preset, Some(preset))
    }

    /// Reads a file. What it leaves out is as in the preset `over`, or else in the one that it names, or else in `preset`.
    fn with_base(
        text: &str,
        file: &str,
        preset: &str,
        over: Option<&str>,
    ) -> Result<Self, ConfigError> {
        let wrong = |span: Option<Range<usize>>, sentence: &str| ConfigError {
            file: file.to_owned(),
            line: line_at(text, span.map_or(0, |span| span.start)),
            sentence: one_sentence(sentence),
        };
        let of_toml = |error: de::Error| wrong(error.span(), error.message());
        let mut own = DeTable::parse(text).map_err(of_toml)?;
        let named = own.get_ref().get("preset");
        let name = named.and_then(|name| name.get_ref().as_str());
        let known = |name: &str| {
            let known = PRESETS.iter().find(|(known, _)| *known == name);
            known.map(|(_, base)| *base).ok_or_else(|| {
                let all: Vec<_> = Self::presets().collect();
                let sentence = format!("there is no preset {name}; there are {}", all.join(", "));
                wrong(named.map(toml::Spanned::span), &sentence)
            })
        };
        let mut base = known(name.unwrap_or(preset))?;
        let is_named = name.is_some();
        if let Some(over) = over {
            base = known(over)?;
            if is_named {
                own.get_mut().remove("preset");
            }
        }
        let base = DeTable::parse(base).map_err(of_toml)?;
        let keys = [("paging", "handling"), ("sm", "scheme")];
        let said = keys.into_iter().find_map(|key| span_of(own.get_ref(), key));
        complete(own.get_mut(), base.into_inner());
        // What the preset holds is right, so a span is one of this file.
        let config = Self::deserialize(de::Deserializer::from(own)).map_err(of_toml)?;
        match config.check() {
            Ok(()) => Ok(config),
            Err(failure) => Err(wrong(said, &failure.to_string())),
        }
    }

    /// The line of a file that has a key of a table.
    #[must_use]
    pub fn line_of(text: &str, table: &str, key: &str) -> Option<usize> {
        let own = DeTable::parse(text).ok()?;
        let span = span_of(own.get_ref(), (table, key))?;
        Some(line_at(text, span.start))
    }

    /// Whether its scheme can do what it says of faults.
    ///
    /// # Errors
    /// If warps are to handle their faults, and the scheme cannot preempt them.
    pub fn check(&self) -> Result<(), Failure> {
        let scheme = self.sm.scheme.0;
        match self.paging.handling == Handling::Gpu && !scheme.squashes() {
            true => Err(Failure::Handler(scheme.name())),
            false => Ok(()),
        }
    }

    /// Whether a fault takes as long as its handler, and the link if a page moves.
    ///
    /// # Errors
    /// If it is to take less.
    pub fn check_times(&self) -> Result<(), TooShort> {
        let paging = self.parameters().paging;
        let (handler, size) = (paging.handler, paging.part_bytes());
        let transfer = paging.transfer();
        if paging.link.migration < handler + transfer {
            let sentence = format!(
                "migration = {} is less than {}: the handler takes {handler} cycles, and {size} bytes take {transfer} on the link",
                paging.link.migration,
                handler + transfer
            );
            let keys = &["migration", "handler", "link_bytes", "granularity"];
            return Err(TooShort { keys, sentence });
        }
        if paging.link.allocation < handler {
            let sentence = format!(
                "allocation = {} is less than the {handler} cycles of the handler",
                paging.link.allocation
            );
            let keys = &["allocation", "handler"];
            return Err(TooShort { keys, sentence });
        }
        Ok(())
    }

    /// What a file may say, as a JSON schema: nothing that the preset says has to be there.
    #[must_use]
    pub fn schema() -> Schema {
        let mut schema = SchemaGenerator::default().into_root_schema_for::<Self>();
        RecursiveTransform(|schema: &mut Schema| drop(schema.remove("required")))
            .transform(&mut schema);
        schema
    }

    /// The preset of a name.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        Self::read("", name, name).ok()
    }

    /// The file that says all of it.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// Absent pages come over this link, whose times are those of a clock of 1 GHz.
    pub fn set_link(&mut self, link: Link) {
        let (clock, paging) = (self.clock_mhz.0, &mut self.paging);
        let cycles = |nanoseconds: u64| Within(nanoseconds * clock / 1000);
        paging.link_bytes = Within((link.bytes * 1000 / clock).max(1));
        (paging.migration, paging.allocation) = (cycles(link.migration), cycles(link.allocation));
    }

    /// The microseconds of so many cycles.
    #[must_use]
    pub fn microseconds(&self, cycles: u64) -> f64 {
        cycles as f64 / self.clock_mhz.0 as f64
    }

    /// How contexts move: over the SM's share of the bandwidth of DRAM, with its latency.
    fn transfer(&self, caches: &Caches) -> Transfer {
        Transfer::Beats {
            interval: caches.context_interval(self.sms.get()),
            latency: 2 * self.memory.crossbar.get::<u64>() + caches.dram,
        }
    }

    /// How an SM makes room for a second kernel, with PEP's lead and Chimera's deadline in microseconds.
    #[must_use]
    pub fn preemption(&self, choice: Choice, lead: u64, deadline: u64) -> Preemption {
        Preemption {
            choice,
            lead: lead * self.clock_mhz.0,
            deadline: deadline * self.clock_mhz.0,
            transfer: self.transfer(&self.parameters().caches),
        }
    }

    /// When thread blocks leave. Their contexts take the SM's share of the bandwidth of DRAM, and its latency.
    fn switching(&self, caches: &Caches) -> Switching {
        let SwitchingTable {
            mode,
            threshold,
            extra,
            residence,
        } = self.switching;
        let transfer = match mode {
            SwitchingMode::None => return Switching::Never,
            SwitchingMode::Ideal => Transfer::AtOnce,
            SwitchingMode::Normal => self.transfer(caches),
        };
        Switching::Local(Local {
            threshold: threshold.get(),
            extra: extra.get(),
            residence: residence.get(),
            handler: self.gpu_handler().unwrap_or(0),
            transfer,
        })
    }

    /// Cycles of the GPU's handler, if it handles faults.
    fn gpu_handler(&self) -> Option<u64> {
        let is_local = self.paging.handling == Handling::Gpu;
        is_local.then(|| self.paging.gpu_handler.get())
    }

    /// The GPU that it says. A kernel computes its values there.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        let Self {
            sm,
            l1_tlb,
            gmmu,
            memory,
            paging,
            ..
        } = self;
        let sms = self.sms.get();
        let caches = Caches {
            lines: memory.l2_lines.get(),
            ways: memory.l2_ways.get(),
            banks: memory.banks.get(),
            latency: memory.l2.get(),
            misses: memory.bank_misses.get(),
            dram: memory.dram.get(),
            dram_interval: memory.dram_interval.get(),
        };
        let ways = l1_tlb::Parameters::PAPER.ways;
        let far_limit: usize = gmmu.far_faults.get();
        let cluster = cluster(sms);
        let design = translation::Parameters {
            threads: gmmu.walks.get(),
            l2_entries: gmmu.l2_entries.get(),
            cache_bytes: gmmu.cache_bytes.get(),
            mshrs: far_limit * cluster,
            ..Design::SharedL2AndCache.parameters()
        };
        let log = operand_log::Parameters::with_entries(sm.log_bytes.get::<usize>() / LOG_ENTRY);
        Parameters {
            sms,
            first: 0,
            sm: sm::Parameters {
                pipeline: sm_pipeline::Parameters {
                    scheme: sm.scheme.0,
                    policy: sm.scheduler.0,
                    warps: sm.warps.get(),
                    entries: sm.scoreboard_entries.get(),
                    queue: replay_queue::Parameters::with_entries(sm.queue_entries.get()),
                    log,
                },
                tlb: l1_tlb::Parameters {
                    set_bits: (l1_tlb.entries.get::<usize>() / ways).ilog2() as usize,
                    misses: l1_tlb.misses.get(),
                    ..l1_tlb::Parameters::PAPER
                },
                timing: sm::Timing {
                    math: sm.math.get(),
                    special: sm.special.get(),
                    special_interval: sm.special_interval.get(),
                    control: sm.control.get(),
                    shared: sm.shared.get(),
                    l1: sm.l1.get(),
                    ..sm::Timing::PAPER
                },
                l1_lines: sm.l1_lines.get(),
                switching: self.switching(&caches),
                exceptions: Exceptions {
                    response: self.exceptions.response,
                    handler: self.exceptions.handler.get(),
                },
                values: true,
                ..sm::Parameters::paper(sm.scheme.0, sm.log_bytes.get())
            },
            gmmu: design.gmmu(sms.div_ceil(cluster)),
            far_limit: far_limit as u8,
            shared_tlb: gmmu.l2_tlb,
            crossbar: memory.crossbar.get(),
            translation: memory.translation.get(),
            caches,
            paging: Paging {
                absent: paging.absent,
                copied: paging.copied,
                regions: paging.granularity == Granularity::Region,
                handler: paging.handler.get(),
                local: self.gpu_handler(),
                link: Link {
                    bytes: paging.link_bytes.get(),
                    migration: paging.migration.get(),
                    allocation: paging.allocation.get(),
                },
            },
        }
    }
}

/// Where a table of a file has a key, if it does.
fn span_of(file: &DeTable<'_>, (table, key): (&str, &str)) -> Option<Range<usize>> {
    let table = file.get(table)?.get_ref().as_table()?;
    Some(table.get(key)?.span())
}

/// Adds what a table leaves out.
fn complete<'text>(own: &mut DeTable<'text>, base: DeTable<'text>) {
    for (key, value) in base {
        match (own.get_mut(key.get_ref().as_ref()), value.into_inner()) {
            (None, value) => {
                own.insert(key, toml::Spanned::new(0..0, value));
            }
            (Some(there), DeValue::Table(base)) => {
                if let DeValue::Table(own) = there.get_mut() {
                    complete(own, base);
                }
            }
            (Some(_), _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sm::sm_pipeline::Scheme;

    fn refused(text: &str) -> String {
        Config::read(text, "gpu.toml", "tanasic")
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn what_a_file_leaves_out_is_the_presets() {
        let preset = Config::preset("tanasic").unwrap();
        assert_eq!(
            Config::read(&preset.to_toml(), "gpu.toml", "none").unwrap(),
            preset
        );
        let text = "sms = 4\n[sm]\nscheme = \"replay-queue\"\n[paging]\ngranularity = \"4k\"\n";
        let own = Config::read(text, "gpu.toml", "tanasic").unwrap();
        let (expected, parameters) = (preset.parameters(), own.parameters());
        assert_eq!((expected.sms, parameters.sms), (16, 4));
        assert_eq!(parameters.sm.pipeline.scheme, Scheme::ReplayQueue);
        assert!(!parameters.paging.regions);
        assert_eq!(parameters.caches, expected.caches);
        assert_eq!(parameters.paging.link, expected.paging.link);
        assert_eq!(expected.sm.timing, sm::Timing::PAPER);
        let paper = sm::Parameters::paper(Scheme::OperandLog, 16 << 10);
        assert_eq!(expected.sm.pipeline, paper.pipeline);
        assert_eq!(expected.sm.exceptions, Exceptions::END);
        let restarts = "[exceptions]\nresponse = \"restart\"\nhandler = 70\n";
        let restarts = Config::read(restarts, "gpu.toml", "tanasic").unwrap();
        let exceptions = Exceptions {
            response: Response::Restart,
            handler: 70,
        };
        assert_eq!(restarts.parameters().sm.exceptions, exceptions);
    }

    #[test]
    fn a_preset_over_a_file_replaces_the_one_that_it_names() {
        let text = "preset = \"power\"\nsms = 3\n";
        let read = |text| Config::read_over(text, "gpu.toml", "zheng");
        let expected = Config {
            sms: Within(3),
            ..Config::preset("zheng").unwrap()
        };
        assert_eq!(read(text).unwrap(), expected);
        assert_eq!(
            Config::read(text, "gpu.toml", "zheng").unwrap().preset,
            "power"
        );
        let unknown = read("preset = \"none\"\n").unwrap_err().to_string();
        assert!(
            unknown.starts_with("gpu.toml:1: there is no preset none"),
            "{unknown}"
        );
    }

    #[test]
    fn each_preset_is_whole_and_says_its_own_name() {
        for (name, text) in PRESETS {
            let preset = Config::preset(name).unwrap();
            let alone: Config = toml::from_str(text).unwrap();
            assert_eq!((&alone, &*alone.preset), (&preset, name));
            assert!(preset.parameters().sms <= 16);
        }
    }

    #[test]
    fn contexts_move_over_an_sms_share_of_dram() {
        let with = |mode: &str| {
            let text = format!("[switching]\nmode = \"{mode}\"\nthreshold = 3\n");
            let config = Config::read(&text, "gpu.toml", "tanasic").unwrap();
            config.parameters().sm.switching
        };
        assert_eq!(with("none"), Switching::Never);
        let Switching::Local(local) = with("normal") else {
            panic!("blocks are switched out");
        };
        // 256 B a cycle for 16 SMs.
        let transfer = Transfer::Beats {
            interval: 2,
            latency: 220,
        };
        assert_eq!(
            (local.transfer, local.threshold, local.extra),
            (transfer, 3, 4)
        );
        let ideal = Local {
            transfer: Transfer::AtOnce,
            ..local
        };
        assert_eq!(with("ideal"), Switching::Local(ideal));
    }

    /// Warps handle their faults, and their blocks stay as long.
    #[test]
    fn the_gpu_has_a_handler_if_the_file_says_so() {
        let with = |handling: &str| {
            let text = format!(
                "[switching]\nmode = \"normal\"\n[paging]\nhandling = \"{handling}\"\ngpu_handler = 500\n"
            );
            let config = Config::read(&text, "gpu.toml", "tanasic").unwrap();
            let parameters = config.parameters();
            let Switching::Local(local) = parameters.sm.switching else {
                panic!("blocks are switched out");
            };
            (parameters.paging.local, local.handler)
        };
        assert_eq!(with("cpu"), (None, 0));
        assert_eq!(with("gpu"), (Some(500), 500));
        let preset = Config::preset("tanasic").unwrap().parameters();
        assert_eq!((preset.paging.local, preset.paging.copied), (None, false));
    }

    /// 20 us in each preset.
    #[test]
    fn the_gpus_handler_takes_an_order_of_magnitude_more_than_the_cpus() {
        for name in Config::presets() {
            let preset = Config::preset(name).unwrap();
            let time = preset.microseconds(preset.paging.gpu_handler.into());
            assert!((time - 20.0).abs() < 1e-9, "{name}: {time}");
        }
    }

    #[test]
    fn a_scheme_that_squashes_nothing_runs_no_handler() {
        let sentence = "stall-on-fault squashes nothing, so a warp that has faulted cannot run the handler of its fault";
        let both = "[sm]\nscheme = \"stall-on-fault\"\n\n[paging]\nhandling = \"gpu\"\n";
        assert_eq!(refused(both), format!("gpu.toml:5: {sentence}"));
        assert_eq!(Config::line_of(both, "paging", "handling"), Some(5));
        assert_eq!(Config::line_of(both, "paging", "absent"), None);
        let cpu = both.replace("gpu", "cpu");
        assert!(Config::read(&cpu, "gpu.toml", "tanasic").is_ok());
    }

    #[test]
    fn a_fault_takes_as_long_as_its_handler_and_the_link() {
        let check = |text: &str| {
            let config = Config::read(text, "gpu.toml", "tanasic").unwrap();
            let error = config.check_times().err();
            error.map(|error| (error.keys[0], error.sentence))
        };
        let (key, sentence) = check("[paging]\nmigration = 3638\n").unwrap();
        assert_eq!(
            (key, &*sentence),
            (
                "migration",
                "migration = 3638 is less than 3639: the handler takes 2000 cycles, and 65536 bytes take 1639 on the link"
            )
        );
        assert_eq!(check("[paging]\nmigration = 3639\n"), None);
        let pages = "[paging]\nmigration = 2103\ngranularity = \"4k\"\n";
        assert_eq!(check(pages), None);
        let (key, sentence) = check("[paging]\nallocation = 1999\n").unwrap();
        assert_eq!(
            (key, &*sentence),
            (
                "allocation",
                "allocation = 1999 is less than the 2000 cycles of the handler"
            )
        );
        // Each preset, over each link.
        for name in Config::presets() {
            let mut config = Config::preset(name).unwrap();
            assert_eq!(config.check_times(), Ok(()), "{name}");
            for link in [Link::NVLINK, Link::PCIE3] {
                config.set_link(link);
                assert_eq!(config.check_times(), Ok(()), "{name}");
            }
        }
    }

    #[test]
    fn a_link_keeps_its_times_at_any_clock() {
        let mut config = Config::preset("zheng").unwrap();
        config.set_link(Link::PCIE3);
        assert_eq!(config.paging.migration, Within(35_000));
        assert_eq!(config.paging.link_bytes, Within(11));
        assert!((config.microseconds(35_000) - 25.0).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_is_one_sentence_with_file_and_line() {
        let out_of_range = refused("\n[sm]\nwarps = 65\n");
        assert_eq!(out_of_range, "gpu.toml:3: 65 is not from 1 to 64");
        let unknown = refused("sms = 4\n[sm]\n\nwarp = 4\n");
        assert!(
            unknown.starts_with("gpu.toml:4: unknown field `warp`"),
            "{unknown}"
        );
        let small = refused("[paging]\ngranularity = \"2k\"\n");
        assert_eq!(
            small,
            "gpu.toml:2: there is no granularity 2k; there are 4k, 64k"
        );
        let preset = refused("preset = \"none\"\n");
        assert_eq!(
            preset,
            "gpu.toml:1: there is no preset none; there are tanasic, power, zheng, pep"
        );
        assert!(refused("sms = \n").starts_with("gpu.toml:1: "));
        let mode = refused("[switching]\nextra = 4\nmode = \"some\"\n");
        assert_eq!(
            mode,
            "gpu.toml:3: there is no mode some; there are none, normal, ideal"
        );
        // Of another type.
        for (text, expected) in [
            ("\nsm = 3\n", "integer `3`, expected a table"),
            (
                "\nsms = \"4\"\n",
                "string \"4\", expected a whole number from 1 to 64",
            ),
            (
                "\nclock_mhz = 1.5\n",
                "floating point `1.5`, expected a whole number from 1 to 10000",
            ),
            (
                "[gmmu]\nwalks = true\n",
                "boolean `true`, expected a power of two from 1 to 64",
            ),
            (
                "[paging]\nhandling = 3\n",
                "integer `3`, expected one of cpu, gpu",
            ),
            (
                "[paging]\ngranularity = 4\n",
                "integer `4`, expected one of 4k, 64k",
            ),
            (
                "[exceptions]\nresponse = 1\n",
                "integer `1`, expected one of masked, restart, end",
            ),
            (
                "[paging]\nabsent = \"yes\"\n",
                "string \"yes\", expected a boolean",
            ),
        ] {
            assert_eq!(
                refused(text),
                format!("gpu.toml:2: invalid type: {expected}")
            );
        }
        let scheme = refused("[sm]\nscheme = 1\n");
        assert!(
            scheme.starts_with(
                "gpu.toml:2: invalid type: integer `1`, expected one of stall-on-fault, "
            ),
            "{scheme}"
        );
        let negative = refused("\nsms = -1\n");
        assert_eq!(
            negative,
            "gpu.toml:2: -1 is not a whole number from 1 to 64"
        );
        let log = "sms = 2\n[sm]\n\nlog_bytes = 512\n";
        assert_eq!(Config::line_of(log, "sm", "log_bytes"), Some(4));
        assert_eq!(Config::line_of(log, "sm", "warps"), None);
        let response = refused("[exceptions]\nhandler = 5\nresponse = \"stop\"\n");
        assert_eq!(
            response,
            "gpu.toml:3: there is no response stop; there are masked, restart, end"
        );
        let handler = refused("[exceptions]\nhandler = 0\n");
        assert_eq!(handler, "gpu.toml:2: 0 is not from 1 to 50000");
        let power = refused("[gmmu]\nwalks = 24\n");
        assert_eq!(power, "gpu.toml:2: 24 is no power of two from 1 to 64");
    }
}

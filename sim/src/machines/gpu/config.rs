//! A GPU as a file says it: values in TOML, in place of those of a preset.

mod checks;
mod names;
mod reading;
mod tables;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::sm::{self, Choice, Exceptions, Local, Preemption, Saves, Switching, Transfer};
use super::super::translation::{self, Design, IDEAL_CACHE};
use super::parameters::{PORTS, cluster};
use super::values::Within;
use super::{Caches, Link, Paging, Parameters};
use crate::sm::sm_pipeline;
use crate::sm::{l1_tlb, operand_log, replay_queue};

pub use checks::TooShort;
pub use names::{
    Eviction, Granularity, Handling, Prefetch, Replay, SwitchingMode, Unit, WalkCache,
};
pub use reading::ConfigError;
pub use tables::{
    ExceptionsTable, GmmuTable, MemoryTable, PagingTable, SmTable, SwitchingTable, TlbTable,
};

/// Bytes of an entry of the operand log.
const LOG_ENTRY: usize = 256;

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

impl Config {
    /// Absent pages come over this link, whose times are those of a clock of 1 GHz.
    pub fn set_link(&mut self, link: Link) {
        let (clock, paging) = (self.clock_mhz.0, &mut self.paging);
        let cycles = |nanoseconds: u64| nanoseconds * clock / 1000;
        paging.link_bytes = Within((link.bytes * 1000 / clock).max(1));
        paging.migration = Within(cycles(link.migration));
        paging.allocation = Within(cycles(link.allocation));
        paging.link_latency = Within(cycles(link.latency));
    }

    /// The microseconds of so many cycles.
    #[must_use]
    pub fn microseconds(&self, cycles: u64) -> f64 {
        cycles as f64 / self.clock_mhz.0 as f64
    }

    /// How contexts move: as lines, and by estimate over the SM's share of the bandwidth of DRAM.
    fn transfer(&self, caches: &Caches) -> Transfer {
        Transfer::Lines {
            interval: caches.context_interval(self.sms.get()),
        }
    }

    /// How an SM makes room for a second kernel, with PEP's lead and Chimera's deadline in microseconds.
    #[must_use]
    pub fn preemption(&self, choice: Choice, lead: u64, deadline: u64) -> Preemption {
        Preemption {
            choice,
            saved: usize::MAX,
            saves: Saves::Dirty,
            lead: lead * self.clock_mhz.0,
            predicted: lead * self.clock_mhz.0,
            deadline: deadline * self.clock_mhz.0,
            transfer: self.transfer(&self.parameters().caches),
        }
    }

    /// When thread blocks leave. Their contexts go to DRAM and come from there.
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
        let (cluster, ports) = match gmmu.per_sm {
            true => (1, 1),
            // The Verilog of the GMMU has ports for 16 SMs.
            false if sm.unit == Unit::Rtl => (cluster(sms), PORTS),
            false => (cluster(sms), sms.div_ceil(cluster(sms))),
        };
        let design = translation::Parameters {
            threads: gmmu.walks.get(),
            l2_entries: gmmu.l2_entries.get(),
            cache_bytes: match gmmu.walk_cache {
                WalkCache::Normal => gmmu.cache_bytes.get(),
                WalkCache::None => 0,
                WalkCache::Ideal => IDEAL_CACHE,
            },
            first_come: gmmu.first_come,
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
                    large_ways: l1_tlb.large_entries.get(),
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
                blocks: l1_tlb.blocking,
                joined: sm.unit == Unit::Rtl,
                switching: self.switching(&caches),
                exceptions: Exceptions {
                    response: self.exceptions.response,
                    handler: self.exceptions.handler.get(),
                },
                values: true,
                ..sm::Parameters::paper(sm.scheme.0, sm.log_bytes.get())
            },
            gmmu: design.gmmu(ports),
            per_sm: gmmu.per_sm,
            walk_cache: gmmu.walk_cache != WalkCache::None,
            ideal: gmmu.ideal,
            one_ahead: l1_tlb.one_ahead,
            far_limit: far_limit as u8,
            shared_tlb: gmmu.l2_tlb,
            crossbar: memory.crossbar.get(),
            translation: memory.translation.get(),
            caches,
            paging: Paging {
                absent: paging.absent,
                copied: paging.copied,
                granularity: paging.granularity,
                large_pages: paging.large_pages,
                handler: paging.handler.get(),
                local: self.gpu_handler(),
                link: Link {
                    bytes: paging.link_bytes.get(),
                    migration: paging.migration.get(),
                    allocation: paging.allocation.get(),
                    latency: paging.link_latency.get(),
                },
                prefetch: paging.prefetch,
                prefetch_parts: paging.prefetch_parts.get(),
                capacity: paging.capacity_percent.percent(),
                eviction: paging.eviction,
                replay: paging.replay,
                interrupt: paging.interrupt.get(),
                pinned: paging.pinned_percent.get(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_go_to_dram() {
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
        let transfer = Transfer::Lines { interval: 2 };
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
    fn a_link_keeps_its_times_at_any_clock() {
        let mut config = Config::preset("zheng").unwrap();
        config.set_link(Link::PCIE3);
        assert_eq!(config.paging.migration, Within(35_000));
        assert_eq!(config.paging.link_bytes, Within(11));
        assert!((config.microseconds(35_000) - 25.0).abs() < 1e-9);
    }
}

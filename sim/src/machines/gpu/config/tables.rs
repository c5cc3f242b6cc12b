//! The tables of a configuration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::super::sm::Response;
use super::super::values::{
    PolicyName, PowerOfTwo, SchemeName, Share, Within, response, responses,
};
use super::names::{
    Eviction, Granularity, Handling, Prefetch, Replay, SwitchingMode, Unit, WalkCache,
};

/// An SM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct SmTable {
    /// What is between its registers and its caches: model, or rtl, which is the block `sm_unit`.
    pub unit: Unit,
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
    pub log_bytes: Within<512, 32768, 256>,
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
    /// Entries for pages of 2 MB besides.
    pub large_entries: Within<0, 64>,
    /// Pages that it waits for, a power of two.
    pub misses: PowerOfTwo<1, 128>,
    /// It translates nothing while it waits for an absent page.
    pub blocking: bool,
    /// At each miss the next page is walked for too, into a buffer of 16 translations.
    pub one_ahead: bool,
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
    /// What the page-walk cache keeps, by name.
    pub walk_cache: WalkCache,
    /// Each SM has a GMMU of its own.
    pub per_sm: bool,
    /// Walks are served in the order in which they are requested; otherwise SMs take turns.
    pub first_come: bool,
    /// Nothing is walked: an SM knows where each page lies.
    pub ideal: bool,
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
    /// 2 MB are mapped as one page; they come as a whole too, so the granularity is 2m.
    pub large_pages: bool,
    /// The first handler of a fault.
    pub handling: Handling,
    /// Cycles for which the CPU's handler works on a fault.
    pub handler: Within<0, 10000000>,
    /// Cycles for which a warp runs the GPU's handler of its fault.
    pub gpu_handler: Within<0, 10000000>,
    /// Bytes that the link moves in a cycle.
    pub link_bytes: Within<1, 4096>,
    /// Cycles of an unloaded fault whose page the CPU owns, and with which 64 KB come at most. 2 MB take longer by what is above.
    pub migration: Within<1, 100000000>,
    /// Cycles of an unloaded fault whose page is unowned.
    pub allocation: Within<1, 100000000>,
    /// What comes besides what was missed, by name.
    pub prefetch: Prefetch,
    /// Parts of the granularity that follow one at most, if the prefetcher is sequential or random.
    pub prefetch_parts: Within<1, 512>,
    /// Room in the GPU's memory, in percent of the parts that the kernels access.
    pub capacity_percent: Share,
    /// What leaves where a part finds no room, by name.
    pub eviction: Eviction,
    /// When the driver has the GPU try again what has faulted, by name.
    pub replay: Replay,
    /// Cycles of a fault that pass until the driver reads its record, where it reads records in batches.
    pub interrupt: Within<0, 100000000>,
    /// Parts that are pinned to the CPU's memory, in percent of the parts that the kernels access. Each access of a line of theirs takes
    /// the link.
    pub pinned_percent: Within<0, 100>,
    /// Cycles from the request of a line of pinned memory until it is there, without those for which it is on the link.
    pub link_latency: Within<0, 100000000>,
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

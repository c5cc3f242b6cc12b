//! What a GPU is made of.

use super::super::sm::{self, BEAT, Switching};
use super::{Eviction, Granularity, Prefetch, Replay};
use crate::mmu::gmmu;

/// Ports of the GMMU.
pub const PORTS: usize = 16;
/// Bits of a page number inside a region of 64 KB.
pub const REGION_BITS: u32 = 4;
/// Bits of a page number inside 2 MB.
pub const TABLE_BITS: u32 = 9;
/// Bytes of a page.
const PAGE: u64 = 4096;
/// Bytes of a line.
pub const LINE: u64 = 128;

/// The caches below the SMs, and DRAM. Times are cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// Lines of 128 B of the L2 cache, and the ways of its sets.
    pub lines: usize,
    /// Ways of a set.
    pub ways: usize,
    /// Banks of it; each takes a request a cycle, and a bank is a channel of DRAM.
    pub banks: usize,
    /// Cycles from a request at its bank to the answer at the SM or walker, of a line that the bank has.
    pub latency: u64,
    /// Lines that a bank waits for.
    pub misses: usize,
    /// Cycles from a request of a channel to the answer of DRAM.
    pub dram: u64,
    /// Cycles for which a line takes its channel.
    pub dram_interval: u64,
}

impl Caches {
    /// Cycles that a beat of a context takes of the share of DRAM's bandwidth that one of so many SMs has, rounded up.
    #[must_use]
    pub fn context_interval(&self, sms: usize) -> u64 {
        let (banks, sms) = (self.banks as u64, sms as u64);
        (BEAT * sms * self.dram_interval).div_ceil(LINE * banks)
    }
}

/// The link between CPU and GPU. Times are cycles; the costs are those of an unloaded system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Bytes a cycle.
    pub bytes: u64,
    /// Time from the record of a fault until its page is there, if it comes from the CPU's memory with 64 KB at most. Larger parts
    /// take longer by what is above 64 KB.
    pub migration: u64,
    /// Time from the record of a fault until its page is there, if the page is unowned.
    pub allocation: u64,
    /// Time from the request of a line of pinned memory until it is there, without that for which it is on the link.
    pub latency: u64,
}

impl Link {
    /// NVLink, at 1 GHz: the costs are those of Tanasic et al. (section 5.3), 40 GB/s and the latency are assumptions.
    pub const NVLINK: Self = Self {
        bytes: 40,
        migration: 12_000,
        allocation: 10_000,
        latency: 1_000,
    };
    /// PCI Express 3.0 with 16 lanes, at 1 GHz; the latency is that of Zheng et al. (HPCA 2016, section 2).
    pub const PCIE3: Self = Self {
        bytes: 16,
        migration: 25_000,
        allocation: 12_000,
        latency: 2_000,
    };
}

/// How absent pages come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paging {
    /// No page is there at first.
    pub absent: bool,
    /// What the CPU has written was copied before the first cycle, so only unowned pages are absent.
    pub copied: bool,
    /// What comes with an absent page.
    pub granularity: Granularity,
    /// Each part, which has 2 MB, is mapped as one page.
    pub large_pages: bool,
    /// Cycles for which the CPU's handler works on a fault; it handles one after the other.
    pub handler: u64,
    /// Cycles for which a warp that faults runs the GPU's handler on its SM, before it is known what becomes of the fault;
    /// none if the CPU handles all faults.
    pub local: Option<u64>,
    /// The link.
    pub link: Link,
    /// What is brought besides the part that was missed.
    pub prefetch: Prefetch,
    /// Parts that follow one at most, where the prefetcher does not say how many.
    pub prefetch_parts: u64,
    /// Room in the GPU's memory, in percent of the parts that the kernels access; all of them if none.
    pub capacity: Option<u64>,
    /// What leaves where a part finds no room.
    pub eviction: Eviction,
    /// When the driver has the GPU try again what has faulted.
    pub replay: Replay,
    /// Cycles of a fault until the driver reads its record, where it reads records in batches.
    pub interrupt: u64,
    /// Parts that are pinned to the CPU's memory, in percent of those that the kernels access.
    pub pinned: u64,
}

impl Paging {
    /// Bits of the number of a page inside the part of memory that comes with it.
    pub(super) const fn part_bits(&self) -> u32 {
        self.granularity.page_bits()
    }

    /// Bytes of the part of memory that comes with a page.
    #[must_use]
    pub const fn part_bytes(&self) -> u64 {
        PAGE << self.part_bits()
    }

    /// Cycles for which such a part is on the link.
    #[must_use]
    pub fn transfer(&self) -> u64 {
        self.cycles_of(self.part_bytes())
    }

    /// Cycles for which a line of pinned memory is on the link.
    pub(super) fn line(&self) -> u64 {
        self.cycles_of(LINE)
    }

    /// Cycles for which so many bytes are on the link.
    fn cycles_of(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.link.bytes.max(1))
    }

    /// Bytes of a part that a fault of the link's migration time moves, and the cycles for which they are on the link. That time
    /// holds for 64 KB, and for what is smaller.
    #[must_use]
    pub fn measured(&self) -> (u64, u64) {
        let bytes = self.part_bytes().min(PAGE << REGION_BITS);
        (bytes, self.cycles_of(bytes))
    }

    /// Cycles of an unloaded migration in which neither the handler nor the link works. They are the same for each size above
    /// 64 KB.
    pub(super) fn latency(&self) -> u64 {
        let busy = self.handler + self.measured().1;
        self.link.migration.saturating_sub(busy)
    }
}

/// A GPU. Times are cycles of its clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// SMs, at most 64. Of more than 16, as many as need be share a port of the GMMU.
    pub sms: usize,
    /// The SM that gets the first thread block; the others follow in their order.
    pub first: usize,
    /// Each of them.
    pub sm: sm::Parameters,
    /// The GMMU, with a port for each [`cluster`](Self::cluster).
    pub gmmu: gmmu::Parameters,
    /// Each SM has a GMMU of its own, with one port (Power et al., HPCA 2014, Table 2, design 1).
    pub per_sm: bool,
    /// Walks find entries in the page-walk cache.
    pub walk_cache: bool,
    /// Nothing is walked: an SM knows where each page lies (the ideal MMU of Power et al., HPCA 2014, section 5.2).
    pub ideal: bool,
    /// Each L1 TLB has a prefetcher that has the next page walked for at each miss (Power et al., HPCA 2014, section 6.3).
    pub one_ahead: bool,
    /// Far faults that it holds for an SM.
    pub far_limit: u8,
    /// The GMMU keeps translations in its L2 TLB.
    pub shared_tlb: bool,
    /// Cycles from an SM to a bank of the L2 cache, and back.
    pub crossbar: u64,
    /// Cycles from an SM to the GMMU, and back.
    pub translation: u64,
    /// The caches.
    pub caches: Caches,
    /// Paging.
    pub paging: Paging,
}

impl Parameters {
    /// SMs that share a port of the GMMU, which has 16.
    #[must_use]
    pub const fn cluster(&self) -> usize {
        if self.per_sm { 1 } else { cluster(self.sms) }
    }

    /// The keys that need pages which stay where they are, each with its table, and whether it is set.
    pub(super) const fn residents(&self) -> [(&'static str, &'static str, bool); 3] {
        [
            ("gmmu", "per_sm", self.per_sm),
            ("gmmu", "ideal", self.ideal),
            ("l1_tlb", "one_ahead", self.one_ahead),
        ]
    }

    /// What is asked for that the block `sm_unit` does not have, where SMs are around that; `launches` says that a second kernel
    /// is launched.
    pub(super) fn beyond_the_unit(&self, launches: bool) -> Option<&'static str> {
        let tlb = sm::Parameters::paper(self.sm.pipeline.scheme, 0).tlb;
        let faults = self.sm.faults;
        let asked = [
            (
                launches || self.sm.switching != Switching::Never,
                "thread blocks that leave",
            ),
            (self.ideal, "ideal translation"),
            (self.one_ahead, "one-ahead prefetching"),
            (self.sm.blocks, "a TLB that blocks"),
            (
                self.sm.tlb != tlb,
                "an L1 TLB other than that of 32 entries and 8 misses",
            ),
            (
                faults.rate > 0.0 || faults.once != 0,
                "faults without an absent page",
            ),
        ];
        let first = asked.into_iter().find(|(is_asked, _)| *is_asked);
        first.filter(|_| self.sm.joined).map(|(_, what)| what)
    }

    /// Cycles from the resolution of a far fault until its warp has accessed the page, with some to spare: two walks, three ways over
    /// the link to the GMMU, and the replay in the pipeline.
    pub(super) const fn replay(&self) -> u64 {
        1_000 + 4 * self.translation + 16 * (self.caches.latency + self.caches.dram)
    }
}

/// The number of SMs that share a port of the GMMU, of this number of SMs.
pub const fn cluster(sms: usize) -> usize {
    sms.div_ceil(PORTS)
}

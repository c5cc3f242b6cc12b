//! The designs that are compared.

use crate::mmu::{far_fault_mshr, fault_buffer, gmmu, l2_tlb, page_walk_cache, page_walker};
use crate::sm::l1_tlb;

/// Bytes of a page-walk cache that loses nothing.
pub const IDEAL_CACHE: usize = usize::MAX;
/// Entries of a set of that cache.
const IDEAL_WAYS: usize = 1 << 20;
/// Bytes of an entry of the page-walk cache, and entries of its sets.
const ENTRY: usize = 8;
const WAYS: usize = 4;
/// Pages that an L1 TLB waits for: more than 100, as in the worst of the paper's workloads (section 4.2).
const MISSES: usize = 128;
/// Requests in front of the walks where they are served in the order in which they came.
const IN_ORDER: usize = 64;

/// The designs of Power et al., HPCA 2014, Table 2 and section 6.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Design {
    /// 1: an L1 TLB of 128 entries and a walker of its own for each SM, which walks one page at a time.
    One,
    /// 2: L1 TLBs of 128 entries, and a walker with 32 walks at once for all.
    Two,
    /// 3, which is proposed: L1 TLBs of 64 entries, and beside the walker a page-walk cache of 8 KB.
    Three,
    /// An L2 TLB of 1,024 entries in place of that cache.
    SharedL2,
    /// L1 TLBs of 32 entries, an L2 TLB of 512, and the cache.
    SharedL2AndCache,
    /// Design 3 with a cache that loses nothing.
    IdealCache,
}

impl Design {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::One,
        Self::Two,
        Self::Three,
        Self::SharedL2,
        Self::SharedL2AndCache,
        Self::IdealCache,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::Two => "2",
            Self::Three => "3",
            Self::SharedL2 => "shared-l2",
            Self::SharedL2AndCache => "shared-l2-pwc",
            Self::IdealCache => "ideal-pwc",
        }
    }

    /// The design of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|design| design.name() == name)
    }

    /// Its machine, with 4 far faults for each SM (Zheng et al., HPCA 2016, section 3.2).
    #[must_use]
    pub const fn parameters(self) -> Parameters {
        let (l1_entries, l2_entries, cache_bytes) = match self {
            Self::One | Self::Two => (128, 0, 0),
            Self::Three => (64, 0, 8 << 10),
            Self::SharedL2 => (64, 1024, 0),
            Self::SharedL2AndCache => (32, 512, 8 << 10),
            Self::IdealCache => (64, 0, IDEAL_CACHE),
        };
        let shared = !matches!(self, Self::One);
        Parameters {
            shared,
            threads: if shared { 32 } else { 1 },
            first_come: false,
            l1_entries,
            misses: MISSES,
            l2_entries,
            cache_bytes,
            mshrs: 4,
            memory_latency: 300,
            far_percent: 0,
            service: 28_000,
            transfer: 358,
            seed: 1,
        }
    }
}

/// A machine. Times are cycles, of 1.4 GHz in the papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// All SMs share a walker; otherwise each has its own.
    pub shared: bool,
    /// Walks at once of a walker, a power of two.
    pub threads: usize,
    /// Requests are served in the order in which they came; otherwise SMs take turns.
    pub first_come: bool,
    /// Entries of an L1 TLB, a power of two from 8 on.
    pub l1_entries: usize,
    /// Pages that an L1 TLB waits for.
    pub misses: usize,
    /// Entries of the L2 TLB, a power of two from 16 on, or 0.
    pub l2_entries: usize,
    /// Bytes of the page-walk cache, a power of two from 64 on, [`IDEAL_CACHE`], or 0.
    pub cache_bytes: usize,
    /// Far faults that the GMMU holds for an SM.
    pub mshrs: usize,
    /// Cycles from a request to its response; a request is taken in each cycle.
    pub memory_latency: u64,
    /// Pages that are absent at first, percent.
    pub far_percent: u8,
    /// Cycles from the read of a far fault's record by the driver until the page is there, if the link is free.
    pub service: u64,
    /// Cycles for which a page takes the link.
    pub transfer: u64,
    /// The same seed makes the same pages absent.
    pub seed: u64,
}

impl Parameters {
    /// The L1 TLBs.
    pub(super) const fn l1_tlb(&self) -> l1_tlb::Parameters {
        l1_tlb::Parameters {
            set_bits: (self.l1_entries / l1_tlb::Parameters::PAPER.ways).ilog2() as usize,
            misses: self.misses,
            ..l1_tlb::Parameters::PAPER
        }
    }

    /// A GMMU for so many SMs.
    pub(in super::super) fn gmmu(&self, sms: usize) -> gmmu::Parameters {
        let mshrs = far_fault_mshr::Parameters {
            sms,
            ..far_fault_mshr::Parameters::with_entries((self.mshrs * sms).next_power_of_two())
        };
        let (cache_bytes, ways) = match self.cache_bytes {
            IDEAL_CACHE => (8 << 10, IDEAL_WAYS),
            0 => (ENTRY * WAYS, WAYS),
            bytes => (bytes, WAYS),
        };
        let set_bits = (cache_bytes / (ENTRY * WAYS)).ilog2() as usize;
        gmmu::Parameters {
            tlb: l2_tlb::Parameters {
                sms,
                ..l2_tlb::Parameters::with_entries(self.l2_entries.max(16))
            },
            walker: page_walker::Parameters {
                requesters: sms + 1,
                waiting: if self.first_come { IN_ORDER } else { 2 },
                ..page_walker::Parameters::with_walks(self.threads)
            },
            cache: page_walk_cache::Parameters {
                walks: self.threads,
                ways,
                ..page_walk_cache::Parameters::with_set_bits(set_bits)
            },
            buffer: fault_buffer::Parameters {
                sms,
                index_bits: mshrs.index_bits(),
                place_bits: mshrs.count_bits(),
                ..fault_buffer::Parameters::PAPER
            },
            mshrs,
        }
    }
}

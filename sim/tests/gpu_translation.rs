//! The GPU's address translation beside the GMMU by itself: the same pages, one after the other.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

use std::collections::BTreeSet;

use fastrand::Rng;
use faultline_sim::machines::gpu::{Config, Gpu};
use faultline_sim::machines::sm::Work;
use faultline_sim::machines::translation::{self, Access, Design, Parameters, SmWork};
use faultline_sim::simt::{Launch, Memory, Width, assemble};

/// The first page, and how far apart they are: eight share a table of the last level.
const FIRST: u64 = 0x1_0000;
const STRIDE: u64 = 64;
const PAGES: u64 = 400;
/// Accesses of the warp, each to a word of its own.
const ACCESSES: usize = 1_024;
/// Entries of the TLBs, walks, and bytes of the page-walk cache of both.
const L1: usize = 16;
const L2: usize = 64;
const WALKS: usize = 8;
const CACHE: usize = 8 << 10;

/// Pages in an order in which some come again soon, some late.
fn pages(seed: u64) -> Vec<u64> {
    let random = &mut Rng::with_seed(seed);
    let mut recent = Vec::new();
    for _ in 0..ACCESSES {
        let again = recent.len() > 20 && random.u8(0..3) > 0;
        let page = match again {
            true => recent[random.usize(recent.len() - 20..recent.len())],
            false => FIRST + STRIDE * random.u64(0..PAGES),
        };
        recent.push(page);
    }
    recent
}

/// A warp that follows pointers through these pages: it makes the next access when it has the word of the one before.
fn chain(pages: &[u64]) -> Work {
    let of_page = |(number, page): (usize, &u64)| page * 4096 + 4 * number as u64;
    let addresses: Vec<_> = pages.iter().enumerate().map(of_page).collect();
    let different: BTreeSet<_> = addresses.iter().collect();
    assert_eq!(
        different.len(),
        addresses.len(),
        "each word leads to one other"
    );
    let mut memory = Memory::new();
    for (&here, &next) in addresses.iter().zip(addresses[1..].iter().chain(&[0])) {
        memory.write(here, Width::Four, next);
    }
    let program = format!(
        "R1 <- mov {}\nnext: R1 <- ld [R1]\nbrnz R1, next\nexit",
        addresses[0]
    );
    let launch = Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        shared_memory: 0,
    };
    Work::of_program(assemble(&program).unwrap(), launch, memory).unwrap()
}

/// What both have in common: far faults, entries that walks have read, translations from the L2 TLB, far faults that were not held.
fn of_gpu(pages: &[u64], absent: bool) -> [u64; 4] {
    let text = format!(
        "sms = 1\n[l1_tlb]\nentries = {L1}\nmisses = 8\n[gmmu]\nl2_entries = {L2}\nwalks = {WALKS}\ncache_bytes = {CACHE}\n\
         [paging]\nabsent = {absent}\ngranularity = \"4k\"\nhandler = 100\nmigration = 600\nallocation = 600\n"
    );
    let config = Config::read(&text, "gpu.toml", "tanasic").unwrap();
    let work = chain(pages);
    let gpu = Gpu::new(&config.parameters(), &work).unwrap();
    let outcome = gpu.run(|_| {}).unwrap();
    assert_eq!(outcome.differences(), []);
    let translations = outcome.translations;
    [
        outcome.brought.records,
        translations.reads,
        translations.from_tlb,
        translations.nacks,
    ]
}

fn alone(pages: &[u64], absent: bool) -> [u64; 4] {
    let parameters = Parameters {
        threads: WALKS,
        l1_entries: L1,
        misses: 8,
        l2_entries: L2,
        cache_bytes: CACHE,
        service: 600,
        transfer: 100,
        far_percent: if absent { 100 } else { 0 },
        ..Design::Three.parameters()
    };
    let access = |&page| Access { page, after: 100 };
    let warps = vec![pages.iter().map(access).collect()];
    let endless = false;
    let work = translation::Work {
        name: "chain".to_owned(),
        phases: vec![vec![SmWork { warps, endless }]],
    };
    let outcome = translation::run(&work, &parameters).unwrap();
    [
        outcome.far_faults,
        outcome.memory_reads.iter().sum(),
        outcome.l2_hits,
        outcome.nacks,
    ]
}

/// Where nothing happens side by side, walker, page-walk cache, L2 TLB and driver do the same in both.
///
/// In the GPU a table is there from its first page on. The walk of that page's fault ends a level earlier, and a walk that has
/// used the page-walk cache and ends with a fault is made twice, while the walk after the resolution reads that level in
/// addition. So each table but those of the first page saves a read.
#[test]
fn the_gpus_gmmu_does_what_the_gmmu_does_by_itself() {
    for seed in 1..=4 {
        let pages = pages(seed);
        let different = |bits: u32| {
            let prefixes: BTreeSet<_> = pages.iter().map(|page| page >> bits).collect();
            prefixes.len() as u64
        };
        let saved = [9, 18, 27].into_iter().map(|bits| different(bits) - 1);
        let saved: u64 = saved.sum();
        assert!(saved > 40);
        for (absent, faults, saved) in [(false, 0, 0), (true, different(0), saved)] {
            let (mut gpu, alone) = (of_gpu(&pages, absent), alone(&pages, absent));
            assert_eq!(gpu[0], faults, "seed {seed}");
            // Walks read more than the leaf of a page, and the L2 TLB has some of the pages.
            assert!(gpu[1] > different(0) && gpu[2] > 20, "{gpu:?}");
            gpu[1] += saved;
            assert_eq!(gpu, alone, "seed {seed}, absent: {absent}");
        }
    }
}

/// An access of 32 pages that come one after the other, in 3 million cycles in which nothing commits, is not stuck.
#[test]
fn an_access_waits_for_its_pages_as_long_as_they_come() {
    let program = "R1 <- mul thread.x, 4096\nR1 <- add R1, 1048576\nR2 <- ld [R1]\nexit";
    let launch = Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        shared_memory: 0,
    };
    let work = Work::of_program(assemble(program).unwrap(), launch, Memory::new()).unwrap();
    let text = "sms = 1\n[sm]\nscheme = \"stall-on-fault\"\n[l1_tlb]\nblocking = true\n[gmmu]\nfar_faults = 1\n[paging]\nabsent = true\n\
                granularity = \"4k\"\nallocation = 100000\n";
    let config = Config::read(text, "gpu.toml", "tanasic").unwrap();
    let gpu = Gpu::new(&config.parameters(), &work).unwrap();
    let outcome = gpu.run(|_| {}).unwrap();
    assert_eq!(
        (outcome.brought.records, outcome.differences()),
        (32, &[][..])
    );
    assert!(outcome.cycles > 3_200_000, "{}", outcome.cycles);
}

//! What the tests of all blocks share.

// Each test binary uses a part of it.
#![allow(dead_code, missing_docs)]

pub mod board;
pub mod buffer;
pub mod dirty;
pub mod gmmu;
pub mod l2;
pub mod log;
pub mod mshr;
pub mod policy;
pub mod port;
pub mod queue;
pub mod scheduler;
pub mod tables;
pub mod tlb;
pub mod walk_cache;
pub mod walker;

use std::collections::HashMap;

use faultline_testbench::backend::Kind;
use faultline_testbench::blocks;
use faultline_testbench::session::Session;

/// Cycles of a block in continuous integration.
const CYCLES: u64 = 4_000_000;
/// Cycles that are run and compared at a time.
const STEP: u64 = 1000;

/// Cycles of each size in which the kernel, which is slow, takes part: some 50 s for all sizes of a block.
fn kernel_cycles(block: &str) -> u64 {
    match block {
        "replay_queue" => 30_000,
        "operand_log" => 100_000,
        "scoreboard" => 500_000,
        "sm_pipeline" => 6_000,
        "l2_tlb" => 20_000,
        "page_walker" => 2_000,
        "page_walk_cache" => 100_000,
        "gmmu" => 4_000,
        _ => 60_000,
    }
}

/// Runs a block in lockstep under random traffic: all its sizes together for four million cycles at least, the kernel
/// among them for the first ones. Every scenario of the traffic must have occurred.
pub fn matches_model(block: &'static str) {
    let configurations: Vec<_> = blocks::quick_configurations(block).collect();
    let cycles = CYCLES
        .div_ceil(configurations.len() as u64)
        .next_multiple_of(STEP);
    for config in &configurations {
        let kinds: Vec<_> = Kind::built().collect();
        let mut session = blocks::session(block, config, &kinds, 1).unwrap();
        let folder = env!("CARGO_TARGET_TMPDIR");
        session.wave_on_mismatch(format!("{folder}/{block}_{config}.fst").as_ref());
        let mut has_kernel = true;
        while session.cycles() < cycles {
            session.run(STEP).unwrap_or_else(|error| panic!("{error}"));
            if has_kernel && session.cycles() >= kernel_cycles(block) {
                has_kernel = false;
                report(block, config, &session, Some(Kind::RustHdl));
                session.drop_backend(Kind::RustHdl);
            }
        }
        report(block, config, &session, None);
        all_occurred(block, config, &session);
    }
}

fn report(block: &str, config: &str, session: &Session, only: Option<Kind>) {
    for speed in session
        .speeds()
        .filter(|speed| only.is_none_or(|only| only == speed.kind))
    {
        let (kind, cycles) = (speed.kind, speed.cycles);
        println!(
            "{block} {config}: {kind} agreed for {cycles} cycles, at {:.0} cycles/s",
            speed.cycles_per_second()
        );
    }
}

/// The traffic has led to every scenario; the proofs' sizes are too small for some.
fn all_occurred(block: &str, config: &str, session: &Session) {
    let coverage = session.coverage();
    let never: Vec<_> = coverage
        .iter()
        .filter(|(_, times)| *times == 0)
        .map(|(scenario, _)| *scenario)
        .collect();
    assert!(
        never.is_empty() || config.starts_with("proof"),
        "{block} {config} never saw {never:?}"
    );
}

/// The bits that a port was seen to have set, and clear.
#[derive(Debug, Default)]
pub struct Seen(HashMap<&'static str, [u64; 2]>);

impl Seen {
    pub fn add(&mut self, port: &'static str, value: u64) {
        let [set, clear] = self.0.entry(port).or_default();
        *set |= value;
        *clear |= !value;
    }

    /// Each of the lowest bits of a port was both.
    pub fn both(&self, port: &str, bits: u32) {
        let all = u64::MAX >> (64 - bits);
        let [set, clear] = self.0.get(port).copied().unwrap_or_default();
        let never = all & !(set & clear);
        assert_eq!(
            never, 0,
            "{port}: bits {never:#x} were never both, of {bits}"
        );
    }
}

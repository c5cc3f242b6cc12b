//! What the tests of all blocks share: the random lockstep of a block, and a bench for each block that a test drives by
//! hand.
//!
//! These are helpers of tests: whatever a test cannot go on without panics. To run a cycle of a bench panics if two
//! back ends differ in it, with what was different.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

pub mod board;
pub mod buffer;
pub mod dirty;
pub mod gmmu;
pub mod l2;
pub mod log;
pub mod memory;
pub mod mshr;
pub mod policy;
pub mod port;
pub mod queue;
pub mod scheduler;
pub mod sm;
pub mod tables;
pub mod tlb;
pub mod walk_cache;
pub mod walker;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::thread;

use faultline_ledger::Obligation;
use faultline_sim::page::Page;

use crate::backend::Kind;
use crate::blocks;
use crate::session::Session;

/// Every size of a block is always run for this number of cycles.
const SHORT: u64 = 10_000;
/// All sizes of a block together are run for this number of cycles, in an obligation for each size.
const LONG: u64 = 4_000_000;
/// This number of cycles is run and compared at a time.
const STEP: u64 = 1000;

/// Gives the cycles of each size in which the kernel, which is slow, takes part; they take some 50 s for all sizes of a
/// block.
fn kernel_cycles(block: &str) -> u64 {
    match block {
        "replay_queue" => 30_000,
        "operand_log" => 100_000,
        "scoreboard" => 500_000,
        "sm_pipeline" => 6_000,
        "sm_unit" => 4_000,
        "l2_tlb" => 20_000,
        "page_walker" => 2_000,
        "page_walk_cache" => 100_000,
        "gmmu" => 4_000,
        _ => 60_000,
    }
}

/// Runs a block in lockstep under random traffic, its sizes side by side. In a short run the kernel takes part in the first
/// thousand cycles. A long one is an obligation: all sizes together for four million cycles at least, with the kernel in
/// more of them, until every scenario of the traffic has occurred. A mismatch leaves its waveform in the folder of this
/// crate's build.
///
/// # Panics
/// If two back ends differ, a scenario has not occurred, or there is no such block.
pub fn matches_model(block: &'static str) {
    let configurations: Vec<_> = blocks::quick_configurations(block).collect();
    let long = LONG
        .div_ceil(configurations.len() as u64)
        .next_multiple_of(STEP);
    let kernel = kernel_cycles(block);
    let what = format!("{long} cycles, {kernel} with the kernel");
    let run = &|config: &'static str| {
        lockstep(block, config, SHORT, STEP);
        obligation(block, config, &what).meet(|| {
            let session = lockstep(block, config, long, kernel);
            all_occurred(block, config, &session);
        });
    };
    thread::scope(|sizes| {
        for config in configurations {
            sizes.spawn(move || run(config));
        }
    });
}

/// Gives the obligation to show something of a design in all back ends.
///
/// # Panics
/// If there is no such design.
pub fn obligation(block: &str, config: &str, what: &str) -> Obligation {
    let design = format!("{block}_{config}");
    let obligation = Obligation::new(&format!("lockstep of {design}"), what);
    depends_on(obligation, block, &[design])
}

/// Each lockstep runs through these and what they name.
const SHARED: [&str; 11] = [
    "testbench/build.rs",
    "testbench/src/backend.rs",
    "testbench/src/bench.rs",
    "testbench/src/blocks.rs",
    "testbench/src/layout.rs",
    "testbench/src/lockstep.rs",
    "testbench/src/rust_hdl.rs",
    "testbench/src/session.rs",
    "testbench/src/support.rs",
    "testbench/src/traffic.rs",
    "testbench/src/verilog.rs",
];

/// Gives the sources of a block's lockstep, by their paths in the workspace: its model, its traffic, what these name, and
/// what all locksteps share.
///
/// # Panics
/// If there is no such block, or a source cannot be read.
#[must_use]
pub fn sources(block: &str) -> BTreeSet<PathBuf> {
    let own = format!("testbench/src/blocks/{block}.rs");
    faultline_ledger::sources(&root(), &[&SHARED[..], &[&own]].concat())
}

/// Gives the obligation that the test of a block which calls this passes, with these sizes of the block in all back ends.
///
/// # Panics
/// If there is no such design, or a source cannot be read.
pub fn test<'a>(
    file: &str,
    block: &str,
    configurations: impl IntoIterator<Item = &'a str>,
) -> Obligation {
    let test = Obligation::test(env!("CARGO_MANIFEST_DIR"), file);
    let designs = configurations.into_iter();
    let designs = designs.map(|config| format!("{block}_{config}"));
    depends_on(test, block, &designs.collect::<Vec<_>>())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Adds to an obligation what a test of designs of a block in all back ends depends on: their Verilog, the models and the
/// test bench. It depends on the kernels, too; but a kernel of which the Verilog stays the same does the same.
///
/// # Panics
/// If there is no such design, or a source cannot be read.
pub fn depends_on(obligation: Obligation, block: &str, designs: &[String]) -> Obligation {
    let root = root();
    let verilog = root.join("rtl-out");
    let kinds: Vec<_> = Kind::built().collect();
    let mut obligation = obligation
        .of(format!("{kinds:?}"))
        .crates(&root)
        .tool(Path::new("verilator"), &["--version"])
        .sources(&root, &sources(block));
    for design in designs {
        let list = std::fs::read_to_string(verilog.join(format!("{design}.f"))).unwrap();
        for name in list.lines() {
            obligation = obligation.file(&verilog.join(name));
        }
    }
    obligation
}

/// Runs all back ends of a size of a block, and drops the kernel after this number of cycles.
fn lockstep(block: &'static str, config: &str, cycles: u64, kernel: u64) -> Session {
    let kinds: Vec<_> = Kind::built().collect();
    let mut session = blocks::session(block, config, &kinds, 1).unwrap();
    let folder = env!("OUT_DIR");
    session.wave_on_mismatch(format!("{folder}/{block}_{config}.fst").as_ref());
    let mut has_kernel = true;
    while session.cycles() < cycles {
        session.run(STEP).unwrap_or_else(|error| panic!("{error}"));
        if has_kernel && session.cycles() >= kernel {
            has_kernel = false;
            report(block, config, &session, Some(Kind::RustHdl));
            session.drop_backend(Kind::RustHdl);
        }
    }
    report(block, config, &session, None);
    session
}

/// Prints how fast the back ends were, or one of them.
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

/// Panics unless the traffic has led to every scenario; the proofs' sizes are too small for some.
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

/// Gives a page of space 0.
#[must_use]
pub fn page(vpn: u64) -> Page {
    Page { vpn, asid: 0 }
}

/// These are the bits that each port was seen to have set, and those that it was seen to have clear.
#[derive(Debug, Default)]
pub struct Seen(HashMap<&'static str, [u64; 2]>);

impl Seen {
    /// Adds a value that a port was seen to have.
    pub fn add(&mut self, port: &'static str, value: u64) {
        let [set, clear] = self.0.entry(port).or_default();
        *set |= value;
        *clear |= !value;
    }

    /// Checks that each of the lowest bits of a port was set, and was clear.
    ///
    /// # Panics
    /// If one was not.
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

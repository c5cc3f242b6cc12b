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
use std::path::Path;

use faultline_ledger::Obligation;
use faultline_testbench::backend::Kind;
use faultline_testbench::blocks;
use faultline_testbench::session::Session;

/// Cycles that every size of a block is run for, always.
const SHORT: u64 = 10_000;
/// Cycles of all sizes of a block together, an obligation for each size.
const LONG: u64 = 4_000_000;
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

/// Runs a block in lockstep under random traffic, each size by itself. In a short run the kernel takes part in the first
/// thousand cycles. A long one is an obligation: all sizes together for four million cycles at least, with the kernel in
/// more of them, until every scenario of the traffic has occurred.
pub fn matches_model(block: &'static str) {
    let configurations: Vec<_> = blocks::quick_configurations(block).collect();
    let long = LONG
        .div_ceil(configurations.len() as u64)
        .next_multiple_of(STEP);
    for config in &configurations {
        lockstep(block, config, SHORT, STEP);
        let kernel = kernel_cycles(block);
        let what = format!("{long} cycles, {kernel} with the kernel");
        obligation(block, config, &what).meet(|| {
            let session = lockstep(block, config, long, kernel);
            all_occurred(block, config, &session);
        });
    }
}

/// What is to be shown of a design in all back ends.
pub fn obligation(block: &str, config: &str, what: &str) -> Obligation {
    let design = format!("{block}_{config}");
    let obligation = Obligation::new(&format!("lockstep of {design}"), what);
    depends_on(obligation.of(include_str!("mod.rs")), &[design])
}

/// Sources of models and test bench that a lockstep runs through.
const SOURCES: [&str; 20] = [
    "Cargo.lock",
    "sim/src/mmu",
    "sim/src/page.rs",
    "sim/src/place.rs",
    "sim/src/ports.rs",
    "sim/src/preempt",
    "sim/src/sm",
    "sim/src/walk",
    "sim/src/walk.rs",
    "testbench/build",
    "testbench/src/backend.rs",
    "testbench/src/bench.rs",
    "testbench/src/blocks",
    "testbench/src/layout.rs",
    "testbench/src/lockstep.rs",
    "testbench/src/rust_hdl.rs",
    "testbench/src/session.rs",
    "testbench/src/traffic",
    "testbench/src/traffic.rs",
    "testbench/src/verilog.rs",
];

/// A test of designs in all back ends depends on their Verilog, the models and the test bench. It depends on the kernels,
/// too; but a kernel of which the Verilog stays the same does the same.
pub fn depends_on(obligation: Obligation, designs: &[String]) -> Obligation {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let verilog = root.join("rtl-out");
    let kinds: Vec<_> = Kind::built().collect();
    let mut obligation = obligation
        .of(format!("{kinds:?}"))
        .tool(Path::new("verilator"), &["--version"]);
    for source in SOURCES {
        obligation = obligation.file(&root.join(source));
    }
    for design in designs {
        let list = std::fs::read_to_string(verilog.join(format!("{design}.f"))).unwrap();
        for name in list.lines() {
            obligation = obligation.file(&verilog.join(name));
        }
    }
    obligation
}

fn lockstep(block: &'static str, config: &str, cycles: u64, kernel: u64) -> Session {
    let kinds: Vec<_> = Kind::built().collect();
    let mut session = blocks::session(block, config, &kinds, 1).unwrap();
    let folder = env!("CARGO_TARGET_TMPDIR");
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

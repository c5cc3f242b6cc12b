//! The guarantees of each block, proved without a bound on its Verilog at small parameters: Yosys makes the circuit of
//! `proofs/<block>.sv`, and ABC's property-directed reachability shows that no `bad` output ever rises, and its bounded
//! model checker that every `seen` output can. Without Yosys the tests say so and pass; `cargo xtask test` installs it.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Longest time for one property, in seconds; on an idle machine the slowest takes 30.
const LIMIT: u32 = 300;
/// Cycles within which every occasion must arise.
const FRAMES: u32 = 40;

struct Proof {
    folder: TempDir,
    guarantees: usize,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn run(program: &str, folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}:\n{text}");
    text
}

fn missing() -> bool {
    let missing = Command::new("yosys-abc").arg("-h").output().is_err();
    if missing {
        eprintln!("skipped: there is no Yosys; install the Debian package `yosys`");
    }
    missing
}

/// Yosys commands that read the committed files of a design.
fn read(design: &str) -> String {
    let list = std::fs::read_to_string(root().join(format!("rtl-out/{design}.f"))).unwrap();
    let folder = root().join("rtl-out");
    let files: Vec<String> = list
        .lines()
        .map(|name| folder.join(name).display().to_string())
        .collect();
    format!("read_verilog -noautowire {}; ", files.join(" "))
}

impl Proof {
    /// Makes the circuit of a block's guarantees. All registers start at zero, as a reset leaves them.
    fn of(block: &str) -> Self {
        let wrapper = root().join(format!("testbench/proofs/{block}.sv"));
        let folder = TempDir::new().unwrap();
        let script = format!(
            "{} read_verilog -sv {}; hierarchy -check -top {block}_proof_top; proc; flatten; opt -full; memory_map; \
             opt -full; techmap; opt; setundef -undriven -zero; setundef -init -zero; dffunmap; zinit -all; \
             abc -g AND -fast; opt_clean; write_aiger -map map.txt proof.aig",
            read(&format!("{block}_proof")),
            wrapper.display()
        );
        run("yosys", folder.path(), &["-q", "-p", &script]);
        let map = std::fs::read_to_string(folder.path().join("map.txt")).unwrap();
        let guarantees = map
            .lines()
            .filter(|line| line.starts_with("output") && line.ends_with(" bad"))
            .count();
        assert!(guarantees >= 8, "{guarantees} guarantees");
        Self { folder, guarantees }
    }

    fn abc(&self, output: usize, engine: &str) -> String {
        let script = format!("read_aiger proof.aig; cone -s -O {output}; strash; {engine}");
        run("yosys-abc", self.folder.path(), &["-c", &script])
    }

    fn check(&self, bounded: &[usize]) {
        for guarantee in 1..=self.guarantees {
            let occasion = self.abc(
                self.guarantees + guarantee - 1,
                &format!("bmc3 -F {FRAMES}"),
            );
            assert!(
                occasion.contains("was asserted"),
                "G{guarantee} has no occasion:\n{occasion}"
            );
            if bounded.contains(&guarantee) {
                let holds = self.abc(guarantee - 1, &format!("bmc3 -F {FRAMES}"));
                assert!(
                    holds.contains("No output asserted"),
                    "G{guarantee} fails:\n{holds}"
                );
                eprintln!("G{guarantee}: holds for {FRAMES} cycles");
            } else {
                let holds = self.abc(guarantee - 1, &format!("pdr -T {LIMIT}"));
                assert!(
                    holds.contains("Property proved"),
                    "G{guarantee} is not proved:\n{holds}"
                );
                eprintln!("G{guarantee}: proved");
            }
        }
    }
}

/// G12 bounds a scan's length by a counter, for which no inductive invariant is found: it is checked for 40 cycles,
/// more than twice the longest scan.
#[test]
fn replay_queue_guarantees_are_proved() {
    if !missing() {
        Proof::of("replay_queue").check(&[12]);
    }
}

#[test]
fn operand_log_guarantees_are_proved() {
    if !missing() {
        Proof::of("operand_log").check(&[]);
    }
}

#[test]
fn coalescer_guarantees_are_proved() {
    if !missing() {
        Proof::of("coalescer").check(&[]);
    }
}

#[test]
fn l1_tlb_guarantees_are_proved() {
    if !missing() {
        Proof::of("l1_tlb").check(&[]);
    }
}

/// The circuit holds no register without a reset: memories apart, every flip-flop has become one with a synchronous
/// reset, and so its value after a reset depends on nothing before it.
#[test]
fn every_register_is_reset() {
    if missing() {
        return;
    }
    for design in faultline_hw::registry::designs() {
        let folder = TempDir::new().unwrap();
        let script = format!(
            "{} hierarchy -check -top {1}; blackbox sram_*; proc; flatten; opt_dff; \
             select -assert-min 1 {1}/t:$sdff* ; select -assert-none {1}/t:$dff {1}/t:$dffe {1}/t:$dlatch {1}/t:$adff",
            read(design.name),
            design.name
        );
        run("yosys", folder.path(), &["-q", "-p", &script]);
    }
}

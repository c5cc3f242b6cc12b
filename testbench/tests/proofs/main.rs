//! The guarantees of each block, proved without a bound on its Verilog at small parameters: Yosys makes the circuit of
//! `proofs/<block>.sv`, and ABC's property-directed reachability shows that no `bad` output ever rises, and its bounded
//! model checker that every `seen` output can. Each circuit and each run of ABC is an obligation of the ledger. A change of
//! the Verilog that leaves the circuit the same leaves its proofs valid.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::process::Command;

use faultline_ledger::Obligation;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// Longest time for the guarantees of one block, in seconds; on an idle machine the slowest take 80.
const LIMIT: u32 = 900;
/// Merges registers that are the same in every state: the memories and the ghosts' copies of them.
const MERGE: &str = "scorr;";
/// Makes a circuit smaller by induction on all of its registers: with what else the file says of them most are constants.
const INDUCTION: &str = "scorr -C 100000; dc2; scorr;";
/// Cycles within which every occasion must arise.
const FRAMES: u32 = 40;

/// Yosys says this of a wire that has fewer bits than its register, and then there is no circuit.
const NARROW: &str = "Widening signal";

/// The circuit of a design's guarantees.
struct Proof {
    /// The design, as the ledger calls it.
    group: String,
    /// The script of Yosys that makes the circuit in a folder with the design's files.
    script: String,
    files: Vec<(String, String)>,
    /// The SHA-256 of the circuit, as AIGER.
    circuit: String,
    guarantees: usize,
    /// The folder with the circuit, once it was made.
    folder: OnceCell<TempDir>,
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

/// The files of a design by name, without their folders, from its list in a folder.
fn listed(design: &str, folder: &Path) -> Vec<(String, String)> {
    let list = std::fs::read_to_string(folder.join(format!("{design}.f"))).unwrap();
    let file = |path: &str| {
        let text = std::fs::read_to_string(folder.join(path)).unwrap();
        (path.rsplit('/').next().unwrap().to_owned(), text)
    };
    list.lines().map(file).collect()
}

/// The files of a design that `rtl-out` leaves out.
fn exported(design: &str) -> Vec<(String, String)> {
    let mut designs = faultline_hw::registry::designs().into_iter();
    let found = designs.find(|known| known.name == design).unwrap();
    let files = found.export().unwrap().files.into_iter();
    files.map(|file| (file.name, file.text)).collect()
}

/// Yosys commands that read these files.
fn read(files: &[(String, String)]) -> String {
    let names: Vec<&str> = files.iter().map(|(name, _)| &**name).collect();
    format!("read_verilog -noautowire {}; ", names.join(" "))
}

fn written(files: &[(String, String)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// An obligation that depends on these files and on Yosys, of which ABC is a part.
fn obligation(group: &str, what: &str, files: &[(String, String)]) -> Obligation {
    let yosys = Obligation::new(group, what).tool(Path::new("yosys"), &["-V"]);
    let add =
        |obligation: Obligation, (name, text): &(String, String)| obligation.of(name).of(text);
    files.iter().fold(yosys, add)
}

impl Proof {
    /// The circuit of a block's guarantees; none without Yosys.
    fn of(block: &str) -> Option<Self> {
        let design = format!("{block}_proof");
        Self::made(block, &design, "", listed(&design, &root().join("rtl-out")))
    }

    /// The circuit of another configuration, for which the guarantees' file has a macro.
    fn exported(block: &str, config: &str, defined: &str) -> Option<Self> {
        let design = format!("{block}_{config}");
        Self::made(block, &design, &format!("-D {defined}"), exported(&design))
    }

    /// All registers start at zero, as a reset leaves them. A wire of the guarantees' file that is named after a register
    /// becomes that register when the design is flattened; one whose register is not there stays `hierconn`, and is refused.
    fn made(
        block: &str,
        design: &str,
        defined: &str,
        mut files: Vec<(String, String)>,
    ) -> Option<Self> {
        let (design_files, wrapper) = (read(&files), format!("{block}.sv"));
        let script = format!(
            "{design_files} read_verilog -noautowire -sv {defined} {wrapper}; hierarchy -check -top {block}_proof_top; proc; flatten; \
             select -assert-none a:hierconn; opt_clean; memory_map; \
             setundef -init -zero; opt -full; techmap; opt; setundef -undriven -zero; setundef -init -zero; dffunmap; zinit -all; \
             abc -g AND -fast; opt_clean; write_aiger -map map.txt proof.aig"
        );
        let text = std::fs::read_to_string(root().join("testbench/proofs").join(&wrapper)).unwrap();
        files.push((wrapper, text));
        let group = format!("proof of {design} {defined}").trim_end().to_owned();
        let circuit = obligation(&group, "circuit", &files).of(&script).of(NARROW);
        let mut proof = Self {
            group,
            script,
            files,
            circuit: String::new(),
            guarantees: 0,
            folder: OnceCell::new(),
        };
        let found = circuit.find(|| {
            let folder = proof.folder().path();
            let circuit = std::fs::read(folder.join("proof.aig")).unwrap();
            let digest = Sha256::digest(&circuit);
            let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            let map = std::fs::read_to_string(folder.join("map.txt")).unwrap();
            let guarantees = map
                .lines()
                .filter(|line| line.starts_with("output") && line.ends_with(" bad"))
                .count();
            assert!(guarantees >= 5, "{guarantees} guarantees");
            format!("{guarantees} {hash}")
        })?;
        let (guarantees, hash) = found.split_once(' ').unwrap();
        (proof.guarantees, proof.circuit) = (guarantees.parse().unwrap(), hash.to_owned());
        Some(proof)
    }

    /// The folder with the circuit.
    fn folder(&self) -> &TempDir {
        self.folder.get_or_init(|| {
            let folder = written(&self.files);
            let arguments = ["-q", "-e", NARROW, "-p", &self.script];
            run("yosys", folder.path(), &arguments);
            folder
        })
    }

    /// Runs ABC on so many outputs from a first one on, which is to say these words: they show what `name` says.
    fn abc(&self, name: &str, first: usize, count: usize, engine: &str, words: &str) {
        let cone = format!("read_aiger proof.aig; cone -s -O {} -R {count}", first - 1);
        let script = format!("{cone}; strash; {engine}");
        let proof = obligation(&self.group, name, &[])
            .of(&self.circuit)
            .of(&script)
            .of(words);
        proof.meet(|| {
            let found = run("yosys-abc", self.folder().path(), &["-c", &script]);
            assert!(found.contains(words), "{name} is not shown:\n{found}");
        });
    }

    /// Proves every guarantee, each of which has its occasion.
    fn check(&self, smaller: &str) {
        self.arise(&[]);
        self.hold(1, self.guarantees, smaller);
    }

    /// Shows that every guarantee has its occasion, but for those that `never` do.
    fn arise(&self, never: &[usize]) {
        for guarantee in (1..=self.guarantees).filter(|guarantee| !never.contains(guarantee)) {
            let (output, search) = (self.guarantees + guarantee, format!("bmc3 -F {FRAMES}"));
            let name = format!("G{guarantee} has an occasion");
            self.abc(&name, output, 1, &search, "was asserted");
        }
    }

    /// Proves so many guarantees from a first one on, in a circuit that `smaller` has made smaller. They are proved at
    /// once, for what reachability learns of the registers for one of them serves the others.
    fn hold(&self, first: usize, count: usize, smaller: &str) {
        let name = match count {
            1 => format!("G{first} holds"),
            _ => format!("G{first} to G{} hold", first + count - 1),
        };
        let (proof, words) = (
            format!("{smaller} pdr -a -T {LIMIT}"),
            format!(" Proved = {count}."),
        );
        self.abc(&name, first, count, &proof, &words);
    }

    /// Shows that a guarantee holds for so many cycles, where reachability finds no proof for any number.
    fn bounded(&self, guarantee: usize, frames: u32) {
        let (search, words) = (
            format!("bmc3 -F {frames}"),
            format!("No output asserted in {frames} frames"),
        );
        let name = format!("G{guarantee} holds for {frames} cycles");
        self.abc(&name, guarantee, 1, &search, &words);
    }

    /// Proves those of a pipeline. The last, of data, needs what reachability finds of the whole circuit.
    fn check_pipeline(&self, never: &[usize]) {
        self.arise(never);
        self.hold(1, self.guarantees - 1, INDUCTION);
        self.hold(self.guarantees, 1, "");
    }
}

/// Proves every guarantee of a block at its proof's size.
fn check(block: &str, smaller: &str) {
    if let Some(proof) = Proof::of(block) {
        proof.check(smaller);
    }
}

#[test]
fn replay_queue_guarantees_are_proved() {
    check("replay_queue", MERGE);
}

#[test]
fn operand_log_guarantees_are_proved() {
    check("operand_log", MERGE);
}

/// The same guarantees with all bits of an operand.
#[test]
#[ignore = "takes minutes: cargo test -p faultline-testbench --test proofs -- --ignored"]
fn operand_log_guarantees_are_proved_at_full_width() {
    if let Some(proof) = Proof::exported("operand_log", "proof", "FULL") {
        proof.check(MERGE);
    }
}

#[test]
fn coalescer_guarantees_are_proved() {
    check("coalescer", "");
}

#[test]
fn l1_tlb_guarantees_are_proved() {
    check("l1_tlb", "");
}

/// The same guarantees with entries for large pages.
#[test]
fn l1_tlb_guarantees_are_proved_with_large_entries() {
    if let Some(proof) = Proof::exported("l1_tlb", "proof_large", "LARGE") {
        proof.check("");
    }
}

#[test]
fn memory_unit_guarantees_are_proved_or_bounded() {
    if let Some(proof) = Proof::of("memory_unit") {
        proof.arise(&[]);
        for guarantee in [1, 3, 9, 11] {
            proof.hold(guarantee, 1, MERGE);
        }
        for (guarantee, cycles) in [
            (2, 12),
            (4, 14),
            (5, 11),
            (6, 36),
            (7, 14),
            (8, 14),
            (10, 16),
        ] {
            proof.bounded(guarantee, cycles);
        }
    }
}

#[test]
fn l2_tlb_guarantees_are_proved() {
    check("l2_tlb", "");
}

#[test]
fn far_fault_mshr_guarantees_are_proved() {
    check("far_fault_mshr", MERGE);
}

#[test]
fn fault_buffer_guarantees_are_proved() {
    check("fault_buffer", MERGE);
}

#[test]
fn scoreboard_guarantees_are_proved() {
    check("scoreboard", "");
}

#[test]
fn page_walk_cache_guarantees_are_proved() {
    if let Some(proof) = Proof::of("page_walk_cache") {
        proof.arise(&[]);
        proof.hold(1, 2, MERGE); // what is kept, G2, is slow beside what the others teach
        proof.hold(3, proof.guarantees - 2, MERGE);
    }
}

#[test]
fn dirty_bits_guarantees_are_proved() {
    let by_row = Proof::exported("dirty_bits", "proof_rows", "ROWS");
    for proof in [Proof::of("dirty_bits"), by_row].iter().flatten() {
        proof.check("");
    }
}

#[test]
fn preemption_policy_guarantees_are_proved() {
    if let Some(proof) = Proof::of("preemption_policy") {
        proof.arise(&[]);
        // What helps with the product and the quotient is of no use to the others.
        for guarantee in 1..=proof.guarantees {
            proof.hold(guarantee, 1, "");
        }
    }
}

#[test]
fn block_scheduler_guarantees_are_proved() {
    check("block_scheduler", MERGE);
}

#[test]
fn checkpoint_guarantees_are_proved() {
    if let Some(proof) = Proof::of("checkpoint") {
        proof.arise(&[]);
        // What the order of what is saved needs is of no use to the others.
        for guarantee in 1..=proof.guarantees {
            proof.hold(guarantee, 1, MERGE);
        }
    }
}

#[test]
fn context_port_guarantees_are_proved() {
    check("context_port", "");
}

#[test]
fn page_walker_guarantees_are_proved() {
    check("page_walker", INDUCTION);
}

#[test]
fn sm_pipeline_guarantees_are_proved() {
    if let Some(proof) = Proof::of("sm_pipeline") {
        proof.check_pipeline(&[]);
    }
}

#[test]
fn sm_pipeline_guarantees_are_proved_with_a_queue() {
    if let Some(proof) = Proof::exported("sm_pipeline", "proof_queue", "QUEUE") {
        proof.check_pipeline(&[]);
    }
}

/// Without a queue nothing is inserted into it.
#[test]
fn sm_pipeline_guarantees_are_proved_without_a_queue() {
    for (config, defined) in [
        ("proof_stall", "STALL"),
        ("proof_check", "CHECK"),
        ("proof_commit", "COMMIT"),
    ] {
        if let Some(proof) = Proof::exported("sm_pipeline", config, defined) {
            proof.check_pipeline(&[5]);
        }
    }
}

/// Schemes are constants: of the queue, the log, the sources that are held, and the fetching again after a fault, nothing is
/// left in the netlist of a scheme that does not have them.
#[test]
fn what_a_scheme_does_not_have_vanishes() {
    for (config, disables, holds, has_queue, has_log) in [
        ("stall_4", false, false, false, false),
        ("commit_4", true, false, false, false),
        ("check_4", true, false, false, false),
        ("queue_4", false, true, true, false),
        ("log_4", false, false, true, true),
    ] {
        let design = format!("sm_pipeline_{config}");
        let left = |part: &str, has: bool| match has {
            true => format!("select -assert-min 1 c:*{part}.*"),
            false => format!("select -assert-none c:*{part}.*"),
        };
        let registers = |named: &str, has: bool| match has {
            true => format!("select -assert-min 1 w:*{named}*.q %ci1 t:*ff* %i"),
            false => format!("select -assert-none w:*{named}*.q %ci1 t:*ff* %i"),
        };
        let files = listed(&design, &root().join("rtl-out"));
        let script = format!(
            "{} hierarchy -check -top {design}; proc; flatten; opt -full; opt_clean; {}; {}; {}; \
             opt_clean -purge; {}; {}; {}",
            read(&files),
            registers("refetch", disables),
            registers("board.held_a", holds),
            registers("board.holds", holds),
            left("stage.?queue_", has_queue),
            left("log_access.?operand_log", has_log),
            left("log_turns", has_log),
        );
        let what = "what the scheme does not have vanishes";
        obligation(&design, what, &files).of(&script).meet(|| {
            run("yosys", written(&files).path(), &["-q", "-p", &script]);
        });
    }
}

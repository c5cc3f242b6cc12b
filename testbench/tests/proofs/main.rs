//! The guarantees of each block, proved without a bound on its Verilog at small parameters: Yosys makes the circuit of
//! `proofs/<block>.sv`, and ABC's property-directed reachability shows that no `bad` output ever rises, and its bounded
//! model checker that every `seen` output can. What the committed table has is not shown again. Without Yosys the tests say
//! so and pass; `cargo xtask test` installs it.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

mod table;

use table::Row;

/// Longest time for the guarantees of one block, in seconds; on an idle machine the slowest take 80.
const LIMIT: u32 = 900;
/// Merges registers that are the same in every state: the memories and the ghosts' copies of them.
const MERGE: &str = "scorr;";
/// Makes a circuit smaller by induction on all of its registers: with what else the file says of them most are constants.
const INDUCTION: &str = "scorr -C 100000; dc2; scorr;";
/// Cycles within which every occasion must arise.
const FRAMES: u32 = 40;

struct Proof {
    folder: TempDir,
    /// The design, as the table calls it.
    design: String,
    circuit: Vec<u8>,
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

/// Yosys commands that read the files of a design in a folder.
fn read(design: &str, folder: &Path) -> String {
    let list = std::fs::read_to_string(folder.join(format!("{design}.f"))).unwrap();
    let files: Vec<String> = list
        .lines()
        .map(|name| folder.join(name).display().to_string())
        .collect();
    format!("read_verilog -noautowire {}; ", files.join(" "))
}

/// Exports a design that `rtl-out` leaves out.
fn export(design: &str, folder: &Path) {
    let mut designs = faultline_hw::registry::designs().into_iter();
    let found = designs.find(|known| known.name == design).unwrap();
    let files = found.export().unwrap().files;
    for file in &files {
        std::fs::write(folder.join(&file.name), &file.text).unwrap();
    }
    let list: Vec<&str> = files.iter().map(|file| &*file.name).collect();
    std::fs::write(folder.join(format!("{design}.f")), list.join("\n")).unwrap();
}

impl Proof {
    /// Makes the circuit of a block's guarantees.
    fn of(block: &str) -> Self {
        let design = format!("{block}_proof");
        Self::made(block, &design, "", &read(&design, &root().join("rtl-out")))
    }

    /// Makes that of another configuration, for which the guarantees' file has a macro.
    fn exported(block: &str, config: &str, defined: &str) -> Self {
        let (design, folder) = (format!("{block}_{config}"), TempDir::new().unwrap());
        export(&design, folder.path());
        let defined = format!("-D {defined}");
        Self::made(block, &design, &defined, &read(&design, folder.path()))
    }

    /// The same of the pipeline, for a scheme.
    fn of_pipeline(config: &str, defined: &str) -> Self {
        Self::exported("sm_pipeline", config, defined)
    }

    /// All registers start at zero, as a reset leaves them. A wire of the guarantees' file that is named after a register
    /// becomes that register when the design is flattened; one whose register is not there stays `hierconn`, and is refused.
    fn made(block: &str, design: &str, defined: &str, read: &str) -> Self {
        let wrapper = root().join(format!("testbench/proofs/{block}.sv"));
        let folder = TempDir::new().unwrap();
        let script = format!(
            "{read} read_verilog -sv {defined} {}; hierarchy -check -top {block}_proof_top; proc; flatten; \
             select -assert-none a:hierconn; opt_clean; memory_map; \
             setundef -init -zero; opt -full; techmap; opt; setundef -undriven -zero; setundef -init -zero; dffunmap; zinit -all; \
             abc -g AND -fast; opt_clean; write_aiger -map map.txt proof.aig",
            wrapper.display()
        );
        let narrow = "Widening signal"; // of a wire that has fewer bits than its register
        run("yosys", folder.path(), &["-q", "-e", narrow, "-p", &script]);
        let map = std::fs::read_to_string(folder.path().join("map.txt")).unwrap();
        let guarantees = map
            .lines()
            .filter(|line| line.starts_with("output") && line.ends_with(" bad"))
            .count();
        assert!(guarantees >= 5, "{guarantees} guarantees");
        let circuit = std::fs::read(folder.path().join("proof.aig")).unwrap();
        let design = format!("{design} {defined}").trim_end().to_owned();
        Self {
            folder,
            design,
            circuit,
            guarantees,
        }
    }

    /// Runs ABC on so many outputs from a first one on, which is to say these words: they show what `name` says.
    fn abc(&self, name: &str, first: usize, count: usize, engine: &str, words: &str) {
        let cone = format!("read_aiger proof.aig; cone -s -O {} -R {count}", first - 1);
        let script = format!("{cone}; strash; {engine}");
        let row = Row::new(format!("{}\t{name}", self.design), &self.circuit, &script);
        if !row.is_known() {
            let found = run("yosys-abc", self.folder.path(), &["-c", &script]);
            assert!(found.contains(words), "{name} is not shown:\n{found}");
            eprintln!("{name}: shown");
        }
        row.keep();
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

    /// Proves those of a pipeline. The last, of data, needs what reachability finds of the whole circuit.
    fn check_pipeline(&self, never: &[usize]) {
        self.arise(never);
        self.hold(1, self.guarantees - 1, INDUCTION);
        self.hold(self.guarantees, 1, "");
    }
}

#[test]
fn replay_queue_guarantees_are_proved() {
    if !missing() {
        Proof::of("replay_queue").check(MERGE);
    }
}

#[test]
fn operand_log_guarantees_are_proved() {
    if !missing() {
        Proof::of("operand_log").check(MERGE);
    }
}

/// With all bits of an operand.
#[test]
#[ignore = "takes minutes: cargo test -p faultline-testbench --test proofs -- --ignored"]
fn operand_log_guarantees_are_proved_at_full_width() {
    if !missing() {
        Proof::exported("operand_log", "proof", "FULL").check(MERGE);
    }
}

#[test]
fn coalescer_guarantees_are_proved() {
    if !missing() {
        Proof::of("coalescer").check("");
    }
}

#[test]
fn l1_tlb_guarantees_are_proved() {
    if !missing() {
        Proof::of("l1_tlb").check("");
    }
}

#[test]
fn l2_tlb_guarantees_are_proved() {
    if !missing() {
        Proof::of("l2_tlb").check("");
    }
}

#[test]
fn far_fault_mshr_guarantees_are_proved() {
    if !missing() {
        Proof::of("far_fault_mshr").check(MERGE);
    }
}

#[test]
fn fault_buffer_guarantees_are_proved() {
    if !missing() {
        Proof::of("fault_buffer").check(MERGE);
    }
}

#[test]
fn scoreboard_guarantees_are_proved() {
    if !missing() {
        Proof::of("scoreboard").check("");
    }
}

#[test]
fn page_walk_cache_guarantees_are_proved() {
    if !missing() {
        let proof = Proof::of("page_walk_cache");
        proof.arise(&[]);
        proof.hold(1, 2, MERGE); // what is kept, G2, is slow beside what the others teach
        proof.hold(3, proof.guarantees - 2, MERGE);
    }
}

#[test]
fn dirty_bits_guarantees_are_proved() {
    if !missing() {
        Proof::of("dirty_bits").check("");
        Proof::exported("dirty_bits", "proof_rows", "ROWS").check("");
    }
}

#[test]
fn preemption_policy_guarantees_are_proved() {
    if !missing() {
        let proof = Proof::of("preemption_policy");
        proof.arise(&[]);
        // What helps with the product and the quotient is of no use to the others.
        for guarantee in 1..=proof.guarantees {
            proof.hold(guarantee, 1, "");
        }
    }
}

#[test]
fn block_scheduler_guarantees_are_proved() {
    if !missing() {
        Proof::of("block_scheduler").check(MERGE);
    }
}

#[test]
fn checkpoint_guarantees_are_proved() {
    if !missing() {
        let proof = Proof::of("checkpoint");
        proof.arise(&[]);
        // What the order of what is saved needs is of no use to the others.
        for guarantee in 1..=proof.guarantees {
            proof.hold(guarantee, 1, MERGE);
        }
    }
}

#[test]
fn context_port_guarantees_are_proved() {
    if !missing() {
        Proof::of("context_port").check("");
    }
}

#[test]
fn page_walker_guarantees_are_proved() {
    if !missing() {
        Proof::of("page_walker").check(INDUCTION);
    }
}

#[test]
fn sm_pipeline_guarantees_are_proved() {
    if !missing() {
        Proof::of("sm_pipeline").check_pipeline(&[]);
    }
}

#[test]
fn sm_pipeline_guarantees_are_proved_with_a_queue() {
    if !missing() {
        Proof::of_pipeline("proof_queue", "QUEUE").check_pipeline(&[]);
    }
}

/// Without a queue nothing is inserted into it.
#[test]
fn sm_pipeline_guarantees_are_proved_without_a_queue() {
    if !missing() {
        Proof::of_pipeline("proof_stall", "STALL").check_pipeline(&[5]);
        Proof::of_pipeline("proof_check", "CHECK").check_pipeline(&[5]);
        Proof::of_pipeline("proof_commit", "COMMIT").check_pipeline(&[5]);
    }
}

/// Schemes are constants: of the queue, the log, the sources that are held, and the fetching again after a fault, nothing is
/// left in the netlist of a scheme that does not have them.
#[test]
fn what_a_scheme_does_not_have_vanishes() {
    if missing() {
        return;
    }
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
        let script = format!(
            "{} hierarchy -check -top {design}; proc; flatten; opt -full; opt_clean; {}; {}; {}; \
             opt_clean -purge; {}; {}; {}",
            read(&design, &root().join("rtl-out")),
            registers("refetch", disables),
            registers("board.held_a", holds),
            registers("board.holds", holds),
            left("stage.?queue_", has_queue),
            left("log_access.?operand_log", has_log),
            left("log_turns", has_log),
        );
        run("yosys", &root(), &["-q", "-p", &script]);
    }
}

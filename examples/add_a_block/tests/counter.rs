//! The fault counter: kernel and exported Verilog beside the model, its guarantees proved, and a mistake that is found.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use std::fmt::Write as _;
use std::process::Command;

use add_a_block::designs;
use add_a_block::model::FaultCounter;
use add_a_block::traffic::FaultCounterTraffic;
use faultline_hw::registry::Design;
use faultline_testbench::backend::{Backend as _, Reference};
use faultline_testbench::blocks::Block as _;
use faultline_testbench::layout::Layout;
use faultline_testbench::lockstep::Lockstep;
use faultline_testbench::rust_hdl::Kernel;
use faultline_testbench::session::{Session, Stimulus};
use faultline_testbench::traffic::Driven;

const CYCLES: u64 = 100_000;

/// Model and kernel in step.
fn lockstep(design: &Design) -> Lockstep {
    let parameters = FaultCounter::parameters(design.config).unwrap();
    let layout = Layout::of::<FaultCounter>(&parameters);
    let model = Reference::<FaultCounter>::new(parameters);
    let kernel = Kernel::new(design, layout.clone()).unwrap();
    let backends = vec![Box::new(model) as _, Box::new(kernel) as _];
    Lockstep::new(design.name, layout, backends)
}

/// Random traffic, with the model that it looks at.
fn traffic(design: &Design) -> Box<dyn Stimulus> {
    let parameters = FaultCounter::parameters(design.config).unwrap();
    Box::new(Driven::<FaultCounterTraffic>::new(parameters, 1))
}

#[test]
fn matches_model() {
    for design in designs() {
        let mut session = Session::new(lockstep(&design), traffic(&design));
        let end = session.run(CYCLES);
        end.unwrap_or_else(|error| panic!("{error}"));
        let coverage = session.coverage();
        println!("{}: {} cycles, {coverage:?}", design.name, session.cycles());
        assert!(coverage.iter().all(|(_, times)| *times > 0));
    }
}

/// G1 to G3: the timing trace of the page, in which a dot is 0.
#[test]
fn timing_of_the_page_is_that_of_the_block() {
    let trace = include_str!("../counter.md").split("```").nth(1).unwrap();
    let cell = |cell: &str| cell.parse().unwrap_or(0);
    let row = |line: &str| line.split_whitespace().skip(1).map(cell).collect();
    let rows: Vec<Vec<u64>> = trace.lines().skip(2).map(row).collect();
    let [_, small] = designs();
    let mut lockstep = lockstep(&small);
    for cycle in 0..rows[0].len() {
        let column: Vec<u64> = rows.iter().map(|row| row[cycle]).collect();
        lockstep.run(&[0, column[0], column[1]]).unwrap();
        assert_eq!(lockstep.last_outputs(), &column[2..], "cycle {cycle}");
        assert!(lockstep.difference(1).is_none());
    }
}

/// What a script prints in a folder with these files and the Verilog, and then with a mistake in the Verilog: a fault in
/// the cycle of a clear is lost. If a tool is not installed, nothing, and the test is missing.
fn run(design: &Design, script: &str, files: &[(&str, &str)]) -> Option<[String; 2]> {
    let right = design.export().unwrap().verilog();
    let wrong = right.replacen("fault && ", "fault && !clear && ", 1);
    assert_ne!(right, wrong, "no place for the mistake");
    let folder = tempfile::tempdir().unwrap();
    let write = |(name, text): &(&str, &str)| {
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    files.iter().for_each(write);
    let [(code, right), (_, wrong)] = [right, wrong].map(|verilog| {
        write(&("counter.v", &verilog));
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", script]).current_dir(folder.path());
        let output = shell.output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(printed).unwrap())
    });
    if code == Some(127) {
        faultline_ledger::missing(&right);
        return None;
    }
    print!("{right}with a mistake: {wrong}");
    assert_eq!(code, Some(0));
    Some([right, wrong])
}

#[test]
fn verilog_does_the_same() {
    let [design, _] = designs();
    print!("{}", design.export().unwrap().verilog());
    let mut model = Reference::<FaultCounter>::new(FaultCounter::parameters("8").unwrap());
    let (mut traffic, mut words, mut vectors) = (traffic(&design), [0; 5], String::new());
    for _ in 0..CYCLES {
        let (inputs, outputs) = words.split_at_mut(3);
        traffic.next(inputs);
        model.run(inputs, outputs).unwrap();
        let [reset, fault, clear, count, saturated] = words;
        writeln!(vectors, "{reset} {fault} {clear} {count:x} {saturated}").unwrap();
    }
    let script = "iverilog -g2005 -o bench bench.v counter.v; vvp -n bench";
    let bench = ("bench.v", include_str!("bench.v"));
    if let Some([right, wrong]) = run(&design, script, &[bench, ("vectors", &vectors)]) {
        assert_eq!(right, format!("{CYCLES} cycles agree\n"));
        assert!(wrong.ends_with("the model has 1, 0\n"));
    }
}

/// Yosys makes a circuit of `proof.sv`, every register 0 at first. ABC proves the guarantees by property-directed
/// reachability, and looks for an occasion of each in 20 cycles.
const PROOF: &str = "yosys -q -p 'read_verilog -noautowire counter.v; read_verilog -sv proof.sv; \
    hierarchy -check -top fault_counter_proof_top; proc; flatten; opt -full; techmap; opt; \
    setundef -init -zero; dffunmap; zinit -all; abc -g AND -fast; opt_clean; write_aiger proof.aig'
yosys-abc -c 'read_aiger proof.aig; cone -s -O 0 -R 3; strash; pdr -a'
yosys-abc -c 'read_aiger proof.aig; cone -s -O 3 -R 3; strash; bmc3 -a -F 20'";

#[test]
fn every_guarantee_is_proved() {
    let [_, small] = designs();
    let proof = ("proof.sv", include_str!("../proof.sv"));
    if let Some([right, wrong]) = run(&small, PROOF, &[proof]) {
        assert!(right.contains("Proved = 3.") && right.contains("solved 3 out of 3 outputs"));
        assert!(wrong.contains("Disproved = 3."));
    }
}

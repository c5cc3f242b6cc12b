//! Whether older Verilog is the same circuit: the proofs of `--example same`.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

#[path = "../tools/same/proof.rs"]
mod proof;

use faultline_testbench::origin;

/// A module with an instance of `part`, and its function.
fn module(gate: &str) -> String {
    format!(
        "// A sentence.
module top (input wire a, input wire b, output wire y, output wire z);
    wire part_p;
    part one (.p(part_p), .q(y));
    assign part_p = {gate};
    assign z = a ^ y;
endmodule
"
    )
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let part = "module part (input wire p, output reg q);\n    always @* q = !p;\nendmodule\n";
    std::fs::write(folder.path().join("part.v"), part).unwrap();
    folder
}

#[test]
fn another_text_of_one_function_is_the_same_circuit() {
    let folder = folder();
    let (old, new) = (module("!(!a || !b)"), module("a && b"));
    proof::prove("top", &old, &new, &[], folder.path()).unwrap();
}

#[test]
fn another_input_of_an_instance_is_another_circuit() {
    let folder = folder();
    let (old, new) = (module("a || b"), module("a && b"));
    let sentence = proof::prove("top", &old, &new, &[], folder.path()).unwrap_err();
    assert!(sentence.contains("unproven"), "{sentence}");
}

/// Yosys pairs flip-flops by their names, whatever clocks them.
#[test]
fn another_register_is_another_circuit() {
    let folder = folder();
    let register = |process: &str| {
        format!(
            "module top (input wire c, input wire a, output reg s);\n    {process}\nendmodule\n"
        )
    };
    let old = register("always @(posedge c) s <= a;");
    for other in [
        "always @(negedge c) s <= a;",
        "always @(posedge a) s <= a;",
        "initial s = 1'd1;\n    always @(posedge c) s <= a;",
    ] {
        let new = register(other);
        let sentence = proof::prove("top", &old, &new, &[], folder.path()).unwrap_err();
        assert!(sentence.contains("other cells"), "{sentence}");
    }
    let labelled = register(
        "// A sentence.\n    always @(posedge c) begin : drive_s\n        s <= a;\n    end",
    );
    proof::prove("top", &old, &labelled, &[], folder.path()).unwrap();
}

#[test]
fn renamed_ports_are_found() {
    let folder = folder();
    let old = module("!(!a || !b)")
        .replace("wire a", "wire units")
        .replace("!a", "!units");
    let old = old.replace("= a ^", "= units ^");
    let new = module("a && b").replace("wire a", "wire free_units");
    let new = new
        .replace("= a &&", "= free_units &&")
        .replace("= a ^", "= free_units ^");
    let renames = [("units".to_owned(), "free_units".to_owned())];
    proof::prove("top", &old, &new, &renames, folder.path()).unwrap();
    proof::prove("top", &old, &new, &[], folder.path()).unwrap_err();
}

#[test]
fn rows_lead_from_an_older_hash_to_the_one_at_hand() {
    let designs = faultline_hw::registry::designs();
    let design = designs
        .into_iter()
        .find(|design| design.name == "coalescer_32");
    let report = origin::verilog(&[design.unwrap()]).unwrap();
    let at_hand = origin::named_hash(&report).unwrap().to_owned();
    let older = report.replace(&at_hand, "00");
    assert!(origin::is_same(&report, "").unwrap());
    assert!(!origin::is_same(&older, "").unwrap());
    let table = format!("coalescer_32\t00\t01\ncoalescer_32\t01\t{at_hand}\n");
    assert!(origin::is_same(&older, &table).unwrap());
    assert!(!origin::is_same(&older, "coalescer_32\t00\t01\ncoalescer_32\t01\t00\n").unwrap());
}

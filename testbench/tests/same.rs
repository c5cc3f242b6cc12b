//! Whether older Verilog is the same circuit: the proofs of `--example same`.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

#[path = "../tools/same/proof.rs"]
mod proof;

use faultline_testbench::origin;

const TOP: &str = "// A sentence.
module top (input wire clock, input wire a, input wire b, output wire y);
    wire held;
    flop one (.clock(clock), .d(a & b), .q(held));
    assign y = held | b;
endmodule
";
const FLOP: &str = "module flop (input wire clock, input wire d, output reg q);
    always @(posedge clock) q <= d;
endmodule
";
const MEMORY: &str = "module sram_4x1 (input wire clock, input wire enable, input wire write, input wire [1:0] address,
    input wire data, output reg q);
    reg contents [0:3];
    always @(posedge clock) if (enable) begin
        if (write) contents[address] <= data;
        else       q <= contents[address];
    end
endmodule
";

fn files(texts: [(&str, &str); 2]) -> proof::Files {
    texts
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .into()
}

/// What is proved of a top and one with a register, or another module, that are changed in this way.
fn changed(old: &str, new: &str) -> Result<proof::Same, String> {
    assert!(TOP.contains(old) || FLOP.contains(old), "no {old}");
    let before = files([("top.v", TOP), ("flop.v", FLOP)]);
    let (top, flop) = (TOP.replace(old, new), FLOP.replace(old, new));
    proof::prove(
        "top",
        &before,
        &files([("top.v", &top), ("flop.v", &flop)]),
        &[],
    )
}

#[test]
fn another_text_of_one_function_is_the_same_circuit() {
    let same = proof::Same {
        registers: 1,
        memories: 0,
        outputs: 5, // y, what the register takes, and the two wires that it drives
    };
    for (old, new) in [
        ("a & b", "~(~a | ~b)"),
        ("held | b", "b | held"),
        ("// A sentence.", "// Another one."),
        (
            "always @(posedge clock) q <= d;",
            "always @(posedge clock) begin : drive_q q <= d; end",
        ),
    ] {
        assert_eq!(changed(old, new), Ok(same.clone()), "{old} is now {new}");
    }
}

#[test]
fn another_function_or_register_is_another_circuit() {
    for (old, new) in [
        ("a & b", "a | b"),
        ("held | b", "held & b"),
        ("flop one", "flop two"),
        (".clock(clock)", ".clock(b)"),
        ("posedge", "negedge"),
        ("q <= d", "q <= !d"),
    ] {
        let sentence = changed(old, new).unwrap_err();
        assert!(
            sentence.starts_with("top: "),
            "{old} is now {new}: {sentence}"
        );
    }
}

#[test]
fn memories_are_compared_by_what_they_take() {
    let top = "module top (input wire clock, input wire a, output wire y);
    sram_4x1 kept (.clock(clock), .enable(a), .write(!a), .address(2'd1), .data(a), .q(y));
endmodule
";
    let with = |top: &str| files([("top.v", top), ("sram_4x1.v", MEMORY)]);
    let found = proof::prove("top", &with(top), &with(top), &[]).unwrap();
    assert_eq!((found.registers, found.memories), (0, 1));
    for (old, new) in [
        ("2'd1", "2'd2"),
        (".data(a)", ".data(!a)"),
        ("kept", "held"),
    ] {
        let other = with(&top.replace(old, new));
        proof::prove("top", &with(top), &other, &[]).expect_err(new);
    }
}

#[test]
fn renamed_registers_are_found() {
    let before = files([("top.v", TOP), ("flop.v", FLOP)]);
    let top = TOP.replace("flop one", "flop only");
    let after = files([("top.v", &top), ("flop.v", FLOP)]);
    let renames = [("one".to_owned(), "only".to_owned())];
    proof::prove("top", &before, &after, &renames).unwrap();
    proof::prove("top", &before, &after, &[]).unwrap_err();
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

//! Netlists are proved to be their designs, and others are found out. Without Yosys the tests say so and pass.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use faultline_synth::equivalence::{Proof, Verdict, prove};
use faultline_synth::library::Library;
use faultline_synth::tool::YOSYS;
use faultline_synth::yosys::{self, Design, Memory, Netlist, TARGET_PS};

/// A state machine that walks through a memory and sums up what it reads. Yosys gives its states other codes, which it does
/// only where they are compared with constants: `state != 2'd0`, an OR of its bits to Yosys, would keep it from it.
const VERILOG: &str = "
module tiny (input clock, input reset, input start, input [3:0] data, output [1:0] shown, output reg [7:0] sum);
    reg [1:0] state;
    reg [1:0] address;
    wire [3:0] q;
    assign shown = {state == 2'd2, state == 2'd1};
    sram_4x4 memory (.clock(clock), .enable(state == 2'd1 || state == 2'd2), .write(state == 2'd1), .address(address), .data(data), .q(q));
    always @(posedge clock)
        if (reset) begin state <= 2'd0; address <= 2'd0; sum <= 8'd0; end
        else case (state)
            2'd0: if (start) state <= 2'd1;
            2'd1: begin address <= address + 2'd1; if (address == 2'd3) state <= 2'd2; end
            2'd2: begin address <= address + 2'd1; sum <= sum + q; if (address == 2'd3) state <= 2'd3; end
            2'd3: state <= 2'd0;
        endcase
endmodule
module sram_4x4 (input clock, input enable, input write, input [1:0] address, input [3:0] data, output reg [3:0] q);
    reg [3:0] words [0:3];
    always @(posedge clock) if (enable) begin
        if (write) words[address] <= data; else q <= words[address];
    end
endmodule
";

/// Registers that a port shows, others that always hold the same, and two bits of `few` that are always 0.
const REGISTERS: &str = "
module registers (input clock, input reset, input [1:0] more, output [3:0] shown, output [3:0] parity);
    reg [3:0] one, other, few;
    assign shown = one;
    assign parity = {3'd0, ^other};
    always @(posedge clock)
        if (reset) begin one <= 4'd0; other <= 4'd0; few <= 4'd0; end
        else begin one <= one + few; other <= one + few; few <= {2'd0, more}; end
endmodule
";

/// A table of constants before a register; Yosys makes a memory of it.
fn table() -> String {
    let rows: String = (0..16)
        .map(|row| format!("4'd{row}: word = 8'd{};\n", (37 * row + 5) % 256))
        .collect();
    format!(
        "module registers (input clock, input [3:0] more, output reg [7:0] shown);\nreg [7:0] word;\n\
         always @* case (more)\n{rows}default: word = 8'd0;\nendcase\nalways @(posedge clock) shown <= word;\nendmodule\n"
    )
}

fn registers(verilog: &str) -> Design {
    Design {
        top: "registers".to_owned(),
        verilog: verilog.to_owned(),
        memories: Vec::new(),
    }
}

fn design(verilog: &str) -> Design {
    Design {
        top: "tiny".to_owned(),
        verilog: verilog.to_owned(),
        memories: vec![Memory {
            module: "sram_4x4".to_owned(),
            words: 4,
            bits: 4,
            masked: false,
            instances: 1,
        }],
    }
}

/// The library and the netlist, unless Yosys is missing.
fn mapped(design: &Design) -> Option<(Library, Netlist)> {
    if YOSYS.version().is_none() {
        faultline_ledger::missing("yosys is not installed");
        return None;
    }
    let library = Library::embedded().unwrap();
    let netlist = yosys::synthesize(design, &library, TARGET_PS).unwrap();
    Some((library, netlist))
}

fn proof(verilog: &str, netlist: &Netlist, library: &Library) -> Proof {
    prove(&design(verilog), netlist, library).unwrap()
}

#[test]
fn a_netlist_with_recoded_states_is_its_design() {
    let Some((library, netlist)) = mapped(&design(VERILOG)) else {
        return;
    };
    let proof = proof(VERILOG, &netlist, &library);
    assert_eq!(proof.verdict, Verdict::Equivalent);
    assert_eq!((proof.registers, proof.memories), (12, 1));
    assert_eq!(proof.machines, 1, "{}", netlist.states);
    assert!(proof.netlist_registers > proof.registers, "{proof:?}");
    // Ten outputs, nine pins of the memory, ten other registers, and the states.
    assert!(proof.compared > 29, "{proof:?}");
}

#[test]
fn a_table_is_logic() {
    let design = registers(&table());
    let Some((library, netlist)) = mapped(&design) else {
        return;
    };
    let of = |design: &Design| prove(design, &netlist, &library).unwrap().verdict;
    assert_eq!(of(&design), Verdict::Equivalent);
    let other = of(&registers(&table().replace("8'd42", "8'd43")));
    assert_eq!(other, Verdict::Different("the next shown[0]".to_owned()));
}

/// Synthesis makes one sum of many, whose gates are nowhere like those of the many.
#[test]
fn a_count_of_bits_is_proved() {
    let bits: Vec<String> = (0..32).map(|bit| format!("{{5'd0, of[{bit}]}}")).collect();
    let design = registers(&format!(
        "module registers (input clock, input [31:0] of, output reg [5:0] shown);\n\
         always @(posedge clock) shown <= {};\nendmodule\n",
        bits.join(" + ")
    ));
    let Some((library, netlist)) = mapped(&design) else {
        return;
    };
    let proof = prove(&design, &netlist, &library).unwrap();
    assert_eq!(proof.verdict, Verdict::Equivalent);
}

/// A memory on which nothing depends is not in the netlist; if something does, that is found out.
#[test]
fn a_memory_that_the_netlist_does_without_may_show_anything() {
    let unread = VERILOG.replace(
        "sum + q",
        "sum + (address == 2'd1 && address == 2'd2 ? q : data)",
    );
    let Some((library, netlist)) = mapped(&design(&unread)) else {
        return;
    };
    let same = proof(&unread, &netlist, &library);
    assert_eq!(same.verdict, Verdict::Equivalent);
    let counts = (same.memories, same.removed_memories, same.unwritten);
    assert_eq!(counts, (0, 1, false));
    let other = proof(VERILOG, &netlist, &library).verdict;
    assert_eq!(other, Verdict::Different("the next sum[0]".to_owned()));
}

/// A memory that is never written is not in the netlist either, and the netlist has zeros in its place. Another one that is
/// written in some state is not mistaken for it.
#[test]
fn a_memory_that_is_never_written_shows_zeros() {
    let unwritten = VERILOG.replace(".write(state == 2'd1)", ".write(1'b0)");
    let without = Design {
        memories: Vec::new(),
        ..design(&unwritten)
    };
    let Some((library, netlist)) = mapped(&without) else {
        return;
    };
    let same = proof(&unwritten, &netlist, &library);
    assert_eq!(same.verdict, Verdict::Equivalent);
    let counts = (same.memories, same.removed_memories, same.unwritten);
    assert_eq!(counts, (0, 1, true));
    let written = VERILOG.replace(".write(state == 2'd1)", ".write(state == 2'd2)");
    let other = proof(&written, &netlist, &library).verdict;
    let Verdict::Different(output) = &other else {
        panic!("{other:?}");
    };
    assert!(output.starts_with("the next sum["), "{output}");
}

#[test]
fn a_mutated_netlist_is_found_out() {
    let Some((library, netlist)) = mapped(&design(VERILOG)) else {
        return;
    };
    let mut found = 0;
    for (from, to) in [
        ("NAND2_X1 ", "NOR2_X1 "),
        ("NOR2_X1 ", "NAND2_X1 "),
        ("XOR2_X1 ", "XNOR2_X1 "),
        ("XNOR2_X1 ", "XOR2_X1 "),
        ("AND2_X1 ", "OR2_X1 "),
    ] {
        let verilog = netlist.verilog.replacen(from, to, 1);
        if verilog == netlist.verilog {
            continue;
        }
        let mutant = Netlist {
            verilog,
            ..netlist.clone()
        };
        let proof = proof(VERILOG, &mutant, &library);
        // The output of an XOR is called Z and that of an XNOR ZN, so a net loses its driver.
        let found_out = match from.starts_with('X') {
            true => matches!(proof.verdict, Verdict::Unmatched(_)),
            false => matches!(proof.verdict, Verdict::Different(_)),
        };
        assert!(found_out, "{from} to {to}: {proof:?}");
        found += 1;
    }
    assert!(found >= 3, "{found} kinds of gates");
}

/// A memory whose clock stands still, a gate that looks at the clock, and one at a net that nothing drives.
#[test]
fn a_netlist_with_wrong_wires_is_found_out() {
    let Some((library, netlist)) = mapped(&design(VERILOG)) else {
        return;
    };
    let with = |cell: &str, pin: &str, net: &str| {
        let (before, rest) = netlist.verilog.split_once(cell).unwrap();
        let (pins, rest) = rest.split_once(pin).unwrap();
        let (_, rest) = rest.split_once(')').unwrap();
        let mutant = Netlist {
            verilog: format!("{before}{cell}{pins}{pin}{net}){rest}"),
            ..netlist.clone()
        };
        proof(VERILOG, &mutant, &library).verdict
    };
    let stopped = with("sram_4x4 ", ".clock(", "1'b0");
    assert_eq!(stopped, Verdict::Different("memory.clock".to_owned()));
    let clocked = with("NAND2_X1 ", ".A1(", "clock");
    assert!(matches!(clocked, Verdict::Different(_)), "{clocked:?}");
    let floating = with("NAND2_X1 ", ".A1(", "nothing");
    let Verdict::Unmatched(reason) = &floating else {
        panic!("{floating:?}");
    };
    assert!(reason.starts_with("nothing drives the net "), "{reason}");
}

#[test]
fn another_design_is_found_out_by_what_differs() {
    let Some((library, netlist)) = mapped(&design(VERILOG)) else {
        return;
    };
    for (from, to, named) in [
        ("sum + q", "sum - q", "the next sum"),
        ("sum <= 8'd0", "sum <= 8'd1", "the next sum"),
        (
            "if (start) state <= 2'd1",
            "if (start) state <= 2'd3",
            "the next state",
        ),
        (
            "state <= 2'd0; address",
            "state <= 2'd1; address",
            "the next state",
        ),
        (".data(data)", ".data(~data)", "memory.data"),
        (".address(address)", ".address(~address)", "memory.address"),
        (".write(state == 2'd1)", ".write(start)", "memory.write"),
        ("state == 2'd1 || state", "state", "memory.enable"),
        (
            "{state == 2'd2, state == 2'd1}",
            "{state == 2'd2, state == 2'd3}",
            "shown",
        ),
    ] {
        let verilog = VERILOG.replace(from, to);
        assert_ne!(verilog, VERILOG);
        let proof = proof(&verilog, &netlist, &library);
        let Verdict::Different(output) = &proof.verdict else {
            panic!("{to}: {proof:?}");
        };
        assert!(output.contains(named), "{to}: {output}");
    }
}

#[test]
fn what_is_on_one_side_alone_is_named() {
    let Some((library, netlist)) = mapped(&design(VERILOG)) else {
        return;
    };
    for (from, to, named) in [
        ("input start,", "input start, input other,", ""),
        ("[7:0] sum", "[8:0] sum", "sum[8]"),
        ("sum", "total", "sum[0]"),
        ("sram_4x4 memory", "sram_4x4 other", "the memory memory"),
    ] {
        let proof = proof(&VERILOG.replace(from, to), &netlist, &library);
        match (named, &proof.verdict) {
            // An input that nothing reads makes no difference.
            ("", verdict) => assert_eq!(verdict, &Verdict::Equivalent),
            (named, Verdict::Unmatched(reason)) => assert!(reason.contains(named), "{reason}"),
            (_, verdict) => panic!("{to}: {verdict:?}"),
        }
    }
}

#[test]
fn registers_with_other_names_and_constants_are_matched() {
    let Some((library, netlist)) = mapped(&registers(REGISTERS)) else {
        return;
    };
    let prove = |verilog: &str| prove(&registers(verilog), &netlist, &library).unwrap();
    let proof = prove(REGISTERS);
    assert_eq!(proof.verdict, Verdict::Equivalent);
    assert_eq!((proof.registers, proof.netlist_registers), (12, 6));
    assert_eq!((proof.constant, proof.removed), (2, 0));
    for (from, to, named) in [
        ("other <= one + few", "other <= one - few", "the next other"),
        ("{2'd0, more}", "{1'd0, more, 1'd0}", "the next few"),
        ("few <= 4'd0", "few <= 4'd8", "the next few"),
        ("^other", "^few", "parity"),
    ] {
        let verdict = prove(&REGISTERS.replace(from, to)).verdict;
        let Verdict::Different(output) = &verdict else {
            panic!("{to}: {verdict:?}");
        };
        assert!(output.contains(named), "{to}: {output}");
    }
}

/// A library whose only flip-flops have resets, which the netlist leaves at rest.
#[test]
fn flip_flops_with_resets_alone_are_proved() {
    if YOSYS.version().is_none() {
        faultline_ledger::missing("yosys is not installed");
        return;
    }
    let text = faultline_synth::cells::liberty();
    let with_reset = text
        .replace(
            "clocked_on : \"CK\";",
            "clocked_on : \"CK\"; clear : \"!RN\";",
        )
        .replace(
            "pin (CK) {",
            "pin (RN) { direction : input; capacitance : 1.0; } pin (CK) {",
        );
    let library = Library::parse("resets", &with_reset).unwrap();
    let design = registers(REGISTERS);
    let netlist = yosys::synthesize(&design, &library, TARGET_PS).unwrap();
    assert!(netlist.verilog.contains(".RN(1'h1)"), "{}", netlist.verilog);
    let proof = prove(&design, &netlist, &library).unwrap();
    assert_eq!(proof.verdict, Verdict::Equivalent);
    let wrong = netlist.verilog.replacen(".RN(1'h1)", ".RN(reset)", 1);
    let wrong = Netlist {
        verilog: wrong,
        ..netlist
    };
    let error = prove(&design, &wrong, &library).unwrap_err().to_string();
    assert!(error.contains("async"), "{error}");
}

/// Libraries whose flip-flops show the complement of their data alone: the complement of their state, or a state that is itself
/// the complement.
#[test]
fn flip_flops_that_show_complements_alone_are_proved() {
    if YOSYS.version().is_none() {
        faultline_ledger::missing("yosys is not installed");
        return;
    }
    let text = faultline_synth::cells::liberty();
    let shown = text.replace("function : \"IQ\";", "function : \"IQN\";");
    let held = text
        .replace("function : \"IQN\";", "function : \"IQ\";")
        .replace("next_state : \"D\";", "next_state : \"!D\";");
    for text in [shown, held] {
        let library = Library::parse("complements", &text).unwrap();
        assert!(library.has_complements());
        for verilog in [REGISTERS, VERILOG] {
            let design = match verilog == VERILOG {
                true => design(verilog),
                false => registers(verilog),
            };
            let netlist = yosys::synthesize(&design, &library, TARGET_PS).unwrap();
            let proof = prove(&design, &netlist, &library).unwrap();
            assert_eq!(proof.verdict, Verdict::Equivalent, "{proof:?}");
        }
    }
    assert!(!Library::embedded().unwrap().has_complements());
}

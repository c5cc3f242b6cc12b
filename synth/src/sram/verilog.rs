//! A macro as Verilog: a black box for synthesis, and a model that simulates.

use super::pins::{Direction, Pin, pins};
use crate::yosys::Memory;

/// The module's head. `q` is a register in the model.
fn head(memory: &Memory, register: &str) -> String {
    let pins = pins(memory);
    let range = |pin: &Pin| {
        pin.bits
            .map_or(String::new(), |bits| format!("[{}:0]", bits - 1))
    };
    // The exporter gives ranges seven columns, or more.
    let widest = pins.iter().map(|pin| range(pin).len()).fold(7, usize::max);
    let ports: Vec<String> = pins
        .iter()
        .map(|pin| {
            let kind = match pin.direction {
                Direction::Input => "input  wire",
                Direction::Output => register,
            };
            format!("    {kind} {:>widest$} {}", range(pin), pin.name)
        })
        .collect();
    format!("module {} (\n{}\n);\n", memory.module, ports.join(",\n"))
}

/// The module without contents, which Yosys and Verilator take as a black box.
pub fn black_box(memory: &Memory) -> String {
    format!(
        "// The ports of a macro of {} words of {} bits.\n\n/* verilator lint_off DECLFILENAME */\n/* verilator lint_off UNUSED */\n/* verilator lint_off UNDRIVEN */\n(* blackbox *)\n{}endmodule\n",
        memory.words,
        memory.bits,
        head(memory, "output wire")
    )
}

/// What the macro does: a write takes `data`, where `mask` says so; a read shows the word on `q` from the next cycle on.
pub fn model(memory: &Memory) -> String {
    let (words, bits) = (memory.words, memory.bits);
    let (with, each, number, write) = match memory.masked {
        true => (
            " with a mask for writes",
            ", and each bit has its own\n    // write enable, as block RAMs have",
            "\n        integer bit_number;",
            format!(
                "if (write) begin
                for (bit_number = 0; bit_number < {bits}; bit_number = bit_number + 1)
                    if (mask[bit_number]) contents[address][bit_number] <= data[bit_number];
            end
            else q <= contents[address];"
            ),
        ),
        false => (
            "",
            "",
            "",
            "if (write) contents[address] <= data;
            else       q <= contents[address];"
                .to_owned(),
        ),
    };
    format!(
        "// A single-ported memory of {words} words of {bits} bits{with}: what the macro of this name does.\n\n{}    reg [{}:0] contents [0:{}];
    // Drives output q in a read and the contents in a write: one port does both{each}.
    always @(posedge clock) begin : drive_contents_and_q{number}
        if (enable) begin
            {write}
        end
    end
endmodule
",
        head(memory, "output reg "),
        bits - 1,
        words - 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_masked_model_is_the_module_that_designs_are_exported_with() {
        let memory = Memory {
            module: "sram_1024x32_masked".to_owned(),
            words: 1024,
            bits: 32,
            masked: true,
            instances: 2,
        };
        let exported = include_str!("../../../rtl-out/memories/sram_1024x32_masked.v");
        let body = |text: &str| text[text.find("module").unwrap()..].to_owned();
        assert_eq!(body(&model(&memory)), body(exported));
        assert!(black_box(&memory).contains("output wire  [31:0] q\n);\nendmodule"));
    }
}

//! Eight small circuits of different kinds: Verilog, and what they do in plain Rust.

use std::collections::VecDeque;

/// A circuit whose outputs are those of the cycle before its clock edge.
pub struct Circuit {
    pub name: &'static str,
    pub verilog: &'static str,
    /// Input ports but `clock` and `reset`, and their bits.
    pub inputs: &'static [(&'static str, u32)],
    /// Output ports.
    pub outputs: &'static [&'static str],
    pub model: fn() -> Model,
}

/// Gives the outputs for reset and inputs, and lets the clock rise.
pub type Model = Box<dyn FnMut(bool, &[u64]) -> Vec<u64>>;

pub const CIRCUITS: [Circuit; 8] = [
    Circuit {
        name: "adder",
        verilog: "module adder (input clock, input reset, input [7:0] a, input [7:0] b, output reg [8:0] sum);
            always @(posedge clock) if (reset) sum <= 9'd0; else sum <= {1'b0, a} + {1'b0, b};
        endmodule",
        inputs: &[("a", 8), ("b", 8)],
        outputs: &["sum"],
        model: || {
            let mut sum = 0;
            Box::new(move |reset, inputs| {
                let shown = vec![sum];
                sum = if reset { 0 } else { inputs[0] + inputs[1] };
                shown
            })
        },
    },
    Circuit {
        name: "register_file",
        verilog: "module register_file (input clock, input reset, input write, input [2:0] to, input [7:0] data,
                input [2:0] from, output [7:0] read);
            reg [7:0] words [0:7];
            integer i;
            always @(posedge clock)
                if (reset) for (i = 0; i < 8; i = i + 1) words[i] <= 8'd0;
                else if (write) words[to] <= data;
            assign read = words[from];
        endmodule",
        inputs: &[("write", 1), ("to", 3), ("data", 8), ("from", 3)],
        outputs: &["read"],
        model: || {
            let mut words = [0; 8];
            Box::new(move |reset, inputs| {
                let shown = vec![words[inputs[3] as usize]];
                if reset {
                    words = [0; 8];
                } else if inputs[0] == 1 {
                    words[inputs[1] as usize] = inputs[2];
                }
                shown
            })
        },
    },
    Circuit {
        name: "fifo",
        verilog: "module fifo (input clock, input reset, input push, input [7:0] data, input pop,
                output full, output empty, output [7:0] head);
            reg [7:0] words [0:3];
            reg [2:0] first, next;
            assign empty = first == next;
            assign full = first == {~next[2], next[1:0]};
            assign head = empty ? 8'd0 : words[first[1:0]];
            integer i;
            always @(posedge clock)
                if (reset) begin
                    first <= 3'd0; next <= 3'd0;
                    for (i = 0; i < 4; i = i + 1) words[i] <= 8'd0;
                end else begin
                    if (push & ~full) begin words[next[1:0]] <= data; next <= next + 3'd1; end
                    if (pop & ~empty) first <= first + 3'd1;
                end
        endmodule",
        inputs: &[("push", 1), ("data", 8), ("pop", 1)],
        outputs: &["full", "empty", "head"],
        model: || {
            let mut queue = VecDeque::new();
            Box::new(move |reset, inputs| {
                let (full, empty) = (queue.len() == 4, queue.is_empty());
                let head = queue.front().copied().unwrap_or_default();
                if reset {
                    queue.clear();
                } else {
                    if inputs[2] == 1 {
                        queue.pop_front();
                    }
                    if inputs[0] == 1 && !full {
                        queue.push_back(inputs[1]);
                    }
                }
                vec![full.into(), empty.into(), head]
            })
        },
    },
    Circuit {
        name: "cam",
        verilog: "module cam (input clock, input reset, input write, input [1:0] place, input [5:0] key,
                output reg [3:0] hits);
            reg [5:0] keys [0:3];
            reg [3:0] valid;
            integer i;
            always @* for (i = 0; i < 4; i = i + 1) hits[i] = valid[i] & (keys[i] == key);
            integer j;
            always @(posedge clock)
                if (reset) begin
                    valid <= 4'd0;
                    for (j = 0; j < 4; j = j + 1) keys[j] <= 6'd0;
                end else if (write) begin keys[place] <= key; valid[place] <= 1'b1; end
        endmodule",
        inputs: &[("write", 1), ("place", 2), ("key", 6)],
        outputs: &["hits"],
        model: || {
            let mut keys = [None; 4];
            Box::new(move |reset, inputs| {
                let hits = keys.iter().enumerate();
                let hits = hits.map(|(place, key)| u64::from(*key == Some(inputs[2])) << place);
                let shown = vec![hits.sum()];
                if reset {
                    keys = [None; 4];
                } else if inputs[0] == 1 {
                    keys[inputs[1] as usize] = Some(inputs[2]);
                }
                shown
            })
        },
    },
    Circuit {
        name: "counter",
        verilog: "module counter (input clock, input reset, input enable, output reg [7:0] count);
            always @(posedge clock) if (reset) count <= 8'd0; else if (enable) count <= count + 8'd1;
        endmodule",
        inputs: &[("enable", 1)],
        outputs: &["count"],
        model: || {
            let mut count = 0_u8;
            Box::new(move |reset, inputs| {
                let shown = vec![count.into()];
                count = if reset { 0 } else { count.wrapping_add(inputs[0] as u8) };
                shown
            })
        },
    },
    Circuit {
        name: "lfsr",
        verilog: "module lfsr (input clock, input reset, input enable, output reg [15:0] state);
            wire next = state[15] ^ state[14] ^ state[12] ^ state[3];
            always @(posedge clock) if (reset) state <= 16'd1; else if (enable) state <= {state[14:0], next};
        endmodule",
        inputs: &[("enable", 1)],
        outputs: &["state"],
        model: || {
            let mut state = 0_u64;
            Box::new(move |reset, inputs| {
                let shown = vec![state];
                let taps = (state >> 15) ^ (state >> 14) ^ (state >> 12) ^ (state >> 3);
                if reset {
                    state = 1;
                } else if inputs[0] == 1 {
                    state = (state << 1 | taps & 1) & 0xFFFF;
                }
                shown
            })
        },
    },
    Circuit {
        name: "arbiter",
        verilog: "module arbiter (input clock, input reset, input [3:0] request, output [3:0] grant);
            reg [3:0] after;
            wire [3:0] later = request & after;
            wire [3:0] lowest_later = later & (~later + 4'd1);
            wire [3:0] lowest = request & (~request + 4'd1);
            assign grant = |later ? lowest_later : lowest;
            always @(posedge clock)
                if (reset) after <= 4'd0;
                else if (|grant) after <= ~(grant | (grant - 4'd1));
        endmodule",
        inputs: &[("request", 4)],
        outputs: &["grant"],
        model: || {
            let mut last = 3;
            Box::new(move |reset, inputs| {
                let turn = (1..=4).map(|step| (last + step) % 4);
                let granted = turn.into_iter().find(|who| inputs[0] >> who & 1 == 1);
                if let Some(who) = granted {
                    last = who;
                }
                if reset {
                    last = 3;
                }
                vec![granted.map_or(0, |who| 1 << who)]
            })
        },
    },
    Circuit {
        name: "multiplexers",
        verilog: "module multiplexers (input clock, input reset, input [31:0] data, input [2:0] choice, output [3:0] chosen);
            assign chosen = data[choice * 4 +: 4];
        endmodule",
        inputs: &[("data", 32), ("choice", 3)],
        outputs: &["chosen"],
        model: || Box::new(|_, inputs| vec![inputs[0] >> (4 * inputs[1]) & 15]),
    },
];

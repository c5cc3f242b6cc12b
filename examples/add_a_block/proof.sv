// The guarantees of counter.md, stated over the counter's ports, for a count of 3 bits. `bad[k]` must stay low for ever, and
// `seen[k]` must be reachable, or guarantee k holds for want of an occasion.
module fault_counter_proof_top (
    input  wire       clock,
    input  wire       reset,
    input  wire       fault,
    input  wire       clear,
    output wire [3:1] bad,
    output wire [3:1] seen
);
    wire [2:0] count;
    wire       saturated;

    fault_counter_proof counter (
        .clock(clock), .reset(reset), .fault(fault), .clear(clear), .count(count), .saturated(saturated)
    );

    // Faults since the last clear or reset; 8 stands for more than the count can show.
    reg  [3:0] faults;
    wire [3:0] left = clear ? 4'd0 : faults;
    // A fault came in the cycle of a clear, one cycle ago.
    reg        beside;
    initial {faults, beside} = 5'd0;
    always @(posedge clock) begin
        faults <= reset ? 4'd0 : fault && left != 4'd8 ? left + 4'd1 : left;
        beside <= !reset && fault && clear;
    end

    assign bad[1] = count != (faults == 4'd8 ? 3'd7 : faults[2:0]);
    assign bad[2] = saturated != (faults == 4'd8);
    assign bad[3] = beside && (count != 3'd1 || saturated);

    assign seen[1] = faults == 4'd7;
    assign seen[2] = saturated;
    assign seen[3] = beside;
endmodule

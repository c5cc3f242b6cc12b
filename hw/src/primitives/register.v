// A register of WIDTH bits with a synchronous reset to zero.
module register #(
    parameter integer WIDTH = 1
) (
    input  wire             clock, // Rising edge.
    input  wire             reset, // Synchronous reset, active high.
    input  wire [WIDTH-1:0] d,     // Next value.
    output reg  [WIDTH-1:0] q      // Value.
);
    // Drives output q: d at the rising edge, or 0 if reset is high then.
    always @(posedge clock) begin : drive_q
        if (reset) q <= {WIDTH{1'b0}};
        else       q <= d;
    end
endmodule

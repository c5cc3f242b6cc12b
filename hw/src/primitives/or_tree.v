// Reports whether any of INPUTS bits is high.
module or_tree #(
    parameter integer INPUTS = 2
) (
    input  wire [INPUTS-1:0] of, // Input bits.
    output wire              any // OR of the input bits.
);
    assign any = |of;
endmodule

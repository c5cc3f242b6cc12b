// Selects one of INPUTS values of WIDTH bits by a one-hot choice: the OR of the chosen values, 0 if none is chosen.
module one_hot_mux #(
    parameter integer INPUTS = 2,
    parameter integer WIDTH  = 1
) (
    input  wire [INPUTS-1:0]       choose, // Choice, one bit for each value.
    input  wire [INPUTS*WIDTH-1:0] of,     // Values to choose from.
    output reg  [WIDTH-1:0]        chosen  // Value that is chosen; 0 if none.
);
    // Drives output chosen, from choose and of: an OR over the values, each masked by its bit of the choice.
    always @* begin : drive_chosen
        integer i;
        chosen = {WIDTH{1'b0}};
        for (i = 0; i < INPUTS; i = i + 1)
            chosen = chosen | (of[i*WIDTH +: WIDTH] & {WIDTH{choose[i]}});
    end
endmodule

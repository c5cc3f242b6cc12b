// Marks the positions from `first` on, or from the next one if `beyond`, up to `last`: the AND of two thermometer codes.
module range_mask #(
    parameter integer POSITION  = 1,            // bits of a position's number
    parameter integer POSITIONS = 1 << POSITION // follows from the others; leave it
) (
    input  wire [POSITION-1:0]  first,  // Lowest position of the range.
    input  wire                 beyond, // The range begins one position above `first`.
    input  wire [POSITION-1:0]  last,   // Highest position of the range.
    output wire [POSITIONS-1:0] covered // Positions in the range, one bit each.
);
    wire [POSITIONS-1:0] at_least = {POSITIONS{1'b1}} << first;
    wire [POSITIONS-1:0] after    = {{(POSITIONS-1){1'b1}}, 1'b0} << first;
    wire [POSITIONS-1:0] up_to    = {POSITIONS{1'b1}} >> ~last;
    assign covered = (beyond ? after : at_least) & up_to;
endmodule

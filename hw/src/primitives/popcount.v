// Counts how many of INPUTS bits are high: a tree of adders, whose node n is the sum of nodes 2n + 1 and 2n + 2.
module popcount #(
    parameter integer INPUTS = 2,
    parameter integer COUNT  = 2  // bits of the count
) (
    input  wire [INPUTS-1:0] of,   // Input bits.
    output reg  [COUNT-1:0]  count // Number of input bits that are high.
);
    // Drives output count, from of: the leaves first, then their sums up to node 0.
    always @* begin : drive_count
        integer n;
        reg [(2*INPUTS-1)*COUNT-1:0] node;
        for (n = 0; n < INPUTS; n = n + 1)
            node[(INPUTS-1+n)*COUNT +: COUNT] = {{(COUNT-1){1'b0}}, of[n]};
        for (n = INPUTS - 2; n >= 0; n = n - 1)
            node[n*COUNT +: COUNT] = node[(2*n+1)*COUNT +: COUNT] + node[(2*n+2)*COUNT +: COUNT];
        count = node[COUNT-1:0];
    end
endmodule

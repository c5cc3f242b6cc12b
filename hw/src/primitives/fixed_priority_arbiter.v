// Grants the request with the lowest number, or the one with the highest if HIGHEST: the first group of eight with a request,
// and its winner.
module fixed_priority_arbiter #(
    parameter integer REQUESTERS = 2,
    parameter integer INDEX      = 1, // bits of a requester's number
    parameter integer HIGHEST    = 0
) (
    input  wire [REQUESTERS-1:0] request, // Requests, one bit for each requester.
    output wire [REQUESTERS-1:0] grant,   // Request that is granted, one-hot; 0 without a request.
    output reg  [INDEX-1:0]      index    // Number of the requester that is granted; 0 without a request.
);
    localparam GROUPS = (REQUESTERS + 7) / 8;
    wire [GROUPS-1:0]     some;
    wire [GROUPS-1:0]     first;
    wire [REQUESTERS-1:0] winner;
    genvar g, i;
    generate
        for (g = 0; g < GROUPS; g = g + 1) begin : group
            localparam LOW  = g * 8;
            localparam HIGH = (LOW + 8 < REQUESTERS ? LOW + 8 : REQUESTERS) - 1;
            assign some[g] = |request[HIGH:LOW];
            if (HIGHEST != 0 && g != GROUPS - 1) begin : below_groups
                assign first[g] = some[g] & ~|some[GROUPS-1:g+1];
            end else if (HIGHEST == 0 && g != 0) begin : above_groups
                assign first[g] = some[g] & ~|some[g-1:0];
            end else begin : foremost_group
                assign first[g] = some[g];
            end
            for (i = LOW; i <= HIGH; i = i + 1) begin : requester
                if (HIGHEST != 0 && i != HIGH) begin : below
                    assign winner[i] = request[i] & ~|request[HIGH:i+1];
                end else if (HIGHEST == 0 && i != LOW) begin : above
                    assign winner[i] = request[i] & ~|request[i-1:LOW];
                end else begin : foremost
                    assign winner[i] = request[i];
                end
                assign grant[i] = winner[i] & first[g];
            end
        end
    endgenerate

    // Drives output index, from winner and first: the number of the one that is granted, 0 without a request.
    always @* begin : drive_index
        integer n;
        index = {INDEX{1'b0}};
        for (n = 0; n < REQUESTERS; n = n + 1)
            if (winner[n] && first[n / 8]) index = index | n[INDEX-1:0];
    end
endmodule

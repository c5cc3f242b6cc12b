// Gives the number of the lowest request above the last one that was served, else of the lowest, and 0 without a request.
module round_robin_arbiter #(
    parameter integer REQUESTERS = 2,
    parameter integer INDEX      = 1  // bits of a requester's number
) (
    input  wire [REQUESTERS-1:0] request, // Requests, one bit for each requester.
    input  wire [INDEX-1:0]      last,    // Number of the requester that was served last.
    output reg  [INDEX-1:0]      index    // Number of the request whose turn it is; 0 without a request.
);
    // Drives output index, from request and last: the lowest of all, then the lowest above the last one if there is one.
    always @* begin : drive_index
        integer i;
        index = {INDEX{1'b0}};
        for (i = REQUESTERS - 1; i >= 0; i = i - 1)
            if (request[i]) index = i[INDEX-1:0];
        for (i = REQUESTERS - 1; i >= 1; i = i - 1)
            if (request[i] && i[INDEX-1:0] > last) index = i[INDEX-1:0];
    end
endmodule

// Grants the request that was served longest ago: bit i (i - 1) / 2 + j of the order is high if requester j < i was served
// after requester i.
module matrix_arbiter #(
    parameter integer REQUESTERS = 2,
    parameter integer INDEX      = 1,                                // bits of a requester's number
    parameter integer PAIRS      = REQUESTERS * (REQUESTERS - 1) / 2 // follows from the others; leave it
) (
    input  wire [PAIRS-1:0]      order,   // Order before `served`.
    input  wire [REQUESTERS-1:0] served,  // Requester that is served, one-hot; 0 if none.
    input  wire [REQUESTERS-1:0] last,    // Requester that goes after all others in this arbitration only, one-hot; 0 if none.
    input  wire [REQUESTERS-1:0] request, // Requests, one bit for each requester.
    output reg  [PAIRS-1:0]      after,   // Order after `served`.
    output reg  [REQUESTERS-1:0] grant,   // Request that was served longest ago, one-hot; 0 without a request.
    output reg  [INDEX-1:0]      index    // Number of the requester that is granted; 0 without a request.
);
    // Drives outputs after, grant and index: a request is granted if no other was served before it.
    always @* begin : drive_after_and_grant_and_index
        integer i, j;
        reg [REQUESTERS-1:0] overtaken;
        reg                  later;
        after = order;
        overtaken = {REQUESTERS{1'b0}};
        for (i = 1; i < REQUESTERS; i = i + 1)
            for (j = 0; j < i; j = j + 1) begin
                if (served[j]) after[i*(i-1)/2 + j] = 1'b1;
                else if (served[i]) after[i*(i-1)/2 + j] = 1'b0;
                later = last[j] | (after[i*(i-1)/2 + j] & ~last[i]);
                overtaken[i] = overtaken[i] | (request[j] & ~later);
                overtaken[j] = overtaken[j] | (request[i] & later);
            end
        grant = request & ~overtaken;
        index = {INDEX{1'b0}};
        for (i = 0; i < REQUESTERS; i = i + 1)
            if (grant[i]) index = index | i[INDEX-1:0];
    end
endmodule

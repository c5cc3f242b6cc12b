// Grants the request with the lowest number, and none without a request.
module one_hot_priority_encoder #(
    parameter integer REQUESTERS = 2
) (
    input  wire [REQUESTERS-1:0] request, // Requests, one bit for each requester.
    output wire [REQUESTERS-1:0] grant    // Request that is granted, one-hot; 0 without a request.
);
    assign grant[0] = request[0];
    genvar i;
    generate
        for (i = 1; i < REQUESTERS; i = i + 1) begin : requester
            assign grant[i] = request[i] & ~|request[i-1:0];
        end
    endgenerate
endmodule

// Grants the request that was served longest ago. The order is kept outside, in one word with a bit for each pair of
// requesters, or as a list of the requesters in REQUESTERS + 2 words of INDEX + 1 bits, which is smaller for many.
//
// Of pairs bit i (i - 1) / 2 + j is high if requester j < i was served after requester i. In the list word k < REQUESTERS
// has the number of the requester in place k, XOR k, and above it whether that one requests; word REQUESTERS has the one
// that was served in the cycle before, which moves behind all others now; and the last word has the request that is there
// since this cycle. Each of the two has a bit above it that says whether there is one.
module age_order #(
    parameter integer REQUESTERS = 2,
    parameter integer INDEX      = 1, // bits of a requester's number
    parameter integer WORDS      = 1, // 1 for pairs, REQUESTERS + 2 for a list
    parameter integer WORD       = 1  // bits of a word
) (
    input  wire [WORDS*WORD-1:0] order,   // Order before this cycle.
    input  wire [REQUESTERS-1:0] served,  // Requester that is served, one-hot; 0 if none. It requests nothing now or in the next cycle.
    input  wire [REQUESTERS-1:0] request, // Requests, one bit for each requester.
    input  wire [REQUESTERS-1:0] rising,  // Request that is there from the next cycle on, one-hot; 0 if none.
    input  wire                  taken,   // The request that is granted, if any, is there no longer from the next cycle on.
    output wire [WORDS*WORD-1:0] after,   // Order after this cycle.
    output wire [REQUESTERS-1:0] grant    // Request that was served longest ago, one-hot; 0 without a request.
);
    genvar g;
    generate
        if (WORDS == 1) begin : pairs
            reg [WORD-1:0]       next;
            reg [REQUESTERS-1:0] overtaken;
            wire                 unused = &{1'b0, rising, taken};
            // Drives next and overtaken: a request is granted if no other was served before it.
            always @* begin : drive_next_and_overtaken
                integer i, j;
                next = order;
                overtaken = {REQUESTERS{1'b0}};
                for (i = 1; i < REQUESTERS; i = i + 1)
                    for (j = 0; j < i; j = j + 1) begin
                        if (served[j]) next[i*(i-1)/2 + j] = 1'b1;
                        else if (served[i]) next[i*(i-1)/2 + j] = 1'b0;
                        overtaken[i] = overtaken[i] | (request[j] & ~next[i*(i-1)/2 + j]);
                        overtaken[j] = overtaken[j] | (request[i] & next[i*(i-1)/2 + j]);
                    end
            end
            assign after = next;
            assign grant = request & ~overtaken;
        end else begin : list
            wire [WORD-1:0]             newest = order[REQUESTERS*WORD +: WORD];
            wire [WORD-1:0]             risen  = order[(REQUESTERS+1)*WORD +: WORD];
            wire [REQUESTERS*INDEX-1:0] entry;
            wire [REQUESTERS-1:0]       waits;
            wire [REQUESTERS-1:0]       is_newest;
            reg  [REQUESTERS-1:0]       waits_upto;
            reg  [REQUESTERS-1:0]       moves;
            reg  [INDEX-1:0]            oldest;
            reg  [INDEX-1:0]            served_number;
            reg  [INDEX-1:0]            rising_number;
            wire                        unused = &{1'b0, request};
            wire [REQUESTERS-1:0]       first  = waits & ~{waits_upto[REQUESTERS-2:0], 1'b0};
            wire [REQUESTERS-1:0]       stays  = waits & ~(first & {REQUESTERS{taken}});
            for (g = 0; g < REQUESTERS; g = g + 1) begin : place
                localparam [INDEX-1:0] NUMBER = g;
                wire [INDEX-1:0] of     = order[g*WORD +: INDEX] ^ NUMBER;
                wire [WORD-1:0]  behind;
                assign entry[g*INDEX +: INDEX] = of;
                assign waits[g]     = order[g*WORD + INDEX] | (risen[INDEX] & of == risen[INDEX-1:0]);
                assign is_newest[g] = newest[INDEX] & of == newest[INDEX-1:0];
                if (g == REQUESTERS - 1) begin : final_place
                    assign behind = {1'b0, newest[INDEX-1:0]};
                end else begin : inner
                    assign behind = {stays[g+1], entry[(g+1)*INDEX +: INDEX]};
                end
                assign after[g*WORD +: WORD] = (moves[g] ? behind : {stays[g], of}) ^ {1'b0, NUMBER};
                assign grant[g] = waits_upto[REQUESTERS-1] & oldest == NUMBER;
            end
            // Drives what follows from the places up to each one, in log2(REQUESTERS) levels.
            always @* begin : drive_prefixes
                integer half, i;
                waits_upto = waits;
                moves = is_newest;
                for (half = 1; half < REQUESTERS; half = half * 2)
                    for (i = half; i < REQUESTERS; i = i + 1)
                        if ((i / half) % 2 == 1) begin
                            waits_upto[i] = waits_upto[i] | waits_upto[(i / half) * half - 1];
                            moves[i] = moves[i] | moves[(i / half) * half - 1];
                        end
            end
            // Drives the numbers of the request in the lowest place, of the one that is served, and of the one that rises.
            always @* begin : drive_numbers
                integer i;
                oldest = {INDEX{1'b0}};
                served_number = {INDEX{1'b0}};
                rising_number = {INDEX{1'b0}};
                for (i = 0; i < REQUESTERS; i = i + 1) begin
                    oldest = oldest | (entry[i*INDEX +: INDEX] & {INDEX{first[i]}});
                    served_number = served_number | (i[INDEX-1:0] & {INDEX{served[i]}});
                    rising_number = rising_number | (i[INDEX-1:0] & {INDEX{rising[i]}});
                end
            end
            assign after[REQUESTERS*WORD +: WORD]     = {|served, served_number};
            assign after[(REQUESTERS+1)*WORD +: WORD] = {|rising, rising_number};
        end
    endgenerate
endmodule

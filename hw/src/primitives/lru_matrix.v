// The order in which the ways of each set were used: bit i (i - 1) / 2 + j of a set is high if way i was used after way j < i.
module lru_matrix #(
    parameter integer SETS  = 1,
    parameter integer SET   = 1,                    // bits of a set's number
    parameter integer WAYS  = 2,
    parameter integer PAIRS = WAYS * (WAYS - 1) / 2 // follows from the others; leave it
) (
    input  wire [SETS*PAIRS-1:0] order,        // Order of each set before `used` and `replaced`.
    input  wire [WAYS-1:0]       used,         // Way that is used, one-hot; 0 if none.
    input  wire [SET-1:0]        used_set,     // Set of the way that is used.
    input  wire [WAYS-1:0]       replaced,     // Way that is replaced, one-hot; 0 if none. It counts as used after the way in `used`.
    input  wire [SET-1:0]        replaced_set, // Set of the way that is replaced.
    output reg  [SETS*PAIRS-1:0] next,         // Order of each set after `used` and `replaced`.
    output reg  [WAYS-1:0]       oldest        // Way of `replaced_set` that was used longest ago according to `order`, one-hot.
);
    wire [PAIRS-1:0] chosen = order[replaced_set*PAIRS +: PAIRS];

    // Drives outputs next and oldest: a way that is used or replaced becomes the last of its set, and the oldest of the
    // chosen set is the way that no other was used before.
    always @* begin : drive_next_and_oldest
        integer s, i, j;
        next = order;
        oldest = {WAYS{1'b1}};
        for (i = 1; i < WAYS; i = i + 1)
            for (j = 0; j < i; j = j + 1) begin
                for (s = 0; s < SETS; s = s + 1) begin
                    if (used_set == s[SET-1:0]) begin
                        if (used[i]) next[s*PAIRS + i*(i-1)/2 + j] = 1'b1;
                        else if (used[j]) next[s*PAIRS + i*(i-1)/2 + j] = 1'b0;
                    end
                    if (replaced_set == s[SET-1:0]) begin
                        if (replaced[i]) next[s*PAIRS + i*(i-1)/2 + j] = 1'b1;
                        else if (replaced[j]) next[s*PAIRS + i*(i-1)/2 + j] = 1'b0;
                    end
                end
                if (chosen[i*(i-1)/2 + j]) oldest[i] = 1'b0;
                else oldest[j] = 1'b0;
            end
    end
endmodule

// The guarantees of l2_tlb.md, stated over its ports, for 2 SMs, 2 sets of 2 ways, pages of 3 bits in 2 spaces, and large
// pages of 2 and 4 pages. What is there is stated for one page, which may be any. `bad[k]` must stay low for ever, and
// `seen[k]` must be reachable, or guarantee k holds for want of an occasion.
module l2_tlb_proof_top (
    input  wire       clock,
    input  wire [3:0] watched_in,
    input  wire [1:0] request_valid,
    input  wire [3:0] request_of_0,
    input  wire [3:0] request_of_1,
    input  wire [1:0] request_write,
    input  wire [1:0] miss_ready,
    input  wire       fill_valid,
    input  wire [3:0] fill_of,
    input  wire [1:0] fill_pfn,
    input  wire       fill_writable,
    input  wire       fill_clean,
    input  wire [1:0] fill_level,
    input  wire       invalidate_in,
    input  wire [1:0] scope_in,
    input  wire [3:0] invalidate_of_in,
    output wire [9:1] bad,
    output wire [9:1] seen
);
    // An invalidation stays the same until it is acknowledged.
    reg        invalidating;
    reg  [1:0] scope_kept;
    reg  [3:0] invalidate_kept;
    wire       invalidate_ready;
    wire       invalidate_valid = invalidating || invalidate_in;
    wire [1:0] scope = invalidating ? scope_kept : scope_in;
    wire [3:0] invalidate_of = invalidating ? invalidate_kept : invalidate_of_in;
    always @(posedge clock) begin
        invalidating <= invalidate_valid && !invalidate_ready;
        {scope_kept, invalidate_kept} <= {scope, invalidate_of};
    end

    wire [1:0] request_ready, miss_valid, miss_write, answer_to, answer_pfn;
    wire       answer_valid, answer_writable, answer_clean, answer_large, fill_ready;
    wire [3:0] answer_of, miss_of_0, miss_of_1;

    // A page here is its space and its number; the lowest bit is its set.
    l2_tlb_proof tlb (
        .clock(clock), .reset(1'b0), .request_valid(request_valid),
        .request_vpn({request_of_1[2:0], request_of_0[2:0]}), .request_asid({request_of_1[3], request_of_0[3]}),
        .request_write(request_write), .miss_ready(miss_ready),
        .fill_valid(fill_valid), .fill_vpn(fill_of[2:0]), .fill_asid(fill_of[3]), .fill_pfn(fill_pfn),
        .fill_writable(fill_writable), .fill_clean(fill_clean), .fill_level(fill_level),
        .invalidate_valid(invalidate_valid), .invalidate_scope(scope), .invalidate_vpn(invalidate_of[2:0]),
        .invalidate_asid(invalidate_of[3]), .request_ready(request_ready),
        .answer_valid(answer_valid), .answer_to(answer_to), .answer_vpn(answer_of[2:0]), .answer_asid(answer_of[3]),
        .answer_pfn(answer_pfn), .answer_writable(answer_writable), .answer_clean(answer_clean),
        .answer_large(answer_large),
        .miss_valid(miss_valid), .miss_vpn({miss_of_1[2:0], miss_of_0[2:0]}),
        .miss_asid({miss_of_1[3], miss_of_0[3]}), .miss_write(miss_write),
        .fill_ready(fill_ready), .invalidate_ready(invalidate_ready)
    );

    reg       started;
    reg [3:0] watched_kept;
    initial started = 1'b0;
    always @(posedge clock) begin
        started <= 1'b1;
        if (!started) watched_kept <= watched_in;
    end
    wire [3:0] watched = started ? watched_kept : watched_in;

    // Whether the invalidation covers a page of a level.
    function covers;
        input [3:0] page;
        input [1:0] level;
        covers = scope[1] || (page[3] == invalidate_of[3] && (scope[0] || (page[2] == invalidate_of[2]
            && (page[1] == invalidate_of[1] || level == 2'd3) && (page[0] == invalidate_of[0] || level[1]))));
    endfunction

    // Requests and fills from their acceptance on: they read, act, and have ended.
    wire [1:0] accepted = request_valid & request_ready;
    wire       filled = fill_valid && fill_ready;
    reg  [1:0] reading, acting, ended;
    reg  [3:0] reading_of, acting_of, ended_of;
    reg        reading_write, acting_write, ended_write;
    reg        fill_reading, fill_acting;
    reg  [3:0] fill_reading_of, fill_vpn;
    reg  [5:0] fill_reading_data, fill_data;
    always @(posedge clock) begin
        {reading, acting, ended} <= {accepted, reading, acting};
        {reading_of, acting_of, ended_of} <= {accepted[1] ? request_of_1 : request_of_0, reading_of, acting_of};
        {reading_write, acting_write, ended_write}
            <= {accepted[1] ? request_write[1] : request_write[0], reading_write, acting_write};
        {fill_reading, fill_acting} <= {filled, fill_reading};
        {fill_reading_of, fill_vpn} <= {fill_of, fill_reading_of};
        {fill_reading_data, fill_data}
            <= {{fill_pfn, fill_writable, fill_clean, fill_level}, fill_reading_data};
    end

    // Misses that were there already.
    reg  [1:0] waiting;
    reg  [4:0] waiting_0, waiting_1;
    wire [4:0] miss_0 = {miss_of_0, miss_write[0]};
    wire [4:0] miss_1 = {miss_of_1, miss_write[1]};
    wire [1:0] missed = miss_valid & ~waiting;
    always @(posedge clock) begin
        waiting <= miss_valid & ~miss_ready;
        {waiting_0, waiting_1} <= {miss_0, miss_1};
    end

    // The watched page: what was filled last; the other page of its set, and whether that was used after it. The levels
    // are those of the pages of its set.
    reg        here, writable, clean, aged;
    reg  [1:0] frame, level;
    reg  [3:0] neighbour;
    reg  [1:0] levels [0:7];
    wire       asked = ended != 2'd0 && ended_of == watched;
    wire       hit = asked && answer_valid;
    wire       fill_watched = fill_acting && fill_vpn == watched;
    wire       fill_beside = fill_acting && fill_vpn != watched && fill_vpn[0] == watched[0];
    wire       use_beside = ended != 2'd0 && answer_valid && !asked && ended_of[0] == watched[0];
    wire       covered = invalidate_valid && covers(watched, level);
    wire       replacing = fill_beside && aged && fill_vpn != neighbour;
    always @(posedge clock) begin
        if (fill_acting && fill_vpn[0] == watched[0]) levels[fill_vpn[3:1]] <= fill_data[1:0];
        if (invalidate_ready && covered) here <= 1'b0;
        if (invalidate_ready && covers(neighbour, levels[neighbour[3:1]])) aged <= 1'b0;
        if (hit) aged <= 1'b0;
        if (replacing) here <= 1'b0;
        if (fill_beside) {aged, neighbour} <= {1'b1, fill_vpn};
        else if (use_beside) {aged, neighbour} <= {1'b1, ended_of};
        if (fill_watched) begin
            {here, aged} <= 2'b10;
            {frame, writable, clean, level} <= fill_data;
        end
    end

    // The ways of the set that was read last in which the page of the operation is.
    (* hierconn *) wire [1:0] \tlb.way_found ;

    // Port 0 takes turns with port 1; how long anybody waits, once all is forgotten after the reset.
    reg  [3:0] age;
    reg  [1:0] overtaken;
    reg  [5:0] invalidation_waits, fill_waits, request_waits;
    wire       grown = age >= 4'd5;
    wire       may = request_valid[0] && !miss_valid[0] && !acting[0];
    always @(posedge clock) begin
        age <= age + (age != 4'd15);
        overtaken <= !may || accepted[0] ? 2'd0 : overtaken + (accepted[1] && overtaken != 2'd3);
        invalidation_waits <= grown && invalidate_valid && !invalidate_ready
            ? invalidation_waits + (invalidation_waits != 6'd63) : 6'd0;
        fill_waits <= grown && fill_valid && !fill_ready ? fill_waits + (fill_waits != 6'd63) : 6'd0;
        if (!grown || !request_valid[0] || accepted[0]) request_waits <= 6'd0;
        else if (may && request_waits != 6'd63) request_waits <= request_waits + 6'd1;
    end

    assign bad[1] = (ended != 2'd0 && answer_valid == (missed != 2'd0)) || (answer_valid && ended == 2'd0)
        || (answer_valid && (answer_to != ended || answer_of != ended_of)) || (missed & ~ended) != 2'd0
        || (missed[0] && miss_0 != {ended_of, ended_write}) || (missed[1] && miss_1 != {ended_of, ended_write})
        || (accepted & (reading | acting)) != 2'd0 || accepted == 2'd3
        || (!answer_valid && {answer_to, answer_of, answer_pfn, answer_writable, answer_clean, answer_large} != 11'd0);
    assign bad[2] = hit && {answer_pfn, answer_writable, answer_clean, answer_large} != {frame, writable, clean, level[1]};
    assign bad[3] = hit && !here;
    assign bad[4] = asked && !hit && here && !covered && !(ended_write && (clean || !writable));
    assign bad[5] = (acting != 2'd0 || fill_acting) && \tlb.way_found  == 2'd3;
    assign bad[6] = answer_valid && ended_write && (answer_clean || !answer_writable);
    assign bad[7] = (waiting & ~miss_valid) != 2'd0 || (waiting[0] && waiting_0 != miss_0)
        || (waiting[1] && waiting_1 != miss_1);
    assign bad[8] = overtaken > 2'd1;
    assign bad[9] = invalidation_waits > 6'd12 || fill_waits > 6'd14 || request_waits > 6'd7;

    reg was_here, was_forgotten, was_replaced, was_large;
    always @(posedge clock) begin
        was_here <= was_here || (here && hit);
        was_forgotten <= was_forgotten || (was_here && here && invalidate_ready && covered);
        was_replaced <= was_replaced || (here && replacing);
        was_large <= was_large || (here && invalidate_ready && covered && level == 2'd3 && !scope[0] && !scope[1]
            && invalidate_of[1:0] != watched[1:0]);
    end
    assign seen[1] = answer_valid && answer_to == 2'd2 && answer_of == 4'd9 && waiting[0];
    assign seen[2] = hit && was_forgotten && answer_pfn == 2'd2 && answer_clean && answer_large;
    assign seen[3] = asked && !hit && was_large;
    assign seen[4] = was_replaced && hit && aged;
    assign seen[5] = fill_watched && here && aged;
    assign seen[6] = asked && !hit && here && ended_write;
    assign seen[7] = waiting == 2'd3;
    assign seen[8] = overtaken == 2'd1 && accepted[0];
    assign seen[9] = fill_waits == 6'd14;
endmodule

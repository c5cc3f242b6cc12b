// The guarantees of scoreboard.md, stated over its ports, for 4 instructions that hold their sources. Registers are 0, 1,
// 254 and 255, the zero register: the upper seven bits of a number are tied together. `bad[k]` must stay low for ever, and
// `seen[k]` must be reachable, or guarantee k holds for want of an occasion.
module scoreboard_proof_top (
    input  wire        clock,
    input  wire        arrive_valid,
    input  wire        arrive_issued,
    input  wire        arrive_stops,
    input  wire        arrive_holds,
    input  wire [1:0]  arrive_destination,
    input  wire [5:0]  arrive_sources,
    input  wire [1:0]  stray_destination,
    input  wire [5:0]  stray_sources,
    input  wire        issue,
    input  wire        issue_second,
    input  wire        flush,
    input  wire [5:0]  finished,
    input  wire [11:0] finished_entry,
    input  wire        checked_valid,
    input  wire [1:0]  checked_entry,
    input  wire        chosen,
    output wire [11:1] bad,
    output wire [11:1] seen
);
    wire       room, first_valid, first_ready, second_valid, second_ready, stopped, stopping, busy, likely;
    wire [1:0] arrive_entry, first_entry, second_entry;
    wire       issue_first;
    wire [5:0] finished_valid;

    function [7:0] register;
        input [1:0] number;
        register = {{7{number[1]}}, number[0]};
    endfunction

    // What is fetched has the registers that its entry keeps; beside what is issued again, there may be any.
    wire [1:0] fetched_destination = arrive_issued ? stray_destination : arrive_destination;
    wire [5:0] fetched_sources = arrive_issued ? stray_sources : arrive_sources;

    scoreboard_proof scoreboard (
        .clock(clock), .reset(1'b0),
        .arrive_valid(arrive_valid), .arrive_issued(arrive_issued), .arrive_destination(register(fetched_destination)),
        .arrive_source_a(register(fetched_sources[1:0])), .arrive_source_b(register(fetched_sources[3:2])),
        .arrive_source_c(register(fetched_sources[5:4])), .entry_stops(arrive_stops), .entry_holds(arrive_holds),
        .entry_destination(register(arrive_destination)), .entry_source_a(register(arrive_sources[1:0])),
        .entry_source_b(register(arrive_sources[3:2])), .entry_source_c(register(arrive_sources[5:4])),
        .issue_first(issue_first), .issue_second(issue_second),
        .flush(flush), .finished_valid(finished_valid), .finished_entry(finished_entry),
        .checked_valid(checked_valid), .checked_entry(checked_entry), .chosen(chosen),
        .room(room), .arrive_entry(arrive_entry), .first_valid(first_valid), .first_ready(first_ready),
        .first_entry(first_entry), .second_valid(second_valid), .second_ready(second_ready),
        .second_entry(second_entry), .stopped(stopped), .stopping(stopping), .busy(busy),
        .likely(likely)
    );

    // The ghost: of each entry, whether it is taken, what its instruction reads and writes as sets of registers, and
    // whether it stops the fetch or holds its sources; the buffered ones, and who was there before them.
    reg [3:0]  taken, stops, holds;
    reg [11:0] reads, writes;
    reg        has_first, has_second;
    reg [1:0]  first, second;
    reg [3:0]  before_first, before_second;
    // Registers that are read in this cycle, by those who were issued in the one before.
    reg [2:0]  reading;

    function [2:0] set;
        input [1:0] number;
        set = {number == 2'd2, number == 2'd1, number == 2'd0};
    endfunction

    function [2:0] of;
        input [11:0] sets;
        input [1:0]  entry;
        of = sets[entry*3 +: 3];
    endfunction

    wire [3:0] waiting = ({3'd0, has_first} << first) | ({3'd0, has_second} << second);
    reg  [3:0] ending;
    integer u;
    always @* begin
        ending = 4'd0;
        for (u = 0; u < 6; u = u + 1)
            if (finished_valid[u]) ending[finished_entry[u*2 +: 2]] = 1'b1;
    end

    // What users owe: nothing is issued that is not there, and only what was issued finishes. What finishes and is not
    // there at all is ignored.
    genvar unit;
    generate
        for (unit = 0; unit < 6; unit = unit + 1) begin : units
            assign finished_valid[unit] = finished[unit] && !waiting[finished_entry[unit*2 +: 2]];
        end
    endgenerate
    assign issue_first = issue && has_first;

    wire       issues_both = issue_first && issue_second && has_second;
    wire [3:0] checking = {3'd0, checked_valid} << checked_entry;
    wire [3:0] leaving = ending | (flush ? waiting : 4'd0);
    wire       accept = arrive_valid && room && !flush;
    wire [3:0] coming = {3'd0, accept} << arrive_entry;
    wire       waits = accept && !arrive_issued;
    wire       to_first = !has_first || (issue_first && !has_second);
    integer i;
    always @(posedge clock) begin
        taken <= (taken & ~leaving) | coming;
        stops <= (stops & ~leaving & ~checking & ~coming) | (arrive_stops ? coming : 4'd0);
        holds <= (holds & ~leaving & ~checking & ~coming) | (arrive_holds ? coming : 4'd0);
        for (i = 0; i < 4; i = i + 1)
            if (coming[i]) begin
                reads[i*3 +: 3] <= set(arrive_sources[1:0]) | set(arrive_sources[3:2]) | set(arrive_sources[5:4]);
                writes[i*3 +: 3] <= set(arrive_destination);
            end
        before_first <= before_first & ~ending;
        before_second <= before_second & ~ending;
        reading <= 3'd0;
        if (flush) begin
            has_first <= 1'b0;
            has_second <= 1'b0;
        end else begin
            if (issue_first) begin
                has_first <= has_second && !issue_second;
                has_second <= 1'b0;
                first <= second;
                before_first <= before_second & ~ending;
                reading <= of(reads, first) | (issues_both ? of(reads, second) : 3'd0);
            end
            if (waits && to_first) begin
                has_first <= 1'b1;
                first <= arrive_entry;
                before_first <= taken & ~ending;
            end else if (waits) begin
                has_second <= 1'b1;
                second <= arrive_entry;
                before_second <= taken & ~ending;
            end
        end
    end

    // Why a buffered instruction may not be issued: an older one writes what it reads or writes, or holds or reads what
    // it writes.
    function after_result;
        input [3:0] before;
        input [1:0] entry;
        integer     k;
        begin
            after_result = 1'b0;
            for (k = 0; k < 4; k = k + 1)
                if (before[k] && (writes[k*3 +: 3] & (of(reads, entry) | of(writes, entry))) != 3'd0) after_result = 1'b1;
        end
    endfunction

    function after_holder;
        input [3:0] before;
        input [1:0] entry;
        integer     k;
        begin
            after_holder = 1'b0;
            for (k = 0; k < 4; k = k + 1)
                if (before[k] && holds[k] && (reads[k*3 +: 3] & of(writes, entry)) != 3'd0) after_holder = 1'b1;
        end
    endfunction

    wire first_result = after_result(before_first, first);
    wire first_holder = after_holder(before_first, first);
    wire first_read = (reading & of(writes, first)) != 3'd0;
    wire second_result = after_result(before_second, second);
    wire second_holder = after_holder(before_second, second);
    wire second_read = ((reading | of(reads, first)) & of(writes, second)) != 3'd0;
    wire [1:0] lowest = !taken[0] ? 2'd0 : !taken[1] ? 2'd1 : !taken[2] ? 2'd2 : 2'd3;

    // What the cycle before says about this one.
    reg       flushed;
    reg [3:0] left;
    always @(posedge clock) begin
        flushed <= flush;
        left <= taken & ~leaving;
    end

    assign bad[1] = (first_ready && first_result) || (second_ready && second_result);
    assign bad[2] = (first_ready && first_read) || (second_ready && second_read);
    assign bad[3] = (first_ready && first_holder) || (second_ready && second_holder);
    assign bad[4] = stopped != (stops != 4'd0);
    assign bad[5] = room && (taken[arrive_entry] || arrive_entry != lowest);
    assign bad[6] = room != (taken != 4'd15 && !has_second) || busy != (taken != 4'd0);
    assign bad[7] = first_valid != has_first || first_entry != (has_first ? first : 2'd0)
        || second_valid != has_second || second_entry != (has_second ? second : 2'd0);
    assign bad[8] = first_ready != (has_first && !first_result && !first_read && !first_holder)
        || second_ready != (has_second && !second_result && !second_read && !second_holder);
    assign bad[9] = flushed && (first_valid || second_valid || busy != (left != 4'd0));
    // What was likely is ready if the first one was issued exactly when it was chosen.
    reg foreseen, expected, was_arrival;
    always @(posedge clock) begin
        foreseen <= issue_first == (chosen && has_first) && !(issue_first && issue_second) && !flush;
        expected <= likely;
        was_arrival <= accept && has_first && !has_second;
    end

    assign bad[10] = stopping != ((stops & ~ending & ~checking) != 4'd0);

    // What was so of the same first instruction in the cycle before.
    reg was_result, was_read, was_holder, was_stopped, was_second, was_full, was_flushed;
    wire stays = has_first && !issue_first && !flush;
    always @(posedge clock) begin
        was_result <= stays && first_result && !first_holder;
        was_read <= stays && first_read && !first_result && !first_holder;
        was_holder <= stays && first_holder && !first_result;
        was_stopped <= stopped && ending == 4'd0 && !flush;
        was_second <= has_second && issue_first && !issue_second && second == 2'd0;
        was_full <= taken == 4'd15 && has_second;
        was_flushed <= flush && has_second && taken == 4'd15 && ending == 4'd0;
    end
    assign seen[1] = was_result && first_ready && second_ready;
    assign seen[2] = was_read && first_ready && was_stopped;
    assign seen[3] = was_holder && first_ready && !was_result && (before_first & holds) != 4'd0;
    assign seen[4] = was_stopped && !stopped && busy;
    assign seen[5] = accept && arrive_entry == 2'd2 && taken == 4'd11 && has_first;
    assign seen[6] = !room && !second_valid && taken == 4'd15 && was_full;
    assign seen[7] = was_second && first_valid && first_entry == 2'd0 && before_first == 4'd10;
    assign seen[8] = second_ready && before_second == 4'd14 && (before_second & holds) != 4'd0;
    assign seen[9] = was_flushed && busy && accept && arrive_entry == 2'd1;
    assign bad[11] = foreseen && first_ready != expected;

    assign seen[11] = foreseen && expected && was_arrival && before_first != 4'd0;
    assign seen[10] = stopped && !stopping && checked_valid && ending != 4'd0;
endmodule

// The guarantees of page_walk_cache.md, stated over its ports, for 2 walks, words of 3 bits, and 2 sets of 2 ways. What
// is kept is stated for one word and one entry, which may be any. Of an entry the bits that are looked at are free, and
// all others are alike. `bad[k]` must stay low for ever, and `seen[k]` must be reachable, or guarantee k holds for want
// of an occasion.
module page_walk_cache_proof_top (
    input  wire        clock,
    input  wire [2:0]  watched_in,
    input  wire [7:0]  value_in,
    input  wire        reserved_in,
    input  wire        ask_valid,
    input  wire        ask_walk,
    input  wire [2:0]  ask_word,
    input  wire [2:0]  ask_level,
    input  wire        ask_update,
    input  wire        ask_dirty,
    input  wire        ask_expected,
    input  wire        ask_anew,
    input  wire        memory_ready,
    input  wire        answers,
    input  wire        response_walk,
    input  wire [7:0]  response_of,
    input  wire        response_error,
    input  wire        response_changed,
    input  wire        forget,
    input  wire [3:0]  cached_levels,
    output wire [10:1] bad,
    output wire [10:1] seen
);
    wire        request_ready, answer_valid, answer_walk, answer_error, answer_changed, answer_kept;
    wire [63:0] answer_data, memory_expected;
    wire        memory_valid, memory_walk, memory_update, memory_dirty, invalidate_ready;
    wire [2:0]  memory_word, memory_level;

    // An entry: bits 63, 40, 7, 5, 2, 1, 0, and one for all others.
    function [63:0] entry;
        input [7:0] of;
        entry = {of[5], {22{of[0]}}, of[4], {32{of[0]}}, of[3], of[0], of[2], {2{of[0]}}, of[7:6], of[1]};
    endfunction

    // What may be any, and stays so.
    reg       started, reserved_kept;
    reg [2:0] watched_kept;
    reg [7:0] value_kept;
    initial started = 1'b0;
    always @(posedge clock) begin
        started <= 1'b1;
        if (!started) {watched_kept, value_kept, reserved_kept} <= {watched_in, value_in, reserved_in};
    end
    wire [2:0]  watched = started ? watched_kept : watched_in;
    wire [63:0] value = entry(started ? value_kept : value_in);
    wire        reserved = started ? reserved_kept : reserved_in;

    // Walks: each wants one thing at a time, and memory answers what it has taken. It was taken before the invalidation
    // that was asked for last, or before the one that was acknowledged last.
    reg  [1:0] busy, at_memory, cached, anew, update, dirty, expected, old, older;
    reg  [2:0] word_0, word_1, level_0, level_1;
    reg        held;
    reg [10:0] held_request;
    reg        invalidating;
    wire       request_valid = held || (ask_valid && !busy[ask_walk]);
    wire       request_walk, request_update, request_dirty, request_expected, request_bypass;
    wire [2:0] request_word, request_level;
    assign {request_walk, request_word, request_level, request_update, request_dirty, request_expected, request_bypass} =
        held ? held_request : {ask_walk, ask_word, ask_level, ask_update, ask_dirty, ask_expected, ask_anew};
    wire       response_valid = answers && at_memory[response_walk];
    wire       invalidate_valid = invalidating || forget;
    wire [63:0] response_data = entry(response_of);

    page_walk_cache_proof cache (
        .clock(clock), .reset(1'b0),
        .request_valid(request_valid), .request_walk(request_walk), .request_word(request_word),
        .request_level(request_level), .request_update(request_update), .request_dirty(request_dirty),
        .request_expected({64{request_expected}}), .request_bypass(request_bypass), .memory_ready(memory_ready),
        .response_valid(response_valid), .response_walk(response_walk), .response_data(response_data),
        .response_error(response_error), .response_changed(response_changed),
        .invalidate_valid(invalidate_valid), .cached_levels(cached_levels), .reserved_bits({20{reserved}} & 20'h00100),
        .request_ready(request_ready), .answer_valid(answer_valid), .answer_walk(answer_walk),
        .answer_data(answer_data), .answer_error(answer_error), .answer_changed(answer_changed),
        .answer_kept(answer_kept), .memory_valid(memory_valid), .memory_walk(memory_walk), .memory_word(memory_word),
        .memory_level(memory_level), .memory_update(memory_update), .memory_dirty(memory_dirty),
        .memory_expected(memory_expected), .invalidate_ready(invalidate_ready)
    );

    wire accept = request_valid && request_ready;
    wire taken = memory_valid && memory_ready;
    wire hit = answer_valid && !response_valid;
    wire begins = invalidate_valid && !invalidating;
    wire [1:0] of_request = 2'd1 << request_walk;
    wire [1:0] of_answer = 2'd1 << answer_walk;
    wire [1:0] of_memory = 2'd1 << memory_walk;
    wire level_cached = request_level >= 3'd2 && request_level <= 3'd5 && cached_levels[request_level[1:0] - 2'd2];
    wire [2:0] answered_word = answer_walk ? word_1 : word_0;
    wire [2:0] sent_word = memory_walk ? word_1 : word_0;
    wire [2:0] sent_level = memory_walk ? level_1 : level_0;
    always @(posedge clock) begin
        held <= request_valid && !request_ready;
        held_request <= {request_walk, request_word, request_level, request_update, request_dirty, request_expected,
            request_bypass};
        invalidating <= invalidate_valid && !invalidate_ready;
        busy <= (busy & ~({2{answer_valid}} & of_answer)) | ({2{accept}} & of_request);
        at_memory <= (at_memory & ~({2{response_valid}} & of_answer)) | ({2{taken}} & of_memory);
        old <= begins ? 2'd3 : old & ~({2{taken}} & of_memory);
        older <= (invalidating && invalidate_ready ? old : older) & ~({2{taken}} & of_memory);
        if (accept) begin
            cached[request_walk] <= level_cached && !request_update;
            anew[request_walk] <= request_bypass;
            update[request_walk] <= request_update;
            dirty[request_walk] <= request_dirty;
            expected[request_walk] <= request_expected;
            if (request_walk) {word_1, level_1} <= {request_word, request_level};
            else {word_0, level_0} <= {request_word, request_level};
        end
    end

    // Whether memory has answered the watched word with the watched entry: ever, to a read that it took since the last
    // acknowledged invalidation was asked for, or since one that is under way was.
    wire gives = response_valid && !response_error && !update[answer_walk] && answered_word == watched
        && response_data == value;
    reg  gave, gave_since, gave_lately;
    always @(posedge clock) begin
        gave <= gave || gives;
        gave_lately <= !begins && (gave_lately || (gives && !old[answer_walk]));
        gave_since <= gave_since || (gives && !older[answer_walk]);
        if (invalidating && invalidate_ready) gave_since <= gave_lately || (gives && !old[answer_walk]);
    end
    wire hits_watched = hit && answered_word == watched && answer_data == value;

    // Where the watched word is, as the cache fills its ways, and whether the entry that it was given last is the watched one.
    // What is there already takes its own place.
    (* hierconn *) wire [1:0] \cache.ways_found ;
    (* hierconn *) wire       \cache.fresh_q ;
    (* hierconn *) wire       \cache.searched_q ;
    (* hierconn *) wire       \cache.hitting_q ;
    (* hierconn *) wire       \cache.fill_write ;
    (* hierconn *) wire       \cache.fill_first ;
    (* hierconn *) wire       \cache.fill_idle ;
    (* hierconn *) wire       \cache.fill_comparing ;
    (* hierconn *) wire [63:0] \cache.fill_entry ;
    (* hierconn *) wire       \cache.hit ;
    (* hierconn *) wire [2:0] \cache.reads_word ;
    (* hierconn *) wire [2:0] \cache.look_held_word ;
    wire filled = \cache.fill_write ;
    wire [2:0] filled_word = \cache.reads_word ;
    wire same_set = (^filled_word[1:0]) == (^watched[1:0]);
    reg  here, there_already, given, given_to_hit;
    reg  [1:0] others;
    always @(posedge clock) begin
        if ( \cache.fill_comparing ) there_already <= \cache.ways_found != 2'd0;
        if (filled && filled_word == watched) given <= \cache.fill_entry == value;
        if ( \cache.hit ) given_to_hit <= given;
        if (filled && filled_word == watched && !here) begin
            here <= 1'b1;
            others <= 2'd0;
        end else if (filled && filled_word != watched && same_set && !there_already) begin
            others <= others + (others != 2'd3);
            if (others != 2'd0) here <= 1'b0;
        end
        if (begins) here <= 1'b0;
    end
    reg  was_here;
    always @(posedge clock) was_here <= here;
    wire looks = \cache.fresh_q && \cache.look_held_word == watched;

    // Cycles in which nothing may keep a request or an invalidation waiting.
    reg [1:0] age_0, age_1, all_0, all_1, lost;
    reg [2:0] age;
    wire first = \cache.fill_first ;
    wire counts = !response_valid && memory_ready && !first;
    wire counts_all = !response_valid && memory_ready;
    wire [1:0] leaves = ({2{answer_valid}} & of_answer) | ({2{memory_valid}} & of_memory) | at_memory;
    always @(posedge clock) begin
        if (accept && !request_walk) age_0 <= 2'd0;
        else if (counts) age_0 <= age_0 + (age_0 != 2'd3);
        if (accept && request_walk) age_1 <= 2'd0;
        else if (counts) age_1 <= age_1 + (age_1 != 2'd3);
        if (accept && !request_walk) all_0 <= 2'd0;
        else if (counts_all) all_0 <= all_0 + (all_0 != 2'd3);
        if (accept && request_walk) all_1 <= 2'd0;
        else if (counts_all) all_1 <= all_1 + (all_1 != 2'd3);
        if (\cache.fill_idle ) lost <= 2'd0;
        else if (first && counts_all && lost != 2'd3) lost <= lost + 2'd1;
        if (!invalidating) age <= 3'd0;
        else if (counts) age <= age + (age != 3'd7);
    end

    // What the cycle before says about this one.
    reg        offered;
    reg [72:0] offer_then;
    wire [72:0] offer_now = {memory_walk, memory_word, memory_level, memory_update, memory_dirty, memory_expected};
    always @(posedge clock) begin
        offered <= memory_valid && !memory_ready;
        offer_then <= offer_now;
    end

    assign bad[1] = (answer_valid && !busy[answer_walk])
        || (response_valid && (!answer_valid || answer_walk != response_walk || answer_data != response_data
            || answer_error != response_error || answer_changed != response_changed));
    assign bad[2] = hit && (answer_error || answer_changed || (answered_word == watched && answer_data == value && !gave));
    assign bad[3] = (memory_valid && (!busy[memory_walk] || at_memory[memory_walk] || memory_word != sent_word
            || memory_level != sent_level || memory_update != update[memory_walk] || memory_dirty != dirty[memory_walk]
            || memory_expected != {64{expected[memory_walk]}}))
        || (hit && (!cached[answer_walk] || anew[answer_walk] || at_memory[answer_walk]))
        || answer_kept != hit;
    assign bad[4] = hit && (!answer_data[0] || !answer_data[5] || answer_data[7] || (answer_data[40] && reserved)
        || !answer_data[1] || !answer_data[2] || answer_data[63]);
    assign bad[5] = hits_watched && !gave_since;
    assign bad[6] = ( \cache.fresh_q && ( \cache.ways_found == 2'd3)) || (hits_watched && !given_to_hit);
    assign bad[7] = looks && was_here != (\cache.ways_found != 2'd0);
    assign bad[8] = offered && (!memory_valid || offer_then != offer_now);
    assign bad[9] = (counts && busy[0] && age_0 != 2'd0 && !leaves[0]) || (counts && busy[1] && age_1 != 2'd0 && !leaves[1])
        || (counts_all && busy[0] && all_0 > 2'd1 && !leaves[0]) || (counts_all && busy[1] && all_1 > 2'd1 && !leaves[1])
        || (counts && invalidating && age > 3'd1 && !invalidate_ready);
    assign bad[10] = (!request_ready && !first && !(memory_valid && !memory_ready)
            && !(response_valid && (\cache.searched_q || \cache.hitting_q )))
        || (first && (\cache.fill_idle || (counts_all && lost == 2'd3)));

    reg was_hit, was_old, was_replaced;
    always @(posedge clock) begin
        was_replaced <= !begins && (was_replaced || (filled && filled_word == watched && here && !given));
        was_hit <= was_hit || hits_watched;
        was_old <= (was_old || (gives && older[answer_walk])) && !begins;
    end
    assign seen[1] = response_valid && busy == 2'd3 && response_error;
    assign seen[2] = was_hit && gave && hits_watched;
    assign seen[3] = was_hit && memory_valid && memory_update && at_memory != 2'd0;
    assign seen[4] = hit && answer_data[40] && !answer_data[3] && !reserved;
    assign seen[5] = was_old && was_hit && hits_watched;
    assign seen[6] = was_replaced && hits_watched && others == 2'd1;
    assign seen[7] = looks && !was_here && was_hit && gave_since;
    assign seen[8] = offered && invalidating && response_valid;
    assign seen[9] = counts && invalidating && age == 3'd2;
    assign seen[10] = first && lost == 2'd1 && counts_all && was_hit;
endmodule

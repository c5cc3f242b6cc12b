// The guarantees of page_walker.md, stated over its ports, for 2 walks, 2 requesters, 2 spaces and 4 levels, with updates.
// What a walk reads is stated for one walk, and what a requester is told for one request, which may be any. Pages, entries
// and frames have their full width; in G1 the nine bits of a page that are the index of a level are alike, and so are the
// 16 above them. Memory may also answer walks that are free, and G10 is about these. A root is written while nothing of its
// space is asked for. `bad[k]` must stay low for ever, and `seen[k]` must be reachable, or guarantee k holds for want of an
// occasion. All but G8 and the wait of the first request of G11 are proved by induction, with what else holds of the
// registers: that is the longer part of this file.
module page_walker_proof_top (
    input  wire        clock,
    input  wire        watched_in,
    input  wire [56:0] asked_in,
    input  wire [19:0] reserved_in,
    input  wire        disable_in,
    input  wire [39:0] last_in,
    input  wire        alone_in,
    input  wire [1:0]  asks,
    input  wire [111:0] asks_for,
    input  wire        answer_ready,
    input  wire        memory_ready,
    input  wire        answers,
    input  wire        response_walk,
    input  wire [63:0] response_of,
    input  wire        response_error,
    input  wire        response_refused,
    input  wire        keeps,
    input  wire        writes_root,
    input  wire        root_asid,
    input  wire [39:0] root_of,
    input  wire        forget,
    input  wire        forget_space,
    input  wire        forget_all,
    output wire [11:1] bad,
    output wire [11:1] seen
);
    wire [11:1] bad_alike, bad_any, seen_alike, seen_any;
    page_walker_guarantees #(.ALIKE(1)) alike (
        .clock(clock), .watched_in(watched_in), .asked_in(asked_in), .reserved_in(reserved_in),
        .disable_in(disable_in), .last_in(last_in), .alone_in(alone_in), .asks(asks), .asks_for(asks_for),
        .answer_ready(answer_ready), .memory_ready(memory_ready), .answers(answers),
        .response_walk(response_walk), .response_of(response_of), .response_error(response_error),
        .response_refused(response_refused), .keeps(keeps), .writes_root(writes_root), .root_asid(root_asid),
        .root_of(root_of), .forget(forget), .forget_space(forget_space), .forget_all(forget_all),
        .bad(bad_alike), .seen(seen_alike)
    );
    page_walker_guarantees #(.ALIKE(0)) any (
        .clock(clock), .watched_in(watched_in), .asked_in(asked_in), .reserved_in(reserved_in),
        .disable_in(disable_in), .last_in(last_in), .alone_in(alone_in), .asks(asks), .asks_for(asks_for),
        .answer_ready(answer_ready), .memory_ready(memory_ready), .answers(answers),
        .response_walk(response_walk), .response_of(response_of), .response_error(response_error),
        .response_refused(response_refused), .keeps(keeps), .writes_root(writes_root), .root_asid(root_asid),
        .root_of(root_of), .forget(forget), .forget_space(forget_space), .forget_all(forget_all),
        .bad(bad_any), .seen(seen_any)
    );
    assign bad = {bad_any[11:2], bad_alike[1]};
    assign seen = {seen_any[11:2], seen_alike[1]};
endmodule

module page_walker_guarantees #(parameter ALIKE = 0) (
    input  wire        clock,
    input  wire        watched_in,
    input  wire [56:0] asked_in,
    input  wire [19:0] reserved_in,
    input  wire        disable_in,
    input  wire [39:0] last_in,
    input  wire        alone_in,
    input  wire [1:0]  asks,
    input  wire [111:0] asks_for,
    input  wire        answer_ready,
    input  wire        memory_ready,
    input  wire        answers,
    input  wire        response_walk,
    input  wire [63:0] response_of,
    input  wire        response_error,
    input  wire        response_refused,
    input  wire        keeps,
    input  wire        writes_root,
    input  wire        root_asid,
    input  wire [39:0] root_of,
    input  wire        forget,
    input  wire        forget_space,
    input  wire        forget_all,
    output wire [11:1] bad,
    output wire [11:1] seen
);
    // A request: user, execute, write, space, page.
    function [55:0] request;
        input [55:0] of;
        request = ALIKE ? {of[55:52], {16{of[36]}}, {9{of[27]}}, {9{of[18]}}, {9{of[9]}}, {9{of[0]}}} : of;
    endfunction

    // What may be any, and stays so.
    reg        started, watched_kept, disable_kept, alone_kept;
    reg [19:0] reserved_kept;
    reg [56:0] asked_kept;
    reg [39:0] last_kept;
    initial started = 1'b0;
    always @(posedge clock) begin
        started <= 1'b1;
        if (!started) {watched_kept, asked_kept, reserved_kept, disable_kept, last_kept, alone_kept}
            <= {watched_in, asked_in, reserved_in, disable_in, last_in, alone_in};
    end
    wire       watched = started ? watched_kept : watched_in;
    wire [56:0] asked = {started ? asked_kept[56] : asked_in[56], request(started ? asked_kept[55:0] : asked_in[55:0])};
    wire [19:0] reserved = started ? reserved_kept : reserved_in;
    wire       disable_allowed = started ? disable_kept : disable_in;
    wire [39:0] last = started ? last_kept : last_in;
    wire       alone = started ? alone_kept : alone_in;

    // Requests stay until they are accepted.
    wire [1:0]  request_ready;
    reg  [1:0]  held;
    reg  [111:0] held_for;
    wire [1:0]  request_valid = held | asks;
    wire [55:0] of_0 = request(held[0] ? held_for[55:0] : asks_for[55:0]);
    wire [55:0] of_1 = request(held[1] ? held_for[111:56] : asks_for[111:56]);
    wire [1:0]  request_asid = {of_1[52], of_0[52]};
    wire [1:0]  request_write = {of_1[53], of_0[53]};
    wire [1:0]  request_execute = {of_1[54] && !of_1[53], of_0[54] && !of_0[53]};
    wire [1:0]  request_user = {of_1[55], of_0[55]};
    always @(posedge clock) begin
        held <= request_valid & ~request_ready;
        held_for <= {of_1, of_0};
    end

    // Memory answers what it has taken, once. An update that is not refused finds what it expects, but for what it sets.
    (* hierconn *) wire [1:0] \walker.walk_free ;
    // A request that bypasses the cache is not answered by what is kept, nor is an update.
    reg  [1:0]  at_memory, updating, requested_bypassed;
    reg  [63:0] expected_0, expected_1;
    wire [1:0]  free = \walker.walk_free ;
    wire        answers_walk = at_memory[response_walk];
    wire        response_valid = answers && (answers_walk || free[response_walk]);
    wire        response_changed = response_refused && !(answers_walk && !updating[response_walk]);
    wire        response_kept = keeps && answers_walk && !updating[response_walk] && !requested_bypassed[response_walk]
        && !response_error && !response_changed;
    wire [63:0] expected = response_walk ? expected_1 : expected_0;
    wire [63:0] response_is = answers_walk && updating[response_walk] && !response_changed
        ? {expected[63:7], response_of[6:5], expected[4:0]} : response_of;

    // An invalidation stays until it is acknowledged. It begins when the walks have ended that the last one has delayed.
    reg         invalidating, invalidating_space, invalidating_all;
    wire        invalidate_ready;
    wire        invalidate_valid = invalidating || forget;
    wire        invalidate_asid = invalidating ? invalidating_space : forget_space;
    wire        invalidate_all = invalidating ? invalidating_all : forget_all;
    (* hierconn *) wire \walker.halting_q , \walker.delays_q ;
    wire        begins = invalidate_valid && ! \walker.halting_q && ! \walker.delays_q ;
    wire        acts = begins || \walker.halting_q ;
    always @(posedge clock) begin
        invalidating <= invalidate_valid && !invalidate_ready;
        invalidating_space <= invalidate_asid;
        invalidating_all <= invalidate_all;
    end

    // Roots.
    wire [1:0]  used_space;
    wire        root_valid = writes_root && !used_space[root_asid];
    reg  [39:0] root_0, root_1;
    always @(posedge clock) if (root_valid) begin
        if (root_asid) root_1 <= root_of;
        else root_0 <= root_of;
    end

    wire        answer_valid, answer_asid, answer_write, answer_execute, answer_user, answer_readable, answer_writable,
        answer_user_page, answer_executable, answer_clean, memory_valid, memory_walk, memory_update, memory_dirty,
        memory_bypass;
    wire [1:0]  answer_requesters;
    wire [51:0] answer_vpn;
    wire [2:0]  answer_cause, answer_level, memory_level;
    wire [4:0]  answer_code;
    wire [39:0] answer_pfn;
    wire [48:0] memory_word;
    wire [63:0] memory_expected;

    page_walker_proof walker (
        .clock(clock), .reset(1'b0),
        .request_valid(request_valid), .request_vpn({of_1[51:0], of_0[51:0]}),
        .request_asid(request_asid), .request_write(request_write), .request_execute(request_execute),
        .request_user(request_user), .answer_ready(answer_ready), .memory_ready(memory_ready),
        .response_valid(response_valid), .response_walk(response_walk), .response_data(response_is),
        .response_error(response_error), .response_changed(response_changed),
        .response_kept(response_kept), .root_valid(root_valid),
        .root_asid(root_asid), .root_pfn(root_of), .invalidate_valid(invalidate_valid),
        .invalidate_asid(invalidate_asid), .invalidate_all(invalidate_all), .reserved_bits(reserved),
        .execute_disable(disable_allowed), .last_pfn(last), .no_merge(alone),
        .request_ready(request_ready), .answer_valid(answer_valid), .answer_requesters(answer_requesters),
        .answer_vpn(answer_vpn), .answer_asid(answer_asid), .answer_write(answer_write),
        .answer_execute(answer_execute), .answer_user(answer_user), .answer_cause(answer_cause),
        .answer_code(answer_code), .answer_level(answer_level), .answer_pfn(answer_pfn),
        .answer_readable(answer_readable), .answer_writable(answer_writable), .answer_user_page(answer_user_page),
        .answer_executable(answer_executable), .answer_clean(answer_clean), .memory_valid(memory_valid),
        .memory_walk(memory_walk), .memory_word(memory_word), .memory_level(memory_level),
        .memory_update(memory_update), .memory_dirty(memory_dirty), .memory_expected(memory_expected),
        .memory_bypass(memory_bypass), .invalidate_ready(invalidate_ready)
    );

    wire [1:0] of_memory = 2'd1 << memory_walk;
    wire [1:0] of_response = 2'd1 << response_walk;
    always @(posedge clock) begin
        at_memory <= (at_memory & ~({2{response_valid}} & of_response))
            | ({2{memory_valid && memory_ready}} & of_memory);
        if (memory_valid && memory_ready) begin
            updating[memory_walk] <= memory_update;
            requested_bypassed[memory_walk] <= memory_bypass;
            if (memory_walk) expected_1 <= memory_expected;
            else expected_0 <= memory_expected;
        end
    end

    // Registers: what is on its way out,
    (* hierconn *) wire \walker.leaving_q , \walker.answers_q , \walker.number_q , \walker.asid_q , \walker.write_q ,
        \walker.execute_q , \walker.user_q , \walker.marking_q , \walker.writable_q , \walker.user_page_q ,
        \walker.executable_q ;
    (* hierconn *) wire [51:0] \walker.vpn_q ;
    (* hierconn *) wire [1:0]  \walker.requesters_q ;
    (* hierconn *) wire [2:0]  \walker.level_q , \walker.cause_q ;
    (* hierconn *) wire [39:0] \walker.pfn_q , \walker.roots_q ;
    (* hierconn *) wire [63:0] \walker.pte_log_q ;
    wire        leaving = \walker.leaving_q ;
    wire        asks_memory = leaving && ! \walker.answers_q ;
    wire        tells = leaving && \walker.answers_q ;
    wire        number = \walker.number_q ;
    wire [55:0] out_kind = { \walker.user_q , \walker.execute_q , \walker.write_q , \walker.asid_q , \walker.vpn_q };
    wire        tells_watched = tells && number == watched && \walker.cause_q != 3'd1;

    // The watched walk: what it was for when it last began, its root, the entries that memory gave it since, the level of
    // the last one that was read, and which of them memory has updated.
    // Whether one of those entries was kept; and whether all that it requests has to bypass the cache, since it would have
    // ended by what is kept, or an update was refused.
    reg         was_offered, begun, spent, old, failed, used, must, was_doubted;
    reg  [2:0]  pending_level, last_level, failed_level;
    reg         pending_update, pending_dirty;
    reg  [55:0] of_walk;
    reg  [39:0] root;
    reg  [255:0] read;
    reg  [4:1]  set;
    reg         set_dirty;
    wire        offers = memory_valid && memory_walk == watched;
    wire        offers_now = offers && !was_offered;
    wire        from_root = offers_now && !memory_update && memory_level == 3'd4;
    wire        space_now = from_root ? \walker.asid_q : of_walk[52];
    wire        meant = acts && (invalidate_all || invalidate_asid == space_now);
    wire        answered = response_valid && response_walk == watched && answers_walk;
    wire        refused = answered && response_changed;
    wire        doubted; // it would have ended by what is kept
    always @(posedge clock) begin
        was_offered <= offers && !memory_ready;
        if (offers_now) {pending_level, pending_update, pending_dirty} <= {memory_level, memory_update, memory_dirty};
        if (from_root) begin
            begun <= 1'b1;
            of_walk <= out_kind;
            root <= memory_word[48:9];
            last_level <= 3'd5;
            failed <= 1'b0;
            set <= 4'd0;
            set_dirty <= 1'b0;
            used <= 1'b0;
        end
        if (answered && response_kept) used <= 1'b1;
        if (refused || doubted) begun <= 1'b0;
        else if (answered && response_error) {failed, failed_level} <= {1'b1, pending_level};
        else if (answered) begin
            read[(pending_level - 3'd1)*64 +: 64] <= response_is;
            if (!pending_update) last_level <= pending_level;
            else begin
                set[pending_level] <= 1'b1;
                if (pending_dirty) set_dirty <= 1'b1;
            end
        end
        // Whether it has begun with nothing since that lets it begin again; and whether it has begun before what was
        // invalidated last.
        if (tells_watched || meant || refused || doubted) spent <= 1'b0;
        else if (from_root) spent <= 1'b1;
        must <= !free[watched] && (must || refused || doubted);
        was_doubted <= !free[watched] && (was_doubted || doubted);
        if (begins && meant) old <= 1'b1;
        else if (from_root) old <= 1'b0;
    end
    wire [2:0] kind = of_walk[55:53];

    // What its entries say, for each level: whether it may be used, whether it maps a page, the rights and the first
    // accessed bit that is clear from the root to there, and the frame.
    wire [5:1] valid_, maps, leads, writable, user_page, executable;
    wire [4:1] all_set;
    wire [5:1] down;
    wire [14:0] unmarked;
    wire [199:0] frames;
    wire [319:0] entries = {64'd0, read};
    assign {valid_[5], maps[5], leads[5], writable[5], user_page[5], executable[5], down[5]} = 7'b1011111;
    assign unmarked[14:12] = 3'd0;
    assign frames[199:160] = root;
    genvar g, h;
    generate
        for (g = 1; g < 5; g = g + 1) begin : levels
            wire [63:0] of = read[(g - 1)*64 +: 64];
            wire        large = g == 2 && of[7];
            wire        huge = g == 3 && of[7];
            assign valid_[g] = of[0] && !(|(of[51:32] & reserved)) && !(of[63] && !disable_allowed) && !(g == 4 && of[7])
                && !(large && |of[20:13]) && !(huge && |of[29:13]);
            assign maps[g] = g == 1 || large || huge;
            assign leads[g] = valid_[g] && !maps[g];
            assign down[g] = down[g + 1] && leads[g + 1];
            assign writable[g] = writable[g + 1] && of[1];
            assign user_page[g] = user_page[g + 1] && of[2];
            assign executable[g] = executable[g + 1] && !of[63];
            assign unmarked[(g - 1)*3 +: 3] = |unmarked[g*3 +: 3] ? unmarked[g*3 +: 3] : of[5] ? 3'd0 : g;
            assign frames[(g - 1)*40 +: 40] = huge ? {of[51:30], of_walk[17:0]} 
                : large ? {of[51:21], of_walk[8:0]} : of[51:12];
            assign all_set[g] = of[5] || set[g];
        end
    endgenerate

    // What follows, from the last entry that was read.
    wire [2:0]  m = last_level;
    wire [63:0] final_entry = entries[(m - 3'd1)*64 +: 64];
    wire [39:0] final_frame = frames[(m - 3'd1)*40 +: 40];
    wire        forbidden = (kind[0] && !writable[m]) || (kind[1] && !executable[m]) || (kind[2] && !user_page[m]);
    wire        outside = final_frame > last;
    wire        complete = begun && m != 3'd0 && m < 3'd5 && down[m] && valid_[m] && maps[m] && !forbidden && !outside;
    wire        marked = (all_set[4] || m > 3'd4) && (all_set[3] || m > 3'd3) && (all_set[2] || m > 3'd2)
        && (all_set[1] || m > 3'd1) && (!kind[0] || final_entry[6] || set_dirty);
    wire [2:0]  cause = failed ? 3'd7 : !final_entry[0] ? 3'd2 : !valid_[m] ? 3'd3 : forbidden ? 3'd4
        : outside ? 3'd7 : 3'd0;
    wire        readable = cause == 3'd0
        || (cause == 3'd4 && !outside && unmarked[(m - 3'd1)*3 +: 3] == 3'd0 && (user_page[m] || !kind[2]));
    wire        ends = begun && (failed || (m != 3'd0 && m < 3'd5 && down[m] && (!valid_[m] || maps[m])
        && (cause != 3'd0 || marked)));
    wire        doubtful = ends && cause != 3'd0 && used;
    wire [2:0]  blamed = failed ? failed_level : m;
    wire [4:0]  code = cause == 3'd0 || cause == 3'd7 ? 5'd0
        : {kind[1:0] == 2'd2 && disable_allowed, cause == 3'd3, kind[2], kind[0], cause != 3'd2};

    // G2: words, and answers.
        wire [2:0]  ml = memory_level;
    wire [8:0]  index_there = of_walk[(ml - 3'd1)*9 +: 9];
    wire        right_root = memory_word == { \walker.asid_q ? root_1 : root_0, out_kind[35:27]};
    wire        right_step = begun && !failed && ml != 3'd0 && ml < 3'd4 && m == ml + 3'd1 && down[ml]
        && memory_word == {frames[ml*40 +: 40], index_there};
    wire        strays = offers && !memory_update
        && !(ml == 3'd4 ? right_root && (offers_now || (begun && m == 3'd5)) : right_step);
    wire        right_answer = ends && root == (answer_asid ? root_1 : root_0)
        && {answer_user, answer_execute, answer_write, answer_asid, answer_vpn}
            == of_walk
        && answer_cause == cause && answer_level == blamed && answer_readable == readable
        && answer_pfn == (readable ? final_frame : 40'd0)
        && answer_writable == (cause == 3'd0 && writable[m]) && answer_user_page == (cause == 3'd0 && user_page[m])
        && answer_executable == (cause == 3'd0 && executable[m])
        && answer_clean == (cause == 3'd0 && !kind[0] && !final_entry[6]) && answer_code == code;
    wire        early = tells && answer_cause == 3'd1 && ({answer_readable, answer_writable, answer_user_page,
        answer_executable, answer_clean, answer_level, answer_pfn, answer_code} != 53'd0
        || answer_vpn[51:35] == {17{answer_vpn[51]}});

    // G5: an update.
    wire        right_update = complete && !failed && ml >= m && ml < 3'd5
        && memory_word == {ml == 3'd4 ? root : frames[ml*40 +: 40], index_there}
        && memory_expected == entries[(ml - 3'd1)*64 +: 64]
        && memory_dirty == (kind[0] && ml == m)
        && (!entries[(ml - 3'd1)*64 + 5] || (memory_dirty && !final_entry[6]));

    // Registers of the two walks, of requests that wait, and of responses.
    (* hierconn *) wire [71:0] \walker.walk_vpn ;
    (* hierconn *) wire [1:0]  \walker.walk_asid , \walker.walk_write , \walker.walk_execute , \walker.walk_user ,
        \walker.walk_requesting , \walker.walk_ended , \walker.walk_marking , \walker.walk_writable , \walker.walk_user_page ,
        \walker.walk_executable , \walker.walk_used , \walker.walk_bypass , \walker.here_q , \walker.was_alike_q , \walker.walk_alike ;
    (* hierconn *) wire [3:0]  \walker.walk_requesters ;
    (* hierconn *) wire [5:0]  \walker.walk_level , \walker.walk_cause_or_level ;
    (* hierconn *) wire [79:0] \walker.walk_pfn ;
    (* hierconn *) wire \walker.walk[0].covered_q , \walker.walk[1].covered_q , \walker.walk[0].stale_q , \walker.walk[1].stale_q , \walker.chosen_q , \walker.chosen_first_q ,
        \walker.chosen_walk_q , \walker.compared_q , \walker.joins_q , \walker.back_q , \walker.back_walk_q ,
        \walker.looked_q , \walker.seen_walk_q , \walker.seen_error_q , \walker.seen_changed_q , \walker.seen_write_q ,
        \walker.seen_execute_q , \walker.seen_user_q , \walker.seen_marking_q , \walker.seen_writable_q ,
        \walker.seen_user_page_q , \walker.seen_executable_q , \walker.means_q , \walker.out_walk_q ,
        \walker.out_restart_bypassed_q , \walker.out_ends_q , \walker.out_marking_q , \walker.out_writable_q ,
        \walker.out_user_page_q , \walker.out_executable_q , \walker.seen_used_q , \walker.out_used_q , \walker.bypass_q ,
        \walker.non_canonical , \walker.go , \walker.turn_q , \walker.pop ;
    (* hierconn *) wire [63:0] \walker.back_data_q , \walker.seen_data_q ;
    (* hierconn *) wire [2:0]  \walker.seen_level_q , \walker.seen_unmarked_q , \walker.out_level_q , \walker.out_cause_or_level_q ;
    (* hierconn *) wire [17:0] \walker.seen_inside_q ;
    (* hierconn *) wire [39:0] \walker.out_pfn_q ;
    (* hierconn *) wire [1:0]  \walker.waiting.used_q , \walker.waiting.asids_q , \walker.waiting.writes_q ,
        \walker.waiting.executes_q , \walker.waiting.users_q , \walker.waiting.requesters_q ;
    (* hierconn *) wire [103:0] \walker.waiting.vpns_q ;
    (* hierconn *) wire        \walker.waiting.head_q , \walker.waiting.tail_q ;
    wire [1:0] stale = { \walker.walk[1].stale_q , \walker.walk[0].stale_q };
    wire [1:0] asking = \walker.walk_requesting ;
    wire [1:0] ended = \walker.walk_ended ;
    wire [1:0] reading = ~free & ~asking & ~ended;
    wire [1:0] marking = \walker.walk_marking ;
    wire [1:0] bypass = \walker.walk_bypass ;
    wire [1:0] here = \walker.here_q ;
    wire [1:0] waits = \walker.waiting.used_q ;
    wire       head = \walker.waiting.head_q ;
    wire       tail = \walker.waiting.tail_q ;
    wire       go = \walker.go ;

    // Responses that nobody waits for.
    reg  stray_looked, stray_meant;
    always @(posedge clock) begin
        stray_looked <= response_valid && !answers_walk;
        stray_meant <= stray_looked;
    end

    // Copies of the memories, which synthesis finds to be the same.
    reg  [63:0] trail [0:15];
    always @(posedge clock) if ( \walker.looked_q )
        trail[{ \walker.seen_walk_q , \walker.seen_level_q }] <= \walker.seen_data_q ;

    // A walk that reads is in one place.
    wire [1:0] in_out = {2{asks_memory}} & {number, !number};
    wire [1:0] in_back = {2{ \walker.back_q }} & { \walker.back_walk_q , ! \walker.back_walk_q };
    wire [1:0] in_looked = {2{ \walker.looked_q && !stray_looked}} & { \walker.seen_walk_q , ! \walker.seen_walk_q };
    wire [1:0] in_meant = {2{ \walker.means_q && !stray_meant}} & { \walker.out_walk_q , ! \walker.out_walk_q };
    wire [1:0] stray_in_looked = {2{stray_looked}} & { \walker.seen_walk_q , ! \walker.seen_walk_q };
    wire [1:0] stray_in_meant = {2{stray_meant}} & { \walker.out_walk_q , ! \walker.out_walk_q };
    wire [1:0] lost, unlike;
    generate
        for (g = 0; g < 2; g = g + 1) begin : walks
            wire [4:0] at = {in_out[g], at_memory[g], in_back[g], in_looked[g], in_meant[g]};
            wire [2:0] level = \walker.walk_level [g*3 +: 3];
            wire       at_top = level == 3'd4 && !marking[g];
            wire       fresh = free[g] || (asking[g] && at_top);
            assign lost[g] = (at & (at - 5'd1)) != 5'd0 || (|at) != reading[g]
                || (stale[g] && (asking[g] || ended[g])) || (ended[g] && \walker.walk_cause_or_level [g*3 +: 3] == 3'd1)
                || here[g] != ( \walker.chosen_q && ! \walker.chosen_first_q && \walker.chosen_walk_q == g)
                || (here[g] && !asking[g] && !ended[g])
                || (stray_in_looked[g] && (!fresh || here[g])) || (stray_in_meant[g] && !fresh)
                || (at_memory[g] && (updating[g] != marking[g] || requested_bypassed[g] != bypass[g]))
                || (bypass[g] && ( \walker.walk_used [g] || (in_looked[g] && \walker.seen_used_q )
                    || (in_meant[g] && \walker.out_used_q )));
            assign unlike[g] = (in_out[g] && ( \walker.level_q != level || \walker.bypass_q != bypass[g] || \walker.marking_q != marking[g]
                    || \walker.pfn_q != \walker.walk_pfn [g*40 +: 40]
                    || { \walker.user_q , \walker.execute_q , \walker.write_q , \walker.asid_q , \walker.vpn_q }
                        != { \walker.walk_user [g], \walker.walk_execute [g], \walker.walk_write [g], \walker.walk_asid [g],
                            {16{ \walker.walk_vpn [g*36 + 35]}}, \walker.walk_vpn [g*36 +: 36]}))
                || ( \walker.compared_q && !free[g] && \walker.was_alike_q [g] != \walker.walk_alike [g]);
        end
    endgenerate
    wire       first_used = waits[head];
    // Responses, requests that wait, and who is chosen.
    wire       adrift = ( \walker.halting_q && !invalidating) || ( \walker.out_ends_q && \walker.out_cause_or_level_q == 3'd1)
        || stray_looked && ! \walker.looked_q || stray_meant && ! \walker.means_q
        || ( \walker.chosen_q && \walker.chosen_first_q && ! \walker.non_canonical )
        || ( \walker.compared_q && (!first_used || \walker.non_canonical ))
        || \walker.joins_q != ( \walker.compared_q && ( \walker.waiting.users_q [head] || !alone))
        || (waits == 2'd0 && head != tail) || (waits == 2'd3 && head != tail)
        || (waits == 2'd1 && (head || !tail)) || (waits == 2'd2 && (!head || tail));
    wire       astray = |lost || |unlike || adrift;

    assign used_space[0] = |(request_valid & ~request_asid) || |(waits & ~ \walker.waiting.asids_q )
        || |(~free & ~ \walker.walk_asid ) || (leaving && ! \walker.asid_q );
    assign used_space[1] = |(request_valid & request_asid) || |(waits & \walker.waiting.asids_q )
        || |(~free & \walker.walk_asid ) || (leaving && \walker.asid_q );

    // The watched walk's registers say what its entries say.
    wire [2:0]  level = watched ? \walker.walk_level [5:3] : \walker.walk_level [2:0];
    wire [2:0]  note = watched ? \walker.walk_cause_or_level [5:3] : \walker.walk_cause_or_level [2:0];
    wire [39:0] walk_frame = watched ? \walker.walk_pfn [79:40] : \walker.walk_pfn [39:0];
    wire        marks = marking[watched];
    wire [2:0]  rights = { \walker.walk_writable [watched], \walker.walk_user_page [watched],
        \walker.walk_executable [watched]};
    wire [39:0] what = { \walker.walk_user [watched], \walker.walk_execute [watched], \walker.walk_write [watched],
        \walker.walk_asid [watched], watched ? \walker.walk_vpn [71:36] : \walker.walk_vpn [35:0]};
        wire        same = begun && what == {of_walk[55:52], of_walk[35:0]} && of_walk[51:36] == {16{of_walk[35]}}
        && root == (of_walk[52] ? root_1 : root_0);
    wire        top = level == 3'd4;
    wire        again = marks || !top;
    wire        later = in_looked[watched] || in_meant[watched];
    assign      doubted = in_looked[watched] && ! \walker.seen_changed_q && doubtful;
    wire        gone = (in_looked[watched] && \walker.seen_changed_q ) || (in_meant[watched] && \walker.out_restart_bypassed_q );
    // What is known above a level.
    wire        agrees = same && down[level] && (top || (walk_frame == frames[level*40 +: 40]
        && rights == {writable[level + 3'd1], user_page[level + 3'd1], executable[level + 3'd1]}
        && note == unmarked[level*3 +: 3]));
    wire        above_set = (all_set[4] || level > 3'd3) && (all_set[3] || level > 3'd2) && (all_set[2] || level > 3'd1);
    wire        on_the_way = agrees && (marks ? complete && m <= level && above_set
            : m == (later && !failed ? level : level + 3'd1) && set == 4'd0 && !set_dirty)
        && (later || !failed);
    // What it means, at its level.
    wire [2:0]  lv = level;
    wire [63:0] there = entries[(lv - 3'd1)*64 +: 64];
    wire        here_set = (all_set[lv]) && (lv != m || !kind[0] || final_entry[6] || set_dirty);
    wire        unset = unmarked[(lv - 3'd1)*3 +: 3] != 3'd0 || (kind[0] && !there[6]);
    wire        stops = failed || !valid_[lv] || (maps[lv] && (marks || forbidden || outside || !unset));
    wire [2:0]  rights_there = {writable[lv], user_page[lv], executable[lv]};
    function ended_well; // a walk's fields at its end
        input [2:0] level_, note_;
        input marking_;
        input [39:0] frame_;
        input [2:0] rights_;
        ended_well = ends && level_ == blamed && note_ == cause && (!readable || frame_ == final_frame)
            && (cause != 3'd0 || (marking_ == (!kind[0] && !final_entry[6])
                && rights_ == {writable[m], user_page[m], executable[m]}))
            && (cause != 3'd4 || rights_[2] == readable);
    endfunction
    wire        looked_well = \walker.seen_level_q == level && \walker.seen_marking_q == marks
        && \walker.seen_unmarked_q == note
        && { \walker.seen_writable_q , \walker.seen_user_page_q , \walker.seen_executable_q } == rights
        && { \walker.seen_user_q , \walker.seen_execute_q , \walker.seen_write_q } == kind
        && \walker.seen_inside_q == of_walk[17:0] && \walker.seen_error_q == failed
        && (!failed || failed_level == level)
        && (failed || ( \walker.seen_data_q == there && (!marks || here_set))) && \walker.seen_used_q == used;
    wire        meant_well = \walker.out_ends_q == stops && !doubtful && \walker.out_used_q == used
        && (stops ? ended_well( \walker.out_level_q , \walker.out_cause_or_level_q , \walker.out_marking_q , \walker.out_pfn_q ,
                { \walker.out_writable_q , \walker.out_user_page_q , \walker.out_executable_q })
            : maps[lv] ? !marks && complete && \walker.out_level_q == 3'd4 && \walker.out_marking_q
            : leads[lv] && \walker.out_level_q == level - 3'd1 && \walker.out_marking_q == marks
                && \walker.out_pfn_q == frames[(lv - 3'd1)*40 +: 40] && \walker.out_cause_or_level_q == unmarked[(lv - 3'd1)*3 +: 3]
                && { \walker.out_writable_q , \walker.out_user_page_q , \walker.out_executable_q } == rights_there
                && (!marks || here_set));
    wire        w_asking = asking[watched], w_reading = reading[watched], w_ended = ended[watched], w_free = free[watched];
    wire        w_out = in_out[watched];
    wire        uses = (w_asking && again) || (w_reading && (again || later));
    wire [4:1]  untrue;
    generate
        for (g = 1; g < 5; g = g + 1) begin : trails
            wire [2:0] of = g;
            assign untrue[g] = uses && begun && !failed && m <= g && !(in_looked[watched] && level == g)
                && trail[{watched, of}] != read[(g - 1)*64 +: 64];
        end
    endgenerate
    wire        first_out = w_out && !was_offered;
    // Whether an invalidation has met the watched walk since it was begun.
    wire        meets = begins && !w_free && (invalidate_all || invalidate_asid == \walker.walk_asid [watched]);
    reg         met;
    always @(posedge clock) met <= !w_free && (met || meets);
    wire        at_root = (w_asking && !again) || (w_reading && !again && first_out);
    wire [23:0] odd_ones;
    assign odd_ones[0] = (!w_free && (level == 3'd0 || level > 3'd4))
        || ((w_free || (w_asking && !again)) && spent && !tells_watched);
    assign odd_ones[1] = w_reading && stale[watched] && spent;
    assign odd_ones[2] = (w_asking && again && !on_the_way);
    assign odd_ones[3] = (w_reading && !gone && !(!again && first_out) && !on_the_way);
    assign odd_ones[4] = (w_reading && gone && (begun || spent || !must));
    assign odd_ones[5] = (w_reading && !again && first_out && spent);
    assign odd_ones[6] = (was_offered && !w_out);
    assign odd_ones[7] = ((w_reading && (!w_out || was_offered)) && !in_back[watched] && !later
        && (pending_level != level || pending_update != marks
        || (marks && pending_dirty != (kind[0] && level == m))));
    assign odd_ones[8] = (in_back[watched] && (!marks || \walker.back_data_q != there || !there[5]
        || (kind[0] && level == m && !there[6])));
    assign odd_ones[9] = (at_memory[watched] && marks && (watched ? expected_1 : expected_0) != there);
    assign odd_ones[10] = (in_looked[watched] && !gone && !looked_well);
    assign odd_ones[11] = (in_meant[watched] && !gone && (!meant_well || (failed && failed_level != level)));
    assign odd_ones[12] = (w_ended && (doubtful || !(same && ended_well(level, note, marks, walk_frame, rights))));
    assign odd_ones[13] = |untrue;
    assign odd_ones[14] = (tells_watched && (doubtful || !right_answer));
    assign odd_ones[15] = tells_watched && !w_free && !(w_asking && !again);
    assign odd_ones[16] = first_out && !again && stale[watched]
        && !( \walker.halting_q && (invalidating_all || invalidating_space == out_kind[52]));
    assign odd_ones[17] = asks_memory && \walker.roots_q != ( \walker.asid_q ? root_1 : root_0);
    assign odd_ones[18] = asks_memory && \walker.pte_log_q != trail[{number, \walker.level_q }];
    assign odd_ones[19] = !w_free && met != (watched ? \walker.walk[1].covered_q : \walker.walk[0].covered_q );
    assign odd_ones[20] = !w_free && met && ! \walker.delays_q && ! \walker.halting_q ;
    assign odd_ones[21] = !w_free && must != (bypass[watched] || gone);
    assign odd_ones[22] = \walker.walk_used [watched] && !w_free && !gone && (at_root || !used);
    assign odd_ones[23] = begun && !w_free && !at_root && !later && used != \walker.walk_used [watched];
    wire        strange = |odd_ones;
    // What is older than the last invalidation has gone, or is begun again.
    wire        leftover = old && (w_ended || (w_asking && again)
        || (w_reading && (again || !first_out) && !stale[watched] && !gone)
        || ((tells_watched || w_out || (w_reading && marks)) && !(w_out && !again && first_out)
            && !( \walker.halting_q && (invalidating_all || invalidating_space == of_walk[52]))));

    assign bad[2] = strays || (tells_watched && (!right_answer || doubtful)) || early || astray || strange;
    assign bad[3] = (from_root && spent) || (offers && must && !memory_bypass) || (meets && met)
        || (offers && !memory_update && ml != 3'd4 && m != ml + 3'd1) || astray || strange;
    assign bad[4] = (old && !meant && (tells_watched || (offers && memory_update) || (at_memory[watched] && pending_update)))
        || astray || strange || leftover;
    assign bad[5] = (offers && memory_update && !right_update) || astray || strange;

    // G1: the request that is asked about waits in front, with a walk, or for its answer to be taken.
    wire       by = asked[56];
    wire [55:0] asked_for = {asked[55], asked[54] && !asked[53], asked[53:0]};
    wire       accepts = request_valid[by] && request_ready[by]
        && {request_user[by], request_execute[by], request_write[by], request_asid[by], by ? of_1[51:0] : of_0[51:0]}
            == asked_for;
    wire [1:0] in_front, in_walk;
    generate
        for (g = 0; g < 2; g = g + 1) begin : holders
            assign in_front[g] = waits[g] && \walker.waiting.requesters_q [g] == by
                && asked_for == { \walker.waiting.users_q [g],
                \walker.waiting.executes_q [g], \walker.waiting.writes_q [g], \walker.waiting.asids_q [g],
                \walker.waiting.vpns_q [g*52 +: 52]};
            assign in_walk[g] = !free[g] && \walker.walk_requesters [g*2 + by] && asked_for == { \walker.walk_user [g],
                \walker.walk_execute [g], \walker.walk_write [g], \walker.walk_asid [g],
                {16{ \walker.walk_vpn [g*36 + 35]}}, \walker.walk_vpn [g*36 +: 36]};
        end
    endgenerate
    wire       told = answer_valid && answer_requesters[by]
        && {answer_user, answer_execute, answer_write, answer_asid, answer_vpn} == asked_for;
    wire [4:0] holders_now = {in_front, in_walk, told};
    wire       several = |(holders_now & (holders_now - 5'd1));
    reg        owed, twice;
    wire       served = told && answer_ready;
    always @(posedge clock) begin
        owed <= accepts || (owed && !(served && holders_now[4:1] == 4'd0));
        twice <= (accepts && owed && !served) || (accepts && served && holders_now[4:1] != 4'd0)
            || (twice && !(served && holders_now[4:1] == 4'd0));
    end
    // One that joins no walk is held as often as it was accepted.
    reg  [2:0]  pending;
    initial pending = 3'd0;
    always @(posedge clock) pending <= pending + accepts - served;
    wire [2:0]  held_times = in_front[0] + in_front[1] + in_walk[0] + in_walk[1] + told;
    wire       miscounted = alone && !asked_for[55] && pending != held_times;
    assign bad[1] = (told && !owed) || (owed != |holders_now) || (!twice && several) || doubled || miscounted || astray;

    // G6.
    wire [39:0] what_0 = { \walker.walk_user [0], \walker.walk_execute [0], \walker.walk_write [0], \walker.walk_asid [0],
        \walker.walk_vpn [35:0]};
    wire [39:0] what_1 = { \walker.walk_user [1], \walker.walk_execute [1], \walker.walk_write [1], \walker.walk_asid [1],
        \walker.walk_vpn [71:36]};
    wire        doubled = free == 2'd0 && what_0 == what_1 && (what_0[39] || !alone);
    assign bad[6] = doubled || astray;

    // G7: how often the other one has been accepted while requester 0 or 1 asked.
    reg  [1:0] passed_0, passed_1;
    always @(posedge clock) begin
        if (!request_valid[0] || request_ready[0]) passed_0 <= 2'd0;
        else passed_0 <= passed_0 + (request_ready[1] && passed_0 != 2'd3);
        if (!request_valid[1] || request_ready[1]) passed_1 <= 2'd0;
        else passed_1 <= passed_1 + (request_ready[0] && passed_1 != 2'd3);
    end
    assign bad[7] = passed_0 > 2'd1 || passed_1 > 2'd1 || (passed_0 == 2'd1 && ! \walker.turn_q )
        || (passed_1 == 2'd1 && \walker.turn_q );

    // G8: how many others have moved on since the watched walk wanted to, and in how many cycles something could have, or
    // an invalidation was done: while that is under way nothing is chosen, and whose turn it is stays.
    reg  [1:0] ahead;
    reg  [3:0] age;
    wire       wants = w_asking || w_ended;
    wire       moves = \walker.chosen_q && go;
    wire       halting = \walker.halting_q ;
    wire       lets = memory_ready && answer_ready && !root_valid && ! \walker.looked_q ;
    always @(posedge clock) begin
        if (!wants || (moves && here[watched])) {ahead, age} <= 6'd0;
        else begin
            ahead <= ahead + (moves && ! \walker.chosen_first_q && ahead != 2'd3);
            age <= age + (((lets && !halting) || (halting && invalidate_ready)) && age != 4'd15);
        end
    end
    assign bad[8] = ahead > 2'd1 || age > 4'd8 || astray;

    // G11: a walk takes so many steps, of which the last is its answer. It has taken some since it began, or since an update
    // was refused, and has some left: one for each entry to read or to mark, and all of them again if it has not yet begun
    // again after an invalidation, or past the cache.
    reg  [4:0] steps;
    wire       restarts = w_reading && (stale[watched] || gone);
    wire [3:0] left = w_ended ? 4'd1 : restarts ? 4'd9 : (marks ? 4'd1 : 4'd5) + level - w_reading;
    wire [5:0] all_steps = steps + left + (met ? 4'd0 : 4'd9) + (bypass[watched] || gone ? 4'd0 : 4'd9);
    always @(posedge clock) begin
        if (w_free || refused) steps <= 5'd0;
        else steps <= steps + (moves && here[watched]);
    end
    wire       too_many = !w_free && all_steps > 6'd27;

    // The cycles in which nothing outside holds anything up since the walk's last step, while memory does not have it: one
    // on its way out, two on its way back, and then those of G8.
    reg  [4:0] still;
    wire       counts = lets && !response_valid;
    always @(posedge clock)
        if (w_free || (moves && here[watched])) still <= 5'd0;
        else still <= still + (counts && !halting && !at_memory[watched] && still != 5'd31);
    wire       too_still = (w_out && still != 5'd0) || ((at_memory[watched] || in_back[watched]) && still > 5'd1)
        || ((in_looked[watched] || in_meant[watched]) && still > 5'd2) || (wants && age != 4'd15 && still > 5'd3 + age);

    // Those in which the first request has waited, while a walk is free or it needs none.
    reg  [3:0] front;
    always @(posedge clock)
        if (!first_used || \walker.pop || (free == 2'd0 && ! \walker.non_canonical )) front <= 4'd0;
        else front <= front + (counts && !halting && front != 4'd15);

    // Those that an invalidation takes, while memory has no update, and those that it may yet take: two until what was
    // chosen is out, one until that is gone; two until an update that is not needed is back, and one until it is meant.
    reg  [3:0] halts;
    wire [1:0] sets = reading & marking;
    wire [1:0] late = in_out | in_back | (asking & marking & here);
    wire [1:0] return_0 = late[0] && marking[0] ? 2'd2 : sets[0];
    wire [1:0] return_1 = late[1] && marking[1] ? 2'd2 : sets[1];
    wire [3:0] all_halts = halts + { \walker.chosen_q , 1'b0} + leaving + return_0 + return_1;
    always @(posedge clock)
        if (!halting) halts <= 4'd0;
        else halts <= halts + (counts && (at_memory & updating) == 2'd0 && halts != 4'd15);
    assign bad[11] = too_many || too_still || front > 4'd4 || (halting && (all_halts > 4'd7 || halts > 4'd7)) || astray
        || strange;

    // G9.
    reg         offered, told_before;
    reg [121:0] offer_then;
    reg [127:0] answer_then;
    wire [121:0] offer_now = {memory_walk, memory_word, memory_level, memory_update, memory_dirty, memory_expected,
        memory_bypass};
    wire [127:0] answer_now = {answer_requesters, answer_vpn, answer_asid, answer_write, answer_execute, answer_user,
        answer_cause, answer_code, answer_level, answer_readable, answer_pfn, answer_writable, answer_user_page,
        answer_executable, answer_clean};
    always @(posedge clock) begin
        offered <= memory_valid && !memory_ready;
        offer_then <= offer_now;
        told_before <= answer_valid && !answer_ready;
        answer_then <= answer_now;
    end
    assign bad[9] = (offered && (!memory_valid || offer_then != offer_now))
        || (told_before && (!answer_valid || answer_then != answer_now)) || astray;

    // G10: what is said to a walk that was free changes nothing, for the walk does not read when it comes.
    assign bad[10] = |(stray_in_meant & reading) || astray;

    reg was_old, was_stray;
    always @(posedge clock) begin
        was_old <= old && (was_old || (offers && invalidating));
        was_stray <= was_stray || stray_meant;
    end
    assign seen[1] = told && twice && answer_requesters == 2'd3 && in_front != 2'd0;
    assign seen[2] = tells_watched && answer_cause == 3'd0 && answer_pfn[9] && !answer_pfn[18] && answer_writable;
    assign seen[3] = offers_now && was_doubted && memory_bypass && !free[!watched] && m == 3'd4;
    assign seen[4] = was_old && w_reading && !invalidating && !pending_update && !first_out;
    assign seen[5] = offers && memory_update && memory_dirty && set[4];
    assign seen[6] = free == 2'd0 && \walker.was_alike_q == 2'd2 && \walker.compared_q ;
    assign seen[7] = passed_0 == 2'd1 && request_ready[0];
    assign seen[8] = ahead == 2'd1 && age > 4'd1 && moves && here[watched];
    assign seen[9] = offered && invalidating && offers && memory_update;
    assign seen[10] = was_stray && tells_watched;
    assign seen[11] = w_ended && met && steps > 5'd2;
endmodule

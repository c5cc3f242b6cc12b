// The guarantees of preemption_policy.md, stated over its ports, for 2 slots, times of 3 bits, and ticks of 2 cycles. Beside
// the block is what the page says of blocks and of their average. `bad[k]` must stay low for ever, and `seen[k]` must be
// reachable, or guarantee k holds for want of an occasion.
module preemption_policy_proof_top (
    input  wire       clock,
    input  wire       launch_valid,
    input  wire       begin_valid,
    input  wire       begin_slot,
    input  wire [2:0] begin_run,
    input  wire [2:0] begin_executed,
    input  wire       end_valid,
    input  wire       end_leaves,
    input  wire       end_slot,
    input  wire [1:0] issued_valid,
    input  wire [1:0] issued_slot,
    input  wire       wants,
    input  wire       want_slot,
    input  wire       want_chimera,
    input  wire       want_idempotent,
    input  wire [2:0] want_launch,
    input  wire [2:0] want_switch,
    input  wire [2:0] want_instructions,
    input  wire [2:0] want_warm_up,
    input  wire       answer_ready,
    output wire [8:1] bad,
    output wire [8:1] seen
);
    wire       query_ready, answer_valid;
    wire [2:0] answer_case, answer_remaining, answer_switch, end_run, end_executed;

    // A query stays until it is answered.
    reg         querying;
    reg  [14:0] held;
    initial querying = 1'b0;
    wire        query_valid = querying || wants;
    wire        query_slot, query_chimera, query_idempotent;
    wire [2:0]  query_launch, query_switch, query_instructions, query_warm_up;
    wire [14:0] query = querying ? held
        : {want_slot, want_chimera, want_idempotent, want_launch, want_switch, want_instructions, want_warm_up};
    assign {query_slot, query_chimera, query_idempotent, query_launch, query_switch, query_instructions, query_warm_up} = query;
    wire        queried = query_valid && !querying;
    always @(posedge clock) begin
        querying <= query_valid && !query_ready;
        held <= query;
    end

    preemption_policy_proof policy (
        .clock(clock), .reset(1'b0), .launch_valid(launch_valid),
        .begin_valid(begin_valid), .begin_slot(begin_slot), .begin_run(begin_run), .begin_executed(begin_executed),
        .end_valid(end_valid), .end_leaves(end_leaves), .end_slot(end_slot), .end_run(end_run),
        .end_executed(end_executed),
        .issued_valid(issued_valid), .issued_slot(issued_slot),
        .query_valid(query_valid), .query_slot(query_slot), .query_chimera(query_chimera), .query_idempotent(query_idempotent),
        .query_launch(query_launch), .query_switch(query_switch), .query_instructions(query_instructions),
        .query_warm_up(query_warm_up), .answer_ready(answer_ready),
        .query_ready(query_ready), .answer_valid(answer_valid), .answer_case(answer_case),
        .answer_remaining(answer_remaining), .answer_switch(answer_switch)
    );

    // The blocks.
    reg        odd;
    reg  [1:0] active;
    reg  [2:0] run_0, run_1, executed_0, executed_1;
    initial {odd, active, run_0, run_1, executed_0, executed_1} = 15'd0;
    function [2:0] more;
        input [2:0] value;
        input [1:0] by;
        more = value > 3'd7 - {1'b0, by} ? 3'd7 : value + {1'b0, by};
    endfunction
    wire [1:0] of_0 = {1'b0, issued_valid[0] && !issued_slot[0]} + {1'b0, issued_valid[1] && !issued_slot[1]};
    wire [1:0] of_1 = {1'b0, issued_valid[0] && issued_slot[0]} + {1'b0, issued_valid[1] && issued_slot[1]};
    wire [1:0] begins = {2{begin_valid}} & (2'd1 << begin_slot);
    wire [1:0] ends = {2{end_valid}} & (2'd1 << end_slot);
    always @(posedge clock) begin
        odd <= !odd;
        active <= (active & ~ends) | begins;
        if (begins[0]) {run_0, executed_0} <= {begin_run, begin_executed};
        else if (active[0]) {run_0, executed_0} <= {more(run_0, {1'b0, odd}), more(executed_0, of_0)};
        if (begins[1]) {run_1, executed_1} <= {begin_run, begin_executed};
        else if (active[1]) {run_1, executed_1} <= {more(run_1, {1'b0, odd}), more(executed_1, of_1)};
    end

    // Those that have ended: the shortest and the longest.
    reg        known, ended;
    reg  [2:0] sample, shortest, longest;
    initial {known, ended} = 2'd0;
    always @(posedge clock) begin
        ended <= |(ends & active) && !end_leaves && !launch_valid;
        sample <= end_slot ? run_1 : run_0;
        known <= !launch_valid && (known || ended);
        if (ended) begin
            shortest <= known && shortest < sample ? shortest : sample;
            longest <= known && longest > sample ? longest : sample;
        end
    end

    // What was so when the query came.
    (* hierconn *) wire       \policy.known_q ;
    (* hierconn *) wire [5:0] \policy.average_q ;
    (* hierconn *) wire [2:0] \policy.slot[0].time_q ;
    (* hierconn *) wire [2:0] \policy.slot[0].count_q ;
    (* hierconn *) wire [2:0] \policy.slot[1].time_q ;
    (* hierconn *) wire [2:0] \policy.slot[1].count_q ;
    wire [2:0] average_now = \policy.average_q [5:3];
    reg        profiled;
    reg  [1:0] blocks;
    reg  [2:0] run, executed, average;
    reg  [4:0] age;
    always @(posedge clock) begin
        age <= queried ? 5'd1 : age + (age != 5'd31);
        if (queried) begin
            profiled <= \policy.known_q && !query_chimera;
            blocks <= {1'b0, active[0]} + {1'b0, active[1]};
            run <= query_slot ? run_1 : run_0;
            executed <= query_slot ? executed_1 : executed_0;
            average <= average_now;
        end
    end

    // The estimates.
    wire [2:0] left = query_instructions > executed ? query_instructions - executed : 3'd0;
    wire [6:0] product = {4'd0, left} * {4'd0, run};
    wire [6:0] at_least = {4'd0, answer_remaining} * {4'd0, executed};
    wire       as_executed = executed == 3'd0 || executed == 3'd7 || run == 3'd0 ? answer_remaining == 3'd7
        : product >= at_least && (answer_remaining == 3'd7 || product < at_least + {4'd0, executed});
    wire       as_profiled = answer_remaining == (average > run ? average - run : 3'd0);
    wire [4:0] of_all = query_chimera ? {2'd0, query_switch} : {3'd0, blocks} * {2'd0, query_switch};

    // The case, row by row.
    wire [4:0] remaining = {2'd0, answer_remaining}, switch = {2'd0, answer_switch};
    wire [4:0] launch = {2'd0, query_launch}, warm_up = {2'd0, query_warm_up};
    wire [4:0] sum = {2'd0, run} + remaining;
    wire [4:0] whole = profiled ? {2'd0, average} : sum > 5'd7 ? 5'd7 : sum;
    wire [4:0] rest = launch - remaining;
    wire       saved_now = launch < remaining && switch < remaining;
    wire       saved_next = launch >= remaining && rest < whole && switch < whole && warm_up < rest;
    wire [2:0] pep = saved_now && switch < launch ? 3'd0 : saved_now ? 3'd1
        : saved_next && warm_up + switch < rest ? 3'd4 : saved_next ? 3'd3 : 3'd2;
    wire       misses = switch > launch;
    wire [2:0] chimera = remaining <= launch ? 3'd2
        : query_idempotent && ({2'd0, run} < switch + switch || misses) ? 3'd5
        : misses && remaining < switch ? 3'd2 : 3'd6;

    reg        told;
    reg  [8:0] answer_then;
    always @(posedge clock) begin
        told <= answer_valid && !answer_ready;
        answer_then <= {answer_case, answer_remaining, answer_switch};
    end

    assign bad[1] = (answer_valid && !querying) || (query_ready != (answer_valid && answer_ready))
        || (querying && !answer_valid && age >= 5'd19);
    assign bad[2] = answer_valid && answer_case != (query_chimera ? chimera : pep);
    assign bad[3] = answer_valid && !(profiled ? as_profiled : as_executed);
    assign bad[4] = answer_valid && {2'd0, answer_switch} != (of_all > 5'd7 ? 5'd7 : of_all);
    assign bad[5] = \policy.slot[0].time_q != run_0 || \policy.slot[0].count_q != executed_0
        || \policy.slot[1].time_q != run_1 || \policy.slot[1].count_q != executed_1
        || {end_run, end_executed} != (end_slot ? {run_1, executed_1} : {run_0, executed_0});
    assign bad[6] = \policy.known_q != known || (known && (average_now < shortest || average_now > longest));
    assign bad[7] = told && (!answer_valid || answer_then != {answer_case, answer_remaining, answer_switch});
    assign bad[8] = answer_valid && (query_chimera
        ? (answer_case != 3'd2 && answer_case != 3'd6 && !(answer_case == 3'd5 && query_idempotent))
        : answer_case > 3'd4);

    assign seen[1] = querying && answer_valid && age == 5'd19;
    assign seen[2] = answer_valid && answer_case == 3'd4 && profiled;
    assign seen[3] = answer_valid && !profiled && answer_remaining == 3'd3 && executed == 3'd2;
    assign seen[4] = answer_valid && !query_chimera && answer_switch == 3'd6 && blocks == 2'd2;
    assign seen[5] = run_0 == 3'd7 && executed_1 == 3'd7 && active == 2'd3;
    assign seen[6] = known && shortest != longest && average_now != shortest;
    assign seen[7] = told && answer_then != 9'd0;
    assign seen[8] = answer_valid && answer_case == 3'd5 && answer_switch < query_launch;
endmodule

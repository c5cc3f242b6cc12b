// The guarantees of sm_pipeline.md, stated over its ports, with 4 warps of 4 instructions each, a queue and a log of 4
// entries. The scheme is the log; with QUEUE defined it is the replay queue, with CHECK warp disable until the last check,
// with COMMIT until commit, and with STALL stall on fault, to which nothing faults; to these three G5 does not apply. `bad[k]`
// must stay low for ever, and `seen[k]` must be reachable, or guarantee k holds for want of an occasion. G1 to G5 are proved by induction, with what else holds of the registers: that is the longer part of this
// file.
module sm_pipeline_proof_top (
    input  wire        clock,
    input  wire        entries_in,
    input  wire        start_valid_in,
    input  wire [1:0]  start_warp,
    input  wire        start_slot,
    input  wire        stop_valid_in,
    input  wire [1:0]  stop_warp,
    input  wire        resume_valid_in,
    input  wire [1:0]  resume_warp,
    input  wire [1:0]  fetched_valid,
    input  wire [5:0]  fetched_class,
    input  wire [15:0] registers_in,
    input  wire        marks,
    input  wire        special_ready,
    input  wire        memory_ready_in,
    input  wire [4:0]  finished_in,
    input  wire [9:0]  finished_warp_in,
    input  wire [9:0]  finished_entry_in,
    input  wire        checked_in,
    input  wire        faulted_in,
    input  wire        told_in,
    output wire [8:1]  bad,
    output wire [8:1]  seen
);
    // Whether sources are held until the last check; whether the fetch stops until then or until commit, and what faults is
    // fetched again.
`ifdef QUEUE
    `define PIPELINE sm_pipeline_proof_queue
    localparam HOLDS = 1'b1, DISABLES = 1'b0, COMMITS = 1'b0, LOGS = 1'b0;
`elsif CHECK
    `define PIPELINE sm_pipeline_proof_check
    localparam HOLDS = 1'b0, DISABLES = 1'b1, COMMITS = 1'b0, LOGS = 1'b0;
`elsif COMMIT
    `define PIPELINE sm_pipeline_proof_commit
    localparam HOLDS = 1'b0, DISABLES = 1'b1, COMMITS = 1'b1, LOGS = 1'b0;
`elsif STALL
    `define PIPELINE sm_pipeline_proof_stall
    localparam HOLDS = 1'b0, DISABLES = 1'b0, COMMITS = 1'b0, LOGS = 1'b0;
`else
    `define PIPELINE sm_pipeline_proof
    localparam HOLDS = 1'b0, DISABLES = 1'b0, COMMITS = 1'b0, LOGS = 1'b1;
`endif
    localparam QUEUES = HOLDS || LOGS, FAULTS = QUEUES || DISABLES;

    function [7:0] register;
        input [1:0] number;
        register = {{7{number[1]}}, number[0]};
    endfunction

    // The first cycle launches the log, if there is one, with one entry for each of four blocks, or two for each of two.
    reg started;
    initial started = 1'b0;
    always @(posedge clock) started <= 1'b1;

    // A warp begins once; what has begun may be stopped and resumed.
    reg [3:0] begun;
    wire start_valid = started && start_valid_in && !begun[start_warp];
    wire stop_valid = stop_valid_in && begun[stop_warp];
    wire resume_valid = resume_valid_in && begun[resume_warp];
    always @(posedge clock) if (start_valid) begun[start_warp] <= 1'b1;

    wire [1:0]  fetch_valid, read_valid, read_replayed;
    wire [11:0] fetch_warp, read_warp;
    wire [3:0]  read_entry;
    wire [5:0]  read_class;
    wire [15:0] read_destination, read_source_a, read_source_b, read_source_c;
    wire [63:0] read_pc;
    wire        resume_ready, revert_valid, memory_valid, memory_front, memory_replayed, memory_squashed, checked_ready;
    wire [5:0]  revert_warp, memory_warp;
    wire [1:0]  revert_count, memory_entry, memory_index, memory_log_address, memory_log_data;
    wire [2:0]  memory_class;
    wire [3:0]  memory_slot;
    wire [31:0] memory_pc;

    // Instructions are numbered as they are fetched, modulo 8; one of warp 0 may be marked. If it is fetched again because it
    // has faulted, it has its mark again, and goes to global memory again.
    reg  [11:0] count;
    reg         marked;
    reg         buffered; // it was fetched, and is not issued
    reg         has_faulted;
    reg  [1:0]  state; // 0: not issued, 1: issued and not checked, 2: squashed, 3: checked
    wire [2:0]  number_0 = count[fetch_warp[1:0]*3 +: 3];
    wire [2:0]  number_1 = count[fetch_warp[7:6]*3 +: 3];
    wire [1:0]  fetching = fetch_valid & fetched_valid;
    wire        comes_again = DISABLES && state == 2'd2 && !buffered;
    wire        marking = (marked ? comes_again : marks) && fetching[0] && fetch_warp[5:0] == 6'd0;
    wire [31:0] pc_0 = {28'd0, marking, number_0};
    wire [31:0] pc_1 = {29'd0, number_1};
    wire [2:0]  class_0 = (marking && comes_again) ? {2'b10, fetched_class[0]}
        : (fetched_class[2:0] > 3'd5) ? 3'd0 : fetched_class[2:0];
    wire [2:0]  class_1 = (fetched_class[5:3] > 3'd5) ? 3'd0 : fetched_class[5:3];

    // What executes and may finish, and up to two global-memory instructions that are being translated.
    reg  [15:0] executing;
    reg  [1:0]  translating;
    reg  [3:0]  told_warp, told_entry, told_index, told_address, told_data;
    reg  [7:0]  told_slot;
    reg  [1:0]  told_store;
    reg  [1:0]  told_marked;
    wire        global_front = memory_class[2];
    wire        memory_ready = memory_ready_in && !(&translating && global_front);
    wire        taken = memory_valid && memory_ready;
    wire        place = translating[0];
    wire        told = told_in;
    wire        checked_valid = checked_in && translating[told];
    wire        faulted_valid = FAULTS && faulted_in && translating[told] && !checked_valid;
    wire        checking = checked_valid && checked_ready;

    wire [3:0] named [0:4];
    wire [4:0] finished;
    genvar u;
    generate
        for (u = 0; u < 5; u = u + 1) begin : units
            assign named[u] = {finished_warp_in[u*2 +: 2], finished_entry_in[u*2 +: 2]};
        end
    endgenerate
    assign finished[0] = finished_in[0] && executing[named[0]];
    assign finished[1] = finished_in[1] && executing[named[1]] && !(finished[0] && named[0] == named[1]);
    assign finished[2] = finished_in[2] && executing[named[2]] && !(finished[0] && named[0] == named[2])
        && !(finished[1] && named[1] == named[2]);
    assign finished[3] = finished_in[3] && executing[named[3]] && !(finished[0] && named[0] == named[3])
        && !(finished[1] && named[1] == named[3]) && !(finished[2] && named[2] == named[3]);
    assign finished[4] = finished_in[4] && executing[named[4]] && !(finished[0] && named[0] == named[4])
        && !(finished[1] && named[1] == named[4]) && !(finished[2] && named[2] == named[4])
        && !(finished[3] && named[3] == named[4]);

    `PIPELINE pipeline (
        .clock(clock), .reset(1'b0),
        .launch_valid(!started), .launch_entries(entries_in ? 3'd2 : 3'd1),
        .start_valid(start_valid), .start_warp({4'd0, start_warp}), .start_slot({3'd0, start_slot}),
        .stop_valid(stop_valid), .stop_warp({4'd0, stop_warp}),
        .resume_valid(resume_valid), .resume_warp({4'd0, resume_warp}), .resume_ready(resume_ready),
        .fetch_valid(fetch_valid), .fetch_warp(fetch_warp), .fetched_valid(fetched_valid),
        .fetched_class({class_1, class_0}),
        .fetched_destination({register(registers_in[9:8]), register(registers_in[1:0])}),
        .fetched_source_a({register(registers_in[11:10]), register(registers_in[3:2])}),
        .fetched_source_b({register(registers_in[13:12]), register(registers_in[5:4])}),
        .fetched_source_c({register(registers_in[15:14]), register(registers_in[7:6])}),
        .fetched_pc({pc_1, pc_0}), .fetched_mask(64'd0), .fetched_opcode(14'd0),
        .revert_valid(revert_valid), .revert_warp(revert_warp), .revert_count(revert_count),
        .read_valid(read_valid), .read_warp(read_warp), .read_entry(read_entry), .read_class(read_class),
        .read_replayed(read_replayed), .read_destination(read_destination), .read_source_a(read_source_a),
        .read_source_b(read_source_b), .read_source_c(read_source_c), .read_pc(read_pc),
        .special_ready(special_ready), .memory_ready(memory_ready), .operand(2048'd0),
        .memory_front(memory_front), .memory_valid(memory_valid), .memory_warp(memory_warp), .memory_slot(memory_slot),
        .memory_entry(memory_entry), .memory_class(memory_class), .memory_pc(memory_pc),
        .memory_replayed(memory_replayed), .memory_squashed(memory_squashed), .memory_index(memory_index),
        .memory_log_address(memory_log_address), .memory_log_data(memory_log_data),
        .finished_valid(finished),
        .finished_warp({4'd0, named[4][3:2], 4'd0, named[3][3:2], 4'd0, named[2][3:2], 4'd0, named[1][3:2], 4'd0, named[0][3:2]}),
        .finished_entry({named[4][1:0], named[3][1:0], named[2][1:0], named[1][1:0], named[0][1:0]}),
        .checked_valid(checked_valid), .checked_warp({4'd0, told_warp[told*2 +: 2]}),
        .checked_entry(told_entry[told*2 +: 2]), .checked_index(told_index[told*2 +: 2]),
        .checked_slot(told_slot[told*4 +: 4]), .checked_store(told_store[told]),
        .checked_log_address(told_address[told*2 +: 2]), .checked_log_data(told_data[told*2 +: 2]),
        .checked_ready(checked_ready),
        .faulted_valid(faulted_valid), .faulted_warp({4'd0, told_warp[told*2 +: 2]}),
        .faulted_entry(told_entry[told*2 +: 2]), .faulted_index(told_index[told*2 +: 2]),
        .save_valid(1'b0), .save_slot(4'd0), .saved_ready(1'b0),
        .restore_valid(1'b0), .restore_warp(6'd0), .restore_slot(4'd0), .restore_store(1'b0), .restore_destination(8'd0),
        .restore_source_a(8'd0), .restore_source_b(8'd0), .restore_pc(32'd0), .restore_mask(32'd0), .restore_opcode(7'd0)
    );

    // The ghosts.
    wire [1:0]  first_reads = read_valid & ~read_replayed;
    wire [3:0]  reader_0 = {read_warp[1:0], read_entry[1:0]};
    wire [3:0]  reader_1 = {read_warp[7:6], read_entry[3:2]};
    wire [3:0]  mover = {memory_warp[1:0], memory_entry};
    reg  [11:0] issued;
    // Global-memory instructions that have been checked and not finished, by their entries, if they disable their warps; and
    // the warps with one that was fetched and neither reverted nor, as the scheme has it, checked or finished.
    reg  [15:0] committing;
    reg  [3:0]  disabled;
    // Control instructions that were read and have not finished, by their entries, and the warps with one that was fetched and
    // neither finished nor reverted.
    reg  [15:0] branches;
    reg  [3:0]  branching;
    wire [15:0] ending = ({15'd0, finished[0]} << named[0]) | ({15'd0, finished[1]} << named[1])
        | ({15'd0, finished[2]} << named[2]) | ({15'd0, finished[3]} << named[3]) | ({15'd0, finished[4]} << named[4]);
    integer     w;
    // Two instructions of one warp: the older one is on the warp's own port.
    wire        pair = first_reads == 2'b11 && read_warp[1:0] == read_warp[7:6];
    wire        swapped = pair && read_warp[0];
    wire [2:0]  expected_0 = issued[read_warp[1:0]*3 +: 3] + {2'd0, swapped};
    wire [2:0]  expected_1 = issued[read_warp[7:6]*3 +: 3] + {2'd0, pair && !swapped};
    always @(posedge clock) begin
        for (w = 0; w < 4; w = w + 1) begin
            count[w*3 +: 3] <= count[w*3 +: 3] + {2'd0, fetching[0] && fetch_warp[1:0] == w}
                + {2'd0, fetching[1] && fetch_warp[7:6] == w}
                - ((revert_valid && revert_warp[1:0] == w) ? {1'b0, revert_count} : 3'd0);
            issued[w*3 +: 3] <= issued[w*3 +: 3] + {2'd0, first_reads[0] && read_warp[1:0] == w}
                + {2'd0, first_reads[1] && read_warp[7:6] == w}
                - {2'd0, DISABLES && faulted_valid && told_warp[told*2 +: 2] == w};
            disabled[w] <= (fetching[0] && class_0[2] && fetch_warp[1:0] == w)
                || (fetching[1] && class_1[2] && fetch_warp[7:6] == w)
                || (disabled[w] && !(COMMITS ? |(committing[w*4 +: 4] & ending[w*4 +: 4]) : checking && told_warp[told*2 +: 2] == w)
                    && !(revert_valid && revert_warp[1:0] == w));
            branching[w] <= (fetching[0] && class_0 == 3'd2 && fetch_warp[1:0] == w)
                || (fetching[1] && class_1 == 3'd2 && fetch_warp[7:6] == w)
                || (branching[w] && !(|(branches[w*4 +: 4] & ending[w*4 +: 4]))
                    && !(revert_valid && revert_warp[1:0] == w && |revert_count));
        end
        branches <= branches & ~ending;
        if (read_valid[0] && read_class[2:0] == 3'd2) branches[reader_0] <= 1'b1;
        if (read_valid[1] && read_class[5:3] == 3'd2) branches[reader_1] <= 1'b1;
        if (read_valid[0] && read_class[2:0] < 3'd3) executing[reader_0] <= 1'b1;
        if (read_valid[1] && read_class[5:3] < 3'd3) executing[reader_1] <= 1'b1;
        if (taken && !global_front) executing[mover] <= 1'b1;
        if (checking) executing[{told_warp[told*2 +: 2], told_entry[told*2 +: 2]}] <= 1'b1;
        for (w = 0; w < 5; w = w + 1) if (finished[w]) executing[named[w]] <= 1'b0;
        committing <= committing & ~ending;
        if (COMMITS && checking) committing[{told_warp[told*2 +: 2], told_entry[told*2 +: 2]}] <= 1'b1;
        if (checking || faulted_valid) translating[told] <= 1'b0;
        if (taken && global_front) begin
            translating[place] <= 1'b1;
            told_warp[place*2 +: 2] <= memory_warp[1:0];
            told_entry[place*2 +: 2] <= memory_entry;
            told_index[place*2 +: 2] <= memory_index;
            told_slot[place*4 +: 4] <= memory_slot;
            told_store[place] <= memory_class[0];
            told_address[place*2 +: 2] <= memory_log_address;
            told_data[place*2 +: 2] <= memory_log_data;
            told_marked[place] <= memory_pc[3];
        end
    end

    // G1: in order, none left out, none twice; what is reverted is exactly what was not issued. The reads lag the issue
    // by a cycle, so what is issued when a warp reverts has been read. Where warps are disabled, what faults is the last one that
    // was issued, by G2, and is expected again.
    wire disorder = (first_reads[0] && read_pc[2:0] != expected_0) || (first_reads[1] && read_pc[34:32] != expected_1);
    assign seen[1] = first_reads == 2'b11 && pair && read_pc[2:0] == 3'd4;

    // G2: of warp 0, with any register: nothing is read or written that an instruction before it is still to write.
    reg  [3:0] writing [0:2];
    function [2:0] set;
        input [7:0] number;
        set = (number[7] && number[0]) ? 3'd0 : (3'd1 << {number[7], number[0]});
    endfunction
    wire       own_0 = first_reads[0] && read_warp[5:0] == 6'd0;
    wire       own_1 = first_reads[1] && read_warp[11:6] == 6'd0;
    wire       any_0 = read_valid[0] && read_warp[5:0] == 6'd0;
    wire [2:0] uses_0 = set(read_destination[7:0]) | set(read_source_a[7:0]) | set(read_source_b[7:0]) | set(read_source_c[7:0]);
    wire [2:0] uses_1 = set(read_destination[15:8]) | set(read_source_a[15:8]) | set(read_source_b[15:8])
        | set(read_source_c[15:8]);
    wire [2:0] pending = {|writing[2], |writing[1], |writing[0]};
    wire [3:0] ends_0 = (({3'd0, finished[0] && named[0][3:2] == 2'd0}) << named[0][1:0])
        | (({3'd0, finished[1] && named[1][3:2] == 2'd0}) << named[1][1:0])
        | (({3'd0, finished[2] && named[2][3:2] == 2'd0}) << named[2][1:0])
        | (({3'd0, finished[3] && named[3][3:2] == 2'd0}) << named[3][1:0])
        | (({3'd0, finished[4] && named[4][3:2] == 2'd0}) << named[4][1:0])
        | (({3'd0, faulted_valid && told_warp[told*2 +: 2] == 2'd0}) << told_entry[told*2 +: 2]);
    wire       resumed_0 = resume_valid && resume_ready && resume_warp == 2'd0;
    integer    r;
    always @(posedge clock) begin
        for (r = 0; r < 3; r = r + 1) begin
            writing[r] <= (resumed_0 ? 4'd0 : writing[r] & ~ends_0)
                | ((any_0 && set(read_destination[7:0]) == (3'd1 << r)) ? (4'd1 << read_entry[1:0]) : 4'd0)
                | ((own_1 && set(read_destination[15:8]) == (3'd1 << r)) ? (4'd1 << read_entry[3:2]) : 4'd0);
        end
    end
    wire past_hazard = (own_0 && |(uses_0 & pending)) || (own_1 && |(uses_1 & pending))
        || (own_0 && own_1 && |(uses_1 & set(read_destination[7:0])))
        || (own_0 && own_1 && |(set(read_destination[15:8]) & (set(read_source_a[7:0]) | set(read_source_b[7:0]) | set(read_source_c[7:0]))));
    // Where sources are held: until the last check of the marked instruction nothing that follows writes the registers of its
    // address and its data, however often it is issued again. Where warps are disabled: nothing of any warp is fetched behind a
    // global-memory instruction until its last check or commit, or until it goes back to the source.
    reg  [15:0] sources;
    function writes_one;
        input [7:0]  destination;
        input [23:0] among;
        writes_one = !(&destination)
            && (destination == among[7:0] || destination == among[15:8] || destination == among[23:16]);
    endfunction
    wire overwrites = HOLDS && ^state
        && ((own_0 && writes_one(read_destination[7:0], {8'hff, sources}))
            || (own_1 && writes_one(read_destination[15:8], {8'hff, sources})));
    wire past_check = DISABLES
        && ((fetching[0] && disabled[fetch_warp[1:0]]) || (fetching[1] && disabled[fetch_warp[7:6]]));
    // Nothing of any warp is fetched behind a control instruction until it finishes, or goes back to the source.
    wire past_control = (fetching[0] && branching[fetch_warp[1:0]]) || (fetching[1] && branching[fetch_warp[7:6]]);
    assign seen[2] = own_0 && own_1 && |pending && (!HOLDS || (has_faulted && state == 2'd1)) && (!DISABLES || disabled[0]) && |branching;

    // G3: the marked instruction is executed once, whatever faults, and before anything that follows it goes on. Where warps are
    // disabled, nothing that follows it is even issued before its last check.
    wire       first_read = first_reads[0] && read_pc[3] || first_reads[1] && read_pc[35];
    wire       replayed = read_replayed[0] && read_pc[3];
    wire       reads_marked = first_read || replayed;
    wire       is_global = replayed || (read_pc[3] && first_reads[0] ? read_class[2] : read_class[5]);
    wire       reverts_0 = revert_valid && revert_warp == 6'd0;
    wire       takes_marked = taken && global_front && memory_pc[3];
    reg        sent;
    // What is issued in the cycle of the fault is read in the next one.
    reg        was_squashed;
    always @(posedge clock) begin
        was_squashed <= state == 2'd2;
        if (marking) begin
            marked <= 1'b1;
            buffered <= 1'b1;
        end
        if (first_read) buffered <= 1'b0;
        if (reverts_0 && buffered && !first_read) begin
            marked <= state == 2'd2;
            buffered <= 1'b0;
        end
        if (takes_marked) sent <= 1'b1;
        if (checking && told_marked[told]) begin
            state <= 2'd3;
            sent <= 1'b0;
        end
        if (faulted_valid && told_marked[told]) begin
            state <= 2'd2;
            sent <= 1'b0;
            has_faulted <= 1'b1;
        end
        if (reads_marked && is_global) state <= 2'd1;
        if (first_read)
            sources <= read_pc[3] ? {read_source_b[7:0], read_source_a[7:0]} : {read_source_b[15:8], read_source_a[15:8]};
    end
    wire early = DISABLES ? ^state : was_squashed;
    wire repeated = (takes_marked && (sent || state == 2'd3))
        || (reads_marked && is_global && state == 2'd3)
        || (own_0 && !read_pc[3] && early)
        || (own_1 && !read_pc[35] && (early || (DISABLES && own_0 && read_pc[3] && read_class[2])));
    assign seen[3] = takes_marked && (has_faulted || !FAULTS);

    // G4: one instruction a cycle for a single unit, and the memory stage has a place for what comes.
    (* hierconn *) wire [2:0] \pipeline.stage.places.count_q ;
    (* hierconn *) wire       \pipeline.stage.push_valid ;
    (* hierconn *) wire       \pipeline.stage.pop ;
    assign bad[4] = (&read_valid && ((read_class[2:0] == 3'd1 && read_class[5:3] == 3'd1)
            || (read_class[2:0] == 3'd2 && read_class[5:3] == 3'd2) || (read_class[2:0] > 3'd2 && read_class[5:3] > 3'd2)))
        || (\pipeline.stage.places.count_q == 3'd4 && \pipeline.stage.push_valid && !\pipeline.stage.pop );
    assign seen[4] = &read_valid && read_class[2:0] > 3'd2 && \pipeline.stage.places.count_q == 3'd3;

    // G5: an insert into the queue finds an entry.
    (* hierconn *) wire       \pipeline.stage.queue_.insert_valid ;
    (* hierconn *) wire       \pipeline.stage.queue_.insert_ready ;
    wire refused = \pipeline.stage.queue_.insert_valid && !\pipeline.stage.queue_.insert_ready ;
    assign seen[5] = \pipeline.stage.queue_.insert_valid && memory_index == 2'd2;

    // What else holds, so that with it a guarantee follows from one cycle for the next one. First the registers: of the
    // warps,
    (* hierconn *) wire [3:0] \pipeline.warp[0].board.used_q , \pipeline.warp[1].board.used_q ,
        \pipeline.warp[2].board.used_q , \pipeline.warp[3].board.used_q ;
    (* hierconn *) wire \pipeline.warp[0].board.first_q , \pipeline.warp[1].board.first_q , \pipeline.warp[2].board.first_q ,
        \pipeline.warp[3].board.first_q ;
    (* hierconn *) wire \pipeline.warp[0].board.second_q , \pipeline.warp[1].board.second_q ,
        \pipeline.warp[2].board.second_q , \pipeline.warp[3].board.second_q ;
    (* hierconn *) wire \pipeline.warp[0].running_q , \pipeline.warp[1].running_q , \pipeline.warp[2].running_q ,
        \pipeline.warp[3].running_q ;
    (* hierconn *) wire \pipeline.warp[0].reverting_q , \pipeline.warp[1].reverting_q , \pipeline.warp[2].reverting_q ,
        \pipeline.warp[3].reverting_q ;
    (* hierconn *) wire [7:0]   \pipeline.warp_first_entry , \pipeline.warp_second_entry ;
    (* hierconn *) wire [423:0] \pipeline.warp_first , \pipeline.warp_second ;
    (* hierconn *) wire [3:0] \pipeline.warp[0].board.stops_q , \pipeline.warp[1].board.stops_q ,
        \pipeline.warp[2].board.stops_q , \pipeline.warp[3].board.stops_q ;
    (* hierconn *) wire \pipeline.warp[0].refetch_q , \pipeline.warp[1].refetch_q , \pipeline.warp[2].refetch_q ,
        \pipeline.warp[3].refetch_q ;
    wire [15:0] used = { \pipeline.warp[3].board.used_q , \pipeline.warp[2].board.used_q , \pipeline.warp[1].board.used_q ,
        \pipeline.warp[0].board.used_q };
    wire [3:0] first = { \pipeline.warp[3].board.first_q , \pipeline.warp[2].board.first_q , \pipeline.warp[1].board.first_q ,
        \pipeline.warp[0].board.first_q };
    wire [3:0] second = { \pipeline.warp[3].board.second_q , \pipeline.warp[2].board.second_q ,
        \pipeline.warp[1].board.second_q , \pipeline.warp[0].board.second_q };
    wire [3:0] running = { \pipeline.warp[3].running_q , \pipeline.warp[2].running_q , \pipeline.warp[1].running_q ,
        \pipeline.warp[0].running_q };
    wire [3:0] reverting = { \pipeline.warp[3].reverting_q , \pipeline.warp[2].reverting_q , \pipeline.warp[1].reverting_q ,
        \pipeline.warp[0].reverting_q };
    wire [15:0] stops = { \pipeline.warp[3].board.stops_q , \pipeline.warp[2].board.stops_q , \pipeline.warp[1].board.stops_q ,
        \pipeline.warp[0].board.stops_q };
    wire [3:0] refetch = { \pipeline.warp[3].refetch_q , \pipeline.warp[2].refetch_q , \pipeline.warp[1].refetch_q ,
        \pipeline.warp[0].refetch_q };

    // of the ports and of operand read,
    (* hierconn *) wire [1:0] \pipeline.issue_port[0].scheduler.choice_q , \pipeline.issue_port[1].scheduler.choice_q ,
        \pipeline.fetch_port[0].choice_q , \pipeline.fetch_port[1].choice_q ;
    (* hierconn *) wire \pipeline.issue_port[0].scheduler.number_q , \pipeline.issue_port[1].scheduler.number_q ,
        \pipeline.fetch_port[0].number_q , \pipeline.fetch_port[1].number_q ,
        \pipeline.fetch_port[0].some_choice_q , \pipeline.fetch_port[1].some_choice_q ,
        \pipeline.operand_read[0].stopped_q , \pipeline.operand_read[1].stopped_q ,
        \pipeline.operand_read[0].reads_memory_q , \pipeline.operand_read[1].reads_memory_q ,
        \pipeline.reissue.restore_reading_q , \pipeline.squash.reporting_q , \pipeline.resume.well_q ;
    (* hierconn *) wire [1:0] \pipeline.reissue.reading_index_q , \pipeline.squash.in_entry_q ;
    (* hierconn *) wire [5:0] \pipeline.squash.of_warp_q , \pipeline.resume.replaying_q ;
    wire [7:0] choice = { \pipeline.issue_port[0].scheduler.choice_q , \pipeline.issue_port[1].scheduler.choice_q ,
        \pipeline.fetch_port[0].choice_q , \pipeline.fetch_port[1].choice_q };
    wire [3:0] choice_number = { \pipeline.issue_port[0].scheduler.number_q , \pipeline.issue_port[1].scheduler.number_q ,
        \pipeline.fetch_port[0].number_q , \pipeline.fetch_port[1].number_q };
    wire [1:0] reads_memory = { \pipeline.operand_read[1].reads_memory_q , \pipeline.operand_read[0].reads_memory_q };
    wire       reporting = \pipeline.squash.reporting_q ;

    // and of the memory stage.
    (* hierconn *) wire [431:0] \pipeline.stage.places.place_request ;
    (* hierconn *) wire [7:0]   \pipeline.stage.places.place_entry , \pipeline.stage.places.place_index ;
    (* hierconn *) wire [3:0]   \pipeline.stage.places.place_replayed , \pipeline.stage.places.only_queue_q ;
    (* hierconn *) wire         \pipeline.stage.places.no_credit_q , \pipeline.stage.places.no_credit_two_q ,
        \pipeline.stage.places.had_credit_two_q , \pipeline.stage.has_place_q , \pipeline.stage.has_two_q ;
    (* hierconn *) wire [3:0]   \pipeline.stage.queue_.live_q , \pipeline.stage.queue_.waiting_q ,
        \pipeline.stage.queue_.checked_q , \pipeline.stage.queue_.candidate_q ;
    (* hierconn *) wire [23:0]  \pipeline.stage.queue_.warp_q ;
    (* hierconn *) wire [11:0]  \pipeline.stage.queue_.age_q ;
    (* hierconn *) wire [2:0]   \pipeline.stage.queue_.count_q , \pipeline.stage.queue_.wanted_age_q ;
    (* hierconn *) wire [1:0]   \pipeline.stage.queue_.scan_q , \pipeline.stage.queue_.offered_q ,
        \pipeline.stage.queue_.payload_address ;
    (* hierconn *) wire [5:0]   \pipeline.stage.queue_.scan_warp_q ;
    (* hierconn *) wire         \pipeline.stage.queue_.more_ages_q , \pipeline.stage.queue_.picking_q ,
        \pipeline.stage.queue_.offering_replay_q , \pipeline.stage.queue_.offering_save_q , \pipeline.stage.queue_.inserting ;
    (* hierconn *) wire [119:0] \pipeline.stage.queue_.payload_data ;
    wire [2:0] held_count = \pipeline.stage.places.count_q ;
    wire [3:0] held = {held_count > 3'd3, held_count > 3'd2, held_count > 3'd1, held_count > 3'd0};
    wire [3:0] again = \pipeline.stage.places.place_replayed ;
    wire       has_place = \pipeline.stage.has_place_q ;
    wire       has_two = \pipeline.stage.has_two_q ;
    wire [3:0] live = \pipeline.stage.queue_.live_q ;
    wire [3:0] waiting = \pipeline.stage.queue_.waiting_q ;
    wire [3:0] candidate = \pipeline.stage.queue_.candidate_q ;
    wire [2:0] queue_count = \pipeline.stage.queue_.count_q ;
    wire       scan = \pipeline.stage.queue_.scan_q == 2'd1;
    wire [5:0] scan_warp = \pipeline.stage.queue_.scan_warp_q ;
    wire       picking = \pipeline.stage.queue_.picking_q ;
    wire       offering = \pipeline.stage.queue_.offering_replay_q ;
    wire [1:0] offered = \pipeline.stage.queue_.offered_q ;

    // Of the queue's memory, a copy of address and data registers, warp and mark, which synthesis finds to be the same.
    reg  [22:0] kept [0:3];
    reg  [22:0] kept_read;
    always @(posedge clock)
        if ( \pipeline.stage.queue_.inserting )
            kept[ \pipeline.stage.queue_.payload_address ] <=
                { \pipeline.stage.queue_.payload_data [95:80], \pipeline.stage.queue_.payload_data [101:96],
                    \pipeline.stage.queue_.payload_data [3]};
        else if (picking) kept_read <= kept[ \pipeline.stage.queue_.payload_address ];

    // What has been issued is in operand read (0 and 1), in the memory stage (2 to 5), is being translated (6 and 7), or was
    // squashed there and is still to be told (8); or it executes.
    wire [8:0]  at = {reporting, translating, held, read_valid};
    wire [23:0] place_warp;
    wire [11:0] place_class;
    wire [3:0]  place_marked;
    wire [63:0] carried;
    genvar g, h;
    generate
        for (h = 0; h < 4; h = h + 1) begin : places
            assign place_class[h*3 +: 3] = \pipeline.stage.places.place_request [h*108 +: 3];
            assign carried[h*16 +: 16] = \pipeline.stage.places.place_request [h*108 + 18 +: 16];
            assign place_marked[h] = \pipeline.stage.places.place_request [h*108 + 37];
            assign place_warp[h*6 +: 6] = \pipeline.stage.places.place_request [h*108 + 98 +: 6];
        end
    endgenerate
    wire [53:0] at_warp = { \pipeline.squash.of_warp_q , 4'd0, told_warp[3:2], 4'd0, told_warp[1:0], place_warp, read_warp};
    wire [26:0] at_class = {9'd0, place_class, read_class};
    wire [17:0] at_entry = { \pipeline.squash.in_entry_q , told_entry, \pipeline.stage.places.place_entry , read_entry};
    wire [17:0] at_index = {2'd0, told_index, \pipeline.stage.places.place_index , 2'd0, \pipeline.reissue.reading_index_q };
    wire [8:0]  at_marked = {1'b0, told_marked, place_marked, read_pc[35], read_pc[3]};
    // Whether it may still fault; whether it is in the queue, and does not wait there; whether it is on its way to the queue,
    // and only there because its warp has stopped.
    wire [8:0]  unchecked;
    wire [8:0]  queued = !QUEUES ? 9'd0 : at & {1'b0, 2'b11, again, read_replayed};
    wire [8:0]  enters = !QUEUES ? 9'd0 : unchecked & ~queued;
    wire [8:0]  cut = {3'd0, \pipeline.stage.places.only_queue_q , \pipeline.operand_read[1].stopped_q ,
        \pipeline.operand_read[0].stopped_q };
    wire [8:0]  marked_at = at & at_marked;
    wire [8:0]  unlike, misplaced;
    wire [35:0] of_warp;
    generate
        for (h = 0; h < 9; h = h + 1) begin : issued_ones
            wire [2:0] class_ = at_class[h*3 +: 3];
            wire [5:0] warp = at_warp[h*6 +: 6];
            wire [1:0] index = at_index[h*2 +: 2];
            assign unchecked[h] = at[h] && (class_ > 3'd3 || h == 6 || h == 7);
            assign unlike[h] = class_ > 3'd5 || (!at[h] && |class_) || (h > 1 && h < 6 && at[h] && class_ < 3'd3)
                || (h < 6 && queued[h] && class_ < 3'd4) || (h > 1 && cut[h] && !enters[h]) || (at[h] && |warp[5:2]);
            assign misplaced[h] = queued[h] && (kept[index][6:0] != {warp, at_marked[h]} || !live[index] || waiting[index]);
        end
        for (g = 0; g < 4; g = g + 1) begin : warps_of_those
            for (h = 0; h < 9; h = h + 1) begin : issued_ones
                assign of_warp[g*9 + h] = at[h] && at_warp[h*6 +: 6] == g;
            end
        end
    endgenerate

    // The stages hold what they may: a place in the memory stage and one in the queue is kept for what comes.
    wire [3:0] coming = {1'b0, held_count} + {3'd0, |reads_memory};
    wire [3:0] promised = {1'b0, queue_count} + $countones(enters);
    wire       overfull = coming > 4'd4 || (! \pipeline.stage.places.no_credit_q && coming > 4'd3) || &reads_memory
        || (! \pipeline.stage.places.no_credit_two_q && coming > 4'd2)
        || ( \pipeline.stage.places.had_credit_two_q && coming > 4'd3)
        || promised > 4'd4 || (has_place && promised > 4'd3) || (has_two && (promised > 4'd2 || !has_place)) || queue_count != $countones(live)
        || reads_memory != {at_class[5:3] > 3'd2, at_class[2:0] > 3'd2}
        || |(again & ~held) || \pipeline.reissue.restore_reading_q ;
    wire [3:0] unchosen;
    generate
        for (g = 0; g < 4; g = g + 1) begin : schedulers
            assign unchosen[g] = |choice[g*2 +: 2] && choice[g*2 +: 2] != (2'd1 << choice_number[g]);
        end
    endgenerate
    wire misguided = |unchosen || |choice[1:0] != \pipeline.fetch_port[1].some_choice_q
        || |choice[3:2] != \pipeline.fetch_port[0].some_choice_q
        || reverting != (revert_valid ? 4'd1 << revert_warp[1:0] : 4'd0);

    // Each entry of a scoreboard that is used belongs to one instruction, in one place. A warp that runs has nothing that
    // waits for a replay. Of one that stops, all that is on its way to the queue will wait there. One that is replayed has
    // room for it in its scoreboard, and nothing else is fetched or issued. A warp that is disabled has one instruction that may
    // fault, has faulted and is not fetched again, or has still to commit, and none behind it.
    wire [15:0] lost, unstopped;
    wire [3:0]  waits, scanned, disordered, overtaken, forked;
    wire [15:0] forks;
    generate
        for (g = 0; g < 4; g = g + 1) begin : warps
            wire [8:0] here = of_warp[g*9 +: 9];
            wire [3:0] waiting_here;
            wire [1:0] to_come = {second[g] && \pipeline.warp_second [g*106 +: 3] > 3'd3,
                first[g] && \pipeline.warp_first [g*106 +: 3] > 3'd3};
            wire [7:0] flies = here[7:0] & unchecked[7:0];
            for (h = 0; h < 4; h = h + 1) begin : entries
                wire [8:0] among;
                genvar k;
                for (k = 0; k < 9; k = k + 1) begin : issued_ones
                    assign among[k] = here[k] && at_entry[k*2 +: 2] == h;
                end
                assign lost[g*4 + h] = $countones({among, executing[g*4 + h], first[g] && \pipeline.warp_first_entry [g*2 +: 2] == h,
                    second[g] && \pipeline.warp_second_entry [g*2 +: 2] == h}) != used[g*4 + h];
                assign unstopped[g*4 + h] = DISABLES && !stops[g*4 + h] && (|(among & unchecked) || committing[g*4 + h]
                    || (to_come[0] && \pipeline.warp_first_entry [g*2 +: 2] == h)
                    || (to_come[1] && \pipeline.warp_second_entry [g*2 +: 2] == h));
                assign waiting_here[h] = waiting[h] && \pipeline.stage.queue_.warp_q [h*6 +: 6] == g;
            end
            assign waits[g] = |waiting_here;
            wire [3:0] commits = committing[g*4 +: 4];
            assign overtaken[g] = DISABLES && ($countones({to_come, flies, refetch[g], commits}) != disabled[g]
                || |(commits & ~executing[g*4 +: 4])
                || (first[g] && |{flies, refetch[g], commits}) || (second[g] && to_come[0])
                || (|here[1:0] && |{flies[7:2], refetch[g], commits}) || (flies[g % 2] && here[1 - g % 2])
                || (refetch[g] && (running[g] || !begun[g])) || (reverting[g] && !first[g] && !refetch[g]));
            // A control instruction that waits for its issue, is being read, or has not finished is in an entry that stops its
            // warp, and there is one at most.
            for (h = 0; h < 4; h = h + 1) begin : control_at
                assign forks[g*4 + h] = branches[g*4 + h]
                    || (here[0] && read_class[2:0] == 3'd2 && at_entry[1:0] == h)
                    || (here[1] && read_class[5:3] == 3'd2 && at_entry[3:2] == h)
                    || (first[g] && \pipeline.warp_first [g*106 +: 3] == 3'd2 && \pipeline.warp_first_entry [g*2 +: 2] == h)
                    || (second[g] && \pipeline.warp_second [g*106 +: 3] == 3'd2 && \pipeline.warp_second_entry [g*2 +: 2] == h);
            end
            assign forked[g] = |(forks[g*4 +: 4] & ~stops[g*4 +: 4]) || |(branches[g*4 +: 4] & ~executing[g*4 +: 4])
                || $countones(forks[g*4 +: 4]) != {2'd0, branching[g]} || (DISABLES && disabled[g] && branching[g])
                || (first[g] && \pipeline.warp_first [g*106 +: 3] == 3'd2 && second[g])
                || (first[g] && (|branches[g*4 +: 4] || (here[0] && read_class[2:0] == 3'd2) || (here[1] && read_class[5:3] == 3'd2)));
            assign scanned[g] = scan && scan_warp == g;
            wire       stopping = waits[g] || |(here & enters & cut) || |(here[1:0] & ~read_replayed & cut[1:0]);
            wire       newer = |(here & enters) || |(here[1:0] & ~read_replayed);
            wire [3:0] flying = $countones(used[g*4 +: 4]) - {3'd0, here[8]};
            assign disordered[g] = (running[g] && (reverting[g] || scanned[g] || stopping || here[8] || !begun[g]))
                || (stopping && |(here & enters & ~cut))
                || (scanned[g] && (reverting[g] || first[g] || newer || here[8]))
                || (here[8] && |(here[1:0] & ~read_replayed))
                || flying + $countones(waiting_here) > 4'd4
                || (!begun[g] && (waits[g] || |used[g*4 +: 4] || scanned[g]))
                || (second[g] && !first[g]) || \pipeline.warp_first [g*106 +: 3] > 3'd5
                || \pipeline.warp_second [g*106 +: 3] > 3'd5;
        end
    endgenerate

    // An entry of the queue that does not wait belongs to one of those, too. The ages of a warp's entries differ and do not
    // overflow, and a scan leaves out nothing, if its warp does not stop again.
    wire [3:0] strange;
    generate
        for (g = 0; g < 4; g = g + 1) begin : queue_entries
            wire [5:0] warp = \pipeline.stage.queue_.warp_q [g*6 +: 6];
            wire [2:0] age = \pipeline.stage.queue_.age_q [g*3 +: 3];
            wire [8:0] among;
            wire [3:0] twin;
            for (h = 0; h < 9; h = h + 1) begin : issued_ones
                assign among[h] = queued[h] && at_index[h*2 +: 2] == g;
            end
            for (h = 0; h < 4; h = h + 1) begin : others
                assign twin[h] = h != g && live[h] && \pipeline.stage.queue_.warp_q [h*6 +: 6] == warp
                    && \pipeline.stage.queue_.age_q [h*3 +: 3] == age;
            end
            wire [3:0] oldest = {1'b0, age} + $countones(enters & of_warp[warp[1:0]*9 +: 9]);
            wire       is_offered = offering && offered == g;
            wire       of_scan = waiting[g] && scan && warp == scan_warp;
            assign strange[g] = $countones(among) != (live[g] && !waiting[g]) || (waiting[g] && !live[g])
                || \pipeline.stage.queue_.checked_q [g] || (live[g] && (|warp[5:2] || kept[g][6:1] != warp))
                || (live[g] && (|twin || oldest > 4'd6 || (has_place && running[warp[1:0]] && oldest > 4'd5)))
                || ((candidate[g] || is_offered) && !of_scan)
                || (of_scan && \pipeline.resume.well_q && !candidate[g] && !is_offered
                    && !( \pipeline.stage.queue_.more_ages_q && age <= \pipeline.stage.queue_.wanted_age_q ));
        end
    endgenerate
    wire scan_strays = \pipeline.stage.queue_.scan_q > 2'd1 || \pipeline.stage.queue_.offering_save_q
        || (!scan && ( \pipeline.stage.queue_.more_ages_q || picking || offering))
        || picking != |candidate || $countones(candidate) > 1 || (picking && offering)
        || (scan && ( \pipeline.resume.replaying_q != scan_warp || |scan_warp[5:2]))
        || (offering && kept_read != kept[offered])
        || read_replayed[1] || (read_replayed[0] && !(read_valid[0] && scan && scan_warp == read_warp[5:0]));

    wire astray = |unlike || |misplaced || overfull || misguided || |lost || |disordered || |strange || scan_strays
        || |unstopped || |overtaken;
    assign bad[5] = refused || astray;

    // What is fetched and not issued has the numbers that come next.
    wire [3:0] misnumbered;
    generate
        for (g = 0; g < 4; g = g + 1) begin : numbers
            wire [2:0] next = issued[g*3 +: 3] + $countones(of_warp[g*9 +: 2] & ~read_replayed);
            wire [2:0] last = next + $countones({first[g], second[g], DISABLES && refetch[g]});
            assign misnumbered[g] = (first[g] && \pipeline.warp_first [g*106 + 42 +: 3] != next)
                || (second[g] && \pipeline.warp_second [g*106 + 42 +: 3] != next + 3'd1)
                || count[g*3 +: 3] != last;
        end
    endgenerate
    assign bad[1] = disorder || astray || |misnumbered;

    // Warp 0: what waits for its issue knows what it waits for, and what its instructions write is what its scoreboard keeps.
    (* hierconn *) wire [31:0] \pipeline.warp[0].board.destination_q ;
    (* hierconn *) wire [3:0]  \pipeline.warp[0].board.first_results_q , \pipeline.warp[0].board.second_results_q ;
    (* hierconn *) wire        \pipeline.warp[0].board.second_after_q ;
    (* hierconn *) wire [7:0]  \pipeline.warp[0].board.last_a_q , \pipeline.warp[0].board.last_b_q ,
        \pipeline.warp[0].board.last_c_q ;
    (* hierconn *) wire [3:0]  \pipeline.warp[0].board.holds_q , \pipeline.warp[0].board.first_holders_q ,
        \pipeline.warp[0].board.second_holders_q ;
    (* hierconn *) wire [31:0] \pipeline.warp[0].board.held_a_q , \pipeline.warp[0].board.held_b_q ,
        \pipeline.warp[0].board.held_c_q ;
    // Destination and sources a, b and c of the two that wait for their issue.
    wire [31:0] older = \pipeline.warp_first [41:10];
    wire [31:0] younger = \pipeline.warp_second [41:10];
    wire [2:0]  older_class = \pipeline.warp_first [2:0];
    wire [2:0]  younger_class = \pipeline.warp_second [2:0];
    wire [23:0] last = { \pipeline.warp[0].board.last_c_q , \pipeline.warp[0].board.last_b_q , \pipeline.warp[0].board.last_a_q };
    wire [2:0]  sources_of_older = set(older[15:8]) | set(older[23:16]) | set(older[31:24]);
    wire [2:0]  uses_of_older = sources_of_older | set(older[7:0]);
    wire [2:0]  uses_of_younger = set(younger[7:0]) | set(younger[15:8]) | set(younger[23:16]) | set(younger[31:24]);
    wire [3:0]  unaware, released;
    wire [10:0] torn;
    generate
        for (h = 0; h < 4; h = h + 1) begin : entries_of_0
            wire [7:0] destination = \pipeline.warp[0].board.destination_q [h*8 +: 8];
            wire [2:0] written = {writing[2][h], writing[1][h], writing[0][h]};
            wire is_first = first[0] && \pipeline.warp_first_entry [1:0] == h;
            wire is_second = second[0] && \pipeline.warp_second_entry [1:0] == h;
            wire is_read_0 = any_0 && read_entry[1:0] == h;
            wire is_read_1 = own_1 && read_entry[3:2] == h;
            wire before = used[h] && !is_first && !is_second;
            wire was_read = before && !is_read_0 && !is_read_1;
            assign unaware[h] = (first[0] && before && ! \pipeline.warp[0].board.first_results_q [h]
                    && |(set(destination) & uses_of_older))
                || (second[0] && (before || is_first) && ! \pipeline.warp[0].board.second_results_q [h]
                    && |(set(destination) & uses_of_younger))
                || (was_read && |(set(destination) & ((own_0 ? uses_0 : 3'd0) | (own_1 ? uses_1 : 3'd0))))
                || (is_first && destination != older[7:0]) || (is_second && destination != younger[7:0])
                || (is_read_0 && destination != read_destination[7:0]) || (is_read_1 && destination != read_destination[15:8])
                // What was squashed in the memory stage stays a ghost until its warp is resumed.
                || (|written && !(was_read && written == set(destination))
                    && (running[0] || scanned[0] || own_0 || own_1 || !begun[0]));
            // The sources of an instruction are held from its fetch on, and what waits for its issue behind it knows that.
            wire [23:0] held_here = { \pipeline.warp[0].board.held_c_q [h*8 +: 8], \pipeline.warp[0].board.held_b_q [h*8 +: 8],
                \pipeline.warp[0].board.held_a_q [h*8 +: 8]};
            wire holds_here = \pipeline.warp[0].board.holds_q [h];
            wire [7:0] marked_here;
            for (g = 0; g < 8; g = g + 1) begin : marked_ones
                assign marked_here[g] = marked_at[g] && unchecked[g] && at_entry[g*2 +: 2] == h;
            end
            assign released[h] = HOLDS && (
                (first[0] && before && holds_here && ! \pipeline.warp[0].board.first_holders_q [h]
                    && writes_one(older[7:0], held_here))
                || (second[0] && (before || is_first) && holds_here && ! \pipeline.warp[0].board.second_holders_q [h]
                    && writes_one(younger[7:0], held_here))
                || (is_first && older_class > 3'd3 && (!holds_here || held_here != older[31:8]))
                || (is_second && younger_class > 3'd3 && (!holds_here || held_here != younger[31:8]))
                || (marked_here[0] && (!holds_here || held_here[15:0] != {read_source_b[7:0], read_source_a[7:0]}))
                || (marked_here[1] && (!holds_here || held_here[15:0] != {read_source_b[15:8], read_source_a[15:8]}))
                || (|marked_here[7:2] && (!holds_here || held_here[15:0] != sources)));
            assign torn[h] = destination[6:1] != {6{destination[7]}};
        end
        for (h = 0; h < 4; h = h + 1) begin : registers
            assign torn[4 + h] = older[h*8 + 1 +: 6] != {6{older[h*8 + 7]}} || younger[h*8 + 1 +: 6] != {6{younger[h*8 + 7]}};
        end
        for (h = 0; h < 3; h = h + 1) begin : sources
            assign torn[8 + h] = last[h*8 + 1 +: 6] != {6{last[h*8 + 7]}};
        end
    endgenerate
    wire rash = (second[0] && last != younger[31:8]) || (first[0] && !second[0] && last != older[31:8])
        || (second[0] && ! \pipeline.warp[0].board.second_after_q && |(set(younger[7:0]) & sources_of_older))
        || (own_1 && any_0 && !own_0);
    // What the marked instruction has with it are its sources, on its way to the queue, in it, and back.
    wire [7:0]  changed;
    generate
        for (h = 0; h < 4; h = h + 1) begin : places_of_marked
            assign changed[h] = marked_at[2 + h] && enters[2 + h] && carried[h*16 +: 16] != sources;
        end
        for (h = 0; h < 4; h = h + 1) begin : entries_of_marked
            assign changed[4 + h] = live[h] && kept[h][0] && kept[h][22:7] != sources;
        end
    endgenerate
    wire altered = HOLDS && (|changed || (replayed && {read_source_b[7:0], read_source_a[7:0]} != sources));
    assign bad[2] = past_hazard || overwrites || past_check || past_control || |forked || astray || |unaware || |torn || rash || |released || altered
        || (HOLDS && mistaken);

    // The marked instruction is in one place at most, and that agrees with what it has been through.
    wire [3:0] marked_waits = waiting & {kept[3][0], kept[2][0], kept[1][0], kept[0][0]};
    wire [7:0] marked_buffered;
    generate
        for (g = 0; g < 4; g = g + 1) begin : buffers
            assign marked_buffered[g] = first[g] && \pipeline.warp_first [g*106 + 45];
            assign marked_buffered[4 + g] = second[g] && \pipeline.warp_second [g*106 + 45];
        end
    endgenerate
    wire [4:0] marks_0 = $countones({marked_at, marked_waits, marked_buffered});
    wire       unissued = |marked_buffered || |(marked_at[1:0] & ~read_replayed);
    wire       comes_back = DISABLES && state == 2'd2;
    wire mistaken = marks_0 > 5'd1 || |(marked_at & ~of_warp[8:0]) || |(marked_waits & ~{
            \pipeline.stage.queue_.warp_q [23:18] == 6'd0, \pipeline.stage.queue_.warp_q [17:12] == 6'd0,
            \pipeline.stage.queue_.warp_q [11:6] == 6'd0, \pipeline.stage.queue_.warp_q [5:0] == 6'd0})
        || |{marked_buffered[7:5], marked_buffered[3:1]}
        || (!marked && (marks_0 != 5'd0 || state != 2'd0))
        || buffered != unissued || (unissued && state != 2'd0 && !comes_back)
        || sent != |marked_at[7:6] || (|(marked_at[7:2] & unchecked[7:2]) && state != 2'd1)
        || ((|marked_waits || replayed) && !(^state))
        || (state == 2'd2 && !DISABLES && (!(|marked_waits || replayed) || running[0]))
        || (comes_back && ((first[0] && !(marked_buffered[0] && older_class > 3'd3))
            || |marked_at[7:2] || |(of_warp[1:0] & ~(marked_at[1:0] & unchecked[1:0]))))
        || (state == 2'd1 && !(|(marked_at & unchecked)) && !(|marked_waits))
        || (!DISABLES && was_squashed && (own_0 || own_1));
    assign bad[3] = repeated || astray || mistaken;

    // G6: the front of the memory stage leaves within six cycles, and at once if there is no queue. Those do not count in which
    // the memory unit refuses it, or a fault is told, which goes before what the stage has to tell.
    reg  [2:0] standing;
    wire       delayed = (memory_valid && !memory_ready) || faulted_valid;
    always @(posedge clock)
        if (!held[0] || \pipeline.stage.pop ) standing <= 3'd0;
        else if (!delayed) standing <= standing + 3'd1;
    assign bad[6] = standing == (QUEUES ? 3'd6 : 3'd1);
    assign seen[6] = QUEUES ? standing == 3'd2 : &held && \pipeline.stage.pop ;

    // G7: what can issue does so before it has been able to for eight cycles in a row, in which its unit takes two more, if it needs
    // no log entries (five with the log, where no access to global memory is such). What needs them takes them in turn: when it is chosen and lacks them, and nobody has the turn, it is called; who is called has the turn
    // until it is issued or goes back; and while any of a block has the turn, no other access of it is issued.
    (* hierconn *) wire \pipeline.warp[0].board_first_ready , \pipeline.warp[0].buffer_free , \pipeline.warp[0].buffer_free_next ,
        \pipeline.warp[0].issue_first ,
        \pipeline.reissue_valid ;
    (* hierconn *) wire [15:0] \pipeline.stage_left_one , \pipeline.stage_left_two , \pipeline.log_turns_calls ,
        \pipeline.log_turns_kept ;
    (* hierconn *) wire [3:0] \pipeline.warp_turn , \pipeline.warp[0].own_slot_q , \pipeline.warp[1].own_slot_q ,
        \pipeline.warp[2].own_slot_q , \pipeline.warp[3].own_slot_q ;
    wire [15:0] slot_of = { \pipeline.warp[3].own_slot_q , \pipeline.warp[2].own_slot_q , \pipeline.warp[1].own_slot_q ,
        \pipeline.warp[0].own_slot_q };
    wire [15:0] calls = \pipeline.log_turns_calls ;
    wire [15:0] kept_slots = \pipeline.log_turns_kept ;
    wire [3:0]  turn = \pipeline.warp_turn ;
    wire [2:0]  next_class = \pipeline.warp_first [2:0];
    wire        logs = LOGS && next_class > 3'd3;
    wire        may = running[0] && \pipeline.warp[0].board_first_ready ;
    wire        able = may && \pipeline.warp[0].buffer_free && ! \pipeline.reissue_valid ;
    wire        stays = ! \pipeline.warp[0].issue_first && !reverting[0];
    wire        entries = (next_class == 3'd4) ? \pipeline.stage_left_one [slot_of[3:0]] : \pipeline.stage_left_two [slot_of[3:0]];
    reg  [3:0]  passed;
    reg  [3:0]  had_turn;
    reg         lacked, was_called, been_called, keeps_turn;
    always @(posedge clock) begin
        if (logs || !able || ! \pipeline.warp[0].buffer_free_next || \pipeline.warp[0].issue_first ) passed <= 4'd0;
        else passed <= passed + 4'd1;
        had_turn <= turn;
        lacked <= logs && able && choice[6] && !entries && !kept_slots[slot_of[3:0]];
        was_called <= logs && may && stays && calls[slot_of[3:0]];
        if (was_called) been_called <= 1'b1;
        keeps_turn <= turn[0] && stays;
    end
    // What is read now was issued in the cycle before.
    wire [7:0]  holders;
    wire [1:0]  out_of_turn;
    generate
        for (h = 0; h < 2; h = h + 1) begin : readers
            wire [1:0] warp = read_warp[h*6 +: 2];
            for (g = 0; g < 4; g = g + 1) begin : holders_of
                assign holders[h*4 + g] = had_turn[g] && slot_of[g*4 +: 4] == slot_of[warp*4 +: 4];
            end
            assign out_of_turn[h] = first_reads[h] && read_class[h*3 + 2] && |holders[h*4 +: 4] && !had_turn[warp];
        end
    endgenerate
    assign bad[7] = passed == (LOGS ? 4'd5 : 4'd8) || astray || (LOGS && (|out_of_turn || (lacked && !calls[slot_of[3:0]])
        || (was_called && !turn[0]) || (keeps_turn && !turn[0])));
    assign seen[7] = passed == 4'd4 && (!LOGS || been_called);

    // G8: a warp that has stopped and of which nothing is under way goes on within eight cycles, if no other one is
    // replayed. Whatever else holds, G2, G3 and G5 have shown to hold always.
    reg  [3:0] held_back;
    reg        been_astray;
    wire       drained = resume_valid && resume_warp == 2'd0 && !running[0] && !(|executing[3:0]) && !(|of_warp[7:0]) && !scan;
    always @(posedge clock) begin
        if (astray) been_astray <= 1'b1;
        if (!drained || resume_ready) held_back <= 4'd0;
        else held_back <= held_back + 4'd1;
    end
    assign bad[8] = held_back == 4'd8 && !astray && !been_astray;
    assign seen[8] = held_back == (QUEUES ? 4'd3 : 4'd2);
endmodule

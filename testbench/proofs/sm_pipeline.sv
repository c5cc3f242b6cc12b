// The guarantees of sm_pipeline.md, stated over its ports, for the log scheme with 4 warps of 4 instructions each, a queue
// and a log of 4 entries. `bad[k]` must stay low for ever, and `seen[k]` must be reachable, or guarantee k holds for want of
// an occasion.
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
    output wire [5:1]  bad,
    output wire [5:1]  seen
);
    function [7:0] register;
        input [1:0] number;
        register = {{7{number[1]}}, number[0]};
    endfunction

    // The first cycle launches the log, with one entry for each of four blocks, or two for each of two.
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

    // Instructions are numbered as they are fetched, modulo 8; one of warp 0 may be marked.
    reg  [11:0] count;
    reg         marked;
    wire [2:0]  number_0 = count[fetch_warp[1:0]*3 +: 3];
    wire [2:0]  number_1 = count[fetch_warp[7:6]*3 +: 3];
    wire [1:0]  fetching = fetch_valid & fetched_valid;
    wire        marking = marks && !marked && fetching[0] && fetch_warp[5:0] == 6'd0;
    wire [31:0] pc_0 = {28'd0, marking, number_0};
    wire [31:0] pc_1 = {29'd0, number_1};
    wire [2:0]  class_0 = (fetched_class[2:0] > 3'd5) ? 3'd0 : fetched_class[2:0];
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
    wire        faulted_valid = faulted_in && translating[told] && !checked_valid;
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

    sm_pipeline_proof pipeline (
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
                + {2'd0, first_reads[1] && read_warp[7:6] == w};
        end
        if (read_valid[0] && read_class[2:0] < 3'd3) executing[reader_0] <= 1'b1;
        if (read_valid[1] && read_class[5:3] < 3'd3) executing[reader_1] <= 1'b1;
        if (taken && !global_front) executing[mover] <= 1'b1;
        if (checking) executing[{told_warp[told*2 +: 2], told_entry[told*2 +: 2]}] <= 1'b1;
        for (w = 0; w < 5; w = w + 1) if (finished[w]) executing[named[w]] <= 1'b0;
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
    // by a cycle, so what is issued when a warp reverts has been read.
    assign bad[1] = (first_reads[0] && read_pc[2:0] != expected_0) || (first_reads[1] && read_pc[34:32] != expected_1);
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
    assign bad[2] = (own_0 && |(uses_0 & pending)) || (own_1 && |(uses_1 & pending))
        || (own_0 && own_1 && |(uses_1 & set(read_destination[7:0])))
        || (own_0 && own_1 && |(set(read_destination[15:8]) & (set(read_source_a[7:0]) | set(read_source_b[7:0]) | set(read_source_c[7:0]))));
    assign seen[2] = own_0 && own_1 && |pending;

    // G3: the marked instruction is executed once, whatever faults, and before anything that follows it goes on.
    reg  [1:0] state; // 0: not issued, 1: issued and not checked, 2: squashed, 3: checked
    wire       first_read = first_reads[0] && read_pc[3] || first_reads[1] && read_pc[35];
    wire       replayed = read_replayed[0] && read_pc[3];
    wire       reads_marked = first_read || replayed;
    wire       is_global = replayed || (read_pc[3] && first_reads[0] ? read_class[2] : read_class[5]);
    wire       reverts_0 = revert_valid && revert_warp == 6'd0;
    wire       takes_marked = taken && global_front && memory_pc[3];
    reg        buffered; // fetched, and not issued
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
            marked <= 1'b0;
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
        end
        if (reads_marked && is_global) state <= 2'd1;
    end
    assign bad[3] = (takes_marked && (sent || state == 2'd3))
        || (reads_marked && is_global && state == 2'd3)
        || (own_0 && !read_pc[3] && was_squashed)
        || (own_1 && !read_pc[35] && was_squashed);
    assign seen[3] = takes_marked && memory_replayed;

    // G4: one instruction a cycle for a single unit, and the memory stage has a place for what comes.
    (* hierconn *) wire [1:0] \pipeline.stage.places.count_q ;
    (* hierconn *) wire       \pipeline.stage.push_valid ;
    (* hierconn *) wire       \pipeline.stage.pop ;
    assign bad[4] = (&read_valid && ((read_class[2:0] == 3'd1 && read_class[5:3] == 3'd1)
            || (read_class[2:0] == 3'd2 && read_class[5:3] == 3'd2) || (read_class[2:0] > 3'd2 && read_class[5:3] > 3'd2)))
        || (\pipeline.stage.places.count_q == 2'd3 && \pipeline.stage.push_valid && !\pipeline.stage.pop );
    assign seen[4] = &read_valid && read_class[2:0] > 3'd2 && \pipeline.stage.places.count_q == 2'd2;

    // G5: an insert into the queue finds an entry.
    (* hierconn *) wire       \pipeline.stage.queue_.insert_valid ;
    (* hierconn *) wire       \pipeline.stage.queue_.insert_ready ;
    assign bad[5] = \pipeline.stage.queue_.insert_valid && !\pipeline.stage.queue_.insert_ready ;
    assign seen[5] = \pipeline.stage.queue_.insert_valid && memory_index == 2'd2;
endmodule

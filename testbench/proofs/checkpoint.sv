// The guarantees of checkpoint.md, stated over its ports, for 4 rows of 2 sectors, 2 warps, 4 beats of shared memory, and beats
// of 5 words of 8 bits, and a replay queue of 2 entries. What its users owe the engine is assumed: `legal` falls when they break it, and nothing is bad from
// then on. `bad[k]` must stay low for ever, and `seen[k]` must be reachable, or guarantee k holds for want of an occasion. Bit 7
// is of G8, for G7 is about time and is tested.
module checkpoint_proof_top (
    input  wire        clock,
    input  wire        request_valid, request_restores, request_runs,
    input  wire [1:0]  request_cta, request_epoch,
    input  wire [3:0]  request_slot,
    input  wire        request_first_warp, request_last_warp, request_first_group, request_last_group,
    input  wire [1:0]  request_shared_first,
    input  wire [2:0]  request_shared_beats,
    input  wire [1:0]  request_room_row,
    input  wire [5:0]  request_room_rows,
    input  wire [1:0]  request_room_first,
    input  wire [5:0]  request_room_beats, request_beats,
    input  wire [1:0]  request_operands,
    input  wire        request_unlogged,
    input  wire        stop_ready, resume_ready, save_ready, save_done, saved_valid, saved_warp, saved_store,
    input  wire [23:0] saved_words,
    input  wire        spilled_valid, restore_ready, walk_ready, dirty_valid,
    input  wire [1:0]  dirty_row,
    input  wire [3:0]  dirty_lanes,
    input  wire        total_valid, get_ready, got_valid,
    input  wire [39:0] got_beat,
    input  wire        put_ready, out_ready, in_valid, in_last,
    input  wire [39:0] in_beat,
    input  wire        ended_ready,
    input  wire [2:0]  any_place,
    output wire [7:1]  bad,
    output wire [7:1]  seen
);
    wire        request_ready, stop_valid, stop_warp, resume_valid, resume_warp, save_valid, saved_ready, restore_valid;
    wire        restore_warp, restore_store, walk_valid, walk_first, walk_last, dirty_ready, total_ready, get_valid;
    wire        got_ready, put_valid, out_valid, out_last, in_ready, ended_valid;
    wire [3:0]  save_slot, restore_slot, ended_verdict;
    wire [23:0] restore_words;
    wire [1:0]  get_space, put_space, ended_operands;
    wire [2:0]  get_place, put_place;
    wire [39:0] put_beat, out_beat;
    wire [5:0]  ended_beats;

    checkpoint_proof engine (
        .clock(clock), .reset(1'b0), .request_valid(request_valid), .request_restores(request_restores), .request_runs(request_runs),
        .request_cta(request_cta), .request_epoch(request_epoch), .request_slot(request_slot), .request_first_warp(request_first_warp),
        .request_last_warp(request_last_warp), .request_first_group(request_first_group), .request_last_group(request_last_group),
        .request_shared_first(request_shared_first), .request_shared_beats(request_shared_beats), .request_room_row(request_room_row),
        .request_room_rows(request_room_rows), .request_room_first(request_room_first), .request_room_beats(request_room_beats),
        .request_beats(request_beats), .request_operands(request_operands), .request_unlogged(request_unlogged), .stop_ready(stop_ready), .resume_ready(resume_ready),
        .save_ready(save_ready), .save_done(save_done), .saved_valid(saved_valid), .saved_warp(saved_warp),
        .saved_store(saved_store), .saved_words(saved_words), .spilled_valid(spilled_valid),
        .restore_ready(restore_ready), .walk_ready(walk_ready), .dirty_valid(dirty_valid), .dirty_row(dirty_row),
        .dirty_lanes(dirty_lanes), .total_valid(total_valid), .get_ready(get_ready), .got_valid(got_valid),
        .got_beat(got_beat), .put_ready(put_ready), .out_ready(out_ready), .in_valid(in_valid), .in_last(in_last),
        .in_beat(in_beat), .ended_ready(ended_ready), .request_ready(request_ready), .stop_valid(stop_valid),
        .stop_warp(stop_warp), .resume_valid(resume_valid), .resume_warp(resume_warp), .save_valid(save_valid),
        .save_slot(save_slot), .saved_ready(saved_ready), .restore_valid(restore_valid), .restore_warp(restore_warp),
        .restore_slot(restore_slot), .restore_store(restore_store), .restore_words(restore_words),
        .walk_valid(walk_valid), .walk_first(walk_first), .walk_last(walk_last), .dirty_ready(dirty_ready),
        .total_ready(total_ready), .get_valid(get_valid), .get_space(get_space), .get_place(get_place),
        .got_ready(got_ready), .put_valid(put_valid), .put_space(put_space), .put_place(put_place),
        .put_beat(put_beat), .out_valid(out_valid), .out_last(out_last), .out_beat(out_beat), .in_ready(in_ready),
        .ended_valid(ended_valid), .ended_verdict(ended_verdict), .ended_beats(ended_beats),
        .ended_operands(ended_operands)
    );

    // The request.
    reg        busy, restores, runs, first_warp, last_warp, first_group, last_group;
    reg  [3:0] slot;
    reg  [1:0] shared_first, room_row, room_first, operands;
    reg  [2:0] shared_beats, room_rows, room_beats;
    reg  [5:0] beats;
    initial {busy, restores, runs, first_warp, last_warp, first_group, last_group, slot} = 11'd0;
    initial {shared_first, room_row, room_first, operands, shared_beats, room_rows, room_beats, beats} = 23'd0;
    // What has been so since: its warps have stopped, and it has drained; beats that have moved, and were asked for where they
    // are kept.
    reg        drained;
    reg  [1:0] stops, resumes;
    reg  [5:0] moved, fetched;
    initial {drained, stops, resumes, moved, fetched} = 17'd0;
    // Beats that were asked for and have not been taken; the dirty bits and the pipeline are at work.
    reg  [1:0] reading;
    reg        walking, saving_queue, may_spill;
    reg  [2:0] rows;
    reg  [1:0] spilled, saved;
    initial {reading, walking, saving_queue, may_spill, rows, spilled, saved} = 12'd0;
    // Any sector: it was dirty when it was found, and was read. Beats of shared memory and of SIMT state that were.
    reg  [2:0] mark;
    reg        found, got_it, marked_row;
    reg  [2:0] shared_count, state_count;
    initial {mark, found, got_it, marked_row, shared_count, state_count} = 12'd0;
    // Where a beat was put last, in shared memory and in SIMT state.
    reg  [2:0] last_shared, last_state;
    // Instructions that came back and were not dropped; their operands.
    reg        holds_instruction;
    reg  [2:0] returned;
    reg  [1:0] instructions;
    initial {last_shared, last_state, holds_instruction, returned, instructions} = 12'd0;
    // Operands are in the context. Their beats that have been put for the next instruction, in order; 7 if otherwise. All
    // squashed instructions have left.
    reg        logged, emptied;
    reg  [2:0] operand_beats;
    initial {logged, emptied, operand_beats} = 5'd0;
    reg        legal;
    initial legal = 1'b1;

    wire       saving = busy && !restores;
    wire       restoring = busy && restores;
    wire       requests = request_valid && request_ready;
    wire       gets = get_valid && get_ready;
    wire       takes = got_valid && got_ready;
    wire       leaves = saving && ((out_valid && out_ready) || (put_valid && put_ready));
    wire       comes = restoring && ((in_valid && in_ready) || takes);
    wire [5:0] room = {2'd0, room_rows, 1'b0} + {3'd0, room_beats};
    wire [5:0] kept = restores && beats < room ? beats : room;
    wire [5:0] number = restores ? fetched : moved;
    wire       in_rows = number < {2'd0, room_rows, 1'b0};
    wire [2:0] kept_place = in_rows ? {room_row, 1'b0} + number[2:0]
        : {1'b0, room_first} + number[2:0] - {room_rows[1:0], 1'b0};
    wire [1:0] kept_space = {1'b0, !in_rows};
    wire [2:0] states = runs ? 3'd0 : last_warp != first_warp ? 3'd4 : 3'd2;
    wire [1:0] warps = {last_warp, !first_warp};
    wire       row_taken = dirty_valid && dirty_ready;
    wire [1:0] row_sectors = {|dirty_lanes[3:2], |dirty_lanes[1:0]};

    wire breaks = (requests && (request_first_warp > request_last_warp || request_first_group > request_last_group
            || {2'd0, request_shared_first} + {1'b0, request_shared_beats} > 4'd4
            || request_room_rows > 6'd4 || {5'd0, request_room_row} + {1'b0, request_room_rows} > 7'd4
            || request_room_beats > 6'd4 || {5'd0, request_room_first} + {1'b0, request_room_beats} > 7'd4))
        || (got_valid && reading == 2'd0) || (gets && reading == 2'd3)
        || ((dirty_valid || total_valid) && !walking)
        || (dirty_valid && (dirty_lanes == 4'd0 || dirty_row[1] < first_group || dirty_row[1] > last_group || rows == 3'd4))
        || (row_taken && marked_row && dirty_row == mark[2:1])
        || (saved_valid && !saving_queue) || (saved_valid && save_done)
        || (saved_valid && (saved_warp < first_warp || saved_warp > last_warp))
        || (spilled_valid && (!may_spill || spilled == 2'd3))
        || (saved_valid && {1'b0, saved} + 3'd1 + {2'd0, saved_store} > 3'd3);

    always @(posedge clock) begin
        legal <= legal && !breaks;
        if (ended_valid && ended_ready) busy <= 1'b0;
        if (stop_valid && stop_ready) stops <= stops | (2'd1 << stop_warp);
        if (stops == warps && save_ready) drained <= 1'b1;
        if (resume_valid && resume_ready) resumes <= resumes | (2'd1 << resume_warp);
        if ((leaves || comes) && moved != 6'd63) moved <= moved + 6'd1;
        if (restoring && gets) fetched <= fetched + 6'd1;
        reading <= reading + {1'b0, gets} - {1'b0, takes};
        if (walk_valid && walk_ready) walking <= 1'b1;
        if (total_valid && total_ready) walking <= 1'b0;
        // Until the cycle after `save` was taken the engine ignores `save_done`.
        if (save_valid && save_ready) saving_queue <= 1'b1;
        if (saving_queue && save_done) {saving_queue, emptied} <= 2'b01;
        may_spill <= saving_queue && saved_ready && !saved_valid;
        if (spilled_valid) spilled <= spilled + 2'd1;
        if (saved_valid && saved_ready) saved <= saved + 2'd1 + {1'b0, saved_store};
        if (row_taken) begin
            rows <= rows + 3'd1;
            if (dirty_row == mark[2:1]) {marked_row, found} <= {1'b1, row_sectors[mark[0]]};
        end
        if (saving && gets) begin
            if (get_space == 2'd0 && get_place == mark) got_it <= 1'b1;
            if (get_space == 2'd1) shared_count <= shared_count + 3'd1;
            if (get_space == 2'd2) state_count <= state_count + 3'd1;
        end
        if (put_valid && put_ready && put_space == 2'd1) last_shared <= put_place;
        if (put_valid && put_ready && put_space == 2'd2) last_state <= put_place;
        if (restore_valid && restore_ready) begin
            holds_instruction <= 1'b1;
            returned <= returned + 3'd1 + {2'd0, restore_store};
            instructions <= instructions + 2'd1;
            operand_beats <= 3'd0;
        end
        if (put_valid && put_ready && put_space == 2'd3)
            operand_beats <= put_place == operand_beats ? operand_beats + 3'd1 : 3'd7;
        if (saving_queue && save_done) holds_instruction <= 1'b0;
        if (requests) begin
            {busy, restores, runs} <= {1'b1, request_restores, request_runs};
            {first_warp, last_warp, first_group, last_group}
                <= {request_first_warp, request_last_warp, request_first_group, request_last_group};
            {slot, shared_first, shared_beats, beats, operands}
                <= {request_slot, request_shared_first, request_shared_beats, request_beats, request_operands};
            {room_row, room_rows, room_first, room_beats}
                <= {request_room_row, request_room_rows[2:0], request_room_first, request_room_beats[2:0]};
            {drained, stops, resumes, moved, fetched} <= 17'd0;
            {rows, spilled, saved} <= 7'd0;
            {mark, found, got_it, marked_row, shared_count, state_count} <= {any_place, 9'd0};
            {holds_instruction, returned, instructions} <= 6'd0;
            {logged, emptied, operand_beats} <= {!request_unlogged, 4'd0};
        end
    end

    wire in_row = put_place[2] >= first_group && put_place[2] <= last_group;
    wire in_shared = put_place >= {1'b0, shared_first}
        && {1'b0, put_place} < {2'd0, shared_first} + {1'b0, shared_beats};
    wire in_state = put_place[2] == 1'b0 && put_place[1] >= first_warp && put_place[1] <= last_warp;

    // What a proof of G1 has to know of the engine's registers, which no port shows. Its step: 4 to 6 save rows, shared
    // memory and SIMT state, 7 to 12 what comes behind them, 16 and 17 are over.
    (* hierconn *) wire [4:0] \engine.step_q ;
    (* hierconn *) wire       \engine.by_rows_q ;
    (* hierconn *) wire       \engine.ahead_q , \engine.pending_q ;
    (* hierconn *) wire [1:0] \engine.run_space_q ;
    (* hierconn *) wire [2:0] \engine.run_place_q ;
    (* hierconn *) wire [2:0] \engine.run_left_q ;
    (* hierconn *) wire [3:0] \engine.gather.number_q ;
    (* hierconn *) wire [3:0] \engine.gather.dirty_q ;
    (* hierconn *) wire [3:0] \engine.list_.number_q ;
    (* hierconn *) wire [3:0] \engine.list_.left_q ;
    wire [4:0] step = \engine.step_q ;
    wire       rows_step = step == 5'd4;
    wire       after_states = (step >= 5'd7 && step <= 5'd12) || step >= 5'd16;
    // Beats that the job still has; the first of them was asked for if that is ahead of its header.
    function [2:0] ones;
        input [3:0] of;
        ones = {2'd0, of[0]} + {2'd0, of[1]} + {2'd0, of[2]} + {2'd0, of[3]};
    endfunction
    wire [2:0] job = \engine.by_rows_q ? ones(\engine.list_.left_q ) : \engine.run_left_q ;
    wire       ahead = \engine.ahead_q ;
    wire [2:0] early = {2'd0, ahead};
    // Where the sector is, from when it was found until it is asked for.
    wire [1:0] own_row = mark[2:1] - {first_group, 1'b0};
    wire       is_first = mark[0] == !\engine.list_.left_q [0];
    wire [3:0] holders = {
        \engine.list_.number_q [3:2] == own_row && \engine.list_.left_q [2 + mark[0]] && \engine.by_rows_q ,
        \engine.list_.number_q [1:0] == own_row && \engine.list_.left_q [mark[0]] && \engine.by_rows_q && !(ahead && is_first),
        \engine.gather.number_q [3:2] == own_row && \engine.gather.dirty_q [2 + mark[0]],
        \engine.gather.number_q [1:0] == own_row && \engine.gather.dirty_q [mark[0]]};
    wire       order = ones(holders) == {2'd0, found && !got_it}
        && (!ahead || (\engine.pending_q && job != 3'd0))
        && (rows_step || (holders == 4'd0 && \engine.gather.dirty_q == 4'd0))
        && (step > 5'd4 || (shared_count == 3'd0 && state_count == 3'd0))
        && (step != 5'd5 || (shared_count + (\engine.by_rows_q ? 3'd0 : \engine.run_left_q - early) == shared_beats && state_count == 3'd0
            && (\engine.by_rows_q || \engine.run_left_q == 3'd0 || (\engine.run_space_q == 2'd1
                && \engine.run_place_q == {1'b0, shared_first} + shared_count - early))))
        && (step < 5'd6 || shared_count == shared_beats)
        && (step != 5'd6 || (!runs && !\engine.by_rows_q && state_count + \engine.run_left_q - early == states
            && (\engine.run_left_q == 3'd0 || (\engine.run_space_q == 2'd2
                && \engine.run_place_q == {1'b0, first_warp, 1'b0} + state_count - early))))
        && (!after_states || state_count == states)
        && ((step != 5'd9 && step != 5'd10) || (!\engine.by_rows_q && \engine.run_space_q == 2'd3))
        && (step < 5'd7 || step == 5'd9 || step == 5'd10 || job == 3'd0);

    wire [7:1] wrong;
    assign wrong[1] = saving && (!order || (get_valid && get_space == 2'd0 && get_place == mark && (!found || got_it))
        || (get_valid && get_space == 2'd1 && get_place != {1'b0, shared_first} + shared_count)
        || (get_valid && get_space == 2'd2 && get_place != {1'b0, first_warp, 1'b0} + state_count)
        || (ended_valid && (found != got_it || shared_count != shared_beats || state_count != states
            || (!runs && !emptied))));
    assign wrong[2] = saving && (((get_valid || walk_valid || out_valid || put_valid) && !drained)
        || (resume_valid && (!runs || out_valid || put_valid)) || (resume_valid && resumes[resume_warp]) || (ended_valid && resumes != (runs ? warps : 2'd0)));
    assign wrong[3] = restoring && ((put_valid && put_space == 2'd1 && put_place != {1'b0, shared_first}
            && put_place != last_shared + 3'd1)
        || (put_valid && put_space == 2'd2 && put_place != {1'b0, first_warp, 1'b0} && put_place != last_state + 3'd1)
        || (restore_valid && (restore_slot != slot || restore_warp < first_warp || restore_warp > last_warp
            || operand_beats != (!logged ? 3'd0 : restore_store ? 3'd4 : 3'd2))));
    assign wrong[4] = put_valid && !(restoring
        ? (put_space == 2'd0 ? in_row : put_space == 2'd1 ? in_shared : put_space == 2'd2 ? in_state : 1'b1)
        : put_space == 2'd0 ? put_place[2:1] >= room_row && {1'b0, put_place[2:1]} < {1'b0, room_row} + room_rows
        : put_space == 2'd1 && put_place >= {1'b0, room_first} && put_place < {1'b0, room_first} + room_beats);
    assign wrong[5] = restoring && ended_valid && ended_verdict != 4'd0 && (resumes != 2'd0 || holds_instruction);
    assign wrong[6] = (saving && put_valid && !(moved < kept && put_place == kept_place && put_space == kept_space))
        || (saving && out_valid && moved < kept)
        || (restoring && get_valid && !(fetched < kept && get_place == kept_place && get_space == kept_space))
        || (restoring && ((in_ready && moved < kept) || (got_ready && moved >= kept)));
    assign wrong[7] = (request_ready == busy) || (ended_valid && !busy) || (restoring && (returned > {1'b0, operands} || instructions > 2'd2));
    assign bad = legal && !breaks ? wrong : 7'd0;

    assign seen[1] = legal && saving && ended_valid && got_it && shared_count == 3'd2 && state_count == 3'd2;
    assign seen[2] = legal && saving && resume_valid && moved == 6'd5;
    assign seen[3] = legal && restoring && put_valid && put_space == 2'd1 && put_place == last_shared + 3'd1;
    assign seen[4] = legal && restoring && put_valid && put_space == 2'd0;
    assign seen[5] = legal && restoring && ended_valid && ended_verdict == 4'd8;
    assign seen[6] = legal && restoring && got_ready && got_valid && fetched == 6'd3;
    assign seen[7] = legal && restoring && returned == 3'd1;
endmodule

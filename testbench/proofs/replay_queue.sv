// The guarantees of replay_queue.md, stated over its ports, for 4 entries, 2 warps and ages of 2 bits.
// The ghost below is a plain list of what was inserted: no ages, no scan. `bad[k]` must stay low for ever, and
// `seen[k]` must be reachable, or guarantee k holds for want of an occasion.
module replay_queue_proof_top (
    input  wire        clock,
    input  wire        insert_valid,
    input  wire        insert_restored,
    input  wire        warp_in,
    input  wire [1:0]  slots_in,
    input  wire [93:0] payload_in,
    input  wire [1:0]  address_in,
    input  wire [1:0]  data_in,
    input  wire        checked_valid,
    input  wire [1:0]  checked_index,
    input  wire        faulted_valid,
    input  wire [1:0]  faulted_index,
    input  wire        committed_valid,
    input  wire [1:0]  committed_index,
    input  wire        held_warp_in,
    input  wire [1:0]  held_register_in,
    input  wire        resume_valid,
    input  wire        resume_warp_in,
    input  wire        replay_ready,
    input  wire        save_valid,
    input  wire        save_slot_in,
    input  wire        saved_ready,
    output wire [14:1] bad,
    output wire [14:1] seen
);
    // Register 3 of the proof is the zero register of the design.
    function [7:0] register;
        input [1:0] number;
        register = (number == 2'd3) ? 8'd255 : {6'd0, number};
    endfunction

    // Each warp belongs to one slot, whichever it is.
    reg       started;
    reg [1:0] slot_of;
    initial started = 1'b0;
    always @(posedge clock) begin
        started <= 1'b1;
        if (!started) slot_of <= slots_in;
    end
    wire [1:0] slots = started ? slot_of : slots_in;

    wire       insert_ready, held, resume_ready, replay_valid, replay_done, save_ready, saved_valid, save_done, aged;
    wire [1:0] insert_index, entry_index;
    wire [5:0] entry_warp;
    wire [3:0] entry_slot;
    wire [7:0] entry_address_register, entry_data_register;
    // What the queue carries and never looks at: all of it is free.
    wire [31:0] entry_pc, entry_mask;
    wire [7:0] entry_opcode, entry_destination;
    wire [6:0] entry_log_address, entry_log_data;
    wire [93:0] entry_payload =
        {entry_pc, entry_mask, entry_opcode, entry_destination, entry_log_address, entry_log_data};
    wire [2:0] occupancy;

    replay_queue_proof queue (
        .clock(clock), .reset(1'b0),
        .insert_valid(insert_valid), .insert_restored(insert_restored),
        .insert_warp({5'd0, warp_in}), .insert_slot({3'd0, slots[warp_in]}),
        .insert_pc(payload_in[93:62]), .insert_mask(payload_in[61:30]), .insert_opcode(payload_in[29:22]),
        .insert_destination(payload_in[21:14]), .insert_log_address(payload_in[13:7]), .insert_log_data(payload_in[6:0]),
        .insert_address_register(register(address_in)), .insert_data_register(register(data_in)),
        .checked_valid(checked_valid), .checked_index(checked_index),
        .faulted_valid(faulted_valid), .faulted_index(faulted_index),
        .committed_valid(committed_valid), .committed_index(committed_index),
        .held_warp({5'd0, held_warp_in}), .held_register(register(held_register_in)),
        .resume_valid(resume_valid), .resume_warp({5'd0, resume_warp_in}),
        .replay_ready(replay_ready),
        .save_valid(save_valid), .save_slot({3'd0, save_slot_in}), .saved_ready(saved_ready),
        .insert_ready(insert_ready), .insert_index(insert_index), .held(held),
        .resume_ready(resume_ready), .replay_valid(replay_valid), .replay_done(replay_done),
        .save_ready(save_ready), .saved_valid(saved_valid), .save_done(save_done),
        .entry_index(entry_index), .entry_warp(entry_warp), .entry_slot(entry_slot), .entry_pc(entry_pc),
        .entry_opcode(entry_opcode), .entry_destination(entry_destination), .entry_mask(entry_mask),
        .entry_log_address(entry_log_address), .entry_log_data(entry_log_data),
        .entry_address_register(entry_address_register), .entry_data_register(entry_data_register),
        .occupancy(occupancy), .aged(aged)
    );

    wire insert = insert_valid && insert_ready;
    wire resume = resume_valid && resume_ready;
    wire save = save_valid && save_ready;
    wire replayed = replay_valid && replay_ready;
    wire saved = saved_valid && saved_ready;

    // The ghost: what is in each entry, and which of two entries of a warp is the older one.
    reg  [3:0] live, waiting, checked, warp, pending, leaving, followed;
    reg  [3:0] older [0:3];          // older[i][j]: entry i was inserted before entry j, which is of the same warp
    reg  [1:0] address [0:3];
    reg  [1:0] data [0:3];
    reg  [93:0] payload [0:3];
    reg        replaying, saving, scan_warp, scan_slot;
    reg        offered_before;
    wire       first_offer = saved_valid && !offered_before;
    // An entry that is offered to a save has left.
    wire [3:0] gone = first_offer ? (4'd1 << entry_index) : 4'd0;
    wire [3:0] here = live & ~gone;
    wire [3:0] flying = here & ~waiting;
    wire [3:0] slot = {slots[warp[3]], slots[warp[2]], slots[warp[1]], slots[warp[0]]};
    wire [3:0] of_insert = here & ~(warp ^ {4{warp_in}});
    wire [3:0] of_resume = here & ~(warp ^ {4{resume_warp_in}});
    wire [3:0] of_save = here & ~(slot ^ {4{save_slot_in}});

    integer i, j;
    always @(posedge clock) begin
        offered_before <= saved_valid && !saved;
        for (i = 0; i < 4; i = i + 1) begin
            if (gone[i]) begin live[i] <= 1'b0; leaving[i] <= 1'b0; end
            if (checked_valid && checked_index == i && flying[i]) checked[i] <= 1'b1;
            if (faulted_valid && faulted_index == i && flying[i] && !checked[i]) begin
                waiting[i] <= 1'b1;
                checked[i] <= 1'b0;
            end
            if (committed_valid && committed_index == i && flying[i]) begin
                live[i] <= 1'b0;
                waiting[i] <= 1'b0;
            end
            if (insert && of_insert[i]) followed[i] <= 1'b1;
            if (resume && of_resume[i]) pending[i] <= 1'b1;
            if (save && of_save[i]) leaving[i] <= 1'b1;
            if (replayed && entry_index == i) begin waiting[i] <= 1'b0; pending[i] <= 1'b0; end
            if (insert && insert_index == i) begin
                live[i] <= 1'b1;
                waiting[i] <= insert_restored;
                checked[i] <= 1'b0;
                warp[i] <= warp_in;
                address[i] <= address_in;
                data[i] <= data_in;
                payload[i] <= payload_in;
                pending[i] <= 1'b0;
                leaving[i] <= 1'b0;
                followed[i] <= 1'b0;
                older[i] <= 4'd0;
                for (j = 0; j < 4; j = j + 1)
                    if (j != i) older[j][i] <= of_insert[j];
            end
        end
        if (resume) begin replaying <= 1'b1; scan_warp <= resume_warp_in; end
        if (save) begin saving <= 1'b1; scan_slot <= save_slot_in; end
        if (replay_done) replaying <= 1'b0;
        if (save_done) saving <= 1'b0;
    end

    // What users of the queue owe it: a block that is being saved, and a warp whose replay goes on, do not issue.
    wire owed = !(insert_valid && saving && slots[warp_in] == scan_slot)
        && !(insert_valid && save && slots[warp_in] == save_slot_in)
        && !(insert_valid && replaying && warp_in == scan_warp)
        && !(insert_valid && resume && warp_in == resume_warp_in);
    reg broken;
    always @(posedge clock) broken <= broken || !owed;
    wire legal = owed && !broken;

    reg  [4:0] busy;
    always @(posedge clock)
        if (resume || save) busy <= 5'd1;
        else if (busy != 5'd0 && replay_ready && saved_ready && !replay_done && !save_done) busy <= busy + 5'd1;
        else busy <= 5'd0;

    // How long a scan may still take: a cycle for each age that it has not looked at, and for each instruction that it
    // has not presented one to pick it, one to offer it, and if it is saved another look at its age. This is the one
    // place where the proof sees a register of the queue; it makes G12 inductive.
    (* hierconn *) wire       \queue.more_ages_q ;
    (* hierconn *) wire [1:0] \queue.wanted_age_q ;
    wire [2:0] remaining = \queue.more_ages_q ? {1'b0, \queue.wanted_age_q } + 3'd1 : 3'd0;
    wire [3:0] presented = saving ? leaving & here : pending & here;
    wire [2:0] count = {2'd0, presented[0]} + {2'd0, presented[1]} + {2'd0, presented[2]} + {2'd0, presented[3]};
    wire [5:0] still = {3'd0, remaining} + {2'd0, count, 1'b0} + (saving ? {3'd0, count} + {5'd0, saved_valid} : 6'd0)
        - {5'd0, replay_valid};

    reg         was_replay, was_saved;
    reg  [1:0]  was_index;
    reg [119:0] was_entry;
    wire [119:0] entry =
        {entry_payload, entry_warp, entry_slot, entry_address_register, entry_data_register};
    always @(posedge clock) begin
        was_replay <= replay_valid && !replay_ready;
        was_saved <= saved_valid && !saved_ready;
        was_index <= entry_index;
        was_entry <= entry;
    end

    // Older entries that are still to be presented.
    wire [3:0] older_than_entry =
        {older[3][entry_index], older[2][entry_index], older[1][entry_index], older[0][entry_index]};

    reg expected_held;
    always @* begin
        expected_held = 1'b0;
        for (i = 0; i < 4; i = i + 1)
            if (here[i] && !checked[i] && warp[i] == held_warp_in && held_register_in != 2'd3
                && (address[i] == held_register_in || data[i] == held_register_in)) expected_held = 1'b1;
    end

    wire [2:0] population = {2'd0, here[0]} + {2'd0, here[1]} + {2'd0, here[2]} + {2'd0, here[3]};

    assign bad[1] = legal && ((insert && here[insert_index]) || (&here && insert_ready));
    assign bad[2] = legal && ((replay_valid && !here[entry_index]) || (first_offer && !live[entry_index]));
    assign bad[3] = legal && ((replay_valid && !pending[entry_index]) || (replay_done && |(pending & here)));
    assign bad[4] = legal && replay_valid && |(older_than_entry & pending & here);
    assign bad[5] = legal && insert && !insert_restored && |(of_insert & waiting);
    assign bad[6] = legal && (replay_valid || first_offer) && (!live[entry_index] || !waiting[entry_index]);
    assign bad[7] = legal && (held != expected_held);
    assign bad[8] = legal && ((resume && |(of_resume & ~waiting)) || (save && |(of_save & ~waiting)));
    assign bad[9] = legal && ((first_offer && !leaving[entry_index])
        || (first_offer && |(older_than_entry & leaving & here))
        || (save_done && |(leaving & here)));
    assign bad[10] = legal && ((was_replay && !replay_valid) || (was_saved && !saved_valid)
        || ((was_replay || was_saved) && (entry_index != was_index || entry != was_entry)));
    assign bad[11] = legal && (occupancy != population);
    assign bad[12] = legal && (busy > 5'd17 || (busy != 5'd0 && {1'b0, busy} + still > 6'd17)) || bad[3] || bad[9];
    assign bad[13] = legal && (replay_valid || first_offer) && (entry_payload != payload[entry_index]
        || entry_warp != {5'd0, warp[entry_index]} || entry_slot != {3'd0, slot[entry_index]}
        || entry_address_register != register(address[entry_index])
        || entry_data_register != register(data[entry_index]));
    // With ages of 2 bits an instruction is aged as soon as another one of its warp follows it.
    assign bad[14] = legal && (aged != |(flying & followed));

    assign seen[1] = legal && &here && insert_valid;
    assign seen[2] = legal && committed_valid && flying[committed_index];
    assign seen[3] = legal && replay_done && |(live & waiting & ~pending);
    assign seen[4] = legal && replay_valid && |(older[entry_index] & pending & here);
    assign seen[5] = legal && insert_valid && !insert_restored && |(of_insert & waiting) && !(&here);
    assign seen[6] = legal && replayed && |flying;
    assign seen[7] = legal && held;
    assign seen[8] = legal && resume && $countones(of_resume) > 1;
    assign seen[9] = legal && first_offer && |(older[entry_index] & leaving & here) && |(here & ~leaving);
    assign seen[10] = legal && (was_replay || was_saved);
    assign seen[11] = legal && population == 3'd3 && insert && committed_valid && flying[committed_index];
    assign seen[12] = legal && busy > 5'd8 && remaining == 3'd1;
    assign seen[13] = legal && saved && entry_payload[93:92] == 2'd2 && entry_payload[1:0] == 2'd1;
    assign seen[14] = legal && aged && committed_valid && flying[committed_index];
endmodule

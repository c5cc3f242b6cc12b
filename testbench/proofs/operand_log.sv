// The guarantees of operand_log.md, stated over its ports, for 4 entries and 2 slots. All registers start at 0, as a reset
// leaves them.
// Of each lane's 64 bits two may be any and the others are 0, other two in each lane, so that each place of a word has its
// turn: nothing in the Verilog looks at a bit of a word. All bits that are read are compared. With FULL all may be any.
// `bad[k]` must stay low for ever, and `seen[k]` must be reachable, or guarantee k holds for want of an occasion.
module operand_log_proof_top (
    input  wire        clock,
    input  wire        launch_valid,
    input  wire [2:0]  launch_entries,
    input  wire        allocate_valid,
    input  wire        allocate_slot_in,
    input  wire        allocate_store,
    input  wire        write_valid,
    input  wire [1:0]  write_entry,
`ifdef FULL
    input  wire [2047:0] write_data,
`else
    input  wire [63:0] write_bits,
`endif
    input  wire        release_valid,
    input  wire [1:0]  release_entry,
    input  wire        replay_valid,
    input  wire        replay_slot_in,
    input  wire [1:0]  replay_entry,
    input  wire        save_valid,
    input  wire        save_slot_in,
    input  wire [1:0]  save_entry,
    output wire [10:1] bad,
    output wire [10:1] seen
);
    wire        allocate_ready, allocated_valid, write_ready, replay_ready, save_ready;
    wire        replayed_valid, saved_valid, read_denied;
    wire [1:0]  allocated_address, allocated_data;
    wire [15:0] free_one, free_two, free_three, free_four;
    wire [2047:0] read_data;
`ifndef FULL
    wire [2047:0] write_data;
    genvar lane;
    generate
        for (lane = 0; lane < 32; lane = lane + 1)
            assign write_data[64 * lane +: 64] = {62'd0, write_bits[2 * lane +: 2]} << (2 * lane);
    endgenerate
`endif

    // The ghost: size of the partitions, owner and contents of each entry.
    reg  [2:0] size;
    reg  [3:0] allocated, written, owner;
    reg        pending, pending_slot, pending_store;

    // The caller names the slot that an entry was allocated for.
    wire release_slot = owner[release_entry];

    operand_log_proof log (
        .clock(clock), .reset(1'b0),
        .launch_valid(launch_valid), .launch_entries(launch_entries),
        .allocate_valid(allocate_valid), .allocate_slot({3'd0, allocate_slot_in}), .allocate_store(allocate_store),
        .write_valid(write_valid), .write_entry(write_entry),
        .write_data(write_data),
        .release_valid(release_valid), .release_slot({3'd0, release_slot}), .release_entry(release_entry),
        .replay_valid(replay_valid), .replay_slot({3'd0, replay_slot_in}), .replay_entry(replay_entry),
        .save_valid(save_valid), .save_slot({3'd0, save_slot_in}), .save_entry(save_entry),
        .allocate_ready(allocate_ready), .allocated_valid(allocated_valid),
        .allocated_address(allocated_address), .allocated_data(allocated_data),
        .free_one(free_one), .free_two(free_two), .free_three(free_three), .free_four(free_four),
        .write_ready(write_ready), .replay_ready(replay_ready), .save_ready(save_ready),
        .replayed_valid(replayed_valid), .saved_valid(saved_valid), .read_denied(read_denied), .read_data(read_data)
    );

    wire allocate = allocate_valid && allocate_ready;
    wire write = write_valid && write_ready;
    wire replay = replay_valid && replay_ready;
    wire save = save_valid && save_ready;

    function in_partition;
        input [2:0] entries;
        input       of;
        input [1:0] entry;
        // Slot 0 begins at 0 and slot 1 at `entries`; a slot owns nothing if its last entry is not there.
        in_partition = of ? ({1'b0, entry} >= entries && {2'b0, entry} < 2 * entries && entries <= 3'd2)
                          : ({1'b0, entry} < entries && entries <= 3'd4);
    endfunction

    wire [3:0] taking = ((allocated_valid ? 4'd1 : 4'd0) << allocated_address)
        | ((allocated_valid && pending_store ? 4'd1 : 4'd0) << allocated_data);

    integer i;
    always @(posedge clock) begin
        pending <= allocate;
        pending_slot <= allocate_slot_in;
        pending_store <= allocate_store;
        for (i = 0; i < 4; i = i + 1) begin
            if (taking[i]) begin
                allocated[i] <= 1'b1;
                written[i] <= 1'b0;
                owner[i] <= pending_slot;
            end
            if (write && write_entry == i && (allocated[i] || taking[i])) begin
                written[i] <= 1'b1;
            end
            if (release_valid && release_entry == i && allocated[i]) allocated[i] <= 1'b0;
        end
        if (launch_valid) begin
            allocated <= 4'd0;
            size <= launch_entries;
        end
    end

    // Free entries of each slot, without those that are about to be taken.
    reg [2:0] free_0, free_1;
    always @* begin
        free_0 = 3'd0;
        free_1 = 3'd0;
        for (i = 0; i < 4; i = i + 1) begin
            if (in_partition(size, 1'b0, i) && !allocated[i] && !taking[i]) free_0 = free_0 + 3'd1;
            if (in_partition(size, 1'b1, i) && !allocated[i] && !taking[i]) free_1 = free_1 + 3'd1;
        end
    end
    wire [2:0] free_here = allocate_slot_in ? free_1 : free_0;

    // Whether the read of this cycle is to be answered, and the read that was accepted in the last cycle.
    wire may_read = replay
        ? in_partition(size, replay_slot_in, replay_entry) && allocated[replay_entry] && written[replay_entry]
            && owner[replay_entry] == replay_slot_in
        : save && in_partition(size, save_slot_in, save_entry) && allocated[save_entry] && written[save_entry]
            && owner[save_entry] == save_slot_in;
    reg  was_replay, was_save, allowed;
    always @(posedge clock) begin
        was_replay <= replay;
        was_save <= save;
        allowed <= may_read;
    end

    // What was last written to each entry, and what the read of the last cycle should bring. A write to an entry that
    // nobody holds changes nothing that can be read.
    reg [2047:0] contents [0:3];
    reg [2047:0] expected;
    always @(posedge clock) begin
        if (write) contents[write_entry] <= write_data;
        expected <= contents[replay ? replay_entry : save_entry];
    end

    // The first and the last bit of `read_data` in the last cycle: only an answered read may change them. All banks share
    // one enable, so these two stand for the others.
    wire [1:0] ends = {read_data[2047], read_data[0]};
    reg  [1:0] ends_before;
    always @(posedge clock) ends_before <= ends;

    // Requirement: a write names an entry that is allocated or being taken. Releases name the right slot by construction, and
    // reads are not restricted.
    wire met = !(write_valid && !(allocated[write_entry] || taking[write_entry]));
    reg broken;
    always @(posedge clock) broken <= broken || !met;
    wire legal = met && !broken;

    reg [4:0] replay_waits, save_waits;
    always @(posedge clock) begin
        replay_waits <= (replay_valid && !replay_ready && !launch_valid) ? replay_waits + 5'd1 : 5'd0;
        save_waits <= (save_valid && !save_ready && !launch_valid) ? save_waits + 5'd1 : 5'd0;
    end

    // The cycle after a launch, and the one after that, which answers its reads.
    reg launched, launched_before;
    always @(posedge clock) begin
        launched <= launch_valid;
        launched_before <= launched;
    end

    // What a launch gives: slot k owns `size` entries if its last one exists.
    reg [15:0] launched_one, launched_two;
    always @* begin
        launched_one = 16'd0;
        launched_two = 16'd0;
        for (i = 0; i < 16; i = i + 1) begin
            launched_one[i] = size != 3'd0 && (i + 1) * size <= 4;
            launched_two[i] = size > 3'd1 && (i + 1) * size <= 4;
        end
    end

    // Slots whose flags are wrong for the ghost's count of free entries. Slots 2 and 3 never allocate here, and the
    // others own nothing.
    wire [15:0] counted_one = {12'd0, {2{size == 3'd1}}, free_1 != 3'd0, free_0 != 3'd0};
    wire [15:0] counted_two = {14'd0, free_1 > 3'd1, free_0 > 3'd1};
    wire [15:0] counted_three = {14'd0, free_1 > 3'd2, free_0 > 3'd2};
    wire [15:0] counted_four = {14'd0, free_1 > 3'd3, free_0 > 3'd3};

    // A release two cycles ago whose slot neither allocated nor lost its partition since.
    reg [1:0] came_back, coming_back;
    wire [1:0] allocating = {allocate && allocate_slot_in, allocate && !allocate_slot_in};
    wire [1:0] releasing = {release_valid && allocated[release_entry] && release_slot,
                            release_valid && allocated[release_entry] && !release_slot};
    always @(posedge clock) begin
        coming_back <= launch_valid ? 2'd0 : releasing & ~allocating;
        came_back <= launch_valid ? 2'd0 : coming_back & ~allocating;
    end

    assign bad[1] = legal && allocated_valid && (allocated[allocated_address]
        || !in_partition(size, pending_slot, allocated_address)
        || (pending_store && (allocated_address == allocated_data || allocated[allocated_data]
            || !in_partition(size, pending_slot, allocated_data))));
    assign bad[2] = legal && (allocate_ready != (!launch_valid && (free_here > {2'd0, allocate_store}))
        || allocated_valid != pending);
    assign bad[3] = legal && (replayed_valid || saved_valid) && read_data != expected;
    assign bad[4] = legal && ((replayed_valid != (was_replay && allowed))
        || (saved_valid != (was_save && allowed))
        || (read_denied != ((was_replay || was_save) && !allowed))
        || (!replayed_valid && !saved_valid && ends != ends_before));
    assign bad[5] = legal && (launched && (free_one != launched_one || free_two != launched_two || allocated_valid)
        || launched_before && (replayed_valid || saved_valid));
    assign bad[6] = legal && |(came_back & ~free_one[1:0]);
    assign bad[7] = legal && (write && replay || write && save || replay && save
        || launch_valid && (write_ready || replay_ready || save_ready || allocate_ready));
    assign bad[8] = legal && !launch_valid && !replay_valid && !save_valid && !write_ready;
    assign bad[9] = legal && (replay_waits > 5'd17 || save_waits > 5'd17);
    assign bad[10] = legal && (free_one != counted_one || free_two != counted_two
        || free_three != counted_three || free_four != counted_four);

    assign seen[1] = legal && allocated_valid && pending_store && pending_slot;
    assign seen[2] = legal && allocate_valid && allocate_store && free_here == 3'd1;
    assign seen[3] = legal && replayed_valid && read_data[2047:2046] == 2'd2;
    assign seen[4] = legal && read_denied && size != 3'd0 && written == 4'd15;
    assign seen[5] = legal && launched && launched_one == 16'd15;
    assign seen[6] = legal && came_back == 2'd2 && free_one[1:0] == 2'd2;
    assign seen[7] = legal && write_valid && replay_valid && save_valid && save_ready;
    assign seen[8] = legal && write && allocated_valid && allocate && !replay_valid && !save_valid;
    assign seen[9] = legal && (save_waits == 5'd17 || replay_waits == 5'd17);
    // Both slots had two free entries, and then slot 0 has all four.
    reg both_had_two;
    always @(posedge clock) both_had_two <= both_had_two || (legal && free_two[1:0] == 2'b11);
    assign seen[10] = legal && both_had_two && free_four[0];
endmodule

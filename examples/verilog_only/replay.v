// A load that faults, is replayed and commits, on the committed Verilog of the replay queue with 64 entries.
// In the folder rtl-out:
//
//     iverilog -g2005 -o ../replay.vvp -f replay_queue_64.f ../examples/verilog_only/replay.v
//     vvp ../replay.vvp
//
// The ports are described in docs/blocks/replay_queue.md. Inputs change at the falling edge of the clock and outputs are read
// just before the next falling edge, so each pass of the loop in `cycle` is one clock cycle. MIT OR Apache-2.0.

module replay;
    reg         clock = 0;
    reg         reset = 1;
    reg         insert_valid = 0;
    reg   [5:0] insert_warp = 0;
    reg  [31:0] insert_pc = 0;
    reg  [31:0] insert_mask = 0;
    reg   [7:0] insert_destination = 0;
    reg   [7:0] insert_address_register = 0;
    reg         checked_valid = 0;
    reg   [5:0] checked_index = 0;
    reg         faulted_valid = 0;
    reg   [5:0] faulted_index = 0;
    reg         committed_valid = 0;
    reg   [5:0] committed_index = 0;
    reg         resume_valid = 0;
    reg         replay_ready = 0;
    wire        insert_ready;
    wire  [5:0] insert_index;
    wire        held;
    wire        resume_ready;
    wire        replay_valid;
    wire        replay_done;
    wire  [5:0] entry_index;
    wire  [5:0] entry_warp;
    wire [31:0] entry_pc;
    wire  [7:0] entry_destination;
    wire  [7:0] entry_address_register;
    wire [31:0] entry_mask;
    wire  [6:0] occupancy;

    // Register 8 of warp 1 holds the address of the load that faults. Register 255 is the zero register.
    replay_queue_64 queue (
        .clock(clock), .reset(reset),
        .insert_valid(insert_valid), .insert_ready(insert_ready), .insert_index(insert_index), .insert_restored(1'b0),
        .insert_warp(insert_warp), .insert_slot(4'd0), .insert_pc(insert_pc), .insert_mask(insert_mask),
        .insert_opcode(8'd0), .insert_destination(insert_destination),
        .insert_address_register(insert_address_register), .insert_data_register(8'd255),
        .insert_log_address(7'd0), .insert_log_data(7'd0), .memory_free(),
        .checked_valid(checked_valid), .checked_index(checked_index),
        .faulted_valid(faulted_valid), .faulted_index(faulted_index),
        .committed_valid(committed_valid), .committed_index(committed_index),
        .held_warp(6'd1), .held_register(8'd8), .held(held),
        .resume_valid(resume_valid), .resume_warp(6'd1), .resume_ready(resume_ready),
        .replay_valid(replay_valid), .replay_ready(replay_ready), .replay_done(replay_done),
        .save_valid(1'b0), .save_slot(4'd0), .save_ready(), .saved_valid(), .saved_ready(1'b0), .save_done(),
        .entry_index(entry_index), .entry_warp(entry_warp), .entry_slot(), .entry_pc(entry_pc), .entry_opcode(),
        .entry_destination(entry_destination), .entry_address_register(entry_address_register),
        .entry_data_register(), .entry_mask(entry_mask), .entry_log_address(), .entry_log_data(),
        .occupancy(occupancy), .aged()
    );

    integer now = 0;
    integer failures = 0;
    integer waited;

    // Ends the current cycle; then no input is valid.
    task cycle;
        begin
            #5 clock = 1;
            #5 clock = 0;
            now = now + 1;
            insert_valid = 0;
            checked_valid = 0;
            faulted_valid = 0;
            committed_valid = 0;
            resume_valid = 0;
            replay_ready = 0;
            #1;
        end
    endtask

    task expect_value(input [8 * 24 - 1:0] name, input [31:0] value, input [31:0] wanted);
        if (value !== wanted) begin
            $display("cycle %0d: %0s is %0h and should be %0h", now, name, value, wanted);
            failures = failures + 1;
        end
    endtask

    // Offers a load for one cycle; it has to be accepted into this entry.
    task load(input [5:0] warp, input [31:0] pc, input [7:0] address, input [7:0] destination, input [5:0] entry);
        begin
            insert_valid = 1;
            insert_warp = warp;
            insert_pc = pc;
            insert_mask = 32'hffff_0001;
            insert_address_register = address;
            insert_destination = destination;
            #1;
            expect_value("insert_ready", insert_ready, 1);
            expect_value("insert_index", insert_index, entry);
            $display("cycle %0d: warp %0d issues the load at pc %0d, entry %0d", now, warp, pc, insert_index);
            cycle;
        end
    endtask

    initial begin
        cycle;
        reset = 0;
        #1 expect_value("occupancy", occupancy, 0);

        load(1, 16, 7, 9, 0);
        load(1, 32, 8, 10, 1);
        load(2, 16, 7, 9, 2);
        expect_value("occupancy", occupancy, 3);

        // The older load of warp 1 translates and commits. The younger one has no page.
        checked_valid = 1;
        checked_index = 0;
        faulted_valid = 1;
        faulted_index = 1;
        $display("cycle %0d: entry 0 passes its last TLB check, entry 1 faults", now);
        cycle;
        committed_valid = 1;
        committed_index = 0;
        $display("cycle %0d: entry 0 commits", now);
        cycle;
        expect_value("occupancy", occupancy, 2);
        expect_value("held", held, 1);

        // While the load waits, warp 1 issues nothing newer; warp 2 does, and takes the entry that the commit freed.
        insert_valid = 1;
        insert_warp = 1;
        #1 expect_value("insert_ready", insert_ready, 0);
        $display("cycle %0d: warp 1 waits for its page", now);
        load(2, 32, 8, 10, 0);

        // The page has come.
        resume_valid = 1;
        #1 expect_value("resume_ready", resume_ready, 1);
        $display("cycle %0d: the page is there, warp 1 resumes", now);
        cycle;
        waited = 0;
        while (!replay_valid && waited < 300) begin
            cycle;
            waited = waited + 1;
        end
        expect_value("replay_valid", replay_valid, 1);
        expect_value("entry_index", entry_index, 1);
        expect_value("entry_warp", entry_warp, 1);
        expect_value("entry_pc", entry_pc, 32);
        expect_value("entry_address_register", entry_address_register, 8);
        expect_value("entry_destination", entry_destination, 10);
        expect_value("entry_mask", entry_mask, 32'hffff_0001);
        $display("cycle %0d: the load at pc %0d of warp %0d is replayed, lanes %h", now, entry_pc, entry_warp, entry_mask);
        replay_ready = 1;
        cycle;
        waited = 0;
        while (!replay_done && waited < 300) begin
            cycle;
            waited = waited + 1;
        end
        expect_value("replay_done", replay_done, 1);
        cycle;

        checked_valid = 1;
        checked_index = 1;
        cycle;
        expect_value("held", held, 0);
        committed_valid = 1;
        committed_index = 1;
        $display("cycle %0d: it commits", now);
        cycle;
        // What warp 2 issued is still in flight.
        expect_value("occupancy", occupancy, 2);
        if (failures == 0) $display("PASS");
        else $display("FAIL: %0d values differ", failures);
        $finish;
    end
endmodule

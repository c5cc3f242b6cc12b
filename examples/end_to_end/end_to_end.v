// A warp faults, leaves and comes back, on the committed Verilog alone: an SM unit of 4 warps and the GMMU, with a memory that
// has page tables, and a small driver. In the folder rtl-out:
//
//     sort -u sm_unit_log_4.f gmmu_8.f | xargs iverilog -g2005 -o ../end_to_end.vvp ../examples/end_to_end/end_to_end.v
//     vvp ../end_to_end.vvp +memory=../examples/end_to_end/memory.hex
//
// With +wave it also writes end_to_end.vcd, for which end_to_end.gtkw is a view. docs/end_to_end.md explains what it prints.
//
// Warp 0 loads from page 5, which is absent, and stores what it has computed from the value. Warp 1 counts meanwhile. One lane
// is enough to see it. The ports are described in docs/blocks/sm_unit.md and docs/blocks/gmmu.md; inputs change after the
// rising edge of the clock. MIT OR Apache-2.0.

`timescale 1ns / 1ps

module end_to_end;
    localparam MATH = 3'd0, LOAD = 3'd4, STORE = 3'd5;
    localparam NONE = 8'd255;
    // Memory: words of 64 bits in 32 frames. Frames 1 to 4 have the tables, 16 the ring of the fault buffer.
    localparam WORDS = 32 * 512, RING = 16, DATA = 9;
    localparam PRESENT = 64'h67; // accessed and dirty, for users, writable
    // Cycles: of memory, of the cache, and from the interrupt to the page.
    localparam MEMORY = 4, CACHE = 12, DRIVER = 150;

    reg         clock = 0, reset = 1;
    integer     cycle = 0;
    always #0.5 clock = !clock;

    reg  [63:0] memory [0:WORDS - 1];

    // ---------------------------------------------------------------- the programs: class, destination, sources, immediate
    localparam STEPS = 64;
    reg   [2:0] class_of [0:2 * STEPS - 1];
    reg   [7:0] destination [0:2 * STEPS - 1], source_a [0:2 * STEPS - 1], source_b [0:2 * STEPS - 1];
    reg  [63:0] immediate [0:2 * STEPS - 1];
    integer     length [0:1];
    integer     position [0:1];
    reg  [63:0] register [0:2 * 256 - 1];

    task step(input integer warp, input [2:0] kind, input [7:0] to, input [7:0] a, input [7:0] b, input [63:0] number);
        begin
            class_of[warp * STEPS + length[warp]] = kind;
            destination[warp * STEPS + length[warp]] = to;
            source_a[warp * STEPS + length[warp]] = a;
            source_b[warp * STEPS + length[warp]] = b;
            immediate[warp * STEPS + length[warp]] = number;
            length[warp] = length[warp] + 1;
        end
    endtask

    integer i;
    reg [8 * 128 - 1:0] image;
    initial begin
        for (i = 0; i < WORDS; i = i + 1) memory[i] = 64'd0;
        if (!$value$plusargs("memory=%s", image)) image = "memory.hex";
        $readmemh(image, memory);
        for (i = 0; i < 512; i = i + 1) register[i] = 64'd0;
        length[0] = 0; length[1] = 0; position[0] = 0; position[1] = 0;
        step(0, MATH,  1, NONE, NONE, 64'h5008); // r1 = 0x5008
        step(0, LOAD,  2, 1, NONE, 0);           // r2 = [r1]
        step(0, MATH,  1, NONE, NONE, 64'h6010); // r1 = 0x6010, while the load is not checked
        step(0, MATH,  3, 2, NONE, 1);           // r3 = r2 + 1
        step(0, STORE, NONE, 1, 3, 0);           // [r1] = r3
        for (i = 0; i < 60; i = i + 1) step(1, MATH, 1, 1, NONE, 1);
        if ($test$plusargs("wave")) begin
            $dumpfile("end_to_end.vcd");
            $dumpvars(0, end_to_end);
        end
    end

    // ---------------------------------------------------------------- the SM unit
    reg         start_valid = 0;
    reg   [5:0] start_warp = 0;
    reg         launch_valid = 0;
    wire  [1:0] fetch_valid, read_valid, read_replayed;
    wire [11:0] fetch_warp, read_warp;
    wire  [5:0] read_entry, read_class;
    wire [15:0] read_destination, read_source_a, read_source_b;
    wire [63:0] read_pc;
    wire        revert_valid, memory_data, memory_valid, memory_ready, memory_replayed, logged_valid;
    wire  [5:0] revert_warp, memory_warp;
    wire  [1:0] revert_count;
    wire  [2:0] memory_entry, memory_class;
    wire [31:0] memory_pc;
    wire [2047:0] logged_data;
    wire        faulted_valid, line_valid, line_store, line_last, walk_valid, walk_write;
    wire  [5:0] faulted_warp, line_warp;
    wire  [2:0] line_entry;
    wire [32:0] line_number;
    wire [35:0] walk_vpn;
    wire  [7:0] walk_asid;

    reg   [1:0] fetched_valid;
    reg   [5:0] fetched_class;
    reg  [15:0] fetched_destination, fetched_source_a, fetched_source_b;
    reg  [63:0] fetched_pc;
    reg   [4:0] finished_valid;
    reg  [29:0] finished_warp;
    reg  [14:0] finished_entry;
    reg  [63:0] operand, address;

    // The source gives the next instruction of the warp that is fetched for.
    integer p, at;
    always @* begin
        fetched_valid = 2'b00;
        {fetched_class, fetched_destination, fetched_source_a, fetched_source_b, fetched_pc} = 0;
        for (p = 0; p < 2; p = p + 1) begin
            at = fetch_warp[6 * p +: 6];
            if (fetch_valid[p] && at < 2 && position[at % 2] < length[at % 2]) begin
                at = at * STEPS + position[at];
                fetched_valid[p] = 1'b1;
                fetched_class[3 * p +: 3] = class_of[at];
                fetched_destination[8 * p +: 8] = destination[at];
                fetched_source_a[8 * p +: 8] = source_a[at];
                fetched_source_b[8 * p +: 8] = source_b[at];
                fetched_pc[32 * p +: 32] = at;
            end
        end
    end

    // ---------------------------------------------------------------- the GMMU; the SM is its first one
    wire        request_ready, fill_valid, fill_writable, fill_clean, resolve_valid, drop_valid;
    wire  [2:0] fill_kind;
    wire [35:0] fill_vpn, resolve_vpn;
    wire  [7:0] fill_asid, resolve_asid, drop_asid;
    wire [27:0] fill_pfn;
    wire  [1:0] drop_scope;
    wire        table_valid, table_update, write_valid, interrupts;
    wire  [2:0] table_walk, table_level;
    wire [36:0] table_word, write_address;
    wire [63:0] write_data, read_data;
    reg         response_valid = 0, written = 0, register_valid = 0, root_valid = 0;
    reg   [2:0] response_walk = 0;
    reg  [63:0] response_data = 0, register_data = 0;
    reg   [3:0] register_number = 0;

    sm_unit_log_4 sm (
        .clock(clock), .reset(reset),
        .start_valid(start_valid), .start_warp(start_warp), .start_slot(4'd0),
        .stop_valid(1'b0), .stop_warp(6'd0), .resume_valid(1'b0), .resume_warp(6'd0), .resume_ready(),
        .fetched_valid(fetched_valid), .fetched_class(fetched_class), .fetched_destination(fetched_destination),
        .fetched_source_a(fetched_source_a), .fetched_source_b(fetched_source_b), .fetched_source_c({NONE, NONE}),
        .fetched_pc(fetched_pc), .fetched_mask({32'd1, 32'd1}), .fetched_opcode(14'd0),
        .special_ready(1'b1), .operand({1984'd0, operand}),
        .finished_valid(finished_valid), .finished_warp(finished_warp), .finished_entry(finished_entry),
        .launch_valid(launch_valid), .launch_entries(6'd16),
        .save_valid(1'b0), .save_slot(4'd0), .saved_ready(1'b0), .save_ready(), .save_done(),
        .restore_valid(1'b0), .restore_warp(6'd0), .restore_slot(4'd0), .restore_store(1'b0),
        .restore_destination(8'd0), .restore_source_a(8'd0), .restore_source_b(8'd0), .restore_pc(32'd0),
        .restore_mask(32'd0), .restore_opcode(7'd0), .restore_ready(),
        .access_line({1271'd0, address[47:7]}), .front_other(1'b0), .other_ready(1'b0),
        .certain_valid(1'b0), .certain_warp(6'd0), .certain_entry(3'd0), .certain_index(4'd0), .certain_slot(4'd0),
        .certain_store(1'b0), .certain_log_address(5'd0), .certain_log_data(5'd0), .certain_ready(),
        .raised_valid(1'b0), .raised_warp(6'd0), .raised_entry(3'd0), .raised_index(4'd0), .raised_ready(),
        .hold(64'd0), .leave_valid(1'b0), .leave_warp(6'd0), .asid(8'd0), .line_ready(1'b1),
        .walk_ready(request_ready), .fill_valid(fill_valid), .fill_kind(fill_kind), .fill_vpn(fill_vpn),
        .fill_asid(fill_asid), .fill_pfn(fill_pfn), .fill_writable(fill_writable), .fill_clean(fill_clean),
        .resolve_valid(resolve_valid), .resolve_vpn(resolve_vpn), .resolve_asid(resolve_asid),
        .invalidate_valid(drop_valid), .invalidate_scope(drop_scope), .invalidate_vpn(36'd0),
        .invalidate_asid(drop_asid), .far_limit(4'd4),
        .fetch_valid(fetch_valid), .fetch_warp(fetch_warp),
        .revert_valid(revert_valid), .revert_warp(revert_warp), .revert_count(revert_count),
        .read_valid(read_valid), .read_warp(read_warp), .read_entry(read_entry), .read_class(read_class),
        .read_replayed(read_replayed), .read_destination(read_destination), .read_source_a(read_source_a),
        .read_source_b(read_source_b), .read_source_c(), .read_pc(read_pc), .read_mask(), .read_opcode(),
        .memory_front(), .memory_data(memory_data), .memory_valid(memory_valid), .memory_ready(memory_ready),
        .memory_warp(memory_warp), .memory_slot(), .memory_entry(memory_entry), .memory_class(memory_class),
        .memory_replayed(memory_replayed), .memory_squashed(), .memory_pc(memory_pc), .memory_mask(),
        .memory_opcode(), .memory_index(), .memory_log_address(), .memory_log_data(),
        .logged_valid(logged_valid), .logged_data(logged_data), .occupancy(),
        .spilled_valid(), .saved_valid(), .saved_warp(), .saved_store(), .saved_destination(), .saved_source_a(),
        .saved_source_b(), .saved_pc(), .saved_mask(), .saved_opcode(),
        .faulted_valid(faulted_valid), .faulted_denied(), .faulted_warp(faulted_warp), .faulted_entry(),
        .faulted_index(), .absent_valid(), .absent_warp(), .absent_slot(), .absent_vpn(),
        .line_valid(line_valid), .line_number(line_number), .line_mask(), .line_warp(line_warp),
        .line_entry(line_entry), .line_store(line_store), .line_last(line_last), .settled(),
        .walk_valid(walk_valid), .walk_vpn(walk_vpn), .walk_asid(walk_asid), .walk_write(walk_write)
    );

    wire [15:0] request_readies, fill_valids, resolve_valids;
    wire [47:0] fill_kinds;
    assign request_ready = request_readies[0];
    assign fill_valid = fill_valids[0];
    assign fill_kind = fill_kinds[2:0];
    assign resolve_valid = resolve_valids[0];

    gmmu_8 gmmu (
        .clock(clock), .reset(reset),
        .request_valid({15'd0, walk_valid}), .request_vpn({540'd0, walk_vpn}), .request_asid({120'd0, walk_asid}),
        .request_write({15'd0, walk_write}), .request_ready(request_readies),
        .detail_ready(1'b1), .context_valid(1'b0), .context_known(1'b0), .context_warp(6'd0), .context_slot(4'd0),
        .context_pc(48'd0), .context_lanes(32'd0), .context_scheme(3'd0), .context_pointer(7'd0),
        .memory_ready(1'b1), .response_valid(response_valid), .response_walk(response_walk),
        .response_data(response_data), .response_error(1'b0), .response_changed(1'b0),
        .write_ready(1'b1), .written(written),
        .register_valid(register_valid), .register_number(register_number), .register_data(register_data),
        .read_number(4'd3), .invalidate_valid(1'b0), .invalidate_scope(2'd0), .invalidate_vpn(36'd0),
        .invalidate_asid(8'd0), .root_valid(root_valid), .root_asid(8'd0), .root_pfn(28'd1),
        .reserved_bits(20'hFFF00), .execute_disable(1'b1), .last_pfn(28'hFFFFFFF), .cached_levels(4'hF),
        .shared_tlb(1'b1), .large_fills(1'b0), .far_limit(7'd4), .region(1'b0),
        .fill_valid(fill_valids), .fill_kind(fill_kinds), .fill_vpn(fill_vpn), .fill_asid(fill_asid),
        .fill_pfn(fill_pfn), .fill_writable(fill_writable), .fill_clean(fill_clean), .fill_place(),
        .resolve_valid(resolve_valids), .resolve_vpn(resolve_vpn), .resolve_asid(resolve_asid),
        .drop_valid(drop_valid), .drop_scope(drop_scope), .drop_asid(drop_asid),
        .detail_valid(), .detail_sm(), .detail_vpn(), .detail_asid(),
        .memory_valid(table_valid), .memory_walk(table_walk), .memory_word(table_word), .memory_level(table_level),
        .memory_update(table_update), .memory_dirty(), .memory_expected(),
        .write_valid(write_valid), .write_address(write_address), .write_data(write_data),
        .read_data(read_data), .interrupts(interrupts), .invalidate_ready(), .held()
    );

    // ---------------------------------------------------------------- operands, units, cache
    // What operand read has found, by warp and scoreboard entry; and where results go.
    reg  [63:0] address_of [0:15], data_of [0:15];
    reg   [7:0] target_of [0:15];
    reg  [31:0] pc_of [0:15];
    // Of each arithmetic unit, what it finishes in this cycle.
    reg   [1:0] math_valid = 0;
    reg   [5:0] math_warp [0:1];
    reg   [2:0] math_entry [0:1];
    reg   [7:0] math_target [0:1];
    reg  [63:0] math_value [0:1];
    // Accesses in the cache, the oldest first.
    reg   [3:0] cached [0:15];
    integer     due [0:15];
    integer     first = 0, last = 0;
    // The access that was taken last, and the operand that the log shows.
    reg   [3:0] taken = 0, asked = 0;
    reg         asked_data = 0;
    wire  [3:0] front = {memory_warp[0], memory_entry};
    wire  [3:0] line_name = {line_warp[0], line_entry};
    wire        ends = first != last && due[first % 16] <= cycle;

    always @* begin
        operand = memory_data ? data_of[front] : address_of[front];
        address = logged_valid && !asked_data && asked == taken ? logged_data[63:0] : address_of[taken];
        finished_valid = {ends, 2'b00, math_valid};
        finished_warp = {5'd0, cached[first % 16][3], 12'd0, math_warp[1], math_warp[0]};
        finished_entry = {cached[first % 16][2:0], 6'd0, math_entry[1], math_entry[0]};
    end

    // ---------------------------------------------------------------- the driver
    integer     waits = 0, handled = 0, faults = 0, replays = 0, counted = 0, resolved_at = 0;
    reg  [35:0] absent;
    reg         present = 0;

    task write(input [3:0] number, input [63:0] value);
        begin
            register_valid <= 1'b1;
            register_number <= number;
            register_data <= value;
        end
    endtask

    // Answers of memory, and acknowledgements of its writes.
    reg [MEMORY:1] reads = 0, writes = 0;
    reg      [2:0] walk_at [1:MEMORY];
    reg     [63:0] data_at [1:MEMORY];

    integer w, n, line;
    reg [63:0] value;
    always @(posedge clock) begin
        cycle <= cycle + 1;
        register_valid <= 1'b0;
        root_valid <= 1'b0;
        start_valid <= 1'b0;
        launch_valid <= 1'b0;

        // The driver sets up the fault buffer and the space, once the GMMU has cleared its memories; then the warps begin.
        case (cycle)
            4: reset <= 1'b0;
            600: write(0, RING);
            601: write(1, 8);
            602: write(4, 64'b101);
            603: root_valid <= 1'b1;
            604: launch_valid <= 1'b1;
            605: {start_valid, start_warp} <= {1'b1, 6'd0};
            606: {start_valid, start_warp} <= {1'b1, 6'd1};
        endcase

        // Memory.
        reads <= {reads[MEMORY - 1:1], table_valid};
        for (n = 2; n <= MEMORY; n = n + 1) begin
            walk_at[n] <= walk_at[n - 1];
            data_at[n] <= data_at[n - 1];
        end
        walk_at[1] <= table_walk;
        data_at[1] <= memory[table_word % WORDS];
        response_valid <= reads[MEMORY];
        response_walk <= walk_at[MEMORY];
        response_data <= data_at[MEMORY];
        writes <= {writes[MEMORY - 1:1], write_valid};
        written <= writes[MEMORY];
        if (write_valid) memory[write_address % WORDS] <= write_data;

        if (!reset) begin
            // The source of instructions.
            for (n = 0; n < 2; n = n + 1)
                if (fetched_valid[n]) position[fetch_warp[6 * n]] = position[fetch_warp[6 * n]] + 1;
            if (revert_valid) position[revert_warp[0]] = position[revert_warp[0]] - revert_count;

            // Results of the cycle before are in the registers, and operands are read.
            for (n = 0; n < 2; n = n + 1)
                if (math_valid[n]) begin
                    register[{math_warp[n][0], math_target[n]}] = math_value[n];
                    if (math_warp[n][0]) counted = counted + 1;
                end
            if (ends) begin
                if (target_of[cached[first % 16]] != NONE)
                    register[{cached[first % 16][3], target_of[cached[first % 16]]}] = data_of[cached[first % 16]];
                $display("%5d  commit: instruction %0d of warp %0d has ended", cycle, pc_of[cached[first % 16]] % STEPS, cached[first % 16][3]);
                first = first + 1;
            end
            for (n = 0; n < 2; n = n + 1) begin
                math_valid[n] <= read_valid[n] && read_class[3 * n +: 3] == MATH;
                math_warp[n] <= read_warp[6 * n +: 6];
                math_entry[n] <= read_entry[3 * n +: 3];
                math_target[n] <= read_destination[8 * n +: 8];
                value = read_source_a[8 * n +: 8] == NONE ? 64'd0 : register[{read_warp[6 * n], read_source_a[8 * n +: 8]}];
                math_value[n] <= value + immediate[read_pc[32 * n +: 32] % (2 * STEPS)];
                if (read_valid[n] && read_class[3 * n +: 3] != MATH) begin
                    w = {read_warp[6 * n], read_entry[3 * n +: 3]};
                    target_of[w] = read_destination[8 * n +: 8];
                    pc_of[w] = read_pc[32 * n +: 32];
                    if (!read_replayed[n]) begin
                        address_of[w] = value;
                        data_of[w] = register[{read_warp[6 * n], read_source_b[8 * n +: 8]}];
                    end else begin
                        replays = replays + 1;
                        $display("%5d  replay: instruction %0d of warp %0d is issued again, %0d cycles after the resolution",
                            cycle, pc_of[w] % STEPS, read_warp[6 * n], cycle - resolved_at);
                    end
                end
            end

            // The log gives operands of what is replayed, in the cycle after they were requested.
            if (logged_valid && asked_data) data_of[asked] = logged_data[63:0];
            if (logged_valid && !asked_data) address_of[asked] = logged_data[63:0];
            asked <= front;
            asked_data <= memory_data;
            if (memory_valid && memory_ready) begin
                taken <= front;
                $display("%5d  %0s: instruction %0d of warp %0d goes to the memory unit%0s", cycle,
                    memory_class == STORE ? "store" : "load", memory_pc % STEPS, memory_warp, memory_replayed ? " again" : "");
            end

            // The cache: a store writes, and a load reads, when its line comes.
            if (line_valid) begin
                line = (line_number * 16 + address_of[line_name][6:3]) % WORDS;
                if (line_store) memory[line] = data_of[line_name];
                else data_of[line_name] = memory[line];
                $display("%5d  line %0d of memory is %0s", cycle, line_number, line_store ? "written" : "read");
                cached[last % 16] = line_name;
                due[last % 16] = cycle + CACHE;
                last = last + 1;
            end

            // What the SM and the GMMU say to each other.
            if (walk_valid && request_ready) $display("%5d  miss: the L1 TLB requests page %0d", cycle, walk_vpn);
            if (table_valid) $display("%5d  walk: the entry of level %0d is read at %h", cycle, table_level, {table_word, 3'd0});
            if (fill_valid)
                case (fill_kind)
                    0, 5: $display("%5d  page %0d is in frame %0d", cycle, fill_vpn, fill_pfn);
                    2: $display("%5d  far fault: page %0d is absent, and the GMMU holds the fault", cycle, fill_vpn);
                    default: $display("%5d  page %0d: answer %0d", cycle, fill_vpn, fill_kind);
                endcase
            if (write_valid && write_address[2:0] == 3'd1) $display("%5d  record: address %h goes to the ring", cycle, write_data);
            if (faulted_valid) begin
                faults = faults + 1;
                $display("%5d  squash: warp %0d faults and leaves", cycle, faulted_warp);
            end
            if (resolve_valid) begin
                resolved_at = cycle;
                $display("%5d  resolution: page %0d has come; warp 1 has executed %0d instructions", cycle, resolve_vpn, counted);
            end

            // The driver reads the record, brings the page, and resolves the far fault.
            if (interrupts && waits == 0) begin
                absent <= memory[RING * 512 + 8 * (handled % 8) + 1] >> 12;
                $display("%5d  driver: interrupt", cycle);
                waits <= 1;
            end else if (waits != 0) begin
                waits <= waits + 1;
                if (waits == DRIVER) begin
                    memory[4 * 512 + absent] = (DATA + absent) << 12 | PRESENT;
                    $display("%5d  driver: page %0d comes to frame %0d", cycle, absent, DATA + absent);
                    write(2, handled + 1);
                end else if (waits == DRIVER + 1) begin
                    write(7, {8'd0, 8'd0, absent, 12'd6});
                end else if (waits == DRIVER + 4) begin
                    handled <= handled + 1;
                    waits <= 0;
                end
            end

            // The end.
            if (position[0] == length[0] && position[1] == length[1] && first == last && last == 2 && !ends && counted == 60) begin
                $display("%5d  r2 = %h, r3 = %h, stored %h", cycle, register[2], register[3], memory[(DATA + 6) * 512 + 2]);
                if (register[2] == 64'h2A && register[3] == 64'h2B && memory[(DATA + 6) * 512 + 2] == 64'h2B
                    && register[256 + 1] == 64'd60 && faults == 2 && handled == 2) $display("PASS");
                else $display("FAIL");
                $finish;
            end
            if (cycle == 5000) begin
                $display("FAIL: it does not end");
                $finish;
            end
        end
    end
endmodule

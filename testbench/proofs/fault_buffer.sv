// The guarantees of fault_buffer.md, stated over its ports and the registers that the driver reads, for 2 SMs, pages of 2
// bits in 2 spaces, rings of up to 7 records in 2 frames, a filter of 2 records, counters of 3 bits and a time of 2.
// Everything that comes from outside is free. `bad[k]` must stay low for ever, and `seen[k]` must be reachable, or
// guarantee k holds for want of an occasion.
module fault_buffer_proof_top (
    input  wire        clock,
    input  wire        fault_valid,
    input  wire [1:0]  fault_vpn,
    input  wire        fault_asid,
    input  wire [1:0]  fault_requesters,
    input  wire [2:0]  fault_access,
    input  wire [2:0]  fault_cause,
    input  wire [2:0]  fault_level,
    input  wire        fault_replayable,
    input  wire        fault_index,
    input  wire [1:0]  fault_place,
    input  wire        detail_ready,
    input  wire        context_valid,
    input  wire        context_known,
    input  wire        context_pc,
    input  wire        context_lanes,
    input  wire        write_ready,
    input  wire        written,
    input  wire        register_valid,
    input  wire [3:0]  register_number,
    input  wire [10:0] register_bits,
    input  wire        turned_away,
    input  wire        command_ready,
    input  wire        sweeping,
    input  wire        walks_pending,
    output wire [12:1] bad,
    output wire [12:1] seen
);
    wire        fault_ready, detail_valid, detail_sm, detail_asid, write_valid, room, command_valid, command_cancel;
    wire        command_all, command_asid, interrupts, replay_writes;
    wire [1:0]  detail_vpn, command_vpn, command_requesters;
    wire [9:0]  write_address;
    wire [63:0] write_data, read_data;
    wire [63:0] register_data = {15'd0, register_bits[7], 16'd0, register_bits[10], 17'd0, register_bits[6:5], 5'd0,
        register_bits[9:8], register_bits[4:0]};

    fault_buffer_proof buffer (
        .clock(clock), .reset(1'b0), .fault_valid(fault_valid), .fault_vpn(fault_vpn), .fault_asid(fault_asid),
        .fault_requesters(fault_requesters), .fault_access(fault_access), .fault_cause(fault_cause),
        .fault_level(fault_level), .fault_replayable(fault_replayable), .fault_index(fault_index),
        .fault_place(fault_place), .detail_ready(detail_ready), .context_valid(context_valid),
        .context_known(context_known), .context_warp(6'd0), .context_slot(4'd0), .context_pc(context_pc),
        .context_lanes(context_lanes), .context_scheme(3'd0), .context_pointer(7'd0), .write_ready(write_ready),
        .written(written), .register_valid(register_valid), .register_number(register_number),
        .register_data(register_data), .read_number(4'd0), .turned_away(turned_away), .command_ready(command_ready),
        .sweeping(sweeping), .walks_pending(walks_pending), .fault_ready(fault_ready), .detail_valid(detail_valid),
        .detail_sm(detail_sm), .detail_vpn(detail_vpn), .detail_asid(detail_asid), .write_valid(write_valid),
        .write_address(write_address), .write_data(write_data), .read_data(read_data), .interrupts(interrupts),
        .room(room), .replay_writes(replay_writes), .command_valid(command_valid), .command_cancel(command_cancel), .command_all(command_all),
        .command_vpn(command_vpn), .command_asid(command_asid), .command_requesters(command_requesters)
    );

    // What the driver reads.
    (* hierconn *) wire       \buffer.ring.first_q ;
    (* hierconn *) wire [2:0] \buffer.ring.records_q ;
    (* hierconn *) wire [2:0] \buffer.ring.read_q ;
    (* hierconn *) wire [2:0] \buffer.ring.written_q ;
    (* hierconn *) wire       \buffer.enabled_q ;
    (* hierconn *) wire       \buffer.short_q ;
    (* hierconn *) wire       \buffer.requests_q ;
    (* hierconn *) wire       \buffer.leaves_out_q ;
    (* hierconn *) wire       \buffer.clears_q ;
    (* hierconn *) wire       \buffer.was_short_q ;
    (* hierconn *) wire       \buffer.overflow_q ;
    (* hierconn *) wire       \buffer.refused_q ;
    (* hierconn *) wire [2:0] \buffer.records_q ;
    (* hierconn *) wire [2:0] \buffer.filtered_q ;
    (* hierconn *) wire [2:0] \buffer.dropped_q ;
    (* hierconn *) wire [2:0] \buffer.away_q ;
    (* hierconn *) wire [1:0] \buffer.time_q ;
    (* hierconn *) wire [2:0] \buffer.commands.stage_q ;
    (* hierconn *) wire [1:0] \buffer.phase_q ;
    (* hierconn *) wire [2:0] \buffer.records_d ;
    (* hierconn *) wire [2:0] \buffer.filtered_d ;
    (* hierconn *) wire [2:0] \buffer.dropped_d ;
    (* hierconn *) wire       \buffer.takes ;
    // What the driver does not read, for invariants without which the proof would not end.
    (* hierconn *) wire [3:0] \buffer.outstanding_q ;
    (* hierconn *) wire [2:0] \buffer.settled_q ;
    (* hierconn *) wire [2:0] \buffer.step_q ;
    (* hierconn *) wire [2:0] \buffer.ring.following_q ;
    (* hierconn *) wire [2:0] \buffer.ring.begun_q ;
    (* hierconn *) wire [2:0] \buffer.ring.head_q ;
    (* hierconn *) wire [2:0] \buffer.ring.after_q ;
    (* hierconn *) wire [2:0] \buffer.ring.second_q ;
    wire       base = \buffer.ring.first_q ;
    wire [2:0] size = \buffer.ring.records_q ;
    wire [2:0] get = \buffer.ring.read_q ;
    wire [2:0] put = \buffer.ring.written_q ;
    wire       enabled = \buffer.enabled_q ;
    wire       short_records = \buffer.short_q ;
    wire       asks = \buffer.requests_q ;
    wire       leaves_out = \buffer.leaves_out_q ;
    wire       overflow = \buffer.overflow_q ;
    wire       refused = \buffer.refused_q ;
    wire [2:0] records = \buffer.records_q ;
    wire [2:0] filtered = \buffer.filtered_q ;
    wire [2:0] dropped = \buffer.dropped_q ;
    wire [2:0] away = \buffer.away_q ;
    wire [1:0] now = \buffer.time_q ;
    wire       busy = \buffer.commands.stage_q != 3'd0;
    wire [2:0] records_next = \buffer.records_d ;
    wire [2:0] filtered_next = \buffer.filtered_d ;
    wire [2:0] dropped_next = \buffer.dropped_d ;
    wire       under_way = \buffer.phase_q != 2'd0;

    // A record number some records further on.
    function [2:0] on;
        input [2:0] from, by, round;
        on = {1'b0, from} + {1'b0, by} >= {1'b0, round} ? from + by - round : from + by;
    endfunction

    // What is under way: a fault, its record, the words of that; then the records in flight, and of the words that memory
    // has not acknowledged those of all and the place of the oldest in its record.
    reg        fault, recording;
    reg  [1:0] page, requesters, place, stamp;
    reg        space, replayable, index;
    reg  [2:0] access, cause, level;
    reg  [7:0] taken;
    reg  [3:0] unacknowledged;
    reg  [2:0] flying, settled;
    reg        asking, answering, known, pc, lanes;
    reg  [2:0] unread, age;
    // The last two records.
    reg  [9:0] newest, older;
    wire [9:0] key = {replayable, cause, access, space, page};

    wire       accepts = fault_valid && fault_ready;
    wire       seals = records_next != records;
    wire       left_out = accepts && !fault_replayable && leaves_out;
    wire [2:0] word = short_records ? {1'b0, write_address[1:0]} : write_address[2:0];
    wire       takes_word = write_valid && write_ready;
    wire       acknowledges = written && unacknowledged != 4'd0;
    wire       moves_put = acknowledges && settled == (short_records ? 3'd3 : 3'd7);
    wire [2:0] left = unread + flying;

    // Values that registers take with this cycle.
    wire       write = register_valid;
    wire [2:0] value = register_bits[2:0];
    wire       at_rest = !enabled && !fault && unacknowledged == 4'd0 && !(fault_valid && fault_replayable) && unread == 3'd0;
    wire       writes_get = write && register_number == 4'd2;
    wire [3:0] distance_up = {1'b0, value} - {1'b0, get};
    wire [2:0] distance = value < get ? distance_up[2:0] + size : distance_up[2:0];
    wire       get_fits = (value < size || size == 3'd0) && distance <= unread && (size != 3'd0 || value == 3'd0);
    wire       remakes = write && register_number == 4'd1 && at_rest && value >= 3'd3;
    wire       command_written = write && register_number == 4'd7;
    wire [3:0] places = size < 3'd3 ? 4'd0 : {1'b0, size} - 4'd1 - {1'b0, unread} - {1'b0, flying} - {3'd0, recording};

    // Events are seen in the cycle after.
    reg  [2:0] records_then, filtered_then, dropped_then, away_then, get_then, put_then, size_then;
    reg        base_then, short_then, started;
    wire       filters = filtered_next != filtered;
    wire       drops = dropped_next != dropped;
    wire       begins = \buffer.takes ;
    wire       ends = seals || filters || drops;

    always @(posedge clock) begin
        if (ends) {fault, recording} <= 2'd0;
        if (accepts) begin
            fault <= !left_out;
            {page, space, requesters, access, cause, level} <= {fault_vpn, fault_asid, fault_requesters, fault_access,
                fault_cause, fault_level};
            {replayable, index, place, stamp} <= {fault_replayable, fault_index, fault_place, now};
        end
        age <= accepts ? 3'd1 : age + (age != 3'd7);
        if (begins) begin
            recording <= 1'b1;
            taken <= 8'd0;
            {asking, answering, known} <= {asks && !short_records, 2'd0};
        end
        else begin
            if (takes_word) taken[word] <= 1'b1;
            if (asking && detail_ready) {asking, answering} <= 2'b01;
            if (answering && context_valid) {answering, known, pc, lanes} <= {1'b0, context_known, context_pc, context_lanes};
        end
        unacknowledged <= unacknowledged + {3'd0, takes_word} - {3'd0, acknowledges};
        settled <= moves_put ? 3'd0 : settled + {2'd0, acknowledges};
        flying <= flying + {2'd0, seals} - {2'd0, moves_put};
        unread <= remakes ? 3'd0 : unread + {2'd0, moves_put} - (writes_get && get_fits ? distance : 3'd0);
        if (seals) {newest, older} <= {key, newest};
    end

    // G5: a key that is in the ring.
    wire equal = (left != 3'd0 && newest == key) || (left > 3'd1 && older == key);

    // G6: room was promised.
    reg promised;
    always @(posedge clock)
        promised <= (promised || room) && !(accepts && fault_replayable);

    // G7 and G8, once more.
    reg        overflowed, was_full, clears, refuses;
    reg  [2:0] kind;
    reg        of_sm, of_asid;
    reg  [1:0] of_vpn, since;
    reg        offers, sweeps, walks;
    wire       is_command = register_bits[2:0] != 3'd0 && register_bits[2:0] != 3'd7;
    wire       commanding = offers || sweeps || walks;
    wire       for_all = kind >= 3'd1 && kind <= 3'd4;
    always @(posedge clock) begin
        clears <= writes_get && get_fits && register_bits[10];
        was_full <= size != 3'd0 && places < 4'd2;
        overflowed <= ((turned_away || drops) && size != 3'd0 && places < 4'd2) || ((overflowed || (turned_away && was_full)) && !remakes
            && !(places >= 4'd2 && (clears || (write && register_number == 4'd6 && register_bits[0]))));
        refuses <= (command_written && (commanding || !is_command))
            || (refuses && !(write && register_number == 4'd6 && register_bits[1]));
        since <= since + (since != 2'd3);
        if (command_written && is_command && !commanding) begin
            offers <= 1'b1;
            {kind, of_sm, of_vpn, of_asid} <= {register_bits[2:0], register_bits[4], register_bits[6:5], register_bits[7]};
        end
        if (offers && command_ready) begin
            {offers, sweeps, since} <= {1'b0, for_all, 2'd1};
        end
        if (sweeps && since == 2'd3 && !sweeping) {sweeps, walks} <= {1'b0, kind == 3'd2};
        if (walks && !walks_pending) walks <= 1'b0;
    end

    // What the cycle before says about this one.
    reg        write_before, detail_before, command_before, register_before, moves_before, remade_before, put_before;
    reg        rest_before;
    reg [3:0]  number_before;
    reg [10:0] bits_before;
    reg [73:0] write_then;
    reg [3:0]  detail_then;
    reg [6:0]  command_then;
    wire [6:0] command_now = {command_cancel, command_all, command_vpn, command_asid, command_requesters};
    always @(posedge clock) begin
        started <= 1'b1;
        write_before <= write_valid && !write_ready;
        detail_before <= detail_valid && !detail_ready;
        command_before <= command_valid && !command_ready;
        write_then <= {write_address, write_data};
        detail_then <= {detail_sm, detail_vpn, detail_asid};
        command_then <= command_now;
        {register_before, number_before, bits_before} <= {register_valid, register_number, register_bits};
        {moves_before, remade_before, put_before, rest_before} <= {writes_get && get_fits, remakes, moves_put, at_rest};
        {get_then, put_then, size_then, base_then, short_then} <= {get, put, size, base, short_records};
        away_then <= away + {2'd0, turned_away};
    end

    wire [7:0] whole = short_records ? 8'h0f : 8'hff;
    wire [2:0] first_sm = {2'd0, requesters == 2'd2};
    wire [4:0] kind_of = cause == 3'd1 ? 5'd3 : cause == 3'd2 && level != 3'd1 ? 5'd0 : cause == 3'd3 ? 5'd12
        : cause == 3'd4 && access[0] ? 5'd6 : cause == 3'd4 ? 5'd5 : cause == 3'd7 ? 5'd10 : 5'd2;
    reg [63:0] expected;
    always @*
        case (word)
            3'd0: expected = {51'd0, space, 12'd0};
            3'd1: expected = {{50{page[1]}}, page, 12'd0};
            3'd2: expected = {62'd0, stamp};
            3'd3: expected = {2'b11, 13'd0, access[0], 7'd0, first_sm[0], replayable, 2'd0, kind_of, 32'd64};
            3'd4: expected = {15'd0, requesters == 2'd3, 14'd0, requesters, 13'd0, access, 1'b0, cause, 1'b0, level, 7'd0, space};
            3'd5: expected = {29'd0, records, 14'd0, place, 15'd0, index};
            3'd6: expected = {63'd0, known && pc};
            default: expected = {known, 62'd0, known && lanes};
        endcase

    assign bad[1] = (accepts && fault) || (fault != under_way) || (ends && !fault && !left_out)
        || (left_out && !filters)
        || ({1'b0, seals} + {1'b0, filters} + {1'b0, drops} > 2'd1) || (replayable && fault && (filters || drops))
        || (seals && (!recording || !takes_word || word != 3'd3)) || (begins && recording)
        || (write_valid && (!recording || taken[word] || !whole[word] || write_data != expected));
    wire [2:0] current = on(put, flying, size);
    // Every word that was taken and not acknowledged is one of a record in flight, or of that under way.
    wire [6:0] words_in_flight = (short_records ? {2'd0, flying, 2'd0} : {1'b0, flying, 3'd0}) - {4'd0, settled}
        + (recording ? {4'd0, \buffer.step_q } : 7'd0);
    wire accounts = \buffer.outstanding_q == unacknowledged && \buffer.settled_q == settled
        && words_in_flight == {3'd0, unacknowledged};
    // The ring's pointers follow from PUT and from how many records were begun.
    wire [2:0] head = on(put, flying + {2'd0, recording}, size);
    wire pointers = size == 3'd0 || (\buffer.ring.following_q == (put_before ? put : on(put, 3'd1, size))
        && (!recording || \buffer.ring.begun_q == current) && \buffer.ring.head_q == head
        && \buffer.ring.after_q == on(head, 3'd1, size) && \buffer.ring.second_q == on(head, 3'd2, size));
    assign bad[2] = !accounts || (write_valid && word == 3'd3 && taken != (whole & ~8'h08)) || (moves_put && flying == 3'd0)
        || (started && !remade_before && put != (put_before ? on(put_then, 3'd1, size_then) : put_then));
    wire [9:0] slot = {base, 9'd0} + (short_records ? {5'd0, current, 2'd0} : {4'd0, current, 3'd0});
    assign bad[3] = write_valid && (write_address != slot + {7'd0, word} || {1'b0, left} + 4'd1 > {1'b0, size} - 4'd1);
    assign bad[4] = !pointers || (size != 3'd0 && (put >= size || get >= size || put != on(get, unread, size)))
        || (size == 3'd0 && (put != 3'd0 || get != 3'd0)) || (left != 3'd0 && {1'b0, left} + {3'd0, recording} >= {1'b0, size});
    assign bad[5] = filters && !left_out && (!equal || replayable);
    assign bad[6] = (room && (places < 4'd2 || !enabled)) || (begins && fault && !replayable && places < 4'd2)
        || (promised && !fault && fault_valid && fault_replayable && !fault_ready);
    assign bad[7] = overflow != overflowed || clears != \buffer.clears_q || was_full != \buffer.was_short_q
        || (room && overflow) || room != (enabled && !overflow && places >= 4'd2);
    assign bad[8] = command_valid != offers || busy != commanding || refused != refuses
        || (offers && command_now != {kind >= 3'd3 && kind <= 3'd5, for_all, of_vpn, of_asid,
            kind == 3'd3 ? {of_sm, !of_sm} : 2'd3});
    assign bad[9] = (write_before && (!write_valid || write_then != {write_address, write_data}))
        || (detail_before && (!detail_valid || detail_then != {detail_sm, detail_vpn, detail_asid}))
        || (command_before && (!command_valid || command_then != command_now))
        || detail_valid != asking || (detail_valid && {detail_sm, detail_vpn, detail_asid} != {first_sm[0], page, space});
    assign bad[10] = (fault_valid && !fault_replayable && !fault && !fault_ready)
        || (fault && !recording && !ends && !begins && age > 3'd4)
        || (recording && unacknowledged != 4'd15 && !asking && !answering && !write_valid);
    assign bad[11] = (started && away != away_then) || (records_next != records && records_next != records + 3'd1)
        || (filters && filtered_next != filtered + 3'd1) || (drops && dropped_next != dropped + 3'd1);
    assign bad[12] = started && ((get != get_then && !moves_before && !remade_before)
        || (moves_before && get != bits_before[2:0]) || (size != size_then && (!remade_before || size < 3'd3))
        || ((base != base_then || short_records != short_then) && !(register_before && rest_before))
        || (base != base_then && number_before != 4'd0) || (short_records != short_then && number_before != 4'd4));

    reg was_full, was_short, was_cleared, was_moved, was_left_out, was_late, was_denied;
    always @(posedge clock) begin
        was_full <= was_full || (size > 3'd2 && places == 4'd0 && left + 3'd1 == size);
        was_short <= was_short || (seals && short_records);
        was_cleared <= was_cleared || (overflowed && register_valid && register_number == 4'd6 && register_bits[0]);
        was_moved <= was_moved || (was_cleared && overflowed && clears);
        was_left_out <= was_left_out || left_out;
        was_late <= was_late || (moves_before && fault && !recording);
        was_denied <= was_denied || (drops && enabled && places == 4'd1);
    end
    assign seen[1] = seals && !short_records && known;
    assign seen[2] = moves_put && flying == 3'd2 && put + 3'd1 == size;
    assign seen[3] = write_valid && was_full && put == 3'd1 && base;
    assign seen[4] = was_full && moves_before && put < get;
    assign seen[5] = filters && newest != key && was_late;
    assign seen[6] = was_denied && promised && !enabled && remade_before && accepts && fault_replayable;
    assign seen[7] = was_moved && !overflow && room;
    assign seen[8] = walks && kind == 3'd2 && refuses;
    assign seen[9] = write_before && detail_before && command_before;
    assign seen[10] = fault && !recording && age == 3'd5 && begins;
    assign seen[11] = filters && !left_out && was_left_out && records != 3'd0 && away != 3'd0;
    assign seen[12] = was_short && base && size == 3'd5;
endmodule

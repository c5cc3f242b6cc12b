// The guarantees of dirty_bits.md, stated over its ports, for 8 rows of 2 lanes in 2 groups of 4. Beside the block is what
// the page says of it: the lanes that are dirty. `bad[k]` must stay low for ever, and `seen[k]` must be reachable, or
// guarantee k holds for want of an occasion. With ROWS, a row has one bit alone.
module dirty_bits_proof_top (
    input  wire       clock,
    input  wire [1:0] ask_write,
    input  wire [5:0] ask_row,
    input  wire [3:0] ask_lanes,
    input  wire       clear_valid,
    input  wire       clear_first,
    input  wire       clear_last,
    input  wire       ask_walk,
    input  wire       ask_first,
    input  wire       ask_last,
    input  wire       ask_saves,
    input  wire       dirty_ready,
    input  wire       total_ready,
    output wire [9:1] bad,
    output wire [9:1] seen
);
    wire [1:0] write_ready;
    wire       walk_ready, dirty_valid, total_valid;
    wire [2:0] dirty_row;
    wire [1:0] dirty_lanes;
    wire [3:0] total_rows;
    wire [4:0] total_lanes;

    // What is not accepted stays the same.
    reg  [1:0] held;
    reg  [5:0] held_row;
    reg  [3:0] held_lanes;
    reg        held_walk, held_first, held_last, held_saves;
    wire [1:0] write_valid = held | ask_write;
    wire [5:0] write_row = {held[1] ? held_row[5:3] : ask_row[5:3], held[0] ? held_row[2:0] : ask_row[2:0]};
    wire [3:0] write_lanes = {held[1] ? held_lanes[3:2] : ask_lanes[3:2], held[0] ? held_lanes[1:0] : ask_lanes[1:0]};
    wire       walk_valid = held_walk || ask_walk;
    wire       walk_first = held_walk ? held_first : ask_first;
    wire       walk_last = held_walk ? held_last : ask_last;
    wire       walk_saves = held_walk ? held_saves : ask_saves;
    wire [1:0] accept = write_valid & write_ready;
    wire       begins = walk_valid && walk_ready;
    always @(posedge clock) begin
        held <= write_valid & ~write_ready;
        held_row <= write_row;
        held_lanes <= write_lanes;
        held_walk <= walk_valid && !walk_ready;
        {held_first, held_last, held_saves} <= {walk_first, walk_last, walk_saves};
    end

`ifdef ROWS
    dirty_bits_proof_rows block (
`else
    dirty_bits_proof block (
`endif
        .clock(clock), .reset(1'b0),
        .write_valid(write_valid), .write_row(write_row), .write_lanes(write_lanes),
        .clear_valid(clear_valid), .clear_first(clear_first), .clear_last(clear_last),
        .walk_valid(walk_valid), .walk_first(walk_first), .walk_last(walk_last), .walk_saves(walk_saves),
        .dirty_ready(dirty_ready), .total_ready(total_ready),
        .write_ready(write_ready), .walk_ready(walk_ready),
        .dirty_valid(dirty_valid), .dirty_row(dirty_row), .dirty_lanes(dirty_lanes),
        .total_valid(total_valid), .total_rows(total_rows), .total_lanes(total_lanes)
    );

    // What was accepted in the cycle before, and in the one before that: two bits for each row, and one for each group.
    function [15:0] lanes_of;
        input       valid;
        input [2:0] row;
        input [1:0] lanes;
`ifdef ROWS
        lanes_of = {14'd0, {2{valid && lanes != 2'd0}}} << {row, 1'b0};
`else
        lanes_of = {14'd0, {2{valid}} & lanes} << {row, 1'b0};
`endif
    endfunction
    function [15:0] groups;
        input first, last;
        groups = {{8{last}} & 8'hFF, {8{!first}} & 8'hFF} & {16{first <= last}};
    endfunction
    wire [15:0] writes = lanes_of(accept[0], write_row[2:0], write_lanes[1:0])
        | lanes_of(accept[1], write_row[5:3], write_lanes[3:2]);
    wire [15:0] clears = {16{clear_valid}} & groups(clear_first, clear_last);
    reg  [15:0] writes_1, writes_2, clears_1, clears_2;
    always @(posedge clock) begin
        {writes_2, writes_1} <= {writes_1, writes};
        {clears_2, clears_1} <= {clears_1, clears};
    end

    // The row that was taken in the cycle before, which is seen now; and the lanes that are dirty, as of that cycle and of
    // this one.
    reg         offered, taken_then, saves, walking;
    reg  [2:0]  row_then;
    reg  [1:0]  lanes_then;
    reg  [15:0] dirty_then;
    wire        fresh = dirty_valid && !(offered && !taken_then);
    wire [15:0] of_row = 16'd3 << {dirty_row, 1'b0};
    wire [15:0] taken = {16{fresh}} & of_row;
    wire [15:0] dirty = ((dirty_then & ~taken) | writes_2) & ~clears_2;
    wire [1:0]  lanes_of_row = dirty_then[{dirty_row, 1'b0} +: 2];
    always @(posedge clock) begin
        dirty_then <= dirty;
        {offered, taken_then, row_then, lanes_then} <= {dirty_valid, dirty_ready, dirty_row, dirty_lanes};
        if (begins) saves <= walk_saves;
        walking <= begins || (walking && !(total_valid && total_ready));
    end

    // Rows that a walk must come upon: those that were dirty when it was accepted and have not been cleared; and of these
    // those that were written when they were saved before, or were on offer.
    reg         began;
    reg         began_first, began_last;
    reg  [15:0] must, late, must_late, writes_at;
    wire [15:0] range = groups(began_first, began_last);
    wire [15:0] must_now = began ? dirty & range : must & ~taken & ~clears_2;
    wire [15:0] late_now = ((late & ~taken) | (taken & writes_1) | (writes & of_row & {16{dirty_valid}})) & ~clears_2;
    wire [15:0] must_late_now = began ? late & dirty & range : must_late & ~taken & ~clears_2;
    always @(posedge clock) begin
        began <= begins;
        {began_first, began_last} <= {walk_first, walk_last};
        must <= must_now;
        late <= late_now;
        must_late <= must_late_now;
    end

    // Rows that were cleared and not written since, from the second cycle after on.
    reg  [15:0] dead, dead_since;
    wire [15:0] rows_written = (writes | writes >> 1) & 16'h5555;
    wire [15:0] alive = rows_written | rows_written << 1;
    always @(posedge clock) begin
        dead <= (dead & ~alive) | clears;
        dead_since <= dead & ~alive;
    end

    // What a walk has come upon, shown or counted alone, in the cycle before; it is counted as it comes.
    (* hierconn *) wire       \block.taken_q ;
    (* hierconn *) wire [2:0] \block.row_q ;
    (* hierconn *) wire [1:0] \block.lanes ;
    wire        upon = \block.taken_q ;
    wire [2:0]  upon_row = \block.row_q ;
    wire [1:0]  upon_lanes = \block.lanes ;
    wire [15:0] upon_both = {16{upon}} & (16'd3 << {upon_row, 1'b0});
    reg  [2:0]  last_row, last_upon;
    reg         some_row, some_upon, quiet, cut;
    reg  [3:0]  rows;
    reg  [4:0]  lanes;
    reg  [1:0]  few;
    reg  [15:0] must_count;
    wire [15:0] must_count_now = began ? dirty & range : must_count & ~upon_both & ~clears_2;
    // Warps that end in the range of the walk.
    reg  [15:0] walked;
    wire [15:0] walked_now = begins ? groups(walk_first, walk_last) : walked;
    wire        ended = (clears & walked_now) != 16'd0;
    wire        disturbs = writes != 16'd0 || ended;
    always @(posedge clock) begin
        if (fresh) last_row <= dirty_row;
        if (upon) last_upon <= upon_row;
        some_row <= !begins && (some_row || fresh);
        some_upon <= !begins && (some_upon || upon);
        quiet <= (begins || quiet) && !disturbs;
        cut <= !begins && (cut || (must & clears_2) != 16'd0);
        rows <= begins ? 4'd0 : rows + {3'd0, upon};
        few <= upon ? {1'b0, upon_lanes[0]} + {1'b0, upon_lanes[1]} : 2'd0;
        lanes <= begins ? 5'd0 : lanes + {3'd0, few};
        must_count <= must_count_now;
        walked <= walked_now;
    end

    // Cycles for which a write has waited, and whether a walk was under way in one of them; those of a save without an
    // offer while no warp of the walk ends, and whether it showed none after it had shown one, undisturbed.
    reg  [2:0] age_0, age_1, age_save;
    reg        walked_0, walked_1, undisturbed, gap;
    wire       ends = total_valid;
    always @(posedge clock) begin
        age_0 <= held[0] && !accept[0] ? age_0 + (age_0 != 3'd7) : {2'd0, write_valid[0] && !write_ready[0]};
        age_1 <= held[1] && !accept[1] ? age_1 + (age_1 != 3'd7) : {2'd0, write_valid[1] && !write_ready[1]};
        walked_0 <= (held[0] && walked_0) || walking;
        walked_1 <= (held[1] && walked_1) || walking;
        age_save <= begins || dirty_valid ? 3'd0 : age_save + (age_save != 3'd7);
        undisturbed <= (begins ? (clears_1 & walked_now) == 16'd0 : undisturbed) && !ended;
        gap <= !begins && (gap || (some_row && !dirty_valid));
    end
    wire       alone = write_valid != 2'd3 || write_row[0] != write_row[3];

    reg        total_then, total_taken;
    reg  [8:0] counts_then;
    always @(posedge clock) {total_then, total_taken, counts_then} <= {total_valid, total_ready, total_rows, total_lanes};

    assign bad[1] = total_valid && saves && must_now != 16'd0;
    assign bad[2] = fresh && (lanes_of_row == 2'd0 || dirty_lanes != lanes_of_row);
    assign bad[3] = total_valid && saves && must_late_now != 16'd0;
    assign bad[4] = fresh && (dead_since & of_row) != 16'd0;
    assign bad[5] = fresh && some_row && dirty_row <= last_row;
    assign bad[6] = (total_valid && (total_rows != rows || total_lanes != lanes || must_count_now != 16'd0))
        || (upon && (upon_lanes == 2'd0 || upon_lanes != dirty_then[{upon_row, 1'b0} +: 2]))
        || (upon && some_upon && upon_row <= last_upon)
        || (fresh != (upon && saves)) || (fresh && dirty_row != upon_row);
    assign bad[7] = (offered && !taken_then && (!dirty_valid || dirty_row != row_then || dirty_lanes != lanes_then))
        || (total_then && !total_taken && (!total_valid || counts_then != {total_rows, total_lanes}))
        || (total_valid && !walking) || (dirty_valid && !walking);
    assign bad[8] = age_0 > 3'd3 || age_1 > 3'd3 || (age_0 > 3'd1 && !walked_0) || (age_1 > 3'd1 && !walked_1)
        || (!walking && alone && accept != write_valid);
    assign bad[9] = (walking && saves && undisturbed && !dirty_valid && !total_valid && age_save > 3'd4)
        || (fresh && quiet && gap);

    assign seen[1] = total_valid && saves && rows == 4'd3 && dirty != 16'd0 && !quiet;
`ifdef ROWS
    assign seen[2] = fresh && lanes_of_row == 2'd3 && rows == 4'd2 && dirty != 16'd0;
`else
    assign seen[2] = fresh && lanes_of_row == 2'd2 && rows == 4'd2 && dirty != 16'd0;
`endif
    assign seen[3] = fresh && (late & of_row) != 16'd0 && must_late != 16'd0;
    assign seen[4] = fresh && cut && (dead_since & ~of_row) != 16'd0;
    assign seen[5] = fresh && some_row && dirty_row[2] != last_row[2];
    assign seen[6] = total_valid && !saves && quiet && total_rows == 4'd3;
    assign seen[7] = offered && !taken_then && writes_2 != 16'd0 && clears_2 != 16'd0;
    assign seen[8] = age_0 == 3'd3;
    assign seen[9] = walking && saves && undisturbed && !dirty_valid && age_save == 3'd4;
endmodule

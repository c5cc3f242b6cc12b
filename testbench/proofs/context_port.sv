// The guarantees of context_port.md, stated over its ports, for beats of 4 words of 8 bits. Beside the port is what the page
// says of the beat between its two sides, and of those that have passed. `bad[k]` must stay low for ever, and `seen[k]` must
// be reachable, or guarantee k holds for want of an occasion.
module context_port_proof_top (
    input  wire        clock,
    input  wire        begin_valid,
    input  wire        begin_restores,
    input  wire [1:0]  begin_cta,
    input  wire [1:0]  begin_epoch,
    input  wire        packet_valid,
    input  wire [31:0] packet_beat,
    input  wire        out_ready,
    input  wire        in_valid,
    input  wire        in_last,
    input  wire [31:0] in_beat,
    input  wire        found_ready,
    input  wire        ended_ready,
    input  wire [31:0] any_beat,
    input  wire [7:0]  any_change,
    input  wire [1:0]  any_word,
    output wire [8:1]  bad,
    output wire [8:1]  seen
);
    wire        begin_ready, packet_ready, out_valid, out_last, in_ready, found_valid, found_header, ended_valid;
    wire [31:0] out_beat, found_beat;
    wire [2:0]  ended_verdict;

    context_port_proof port (
        .clock(clock), .reset(1'b0), .begin_valid(begin_valid), .begin_restores(begin_restores),
        .begin_cta(begin_cta), .begin_epoch(begin_epoch), .packet_valid(packet_valid), .packet_beat(packet_beat),
        .out_ready(out_ready), .in_valid(in_valid), .in_last(in_last), .in_beat(in_beat), .found_ready(found_ready),
        .ended_ready(ended_ready), .begin_ready(begin_ready), .packet_ready(packet_ready), .out_valid(out_valid),
        .out_last(out_last), .out_beat(out_beat), .in_ready(in_ready), .found_valid(found_valid),
        .found_header(found_header), .found_beat(found_beat), .ended_valid(ended_valid), .ended_verdict(ended_verdict)
    );

    // The context: whether there is one, in which direction, whose; whether its begin is still to come, was right with all
    // since, or all of it was; whether its last beat was given or taken, and has gone on; why it is refused.
    reg        busy, restores, opening, sound, whole, complete, over;
    reg  [1:0] block, epoch;
    reg  [2:0] verdict;
    // The beats that have gone on, and those that are left of the packet.
    reg  [2:0] count, left;
    reg  [7:0] check;
    // The beat that was taken or made, and has not gone on.
    reg        holds, last;
    reg [31:0] beat;
    initial {busy, restores, opening, sound, whole, complete, over, block, epoch} = 11'd0;
    initial {verdict, count, left, check, holds, last, beat} = 51'd0;

    // The check word by word.
    function [7:0] after;
        input [7:0]  so_far;
        input [31:0] of;
        integer      word;
        reg   [7:0]  sum;
        begin
            after = so_far;
            for (word = 0; word < 4; word = word + 1) begin
                sum = after ^ of[word*8 +: 8];
                sum = {sum[6:0], 1'b0} ^ (sum[7] ? 8'h1D : 8'h00);
                after = {sum[6:0], 1'b0} ^ (sum[7] ? 8'h1D : 8'h00);
            end
        end
    endfunction

    wire        begins = begin_valid && begin_ready;
    wire        given = packet_valid && packet_ready;
    wire        taken = in_valid && in_ready;
    wire        goes = holds && (restores ? !found_valid || found_ready : out_ready);
    wire [2:0]  count_then = count + {2'd0, goes};
    wire [7:0]  check_then = goes ? after(check, beat) : check;

    // What is made of what the engine gives.
    wire        at_header = left == 3'd0;
    wire        ends = at_header && packet_beat[4:2] == 3'd6;
    wire [31:0] made = ends ? {8'd0, check_then, 5'd0, count_then, 6'd6, block}
        : at_header ? {packet_beat[31:2], block} : packet_beat;

    // What a beat from memory is.
    wire [2:0]  kind = beat[4:2];
    wire        right_begin = beat == {22'd0, epoch, 6'd1, block};
    wire        some_begin = beat[31:10] == 22'd0 && beat[7:2] == 6'd1;
    wire        right_end = beat == {8'd0, check, 5'd0, count, 6'd6, block};
    wire        content = at_header ? kind >= 3'd2 && kind <= 3'd5 && beat[1:0] == block : 1'b1;
    wire        told = sound && content && !last;
    wire        accepted = sound && at_header && right_end && last;
    wire [2:0]  reason = opening
        ? (!some_begin ? 3'd1 : beat[1:0] != block ? 3'd2 : beat[9:8] != epoch ? 3'd3 : last ? 3'd5 : 3'd0)
        : !at_header ? 3'd5
        : kind < 3'd2 || kind > 3'd6 ? 3'd4
        : beat[1:0] != block ? 3'd2
        : kind != 3'd6 ? 3'd5
        : !right_end ? 3'd6 : !last ? 3'd7 : 3'd0;

    always @(posedge clock) begin
        if (ended_valid && ended_ready) {busy, over} <= 2'd0;
        count <= count_then;
        check <= check_then;
        if (goes) begin
            holds <= 1'b0;
            over <= last;
            opening <= 1'b0;
            if (opening) {sound, verdict} <= {right_begin && !last, reason};
            if (sound && !told) {sound, whole, verdict} <= {1'b0, accepted, reason};
            if (told) left <= at_header ? beat[7:5] : left - 3'd1;
        end
        if (given) begin
            {holds, last, beat} <= {1'b1, ends, made};
            left <= at_header ? packet_beat[7:5] : left - 3'd1;
            complete <= ends;
        end
        if (taken) begin
            {holds, last, beat} <= {1'b1, in_last, in_beat};
            complete <= in_last;
        end
        if (begins) begin
            {busy, restores, block, epoch} <= {1'b1, begin_restores, begin_cta, begin_epoch};
            {opening, sound, whole, complete, over, verdict} <= {begin_restores, 7'd0};
            {count, left, check} <= 14'd0;
            if (!begin_restores) {holds, last, beat} <= {1'b1, 1'b0, 22'd0, begin_epoch, 6'd1, begin_cta};
        end
    end

    // What was so in the cycle before.
    reg        out_waited, found_waited, ended_waited;
    reg [31:0] beat_then;
    reg  [2:0] verdict_then;
    reg        last_then, header_then;
    initial {out_waited, found_waited, ended_waited} = 3'd0;
    always @(posedge clock) begin
        {out_waited, found_waited, ended_waited}
            <= {out_valid && !out_ready, found_valid && !found_ready, ended_valid && !ended_ready};
        {beat_then, last_then} <= {restores ? found_beat : out_beat, out_last};
        {header_then, verdict_then} <= {found_header, ended_verdict};
    end

    // Any beats, and the same with one word changed: no change but another one takes their checks together again.
    reg        changed;
    reg  [7:0] check_of_one, check_of_other;
    initial {changed, check_of_one, check_of_other} = 17'd0;
    wire [31:0] change = changed ? 32'd0 : {24'd0, any_change} << {any_word, 3'd0};
    always @(posedge clock) begin
        changed <= changed || any_change != 8'd0;
        check_of_one <= after(check_of_one, any_beat);
        check_of_other <= after(check_of_other, any_beat ^ change);
    end

    wire saving = busy && !restores;
    wire restoring = busy && restores;
    assign bad[1] = (out_valid != (saving && holds)) || (out_valid && (out_beat != beat || out_last != last))
        || (given && !(saving && !complete));
    assign bad[2] = found_valid && !(restoring && holds && told && found_beat == beat && found_header == at_header);
    assign bad[3] = (ended_valid && restores && ended_verdict == 3'd0 && !whole)
        || (changed && check_of_one == check_of_other);
    assign bad[4] = (restoring && holds && told && !found_valid) || (ended_valid && whole && ended_verdict != 3'd0);
    assign bad[5] = (ended_valid != (busy && over)) || (begin_ready != !busy) || (ended_valid && ended_verdict != verdict);
    assign bad[6] = (saving && !complete && (out_ready || !holds) && !packet_ready)
        || (restoring && !complete && (found_ready || !holds) && !in_ready);
    assign bad[7] = (out_waited && !(out_valid && out_beat == beat_then && out_last == last_then))
        || (found_waited && !(found_valid && found_beat == beat_then && found_header == header_then))
        || (ended_waited && !(ended_valid && ended_verdict == verdict_then));
    assign bad[8] = (in_ready && !(restoring && !complete)) || (ended_valid && !complete);

    assign seen[1] = out_valid && out_last && count == 3'd4 && check != 8'd0;
    assign seen[2] = found_valid && !found_header && left == 3'd2;
    assign seen[3] = ended_valid && restores && ended_verdict == 3'd0 && count == 3'd5;
    assign seen[4] = ended_valid && whole && count == 3'd6;
    assign seen[5] = ended_valid && restores && ended_verdict == 3'd6;
    assign seen[6] = out_valid && given && count == 3'd4;
    assign seen[7] = found_waited && found_valid && beat_then != 32'd0;
    assign seen[8] = taken && verdict == 3'd4 && count == 3'd5;
endmodule

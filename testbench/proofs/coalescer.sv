// The guarantees of coalescer.md, stated over its ports, for 4 lanes and lines of 7 bits.
// `bad[k]` must stay low for ever, and `seen[k]` must be reachable, or guarantee k holds for want of an occasion.
module coalescer_proof_top (
    input  wire        clock,
    input  wire        instruction_valid,
    input  wire        instruction_pages,
    input  wire [3:0]  instruction_mask,
    input  wire [27:0] instruction_line,
    input  wire        request_ready,
    output wire [8:1]  bad,
    output wire [8:1]  seen
);
    wire       instruction_ready, request_valid, request_last;
    wire [6:0] request_line;
    wire [1:0] request_leader;
    wire [3:0] request_mask;

    coalescer_proof coalescer (
        .clock(clock), .reset(1'b0),
        .instruction_valid(instruction_valid), .instruction_pages(instruction_pages),
        .instruction_mask(instruction_mask), .instruction_line(instruction_line), .request_ready(request_ready),
        .instruction_ready(instruction_ready), .request_valid(request_valid), .request_line(request_line),
        .request_leader(request_leader), .request_mask(request_mask), .request_last(request_last)
    );

    // The ghost: lanes that were not taken yet of the instruction that is served and of the one behind it, and the
    // lines of both, cut to pages where pages were asked for.
    reg [3:0]  served, behind;
    reg [27:0] served_line, behind_line;

    wire accept = instruction_valid && instruction_ready && |instruction_mask;
    wire take = request_valid && request_ready;
    wire [6:0]  kept = instruction_pages ? 7'h60 : 7'h7f;
    wire [27:0] accepted_line = instruction_line & {4{kept}};
    wire [3:0]  left = served & ~(take ? request_mask : 4'd0);

    always @(posedge clock) begin
        if (left != 4'd0) begin
            served <= left;
            if (accept) begin
                behind <= instruction_mask;
                behind_line <= accepted_line;
            end
        end else if (behind != 4'd0) begin
            served <= behind;
            served_line <= behind_line;
            behind <= accept ? instruction_mask : 4'd0;
            behind_line <= accepted_line;
        end else begin
            served <= accept ? instruction_mask : 4'd0;
            served_line <= accepted_line;
        end
    end

    function [1:0] lowest;
        input [3:0] of;
        lowest = of[0] ? 2'd0 : of[1] ? 2'd1 : of[2] ? 2'd2 : 2'd3;
    endfunction

    function [6:0] line_of;
        input [27:0] lines;
        input [1:0]  lane;
        line_of = lines[lane*7 +: 7];
    endfunction

    // The lanes of a set that share the line of its lowest one.
    function [3:0] group;
        input [3:0]  of;
        input [27:0] lines;
        reg [6:0] first;
        begin
            first = line_of(lines, lowest(of));
            group = of & {line_of(lines, 2'd3) == first, line_of(lines, 2'd2) == first,
                          line_of(lines, 2'd1) == first, line_of(lines, 2'd0) == first};
        end
    endfunction

    wire [3:0] together = group(served, served_line);

    // Lanes that are not on offer yet: of the instruction that is served, or of the one behind it.
    wire [3:0] rest = request_valid ? served & ~request_mask : served;
    wire [3:0] waiting = |rest ? rest : behind;
    wire       one_more = waiting == (|rest ? group(rest, served_line) : group(behind, behind_line));
    wire       must_accept = waiting == 4'd0 || ((!request_valid || request_ready) && one_more);

    // What the cycle before says about this one.
    reg        due, held;
    reg [13:0] offer;
    wire [13:0] offer_now = {request_line, request_leader, request_mask, request_last};
    always @(posedge clock) begin
        due <= take ? left != 4'd0 || behind != 4'd0 : served != 4'd0;
        held <= request_valid && !request_ready;
        offer <= offer_now;
    end

    assign bad[1] = request_valid && (request_mask == 4'd0 || (request_mask & ~served) != 4'd0);
    assign bad[2] = request_valid && request_mask != together;
    assign bad[3] = request_valid && (request_leader != lowest(served) || request_line != line_of(served_line, lowest(served)));
    assign bad[4] = request_valid && request_last != ((served & ~request_mask) == 4'd0);
    assign bad[5] = accept && left != 4'd0 && behind != 4'd0;
    assign bad[6] = due && !request_valid;
    assign bad[7] = held && (!request_valid || offer != offer_now);
    assign bad[8] = must_accept && !instruction_ready;

    assign seen[1] = request_valid && request_mask == 4'b1010;
    assign seen[2] = request_valid && request_mask == 4'b0011 && served == 4'b1111;
    assign seen[3] = request_valid && request_leader == 2'd2 && request_line == 7'h60;
    assign seen[4] = take && request_last && served == 4'b1000;
    assign seen[5] = accept && left != 4'd0;
    assign seen[6] = due && take && behind != 4'd0;
    assign seen[7] = held && request_mask == 4'b0110;
    assign seen[8] = accept && take && !request_last;
endmodule

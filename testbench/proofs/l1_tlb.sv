// The guarantees of l1_tlb.md, stated over its ports, for 2 sets of 2 ways, pages of 2 bits in 2 spaces, and 2 misses.
// They are stated for one page, which may be any. `bad[k]` must stay low for ever, and `seen[k]` must be reachable, or
// guarantee k holds for want of an occasion. With the macro LARGE they are those of a TLB with two large entries besides,
// for large pages of two pages.
module l1_tlb_proof_top (
    input  wire        clock,
    input  wire [2:0]  watched_in,
    input  wire        check_valid,
    input  wire [2:0]  check_of,
    input  wire        check_write,
    input  wire [1:0]  check_tag,
    input  wire        walk_ready,
    input  wire        fill_valid,
    input  wire [2:0]  fill_any,
    input  wire [2:0]  fill_of,
    input  wire [1:0]  fill_pfn,
    input  wire        fill_writable,
    input  wire        fill_clean,
    input  wire        resolve_valid,
    input  wire [2:0]  resolve_of,
    input  wire        invalidate_valid,
    input  wire [1:0]  invalidate_scope,
    input  wire [2:0]  invalidate_of,
    input  wire [1:0]  far_limit,
    input  wire        report_faults,
    output wire [10:1] bad,
    output wire [10:1] seen
);
    wire       check_ready, answer_valid, answer_hit, answer_fault, answer_denied;
    wire       walk_valid, walk_write, wake_valid, wake_all;
    wire [1:0] answer_tag, answer_pfn;
    wire [2:0] walk_of, wake_of;

    // There are five kinds, and a sixth one with large entries.
`ifdef LARGE
    wire [2:0] fill_kind = fill_any[2] ? {2'b10, fill_any[0]} : fill_any;
`else
    wire [2:0] fill_kind = fill_any[2] ? 3'd4 : fill_any;
`endif

    // A page here is its space and its number; the lowest bit is its set, and its place in a large page.
`ifdef LARGE
    l1_tlb_proof_large tlb (
`else
    l1_tlb_proof tlb (
`endif
        .clock(clock), .reset(1'b0),
        .check_valid(check_valid), .check_vpn(check_of[1:0]), .check_asid(check_of[2]), .check_write(check_write),
        .check_tag(check_tag), .walk_ready(walk_ready),
        .fill_valid(fill_valid), .fill_kind(fill_kind), .fill_vpn(fill_of[1:0]), .fill_asid(fill_of[2]),
        .fill_pfn(fill_pfn), .fill_writable(fill_writable), .fill_clean(fill_clean),
        .resolve_valid(resolve_valid), .resolve_vpn(resolve_of[1:0]), .resolve_asid(resolve_of[2]),
        .invalidate_valid(invalidate_valid), .invalidate_scope(invalidate_scope),
        .invalidate_vpn(invalidate_of[1:0]), .invalidate_asid(invalidate_of[2]),
        .far_limit(far_limit), .report_faults(report_faults), .check_ready(check_ready),
        .answer_valid(answer_valid), .answer_tag(answer_tag), .answer_hit(answer_hit), .answer_pfn(answer_pfn),
        .answer_fault(answer_fault), .answer_denied(answer_denied),
        .walk_valid(walk_valid), .walk_vpn(walk_of[1:0]), .walk_asid(walk_of[2]), .walk_write(walk_write),
        .wake_valid(wake_valid), .wake_all(wake_all), .wake_vpn(wake_of[1:0]), .wake_asid(wake_of[2])
    );

    reg       started;
    reg [2:0] watched_kept;
    initial started = 1'b0;
    always @(posedge clock) begin
        started <= 1'b1;
        if (!started) watched_kept <= watched_in;
    end
    wire [2:0] watched = started ? watched_kept : watched_in;

    // What came in the cycle before, and acts in this one.
    reg       checked, check_writes, filled, fill_writes, fill_cleans, fill_large, resolved, dropped;
    reg [1:0] tag, frame, scope;
    reg [2:0] kind;
    reg [2:0] check_vpn, fill_vpn, resolve_vpn, drop_vpn;
    always @(posedge clock) begin
        checked <= check_valid && check_ready;
        {check_vpn, check_writes, tag} <= {check_of, check_write, check_tag};
        {filled, kind, fill_vpn, frame, fill_writes} <= {fill_valid, fill_kind, fill_of, fill_pfn, fill_writable};
        if (fill_kind == 3'd5) kind <= 3'd0;
        fill_large <= fill_kind == 3'd5;
        fill_cleans <= fill_clean && (fill_kind == 3'd0 || fill_kind == 3'd5);
        {resolved, resolve_vpn} <= {resolve_valid, resolve_of};
        {dropped, scope, drop_vpn} <= {invalidate_valid, invalidate_scope, invalidate_of};
    end

    function covers;
        input [2:0] page;
        covers = dropped && (scope[1] || (page[2] == drop_vpn[2] && (scope[0] || page[1:0] == drop_vpn[1:0])));
    endfunction

    // What an invalidation is to a walk: with large entries one of the whole large page.
    function blocks;
        input [2:0] page;
`ifdef LARGE
        blocks = dropped && (scope[1] || (page[2] == drop_vpn[2] && (scope[0] || page[1] == drop_vpn[1])));
`else
        blocks = dropped && (scope[1] || (page[2] == drop_vpn[2] && (scope[0] || page[1:0] == drop_vpn[1:0])));
`endif
    endfunction

    // The ghost: what is being done about each page; whether somebody was refused.
    reg [7:0] open, walking, stale, fetching, held, claims;
    reg       refused;
    wire [1:0] opened = $countones(open);
    wire [1:0] claimed = $countones(claims);
    wire found = answer_hit || answer_denied;
    wire missed = checked && !found && !open[check_vpn];
    wire refusing = missed && opened == 2'd2;
    wire denial = filled && kind[2] && fetching[fill_vpn];
    wire fill = (filled && !kind[2] && walking[fill_vpn]) || denial;
    wire end_of = fill && !kind[1] && !stale[fill_vpn] && !blocks(fill_vpn);
    wire end_large = end_of && fill_large;
    wire resolution = resolved && fetching[resolve_vpn] && !(denial && fill_vpn == resolve_vpn);
    // Of two pages that are open the later one is that of the last miss.
    reg  [2:0] newest;
    wire [7:0] elder = held & ~(8'd1 << newest);
    wire       room = claimed == 2'd0 || claimed < far_limit;
    wire [7:0] released = !room ? 8'd0 : elder != 8'd0 ? elder : held;
    wire take = walk_valid && walk_ready;
    integer i;
    always @(posedge clock) begin
        for (i = 0; i < 8; i = i + 1)
            if (walking[i] && blocks(i)) stale[i] <= 1'b1;
        for (i = 0; i < 8; i = i + 1)
            if (released[i]) begin
                held[i] <= 1'b0;
                claims[i] <= 1'b1;
            end
        if (resolution) begin
            fetching[resolve_vpn] <= 1'b0;
            claims[resolve_vpn] <= 1'b0;
        end
        if (denial) fetching[fill_vpn] <= 1'b0;
        if (take) walking[walk_of] <= 1'b1;
        if (fill) begin
            walking[fill_vpn] <= 1'b0;
            stale[fill_vpn] <= 1'b0;
            claims[fill_vpn] <= kind == 3'd2;
            if (kind == 3'd2) fetching[fill_vpn] <= 1'b1;
            if (kind == 3'd3) held[fill_vpn] <= 1'b1;
        end
        if (end_of) open[fill_vpn] <= 1'b0;
        if (missed && !refusing) begin
            open[check_vpn] <= 1'b1;
            newest <= check_vpn;
        end
        refused <= (refused || refusing) && !end_of;
    end

    // The large pages: which are here, and which of two was used last.
    reg  [3:0] large, large_clean, large_writable, large_frame;
    reg  [1:0] large_newest;
    wire [1:0] look_large = check_vpn[2:1];
    wire [1:0] into_large = fill_vpn[2:1];
    wire       spoiling_large = checked && large[look_large] && check_writes && large_clean[look_large];
    wire       by_large = checked && large[look_large] && !spoiling_large;
    wire       evicting = end_large && !large[into_large] && $countones(large) == 2;
    integer    l;
    always @(posedge clock) begin
        for (l = 0; l < 4; l = l + 1)
            if (blocks(2 * l) || (spoiling_large && look_large == l) || (evicting && large_newest != l)) large[l] <= 1'b0;
        if (by_large) large_newest <= look_large;
        if (end_large) begin
            large_newest <= into_large;
            large[into_large] <= 1'b1;
            large_clean[into_large] <= fill_cleans;
            large_writable[into_large] <= fill_writes;
            large_frame[into_large] <= frame[1];
        end
    end

    // The watched page: what was filled last, whether the other page of its set was used after it, and who waits.
    reg [7:0] cleans;
    reg       here, absent, writable, clean, denied, waits, aged;
    reg [1:0] translated;
    reg [2:0] neighbour;
    wire      asked = checked && check_vpn == watched;
    wire      fill_watched = fill && fill_vpn == watched;
    wire      end_watched = end_of && fill_vpn == watched;
    wire      fill_own = end_watched && !fill_large;
    wire      fill_beside = end_of && !fill_large && fill_vpn != watched && fill_vpn[0] == watched[0];
    wire      use_beside = checked && found && !by_large && !asked && check_vpn[0] == watched[0];
    // A write finds a clean page: that one is gone.
    wire      spoiling = asked && here && check_writes && clean;
    wire      spoiling_beside = checked && !asked && check_vpn == neighbour && check_writes
        && (by_large ? cleans[neighbour] : !found);
    wire      woken = wake_valid && (wake_all || wake_of == watched);
    wire      asking = open[watched] && !walking[watched] && !fetching[watched] && !held[watched];
    wire      offered = walk_valid && walk_of == watched;
    always @(posedge clock) begin
        if (covers(watched) || spoiling || (fill_beside && aged)) here <= 1'b0;
        if (fill_beside) begin
            aged <= 1'b1;
            neighbour <= fill_vpn;
        end else if (use_beside) begin
            aged <= 1'b1;
            neighbour <= check_vpn;
        end else if ((asked && found && !by_large) || covers(neighbour) || spoiling_beside) aged <= 1'b0;
        if (end_of && !fill_large) cleans[fill_vpn] <= fill_cleans;
        if (fill_own) begin
            here <= 1'b1;
            aged <= 1'b0;
            {translated, writable, clean, denied} <= {frame, fill_writes, fill_cleans, kind != 3'd0};
        end
        absent <= (absent || fill_watched && kind[1]) && !end_watched;
        waits <= (waits && !woken) || (asked && !found);
    end

    // The pages that were missed before the watched one and still are.
    reg [7:0] earlier;
    wire [7:0] ends = end_of ? 8'd1 << fill_vpn : 8'd0;
    always @(posedge clock)
        earlier <= (asked && missed && !refusing ? open : earlier) & ~ends;

    // What the cycle before says about this one.
    reg       waking_watched, waking_all, asking_still, holding, unclaimed;
    reg [1:0] overtaken;
    reg [4:0] offer;
    wire [4:0] offer_now = {walk_valid, walk_of, walk_write};
    always @(posedge clock) begin
        waking_watched <= end_watched || (fill_watched && kind[1] && !absent && report_faults);
        waking_all <= end_of && (refused || refusing);
        asking_still <= asking && !(take && offered);
        overtaken <= !asking || (take && offered) ? 2'd0 : overtaken + (take && overtaken != 2'd3);
        holding <= walk_valid && !walk_ready;
        unclaimed <= held[watched] && claims == 8'd0;
        offer <= offer_now;
    end

    assign bad[1] = answer_valid != checked || (checked && answer_tag != tag)
        || (answer_hit && answer_fault) || (found && answer_fault) || (answer_hit && answer_denied)
        || ((found || answer_fault) && !checked);
    assign bad[2] = asked && answer_hit && answer_pfn != (by_large ? {large_frame[look_large], watched[0]} : translated);
    assign bad[3] = asked && found && !here && !by_large;
    assign bad[4] = asked && !found && ((here && !spoiling) || by_large);
    assign bad[5] = offered && !asking;
    assign bad[6] = (waking_watched && !(wake_valid && wake_of == watched)) || (waking_all && !(wake_valid && wake_all))
        || (waits && !woken && !open[watched] && !refused) || (asking_still && !walk_valid);
    assign bad[7] = (holding && offer != offer_now) || overtaken > 2'd1;
    assign bad[8] = held[watched] && (offered || (unclaimed && claims == 8'd0)
        || (released != 8'd0 && !released[watched] && (released & earlier) == 8'd0));
    assign bad[9] = (asked && !by_large && here && !spoiling && answer_denied != (denied || (check_writes && !writable)))
        || (asked && by_large && answer_denied != (check_writes && !large_writable[look_large]))
        || (spoiling && !by_large && found);
    assign bad[10] = asked && answer_fault != (absent && report_faults && !by_large);

    reg was_filled, was_dropped, was_replaced, was_walked, kept_out, passed_over, was_spoiled;
    always @(posedge clock) begin
        was_filled <= was_filled || end_watched;
        was_dropped <= was_dropped || (fill_watched && !kind[1] && !end_watched);
        was_replaced <= was_replaced || (here && fill_beside && aged);
        was_walked <= was_walked || (take && offered);
        kept_out <= kept_out || (held[watched] && !room);
        passed_over <= passed_over || (held[watched] && released != 8'd0 && !released[watched]);
        was_spoiled <= was_spoiled || (spoiling && walk_valid);
    end
`ifdef LARGE
    // The occasions are of large pages.
    reg was_large, was_evicted, was_blocked, was_refilled;
    always @(posedge clock) begin
        was_large <= was_large || (end_large && into_large == watched[2:1] && fill_vpn != watched);
        was_evicted <= was_evicted || (evicting && large_newest != watched[2:1] && large[watched[2:1]]);
        was_blocked <= was_blocked
            || (fill_watched && fill_large && !kind[1] && !end_watched && !covers(watched) && blocks(watched));
        was_refilled <= was_refilled || (end_large && large[into_large] && into_large == watched[2:1]);
    end
    assign seen[2] = was_large && asked && by_large && answer_hit && answer_pfn == 2'd3 && was_refilled;
    assign seen[3] = was_blocked && asked && !found;
    assign seen[4] = was_evicted && asked && !found && $countones(large) == 2;
    assign seen[9] = asked && answer_denied && by_large && here && was_spoiled;
    assign seen[10] = asked && absent && report_faults && by_large;
`else
    assign seen[2] = was_filled && asked && answer_hit && answer_pfn == 2'd2 && was_dropped;
    assign seen[3] = was_dropped && asked && !found && was_filled;
    assign seen[4] = was_replaced && here && aged && asked;
    assign seen[9] = asked && answer_denied && !denied && was_spoiled;
    assign seen[10] = asked && answer_fault && held[watched];
`endif
    assign seen[1] = answer_valid && answer_tag == 2'd2 && answer_denied;
    assign seen[5] = was_walked && offered;
    assign seen[6] = waits && wake_all && wake_of != watched && !open[watched];
    assign seen[7] = overtaken == 2'd1 && offered && holding;
    assign seen[8] = kept_out && passed_over && offered;
endmodule
